/* Launches in every way there is, what they check, and what they cost. */
#include "support.h"
#include "thread.h"

#include <hip/api/per_thread_default_stream.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const dim3 one = {1, 1, 1};

/* ---- what reaches the driver ------------------------------------------------------------ */

static void wait_for_all_devices(void)
{
    int current, count;
    ok(hipGetDevice(&current));
    ok(hipGetDeviceCount(&count));
    for (int i = 0; over_hsa() && i < count; i++) {
        ok(hipSetDevice(i));
        ok(hipDeviceSynchronize());
    }
    ok(hipSetDevice(current));
}

static struct fake_launch last_launch(void)
{
    struct fake_launch launch;
    wait_for_all_devices(); /* HSA: a launch is counted when a queue processes it */
    check(the_fake()->launches() > 0);
    check(the_fake()->launch_at(the_fake()->launches() - 1, &launch));
    return launch;
}

struct structure {
    uint64_t words[3];
};

static void sizes_stream_and_arguments_reach_the_driver(void **state)
{
    hipStream_t stream;
    void *native;
    uint8_t a = 0x11;
    uint16_t b = 0x2222;
    struct structure c = {{1, 2, 3}};
    double d = 4.5;
    uint32_t e = 0x55555555;
    void *args[] = {&a, &b, &c, &d, &e};
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(anyhipStreamGetNative(stream, &native));
    ok(hipLaunchKernel(&struct_kernel, (dim3){5, 6, 7}, (dim3){8, 4, 2}, args, 1234, stream));
    a = 0, b = 0, e = 0; /* they were read before the call returned */
    struct fake_launch launch = last_launch();
    check(strcmp(launch.kernel, "structure") == 0);
    check(launch.grid[0] == 5 && launch.grid[1] == 6 && launch.grid[2] == 7);
    check(launch.block[0] == 8 && launch.block[1] == 4 && launch.block[2] == 2);
    check(launch.shared == 1234 && launch.stream == native && !launch.cooperative);
    check(launch.argument_size == 44);
    check(launch.arguments[0] == 0x11 && launch.arguments[2] == 0x22);
    check(memcmp(launch.arguments + 8, &c, sizeof c) == 0);
    check(memcmp(launch.arguments + 32, &d, sizeof d) == 0);
    check(launch.arguments[40] == 0x55);
    ok(hipStreamDestroy(stream));
}

/* The arguments of fake_fill. */
struct fill_arguments {
    uint32_t *out;
    uint32_t value, count;
};

/* Arguments in one buffer, as `extra` of a launch has them. */
enum { EXTRA = 5 };
static void set_extra(void *out_extra[EXTRA], void *buffer, size_t *size)
{
    out_extra[0] = HIP_LAUNCH_PARAM_BUFFER_POINTER;
    out_extra[1] = buffer;
    out_extra[2] = HIP_LAUNCH_PARAM_BUFFER_SIZE;
    out_extra[3] = size;
    out_extra[4] = HIP_LAUNCH_PARAM_END;
}

/* Arguments in one buffer: the launch is checked by itself, not only when it looks too large. */
static hipError_t launch_block(hipFunction_t function, const unsigned block[3])
{
    struct fill_arguments buffer = {NULL, 0, 0};
    size_t size = sizeof buffer;
    void *extra[EXTRA];
    set_extra(extra, &buffer, &size);
    return hipModuleLaunchKernel(function, 1, 1, 1, block[0], block[1], block[2], 0, NULL, NULL,
                                 extra);
}

static void a_block_may_be_as_large_as_the_device_allows_in_each_direction(void **state)
{
    static const hipDeviceAttribute_t limits[] = {hipDeviceAttributeMaxBlockDimX,
                                                  hipDeviceAttributeMaxBlockDimY,
                                                  hipDeviceAttributeMaxBlockDimZ};
    hipModule_t module;
    hipFunction_t function;
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "fake_fill"));
    for (int i = 0; i < 3; i++) {
        int limit;
        ok(hipDeviceGetAttribute(&limit, limits[i], 0));
        unsigned block[] = {1, 1, 1};
        block[i] = (unsigned)limit;
        ok(launch_block(function, block));
        ok(hipDeviceSynchronize());
        block[i]++;
        expect(launch_block(function, block), hipErrorInvalidValue);
    }
    ok(hipModuleUnload(module));
}

static void a_kernel_runs_on_the_device_of_its_stream(void **state)
{
    hipStream_t stream;
    (void)state;
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&stream));
    ok(hipSetDevice(0));
    ok(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, stream));
    check(last_launch().device == 1);
    ok(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, NULL));
    check(last_launch().device == 0);
    ok(hipSetDevice(1));
    ok(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, NULL));
    check(last_launch().device == 1);
    ok(hipStreamDestroy(stream));
}

static void kernels_work_on_data(void **state)
{
    uint32_t *a, *b, *out, host[64], back[64], count = 64;
    (void)state;
    ok(hipMalloc((void **)&a, sizeof host));
    ok(hipMalloc((void **)&b, sizeof host));
    ok(hipMalloc((void **)&out, sizeof host));
    for (uint32_t i = 0; i < 64; i++)
        host[i] = i;
    ok(hipMemcpy(a, host, sizeof host, hipMemcpyHostToDevice));
    ok(launch_fill(b, 1000, 64, NULL));
    void *args[] = {&out, &a, &b, &count};
    ok(hipLaunchKernel(&add_kernel, one, one, args, 0, NULL));
    ok(hipMemcpy(back, out, sizeof back, hipMemcpyDeviceToHost));
    for (uint32_t i = 0; i < 64; i++)
        check(back[i] == 1000 + i);
    ok(hipFree(a));
    ok(hipFree(b));
    ok(hipFree(out));
}

/* ---- every way to launch a kernel of the program ----------------------------------------------
 */

struct way {
    const char *name;
    hipError_t (*launch)(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                         hipStream_t stream);
    bool cooperative;
};

static hipError_t by_call(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                          hipStream_t stream)
{
    return hipLaunchKernel(kernel, grid, block, args, shared, stream);
}

static hipError_t by_spt(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                         hipStream_t stream)
{
    return hipLaunchKernel_spt(kernel, grid, block, args, shared, stream);
}

static hipError_t by_ext(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                         hipStream_t stream)
{
    return hipExtLaunchKernel(kernel, grid, block, args, shared, stream, NULL, NULL,
                              hipExtAnyOrderLaunch);
}

static hipError_t by_cooperative(const void *kernel, dim3 grid, dim3 block, void **args,
                                 size_t shared, hipStream_t stream)
{
    return hipLaunchCooperativeKernel(kernel, grid, block, args, (unsigned)shared, stream);
}

