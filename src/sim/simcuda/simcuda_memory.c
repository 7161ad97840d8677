/* Owns allocations: their kinds, their addresses, and which functions may free them. */
#include "simcuda_driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 512, PITCH_ALIGNMENT = 512, LARGE = 1 << 20, LARGE_ALIGNMENT = 4096 };

/* ---- all allocations ------------------------------------------------------------- */

static struct simcuda_memory *all;

struct simcuda_memory *simcuda_memory_add(const struct simcuda_memory *memory)
{
    static uint64_t last_id;
    struct simcuda_memory *copy = malloc(sizeof *copy);
    if (!copy) {
        sim_memory_destroy(memory->sim);
        return NULL;
    }
    *copy = *memory;
    copy->id = ++last_id;
    copy->base = memory->sim->address;
    copy->size = memory->sim->size;
    copy->sim->owner = copy;
    copy->previous = NULL;
    copy->next = all;
    if (all)
        all->previous = copy;
    all = copy;
    return copy;
}

struct simcuda_memory *simcuda_memory_find(uint64_t address)
{
    const struct sim_memory *memory = sim_memory_find(address);
    return memory && memory->kind != SIM_MEMORY_HEAP ? memory->owner : NULL;
}

struct simcuda_memory *simcuda_memory_first(void)
{
    return all;
}

static void remove_memory(struct simcuda_memory *memory)
{
    if (memory->previous)
        memory->previous->next = memory->next;
    else
        all = memory->next;
    if (memory->next)
        memory->next->previous = memory->previous;
    sim_memory_destroy(memory->sim);
    free(memory->pages);
    free(memory);
}

/* ---- reaching it -------------------------------------------------------------------- */

/* The host program's own memory: it exists completely, and the driver does not own it. */
static bool is_host_range(uint64_t address, size_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = address & ~(page - 1);
    if (address + size < address || simcuda_is_reserved(address) ||
        simcuda_is_reserved(address + size - 1))
        return false;
    return msync((void *)(uintptr_t)start, (size_t)(address + size - start), MS_ASYNC) == 0;
}

