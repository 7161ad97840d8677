/* What devices of the HSA backend report of their work: which records there are, that their times
 * are in the order of the work and within the host's, and what becomes of them when something
 * fails. */
#include "work.h"

#include "../backend/recorder.h"
#include "image.h"
#include "log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS(name)                                                                              \
    extern const char name[], name##_end[];                                                        \
    __asm__(".pushsection .rodata\n.balign 4096\n" #name ": .incbin \"" KERNELS_GFX90A             \
            "\"\n" #name "_end:\n.popsection\n")
KERNELS(code);

enum { WORDS = 1024, NODES_MAX = 12000 };

static struct ah_backend_module *module;
static struct ah_backend_function *fill, *empty, *spin, *fault;
static uint32_t *words; /* of the host */
static struct ah_backend_stream *stream;

static void load_kernels(void)
{
    module = new_module(code, (size_t)(code_end - code));
    fill = new_function(module, "fake_fill");
    empty = new_function(module, "empty");
    spin = new_function(module, "fake_spin");
    fault = new_function(module, "fake_fault");
}

static int open_all(void **state)
{
    if (open_two_devices(state) != 0)
        return -1;
    load_kernels();
    words = new_pinned(WORDS * sizeof *words);
    return 0;
}

static int close_all(void **state)
{
    ok(OPS->host_free(first, words));
    ok(OPS->module_unload(first, module));
    return close_devices(state);
}

static int start(void **state)
{
    stream = new_stream(first, hipStreamNonBlocking);
    recorder_start(OPS, first);
    return ah_test_set_up(state);
}

static int end(void **state)
{
    recorder_stop();
    ok(OPS->stream_destroy(first, stream));
    return ah_test_tear_down(state);
}

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

static void launch_spin(unsigned milliseconds, struct ah_backend_stream *to)
{
    void *params[] = {&milliseconds};
    ok(launch(spin, params, to));
}

static uint64_t traced_fill(struct ah_backend_stream *to)
{
    uint64_t id = recorder_begin(to, AH_TRACE_OTHER);
    ok(launch_fill(to));
    recorder_end(to);
    return id;
}

static void call(void *data)
{
    *(uint64_t *)data = ah_clock_now();
}

static uint64_t traced_call(uint64_t *data)
{
    uint64_t id = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->stream_host_function(first, stream, call, data));
    recorder_end(stream);
    return id;
}

static uint64_t traced_copy(void *dst, const void *src, size_t size)
{
    uint64_t id = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->copy_async(first, dst, src, size, stream));
    recorder_end(stream);
    return id;
}

/* ---- what is recorded ----------------------------------------------------------------------- */

static void kernels_of_a_stream_come_one_after_the_other(void **state)
{
    enum { KERNELS = 200 };
    uint64_t ids[KERNELS];
    const struct ah_trace_record *before = NULL;
    (void)state;
    for (int i = 0; i < KERNELS; i++)
        ids[i] = traced_fill(stream);
    recorder_collect(true);
    for (int i = 0; i < KERNELS; i++) {
        const struct ah_trace_record *record = recorder_only(ids[i], AH_TRACE_KERNEL);
        assert_int_equal(record->node, -1);
        assert_true(!before || record->begin >= before->end);
        before = record;
    }
    assert_int_equal(recorder.lost, 0);
    assert_string_equal(recorder.method, "HSA profiled signals");
}

static void a_kernel_takes_as_long_as_it_takes(void **state)
{
    enum { MILLISECONDS = 20 };
    (void)state;
    uint64_t id = recorder_begin(stream, AH_TRACE_OTHER);
    launch_spin(MILLISECONDS, stream);
    recorder_end(stream);
    recorder_collect(true);
    const struct ah_trace_record *record = recorder_only(id, AH_TRACE_KERNEL);
    assert_true(record->end - record->begin >= MILLISECONDS * 999000);
}