static hipError_t by_cooperative_spt(const void *kernel, dim3 grid, dim3 block, void **args,
                                     size_t shared, hipStream_t stream)
{
    return hipLaunchCooperativeKernel_spt(kernel, grid, block, args, (unsigned)shared, stream);
}

static hipError_t by_configuration(const void *kernel, dim3 grid, dim3 block, void **args,
                                   size_t shared, hipStream_t stream)
{
    hipLaunchConfig_t config = {
        .gridDim = grid, .blockDim = block, .dynamicSmemBytes = shared, .stream = stream};
    return hipLaunchKernelExC(&config, kernel, args);
}

/* What <<<>>> compiles to: the caller pushes, the kernel's stub pops and launches. */
static hipError_t by_chevrons(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                              hipStream_t stream)
{
    dim3 popped_grid, popped_block;
    size_t popped_shared;
    hipStream_t popped_stream;
    hipError_t error = __hipPushCallConfiguration(grid, block, shared, stream);
    if (error == hipSuccess)
        error =
            __hipPopCallConfiguration(&popped_grid, &popped_block, &popped_shared, &popped_stream);
    return error == hipSuccess ? hipLaunchKernel(kernel, popped_grid, popped_block, args,
                                                 popped_shared, popped_stream)
                               : error;
}

static hipError_t by_module_of_symbol(const void *kernel, dim3 grid, dim3 block, void **args,
                                      size_t shared, hipStream_t stream)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, kernel);
    return error == hipSuccess
               ? hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                       (unsigned)shared, stream, args, NULL)
               : error;
}

static hipError_t by_driver_configuration(const void *kernel, dim3 grid, dim3 block, void **args,
                                          size_t shared, hipStream_t stream)
{
    HIP_LAUNCH_CONFIG config = {.gridDimX = grid.x,
                                .gridDimY = grid.y,
                                .gridDimZ = grid.z,
                                .blockDimX = block.x,
                                .blockDimY = block.y,
                                .blockDimZ = block.z,
                                .sharedMemBytes = (unsigned)shared,
                                .hStream = stream};
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, kernel);
    return error == hipSuccess ? hipDrvLaunchKernelEx(&config, function, args, NULL) : error;
}

static hipError_t by_module_cooperative(const void *kernel, dim3 grid, dim3 block, void **args,
                                        size_t shared, hipStream_t stream)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, kernel);
    return error == hipSuccess
               ? hipModuleLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x,
                                                  block.y, block.z, (unsigned)shared, stream, args)
               : error;
}

static const struct way ways[] = {
    {"hipLaunchKernel", by_call, false},
    {"hipLaunchKernel_spt", by_spt, false},
    {"hipExtLaunchKernel", by_ext, false},
    {"hipLaunchCooperativeKernel", by_cooperative, true},
    {"hipLaunchCooperativeKernel_spt", by_cooperative_spt, true},
    {"hipLaunchKernelExC", by_configuration, false},
    {"<<<>>>", by_chevrons, false},
    {"hipModuleLaunchKernel", by_module_of_symbol, false},
    {"hipDrvLaunchKernelEx", by_driver_configuration, false},
    {"hipModuleLaunchCooperativeKernel", by_module_cooperative, true},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void every_way_launches(void **state)
{
    uint32_t *memory, back[16], count = 16;
    (void)state;
    ok(hipMalloc((void **)&memory, sizeof back));
    for (uint32_t i = 0; i < WAYS; i++) {
        uint32_t value = i + 1;
        void *args[] = {&memory, &value, &count};
        ok(ways[i].launch(&fill_kernel, (dim3){2, 1, 1}, (dim3){32, 1, 1}, args, 64, NULL));
        struct fake_launch launch = last_launch();
        check(launch.cooperative == ways[i].cooperative && launch.shared == 64 &&
              launch.grid[0] == 2 && launch.block[0] == 32);
        ok(hipDeviceSynchronize());
        ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
        check_words(back, 16, i + 1);
    }
    ok(hipFree(memory));
}

struct limit {
    const char *what;
    const void *kernel;
    dim3 grid, block;
    size_t shared;
    hipError_t error, cooperative_error;
};

static void every_way_checks_sizes(void **state)
{
    uint32_t word = 0;
    void *args[] = {&word};
    const struct limit limits[] = {
        {"no grid",
         &bounded_kernel,
         {0, 1, 1},
         one,
         0,
         hipErrorInvalidValue,
         hipErrorInvalidConfiguration},
        {"no grid y",
         &bounded_kernel,
         {1, 0, 1},
         one,
         0,
         hipErrorInvalidValue,
         hipErrorInvalidConfiguration},
        {"no grid z",
         &bounded_kernel,
         {1, 1, 0},
         one,
         0,
         hipErrorInvalidValue,
         hipErrorInvalidConfiguration},
        {"no block",
         &bounded_kernel,
         one,
         {0, 1, 1},
         0,
         hipErrorInvalidValue,
         hipErrorInvalidConfiguration},
        {"no block y",
         &bounded_kernel,
         one,
         {1, 0, 1},
         0,
         hipErrorInvalidValue,
         hipErrorInvalidConfiguration},
        {"no block z",
         &bounded_kernel,
         one,
         {1, 1, 0},
         0,
         hipErrorInvalidValue,
         hipErrorInvalidConfiguration},
        {"block of 1025",
         &bounded_kernel,
         one,
         {1025, 1, 1},
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"block of 1025 in two dimensions",
         &bounded_kernel,
         one,
         {41, 25, 1},
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"block of 2048",
         &bounded_kernel,
         one,
         {32, 8, 8},
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"block z of 65",
         &bounded_kernel,
         one,
         {1, 1, 65},
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"block of 2^32",
         &bounded_kernel,
         one,
         {65536, 65536, 1},
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"block of 2^64",
         &bounded_kernel,
         one,
         {1u << 31, 1u << 31, 4},
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"more than launch bounds",
         &bounded_kernel,
         one,
         {129, 1, 1},
         0,
         hipErrorLaunchFailure,
         hipErrorLaunchFailure},
        {"launch bounds", &bounded_kernel, one, {128, 1, 1}, 0, hipSuccess, hipSuccess},
        {"grid x of 2^31",
         &bounded_kernel,
         {1u << 31, 1, 1},
         one,
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"grid y of 65536",
         &bounded_kernel,
         {1, 65536, 1},
         one,
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"grid z of 65536",
         &bounded_kernel,
         {1, 1, 65536},
         one,
         0,
         hipErrorInvalidConfiguration,
         hipErrorInvalidConfiguration},
        {"shared memory of the device", &bounded_kernel, one, one, 166912, hipSuccess, hipSuccess},
        {"more shared memory", &bounded_kernel, one, one, 166913, hipErrorOutOfMemory,
         hipErrorCooperativeLaunchTooLarge},
        {"shared memory less static", &shared_kernel, one, one, 166912 - 4096, hipSuccess,
         hipSuccess},
        {"more with static", &shared_kernel, one, one, 166912 - 4095, hipErrorOutOfMemory,
         hipErrorCooperativeLaunchTooLarge},
        {"more blocks than at once",
         &bounded_kernel,
         {108 * 32 + 1, 1, 1},
         one,
         0,
         hipSuccess,
         hipErrorCooperativeLaunchTooLarge},
    };
    (void)state;
    /* The arguments of both kernels are one word, of 4 or 8 bytes. */
    uint64_t wide = 0;
    for (size_t w = 0; w < WAYS; w++) {
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            const struct limit *limit = &limits[i];
            args[0] = limit->kernel == &shared_kernel ? (void *)&wide : (void *)&word;
            hipError_t wanted = ways[w].cooperative ? limit->cooperative_error : limit->error;
            hipError_t error =
                ways[w].launch(limit->kernel, limit->grid, limit->block, args, limit->shared, NULL);
            if (error != wanted)
                fail_msg("%s, %s: %s", ways[w].name, limit->what, hipGetErrorName(error));
        }
    }
    expect(hipLaunchKernel(&bounded_kernel, one, one, args, SIZE_MAX, NULL), hipErrorOutOfMemory);
    expect(hipLaunchKernel(&bounded_kernel, one, one, args, (size_t)1 << 32, NULL),
           hipErrorOutOfMemory);
    ok(hipDeviceSynchronize());
}

