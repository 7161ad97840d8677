/* The builder behind the ptx_build_ functions: ops, fixups, constants, temporaries, and the slots
 * of operands. */
#include "ptx_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ptx_grow(void *array, unsigned *capacity, unsigned needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    unsigned more = *capacity * 2 > needed ? *capacity * 2 : needed + 16;
    void *grown = realloc(array, more * size);
    if (grown)
        *capacity = more;
    return grown;
}

/* ---- state ----------------------------------------------------------------- */

void ptx_build_no_memory(struct ptx_builder *builder)
{
    builder->result = PTX_NO_MEMORY;
}

void ptx_build_error(struct ptx_builder *builder, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ptx_log_error(builder->log, builder->inst ? builder->inst->line : 0, "%s", message);
    if (builder->result == PTX_OK)
        builder->result = PTX_UNSUPPORTED;
}

const struct ptx_function *ptx_build_function(const struct ptx_builder *builder)
{
    return builder->body->code.function;
}

unsigned ptx_build_sm(const struct ptx_builder *builder)
{
    return builder->body->program->sm;
}

void *ptx_build_alloc(struct ptx_builder *builder, size_t size)
{
    struct ptx_arena_chunk *chunk = calloc(1, sizeof(uint64_t[2]) + size);
    if (!chunk) {
        ptx_build_no_memory(builder);
        return NULL;
    }
    chunk->next = builder->body->chunks;
    builder->body->chunks = chunk;
    return (unsigned char *)chunk + sizeof(uint64_t[2]);
}

struct ptx_op *ptx_build_op(struct ptx_builder *builder, ptx_handler handler)
{
    unsigned needed = builder->op_count + 1, capacity = builder->op_capacity;
    struct ptx_op *ops = ptx_grow(builder->ops, &capacity, needed, sizeof *ops);
    if (ops) {
        builder->ops = ops;
        uint32_t *orders = ptx_grow(builder->orders, &builder->op_capacity, needed, sizeof *orders);
        if (orders)
            builder->orders = orders;
        else
            ops = NULL;
    }
    if (!ops) {
        ptx_build_no_memory(builder);
        return &builder->spare;
    }
    builder->orders[builder->op_count] = builder->body->flow.blocks[builder->block].order;
    struct ptx_op *op = &ops[builder->op_count++];
    *op = (struct ptx_op){.run = handler,
                          .inst = builder->inst_index,
                          .mods = builder->inst ? builder->inst->mods : 0};
    return op;
}

void ptx_build_fixup(struct ptx_builder *builder, enum ptx_fixup_kind kind, unsigned number,
                     unsigned op, const struct ptx_op **place)
{
    struct ptx_fixup *fixups = ptx_grow(builder->fixups, &builder->fixup_capacity,
                                        builder->fixup_count + 1, sizeof *fixups);
    if (!fixups) {
        ptx_build_no_memory(builder);
        return;
    }
    builder->fixups = fixups;
    fixups[builder->fixup_count++] = (struct ptx_fixup){kind, number, op, place};
}

const struct ptx_symbol *ptx_build_symbol(const struct ptx_builder *builder,
                                          const struct ptx_symbol *symbol)
{
    bool dynamic = symbol->space == PTX_SHARED && symbol->unsized;
    return dynamic ? &builder->body->dynamic_symbol : symbol;
}

unsigned ptx_build_label(const struct ptx_builder *builder, const struct ptx_symbol *label)
{
    return builder->body->flow.block_of[label->index];
}

/* ---- slots beyond the registers ------------------------------------------------------------ */

void ptx_slot_fill(unsigned char *slot, enum ptx_slot_class slot_class, uint64_t bits)
{
    if (slot_class == PTX_SLOT_PRED) {
        uint32_t mask = bits ? UINT32_MAX : 0;
        memcpy(slot, &mask, sizeof mask);
        return;
    }
    size_t size = (size_t)1 << (unsigned)slot_class;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        memset(slot + lane * size, 0, size);
        memcpy(slot + lane * size, &bits, size < 8 ? size : 8);
    }
}

uint32_t ptx_build_slot(struct ptx_builder *builder, enum ptx_slot_class slot_class, uint64_t bits)
{
    size_t size = ptx_slot_size(slot_class);
    size = (size + PTX_SLOT_ALIGN - 1) & ~(size_t)(PTX_SLOT_ALIGN - 1);
    if (builder->image_size + size > builder->image_capacity) {
        size_t capacity = 2 * builder->image_capacity + 4096;
        unsigned char *image = realloc(builder->image, capacity);
        if (!image) {
            ptx_build_no_memory(builder);
            return 0;
        }
        builder->image = image;
        builder->image_capacity = capacity;
    }
    memset(builder->image + builder->image_size, 0, size);
    ptx_slot_fill(builder->image + builder->image_size, slot_class, bits);
    builder->image_size += size;
    return (uint32_t)(builder->body->slots.size + builder->image_size - size);
}

