/* Managed memory: prefetching, advice, attributes of ranges. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <stdlib.h>

/* The whole range is in one of HIP's allocations. */
static hipError_t known_range(const void *pointer, size_t size, struct ah_device **out_device,
                              enum ah_memory_kind *out_kind)
{
    struct ah_pointer_info info;
    if (!pointer || size == 0)
        return hipErrorInvalidValue;
    *out_device = ah_memory_describe(pointer, &info);
    *out_kind = info.kind;
    if (!*out_device || info.kind == AH_MEMORY_UNKNOWN ||
        size > info.size - (size_t)((const char *)pointer - (const char *)info.base))
        return hipErrorInvalidValue;
    return hipSuccess;
}

static hipError_t managed_range(const void *pointer, size_t size, struct ah_device **out_device)
{
    enum ah_memory_kind kind;
    hipError_t error = known_range(pointer, size, out_device, &kind);
    return error == hipSuccess && kind != AH_MEMORY_MANAGED ? hipErrorInvalidValue : error;
}

/* Memory of the host that no allocation of HIP's contains is managed like it where devices reach
 * all of it. */
static hipError_t prefetchable_range(const void *pointer, size_t size,
                                     struct ah_device **out_device)
{
    int reaches_all = 0;
    struct ah_pointer_info info;
    struct ah_device *device = ah_device_current();
    hipError_t error = managed_range(pointer, size, out_device);
    if (error == hipSuccess || !pointer || size == 0 || !device ||
        ah_memory_describe(pointer, &info))
        return error;
    device->ops->device_attribute(device->native, hipDeviceAttributePageableMemoryAccess,
                                  &reaches_all);
    *out_device = device;
    return reaches_all ? hipSuccess : hipErrorInvalidValue;
}

/* A device of the memory's driver, or NULL in *out for the host. */
static hipError_t find_location(int ordinal, const struct ah_device *memory_device,
                                struct ah_backend_device **out)
{
    struct ah_device *device = ah_device_at(ordinal);
    *out = NULL;
    if (ordinal == hipCpuDeviceId)
        return hipSuccess;
    if (!device || device->driver != memory_device->driver)
        return hipErrorInvalidDevice;
    *out = device->native;
    return hipSuccess;
}

static hipError_t prefetch(const void *pointer, size_t size, int ordinal, hipStream_t handle)
{
    struct ah_device *memory_device;
    struct ah_backend_device *target;
    struct ah_stream *stream;
    hipError_t error = prefetchable_range(pointer, size, &memory_device);
    if (error == hipSuccess)
        error = find_location(ordinal, memory_device, &target);
    if (error == hipSuccess)
        error = ah_stream_resolve(handle, &stream);
    if (error == hipSuccess && stream->handle.device->driver != memory_device->driver)
        error = hipErrorInvalidDevice;
    if (error != hipSuccess)
        return error;
    return ah_submit(stream,
                     &(struct ah_command){.kind = AH_COMMAND_PREFETCH,
                                          .prefetch = {(void *)(uintptr_t)pointer, size, target}});
}

hipError_t hipMemPrefetchAsync(const void *dev_ptr, size_t count, int device, hipStream_t stream)
{
    AH_ENTER(hipMemPrefetchAsync);
    return AH_LEAVE(prefetch(dev_ptr, count, device, stream));
}

