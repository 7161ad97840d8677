/* Owns the memory of kernel arguments.
 *
 * A stream has a chunk at a time, from whose beginning to end its launches take what they need.
 * The launch that begins the next chunk lets go of the one before when it ends, for then all
 * earlier ones of its stream have. */
#include "hsa_services.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = AHHSA_KERNARG_MAX + AHHSA_COOPERATION_SIZE };

static uint32_t padded(size_t size)
{
    return (uint32_t)ahhsa_kernarg_padded(size);
}

static bool fits(const struct ahhsa_chunk *chunk, size_t size)
{
    return chunk &&
           atomic_load_explicit(&chunk->used, memory_order_relaxed) + padded(size) <= CHUNK;
}

unsigned ahhsa_kernarg_flags(const struct ah_backend_stream *stream, size_t size)
{
    const struct ahhsa_chunk *chunk = __atomic_load_n(&stream->chunk, __ATOMIC_ACQUIRE);
    return size == 0 || fits(chunk, size) ? 0 : AHHSA_PACKET_SIGNAL;
}

static void put_back(void *data)
{
    struct ahhsa_chunk *chunk = data;
    struct ahhsa_services *services = chunk->device->services;
    pthread_mutex_lock(&services->lock);
    atomic_store_explicit(&chunk->used, 0, memory_order_relaxed);
    chunk->next = services->free_chunks;
    services->free_chunks = chunk;
    pthread_mutex_unlock(&services->lock);
}

void ahhsa_kernarg_leave(struct ah_backend_stream *stream)
{
    if (stream->chunk && stream->device->services)
        put_back(stream->chunk);
    stream->chunk = NULL;
}

static struct ahhsa_chunk *make_chunk(struct ah_backend_device *device,
                                      struct ahhsa_services *services)
{
    void *memory = NULL;
    struct ahhsa_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk || ahhsa_raw_alloc(device, device->pools.kernarg, CHUNK, &memory) != hipSuccess) {
        free(chunk);
        return NULL;
    }
    chunk->device = device;
    chunk->memory = memory;
    pthread_mutex_lock(&services->lock);
    chunk->also = services->all_chunks;
    services->all_chunks = chunk;
    pthread_mutex_unlock(&services->lock);
    return chunk;
}

static struct ahhsa_chunk *take_chunk(struct ah_backend_device *device)
{
    struct ahhsa_services *services = ahhsa_services_of(device);
    if (!services)
        return NULL;
    pthread_mutex_lock(&services->lock);
    struct ahhsa_chunk *chunk = services->free_chunks;
    if (chunk)
        services->free_chunks = chunk->next;
    pthread_mutex_unlock(&services->lock);
    return chunk ? chunk : make_chunk(device, services);
}

void *ahhsa_kernarg_take(struct ahhsa_slot *slot, size_t size)
{
    struct ah_backend_stream *stream = slot->stream;
    struct ahhsa_chunk *chunk = stream->chunk;
    if (!fits(chunk, size)) {
        struct ahhsa_chunk *next = take_chunk(stream->device);
        if (!next)
            return NULL;
        if (chunk)
            ahhsa_packet_hook(slot, put_back, chunk);
        __atomic_store_n(&stream->chunk, next, __ATOMIC_RELEASE);
        chunk = next;
    }
    uint32_t at = atomic_load_explicit(&chunk->used, memory_order_relaxed);
    atomic_store_explicit(&chunk->used, at + padded(size), memory_order_relaxed);
    return chunk->memory + at;
}

void ahhsa_chunks_drop(struct ahhsa_services *services)
{
    while (services->all_chunks) {
        struct ahhsa_chunk *next = services->all_chunks->also;
        ahhsa_raw_free(services->all_chunks->device, services->all_chunks->memory);
        free(services->all_chunks);
        services->all_chunks = next;
    }
    services->free_chunks = NULL;
}
