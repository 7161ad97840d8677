/* Streams of the HSA backend: many of them, what they wait for, and the queues they use. */
#include "work.h"

#include <stdlib.h>
#include <time.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_a_device_takes_time_in_proportion_to_its_streams),
    };
    return cmocka_run_group_tests(tests, open_two_devices, close_devices);
}
