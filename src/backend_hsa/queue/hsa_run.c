/* Owns the way of kernels into a stream whose packets were prepared before. */
#include "hsa_stream.h"

#include <stdlib.h>

enum {
    PACKET_SIZE = 64,
    HEAD = 4,      /* the header, and the setup of a kernel */
    CALLBACKS = 4, /* for the caller and the signal; as many for one who fails to get them later */
};

uint16_t ahhsa_run_header(bool barrier)
{
    return (uint16_t)(HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE |
                      (barrier ? 1 : 0) << HSA_PACKET_HEADER_BARRIER);
}

/* The device does not process a packet before its header is written, after all else. */
static inline void write_packet(char *to, const hsa_kernel_dispatch_packet_t *from, bool barrier,
                                hsa_signal_t completion)
{
    hsa_kernel_dispatch_packet_t *packet = (hsa_kernel_dispatch_packet_t *)(void *)to;
    uint32_t invalid = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE | (uint32_t)from->setup
                                                                               << 16;
    __atomic_store_n((uint32_t *)(void *)to, invalid, __ATOMIC_RELAXED);
    memcpy(to + HEAD, (const char *)from + HEAD, PACKET_SIZE - HEAD);
    packet->completion_signal.handle = from->completion_signal.handle | completion.handle;
    uint16_t header = (uint16_t)(from->header | (barrier ? 1 : 0) << HSA_PACKET_HEADER_BARRIER);
    __atomic_store_n((uint16_t *)(void *)to, header, __ATOMIC_RELEASE);
}

/* Writes count packets, for which there is space, and tells the device of them. The first one waits
 * for what is before it if barrier. A signal is completed after all: by the last one, or by a
 * barrier behind them. */
static void write_packets(struct ahhsa_queue *queue, const hsa_kernel_dispatch_packet_t *packets,
                          unsigned count, bool barrier, struct ahhsa_signal *signal,
                          bool ends_in_one)
{
    hsa_signal_t none = {0}, completion = signal && ends_in_one ? signal->hsa : none;
    const struct ahhsa_api *api = queue->device->api;
    char *ring = queue->hsa->base_address;
    uint64_t mask = queue->hsa->size - 1, index = queue->write;
    queue->write += count;
    api->hsa_queue_add_write_index_relaxed(queue->hsa, count);
    for (unsigned i = 0; i < count; i++)
        write_packet(ring + ((index + i) & mask) * PACKET_SIZE, &packets[i], barrier && i == 0,
                     i + 1 == count ? completion : none);
    if (signal && !ends_in_one)
        ahhsa_queue_barrier(queue, true, NULL, 0, signal->hsa);
    else
        api->hsa_signal_store_screlease(queue->hsa->doorbell_signal,
                                        (hsa_signal_value_t)(queue->write - 1));
}

/* A piece of a run, for which there is space. The stream's latest work is in its queue then. */
static void write_piece(struct ah_backend_stream *stream, const struct ahhsa_run *run,
                        unsigned first, unsigned count, struct ahhsa_signal *signal)
{
    ahhsa_stream_insert_dependencies(stream);
    write_packets(stream->queue, run->packets + first, count,
                  ahhsa_stream_needs_barrier_bit(stream), signal, run->ends_in_one);
    stream->unsignaled = true;
    stream->off_queue = false;
}

/* Whether the default stream and blocking ones still know of each other's work. */
static bool is_ordered(const struct ah_backend_stream *stream)
{
    const struct ahhsa_device_queues *queues = stream->device->queues;
    if (stream->blocking)
        return stream->is_active && stream->legacy_work_seen == queues->legacy_work;
    return !stream->legacy || !queues->active_blocking;
}

/* Order with the default stream, and space. Where the lock is released to wait for space, other
 * threads may change either. */
static hipError_t prepare(struct ah_backend_stream *stream, unsigned packets)
{
    hipError_t error;
    do {
        error = ahhsa_stream_order_with_default(stream);
        if (error == hipSuccess)
            error = ahhsa_stream_reserve(stream, packets, CALLBACKS);
    } while (error == hipSuccess && !is_ordered(stream));
    return error;
}

/* All but the last piece, and space for that. Other work may come between pieces where the lock is
 * released, also a marker: the first packet of each piece waits for what is before it. */
static hipError_t write_first_pieces(struct ah_backend_stream *stream, const struct ahhsa_run *run,
                                     unsigned *out_written)
{
    unsigned most = stream->queue->hsa->size / 2;
    hipError_t error = hipSuccess;
    while (error == hipSuccess && run->count - *out_written > most) {
        error = prepare(stream, most);
        if (error != hipSuccess)
            break;
        write_piece(stream, run, *out_written, most, NULL);
        *out_written += most;
    }
    return error == hipSuccess ? prepare(stream, run->count - *out_written + 1) : error;
}

