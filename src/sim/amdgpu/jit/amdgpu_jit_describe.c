/* Instructions of regions: their slots, arguments and names. */
#include "amdgpu_jit_region.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------ */

enum { CHUNK = 64 << 10 };

struct amdgpu_chunk {
    struct amdgpu_chunk *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

void *amdgpu_arena_take(struct amdgpu_arena *arena, size_t size)
{
    struct amdgpu_chunk *chunk = arena->chunks;
    size = (size + 15) / 16 * 16;
    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        chunk = malloc(sizeof *chunk + room);
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
        *chunk = (struct amdgpu_chunk){.next = arena->chunks, .size = room};
        arena->chunks = chunk;
    }
    chunk->used += size;
    return chunk->bytes + chunk->used - size;
}

void amdgpu_arena_free(struct amdgpu_arena *arena)
{
    while (arena->chunks) {
        struct amdgpu_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        free(chunk);
    }
}

static void *copy(struct amdgpu_arena *arena, const void *from, size_t size)
{
    void *to = size ? amdgpu_arena_take(arena, size) : NULL;
    if (to)
        memcpy(to, from, size);
    return to;
}

/* ---- slots ------------------------------------------------------------------------------- */

static void add(struct amdgpu_describer *d, struct amdgpu_slots *slots, enum wave_base base,
                size_t offset, size_t size)
{
    for (unsigned i = 0; i < slots->count; i++)
        if (slots->at[i].base == base && slots->at[i].offset == offset)
            return;
    if (slots->count == AMDGPU_SLOTS_MAX) {
        d->arena->failed = true;
        return;
    }
    slots->at[slots->count++] =
        (struct wave_slot){.base = base, .offset = (uint32_t)offset, .size = (uint32_t)size};
}

static void add_scalars(struct amdgpu_describer *d, struct amdgpu_slots *slots, unsigned reg,
                        unsigned count)
{
    for (unsigned i = 0; i < count && reg + i < AMDGPU_SREGS; i++)
        add(d, slots, WAVE_STATE, offsetof(struct amdgpu_wave, s) + (reg + i) * sizeof(uint32_t),
            sizeof(uint32_t));
}

static void add_vectors(struct amdgpu_describer *d, struct amdgpu_slots *slots, unsigned reg,
                        unsigned count)
{
    size_t size = d->shape->lanes * sizeof(uint32_t);
    unsigned index = reg < 256 ? reg : d->shape->vgprs + (reg - 256);
    for (unsigned i = 0; i < count; i++)
        add(d, slots, WAVE_FRAME, (index + i) * size, size);
}

void amdgpu_read_scalars(struct amdgpu_describer *d, unsigned reg, unsigned count)
{
    add_scalars(d, &d->reads, reg, count);
}

void amdgpu_write_scalars(struct amdgpu_describer *d, unsigned reg, unsigned count)
{
    add_scalars(d, &d->writes, reg, count);
}

void amdgpu_read_vectors(struct amdgpu_describer *d, unsigned reg, unsigned count)
{
    add_vectors(d, &d->reads, reg, count);
}

void amdgpu_write_vectors(struct amdgpu_describer *d, unsigned reg, unsigned count)
{
    add_vectors(d, &d->writes, reg, count);
}

void amdgpu_read_mask(struct amdgpu_describer *d, unsigned reg)
{
    amdgpu_read_scalars(d, reg, d->shape->lanes / 32);
}

void amdgpu_write_mask(struct amdgpu_describer *d, unsigned reg)
{
    amdgpu_write_scalars(d, reg, d->shape->lanes / 32);
}

void amdgpu_read_scc(struct amdgpu_describer *d)
{
    add(d, &d->reads, WAVE_STATE, offsetof(struct amdgpu_wave, scc), sizeof(uint32_t));
}

void amdgpu_write_scc(struct amdgpu_describer *d)
{
    add(d, &d->writes, WAVE_STATE, offsetof(struct amdgpu_wave, scc), sizeof(uint32_t));
}

void amdgpu_use_exec(struct amdgpu_describer *d)
{
    if (d->full)
        amdgpu_write_mask(d, AMDGPU_EXEC);
    else
        amdgpu_read_mask(d, AMDGPU_EXEC);
}

void amdgpu_read_source(struct amdgpu_describer *d, const struct amdgpu_source *source)
{
    switch (source->kind) {
    case AMDGPU_VREG:
        amdgpu_read_vectors(d, source->reg, source->count ? source->count : 1);
        break;
    case AMDGPU_SREG:
        amdgpu_read_scalars(d, source->reg, source->count ? source->count : 1);
        break;
    case AMDGPU_SCC:
        amdgpu_read_scc(d);
        break;
    case AMDGPU_VCCZ:
        amdgpu_read_mask(d, AMDGPU_VCC);
        break;
    case AMDGPU_EXECZ:
        amdgpu_read_mask(d, AMDGPU_EXEC);
        break;
    default:
        break;
    }
}

