/* Owns allocations: what they are, where they are, what the driver says of them. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    POISONED_MAX = 1 << 20, /* more of an allocation is not filled */
    FRESH = 0xa5,
    FREED = 0x5a,
};
static const size_t host_max = (size_t)1 << 30; /* of one page-locked or managed allocation */

/* ---- all allocations ------------------------------------------------------------- */

static struct {
    struct fake_memory **items; /* in the order of their addresses */
    size_t count, capacity;
    uint64_t next_id;
} list;

/* The first whose address is above. */
static size_t above(uintptr_t address)
{
    size_t low = 0, high = list.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list.items[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct fake_memory *fake_memory_add(const struct fake_memory *memory)
{
    size_t at = above(memory->base);
    if (list.count == list.capacity) {
        list.capacity = list.capacity ? 2 * list.capacity : 256;
        list.items = realloc(list.items, list.capacity * sizeof *list.items);
    }
    struct fake_memory *copy = malloc(sizeof *copy);
    if (!list.items || !copy)
        abort();
    *copy = *memory;
    copy->id = ++list.next_id;
    memmove(&list.items[at + 1], &list.items[at], (list.count - at) * sizeof *list.items);
    list.items[at] = copy;
    list.count++;
    return copy;
}

struct fake_memory *fake_memory_find(uintptr_t address)
{
    size_t at = above(address);
    struct fake_memory *memory = at > 0 ? list.items[at - 1] : NULL;
    return memory && address - memory->base < memory->size ? memory : NULL;
}

struct fake_memory *fake_memory_at(size_t index)
{
    return index < list.count ? list.items[index] : NULL;
}

void fake_memory_remove(struct fake_memory *memory)
{
    size_t at = above(memory->base) - 1;
    memmove(&list.items[at], &list.items[at + 1], (list.count - at - 1) * sizeof *list.items);
    list.count--;
    free(memory);
}

static bool overlaps_known(uintptr_t base, size_t size)
{
    size_t at = above(base + size - 1);
    return at > 0 && list.items[at - 1]->base + list.items[at - 1]->size > base;
}

/* ---- reaching it -------------------------------------------------------------------- */

static bool may_reach(const struct fake_context *context, const struct fake_memory *memory)
{
    switch (memory->kind) {
    case FAKE_MAPPING:
        return memory->access[context->device->ordinal] != 0;
    default:
        return true; /* copies between devices need no access of one to the other */
    }
}

CUresult fake_reach(const struct fake_context *context, uintptr_t address, size_t size,
                    unsigned char **out_view, struct fake_memory **out_memory)
{
    struct fake_memory *memory = fake_memory_find(address);
    *out_memory = memory;
    if (!address)
        return CUDA_ERROR_INVALID_VALUE;
    if (!memory) {
        if (size > 0 && overlaps_known(address, size))
            return CUDA_ERROR_INVALID_VALUE;
        *out_view = (unsigned char *)address;
        return CUDA_SUCCESS;
    }
    if (size > memory->size - (address - memory->base) || !may_reach(context, memory))
        return CUDA_ERROR_INVALID_VALUE;
    *out_view = memory->view + (address - memory->base);
    return CUDA_SUCCESS;
}

/* ---- device memory -------------------------------------------------------------------- */

static void poison(unsigned char *view, size_t size, int value)
{
    memset(view, value, size < POISONED_MAX ? size : POISONED_MAX);
}

CUresult fake_memory_allocate(struct fake_context *context, enum fake_memory_kind kind, size_t size,
                              struct fake_memory **out)
{
    struct fake_device *device = context->device;
    uintptr_t base;
    if (size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (size > device->total - device->used)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = fake_heap_take(size, 0, &base);
    if (result != CUDA_SUCCESS)
        return result;
    device->used += size;
    *out = fake_memory_add(&(struct fake_memory){
        .kind = kind,
        .base = base,
        .size = size,
        .view = fake_heap_view(base),
        .device = device,
        .context = context,
    });
    poison((*out)->view, size, FRESH);
    return CUDA_SUCCESS;
}

static void unmap(const struct fake_memory *memory)
{
    size_t before = (uintptr_t)memory->view % PAGE;
    munmap(memory->view - before, memory->size + before);
}

void fake_memory_free(struct fake_memory *memory)
{
    if (memory->pool)
        fake_pool_returned(memory->pool, memory->size);
    switch (memory->kind) {
    case FAKE_DEVICE_MEMORY:
    case FAKE_POOL_MEMORY:
    case FAKE_GLOBAL:
        if (!memory->alias) {
            poison(memory->view, memory->size, FREED);
            memory->device->used -= memory->size;
        }
        fake_heap_give(memory->base, memory->size);
        break;
    case FAKE_PINNED:
    case FAKE_MANAGED:
        free(memory->view);
        break;
    case FAKE_IPC:
        unmap(memory);
        fake_heap_give(memory->base, memory->size);
        break;
    case FAKE_REGISTERED:
    case FAKE_MAPPING:
        break;
    }
    fake_memory_remove(memory);
}

CUresult fake_cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    struct fake_context *context;
    FAKE_ENTER(cuMemGetInfo);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS) {
        *total = context->device->total;
        *free_bytes = context->device->total - context->device->used;
    }
    return fake_leave(result);
}

CUresult fake_cuMemAlloc(CUdeviceptr *pointer, size_t size)
{
    struct fake_context *context;
    struct fake_memory *memory;
    FAKE_ENTER(cuMemAlloc);
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS)
        result = fake_memory_allocate(context, FAKE_DEVICE_MEMORY, size, &memory);
    if (result == CUDA_SUCCESS)
        *pointer = memory->base;
    return fake_leave(result);
}

