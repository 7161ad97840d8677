/* A stream of one driver that waits for an event of another. */
#ifndef AH_RELAY_H
#define AH_RELAY_H

#include "stream.h"

/* Work of the stream from now on waits for what the event was recorded after; the event may be
 * recorded again or destroyed meanwhile. */
hipError_t ah_relay_wait(struct ah_device *device, struct ah_backend_stream *stream,
                         const struct ah_event *event);

/* Lets go of those that wait for events of a device that was reset. */
void ah_relay_forget_device(const struct ah_device *device);

#endif
