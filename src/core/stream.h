/* Streams and events as core sees them. */
#ifndef AH_STREAM_H
#define AH_STREAM_H

#include "handle.h"
#include "registry.h"

struct ah_stream {
    struct ah_handle handle;
    struct ah_backend_stream *native;
    unsigned flags;
    int priority;
    unsigned long long id;
    uint32_t *mask; /* compute units, of hipExtStreamCreateWithCUMask; owned */
    unsigned mask_words;
};

struct ah_event {
    struct ah_handle handle;
    struct ah_backend_event *native;
    unsigned flags;
    _Atomic(bool) recorded;
};

_Static_assert(sizeof(struct ah_stream) <= AH_HANDLE_SLOT, "struct ah_stream");
_Static_assert(sizeof(struct ah_event) <= AH_HANDLE_SLOT, "struct ah_event");

/* The device and the driver's handle behind any value of hipStream_t, the two
 * default streams included. hipErrorContextIsDestroyed, which is what HIP
 * answers for a stream that does not exist; hipErrorNoDevice. */
static inline hipError_t ah_stream_resolve(hipStream_t stream, struct ah_device **out_device,
                                           struct ah_backend_stream **out_native)
{
    if ((uintptr_t)stream <= (uintptr_t)hipStreamPerThread) {
        *out_device = ah_device_current();
        *out_native = (struct ah_backend_stream *)(void *)stream;
        return __builtin_expect(*out_device != NULL, 1) ? hipSuccess : hipErrorNoDevice;
    }
    if (__builtin_expect(!ah_handle_is(stream, AH_HANDLE_STREAM), 0))
        return hipErrorContextIsDestroyed;
    const struct ah_stream *object = (const struct ah_stream *)(const void *)stream;
    *out_device = object->handle.device;
    *out_native = object->native;
    return hipSuccess;
}

/* The same for functions that answer hipErrorInvalidHandle for what is not a stream. */
static inline hipError_t ah_stream_resolve_handle(hipStream_t stream, struct ah_device **out_device,
                                                  struct ah_backend_stream **out_native)
{
    hipError_t error = ah_stream_resolve(stream, out_device, out_native);
    return error == hipErrorContextIsDestroyed ? hipErrorInvalidHandle : error;
}

/* Under -fgpu-default-stream=per-thread a null stream means the thread's own. */
static inline hipStream_t ah_stream_spt(hipStream_t stream)
{
    return stream ? stream : hipStreamPerThread;
}

/* Waits, once, for the stream: the ends of blocking calls. */
hipError_t ah_stream_wait(struct ah_device *device, struct ah_backend_stream *stream);

hipError_t ah_event_check(hipEvent_t event, struct ah_event **out_event);

/* Drops streams and events of a device that was reset. */
void ah_stream_forget_device(struct ah_device *device);

#endif
