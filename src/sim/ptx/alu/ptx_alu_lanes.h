/* The values of one lane, and the building blocks of ptx_alu.c: slots, masks, rounding modes.
 * Included by ptx_alu.c only, compiled once per instruction set; everything is static. */
#ifndef PTX_ALU_LANES_H
#define PTX_ALU_LANES_H

#include "ptx_alu.h"
#include "sim_lane.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

typedef uint16_t f16, bf16;
typedef bool pred;

/* The type of a slot's elements for each type. Registers are untyped, so their elements may
 * alias. */
#define SLOT(T, E) typedef E slot_##T __attribute__((may_alias));
SLOT(u8, uint16_t)
SLOT(s8, uint16_t)
SLOT(u16, uint16_t)
SLOT(s16, int16_t)
SLOT(b16, uint16_t)
SLOT(f16, uint16_t)
SLOT(bf16, uint16_t)
SLOT(u32, uint32_t)
SLOT(s32, int32_t)
SLOT(b32, uint32_t)
SLOT(f32, float)
SLOT(u64, uint64_t)
SLOT(s64, int64_t)
SLOT(b64, uint64_t)
SLOT(f64, double)
SLOT(pred, uint32_t)
#undef SLOT

/* ---- loading and storing ------------------------------------------------------- */

/* The address of a source's values, and a function that loads one. A predicate is one word. */
#define SOURCE(T)                                                                                  \
    typedef const slot_##T *source_##T;                                                            \
    LANE source_##T source_of_##T(const struct ptx_warp *warp, u32 slot)                           \
    {                                                                                              \
        return (const void *)(warp->regs + slot);                                                  \
    }
#define LOAD(T)                                                                                    \
    SOURCE(T)                                                                                      \
    LANE T load_##T(source_##T source, unsigned lane)                                              \
    {                                                                                              \
        return (T)source[lane];                                                                    \
    }
LOAD(u8)
LOAD(s8)
LOAD(u16)
LOAD(s16)
LOAD(b16)
LOAD(f16)
LOAD(bf16)
LOAD(u32)
LOAD(s32)
LOAD(b32)
LOAD(f32)
LOAD(u64)
LOAD(s64)
LOAD(b64)
LOAD(f64)
#undef LOAD
typedef u32 source_pred;
LANE source_pred source_of_pred(const struct ptx_warp *warp, u32 slot)
{
    return *(const slot_pred *)(warp->regs + slot);
}
/* A table, since compilers vectorise loads but not shifts by the lane. */
static const u32 lane_bit[PTX_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};
LANE bool load_pred(source_pred source, unsigned lane)
{
    return (source & lane_bit[lane]) != 0;
}

/* Copies results into the lanes of the mask. */
static void masked_write_2(const struct ptx_warp *warp, void *to, const void *from)
{
    slot_u16 *d = to;
    const slot_u16 *s = from;
    for (unsigned i = 0; i < PTX_LANES; ++i)
        d[i] = warp->lanes[i] ? s[i] : d[i];
}

static void masked_write_4(const struct ptx_warp *warp, void *to, const void *from)
{
    slot_u32 *d = to;
    const slot_u32 *s = from;
    for (unsigned i = 0; i < PTX_LANES; ++i)
        d[i] = warp->lanes[i] ? s[i] : d[i];
}

static void masked_write_8(const struct ptx_warp *warp, void *to, const void *from)
{
    slot_u64 *d = to;
    const slot_u64 *s = from;
    for (unsigned i = 0; i < PTX_LANES; ++i)
        d[i] = warp->lanes[i] ? s[i] : d[i];
}

LANE void masked_write(const struct ptx_warp *warp, void *to, const void *from, size_t size)
{
    if (to == from)
        return;
    if (size == 2)
        masked_write_2(warp, to, from);
    else if (size == 4)
        masked_write_4(warp, to, from);
    else
        masked_write_8(warp, to, from);
}

