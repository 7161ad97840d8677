/* Devices of two drivers in one process: waits of one for the other, and copies between them. Each
 * test runs in a process of its own: device 0 is of the driver "cuda", device 1 of "simcuda", which
 * is the same fake driver again, or of "hsa". */
#include "support.h"

#include "fill_ptx.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024, SIZE = WORDS * 4 };

/* ---- the drivers ------------------------------------------------------------------------- */

/* A function of fakecuda.h as the second driver has it. */
static void *second(const char *function)
{
    void *driver = dlopen(FAKESIMCUDA_PATH, RTLD_NOW | RTLD_NOLOAD);
    void *address = driver ? dlsym(driver, function) : NULL;
    check(address != NULL);
    dlclose(driver);
    return address;
}

static unsigned second_violations(void)
{
    if (over_both())
        return (unsigned)fakehsa_violations();
    size_t (*count)(void);
    *(void **)&count = second("fakecuda_violations");
    return (unsigned)count();
}

static void break_second(int result)
{
    if (over_both()) {
        fakehsa_break(0, 0x1000); /* HSA_STATUS_ERROR */
        return;
    }
    void (*function)(int device, int result);
    *(void **)&function = second("fakecuda_break");
    function(0, result);
}

static void use_drivers(void)
{
    if (over_both())
        use_both_fakes("80", "80");
    else
        use_two_fakes("80", "80");
}

static void begin(void)
{
    use_drivers();
    check(start_kernels(NULL) == 0);
    ok(hipSetDevice(0));
    fakecuda_forget();
}

/* Nothing is left of what the test and the library made, and no rule of CUDA was broken. */
static void end(void)
{
    check(fakecuda_violations() == 0);
    check(second_violations() == 0);
    check(end_kernels(NULL) == 0);
}

#define MIXED_TEST(name)                                                                           \
    static void name##_body(void);                                                                 \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        in_child(name##_body);                                                                     \
    }                                                                                              \
    static void name##_body(void)

/* ---- waits --------------------------------------------------------------------------------- */

static hipStream_t stream_on(int device)
{
    hipStream_t stream;
    ok(hipSetDevice(device));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    return stream;
}

static hipEvent_t record_on(int device, hipStream_t stream)
{
    hipEvent_t event;
    ok(hipSetDevice(device));
    ok(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    ok(hipEventRecord(event, stream));
    return event;
}

static uint32_t *pinned_on(int device)
{
    uint32_t *words;
    ok(hipSetDevice(device));
    ok(hipHostMalloc((void **)&words, SIZE, 0));
    memset(words, 0, SIZE);
    return words;
}

/* first -> other -> first: the third stream waits for the first through the other driver. */
static void check_chain(int first, int other)
{
    uint32_t *out = pinned_on(first);
    hipStream_t a = stream_on(first), b = stream_on(other), c = stream_on(first);
    ok(hipSetDevice(first));
    struct gate gate = close_gate(a);
    hipEvent_t after_a = record_on(first, a);
    ok(hipStreamWaitEvent(b, after_a, 0));
    hipEvent_t after_b = record_on(other, b);
    ok(hipStreamWaitEvent(c, after_b, 0));
    ok(hipSetDevice(first));
    ok(launch_fill(out, 7, 1, c));
    expect(hipStreamQuery(c), hipErrorNotReady);
    check(*out == 0);
    open_gate(&gate);
    ok(hipStreamSynchronize(c));
    check(*out == 7);
    free_gate(&gate);
    ok(hipEventDestroy(after_a));
    ok(hipEventDestroy(after_b));
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
    ok(hipStreamDestroy(c));
    ok(hipHostFree(out));
}

/* The blocks of page-locked memory that a driver has allocated. */
static unsigned host_blocks(int device)
{
    struct fakehsa_counts hsa;
    struct fakecuda_counts cuda;
    void (*count)(struct fakecuda_counts * out) = fakecuda_count;
    if (device == 1 && over_both()) {
        fakehsa_count(&hsa);
        return hsa.host_allocations;
    }
    if (device == 1)
        *(void **)&count = second("fakecuda_count");
    count(&cuda);
    return cuda.pinned;
}

/* More waits than a block has gates, of a blocked stream, which then passes them all. */
static void wait_often(int waits, hipStream_t stream, hipEvent_t event)
{
    enum { WAITS = 100 };
    ok(hipSetDevice(waits));
    struct gate gate = close_gate(stream);
    for (int i = 0; i < WAITS; i++)
        ok(hipStreamWaitEvent(stream, event, 0));
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
}

/* Gates that had not been passed when they were checked are reused later. */
static void check_gates_are_used_again(int waits, int opens)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ /* each wait takes long */
    enum { ROUNDS = 10 };
#else
    enum { ROUNDS = 30 };
#endif
    hipStream_t a = stream_on(opens), b = stream_on(waits);
    hipEvent_t event = record_on(opens, a);
    unsigned blocks = 0;
    for (int round = 0; round < ROUNDS; round++) {
        ok(hipEventRecord(event, a)); /* under way, or else there is nothing to wait for */
        wait_often(waits, b, event);
        if (round == 2)
            blocks = host_blocks(waits);
    }
    check(host_blocks(waits) <= blocks + 2);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
}

