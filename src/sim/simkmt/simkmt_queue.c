/* Owns queues: the functions of runtimes on them, and the reports of their failures. amdgpu_queue.h
 * executes AQL packets, simkmt_sdma.c SDMA packets. */
#include "simkmt.h"

#include <stdlib.h>
#include <string.h>

/* The number by which trap handlers know a doorbell: these bits of its address, as runtimes compute
 * it. */
enum { DOORBELLS = 1024 };
enum { QUEUES_MAX = 512, PACKET = 64, RING_MAX = 1 << 30 };

struct queue {
    const struct simkmt_node *node;
    struct simkmt_sdma *sdma; /* NULL: an AQL queue */
    struct amdgpu_queue *processor;
    const amd_queue_t *amd; /* NULL: an SDMA queue */
    amd_signal_t bell;      /* the processor's; the runtime's doorbell rings it */
    struct simkmt_doorbell doorbell;
    volatile int64_t *error_reason;
    uint32_t error_event; /* number, 0: none */
    bool has_gws;
};

/* A queue's number is its index in the table, plus 1. */
static struct {
    pthread_mutex_t lock;
    struct queue *table[QUEUES_MAX];
} queues = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- failures -------------------------------------------------------------------------- */

/* Runtimes have no reason for a lack of memory or a lost device: for them the waves were
 * aborted. */
static unsigned reason_of(hsa_status_t status)
{
    switch ((int)status) {
    case HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION:
        return KFD_EC_QUEUE_WAVE_APERTURE_VIOLATION;
    case HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION:
        return KFD_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION;
    case HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS:
        return KFD_EC_QUEUE_PACKET_DISPATCH_DIM_INVALID;
    case HSA_STATUS_ERROR_INVALID_ALLOCATION:
        return KFD_EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID;
    case HSA_STATUS_ERROR_INVALID_CODE_OBJECT:
        return KFD_EC_QUEUE_PACKET_DISPATCH_CODE_INVALID;
    case HSA_STATUS_ERROR_INVALID_ARGUMENT:
        return KFD_EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID;
    case HSA_STATUS_ERROR_INVALID_PACKET_FORMAT:
        return KFD_EC_QUEUE_PACKET_UNSUPPORTED;
    case HSA_STATUS_ERROR_EXCEPTION:
        return KFD_EC_QUEUE_WAVE_TRAP;
    default:
        return KFD_EC_QUEUE_WAVE_ABORT;
    }
}

static void report_reasons(struct queue *queue, int64_t reasons)
{
    uint64_t place = (uintptr_t)queue->error_reason;
    if (place % sizeof(int64_t) != 0 || !simkmt_memory_exists(place) || reasons == 0)
        return;
    __atomic_fetch_or(queue->error_reason, reasons, __ATOMIC_SEQ_CST);
    simkmt_interrupt(queue->error_event);
}

/* The message of a trap handler: the number of the queue's doorbell, and the exceptions of waves. A
 * message without exceptions is an event's number. Memory faults are described below. */
static void trapped(void *data, uint32_t message)
{
    enum { DOORBELL_BITS = 10, EXCEPTIONS = 0x3f };
    uint32_t exceptions = message >> DOORBELL_BITS & EXCEPTIONS;
    if (exceptions == 0)
        simkmt_interrupt(message);
    else
        report_reasons(data, exceptions & ~(1u << (KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION - 1)));
}

/* A memory fault is reported by its event only: AMD's runtime 5.2 never finishes destroying a queue
 * that also has it among its reasons. If there is no such event (AMD's present runtime creates none
 * for a libdtif.so), it is reported as an aperture violation, since that runtime ignores the reason
 * of a memory fault. */
