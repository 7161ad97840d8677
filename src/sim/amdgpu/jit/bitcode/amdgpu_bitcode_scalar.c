/* Scalar instructions, branches and the wave's counters. */
#include "amdgpu_bitcode_memory.h"

#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)

/* Names that others have. */
#define absolute scalar_absolute
#define low_bits scalar_low_bits
#define extend   scalar_extend
#define reverse  scalar_reverse
#define rows     scalar_rows
#include "amdgpu_scalar.c"
#undef rows
#undef absolute
#undef low_bits
#undef extend
#undef reverse

/* full: 0, or the lanes of the wave, all of which are live. */
LANE void say_full(struct amdgpu_wave *wave, u64 full)
{
    if (full)
        wave->s[AMDGPU_EXEC] = UINT32_MAX;
    if (full == 64)
        wave->s[AMDGPU_EXEC + 1] = UINT32_MAX;
}

#pragma clang attribute pop

/* So many ops are executed. */
uint32_t amdgpu_wave_count(struct amdgpu_wave *wave, u64 ops)
{
    wave->left -= (int)ops;
    return 1;
}

/* The next op is on another page. */
uint32_t amdgpu_wave_turn_page(struct amdgpu_wave *wave, u64 page)
{
    wave->page = (const struct amdgpu_page *)(uintptr_t)page;
    return 1;
}

/* The address of what is at an offset of a page. */
uint32_t amdgpu_wave_get_pc(struct amdgpu_wave *wave, u64 reg, u64 page, u64 offset)
{
    const struct amdgpu_page *here = (const struct amdgpu_page *)(uintptr_t)page;
    amdgpu_set_s64(wave, (unsigned)reg, here->address + offset);
    return 1;
}

LANE bool is_full(const struct amdgpu_wave *wave, u64 lanes)
{
    return lanes == 64 ? (wave->s[AMDGPU_EXEC] & wave->s[AMDGPU_EXEC + 1]) == UINT32_MAX
                       : wave->s[AMDGPU_EXEC] == UINT32_MAX;
}

LANE bool mask_is_zero(const struct amdgpu_wave *wave, unsigned reg, u64 lanes)
{
    return lanes == 64 ? !(wave->s[reg] | wave->s[reg + 1]) : !wave->s[reg];
}

/* 0 if all lanes are live, 1 if not. */
uint32_t amdgpu_wave_is_parted(struct amdgpu_wave *wave, u64 lanes)
{
    return !is_full(wave, lanes);
}

/* 0 if all lanes are live, 1 if none is, 2 otherwise. */
uint32_t amdgpu_wave_lanes(struct amdgpu_wave *wave, u64 lanes)
{
    return is_full(wave, lanes) ? 0 : mask_is_zero(wave, AMDGPU_EXEC, lanes) ? 1 : 2;
}

/* A branch: 1 if it is taken, 0 if not, 2 if the wave's turn is over. back: NULL, or the op of a
 * branch that goes backwards. */
LANE uint32_t branch(struct amdgpu_wave *wave, bool taken, u64 back)
{
    if (back && taken) {
        if (wave->left <= 0)
            return 2;
        wave->loop = (const struct amdgpu_op *)(uintptr_t)back;
    }
    wave->left--;
    return taken;
}
#define BRANCH(name, condition)                                                                    \
    uint32_t amdgpu_wave_branch_##name(struct amdgpu_wave *wave, u64 lanes, u64 back)              \
    {                                                                                              \
        (void)lanes;                                                                               \
        return branch(wave, condition, back);                                                      \
    }
/* Which has one target. */
uint32_t amdgpu_wave_branch_always(struct amdgpu_wave *wave, u64 lanes, u64 back)
{
    (void)lanes;
    return branch(wave, true, back) - 1;
}
BRANCH(scc0, !wave->scc)
BRANCH(scc1, wave->scc)
BRANCH(vccz, mask_is_zero(wave, AMDGPU_VCC, lanes))
BRANCH(vccnz, !mask_is_zero(wave, AMDGPU_VCC, lanes))
BRANCH(execz, mask_is_zero(wave, AMDGPU_EXEC, lanes))
BRANCH(execnz, !mask_is_zero(wave, AMDGPU_EXEC, lanes))
#undef BRANCH

