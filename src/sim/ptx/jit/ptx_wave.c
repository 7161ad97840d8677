/* Bitcode for compiled regions: each op of the interpreter as a function of its operands, which
 * calls the interpreter's own handler. Compiled by clang for each instruction set of the host
 * (PTX_ISA_NAME), and inlined into regions by jit; nothing of it is part of a library.
 *
 * A function gets the region's copy of the warp. It makes a warp of its own for the handler, in
 * which all lanes execute, or those of a guard: what it does not set, the handler does not use. */
#include "ptx_warp.h"
#include "ptx_wave_access.h"

#include <stdint.h>

/* The copy is no wave. */
#define ptx_wave_of(warp) ((struct ptx_wave *)(warp)->private)
#define PTX_ALU_HANDLER   LANE
/* Handlers of exec that functions below call. */
#define PTX_HANDLER(name)                                                                          \
    __attribute__((always_inline))                                                                 \
    const struct ptx_op *ptx_run_##name(struct ptx_warp *warp, const struct ptx_op *op);
PTX_HANDLER(move_2)
PTX_HANDLER(move_4)
PTX_HANDLER(move_8)
PTX_HANDLER(move_16)
PTX_HANDLER(move_mask)
PTX_HANDLER(resize)
PTX_HANDLER(narrow_8_4)
PTX_HANDLER(narrow_4_2)
PTX_HANDLER(local_address)
PTX_HANDLER(pack)
PTX_HANDLER(unpack)
PTX_HANDLER(pack_2x4)
PTX_HANDLER(pack_2x2)
PTX_HANDLER(unpack_2x4)
PTX_HANDLER(unpack_2x2)
PTX_HANDLER(special_tid)
PTX_HANDLER(special_lane)
PTX_HANDLER(special_4)
PTX_HANDLER(special_8)
PTX_HANDLER(special_block)
PTX_HANDLER(special_mask)
PTX_HANDLER(shift_address)
PTX_HANDLER(keep_address)
#undef PTX_HANDLER

#include "ptx_alu.c"
#include "ptx_mov.c"
#include "ptx_special.c"
#include "ptx_address.c"

#include "ptx_wave_forms.h"
#include "ptx_wave_some.h"

/* ---- warps for handlers -------------------------------------------------------------- */

ALWAYS void take_all(struct ptx_warp *to, const struct ptx_warp *from)
{
    to->regs = from->regs;
    to->carry = from->carry;
    to->mask = to->alive = UINT32_MAX;
    to->whole = true;
    for (unsigned i = 0; i < PTX_LANES; i++)
        to->lanes[i] = -1;
}

ALWAYS void take_some(struct ptx_warp *to, const struct ptx_warp *from, u32 mask)
{
    to->regs = from->regs;
    to->carry = from->carry;
    to->mask = mask;
    to->alive = UINT32_MAX;
    to->whole = false;
    for (unsigned i = 0; i < PTX_LANES; i++)
        to->lanes[i] = mask & lane_bit[i] ? -1 : 0;
}

/* What handlers of special registers and of local memory read, too. */
ALWAYS void take_places(struct ptx_warp *to, const struct ptx_warp *from)
{
    to->number = from->number;
    to->block = from->block;
    to->launch = from->launch;
    to->shared_size = from->shared_size;
    to->local_offset = from->local_offset;
    to->private = from->private;
}

#define OP                                                                                         \
    {                                                                                              \
        .d = (u32)d, .a = (u32)a, .b = (u32)b, .c = (u32)c, .e = (u32)e, .mods = mods,             \
        .bits = bits                                                                               \
    }

/* ---- arithmetic ---------------------------------------------------------------------------- */