static hipError_t location_ordinal(hipMemLocation location, int *out_ordinal)
{
    switch ((int)location.type) {
    case hipMemLocationTypeDevice:
        *out_ordinal = location.id;
        return hipSuccess;
    case hipMemLocationTypeHost:
    case hipMemLocationTypeHostNuma:
    case hipMemLocationTypeHostNumaCurrent:
        *out_ordinal = hipCpuDeviceId;
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

hipError_t hipMemPrefetchAsync_v2(const void *dev_ptr, size_t count, hipMemLocation location,
                                  unsigned int flags, hipStream_t stream)
{
    int ordinal;
    AH_ENTER(hipMemPrefetchAsync_v2);
    hipError_t error = flags ? hipErrorInvalidValue : location_ordinal(location, &ordinal);
    return AH_LEAVE(error == hipSuccess ? prefetch(dev_ptr, count, ordinal, stream) : error);
}

/* ---- batches ---------------------------------------------------------------------------- */

/* Where ranges go: each location is of the ranges from its index on. */
struct destinations {
    const hipMemLocation *locations;
    const size_t *first;
    size_t count;
};

static hipError_t check_destinations(const struct destinations *to, size_t ranges)
{
    if (!to->locations || !to->first || to->count == 0 || to->count > ranges || to->first[0] != 0)
        return hipErrorInvalidValue;
    for (size_t i = 0; i < to->count; i++)
        if (to->first[i] >= ranges || (i > 0 && to->first[i] <= to->first[i - 1]))
            return hipErrorInvalidValue;
    return hipSuccess;
}

/* The range and where it goes, in a stream of device. */
static hipError_t check_range(const struct ah_managed_batch *batch, size_t i,
                              const struct ah_device *device, const hipMemLocation *location,
                              struct ah_backend_device **out_location)
{
    int ordinal;
    struct ah_device *owner;
    hipError_t error = prefetchable_range(batch->pointers[i], batch->sizes[i], &owner);
    if (error != hipSuccess || owner->driver != device->driver)
        return hipErrorInvalidValue;
    if (!location)
        return hipSuccess;
    error = location_ordinal(*location, &ordinal);
    if (error == hipSuccess)
        error = find_location(ordinal, device, out_location);
    return error == hipSuccess ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t submit_managed(struct ah_managed_batch *batch, const struct destinations *to,
                                 struct ah_stream *stream)
{
    hipError_t error = hipSuccess;
    struct ah_backend_device **locations = calloc(batch->count, sizeof(struct ah_backend_device *));
    if (!locations)
        return hipErrorOutOfMemory;
    batch->locations = locations;
    for (size_t i = 0, run = 0; i < batch->count && error == hipSuccess; i++) {
        while (to && run + 1 < to->count && to->first[run + 1] <= i)
            run++;
        error = check_range(batch, i, stream->handle.device, to ? &to->locations[run] : NULL,
                            &locations[i]);
    }
    if (error == hipSuccess)
        error = ah_submit(stream,
                          &(struct ah_command){.kind = AH_COMMAND_MANAGED_BATCH, .managed = batch});
    free(locations);
    return error;
}

/* to NULL: nothing is prefetched. */
static hipError_t managed_batch(void *const *pointers, const size_t *sizes, size_t count,
                                bool discards, const struct destinations *to,
                                unsigned long long flags, hipStream_t handle)
{
    struct ah_stream *stream;
    struct ah_managed_batch batch = {.pointers = pointers,
                                     .sizes = sizes,
                                     .count = count,
                                     .discards = discards,
                                     .prefetches = to != NULL};
    if (!pointers || !sizes || count == 0 || count > SIZE_MAX / sizeof(void *) || flags != 0 ||
        !handle)
        return hipErrorInvalidValue;
    hipError_t error = to ? check_destinations(to, count) : hipSuccess;
    if (error == hipSuccess)
        error = ah_stream_resolve(handle, &stream);
    return error == hipSuccess ? submit_managed(&batch, to, stream) : error;
}

hipError_t hipMemPrefetchBatchAsync(void **dev_ptrs, size_t *sizes, size_t count,
                                    hipMemLocation *prefetch_locs, size_t *prefetch_loc_idxs,
                                    size_t num_prefetch_locs, unsigned long long flags,
                                    hipStream_t stream)
{
    AH_ENTER(hipMemPrefetchBatchAsync);
    const struct destinations to = {prefetch_locs, prefetch_loc_idxs, num_prefetch_locs};
    return AH_LEAVE(managed_batch(dev_ptrs, sizes, count, false, &to, flags, stream));
}

hipError_t hipMemDiscardBatchAsync(void **dev_ptrs, size_t *sizes, size_t count,
                                   unsigned long long flags, hipStream_t stream)
{
    AH_ENTER(hipMemDiscardBatchAsync);
    return AH_LEAVE(managed_batch(dev_ptrs, sizes, count, true, NULL, flags, stream));
}

hipError_t hipDrvMemDiscardBatchAsync(hipDeviceptr_t *dptrs, size_t *sizes, size_t count,
                                      unsigned long long flags, hipStream_t stream)
{
    AH_ENTER(hipDrvMemDiscardBatchAsync);
    return AH_LEAVE(managed_batch(dptrs, sizes, count, true, NULL, flags, stream));
}

hipError_t hipMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                              hipMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                              size_t numPrefetchLocs, unsigned long long flags,
                                              hipStream_t stream)
{
    AH_ENTER(hipMemDiscardAndPrefetchBatchAsync);
    const struct destinations to = {prefetchLocs, prefetchLocIdxs, numPrefetchLocs};
    return AH_LEAVE(managed_batch(dptrs, sizes, count, true, &to, flags, stream));
}

hipError_t hipDrvMemDiscardAndPrefetchBatchAsync(hipDeviceptr_t *dptrs, size_t *sizes, size_t count,
                                                 hipMemLocation *prefetchLocs,
                                                 size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                 unsigned long long flags, hipStream_t stream)
{
    AH_ENTER(hipDrvMemDiscardAndPrefetchBatchAsync);
    const struct destinations to = {prefetchLocs, prefetchLocIdxs, numPrefetchLocs};
    return AH_LEAVE(managed_batch(dptrs, sizes, count, true, &to, flags, stream));
}

/* ---- advice ----------------------------------------------------------------------------- */

static bool advice_valid(hipMemoryAdvise advice)
{
    return ((int)advice >= hipMemAdviseSetReadMostly &&
            (int)advice <= hipMemAdviseUnsetAccessedBy) ||
           (int)advice == hipMemAdviseSetCoarseGrain || (int)advice == hipMemAdviseUnsetCoarseGrain;
}

static bool is_for_everybody(hipMemoryAdvise advice)
{
    return advice == hipMemAdviseSetReadMostly || advice == hipMemAdviseUnsetReadMostly ||
           advice == hipMemAdviseUnsetPreferredLocation;
}

static hipError_t advise(const void *pointer, size_t size, hipMemoryAdvise advice, int ordinal)
{
    struct ah_device *device;
    struct ah_backend_device *target;
    if (!advice_valid(advice))
        return hipErrorInvalidValue;
    if (is_for_everybody(advice))
        ordinal = hipCpuDeviceId;
    hipError_t error = managed_range(pointer, size, &device);
    if (error == hipSuccess)
        error = find_location(ordinal, device, &target);
    return error == hipSuccess
               ? device->ops->managed_advise(device->native, pointer, size, advice, target)
               : error;
}

hipError_t hipMemAdvise(const void *dev_ptr, size_t count, hipMemoryAdvise advice, int device)
{
    AH_ENTER_UNSAFE(hipMemAdvise);
    return AH_LEAVE(advise(dev_ptr, count, advice, device));
}

hipError_t hipMemAdvise_v2(const void *dev_ptr, size_t count, hipMemoryAdvise advice,
                           hipMemLocation location)
{
    int ordinal;
    AH_ENTER_UNSAFE(hipMemAdvise_v2);
    hipError_t error = location_ordinal(location, &ordinal);
    return AH_LEAVE(error == hipSuccess ? advise(dev_ptr, count, advice, ordinal) : error);
}

/* Replaces the driver's numbers of devices by HIP's. */
static void renumber(const struct ah_device *device, hipMemRangeAttribute attribute, int *values,
                     size_t count)
{
    if (attribute == hipMemRangeAttributeReadMostly ||
        attribute == hipMemRangeAttributeCoherencyMode)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct ah_device *named =
            values[i] >= 0 ? ah_device_of_driver(device->driver, values[i]) : NULL;
        if (values[i] >= 0)
            values[i] = named ? named->ordinal : hipInvalidDeviceId;
    }
}

static hipError_t range_attribute(void *data, size_t data_size, hipMemRangeAttribute attribute,
                                  const void *pointer, size_t size)
{
    struct ah_device *device;
    enum ah_memory_kind kind;
    bool list = attribute == hipMemRangeAttributeAccessedBy;
    if (!data || data_size == 0 || data_size % sizeof(int) != 0 ||
        (!list && data_size != sizeof(int)))
        return hipErrorInvalidValue;
    hipError_t error = known_range(pointer, size, &device, &kind);
    if (error == hipSuccess && kind != AH_MEMORY_MANAGED &&
        attribute != hipMemRangeAttributeCoherencyMode)
        error = hipErrorInvalidValue;
    if (error == hipSuccess)
        error = device->ops->managed_attribute(device->native, data, data_size, attribute, pointer,
                                               size);
    if (error == hipSuccess)
        renumber(device, attribute, data, data_size / sizeof(int));
    return error;
}

hipError_t hipMemRangeGetAttribute(void *data, size_t data_size, hipMemRangeAttribute attribute,
                                   const void *dev_ptr, size_t count)
{
    AH_ENTER(hipMemRangeGetAttribute);
    return AH_LEAVE(range_attribute(data, data_size, attribute, dev_ptr, count));
}

static hipError_t range_attributes(void **data, const size_t *data_sizes,
                                   const hipMemRangeAttribute *attributes, size_t attribute_count,
                                   const void *pointer, size_t size)
{
    hipError_t error = hipSuccess;
    if (!data || !data_sizes || !attributes || attribute_count == 0)
        return hipErrorInvalidValue;
    for (size_t i = 0; i < attribute_count && error == hipSuccess; i++)
        error = range_attribute(data[i], data_sizes[i], attributes[i], pointer, size);
    return error;
}

hipError_t hipMemRangeGetAttributes(void **data, size_t *data_sizes,
                                    hipMemRangeAttribute *attributes, size_t num_attributes,
                                    const void *dev_ptr, size_t count)
{
    AH_ENTER(hipMemRangeGetAttributes);
    return AH_LEAVE(range_attributes(data, data_sizes, attributes, num_attributes, dev_ptr, count));
}

static hipError_t attach(hipStream_t handle, void *pointer, size_t size, unsigned flags)
{
    struct ah_stream *stream;
    struct ah_pointer_info info;
    if (!pointer ||
        (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle) ||
        (flags == hipMemAttachSingle && !handle))
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess)
        return error;
    if (!ah_memory_describe(pointer, &info) || info.kind != AH_MEMORY_MANAGED ||
        info.base != pointer || (size != 0 && size != info.size))
        return hipErrorInvalidValue;
    return ah_submit(
        stream, &(struct ah_command){.kind = AH_COMMAND_ATTACH, .attach = {pointer, size, flags}});
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *dev_ptr, size_t length,
                                   unsigned int flags)
{
    AH_ENTER(hipStreamAttachMemAsync);
    return AH_LEAVE(attach(stream, dev_ptr, length, flags));
}