MIXED_TEST(gates_are_used_again)
{
    begin();
    check_gates_are_used_again(0, 1);
    check_gates_are_used_again(1, 0);
    end();
}

MIXED_TEST(a_chain_of_waits_passes_where_host_functions_run_one_at_a_time)
{
    use_drivers();
    setenv("FAKECUDA_HOST_THREAD", "1", 1);
    setenv("FAKESIMCUDA_HOST_THREAD", "1", 1);
    check(start_kernels(NULL) == 0);
    check_chain(0, 1);
    check_chain(1, 0);
    end();
}

/* Before the driver resets its device, and perhaps drops what its streams still have to call. */
static void wait_for(void *stream)
{
    ok(hipStreamSynchronize(stream));
}

/* A stream of one device is blocked until the other device, which never reaches its event, is
 * reset. */
static void check_reset_lets_go(int reset, int waits)
{
    uint32_t *out = pinned_on(waits), *held;
    hipStream_t a = stream_on(reset), b = stream_on(waits);
    ok(hipSetDevice(reset));
    ok(hipHostMalloc((void **)&held, 4, 0));
    *held = 0;
    ok(hipStreamWaitValue32(a, held, 1, hipStreamWaitValueEq, ~0u));
    hipEvent_t event = record_on(reset, a);
    ok(hipStreamWaitEvent(b, event, 0));
    ok(hipSetDevice(waits));
    ok(launch_fill(out, 9, 1, b));
    expect(hipStreamQuery(b), hipErrorNotReady);
    ok(hipSetDevice(reset));
    if (reset == 0)
        fakecuda_hook("cuDevicePrimaryCtxRelease_v2", wait_for, b);
    ok(hipDeviceReset());
    ok(hipSetDevice(waits));
    ok(hipStreamSynchronize(b));
    check(*out == 9);
    ok(hipStreamDestroy(b));
    ok(hipHostFree(out));
}

MIXED_TEST(a_device_that_is_reset_lets_the_other_driver_go)
{
    begin();
    check_reset_lets_go(0, 1);
    check_reset_lets_go(1, 0);
    check_chain(0, 1);
    check_chain(1, 0);
    end();
}

/* The waiting device is reset first; the callback that opens its gate is called later. */
static void check_reset_of_waiting(int waits, int opens)
{
    hipStream_t a = stream_on(opens), b = stream_on(waits);
    ok(hipSetDevice(opens));
    struct gate gate = close_gate(a);
    hipEvent_t event = record_on(opens, a);
    ok(hipStreamWaitEvent(b, event, 0));
    ok(hipSetDevice(waits));
    ok(hipDeviceReset());
    check_chain(waits, opens);
    ok(hipSetDevice(opens));
    open_gate(&gate);
    ok(hipStreamSynchronize(a));
    free_gate(&gate);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    ok(hipDeviceSynchronize());
}

