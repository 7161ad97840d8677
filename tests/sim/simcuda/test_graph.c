/* Graphs: every kind of node, the order of nodes and of launches, updates, and errors.
 *
 * SIMCUDA_TEST_LIBRARY=libcuda.so.1 runs them on NVIDIA's driver, by hand; what its documentation
 * leaves open, and what would be undefined, is then left out. */
#include "simcuda_test.h"

static CUmodule module;
static CUcontext context;
static CUstream stream;
static bool simulated;

enum { WORDS = 64, BYTES = 4 * WORDS };

static CUgraph new_graph(void)
{
    CUgraph graph = NULL;
    ok(cu.cuGraphCreate(&graph, 0));
    return graph;
}

static CUgraphExec make_ready(CUgraph graph)
{
    CUgraphExec exec = NULL;
    ok(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

static void run_once(CUgraphExec exec)
{
    ok(cu.cuGraphLaunch(exec, stream));
    ok(cu.cuStreamSynchronize(stream));
}

static void end(CUgraphExec exec, CUgraph graph)
{
    ok(cu.cuGraphExecDestroy(exec));
    ok(cu.cuGraphDestroy(graph));
}

static CUDA_KERNEL_NODE_PARAMS launch_of(CUfunction function, unsigned grid, unsigned block,
                                         void **params, void **extra)
{
    return (CUDA_KERNEL_NODE_PARAMS){
        .func = function,
        .gridDimX = grid,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = block,
        .blockDimY = 1,
        .blockDimZ = 1,
        .kernelParams = params,
        .extra = extra,
    };
}

/* The parameters of fill(out, value, count), which point into it. */
struct fill {
    CUdeviceptr out;
    uint32_t value, count;
    void *params[3];
    CUDA_KERNEL_NODE_PARAMS node;
};

static const CUDA_KERNEL_NODE_PARAMS *fill(struct fill *f, CUdeviceptr out, uint32_t value,
                                           uint32_t count)
{
    f->out = out;
    f->value = value;
    f->count = count;
    f->params[0] = &f->out;
    f->params[1] = &f->value;
    f->params[2] = &f->count;
    f->node = launch_of(kernel(module, "fill"), 2, 32, f->params, NULL);
    return &f->node;
}

static CUgraphNode add_fill(CUgraph graph, const CUgraphNode *after, CUdeviceptr out,
                            uint32_t value)
{
    struct fill f;
    CUgraphNode node = NULL;
    ok(cu.cuGraphAddKernelNode(&node, graph, after, after ? 1 : 0, fill(&f, out, value, WORDS)));
    return node;
}

static CUDA_MEMCPY3D bytes(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return (CUDA_MEMCPY3D){
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = src,
        .srcPitch = size,
        .srcHeight = 1,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = dst,
        .dstPitch = size,
        .dstHeight = 1,
        .WidthInBytes = size,
        .Height = 1,
        .Depth = 1,
    };
}

static CUgraphNode add_copy(CUgraph graph, const CUgraphNode *after, CUdeviceptr dst,
                            CUdeviceptr src)
{
    CUgraphNode node = NULL;
    CUDA_MEMCPY3D copy = bytes(dst, src, BYTES);
    ok(cu.cuGraphAddMemcpyNode(&node, graph, after, after ? 1 : 0, &copy, context));
    return node;
}

static void *pinned(size_t size)
{
    void *memory = NULL;
    ok(cu.cuMemHostAlloc(&memory, size, 0));
    memset(memory, 0, size);
    return memory;
}

static uint32_t first_word(CUdeviceptr memory)
{
    uint32_t word = 0;
    ok(cu.cuMemcpyDtoH(&word, memory, sizeof word));
    return word;
}

/* ---- kinds of nodes ------------------------------------------------------------------------ */

static void nodes_run_in_the_order_of_their_edges(void **state)
{
    CUdeviceptr a = allocate(BYTES), b = allocate(BYTES);
    uint32_t *host = pinned(BYTES);
    CUgraph graph = new_graph();
    CUgraphNode node = add_fill(graph, NULL, a, 5);
    (void)state;
    node = add_copy(graph, &node, b, a);
    node = add_fill(graph, &node, a, 6);
    add_copy(graph, &node, (uintptr_t)host, b);
    CUgraphExec exec = make_ready(graph);
    for (int i = 0; i < 3; i++) {
        host[0] = 0;
        run_once(exec);
        assert_int_equal(host[0], 5);
        assert_int_equal(host[WORDS - 1], 5);
        assert_int_equal(first_word(a), 6);
    }
    end(exec, graph);
    ok(cu.cuMemFree(a));
    ok(cu.cuMemFree(b));
    ok(cu.cuMemFreeHost(host));
}

static void a_node_waits_for_all_that_it_depends_on(void **state)
{
    enum { WIDE = 40 };
    CUdeviceptr memory = allocate(WIDE * BYTES);
    uint32_t *host = pinned(WIDE * BYTES);
    CUgraph graph = new_graph();
    CUgraphNode root = NULL, wide[WIDE], join = NULL;
    CUDA_MEMCPY3D copy = bytes((uintptr_t)host, memory, WIDE * BYTES);
    (void)state;
    ok(cu.cuGraphAddEmptyNode(&root, graph, NULL, 0));
    for (unsigned i = 0; i < WIDE; i++)
        wide[i] = add_fill(graph, &root, memory + i * BYTES, i + 1);
    ok(cu.cuGraphAddMemcpyNode(&join, graph, wide, WIDE, &copy, context));
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    for (unsigned i = 0; i < WIDE * WORDS; i++)
        assert_int_equal(host[i], i / WORDS + 1);
    end(exec, graph);
    ok(cu.cuMemFree(memory));
    ok(cu.cuMemFreeHost(host));
}

/* One branch waits for what another one does: they are in different lanes. */
static void branches_run_at_the_same_time(void **state)
{
    uint32_t *flag = pinned(8);
    CUgraph graph = new_graph();
    CUgraphNode waits = NULL, writes = NULL;
    void *params[] = {&flag};
    const CUDA_KERNEL_NODE_PARAMS wait = launch_of(kernel(module, "wait"), 1, 1, params, NULL);
    const CUDA_MEMSET_NODE_PARAMS set = {(uintptr_t)flag, 0, 1, 4, 1, 1};
    (void)state;
    ok(cu.cuGraphAddKernelNode(&waits, graph, NULL, 0, &wait));
    ok(cu.cuGraphAddMemsetNode(&writes, graph, NULL, 0, &set, context));
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    assert_int_equal(*flag, 1);
    end(exec, graph);
    ok(cu.cuMemFreeHost(flag));
}

static void add_one(void *data)
{
    __atomic_fetch_add((uint32_t *)data, 1, __ATOMIC_SEQ_CST);
}

static void host_functions_are_nodes(void **state)
{
    uint32_t called = 0, other = 0;
    CUgraph graph = new_graph();
    CUgraphNode first = NULL, second = NULL;
    CUDA_HOST_NODE_PARAMS host = {add_one, &called};
    (void)state;
    ok(cu.cuGraphAddHostNode(&first, graph, NULL, 0, &host));
    ok(cu.cuGraphAddHostNode(&second, graph, &first, 1, &host));
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    assert_int_equal(called, 2);
    host.userData = &other;
    ok(cu.cuGraphExecHostNodeSetParams(exec, second, &host));
    run_once(exec);
    assert_int_equal(called, 3);
    assert_int_equal(other, 1);
    expect(cu.cuGraphAddHostNode(&first, graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    end(exec, graph);
}

static void fills_have_elements_and_rows(void **state)
{
    enum { PITCH = 32, ROWS = 4 };
    static const CUDA_MEMSET_NODE_PARAMS wrong[] = {
        {.elementSize = 3, .width = 1, .height = 1},
        {.elementSize = 0, .width = 1, .height = 1},
    };
    CUdeviceptr memory = allocate(PITCH * ROWS);
    CUgraph graph = new_graph();
    CUgraphNode all = NULL, box = NULL, halves = NULL;
    CUDA_MEMSET_NODE_PARAMS set = {memory, 0, 0x11, 1, (size_t)PITCH * ROWS, 1};
    unsigned char back[PITCH * ROWS];
    (void)state;
    ok(cu.cuGraphAddMemsetNode(&all, graph, NULL, 0, &set, context));
    set = (CUDA_MEMSET_NODE_PARAMS){memory + 4, PITCH, 0x22222222, 4, 2, ROWS};
    ok(cu.cuGraphAddMemsetNode(&box, graph, &all, 1, &set, context));
    set = (CUDA_MEMSET_NODE_PARAMS){memory + 16, 0, 0x3333, 2, 3, 1};
    ok(cu.cuGraphAddMemsetNode(&halves, graph, &box, 1, &set, context));
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    ok(cu.cuMemcpyDtoH(back, memory, sizeof back));
    for (int i = 0; i < PITCH * ROWS; i++) {
        int x = i % PITCH;
        int wanted = x >= 4 && x < 12 ? 0x22 : i >= 16 && i < 22 ? 0x33 : 0x11;
        assert_int_equal(back[i], wanted);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        set = wrong[i];
        set.dst = memory;
        expect(cu.cuGraphAddMemsetNode(&all, graph, NULL, 0, &set, context),
               CUDA_ERROR_INVALID_VALUE);
    }
    end(exec, graph);
    ok(cu.cuMemFree(memory));
}

/* What pageable memory has when the node runs is what is copied. */
static void pageable_memory_is_copied_when_the_node_runs(void **state)
{
    uint32_t in[WORDS] = {1}, out[WORDS] = {0};
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph();
    CUgraphNode node = add_copy(graph, NULL, memory, (uintptr_t)in);
    (void)state;
    add_copy(graph, &node, (uintptr_t)out, memory);
    CUgraphExec exec = make_ready(graph);
    in[0] = 7;
    run_once(exec);
    assert_int_equal(out[0], 7);
    in[0] = 8;
    run_once(exec);
    assert_int_equal(out[0], 8);
    end(exec, graph);
    ok(cu.cuMemFree(memory));
}

/* What CUDA's documentation refuses, and drivers from 580 on accept. */
static void refused_or_newer(CUresult result)
{
    if (simulated || result != CUDA_SUCCESS)
        assert_int_equal(result, CUDA_ERROR_INVALID_VALUE);
}

static void arrays_are_copied(void **state)
{
    static const CUDA_ARRAY3D_DESCRIPTOR shape = {8, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0};
    uint32_t in[32], out[32] = {0};
    CUarray array = NULL;
    CUgraph graph = new_graph();
    CUgraphNode to = NULL, from = NULL;
    (void)state;
    for (unsigned i = 0; i < 32; i++)
        in[i] = i;
    ok(cu.cuArray3DCreate(&array, &shape));
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = in,
                          .srcPitch = 32,
                          .srcHeight = 4,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 32,
                          .Height = 4,
                          .Depth = 1};
    ok(cu.cuGraphAddMemcpyNode(&to, graph, NULL, 0, &copy, context));
    copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = array,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = out,
                           .dstPitch = 32,
                           .dstHeight = 4,
                           .WidthInBytes = 32,
                           .Height = 4,
                           .Depth = 1};
    ok(cu.cuGraphAddMemcpyNode(&from, graph, &to, 1, &copy, context));
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    assert_memory_equal(in, out, sizeof in);
    refused_or_newer(
        cu.cuGraphExecMemcpyNodeSetParams(exec, from, &copy, context)); /* it has rows */
    end(exec, graph);
    ok(cu.cuArrayDestroy(array));
}

static void events_are_recorded_and_waited_for(void **state)
{
    CUevent event = NULL, other = NULL;
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph(), second = new_graph();
    CUgraphNode node = add_fill(graph, NULL, memory, 9), waits = NULL;
    float milliseconds = -1;
    (void)state;
    ok(cu.cuEventCreate(&event, 0));
    ok(cu.cuEventCreate(&other, 0));
    ok(cu.cuGraphAddEventRecordNode(&node, graph, &node, 1, event));
    ok(cu.cuGraphAddEventWaitNode(&waits, second, NULL, 0, event));
    add_fill(second, &waits, memory, 10);
    CUgraphExec exec = make_ready(graph), later = make_ready(second);
    ok(cu.cuGraphLaunch(exec, stream));
    ok(cu.cuGraphLaunch(later, CU_STREAM_PER_THREAD));
    ok(cu.cuEventSynchronize(event));
    ok(cu.cuStreamSynchronize(CU_STREAM_PER_THREAD));
    assert_int_equal(first_word(memory), 10);
    ok(cu.cuGraphExecEventRecordNodeSetEvent(exec, node, other));
    run_once(exec);
    ok(cu.cuEventQuery(other));
    ok(cu.cuEventElapsedTime(&milliseconds, event, other));
    assert_true(milliseconds >= 0);
    ok(cu.cuGraphExecEventWaitNodeSetEvent(later, waits, other));
    run_once(later);
    end(exec, graph);
    end(later, second);
    ok(cu.cuEventDestroy(event));
    ok(cu.cuEventDestroy(other));
    ok(cu.cuMemFree(memory));
}

static CUstreamBatchMemOpParams value_op(int operation, void *address, uint64_t value,
                                         unsigned flags)
{
    return (CUstreamBatchMemOpParams){
        .value = {
            .operation = operation, .address = (uintptr_t)address, .value = value, .flags = flags}};
}

static void values_are_waited_for_and_written(void **state)
{
    uint64_t *words = pinned(32);
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    CUstreamBatchMemOpParams ops[] = {
        value_op(CU_STREAM_MEM_OP_WAIT_VALUE_32, &words[0], 1, CU_STREAM_WAIT_VALUE_GEQ),
        value_op(CU_STREAM_MEM_OP_WRITE_VALUE_64, &words[1], UINT64_C(5) << 32, 0),
        value_op(CU_STREAM_MEM_OP_WRITE_VALUE_32, &words[2], 6, 0),
    };
    CUDA_BATCH_MEM_OP_NODE_PARAMS batch = {context, 3, ops, 0};
    (void)state;
    ok(cu.cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch));
    CUgraphExec exec = make_ready(graph);
    ok(cu.cuGraphLaunch(exec, stream));
    expect(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
    ok(cu.cuStreamSynchronize(stream));
    assert_true(words[1] == UINT64_C(5) << 32);
    assert_true(words[2] == 6);
    ops[2].value.value = 7;
    ok(cu.cuGraphExecBatchMemOpNodeSetParams(exec, node, &batch));
    run_once(exec);
    assert_true(words[2] == 7);
    batch.count = 2;
    refused_or_newer(cu.cuGraphExecBatchMemOpNodeSetParams(exec, node, &batch));
    batch.count = 0;
    refused_or_newer(cu.cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch));
    end(exec, graph);
    ok(cu.cuMemFreeHost(words));
}

static void cooperative_kernels_have_an_attribute(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph();
    CUlaunchAttribute attribute = {.value.cooperative = 1};
    CUgraphNode node = NULL, empty = NULL;
    void *params[] = {&memory};
    CUDA_KERNEL_NODE_PARAMS launch = launch_of(kernel(module, "envreg"), 1, 1, params, NULL);
    (void)state;
    ok(cu.cuMemsetD8(memory, 0, BYTES));
    ok(cu.cuCtxSynchronize());
    ok(cu.cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    ok(cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &launch));
    ok(cu.cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute.value));
    attribute.value.cooperative = 0;
    ok(cu.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute.value));
    assert_int_equal(attribute.value.cooperative, 1);
    expect(
        cu.cuGraphKernelNodeSetAttribute(empty, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute.value),
        CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    if (simulated) /* its workspace */
        assert_true(first_word(memory) != 0 || first_word(memory + 4) != 0);
    ok(cu.cuGraphExecKernelNodeSetParams(exec, node, &launch)); /* it stays cooperative */
    ok(cu.cuMemsetD8(memory, 0, BYTES));
    ok(cu.cuCtxSynchronize());
    run_once(exec);
    if (simulated)
        assert_true(first_word(memory) != 0 || first_word(memory + 4) != 0);
    ok(cu.cuGraphExecDestroy(exec));
    ok(cu.cuGraphDestroy(graph));
    ok(cu.cuMemFree(memory));
}

