/* Arrays: hipMallocArray and its kin. */
#include "api.h"
#include "api_arguments.h"
#include "api_ids.h"
#include "api_shared.h"

#include <hip/anyhip.h>

_Static_assert(sizeof(struct ah_array) <= AH_HANDLE_SLOT, "struct ah_array");

/* Six square faces, or six for each of several cubes. */
static bool is_cubemap(const struct ah_array_shape *shape)
{
    return shape->width == shape->height &&
           (shape->flags & hipArrayLayered ? shape->depth > 0 && shape->depth % 6 == 0
                                           : shape->depth == 6);
}

bool ah_array_shape_valid(const struct ah_array_shape *shape)
{
    unsigned known = hipArrayLayered | hipArraySurfaceLoadStore | hipArrayTextureGather |
                     hipArrayCubemap | anyhipArraySparse | anyhipArrayDeferredMapping;
    if ((shape->flags & ~known) != 0 || shape->width == 0)
        return false;
    if (shape->channels != 1 && shape->channels != 2 && shape->channels != 4)
        return false;
    if (shape->depth > 0 && shape->height == 0 && !(shape->flags & hipArrayLayered))
        return false;
    if (shape->flags & hipArrayCubemap && !is_cubemap(shape))
        return false;
    if (shape->flags & hipArrayLayered && shape->depth == 0)
        return false;
    return !(shape->flags & hipArrayTextureGather) || (shape->height > 0 && shape->depth == 0);
}

static hipError_t create(hipArray_t *out_array, const struct ah_array_shape *shape,
                         const hipChannelFormatDesc *description)
{
    struct ah_backend_array *native;
    struct ah_device *device = ah_device_current();
    if (!ah_array_shape_valid(shape))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->array_create(device->native, shape, &native);
    if (error != hipSuccess)
        return error;
    struct ah_array *array = ah_handle_create(AH_HANDLE_ARRAY, device);
    if (!array) {
        device->ops->array_destroy(device->native, native);
        return hipErrorOutOfMemory;
    }
    array->native = native;
    array->shape = *shape;
    array->description = *description;
    *out_array = (hipArray_t)(void *)array;
    return hipSuccess;
}

static hipError_t create_described(hipArray_t *out_array, const hipChannelFormatDesc *description,
                                   hipExtent extent, unsigned flags)
{
    struct ah_array_shape shape = {
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    if (!out_array || !description)
        return hipErrorInvalidValue;
    hipError_t error = ah_array_format(description, &shape);
    return error == hipSuccess ? create(out_array, &shape, description) : error;
}

hipError_t hipMallocArray(hipArray_t *array, const hipChannelFormatDesc *desc, size_t width,
                          size_t height, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipMallocArray);
    return AH_LEAVE(create_described(array, desc, (hipExtent){width, height, 0}, flags));
}

hipError_t hipMalloc3DArray(hipArray_t *array, const struct hipChannelFormatDesc *desc,
                            struct hipExtent extent, unsigned int flags)
{
    AH_ENTER_UNSAFE(hipMalloc3DArray);
    return AH_LEAVE(create_described(array, desc, extent, flags));
}

static hipError_t create_driver(hipArray_t *out_array, const HIP_ARRAY3D_DESCRIPTOR *descriptor)
{
    hipChannelFormatDesc description;
    if (!out_array || !descriptor)
        return hipErrorInvalidValue;
    struct ah_array_shape shape = {
        .width = descriptor->Width,
        .height = descriptor->Height,
        .depth = descriptor->Depth,
        .format = descriptor->Format,
        .channels = descriptor->NumChannels,
        .flags = descriptor->Flags,
    };
    hipError_t error = ah_array_describe(shape.format, shape.channels, &description);
    if (error != hipSuccess)
        return error;
    shape.element = (unsigned)description.x / 8 * shape.channels;
    return create(out_array, &shape, &description);
}

hipError_t hipArray3DCreate(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    AH_ENTER_UNSAFE(hipArray3DCreate);
    return AH_LEAVE(create_driver(array, pAllocateArray));
}

hipError_t hipArrayCreate(hipArray_t *pHandle, const HIP_ARRAY_DESCRIPTOR *pAllocateArray)
{
    AH_ENTER_UNSAFE(hipArrayCreate);
    if (!pAllocateArray)
        return AH_LEAVE(hipErrorInvalidValue);
    HIP_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = pAllocateArray->Width,
        .Height = pAllocateArray->Height,
        .Format = pAllocateArray->Format,
        .NumChannels = pAllocateArray->NumChannels,
    };
    return AH_LEAVE(create_driver(pHandle, &descriptor));
}