static void cooperative_kernels_are_recorded(void **state)
{
    unsigned value = 7, count = 4;
    void *params[] = {&words, &value, &count};
    struct ah_launch sizes = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .flags = AH_LAUNCH_COOPERATIVE, .params = params};
    (void)state;
    uint64_t id = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->launch(first, fill, &sizes, stream));
    recorder_end(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

static void copies_have_their_bytes(void **state)
{
    enum { SIZE = 100000 };
    char *memory = new_memory(first, SIZE);
    uint32_t *pinned = new_pinned(SIZE);
    (void)state;
    uint64_t there = traced_copy(memory, pinned, SIZE), back = traced_copy(pinned, memory, 100);
    uint64_t within = traced_copy(pinned, pinned + 1000, 4000);
    recorder_collect(true);
    const struct ah_trace_record *record = recorder_only(there, AH_TRACE_COPY);
    assert_int_equal(record->bytes, SIZE);
    assert_true(recorder_only(back, AH_TRACE_COPY)->begin >= record->end);
    assert_int_equal(recorder_only(back, AH_TRACE_COPY)->bytes, 100);
    assert_int_equal(recorder_only(within, AH_TRACE_COPY)->bytes, 4000);
    ok(OPS->host_free(first, pinned));
    ok(OPS->memory_free(first, memory));
}

static void pieces_of_a_copy_belong_to_it(void **state)
{
    enum { SIZE = (5 << 20) + 17 };
    char *memory = new_memory(first, SIZE), *pageable = calloc(1, SIZE);
    uint64_t bytes[2] = {0, 0}, last[2] = {0, 0};
    (void)state;
    uint64_t there = traced_copy(memory, pageable, SIZE);
    uint64_t back = traced_copy(pageable, memory, SIZE);
    recorder_collect(true);
    for (size_t i = 0; i < recorder.count; i++) {
        const struct ah_trace_record *record = &recorder.records[i];
        assert_true(record->id == there || record->id == back);
        assert_int_equal(record->kind, AH_TRACE_COPY);
        assert_true(record->begin >= last[record->id == back]);
        last[record->id == back] = record->end;
        bytes[record->id == back] += record->bytes;
    }
    assert_int_equal(bytes[0], SIZE);
    assert_int_equal(bytes[1], SIZE);
    free(pageable);
    ok(OPS->memory_free(first, memory));
}

/* Pageable memory at both ends: the calling thread copies. */
static void a_copy_by_the_host_has_times_too(void **state)
{
    char from[64] = "text", to[64] = "";
    (void)state;
    uint64_t id = traced_copy(to, from, sizeof to);
    recorder_collect(true);
    assert_int_equal(recorder_only(id, AH_TRACE_COPY)->bytes, sizeof to);
    assert_string_equal(to, "text");
}

static uint64_t traced_rows(void *dst, void *src, size_t width, size_t height)
{
    struct ah_copy_region region = {
        .dst = {.pointer = dst, .pitch = 2 * width},
        .src = {.pointer = src, .pitch = 2 * width},
        .width = width,
        .height = height,
        .depth = 1,
    };
    uint64_t id = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->copy_region(first, &region, stream));
    recorder_end(stream);
    return id;
}

/* An engine that copies row after row notes when the last one began. */
static void a_copy_in_rows_begins_with_the_first_row(void **state)
{
    enum { WIDTH = 4096, ROWS = 300 };
    char *memory = new_memory(first, WIDTH * 2 * ROWS);
    uint32_t *pinned = new_pinned(WIDTH * 2 * ROWS);
    (void)state;
    pinned[(ROWS - 1) * 2 * WIDTH / 4] = 77;
    uint64_t whole = traced_rows(memory, pinned, WIDTH, ROWS);
    recorder_collect(true);
    assert_int_equal(recorder_only(whole, AH_TRACE_COPY)->bytes, WIDTH * ROWS);
    fakehsa_fail("hsa_amd_memory_async_copy_rect", 1, HSA_STATUS_ERROR);
    uint64_t before = ah_clock_now();
    uint64_t rows = traced_rows(memory, pinned, WIDTH, ROWS);
    ok(OPS->stream_synchronize(first, stream));
    uint64_t passed = ah_clock_now() - before;
    recorder_collect(true);
    const struct ah_trace_record *record = recorder_only(rows, AH_TRACE_COPY);
    assert_int_equal(record->bytes, WIDTH * ROWS);
    assert_true(record->end - record->begin <= passed);
    assert_true(record->end - record->begin > passed / ROWS); /* more than one row takes */
    ok(OPS->copy(first, words, memory + (ROWS - 1) * 2 * WIDTH, 4));
    assert_int_equal(words[0], 77);
    ok(OPS->host_free(first, pinned));
    ok(OPS->memory_free(first, memory));
}

