/* The offsets of variables in .local, .param and .shared, and how much of each memory a kernel
 * needs with all the functions that it may call. */
#include "ptx_build.h"

#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t size, size_t align)
{
    return align > 1 ? (size + align - 1) / align * align : size;
}

/* ---- one function ------------------------------------------------------------------- */

static void place_variable(struct ptx_symbol *symbol, size_t *size)
{
    *size = round_up(*size, symbol->align);
    symbol->address = *size;
    *size += symbol->size;
}

static void set_formal(const struct ptx_body *body, const struct ptx_symbol *symbol,
                       struct ptx_formal *out_formal)
{
    bool slot = symbol->kind == PTX_REGISTER;
    *out_formal = (struct ptx_formal){
        .slot = slot,
        .offset = slot ? ptx_slots_find(&body->slots, symbol, 0) : (uint32_t)symbol->address,
        .size = slot && symbol->type == PTX_PRED ? 0 : (uint32_t)symbol->size};
    if (!slot)
        return;
    unsigned size = ptx_type_size(symbol->type);
    out_formal->size = size;
    out_formal->width = (uint8_t)(size < 2 ? 2 : size);
}

static unsigned list_length(const struct ptx_symbol *list)
{
    unsigned length = 0;
    for (; list; list = list->next)
        length++;
    return length;
}

static bool set_formals(const struct ptx_body *body, const struct ptx_symbol *list,
                        struct ptx_formal **out_formals, unsigned *out_count)
{
    *out_count = list_length(list);
    *out_formals = calloc(*out_count + 1, sizeof **out_formals);
    if (!*out_formals)
        return false;
    struct ptx_formal *formal = *out_formals;
    for (; list; list = list->next)
        set_formal(body, list, formal++);
    return true;
}

static void place_list(struct ptx_symbol *list, size_t *size)
{
    for (; list; list = list->next)
        if (list->kind == PTX_VARIABLE && (list->space == PTX_LOCAL || list->space == PTX_PARAM))
            place_variable(list, size);
}

bool ptx_layout_function(struct ptx_body *body)
{
    const struct ptx_function *function = body->code.function;
    size_t local = 0;
    if (function->entry) {
        place_list(function->params, &body->code.param_size);
    } else {
        place_list(function->params, &local);
        place_list(function->returns, &local);
    }
    place_list(function->variables, &local);
    /* An activation uses some memory at least, so that recursion ends. */
    body->code.local_size = round_up(local || function->entry ? local : 16, 16);
    return set_formals(body, function->params, &body->code.params, &body->code.param_count) &&
           set_formals(body, function->returns, &body->code.returns, &body->code.return_count);
}

/* ---- calls and uses of shared variables
 * --------------------------------------------------------------------- */

static void note_shared(struct ptx_body *body, const struct ptx_symbol *symbol)
{
    for (unsigned i = 0; i < body->program->shared_count; i++)
        if (body->program->shared[i] == symbol)
            body->shared[i] = true;
}

static void note_operand(struct ptx_body *body, const struct ptx_operand *operand, bool called)
{
    const struct ptx_symbol *symbol = operand->symbol;
    for (unsigned i = 0; i < operand->element_count; i++)
        note_operand(body, &operand->elements[i], false);
    if (!symbol)
        return;
    if (symbol->kind == PTX_VARIABLE && symbol->space == PTX_SHARED)
        note_shared(body, symbol);
    if (symbol->kind != PTX_FUNCTION)
        return;
    const struct ptx_body *callee = ptx_program_find(body->program, symbol);
    if (callee && called)
        body->calls[callee->code.number] = true;
    else if (callee)
        body->program->address_taken[callee->code.number] = true;
}

static void note_targets(struct ptx_body *body, const struct ptx_operand *operand)
{
    const struct ptx_symbol *list = operand->symbol;
    body->indirect |= !list || list->kind != PTX_LABEL_LIST;
    for (unsigned i = 0; list && list->kind == PTX_LABEL_LIST && i < list->label_count; i++) {
        const struct ptx_body *callee = ptx_program_find(body->program, list->labels[i]);
        if (callee)
            body->calls[callee->code.number] = true;
    }
}

static void note_inst(struct ptx_body *body, const struct ptx_inst *inst)
{
    bool call = inst->row->emitter == PTX_EMIT_CALL;
    bool indirect = false;
    for (unsigned i = 0; i < inst->operand_count; i++) {
        const struct ptx_operand *operand = &inst->operands[i];
        note_operand(body, operand, call && operand->kind == PTX_OP_SYMBOL);
        indirect |= call && operand->kind == PTX_OP_REG;
    }
    if (indirect)
        note_targets(body, &inst->operands[inst->operand_count - 1]);
}

