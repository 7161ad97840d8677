/* Translates loads and stores, fences and hints, and says which file translates
 * which other memory instruction. Addresses are ptx_address.c's, what loads and
 * stores do is in ptx_access.c. */
#include "ptx_memory.h"
#include "sim_isa.h"

#include <stdatomic.h>
#include <string.h>

/* ---- fences ------------------------------------------------------------------------------ */

/* Between threads of a block, which all run on one thread of the host, and for
 * the compiler's sake: nothing to do. */
static const struct ptx_op *fence_block(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    atomic_signal_fence(memory_order_seq_cst);
    return op + 1;
}

static const struct ptx_op *fence_device(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    atomic_thread_fence(memory_order_seq_cst);
    return op + 1;
}

static const struct ptx_op *fence_acquire(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    atomic_thread_fence(memory_order_acquire);
    return op + 1;
}

static const struct ptx_op *fence_release(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp;
    atomic_thread_fence(memory_order_release);
    return op + 1;
}

/* ---- translation -------------------------------------------------------------------------- */

static const struct ptx_access_functions *access_functions(void)
{
#define TABLE(isa, name) [PTX_ISA_##isa] = &ptx_access_##name,
    static const struct ptx_access_functions *const functions[PTX_ISA_COUNT] = {SIM_ISAS(TABLE)};
#undef TABLE
    return functions[ptx_isa()];
}

/* A register keeps its own width: what is narrower in memory is widened by the
 * load itself, and a store takes the low bytes. */
static enum ptx_type data_type(const struct ptx_operand *operand, enum ptx_type type)
{
    bool is_register = operand->kind == PTX_OP_REG || operand->kind == PTX_OP_COMPONENT;
    return is_register && operand->symbol->type != PTX_PRED ? operand->symbol->type : type;
}

static uint8_t slot_width(enum ptx_type type)
{
    unsigned size = ptx_type_size(type);
    return (uint8_t)(size < 2 ? 2 : size);
}

static void emit_load(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_words words;
    ptx_words_read(inst, &words);
    struct ptx_access *access = ptx_access_create(builder, &inst->operands[1], &words, false);
    if (!access)
        return;
    enum ptx_type types[PTX_VECTOR_MAX];
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand element = ptx_vector_element(&inst->operands[0], i);
        types[i] = data_type(&element, words.type);
        access->widths[i] = slot_width(types[i]);
        access->slots[i] = ptx_build_destination(builder, &element, types[i]);
    }
    bool parameter = access->space == PTX_PARAM && access->symbol;
    const struct ptx_access_functions *functions = access_functions();
    ptx_access_op(builder, parameter ? functions->load_parameter : functions->load, access);
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand element = ptx_vector_element(&inst->operands[0], i);
        ptx_build_finish(builder, &element, types[i], access->slots[i]);
    }
    if (inst->mods & PTX_MOD_ACQUIRE)
        ptx_build_op(builder, fence_acquire);
}

static void emit_store(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_words words;
    ptx_words_read(inst, &words);
    struct ptx_access *access = ptx_access_create(builder, &inst->operands[0], &words, true);
    if (!access)
        return;
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand element = ptx_vector_element(&inst->operands[1], i);
        enum ptx_type type = data_type(&element, words.type);
        access->widths[i] = slot_width(type);
        access->slots[i] = ptx_build_source(builder, &element, type);
    }
    if (inst->mods & PTX_MOD_RELEASE)
        ptx_build_op(builder, fence_release);
    ptx_access_op(builder, access_functions()->store, access);
}

static void emit_fence(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    bool proxy = ptx_inst_has(inst, "proxy") || ptx_inst_has(inst, "mbarrier_init");
    ptx_build_op(builder, proxy || inst->mods & PTX_MOD_CTA ? fence_block : fence_device);
}

/* Caches are not simulated: the hint has no effect, as its address never faults. */
static void emit_hint(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    (void)inst;
    ptx_build_op(builder, fence_block);
}

/* Any policy does: it is only ever a hint. */
static const struct ptx_op *policy(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint64_t *d = (uint64_t *)(void *)(warp->regs + op->d);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? op->bits : d[lane];
    return op + 1;
}

static void emit_policy(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    uint32_t d = ptx_build_destination(builder, &inst->operands[0], PTX_B64);
    struct ptx_op *op = ptx_build_op(builder, policy);
    op->d = d;
    op->bits = UINT64_C(1) << 60;
    ptx_build_finish(builder, &inst->operands[0], PTX_B64, d);
}

void ptx_emit_memory(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    static const struct {
        const char *opcode;
        void (*emit)(struct ptx_builder *builder, const struct ptx_inst *inst);
    } emitters[] = {
        {"ld", emit_load},
        {"st", emit_store},
        {"ldu", emit_load},
        {"atom", ptx_emit_atomic},
        {"red", ptx_emit_atomic},
        {"cvta", ptx_emit_address},
        {"membar", emit_fence},
        {"isspacep", ptx_emit_address},
        {"fence", emit_fence},
        {"prefetch", emit_hint},
        {"prefetchu", emit_hint},
        {"discard", emit_hint},
        {"createpolicy", emit_policy},
        {"applypriority", emit_hint},
        {"cp", ptx_emit_copy_async},
        {"mbarrier", ptx_emit_mbarrier},
        {"tex", ptx_emit_image},
        {"tld4", ptx_emit_image},
        {"txq", ptx_emit_image},
        {"suld", ptx_emit_image},
        {"sust", ptx_emit_image},
        {"suq", ptx_emit_image},
    };
    for (size_t i = 0; i < sizeof emitters / sizeof *emitters; i++)
        if (strcmp(emitters[i].opcode, inst->opcode) == 0) {
            emitters[i].emit(builder, inst);
            return;
        }
    ptx_build_error(builder, "%s has no translation", inst->opcode);
}
