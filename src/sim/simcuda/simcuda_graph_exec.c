/* Owns executable graphs: their updates and their launches.
 *
 * At instantiation each node gets a lane, so that nodes without an order are in different lanes as
 * far as there are lanes. A launch enqueues an operation per node: one lane is the stream that is
 * launched in, the others are streams of the executable graph, and operations wait for those of
 * other lanes where an edge leads there. An operation keeps what it needs, so that updates and the
 * destruction do not concern launches that are enqueued. */
#include "simcuda_graph.h"

#include <stdlib.h>
#include <string.h>

enum { LANES_PER_CONTEXT = 4 };

struct exec_node {
    uint64_t node; /* the handle of the graph's node */
    struct simcuda_work *work;
    bool enabled;
    unsigned lane;
    unsigned *dependencies; /* indices, lower than its own */
    size_t dependency_count;
    struct simcuda_op *op; /* during a launch: until it is pushed */
    uint64_t ticket;       /* and then in the stream of the lane */
};

struct lane {
    uint64_t context; /* handle, 0: of no node in it */
    uint64_t own;     /* handle of the stream for it, 0: none yet */
    size_t last;      /* the node that was put there last */
    /* During a launch: */
    struct simcuda_stream *stream;
    bool started;
};

struct simcuda_graph_exec {
    struct simcuda_object object;
    uint64_t flags;
    struct exec_node *nodes;
    size_t count;
    struct lane *lanes;
    unsigned lane_count;
    struct simcuda_stream *stream; /* of the last launch, retained; NULL: none yet */
    uint64_t ticket;               /* of its end there */
};

