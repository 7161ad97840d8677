/* Code objects, executables, their symbols, and the loader's extension. */
#include "simhsa_test.h"

#include <fcntl.h>

static void *kernels, *imports;
static size_t kernels_size, imports_size;

static struct {
    hsa_status_t (*query_host_address)(const void *, const void **);
    hsa_status_t (*query_segment_descriptors)(hsa_ven_amd_loader_segment_descriptor_t *, size_t *);
    hsa_status_t (*query_executable)(const void *, hsa_executable_t *);
    hsa_status_t (*iterate_loaded)(hsa_executable_t,
                                   hsa_status_t (*)(hsa_executable_t, hsa_loaded_code_object_t,
                                                    void *),
                                   void *);
    hsa_status_t (*loaded_info)(hsa_loaded_code_object_t,
                                hsa_ven_amd_loader_loaded_code_object_info_t, void *);
    hsa_status_t (*reader_from_file)(hsa_file_t, size_t, size_t, hsa_code_object_reader_t *);
    hsa_status_t (*iterate_executables)(hsa_status_t (*)(hsa_executable_t, void *), void *);
} loader;

static hsa_executable_t loaded(void)
{
    hsa_executable_t executable = new_executable();
    ok(load_code(executable, here.gpus[0], kernels, kernels_size));
    ok(rt.hsa_executable_freeze(executable, NULL));
    return executable;
}

static uint32_t word_of(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute)
{
    uint32_t value = 0xdeadbeef;
    ok(rt.hsa_executable_symbol_get_info(symbol, attribute, &value));
    return value;
}

static void kernels_are_found_by_name(void **state)
{
    char name[16] = "";
    bool dynamic = true;
    hsa_agent_t agent = {0};
    uint64_t object = 0;
    (void)state;
    hsa_executable_t executable = loaded();
    hsa_executable_symbol_t symbol = symbol_of(executable, here.gpus[0], "fill.kd");
    assert_int_equal(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE), HSA_SYMBOL_KIND_KERNEL);
    assert_int_equal(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), 7);
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name));
    assert_string_equal(name, "fill.kd");
    assert_int_equal(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE), 16);
    assert_true(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT) >= 8);
    assert_int_equal(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE), 0);
    assert_int_equal(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE), 0);
    ok(rt.hsa_executable_symbol_get_info(
        symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, &dynamic));
    assert_false(dynamic);
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_AGENT, &agent));
    assert_true(agent.handle == here.gpus[0].handle);
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                         &object));
    assert_int_equal(object % 64, 0);
    uint64_t address = 0;
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                         &address));
    assert_true(address == object);
    hsa_executable_symbol_t same;
    ok(rt.hsa_executable_get_symbol(executable, NULL, "fill.kd", here.gpus[0], 0, &same));
    assert_true(same.handle == symbol.handle);
    expect(rt.hsa_executable_get_symbol_by_name(executable, "fil.kd", here.gpus, &same),
           HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    expect(rt.hsa_executable_get_symbol_by_name(executable, "fill.kd", NULL, &same),
           HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    expect(rt.hsa_executable_get_symbol_by_name(executable, "fill.kd", &here.gpus[1], &same),
           HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    expect(rt.hsa_executable_get_symbol_by_name(executable, "fill.kd", &(hsa_agent_t){5}, &same),
           HSA_STATUS_ERROR_INVALID_AGENT);
    ok(rt.hsa_executable_destroy(executable));
    expect(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &object),
           HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
    expect(rt.hsa_executable_destroy(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
}

static void variables_are_memory_of_the_device(void **state)
{
    uint32_t value = 0;
    void *address = NULL;
    bool constant = false;
    (void)state;
    hsa_executable_t executable = loaded();
    hsa_executable_symbol_t symbol = symbol_of(executable, here.gpus[0], "counter");
    assert_int_equal(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE), HSA_SYMBOL_KIND_VARIABLE);
    assert_int_equal(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 4);
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                         &address));
    ok(rt.hsa_memory_copy(&value, address, 4));
    assert_int_equal(value, 7);
    value = 8;
    ok(rt.hsa_memory_copy(address, &value, 4));
    assert_true(all_bytes(address, 1, 8));
    symbol = symbol_of(executable, here.gpus[0], "table");
    assert_int_equal(word_of(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 16);
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST,
                                         &constant));
    assert_true(constant);
    ok(rt.hsa_executable_destroy(executable));
    expect(rt.hsa_memory_copy(&value, address, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

struct names {
    char text[512];
    unsigned count;
};

static hsa_status_t collect_name(hsa_executable_t executable, hsa_executable_symbol_t symbol,
                                 void *data)
{
    struct names *names = data;
    uint32_t length;
    (void)executable;
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length));
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME,
                                         names->text + strlen(names->text)));
    strcat(names->text, " ");
    names->count++;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t collect_agent_name(hsa_executable_t executable, hsa_agent_t agent,
                                       hsa_executable_symbol_t symbol, void *data)
{
    (void)agent;
    return collect_name(executable, symbol, data);
}