static void failed(void *data, const struct amdgpu_queue_error *error)
{
    struct queue *queue = data;
    unsigned reason = reason_of(error->status);
    if (simkmt.model) {
        simkmt_model_failed(queue->node, queue->amd, error);
        return;
    }
    if (error->status == (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT) {
        if (simkmt_memory_fault(queue->node, error->end.address))
            return;
        reason = KFD_EC_QUEUE_WAVE_APERTURE_VIOLATION;
    } else if (error->end.interrupt_sent) {
        return;
    }
    report_reasons(queue, INT64_C(1) << (reason - 1));
}

void simkmt_queues_fault(const struct simkmt_node *node)
{
    pthread_mutex_lock(&queues.lock); /* before the lock of events */
    for (unsigned i = 0; i < QUEUES_MAX; i++) {
        struct queue *queue = queues.table[i];
        if (queue && !queue->sdma && queue->node == node)
            report_reasons(queue, INT64_C(1) << (KFD_EC_QUEUE_WAVE_APERTURE_VIOLATION - 1));
    }
    pthread_mutex_unlock(&queues.lock);
}

/* ---- making ---------------------------------------------------------------------------- */

static void ring_aql(struct simkmt_doorbell *doorbell, uint64_t value)
{
    struct queue *queue =
        (struct queue *)(void *)((char *)doorbell - offsetof(struct queue, doorbell));
    amdgpu_signal_store(&queue->bell, (int64_t)value);
}

static void ring_index(struct simkmt_doorbell *doorbell, uint64_t written)
{
    if (written > 0)
        ring_aql(doorbell, written - 1);
}

/* A doorbell for it, or its owner's write index. */
static bool open_doorbell(struct queue *queue, amd_queue_t *amd)
{
    queue->doorbell.ring = simkmt.model ? ring_index : ring_aql;
    if (!simkmt.model)
        return simkmt_doorbell_open(&queue->doorbell);
    queue->doorbell.place = (_Atomic(uint64_t) *)&amd->write_dispatch_id;
    return simkmt_doorbell_watch(&queue->doorbell);
}

/* The amd_queue_t is found by its read index, which the caller names; the runtime owns its other
 * fields. */
static amd_queue_t *find_queue(const struct simkmt_node *node, const HsaQueueResource *resource)
{
    uint64_t address = resource->QueueRptrValue - offsetof(amd_queue_t, read_dispatch_id);
    if (!resource->QueueRptrValue || address % _Alignof(amd_queue_t) != 0)
        return NULL;
    return (amd_queue_t *)(void *)sim_translate_range(node->gpu.device, address,
                                                      sizeof(amd_queue_t), true);
}

static HSAKMT_STATUS create_aql(struct queue *queue, void *ring, uint64_t size, int32_t priority,
                                HsaQueueResource *resource)
{
    int device = queue->node->gpu.device;
    amd_queue_t *amd = find_queue(queue->node, resource);
    if (!amd || !sim_translate_range(device, (uintptr_t)ring, size, true))
        return simkmt_refuse(HSAKMT_STATUS_INVALID_PARAMETER,
                             "an AQL queue whose ring or indices node %u cannot access",
                             queue->node->number);
    queue->amd = amd;
    queue->error_reason = resource->ErrorReason;
    amdgpu_signal_init(&queue->bell, 0);
    if (!open_doorbell(queue, amd))
        return HSAKMT_STATUS_NO_MEMORY;
    queue->processor = amdgpu_queue_create(&(struct amdgpu_queue_settings){
        .device = &queue->node->gpu,
        .queue = amd,
        .queue_address = (uintptr_t)amd,
        .ring = {.base_address = ring,
                 .size = (uint32_t)(size / PACKET),
                 .id = amd->hsa_queue.id,
                 .doorbell_signal = {(uintptr_t)&queue->bell}},
        .priority = -priority,
        .cooperative = amd->hsa_queue.type == HSA_QUEUE_TYPE_COOPERATIVE,
        .owner_scratch = true,
        .error = failed,
        .taken = simkmt.model ? simkmt_model_begin : NULL,
        .interrupt = simkmt.model ? simkmt_model_interrupt : simkmt_interrupt,
        .has_mailboxes = !simkmt.model,
        .trapped = trapped,
        .doorbell = (uint32_t)((uintptr_t)queue->doorbell.place / sizeof(uint64_t) % DOORBELLS),
        .data = queue,
    });
    if (!queue->processor) {
        simkmt_doorbell_close(&queue->doorbell);
        return HSAKMT_STATUS_NO_MEMORY;
    }
    resource->QueueDoorBell = (uintptr_t)queue->doorbell.place;
    return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS create_sdma(struct queue *queue, void *ring, uint64_t size,
                                 HsaQueueResource *resource)
{
    if (!sim_translate_range(queue->node->gpu.device, (uintptr_t)ring, size, false))
        return simkmt_refuse(HSAKMT_STATUS_INVALID_PARAMETER,
                             "an SDMA queue whose ring node %u cannot access", queue->node->number);
    queue->sdma = simkmt_sdma_create(queue->node, ring, size, resource);
    return queue->sdma ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
}

static void destroy(struct queue *queue)
{
    if (queue->sdma) {
        simkmt_sdma_destroy(queue->sdma);
    } else {
        simkmt_doorbell_close(&queue->doorbell);
        amdgpu_queue_destroy(queue->processor);
    }
    free(queue);
}

/* 0: the table is full. */
static HSA_QUEUEID enter(struct queue *queue)
{
    unsigned place = 0;
    pthread_mutex_lock(&queues.lock);
    while (place < QUEUES_MAX && queues.table[place])
        place++;
    if (place < QUEUES_MAX)
        queues.table[place] = queue;
    pthread_mutex_unlock(&queues.lock);
    return place < QUEUES_MAX ? place + 1 : 0;
}

static HSAKMT_STATUS create(const struct simkmt_node *node, uint32_t type, int32_t priority,
                            void *ring, uint64_t size, const HsaEvent *event,
                            HsaQueueResource *resource)
{
    struct queue *queue = aligned_alloc(_Alignof(struct queue), sizeof *queue);
    if (!queue)
        return HSAKMT_STATUS_NO_MEMORY;
    memset(queue, 0, sizeof *queue);
    queue->node = node;
    queue->error_event = event ? event->EventId : 0;
    HSAKMT_STATUS result = type == HSA_QUEUE_COMPUTE_AQL
                               ? create_aql(queue, ring, size, priority, resource)
                               : create_sdma(queue, ring, size, resource);
    if (result != HSAKMT_STATUS_SUCCESS) {
        free(queue);
        return result;
    }
    resource->QueueId = enter(queue);
    if (resource->QueueId == 0) {
        destroy(queue);
        return simkmt_refuse(HSAKMT_STATUS_NO_MEMORY, "more than %d queues", QUEUES_MAX);
    }
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtCreateQueue(uint32_t number, uint32_t type, uint32_t percentage,
                                int32_t priority, void *address, uint64_t size, HsaEvent *event,
                                HsaQueueResource *resource)
{
    SIMKMT_ENTER();
    const struct simkmt_node *node = simkmt_gpu_node(number);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!resource || !address || percentage > 100 || priority < HSA_QUEUE_PRIORITY_MINIMUM ||
        priority > HSA_QUEUE_PRIORITY_MAXIMUM)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    if (type != HSA_QUEUE_COMPUTE_AQL && type != HSA_QUEUE_SDMA && type != HSA_QUEUE_SDMA_XGMI)
        return simkmt_refuse(
            HSAKMT_STATUS_NOT_SUPPORTED,
            "a queue of type %u: only AQL queues (%d) and SDMA queues (%d, %d) are supported", type,
            HSA_QUEUE_COMPUTE_AQL, HSA_QUEUE_SDMA, HSA_QUEUE_SDMA_XGMI);
    if (size < 4 * PACKET || size > RING_MAX || (size & (size - 1)) != 0)
        return simkmt_refuse(HSAKMT_STATUS_INVALID_PARAMETER,
                             "a ring of %llu bytes: its size must be a power of two from %d to %d",
                             (unsigned long long)size, 4 * PACKET, RING_MAX);
    return create(node, type, priority, address, size, event, resource);
}

/* ---- what is done to queues ------------------------------------------------------------ */

/* Under the lock. NULL: there is no queue with that number. */
static struct queue *queue_get(HSA_QUEUEID number)
{
    return number > 0 && number <= QUEUES_MAX ? queues.table[number - 1] : NULL;
}

HSAKMT_STATUS hsaKmtUpdateQueue(HSA_QUEUEID number, uint32_t percentage, int32_t priority,
                                void *address, uint64_t size, HsaEvent *event)
{
    SIMKMT_ENTER();
    (void)address, (void)size,
        (void)event; /* a queue keeps the properties that it was created with */
    if (percentage > 100 || priority < HSA_QUEUE_PRIORITY_MINIMUM ||
        priority > HSA_QUEUE_PRIORITY_MAXIMUM)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_mutex_lock(&queues.lock);
    struct queue *queue = queue_get(number);
    if (queue && queue->sdma)
        simkmt_sdma_pause(queue->sdma, percentage == 0);
    else if (queue) {
        amdgpu_queue_set_priority(queue->processor, -priority);
        amdgpu_queue_pause(queue->processor, percentage == 0);
    }
    pthread_mutex_unlock(&queues.lock);
    return queue ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

/* Used instead of a store to the doorbell: packets exist up to the write index. */
HSAKMT_STATUS hsaKmtQueueRingDoorbell(HSA_QUEUEID number)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&queues.lock);
    struct queue *queue = queue_get(number);
    bool rings = queue && !queue->sdma;
    if (rings) {
        uint64_t written = __atomic_load_n(&queue->amd->write_dispatch_id, __ATOMIC_ACQUIRE);
        amdgpu_signal_store(&queue->bell, (int64_t)(written - 1));
    }
    pthread_mutex_unlock(&queues.lock);
    return rings ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID number)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&queues.lock);
    struct queue *queue = queue_get(number);
    if (queue)
        queues.table[number - 1] = NULL;
    pthread_mutex_unlock(&queues.lock);
    if (!queue)
        return HSAKMT_STATUS_INVALID_HANDLE;
    destroy(queue);
    return HSAKMT_STATUS_SUCCESS;
}

