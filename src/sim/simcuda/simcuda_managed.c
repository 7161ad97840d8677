/* Owns managed memory: allocation, advice and attributes of ranges. The host and devices can access
 * all of it at any time, so prefetches move nothing. */
#include "simcuda_driver.h"

#include <stdlib.h>

CUresult simcuda_cuMemAllocManaged(CUdeviceptr *pointer, size_t size, unsigned flags)
{
    uint64_t memory;
    SIMCUDA_ENTER(cuMemAllocManaged);
    CUresult result = !pointer || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
                          ? CUDA_ERROR_INVALID_VALUE
                          : simcuda_memory_allocate_host(SIMCUDA_MANAGED, size, flags, &memory);
    if (result == CUDA_SUCCESS)
        *pointer = memory;
    return simcuda_leave(result);
}

CUresult simcuda_managed_range(CUdeviceptr pointer, size_t size, struct simcuda_memory **out)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    *out = simcuda_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return result;
    if (!*out || (*out)->kind != SIMCUDA_MANAGED || size == 0 ||
        size > (*out)->size - (pointer - (*out)->base))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemPrefetchAsync(CUdeviceptr pointer, size_t size, CUdevice device,
                                    CUstream handle)
{
    struct simcuda_memory *memory;
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuMemPrefetchAsync);
    CUresult result = simcuda_managed_range(pointer, size, &memory);
    if (result == CUDA_SUCCESS && device != CU_DEVICE_CPU && !simcuda_device(device))
        result = CUDA_ERROR_INVALID_DEVICE;
    if (result == CUDA_SUCCESS)
        result = simcuda_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS)
        memory->prefetched = device;
    return simcuda_leave(result);
}

static CUresult advise(struct simcuda_memory *memory, int advice, CUdevice device)
{
    bool on = advice % 2 == 1;
    if (advice != CU_MEM_ADVISE_SET_READ_MOSTLY && advice != CU_MEM_ADVISE_UNSET_READ_MOSTLY &&
        advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION && device != CU_DEVICE_CPU &&
        !simcuda_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        memory->read_mostly = on;
        return CUDA_SUCCESS;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        memory->preferred = on ? device : CU_DEVICE_INVALID;
        return CUDA_SUCCESS;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
        if (device >= 0)
            memory->accessed_by[device] = on;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult simcuda_cuMemAdvise(CUdeviceptr pointer, size_t size, int advice, CUdevice device)
{
    struct simcuda_memory *memory;
    SIMCUDA_ENTER(cuMemAdvise);
    CUresult result = simcuda_managed_range(pointer, size, &memory);
    return simcuda_leave(result == CUDA_SUCCESS ? advise(memory, advice, device) : result);
}

static CUresult range_attribute(int *out, size_t count, int attribute,
                                const struct simcuda_memory *memory)
{
    size_t used = 0;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *out = memory->read_mostly;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        *out = memory->preferred;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        *out = memory->prefetched;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        for (int i = 0; i < simcuda.device_count && used < count; i++)
            if (memory->accessed_by[i])
                out[used++] = i;
        while (used < count)
            out[used++] = CU_DEVICE_INVALID;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult simcuda_cuMemRangeGetAttribute(void *data, size_t data_size, int attribute,
                                        CUdeviceptr pointer, size_t size)
{
    struct simcuda_memory *memory;
    SIMCUDA_ENTER(cuMemRangeGetAttribute);
    CUresult result = simcuda_managed_range(pointer, size, &memory);
    if (result == CUDA_SUCCESS && (!data || data_size == 0 || data_size % sizeof(int) != 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = range_attribute(data, data_size / sizeof(int), attribute, memory);
    return simcuda_leave(result);
}

CUresult simcuda_cuStreamAttachMemAsync(CUstream handle, CUdeviceptr pointer, size_t size,
                                        unsigned flags)
{
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuStreamAttachMemAsync);
    CUresult result = simcuda_stream_get(handle, &stream);
    struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    bool known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                 flags == CU_MEM_ATTACH_SINGLE;
    if (!memory || memory->kind != SIMCUDA_MANAGED || !known ||
        (size != 0 && size != memory->size) ||
        (flags == CU_MEM_ATTACH_SINGLE && (uintptr_t)handle <= 1))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    memory->flags = flags;
    return simcuda_leave(CUDA_SUCCESS);
}
