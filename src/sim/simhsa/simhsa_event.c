/* Owns the handlers of system events. */
#include "simhsa_runtime.h"

enum { HANDLERS_MAX = 64 };

static struct {
    pthread_mutex_t lock;
    unsigned count;
    struct handler {
        hsa_amd_system_event_callback_t function;
        void *data;
    } handlers[HANDLERS_MAX];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback,
                                                   void *data)
{
    SIMHSA_ENTER();
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&all.lock);
    bool room = all.count < HANDLERS_MAX;
    if (room)
        all.handlers[all.count++] = (struct handler){callback, data};
    pthread_mutex_unlock(&all.lock);
    return room ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

bool simhsa_event(const hsa_amd_event_t *event)
{
    struct handler handlers[HANDLERS_MAX];
    pthread_mutex_lock(&all.lock);
    unsigned count = all.count;
    for (unsigned i = 0; i < count; i++)
        handlers[i] = all.handlers[i];
    pthread_mutex_unlock(&all.lock);
    for (unsigned i = 0; i < count; i++)
        handlers[i].function(event, handlers[i].data);
    return count > 0;
}

void simhsa_events_close(void)
{
    pthread_mutex_lock(&all.lock);
    all.count = 0;
    pthread_mutex_unlock(&all.lock);
}
