/* The devices of an HSA runtime: the ground on which the other rooms of this backend stand.
 *
 * This room owns the functions of the opened runtime and the translation of its errors
 * (hsa_runtime.h), the search for devices, struct ah_backend_device with the lock that guards what
 * is queued on a device, the failure of a device (hsa_state.c), what a device says of itself and
 * what can be set on it (hsa_device_info.h), and memory straight from the runtime
 * (hsa_raw_memory.h). It does not know what a stream, an allocation of the application or a module
 * is: the fields of struct ah_backend_device that belong to other rooms are pointers to types which
 * those define.
 *
 * Users are the rooms queue, memory and code, and hsa_backend.c. What has to happen in them when a
 * device starts, fails or becomes idle is called through struct ahhsa_device_callbacks.
 *
 * Any thread may call anything here. Whoever holds a device's lock may call only what says so. */
#ifndef AHHSA_DEVICE_H
#define AHHSA_DEVICE_H

#include "../hsa_device_info.h"
#include "../hsa_raw_memory.h"
#include "../hsa_runtime.h"

#endif
