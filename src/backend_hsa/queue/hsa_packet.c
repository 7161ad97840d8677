/* Owns the packets of hardware queues: barriers, and the way of a kernel into a stream. */
#include "hsa_stream.h"

enum {
    PACKET_SIZE = 64,
    CALLBACKS_PER_PACKET = 6, /* for the caller, the chunk, the signal, the dependency */
};

/* ---- packets ---------------------------------------------------------------------------- */

/* The next packet, all 0: the device does not process it before its header is written. Its slot has
 * been reserved by ahhsa_queue_reserve_shared. */
static inline void *next_reserved_packet(struct ahhsa_queue *queue, uint64_t *out_index)
{
    char *ring = queue->hsa->base_address;
    uint64_t index = queue->write++;
    char *packet = ring + (index & (queue->hsa->size - 1)) * PACKET_SIZE;
    uint16_t header = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;
    __atomic_store_n((uint16_t *)(void *)packet, header, __ATOMIC_RELAXED);
    memset(packet + sizeof header, 0, PACKET_SIZE - sizeof header);
    *out_index = index;
    return packet;
}

/* The same for a queue to which only the backend writes. */
static void *next_packet(struct ahhsa_queue *queue, uint64_t *out_index)
{
    void *packet = next_reserved_packet(queue, out_index);
    queue->device->api->hsa_queue_add_write_index_relaxed(queue->hsa, 1);
    return packet;
}

/* Makes a packet visible to the device. */
static void publish(struct ahhsa_queue *queue, void *packet, uint64_t index, int type,
                    bool barrier_bit)
{
    enum {
        FENCES = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
    };
    int header = type << HSA_PACKET_HEADER_TYPE | FENCES |
                 (barrier_bit ? 1 << HSA_PACKET_HEADER_BARRIER : 0);
    __atomic_store_n((uint16_t *)packet, (uint16_t)header, __ATOMIC_RELEASE);
    queue->device->api->hsa_signal_store_screlease(queue->hsa->doorbell_signal,
                                                   (hsa_signal_value_t)index);
}

void ahhsa_queue_barrier(struct ahhsa_queue *queue, bool barrier_bit,
                         struct ahhsa_signal *const *signals, unsigned count,
                         hsa_signal_t completion)
{
    bool more;
    do {
        uint64_t index;
        unsigned now = count < AHHSA_BARRIER_SIGNALS ? count : AHHSA_BARRIER_SIGNALS;
        hsa_barrier_and_packet_t *packet = next_packet(queue, &index);
        for (unsigned i = 0; i < now; i++) {
            packet->dep_signal[i] = signals[i]->hsa;
            if (signals[i]->host_dependent)
                queue->host_dependent_end = index + 1;
        }
        signals += now;
        count -= now;
        more = count > 0;
        if (!more)
            packet->completion_signal = completion;
        publish(queue, packet, index, HSA_PACKET_TYPE_BARRIER_AND, barrier_bit);
        barrier_bit = true; /* the next packet waits for this one */
    } while (more);
}

/* ---- kernels: anything unusual ---------------------------------------------------------- */

/* A barrier in the device's queue for cooperative kernels, which waits for a signal, unless that is
 * NULL. */
static void shared_barrier(struct ahhsa_queue *queue, const struct ahhsa_signal *signal)
{
    uint64_t index;
    hsa_barrier_and_packet_t *packet = next_reserved_packet(queue, &index);
    if (signal) {
        packet->dep_signal[0] = signal->hsa;
        if (signal->host_dependent)
            queue->host_dependent_end = index + 1;
    }
    publish(queue, packet, index, HSA_PACKET_TYPE_BARRIER_AND, false);
}

/* Reserves slots in the device's queue for cooperative kernels, which another HIP or OpenMP runtime
 * in this process may use too: one for the kernel, and one for a barrier if the stream has earlier
 * work. Such a kernel is off the stream's queue, like a copy. */