static void fills_are_fills(void **state)
{
    enum { SIZE = 300000 };
    char *memory = new_memory(first, SIZE);
    uint64_t bytes = 0;
    (void)state;
    uint64_t id = recorder_begin(stream, AH_TRACE_OTHER);
    fill_bytes(first, memory, 5, SIZE, stream);
    recorder_end(stream);
    uint64_t host = recorder_begin(stream, AH_TRACE_OTHER);
    fill_bytes(first, words, 5, 64, stream);
    recorder_end(stream);
    recorder_collect(true);
    for (size_t i = 0; i < recorder.count; i++) {
        assert_int_equal(recorder.records[i].kind, AH_TRACE_FILL);
        bytes += recorder.records[i].id == id ? recorder.records[i].bytes : 0;
    }
    assert_int_equal(bytes, SIZE);
    recorder_only(host, AH_TRACE_FILL);
    ok(OPS->memory_free(first, memory));
}

static void a_host_function_is_within_its_record(void **state)
{
    uint64_t called = 0;
    (void)state;
    uint64_t kernel = traced_fill(stream), id = traced_call(&called), after = traced_fill(stream);
    recorder_collect(true);
    const struct ah_trace_record *record = recorder_only(id, AH_TRACE_HOST);
    assert_true(record->begin <= called && called <= record->end);
    assert_true(recorder_only(kernel, AH_TRACE_KERNEL)->begin <= called);
    assert_true(recorder_only(after, AH_TRACE_KERNEL)->end >= called);
}

static void waits_and_events_are_barriers(void **state)
{
    struct ah_backend_event *event, *untimed;
    (void)state;
    ok(OPS->event_create(first, hipEventDefault, &event));
    ok(OPS->event_create(first, hipEventDisableTiming, &untimed));
    uint64_t wait = recorder_begin(stream, AH_TRACE_OTHER);
    struct gate gate = closed_gate(first, stream);
    recorder_end(stream);
    uint64_t kernel = traced_fill(stream), id = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->event_record(first, event, stream));
    recorder_end(stream);
    uint64_t without = recorder_begin(stream, AH_TRACE_OTHER);
    ok(OPS->event_record(first, untimed, stream));
    recorder_end(stream);
    open_gate(gate);
    recorder_collect(true);
    const struct ah_trace_record *record = recorder_only(id, AH_TRACE_BARRIER);
    assert_true(record->begin >= recorder_only(kernel, AH_TRACE_KERNEL)->end);
    recorder_only(wait, AH_TRACE_BARRIER);
    assert_int_equal(recorder_count(without, NULL), 0);
    ok(OPS->stream_synchronize(first, stream));
    free_gate(gate);
    ok(OPS->event_destroy(first, event));
    ok(OPS->event_destroy(first, untimed));
}

/* ---- graphs --------------------------------------------------------------------------------- */

static struct {
    struct ah_graph_node nodes[NODES_MAX];
    unsigned before[NODES_MAX];
    unsigned value, count;
    void *params[3];
    struct ah_launch sizes;
} plan;

/* A chain of kernels, of which every third is an empty node and every fourth is switched off. */
static struct ah_backend_graph *chain(unsigned count)
{
    struct ah_backend_graph *graph;
    plan.value = 3;
    plan.count = 4;
    plan.params[0] = &words;
    plan.params[1] = &plan.value;
    plan.params[2] = &plan.count;
    plan.sizes = (struct ah_launch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = plan.params};
    for (unsigned i = 0; i < count; i++) {
        plan.nodes[i] = (struct ah_graph_node){
            .kind = i % 3 == 2 ? AH_GRAPH_EMPTY : AH_GRAPH_LAUNCH,
            .enabled = i % 4 != 3,
            .device = first,
            .dependencies = &plan.before[i],
            .dependency_count = i > 0,
            .launch = {fill, &plan.sizes},
        };
        plan.before[i] = i - 1;
    }
    ok(OPS->graph_create(first, plan.nodes, count, &graph));
    return graph;
}

