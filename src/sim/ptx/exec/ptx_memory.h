/* The way from addresses in registers to the host memory that each lane touches. */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include "ptx_warp.h"

/* The address of each lane, whether it is in the mask or not. */
void ptx_access_addresses(const struct ptx_warp *warp, const struct ptx_access *access,
                          uint64_t out_at[PTX_LANES]);

/* Where each lane of the mask reads or writes. False: one must not, which is reported. */
bool ptx_access_pointers(struct ptx_warp *warp, const struct ptx_op *op,
                         const struct ptx_access *access, const uint64_t at[PTX_LANES],
                         unsigned char *out_where[PTX_LANES]);

/* Both, and the handlers of loads and stores, once per instruction set. */
struct ptx_access_functions {
    void (*addresses)(const struct ptx_warp *warp, const struct ptx_access *access,
                      uint64_t out_at[PTX_LANES]);
    bool (*pointers)(struct ptx_warp *warp, const struct ptx_op *op,
                     const struct ptx_access *access, const uint64_t at[PTX_LANES],
                     unsigned char *out_where[PTX_LANES]);
    ptx_handler (*handler)(const struct ptx_access *access); /* of a load or a store */
    bool (*is_handler)(ptx_handler handler);                 /* one of these */
};
extern const struct ptx_access_functions ptx_access_base, ptx_access_avx2, ptx_access_avx512;

/* Those for this host. */
const struct ptx_access_functions *ptx_access_functions(void);

/* The space that a generic address lies in, and its offset there; PTX_GLOBAL for
 * all that is in no window. */
enum ptx_space ptx_generic_space(uint64_t address, uint64_t *out_offset);

#endif