static hipError_t reserve_cooperative(struct ah_backend_stream *stream)
{
    struct ah_backend_device *device = stream->device;
    struct ahhsa_queue *queue = &device->queues->cooperative;
    unsigned nanoseconds = 0;
    hipError_t error = hipSuccess;
    if (!queue->hsa)
        error = ahhsa_queue_open(device, queue, HSA_QUEUE_TYPE_COOPERATIVE,
                                 HSA_AMD_QUEUE_PRIORITY_NORMAL);
    while (error == hipSuccess) {
        error = ahhsa_stream_insert_marker(stream, false);
        if (error == hipSuccess)
            error = ahhsa_stream_reserve_callbacks(stream, CALLBACKS_PER_PACKET);
        if (error == hipSuccess && ahhsa_queue_reserve_shared(queue, stream->last_signal ? 2 : 1))
            break;
        if (error == hipSuccess)
            error = ahhsa_queue_pause(queue, &nanoseconds);
    }
    return error;
}

/* Order with the default stream, and space in the queue, for which the lock may be released. */
static hipError_t prepare(struct ah_backend_stream *stream, bool cooperative)
{
    ahhsa_stream_reap(stream);
    hipError_t error = ahhsa_device_error(stream->device);
    if (error == hipSuccess)
        error = ahhsa_stream_order_with_default(stream);
    if (error != hipSuccess)
        return error;
    return cooperative ? reserve_cooperative(stream)
                       : ahhsa_stream_reserve(stream, 1, CALLBACKS_PER_PACKET);
}

/* Begins another chunk for the stream's arguments. The previous one is released when this kernel's
 * signal is done. */
static hipError_t next_chunk(struct ahhsa_dispatch *dispatch)
{
    struct ah_backend_stream *stream = dispatch->stream;
    struct ahhsa_argument_chunk *next =
        ahhsa_argument_chunk_acquire(stream->device->queues->arguments);
    if (!next)
        return hipErrorOutOfMemory;
    if (!dispatch->signal && !(dispatch->signal = ahhsa_signal_acquire(stream->device))) {
        ahhsa_argument_chunk_release(next);
        return hipErrorOutOfMemory;
    }
    if (stream->chunk)
        ahhsa_stream_add_callback(stream, ahhsa_argument_chunk_release, stream->chunk);
    stream->chunk = next;
    return hipSuccess;
}

/* The stream's earlier work is in another queue: a barrier there waits for it. One such kernel at a
 * time, since all its blocks must be resident. */
static void order_cooperative(struct ahhsa_dispatch *dispatch)
{
    struct ah_backend_stream *stream = dispatch->stream;
    dispatch->to = &stream->device->queues->cooperative;
    dispatch->barrier = true;
    dispatch->off_queue = true;
    if (stream->last_signal) {
        shared_barrier(dispatch->to, stream->last_signal);
        ahhsa_stream_add_callback(stream, NULL, ahhsa_signal_retain(stream->last_signal));
    }
}

/* ---- kernels: every launch -------------------------------------------------------------- */

/* Whether a packet can be written without preparation: no callback is due, the stream waits for
 * nothing outside of its queue, and there is space. */
static inline bool is_ready(const struct ah_backend_stream *stream)
{
    const struct ahhsa_device_queues *queues = stream->device->queues;
    const struct ahhsa_queue *queue = stream->queue;
    bool ordered = stream->blocking
                       ? stream->is_active && stream->legacy_work_seen == queues->legacy_work
                       : !stream->legacy || !queues->active_blocking;
    return ordered && stream->dependency_count == 0 && !stream->off_queue &&
           stream->callback_count + CALLBACKS_PER_PACKET <= stream->callback_capacity &&
           queue->write + 1 - queue->read <= queue->hsa->size &&
           (stream->checkpoint == 0 || !ahhsa_stream_has_due_callback(stream));
}

/* Orders the packet after the stream's earlier work and its dependencies. */
static inline void order(struct ahhsa_dispatch *dispatch, bool cooperative)
{
    struct ah_backend_stream *stream = dispatch->stream;
    if (__builtin_expect(cooperative, 0)) {
        order_cooperative(dispatch);
        return;
    }
    if (__builtin_expect(stream->dependency_count > 0, 0))
        ahhsa_stream_insert_dependencies(stream);
    dispatch->to = stream->queue;
    dispatch->barrier = ahhsa_stream_needs_barrier_bit(stream);
}

