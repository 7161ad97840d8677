/* Owns the rules for calls while streams are captured: what the mode of a thread forbids, and what
 * waits for work that does not run. */
#include "capture.h"

#include "log.h"

void ah_capture_refuse(struct ah_capture *capture, const char *call, const char *why)
{
    if (capture->invalid)
        return;
    const struct ah_stream *origin = capture->origin->stream;
    AH_LOG_ERR("%s invalidates the capture of stream %llu: %s", call, origin ? origin->id : 0, why);
    capture->invalid = true;
}

/* Calls that are unsafe in a thread because of the captures of this one, and of all that forbid
 * them everywhere; hipStreamCaptureModeRelaxed of either takes the risk. */
static bool forbids(const struct ah_capture *capture)
{
    if (capture->mode == hipStreamCaptureModeRelaxed)
        return false;
    return capture->thread == &ah_thread || (ah_thread.capture_mode == hipStreamCaptureModeGlobal &&
                                             capture->mode == hipStreamCaptureModeGlobal);
}

hipError_t ah_capture_refuse_unsafe(const char *call)
{
    hipError_t error = hipSuccess;
    if (ah_thread.capture_mode == hipStreamCaptureModeRelaxed)
        return hipSuccess;
    ah_graph_lock();
    for (struct ah_capture *capture = ah_capture_first; capture; capture = capture->next) {
        if (!forbids(capture))
            continue;
        ah_capture_refuse(capture, call,
                          "it is unsafe while a stream is captured; call it before or after, or "
                          "in hipStreamCaptureModeRelaxed");
        error = hipErrorStreamCaptureUnsupported;
    }
    ah_graph_unlock();
    return error;
}

bool ah_capture_uses(const struct ah_capture *capture, const struct ah_device *device,
                     bool blocking)
{
    for (const struct ah_captured_stream *part = capture->streams; part; part = part->next)
        if (part->stream && part->stream->handle.device == device &&
            !(blocking && (part->stream->flags & hipStreamNonBlocking)))
            return true;
    return false;
}

hipError_t ah_capture_refuse_device(const struct ah_device *device, const char *call)
{
    hipError_t error = hipSuccess;
    ah_graph_lock();
    for (struct ah_capture *capture = ah_capture_first; capture; capture = capture->next)
        if (ah_capture_uses(capture, device, false)) {
            ah_capture_refuse(capture, call, "it concerns all work of a device");
            error = hipErrorStreamCaptureUnsupported;
        }
    ah_graph_unlock();
    return error;
}

hipError_t ah_capture_refuse_legacy(const struct ah_device *device, const char *call)
{
    hipError_t error = hipSuccess;
    for (struct ah_capture *capture = ah_capture_first; capture; capture = capture->next)
        if (ah_capture_uses(capture, device, true)) {
            ah_capture_refuse(capture, call,
                              "the legacy default stream waits for blocking streams; use another "
                              "stream, or create the one that is captured with "
                              "hipStreamNonBlocking");
            error = hipErrorStreamCaptureImplicit;
        }
    return error;
}

static hipError_t refuse_waiting(struct ah_stream *stream, const char *call)
{
    if (stream->captured) {
        ah_capture_refuse(stream->captured->capture, call,
                          "work of a stream that is captured does not run");
        return hipErrorStreamCaptureUnsupported;
    }
    return stream == &stream->handle.device->legacy
               ? ah_capture_refuse_legacy(stream->handle.device, call)
               : hipSuccess;
}

hipError_t ah_capture_refuse_stream(struct ah_stream *stream, const char *call)
{
    ah_graph_lock();
    hipError_t error = refuse_waiting(stream, call);
    ah_graph_unlock();
    return error == hipSuccess ? ah_capture_refuse_unsafe(call) : error;
}

hipError_t ah_capture_refuse_event(struct ah_event *event, const char *call)
{
    ah_graph_lock();
    const struct ah_captured_event *captured = atomic_load(&event->captured);
    if (captured)
        ah_capture_refuse(captured->capture, call,
                          "the event was recorded in a stream that is captured");
    ah_graph_unlock();
    return captured ? hipErrorCapturedEvent : hipSuccess;
}