static bool has_record(unsigned node)
{
    return node % 3 != 2 && node % 4 != 3;
}

static void check_chain(uint64_t id, unsigned count)
{
    uint64_t last = 0;
    unsigned next = 0;
    for (size_t i = 0; i < recorder.count; i++) {
        const struct ah_trace_record *record = &recorder.records[i];
        if (record->id != id)
            continue;
        while (next < count && !has_record(next))
            next++;
        assert_int_equal(record->node, next);
        assert_int_equal(record->kind, AH_TRACE_KERNEL);
        assert_true(record->begin >= last);
        last = record->end;
        next++;
    }
    while (next < count && !has_record(next))
        next++;
    assert_int_equal(next, count);
}

static void every_kernel_of_a_graph_is_recorded_with_its_node(void **state)
{
    enum { NODES = 600, LAUNCHES = 3 };
    uint64_t ids[LAUNCHES];
    (void)state;
    struct ah_backend_graph *graph = chain(NODES);
    ok(OPS->graph_launch(first, graph, stream)); /* of no command */
    for (int i = 0; i < LAUNCHES; i++) {
        ids[i] = recorder_begin(stream, AH_TRACE_OTHER);
        ok(OPS->graph_launch(first, graph, stream));
        recorder_end(stream);
    }
    recorder_collect(true);
    for (int i = 0; i < LAUNCHES; i++)
        check_chain(ids[i], NODES);
    assert_int_equal(recorder.lost, 0);
    ok(OPS->stream_synchronize(first, stream));
    ok(OPS->graph_destroy(first, graph));
}

/* ---- whose work it is ----------------------------------------------------------------------- */

static void *launch_in_a_thread(void *data)
{
    (void)data;
    ok(launch_fill(stream));
    return NULL;
}

static void only_what_the_thread_puts_into_the_stream_is_recorded(void **state)
{
    struct ah_backend_stream *other = new_stream(first, hipStreamNonBlocking);
    pthread_t thread;
    (void)state;
    ok(launch_fill(stream));
    uint64_t outer = recorder_begin(stream, AH_TRACE_OTHER);
    ok(launch_fill(other));
    uint64_t inner = recorder_begin(other, AH_TRACE_OTHER);
    ok(launch_fill(other));
    ok(launch_fill(other));
    recorder_end(other);
    ok(launch_fill(other));
    ok(launch_fill(stream));
    assert_int_equal(pthread_create(&thread, NULL, launch_in_a_thread, NULL), 0);
    pthread_join(thread, NULL);
    recorder_end(stream);
    ok(launch_fill(stream));
    recorder_collect(true);
    assert_int_equal(recorder_count(outer, NULL), 1);
    assert_int_equal(recorder_count(inner, NULL), 2);
    assert_int_equal(recorder.count, 3);
    ok(OPS->stream_destroy(first, other));
}

static void commands_may_be_nested_deeply(void **state)
{
    enum { DEPTH = 20 };
    (void)state;
    for (int i = 0; i < DEPTH; i++)
        recorder_begin(stream, AH_TRACE_OTHER);
    ok(launch_fill(stream));
    for (int i = 0; i < DEPTH; i++)
        recorder_end(stream);
    ok(launch_fill(stream));
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
    assert_int_equal(recorder.count, 2);
}

