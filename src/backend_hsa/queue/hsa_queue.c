/* Owns the hardware queues of a device: how many there are, who uses which, and how packets
 * are written into them. */
#include "hsa_queue.h"

#include <string.h>
#include <time.h>

enum {
    PACKETS = 16384, /* as many launches may be under way before one waits */
    PACKET_SIZE = 64,
    NAP_SHORTEST = 5000, /* ns, between looks at a queue that is full */
    NAP_LONGEST = 200000,
    MORE_HOOKS = 6, /* of one packet: what the caller adds, its signal, what it depends on */
};

enum {
    FENCES = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
    WAITS = 1 << HSA_PACKET_HEADER_BARRIER,
};

/* ---- which queues there are ------------------------------------------------------------- */

/* The runtime stopped the queue; on a thread of the runtime. */
static void queue_failed(hsa_status_t status, hsa_queue_t *hsa, void *data)
{
    struct ahhsa_queue *queue = data;
    const char *words = NULL;
    (void)hsa;
    queue->device->api->hsa_status_string(status, &words);
    ahhsa_fail(queue->device, ahhsa_error(status), words ? words : "a queue stopped");
}

static uint32_t queue_size(const struct ah_backend_device *device)
{
    uint32_t most = 0;
    if (device->api->hsa_agent_get_info(device->agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &most) !=
            HSA_STATUS_SUCCESS ||
        most == 0 || most > PACKETS)
        return PACKETS;
    return most;
}

hipError_t ahhsa_queue_open(struct ah_backend_device *device, struct ahhsa_queue *queue,
                            hsa_queue_type_t type, hsa_amd_queue_priority_t priority)
{
    const struct ahhsa_api *api = device->api;
    hsa_queue_t *hsa = NULL;
    queue->device = device;
    hsa_status_t status = api->hsa_queue_create(device->agent, queue_size(device), type,
                                                queue_failed, queue, UINT32_MAX, UINT32_MAX, &hsa);
    if (status != HSA_STATUS_SUCCESS)
        return ahhsa_report(device, "hsa_queue_create", status);
    /* Both only change how well things go: without the second, events have no times. */
    if (priority != HSA_AMD_QUEUE_PRIORITY_NORMAL && api->hsa_amd_queue_set_priority)
        api->hsa_amd_queue_set_priority(hsa, priority);
    status = api->hsa_amd_profiling_set_profiler_enabled(hsa, 1);
    if (status != HSA_STATUS_SUCCESS)
        ahhsa_report(device, "hsa_amd_profiling_set_profiler_enabled", status);
    *queue = (struct ahhsa_queue){.hsa = hsa, .device = device, .priority = priority};
    AH_LOG(AH_LOG_INFO, AH_LOG_QUEUE, "%s:%d has queue %llu of %u packets", device->backend->name,
           device->index, (unsigned long long)hsa->id, hsa->size);
    return hipSuccess;
}

/* Queues that may be shared, by how many streams use them. */
struct choice {
    struct ahhsa_queue *best;   /* of the priority */
    struct ahhsa_queue *any;    /* of all, also those that are a stream's own */
    struct ahhsa_queue *vacant; /* could be made */
    unsigned count;             /* of the priority */
};

static bool is_less_used(const struct ahhsa_queue *queue, const struct ahhsa_queue *than)
{
    return !than || queue->streams < than->streams;
}

static struct choice look(struct ah_backend_device *device, hsa_amd_queue_priority_t priority)
{
    struct choice choice = {NULL};
    for (int i = 0; i < AHHSA_QUEUES_MAX; i++) {
        struct ahhsa_queue *queue = &device->queues[i];
        if (!queue->hsa) {
            choice.vacant = choice.vacant ? choice.vacant : queue;
            continue;
        }
        if (!queue->masked && is_less_used(queue, choice.any))
            choice.any = queue;
        if (queue->exclusive || queue->priority != priority)
            continue;
        choice.count++;
        if (is_less_used(queue, choice.best))
            choice.best = queue;
    }
    return choice;
}

hipError_t ahhsa_queue_choose(struct ah_backend_device *device, hsa_amd_queue_priority_t priority,
                              bool exclusive, struct ahhsa_queue **out_queue)
{
    struct choice choice = look(device, priority);
    struct ahhsa_queue *queue = choice.best;
    if (!queue || (queue->streams > 0 && (exclusive || choice.count < device->queue_limit))) {
        hipError_t error = hipErrorOutOfMemory;
        if (choice.vacant)
            error = ahhsa_queue_open(device, choice.vacant, HSA_QUEUE_TYPE_MULTI, priority);
        queue = error == hipSuccess ? choice.vacant : exclusive ? NULL : choice.any;
        if (!queue)
            return error;
    }
    queue->exclusive |= exclusive;
    queue->streams++;
    *out_queue = queue;
    return hipSuccess;
}

