/* Owns arrays whose memory is bound part by part: descriptions have CUDA's values in HIP. */
#include "cuda_backend.h"

#include <stdlib.h>

_Static_assert(hipMemOperationTypeMap == (int)CU_MEM_OPERATION_TYPE_MAP &&
                   hipMemOperationTypeUnmap == (int)CU_MEM_OPERATION_TYPE_UNMAP &&
                   hipArraySparseSubresourceTypeMiptail ==
                       (int)CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL,
               "HIP's values are CUDA's");

static CUarrayMapInfo native_mapping(const struct ah_backend_device *device,
                                     const struct ah_array_mapping *mapping)
{
    const hipArrayMapInfo *info = mapping->info;
    CUarrayMapInfo native = {.resourceType = (int)info->resourceType,
                             .subresourceType = (int)info->subresourceType,
                             .memOperationType = (int)info->memOperationType,
                             .memHandle = (uintptr_t)mapping->memory,
                             .offset = info->offset,
                             .deviceBitMask = 1u << device->ordinal % 32};
    if (mapping->mipmap)
        native.resource.mipmap = (CUmipmappedArray)(void *)mapping->mipmap;
    else
        native.resource.array = (CUarray)(void *)mapping->array;
    if (info->subresourceType == hipArraySparseSubresourceTypeMiptail) {
        native.subresource.miptail.layer = info->subresource.miptail.layer;
        native.subresource.miptail.offset = info->subresource.miptail.offset;
        native.subresource.miptail.size = info->subresource.miptail.size;
    } else {
        native.subresource.sparseLevel.level = info->subresource.sparseLevel.level;
        native.subresource.sparseLevel.layer = info->subresource.sparseLevel.layer;
        native.subresource.sparseLevel.offset[0] = info->subresource.sparseLevel.offsetX;
        native.subresource.sparseLevel.offset[1] = info->subresource.sparseLevel.offsetY;
        native.subresource.sparseLevel.offset[2] = info->subresource.sparseLevel.offsetZ;
        native.subresource.sparseLevel.extent[0] = info->subresource.sparseLevel.extentWidth;
        native.subresource.sparseLevel.extent[1] = info->subresource.sparseLevel.extentHeight;
        native.subresource.sparseLevel.extent[2] = info->subresource.sparseLevel.extentDepth;
    }
    return native;
}

hipError_t ahcuda_array_map(struct ah_backend_device *device, struct ah_backend_stream *stream,
                            unsigned count, const struct ah_array_mapping *mappings)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    CUarrayMapInfo *native = calloc(count, sizeof *native);
    if (!native)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < count; i++)
        native[i] = native_mapping(device, &mappings[i]);
    error = ahcuda_done(device, "cuMemMapArrayAsync",
                        device->api->cuMemMapArrayAsync(native, count, ahcuda_stream(stream)));
    free(native);
    return error;
}

hipError_t ahcuda_mipmap_requirements(struct ah_backend_device *device,
                                      struct ah_backend_mipmap *mipmap, size_t *out_size,
                                      size_t *out_alignment)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS needed;
    hipError_t error = device->api->cuMipmappedArrayGetMemoryRequirements
                           ? ahcuda_enter(device)
                           : ahcuda_missing(device, "cuMipmappedArrayGetMemoryRequirements");
    if (error == hipSuccess)
        error = ahcuda_done(device, "cuMipmappedArrayGetMemoryRequirements",
                            device->api->cuMipmappedArrayGetMemoryRequirements(
                                &needed, (CUmipmappedArray)(void *)mipmap, device->ordinal));
    if (error != hipSuccess)
        return error;
    *out_size = needed.size;
    *out_alignment = needed.alignment;
    return hipSuccess;
}
