/* Virtual memory management: addresses, physical memory, and access. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "image.h"
#include "ranges.h"
#include "readable.h"

#include <stdlib.h>
#include <unistd.h>

/* Physical memory: hipMemGenericAllocationHandle_t. */
struct physical {
    struct ah_handle handle;
    struct ah_backend_memory *native;
    hipMemAllocationProp properties;
    size_t size;
    _Atomic(int) handles;    /* returned to the application and not released */
    _Atomic(int) references; /* those, and mappings: at 0 the memory is freed */
};
_Static_assert(sizeof(struct physical) <= AH_HANDLE_SLOT, "struct physical");

/* A reservation (memory NULL) or a mapping. */
struct area {
    struct ah_range range;
    struct ah_device *device;
    struct physical *memory;
};

static struct {
    pthread_mutex_t lock;
    struct ah_ranges reservations, mappings;
} areas = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* False: no memory, or it overlaps another. */
static bool add_area(struct ah_ranges *ranges, void *pointer, size_t size, struct ah_device *device,
                     struct physical *memory)
{
    struct area *area = malloc(sizeof *area);
    if (!area)
        return false;
    *area = (struct area){{.start = (uintptr_t)pointer, .size = size}, device, memory};
    pthread_mutex_lock(&areas.lock);
    bool added = ah_ranges_insert(ranges, &area->range);
    pthread_mutex_unlock(&areas.lock);
    if (!added)
        free(area);
    return added;
}

/* Removes the area with exactly this range; copies it. */
static bool take_area(struct ah_ranges *ranges, void *pointer, size_t size, struct area *out)
{
    pthread_mutex_lock(&areas.lock);
    struct ah_range *range = ah_ranges_find(ranges, (uintptr_t)pointer);
    if (range && (range->start != (uintptr_t)pointer || range->size != size))
        range = NULL;
    if (range)
        ah_ranges_remove(ranges, range);
    pthread_mutex_unlock(&areas.lock);
    if (!range)
        return false;
    *out = *(struct area *)(void *)range;
    free(range);
    return true;
}

static bool find_area(const struct ah_ranges *ranges, const void *pointer, struct area *out)
{
    pthread_mutex_lock(&areas.lock);
    const struct ah_range *range = ah_ranges_find(ranges, (uintptr_t)pointer);
    if (range)
        *out = *(const struct area *)(const void *)range;
    pthread_mutex_unlock(&areas.lock);
    return range != NULL;
}

static bool has_mappings(const void *pointer, size_t size)
{
    pthread_mutex_lock(&areas.lock);
    bool found = ah_ranges_overlaps(&areas.mappings, (uintptr_t)pointer, size);
    pthread_mutex_unlock(&areas.lock);
    return found;
}

/* ---- physical memory ---------------------------------------------------------- */

static hipError_t check(hipMemGenericAllocationHandle_t handle, struct physical **out)
{
    if (!ah_handle_is(handle, AH_HANDLE_MEMORY))
        return hipErrorInvalidValue;
    *out = (struct physical *)(void *)handle;
    return atomic_load(&(*out)->handles) > 0 ? hipSuccess : hipErrorInvalidValue;
}

hipError_t ah_physical_native(hipMemGenericAllocationHandle_t handle,
                              const struct ah_driver *driver, struct ah_backend_memory **out_native)
{
    struct physical *memory;
    hipError_t error = check(handle, &memory);
    if (error == hipSuccess && memory->handle.device->driver != driver)
        error = hipErrorInvalidValue;
    if (error == hipSuccess)
        *out_native = memory->native;
    return error;
}

static hipError_t drop(struct physical *memory)
{
    struct ah_device *device = memory->handle.device;
    struct ah_backend_memory *native = memory->native;
    if (atomic_fetch_sub(&memory->references, 1) != 1)
        return hipSuccess;
    hipError_t error = device->ops->virtual_destroy(device->native, native);
    if (ah_free_failed(error)) { /* the handle is valid again, and can be released once more */
        atomic_store(&memory->references, 1);
        atomic_store(&memory->handles, 1);
    } else {
        ah_handle_destroy(memory);
    }
    return error;
}

