/* The interface of queue: queues of AQL packets, and signals.
 *
 * queue owns the packet processors, which read packets from a ring that programs write themselves,
 * dispatch kernels, wait at barriers and complete signals, as the packet processor of a GPU does;
 * and the values of signals, with the threads that wait for them. It does not know how a kernel is
 * executed (amdgpu.h starts one), nor the functions of the HSA runtime. The drivers call it.
 *
 * Threads: every function may be called from any thread, except where its comment says otherwise.
 * Each queue has a thread of its own and a lock for its kernels in progress; one more lock guards
 * the list of all queues. Signals are atomic values, and waiting for them takes the lock of a
 * bucket. No lock is held while a callback runs. */
#ifndef AMDGPU_QUEUE_H
#define AMDGPU_QUEUE_H

#include "amdgpu.h"

/* ---- signals ------------------------------------------------------------------------- */

/* A signal is an amd_signal_t, in memory of the host that devices reach; a handle is its
 * address. Values are changed by these functions, by queue processors and by kernels; who
 * waits sleeps, and is woken by any of them. */
void amdgpu_signal_init(amd_signal_t *signal, int64_t value);
/* The same for one that other processes change too: who waits looks every millisecond. */
void amdgpu_signal_init_shared(amd_signal_t *signal, int64_t value);
int64_t amdgpu_signal_load(const amd_signal_t *signal);
void amdgpu_signal_store(amd_signal_t *signal, int64_t value); /* wakes */
void amdgpu_signal_add(amd_signal_t *signal, int64_t value);
int64_t amdgpu_signal_exchange(amd_signal_t *signal, int64_t value);
int64_t amdgpu_signal_cas(amd_signal_t *signal, int64_t expected, int64_t value);
void amdgpu_signal_and(amd_signal_t *signal, int64_t value);
void amdgpu_signal_or(amd_signal_t *signal, int64_t value);
void amdgpu_signal_xor(amd_signal_t *signal, int64_t value);
/* Somebody changed values by other means: whoever waits looks again. */
void amdgpu_signals_changed(void);
/* Whether value meets condition (HSA_SIGNAL_CONDITION_*) with respect to compare. */
bool amdgpu_signal_meets(int64_t value, hsa_signal_condition_t condition, int64_t compare);
/* Waits until one of count signals meets its condition, or timeout_ns (UINT64_MAX: for
 * ever) is over. Returns its index, or count after the timeout; *out_value: what was seen. */
size_t amdgpu_signal_wait(amd_signal_t *const *signals, const hsa_signal_condition_t *conditions,
                          const int64_t *compare, size_t count, uint64_t timeout_ns,
                          int64_t *out_value);

/* ---- queues ------------------------------------------------------------------------------ */

/* What went wrong in a queue; it stops, as hardware does: what runs is cancelled, completion
 * signals of what did not end well stay as they are, and queue_inactive_signal becomes -1.
 *   HSA_STATUS_ERROR_MEMORY_FAULT                a kernel's access to memory that is not there;
 *                                                AMD's runtime tells its system event handlers
 *   HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION   to no address at all, or beyond a segment, or
 *                                                not aligned
 *   HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION
 *   HSA_STATUS_ERROR_EXCEPTION                   a trap, a hang, what a check found, a fault that
 *                                                was asked for
 *   HSA_STATUS_ERROR_OUT_OF_RESOURCES            no memory to run it
 *   HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS      a packet's dimensions
 *   HSA_STATUS_ERROR_INVALID_ARGUMENT            too many work-items in a group
 *   HSA_STATUS_ERROR_INVALID_ALLOCATION          too large a group segment
 *   HSA_STATUS_ERROR_INVALID_CODE_OBJECT         there is no kernel
 *   HSA_STATUS_ERROR_INVALID_PACKET_FORMAT       any other packet that makes no sense
 *   HSA_STATUS_ERROR                             the device is lost */
struct amdgpu_queue_error {
    hsa_status_t status;
    struct amdgpu_end end; /* of the kernel; AMDGPU_END_OK: it was no kernel's */
};

