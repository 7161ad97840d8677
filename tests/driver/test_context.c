/* The contexts of the driver API, and what other libraries do to the current one. */
#include "support.h"

#include <string.h>

#include <pthread.h>

/* The driver as another library of the process calls it. */
extern CUresult driver_get_current(CUcontext *context) __asm__("cuCtxGetCurrent");
extern CUresult driver_set_current(CUcontext context) __asm__("cuCtxSetCurrent");
extern CUresult driver_retain(CUcontext *context,
                              CUdevice device) __asm__("cuDevicePrimaryCtxRetain");
extern CUresult driver_release(CUdevice device) __asm__("cuDevicePrimaryCtxRelease_v2");

/* ---- the stack ------------------------------------------------------------------------------- */

static int current_device(void)
{
    int device;
    ok(hipGetDevice(&device));
    return device;
}

static void contexts_are_pushed_and_popped_and_decide_the_device(void **state)
{
    hipCtx_t first, second, popped, now;
    int device;
    (void)state;
    expect(hipCtxPopCurrent(&popped), hipErrorInvalidContext);
    ok(hipCtxCreate(&first, 0, 1));
    check(current_device() == 1);
    ok(hipCtxGetCurrent(&now));
    check(now == first);
    ok(hipCtxCreate(&second, 0, 0));
    check(current_device() == 0);
    ok(hipCtxGetDevice(&device));
    check(device == 0);
    ok(hipCtxPopCurrent(&popped));
    check(popped == second && current_device() == 1);
    ok(hipCtxPushCurrent(second));
    check(current_device() == 0);
    ok(hipCtxSetCurrent(first)); /* replaces the top */
    check(current_device() == 1);
    ok(hipCtxPopCurrent(NULL));
    ok(hipCtxGetCurrent(&now));
    check(now == first && current_device() == 1);
    ok(hipCtxSetCurrent(NULL)); /* pops */
    expect(hipCtxPopCurrent(&popped), hipErrorInvalidContext);
    ok(hipCtxSetCurrent(NULL));
    ok(hipCtxDestroy(first));
    ok(hipCtxDestroy(second));
}

static void without_a_stack_the_devices_primary_context_is_current(void **state)
{
    hipCtx_t now, primary;
    (void)state;
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(i));
        ok(hipCtxGetCurrent(&now));
        ok(hipDevicePrimaryCtxRetain(&primary, i));
        check(now == primary);
        ok(hipDevicePrimaryCtxRelease(i));
    }
}

static void destroying_the_current_context_pops_it(void **state)
{
    hipCtx_t first, second, now;
    (void)state;
    ok(hipCtxCreate(&first, 0, 0));
    ok(hipCtxCreate(&second, 0, 1));
    check(current_device() == 1);
    ok(hipCtxDestroy(second));
    check(current_device() == 0);
    ok(hipCtxGetCurrent(&now));
    check(now == first);
    expect(hipCtxDestroy(second), hipErrorInvalidContext);
    expect(hipCtxPushCurrent(second), hipErrorInvalidContext);
    ok(hipCtxDestroy(first));
}

static void a_context_shares_everything_with_the_device(void **state)
{
    hipCtx_t context;
    void *memory;
    (void)state;
    ok(hipMalloc(&memory, 64));
    ok(hipCtxCreate(&context, hipDeviceScheduleSpin, 0));
    ok(hipMemset(memory, 1, 64));
    ok(hipCtxSynchronize());
    ok(hipCtxDestroy(context));
    ok(hipFree(memory));
}

static void check_flags(unsigned wanted)
{
    unsigned flags = ~wanted;
    ok(hipGetDeviceFlags(&flags));
    check(flags == wanted);
    flags = ~wanted;
    ok(hipCtxGetFlags(&flags));
    check(flags == wanted);
}