static void cooperative_kernels_that_do_not_fit_are_found_at_instantiation(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph();
    CUgraphExec exec = NULL;
    CUgraphNode node = NULL, failed = NULL;
    const CUlaunchAttribute attribute = {.value.cooperative = 1};
    CUDA_GRAPH_INSTANTIATE_PARAMS instantiate = {.flags = 0};
    void *params[] = {&memory};
    const CUDA_KERNEL_NODE_PARAMS launch =
        launch_of(kernel(module, "envreg"), 1000000, 1024, params, NULL);
    (void)state;
    ok(cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &launch));
    CUresult result =
        cu.cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute.value);
    if (!simulated && result != CUDA_SUCCESS) { /* driver 580 finds it here already */
        assert_int_equal(result, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
        ok(cu.cuGraphDestroy(graph));
        ok(cu.cuMemFree(memory));
        return;
    }
    ok(result);
    result = cu.cuGraphInstantiateWithFlags(&exec, graph, 0);
    assert_int_equal(result, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    expect(cu.cuGraphInstantiate(&exec, graph, &failed, NULL, 0),
           CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    assert_ptr_equal(failed, node);
    expect(cu.cuGraphInstantiateWithParams(&exec, graph, &instantiate),
           CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    assert_ptr_equal(instantiate.hErrNode_out, node);
    assert_int_equal(instantiate.result_out, CUDA_GRAPH_INSTANTIATE_ERROR);
    ok(cu.cuGraphDestroy(graph));
    ok(cu.cuMemFree(memory));
}

static void arguments_may_come_in_a_buffer(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    struct {
        CUdeviceptr out;
        uint32_t value, count;
    } buffer = {memory, 12, WORDS};
    size_t size = sizeof buffer;
    void *extra[] = {(void *)1, &buffer, (void *)2, &size, NULL};
    const CUlaunchAttribute attribute = {.value.cooperative = 1};
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    CUDA_KERNEL_NODE_PARAMS launch = launch_of(kernel(module, "fill"), 2, 32, NULL, extra);
    (void)state;
    ok(cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &launch));
    buffer.value = 13; /* it was copied */
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    assert_int_equal(first_word(memory), 12);
    expect(
        cu.cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute.value),
        CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuGraphExecKernelNodeSetParams(exec, node, &launch));
    run_once(exec);
    assert_int_equal(first_word(memory), 13);
    end(exec, graph);
    ok(cu.cuMemFree(memory));
}

/* ---- launches ---------------------------------------------------------------------------------
 */

static void launches_of_a_graph_come_one_after_the_other(void **state)
{
    uint32_t *flag = pinned(8);
    CUdeviceptr memory = allocate(BYTES);
    CUstream streams[2];
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    CUstreamBatchMemOpParams op =
        value_op(CU_STREAM_MEM_OP_WAIT_VALUE_32, flag, 1, CU_STREAM_WAIT_VALUE_GEQ);
    const CUDA_BATCH_MEM_OP_NODE_PARAMS batch = {context, 1, &op, 0};
    (void)state;
    for (int i = 0; i < 2; i++)
        ok(cu.cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    ok(cu.cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch));
    CUgraphExec exec = make_ready(graph);
    ok(cu.cuGraphLaunch(exec, streams[0]));
    op.value.address = (uintptr_t)&flag[1]; /* that is 0 too, but equal to */
    op.value.flags = CU_STREAM_WAIT_VALUE_EQ;
    op.value.value = 0;
    ok(cu.cuGraphExecBatchMemOpNodeSetParams(exec, node, &batch));
    ok(cu.cuGraphLaunch(exec, streams[1])); /* would be done at once */
    usleep(20000);
    expect(cu.cuStreamQuery(streams[1]), CUDA_ERROR_NOT_READY);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++) {
        ok(cu.cuStreamSynchronize(streams[i]));
        ok(cu.cuStreamDestroy(streams[i]));
    }
    end(exec, graph);
    ok(cu.cuMemFree(memory));
    ok(cu.cuMemFreeHost(flag));
}

