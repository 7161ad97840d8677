/* The interface of front: from text to a checked module; types, names and built-in functions. */
#include "ptx_arena.h"
#include "ptx_check.h"
#include "ptx_front.h"
#include "ptx_parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ----------------------------------------------------------------------------- */

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

/* ---- reading --------------------------------------------------------------------------- */

static enum ptx_result check_target(const struct ptx_module *module, unsigned sm,
                                    struct ptx_log *log)
{
    if (module->target > sm) {
        ptx_log_error(log, 0, "the module is for sm_%u, the device is sm_%u", module->target, sm);
        return PTX_UNSUPPORTED;
    }
    /* Code for a target with a suffix runs on exactly that architecture. */
    if (module->target_suffix == 'a' && module->target != sm) {
        ptx_log_error(log, 0, "the module is for sm_%ua alone, the device is sm_%u", module->target,
                      sm);
        return PTX_UNSUPPORTED;
    }
    return PTX_OK;
}

size_t ptx_module_space_size(const struct ptx_module *module, enum ptx_space space)
{
    size_t size = 0;
    for (const struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next)
        if (symbol->space == space)
            size = (size + symbol->align - 1) / symbol->align * symbol->align + symbol->size;
    return size;
}

static enum ptx_result check_constants(const struct ptx_module *module, struct ptx_log *log)
{
    size_t size = ptx_module_space_size(module, PTX_CONST);
    if (size <= PTX_CONST_LIMIT)
        return PTX_OK;
    ptx_log_error(log, 0, "%zu bytes of .const variables, the limit is %d", size, PTX_CONST_LIMIT);
    return PTX_INVALID;
}

static enum ptx_result check(struct ptx_module *module, unsigned sm, struct ptx_log *log)
{
    enum ptx_result result = check_target(module, sm, log);
    if (result == PTX_OK)
        result = check_constants(module, log);
    if (result == PTX_OK)
        result = ptx_check_module(module, log, PTX_ERRORS_MAX);
    return result;
}

/* A separate function, since running out of memory jumps out of it at any point. */
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

enum ptx_result ptx_front_read(const char *text, size_t size, unsigned sm, struct ptx_log *log,
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
        result = check(module, sm, log);
    if (result == PTX_OK)
        *out_module = module;
    else
        ptx_front_free(module);
    return result;
}

void ptx_front_free(struct ptx_module *module)
{
    if (!module)
        return;
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

/* ---- built-in functions ---------------------------------------------------------------- */

const struct ptx_builtin *ptx_builtin_find(const char *name)
{
    static const struct ptx_builtin builtins[PTX_BUILTIN_COUNT] = {
#define PTX_BUILTIN(id, name, result, noreturn, ...)                                               \
    {PTX_BUILTIN_##id, name,          result,                                                      \
     noreturn,         {__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__})},
#include "ptx_builtins.def"
#undef PTX_BUILTIN
    };
    for (unsigned i = 0; i < PTX_BUILTIN_COUNT; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}
