/* Owns the map of allocations. */
#include "memory.h"
#include "clocks.h"
#include "handle.h"
#include "log.h"

#include <stdatomic.h>
#include <stdlib.h>

static struct {
    pthread_rwlock_t lock;
    struct ah_ranges ranges;
    _Atomic(bool) has_synchronous;
} memory = {.lock = PTHREAD_RWLOCK_INITIALIZER};

_Thread_local struct ah_memory_latest ah_memory_latest;
_Alignas(64) _Atomic(uint64_t) ah_memory_removals; /* a line of its own: freeing writes it */

/* The lock is held. */
static void remove_range(struct ah_range *range)
{
    ah_ranges_remove(&memory.ranges, range);
    atomic_fetch_add_explicit(&ah_memory_removals, 1, memory_order_relaxed);
}

static struct ah_allocation *at(uintptr_t start)
{
    struct ah_range *range = ah_ranges_find(&memory.ranges, start);
    return range && range->start == start ? (struct ah_allocation *)(void *)range : NULL;
}

static struct ah_allocation *opened_before(const struct ah_allocation *allocation)
{
    struct ah_allocation *there = at(allocation->range.start);
    bool may_be_known = allocation->origin == AH_ORIGIN_IPC || allocation->imported;
    return there && may_be_known && there->origin == allocation->origin ? there : NULL;
}

/* Counts what a device has more or less. That of graphs comes and goes without a call, and graphs
 * count it (ah_memory_count_graphs). The lock is held. */
static void count(const struct ah_allocation *allocation, bool added)
{
    struct ah_memory_use *use = &allocation->device->memory_use;
    uint64_t size = added ? allocation->range.size : (uint64_t)0 - allocation->range.size;
    if (allocation->origin == AH_ORIGIN_GRAPH)
        return;
    if (allocation->origin == AH_ORIGIN_IPC)
        use->opened += size;
    else if (allocation->kind == AH_MEMORY_DEVICE)
        use->device += size;
    else if (allocation->kind == AH_MEMORY_MANAGED)
        use->managed += size;
    else
        use->host += size;
}

/* The lock is held; tell does the rest without it. */
static void note_use(struct ah_device *device, struct ah_memory_use *out_use, uint64_t *out_time)
{
    *out_use = device->memory_use;
    *out_time = ah_observe_commands() ? ah_clock_now() : 0;
}

static void tell(struct ah_device *device, const struct ah_memory_use *use, uint64_t time)
{
    if (time)
        ah_observe_memory(device, use, time);
}

hipError_t ah_memory_register(const struct ah_allocation *allocation)
{
    struct ah_memory_use use;
    uint64_t time = 0;
    struct ah_allocation *copy = malloc(sizeof *copy);
    if (!copy)
        return hipErrorOutOfMemory;
    *copy = *allocation;
    pthread_rwlock_wrlock(&memory.lock);
    bool added = ah_ranges_insert(&memory.ranges, &copy->range);
    struct ah_allocation *opened = added ? NULL : opened_before(allocation);
    if (opened)
        opened->reopened++;
    if (added) {
        count(copy, true);
        note_use(copy->device, &use, &time);
    }
    pthread_rwlock_unlock(&memory.lock);
    if (!added)
        free(copy);
    else
        tell(allocation->device, &use, time);
    return added || opened ? hipSuccess : hipErrorHostMemoryAlreadyRegistered;
}

void ah_memory_count_graphs(struct ah_device *device, uint64_t bytes)
{
    struct ah_memory_use use;
    uint64_t time;
    pthread_rwlock_wrlock(&memory.lock);
    device->memory_use.graphs = bytes;
    note_use(device, &use, &time);
    pthread_rwlock_unlock(&memory.lock);
    tell(device, &use, time);
}

bool ah_memory_find(const void *pointer, struct ah_allocation *out)
{
    pthread_rwlock_rdlock(&memory.lock);
    const struct ah_range *range = ah_ranges_find(&memory.ranges, (uintptr_t)pointer);
    if (range)
        *out = *(const struct ah_allocation *)(const void *)range;
    pthread_rwlock_unlock(&memory.lock);
    return range != NULL;
}

static bool holds(const struct ah_range *range, const void *pointer, size_t size)
{
    return !range || size <= range->size - ((uintptr_t)pointer - range->start);
}

/* Under the lock. Where there are several drivers, every copy is routed. */
static void note_latest(const struct ah_range *dst, const struct ah_range *src)
{
    if (!dst || !src || ah_registry.mixed_drivers)
        return;
    ah_memory_latest = (struct ah_memory_latest){
        .removals = atomic_load_explicit(&ah_memory_removals, memory_order_relaxed),
        .ends = {{dst->start, dst->size}, {src->start, src->size}},
    };
}