static void every_way_refuses_what_is_no_kernel(void **state)
{
    int local;
    const void *wrong[] = {NULL, &local, &counter_variable, (const void *)-1};
    (void)state;
    for (size_t w = 0; w < WAYS; w++)
        for (size_t i = 0; i < 4; i++)
            expect(ways[w].launch(wrong[i], one, one, NULL, 0, NULL),
                   hipErrorInvalidDeviceFunction);
    expect(hipLaunchByPtr(&local), hipErrorMissingConfiguration);
    ok(hipConfigureCall(one, one, 0, NULL));
    expect(hipLaunchByPtr(&local), hipErrorInvalidDeviceFunction);
}

static void large_shared_memory_is_opted_in_to_once(void **state)
{
    uint32_t word = 0;
    void *args[] = {&word};
    (void)state;
    ok(hipFuncSetAttribute(&bounded_kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 49152));
    unsigned calls = fakecuda_calls("cuFuncSetAttribute");
    ok(hipLaunchKernel(&bounded_kernel, one, one, args, 49152, NULL));
    check(fakecuda_calls("cuFuncSetAttribute") == calls);
    ok(hipLaunchKernel(&bounded_kernel, one, one, args, 100000, NULL));
    check(fakecuda_calls("cuFuncSetAttribute") == calls + 1);
    ok(hipLaunchKernel(&bounded_kernel, one, one, args, 100000, NULL));
    ok(hipLaunchKernel(&bounded_kernel, one, one, args, 90000, NULL));
    check(fakecuda_calls("cuFuncSetAttribute") == calls + 1);
    ok(hipDeviceSynchronize());
}

/* Two threads request different amounts for one kernel for the first time. The one with the smaller
 * amount is blocked in the driver's function when the other one calls it. */
static struct {
    pthread_t thread;
    _Atomic(int) tid;
    _Atomic(bool) launching, less_is_set;
    hipError_t error;
} larger;

/* Just before the launch itself, of the larger amount. */
static void before_launch(void *unused)
{
    (void)unused;
    if (gettid() != larger.tid)
        return;
    larger.launching = true;
    while (!larger.less_is_set)
        sched_yield();
}

static void *launch_larger(void *kernel)
{
    uint32_t word = 0;
    void *args[] = {&word};
    larger.tid = gettid();
    fakecuda_hook("cuLaunchKernelEx", before_launch, NULL);
    larger.error = hipLaunchKernel(kernel, one, one, args, 98304, NULL);
    return NULL;
}

/* Goes on when the other is about to launch, or waits for this one. */
static void before_less_is_set(void *kernel)
{
    check(pthread_create(&larger.thread, NULL, launch_larger, kernel) == 0);
    while (!larger.launching && !(larger.tid && ah_test_sleeps(larger.tid)))
        sched_yield();
}

static void two_threads_opt_in_to_different_amounts(void **state)
{
    uint32_t word = 0;
    void *args[] = {&word};
    (void)state;
    ok(hipFuncSetAttribute(&bounded_kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 49152));
    fakecuda_hook("cuFuncSetAttribute", before_less_is_set, (void *)(uintptr_t)&bounded_kernel);
    hipError_t error = hipLaunchKernel(&bounded_kernel, one, one, args, 65536, NULL);
    larger.less_is_set = true;
    check(pthread_join(larger.thread, NULL) == 0);
    fakecuda_hook("cuLaunchKernelEx", NULL, NULL);
    ok(error);
    ok(larger.error);
    ok(hipLaunchKernel(&bounded_kernel, one, one, args, 98304, NULL));
    ok(hipDeviceSynchronize());
}

/* ---- attributes of launches
 * -------------------------------------------------------------------------- */

static void attributes_of_a_launch_are_applied_or_refused(void **state)
{
    hipLaunchAttribute attributes[2];
    hipLaunchConfig_t config = {
        .gridDim = one, .blockDim = one, .attrs = attributes, .numAttrs = 2};
    HIP_LAUNCH_CONFIG driver = {.gridDimX = 1,
                                .gridDimY = 1,
                                .gridDimZ = 1,
                                .blockDimX = 1,
                                .blockDimY = 1,
                                .blockDimZ = 1,
                                .attrs = attributes,
                                .numAttrs = 2};
    hipFunction_t function;
    (void)state;
    ok(hipGetFuncBySymbol(&function, &empty_kernel));
    memset(attributes, 0, sizeof attributes);
    attributes[0].id = hipLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    attributes[1].id = hipLaunchAttributePriority;
    ok(hipLaunchKernelExC(&config, &empty_kernel, NULL));
    check(last_launch().cooperative);
    ok(hipDrvLaunchKernelEx(&driver, function, NULL, NULL));
    check(last_launch().cooperative);
    attributes[0].val.cooperative = 0;
    attributes[1].id = hipLaunchAttributeIgnore;
    ok(hipLaunchKernelExC(&config, &empty_kernel, NULL));
    check(!last_launch().cooperative);
    attributes[1].id = hipLaunchAttributeClusterDimension; /* of no blocks */
    expect(hipLaunchKernelExC(&config, &empty_kernel, NULL), hipErrorInvalidClusterSize);
    expect(hipDrvLaunchKernelEx(&driver, function, NULL, NULL), hipErrorInvalidClusterSize);
    attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    ok(hipLaunchKernelExC(&config, &empty_kernel, NULL));
    attributes[1].id = hipLaunchAttributeSynchronizationPolicy; /* of streams alone */
    expect(hipLaunchKernelExC(&config, &empty_kernel, NULL), hipErrorInvalidValue);
    attributes[1].id = (hipLaunchAttributeID)77;
    expect(hipLaunchKernelExC(&config, &empty_kernel, NULL), hipErrorInvalidValue);
    expect(hipDrvLaunchKernelEx(&driver, function, NULL, NULL), hipErrorInvalidValue);
    config.attrs = NULL;
    driver.attrs = NULL;
    expect(hipLaunchKernelExC(&config, &empty_kernel, NULL), hipErrorInvalidValue);
    expect(hipDrvLaunchKernelEx(&driver, function, NULL, NULL), hipErrorInvalidValue);
    expect(hipLaunchKernelExC(NULL, &empty_kernel, NULL), hipErrorInvalidValue);
    expect(hipDrvLaunchKernelEx(NULL, function, NULL, NULL), hipErrorInvalidValue);
}

