/* Owns copies of bytes. Between memories that copy engines reach they are queued as they are;
 * pageable memory goes through pieces of page-locked memory, several of them on their way at
 * a time. */
#include "hsa_memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BOUNCES = 8, AHEAD = 3, ALIGNMENT = 64, NAP = 20000 };

/* Pieces are taken from its beginning to its end; it begins anew when all were given back. */
struct ahhsa_bounce {
    struct ahhsa_staging *staging;
    char *memory; /* NULL: not made yet */
    size_t used;
    unsigned users;
    struct ahhsa_signal *last; /* of the latest copy through it, held */
    uint64_t age;              /* of last */
};

struct ahhsa_staging {
    struct ah_backend_device *device;
    pthread_mutex_t lock;
    uint64_t copies;
    struct ahhsa_bounce bounces[BOUNCES];
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

void ahhsa_staging_close(struct ah_backend_device *device)
{
    struct ahhsa_staging *staging = device->staging;
    device->staging = NULL;
    if (!staging)
        return;
    for (int i = 0; i < BOUNCES; i++) {
        ahhsa_signal_release(staging->bounces[i].last);
        ahhsa_raw_free(device, staging->bounces[i].memory);
    }
    pthread_mutex_destroy(&staging->lock);
    free(staging);
}

void ahhsa_staging_hold(struct ahhsa_bounce *bounce)
{
    pthread_mutex_lock(&bounce->staging->lock);
    bounce->users++;
    pthread_mutex_unlock(&bounce->staging->lock);
}

void ahhsa_staging_give(void *data)
{
    struct ahhsa_bounce *bounce = data;
    pthread_mutex_lock(&bounce->staging->lock);
    if (--bounce->users == 0)
        bounce->used = 0;
    pthread_mutex_unlock(&bounce->staging->lock);
}

/* One with room for size bytes; under the lock. */
static struct ahhsa_bounce *with_room(struct ahhsa_staging *staging, size_t size)
{
    for (int i = 0; i < BOUNCES; i++) {
        struct ahhsa_bounce *bounce = &staging->bounces[i];
        if (!bounce->memory) {
            void *memory = NULL;
            if (ahhsa_raw_alloc(staging->device, staging->device->pools.host_fine, AHHSA_BOUNCE,
                                &memory) != hipSuccess)
                return NULL;
            bounce->memory = memory;
            bounce->staging = staging;
        }
        if (bounce->used + size <= AHHSA_BOUNCE)
            return bounce;
    }
    return NULL;
}

static bool try_take(struct ahhsa_staging *staging, size_t size, struct ahhsa_piece *piece)
{
    pthread_mutex_lock(&staging->lock);
    struct ahhsa_bounce *bounce = with_room(staging, size);
    if (bounce) {
        char *pointer = bounce->memory + bounce->used;
        bounce->used += size;
        bounce->users++;
        piece->bounce = bounce;
        piece->place = (struct ahhsa_place){
            .pointer = pointer, .host = pointer, .agent = staging->device->host};
    }
    pthread_mutex_unlock(&staging->lock);
    return bounce != NULL;
}

/* Waits for the copy that was queued first of those that are the last of a bounce. */
static hipError_t wait_for_room(struct ahhsa_staging *staging)
{
    struct ahhsa_signal *oldest = NULL;
    uint64_t age = UINT64_MAX;
    pthread_mutex_lock(&staging->lock);
    for (int i = 0; i < BOUNCES; i++) {
        struct ahhsa_bounce *bounce = &staging->bounces[i];
        if (bounce->last && bounce->age < age && !ahhsa_signal_is_done(bounce->last)) {
            age = bounce->age;
            oldest = bounce->last;
        }
    }
    if (oldest)
        ahhsa_signal_hold(oldest);
    pthread_mutex_unlock(&staging->lock);
    if (!oldest) {
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL); /* somebody is about to queue one */
        return ahhsa_device_error(staging->device);
    }
    hipError_t error = ahhsa_signal_wait(oldest);
    ahhsa_signal_release(oldest);
    return error;
}

