/* Owns the memory of allocation nodes: addresses, what is mapped there, and how much of a device's
 * memory it is. */
#include "graph_allocation.h"
#include "api.h"
#include "api_arguments.h"
#include "graph_memory.h"

#include <stdlib.h>
#include <string.h>

/* Of one device, bytes. */
struct usage {
    uint64_t used, used_high, reserved, reserved_high;
};

static struct {
    pthread_mutex_t lock;
    struct ah_graph_allocation *first;
    struct usage *usage; /* by the ordinal of the device; NULL: there was no allocation yet */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ah_graph_allocations_lock(void)
{
    pthread_mutex_lock(&all.lock);
}

void ah_graph_allocations_unlock(void)
{
    pthread_mutex_unlock(&all.lock);
}

/* ---- how much ----------------------------------------------------------------------------- */

static struct usage *usage_of(const struct ah_device *device)
{
    if (!all.usage)
        all.usage = calloc((size_t)ah_registry.device_count, sizeof *all.usage);
    return all.usage ? &all.usage[device->ordinal] : NULL;
}

static void count(uint64_t *value, uint64_t *high, uint64_t size, bool more)
{
    *value += more ? size : 0 - size;
    if (*value > *high)
        *high = *value;
}

static void count_used(const struct ah_graph_allocation *allocation, bool more)
{
    struct usage *usage = usage_of(allocation->device);
    count(&usage->used, &usage->used_high, allocation->reserved, more);
}

static void count_reserved(const struct ah_graph_allocation *allocation, bool more)
{
    struct usage *usage = usage_of(allocation->device);
    count(&usage->reserved, &usage->reserved_high, allocation->reserved, more);
    ah_memory_count_graphs(allocation->device, usage->reserved);
}

void ah_graph_allocation_set(struct ah_graph_allocation *allocation, bool allocated)
{
    if (allocation->allocated != allocated)
        count_used(allocation, allocated);
    allocation->allocated = allocated;
}

/* ---- the driver's memory ------------------------------------------------------------------ */

static hipError_t free_allocated(void *pointer, struct ah_stream *stream);

/* The map of allocations knows it from the beginning, so that nodes which use it find its device.
 */
static hipError_t register_address(const struct ah_graph_allocation *allocation)
{
    return ah_memory_register(&(struct ah_allocation){
        .range = {.start = (uintptr_t)allocation->address, .size = allocation->size},
        .device = allocation->device,
        .kind = AH_MEMORY_DEVICE,
        .origin = AH_ORIGIN_GRAPH,
        .free = free_allocated,
    });
}

static hipError_t set_access(const struct ah_graph_allocation *allocation)
{
    struct ah_device *device = allocation->device;
    hipError_t error =
        device->ops->virtual_set_access(device->native, allocation->address, allocation->reserved,
                                        device->native, hipMemAccessFlagsProtReadWrite);
    for (size_t i = 0; i < allocation->access_count && error == hipSuccess; i++) {
        struct ah_device *other = ah_device_at(allocation->access[i].location.id);
        if (other != device)
            error = device->ops->virtual_set_access(device->native, allocation->address,
                                                    allocation->reserved, other->native,
                                                    allocation->access[i].flags);
    }
    return error;
}

/* Takes away what map put there, as far as it came. What the driver fails to free stays, and is
 * tried again by the next call; what it does not have is gone, with its error. */
static hipError_t unmap(struct ah_graph_allocation *allocation)
{
    struct ah_device *device = allocation->device;
    hipError_t first = hipSuccess, error = hipSuccess;
    allocation->accessible = false;
    if (allocation->mapped)
        first =
            device->ops->virtual_unmap(device->native, allocation->address, allocation->reserved);
    if (ah_free_failed(first))
        return first;
    allocation->denied |= first != hipSuccess;
    allocation->mapped = false;
    if (allocation->memory)
        error = device->ops->virtual_destroy(device->native, allocation->memory);
    if (ah_free_failed(error))
        return error;
    if (allocation->memory && !allocation->lost)
        count_reserved(allocation, false);
    allocation->memory = NULL;
    return first == hipSuccess ? error : first;
}

static hipError_t map(struct ah_graph_allocation *allocation)
{
    struct ah_device *device = allocation->device;
    const struct ah_backend_ops *ops = device->ops;
    hipMemAllocationProp properties = {
        .type = hipMemAllocationTypePinned,
        .location = {.type = hipMemLocationTypeDevice, .id = device->ordinal},
    };
    hipError_t error = unmap(allocation); /* what is left of an earlier attempt */
    if (error == hipSuccess)
        error = ops->virtual_create(device->native, allocation->reserved, &properties,
                                    &allocation->memory);
    if (error != hipSuccess)
        return error;
    count_reserved(allocation, true);
    error = ops->virtual_map(device->native, allocation->address, allocation->reserved, 0,
                             allocation->memory);
    allocation->mapped = error == hipSuccess;
    if (error == hipSuccess)
        error = set_access(allocation);
    if (error == hipSuccess)
        allocation->accessible = true;
    else
        unmap(allocation);
    return error;
}

/* ---- what ends ---------------------------------------------------------------------------- */

static bool is_registered(const struct ah_graph_allocation *allocation)
{
    struct ah_allocation known;
    return ah_memory_find(allocation->address, &known) &&
           known.range.start == (uintptr_t)allocation->address && known.free == free_allocated;
}

/* A reset has freed what the device's driver had but for mappings, and removed the allocation from
 * the map; nothing tells this file of resets, which happen below it. */
static void notice_reset(struct ah_graph_allocation *allocation)
{
    if (allocation->lost || is_registered(allocation))
        return;
    ah_graph_allocation_set(allocation, false);
    if (allocation->memory || !allocation->is_virtual)
        count_reserved(allocation, false);
    allocation->lost = true;
    allocation->pending = false;
    allocation->event = NULL;
}

static void notice_resets(void)
{
    for (struct ah_graph_allocation *it = all.first; it; it = it->next)
        notice_reset(it);
}

/* Whether no work uses memory that is freed. */
static bool is_unused(struct ah_graph_allocation *allocation)
{
    if (allocation->pending && allocation->event &&
        allocation->event_device->ops->event_query(allocation->event_device->native,
                                                   allocation->event) == hipSuccess)
        allocation->pending = false;
    return !allocation->allocated && !allocation->pending;
}

/* Frees an allocation that nothing needs. What the driver fails to free stays in the list. */
static hipError_t destroy(struct ah_graph_allocation *allocation)
{
    struct ah_device *device = allocation->device;
    struct ah_allocation known;
    hipError_t error = hipSuccess, unmapped = unmap(allocation);
    if (ah_free_failed(unmapped))
        return unmapped;
    if (allocation->event)
        error = allocation->event_device->ops->event_destroy(allocation->event_device->native,
                                                             allocation->event);
    if (ah_free_failed(error))
        return error;
    allocation->event = NULL;
    if (allocation->is_virtual)
        error =
            device->ops->virtual_release(device->native, allocation->address, allocation->reserved);
    else if (!allocation->lost)
        error = device->ops->memory_free(device->native, allocation->address);
    if (ah_free_failed(error)) {
        /* A driver that denied the mapping, and now keeps the addresses, has it after all. */
        allocation->mapped = allocation->denied;
        return error;
    }
    if (is_registered(allocation))
        ah_memory_unregister(allocation->address, &known);
    if (!allocation->is_virtual && !allocation->lost)
        count_reserved(allocation, false);
    struct ah_graph_allocation **link = &all.first;
    while (*link != allocation)
        link = &(*link)->next;
    *link = allocation->next;
    free(allocation->access);
    free(allocation);
    return unmapped == hipSuccess ? error : unmapped;
}

/* Waits for the end of a use that no event could be recorded behind. */
static void settle(struct ah_graph_allocation *allocation)
{
    const struct ah_device *device = allocation->event_device;
    if (allocation->pending && !allocation->event &&
        device->ops->device_synchronize(device->native) == hipSuccess)
        allocation->pending = false;
}

/* Gives back what is unused. Returns the first error. */
static hipError_t trim(const struct ah_device *device)
{
    hipError_t first = hipSuccess;
    for (struct ah_graph_allocation *it = all.first, *next; it; it = next) {
        next = it->next;
        notice_reset(it);
        if (it->device != device)
            continue;
        settle(it);
        if (!is_unused(it))
            continue;
        hipError_t error = it->references == 0 ? destroy(it) : unmap(it);
        first = first == hipSuccess ? error : first;
    }
    return first;
}

/* ---- allocations -------------------------------------------------------------------------- */

bool ah_graph_memory_has(const void *pointer)
{
    struct ah_allocation known;
    return ah_memory_find(pointer, &known) && known.origin == AH_ORIGIN_GRAPH;
}

hipError_t ah_graph_allocation_map(struct ah_graph_allocation *allocation)
{
    notice_reset(allocation);
    if (allocation->lost) {
        AH_LOG_ERR("the memory at %p was lost with a reset of its device: the graph has to be "
                   "built anew",
                   allocation->address);
        return hipErrorInvalidValue;
    }
    if (!allocation->is_virtual || allocation->accessible)
        return hipSuccess;
    hipError_t error = map(allocation);
    if (error != hipErrorOutOfMemory)
        return error;
    trim(allocation->device);
    return map(allocation);
}

/* On the stream's device; a failure leaves the use without an end that is known. */
void ah_graph_allocation_used(struct ah_graph_allocation *allocation, struct ah_stream *stream)
{
    struct ah_device *device = stream->handle.device;
    struct ah_backend_stream *native;
    allocation->pending = true;
    if (allocation->event && allocation->event_device != device) {
        allocation->event_device->ops->event_destroy(allocation->event_device->native,
                                                     allocation->event);
        allocation->event = NULL;
    }
    allocation->event_device = device;
    hipError_t error = ah_stream_native(stream, &native);
    if (error == hipSuccess && !allocation->event)
        error =
            device->ops->event_create(device->native, hipEventDisableTiming, &allocation->event);
    if (error == hipSuccess)
        error = device->ops->event_record(device->native, allocation->event, native);
    if (error != hipSuccess && allocation->event) {
        device->ops->event_destroy(device->native, allocation->event);
        allocation->event = NULL;
    }
}

/* Only a device without virtual memory management has none. */
static hipError_t reserve(struct ah_graph_allocation *allocation)
{
    struct ah_device *device = allocation->device;
    size_t unit = 0, total, available;
    hipError_t error = device->ops->device_memory_info(device->native, &available, &total);
    if (error != hipSuccess)
        return error;
    if (allocation->size > total) {
        AH_LOG_ERR("%zu bytes are more than the device has: %zu", allocation->size, total);
        return hipErrorOutOfMemory;
    }
    error = device->ops->virtual_granularity(device->native, hipMemAllocationGranularityRecommended,
                                             &unit);
    if (error == hipSuccess && unit > 0) {
        allocation->reserved = (allocation->size + unit - 1) / unit * unit;
        error = device->ops->virtual_reserve(device->native, allocation->reserved, 0, NULL,
                                             &allocation->address);
        allocation->is_virtual = error == hipSuccess;
    }
    if (error != hipErrorNotSupported)
        return error;
    allocation->reserved = allocation->size;
    error = device->ops->memory_alloc(device->native, allocation->size, 0, &allocation->address);
    if (error == hipSuccess)
        count_reserved(allocation, true);
    return error;
}

static bool is_alike(struct ah_graph_allocation *allocation, const struct ah_device *device,
                     size_t size, const hipMemAccessDesc *access, size_t access_count)
{
    return allocation->references == 0 && !allocation->lost && allocation->device == device &&
           allocation->size == size && allocation->access_count == access_count &&
           (access_count == 0 ||
            memcmp(allocation->access, access, access_count * sizeof *access) == 0) &&
           is_unused(allocation);
}

static struct ah_graph_allocation *reuse(struct ah_device *device, size_t size,
                                         const hipMemAccessDesc *access, size_t access_count)
{
    notice_resets();
    for (struct ah_graph_allocation *it = all.first; it; it = it->next)
        if (is_alike(it, device, size, access, access_count)) {
            it->references = 1;
            return it;
        }
    return NULL;
}

static hipError_t create(struct ah_device *device, size_t size, const hipMemAccessDesc *access,
                         size_t access_count, struct ah_graph_allocation **out_allocation)
{
    struct ah_graph_allocation *made = calloc(1, sizeof *made);
    hipMemAccessDesc *copy = calloc(access_count + 1, sizeof *copy);
    hipError_t error = hipErrorOutOfMemory;
    if (made && copy && usage_of(device)) {
        if (access_count > 0)
            memcpy(copy, access, access_count * sizeof *copy);
        *made = (struct ah_graph_allocation){.device = device,
                                             .size = size,
                                             .access = copy,
                                             .access_count = access_count,
                                             .references = 1};
        error = reserve(made);
    }
    if (error != hipSuccess) {
        free(copy);
        free(made);
        return error;
    }
    made->next = all.first;
    all.first = made;
    error = register_address(made);
    if (error != hipSuccess) {
        destroy(made);
        return error;
    }
    *out_allocation = made;
    return hipSuccess;
}

hipError_t ah_graph_allocation_create(struct ah_device *device, size_t size,
                                      const hipMemAccessDesc *access, size_t access_count,
                                      struct ah_graph_allocation **out_allocation)
{
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&all.lock);
    *out_allocation = reuse(device, size, access, access_count);
    if (!*out_allocation)
        error = create(device, size, access, access_count, out_allocation);
    pthread_mutex_unlock(&all.lock);
    return error;
}

