/* Generates, from the rows of the API, the linker's version script, the logging of each
 * function's arguments, the numbers and names of functions for observers, and the coverage table
 * of the documentation. Runs during the build.
 *   make_tables map        > anyhip.map
 *   make_tables arguments  > api_arguments.h
 *   make_tables ids        > api_ids.h
 *   make_tables names      > api_names.h
 *   make_tables traced     > traced_arguments.h
 *   make_tables direct     > direct_functions.h
 *   make_tables coverage   > coverage.md */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct function {
    const char *node;
    const char *name;
    const char *parameters; /* "(void *dst, int value)"; NULL: of an alias */
    const char *type;       /* that it returns */
};

static const struct function functions[] = {
#define AH_API(node, name, type, parameters) {#node, #name, #parameters, #type},
#include "api.def"
};

static const struct function aliases[] = {
#define AH_API_ALIAS(node, symbol, name) {#node, #symbol, NULL, NULL},
#include "api.def"
};

struct remark {
    const char *name;
    const char *text;
};

static const struct remark core_limits[] = {
#define AH_LIMITED(name, text) {#name, text},
#include "limits.def"
#undef AH_LIMITED
};

/* Functions that NVIDIA's driver does not support, or only in part. */
static const struct remark cuda_limits[] = {
#define AH_LIMITED(name, text) {#name, text},
#include "../../backend_cuda/cuda_limits.def"
#undef AH_LIMITED
};

/* The same of the HSA runtime. */
static const struct remark hsa_limits[] = {
#define AH_LIMITED(name, text) {#name, text},
#include "../../backend_hsa/device/hsa_limits.def"
#undef AH_LIMITED
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A row's node in the linker's spelling: hip_4_2 is hip_4.2; AnyHIP's has no dot. */
static void print_node(const char *node)
{
    const char *last = strrchr(node, '_');
    if (strncmp(node, "hip_", 4) != 0)
        printf("%s", node);
    else
        printf("%.*s.%s", (int)(last - node), node, last + 1);
}

/* Nodes in the order of their first row, which is the order of history. */
static size_t list_nodes(const char **out_nodes, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT(functions); i++) {
        bool known = false;
        for (size_t n = 0; n < count; n++)
            known = known || strcmp(out_nodes[n], functions[i].node) == 0;
        if (!known && count < room)
            out_nodes[count++] = functions[i].node;
    }
    return count;
}

static void print_members(const struct function *list, size_t count, const char *node)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].node, node) == 0)
            printf("    %s;\n", list[i].name);
}

static void print_map(void)
{
    enum { NODES_MAX = 64 };
    const char *nodes[NODES_MAX], *previous = NULL;
    size_t count = list_nodes(nodes, NODES_MAX);
    for (size_t n = 0; n < count; n++) {
        bool ours = strncmp(nodes[n], "hip_", 4) != 0;
        print_node(nodes[n]);
        printf(" {\nglobal:\n");
        print_members(functions, COUNT(functions), nodes[n]);
        print_members(aliases, COUNT(aliases), nodes[n]);
        if (n == 0)
            printf("local:\n    *;\n");
        printf("}");
        if (previous && !ours) {
            printf(" ");
            print_node(previous);
        }
        printf(";\n\n");
        if (!ours)
            previous = nodes[n];
    }
}

static const char *remark_on(const struct remark *remarks, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(remarks[i].name, name) == 0)
            return remarks[i].text;
    return NULL;
}

/* ---- arguments ------------------------------------------------------------------------ */

/* How the log prints a parameter that is more than a number or a pointer: by its type, with the
 * parameter's name in place of each @; "" prints nothing. */