hipError_t ahhsa_staging_take(struct ah_backend_device *device, size_t size, bool wait,
                              struct ahhsa_piece *out_piece)
{
    struct ahhsa_staging *staging = staging_of(device);
    hipError_t error = hipSuccess;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!staging)
        return hipErrorOutOfMemory;
    while (!try_take(staging, size, out_piece)) {
        ahhsa_device_retire(device);
        if (try_take(staging, size, out_piece))
            return hipSuccess;
        if (!staging->bounces[0].memory)
            return hipErrorOutOfMemory;
        if (!wait)
            return hipErrorNotReady;
        error = wait_for_room(staging);
        if (error != hipSuccess)
            return error;
    }
    return hipSuccess;
}

/* ---- what lies where -------------------------------------------------------------------- */

static struct ahhsa_place place_with(struct ah_backend_device *device, const void *pointer,
                                     const struct ah_pointer_info *info)
{
    struct ahhsa_place place = {.agent = device->host};
    place.pageable = info->kind == AH_MEMORY_UNKNOWN;
    place.pointer = place.pageable ? (char *)(uintptr_t)pointer : info->device_pointer;
    place.host = place.pageable ? place.pointer : info->host_pointer;
    if (info->kind == AH_MEMORY_DEVICE) {
        place.device = &device->backend->devices[info->device_index];
        place.agent = place.device->agent;
    }
    return place;
}

struct ahhsa_place ahhsa_place_of(struct ah_backend_device *device, const void *pointer)
{
    struct ah_pointer_info info;
    ahhsa_pointer_info(device, pointer, &info);
    return place_with(device, pointer, &info);
}

/* ---- into the stream -------------------------------------------------------------------- */

/* What goes with a copy; under the lock. */
static void attach(struct ahhsa_work *work, struct ahhsa_bounce *bounce,
                   struct ahhsa_signal **out_signal)
{
    if (out_signal)
        *out_signal = ahhsa_signal_hold(work->after);
    if (!bounce)
        return;
    ahhsa_stream_hook(work->stream, ahhsa_staging_give, bounce);
    pthread_mutex_lock(&bounce->staging->lock);
    struct ahhsa_signal *last = bounce->last;
    bounce->last = ahhsa_signal_hold(work->after);
    bounce->age = ++bounce->staging->copies;
    pthread_mutex_unlock(&bounce->staging->lock);
    ahhsa_signal_release(last);
}

hipError_t ahhsa_transfer_queue(struct ah_backend_stream *stream,
                                const struct ahhsa_transfer *transfer, struct ahhsa_bounce *bounce,
                                struct ahhsa_signal **out_signal)
{
    struct ahhsa_work work;
    hipError_t error = ahhsa_work_begin(stream, &work);
    if (error == hipSuccess && work.soft) {
        struct ahhsa_job job = {.kind = AHHSA_JOB_COPY, .transfer = *transfer};
        error = ahhsa_host_put(&work, &job);
        if (error != hipSuccess)
            ahhsa_work_cancel(&work);
    }
    if (error != hipSuccess) {
        if (bounce)
            ahhsa_staging_give(bounce);
        return error;
    }
    attach(&work, bounce, out_signal);
    /* Under the lock: a copy of another thread that waits for this one must come after it in the
     * engine, which would otherwise wait for what is behind. */
    if (!work.soft)
        error = ahhsa_transfer_start(stream->device, transfer, work.before, work.after);
    ahhsa_work_end(&work);
    if (error == hipSuccess)
        return hipSuccess;
    ahhsa_work_failed(&work);
    if (out_signal)
        ahhsa_signal_release(*out_signal);
    return error;
}

hipError_t ahhsa_copy_queue(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                            const struct ahhsa_place *src, size_t size, struct ahhsa_bounce *bounce,
                            struct ahhsa_signal **out_signal)
{
    struct ahhsa_transfer transfer = {
        .dst = {.place = *dst}, .src = {.place = *src}, .size = {size, 1, 1}};
    return ahhsa_transfer_queue(stream, &transfer, bounce, out_signal);
}

/* From pageable memory: all of it has left when this returns. */
static hipError_t put_pieces(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                             const struct ahhsa_place *src, size_t size)
{
    hipError_t error = hipSuccess;
    for (size_t done = 0; done < size && error == hipSuccess;) {
        size_t now = size - done < AHHSA_BOUNCE ? size - done : AHHSA_BOUNCE;
        struct ahhsa_place to = ahhsa_place_plus(*dst, done);
        struct ahhsa_piece piece;
        error = ahhsa_staging_take(stream->device, now, true, &piece);
        if (error != hipSuccess)
            return error;
        memcpy(piece.place.host, src->host + done, now);
        error = ahhsa_copy_queue(stream, &to, &piece.place, now, piece.bounce, NULL);
        done += now;
    }
    return error;
}