static CUresult free_memory(CUdeviceptr pointer)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    struct fake_memory *memory = fake_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return result;
    bool freeable = memory && memory->base == pointer &&
                    (memory->kind == FAKE_DEVICE_MEMORY || memory->kind == FAKE_POOL_MEMORY ||
                     memory->kind == FAKE_MANAGED);
    if (!freeable) {
        if (!memory || (memory->kind != FAKE_MAPPING && memory->kind != FAKE_GLOBAL))
            fake_violation("cuMemFree of 0x%llx", (unsigned long long)pointer);
        return CUDA_ERROR_INVALID_VALUE;
    }
    uint64_t id = memory->id;
    result = fake_context_wait(memory->context);
    memory = fake_memory_find(pointer); /* the wait gave the lock away */
    if (!memory || memory->id != id)
        return CUDA_ERROR_INVALID_VALUE;
    fake_memory_free(memory);
    return result;
}

CUresult fake_cuMemFree(CUdeviceptr pointer)
{
    FAKE_ENTER(cuMemFree);
    return fake_leave(free_memory(pointer));
}

/* ---- host memory -------------------------------------------------------------------------- */

static CUresult allocate_host(enum fake_memory_kind kind, size_t size, unsigned flags,
                              uintptr_t *out)
{
    struct fake_context *context;
    void *memory = NULL;
    CUresult result = fake_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (size > host_max || posix_memalign(&memory, PAGE, size) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(memory, FRESH, size < POISONED_MAX ? size : POISONED_MAX);
    fake_memory_add(&(struct fake_memory){
        .kind = kind,
        .base = (uintptr_t)memory,
        .size = size,
        .view = memory,
        .device = context->device,
        .context = context,
        .flags = flags,
        .preferred = CU_DEVICE_INVALID,
        .prefetched = CU_DEVICE_INVALID,
    });
    *out = (uintptr_t)memory;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemHostAlloc(void **pointer, size_t size, unsigned flags)
{
    uintptr_t memory;
    FAKE_ENTER(cuMemHostAlloc);
    CUresult result =
        flags > 7 ? CUDA_ERROR_INVALID_VALUE : allocate_host(FAKE_PINNED, size, flags, &memory);
    if (result == CUDA_SUCCESS)
        *pointer = (void *)memory;
    return fake_leave(result);
}

static CUresult free_host(void *pointer, enum fake_memory_kind kind, CUresult otherwise)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    struct fake_memory *memory = fake_memory_find((uintptr_t)pointer);
    if (result != CUDA_SUCCESS)
        return result;
    if (!memory || memory->base != (uintptr_t)pointer || memory->kind != kind)
        return otherwise;
    uint64_t id = memory->id;
    result = fake_context_wait(memory->context);
    memory = fake_memory_find((uintptr_t)pointer);
    if (!memory || memory->id != id)
        return otherwise;
    fake_memory_free(memory);
    return result;
}

CUresult fake_cuMemFreeHost(void *pointer)
{
    FAKE_ENTER(cuMemFreeHost);
    return fake_leave(free_host(pointer, FAKE_PINNED, CUDA_ERROR_INVALID_VALUE));
}

static CUresult register_host(void *pointer, size_t size, unsigned flags)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pointer || size == 0 || flags > 15)
        return CUDA_ERROR_INVALID_VALUE;
    if (overlaps_known((uintptr_t)pointer, size))
        return FAKE_ALREADY_REGISTERED;
    fake_memory_add(&(struct fake_memory){
        .kind = FAKE_REGISTERED,
        .base = (uintptr_t)pointer,
        .size = size,
        .view = pointer,
        .device = context->device,
        .context = context,
        .flags = flags,
    });
    return CUDA_SUCCESS;
}