static void note_initialisers(struct ptx_program *program, const struct ptx_symbol *variables)
{
    for (const struct ptx_symbol *v = variables; v; v = v->next)
        for (const struct ptx_relocation *r = v->relocations; r; r = r->next) {
            const struct ptx_body *body = ptx_program_find(program, r->symbol);
            if (body)
                program->address_taken[body->code.number] = true;
        }
}

static bool may_call(const struct ptx_body *body, unsigned number)
{
    return body->calls[number] || (body->indirect && body->program->address_taken[number]);
}

/* Marks in callees, by number, the functions that body may call, and body itself. */
static void find_callees(const struct ptx_body *body, bool *callees)
{
    const struct ptx_program *program = body->program;
    callees[body->code.number] = true;
    for (bool grew = true; grew;) {
        grew = false;
        for (unsigned i = 0; i < program->body_count; i++)
            for (unsigned j = 0; callees[i] && j < program->body_count; j++)
                if (!callees[j] && may_call(program->bodies[i], j))
                    grew = callees[j] = true;
    }
}

/* ---- stacks ---------------------------------------------------------------------------- */

enum { NOT_SEEN, IN_WALK, SEEN };

/* Bytes of local memory of body and the deepest chain of calls from it; SIZE_MAX if it is
 * recursive. The recursion here is as deep as the chain of calls, in which no function occurs
 * twice. */
static size_t stack_need(struct ptx_body *body)
{
    if (body->visit == SEEN)
        return body->code.stack_need;
    if (body->visit == IN_WALK)
        return SIZE_MAX;
    body->visit = IN_WALK;
    size_t most = 0;
    for (unsigned i = 0; i < body->program->body_count && most != SIZE_MAX; i++) {
        size_t need = may_call(body, i) ? stack_need(body->program->bodies[i]) : 0;
        most = need > most ? need : most;
    }
    body->visit = SEEN;
    body->code.stack_need = most == SIZE_MAX ? SIZE_MAX : body->code.local_size + most;
    return body->code.stack_need;
}

/* ---- shared memory ----------------------------------------------------------------------- */

enum { DYNAMIC_ALIGN = 16 }; /* at least */

/* Whether a kernel uses a variable: used is indexed by kernel * shared_count + variable. */
static bool uses(const struct ptx_program *program, const bool *used, unsigned body, unsigned v)
{
    return used[(size_t)body * program->shared_count + v];
}

static bool used_together(const struct ptx_program *program, const bool *used, unsigned v,
                          unsigned w)
{
    for (unsigned i = 0; i < program->body_count; i++)
        if (uses(program, used, i, v) && uses(program, used, i, w))
            return true;
    return false;
}

/* Places v at the lowest offset where no kernel that uses it has another variable. */
static void place_shared(struct ptx_program *program, const bool *used, unsigned v)
{
    struct ptx_symbol *symbol = program->shared[v];
    symbol->address = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned w = 0; w < v; w++) {
            const struct ptx_symbol *other = program->shared[w];
            if (other->unsized || symbol->address >= other->address + other->size ||
                other->address >= symbol->address + symbol->size ||
                !used_together(program, used, v, w))
                continue;
            symbol->address = round_up(other->address + other->size, symbol->align);
            moved = true;
        }
    }
}

static void size_kernel(struct ptx_program *program, const bool *used, struct ptx_body *body)
{
    size_t align = DYNAMIC_ALIGN;
    for (unsigned v = 0; v < program->shared_count; v++) {
        const struct ptx_symbol *symbol = program->shared[v];
        if (!uses(program, used, body->code.number, v))
            continue;
        if (symbol->unsized) {
            body->code.dynamic = true;
            align = symbol->align > align ? symbol->align : align;
        } else if (symbol->address + symbol->size > body->code.shared_size) {
            body->code.shared_size = symbol->address + symbol->size;
        }
    }
    body->dynamic_align = align;
    body->code.dynamic_offset = round_up(body->code.shared_size, align);
}

static bool names_dynamic(const struct ptx_body *body)
{
    const struct ptx_program *program = body->program;
    for (unsigned v = 0; v < program->shared_count; v++)
        if (body->shared[v] && program->shared[v]->unsized)
            return true;
    return false;
}

