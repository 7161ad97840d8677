/* Start and end of the runtime, and which devices there are. */
#include "simhsa_test.h"

#include <sys/time.h>

/* ---- before the runtime is started: in separate processes
 * ---------------------------------------------- */

static void call_before_init(void)
{
    hsa_signal_t signal;
    hsa_queue_t *queue;
    void *pointer;
    uint64_t value;
    open_library();
    child_check(rt.hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_iterate_agents(collect_agent, NULL) == HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &value) ==
                HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_signal_create(0, 0, NULL, &signal) == HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_queue_create((hsa_agent_t){1}, 64, 0, NULL, NULL, 0, 0, &queue) ==
                HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_memory_allocate((hsa_region_t){1}, 64, &pointer) ==
                HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_amd_memory_pool_free(&value) == HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_ext_image_destroy((hsa_agent_t){1}, (hsa_ext_image_t){1}) ==
                HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_signal_load_relaxed((hsa_signal_t){64}) == 0);
    rt.hsa_signal_store_relaxed((hsa_signal_t){64}, 1);
    child_check(rt.hsa_queue_load_read_index_relaxed((hsa_queue_t *)&value) == 0);
}

static void nothing_works_before_it_is_initialised(void **state)
{
    (void)state;
    in_a_child(call_before_init);
}

static void count_references(void)
{
    open_library();
    child_check(rt.hsa_init() == HSA_STATUS_SUCCESS && rt.hsa_init() == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_iterate_agents(collect_agent, NULL) == HSA_STATUS_SUCCESS);
    child_check(here.gpu_count == 1);
    child_check(rt.hsa_shut_down() == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_iterate_agents(collect_agent, NULL) == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_shut_down() == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_iterate_agents(collect_agent, NULL) == HSA_STATUS_ERROR_NOT_INITIALIZED);
    child_check(rt.hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED);
}

static void shut_down_is_called_as_often_as_initialise(void **state)
{
    (void)state;
    in_a_child(count_references);
}

static hsa_status_t find_memory(hsa_amd_memory_pool_t pool, void *data)
{
    *(hsa_amd_memory_pool_t *)data = pool;
    return HSA_STATUS_INFO_BREAK;
}

static bool note(hsa_signal_value_t value, void *data)
{
    (void)value;
    atomic_store((_Atomic(int) *)data, 1);
    return true;
}

/* Creates one object of each kind and destroys none. */
static void use_everything(void)
{
    static _Atomic(int) noted;
    hsa_signal_t signal, never;
    hsa_queue_t *queue;
    hsa_amd_memory_pool_t pool;
    hsa_executable_t executable;
    hsa_amd_vmem_alloc_handle_t handle;
    void *memory, *addresses, *locked;
    static char own[8192];
    child_check(rt.hsa_init() == HSA_STATUS_SUCCESS);
    here.gpu_count = 0;
    child_check(rt.hsa_iterate_agents(collect_agent, NULL) == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_amd_agent_iterate_memory_pools(here.gpus[0], find_memory, &pool) ==
                HSA_STATUS_INFO_BREAK);
    child_check(rt.hsa_signal_create(1, 0, NULL, &signal) == 0);
    child_check(rt.hsa_signal_create(1, 0, NULL, &never) == 0);
    child_check(rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ, 0, note, &noted) ==
                0);
    child_check(rt.hsa_queue_create(here.gpus[0], 64, 0, NULL, NULL, 0, 0, &queue) == 0);
    child_check(rt.hsa_amd_memory_pool_allocate(pool, 1 << 20, 0, &memory) == 0);
    child_check(rt.hsa_amd_memory_lock(own, sizeof own, NULL, 0, &locked) == 0);
    child_check(rt.hsa_amd_memory_async_copy(memory, here.gpus[0], own, here.cpu, sizeof own, 1,
                                             &never, signal) == 0);
    child_check(rt.hsa_executable_create_alt(0, 0, NULL, &executable) == 0);
    child_check(rt.hsa_amd_vmem_address_reserve(&addresses, 8192, 0, 0) == 0);
    child_check(rt.hsa_amd_vmem_handle_create(pool, 4096, 0, 0, &handle) == 0);
    child_check(rt.hsa_amd_vmem_map(addresses, 4096, 0, handle, 0) == 0);
    child_check(rt.hsa_shut_down() == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_init() == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_signal_destroy(signal) == HSA_STATUS_ERROR_INVALID_SIGNAL);
    child_check(rt.hsa_queue_destroy(queue) == HSA_STATUS_ERROR_INVALID_QUEUE);
    child_check(rt.hsa_amd_memory_pool_free(memory) == HSA_STATUS_ERROR_INVALID_ALLOCATION);
    child_check(rt.hsa_executable_destroy(executable) == HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    child_check(rt.hsa_amd_vmem_address_free(addresses, 8192) != HSA_STATUS_SUCCESS);
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    child_check(rt.hsa_amd_pointer_info(own, &info, NULL, NULL, NULL) == HSA_STATUS_SUCCESS &&
                info.type == HSA_EXT_POINTER_TYPE_UNKNOWN);
    child_check(noted == 0);
    child_check(rt.hsa_shut_down() == HSA_STATUS_SUCCESS);
}