/* The memory is the mipmapped array's: its next hipGetMipmappedArrayLevel makes another handle. */
static void release_level(const struct ah_array *array)
{
    struct ah_mipmap *mipmap = array->level_of;
    pthread_mutex_lock(&array->handle.device->lock);
    for (unsigned i = 0; ah_handle_is(mipmap, AH_HANDLE_MIPMAP) && i < mipmap->levels; i++)
        if (mipmap->arrays[i] == array)
            mipmap->arrays[i] = NULL;
    pthread_mutex_unlock(&array->handle.device->lock);
}

static hipError_t destroy(hipArray_t handle)
{
    struct ah_array *array = (struct ah_array *)(void *)handle;
    if (!handle)
        return hipErrorInvalidValue;
    if (ah_handle_is(handle, AH_HANDLE_ARRAY) && array->lent)
        return hipErrorArrayIsMapped;
    if (!ah_handle_retire(handle, AH_HANDLE_ARRAY))
        return hipErrorContextIsDestroyed;
    struct ah_device *device = array->handle.device;
    struct ah_backend_array *native = array->native;
    if (array->level_of) {
        release_level(array);
        ah_handle_destroy(array);
        return hipSuccess;
    }
    return ah_handle_finish_destroy(array, AH_HANDLE_ARRAY,
                                    device->ops->array_destroy(device->native, native));
}

hipError_t hipFreeArray(hipArray_t array)
{
    AH_ENTER_UNSAFE(hipFreeArray);
    return AH_LEAVE(destroy(array));
}

hipError_t hipArrayDestroy(hipArray_t array)
{
    AH_ENTER_UNSAFE(hipArrayDestroy);
    return AH_LEAVE(destroy(array));
}

static hipError_t info(hipChannelFormatDesc *out_description, hipExtent *out_extent,
                       unsigned *out_flags, hipArray_t handle)
{
    struct ah_array *array;
    if (ah_array_check(handle, &array) != hipSuccess)
        return hipErrorInvalidHandle;
    if (out_description)
        *out_description = array->description;
    if (out_extent)
        *out_extent = (hipExtent){array->shape.width, array->shape.height, array->shape.depth};
    if (out_flags)
        *out_flags = array->shape.flags;
    return hipSuccess;
}

hipError_t hipArrayGetInfo(hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags,
                           hipArray_t array)
{
    AH_ENTER(hipArrayGetInfo);
    return AH_LEAVE(info(desc, extent, flags, array));
}

hipError_t hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array)
{
    AH_ENTER(hipGetChannelDesc);
    if (!desc)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(info(desc, NULL, NULL, (hipArray_t)(uintptr_t)array));
}

static hipError_t descriptor(HIP_ARRAY3D_DESCRIPTOR *out, hipArray_t handle)
{
    struct ah_array *array;
    if (!out)
        return hipErrorInvalidValue;
    if (ah_array_check(handle, &array) != hipSuccess)
        return hipErrorInvalidHandle;
    *out = (HIP_ARRAY3D_DESCRIPTOR){
        .Width = array->shape.width,
        .Height = array->shape.height,
        .Depth = array->shape.depth,
        .Format = array->shape.format,
        .NumChannels = array->shape.channels,
        .Flags = array->shape.flags,
    };
    return hipSuccess;
}

hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *pArrayDescriptor, hipArray_t array)
{
    AH_ENTER(hipArray3DGetDescriptor);
    return AH_LEAVE(descriptor(pArrayDescriptor, array));
}

static hipError_t descriptor_2d(HIP_ARRAY_DESCRIPTOR *out, hipArray_t handle)
{
    HIP_ARRAY3D_DESCRIPTOR whole;
    if (!out)
        return hipErrorInvalidValue;
    hipError_t error = descriptor(&whole, handle);
    if (error == hipSuccess)
        *out = (HIP_ARRAY_DESCRIPTOR){
            .Width = whole.Width,
            .Height = whole.Height,
            .Format = whole.Format,
            .NumChannels = whole.NumChannels,
        };
    return error;
}

hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *pArrayDescriptor, hipArray_t array)
{
    AH_ENTER(hipArrayGetDescriptor);
    return AH_LEAVE(descriptor_2d(pArrayDescriptor, array));
}

/* Pure: no device is needed, and no error is possible. */
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f)
{
    AH_CALL_INSTEAD(hipCreateChannelDesc);
    return (hipChannelFormatDesc){x, y, z, w, f};
}
