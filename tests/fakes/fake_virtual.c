/* Owns virtual memory management: reserved addresses, physical memory, mappings. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRANULARITY = 2 << 20 };

struct reservation {
    struct reservation *next;
    uintptr_t base;
    size_t size;
};
static struct reservation *reservations;

static struct reservation **reservation_of(uintptr_t address, size_t size)
{
    struct reservation **link = &reservations;
    while (*link && (address < (*link)->base || size > (*link)->size ||
                     address - (*link)->base > (*link)->size - size))
        link = &(*link)->next;
    return link;
}

void fake_virtual_count(struct fakecuda_counts *out)
{
    for (const struct reservation *at = reservations; at; at = at->next)
        out->reservations++;
}

/* A mapping that touches the range. */
static bool is_mapped(uintptr_t base, size_t size)
{
    const struct fake_memory *memory;
    for (size_t i = 0; (memory = fake_memory_at(i)); i++)
        if (memory->kind == FAKE_MAPPING && memory->base < base + size &&
            memory->base + memory->size > base)
            return true;
    return false;
}

/* ---- addresses ------------------------------------------------------------------------ */

CUresult fake_cuMemGetAllocationGranularity(size_t *size, const CUmemAllocationProp *properties,
                                            int which)
{
    FAKE_ENTER(cuMemGetAllocationGranularity);
    if (!size || which < 0 || which > 1 || !fake_device(properties->location.id))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    *size = GRANULARITY;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuMemAddressReserve(CUdeviceptr *pointer, size_t size, size_t alignment,
                                  CUdeviceptr hint, uint64_t flags)
{
    uintptr_t base;
    FAKE_ENTER(cuMemAddressReserve);
    (void)hint;
    if (size == 0 || size % GRANULARITY != 0 || flags != 0 || (alignment & (alignment - 1)) != 0)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    CUresult result =
        fake_heap_take(size, alignment > GRANULARITY ? alignment : GRANULARITY, &base);
    struct reservation *reservation = malloc(sizeof *reservation);
    if (result != CUDA_SUCCESS || !reservation) {
        free(reservation);
        return fake_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *reservation = (struct reservation){reservations, base, size};
    reservations = reservation;
    *pointer = base;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuMemAddressFree(CUdeviceptr pointer, size_t size)
{
    FAKE_ENTER(cuMemAddressFree);
    struct reservation **link = reservation_of(pointer, size), *reservation = *link;
    if (!reservation || reservation->base != pointer || reservation->size != size ||
        is_mapped(pointer, size))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    *link = reservation->next;
    free(reservation);
    fake_heap_give(pointer, size);
    return fake_leave(CUDA_SUCCESS);
}

/* ---- physical memory ----------------------------------------------------------------------- */

static void fini_physical(struct fake_object *object)
{
    struct fake_physical *physical = (struct fake_physical *)(void *)object;
    physical->device->used -= physical->size;
    fake_heap_give(physical->base, physical->size);
}

CUresult fake_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                          const CUmemAllocationProp *properties, uint64_t flags)
{
    uintptr_t base;
    FAKE_ENTER(cuMemCreate);
    struct fake_device *device = fake_device(properties->location.id);
    if (size == 0 || size % GRANULARITY != 0 || flags != 0 ||
        properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        (properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device)
        return fake_leave(FAKE_INVALID_DEVICE);
    if (size > device->total - device->used)
        return fake_leave(CUDA_ERROR_OUT_OF_MEMORY);
    CUresult result = fake_heap_take(size, GRANULARITY, &base);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    device->used += size;
    struct fake_physical *physical = fake_object_new(FAKE_PHYSICAL, sizeof *physical, NULL);
    physical->object.fini = fini_physical;
    physical->device = device;
    physical->base = base;
    physical->size = size;
    physical->handle_types = properties->requestedHandleTypes;
    *handle = physical->object.handle;
    return fake_leave(CUDA_SUCCESS);
}

static struct fake_physical *physical_of(CUmemGenericAllocationHandle handle, const char *what)
{
    return fake_object_get((void *)(uintptr_t)handle, FAKE_PHYSICAL, what);
}

CUresult fake_cuMemRelease(CUmemGenericAllocationHandle handle)
{
    FAKE_ENTER(cuMemRelease);
    struct fake_physical *physical = physical_of(handle, "cuMemRelease");
    if (!physical)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    fake_object_close(&physical->object);
    return fake_leave(CUDA_SUCCESS);
}

/* ---- mappings -------------------------------------------------------------------------------- */

CUresult fake_cuMemMap(CUdeviceptr pointer, size_t size, size_t offset,
                       CUmemGenericAllocationHandle handle, uint64_t flags)
{
    FAKE_ENTER(cuMemMap);
    struct fake_physical *physical = physical_of(handle, "cuMemMap");
    if (!physical || size == 0 || size % GRANULARITY != 0 || offset != 0 || flags != 0 ||
        size > physical->size || pointer % GRANULARITY != 0 || !*reservation_of(pointer, size) ||
        is_mapped(pointer, size))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    fake_object_retain(&physical->object);
    fake_memory_add(&(struct fake_memory){
        .kind = FAKE_MAPPING,
        .base = pointer,
        .size = size,
        .view = fake_heap_view(physical->base),
        .device = physical->device,
        .physical = physical,
    });
    return fake_leave(CUDA_SUCCESS);
}

/* The mapping that is exactly this. */
static struct fake_memory *mapping_at(CUdeviceptr pointer, size_t size)
{
    struct fake_memory *memory = fake_memory_find(pointer);
    return memory && memory->kind == FAKE_MAPPING && memory->base == pointer && memory->size == size
               ? memory
               : NULL;
}

CUresult fake_cuMemUnmap(CUdeviceptr pointer, size_t size)
{
    FAKE_ENTER(cuMemUnmap);
    struct fake_memory *memory = mapping_at(pointer, size);
    if (!memory)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    if (memory->device->context.active)
        fake_context_wait(&memory->device->context);
    memory = mapping_at(pointer, size);
    if (!memory)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    struct fake_physical *physical = memory->physical;
    fake_memory_free(memory);
    fake_object_release(&physical->object);
    return fake_leave(CUDA_SUCCESS);
}

/* The next of the mappings that tile [pointer, end), NULL when they do not. */
static struct fake_memory *tile_at(CUdeviceptr pointer, CUdeviceptr end)
{
    struct fake_memory *memory = fake_memory_find(pointer);
    return memory && memory->kind == FAKE_MAPPING && memory->base == pointer &&
                   memory->size <= end - pointer
               ? memory
               : NULL;
}

static bool is_tiled(CUdeviceptr pointer, CUdeviceptr end)
{
    const struct fake_memory *memory = tile_at(pointer, end);
    while (memory && memory->base + memory->size < end)
        memory = tile_at(memory->base + memory->size, end);
    return memory != NULL;
}

static bool access_is_good(const CUmemAccessDesc *access)
{
    return access->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
           fake_device(access->location.id) &&
           (access->flags == 0 || access->flags == 1 || access->flags == 3);
}

CUresult fake_cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *access,
                             size_t count)
{
    FAKE_ENTER(cuMemSetAccess);
    if (!is_tiled(pointer, pointer + size))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        if (!access_is_good(&access[i]))
            return fake_leave(CUDA_ERROR_INVALID_VALUE);
        struct fake_memory *memory;
        for (CUdeviceptr at = pointer; at < pointer + size; at += memory->size) {
            memory = tile_at(at, pointer + size);
            memory->access[access[i].location.id] = (unsigned)access[i].flags;
        }
    }
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuMemGetAccess(uint64_t *access, const CUmemLocation *location, CUdeviceptr pointer)
{
    FAKE_ENTER(cuMemGetAccess);
    const struct fake_memory *memory = fake_memory_find(pointer);
    if (!memory || memory->kind != FAKE_MAPPING || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !fake_device(location->id))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    *access = memory->access[location->id];
    return fake_leave(CUDA_SUCCESS);
}

/* ---- sharing, within this process ---------------------------------------------------------------
 */

CUresult fake_cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle, int type,
                                           uint64_t flags)
{
    FAKE_ENTER(cuMemExportToShareableHandle);
    const struct fake_physical *physical = physical_of(handle, "cuMemExportToShareableHandle");
    if (!physical || flags != 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !(physical->handle_types & type))
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    int file = memfd_create("fakecuda memory", MFD_CLOEXEC);
    if (file < 0 || pwrite(file, &handle, sizeof handle, 0) != (ssize_t)sizeof handle)
        return fake_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *(int *)out = file;
    return fake_leave(CUDA_SUCCESS);
}

static void fini_shared(struct fake_object *object)
{
    fake_object_release(&((struct fake_physical *)(void *)object)->shared->object);
}

/* Another handle of the same memory. */
CUresult fake_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                             int type)
{
    uint64_t exported = 0;
    FAKE_ENTER(cuMemImportFromShareableHandle);
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        pread((int)(intptr_t)shared, &exported, 8, 0) != 8)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    struct fake_physical *source = fake_object_peek((void *)(uintptr_t)exported, FAKE_PHYSICAL);
    if (!source)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    struct fake_physical *physical = fake_object_new(FAKE_PHYSICAL, sizeof *physical, NULL);
    fake_object_retain(&source->object);
    physical->object.fini = fini_shared;
    physical->shared = source;
    physical->device = source->device;
    physical->base = source->base;
    physical->size = source->size;
    *handle = physical->object.handle;
    return fake_leave(CUDA_SUCCESS);
}
