/* The handlers of arithmetic: every row of ptx_alu.def applied to 32 lanes.
 *
 * Compiled once per instruction set of the host (PTX_ISA_NAME). A handler computes all lanes, which
 * the compiler turns into vectors, directly into the destination if all lanes execute, otherwise
 * into a buffer from which it copies those of the mask. Rows that depend on modifiers have two
 * handlers: without any, and with those of the op. */
#include "ptx_alu_approx.h"
#include "ptx_alu_float.h"
#include "ptx_alu_half.h"
#include "ptx_alu_int.h"
#include "ptx_alu_lanes.h"
#include "ptx_alu_video.h"

/* Bitcode of the rows (ptx_wave.c) includes this file, and takes its handlers and no table. */
#if !defined(PTX_ALU_HANDLER)
#define PTX_ALU_HANDLER static
#define PTX_ALU_TABLE   1
#else
#define PTX_ALU_TABLE 0
#endif

/* ---- handlers ---------------------------------------------------------------- */

#define ONCE(id, ...)                                                                              \
    PTX_ALU_HANDLER const struct ptx_op *plain_##id(struct ptx_warp *warp,                         \
                                                    const struct ptx_op *op)                       \
    {                                                                                              \
        const u64 mods = op->mods;                                                                 \
        (void)mods;                                                                                \
        __VA_ARGS__                                                                                \
        return op + 1;                                                                             \
    }
#define TWICE(id, ...)                                                                             \
    LANE void apply_##id(struct ptx_warp *warp, const struct ptx_op *op, const u64 mods)           \
    {                                                                                              \
        (void)mods;                                                                                \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    PTX_ALU_HANDLER const struct ptx_op *plain_##id(struct ptx_warp *warp,                         \
                                                    const struct ptx_op *op)                       \
    {                                                                                              \
        apply_##id(warp, op, 0);                                                                   \
        return op + 1;                                                                             \
    }                                                                                              \
    PTX_ALU_HANDLER const struct ptx_op *modified_##id(struct ptx_warp *warp,                      \
                                                       const struct ptx_op *op)                    \
    {                                                                                              \
        apply_##id(warp, op, op->mods);                                                            \
        return op + 1;                                                                             \
    }                                                                                              \
    ANY_NAN_TOO(id)
/* Of bitcode alone. */
#if PTX_ALU_TABLE
#define ANY_NAN_TOO(id)
#else
#define ANY_NAN_TOO(id)                                                                            \
    PTX_ALU_HANDLER const struct ptx_op *any_nan_##id(struct ptx_warp *warp,                       \
                                                      const struct ptx_op *op)                     \
    {                                                                                              \
        apply_##id(warp, op, PTX_ALU_ANY_NAN);                                                     \
        return op + 1;                                                                             \
    }
#endif

/* ---- sources, results -------------------------------------------------------------- */

#define OPEN(T, name) const source_##T name##_at = source_of_##T(warp, op->name);
#define TAKE(T, name)                                                                              \
    T name = load_##T(name##_at, i);                                                               \
    (void)name;

#define OPEN1(A)          OPEN(A, a)
#define OPEN2(A, B)       OPEN1(A) OPEN(B, b)
#define OPEN3(A, B, C)    OPEN2(A, B) OPEN(C, c)
#define OPEN4(A, B, C, E) OPEN3(A, B, C) OPEN(E, e)
#define TAKE1(A)          TAKE(A, a)
#define TAKE2(A, B)       TAKE1(A) TAKE(B, b)
#define TAKE3(A, B, C)    TAKE2(A, B) TAKE(C, c)
#define TAKE4(A, B, C, E) TAKE3(A, B, C) TAKE(E, e)