static hipError_t wrap(struct ah_device *device, struct ah_backend_memory *native, size_t size,
                       const hipMemAllocationProp *properties,
                       hipMemGenericAllocationHandle_t *out_handle)
{
    struct physical *memory = ah_handle_create(AH_HANDLE_MEMORY, device);
    if (!memory) {
        device->ops->virtual_destroy(device->native, native);
        return hipErrorOutOfMemory;
    }
    memory->native = native;
    memory->size = size;
    memory->properties = *properties;
    atomic_store(&memory->handles, 1);
    atomic_store(&memory->references, 1);
    *out_handle = (hipMemGenericAllocationHandle_t)(void *)memory;
    return hipSuccess;
}

static struct ah_device *properties_device(const hipMemAllocationProp *properties)
{
    return properties && properties->type == hipMemAllocationTypePinned &&
                   properties->location.type == hipMemLocationTypeDevice
               ? ah_device_at(properties->location.id)
               : NULL;
}

static hipError_t get_granularity(size_t *out_size, const hipMemAllocationProp *properties,
                                  hipMemAllocationGranularity_flags which)
{
    struct ah_device *device = properties_device(properties);
    if (!out_size || !device ||
        (which != hipMemAllocationGranularityMinimum &&
         which != hipMemAllocationGranularityRecommended))
        return hipErrorInvalidValue;
    return device->ops->virtual_granularity(device->native, which, out_size);
}

hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop,
                                          hipMemAllocationGranularity_flags option)
{
    AH_ENTER(hipMemGetAllocationGranularity);
    return AH_LEAVE(get_granularity(granularity, prop, option));
}

static hipError_t create(hipMemGenericAllocationHandle_t *out_handle, size_t size,
                         const hipMemAllocationProp *properties, unsigned long long flags)
{
    struct ah_backend_memory *native;
    struct ah_device *device = properties_device(properties);
    if (!out_handle || size == 0 || flags != 0 || !device)
        return hipErrorInvalidValue;
    hipError_t error = device->ops->virtual_create(device->native, size, properties, &native);
    return error == hipSuccess ? wrap(device, native, size, properties, out_handle) : error;
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size,
                        const hipMemAllocationProp *prop, unsigned long long flags)
{
    AH_ENTER(hipMemCreate);
    return AH_LEAVE(create(handle, size, prop, flags));
}

static hipError_t release(hipMemGenericAllocationHandle_t handle)
{
    struct physical *memory;
    hipError_t error = check(handle, &memory);
    if (error != hipSuccess)
        return error;
    atomic_fetch_sub(&memory->handles, 1);
    return drop(memory);
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle)
{
    AH_ENTER(hipMemRelease);
    return AH_LEAVE(release(handle));
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *prop,
                                                   hipMemGenericAllocationHandle_t handle)
{
    struct physical *memory;
    AH_ENTER(hipMemGetAllocationPropertiesFromHandle);
    hipError_t error = check(handle, &memory);
    if (error != hipSuccess || !prop)
        return AH_LEAVE(hipErrorInvalidValue);
    *prop = memory->properties;
    return AH_LEAVE(hipSuccess);
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *addr)
{
    struct area mapping;
    AH_ENTER(hipMemRetainAllocationHandle);
    if (!handle || !addr || !find_area(&areas.mappings, addr, &mapping))
        return AH_LEAVE(hipErrorInvalidValue);
    atomic_fetch_add(&mapping.memory->handles, 1);
    atomic_fetch_add(&mapping.memory->references, 1);
    *handle = (hipMemGenericAllocationHandle_t)(void *)mapping.memory;
    return AH_LEAVE(hipSuccess);
}

hipError_t hipMemExportToShareableHandle(void *shareableHandle,
                                         hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType handleType,
                                         unsigned long long flags)
{
    struct physical *memory;
    AH_ENTER(hipMemExportToShareableHandle);
    hipError_t error = check(handle, &memory);
    if (error != hipSuccess || !shareableHandle || flags != 0)
        return AH_LEAVE(hipErrorInvalidValue);
    if (!(memory->properties.requestedHandleType & handleType)) {
        AH_LOG_ERR("the memory was not created to be shared in this way: set requestedHandleType");
        return AH_LEAVE(hipErrorInvalidValue);
    }
    struct ah_device *device = memory->handle.device;
    return AH_LEAVE(
        device->ops->virtual_export(device->native, memory->native, handleType, shareableHandle));
}

