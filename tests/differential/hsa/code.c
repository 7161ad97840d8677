/* Code: readers, executables, symbols, the loader's extension, code objects of HSA 1.0. */
#include "calls.h"

#include <fcntl.h>

static void *code, *imports;
static size_t code_size, imports_size;

static void prepare(void)
{
    code = read_code("kernels", &code_size);
    imports = read_code("imports", &imports_size);
}

static hsa_code_object_reader_t reader_of(const void *bytes, size_t size)
{
    hsa_code_object_reader_t reader = {0};
    must(rt.hsa_code_object_reader_create_from_memory(bytes, size, &reader));
    return reader;
}

static hsa_executable_t new_executable(void)
{
    hsa_executable_t executable = {0};
    must(rt.hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                      NULL, &executable));
    return executable;
}

/* ---- readers ----------------------------------------------------------------------- */

static void readers(void)
{
    hsa_code_object_reader_t reader = {0};
    prepare();
    say_status("memory", rt.hsa_code_object_reader_create_from_memory(code, code_size, &reader));
    say_status("destroy", rt.hsa_code_object_reader_destroy(reader));
    say_status("null", rt.hsa_code_object_reader_create_from_memory(NULL, code_size, &reader));
    say_status("nothing", rt.hsa_code_object_reader_create_from_memory(code, 0, &reader));
    say_status("null_reader", rt.hsa_code_object_reader_create_from_memory(code, code_size, NULL));
    say_status("no_code", rt.hsa_code_object_reader_create_from_memory(zeros, 64, &reader));
    say_status("destroy.none", rt.hsa_code_object_reader_destroy((hsa_code_object_reader_t){0}));
    say_status("file.bad", rt.hsa_code_object_reader_create_from_file(-1, &reader));
    say_status("file.null", rt.hsa_code_object_reader_create_from_file(0, NULL));
    char path[1024];
    snprintf(path, sizeof path, "%s/kernels_%s.co", here.code_folder, here.model);
    int file = open(path, O_RDONLY);
    say_status("file", rt.hsa_code_object_reader_create_from_file(file, &reader));
    hsa_executable_t executable = new_executable();
    say_status("file.load",
               rt.hsa_executable_load_agent_code_object(executable, here.gpu, reader, NULL, NULL));
    say_status("file.destroy", rt.hsa_code_object_reader_destroy(reader));
}

/* ---- executables ------------------------------------------------------------------- */

static hsa_status_t executable_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_executable_get_info((hsa_executable_t){object}, (hsa_executable_info_t)attribute,
                                      value);
}

static void say_executable(const char *key, hsa_executable_t executable)
{
    uint32_t profile = 77, state = 77, rounding = 77;
    executable_info(executable.handle, HSA_EXECUTABLE_INFO_PROFILE, &profile);
    executable_info(executable.handle, HSA_EXECUTABLE_INFO_STATE, &state);
    executable_info(executable.handle, HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &rounding);
    say(key, "profile %u, state %u, rounding %u", profile, state, rounding);
}

static void create(const char *key, int profile, int rounding)
{
    hsa_executable_t executable = {0};
    int status = (int)rt.hsa_executable_create_alt(profile, rounding, NULL, &executable);
    if (status == HSA_STATUS_SUCCESS) {
        say_executable(key, executable);
        must(rt.hsa_executable_destroy(executable));
    } else {
        say_status(key, status);
    }
}

static void create_old(const char *key, int profile, int state)
{
    hsa_executable_t executable = {0};
    int status = (int)rt.hsa_executable_create(profile, state, "", &executable);
    if (status == HSA_STATUS_SUCCESS)
        say_executable(key, executable);
    else
        say_status(key, status);
}

