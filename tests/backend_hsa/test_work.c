/* Streams, events, copies, pools and memory of the HSA backend, over simulated devices and
 * without kernels: order and waiting. */
#include "work.h"

#include "hsa_queue.h"
#include "thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- opening ----------------------------------------------------------------------------------
 */

static void the_files_tried_are_reported_when_there_is_no_library(void **state)
{
    const char *const files[] = {"/nowhere/libhsa-runtime64.so.1", NULL};
    struct ah_backend_options options = {.name = "hsa", .candidates = files};
    struct ah_dynlib none = {0};
    struct ah_backend *nothing = NULL;
    char *reason = NULL;
    (void)state;
    assert_int_equal(OPS->open(&options, &none, &nothing, &reason), hipErrorSharedObjectInitFailed);
    assert_int_equal(none.attempt_count, 1);
    assert_non_null(reason);
    free(reason);
    ah_dynlib_close(&none);
}

static void the_missing_functions_of_another_library_are_reported(void **state)
{
    const char *const files[] = {"libm.so.6", NULL};
    struct ah_backend_options options = {.name = "hsa", .candidates = files};
    struct ah_dynlib other = {0};
    struct ah_backend *nothing = NULL;
    char *reason = NULL;
    (void)state;
    assert_int_equal(OPS->open(&options, &other, &nothing, &reason), hipErrorInsufficientDriver);
    assert_non_null(strstr(reason, "hsa_queue_create"));
    free(reason);
    ah_dynlib_close(&other);
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static void pageable_memory_of_any_size_is_copied_there_and_back(void **state)
{
    static const size_t sizes[] = {1, 63, 4096, (1 << 20) - 1, (1 << 20) + 1, (11 << 20) + 5};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *in = malloc(sizes[i]), *out = calloc(1, sizes[i]);
        void *memory = new_memory(first, sizes[i] + 64), *other = new_memory(second, sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            in[k] = (unsigned char)(k * 7 + k / 256 + i);
        ok(OPS->copy(first, (char *)memory + 3, in, sizes[i]));
        ok(OPS->copy_peer(first, second, other, first, (char *)memory + 3, sizes[i],
                          legacy_stream(first)));
        ok(OPS->device_synchronize(first));
        ok(OPS->copy(second, out, other, sizes[i]));
        assert_memory_equal(in, out, sizes[i]);
        ok(OPS->memory_free(first, memory));
        ok(OPS->memory_free(second, other));
        free(in);
        free(out);
    }
}

static void the_source_of_a_copy_may_be_reused_at_once(void **state)
{
    enum { SIZE = 3 << 20 };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    unsigned char *host = malloc(SIZE), *out = malloc(SIZE);
    void *memory = new_memory(first, SIZE);
    struct gate gate = closed_gate(first, stream);
    (void)state;
    memset(host, 5, SIZE);
    ok(OPS->copy_async(first, memory, host, SIZE, stream));
    memset(host, 9, SIZE);
    assert_int_equal(OPS->stream_query(first, stream), hipErrorNotReady);
    open_gate(gate);
    ok(OPS->stream_synchronize(first, stream));
    ok(OPS->copy(first, out, memory, SIZE));
    assert_true(all_bytes_are(out, SIZE, 5));
    ok(OPS->memory_free(first, memory));
    ok(OPS->host_free(first, gate.word));
    ok(OPS->stream_destroy(first, stream));
    free(host);
    free(out);
}

static void fills_of_any_address_and_size_change_nothing_else(void **state)
{
    enum { ROOM = 1 << 20 };
    static const struct {
        size_t at, size;
    } rows[] = {{0, 1}, {1, 2}, {3, 65}, {5, 70001}, {2, (1 << 19) + 3}, {4, 1 << 19}};
    unsigned char *out = malloc(ROOM);
    void *memory = new_memory(first, ROOM);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fill_bytes(first, memory, 1, ROOM, legacy_stream(first));
        fill_bytes(first, (char *)memory + rows[i].at, 0xab, rows[i].size, legacy_stream(first));
        ok(OPS->copy(first, out, memory, ROOM));
        assert_true(all_bytes_are(out, rows[i].at, 1));
        assert_true(all_bytes_are(out + rows[i].at, rows[i].size, 0xab));
        assert_true(
            all_bytes_are(out + rows[i].at + rows[i].size, ROOM - rows[i].at - rows[i].size, 1));
    }
    ok(OPS->memory_free(first, memory));
    free(out);
}

