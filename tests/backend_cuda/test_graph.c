/* Graphs of the CUDA backend over the fake driver: what nodes do, what is left to core, which
 * functions a driver may lack, and every call of the driver failing. */
#include "support.h"

#include "cuda_backend.h"
#include "fakecuda.h"
#include "../driver/fill_ptx.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OPS              (&ahcuda_ops)
#define ok(call)         assert_int_equal((call), hipSuccess)
#define expect(call, to) assert_int_equal((call), (to))

enum { WORDS = 8, BYTES = 4 * WORDS };

static struct ah_backend *backend;
static struct ah_backend_device *first, *second;
static struct ah_backend_module *modules[2];
static struct ah_backend_function *fills[2];
static struct ah_backend_stream *stream;
static struct ah_backend_event *events[2];
static uint32_t *a, *b, *c; /* of devices; c of the second */
static uint32_t *host;      /* page-locked: BYTES, and from FLAG on words for values */
enum { FLAG = WORDS, WRITTEN };
static unsigned called[2];

/* ---- nodes --------------------------------------------------------------------------------- */

static struct ah_graph_node node(enum ah_graph_node_kind kind, unsigned count,
                                 const unsigned *dependencies)
{
    return (struct ah_graph_node){.kind = kind,
                                  .enabled = true,
                                  .device = first,
                                  .dependencies = dependencies,
                                  .dependency_count = count};
}

/* The launch of fake_fill(out, value, count). */
struct launch {
    uint32_t *out, value, count;
    void *params[3];
    struct ah_launch sizes;
};

static void set_launch(struct ah_graph_node *out, struct launch *launch, uint32_t *memory,
                       uint32_t value, unsigned flags)
{
    *launch = (struct launch){.out = memory, .value = value, .count = WORDS};
    launch->params[0] = &launch->out;
    launch->params[1] = &launch->value;
    launch->params[2] = &launch->count;
    launch->sizes = (struct ah_launch){
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .flags = flags, .params = launch->params};
    out->launch.function = fills[out->device == second];
    out->launch.sizes = &launch->sizes;
}

static struct ah_copy_region copy_of(void *dst, void *src)
{
    return (struct ah_copy_region){
        .dst = {.pointer = dst}, .src = {.pointer = src}, .width = BYTES, .height = 1, .depth = 1};
}

static struct ah_fill fill_of(uint32_t *dst, uint32_t value)
{
    return (struct ah_fill){
        .dst = dst, .value = value, .element_size = 4, .width = WORDS, .height = 1};
}

static void call(void *data)
{
    (*(unsigned *)data)++;
}

/* A graph with every kind of node. */
enum {
    FILL,
    LAUNCH,
    COPY,
    HOST,
    RECORD,
    WAIT,
    VALUE_WAIT,
    VALUE_WRITE,
    EMPTY,
    ELSEWHERE,
    DISABLED,
    NODES
};

static struct plan {
    struct ah_graph_node nodes[NODES];
    struct launch launch, elsewhere, disabled;
} plan;

static void set_value(struct ah_graph_node *out, unsigned word, uint64_t value)
{
    out->value.pointer = &host[word];
    out->value.value = value;
    out->value.mask = UINT64_MAX;
    out->value.bits = 32;
    out->value.condition = AH_WAIT_GEQUAL;
}

