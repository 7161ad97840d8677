/* Stream capture: what becomes of calls for streams that capture, which calls are refused and with
 * which codes, forks and joins, and captures that are left open. Nothing that is captured runs. */
#include "support.h"

#include <hip/api/per_thread_default_stream.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 };

static uint32_t *words, host[COUNT];
static hipStream_t stream, side;
static hipEvent_t event, other_event;

/* The call returns the code, and writes a line to the log that has words in it. */
#define refused(call, code, text)                                                                  \
    do {                                                                                           \
        begin_log();                                                                               \
        hipError_t refused_error = (call);                                                         \
        char *refused_log = end_log();                                                             \
        if (!strstr(refused_log, text))                                                            \
            print_error("%s is not in \"%s\"\n", text, refused_log);                               \
        check(strstr(refused_log, text));                                                          \
        free(refused_log);                                                                         \
        expect(refused_error, code);                                                               \
    } while (0)

static int make(void **state)
{
    if (before_each(state) != 0)
        return -1;
    ok(hipMalloc((void **)&words, sizeof host));
    ok(hipStreamCreate(&stream));
    ok(hipStreamCreate(&side));
    ok(hipEventCreate(&event));
    ok(hipEventCreate(&other_event));
    return 0;
}

static int destroy(void **state)
{
    ok(hipEventDestroy(other_event));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(side));
    ok(hipStreamDestroy(stream));
    ok(hipFree(words));
    return after_each(state);
}

#define CAPTURE_TEST(function) cmocka_unit_test_setup_teardown(function, make, destroy)

static void begin(hipStream_t which, hipStreamCaptureMode mode)
{
    ok(hipStreamBeginCapture(which, mode));
}

static void begin_global(void)
{
    begin(stream, hipStreamCaptureModeGlobal);
}

static hipGraph_t end(hipStream_t which)
{
    hipGraph_t graph = NULL;
    ok(hipStreamEndCapture(which, &graph));
    check(graph != NULL);
    return graph;
}

/* The capture ends without a graph. */
static void end_with(hipError_t code)
{
    hipGraph_t graph = (hipGraph_t)1;
    expect(hipStreamEndCapture(stream, &graph), code);
    check(graph == NULL);
}

static hipStreamCaptureStatus status_of(hipStream_t which)
{
    hipStreamCaptureStatus status;
    ok(hipStreamIsCapturing(which, &status));
    return status;
}

static size_t nodes_of(hipGraph_t graph)
{
    size_t count;
    ok(hipGraphGetNodes(graph, NULL, &count));
    return count;
}

static size_t edges_of(hipGraph_t graph)
{
    size_t count;
    ok(hipGraphGetEdges(graph, NULL, NULL, &count));
    return count;
}

static void end_and_count(hipStream_t which, size_t nodes, size_t edges)
{
    hipGraph_t graph = end(which);
    check(nodes_of(graph) == nodes);
    check(edges_of(graph) == edges);
    ok(hipGraphDestroy(graph));
}

static hipError_t fill(hipStream_t which)
{
    return hipMemsetAsync(words, 1, sizeof host, which);
}

/* side joins the capture of stream. */
static void fork_side(void)
{
    ok(hipEventRecord(event, stream));
    ok(hipStreamWaitEvent(side, event, 0));
}

static void join_side(void)
{
    ok(hipEventRecord(other_event, side));
    ok(hipStreamWaitEvent(stream, other_event, 0));
}

/* ---- beginning and end ---------------------------------------------------------------- */

static void a_capture_gives_a_graph_with_a_node_for_each_call(void **state)
{
    unsigned launches = (unsigned)the_fake()->launches();
    (void)state;
    begin_global();
    check(status_of(stream) == hipStreamCaptureStatusActive);
    check(status_of(side) == hipStreamCaptureStatusNone);
    ok(launch_fill(words, 1, COUNT, stream));
    ok(fill(stream));
    ok(hipMemcpyAsync(host, words, sizeof host, hipMemcpyDeviceToHost, stream));
    check((unsigned)the_fake()->launches() == launches);
    end_and_count(stream, 3, 2);
    check(status_of(stream) == hipStreamCaptureStatusNone);
    ok(launch_fill(words, 5, COUNT, stream));
    ok(hipMemcpyAsync(host, words, sizeof host, hipMemcpyDeviceToHost, stream));
    ok(hipStreamSynchronize(stream));
    check_words(host, COUNT, 5);
}

static void a_capture_of_nothing_gives_an_empty_graph(void **state)
{
    (void)state;
    begin_global();
    end_and_count(stream, 0, 0);
    begin(hipStreamPerThread, hipStreamCaptureModeThreadLocal);
    end_and_count(hipStreamPerThread, 0, 0);
    ok(hipStreamBeginCapture_spt(NULL, hipStreamCaptureModeRelaxed));
    check(status_of(hipStreamPerThread) == hipStreamCaptureStatusActive);
    hipGraph_t graph;
    ok(hipStreamEndCapture_spt(NULL, &graph));
    ok(hipGraphDestroy(graph));
}