static void nothing_is_recorded_after_the_end(void **state)
{
    struct fakehsa_counts before, after;
    (void)state;
    traced_fill(stream);
    recorder_stop();
    ok(OPS->stream_synchronize(first, stream));
    size_t count = recorder.count;
    fakehsa_count(&before);
    for (int i = 0; i < 500; i++)
        traced_fill(stream);
    ok(OPS->stream_synchronize(first, stream));
    recorder_collect(true);
    fakehsa_count(&after);
    assert_int_equal(recorder.count, count);
    assert_int_equal(after.signals, before.signals); /* kernels need none */
    recorder_start(OPS, first);
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

static void records_outlive_their_stream(void **state)
{
    struct ah_backend_stream *brief = new_stream(first, hipStreamNonBlocking);
    (void)state;
    uint64_t id = traced_fill(brief);
    ok(OPS->stream_destroy(first, brief));
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

/* ---- when something is wrong ---------------------------------------------------------------- */

static void work_that_does_not_end_is_not_waited_for(void **state)
{
    uint64_t called = 0;
    (void)state;
    struct gate gate = closed_gate(first, stream);
    uint64_t id = traced_call(&called);
    recorder_collect(false);
    recorder_collect(true);
    assert_int_equal(recorder.count, 0);
    assert_int_equal(recorder.lost, 0);
    open_gate(gate);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_HOST);
    ok(OPS->stream_synchronize(first, stream));
    free_gate(gate);
}

static void work_is_done_when_there_are_no_signals(void **state)
{
    enum { MANY = 5000 };
    (void)state;
    struct gate gate = closed_gate(first, stream);
    fakehsa_forget();
    fakehsa_fail("hsa_signal_create", 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    ah_test_capture();
    hipError_t error = hipSuccess;
    for (int i = 0; i < MANY && error == hipSuccess; i++) {
        recorder_begin(stream, AH_TRACE_OTHER);
        error = launch(empty, NULL, stream);
        recorder_end(stream);
    }
    fakehsa_clear_faults();
    ah_test_captured();
    ok(error);
    open_gate(gate);
    recorder_collect(true);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(fakehsa_launches(), MANY);
    assert_int_equal(recorder.count + recorder.lost, MANY);
    assert_true(recorder.lost > 0);
    free_gate(gate);
}

static void a_graph_runs_when_there_are_no_signals(void **state)
{
    enum { NODES = NODES_MAX };
    (void)state;
    struct ah_backend_graph *graph = chain(NODES);
    struct gate gate = closed_gate(first, stream);
    unsigned expected = 0;
    for (unsigned i = 0; i < NODES; i++)
        expected += has_record(i);
    memset(words, 0, 16);
    ok(OPS->graph_launch(first, graph, stream)); /* which has the signals that it needs */
    fakehsa_fail("hsa_signal_create", 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    ah_test_capture();
    recorder_begin(stream, AH_TRACE_OTHER);
    hipError_t error = OPS->graph_launch(first, graph, stream);
    recorder_end(stream);
    ah_test_captured();
    fakehsa_clear_faults();
    ok(error);
    open_gate(gate);
    recorder_collect(true);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], 3);
    assert_int_equal(recorder.count + recorder.lost, expected);
    assert_true(recorder.lost > 0);
    ok(OPS->graph_destroy(first, graph));
    free_gate(gate);
}

/* After the fault of a kernel nothing has times but what had ended before. */
static void a_device_that_fails_loses_what_it_did_not_end(void **state)
{
    enum { BEHIND = 50 };
    uint64_t ids[BEHIND], called = 0;
    (void)state;
    uint64_t before = traced_fill(stream);
    ok(OPS->stream_synchronize(first, stream));
    ah_test_capture();
    recorder_begin(stream, AH_TRACE_OTHER);
    ok(launch(fault, NULL, stream));
    recorder_end(stream);
    for (int i = 0; i < BEHIND; i++) {
        ids[i] = recorder_begin(stream, AH_TRACE_OTHER);
        (void)(i == 3 ? OPS->stream_host_function(first, stream, call, &called)
                      : launch_fill(stream));
        recorder_end(stream);
    }
    assert_int_not_equal(OPS->stream_synchronize(first, stream), hipSuccess);
    recorder_collect(true);
    recorder_only(before, AH_TRACE_KERNEL);
    for (int i = 0; i < BEHIND; i++)
        assert_int_equal(recorder_count(ids[i], NULL), 0);
    ok(OPS->device_reset(first));
    ah_test_captured();
    recorder_collect(true); /* another thread may have been completing signals before */
    assert_true(recorder.lost > 0);
    load_kernels();
    words = new_pinned(WORDS * sizeof *words);
    stream = new_stream(first, hipStreamNonBlocking);
    uint64_t after = traced_fill(stream);
    recorder_collect(true);
    recorder_only(after, AH_TRACE_KERNEL); /* the device goes on reporting */
}

static void a_reset_loses_what_it_ends_and_nothing_else(void **state)
{
    (void)state;
    uint64_t before = traced_fill(stream), id = recorder_begin(stream, AH_TRACE_OTHER);
    closed_gate(first, stream); /* whose memory is freed with the device's */
    recorder_end(stream);
    ok(OPS->device_reset(first));
    recorder_collect(true);
    recorder_only(before, AH_TRACE_KERNEL);
    assert_true(recorder_count(id, NULL) <= 1);
    load_kernels();
    words = new_pinned(WORDS * sizeof *words);
    stream = new_stream(first, hipStreamNonBlocking);
    uint64_t after = traced_fill(stream);
    recorder_collect(true);
    recorder_only(after, AH_TRACE_KERNEL);
}

static void a_runtime_without_times_of_copies_is_used_all_the_same(void **state)
{
    (void)state;
    recorder_stop();
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_WARNING, .mask = AH_LOG_ALWAYS});
    ah_test_capture();
    fakehsa_fail("hsa_amd_profiling_async_copy_enable", 1, HSA_STATUS_ERROR);
    recorder_start(OPS, first);
    assert_contains(ah_test_captured(), "a trace has no times of copies");
    uint64_t id = traced_fill(stream);
    recorder_collect(true);
    recorder_only(id, AH_TRACE_KERNEL);
}