void simkmt_queues_close(void)
{
    for (HSA_QUEUEID number = 1; number <= QUEUES_MAX; number++)
        (void)hsaKmtDestroyQueue(number);
}

bool simkmt_queues_exist(void)
{
    bool any = false;
    pthread_mutex_lock(&queues.lock);
    for (unsigned i = 0; i < QUEUES_MAX && !any; i++)
        any = queues.table[i] != NULL;
    pthread_mutex_unlock(&queues.lock);
    return any;
}

/* SDMA queues have nothing to mask. */
HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID number, uint32_t count, uint32_t *mask)
{
    SIMKMT_ENTER();
    if (count == 0 || count % 32 != 0 || count > 32 * AMDGPU_UNIT_WORDS || !mask)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_mutex_lock(&queues.lock);
    const struct queue *queue = queue_get(number);
    bool good =
        queue && (queue->sdma || amdgpu_queue_set_units(queue->processor, mask, count / 32));
    pthread_mutex_unlock(&queues.lock);
    if (queue && !good)
        return simkmt_refuse(HSAKMT_STATUS_ERROR, "a mask without a compute unit of the device");
    return queue ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

/* Under the lock. Whether another queue of the device has its global wave sync. */
static bool gws_is_taken(const struct queue *queue)
{
    for (unsigned i = 0; i < QUEUES_MAX; i++) {
        const struct queue *other = queues.table[i];
        if (other && other != queue && other->node == queue->node && other->has_gws)
            return true;
    }
    return false;
}

/* Every kernel has barriers of its own; a queue gets all of them, from number 0 on. */
HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID number, uint32_t count, uint32_t *first)
{
    SIMKMT_ENTER();
    HSAKMT_STATUS result = HSAKMT_STATUS_SUCCESS;
    pthread_mutex_lock(&queues.lock);
    struct queue *queue = queue_get(number);
    if (!queue || queue->sdma)
        result = HSAKMT_STATUS_INVALID_HANDLE;
    else if (count > AMDGPU_GWS_RESOURCES || (count > 0 && (queue->has_gws || gws_is_taken(queue))))
        result = HSAKMT_STATUS_OUT_OF_RESOURCES;
    else if (count == 0 && !queue->has_gws)
        result = HSAKMT_STATUS_INVALID_PARAMETER;
    if (result == HSAKMT_STATUS_SUCCESS) {
        queue->has_gws = count > 0;
        amdgpu_queue_set_cooperative(queue->processor, count > 0);
    }
    pthread_mutex_unlock(&queues.lock);
    if (result == HSAKMT_STATUS_SUCCESS && first)
        *first = 0;
    return result;
}