static void unknown_memory_is_pageable_and_freed_memory_is_unknown(void **state)
{
    struct ah_pointer_info info;
    char *memory = new_memory(second, 1000), *pinned = (char *)new_pinned(100);
    (void)state;
    OPS->pointer_info(first, memory + 999, &info);
    assert_int_equal(info.kind, AH_MEMORY_DEVICE);
    assert_int_equal(info.device_index, 1);
    assert_ptr_equal(info.base, memory);
    assert_int_equal(info.size, 1000);
    assert_null(info.host_pointer);
    assert_ptr_equal(info.device_pointer, memory + 999);
    OPS->pointer_info(first, pinned + 7, &info);
    assert_int_equal(info.kind, AH_MEMORY_HOST);
    assert_ptr_equal(info.host_pointer, pinned + 7);
    OPS->pointer_info(first, memory + 1000, &info);
    assert_int_equal(info.kind, AH_MEMORY_UNKNOWN);
    assert_int_equal(OPS->memory_free(second, memory + 1), hipErrorInvalidValue);
    ok(OPS->memory_free(second, memory));
    assert_int_equal(OPS->memory_free(second, memory), hipErrorInvalidValue);
    OPS->pointer_info(first, memory, &info);
    assert_int_equal(info.kind, AH_MEMORY_UNKNOWN);
    ok(OPS->host_free(first, pinned));
}

static int range_attribute(hipMemRangeAttribute attribute, const char *from, size_t size)
{
    int value = 77;
    ok(OPS->managed_attribute(first, &value, sizeof value, attribute, from, size));
    return value;
}

static void advice_for_ranges_of_managed_memory_is_stored(void **state)
{
    enum { SIZE = 64 << 10, HALF = SIZE / 2 };
    void *pointer;
    int list[3];
    (void)state;
    ok(OPS->managed_alloc(first, SIZE, hipMemAttachGlobal, &pointer));
    char *p = pointer;
    assert_int_equal(range_attribute(hipMemRangeAttributeReadMostly, p, SIZE), 0);
    assert_int_equal(range_attribute(hipMemRangeAttributePreferredLocation, p, SIZE),
                     hipInvalidDeviceId);
    ok(OPS->managed_advise(first, p, HALF, hipMemAdviseSetReadMostly, NULL));
    assert_int_equal(range_attribute(hipMemRangeAttributeReadMostly, p, HALF), 1);
    assert_int_equal(range_attribute(hipMemRangeAttributeReadMostly, p, SIZE), 0);
    ok(OPS->managed_advise(first, p, SIZE, hipMemAdviseSetPreferredLocation, second));
    ok(OPS->managed_advise(first, p + HALF, 1, hipMemAdviseSetPreferredLocation, NULL));
    assert_int_equal(range_attribute(hipMemRangeAttributePreferredLocation, p, HALF), 1);
    assert_int_equal(range_attribute(hipMemRangeAttributePreferredLocation, p + HALF, 1),
                     hipCpuDeviceId);
    assert_int_equal(range_attribute(hipMemRangeAttributePreferredLocation, p, SIZE),
                     hipInvalidDeviceId);
    ok(OPS->managed_advise(first, p, SIZE, hipMemAdviseSetAccessedBy, first));
    ok(OPS->managed_advise(first, p, SIZE, hipMemAdviseSetAccessedBy, second));
    ok(OPS->managed_advise(first, p, SIZE, hipMemAdviseUnsetAccessedBy, first));
    ok(OPS->managed_attribute(first, list, sizeof list, hipMemRangeAttributeAccessedBy, p, SIZE));
    assert_int_equal(list[0], 1);
    assert_int_equal(list[1], hipInvalidDeviceId);
    ok(OPS->managed_prefetch(first, p, SIZE, first, legacy_stream(first)));
    assert_int_equal(range_attribute(hipMemRangeAttributeLastPrefetchLocation, p, SIZE), 0);
    ok(OPS->memory_free(first, p));
}