static CUresult get_exec(CUgraphExec handle, struct simcuda_graph_exec **out)
{
    *out = handle ? simcuda_object_get(handle, SIMCUDA_GRAPH_EXEC, "executable graph") : NULL;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- lanes --------------------------------------------------------------------------------- */

/* The lane that continues one of the node's dependencies; lane_count: none. */
static unsigned lane_that_goes_on(const struct simcuda_graph_exec *exec,
                                  const struct exec_node *node, uint64_t context)
{
    for (size_t i = 0; i < node->dependency_count; i++) {
        unsigned lane = exec->nodes[node->dependencies[i]].lane;
        if (exec->lanes[lane].last == node->dependencies[i] && exec->lanes[lane].context == context)
            return lane;
    }
    return exec->lane_count;
}

/* A further lane for the context, or one of those that it has. */
static unsigned another_lane(struct simcuda_graph_exec *exec, size_t index, uint64_t context)
{
    unsigned of_context[LANES_PER_CONTEXT], count = 0;
    for (unsigned i = 0; i < exec->lane_count; i++)
        if (exec->lanes[i].context == context)
            of_context[count++] = i;
    if (count == LANES_PER_CONTEXT)
        return of_context[index % LANES_PER_CONTEXT];
    exec->lanes[exec->lane_count] = (struct lane){.context = context};
    return exec->lane_count++;
}

/* Work of no context is where what it depends on is. */
static uint64_t context_of(const struct simcuda_graph_exec *exec, const struct exec_node *node,
                           uint64_t usual)
{
    if (node->work->context)
        return node->work->context;
    return node->dependency_count ? exec->lanes[exec->nodes[node->dependencies[0]].lane].context
                                  : usual;
}

/* There are as many places for lanes as nodes. */
static void assign_lanes(struct simcuda_graph_exec *exec)
{
    uint64_t usual = 0;
    for (size_t i = 0; i < exec->count && !usual; i++)
        usual = exec->nodes[i].work->context;
    for (size_t i = 0; i < exec->count; i++) {
        struct exec_node *node = &exec->nodes[i];
        uint64_t context = context_of(exec, node, usual);
        node->lane = lane_that_goes_on(exec, node, context);
        if (node->lane == exec->lane_count)
            node->lane = another_lane(exec, i, context);
        exec->lanes[node->lane].last = i;
    }
}

static CUresult open_lane(struct lane *lane, struct simcuda_context *fallback)
{
    struct simcuda_context *context = fallback;
    lane->stream =
        lane->own ? simcuda_object_peek((void *)(uintptr_t)lane->own, SIMCUDA_STREAM) : NULL;
    if (lane->stream)
        return simcuda_context_error(lane->stream->object.context);
    CUresult result = lane->context
                          ? simcuda_context_of((CUcontext)(uintptr_t)lane->context, &context)
                          : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        result = simcuda_stream_new(context, CU_STREAM_NON_BLOCKING, 0, &lane->stream);
    if (result != CUDA_SUCCESS)
        return result;
    lane->stream->is_default = true; /* the program cannot destroy it */
    lane->own = lane->stream->object.handle;
    return CUDA_SUCCESS;
}

/* The first lane of the launch's context is its stream. Returns whether there are others. */
static CUresult open_lanes(struct simcuda_graph_exec *exec, struct simcuda_stream *stream,
                           bool *out_others)
{
    CUresult result = CUDA_SUCCESS;
    bool used = false;
    *out_others = false;
    for (unsigned i = 0; i < exec->lane_count && result == CUDA_SUCCESS; i++) {
        struct lane *lane = &exec->lanes[i];
        bool here = !lane->context || lane->context == stream->object.context->object.handle;
        lane->started = false;
        if (here && !used) {
            lane->stream = stream;
            used = true;
        } else {
            *out_others = true;
            result = open_lane(lane, stream->object.context);
        }
    }
    return result;
}

/* ---- instantiation -------------------------------------------------------------------------- */

static void close_lane(const struct lane *lane)
{
    struct simcuda_stream *stream =
        lane->own ? simcuda_object_peek((void *)(uintptr_t)lane->own, SIMCUDA_STREAM) : NULL;
    if (stream)
        simcuda_stream_close(stream);
}

static void fini_exec(struct simcuda_object *object)
{
    struct simcuda_graph_exec *exec = (struct simcuda_graph_exec *)(void *)object;
    for (size_t i = 0; i < exec->count && exec->nodes; i++) {
        simcuda_work_release(exec->nodes[i].work);
        free(exec->nodes[i].dependencies);
    }
    for (unsigned i = 0; i < exec->lane_count; i++)
        close_lane(&exec->lanes[i]);
    if (exec->stream)
        simcuda_object_release(&exec->stream->object);
    free(exec->nodes);
    free(exec->lanes);
}

static bool copy_node(const struct simcuda_graph_node *from, struct exec_node *to)
{
    to->node = from->object.handle;
    to->work = simcuda_work_retain(from->work);
    to->enabled = true;
    to->dependencies = calloc(from->dependency_count + 1, sizeof *to->dependencies);
    to->dependency_count = from->dependency_count;
    for (size_t i = 0; i < from->dependency_count && to->dependencies; i++)
        to->dependencies[i] = (unsigned)from->dependencies[i]->index;
    return to->dependencies != NULL;
}

/* What depends on several parameters of a node: whether the blocks of a cooperative kernel fit. */
static CUresult check_work(const struct simcuda_work *work)
{
    struct simcuda_op *op;
    if (work->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return CUDA_SUCCESS;
    CUresult result = simcuda_work_ops(work, 0, &op);
    if (result == CUDA_SUCCESS)
        simcuda_op_discard(op);
    return result;
}

static CUresult copy_nodes(const struct simcuda_graph *graph, struct simcuda_graph_exec *exec,
                           CUgraphNode *out_error)
{
    CUresult result = CUDA_SUCCESS;
    exec->nodes = calloc(graph->count + 1, sizeof *exec->nodes);
    exec->lanes = calloc(graph->count + 1, sizeof *exec->lanes);
    exec->count = exec->nodes ? graph->count : 0;
    if (!exec->nodes || !exec->lanes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
        if (!copy_node(graph->nodes[i], &exec->nodes[i]))
            return CUDA_ERROR_OUT_OF_MEMORY;
        if (simcuda_script.cloned)
            simcuda_script.cloned((const void *)(uintptr_t)exec->nodes[i].node, &exec->nodes[i]);
        result = check_work(exec->nodes[i].work);
        if (result != CUDA_SUCCESS)
            *out_error = (CUgraphNode)(uintptr_t)exec->nodes[i].node;
    }
    return result;
}

static CUresult instantiate(CUgraphExec *out, CUgraph handle, uint64_t flags,
                            CUgraphNode *out_error)
{
    enum { KNOWN = 15 };
    struct simcuda_graph *graph;
    CUresult result =
        out && flags <= KNOWN ? simcuda_graph_get(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
        AH_LOG_WARN("simulated CUDA driver: kernels cannot launch graphs");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    struct simcuda_graph_exec *exec = simcuda_object_new(SIMCUDA_GRAPH_EXEC, sizeof *exec, NULL);
    if (!exec)
        return CUDA_ERROR_OUT_OF_MEMORY;
    exec->object.fini = fini_exec;
    exec->flags = flags;
    result = copy_nodes(graph, exec, out_error);
    if (result != CUDA_SUCCESS) {
        simcuda_object_close(&exec->object);
        return result;
    }
    assign_lanes(exec);
    *out = (CUgraphExec)(uintptr_t)exec->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                             unsigned long long flags)
{
    CUgraphNode error = NULL;
    SIMCUDA_ENTER(cuGraphInstantiateWithFlags);
    return simcuda_leave(flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
                             ? CUDA_ERROR_INVALID_VALUE
                             : instantiate(exec, graph, flags, &error));
}

/* Before CUDA 12. */
CUresult simcuda_cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node,
                                    char *log, size_t log_size)
{
    CUgraphNode error = NULL;
    SIMCUDA_ENTER(cuGraphInstantiate);
    CUresult result = instantiate(exec, graph, 0, &error);
    if (error_node)
        *error_node = error;
    if (log && log_size > 0)
        *log = '\0';
    return simcuda_leave(result);
}

CUresult simcuda_cuGraphExecDestroy(CUgraphExec handle)
{
    struct simcuda_graph_exec *exec;
    SIMCUDA_ENTER(cuGraphExecDestroy);
    CUresult result = get_exec(handle, &exec);
    if (result == CUDA_SUCCESS)
        simcuda_object_close(&exec->object);
    return simcuda_leave(result);
}

CUresult simcuda_cuGraphExecGetFlags(CUgraphExec handle, uint64_t *flags)
{
    struct simcuda_graph_exec *exec;
    SIMCUDA_ENTER(cuGraphExecGetFlags);
    CUresult result = flags ? get_exec(handle, &exec) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *flags = exec->flags;
    return simcuda_leave(result);
}

/* ---- updates -------------------------------------------------------------------------------- */

/* The node that was made of a node of the graph, which still has to exist. */
static CUresult find_node(CUgraphExec handle, CUgraphNode node_handle, struct exec_node **out)
{
    struct simcuda_graph_exec *exec;
    struct simcuda_graph_node *node;
    CUresult result = get_exec(handle, &exec);
    if (result == CUDA_SUCCESS)
        result = simcuda_graph_node_get(node_handle, &node);
    if (result != CUDA_SUCCESS)
        return result;
    if (node->index >= exec->count || exec->nodes[node->index].node != node->object.handle)
        return CUDA_ERROR_INVALID_VALUE;
    *out = &exec->nodes[node->index];
    return CUDA_SUCCESS;
}

/* made: what the work's function returned. */
static CUresult set_work(CUgraphExec exec, CUgraphNode handle, CUresult made,
                         struct simcuda_work *work)
{
    struct exec_node *node;
    if (made != CUDA_SUCCESS)
        return made;
    CUresult result = find_node(exec, handle, &node);
    if (result == CUDA_SUCCESS)
        result = simcuda_work_may_replace(node->work, work);
    if (result != CUDA_SUCCESS) {
        simcuda_work_release(work);
        return result;
    }
    simcuda_work_release(node->work);
    node->work = work;
    return CUDA_SUCCESS;
}

/* The attributes of the node remain. */
static CUresult reshaped(CUgraphExec exec, CUgraphNode handle, struct simcuda_work **work)
{
    struct exec_node *node;
    struct simcuda_work *plain = *work;
    CUresult result = find_node(exec, handle, &node);
    if (result != CUDA_SUCCESS || node->work->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return CUDA_SUCCESS; /* the caller finds out the same */
    struct simcuda_shape shape = node->work->kernel.shape;
    memcpy(shape.grid, plain->kernel.shape.grid, sizeof shape.grid);
    memcpy(shape.block, plain->kernel.shape.block, sizeof shape.block);
    shape.shared = plain->kernel.shape.shared;
    result = simcuda_work_reshape(plain, &shape, work);
    if (result == CUDA_SUCCESS)
        result = check_work(*work);
    if (result != CUDA_SUCCESS && *work != plain)
        simcuda_work_release(*work);
    simcuda_work_release(plain);
    return result;
}

CUresult simcuda_cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_KERNEL_NODE_PARAMS *params)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphExecKernelNodeSetParams);
    CUresult made = simcuda_work_kernel(params, &work);
    if (made == CUDA_SUCCESS)
        made = reshaped(exec, node, &work);
    return simcuda_leave(set_work(exec, node, made, work));
}

