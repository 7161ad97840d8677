/* Owns virtual memory management: reserved addresses, physical memory, mappings. */
#include "process.h"
#include "simcuda_driver.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GRANULARITY = 2 << 20 };

/* ---- addresses ------------------------------------------------------------------------ */

/* The reservations of programs. */
struct reservation {
    struct reservation *next;
    uint64_t base;
    size_t size;
};
static struct reservation *reservations;

static struct reservation **reservation_of(uint64_t address, size_t size)
{
    struct reservation **link = &reservations;
    while (*link && (address < (*link)->base || size > (*link)->size ||
                     address - (*link)->base > (*link)->size - size))
        link = &(*link)->next;
    return link;
}

unsigned simcuda_reservations(void)
{
    unsigned count = 0;
    for (const struct reservation *at = reservations; at; at = at->next)
        count++;
    return count;
}

/* Device memory, host memory for devices and reservations share one space. */
bool simcuda_is_reserved(uint64_t address)
{
    return address - sim_space.base < sim_space.size;
}

/* A mapping that touches the range. */
static bool is_mapped(uint64_t base, size_t size)
{
    for (const struct simcuda_memory *at = simcuda_memory_first(); at; at = at->next)
        if (at->kind == SIMCUDA_MAPPING && at->base < base + size && at->base + at->size > base)
            return true;
    return false;
}

CUresult simcuda_cuMemGetAllocationGranularity(size_t *size, const CUmemAllocationProp *properties,
                                               int which)
{
    SIMCUDA_ENTER(cuMemGetAllocationGranularity);
    if (!size || !properties || which < 0 || which > 1 || !simcuda_device(properties->location.id))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *size = GRANULARITY;
    return simcuda_leave(CUDA_SUCCESS);
}