CUresult simcuda_translate(const struct simcuda_context *context, uint64_t address, size_t size,
                           bool write, unsigned char **out_view, struct simcuda_memory **out_memory)
{
    struct simcuda_memory *memory = simcuda_memory_find(address);
    *out_memory = memory;
    if (!memory) {
        *out_view = (unsigned char *)(uintptr_t)address;
        return size > 0 && is_host_range(address, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    /* Copies between devices do not require peer access; for mappings, access rights apply. */
    if (address + size < address)
        return CUDA_ERROR_INVALID_VALUE;
    int device = memory->sim->kind == SIM_MEMORY_MAPPING ? context->device->ordinal : -1;
    *out_view = sim_translate_range(device, address, size, write);
    return *out_view ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- device memory -------------------------------------------------------------------- */

/* Memory of pools that other processes can open is in a file. */
static CUresult allocate_shareable(struct simcuda_memory *like, size_t size,
                                   struct simcuda_memory **out)
{
    enum { PAGE = 65536 };
    struct simcuda_physical *physical;
    size_t whole = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    int file = sim_physical_create(like->device->ordinal, whole, 0);
    if (file < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result =
        simcuda_physical_new(like->device, file, whole, like->pool->handle_types, false, &physical);
    if (result != CUDA_SUCCESS)
        return result;
    result = simcuda_physical_map(physical, like->pool->access, like, out);
    simcuda_object_close(&physical->object); /* the mapping keeps a reference */
    return result;
}

CUresult simcuda_memory_allocate(struct simcuda_context *context, struct simcuda_pool *pool,
                                 enum simcuda_memory_kind kind, size_t size,
                                 struct simcuda_memory **out)
{
    struct simcuda_device *device = context->device;
    struct simcuda_memory memory = {
        .kind = kind, .device = device, .context = context, .pool = pool};
    if (size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (sim_fault_allocation(device->ordinal, size))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (pool && pool->handle_types)
        return allocate_shareable(&memory, size, out);
    memory.sim =
        sim_memory_create(kind == SIMCUDA_GLOBAL ? SIM_MEMORY_VARIABLE : SIM_MEMORY_DEVICE,
                          device->ordinal, size, size < LARGE ? ALIGNMENT : LARGE_ALIGNMENT);
    *out = memory.sim ? simcuda_memory_add(&memory) : NULL;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void simcuda_memory_free(struct simcuda_memory *memory)
{
    struct simcuda_physical *physical = memory->physical;
    uint64_t base = memory->base, reserved = memory->reserved;
    if (memory->pool)
        simcuda_pool_returned(memory->pool, memory->size);
    remove_memory(memory);
    if (reserved)
        simcuda_reservation_free(base, reserved);
    if (physical)
        simcuda_object_release(&physical->object);
}

CUresult simcuda_cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuMemGetInfo);
    CUresult result = free_bytes && total ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        size_t used = sim_memory_used(context->device->ordinal);
        *total = context->device->total;
        *free_bytes = *total > used ? *total - used : 0;
    }
    return simcuda_leave(result);
}

CUresult simcuda_cuMemAlloc(CUdeviceptr *pointer, size_t size)
{
    struct simcuda_context *context;
    struct simcuda_memory *memory;
    SIMCUDA_ENTER(cuMemAlloc);
    CUresult result = pointer ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = simcuda_memory_allocate(context, NULL, SIMCUDA_DEVICE_MEMORY, size, &memory);
    if (result == CUDA_SUCCESS)
        *pointer = memory->base;
    return simcuda_leave(result);
}

static CUresult allocate_pitch(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                               unsigned element)
{
    struct simcuda_context *context;
    struct simcuda_memory *memory;
    size_t row = (width + PITCH_ALIGNMENT - 1) & ~(size_t)(PITCH_ALIGNMENT - 1), size;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pointer || !pitch || width == 0 || height == 0 || row < width ||
        (element != 4 && element != 8 && element != 16) ||
        __builtin_mul_overflow(row, height, &size))
        return CUDA_ERROR_INVALID_VALUE;
    result = simcuda_memory_allocate(context, NULL, SIMCUDA_DEVICE_MEMORY, size, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    *pointer = memory->base;
    *pitch = row;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemAllocPitch(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                                 unsigned element)
{
    SIMCUDA_ENTER(cuMemAllocPitch);
    return simcuda_leave(allocate_pitch(pointer, pitch, width, height, element));
}

CUresult simcuda_cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr pointer)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuMemGetAddressRange);
    CUresult result = simcuda_current(&context);
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    if (!memory)
        return simcuda_leave(CUDA_ERROR_NOT_FOUND);
    if (base)
        *base = memory->base;
    if (size)
        *size = memory->size;
    return simcuda_leave(CUDA_SUCCESS);
}

static CUresult free_memory(CUdeviceptr pointer)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (result != CUDA_SUCCESS || pointer == 0)
        return result;
    bool freeable = memory && memory->base + memory->lead == pointer &&
                    (memory->kind == SIMCUDA_DEVICE_MEMORY || memory->kind == SIMCUDA_POOL_MEMORY ||
                     memory->kind == SIMCUDA_MANAGED || memory->kind == SIMCUDA_IMPORTED);
    if (!freeable) {
        if (!memory || (memory->kind != SIMCUDA_MAPPING && memory->kind != SIMCUDA_GLOBAL))
            simcuda_violation("cuMemFree of 0x%llx", (unsigned long long)pointer);
        return CUDA_ERROR_INVALID_VALUE;
    }
    uint64_t id = memory->id;
    simcuda_contexts_wait();
    memory = simcuda_memory_find(pointer); /* the wait released the lock */
    if (!memory || memory->id != id)
        return CUDA_ERROR_INVALID_VALUE;
    simcuda_memory_free(memory);
    return simcuda_context_error(context);
}

CUresult simcuda_cuMemFree(CUdeviceptr pointer)
{
    SIMCUDA_ENTER(cuMemFree);
    return simcuda_leave(free_memory(pointer));
}

/* ---- host memory -------------------------------------------------------------------------- */

