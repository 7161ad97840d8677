/* mov: registers, packing and unpacking; and the changes of element size that other
 * instructions ask for. */
#include "ptx_warp.h"

#include <string.h>

/* ---- whole registers: d from a ------------------------------------------------------- */

typedef uint64_t part __attribute__((vector_size(16)));

__attribute__((always_inline)) static inline const struct ptx_op *
move(struct ptx_warp *warp, const struct ptx_op *op, unsigned size)
{
    unsigned char *d = warp->regs + op->d;
    const unsigned char *a = warp->regs + op->a;
    if (warp->whole) {
        for (unsigned i = 0; i < PTX_LANES * size / sizeof(part); i++)
            ((part *)(void *)d)[i] = ((const part *)(const void *)a)[i];
        return op + 1;
    }
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        memmove(d + lane * size, a + lane * size, size);
    }
    return op + 1;
}

static const struct ptx_op *move_2(struct ptx_warp *warp, const struct ptx_op *op)
{
    return move(warp, op, 2);
}

static const struct ptx_op *move_4(struct ptx_warp *warp, const struct ptx_op *op)
{
    return move(warp, op, 4);
}

static const struct ptx_op *move_8(struct ptx_warp *warp, const struct ptx_op *op)
{
    return move(warp, op, 8);
}

static const struct ptx_op *move_16(struct ptx_warp *warp, const struct ptx_op *op)
{
    return move(warp, op, 16);
}

static void put_mask(struct ptx_warp *warp, uint32_t slot, uint32_t bits)
{
    uint32_t old;
    memcpy(&old, warp->regs + slot, sizeof old);
    bits = (bits & warp->mask) | (old & ~warp->mask);
    memcpy(warp->regs + slot, &bits, sizeof bits);
}

static const struct ptx_op *move_mask(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t bits;
    memcpy(&bits, warp->regs + op->a, sizeof bits);
    put_mask(warp, op->d, bits ^ op->b);
    return op + 1;
}

static ptx_handler mover(enum ptx_type type)
{
    static const ptx_handler movers[PTX_SLOT_CLASSES] = {move_mask, move_2, move_4, move_8,
                                                         move_16};
    return movers[ptx_slot_class(type)];
}

void ptx_build_not(struct ptx_builder *builder, uint32_t d, uint32_t a)
{
    struct ptx_op *op = ptx_build_op(builder, move_mask);
    op->d = d;
    op->a = a;
    op->b = UINT32_MAX;
}

/* ---- other sizes: b: bytes read of a's elements, c: their width, e: d's, bits: signed --- */

static const struct ptx_op *resize(struct ptx_warp *warp, const struct ptx_op *op)
{
    unsigned char *d = warp->regs + op->d;
    const unsigned char *a = warp->regs + op->a;
    unsigned shift = op->b < 8 ? 64 - 8 * op->b : 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t value[2] = {0};
        memcpy(value, a + lane * op->c, op->b < 8 ? op->b : 8);
        if (op->bits)
            value[0] = (uint64_t)((int64_t)(value[0] << shift) >> shift);
        value[1] = op->bits && value[0] >> 63 ? UINT64_MAX : 0;
        memcpy(d + lane * op->e, value, op->e);
    }
    return op + 1;
}

static const struct ptx_op *narrow_8_4(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    const uint64_t *a = (const uint64_t *)(const void *)(warp->regs + op->a);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? (uint32_t)a[lane] : d[lane];
    return op + 1;
}

static const struct ptx_op *narrow_4_2(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint16_t *d = (uint16_t *)(void *)(warp->regs + op->d);
    const uint32_t *a = (const uint32_t *)(const void *)(warp->regs + op->a);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? (uint16_t)a[lane] : d[lane];
    return op + 1;
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
        ptx_build_error(builder, "a predicate cannot stand for a value");
        return;
    }
    unsigned wide = width_of(from), target = width_of(to);
    struct ptx_op *op = ptx_build_op(builder, resize);
    if (wide == 8 && target == 4)
        op->run = narrow_8_4;
    else if (wide == 4 && target == 2)
        op->run = narrow_4_2;
    op->d = d;
    op->a = a;
    op->b = ptx_type_size(from);
    op->c = wide;
    op->e = target;
    op->bits = from >= PTX_S8 && from <= PTX_S64;
}