static void events_around_a_launch_are_recorded(void **state)
{
    hipEvent_t start, stop, freed;
    hipFunction_t function;
    uint32_t milliseconds = 10;
    void *args[] = {&milliseconds};
    float ms;
    (void)state;
    ok(hipEventCreate(&start));
    ok(hipEventCreate(&stop));
    ok(hipEventCreate(&freed));
    ok(hipEventDestroy(freed));
    ok(hipExtLaunchKernel(&spin_kernel, one, one, args, 0, NULL, start, stop, 0));
    ok(hipEventSynchronize(stop));
    ok(hipEventElapsedTime(&ms, start, stop));
    check(ms >= 9);
    ok(hipGetFuncBySymbol(&function, &spin_kernel));
    ok(hipExtModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL, start, stop, 0));
    ok(hipEventSynchronize(stop));
    ok(hipEventElapsedTime(&ms, start, stop));
    check(ms >= 9);
    size_t launches = the_fake()->launches();
    expect(hipExtLaunchKernel(&spin_kernel, one, one, args, 0, NULL, freed, NULL, 0),
           hipErrorInvalidHandle);
    expect(
        hipExtModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL, freed, NULL, 0),
        hipErrorInvalidHandle);
    check(the_fake()->launches() == launches);
    expect(hipExtLaunchKernel(&spin_kernel, one, one, args, 0, NULL, NULL, freed, 0),
           hipErrorInvalidHandle);
    ok(hipDeviceSynchronize());
    ok(hipEventDestroy(start));
    ok(hipEventDestroy(stop));
}

/* ---- the stack of configurations
 * ------------------------------------------------------------------------ */

static void configurations_are_popped_in_reverse_ten_deep(void **state)
{
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 10; i++)
            ok(__hipPushCallConfiguration((dim3){i, 1, 2}, (dim3){3, i, 4}, i,
                                          (hipStream_t)(uintptr_t)(100 + i)));
        for (unsigned i = 10; i-- > 0;) {
            ok(__hipPopCallConfiguration(&grid, &block, &shared, &stream));
            check(grid.x == i && grid.z == 2 && block.y == i && block.z == 4 && shared == i &&
                  stream == (hipStream_t)(uintptr_t)(100 + i));
        }
    }
    expect(__hipPopCallConfiguration(&grid, &block, &shared, &stream),
           hipErrorMissingConfiguration);
}

static void the_launch_of_the_first_hip_works(void **state)
{
    uint32_t *memory, back[8], value = 6, count = 8;
    (void)state;
    ok(hipMalloc((void **)&memory, sizeof back));
    for (int round = 0; round < 3; round++) {
        value++;
        ok(hipConfigureCall((dim3){2, 1, 1}, (dim3){4, 1, 1}, 16, NULL));
        ok(hipSetupArgument(&memory, 8, 0));
        ok(hipSetupArgument(&value, 4, 8));
        ok(hipSetupArgument(&count, 4, 12));
        ok(hipLaunchByPtr(&fill_kernel));
        check(last_launch().shared == 16 && last_launch().grid[0] == 2);
        ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
        check_words(back, 8, value);
    }
    ok(hipConfigureCall(one, one, 0, NULL));
    ok(hipLaunchByPtr(&empty_kernel)); /* a kernel without arguments */
    check(strcmp(last_launch().kernel, "empty") == 0);
    ok(hipFree(memory));
}

static void the_launch_of_the_first_hip_takes_no_more_than_there_is(void **state)
{
    static const size_t sizes[] = {(size_t)1 << 32, ((size_t)1 << 32) + 16, (size_t)1 << 63,
                                   SIZE_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ok(hipConfigureCall(one, one, sizes[i], NULL));
        expect(hipLaunchByPtr(&empty_kernel), hipErrorOutOfMemory);
    }
    check(the_fake()->launches() == 0);
}

static void the_launch_of_the_first_hip_checks_its_order(void **state)
{
    uint32_t word = 0;
    (void)state;
    expect(hipSetupArgument(&word, 4, 0), hipErrorMissingConfiguration);
    expect(hipLaunchByPtr(&empty_kernel), hipErrorMissingConfiguration);
    ok(hipConfigureCall(one, one, 0, NULL));
    expect(hipSetupArgument(NULL, 4, 0), hipErrorInvalidValue);
    expect(hipSetupArgument(&word, 1 << 20, 0), hipErrorInvalidValue);
    expect(hipSetupArgument(&word, 4, 1 << 20), hipErrorInvalidValue);
    ok(hipLaunchByPtr(&empty_kernel));
    ok(hipConfigureCall(one, one, 0, NULL));
    expect(hipLaunchByPtr(&fill_kernel), hipErrorInvalidValue); /* arguments are missing */
    expect(hipLaunchByPtr(&empty_kernel), hipErrorMissingConfiguration);
}

/* ---- functions of modules
 * ---------------------------------------------------------------------------------- */