/* Gives all kernels that may call body the same offset; returns whether one of them changed. */
static bool agree(struct ptx_program *program, const bool *callees, struct ptx_body *body)
{
    size_t most = 0, align = DYNAMIC_ALIGN;
    bool moved = false;
    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < program->body_count; i++) {
            struct ptx_body *kernel = program->bodies[i];
            if (!kernel->code.function->entry ||
                !callees[(size_t)i * program->body_count + body->code.number])
                continue;
            most = kernel->code.dynamic_offset > most ? kernel->code.dynamic_offset : most;
            align = kernel->dynamic_align > align ? kernel->dynamic_align : align;
            if (pass == 0)
                continue;
            moved |= kernel->code.dynamic_offset != round_up(most, align);
            kernel->code.dynamic_offset = round_up(most, align);
            kernel->dynamic_align = align;
        }
    body->dynamic_symbol.address = round_up(most, align);
    return moved;
}

/* Dynamic shared memory begins after a kernel's static shared memory. A function that uses it has
 * one address for it, so that kernels which share such a function have the same offset. */
static void place_dynamic(struct ptx_program *program, const bool *callees)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned i = 0; i < program->body_count; i++)
            if (names_dynamic(program->bodies[i]))
                moved |= agree(program, callees, program->bodies[i]);
    }
    for (unsigned v = 0; v < program->shared_count; v++)
        for (unsigned i = 0; program->shared[v]->unsized && i < program->body_count; i++)
            if (program->bodies[i]->code.dynamic &&
                program->bodies[i]->code.dynamic_offset > program->shared[v]->address)
                program->shared[v]->address = program->bodies[i]->code.dynamic_offset;
}

static void place_all(struct ptx_program *program, const bool *used, const bool *callees)
{
    for (unsigned v = 0; v < program->shared_count; v++)
        if (!program->shared[v]->unsized)
            place_shared(program, used, v);
    for (unsigned i = 0; i < program->body_count; i++)
        if (program->bodies[i]->code.function->entry)
            size_kernel(program, used, program->bodies[i]);
    place_dynamic(program, callees);
}

static bool layout_shared(struct ptx_program *program)
{
    size_t count = program->body_count;
    bool *used = calloc(count * program->shared_count + 1, 1);
    bool *callees = calloc(count * count + 1, 1); /* indexed by kernel * count + body */
    for (unsigned i = 0; used && callees && program->shared_count && i < count; i++) {
        if (!program->bodies[i]->code.function->entry)
            continue;
        find_callees(program->bodies[i], callees + i * count);
        for (unsigned j = 0; j < count; j++)
            for (unsigned v = 0; callees[i * count + j] && v < program->shared_count; v++)
                used[(size_t)i * program->shared_count + v] |= program->bodies[j]->shared[v];
    }
    bool fine = used && callees;
    if (fine)
        place_all(program, used, callees);
    free(used);
    free(callees);
    return fine;
}

static unsigned collect_shared(struct ptx_symbol *list, struct ptx_symbol **out_shared)
{
    unsigned count = 0;
    for (; list; list = list->next)
        if (list->kind == PTX_VARIABLE && list->space == PTX_SHARED) {
            if (out_shared)
                out_shared[count] = list;
            count++;
        }
    return count;
}

static bool collect(struct ptx_program *program)
{
    unsigned count = collect_shared(program->module->variables, NULL);
    for (unsigned i = 0; i < program->body_count; i++)
        count += collect_shared(program->bodies[i]->code.function->variables, NULL);
    program->shared = calloc(count + 1, sizeof(struct ptx_symbol *));
    program->address_taken = calloc(program->body_count + 1, 1);
    if (!program->shared || !program->address_taken)
        return false;
    program->shared_count = count;
    count = collect_shared(program->module->variables, program->shared);
    for (unsigned i = 0; i < program->body_count; i++)
        count +=
            collect_shared(program->bodies[i]->code.function->variables, program->shared + count);
    for (unsigned i = 0; i < program->body_count; i++) {
        struct ptx_body *body = program->bodies[i];
        body->calls = calloc(program->body_count + 1, 1);
        body->shared = calloc(program->shared_count + 1, 1);
        if (!body->calls || !body->shared)
            return false;
    }
    return true;
}

enum ptx_result ptx_layout_program(struct ptx_program *program, struct ptx_log *log)
{
    (void)log;
    if (!collect(program))
        return PTX_NO_MEMORY;
    note_initialisers(program, program->module->variables);
    for (unsigned i = 0; i < program->body_count; i++) {
        struct ptx_body *body = program->bodies[i];
        for (unsigned n = 0; n < body->code.function->inst_count; n++)
            note_inst(body, &body->code.function->insts[n]);
    }
    for (unsigned i = 0; i < program->body_count; i++)
        if (program->bodies[i]->code.function->entry)
            stack_need(program->bodies[i]);
    return layout_shared(program) ? PTX_OK : PTX_NO_MEMORY;
}
