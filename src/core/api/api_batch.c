/* Copies in batches: hipMemcpyBatchAsync and hipMemcpy3DBatchAsync. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "parameters.h"
#include "runtime.h"

#include <stdlib.h>

enum {
    HINTS = hipMemcpyFlagPreferOverlapWithCompute | hipMemcpyFlagExtPreferCE,
};

static bool captures(const struct ah_stream *stream)
{
    return atomic_load_explicit(&stream->state, memory_order_acquire) & AH_STREAM_CAPTURING;
}

static bool order_is_known(hipMemcpySrcAccessOrder order)
{
    return (int)order >= hipMemcpySrcAccessOrderStream && (int)order <= hipMemcpySrcAccessOrderAny;
}

/* Sources that are read before the call returns cannot be read by a graph. */
static hipError_t refuse_reads_now(const char *call)
{
    AH_LOG_ERR("%s: hipMemcpySrcAccessOrderDuringApiCall in a stream that captures", call);
    return hipErrorStreamCaptureUnsupported;
}

/* ---- rows of bytes ------------------------------------------------------------------------ */

/* Each attribute is of the copies from its index on, so that the indices rise from 0. */
static hipError_t check_attributes(const struct ah_copy_batch *batch)
{
    const size_t *first = batch->first;
    if (batch->attribute_count == 0)
        return hipSuccess;
    if (!batch->attributes || !first || batch->attribute_count > batch->count || first[0] != 0)
        return hipErrorInvalidValue;
    for (size_t i = 0; i < batch->attribute_count; i++)
        if ((i > 0 && first[i] <= first[i - 1]) || first[i] >= batch->count ||
            !order_is_known(batch->attributes[i].srcAccessOrder) ||
            (batch->attributes[i].flags & ~(unsigned)(HINTS | hipMemcpyFlagExtOpSwap)) != 0)
            return hipErrorInvalidValue;
    return hipSuccess;
}

static hipError_t check_copies(const struct ah_copy_batch *batch, size_t *out_failed)
{
    for (size_t i = 0; i < batch->count; i++) {
        hipError_t error = batch->sizes[i] == 0 ? hipErrorInvalidValue
                                                : ah_copy_check(batch->dsts[i], batch->srcs[i],
                                                                batch->sizes[i], hipMemcpyDefault);
        if (error != hipSuccess) {
            *out_failed = i;
            return error;
        }
    }
    return hipSuccess;
}

static bool has_flag(const struct ah_copy_batch *batch, unsigned flag)
{
    bool has = false;
    for (size_t i = 0; i < batch->attribute_count; i++)
        has |= (batch->attributes[i].flags & flag) != 0;
    return has;
}

static bool has_order(const struct ah_copy_batch *batch, hipMemcpySrcAccessOrder order)
{
    bool has = false;
    for (size_t i = 0; i < batch->attribute_count; i++)
        has |= batch->attributes[i].srcAccessOrder == order;
    return has;
}

static hipError_t submit_copy(struct ah_stream *stream, void *dst, const void *src, size_t size)
{
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_COPY,
                                                  .blocking = AH_ASYNC,
                                                  .copy = {dst, src, size, hipMemcpyDefault}});
}

/* ---- exchanges ---------------------------------------------------------------------------- */

/* The GPUs of which AMD says that their copy engines exchange two ranges. */
static bool can_exchange(const struct ah_device *device)
{
    int major = 0, minor = 0;
    device->ops->device_attribute(device->native, hipDeviceAttributeComputeCapabilityMajor, &major);
    device->ops->device_attribute(device->native, hipDeviceAttributeComputeCapabilityMinor, &minor);
    return (major == 9 && minor >= 4) || (major == 12 && minor >= 5);
}

static hipError_t check_exchange(const struct ah_stream *stream, const void *one, const void *other)
{
    struct ah_pointer_info info[2];
    const struct ah_device *here = stream->handle.device;
    const struct ah_device *owners[] = {ah_memory_describe(one, &info[0]),
                                        ah_memory_describe(other, &info[1])};
    bool good = info[0].kind == AH_MEMORY_DEVICE || info[1].kind == AH_MEMORY_DEVICE;
    for (int i = 0; i < 2 && good; i++)
        good = owners[i] && owners[i]->driver == here->driver && can_exchange(owners[i]);
    if (good)
        return hipSuccess;
    AH_LOG_ERR(
        "hipMemcpyFlagExtOpSwap: %p and %p are not memory that a copy engine can exchange, of "
        "AMD's gfx94, gfx95 or gfx125 and page-locked memory of the host",
        one, other);
    return hipErrorNotSupported;
}

