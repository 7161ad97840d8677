/* Owns the default streams: which stream a value of the door stands for, and the streams that
 * threads have of their own. */
#include "hsa_stream.h"

#include <stdlib.h>

/* A thread's own stream of one device. */
struct mine {
    struct mine *next;
    struct ah_backend_device *device;
    struct ah_backend_stream *stream;
    uint64_t generation;
};
static _Thread_local struct mine *mine;
static pthread_key_t end_of_thread;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *data)
{
    struct mine *next;
    for (struct mine *it = data; it; it = next) {
        next = it->next;
        if (it->device && atomic_load(&it->device->generation) == it->generation)
            ahhsa_stream_destroy(it->device, it->stream);
        free(it);
    }
    mine = NULL;
}

static void make_key(void)
{
    pthread_key_create(&end_of_thread, thread_ends);
}

static hipError_t make_mine(struct ah_backend_device *device, struct mine *it,
                            struct ah_backend_stream **out_stream)
{
    bool is_new = !it;
    pthread_once(&once, make_key);
    if (is_new && !(it = calloc(1, sizeof *it)))
        return hipErrorOutOfMemory;
    hipError_t error = ahhsa_stream_open(device, true, 0, &it->stream);
    if (error != hipSuccess) {
        if (is_new)
            free(it);
        else
            it->device = NULL;
        return error;
    }
    it->generation = atomic_load(&device->generation);
    it->device = device;
    if (is_new) {
        it->next = mine;
        mine = it;
        pthread_setspecific(end_of_thread, mine);
    }
    *out_stream = it->stream;
    return hipSuccess;
}

static hipError_t stream_of_thread(struct ah_backend_device *device,
                                   struct ah_backend_stream **out_stream)
{
    struct mine *it = mine;
    while (it && it->device != device)
        it = it->next;
    if (!it || it->generation != atomic_load(&device->generation))
        return make_mine(device, it, out_stream);
    *out_stream = it->stream;
    return hipSuccess;
}

hipError_t ahhsa_stream_of(struct ah_backend_device *device, struct ah_backend_stream *stream,
                           struct ah_backend_stream **out_stream)
{
    if (stream == AH_STREAM_PER_THREAD)
        return stream_of_thread(device, out_stream);
    *out_stream = stream == NULL || stream == AH_STREAM_LEGACY ? device->legacy : stream;
    return hipSuccess;
}