static void what_is_enqueued_keeps_what_it_was_and_runs_after_the_end(void **state)
{
    uint32_t *flag = pinned(8);
    CUdeviceptr memory = allocate(BYTES);
    struct fill f;
    void *params[] = {&flag};
    const CUDA_KERNEL_NODE_PARAMS wait = launch_of(kernel(module, "wait"), 1, 1, params, NULL);
    CUgraph graph = new_graph();
    CUgraphNode node = NULL, last = NULL;
    (void)state;
    ok(cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &wait));
    last = add_fill(graph, &node, memory, 20);
    CUgraphExec exec = make_ready(graph);
    ok(cu.cuGraphLaunch(exec, stream));
    ok(cu.cuGraphExecKernelNodeSetParams(exec, last, fill(&f, memory, 21, WORDS)));
    ok(cu.cuGraphNodeSetEnabled(exec, last, 0));
    end(exec, graph);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    ok(cu.cuStreamSynchronize(stream));
    assert_int_equal(first_word(memory), 20);
    ok(cu.cuMemFree(memory));
    ok(cu.cuMemFreeHost(flag));
}

/* Work before and after a launch in the default stream, and in streams that wait for it. */
static void a_wide_graph_is_one_piece_of_work_of_its_stream(void **state)
{
    CUdeviceptr memory = allocate(8 * BYTES);
    CUgraph graph = new_graph();
    CUstream waits = NULL; /* for the default stream */
    uint32_t words[4 * WORDS];
    (void)state;
    ok(cu.cuStreamCreate(&waits, CU_STREAM_DEFAULT));
    for (unsigned i = 0; i < 4; i++)
        add_copy(graph, NULL, memory + i * BYTES, memory + (4 + i) * BYTES);
    CUgraphExec exec = make_ready(graph);
    for (unsigned round = 1; round < 20; round++) {
        ok(launch_fill(kernel(module, "fill"), NULL, memory + 4 * BYTES, round, 4 * WORDS));
        ok(cu.cuGraphLaunch(exec, NULL));
        ok(cu.cuMemcpyDtoHAsync(words, memory, sizeof words, waits));
        ok(cu.cuStreamSynchronize(waits));
        for (unsigned i = 0; i < 4 * WORDS; i++)
            assert_int_equal(words[i], round);
    }
    end(exec, graph);
    ok(cu.cuStreamDestroy(waits));
    ok(cu.cuMemFree(memory));
}