MIXED_TEST(a_device_is_reset_while_it_waits_for_the_other_driver)
{
    begin();
    check_reset_of_waiting(0, 1);
    check_reset_of_waiting(1, 0);
    check_chain(0, 1);
    check_chain(1, 0);
    end();
}

/* The event's device fails before it reaches the event. */
MIXED_TEST(a_device_that_fails_lets_the_other_driver_go)
{
    begin();
    uint32_t *out = pinned_on(1);
    hipStream_t a = stream_on(0), b = stream_on(1);
    ok(hipSetDevice(0));
    struct gate gate = close_gate(a);
    ok(launch_fault(a));
    hipEvent_t event = record_on(0, a);
    ok(hipStreamWaitEvent(b, event, 0));
    ok(hipSetDevice(1));
    ok(launch_fill(out, 3, 1, b));
    expect(hipStreamQuery(b), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(b));
    check(*out == 3);
    expect(hipStreamWaitEvent(b, event, 0), hipErrorIllegalAddress);
    ok(launch_fill(out, 4, 1, b)); /* which nothing holds up */
    ok(hipStreamSynchronize(b));
    check(*out == 4);
    ok(hipStreamDestroy(b));
    ok(hipHostFree(out));
    ok(hipSetDevice(0));
    ok(hipDeviceReset());
    check_chain(0, 1);
    end();
}

/* The waiting device fails: its stream returns the error, and the event's device continues. */
MIXED_TEST(a_device_that_fails_while_it_waits_holds_up_nobody)
{
    begin();
    uint32_t *out = pinned_on(0);
    hipStream_t a = stream_on(0), b = stream_on(1);
    ok(hipSetDevice(0));
    struct gate gate = close_gate(a);
    hipEvent_t event = record_on(0, a);
    ok(hipStreamWaitEvent(b, event, 0));
    break_second(700) /* CUDA_ERROR_ILLEGAL_ADDRESS */;
    open_gate(&gate);
    ok(launch_fill(out, 5, 1, a));
    ok(hipStreamSynchronize(a));
    check(*out == 5);
    check(hipStreamSynchronize(b) != hipSuccess);
    free_gate(&gate);
    ok(hipHostFree(out));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    ok(hipSetDevice(1));
    ok(hipDeviceReset());
    check_chain(0, 1);
    check_chain(1, 0);
    end();
}

/* What the library keeps for waits does not grow with them. */
MIXED_TEST(waits_for_another_driver_use_their_memory_again)
{
    struct fakecuda_counts before, after;
    begin();
    hipStream_t a = stream_on(1), b = stream_on(0);
    hipEvent_t event = record_on(1, a);
    for (int i = 0; i < 1000; i++) {
        ok(hipEventRecord(event, a));
        ok(hipStreamWaitEvent(b, event, 0));
        if (i % 10 == 9)
            ok(hipStreamSynchronize(b));
        if (i == 499)
            fakecuda_count(&before);
    }
    fakecuda_count(&after);
    check(after.pinned <= before.pinned + 1 && after.pinned <= 8);
    check(after.events <= 512);
    ok(hipStreamDestroy(b));
    ok(hipSetDevice(1));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    end();
}

/* A wait that a stream has not reached keeps its gate, although its event has been reached. */
MIXED_TEST(a_wait_that_is_still_to_come_is_not_held_up_by_later_ones)
{
    begin();
    hipStream_t early = stream_on(1), late = stream_on(1);
    hipStream_t b = stream_on(0), c = stream_on(0);
    hipEvent_t reached = record_on(1, early);
    ok(hipStreamSynchronize(early));
    ok(hipSetDevice(0));
    struct gate of_b = close_gate(b);
    ok(hipStreamWaitEvent(b, reached, 0));
    ok(hipSetDevice(1));
    struct gate of_late = close_gate(late);
    hipEvent_t unreached = record_on(1, late);
    ok(hipStreamSynchronize(early));
    for (int i = 0; i < 200; i++) /* more than there are places at first */
        ok(hipStreamWaitEvent(c, unreached, 0));
    open_gate(&of_b);
    ok(hipStreamSynchronize(b));
    expect(hipStreamQuery(c), hipErrorNotReady);
    open_gate(&of_late);
    ok(hipStreamSynchronize(c));
    free_gate(&of_b);
    free_gate(&of_late);
    end();
}