CUresult simcuda_cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_MEMCPY3D *params, CUcontext context)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphExecMemcpyNodeSetParams);
    CUresult made = simcuda_work_copy(params, context, &work);
    return simcuda_leave(set_work(exec, node, made, work));
}

CUresult simcuda_cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_MEMSET_NODE_PARAMS *params,
                                                CUcontext context)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphExecMemsetNodeSetParams);
    CUresult made = simcuda_work_fill(params, context, &work);
    return simcuda_leave(set_work(exec, node, made, work));
}

CUresult simcuda_cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                              const CUDA_HOST_NODE_PARAMS *params)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphExecHostNodeSetParams);
    CUresult made = simcuda_work_host(params, &work);
    return simcuda_leave(set_work(exec, node, made, work));
}

CUresult simcuda_cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                    CUevent event)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphExecEventRecordNodeSetEvent);
    CUresult made = simcuda_work_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, &work);
    return simcuda_leave(set_work(exec, node, made, work));
}

CUresult simcuda_cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphExecEventWaitNodeSetEvent);
    CUresult made = simcuda_work_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, &work);
    return simcuda_leave(set_work(exec, node, made, work));
}

CUresult simcuda_cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                    const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    struct simcuda_work *work;
    SIMCUDA_ENTER(cuGraphExecBatchMemOpNodeSetParams);
    CUresult made = simcuda_work_batch(params, &work);
    return simcuda_leave(set_work(exec, node, made, work));
}

