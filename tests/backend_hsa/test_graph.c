/* Graphs of the HSA backend: which packets a launch writes, what orders them, and whose arguments
 * they have. */
#include "work.h"

#include "image.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS(name)                                                                              \
    extern const char name[], name##_end[];                                                        \
    __asm__(".pushsection .rodata\n.balign 4096\n" #name ": .incbin \"" KERNELS_GFX90A             \
            "\"\n" #name "_end:\n.popsection\n")
KERNELS(code);

enum { NODES_MAX = 24000 };

static struct ah_backend_module *module;
static struct ah_backend_function *add; /* out[i] = a[i] + b[i] */
static uint32_t *words;                 /* of the host: 1 at the end, 0 before */
static uint32_t *one;

static void load_kernels(void)
{
    module = new_module(code, (size_t)(code_end - code));
    add = new_function(module, "fake_add");
}

static int start(void **state)
{
    if (open_two_devices(state) != 0)
        return -1;
    load_kernels();
    words = new_pinned(4096);
    one = &words[1023];
    *one = 1;
    return 0;
}

static int end(void **state)
{
    ok(OPS->host_free(first, words));
    ok(OPS->module_unload(first, module));
    return close_devices(state);
}

/* ---- graphs under construction ------------------------------------------------------------ */

/* A node: *out = *a + *one. */
struct adding {
    uint32_t *out, *a, *b, count;
    void *params[4];
    struct ah_launch sizes;
};

static struct {
    struct ah_graph_node nodes[NODES_MAX];
    struct adding additions[NODES_MAX];
    unsigned dependencies[NODES_MAX][2];
    unsigned count;
} plan;

static void begin_plan(void)
{
    memset(plan.nodes, 0, sizeof plan.nodes[0] * plan.count);
    plan.count = 0;
    memset(words, 0, 4096 - 4);
}

enum { NOTHING = -1 };

static unsigned plan_node(enum ah_graph_node_kind kind, int before, int also_before)
{
    unsigned index = plan.count++;
    struct ah_graph_node *node = &plan.nodes[index];
    *node = (struct ah_graph_node){.kind = kind, .enabled = true, .device = first};
    node->dependencies = plan.dependencies[index];
    if (before != NOTHING)
        plan.dependencies[index][node->dependency_count++] = (unsigned)before;
    if (also_before != NOTHING)
        plan.dependencies[index][node->dependency_count++] = (unsigned)also_before;
    return index;
}

static void set_addition(unsigned index, uint32_t *out, uint32_t *a)
{
    struct adding *adding = &plan.additions[index];
    *adding = (struct adding){.out = out, .a = a, .b = one, .count = 1};
    adding->params[0] = &adding->out;
    adding->params[1] = &adding->a;
    adding->params[2] = &adding->b;
    adding->params[3] = &adding->count;
    adding->sizes =
        (struct ah_launch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = adding->params};
    plan.nodes[index].launch.function = add;
    plan.nodes[index].launch.sizes = &adding->sizes;
}

static unsigned plan_addition(uint32_t *out, uint32_t *a, int before, int also_before)
{
    unsigned index = plan_node(AH_GRAPH_LAUNCH, before, also_before);
    set_addition(index, out, a);
    return index;
}

/* Each adds 1 to words[0] after the one before. */
static void plan_chain(unsigned count)
{
    begin_plan();
    for (unsigned i = 0; i < count; i++)
        plan_addition(&words[0], &words[0], (int)i - 1, NOTHING);
}

static struct ah_backend_graph *make_graph(void)
{
    struct ah_backend_graph *graph;
    ok(OPS->graph_create(first, plan.nodes, plan.count, &graph));
    return graph;
}

static void launch(struct ah_backend_graph *graph, struct ah_backend_stream *stream)
{
    ok(OPS->graph_launch(first, graph, stream));
}

/* ---- order -------------------------------------------------------------------------------- */

static void a_chain_runs_in_order_launch_after_launch(void **state)
{
    enum { LENGTH = 50, LAUNCHES = 5 };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    (void)state;
    plan_chain(LENGTH);
    struct ah_backend_graph *graph = make_graph();
    ok(OPS->graph_upload(first, graph, stream));
    for (int i = 0; i < LAUNCHES; i++)
        launch(graph, stream);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], LENGTH * LAUNCHES);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