/* Each call of the driver that a wait makes fails once: the caller hears of it, and neither stream
 * is held up. */
MIXED_TEST(a_wait_for_another_driver_that_cannot_be_queued_holds_up_nobody)
{
    static const char *const of_opener[] = {"cuStreamCreateWithPriority", "cuStreamWaitEvent",
                                            "cuStreamAddCallback"};
    static const char *const of_waiter[] = {"cuMemHostAlloc", "cuStreamWaitValue32_v2",
                                            "cuEventRecord", "cuEventCreate"};
    begin();
    uint32_t *out = pinned_on(0);
    hipStream_t a = stream_on(0), b = stream_on(1);
    hipEvent_t of_a = record_on(0, a), of_b = record_on(1, b);
    for (size_t i = 0; i < 3; i++) {
        fakecuda_fail(of_opener[i], 1, CUDA_ERROR_OUT_OF_MEMORY);
        expect(hipStreamWaitEvent(b, of_a, 0), hipErrorOutOfMemory);
        ok(hipStreamSynchronize(b));
        fakecuda_clear_faults();
    }
    for (size_t i = 0; i < 4; i++) {
        fakecuda_fail(of_waiter[i], 1, CUDA_ERROR_OUT_OF_MEMORY);
        expect(hipStreamWaitEvent(a, of_b, 0), hipErrorOutOfMemory);
        ok(hipSetDevice(0));
        ok(launch_fill(out, (uint32_t)i + 1, 1, a));
        ok(hipStreamSynchronize(a));
        check(*out == i + 1);
        fakecuda_clear_faults();
    }
    ok(hipStreamWaitEvent(a, of_b, 0));
    ok(hipStreamWaitEvent(b, of_a, 0));
    ok(hipStreamSynchronize(a));
    ok(hipStreamSynchronize(b));
    ok(hipHostFree(out));
    end();
}

/* Without an operation that waits for a value the host waits. */
MIXED_TEST(a_driver_that_cannot_wait_for_a_value_has_the_host_wait)
{
    begin();
    hipStream_t a = stream_on(0), b = stream_on(1);
    ok(hipSetDevice(1));
    ok(hipMemsetAsync(pinned_on(1), 1, SIZE, b));
    hipEvent_t event = record_on(1, b);
    fakecuda_fail("cuStreamWaitValue32_v2", 0, CUDA_ERROR_NOT_SUPPORTED);
    ok(hipStreamWaitEvent(a, event, 0));
    ok(hipEventQuery(event));
    ok(hipStreamSynchronize(a));
    fakecuda_clear_faults();
    end();
}

/* ---- copies -------------------------------------------------------------------------------- */

static void release(void *data)
{
    *(bool *)data = true;
    fakecuda_hold(false);
}

static void *memory_on(int device, size_t size)
{
    void *memory;
    ok(hipSetDevice(device));
    ok(hipMalloc(&memory, size));
    ok(hipMemset(memory, 0, size));
    ok(hipDeviceSynchronize());
    return memory;
}

enum way { LINEAR, PEER, ROWS, WAYS };

static void copy(enum way way, void *dst, int dst_device, const void *src, int src_device)
{
    switch (way) {
    case LINEAR:
        ok(hipMemcpy(dst, src, SIZE, hipMemcpyDefault));
        break;
    case PEER:
        ok(hipMemcpyPeer(dst, dst_device, src, src_device, SIZE));
        break;
    default:
        ok(hipMemcpy2D(dst, SIZE / 4, src, SIZE / 4, SIZE / 4, 4, hipMemcpyDefault));
    }
}

