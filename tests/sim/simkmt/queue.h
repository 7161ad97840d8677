/* AQL queues of tests, the packets in them, and signals. */
#ifndef SIMKMT_QUEUE_H
#define SIMKMT_QUEUE_H

#include "simkmt_test.h"

enum { PACKETS = 64 };

struct queue {
    amd_queue_t *amd;
    hsa_barrier_and_packet_t *ring;
    _Atomic(uint64_t) *doorbell;
    uint64_t written;
    _Atomic(int64_t) *reason; /* to which devices add bits at any time */
    HsaEvent *event;
    HsaQueueResource resource;
};

static inline struct queue make_queue(uint32_t node)
{
    struct queue queue = {.amd = allocate(0, PAGE), .ring = allocate(0, PACKETS * 64)};
    memset(queue.amd, 0, sizeof *queue.amd);
    queue.reason = (_Atomic(int64_t) *)(void *)(queue.amd + 1);
    *queue.reason = 0;
    queue.event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    queue.resource.QueueRptrValue = (uintptr_t)&queue.amd->read_dispatch_id;
    queue.resource.QueueWptrValue = (uintptr_t)&queue.amd->write_dispatch_id;
    queue.resource.ErrorReason = (volatile int64_t *)queue.reason;
    ok(kmt.hsaKmtCreateQueue(node, HSA_QUEUE_COMPUTE_AQL, 100, 0, queue.ring, PACKETS * 64,
                             queue.event, &queue.resource));
    assert_int_not_equal(queue.resource.QueueId, 0);
    queue.doorbell = (_Atomic(uint64_t) *)(uintptr_t)queue.resource.QueueDoorBell;
    return queue;
}

static inline void destroy_queue(struct queue *queue)
{
    ok(kmt.hsaKmtDestroyQueue(queue->resource.QueueId));
    expect(kmt.hsaKmtDestroyQueue(queue->resource.QueueId), HSAKMT_STATUS_INVALID_HANDLE);
    ok(kmt.hsaKmtDestroyEvent(queue->event));
    ok(kmt.hsaKmtFreeMemory(queue->amd, 0));
    ok(kmt.hsaKmtFreeMemory(queue->ring, 0));
}

/* A signal of value 1 with the mailbox of an event. */
static inline amd_signal_t *new_signal(const HsaEvent *event)
{
    amd_signal_t *signal = allocate(0, PAGE);
    memset(signal, 0, sizeof *signal);
    signal->kind = AMD_SIGNAL_KIND_USER;
    signal->value = 1;
    signal->event_id = event ? event->EventId : 0;
    signal->event_mailbox_ptr = event ? event->EventData.HWData2 : 0;
    return signal;
}

static inline void put(struct queue *queue, const hsa_barrier_and_packet_t *packet, uint16_t type)
{
    hsa_barrier_and_packet_t *slot = &queue->ring[queue->written % PACKETS];
    memcpy((char *)slot + sizeof type, (const char *)packet + sizeof type,
           sizeof *packet -
               sizeof type); /* the packet processor may read the header at the same time */
    __atomic_store_n(&slot->header, type, __ATOMIC_RELEASE);
    __atomic_store_n(&queue->amd->write_dispatch_id, ++queue->written, __ATOMIC_RELEASE);
}

static inline void put_barrier(struct queue *queue, const amd_signal_t *before, amd_signal_t *after)
{
    hsa_barrier_and_packet_t packet = {.completion_signal = {(uintptr_t)after}};
    packet.dep_signal[0].handle = (uintptr_t)before;
    put(queue, &packet, HSA_PACKET_TYPE_BARRIER_AND);
    atomic_store(queue->doorbell, queue->written - 1);
}

static inline int64_t value_of(const amd_signal_t *signal)
{
    return __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE);
}

static inline void put_kernel(struct queue *queue, const hsa_kernel_dispatch_packet_t *kernel)
{
    hsa_barrier_and_packet_t packet;
    memcpy(&packet, kernel, sizeof packet);
    put(queue, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    atomic_store(queue->doorbell, queue->written - 1);
}

#endif
