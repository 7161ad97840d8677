/* Owns managed memory: host memory that every device can access, and the advice for ranges of it.
 * Advice and prefetches move no memory; they are stored, and can be queried. */
#include "hsa_allocation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The advice for [start, end) of an allocation. */
struct part {
    size_t start, end;
    bool read_mostly, coarse;
    int preferred;        /* device index, hipCpuDeviceId, or hipInvalidDeviceId */
    int prefetched;       /* likewise */
    uint64_t accessed_by; /* devices by index */
    bool accessed_by_host;
};

struct ahhsa_managed {
    struct part *parts; /* in order, without gaps */
    size_t count, room;
};

void ahhsa_managed_destroy(struct ahhsa_managed *managed)
{
    if (managed)
        free(managed->parts);
    free(managed);
}

static struct ahhsa_managed *create(size_t size)
{
    enum { ROOM = 4 };
    struct ahhsa_managed *managed = calloc(1, sizeof *managed);
    if (managed)
        managed->parts = calloc(ROOM, sizeof *managed->parts);
    if (!managed || !managed->parts) {
        ahhsa_managed_destroy(managed);
        return NULL;
    }
    managed->parts[0] = (struct part){
        .end = size, .preferred = hipInvalidDeviceId, .prefetched = hipInvalidDeviceId};
    managed->count = 1;
    managed->room = ROOM;
    return managed;
}

hipError_t ahhsa_managed_alloc(struct ah_backend_device *device, size_t size, unsigned flags,
                               void **out_pointer)
{
    void *pointer;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_raw_alloc_shared(device, device->pools.host_fine, size, &pointer);
    if (error != hipSuccess)
        return error;
    struct ahhsa_allocation *allocation =
        ahhsa_allocation_create(device, pointer, size, AH_MEMORY_MANAGED, AHHSA_PLAIN);
    if (allocation && (allocation->managed = create(size))) {
        allocation->flags = flags;
        if (ahhsa_memory_add(device->backend, allocation)) {
            *out_pointer = pointer;
            return hipSuccess;
        }
    }
    if (allocation)
        ahhsa_managed_destroy(allocation->managed);
    free(allocation);
    ahhsa_raw_free(device, pointer);
    return hipErrorOutOfMemory;
}

/* ---- parts ------------------------------------------------------------------------------ */

/* Splits the part that contains offset, so that one begins there. False: out of memory. */
static bool split(struct ahhsa_managed *managed, size_t offset)
{
    size_t i = 0;
    while (i < managed->count && managed->parts[i].end <= offset)
        i++;
    if (i == managed->count || managed->parts[i].start == offset)
        return true;
    if (managed->count == managed->room) {
        struct part *parts = realloc(managed->parts, 2 * managed->room * sizeof *parts);
        if (!parts)
            return false;
        managed->parts = parts;
        managed->room *= 2;
    }
    struct part *part = &managed->parts[i];
    memmove(part + 1, part, (managed->count - i) * sizeof *part);
    managed->count++;
    part[0].end = part[1].start = offset;
    return true;
}

static bool parts_are_equal(const struct part *a, const struct part *b)
{
    return a->read_mostly == b->read_mostly && a->coarse == b->coarse &&
           a->preferred == b->preferred && a->prefetched == b->prefetched &&
           a->accessed_by == b->accessed_by && a->accessed_by_host == b->accessed_by_host;
}

static void merge_equal_parts(struct ahhsa_managed *managed)
{
    size_t kept = 0;
    for (size_t i = 1; i < managed->count; i++)
        if (parts_are_equal(&managed->parts[kept], &managed->parts[i]))
            managed->parts[kept].end = managed->parts[i].end;
        else
            managed->parts[++kept] = managed->parts[i];
    managed->count = kept + 1;
}

/* A change of parts: advice, or a prefetch. */
struct change {
    uintptr_t start;
    size_t size;
    bool prefetch;
    hipMemoryAdvise advice;
    int location; /* device index or hipCpuDeviceId */
    hipError_t error;
};

