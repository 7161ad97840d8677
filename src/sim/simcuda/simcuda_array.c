/* Owns arrays: rows of elements without a pitch of their own. */
#include "simcuda_driver.h"

#include <stdlib.h>

static size_t format_size(int format)
{
    switch (format) { /* CUarray_format */
    case 0x01:
    case 0x08:
        return 1;
    case 0x02:
    case 0x09:
    case 0x10:
        return 2;
    case 0x03:
    case 0x0a:
    case 0x20:
        return 4;
    default:
        return 0;
    }
}

static void fini_array(struct simcuda_object *object)
{
    struct simcuda_array *array = (struct simcuda_array *)(void *)object;
    sim_memory_destroy(array->memory);
}

static CUresult create_array(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    enum { WIDTH_MAX = 131072, DEPTH_MAX = 16384, ALIGNMENT = 512 };
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (!out || !shape)
        return CUDA_ERROR_INVALID_VALUE;
    size_t element = format_size(shape->Format) * shape->NumChannels;
    if (result != CUDA_SUCCESS)
        return result;
    if (shape->Width == 0 || shape->Width > WIDTH_MAX || shape->Height > WIDTH_MAX ||
        shape->Depth > DEPTH_MAX || element == 0 ||
        (shape->NumChannels != 1 && shape->NumChannels != 2 && shape->NumChannels != 4))
        return CUDA_ERROR_INVALID_VALUE;
    size_t row = shape->Width * element, slice = row * (shape->Height ? shape->Height : 1);
    size_t size = slice * (shape->Depth ? shape->Depth : 1);
    int device = context->device->ordinal;
    struct sim_memory *memory = sim_fault_allocation(device, size)
                                    ? NULL
                                    : sim_memory_create(SIM_MEMORY_DEVICE, device, size, ALIGNMENT);
    struct simcuda_array *array =
        memory ? simcuda_object_new(SIMCUDA_ARRAY, sizeof *array, context) : NULL;
    if (!array) {
        sim_memory_destroy(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    array->object.fini = fini_array;
    array->shape = *shape;
    array->element = element;
    array->row = row;
    array->slice = slice;
    array->memory = memory;
    *out = (CUarray)(uintptr_t)array->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    SIMCUDA_ENTER(cuArray3DCreate);
    return simcuda_leave(create_array(array, shape));
}

CUresult simcuda_cuArrayDestroy(CUarray handle)
{
    SIMCUDA_ENTER(cuArrayDestroy);
    struct simcuda_array *array = simcuda_object_get(handle, SIMCUDA_ARRAY, "cuArrayDestroy");
    if (!array)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    simcuda_object_retain(&array->object);
    CUresult result = simcuda_context_wait(array->object.context);
    if (array->object.handle) /* not closed meanwhile */
        simcuda_object_close(&array->object);
    simcuda_object_release(&array->object);
    return simcuda_leave(result);
}

CUresult simcuda_cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape)
{
    CUDA_ARRAY3D_DESCRIPTOR full = {0};
    SIMCUDA_ENTER(cuArrayCreate);
    if (shape)
        full = (CUDA_ARRAY3D_DESCRIPTOR){.Width = shape->Width,
                                         .Height = shape->Height,
                                         .Format = shape->Format,
                                         .NumChannels = shape->NumChannels};
    return simcuda_leave(create_array(array, shape ? &full : NULL));
}

CUresult simcuda_cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *shape, CUarray handle)
{
    SIMCUDA_ENTER(cuArray3DGetDescriptor);
    const struct simcuda_array *array =
        simcuda_object_get(handle, SIMCUDA_ARRAY, "cuArray3DGetDescriptor");
    if (!array || !shape)
        return simcuda_leave(array ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    *shape = array->shape;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *shape, CUarray handle)
{
    SIMCUDA_ENTER(cuArrayGetDescriptor);
    const struct simcuda_array *array =
        simcuda_object_get(handle, SIMCUDA_ARRAY, "cuArrayGetDescriptor");
    if (!array || !shape)
        return simcuda_leave(array ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    *shape = (CUDA_ARRAY_DESCRIPTOR){array->shape.Width, array->shape.Height, array->shape.Format,
                                     array->shape.NumChannels};
    return simcuda_leave(CUDA_SUCCESS);
}