/* tests: the op may write a second predicate, which its bits announce. how: attributes. */
#define ARITHMETIC(name, handler, size, tests, how)                                                \
    how FUNCTION(ptx_wave_##name);                                                                 \
    FUNCTION(ptx_wave_##name)                                                                      \
    {                                                                                              \
        const struct ptx_op op = OP;                                                               \
        struct ptx_warp all;                                                                       \
        take_all(&all, warp);                                                                      \
        handler(&all, &op);                                                                        \
        warp->carry = all.carry;                                                                   \
        return 1;                                                                                  \
    }                                                                                              \
    how GUARDED(ptx_wave_some_##name);                                                             \
    GUARDED(ptx_wave_some_##name)                                                                  \
    {                                                                                              \
        const struct ptx_op op = OP;                                                               \
        const u32 mask = guard_mask(warp, guard, inverted);                                        \
        const bool second = (tests) && bits >> PTX_ALU_SECOND_SHIFT & 1;                           \
        const u64 other = second ? bits >> PTX_ALU_SECOND_SLOT : d;                                \
        const struct kept kept = keep(warp, d, size), also = keep(warp, other, sizeof(u32));       \
        struct ptx_warp all;                                                                       \
        take_all(&all, warp);                                                                      \
        handler(&all, &op);                                                                        \
        give_back(warp, d, size, &kept, mask);                                                     \
        if (second)                                                                                \
            give_back(warp, other, sizeof(u32), &also, mask);                                      \
        warp->carry = (all.carry & mask) | (warp->carry & ~mask);                                  \
        return 1;                                                                                  \
    }

/* Rows that look at modifiers have functions with and without them. What sets the host's rounding
 * mode has operands and results in memory, which keeps arithmetic of others out of it. */
#define WITHOUT(id, size, tests) ARITHMETIC(id, plain_##id, size, tests, )
#define WITH(id, size, tests)                                                                      \
    WITHOUT(id, size, tests)                                                                       \
    ARITHMETIC(modified_##id, modified_##id, size, tests, )
#define ROWS_ONCE(id, size)  WITHOUT(id, size, false)
#define ROWS_TWICE(id, size) WITH(id, size, false)
#define ROWS_ROUND(id, size)                                                                       \
    WITHOUT(id, size, false)                                                                       \
    ARITHMETIC(any_nan_##id, any_nan_##id, size, false, )                                          \
    ARITHMETIC(modified_##id, modified_##id, size, false, ASIDE)
#define ROWS_NUMBERS(id, size)                                                                     \
    WITHOUT(id, size, false)                                                                       \
    ARITHMETIC(modified_##id, modified_##id, size, false, ASIDE)
#define ROWS_TEST(id, size)           WITHOUT(id, size, true)
#define ROWS_TEST_TWICE(id, size)     WITH(id, size, true)
#define ROWS_SET(id, size)            WITHOUT(id, size, false)
#define ROWS_LOOK(id, size)           WITHOUT(id, size, true)
#define ROWS_CARRY(id, size)          WITHOUT(id, size, false)
#define WAVE_ROW(id, kind, size, ...) ROWS_##kind(id, WAVE_SIZE(size))
#define ALU(id, opcode, pattern, operands, version, target, form, ...)                             \
    WAVE_FORM_##form(id, __VA_ARGS__)
/* Video instructions are large and rare: their handlers execute them. */
#define ALU_VIDEO(...)
#include "ptx_alu.def"
#undef ALU

/* ---- moves, special registers, addresses ------------------------------------------------------
 */

/* size: of the result; 0: the op has it, and its handler has the mask. */
#define MOVE(name, size)                                                                           \
    FUNCTION(ptx_wave_##name);                                                                     \
    FUNCTION(ptx_wave_##name)                                                                      \
    {                                                                                              \
        const struct ptx_op op = OP;                                                               \
        struct ptx_warp all;                                                                       \
        take_all(&all, warp);                                                                      \
        take_places(&all, warp);                                                                   \
        ptx_run_##name(&all, &op);                                                                 \
        return 1;                                                                                  \
    }                                                                                              \
    GUARDED(ptx_wave_some_##name);                                                                 \
    GUARDED(ptx_wave_some_##name)                                                                  \
    {                                                                                              \
        const struct ptx_op op = OP;                                                               \
        const u32 mask = guard_mask(warp, guard, inverted);                                        \
        const struct kept kept = keep(warp, d, size);                                              \
        struct ptx_warp some;                                                                      \
        take_some(&some, warp, size ? UINT32_MAX : mask);                                          \
        some.whole = size != 0;                                                                    \
        take_places(&some, warp);                                                                  \
        ptx_run_##name(&some, &op);                                                                \
        if (size)                                                                                  \
            give_back(warp, d, size ? size : sizeof(u32), &kept, mask);                            \
        return 1;                                                                                  \
    }
MOVE(move_2, 64)
MOVE(move_4, 128)
MOVE(move_8, 256)
MOVE(move_16, 0)
MOVE(move_mask, 4)
MOVE(resize, 0)
MOVE(narrow_8_4, 128)
MOVE(narrow_4_2, 64)
MOVE(local_address, 0)
MOVE(special_tid, 128)
MOVE(special_lane, 128)
MOVE(special_4, 128)
MOVE(special_8, 256)
MOVE(special_block, 128)
MOVE(special_mask, 4)
MOVE(shift_address, 256)
MOVE(keep_address, 128)

/* mods: count, size and width of the pieces; b, c, e, bits: their slots. */
#define PIECES(name)                                                                               \
    FUNCTION(ptx_wave_##name);                                                                     \
    FUNCTION(ptx_wave_##name)                                                                      \
    {                                                                                              \
        const struct ptx_pieces pieces = {.count = mods & 0xff,                                    \
                                          .size = mods >> 8 & 0xff,                                \
                                          .width = mods >> 16 & 0xff,                              \
                                          .slots = {(u32)b, (u32)c, (u32)e, (u32)bits}};           \
        const struct ptx_op op = {.d = (u32)d, .a = (u32)a, .extra = &pieces};                     \
        struct ptx_warp all;                                                                       \
        take_all(&all, warp);                                                                      \
        ptx_run_##name(&all, &op);                                                                 \
        return 1;                                                                                  \
    }                                                                                              \
    GUARDED(ptx_wave_some_##name);                                                                 \
    GUARDED(ptx_wave_some_##name)                                                                  \
    {                                                                                              \
        const struct ptx_pieces pieces = {.count = mods & 0xff,                                    \
                                          .size = mods >> 8 & 0xff,                                \
                                          .width = mods >> 16 & 0xff,                              \
                                          .slots = {(u32)b, (u32)c, (u32)e, (u32)bits}};           \
        const struct ptx_op op = {.d = (u32)d, .a = (u32)a, .extra = &pieces};                     \
        struct ptx_warp some;                                                                      \
        take_some(&some, warp, guard_mask(warp, guard, inverted));                                 \
        ptx_run_##name(&some, &op);                                                                \
        return 1;                                                                                  \
    }
PIECES(pack)
PIECES(unpack)
PIECES(pack_2x4)
PIECES(pack_2x2)
PIECES(unpack_2x4)
PIECES(unpack_2x2)

/* ---- control ----------------------------------------------------------------------------------
 */

uint32_t ptx_wave_join(struct ptx_warp *warp, u64 length);
uint32_t ptx_wave_join(struct ptx_warp *warp, u64 length)
{
    warp->steps += length;
    return 1;
}

/* Where lanes go on: a branch's two ways, then the places of others that waited further behind. */
enum { TAKEN, OTHER, FIRST_PLACE, LEAVE = -1 };

/* Of a branch, as constants: places at which lanes wait have bits. */
struct ways {
    u64 places; /* to which the branch may go besides its own two, in the order of its targets */
    u64 joins; /* all that begin with a join, which takes a step from the budget where lanes wait */
};

/* As the interpreter does where lanes reconverge: those that wait at the place join; if some wait
 * further behind, in below, the furthest of them go on instead. bit: of the place; length: of the
 * line that the interpreter has begun then. */
ALWAYS u32 arrive(struct ptx_warp *warp, u32 way, u64 bit, u64 below, u64 length,
                  const struct ways *ways)
{
    if (__builtin_expect(warp->apart == 0, 1))
        return way;
    if (warp->apart & below) {
        const unsigned k = (unsigned)__builtin_ctzll(warp->apart);
        const u64 next = (u64)1 << k;
        warp->steps += length;
        warp->waiting[__builtin_ctzll(bit | (u64)1 << 63)] |= warp->now;
        warp->now = warp->waiting[k];
        warp->waiting[k] = 0;
        warp->apart = (warp->apart | bit) & ~next;
        warp->budget -= (ways->joins & next) != 0;
        return FIRST_PLACE + (u32)__builtin_popcountll(ways->places & (next - 1));
    }
    if (warp->apart & bit) {
        const unsigned here = (unsigned)__builtin_ctzll(bit | (u64)1 << 63);
        warp->now |= warp->waiting[here];
        warp->waiting[here] = 0;
        warp->apart &= ~bit;
    }
    warp->budget -= warp->apart != 0;
    return way;
}

/* Whether the interpreter is to find out that the budget is used up. Ways back ask, which have a
 * cost; the others take little, and may take more than there is. */
ALWAYS bool is_spent(const struct ptx_warp *warp, u64 cost)
{
    return cost && warp->budget - (int)(u32)cost <= -(int)(cost >> 32);
}

/* cost: what it takes from the budget, and in the upper half how much more may have been taken. */
#define TARGET_ARGUMENTS u64 cost, u64 bit, u64 below, u64 length

/* To a line that begins with a join, which counts its length unless others go on instead. */
uint32_t ptx_wave_jump(struct ptx_warp *warp, TARGET_ARGUMENTS, u64 places, u64 joins);
uint32_t ptx_wave_jump(struct ptx_warp *warp, TARGET_ARGUMENTS, u64 places, u64 joins)
{
    const struct ways ways = {places, joins};
    if (is_spent(warp, cost))
        return (u32)LEAVE;
    warp->budget -= (int)(u32)cost;
    return arrive(warp, TAKEN, bit, below, length, &ways);
}

/* Not taken. */
ALWAYS u32 go_on(struct ptx_warp *warp, u64 bit, u64 below, u64 length, u64 flags,
                 const struct ways *ways)
{
    warp->steps += length;
    u32 way = arrive(warp, OTHER, bit, below, 0, ways);
    if (flags & PTX_WAVE_JOINED)
        warp->budget -= way == OTHER && warp->apart;
    return way;
}

/* other_length: of the straight line that follows the branch. */
uint32_t ptx_wave_branch(struct ptx_warp *warp, u64 slot, u64 inverted, u64 flags, TARGET_ARGUMENTS,
                         u64 other_bit, u64 other_below, u64 other_length, u64 places, u64 joins);
uint32_t ptx_wave_branch(struct ptx_warp *warp, u64 slot, u64 inverted, u64 flags, TARGET_ARGUMENTS,
                         u64 other_bit, u64 other_below, u64 other_length, u64 places, u64 joins)
{
    const struct ways ways = {places, joins};
    const u32 taken = guard_mask(warp, slot, inverted);
    if (taken && (is_spent(warp, cost) || (flags & PTX_WAVE_AGREE && taken != warp->now)))
        return (u32)LEAVE;
    if (taken && (taken == warp->now || !(flags & PTX_WAVE_PARTS))) {
        warp->budget -= (int)(u32)cost;
        return arrive(warp, TAKEN, bit, below, length, &ways);
    }
    if (taken == 0)
        return go_on(warp, other_bit, other_below, other_length, flags, &ways);
    const bool first = flags & PTX_WAVE_TAKEN_FIRST;
    const u64 later = first ? other_bit : bit;
    warp->waiting[__builtin_ctzll(later | (u64)1 << 63)] |= first ? warp->now & ~taken : taken;
    warp->apart |= later;
    if (first) {
        warp->now = taken;
        warp->budget -= (int)(u32)cost;
        return arrive(warp, TAKEN, bit, below, length, &ways);
    }
    warp->now &= ~taken;
    return go_on(warp, other_bit, other_below, other_length, flags, &ways);
}

/* Of a branch whose target is in a table: which of its ways all lanes go, which four bits of one of
 * the tables say for each of the count targets. The interpreter parts lanes whose indices differ,
 * and reports those that are too large. */
uint32_t ptx_wave_indexed(struct ptx_warp *warp, u64 slot, u64 cost, u64 count, u64 table0,
                          u64 table1, u64 table2, u64 table3);
uint32_t ptx_wave_indexed(struct ptx_warp *warp, u64 slot, u64 cost, u64 count, u64 table0,
                          u64 table1, u64 table2, u64 table3)
{
    const slot_b32 *index = (const void *)(warp->regs + slot);
    u32 most = 0, least = UINT32_MAX;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        const u32 executes = warp->now & lane_bit[lane] ? UINT32_MAX : 0;
        const u32 high = index[lane] & executes, low = index[lane] | ~executes;
        most = high > most ? high : most;
        least = low < least ? low : least;
    }
    if (most != least || most >= count || is_spent(warp, cost))
        return (u32)LEAVE;
    warp->budget -= (int)(u32)cost;
    const u64 table = most < 16 ? table0 : most < 32 ? table1 : most < 48 ? table2 : table3;
    return (u32)(table >> (most % 16 * 4)) & 15;
}

/* Of an instruction that has no compiled form for some lanes: whether none executes it. */
uint32_t ptx_wave_none(struct ptx_warp *warp, u64 slot, u64 inverted);
uint32_t ptx_wave_none(struct ptx_warp *warp, u64 slot, u64 inverted)
{
    return guard_mask(warp, slot, inverted) == 0;
}
