/* A queue's packet processor: what its thread, its packets and its kernels share. Private to
 * queues. */
#ifndef AMDGPU_PROCESSOR_H
#define AMDGPU_PROCESSOR_H

#include "amdgpu_pm4.h"
#include "amdgpu_queue.h"
#include "sim_memory.h"

#include <pthread.h>
#include <stdatomic.h>

/* Kernels of a queue that run at once; more wait for one of them to end. */
enum { AMDGPU_FLIGHTS = 128 };

union amdgpu_packet {
    uint16_t header;
    hsa_kernel_dispatch_packet_t kernel;
    hsa_barrier_and_packet_t barrier; /* BARRIER_OR has the same fields */
    hsa_agent_dispatch_packet_t agent;
    hsa_amd_barrier_value_packet_t value;
    struct amdgpu_pm4_packet pm4;
};
_Static_assert(sizeof(union amdgpu_packet) == 64, "as queues have them");

/* A kernel that was dispatched. */
struct amdgpu_flight {
    struct amdgpu_dispatch dispatch;
    struct amdgpu_queue *queue;
    amd_signal_t *completion; /* may be NULL */
    uint64_t start;           /* ticks */
    bool running, started;    /* under the lock; started: it can be cancelled */
    struct amdgpu_flight *next;
};

struct amdgpu_queue {
    /* Signals for what its thread waits for. stop: not 0 when nothing more is taken. running:
     * kernels in progress. Both change under the lock. */
    _Alignas(64) amd_signal_t stop;
    amd_signal_t running;
    amd_signal_t paused; /* not 0: no packets are taken */
    struct amdgpu_queue_settings settings;
    hsa_queue_t ring; /* as it was made: programs can write what they have */
    amd_signal_t *doorbell;
    pthread_t thread;
    _Atomic(int) priority;
    _Atomic(bool) cooperative;
    struct sim_memory *copies;   /* of packets of flights, for kernels to read */
    struct amdgpu_private *kept; /* for scratch of kernels */
    uint64_t taken, rung;        /* packets; of its thread */
    bool ring_used;              /* the packet before used the queue's scratch; of its thread */

    pthread_mutex_t lock; /* of all below */
    struct amdgpu_flight *unused;
    unsigned units; /* 0: all of the device */
    uint32_t unit_mask[AMDGPU_UNIT_WORDS];
    bool failed, orphan; /* orphan: its thread frees it */
    struct amdgpu_queue_error error;
    struct amdgpu_queue *next; /* of all queues, under the list's lock */

    struct amdgpu_flight flights[AMDGPU_FLIGHTS];
};

/* What its thread waits for: one of these. */
enum { AMDGPU_CONDITIONS = 5 };
struct amdgpu_conditions {
    amd_signal_t *signals[AMDGPU_CONDITIONS + 1]; /* the last one is the queue's own */
    hsa_signal_condition_t conditions[AMDGPU_CONDITIONS + 1];
    int64_t compare[AMDGPU_CONDITIONS + 1], masks[AMDGPU_CONDITIONS + 1];
    size_t count;
};
void amdgpu_conditions_add(struct amdgpu_conditions *conditions, amd_signal_t *signal,
                           hsa_signal_condition_t condition, int64_t compare, int64_t mask);

enum amdgpu_waited { AMDGPU_MET, AMDGPU_TIMED_OUT, AMDGPU_STOPPED };
enum amdgpu_waited amdgpu_queue_wait(struct amdgpu_queue *queue,
                                     struct amdgpu_conditions *conditions, uint64_t timeout_ns);
/* Waits until fewer than count kernels are in progress. False: the queue stops. */
bool amdgpu_queue_wait_running(struct amdgpu_queue *queue, int64_t count);

/* An unused flight, of a kernel that counts as running from now on. NULL: the queue stops. */
struct amdgpu_flight *amdgpu_flight_take(struct amdgpu_queue *queue);
/* It was started, and is to be cancelled with the others if the queue stops. */
void amdgpu_flight_started(struct amdgpu_flight *flight);
/* It has ended; error: what stops the queue, or NULL. */
void amdgpu_flight_end(struct amdgpu_flight *flight, const struct amdgpu_queue_error *error);

/* Stops the queue for an error; the first one counts. */
void amdgpu_queue_fail(struct amdgpu_queue *queue, const struct amdgpu_queue_error *error);
/* All queues of its device fail, now and later. */
void amdgpu_queue_lose(struct amdgpu_queue *queue);

/* The signal of a handle; 0: there is none, *out_signal is NULL. False: it is no signal. */
bool amdgpu_queue_find_signal(const struct amdgpu_queue *queue, hsa_signal_t handle,
                              amd_signal_t **out_signal);
/* Stores the event's number to a signal's mailbox, of a driver that has events. */
void amdgpu_queue_send_mail(const struct amdgpu_queue *queue, uint64_t mailbox, uint32_t event);

/* Whether a packet's place in the ring is the producer's again only when it is done: producers wait
 * for that instead of a signal. */
bool amdgpu_packet_is_waited_for(const union amdgpu_packet *packet);
/* Does what a packet says, whose turn has come; returns when the next one may begin.
 * Packets that make no sense stop the queue. */
void amdgpu_packet_process(struct amdgpu_queue *queue, const union amdgpu_packet *packet,
                           uint64_t number);

/* ---- scratch that the queue's owner provides (amdgpu_ring.c) ------------------------------- */

/* Before a packet is taken: has the owner provide scratch for it, if it needs more than there is.
 * False: the queue stops. */
bool amdgpu_ring_ensure(struct amdgpu_queue *queue, const union amdgpu_packet *packet,
                        uint64_t number);
/* The part of it for a kernel, of descriptor kernel; its address is 0 if the kernel uses none.
 * Waits until other kernels have left enough. False: the queue stops. */
bool amdgpu_ring_share(struct amdgpu_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
                       const struct amdgpu_kernel_descriptor *kernel, struct amdgpu_ring *out_ring);
/* After a packet: gives scratch back that is for one kernel only. False: the queue stops. */
bool amdgpu_ring_return(struct amdgpu_queue *queue);

#endif
