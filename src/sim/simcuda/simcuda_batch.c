/* Owns copies, prefetches and discards in batches. The driver promises no order within one, so that
 * the last copy is done first; what is discarded is overwritten, so that a program which reads it
 * finds out. */
#include "simcuda_copy.h"
#include "simcuda_ops.h"

#include <stdlib.h>

enum { DISCARDED = 0xdd };

/* The stream of a batch, which no default stream of CUDA's older programs is. */
static CUresult batch_stream(CUstream handle, struct simcuda_stream **out)
{
    return !handle || handle == CU_STREAM_LEGACY ? CUDA_ERROR_INVALID_VALUE
                                                 : simcuda_stream_get(handle, out);
}

/* Whether indices rise from 0 and stay below a count. */
static bool rises(const size_t *first, size_t count, size_t limit)
{
    bool good = first && count > 0 && count <= limit && first[0] == 0;
    for (size_t i = 1; i < count && good; i++)
        good = first[i] > first[i - 1] && first[i] < limit;
    return good;
}

/* ---- copies ------------------------------------------------------------------------------- */

struct copies {
    const CUdeviceptr *dsts, *srcs;
    const size_t *sizes;
    size_t count;
};

static CUresult check_attributes(const struct copies *copies, const CUmemcpyAttributes *attributes,
                                 const size_t *first, size_t count, bool *out_now)
{
    *out_now = false;
    if (!copies->dsts || !copies->srcs || !copies->sizes || copies->count == 0 || !attributes ||
        !rises(first, count, copies->count))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (attributes[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            attributes[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY ||
            attributes[i].flags > CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE)
            return CUDA_ERROR_INVALID_VALUE;
        *out_now |= attributes[i].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    }
    return CUDA_SUCCESS;
}

static CUresult make_copy(const struct copies *copies, size_t i,
                          const struct simcuda_context *context, struct simcuda_copy *out)
{
    *out = (struct simcuda_copy){.width = copies->sizes[i], .height = 1, .depth = 1};
    if (copies->sizes[i] == 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result =
        simcuda_end_linear(&out->dst, context, copies->dsts[i], copies->sizes[i], true);
    return result == CUDA_SUCCESS
               ? simcuda_end_linear(&out->src, context, copies->srcs[i], copies->sizes[i], false)
               : result;
}

static CUresult copy_batch(const struct copies *copies, const CUmemcpyAttributes *attributes,
                           const size_t *first, size_t attribute_count, CUstream handle)
{
    bool now;
    struct simcuda_copy copy;
    struct simcuda_stream *stream;
    CUresult result = batch_stream(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = check_attributes(copies, attributes, first, attribute_count, &now);
    for (size_t i = 0; result == CUDA_SUCCESS && i < copies->count; i++)
        result = make_copy(copies, i, stream->object.context, &copy);
    for (size_t i = copies->count; result == CUDA_SUCCESS && i-- > 0;) {
        result = make_copy(copies, i, stream->object.context, &copy);
        if (result == CUDA_SUCCESS)
            result = simcuda_copy_push(stream, &copy);
    }
    if (result == CUDA_SUCCESS && now)
        simcuda_stream_finish(stream);
    return result;
}

CUresult simcuda_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                                    size_t count, CUmemcpyAttributes *attributes, size_t *first,
                                    size_t attribute_count, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpyBatchAsync);
    const struct copies copies = {dsts, srcs, sizes, count};
    return simcuda_leave(copy_batch(&copies, attributes, first, attribute_count, stream));
}

/* ---- managed memory ----------------------------------------------------------------------- */

struct ranges {
    const CUdeviceptr *pointers;
    const size_t *sizes;
    size_t count;
};

static CUresult check_ranges(const struct ranges *ranges, unsigned long long flags)
{
    struct simcuda_memory *memory;
    CUresult result = !ranges->pointers || !ranges->sizes || ranges->count == 0 || flags != 0
                          ? CUDA_ERROR_INVALID_VALUE
                          : CUDA_SUCCESS;
    for (size_t i = 0; i < ranges->count && result == CUDA_SUCCESS; i++)
        result = simcuda_managed_range(ranges->pointers[i], ranges->sizes[i], &memory);
    return result;
}

static CUresult discard(const struct ranges *ranges, struct simcuda_stream *stream)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < ranges->count && result == CUDA_SUCCESS; i++) {
        struct simcuda_op *op;
        const CUDA_MEMSET_NODE_PARAMS fill = {.dst = ranges->pointers[i],
                                              .pitch = ranges->sizes[i],
                                              .value = DISCARDED,
                                              .elementSize = 1,
                                              .width = ranges->sizes[i],
                                              .height = 1};
        result = simcuda_fill_op(stream->object.context, &fill, &op);
        if (result == CUDA_SUCCESS)
            result = simcuda_stream_push(stream, op);
    }
    return result;
}