/* The address of a variable in this activation's local memory. */
static const struct ptx_op *local_address(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint64_t address = op->bits + warp->local_offset;
    for (uint32_t left = warp->mask; left; left &= left - 1)
        memcpy(warp->regs + op->d + (size_t)op->c * (unsigned)__builtin_ctz(left), &address, op->c);
    return op + 1;
}

void ptx_build_local_address(struct ptx_builder *builder, uint32_t d, enum ptx_type type,
                             uint64_t offset)
{
    struct ptx_op *op = ptx_build_op(builder, local_address);
    op->d = d;
    op->c = ptx_type_size(type) < 8 ? ptx_type_size(type) : 8;
    op->bits = offset;
}

/* ---- packing ---------------------------------------------------------------------------- */

struct pieces {
    unsigned count, size, width; /* bytes of a piece, and of its slot's elements */
    uint32_t slots[4];
};

static const struct ptx_op *pack(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct pieces *p = op->extra;
    unsigned whole = p->count * p->size;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        unsigned char value[16];
        for (unsigned i = 0; i < p->count; i++)
            memcpy(value + i * p->size, warp->regs + p->slots[i] + lane * p->width, p->size);
        memcpy(warp->regs + op->d + lane * whole, value, whole);
    }
    return op + 1;
}

static const struct ptx_op *unpack(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct pieces *p = op->extra;
    unsigned whole = p->count * p->size;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        unsigned char value[16];
        memcpy(value, warp->regs + op->a + lane * whole, whole);
        for (unsigned i = 0; i < p->count; i++) {
            unsigned char *d = warp->regs + p->slots[i] + lane * p->width;
            if (p->width > p->size)
                memset(d, 0, p->width);
            memcpy(d, value + i * p->size, p->size);
        }
    }
    return op + 1;
}

/* The ones that compilers write all the time. Sources are copied first, so that
 * the compiler need not fear that a result overwrites them. */
static const struct ptx_op *pack_2x4(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct pieces *p = op->extra;
    uint32_t parts[2][PTX_LANES];
    uint64_t *d = (uint64_t *)(void *)(warp->regs + op->d);
    for (unsigned i = 0; i < 2; i++)
        memcpy(parts[i], warp->regs + p->slots[i], sizeof parts[i]);
    if (warp->whole)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            d[lane] = (uint64_t)parts[1][lane] << 32 | parts[0][lane];
    else
        for (uint32_t left = warp->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            d[lane] = (uint64_t)parts[1][lane] << 32 | parts[0][lane];
        }
    return op + 1;
}

static const struct ptx_op *pack_2x2(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct pieces *p = op->extra;
    uint16_t parts[2][PTX_LANES];
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    for (unsigned i = 0; i < 2; i++)
        memcpy(parts[i], warp->regs + p->slots[i], sizeof parts[i]);
    if (warp->whole)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            d[lane] = (uint32_t)parts[1][lane] << 16 | parts[0][lane];
    else
        for (uint32_t left = warp->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            d[lane] = (uint32_t)parts[1][lane] << 16 | parts[0][lane];
        }
    return op + 1;
}

static const struct ptx_op *unpack_2x4(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct pieces *p = op->extra;
    uint64_t whole[PTX_LANES];
    memcpy(whole, warp->regs + op->a, sizeof whole);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *d = (uint32_t *)(void *)(warp->regs + p->slots[i]);
        if (warp->whole)
            for (unsigned lane = 0; lane < PTX_LANES; lane++)
                d[lane] = (uint32_t)(whole[lane] >> (32 * i));
        else
            for (uint32_t left = warp->mask; left; left &= left - 1)
                d[__builtin_ctz(left)] = (uint32_t)(whole[__builtin_ctz(left)] >> (32 * i));
    }
    return op + 1;
}

static const struct ptx_op *unpack_2x2(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct pieces *p = op->extra;
    uint32_t whole[PTX_LANES];
    memcpy(whole, warp->regs + op->a, sizeof whole);
    for (unsigned i = 0; i < 2; i++) {
        uint16_t *d = (uint16_t *)(void *)(warp->regs + p->slots[i]);
        if (warp->whole)
            for (unsigned lane = 0; lane < PTX_LANES; lane++)
                d[lane] = (uint16_t)(whole[lane] >> (16 * i));
        else
            for (uint32_t left = warp->mask; left; left &= left - 1)
                d[__builtin_ctz(left)] = (uint16_t)(whole[__builtin_ctz(left)] >> (16 * i));
    }
    return op + 1;
}

/* ---- translation ------------------------------------------------------------------- */

