/* Addresses: from registers to checked host memory, and the instructions that
 * convert and ask about them. Moves no data; see ptx_memory.c. */
#include "ptx_checks.h"
#include "ptx_memory.h"
#include "sim_memory.h"

#include <string.h>

/* ---- translation ------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum ptx_space space;
} spaces[] = {
    {"global", PTX_GLOBAL},      {"const", PTX_CONST},        {"shared", PTX_SHARED},
    {"shared::cta", PTX_SHARED}, {"local", PTX_LOCAL},        {"shared::cluster", PTX_SHARED},
    {"param", PTX_PARAM},        {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM},
};

static enum ptx_type type_of_name(const char *name)
{
    for (int type = PTX_NOTYPE + 1; type < PTX_TYPE_COUNT; type++)
        if (strcmp(ptx_type_name((enum ptx_type)type), name) == 0)
            return (enum ptx_type)type;
    return PTX_NOTYPE;
}

static void word_read(const char *word, struct ptx_words *words)
{
    enum ptx_type type = type_of_name(word);
    if (type != PTX_NOTYPE)
        words->type = type;
    else if (word[0] == 'v' && strchr("248", word[1]) && word[1] && !word[2])
        words->vector = (unsigned)(word[1] - '0');
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(spaces[i].name, word) == 0)
            words->space = spaces[i].space;
    words->entry |= strcmp(word, "param::entry") == 0;
    words->func |= strcmp(word, "param::func") == 0;
}

void ptx_words_read(const struct ptx_inst *inst, struct ptx_words *out_words)
{
    *out_words = (struct ptx_words){.space = PTX_GENERIC, .vector = 1, .line = inst->line};
    for (unsigned i = 0; i < inst->modifier_count; i++)
        word_read(inst->modifiers[i], out_words);
}

bool ptx_inst_has(const struct ptx_inst *inst, const char *modifier)
{
    for (unsigned i = 0; i < inst->modifier_count; i++)
        if (strcmp(inst->modifiers[i], modifier) == 0)
            return true;
    return false;
}

static bool is_launch_parameter(const struct ptx_function *function,
                                const struct ptx_symbol *symbol)
{
    if (!function->entry)
        return false;
    for (const struct ptx_symbol *param = function->params; param; param = param->next)
        if (param == symbol)
            return true;
    return false;
}

/* A .param address is the launch's when it names one of a kernel's parameters, or
 * is in a register and the instruction, or else the kind of function, says so. */
static void place_param(struct ptx_access *access, const struct ptx_function *function,
                        const struct ptx_words *words)
{
    bool launch = access->symbol ? is_launch_parameter(function, access->symbol)
                                 : words->entry || (function->entry && !words->func);
    access->space = launch ? PTX_PARAM : PTX_LOCAL;
}

static void place_symbol(struct ptx_access *access, const struct ptx_symbol *symbol)
{
    access->symbol = symbol;
    if (access->space == PTX_GENERIC) { /* a variable's name says where it is */
        access->space = symbol->space;
        access->named = symbol->space;
    }
}

struct ptx_access *ptx_access_create(struct ptx_builder *builder, const struct ptx_operand *address,
                                     const struct ptx_words *words, bool write)
{
    struct ptx_access *access = ptx_build_alloc(builder, sizeof *access);
    if (!access)
        return NULL;
    access->space = access->named = words->space;
    access->write = write;
    access->line = words->line;
    access->size = (uint8_t)ptx_type_size(words->type);
    access->count = (uint8_t)words->vector;
    access->bytes = (uint8_t)(access->size * access->count);
    access->sign = words->type >= PTX_S8 && words->type <= PTX_S64;
    access->offset = address->offset;
    const struct ptx_symbol *symbol = address->symbol;
    if (symbol && symbol->kind == PTX_REGISTER) {
        struct ptx_operand base = *address;
        base.kind = PTX_OP_REG;
        access->address_size = (uint8_t)ptx_type_size(symbol->type);
        if (access->address_size != 4 && access->address_size != 8)
            ptx_build_error(builder, "register %s is no address", symbol->name);
        access->base = ptx_build_source(builder, &base, symbol->type);
    } else if (symbol) {
        place_symbol(access, symbol);
    } else {
        access->offset += (int64_t)address->bits;
    }
    if (access->space == PTX_PARAM)
        place_param(access, ptx_build_function(builder), words);
    if (access->space == PTX_CONST)
        access->space = PTX_GLOBAL;
    access->frame = access->space == PTX_LOCAL && access->symbol;
    return access;
}

