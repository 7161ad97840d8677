/* Streams: creation, order, questions, callbacks, values in memory. */
#include "support.h"
#include "thread.h"

#include <hip/api/per_thread_default_stream.h>

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- creation --------------------------------------------------------------------------- */

static void streams_are_made_with_flags_and_priorities(void **state)
{
    hipStream_t stream;
    unsigned flags;
    int priority, least, greatest;
    (void)state;
    ok(hipDeviceGetStreamPriorityRange(&least, &greatest));
    check(over_hsa() ? least == 1 && greatest == -1 : least == 0 && greatest == -5);
    ok(hipDeviceGetStreamPriorityRange(NULL, &greatest));
    ok(hipDeviceGetStreamPriorityRange(&least, NULL));
    ok(hipDeviceGetStreamPriorityRange(NULL, NULL));
    const struct {
        unsigned flags;
        int asked, got;
    } made[] = {{hipStreamDefault, 0, 0},
                {hipStreamNonBlocking, greatest + 1, greatest + 1},
                {hipStreamDefault, -100, greatest},
                {hipStreamNonBlocking, 100, least}};
    for (size_t i = 0; i < 4; i++) {
        ok(hipStreamCreateWithPriority(&stream, made[i].flags, made[i].asked));
        ok(hipStreamGetFlags(stream, &flags));
        ok(hipStreamGetPriority(stream, &priority));
        check(flags == made[i].flags && priority == made[i].got);
        ok(hipStreamGetFlags_spt(stream, &flags));
        ok(hipStreamGetPriority_spt(stream, &priority));
        check(flags == made[i].flags && priority == made[i].got);
        ok(hipStreamDestroy(stream));
    }
    ok(hipStreamCreate(&stream));
    ok(hipStreamGetFlags(stream, &flags));
    check(flags == hipStreamDefault);
    ok(hipStreamDestroy(stream));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipStreamGetFlags(stream, &flags));
    check(flags == hipStreamNonBlocking);
    ok(hipStreamDestroy(stream));
}

static void creation_checks_its_arguments(void **state)
{
    hipStream_t stream;
    uint32_t mask = 3; /* units come in pairs on some devices */
    (void)state;
    expect(hipStreamCreate(NULL), hipErrorInvalidValue);
    expect(hipStreamCreateWithFlags(NULL, 0), hipErrorInvalidValue);
    expect(hipStreamCreateWithFlags(&stream, 2), hipErrorInvalidValue);
    expect(hipStreamCreateWithFlags(&stream, ~0u), hipErrorInvalidValue);
    expect(hipStreamCreateWithPriority(NULL, 0, 0), hipErrorInvalidValue);
    expect(hipStreamCreateWithPriority(&stream, 9, 0), hipErrorInvalidValue);
    expect(hipExtStreamCreateWithCUMask(NULL, 1, &mask), hipErrorInvalidHandle);
    expect(hipExtStreamCreateWithCUMask(&stream, 0, &mask), hipErrorInvalidValue);
    expect(hipExtStreamCreateWithCUMask(&stream, 1, NULL), hipErrorInvalidValue);
    ok(hipExtStreamCreateWithCUMask(&stream, 1, &mask));
    ok(hipStreamDestroy(stream));
}

static void only_streams_of_ones_own_can_be_destroyed_and_once(void **state)
{
    hipStream_t stream;
    hipEvent_t event;
    int local;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipEventCreate(&event));
    ok(hipStreamDestroy(stream));
    expect(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
    expect(hipStreamDestroy((hipStream_t)(void *)event), hipErrorContextIsDestroyed);
    expect(hipStreamDestroy((hipStream_t)(void *)&local), hipErrorContextIsDestroyed);
    expect(hipStreamDestroy((hipStream_t)-1), hipErrorContextIsDestroyed);
    expect(hipStreamDestroy(NULL), hipErrorInvalidHandle);
    expect(hipStreamDestroy(hipStreamLegacy), hipErrorInvalidHandle);
    expect(hipStreamDestroy(hipStreamPerThread), hipErrorInvalidHandle);
    ok(hipEventDestroy(event));
}

static void a_destroyed_stream_still_finishes_its_work(void **state)
{
    uint32_t *pinned;
    hipStream_t stream;
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4096, 0));
    ok(hipStreamCreate(&stream));
    struct gate gate = close_gate(stream);
    ok(launch_fill(pinned, 3, 1024, stream));
    ok(hipStreamDestroy(stream));
    open_gate(&gate);
    ok(hipDeviceSynchronize());
    check_words(pinned, 1024, 3);
    free_gate(&gate);
    ok(hipHostFree(pinned));
}

/* ---- every function that takes a stream ---------------------------------------------------------
 */

static uint32_t *word; /* page-locked memory for the calls below */
static hipEvent_t event;
static hipStreamCaptureStatus status;

static void nothing(void *data)
{
    (void)data;
}

static void callback(hipStream_t stream, hipError_t error, void *data)
{
    (void)stream, (void)error, (void)data;
}

struct taker {
    const char *name;
    hipError_t (*call)(hipStream_t stream);
    hipError_t refusal; /* for an invalid stream */
};

#define TAKER(function, expression)                                                                \
    static hipError_t take_##function(hipStream_t stream)                                          \
    {                                                                                              \
        return expression;                                                                         \
    }
TAKER(query, hipStreamQuery(stream))
TAKER(query_spt, hipStreamQuery_spt(stream))
TAKER(synchronize, hipStreamSynchronize(stream))
TAKER(synchronize_spt, hipStreamSynchronize_spt(stream))
TAKER(wait_event, hipStreamWaitEvent(stream, event, 0))
TAKER(wait_event_spt, hipStreamWaitEvent_spt(stream, event, 0))
TAKER(get_flags, hipStreamGetFlags(stream, word))
TAKER(get_flags_spt, hipStreamGetFlags_spt(stream, word))
TAKER(get_priority, hipStreamGetPriority(stream, (int *)word))
TAKER(get_priority_spt, hipStreamGetPriority_spt(stream, (int *)word))
TAKER(get_device, hipStreamGetDevice(stream, (int *)word))
TAKER(get_id, hipStreamGetId(stream, (unsigned long long *)(void *)word))
TAKER(get_mask, hipExtStreamGetCUMask(stream, 8, word))
TAKER(add_callback, hipStreamAddCallback(stream, callback, NULL, 0))
TAKER(add_callback_spt, hipStreamAddCallback_spt(stream, callback, NULL, 0))
TAKER(host_function, hipLaunchHostFunc(stream, nothing, NULL))
TAKER(host_function_spt, hipLaunchHostFunc_spt(stream, nothing, NULL))
TAKER(wait_32, hipStreamWaitValue32(stream, word, 0, hipStreamWaitValueGte, ~0u))
TAKER(wait_64, hipStreamWaitValue64(stream, word, 0, hipStreamWaitValueGte, ~0ull))
TAKER(write_32, hipStreamWriteValue32(stream, word, 0, 0))
TAKER(write_64, hipStreamWriteValue64(stream, word, 0, 0))
TAKER(record, hipEventRecord(event, stream))
TAKER(record_spt, hipEventRecord_spt(event, stream))
TAKER(record_flags, hipEventRecordWithFlags(event, stream, 0))
TAKER(copy_async, hipMemcpyAsync(word, word + 64, 4, hipMemcpyDefault, stream))
TAKER(copy_with, hipMemcpyWithStream(word, word + 64, 4, hipMemcpyDefault, stream))
TAKER(copy_htod, hipMemcpyHtoDAsync(word, word + 64, 4, stream))
TAKER(copy_dtoh, hipMemcpyDtoHAsync(word, word + 64, 4, stream))
TAKER(copy_dtod, hipMemcpyDtoDAsync(word, word + 64, 4, stream))
TAKER(copy_peer, hipMemcpyPeerAsync(word, 0, word + 64, 0, 4, stream))
TAKER(copy_2d, hipMemcpy2DAsync(word, 4, word + 64, 4, 4, 1, hipMemcpyDefault, stream))
TAKER(to_symbol,
      hipMemcpyToSymbolAsync(&counter_variable, word, 4, 0, hipMemcpyHostToDevice, stream))