static size_t constant_hash(enum ptx_slot_class slot_class, uint64_t bits,
                            const struct ptx_symbol *symbol)
{
    uint64_t hash = (bits ^ (uintptr_t)symbol ^ (uint64_t)slot_class << 60) * 0x9e3779b97f4a7c15;
    return (size_t)(hash >> 20);
}

static struct ptx_constant *find_constant(struct ptx_constant *table, unsigned capacity,
                                          enum ptx_slot_class slot_class, uint64_t bits,
                                          const struct ptx_symbol *symbol)
{
    for (size_t i = constant_hash(slot_class, bits, symbol);; i++) {
        struct ptx_constant *constant = &table[i & (capacity - 1)];
        if (constant->slot == 0 || (constant->slot_class == slot_class && constant->bits == bits &&
                                    constant->symbol == symbol))
            return constant;
    }
}

static bool grow_constants(struct ptx_builder *builder)
{
    if (builder->constant_count * 2 < builder->constant_capacity)
        return true;
    unsigned capacity = builder->constant_capacity ? 2 * builder->constant_capacity : 64;
    struct ptx_constant *table = calloc(capacity, sizeof *table);
    if (!table)
        return false;
    for (unsigned i = 0; i < builder->constant_capacity; i++) {
        const struct ptx_constant *old = &builder->constants[i];
        if (old->slot)
            *find_constant(table, capacity, old->slot_class, old->bits, old->symbol) = *old;
    }
    free(builder->constants);
    builder->constants = table;
    builder->constant_capacity = capacity;
    return true;
}

static void add_patch(struct ptx_builder *builder, const struct ptx_constant *constant)
{
    struct ptx_patch *patch = ptx_build_alloc(builder, sizeof *patch);
    if (!patch)
        return;
    *patch = (struct ptx_patch){.next = builder->body->patches,
                                .symbol = constant->symbol,
                                .addend = (int64_t)constant->bits,
                                .offset = constant->slot - builder->body->slots.size,
                                .slot_class = constant->slot_class};
    builder->body->patches = patch;
}

/* symbol: its address, which is known later, is added. */
static uint32_t constant_slot(struct ptx_builder *builder, enum ptx_type type, uint64_t bits,
                              const struct ptx_symbol *symbol)
{
    enum ptx_slot_class slot_class = ptx_slot_class(type);
    if (!grow_constants(builder)) {
        ptx_build_no_memory(builder);
        return 0;
    }
    struct ptx_constant *constant =
        find_constant(builder->constants, builder->constant_capacity, slot_class, bits, symbol);
    if (constant->slot)
        return constant->slot;
    *constant =
        (struct ptx_constant){slot_class, bits, symbol, ptx_build_slot(builder, slot_class, bits)};
    builder->constant_count++;
    if (symbol)
        add_patch(builder, constant);
    return constant->slot;
}

uint32_t ptx_build_constant(struct ptx_builder *builder, enum ptx_type type, uint64_t bits)
{
    unsigned size = ptx_type_size(type);
    if (type == PTX_PRED)
        bits = bits != 0;
    else if (size < 8)
        bits &= (UINT64_C(1) << (8 * size)) - 1;
    return constant_slot(builder, type, bits, NULL);
}

/* Temporaries are valid until the end of the instruction. */
uint32_t ptx_build_temporary(struct ptx_builder *builder, enum ptx_type type)
{
    enum ptx_slot_class slot_class = ptx_slot_class(type);
    struct ptx_temporaries *pool = &builder->temporaries[slot_class];
    if (pool->used == pool->count) {
        uint32_t *slots = ptx_grow(pool->slots, &pool->capacity, pool->count + 1, sizeof *slots);
        if (!slots) {
            ptx_build_no_memory(builder);
            return 0;
        }
        pool->slots = slots;
        slots[pool->count++] = ptx_build_slot(builder, slot_class, 0);
    }
    return pool->slots[pool->used++];
}

/* ---- operands ---------------------------------------------------------------------------- */

static bool is_register(const struct ptx_operand *operand)
{
    return (operand->kind == PTX_OP_REG || operand->kind == PTX_OP_COMPONENT ||
            operand->kind == PTX_OP_ADDRESS) &&
           operand->symbol && operand->symbol->kind == PTX_REGISTER;
}

static uint32_t register_slot(const struct ptx_builder *builder, const struct ptx_operand *operand)
{
    return ptx_slots_find(&builder->body->slots, operand->symbol, operand->component);
}

static uint32_t resize(struct ptx_builder *builder, uint32_t slot, enum ptx_type from,
                       enum ptx_type to)
{
    if (ptx_slot_class(from) == ptx_slot_class(to))
        return slot;
    uint32_t temporary = ptx_build_temporary(builder, to);
    ptx_build_resize(builder, temporary, to, slot, from);
    return temporary;
}

