/* Owns the reading of the command line: forms of options, languages of inputs. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "depend.h"
#include "report.h"

enum form { FLAG, JOINED, SEPARATE, EITHER };

enum action {
    PASS,
    DROP,
    LINKED,
    MODE_OBJECT,
    MODE_ASSEMBLY,
    MODE_PREPROCESS,
    MODE_SYNTAX,
    DEPEND_ONLY,
    DEPEND,
    DEPEND_FILE,
    DEPEND_TARGET,
    DEPEND_QUOTED_TARGET,
    DEPEND_PHONY,
    OUTPUT,
    LANGUAGE,
    VERBOSE,
    DRY_RUN,
    SAVE_TEMPS,
    PARALLEL,
    EMIT_LLVM,
    STATIC_LIBRARY,
    ARCH,
    NO_ARCH,
    DEVICE_ONLY,
    HOST_ONLY,
    BOTH_SIDES,
    RDC,
    NO_RDC,
    BUNDLE,
    NO_BUNDLE,
    ALLOW_UNDEFINED,
    COMPRESS,
    NO_COMPRESS,
    COMPRESS_LEVEL,
    NO_GPULIB,
    NO_GPUINC,
    UNIT_ID,
    UNIT_ID_KIND,
    FOR_ARCH,
    FOR_OPENMP,
    PTX_FEATURE,
    AMD_LINKER,
    CODE_OBJECT_VERSION,
    DEFAULT_STREAM,
    FAST_MATH,
    NO_RUNTIME,
    NO_RPATH,
    LIBRARY,
    LIBRARY_FOLDER,
    RELOCATABLE,
    SHARED,
    STATIC,
    STANDARD,
    COLOUR,
    OPTIMIZE,
    OPENMP,
    STDPAR,
};

enum {
    ALL = AH_ROUTE_ALL,
    COMPILE = AH_ROUTE_COMPILE,
    HOST = AH_ROUTE_HOST,
    DEVICE = AH_ROUTE_DEVICE,
    LINK = AH_ROUTE_LINK,
    DEVLINK = AH_ROUTE_DEVICE_LINK,
};

struct option {
    const char *spelling;
    enum form form;
    enum action action;
    unsigned routes;
};

static const struct option options[] = {
#define OPTION(spelling, form, action, routes) {spelling, form, action, routes},
#include "options.def"
#undef OPTION
};

struct reader {
    struct ah_request *request;
    const struct ah_strings *arguments;
    size_t at;
    const char *language; /* of the last -x, or NULL */
    bool failed;
};

static bool fits(const struct option *option, const char *argument)
{
    switch (option->form) {
    case FLAG:
    case SEPARATE:
        return !strcmp(argument, option->spelling);
    case JOINED:
        return ah_text_starts(argument, option->spelling) && argument[strlen(option->spelling)];
    case EITHER:
        return ah_text_starts(argument, option->spelling);
    }
    return false;
}

static const struct option *find_option(const char *argument)
{
    const struct option *best = NULL;
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (fits(&options[i], argument) &&
            (!best || strlen(options[i].spelling) > strlen(best->spelling)))
            best = &options[i];
    return best;
}

static void push_arg(struct ah_request *r, const char *text, unsigned routes, const char *arch)
{
    if (r->arg_count == r->arg_capacity) {
        size_t capacity = r->arg_capacity ? r->arg_capacity * 2 : 32;
        struct ah_arg *args = ah_text_alloc(capacity * sizeof(*args));
        if (r->arg_count)
            memcpy(args, r->args, r->arg_count * sizeof(*args));
        r->args = args;
        r->arg_capacity = capacity;
    }
    r->args[r->arg_count++] = (struct ah_arg){text, routes, arch};
}