struct amdgpu_queue_settings {
    const struct amdgpu_device *device;
    amd_queue_t *queue;     /* its indices, and what kernels read */
    uint64_t queue_address; /* as kernels see it */
    hsa_queue_t ring;       /* base_address, size, id and doorbell_signal are used; base_address
                               NULL: queue->hsa_queue has them */
    int priority;           /* lower first */
    bool cooperative;
    /* Scratch is what queue says (compute_tmpring_size and its kin) and not the simulator's own.
     * Who needs more stores why to queue_inactive_signal, and goes on when that is 0 again. */
    bool owner_scratch;
    /* Called on the queue's thread; NULL: nobody asks. */
    void (*error)(void *data, const struct amdgpu_queue_error *error);
    /* A kernel is to begin: a status other than HSA_STATUS_SUCCESS stops the queue with it instead.
     * May be NULL. */
    hsa_status_t (*taken)(void *data, const hsa_kernel_dispatch_packet_t *packet);
    /* A packet of type HSA_PACKET_TYPE_AGENT_DISPATCH; NULL: such packets are errors. */
    void (*agent_dispatch)(void *data, const hsa_agent_dispatch_packet_t *packet);
    /* Of a kernel driver: a signal with a mailbox was completed, and its event's number was stored
     * there (0: a kernel sends an interrupt). Errors go to the error callback alone then, and not
     * to queue_inactive_signal. NULL: runtimes and devices share signals. */
    void (*interrupt)(uint32_t event);
    bool has_mailboxes; /* of signals with an event; false: interrupt is called without mail */
    /* Of a kernel driver: a kernel's trap handler sends an interrupt; message: M0. On the kernel's
     * thread. May be NULL. */
    void (*trapped)(void *data, uint32_t message);
    uint32_t doorbell; /* the number that trap handlers know the queue by */
    void *data;
};
struct amdgpu_queue;
/* NULL: no memory or no thread, a ring that is none, or a device that is lost. All packets of the
 * ring become invalid. The doorbell is written by storing the number of a packet to its signal
 * with amdgpu_signal_store, which the queue notices and takes: nobody else reads it. Signals of
 * packets lie in memory that the device reaches, or the packet is an error. */
struct amdgpu_queue *amdgpu_queue_create(const struct amdgpu_queue_settings *settings);
/* Stops it; kernels in progress are cancelled, and have ended when it returns. The ring and the
 * signals must be there until then. May be called by the queue's own callbacks, of which it does
 * not wait for the one that calls it. Accepts NULL. */
void amdgpu_queue_destroy(struct amdgpu_queue *queue);
/* Stops it as an error does; the error callback is called unless status is HSA_STATUS_SUCCESS.
 * Nothing of it runs when it returns. */
void amdgpu_queue_inactivate(struct amdgpu_queue *queue, hsa_status_t status);
/* Whether completion signals get timestamps: AMD_QUEUE_PROPERTIES_ENABLE_PROFILING. */
void amdgpu_queue_profile(struct amdgpu_queue *queue, bool on);
void amdgpu_queue_set_priority(struct amdgpu_queue *queue, int priority);
/* Whether kernels that are dispatched from now on have all their groups resident at once. */
void amdgpu_queue_set_cooperative(struct amdgpu_queue *queue, bool cooperative);
/* Kernels that are dispatched from now on have their groups on the compute units of a mask of words
 * (at most AMDGPU_UNIT_WORDS). False: none of them is the device's, and nothing was changed. */
bool amdgpu_queue_set_units(struct amdgpu_queue *queue, const uint32_t *mask, unsigned words);
/* A paused queue takes no packets; what runs goes on. */
void amdgpu_queue_pause(struct amdgpu_queue *queue, bool pause);

/* Waits until no kernel runs, of any queue, and lets none begin until amdgpu_queues_resume. False:
 * some still run after timeout_ns, and nothing was changed. */
bool amdgpu_queues_hold(uint64_t timeout_ns);
void amdgpu_queues_resume(void);
/* While park is true no queue takes a packet of any kind. */
void amdgpu_queues_park(bool park);

/* Whether a fault that was asked for has lost a device (of sim_memory.h): all its queues have
 * stopped with HSA_STATUS_ERROR, and nothing works there until the process ends. */
bool amdgpu_device_lost(int device);

#endif
