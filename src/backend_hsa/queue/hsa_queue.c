/* Owns the hardware queues of a device: their creation, their assignment to streams, and waiting
 * for room in them. hsa_packet.c writes the packets. */
#include "hsa_stream.h"

#include <string.h>
#include <time.h>

enum {
    PACKETS = 16384,       /* as many launches may be in flight before one waits for room */
    SHORTEST_SLEEP = 5000, /* ns, between reads of the index of a queue that is full */
    LONGEST_SLEEP = 200000,
};

/* ---- which queues there are ------------------------------------------------------------- */

/* The runtime has stopped the queue. Called by a thread of the runtime. */
static void on_queue_error(hsa_status_t status, hsa_queue_t *hsa, void *data)
{
    struct ahhsa_queue *queue = data;
    const char *words = NULL;
    (void)hsa;
    queue->device->api->hsa_status_string(status, &words);
    ahhsa_fail(queue->device, ahhsa_error(status), words ? words : "the runtime stopped a queue");
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
    hsa_status_t status =
        api->hsa_queue_create(device->agent, queue_size(device), type, on_queue_error, queue,
                              UINT32_MAX, UINT32_MAX, &hsa);
    if (status != HSA_STATUS_SUCCESS)
        return ahhsa_report(device, "hsa_queue_create", status);
    /* A failure of either is not an error: without the priority work is slower, and without
     * profiling events have no times. */
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

/* Candidates, by how many streams use them. */
struct choice {
    struct ahhsa_queue *best;   /* of the priority */
    struct ahhsa_queue *any;    /* of all priorities, also queues of one stream */
    struct ahhsa_queue *vacant; /* not created yet */
    unsigned count;             /* of the priority */
};

static bool is_less_used(const struct ahhsa_queue *queue, const struct ahhsa_queue *than)
{
    return !than || queue->streams < than->streams;
}

static struct choice choose_candidates(struct ah_backend_device *device,
                                       hsa_amd_queue_priority_t priority)
{
    struct choice choice = {NULL};
    for (int i = 0; i < AHHSA_QUEUES_MAX; i++) {
        struct ahhsa_queue *queue = &device->queues->queues[i];
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

hipError_t ahhsa_queue_assign(struct ah_backend_device *device, hsa_amd_queue_priority_t priority,
                              bool exclusive, struct ahhsa_queue **out_queue)
{
    struct choice choice = choose_candidates(device, priority);
    struct ahhsa_queue *queue = choice.best;
    if (!queue ||
        (queue->streams > 0 && (exclusive || choice.count < device->queues->queue_limit))) {
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

void ahhsa_queue_detach(struct ahhsa_queue *queue)
{
    if (--queue->streams > 0)
        return;
    queue->exclusive = false;
    if (!queue->masked)
        return;
    hsa_status_t status = queue->device->api->hsa_queue_destroy(queue->hsa);
    if (status == HSA_STATUS_SUCCESS) {
        *queue = (struct ahhsa_queue){0};
    } else { /* no stream uses it until the device is reset */
        ahhsa_report(queue->device, "hsa_queue_destroy", status);
        queue->exclusive = true;
    }
}

void ahhsa_queues_destroy(struct ah_backend_device *device)
{
    for (int i = 0; i < AHHSA_QUEUES_MAX; i++)
        if (device->queues->queues[i].hsa)
            device->api->hsa_queue_destroy(device->queues->queues[i].hsa);
    if (device->queues->cooperative.hsa)
        device->api->hsa_queue_destroy(device->queues->cooperative.hsa);
    memset(device->queues->queues, 0, sizeof device->queues->queues);
    memset(&device->queues->cooperative, 0, sizeof device->queues->cooperative);
}

/* ---- packets ---------------------------------------------------------------------------- */

bool ahhsa_queue_update_space(struct ahhsa_queue *queue, unsigned packets)
{
    queue->read = queue->device->api->hsa_queue_load_read_index_scacquire(queue->hsa);
    return queue->write + packets - queue->read <= queue->hsa->size;
}

bool ahhsa_queue_reserve_shared(struct ahhsa_queue *queue, unsigned packets)
{
    const struct ahhsa_api *api = queue->device->api;
    uint64_t found = api->hsa_queue_load_write_index_relaxed(queue->hsa);
    do {
        queue->write = found;
        if (!ahhsa_queue_update_space(queue, packets))
            return false;
        found = api->hsa_queue_cas_write_index_relaxed(queue->hsa, queue->write,
                                                       queue->write + packets);
    } while (found != queue->write);
    return true;
}

/* A full queue has thousands of packets to process, so that sleeping costs no time. */
hipError_t ahhsa_queue_pause(struct ahhsa_queue *queue, unsigned *nanoseconds)
{
    struct ah_backend_device *device = queue->device;
    *nanoseconds = *nanoseconds * 2 < SHORTEST_SLEEP  ? SHORTEST_SLEEP
                   : *nanoseconds * 2 > LONGEST_SLEEP ? LONGEST_SLEEP
                                                      : *nanoseconds * 2;
    ahhsa_unlock(device);
    nanosleep(&(struct timespec){.tv_nsec = *nanoseconds}, NULL);
    ahhsa_lock(device);
    if (ahhsa_device_error(device) != hipSuccess)
        return ahhsa_device_error(device);
    return queue->hsa ? hipSuccess : hipErrorContextIsDestroyed; /* by a reset meanwhile */
}

hipError_t ahhsa_queue_wait_for_space(struct ahhsa_queue *queue, unsigned packets)
{
    unsigned nanoseconds = 0;
    hipError_t error = hipSuccess;
    while (error == hipSuccess && !ahhsa_queue_has_space(queue, packets))
        error = ahhsa_queue_pause(queue, &nanoseconds);
    return error;
}

/* The read index may pass a barrier that still waits, but not the packet after it. */
bool ahhsa_queue_is_host_dependent(struct ahhsa_queue *queue)
{
    if (queue->streams == 1 || queue->read > queue->host_dependent_end ||
        queue->host_dependent_end == 0)
        return false; /* the only stream knows what it waits for */
    queue->read = queue->device->api->hsa_queue_load_read_index_scacquire(queue->hsa);
    return queue->read <= queue->host_dependent_end;
}