static void flags_of_a_context_are_those_of_its_device(void **state)
{
    static const unsigned schedules[] = {hipDeviceScheduleSpin, hipDeviceScheduleYield,
                                         hipDeviceScheduleBlockingSync, hipDeviceScheduleAuto};
    static const unsigned others[] = {0, hipDeviceMapHost, hipDeviceLmemResizeToMax,
                                      hipDeviceMapHost | hipDeviceLmemResizeToMax};
    hipCtx_t context;
    (void)state;
    ok(hipSetDevice(0));
    ok(hipSetDeviceFlags(hipDeviceScheduleAuto));
    for (size_t i = 0; i < 16; i++) {
        unsigned flags = schedules[i / 4] | others[i % 4];
        ok(hipCtxCreate(&context, flags, 1));
        check_flags(flags);
        ok(hipCtxDestroy(context));
        ok(hipSetDevice(1));
        check_flags(flags);
        ok(hipSetDevice(0));
        check_flags(0);
    }
    ok(hipCtxCreate(&context, hipDeviceScheduleSpin | hipDeviceMapHost, 1));
    ok(hipSetDeviceFlags(hipDeviceScheduleYield));
    check_flags(hipDeviceScheduleYield);
    ok(hipCtxDestroy(context));
    ok(hipCtxCreate(&context, hipDeviceMapHost, 1));
    ok(hipCtxDestroy(context));
    ok(hipSetDevice(1));
    ok(hipDeviceReset());
    check_flags(0);
}

static void values_that_are_no_contexts_are_refused(void **state)
{
    hipCtx_t context, primary;
    hipStream_t stream;
    unsigned version;
    int local;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipCtxCreate(&context, 0, 0));
    ok(hipCtxDestroy(context));
    hipCtx_t wrong[] = {context, (hipCtx_t)(void *)stream, (hipCtx_t)(void *)&local};
    for (size_t i = 0; i < 3; i++) {
        expect(hipCtxDestroy(wrong[i]), hipErrorInvalidContext);
        expect(hipCtxPushCurrent(wrong[i]), hipErrorInvalidContext);
        expect(hipCtxSetCurrent(wrong[i]), hipErrorInvalidContext);
        expect(hipCtxGetApiVersion(wrong[i], &version), hipErrorInvalidContext);
        expect(hipCtxEnablePeerAccess(wrong[i], 0), hipErrorInvalidContext);
        expect(hipCtxDisablePeerAccess(wrong[i]), hipErrorInvalidContext);
    }
    expect(hipCtxDestroy(NULL), hipErrorInvalidValue);
    expect(hipCtxPushCurrent(NULL), hipErrorInvalidContext);
    expect(hipCtxEnablePeerAccess(NULL, 0), hipErrorInvalidContext);
    expect(hipCtxCreate(NULL, 0, 0), hipErrorInvalidValue);
    expect(hipCtxCreate(&context, 0, 2), hipErrorInvalidDevice);
    expect(hipCtxCreate(&context, 0, -1), hipErrorInvalidDevice);
    expect(hipCtxCreate(&context, 0x1000, 0), hipErrorInvalidValue);
    expect(hipCtxGetCurrent(NULL), hipErrorInvalidValue);
    expect(hipCtxGetDevice(NULL), hipErrorInvalidValue);
    ok(hipDevicePrimaryCtxRetain(&primary, 0));
    expect(hipCtxDestroy(primary), hipErrorInvalidContext); /* the device's own */
    ok(hipStreamDestroy(stream));
}

/* ---- settings ---------------------------------------------------------------------------------
 */

static void context_functions_are_those_of_the_device(void **state)
{
    hipFuncCache_t cache;
    hipSharedMemConfig bank;
    hipCtx_t primary;
    unsigned version = 0, flags;
    (void)state;
    ok(hipCtxSetCacheConfig(hipFuncCachePreferL1));
    ok(hipCtxGetCacheConfig(&cache));
    check(cache == hipFuncCachePreferL1);
    ok(hipCtxSetCacheConfig(hipFuncCachePreferNone));
    ok(hipCtxSetSharedMemConfig(hipSharedMemBankSizeFourByte));
    ok(hipCtxGetSharedMemConfig(&bank));
    check(bank == hipSharedMemBankSizeFourByte);
    ok(hipSetDeviceFlags(hipDeviceScheduleYield));
    ok(hipCtxGetFlags(&flags));
    check(flags == hipDeviceScheduleYield);
    ok(hipSetDeviceFlags(hipDeviceScheduleAuto));
    ok(hipCtxGetApiVersion(NULL, &version));
    check(version > 0);
    ok(hipDevicePrimaryCtxRetain(&primary, 1));
    ok(hipCtxGetApiVersion(primary, &version));
    ok(hipCtxEnablePeerAccess(primary, 0));
    expect(hipCtxEnablePeerAccess(primary, 0), hipErrorPeerAccessAlreadyEnabled);
    expect(hipCtxEnablePeerAccess(primary, 1), hipErrorInvalidValue);
    ok(hipCtxDisablePeerAccess(primary));
    expect(hipCtxDisablePeerAccess(primary), hipErrorPeerAccessNotEnabled);
    expect(hipCtxGetCacheConfig(NULL), hipErrorInvalidValue);
    expect(hipCtxSetCacheConfig((hipFuncCache_t)9), hipErrorInvalidValue);
    expect(hipCtxGetSharedMemConfig(NULL), hipErrorInvalidValue);
    expect(hipCtxSetSharedMemConfig((hipSharedMemConfig)9), hipErrorInvalidValue);
    expect(hipCtxGetFlags(NULL), hipErrorInvalidValue);
    expect(hipCtxGetApiVersion(NULL, NULL), hipErrorInvalidValue);
}