static struct ah_input *push_input(struct ah_request *r, enum ah_language language,
                                   const char *path)
{
    if (r->input_count == r->input_capacity) {
        size_t capacity = r->input_capacity ? r->input_capacity * 2 : 32;
        struct ah_input *inputs = ah_text_alloc(capacity * sizeof(*inputs));
        if (r->input_count)
            memcpy(inputs, r->inputs, r->input_count * sizeof(*inputs));
        r->inputs = inputs;
        r->input_capacity = capacity;
    }
    struct ah_input *input = &r->inputs[r->input_count++];
    *input = (struct ah_input){.language = language, .path = path};
    return input;
}

/* Projects write --offload-arch=${CMAKE_HIP_ARCHITECTURES}, which may be OFF: CMake's word for
 * leaving the choice to the compiler. */
static void read_archs(struct ah_request *r, const char *value)
{
    struct ah_strings named = {0};
    ah_strings_split(&named, value, ", ;");
    for (size_t i = 0; i < named.count; i++)
        if (strcmp(named.at[i], "OFF"))
            ah_strings_push(&r->archs, named.at[i]);
}

static void remove_archs(struct ah_request *r, const char *value)
{
    struct ah_strings removed = {0}, kept = {0};
    ah_strings_split(&removed, value, ", ;");
    bool all = ah_strings_contain(&removed, "all");
    for (size_t i = 0; i < r->archs.count; i++)
        if (!all && !ah_strings_contain(&removed, r->archs.at[i]))
            ah_strings_push(&kept, r->archs.at[i]);
    r->archs = kept;
    ah_strings_append(&r->no_archs, &removed);
}

/* Higher modes win whatever their order, as with other compilers. */
static void set_mode(struct ah_request *r, enum ah_mode mode)
{
    if (mode > r->mode)
        r->mode = mode;
}

static unsigned routes_of_xarch(const char *name, const char **out_arch)
{
    *out_arch = NULL;
    if (!strcmp(name, "host") || ah_text_starts(name, "x86") || ah_text_starts(name, "aarch64"))
        return AH_ROUTE_HOST | AH_ROUTE_LINK;
    if (!strcmp(name, "device"))
        return AH_ROUTE_DEVICE | AH_ROUTE_DEVICE_LINK;
    if (!strcmp(name, "amdgcn"))
        return AH_ROUTE_AMD;
    if (!strcmp(name, "nvptx64") || !strcmp(name, "nvptx"))
        return AH_ROUTE_NVIDIA | AH_ROUTE_PTX;
    *out_arch = name;
    return AH_ROUTE_DEVICE | AH_ROUTE_DEVICE_LINK;
}

static const char *next_argument(struct reader *reader, const char *option)
{
    if (reader->at + 1 < reader->arguments->count)
        return reader->arguments->at[++reader->at];
    ah_report_error("argument to '%s' is missing (expected 1 value)", option);
    reader->failed = true;
    return "";
}

static enum ah_language language_of_suffix(const char *path)
{
    static const struct {
        const char *suffix;
        enum ah_language language;
    } known[] = {
        {".hip", AH_LANGUAGE_HIP},   {".cu", AH_LANGUAGE_HIP},    {".cuh", AH_LANGUAGE_HIP},
        {".cpp", AH_LANGUAGE_HIP},   {".cc", AH_LANGUAGE_HIP},    {".cxx", AH_LANGUAGE_HIP},
        {".c++", AH_LANGUAGE_HIP},   {".C", AH_LANGUAGE_HIP},     {".CPP", AH_LANGUAGE_HIP},
        {".cp", AH_LANGUAGE_HIP},    {".c", AH_LANGUAGE_C},       {".s", AH_LANGUAGE_OTHER},
        {".S", AH_LANGUAGE_OTHER},   {".asm", AH_LANGUAGE_OTHER}, {".i", AH_LANGUAGE_OTHER},
        {".ii", AH_LANGUAGE_OTHER},  {".ll", AH_LANGUAGE_OTHER},  {".bc", AH_LANGUAGE_OTHER},
        {".h", AH_LANGUAGE_OTHER},   {".hpp", AH_LANGUAGE_OTHER}, {".hh", AH_LANGUAGE_OTHER},
        {".hxx", AH_LANGUAGE_OTHER},
    };
    const char *base = ah_path_base(path);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strlen(base) > strlen(known[i].suffix) && ah_text_ends(base, known[i].suffix))
            return known[i].language;
    return AH_LANGUAGE_LINK;
}

