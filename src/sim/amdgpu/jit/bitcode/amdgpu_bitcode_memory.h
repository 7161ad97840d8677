/* Memory that the table of granules knows, found without calling a function. */
#ifndef AMDGPU_BITCODE_MEMORY_H
#define AMDGPU_BITCODE_MEMORY_H

#include "amdgpu_bitcode_common.h"
#include "sim_memory.h"

typedef u16 any16 __attribute__((aligned(1), may_alias));
typedef u32 any32 __attribute__((aligned(1), may_alias));

/* As sim_translate_span, without the slow cases. */
LANE unsigned char *find_bytes(const struct sim_space *space, int device, u64 at, u64 size)
{
    u64 offset = at - space->base, end = offset + size;
    if (offset >= space->size || end > space->size)
        return NULL;
    u64 first = offset / SIM_GRANULE, last = (end - 1) / SIM_GRANULE;
    const _Atomic(uint16_t) *granules = space->granules;
    unsigned entry = atomic_load_explicit(&granules[last], memory_order_relaxed);
    unsigned owner = entry >> 9;
    if ((end - 1) % SIM_GRANULE + 1 > (entry & 0x1ff))
        return NULL;
#pragma clang loop unroll(disable) vectorize(disable)
    for (; first < last; ++first)
        if (atomic_load_explicit(&granules[first], memory_order_relaxed) !=
            (owner << 9 | SIM_GRANULE))
            return NULL;
    if (owner == SIM_OWNER_ALL)
        return (unsigned char *)(uintptr_t)at;
    u64 accessible = atomic_load_explicit(&space->accessible[device], memory_order_relaxed);
    if (owner > SIM_OWNER_ALL || !(accessible >> owner & 1))
        return NULL;
    return (unsigned char *)(uintptr_t)(at + space->to_view);
}

#endif
