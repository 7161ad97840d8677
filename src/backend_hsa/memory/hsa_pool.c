/* Owns stream-ordered allocation: pools of blocks of device memory. A block is allocated again
 * when the work before its release has ended, or in an order that guarantees it. */
#include "hsa_allocation.h"

#include "process.h"

#include <stdlib.h>
#include <unistd.h>

enum { SMALL = 4096, LARGE = 64 << 10, LARGE_FROM = 1 << 20 };

struct block {
    struct ahhsa_allocation allocation; /* must be first; in the map while the block is allocated */
    struct block *next;                 /* in the list of free blocks */
    struct block *next_of_all;          /* of all blocks of the pool */
    void *memory;
    size_t size;                /* of the memory, rounded up */
    struct ahhsa_signal *ended; /* of the work before its release, retained; NULL: it has ended */
    uint64_t stream;            /* id of the stream of the release, 0: none */
};

struct ah_backend_pool {
    struct ah_backend_device *device;
    struct ah_backend_pool *next; /* of the device */
    pthread_mutex_t lock;
    struct block *free, *all;
    uint64_t reserved, reserved_high, used, used_high, threshold, limit;
    int follow_events, opportunistic, dependencies; /* rules of reuse */
    uint64_t accessible_by;                         /* devices (by index) with access */
    uint64_t number;                                /* for other processes, 0: not shared */
    bool imported;                                  /* of another process: it has no blocks */
    bool destroyed; /* destroyed, with blocks that are still allocated */
};

static size_t rounded(size_t size)
{
    size_t unit = size < LARGE_FROM ? SMALL : LARGE;
    return size > SIZE_MAX - unit ? 0 : (size + unit - 1) & ~(unit - 1);
}

/* ---- pools ------------------------------------------------------------------------------ */

static struct ah_backend_pool *create_pool(struct ah_backend_device *device, size_t limit)
{
    struct ah_backend_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->device = device;
    pool->limit = rounded(limit);
    pool->follow_events = pool->opportunistic = pool->dependencies = 1;
    pthread_mutex_init(&pool->lock, NULL);
    ahhsa_lock(device);
    pool->next = atomic_load(&device->first_pool);
    atomic_store(&device->first_pool, pool);
    ahhsa_unlock(device);
    return pool;
}

hipError_t ahhsa_pool_default(struct ah_backend_device *device, struct ah_backend_pool **out_pool)
{
    struct ah_backend_pool *none = NULL;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&device->backend->start_lock);
    if (!device->default_pool) {
        device->default_pool = create_pool(device, 0);
        atomic_compare_exchange_strong(&device->current_pool, &none, device->default_pool);
    }
    *out_pool = device->default_pool;
    pthread_mutex_unlock(&device->backend->start_lock);
    return *out_pool ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t pool_or_current(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                  struct ah_backend_pool **out_pool)
{
    hipError_t error = hipSuccess;
    *out_pool = pool ? pool : atomic_load(&device->current_pool);
    if (!*out_pool) {
        error = ahhsa_pool_default(device, out_pool);
        if (error == hipSuccess)
            *out_pool = atomic_load(&device->current_pool);
    }
    return error;
}

hipError_t ahhsa_pool_set_current(struct ah_backend_device *device, struct ah_backend_pool *pool)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        atomic_store(&device->current_pool, pool);
    return error;
}

/* Of this pool alone on this machine, as far as chance allows; not 0. */
static uint64_t new_number(void)
{
    static _Atomic(uint64_t) last;
    uint64_t number;
    if (getentropy(&number, sizeof number) != 0)
        number = ah_process_self() ^ (atomic_fetch_add(&last, 1) << 48);
    return number ? number : 1;
}