static const struct {
    const char *type, *print;
} printed[] = {
    {"hipMemcpyKind", "ah_name_copy_kind(@)"},
    {"hipHostFn_t", "(void *)(uintptr_t)@"},
    {"hipStreamCallback_t", "(void *)(uintptr_t)@"},
    {"hipPitchedPtr", "@.ptr, @.pitch"},
    {"hipExtent", "@.width, @.height, @.depth"},
    {"hipMemLocation", "(int)@.type, @.id"},
    {"hipIpcMemHandle_t", ""},
    {"hipIpcEventHandle_t", ""},
    {"hipUUID", ""},
};

/* What a pattern prints, for people: without casts and calls. */
static const char *names_of(const char *pattern)
{
    return strchr(pattern, '(') ? "@" : pattern;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void print_named(const char *pattern, const char *name, int length)
{
    for (; *pattern; pattern++) {
        if (*pattern == '@')
            printf("%.*s", length, name);
        else
            putchar(*pattern);
    }
}

/* What observers may read through a parameter after a successful call, by its type and, where a
 * pointer may also be to a list or to something that is read, by the names that are no such.
 * The letters are those of ah_api_argument_types. */
static const struct {
    char code;
    const char *type, *names; /* names: NULL: every one */
} results[] = {
    {'i', "int *",
     "pi value device deviceId count runtimeVersion driverVersion active leastPriority "
     "greatestPriority priority gridSize blockSize numBlocks canAccessPeer major minor"},
    {'i', "hipDevice_t *", NULL},
    {'u', "unsigned int *", "flags flagsPtr pFlags"},
    {'s', "size_t *",
     "free total size bytes pitch granularity pValue offset logSizeRet codeSizeRet"},
    {'f', "float *", "ms"},
    {'p', "void **", "ptr devPtr dev_ptr hostPtr pfn"},
    {'p', "hipDeviceptr_t *", "dptr pbase"},
    {'p', "hipStream_t *", "stream phStream"},
    {'p', "hipEvent_t *", "event"},
    {'p', "hipModule_t *", NULL},
    {'p', "hipFunction_t *", "function functionPtr"},
    {'p', "hipGraph_t *", NULL},
    {'p', "hipGraphExec_t *", NULL},
    {'p', "hipGraphNode_t *", "pGraphNode"},
    {'p', "hipMemPool_t *", NULL},
    {'p', "hipArray_t *", "array pHandle"},
    {'p', "hipTextureObject_t *", NULL},
    {'p', "hipSurfaceObject_t *", NULL},
    {'p', "hipCtx_t *", NULL},
    {'p', "hiprtcProgram *", NULL},
    {'t', "char *", NULL},
};

static bool is_among(const char *list, const char *name, size_t length)
{
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word;
    }
    return false;
}

static char result_code(const char *type, size_t type_length, const char *name, size_t name_length)
{
    for (size_t i = 0; i < COUNT(results); i++)
        if (strlen(results[i].type) == type_length &&
            strncmp(results[i].type, type, type_length) == 0 &&
            (!results[i].names || is_among(results[i].names, name, name_length)))
            return results[i].code;
    return '.';
}

/* What is printed of an argument. */
enum part { CODE, NAME, TYPE };

/* One letter for each argument that the pattern prints. */
static void print_codes(const char *pattern, char code)
{
    for (; pattern; pattern = strchr(pattern, ',') ? strchr(pattern, ',') + 1 : NULL)
        putchar(code);
}

/* One parameter, from its type to its name, which is the last word. Returns whether it prints
 * anything. */
static bool print_argument(const char *text, const char *end, bool is_first, enum part part)
{
    const char *name = end;
    while (name > text && is_word(name[-1]))
        name--;
    const char *type_end = name;
    while (type_end > text && type_end[-1] == ' ')
        type_end--;
    const char *pattern = "@";
    if (strncmp(text, "struct ", strlen("struct ")) == 0)
        text += strlen("struct ");
    for (size_t i = 0; i < COUNT(printed); i++)
        if (strlen(printed[i].type) == (size_t)(type_end - text) &&
            strncmp(printed[i].type, text, (size_t)(type_end - text)) == 0)
            pattern = printed[i].print;
    if (!*pattern)
        return false;
    if (part == TYPE) {
        print_codes(names_of(pattern),
                    result_code(text, (size_t)(name - text) - (name[-1] == ' '), name,
                                (size_t)(end - name)));
        return true;
    }
    if (part == CODE || !is_first)
        printf("%s", is_first ? " " : ", ");
    print_named(part == NAME ? names_of(pattern) : pattern, name, (int)(end - name));
    return true;
}

