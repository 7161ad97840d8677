/* Sources and results of vector instructions. */
#include "amdgpu_bitcode_operands.h"
#include "amdgpu_bitcode_common.h"

#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)

/* The instruction, as far as it modifies sources. */
LANE struct amdgpu_inst inst_of(u64 edits, const struct amdgpu_row *row)
{
    struct amdgpu_inst inst = {.row = row,
                               .format = (unsigned char)(edits >> AMDGPU_BITCODE_FORMAT),
                               .neg = (unsigned char)(edits >> AMDGPU_BITCODE_NEG),
                               .abs = (unsigned char)(edits >> AMDGPU_BITCODE_ABS),
                               .neg_hi = (unsigned char)(edits >> AMDGPU_BITCODE_NEG_HI),
                               .op_sel = (unsigned char)(edits >> AMDGPU_BITCODE_OP_SEL),
                               .op_sel_hi = (unsigned char)(edits >> AMDGPU_BITCODE_OP_SEL_HI)};
    return inst;
}

/* The lanes of a source of so many registers: in place, or in room. */
LANE const u32 *find_lanes(const struct amdgpu_wave *wave, const struct amdgpu_source *source,
                           unsigned registers, u32 *room, unsigned n)
{
    if (source->kind == AMDGPU_VREG)
        return destination(wave, source->reg, n);
    u64 value = source->kind == AMDGPU_SREG && registers == 1 ? wave->s[source->reg]
                                                              : amdgpu_scalar(wave, source);
    for (unsigned r = 0; r < registers; ++r)
        fill(room + r * n, r == 0 ? (u32)value : r == 1 ? (u32)(value >> 32) : 0, n);
    return room;
}

/* A byte or a word of source k. */
LANE void select_sdwa(u64 edits, u64 k, struct taken *taken, unsigned n)
{
    unsigned bits = k < 2 ? edits >> (AMDGPU_BITCODE_SDWA + 4 * k) & 0xf : 0;
    if (!(bits & 7))
        return;
    u32 *x = own(taken, n);
    INDEPENDENT for (unsigned i = 0; i < n; ++i) x[i] =
        sdwa_part(x[i], AMDGPU_SDWA_DWORD - (bits & 7), bits & 8);
}

LANE const u32 *take(const struct amdgpu_wave *wave, u64 k, u64 edits, u64 word, u64 value,
                     u32 *room, unsigned part, unsigned registers, unsigned flags, unsigned n)
{
    const struct amdgpu_source source = source_of(word, value);
    const struct amdgpu_row row = {
        .flags = edits >> AMDGPU_BITCODE_ACCUMULATES & 1 ? AMDGPU_ROW_ACCUMULATES : 0};
    const struct amdgpu_inst inst = inst_of(edits, &row);
    struct taken taken = {find_lanes(wave, &source, registers, room, n), room, registers};
    select_sdwa(edits, k, &taken, n);
    select_parts(&inst, flags, part, (unsigned)k, &taken, n);
    change_signs(&inst, flags, part, (unsigned)k, &taken, n);
    return taken.lanes;
}

/* As blend(), of values only: a choice between addresses would keep registers in memory. */
LANE void merge(u32 *d, const u32 *from, const u32 *live, unsigned n, unsigned registers)
{
    for (unsigned r = 0; r < registers; ++r, d += n, from += n)
        INDEPENDENT for (unsigned i = 0; i < n; ++i) d[i] = (d[i] & ~live[i]) | (from[i] & live[i]);
}

LANE u32 *result(const struct amdgpu_wave *wave, u64 head, u64 bits, u32 *aside, unsigned n)
{
    bool whole = head >> AMDGPU_BITCODE_FULL & 1 && !(bits & (AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP));
    return whole ? destination(wave, head >> AMDGPU_BITCODE_DST & 0xffff, n) : aside;
}

LANE void put(struct amdgpu_wave *wave, u64 head, u64 bits, u32 *aside, unsigned registers,
              unsigned n)
{
    u32 *d = destination(wave, head >> AMDGPU_BITCODE_DST & 0xffff, n);
    if (head >> AMDGPU_BITCODE_FULL & 1) {
        if (bits & (AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP))
            memcpy(d, aside, sizeof(u32) * n * registers);
        return;
    }
    ROOM(live, 1);
    spread(amdgpu_exec_of(wave, n), live, n);
    merge(d, aside, live, n, registers);
}