static void arguments_of_modules_come_as_pointers_or_as_a_buffer(void **state)
{
    uint32_t *memory, back[8];
    hipModule_t module;
    hipFunction_t function;
    (void)state;
    ok(hipMalloc((void **)&memory, sizeof back));
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "fake_fill"));
    struct fill_arguments buffer = {memory, 3, 8};
    size_t size = sizeof buffer;
    void *extra[EXTRA];
    set_extra(extra, &buffer, &size);
    void *params[] = {&buffer.out, &buffer.value, &buffer.count};
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 8, 3);
    buffer.value = 4;
    ok(hipExtModuleLaunchKernel(function, 64, 2, 1, 32, 1, 1, 0, NULL, NULL, extra, NULL, NULL, 0));
    check(last_launch().grid[0] == 2 && last_launch().grid[1] == 2);
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 8, 4);
    buffer.value = 5;
    ok(hipHccModuleLaunchKernel(function, 32, 1, 1, 32, 1, 1, 0, NULL, params, NULL, NULL, NULL));
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 8, 5);

    expect(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra),
           hipErrorInvalidValue);
    for (int i = 0; i < 5; i++) {
        void *bad[5];
        memcpy(bad, extra, sizeof bad);
        bad[i] = i == 3 ? NULL : (void *)77;
        if (i == 1)
            continue;
        expect(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, bad),
               hipErrorInvalidValue);
    }
    size = 4; /* less than the kernel takes */
    expect(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
           hipErrorInvalidValue);
    /* fewer threads than one block has */
    ok(hipExtModuleLaunchKernel(function, 5, 1, 1, 32, 1, 1, 0, NULL, params, NULL, NULL, NULL, 0));
    check(last_launch().grid[0] == 1 && last_launch().block[0] == 5);
    const uint32_t half = 1u << 31;
    expect(hipExtModuleLaunchKernel(function, 1, 1, 1, half, half, 4, 0, NULL, params, NULL, NULL,
                                    NULL, 0),
           hipErrorInvalidValue);
    if (!over_hsa()) /* the device allows 64, although one thread is left of them */
        expect(hipExtModuleLaunchKernel(function, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL, NULL,
                                        NULL, 0),
               hipErrorInvalidValue);
    expect(hipExtModuleLaunchKernel(function, 33, 1, 1, 32, 1, 1, 0, NULL, params, NULL, NULL, NULL,
                                    0),
           hipErrorInvalidValue); /* a partial block */
    expect(
        hipExtModuleLaunchKernel(function, 32, 1, 1, 0, 1, 1, 0, NULL, params, NULL, NULL, NULL, 0),
        hipErrorInvalidValue);
    expect(
        hipHccModuleLaunchKernel(function, 32, 1, 1, 32, 0, 1, 0, NULL, params, NULL, NULL, NULL),
        hipErrorInvalidValue);
    ok(hipModuleUnload(module));
    ok(hipFree(memory));
}

/* They share the memory of the grid barrier, and all blocks of each must be resident. */
static void cooperative_kernels_of_a_device_run_one_at_a_time(void **state)
{
    hipStream_t streams[3];
    uint32_t *memory, *flag, value = 5, count = 1;
    struct fake_launch launch;
    (void)state;
    for (int i = 0; i < 3; i++)
        ok(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    ok(hipHostMalloc((void **)&memory, 4, 0));
    ok(hipHostMalloc((void **)&flag, 4, 0));
    *memory = *flag = 0;
    void *waits[] = {&flag}, *fills[] = {&memory, &value, &count};
    size_t first = the_fake()->launches();
    ok(hipLaunchCooperativeKernel(&wait_kernel, one, one, waits, 0, streams[0]));
    ok(hipLaunchCooperativeKernel(&fill_kernel, one, one, fills, 0, streams[1]));
    for (int i = 0; i < 20; i++) { /* which a queue that works takes after the above */
        ok(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, streams[2]));
        ok(hipStreamSynchronize(streams[2]));
    }
    for (size_t i = first; the_fake()->launch_at(i, &launch); i++)
        check(strcmp(launch.kernel, "fake_fill") != 0);
    expect(hipStreamQuery(streams[1]), hipErrorNotReady);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    ok(hipStreamSynchronize(streams[1]));
    check(*memory == 5);
    ok(hipStreamSynchronize(streams[0]));
    for (int i = 0; i < 3; i++)
        ok(hipStreamDestroy(streams[i]));
    ok(hipHostFree(memory));
    ok(hipHostFree(flag));
}

/* Code that was compiled with ROCm's library counts the blocks that arrive at its barrier. */
static void a_cooperative_kernel_is_told_its_blocks(void **state)
{
    uint32_t *out;
    hipModule_t module;
    hipFunction_t function;
    (void)state;
    ok(hipHostMalloc((void **)&out, 4, 0));
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "cooperative_blocks"));
    void *params[] = {&out};
    ok(hipModuleLaunchCooperativeKernel(function, 2, 3, 5, 1, 1, 1, 0, NULL, params));
    ok(hipDeviceSynchronize());
    check(*out == 30);
    ok(hipModuleUnload(module));
    ok(hipHostFree(out));
    ok(hipDeviceReset()); /* takes what such launches share with it */
}

/* The same for its malloc, whose memory is the device's until the reset. */
static void a_kernel_that_allocates_is_given_memory_until_the_reset(void **state)
{
    uint64_t *out;
    hipModule_t module;
    hipFunction_t function;
    struct fakehsa_counts before, after;
    (void)state;
    ok(hipDeviceReset());
    ok(hipHostMalloc((void **)&out, sizeof *out, 0));
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "heap_address"));
    void *params[] = {&out};
    *out = 0;
    fakehsa_count(&before);
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    ok(hipDeviceSynchronize());
    check(*out != 0);
    fakehsa_count(&after);
    check(after.device_allocations > before.device_allocations);
    ok(hipModuleUnload(module));
    ok(hipHostFree(out));
    ok(hipDeviceReset());
    fakehsa_count(&after);
    check(after.device_allocations <= before.device_allocations);
}

struct launcher {
    hipStream_t stream;
    _Atomic unsigned put;
    hipError_t error;
};

static void *launch_cooperative_kernels(void *data)
{
    enum { LAUNCHES = 20000 }; /* more than the queue has room for */
    struct launcher *launcher = data;
    while (launcher->error == hipSuccess && launcher->put < LAUNCHES) {
        launcher->error =
            hipLaunchCooperativeKernel(&empty_kernel, one, one, NULL, 0, launcher->stream);
        atomic_fetch_add(&launcher->put, 1);
    }
    return NULL;
}

static void who_finds_the_cooperative_queue_full_learns_that_the_device_has_failed(void **state)
{
    struct launcher launcher = {0};
    pthread_t thread;
    (void)state;
    ok(hipStreamCreateWithFlags(&launcher.stream, hipStreamNonBlocking));
    fakehsa_hold(true);
    check(pthread_create(&thread, NULL, launch_cooperative_kernels, &launcher) == 0);
    unsigned before = 0; /* until it puts nothing more, or for long gets no processor */
    for (int quiet = 0; quiet < 20;) {
        usleep(5000);
        unsigned put = atomic_load(&launcher.put);
        quiet = put > 0 && put == before ? quiet + 1 : 0;
        before = put;
    }
    fakehsa_break(0, HSA_OUT_OF_RESOURCES);
    pthread_join(thread, NULL);
    fakehsa_hold(false);
    check(launcher.error != hipSuccess);
    ok(hipDeviceReset());
}