/* Parameters that are functions have no comma and no name at the end; for those, AH_ENTER gets the
 * arguments to print. */
static bool has_arguments(const struct function *function)
{
    const char *at = function->parameters + 1;
    return !strchr(at, '(') && strcmp(at, "void)") != 0;
}

static void print_list(const struct function *function, enum part part)
{
    const char *at = function->parameters + 1;
    bool is_first = true;
    while (*at && *at != ')') {
        const char *end = at + strcspn(at, ",)");
        is_first = !print_argument(at, end, is_first, part) && is_first;
        at = *end == ',' ? end + 1 : end;
        while (*at == ' ')
            at++;
    }
}

static void print_arguments_of(const struct function *function)
{
    if (!has_arguments(function))
        return;
    printf("#define AH_ARGUMENTS_%s", function->name);
    print_list(function, CODE);
    printf("\n");
}

/* ---- parameters -------------------------------------------------------------------------- */

/* A parameter: its text, which ends before end, the end of its type, and its name, which is the
 * last word. */
struct parameter {
    const char *text, *type_end, *name, *end;
};

static bool next_parameter(const char **at, struct parameter *out)
{
    while (**at == ' ' || **at == ',')
        ++*at;
    if (!**at || **at == ')')
        return false;
    out->text = *at;
    out->end = *at += strcspn(*at, ",)");
    out->name = out->end;
    while (out->name > out->text && is_word(out->name[-1]))
        out->name--;
    out->type_end = out->name;
    while (out->type_end > out->text && out->type_end[-1] == ' ')
        out->type_end--;
    return true;
}

static void print_names_of(const struct function *function)
{
    const char *at = function->parameters + 1, *separator = "";
    struct parameter parameter;
    while (next_parameter(&at, &parameter)) {
        printf("%s%.*s", separator, (int)(parameter.end - parameter.name), parameter.name);
        separator = ", ";
    }
}

static void print_fields_of(const struct function *function)
{
    const char *at = function->parameters + 1;
    struct parameter parameter;
    while (next_parameter(&at, &parameter))
        printf(" %.*s;", (int)(parameter.end - parameter.text), parameter.text);
}

static void print_values_of(const struct function *function)
{
    if (strchr(function->parameters + 1, '('))
        return;
    printf("#define AH_NAMES_%s ", function->name);
    if (has_arguments(function)) {
        print_names_of(function);
        printf("\n#define AH_FIELDS_%s", function->name);
        print_fields_of(function);
    }
    printf("\n");
}

static void print_arguments(void)
{
    printf("/* Made from api.def: each function's parameters, what AH_ENTER prints of them, their "
           "names, and\n * the fields of a structure of them. */\n");
    for (size_t i = 0; i < COUNT(functions); i++) {
        printf("#define AH_PARAMETERS_%s %s\n", functions[i].name, functions[i].parameters);
        print_arguments_of(&functions[i]);
        print_values_of(&functions[i]);
    }
}

/* ---- arguments as tracers see them ------------------------------------------------------- */

static bool type_is(const char *text, const char *end, const char *type)
{
    return (size_t)(end - text) == strlen(type) && strncmp(text, type, strlen(type)) == 0;
}

/* What a pointer points to, which roctracer's structures have room for after the pointer: nothing
 * for pointers to void. A pointer that is not to a pointer loses its const. */
