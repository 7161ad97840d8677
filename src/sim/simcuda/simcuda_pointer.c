/* Owns the attributes of pointers. */
#include "simcuda_driver.h"

#include <string.h>

static bool on_host(const struct simcuda_memory *memory)
{
    return memory->kind == SIMCUDA_PINNED || memory->kind == SIMCUDA_REGISTERED;
}

/* The size of the value depends on the attribute, as the driver's manual says. */
static CUresult attribute_of(void *data, int attribute, CUdeviceptr pointer,
                             const struct simcuda_memory *memory)
{
    bool host = on_host(memory), managed = memory->kind == SIMCUDA_MANAGED;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data =
            memory->context ? (CUcontext)(uintptr_t)memory->context->object.handle : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host && !managed)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = (void *)(uintptr_t)pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)data = memory->sync_memops;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(uint64_t *)data = memory->id;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = managed;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = memory->device->ordinal;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = memory->base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = memory->size;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(unsigned *)data = memory->kind == SIMCUDA_DEVICE_MEMORY;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        *(unsigned *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(uint64_t *)data = memory->pool       ? (uint64_t)memory->pool->handle_types
                            : memory->physical ? (uint64_t)memory->physical->handle_types
                                               : 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)data = memory->sim->kind == SIM_MEMORY_MAPPING
                                ? memory->sim->access[memory->device->ordinal]
                                : SIM_ACCESS_READ_WRITE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data =
            memory->pool ? (CUmemoryPool)(uintptr_t)memory->pool->object.handle : NULL;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult simcuda_cuPointerGetAttribute(void *data, int attribute, CUdeviceptr pointer)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuPointerGetAttribute);
    CUresult result = data ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (result == CUDA_SUCCESS)
        result = memory ? attribute_of(data, attribute, pointer, memory) : CUDA_ERROR_INVALID_VALUE;
    return simcuda_leave(result);
}

static void clear_attribute(void *data, int attribute)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        memset(data, 0, 8);
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = CU_DEVICE_INVALID;
        break;
    default:
        memset(data, 0, 4);
    }
}

/* An unknown pointer is not an error here: all its values are zero. */
CUresult simcuda_cuPointerGetAttributes(unsigned count, int *attributes, void **data,
                                        CUdeviceptr pointer)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuPointerGetAttributes);
    CUresult result = attributes && data ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        if (!memory || attribute_of(data[i], attributes[i], pointer, memory) != CUDA_SUCCESS)
            clear_attribute(data[i], attributes[i]);
    return simcuda_leave(result);
}

CUresult simcuda_cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr pointer)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuPointerSetAttribute);
    CUresult result = simcuda_current(&context);
    struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (result == CUDA_SUCCESS &&
        (!value || !memory || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || on_host(memory)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        memory->sync_memops = *(const unsigned *)value;
    return simcuda_leave(result);
}
