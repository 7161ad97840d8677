/* From a parsed function to its ops: the walk over blocks and instructions, and the
 * module's code as a whole. */
#include "ptx_build.h"
#include "ptx_jit.h"
#include "ptx_translate.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- instructions ------------------------------------------------------------------------- */

static void emit(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    static const ptx_emit_function emitters[PTX_EMITTER_COUNT] = {
#define PTX_EMITTER(id, name, ...) [PTX_EMIT_##id] = ptx_emit_##name,
#include "ptx_emitters.def"
#undef PTX_EMITTER
    };
    emitters[inst->row->emitter](builder, inst);
}

/* Lanes whose guard is false skip instructions at which lanes may wait, branch or fail, by a jump;
 * at other instructions they are masked. A branch evaluates its guard itself. */
static void emit_guarded(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    bool around = inst->row->kind == PTX_ROW_CONTROL || inst->row->kind == PTX_ROW_BARRIER ||
                  inst->row->kind == PTX_ROW_WARP || inst->row->kind == PTX_ROW_MISSING;
    if (inst->row->emitter == PTX_EMIT_BRANCH) {
        emit(builder, inst);
    } else if (around) {
        unsigned begun = ptx_build_skip(builder);
        emit(builder, inst);
        ptx_build_skipped(builder, begun);
    } else {
        unsigned begun = ptx_build_guard(builder);
        emit(builder, inst);
        ptx_build_unguard(builder, begun);
    }
}

static void emit_whole(struct ptx_builder *builder)
{
    emit(builder, builder->inst);
}

static enum ptx_counted counted_as(const struct ptx_inst *inst)
{
    switch (inst->row->emitter) {
    case PTX_EMIT_BRANCH:
        return PTX_COUNT_BRANCH;
    case PTX_EMIT_BRANCH_INDEXED:
        return PTX_COUNT_BRANCH_INDEXED;
    case PTX_EMIT_RETURN:
    case PTX_EMIT_EXIT:
        return inst->guard ? PTX_COUNT_BRANCH : PTX_COUNT_PLAIN;
    default:
        return PTX_COUNT_PLAIN;
    }
}

/* Where launches are profiled, an op before each instruction counts it. */
static void emit_count(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_count *count = sim_profile_on() ? ptx_build_alloc(builder, sizeof *count) : NULL;
    if (!count)
        return;
    count->kind = ptx_class_of(inst);
    count->counted = counted_as(inst);
    if (count->counted == PTX_COUNT_BRANCH_INDEXED)
        count->index = ptx_build_source(builder, &inst->operands[0], PTX_U32);
    if (inst->guard) {
        count->guarded = true;
        count->guard = ptx_slots_find(&builder->body->slots, inst->guard, 0);
        count->inverted = inst->guard_negated ? UINT32_MAX : 0;
    }
    ptx_build_op(builder, ptx_run_count)->extra = count;
}

/* Whether a warp stops here often, so that a compiled region is to begin behind it. Behind a
 * guarded instruction lanes join anyway. */
static bool is_entry_behind(const struct ptx_inst *inst)
{
    return inst->row->kind == PTX_ROW_BARRIER || inst->row->emitter == PTX_EMIT_CALL;
}

static void emit_inst(struct ptx_builder *builder, unsigned index)
{
    const struct ptx_function *function = ptx_build_function(builder);
    builder->inst = &function->insts[index];
    builder->inst_index = index;
    for (unsigned c = 0; c < PTX_SLOT_CLASSES; c++)
        builder->temporaries[c].used = 0;
    emit_count(builder, builder->inst);
    if (builder->once && builder->once[index])
        ptx_once_emit(builder, emit_whole);
    else if (builder->inst->guard)
        emit_guarded(builder, builder->inst);
    else
        emit(builder, builder->inst);
    if (!builder->inst->guard && is_entry_behind(builder->inst))
        ptx_build_join(builder);
}

static void emit_stop(struct ptx_builder *builder)
{
    ptx_build_op(builder, NULL);
}

/* The end of the text is a return. */
static void emit_end(struct ptx_builder *builder)
{
    static const struct ptx_row row = {
        .opcode = "ret", .kind = PTX_ROW_CONTROL, .emitter = PTX_EMIT_RETURN};
    static const struct ptx_inst end = {.opcode = "ret", .row = &row};
    unsigned count = ptx_build_function(builder)->inst_count;
    builder->inst = &end;
    builder->inst_index = count ? count - 1 : 0;
    emit(builder, &end);
}

static void emit_block(struct ptx_builder *builder, unsigned number)
{
    const struct ptx_flow_block *block = &builder->body->flow.blocks[number];
    builder->block = number;
    builder->inst = NULL;
    builder->inst_index = block->first;
    builder->block_ops[number] = builder->op_count;
    if (block->target || number == 0)
        ptx_build_join(builder);
    for (unsigned i = block->first; i < block->end && builder->result != PTX_NO_MEMORY; i++)
        emit_inst(builder, i);
    ptx_build_fall(builder);
    if (block->first == block->end)
        emit_end(builder);
}

