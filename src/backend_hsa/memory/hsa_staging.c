/* Owns staging memory: bounce buffers of page-locked memory, through which copies to and from
 * pageable memory go. */
#include "hsa_allocation.h"

#include <stdlib.h>
#include <time.h>

enum { BOUNCE_BUFFERS = 8, ALIGNMENT = 64, SLEEP = 20000 };

/* Areas are acquired from its beginning to its end, and from the beginning again when all were
 * released. */
struct ahhsa_bounce_buffer {
    struct ahhsa_staging *staging;
    char *memory; /* NULL: not allocated yet */
    size_t used;
    unsigned references;
    struct ahhsa_signal *last; /* of the latest copy through it, retained */
    uint64_t age;              /* of last */
};

struct ahhsa_staging {
    struct ah_backend_device *device;
    pthread_mutex_t lock;
    uint64_t copies;
    struct ahhsa_bounce_buffer buffers[BOUNCE_BUFFERS];
};

/* ---- staging memory --------------------------------------------------------------------- */

static struct ahhsa_staging *staging_of(struct ah_backend_device *device)
{
    ahhsa_lock(device);
    struct ahhsa_staging *staging = device->staging;
    if (!staging && (staging = calloc(1, sizeof *staging))) {
        staging->device = device;
        pthread_mutex_init(&staging->lock, NULL);
        device->staging = staging;
    }
    ahhsa_unlock(device);
    return staging;
}

void ahhsa_staging_destroy(struct ah_backend_device *device)
{
    struct ahhsa_staging *staging = device->staging;
    device->staging = NULL;
    if (!staging)
        return;
    for (int i = 0; i < BOUNCE_BUFFERS; i++) {
        ahhsa_signal_release(staging->buffers[i].last);
        ahhsa_raw_free(device, staging->buffers[i].memory);
    }
    pthread_mutex_destroy(&staging->lock);
    free(staging);
}

void ahhsa_staging_retain(struct ahhsa_bounce_buffer *buffer)
{
    pthread_mutex_lock(&buffer->staging->lock);
    buffer->references++;
    pthread_mutex_unlock(&buffer->staging->lock);
}

void ahhsa_staging_release(void *data)
{
    struct ahhsa_bounce_buffer *buffer = data;
    pthread_mutex_lock(&buffer->staging->lock);
    if (--buffer->references == 0)
        buffer->used = 0;
    pthread_mutex_unlock(&buffer->staging->lock);
}

/* A buffer with room for size bytes; under the lock of the staging memory. */
static struct ahhsa_bounce_buffer *buffer_with_space(struct ahhsa_staging *staging, size_t size)
{
    for (int i = 0; i < BOUNCE_BUFFERS; i++) {
        struct ahhsa_bounce_buffer *buffer = &staging->buffers[i];
        if (!buffer->memory) {
            void *memory = NULL;
            if (ahhsa_raw_alloc(staging->device, staging->device->pools.host_fine,
                                AHHSA_BOUNCE_SIZE, &memory) != hipSuccess)
                return NULL;
            buffer->memory = memory;
            buffer->staging = staging;
        }
        if (buffer->used + size <= AHHSA_BOUNCE_SIZE)
            return buffer;
    }
    return NULL;
}

static bool try_acquire(struct ahhsa_staging *staging, size_t size, struct ahhsa_staging_area *area)
{
    pthread_mutex_lock(&staging->lock);
    struct ahhsa_bounce_buffer *buffer = buffer_with_space(staging, size);
    if (buffer) {
        char *pointer = buffer->memory + buffer->used;
        buffer->used += size;
        buffer->references++;
        area->buffer = buffer;
        area->location = (struct ahhsa_location){
            .pointer = pointer, .host = pointer, .agent = staging->device->host};
    }
    pthread_mutex_unlock(&staging->lock);
    return buffer != NULL;
}

/* Waits for the oldest of the latest copies of the buffers. */
static hipError_t wait_for_space(struct ahhsa_staging *staging)
{
    struct ahhsa_signal *oldest = NULL;
    uint64_t age = UINT64_MAX;
    pthread_mutex_lock(&staging->lock);
    for (int i = 0; i < BOUNCE_BUFFERS; i++) {
        struct ahhsa_bounce_buffer *buffer = &staging->buffers[i];
        if (buffer->last && buffer->age < age && !ahhsa_signal_is_done(buffer->last)) {
            age = buffer->age;
            oldest = buffer->last;
        }
    }
    if (oldest)
        ahhsa_signal_retain(oldest);
    pthread_mutex_unlock(&staging->lock);
    if (!oldest) {
        nanosleep(&(struct timespec){.tv_nsec = SLEEP},
                  NULL); /* another thread is about to queue a copy */
        return ahhsa_device_error(staging->device);
    }
    hipError_t error = ahhsa_signal_wait(oldest);
    ahhsa_signal_release(oldest);
    return error;
}

hipError_t ahhsa_staging_acquire(struct ah_backend_device *device, size_t size, bool wait,
                                 struct ahhsa_staging_area *out_area)
{
    struct ahhsa_staging *staging = staging_of(device);
    hipError_t error = hipSuccess;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!staging)
        return hipErrorOutOfMemory;
    while (!try_acquire(staging, size, out_area)) {
        ahhsa_device_reap(device);
        if (try_acquire(staging, size, out_area))
            return hipSuccess;
        if (!staging->buffers[0].memory)
            return hipErrorOutOfMemory;
        if (!wait)
            return hipErrorNotReady;
        error = wait_for_space(staging);
        if (error != hipSuccess)
            return error;
    }
    return hipSuccess;
}

void ahhsa_staging_used(struct ahhsa_bounce_buffer *buffer, struct ahhsa_signal *after)
{
    pthread_mutex_lock(&buffer->staging->lock);
    struct ahhsa_signal *last = buffer->last;
    buffer->last = ahhsa_signal_retain(after);
    buffer->age = ++buffer->staging->copies;
    pthread_mutex_unlock(&buffer->staging->lock);
    ahhsa_signal_release(last);
}