struct arrival { /* a piece on its way to the host */
    struct ahhsa_piece piece;
    struct ahhsa_signal *signal;
    char *to;
    size_t size;
};

static hipError_t receive(struct arrival *arrival)
{
    hipError_t error = ahhsa_signal_wait(arrival->signal);
    if (error == hipSuccess)
        memcpy(arrival->to, arrival->piece.place.host, arrival->size);
    ahhsa_signal_release(arrival->signal);
    ahhsa_staging_give(arrival->piece.bounce);
    return error;
}

static hipError_t send_piece(struct ah_backend_stream *stream, const struct ahhsa_place *src,
                             struct arrival *arrival)
{
    hipError_t error =
        ahhsa_copy_queue(stream, &arrival->piece.place, src, arrival->size, NULL, &arrival->signal);
    if (error != hipSuccess)
        ahhsa_staging_give(arrival->piece.bounce);
    return error;
}

/* To pageable memory: all of it has arrived when this returns. */
static hipError_t get_pieces(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                             const struct ahhsa_place *src, size_t size)
{
    struct arrival arrivals[AHEAD];
    unsigned first = 0, count = 0;
    hipError_t error = hipSuccess;
    size_t done = 0;
    while ((done < size && error == hipSuccess) || count > 0) {
        struct arrival *next = &arrivals[(first + count) % AHEAD];
        bool full = count == AHEAD || done == size || error != hipSuccess;
        size_t left = size - done;
        if (!full) { /* who has pieces must not wait for others who have */
            next->size = left < AHHSA_BOUNCE ? left : AHHSA_BOUNCE;
            error = ahhsa_staging_take(stream->device, next->size, count == 0, &next->piece);
            full = error == hipErrorNotReady;
            error = full ? hipSuccess : error;
        }
        if (full) {
            hipError_t received = receive(&arrivals[first]);
            error = error == hipSuccess ? received : error;
            first = (first + 1) % AHEAD;
            count--;
        } else if (error == hipSuccess) {
            struct ahhsa_place from = ahhsa_place_plus(*src, done);
            next->to = dst->host + done;
            done += next->size;
            error = send_piece(stream, &from, next);
            count += error == hipSuccess;
        }
    }
    return error;
}

/* Both ends are the host's: done by this thread when it is the stream's turn. */
static hipError_t copy_within_host(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                                   const struct ahhsa_place *src, size_t size)
{
    struct ahhsa_work work;
    hipError_t error = ahhsa_work_begin(stream, &work);
    if (error != hipSuccess)
        return error;
    struct ahhsa_signal *before = work.before ? ahhsa_signal_hold(work.before) : NULL;
    ahhsa_work_end(&work);
    if (before)
        error = ahhsa_signal_wait(before);
    ahhsa_signal_release(before);
    if (error == hipSuccess)
        memmove(dst->host, src->host, size);
    ahhsa_signal_complete(work.after);
    return error;
}

/* Between devices that do not reach one another. */
static hipError_t copy_through_host(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                                    const struct ahhsa_place *src, size_t size)
{
    size_t step = size < AHHSA_BOUNCE * AHEAD ? size : AHHSA_BOUNCE * AHEAD;
    char *memory = malloc(step);
    struct ahhsa_place between = {.pointer = memory, .host = memory, .pageable = true};
    hipError_t error = memory ? hipSuccess : hipErrorOutOfMemory;
    for (size_t done = 0; done < size && error == hipSuccess; done += step) {
        size_t now = size - done < step ? size - done : step;
        struct ahhsa_place to = ahhsa_place_plus(*dst, done), from = ahhsa_place_plus(*src, done);
        error = get_pieces(stream, &between, &from, now);
        if (error == hipSuccess)
            error = put_pieces(stream, &to, &between, now);
    }
    free(memory);
    return error;
}

