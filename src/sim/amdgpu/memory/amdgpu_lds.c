/* DS instructions other than loads, stores and atomics: lanes that read other lanes' registers,
 * counters, and those that do nothing. */
#include "amdgpu_access.h"

#include <string.h>

/* ---- lanes ---------------------------------------------------------------------------- */

/* The value of every lane: 0 if it is not live. */
static void read_lanes(struct amdgpu_wave *wave, unsigned reg, uint32_t out[AMDGPU_LANES_MAX])
{
    const uint32_t *v = amdgpu_v(wave, reg), *live = amdgpu_live(wave);
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        out[lane] = v[lane] & live[lane];
}

static const struct amdgpu_op *write_lanes(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                           const uint32_t in[AMDGPU_LANES_MAX],
                                           const unsigned char from[AMDGPU_LANES_MAX])
{
    uint32_t *v = amdgpu_v(wave, op->dst);
    const uint32_t *live = amdgpu_live(wave);
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        v[lane] = live[lane] ? in[from[lane]] : v[lane];
    return amdgpu_next(op);
}

static unsigned reversed(unsigned value) /* 5 bits */
{
    return (value & 1) << 4 | (value & 2) << 2 | (value & 4) | (value & 8) >> 2 | value >> 4;
}

/* The lane that each lane reads, by the offset of ds_swizzle_b32, within groups of 32. */
static void swizzled(unsigned offset, unsigned char from[AMDGPU_LANES_MAX])
{
    unsigned low = offset & 0x1f, middle = offset >> 5 & 0x1f, high = offset >> 10 & 0x1f;
    unsigned by = high & 1 ? 0u - middle : middle;
    for (unsigned lane = 0; lane < 32; lane++)
        if (offset >= 0xe000) /* as a fast Fourier transform needs it */
            from[lane] = (unsigned char)(reversed(lane) >> __builtin_popcount(low) | (lane & low));
        else if (offset >= 0xc000) /* rotate; bit 10: the other way */
            from[lane] = (unsigned char)((lane & low) | ((lane + by) & ~low & 0x1f));
        else if (offset >= 0x8000) /* a permutation of each four */
            from[lane] = (unsigned char)((lane & 0x1c) | (offset >> 2 * (lane & 3) & 3));
        else
            from[lane] = (unsigned char)(((lane & low) | middle) ^ high);
    for (unsigned lane = 0; lane < 32; lane++)
        from[lane + 32] = from[lane] | 0x20;
}

static const struct amdgpu_op *swizzle(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint32_t in[AMDGPU_LANES_MAX];
    unsigned char from[AMDGPU_LANES_MAX];
    read_lanes(wave, op->src[0].reg, in);
    swizzled((unsigned)op->offset_bytes & 0xffff, from);
    return write_lanes(wave, op, in, from);
}

/* Groups of lanes that can read each other: all lanes on gfx9, halves of 32 later. */
static unsigned partner(const struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane)
{
    unsigned group = op->bits < wave->lanes ? op->bits : wave->lanes;
    uint32_t at = amdgpu_v(wave, op->src[0].reg)[lane] + (uint32_t)op->offset_bytes;
    return (at / 4 & (group - 1)) | (lane & ~(group - 1));
}

/* Lanes that receive nothing get 0; of several senders the last one wins. */
static const struct amdgpu_op *permute(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint32_t sent[AMDGPU_LANES_MAX] = {0};
    unsigned char own[AMDGPU_LANES_MAX];
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        sent[partner(wave, op, lane)] = amdgpu_v(wave, op->dst1)[lane];
    }
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        own[lane] = (unsigned char)lane;
    return write_lanes(wave, op, sent, own);
}

/* ---- counters ------------------------------------------------------------------------- */

/* Adds the number of live lanes (bits: or subtracts it), once for all of them. */
static const struct amdgpu_op *append(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_block *block = wave->block;
    uint64_t exec = amdgpu_exec(wave);
    uint32_t at = (wave->s[wave->m0] & 0xffff) + (uint32_t)op->offset_bytes, old, next;
    if (!exec)
        return amdgpu_next(op);
    if (block->lds_size < 4 || at > block->lds_size - 4 || at % 4) {
        struct amdgpu_fault fault = {.kind = at % 4 ? AMDGPU_END_ALIGNMENT : AMDGPU_END_SHARED,
                                     .what = "counts in shared memory",
                                     .has_address = true,
                                     .address = at,
                                     .lane = -1};
        return amdgpu_fail(wave, op, &fault);
    }
    memcpy(&old, block->lds + at, sizeof old);
    uint32_t count = (uint32_t)__builtin_popcountll(exec);
    next = op->bits ? old - count : old + count;
    memcpy(block->lds + at, &next, sizeof next);
    uint32_t *v = amdgpu_v(wave, op->dst);
    for (; exec; exec &= exec - 1)
        v[__builtin_ctzll(exec)] = old;
    return amdgpu_next(op);
}

static const struct amdgpu_op *nothing(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    (void)wave;
    return amdgpu_next(op);
}

/* ---- emit ----------------------------------------------------------------------------- */

static amdgpu_handler handler_of(enum amdgpu_isa isa, unsigned lanes, unsigned id)
{
    const struct amdgpu_access_functions *functions = amdgpu_access_functions();
    switch (id) {
    case AMDGPU_ID_DS_SWIZZLE_B32:
        return swizzle;
    case AMDGPU_ID_DS_PERMUTE_B32:
        return permute;
    case AMDGPU_ID_DS_BPERMUTE_B32:
        if (lanes == 64 && amdgpu_family_of(isa) != AMDGPU_GFX9)
            return functions->permute_halves;
        return functions->permute[lanes == 64];
    case AMDGPU_ID_DS_APPEND:
    case AMDGPU_ID_DS_CONSUME:
        return append;
    case AMDGPU_ID_DS_NOP:
        return nothing;
    default:
        return NULL;
    }
}

bool amdgpu_emit_lanes(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                       struct amdgpu_op *op)
{
    unsigned id = inst->row->id;
    op->run = handler_of(isa, lanes, id);
    if (!op->run || inst->gds || !amdgpu_source_of(&inst->addr, &op->src[0]))
        return false;
    op->dst = inst->dst[0].reg;
    op->dst1 = inst->data.reg;
    op->offset_bytes = inst->offset;
    if (op->run == append)
        op->bits = id == AMDGPU_ID_DS_CONSUME;
    else
        op->bits = amdgpu_family_of(isa) == AMDGPU_GFX9 ? 64 : 32;
    return true;
}