void ahhsa_queue_leave(struct ahhsa_queue *queue)
{
    if (--queue->streams > 0)
        return;
    queue->exclusive = false;
    if (!queue->masked)
        return;
    hsa_status_t status = queue->device->api->hsa_queue_destroy(queue->hsa);
    if (status == HSA_STATUS_SUCCESS) {
        *queue = (struct ahhsa_queue){0};
    } else { /* it is nobody's, until the device is reset */
        ahhsa_report(queue->device, "hsa_queue_destroy", status);
        queue->exclusive = true;
    }
}

void ahhsa_queues_close(struct ah_backend_device *device)
{
    for (int i = 0; i < AHHSA_QUEUES_MAX; i++)
        if (device->queues[i].hsa)
            device->api->hsa_queue_destroy(device->queues[i].hsa);
    if (device->cooperative.hsa)
        device->api->hsa_queue_destroy(device->cooperative.hsa);
    memset(device->queues, 0, sizeof device->queues);
    memset(&device->cooperative, 0, sizeof device->cooperative);
}

/* ---- packets ---------------------------------------------------------------------------- */

bool ahhsa_queue_has_room(struct ahhsa_queue *queue, unsigned packets)
{
    if (__builtin_expect(queue->write + packets - queue->read <= queue->hsa->size, 1))
        return true;
    queue->read = queue->device->api->hsa_queue_load_read_index_scacquire(queue->hsa);
    return queue->write + packets - queue->read <= queue->hsa->size;
}

/* A full queue has thousands of packets before it, so that naps lose no time. */
hipError_t ahhsa_queue_wait(struct ahhsa_queue *queue, unsigned packets)
{
    struct ah_backend_device *device = queue->device;
    struct timespec nap = {.tv_nsec = NAP_SHORTEST};
    while (!ahhsa_queue_has_room(queue, packets)) {
        ahhsa_unlock(device);
        nanosleep(&nap, NULL);
        ahhsa_lock(device);
        if (ahhsa_device_error(device) != hipSuccess)
            return ahhsa_device_error(device);
        if (!queue->hsa)
            return hipErrorContextIsDestroyed; /* the device was reset meanwhile */
        nap.tv_nsec = nap.tv_nsec * 2 < NAP_LONGEST ? nap.tv_nsec * 2 : NAP_LONGEST;
    }
    return hipSuccess;
}

/* The next packet, empty: the queue does not go past it before its header is written. */
static void *next_packet(struct ahhsa_queue *queue, uint64_t *out_index)
{
    char *ring = queue->hsa->base_address;
    uint64_t index = queue->write++;
    char *packet = ring + (index & (queue->hsa->size - 1)) * PACKET_SIZE;
    uint16_t header = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;
    __atomic_store_n((uint16_t *)(void *)packet, header, __ATOMIC_RELAXED);
    memset(packet + sizeof header, 0, PACKET_SIZE - sizeof header);
    queue->device->api->hsa_queue_add_write_index_relaxed(queue->hsa, 1);
    *out_index = index;
    return packet;
}

static void publish(struct ahhsa_queue *queue, void *packet, uint64_t index, int header)
{
    __atomic_store_n((uint16_t *)packet, (uint16_t)header, __ATOMIC_RELEASE);
    queue->device->api->hsa_signal_store_screlease(queue->hsa->doorbell_signal,
                                                   (hsa_signal_value_t)index);
}

void ahhsa_queue_barrier(struct ahhsa_queue *queue, bool waits, struct ahhsa_signal *const *signals,
                         unsigned count, hsa_signal_t completion)
{
    bool more;
    do {
        uint64_t index;
        unsigned now = count < AHHSA_DEPENDENCIES ? count : AHHSA_DEPENDENCIES;
        hsa_barrier_and_packet_t *packet = next_packet(queue, &index);
        for (unsigned i = 0; i < now; i++) {
            packet->dep_signal[i] = signals[i]->hsa;
            if (signals[i]->soft)
                queue->soft_end = index + 1;
        }
        signals += now;
        count -= now;
        more = count > 0;
        if (!more)
            packet->completion_signal = completion;
        publish(queue, packet, index,
                HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | FENCES |
                    (waits ? WAITS : 0));
        waits = true; /* the next for this one */
    } while (more);
}

/* The read index may pass a barrier that still waits. It does not pass the packet after that. */
bool ahhsa_queue_is_soft(struct ahhsa_queue *queue)
{
    if (queue->streams == 1 || queue->read > queue->soft_end || queue->soft_end == 0)
        return false; /* a stream alone knows by itself what it waits for */
    queue->read = queue->device->api->hsa_queue_load_read_index_scacquire(queue->hsa);
    return queue->read <= queue->soft_end;
}

