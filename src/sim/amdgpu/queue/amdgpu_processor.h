/* A queue's packet processor: the state that its thread, its packets and its kernels share. Private
 * to this room. */
#ifndef AMDGPU_PROCESSOR_H
#define AMDGPU_PROCESSOR_H

#include "amdgpu_pm4.h"
#include "amdgpu_queue.h"
#include "sim_memory.h"

#include <pthread.h>
#include <stdatomic.h>

/* The most kernels of a queue that run at once; further ones wait until one has ended. */
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

/* A dispatched kernel. */
struct amdgpu_flight {
    struct amdgpu_dispatch dispatch;
    struct amdgpu_queue *queue;
    amd_signal_t *completion;      /* may be NULL */
    union amdgpu_packet *follower; /* the packet behind the kernel's, which may not be there yet */
    uint64_t start;                /* ticks */
    bool running, started;         /* under the lock; started: it can be cancelled */
    struct amdgpu_flight *next;
};

struct amdgpu_queue {
    /* Signals that its thread waits for. stop: not 0 when the queue takes no more packets. running:
     * the number of kernels in progress. Both change under the lock. */
    _Alignas(64) amd_signal_t stop;
    amd_signal_t running;
    amd_signal_t paused; /* not 0: the queue takes no packets */
    struct amdgpu_queue_settings settings;
    hsa_queue_t ring; /* as it was created: programs can write to their copy */
    amd_signal_t *doorbell;
    pthread_t thread;
    _Atomic(int) priority;
    _Atomic(bool) cooperative;
    _Atomic(unsigned) apart;   /* kernels that its thread leaves to others, since packets overlap */
    struct sim_memory *copies; /* copies of the packets of flights, for kernels to read */
    struct amdgpu_scratch_pool *scratch_pool; /* scratch of kernels */
    uint64_t taken, rung;                     /* counts of packets; of its thread */
    bool ring_used; /* the previous packet used the queue's scratch; of its thread */

    pthread_mutex_t lock; /* guards everything below */
    struct amdgpu_flight *unused;
    unsigned units; /* 0: all of the device */
    uint32_t unit_mask[AMDGPU_UNIT_WORDS];
    bool failed, orphan; /* orphan: destroyed by its own callback, so that its thread frees it */
    struct amdgpu_queue_error error;
    struct amdgpu_queue *next; /* in the list of all queues, under the list's lock */

    struct amdgpu_flight flights[AMDGPU_FLIGHTS];
};

/* The conditions that a queue's thread waits for, one of which has to be met. */
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

/* The packet that the queue takes next; of its thread. */
union amdgpu_packet *amdgpu_queue_next(const struct amdgpu_queue *queue);
/* Whether a packet of the ring is there, and may begin before those in front of it have ended. From
 * any thread. */
bool amdgpu_queue_overlaps(const struct amdgpu_queue *queue, union amdgpu_packet *packet);

/* Returns an unused flight, whose kernel counts as running from now on. NULL: the queue stops. */
struct amdgpu_flight *amdgpu_flight_acquire(struct amdgpu_queue *queue);
/* The kernel was started, and will be cancelled with the others if the queue stops. */
void amdgpu_flight_started(struct amdgpu_flight *flight);
/* The kernel has ended; error: the reason to stop the queue, or NULL. */
void amdgpu_flight_end(struct amdgpu_flight *flight, const struct amdgpu_queue_error *error);

/* Stops the queue because of an error; only the first error counts. */
void amdgpu_queue_fail(struct amdgpu_queue *queue, const struct amdgpu_queue_error *error);
/* The device is lost: all its queues fail, those created later too. */
void amdgpu_queue_lose_device(struct amdgpu_queue *queue);

/* Looks up the signal of a handle; for handle 0 *out_signal is NULL. False: the handle is
 * invalid. */
bool amdgpu_queue_find_signal(const struct amdgpu_queue *queue, hsa_signal_t handle,
                              amd_signal_t **out_signal);
/* Stores the event's number to a signal's mailbox, for drivers with events. */
void amdgpu_queue_send_mail(const struct amdgpu_queue *queue, uint64_t mailbox, uint32_t event);

/* Whether a packet's slot in the ring is released only when the packet is done, because producers
 * wait for that instead of for a signal. */
bool amdgpu_packet_is_waited_for(const union amdgpu_packet *packet);
/* Executes the next packet; returns when the one after it may begin. Invalid packets stop the
 * queue. */
void amdgpu_packet_process(struct amdgpu_queue *queue, const union amdgpu_packet *packet,
                           uint64_t number);

/* ---- scratch that the queue's owner provides (amdgpu_scratch_ring.c) ----------------------- */

/* Called before a packet is taken: has the owner provide scratch, if the packet needs more than
 * there is. False: the queue stops. */
bool amdgpu_scratch_ring_ensure(struct amdgpu_queue *queue, const union amdgpu_packet *packet,
                                uint64_t number);
/* Allocates a part of the scratch for a kernel with descriptor kernel, waiting until other kernels
 * have left enough; its address is 0 if the kernel uses none. False: the queue stops. */
bool amdgpu_scratch_ring_allocate(struct amdgpu_queue *queue,
                                  const hsa_kernel_dispatch_packet_t *packet,
                                  const struct amdgpu_kernel_descriptor *kernel,
                                  struct amdgpu_scratch_ring *out_ring);
/* Called after a packet: returns scratch to the owner that is for one kernel only. False: the queue
 * stops. */
bool amdgpu_scratch_ring_return(struct amdgpu_queue *queue);

#endif
