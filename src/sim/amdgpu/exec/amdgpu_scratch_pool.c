/* Owns scratch memory (private segments): device memory at addresses that a resource descriptor
 * contains and that programs can use like any other. A queue keeps some of it for later groups, or
 * its owner provides a ring, of which each group uses a part. */
#include "amdgpu_wave.h"

#include <pthread.h>
#include <stdlib.h>

enum { KEPT_MAX = 64, KEPT_SIZE_MAX = 2 << 20 }; /* allocations, and bytes of one */

struct amdgpu_scratch_pool {
    pthread_mutex_t lock;
    struct sim_memory *kept[KEPT_MAX]; /* of the device of the queue */
    unsigned next;                     /* the one to replace when the pool is full */
};

struct amdgpu_scratch_pool *amdgpu_scratch_pool_create(void)
{
    struct amdgpu_scratch_pool *pool = calloc(1, sizeof *pool);
    if (pool)
        pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void amdgpu_scratch_pool_destroy(struct amdgpu_scratch_pool *pool)
{
    if (!pool)
        return;
    for (unsigned i = 0; i < KEPT_MAX; i++)
        sim_memory_destroy(pool->kept[i]);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* An allocation is reused only for its exact size, so that accesses beyond it are still
 * detected. */
static struct sim_memory *reuse(struct amdgpu_scratch_pool *pool, size_t size)
{
    struct sim_memory *found = NULL;
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < KEPT_MAX && !found; i++)
        if (pool->kept[i] && pool->kept[i]->size == size) {
            found = pool->kept[i];
            pool->kept[i] = NULL;
        }
    pthread_mutex_unlock(&pool->lock);
    return found;
}

struct sim_memory *amdgpu_scratch_pool_acquire(struct amdgpu_scratch_pool *pool, int device,
                                               size_t size)
{
    struct sim_memory *memory = pool ? reuse(pool, size) : NULL;
    if (!memory)
        memory = sim_memory_create(SIM_MEMORY_DEVICE, device, size, 0);
    if (memory)
        sim_memory_name(memory, "local memory of a block");
    return memory;
}

void amdgpu_scratch_pool_release(struct amdgpu_scratch_pool *pool, struct sim_memory *memory)
{
    if (pool && memory && memory->size <= KEPT_SIZE_MAX) {
        pthread_mutex_lock(&pool->lock);
        unsigned place = 0;
        while (place < KEPT_MAX && pool->kept[place])
            place++;
        if (place == KEPT_MAX)
            place = pool->next++ % KEPT_MAX;
        struct sim_memory *old = pool->kept[place];
        pool->kept[place] = memory;
        memory = old;
        pthread_mutex_unlock(&pool->lock);
    }
    sim_memory_destroy(memory);
}

/* ---- rings ------------------------------------------------------------------------- */

bool amdgpu_scratch_ring_acquire(struct amdgpu_dispatch *dispatch, unsigned *out_group)
{
    unsigned groups = dispatch->scratch_ring.waves / dispatch->launch.waves_per_block;
    for (unsigned group = 0; group < groups && group < AMDGPU_SCRATCH_RING_GROUPS; group++) {
        uint64_t bit = UINT64_C(1) << group % 64;
        if (!(atomic_fetch_or(&dispatch->scratch_parts[group / 64], bit) & bit)) {
            *out_group = group;
            return true;
        }
    }
    return false;
}

void amdgpu_scratch_ring_release(struct amdgpu_dispatch *dispatch, unsigned group)
{
    atomic_fetch_and(&dispatch->scratch_parts[group / 64], ~(UINT64_C(1) << group % 64));
}
