/* Launches: arguments, checks, cooperative launches, failures of kernels and faults on demand. */
#include "simcuda_test.h"

#include <time.h>

static CUmodule module;

static void a_kernel_computes(void **state)
{
    CUdeviceptr memory = allocate(4000);
    (void)state;
    ok(cu.cuMemsetD8(memory, 0, 4000));
    ok(launch_fill(kernel(module, "fill"), NULL, memory, 0x05050505, 999));
    ok(cu.cuCtxSynchronize());
    assert_true(all_bytes(memory, 3996, 5));
    assert_true(all_bytes(memory + 3996, 4, 0));
    ok(cu.cuMemFree(memory));
}

static void arguments_come_in_a_buffer_too(void **state)
{
    CUdeviceptr memory = allocate(400);
    struct {
        CUdeviceptr out;
        uint32_t value, count;
    } buffer = {memory, 0x06060606, 100};
    size_t size = sizeof buffer, less = 8;
    void *extra[] = {(void *)1, &buffer, (void *)2, &size, NULL};
    void *short_extra[] = {(void *)1, &buffer, (void *)2, &less, NULL};
    void *wrong_extra[] = {(void *)7, &buffer, NULL};
    void *params[] = {&buffer.out, &buffer.value, &buffer.count};
    CUfunction fill = kernel(module, "fill");
    (void)state;
    ok(cu.cuLaunchKernel(fill, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    ok(cu.cuCtxSynchronize());
    assert_true(all_bytes(memory, 400, 6));
    expect(cu.cuLaunchKernel(fill, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, short_extra),
           CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuLaunchKernel(fill, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, wrong_extra),
           CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuLaunchKernel(fill, 2, 1, 1, 64, 1, 1, 0, NULL, params, extra),
           CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuLaunchKernel(fill, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemFree(memory));
}

static void dimensions_are_checked(void **state)
{
    static const struct {
        unsigned grid[3], block[3], shared;
        CUresult result;
    } launches[] = {
        {{0, 1, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {0, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1025, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {32, 33, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1, 1, 65}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 65536, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 65536}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{0x80000000, 1, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1, 1, 1}, 49153, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {65536, 65536, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const unsigned *grid = launches[i].grid, *block = launches[i].block;
        uint32_t none = 0;
        void *params[] = {&none};
        expect(cu.cuLaunchKernel(kernel(module, "spin"), grid[0], grid[1], grid[2], block[0],
                                 block[1], block[2], launches[i].shared, NULL, params, NULL),
               launches[i].result);
    }
}

static void a_kernels_own_limit_is_enforced(void **state)
{
    CUdeviceptr none = 0;
    void *params[] = {&none};
    (void)state;
    ok(cu.cuLaunchKernel(kernel(module, "bounded"), 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    expect(cu.cuLaunchKernel(kernel(module, "bounded"), 1, 1, 1, 129, 1, 1, 0, NULL, params, NULL),
           CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    ok(cu.cuCtxSynchronize());
}

static void more_shared_memory_must_be_requested(void **state)
{
    CUfunction function = kernel(module, "shared");
    (void)state;
    expect(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 100000, NULL, NULL, NULL),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    ok(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 100000, NULL, NULL, NULL));
    ok(cu.cuCtxSynchronize());
    expect(cu.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 166912),
           CUDA_ERROR_INVALID_VALUE);
}

static void a_cooperative_launch_has_a_workspace(void **state)
{
    CUdeviceptr memory = allocate(8);
    uint32_t words[2] = {0};
    void *params[] = {&memory};
    CUfunction function = kernel(module, "envreg");
    (void)state;
    ok(cu.cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params));
    ok(cu.cuMemcpyDtoH(words, memory, 8));
    assert_true(words[0] != 0 || words[1] != 0);
    assert_int_equal(words[1] % 8, 0);
    ok(launch_one(function, NULL, &memory));
    ok(cu.cuMemcpyDtoH(words, memory, 8));
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0);
    expect(cu.cuLaunchCooperativeKernel(function, 108 * 32 + 1, 1, 1, 32, 1, 1, 0, NULL, params),
           CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    ok(cu.cuMemFree(memory));
}

static void launches_take_attributes(void **state)
{
    CUdeviceptr memory = allocate(8);
    uint32_t words[2] = {0};
    void *params[] = {&memory};
    CUlaunchAttribute attributes[2] = {{.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE},
                                       {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY}};
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, NULL, attributes, 2};
    (void)state;
    attributes[0].value.cooperative = 1;
    attributes[1].value.priority = -1;
    ok(cu.cuLaunchKernelEx(&config, kernel(module, "envreg"), params, NULL));
    ok(cu.cuMemcpyDtoH(words, memory, 8));
    assert_true(words[0] != 0 || words[1] != 0);
    attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[0].value.clusterDim.x = 2;
    attributes[0].value.clusterDim.y = attributes[0].value.clusterDim.z = 1;
    expect(cu.cuLaunchKernelEx(&config, kernel(module, "envreg"), params, NULL),
           CUDA_ERROR_NOT_SUPPORTED);
    expect(cu.cuLaunchKernelEx(NULL, kernel(module, "envreg"), params, NULL),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemFree(memory));
}

static void kernels_of_different_streams_run_at_once(void **state)
{
    CUstream streams[2];
    uint32_t *flag;
    (void)state;
    ok(cu.cuMemHostAlloc((void **)&flag, 64, 0));
    *flag = 0;
    for (int i = 0; i < 2; i++)
        ok(cu.cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    CUdeviceptr address = (uintptr_t)flag;
    ok(launch_one(kernel(module, "wait"), streams[0], &address));
    ok(launch_fill(kernel(module, "fill"), streams[1], address, 1, 1));
    ok(cu.cuStreamSynchronize(streams[1]));
    ok(cu.cuStreamSynchronize(streams[0]));
    for (int i = 0; i < 2; i++)
        ok(cu.cuStreamDestroy(streams[i]));
    ok(cu.cuMemFreeHost(flag));
}

static void an_invalid_function_is_an_error(void **state)
{
    (void)state;
    expect(cu.cuLaunchKernel((CUfunction)0x10, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
           CUDA_ERROR_INVALID_HANDLE);
    expect(cu.cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
           CUDA_ERROR_INVALID_HANDLE);
}

/* ---- failures --------------------------------------------------------------------------- */

static void a_failed_kernel_breaks_its_context_and_no_other(void **state)
{
    CUcontext before, broken, other;
    CUmodule own = NULL;
    CUdeviceptr memory;
    (void)state;
    ok(cu.cuCtxGetCurrent(&before));
    ok(cu.cuCtxCreate(&broken, 0, 0));
    own = load_kernels();
    ok(cu.cuLaunchKernel(kernel(own, "fault"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    expect(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    expect(cu.cuMemAlloc(&memory, 64), CUDA_ERROR_ILLEGAL_ADDRESS);
    expect(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    ok(cu.cuCtxCreate(&other, 0, 0));
    ok(cu.cuMemAlloc(&memory, 64));
    ok(cu.cuCtxDestroy(other));
    ok(cu.cuCtxDestroy(broken));
    ok(cu.cuCtxSetCurrent(before));
    a_kernel_computes(state);
}

static CUmodule child_module;

static void start_faulty(const char *faults)
{
    CUcontext context;
    setenv("ANYHIP_SIM_FAULTS", faults, 1);
    setenv("ANYHIP_SIM_MEMORY", "64MiB", 1);
    open_library();
    child_check(cu.anyhipSimConfigure("sm_80*2") == CUDA_SUCCESS);
    child_check(cu.cuInit(0) == CUDA_SUCCESS);
    child_check(cu.cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    child_check(cu.cuCtxSetCurrent(context) == CUDA_SUCCESS);
    child_check(cu.cuModuleLoadData(&child_module, kernels) == CUDA_SUCCESS);
}

static CUresult spin_once(void)
{
    CUfunction function;
    uint32_t none = 0;
    child_check(cu.cuModuleGetFunction(&function, child_module, "spin") == CUDA_SUCCESS);
    CUresult result = launch_one(function, NULL, &none);
    return result == CUDA_SUCCESS ? cu.cuCtxSynchronize() : result;
}

static void child_second_launch(void)
{
    CUdeviceptr memory;
    start_faulty("launch:2");
    child_check(spin_once() == CUDA_SUCCESS);
    child_check(spin_once() == CUDA_ERROR_LAUNCH_FAILED);
    child_check(cu.cuMemAlloc(&memory, 64) == CUDA_ERROR_LAUNCH_FAILED);
    child_check(cu.cuDevicePrimaryCtxReset(0) == CUDA_SUCCESS);
    CUcontext context;
    child_check(cu.cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    child_check(cu.cuMemAlloc(&memory, 64) == CUDA_SUCCESS);
}

static void child_lost(void)
{
    CUcontext context, other;
    CUdeviceptr memory;
    start_faulty("lost:1");
    child_check(spin_once() == CUDA_ERROR_LAUNCH_FAILED);
    child_check(cu.cuMemAlloc(&memory, 64) == CUDA_ERROR_LAUNCH_FAILED);
    child_check(cu.cuDevicePrimaryCtxReset(0) == CUDA_SUCCESS);
    child_check(cu.cuDevicePrimaryCtxRetain(&context, 0) == CUDA_ERROR_DEVICE_UNAVAILABLE);
    child_check(cu.cuDevicePrimaryCtxRetain(&other, 1) == CUDA_SUCCESS);
    child_check(cu.cuCtxSetCurrent(other) == CUDA_SUCCESS);
    child_check(cu.cuMemAlloc(&memory, 64) == CUDA_SUCCESS);
}

static void child_allocation(void)
{
    CUdeviceptr memory;
    start_faulty("alloc:3"); /* the first allocation is for the module's variables */
    child_check(cu.cuMemAlloc(&memory, 64) == CUDA_SUCCESS);
    child_check(cu.cuMemAlloc(&memory, 64) == CUDA_ERROR_OUT_OF_MEMORY);
    child_check(cu.cuMemAlloc(&memory, 64) == CUDA_SUCCESS);
}

static void child_slow(void)
{
    struct timespec before, after;
    start_faulty("slow:50ms");
    clock_gettime(CLOCK_MONOTONIC, &before);
    child_check(spin_once() == CUDA_SUCCESS);
    clock_gettime(CLOCK_MONOTONIC, &after);
    child_check(
        (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 45);
}

#define CHILD_TEST(name, body)                                                                     \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        in_a_child(body);                                                                          \
    }
CHILD_TEST(a_launch_fails_on_demand_until_the_context_is_reset, child_second_launch)
CHILD_TEST(a_lost_device_stays_lost, child_lost)
CHILD_TEST(an_allocation_fails_on_demand, child_allocation)
CHILD_TEST(a_slow_device_takes_its_time, child_slow)

static int setup(void **state)
{
    int result = start_with("sm_80");
    (void)state;
    return result || cu.cuModuleLoadData(&module, kernels);
}

int main(void)
{
    const struct CMUnitTest children[] = {
        cmocka_unit_test(a_launch_fails_on_demand_until_the_context_is_reset),
        cmocka_unit_test(a_lost_device_stays_lost),
        cmocka_unit_test(an_allocation_fails_on_demand),
        cmocka_unit_test(a_slow_device_takes_its_time),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_computes),
        cmocka_unit_test(arguments_come_in_a_buffer_too),
        cmocka_unit_test(dimensions_are_checked),
        cmocka_unit_test(a_kernels_own_limit_is_enforced),
        cmocka_unit_test(more_shared_memory_must_be_requested),
        cmocka_unit_test(a_cooperative_launch_has_a_workspace),
        cmocka_unit_test(launches_take_attributes),
        cmocka_unit_test(kernels_of_different_streams_run_at_once),
        cmocka_unit_test(an_invalid_function_is_an_error),
        cmocka_unit_test(a_failed_kernel_breaks_its_context_and_no_other),
    };
    int failed = cmocka_run_group_tests(children, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, setup, NULL);
}