/* Through memory that lives as long as the stream needs it. */
static hipError_t exchange(struct ah_stream *stream, void *one, void *other, size_t size)
{
    void *third = NULL;
    hipError_t error =
        ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_POOL_ALLOC,
                                               .pool_alloc = {NULL, size, &third, NULL}});
    if (error != hipSuccess)
        return error;
    error = submit_copy(stream, third, one, size);
    if (error == hipSuccess)
        error = submit_copy(stream, one, other, size);
    if (error == hipSuccess)
        error = submit_copy(stream, other, third, size);
    hipError_t freed =
        ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_POOL_FREE, .pool_free = third});
    return error == hipSuccess ? freed : error;
}

static hipError_t exchange_or_copy(struct ah_stream *stream, const struct ah_copy_batch *batch,
                                   size_t *out_failed)
{
    hipError_t error = hipSuccess;
    for (size_t i = 0, run = 0; i < batch->count && error == hipSuccess; i++) {
        while (run + 1 < batch->attribute_count && batch->first[run + 1] <= i)
            run++;
        bool swaps =
            batch->attribute_count && (batch->attributes[run].flags & hipMemcpyFlagExtOpSwap) != 0;
        error = !swaps ? submit_copy(stream, batch->dsts[i], batch->srcs[i], batch->sizes[i])
                       : check_exchange(stream, batch->dsts[i], batch->srcs[i]);
        if (error == hipSuccess && swaps)
            error = exchange(stream, batch->dsts[i], batch->srcs[i], batch->sizes[i]);
        if (error != hipSuccess)
            *out_failed = i;
    }
    return error;
}

/* ---- batches of rows ---------------------------------------------------------------------- */

static hipError_t submit_batch(struct ah_stream *stream, const struct ah_copy_batch *batch,
                               size_t *out_failed)
{
    bool now = has_order(batch, hipMemcpySrcAccessOrderDuringApiCall);
    if (captures(stream) && now)
        return refuse_reads_now("hipMemcpyBatchAsync");
    if (!captures(stream) && !has_flag(batch, hipMemcpyFlagExtOpSwap))
        return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_COPY_BATCH,
                                                      .blocking = AH_ASYNC,
                                                      .batch = {batch, out_failed}});
    hipError_t error = exchange_or_copy(stream, batch, out_failed);
    return error == hipSuccess && now ? ah_stream_synchronize(stream) : error;
}

static hipError_t copy_batch(const struct ah_copy_batch *batch, hipStream_t handle,
                             size_t *out_failed)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess)
        return error;
    if (!batch->dsts || !batch->srcs || !batch->sizes || batch->count == 0)
        return hipErrorInvalidValue;
    error = check_attributes(batch);
    if (error == hipSuccess)
        error = check_copies(batch, out_failed);
    return error == hipSuccess ? submit_batch(stream, batch, out_failed) : error;
}

hipError_t hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                               hipMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                               size_t *failIdx, hipStream_t stream)
{
    size_t failed = SIZE_MAX;
    AH_ENTER(hipMemcpyBatchAsync);
    const struct ah_copy_batch batch = {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs};
    hipError_t error = copy_batch(&batch, stream, &failed);
    if (failIdx)
        *failIdx = failed;
    return AH_LEAVE(error);
}

/* ---- boxes -------------------------------------------------------------------------------- */

/* Of the array of an operand; *element is 0 before the first one. */
static hipError_t find_element(const hipMemcpy3DOperand *operand, size_t *element)
{
    struct ah_array *array;
    if ((int)operand->type == hipMemcpyOperandTypePointer)
        return hipSuccess;
    if ((int)operand->type != hipMemcpyOperandTypeArray)
        return hipErrorInvalidValue;
    hipError_t error = ah_array_check(operand->op.array.array, &array);
    if (error != hipSuccess)
        return error;
    size_t size = ah_array_element_size(array);
    if (*element != 0 && *element != size)
        return hipErrorInvalidValue;
    *element = size;
    return hipSuccess;
}