static void a_cooperative_launch_takes_its_arguments_from_a_buffer(void **state)
{
    uint32_t *memory, back[8];
    hipModule_t module;
    hipFunction_t function;
    (void)state;
    ok(hipMalloc((void **)&memory, sizeof back));
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "fake_fill"));
    struct fill_arguments buffer = {memory, 11, 8};
    size_t size = sizeof buffer;
    void *extra[EXTRA];
    set_extra(extra, &buffer, &size);
    hipLaunchAttribute attribute = {.id = hipLaunchAttributeCooperative, .val.cooperative = 1};
    const HIP_LAUNCH_CONFIG config = {.gridDimX = 2,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 4,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .sharedMemBytes = 32,
                                      .attrs = &attribute,
                                      .numAttrs = 1};
    ok(hipDrvLaunchKernelEx(&config, function, NULL, extra));
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 8, 11);
    struct fake_launch launch = last_launch();
    check(launch.cooperative && launch.grid[0] == 2 && launch.block[0] == 4 && launch.shared == 32);
    size = 4;
    expect(hipDrvLaunchKernelEx(&config, function, NULL, extra), hipErrorInvalidValue);
    ok(hipModuleUnload(module));
    ok(hipFree(memory));
}

/* A program passes the size of a C structure, which ends with padding that the kernel's arguments
 * do not have. */
static void padding_behind_the_last_argument_is_left_out(void **state)
{
    hipFunction_t function;
    struct {
        uint8_t a;
        uint16_t b;
        struct structure c;
        double d;
        uint32_t e;
    } buffer = {1, 2, {{3, 4, 5}}, 6, 7};
    size_t size = sizeof buffer;
    void *extra[EXTRA];
    (void)state;
    set_extra(extra, &buffer, &size);
    ok(hipGetFuncBySymbol(&function, &struct_kernel));
    check(size == 48);
    for (; size >= 44; size--)
        ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    check(size == 43);
    expect(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
           hipErrorInvalidValue);
    struct fake_launch launch = last_launch();
    check(over_hsa() || launch.argument_size == 44);
    check(memcmp(launch.arguments, &buffer, 44) == 0);
    ok(hipDeviceSynchronize());
}

static void what_is_no_function_is_refused(void **state)
{
    hipModule_t module;
    hipFunction_t function, wrong[4];
    HIP_LAUNCH_CONFIG config = {.gridDimX = 1,
                                .gridDimY = 1,
                                .gridDimZ = 1,
                                .blockDimX = 1,
                                .blockDimY = 1,
                                .blockDimZ = 1};
    int local;
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "empty"));
    ok(hipModuleUnload(module));
    wrong[0] = NULL;
    wrong[1] = function; /* of an unloaded module */
    wrong[2] = (hipFunction_t)(void *)&local;
    wrong[3] = (hipFunction_t)(void *)module;
    for (size_t i = 0; i < 4; i++) {
        hipFunction_t f = wrong[i];
        expect(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
               hipErrorInvalidResourceHandle);
        expect(hipModuleLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL),
               hipErrorInvalidResourceHandle);
        expect(hipExtModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0),
               hipErrorInvalidResourceHandle);
        expect(hipHccModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL, NULL, NULL),
               hipErrorInvalidResourceHandle);
        expect(hipDrvLaunchKernelEx(&config, f, NULL, NULL), hipErrorInvalidResourceHandle);
    }
}

static void a_function_runs_only_in_streams_of_its_device(void **state)
{
    hipModule_t module;
    hipFunction_t function;
    hipStream_t stream;
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "empty"));
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&stream));
    expect(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL),
           hipErrorInvalidDevice);
    expect(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
           hipErrorInvalidDevice);
    ok(hipStreamDestroy(stream));
    ok(hipSetDevice(0));
    ok(hipModuleUnload(module));
}

/* ---- several devices
 * ------------------------------------------------------------------------------------------ */

static void kernels_are_launched_on_several_devices_at_once(void **state)
{
    hipStream_t streams[2], second;
    uint32_t *pinned;
    hipLaunchParams list[2];
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 8, 0));
    uint32_t *outs[2] = {pinned, pinned + 1}, values[2] = {3, 4}, count = 1;
    void *args[2][3];
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(i));
        ok(hipStreamCreate(&streams[i]));
        args[i][0] = &outs[i];
        args[i][1] = &values[i];
        args[i][2] = &count;
        list[i] = (hipLaunchParams){.func = (void *)(uintptr_t)&fill_kernel,
                                    .gridDim = one,
                                    .blockDim = one,
                                    .args = args[i],
                                    .stream = streams[i]};
    }
    ok(hipStreamCreate(&second)); /* of device 1 */
    ok(hipSetDevice(0));
    ok(hipExtLaunchMultiKernelMultiDevice(list, 2, 0));
    check(pinned[0] == 3 && pinned[1] == 4); /* later work waits for all, so the call did */
    ok(hipExtLaunchMultiKernelMultiDevice(list, 2,
                                          hipCooperativeLaunchMultiDeviceNoPreSync |
                                              hipCooperativeLaunchMultiDeviceNoPostSync));
    ok(hipExtLaunchMultiKernelMultiDevice(list, 1, 0));
    expect(hipExtLaunchMultiKernelMultiDevice(NULL, 2, 0), hipErrorInvalidValue);
    expect(hipExtLaunchMultiKernelMultiDevice(list, 0, 0), hipErrorInvalidValue);
    expect(hipExtLaunchMultiKernelMultiDevice(list, -1, 0), hipErrorInvalidValue);
    expect(hipExtLaunchMultiKernelMultiDevice(list, 3, 0), hipErrorInvalidValue);
    expect(hipExtLaunchMultiKernelMultiDevice(list, 2, 4), hipErrorInvalidValue);
    ok(hipDeviceSynchronize());
    size_t launches = the_fake()->launches();
    list[0].stream = second;
    expect(hipExtLaunchMultiKernelMultiDevice(list, 2, 0), hipErrorInvalidDevice);
    list[0].stream = NULL;
    expect(hipExtLaunchMultiKernelMultiDevice(list, 2, 0), hipErrorInvalidResourceHandle);
    list[0].stream = hipStreamLegacy;
    expect(hipExtLaunchMultiKernelMultiDevice(list, 2, 0), hipErrorInvalidResourceHandle);
    check(the_fake()->launches() == launches);
    list[0].stream = streams[0];
    list[0].func = NULL;
    expect(hipExtLaunchMultiKernelMultiDevice(list, 2, 0), hipErrorInvalidDeviceFunction);
    for (int i = 0; i < 2; i++)
        ok(hipStreamDestroy(streams[i]));
    ok(hipStreamDestroy(second));
    ok(hipHostFree(pinned));
}

