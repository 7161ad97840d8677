/* Owns what streams and events share beyond their public functions. */
#include "stream.h"
#include "relay.h"

#include <stdlib.h>

hipError_t ah_stream_wait(struct ah_device *device, struct ah_backend_stream *stream)
{
    return device->ops->stream_synchronize(device->native, stream);
}

hipError_t ah_event_check(hipEvent_t event, struct ah_event **out_event)
{
    if (!ah_handle_is(event, AH_HANDLE_EVENT))
        return hipErrorInvalidHandle;
    *out_event = (struct ah_event *)(void *)event;
    return hipSuccess;
}

static void forget_stream(void *handle, void *device)
{
    struct ah_stream *stream = handle;
    if (stream->handle.device == device && ah_handle_retire(handle, AH_HANDLE_STREAM)) {
        free(stream->mask);
        ah_handle_destroy(handle);
    }
}

static void forget_event(void *handle, void *device)
{
    struct ah_event *event = handle;
    if (event->handle.device == device && ah_handle_retire(handle, AH_HANDLE_EVENT))
        ah_handle_destroy(handle);
}

void ah_stream_forget_device(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_STREAM, forget_stream, device);
    ah_handle_each(AH_HANDLE_EVENT, forget_event, device);
    ah_relay_forget_device(device);
}