hipError_t ahhsa_pool_create(struct ah_backend_device *device, const hipMemPoolProps *properties,
                             struct ah_backend_pool **out_pool)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if ((properties->handleTypes & ~hipMemHandleTypePosixFileDescriptor) != 0)
        return ahhsa_refuse(device, "a memory pool for other processes",
                            "they are shared by file descriptors alone");
    *out_pool = create_pool(device, properties->maxSize);
    if (*out_pool && properties->handleTypes != hipMemHandleTypeNone)
        (*out_pool)->number = new_number();
    return *out_pool ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t ahhsa_pool_create_imported(struct ah_backend_device *device, uint64_t number,
                                      struct ah_backend_pool **out_pool)
{
    *out_pool = create_pool(device, 0);
    if (!*out_pool)
        return hipErrorOutOfMemory;
    (*out_pool)->number = number;
    (*out_pool)->imported = true;
    return hipSuccess;
}

uint64_t ahhsa_pool_number(const struct ah_backend_pool *pool)
{
    return pool->number;
}

bool ahhsa_pool_is_imported(const struct ah_backend_pool *pool)
{
    return pool->imported;
}

bool ahhsa_pool_is_own(struct ah_backend_device *device, uint64_t number)
{
    bool own = false;
    ahhsa_lock(device);
    for (const struct ah_backend_pool *pool = atomic_load(&device->first_pool); pool && !own;
         pool = pool->next)
        own = !pool->imported && pool->number == number;
    ahhsa_unlock(device);
    return own;
}

static void describe_block(struct ahhsa_allocation *allocation, void *data)
{
    struct ahhsa_pool_block *out = data;
    const struct block *block = (const struct block *)(const void *)allocation;
    if (allocation->origin != AHHSA_POOLED)
        return;
    out->start = block->memory;
    out->size = block->size;
    out->used = allocation->range.size;
    out->number = allocation->pool->number;
}

bool ahhsa_pool_find(struct ah_backend_device *device, const void *pointer,
                     struct ahhsa_pool_block *out_block)
{
    *out_block = (struct ahhsa_pool_block){.number = 0};
    return ahhsa_memory_update(device->backend, pointer, describe_block, out_block) &&
           out_block->start == pointer;
}

/* An allocation that its own process imported: one more of it, or one less. */
struct own_import {
    uintptr_t start;
    uint64_t number; /* of the pool */
    bool done;
};

static void add_import(struct ahhsa_allocation *allocation, void *data)
{
    struct own_import *import = data;
    import->done = allocation->origin == AHHSA_POOLED && allocation->range.start == import->start &&
                   allocation->pool->number == import->number;
    allocation->opened += import->done;
}

static void end_import(struct ahhsa_allocation *allocation, void *data)
{
    struct own_import *import = data;
    import->done = allocation->origin == AHHSA_POOLED && allocation->range.start == import->start &&
                   allocation->opened > 0;
    allocation->opened -= import->done;
}

bool ahhsa_pool_lend_again(struct ah_backend_device *device, const void *pointer, uint64_t number)
{
    struct own_import import = {(uintptr_t)pointer, number, false};
    return ahhsa_memory_update(device->backend, pointer, add_import, &import) && import.done;
}

/* Removes a block that is not in the list of free blocks and whose memory was freed. Under the
 * pool's lock. */
static void remove_block(struct ah_backend_pool *pool, struct block *block)
{
    struct block **link = &pool->all;
    while (*link != block)
        link = &(*link)->next_of_all;
    *link = block->next_of_all;
    pool->reserved -= block->size;
    ahhsa_signal_release(block->ended);
    free(block);
}

static bool has_ended(const struct block *block)
{
    return !block->ended || ahhsa_signal_is_done(block->ended);
}

/* Frees blocks whose work has ended, until no more than keep is reserved. */
static void trim(struct ah_backend_pool *pool, uint64_t keep)
{
    for (struct block **link = &pool->free; *link && pool->reserved > keep;) {
        struct block *block = *link;
        if (!has_ended(block) || ahhsa_raw_free(pool->device, block->memory) != hipSuccess) {
            link = &block->next;
            continue;
        }
        *link = block->next;
        remove_block(pool, block);
    }
}

