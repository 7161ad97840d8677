/* Which devices there are, and their attributes. */
#include "simcuda_test.h"

static int attribute(int number, CUdevice device)
{
    int value = -1;
    ok(cu.cuDeviceGetAttribute(&value, number, device));
    return value;
}

static void devices_are_those_of_the_list(void **state)
{
    static const int major[] = {8, 8, 9}, minor[] = {0, 0, 0};
    int count = 0;
    (void)state;
    ok(cu.cuDeviceGetCount(&count));
    assert_int_equal(count, 3);
    for (int i = 0; i < count; i++) {
        char name[64];
        ok(cu.cuDeviceGetName(name, sizeof name, i));
        assert_string_equal(name, i < 2 ? "AnyHIP simulated sm_80" : "AnyHIP simulated sm_90");
        assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i), major[i]);
        assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i), minor[i]);
    }
}

static void an_invalid_device_is_an_error(void **state)
{
    CUdevice device;
    int value;
    (void)state;
    expect(cu.cuDeviceGet(&device, 3), CUDA_ERROR_INVALID_DEVICE);
    expect(cu.cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
    expect(cu.cuDeviceGetAttribute(&value, 1, 3), CUDA_ERROR_INVALID_DEVICE);
    expect(cu.cuDeviceGetAttribute(NULL, 1, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDeviceGetCount(NULL), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDeviceGetName(NULL, 5, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDeviceGetUuid(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDeviceTotalMem(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDeviceGetAttribute(&value, 0, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDeviceGetAttribute(&value, 100000, 0), CUDA_ERROR_INVALID_VALUE);
}

static void limits_are_those_of_the_compute_capability(void **state)
{
    (void)state;
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0), 166912);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 2), 232448);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 2),
                     233472);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0), 49152);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), 32);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), 108);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 2), 132);
}

static void each_device_has_a_uuid_and_a_bus_address(void **state)
{
    CUuuid a, b;
    char id[32];
    CUdevice device;
    (void)state;
    ok(cu.cuDeviceGetUuid(&a, 0));
    ok(cu.cuDeviceGetUuid(&b, 1));
    assert_memory_not_equal(&a, &b, sizeof a);
    for (int i = 0; i < 3; i++) {
        ok(cu.cuDeviceGetPCIBusId(id, sizeof id, i));
        ok(cu.cuDeviceGetByPCIBusId(&device, id));
        assert_int_equal(device, i);
    }
    assert_string_equal(id, "0000:12:02.0"); /* each device has a different slot */
    expect(cu.cuDeviceGetByPCIBusId(&device, "0000:12:00.0"), CUDA_ERROR_INVALID_DEVICE);
    expect(cu.cuDeviceGetByPCIBusId(&device, "0000:ff:00.0"), CUDA_ERROR_INVALID_DEVICE);
    expect(cu.cuDeviceGetByPCIBusId(&device, "nowhere"), CUDA_ERROR_INVALID_VALUE);
}

static void memory_has_the_requested_size(void **state)
{
    size_t total = 0, free_bytes = 0;
    (void)state;
    ok(cu.cuDeviceTotalMem(&total, 0));
    assert_int_equal(total, (size_t)1 << 30);
    ok(cu.cuMemGetInfo(&free_bytes, &total));
    assert_int_equal(total, (size_t)1 << 30);
    assert_true(free_bytes <= total);
}