struct ptx_operand ptx_vector_element(const struct ptx_operand *operand, unsigned index)
{
    if (operand->kind == PTX_OP_VECTOR)
        return operand->elements[index];
    struct ptx_operand element = *operand;
    if (operand->kind == PTX_OP_REG && operand->symbol->vector > 1) {
        element.kind = PTX_OP_COMPONENT;
        element.component = (uint8_t)index;
    }
    return element;
}

struct ptx_op *ptx_access_op(struct ptx_builder *builder, ptx_handler handler,
                             const struct ptx_access *access)
{
    ptx_emit_checks(builder, access);
    struct ptx_op *op = ptx_build_op(builder, handler);
    op->extra = access;
    return op;
}

/* ---- execution ---------------------------------------------------------------------- */

void ptx_access_addresses(const struct ptx_warp *warp, const struct ptx_access *access,
                          uint64_t out_at[PTX_LANES])
{
    uint64_t offset = (uint64_t)access->offset;
    if (access->symbol)
        offset += access->symbol->address;
    if (access->frame)
        offset += warp->local_offset;
    if (access->address_size == 8) {
        const uint64_t *base = (const uint64_t *)(const void *)(warp->regs + access->base);
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            out_at[lane] = base[lane] + offset;
    } else if (access->address_size == 4) {
        const uint32_t *base = (const uint32_t *)(const void *)(warp->regs + access->base);
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            out_at[lane] = (uint32_t)(base[lane] + (uint32_t)offset);
    } else {
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            out_at[lane] = offset;
    }
}

/* Sizes are powers of two. */
static bool is_misaligned(const struct ptx_access *access, uint64_t address)
{
    return address & (access->bytes - 1u);
}

static enum ptx_shape refuse(struct ptx_warp *warp, const struct ptx_op *op,
                             const struct ptx_access *access, unsigned lane, uint64_t address)
{
    ptx_fault_access(warp, op, lane, address, access->bytes, access->write, access->named);
    return PTX_SHAPE_FAULT;
}

static enum ptx_shape refuse_first(struct ptx_warp *warp, const struct ptx_op *op,
                                   const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                   uint64_t limit)
{
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (at[lane] >= limit || limit - at[lane] < access->bytes ||
            is_misaligned(access, at[lane]))
            return refuse(warp, op, access, lane, at[lane]);
    }
    return PTX_SHAPE_FAULT;
}

/* A small space: offsets below limit, lane l's bytes at start + l * stride. */
static inline enum ptx_shape reach_window(struct ptx_warp *warp, const struct ptx_op *op,
                                          const struct ptx_access *access,
                                          const uint64_t at[PTX_LANES], unsigned char *start,
                                          size_t limit, size_t stride,
                                          unsigned char *out_where[PTX_LANES])
{
    uint64_t last = limit - access->bytes, low = access->bytes - 1u, bad = limit < access->bytes;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        uint64_t in = (uint64_t)(int64_t)warp->lanes[lane];
        bad |= ((at[lane] & low) | (at[lane] > last)) & in;
        out_where[lane] = (unsigned char *)((uintptr_t)start + lane * stride + at[lane]);
    }
    return bad ? refuse_first(warp, op, access, at, limit) : PTX_SHAPE_ANY;
}

/* size bytes that may cross granules; NULL: some are out of reach, or they do not
 * lie in one piece. */
static unsigned char *reach_run(int device, uint64_t address, size_t size, bool write)
{
    size_t part = SIM_GRANULE - address % SIM_GRANULE;
    unsigned char *start = sim_reach(device, address, part < size ? part : size, write);
    for (size_t done = part; start && done < size; done += SIM_GRANULE) {
        part = size - done < SIM_GRANULE ? size - done : SIM_GRANULE;
        if (sim_reach(device, address + done, part, write) != start + done)
            return NULL;
    }
    return start;
}

