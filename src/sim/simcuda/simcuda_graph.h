/* Graphs: what their nodes do, and how they are built. simcuda_graph_work.c owns the first,
 * simcuda_graph.c the second, simcuda_graph_exec.c executable graphs. */
#ifndef SIMCUDA_GRAPH_H
#define SIMCUDA_GRAPH_H

#include "simcuda_ops.h"

/* ---- work ------------------------------------------------------------------------------- */

/* What a node does. It does not change once it is made, so that nodes, executable graphs and those
 * who update them share it. */
struct simcuda_work {
    unsigned references;
    int type;         /* CU_GRAPH_NODE_TYPE_* */
    uint64_t context; /* handle of the context that it runs in, 0: the launch's */
    union {
        struct simcuda_kernel_work {
            struct simcuda_function *function; /* retained, and its module */
            struct simcuda_shape shape;
            bool packed;              /* the arguments came in a buffer */
            unsigned char *arguments; /* as the kernel reads them */
            void **params;            /* into arguments */
        } kernel;
        CUDA_MEMCPY3D copy;
        CUDA_MEMSET_NODE_PARAMS fill;
        CUDA_HOST_NODE_PARAMS host;
        struct simcuda_event *event; /* retained */
        struct {
            unsigned count;
            CUstreamBatchMemOpParams *ops;
        } batch;
    };
};

/* One function per type checks the parameters and makes the work, with one reference. */
CUresult simcuda_work_kernel(const CUDA_KERNEL_NODE_PARAMS *params, struct simcuda_work **out);
CUresult simcuda_work_copy(const CUDA_MEMCPY3D *params, CUcontext context,
                           struct simcuda_work **out);
CUresult simcuda_work_fill(const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context,
                           struct simcuda_work **out);
CUresult simcuda_work_host(const CUDA_HOST_NODE_PARAMS *params, struct simcuda_work **out);
CUresult simcuda_work_event(int type, CUevent event, struct simcuda_work **out);
CUresult simcuda_work_batch(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params, struct simcuda_work **out);
CUresult simcuda_work_empty(struct simcuda_work **out);
/* A copy of a kernel's work with other attributes. */
CUresult simcuda_work_reshape(const struct simcuda_work *work, const struct simcuda_shape *shape,
                              struct simcuda_work **out);

struct simcuda_work *simcuda_work_retain(struct simcuda_work *work);
void simcuda_work_release(struct simcuda_work *work); /* accepts NULL */

/* The operations of the work, linked by next, for a stream of its context with that priority. For
 * an event wait they depend on the last record so far. */
CUresult simcuda_work_ops(const struct simcuda_work *work, int priority, struct simcuda_op **out);
/* Whether an executable node may do work instead of old: CUDA_ERROR_INVALID_VALUE. */
CUresult simcuda_work_may_replace(const struct simcuda_work *old, const struct simcuda_work *work);

/* ---- graphs ------------------------------------------------------------------------------- */

struct simcuda_graph_node {
    struct simcuda_object object;
    struct simcuda_graph *graph;
    struct simcuda_work *work;
    struct simcuda_graph_node **dependencies;
    size_t dependency_count;
    size_t index; /* in the graph, where each node comes after those that it depends on */
};

struct simcuda_graph {
    struct simcuda_object object;
    struct simcuda_graph_node **nodes;
    size_t count, capacity;
};

/* CUDA_ERROR_INVALID_VALUE: it is not one. */
CUresult simcuda_graph_get(CUgraph handle, struct simcuda_graph **out);
CUresult simcuda_graph_node_get(CUgraphNode handle, struct simcuda_graph_node **out);

#endif