TAKER(from_symbol,
      hipMemcpyFromSymbolAsync(word, &counter_variable, 4, 0, hipMemcpyDeviceToHost, stream))
TAKER(set, hipMemsetAsync(word, 0, 4, stream))
TAKER(set_spt, hipMemsetAsync_spt(word, 0, 4, stream))
TAKER(set_d8, hipMemsetD8Async(word, 0, 4, stream))
TAKER(set_d16, hipMemsetD16Async(word, 0, 2, stream))
TAKER(set_d32, hipMemsetD32Async(word, 0, 1, stream))
TAKER(set_2d, hipMemset2DAsync(word, 4, 0, 4, 1, stream))
TAKER(set_3d, hipMemset3DAsync((hipPitchedPtr){word, 4, 4, 1}, 0, (hipExtent){4, 1, 1}, stream))
TAKER(launch, hipLaunchKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, stream))
TAKER(launch_spt,
      hipLaunchKernel_spt(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, stream))
TAKER(launch_ext, hipExtLaunchKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0,
                                     stream, NULL, NULL, 0))
TAKER(launch_cooperative,
      hipLaunchCooperativeKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, stream))
TAKER(launch_cooperative_spt, hipLaunchCooperativeKernel_spt(&empty_kernel, (dim3){1, 1, 1},
                                                             (dim3){1, 1, 1}, NULL, 0, stream))
TAKER(is_capturing, hipStreamIsCapturing(stream, &status))
TAKER(is_capturing_spt, hipStreamIsCapturing_spt(stream, &status))
TAKER(capture_info, hipStreamGetCaptureInfo(stream, &status, NULL))
TAKER(capture_info_spt, hipStreamGetCaptureInfo_spt(stream, &status, NULL))
TAKER(capture_info_v2, hipStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, NULL, NULL))
TAKER(capture_info_v2_spt, hipStreamGetCaptureInfo_v2_spt(stream, &status, NULL, NULL, NULL, NULL))

static hipError_t take_malloc(hipStream_t stream)
{
    void *memory = NULL;
    hipError_t error = hipMallocAsync(&memory, 16, stream);
    return error == hipSuccess ? hipFreeAsync(memory, stream) : error;
}

static hipError_t take_free(hipStream_t stream)
{
    return hipFreeAsync(NULL, stream);
}

static hipError_t take_batch(hipStream_t stream)
{
    hipStreamBatchMemOpParams write;
    memset(&write, 0, sizeof write);
    write.writeValue.operation = hipStreamMemOpWriteValue32;
    write.writeValue.address = word;
    return hipStreamBatchMemOp(stream, 1, &write, 0);
}

static hipError_t take_native(hipStream_t stream)
{
    void *native;
    return anyhipStreamGetNative(stream, &native);
}

static const struct taker takers[] = {
#define ROW(function)                                                                              \
    {                                                                                              \
#function, take_##function, hipErrorContextIsDestroyed                                     \
    }
    ROW(query),
    ROW(query_spt),
    ROW(synchronize),
    ROW(synchronize_spt),
    ROW(get_flags),
    ROW(get_flags_spt),
    ROW(get_priority),
    ROW(get_priority_spt),
    ROW(get_device),
    ROW(get_id),
    ROW(get_mask),
    ROW(add_callback),
    ROW(add_callback_spt),
    ROW(host_function),
    ROW(host_function_spt),
    ROW(wait_32),
    ROW(wait_64),
    ROW(write_32),
    ROW(write_64),
    ROW(batch),
    ROW(record),
    ROW(record_spt),
    ROW(record_flags),
    ROW(copy_async),
    ROW(copy_with),
    ROW(copy_htod),
    ROW(copy_dtoh),
    ROW(copy_dtod),
    ROW(copy_peer),
    ROW(copy_2d),
    ROW(to_symbol),
    ROW(from_symbol),
    ROW(set),
    ROW(set_spt),
    ROW(set_d8),
    ROW(set_d16),
    ROW(set_d32),
    ROW(set_2d),
    ROW(set_3d),
    ROW(launch),
    ROW(launch_spt),
    ROW(launch_ext),
    ROW(is_capturing),
    ROW(is_capturing_spt),
    ROW(capture_info),
    ROW(capture_info_spt),
    ROW(capture_info_v2),
    ROW(capture_info_v2_spt),
#undef ROW
    {"wait_event", take_wait_event, hipErrorInvalidHandle},
    {"wait_event_spt", take_wait_event_spt, hipErrorInvalidHandle},
    {"malloc", take_malloc, hipErrorInvalidHandle},
    {"free", take_free, hipErrorInvalidHandle},
    {"launch_cooperative", take_launch_cooperative, hipErrorInvalidHandle},
    {"launch_cooperative_spt", take_launch_cooperative_spt, hipErrorInvalidHandle},
    {"native", take_native, hipErrorInvalidHandle},
};
enum { TAKERS = sizeof takers / sizeof *takers };

static void make_takers(void)
{
    ok(hipHostMalloc((void **)&word, 4096, 0));
    memset(word, 0, 4096);
    ok(hipEventCreate(&event));
}

static void end_takers(void)
{
    ok(hipDeviceSynchronize());
    ok(hipEventDestroy(event));
    ok(hipHostFree(word));
}

static void every_function_takes_default_streams_and_made_ones(void **state)
{
    hipStream_t streams[] = {NULL, hipStreamLegacy, hipStreamPerThread, NULL, NULL};
    (void)state;
    make_takers();
    ok(hipStreamCreate(&streams[3]));
    ok(hipStreamCreateWithFlags(&streams[4], hipStreamNonBlocking));
    for (size_t i = 0; i < TAKERS; i++) {
        for (size_t s = 0; s < 5; s++) {
            ok(hipDeviceSynchronize());
            memset(word, 0, 4096);
            hipError_t error = takers[i].call(streams[s]);
            bool no_flags = s == 0 && takers[i].call == take_get_flags;
            if (error != (no_flags ? hipErrorInvalidValue : hipSuccess))
                fail_msg("%s of stream %zu: %s", takers[i].name, s, hipGetErrorName(error));
        }
    }
    ok(hipStreamDestroy(streams[3]));
    ok(hipStreamDestroy(streams[4]));
    end_takers();
}

static void every_function_refuses_what_is_no_stream(void **state)
{
    hipStream_t streams[4], mine;
    int local;
    (void)state;
    make_takers();
    ok(hipStreamCreate(&streams[0]));
    ok(hipStreamDestroy(streams[0]));
    ok(hipStreamCreate(&mine));
    streams[1] = (hipStream_t)(void *)event;
    streams[2] = (hipStream_t)(void *)&local;
    streams[3] = (hipStream_t)(void *)((char *)mine + 8); /* inside a handle */
    for (size_t i = 0; i < TAKERS; i++) {
        for (size_t s = 0; s < 4; s++) {
            hipError_t error = takers[i].call(streams[s]);
            if (error != takers[i].refusal)
                fail_msg("%s of no stream %zu: %s", takers[i].name, s, hipGetErrorName(error));
        }
    }
    check(hipGetStreamDeviceId(streams[0]) == -1);
    ok(hipStreamDestroy(mine));
    end_takers();
}

/* ---- questions
 * ------------------------------------------------------------------------------------ */

