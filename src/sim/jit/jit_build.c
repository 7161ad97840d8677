/* Owns the translation of a region into a function of LLVM.
 *
 * Everything is in memory of the function: a copy of the state and one of the frame. Passes of LLVM
 * make values of what is only accessed at constant offsets, which is why nothing here numbers
 * values, and loops need no care. Slots are copied in pieces as wide as the host's vectors, as the
 * functions of the bitcode access them. */
#include "jit_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy of the state with its frame. */
struct copy {
    LLVMValueRef state, frame;
};

struct maker {
    struct jit_build *build;
    const struct jit_llvm *llvm;
    const struct wave_region *region;
    const struct wave_machine *machine;
    const struct wave_flow *flow;
    LLVMModuleRef bitcode;
    LLVMBuilderRef at;
    LLVMTypeRef i8, i32, i64, pointer, handler_type;
    LLVMValueRef likely, unlikely; /* metadata: what the first of two ways is */
    unsigned weights_kind, noinline;
    struct copy real, mine;
    struct copy aside; /* for functions that are not inlined; made when there is one */
    LLVMBasicBlockRef entry, *blocks;
};

enum { ARGUMENTS_MAX = 64 };

bool jit_build_failed(struct jit_build *build, const char *format, ...)
{
    if (build->reason[0])
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(build->reason, sizeof build->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- places and pieces ------------------------------------------------------------------- */

static LLVMValueRef place(const struct maker *m, LLVMValueRef base, uint32_t offset)
{
    LLVMValueRef index = m->llvm->LLVMConstInt(m->i64, offset, 0);
    return m->llvm->LLVMBuildGEP2(m->at, m->i8, base, &index, 1, "");
}

/* The type of the next piece of size bytes, and its size. */
static LLVMTypeRef piece_type(const struct maker *m, uint32_t size, uint32_t *out_piece)
{
    uint32_t piece = m->machine->bitcode->vector;
    while (piece > size)
        piece /= 2;
    *out_piece = piece;
    return piece > 8 ? m->llvm->LLVMVectorType(m->i32, piece / 4)
                     : m->llvm->LLVMIntTypeInContext(m->build->context, piece * 8);
}

/* Copies a range between two states or frames. The real ones are aligned as the front end likes. */
static void copy_range(const struct maker *m, LLVMValueRef from, LLVMValueRef to, uint32_t offset,
                       uint32_t size, LLVMTypeRef type)
{
    for (uint32_t piece; size; offset += piece, size -= piece) {
        LLVMTypeRef fitting = piece_type(m, size, &piece);
        LLVMValueRef value =
            m->llvm->LLVMBuildLoad2(m->at, type ? type : fitting, place(m, from, offset), "");
        m->llvm->LLVMSetAlignment(value, 1);
        m->llvm->LLVMSetAlignment(m->llvm->LLVMBuildStore(m->at, value, place(m, to, offset)), 1);
    }
}

static void copy_slot(const struct maker *m, const struct copy *from, const struct copy *to,
                      const struct wave_slot *slot)
{
    bool frame = slot->base == WAVE_FRAME;
    copy_range(m, frame ? from->frame : from->state, frame ? to->frame : to->state, slot->offset,
               slot->size, NULL);
}

static void copy_slots(const struct maker *m, const struct copy *from, const struct copy *to,
                       const struct wave_slot *slots, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        copy_slot(m, from, to, &slots[i]);
}

/* ---- fields --------------------------------------------------------------------------------- */

static void store_constant(const struct maker *m, LLVMValueRef state,
                           const struct wave_field *field)
{
    enum { MOST = 64 };
    uint32_t left = field->repeat > 1 ? field->repeat : 1, offset = field->offset;
    LLVMTypeRef type = m->llvm->LLVMIntTypeInContext(m->build->context, field->size * 8);
    LLVMValueRef value = m->llvm->LLVMConstInt(type, field->value, 0), many[MOST];
    uint32_t wide = m->machine->bitcode->vector / field->size;
    for (uint32_t i = 0; i < MOST; i++)
        many[i] = value;
    for (; left >= wide; left -= wide, offset += wide * field->size)
        m->llvm->LLVMSetAlignment(m->llvm->LLVMBuildStore(m->at,
                                                          m->llvm->LLVMConstVector(many, wide),
                                                          place(m, state, offset)),
                                  1);
    for (; left; left--, offset += field->size)
        m->llvm->LLVMSetAlignment(m->llvm->LLVMBuildStore(m->at, value, place(m, state, offset)),
                                  1);
}

static void copy_kept(const struct maker *m, const struct copy *from, const struct copy *to)
{
    for (unsigned i = 0; i < m->machine->field_count; i++) {
        const struct wave_field *field = &m->machine->fields[i];
        if (field->kind == WAVE_KEPT)
            copy_range(m, from->state, to->state, field->offset, field->size, NULL);
    }
}

/* All fields at the entry, and the pointer to the frame. */
static void fill_fields(const struct maker *m, const struct copy *copy)
{
    for (unsigned i = 0; i < m->machine->field_count; i++) {
        const struct wave_field *field = &m->machine->fields[i];
        if (field->kind == WAVE_CONSTANT)
            store_constant(m, copy->state, field);
        else /* of 8 bytes that are never written, most are addresses */
            copy_range(m, m->real.state, copy->state, field->offset, field->size,
                       field->kind == WAVE_COPIED && field->size == 8 ? m->pointer : NULL);
    }
    m->llvm->LLVMBuildStore(m->at, copy->frame, place(m, copy->state, m->machine->frame_field));
}

static LLVMValueRef make_memory(const struct maker *m, uint32_t size, const char *name)
{
    LLVMTypeRef type = m->llvm->LLVMArrayType2(m->i8, size ? size : 1);
    LLVMValueRef memory = m->llvm->LLVMBuildAlloca(m->at, type, name);
    m->llvm->LLVMSetAlignment(memory, 64);
    return memory;
}

/* At the end of the entry, which has no branch yet. */
static void make_copy(struct maker *m, struct copy *out_copy, const char *frame)
{
    out_copy->state = make_memory(m, m->machine->state_size, "state");
    out_copy->frame = make_memory(m, m->region->frame_size, frame);
    fill_fields(m, out_copy);
}

static void write_back(const struct maker *m, const struct wave_back *back)
{
    for (unsigned i = 0; i < back->count; i++)
        copy_slot(m, &m->mine, &m->real, &m->flow->slots[back->slots[i]]);
    copy_kept(m, &m->mine, &m->real);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* What is common to calls of instructions and of branches. */
struct call {
    const char *function;
    const uint64_t *arguments;
    unsigned argument_count;
    uint64_t addresses;
    const struct wave_slot *reads, *writes;
    unsigned read_count, write_count;
};

/* The symbol of an address. */
static LLVMValueRef address(const struct maker *m, const void *pointer)
{
    char name[JIT_ADDRESS_NAME];
    jit_address_name(jit_address_number(&m->build->addresses, pointer), name);
    LLVMValueRef symbol = m->llvm->LLVMGetNamedGlobal(m->build->module, name);
    return symbol ? symbol : m->llvm->LLVMAddGlobal(m->build->module, m->i8, name);
}

static LLVMValueRef argument(const struct maker *m, const struct call *call, unsigned i)
{
    uint64_t value = call->arguments[i];
    if (!wave_is_address(call->addresses, call->arguments, i))
        return m->llvm->LLVMConstInt(m->i64, value, 0);
    return m->llvm->LLVMConstPtrToInt(address(m, (const void *)(uintptr_t)value), m->i64);
}

static void copy_attribute(const struct maker *m, LLVMValueRef from, const char *name)
{
    LLVMAttributeRef attribute = m->llvm->LLVMGetStringAttributeAtIndex(
        from, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
    if (attribute)
        m->llvm->LLVMAddAttributeAtIndex(m->build->function, LLVMAttributeFunctionIndex, attribute);
}

/* The region is compiled for the instructions that the bitcode was compiled for. */
static void copy_attributes(const struct maker *m, LLVMValueRef from)
{
    copy_attribute(m, from, "target-cpu");
    copy_attribute(m, from, "target-features");
    copy_attribute(m, from, "prefer-vector-width");
    copy_attribute(m, from, "no-trapping-math");
}

static bool is_noinline(const struct maker *m, const char *name)
{
    LLVMValueRef defined = m->llvm->LLVMGetNamedFunction(m->build->module, name);
    return m->llvm->LLVMGetEnumAttributeAtIndex(defined, LLVMAttributeFunctionIndex, m->noinline) !=
           NULL;
}

static LLVMValueRef make_call(const struct maker *m, const struct call *call)
{
    LLVMValueRef values[ARGUMENTS_MAX + 1];
    LLVMValueRef function = m->llvm->LLVMGetNamedFunction(m->build->module, call->function);
    bool aside = is_noinline(m, call->function);
    if (aside) {
        copy_kept(m, &m->mine, &m->aside);
        copy_slots(m, &m->mine, &m->aside, call->reads, call->read_count);
    }
    values[0] = aside ? m->aside.state : m->mine.state;
    for (unsigned i = 0; i < call->argument_count; i++)
        values[i + 1] = argument(m, call, i);
    return m->llvm->LLVMBuildCall2(m->at, m->llvm->LLVMGlobalGetValueType(function), function,
                                   values, call->argument_count + 1, "");
}

/* After a call that has done its work. */
static void take_results(const struct maker *m, const struct call *call)
{
    if (!is_noinline(m, call->function))
        return;
    copy_slots(m, &m->aside, &m->mine, call->writes, call->write_count);
    copy_kept(m, &m->aside, &m->mine);
}

/* ---- ways --------------------------------------------------------------------------------------
 */

static LLVMBasicBlockRef new_block(const struct maker *m, const char *name)
{
    return m->llvm->LLVMAppendBasicBlockInContext(m->build->context, m->build->function, name);
}

static void go_to(const struct maker *m, LLVMBasicBlockRef block)
{
    m->llvm->LLVMPositionBuilderAtEnd(m->at, block);
}

/* Where the condition holds, which is unlikely, to one block, and otherwise on in another. */
static void branch_unlikely(const struct maker *m, LLVMValueRef condition, LLVMBasicBlockRef then,
                            LLVMBasicBlockRef otherwise)
{
    LLVMValueRef branch = m->llvm->LLVMBuildCondBr(m->at, condition, then, otherwise);
    m->llvm->LLVMSetMetadata(branch, m->weights_kind, m->unlikely);
}

static LLVMValueRef equals(const struct maker *m, LLVMValueRef value, unsigned constant)
{
    return m->llvm->LLVMBuildICmp(m->at, LLVMIntEQ, value,
                                  m->llvm->LLVMConstInt(m->i32, constant, 0), "");
}

static void leave(const struct maker *m, const struct wave_back *back, const void *op)
{
    write_back(m, back);
    m->llvm->LLVMBuildRet(m->at, address(m, op));
}

/* Calls an op's handler, with everything in place, and goes on in a block. */
static void call_handler(const struct maker *m, const struct wave_inst *inst,
                         const struct wave_back *back, LLVMBasicBlockRef on)
{
    write_back(m, back);
    LLVMValueRef values[] = {m->real.state, address(m, inst->op)};
    LLVMValueRef handler = address(m, wave_handler(m->machine, inst->op));
    LLVMValueRef next = m->llvm->LLVMBuildCall2(m->at, m->handler_type, handler, values, 2, "");
    LLVMBasicBlockRef other = new_block(m, "other"), done = new_block(m, "done");
    LLVMValueRef same = m->llvm->LLVMBuildICmp(m->at, LLVMIntNE, next, address(m, inst->next), "");
    branch_unlikely(m, same, other, done);
    go_to(m, other);
    m->llvm->LLVMBuildRet(m->at, next);
    go_to(m, done);
    copy_slots(m, &m->real, &m->mine, inst->writes, inst->write_count);
    copy_kept(m, &m->real, &m->mine);
    m->llvm->LLVMBuildBr(m->at, on);
    go_to(m, on);
}

static struct call call_of(const struct wave_inst *inst)
{
    return (struct call){.function = inst->function,
                         .arguments = inst->arguments,
                         .argument_count = inst->argument_count,
                         .addresses = inst->addresses,
                         .reads = inst->reads,
                         .read_count = inst->read_count,
                         .writes = inst->writes,
                         .write_count = inst->write_count};
}

/* An attempt or a guard: goes on where its function returns anything but 0. */
static void make_test(const struct maker *m, const struct wave_inst *inst,
                      const struct wave_back *back)
{
    struct call call = call_of(inst);
    LLVMValueRef result = make_call(m, &call);
    LLVMBasicBlockRef failed = new_block(m, "failed"), done = new_block(m, "done");
    LLVMBasicBlockRef on = inst->kind == WAVE_ATTEMPT ? new_block(m, "on") : done;
    branch_unlikely(m, equals(m, result, 0), failed, done);
    go_to(m, done);
    take_results(m, &call);
    if (on != done)
        m->llvm->LLVMBuildBr(m->at, on);
    go_to(m, failed);
    if (inst->kind == WAVE_GUARD)
        leave(m, back, inst->op);
    else
        call_handler(m, inst, back, on);
    go_to(m, on);
}

static void make_inst(const struct maker *m, const struct wave_inst *inst,
                      const struct wave_back *back)
{
    if (inst->kind == WAVE_HANDLER) {
        call_handler(m, inst, back, new_block(m, "on"));
        return;
    }
    if (inst->kind != WAVE_EFFECT) {
        make_test(m, inst, back);
        return;
    }
    struct call call = call_of(inst);
    make_call(m, &call);
    take_results(m, &call);
}

static void make_branch(const struct maker *m, const struct wave_block *block,
                        const struct wave_back *back)
{
    struct call call = {.function = block->function,
                        .arguments = block->arguments,
                        .argument_count = block->argument_count,
                        .addresses = block->addresses,
                        .reads = block->reads,
                        .read_count = block->read_count};
    LLVMValueRef result = make_call(m, &call);
    take_results(m, &call);
    unsigned last = block->stays ? block->target_count - 1 : block->target_count;
    for (unsigned i = 0; i < last; i++) {
        LLVMBasicBlockRef other = new_block(m, "other");
        LLVMValueRef branch = m->llvm->LLVMBuildCondBr(m->at, equals(m, result, i),
                                                       m->blocks[block->targets[i]], other);
        if (i + 1 == block->target_count)
            m->llvm->LLVMSetMetadata(branch, m->weights_kind, m->likely);
        go_to(m, other);
    }
    if (block->stays)
        m->llvm->LLVMBuildBr(m->at, m->blocks[block->targets[last]]);
    else
        leave(m, back, block->op);
}

static void make_block(const struct maker *m, unsigned b)
{
    const struct wave_block *block = &m->region->blocks[b];
    const struct wave_back *back = m->flow->back[b], *last = &back[block->inst_count];
    go_to(m, m->blocks[b]);
    for (unsigned n = 0; n < block->inst_count; n++)
        make_inst(m, &block->insts[n], &back[n]);
    if (block->end == WAVE_BRANCH)
        make_branch(m, block, last);
    else if (block->end == WAVE_JUMP)
        m->llvm->LLVMBuildBr(m->at, m->blocks[block->targets[0]]);
    else
        leave(m, last, block->op);
}

/* ---- the function -------------------------------------------------------------------------------
 */

static LLVMValueRef make_weights(const struct maker *m, unsigned first, unsigned second)
{
    static const char name[] = "branch_weights";
    LLVMContextRef context = m->build->context;
    LLVMMetadataRef elements[] = {
        m->llvm->LLVMMDStringInContext2(context, name, sizeof name - 1),
        m->llvm->LLVMValueAsMetadata(m->llvm->LLVMConstInt(m->i32, first, 0)),
        m->llvm->LLVMValueAsMetadata(m->llvm->LLVMConstInt(m->i32, second, 0)),
    };
    return m->llvm->LLVMMetadataAsValue(context,
                                        m->llvm->LLVMMDNodeInContext2(context, elements, 3));
}

static void make_types(struct maker *m)
{
    LLVMContextRef context = m->build->context;
    m->i8 = m->llvm->LLVMIntTypeInContext(context, 8);
    m->i32 = m->llvm->LLVMIntTypeInContext(context, 32);
    m->i64 = m->llvm->LLVMIntTypeInContext(context, 64);
    m->pointer = m->llvm->LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef parameters[] = {m->pointer, m->pointer};
    m->handler_type = m->llvm->LLVMFunctionType(m->pointer, parameters, 2, 0);
    m->unlikely = make_weights(m, 1, 1000);
    m->likely = make_weights(m, 1000, 1);
    m->weights_kind = m->llvm->LLVMGetMDKindIDInContext(context, "prof", 4);
    m->noinline = m->llvm->LLVMGetEnumAttributeKindForName("noinline", 8);
}

static bool parse_bitcode(struct maker *m)
{
    const struct wave_bitcode *bitcode = m->machine->bitcode;
    LLVMMemoryBufferRef buffer = m->llvm->LLVMCreateMemoryBufferWithMemoryRange(
        (const char *)bitcode->bytes, (size_t)(bitcode->end - bitcode->bytes), bitcode->name, 0);
    /* Functions are parsed when they are linked. */
    if (m->llvm->LLVMGetBitcodeModuleInContext2(m->build->context, buffer, &m->bitcode)) {
        m->bitcode = NULL;
        m->llvm->LLVMDisposeMemoryBuffer(buffer); /* it is taken only where it can be read */
        return jit_build_failed(m->build, "the bitcode cannot be read: %s", bitcode->name);
    }
    LLVMModuleRef module =
        m->llvm->LLVMModuleCreateWithNameInContext(m->region->name, m->build->context);
    m->build->module = module;
    m->llvm->LLVMSetTarget(module, m->llvm->LLVMGetTarget(m->bitcode));
    m->llvm->LLVMSetDataLayout(module, m->llvm->LLVMGetDataLayoutStr(m->bitcode));
    return true;
}

/* Where one of the entries is, with the slots that are needed from there on. */
static void make_load(const struct maker *m, unsigned entry)
{
    const struct wave_back *needed = &m->flow->entries[entry];
    for (unsigned i = 0; i < needed->count; i++)
        copy_slot(m, &m->real, &m->mine, &m->flow->slots[needed->slots[i]]);
    m->llvm->LLVMBuildBr(m->at, m->blocks[wave_entry(m->region, entry)]);
}

/* The way to the entry whose number is in the state. */
static void make_ways(const struct maker *m)
{
    unsigned count = wave_entry_count(m->region);
    LLVMValueRef number = NULL;
    if (count > 1)
        number = m->llvm->LLVMBuildLoad2(m->at, m->i32,
                                         place(m, m->real.state, m->machine->entry_field), "");
    for (unsigned e = 0; e + 1 < count; e++) {
        LLVMBasicBlockRef here = new_block(m, "here"), other = new_block(m, "other");
        m->llvm->LLVMBuildCondBr(m->at, equals(m, number, e), here, other);
        go_to(m, here);
        make_load(m, e);
        go_to(m, other);
    }
    make_load(m, count - 1);
}

static void make_entry(struct maker *m)
{
    LLVMTypeRef type = m->llvm->LLVMFunctionType(m->pointer, &m->pointer, 1, 0);
    m->build->function = m->llvm->LLVMAddFunction(m->build->module, JIT_ENTRY, type);
    go_to(m, new_block(m, "entry"));
    m->real.state = m->llvm->LLVMGetParam(m->build->function, 0);
    m->real.frame = m->llvm->LLVMBuildLoad2(m->at, m->pointer,
                                            place(m, m->real.state, m->machine->frame_field), "");
    make_copy(m, &m->mine, JIT_FRAME);
    make_copy(m, &m->aside, "aside");
    for (unsigned b = 0; b < m->region->block_count; b++)
        m->blocks[b] = new_block(m, "block");
    make_ways(m);
}

/* The declaration of a function of the bitcode in the region's module. */
static bool declare(const struct maker *m, const char *name, unsigned arguments)
{
    LLVMValueRef defined = m->llvm->LLVMGetNamedFunction(m->bitcode, name);
    if (!defined || m->llvm->LLVMIsDeclaration(defined))
        return jit_build_failed(m->build, "no function %s in %s", name, m->machine->bitcode->name);
    LLVMTypeRef type = m->llvm->LLVMGlobalGetValueType(defined);
    if (arguments > ARGUMENTS_MAX || m->llvm->LLVMCountParams(defined) != arguments + 1 ||
        m->llvm->LLVMGetReturnType(type) != m->i32)
        return jit_build_failed(m->build,
                                "%s has %u parameters besides the state, and %u arguments, or does "
                                "not return uint32_t",
                                name, m->llvm->LLVMCountParams(defined) - 1, arguments);
    if (!m->llvm->LLVMGetNamedFunction(m->build->module, name))
        m->llvm->LLVMAddFunction(m->build->module, name, type);
    return true;
}

static bool declare_all(const struct maker *m)
{
    for (unsigned b = 0; b < m->region->block_count; b++) {
        const struct wave_block *block = &m->region->blocks[b];
        for (unsigned n = 0; n < block->inst_count; n++) {
            const struct wave_inst *inst = &block->insts[n];
            if (inst->kind != WAVE_HANDLER && !declare(m, inst->function, inst->argument_count))
                return false;
        }
        if (block->end == WAVE_BRANCH && !declare(m, block->function, block->argument_count))
            return false;
    }
    return true;
}

/* Whether some block of a function may be executed again: whether one is followed by itself or by
 * one before it. */
static bool has_loop(const struct maker *m, LLVMValueRef function)
{
    LLVMBasicBlockRef first = m->llvm->LLVMGetFirstBasicBlock(function);
    for (LLVMBasicBlockRef b = first; b; b = m->llvm->LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = m->llvm->LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; i < m->llvm->LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef before = first, after = m->llvm->LLVMGetSuccessor(end, i);
            while (before != after && before != b)
                before = m->llvm->LLVMGetNextBasicBlock(before);
            if (before == after)
                return true;
        }
    }
    return false;
}

/* What still has a loop, over lanes, indexes slots by them, and would keep the frame in memory. */
static void set_loops_aside(const struct maker *m)
{
    LLVMAttributeRef aside = m->llvm->LLVMCreateEnumAttribute(m->build->context, m->noinline, 0);
    for (unsigned b = 0; b < m->region->block_count; b++) {
        const struct wave_block *block = &m->region->blocks[b];
        for (unsigned n = 0; n < block->inst_count; n++) {
            const struct wave_inst *inst = &block->insts[n];
            if (inst->kind != WAVE_EFFECT || is_noinline(m, inst->function))
                continue;
            LLVMValueRef f = m->llvm->LLVMGetNamedFunction(m->build->module, inst->function);
            if (has_loop(m, f))
                m->llvm->LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, aside);
        }
    }
}

/* Makes a definition that is dropped unless something needs it. */
static void make_optional(const struct maker *m, LLVMValueRef global)
{
    int linkage = m->llvm->LLVMGetLinkage(global);
    if (!m->llvm->LLVMIsDeclaration(global) && linkage == LLVMExternalLinkage)
        m->llvm->LLVMSetLinkage(global, LLVMLinkOnceODRLinkage);
}

/* Adds the functions that are called to the module, with what they need. */
static bool link_bitcode(struct maker *m)
{
    LLVMValueRef global;
    for (global = m->llvm->LLVMGetFirstFunction(m->bitcode); global;
         global = m->llvm->LLVMGetNextFunction(global))
        make_optional(m, global);
    for (global = m->llvm->LLVMGetFirstGlobal(m->bitcode); global;
         global = m->llvm->LLVMGetNextGlobal(global))
        make_optional(m, global);
    LLVMModuleRef bitcode = m->bitcode;
    m->bitcode = NULL; /* linking frees it */
    if (m->llvm->LLVMLinkModules2(m->build->module, bitcode))
        return jit_build_failed(m->build, "the bitcode cannot be linked");
    return true;
}

/* Once linked, the functions are the region's own. Those that are called directly are inlined. */
static void set_attributes(struct maker *m)
{
    unsigned always = m->llvm->LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAttributeRef inlined = m->llvm->LLVMCreateEnumAttribute(m->build->context, always, 0);
    bool copied = false;
    for (LLVMValueRef f = m->llvm->LLVMGetFirstFunction(m->build->module); f;
         f = m->llvm->LLVMGetNextFunction(f)) {
        if (f == m->build->function || m->llvm->LLVMIsDeclaration(f))
            continue;
        if (!copied)
            copy_attributes(m, f);
        copied = true;
        if (!m->llvm->LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, m->noinline))
            m->llvm->LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, inlined);
        m->llvm->LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    unsigned nounwind = m->llvm->LLVMGetEnumAttributeKindForName("nounwind", 8);
    m->llvm->LLVMAddAttributeAtIndex(
        m->build->function, LLVMAttributeFunctionIndex,
        m->llvm->LLVMCreateEnumAttribute(m->build->context, nounwind, 0));
}

static bool make_function(struct maker *m)
{
    if (!parse_bitcode(m) || !declare_all(m) || !link_bitcode(m))
        return false;
    set_loops_aside(m);
    make_entry(m);
    for (unsigned b = 0; b < m->region->block_count; b++)
        make_block(m, b);
    set_attributes(m);
    return true;
}

static void note_problem(LLVMDiagnosticInfoRef info, void *data)
{
    struct jit_build *build = data;
    if (build->llvm->LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = build->llvm->LLVMGetDiagInfoDescription(info);
    jit_build_failed(build, "%s", text);
    build->llvm->LLVMDisposeMessage(text);
}

bool jit_build_begin(struct jit_build *build)
{
    const uint64_t salt = jit_code_salt() * 2 + build->all_live;
    return (wave_flow_init(&build->flow, build->region, build->all_live) &&
            jit_key_make(build->region, &build->flow, salt, &build->addresses, &build->key)) ||
           jit_build_failed(build, "no memory");
}

bool jit_build_function(struct jit_build *build)
{
    struct maker m = {.build = build,
                      .llvm = build->llvm,
                      .region = build->region,
                      .machine = build->region->machine,
                      .flow = &build->flow};
    build->context = m.llvm->LLVMContextCreate();
    m.llvm->LLVMContextSetDiagnosticHandler(build->context, note_problem, build);
    m.at = m.llvm->LLVMCreateBuilderInContext(build->context);
    m.blocks = calloc(build->region->block_count, sizeof(LLVMBasicBlockRef));
    bool made = false;
    if (!m.blocks) {
        jit_build_failed(build, "no memory");
    } else {
        make_types(&m);
        made = make_function(&m);
    }
    if (m.bitcode)
        m.llvm->LLVMDisposeModule(m.bitcode);
    m.llvm->LLVMDisposeBuilder(m.at);
    free(m.blocks);
    return made && !build->reason[0];
}

void jit_build_fini(struct jit_build *build)
{
    if (build->module)
        build->llvm->LLVMDisposeModule(build->module);
    if (build->context)
        build->llvm->LLVMContextDispose(build->context);
    build->module = NULL;
    build->context = NULL;
    wave_flow_fini(&build->flow);
    jit_addresses_fini(&build->addresses);
}
