/* What devices of the CUDA backend report of their work, by pairs of events over the fake driver:
 * which records there are, that their times are in the order of the work and within the host's, and
 * what becomes of them when something fails. */
#include "traced.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t traced_spin(unsigned milliseconds)
{
    void *params[] = {&milliseconds};
    uint64_t id = recorder_begin(stream, AH_TRACE_KERNEL);
    ok(launch(spin, params, stream));
    recorder_end(stream);
    return id;
}

static int start(void **state)
{
    recorder_start(OPS, first);
    return ah_test_set_up(state);
}

static int end(void **state)
{
    recorder_stop();
    return ah_test_tear_down(state);
}

/* ---- what is recorded -------------------------------------------------------------------------
 */

static void commands_of_a_stream_come_one_after_the_other(void **state)
{
    enum { TIMES = 100 };
    uint64_t ids[2 * TIMES];
    const struct ah_trace_record *before = NULL;
    (void)state;
    for (int i = 0; i < 2 * TIMES; i += 2) {
        ids[i] = traced_fill(stream);
        ids[i + 1] = traced_copy();
    }
    recorder_collect(true);
    for (int i = 0; i < 2 * TIMES; i++) {
        const struct ah_trace_record *record =
            recorder_only(ids[i], i % 2 == 0 ? AH_TRACE_KERNEL : AH_TRACE_COPY);
        assert_int_equal(record->node, -1);
        assert_true(!before || record->begin >= before->end);
        before = record;
    }
    assert_int_equal(recorder.lost, 0);
    assert_string_equal(recorder.method, "event pairs");
}

static void a_kernel_takes_as_long_as_it_takes(void **state)
{
    enum { MILLISECONDS = 20 };
    (void)state;
    uint64_t id = traced_spin(MILLISECONDS);
    recorder_collect(true);
    const struct ah_trace_record *record = recorder_only(id, AH_TRACE_KERNEL);
    assert_true(record->end - record->begin >= MILLISECONDS * 999000);
}

/* The bases of times are renewed twice a second. */
static void times_of_a_long_run_stay_on_one_line(void **state)
{
    enum { TIMES = 14, PAUSE = 100000 };
    uint64_t last = 0;
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        uint64_t submitted = ah_clock_now(), id = traced_fill(stream);
        ok(OPS->stream_synchronize(first, stream));
        uint64_t seen = ah_clock_now();
        recorder_collect(i % 2 == 0);
        recorder_collect(true);
        const struct ah_trace_record *record = recorder_only(id, AH_TRACE_KERNEL);
        assert_true(record->begin + RECORDER_ERROR >= submitted);
        assert_true(record->end <= seen + RECORDER_ERROR);
        assert_true(record->begin >= last);
        last = record->end;
        usleep(PAUSE);
    }
}

static void blocking_copies_in_the_default_stream_are_recorded(void **state)
{
    struct ah_backend_stream *legacy;
    (void)state;
    ok(OPS->stream_legacy(first, &legacy));
    uint64_t id = recorder_begin(legacy, AH_TRACE_COPY);
    ok(OPS->copy(first, memory, words, 100));
    recorder_end(legacy);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_COPY);
}

static void commands_may_be_nested_deeply(void **state)
{
    enum { DEPTH = 20 };
    struct ah_backend_stream *other;
    (void)state;
    ok(OPS->stream_create(first, hipStreamNonBlocking, 0, &other));
    uint64_t outer = recorder_begin(stream, AH_TRACE_COPY);
    uint64_t inner = recorder_begin(other, AH_TRACE_KERNEL);
    ok(launch_fill(other));
    OPS->trace_end(first, other, inner);
    OPS->trace_end(first, stream, outer);
    for (int i = 0; i < DEPTH; i++)
        recorder_begin(stream, AH_TRACE_KERNEL);
    for (int i = 0; i < DEPTH; i++)
        recorder_end(stream);
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(outer, AH_TRACE_COPY);
    recorder_only(inner, AH_TRACE_KERNEL);
    recorder_only(id, AH_TRACE_KERNEL);
    ok(OPS->stream_destroy(first, other));
}

