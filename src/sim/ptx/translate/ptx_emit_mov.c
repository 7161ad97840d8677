/* Emits mov: registers, packing and unpacking, special registers; and the changes of element size
 * that other instructions need. */
#include "ptx_build.h"
#include "ptx_emit.h"

#include <string.h>

static ptx_handler move_handler(enum ptx_type type)
{
    static const ptx_handler movers[PTX_SLOT_CLASSES] = {
        ptx_run_move_mask, ptx_run_move_2, ptx_run_move_4, ptx_run_move_8, ptx_run_move_16};
    return movers[ptx_slot_class(type)];
}

void ptx_build_not(struct ptx_builder *builder, uint32_t d, uint32_t a)
{
    struct ptx_op *op = ptx_build_op(builder, ptx_run_move_mask);
    op->d = d;
    op->a = a;
    op->b = UINT32_MAX;
}

static unsigned width_of(enum ptx_type type)
{
    unsigned size = ptx_type_size(type);
    return size < 2 ? 2 : size;
}

void ptx_build_resize(struct ptx_builder *builder, uint32_t d, enum ptx_type to, uint32_t a,
                      enum ptx_type from)
{
    if (from == PTX_PRED || to == PTX_PRED) {
        ptx_build_error(builder, "a predicate cannot be used as a value");
        return;
    }
    unsigned wide = width_of(from), target = width_of(to);
    struct ptx_op *op = ptx_build_op(builder, ptx_run_resize);
    if (wide == 8 && target == 4)
        op->run = ptx_run_narrow_8_4;
    else if (wide == 4 && target == 2)
        op->run = ptx_run_narrow_4_2;
    op->d = d;
    op->a = a;
    op->b = ptx_type_size(from);
    op->c = wide;
    op->e = target;
    op->bits = from >= PTX_S8 && from <= PTX_S64;
}

void ptx_build_local_address(struct ptx_builder *builder, uint32_t d, enum ptx_type type,
                             uint64_t offset)
{
    struct ptx_op *op = ptx_build_op(builder, ptx_run_local_address);
    op->d = d;
    op->c = ptx_type_size(type) < 8 ? ptx_type_size(type) : 8;
    op->bits = offset;
}

static void set_pieces(struct ptx_pieces *pieces, const struct ptx_operand *vector,
                       enum ptx_type type)
{
    static const enum ptx_type types[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    pieces->count = vector->element_count;
    pieces->size = ptx_type_size(type) / pieces->count;
    pieces->width = width_of(types[pieces->size]);
}

static enum ptx_type piece_type(const struct ptx_pieces *pieces)
{
    return pieces->size == 1   ? PTX_B8
           : pieces->size == 2 ? PTX_B16
           : pieces->size == 4 ? PTX_B32
                               : PTX_B64;
}

static struct ptx_pieces *new_pieces(struct ptx_builder *builder, const struct ptx_operand *vector,
                                     enum ptx_type type)
{
    unsigned count = vector->element_count, size = ptx_type_size(type);
    if ((count != 2 && count != 4) || size % count) {
        ptx_build_error(builder, "mov of %u elements in %u bytes", count, size);
        return NULL;
    }
    struct ptx_pieces *pieces = ptx_build_alloc(builder, sizeof *pieces);
    if (pieces)
        set_pieces(pieces, vector, type);
    return pieces;
}

static enum ptx_type type_of(const struct ptx_inst *inst)
{
    struct ptx_access_modifiers modifiers;
    ptx_access_modifiers_read(inst, &modifiers);
    return modifiers.type;
}

void ptx_emit_pack(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    const struct ptx_operand *to = &inst->operands[0], *vector = &inst->operands[1];
    enum ptx_type type = type_of(inst);
    struct ptx_pieces *pieces = new_pieces(builder, vector, type);
    if (!pieces)
        return;
    for (unsigned i = 0; i < pieces->count; i++)
        pieces->slots[i] = ptx_build_source(builder, &vector->elements[i], piece_type(pieces));
    uint32_t d = ptx_build_destination(builder, to, type);
    bool two = pieces->count == 2;
    ptx_handler handler = two && pieces->size == 4   ? ptx_run_pack_2x4
                          : two && pieces->size == 2 ? ptx_run_pack_2x2
                                                     : ptx_run_pack;
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->d = d;
    op->extra = pieces;
    ptx_build_finish(builder, to, type, d);
}

void ptx_emit_unpack(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    const struct ptx_operand *vector = &inst->operands[0], *from = &inst->operands[1];
    enum ptx_type type = type_of(inst);
    struct ptx_pieces *pieces = new_pieces(builder, vector, type);
    if (!pieces)
        return;
    uint32_t a = ptx_build_source(builder, from, type);
    for (unsigned i = 0; i < pieces->count; i++)
        pieces->slots[i] = ptx_build_destination(builder, &vector->elements[i], piece_type(pieces));
    bool two = pieces->count == 2;
    ptx_handler handler = two && pieces->size == 4   ? ptx_run_unpack_2x4
                          : two && pieces->size == 2 ? ptx_run_unpack_2x2
                                                     : ptx_run_unpack;
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->a = a;
    op->extra = pieces;
    for (unsigned i = 0; i < pieces->count; i++)
        ptx_build_finish(builder, &vector->elements[i], piece_type(pieces), pieces->slots[i]);
}

void ptx_emit_move(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    const struct ptx_operand *to = &inst->operands[0], *from = &inst->operands[1];
    enum ptx_type type = type_of(inst);
    uint32_t d = ptx_build_destination(builder, to, type);
    bool special =
        from->kind == PTX_OP_SPECIAL && !from->negated &&
        ptx_slot_class(ptx_special_type((enum ptx_special)from->bits)) == ptx_slot_class(type);
    if (special) {
        ptx_build_special(builder, d, (enum ptx_special)from->bits);
    } else {
        uint32_t a = ptx_build_source(builder, from, type);
        struct ptx_op *op = ptx_build_op(builder, move_handler(type));
        op->d = d;
        op->a = a;
    }
    ptx_build_finish(builder, to, type, d);
}

/* ---- special registers ------------------------------------------------------------------- */

enum ptx_type ptx_special_type(enum ptx_special special)
{
    static const uint8_t types[PTX_SPECIAL_COUNT] = {
#define PTX_SPECIAL(id, name, type) [PTX_SPECIAL_##id] = PTX_##type,
#include "ptx_specials.def"
#undef PTX_SPECIAL
    };
    return special < PTX_SPECIAL_COUNT ? (enum ptx_type)types[special] : PTX_U32;
}

static ptx_handler special_handler(enum ptx_special special)
{
    if (special >= PTX_SPECIAL_TID_X && special <= PTX_SPECIAL_TID_Z)
        return ptx_run_special_tid;
    if (special == PTX_SPECIAL_LANEID ||
        (special >= PTX_SPECIAL_LANEMASK_EQ && special <= PTX_SPECIAL_LANEMASK_GT))
        return ptx_run_special_lane;
    if (special >= PTX_SPECIAL_CTAID_X && special <= PTX_SPECIAL_CTAID_Z)
        return ptx_run_special_block;
    enum ptx_type type = ptx_special_type(special);
    if (type == PTX_PRED)
        return ptx_run_special_mask;
    return ptx_type_size(type) == 8 ? ptx_run_special_8 : ptx_run_special_4;
}

void ptx_build_special(struct ptx_builder *builder, uint32_t d, enum ptx_special special)
{
    struct ptx_op *op = ptx_build_op(builder, special_handler(special));
    op->d = d;
    op->bits = special;
}