static void a_capture_begins_once_and_not_in_the_legacy_stream(void **state)
{
    (void)state;
    refused(hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal),
            hipErrorStreamCaptureUnsupported,
            "the legacy default stream cannot be captured; create a stream");
    expect(hipStreamBeginCapture(hipStreamLegacy, hipStreamCaptureModeGlobal),
           hipErrorStreamCaptureUnsupported);
    expect(hipStreamBeginCapture(stream, (hipStreamCaptureMode)3), hipErrorInvalidValue);
    expect(hipStreamBeginCapture(stream, (hipStreamCaptureMode)-1), hipErrorInvalidValue);
    expect(hipStreamBeginCapture((hipStream_t)(void *)&stream, hipStreamCaptureModeGlobal),
           hipErrorContextIsDestroyed);
    begin_global();
    refused(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipErrorIllegalState,
            "hipStreamBeginCapture: stream");
    fork_side();
    expect(hipStreamBeginCapture(side, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    end_and_count(stream, 0, 0);
    begin(side, hipStreamCaptureModeGlobal);
    end_and_count(side, 0, 0);
}

static void a_capture_ends_in_the_stream_where_it_began(void **state)
{
    hipGraph_t graph;
    (void)state;
    expect(hipStreamEndCapture(stream, NULL), hipErrorInvalidValue);
    expect(hipStreamEndCapture(NULL, &graph), hipErrorIllegalState);
    refused(hipStreamEndCapture(stream, &graph), hipErrorIllegalState, "is not being captured");
    begin_global();
    fork_side();
    refused(hipStreamEndCapture(side, &graph), hipErrorStreamCaptureUnmatched, "has to end there");
    end_and_count(stream, 0, 0);
}

/* ---- threads -------------------------------------------------------------------------- */

static hipError_t result_of_thread;

static void in_thread(void *(*function)(void *))
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, function, NULL) == 0);
    check(pthread_join(thread, NULL) == 0);
}

static void *end_elsewhere(void *unused)
{
    hipGraph_t graph = NULL;
    result_of_thread = hipStreamEndCapture(stream, &graph);
    if (graph)
        ok(hipGraphDestroy(graph));
    return unused;
}

static void only_relaxed_captures_end_in_another_thread(void **state)
{
    (void)state;
    begin_global();
    begin_log();
    in_thread(end_elsewhere);
    char *log = end_log();
    check(strstr(log, "began in another thread and has to end there, as its mode is not "
                      "hipStreamCaptureModeRelaxed"));
    free(log);
    expect(result_of_thread, hipErrorStreamCaptureWrongThread);
    end_and_count(stream, 0, 0);
    begin(stream, hipStreamCaptureModeRelaxed);
    in_thread(end_elsewhere);
    ok(result_of_thread);
    check(status_of(stream) == hipStreamCaptureStatusNone);
}

static void *leave_open(void *unused)
{
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    ok(hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeGlobal));
    ok(hipStreamBeginCapture(side, hipStreamCaptureModeRelaxed));
    ok(fill(side));
    return unused;
}

static void captures_that_a_thread_leaves_open_forbid_nothing(void **state)
{
    void *more;
    (void)state;
    begin_log();
    in_thread(leave_open);
    char *log = end_log();
    check(strstr(log, "hipStreamEndCapture has to be called in the thread that began it"));
    check(strstr(log, "its capture ends without a graph"));
    free(log);
    ok(hipMalloc(&more, 16));
    ok(hipFree(more));
    check(status_of(stream) == hipStreamCaptureStatusInvalidated);
    expect(fill(stream), hipErrorStreamCaptureInvalidated);
    refused((end_with(hipErrorStreamCaptureInvalidated), hipSuccess), hipSuccess,
            "an earlier call invalidated the capture of stream");
    end_and_count(side, 1, 0);
}

/* ---- many threads --------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 30 };

/* Everybody's: where it was recorded last is a matter of chance. NULL: threads do not disturb each
 * other. */
static hipEvent_t shared_event;

struct own {
    hipStream_t first, second;
    hipEvent_t event;
};

/* A capture that another thread disturbs is invalid from then on. */
static bool goes_on(hipError_t error)
{
    bool disturbed = error == hipErrorStreamCaptureInvalidated ||
                     error == hipErrorStreamCaptureMerge || error == hipErrorStreamCaptureIsolation;
    check(error == hipSuccess || (shared_event && disturbed));
    return error == hipSuccess;
}

static bool capture_work(const struct own *own)
{
    return goes_on(fill(own->first)) && goes_on(hipEventRecord(own->event, own->first)) &&
           goes_on(hipStreamWaitEvent(own->second, own->event, 0)) &&
           goes_on(launch_fill(words, 1, COUNT, own->second)) &&
           goes_on(hipEventRecord(own->event, own->second)) &&
           goes_on(hipStreamWaitEvent(own->first, own->event, 0)) &&
           (!shared_event || (goes_on(hipEventRecord(shared_event, own->first)) &&
                              goes_on(hipStreamWaitEvent(own->first, shared_event, 0))));
}

static void capture_and_fork(const struct own *own)
{
    hipGraph_t graph = NULL;
    ok(hipStreamBeginCapture(own->first, hipStreamCaptureModeRelaxed));
    bool valid = capture_work(own);
    hipError_t error = hipStreamEndCapture(own->first, &graph);
    check(error == hipSuccess
              ? valid && graph
              : shared_event && !graph && error == hipErrorStreamCaptureInvalidated);
    if (!graph)
        return;
    check(nodes_of(graph) == 2 && edges_of(graph) == 1);
    ok(hipGraphDestroy(graph));
}

/* word: of the device, the thread's own. */
static void *capture_often(void *word)
{
    struct own own;
    ok(hipStreamCreateWithFlags(&own.first, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&own.second, hipStreamNonBlocking));
    ok(hipEventCreate(&own.event));
    for (int round = 0; round < ROUNDS; round++)
        capture_and_fork(&own);
    ok(hipMemsetAsync(word, 1, 4, own.first));
    ok(hipStreamSynchronize(own.first));
    ok(hipEventDestroy(own.event));
    ok(hipStreamDestroy(own.second));
    ok(hipStreamDestroy(own.first));
    return NULL;
}

/* Asks for what captures may refuse. */
static void disturb(void)
{
    hipError_t error = hipEventQuery(shared_event);
    check(error == hipSuccess || error == hipErrorNotReady || error == hipErrorCapturedEvent);
    error = hipDeviceSynchronize();
    check(error == hipSuccess || error == hipErrorStreamCaptureUnsupported);
}