static void primary_contexts_are_retained_reset_and_described(void **state)
{
    hipCtx_t first, again;
    unsigned flags;
    int active;
    void *memory;
    (void)state;
    ok(hipDevicePrimaryCtxRetain(&first, 1));
    ok(hipDevicePrimaryCtxRetain(&again, 1));
    check(first == again);
    ok(hipDevicePrimaryCtxGetState(1, &flags, &active));
    check(active == 1 && flags == 0);
    ok(hipDevicePrimaryCtxSetFlags(1, hipDeviceScheduleSpin));
    ok(hipDevicePrimaryCtxGetState(1, &flags, &active));
    check(flags == hipDeviceScheduleSpin);
    ok(hipSetDevice(1));
    ok(hipMalloc(&memory, 16));
    ok(hipDevicePrimaryCtxRelease(1)); /* destroys nothing */
    ok(hipDevicePrimaryCtxRelease(1));
    ok(hipDevicePrimaryCtxRelease(1));
    ok(hipMemset(memory, 0, 16));
    ok(hipDevicePrimaryCtxReset(1)); /* does */
    expect(hipFree(memory), hipErrorInvalidValue);
    expect(hipDevicePrimaryCtxRetain(NULL, 0), hipErrorInvalidValue);
    expect(hipDevicePrimaryCtxRetain(&first, 2), hipErrorInvalidDevice);
    expect(hipDevicePrimaryCtxRelease(2), hipErrorInvalidDevice);
    expect(hipDevicePrimaryCtxReset(-1), hipErrorInvalidDevice);
    expect(hipDevicePrimaryCtxSetFlags(2, 0), hipErrorInvalidDevice);
    expect(hipDevicePrimaryCtxSetFlags(0, 0x1000), hipErrorInvalidValue);
    expect(hipDevicePrimaryCtxGetState(0, NULL, &active), hipErrorInvalidValue);
    expect(hipDevicePrimaryCtxGetState(0, &flags, NULL), hipErrorInvalidValue);
    expect(hipDevicePrimaryCtxGetState(2, &flags, &active), hipErrorInvalidDevice);
}

/* ---- other libraries
 * ------------------------------------------------------------------------------ */

static void a_context_that_another_library_left_current_does_no_harm(void **state)
{
    CUcontext foreign;
    hipStream_t stream;
    hipPointerAttribute_t attributes;
    void *memory;
    uint32_t word = 3, back = 0;
    (void)state;
    ok(hipStreamCreate(&stream));
    driver_retain(&foreign, 1);
    CUcontext left[] = {foreign, NULL};
    for (int i = 0; i < 2; i++) { /* a wrong one, and none */
        driver_set_current(left[i]);
        ok(hipMalloc(&memory, 4));
        ok(hipPointerGetAttributes(&attributes, memory));
        check(attributes.device == 0);
        driver_set_current(left[i]);
        ok(hipMemcpy(memory, &word, 4, hipMemcpyHostToDevice));
        driver_set_current(left[i]);
        ok(launch_fill(memory, 4, 1, NULL));
        driver_set_current(left[i]);
        ok(hipStreamSynchronize(NULL));
        driver_set_current(left[i]);
        ok(hipStreamSynchronize(stream));
        driver_set_current(left[i]);
        ok(hipMemcpy(&back, memory, 4, hipMemcpyDeviceToHost));
        check(back == 4);
        driver_set_current(left[i]);
        ok(hipFree(memory));
    }
    driver_release(1);
    ok(hipStreamDestroy(stream));
}

/* The call succeeds where no context is current. */
#define ok_from_nowhere(call)                                                                      \
    do {                                                                                           \
        driver_set_current(NULL);                                                                  \
        ok(call);                                                                                  \
    } while (0)