static void graphs_are_uploaded(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph();
    CUgraphExec exec = NULL;
    uint64_t flags = 99;
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
                                            .hUploadStream = stream};
    (void)state;
    add_fill(graph, NULL, memory, 33);
    ok(cu.cuGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    ok(cu.cuGraphExecGetFlags(exec, &flags));
    ok(cu.cuGraphUpload(exec, stream));
    run_once(exec);
    assert_int_equal(first_word(memory), 33);
    end(exec, graph);
    ok(cu.cuMemFree(memory));
}

static void empty_graphs_do_nothing(void **state)
{
    CUgraph graph = new_graph();
    size_t count = 9;
    (void)state;
    ok(cu.cuGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 0);
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    end(exec, graph);
}

/* ---- updates ----------------------------------------------------------------------------------
 */

static void nodes_are_switched_off_and_on(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph();
    CUgraphNode node = add_fill(graph, NULL, memory, 2), last = add_fill(graph, &node, memory, 3);
    CUgraphNode empty = NULL;
    unsigned enabled = 9;
    (void)state;
    ok(cu.cuGraphAddEmptyNode(&empty, graph, &last, 1));
    CUgraphExec exec = make_ready(graph);
    ok(cu.cuGraphNodeSetEnabled(exec, last, 0));
    ok(cu.cuGraphNodeGetEnabled(exec, last, &enabled));
    assert_int_equal(enabled, 0);
    run_once(exec);
    assert_int_equal(first_word(memory), 2);
    ok(cu.cuGraphNodeSetEnabled(exec, last, 1));
    run_once(exec);
    assert_int_equal(first_word(memory), 3);
    expect(cu.cuGraphNodeSetEnabled(exec, empty, 0), CUDA_ERROR_INVALID_VALUE);
    end(exec, graph);
    ok(cu.cuMemFree(memory));
}