static void functions_of_modules_are_launched_on_several_devices_at_once(void **state)
{
    hipModule_t modules[2];
    hipFunctionLaunchParams list[2];
    hipStream_t streams[2];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        hipFunction_t function;
        ok(hipSetDevice((int)i));
        ok(hipModuleLoadData(&modules[i], kernels_image()));
        ok(hipModuleGetFunction(&function, modules[i], "empty"));
        ok(hipStreamCreate(&streams[i]));
        list[i] = (hipFunctionLaunchParams){.function = function,
                                            .gridDimX = 2,
                                            .gridDimY = 1,
                                            .gridDimZ = 1,
                                            .blockDimX = 4,
                                            .blockDimY = 1,
                                            .blockDimZ = 1,
                                            .hStream = streams[i]};
    }
    ok(hipSetDevice(0));
    the_fake()->forget();
    ok(hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 0));
    check(the_fake()->launches() == 2);
    for (unsigned i = 0; i < 2; i++) {
        ok(hipStreamDestroy(streams[i]));
        ok(hipModuleUnload(modules[i]));
        ok(hipSetDevice((int)i));
        ok(hipDeviceReset()); /* takes what such launches share with it */
    }
    ok(hipSetDevice(0));
}

static void open_when_it_waits(void *gate)
{
    open_gate(gate);
}

/* The first grid runs, and there is no notification of its end: its memory is not reused before it
 * has ended. */
static void a_grid_whose_end_cannot_be_told_is_waited_for(void **state)
{
    hipStream_t streams[2];
    uint32_t *pinned;
    hipLaunchParams list[2];
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 8, 0));
    struct gate gate = {.flag = pinned};
    *gate.flag = 0;
    void *args[] = {&gate.flag};
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(i));
        ok(hipStreamCreate(&streams[i]));
        list[i] = (hipLaunchParams){.func = (void *)(uintptr_t)&wait_kernel,
                                    .gridDim = one,
                                    .blockDim = one,
                                    .args = args,
                                    .stream = streams[i]};
    }
    fakecuda_fail("cuStreamAddCallback", 1, 2);
    fakecuda_hook("cuStreamSynchronize", open_when_it_waits, &gate);
    expect(hipLaunchCooperativeKernelMultiDevice(list, 2,
                                                 hipCooperativeLaunchMultiDeviceNoPreSync |
                                                     hipCooperativeLaunchMultiDeviceNoPostSync),
           hipErrorOutOfMemory);
    fakecuda_hook("cuStreamSynchronize", NULL, NULL);
    bool waited = *gate.flag != 0;
    open_gate(&gate);
    check(waited);
    check(the_fake()->launches() == 1);
    ok(hipStreamQuery(streams[0]));
    ok(hipLaunchCooperativeKernelMultiDevice(list, 2, 0));
    for (int i = 0; i < 2; i++)
        ok(hipStreamDestroy(streams[i]));
    ok(hipSetDevice(0));
    ok(hipHostFree(pinned));
    ok(hipDeviceReset()); /* with the memory of grid barriers */
}

/* ---- names
 * ----------------------------------------------------------------------------------------------------------
 */

static void kernels_have_names(void **state)
{
    hipFunction_t function;
    int local;
    (void)state;
    ok(hipGetFuncBySymbol(&function, &fill_kernel));
    check(strcmp(hipKernelNameRef(function), "fake_fill") == 0);
    check(strcmp(hipKernelNameRefByPtr(&fill_kernel, NULL), "fake_fill") == 0);
    check(hipKernelNameRefByPtr(&local, NULL) == NULL);
    check(hipKernelNameRef(NULL) == NULL);
    expect(hipGetFuncBySymbol(NULL, &fill_kernel), hipErrorInvalidValue);
    expect(hipGetFuncBySymbol(&function, NULL), hipErrorInvalidDeviceFunction);
    expect(hipGetFuncBySymbol(&function, &local), hipErrorInvalidDeviceFunction);
}

static void the_names_of_hip_5_in_cxx_work(void **state)
{
    typedef void (*ggl)(unsigned long kernel, const dim3 *grid, const dim3 *block, uint32_t shared,
                        hipStream_t stream, void **arguments);
    typedef hipError_t (*module_launch)(hipFunction_t f, uint32_t, uint32_t, uint32_t, uint32_t,
                                        uint32_t, uint32_t, size_t, hipStream_t, void **, void **,
                                        hipEvent_t, hipEvent_t, uint32_t);
    typedef hipError_t (*surface)(void *, const void *);
    uint32_t *memory, back = 0, value = 12, count = 1;
    void *args[] = {&memory, &value, &count};
    hipFunction_t function;
    (void)state;
    ggl launch = (ggl)dlsym(RTLD_DEFAULT, "_ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihip"
                                          "Stream_tPPv");
    module_launch ext = (module_launch)dlsym(
        RTLD_DEFAULT, "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4"
                      "_P11ihipEvent_tS6_j");
    module_launch hcc = (module_launch)dlsym(
        RTLD_DEFAULT, "_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4"
                      "_P11ihipEvent_tS6_");
    surface create = (surface)dlsym(
        RTLD_DEFAULT, "_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc");
    check(launch && ext && hcc && create);
    ok(hipMalloc((void **)&memory, 4));
    launch((unsigned long)(uintptr_t)&fill_kernel, &one, &one, 0, NULL, args);
    ok(hipMemcpy(&back, memory, 4, hipMemcpyDeviceToHost));
    check(back == 12);
    ok(hipGetFuncBySymbol(&function, &fill_kernel));
    value = 13;
    ok(ext(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL, NULL, NULL, 0));
    ok(hipMemcpy(&back, memory, 4, hipMemcpyDeviceToHost));
    check(back == 13);
    value = 14;
    ok(hcc(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL, NULL, NULL, 0));
    ok(hipMemcpy(&back, memory, 4, hipMemcpyDeviceToHost));
    check(back == 14);
    expect(create(NULL, NULL), hipErrorInvalidValue);
    ok(hipFree(memory));
}

/* ---- errors of kernels
 * ------------------------------------------------------------------------------------------------
 */

static void reload_everything(void)
{
    ok(hipDeviceReset());
    ok(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, NULL));
    ok(hipDeviceSynchronize());
}

static void the_error_of_a_kernel_comes_with_a_later_call_and_stays(void **state)
{
    void *memory;
    (void)state;
    ok(launch_fault(NULL));
    expect(hipDeviceSynchronize(), hipErrorIllegalAddress);
    expect(hipMalloc(&memory, 16), hipErrorIllegalAddress);
    expect(hipStreamSynchronize(NULL), hipErrorIllegalAddress);
    expect(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, NULL), hipErrorIllegalAddress);
    expect(hipGetLastError(), hipErrorIllegalAddress);
    /* The other device is not concerned. */
    ok(hipSetDevice(1));
    ok(hipDeviceSynchronize());
    ok(hipSetDevice(0));
    reload_everything();
    ok(hipMalloc(&memory, 16));
    ok(hipFree(memory));
}