static void allocations_need_no_current_context(void **state)
{
    const hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                        .location = {hipMemLocationTypeDevice, 0}};
    void *memory, *host, *managed;
    size_t pitch, size;
    hipMemPool_t pool;
    (void)state;
    ok_from_nowhere(hipMallocPitch(&memory, &pitch, 64, 4));
    ok_from_nowhere(hipMemset2D(memory, pitch, 1, 64, 4));
    ok_from_nowhere(hipFree(memory));
    ok_from_nowhere(hipHostMalloc(&host, 64, 0));
    ok_from_nowhere(hipHostFree(host));
    ok_from_nowhere(hipMallocManaged(&managed, 64, hipMemAttachGlobal));
    ok_from_nowhere(hipMemPrefetchAsync(managed, 64, 0, NULL));
    ok_from_nowhere(hipMemAdvise(managed, 64, hipMemAdviseSetReadMostly, 0));
    ok_from_nowhere(hipFree(managed));
    ok_from_nowhere(hipMemPoolCreate(&pool, &properties));
    ok_from_nowhere(hipMallocFromPoolAsync(&memory, 64, pool, NULL));
    ok_from_nowhere(hipFreeAsync(memory, NULL));
    ok_from_nowhere(hipMemPoolTrimTo(pool, 0));
    ok_from_nowhere(hipMemPoolDestroy(pool));
    ok_from_nowhere(hipMallocAsync(&memory, 64, NULL));
    ok_from_nowhere(hipFreeAsync(memory, NULL));
    ok_from_nowhere(hipMemGetInfo(&pitch, &size));
    ok_from_nowhere(hipDeviceGetLimit(&size, hipLimitStackSize));
    ok_from_nowhere(hipDeviceSetLimit(hipLimitStackSize, size));
    ok_from_nowhere(hipProfilerStart());
    ok_from_nowhere(hipProfilerStop());
    ok_from_nowhere(hipDeviceSynchronize());
}

static void copies_need_no_current_context(void **state)
{
    uint32_t words[16] = {1, 2, 3}, *memory[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(i));
        ok_from_nowhere(hipMalloc((void **)&memory[i], sizeof words));
    }
    ok(hipSetDevice(0));
    ok_from_nowhere(hipMemcpy2D(memory[0], 8, words, 8, 8, 8, hipMemcpyHostToDevice));
    ok_from_nowhere(hipMemcpy2D(memory[0], 16, words, 16, 8, 4, hipMemcpyHostToDevice));
    ok_from_nowhere(hipMemcpyPeer(memory[1], 1, memory[0], 0, sizeof words));
    ok_from_nowhere(hipMemcpyPeerAsync(memory[0], 0, memory[1], 1, sizeof words, NULL));
    ok_from_nowhere(hipStreamSynchronize(NULL));
    ok_from_nowhere(hipMemcpy2DAsync(memory[1], 8, memory[0], 8, 8, 8, hipMemcpyDefault, NULL));
    ok_from_nowhere(hipStreamSynchronize(NULL));
    memset(words, 0, sizeof words);
    ok_from_nowhere(hipMemcpyAsync(words, memory[1], sizeof words, hipMemcpyDefault, NULL));
    ok_from_nowhere(hipStreamSynchronize(NULL));
    check(words[0] == 1 && words[1] == 2 && words[2] == 3);
    ok_from_nowhere(
        hipMemcpy2DAsync(memory[0] + 2, 16, memory[0], 16, 8, 4, hipMemcpyDeviceToDevice, NULL));
    for (int i = 0; i < 2; i++)
        ok_from_nowhere(hipFree(memory[i]));
}

