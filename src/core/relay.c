/* Owns the waits between drivers: a gate that a callback of one driver opens and a host function
 * of the other waits at. Neither calls a driver. */
#include "relay.h"

#include <stdlib.h>

struct gate {
    const struct ah_device *opener; /* the event's */
    bool open;
    int holders; /* the callback that opens it, the function that waits */
    struct gate *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    struct gate *gates; /* also those whose callback a reset has dropped */
} relay = {.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};

static struct gate *make_gate(const struct ah_device *opener)
{
    struct gate *gate = malloc(sizeof *gate);
    if (!gate)
        return NULL;
    pthread_mutex_lock(&relay.lock);
    *gate = (struct gate){.opener = opener, .holders = 2, .next = relay.gates};
    relay.gates = gate;
    pthread_mutex_unlock(&relay.lock);
    return gate;
}

/* Called with the lock held. */
static void drop(struct gate *gate)
{
    struct gate **link = &relay.gates;
    if (--gate->holders > 0)
        return;
    while (*link != gate)
        link = &(*link)->next;
    *link = gate->next;
    free(gate);
}

static void open_gate(void *data, hipError_t status)
{
    struct gate *gate = data;
    (void)status; /* a failure of the event's device is not the waiting stream's */
    pthread_mutex_lock(&relay.lock);
    gate->open = true;
    pthread_cond_broadcast(&relay.opened);
    drop(gate);
    pthread_mutex_unlock(&relay.lock);
}

static void wait_at_gate(void *data)
{
    struct gate *gate = data;
    pthread_mutex_lock(&relay.lock);
    while (!gate->open)
        pthread_cond_wait(&relay.opened, &relay.lock);
    drop(gate);
    pthread_mutex_unlock(&relay.lock);
}

/* A stream of its own, so that waits do not wait for each other; what is queued in it is done
 * although it is destroyed at once. */
static hipError_t open_after_event(struct ah_device *device, const struct ah_event *event,
                                   struct gate *gate)
{
    struct ah_backend_stream *stream;
    hipError_t error = device->ops->stream_create(device->native, hipStreamNonBlocking, 0, &stream);
    if (error != hipSuccess)
        return error;
    error = device->ops->stream_wait_event(device->native, stream, event->native);
    if (error == hipSuccess)
        error = device->ops->stream_callback(device->native, stream, open_gate, gate);
    device->ops->stream_destroy(device->native, stream);
    return error;
}

hipError_t ah_relay_wait(struct ah_device *device, struct ah_backend_stream *stream,
                         const struct ah_event *event)
{
    struct ah_device *opener = event->handle.device;
    struct gate *gate = make_gate(opener);
    if (!gate)
        return hipErrorOutOfMemory;
    hipError_t error = open_after_event(opener, event, gate);
    if (error != hipSuccess)
        open_gate(gate, error); /* for the callback */
    if (error == hipSuccess)
        error = device->ops->stream_host_function(device->native, stream, wait_at_gate, gate);
    if (error == hipSuccess)
        return hipSuccess;
    pthread_mutex_lock(&relay.lock);
    drop(gate); /* for the function */
    pthread_mutex_unlock(&relay.lock);
    return error;
}

void ah_relay_forget_device(const struct ah_device *device)
{
    pthread_mutex_lock(&relay.lock);
    for (struct gate *gate = relay.gates; gate; gate = gate->next)
        gate->open |= gate->opener == device;
    pthread_cond_broadcast(&relay.opened);
    pthread_mutex_unlock(&relay.lock);
}