static void symbols_are_listed(void **state)
{
    struct names names = {.text = ""}, of_agent = {.text = ""}, of_program = {.text = ""};
    (void)state;
    hsa_executable_t executable = loaded();
    ok(rt.hsa_executable_iterate_symbols(executable, collect_name, &names));
    assert_non_null(strstr(names.text, "fill.kd "));
    assert_non_null(strstr(names.text, "trap.kd "));
    assert_non_null(strstr(names.text, "counter "));
    ok(rt.hsa_executable_iterate_agent_symbols(executable, here.gpus[0], collect_agent_name,
                                               &of_agent));
    assert_int_equal(of_agent.count, names.count);
    ok(rt.hsa_executable_iterate_agent_symbols(executable, here.gpus[1], collect_agent_name,
                                               &of_agent));
    assert_int_equal(of_agent.count, names.count);
    ok(rt.hsa_executable_iterate_program_symbols(executable, collect_name, &of_program));
    assert_int_equal(of_program.count, 0);
    ok(rt.hsa_executable_destroy(executable));
    expect(rt.hsa_executable_iterate_symbols(executable, collect_name, &names),
           HSA_STATUS_ERROR_INVALID_EXECUTABLE);
}

static void an_executable_is_frozen_once(void **state)
{
    uint32_t value = 9;
    (void)state;
    hsa_executable_t executable = new_executable();
    ok(rt.hsa_executable_get_info(executable, HSA_EXECUTABLE_INFO_STATE, &value));
    assert_int_equal(value, HSA_EXECUTABLE_STATE_UNFROZEN);
    ok(rt.hsa_executable_freeze(executable, NULL));
    ok(rt.hsa_executable_get_info(executable, HSA_EXECUTABLE_INFO_STATE, &value));
    assert_int_equal(value, HSA_EXECUTABLE_STATE_FROZEN);
    expect(rt.hsa_executable_freeze(executable, NULL), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
    expect(load_code(executable, here.gpus[0], kernels, kernels_size),
           HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
    ok(rt.hsa_executable_validate(executable, &value));
    assert_int_equal(value, 0);
    ok(rt.hsa_executable_destroy(executable));
    ok(rt.hsa_executable_create(HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_FROZEN, NULL, &executable));
    expect(rt.hsa_executable_freeze(executable, NULL), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
    ok(rt.hsa_executable_destroy(executable));
    expect(rt.hsa_executable_validate(executable, &value), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
}

static void invalid_code_is_refused(void **state)
{
    size_t size;
    hsa_code_object_reader_t reader;
    hsa_executable_t executable = new_executable();
    void *other = read_code("kernels_gfx1100", &size);
    char *damaged = malloc(kernels_size);
    (void)state;
    assert_non_null(damaged);
    expect(load_code(executable, here.gpus[0], other, size),
           HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    expect(load_code(executable, here.gpus[0], "not code at all", 15),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    expect(load_code(executable, here.gpus[0], kernels, kernels_size / 2),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    expect(load_code(executable, here.cpu, kernels, kernels_size),
           HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    memcpy(damaged, kernels, kernels_size);
    memset(damaged + 32, 0xff, 16); /* the offsets of the headers */
    expect(load_code(executable, here.gpus[0], damaged, kernels_size),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    expect(rt.hsa_code_object_reader_create_from_memory(NULL, 5, &reader),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_code_object_reader_create_from_memory(kernels, 0, &reader),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_code_object_reader_create_from_file(-1, &reader),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_code_object_reader_create_from_memory(kernels, kernels_size, &reader));
    expect(rt.hsa_executable_load_agent_code_object((hsa_executable_t){3}, here.gpus[0], reader,
                                                    NULL, NULL),
           HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    expect(rt.hsa_executable_load_program_code_object(executable, reader, NULL, NULL),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    ok(rt.hsa_code_object_reader_destroy(reader));
    expect(rt.hsa_code_object_reader_destroy(reader), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    expect(rt.hsa_executable_load_agent_code_object(executable, here.gpus[0], reader, NULL, NULL),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    ok(load_code(executable, here.gpus[0], kernels, kernels_size)); /* it is still valid */
    ok(rt.hsa_executable_destroy(executable));
    free(damaged);
    free(other);
}

static void external_variables_are_defined_by_the_program(void **state)
{
    uint64_t address = 0;
    uint32_t word = 0;
    (void)state;
    hsa_executable_t executable = new_executable();
    void *memory = allocate(here.memory, 64);
    expect(load_code(executable, here.gpus[0], imports, imports_size),
           HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
    ok(rt.hsa_executable_agent_global_variable_define(executable, here.gpus[0], "elsewhere",
                                                      memory));
    expect(rt.hsa_executable_agent_global_variable_define(executable, here.gpus[0], "elsewhere",
                                                          memory),
           HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
    ok(load_code(executable, here.gpus[0], imports, imports_size));
    hsa_executable_symbol_t symbol = symbol_of(executable, here.gpus[0], "elsewhere");
    ok(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                         &address));
    assert_true(address == (uintptr_t)memory);
    ok(rt.hsa_executable_freeze(executable, NULL));
    expect(rt.hsa_executable_global_variable_define(executable, "more", memory),
           HSA_STATUS_ERROR_FROZEN_EXECUTABLE);

    hsa_queue_t *queue;
    ok(rt.hsa_queue_create(here.gpus[0], 64, 0, NULL, NULL, 0, 0, &queue));
    uint32_t *out = allocate(here.fine, 64), **arguments = allocate(here.kernarg, 64);
    hsa_signal_t done = new_signal(1);
    *arguments = out;
    ok(rt.hsa_amd_memory_fill(memory, 4321, 16));
    dispatch(queue, kernel_of(executable, here.gpus[0], "read.kd"), 1, arguments, done);
    assert_true(wait_for(done));
    word = *out;
    assert_int_equal(word, 4321);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_executable_destroy(executable));
    executable = new_executable();
    ok(rt.hsa_executable_global_variable_define(executable, "elsewhere", memory));
    ok(load_code(executable, here.gpus[0], imports, imports_size));
    ok(rt.hsa_executable_destroy(executable));
    ok(rt.hsa_amd_memory_pool_free(memory));
    ok(rt.hsa_amd_memory_pool_free(out));
    ok(rt.hsa_amd_memory_pool_free(arguments));
}

static void code_is_freed_with_its_executable(void **state)
{
    uint64_t before = 0, after = 0;
    hsa_agent_info_t left = (hsa_agent_info_t)HSA_AMD_AGENT_INFO_MEMORY_AVAIL;
    (void)state;
    ok(rt.hsa_agent_get_info(here.gpus[0], left, &before));
    for (int i = 0; i < 200; i++)
        ok(rt.hsa_executable_destroy(loaded()));
    ok(rt.hsa_agent_get_info(here.gpus[0], left, &after));
    assert_true(before == after);
}

/* ---- code objects of HSA 1.0
 * ------------------------------------------------------------------------ */

static hsa_status_t count_code_symbol(hsa_code_object_t code, hsa_code_symbol_t symbol, void *data)
{
    uint32_t kind = 99;
    (void)code;
    ok(rt.hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_TYPE, &kind));
    ++((unsigned *)data)[kind];
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t allocate_memory(size_t size, hsa_callback_data_t data, void **out)
{
    (void)data;
    *out = malloc(size);
    return *out ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static void old_code_objects_load_too(void **state)
{
    hsa_code_object_t code;
    hsa_code_symbol_t symbol;
    hsa_isa_t isa = {0}, expected;
    unsigned kinds[3] = {0};
    void *copy = NULL;
    size_t size = 0;
    (void)state;
    void *bytes = malloc(kernels_size);
    assert_non_null(bytes);
    memcpy(bytes, kernels, kernels_size);
    ok(rt.hsa_code_object_deserialize(bytes, kernels_size, NULL, &code));
    free(bytes);
    ok(rt.hsa_code_object_get_info(code, HSA_CODE_OBJECT_INFO_ISA, &isa));
    ok(rt.hsa_isa_from_name("amdgcn-amd-amdhsa--gfx90a", &expected));
    assert_true(isa.handle == expected.handle);
    ok(rt.hsa_code_object_get_symbol(code, "fill.kd", &symbol));
    ok(rt.hsa_code_object_iterate_symbols(code, count_code_symbol, kinds));
    assert_int_equal(kinds[HSA_SYMBOL_KIND_KERNEL], 5);
    assert_true(kinds[HSA_SYMBOL_KIND_VARIABLE] >= 2);
    ok(rt.hsa_code_object_serialize(code, allocate_memory, (hsa_callback_data_t){0}, NULL, &copy,
                                    &size));
    assert_int_equal(size, kernels_size);
    assert_memory_equal(copy, kernels, size);
    free(copy);
    hsa_executable_t executable;
    ok(rt.hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, "", &executable));
    ok(rt.hsa_executable_load_code_object(executable, here.gpus[0], code, ""));
    ok(rt.hsa_code_object_destroy(code));
    expect(rt.hsa_code_object_destroy(code), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    expect(rt.hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_TYPE, kinds),
           HSA_STATUS_ERROR_INVALID_CODE_SYMBOL);
    ok(rt.hsa_executable_freeze(executable, ""));
    assert_true(kernel_of(executable, here.gpus[0], "fill.kd") != 0);
    ok(rt.hsa_executable_destroy(executable));
    char nonsense[] = "nonsense";
    expect(rt.hsa_code_object_deserialize(nonsense, 8, NULL, &code),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

/* ---- the loader's extension
 * --------------------------------------------------------------------------- */

static hsa_status_t take_loaded(hsa_executable_t executable, hsa_loaded_code_object_t object,
                                void *data)
{
    (void)executable;
    *(hsa_loaded_code_object_t *)data = object;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_executable(hsa_executable_t executable, void *data)
{
    hsa_executable_t *wanted = data;
    return executable.handle == wanted->handle ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
}

static void the_loader_reports_where_code_is_loaded(void **state)
{
    const void *view = NULL;
    hsa_executable_t found = {0};
    hsa_loaded_code_object_t object = {0};
    uint64_t base = 0, size = 0;
    char uri[256] = "";
    size_t count = 0;
    hsa_ven_amd_loader_segment_descriptor_t descriptors[8];
    (void)state;
    hsa_executable_t executable = loaded();
    uint64_t kernel = kernel_of(executable, here.gpus[0], "fill.kd");
    ok(loader.query_host_address((void *)(uintptr_t)kernel, &view));
    assert_int_equal(((const uint32_t *)view)[2], 16); /* kernarg_size */
    ok(loader.query_executable((void *)(uintptr_t)kernel, &found));
    assert_true(found.handle == executable.handle);
    expect(loader.query_executable(&found, &found), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(loader.query_host_address(&found, &view), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(loader.iterate_executables(find_executable, &executable), HSA_STATUS_INFO_BREAK);
    ok(loader.iterate_loaded(executable, take_loaded, &object));
    ok(loader.loaded_info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, &base));
    ok(loader.loaded_info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE, &size));
    assert_true(kernel >= base && kernel < base + size);
    ok(loader.loaded_info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri));
    assert_int_equal(strncmp(uri, "memory://", 9), 0);
    expect(loader.query_segment_descriptors(descriptors, &count),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(loader.query_segment_descriptors(NULL, &count));
    assert_int_equal(count, 1);
    ok(loader.query_segment_descriptors(descriptors, &count));
    assert_true((uintptr_t)descriptors[0].segment_base == base &&
                descriptors[0].segment_size == size);
    assert_true(descriptors[0].executable.handle == executable.handle);
    assert_ptr_equal(descriptors[0].code_object_storage_base, kernels);
    ok(rt.hsa_executable_destroy(executable));
    expect(loader.loaded_info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

static void code_is_read_from_part_of_a_file(void **state)
{
    char path[] = "/tmp/simhsa_code_XXXXXX", uri[256] = "";
    hsa_code_object_reader_t reader;
    hsa_loaded_code_object_t object;
    (void)state;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, kernels, kernels_size, 4096), kernels_size);
    ok(loader.reader_from_file(file, 4096, kernels_size, &reader));
    hsa_executable_t executable = new_executable();
    ok(rt.hsa_executable_load_agent_code_object(executable, here.gpus[0], reader, NULL, &object));
    ok(loader.loaded_info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri));
    assert_int_equal(strncmp(uri, "file:///tmp/simhsa_code_", 24), 0);
    assert_non_null(strstr(uri, "#offset=4096&size="));
    ok(rt.hsa_code_object_reader_destroy(reader));
    ok(rt.hsa_executable_destroy(executable));
    expect(loader.reader_from_file(file, 4096, kernels_size + 1, &reader),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(loader.reader_from_file(file, 1 << 30, 64, &reader),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    expect(loader.reader_from_file(file, 0, 0, &reader), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    expect(loader.reader_from_file(-1, 0, 64, &reader), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(loader.reader_from_file(1 << 20, 0, 64, &reader), HSA_STATUS_ERROR_INVALID_FILE);
    ok(rt.hsa_code_object_reader_create_from_file(file, &reader)); /* the file starts with zeros */
    executable = new_executable();
    expect(rt.hsa_executable_load_agent_code_object(executable, here.gpus[0], reader, NULL, NULL),
           HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    ok(rt.hsa_code_object_reader_destroy(reader));
    ok(rt.hsa_executable_destroy(executable));
    close(file);
    unlink(path);
}

static int prepare(void **state)
{
    (void)state;
    kernels = read_code("kernels_gfx90a", &kernels_size);
    imports = read_code("imports_gfx90a", &imports_size);
    return rt.hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader,
                                                   &loader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_found_by_name),
        cmocka_unit_test(variables_are_memory_of_the_device),
        cmocka_unit_test(symbols_are_listed),
        cmocka_unit_test(an_executable_is_frozen_once),
        cmocka_unit_test(invalid_code_is_refused),
        cmocka_unit_test(external_variables_are_defined_by_the_program),
        cmocka_unit_test(code_is_freed_with_its_executable),
        cmocka_unit_test(old_code_objects_load_too),
        cmocka_unit_test(the_loader_reports_where_code_is_loaded),
        cmocka_unit_test(code_is_read_from_part_of_a_file),
    };
    return start_with("gfx90a,gfx1100") ? EXIT_FAILURE
                                        : cmocka_run_group_tests(tests, prepare, NULL);
}