static void executables(void)
{
    hsa_executable_t executable, none = {0};
    uint32_t result = 77;
    for (int profile = 0; profile < 3; profile++)
        for (int rounding = 0; rounding < 4; rounding++) {
            char key[32];
            snprintf(key, sizeof key, "create.%d.%d", profile, rounding);
            create(key, profile, rounding);
        }
    for (int state = 0; state < 3; state++) {
        char key[32];
        snprintf(key, sizeof key, "create_old.%d", state);
        create_old(key, HSA_PROFILE_BASE, state);
    }
    create_old("create_old.profile2", 2, 0);
    say_status("null", rt.hsa_executable_create_alt(0, 0, NULL, NULL));
    say_status("null_old", rt.hsa_executable_create(0, 0, NULL, NULL));
    executable = new_executable();
    say_status("info.0", executable_info(executable.handle, 0, zeros));
    say_status("info.null", executable_info(executable.handle, HSA_EXECUTABLE_INFO_STATE, NULL));
    say_status("info.none", executable_info(0, HSA_EXECUTABLE_INFO_STATE, zeros));
    int status = (int)rt.hsa_executable_validate(executable, &result);
    say("validate", "%s %u", status_name(status), result);
    say_status("validate.null", rt.hsa_executable_validate(executable, NULL));
    say_status("validate.none", rt.hsa_executable_validate(none, &result));
    say_status("freeze", rt.hsa_executable_freeze(executable, NULL));
    say_status("freeze.again", rt.hsa_executable_freeze(executable, NULL));
    say_executable("frozen", executable);
    status = (int)rt.hsa_executable_validate_alt(executable, "", &result);
    say("validate.frozen", "%s %u", status_name(status), result);
    say_status("freeze.none", rt.hsa_executable_freeze(none, NULL));
    say_status("destroy", rt.hsa_executable_destroy(executable));
    say_status("destroy.none", rt.hsa_executable_destroy(none));
}

static void load(const char *key, hsa_executable_t executable, hsa_agent_t agent, const void *bytes,
                 size_t size)
{
    hsa_code_object_reader_t reader = reader_of(bytes, size);
    hsa_loaded_code_object_t loaded = {0};
    int status =
        (int)rt.hsa_executable_load_agent_code_object(executable, agent, reader, NULL, &loaded);
    say(key, "%s %d", status_name(status), loaded.handle != 0);
    must(rt.hsa_code_object_reader_destroy(reader));
}

static void loading(void)
{
    hsa_executable_t executable = new_executable(), none = {0};
    hsa_code_object_reader_t reader, no_reader = {0};
    prepare();
    reader = reader_of(code, code_size);
    load("gpu", executable, here.gpu, code, code_size);
    load("gpu.again", executable, here.gpu, code, code_size);
    load("other", executable, here.other, code, code_size);
    load("cpu", new_executable(), here.cpu, code, code_size);
    load("zeros", new_executable(), here.gpu, zeros, sizeof zeros);
    say_status("no_agent", rt.hsa_executable_load_agent_code_object(
                               new_executable(), (hsa_agent_t){0}, reader, NULL, NULL));
    say_status("none",
               rt.hsa_executable_load_agent_code_object(none, here.gpu, reader, NULL, NULL));
    say_status("no_reader", rt.hsa_executable_load_agent_code_object(new_executable(), here.gpu,
                                                                     no_reader, NULL, NULL));
    say_status("program",
               rt.hsa_executable_load_program_code_object(new_executable(), reader, NULL, NULL));
    must(rt.hsa_executable_freeze(executable, NULL));
    load("frozen", executable, here.gpu, code, code_size);
}

static void other_targets(void)
{
    static const char *const models[] = {"gfx900", "gfx906", "gfx90a"};
    const char *model = here.model;
    for (size_t i = 0; i < 3; i++) {
        size_t size;
        here.model = models[i];
        void *bytes = read_code("kernels", &size);
        load(models[i], new_executable(), here.gpu, bytes, size);
        free(bytes);
    }
    here.model = model;
}

/* ---- symbols ----------------------------------------------------------------------- */

static hsa_status_t symbol_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_executable_symbol_get_info((hsa_executable_symbol_t){object},
                                             (hsa_executable_symbol_info_t)attribute, value);
}

static const struct attribute of_symbols[] = {
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_TYPE),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH),
    ATTRIBUTE(TEXT, HSA_EXECUTABLE_SYMBOL_INFO_NAME),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH),
    ATTRIBUTE(TEXT, HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME),
    ATTRIBUTE(AGENT, HSA_EXECUTABLE_SYMBOL_INFO_AGENT),
    ATTRIBUTE(ZERO_OR_NOT, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST),
    ATTRIBUTE(ZERO_OR_NOT, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION),
    ATTRIBUTE(ZERO_OR_NOT, HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT),
    ATTRIBUTE(NUMBER, HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION),
    {19, NUMBER, "unknown19"},
};