/* begin: before the loop; end: after it. */
#define FOR_LANES(count, D, open, take, begin, end, ...)                                           \
    open;                                                                                          \
    const u32 immediate = (u32)op->bits & PTX_ALU_IMMEDIATE;                                       \
    (void)immediate;                                                                               \
    slot_##D aside[count] __attribute__((aligned(64)));                                            \
    slot_##D *results = warp->whole ? (slot_##D *)(warp->regs + op->d) : aside;                    \
    begin;                                                                                         \
    INDEPENDENT for (unsigned i = 0; i < count; ++i)                                               \
    {                                                                                              \
        take;                                                                                      \
        D d;                                                                                       \
        __VA_ARGS__;                                                                               \
        results[i] = (slot_##D)d;                                                                  \
    }                                                                                              \
    end;                                                                                           \
    masked_write(warp, warp->regs + op->d, results, sizeof aside / PTX_LANES);

#define FOR_TESTS(count, open, take, ...)                                                          \
    open;                                                                                          \
    s32 results[count] __attribute__((aligned(64)));                                               \
    INDEPENDENT for (unsigned i = 0; i < count; ++i)                                               \
    {                                                                                              \
        take;                                                                                      \
        bool d;                                                                                    \
        __VA_ARGS__;                                                                               \
        results[i] = d ? -1 : 0;                                                                   \
    }

/* ---- forms ------------------------------------------------------------------------- */

#define LANES1(id, D, A, ...) ONCE(id, FOR_LANES(32, D, OPEN1(A), TAKE1(A), , , __VA_ARGS__))
#define LANES2(id, D, A, B, ...)                                                                   \
    ONCE(id, FOR_LANES(32, D, OPEN2(A, B), TAKE2(A, B), , , __VA_ARGS__))
#define LANES3(id, D, A, B, C, ...)                                                                \
    ONCE(id, FOR_LANES(32, D, OPEN3(A, B, C), TAKE3(A, B, C), , , __VA_ARGS__))
#define LANES4(id, D, A, B, C, E, ...)                                                             \
    ONCE(id, FOR_LANES(32, D, OPEN4(A, B, C, E), TAKE4(A, B, C, E), , , __VA_ARGS__))

#define MODES1(id, D, A, ...) TWICE(id, FOR_LANES(32, D, OPEN1(A), TAKE1(A), , , __VA_ARGS__))
#define MODES2(id, D, A, B, ...)                                                                   \
    TWICE(id, FOR_LANES(32, D, OPEN2(A, B), TAKE2(A, B), , , __VA_ARGS__))
#define MODES3(id, D, A, B, C, ...)                                                                \
    TWICE(id, FOR_LANES(32, D, OPEN3(A, B, C), TAKE3(A, B, C), , , __VA_ARGS__))

/* Halves are widened and narrowed many at a time where there are no modifiers. effect: an
 * expression of f32. */
#define WIDEN(name)                                                                                \
    f32 name##_wide[count_wide] __attribute__((aligned(64)));                                      \
    widen_halves(name##_wide, name##_at, count_wide);
#define TAKE_WIDE(name)    const f32 name = name##_wide[i];
#define TAKE_FLUSHED(name) const f32 name = widen_f16(flush_f16(load_f16(name##_at, i), mods));
#define EACH1(macro)       macro(a)
#define EACH2(macro)       EACH1(macro) macro(b)
#define EACH3(macro)       EACH2(macro) macro(c)
#define OPEN2_f16          OPEN2(f16, f16)
#define OPEN3_f16          OPEN3(f16, f16, f16)
#define FOR_WIDE(count, open, each, effect)                                                        \
    enum { count_wide = count };                                                                   \
    open;                                                                                          \
    f32 sums[count] __attribute__((aligned(64)));                                                  \
    slot_f16 aside[count] __attribute__((aligned(64)));                                            \
    slot_f16 *results = warp->whole ? (slot_f16 *)(warp->regs + op->d) : aside;                    \
    each(WIDEN) INDEPENDENT for (unsigned i = 0; i < count; ++i)                                   \
    {                                                                                              \
        each(TAKE_WIDE) sums[i] = with_nan_half(effect);                                           \
    }                                                                                              \
    narrow_halves(results, sums, count);                                                           \
    masked_write(warp, warp->regs + op->d, results, sizeof aside / PTX_LANES);
#define WIDE_ROW(id, count, open, each, effect)                                                    \
    PTX_ALU_HANDLER const struct ptx_op *plain_##id(struct ptx_warp *warp,                         \
                                                    const struct ptx_op *op)                       \
    {                                                                                              \
        FOR_WIDE(count, open, each, effect)                                                        \
        return op + 1;                                                                             \
    }                                                                                              \
    PTX_ALU_HANDLER const struct ptx_op *modified_##id(struct ptx_warp *warp,                      \
                                                       const struct ptx_op *op)                    \
    {                                                                                              \
        const u64 mods = op->mods;                                                                 \
        FOR_LANES(count, f16, open, each(TAKE_FLUSHED), , , d = finish_f16(effect, mods))          \
        return op + 1;                                                                             \
    }
#define WIDES2(id, D, A, B, effect)        WIDE_ROW(id, 32, OPEN2_f16, EACH2, effect)
#define WIDES3(id, D, A, B, C, effect)     WIDE_ROW(id, 32, OPEN3_f16, EACH3, effect)
#define WIDEPAIRS2(id, D, A, B, effect)    WIDE_ROW(id, 64, OPEN2_f16, EACH2, effect)
#define WIDEPAIRS3(id, D, A, B, C, effect) WIDE_ROW(id, 64, OPEN3_f16, EACH3, effect)