hipError_t ahhsa_copy_put(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                          const struct ahhsa_place *src, size_t size)
{
    if (!dst->device && !src->device && (dst->pageable || src->pageable))
        return copy_within_host(stream, dst, src, size);
    if (src->pageable)
        return put_pieces(stream, dst, src, size);
    if (dst->pageable)
        return get_pieces(stream, dst, src, size);
    if (dst->device && src->device && dst->device != src->device &&
        !ahhsa_peer_reaches(dst->device, dst->pointer, src->device, src->pointer))
        return copy_through_host(stream, dst, src, size);
    return ahhsa_copy_queue(stream, dst, src, size, NULL, NULL);
}

/* ---- entries of the backend ------------------------------------------------------------- */

/* Mappings that lie side by side are looked for only where one is not enough. */
static bool is_within(struct ah_backend_device *device, const void *pointer, size_t size,
                      const struct ah_pointer_info *info)
{
    return info->kind == AH_MEMORY_UNKNOWN ||
           size <= info->size - (size_t)((const char *)pointer - (char *)info->base) ||
           ahhsa_memory_holds(device, pointer, size);
}

static hipError_t put(struct ah_backend_device *device, void *dst, const void *src, size_t size,
                      struct ah_backend_stream *stream, struct ahhsa_place *to,
                      struct ahhsa_place *from)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || size == 0)
        return error;
    struct ah_pointer_info infos[2];
    ahhsa_pointer_infos(device, (const void *const[]){dst, src}, 2, infos);
    *to = place_with(device, dst, &infos[0]);
    *from = place_with(device, src, &infos[1]);
    if (!is_within(device, dst, size, &infos[0]) || !is_within(device, src, size, &infos[1]))
        return hipErrorInvalidValue;
    if (stream->legacy)
        error = ahhsa_stream_follow(device, stream, to->device);
    if (error == hipSuccess && stream->legacy)
        error = ahhsa_stream_follow(device, stream, from->device);
    if (error != hipSuccess)
        return error;
    return ahhsa_copy_put(stream, to, from, size);
}

hipError_t ahhsa_copy(struct ah_backend_device *device, void *dst, const void *src, size_t size)
{
    struct ahhsa_place to = {0}, from = {0};
    struct ah_backend_stream *legacy;
    hipError_t error = ahhsa_stream_legacy(device, &legacy);
    if (error == hipSuccess)
        error = put(device, dst, src, size, legacy, &to, &from);
    if (error != hipSuccess || (to.device && from.device) || from.pageable)
        return error;
    if (!to.pageable) /* otherwise it has arrived */
        return ahhsa_stream_synchronize(device, legacy);
    ahhsa_device_retire(device);
    return ahhsa_device_error(device);
}

hipError_t ahhsa_copy_async(struct ah_backend_device *device, void *dst, const void *src,
                            size_t size, struct ah_backend_stream *stream)
{
    struct ahhsa_place to, from;
    return put(device, dst, src, size, stream, &to, &from);
}

/* Addresses tell whose memory it is. */
hipError_t ahhsa_copy_peer(struct ah_backend_device *device, struct ah_backend_device *dst_device,
                           void *dst, struct ah_backend_device *src_device, const void *src,
                           size_t size, struct ah_backend_stream *stream)
{
    hipError_t error = ahhsa_enter(dst_device);
    if (error == hipSuccess)
        error = ahhsa_enter(src_device);
    return error == hipSuccess ? ahhsa_copy_async(device, dst, src, size, stream) : error;
}

/* ---- at once ---------------------------------------------------------------------------- */

hipError_t ahhsa_write(struct ah_backend_device *device, void *dst, const void *src, size_t size)
{
    return ahhsa_done(device, "hsa_memory_copy", device->api->hsa_memory_copy(dst, src, size));
}

hipError_t ahhsa_read(struct ah_backend_device *device, void *dst, const void *src, size_t size)
{
    return ahhsa_done(device, "hsa_memory_copy", device->api->hsa_memory_copy(dst, src, size));
}

hipError_t ahhsa_zero(struct ah_backend_device *device, void *dst, size_t size)
{
    static const char zeros[sizeof(uint32_t)];
    size_t words = size / sizeof(uint32_t), rest = size % sizeof(uint32_t);
    hipError_t error = hipSuccess;
    if (words > 0)
        error = ahhsa_done(device, "hsa_amd_memory_fill",
                           device->api->hsa_amd_memory_fill(dst, 0, words));
    if (error == hipSuccess && rest > 0)
        error = ahhsa_write(device, (char *)dst + words * sizeof(uint32_t), zeros, rest);
    return error;
}