static void leave_everything(void)
{
    open_library();
    for (int i = 0; i < 3; i++)
        use_everything();
}

static void objects_that_are_left_are_freed_at_shut_down(void **state)
{
    (void)state;
    in_a_child(leave_everything);
}

static void fork_while_it_runs(void)
{
    int status;
    open_library();
    child_check(rt.hsa_init() == HSA_STATUS_SUCCESS);
    pid_t child = fork();
    if (child == 0) {
        hsa_signal_t signal;
        child_check(rt.hsa_init() == HSA_STATUS_ERROR_OUT_OF_RESOURCES);
        child_check(rt.hsa_signal_create(0, 0, NULL, &signal) == HSA_STATUS_ERROR_NOT_INITIALIZED);
        exit(EXIT_SUCCESS);
    }
    child_check(waitpid(child, &status, 0) == child && status == 0);
    child_check(rt.hsa_shut_down() == HSA_STATUS_SUCCESS);
}

static void a_forked_child_has_no_runtime(void **state)
{
    (void)state;
    in_a_child(fork_while_it_runs);
}

/* ---- which devices
 * --------------------------------------------------------------------------------- */

static void configure(void)
{
    static const char *const bad[] = {"",          "gfx90",    "gfx90a*0", "gfx90a,",
                                      "gfx90a*65", "gfx90a x", "sm_80"};
    open_library();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        child_check(rt.anyhipSimConfigure(bad[i]) == HSA_STATUS_ERROR_INVALID_ARGUMENT);
    child_check(rt.anyhipSimConfigure(NULL) == HSA_STATUS_ERROR_INVALID_ARGUMENT);
    child_check(rt.anyhipSimConfigure("gfx90a*2,gfx1100") == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_init() == HSA_STATUS_SUCCESS);
    child_check(rt.anyhipSimConfigure("gfx90a") == HSA_STATUS_ERROR_INVALID_RUNTIME_STATE);
    child_check(rt.hsa_iterate_agents(collect_agent, NULL) == HSA_STATUS_SUCCESS);
    child_check(here.gpu_count == 3);
    char name[64];
    child_check(rt.hsa_agent_get_info(here.gpus[2], HSA_AGENT_INFO_NAME, name) == 0);
    child_check(strcmp(name, "gfx1100") == 0);
}

static void a_program_chooses_the_devices(void **state)
{
    (void)state;
    in_a_child(configure);
}

static const char *asked, *visible;
static unsigned expected_count;
static const char *expected_first;

static void count_devices(void)
{
    setenv("ANYHIP_SIM_DEVICES", asked, 1);
    if (visible)
        setenv("ROCR_VISIBLE_DEVICES", visible, 1);
    open_library();
    if (expected_count == UINT32_MAX) {
        child_check(rt.hsa_init() == HSA_STATUS_ERROR_OUT_OF_RESOURCES);
        child_check(rt.hsa_init() == HSA_STATUS_ERROR_OUT_OF_RESOURCES);
        return;
    }
    child_check(rt.hsa_init() == HSA_STATUS_SUCCESS);
    child_check(rt.hsa_iterate_agents(collect_agent, NULL) == HSA_STATUS_SUCCESS);
    child_check(here.gpu_count == expected_count);
    char name[64] = "";
    child_check(expected_count == 0 ||
                rt.hsa_agent_get_info(here.gpus[0], HSA_AGENT_INFO_NAME, name) == 0);
    child_check(strcmp(name, expected_first) == 0);
}

static void expect_devices(const char *list, const char *seen, unsigned count, const char *first)
{
    asked = list;
    visible = seen;
    expected_count = count;
    expected_first = first;
    in_a_child(count_devices);
}

static void the_environment_chooses_the_devices(void **state)
{
    (void)state;
    expect_devices("gfx1100,gfx90a", NULL, 2, "gfx1100");
    expect_devices("", NULL, 1, "gfx90a");
    expect_devices("default*2", NULL, 2, "gfx90a");
    expect_devices("sm_80*2, gfx906", NULL, 1, "gfx906");
    expect_devices("sm_80", NULL, UINT32_MAX, "");
    expect_devices("gfx000", NULL, UINT32_MAX, "");
}