static void a_stream_knows_its_device_and_number(void **state)
{
    hipStream_t streams[2];
    unsigned long long ids[4];
    int device;
    (void)state;
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(i));
        ok(hipStreamCreate(&streams[i]));
    }
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(1 - i));
        ok(hipStreamGetDevice(streams[i], &device));
        check(device == i);
        check(hipGetStreamDeviceId(streams[i]) == i);
        ok(hipStreamGetDevice(NULL, &device));
        check(device == 1 - i && hipGetStreamDeviceId(NULL) == 1 - i);
        ok(hipStreamGetId(streams[i], &ids[i]));
    }
    ok(hipStreamGetId(NULL, &ids[2]));
    ok(hipStreamGetId(hipStreamPerThread, &ids[3]));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            check(ids[i] != ids[j]);
    expect(hipStreamGetDevice(streams[0], NULL), hipErrorInvalidValue);
    expect(hipStreamGetId(streams[0], NULL), hipErrorInvalidValue);
    expect(hipStreamGetFlags(streams[0], NULL), hipErrorInvalidValue);
    expect(hipStreamGetPriority(streams[0], NULL), hipErrorInvalidValue);
    for (int i = 0; i < 2; i++)
        ok(hipStreamDestroy(streams[i]));
}

static void a_stream_without_a_mask_uses_all_processors(void **state)
{
    hipStream_t stream;
    uint32_t mask[5];
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipExtStreamGetCUMask(stream, 5, mask)); /* 108 processors, 104 units */
    check(mask[0] == ~0u && mask[2] == ~0u && mask[3] == (over_hsa() ? 0xffu : 0xfffu) &&
          mask[4] == 0);
    ok(hipExtStreamGetCUMask(NULL, 4, mask));
    expect(hipExtStreamGetCUMask(stream, 3, mask), hipErrorInvalidValue);
    expect(hipExtStreamGetCUMask(stream, 0, mask), hipErrorInvalidValue);
    expect(hipExtStreamGetCUMask(stream, 4, NULL), hipErrorInvalidValue);
    ok(hipStreamDestroy(stream));
}

static void a_stream_is_ready_when_its_work_is_done(void **state)
{
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipStreamQuery(stream));
    struct gate gate = close_gate(stream);
    expect(hipStreamQuery(stream), hipErrorNotReady);
    expect(hipStreamQuery_spt(stream), hipErrorNotReady);
    ok(hipPeekAtLastError()); /* no error */
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    ok(hipStreamQuery(stream));
    free_gate(&gate);
    ok(hipStreamDestroy(stream));
}

static void capture_functions_say_that_nothing_is_captured(void **state)
{
    hipStream_t stream;
    unsigned long long id = 7;
    hipGraph_t graph = (hipGraph_t)1;
    const hipGraphNode_t *nodes = (const hipGraphNode_t *)1;
    size_t count = 1;
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipStreamIsCapturing(stream, &status));
    check(status == hipStreamCaptureStatusNone);
    ok(hipStreamGetCaptureInfo(stream, &status, &id));
    check(status == hipStreamCaptureStatusNone && id == 0);
    ok(hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
    check(graph == NULL && nodes == NULL && count == 0);
    expect(hipStreamIsCapturing(stream, NULL), hipErrorInvalidValue);
    expect(hipStreamGetCaptureInfo(stream, NULL, &id), hipErrorInvalidValue);
    expect(hipStreamGetCaptureInfo_v2(stream, NULL, NULL, NULL, NULL, NULL), hipErrorInvalidValue);
    expect(hipStreamIsCapturing_spt(stream, NULL), hipErrorInvalidValue);
    ok(hipThreadExchangeStreamCaptureMode(&mode));
    check(mode == hipStreamCaptureModeGlobal);
    ok(hipThreadExchangeStreamCaptureMode(&mode));
    check(mode == hipStreamCaptureModeRelaxed);
    expect(hipThreadExchangeStreamCaptureMode(NULL), hipErrorInvalidValue);
    mode = (hipStreamCaptureMode)9;
    expect(hipThreadExchangeStreamCaptureMode(&mode), hipErrorInvalidValue);
    ok(hipStreamDestroy(stream));
}

/* ---- order
 * ------------------------------------------------------------------------------------------- */