static void symbol(hsa_executable_t executable, const char *name)
{
    hsa_executable_symbol_t found = {0};
    within("symbols.%s", name);
    say_status("get", rt.hsa_executable_get_symbol_by_name(executable, name, &here.gpu, &found));
    if (found.handle)
        SAY_ATTRIBUTES(symbol_info, found.handle, of_symbols);
    found.handle = 0;
    say_status("get.no_agent",
               rt.hsa_executable_get_symbol_by_name(executable, name, NULL, &found));
    say_status("get.other_agent",
               rt.hsa_executable_get_symbol_by_name(executable, name, &here.other, &found));
    say_status("get.old",
               rt.hsa_executable_get_symbol(executable, NULL, name, here.gpu, 0, &found));
    say_status("get.old.module",
               rt.hsa_executable_get_symbol(executable, "module", name, here.gpu, 0, &found));
}

static void symbols(void)
{
    hsa_executable_t executable = load_kernels(here.gpu), none = {0};
    hsa_executable_symbol_t found;
    static const char *const names[] = {"fill.kd", "fill",  "trap.kd",
                                        "counter", "table", "missing"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        symbol(executable, names[i]);
    within("symbols");
    say_status("null", rt.hsa_executable_get_symbol_by_name(executable, NULL, &here.gpu, &found));
    say_status("null_symbol",
               rt.hsa_executable_get_symbol_by_name(executable, "counter", &here.gpu, NULL));
    say_status("none", rt.hsa_executable_get_symbol_by_name(none, "counter", &here.gpu, &found));
    say_status("empty", rt.hsa_executable_get_symbol_by_name(executable, "", &here.gpu, &found));
    say_status("old.empty",
               rt.hsa_executable_get_symbol(executable, NULL, "", here.gpu, 0, &found));
    say_status("old.none", rt.hsa_executable_get_symbol(none, NULL, "fill", here.gpu, 0, &found));
    say_status("info.none", symbol_info(0, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, zeros));
    must(rt.hsa_executable_get_symbol_by_name(executable, "counter", &here.gpu, &found));
    say_status("info.null", symbol_info(found.handle, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, NULL));
}

/* ---- iterating --------------------------------------------------------------------- */

static unsigned kernels_seen, variables_seen, others_seen;

static hsa_status_t count_symbol(hsa_executable_t executable, hsa_executable_symbol_t symbol,
                                 void *data)
{
    uint32_t kind = 77;
    (void)executable;
    must(symbol_info(symbol.handle, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind));
    kernels_seen += kind == HSA_SYMBOL_KIND_KERNEL;
    variables_seen += kind == HSA_SYMBOL_KIND_VARIABLE;
    others_seen += kind > HSA_SYMBOL_KIND_KERNEL;
    return data ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
}

static hsa_status_t count_of_agent(hsa_executable_t executable, hsa_agent_t agent,
                                   hsa_executable_symbol_t symbol, void *data)
{
    (void)agent;
    return count_symbol(executable, symbol, data);
}

static void say_counts(const char *key, int status)
{
    if (status == HSA_STATUS_INFO_BREAK) /* after whichever came first */
        say(key, "INFO_BREAK %u", kernels_seen + variables_seen + others_seen);
    else
        say(key, "%s %u kernels, %u variables, %u others", status_name(status), kernels_seen,
            variables_seen, others_seen);
    kernels_seen = variables_seen = others_seen = 0;
}

static void iterating(void)
{
    hsa_executable_t executable = load_kernels(here.gpu), none = {0};
    say_counts("all", rt.hsa_executable_iterate_symbols(executable, count_symbol, NULL));
    say_counts("stop", rt.hsa_executable_iterate_symbols(executable, count_symbol, zeros));
    say_counts("agent",
               rt.hsa_executable_iterate_agent_symbols(executable, here.gpu, count_of_agent, NULL));
    say_counts("other", rt.hsa_executable_iterate_agent_symbols(executable, here.other,
                                                                count_of_agent, NULL));
    say_counts("program",
               rt.hsa_executable_iterate_program_symbols(executable, count_symbol, NULL));
    say_status("null", rt.hsa_executable_iterate_symbols(executable, NULL, NULL));
    say_status("none", rt.hsa_executable_iterate_symbols(none, count_symbol, NULL));
    say_status("agent.null",
               rt.hsa_executable_iterate_agent_symbols(executable, here.gpu, NULL, NULL));
    say_status("agent.none", rt.hsa_executable_iterate_agent_symbols(executable, (hsa_agent_t){0},
                                                                     count_of_agent, NULL));
    say_status("program.null", rt.hsa_executable_iterate_program_symbols(executable, NULL, NULL));
}

/* ---- variables of the program ------------------------------------------------------ */

static void definitions(void)
{
    hsa_executable_t executable = new_executable(), none = {0};
    void *memory = new_memory(here.device, PAGE);
    hsa_executable_symbol_t found = {0};
    prepare();
    load("undefined", executable, here.gpu, imports, imports_size);
    executable = new_executable();
    say_status("null_name",
               rt.hsa_executable_agent_global_variable_define(executable, here.gpu, NULL, memory));
    say_status("null", rt.hsa_executable_agent_global_variable_define(executable, here.gpu,
                                                                      "nowhere", NULL));
    say_status("none",
               rt.hsa_executable_agent_global_variable_define(none, here.gpu, "elsewhere", memory));
    say_status("agent", rt.hsa_executable_agent_global_variable_define(executable, here.gpu,
                                                                       "elsewhere", memory));
    say_status("agent.again", rt.hsa_executable_agent_global_variable_define(executable, here.gpu,
                                                                             "elsewhere", memory));
    say_status("agent.other", rt.hsa_executable_agent_global_variable_define(executable, here.other,
                                                                             "elsewhere", memory));
    say_status("global", rt.hsa_executable_global_variable_define(executable, "global", memory));
    say_status("global.again",
               rt.hsa_executable_global_variable_define(executable, "global", memory));
    say_status("global.null", rt.hsa_executable_global_variable_define(executable, NULL, memory));
    say_status("readonly", rt.hsa_executable_readonly_variable_define(executable, here.gpu,
                                                                      "constant", memory));
    load("defined", executable, here.gpu, imports, imports_size);
    must(rt.hsa_executable_freeze(executable, NULL));
    say_status("frozen", rt.hsa_executable_agent_global_variable_define(executable, here.gpu,
                                                                        "late", memory));
    say_status("frozen.global",
               rt.hsa_executable_global_variable_define(executable, "late", memory));
    say_status("get",
               rt.hsa_executable_get_symbol_by_name(executable, "elsewhere", &here.gpu, &found));
    within("definitions.elsewhere");
    if (found.handle)
        SAY_ATTRIBUTES(symbol_info, found.handle, of_symbols);
    found.handle = 0;
    within("definitions");
    say_status("get.global",
               rt.hsa_executable_get_symbol_by_name(executable, "global", NULL, &found));
    within("definitions.global");
    if (found.handle)
        SAY_ATTRIBUTES(symbol_info, found.handle, of_symbols);
}

/* ---- the loader's extension -------------------------------------------------------- */

static struct {
    hsa_status_t (*query_host_address)(const void *, const void **);
    hsa_status_t (*query_segment_descriptors)(hsa_ven_amd_loader_segment_descriptor_t *, size_t *);
    hsa_status_t (*query_executable)(const void *, hsa_executable_t *);
    hsa_status_t (*iterate_loaded)(hsa_executable_t,
                                   hsa_status_t (*)(hsa_executable_t, hsa_loaded_code_object_t,
                                                    void *),
                                   void *);
    hsa_status_t (*loaded_info)(hsa_loaded_code_object_t, int, void *);
    hsa_status_t (*reader_of_part)(int, size_t, size_t, hsa_code_object_reader_t *);
    hsa_status_t (*iterate_executables)(hsa_status_t (*)(hsa_executable_t, void *), void *);
} loader;

static hsa_status_t loaded_info(uint64_t object, int attribute, void *value)
{
    return loader.loaded_info((hsa_loaded_code_object_t){object}, attribute, value);
}

static hsa_status_t say_loaded(hsa_executable_t executable, hsa_loaded_code_object_t loaded,
                               void *data)
{
    static const struct attribute table[] = {
        {1, ZERO_OR_NOT, "executable"},
        {2, NUMBER, "kind"},
        {3, AGENT, "agent"},
        {4, NUMBER, "storage"},
        {5, ZERO_OR_NOT, "memory"},
        {6, NUMBER, "memory_size"},
        {7, NUMBER, "file"},
        {8, ZERO_OR_NOT, "delta"},
        {9, ZERO_OR_NOT, "base"},
        {10, NUMBER, "size"},
        {0, NUMBER, "unknown0"},
        {13, NUMBER, "unknown13"},
    };
    uint32_t length = 0;
    (void)executable;
    within("%s.loaded", (const char *)data);
    SAY_ATTRIBUTES(loaded_info, loaded.handle, table);
    must(
        loaded_info(loaded.handle, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH, &length));
    char *uri = calloc(length + 1, 1);
    must(loaded_info(loaded.handle, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri));
    say("uri", "%.7s, %d characters", uri, strlen(uri) == length);
    free(uri);
    within("%s", (const char *)data);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t count_executable(hsa_executable_t executable, void *data)
{
    (void)executable;
    ++*(unsigned *)data;
    return HSA_STATUS_SUCCESS;
}

static void descriptors(void)
{
    hsa_ven_amd_loader_segment_descriptor_t list[8];
    size_t count = 0;
    memset(list, 0, sizeof list);
    say_status("segments.null", loader.query_segment_descriptors(NULL, NULL));
    say_status("segments.count", loader.query_segment_descriptors(NULL, &count));
    say("segments", "%zu", count);
    size_t one_less = count - 1, more = count + 1;
    say_status("segments.one_less", loader.query_segment_descriptors(list, &one_less));
    say_status("segments.more", loader.query_segment_descriptors(list, &more));
    size_t nothing = 0;
    say_status("segments.nothing", loader.query_segment_descriptors(list, &nothing));
    count = count > 8 ? 8 : count;
    say_status("segments.list", loader.query_segment_descriptors(list, &count));
    for (size_t i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "segment%zu", i);
        say(key, "%s, executable %d, storage %d %d, %zu bytes from %zu on, base %d, %zu bytes",
            agent_name(list[i].agent), list[i].executable.handle != 0,
            (int)list[i].code_object_storage_type, list[i].code_object_storage_base != NULL,
            list[i].code_object_storage_size, list[i].code_object_storage_offset,
            list[i].segment_base != NULL, list[i].segment_size);
    }
}

static void loader_extension(void)
{
    hsa_executable_t executable = load_kernels(here.gpu), none = {0}, found = {0};
    hsa_executable_symbol_t counter;
    const void *address = NULL;
    uint64_t variable;
    unsigned count = 0;
    must(rt.hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader,
                                                 &loader));
    say_status("loaded", loader.iterate_loaded(executable, say_loaded, (void *)"loader_extension"));
    say_status("loaded.null", loader.iterate_loaded(executable, NULL, NULL));
    say_status("loaded.none", loader.iterate_loaded(none, say_loaded, NULL));
    say_status("info.none", loaded_info(0, 1, zeros));
    descriptors();
    must(rt.hsa_executable_get_symbol_by_name(executable, "counter", &here.gpu, &counter));
    must(symbol_info(counter.handle, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &variable));
    say_status("host", loader.query_host_address((void *)variable, &address));
    say("host.value", "%u", address ? *(const uint32_t *)address : 0);
    say_status("host.program", loader.query_host_address(zeros, &address));
    say_status("host.null", loader.query_host_address(NULL, &address));
    say_status("host.null_address", loader.query_host_address((void *)variable, NULL));
    int status = (int)loader.query_executable((void *)variable, &found);
    say("executable", "%s %d", status_name(status), found.handle == executable.handle);
    say_status("executable.program", loader.query_executable(zeros, &found));
    say_status("executable.null", loader.query_executable(NULL, &found));
    say_status("executables", loader.iterate_executables(count_executable, &count));
    say("executables.count", "%u", count);
    say_status("executables.null", loader.iterate_executables(NULL, NULL));
}

