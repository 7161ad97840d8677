/* Owns the number of captures and the way to the functions of src/core/graph. */
#include "capture.h"

_Atomic(unsigned) ah_captures;

static _Atomic(const struct ah_capture_functions *) registered;

void ah_capture_register(const struct ah_capture_functions *functions)
{
    atomic_store(&registered, functions);
}

/* NULL: no stream has ever been captured. */
static const struct ah_capture_functions *functions(void)
{
    return ah_capture_any() ? atomic_load(&registered) : NULL;
}

bool ah_capture_take(struct ah_stream *stream, const struct ah_command *command, const char *name,
                     hipError_t *out_error)
{
    const struct ah_capture_functions *capture = functions();
    return capture && capture->take(stream, command, name, out_error);
}

hipError_t ah_capture_check_unsafe(const char *call)
{
    const struct ah_capture_functions *capture = functions();
    return capture ? capture->refuse_unsafe(call) : hipSuccess;
}

hipError_t ah_capture_check_stream(struct ah_stream *stream, const char *call)
{
    const struct ah_capture_functions *capture = functions();
    return capture ? capture->refuse_stream(stream, call) : hipSuccess;
}

hipError_t ah_capture_check_device(const struct ah_device *device, const char *call)
{
    const struct ah_capture_functions *capture = functions();
    return capture ? capture->refuse_device(device, call) : hipSuccess;
}

hipError_t ah_capture_check_event(struct ah_event *event, const char *call)
{
    const struct ah_capture_functions *capture = functions();
    return capture ? capture->refuse_event(event, call) : hipSuccess;
}

void ah_capture_forget_event(struct ah_event *event)
{
    const struct ah_capture_functions *capture = functions();
    if (capture && atomic_load(&event->captured))
        capture->forget_event(event);
}

void ah_capture_leave(struct ah_stream *stream, const char *call)
{
    const struct ah_capture_functions *capture = functions();
    if (capture && (atomic_load(&stream->state) & AH_STREAM_CAPTURING))
        capture->leave(stream, call);
}

void ah_capture_device_resets(const struct ah_device *device)
{
    (void)ah_capture_check_device(device, "hipDeviceReset");
}
