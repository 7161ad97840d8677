/* Execution contexts: parts of a device with streams of their own, hipExecutionCtx_t. */
#ifndef AH_EXECUTION_H
#define AH_EXECUTION_H

#include "stream.h"

struct ah_execution_context {
    struct ah_handle handle;
    struct ah_backend_context *native; /* NULL: the whole device */
    uint32_t *mask;                    /* of units; NULL: the whole device; owned */
    unsigned words;
    unsigned long long id;
    struct ah_stream *streams; /* by next_of_context; guarded by execution.c's lock */
    struct ah_stream *joint; /* where events are recorded after work of several streams, or NULL */
    struct ah_backend_event *mark; /* by which joint waits for each of them */
};
_Static_assert(sizeof(struct ah_execution_context) <= AH_HANDLE_SLOT,
               "struct ah_execution_context");

/* type: AH_HANDLE_EXECUTION_CONTEXT or HIDDEN_CONTEXT. mask NULL: the whole device; else it is
 * copied, and names whole groups of the device's units. Errors are the backend's. */
hipError_t ah_execution_create(enum ah_handle_type type, struct ah_device *device,
                               const uint32_t *mask, unsigned words,
                               struct ah_execution_context **out_context);
/* Destroys a hidden context, which has no streams. */
hipError_t ah_execution_discard(struct ah_execution_context *context);
/* Detaches its streams, whose captures become invalid. hipErrorInvalidValue: it is not a context,
 * or a device's own. */
hipError_t ah_execution_destroy(hipExecutionCtx_t handle);
/* The device's own, which is created on the first request and never destroyed. */
hipError_t ah_execution_of_device(struct ah_device *device, hipExecutionCtx_t *out_handle);

/* A stream of the context; a hidden context ends with it. priority is brought into the device's
 * range. */
hipError_t ah_execution_stream(struct ah_execution_context *context, unsigned flags, int priority,
                               struct ah_stream **out_stream);
/* The stream was destroyed: it leaves its context, if it has one. The error is that of a hidden
 * context, which ends with it. */
hipError_t ah_execution_leave(struct ah_stream *stream);

/* The event is recorded when all work is done that the streams have now: hipErrorInvalidHandle, it
 * is another device's; hipErrorStreamCaptureUnsupported: one of the streams captures. */
hipError_t ah_execution_record(struct ah_execution_context *context, struct ah_event *event);
/* Later work of all streams waits for the event. */
hipError_t ah_execution_wait(struct ah_execution_context *context, struct ah_event *event);
/* Waits for all work that the streams have now; the device's own context: for the device. */
hipError_t ah_execution_synchronize(struct ah_execution_context *context);

/* Before the reset of a device: its contexts end; its own one stays, without streams. */
void ah_execution_release_device(struct ah_device *device);

#endif
