/* Errors: what the driver's codes become, the last error, errors of work that runs. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int local; /* no allocation */

static const struct {
    int code;
    const char *name;
    hipError_t error;
} translations[] = {
#define CUDA_ERROR_ROW(value, name, error) {value, "CUDA_ERROR_" #name, error},
#include "cuda_errors.def"
#undef CUDA_ERROR_ROW
};

static void every_code_of_the_driver_has_its_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++) {
        void *memory = NULL;
        if (translations[i].code == 0)
            continue;
        (void)hipGetLastError();
        fakecuda_fail("cuMemAlloc_v2", 1, translations[i].code);
        expect(hipMalloc(&memory, 64), translations[i].error);
        bool waits = translations[i].error == hipErrorNotReady;
        expect(hipGetLastError(), waits ? hipSuccess : translations[i].error);
    }
}

static void a_code_that_is_not_known_is_an_unknown_error(void **state)
{
    void *memory;
    (void)state;
    fakecuda_fail("cuMemAlloc_v2", 1, 4711);
    expect(hipMalloc(&memory, 64), hipErrorUnknown);
}

static void the_log_names_what_the_driver_said(void **state)
{
    void *memory;
    (void)state;
    ok(hipExtSetLoggingParams(1, 0, 0x7fffffff));
    begin_log();
    fakecuda_fail("cuMemAlloc_v2", 1, 719);
    hipError_t error = hipMalloc(&memory, 64);
    char *text = end_log();
    ok(hipExtSetLoggingParams(0, 0, 0x7fffffff));
    expect(error, hipErrorLaunchFailure);
    check(count_text(text, "cuMemAlloc on cuda:0 failed: CUDA_ERROR_LAUNCH_FAILED (719)") == 1);
    free(text);
}

static void the_last_error_stays_until_it_is_read(void **state)
{
    int device;
    (void)state;
    expect(hipSetDevice(99), hipErrorInvalidDevice);
    ok(hipGetDevice(&device));
    expect(hipPeekAtLastError(), hipErrorInvalidDevice);
    expect(hipPeekAtLastError(), hipErrorInvalidDevice);
    expect(hipGetLastError(), hipErrorInvalidDevice);
    expect(hipGetLastError(), hipSuccess);
    expect(hipPeekAtLastError(), hipSuccess);
}

static void a_later_error_replaces_the_last_one(void **state)
{
    (void)state;
    expect(hipSetDevice(99), hipErrorInvalidDevice);
    expect(hipFree(&local), hipErrorInvalidValue);
    expect(hipGetLastError(), hipErrorInvalidValue);
}

static void not_ready_is_no_error(void **state)
{
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    struct gate gate = close_gate(stream);
    expect(hipStreamQuery(stream), hipErrorNotReady);
    expect(hipGetLastError(), hipSuccess);
    expect(hipSetDevice(99), hipErrorInvalidDevice);
    expect(hipStreamQuery(stream), hipErrorNotReady);
    expect(hipExtGetLastError(), hipErrorNotReady);
    expect(hipExtGetLastError(), hipSuccess);
    expect(hipGetLastError(), hipErrorInvalidDevice);
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
    ok(hipStreamDestroy(stream));
}

static void the_last_result_is_of_the_last_call(void **state)
{
    int device;
    (void)state;
    expect(hipSetDevice(99), hipErrorInvalidDevice);
    expect(hipExtGetLastError(), hipErrorInvalidDevice);
    expect(hipSetDevice(99), hipErrorInvalidDevice);
    ok(hipGetDevice(&device));
    expect(hipExtGetLastError(), hipSuccess);
    expect(hipGetLastError(), hipErrorInvalidDevice);
}

static void *fail_in_a_thread(void *unused)
{
    expect(hipGetLastError(), hipSuccess);
    expect(hipFree(&local), hipErrorInvalidValue);
    expect(hipPeekAtLastError(), hipErrorInvalidValue);
    return unused;
}

static void each_thread_has_its_own_last_error(void **state)
{
    pthread_t thread;
    (void)state;
    expect(hipSetDevice(99), hipErrorInvalidDevice);
    check(pthread_create(&thread, NULL, fail_in_a_thread, NULL) == 0);
    pthread_join(thread, NULL);
    expect(hipGetLastError(), hipErrorInvalidDevice);
}

