/* Bitcode for compiled regions: each op of the interpreter as a function of its operands, which
 * calls the interpreter's own handler. Compiled by clang for each instruction set of the host
 * (PTX_ISA_NAME), and inlined into regions by jit; nothing of it is part of a library.
 *
 * A function gets the region's copy of the warp. It makes a warp of its own for the handler, in
 * which all lanes execute, or those of a guard: what it does not set, the handler does not use. */
#include "ptx_warp.h"

#include <stdint.h>

/* The copy is no wave. */
#define ptx_wave_of(warp) ((struct ptx_wave *)(warp)->private)
#define PTX_ALU_HANDLER   LANE
#define ALWAYS            static inline __attribute__((always_inline, unused))
#define OPERANDS          u64 d, u64 a, u64 b, u64 c, u64 e, u64 mods, u64 bits
#define FUNCTION(name)    uint32_t name(struct ptx_warp *warp, OPERANDS)
#define GUARDED(name)     uint32_t name(struct ptx_warp *warp, OPERANDS, u64 guard, u64 inverted)

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

ALWAYS u32 guard_mask(const struct ptx_warp *warp, u64 guard, u64 inverted)
{
    return *mask_slot(warp, (u32)guard) ^ (u32)inverted;
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

#define ARITHMETIC(name, handler)                                                                  \
    FUNCTION(ptx_wave_##name);                                                                     \
    FUNCTION(ptx_wave_##name)                                                                      \
    {                                                                                              \
        const struct ptx_op op = OP;                                                               \
        struct ptx_warp all;                                                                       \
        take_all(&all, warp);                                                                      \
        handler(&all, &op);                                                                        \
        warp->carry = all.carry;                                                                   \
        return 1;                                                                                  \
    }                                                                                              \
    GUARDED(ptx_wave_some_##name);                                                                 \
    GUARDED(ptx_wave_some_##name)                                                                  \
    {                                                                                              \
        const struct ptx_op op = OP;                                                               \
        struct ptx_warp some;                                                                      \
        take_some(&some, warp, guard_mask(warp, guard, inverted));                                 \
        handler(&some, &op);                                                                       \
        warp->carry = some.carry;                                                                  \
        return 1;                                                                                  \
    }

#define ROWS_ONCE(id) ARITHMETIC(id, plain_##id)
/* With modifiers, which are rare, the handler executes them. */
#define ROWS_TWICE(id)          ARITHMETIC(id, plain_##id)
#define ROWS_ROUND              ROWS_TWICE
#define ROWS_TEST               ROWS_ONCE
#define ROWS_TEST_TWICE         ROWS_TWICE
#define ROWS_SET                ROWS_ONCE
#define ROWS_LOOK               ROWS_ONCE
#define WAVE_ROW(id, kind, ...) ROWS_##kind(id)
#define ALU(id, opcode, pattern, operands, version, target, form, ...)                             \
    WAVE_FORM_##form(id, __VA_ARGS__)
/* Video instructions are large and rare: their handlers execute them. */
#define ALU_VIDEO(...)
#include "ptx_alu.def"
#undef ALU

/* ---- moves, special registers, addresses ------------------------------------------------------
 */

#define MOVE(name)                                                                                 \
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
        struct ptx_warp some;                                                                      \
        take_some(&some, warp, guard_mask(warp, guard, inverted));                                 \
        take_places(&some, warp);                                                                  \
        ptx_run_##name(&some, &op);                                                                \
        return 1;                                                                                  \
    }
MOVE(move_2)
MOVE(move_4)
MOVE(move_8)
MOVE(move_16)
MOVE(move_mask)
MOVE(resize)
MOVE(narrow_8_4)
MOVE(narrow_4_2)
MOVE(local_address)
MOVE(special_tid)
MOVE(special_lane)
MOVE(special_4)
MOVE(special_8)
MOVE(special_block)
MOVE(special_mask)
MOVE(shift_address)
MOVE(keep_address)

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

enum { FIRST, SECOND, LEAVE };

/* cost: what going to the first target takes from the budget; 0 for targets that come later. */
ALWAYS u32 go_back(struct ptx_warp *warp, u64 cost)
{
    if (cost && warp->budget - (int)cost <= 0)
        return LEAVE;
    warp->budget -= (int)cost;
    return FIRST;
}

uint32_t ptx_wave_jump(struct ptx_warp *warp, u64 cost);
uint32_t ptx_wave_jump(struct ptx_warp *warp, u64 cost)
{
    return go_back(warp, cost);
}

/* length: of the straight line that follows the branch. */
uint32_t ptx_wave_branch(struct ptx_warp *warp, u64 slot, u64 inverted, u64 cost, u64 length);
uint32_t ptx_wave_branch(struct ptx_warp *warp, u64 slot, u64 inverted, u64 cost, u64 length)
{
    u32 taken = guard_mask(warp, slot, inverted);
    if (taken == UINT32_MAX)
        return go_back(warp, cost);
    if (taken)
        return LEAVE;
    warp->steps += length;
    return SECOND;
}

/* Of an instruction that has no compiled form for some lanes: whether none executes it. */
uint32_t ptx_wave_none(struct ptx_warp *warp, u64 slot, u64 inverted);
uint32_t ptx_wave_none(struct ptx_warp *warp, u64 slot, u64 inverted)
{
    return guard_mask(warp, slot, inverted) == 0;
}
