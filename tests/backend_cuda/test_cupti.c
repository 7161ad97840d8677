/* What devices of the CUDA backend report of their work by CUPTI: which records there are, those of
 * graphs' nodes, what is lost, and that events take its place when it cannot be used. */
#include "traced.h"

#include "fakecupti.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 35 };

static struct ah_backend_device *second;

static uint64_t traced_memset(void)
{
    const struct ah_fill all = {
        .dst = memory, .value = 1, .element_size = 4, .width = WORDS, .height = 1};
    uint64_t id = recorder_begin(stream, AH_TRACE_FILL);
    ok(OPS->fill(first, &all, stream));
    recorder_end(stream);
    return id;
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static int open_both(void **state)
{
    int result = open_all(state);
    if (result == 0)
        second = OPS->device_at(backend, 1);
    return result;
}

static int set_up(void **state)
{
    fakecupti_reset();
    ah_test_setenv("ANYHIP_CUPTI", FAKECUDA_PATH);
    return ah_test_set_up(state);
}

static int start(void **state)
{
    int result = set_up(state);
    recorder_start(OPS, first);
    return result;
}

static int end(void **state)
{
    fakecupti_reset();
    recorder_stop();
    assert_int_equal(fakecupti_enabled(), 0);
    assert_int_equal(fakecupti_buffers(), 0);
    return ah_test_tear_down(state);
}

/* ---- what is recorded ----------------------------------------------------------------------- */

static void commands_have_their_records(void **state)
{
    enum { TIMES = 500 };
    uint64_t ids[3 * TIMES];
    const struct ah_trace_record *before = NULL;
    (void)state;
    assert_string_equal(recorder.method, "CUPTI");
    for (int reverse = 0; reverse < 2; reverse++) {
        fakecupti_reverse(reverse);
        for (int i = 0; i < 3 * TIMES; i += 3) {
            ids[i] = traced_fill(stream);
            ids[i + 1] = traced_copy();
            ids[i + 2] = traced_memset();
        }
        recorder_collect(true);
        for (int i = 0; i < 3 * TIMES; i++) {
            static const enum ah_trace_kind kinds[] = {AH_TRACE_KERNEL, AH_TRACE_COPY,
                                                       AH_TRACE_FILL};
            const struct ah_trace_record *record = recorder_only(ids[i], kinds[i % 3]);
            assert_int_equal(record->node, -1);
            assert_int_equal(record->bytes, i % 3 == 0 ? 0 : BYTES);
            assert_true(!before || record->begin >= before->end);
            before = record;
        }
    }
    assert_int_equal(recorder.lost, 0);
}

static void work_outside_of_commands_has_none(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        ok(launch_fill(stream));
    uint64_t id = traced_fill(stream);
    ok(launch_fill(stream));
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
    assert_int_equal(recorder.count, 1);
    assert_int_equal(recorder.lost, 0);
}

static void commands_may_be_nested(void **state)
{
    struct ah_backend_stream *other;
    (void)state;
    ok(OPS->stream_create(first, hipStreamNonBlocking, 0, &other));
    uint64_t outer = recorder_begin(stream, AH_TRACE_COPY);
    uint64_t inner = recorder_begin(other, AH_TRACE_KERNEL);
    ok(launch_fill(other));
    OPS->trace_end(first, other, inner);
    ok(OPS->copy_async(first, memory, words, BYTES, stream));
    OPS->trace_end(first, stream, outer);
    recorder_collect(true);
    recorder_only(outer, AH_TRACE_COPY);
    recorder_only(inner, AH_TRACE_KERNEL);
    ok(OPS->stream_destroy(first, other));
}

/* A fill, a copy behind it, and a kernel beside them. */
static struct ah_backend_graph *make_graph(void)
{
    static const unsigned behind[] = {0};
    struct ah_backend_graph *graph;
    unsigned value = 7, count = 4;
    void *params[] = {&words, &value, &count};
    struct ah_launch sizes = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params};
    struct ah_graph_node nodes[3] = {{.kind = AH_GRAPH_FILL, .enabled = true, .device = first},
                                     {.kind = AH_GRAPH_COPY,
                                      .enabled = true,
                                      .device = first,
                                      .dependencies = behind,
                                      .dependency_count = 1},
                                     {.kind = AH_GRAPH_LAUNCH, .enabled = true, .device = first}};
    nodes[0].fill =
        (struct ah_fill){.dst = memory, .value = 1, .element_size = 4, .width = WORDS, .height = 1};
    nodes[1].copy = (struct ah_copy_region){
        .src = {.kind = AH_END_POINTER, .pointer = memory},
        .dst = {.kind = AH_END_POINTER, .pointer = words},
        .width = 64,
        .height = 1,
        .depth = 1,
    };
    nodes[2].launch.function = fill;
    nodes[2].launch.sizes = &sizes;
    ok(OPS->graph_create(first, nodes, 3, &graph));
    return graph;
}