/* The driver reads pageable memory and returns; the queues are blocked until a thread waits for
 * them. */
MIXED_TEST(a_copy_to_another_driver_has_arrived_when_it_returns)
{
    begin();
    uint32_t *dst = memory_on(0, SIZE), *src = memory_on(1, SIZE);
    for (enum way way = LINEAR; way <= PEER; way++) {
        bool waited = false;
        ok(hipSetDevice(1)); /* the copy's stream is of the other driver */
        fakecuda_hold(true);
        fakecuda_hook("cuStreamSynchronize", release, &waited);
        copy(way, dst, 0, src, 1);
        check(waited);
        ok(hipSetDevice(0));
        ok(hipStreamQuery(NULL));
    }
    end();
}

MIXED_TEST(a_copy_from_the_host_to_another_driver_has_arrived_when_it_returns)
{
    uint32_t words[WORDS] = {0};
    bool waited = false;
    begin();
    uint32_t *dst = memory_on(0, SIZE);
    ok(hipSetDevice(1));
    fakecuda_hold(true);
    fakecuda_hook("cuStreamSynchronize", release, &waited);
    ok(hipMemcpyAsync(dst, words, SIZE, hipMemcpyDefault, NULL));
    check(waited);
    ok(hipSetDevice(0));
    ok(hipStreamQuery(NULL));
    end();
}

static void open_when_it_waits(void *data)
{
    open_gate(data);
}

/* Both ends have work in streams that nothing else orders. */
static void check_waits(enum way way, int from, int to)
{
    uint32_t back[WORDS];
    uint32_t *src = memory_on(from, SIZE), *dst = memory_on(to, SIZE);
    hipStream_t of_src = stream_on(from), of_dst = stream_on(to);
    ok(hipSetDevice(0)); /* where cuCtxSynchronize can be seen */
    struct gate gate = close_gate(from == 0 ? of_src : of_dst);
    ok(hipSetDevice(from));
    ok(launch_fill(src, 6, WORDS, of_src));
    ok(hipSetDevice(to));
    ok(launch_fill(dst, 8, WORDS, of_dst));
    fakecuda_hook("cuCtxSynchronize", open_when_it_waits, &gate);
    copy(way, dst, to, src, from);
    ok(hipMemcpy(back, dst, SIZE, hipMemcpyDeviceToHost));
    check_words(back, WORDS, 6);
    free_gate(&gate);
    ok(hipFree(src));
    ok(hipFree(dst));
    ok(hipStreamDestroy(of_src));
    ok(hipStreamDestroy(of_dst));
}

MIXED_TEST(a_copy_between_drivers_comes_after_the_work_of_both_devices)
{
    begin();
    for (enum way way = LINEAR; way < WAYS; way++) {
        check_waits(way, 0, 1);
        check_waits(way, 1, 0);
    }
    end();
}

static void check_bytes(const unsigned char *got, const unsigned char *wanted, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (got[i] != wanted[i]) {
            fprintf(stderr, "byte %zu is %d, not %d\n", i, got[i], wanted[i]);
            check(got[i] == wanted[i]);
        }
}

static unsigned char *numbered(size_t size)
{
    unsigned char *bytes = malloc(size);
    check(bytes != NULL);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i % 251 + i / 65536);
    return bytes;
}