/* ---- instructions ------------------------------------------------------------------------ */

void amdgpu_argue(struct amdgpu_describer *d, uint64_t argument)
{
    if (d->argument_count < AMDGPU_ARGUMENTS_MAX)
        d->arguments[d->argument_count++] = argument;
    else
        d->arena->failed = true;
}

void amdgpu_argue_address(struct amdgpu_describer *d, const void *address)
{
    if (d->argument_count < AMDGPU_ARGUMENTS_MAX)
        d->addresses |= UINT64_C(1) << d->argument_count;
    amdgpu_argue(d, (uintptr_t)address);
}

void amdgpu_argue_source(struct amdgpu_describer *d, const struct amdgpu_source *source)
{
    amdgpu_argue(d, source->kind | (uint64_t)source->count << 8 | (uint64_t)source->reg << 16);
    amdgpu_argue(d, source->value);
}

static struct wave_inst *add_inst(struct amdgpu_describer *d)
{
    if (d->inst_count == d->inst_room) {
        unsigned room = d->inst_room ? 2 * d->inst_room : 64;
        struct wave_inst *insts = amdgpu_arena_take(d->arena, room * sizeof *insts);
        if (!insts)
            return NULL;
        if (d->inst_count)
            memcpy(insts, d->insts, d->inst_count * sizeof *insts);
        d->insts = insts;
        d->inst_room = room;
    }
    return &d->insts[d->inst_count++];
}

static void finish(struct amdgpu_describer *d, enum wave_kind kind, const char *function)
{
    struct amdgpu_arena *arena = d->arena;
    struct wave_inst *inst = add_inst(d);
    if (inst)
        *inst = (struct wave_inst){
            .kind = kind,
            .function = function,
            .arguments = copy(arena, d->arguments, d->argument_count * sizeof *d->arguments),
            .argument_count = d->argument_count,
            .addresses = d->addresses,
            .op = d->op,
            .next = d->next,
            .reads = copy(arena, d->reads.at, d->reads.count * sizeof *d->reads.at),
            .writes = copy(arena, d->writes.at, d->writes.count * sizeof *d->writes.at),
            .read_count = d->reads.count,
            .write_count = d->writes.count};
    d->reads.count = d->writes.count = d->argument_count = 0;
    d->addresses = 0;
}

void amdgpu_describe(struct amdgpu_describer *d, enum wave_kind kind, const char *function, ...)
{
    char name[96];
    va_list arguments;
    va_start(arguments, function);
    int length = vsnprintf(name, sizeof name, function, arguments);
    va_end(arguments);
    finish(d, kind, copy(d->arena, name, (size_t)length + 1));
}

/* ---- handlers ---------------------------------------------------------------------------- */

static void read_operand(struct amdgpu_describer *d, const struct amdgpu_operand *operand)
{
    struct amdgpu_source source = {
        .kind = operand->kind, .count = operand->count, .reg = operand->reg};
    amdgpu_read_source(d, &source);
}

/* Registers that keep what is not written. */
static void change_operand(struct amdgpu_describer *d, const struct amdgpu_operand *operand)
{
    unsigned count = operand->count ? operand->count : 1;
    read_operand(d, operand);
    if (operand->kind == AMDGPU_VREG)
        amdgpu_write_vectors(d, operand->reg, count);
    else if (operand->kind == AMDGPU_SREG)
        amdgpu_write_scalars(d, operand->reg, count);
}

/* Whether it accesses nothing but these registers, and always goes on. An access may have faulted,
 * and a trap handler looks at all registers. */
static bool is_plain(const struct amdgpu_row *row)
{
    return row->format >= AMDGPU_VOP1 && row->format <= AMDGPU_VOPD &&
           !(row->flags & AMDGPU_ROW_MATRIX);
}

