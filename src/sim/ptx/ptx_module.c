/* A module as a whole: loading, its variables in memory, what is known of its
 * kernels. */
#include "ptx_arena.h"
#include "ptx_check.h"
#include "ptx_code.h"
#include "ptx_exec.h"
#include "ptx_parse.h"
#include "sim_memory.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED_LIMIT = 48 << 10, THREADS_MAX = 1024 };

static const struct {
    const char *name;
    unsigned size;
} types[PTX_TYPE_COUNT] = {
    [PTX_NOTYPE] = {"", 0},       [PTX_PRED] = {"pred", 0},   [PTX_B8] = {"b8", 1},
    [PTX_B16] = {"b16", 2},       [PTX_B32] = {"b32", 4},     [PTX_B64] = {"b64", 8},
    [PTX_B128] = {"b128", 16},    [PTX_U8] = {"u8", 1},       [PTX_U16] = {"u16", 2},
    [PTX_U32] = {"u32", 4},       [PTX_U64] = {"u64", 8},     [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},       [PTX_S32] = {"s32", 4},     [PTX_S64] = {"s64", 8},
    [PTX_F16] = {"f16", 2},       [PTX_F16X2] = {"f16x2", 4}, [PTX_BF16] = {"bf16", 2},
    [PTX_BF16X2] = {"bf16x2", 4}, [PTX_F32] = {"f32", 4},     [PTX_F64] = {"f64", 8},
};

unsigned ptx_type_size(enum ptx_type type)
{
    return types[type].size;
}

const char *ptx_type_name(enum ptx_type type)
{
    return types[type].name;
}

/* ---- loading --------------------------------------------------------------------------- */

static enum ptx_result check_target(const struct ptx_module *module, unsigned sm,
                                    struct ptx_log *log)
{
    if (module->target > sm) {
        ptx_log_error(log, 0, "the module is for sm_%u, the device is sm_%u", module->target, sm);
        return PTX_UNSUPPORTED;
    }
    /* Code of a suffix runs on exactly that architecture. */
    if (module->target_suffix == 'a' && module->target != sm) {
        ptx_log_error(log, 0, "the module is for sm_%ua alone, the device is sm_%u", module->target,
                      sm);
        return PTX_UNSUPPORTED;
    }
    return PTX_OK;
}

static size_t size_of_space(const struct ptx_module *module, enum ptx_space space)
{
    size_t size = 0;
    for (const struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next)
        if (symbol->space == space)
            size = (size + symbol->align - 1) / symbol->align * symbol->align + symbol->size;
    return size;
}

static enum ptx_result check_constants(const struct ptx_module *module, struct ptx_log *log)
{
    size_t size = size_of_space(module, PTX_CONST);
    if (size <= PTX_CONST_LIMIT)
        return PTX_OK;
    ptx_log_error(log, 0, "%zu bytes of .const variables, at most %d fit", size, PTX_CONST_LIMIT);
    return PTX_INVALID;
}

static bool check_size(const struct ptx_function *function, const char *what, size_t size,
                       size_t limit, struct ptx_log *log)
{
    if (size <= limit)
        return true;
    ptx_log_error(log, function->symbol->line, "'%.200s' uses %zu bytes of %s, at most %zu fit",
                  function->symbol->name, size, what, limit);
    return false;
}

static enum ptx_result check_functions(const struct ptx_module *module, struct ptx_log *log)
{
    bool fit = true;
    for (struct ptx_function *f = module->functions; f && fit; f = f->next) {
        if (!f->code)
            continue;
        fit = check_size(f, "local memory", f->code->local_size, PTX_LOCAL_LIMIT, log);
        if (fit && f->entry)
            fit = check_size(f, "shared memory", f->code->shared_size, SHARED_LIMIT, log) &&
                  check_size(f, "parameters", f->code->param_size, PTX_PARAM_LIMIT, log);
    }
    return fit ? PTX_OK : PTX_INVALID;
}