#define ROUND_BEGIN                        unsigned saved = round_begin(mods)
#define ROUND_END                          round_end(mods, saved, results)
#define ROUND1(id, D, A, ...)                                                                      \
    TWICE(id, FOR_LANES(32, D, OPEN1(A), TAKE1(A), ROUND_BEGIN, ROUND_END, __VA_ARGS__))
#define ROUND2(id, D, A, B, ...)                                                                   \
    TWICE(id, FOR_LANES(32, D, OPEN2(A, B), TAKE2(A, B), ROUND_BEGIN, ROUND_END, __VA_ARGS__))
#define ROUND3(id, D, A, B, C, ...)                                                                \
    TWICE(id, FOR_LANES(32, D, OPEN3(A, B, C), TAKE3(A, B, C), ROUND_BEGIN, ROUND_END, __VA_ARGS__))

/* Of f64, whose NaNs take longer than the rest: number is the result of lanes in which it is one,
 * as it nearly always is in all of them. exact_ gets copies of the operands, and puts results in
 * place of the first, so that regions do not have to keep values in memory for it. */
#define COPY(name)                                                                                 \
    f64 name##_copy[PTX_LANES] __attribute__((aligned(64)));                                       \
    memcpy(name##_copy, name##_at, sizeof name##_copy);
#define EXACT(id, arguments, take, ...)                                                            \
    static __attribute__((noinline, cold)) void exact_##id(arguments)                              \
    {                                                                                              \
        INDEPENDENT for (unsigned i = 0; i < PTX_LANES; ++i)                                       \
        {                                                                                          \
            take;                                                                                  \
            f64 d;                                                                                 \
            __VA_ARGS__;                                                                           \
            a_at[i] = d;                                                                           \
        }                                                                                          \
    }
#define PLAIN_NUMBERS(id, open, take, number, each, ...)                                           \
    PTX_ALU_HANDLER const struct ptx_op *plain_##id(struct ptx_warp *warp,                         \
                                                    const struct ptx_op *op)                       \
    {                                                                                              \
        open;                                                                                      \
        f64 results[PTX_LANES] __attribute__((aligned(64)));                                       \
        INDEPENDENT for (unsigned i = 0; i < PTX_LANES; ++i)                                       \
        {                                                                                          \
            take;                                                                                  \
            results[i] = number;                                                                   \
        }                                                                                          \
        if (__builtin_expect(has_nan(results), 0)) {                                               \
            each(COPY) exact_##id(__VA_ARGS__);                                                    \
            memcpy(results, a_copy, sizeof results);                                               \
        }                                                                                          \
        write_numbers(warp, op->d, results);                                                       \
        return op + 1;                                                                             \
    }
#define MODIFIED_NUMBERS(id, open, take, ...)                                                      \
    PTX_ALU_HANDLER const struct ptx_op *modified_##id(struct ptx_warp *warp,                      \
                                                       const struct ptx_op *op)                    \
    {                                                                                              \
        const u64 mods = op->mods;                                                                 \
        FOR_LANES(32, f64, open, take, ROUND_BEGIN, ROUND_END, __VA_ARGS__)                        \
        return op + 1;                                                                             \
    }
#define FROM(name) f64 *name##_at
#define NUMBERS1(id, D, A, number, ...)                                                            \
    EXACT(id, FROM(a), TAKE1(f64), __VA_ARGS__)                                                    \
    PLAIN_NUMBERS(id, OPEN1(f64), TAKE1(f64), number, EACH1, a_copy)                               \
    MODIFIED_NUMBERS(id, OPEN1(f64), TAKE1(f64), __VA_ARGS__)
#define FROM2 FROM(a), FROM(b)
#define NUMBERS2(id, D, A, B, number, ...)                                                         \
    EXACT(id, FROM2, TAKE2(f64, f64), __VA_ARGS__)                                                 \
    PLAIN_NUMBERS(id, OPEN2(f64, f64), TAKE2(f64, f64), number, EACH2, a_copy, b_copy)             \
    MODIFIED_NUMBERS(id, OPEN2(f64, f64), TAKE2(f64, f64), __VA_ARGS__)