static void free_pool(struct ah_backend_pool *pool)
{
    while (pool->all) {
        struct block *block = pool->all;
        if (block->allocation.pool) /* it is allocated */
            ahhsa_memory_remove(pool->device->backend, block->memory, 1u << AHHSA_POOLED);
        (void)ahhsa_raw_free(pool->device, block->memory);
        remove_block(pool, block);
    }
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* Frees unused blocks beyond the thresholds of pools (least: all unused blocks), and the pools
 * that were destroyed and have no block left. */
static void trim_all(struct ah_backend_device *device, bool least)
{
    struct ah_backend_pool *before = NULL, *next;
    ahhsa_lock(device);
    for (struct ah_backend_pool *pool = atomic_load(&device->first_pool); pool; pool = next) {
        next = pool->next;
        if (pthread_mutex_trylock(&pool->lock) != 0) {
            before = pool; /* in use: the thread that holds the lock will look again */
            continue;
        }
        trim(pool, least || pool->destroyed ? 0 : pool->threshold);
        bool over = pool->destroyed && !pool->all;
        pthread_mutex_unlock(&pool->lock);
        if (!over) {
            before = pool;
            continue;
        }
        if (before)
            before->next = next;
        else
            atomic_store(&device->first_pool, next);
        free_pool(pool);
    }
    ahhsa_unlock(device);
}

/* Releases the pool's lock. A pool that was destroyed is freed with its last block; while the
 * work of that has not ended, a later trim frees it. */
static void unlock_pool(struct ah_backend_pool *pool)
{
    struct ah_backend_device *device = pool->device;
    bool over = pool->destroyed && pool->used == 0;
    pthread_mutex_unlock(&pool->lock);
    if (over)
        trim_all(device, false);
}

hipError_t ahhsa_pool_destroy(struct ah_backend_device *device, struct ah_backend_pool *pool)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    struct ah_backend_pool *current = pool;
    pthread_mutex_lock(&pool->device->backend->start_lock);
    atomic_compare_exchange_strong(&pool->device->current_pool, &current,
                                   pool->device->default_pool);
    pthread_mutex_unlock(&pool->device->backend->start_lock);
    pthread_mutex_lock(&pool->lock);
    pool->destroyed = true;
    unlock_pool(pool);
    return hipSuccess;
}

void ahhsa_pools_destroy(struct ah_backend_device *device)
{
    struct ah_backend_pool *pool;
    while ((pool = atomic_load(&device->first_pool))) {
        atomic_store(&device->first_pool, pool->next);
        free_pool(pool);
    }
    device->default_pool = NULL;
    atomic_store(&device->current_pool, NULL);
}

void ahhsa_pools_trim(struct ah_backend_device *device)
{
    if (atomic_load_explicit(&device->first_pool, memory_order_relaxed))
        trim_all(device, false);
}

hipError_t ahhsa_pool_trim(struct ah_backend_device *device, struct ah_backend_pool *pool,
                           size_t keep)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&pool->lock);
    trim(pool, keep);
    pthread_mutex_unlock(&pool->lock);
    return hipSuccess;
}

/* ---- blocks ----------------------------------------------------------------------------- */

/* The rank of a free block for an allocation: 0: it cannot be used; a block that can be used at
 * once is better than one to wait for. */
static int rank_block(const struct ah_backend_pool *pool, const struct block *block, size_t size,
                      const struct ah_backend_stream *stream)
{
    if (block->size < size || block->size / 2 > size)
        return 0;
    if (block->stream == ahhsa_stream_id(stream))
        return 3;
    if (has_ended(block))
        return pool->opportunistic || pool->follow_events ? 2 : 0;
    return pool->dependencies ? 1 : 0;
}