static void kernels_copies_and_fills_change(void **state)
{
    CUdeviceptr a = allocate(BYTES), b = allocate(BYTES), c = allocate(BYTES);
    struct fill f;
    CUgraph graph = new_graph();
    CUgraphNode kernel_node = add_fill(graph, NULL, a, 1);
    CUgraphNode copy_node = add_copy(graph, &kernel_node, b, a), fill_node = NULL;
    CUDA_MEMSET_NODE_PARAMS set = {c, 0, 4, 4, WORDS, 1};
    CUDA_MEMCPY3D copy = bytes(c, a, BYTES / 2);
    (void)state;
    ok(cu.cuGraphAddMemsetNode(&fill_node, graph, &copy_node, 1, &set, context));
    CUgraphExec exec = make_ready(graph);
    run_once(exec);
    assert_int_equal(first_word(b), 1);
    assert_int_equal(first_word(c), 4);
    ok(cu.cuGraphExecKernelNodeSetParams(exec, kernel_node, fill(&f, a, 6, WORDS)));
    ok(cu.cuGraphExecMemcpyNodeSetParams(exec, copy_node, &copy, context));
    set.dst = b;
    set.value = 5;
    ok(cu.cuGraphExecMemsetNodeSetParams(exec, fill_node, &set, context));
    run_once(exec);
    assert_int_equal(first_word(a), 6);
    assert_int_equal(first_word(b), 5);
    assert_int_equal(first_word(c), 6);
    assert_int_equal(first_word(c + BYTES / 2), 4);
    set.height = 2;
    set.width = 2;
    set.pitch = 64;
    expect(cu.cuGraphExecMemsetNodeSetParams(exec, fill_node, &set, context),
           CUDA_ERROR_INVALID_VALUE);
    copy.WidthInBytes = 0;
    if (simulated)
        expect(cu.cuGraphExecMemcpyNodeSetParams(exec, copy_node, &copy, context),
               CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphExecMemsetNodeSetParams(exec, copy_node, &set, context),
           CUDA_ERROR_INVALID_VALUE);
    run_once(exec);
    end(exec, graph);
    ok(cu.cuMemFree(a));
    ok(cu.cuMemFree(b));
    ok(cu.cuMemFree(c));
}

