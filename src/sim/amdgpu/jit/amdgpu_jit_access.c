/* Loads and stores of regions whose addresses are not in rows: any lanes, anywhere in memory that
 * the table of granules knows, or in LDS. Compiled once for each instruction set of the host
 * (AMDGPU_ISA_NAME). */
#include "amdgpu_jit_region.h"
#include "sim_lanes.h"

#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* Kernels may race, so the host's compiler must not assume that they do not. */
#define RACY __attribute__((no_sanitize("thread")))

/* Where the live lanes' elements are. */
static bool find_in_lds(const struct amdgpu_scattered *s, unsigned char **where)
{
    bool outside = s->lds_size < s->bytes;
    for (unsigned lane = 0; lane < s->lanes; lane++) {
        bool live = s->exec >> lane & 1;
        outside |= live && s->at[lane] > s->lds_size - s->bytes;
        where[lane] = live ? (unsigned char *)((uintptr_t)s->lds + s->at[lane]) : s->lds;
    }
    return !outside;
}

static bool find_in_memory(const struct amdgpu_scattered *s, unsigned char **where)
{
    if (SIM_LANES_FAST)
        return sim_lanes_translate(s->device, s->at, s->exec, s->lanes, s->bytes, where);
    for (uint64_t left = s->exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        where[lane] = NULL;
        if (s->at[lane] % SIM_GRANULE + s->bytes <= SIM_GRANULE && s->at[lane] >> 32 < 0x8001)
            where[lane] = sim_translate(s->device, s->at[lane], s->bytes, true);
        if (!where[lane])
            return false;
    }
    return true;
}

static bool find(const struct amdgpu_scattered *s, unsigned char **where)
{
    return s->lds ? find_in_lds(s, where) : find_in_memory(s, where);
}

/* ---- elements ---------------------------------------------------------------------------- */

RACY static void load_part(const struct amdgpu_scattered *s, unsigned char *const *where)
{
    for (uint64_t left = s->exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint16_t half;
        memcpy(&half, where[lane], sizeof half / (s->bytes == 1 ? 2 : 1));
        s->data[lane] = s->bytes == 1 ? *where[lane] : half;
    }
}

RACY static void load_word(const struct amdgpu_scattered *s, unsigned char *const *where,
                           unsigned r)
{
    uint32_t *data = s->data + r * s->lanes;
    if (SIM_LANES_FAST) {
        sim_lanes_gather_4(data, where, 4 * r, s->exec, s->lanes);
        return;
    }
    for (uint64_t left = s->exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        memcpy(&data[lane], where[lane] + 4 * r, 4);
    }
}

static bool load(struct amdgpu_scattered *s)
{
    unsigned char *where[AMDGPU_LANES_MAX];
    if (!find(s, where))
        return false;
    if (s->bytes < 4)
        load_part(s, where);
    for (unsigned r = 0; r < s->bytes / 4; r++)
        load_word(s, where, r);
    return true;
}

RACY static void store_part(const struct amdgpu_scattered *s, unsigned char *const *where)
{
    for (uint64_t left = s->exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if (s->bytes == 1)
            *where[lane] = (unsigned char)s->data[lane];
        else
            memcpy(where[lane], &(uint16_t){(uint16_t)s->data[lane]}, 2);
    }
}

RACY static void store_word(const struct amdgpu_scattered *s, unsigned char *const *where,
                            unsigned r)
{
    const uint32_t *data = s->data + r * s->lanes;
    if (SIM_LANES_FAST) {
        sim_lanes_scatter_4(data, where, 4 * r, s->exec, s->lanes);
        return;
    }
    for (uint64_t left = s->exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        memcpy(where[lane] + 4 * r, &data[lane], 4);
    }
}

/* Where elements of lanes overlap, the interpreter writes one lane after the other. */
static bool may_overlap(const struct amdgpu_scattered *s)
{
    uint64_t odd = 0;
    for (uint64_t left = s->exec; left; left &= left - 1)
        odd |= s->at[__builtin_ctzll(left)];
    return s->bytes > 4 || odd & (s->bytes - 1);
}

static bool store(struct amdgpu_scattered *s)
{
    unsigned char *where[AMDGPU_LANES_MAX];
    if (may_overlap(s) || !find(s, where))
        return false;
    if (s->bytes < 4)
        store_part(s, where);
    for (unsigned r = 0; r < s->bytes / 4; r++)
        store_word(s, where, r);
    return true;
}

const struct amdgpu_jit_functions JOIN(amdgpu_jit_functions_, AMDGPU_ISA_NAME) = {load, store};