static void begin_plan(void)
{
    static const unsigned chain[NODES] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0}, both[] = {7, 3};
    static const enum ah_graph_node_kind kinds[NODES] = {
        AH_GRAPH_FILL,         AH_GRAPH_LAUNCH,     AH_GRAPH_COPY,       AH_GRAPH_HOST_FUNCTION,
        AH_GRAPH_EVENT_RECORD, AH_GRAPH_EVENT_WAIT, AH_GRAPH_VALUE_WAIT, AH_GRAPH_VALUE_WRITE,
        AH_GRAPH_EMPTY,        AH_GRAPH_LAUNCH,     AH_GRAPH_LAUNCH,
    };
    for (unsigned i = 0; i < NODES; i++)
        plan.nodes[i] = node(kinds[i], i > 0, &chain[i]);
    plan.nodes[EMPTY] = node(AH_GRAPH_EMPTY, 2, both);
    plan.nodes[ELSEWHERE].device = second;
    plan.nodes[DISABLED].enabled = false;
    plan.nodes[FILL].fill = fill_of(a, 3);
    plan.nodes[COPY].copy = copy_of(host, a);
    plan.nodes[HOST].host.function = call;
    plan.nodes[HOST].host.data = &called[0];
    plan.nodes[RECORD].event = events[0];
    plan.nodes[WAIT].event = events[1];
    set_value(&plan.nodes[VALUE_WAIT], FLAG, 0);
    set_value(&plan.nodes[VALUE_WRITE], WRITTEN, 9);
    set_launch(&plan.nodes[LAUNCH], &plan.launch, b, 5, 0);
    set_launch(&plan.nodes[DISABLED], &plan.disabled, a, 99, 0);
    set_launch(&plan.nodes[ELSEWHERE], &plan.elsewhere, c, 6, AH_LAUNCH_COOPERATIVE);
    memset(host, 0, BYTES + 64);
    memset(called, 0, sizeof called);
}

static uint32_t word_of(struct ah_backend_device *device, const uint32_t *memory)
{
    uint32_t words[WORDS];
    ok(OPS->copy(device, words, memory, BYTES));
    assert_int_equal(words[0], words[WORDS - 1]);
    return words[0];
}

static void check_results(uint32_t fill, uint32_t launch, uint32_t copy, uint32_t written,
                          uint32_t elsewhere)
{
    assert_int_equal(word_of(first, a), fill);
    assert_int_equal(word_of(first, b), launch);
    assert_int_equal(host[0], copy);
    assert_int_equal(host[WORDS - 1], copy);
    assert_int_equal(host[WRITTEN], written);
    assert_int_equal(word_of(second, c), elsewhere);
}

/* Other work for every node. */
static void change_plan(void)
{
    plan.nodes[FILL].fill = fill_of(a, 4);
    plan.nodes[COPY].copy = copy_of(host, b);
    plan.nodes[HOST].host.data = &called[1];
    plan.nodes[RECORD].event = events[1];
    plan.nodes[WAIT].event = events[0];
    plan.disabled.value = 98;
    plan.nodes[DISABLED].enabled = true;
    set_value(&plan.nodes[VALUE_WRITE], WRITTEN, 10);
    plan.launch.value = 15;
    plan.elsewhere.value = 16;
}

/* ---- the whole of it ------------------------------------------------------------------------- */

static hipError_t update_all(struct ah_backend_graph *graph)
{
    hipError_t error = hipSuccess;
    for (unsigned i = 0; i < NODES && error == hipSuccess; i++)
        error = OPS->graph_update(first, graph, i, &plan.nodes[i]);
    return error;
}

static hipError_t launch_and_wait(struct ah_backend_graph *graph)
{
    hipError_t error = OPS->graph_launch(first, graph, stream);
    hipError_t waited = OPS->stream_synchronize(first, stream);
    return error == hipSuccess ? waited : error;
}

/* Creates, uploads, launches, updates, launches and destroys; the first error. What was created is
 * destroyed in any case, again if need be. */
static hipError_t use_graph(void)
{
    struct ah_backend_graph *graph = NULL;
    begin_plan();
    hipError_t error = OPS->graph_create(first, plan.nodes, NODES, &graph);
    if (error != hipSuccess)
        return error;
    error = OPS->graph_upload(first, graph, stream);
    if (error == hipSuccess)
        error = launch_and_wait(graph);
    change_plan();
    if (error == hipSuccess)
        error = update_all(graph);
    if (error == hipSuccess)
        error = launch_and_wait(graph);
    hipError_t destroyed = OPS->graph_destroy(first, graph);
    if (destroyed != hipSuccess)
        ok(OPS->graph_destroy(first, graph));
    return error == hipSuccess ? destroyed : error;
}