static CUresult reserve(CUdeviceptr *out, size_t size, size_t alignment, CUdeviceptr hint)
{
    if (!out || size == 0 || size % GRANULARITY != 0 || (alignment & (alignment - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct reservation *reservation = malloc(sizeof *reservation);
    uint64_t base =
        reservation
            ? sim_address_reserve(size, alignment > GRANULARITY ? alignment : GRANULARITY, hint)
            : 0;
    if (!base) {
        free(reservation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *reservation = (struct reservation){reservations, base, size};
    reservations = reservation;
    *out = base;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemAddressReserve(CUdeviceptr *pointer, size_t size, size_t alignment,
                                     CUdeviceptr hint, uint64_t flags)
{
    SIMCUDA_ENTER(cuMemAddressReserve);
    return simcuda_leave(flags ? CUDA_ERROR_INVALID_VALUE
                               : reserve(pointer, size, alignment, hint));
}

CUresult simcuda_cuMemAddressFree(CUdeviceptr pointer, size_t size)
{
    SIMCUDA_ENTER(cuMemAddressFree);
    struct reservation **link = reservation_of(pointer, size), *reservation = *link;
    if (!reservation || reservation->base != pointer || reservation->size != size ||
        is_mapped(pointer, size) || !sim_address_free(pointer, size))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *link = reservation->next;
    free(reservation);
    return simcuda_leave(CUDA_SUCCESS);
}

void simcuda_reservation_free(uint64_t base, size_t size)
{
    if (!sim_address_free(base, size))
        AH_LOG_ERR("simulated CUDA driver: addresses at 0x%llx are lost", (unsigned long long)base);
}

/* ---- physical memory ----------------------------------------------------------------------- */

static void fini_physical(struct simcuda_object *object)
{
    struct simcuda_physical *physical = (struct simcuda_physical *)(void *)object;
    if (physical->imported)
        close(physical->file);
    else
        sim_physical_close(physical->device->ordinal, physical->size, physical->file);
}

CUresult simcuda_physical_new(struct simcuda_device *device, int file, size_t size,
                              int handle_types, bool imported, struct simcuda_physical **out)
{
    struct simcuda_physical *physical =
        simcuda_object_new(SIMCUDA_PHYSICAL, sizeof *physical, NULL);
    if (!physical) {
        if (imported)
            close(file);
        else
            sim_physical_close(device->ordinal, size, file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    physical->object.fini = fini_physical;
    physical->device = device;
    physical->file = file;
    physical->size = size;
    physical->handle_types = handle_types;
    physical->imported = imported;
    *out = physical;
    return CUDA_SUCCESS;
}

static CUresult create(CUmemGenericAllocationHandle *handle, size_t size,
                       const CUmemAllocationProp *properties)
{
    struct simcuda_physical *physical;
    struct simcuda_device *device = simcuda_device(properties->location.id);
    if (size == 0 || size % GRANULARITY != 0 || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        (properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (sim_fault_allocation(device->ordinal, size))
        return CUDA_ERROR_OUT_OF_MEMORY;
    int file = sim_physical_create(device->ordinal, size, 0);
    if (file < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = simcuda_physical_new(device, file, size, properties->requestedHandleTypes,
                                           false, &physical);
    if (result == CUDA_SUCCESS)
        *handle = physical->object.handle;
    return result;
}

CUresult simcuda_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                             const CUmemAllocationProp *properties, uint64_t flags)
{
    SIMCUDA_ENTER(cuMemCreate);
    bool good = handle && properties && flags == 0;
    return simcuda_leave(good ? create(handle, size, properties) : CUDA_ERROR_INVALID_VALUE);
}

static struct simcuda_physical *physical_of(CUmemGenericAllocationHandle handle, const char *what)
{
    return simcuda_object_get((void *)(uintptr_t)handle, SIMCUDA_PHYSICAL, what);
}

CUresult simcuda_cuMemRelease(CUmemGenericAllocationHandle handle)
{
    SIMCUDA_ENTER(cuMemRelease);
    struct simcuda_physical *physical = physical_of(handle, "cuMemRelease");
    if (!physical)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (physical->object.references > 1 && physical->extra > 0) {
        physical->extra--;
        simcuda_object_release(&physical->object);
    } else {
        simcuda_object_close(&physical->object);
    }
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *pointer)
{
    SIMCUDA_ENTER(cuMemRetainAllocationHandle);
    const struct simcuda_memory *memory = simcuda_memory_find((uintptr_t)pointer);
    if (!handle || !memory || memory->kind != SIMCUDA_MAPPING || !memory->physical->object.handle)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    simcuda_object_retain(&memory->physical->object);
    memory->physical->extra++;
    *handle = memory->physical->object.handle;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                        CUmemGenericAllocationHandle handle)
{
    SIMCUDA_ENTER(cuMemGetAllocationPropertiesFromHandle);
    const struct simcuda_physical *physical = physical_of(handle, "properties of memory");
    if (!properties || !physical)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *properties = (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = physical->handle_types,
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, physical->device->ordinal},
    };
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- mappings -------------------------------------------------------------------------------- */

static CUresult map(CUdeviceptr pointer, size_t size, size_t offset,
                    CUmemGenericAllocationHandle handle)
{
    struct simcuda_physical *physical = physical_of(handle, "cuMemMap");
    if (!physical || size == 0 || size % GRANULARITY != 0 || offset % GRANULARITY != 0 ||
        offset > physical->size || size > physical->size - offset || pointer % GRANULARITY != 0 ||
        !*reservation_of(pointer, size) || is_mapped(pointer, size))
        return CUDA_ERROR_INVALID_VALUE;
    struct simcuda_memory memory = {
        .kind = SIMCUDA_MAPPING,
        .sim = sim_memory_map(pointer, size, physical->file, offset, physical->device->ordinal),
        .device = physical->device,
        .physical = physical,
    };
    if (!memory.sim || !simcuda_memory_add(&memory))
        return CUDA_ERROR_OUT_OF_MEMORY;
    simcuda_object_retain(&physical->object);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemMap(CUdeviceptr pointer, size_t size, size_t offset,
                          CUmemGenericAllocationHandle handle, uint64_t flags)
{
    SIMCUDA_ENTER(cuMemMap);
    return simcuda_leave(flags ? CUDA_ERROR_INVALID_VALUE : map(pointer, size, offset, handle));
}

CUresult simcuda_physical_map(struct simcuda_physical *physical, const unsigned *access,
                              const struct simcuda_memory *like, struct simcuda_memory **out)
{
    size_t size = physical->size;
    uint64_t base = sim_address_reserve(size, 0, 0);
    struct simcuda_memory memory = *like;
    memory.sim =
        base ? sim_memory_map(base, size, physical->file, 0, physical->device->ordinal) : NULL;
    memory.physical = physical;
    memory.reserved = size;
    *out = memory.sim ? simcuda_memory_add(&memory) : NULL;
    if (!*out) {
        if (base)
            simcuda_reservation_free(base, size);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < simcuda.device_count; i++)
        sim_memory_set_access((*out)->sim, i, (enum sim_access)access[i]);
    simcuda_object_retain(&physical->object);
    return CUDA_SUCCESS;
}

/* The mapping with exactly this range. */
static struct simcuda_memory *mapping_at(CUdeviceptr pointer, size_t size)
{
    struct simcuda_memory *memory = simcuda_memory_find(pointer);
    return memory && memory->kind == SIMCUDA_MAPPING && memory->base == pointer &&
                   memory->size == size
               ? memory
               : NULL;
}

CUresult simcuda_cuMemUnmap(CUdeviceptr pointer, size_t size)
{
    SIMCUDA_ENTER(cuMemUnmap);
    struct simcuda_memory *memory = mapping_at(pointer, size);
    if (!memory)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    simcuda_contexts_wait();
    memory = mapping_at(pointer, size);
    if (!memory)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    simcuda_memory_free(memory);
    return simcuda_leave(CUDA_SUCCESS);
}

/* The next of the mappings that tile [pointer, end), NULL when they do not. */
static struct simcuda_memory *tile_at(CUdeviceptr pointer, CUdeviceptr end)
{
    struct simcuda_memory *memory = simcuda_memory_find(pointer);
    return memory && memory->kind == SIMCUDA_MAPPING && memory->base == pointer &&
                   memory->size <= end - pointer
               ? memory
               : NULL;
}

static bool is_tiled(CUdeviceptr pointer, CUdeviceptr end)
{
    const struct simcuda_memory *memory = tile_at(pointer, end);
    while (memory && memory->base + memory->size < end)
        memory = tile_at(memory->base + memory->size, end);
    return memory != NULL;
}

static bool access_is_good(const CUmemAccessDesc *access)
{
    return access->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
           simcuda_device(access->location.id) &&
           (access->flags == 0 || access->flags == 1 || access->flags == 3);
}

CUresult simcuda_cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *access,
                                size_t count)
{
    SIMCUDA_ENTER(cuMemSetAccess);
    if (!access || size == 0 || pointer + size < pointer || !is_tiled(pointer, pointer + size))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        if (!access_is_good(&access[i]))
            return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
        struct simcuda_memory *memory;
        for (CUdeviceptr at = pointer; at < pointer + size; at += memory->size) {
            memory = tile_at(at, pointer + size);
            sim_memory_set_access(memory->sim, access[i].location.id,
                                  (enum sim_access)access[i].flags);
        }
    }
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuMemGetAccess(uint64_t *access, const CUmemLocation *location,
                                CUdeviceptr pointer)
{
    SIMCUDA_ENTER(cuMemGetAccess);
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (!memory || memory->kind != SIMCUDA_MAPPING ||
        location->type != CU_MEM_LOCATION_TYPE_DEVICE || !simcuda_device(location->id))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *access = memory->sim->access[location->id];
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- sharing ------------------------------------------------------------------------------- */

/* The handle is the file that contains the memory: another process maps the same. */
CUresult simcuda_cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
                                              int type, uint64_t flags)
{
    SIMCUDA_ENTER(cuMemExportToShareableHandle);
    const struct simcuda_physical *physical = physical_of(handle, "cuMemExportToShareableHandle");
    if (!out || !physical || flags != 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !(physical->handle_types & type))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    int file = fcntl(physical->file, F_DUPFD_CLOEXEC, 3);
    if (file < 0)
        return simcuda_leave(CUDA_ERROR_OPERATING_SYSTEM);
    memcpy(out, &file, sizeof file);
    return simcuda_leave(CUDA_SUCCESS);
}

/* A file does not name the device: the memory belongs to the current one, which accesses it like
 * any other. */
static CUresult import(CUmemGenericAllocationHandle *handle, int shared)
{
    struct simcuda_context *context;
    struct simcuda_physical *physical;
    struct stat about;
    CUresult result = simcuda_current(&context);
    struct simcuda_device *device = result == CUDA_SUCCESS ? context->device : &simcuda.devices[0];
    if (fstat(shared, &about) != 0 || about.st_size <= 0 || about.st_size % GRANULARITY != 0 ||
        !ah_sealed_file_check(shared, (uint64_t)about.st_size))
        return CUDA_ERROR_INVALID_VALUE;
    int file = fcntl(shared, F_DUPFD_CLOEXEC, 3);
    if (file < 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    result = simcuda_physical_new(device, file, (size_t)about.st_size,
                                  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, true, &physical);
    if (result == CUDA_SUCCESS)
        *handle = physical->object.handle;
    return result;
}

CUresult simcuda_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                                int type)
{
    SIMCUDA_ENTER(cuMemImportFromShareableHandle);
    bool good = handle && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return simcuda_leave(good ? import(handle, (int)(intptr_t)shared) : CUDA_ERROR_INVALID_VALUE);
}