static void advice_and_prefetches_are_for_pages(void **state)
{
    enum { PAGE = 4096, SIZE = 3 * PAGE, PART = SIZE - 100 };
    void *pointer;
    (void)state;
    ok(OPS->managed_alloc(first, PART, hipMemAttachGlobal, &pointer));
    char *p = pointer;
    ok(OPS->managed_advise(first, p + PAGE / 2, PAGE, hipMemAdviseSetReadMostly, NULL));
    assert_int_equal(range_attribute(hipMemRangeAttributeReadMostly, p, 2 * PAGE), 1);
    assert_int_equal(range_attribute(hipMemRangeAttributeReadMostly, p + 2 * PAGE, 1), 0);
    ok(OPS->managed_prefetch(first, p + SIZE - PAGE / 2, 1, second, legacy_stream(first)));
    assert_int_equal(
        range_attribute(hipMemRangeAttributeLastPrefetchLocation, p + 2 * PAGE, PART - 2 * PAGE),
        1);
    assert_int_equal(range_attribute(hipMemRangeAttributeLastPrefetchLocation, p + 2 * PAGE - 1, 1),
                     hipInvalidDeviceId);
    ok(OPS->memory_free(first, p));
}

/* ---- streams ------------------------------------------------------------------------------------
 */

static void the_default_stream_and_blocking_streams_wait_for_one_another(void **state)
{
    struct ah_backend_stream *blocking = new_stream(first, hipStreamDefault),
                             *other = new_stream(first, hipStreamDefault),
                             *apart = new_stream(first, hipStreamNonBlocking);
    uint32_t *words = new_pinned(64);
    struct gate gate = closed_gate(first, blocking);
    (void)state;
    ok(OPS->stream_write_value(first, legacy_stream(first), words, 1, 32));
    ok(OPS->stream_write_value(first, other, words + 1, 2, 32));
    ok(OPS->stream_write_value(first, apart, words + 2, 3, 32));
    ok(OPS->stream_synchronize(first, apart));
    assert_int_equal(words[2], 3);
    assert_int_equal(OPS->stream_query(first, legacy_stream(first)), hipErrorNotReady);
    assert_int_equal(OPS->stream_query(first, other), hipErrorNotReady);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0);
    open_gate(gate);
    ok(OPS->stream_synchronize(first, other));
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 2);
    ok(OPS->stream_destroy(first, blocking));
    ok(OPS->stream_destroy(first, other));
    ok(OPS->stream_destroy(first, apart));
    ok(OPS->host_free(first, words));
    ok(OPS->host_free(first, gate.word));
}

static void a_stream_that_waits_for_the_host_does_not_block_others(void **state)
{
    enum { COUNT = 24 }; /* more than there are hardware queues for them */
    struct ah_backend_stream *streams[COUNT];
    struct gate gates[COUNT / 2];
    void *memory = new_memory(first, COUNT * sizeof(uint32_t));
    uint32_t *host = new_pinned(COUNT * sizeof *host);
    (void)state;
    for (int i = 0; i < COUNT; i++)
        streams[i] = new_stream(first, hipStreamNonBlocking);
    for (int i = 0; i < COUNT / 2; i++) {
        gates[i] = closed_gate(first, streams[i]);
        ok(OPS->copy_async(first, host + i, memory, sizeof *host, streams[i]));
    }
    for (int i = COUNT / 2; i < COUNT; i++) {
        ok(OPS->copy_async(first, host + i, memory, sizeof *host, streams[i]));
        ok(OPS->stream_synchronize(first, streams[i]));
    }
    for (int i = 0; i < COUNT / 2; i++)
        assert_int_equal(OPS->stream_query(first, streams[i]), hipErrorNotReady);
    for (int i = COUNT / 2 - 1; i >= 0; i--) {
        open_gate(gates[i]);
        ok(OPS->stream_synchronize(first, streams[i]));
    }
    for (int i = 0; i < COUNT / 2; i++)
        ok(OPS->host_free(first, gates[i].word));
    for (int i = 0; i < COUNT; i++)
        ok(OPS->stream_destroy(first, streams[i]));
    ok(OPS->memory_free(first, memory));
    ok(OPS->host_free(first, host));
}