static void parts_of_files(void)
{
    hsa_code_object_reader_t reader;
    char path[1024];
    must(rt.hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader,
                                                 &loader));
    prepare();
    snprintf(path, sizeof path, "%s/kernels_%s.co", here.code_folder, here.model);
    int file = open(path, O_RDONLY);
    say_status("whole", loader.reader_of_part(file, 0, code_size, &reader));
    hsa_executable_t executable = new_executable();
    must(rt.hsa_executable_load_agent_code_object(executable, here.gpu, reader, NULL, NULL));
    must(loader.iterate_loaded(executable, say_loaded, (void *)"parts_of_files"));
    say_status("nothing", loader.reader_of_part(file, 0, 0, &reader));
    say_status("beyond", loader.reader_of_part(file, 8, code_size, &reader));
    say_status("after_the_end", loader.reader_of_part(file, code_size, 8, &reader));
    say_status("null", loader.reader_of_part(file, 0, code_size, NULL));
    say_status("bad_file", loader.reader_of_part(-1, 0, 8, &reader));
}

/* ---- code objects of HSA 1.0 ------------------------------------------------------- */

static hsa_status_t code_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_code_object_get_info((hsa_code_object_t){object},
                                       (hsa_code_object_info_t)attribute, value);
}

static hsa_status_t code_symbol_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_code_symbol_get_info((hsa_code_symbol_t){object},
                                       (hsa_code_symbol_info_t)attribute, value);
}

