/* Loads and stores, fences, hints; and which file translates which other memory
 * instruction. Addresses are ptx_address.c's. */
#include "ptx_memory.h"
#include "sim_memory.h"

#include <stdatomic.h>
#include <string.h>

/* ---- one element of every lane ------------------------------------------------------- */

__attribute__((always_inline, no_sanitize("thread"))) static inline void
fetch_lane(unsigned char *slot, unsigned lane, unsigned width, const unsigned char *from,
           unsigned size, bool sign)
{
    if (size == width) {
        __builtin_memcpy(slot + lane * width, from, size);
        return;
    }
    uint64_t value = 0;
    __builtin_memcpy(&value, from, size < 8 ? size : 8);
    if (sign && size < 8)
        value = (uint64_t)((int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
    __builtin_memcpy(slot + lane * width, &value, width < 8 ? width : 8);
    if (width > 8)
        memset(slot + lane * width + 8, sign && value >> 63 ? 0xff : 0, width - 8);
}

__attribute__((always_inline, no_sanitize("thread"))) static inline void
fetch_lanes(unsigned char *slot, unsigned width, unsigned char *const *where, unsigned shift,
            uint32_t mask, unsigned size, bool sign)
{
    if (mask == UINT32_MAX)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            fetch_lane(slot, lane, width, where[lane] + shift, size, sign);
    else
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            fetch_lane(slot, lane, width, where[lane] + shift, size, sign);
        }
}

/* Calls with constants for what programs mostly do. */
__attribute__((no_sanitize("thread"))) static void fetch(unsigned char *slot, unsigned width,
                                                         unsigned char *const *where,
                                                         unsigned shift, uint32_t mask,
                                                         unsigned size, bool sign)
{
    switch (size << 8 | width) {
    case 0x0404:
        fetch_lanes(slot, 4, where, shift, mask, 4, false);
        break;
    case 0x0808:
        fetch_lanes(slot, 8, where, shift, mask, 8, false);
        break;
    case 0x0202:
        fetch_lanes(slot, 2, where, shift, mask, 2, false);
        break;
    case 0x1010:
        fetch_lanes(slot, 16, where, shift, mask, 16, false);
        break;
    case 0x0102:
        fetch_lanes(slot, 2, where, shift, mask, 1, sign);
        break;
    case 0x0104:
        fetch_lanes(slot, 4, where, shift, mask, 1, sign);
        break;
    case 0x0204:
        fetch_lanes(slot, 4, where, shift, mask, 2, sign);
        break;
    default:
        fetch_lanes(slot, width, where, shift, mask, size, sign);
    }
}

__attribute__((always_inline, no_sanitize("thread"))) static inline void
put_lanes(const unsigned char *slot, unsigned width, unsigned char *const *where, unsigned shift,
          uint32_t mask, unsigned size)
{
    if (mask == UINT32_MAX)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            __builtin_memcpy(where[lane] + shift, slot + lane * width, size);
    else
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            __builtin_memcpy(where[lane] + shift, slot + lane * width, size);
        }
}

__attribute__((no_sanitize("thread"))) static void put(const unsigned char *slot, unsigned width,
                                                       unsigned char *const *where, unsigned shift,
                                                       uint32_t mask, unsigned size)
{
    switch (size) { /* no element is written in two parts */
    case 1:
        put_lanes(slot, width, where, shift, mask, 1);
        break;
    case 2:
        put_lanes(slot, width, where, shift, mask, 2);
        break;
    case 4:
        put_lanes(slot, width, where, shift, mask, 4);
        break;
    case 8:
        put_lanes(slot, width, where, shift, mask, 8);
        break;
    default:
        put_lanes(slot, width, where, shift, mask, 16);
    }
}

/* ---- loads and stores ------------------------------------------------------------------ */

/* Both sides are arrays of one layout, and all lanes take part. */
static bool is_copy(const struct ptx_warp *warp, const struct ptx_access *access,
                    enum ptx_shape shape)
{
    return shape == PTX_SHAPE_RUN && warp->mask == UINT32_MAX && access->count == 1 &&
           access->size == access->widths[0] && (access->size == 4 || access->size == 8);
}

__attribute__((no_sanitize("thread"))) static const struct ptx_op *load(struct ptx_warp *warp,
                                                                        const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    ptx_access_addresses(warp, access, at);
    enum ptx_shape shape = ptx_access_reach(warp, op, access, at, where);
    if (shape == PTX_SHAPE_FAULT)
        return NULL;
    if (is_copy(warp, access, shape)) {
        unsigned char *slot = warp->regs + access->slots[0];
        if (access->size == 4)
            __builtin_memcpy(slot, where[0], PTX_LANES * 4);
        else
            __builtin_memcpy(slot, where[0], PTX_LANES * 8);
        return op + 1;
    }
    for (unsigned i = 0; i < access->count; i++)
        fetch(warp->regs + access->slots[i], access->widths[i], where, i * access->size, warp->mask,
              access->size, access->sign);
    return op + 1;
}

/* A kernel's parameter by its name: the same bytes for all lanes. */
static const struct ptx_op *load_parameter(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t offset = access->symbol->address + (uint64_t)access->offset;
    if (offset % access->bytes || offset > warp->param_size ||
        warp->param_size - offset < access->bytes)
        return ptx_fault_access(warp, op, (unsigned)__builtin_ctz(warp->mask), offset,
                                access->bytes, false, PTX_PARAM);
    unsigned char *where[PTX_LANES];
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        where[lane] = (unsigned char *)(uintptr_t)(warp->params + offset);
    for (unsigned i = 0; i < access->count; i++)
        fetch(warp->regs + access->slots[i], access->widths[i], where, i * access->size,
              warp->whole ? UINT32_MAX : warp->mask, access->size, access->sign);
    return op + 1;
}

__attribute__((no_sanitize("thread"))) static const struct ptx_op *store(struct ptx_warp *warp,
                                                                         const struct ptx_op *op)
{
    const struct ptx_access *access = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    ptx_access_addresses(warp, access, at);
    enum ptx_shape shape = ptx_access_reach(warp, op, access, at, where);
    if (shape == PTX_SHAPE_FAULT)
        return NULL;
    if (is_copy(warp, access, shape)) {
        const unsigned char *slot = warp->regs + access->slots[0];
        if (access->size == 4)
            __builtin_memcpy(where[0], slot, PTX_LANES * 4);
        else
            __builtin_memcpy(where[0], slot, PTX_LANES * 8);
        return op + 1;
    }
    for (unsigned i = 0; i < access->count; i++)
        put(warp->regs + access->slots[i], access->widths[i], where, i * access->size, warp->mask,
            access->size);
    return op + 1;
}

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
    ptx_access_op(builder, parameter ? load_parameter : load, access);
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
    ptx_access_op(builder, store, access);
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
    };
    for (size_t i = 0; i < sizeof emitters / sizeof *emitters; i++)
        if (strcmp(emitters[i].opcode, inst->opcode) == 0) {
            emitters[i].emit(builder, inst);
            return;
        }
    ptx_build_error(builder, "%s has no translation", inst->opcode);
}