static bool is_cxx_suffix(const char *path)
{
    return !ah_text_ends(path, ".hip") && !ah_text_ends(path, ".cu") && !ah_text_ends(path, ".cuh");
}

static enum ah_language default_language(const char *path)
{
    enum ah_language language = language_of_suffix(path);
    const char *setting = getenv("HIP_COMPILE_CXX_AS_HIP");
    if (language == AH_LANGUAGE_HIP && setting && !strcmp(setting, "0") && is_cxx_suffix(path))
        return AH_LANGUAGE_CXX;
    return language;
}

/* Objects and libraries are never sources, whatever -x said: build systems put it first. */
static bool is_linker_file(const char *path)
{
    static const char *const suffixes[] = {".o", ".obj", ".a", ".so", ".lo", ".la"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
        if (ah_text_ends(path, suffixes[i]))
            return true;
    return strstr(ah_path_base(path), ".so.") != NULL;
}

static enum ah_language language_named(const char *name)
{
    if (!strcmp(name, "hip") || !strcmp(name, "cu") || !strcmp(name, "cuda"))
        return AH_LANGUAGE_HIP;
    if (!strcmp(name, "c"))
        return AH_LANGUAGE_C;
    if (!strcmp(name, "c++"))
        return AH_LANGUAGE_CXX;
    return AH_LANGUAGE_OTHER;
}

static void read_input(struct reader *reader, const char *path)
{
    enum ah_language language;
    if (is_linker_file(path))
        language = AH_LANGUAGE_LINK;
    else
        language = reader->language ? language_named(reader->language) : default_language(path);
    struct ah_input *input = push_input(reader->request, language, path);
    input->is_file = true;
    if (language == AH_LANGUAGE_OTHER)
        input->spelled = reader->language;
    if (strcmp(path, "-") && !ah_path_exists(path)) {
        ah_report_error("no such file or directory: '%s'", path);
        reader->failed = true;
    }
}

/* Standard input has no suffix, which determines the language; only the preprocessor needs none. */
static bool settle_standard_input(struct ah_request *r)
{
    for (size_t i = 0; i < r->input_count; i++) {
        struct ah_input *input = &r->inputs[i];
        if (!input->is_file || strcmp(input->path, "-") || input->language != AH_LANGUAGE_LINK)
            continue;
        if (r->mode < AH_MODE_PREPROCESS) {
            ah_report_error("-E or -x required when input is from standard input");
            return false;
        }
        input->language = AH_LANGUAGE_CXX;
    }
    return true;
}

/* Pushes an option with its value in the form the user wrote. */
static void pass(struct ah_request *r, const char *argument, const char *separate, unsigned routes,
                 const char *arch)
{
    push_arg(r, argument, routes, arch);
    if (separate)
        push_arg(r, separate, routes, arch);
}

static void read_xarch(struct reader *reader, const char *name, const char *argument)
{
    const char *arch, *value = next_argument(reader, argument);
    unsigned routes = routes_of_xarch(name, &arch);
    push_arg(reader->request, value, routes, arch);
}

static void read_library(struct ah_request *r, const char *value)
{
    /* The runtime is one library here; a program that names HIP's own gets ours. */
    if (!r->no_runtime && (!strcmp(value, "amdhip64") || !strcmp(value, "hiprtc")))
        return;
    if (!r->no_runtime && (!strcmp(value, "roctx64") || !strcmp(value, "rocprofiler-sdk-roctx")))
        value = "anyhip-roctx";
    push_input(r, AH_LANGUAGE_LINK, ah_text_print("-l%s", value));
}

static void read_optimize(struct ah_request *r, const char *argument)
{
    r->optimize = argument;
    push_arg(r, argument, ALL | DEVLINK, NULL);
}

static void read_mode(struct ah_request *r, enum action action, const char *argument)
{
    switch (action) {
    case MODE_OBJECT:
        set_mode(r, AH_MODE_OBJECT);
        break;
    case MODE_ASSEMBLY:
        set_mode(r, AH_MODE_ASSEMBLY);
        break;
    case MODE_PREPROCESS:
        set_mode(r, AH_MODE_PREPROCESS);
        break;
    case MODE_SYNTAX:
        set_mode(r, AH_MODE_SYNTAX);
        break;
    case STATIC_LIBRARY:
        set_mode(r, AH_MODE_STATIC_LIBRARY);
        break;
    case DEPEND_ONLY:
        set_mode(r, AH_MODE_DEPEND);
        r->depend_user_only = !strcmp(argument, "-MM");
        break;
    default:
        break;
    }
}

static bool read_device_option(struct reader *reader, enum action action, const char *argument,
                               const char *value)
{
    struct ah_request *r = reader->request;
    switch (action) {
    case ARCH:
        read_archs(r, value);
        return true;
    case NO_ARCH:
        remove_archs(r, value);
        return true;
    case DEVICE_ONLY:
        r->side = AH_SIDE_DEVICE;
        return true;
    case HOST_ONLY:
        r->side = AH_SIDE_HOST;
        return true;
    case BOTH_SIDES:
        r->side = AH_SIDE_BOTH;
        return true;
    case RDC:
    case NO_RDC:
        r->rdc = action == RDC;
        return true;
    case BUNDLE:
    case NO_BUNDLE:
        r->bundle = action == BUNDLE;
        r->no_bundle = action == NO_BUNDLE;
        return true;
    case ALLOW_UNDEFINED:
        r->allow_undefined = true;
        return true;
    case COMPRESS:
    case NO_COMPRESS:
        r->compress = action == COMPRESS;
        return true;
    case COMPRESS_LEVEL:
        r->compression_level = value;
        return true;
    case NO_GPULIB:
        r->no_gpulib = true;
        return true;
    case NO_GPUINC:
        r->no_gpuinc = true;
        return true;
    case UNIT_ID:
        r->unit_id = value;
        return true;
    case UNIT_ID_KIND: /* hash or random: ours is a hash */
        r->unit_id = strcmp(value, "none") ? NULL : "";
        return true;
    case FOR_ARCH:
        read_xarch(reader, value, argument);
        return true;
    case PTX_FEATURE:
        ah_strings_push(&r->ptx_features, value);
        return true;
    case AMD_LINKER:
        ah_strings_push(&r->amd_linker, value);
        return true;
    case CODE_OBJECT_VERSION:
        r->code_object_version_chosen = true;
        push_arg(r, ah_text_print("-mcode-object-version=%s", value),
                 AH_ROUTE_AMD | AH_ROUTE_DEVICE_LINK, NULL);
        return true;
    case DEFAULT_STREAM:
        /* clang defines the macro for HIP sources; C and C++ callers of the API need it too. */
        push_arg(r, argument, AH_ROUTE_HIP_HOST | DEVICE, NULL);
        if (!strcmp(value, "per-thread"))
            push_arg(r, "-DHIP_API_PER_THREAD_DEFAULT_STREAM=1", AH_ROUTE_C | AH_ROUTE_CXX, NULL);
        return true;
    case FAST_MATH:
        push_arg(r, "-DHIP_FAST_MATH", COMPILE, NULL);
        push_arg(r, "-ffast-math", DEVICE, NULL);
        return true;
    default:
        return false;
    }
}

static bool read_link_option(struct ah_request *r, enum action action, const char *argument,
                             const char *value, const char *separate)
{
    switch (action) {
    case LINKED: {
        struct ah_input *input = push_input(r, AH_LANGUAGE_LINK, argument);
        input->value = separate;
        return true;
    }
    case LIBRARY:
        read_library(r, value);
        return true;
    case LIBRARY_FOLDER:
        ah_strings_push(&r->folders, value);
        push_input(r, AH_LANGUAGE_LINK, ah_text_print("-L%s", value));
        return true;
    case NO_RUNTIME:
        r->no_runtime = true;
        return true;
    case NO_RPATH:
        r->no_rpath = true;
        return true;
    case RELOCATABLE:
        r->relocatable = true;
        push_arg(r, argument, LINK, NULL);
        return true;
    case SHARED:
        r->shared = true;
        push_arg(r, argument, LINK, NULL);
        return true;
    case STATIC:
        r->is_static = true;
        push_arg(r, argument, LINK, NULL);
        return true;
    default:
        return false;
    }
}

static bool read_depend_option(struct ah_request *r, enum action action, const char *argument,
                               const char *value)
{
    switch (action) {
    case DEPEND:
        r->depend = true;
        r->depend_user_only =
            !strcmp(argument, "-MMD") || !strcmp(argument, "--write-user-dependencies");
        return true;
    case DEPEND_FILE:
        r->depend_file = value;
        return true;
    case DEPEND_TARGET:
        ah_strings_push(&r->depend_targets, value);
        return true;
    case DEPEND_QUOTED_TARGET:
        ah_strings_push(&r->depend_targets, ah_depend_quote(value));
        return true;
    case DEPEND_PHONY:
        r->depend_phony = true;
        return true;
    default:
        return false;
    }
}

static void read_language(struct reader *reader, const char *value)
{
    reader->language = strcmp(value, "none") ? value : NULL;
}

static void read_parallel(struct reader *reader, const char *argument, const char *value)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || n < 1 || n > 1024) {
        ah_report_error("invalid value '%s' in '%s'", value, argument);
        reader->failed = true;
        return;
    }
    reader->request->parallel = (unsigned)n;
}