static enum ptx_result finish(struct ptx_module *module, unsigned sm, struct ptx_log *log)
{
    enum ptx_result result = check_target(module, sm, log);
    if (result == PTX_OK)
        result = check_constants(module, log);
    if (result == PTX_OK)
        result = ptx_check_module(module, log, PTX_ERRORS_MAX);
    if (result == PTX_OK)
        result = ptx_code_translate(module, sm, log);
    if (result == PTX_OK)
        result = check_functions(module, log);
    return result;
}

/* Parses in a frame of its own, which memory that runs out may leave at any point. */
static enum ptx_result parse(struct ptx_module *module, struct ptx_parser *parser)
{
    struct ptx_arena *arena = module->arena;
    jmp_buf no_memory;
    arena->no_memory = &no_memory;
    if (setjmp(no_memory))
        return PTX_NO_MEMORY;
    return ptx_parse_module(parser) ? PTX_OK : parser->result;
}

static struct ptx_module *create_module(void)
{
    struct ptx_module *module = calloc(1, sizeof *module);
    struct ptx_arena *arena = malloc(sizeof *arena);
    if (module && arena && ptx_arena_init(arena)) {
        module->arena = arena;
        return module;
    }
    free(arena);
    free(module);
    return NULL;
}

enum ptx_result ptx_module_load(const char *text, size_t size, unsigned sm, struct ptx_log *log,
                                struct ptx_module **out_module)
{
    struct ptx_module *module = create_module();
    struct ptx_parser *parser = calloc(1, sizeof *parser);
    enum ptx_result result = PTX_NO_MEMORY;
    *out_module = NULL;
    if (module && parser) {
        parser->module = module;
        parser->arena = module->arena;
        parser->log = log;
        ptx_lex_init(&parser->lexer, text, size);
        result = parse(module, parser);
        free(parser->insts);
        free(parser->bytes);
    }
    free(parser);
    if (result == PTX_OK)
        result = finish(module, sm, log);
    if (result == PTX_OK)
        *out_module = module;
    else
        ptx_module_destroy(module);
    return result;
}

void ptx_module_destroy(struct ptx_module *module)
{
    if (!module)
        return;
    ptx_code_free(module);
    ptx_arena_fini(module->arena);
    free(module->arena);
    free(module);
}

/* ---- names ----------------------------------------------------------------------------- */

struct ptx_symbol *ptx_module_find(const struct ptx_module *module, const char *name)
{
    const struct ptx_name *known = ptx_arena_find(module->arena, name, strlen(name));
    return known ? known->global : NULL;
}

const char *ptx_file_name(const struct ptx_module *module, unsigned number)
{
    for (const struct ptx_file *file = module->files; file; file = file->next)
        if (file->number == number)
            return file->name;
    return NULL;
}

/* ---- variables ------------------------------------------------------------------------- */

static bool is_placed(const struct ptx_symbol *symbol)
{
    return symbol->space == PTX_GLOBAL || symbol->space == PTX_CONST;
}

/* The offset of each variable in turn; *offset: where the next one may begin. */
static size_t place(const struct ptx_symbol *symbol, size_t *offset)
{
    size_t at = (*offset + symbol->align - 1) / symbol->align * symbol->align;
    *offset = at + symbol->size;
    return at;
}

size_t ptx_module_size(const struct ptx_module *module, size_t *out_align)
{
    size_t size = 0, align = 1;
    for (const struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next) {
        if (!is_placed(symbol))
            continue;
        place(symbol, &size);
        align = symbol->align > align ? symbol->align : align;
    }
    if (out_align)
        *out_align = align;
    return size;
}

void ptx_module_place(struct ptx_module *module, uint64_t base)
{
    size_t size = 0;
    for (struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next)
        if (is_placed(symbol))
            symbol->address = base + place(symbol, &size);
    ptx_code_place(module);
}