static void code_symbol(hsa_code_object_t object, const char *name)
{
    static const struct attribute table[] = {
        ATTRIBUTE(NUMBER, HSA_CODE_SYMBOL_INFO_TYPE),
        ATTRIBUTE(NUMBER, HSA_CODE_SYMBOL_INFO_NAME_LENGTH),
        ATTRIBUTE(TEXT, HSA_CODE_SYMBOL_INFO_NAME),
        ATTRIBUTE(NUMBER, HSA_CODE_SYMBOL_INFO_MODULE_NAME_LENGTH),
        ATTRIBUTE(NUMBER, HSA_CODE_SYMBOL_INFO_LINKAGE),
        ATTRIBUTE(NUMBER, HSA_CODE_SYMBOL_INFO_IS_DEFINITION),
    };
    hsa_code_symbol_t found = {0};
    within("old_code.%s", name);
    say_status("get", rt.hsa_code_object_get_symbol(object, name, &found));
    if (found.handle)
        SAY_ATTRIBUTES(code_symbol_info, found.handle, table);
    say_status("get.from_name",
               rt.hsa_code_object_get_symbol_from_name(object, NULL, name, &found));
}

static hsa_status_t count_code_symbol(hsa_code_object_t object, hsa_code_symbol_t symbol,
                                      void *data)
{
    (void)object, (void)symbol;
    ++*(unsigned *)data;
    return HSA_STATUS_SUCCESS;
}

