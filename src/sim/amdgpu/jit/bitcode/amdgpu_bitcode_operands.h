/* What functions of vector instructions are made of: sources, the effect, results.
 *
 * These are functions of their own in the bitcode, because there are many instructions and few
 * kinds of operands; nothing is inlined until a region is compiled, which knows all arguments but
 * the wave. What is not needed then vanishes: the copy of a source that has no modifiers, the mask
 * of live lanes where all are. */
#ifndef AMDGPU_BITCODE_OPERANDS_H
#define AMDGPU_BITCODE_OPERANDS_H

#include "amdgpu_bitcode.h"
#include "amdgpu_wave.h"

/* An effect is compiled for so many lanes: a few vectors of the host. */
enum { AMDGPU_BITCODE_CHUNK = 16 };

/* The effect of a row on these lanes, of which the wave's lane first is the first. Registers of one
 * value are n lanes apart; mode and bits are as in struct amdgpu_lanes. */
#define AMDGPU_EFFECT(id)                                                                          \
    void amdgpu_effect_##id(uint32_t *d, uint32_t *d1, const uint32_t *a, const uint32_t *b,       \
                            const uint32_t *c, const uint32_t *e, uint64_t first, uint64_t n,      \
                            uint64_t mode, uint64_t bits)

/* Source k with its modifiers applied: the register, or room. By parts of a value, for waves of n:
 * 16, 32, 64: bits of one value; pair: two of 16 bits; floats: two of 32; mix: f32 or a half of 16
 * bits; wide: 128 bits. */
#define AMDGPU_TAKE(part, n)                                                                       \
    const uint32_t *amdgpu_take_##part##_##n(const struct amdgpu_wave *wave, uint64_t k,           \
                                             uint64_t edits, uint64_t word, uint64_t value,        \
                                             uint32_t *room)
#define AMDGPU_TAKE_EACH(n)                                                                        \
    AMDGPU_TAKE(16, n);                                                                            \
    AMDGPU_TAKE(32, n);                                                                            \
    AMDGPU_TAKE(64, n);                                                                            \
    AMDGPU_TAKE(pair, n);                                                                          \
    AMDGPU_TAKE(floats, n);                                                                        \
    AMDGPU_TAKE(mix, n);                                                                           \
    AMDGPU_TAKE(wide, n);                                                                          \
    AMDGPU_TAKE(mask, n);
AMDGPU_TAKE_EACH(32)
AMDGPU_TAKE_EACH(64)

/* Where a result in registers is computed: the registers themselves where all lanes are live and
 * all of their bits are written, else aside. */
#define AMDGPU_RESULT(n)                                                                           \
    uint32_t *amdgpu_result_##n(struct amdgpu_wave *wave, uint64_t head, uint64_t bits,            \
                                uint32_t *aside)
/* Writes a result of so many registers (half: of halves of one) that was computed aside; a mask; a
 * mask as a comparison does. */
#define AMDGPU_PUT(what, n)                                                                        \
    void amdgpu_put_##what##_##n(struct amdgpu_wave *wave, uint64_t head, uint64_t bits,           \
                                 uint32_t *aside)
#define AMDGPU_PUT_EACH(n)                                                                         \
    AMDGPU_RESULT(n);                                                                              \
    AMDGPU_PUT(half, n);                                                                           \
    AMDGPU_PUT(1, n);                                                                              \
    AMDGPU_PUT(2, n);                                                                              \
    AMDGPU_PUT(4, n);                                                                              \
    AMDGPU_PUT(mask, n);                                                                           \
    AMDGPU_PUT(test, n);
AMDGPU_PUT_EACH(32)
AMDGPU_PUT_EACH(64)

#endif
