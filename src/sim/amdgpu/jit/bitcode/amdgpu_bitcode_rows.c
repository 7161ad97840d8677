/* The functions of vector instructions: one for each row of amdgpu_valu.def, for waves of 32 and of
 * 64. */
#include "amdgpu_bitcode_operands.h"

#define TYPED_ROW(id, ...) AMDGPU_EFFECT(id);
#include "amdgpu_valu_types.h"
#define SAME(...)
#include "amdgpu_valu.def"
#undef TYPED_ROW

#define LANE static inline __attribute__((always_inline, unused))

typedef void (*effect)(uint32_t *, uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *,
                       const uint32_t *, uint64_t, uint64_t, uint64_t, uint64_t);

/* What a row is: as in struct amdgpu_valu_row. */
struct row {
    effect apply;
    unsigned d, d1, count, types[4], flags;
};

/* The arguments of its function. */
struct arguments {
    uint64_t head, bits, edits, words[3], values[3];
};

/* Room for a value of all lanes. */
struct room {
    _Alignas(64) uint32_t lanes[4 * AMDGPU_LANES_MAX];
};

/* All lanes are live: said to the compiler, which then leaves out what depends on EXEC. */
LANE void set_full(struct amdgpu_wave *wave, uint64_t head, unsigned n)
{
    if (!(head >> AMDGPU_BITCODE_FULL & 1))
        return;
    wave->s[AMDGPU_EXEC] = UINT32_MAX;
    if (n == 64)
        wave->s[AMDGPU_EXEC + 1] = UINT32_MAX;
}

/* A function of amdgpu_bitcode_operands.h for waves of n. */
#define OF_WAVES(name, n) ((n) == 32 ? amdgpu_##name##_32 : amdgpu_##name##_64)

LANE const uint32_t *take(const struct amdgpu_wave *wave, const struct row *row, unsigned k,
                          const struct arguments *with, uint32_t *room, unsigned n)
{
    uint64_t edits = row->flags & AMDGPU_VALU_RAW_NEG ? 0 : with->edits;
    uint64_t word = with->words[k], value = with->values[k];
    if (k >= row->count)
        return NULL;
    if (row->flags & AMDGPU_VALU_MIX)
        return OF_WAVES(take_mix, n)(wave, k, edits, word, value, room);
    switch (row->types[k]) {
    case AMDGPU_MASK:
        return OF_WAVES(take_mask, n)(wave, k, edits, word, value, room);
    case AMDGPU_B16:
    case AMDGPU_I16:
    case AMDGPU_U16:
    case AMDGPU_F16:
    case AMDGPU_BF16:
        return OF_WAVES(take_16, n)(wave, k, edits, word, value, room);
    case AMDGPU_PK16:
    case AMDGPU_PKF16:
    case AMDGPU_PKBF16:
        return OF_WAVES(take_pair, n)(wave, k, edits, word, value, room);
    case AMDGPU_PKF32:
        return OF_WAVES(take_floats, n)(wave, k, edits, word, value, room);
    case AMDGPU_B128:
        return OF_WAVES(take_wide, n)(wave, k, edits, word, value, room);
    default:
        return amdgpu_valu_registers(row->types[k]) == 2
                   ? OF_WAVES(take_64, n)(wave, k, edits, word, value, room)
                   : OF_WAVES(take_32, n)(wave, k, edits, word, value, room);
    }
}

LANE void put(struct amdgpu_wave *wave, const struct row *row, const struct arguments *with,
              uint32_t *aside, unsigned n)
{
    switch (row->d) {
    case AMDGPU_MASK:
        OF_WAVES(put_test, n)(wave, with->head, with->bits, aside);
        break;
    case AMDGPU_B16:
    case AMDGPU_I16:
    case AMDGPU_U16:
    case AMDGPU_F16:
    case AMDGPU_BF16:
        OF_WAVES(put_half, n)(wave, with->head, with->bits, aside);
        break;
    case AMDGPU_B128:
        OF_WAVES(put_4, n)(wave, with->head, with->bits, aside);
        break;
    default:
        if (amdgpu_valu_registers(row->d) == 2)
            OF_WAVES(put_2, n)(wave, with->head, with->bits, aside);
        else
            OF_WAVES(put_1, n)(wave, with->head, with->bits, aside);
    }
}