static void every_kind_of_node_works_and_changes(void **state)
{
    struct ah_backend_graph *graph;
    (void)state;
    begin_plan();
    ok(OPS->graph_create(first, plan.nodes, NODES, &graph));
    ok(OPS->graph_upload(first, graph, stream));
    for (unsigned i = 1; i <= 3; i++) {
        ok(launch_and_wait(graph));
        check_results(3, 5, 3, 9, 6);
        assert_int_equal(called[0], i);
    }
    change_plan();
    ok(update_all(graph));
    ok(launch_and_wait(graph));
    check_results(98, 15, 15, 10, 16);
    assert_int_equal(called[0], 3);
    assert_int_equal(called[1], 1);
    plan.nodes[DISABLED].enabled = false;
    ok(OPS->graph_update(first, graph, DISABLED, &plan.nodes[DISABLED]));
    ok(launch_and_wait(graph));
    check_results(4, 15, 15, 10, 16);
    ok(OPS->graph_destroy(first, graph));
}

static void arguments_in_a_buffer_are_copied(void **state)
{
    struct {
        uint32_t *out, value, count;
        uint32_t padding[2]; /* of a C structure: the driver does not want it */
    } buffer = {b, 21, WORDS, {0, 0}};
    size_t size = sizeof buffer;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    struct ah_graph_node one = node(AH_GRAPH_LAUNCH, 0, NULL);
    struct ah_backend_graph *graph;
    struct launch launch;
    (void)state;
    set_launch(&one, &launch, NULL, 0, 0);
    launch.sizes.params = NULL;
    launch.sizes.extra = extra;
    ok(OPS->graph_create(first, &one, 1, &graph));
    buffer.value = 22;
    ok(launch_and_wait(graph));
    assert_int_equal(word_of(first, b), 21);
    ok(OPS->graph_update(first, graph, 0, &one));
    ok(launch_and_wait(graph));
    assert_int_equal(word_of(first, b), 22);
    ok(OPS->graph_destroy(first, graph));
}

/* ---- what core has to do ------------------------------------------------------------------------
 */

/* hipErrorNotSupported, without a word; nothing is left of the attempt. */
static void is_left_to_core(const struct ah_graph_node *one)
{
    struct ah_backend_graph *graph = NULL;
    struct fakecuda_counts counts;
    ah_test_capture();
    hipError_t error = OPS->graph_create(first, one, 1, &graph);
    assert_string_equal(ah_test_captured(), "");
    expect(error, hipErrorNotSupported);
    fakecuda_count(&counts);
    assert_int_equal(counts.graphs + counts.executable_graphs, 0);
}

static void what_no_graph_can_do_is_left_to_core(void **state)
{
    const struct ah_multi_grid place = {0};
    struct ah_graph_node one = node(AH_GRAPH_LAUNCH, 0, NULL);
    struct launch launch;
    uint32_t pageable[WORDS];
    void *extra[] = {HIP_LAUNCH_PARAM_END};
    (void)state;
    set_launch(&one, &launch, b, 1, AH_LAUNCH_COOPERATIVE);
    launch.sizes.place = &place;
    is_left_to_core(&one);
    set_launch(&one, &launch, b, 1, AH_LAUNCH_COOPERATIVE);
    launch.sizes.extra = extra;
    is_left_to_core(&one);
    one = node(AH_GRAPH_VALUE_WAIT, 0, NULL);
    set_value(&one, FLAG, 0);
    one.value.mask = 0xff;
    is_left_to_core(&one);
    one = node(AH_GRAPH_FILL, 0, NULL);
    one.fill = fill_of(pageable, 1); /* this driver refuses it */
    is_left_to_core(&one);
}

/* A driver takes an address that it does not know for memory of the host, and would read it there.
 */
static void addresses_without_memory_are_left_to_core(void **state)
{
    struct ah_graph_node one = node(AH_GRAPH_COPY, 0, NULL);
    struct ah_backend_graph *graph;
    void *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t pageable[WORDS] = {44};
    (void)state;
    assert_true(nothing != MAP_FAILED);
    one.copy = copy_of(a, nothing);
    is_left_to_core(&one);
    one.copy = copy_of(nothing, a);
    is_left_to_core(&one);
    one.copy = copy_of(a, pageable);
    ok(OPS->graph_create(first, &one, 1, &graph));
    ok(launch_and_wait(graph));
    one.copy = copy_of(a, nothing);
    expect(OPS->graph_update(first, graph, 0, &one), hipErrorNotSupported);
    ok(OPS->graph_destroy(first, graph));
    munmap(nothing, 4096);
}

