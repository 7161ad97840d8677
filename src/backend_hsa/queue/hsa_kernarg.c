/* Owns the memory of kernel arguments.
 *
 * A stream has a chunk at a time, which its launches use from the beginning to the end. The launch
 * that begins the next chunk releases the one before when it ends, for then all earlier launches of
 * its stream have ended. */
#include "hsa_stream.h"

#include <stdlib.h>

struct ahhsa_argument_pool {
    struct ah_backend_device *device;
    pthread_mutex_t lock; /* of the lists */
    struct ahhsa_argument_chunk *free, *all;
};

struct ahhsa_argument_pool *ahhsa_argument_pool_create(struct ah_backend_device *device)
{
    struct ahhsa_argument_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->device = device;
    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void ahhsa_argument_pool_clear(struct ahhsa_argument_pool *pool)
{
    while (pool->all) {
        struct ahhsa_argument_chunk *next = pool->all->next_of_all;
        ahhsa_raw_free(pool->device, pool->all->memory);
        free(pool->all);
        pool->all = next;
    }
    pool->free = NULL;
}

void ahhsa_argument_pool_destroy(struct ahhsa_argument_pool *pool)
{
    if (!pool)
        return;
    ahhsa_argument_pool_clear(pool);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static struct ahhsa_argument_chunk *create_chunk(struct ahhsa_argument_pool *pool)
{
    struct ah_backend_device *device = pool->device;
    void *memory = NULL;
    struct ahhsa_argument_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk || ahhsa_raw_alloc(device, device->pools.kernarg, AHHSA_ARGUMENTS_MAX, &memory) !=
                      hipSuccess) {
        free(chunk);
        return NULL;
    }
    chunk->pool = pool;
    chunk->memory = memory;
    pthread_mutex_lock(&pool->lock);
    chunk->next_of_all = pool->all;
    pool->all = chunk;
    pthread_mutex_unlock(&pool->lock);
    return chunk;
}

struct ahhsa_argument_chunk *ahhsa_argument_chunk_acquire(struct ahhsa_argument_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct ahhsa_argument_chunk *chunk = pool->free;
    if (chunk)
        pool->free = chunk->next;
    pthread_mutex_unlock(&pool->lock);
    if (!chunk)
        return create_chunk(pool);
    chunk->used = 0;
    return chunk;
}

void ahhsa_argument_chunk_release(void *data)
{
    struct ahhsa_argument_chunk *chunk = data;
    struct ahhsa_argument_pool *pool = chunk->pool;
    pthread_mutex_lock(&pool->lock);
    chunk->next = pool->free;
    pool->free = chunk;
    pthread_mutex_unlock(&pool->lock);
}