/* More than is staged at once, and no multiple of it. */
MIXED_TEST(a_long_copy_between_drivers_is_whole)
{
    enum { LONG = (9 << 20) + 12345, PIECE = 4 << 20 };
    static const size_t sizes[] = {PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, LONG};
    begin();
    unsigned char *wanted = numbered(LONG), *got = malloc(LONG);
    unsigned char *src = memory_on(0, LONG), *dst = memory_on(1, LONG);
    ok(hipMemcpy(src, wanted, LONG, hipMemcpyHostToDevice));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ok(hipMemset(dst, 0, LONG));
        ok(hipMemcpy(dst, src, sizes[i], hipMemcpyDefault));
        ok(hipMemcpy(got, dst, LONG, hipMemcpyDeviceToHost));
        check_bytes(got, wanted, sizes[i]);
        for (size_t at = sizes[i]; at < LONG; at++)
            check(got[at] == 0);
    }
    ok(hipMemset(src, 0, LONG));
    ok(hipMemcpyPeer(src, 0, dst, 1, LONG));
    ok(hipMemcpy(got, src, LONG, hipMemcpyDeviceToHost));
    check_bytes(got, wanted, LONG);
    ok(hipFree(src));
    ok(hipFree(dst));
    free(wanted);
    free(got);
    end();
}

struct box {
    size_t width, height, depth; /* of memory on both ends */
    hipPos from, to;
    hipExtent extent;
};

static void check_box(const struct box *box)
{
    size_t size = box->width * box->height * box->depth;
    unsigned char *wanted = calloc(1, size), *source = numbered(size), *got = malloc(size);
    unsigned char *src = memory_on(1, size), *dst = memory_on(0, size);
    ok(hipMemcpy(src, source, size, hipMemcpyHostToDevice));
    const hipMemcpy3DParms copy = {
        .srcPtr = {src, box->width, box->width, box->height},
        .srcPos = box->from,
        .dstPtr = {dst, box->width, box->width, box->height},
        .dstPos = box->to,
        .extent = box->extent,
        .kind = hipMemcpyDefault,
    };
    ok(hipMemcpy3D(&copy));
    ok(hipMemcpy(got, dst, size, hipMemcpyDeviceToHost));
    for (size_t z = 0; z < box->extent.depth; z++)
        for (size_t y = 0; y < box->extent.height; y++) {
            size_t to = ((box->to.z + z) * box->height + box->to.y + y) * box->width + box->to.x;
            size_t from =
                ((box->from.z + z) * box->height + box->from.y + y) * box->width + box->from.x;
            memcpy(wanted + to, source + from, box->extent.width);
        }
    check_bytes(got, wanted, size);
    ok(hipFree(src));
    ok(hipFree(dst));
    free(wanted);
    free(source);
    free(got);
}

/* Pieces of slices, of rows and of one row. */
MIXED_TEST(a_large_box_is_copied_between_drivers_in_pieces)
{
    static const struct box boxes[] = {
        {1100, 1001, 6, {3, 1, 0}, {7, 0, 1}, {1089, 1000, 5}},
        {2100, 4001, 2, {5, 1, 0}, {99, 0, 0}, {2001, 4000, 2}},
        {5 << 20, 2, 1, {1, 0, 0}, {2, 0, 0}, {(5 << 20) - 2, 2, 1}},
        {64, 64, 64, {1, 2, 3}, {4, 5, 6}, {58, 57, 56}},
    };
    begin();
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        check_box(&boxes[i]);
    end();
}

/* The stream is one of device 0, the memory that of device 1. */
MIXED_TEST(rows_go_between_the_host_and_the_memory_of_another_driver)
{
    begin();
    unsigned char source[8 * 16], back[8 * 16], *memory = memory_on(1, sizeof source);
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (unsigned char)(3 * i);
    memset(back, 0xee, sizeof back);
    ok(hipSetDevice(0));
    hipStream_t stream = stream_on(0);
    ok(hipMemcpy2D(memory, 16, source, 16, 12, 8, hipMemcpyHostToDevice));
    ok(hipMemcpy2DAsync(back, 16, memory, 16, 12, 8, hipMemcpyDeviceToHost, stream));
    ok(hipStreamSynchronize(stream));
    for (size_t i = 0; i < sizeof source; i++)
        check(back[i] == (i % 16 < 12 ? source[i] : 0xee));
    ok(hipStreamDestroy(stream));
    ok(hipFree(memory));
    end();
}

