/* What devices of the CUDA backend report of their work, by pairs of events over the fake driver:
 * which records there are, that their times are in the order of the work and within the host's, and
 * what becomes of them when something fails. */
#include "support.h"

#include "../backend/recorder.h"
#include "../driver/fill_ptx.h"
#include "cuda_backend.h"
#include "fakecuda.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPS              (&ahcuda_ops)
#define ok(call)         assert_int_equal((call), hipSuccess)
#define expect(call, to) assert_int_equal((call), (to))

enum { WORDS = 1024 };

static const char ptx[] = PTX_HEADER PTX_FILL
    ".visible .entry fake_spin(.param .u32 milliseconds)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %rd<4>;\n"
    "    ld.param.u32 %r0, [milliseconds];\n"
    "    mul.wide.u32 %rd0, %r0, 1000000; mov.u64 %rd1, %globaltimer; add.u64 %rd0, %rd0, %rd1;\n"
    "loop: mov.u64 %rd1, %globaltimer; setp.lt.u64 %p, %rd1, %rd0; @%p bra loop;\n"
    "    ret;\n"
    "}\n";

static struct ah_dynlib lib;
static struct ah_backend *backend;
static struct ah_backend_device *first;
static struct ah_backend_module *module;
static struct ah_backend_function *fill, *spin;
static struct ah_backend_stream *stream;
static uint32_t *words; /* page-locked */
static char *memory;    /* of the device */

/* ---- work ----------------------------------------------------------------------------------- */

static hipError_t launch(struct ah_backend_function *function, void **params,
                         struct ah_backend_stream *to)
{
    struct ah_launch sizes = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params};
    return OPS->launch(first, function, &sizes, to);
}

static hipError_t launch_fill(struct ah_backend_stream *to)
{
    unsigned value = 7, count = 4;
    void *params[] = {&words, &value, &count};
    return launch(fill, params, to);
}

static uint64_t traced_fill(struct ah_backend_stream *to)
{
    uint64_t id = recorder_begin(to, AH_TRACE_KERNEL);
    ok(launch_fill(to));
    recorder_end(to);
    return id;
}

static uint64_t traced_spin(unsigned milliseconds)
{
    void *params[] = {&milliseconds};
    uint64_t id = recorder_begin(stream, AH_TRACE_KERNEL);
    ok(launch(spin, params, stream));
    recorder_end(stream);
    return id;
}

static uint64_t traced_copy(void)
{
    uint64_t id = recorder_begin(stream, AH_TRACE_COPY);
    ok(OPS->copy_async(first, memory, words, WORDS * sizeof *words, stream));
    recorder_end(stream);
    return id;
}

/* Closes the stream until the word is 1. */
static void close_gate(void)
{
    __atomic_store_n(&words[WORDS - 1], 0, __ATOMIC_RELEASE);
    ok(OPS->stream_wait_value(first, stream, &words[WORDS - 1], 1, UINT32_MAX, AH_WAIT_GEQUAL, 32));
}

static void open_gate(void)
{
    __atomic_store_n(&words[WORDS - 1], 1, __ATOMIC_RELEASE);
}

/* ---- beginning and end ------------------------------------------------------------------------
 */

static void load(void)
{
    struct ah_image image;
    void *pointer;
    ah_image_identify(&image, ptx, sizeof ptx);
    ok(OPS->module_load(first, &image, 0, NULL, NULL, &module));
    ok(OPS->module_function(first, module, "fake_fill", &fill));
    ok(OPS->module_function(first, module, "fake_spin", &spin));
    ok(OPS->host_alloc(first, WORDS * sizeof *words, 0, &pointer));
    words = pointer;
    ok(OPS->memory_alloc(first, WORDS * sizeof *words, 0, &pointer));
    memory = pointer;
    ok(OPS->stream_create(first, hipStreamNonBlocking, 0, &stream));
}

static int open_all(void **state)
{
    const char *const files[] = {FAKECUDA_PATH, NULL};
    const struct ah_backend_options options = {.name = "cuda", .candidates = files};
    char *reason = NULL;
    (void)state;
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_WARNING, .mask = AH_LOG_ALWAYS});
    if (OPS->open(&options, &lib, &backend, &reason) != hipSuccess) {
        print_error("%s\n", reason ? reason : "no reason");
        return -1;
    }
    first = OPS->device_at(backend, 0);
    load();
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    ok(OPS->stream_destroy(first, stream));
    ok(OPS->memory_free(first, memory));
    ok(OPS->host_free(first, words));
    ok(OPS->module_unload(first, module));
    OPS->close(backend);
    ah_dynlib_close(&lib);
    if (*fakecuda_report())
        print_error("left in the driver:\n%s", fakecuda_report());
    for (size_t i = 0; i < fakecuda_violations(); i++)
        print_error("%s\n", fakecuda_violation_at(i));
    return *fakecuda_report() || fakecuda_violations() ? -1 : 0;
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
    enum { ROUNDS = 100 };
    uint64_t ids[2 * ROUNDS];
    const struct ah_trace_record *before = NULL;
    (void)state;
    for (int i = 0; i < 2 * ROUNDS; i += 2) {
        ids[i] = traced_fill(stream);
        ids[i + 1] = traced_copy();
    }
    recorder_collect(true);
    for (int i = 0; i < 2 * ROUNDS; i++) {
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
    enum { ROUNDS = 14, PAUSE = 100000 };
    uint64_t last = 0;
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
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

/* ---- many threads -----------------------------------------------------------------------------
 */

enum { ROUNDS = 200 };

static void *work_in_a_stream(void *data)
{
    struct ah_backend_stream *own;
    uint64_t id = *(uint64_t *)data;
    ok(OPS->stream_create(first, hipStreamNonBlocking, 0, &own));
    for (int i = 0; i < ROUNDS; i++, id++) {
        OPS->trace_begin(first, own, id, AH_TRACE_KERNEL);
        ok(launch_fill(own));
        OPS->trace_end(first, own, id);
    }
    ok(OPS->stream_synchronize(first, own));
    ok(OPS->stream_destroy(first, own));
    return NULL;
}

static void threads_work_while_another_collects(void **state)
{
    (void)state;
    recorder_run_threads(work_in_a_stream, ROUNDS);
    for (uint64_t i = 0; i < RECORDER_THREADS; i++) {
        uint64_t last = 0;
        for (uint64_t id = i * ROUNDS + 1; id <= (i + 1) * ROUNDS; id++) {
            const struct ah_trace_record *record = recorder_only(id, AH_TRACE_KERNEL);
            assert_true(record->begin >= last);
            last = record->end;
        }
    }
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
