/* The attributes of streams that the application has set: a copy of each, so that they can be read
 * after the stream's execution context was destroyed, and that captured launches take them with
 * them. The backend has them for the work itself. */
#ifndef AH_STREAM_ATTRIBUTE_H
#define AH_STREAM_ATTRIBUTE_H

#include "stream.h"

/* hipErrorInvalidValue: streams have no such attribute, or the value is out of range;
 * hipErrorNotSupported: the device has none; hipErrorOutOfMemory. Of a detached stream, the copy
 * alone is changed. */
hipError_t ah_stream_attribute_set(struct ah_stream *stream, hipLaunchAttributeID attribute,
                                   const hipLaunchAttributeValue *value);
hipError_t ah_stream_attribute_get(struct ah_stream *stream, hipLaunchAttributeID attribute,
                                   hipLaunchAttributeValue *out_value);
/* All that one of the two streams has set. */
hipError_t ah_stream_attributes_copy(struct ah_stream *dst, struct ah_stream *src);
/* Whether the attribute was set; then writes its value. */
bool ah_stream_attribute_was_set(const struct ah_stream *stream, hipLaunchAttributeID attribute,
                                 hipLaunchAttributeValue *out_value);
/* All are as at first. */
void ah_stream_attributes_free(struct ah_stream *stream);

#endif
