/* Owns what a device reports of its work, with times, as far as that does not depend on the method.
 */
#include "cuda_trace.h"

static _Thread_local struct ahcuda_trace_nodes *instantiating;

static struct ahcuda_trace *trace_of(struct ah_backend_device *device)
{
    return atomic_load_explicit(&device->trace, memory_order_acquire);
}

/* A trace that was stopped is used again, since a reset of the device may still look at it. */
static hipError_t choose(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                         struct ahcuda_trace **out_trace)
{
    static const struct ahcuda_trace_method *const methods[AHCUDA_TRACE_METHODS] = {
        &ahcuda_trace_cupti, &ahcuda_trace_events};
    hipError_t error = hipErrorNotSupported;
    for (int i = 0; i < AHCUDA_TRACE_METHODS && error == hipErrorNotSupported; i++) {
        error = methods[i]->start(device, sink, &device->traces[i]);
        if (device->traces[i]) { /* one that did not begin may have left it for later */
            device->traces[i]->method = methods[i];
            device->traces[i]->device = device;
        }
        *out_trace = device->traces[i];
    }
    return error;
}

hipError_t ahcuda_trace_start(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                              const char **out_method)
{
    struct ahcuda_trace *trace = NULL;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = choose(device, sink, &trace);
    if (error != hipSuccess)
        return error;
    *out_method = trace->method->name;
    atomic_store_explicit(&device->trace, trace, memory_order_release);
    return hipSuccess;
}

void ahcuda_trace_begin(struct ah_backend_device *device, struct ah_backend_stream *stream,
                        uint64_t id, enum ah_trace_kind kind)
{
    struct ahcuda_trace *trace = trace_of(device);
    trace->method->begin(trace, stream, id, kind);
}

void ahcuda_trace_end(struct ah_backend_device *device, struct ah_backend_stream *stream,
                      uint64_t id)
{
    struct ahcuda_trace *trace = trace_of(device);
    trace->method->end(trace, stream, id);
}

void ahcuda_trace_collect(struct ah_backend_device *device, bool wait, uint64_t *out_lost)
{
    struct ahcuda_trace *trace = trace_of(device);
    trace->method->collect(trace, wait, out_lost);
    *out_lost += atomic_exchange(&trace->lost, 0);
}

void ahcuda_trace_stop(struct ah_backend_device *device)
{
    struct ahcuda_trace *trace = trace_of(device);
    trace->method->stop(trace);
}

void ahcuda_trace_settle(struct ah_backend_device *device)
{
    struct ahcuda_trace *trace = trace_of(device);
    uint64_t lost = 0;
    if (trace)
        trace->method->collect(trace, true, &lost);
    if (lost > 0)
        atomic_fetch_add(&trace->lost, lost);
}

void ahcuda_trace_forget(struct ah_backend_device *device)
{
    struct ahcuda_trace *trace = trace_of(device);
    if (trace)
        trace->method->forget(trace);
}

void ahcuda_trace_destroy(struct ah_backend_device *device)
{
    atomic_store(&device->trace, NULL);
    for (int i = 0; i < AHCUDA_TRACE_METHODS; i++) {
        if (device->traces[i])
            device->traces[i]->method->destroy(device->traces[i]);
        device->traces[i] = NULL;
    }
}

void ahcuda_trace_instantiate(struct ahcuda_trace_nodes *nodes)
{
    instantiating = nodes;
}

struct ahcuda_trace_nodes *ahcuda_trace_instantiating(void)
{
    return instantiating;
}