/* What a launch wrote into the queue, which is held. */
struct written {
    const hsa_kernel_dispatch_packet_t *ring;
    uint64_t first, mask;
};

static struct written held_queue(struct ah_backend_stream *stream)
{
    uint64_t native;
    ok(OPS->stream_native(first, stream, &native));
    const hsa_queue_t *queue = (const hsa_queue_t *)(uintptr_t)native;
    const amd_queue_t *amd = (const amd_queue_t *)(const void *)queue;
    return (struct written){queue->base_address, amd->write_dispatch_id, queue->size - 1};
}

static const hsa_kernel_dispatch_packet_t *packet_at(const struct written *written, unsigned index)
{
    return &written->ring[(written->first + index) & written->mask];
}

static bool waits(const struct written *written, unsigned index)
{
    return packet_at(written, index)->header >> HSA_PACKET_HEADER_BARRIER & 1;
}

static bool has_signal(const struct written *written, unsigned index)
{
    return packet_at(written, index)->completion_signal.handle != 0;
}

/* Two beginnings, two branches of one of them through an empty node, and one end. */
static void plan_diamond(void)
{
    begin_plan();
    unsigned top = plan_addition(&words[0], &words[8], NOTHING, NOTHING);
    unsigned empty = plan_node(AH_GRAPH_EMPTY, (int)top, NOTHING);
    unsigned left = plan_addition(&words[1], &words[0], (int)empty, NOTHING);
    unsigned right = plan_addition(&words[2], &words[0], (int)empty, NOTHING);
    plan_addition(&words[4], &words[8], NOTHING, NOTHING);
    plan_addition(&words[3], &words[2], (int)left, (int)right);
}

static void only_the_first_kernel_of_a_level_waits(void **state)
{
    static const bool expected[] = {false, false, true, false, true};
    enum { KERNELS = sizeof expected / sizeof *expected };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    (void)state;
    plan_diamond();
    struct ah_backend_graph *graph = make_graph();
    fakehsa_hold(true);
    struct written written = held_queue(stream);
    launch(graph, stream);
    assert_int_equal(held_queue(stream).first - written.first, KERNELS);
    for (unsigned i = 0; i < KERNELS; i++) {
        assert_int_equal(waits(&written, i), expected[i]);
        assert_int_equal(has_signal(&written, i), i == KERNELS - 1);
    }
    launch(graph, stream); /* which comes after the first launch */
    assert_true(waits(&written, KERNELS));
    fakehsa_hold(false);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 2);
    assert_int_equal(words[3], 3);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

/* A signal of one kernel would say nothing of the others. */
static void a_wide_end_is_waited_for_by_a_barrier(void **state)
{
    enum { WIDTH = 7 };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    (void)state;
    begin_plan();
    for (unsigned i = 0; i < WIDTH; i++)
        plan_addition(&words[i], &words[100], NOTHING, NOTHING);
    struct ah_backend_graph *graph = make_graph();
    fakehsa_hold(true);
    struct written written = held_queue(stream);
    launch(graph, stream);
    assert_int_equal(held_queue(stream).first - written.first, WIDTH + 1);
    for (unsigned i = 0; i < WIDTH; i++)
        assert_false(waits(&written, i) || has_signal(&written, i));
    assert_true(waits(&written, WIDTH) && has_signal(&written, WIDTH));
    fakehsa_hold(false);
    ok(OPS->stream_synchronize(first, stream));
    for (unsigned i = 0; i < WIDTH; i++)
        assert_int_equal(words[i], 1);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

static void a_graph_may_be_longer_than_the_queue(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamDefault);
    (void)state;
    plan_chain(NODES_MAX);
    struct ah_backend_graph *graph = make_graph();
    launch(graph, stream);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], NODES_MAX);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