static void objects_need_no_current_context(void **state)
{
    static const hipChannelFormatDesc floats = {32, 0, 0, 0, hipChannelFormatKindFloat};
    const hipTextureDesc settings = {.readMode = hipReadModeElementType};
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    hipTextureObject_t texture;
    hipSurfaceObject_t surface;
    hipArray_t array;
    hipMipmappedArray_t mipmap;
    hipModule_t module;
    hipFunction_t function;
    hipEvent_t event;
    hipStream_t stream;
    hipDeviceptr_t address;
    unsigned count;
    size_t size;
    int value;
    (void)state;
    ok_from_nowhere(hipStreamCreate(&stream));
    ok_from_nowhere(hipEventCreate(&event));
    ok_from_nowhere(hipEventRecord(event, stream));
    ok_from_nowhere(hipStreamWaitEvent(stream, event, 0));
    ok_from_nowhere(hipEventSynchronize(event));
    ok_from_nowhere(hipEventQuery(event));
    ok_from_nowhere(hipStreamGetPriority(stream, &value));
    ok_from_nowhere(hipEventDestroy(event));
    ok_from_nowhere(hipStreamDestroy(stream));
    ok_from_nowhere(hipModuleLoadData(&module, kernels_image()));
    ok_from_nowhere(hipModuleGetFunction(&function, module, "fake_fill"));
    ok_from_nowhere(hipModuleGetFunctionCount(&count, module));
    ok_from_nowhere(hipModuleGetGlobal(&address, &size, module, "fake_counter"));
    ok_from_nowhere(
        hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    ok_from_nowhere(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 64, 0));
    ok_from_nowhere(hipModuleUnload(module));
    ok_from_nowhere(hipMallocArray(&array, &floats, 4, 4, hipArraySurfaceLoadStore));
    resource.res.array.array = array;
    ok_from_nowhere(hipCreateTextureObject(&texture, &resource, &settings, NULL));
    ok_from_nowhere(hipDestroyTextureObject(texture));
    ok_from_nowhere(hipCreateSurfaceObject(&surface, &resource));
    ok_from_nowhere(hipDestroySurfaceObject(surface));
    ok_from_nowhere(hipFreeArray(array));
    ok_from_nowhere(
        hipMallocMipmappedArray(&mipmap, &floats, (hipExtent){4, 4, 0}, 2, hipArrayDefault));
    ok_from_nowhere(hipGetMipmappedArrayLevel(&array, mipmap, 1));
    ok_from_nowhere(hipFreeMipmappedArray(mipmap));
}

static void setting_a_device_makes_its_context_current_for_others(void **state)
{
    CUcontext current;
    void *native;
    uint64_t device;
    (void)state;
    for (int i = 1; i >= 0; i--) {
        ok(hipSetDevice(i));
        check(driver_get_current(&current) == CUDA_SUCCESS);
        ok(anyhipDeviceGetNative(i, &device, &native));
        check(current == native && device == (uint64_t)i);
    }
}

static void *work_in_thread(void *data)
{
    void *memory;
    (void)data;
    ok(hipSetDevice(1));
    ok(hipMalloc(&memory, 16));
    ok(hipFree(memory));
    return NULL;
}

static void a_thread_leaves_the_context_of_another_alone(void **state)
{
    pthread_t thread;
    CUcontext before, after;
    (void)state;
    ok(hipSetDevice(0));
    driver_get_current(&before);
    pthread_create(&thread, NULL, work_in_thread, NULL);
    pthread_join(thread, NULL);
    driver_get_current(&after);
    check(before == after && current_device() == 0);
}

static void the_context_is_created_again_after_a_reset_for_every_thread(void **state)
{
    pthread_t thread;
    void *memory;
    (void)state;
    ok(hipSetDevice(1));
    ok(hipMalloc(&memory, 16)); /* the context is current here */
    pthread_create(&thread, NULL, work_in_thread, NULL);
    pthread_join(thread, NULL);
    ok(hipDeviceReset());
    pthread_create(&thread, NULL, work_in_thread, NULL);
    pthread_join(thread, NULL);
    ok(hipMalloc(&memory, 16));
    ok(hipFree(memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(contexts_are_pushed_and_popped_and_decide_the_device),
        TEST(without_a_stack_the_devices_primary_context_is_current),
        TEST(destroying_the_current_context_pops_it),
        TEST(a_context_shares_everything_with_the_device),
        TEST(flags_of_a_context_are_those_of_its_device),
        TEST(values_that_are_no_contexts_are_refused),
        TEST(context_functions_are_those_of_the_device),
        TEST(primary_contexts_are_retained_reset_and_described),
        TEST_OVER("cuda", "HSA has no contexts",
                  a_context_that_another_library_left_current_does_no_harm),
        TEST_OVER("cuda", "HSA has no contexts", allocations_need_no_current_context),
        TEST_OVER("cuda", "HSA has no contexts", copies_need_no_current_context),
        TEST_OVER("cuda", "HSA has no contexts", objects_need_no_current_context),
        TEST_OVER("cuda", "HSA has no contexts",
                  setting_a_device_makes_its_context_current_for_others),
        TEST_OVER("cuda", "HSA has no contexts", a_thread_leaves_the_context_of_another_alone),
        TEST(the_context_is_created_again_after_a_reset_for_every_thread),
    };
    use_fake("80,90");
    return run_group("driver.context", tests);
}