static void check_graph(uint64_t id)
{
    unsigned seen = 0;
    for (size_t i = 0; i < recorder.count; i++) {
        const struct ah_trace_record *record = &recorder.records[i];
        if (record->id != id)
            continue;
        assert_in_range(record->node, 0, 2);
        assert_null(record->kernel);
        assert_int_equal(record->kind, record->node == 0   ? AH_TRACE_FILL
                                       : record->node == 1 ? AH_TRACE_COPY
                                                           : AH_TRACE_KERNEL);
        seen |= 1u << record->node;
    }
    assert_int_equal(seen, 7);
    assert_int_equal(recorder_count(id, NULL), 3);
}

static void nodes_of_graphs_have_records(void **state)
{
    struct ah_backend_graph *graphs[] = {make_graph(), make_graph()};
    uint64_t ids[4];
    (void)state;
    for (int i = 0; i < 4; i++) {
        ids[i] = recorder_begin(stream, AH_TRACE_OTHER);
        ok(OPS->graph_launch(first, graphs[i % 2], stream));
        recorder_end(stream);
    }
    ok(OPS->stream_synchronize(first, stream));
    for (int i = 0; i < 2; i++)
        ok(OPS->graph_destroy(first, graphs[i]));
    recorder_collect(true);
    for (int i = 0; i < 4; i++)
        check_graph(ids[i]);
    assert_int_equal(recorder.lost, 0);
}

/* CUPTI says which node is which while a graph is made. */
static void kernels_of_graphs_made_before_it_have_names(void **state)
{
    (void)state;
    recorder_stop();
    struct ah_backend_graph *graph = make_graph();
    recorder_start(OPS, first);
    uint64_t id = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->graph_launch(first, graph, stream));
    recorder_end(stream);
    ok(OPS->stream_synchronize(first, stream));
    recorder_collect(true);
    assert_int_equal(recorder_count(id, NULL), 3);
    for (size_t i = 0; i < recorder.count; i++) {
        const struct ah_trace_record *record = &recorder.records[i];
        assert_int_equal(record->node, -1);
        if (record->kind == AH_TRACE_KERNEL)
            assert_string_equal(record->kernel, "fake_fill");
        else
            assert_null(record->kernel);
    }
    ok(OPS->graph_destroy(first, graph));
}

static void devices_share_it(void **state)
{
    const struct ah_trace_sink sink = {recorder_take, NULL};
    const char *method;
    uint64_t lost = 0;
    (void)state;
    ok(OPS->trace_start(second, &sink, &method));
    assert_string_equal(method, "CUPTI");
    uint64_t id = traced_fill(stream);
    ok(OPS->stream_synchronize(first, stream));
    OPS->trace_collect(second, true, &lost); /* the work of all */
    recorder_only(id, AH_TRACE_KERNEL);
    OPS->trace_stop(second);
    id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
    assert_int_equal(lost, 0);
}