static void copies_do_not_change_to_another_kind_of_memory(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    void *host = pinned(BYTES);
    CUgraph graph = new_graph();
    CUgraphNode node = add_copy(graph, NULL, memory, (uintptr_t)host);
    CUDA_MEMCPY3D copy = bytes((uintptr_t)host, memory, BYTES);
    (void)state;
    CUgraphExec exec = make_ready(graph);
    refused_or_newer(cu.cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context));
    run_once(exec);
    end(exec, graph);
    ok(cu.cuMemFree(memory));
    ok(cu.cuMemFreeHost(host));
}

/* ---- bad input --------------------------------------------------------------------------------
 */

static void bad_nodes_are_refused(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode node = add_fill(graph, NULL, memory, 1), foreign = add_fill(other, NULL, memory, 1);
    CUgraphNode twice[] = {node, node}, out = NULL, nodes[4];
    struct fill f;
    size_t count = 4;
    int type = 99;
    (void)state;
    expect(cu.cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphAddEmptyNode(NULL, graph, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphAddEmptyNode(&out, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphAddEmptyNode(&out, graph, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphAddEmptyNode(&out, graph, &foreign, 1), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphAddEmptyNode(&out, graph, twice, 2), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphAddKernelNode(&out, graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    fill(&f, memory, 1, WORDS);
    f.node.gridDimX = 0;
    expect(cu.cuGraphAddKernelNode(&out, graph, NULL, 0, &f.node), CUDA_ERROR_INVALID_VALUE);
    fill(&f, memory, 1, WORDS);
    f.node.func = NULL;
    if (simulated) /* a newer driver reads kern then */
        expect(cu.cuGraphAddKernelNode(&out, graph, NULL, 0, &f.node), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphAddMemcpyNode(&out, graph, NULL, 0, NULL, context), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphAddMemsetNode(&out, graph, NULL, 0, NULL, context), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(nodes[0], node);
    assert_null(nodes[1]);
    count = 4;
    add_fill(graph, &node, memory, 1);
    ok(cu.cuGraphGetRootNodes(graph, nodes, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(nodes[0], node);
    ok(cu.cuGraphNodeGetType(node, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_KERNEL);
    ok(cu.cuGraphDestroy(graph));
    ok(cu.cuGraphDestroy(other));
    ok(cu.cuMemFree(memory));
}

static void bad_executable_graphs_are_refused(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode node = add_fill(graph, NULL, memory, 1), foreign = add_fill(other, NULL, memory, 1);
    CUgraphExec exec = NULL;
    struct fill f;
    (void)state;
    expect(cu.cuGraphInstantiateWithFlags(&exec, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphInstantiateWithFlags(NULL, graph, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphInstantiateWithFlags(&exec, graph, 1024), CUDA_ERROR_INVALID_VALUE);
    if (simulated)
        expect(
            cu.cuGraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
            CUDA_ERROR_NOT_SUPPORTED);
    expect(cu.cuGraphLaunch(NULL, stream), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphUpload(NULL, stream), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphExecDestroy(NULL), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphDestroy(NULL), CUDA_ERROR_INVALID_VALUE);
    exec = make_ready(graph);
    fill(&f, memory, 1, WORDS);
    expect(cu.cuGraphExecKernelNodeSetParams(exec, foreign, &f.node), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphExecKernelNodeSetParams(exec, NULL, &f.node), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphExecKernelNodeSetParams(exec, node, NULL), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGraphNodeSetEnabled(exec, foreign, 0), CUDA_ERROR_INVALID_VALUE);
    if (simulated) {
        expect(cu.cuGraphLaunch(exec, (CUstream)(uintptr_t)0x1234), CUDA_ERROR_INVALID_HANDLE);
        ok(cu.cuGraphDestroy(graph)); /* its nodes are no names any more */
        expect(cu.cuGraphExecKernelNodeSetParams(exec, node, &f.node), CUDA_ERROR_INVALID_VALUE);
        run_once(exec);
        ok(cu.cuGraphExecDestroy(exec));
        expect(cu.cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
        expect(cu.cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    } else {
        end(exec, graph);
    }
    ok(cu.cuGraphDestroy(other));
    ok(cu.cuMemFree(memory));
}

static void a_graph_without_its_module_or_its_event_is_not_launched(void **state)
{
    CUmodule own = load_kernels();
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode node = NULL;
    CUevent event = NULL;
    uint32_t zero = 0;
    void *params[] = {&zero};
    const CUDA_KERNEL_NODE_PARAMS spin = launch_of(kernel(own, "spin"), 1, 1, params, NULL);
    (void)state;
    if (!simulated) {
        ok(cu.cuModuleUnload(own));
        return;
    }
    ok(cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &spin));
    ok(cu.cuEventCreate(&event, 0));
    ok(cu.cuGraphAddEventRecordNode(&node, other, NULL, 0, event));
    CUgraphExec exec = make_ready(graph), records = make_ready(other);
    run_once(exec);
    ok(cu.cuGraphLaunch(exec, stream));
    ok(cu.cuModuleUnload(own));
    expect(cu.cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_HANDLE);
    ok(cu.cuEventDestroy(event));
    expect(cu.cuGraphLaunch(records, stream), CUDA_ERROR_INVALID_HANDLE);
    end(exec, graph);
    end(records, other);
}

static void functions_have_their_names_by_version(void **state)
{
    void *old = NULL, *now = NULL;
    (void)state;
    ok(cu.cuGetProcAddress("cuGraphInstantiate", &old, 11040, 0, NULL));
    ok(cu.cuGetProcAddress("cuGraphInstantiate", &now, 12000, 0, NULL));
    if (simulated) { /* a real driver's functions may be stubs that tell versions apart later */
        assert_ptr_equal(now, (void *)cu.cuGraphInstantiateWithFlags);
        assert_ptr_not_equal(now, old);
    }
    expect(cu.cuGetProcAddress("cuStreamBeginCapture", &now, 12000, 0, NULL),
           simulated ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS);
}

/* ---- several devices, and devices that end ------------------------------------------------------
 */

static void nodes_are_on_several_devices(void **state)
{
    CUcontext second;
    CUmodule other_module = NULL;
    CUdeviceptr here = allocate(BYTES), there = 0;
    uint32_t *host = pinned(BYTES);
    struct fill f;
    CUgraph graph = new_graph();
    CUgraphNode node = add_fill(graph, NULL, here, 50);
    CUDA_MEMCPY3D copy;
    int count = 0;
    (void)state;
    ok(cu.cuDeviceGetCount(&count));
    if (count > 1) {
        ok(cu.cuDevicePrimaryCtxRetain(&second, 1));
        ok(cu.cuCtxSetCurrent(second));
        ok(cu.cuMemAlloc(&there, BYTES));
        ok(cu.cuModuleLoadData(&other_module, kernels));
        fill(&f, there, 51, WORDS);
        f.node.func = kernel(other_module, "fill");
        ok(cu.cuCtxSetCurrent(context));
        ok(cu.cuGraphAddKernelNode(&node, graph, &node, 1, &f.node));
        copy = bytes((uintptr_t)host, there, BYTES);
        ok(cu.cuGraphAddMemcpyNode(&node, graph, &node, 1, &copy, second));
        CUgraphExec exec = make_ready(graph);
        run_once(exec);
        assert_int_equal(first_word(here), 50);
        assert_int_equal(host[WORDS - 1], 51);
        ok(cu.cuGraphExecDestroy(exec));
        ok(cu.cuCtxSetCurrent(second));
        ok(cu.cuModuleUnload(other_module));
        ok(cu.cuMemFree(there));
        ok(cu.cuCtxSetCurrent(context));
        ok(cu.cuDevicePrimaryCtxRelease(1));
    }
    ok(cu.cuGraphDestroy(graph));
    ok(cu.cuMemFree(here));
    ok(cu.cuMemFreeHost(host));
}

static void graphs_outlive_their_context(void **state)
{
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph = new_graph();
    (void)state;
    if (!simulated)
        return;
    for (uint32_t i = 0; i < 3; i++)
        add_fill(graph, NULL, memory, i);
    CUgraphExec exec = make_ready(graph);
    ok(cu.cuGraphLaunch(exec, stream));
    ok(cu.cuDevicePrimaryCtxReset(0));
    expect(cu.cuGraphLaunch(exec, NULL), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    ok(cu.cuDevicePrimaryCtxRetain(&context, 0));
    ok(cu.cuCtxSetCurrent(context));
    expect(cu.cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_HANDLE); /* there is no such kernel */
    end(exec, graph);
}

/* ---- the group
 * ----------------------------------------------------------------------------------- */

static int start(void **state)
{
    (void)state;
    open_library();
    simulated = cu.anyhipSimConfigure != NULL;
    unsetenv("ANYHIP_SIM_FAULTS");
    setenv("ANYHIP_SIM_MEMORY", "1GiB", 1);
    if (simulated && cu.anyhipSimConfigure("sm_80*2") != CUDA_SUCCESS)
        return 1;
    if (cu.cuInit(0) || cu.cuDevicePrimaryCtxRetain(&context, 0) || cu.cuCtxSetCurrent(context) ||
        cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING))
        return 1;
    module = load_kernels();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_run_in_the_order_of_their_edges),
        cmocka_unit_test(a_node_waits_for_all_that_it_depends_on),
        cmocka_unit_test(host_functions_are_nodes),
        cmocka_unit_test(fills_have_elements_and_rows),
        cmocka_unit_test(pageable_memory_is_copied_when_the_node_runs),
        cmocka_unit_test(arrays_are_copied),
        cmocka_unit_test(events_are_recorded_and_waited_for),
        cmocka_unit_test(values_are_waited_for_and_written),
        cmocka_unit_test(cooperative_kernels_have_an_attribute),
        cmocka_unit_test(cooperative_kernels_that_do_not_fit_are_found_at_instantiation),
        cmocka_unit_test(arguments_may_come_in_a_buffer),
        cmocka_unit_test(launches_of_a_graph_come_one_after_the_other),
        cmocka_unit_test(what_is_enqueued_keeps_what_it_was_and_runs_after_the_end),
        cmocka_unit_test(a_wide_graph_is_one_piece_of_work_of_its_stream),
        cmocka_unit_test(graphs_are_uploaded),
        cmocka_unit_test(empty_graphs_do_nothing),
        cmocka_unit_test(nodes_are_switched_off_and_on),
        cmocka_unit_test(kernels_copies_and_fills_change),
        cmocka_unit_test(copies_do_not_change_to_another_kind_of_memory),
        cmocka_unit_test(bad_nodes_are_refused),
        cmocka_unit_test(bad_executable_graphs_are_refused),
        cmocka_unit_test(a_graph_without_its_module_or_its_event_is_not_launched),
        cmocka_unit_test(functions_have_their_names_by_version),
        cmocka_unit_test(nodes_are_on_several_devices),
        cmocka_unit_test(branches_run_at_the_same_time),
        cmocka_unit_test(graphs_outlive_their_context), /* last: nothing is left of it */
    };
    return cmocka_run_group_tests_name("sim.cuda_graph", tests, start, NULL);
}
