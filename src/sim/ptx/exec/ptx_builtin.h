/* Functions that device code calls and the driver defines (ptx_builtins.def). Also how such a
 * function accesses memory by generic address. */
#ifndef PTX_BUILTIN_H
#define PTX_BUILTIN_H

#include "ptx_exec.h"

/* Executes the call for all lanes of warp->mask. Lane l's parameters begin at arguments + l *
 * stride, its result goes to result + l * result_stride (NULL: there is no result, or the caller
 * does not use it). False: a fault was reported with ptx_fault, and the handler returns NULL. */
bool ptx_builtin_call(const struct ptx_builtin *builtin, struct ptx_warp *warp,
                      const struct ptx_op *op, const unsigned char *arguments, size_t stride,
                      unsigned char *result, size_t result_stride);

/* Reads or writes size bytes at a generic address as lane of warp would: device
 * and host memory, and the windows of shared, local and (read only) kernel
 * parameters. False: some byte is out of reach; nothing is reported, out holds
 * the bytes before it. */
bool ptx_read_bytes(struct ptx_warp *warp, unsigned lane, uint64_t address, void *out, size_t size);
bool ptx_write_bytes(struct ptx_warp *warp, unsigned lane, uint64_t address, const void *bytes,
                     size_t size);

#endif
