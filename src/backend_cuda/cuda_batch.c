/* Owns copies, prefetches and discards in batches, for which the driver has functions since
 * CUDA 13. They take no legacy default stream. */
#include "cuda_backend.h"

#include <stdlib.h>

_Static_assert(sizeof(void *) == sizeof(CUdeviceptr), "addresses are handed on as they are");
_Static_assert((int)CU_MEMCPY_SRC_ACCESS_ORDER_STREAM == (int)hipMemcpySrcAccessOrderStream &&
                   (int)CU_MEMCPY_SRC_ACCESS_ORDER_ANY == (int)hipMemcpySrcAccessOrderAny,
               "orders are handed on as they are");

static bool is_legacy(struct ah_backend_stream *stream)
{
    return ahcuda_stream(stream) == CU_STREAM_LEGACY;
}

/* ---- copies ------------------------------------------------------------------------------ */

/* Locations are hints, in HIP's numbering of devices, which is not the driver's. */
static void convert(CUmemcpyAttributes *out, const struct ah_copy_batch *batch)
{
    out[0] = (CUmemcpyAttributes){.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    for (size_t i = 0; i < batch->attribute_count; i++)
        out[i] = (CUmemcpyAttributes){
            .srcAccessOrder = batch->attributes[i].srcAccessOrder,
            .flags = batch->attributes[i].flags & CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE,
        };
}

hipError_t ahcuda_copy_batch(struct ah_backend_device *device, const struct ah_copy_batch *batch,
                             struct ah_backend_stream *stream)
{
    size_t zero = 0, count = batch->attribute_count ? batch->attribute_count : 1;
    if (!device->api->cuMemcpyBatchAsync || is_legacy(stream))
        return hipErrorNotSupported;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    CUmemcpyAttributes *attributes = calloc(count, sizeof *attributes);
    if (!attributes)
        return hipErrorOutOfMemory;
    convert(attributes, batch);
    CUresult result = device->api->cuMemcpyBatchAsync(
        (CUdeviceptr *)(uintptr_t)batch->dsts, (CUdeviceptr *)(uintptr_t)batch->srcs,
        (size_t *)(uintptr_t)batch->sizes, batch->count, attributes,
        batch->attribute_count ? (size_t *)(uintptr_t)batch->first : &zero, count,
        ahcuda_stream(stream));
    free(attributes);
    return result == CUDA_ERROR_NOT_SUPPORTED ? hipErrorNotSupported
                                              : ahcuda_done(device, "cuMemcpyBatchAsync", result);
}

/* ---- managed memory ---------------------------------------------------------------------- */

/* One location for each range. */
struct places {
    CUmemLocation *locations;
    size_t *first;
};

static bool make_places(struct places *places, const struct ah_managed_batch *batch)
{
    places->locations = calloc(batch->count, sizeof *places->locations);
    places->first = calloc(batch->count, sizeof *places->first);
    if (!places->locations || !places->first)
        return false;
    for (size_t i = 0; i < batch->count; i++) {
        const struct ah_backend_device *location = batch->locations[i];
        places->first[i] = i;
        places->locations[i] =
            (CUmemLocation){location ? CU_MEM_LOCATION_TYPE_DEVICE : CU_MEM_LOCATION_TYPE_HOST,
                            location ? location->ordinal : 0};
    }
    return true;
}

static hipError_t prefetch_one_by_one(struct ah_backend_device *device,
                                      const struct ah_managed_batch *batch,
                                      struct ah_backend_stream *stream)
{
    hipError_t error = hipSuccess;
    for (size_t i = 0; i < batch->count && error == hipSuccess; i++)
        error = ahcuda_managed_prefetch(device, batch->pointers[i], batch->sizes[i],
                                        batch->locations[i], stream);
    return error;
}

/* The context is current. */
static hipError_t discard(struct ah_backend_device *device, const struct ah_managed_batch *batch,
                          struct ah_backend_stream *stream)
{
    if (!device->api->cuMemDiscardBatchAsync)
        return ahcuda_missing(device, "cuMemDiscardBatchAsync");
    return ahcuda_done(
        device, "cuMemDiscardBatchAsync",
        device->api->cuMemDiscardBatchAsync((CUdeviceptr *)(uintptr_t)batch->pointers,
                                            (size_t *)(uintptr_t)batch->sizes, batch->count, 0,
                                            ahcuda_stream(stream)));
}

static hipError_t prefetch(struct ah_backend_device *device, const struct ah_managed_batch *batch,
                           struct ah_backend_stream *stream)
{
    struct places places = {0};
    __typeof__(device->api->cuMemPrefetchBatchAsync) call =
        batch->discards ? device->api->cuMemDiscardAndPrefetchBatchAsync
                        : device->api->cuMemPrefetchBatchAsync;
    hipError_t error = hipErrorOutOfMemory;
    if (make_places(&places, batch))
        error = ahcuda_done(device,
                            batch->discards ? "cuMemDiscardAndPrefetchBatchAsync"
                                            : "cuMemPrefetchBatchAsync",
                            call((CUdeviceptr *)(uintptr_t)batch->pointers,
                                 (size_t *)(uintptr_t)batch->sizes, batch->count, places.locations,
                                 places.first, batch->count, 0, ahcuda_stream(stream)));
    free(places.locations);
    free(places.first);
    return error;
}

hipError_t ahcuda_managed_batch(struct ah_backend_device *device,
                                const struct ah_managed_batch *batch,
                                struct ah_backend_stream *stream)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!batch->prefetches)
        return discard(device, batch, stream);
    if (batch->discards && !device->api->cuMemDiscardAndPrefetchBatchAsync)
        return ahcuda_missing(device, "cuMemDiscardAndPrefetchBatchAsync");
    if (!batch->discards && (!device->api->cuMemPrefetchBatchAsync || is_legacy(stream)))
        return prefetch_one_by_one(device, batch, stream);
    return prefetch(device, batch, stream);
}