/* Puts a barrier into the stream's queue, and behind it a copy to the host into an engine. */
static void put_barrier_and_copy(struct ah_backend_stream *stream, struct ah_backend_event *event,
                                 uint32_t *to, const void *from)
{
    ok(OPS->event_record(first, event, stream));
    ok(OPS->copy_async(first, to, from, sizeof *to, stream));
}

/* The legacy stream waits for the host, and then copies. Half of the streams wait for it; each of
 * the others shares a queue with one of these, until that gets a queue of its own. */
static void put_work_behind_the_host(bool queues_left, unsigned count)
{
    struct ah_backend_stream **streams = malloc(count * sizeof(struct ah_backend_stream *));
    ok(OPS->device_reset(first)); /* few queues, all of which are shared */
    void *memory = new_memory(first, sizeof(uint32_t));
    uint32_t *host = new_pinned((count + 1) * sizeof *host);
    struct ah_backend_event *event;
    fill_bytes(first, memory, 1, sizeof *host, legacy_stream(first));
    ok(OPS->stream_synchronize(first, legacy_stream(first)));
    for (unsigned i = 0; i < count; i++)
        streams[i] = new_stream(first, i < count / 2 ? hipStreamDefault : hipStreamNonBlocking);
    ok(OPS->event_create(first, 0, &event));
    struct gate gate = closed_gate(first, legacy_stream(first));
    ok(OPS->copy_async(first, host + count, memory, sizeof *host, legacy_stream(first)));
    for (unsigned i = 0; i < count; i++)
        put_barrier_and_copy(streams[i], event, host + i, memory);
    for (unsigned i = count / 2; i < count && queues_left; i++)
        ok(OPS->stream_synchronize(first, streams[i])); /* although the gate stays closed */
    assert_int_equal(OPS->stream_query(first, streams[0]), hipErrorNotReady);
    open_gate(gate);
    ok(OPS->device_synchronize(first));
    for (unsigned i = 0; i <= count; i++)
        assert_int_equal(host[i], 0x01010101);
    for (unsigned i = 0; i < count; i++)
        ok(OPS->stream_destroy(first, streams[i]));
    ok(OPS->event_destroy(first, event));
    free_gate(gate);
    ok(OPS->memory_free(first, memory));
    ok(OPS->host_free(first, host));
    free(streams);
}

static void a_stream_behind_the_legacy_stream_and_the_host_does_not_block_others(void **state)
{
    (void)state;
    put_work_behind_the_host(true, 24);
}

/* The copies of those that share a queue with one that waits for the host must not be before the
 * legacy stream's copy in the engine. */
static void streams_that_wait_for_the_host_and_share_queues_make_progress(void **state)
{
    (void)state;
    put_work_behind_the_host(false, 96);
}