/* Everything that can fail. A barrier that was written before remains, and does no harm. */
static inline hipError_t reserve(struct ahhsa_dispatch *dispatch, uint32_t arguments_size,
                                 unsigned flags)
{
    struct ah_backend_stream *stream = dispatch->stream;
    if (flags && !(dispatch->signal = ahhsa_signal_acquire(stream->device)))
        return hipErrorOutOfMemory;
    if (arguments_size == 0)
        return hipSuccess;
    if (__builtin_expect(
            !stream->chunk || stream->chunk->used + arguments_size > AHHSA_ARGUMENTS_MAX, 0)) {
        hipError_t error = next_chunk(dispatch);
        if (error != hipSuccess) {
            ahhsa_signal_release(dispatch->signal);
            return error;
        }
    }
    dispatch->arguments = stream->chunk->memory + stream->chunk->used;
    stream->chunk->used += arguments_size;
    return hipSuccess;
}

/* A kernel whose times are reported has a signal, unless there are no more. */
static void add_times(struct ahhsa_dispatch *dispatch)
{
    dispatch->traced = ahhsa_trace_find(dispatch->stream);
    if (dispatch->traced == 0 || dispatch->signal)
        return;
    dispatch->signal = ahhsa_signal_acquire(dispatch->stream->device);
    if (dispatch->signal)
        return;
    ahhsa_trace_lose(dispatch->stream->device, 1);
    dispatch->traced = 0;
}

hipError_t ahhsa_dispatch_begin(struct ah_backend_stream *stream, uint32_t arguments_size,
                                unsigned flags, struct ahhsa_dispatch *out_dispatch)
{
    struct ah_backend_device *device = stream->device;
    bool cooperative = (flags & AHHSA_DISPATCH_COOPERATIVE) != 0;
    *out_dispatch = (struct ahhsa_dispatch){.stream = stream};
    ahhsa_lock(device);
    hipError_t error = ahhsa_device_error(device);
    if (__builtin_expect(cooperative || !is_ready(stream), 0))
        error = prepare(stream, cooperative);
    else if (stream->legacy)
        device->queues->legacy_work++;
    if (error == hipSuccess) {
        order(out_dispatch, cooperative);
        error = reserve(out_dispatch, arguments_size, flags);
    }
    if (__builtin_expect(ahhsa_is_traced(stream), 0) && error == hipSuccess)
        add_times(out_dispatch);
    if (error != hipSuccess) {
        if (out_dispatch->off_queue)
            shared_barrier(out_dispatch->to, NULL); /* in the slot of the kernel */
        ahhsa_unlock(device);
        return error;
    }
    out_dispatch->queue = out_dispatch->to->hsa;
    out_dispatch->packet = __builtin_expect(cooperative, 0)
                               ? next_reserved_packet(out_dispatch->to, &out_dispatch->index)
                               : next_packet(out_dispatch->to, &out_dispatch->index);
    if (out_dispatch->signal)
        out_dispatch->packet->completion_signal = out_dispatch->signal->hsa;
    return hipSuccess;
}

static void report_kernel(const struct ahhsa_dispatch *dispatch)
{
    ahhsa_trace_add(dispatch->stream->device, &(struct ahhsa_traced){.id = dispatch->traced,
                                                                     .kind = AH_TRACE_KERNEL,
                                                                     .node = -1,
                                                                     .signal = dispatch->signal,
                                                                     .in_queue = true});
}

void ahhsa_dispatch_end(struct ahhsa_dispatch *dispatch)
{
    struct ah_backend_stream *stream = dispatch->stream;
    if (dispatch->off_queue)
        stream->host_dependent |= ahhsa_queue_is_host_dependent(dispatch->to);
    if (__builtin_expect(dispatch->traced != 0, 0))
        report_kernel(dispatch);
    if (dispatch->signal)
        ahhsa_stream_set_last_signal(stream, dispatch->signal, dispatch->off_queue);
    else
        stream->unsignaled = true;
    publish(dispatch->to, dispatch->packet, dispatch->index, HSA_PACKET_TYPE_KERNEL_DISPATCH,
            dispatch->barrier);
    ahhsa_unlock(stream->device);
}
