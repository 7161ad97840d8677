/* Private to backend_cuda: how the driver's devices come to report their work, with times. */
#ifndef AHCUDA_TRACE_H
#define AHCUDA_TRACE_H

#include "cuda_backend.h"

struct ahcuda_trace;

/* A way to take times. Its functions are as the entries of the backend; cuda_trace.c calls them. */
struct ahcuda_trace_method {
    const char *name;
    /* hipErrorNotSupported, without a message: this method cannot be used. Makes *trace, whose
     * first member is a struct ahcuda_trace, unless it is there: then it was stopped. */
    hipError_t (*start)(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                        struct ahcuda_trace **trace);
    void (*begin)(struct ahcuda_trace *trace, struct ah_backend_stream *stream, uint64_t id,
                  enum ah_trace_kind kind);
    void (*end)(struct ahcuda_trace *trace, struct ah_backend_stream *stream, uint64_t id);
    void (*collect)(struct ahcuda_trace *trace, bool wait, uint64_t *out_lost);
    void (*stop)(struct ahcuda_trace *trace);
    /* The context was reset: what belonged to it is gone, and was not destroyed. Work that was not
     * collected is lost. */
    void (*forget)(struct ahcuda_trace *trace);
    void (*destroy)(struct ahcuda_trace *trace); /* which was stopped, or whose context was reset */
};

struct ahcuda_trace {
    const struct ahcuda_trace_method *method;
    struct ah_backend_device *device;
    _Atomic uint64_t lost; /* when the device was reset, since the last collect */
};

extern const struct ahcuda_trace_method ahcuda_trace_cupti, ahcuda_trace_events;

enum {
    AHCUDA_TRACE_PATIENCE = 1000000000, /* ns: how long work that does not end is waited for */
};

/* The nodes of a graph, by their index, for those who report what the driver makes of them. */
struct ahcuda_trace_nodes {
    const struct ah_backend_graph *graph;
    unsigned count, next;
    CUgraphNode (*node)(const struct ah_backend_graph *graph, unsigned index);
};

/* While the calling thread instantiates a graph, its nodes; NULL: it is at an end. */
void ahcuda_trace_instantiate(struct ahcuda_trace_nodes *nodes);
struct ahcuda_trace_nodes *ahcuda_trace_instantiating(void);

/* Before and after a reset: reports what is done, and forgets the rest. */
void ahcuda_trace_settle(struct ah_backend_device *device);
void ahcuda_trace_forget(struct ah_backend_device *device);
/* For close. */
void ahcuda_trace_destroy(struct ah_backend_device *device);

#endif