/* clang's part of it only marks what must run on the device. */
static void refuse_stdpar(struct reader *reader, const char *argument)
{
    ah_report_error("%s is not supported: the parallel algorithms for GPUs are in ROCm's rocThrust "
                    "and rocPRIM, which are not part of this compiler",
                    argument);
    ah_report_note("without the option they run on the CPU");
    reader->failed = true;
}

static void read_general_option(struct reader *reader, enum action action, const char *argument,
                                const char *value)
{
    struct ah_request *r = reader->request;
    switch (action) {
    case OUTPUT:
        r->output = value;
        break;
    case LANGUAGE:
        read_language(reader, value);
        break;
    case VERBOSE:
        r->verbose = true;
        push_arg(r, "-v", HOST | LINK, NULL);
        break;
    case DRY_RUN:
        r->dry_run = true;
        break;
    case SAVE_TEMPS:
        r->save_temps = value && !strcmp(value, "obj") ? "obj" : "cwd";
        push_arg(r, ah_text_print("-save-temps=%s", r->save_temps), COMPILE, NULL);
        break;
    case PARALLEL:
        read_parallel(reader, argument, value);
        break;
    case EMIT_LLVM:
        r->emit_llvm = true;
        break;
    case STANDARD:
        /* One command may hold C and C++ sources; each takes the standard of its language. */
        push_arg(r, argument,
                 strstr(value, "++") ? COMPILE & ~(unsigned)AH_ROUTE_C : (unsigned)AH_ROUTE_C,
                 NULL);
        break;
    case COLOUR:
        r->colour_chosen = true;
        push_arg(r, argument, ALL, NULL);
        break;
    case OPTIMIZE:
        read_optimize(r, argument);
        break;
    case OPENMP:
        push_arg(r, argument, HOST | LINK, NULL);
        push_arg(r, "-Wno-source-uses-openmp", DEVICE, NULL);
        break;
    case STDPAR:
        refuse_stdpar(reader, argument);
        break;
    case FOR_OPENMP:
        pass(r, argument, next_argument(reader, argument), HOST | LINK, NULL);
        break;
    default:
        read_mode(r, action, argument);
        break;
    }
}