/* Lengths count elements; those that are 0 mean that rows or slices follow each other at once. */
static hipError_t make_end(const hipMemcpy3DOperand *operand, size_t element,
                           const hipExtent *extent, struct ah_copy_end *out)
{
    size_t x, pitch;
    if (operand->type == hipMemcpyOperandTypeArray) {
        const hipOffset3D *offset = &operand->op.array.offset;
        if (__builtin_mul_overflow(offset->x, element, &x))
            return hipErrorInvalidValue;
        *out = ah_array_end(operand->op.array.array, x, offset->y);
        out->z = offset->z;
        return hipSuccess;
    }
    size_t length = operand->op.ptr.rowLength ? operand->op.ptr.rowLength : extent->width;
    if (__builtin_mul_overflow(length, element, &pitch))
        return hipErrorInvalidValue;
    *out = ah_pointer_end(operand->op.ptr.ptr, pitch);
    out->rows = operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : extent->height;
    return hipSuccess;
}

/* Without an array, an element is a byte. */
static hipError_t make_region(const hipMemcpy3DBatchOp *op, struct ah_copy_region *out)
{
    size_t element = 0;
    if (!order_is_known(op->srcAccessOrder) || (op->flags & ~(unsigned)HINTS) != 0)
        return hipErrorInvalidValue;
    hipError_t error = find_element(&op->src, &element);
    if (error == hipSuccess)
        error = find_element(&op->dst, &element);
    element = element ? element : 1;
    if (error == hipSuccess)
        error = make_end(&op->src, element, &op->extent, &out->src);
    if (error == hipSuccess)
        error = make_end(&op->dst, element, &op->extent, &out->dst);
    if (error != hipSuccess)
        return error;
    out->height = op->extent.height;
    out->depth = op->extent.depth;
    return __builtin_mul_overflow(op->extent.width, element, &out->width) ? hipErrorInvalidValue
                                                                          : hipSuccess;
}

static hipError_t check_boxes(const hipMemcpy3DBatchOp *ops, size_t count, size_t *out_failed,
                              bool *out_now)
{
    struct ah_copy_region region;
    *out_now = false;
    for (size_t i = 0; i < count; i++) {
        hipError_t error = make_region(&ops[i], &region);
        if (error == hipSuccess && !ah_region_is_empty(&region))
            error = ah_region_check(&region);
        if (error != hipSuccess) {
            *out_failed = i;
            return error;
        }
        *out_now |= ops[i].srcAccessOrder == hipMemcpySrcAccessOrderDuringApiCall;
    }
    return hipSuccess;
}

/* One after the other: programs written for AMD's runtime read in one what another has written. */
static hipError_t submit_boxes(struct ah_stream *stream, const hipMemcpy3DBatchOp *ops,
                               size_t count, size_t *out_failed)
{
    struct ah_copy_region region;
    for (size_t i = 0; i < count; i++) {
        hipError_t error = make_region(&ops[i], &region);
        if (error == hipSuccess && !ah_region_is_empty(&region))
            error = ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_COPY_REGION,
                                                           .blocking = AH_ASYNC,
                                                           .region = &region});
        if (error != hipSuccess) {
            *out_failed = i;
            return error;
        }
    }
    return hipSuccess;
}

static hipError_t copy_boxes(const hipMemcpy3DBatchOp *ops, size_t count, unsigned long long flags,
                             hipStream_t handle, size_t *out_failed)
{
    struct ah_stream *stream;
    bool now;
    if (!ops || count == 0 || flags != 0)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error == hipSuccess)
        error = check_boxes(ops, count, out_failed, &now);
    if (error != hipSuccess)
        return error;
    if (now && captures(stream))
        return refuse_reads_now("hipMemcpy3DBatchAsync");
    error = submit_boxes(stream, ops, count, out_failed);
    return error == hipSuccess && now ? ah_stream_synchronize(stream) : error;
}

hipError_t hipMemcpy3DBatchAsync(size_t numOps, struct hipMemcpy3DBatchOp *opList, size_t *failIdx,
                                 unsigned long long flags, hipStream_t stream)
{
    size_t failed = SIZE_MAX;
    AH_ENTER(hipMemcpy3DBatchAsync);
    hipError_t error = copy_boxes(opList, numOps, flags, stream, &failed);
    if (failIdx)
        *failIdx = failed;
    return AH_LEAVE(error);
}