/* ---- kernels ---------------------------------------------------------------------------- */

/* Room in the stream's own queue, behind what it must wait for. */
static hipError_t begin_here(struct ah_backend_stream *stream, struct ahhsa_slot *slot)
{
    hipError_t error = ahhsa_stream_make_room(stream, 1, MORE_HOOKS);
    if (error != hipSuccess)
        return error;
    slot->waits = ahhsa_stream_put_waits(stream);
    slot->queue = stream->queue;
    return hipSuccess;
}

/* In the device's queue for cooperative kernels; then it is work elsewhere, as a copy is. */
static hipError_t begin_cooperative(struct ah_backend_stream *stream, struct ahhsa_slot *slot)
{
    struct ah_backend_device *device = stream->device;
    struct ahhsa_queue *queue = &device->cooperative;
    hipError_t error = hipSuccess;
    if (!queue->hsa)
        error = ahhsa_queue_open(device, queue, HSA_QUEUE_TYPE_COOPERATIVE,
                                 HSA_AMD_QUEUE_PRIORITY_NORMAL);
    do {
        if (error == hipSuccess && !ahhsa_queue_has_room(queue, 2))
            error = ahhsa_queue_wait(queue, 2);
        if (error == hipSuccess)
            error = ahhsa_stream_mark(stream, false);
        if (error == hipSuccess)
            error = ahhsa_stream_reserve_hooks(stream, MORE_HOOKS);
        if (error != hipSuccess)
            return error;
    } while (!ahhsa_queue_has_room(queue, 2));
    hsa_signal_t none = {0};
    if (stream->tail) {
        ahhsa_queue_barrier(queue, false, &stream->tail, 1, none);
        ahhsa_stream_hook(stream, NULL, ahhsa_signal_hold(stream->tail));
    }
    slot->waits = true; /* one such kernel at a time: all its blocks must find room */
    slot->queue = queue;
    slot->elsewhere = true;
    return hipSuccess;
}

hipError_t ahhsa_packet_begin(struct ah_backend_stream *stream, unsigned flags,
                              struct ahhsa_slot *out_slot)
{
    struct ah_backend_device *device = stream->device;
    struct ahhsa_slot slot = {.stream = stream};
    ahhsa_lock(device);
    ahhsa_stream_tidy(stream);
    hipError_t error = ahhsa_device_error(device);
    if (error == hipSuccess)
        error = ahhsa_stream_join(stream);
    if (error == hipSuccess)
        error = flags & AHHSA_PACKET_COOPERATIVE ? begin_cooperative(stream, &slot)
                                                 : begin_here(stream, &slot);
    if (error == hipSuccess && flags) {
        slot.signal = ahhsa_signal_take(device);
        error = slot.signal ? hipSuccess : hipErrorOutOfMemory;
    }
    if (error != hipSuccess) {
        ahhsa_unlock(device);
        return error;
    }
    slot.packet = next_packet(slot.queue, &slot.index);
    if (slot.signal)
        slot.packet->completion_signal = slot.signal->hsa;
    *out_slot = slot;
    return hipSuccess;
}

void ahhsa_packet_hook(struct ahhsa_slot *slot, void (*function)(void *data), void *data)
{
    ahhsa_stream_hook(slot->stream, function, data);
}

static void end_packet(struct ahhsa_slot *slot, int type)
{
    if (slot->elsewhere)
        slot->stream->soft |= ahhsa_queue_is_soft(slot->queue);
    if (slot->signal)
        ahhsa_stream_set_tail(slot->stream, slot->signal, slot->elsewhere);
    else
        slot->stream->loose = true;
    publish(slot->queue, slot->packet, slot->index,
            type << HSA_PACKET_HEADER_TYPE | FENCES | (slot->waits ? WAITS : 0));
    ahhsa_unlock(slot->stream->device);
}

void ahhsa_packet_end(struct ahhsa_slot *slot)
{
    end_packet(slot, HSA_PACKET_TYPE_KERNEL_DISPATCH);
}

/* The place in the queue is taken: a barrier that waits for nothing fills it. */
void ahhsa_packet_drop(struct ahhsa_slot *slot)
{
    hsa_barrier_and_packet_t *packet = (void *)slot->packet;
    uint16_t header = packet->header;
    memset(packet, 0, sizeof *packet);
    packet->header = header;
    if (slot->signal)
        packet->completion_signal = slot->signal->hsa;
    end_packet(slot, HSA_PACKET_TYPE_BARRIER_AND);
}
