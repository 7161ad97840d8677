/* Owns the little of PTX that a module shows: entries with their parameters,
 * limits and shared memory, variables with their size and first value. Bodies are
 * not looked at, except for the shared memory that they declare. */
#include "fake.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_THREADS = 1024, SHARED_LIMIT = 49152, TOKEN_MAX = 256 };

struct lexer {
    const char *at;
    char token[TOKEN_MAX];
    char *log;
    size_t log_size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct lexer *lexer, const char *format,
                                                         ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(lexer->log, lexer->log_size, format, args);
    va_end(args);
    return false;
}

static void skip_space(struct lexer *lexer)
{
    for (;;) {
        while (isspace((unsigned char)*lexer->at))
            lexer->at++;
        if (strncmp(lexer->at, "//", 2) == 0) {
            lexer->at += strcspn(lexer->at, "\n");
        } else if (strncmp(lexer->at, "/*", 2) == 0) {
            const char *end = strstr(lexer->at, "*/");
            lexer->at = end ? end + 2 : lexer->at + strlen(lexer->at);
        } else {
            return;
        }
    }
}

/* The next token: a word, dots included, or one character; "" at the end. */
static const char *next(struct lexer *lexer)
{
    size_t length = 0;
    skip_space(lexer);
    while (lexer->at[length] &&
           (isalnum((unsigned char)lexer->at[length]) || strchr("_$%.", lexer->at[length])))
        length++;
    if (length == 0 && *lexer->at)
        length = 1;
    if (length >= TOKEN_MAX)
        length = TOKEN_MAX - 1;
    memcpy(lexer->token, lexer->at, length);
    lexer->token[length] = '\0';
    lexer->at += length;
    return lexer->token;
}

static bool peek_is(struct lexer *lexer, char c)
{
    skip_space(lexer);
    return *lexer->at == c;
}

static bool is(const struct lexer *lexer, const char *text)
{
    return strcmp(lexer->token, text) == 0;
}

/* Past a block in brackets whose first bracket was read. */
static void skip_block(struct lexer *lexer, char open, char close)
{
    for (int depth = 1; depth > 0 && *next(lexer);)
        depth += *lexer->token == open ? 1 : *lexer->token == close ? -1 : 0;
}

static size_t type_size(const char *type)
{
    int bits = 0;
    if (sscanf(type, ".%*[a-z]%d", &bits) != 1 || bits % 8 != 0)
        return strcmp(type, ".pred") == 0 ? 1 : 0;
    return (size_t)bits / 8;
}

static bool valid_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && !strchr("_$%", *name))
        return false;
    return *name && !strchr(name, '.');
}

/* ---- declarations: [.align N] type name [dimensions] ------------------------------- */

struct declaration {
    char name[TOKEN_MAX];
    size_t element, size, alignment;
};

static bool read_dimensions(struct lexer *lexer, struct declaration *out)
{
    while (peek_is(lexer, '[')) {
        next(lexer);
        unsigned long count = peek_is(lexer, ']') ? 0 : strtoul(next(lexer), NULL, 0);
        out->size *= count;
        if (*next(lexer) != ']')
            return refuse(lexer, "ptxas fatal: expected ] after a dimension");
    }
    return true;
}

/* The space (".param") was read. */
static bool read_declaration(struct lexer *lexer, struct declaration *out)
{
    *out = (struct declaration){.alignment = 0};
    for (next(lexer); *lexer->token == '.'; next(lexer)) {
        if (is(lexer, ".align"))
            out->alignment = strtoul(next(lexer), NULL, 0);
        else if (is(lexer, ".ptr") || is(lexer, ".global") || is(lexer, ".const") ||
                 is(lexer, ".shared") || is(lexer, ".v2") || is(lexer, ".v4"))
            continue;
        else if (out->element == 0)
            out->element = type_size(lexer->token);
    }
    if (out->element == 0)
        return refuse(lexer, "ptxas error: unknown type before %s", lexer->token);
    if (!valid_name(lexer->token))
        return refuse(lexer, "ptxas error: %s is not a name", lexer->token);
    snprintf(out->name, sizeof out->name, "%s", lexer->token);
    if (out->alignment == 0)
        out->alignment = out->element;
    out->size = out->element;
    return read_dimensions(lexer, out);
}