static void old_code_info(void)
{
    static const struct attribute table[] = {
        ATTRIBUTE(TEXT, HSA_CODE_OBJECT_INFO_VERSION),
        ATTRIBUTE(NUMBER, HSA_CODE_OBJECT_INFO_TYPE),
        ATTRIBUTE(NUMBER, HSA_CODE_OBJECT_INFO_MACHINE_MODEL),
        ATTRIBUTE(NUMBER, HSA_CODE_OBJECT_INFO_PROFILE),
        ATTRIBUTE(NUMBER, HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE),
        {6, NUMBER, "unknown6"},
    };
    hsa_code_object_t object = {0};
    prepare();
    must(rt.hsa_code_object_deserialize(code, code_size, NULL, &object));
    SAY_ATTRIBUTES(code_info, object.handle, table);
}

static void old_code(void)
{
    hsa_code_object_t object = {0}, none = {0};
    hsa_executable_t executable = new_executable();
    unsigned count = 0;
    prepare();
    say_status("deserialize", rt.hsa_code_object_deserialize(code, code_size, NULL, &object));
    code_symbol(object, "fill.kd");
    code_symbol(object, "counter");
    code_symbol(object, "missing");
    within("old_code");
    say_status("symbols", rt.hsa_code_object_iterate_symbols(object, count_code_symbol, &count));
    say("symbols.some", "%d", count > 0);
    say_status("load", rt.hsa_executable_load_code_object(executable, here.gpu, object, NULL));
    say_status("load.none", rt.hsa_executable_load_code_object(executable, here.gpu, none, NULL));
    say_status("destroy", rt.hsa_code_object_destroy(object));
    say_status("destroy.none", rt.hsa_code_object_destroy(none));
    say_status("deserialize.null", rt.hsa_code_object_deserialize(NULL, code_size, NULL, &object));
    say_status("deserialize.nothing", rt.hsa_code_object_deserialize(code, 0, NULL, &object));
    say_status("deserialize.null_object",
               rt.hsa_code_object_deserialize(code, code_size, NULL, NULL));
    say_status("info.none", code_info(0, HSA_CODE_OBJECT_INFO_VERSION, zeros));
}

const struct part parts_of_code[] = {
    {"readers", readers, ONE_MODEL},
    {"executables", executables, ONE_MODEL},
    {"loading", loading, 0},
    {"other_targets", other_targets, 0},
    {"symbols", symbols, 0},
    {"iterating", iterating, ONE_MODEL},
    {"definitions", definitions, ONE_MODEL},
    {"loader_extension", loader_extension, ONE_MODEL},
    {"parts_of_files", parts_of_files, ONE_MODEL},
    {"old_code_info", old_code_info, ONE_MODEL},
    {"old_code", old_code, ONE_MODEL},
    {NULL, NULL, 0},
};