/* Since HIP 7.1 a file descriptor is passed as the pointer's value, as in CUDA, and before that as
 * the address of an int; the numbers of files are too low for addresses. */
static void *shared_handle(void *given, hipMemAllocationHandleType type)
{
    if (type == hipMemHandleTypePosixFileDescriptor && ah_memory_readable(given) >= sizeof(int))
        return (void *)(intptr_t) * (const int *)given;
    return given;
}

static hipError_t import(hipMemGenericAllocationHandle_t *out_handle, void *shared,
                         hipMemAllocationHandleType type)
{
    struct ah_backend_memory *native;
    struct ah_device *device = ah_device_current();
    if (!out_handle)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipMemAllocationProp properties = {
        .type = hipMemAllocationTypePinned,
        .requestedHandleType = type,
        .location = {.type = hipMemLocationTypeDevice, .id = device->ordinal},
    };
    hipError_t error =
        device->ops->virtual_import(device->native, shared_handle(shared, type), type, &native);
    return error == hipSuccess ? wrap(device, native, 0, &properties, out_handle) : error;
}

hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *osHandle,
                                           hipMemAllocationHandleType shHandleType)
{
    AH_ENTER(hipMemImportFromShareableHandle);
    return AH_LEAVE(import(handle, osHandle, shHandleType));
}

/* ---- addresses ------------------------------------------------------------------ */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static hipError_t reserve(void **out_pointer, size_t size, size_t alignment, void *hint,
                          unsigned long long flags)
{
    void *pointer;
    struct ah_device *device = ah_device_current();
    if (!out_pointer || flags != 0)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    if (size == 0 || size % page_size() != 0 || (alignment & (alignment - 1)) != 0)
        return hipErrorMemoryAllocation; /* as on AMD */
    hipError_t error =
        device->ops->virtual_reserve(device->native, size, alignment, hint, &pointer);
    if (error != hipSuccess)
        return error;
    if (!add_area(&areas.reservations, pointer, size, device, NULL)) {
        device->ops->virtual_release(device->native, pointer, size);
        return hipErrorOutOfMemory;
    }
    *out_pointer = pointer;
    return hipSuccess;
}

hipError_t hipMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr,
                                unsigned long long flags)
{
    AH_ENTER(hipMemAddressReserve);
    return AH_LEAVE(reserve(ptr, size, alignment, addr, flags));
}

static hipError_t unreserve(void *pointer, size_t size)
{
    struct area reservation;
    if (!pointer || size == 0 || has_mappings(pointer, size) ||
        !take_area(&areas.reservations, pointer, size, &reservation))
        return hipErrorInvalidValue;
    struct ah_device *device = reservation.device;
    hipError_t error = device->ops->virtual_release(device->native, pointer, size);
    if (error != hipSuccess)
        add_area(&areas.reservations, pointer, size, device, NULL);
    return error;
}

hipError_t hipMemAddressFree(void *devPtr, size_t size)
{
    AH_ENTER(hipMemAddressFree);
    return AH_LEAVE(unreserve(devPtr, size));
}

static hipError_t map(void *pointer, size_t size, size_t offset,
                      hipMemGenericAllocationHandle_t handle, unsigned long long flags)
{
    struct physical *memory;
    struct area reservation;
    hipError_t error = check(handle, &memory);
    if (error != hipSuccess || !pointer || size == 0 || offset != 0 || flags != 0)
        return hipErrorInvalidValue;
    if (!find_area(&areas.reservations, pointer, &reservation))
        return hipErrorInvalidValue;
    struct ah_device *device = memory->handle.device;
    error = device->ops->virtual_map(device->native, pointer, size, offset, memory->native);
    if (error != hipSuccess)
        return error;
    if (!add_area(&areas.mappings, pointer, size, device, memory)) {
        device->ops->virtual_unmap(device->native, pointer, size);
        return hipErrorInvalidValue;
    }
    atomic_fetch_add(&memory->references, 1);
    return hipSuccess;
}