static struct block *acquire_free_block(struct ah_backend_pool *pool, size_t size,
                                        const struct ah_backend_stream *stream)
{
    struct block **best = NULL;
    int best_fitness = 0;
    for (struct block **link = &pool->free; *link; link = &(*link)->next) {
        int fit = rank_block(pool, *link, size, stream);
        if (fit > best_fitness ||
            (fit > 0 && fit == best_fitness && (*link)->size < (*best)->size)) {
            best = link;
            best_fitness = fit;
        }
    }
    struct block *block = best ? *best : NULL;
    if (block)
        *best = block->next;
    return block;
}

static hipError_t add_block(struct ah_backend_pool *pool, size_t size, struct block **out_block)
{
    struct ah_backend_device *device = pool->device;
    void *memory;
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return hipErrorOutOfMemory;
    hipError_t error = ahhsa_raw_alloc(device, device->pools.device_coarse, size, &memory);
    if (error == hipSuccess && pool->accessible_by) {
        error = ahhsa_raw_allow_access(device, memory, pool->accessible_by);
        if (error != hipSuccess)
            ahhsa_raw_free(device, memory);
    }
    if (error != hipSuccess) {
        free(block);
        return error;
    }
    block->memory = memory;
    block->size = size;
    block->next_of_all = pool->all;
    pool->all = block;
    pool->reserved += size;
    pool->reserved_high =
        pool->reserved > pool->reserved_high ? pool->reserved : pool->reserved_high;
    *out_block = block;
    return hipSuccess;
}

static bool has_room(struct ah_backend_pool *pool, size_t size)
{
    if (pool->limit > 0 && pool->reserved + size > pool->limit)
        trim(pool, pool->limit > size ? pool->limit - size : 0);
    return size > 0 && (pool->limit == 0 || pool->reserved + size <= pool->limit);
}

/* The block that was released first, of those whose work has not ended. */
static struct block *pending_block(struct ah_backend_pool *pool)
{
    struct block *found = NULL;
    for (struct block *block = pool->free; block; block = block->next)
        if (!has_ended(block))
            found = block;
    return found;
}

/* Has the pools of the device free memory: at first unused blocks, then a block whose work is
 * waited for. False: there is none left. The lock is released meanwhile. */
static bool reclaim_memory(struct ah_backend_pool *pool, bool at_first)
{
    struct block *block = at_first ? NULL : pending_block(pool);
    struct ahhsa_signal *ended = block ? ahhsa_signal_retain(block->ended) : NULL;
    if (!at_first && !ended)
        return false;
    pthread_mutex_unlock(&pool->lock);
    if (ended)
        ahhsa_signal_wait(ended);
    ahhsa_signal_release(ended);
    trim_all(pool->device, true);
    pthread_mutex_lock(&pool->lock);
    return true;
}

/* Under the pool's lock. */
static hipError_t acquire_block(struct ah_backend_pool *pool, size_t size,
                                const struct ah_backend_stream *stream, struct block **out_block)
{
    bool at_first = true;
    for (;;) {
        *out_block = acquire_free_block(pool, size, stream);
        if (*out_block)
            return hipSuccess;
        if (!has_room(pool, size))
            return hipErrorOutOfMemory;
        hipError_t error = add_block(pool, size, out_block);
        if (error != hipErrorOutOfMemory || !reclaim_memory(pool, at_first))
            return error;
        at_first = false;
    }
}

/* Under the pool's lock. On failure the block is free again. */
static hipError_t lend_block(struct ah_backend_pool *pool, struct block *block, size_t size,
                             struct ah_backend_stream *stream)
{
    hipError_t error = hipSuccess;
    if (block->ended && block->stream != ahhsa_stream_id(stream))
        error = ahhsa_stream_wait_signal(ahhsa_stream_device(stream), stream, block->ended);
    if (error == hipSuccess) {
        ahhsa_signal_release(block->ended);
        block->ended = NULL;
        block->allocation = (struct ahhsa_allocation){
            .range = {.start = (uintptr_t)block->memory, .size = size},
            .device = pool->device,
            .kind = AH_MEMORY_DEVICE,
            .origin = AHHSA_POOLED,
            .device_pointer = block->memory,
            .buffer_id = atomic_fetch_add(&pool->device->backend->last_buffer, 1) + 1,
            .accessible_by = pool->accessible_by,
            .pool = pool,
        };
        if (ahhsa_memory_add(pool->device->backend, &block->allocation)) {
            pool->used += size; /* what was asked for, as the vendors' own runtimes count */
            pool->used_high = pool->used > pool->used_high ? pool->used : pool->used_high;
            return hipSuccess;
        }
        error = hipErrorOutOfMemory;
    }
    block->allocation.pool = NULL;
    block->next = pool->free;
    pool->free = block;
    return error;
}