static void change_part(struct part *part, const struct change *change)
{
    bool host = change->location == hipCpuDeviceId;
    uint64_t bit = host ? 0 : (uint64_t)1 << change->location;
    if (change->prefetch) {
        part->prefetched = change->location;
        return;
    }
    switch ((int)change->advice) {
    case hipMemAdviseSetReadMostly:
    case hipMemAdviseUnsetReadMostly:
        part->read_mostly = change->advice == hipMemAdviseSetReadMostly;
        break;
    case hipMemAdviseSetPreferredLocation:
        part->preferred = change->location;
        break;
    case hipMemAdviseUnsetPreferredLocation:
        part->preferred = hipInvalidDeviceId;
        break;
    case hipMemAdviseSetAccessedBy:
        part->accessed_by |= bit;
        part->accessed_by_host |= host;
        break;
    case hipMemAdviseUnsetAccessedBy:
        part->accessed_by &= ~bit;
        part->accessed_by_host &= !host;
        break;
    default:
        part->coarse = (int)change->advice == hipMemAdviseSetCoarseGrain;
        break;
    }
}

/* Of offsets in an allocation, which begins at a page. Its last page may end beyond it. */
static void round_to_pages(size_t *start, size_t *end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *start -= *start % page;
    *end += (page - *end % page) % page;
}

static void change_parts(struct ahhsa_allocation *allocation, void *data)
{
    struct change *change = data;
    struct ahhsa_managed *managed = allocation->managed;
    size_t start = change->start - allocation->range.start, end = start + change->size;
    if (!managed || end > allocation->range.size) {
        change->error = hipErrorInvalidValue;
        return;
    }
    round_to_pages(&start, &end);
    if (!split(managed, start) || !split(managed, end)) {
        change->error = hipErrorOutOfMemory;
        return;
    }
    for (size_t i = 0; i < managed->count; i++)
        if (managed->parts[i].start >= start && managed->parts[i].end <= end)
            change_part(&managed->parts[i], change);
    merge_equal_parts(managed);
}

static hipError_t apply(struct ah_backend_device *device, struct change *change)
{
    if (!ahhsa_memory_update(device->backend, (void *)change->start, change_parts, change))
        return hipErrorInvalidValue;
    return change->error;
}

/* ---- entries of the backend ------------------------------------------------------------- */

/* Every device can access the memory where it is, so that nothing is queued. */
hipError_t ahhsa_managed_prefetch(struct ah_backend_device *device, const void *pointer,
                                  size_t size, struct ah_backend_device *location,
                                  struct ah_backend_stream *stream)
{
    struct change change = {
        .start = (uintptr_t)pointer,
        .size = size,
        .prefetch = true,
        .location = location ? location->index : hipCpuDeviceId,
    };
    hipError_t error = ahhsa_enter(device);
    (void)stream;
    return error == hipSuccess ? apply(device, &change) : error;
}

/* Memory of the host that every device uses where it is has nothing to gain from being discarded:
 * its contents stay. */
hipError_t ahhsa_managed_batch(struct ah_backend_device *device,
                               const struct ah_managed_batch *batch,
                               struct ah_backend_stream *stream)
{
    hipError_t error = ahhsa_enter(device);
    for (size_t i = 0; i < batch->count && error == hipSuccess && batch->prefetches; i++)
        error = ahhsa_managed_prefetch(device, batch->pointers[i], batch->sizes[i],
                                       batch->locations[i], stream);
    return error;
}

hipError_t ahhsa_managed_advise(struct ah_backend_device *device, const void *pointer, size_t size,
                                hipMemoryAdvise advice, struct ah_backend_device *location)
{
    struct change change = {
        .start = (uintptr_t)pointer,
        .size = size,
        .advice = advice,
        .location = location ? location->index : hipCpuDeviceId,
    };
    hipError_t error = ahhsa_enter(device);
    return error == hipSuccess ? apply(device, &change) : error;
}

/* What all parts of a range have in common. */
struct summary {
    uintptr_t start;
    size_t size;
    bool found, valid;
    struct part all;
    bool same_coarse;
};