static void blocking_streams_and_the_legacy_one_wait_for_each_other(void **state)
{
    hipStream_t blocking, free_stream;
    (void)state;
    ok(hipStreamCreate(&blocking));
    ok(hipStreamCreateWithFlags(&free_stream, hipStreamNonBlocking));
    struct gate gate = close_gate(blocking);
    ok(hipLaunchHostFunc(NULL, nothing, NULL));
    ok(hipLaunchHostFunc(free_stream, nothing, NULL));
    ok(hipStreamSynchronize(free_stream)); /* waits for no other stream */
    expect(hipStreamQuery(NULL), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(NULL));
    ok(hipStreamQuery(blocking));
    free_gate(&gate);

    gate = close_gate(NULL);
    ok(hipLaunchHostFunc(blocking, nothing, NULL));
    ok(hipLaunchHostFunc(hipStreamPerThread, nothing, NULL));
    expect(hipStreamQuery(blocking), hipErrorNotReady);
    expect(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
    ok(hipStreamQuery(free_stream));
    open_gate(&gate);
    ok(hipStreamSynchronize(blocking));
    free_gate(&gate);
    ok(hipStreamDestroy(blocking));
    ok(hipStreamDestroy(free_stream));
}

static void *query_own_stream(void *result)
{
    *(hipError_t *)result = hipStreamQuery(hipStreamPerThread);
    return NULL;
}

static void every_thread_has_a_default_stream_of_its_own(void **state)
{
    pthread_t thread;
    hipError_t other = hipErrorUnknown;
    (void)state;
    struct gate gate = close_gate(hipStreamPerThread);
    expect(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
    expect(hipStreamQuery_spt(NULL), hipErrorNotReady);
    pthread_create(&thread, NULL, query_own_stream, &other);
    pthread_join(thread, NULL);
    check(other == hipSuccess);
    open_gate(&gate);
    ok(hipStreamSynchronize_spt(NULL));
    ok(hipStreamQuery_spt(NULL));
    free_gate(&gate);
}

static void spt_functions_use_the_threads_stream_for_null(void **state)
{
    uint32_t *memory, back;
    hipStream_t free_stream;
    unsigned flags;
    int priority;
    hipEvent_t recorded;
    (void)state;
    ok(hipMalloc((void **)&memory, 256));
    ok(hipEventCreate(&recorded));
    ok(hipStreamCreateWithFlags(&free_stream, hipStreamNonBlocking));
    the_fake()->forget();
    ok(hipLaunchKernel_spt(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
    ok(hipLaunchCooperativeKernel_spt(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0,
                                      NULL));
    ok(hipLaunchKernel_spt(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0,
                           hipStreamLegacy));
    struct fake_launch launch;
    for (size_t i = 0; i < 3 && !over_hsa(); i++) { /* where launches do not name their stream */
        check(the_fake()->launch_at(i, &launch));
        check(launch.stream == (i < 2 ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY));
    }
    /* While the legacy stream is blocked, the thread's stream is too; so block neither, but check
     * what a gate in the thread's stream blocks. */
    struct gate gate = close_gate(hipStreamPerThread);
    ok(hipEventRecord_spt(recorded, NULL));
    expect(hipEventQuery(recorded), hipErrorNotReady);
    ok(hipStreamWaitEvent_spt(NULL, recorded, 0));
    ok(hipMemsetAsync_spt(memory, 1, 4, NULL));
    ok(hipMemset2DAsync_spt(memory, 64, 2, 4, 2, NULL));
    ok(hipMemset_spt(memory, 3, 4));
    ok(hipMemset2D_spt(memory, 64, 4, 4, 2));
    ok(hipMemset3D_spt((hipPitchedPtr){memory, 64, 4, 2}, 5, (hipExtent){4, 2, 1}));
    ok(hipMemset3DAsync_spt((hipPitchedPtr){memory, 64, 4, 2}, 6, (hipExtent){4, 2, 1}, NULL));
    ok(hipStreamAddCallback_spt(NULL, callback, NULL, 0));
    ok(hipLaunchHostFunc_spt(NULL, nothing, NULL));
    expect(hipStreamQuery_spt(NULL), hipErrorNotReady);
    open_gate(&gate);
    ok(hipMemcpy_spt(&back, memory, 4, hipMemcpyDeviceToHost));
    check(back == 0x06060606);
    ok(hipStreamGetPriority_spt(NULL, &priority));
    ok(hipStreamGetFlags_spt(NULL, &flags));
    check(priority == 0 && flags == hipStreamDefault);
    free_gate(&gate);
    ok(hipStreamDestroy(free_stream));
    ok(hipEventDestroy(recorded));
    ok(hipFree(memory));
}

/* On HSA a stream that waits for the host leaves the queue that it shares with others. */
static void a_stream_that_comes_to_wait_for_the_host_stays_in_order(void **state)
{
    enum { COUNT = 10, NAP = 3000 };
    hipStream_t streams[COUNT], stream, host;
    hipEvent_t told, end;
    uint32_t *words;
    (void)state;
    for (int i = 0; i < COUNT; i++) /* more than there are queues */
        ok(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    stream = streams[COUNT - 1];
    host = streams[0];
    ok(hipEventCreateWithFlags(&told, hipEventDisableTiming));
    ok(hipEventCreateWithFlags(&end, hipEventDisableTiming));
    ok(hipHostMalloc((void **)&words, 2 * sizeof *words, 0));
    words[0] = words[1] = 0;
    struct gate gate = close_gate(stream);
    ok(hipStreamWaitValue32(host, words, 1, hipStreamWaitValueGte, ~0u));
    ok(hipEventRecord(told, host));
    ok(hipStreamWaitEvent(stream, told, 0));
    ok(launch_fill(words + 1, 7, 1, stream));
    ok(hipEventRecord(end, stream));
    __atomic_store_n(words, 1, __ATOMIC_RELEASE);
    ok(hipStreamSynchronize(host));
    usleep(NAP); /* in which a kernel that overtakes would run */
    check(__atomic_load_n(words + 1, __ATOMIC_RELAXED) == 0);
    expect(hipEventQuery(end), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    check(words[1] == 7);
    free_gate(&gate);
    for (int i = 0; i < COUNT; i++)
        ok(hipStreamDestroy(streams[i]));
    ok(hipEventDestroy(told));
    ok(hipEventDestroy(end));
    ok(hipHostFree(words));
}

/* The other streams of its queue continue while it waits. */
static void a_stream_that_waits_for_the_host_does_not_hold_up_others(void **state)
{
    enum { COUNT = 10 };
    hipStream_t streams[COUNT];
    uint32_t *words;
    (void)state;
    ok(hipHostMalloc((void **)&words, (COUNT + 1) * sizeof *words, 0));
    memset(words, 0, (COUNT + 1) * sizeof *words);
    for (int i = 0; i < COUNT; i++) /* more than there are queues */
        ok(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    for (int i = 0; i < COUNT; i++)
        ok(launch_fill(words + 1 + i, 1, 1, streams[i]));
    ok(hipDeviceSynchronize());
    ok(hipStreamWaitValue32(streams[0], words, 1, hipStreamWaitValueGte, ~0u));
    ok(launch_fill(words + 1, 2, 1, streams[0]));
    for (int i = 1; i < COUNT; i++)
        ok(launch_fill(words + 1 + i, 2, 1, streams[i]));
    for (int i = 1; i < COUNT; i++)
        ok(hipStreamSynchronize(streams[i]));
    check(__atomic_load_n(words + 1, __ATOMIC_RELAXED) == 1);
    check_words(words + 2, COUNT - 1, 2);
    __atomic_store_n(words, 1, __ATOMIC_RELEASE);
    ok(hipStreamSynchronize(streams[0]));
    check(words[1] == 2);
    for (int i = 0; i < COUNT; i++)
        ok(hipStreamDestroy(streams[i]));
    ok(hipHostFree(words));
}

/* ---- queues of HSA --------------------------------------------------------------------- */

static unsigned queues_now(void)
{
    struct fakehsa_counts counts;
    fakehsa_count(&counts);
    return counts.queues;
}

static hipError_t launch_empty(hipStream_t stream)
{
    return hipLaunchKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, stream);
}

static hipStream_t other; /* with a queue of its own */

/* Runs use and destroys the stream: the next one takes its queue, since no stream has it. */
static void check_queue_is_used_again(void (*use)(hipStream_t))
{
    hipStream_t stream;
    ok(hipDeviceReset()); /* there is the queue of the legacy stream alone */
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    use(stream);
    unsigned queues = queues_now();
    ok(hipStreamDestroy(stream));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    check(queues_now() == queues);
    ok(hipStreamDestroy(stream));
    ok(hipStreamDestroy(other));
}

static void use_until_done(hipStream_t stream)
{
    ok(launch_empty(stream));
    ok(hipStreamSynchronize(stream));
}

/* The work has ended when another stream waits for it, and has not been reaped since. */
static void use_until_another_is_behind_it(hipStream_t stream)
{
    hipEvent_t end;
    ok(hipEventCreateWithFlags(&end, hipEventDisableTiming));
    ok(launch_empty(stream));
    ok(hipEventRecord(end, stream));
    ok(hipStreamWaitEvent(other, end, 0));
    ok(hipEventDestroy(end));
    ok(hipStreamSynchronize(other));
}

enum { LAUNCHES = 20000, ROOM = 16384 }; /* more launches than a queue has room for */

struct launcher {
    hipStream_t stream;
    _Atomic(pid_t) thread;
    _Atomic(unsigned) put;
    hipError_t error;
};

static void *launch_many(void *data)
{
    struct launcher *launcher = data;
    launcher->thread = gettid();
    for (; launcher->put < LAUNCHES; launcher->put++) {
        hipError_t error = launch_empty(launcher->stream);
        launcher->error = launcher->error == hipSuccess ? error : launcher->error;
    }
    return NULL;
}

/* The last launches wait for room. */
static void fill_the_queue(hipStream_t stream)
{
    struct launcher launcher = {.stream = stream};
    pthread_t thread;
    struct gate gate = close_gate(stream);
    check(pthread_create(&thread, NULL, launch_many, &launcher) == 0);
    while (launcher.put < ROOM / 2 || !ah_test_sleeps(launcher.thread))
        usleep(1000);
    open_gate(&gate);
    pthread_join(thread, NULL);
    ok(launcher.error);
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
}

static void a_queue_without_streams_is_used_again(void **state)
{
    (void)state;
    check_queue_is_used_again(use_until_done);
    check_queue_is_used_again(use_until_another_is_behind_it);
    check_queue_is_used_again(fill_the_queue);
}

/* A mask that the runtime refuses takes no queue. */
static void a_stream_whose_mask_is_refused_is_not_made(void **state)
{
    enum { TIMES = 200 }; /* more than a device has queues */
    const uint32_t mask = 3;
    hipStream_t stream;
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        fakehsa_fail("hsa_amd_queue_cu_set_mask", 1, HSA_OUT_OF_RESOURCES);
        expect(hipExtStreamCreateWithCUMask(&stream, 1, &mask), hipErrorOutOfMemory);
    }
    ok(hipExtStreamCreateWithCUMask(&stream, 1, &mask));
    ok(hipStreamDestroy(stream));
}

static void streams_that_are_not_ordered_can_overtake(void **state)
{
    hipStream_t first, second;
    uint32_t *pinned;
    (void)state;
    ok(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    struct gate gate = close_gate(first);
    ok(launch_fill(pinned, 1, 1, first));
    ok(launch_fill(pinned, 2, 1, second));
    ok(hipStreamSynchronize(second));
    check(*pinned == 2);
    open_gate(&gate);
    ok(hipStreamSynchronize(first));
    check(*pinned == 1);
    free_gate(&gate);
    ok(hipHostFree(pinned));
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
}

/* ---- callbacks
 * ----------------------------------------------------------------------------------------- */

struct seen {
    int calls;
    hipStream_t stream;
    hipError_t error;
    pthread_t thread;
};

static void note_call(hipStream_t stream, hipError_t error, void *data)
{
    struct seen *seen = data;
    seen->calls++;
    seen->stream = stream;
    seen->error = error;
    seen->thread = pthread_self();
}

static void count_up(void *data)
{
    __atomic_add_fetch((int *)data, 1, __ATOMIC_ACQ_REL);
}

static void callbacks_run_in_order_with_stream_and_data(void **state)
{
    struct seen seen = {0};
    hipStream_t stream;
    uint32_t *pinned;
    int count = 0;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    struct gate gate = close_gate(stream);
    ok(hipStreamAddCallback(stream, note_call, &seen, 0));
    ok(hipLaunchHostFunc(stream, count_up, &count));
    ok(launch_fill(pinned, 5, 1, stream));
    check(__atomic_load_n(&count, __ATOMIC_ACQUIRE) == 0);
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    check(seen.calls == 1 && seen.stream == stream && seen.error == hipSuccess && count == 1);
    check(!pthread_equal(seen.thread, pthread_self()));
    check(*pinned == 5);
    ok(hipStreamAddCallback(NULL, note_call, &seen, 0));
    ok(hipDeviceSynchronize());
    check(seen.calls == 2 && seen.stream == NULL);
    free_gate(&gate);
    ok(hipHostFree(pinned));
    ok(hipStreamDestroy(stream));
}

static void callbacks_check_their_arguments(void **state)
{
    (void)state;
    expect(hipStreamAddCallback(NULL, NULL, NULL, 0), hipErrorInvalidValue);
    expect(hipStreamAddCallback(NULL, callback, NULL, 1), hipErrorInvalidValue);
    expect(hipLaunchHostFunc(NULL, NULL, NULL), hipErrorInvalidValue);
    expect(hipStreamAddCallback_spt(NULL, NULL, NULL, 0), hipErrorInvalidValue);
    expect(hipLaunchHostFunc_spt(NULL, NULL, NULL), hipErrorInvalidValue);
}

static void a_callback_the_driver_refuses_is_not_called_and_leaks_nothing(void **state)
{
    struct seen seen = {0};
    int count = 0;
    (void)state;
    fakecuda_fail("cuStreamAddCallback", 1, CUDA_ERROR_OUT_OF_MEMORY);
    expect(hipStreamAddCallback(NULL, note_call, &seen, 0), hipErrorOutOfMemory);
    fakecuda_fail("cuLaunchHostFunc", 1, CUDA_ERROR_OUT_OF_MEMORY);
    expect(hipLaunchHostFunc(NULL, count_up, &count), hipErrorOutOfMemory);
    ok(hipDeviceSynchronize());
    check(seen.calls == 0 && count == 0);
}

/* ---- values in memory
 * -------------------------------------------------------------------------------------- */

static void streams_wait_for_values_and_write_them(void **state)
{
    hipStream_t stream;
    uint32_t *flag;
    uint64_t *wide;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipHostMalloc((void **)&flag, 64, 0));
    wide = (uint64_t *)(void *)(flag + 8);
    memset(flag, 0, 64);
    const struct {
        unsigned condition;
        uint32_t wanted, before, after, mask;
    } waits[] = {
        {hipStreamWaitValueGte, 5, 4, 5, ~0u},
        {hipStreamWaitValueEq, 7, 8, 7, ~0u},
        {hipStreamWaitValueAnd, 0x10, 0x0f, 0x30, ~0u},
        {hipStreamWaitValueNor, 0xf0, ~0u, 0x0f, ~0u},
        {hipStreamWaitValueGte, 5, 0xf4, 0x06, 0x0f},
        {hipStreamWaitValueEq, 7, 0xf8, 0xf7, 0x0f},
        {hipStreamWaitValueAnd, 0x30, 0x20, 0x10, 0x10},
        {hipStreamWaitValueNor, 0xf0, 0x0f, 0xfe, 0x0f},
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        __atomic_store_n(flag, waits[i].before, __ATOMIC_RELEASE);
        ok(hipStreamWaitValue32(stream, flag, waits[i].wanted, waits[i].condition, waits[i].mask));
        ok(hipStreamWriteValue32(stream, flag + 1, (uint32_t)i + 1, 0));
        usleep(2000); /* for a wait that ends too early */
        expect(hipStreamQuery(stream), hipErrorNotReady);
        check(__atomic_load_n(flag + 1, __ATOMIC_ACQUIRE) == i);
        __atomic_store_n(flag, waits[i].after, __ATOMIC_RELEASE);
        ok(hipStreamSynchronize(stream));
        check(flag[1] == i + 1);
    }
    ok(hipStreamWaitValue64(stream, wide, 1ull << 40, hipStreamWaitValueGte, ~0ull));
    expect(hipStreamQuery(stream), hipErrorNotReady);
    __atomic_store_n(wide, (1ull << 40) + 1, __ATOMIC_RELEASE);
    ok(hipStreamSynchronize(stream));
    ok(hipStreamWaitValue64(stream, wide, 2ull << 40, hipStreamWaitValueEq, 7ull << 40));
    expect(hipStreamQuery(stream), hipErrorNotReady);
    __atomic_store_n(wide, (2ull << 40) + 1, __ATOMIC_RELEASE);
    ok(hipStreamWriteValue64(stream, wide + 1, 1ull << 50, 0));
    ok(hipStreamSynchronize(stream));
    check(wide[1] == 1ull << 50);
    ok(hipHostFree(flag));
    ok(hipStreamDestroy(stream));
    ok(hipDeviceReset()); /* takes the kernel that waits with it */
}

static void a_wait_whose_kernel_cannot_be_loaded_is_refused(void **state)
{
    static const char *const calls[] = {"cuModuleLoadDataEx", "cuModuleGetFunction"};
    struct fakecuda_counts before, after;
    uint32_t *flag;
    (void)state;
    ok(hipHostMalloc((void **)&flag, 4, 0));
    *flag = 0xf7;
    fakecuda_count(&before);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fakecuda_fail(calls[i], 1, 2);
        expect_says(hipStreamWaitValue32(NULL, flag, 7, hipStreamWaitValueEq, 0x0f),
                    hipErrorOutOfMemory,
                    "the kernel that waits for a masked value cannot be loaded; it needs a GPU of "
                    "compute capability 7.0 or newer");
        fakecuda_count(&after);
        check(after.modules == before.modules);
    }
    ok(hipStreamWaitValue32(NULL, flag, 7, hipStreamWaitValueEq, 0x0f));
    ok(hipHostFree(flag));
    ok(hipDeviceReset()); /* takes the kernel that waits with it */
}

/* The host looks at memory that only the device reaches. */
static void a_value_in_memory_of_the_device_is_waited_for_with_all_its_bits(void **state)
{
    hipStream_t first, second;
    uint64_t *value;
    (void)state;
    ok(hipMalloc((void **)&value, sizeof *value));
    ok(hipMemset(value, 0, sizeof *value));
    ok(hipDeviceSynchronize()); /* which no stream below would wait for */
    ok(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    ok(hipStreamWaitValue64(first, value, 1ull << 63, hipStreamWaitValueEq, ~0ull));
    expect(hipStreamQuery(first), hipErrorNotReady);
    ok(hipStreamWriteValue64(second, value, 1ull << 63, 0));
    ok(hipStreamSynchronize(first));
    ok(hipStreamWaitValue32(first, value, 0, hipStreamWaitValueEq, ~0u));
    ok(hipStreamWaitValue32(first, (uint32_t *)(void *)value + 1, 1u << 31, hipStreamWaitValueEq,
                            ~0u));
    ok(hipStreamSynchronize(first));
    ok(hipStreamDestroy(second));
    ok(hipStreamDestroy(first));
    ok(hipFree(value));
}

static void value_functions_check_their_arguments(void **state)
{
    uint32_t *flag;
    int local = 0;
    (void)state;
    ok(hipHostMalloc((void **)&flag, 64, 0));
    expect(hipStreamWaitValue32(NULL, NULL, 0, 0, ~0u), hipErrorInvalidValue);
    expect(hipStreamWaitValue32(NULL, flag, 0, 4, ~0u), hipErrorInvalidValue);
    if (!over_hsa()) /* where the host waits for values, in memory of any kind */
        expect(hipStreamWaitValue32(NULL, &local, 0, 0, ~0u), hipErrorInvalidValue);
    expect(hipStreamWaitValue32(NULL, (char *)flag + 1, 0, 0, ~0u), hipErrorInvalidValue);
    if (!over_hsa())
        expect(hipStreamWaitValue32(NULL, &local, 0, 0, 0xff), hipErrorInvalidValue);
    expect(hipStreamWaitValue32(NULL, (char *)flag + 1, 0, 0, 0xff), hipErrorInvalidValue);
    expect(hipStreamWaitValue64(NULL, NULL, 0, 0, ~0ull), hipErrorInvalidValue);
    expect(hipStreamWaitValue64(NULL, flag + 1, 0, 0, ~0ull), hipErrorInvalidValue);
    expect(hipStreamWaitValue64(NULL, flag + 1, 0, 0, UINT32_MAX), hipErrorInvalidValue);
    expect(hipStreamWriteValue32(NULL, NULL, 0, 0), hipErrorInvalidValue);
    expect(hipStreamWriteValue32(NULL, flag, 0, 77), hipErrorInvalidValue);
    expect(hipStreamWriteValue32(NULL, &local, 0, 0), hipErrorInvalidValue);
    expect(hipStreamWriteValue32(NULL, NULL, 1, hipExtStreamWriteValueIncrement),
           hipErrorInvalidValue);
    expect(hipStreamWriteValue32(NULL, &local, 1, hipExtStreamWriteValueIncrement),
           hipErrorInvalidValue);
    expect(hipStreamWriteValue32(NULL, (char *)flag + 1, 1, hipExtStreamWriteValueDecrement),
           hipErrorInvalidValue);
    expect(hipStreamWriteValue64(NULL, flag + 1, 1, hipExtStreamWriteValueIncrement),
           hipErrorInvalidValue);
    expect(hipStreamWriteValue64(NULL, NULL, 0, 0), hipErrorInvalidValue);
    expect(hipStreamWriteValue64(NULL, flag, 0, 77), hipErrorInvalidValue);
    ok(hipHostFree(flag));
}

static void several_values_are_waited_for_and_written_at_one_call(void **state)
{
    hipStreamBatchMemOpParams ops[4];
    uint32_t *flag;
    (void)state;
    ok(hipHostMalloc((void **)&flag, 64, 0));
    memset(flag, 0, 64);
    memset(ops, 0, sizeof ops);
    ops[0].writeValue.operation = hipStreamMemOpWriteValue32;
    ops[0].writeValue.address = flag;
    ops[0].writeValue.value = 3;
    ops[1].waitValue.operation = hipStreamMemOpWaitValue32;
    ops[1].waitValue.address = flag;
    ops[1].waitValue.value = 3;
    ops[1].waitValue.flags = hipStreamWaitValueEq;
    ops[2].writeValue.operation = hipStreamMemOpWriteValue64;
    ops[2].writeValue.address = flag + 2;
    ops[2].writeValue.value64 = 1ull << 33;
    ops[3].waitValue.operation = hipStreamMemOpWaitValue64;
    ops[3].waitValue.address = flag + 2;
    ops[3].waitValue.value64 = 1ull << 33;
    ok(hipStreamBatchMemOp(NULL, 4, ops, 0));
    ok(hipDeviceSynchronize());
    check(flag[0] == 3 && flag[3] == 2);
    expect(hipStreamBatchMemOp(NULL, 0, ops, 0), hipErrorInvalidValue);
    expect(hipStreamBatchMemOp(NULL, 257, ops, 0), hipErrorInvalidValue);
    expect(hipStreamBatchMemOp(NULL, 4, NULL, 0), hipErrorInvalidValue);
    expect(hipStreamBatchMemOp(NULL, 4, ops, 1), hipErrorInvalidValue);
    ops[0].operation = (hipStreamBatchMemOpType)99;
    expect(hipStreamBatchMemOp(NULL, 1, ops, 0), hipErrorInvalidValue);
    ops[0].operation = hipStreamMemOpBarrier;
    ops[0].memoryBarrier.flags = 2;
    expect(hipStreamBatchMemOp(NULL, 1, ops, 0), hipErrorInvalidValue);
    ops[0].operation = hipStreamMemOpFlushRemoteWrites;
    ops[0].flushRemoteWrites.flags = 1;
    expect(hipStreamBatchMemOp(NULL, 1, ops, 0), hipErrorInvalidValue);
    ok(hipHostFree(flag));
}

/* The last operation is wrong, and none is done. */
static void a_wrong_operation_keeps_back_all_of_the_batch(void **state)
{
    uint32_t *flag;
    (void)state;
    ok(hipHostMalloc((void **)&flag, 8, 0));
    *flag = 1;
    hipStreamBatchMemOpParams ops[2] = {
        {.writeValue = {.operation = hipStreamMemOpWriteValue32, .address = flag, .value = 2}},
        {.writeValue = {.operation = hipStreamMemOpWriteValue32, .address = flag, .flags = 77}}};
    expect(hipStreamBatchMemOp(NULL, 2, ops, 0), hipErrorInvalidValue);
    ok(hipDeviceSynchronize());
    check(*flag == 1);
    ok(hipHostFree(flag));
}

static void add_in_a_batch(hipStream_t stream, void *where, bool wide, uint64_t value,
                           unsigned flags)
{
    hipStreamBatchMemOpParams op = {
        .writeValue = {.operation = wide ? hipStreamMemOpWriteValue64 : hipStreamMemOpWriteValue32,
                       .address = where,
                       .flags = flags}};
    if (wide)
        op.writeValue.value64 = value;
    else
        op.writeValue.value = (uint32_t)value;
    ok(hipStreamBatchMemOp(stream, 1, &op, 0));
}

/* In memory of either kind, in either width, at one call and in a batch. A sum of 32 bits leaves
 * its neighbour alone. */
static void a_value_is_added_to_in_stream_order(void **state)
{
    uint64_t *places[2], back[2];
    (void)state;
    ok(hipHostMalloc((void **)&places[0], sizeof back, 0));
    ok(hipMalloc((void **)&places[1], sizeof back));
    for (int i = 0; i < 2; i++) {
        uint32_t *narrow = (uint32_t *)(void *)places[i];
        ok(hipMemset(places[i], 0, sizeof back));
        struct gate gate = close_gate(NULL);
        ok(hipStreamWriteValue32(NULL, narrow, 7, hipStreamWriteValueDefault));
        ok(hipStreamWriteValue32(NULL, narrow, 5, hipExtStreamWriteValueIncrement));
        ok(hipStreamWriteValue32(NULL, narrow, 2, hipExtStreamWriteValueDecrement));
        ok(hipStreamWriteValue32(NULL, narrow + 1, 1, hipExtStreamWriteValueDecrement));
        ok(hipStreamWriteValue32(NULL, narrow + 1, 1, hipExtStreamWriteValueIncrement));
        ok(hipStreamWriteValue64(NULL, places[i] + 1, 1ull << 40, hipExtStreamWriteValueIncrement));
        add_in_a_batch(NULL, places[i] + 1, true, 1, hipExtStreamWriteValueDecrement);
        add_in_a_batch(NULL, narrow, false, 90, hipExtStreamWriteValueIncrement);
        ok(hipStreamWaitValue32(NULL, narrow, 100, hipStreamWaitValueEq, ~0u));
        open_gate(&gate);
        ok(hipDeviceSynchronize());
        free_gate(&gate);
        ok(hipMemcpy(back, places[i], sizeof back, hipMemcpyDefault));
        check(back[0] == 100 && back[1] == (1ull << 40) - 1);
    }
    ok(hipFree(places[1]));
    ok(hipHostFree(places[0]));
    ok(hipDeviceReset()); /* takes the kernel that adds with it */
}

enum { ADDITIONS = 50 };

/* Several streams add to one value. */
static void additions_of_several_streams_are_all_there(void **state)
{
    hipStream_t streams[3];
    uint64_t *places[2], value;
    (void)state;
    ok(hipHostMalloc((void **)&places[0], sizeof value, 0));
    ok(hipMalloc((void **)&places[1], sizeof value));
    for (int i = 0; i < 3; i++)
        ok(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    for (int i = 0; i < 2; i++) {
        ok(hipMemset(places[i], 0, sizeof value));
        ok(hipDeviceSynchronize());
        for (int n = 0; n < 3 * ADDITIONS; n++)
            ok(hipStreamWriteValue64(streams[n % 3], places[i], 3,
                                     hipExtStreamWriteValueIncrement));
        ok(hipDeviceSynchronize());
        ok(hipMemcpy(&value, places[i], sizeof value, hipMemcpyDefault));
        check(value == UINT64_C(9) * ADDITIONS);
    }
    for (int i = 0; i < 3; i++)
        ok(hipStreamDestroy(streams[i]));
    ok(hipFree(places[1]));
    ok(hipHostFree(places[0]));
    ok(hipDeviceReset());
}

static void an_addition_whose_kernel_cannot_be_loaded_is_refused(void **state)
{
    uint32_t *flag;
    (void)state;
    ok(hipHostMalloc((void **)&flag, 4, 0));
    *flag = 1;
    fakecuda_fail("cuModuleGetFunction", 1, 2);
    expect_says(hipStreamWriteValue32(NULL, flag, 7, hipExtStreamWriteValueIncrement),
                hipErrorOutOfMemory,
                "the kernel that adds to a value cannot be loaded; it needs a GPU of compute "
                "capability 6.0 or newer");
    ok(hipStreamWriteValue32(NULL, flag, 7, hipExtStreamWriteValueIncrement));
    ok(hipDeviceSynchronize());
    check(*flag == 8);
    ok(hipHostFree(flag));
    ok(hipDeviceReset());
}

/* What is before a barrier is done when what is after it is. */
static void barriers_are_done_in_stream_order(void **state)
{
    uint32_t *flag;
    (void)state;
    ok(hipHostMalloc((void **)&flag, 8, 0));
    memset(flag, 0, 8);
    hipStreamBatchMemOpParams ops[4] = {
        {.writeValue = {.operation = hipStreamMemOpWriteValue32, .address = flag, .value = 1}},
        {.memoryBarrier = {.operation = hipStreamMemOpBarrier, .flags = 0}},
        {.memoryBarrier = {.operation = hipStreamMemOpBarrier, .flags = 1}},
        {.writeValue = {.operation = hipStreamMemOpWriteValue32, .address = flag + 1, .value = 2}}};
    struct gate gate = close_gate(NULL);
    ok(hipStreamBatchMemOp(NULL, 4, ops, 0));
    expect(hipStreamQuery(NULL), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(NULL));
    free_gate(&gate);
    check(flag[0] == 1 && flag[1] == 2);
    ok(hipHostFree(flag));
}

/* In a stream and by the host; over HSA the device has no registers for it. */
static void writes_of_other_devices_are_flushed(void **state)
{
    hipStreamBatchMemOpParams flush = {.operation = hipStreamMemOpFlushRemoteWrites};
    hipDeviceProp_t properties;
    int options;
    (void)state;
#define FLUSH(scope)                                                                               \
    hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTargetCurrentDevice, scope)
    ok(hipDeviceGetAttribute(&options, hipDeviceAttributeGPUDirectRDMAFlushWritesOptions, 0));
    ok(hipGetDeviceProperties(&properties, 0));
    check((unsigned)options == properties.gpuDirectRDMAFlushWritesOptions);
    check(options == (over_hsa() ? 0
                                 : hipFlushGPUDirectRDMAWritesOptionHost |
                                       hipFlushGPUDirectRDMAWritesOptionMemOps));
    expect(hipDeviceFlushGPUDirectRDMAWrites((hipFlushGPUDirectRDMAWritesTarget)1,
                                             hipFlushGPUDirectRDMAWritesToOwner),
           hipErrorInvalidValue);
    expect(FLUSH((hipFlushGPUDirectRDMAWritesScope)99), hipErrorInvalidValue);
    expect(FLUSH((hipFlushGPUDirectRDMAWritesScope)0), hipErrorInvalidValue);
    if (over_hsa()) {
        expect_says(FLUSH(hipFlushGPUDirectRDMAWritesToOwner), hipErrorNotSupported,
                    "device 0 cannot flush writes of other devices for the host");
        expect_says(hipStreamBatchMemOp(NULL, 1, &flush, 0), hipErrorNotSupported,
                    "it has no HDP flush registers");
        return;
    }
    struct gate gate = close_gate(NULL);
    ok(FLUSH(hipFlushGPUDirectRDMAWritesToOwner)); /* waits for no stream */
    ok(FLUSH(hipFlushGPUDirectRDMAWritesToAllDevices));
    ok(hipStreamBatchMemOp(NULL, 1, &flush, 0));
    expect(hipStreamQuery(NULL), hipErrorNotReady);
    open_gate(&gate);
    ok(hipDeviceSynchronize());
    free_gate(&gate);
#undef FLUSH
}

/* ---- reset ------------------------------------------------------------------------------ */

static void a_reset_ends_the_streams_and_events_of_its_device_only(void **state)
{
    hipStream_t streams[2];
    hipEvent_t events[2];
    (void)state;
    for (int device = 0; device < 2; device++) {
        ok(hipSetDevice(device));
        ok(hipStreamCreate(&streams[device]));
        ok(hipEventCreate(&events[device]));
        ok(hipEventRecord(events[device], streams[device]));
    }
    ok(hipSetDevice(0));
    ok(hipDeviceReset());
    expect(hipStreamQuery(streams[0]), hipErrorContextIsDestroyed);
    expect(hipEventQuery(events[0]), hipErrorInvalidHandle);
    ok(hipSetDevice(1));
    ok(hipEventRecord(events[1], streams[1]));
    ok(hipStreamSynchronize(streams[1]));
    ok(hipEventQuery(events[1]));
    ok(hipEventDestroy(events[1]));
    ok(hipStreamDestroy(streams[1]));
    ok(hipSetDevice(0));
}

/* ---- the end of a thread ----------------------------------------------------------------- */

/* Both default streams of the thread get a thread of the backend, for the host function. */
static void *use_default_streams(void *data)
{
    for (int device = 0; device < 2; device++) {
        ok(hipSetDevice(device));
        ok(hipLaunchHostFunc(hipStreamPerThread, nothing, NULL));
        ok(hipStreamSynchronize(hipStreamPerThread));
    }
    return data;
}

static unsigned count_threads(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");
    check(folder != NULL);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* The stream of each device goes with the thread, and with it the backend's thread. */
static void a_thread_that_ends_takes_its_default_streams_along(void **state)
{
    enum { THREADS = 10, SLACK = 4, TRIES = 3000, PAUSE = 10000 /* microseconds */ };
    unsigned before = 0, after, tries = 0;
    (void)state;
    for (unsigned i = 0; i <= THREADS; i++) {
        pthread_t thread;
        check(pthread_create(&thread, NULL, use_default_streams, NULL) == 0);
        check(pthread_join(thread, NULL) == 0);
        if (i == 0) /* the drivers have started their threads */
            before = count_threads();
    }
    while ((after = count_threads()) > before + SLACK && tries++ < TRIES)
        usleep(PAUSE);
    check(after <= before + SLACK);
}

/* ---- fork ------------------------------------------------------------------------------- */

static struct {
    _Atomic bool inside, leave; /* the driver's function, in which another thread is */
    unsigned calls;
    pthread_key_t key;
} forked;

static const char *destroying_function(void)
{
    return over_hsa() ? "hsa_queue_destroy" : "cuStreamDestroy_v2";
}

static void stay_inside(void *data)
{
    (void)data;
    forked.inside = true;
    while (!forked.leave)
        usleep(1000);
}

/* Over HSA the queue is made under a lock of the device. */
static void *make_stream(void *data)
{
    hipStream_t stream;
    ok(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, 1));
    ok(hipStreamDestroy(stream));
    return data;
}

/* Destructors are called for the child's thread a second time when those of all other keys have
 * been. */
static bool comes_again(const void *value)
{
    return value == &forked.inside && pthread_setspecific(forked.key, &forked.leave) == 0;
}

static void end_child(void *value)
{
    if (!comes_again(value))
        _exit(the_fake()->calls(destroying_function()) == forked.calls ? 0 : 1);
}

/* Without the fake driver's own lock, which another thread of the parent may hold. */
static void end_child_at_once(void *value)
{
    if (!comes_again(value))
        _exit(0);
}

static pid_t fork_a_child_whose_thread_ends(void)
{
    forked.calls = the_fake()->calls(destroying_function());
    pid_t child = fork();
    if (child == 0) {
        alarm(100); /* seconds */
        pthread_setspecific(forked.key, &forked.inside);
        pthread_exit(NULL);
    }
    return child;
}

/* The end of the thread leaves its default stream, which is the parent's, and the locks that other
 * threads of the parent may hold. */
static void a_thread_that_ends_in_a_forked_child_does_not_touch_its_default_stream(void **state)
{
    pthread_t thread;
    int ending = -1;
    (void)state;
    forked.inside = forked.leave = false;
    ok(hipStreamQuery(hipStreamPerThread));
    check(pthread_key_create(&forked.key, end_child) == 0);
    the_fake()->hook(over_hsa() ? "hsa_queue_create" : "cuStreamCreateWithPriority", stay_inside,
                     NULL);
    check(pthread_create(&thread, NULL, make_stream, NULL) == 0);
    while (!forked.inside)
        usleep(1000);
    pid_t child = fork_a_child_whose_thread_ends();
    forked.leave = true;
    check(child > 0 && waitpid(child, &ending, 0) == child);
    pthread_join(thread, NULL);
    pthread_key_delete(forked.key);
    check(WIFEXITED(ending) && WEXITSTATUS(ending) == 0);
    ok(hipStreamQuery(hipStreamPerThread));
}

/* Is in the driver, and holds its lock, most of the time. */
static void *query_until_told(void *stream)
{
    while (!forked.leave)
        ok(hipStreamQuery(stream));
    return stream;
}

static void a_thread_that_ends_in_a_forked_child_takes_no_lock_of_the_driver(void **state)
{
    enum { CHILDREN = 50 };
    pthread_t thread;
    hipStream_t stream;
    (void)state;
    forked.leave = false;
    ok(hipStreamQuery(hipStreamPerThread));
    ok(hipStreamCreate(&stream));
    check(pthread_key_create(&forked.key, end_child_at_once) == 0);
    check(pthread_create(&thread, NULL, query_until_told, stream) == 0);
    for (int i = 0; i < CHILDREN; i++) {
        int ending = -1;
        pid_t child = fork_a_child_whose_thread_ends();
        check(child > 0 && waitpid(child, &ending, 0) == child);
        check(WIFEXITED(ending) && WEXITSTATUS(ending) == 0);
    }
    forked.leave = true;
    pthread_join(thread, NULL);
    pthread_key_delete(forked.key);
    ok(hipStreamDestroy(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(streams_are_made_with_flags_and_priorities),
        TEST(creation_checks_its_arguments),
        TEST(only_streams_of_ones_own_can_be_destroyed_and_once),
        TEST(a_destroyed_stream_still_finishes_its_work),
        TEST(every_function_takes_default_streams_and_made_ones),
        TEST(every_function_refuses_what_is_no_stream),
        TEST(a_stream_knows_its_device_and_number),
        TEST(a_stream_without_a_mask_uses_all_processors),
        TEST(a_stream_is_ready_when_its_work_is_done),
        TEST(capture_functions_say_that_nothing_is_captured),
        TEST(blocking_streams_and_the_legacy_one_wait_for_each_other),
        TEST(every_thread_has_a_default_stream_of_its_own),
        TEST(spt_functions_use_the_threads_stream_for_null),
        TEST(a_stream_that_comes_to_wait_for_the_host_stays_in_order),
        TEST(a_stream_that_waits_for_the_host_does_not_hold_up_others),
        TEST_OVER("hsa", "CUDA has the queues", a_queue_without_streams_is_used_again),
        TEST_OVER("hsa", "a mask makes no queue of CUDA",
                  a_stream_whose_mask_is_refused_is_not_made),
        TEST(streams_that_are_not_ordered_can_overtake),
        TEST(callbacks_run_in_order_with_stream_and_data),
        TEST(callbacks_check_their_arguments),
        TEST_OVER("cuda", "HSA has no callbacks of streams: a thread of the backend calls them",
                  a_callback_the_driver_refuses_is_not_called_and_leaks_nothing),
        TEST(streams_wait_for_values_and_write_them),
        TEST_OVER("cuda", "HSA waits without a kernel",
                  a_wait_whose_kernel_cannot_be_loaded_is_refused),
        TEST(a_value_in_memory_of_the_device_is_waited_for_with_all_its_bits),
        TEST(value_functions_check_their_arguments),
        TEST(several_values_are_waited_for_and_written_at_one_call),
        TEST(a_wrong_operation_keeps_back_all_of_the_batch),
        TEST(a_value_is_added_to_in_stream_order),
        TEST(additions_of_several_streams_are_all_there),
        TEST_OVER("cuda", "HSA needs no kernel to add",
                  an_addition_whose_kernel_cannot_be_loaded_is_refused),
        TEST(barriers_are_done_in_stream_order),
        TEST(writes_of_other_devices_are_flushed),
        TEST(a_reset_ends_the_streams_and_events_of_its_device_only),
        TEST_OVER("hsa", "CUDA has the threads' default streams",
                  a_thread_that_ends_takes_its_default_streams_along),
        TEST(a_thread_that_ends_in_a_forked_child_does_not_touch_its_default_stream),
        TEST(a_thread_that_ends_in_a_forked_child_takes_no_lock_of_the_driver),
    };
    use_fake("80,90");
    return run_group("driver.stream", tests);
}
