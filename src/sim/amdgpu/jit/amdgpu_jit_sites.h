/* Private to jit: the code of a kernel as units, and the sites at which waves enter it.
 *
 * A unit is the code that is reached from a root: from a kernel's entry, or from elsewhere where
 * nothing is reached from that. It is compiled as a whole, so that each op is compiled once,
 * wherever waves enter: at the root, at the targets of backward branches, behind barriers. */
#ifndef AMDGPU_JIT_SITES_H
#define AMDGPU_JIT_SITES_H

#include "amdgpu_jit_region.h"

/* Into code, at one of its entries. */
struct amdgpu_way {
    jit_code code;
    unsigned entry;
    enum amdgpu_region_kind kind;
    /* How often the first waves entered it, and the ops that they executed. */
    _Atomic(unsigned) entered, steps;
};

struct amdgpu_unit;

struct amdgpu_site {
    struct amdgpu_op *op;
    amdgpu_handler run; /* the op's own handler */
    struct amdgpu_unit *unit;
    uint32_t mode; /* of waves that may enter */
    bool compares; /* JIT_COMPARE */
    bool is_root;  /* of the unit */
    /* [1]: for waves all of whose lanes are live; [0]: for others. NULL: the interpreter executes
     * them. */
    _Atomic(struct amdgpu_way *) ways[2];
    bool retired[2]; /* it has none any more */
};

/* Lock-free; NULL: none. */
static inline struct amdgpu_site *amdgpu_site_at(const struct amdgpu_op *op)
{
    return __atomic_load_n(&op->site, __ATOMIC_ACQUIRE);
}
/* The unit with this root, made if there is no site. NULL: no memory. */
struct amdgpu_unit *amdgpu_unit_at(const struct amdgpu_op *root, uint32_t mode);

/* Whether nothing of this kind has been requested yet. */
bool amdgpu_unit_is_cold(const struct amdgpu_unit *unit, enum amdgpu_region_kind kind);
/* The unit of a loop that begins at a decoded op, in a kernel that begins at first. NULL: no
 * memory, or it is for waves of another mode. */
struct amdgpu_unit *amdgpu_unit_of(const struct amdgpu_op *loop, const struct amdgpu_op *first,
                                   uint32_t mode);
/* Waves executed so many ops that a region of this kind would have executed. Once this has cost as
 * much as compiling does, the region is requested. */
void amdgpu_unit_heat(struct amdgpu_unit *unit, enum amdgpu_region_kind kind, uint64_t ops);
/* The same for waves that began with all lanes. Where those often part, the region is one for both
 * kinds. */
void amdgpu_unit_heat_all(struct amdgpu_unit *unit, uint64_t ops, bool parted);
/* Requests a region, once. */
void amdgpu_unit_request(struct amdgpu_unit *unit, enum amdgpu_region_kind kind);

/* Waves of this kind do not enter at the site any more. */
void amdgpu_site_retire(struct amdgpu_site *site, bool full);

/* The handler of sites with a way (amdgpu_jit.c). */
const struct amdgpu_op *amdgpu_jit_enter(struct amdgpu_wave *wave, const struct amdgpu_op *op);

#endif
