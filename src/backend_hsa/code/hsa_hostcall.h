/* Private to hsa_kernel_services.c and hsa_hostcall.c: hostcalls of kernels that are linked with
 * ROCm's device library (amdgpu_abi.h has the protocol). */
#ifndef AHHSA_HOSTCALL_H
#define AHHSA_HOSTCALL_H

#include "hsa_device.h"

struct ahhsa_hostcalls; /* of one device */

/* Creates the buffer, and the thread that answers. */
hipError_t ahhsa_hostcalls_start(struct ah_backend_device *device,
                                 struct ahhsa_hostcalls **out_calls);
/* What hidden_hostcall_buffer points to. */
void *ahhsa_hostcalls_buffer(const struct ahhsa_hostcalls *calls);
/* Whether a failed assertion was printed. */
bool ahhsa_hostcalls_asserted(const struct ahhsa_hostcalls *calls);
/* Stops the thread and frees the memory that kernels still hold. All work has ended. Accepts
 * NULL. */
void ahhsa_hostcalls_stop(struct ahhsa_hostcalls *calls);

#endif