CUresult fake_cuMemHostRegister(void *pointer, size_t size, unsigned flags)
{
    FAKE_ENTER(cuMemHostRegister);
    return fake_leave(register_host(pointer, size, flags));
}

CUresult fake_cuMemHostUnregister(void *pointer)
{
    FAKE_ENTER(cuMemHostUnregister);
    return fake_leave(free_host(pointer, FAKE_REGISTERED, FAKE_NOT_REGISTERED));
}

CUresult fake_cuMemHostGetDevicePointer(CUdeviceptr *device_pointer, void *pointer, unsigned flags)
{
    struct fake_context *context;
    FAKE_ENTER(cuMemHostGetDevicePointer);
    CUresult result = fake_current(&context);
    const struct fake_memory *memory = fake_memory_find((uintptr_t)pointer);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    if (!memory || flags != 0 || (memory->kind != FAKE_PINNED && memory->kind != FAKE_REGISTERED))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    *device_pointer = (CUdeviceptr)(uintptr_t)pointer;
    return fake_leave(CUDA_SUCCESS);
}

/* ---- managed memory -------------------------------------------------------------------------- */

CUresult fake_cuMemAllocManaged(CUdeviceptr *pointer, size_t size, unsigned flags)
{
    uintptr_t memory;
    FAKE_ENTER(cuMemAllocManaged);
    CUresult result = flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST
                          ? CUDA_ERROR_INVALID_VALUE
                          : allocate_host(FAKE_MANAGED, size, flags, &memory);
    if (result == CUDA_SUCCESS)
        *pointer = memory;
    return fake_leave(result);
}

static CUresult managed_range(CUdeviceptr pointer, size_t size, struct fake_memory **out)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    *out = fake_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return result;
    if (!*out || (*out)->kind != FAKE_MANAGED || size == 0 ||
        size > (*out)->size - (pointer - (*out)->base))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPrefetchAsync(CUdeviceptr pointer, size_t size, CUdevice device, CUstream handle)
{
    struct fake_memory *memory;
    struct fake_stream *stream;
    FAKE_ENTER(cuMemPrefetchAsync);
    CUresult result = managed_range(pointer, size, &memory);
    if (result == CUDA_SUCCESS && device != CU_DEVICE_CPU && !fake_device(device))
        result = FAKE_INVALID_DEVICE;
    if (result == CUDA_SUCCESS)
        result = fake_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS)
        memory->prefetched = device;
    return fake_leave(result);
}

static CUresult advise(struct fake_memory *memory, int advice, CUdevice device)
{
    bool on = advice % 2 == 1;
    if (advice != CU_MEM_ADVISE_SET_READ_MOSTLY && advice != CU_MEM_ADVISE_UNSET_READ_MOSTLY &&
        advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION && device != CU_DEVICE_CPU &&
        !fake_device(device))
        return FAKE_INVALID_DEVICE;
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

CUresult fake_cuMemAdvise(CUdeviceptr pointer, size_t size, int advice, CUdevice device)
{
    struct fake_memory *memory;
    FAKE_ENTER(cuMemAdvise);
    CUresult result = managed_range(pointer, size, &memory);
    return fake_leave(result == CUDA_SUCCESS ? advise(memory, advice, device) : result);
}

static CUresult range_attribute(int *out, size_t count, int attribute,
                                const struct fake_memory *memory)
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
        for (int i = 0; i < fake.device_count && used < count; i++)
            if (memory->accessed_by[i])
                out[used++] = i;
        while (used < count)
            out[used++] = CU_DEVICE_INVALID;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult fake_cuMemRangeGetAttribute(void *data, size_t data_size, int attribute,
                                     CUdeviceptr pointer, size_t size)
{
    struct fake_memory *memory;
    FAKE_ENTER(cuMemRangeGetAttribute);
    CUresult result = managed_range(pointer, size, &memory);
    if (result == CUDA_SUCCESS && (data_size == 0 || data_size % sizeof(int) != 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = range_attribute(data, data_size / sizeof(int), attribute, memory);
    return fake_leave(result);
}

CUresult fake_cuStreamAttachMemAsync(CUstream handle, CUdeviceptr pointer, size_t size,
                                     unsigned flags)
{
    struct fake_stream *stream;
    FAKE_ENTER(cuStreamAttachMemAsync);
    CUresult result = fake_stream_get(handle, &stream);
    struct fake_memory *memory = fake_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    bool known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                 flags == CU_MEM_ATTACH_SINGLE;
    if (!memory || memory->kind != FAKE_MANAGED || !known || (size != 0 && size != memory->size) ||
        (flags == CU_MEM_ATTACH_SINGLE && (uintptr_t)handle <= 1))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    memory->flags = flags;
    return fake_leave(CUDA_SUCCESS);
}