/* ---- variables -------------------------------------------------------------------------- */

static uint64_t value_of(const char *token)
{
    if (token[0] == '0' &&
        (token[1] == 'f' || token[1] == 'F' || token[1] == 'd' || token[1] == 'D'))
        return strtoull(token + 2, NULL, 16);
    return strtoull(token, NULL, 0);
}

static void store(struct fake_global *global, size_t element, size_t index, uint64_t value)
{
    if ((index + 1) * element <= global->size)
        memcpy(global->initial + index * element, &value, element);
}

/* "= 5" or "= {1, 2}"; names of other symbols count as 0. */
static void read_initial(struct lexer *lexer, struct fake_global *global, size_t element)
{
    size_t index = 0;
    bool negative = false;
    for (next(lexer); *lexer->token && !is(lexer, ";"); next(lexer)) {
        if (is(lexer, "-")) {
            negative = true;
        } else if (isdigit((unsigned char)*lexer->token)) {
            uint64_t value = value_of(lexer->token);
            store(global, element, index++, negative ? 0 - value : value);
            negative = false;
        }
    }
}

static bool read_variable(struct lexer *lexer, struct fake_module *module, bool external)
{
    struct declaration declaration;
    if (!read_declaration(lexer, &declaration))
        return false;
    if (external)
        return *next(lexer) == ';' ? true : refuse(lexer, "ptxas error: expected ;");
    struct fake_global *global = calloc(1, sizeof *global);
    global->name = strdup(declaration.name);
    global->size = declaration.size;
    global->initial = calloc(1, declaration.size ? declaration.size : 1);
    global->next = module->globals;
    module->globals = global;
    next(lexer);
    if (is(lexer, "="))
        read_initial(lexer, global, declaration.element);
    return is(lexer, ";") ? true
                          : refuse(lexer, "ptxas error: expected ; after %s", declaration.name);
}

/* ---- entries ------------------------------------------------------------------------------- */

static bool read_parameter(struct lexer *lexer, struct fake_function *function)
{
    struct declaration declaration;
    if (!is(lexer, ".param"))
        return refuse(lexer, "ptxas error: expected .param, not %s", lexer->token);
    if (!read_declaration(lexer, &declaration))
        return false;
    size_t offset = (function->argument_size + declaration.alignment - 1) / declaration.alignment *
                    declaration.alignment;
    function->parameters = realloc(function->parameters,
                                   (function->parameter_count + 1) * sizeof *function->parameters);
    function->parameters[function->parameter_count++] =
        (struct fake_parameter){offset, declaration.size};
    function->argument_size = offset + declaration.size;
    return true;
}

static bool read_parameters(struct lexer *lexer, struct fake_function *function)
{
    if (!peek_is(lexer, '('))
        return true;
    next(lexer);
    for (next(lexer); !is(lexer, ")"); next(lexer)) {
        if (is(lexer, ","))
            continue;
        if (!read_parameter(lexer, function))
            return false;
    }
    return true;
}

/* ".maxntid 256, 1, 1" and its like, up to the body. */
static bool read_limits(struct lexer *lexer, struct fake_function *function)
{
    for (next(lexer); !is(lexer, "{"); next(lexer)) {
        if (is(lexer, ";") || !*lexer->token)
            return refuse(lexer, "ptxas error: entry %s has no body", function->name);
        if (!is(lexer, ".maxntid") && !is(lexer, ".reqntid"))
            continue;
        unsigned threads = (unsigned)strtoul(next(lexer), NULL, 0);
        while (peek_is(lexer, ',')) {
            next(lexer);
            threads *= (unsigned)strtoul(next(lexer), NULL, 0);
        }
        function->max_threads = threads < DEFAULT_THREADS ? threads : DEFAULT_THREADS;
    }
    return true;
}

static bool read_body(struct lexer *lexer, struct fake_function *function)
{
    struct declaration declaration;
    for (int depth = 1; depth > 0;) {
        next(lexer);
        if (!*lexer->token)
            return refuse(lexer, "ptxas fatal: %s does not end", function->name);
        if (is(lexer, "{"))
            depth++;
        else if (is(lexer, "}"))
            depth--;
        else if (is(lexer, ".shared") && read_declaration(lexer, &declaration))
            function->static_shared += (unsigned)declaration.size;
    }
    return true;
}