static void a_graph_of_empty_nodes_is_no_work(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    (void)state;
    begin_plan();
    plan_node(AH_GRAPH_EMPTY, NOTHING, NOTHING);
    plan_node(AH_GRAPH_EMPTY, 0, NOTHING);
    struct ah_backend_graph *graph = make_graph();
    launch(graph, stream);
    ok(OPS->stream_query(first, stream));
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

static void a_launch_comes_after_what_the_stream_waits_for(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamDefault);
    struct gate gate = closed_gate(first, legacy_stream(first));
    (void)state;
    plan_chain(3);
    struct ah_backend_graph *graph = make_graph();
    launch(graph, stream); /* after the legacy stream */
    assert_int_equal(OPS->stream_query(first, stream), hipErrorNotReady);
    assert_int_equal(words[0], 0);
    open_gate(gate);
    fill_bytes(first, &words[0], 0, 4, legacy_stream(first)); /* and before its later work */
    ok(OPS->device_synchronize(first));
    assert_int_equal(words[0], 0);
    free_gate(gate);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

static void launches_in_several_streams_wait_for_one_another(void **state)
{
    struct ah_backend_stream *one_stream = new_stream(first, hipStreamNonBlocking),
                             *other = new_stream(first, hipStreamNonBlocking);
    (void)state;
    plan_chain(2);
    struct ah_backend_graph *graph = make_graph();
    struct gate gate = closed_gate(first, one_stream);
    launch(graph, one_stream);
    launch(graph, other);
    assert_int_equal(OPS->stream_query(first, other), hipErrorNotReady);
    assert_int_equal(words[0], 0);
    open_gate(gate);
    ok(OPS->stream_synchronize(first, other));
    assert_int_equal(words[0], 4);
    ok(OPS->stream_synchronize(first, one_stream));
    free_gate(gate);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, one_stream));
    ok(OPS->stream_destroy(first, other));
}

/* ---- changes ------------------------------------------------------------------------------ */

static void arguments_are_copied_when_the_graph_is_made(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    (void)state;
    plan_chain(1);
    struct ah_backend_graph *graph = make_graph();
    set_addition(0, &words[5], &words[5]);
    launch(graph, stream);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], 1);
    assert_int_equal(words[5], 0);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

static void an_update_leaves_launches_in_flight_as_they_are(void **state)
{
    enum { UPDATES = 6 };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    (void)state;
    plan_chain(2);
    struct ah_backend_graph *graph = make_graph();
    for (int round = 0; round < 2; round++) { /* the second uses memory of the first */
        struct gate gate = closed_gate(first, stream);
        for (unsigned i = 0; i < UPDATES; i++) {
            launch(graph, stream);
            set_addition(1, &words[1 + i], &words[1 + i]);
            ok(OPS->graph_update(first, graph, 1, &plan.nodes[1]));
        }
        open_gate(gate);
        ok(OPS->stream_synchronize(first, stream));
        free_gate(gate);
    }
    assert_int_equal(words[0], 2 * UPDATES + 1);
    for (unsigned i = 0; i < UPDATES - 1; i++)
        assert_int_equal(words[1 + i], 2);
    assert_int_equal(words[UPDATES], 1);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

static void a_node_that_is_switched_off_orders_others_only(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    (void)state;
    plan_chain(4);
    struct ah_backend_graph *graph = make_graph();
    plan.nodes[1].enabled = plan.nodes[3].enabled = false;
    ok(OPS->graph_update(first, graph, 1, &plan.nodes[1]));
    ok(OPS->graph_update(first, graph, 3, &plan.nodes[3]));
    fakehsa_hold(true);
    struct written written = held_queue(stream);
    launch(graph, stream);
    assert_int_equal(held_queue(stream).first - written.first, 2);
    assert_true(waits(&written, 1) && has_signal(&written, 1));
    fakehsa_hold(false);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], 2);
    plan.nodes[1].enabled = plan.nodes[3].enabled = true;
    ok(OPS->graph_update(first, graph, 1, &plan.nodes[1]));
    ok(OPS->graph_update(first, graph, 3, &plan.nodes[3]));
    launch(graph, stream);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], 6);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->stream_destroy(first, stream));
}