static void events_order_streams_of_two_devices(void **state)
{
    struct ah_backend_stream *here = new_stream(first, hipStreamNonBlocking),
                             *there = new_stream(second, hipStreamNonBlocking);
    struct ah_backend_event *event;
    uint32_t *words = new_pinned(64);
    struct gate gate = closed_gate(first, here);
    (void)state;
    ok(OPS->event_create(first, hipEventDisableTiming, &event));
    ok(OPS->event_query(first, event));
    ok(OPS->stream_write_value(first, here, words, 7, 64));
    ok(OPS->event_record(first, event, here));
    assert_int_equal(OPS->event_query(first, event), hipErrorNotReady);
    ok(OPS->stream_wait_event(second, there, event));
    ok(OPS->event_destroy(first, event)); /* the wait goes on */
    ok(OPS->stream_write_value(second, there, words + 2, 8, 32));
    assert_int_equal(OPS->stream_query(second, there), hipErrorNotReady);
    assert_int_equal(words[2], 0);
    open_gate(gate);
    ok(OPS->stream_synchronize(second, there));
    assert_int_equal(words[0], 7);
    assert_int_equal(words[2], 8);
    ok(OPS->stream_destroy(first, here));
    ok(OPS->stream_destroy(second, there));
    ok(OPS->host_free(first, words));
    ok(OPS->host_free(first, gate.word));
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void an_event_of_an_idle_stream_has_the_time_of_its_record(void **state)
{
    struct ah_backend_event *start, *stop, *untimed;
    float ms = 0;
    (void)state;
    ok(OPS->event_create(first, hipEventDefault, &start));
    ok(OPS->event_create(first, hipEventDefault, &stop));
    ok(OPS->event_create(first, hipEventDisableTiming, &untimed));
    assert_int_equal(OPS->event_elapsed(first, start, stop, &ms), hipErrorInvalidHandle);
    double begun = now();
    ok(OPS->event_record(first, start, legacy_stream(first)));
    ok(OPS->event_synchronize(first, start));
    usleep(20000);
    ok(OPS->event_record(first, stop, legacy_stream(first)));
    ok(OPS->event_record(first, untimed, legacy_stream(first)));
    ok(OPS->event_synchronize(first, stop));
    double whole = now() - begun;
    ok(OPS->event_elapsed(first, start, stop, &ms));
    assert_true(ms >= 20 && ms <= whole * 1e3 + 1);
    assert_int_equal(OPS->event_elapsed(first, start, untimed, &ms), hipErrorInvalidHandle);
    ok(OPS->event_destroy(first, start));
    ok(OPS->event_destroy(first, stop));
    ok(OPS->event_destroy(first, untimed));
}

static void count_call(void *data)
{
    int *calls = data;
    calls[1 + calls[0]] = calls[0];
    calls[0]++;
}

static void tell_status(void *data, hipError_t status)
{
    *(int *)data = (int)status;
}

static void host_functions_run_in_stream_order(void **state)
{
    enum { CALLS = 40 };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    int calls[CALLS + 1] = {0}, status = -1;
    struct gate gate = closed_gate(first, stream);
    (void)state;
    for (int i = 0; i < CALLS; i++)
        ok(OPS->stream_host_function(first, stream, count_call, calls));
    ok(OPS->stream_callback(first, stream, tell_status, &status));
    assert_int_equal(calls[0], 0);
    open_gate(gate);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(calls[0], CALLS);
    assert_int_equal(status, hipSuccess);
    for (int i = 0; i < CALLS; i++)
        assert_int_equal(calls[1 + i], i);
    ok(OPS->stream_destroy(first, stream));
    ok(OPS->host_free(first, gate.word));
}

static void a_destroyed_stream_finishes_its_work(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    uint32_t *words = new_pinned(64);
    struct gate gate = closed_gate(first, stream);
    (void)state;
    ok(OPS->stream_write_value(first, stream, words, 11, 32));
    ok(OPS->stream_destroy(first, stream));
    assert_int_equal(words[0], 0);
    open_gate(gate);
    ok(OPS->device_synchronize(first));
    assert_int_equal(words[0], 11);
    ok(OPS->host_free(first, words));
    ok(OPS->host_free(first, gate.word));
}

/* ---- a queue that is full ---------------------------------------------------------------------
 */

enum { RECORDS = 40000 }; /* more than twice the packets of a queue */

struct producer {
    struct ah_backend_stream *stream;
    struct ah_backend_event *event;
    _Atomic int put;
    _Atomic(pid_t) thread;
    hipError_t error;
};

static void *produce(void *data)
{
    struct producer *producer = data;
    atomic_store(&producer->thread, gettid());
    for (int i = 0; i < RECORDS && producer->error == hipSuccess; i++) {
        producer->error = OPS->event_record(first, producer->event, producer->stream);
        atomic_store(&producer->put, i + 1);
    }
    return NULL;
}

/* Waits until the producer has queued work, and sleeps without queueing more. */
static void wait_until_it_sleeps(struct producer *producer)
{
    int before = 0, quiet = 0;
    while (quiet < 20) {
        usleep(5000);
        int put = atomic_load(&producer->put);
        quiet = put > 0 && put == before && ah_test_sleeps(producer->thread) ? quiet + 1 : 0;
        before = put;
    }
}

static void a_launch_into_a_full_queue_sleeps_until_there_is_room(void **state)
{
    struct producer producer = {.stream = new_stream(first, hipStreamNonBlocking)};
    struct ah_backend_stream *other = new_stream(first, hipStreamNonBlocking);
    struct gate gate = closed_gate(first, producer.stream);
    uint32_t *words = new_pinned(64);
    pthread_t thread;
    (void)state;
    ok(OPS->event_create(first, hipEventDefault, &producer.event));
    assert_int_equal(pthread_create(&thread, NULL, produce, &producer), 0);
    wait_until_it_sleeps(&producer);
    assert_true(producer.put < RECORDS);
    ok(OPS->stream_write_value(first, other, words, 1, 32)); /* others go on */
    ok(OPS->stream_synchronize(first, other));
    assert_int_equal(words[0], 1);
    open_gate(gate);
    pthread_join(thread, NULL);
    ok(producer.error);
    ok(OPS->stream_synchronize(first, producer.stream));
    ok(OPS->event_query(first, producer.event));
    ok(OPS->event_destroy(first, producer.event));
    ok(OPS->stream_destroy(first, producer.stream));
    ok(OPS->stream_destroy(first, other));
    ok(OPS->host_free(first, words));
    ok(OPS->host_free(first, gate.word));
}

/* Four for each priority, unless GPU_MAX_HW_QUEUES is set. */
static void many_streams_share_few_queues(void **state)
{
    enum { STREAMS = 20, QUEUES = 4 };
    struct ah_backend_stream *streams[STREAMS];
    struct fakehsa_counts before, after;
    (void)state;
    ok(OPS->device_reset(second));
    fakehsa_count(&before);
    for (int i = 0; i < STREAMS; i++)
        streams[i] = new_stream(second, hipStreamNonBlocking);
    fakehsa_count(&after);
    assert_int_equal(after.queues, before.queues + QUEUES);
    for (int i = 0; i < STREAMS; i++)
        ok(OPS->stream_destroy(second, streams[i]));
}

/* ---- pools
 * ---------------------------------------------------------------------------------------- */

static uint64_t pool_count(struct ah_backend_pool *pool, hipMemPoolAttr attribute)
{
    uint64_t value = 0;
    ok(OPS->pool_get_attribute(first, pool, attribute, &value));
    return value;
}

static void memory_of_a_pool_is_reused_in_stream_order(void **state)
{
    enum { SIZE = 100000 };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking),
                             *other = new_stream(first, hipStreamNonBlocking);
    struct ah_backend_pool *pool;
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned};
    void *a, *b, *c;
    int no = 0;
    (void)state;
    ok(OPS->pool_create(first, &properties, &pool));
    struct gate gate = closed_gate(first, stream);
    ok(OPS->pool_alloc(first, pool, SIZE, stream, &a));
    ok(OPS->pool_free(first, a, stream));
    ok(OPS->pool_alloc(first, pool, SIZE, stream, &b)); /* at once, in the same stream */
    assert_ptr_equal(a, b);
    ok(OPS->pool_free(first, b, stream));
    ok(OPS->pool_set_attribute(first, pool, hipMemPoolReuseAllowInternalDependencies, &no));
    ok(OPS->pool_alloc(first, pool, SIZE, other, &c)); /* another stream may not get it yet */
    assert_ptr_not_equal(a, c);
    assert_true(pool_count(pool, hipMemPoolAttrUsedMemCurrent) >= SIZE);
    assert_true(pool_count(pool, hipMemPoolAttrReservedMemCurrent) >= 2 * SIZE);
    open_gate(gate);
    ok(OPS->stream_synchronize(first, stream));
    ok(OPS->pool_trim(first, pool, 0));
    assert_true(pool_count(pool, hipMemPoolAttrReservedMemCurrent) < 2 * SIZE);
    ok(OPS->pool_free(first, c, other));
    ok(OPS->stream_synchronize(first, other)); /* the threshold is 0: all memory is freed */
    assert_int_equal(pool_count(pool, hipMemPoolAttrReservedMemCurrent), 0);
    assert_true(pool_count(pool, hipMemPoolAttrReservedMemHigh) >= 2 * SIZE);
    assert_int_equal(OPS->pool_free(first, c, other), hipErrorInvalidValue);
    ok(OPS->pool_destroy(first, pool));
    ok(OPS->stream_destroy(first, stream));
    ok(OPS->stream_destroy(first, other));
    ok(OPS->host_free(first, gate.word));
}

