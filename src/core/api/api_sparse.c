/* Arrays whose memory is bound part by part (hipMemMapArrayAsync), and what memory they need. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "texture.h"

#include <stdlib.h>
#include <string.h>

/* ---- the array that a description names -------------------------------------------- */

/* HIP declares the mipmapped array in a description as a structure, not as its handle. */
struct search {
    const hipMipmappedArray *copy;
    struct ah_mipmap *found;
};

static void compare(void *handle, void *data)
{
    struct search *search = data;
    struct ah_mipmap *mipmap = handle;
    struct ah_mipmap copy;
    _Static_assert(sizeof copy.handle + sizeof copy.native <= sizeof(hipMipmappedArray),
                   "a copy tells which array it is of");
    memcpy(&copy, search->copy, sizeof copy.handle + sizeof copy.native);
    if (copy.handle.device == mipmap->handle.device && copy.native == mipmap->native)
        search->found = mipmap;
}

/* The handle itself, in the place of an array's, or a copy of what the handle points to. */
static struct ah_mipmap *find_mipmap(const hipArrayMapInfo *info)
{
    struct search search = {.copy = &info->resource.mipmap};
    if (ah_handle_is(info->resource.array, AH_HANDLE_MIPMAP))
        return (struct ah_mipmap *)(void *)info->resource.array;
    ah_handle_each(AH_HANDLE_MIPMAP, compare, &search);
    return search.found;
}

static hipError_t find_array(const hipArrayMapInfo *info, struct ah_array_mapping *out,
                             struct ah_device **out_device)
{
    struct ah_array *array;
    struct ah_mipmap *mipmap;
    switch ((int)info->resourceType) {
    case hipResourceTypeArray:
        if (ah_array_check(info->resource.array, &array) != hipSuccess)
            return hipErrorInvalidHandle;
        out->array = array->native;
        *out_device = array->handle.device;
        return hipSuccess;
    case hipResourceTypeMipmappedArray:
        mipmap = find_mipmap(info);
        if (!mipmap)
            return hipErrorInvalidHandle;
        out->mipmap = mipmap->native;
        *out_device = mipmap->handle.device;
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

/* ---- mapping ----------------------------------------------------------------------- */

static bool is_well_formed(const hipArrayMapInfo *info)
{
    bool map = info->memOperationType == hipMemOperationTypeMap;
    bool level = info->subresourceType == hipArraySparseSubresourceTypeSparseLevel;
    return (map || info->memOperationType == hipMemOperationTypeUnmap) &&
           (level || info->subresourceType == hipArraySparseSubresourceTypeMiptail) &&
           (!map || info->memHandleType == hipMemHandleTypeGeneric) && info->flags == 0 &&
           info->reserved[0] == 0 && info->reserved[1] == 0;
}

static hipError_t describe(const hipArrayMapInfo *info, const struct ah_device *device,
                           struct ah_array_mapping *out)
{
    struct ah_device *owner;
    *out = (struct ah_array_mapping){.info = info};
    if (!is_well_formed(info))
        return hipErrorInvalidValue;
    hipError_t error = find_array(info, out, &owner);
    if (error != hipSuccess)
        return error;
    if (owner != device || info->deviceBitMask != 1u << device->ordinal % 32) {
        AH_LOG_ERR("hipMemMapArrayAsync: the array, the stream and deviceBitMask must be of one "
                   "device; the stream's is %d",
                   device->ordinal);
        return hipErrorInvalidValue;
    }
    if (info->memOperationType == hipMemOperationTypeUnmap)
        return hipSuccess;
    return ah_physical_native(info->memHandle.memHandle, device->driver, &out->memory);
}

static hipError_t map_arrays(const hipArrayMapInfo *list, unsigned count, hipStream_t handle)
{
    struct ah_stream *stream;
    if (!list || count == 0)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess)
        return error;
    struct ah_array_mapping *mappings = calloc(count, sizeof *mappings);
    if (!mappings)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        error = describe(&list[i], stream->handle.device, &mappings[i]);
    if (error == hipSuccess)
        error = ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_MAP_ARRAYS,
                                                       .map_arrays = {mappings, count}});
    free(mappings);
    return error;
}

hipError_t hipMemMapArrayAsync(hipArrayMapInfo *mapInfoList, unsigned int count, hipStream_t stream)
{
    AH_ENTER(hipMemMapArrayAsync);
    return AH_LEAVE(map_arrays(mapInfoList, count, stream));
}

/* ---- requirements ------------------------------------------------------------------ */

static hipError_t requirements(hipArrayMemoryRequirements *out, hipMipmappedArray_t handle,
                               int ordinal)
{
    struct ah_mipmap *mipmap;
    if (!out || ah_mipmap_check(handle, &mipmap) != hipSuccess)
        return hipErrorInvalidValue;
    struct ah_device *device = mipmap->handle.device;
    if (ah_device_at(ordinal) != device)
        return hipErrorInvalidDevice;
    return device->ops->mipmap_requirements(device->native, mipmap->native, &out->size,
                                            &out->alignment);
}

hipError_t hipMipmappedArrayGetMemoryRequirements(hipArrayMemoryRequirements *memoryRequirements,
                                                  hipMipmappedArray_t mipmap, hipDevice_t device)
{
    AH_ENTER(hipMipmappedArrayGetMemoryRequirements);
    return AH_LEAVE(requirements(memoryRequirements, mipmap, device));
}