static void a_kernel_that_writes_outside_its_memory_faults(void **state)
{
    uint32_t *memory;
    (void)state;
    ok(hipMalloc((void **)&memory, 16));
    ok(launch_fill(memory, 1, 4, NULL));
    ok(hipDeviceSynchronize());
    ok(launch_fill(memory, 1, 1 << 20, NULL));
    expect(hipDeviceSynchronize(), hipErrorIllegalAddress);
    reload_everything();
}

struct status {
    int calls;
    hipError_t error;
};

static void note_status(hipStream_t stream, hipError_t error, void *data)
{
    struct status *status = data;
    (void)stream;
    status->calls++;
    status->error = error;
}

static void callbacks_are_told_of_an_error_and_host_functions_are_not_called(void **state)
{
    struct status seen = {0};
    struct gate gate = close_gate(NULL);
    (void)state;
    ok(launch_fault(NULL));
    ok(hipStreamAddCallback(NULL, note_status, &seen, 0));
    ok(hipLaunchHostFunc(NULL, (hipHostFn_t)abort, NULL));
    open_gate(&gate);
    expect(hipDeviceSynchronize(), hipErrorIllegalAddress);
    reload_everything(); /* and frees the gate; callbacks have been called then */
    check(seen.calls == 1 && seen.error == hipErrorIllegalAddress);
}

/* ---- cost
 * ---------------------------------------------------------------------------------------------------------------
 */

static _Thread_local bool counting;
static _Thread_local unsigned allocations;

static void note_allocation(void)
{
    allocations += counting && !fakecuda_inside(); /* of this thread */
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *))
    __attribute__((weak));

static void on_malloc(const volatile void *memory, size_t size)
{
    (void)memory, (void)size;
    note_allocation();
}

static void on_free(const volatile void *memory)
{
    (void)memory;
}

static bool count_allocations(void)
{
    return __sanitizer_install_malloc_and_free_hooks &&
           __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}
#else
/* The program's functions take precedence over the C library's. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    note_allocation();
    return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    note_allocation();
    return __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *memory, size_t size)
{
    note_allocation();
    return __libc_realloc(memory, size);
}

static bool count_allocations(void)
{
    return true;
}
#endif

static void a_launch_allocates_nothing(void **state)
{
    uint32_t *memory, value = 1, count = 1;
    void *args[] = {&memory, &value, &count};
    hipStream_t stream;
    (void)state;
    ok(hipMalloc((void **)&memory, 4));
    ok(hipStreamCreate(&stream));
    ok(hipLaunchKernel(&fill_kernel, one, one, args, 0, stream));
    check(count_allocations());
    void *volatile memory_of_one = NULL; /* the compiler may not remove it */
    counting = true;
    memory_of_one = malloc(16);
    counting = false;
    free(memory_of_one);
    check(allocations == 1);
    allocations = 0;
    counting = true;
    for (int i = 0; i < 1000; i++) {
        hipError_t error = by_chevrons(&fill_kernel, one, one, args, 0, stream);
        if (error != hipSuccess)
            break;
    }
    counting = false;
    check(allocations == 0);
    ok(hipStreamSynchronize(stream));
    check(the_fake()->launches() == 1001);
    ok(hipStreamDestroy(stream));
    ok(hipFree(memory));
}

static void a_launch_makes_two_calls_of_the_driver(void **state)
{
    (void)state;
    ok(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, NULL));
    unsigned gets = fakecuda_calls("cuCtxGetCurrent"), sets = fakecuda_calls("cuCtxSetCurrent");
    unsigned launches = fakecuda_calls("cuLaunchKernelEx");
    for (int i = 0; i < 100; i++)
        ok(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, NULL));
    check(fakecuda_calls("cuCtxGetCurrent") == gets + 100);
    check(fakecuda_calls("cuLaunchKernelEx") == launches + 100);
    check(fakecuda_calls("cuCtxSetCurrent") == sets);
    ok(hipDeviceSynchronize());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes_stream_and_arguments_reach_the_driver),
        TEST(a_block_may_be_as_large_as_the_device_allows_in_each_direction),
        TEST(a_kernel_runs_on_the_device_of_its_stream),
        TEST(kernels_work_on_data),
        TEST(every_way_launches),
        TEST_OVER("cuda", "the limits are those of sm_80", every_way_checks_sizes),
        TEST(every_way_refuses_what_is_no_kernel),
        TEST_OVER("cuda", "shared memory beyond 48 KiB is opted in to",
                  large_shared_memory_is_opted_in_to_once),
        TEST_OVER("cuda", "shared memory beyond 48 KiB is opted in to",
                  two_threads_opt_in_to_different_amounts),
        TEST(attributes_of_a_launch_are_applied_or_refused),
        TEST(events_around_a_launch_are_recorded),
        TEST(configurations_are_popped_in_reverse_ten_deep),
        TEST(the_launch_of_the_first_hip_works),
        TEST(the_launch_of_the_first_hip_takes_no_more_than_there_is),
        TEST(the_launch_of_the_first_hip_checks_its_order),
        TEST(arguments_of_modules_come_as_pointers_or_as_a_buffer),
        TEST(a_cooperative_launch_takes_its_arguments_from_a_buffer),
        TEST_OVER("hsa", "on CUDA that is the driver's affair",
                  cooperative_kernels_of_a_device_run_one_at_a_time),
        TEST_OVER("hsa", "it is told in AMD's way", a_cooperative_kernel_is_told_its_blocks),
        TEST_OVER("hsa", "it is given in AMD's way",
                  a_kernel_that_allocates_is_given_memory_until_the_reset),
        TEST_OVER("hsa", "the queue is this library's",
                  who_finds_the_cooperative_queue_full_learns_that_the_device_has_failed),
        TEST(padding_behind_the_last_argument_is_left_out),
        TEST(what_is_no_function_is_refused),
        TEST(a_function_runs_only_in_streams_of_its_device),
        TEST(kernels_are_launched_on_several_devices_at_once),
        TEST(functions_of_modules_are_launched_on_several_devices_at_once),
        TEST_OVER("cuda", "it fails functions of CUDA",
                  a_grid_whose_end_cannot_be_told_is_waited_for),
        TEST(kernels_have_names),
        TEST(the_names_of_hip_5_in_cxx_work),
        TEST(the_error_of_a_kernel_comes_with_a_later_call_and_stays),
        TEST(a_kernel_that_writes_outside_its_memory_faults),
        TEST(callbacks_are_told_of_an_error_and_host_functions_are_not_called),
        TEST(a_launch_allocates_nothing),
        TEST_OVER("cuda", "on HSA a launch is a packet and no call",
                  a_launch_makes_two_calls_of_the_driver),
    };
    use_fake("80,90");
    return run_group("driver.launch", tests);
}