static void *use_otherwise(void *word)
{
    hipStream_t own;
    ok(hipStreamCreateWithFlags(&own, hipStreamNonBlocking));
    for (int round = 0; round < ROUNDS; round++) {
        void *more;
        ok(hipMalloc(&more, 16));
        ok(hipFree(more));
        ok(launch_fill(word, 1, 1, own));
        ok(hipStreamSynchronize(own));
        if (shared_event)
            disturb();
    }
    ok(hipStreamDestroy(own));
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, i == 0 ? use_otherwise : capture_often,
                             words + i) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

static void threads_capture_at_the_same_time(void **state)
{
    (void)state;
    run_threads();
}

static void threads_disturb_the_captures_of_others(void **state)
{
    (void)state;
    ok(hipEventCreate(&shared_event));
    run_threads();
    ok(hipEventDestroy(shared_event));
    shared_event = NULL;
}

/* ---- unsafe calls --------------------------------------------------------------------- */

static hipError_t allocate(void)
{
    void *more = NULL;
    hipError_t error = hipMalloc(&more, 16);
    return error == hipSuccess ? hipFree(more) : error;
}

static void *allocate_elsewhere(void *mode)
{
    hipStreamCaptureMode own = hipStreamCaptureModeGlobal;
    if (mode)
        own = *(hipStreamCaptureMode *)mode;
    ok(hipThreadExchangeStreamCaptureMode(&own));
    check(own == hipStreamCaptureModeGlobal);
    result_of_thread = allocate();
    return NULL;
}

static hipError_t elsewhere_in(hipStreamCaptureMode mode)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, allocate_elsewhere, &mode) == 0);
    check(pthread_join(thread, NULL) == 0);
    return result_of_thread;
}

static hipError_t here_in(hipStreamCaptureMode mode)
{
    ok(hipThreadExchangeStreamCaptureMode(&mode));
    hipError_t error = allocate();
    ok(hipThreadExchangeStreamCaptureMode(&mode));
    return error;
}