/* Vector and memory instructions, by the registers that their operands name. */
void amdgpu_describe_handler(struct amdgpu_describer *d)
{
    const struct amdgpu_inst *inst = d->op->inst;
    for (unsigned k = 0; k < AMDGPU_SOURCES; k++) {
        read_operand(d, &inst->src[k]);
        read_operand(d, &inst->src_y[k]);
    }
    read_operand(d, &inst->addr);
    read_operand(d, &inst->saddr);
    read_operand(d, &inst->data);
    read_operand(d, &inst->data1);
    read_operand(d, &inst->soffset);
    change_operand(d, &inst->dst[0]);
    change_operand(d, &inst->dst[1]);
    change_operand(d, &inst->dst_y);
    amdgpu_read_scalars(d, AMDGPU_EXEC, 2);
    amdgpu_read_scalars(d, 124, 2); /* M0 */
    if (inst->row->format >= AMDGPU_VOP1 && inst->row->format <= AMDGPU_VOPD) {
        amdgpu_read_scalars(d, AMDGPU_VCC, 2);
        amdgpu_write_scalars(d, AMDGPU_VCC, 2);
    }
    if (inst->row->flags & AMDGPU_ROW_EXEC)
        amdgpu_write_scalars(d, AMDGPU_EXEC, 2);
    d->argument_count = 0;
    d->addresses = 0;
    unsigned before = d->inst_count;
    finish(d, WAVE_HANDLER, NULL);
    if (d->inst_count > before)
        d->insts[before].plain = is_plain(inst->row);
}

/* Of registers of lanes only, some of which it writes, or memory. */
static bool is_of_lanes(const struct wave_inst *inst)
{
    for (unsigned i = 0; i < inst->write_count; i++)
        if (inst->writes[i].base != WAVE_FRAME)
            return false;
    return inst->kind == WAVE_ATTEMPT || (inst->kind == WAVE_EFFECT && inst->write_count);
}

void amdgpu_drop_idle(struct amdgpu_describer *d, unsigned first)
{
    unsigned count = first;
    for (unsigned i = first; i < d->inst_count; i++)
        if (!is_of_lanes(&d->insts[i]))
            d->insts[count++] = d->insts[i];
    d->inst_count = count;
}

bool amdgpu_changes_exec(const struct amdgpu_describer *d)
{
    const struct amdgpu_inst *inst = d->op->inst;
    const struct amdgpu_operand *dst = inst->dst;
    unsigned last = d->shape->lanes == 64 ? AMDGPU_EXEC + 1 : AMDGPU_EXEC;
    if (inst->row->flags & AMDGPU_ROW_EXEC)
        return true;
    for (unsigned i = 0; i < 2; i++)
        if (dst[i].kind == AMDGPU_SREG && dst[i].reg <= last &&
            dst[i].reg + dst[i].count > AMDGPU_EXEC)
            return true;
    return inst->row->format == AMDGPU_SOP1 && strstr(inst->row->name, "exec");
}

/* ---- comparing --------------------------------------------------------------------------- */

static bool is_coherent(const struct amdgpu_inst *inst)
{
    return inst->glc || inst->slc || inst->dlc || inst->scc;
}

/* In memory, what only its handler executes may do more than a load or a store. */
static bool has_handler(const struct amdgpu_describer *d)
{
    for (unsigned i = 0; i < d->inst_count; i++)
        if (d->insts[i].kind == WAVE_HANDLER)
            return true;
    return false;
}

bool amdgpu_repeats(const struct amdgpu_op *op)
{
    const struct amdgpu_inst *inst = op->inst;
    const char *condition;
    enum amdgpu_flow flow = amdgpu_flow_of(inst->row->id, &condition);
    bool memory = inst->row->format >= AMDGPU_DS || inst->row->format == AMDGPU_SMEM;
    if (flow != AMDGPU_FLOW_NONE || amdgpu_is_refused(amdgpu_jit_handler(op)))
        return flow == AMDGPU_FLOW_BRANCH || flow == AMDGPU_FLOW_NOTHING;
    struct amdgpu_arena arena = {0};
    struct amdgpu_describer d = {.arena = &arena, .shape = amdgpu_page_of(op)->shape};
    bool repeats = amdgpu_describe_op(&d, op) && !arena.failed;
    repeats = repeats && !(memory && (is_coherent(inst) || has_handler(&d)));
    amdgpu_arena_free(&arena);
    return repeats;
}

unsigned amdgpu_writes(const struct amdgpu_op *op, struct wave_slot *out_slots, unsigned max)
{
    struct amdgpu_arena arena = {0};
    struct amdgpu_describer d = {.arena = &arena, .shape = amdgpu_page_of(op)->shape};
    const char *condition;
    unsigned count = 0;
    bool known = amdgpu_flow_of(op->inst->row->id, &condition) == AMDGPU_FLOW_NONE &&
                 amdgpu_describe_op(&d, op) && !arena.failed;
    for (unsigned i = 0; known && i < d.inst_count; i++)
        for (unsigned k = 0; k < d.insts[i].write_count && count < max; k++)
            out_slots[count++] = d.insts[i].writes[k];
    amdgpu_arena_free(&arena);
    return count;
}