static CUresult find_switch(CUgraphExec exec, CUgraphNode handle, struct exec_node **out)
{
    CUresult result = find_node(exec, handle, out);
    if (result != CUDA_SUCCESS)
        return result;
    int type = (*out)->work->type;
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                   type == CU_GRAPH_NODE_TYPE_MEMSET
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult simcuda_cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode handle, unsigned enabled)
{
    struct exec_node *node;
    SIMCUDA_ENTER(cuGraphNodeSetEnabled);
    CUresult result = find_switch(exec, handle, &node);
    if (result == CUDA_SUCCESS)
        node->enabled = enabled != 0;
    return simcuda_leave(result);
}

CUresult simcuda_cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode handle, unsigned *enabled)
{
    struct exec_node *node;
    SIMCUDA_ENTER(cuGraphNodeGetEnabled);
    CUresult result = enabled ? find_switch(exec, handle, &node) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *enabled = node->enabled;
    return simcuda_leave(result);
}

/* ---- launches -------------------------------------------------------------------------------- */

static void discard_ops(struct simcuda_graph_exec *exec)
{
    for (size_t i = 0; i < exec->count; i++)
        for (struct simcuda_op *next; exec->nodes[i].op; exec->nodes[i].op = next) {
            next = exec->nodes[i].op->next;
            simcuda_op_discard(exec->nodes[i].op);
        }
}

/* Everything that can be wrong is found before anything is enqueued. */
static CUresult make_ops(struct simcuda_graph_exec *exec, int priority)
{
    for (size_t i = 0; i < exec->count; i++) {
        struct exec_node *node = &exec->nodes[i];
        CUresult result = node->enabled ? simcuda_work_ops(node->work, priority, &node->op)
                                        : simcuda_empty_op(&node->op);
        if (result != CUDA_SUCCESS) {
            node->op = NULL;
            return result;
        }
    }
    return CUDA_SUCCESS;
}

/* Launches of an executable graph are done one after the other. */
static bool wait_for_last(const struct simcuda_graph_exec *exec, struct simcuda_op *op)
{
    return !exec->stream || simcuda_op_wait_for(op, exec->stream, exec->ticket);
}

/* The node depends on the last one of each lane that it names. */
static bool wait_for_dependencies(const struct simcuda_graph_exec *exec,
                                  const struct exec_node *node)
{
    bool good = true;
    for (unsigned lane = 0; lane < exec->lane_count; lane++) {
        uint64_t ticket = 0;
        for (size_t i = 0; i < node->dependency_count && lane != node->lane; i++) {
            const struct exec_node *from = &exec->nodes[node->dependencies[i]];
            if (from->lane == lane && from->ticket > ticket)
                ticket = from->ticket;
        }
        if (ticket > 0)
            good &= simcuda_op_wait_for(node->op, exec->lanes[lane].stream, ticket);
    }
    return good;
}