/* Under the lock. */
static struct ah_graph_allocation *find(const void *address)
{
    struct ah_graph_allocation *it = all.first;
    while (it && (it->address != address || it->lost))
        it = it->next;
    if (it)
        notice_reset(it);
    return it && !it->lost ? it : NULL;
}

struct ah_graph_allocation *ah_graph_allocation_find(void *address, bool for_free_node)
{
    pthread_mutex_lock(&all.lock);
    struct ah_graph_allocation *it = find(address);
    if (it && it->references == 0 && !it->allocated)
        it = NULL; /* it waits to be used again */
    if (it && for_free_node && it->has_free_node)
        it = NULL;
    if (it) {
        it->references++;
        it->has_free_node |= for_free_node;
    }
    pthread_mutex_unlock(&all.lock);
    return it;
}

struct ah_graph_allocation *ah_graph_allocation_retain(struct ah_graph_allocation *allocation)
{
    pthread_mutex_lock(&all.lock);
    allocation->references++;
    pthread_mutex_unlock(&all.lock);
    return allocation;
}

/* Memory that was never mapped is only an address, of which there are many. Freeing memory that is
 * mapped may wait for the device: that is left to trim. */
void ah_graph_allocation_release(struct ah_graph_allocation *allocation)
{
    pthread_mutex_lock(&all.lock);
    notice_reset(allocation);
    if (--allocation->references == 0 && !allocation->allocated && !allocation->memory &&
        is_unused(allocation))
        destroy(allocation);
    pthread_mutex_unlock(&all.lock);
}