MIXED_TEST(a_box_that_wraps_or_does_not_fit_is_refused_between_drivers)
{
    static const size_t numbers[] = {0,
                                     1,
                                     15,
                                     16,
                                     17,
                                     1u << 31,
                                     (size_t)1 << 32,
                                     (size_t)1 << 63,
                                     SIZE_MAX / 2,
                                     SIZE_MAX - 1,
                                     SIZE_MAX};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    begin();
    unsigned char *src = memory_on(1, 4096), *dst = memory_on(0, 4096);
    for (size_t i = 0; i < COUNT * COUNT * COUNT; i++) {
        const hipExtent extent = {numbers[i % COUNT], numbers[i / COUNT % COUNT],
                                  numbers[i / COUNT / COUNT]};
        for (size_t rows = 0; rows <= 16; rows += 16) {
            const hipMemcpy3DParms copy = {
                .srcPtr = {src, 16, 16, rows},
                .dstPtr = {dst, 16, 16, rows},
                .extent = extent,
                .kind = hipMemcpyDefault,
            };
            bool empty = extent.width == 0 || extent.height == 0 || extent.depth == 0;
            bool fits =
                extent.width <= 16 && extent.height <= 256 && extent.depth <= 256 &&
                extent.height * extent.depth <= 256 &&
                (rows == 0 || extent.depth == 1 || (extent.height <= 16 && extent.depth <= 16));
            hipError_t error = hipMemcpy3D(&copy);
            if (error != (empty || fits ? hipSuccess : hipErrorInvalidValue))
                fprintf(stderr, "%zu x %zu x %zu, %zu rows\n", extent.width, extent.height,
                        extent.depth, rows);
            expect(error, empty || fits ? hipSuccess : hipErrorInvalidValue);
        }
    }
    ok(hipFree(src));
    ok(hipFree(dst));
    end();
}

/* ---- graphs ------------------------------------------------------------------------------- */

static hipGraphNode_t add_fill_on(int device, hipGraph_t graph, hipGraphNode_t *after,
                                  uint32_t **out, uint32_t value)
{
    uint32_t count = 4;
    void *arguments[] = {out, &value, &count};
    const hipKernelNodeParams params = {.func = (void *)(uintptr_t)&fill_kernel,
                                        .gridDim = {1, 1, 1},
                                        .blockDim = {1, 1, 1},
                                        .kernelParams = arguments};
    hipGraphNode_t node;
    ok(hipSetDevice(device));
    ok(hipGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &params));
    ok(hipSetDevice(0));
    return node;
}

/* Kernels of both, and copies of bytes and rows between them, in an order that edges give. */
MIXED_TEST(a_graph_has_work_of_both_drivers)
{
    begin();
    uint32_t *far = memory_on(1, 32), *near = memory_on(0, 32), got[8];
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t node;
    hipStream_t stream;
    const hipMemcpy3DParms rows = {.dstPtr = {near + 4, 8, 8, 2},
                                   .srcPtr = {far, 8, 8, 2},
                                   .extent = {8, 2, 1},
                                   .kind = hipMemcpyDefault};
    ok(hipStreamCreate(&stream));
    ok(hipGraphCreate(&graph, 0));
    node = add_fill_on(0, graph, NULL, &near, 3);
    ok(hipGraphAddMemcpyNode1D(&node, graph, &node, 1, far, near, 8, hipMemcpyDefault));
    uint32_t *rest = far + 2;
    node = add_fill_on(1, graph, &node, &rest, 4);
    ok(hipGraphAddMemcpyNode(&node, graph, &node, 1, &rows));
    ok(hipGraphAddMemcpyNode1D(&node, graph, &node, 1, got, near, 32, hipMemcpyDeviceToHost));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int round = 0; round < 2; round++) {
        memset(got, 0, sizeof got);
        ok(hipGraphLaunch(exec, stream));
        ok(hipStreamSynchronize(stream));
        check_words(got, 4, 3);
        check_words(got + 4, 2, 3);
        check_words(got + 6, 2, 4);
    }
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipStreamDestroy(stream));
    ok(hipFree(near));
    ok(hipFree(far));
    end();
}