/* ---- the end ----------------------------------------------------------------------------------
 */

/* The last function that the thread of a stream calls for a job, which blocks until it is
 * released. */
struct held {
    _Atomic bool reached, released, over;
};

static void hold_thread(void *owner)
{
    struct held *held = owner;
    atomic_store(&held->reached, true);
    while (!atomic_load(&held->released))
        usleep(1000);
    atomic_store(&held->over, true);
}

/* A thread that ends the device or the backend, and what it saw of the held thread after that. */
struct ender {
    void (*end)(void **state);
    struct held *held;
    _Atomic pid_t thread;
    _Atomic bool ended;
    bool thread_was_over;
};

static void *end_everything(void *data)
{
    struct ender *ender = data;
    atomic_store(&ender->thread, gettid());
    ender->end(NULL);
    ender->thread_was_over = atomic_load(&ender->held->over);
    atomic_store(&ender->ended, true);
    return NULL;
}

static void wait_until_it_ended_or_sleeps(struct ender *ender)
{
    for (int quiet = 0; quiet < 20 && !atomic_load(&ender->ended);) {
        pid_t thread = atomic_load(&ender->thread);
        usleep(5000);
        quiet = thread && ah_test_sleeps(thread) ? quiet + 1 : 0;
    }
}

/* end must wait for the thread of a stream that was destroyed, which is in its last job. */
static void end_while_a_thread_is_held(void (*end)(void **state))
{
    static struct held held;
    int status = -1;
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    struct ender ender = {.end = end, .held = &held};
    struct ahhsa_job job = {.kind = AHHSA_JOB_CALLBACK,
                            .callback = tell_status,
                            .data = &status,
                            .finish = hold_thread,
                            .owner = &held};
    pthread_t thread;
    atomic_store(&held.reached, false);
    atomic_store(&held.released, false);
    atomic_store(&held.over, false);
    ok(ahhsa_host_enqueue(stream, &job, false));
    ok(OPS->stream_destroy(first, stream));
    while (!atomic_load(&held.reached))
        usleep(1000);
    assert_int_equal(pthread_create(&thread, NULL, end_everything, &ender), 0);
    wait_until_it_ended_or_sleeps(&ender);
    bool early = atomic_load(&ender.ended);
    atomic_store(&held.released, true);
    pthread_join(thread, NULL);
    assert_false(early);
    assert_true(ender.thread_was_over);
    ok(status);
}

