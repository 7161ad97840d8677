/* Operations that are made first and enqueued later: by the functions for streams at once, by a
 * graph each time that it is launched. A function checks what it is given as the one for streams
 * does; an operation that is not pushed goes to simcuda_op_discard. */
#ifndef SIMCUDA_OPS_H
#define SIMCUDA_OPS_H

#include "simcuda_event.h"

struct simcuda_shape {
    unsigned grid[3], block[3], shared;
    bool cooperative;
    int priority;
    bool has_priority;
    unsigned attributes; /* bits of CUlaunchAttributeID that were given */
    const void *window;  /* base of the access policy window */
    int domain;
    const struct simcuda_green *green; /* where it runs; NULL: on the whole device */
};
/* Adds an attribute of a launch or a kernel node. */
CUresult simcuda_shape_add(struct simcuda_shape *shape, int attribute,
                           const CUlaunchAttributeValue *value);

/* priority: of the stream. */
CUresult simcuda_launch_op(struct simcuda_function *function, const struct simcuda_shape *shape,
                           int priority, void **params, void **extra, struct simcuda_op **out);
/* The arguments of such an operation as the kernel reads them. */
const unsigned char *simcuda_launch_arguments(const struct simcuda_op *launch);
/* Tells the script of tests that the operation is enqueued. */
void simcuda_launch_show(const struct simcuda_op *launch, const struct simcuda_shape *shape,
                         CUstream stream);
/* Reads and writes pageable memory of the host when it runs. Not empty. */
CUresult simcuda_copy_op(const struct simcuda_context *context, const CUDA_MEMCPY3D *request,
                         struct simcuda_op **out);
/* Not empty. */
CUresult simcuda_fill_op(const struct simcuda_context *context,
                         const CUDA_MEMSET_NODE_PARAMS *request, struct simcuda_op **out);
CUresult simcuda_call_op(CUhostFn function, void *data, struct simcuda_op **out);
CUresult simcuda_value_op(const struct simcuda_context *context, CUdeviceptr pointer,
                          uint64_t value, unsigned flags, bool wide, bool wait,
                          struct simcuda_op **out);
/* Whether the driver knows all operations of a batch and its flags. */
bool simcuda_batch_is_known(const CUstreamBatchMemOpParams *operations, unsigned count,
                            unsigned flags);
/* An operation for each, in a list. */
CUresult simcuda_batch_ops(const CUstreamBatchMemOpParams *operations, unsigned count,
                           const struct simcuda_context *context, struct simcuda_op **out);
CUresult simcuda_empty_op(struct simcuda_op **out);

CUresult simcuda_record_op(struct simcuda_event *event, struct simcuda_op **out);
/* The operation above was pushed last. */
void simcuda_event_recorded(struct simcuda_event *event, struct simcuda_stream *stream);
/* For the last record; it does nothing if there is none or it is complete. */
CUresult simcuda_event_wait_op(struct simcuda_event *event, struct simcuda_op **out);

#endif