static void a_kernel_with_more_arguments_needs_a_new_graph(void **state)
{
    struct ah_launch sizes = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct ah_graph_node node = {.kind = AH_GRAPH_LAUNCH, .enabled = true, .device = first};
    struct ah_backend_graph *graph;
    (void)state;
    node.launch.function = new_function(module, "empty");
    node.launch.sizes = &sizes;
    ok(OPS->graph_create(first, &node, 1, &graph));
    plan_chain(1);
    assert_int_equal(OPS->graph_update(first, graph, 0, &plan.nodes[0]), hipErrorNotSupported);
    ok(OPS->graph_destroy(first, graph));
}

/* ---- what ends ---------------------------------------------------------------------------- */

static void a_graph_may_be_destroyed_while_it_runs(void **state)
{
    struct fakehsa_counts before, after;
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    (void)state;
    struct gate gate = closed_gate(first, stream);
    plan_chain(10);
    fakehsa_count(&before);
    struct ah_backend_graph *graph = make_graph();
    launch(graph, stream);
    ok(OPS->graph_destroy(first, graph));
    assert_int_equal(words[0], 0);
    open_gate(gate);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], 10);
    fakehsa_count(&after);
    assert_int_equal(after.host_allocations, before.host_allocations);
    free_gate(gate);
    ok(OPS->stream_destroy(first, stream));
}

static void a_graph_does_not_outlive_a_reset(void **state)
{
    struct ah_backend_stream *stream = new_stream(second, hipStreamNonBlocking);
    struct ah_graph_node node = {.kind = AH_GRAPH_EMPTY, .enabled = true, .device = second};
    struct ah_backend_graph *graph;
    (void)state;
    ok(OPS->graph_create(second, &node, 1, &graph));
    ok(OPS->graph_launch(second, graph, stream));
    ok(OPS->device_reset(second));
    stream = new_stream(second, hipStreamNonBlocking);
    assert_int_equal(OPS->graph_launch(second, graph, stream), hipErrorContextIsDestroyed);
    ok(OPS->graph_destroy(second, graph));
    ok(OPS->stream_destroy(second, stream));
}

/* ---- errors ------------------------------------------------------------------------------- */

static void what_a_queue_cannot_do_by_itself_is_refused(void **state)
{
    struct ah_backend_graph *graph;
    (void)state;
    plan_chain(2);
    plan.nodes[1].kind = AH_GRAPH_HOST_FUNCTION;
    assert_int_equal(OPS->graph_create(first, plan.nodes, 2, &graph), hipErrorNotSupported);
    plan_chain(2);
    plan.nodes[1].device = second;
    assert_int_equal(OPS->graph_create(first, plan.nodes, 2, &graph), hipErrorNotSupported);
    plan_chain(2);
    plan.additions[1].sizes.flags = AH_LAUNCH_COOPERATIVE;
    assert_int_equal(OPS->graph_create(first, plan.nodes, 2, &graph), hipErrorNotSupported);
    plan_chain(2);
    plan.additions[1].sizes.grid[0] = UINT32_MAX;
    plan.additions[1].sizes.block[0] = 2;
    assert_int_equal(OPS->graph_create(first, plan.nodes, 2, &graph), hipErrorInvalidConfiguration);
}

/* Everything that making, launching and changing a graph asks the runtime for. The first stream of
 * a device that was reset makes queues and signals. */