static void a_launch_that_cannot_be_is_the_last_error(void **state)
{
    (void)state;
    expect(hipLaunchKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){2048, 1, 1}, NULL, 0, NULL),
           hipErrorInvalidConfiguration);
    expect(hipGetLastError(), hipErrorInvalidConfiguration);
}

/* As in CUDA: the context is lost until the device is reset. */
static void a_kernel_that_faults_spoils_the_device_until_its_reset(void **state)
{
    void *memory, *more;
    uint32_t word = 1;
    int count;
    (void)state;
    ok(hipMalloc(&memory, 64));
    ok(launch_fault(NULL));
    expect(hipDeviceSynchronize(), hipErrorIllegalAddress);
    expect(hipGetLastError(), hipErrorIllegalAddress);
    expect(hipGetLastError(), hipSuccess);
    expect(hipMemcpy(memory, &word, 4, hipMemcpyHostToDevice), hipErrorIllegalAddress);
    expect(hipMalloc(&more, 64), hipErrorIllegalAddress);
    expect(launch_fill(memory, 1, 1, NULL), hipErrorIllegalAddress);
    ok(hipGetDeviceCount(&count)); /* nothing of the device's */
    ok(hipSetDevice(1));
    ok(hipMalloc(&more, 64)); /* the other device is well */
    ok(hipFree(more));
    ok(hipSetDevice(0));
    ok(hipDeviceReset());
    ok(hipMalloc(&more, 64));
    ok(launch_fill(more, 9, 1, NULL));
    ok(hipMemcpy(&word, more, 4, hipMemcpyDeviceToHost));
    check(word == 9);
    ok(hipFree(more));
    expect(hipFree(memory), hipErrorInvalidValue);
}

/* What a device that failed is asked to do, it refuses with what happened to it. */
static void every_call_for_a_failed_device_says_so(void **state)
{
    static const hipChannelFormatDesc floats = {32, 0, 0, 0, hipChannelFormatKindFloat};
    const hipTextureDesc settings = {.readMode = hipReadModeElementType};
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    uint32_t words[16] = {0}, *memory, *elsewhere;
    hipTextureObject_t texture;
    hipSurfaceObject_t surface;
    hipStream_t stream;
    hipEvent_t event;
    hipArray_t array, more;
    void *block;
    size_t size;
    (void)state;
    ok(hipMalloc((void **)&memory, sizeof words));
    ok(hipMallocArray(&array, &floats, 4, 4, hipArraySurfaceLoadStore));
    ok(hipStreamCreate(&stream));
    ok(hipEventCreate(&event));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&elsewhere, sizeof words));
    ok(hipSetDevice(0));
    hipMemcpy3DPeerParms box = {.srcPtr = {memory, 16, 16, 4},
                                .dstPtr = {elsewhere, 16, 16, 4},
                                .dstDevice = 1,
                                .extent = {8, 4, 1}};
    ok(launch_fault(NULL));
    expect(hipDeviceSynchronize(), hipErrorIllegalAddress);

    const hipError_t lost = hipErrorIllegalAddress;
    expect(hipMemset(memory, 1, sizeof words), lost);
    expect(hipMemsetD32Async(memory, 1, 16, stream), lost);
    expect(hipMemset2D(memory, 16, 1, 8, 4), lost);
    expect(hipMemcpy(words, memory, sizeof words, hipMemcpyDeviceToHost), lost);
    expect(hipMemcpyAsync(memory, words, sizeof words, hipMemcpyHostToDevice, stream), lost);
    expect(hipMemcpy2D(memory, 16, words, 16, 8, 4, hipMemcpyHostToDevice), lost);
    expect(hipMemcpy2DToArray(array, 0, 0, words, 16, 16, 4, hipMemcpyHostToDevice), lost);
    expect(hipMemcpyPeer(memory, 0, elsewhere, 1, sizeof words), lost);
    expect(hipMallocPitch(&block, &size, 64, 4), lost);
    expect(hipHostMalloc(&block, 64, 0), lost);
    expect(hipMallocManaged(&block, 64, hipMemAttachGlobal), lost);
    expect(hipMallocAsync(&block, 64, stream), lost);
    expect(hipMallocArray(&more, &floats, 4, 4, 0), lost);
    expect(hipMemcpy3DPeer(&box), lost);
    ok(hipSetDevice(1));
    expect(hipMemcpy3DPeer(&box), lost);
    ok(hipSetDevice(0));
    resource.res.array.array = array;
    hipError_t made = hipCreateTextureObject(&texture, &resource, &settings, NULL);
    check(made == lost || made == hipErrorNotSupported); /* gfx90a has no images */
    made = hipCreateSurfaceObject(&surface, &resource);
    check(made == lost || made == hipErrorNotSupported);
    expect(hipEventRecord(event, stream), lost);
    expect(hipStreamSynchronize(stream), lost);
    expect(hipStreamQuery(stream), lost);
    expect(hipStreamCreate(&stream), lost);
    expect(launch_fill(memory, 1, 1, NULL), lost);
    ok(hipDeviceReset());
    ok(hipSetDevice(1));
    ok(hipFree(elsewhere));
    ok(hipDeviceReset());
    ok(hipSetDevice(0));
}