static bool print_pointed_to(const struct parameter *parameter)
{
    const char *text = parameter->text, *end = parameter->type_end;
    if (end == text || end[-1] != '*')
        return false;
    end--;
    while (end > text && end[-1] == ' ')
        end--;
    bool is_pointer = end > text && end[-1] == '*';
    if (!is_pointer && strncmp(text, "const ", strlen("const ")) == 0)
        text += strlen("const ");
    if (type_is(text, end, "void"))
        return false;
    printf(" %.*s %.*s__val;", (int)(end - text), text, (int)(parameter->end - parameter->name),
           parameter->name);
    return true;
}

static void print_traced_structs(const struct function *function)
{
    const char *at = function->parameters + 1;
    struct parameter parameter;
    printf("struct values_%s {", function->name);
    print_fields_of(function);
    printf(" };\nstruct traced_%s {", function->name);
    while (next_parameter(&at, &parameter)) {
        printf(" %.*s;", (int)(parameter.end - parameter.text), parameter.text);
        print_pointed_to(&parameter);
    }
    printf(" };\n");
}

static size_t print_moves(const struct function *function)
{
    const char *at = function->parameters + 1;
    struct parameter parameter;
    size_t count = 0;
    while (next_parameter(&at, &parameter)) {
        int length = (int)(parameter.end - parameter.name);
        printf("MOVE(%s, %.*s, %s)\n", function->name, length, parameter.name,
               type_is(parameter.text, parameter.type_end, "const char *") ? "true" : "false");
        count++;
    }
    return count;
}

static void print_traced(void)
{
    size_t first[COUNT(functions) + 1] = {0};
    printf("/* Made from api.def: structures of each function's arguments, as AH_ENTER passes them "
           "and as\n * roctracer has them, and how the one becomes the other. */\n");
    for (size_t i = 0; i < COUNT(functions); i++)
        if (has_arguments(&functions[i]))
            print_traced_structs(&functions[i]);
    printf("\nstatic const struct move moves[] = {\n");
    for (size_t i = 0; i < COUNT(functions); i++)
        first[i + 1] = first[i] + (has_arguments(&functions[i]) ? print_moves(&functions[i]) : 0);
    printf("};\n\n/* By enum ah_api_id; one function's end where the next one's begin. */\n"
           "static const uint16_t first_move[] = {\n");
    for (size_t i = 0; i <= COUNT(functions); i++)
        printf("%zu,\n", first[i]);
    printf("};\n");
}

/* ---- what a table of functions holds ------------------------------------------------------ */

static const char *const slots[] = {
#define AH_SLOT(name) #name,
#define AH_COMPILER_SLOT(name) #name,
#include "../trace/dispatch.def"
};

static void print_direct_of(const struct function *function)
{
    printf("static %s direct_%s %s\n{\n    ah_thread.direct = AH_API_ID_%s + 1;\n    %s%s(",
           function->type, function->name, function->parameters, function->name,
           strcmp(function->type, "void") == 0 ? "" : "return ", function->name);
    if (has_arguments(function))
        print_names_of(function);
    printf(");\n}\n");
}

static void print_direct(void)
{
    printf("/* Made from api.def and dispatch.def: functions that a table of functions begins "
           "with. */\n");
    for (size_t i = 0; i < COUNT(functions); i++)
        for (size_t s = 0; s < COUNT(slots); s++)
            if (strcmp(slots[s], functions[i].name) == 0)
                print_direct_of(&functions[i]);
}

/* ---- numbers and names ------------------------------------------------------------------ */

static void print_ids(void)
{
    printf("/* Made from api.def: a number for each function, which is not the same in other "
           "versions. */\n"
           "#ifndef AH_API_IDS_H\n"
           "#define AH_API_IDS_H\n\n"
           "enum ah_api_id {\n");
    for (size_t i = 0; i < COUNT(functions); i++)
        printf("    AH_API_ID_%s,\n", functions[i].name);
    printf("    AH_API_ID_COUNT\n};\n\n#endif\n");
}