static void nothing_is_recorded_after_the_end(void **state)
{
    (void)state;
    traced_fill(stream);
    recorder_stop();
    size_t count = recorder.count;
    assert_int_equal(fakecupti_enabled(), 0);
    for (int i = 0; i < 10; i++)
        traced_fill(stream);
    recorder_collect(true);
    assert_int_equal(recorder.count, count);
    recorder_start(OPS, first);
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

static void fill_is_recorded(void)
{
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

static void cupti_records(void)
{
    recorder_start(OPS, first);
    assert_string_equal(recorder.method, "CUPTI");
    fill_is_recorded();
}

/* Launches cost what they cost without it. */
static void it_leaves_the_driver_at_the_end(void **state)
{
    static const struct {
        unsigned version, times;
    } rows[] = {{130001, 1}, {24, 1}, {23, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned before = fakecupti_finalized();
        fakecupti_version(rows[i].version);
        recorder_stop();
        assert_int_equal(fakecupti_finalized(), before + rows[i].times);
        cupti_records();
    }
}

static void others_can_use_it_after_the_end(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        recorder_stop();
        assert_int_equal(fakecupti_enabled(), 0);
        fakecupti_take(true); /* which fails where there is a subscriber */
        ah_test_capture();
        recorder_start(OPS, first);
        assert_non_null(strstr(ah_test_captured(), "another profiler uses CUPTI"));
        assert_string_equal(recorder.method, "event pairs");
        fill_is_recorded();
        recorder_stop();
        fakecupti_take(false);
        cupti_records();
    }
}

/* ---- when something is wrong ---------------------------------------------------------------- */

static void work_that_does_not_end_is_not_waited_for(void **state)
{
    (void)state;
    close_gate();
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    assert_int_equal(recorder.count, 0);
    assert_int_equal(recorder.lost, 0);
    open_gate();
    ok(OPS->stream_synchronize(first, stream));
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

static void what_does_not_fit_is_counted(void **state)
{
    enum { MANY = 300, BUFFERS_MAX = 256 };
    uint64_t ids[MANY];
    (void)state;
    fakecupti_hold(1);
    for (int i = 0; i < MANY; i++)
        ids[i] = traced_fill(stream);
    ok(OPS->stream_synchronize(first, stream));
    recorder_collect(true);
    fakecupti_hold(0);
    assert_true(recorder.lost >= MANY - BUFFERS_MAX);
    assert_true(recorder.count <= BUFFERS_MAX && recorder.count > 0);
    for (int i = 0; i < MANY; i++)
        assert_true(recorder_count(ids[i], NULL) <= 1);
    uint64_t lost = recorder.lost, id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
    assert_int_equal(recorder.lost, lost);
}

static void records_without_times_are_lost(void **state)
{
    uint64_t ids[3];
    (void)state;
    ok(OPS->stream_synchronize(first, stream));
    fakecupti_no_times(2);
    for (int i = 0; i < 3; i++)
        ids[i] = traced_fill(stream);
    recorder_collect(true);
    assert_int_equal(recorder.count, 1);
    assert_int_equal(recorder.lost, 2);
    recorder_only(ids[2], AH_TRACE_KERNEL);
}

static void a_call_that_fails_costs_records_and_no_work(void **state)
{
    static const char *const functions[] = {"cuptiActivityPushExternalCorrelationId",
                                            "cuptiActivityGetNextRecord"};
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        recorder_stop();
        recorder_start(OPS, first);
        fakecupti_fail(functions[i], 1, FAILED);
        ah_test_capture();
        words[0] = 0;
        traced_fill(stream);
        ok(OPS->stream_synchronize(first, stream));
        recorder_collect(true);
        ah_test_captured();
        assert_int_equal(words[0], 7);
        assert_int_equal(recorder.count, 0);
        assert_int_equal(recorder.lost, 1);
        uint64_t id = traced_fill(stream);
        recorder_collect(true);
        recorder_only(id, AH_TRACE_KERNEL);
    }
}

static void nodes_without_a_number_are_of_no_node(void **state)
{
    (void)state;
    fakecupti_fail("cuptiGetGraphNodeId", 0, FAILED);
    struct ah_backend_graph *graph = make_graph();
    fakecupti_fail(NULL, 0, 0);
    uint64_t id = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->graph_launch(first, graph, stream));
    recorder_end(stream);
    ok(OPS->stream_synchronize(first, stream));
    recorder_collect(true);
    assert_int_equal(recorder_count(id, NULL), 3);
    for (size_t i = 0; i < recorder.count; i++)
        assert_int_equal(recorder.records[i].node, -1);
    ok(OPS->graph_destroy(first, graph));
}

static void what_was_dropped_may_be_unknown(void **state)
{
    (void)state;
    fakecupti_fail("cuptiActivityGetNumDroppedRecords", 0, FAILED);
    uint64_t id = traced_fill(stream);
    ok(OPS->stream_synchronize(first, stream));
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
    assert_int_equal(recorder.lost, 0);
}

static void a_flush_that_fails_is_reported_once(void **state)
{
    (void)state;
    uint64_t id = traced_fill(stream);
    ok(OPS->stream_synchronize(first, stream));
    fakecupti_fail("cuptiActivityFlushAll", 0, FAILED);
    ah_test_capture();
    recorder_collect(true); /* gives up after a second */
    recorder_collect(true);
    const char *said = ah_test_captured();
    const char *message = strstr(said, "cuptiActivityFlushAll of CUPTI failed");
    assert_non_null(message);
    assert_null(strstr(message + 1, "cuptiActivityFlushAll of CUPTI failed"));
    assert_int_equal(recorder.count, 0);
    fakecupti_fail(NULL, 0, 0);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

/* What was not given up is used again at the next beginning. */
static void an_end_that_fails_is_reported_and_leaves_nothing(void **state)
{
    static const struct {
        const char *function;
        unsigned calls;
    } rows[] = {{"cuptiActivityDisable", 6},
                {"cuptiActivityFlushAll", 1},
                {"cuptiUnsubscribe", 1},
                {"cuptiFinalize", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned nth = 1; nth <= rows[i].calls; nth++) {
            char message[100];
            snprintf(message, sizeof message, "%s of CUPTI failed: CUPTI_ERROR_OF_THE_FAKE (35)",
                     rows[i].function);
            traced_fill(stream);
            recorder_collect(true);
            fakecupti_fail(rows[i].function, nth, FAILED);
            ah_test_capture();
            OPS->trace_stop(first);
            const char *said = ah_test_captured();
            assert_non_null(strstr(said, message));
            size_t count = recorder.count;
            traced_fill(stream);
            ok(OPS->stream_synchronize(first, stream));
            assert_int_equal(recorder.count, count);
            cupti_records();
        }
    }
}

/* The thread's external ids are a stack. */
static void an_id_that_stays_is_reported_once_and_harms_no_later_command(void **state)
{
    (void)state;
    ah_test_capture();
    for (int i = 0; i < 2; i++) {
        recorder_begin(stream, AH_TRACE_KERNEL);
        ok(launch_fill(stream));
        fakecupti_fail("cuptiActivityPopExternalCorrelationId", 1, FAILED);
        recorder_end(stream);
    }
    const char *said = ah_test_captured();
    const char *message = strstr(said, "cuptiActivityPopExternalCorrelationId of CUPTI failed");
    assert_non_null(message);
    assert_null(strstr(message + 1, "cuptiActivityPopExternalCorrelationId of CUPTI failed"));
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
    assert_int_equal(recorder.count, 3);
    fakecupti_clear_ids();
}

static void a_command_that_did_nothing_has_no_record(void **state)
{
    (void)state;
    recorder_begin(stream, AH_TRACE_KERNEL); /* as a launch that fails */
    recorder_end(stream);
    recorder_collect(true);
    assert_int_equal(recorder.count + recorder.lost, 0);
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
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
    load();
    uint64_t after = traced_fill(stream);
    recorder_collect(true);
    recorder_only(after, AH_TRACE_KERNEL);
}

/* ---- the end of the process ----------------------------------------------------------------- */

static void print_record(void *user, const struct ah_trace_record *record)
{
    (void)user;
    printf("record of %llu\n", (unsigned long long)record->id);
    fflush(stdout);
}

/* A program that calls exit() while a kernel may still run. */
static int leave_work(void)
{
    const struct ah_trace_sink sink = {print_record, NULL};
    const char *method;
    if (open_both(NULL) != 0)
        return 1;
    ok(OPS->trace_start(first, &sink, &method));
    recorder.ops = OPS;
    recorder.device = first;
    traced_fill(stream);
    exit(strcmp(method, "CUPTI") == 0 ? 0 : 2);
}

static void exit_gives_out_what_is_left(void **state)
{
    const char *const argv[] = {"/proc/self/exe", "exit", NULL};
    (void)state;
    struct ah_test_run run = ah_test_execute(argv);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "record of 1\n");
}

/* ---- when it cannot be used ----------------------------------------------------------------- */

/* Events take its place, and the log has these words. */
static void check_not_used(const char *words_of_log)
{
    ah_test_capture();
    recorder_start(OPS, first);
    const char *said = ah_test_captured();
    if (!strstr(said, words_of_log))
        print_error("no \"%s\" in \"%s\"\n", words_of_log, said);
    assert_non_null(strstr(said, words_of_log));
    assert_string_equal(recorder.method, "event pairs");
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
    recorder_stop();
    assert_int_equal(fakecupti_enabled(), 0);
}

static void events_are_used_where_there_is_none(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_CUPTI", "/no/such/libcupti.so");
    check_not_used("ANYHIP_CUPTI: cannot open /no/such/libcupti.so");
    ah_test_setenv("ANYHIP_CUPTI", "libc.so.6");
    check_not_used("is older than CUDA 11.6, or not CUPTI: it lacks cuptiGetResultString");
    ah_test_setenv("ANYHIP_CUPTI", OTHERCUPTI_PATH);
    check_not_used("does not belong to the driver cuda, whose work it does not see");
    ah_test_setenv("ANYHIP_CUPTI", "off");
    check_not_used("");
    ah_test_setenv("ANYHIP_CUPTI", NULL);
    check_not_used("");
}

static void events_are_used_where_another_has_it(void **state)
{
    (void)state;
    fakecupti_take(true);
    check_not_used("another profiler uses CUPTI in this process");
}

static void events_are_used_where_it_does_not_begin(void **state)
{
    static const struct {
        const char *function;
        unsigned calls;
    } rows[] = {{"cuptiSubscribe", 1},
                {"cuptiEnableCallback", 1},
                {"cuptiActivityRegisterTimestampCallback", 1},
                {"cuptiActivityRegisterCallbacks", 1},
                {"cuptiActivityEnable", 6}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned nth = 1; nth <= rows[i].calls; nth++) {
            fakecupti_fail(rows[i].function, nth, FAILED);
            check_not_used("of CUPTI failed: CUPTI_ERROR_OF_THE_FAKE (35)");
        }
    }
}