/* Under the lock. */
static hipError_t enqueue(struct ah_backend_stream *stream, const struct ahhsa_run *run,
                          void (*ended)(void *data), void *data, bool *out_begun,
                          struct ahhsa_signal **out_signal)
{
    struct ah_backend_device *device = stream->device;
    struct ahhsa_signal *signal = NULL;
    unsigned written = 0;
    uint64_t generation = atomic_load(&device->generation);
    ahhsa_stream_reap(stream);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess && !(signal = ahhsa_signal_acquire(device)))
        error = hipErrorOutOfMemory;
    if (error == hipSuccess)
        error = write_first_pieces(stream, run, &written);
    if (error == hipSuccess)
        write_piece(stream, run, written, run->count - written, signal);
    /* Where the last piece was not written, the first ones left room for callbacks, unless other
     * threads have used it: then what the packets need stays until the end of the process. A reset
     * while there was no space has ended the packets, and the stream with them. */
    *out_begun =
        error == hipSuccess || (written > 0 && atomic_load(&device->generation) == generation);
    if (*out_begun && ahhsa_stream_reserve_callbacks(stream, 2) == hipSuccess)
        ahhsa_stream_add_callback(stream, ended, data);
    if (error != hipSuccess) {
        ahhsa_signal_release(signal);
        return error;
    }
    *out_signal = ahhsa_signal_retain(signal);
    ahhsa_stream_set_last_signal(stream, signal, false);
    return hipSuccess;
}

static hipError_t locked_enqueue(struct ah_backend_stream *stream, const struct ahhsa_run *run,
                                 void (*ended)(void *data), void *data, bool *out_begun,
                                 struct ahhsa_signal **out_signal)
{
    struct ah_backend_device *device = stream->device;
    ahhsa_lock(device);
    hipError_t error = enqueue(stream, run, ended, data, out_begun, out_signal);
    ahhsa_unlock(device);
    return error;
}

/* ---- a run whose times are reported ------------------------------------------------------- */

/* A copy of the run whose packets have signals of their own. */
struct traced_run {
    struct ahhsa_run run;
    hsa_kernel_dispatch_packet_t *packets;
    struct ahhsa_signal **signals; /* held */
};

static void free_traced(struct traced_run *traced)
{
    for (unsigned i = 0; traced->signals && i < traced->run.count; i++)
        ahhsa_signal_release(traced->signals[i]);
    free(traced->signals);
    free(traced->packets);
}

/* False: there is not enough memory, or not enough signals. What there are of these is left to the
 * launch itself. */
static bool copy_run(struct ah_backend_device *device, const struct ahhsa_run *run,
                     struct traced_run *out_traced)
{
    *out_traced = (struct traced_run){
        .run = {.count = run->count},
        .packets = malloc(run->count * sizeof *out_traced->packets),
        .signals = calloc(run->count, sizeof(struct ahhsa_signal *)),
    };
    out_traced->run.packets = out_traced->packets;
    if (!out_traced->packets || !out_traced->signals)
        return false;
    memcpy(out_traced->packets, run->packets, run->count * sizeof *run->packets);
    for (unsigned i = 0; i < run->count; i++) {
        struct ahhsa_signal *signal = out_traced->signals[i] = ahhsa_signal_acquire(device);
        if (!signal)
            return false;
        out_traced->packets[i].completion_signal = signal->hsa;
    }
    return true;
}

static void report_run(struct ah_backend_device *device, const struct ahhsa_run *run,
                       const struct traced_run *traced, uint64_t id)
{
    for (unsigned i = 0; i < run->count; i++)
        ahhsa_trace_add(device, &(struct ahhsa_traced){.id = id,
                                                       .kind = AH_TRACE_KERNEL,
                                                       .node = (int)run->nodes[i],
                                                       .signal = traced->signals[i],
                                                       .in_queue = true});
}

static hipError_t enqueue_traced(struct ah_backend_stream *stream, const struct ahhsa_run *run,
                                 uint64_t id, void (*ended)(void *data), void *data,
                                 bool *out_begun, struct ahhsa_signal **out_signal)
{
    struct traced_run traced;
    struct ah_backend_device *device = stream->device;
    if (!copy_run(device, run, &traced)) {
        free_traced(&traced);
        ahhsa_trace_lose(device, run->count);
        return locked_enqueue(stream, run, ended, data, out_begun, out_signal);
    }
    hipError_t error = locked_enqueue(stream, &traced.run, ended, data, out_begun, out_signal);
    if (*out_begun)
        report_run(device, run, &traced, id);
    free_traced(&traced);
    return error;
}

hipError_t ahhsa_run_enqueue(struct ah_backend_stream *stream, const struct ahhsa_run *run,
                             void (*ended)(void *data), void *data, bool *out_begun,
                             struct ahhsa_signal **out_signal)
{
    uint64_t id = ahhsa_trace_command(stream);
    if (__builtin_expect(id != 0, 0))
        return enqueue_traced(stream, run, id, ended, data, out_begun, out_signal);
    return locked_enqueue(stream, run, ended, data, out_begun, out_signal);
}