/* ---- many threads --------------------------------------------------------------------------- */

enum { ROUNDS = 100, PER_ROUND = 3 };

/* The commands have numbers from *data on: a kernel, a host function, a copy, and so on. */
static void *work_in_a_stream(void *data)
{
    uint64_t id = *(uint64_t *)data, called = 0;
    struct ah_backend_stream *own = new_stream(first, hipStreamNonBlocking);
    uint32_t *to = &words[512 + id / (ROUNDS * PER_ROUND)];
    for (int i = 0; i < ROUNDS * PER_ROUND; i++, id++) {
        OPS->trace_begin(first, own, id, AH_TRACE_OTHER);
        if (i % PER_ROUND == 0)
            ok(launch_fill(own));
        else if (i % PER_ROUND == 1)
            ok(OPS->stream_host_function(first, own, call, &called));
        else
            ok(OPS->copy_async(first, to, &words[0], 4, own));
        OPS->trace_end(first, own, id);
    }
    ok(OPS->stream_synchronize(first, own));
    ok(OPS->stream_destroy(first, own));
    return NULL;
}

static void threads_work_while_another_collects(void **state)
{
    static const enum ah_trace_kind kinds[] = {AH_TRACE_KERNEL, AH_TRACE_HOST, AH_TRACE_COPY};
    (void)state;
    recorder_run_threads(work_in_a_stream, ROUNDS * PER_ROUND);
    assert_int_equal(recorder.count, RECORDER_THREADS * ROUNDS * PER_ROUND);
    for (uint64_t id = 1; id <= RECORDER_THREADS * ROUNDS * PER_ROUND; id++)
        recorder_only(id, kinds[(id - 1) % PER_ROUND]);
}

int main(void)
{
#define TIMES(function) cmocka_unit_test_setup_teardown(function, start, end)
    const struct CMUnitTest tests[] = {
        TIMES(kernels_of_a_stream_come_one_after_the_other),
        TIMES(a_kernel_takes_as_long_as_it_takes),
        TIMES(cooperative_kernels_are_recorded),
        TIMES(copies_have_their_bytes),
        TIMES(pieces_of_a_copy_belong_to_it),
        TIMES(a_copy_by_the_host_has_times_too),
        TIMES(a_copy_in_rows_begins_with_the_first_row),
        TIMES(fills_are_fills),
        TIMES(a_host_function_is_within_its_record),
        TIMES(waits_and_events_are_barriers),
        TIMES(every_kernel_of_a_graph_is_recorded_with_its_node),
        TIMES(only_what_the_thread_puts_into_the_stream_is_recorded),
        TIMES(commands_may_be_nested_deeply),
        TIMES(nothing_is_recorded_after_the_end),
        TIMES(records_outlive_their_stream),
        TIMES(work_that_does_not_end_is_not_waited_for),
        TIMES(work_is_done_when_there_are_no_signals),
        TIMES(a_graph_runs_when_there_are_no_signals),
        TIMES(a_device_that_fails_loses_what_it_did_not_end),
        TIMES(a_reset_loses_what_it_ends_and_nothing_else),
        TIMES(a_runtime_without_times_of_copies_is_used_all_the_same),
        TIMES(threads_work_while_another_collects),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
