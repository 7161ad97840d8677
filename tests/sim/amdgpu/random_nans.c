/* Changes the NaNs that an instruction has computed. */
#include "random_nans.h"

#include "../random_state.h"
#include "amdgpu_valu.h"

/* Exponents and quiet bits: of a float and a half, and of the upper half of a double. */
struct format {
    uint32_t exponent, quiet, sign;
};
static const struct format word = {0x7f800000, 0x00400000, 0x80000000};
static const struct format upper = {0x7ff00000, 0x00080000, 0x80000000};
static const struct format half = {0x7c00, 0x0200, 0x8000};
static const struct format brain = {0x7f80, 0x0040, 0x8000};

/* The value of bits with other ones, if they are a quiet NaN. */
static uint32_t other_nan(const struct format *format, uint32_t bits, uint64_t *state)
{
    uint32_t quiet = format->exponent | format->quiet;
    if ((bits & quiet) != quiet)
        return bits;
    return bits ^ (random_state_below(state, format->quiet) |
                   (random_state_below(state, 2) ? format->sign : 0));
}

/* Halves that are as before may not have been written. */
static uint32_t other_halves(const struct format *format, uint32_t bits, uint32_t before,
                             uint64_t *state)
{
    for (unsigned shift = 0; shift < 32; shift += 16) {
        uint32_t was = bits >> shift & 0xffff, other = other_nan(format, was, state);
        if (was != (before >> shift & 0xffff))
            bits ^= (was ^ other) << shift;
    }
    return bits;
}

/* The registers of a value in a lane: at[0], and at[next] of values of 64 bits. */
static void change(unsigned type, uint32_t *at, size_t next, const uint32_t *before,
                   uint64_t *state)
{
    uint32_t other;
    switch (type) {
    case AMDGPU_PKF32:
        at[next] = other_nan(&word, at[next], state);
        at[0] = other_nan(&word, at[0], state);
        return;
    case AMDGPU_F32:
        at[0] = other_nan(&word, at[0], state);
        return;
    case AMDGPU_F64:
        other = other_nan(&upper, at[next], state);
        if (other != at[next])
            at[0] = random_state_below(state, UINT32_MAX);
        at[next] = other;
        return;
    case AMDGPU_F16:
    case AMDGPU_PKF16:
        at[0] = other_halves(&half, at[0], before[0], state);
        return;
    case AMDGPU_BF16:
    case AMDGPU_PKBF16:
        at[0] = other_halves(&brain, at[0], before[0], state);
        return;
    default:
        return;
    }
}

static void change_result(struct amdgpu_wave *wave, const struct amdgpu_row *row,
                          const struct amdgpu_operand *dst, uint64_t exec, const uint32_t *before,
                          uint64_t *state)
{
    const struct amdgpu_valu_row *of = row ? amdgpu_valu_row(row->id) : NULL;
    if (!of || dst->kind != AMDGPU_VREG)
        return;
    for (uint64_t left = exec; left; left &= left - 1) {
        size_t lane = (size_t)__builtin_ctzll(left), at = dst->reg * (size_t)wave->lanes + lane;
        change(of->d, wave->v + at, wave->lanes, before + at, state);
    }
}

void random_nans_change(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t exec,
                        const uint32_t *before, uint64_t *state)
{
    const struct amdgpu_inst *inst = op->inst;
    if (inst->row->format < AMDGPU_VOP1 || inst->row->format > AMDGPU_VOPD)
        return;
    change_result(wave, inst->row, &inst->dst[0], exec, before, state);
    if (inst->format == AMDGPU_VOPD)
        change_result(wave, inst->row_y, &inst->dst_y, exec, before, state);
}