static hipError_t use_a_graph(struct ah_backend_stream *stream)
{
    struct ah_backend_graph *graph;
    hipError_t error = OPS->graph_create(first, plan.nodes, plan.count, &graph);
    if (error != hipSuccess)
        return error;
    error = OPS->graph_launch(first, graph, stream);
    if (error == hipSuccess)
        error = OPS->graph_update(first, graph, 0, &plan.nodes[0]);
    if (error == hipSuccess)
        error = OPS->graph_launch(first, graph, stream);
    ok(OPS->graph_destroy(first, graph));
    return error;
}

static void a_call_that_fails_leaves_nothing(void **state)
{
    static const char *const functions[] = {"hsa_amd_memory_pool_allocate",
                                            "hsa_amd_agents_allow_access", "hsa_signal_create"};
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    struct fakehsa_counts before, after;
    (void)state;
    plan_chain(3);
    ok(use_a_graph(stream));
    ok(OPS->stream_synchronize(first, stream));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (unsigned nth = 1; nth <= 2; nth++) {
            unsigned calls = fakehsa_calls(functions[i]);
            fakehsa_count(&before);
            fakehsa_hold(true); /* so that the change needs memory of its own */
            fakehsa_fail(functions[i], nth, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
            hipError_t error = use_a_graph(stream);
            bool failed = fakehsa_calls(functions[i]) - calls >= nth;
            fakehsa_clear_faults();
            fakehsa_hold(false);
            assert_int_equal(error, failed ? hipErrorOutOfMemory : hipSuccess);
            ok(OPS->stream_synchronize(first, stream));
            fakehsa_count(&after);
            assert_int_equal(after.host_allocations, before.host_allocations);
        }
    ok(OPS->stream_destroy(first, stream));
}

/* ---- threads ------------------------------------------------------------------------------ */

struct launcher {
    struct ah_backend_graph *graph;
    struct ah_backend_stream *stream;
    hipError_t error;
};

static void *launch_often(void *data)
{
    enum { LAUNCHES = 200 };
    struct launcher *launcher = data;
    for (int i = 0; i < LAUNCHES && launcher->error == hipSuccess; i++)
        launcher->error = OPS->graph_launch(first, launcher->graph, launcher->stream);
    return NULL;
}

static void threads_launch_graphs_into_one_stream(void **state)
{
    enum { THREADS = 4, LAUNCHES = 200, LENGTH = 8 };
    struct ah_backend_stream *stream = new_stream(first, hipStreamDefault);
    struct launcher launchers[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    plan_chain(LENGTH);
    for (int i = 0; i < THREADS; i++)
        launchers[i] = (struct launcher){make_graph(), stream, hipSuccess};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_often, &launchers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ok(launchers[i].error);
        ok(OPS->graph_destroy(first, launchers[i].graph));
    }
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], THREADS * LAUNCHES * LENGTH);
    ok(OPS->stream_destroy(first, stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_runs_in_order_launch_after_launch),
        cmocka_unit_test(only_the_first_kernel_of_a_level_waits),
        cmocka_unit_test(a_wide_end_is_waited_for_by_a_barrier),
        cmocka_unit_test(a_graph_may_be_longer_than_the_queue),
        cmocka_unit_test(a_graph_of_empty_nodes_is_no_work),
        cmocka_unit_test(a_launch_comes_after_what_the_stream_waits_for),
        cmocka_unit_test(launches_in_several_streams_wait_for_one_another),
        cmocka_unit_test(arguments_are_copied_when_the_graph_is_made),
        cmocka_unit_test(an_update_leaves_launches_in_flight_as_they_are),
        cmocka_unit_test(a_node_that_is_switched_off_orders_others_only),
        cmocka_unit_test(a_kernel_with_more_arguments_needs_a_new_graph),
        cmocka_unit_test(a_graph_may_be_destroyed_while_it_runs),
        cmocka_unit_test(a_graph_does_not_outlive_a_reset),
        cmocka_unit_test(what_a_queue_cannot_do_by_itself_is_refused),
        cmocka_unit_test(a_call_that_fails_leaves_nothing),
        cmocka_unit_test(threads_launch_graphs_into_one_stream),
    };
    return cmocka_run_group_tests(tests, start, end);
}