/* ---- what is refused ------------------------------------------------------------------------- */

MIXED_TEST(what_devices_of_two_drivers_cannot_do_together_is_said)
{
    hipStream_t streams[2];
    hipLaunchParams list[2];
    uint32_t type, hops;
    begin();
    for (int i = 0; i < 2; i++) {
        streams[i] = stream_on(i);
        list[i] = (hipLaunchParams){.func = (void *)(uintptr_t)&empty_kernel,
                                    .gridDim = {1, 1, 1},
                                    .blockDim = {1, 1, 1},
                                    .stream = streams[i]};
    }
    expect_says(hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops), hipErrorNotSupported,
                "devices 0 and 1 belong to different drivers");
    expect_says(hipLaunchCooperativeKernelMultiDevice(list, 2, 0), hipErrorNotSupported,
                "devices 0 and 1 are of two drivers: their grids cannot wait for each other");
    for (int i = 0; i < 2; i++)
        ok(hipStreamDestroy(streams[i]));
    end();
}

MIXED_TEST(a_managed_variable_of_another_driver_is_named)
{
    static const char ptx[] = PTX_HEADER ".visible .global .align 8 .u64 shared_words;\n" PTX_FILL;
    static const char kernel = 0;
    static char name[] = "fake_fill";
    static uint32_t *variable, first = 3;
    struct wrapper wrapper = wrap_image(ptx);
    begin();
    void **handle = __hipRegisterFatBinary(&wrapper);
    __hipRegisterFunction(handle, &kernel, name, name, 0xffffffffu, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterManagedVar(handle, (void **)(void *)&variable, &first, "shared_words", 4, 4);
    ok(hipSetDevice(1));
    if (!over_both()) /* which has no code for device 1 */
        expect_says(hipLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL),
                    hipErrorNotSupported,
                    "managed variable shared_words belongs to cuda and cannot be reached from "
                    "device 1");
    __hipUnregisterFatBinary(handle);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_UNCHECKED(gates_are_used_again),
        TEST_UNCHECKED(a_chain_of_waits_passes_where_host_functions_run_one_at_a_time),
        TEST_UNCHECKED(a_device_that_is_reset_lets_the_other_driver_go),
        TEST_UNCHECKED(a_device_is_reset_while_it_waits_for_the_other_driver),
        TEST_UNCHECKED(a_device_that_fails_lets_the_other_driver_go),
        TEST_UNCHECKED(a_device_that_fails_while_it_waits_holds_up_nobody),
        TEST_UNCHECKED(waits_for_another_driver_use_their_memory_again),
        TEST_UNCHECKED(a_wait_that_is_still_to_come_is_not_held_up_by_later_ones),
        TEST_UNCHECKED(a_wait_for_another_driver_that_cannot_be_queued_holds_up_nobody),
        TEST_UNCHECKED(a_driver_that_cannot_wait_for_a_value_has_the_host_wait),
        TEST_UNCHECKED(a_copy_to_another_driver_has_arrived_when_it_returns),
        TEST_UNCHECKED(a_copy_from_the_host_to_another_driver_has_arrived_when_it_returns),
        TEST_UNCHECKED(a_copy_between_drivers_comes_after_the_work_of_both_devices),
        TEST_UNCHECKED(a_long_copy_between_drivers_is_whole),
        TEST_UNCHECKED(a_large_box_is_copied_between_drivers_in_pieces),
        TEST_UNCHECKED(rows_go_between_the_host_and_the_memory_of_another_driver),
        TEST_UNCHECKED(a_box_that_wraps_or_does_not_fit_is_refused_between_drivers),
        TEST_UNCHECKED(a_graph_has_work_of_both_drivers),
        TEST_UNCHECKED(what_devices_of_two_drivers_cannot_do_together_is_said),
        TEST_UNCHECKED(a_managed_variable_of_another_driver_is_named),
    };
    return cmocka_run_group_tests_name("mixed", tests, NULL, NULL);
}
