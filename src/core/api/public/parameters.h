/* What the parameters of public functions become: regions, addresses and commands. Nodes of graphs
 * have the parameters of copies and of operations on values in memory, and src/core/graph makes the
 * same of them as the functions that do such work at once.
 *
 * These check the parameters and neither the memory nor the stream, and none touches the last
 * error. */
#ifndef AH_PARAMETERS_H
#define AH_PARAMETERS_H

#include "runtime.h"

/* The box of hipMemcpy3D and of hipDrvMemcpy3D. It may be empty. The errors are those of these
 * functions. */
hipError_t ah_region_of_3d(const hipMemcpy3DParms *params, struct ah_copy_region *out_region);
hipError_t ah_region_of_driver(const HIP_MEMCPY3D *copy, struct ah_copy_region *out_region);

static inline bool ah_region_is_empty(const struct ah_copy_region *region)
{
    return region->width == 0 || region->height == 0 || region->depth == 0;
}

/* The address on the device of size bytes at offset of a variable of the program.
 * hipErrorInvalidMemcpyDirection: kind is not the direction of a copy to (or from) a variable;
 * hipErrorInvalidSymbol; hipErrorInvalidValue: it is smaller than that. */
hipError_t ah_symbol_address(const void *symbol, struct ah_device *device, size_t size,
                             size_t offset, hipMemcpyKind kind, bool to_symbol, void **out_address);

/* The commands of hipStreamBatchMemOp: AH_COMMAND_VALUE_* and AH_COMMAND_BARRIER. The check is of
 * the array, the other function makes a command of one operation. hipErrorInvalidValue. */
hipError_t ah_batch_check(const hipStreamBatchMemOpParams *operations, unsigned count,
                          unsigned flags);
hipError_t ah_batch_command(const hipStreamBatchMemOpParams *operation,
                            struct ah_command *out_command);

#endif