static void relocate(const struct ptx_relocation *relocation, unsigned char *variable)
{
    const struct ptx_symbol *symbol = relocation->symbol;
    uint64_t address = symbol->address + (uint64_t)relocation->addend;
    if (symbol->kind == PTX_FUNCTION)
        address = symbol->function->symbol->address + (uint64_t)relocation->addend;
    else if (relocation->generic && symbol->space == PTX_SHARED)
        address += SIM_SHARED_WINDOW;
    address >>= relocation->shift;
    memcpy(variable + relocation->offset, &address, relocation->size);
}

void ptx_module_initialise(const struct ptx_module *module, unsigned char *out_image)
{
    size_t size = 0;
    for (const struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next) {
        if (!is_placed(symbol))
            continue;
        size_t from = size, at = place(symbol, &size);
        memset(out_image + from, 0, size - from);
        for (const struct ptx_piece *piece = symbol->pieces; piece; piece = piece->next)
            memcpy(out_image + at + piece->offset, piece->bytes, piece->size);
        for (const struct ptx_relocation *relocation = symbol->relocations; relocation;
             relocation = relocation->next)
            relocate(relocation, out_image + at);
    }
}

/* ---- kernels --------------------------------------------------------------------------- */

struct ptx_function *ptx_module_kernel(const struct ptx_module *module, const char *name)
{
    struct ptx_symbol *symbol = ptx_module_find(module, name);
    bool is_kernel = symbol && symbol->kind == PTX_FUNCTION && symbol->function->entry &&
                     !symbol->function->declared_only;
    return is_kernel ? symbol->function : NULL;
}

static unsigned threads_of(const struct ptx_function *kernel)
{
    const unsigned *threads =
        kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads;
    uint64_t product = (uint64_t)threads[0] * threads[1];
    if (product == 0 || product > THREADS_MAX || product * threads[2] > THREADS_MAX)
        return THREADS_MAX;
    return product * threads[2] > 0 ? (unsigned)(product * threads[2]) : THREADS_MAX;
}

/* What the driver's assembler would keep in registers: the rest goes to local memory where an
 * instruction has no room for more, or a block of the threads that are announced would not fit. */
static unsigned registers_of(const struct ptx_function *kernel, unsigned live)
{
    enum { OF_UNIT = 65536, OF_THREAD_MAX = 255, STEP = 8, WARP = 32 };
    unsigned most = OF_THREAD_MAX;
    bool announced = kernel->required_threads[0] || kernel->max_threads[0];
    unsigned threads = (threads_of(kernel) + WARP - 1) / WARP * WARP;
    if (announced && OF_UNIT / threads < most)
        most = OF_UNIT / threads / STEP * STEP;
    if (kernel->max_registers > 0 && kernel->max_registers < most)
        most = kernel->max_registers;
    return live < most ? live : most;
}

void ptx_kernel_info(const struct ptx_function *kernel, struct ptx_kernel_info *out_info)
{
    *out_info = (struct ptx_kernel_info){
        .name = kernel->symbol->name,
        .const_size = size_of_space(kernel->module, PTX_CONST),
        .max_threads = threads_of(kernel),
        .ptx_version = kernel->module->version,
    };
    for (const struct ptx_symbol *param = kernel->params; param; param = param->next) {
        place(param, &out_info->param_size);
        out_info->param_count++;
    }
    if (kernel->code) {
        out_info->shared_size = kernel->code->shared_size;
        out_info->local_size = kernel->code->local_size;
        out_info->registers = registers_of(kernel, kernel->code->registers);
    }
}

bool ptx_kernel_param(const struct ptx_function *kernel, unsigned index, size_t *out_offset,
                      size_t *out_size)
{
    size_t size = 0;
    for (const struct ptx_symbol *param = kernel->params; param; param = param->next, index--) {
        *out_offset = place(param, &size);
        *out_size = param->size;
        if (index == 0)
            return true;
    }
    return false;
}