/* begin: of the launch, in its stream; 0: the launch has no other stream. */
static CUresult push_node(struct simcuda_graph_exec *exec, struct exec_node *node,
                          struct simcuda_stream *stream, uint64_t begin)
{
    struct lane *lane = &exec->lanes[node->lane];
    bool good = wait_for_dependencies(exec, node);
    if (!lane->started && begin)
        good &= lane->stream == stream || simcuda_op_wait_for(node->op, stream, begin);
    else if (!lane->started)
        good &= wait_for_last(exec, node->op);
    lane->started = true;
    while (node->op && good) {
        struct simcuda_op *op = node->op;
        node->op = op->next;
        op->note.node = node;
        if (simcuda_stream_push(lane->stream, op) != CUDA_SUCCESS)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->ticket = lane->stream->queued;
    if (good && node->enabled && node->work->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
        simcuda_event_recorded(node->work->event, lane->stream);
    return good ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult push_begin(struct simcuda_graph_exec *exec, struct simcuda_stream *stream)
{
    struct simcuda_op *op;
    CUresult result = simcuda_empty_op(&op);
    if (result != CUDA_SUCCESS)
        return result;
    if (wait_for_last(exec, op))
        return simcuda_stream_push(stream, op);
    simcuda_op_discard(op);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult push_end(struct simcuda_graph_exec *exec, struct simcuda_stream *stream)
{
    struct simcuda_op *op;
    bool good = true;
    CUresult result = simcuda_empty_op(&op);
    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned i = 0; i < exec->lane_count; i++)
        if (exec->lanes[i].stream != stream)
            good &= simcuda_op_wait_for(op, exec->lanes[i].stream, exec->lanes[i].stream->queued);
    if (good)
        return simcuda_stream_push(stream, op);
    simcuda_op_discard(op);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static void remember(struct simcuda_graph_exec *exec, struct simcuda_stream *stream)
{
    simcuda_object_retain(&stream->object);
    if (exec->stream)
        simcuda_object_release(&exec->stream->object);
    exec->stream = stream;
    exec->ticket = stream->queued;
}

static void show_launches(const struct simcuda_graph_exec *exec, CUstream handle)
{
    for (size_t i = 0; i < exec->count && simcuda_script.launch; i++) {
        const struct exec_node *node = &exec->nodes[i];
        if (node->enabled && node->work->type == CU_GRAPH_NODE_TYPE_KERNEL)
            simcuda_launch_show(node->op, &node->work->kernel.shape, handle);
    }
}

static CUresult push_all(struct simcuda_graph_exec *exec, struct simcuda_stream *stream,
                         bool others)
{
    CUresult result = others ? push_begin(exec, stream) : CUDA_SUCCESS;
    uint64_t begin = others ? stream->queued : 0;
    for (size_t i = 0; i < exec->count && result == CUDA_SUCCESS; i++)
        result = push_node(exec, &exec->nodes[i], stream, begin);
    if (result == CUDA_SUCCESS && others)
        result = push_end(exec, stream);
    if (result == CUDA_SUCCESS)
        remember(exec, stream);
    return result;
}

CUresult simcuda_cuGraphLaunch(CUgraphExec handle, CUstream stream_handle)
{
    struct simcuda_graph_exec *exec;
    struct simcuda_stream *stream;
    bool others;
    SIMCUDA_ENTER(cuGraphLaunch);
    CUresult result = get_exec(handle, &exec);
    if (result == CUDA_SUCCESS)
        result = simcuda_stream_get(stream_handle, &stream);
    if (result == CUDA_SUCCESS)
        result = open_lanes(exec, stream, &others);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    result = make_ops(exec, stream->priority);
    if (result == CUDA_SUCCESS) {
        show_launches(exec, stream_handle);
        result = push_all(exec, stream, others);
    }
    discard_ops(exec);
    return simcuda_leave(result);
}

/* There is nothing to bring to a simulated device. */
CUresult simcuda_cuGraphUpload(CUgraphExec handle, CUstream stream_handle)
{
    struct simcuda_graph_exec *exec;
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuGraphUpload);
    CUresult result = get_exec(handle, &exec);
    if (result == CUDA_SUCCESS)
        result = simcuda_stream_get(stream_handle, &stream);
    return simcuda_leave(result == CUDA_SUCCESS ? push_begin(exec, stream) : result);
}

CUresult simcuda_cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
                                              CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    struct simcuda_graph_exec *exec;
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuGraphInstantiateWithParams);
    if (!params)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    params->hErrNode_out = NULL;
    CUresult result = CUDA_SUCCESS;
    bool upload = params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    if (upload)
        result = simcuda_stream_get(params->hUploadStream, &stream);
    if (result == CUDA_SUCCESS)
        result = instantiate(out, graph, params->flags, &params->hErrNode_out);
    if (result == CUDA_SUCCESS && upload && get_exec(*out, &exec) == CUDA_SUCCESS)
        result = push_begin(exec, stream);
    params->result_out =
        result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return simcuda_leave(result);
}