static void threads_work_while_another_collects(void **state)
{
    (void)state;
    check_threads();
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "exit") == 0)
        return leave_work();
#define CUPTI(function) cmocka_unit_test_setup_teardown(function, start, end)
#define NOT(function)   cmocka_unit_test_setup_teardown(function, set_up, ah_test_tear_down)
    const struct CMUnitTest tests[] = {
        NOT(events_are_used_where_there_is_none), /* first: a CUPTI that was used stays open */
        CUPTI(commands_have_their_records),
        CUPTI(work_outside_of_commands_has_none),
        CUPTI(commands_may_be_nested),
        CUPTI(nodes_of_graphs_have_records),
        CUPTI(kernels_of_graphs_made_before_it_have_names),
        CUPTI(devices_share_it),
        CUPTI(nothing_is_recorded_after_the_end),
        CUPTI(it_leaves_the_driver_at_the_end),
        CUPTI(others_can_use_it_after_the_end),
        CUPTI(work_that_does_not_end_is_not_waited_for),
        CUPTI(what_does_not_fit_is_counted),
        CUPTI(records_without_times_are_lost),
        CUPTI(a_call_that_fails_costs_records_and_no_work),
        CUPTI(nodes_without_a_number_are_of_no_node),
        CUPTI(what_was_dropped_may_be_unknown),
        CUPTI(a_flush_that_fails_is_reported_once),
        CUPTI(an_end_that_fails_is_reported_and_leaves_nothing),
        CUPTI(an_id_that_stays_is_reported_once_and_harms_no_later_command),
        CUPTI(a_command_that_did_nothing_has_no_record),
        CUPTI(a_reset_reports_what_was_done),
        NOT(exit_gives_out_what_is_left),
        NOT(events_are_used_where_another_has_it),
        NOT(events_are_used_where_it_does_not_begin),
        CUPTI(threads_work_while_another_collects),
    };
    return cmocka_run_group_tests_name("backend_cuda.cupti", tests, open_both, close_all);
}