static void summarize(struct ahhsa_allocation *allocation, void *data)
{
    struct summary *summary = data;
    struct part *all = &summary->all;
    size_t start = summary->start - allocation->range.start, end = start + summary->size;
    summary->valid = allocation->managed && end <= allocation->range.size;
    for (size_t i = 0; summary->valid && i < allocation->managed->count; i++) {
        const struct part *part = &allocation->managed->parts[i];
        if (part->end <= start || part->start >= end)
            continue;
        if (!summary->found) {
            *all = *part;
            summary->found = summary->same_coarse = true;
            continue;
        }
        all->read_mostly &= part->read_mostly;
        all->preferred = all->preferred == part->preferred ? part->preferred : hipInvalidDeviceId;
        all->prefetched =
            all->prefetched == part->prefetched ? part->prefetched : hipInvalidDeviceId;
        all->accessed_by &= part->accessed_by;
        all->accessed_by_host &= part->accessed_by_host;
        summary->same_coarse &= all->coarse == part->coarse;
    }
}

static hipError_t list_accessors(const struct part *all, int *out, size_t room)
{
    size_t count = 0;
    if (all->accessed_by_host && count < room)
        out[count++] = hipCpuDeviceId;
    for (int i = 0; i < AHHSA_DEVICES_MAX; i++)
        if (all->accessed_by >> i & 1 && count < room)
            out[count++] = i;
    while (count < room)
        out[count++] = hipInvalidDeviceId;
    return hipSuccess;
}

/* Of memory that is not managed. */
static hipMemRangeCoherencyMode coherency(const struct ahhsa_allocation *allocation)
{
    unsigned flags = allocation->flags;
    bool coarse = false;
    if (allocation->kind == AH_MEMORY_DEVICE)
        coarse = flags != hipDeviceMallocFinegrained && flags != hipDeviceMallocUncached;
    else if (allocation->kind == AH_MEMORY_HOST)
        coarse = flags & hipHostMallocNonCoherent && allocation->device->pools.host_coarse.handle;
    return coarse ? hipMemRangeCoherencyModeCoarseGrain : hipMemRangeCoherencyModeFineGrain;
}

hipError_t ahhsa_managed_attribute(struct ah_backend_device *device, void *out_data,
                                   size_t data_size, hipMemRangeAttribute attribute,
                                   const void *pointer, size_t size)
{
    struct summary summary = {.start = (uintptr_t)pointer, .size = size};
    const struct part *all = &summary.all;
    struct ahhsa_allocation allocation;
    int *out = out_data;
    if (attribute == hipMemRangeAttributeCoherencyMode && data_size == sizeof *out &&
        ahhsa_memory_find(device->backend, pointer, &allocation) &&
        allocation.kind != AH_MEMORY_MANAGED) {
        *out = coherency(&allocation);
        return hipSuccess;
    }
    if (!ahhsa_memory_update(device->backend, pointer, summarize, &summary) || !summary.found ||
        data_size < sizeof *out || data_size % sizeof *out != 0)
        return hipErrorInvalidValue;
    switch ((int)attribute) {
    case hipMemRangeAttributeReadMostly:
        *out = all->read_mostly;
        return hipSuccess;
    case hipMemRangeAttributePreferredLocation:
        *out = all->preferred;
        return hipSuccess;
    case hipMemRangeAttributeAccessedBy:
        return list_accessors(all, out, data_size / sizeof *out);
    case hipMemRangeAttributeLastPrefetchLocation:
        *out = all->prefetched;
        return hipSuccess;
    case hipMemRangeAttributeCoherencyMode:
        *out = !summary.same_coarse ? hipMemRangeCoherencyModeIndeterminate
               : all->coarse        ? hipMemRangeCoherencyModeCoarseGrain
                                    : hipMemRangeCoherencyModeFineGrain;
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

static void set_flags(struct ahhsa_allocation *allocation, void *data)
{
    allocation->flags = *(const unsigned *)data;
}

/* Host and devices may always use the memory at the same time; the flags are only stored. */
hipError_t ahhsa_managed_attach(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                void *pointer, size_t size, unsigned flags)
{
    hipError_t error = ahhsa_enter(device);
    (void)stream;
    (void)size;
    if (error != hipSuccess)
        return error;
    return ahhsa_memory_update(device->backend, pointer, set_flags, &flags) ? hipSuccess
                                                                            : hipErrorInvalidValue;
}