static enum ptx_shape reach_each(struct ptx_warp *warp, const struct ptx_op *op,
                                 const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                 unsigned char *out_where[PTX_LANES])
{
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (!is_misaligned(access, at[lane]))
            out_where[lane] = sim_reach(warp->device, at[lane], access->bytes, access->write);
        else
            out_where[lane] = NULL;
        if (!out_where[lane])
            return refuse(warp, op, access, lane, at[lane]);
    }
    return PTX_SHAPE_ANY;
}

/* What lies near the first lane's address is checked as one piece: a run of
 * elements, one address for all, a small table. */
enum { NEAR = 2048 };

static enum ptx_shape reach_global(struct ptx_warp *warp, const struct ptx_op *op,
                                   const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                   unsigned char *out_where[PTX_LANES])
{
    int32_t first = __builtin_ctz(warp->mask), bytes = access->bytes;
    uint64_t start = at[first], far = 0, low = 0;
    int32_t least = 0, most = 0, run = 0;
    for (int32_t lane = 0; lane < PTX_LANES; lane++) {
        uint64_t in = (uint64_t)(int64_t)warp->lanes[lane];
        int32_t distance = (int32_t)(uint32_t)(at[lane] - start) & warp->lanes[lane];
        far |= ((at[lane] - start + NEAR) / (2 * NEAR)) & in;
        low |= at[lane] & in;
        least = distance < least ? distance : least;
        most = distance > most ? distance : most;
        run |= (distance - (lane - first) * bytes) & warp->lanes[lane];
    }
    if (far || is_misaligned(access, low))
        return reach_each(warp, op, access, at, out_where);
    start += (uint64_t)(int64_t)least;
    unsigned char *where =
        reach_run(warp->device, start, (size_t)(most - least + bytes), access->write);
    if (!where) /* what lies between the lanes' may be what is out of reach */
        return reach_each(warp, op, access, at, out_where);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        out_where[lane] = (unsigned char *)((uintptr_t)where + (at[lane] - start));
    return run ? PTX_SHAPE_ANY : PTX_SHAPE_RUN;
}

enum ptx_space ptx_generic_space(uint64_t address, uint64_t *out_offset)
{
    static const struct {
        uint64_t start;
        enum ptx_space space;
    } windows[] = {{SIM_SHARED_WINDOW, PTX_SHARED},
                   {SIM_LOCAL_WINDOW, PTX_LOCAL},
                   {SIM_PARAM_WINDOW, PTX_PARAM}};
    for (unsigned i = 0; i < 3; i++) {
        *out_offset = address - windows[i].start;
        if (*out_offset < SIM_WINDOW_SIZE)
            return windows[i].space;
    }
    *out_offset = address;
    return PTX_GLOBAL;
}

static unsigned char *within(unsigned char *start, size_t limit, uint64_t offset, size_t bytes)
{
    return offset < limit && limit - offset >= bytes ? start + offset : NULL;
}

static unsigned char *reach_generic_lane(struct ptx_warp *warp, const struct ptx_access *access,
                                         unsigned lane, uint64_t address)
{
    uint64_t offset;
    if (is_misaligned(access, address))
        return NULL;
    switch (ptx_generic_space(address, &offset)) {
    case PTX_SHARED:
        return within(warp->shared, warp->shared_size, offset, access->bytes);
    case PTX_LOCAL:
        return access->atomic ? NULL
                              : within(warp->local + lane * warp->local_stride, warp->local_stride,
                                       offset, access->bytes);
    case PTX_PARAM:
        return access->write ? NULL
                             : within((unsigned char *)(uintptr_t)warp->params, warp->param_size,
                                      offset, access->bytes);
    default:
        return sim_reach(warp->device, address, access->bytes, access->write);
    }
}

static enum ptx_shape reach_generic(struct ptx_warp *warp, const struct ptx_op *op,
                                    const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                    unsigned char *out_where[PTX_LANES])
{
    uint64_t windowed = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        windowed |= (uint64_t)(at[lane] - SIM_SHARED_WINDOW < 3 * SIM_WINDOW_SIZE) &
                    (uint64_t)(int64_t)warp->lanes[lane];
    if (!windowed)
        return reach_global(warp, op, access, at, out_where);
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        out_where[lane] = reach_generic_lane(warp, access, lane, at[lane]);
        if (!out_where[lane])
            return refuse(warp, op, access, lane, at[lane]);
    }
    return PTX_SHAPE_ANY;
}

