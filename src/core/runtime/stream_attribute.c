/* Owns the attributes of streams: their checks and copies. */
#include "stream_attribute.h"
#include "launch_attribute.h"

#include <stdlib.h>
#include <string.h>

enum { SETTABLE = 4 };

static const hipLaunchAttributeID settable[SETTABLE] = {
    hipLaunchAttributeAccessPolicyWindow, hipLaunchAttributeSynchronizationPolicy,
    hipLaunchAttributeMemSyncDomainMap, hipLaunchAttributeMemSyncDomain};

struct ah_stream_attributes {
    unsigned given; /* bits by the place in settable */
    hipLaunchAttributeValue values[SETTABLE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all streams' copies */

static int place_of(hipLaunchAttributeID attribute)
{
    for (int i = 0; i < SETTABLE; i++)
        if (settable[i] == attribute)
            return i;
    return -1;
}

bool ah_stream_attribute_was_set(const struct ah_stream *stream, hipLaunchAttributeID attribute,
                                 hipLaunchAttributeValue *out_value)
{
    int place = place_of(attribute);
    bool set = false;
    pthread_mutex_lock(&lock);
    if (place >= 0 && stream->attributes && stream->attributes->given >> place & 1) {
        *out_value = stream->attributes->values[place];
        set = true;
    }
    pthread_mutex_unlock(&lock);
    return set;
}

static hipError_t remember(struct ah_stream *stream, int place,
                           const hipLaunchAttributeValue *value)
{
    pthread_mutex_lock(&lock);
    if (!stream->attributes)
        stream->attributes = calloc(1, sizeof *stream->attributes);
    if (stream->attributes) {
        stream->attributes->given |= 1u << place;
        stream->attributes->values[place] = *value;
    }
    hipError_t error = stream->attributes ? hipSuccess : hipErrorOutOfMemory;
    pthread_mutex_unlock(&lock);
    return error;
}

void ah_stream_attributes_free(struct ah_stream *stream)
{
    pthread_mutex_lock(&lock);
    free(stream->attributes);
    stream->attributes = NULL;
    pthread_mutex_unlock(&lock);
}

static hipError_t tell_backend(struct ah_stream *stream, hipLaunchAttributeID attribute,
                               const hipLaunchAttributeValue *value)
{
    struct ah_backend_stream *native;
    struct ah_device *device = stream->handle.device;
    if (ah_handle_is(stream, AH_HANDLE_DETACHED_STREAM))
        return hipSuccess;
    hipError_t error = ah_stream_native(stream, &native);
    return error == hipSuccess
               ? device->ops->stream_set_attribute(device->native, native, attribute, value)
               : error;
}

static hipError_t check(const struct ah_device *device, hipLaunchAttributeID attribute,
                        const hipLaunchAttributeValue *value)
{
    static const char call[] = "hipStreamSetAttribute";
    if (attribute != hipLaunchAttributeSynchronizationPolicy)
        return ah_launch_attribute_check(device, attribute, value, call);
    int policy = (int)value->syncPolicy;
    return policy >= hipSyncPolicyAuto && policy <= hipSyncPolicyBlockingSync
               ? hipSuccess
               : hipErrorInvalidValue;
}

hipError_t ah_stream_attribute_set(struct ah_stream *stream, hipLaunchAttributeID attribute,
                                   const hipLaunchAttributeValue *value)
{
    int place = place_of(attribute);
    if (place < 0)
        return hipErrorInvalidValue;
    hipError_t error = check(stream->handle.device, attribute, value);
    if (error == hipSuccess)
        error = tell_backend(stream, attribute, value);
    return error == hipSuccess ? remember(stream, place, value) : error;
}

hipError_t ah_stream_attribute_get(struct ah_stream *stream, hipLaunchAttributeID attribute,
                                   hipLaunchAttributeValue *out_value)
{
    const struct ah_device *device = stream->handle.device;
    if (attribute == hipLaunchAttributePriority) {
        out_value->priority = stream->priority;
        return hipSuccess;
    }
    if (place_of(attribute) < 0)
        return hipErrorInvalidValue;
    if (ah_stream_attribute_was_set(stream, attribute, out_value))
        return hipSuccess;
    return device->ops->stream_default_attribute(device->native, attribute, out_value);
}

/* An attribute that the source has not set becomes its default again. */
hipError_t ah_stream_attributes_copy(struct ah_stream *dst, struct ah_stream *src)
{
    hipError_t error = hipSuccess;
    for (int i = 0; i < SETTABLE && error == hipSuccess; i++) {
        hipLaunchAttributeValue value, old;
        bool set = ah_stream_attribute_was_set(src, settable[i], &value);
        if (!set && !ah_stream_attribute_was_set(dst, settable[i], &old))
            continue;
        if (!set)
            error = ah_stream_attribute_get(src, settable[i], &value);
        if (error == hipSuccess)
            error = ah_stream_attribute_set(dst, settable[i], &value);
    }
    return error;
}