hipError_t hipMemMap(void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags)
{
    AH_ENTER(hipMemMap);
    return AH_LEAVE(map(ptr, size, offset, handle, flags));
}

/* The size of the mapping that starts at address and ends by end; 0: there is none. */
static size_t whole_mapping(uintptr_t address, uintptr_t end)
{
    struct area mapping;
    if (!find_area(&areas.mappings, (void *)address, &mapping) || mapping.range.start != address ||
        mapping.range.size > end - address)
        return 0;
    return mapping.range.size;
}

static bool are_whole_mappings(uintptr_t start, uintptr_t end)
{
    size_t size = 1;
    for (uintptr_t address = start; address < end && size != 0; address += size)
        size = whole_mapping(address, end);
    return size != 0;
}

static hipError_t unmap_one(void *pointer, size_t size)
{
    struct area mapping;
    if (!take_area(&areas.mappings, pointer, size, &mapping))
        return hipErrorInvalidValue;
    struct ah_device *device = mapping.device;
    hipError_t error = device->ops->virtual_unmap(device->native, pointer, size);
    if (error == hipSuccess)
        return drop(mapping.memory);
    add_area(&areas.mappings, pointer, size, device, mapping.memory);
    return error;
}

static hipError_t unmap(void *pointer, size_t size)
{
    hipError_t error = hipSuccess;
    uintptr_t start = (uintptr_t)pointer, end = start + size;
    if (!pointer || size == 0 || end < start)
        return hipErrorInvalidValue;
    if (!are_whole_mappings(start, end)) {
        AH_LOG_ERR("no mapping begins at %p, or it ends beyond %p", pointer, (void *)end);
        return hipErrorInvalidValue;
    }
    for (uintptr_t address = start; address < end && error == hipSuccess; address += size) {
        size = whole_mapping(address, end);
        error = unmap_one((void *)address, size);
    }
    return error;
}

hipError_t hipMemUnmap(void *ptr, size_t size)
{
    AH_ENTER(hipMemUnmap);
    return AH_LEAVE(unmap(ptr, size));
}

/* The device of a location, if it is one of the mapping's driver. */
static struct ah_device *location_device(const struct area *mapping, const hipMemLocation *location)
{
    struct ah_device *device =
        location->type == hipMemLocationTypeDevice ? ah_device_at(location->id) : NULL;
    return device && device->driver == mapping->device->driver ? device : NULL;
}

static hipError_t set_access(void *pointer, size_t size, const hipMemAccessDesc *list, size_t count)
{
    struct area mapping;
    hipError_t error = hipSuccess;
    if (!pointer || size == 0 || !list || count == 0 ||
        !find_area(&areas.mappings, pointer, &mapping))
        return hipErrorInvalidValue;
    for (size_t i = 0; i < count && error == hipSuccess; i++) {
        struct ah_device *device = location_device(&mapping, &list[i].location);
        error = device ? device->ops->virtual_set_access(mapping.device->native, pointer, size,
                                                         device->native, list[i].flags)
                       : hipErrorInvalidValue;
    }
    return error;
}

hipError_t hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count)
{
    AH_ENTER(hipMemSetAccess);
    return AH_LEAVE(set_access(ptr, size, desc, count));
}

static hipError_t get_access(unsigned long long *out_flags, const hipMemLocation *location,
                             void *pointer)
{
    struct area mapping;
    hipMemAccessFlags access;
    if (!out_flags || !location || !pointer || !find_area(&areas.mappings, pointer, &mapping))
        return hipErrorInvalidValue;
    struct ah_device *device = location_device(&mapping, location);
    if (!device)
        return hipErrorInvalidValue;
    hipError_t error =
        device->ops->virtual_get_access(mapping.device->native, pointer, device->native, &access);
    if (error == hipSuccess)
        *out_flags = (unsigned long long)access;
    return error;
}

hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr)
{
    AH_ENTER(hipMemGetAccess);
    return AH_LEAVE(get_access(flags, location, ptr));
}