static bool read_entry(struct lexer *lexer, struct fake_module *module)
{
    if (!valid_name(next(lexer)))
        return refuse(lexer, "ptxas error: %s is not a name", lexer->token);
    struct fake_function *function =
        fake_object_new(FAKE_FUNCTION, sizeof *function, module->object.context);
    function->module = module;
    function->name = strdup(lexer->token);
    function->max_threads = DEFAULT_THREADS;
    function->carveout = -1;
    function->next = module->functions;
    module->functions = function;
    if (!read_parameters(lexer, function) || !read_limits(lexer, function) ||
        !read_body(lexer, function))
        return false;
    function->max_dynamic =
        SHARED_LIMIT > function->static_shared ? SHARED_LIMIT - function->static_shared : 0;
    return true;
}

/* ---- the module -------------------------------------------------------------------------------
 */

static bool skip_statement(struct lexer *lexer)
{
    while (*next(lexer) && !is(lexer, ";") && !is(lexer, "{"))
        ;
    if (is(lexer, "{"))
        skip_block(lexer, '{', '}');
    return true;
}

static bool read_statement(struct lexer *lexer, struct fake_module *module)
{
    bool external = false;
    while (is(lexer, ".visible") || is(lexer, ".weak") || is(lexer, ".common") ||
           is(lexer, ".extern")) {
        external |= is(lexer, ".extern");
        next(lexer);
    }
    if (is(lexer, ".entry"))
        return read_entry(lexer, module);
    if (is(lexer, ".global") || is(lexer, ".const"))
        return read_variable(lexer, module, external);
    if (is(lexer, ".func") || is(lexer, ".shared"))
        return skip_statement(lexer);
    if (*lexer->token == '.') /* .file, .section, .pragma, ... */
        return is(lexer, ".file") || is(lexer, ".section") || is(lexer, ".pragma")
                   ? skip_statement(lexer)
                   : refuse(lexer, "ptxas error: unknown directive %s", lexer->token);
    return refuse(lexer, "ptxas error: syntax error at %s", lexer->token);
}

/* The newest PTX a driver knows: 7.4 with CUDA 11.4, 8.0 with 12.0, 9.0 with 13.0. */
static unsigned newest_ptx(int driver_version)
{
    unsigned major = (unsigned)driver_version / 1000, minor = (unsigned)driver_version % 1000 / 10;
    return (major - 4) * 10 + minor;
}

CUresult fake_ptx_read(const char *text, const struct fake_device *device, int driver_version,
                       struct fake_module *module, char *out_log, size_t log_size)
{
    struct lexer lexer = {.at = text, .log = out_log, .log_size = log_size};
    unsigned major, minor, sm;
    if (!*next(&lexer) || !is(&lexer, ".version") ||
        sscanf(next(&lexer), "%u.%u", &major, &minor) != 2) {
        refuse(&lexer, "ptxas fatal: missing .version directive");
        return CUDA_ERROR_INVALID_PTX;
    }
    if (major * 10 + minor > newest_ptx(driver_version)) {
        refuse(&lexer, "ptxas fatal: unsupported .version %u.%u", major, minor);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (!*next(&lexer) || !is(&lexer, ".target") || sscanf(next(&lexer), "sm_%u", &sm) != 1) {
        refuse(&lexer, "ptxas fatal: missing .target directive");
        return CUDA_ERROR_INVALID_PTX;
    }
    if (sm > device->sm) {
        refuse(&lexer, "ptxas fatal: sm_%u is newer than the device", sm);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    while (peek_is(&lexer, ',')) { /* .target sm_80, texmode_independent, debug */
        next(&lexer);
        next(&lexer);
    }
    next(&lexer);
    if (is(&lexer, ".address_size")) {
        next(&lexer);
        next(&lexer);
    }
    for (; *lexer.token; next(&lexer))
        if (!read_statement(&lexer, module))
            return CUDA_ERROR_INVALID_PTX;
    for (struct fake_function *at = module->functions; at; at = at->next)
        at->ptx_version = (int)sm;
    return CUDA_SUCCESS;
}