/* By the mode of the capture and that of a thread, that which began it and another. */
static void unsafe_calls_depend_on_both_modes(void **state)
{
    static const bool here[3][3] = {{1, 1, 0}, {1, 1, 0}, {0, 0, 0}};
    static const bool elsewhere[3][3] = {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    (void)state;
    for (int capture = 0; capture < 3; capture++)
        for (int thread = 0; thread < 6; thread++) {
            hipStreamCaptureMode mode = (hipStreamCaptureMode)(thread % 3);
            bool forbidden = thread < 3 ? here[capture][mode] : elsewhere[capture][mode];
            begin(stream, (hipStreamCaptureMode)capture);
            expect(thread < 3 ? here_in(mode) : elsewhere_in(mode),
                   forbidden ? hipErrorStreamCaptureUnsupported : hipSuccess);
            if (forbidden)
                end_with(hipErrorStreamCaptureInvalidated);
            else
                end_and_count(stream, 0, 0);
        }
}

static void an_unsafe_call_invalidates_the_capture_and_is_named(void **state)
{
    (void)state;
    begin_global();
    refused(allocate(), hipErrorStreamCaptureUnsupported, "hipMalloc invalidates the capture of");
    check(status_of(stream) == hipStreamCaptureStatusInvalidated);
    expect(fill(stream), hipErrorStreamCaptureInvalidated);
    expect(launch_fill(words, 1, 1, stream), hipErrorStreamCaptureInvalidated);
    expect(hipEventRecord(event, stream), hipErrorStreamCaptureInvalidated);
    expect(hipStreamWaitEvent(stream, event, 0), hipErrorStreamCaptureInvalidated);
    expect(hipStreamUpdateCaptureDependencies(stream, NULL, 0, 0),
           hipErrorStreamCaptureInvalidated);
    end_with(hipErrorStreamCaptureInvalidated);
    ok(allocate());
}

static hipArray_t array;
static void *memory;
static size_t pitch;
static hipPitchedPtr pitched;
static const hipChannelFormatDesc floats = {32, 0, 0, 0, hipChannelFormatKindFloat};

static void calls_that_allocate_or_free_are_unsafe(void **state)
{
    const hipExtent extent = {16, 2, 2};
    hipMipmappedArray_t levels;
    (void)state;
#define unsafe(call)                                                                               \
    do {                                                                                           \
        begin_global();                                                                            \
        refused(call, hipErrorStreamCaptureUnsupported,                                            \
                "it is unsafe while a stream is captured; call it before or after, or in "         \
                "hipStreamCaptureModeRelaxed");                                                    \
        end_with(hipErrorStreamCaptureInvalidated);                                                \
    } while (0)
    unsafe(hipMalloc(&memory, 16));
    unsafe(hipExtMallocWithFlags(&memory, 16, hipDeviceMallocDefault));
    unsafe(hipMallocPitch(&memory, &pitch, 16, 2));
    unsafe(hipMalloc3D(&pitched, extent));
    unsafe(hipMallocManaged(&memory, 16, hipMemAttachGlobal));
    unsafe(hipFree(words));
    unsafe(hipHostMalloc(&memory, 16, 0));
    unsafe(hipHostAlloc(&memory, 16, 0));
    unsafe(hipHostFree(memory));
    unsafe(hipHostRegister(host, sizeof host, 0));
    unsafe(hipHostUnregister(host));
    unsafe(hipMallocArray(&array, &floats, 16, 16, 0));
    unsafe(hipMalloc3DArray(&array, &floats, extent, 0));
    unsafe(hipFreeArray(array));
    unsafe(hipMallocMipmappedArray(&levels, &floats, extent, 1, 0));
    unsafe(hipEventQuery(event));
    unsafe(hipMemAdvise(words, 16, hipMemAdviseSetReadMostly, 0));
    unsafe(hipModuleUnload(NULL));
    unsafe(hipMemPoolCreate(NULL, NULL));
    unsafe(hipMemPoolDestroy(NULL));
    unsafe(hipDeviceSetMemPool(0, NULL));
    unsafe(hipMemPoolExportPointer(NULL, NULL));
    unsafe(hipMemPoolImportPointer(NULL, NULL, NULL));
    unsafe(hipDeviceSetCacheConfig(hipFuncCachePreferNone));
    unsafe(hipDeviceSetSharedMemConfig(hipSharedMemBankSizeDefault));
    unsafe(hipEventSynchronize(event));
    unsafe(hipStreamSynchronize(side));
    unsafe(hipStreamQuery(side));
#undef unsafe
}

/* ---- waiting -------------------------------------------------------------------------- */

static void nobody_waits_for_a_stream_that_captures(void **state)
{
    static const hipStreamCaptureMode modes[] = {
        hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed};
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(stream, modes[i]);
        refused(hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported,
                "hipStreamSynchronize invalidates the capture");
        expect(hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
        end_with(hipErrorStreamCaptureInvalidated);
        begin(stream, modes[i]);
        refused(hipStreamQuery(stream), hipErrorStreamCaptureUnsupported,
                "work of a stream that is captured does not run");
        end_with(hipErrorStreamCaptureInvalidated);
        begin(stream, modes[i]);
        refused(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported,
                "it concerns all work of a device");
        end_with(hipErrorStreamCaptureInvalidated);
        begin(stream, modes[i]);
        refused(hipCtxSynchronize(), hipErrorStreamCaptureUnsupported, "hipCtxSynchronize");
        end_with(hipErrorStreamCaptureInvalidated);
        begin(stream, modes[i]);
        refused(hipMemcpyWithStream(host, words, sizeof host, hipMemcpyDeviceToHost, stream),
                hipErrorStreamCaptureUnsupported, "the host would wait for work that does not run");
        end_with(hipErrorStreamCaptureInvalidated);
    }
}

static void another_device_can_be_waited_for(void **state)
{
    (void)state;
    begin(stream, hipStreamCaptureModeRelaxed);
    ok(hipSetDevice(1));
    ok(hipDeviceSynchronize());
    ok(hipMemset(words, 0, 4)); /* of device 0, in the legacy stream of device 1 */
    ok(hipSetDevice(0));
    end_and_count(stream, 0, 0);
}

static void an_event_of_a_capture_has_no_state(void **state)
{
    float time;
    (void)state;
    begin_global();
    ok(hipEventRecord(event, stream));
    refused(hipEventQuery(event), hipErrorCapturedEvent,
            "the event was recorded in a stream that is captured");
    end_with(hipErrorStreamCaptureInvalidated);
    begin(stream, hipStreamCaptureModeRelaxed);
    ok(hipEventRecord(event, stream));
    refused(hipEventSynchronize(event), hipErrorCapturedEvent, "hipEventSynchronize invalidates");
    end_with(hipErrorStreamCaptureInvalidated);
    ok(hipEventRecord(other_event, side));
    begin_global();
    ok(hipEventRecord(event, stream));
    expect(hipEventElapsedTime(&time, other_event, event), hipErrorCapturedEvent);
    end_with(hipErrorStreamCaptureInvalidated);
    begin(stream, hipStreamCaptureModeRelaxed);
    hipError_t state_of_other = hipEventQuery(other_event);
    check(state_of_other == hipSuccess || state_of_other == hipErrorNotReady);
    end_and_count(stream, 0, 0);
    ok(hipStreamSynchronize(side));
}

/* After the capture it is what it was before. */
static void an_event_that_was_captured_can_be_used_again(void **state)
{
    float time;
    (void)state;
    ok(hipEventRecord(event, stream));
    ok(hipEventRecord(other_event, stream));
    begin_global();
    ok(hipEventRecord(event, stream));
    end_and_count(stream, 0, 0);
    ok(hipEventSynchronize(event));
    ok(hipEventSynchronize(other_event));
    ok(hipEventElapsedTime(&time, event, other_event));
    begin(stream, hipStreamCaptureModeRelaxed);
    ok(hipEventRecord(event, stream));
    ok(hipEventRecord(event, side)); /* outside: the capture forgets it */
    ok(hipEventSynchronize(event));
    expect(hipStreamWaitEvent(stream, event, 0), hipErrorStreamCaptureIsolation);
    end_with(hipErrorStreamCaptureInvalidated);
    begin_global();
    ok(hipEventRecord(event, stream));
    ok(hipEventDestroy(event));
    end_and_count(stream, 0, 0);
    ok(hipEventCreate(&event));
}

/* ---- the legacy stream ---------------------------------------------------------------- */

static void the_legacy_stream_is_not_used_beside_a_capture(void **state)
{
    hipStreamCaptureStatus status;
    unsigned long long id;
    (void)state;
    begin(stream, hipStreamCaptureModeRelaxed);
    expect(hipStreamIsCapturing(NULL, &status), hipErrorStreamCaptureImplicit);
    expect(hipStreamGetCaptureInfo(hipStreamLegacy, &status, &id), hipErrorStreamCaptureImplicit);
    check(status_of(stream) == hipStreamCaptureStatusActive);
#define implicit(call, text)                                                                       \
    do {                                                                                           \
        refused(call, hipErrorStreamCaptureImplicit, text);                                        \
        check(status_of(stream) == hipStreamCaptureStatusInvalidated);                             \
        end_with(hipErrorStreamCaptureInvalidated);                                                \
        begin(stream, hipStreamCaptureModeRelaxed);                                                \
    } while (0)
    implicit(launch_fill(words, 1, COUNT, NULL), "launch invalidates the capture of stream");
    implicit(fill(NULL), "fill invalidates the capture of stream");
    implicit(hipMemcpy(words, host, sizeof host, hipMemcpyHostToDevice),
             "the legacy default stream waits for blocking streams; use another stream, or create "
             "the one that is captured with hipStreamNonBlocking");
    implicit(hipMemset(words, 0, sizeof host), "invalidates");
    expect(hipMemset(words, 0, sizeof host), hipErrorStreamCaptureImplicit);
    expect(hipMemset(words, 0, sizeof host), hipErrorStreamCaptureImplicit);
    check(status_of(NULL) == hipStreamCaptureStatusNone); /* questions are answered again */
    end_with(hipErrorStreamCaptureInvalidated);
    begin(stream, hipStreamCaptureModeRelaxed);
    implicit(hipEventRecord(event, NULL), "event record invalidates");
    implicit(hipStreamWaitEvent(NULL, event, 0), "event wait invalidates");
    implicit(hipStreamSynchronize(NULL), "hipStreamSynchronize invalidates");
    implicit(hipStreamQuery(hipStreamLegacy), "hipStreamQuery invalidates");
#undef implicit
    end_and_count(stream, 0, 0);
    ok(launch_fill(words, 1, COUNT, NULL));
    ok(hipStreamSynchronize(NULL));
}

static void a_stream_that_does_not_block_leaves_the_legacy_stream_alone(void **state)
{
    hipStream_t free_stream;
    (void)state;
    ok(hipStreamCreateWithFlags(&free_stream, hipStreamNonBlocking));
    begin(free_stream, hipStreamCaptureModeRelaxed);
    check(status_of(NULL) == hipStreamCaptureStatusNone);
    ok(hipMemset(words, 0, sizeof host));
    ok(launch_fill(words, 1, COUNT, NULL));
    ok(hipStreamSynchronize(NULL));
    end_and_count(free_stream, 0, 0);
    begin(free_stream, hipStreamCaptureModeThreadLocal);
    expect(hipMemset(words, 0, sizeof host), hipErrorStreamCaptureUnsupported);
    hipGraph_t graph;
    expect(hipStreamEndCapture(free_stream, &graph), hipErrorStreamCaptureInvalidated);
    begin(free_stream, hipStreamCaptureModeRelaxed);
    ok(hipEventRecord(event, free_stream));
    refused(hipStreamWaitEvent(NULL, event, 0), hipErrorStreamCaptureImplicit,
            "the legacy default stream cannot be captured");
    expect(hipStreamEndCapture(free_stream, &graph), hipErrorStreamCaptureInvalidated);
    ok(hipStreamDestroy(free_stream));
}

/* ---- forks and joins ------------------------------------------------------------------ */

static void streams_join_by_events(void **state)
{
    (void)state;
    begin_global();
    ok(fill(stream));
    fork_side();
    check(status_of(side) == hipStreamCaptureStatusActive);
    ok(fill(side));
    ok(fill(side));
    ok(fill(stream));
    join_side();
    ok(fill(stream));
    end_and_count(stream, 5, 5);
    check(status_of(side) == hipStreamCaptureStatusNone);
    ok(fill(side));
    ok(hipStreamSynchronize(side));
}

static void work_that_is_not_joined_is_an_error(void **state)
{
    (void)state;
    begin_global();
    fork_side();
    ok(fill(side));
    refused((end_with(hipErrorStreamCaptureUnjoined), hipSuccess), hipSuccess,
            "is not joined back: record an event behind it, and let stream");
    begin_global();
    fork_side();
    ok(fill(side));
    join_side();
    ok(fill(side));
    end_with(hipErrorStreamCaptureUnjoined);
    begin_global();
    fork_side();
    ok(fill(side));
    ok(hipEventRecord(other_event, side));
    ok(hipStreamDestroy(side));
    ok(hipStreamCreate(&side));
    end_with(hipErrorStreamCaptureUnjoined);
    ok(fill(stream));
    ok(hipStreamSynchronize(stream));
}

static void a_stream_that_is_destroyed_can_still_be_joined(void **state)
{
    (void)state;
    begin_global();
    fork_side();
    ok(fill(side));
    ok(hipEventRecord(other_event, side));
    ok(hipStreamDestroy(side));
    ok(hipStreamWaitEvent(stream, other_event, 0));
    ok(fill(stream));
    end_and_count(stream, 2, 1);
    ok(hipStreamCreate(&side));
}

static void destroying_the_first_stream_ends_the_capture(void **state)
{
    hipGraph_t graph;
    hipStream_t gone = stream;
    (void)state;
    begin_global();
    fork_side();
    ok(fill(side));
    refused(hipStreamDestroy(stream), hipSuccess, "its capture ends without a graph");
    expect(hipStreamEndCapture(gone, &graph), hipErrorContextIsDestroyed);
    check(status_of(side) == hipStreamCaptureStatusNone);
    ok(allocate());
    ok(hipStreamCreate(&stream));
}

static void captures_do_not_mix(void **state)
{
    (void)state;
    begin_global();
    begin(side, hipStreamCaptureModeGlobal);
    ok(hipEventRecord(event, stream));
    begin_log();
    expect(hipStreamWaitEvent(side, event, 0), hipErrorStreamCaptureMerge);
    char *log = end_log();
    check(strstr(log, "the event is of another capture"));
    check(strstr(log, "a stream of another capture waits for an event of this one"));
    free(log);
    hipGraph_t graph;
    expect(hipStreamEndCapture(side, &graph), hipErrorStreamCaptureInvalidated);
    end_with(hipErrorStreamCaptureInvalidated);
    begin_global();
    begin(side, hipStreamCaptureModeGlobal);
    ok(hipEventRecord(event, stream));
    ok(hipEventRecord(event, side));
    ok(hipStreamWaitEvent(side, event, 0));
    end_and_count(side, 0, 0);
    end_and_count(stream, 0, 0);
}

static void a_capture_waits_for_nothing_outside(void **state)
{
    (void)state;
    ok(hipEventRecord(event, side));
    begin_global();
    ok(hipStreamWaitEvent(stream, other_event, 0)); /* never recorded */
    refused(hipStreamWaitEvent(stream, event, 0), hipErrorStreamCaptureIsolation,
            "the event was recorded outside of the capture; hipEventWaitExternal makes a node of "
            "the wait");
    end_with(hipErrorStreamCaptureInvalidated);
    begin(stream, hipStreamCaptureModeRelaxed);
    ok(hipEventRecord(other_event, stream));
    expect(hipEventQuery(other_event), hipErrorCapturedEvent);
    expect(hipStreamWaitEvent(side, other_event, 0), hipErrorStreamCaptureInvalidated);
    check(status_of(side) == hipStreamCaptureStatusNone);
    end_with(hipErrorStreamCaptureInvalidated);
}

static void external_events_are_nodes(void **state)
{
    hipGraphNodeType type;
    hipGraphNode_t nodes[2];
    size_t count = 2;
    (void)state;
    ok(hipEventRecordWithFlags(event, stream, hipEventRecordExternal)); /* as any record */
    ok(hipEventSynchronize(event));
    expect(hipStreamWaitEvent(stream, event, hipEventWaitExternal), hipErrorInvalidValue);
    expect(hipEventRecordWithFlags(event, stream, 2), hipErrorInvalidValue);
    expect(hipStreamWaitEvent(stream, event, 2), hipErrorInvalidValue);
    ok(hipEventRecord(event, side));
    begin_global();
    ok(hipStreamWaitEvent(stream, event, hipEventWaitExternal));
    ok(hipEventRecordWithFlags(other_event, stream, hipEventRecordExternal));
    hipGraph_t graph = end(stream);
    check(edges_of(graph) == 1);
    ok(hipGraphGetNodes(graph, nodes, &count));
    check(count == 2);
    ok(hipGraphNodeGetType(nodes[0], &type));
    check(type == hipGraphNodeTypeWaitEvent);
    ok(hipGraphNodeGetType(nodes[1], &type));
    check(type == hipGraphNodeTypeEventRecord);
    ok(hipGraphDestroy(graph));
    ok(hipStreamSynchronize(side));
}

/* What is launched is outside, whatever its events are used for meanwhile. */
static void the_launch_of_a_graph_does_not_join_a_capture(void **state)
{
    hipGraph_t graph;
    hipGraphNode_t node;
    hipGraphExec_t exec;
    (void)state;
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddEventWaitNode(&node, graph, NULL, 0, event));
    ok(hipGraphAddEventRecordNode(&node, graph, &node, 1, other_event));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    begin(stream, hipStreamCaptureModeRelaxed);
    ok(fill(stream));
    ok(hipEventRecord(event, stream));
    ok(hipGraphLaunch(exec, side));
    check(status_of(side) == hipStreamCaptureStatusNone);
    ok(hipStreamSynchronize(side));
    ok(hipEventSynchronize(other_event));
    end_and_count(stream, 1, 0);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* ---- what is captured, and what is not ------------------------------------------------ */

static void call_host(void *data)
{
    (void)data;
}

static void call_back(hipStream_t which, hipError_t status, void *data)
{
    (void)which;
    (void)status;
    (void)data;
}

static void calls_that_a_graph_cannot_have_are_refused(void **state)
{
    void *managed;
    (void)state;
    ok(hipMallocManaged(&managed, sizeof host, hipMemAttachGlobal));
    begin_global();
    refused(hipStreamAddCallback(stream, call_back, NULL, 0), hipErrorStreamCaptureUnsupported,
            "hipStreamAddCallback cannot be captured, since its function is called once: use "
            "hipLaunchHostFunc");
    end_with(hipErrorStreamCaptureInvalidated);
    begin_global();
    refused(hipMemPrefetchAsync(managed, sizeof host, 0, stream), hipErrorStreamCaptureUnsupported,
            "it cannot be part of a graph");
    end_with(hipErrorStreamCaptureInvalidated);
    begin_global();
    refused(hipStreamAttachMemAsync(stream, managed, 0, hipMemAttachGlobal),
            hipErrorStreamCaptureUnsupported, "attach invalidates the capture");
    end_with(hipErrorStreamCaptureInvalidated);
    ok(hipFree(managed));
}

/* A wrong parameter is the caller's error, and the capture goes on. */
static void wrong_parameters_leave_a_capture_valid(void **state)
{
    (void)state;
    begin_global();
    expect(hipMemsetAsync(words, 0, 2 * sizeof host, stream), hipErrorInvalidValue);
    expect(hipLaunchHostFunc(stream, NULL, NULL), hipErrorInvalidValue);
    expect(hipMemcpyAsync(NULL, host, 4, hipMemcpyHostToDevice, stream), hipErrorInvalidValue);
    expect(hipEventRecord((hipEvent_t)(void *)&event, stream), hipErrorInvalidHandle);
    ok(hipLaunchHostFunc(stream, call_host, NULL));
    end_and_count(stream, 1, 0);
}

static void events_of_a_launch_are_nodes(void **state)
{
    uint32_t value = 3, count = COUNT;
    void *args[] = {&words, &value, &count};
    (void)state;
    begin_global();
    ok(hipExtLaunchKernel(&fill_kernel, (dim3){1, 1, 1}, (dim3){COUNT, 1, 1}, args, 0, stream,
                          event, other_event, 0));
    end_and_count(stream, 3, 2);
}

static void memory_of_a_pool_is_a_node(void **state)
{
    void *pointer;
    (void)state;
    begin_global();
    ok(hipMallocAsync(&pointer, sizeof host, stream));
    check(pointer != NULL);
    ok(hipMemsetAsync(pointer, 0, sizeof host, stream));
    ok(hipFreeAsync(pointer, stream));
    end_and_count(stream, 3, 2);
}

/* ---- questions and changes ------------------------------------------------------------ */

static void the_information_is_that_of_the_capture(void **state)
{
    hipStreamCaptureStatus status;
    unsigned long long id, side_id, next_id;
    hipGraph_t graph, side_graph;
    const hipGraphNode_t *nodes;
    size_t count;
    (void)state;
    begin_global();
    ok(fill(stream));
    fork_side();
    ok(hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
    check(status == hipStreamCaptureStatusActive && id != 0 && count == 1 && nodes[0] != NULL);
    hipGraphNode_t first = nodes[0];
    ok(hipStreamGetCaptureInfo_v2(side, &status, &side_id, &side_graph, &nodes, &count));
    check(side_id == id && side_graph == graph && count == 1 && nodes[0] == first);
    ok(hipStreamGetCaptureInfo(stream, &status, NULL));
    refused(hipGraphDestroy(graph), hipErrorIllegalState, "a stream is being captured into the");
    refused(hipGraphDestroyNode(first), hipErrorIllegalState, "a stream is being captured into");
    hipGraph_t ended = end(stream);
    check(ended == graph);
    ok(hipGraphDestroy(ended));
    begin_global();
    ok(hipStreamGetCaptureInfo_spt(stream, &status, &next_id));
    check(next_id != id);
    ok(hipStreamGetCaptureInfo_v2_spt(stream, &status, NULL, NULL, NULL, NULL));
    ok(hipStreamIsCapturing_spt(stream, &status));
    check(status == hipStreamCaptureStatusActive);
    expect(allocate(), hipErrorStreamCaptureUnsupported);
    ok(hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
    check(status == hipStreamCaptureStatusInvalidated && id == 0 && !graph && !nodes && !count);
    end_with(hipErrorStreamCaptureInvalidated);
}

static hipGraph_t graph_of(hipStream_t which)
{
    hipGraph_t graph;
    hipStreamCaptureStatus status;
    ok(hipStreamGetCaptureInfo_v2(which, &status, NULL, &graph, NULL, NULL));
    return graph;
}

static size_t dependencies_of(hipStream_t which)
{
    size_t count;
    hipStreamCaptureStatus status;
    ok(hipStreamGetCaptureInfo_v2(which, &status, NULL, NULL, NULL, &count));
    return count;
}

static void dependencies_can_be_changed(void **state)
{
    hipGraph_t foreign;
    hipGraphNode_t node, other, stray, twice[2];
    (void)state;
    refused(hipStreamUpdateCaptureDependencies(stream, NULL, 0, 0), hipErrorIllegalState,
            "the stream is not being captured");
    ok(hipGraphCreate(&foreign, 0));
    ok(hipGraphAddEmptyNode(&stray, foreign, NULL, 0));
    begin_global();
    ok(fill(stream));
    ok(hipGraphAddEmptyNode(&node, graph_of(stream), NULL, 0));
    ok(hipGraphAddEmptyNode(&other, graph_of(stream), NULL, 0));
    refused(hipStreamUpdateCaptureDependencies(stream, &stray, 1, 0), hipErrorInvalidValue,
            "is not of the graph that is captured");
    expect(hipStreamUpdateCaptureDependencies(stream, &node, 9, 0), hipErrorInvalidValue);
    expect(hipStreamUpdateCaptureDependencies(stream, NULL, 1, 0), hipErrorInvalidValue);
    expect(hipStreamUpdateCaptureDependencies(stream, &node, 1, 2), hipErrorInvalidValue);
    ok(hipStreamUpdateCaptureDependencies(stream, &node, 1, hipStreamAddCaptureDependencies));
    twice[0] = twice[1] = node;
    ok(hipStreamUpdateCaptureDependencies(stream, twice, 2, hipStreamAddCaptureDependencies));
    check(dependencies_of(stream) == 2);
    ok(hipStreamUpdateCaptureDependencies(stream, &other, 1, hipStreamSetCaptureDependencies));
    check(dependencies_of(stream) == 1);
    ok(hipStreamUpdateCaptureDependencies(stream, NULL, 0, hipStreamSetCaptureDependencies));
    check(dependencies_of(stream) == 0);
    ok(fill(stream));
    ok(hipGraphDestroy(foreign));
    end_and_count(stream, 4, 0);
}

/* Of nodes that the application added or took out itself nobody asks whether they are joined. */
static void only_captured_nodes_have_to_be_joined(void **state)
{
    hipGraphNode_t node;
    (void)state;
    begin_global();
    fork_side();
    ok(hipGraphAddEmptyNode(&node, graph_of(stream), NULL, 0));
    ok(hipStreamUpdateCaptureDependencies(side, &node, 1, hipStreamSetCaptureDependencies));
    end_and_count(stream, 1, 0);
    begin_global();
    fork_side();
    ok(fill(side));
    join_side();
    ok(hipStreamUpdateCaptureDependencies(stream, NULL, 0, hipStreamSetCaptureDependencies));
    end_and_count(stream, 1, 0);
}

static void a_graph_can_be_captured_into(void **state)
{
    hipGraph_t graph, other, ended;
    hipGraphNode_t first, stray;
    hipGraphEdgeData data = {0};
    (void)state;
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphCreate(&other, 0));
    ok(hipGraphAddEmptyNode(&first, graph, NULL, 0));
    ok(hipGraphAddEmptyNode(&stray, other, NULL, 0));
    refused(hipStreamBeginCaptureToGraph(stream, graph, &first, &data, 1, 0), hipErrorNotSupported,
            "data of edges are not supported; pass NULL");
    expect(hipStreamBeginCaptureToGraph(stream, NULL, NULL, NULL, 0, 0), hipErrorInvalidValue);
    expect(hipStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 1, 0), hipErrorInvalidValue);
    expect(hipStreamBeginCaptureToGraph(stream, graph, &first, NULL, 0, 0), hipErrorInvalidValue);
    expect(hipStreamBeginCaptureToGraph(stream, graph, &stray, NULL, 1, 0), hipErrorInvalidValue);
    expect(hipStreamBeginCaptureToGraph(NULL, graph, NULL, NULL, 0, 0),
           hipErrorStreamCaptureUnsupported);
    check(status_of(stream) == hipStreamCaptureStatusNone);
    ok(hipStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, hipStreamCaptureModeRelaxed));
    expect(hipStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, 0), hipErrorIllegalState);
    ok(hipStreamBeginCaptureToGraph(side, graph, NULL, NULL, 0, hipStreamCaptureModeRelaxed));
    ok(fill(stream));
    ok(fill(side));
    ok(hipStreamEndCapture(side, &ended));
    check(ended == graph);
    expect(hipStreamQuery(stream), hipErrorStreamCaptureUnsupported);
    end_with(hipErrorStreamCaptureInvalidated);
    check(nodes_of(graph) == 3 && edges_of(graph) == 1); /* the graph stays the application's */
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(other));
}