#define FROM3 FROM2, FROM(c)
#define NUMBERS3(id, D, A, B, C, number, ...)                                                      \
    EXACT(id, FROM3, TAKE3(f64, f64, f64), __VA_ARGS__)                                            \
    PLAIN_NUMBERS(id, OPEN3(f64, f64, f64), TAKE3(f64, f64, f64), number, EACH3, a_copy, b_copy,   \
                  c_copy)                                                                          \
    MODIFIED_NUMBERS(id, OPEN3(f64, f64, f64), TAKE3(f64, f64, f64), __VA_ARGS__)

#define PAIRS2(id, D, A, B, ...)                                                                   \
    ONCE(id, FOR_LANES(64, D, OPEN2(A, B), TAKE2(A, B), , , __VA_ARGS__))
#define MODEPAIRS1(id, D, A, ...) TWICE(id, FOR_LANES(64, D, OPEN1(A), TAKE1(A), , , __VA_ARGS__))
#define MODEPAIRS2(id, D, A, B, ...)                                                               \
    TWICE(id, FOR_LANES(64, D, OPEN2(A, B), TAKE2(A, B), , , __VA_ARGS__))
#define MODEPAIRS3(id, D, A, B, C, ...)                                                            \
    TWICE(id, FOR_LANES(64, D, OPEN3(A, B, C), TAKE3(A, B, C), , , __VA_ARGS__))

#define WRITE_TEST                                                                                 \
    u32 holds = (u32)lane_signs(results, PTX_LANES);                                               \
    write_test(warp, op, holds, ~holds);
#define TEST1(id, A, ...) ONCE(id, FOR_TESTS(32, OPEN1(A), TAKE1(A), __VA_ARGS__) WRITE_TEST)
#define TEST2(id, A, B, ...)                                                                       \
    ONCE(id, FOR_TESTS(32, OPEN2(A, B), TAKE2(A, B), __VA_ARGS__) WRITE_TEST)
#define MODETEST2(id, A, B, ...)                                                                   \
    TWICE(id, FOR_TESTS(32, OPEN2(A, B), TAKE2(A, B), __VA_ARGS__) WRITE_TEST)
#define TESTPAIR(id, A, B, ...)                                                                    \
    ONCE(id, FOR_TESTS(64, OPEN2(A, B), TAKE2(A, B), __VA_ARGS__) write_halves(warp, op, results);)

/* Low halves have even indices. */
static void write_halves(const struct ptx_warp *warp, const struct ptx_op *op, const s32 *results)
{
    s32 halves[2][PTX_LANES] __attribute__((aligned(64)));
    for (unsigned i = 0; i < PTX_LANES; ++i) {
        halves[0][i] = results[2 * i];
        halves[1][i] = results[2 * i + 1];
    }
    write_test(warp, op, (u32)lane_signs(halves[0], PTX_LANES),
               (u32)lane_signs(halves[1], PTX_LANES));
}

/* set: the op has the relation. */
LANE bool holds_in(const struct ptx_op *op, u32 relation, bool with)
{
    bool holds = op->bits >> PTX_ALU_COMPARE_SHIFT & relation;
    switch ((enum ptx_alu_combine)(op->bits >> PTX_ALU_COMBINE_SHIFT & 3)) {
    case PTX_ALU_AND:
        return holds & with;
    case PTX_ALU_OR:
        return holds | with;
    case PTX_ALU_XOR:
        return holds ^ with;
    default:
        return holds;
    }
}
#define holds(relation) holds_in(op, relation, c)
#define SET2(id, D, A, B, ...)                                                                     \
    ONCE(id, FOR_LANES(32, D, OPEN3(A, B, pred), TAKE3(A, B, pred), , , __VA_ARGS__))

#define WORDS1(id, ...)                                                                            \
    ONCE(id, const u32 a = *mask_slot(warp, op->a); u32 d; __VA_ARGS__;                            \
         write_predicate(warp, op->d, d);)
#define WORDS2(id, ...)                                                                            \
    ONCE(id, const u32 a = *mask_slot(warp, op->a); const u32 b = *mask_slot(warp, op->b); u32 d;  \
         __VA_ARGS__; write_predicate(warp, op->d, d);)

/* The flag changes only with .cc. */
#define CARRY_BEGIN                                                                                \
    s32 carries[PTX_LANES] __attribute__((aligned(64)));                                           \
    const u32 carry = warp->carry
#define CARRY_TAKE                                                                                 \
    const bool in = (carry & lane_bit[i]) != 0;                                                    \
    bool out = false;                                                                              \
    (void)in;
#define CARRY_END                                                                                  \
    if (mods & PTX_MOD_CC)                                                                         \
    warp->carry = (carry & ~warp->mask) | ((u32)lane_signs(carries, PTX_LANES) & warp->mask)
