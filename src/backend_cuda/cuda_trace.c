/* Owns what the device reports of its work, with times: not implemented for NVIDIA's driver yet. */
#include "cuda_backend.h"

hipError_t ahcuda_trace_start(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                              const char **out_method)
{
    (void)sink, (void)out_method;
    AH_LOG_ERR("%s:%d: a trace has no times of this device: this backend does not take them",
               device->backend->name, device->ordinal);
    return hipErrorNotSupported;
}

void ahcuda_trace_begin(struct ah_backend_device *device, struct ah_backend_stream *stream,
                        uint64_t id)
{
    (void)device, (void)stream, (void)id;
}

void ahcuda_trace_end(struct ah_backend_device *device, struct ah_backend_stream *stream,
                      uint64_t id)
{
    (void)device, (void)stream, (void)id;
}

void ahcuda_trace_collect(struct ah_backend_device *device, bool wait, uint64_t *out_lost)
{
    (void)device, (void)wait, (void)out_lost;
}

void ahcuda_trace_stop(struct ah_backend_device *device)
{
    (void)device;
}