/* NVIDIA's driver does these without the device. */
static void pools_and_shared_memory_of_a_failed_device_say_so(void **state)
{
    const hipMemPoolProps of_pool = {.allocType = hipMemAllocationTypePinned,
                                     .location = {hipMemLocationTypeDevice, 0}};
    const hipMemAllocationProp of_memory = {
        .type = hipMemAllocationTypePinned,
        .requestedHandleType = hipMemHandleTypePosixFileDescriptor,
        .location = {hipMemLocationTypeDevice, 0},
    };
    hipMemGenericAllocationHandle_t memory;
    hipMemPool_t pool;
    size_t grain;
    int file;
    (void)state;
    ok(hipMemGetAllocationGranularity(&grain, &of_memory, hipMemAllocationGranularityMinimum));
    ok(hipMemCreate(&memory, grain, &of_memory, 0));
    ok(launch_fault(NULL));
    expect(hipDeviceSynchronize(), hipErrorIllegalAddress);
    expect(hipMemPoolCreate(&pool, &of_pool), hipErrorIllegalAddress);
    expect(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 0),
           hipErrorIllegalAddress);
    ok(hipDeviceReset());
    ok(hipMemRelease(memory));
}

static void every_sticky_code_comes_out_of_waiting(void **state)
{
    static const struct {
        int code;
        hipError_t error;
    } sticky[] = {{700, hipErrorIllegalAddress},
                  {702, hipErrorLaunchTimeOut},
                  {710, hipErrorAssert},
                  {719, hipErrorLaunchFailure},
                  {214, hipErrorECCNotCorrectable}};
    (void)state;
    for (size_t i = 0; i < sizeof sticky / sizeof *sticky; i++) {
        fakecuda_break(0, sticky[i].code);
        expect(hipDeviceSynchronize(), sticky[i].error);
        expect(hipStreamSynchronize(NULL), sticky[i].error);
        ok(hipDeviceReset());
        ok(hipDeviceSynchronize());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_OVER("cuda", "the codes are those of CUDA", every_code_of_the_driver_has_its_error),
        TEST_OVER("cuda", "the codes are those of CUDA",
                  a_code_that_is_not_known_is_an_unknown_error),
        TEST_OVER("cuda", "the codes are those of CUDA", the_log_names_what_the_driver_said),
        TEST(the_last_error_stays_until_it_is_read),
        TEST(a_later_error_replaces_the_last_one),
        TEST(not_ready_is_no_error),
        TEST(the_last_result_is_of_the_last_call),
        TEST(each_thread_has_its_own_last_error),
        TEST(a_launch_that_cannot_be_is_the_last_error),
        TEST(a_kernel_that_faults_spoils_the_device_until_its_reset),
        TEST(every_call_for_a_failed_device_says_so),
        TEST_OVER("hsa", "NVIDIA's driver does these without the device",
                  pools_and_shared_memory_of_a_failed_device_say_so),
        TEST_OVER("cuda", "the codes are those of CUDA", every_sticky_code_comes_out_of_waiting),
    };
    use_fake("80,90");
    return run_group("driver.error", tests);
}