static void note_prefix_map(struct ah_request *r, const char *argument)
{
    static const char *const names[] = {
        "-ffile-prefix-map=", "-fmacro-prefix-map=", "-fdebug-prefix-map="};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *map = ah_text_after(argument, names[i]);
        if (map && strchr(map, '='))
            ah_strings_push(&r->prefix_maps, map);
    }
}

static void read_option(struct reader *reader, const char *argument)
{
    struct ah_request *r = reader->request;
    const struct option *option = find_option(argument);
    if (!option) {
        note_prefix_map(r, argument);
        push_arg(r, argument, ALL, NULL);
        return;
    }
    const char *joined = argument + strlen(option->spelling), *separate = NULL;
    if (option->form == SEPARATE || (option->form == EITHER && !*joined))
        separate = next_argument(reader, argument);
    const char *value = separate ? separate : *joined ? joined : NULL;
    if (option->action == DROP || reader->failed)
        return;
    if (option->action == PASS)
        pass(r, argument, separate, option->routes, NULL);
    else if (!read_device_option(reader, option->action, argument, value) &&
             !read_link_option(r, option->action, argument, value, separate) &&
             !read_depend_option(r, option->action, argument, value))
        read_general_option(reader, option->action, argument, value);
}

/* Headers alone are precompiled, as by other compilers, without a -c. */
static void settle_headers(struct ah_request *r)
{
    size_t headers = 0;
    for (size_t i = 0; i < r->input_count; i++)
        headers += ah_input_is_header(&r->inputs[i]);
    if (headers && headers == ah_request_source_count(r))
        set_mode(r, AH_MODE_OBJECT);
}