static void results_have_names_and_texts(void **state)
{
    const char *text = NULL;
    (void)state;
    ok(cu.cuGetErrorName(CUDA_SUCCESS, &text));
    assert_string_equal(text, "CUDA_SUCCESS");
    ok(cu.cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    ok(cu.cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    assert_true(strlen(text) > 0);
    expect(cu.cuGetErrorName(12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
}

static void the_version_is_that_of_cuda(void **state)
{
    int version = 0;
    (void)state;
    ok(cu.cuDriverGetVersion(&version));
    assert_int_equal(version, 13000);
}

static void the_list_cannot_change_after_the_start(void **state)
{
    (void)state;
    expect(cu.anyhipSimConfigure("sm_80"), CUDA_ERROR_ILLEGAL_STATE);
}

/* ---- other lists --------------------------------------------------------------------------- */

static void start_bare(void)
{
    setenv("ANYHIP_SIM_MEMORY", "64MiB", 1);
    open_library();
}

static void expect_devices(int expected, CUresult result)
{
    int count = -1;
    child_check(cu.cuInit(0) == result);
    child_check(result != CUDA_SUCCESS || cu.cuDeviceGetCount(&count) == CUDA_SUCCESS);
    child_check(result != CUDA_SUCCESS || count == expected);
}

static void child_default(void)
{
    unsetenv("ANYHIP_SIM_DEVICES");
    start_bare();
    expect_devices(1, CUDA_SUCCESS);
}

static void child_environment(void)
{
    setenv("ANYHIP_SIM_DEVICES", "sm_70, sm_89*3", 1);
    start_bare();
    expect_devices(4, CUDA_SUCCESS);
}

static void child_configured(void)
{
    setenv("ANYHIP_SIM_DEVICES", "sm_70*5", 1);
    start_bare();
    child_check(cu.anyhipSimConfigure("sm_75*2") == CUDA_SUCCESS);
    expect_devices(2, CUDA_SUCCESS);
}

static void child_wrong_list(void)
{
    static const char *const wrong[] = {"sm_80*",  "sm_80,",   "sm_81", "gfx90a",
                                        "sm_80*0", "sm_80*65", "",      "sm_80 sm_90"};
    start_bare();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        child_check(cu.anyhipSimConfigure(wrong[i]) == CUDA_ERROR_INVALID_VALUE);
    child_check(cu.anyhipSimConfigure(NULL) == CUDA_ERROR_INVALID_VALUE);
    setenv("ANYHIP_SIM_DEVICES", "sm_12345", 1);
    expect_devices(0, CUDA_ERROR_NO_DEVICE);
}

static void child_visible(void)
{
    char name[64];
    setenv("ANYHIP_SIM_DEVICES", "sm_70,sm_75,sm_80", 1);
    setenv("CUDA_VISIBLE_DEVICES", "2,0,7,1", 1);
    start_bare();
    expect_devices(2, CUDA_SUCCESS);
    child_check(cu.cuDeviceGetName(name, sizeof name, 0) == CUDA_SUCCESS);
    child_check(strcmp(name, "AnyHIP simulated sm_80") == 0);
}

static void child_visible_by_identity(void)
{
    CUuuid uuid;
    char text[64] = "GPU-", name[64];
    setenv("ANYHIP_SIM_DEVICES", "sm_70,sm_75", 1);
    setenv("CUDA_VISIBLE_DEVICES", "GPU-416e7948-4950-2073-696d-756c61744b02", 1);
    start_bare();
    expect_devices(1, CUDA_SUCCESS);
    child_check(cu.cuDeviceGetUuid(&uuid, 0) == CUDA_SUCCESS);
    snprintf(text, sizeof text, "%02x", (unsigned char)uuid.bytes[15]);
    child_check(strcmp(text, "02") == 0);
    child_check(cu.cuDeviceGetName(name, sizeof name, 0) == CUDA_SUCCESS);
    child_check(strcmp(name, "AnyHIP simulated sm_75") == 0);
}

static void child_invisible(void)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    start_bare();
    expect_devices(0, CUDA_ERROR_NO_DEVICE);
}

static void child_smaller(void)
{
    int value = 0;
    setenv("ANYHIP_SIM_DEVICES", "sm_90", 1);
    setenv("ANYHIP_SIM_UNITS", "3", 1);
    setenv("ANYHIP_SIM_SHARED", "65536", 1);
    start_bare();
    expect_devices(1, CUDA_SUCCESS);
    cu.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    child_check(value == 3);
    cu.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0);
    child_check(value == 65536);
}

static void a_forked_process_has_no_driver(void)
{
    int count;
    start_bare();
    child_check(cu.cuInit(0) == CUDA_SUCCESS);
    pid_t child = fork();
    if (child == 0)
        _exit(cu.cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    int status = -1;
    child_check(waitpid(child, &status, 0) == child && status == 0);
}

static void before_the_start(void)
{
    int count;
    start_bare();
    child_check(cu.cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    child_check(cu.cuInit(1) == CUDA_ERROR_INVALID_VALUE);
}

#define CHILD_TEST(name, body)                                                                     \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        in_a_child(body);                                                                          \
    }
CHILD_TEST(without_a_list_there_is_one_device, child_default)
CHILD_TEST(the_environment_lists_devices, child_environment)
CHILD_TEST(the_call_overrides_the_environment, child_configured)
CHILD_TEST(a_wrong_list_is_refused, child_wrong_list)
CHILD_TEST(visible_devices_are_chosen_and_ordered, child_visible)
CHILD_TEST(visible_devices_are_chosen_by_uuid, child_visible_by_identity)
CHILD_TEST(no_visible_device_is_no_device, child_invisible)
CHILD_TEST(devices_can_have_fewer_multiprocessors, child_smaller)
CHILD_TEST(a_forked_child_has_no_driver, a_forked_process_has_no_driver)
CHILD_TEST(functions_need_an_initialised_driver, before_the_start)

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80*2,sm_90");
}

int main(void)
{
    const struct CMUnitTest children[] = {
        cmocka_unit_test(without_a_list_there_is_one_device),
        cmocka_unit_test(the_environment_lists_devices),
        cmocka_unit_test(the_call_overrides_the_environment),
        cmocka_unit_test(a_wrong_list_is_refused),
        cmocka_unit_test(visible_devices_are_chosen_and_ordered),
        cmocka_unit_test(visible_devices_are_chosen_by_uuid),
        cmocka_unit_test(no_visible_device_is_no_device),
        cmocka_unit_test(devices_can_have_fewer_multiprocessors),
        cmocka_unit_test(a_forked_child_has_no_driver),
        cmocka_unit_test(functions_need_an_initialised_driver),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_those_of_the_list),
        cmocka_unit_test(an_invalid_device_is_an_error),
        cmocka_unit_test(limits_are_those_of_the_compute_capability),
        cmocka_unit_test(each_device_has_a_uuid_and_a_bus_address),
        cmocka_unit_test(memory_has_the_requested_size),
        cmocka_unit_test(results_have_names_and_texts),
        cmocka_unit_test(the_version_is_that_of_cuda),
        cmocka_unit_test(the_list_cannot_change_after_the_start),
    };
    int failed = cmocka_run_group_tests(children, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, setup, NULL);
}