hipError_t ahhsa_pool_alloc(struct ah_backend_device *device, struct ah_backend_pool *pool,
                            size_t size, struct ah_backend_stream *stream, void **out_pointer)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = pool_or_current(device, pool, &pool);
    if (error == hipSuccess && pool->device != device)
        error = ahhsa_enter(pool->device);
    if (error != hipSuccess)
        return error;
    if (pool->imported) {
        AH_LOG_ERR("memory cannot be allocated from a pool of another process");
        return hipErrorInvalidValue;
    }
    struct block *block;
    pthread_mutex_lock(&pool->lock);
    error = acquire_block(pool, rounded(size), stream, &block);
    if (error == hipSuccess)
        error = lend_block(pool, block, size, stream);
    pthread_mutex_unlock(&pool->lock);
    if (error == hipSuccess)
        *out_pointer = block->memory;
    return error;
}

/* Returns the block to its pool, to be reused after `ended`, whose reference it takes. */
static hipError_t return_block(struct ah_backend_device *device, void *pointer,
                               struct ahhsa_signal *ended, uint64_t stream)
{
    struct ahhsa_allocation *allocation =
        ahhsa_memory_remove(device->backend, pointer, 1u << AHHSA_POOLED);
    if (!allocation) {
        AH_LOG_ERR("%p is not the start of memory of a pool", pointer);
        ahhsa_signal_release(ended);
        return hipErrorInvalidValue;
    }
    struct block *block = (struct block *)(void *)allocation;
    struct ah_backend_pool *pool = allocation->pool;
    pthread_mutex_lock(&pool->lock);
    block->allocation.pool = NULL;
    block->ended = ended;
    block->stream = stream;
    block->next = pool->free;
    pool->free = block;
    pool->used -= allocation->range.size;
    unlock_pool(pool);
    return hipSuccess;
}

hipError_t ahhsa_pool_release(struct ah_backend_device *device, void *pointer)
{
    struct own_import import = {.start = (uintptr_t)pointer};
    if (ahhsa_memory_update(device->backend, pointer, end_import, &import) && import.done)
        return hipSuccess;
    return return_block(device, pointer, NULL, 0);
}

hipError_t ahhsa_pool_free(struct ah_backend_device *device, void *pointer,
                           struct ah_backend_stream *stream)
{
    struct ahhsa_allocation allocation;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (ahhsa_memory_find(device->backend, pointer, &allocation) &&
        (allocation.origin == AHHSA_PLAIN || allocation.origin == AHHSA_IMPORTED ||
         allocation.opened > 0))
        return ahhsa_memory_free(device, pointer);
    struct ahhsa_signal *ended;
    error = ahhsa_stream_last_signal(stream, &ended);
    return error == hipSuccess ? return_block(device, pointer, ended, ahhsa_stream_id(stream))
                               : error;
}

/* ---- attributes ------------------------------------------------------------------------- */

/* The variable of an attribute: an int, or 64 bits. */
static int *flag_of(struct ah_backend_pool *pool, hipMemPoolAttr attribute)
{
    switch ((int)attribute) {
    case hipMemPoolReuseFollowEventDependencies:
        return &pool->follow_events;
    case hipMemPoolReuseAllowOpportunistic:
        return &pool->opportunistic;
    case hipMemPoolReuseAllowInternalDependencies:
        return &pool->dependencies;
    default:
        return NULL;
    }
}