/* Results of all lanes. */
LANE bool has_nan(const f64 *results)
{
#ifdef __AVX512F__
    __m512d v0 = _mm512_loadu_pd(results), v1 = _mm512_loadu_pd(results + 8);
    __m512d v2 = _mm512_loadu_pd(results + 16), v3 = _mm512_loadu_pd(results + 24);
    return _mm512_cmp_pd_mask(v0, v1, _CMP_UNORD_Q) | _mm512_cmp_pd_mask(v2, v3, _CMP_UNORD_Q);
#else
    s64 any = 0;
    for (unsigned i = 0; i < PTX_LANES; ++i)
        any |= results[i] != results[i] ? -1 : 0;
    return any != 0;
#endif
}
LANE void write_numbers(const struct ptx_warp *warp, u32 slot, const f64 *results)
{
    slot_f64 *to = (void *)(warp->regs + slot);
    if (warp->whole)
        for (unsigned i = 0; i < PTX_LANES; ++i)
            to[i] = results[i];
    else
        masked_write_8(warp, to, results);
}

LANE slot_pred *mask_slot(const struct ptx_warp *warp, u32 slot)
{
    return (slot_pred *)(warp->regs + slot);
}

LANE void write_predicate(const struct ptx_warp *warp, u32 slot, u32 value)
{
    slot_pred *to = mask_slot(warp, slot);
    *to = (*to & ~warp->mask) | (value & warp->mask);
}

/* ---- comparisons ------------------------------------------------------------------ */

LANE u32 combine(const struct ptx_warp *warp, const struct ptx_op *op, u32 holds)
{
    switch ((enum ptx_alu_combine)(op->bits >> PTX_ALU_COMBINE_SHIFT & 3)) {
    case PTX_ALU_AND:
        return holds & *mask_slot(warp, op->c);
    case PTX_ALU_OR:
        return holds | *mask_slot(warp, op->c);
    case PTX_ALU_XOR:
        return holds ^ *mask_slot(warp, op->c);
    default:
        return holds;
    }
}

/* Writes the results of setp: that of the comparison, and its complement or, for pairs, that of the
 * other half. */
LANE void write_test(const struct ptx_warp *warp, const struct ptx_op *op, u32 holds, u32 second)
{
    u32 p = combine(warp, op, holds), q = combine(warp, op, second);
    write_predicate(warp, op->d, p);
    if (op->bits >> PTX_ALU_SECOND_SHIFT & 1)
        write_predicate(warp, (u32)(op->bits >> PTX_ALU_SECOND_SLOT), q);
}

#define relation_integer(a, b) ((a) < (b) ? 1u : (a) == (b) ? 2u : 4u)
#define relation_float(a, b)   ((a) < (b) ? 1u : (a) == (b) ? 2u : (a) > (b) ? 4u : 8u)

/* ---- rounding modes ------------------------------------------------------------------ */

#define DIRECTED (PTX_MOD_RZ | PTX_MOD_RM | PTX_MOD_RP)

/* Sets the host's rounding mode, and makes it flush subnormals for .ftz as devices do: results that
 * are subnormal before rounding. Hosts that cannot do this use flush_f32. The result is for
 * round_end. */
LANE unsigned round_begin(u64 mods)
{
    if (!(mods & (DIRECTED | PTX_MOD_FTZ)))
        return 0;
#if defined(__x86_64__)
    unsigned saved = _mm_getcsr();
    unsigned mode = mods & PTX_MOD_RZ ? 3 : mods & PTX_MOD_RP ? 2 : mods & PTX_MOD_RM ? 1 : 0;
    unsigned flush = mods & PTX_MOD_FTZ ? 0x8040 : 0;
    _mm_setcsr((saved & ~0xe040u) | mode << 13 | flush);
#else
    unsigned saved = (unsigned)fegetround();
    fesetround(mods & PTX_MOD_RZ   ? FE_TOWARDZERO
               : mods & PTX_MOD_RP ? FE_UPWARD
               : mods & PTX_MOD_RM ? FE_DOWNWARD
                                   : FE_TONEAREST);
#endif
    __asm__ volatile("" ::: "memory");
    return saved;
}

/* results: the computed values; the parameter keeps the compiler from computing them later. */
LANE void round_end(u64 mods, unsigned saved, const void *results)
{
    if (!(mods & (DIRECTED | PTX_MOD_FTZ)))
        return;
    __asm__ volatile("" ::"r"(results) : "memory");
#if defined(__x86_64__)
    _mm_setcsr(saved);
#else
    fesetround((int)saved);
#endif
}

#endif