static void what_the_driver_cannot_change_is_created_anew(void **state)
{
    struct ah_graph_node one = node(AH_GRAPH_LAUNCH, 0, NULL), copy = node(AH_GRAPH_COPY, 0, NULL);
    struct ah_backend_graph *graph;
    struct launch launch;
    (void)state;
    set_launch(&one, &launch, b, 1, 0);
    ok(OPS->graph_create(first, &one, 1, &graph));
    set_launch(&one, &launch, b, 2, AH_LAUNCH_COOPERATIVE);
    expect(OPS->graph_update(first, graph, 0, &one), hipErrorNotSupported);
    one.launch.function = fills[1]; /* of another context */
    expect(OPS->graph_update(first, graph, 0, &one), hipErrorNotSupported);
    ok(launch_and_wait(graph));
    assert_int_equal(word_of(first, b), 1);
    ok(OPS->graph_destroy(first, graph));
    copy.copy = copy_of(a, host);
    ok(OPS->graph_create(first, &copy, 1, &graph));
    copy.copy = copy_of(host, a);
    expect(OPS->graph_update(first, graph, 0, &copy), hipErrorNotSupported);
    ok(OPS->graph_destroy(first, graph));
}

/* A host node cannot be disabled: an empty one is in its place. */
static void a_disabled_node_of_any_kind_does_nothing(void **state)
{
    struct ah_graph_node one = node(AH_GRAPH_HOST_FUNCTION, 0, NULL);
    struct ah_backend_graph *graph;
    (void)state;
    begin_plan();
    one.host.function = call;
    one.host.data = &called[0];
    one.enabled = false;
    ok(OPS->graph_create(first, &one, 1, &graph));
    ok(launch_and_wait(graph));
    assert_int_equal(called[0], 0);
    ok(OPS->graph_update(first, graph, 0, &one));
    one.enabled = true;
    expect(OPS->graph_update(first, graph, 0, &one), hipErrorNotSupported);
    ok(OPS->graph_destroy(first, graph));
    ok(OPS->graph_create(first, &one, 1, &graph));
    one.enabled = false;
    expect(OPS->graph_update(first, graph, 0, &one), hipErrorNotSupported);
    ok(launch_and_wait(graph));
    assert_int_equal(called[0], 1);
    ok(OPS->graph_destroy(first, graph));
}

/* NVIDIA's driver would let what comes after a disabled fill overtake a kernel before it. */
static void a_fill_that_is_disabled_becomes_an_empty_node(void **state)
{
    struct ah_graph_node one = node(AH_GRAPH_FILL, 0, NULL);
    struct ah_backend_graph *graph;
    (void)state;
    one.fill = fill_of(a, 3);
    ok(OPS->graph_create(first, &one, 1, &graph));
    one.enabled = false;
    expect(OPS->graph_update(first, graph, 0, &one), hipErrorNotSupported);
    ok(OPS->graph_destroy(first, graph));
    unsigned before = fakecuda_calls("cuGraphAddEmptyNode");
    ok(OPS->graph_create(first, &one, 1, &graph));
    assert_int_equal(fakecuda_calls("cuGraphAddEmptyNode"), before + 1);
    ok(OPS->graph_destroy(first, graph));
}

/* ---- drivers that lack a function
 * ----------------------------------------------------------------- */

static hipError_t create_and_change(void)
{
    struct ah_backend_graph *graph;
    hipError_t error = OPS->graph_create(first, plan.nodes, NODES, &graph);
    if (error != hipSuccess)
        return error;
    error = update_all(graph);
    ok(OPS->graph_destroy(first, graph));
    return error;
}