static uint64_t *count_of(struct ah_backend_pool *pool, hipMemPoolAttr attribute)
{
    switch ((int)attribute) {
    case hipMemPoolAttrReleaseThreshold:
        return &pool->threshold;
    case hipMemPoolAttrReservedMemCurrent:
        return &pool->reserved;
    case hipMemPoolAttrReservedMemHigh:
        return &pool->reserved_high;
    case hipMemPoolAttrUsedMemCurrent:
        return &pool->used;
    case hipMemPoolAttrUsedMemHigh:
        return &pool->used_high;
    default:
        return NULL;
    }
}

hipError_t ahhsa_pool_get_attribute(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                    hipMemPoolAttr attribute, void *out_value)
{
    const int *flag = flag_of(pool, attribute);
    const uint64_t *count = count_of(pool, attribute);
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&pool->lock);
    if (flag)
        *(int *)out_value = *flag;
    else if (count)
        *(uint64_t *)out_value = *count;
    else
        error = hipErrorInvalidValue;
    pthread_mutex_unlock(&pool->lock);
    return error;
}

hipError_t ahhsa_pool_set_attribute(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                    hipMemPoolAttr attribute, void *value)
{
    int *flag = flag_of(pool, attribute);
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&pool->lock);
    if (flag)
        *flag = *(const int *)value != 0;
    else if ((int)attribute == hipMemPoolAttrReleaseThreshold)
        pool->threshold = *(const uint64_t *)value;
    else if ((int)attribute == hipMemPoolAttrReservedMemHigh && *(const uint64_t *)value == 0)
        pool->reserved_high = pool->reserved;
    else if ((int)attribute == hipMemPoolAttrUsedMemHigh && *(const uint64_t *)value == 0)
        pool->used_high = pool->used;
    else
        error = hipErrorInvalidValue;
    pthread_mutex_unlock(&pool->lock);
    return error;
}

/* ---- access ----------------------------------------------------------------------------- */

hipError_t ahhsa_pool_get_access(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                 struct ah_backend_device *location, hipMemAccessFlags *out_access)
{
    (void)device;
    pthread_mutex_lock(&pool->lock);
    bool may = location == pool->device || (pool->accessible_by >> location->index & 1);
    pthread_mutex_unlock(&pool->lock);
    *out_access = may ? hipMemAccessFlagsProtReadWrite : hipMemAccessFlagsProtNone;
    return hipSuccess;
}

hipError_t ahhsa_pool_set_access(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                 struct ah_backend_device *location, hipMemAccessFlags access)
{
    uint64_t bit = (uint64_t)1 << location->index;
    int can = 0;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (access != hipMemAccessFlagsProtNone && access != hipMemAccessFlagsProtRead &&
        access != hipMemAccessFlagsProtReadWrite)
        return hipErrorInvalidValue;
    if (location == pool->device && access == hipMemAccessFlagsProtNone)
        return hipErrorInvalidDevice; /* as in ROCm: its own device always has access */
    if (location == pool->device)
        return access == hipMemAccessFlagsProtReadWrite ? hipSuccess : hipErrorInvalidValue;
    if (access == hipMemAccessFlagsProtRead)
        return ahhsa_refuse(device, "read-only access to a pool", "HSA has no read-only access");
    ahhsa_peer_can_access(location, pool->device, &can);
    if (!can && access != hipMemAccessFlagsProtNone)
        return hipErrorPeerAccessUnsupported;
    pthread_mutex_lock(&pool->lock);
    uint64_t accessible_by = access == hipMemAccessFlagsProtNone ? pool->accessible_by & ~bit
                                                                 : pool->accessible_by | bit;
    for (struct block *block = pool->all; block && error == hipSuccess; block = block->next_of_all)
        error = ahhsa_raw_allow_access(pool->device, block->memory, accessible_by);
    if (error == hipSuccess)
        pool->accessible_by = accessible_by;
    pthread_mutex_unlock(&pool->lock);
    return error;
}