/* ---- hipFree and hipFreeAsync ------------------------------------------------------------- */

static hipError_t free_allocated(void *pointer, struct ah_stream *stream)
{
    hipError_t error = hipErrorInvalidValue;
    struct ah_allocation known;
    if (!stream && ah_memory_find(pointer, &known)) {
        error = known.device->ops->device_synchronize(known.device->native);
        if (error != hipSuccess)
            return error;
    }
    pthread_mutex_lock(&all.lock);
    struct ah_graph_allocation *it = find(pointer);
    if (it && it->allocated) {
        ah_graph_allocation_set(it, false);
        if (stream)
            ah_graph_allocation_used(it, stream);
        else
            it->pending = false;
        error = hipSuccess;
    } else {
        AH_LOG_ERR("%p is memory of a graph, and no launch has allocated it, or it was freed "
                   "already",
                   pointer);
        error = hipErrorInvalidValue;
    }
    pthread_mutex_unlock(&all.lock);
    return error;
}

/* ---- what an application sees of it ------------------------------------------------------- */

static hipError_t attribute_of(int ordinal, hipGraphMemAttributeType attribute, uint64_t **out)
{
    const struct ah_device *device = ah_device_at(ordinal);
    if (!device)
        return ah_device_missing_error();
    struct usage *usage = usage_of(device);
    if (!usage)
        return hipErrorOutOfMemory;
    switch ((int)attribute) {
    case hipGraphMemAttrUsedMemCurrent:
        *out = &usage->used;
        return hipSuccess;
    case hipGraphMemAttrUsedMemHigh:
        *out = &usage->used_high;
        return hipSuccess;
    case hipGraphMemAttrReservedMemCurrent:
        *out = &usage->reserved;
        return trim(device);
    case hipGraphMemAttrReservedMemHigh:
        *out = &usage->reserved_high;
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

/* HIP's own implementation keeps nothing that is unused once the host has waited for it, and
 * programs expect that of the memory that is reserved. */
static hipError_t get_attribute(int ordinal, hipGraphMemAttributeType attribute, uint64_t *out)
{
    uint64_t *value = NULL;
    pthread_mutex_lock(&all.lock);
    notice_resets();
    hipError_t error = attribute_of(ordinal, attribute, &value);
    if (error == hipSuccess && value && out)
        *out = *value;
    pthread_mutex_unlock(&all.lock);
    return error == hipSuccess && !out ? hipErrorInvalidValue : error;
}

hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value)
{
    AH_ENTER(hipDeviceGetGraphMemAttribute);
    return AH_LEAVE(get_attribute(device, attr, value));
}

/* The highest value so far begins anew with the current one. */
static hipError_t set_attribute(int ordinal, hipGraphMemAttributeType attribute,
                                const uint64_t *value)
{
    uint64_t *high = NULL, *current = NULL;
    if (!ah_device_at(ordinal))
        return ah_device_missing_error();
    if (!value ||
        (attribute != hipGraphMemAttrUsedMemHigh && attribute != hipGraphMemAttrReservedMemHigh) ||
        *value != 0)
        return hipErrorInvalidValue;
    pthread_mutex_lock(&all.lock);
    notice_resets();
    hipError_t error = attribute_of(ordinal, attribute, &high);
    if (error == hipSuccess)
        error = attribute_of(ordinal,
                             attribute == hipGraphMemAttrUsedMemHigh
                                 ? hipGraphMemAttrUsedMemCurrent
                                 : hipGraphMemAttrReservedMemCurrent,
                             &current);
    if (error == hipSuccess && high && current)
        *high = *current;
    pthread_mutex_unlock(&all.lock);
    return error;
}

hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value)
{
    AH_ENTER(hipDeviceSetGraphMemAttribute);
    return AH_LEAVE(set_attribute(device, attr, value));
}

hipError_t hipDeviceGraphMemTrim(int device)
{
    AH_ENTER(hipDeviceGraphMemTrim);
    if (!ah_device_at(device))
        return AH_LEAVE(ah_device_missing_error());
    pthread_mutex_lock(&all.lock);
    hipError_t error = trim(ah_device_at(device));
    pthread_mutex_unlock(&all.lock);
    return AH_LEAVE(error);
}