/* Each function is needed by a graph that has everything; by others it is not. */
static void without(void (**function)(void), const char *name)
{
    struct ah_graph_node empty = node(AH_GRAPH_EMPTY, 0, NULL);
    void (*kept)(void) = *function;
    struct ah_backend_graph *graph = NULL;
    begin_plan();
    *function = NULL;
    ah_test_capture();
    hipError_t error = create_and_change();
    assert_string_equal(ah_test_captured(), "");
    if (strcmp(name, "cuGraphNodeSetEnabled") == 0) { /* a disabled node was an empty one */
        ok(error);
        change_plan();
        begin_plan();
        change_plan();
        error = create_and_change();
        ok(error);
    } else if (error != hipErrorNotSupported) {
        fail_msg("without %s: %d", name, error);
    }
    error = OPS->graph_create(first, &empty, 1, &graph);
    bool needed = strncmp(name, "cuGraphAdd", 10) != 0 && strncmp(name, "cuGraphExec", 11) != 0 &&
                  strncmp(name, "cuGraphNode", 11) != 0 && strncmp(name, "cuGraphKernel", 13) != 0;
    needed |= strcmp(name, "cuGraphAddEmptyNode") == 0 || strcmp(name, "cuGraphExecDestroy") == 0;
    if (error != (needed ? hipErrorNotSupported : hipSuccess))
        fail_msg("an empty graph without %s: %d", name, error);
    if (error == hipSuccess)
        ok(OPS->graph_destroy(first, graph));
    *function = kept;
}

static void a_driver_without_a_function_leaves_to_core_what_needs_it(void **state)
{
    unsigned tested = 0;
    (void)state;
#define CUDA_SYMBOL(need, field, name, parameters)                                                 \
    if (strncmp(name, "cuGraph", 7) == 0 && strncmp(name, "cuGraphics", 10) != 0) {                \
        without((void (**)(void))(void *)&backend->api.field, name);                               \
        tested++;                                                                                  \
    }
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
    assert_true(tested >= 20);
}

/* ---- every call of the driver fails
 * ----------------------------------------------------------------- */

/* Whether a result of the function concerns a node, which core can do by itself. */
static bool is_about_a_node(const char *function)
{
    return strncmp(function, "cuGraphAdd", 10) == 0 ||
           strcmp(function, "cuGraphInstantiateWithFlags") == 0 ||
           strcmp(function, "cuGraphKernelNodeSetAttribute") == 0 ||
           strcmp(function, "cuGraphNodeSetEnabled") == 0 ||
           (strncmp(function, "cuGraphExec", 11) == 0 && strstr(function, "Set"));
}

static void nothing_is_left(const char *function, unsigned nth)
{
    struct fakecuda_counts counts;
    fakecuda_count(&counts);
    if (counts.graphs + counts.executable_graphs > 0)
        fail_msg("call %u of %s left %u graphs, %u executable ones", nth, function, counts.graphs,
                 counts.executable_graphs);
}

/* The nth call fails: the error, or what core is to do instead, is the result. */
static void one_call_fails(const char *function, unsigned nth, int code)
{
    hipError_t wanted = ahcuda_error(code);
    bool about_a_node = is_about_a_node(function) &&
                        (code == CUDA_ERROR_INVALID_VALUE || code == CUDA_ERROR_NOT_SUPPORTED);
    fakecuda_fail(function, nth, code);
    ah_test_capture();
    hipError_t error = use_graph();
    const char *log = ah_test_captured();
    fakecuda_clear_faults();
    ok(OPS->stream_synchronize(first, stream)); /* where waiting has failed */
    if (strcmp(function, "cuPointerGetAttribute") ==
        0) { /* then it is memory of the host, or none */
        assert_true(error == hipSuccess || error == hipErrorNotSupported);
        assert_string_equal(log, "");
        return;
    }
    if (error != (about_a_node ? hipErrorNotSupported : wanted))
        fail_msg("call %u of %s with %d: %d", nth, function, code, error);
    if (ah_test_count_lines(log) != (about_a_node ? 0 : 1))
        fail_msg("call %u of %s with %d logs: %s", nth, function, code, log);
    nothing_is_left(function, nth);
}