/* ---- resets --------------------------------------------------------------------------- */

static void a_reset_ends_captures_of_the_device(void **state)
{
    hipStream_t on_other;
    hipGraph_t graph;
    (void)state;
    begin(stream, hipStreamCaptureModeRelaxed);
    begin(hipStreamPerThread, hipStreamCaptureModeRelaxed);
    ok(hipEventRecord(event, stream));
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&on_other));
    ok(hipStreamWaitEvent(on_other, event, 0)); /* a capture on two devices */
    ok(hipDeviceReset());
    ok(hipSetDevice(0));
    check(status_of(stream) == hipStreamCaptureStatusInvalidated);
    check(status_of(hipStreamPerThread) == hipStreamCaptureStatusActive);
    refused(hipDeviceReset(), hipSuccess, "hipDeviceReset invalidates the capture of stream");
    expect(hipStreamEndCapture(stream, &graph), hipErrorContextIsDestroyed);
    expect(hipStreamEndCapture(hipStreamPerThread, &graph), hipErrorIllegalState);
    ok(hipMalloc((void **)&words, sizeof host));
    ok(hipStreamCreate(&stream));
    ok(hipStreamCreate(&side));
    ok(hipEventCreate(&event));
    ok(hipEventCreate(&other_event));
    begin_global();
    ok(fill(stream));
    end_and_count(stream, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CAPTURE_TEST(a_capture_gives_a_graph_with_a_node_for_each_call),
        CAPTURE_TEST(a_capture_of_nothing_gives_an_empty_graph),
        CAPTURE_TEST(a_capture_begins_once_and_not_in_the_legacy_stream),
        CAPTURE_TEST(a_capture_ends_in_the_stream_where_it_began),
        CAPTURE_TEST(only_relaxed_captures_end_in_another_thread),
        CAPTURE_TEST(captures_that_a_thread_leaves_open_forbid_nothing),
        CAPTURE_TEST(threads_capture_at_the_same_time),
        CAPTURE_TEST(threads_disturb_the_captures_of_others),
        CAPTURE_TEST(unsafe_calls_depend_on_both_modes),
        CAPTURE_TEST(an_unsafe_call_invalidates_the_capture_and_is_named),
        CAPTURE_TEST(calls_that_allocate_or_free_are_unsafe),
        CAPTURE_TEST(nobody_waits_for_a_stream_that_captures),
        CAPTURE_TEST(another_device_can_be_waited_for),
        CAPTURE_TEST(an_event_of_a_capture_has_no_state),
        CAPTURE_TEST(an_event_that_was_captured_can_be_used_again),
        CAPTURE_TEST(the_legacy_stream_is_not_used_beside_a_capture),
        CAPTURE_TEST(a_stream_that_does_not_block_leaves_the_legacy_stream_alone),
        CAPTURE_TEST(streams_join_by_events),
        CAPTURE_TEST(work_that_is_not_joined_is_an_error),
        CAPTURE_TEST(a_stream_that_is_destroyed_can_still_be_joined),
        CAPTURE_TEST(destroying_the_first_stream_ends_the_capture),
        CAPTURE_TEST(captures_do_not_mix),
        CAPTURE_TEST(a_capture_waits_for_nothing_outside),
        CAPTURE_TEST(external_events_are_nodes),
        CAPTURE_TEST(the_launch_of_a_graph_does_not_join_a_capture),
        CAPTURE_TEST(calls_that_a_graph_cannot_have_are_refused),
        CAPTURE_TEST(wrong_parameters_leave_a_capture_valid),
        CAPTURE_TEST(events_of_a_launch_are_nodes),
        CAPTURE_TEST(memory_of_a_pool_is_a_node),
        CAPTURE_TEST(the_information_is_that_of_the_capture),
        CAPTURE_TEST(dependencies_can_be_changed),
        CAPTURE_TEST(only_captured_nodes_have_to_be_joined),
        CAPTURE_TEST(a_graph_can_be_captured_into),
        CAPTURE_TEST(a_reset_ends_captures_of_the_device),
    };
    use_fake("80,80");
    setenv("AMD_LOG_LEVEL", "2", 1);
    int failed = run_group("driver_capture", tests);
    /* A capture that is open when the process ends does no harm. */
    ok(hipStreamCreate(&stream));
    begin_global();
    ok(hipEventCreate(&event));
    ok(hipEventRecord(event, stream));
    return failed;
}