/* ---- lanes to scalars ---------------------------------------------------------------------- */

/* The value of one lane; lane: UINT64_MAX: of the first live one. */
#define READ_LANE(n)                                                                               \
    uint32_t amdgpu_wave_read_lane_##n(struct amdgpu_wave *wave, u64 dst, u64 reg, u64 lane,       \
                                       u64 full)                                                   \
    {                                                                                              \
        const u32 *v = destination(wave, (unsigned)reg, n);                                        \
        u64 exec = full ? everyone(n) : amdgpu_exec_of(wave, n);                                   \
        if (lane != UINT64_MAX || full) {                                                          \
            wave->s[dst] = v[lane == UINT64_MAX ? 0 : lane];                                       \
            return 1;                                                                              \
        }                                                                                          \
        ROOM(copy, 1);                                                                             \
        memcpy(copy, v, sizeof(u32) * n);                                                          \
        wave->s[dst] = copy[exec ? __builtin_ctzll(exec) : 0];                                     \
        return 1;                                                                                  \
    }
READ_LANE(32)
READ_LANE(64)
#undef READ_LANE

/* ---- scalar instructions ------------------------------------------------------------------- */

#define SCALAR(id)                                                                                 \
    uint32_t amdgpu_wave_##id(struct amdgpu_wave *wave, u64 dst, u64 word0, u64 value0, u64 word1, \
                              u64 value1, u64 constant, u64 full)                                  \
    {                                                                                              \
        struct amdgpu_op op = {.dst = (unsigned short)dst,                                         \
                               .src = {source_of(word0, value0), source_of(word1, value1)},        \
                               .imm = constant};                                                   \
        say_full(wave, full);                                                                      \
        exec_##id(wave, &op);                                                                      \
        return 1;                                                                                  \
    }
#define TWO(id, ...)              SCALAR(id)
#define ONE(id, ...)              SCALAR(id)
#define CHANGE(id, ...)           SCALAR(id)
#define CONSTANT(id, ...)         SCALAR(id)
#define COMPARE(id, ...)          SCALAR(id)
#define COMPARE_CONSTANT(id, ...) SCALAR(id)
#define SAVE(id, ...)             SCALAR(id)
#define WRITE(id, ...)            SCALAR(id)
#include "amdgpu_scalar.def"

/* ---- scalar loads ------------------------------------------------------------------------ */

/* Within one granule; index: 128, or the register of an offset. */
#define SCALAR_LOAD(words)                                                                         \
    uint32_t amdgpu_wave_load_scalar_##words(struct amdgpu_wave *wave, u64 device, u64 dst,        \
                                             u64 base, u64 offset, u64 index, u64 space)           \
    {                                                                                              \
        u64 at = amdgpu_s64(wave, (unsigned)base) + offset;                                        \
        if (index < AMDGPU_SREGS)                                                                  \
            at += wave->s[index];                                                                  \
        at &= ~UINT64_C(3);                                                                        \
        atomic_signal_fence(memory_order_seq_cst);                                                 \
        const unsigned char *where =                                                               \
            find_bytes((const struct sim_space *)(uintptr_t)space, (int)device, at, 4 * words);    \
        if (!where)                                                                                \
            return 0;                                                                              \
        for (unsigned i = 0; i < words; ++i)                                                       \
            wave->s[dst + i] = ((const any32 *)(const void *)where)[i];                            \
        return 1;                                                                                  \
    }
SCALAR_LOAD(1)
SCALAR_LOAD(2)
SCALAR_LOAD(4)
SCALAR_LOAD(8)
SCALAR_LOAD(16)
#undef SCALAR_LOAD