bool ah_request_read(const struct ah_strings *arguments, struct ah_request *out_request)
{
    *out_request = (struct ah_request){0};
    struct reader reader = {.request = out_request, .arguments = arguments};
    out_request->no_runtime =
        ah_strings_contain(arguments, "-no-hip-rt") || ah_strings_contain(arguments, "--no-hip-rt");
    for (; reader.at < arguments->count; reader.at++) {
        const char *argument = arguments->at[reader.at];
        if (argument[0] == '-' && argument[1])
            read_option(&reader, argument);
        else
            read_input(&reader, argument);
    }
    settle_headers(out_request);
    return !reader.failed && settle_standard_input(out_request);
}

static bool expand(const struct ah_strings *arguments, int depth, struct ah_strings *out)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const char *argument = arguments->at[i];
        size_t size;
        char *text = argument[0] == '@' && argument[1] && ah_path_exists(argument + 1)
                         ? ah_file_read(argument + 1, &size)
                         : NULL;
        if (!text) {
            ah_strings_push(out, argument);
            continue;
        }
        if (depth > 20) {
            ah_report_error("response files are nested too deeply at '%s'", argument);
            return false;
        }
        struct ah_strings inner = {0};
        ah_strings_split_quoted(&inner, text);
        if (!expand(&inner, depth + 1, out))
            return false;
    }
    return true;
}

bool ah_request_expand(const struct ah_strings *arguments, struct ah_strings *out_arguments)
{
    return expand(arguments, 0, out_arguments);
}

void ah_request_args(const struct ah_request *request, unsigned route, const char *arch,
                     struct ah_strings *out_argv)
{
    for (size_t i = 0; i < request->arg_count; i++) {
        const struct ah_arg *arg = &request->args[i];
        if ((arg->routes & route) && (!arg->arch || (arch && !strcmp(arg->arch, arch))))
            ah_strings_push(out_argv, arg->text);
    }
}

bool ah_input_is_source(const struct ah_input *input)
{
    return input->language != AH_LANGUAGE_LINK;
}

bool ah_input_is_header(const struct ah_input *input)
{
    if (input->language != AH_LANGUAGE_OTHER)
        return false;
    if (input->spelled)
        return ah_text_ends(input->spelled, "-header");
    const char *dot = strrchr(ah_path_base(input->path), '.');
    return dot && dot[1] == 'h';
}

size_t ah_request_source_count(const struct ah_request *request)
{
    size_t count = 0;
    for (size_t i = 0; i < request->input_count; i++)
        count += ah_input_is_source(&request->inputs[i]);
    return count;
}