static void the_environment_chooses_which_of_them_are_visible(void **state)
{
    (void)state;
    expect_devices("gfx1100,gfx90a", "1", 1, "gfx90a");
    expect_devices("gfx1100,gfx90a", "1,0", 2, "gfx90a");
    expect_devices("gfx1100,gfx90a", "", 0, "");
    expect_devices("gfx1100,gfx90a", "-1", 0, "");
    expect_devices("gfx1100,gfx90a", "0,7,1", 1, "gfx1100");
    expect_devices("gfx1100,gfx90a", "1,1", 1, "gfx90a");
    expect_devices("gfx1100,gfx90a", "GPU-a500740f00000002", 1, "gfx90a");
    unsetenv("ROCR_VISIBLE_DEVICES");
    setenv("HSA_VISIBLE_DEVICES", "1", 1);
    expect_devices("gfx1100,gfx90a", NULL, 1, "gfx90a");
    unsetenv("HSA_VISIBLE_DEVICES");
    unsetenv("ANYHIP_SIM_DEVICES");
}

/* ---- while the runtime is running
 * ------------------------------------------------------------------------------------ */

static void errors_have_texts(void **state)
{
    const char *text = NULL;
    (void)state;
    ok(rt.hsa_status_string(HSA_STATUS_ERROR_INVALID_AGENT, &text));
    assert_non_null(strstr(text, "HSA_STATUS_ERROR_INVALID_AGENT"));
    ok(rt.hsa_status_string((hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT, &text));
    assert_non_null(strstr(text, "HSA_STATUS_ERROR_MEMORY_FAULT"));
    expect(rt.hsa_status_string((hsa_status_t)77777, &text), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_status_string(HSA_STATUS_SUCCESS, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

static void the_clock_has_its_stated_frequency(void **state)
{
    uint64_t before, after, frequency;
    (void)state;
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
    usleep(50000);
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
    assert_true(after - before >= frequency / 20);
    assert_true(after - before < 10 * frequency);
}

static void the_runtime_has_a_version_and_attributes(void **state)
{
    uint16_t major = 0, minor = 9;
    uint64_t wait = 0;
    bool svm = false;
    const char *build = NULL;
    unsigned char extensions[128];
    (void)state;
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major));
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MINOR, &minor));
    assert_int_equal(major, 1);
    assert_int_equal(minor, 1);
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT, &wait));
    assert_true(wait == UINT64_MAX);
    ok(rt.hsa_system_get_info(HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED, &svm));
    assert_true(svm);
    ok(rt.hsa_system_get_info(HSA_AMD_SYSTEM_INFO_BUILD_VERSION, &build));
    assert_non_null(strstr(build, "AnyHIP"));
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_EXTENSIONS, extensions));
    assert_true(extensions[513 / 8] >> 513 % 8 & 1);
    expect(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, NULL),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_system_get_info((hsa_system_info_t)99, &wait), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

static void the_loaders_extension_is_a_table_of_functions(void **state)
{
    void *table[8] = {NULL}, *old[8] = {NULL};
    bool supported;
    uint16_t minor = 0;
    (void)state;
    ok(rt.hsa_system_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, 1, &supported));
    assert_true(supported);
    ok(rt.hsa_system_extension_supported(HSA_EXTENSION_AMD_LOADER, 2, 0, &supported));
    assert_false(supported);
    ok(rt.hsa_system_extension_supported(HSA_EXTENSION_FINALIZER, 1, 0, &supported));
    assert_false(supported);
    ok(rt.hsa_agent_extension_supported(HSA_EXTENSION_FINALIZER, here.gpus[0], 1, 0, &supported));
    assert_false(supported);
    ok(rt.hsa_system_major_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, &minor, &supported));
    assert_true(supported && minor >= 3);
    ok(rt.hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 7 * sizeof *table,
                                               table));
    for (int i = 0; i < 7; i++)
        assert_non_null(table[i]);
    assert_null(table[7]);
    ok(rt.hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 0, old));
    assert_ptr_equal(old[2], table[2]);
    assert_null(old[3]);
    expect(rt.hsa_system_get_major_extension_table(HSA_EXTENSION_FINALIZER, 1, 64, table),
           HSA_STATUS_ERROR);
    expect(rt.hsa_system_get_major_extension_table(999, 1, 64, table), HSA_STATUS_ERROR);
    expect(rt.hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 64, NULL),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest before[] = {
        cmocka_unit_test(nothing_works_before_it_is_initialised),
        cmocka_unit_test(shut_down_is_called_as_often_as_initialise),
        cmocka_unit_test(objects_that_are_left_are_freed_at_shut_down),
        cmocka_unit_test(a_forked_child_has_no_runtime),
        cmocka_unit_test(a_program_chooses_the_devices),
        cmocka_unit_test(the_environment_chooses_the_devices),
        cmocka_unit_test(the_environment_chooses_which_of_them_are_visible),
    };
    const struct CMUnitTest after[] = {
        cmocka_unit_test(errors_have_texts),
        cmocka_unit_test(the_clock_has_its_stated_frequency),
        cmocka_unit_test(the_runtime_has_a_version_and_attributes),
        cmocka_unit_test(the_loaders_extension_is_a_table_of_functions),
    };
    int failures = cmocka_run_group_tests(before, NULL, NULL);
    return start_with("gfx90a") ? EXIT_FAILURE
                                : failures + cmocka_run_group_tests(after, NULL, NULL);
}
