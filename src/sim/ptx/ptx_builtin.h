/* Functions that device code calls and the driver defines: vprintf, malloc, free,
 * __assertfail. Also how such a function reaches memory by generic address. */
#ifndef PTX_BUILTIN_H
#define PTX_BUILTIN_H

#include "ptx_exec.h"

enum { PTX_BUILTIN_PARAMS_MAX = 5 };

struct ptx_builtin {
    const char *name;
    unsigned param_count;
    /* Bytes of each parameter: they lie one after the other, each at the next
     * multiple of its size, as .param variables of these sizes do. */
    unsigned char param_sizes[PTX_BUILTIN_PARAMS_MAX];
    unsigned result_size; /* bytes, 0: returns nothing */
    bool noreturn;        /* call never returns true */
    /* Does the call for all lanes of warp->mask. Lane l's parameters begin at
     * arguments + l * stride, its result goes to result + l * result_stride (NULL
     * when there is none or nobody wants it). False: a fault was reported with
     * ptx_fault; the handler returns NULL then, otherwise goes on. */
    bool (*call)(struct ptx_warp *warp, const struct ptx_op *op, const unsigned char *arguments,
                 size_t stride, unsigned char *result, size_t result_stride);
};

/* The built-in of a name; NULL: there is none. */
const struct ptx_builtin *ptx_builtin_find(const char *name);

/* Reads or writes size bytes at a generic address as lane of warp would: device
 * and host memory, and the windows of shared, local and (read only) kernel
 * parameters. False: some byte is out of reach; nothing is reported, out holds
 * the bytes before it. */
bool ptx_read_bytes(struct ptx_warp *warp, unsigned lane, uint64_t address, void *out, size_t size);
bool ptx_write_bytes(struct ptx_warp *warp, unsigned lane, uint64_t address, const void *bytes,
                     size_t size);

#endif