bool ah_memory_holds(const void *dst, const void *src, size_t size, bool *out_known)
{
    pthread_rwlock_rdlock(&memory.lock);
    const struct ah_range *to = ah_ranges_find(&memory.ranges, (uintptr_t)dst);
    const struct ah_range *from = ah_ranges_find(&memory.ranges, (uintptr_t)src);
    bool good = holds(to, dst, size) && holds(from, src, size);
    *out_known = to || from;
    note_latest(to, from);
    pthread_rwlock_unlock(&memory.lock);
    return good;
}

bool ah_memory_unregister(const void *pointer, struct ah_allocation *out)
{
    struct ah_memory_use use;
    uint64_t time = 0;
    pthread_rwlock_wrlock(&memory.lock);
    struct ah_allocation *allocation = at((uintptr_t)pointer);
    bool last = allocation && allocation->reopened == 0;
    if (allocation)
        *out = *allocation;
    if (last) {
        remove_range(&allocation->range);
        count(allocation, false);
        note_use(allocation->device, &use, &time);
    } else if (allocation) {
        allocation->reopened--;
    }
    pthread_rwlock_unlock(&memory.lock);
    if (last) {
        free(allocation);
        tell(out->device, &use, time);
    }
    return allocation != NULL;
}

hipError_t ah_memory_finish_free(const struct ah_allocation *allocation, hipError_t error)
{
    if (ah_free_failed(error) && !ah_memory_register(allocation))
        AH_LOG_ERR("%p stays allocated until its device is reset", (void *)allocation->range.start);
    return error;
}

void ah_memory_release_device(struct ah_device *device)
{
    struct ah_memory_use use;
    uint64_t time;
    pthread_rwlock_wrlock(&memory.lock);
    struct ah_range *range = ah_ranges_above(&memory.ranges, 0);
    while (range) {
        struct ah_range *next = ah_ranges_above(&memory.ranges, range->start);
        struct ah_allocation *allocation = (struct ah_allocation *)(void *)range;
        if (allocation->device == device) {
            count(allocation, false);
            remove_range(range);
            free(allocation);
        }
        range = next;
    }
    note_use(device, &use, &time);
    pthread_rwlock_unlock(&memory.lock);
    tell(device, &use, time);
}

static void describe_known(const struct ah_allocation *allocation, const void *pointer,
                           struct ah_pointer_info *out)
{
    size_t offset = (uintptr_t)pointer - allocation->range.start;
    bool on_host = allocation->kind != AH_MEMORY_DEVICE;
    *out = (struct ah_pointer_info){
        .kind = allocation->kind,
        .device_index = allocation->device->index,
        .base = (void *)allocation->range.start,
        .size = allocation->range.size,
        .host_pointer = on_host ? (void *)(uintptr_t)pointer : NULL,
        .device_pointer = allocation->device_pointer ? (char *)allocation->device_pointer + offset
                                                     : (void *)(uintptr_t)pointer,
    };
}

struct ah_device *ah_memory_describe(const void *pointer, struct ah_pointer_info *out_info)
{
    struct ah_allocation allocation;
    if (ah_memory_find(pointer, &allocation)) {
        describe_known(&allocation, pointer, out_info);
        return allocation.device;
    }
    *out_info = (struct ah_pointer_info){.kind = AH_MEMORY_UNKNOWN, .device_index = -1};
    const struct ah_driver *asked = NULL;
    for (int i = 0; i < ah_registry.device_count; i++) {
        struct ah_device *device = &ah_registry.devices[i];
        if (device->driver == asked)
            continue;
        asked = device->driver;
        device->ops->pointer_info(device->native, pointer, out_info);
        if (out_info->kind != AH_MEMORY_UNKNOWN) {
            struct ah_device *owner = ah_device_of_driver(asked, out_info->device_index);
            return owner ? owner : device;
        }
    }
    return NULL;
}

struct ah_device *ah_memory_owner(const void *pointer)
{
    struct ah_pointer_info info;
    struct ah_device *device = ah_memory_describe(pointer, &info);
    return info.kind == AH_MEMORY_DEVICE || info.kind == AH_MEMORY_MANAGED ? device : NULL;
}

void ah_memory_has_synchronous(void)
{
    atomic_store_explicit(&memory.has_synchronous, true, memory_order_relaxed);
}

bool ah_memory_is_synchronous(const void *pointer)
{
    struct ah_pointer_info info;
    uint64_t value = 0;
    if (!atomic_load_explicit(&memory.has_synchronous, memory_order_relaxed))
        return false;
    struct ah_device *device = ah_memory_describe(pointer, &info);
    return device &&
           device->ops->pointer_attribute(device->native, &value, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                                          pointer) == hipSuccess &&
           value != 0;
}