LANE void put_half(struct amdgpu_wave *wave, u64 head, u64 bits, u32 *aside, unsigned n)
{
    const u32 *d = destination(wave, head >> AMDGPU_BITCODE_DST & 0xffff, n);
    if (bits & (AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP))
        place_half(aside, d, bits & AMDGPU_VALU_HIGH, bits & AMDGPU_VALU_KEEP, n);
    put(wave, head, bits, aside, 1, n);
}

/* The live lanes among those of a mask. */
LANE u64 live_signs(const struct amdgpu_wave *wave, u64 head, const u32 *lanes, unsigned n)
{
    u64 signs = lane_signs(lanes, n);
    return head >> AMDGPU_BITCODE_FULL & 1 ? signs : signs & amdgpu_exec_of(wave, n);
}

LANE void put_test(struct amdgpu_wave *wave, u64 head, u64 bits, const u32 *aside, unsigned n)
{
    const struct amdgpu_op op = {.bits = (u32)bits,
                                 .dst = (unsigned short)(head >> AMDGPU_BITCODE_DST)};
    set_test(wave, &op, live_signs(wave, head, aside, n), n);
}

LANE void put_mask(struct amdgpu_wave *wave, u64 head, u64 bits, const u32 *aside, unsigned n)
{
    if (!(bits & AMDGPU_VALU_NO_MASK))
        write_mask(wave, head >> AMDGPU_BITCODE_DST1 & 0xffff, live_signs(wave, head, aside, n), n);
}

#pragma clang attribute pop

/* ---- the functions ----------------------------------------------------------------------- */

#define TAKE_PART(name, part, registers, flags, n)                                                 \
    AMDGPU_TAKE(name, n)                                                                           \
    {                                                                                              \
        return take(wave, k, edits, word, value, room, part, registers, flags, n);                 \
    }
#define PUT_REGISTERS(registers, n)                                                                \
    AMDGPU_PUT(registers, n)                                                                       \
    {                                                                                              \
        put(wave, head, bits, aside, registers, n);                                                \
    }
#define FUNCTIONS(n)                                                                               \
    TAKE_PART(16, PART_16, 1, 0, n)                                                                \
    TAKE_PART(32, PART_32, 1, 0, n)                                                                \
    TAKE_PART(64, PART_64, 2, 0, n)                                                                \
    TAKE_PART(pair, PART_PAIR, 1, 0, n)                                                            \
    TAKE_PART(floats, PART_FLOATS, 2, 0, n)                                                        \
    TAKE_PART(mix, PART_32, 1, AMDGPU_VALU_MIX, n)                                                 \
    TAKE_PART(wide, PART_32, 4, 0, n)                                                              \
    AMDGPU_TAKE(mask, n)                                                                           \
    {                                                                                              \
        const struct amdgpu_source source = source_of(word, value);                                \
        (void)k, (void)edits;                                                                      \
        spread(read_mask(wave, &source, n), room, n);                                              \
        return room;                                                                               \
    }                                                                                              \
    AMDGPU_RESULT(n)                                                                               \
    {                                                                                              \
        return result(wave, head, bits, aside, n);                                                 \
    }                                                                                              \
    AMDGPU_PUT(half, n)                                                                            \
    {                                                                                              \
        put_half(wave, head, bits, aside, n);                                                      \
    }                                                                                              \
    PUT_REGISTERS(1, n)                                                                            \
    PUT_REGISTERS(2, n)                                                                            \
    PUT_REGISTERS(4, n)                                                                            \
    AMDGPU_PUT(mask, n)                                                                            \
    {                                                                                              \
        put_mask(wave, head, bits, aside, n);                                                      \
    }                                                                                              \
    AMDGPU_PUT(test, n)                                                                            \
    {                                                                                              \
        put_test(wave, head, bits, aside, n);                                                      \
    }
FUNCTIONS(32)
FUNCTIONS(64)