static uint32_t source_register(struct ptx_builder *builder, const struct ptx_operand *operand,
                                enum ptx_type type)
{
    uint32_t slot = register_slot(builder, operand);
    if (!operand->negated)
        return resize(builder, slot, operand->symbol->type, type);
    uint32_t temporary = ptx_build_temporary(builder, PTX_PRED);
    ptx_build_not(builder, temporary, slot);
    return temporary;
}

static uint64_t float_bits(const struct ptx_operand *operand, enum ptx_type type)
{
    uint32_t single = (uint32_t)operand->bits;
    uint64_t bits = operand->bits;
    float f;
    double d;
    if (operand->kind == PTX_OP_F64 && type == PTX_F32) {
        memcpy(&d, &bits, sizeof d);
        f = (float)d;
        memcpy(&single, &f, sizeof single);
        return single;
    }
    if (operand->kind == PTX_OP_F32 && type == PTX_F64) {
        memcpy(&f, &single, sizeof f);
        d = (double)f;
        memcpy(&bits, &d, sizeof bits);
    }
    return bits;
}

bool ptx_is_kernel_param(const struct ptx_function *function, const struct ptx_symbol *symbol)
{
    for (const struct ptx_symbol *p = function->params; p && function->entry; p = p->next)
        if (p == symbol)
            return true;
    return false;
}

/* The address of a variable or function, as an offset in its space. */
static uint32_t address_slot(struct ptx_builder *builder, const struct ptx_operand *operand,
                             enum ptx_type type)
{
    const struct ptx_symbol *symbol = operand->symbol;
    uint64_t offset = (uint64_t)operand->offset;
    if (!symbol)
        return ptx_build_constant(builder, type, operand->bits + offset);
    if (symbol->kind == PTX_FUNCTION) {
        const struct ptx_body *body = ptx_program_find(builder->body->program, symbol);
        if (!body)
            ptx_build_error(builder, "%s has no address, since it is not in this module",
                            symbol->name);
        return ptx_build_constant(builder, type, body ? body->code.function->symbol->address : 0);
    }
    const struct ptx_function *function = ptx_build_function(builder);
    bool local = symbol->space == PTX_LOCAL ||
                 (symbol->space == PTX_PARAM && !ptx_is_kernel_param(function, symbol));
    if (local && !function->entry) {
        uint32_t temporary = ptx_build_temporary(builder, type);
        ptx_build_local_address(builder, temporary, type, symbol->address + offset);
        return temporary;
    }
    if (symbol->space == PTX_GLOBAL || symbol->space == PTX_CONST)
        return constant_slot(builder, type, offset, symbol);
    return ptx_build_constant(builder, type, ptx_build_symbol(builder, symbol)->address + offset);
}

static uint32_t special_slot(struct ptx_builder *builder, const struct ptx_operand *operand,
                             enum ptx_type type)
{
    enum ptx_special special = (enum ptx_special)operand->bits;
    enum ptx_type own = ptx_special_type(special);
    uint32_t temporary = ptx_build_temporary(builder, own);
    ptx_build_special(builder, temporary, special);
    if (operand->negated)
        ptx_build_not(builder, temporary, temporary);
    return resize(builder, temporary, own, type);
}

uint32_t ptx_build_source(struct ptx_builder *builder, const struct ptx_operand *operand,
                          enum ptx_type type)
{
    if (is_register(operand))
        return source_register(builder, operand, type);
    switch (operand->kind) {
    case PTX_OP_INT:
        if (type == PTX_PRED && operand->negated)
            return ptx_build_constant(builder, type, !operand->bits);
        return ptx_build_constant(builder, type, operand->bits);
    case PTX_OP_F32:
    case PTX_OP_F64:
        return ptx_build_constant(builder, type, float_bits(operand, type));
    case PTX_OP_SPECIAL:
        return special_slot(builder, operand, type);
    case PTX_OP_SYMBOL:
    case PTX_OP_ADDRESS:
        return address_slot(builder, operand, type);
    case PTX_OP_SINK:
        return ptx_build_constant(builder, type, 0);
    default:
        ptx_build_error(builder, "%s does not accept an operand of this form here",
                        builder->inst->opcode);
        return ptx_build_constant(builder, type, 0);
    }
}

uint32_t ptx_build_destination(struct ptx_builder *builder, const struct ptx_operand *operand,
                               enum ptx_type type)
{
    if (is_register(operand) && ptx_slot_class(operand->symbol->type) == ptx_slot_class(type))
        return register_slot(builder, operand);
    if (!is_register(operand) && operand->kind != PTX_OP_SINK)
        ptx_build_error(builder, "%s cannot write to this operand", builder->inst->opcode);
    return ptx_build_temporary(builder, type);
}

void ptx_build_finish(struct ptx_builder *builder, const struct ptx_operand *operand,
                      enum ptx_type type, uint32_t slot)
{
    if (!is_register(operand) || ptx_slot_class(operand->symbol->type) == ptx_slot_class(type))
        return;
    ptx_build_resize(builder, register_slot(builder, operand), operand->symbol->type, slot, type);
}