static void set_pieces(struct pieces *pieces, const struct ptx_operand *vector, enum ptx_type type)
{
    static const enum ptx_type types[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    pieces->count = vector->element_count;
    pieces->size = ptx_type_size(type) / pieces->count;
    pieces->width = width_of(types[pieces->size]);
}

static enum ptx_type piece_type(const struct pieces *pieces)
{
    return pieces->size == 1   ? PTX_B8
           : pieces->size == 2 ? PTX_B16
           : pieces->size == 4 ? PTX_B32
                               : PTX_B64;
}

static struct pieces *new_pieces(struct ptx_builder *builder, const struct ptx_operand *vector,
                                 enum ptx_type type)
{
    unsigned count = vector->element_count, size = ptx_type_size(type);
    if ((count != 2 && count != 4) || size % count) {
        ptx_build_error(builder, "mov of %u elements in %u bytes", count, size);
        return NULL;
    }
    struct pieces *pieces = ptx_build_alloc(builder, sizeof *pieces);
    if (pieces)
        set_pieces(pieces, vector, type);
    return pieces;
}

static void emit_pack(struct ptx_builder *builder, const struct ptx_operand *to,
                      const struct ptx_operand *vector, enum ptx_type type)
{
    struct pieces *pieces = new_pieces(builder, vector, type);
    if (!pieces)
        return;
    for (unsigned i = 0; i < pieces->count; i++)
        pieces->slots[i] = ptx_build_source(builder, &vector->elements[i], piece_type(pieces));
    uint32_t d = ptx_build_destination(builder, to, type);
    bool two = pieces->count == 2;
    ptx_handler handler = two && pieces->size == 4   ? pack_2x4
                          : two && pieces->size == 2 ? pack_2x2
                                                     : pack;
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->d = d;
    op->extra = pieces;
    ptx_build_finish(builder, to, type, d);
}

static void emit_unpack(struct ptx_builder *builder, const struct ptx_operand *vector,
                        const struct ptx_operand *from, enum ptx_type type)
{
    struct pieces *pieces = new_pieces(builder, vector, type);
    if (!pieces)
        return;
    uint32_t a = ptx_build_source(builder, from, type);
    for (unsigned i = 0; i < pieces->count; i++)
        pieces->slots[i] = ptx_build_destination(builder, &vector->elements[i], piece_type(pieces));
    bool two = pieces->count == 2;
    ptx_handler handler = two && pieces->size == 4   ? unpack_2x4
                          : two && pieces->size == 2 ? unpack_2x2
                                                     : unpack;
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->a = a;
    op->extra = pieces;
    for (unsigned i = 0; i < pieces->count; i++)
        ptx_build_finish(builder, &vector->elements[i], piece_type(pieces), pieces->slots[i]);
}

static enum ptx_type type_of(const struct ptx_inst *inst)
{
    const char *name = inst->modifier_count ? inst->modifiers[inst->modifier_count - 1] : "";
    for (int type = PTX_NOTYPE + 1; type < PTX_TYPE_COUNT; type++)
        if (strcmp(ptx_type_name((enum ptx_type)type), name) == 0)
            return (enum ptx_type)type;
    return PTX_NOTYPE;
}

static void emit_move(struct ptx_builder *builder, const struct ptx_operand *to,
                      const struct ptx_operand *from, enum ptx_type type)
{
    uint32_t d = ptx_build_destination(builder, to, type);
    bool special =
        from->kind == PTX_OP_SPECIAL && !from->negated &&
        ptx_slot_class(ptx_special_type((enum ptx_special)from->bits)) == ptx_slot_class(type);
    if (special) {
        ptx_build_special(builder, d, (enum ptx_special)from->bits);
    } else {
        uint32_t a = ptx_build_source(builder, from, type);
        struct ptx_op *op = ptx_build_op(builder, mover(type));
        op->d = d;
        op->a = a;
    }
    ptx_build_finish(builder, to, type, d);
}

void ptx_emit_mov(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    enum ptx_type type = type_of(inst);
    const struct ptx_operand *to = &inst->operands[0], *from = &inst->operands[1];
    if (type == PTX_NOTYPE || inst->operand_count != 2)
        ptx_build_error(builder, "this form of mov has no translation");
    else if (from->kind == PTX_OP_VECTOR)
        emit_pack(builder, to, from, type);
    else if (to->kind == PTX_OP_VECTOR)
        emit_unpack(builder, to, from, type);
    else
        emit_move(builder, to, from, type);
}
