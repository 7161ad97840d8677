/* Owns what the device reports of its work, with times: not implemented for HSA yet. */
#include "hsa_stream.h"

hipError_t ahhsa_trace_start(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                             const char **out_method)
{
    (void)sink, (void)out_method;
    return ahhsa_refuse(device, "a trace of the device's work", "this backend does not take times");
}

void ahhsa_trace_begin(struct ah_backend_device *device, struct ah_backend_stream *stream,
                       uint64_t id)
{
    (void)device, (void)stream, (void)id;
}

void ahhsa_trace_end(struct ah_backend_device *device, struct ah_backend_stream *stream,
                     uint64_t id)
{
    (void)device, (void)stream, (void)id;
}

void ahhsa_trace_collect(struct ah_backend_device *device, bool wait, uint64_t *out_lost)
{
    (void)device, (void)wait, (void)out_lost;
}

void ahhsa_trace_stop(struct ah_backend_device *device)
{
    (void)device;
}