#define CARRY2(id, D, A, B, ...)                                                                   \
    ONCE(id, FOR_LANES(32, D, OPEN2(A, B), TAKE2(A, B) CARRY_TAKE, CARRY_BEGIN, CARRY_END,         \
                       __VA_ARGS__;                                                                \
                       carries[i] = out ? -1 : 0))
#define CARRY3(id, D, A, B, C, ...)                                                                \
    ONCE(id, FOR_LANES(32, D, OPEN3(A, B, C), TAKE3(A, B, C) CARRY_TAKE, CARRY_BEGIN, CARRY_END,   \
                       __VA_ARGS__;                                                                \
                       carries[i] = out ? -1 : 0))

/* lop3 whose second destination is whether the result is not zero. */
#define LOP3(id, ...)                                                                              \
    ONCE(id, s32 results[PTX_LANES] __attribute__((aligned(64))); lop3_test(warp, op, results);)
static void lop3_test(struct ptx_warp *warp, const struct ptx_op *op, s32 *results)
{
    OPEN3(u32, u32, u32)
    u32 aside[PTX_LANES];
    for (unsigned i = 0; i < PTX_LANES; ++i) {
        aside[i] = lookup(a_at[i], b_at[i], c_at[i], (u32)op->bits & PTX_ALU_IMMEDIATE);
        results[i] = aside[i] ? -1 : 0;
    }
    u32 p = (u32)lane_signs(results, PTX_LANES), with = *mask_slot(warp, op->e);
    bool both = (op->bits >> PTX_ALU_COMBINE_SHIFT & 3) == PTX_ALU_AND;
    masked_write(warp, warp->regs + op->d, aside, sizeof *aside);
    if (op->bits >> PTX_ALU_SECOND_SHIFT & 1)
        write_predicate(warp, (u32)(op->bits >> PTX_ALU_SECOND_SLOT), both ? p & with : p | with);
}

#define ALU(id, opcode, pattern, operands, version, target, form, ...) form(id, __VA_ARGS__)
#include "ptx_alu.def"
#undef ALU

/* ---- the table ------------------------------------------------------------------------ */

#if PTX_ALU_TABLE
#define ROW_ONCE(id)     [PTX_ALU_##id] = {plain_##id, plain_##id},
#define ROW_TWICE(id)    [PTX_ALU_##id] = {plain_##id, modified_##id},
#define ROW_LANES1       ROW_ONCE
#define ROW_LANES2       ROW_ONCE
#define ROW_LANES3       ROW_ONCE
#define ROW_LANES4       ROW_ONCE
#define ROW_MODES1       ROW_TWICE
#define ROW_MODES2       ROW_TWICE
#define ROW_MODES3       ROW_TWICE
#define ROW_ROUND1       ROW_TWICE
#define ROW_ROUND2       ROW_TWICE
#define ROW_ROUND3       ROW_TWICE
#define ROW_NUMBERS1     ROW_TWICE
#define ROW_NUMBERS2     ROW_TWICE
#define ROW_NUMBERS3     ROW_TWICE
#define ROW_PAIRS2       ROW_ONCE
#define ROW_MODEPAIRS1   ROW_TWICE
#define ROW_MODEPAIRS2   ROW_TWICE
#define ROW_MODEPAIRS3   ROW_TWICE
#define ROW_WIDES2       ROW_TWICE
#define ROW_WIDES3       ROW_TWICE
#define ROW_WIDEPAIRS2   ROW_TWICE
#define ROW_WIDEPAIRS3   ROW_TWICE
#define ROW_TEST1        ROW_ONCE
#define ROW_TEST2        ROW_ONCE
#define ROW_MODETEST2    ROW_TWICE
#define ROW_TESTPAIR     ROW_ONCE
#define ROW_SET2         ROW_ONCE
#define ROW_WORDS1       ROW_ONCE
#define ROW_WORDS2       ROW_ONCE
#define ROW_CARRY2       ROW_ONCE
#define ROW_CARRY3       ROW_ONCE
#define ROW_LOP3         ROW_ONCE

#define JOIN(a, b)       JOIN_AGAIN(a, b)
#define JOIN_AGAIN(a, b) a##b
const ptx_handler JOIN(ptx_alu_handlers_, PTX_ISA_NAME)[PTX_ALU_COUNT][2] = {
#define ALU(id, opcode, pattern, operands, version, target, form, ...) ROW_##form(id)
#include "ptx_alu.def"
#undef ALU
};
#endif