/* ---- functions ------------------------------------------------------------------------------ */

static void apply_fixups(struct ptx_builder *builder)
{
    for (unsigned i = 0; i < builder->fixup_count; i++) {
        const struct ptx_fixup *fixup = &builder->fixups[i];
        unsigned to =
            fixup->kind == PTX_FIXUP_BLOCK ? builder->block_ops[fixup->number] : fixup->number;
        if (fixup->place)
            *fixup->place = &builder->ops[to];
        else
            builder->ops[fixup->op].target = &builder->ops[to];
    }
}

/* Instructions without an op here, which are in the text between those of two ops. */
static uint32_t once_between(const struct ptx_builder *builder, const struct ptx_op *before,
                             const struct ptx_op *op)
{
    uint32_t count = 0;
    for (uint32_t i = before->inst + !ptx_op_joins(before); builder->once && i < op->inst; i++)
        count += builder->once[i];
    return count;
}

/* The first op of a straight-line sequence has the number of its instructions. */
static void count_lines(struct ptx_builder *builder)
{
    uint32_t length = 0; /* instructions that run once in a launch included */
    for (unsigned i = builder->op_count; i-- > 0;) {
        struct ptx_op *op = &builder->ops[i];
        /* a join has the number of the instruction that follows */
        const struct ptx_op *before = i ? &builder->ops[i - 1] : NULL;
        bool first = !before || before->inst != op->inst || ptx_op_joins(before);
        if (ptx_op_counts(op)) {
            op->e = length;
            length = 0;
        }
        length += first && !ptx_op_joins(op);
        length += before ? once_between(builder, before, op) : 0;
    }
}

static void list_temporaries(struct ptx_builder *builder)
{
    struct ptx_code *code = &builder->body->code;
    unsigned count = 0;
    for (unsigned c = 0; c < PTX_SLOT_CLASSES; c++)
        count += builder->temporaries[c].count;
    code->temporaries = malloc((count + 1) * sizeof *code->temporaries);
    if (!code->temporaries) {
        ptx_build_no_memory(builder);
        return;
    }
    for (unsigned c = 0; c < PTX_SLOT_CLASSES; c++)
        for (unsigned i = 0; i < builder->temporaries[c].count; i++)
            code->temporaries[code->temporary_count++] = builder->temporaries[c].slots[i];
}

static void finish(struct ptx_builder *builder)
{
    struct ptx_body *body = builder->body;
    apply_fixups(builder);
    count_lines(builder);
    body->code.ops = builder->ops;
    body->code.op_count = builder->op_count;
    body->code.orders = builder->orders;
    body->code.once = builder->other_ops.ops;
    body->code.constants = builder->image;
    body->code.constants_offset = body->slots.size;
    body->code.constants_size = builder->image_size;
    body->code.frame_size = body->slots.size + builder->image_size;
    body->code.registers = body->slots.registers;
    list_temporaries(builder);
    builder->ops = NULL;
    builder->orders = NULL;
    builder->other_ops.ops = NULL;
    builder->image = NULL;
}

static void free_builder(struct ptx_builder *builder)
{
    free(builder->ops);
    free(builder->orders);
    free(builder->other_ops.ops);
    free(builder->other_ops.orders);
    free(builder->once);
    free(builder->image);
    free(builder->block_ops);
    free(builder->fixups);
    free(builder->constants);
    for (unsigned c = 0; c < PTX_SLOT_CLASSES; c++)
        free(builder->temporaries[c].slots);
}

static enum ptx_result translate(struct ptx_body *body, struct ptx_log *log)
{
    struct ptx_builder builder = {.body = body, .log = log};
    builder.block_ops = calloc(body->flow.block_count, sizeof *builder.block_ops);
    if (!builder.block_ops)
        return PTX_NO_MEMORY;
    ptx_once_find(&builder);
    ptx_build_slot(&builder, PTX_SLOT_PRED, 0); /* slot 0 would mean that there is no constant */
    for (unsigned b = 0; b < body->flow.block_count; b++)
        if (body->flow.blocks[b].order != ~0u && builder.result != PTX_NO_MEMORY)
            emit_block(&builder, b);
    ptx_once_emit(&builder, emit_stop);
    if (body->slots.size + builder.image_size > UINT32_MAX / 2) {
        ptx_log_error(log, body->code.function->symbol->line, "function %s has too many registers",
                      body->code.function->symbol->name);
        builder.result = PTX_UNSUPPORTED;
    }
    enum ptx_result result = builder.result;
    if (result == PTX_OK)
        finish(&builder);
    result = builder.result;
    free_builder(&builder);
    ptx_flow_fini(&body->flow);
    return result;
}

