/* Indirect buffers of PM4 packets; private to queues. */
#ifndef AMDGPU_PM4_H
#define AMDGPU_PM4_H

#include "amdgpu.h"
#include "sim_memory.h"

/* A vendor packet that runs an indirect buffer: amd_aql_pm4_ib of AMD's runtime, gfx9 and newer. */
enum { AMDGPU_AQL_FORMAT_PM4_IB = 1 };
struct amdgpu_pm4_packet {
    uint16_t header, format;
    uint32_t jump[4]; /* INDIRECT_BUFFER: its header, the address in two words, the size in words */
    uint32_t words_left;
    uint32_t reserved[8];
    hsa_signal_t completion_signal;
};
_Static_assert(sizeof(struct amdgpu_pm4_packet) == 64, "as queues have them");

/* Executes the count words at address; device: of sim_memory.h. Returns NULL, or an error
 * message. */
const char *amdgpu_pm4_run(int device, uint64_t address, unsigned count);

#endif
