/* A stream of one driver that waits for an event of another. */
#ifndef AH_RELAY_H
#define AH_RELAY_H

#include "stream.h"

/* Later work of the stream waits for the work before the event's record; the event may be recorded
 * again or destroyed before that. The wait ends also when the event's device fails or is reset.
 * After an error the stream may wait or not, but not for longer than that. */
hipError_t ah_relay_wait(struct ah_device *device, struct ah_backend_stream *stream,
                         const struct ah_event *event);

/* Ends waits for events of a device that is about to be reset, and releases the gates of its own
 * streams. Called before the driver's reset. */
void ah_relay_detach_device(const struct ah_device *device);

#endif