/* The effect on the lanes from a first one on. */
LANE void apply(const struct amdgpu_wave *wave, const struct row *row, const struct arguments *with,
                uint32_t *d, uint32_t *d1, const uint32_t *const *s, unsigned first, unsigned n)
{
    unsigned edit =
        row->flags & AMDGPU_VALU_RAW_OP_SEL ? AMDGPU_BITCODE_OP_SEL : AMDGPU_BITCODE_NEG;
    uint64_t bits = with->edits >> edit & 0xff;
    row->apply(d + first, row->d1 == AMDGPU_MASK ? d1 + first : NULL, s[0] + first,
               row->count > 1 ? s[1] + first : NULL, row->count > 2 ? s[2] + first : NULL,
               row->count > 3 ? s[3] + first : NULL, first, n, wave->mode, bits);
}

LANE uint32_t run(struct amdgpu_wave *wave, const struct row *row, const struct arguments *with,
                  unsigned n)
{
    const uint64_t vcc = AMDGPU_LANE_MASK | 1 << 8 | AMDGPU_VCC << 16;
    struct room rooms[4], aside, masks;
    set_full(wave, with->head, n);
    /* Without loops, which would hide constants from the compiler until they are unrolled. */
    const uint32_t *const s[4] = {
        take(wave, row, 0, with, rooms[0].lanes, n), take(wave, row, 1, with, rooms[1].lanes, n),
        take(wave, row, 2, with, rooms[2].lanes, n),
        row->count > 3 ? OF_WAVES(take_mask, n)(wave, 3, 0, vcc, 0, rooms[3].lanes) : NULL};
    uint32_t *d = row->d == AMDGPU_MASK
                      ? aside.lanes
                      : OF_WAVES(result, n)(wave, with->head, with->bits, aside.lanes);
    apply(wave, row, with, d, masks.lanes, s, 0, n);
    apply(wave, row, with, d, masks.lanes, s, AMDGPU_BITCODE_CHUNK, n);
    if (n > 2 * AMDGPU_BITCODE_CHUNK) {
        apply(wave, row, with, d, masks.lanes, s, 2 * AMDGPU_BITCODE_CHUNK, n);
        apply(wave, row, with, d, masks.lanes, s, 3 * AMDGPU_BITCODE_CHUNK, n);
    }
    put(wave, row, with, aside.lanes, n);
    if (row->d1 == AMDGPU_MASK)
        OF_WAVES(put_mask, n)(wave, with->head, with->bits, masks.lanes);
    return 1;
}

/* ---- the functions ----------------------------------------------------------------------- */

#define FUNCTION(id, n, ...)                                                                       \
    uint32_t amdgpu_wave_##id##_##n(                                                               \
        struct amdgpu_wave *wave, uint64_t head, uint64_t bits, uint64_t edits, uint64_t word0,    \
        uint64_t value0, uint64_t word1, uint64_t value1, uint64_t word2, uint64_t value2)         \
    {                                                                                              \
        const struct row row = {amdgpu_effect_##id, __VA_ARGS__};                                  \
        const struct arguments with = {                                                            \
            head, bits, edits, {word0, word1, word2}, {value0, value1, value2}};                   \
        return run(wave, &row, &with, n);                                                          \
    }
#define TYPED_ROW(id, d, d1, count, a, b, c, e, flags)                                             \
    FUNCTION(id, 32, d, d1, count, {a, b, c, e}, flags)                                            \
    FUNCTION(id, 64, d, d1, count, {a, b, c, e}, flags)
#include "amdgpu_valu.def"