/* ---- modules --------------------------------------------------------------------------------- */

struct ptx_body *ptx_program_find(const struct ptx_program *program,
                                  const struct ptx_symbol *symbol)
{
    if (!symbol || symbol->kind != PTX_FUNCTION || !symbol->function)
        return NULL;
    const struct ptx_function *function = symbol->function;
    if (!function->code) {
        const struct ptx_symbol *defined = ptx_module_find(program->module, symbol->name);
        function = defined && defined->kind == PTX_FUNCTION ? defined->function : NULL;
    }
    return function && function->code ? ptx_body_of(function->code) : NULL;
}

/* Function addresses of all modules of a process differ, so that a pointer from
 * another module is recognised. */
static uint64_t reserve_addresses(unsigned count)
{
    static _Atomic(uint64_t) next = 0x1000;
    return atomic_fetch_add_explicit(&next, (uint64_t)count * PTX_FUNCTION_STEP,
                                     memory_order_relaxed);
}

static void free_program(struct ptx_program *program)
{
    if (!program)
        return;
    free(program->table.codes);
    free(program->bodies);
    free(program->shared);
    free(program->address_taken);
    free(program);
}

static struct ptx_program *create_program(struct ptx_module *module, unsigned sm)
{
    unsigned count = 0;
    for (struct ptx_function *f = module->functions; f; f = f->next)
        count += !f->declared_only;
    struct ptx_program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    *program = (struct ptx_program){.module = module,
                                    .sm = sm,
                                    .table.first_address = reserve_addresses(count + 1),
                                    .table.codes = calloc(count + 1, sizeof(struct ptx_code *)),
                                    .bodies = calloc(count + 1, sizeof(struct ptx_body *))};
    if (program->bodies && program->table.codes)
        return program;
    free_program(program);
    return NULL;
}

static bool add_body(struct ptx_program *program, struct ptx_function *function)
{
    struct ptx_body *body = calloc(1, sizeof *body);
    if (!body)
        return false;
    body->code.function = function;
    body->code.table = &program->table;
    body->program = program;
    body->code.number = program->body_count;
    function->code = &body->code;
    function->symbol->address =
        program->table.first_address + (uint64_t)body->code.number * PTX_FUNCTION_STEP;
    program->bodies[program->body_count++] = body;
    program->table.codes[program->table.count++] = &body->code;
    return ptx_flow_init(&body->flow, function) &&
           ptx_slots_init(&body->slots, function, &body->flow) && ptx_layout_function(body);
}

enum ptx_result ptx_code_translate(struct ptx_module *module, unsigned sm, struct ptx_log *log)
{
    struct ptx_program *program = NULL;
    for (struct ptx_function *f = module->functions; f; f = f->next) {
        if (f->declared_only)
            continue;
        if (!program && !(program = create_program(module, sm)))
            return PTX_NO_MEMORY;
        if (!add_body(program, f)) {
            if (program->body_count == 0)
                free_program(program); /* no function refers to it */
            return PTX_NO_MEMORY;
        }
    }
    if (!program)
        return PTX_OK;
    enum ptx_result result = ptx_layout_program(program, log);
    for (unsigned i = 0; i < program->body_count && result != PTX_NO_MEMORY; i++) {
        enum ptx_result one = translate(program->bodies[i], log);
        result = one == PTX_NO_MEMORY || result == PTX_OK ? one : result;
    }
    return result;
}

void ptx_code_place(struct ptx_module *module)
{
    for (struct ptx_function *f = module->functions; f; f = f->next) {
        if (!f->code)
            continue;
        struct ptx_body *body = ptx_body_of(f->code);
        for (const struct ptx_patch *p = body->patches; p; p = p->next)
            ptx_slot_fill((unsigned char *)(uintptr_t)body->code.constants + p->offset,
                          p->slot_class, p->symbol->address + (uint64_t)p->addend);
    }
}

static void free_body(struct ptx_body *body)
{
    ptx_jit_free(&body->code);
    while (body->chunks) {
        struct ptx_arena_chunk *next = body->chunks->next;
        free(body->chunks);
        body->chunks = next;
    }
    ptx_flow_fini(&body->flow);
    ptx_slots_fini(&body->slots);
    free(body->code.ops);
    free((void *)(uintptr_t)body->code.constants);
    free(body->code.orders);
    free(body->code.once);
    free(body->code.temporaries);
    free(body->code.params);
    free(body->code.returns);
    free(body->calls);
    free(body->shared);
    free(body);
}

void ptx_code_free(struct ptx_module *module)
{
    struct ptx_program *program = NULL;
    for (struct ptx_function *f = module->functions; f; f = f->next) {
        if (!f->code)
            continue;
        program = ptx_body_of(f->code)->program;
        free_body(ptx_body_of(f->code));
        f->code = NULL;
    }
    free_program(program);
}