/* The rows of api_names.c. */
static void print_names(void)
{
    for (size_t i = 0; i < COUNT(functions); i++) {
        printf("{\"%s\", \"", functions[i].name);
        if (has_arguments(&functions[i]))
            print_list(&functions[i], NAME);
        printf("\", \"");
        if (has_arguments(&functions[i]))
            print_list(&functions[i], TYPE);
        printf("\"},\n");
    }
}

/* ---- coverage -------------------------------------------------------------------------- */

/* The functions of the API, without those for compilers and tools. */
static bool is_public(const char *name)
{
    return strncmp(name, "hip", 3) == 0 || strncmp(name, "anyhip", 6) == 0;
}

static const char *const heading =
    "# Coverage\n"
    "\n"
    "Every function that the library exports, and what it does on each backend. This\n"
    "page is made from the source by `./run docs tables`.\n"
    "\n"
    "- **yes**: implemented.\n"
    "- **in part**: implemented, with the limit that is named.\n"
    "\n"
    "The backends cuda and simcuda are one (`src/backend_cuda`) over two drivers, and so\n"
    "are hsa and simhsa (`src/backend_hsa`).\n"
    "\n";

/* The support of a function on one backend, and a limit of that backend or of core. */
struct answer {
    const char *word;
    const char *limit; /* or NULL */
};

static struct answer answer_for(const char *name, const struct remark *limits, size_t count)
{
    const char *limit = remark_on(limits, count, name);
    if (limit)
        return (struct answer){"in part", limit};
    return (struct answer){remark_on(core_limits, COUNT(core_limits), name) ? "in part" : "yes",
                           NULL};
}

static void print_counts(const char *backend, const struct remark *limits, size_t limit_count)
{
    static const char *const words[] = {"yes", "in part"};
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < COUNT(functions); i++)
        for (size_t w = 0; w < COUNT(words) && is_public(functions[i].name); w++)
            counts[w] +=
                strcmp(answer_for(functions[i].name, limits, limit_count).word, words[w]) == 0;
    printf("On %s: %zu yes, %zu in part.\n", backend, counts[0], counts[1]);
}

/* Remarks for all backends, then those for one. */
static void print_remarks(const char *name, const struct answer *cuda, const struct answer *hsa)
{
    const char *everywhere = remark_on(core_limits, COUNT(core_limits), name);
    printf("%s", everywhere ? everywhere : "");
    if (cuda->limit)
        printf("%scuda: %s", everywhere ? "; " : "", cuda->limit);
    if (hsa->limit)
        printf("%shsa: %s", everywhere || cuda->limit ? "; " : "", hsa->limit);
}

static void print_coverage(void)
{
    fputs(heading, stdout);
    print_counts("cuda", cuda_limits, COUNT(cuda_limits));
    print_counts("hsa", hsa_limits, COUNT(hsa_limits));
    printf(
        "\n| function | since | cuda, simcuda | hsa, simhsa | remark |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT(functions); i++) {
        const char *name = functions[i].name;
        if (!is_public(name))
            continue;
        struct answer cuda = answer_for(name, cuda_limits, COUNT(cuda_limits));
        struct answer hsa = answer_for(name, hsa_limits, COUNT(hsa_limits));
        printf("| `%s` | ", name);
        print_node(functions[i].node);
        printf(" | %s | %s | ", cuda.word, hsa.word);
        print_remarks(name, &cuda, &hsa);
        printf(" |\n");
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "map") == 0) {
        print_map();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "arguments") == 0) {
        print_arguments();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "ids") == 0) {
        print_ids();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "names") == 0) {
        print_names();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "traced") == 0) {
        print_traced();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "direct") == 0) {
        print_direct();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "coverage") == 0) {
        print_coverage();
        return 0;
    }
    fprintf(stderr, "usage: make_tables map|arguments|ids|names|traced|direct|coverage\n");
    return 2;
}
