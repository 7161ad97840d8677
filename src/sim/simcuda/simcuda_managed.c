/* Owns managed memory: allocation, and advice, prefetches and attributes of its pages. The host and
 * devices can access all of it at any time, so prefetches move nothing. */
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

/* ---- pages -------------------------------------------------------------------------------- */

enum { PAGE = 4096 };
_Static_assert(SIMCUDA_DEVICES_MAX <= 64, "bits of by_device");

/* What was said about a page. */
struct simcuda_page {
    CUdevice preferred, prefetched;
    uint64_t by_device; /* advised accesses */
    bool by_host, read_mostly;
};

/* The pages that a range touches, of which there is at least one. */
struct pages {
    struct simcuda_page *first;
    size_t count;
};

/* An allocation has pages once something was said about one of them. */
static CUresult pages_of(struct simcuda_memory *memory, CUdeviceptr pointer, size_t size,
                         struct pages *out)
{
    size_t all = (memory->size + PAGE - 1) / PAGE, first = (pointer - memory->base) / PAGE;
    if (!memory->pages) {
        memory->pages = calloc(all, sizeof *memory->pages);
        if (!memory->pages)
            return CUDA_ERROR_OUT_OF_MEMORY;
        for (size_t i = 0; i < all; i++)
            memory->pages[i].preferred = memory->pages[i].prefetched = CU_DEVICE_INVALID;
    }
    out->first = memory->pages + first;
    out->count = (pointer - memory->base + size - 1) / PAGE - first + 1;
    return CUDA_SUCCESS;
}

CUresult simcuda_managed_place(CUdeviceptr pointer, size_t size, CUdevice device)
{
    struct simcuda_memory *memory;
    struct pages pages;
    CUresult result = simcuda_managed_range(pointer, size, &memory);
    if (result == CUDA_SUCCESS)
        result = pages_of(memory, pointer, size, &pages);
    for (size_t i = 0; result == CUDA_SUCCESS && i < pages.count; i++)
        pages.first[i].prefetched = device;
    return result;
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
        result = simcuda_managed_place(pointer, size, device);
    return simcuda_leave(result);
}

static void advise_page(struct simcuda_page *page, int advice, CUdevice device)
{
    bool on = advice % 2 == 1;
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        page->read_mostly = on;
        break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        page->preferred = on ? device : CU_DEVICE_INVALID;
        break;
    default:
        if (device == CU_DEVICE_CPU)
            page->by_host = on;
        else
            page->by_device = (page->by_device & ~(UINT64_C(1) << device)) | (uint64_t)on << device;
    }
}

static CUresult check_advice(int advice, CUdevice device)
{
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        return CUDA_ERROR_INVALID_VALUE;
    bool names_none = advice == CU_MEM_ADVISE_SET_READ_MOSTLY ||
                      advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY ||
                      advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
    return names_none || device == CU_DEVICE_CPU || simcuda_device(device)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_DEVICE;
}

CUresult simcuda_cuMemAdvise(CUdeviceptr pointer, size_t size, int advice, CUdevice device)
{
    struct simcuda_memory *memory;
    struct pages pages;
    SIMCUDA_ENTER(cuMemAdvise);
    CUresult result = simcuda_managed_range(pointer, size, &memory);
    if (result == CUDA_SUCCESS)
        result = check_advice(advice, device);
    if (result == CUDA_SUCCESS)
        result = pages_of(memory, pointer, size, &pages);
    for (size_t i = 0; result == CUDA_SUCCESS && i < pages.count; i++)
        advise_page(&pages.first[i], advice, device);
    return simcuda_leave(result);
}

/* What all pages have in common. */
static struct simcuda_page common(const struct pages *pages)
{
    struct simcuda_page all = pages->first[0];
    for (size_t i = 1; i < pages->count; i++) {
        const struct simcuda_page *page = &pages->first[i];
        all.preferred = all.preferred == page->preferred ? all.preferred : CU_DEVICE_INVALID;
        all.prefetched = all.prefetched == page->prefetched ? all.prefetched : CU_DEVICE_INVALID;
        all.by_device &= page->by_device;
        all.by_host &= page->by_host;
        all.read_mostly &= page->read_mostly;
    }
    return all;
}

static CUresult range_attribute(int *out, size_t count, int attribute, const struct pages *pages)
{
    size_t used = 0;
    const struct simcuda_page all = common(pages);
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *out = all.read_mostly;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        *out = all.preferred;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        *out = all.prefetched;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        if (all.by_host)
            out[used++] = CU_DEVICE_CPU;
        for (int i = 0; i < simcuda.device_count && used < count; i++)
            if (all.by_device >> i & 1)
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
    struct pages pages;
    SIMCUDA_ENTER(cuMemRangeGetAttribute);
    CUresult result = simcuda_managed_range(pointer, size, &memory);
    if (result == CUDA_SUCCESS && (!data || data_size == 0 || data_size % sizeof(int) != 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = pages_of(memory, pointer, size, &pages);
    if (result == CUDA_SUCCESS)
        result = range_attribute(data, data_size / sizeof(int), attribute, &pages);
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