enum ptx_shape ptx_access_reach(struct ptx_warp *warp, const struct ptx_op *op,
                                const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                unsigned char *out_where[PTX_LANES])
{
    switch (access->space) {
    case PTX_SHARED:
        return reach_window(warp, op, access, at, warp->shared, warp->shared_size, 0, out_where);
    case PTX_LOCAL:
        return reach_window(warp, op, access, at, warp->local, warp->local_stride,
                            warp->local_stride, out_where);
    case PTX_PARAM:
        return reach_window(warp, op, access, at, (unsigned char *)(uintptr_t)warp->params,
                            access->write ? 0 : warp->param_size, 0, out_where);
    case PTX_GLOBAL:
        return reach_global(warp, op, access, at, out_where);
    default:
        return reach_generic(warp, op, access, at, out_where);
    }
}

/* ---- cvta, isspacep --------------------------------------------------------------------- */

static uint64_t window_of(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
        return SIM_SHARED_WINDOW;
    case PTX_LOCAL:
        return SIM_LOCAL_WINDOW;
    case PTX_PARAM:
        return SIM_PARAM_WINDOW;
    default:
        return 0;
    }
}

/* d = a + bits, for 64-bit addresses. */
static const struct ptx_op *shift_address(struct ptx_warp *warp, const struct ptx_op *op)
{
    const uint64_t *a = (const uint64_t *)(const void *)(warp->regs + op->a);
    uint64_t *d = (uint64_t *)(void *)(warp->regs + op->d);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? a[lane] + op->bits : d[lane];
    return op + 1;
}

/* 32-bit generic addresses cannot name a window: only what is identical converts. */
static const struct ptx_op *keep_address(struct ptx_warp *warp, const struct ptx_op *op)
{
    const uint32_t *a = (const uint32_t *)(const void *)(warp->regs + op->a);
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? a[lane] : d[lane];
    return op + 1;
}

static void emit_cvta(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_words words;
    ptx_words_read(inst, &words);
    enum ptx_space space = words.space;
    const struct ptx_function *function = ptx_build_function(builder);
    if (space == PTX_PARAM && !words.entry && !function->entry)
        space = PTX_LOCAL; /* a function's parameters whose address is taken lie there */
    if (words.type == PTX_U32 && window_of(space))
        ptx_build_error(builder, "a 32-bit generic address cannot reach this space");
    uint32_t source = ptx_build_source(builder, &inst->operands[1], words.type);
    uint32_t d = ptx_build_destination(builder, &inst->operands[0], words.type);
    struct ptx_op *op = ptx_build_op(builder, words.type == PTX_U32 ? keep_address : shift_address);
    op->d = d;
    op->a = source;
    op->bits = window_of(space);
    if (ptx_inst_has(inst, "to"))
        op->bits = -op->bits;
    ptx_build_finish(builder, &inst->operands[0], words.type, d);
}

static bool in_constants(const struct ptx_module *module, uint64_t address)
{
    for (const struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next)
        if (symbol->space == PTX_CONST && address - symbol->address < symbol->size)
            return true;
    return false;
}

static const struct ptx_op *is_in_space(struct ptx_warp *warp, const struct ptx_op *op)
{
    const uint64_t *a = (const uint64_t *)(const void *)(warp->regs + op->a);
    const struct ptx_module *module = warp->launch->kernel->module;
    uint32_t yes = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t offset;
        enum ptx_space space = ptx_generic_space(a[lane], &offset);
        if (space == PTX_GLOBAL && in_constants(module, a[lane]))
            space = PTX_CONST;
        yes |= (uint32_t)(space == (enum ptx_space)op->bits) << lane;
    }
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    *d = (*d & ~warp->mask) | yes;
    return op + 1;
}

static void emit_isspacep(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_words words;
    ptx_words_read(inst, &words);
    uint32_t a = ptx_build_source(builder, &inst->operands[1], PTX_U64);
    uint32_t d = ptx_build_destination(builder, &inst->operands[0], PTX_PRED);
    struct ptx_op *op = ptx_build_op(builder, is_in_space);
    op->d = d;
    op->a = a;
    op->bits = words.space;
    ptx_build_finish(builder, &inst->operands[0], PTX_PRED, d);
}

void ptx_emit_address(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    if (strcmp(inst->opcode, "cvta") == 0)
        emit_cvta(builder, inst);
    else
        emit_isspacep(builder, inst);
}
