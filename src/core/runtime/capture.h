/* What the runtime and the public functions ask while streams are captured. The rules of capture,
 * and the graphs that it makes, are src/core/graph's, which registers the functions below when the
 * first capture begins.
 *
 * A stream that captures has AH_STREAM_CAPTURING in its state, the legacy stream of a device that a
 * capturing stream is ordered with has AH_STREAM_BESIDE_CAPTURE, so that launches find both in the
 * one branch that they have. Everything else asks ah_capture_any first, which is one load. */
#ifndef AH_CAPTURE_H
#define AH_CAPTURE_H

#include "stream.h"
#include "submit.h"

struct ah_capture_functions {
    /* Takes a command that may not go to the driver: see ah_capture_concerns. False: it may, after
     * all. name: of the command, for messages. */
    bool (*take)(struct ah_stream *stream, const struct ah_command *command, const char *name,
                 hipError_t *out_error);
    hipError_t (*refuse_unsafe)(const char *call);
    hipError_t (*refuse_stream)(struct ah_stream *stream, const char *call);
    hipError_t (*refuse_device)(const struct ah_device *device, const char *call);
    hipError_t (*refuse_event)(struct ah_event *event, const char *call);
    void (*forget_event)(struct ah_event *event);
    void (*leave)(struct ah_stream *stream, const char *call);
};

/* Captures that have begun and not ended. */
extern _Atomic(unsigned) ah_captures;

/* Before the first capture begins; the functions are the same every time. */
void ah_capture_register(const struct ah_capture_functions *functions);

static inline bool ah_capture_any(void)
{
    return __builtin_expect(atomic_load_explicit(&ah_captures, memory_order_relaxed) != 0, 0);
}

/* Whether a command needs ah_capture_take although the stream's state does not say so: the host
 * would wait for it, or it may wait for an event of a capture and thereby join it. */
static inline bool ah_capture_concerns(const struct ah_command *command)
{
    return ah_capture_any() &&
           (command->blocking == AH_BLOCKING || command->kind == AH_COMMAND_EVENT_WAIT);
}

/* Makes the command part of the graph, or refuses it. False: it is for the driver. */
bool ah_capture_take(struct ah_stream *stream, const struct ah_command *command, const char *name,
                     hipError_t *out_error);

/* The checks of public functions; call is their name, for messages. A call that is refused makes
 * the captures that it is refused for invalid. */

/* Calls that may wait for a device or change what captured work would see: memory is allocated or
 * freed, the host waits. hipErrorStreamCaptureUnsupported: the thread's mode forbids them while
 * such captures are under way. */
hipError_t ah_capture_check_unsafe(const char *call);
/* The host waits for a stream or asks for its state. hipErrorStreamCaptureUnsupported: it
 * captures, or the mode forbids it; hipErrorStreamCaptureImplicit: the legacy stream beside a
 * stream that captures. */
hipError_t ah_capture_check_stream(struct ah_stream *stream, const char *call);
/* The host waits for a device. hipErrorStreamCaptureUnsupported: a stream of it captures. */
hipError_t ah_capture_check_device(const struct ah_device *device, const char *call);
/* The host asks for an event's state. hipErrorCapturedEvent: it was last recorded in a stream that
 * captures. */
hipError_t ah_capture_check_event(struct ah_event *event, const char *call);

/* The event is recorded outside of a capture, or destroyed. */
void ah_capture_forget_event(struct ah_event *event);
/* The stream is about to be destroyed: it leaves its capture, which ends if it began there. call
 * NULL: the stream's thread ends. */
void ah_capture_leave(struct ah_stream *stream, const char *call);
/* The device is about to be reset: captures in streams of it are invalid. */
void ah_capture_device_resets(const struct ah_device *device);

#endif
