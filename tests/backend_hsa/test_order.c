/* Streams of the HSA backend: many of them, what they wait for, and the queues they use. */
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- many streams ----------------------------------------------------------------------- */

static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* The least of some rounds. */
static double seconds_to_synchronize(void)
{
    double least = 1e9;
    for (int i = 0; i < 5; i++) {
        double start = processor_seconds();
        ok(OPS->device_synchronize(first));
        double took = processor_seconds() - start;
        least = took < least ? took : least;
    }
    return least;
}

static void waiting_for_a_device_takes_time_in_proportion_to_its_streams(void **state)
{
    enum { FEW = 500, MANY = 40 * FEW };
    struct ah_backend_stream **streams = malloc(MANY * sizeof(struct ah_backend_stream *));
    (void)state;
    for (int i = 0; i < FEW; i++)
        streams[i] = new_stream(first, hipStreamNonBlocking);
    double few = seconds_to_synchronize();
    for (int i = FEW; i < MANY; i++)
        streams[i] = new_stream(first, hipStreamNonBlocking);
    assert_true(seconds_to_synchronize() < 400 * few); /* the square would be 1600 */
    double start = processor_seconds();
    for (int i = 0; i < FEW; i++)
        ok(OPS->stream_destroy(first, streams[i]));
    double some = processor_seconds() - start;
    for (int i = FEW; i < MANY; i++)
        ok(OPS->stream_destroy(first, streams[i]));
    assert_true(processor_seconds() - start < 400 * some);
    free(streams);
}

/* ---- what streams wait for -------------------------------------------------------------- */

/* More events than one barrier packet has room for. */
static void a_stream_waits_for_all_of_many_events(void **state)
{
    enum { COUNT = 12, NAP = 3000 };
    struct ah_backend_stream *streams[COUNT], *last = new_stream(first, hipStreamNonBlocking);
    struct ah_backend_event *events[COUNT], *end;
    (void)state;
    ok(OPS->event_create(first, hipEventDisableTiming, &end));
    for (int i = 0; i < COUNT; i++) {
        streams[i] = new_stream(first, hipStreamNonBlocking);
        ok(OPS->event_create(first, hipEventDisableTiming, &events[i]));
    }
    for (int closed = 0; closed < COUNT; closed++) {
        struct gate gates[COUNT];
        for (int i = 0; i < COUNT; i++) {
            gates[i] = closed_gate(first, streams[i]);
            ok(OPS->event_record(first, events[i], streams[i]));
            ok(OPS->stream_wait_event(first, last, events[i]));
        }
        ok(OPS->event_record(first, end, last));
        for (int i = 0; i < COUNT; i++)
            if (i != closed) {
                open_gate(gates[i]);
                ok(OPS->stream_synchronize(first, streams[i]));
            }
        usleep(NAP); /* in which an end that waits for too little would come */
        assert_int_equal(OPS->event_query(first, end), hipErrorNotReady);
        open_gate(gates[closed]);
        ok(OPS->stream_synchronize(first, last));
        ok(OPS->event_query(first, end));
        for (int i = 0; i < COUNT; i++)
            free_gate(gates[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        ok(OPS->event_destroy(first, events[i]));
        ok(OPS->stream_destroy(first, streams[i]));
    }
    ok(OPS->event_destroy(first, end));
    ok(OPS->stream_destroy(first, last));
}

/* ---- queues ----------------------------------------------------------------------------- */

struct producer {
    struct ah_backend_stream *stream;
    struct ah_backend_event *event;
    _Atomic unsigned put;
    hipError_t error;
};

static void *record_without_end(void *data)
{
    struct producer *producer = data;
    while (producer->error == hipSuccess) {
        producer->error = OPS->event_record(first, producer->event, producer->stream);
        atomic_fetch_add(&producer->put, 1);
    }
    return NULL;
}

static void a_launch_that_waits_for_a_full_queue_returns_when_the_device_fails(void **state)
{
    enum { NAP = 100000 };
    struct producer producer = {.stream = new_stream(first, hipStreamNonBlocking)};
    unsigned before = 0;
    pthread_t thread;
    (void)state;
    ok(OPS->event_create(first, hipEventDefault, &producer.event));
    closed_gate(first, producer.stream); /* for good */
    assert_int_equal(pthread_create(&thread, NULL, record_without_end, &producer), 0);
    while (before == 0 || before != atomic_load(&producer.put)) { /* until it gets no further */
        before = atomic_load(&producer.put);
        usleep(NAP);
    }
    fakehsa_break(0, HSA_STATUS_ERROR_EXCEPTION);
    pthread_join(thread, NULL);
    assert_int_equal(producer.error, hipErrorLaunchFailure);
    assert_int_equal(OPS->device_synchronize(first), hipErrorLaunchFailure);
    ok(OPS->device_reset(first));
    fill_bytes(first, new_memory(first, 64), 1, 64, legacy_stream(first));
    ok(OPS->device_synchronize(first));
}

static void streams_share_queues_when_no_more_can_be_created(void **state)
{
    enum { COUNT = 6 };
    struct ah_backend_stream *streams[COUNT], *masked;
    struct ah_backend_context *context;
    struct gate gates[COUNT];
    uint32_t *words = new_pinned(COUNT * sizeof *words), mask = 3;
    uint64_t queues[2];
    void *memory;
    (void)state;
    ok(OPS->device_reset(second));
    fakehsa_fail("hsa_queue_create", 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    assert_int_equal(OPS->memory_alloc(second, 64, hipDeviceMallocDefault, &memory),
                     hipErrorOutOfMemory); /* not even one */
    fakehsa_clear_faults();
    ok(OPS->device_synchronize(second));
    fakehsa_fail("hsa_queue_create", 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    for (int i = 0; i < COUNT; i++)
        streams[i] = new_stream(second, hipStreamNonBlocking);
    ok(OPS->stream_native(second, streams[0], &queues[0]));
    ok(OPS->stream_native(second, streams[COUNT - 1], &queues[1]));
    assert_true(queues[0] == queues[1]);
    ok(OPS->context_create(second, &mask, 1, &context));
    assert_int_equal(OPS->context_stream_create(second, context, 0, 0, &masked),
                     hipErrorOutOfMemory);
    ok(OPS->context_destroy(second, context));
    for (int i = 0; i < COUNT; i++) { /* each waits for the host, for which it has no queue */
        gates[i] = closed_gate(second, streams[i]);
        ok(OPS->stream_write_value(second, streams[i], words + i, 1, 32));
    }
    fakehsa_clear_faults();
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(words[i], 0);
        open_gate(gates[i]);
        ok(OPS->stream_synchronize(second, streams[i]));
        assert_int_equal(words[i], 1);
    }
    for (int i = 0; i < COUNT; i++) {
        ok(OPS->stream_destroy(second, streams[i]));
        free_gate(gates[i]);
    }
    ok(OPS->host_free(first, words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_a_device_takes_time_in_proportion_to_its_streams),
        cmocka_unit_test(a_stream_waits_for_all_of_many_events),
        cmocka_unit_test(a_launch_that_waits_for_a_full_queue_returns_when_the_device_fails),
        cmocka_unit_test(streams_share_queues_when_no_more_can_be_created),
    };
    return cmocka_run_group_tests(tests, open_two_devices, close_devices);
}