static CUresult check_location(const CUmemLocation *location)
{
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE)
        return simcuda_device(location->id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    return location->type == CU_MEM_LOCATION_TYPE_HOST ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The memory is where host and devices can access it already. */
static CUresult place(const struct ranges *ranges, const CUmemLocation *locations,
                      const size_t *first, size_t count)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0, run = 0; i < ranges->count && result == CUDA_SUCCESS; i++) {
        while (run + 1 < count && first[run + 1] <= i)
            run++;
        CUdevice device =
            locations[run].type == CU_MEM_LOCATION_TYPE_HOST ? CU_DEVICE_CPU : locations[run].id;
        result = simcuda_managed_place(ranges->pointers[i], ranges->sizes[i], device);
    }
    return result;
}

/* locations NULL: the ranges stay where they are. */
static CUresult managed_batch(const struct ranges *ranges, bool discards,
                              const CUmemLocation *locations, const size_t *first, size_t count,
                              CUstream handle)
{
    struct simcuda_stream *stream;
    CUresult result = batch_stream(handle, &stream);
    for (size_t i = 0; locations && i < count && result == CUDA_SUCCESS; i++)
        result = check_location(&locations[i]);
    if (result == CUDA_SUCCESS && discards)
        result = discard(ranges, stream);
    return result == CUDA_SUCCESS && locations ? place(ranges, locations, first, count) : result;
}

static CUresult prefetch(const struct ranges *ranges, bool discards, const CUmemLocation *locations,
                         const size_t *first, size_t count, unsigned long long flags,
                         CUstream stream)
{
    CUresult result = check_ranges(ranges, flags);
    if (result == CUDA_SUCCESS && (!locations || !rises(first, count, ranges->count)))
        result = CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? managed_batch(ranges, discards, locations, first, count, stream)
                                  : result;
}

CUresult simcuda_cuMemPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count,
                                         CUmemLocation *locations, size_t *first,
                                         size_t location_count, unsigned long long flags,
                                         CUstream stream)
{
    SIMCUDA_ENTER(cuMemPrefetchBatchAsync);
    const struct ranges ranges = {pointers, sizes, count};
    return simcuda_leave(prefetch(&ranges, false, locations, first, location_count, flags, stream));
}

CUresult simcuda_cuMemDiscardBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count,
                                        unsigned long long flags, CUstream stream)
{
    SIMCUDA_ENTER(cuMemDiscardBatchAsync);
    const struct ranges ranges = {pointers, sizes, count};
    CUresult result = check_ranges(&ranges, flags);
    return simcuda_leave(
        result == CUDA_SUCCESS ? managed_batch(&ranges, true, NULL, NULL, 0, stream) : result);
}

CUresult simcuda_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes,
                                                   size_t count, CUmemLocation *locations,
                                                   size_t *first, size_t location_count,
                                                   unsigned long long flags, CUstream stream)
{
    SIMCUDA_ENTER(cuMemDiscardAndPrefetchBatchAsync);
    const struct ranges ranges = {pointers, sizes, count};
    return simcuda_leave(prefetch(&ranges, true, locations, first, location_count, flags, stream));
}