static void records_outlive_their_stream(void **state)
{
    struct ah_backend_stream *brief;
    (void)state;
    ok(OPS->stream_create(first, hipStreamNonBlocking, 0, &brief));
    uint64_t id = traced_fill(brief);
    ok(OPS->stream_destroy(first, brief));
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

static void nothing_is_recorded_after_the_end(void **state)
{
    (void)state;
    traced_fill(stream);
    recorder_stop();
    size_t count = recorder.count;
    unsigned records = fakecuda_calls("cuEventRecord"), made = fakecuda_calls("cuEventCreate"),
             gone = fakecuda_calls("cuEventDestroy_v2");
    assert_int_equal(made, gone);
    for (int i = 0; i < 10; i++)
        traced_fill(stream);
    recorder_collect(true);
    assert_int_equal(recorder.count, count);
    assert_int_equal(fakecuda_calls("cuEventRecord"), records);
    recorder_start(OPS, first);
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

/* ---- when something is wrong ------------------------------------------------------------------
 */

static void work_that_does_not_end_is_not_waited_for(void **state)
{
    (void)state;
    close_gate();
    uint64_t id = traced_fill(stream);
    recorder_collect(false);
    recorder_collect(true);
    assert_int_equal(recorder.count, 0);
    assert_int_equal(recorder.lost, 0);
    open_gate();
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

static void what_the_driver_refuses_costs_records_and_no_work(void **state)
{
    static const char *const functions[] = {"cuEventCreate", "cuEventRecord",
                                            "cuStreamCreateWithPriority"};
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        for (unsigned nth = 1; nth <= 6; nth++) {
            recorder_stop();
            recorder_start(OPS, first);
            words[0] = 0;
            fakecuda_fail(functions[i], nth, CUDA_ERROR_OUT_OF_MEMORY);
            uint64_t ids[] = {traced_fill(stream), traced_copy(), traced_fill(stream)};
            recorder_collect(true);
            fakecuda_clear_faults();
            uint64_t later = traced_fill(stream);
            recorder_collect(true);
            ok(OPS->stream_synchronize(first, stream));
            assert_int_equal(words[0], 7);
            assert_int_equal(recorder.count + recorder.lost, 4);
            for (int k = 0; k < 3; k++)
                assert_true(recorder_count(ids[k], NULL) <= 1);
            assert_true(recorder_count(later, NULL) <= 1);
        }
    }
}

static void a_reset_reports_what_was_done(void **state)
{
    (void)state;
    uint64_t before = traced_fill(stream);
    ok(OPS->stream_synchronize(first, stream));
    uint64_t inside = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->device_reset(first));
    OPS->trace_end(first, stream, inside); /* of a stream that is gone */
    recorder_collect(true);
    recorder_only(before, AH_TRACE_KERNEL);
    assert_int_equal(recorder_count(inside, NULL), 0);
    assert_int_equal(recorder.lost, 1);
    load();
    uint64_t after = traced_fill(stream);
    recorder_collect(true);
    recorder_only(after, AH_TRACE_KERNEL);
}

static void a_device_that_fails_loses_what_it_did_not_end(void **state)
{
    enum { BEHIND = 20 };
    (void)state;
    uint64_t before = traced_fill(stream);
    recorder_collect(true);
    recorder_only(before, AH_TRACE_KERNEL);
    for (int i = 0; i < BEHIND; i++)
        traced_fill(stream);
    fakecuda_break(0, 700 /* CUDA_ERROR_ILLEGAL_ADDRESS */);
    ah_test_capture();
    recorder_begin(stream, AH_TRACE_KERNEL);
    assert_int_not_equal(launch_fill(stream), hipSuccess);
    recorder_end(stream);
    recorder_collect(true);
    recorder_collect(true);
    ok(OPS->device_reset(first));
    recorder_collect(true);
    ah_test_captured();
    assert_int_equal(recorder.count + recorder.lost, 1 + BEHIND + 1);
    assert_int_equal(recorder.count, 1);
    load();
    uint64_t after = traced_fill(stream);
    recorder_collect(true);
    recorder_only(after, AH_TRACE_KERNEL);
}

static void what_is_outstanding_is_bounded(void **state)
{
    enum { PAIRS_MAX = 1 << 15, MANY = PAIRS_MAX + 100 };
    (void)state;
    for (int i = 0; i < MANY; i++) {
        recorder_begin(stream, AH_TRACE_OTHER);
        recorder_end(stream);
    }
    recorder_collect(true);
    assert_int_equal(recorder.count, PAIRS_MAX);
    assert_int_equal(recorder.lost, MANY - PAIRS_MAX);
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

static void threads_work_while_another_collects(void **state)
{
    (void)state;
    check_threads();
}

int main(void)
{
#define TIMES(function) cmocka_unit_test_setup_teardown(function, start, end)
    const struct CMUnitTest tests[] = {
        TIMES(commands_of_a_stream_come_one_after_the_other),
        TIMES(a_kernel_takes_as_long_as_it_takes),
        TIMES(times_of_a_long_run_stay_on_one_line),
        TIMES(blocking_copies_in_the_default_stream_are_recorded),
        TIMES(commands_may_be_nested_deeply),
        TIMES(records_outlive_their_stream),
        TIMES(nothing_is_recorded_after_the_end),
        TIMES(work_that_does_not_end_is_not_waited_for),
        TIMES(what_the_driver_refuses_costs_records_and_no_work),
        TIMES(a_reset_reports_what_was_done),
        TIMES(a_device_that_fails_loses_what_it_did_not_end),
        TIMES(what_is_outstanding_is_bounded),
        TIMES(threads_work_while_another_collects),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