static void reset_first(void **state)
{
    (void)state;
    ok(OPS->device_reset(first));
}

static void close_all(void **state)
{
    assert_int_equal(close_devices(state), 0);
}

static void a_reset_waits_for_the_threads_of_destroyed_streams(void **state)
{
    (void)state;
    end_while_a_thread_is_held(reset_first);
}

static void closing_waits_for_the_threads_of_destroyed_streams(void **state)
{
    assert_int_equal(open_two_devices(state), 0);
    end_while_a_thread_is_held(close_all);
}

/* The thread of a destroyed stream waits for a value that is never written, when its device
 * fails. */
static void a_reset_ends_the_waits_of_destroyed_streams(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    int calls[2] = {0}, status = -1;
    void *word;
    (void)state;
    ok(OPS->host_alloc(second, 64, hipHostMallocDefault, &word));
    memset(word, 0, 64);
    ok(OPS->stream_wait_value(first, stream, word, 1, UINT32_MAX, AH_WAIT_EQUAL, 32));
    ok(OPS->stream_host_function(first, stream, count_call, calls));
    ok(OPS->stream_callback(first, stream, tell_status, &status));
    ok(OPS->stream_destroy(first, stream));
    fakehsa_break(0, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
    while (OPS->device_synchronize(first) == hipSuccess) {
    }
    ok(OPS->device_reset(first));
    assert_int_equal(calls[0], 0);
    assert_int_not_equal(status, -1);
    assert_int_not_equal(status, hipSuccess);
    ok(OPS->host_free(second, word));
}

static void a_reset_frees_everything_and_the_device_starts_anew(void **state)
{
    struct ah_pointer_info info;
    struct ah_backend_stream *stream = new_stream(first, hipStreamDefault);
    struct ah_backend_event *event;
    void *memory = new_memory(first, 4096), *again;
    struct gate gate = closed_gate(first, stream);
    (void)state;
    ok(OPS->event_create(first, hipEventDefault, &event));
    ok(OPS->event_record(first, event, stream));
    open_gate(gate);
    ok(OPS->device_reset(first));
    OPS->pointer_info(second, memory, &info);
    assert_int_equal(info.kind, AH_MEMORY_UNKNOWN);
    again = new_memory(first, 4096);
    fill_bytes(first, again, 3, 4096, legacy_stream(first));
    fill_bytes(first, again, 4, 4096, stream_of_thread(first));
    ok(OPS->device_synchronize(first));
    ok(OPS->memory_free(first, again));
}

/* Every attribute of a device in turn is unknown to the runtime. */
static void a_device_has_one_die_when_the_runtime_does_not_report_the_number(void **state)
{
    enum { QUESTIONS = 60 };
    for (unsigned nth = 1; nth <= QUESTIONS; nth++) {
        int parts = 0;
        assert_int_equal(open_two_devices(state), 0);
        fakehsa_fail("hsa_agent_get_info", nth, HSA_STATUS_ERROR_INVALID_ARGUMENT);
        hipError_t error = OPS->device_attribute(first, hipDeviceAttributeNumberOfXccs, &parts);
        assert_true(error != hipSuccess || parts == 1);
        fakehsa_clear_faults();
        assert_int_equal(close_devices(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest alone[] = {
        cmocka_unit_test(closing_waits_for_the_threads_of_destroyed_streams),
        cmocka_unit_test(a_device_has_one_die_when_the_runtime_does_not_report_the_number),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_files_tried_are_reported_when_there_is_no_library),
        cmocka_unit_test(the_missing_functions_of_another_library_are_reported),
        cmocka_unit_test(pageable_memory_of_any_size_is_copied_there_and_back),
        cmocka_unit_test(the_source_of_a_copy_may_be_reused_at_once),
        cmocka_unit_test(fills_of_any_address_and_size_change_nothing_else),
        cmocka_unit_test(unknown_memory_is_pageable_and_freed_memory_is_unknown),
        cmocka_unit_test(advice_for_ranges_of_managed_memory_is_stored),
        cmocka_unit_test(advice_and_prefetches_are_for_pages),
        cmocka_unit_test(the_default_stream_and_blocking_streams_wait_for_one_another),
        cmocka_unit_test(a_stream_that_waits_for_the_host_does_not_block_others),
        cmocka_unit_test(a_stream_behind_the_legacy_stream_and_the_host_does_not_block_others),
        cmocka_unit_test(streams_that_wait_for_the_host_and_share_queues_make_progress),
        cmocka_unit_test(events_order_streams_of_two_devices),
        cmocka_unit_test(an_event_of_an_idle_stream_has_the_time_of_its_record),
        cmocka_unit_test(host_functions_run_in_stream_order),
        cmocka_unit_test(a_destroyed_stream_finishes_its_work),
        cmocka_unit_test(a_launch_into_a_full_queue_sleeps_until_there_is_room),
        cmocka_unit_test(many_streams_share_few_queues),
        cmocka_unit_test(memory_of_a_pool_is_reused_in_stream_order),
        cmocka_unit_test(a_reset_waits_for_the_threads_of_destroyed_streams),
        cmocka_unit_test(a_reset_ends_the_waits_of_destroyed_streams),
        cmocka_unit_test(a_reset_frees_everything_and_the_device_starts_anew),
    };
    return cmocka_run_group_tests(tests, open_two_devices, close_devices) +
           cmocka_run_group_tests(alone, NULL, NULL);
}