CUresult simcuda_memory_allocate_host(enum simcuda_memory_kind kind, size_t size, unsigned flags,
                                      uint64_t *out)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct simcuda_memory memory = {
        .kind = kind,
        .sim = sim_memory_create(kind == SIMCUDA_MANAGED ? SIM_MEMORY_MANAGED : SIM_MEMORY_HOST, -1,
                                 size, 4096),
        .device = context->device,
        .context = context,
        .flags = flags,
    };
    const struct simcuda_memory *added = memory.sim ? simcuda_memory_add(&memory) : NULL;
    if (!added)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = added->base;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemHostAlloc(void **pointer, size_t size, unsigned flags)
{
    uint64_t memory;
    SIMCUDA_ENTER(cuMemHostAlloc);
    CUresult result = !pointer || flags > 7
                          ? CUDA_ERROR_INVALID_VALUE
                          : simcuda_memory_allocate_host(SIMCUDA_PINNED, size, flags, &memory);
    if (result == CUDA_SUCCESS)
        *pointer = (void *)(uintptr_t)memory;
    return simcuda_leave(result);
}

CUresult simcuda_cuMemAllocHost(void **pointer, size_t size)
{
    uint64_t memory;
    SIMCUDA_ENTER(cuMemAllocHost);
    CUresult result = pointer ? simcuda_memory_allocate_host(SIMCUDA_PINNED, size, 0, &memory)
                              : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pointer = (void *)(uintptr_t)memory;
    return simcuda_leave(result);
}

static CUresult free_host(void *pointer, enum simcuda_memory_kind kind, CUresult otherwise)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    struct simcuda_memory *memory = simcuda_memory_find((uintptr_t)pointer);
    if (result != CUDA_SUCCESS)
        return result;
    if (!memory || memory->base != (uintptr_t)pointer || memory->kind != kind)
        return otherwise;
    uint64_t id = memory->id;
    simcuda_contexts_wait();
    memory = simcuda_memory_find((uintptr_t)pointer);
    if (!memory || memory->id != id)
        return otherwise;
    simcuda_memory_free(memory);
    return simcuda_context_error(context);
}

CUresult simcuda_cuMemFreeHost(void *pointer)
{
    SIMCUDA_ENTER(cuMemFreeHost);
    return simcuda_leave(free_host(pointer, SIMCUDA_PINNED, CUDA_ERROR_INVALID_VALUE));
}

static CUresult register_host(void *pointer, size_t size, unsigned flags)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pointer || size == 0 || flags > 15)
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_host_range((uintptr_t)pointer, size) || simcuda_memory_find((uintptr_t)pointer))
        return simcuda_memory_find((uintptr_t)pointer) ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                                                       : CUDA_ERROR_INVALID_VALUE;
    struct simcuda_memory memory = {
        .kind = SIMCUDA_REGISTERED,
        .sim = sim_memory_register(pointer, size),
        .device = context->device,
        .context = context,
        .flags = flags,
    };
    if (!memory.sim)
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    return simcuda_memory_add(&memory) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult simcuda_cuMemHostRegister(void *pointer, size_t size, unsigned flags)
{
    SIMCUDA_ENTER(cuMemHostRegister);
    return simcuda_leave(register_host(pointer, size, flags));
}

CUresult simcuda_cuMemHostUnregister(void *pointer)
{
    SIMCUDA_ENTER(cuMemHostUnregister);
    return simcuda_leave(
        free_host(pointer, SIMCUDA_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED));
}

CUresult simcuda_cuMemHostGetDevicePointer(CUdeviceptr *device_pointer, void *pointer,
                                           unsigned flags)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuMemHostGetDevicePointer);
    CUresult result = simcuda_current(&context);
    const struct simcuda_memory *memory = simcuda_memory_find((uintptr_t)pointer);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    if (!memory || flags != 0 ||
        (memory->kind != SIMCUDA_PINNED && memory->kind != SIMCUDA_REGISTERED))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *device_pointer = (CUdeviceptr)(uintptr_t)pointer;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuMemHostGetFlags(unsigned *flags, void *pointer)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuMemHostGetFlags);
    CUresult result = flags ? simcuda_current(&context) : CUDA_ERROR_INVALID_VALUE;
    const struct simcuda_memory *memory = simcuda_memory_find((uintptr_t)pointer);
    if (result == CUDA_SUCCESS &&
        (!memory || (memory->kind != SIMCUDA_PINNED && memory->kind != SIMCUDA_REGISTERED)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) /* with unified addressing all of it is mapped */
        *flags = memory->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return simcuda_leave(result);
}