static void a_call_that_fails_is_an_error_or_left_to_core(void **state)
{
    static const int codes[] = {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
                                CUDA_ERROR_NOT_SUPPORTED};
    unsigned before[512], calls[512], cases = 0;
    const struct fake *fake = fakecuda();
    const char *name;
    (void)state;
    for (unsigned i = 0; (name = fake->function_at(i)); i++)
        before[i] = fakecuda_calls(name);
    ok(use_graph());
    for (unsigned i = 0; (name = fake->function_at(i)); i++)
        calls[i] = fakecuda_calls(name) - before[i];
    for (unsigned i = 0; (name = fake->function_at(i)); i++)
        for (unsigned nth = 1; nth <= calls[i]; nth++)
            for (unsigned k = 0; k < sizeof codes / sizeof *codes; k++, cases++)
                one_call_fails(name, nth, codes[k]);
    assert_true(cases > 100);
    ok(use_graph()); /* none of them does harm */
}

/* ---- the group
 * --------------------------------------------------------------------------------------- */

static void load(struct ah_backend_device *device, int index)
{
    static const char text[] = PTX_HEADER PTX_FILL;
    struct ah_image image;
    ah_image_identify(&image, (const unsigned char *)text, sizeof text - 1);
    ok(OPS->module_load(device, &image, 0, NULL, NULL, &modules[index]));
    ok(OPS->module_function(device, modules[index], "fake_fill", &fills[index]));
}

static struct ah_dynlib lib;

static int start(void **state)
{
    const char *const files[] = {FAKECUDA_PATH, NULL};
    const struct ah_backend_options options = {.name = "cuda", .candidates = files};
    char *reason = NULL;
    (void)state;
    setenv("FAKECUDA_DEVICES", "80,90", 1);
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_WARNING, .mask = AH_LOG_ALWAYS});
    if (OPS->open(&options, &lib, &backend, &reason) != hipSuccess) {
        print_error("%s\n", reason ? reason : "no reason");
        return -1;
    }
    first = OPS->device_at(backend, 0);
    second = OPS->device_at(backend, 1);
    ok(OPS->memory_alloc(second, BYTES, 0, (void **)&c));
    load(second, 1);
    ok(OPS->memory_alloc(first, BYTES, 0, (void **)&a));
    ok(OPS->memory_alloc(first, BYTES, 0, (void **)&b));
    ok(OPS->host_alloc(first, BYTES + 64, 0, (void **)&host));
    load(first, 0);
    for (int i = 0; i < 2; i++)
        ok(OPS->event_create(first, 0, &events[i]));
    ok(OPS->stream_create(first, hipStreamNonBlocking, 0, &stream));
    return 0;
}

static int end(void **state)
{
    (void)state;
    ok(OPS->stream_destroy(first, stream));
    for (int i = 0; i < 2; i++)
        ok(OPS->event_destroy(first, events[i]));
    ok(OPS->module_unload(first, modules[0]));
    ok(OPS->module_unload(second, modules[1]));
    ok(OPS->memory_free(first, a));
    ok(OPS->memory_free(first, b));
    ok(OPS->memory_free(second, c));
    ok(OPS->host_free(first, host));
    ok(OPS->device_reset(first));
    ok(OPS->device_reset(second));
    OPS->close(backend);
    ah_dynlib_close(&lib);
    return fakecuda_finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(every_kind_of_node_works_and_changes),
        AH_TEST(arguments_in_a_buffer_are_copied),
        AH_TEST(what_no_graph_can_do_is_left_to_core),
        AH_TEST(addresses_without_memory_are_left_to_core),
        AH_TEST(what_the_driver_cannot_change_is_created_anew),
        AH_TEST(a_disabled_node_of_any_kind_does_nothing),
        AH_TEST(a_fill_that_is_disabled_becomes_an_empty_node),
        AH_TEST(a_driver_without_a_function_leaves_to_core_what_needs_it),
        AH_TEST(a_call_that_fails_is_an_error_or_left_to_core),
    };
    return cmocka_run_group_tests_name("backend_cuda.graph", tests, start, end);
}
