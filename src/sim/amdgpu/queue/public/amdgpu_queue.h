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

/* A signal is an amd_signal_t in host memory that devices can access; its handle is its address.
 * These functions, queue processors and kernels change its value, and each of them wakes the
 * threads that wait for it. */
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
/* Wakes all threads that wait for signals, so that they check the values again: something else
 * changed one. */
void amdgpu_signals_changed(void);
/* Whether value meets condition (HSA_SIGNAL_CONDITION_*) with respect to compare. */
bool amdgpu_signal_satisfies(int64_t value, hsa_signal_condition_t condition, int64_t compare);
/* Waits until one of count signals meets its condition, or until timeout_ns has passed (UINT64_MAX:
 * no timeout). Returns the signal's index, or count after the timeout; *out_value: the value
 * seen. */
size_t amdgpu_signal_wait(amd_signal_t *const *signals, const hsa_signal_condition_t *conditions,
                          const int64_t *compare, size_t count, uint64_t timeout_ns,
                          int64_t *out_value);

/* ---- queues ------------------------------------------------------------------------------ */

/* An error of a queue. The queue stops, as on hardware: running kernels are cancelled, completion
 * signals of failed packets keep their values, and queue_inactive_signal becomes -1.
 *   HSA_STATUS_ERROR_MEMORY_FAULT                a kernel accessed memory that does not exist;
 *                                                AMD's runtime reports to its system event handlers
 *   HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION   an access to an invalid address, beyond a
 *                                                segment, or misaligned
 *   HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION
 *   HSA_STATUS_ERROR_EXCEPTION                   a trap, a hang, a finding of a check, or an
 *                                                injected fault
 *   HSA_STATUS_ERROR_OUT_OF_RESOURCES            out of memory
 *   HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS      a packet's dimensions
 *   HSA_STATUS_ERROR_INVALID_ARGUMENT            too many work-items in a group
 *   HSA_STATUS_ERROR_INVALID_ALLOCATION          too large a group segment
 *   HSA_STATUS_ERROR_INVALID_CODE_OBJECT         there is no kernel
 *   HSA_STATUS_ERROR_INVALID_PACKET_FORMAT       any other invalid packet
 *   HSA_STATUS_ERROR                             the device is lost */
struct amdgpu_queue_error {
    hsa_status_t status;
    struct amdgpu_end end; /* of the kernel; AMDGPU_END_OK: the error is not a kernel's */
};

struct amdgpu_queue_settings {
    const struct amdgpu_device *device;
    amd_queue_t *queue;     /* its indices, and the fields that kernels read */
    uint64_t queue_address; /* its address on the device */
    hsa_queue_t ring;       /* base_address, size, id and doorbell_signal are used; base_address
                               NULL: queue->hsa_queue has them */
    int priority;           /* lower first */
    bool cooperative;
    /* Scratch is what queue describes (compute_tmpring_size and related fields), not the
     * simulator's own. When a packet needs more, the queue stores the reason to
     * queue_inactive_signal, and continues when the owner has set that to 0 again. */
    bool owner_scratch;
    /* Called on the queue's thread. May be NULL. */
    void (*error)(void *data, const struct amdgpu_queue_error *error);
    /* Called before a kernel begins. A status other than HSA_STATUS_SUCCESS stops the queue with
     * that error instead. May be NULL. */
    hsa_status_t (*taken)(void *data, const hsa_kernel_dispatch_packet_t *packet);
    /* Executes a packet of type HSA_PACKET_TYPE_AGENT_DISPATCH; NULL: such packets are errors. */
    void (*agent_dispatch)(void *data, const hsa_agent_dispatch_packet_t *packet);
    /* For kernel drivers: called when a signal with a mailbox was completed and its event's number
     * was stored there (0: a kernel sent an interrupt). Errors are then reported to the error
     * callback only, and not to queue_inactive_signal. NULL: the runtime and devices share
     * signals. */
    void (*interrupt)(uint32_t event);
    bool has_mailboxes; /* signals with an event have mailboxes; false: nothing is stored before
                           interrupt is called */
    /* For kernel drivers: called when a kernel's trap handler sends an interrupt, on the kernel's
     * thread; message is M0. May be NULL. */
    void (*trapped)(void *data, uint32_t message);
    uint32_t doorbell; /* the queue's number, for trap handlers */
    void *data;
};
struct amdgpu_queue;
/* Creates a queue and invalidates all packets of its ring. NULL: out of memory or threads, an
 * invalid ring, or a lost device. A producer rings the doorbell by storing a packet's number to its
 * signal with amdgpu_signal_store. Signals of packets have to be in memory that the device can
 * access; otherwise the packet is an error. */
struct amdgpu_queue *amdgpu_queue_create(const struct amdgpu_queue_settings *settings);
/* Stops and destroys a queue; its running kernels are cancelled, and have ended when it returns.
 * The ring and the signals must exist until then. The queue's own callbacks may call it, in which
 * case it does not wait for that callback. Accepts NULL. */
void amdgpu_queue_destroy(struct amdgpu_queue *queue);
/* Stops a queue as an error does; the error callback is called unless status is HSA_STATUS_SUCCESS.
 * When it returns, nothing of the queue is running. */
void amdgpu_queue_inactivate(struct amdgpu_queue *queue, hsa_status_t status);
/* Whether completion signals get timestamps: AMD_QUEUE_PROPERTIES_ENABLE_PROFILING. */
void amdgpu_queue_profile(struct amdgpu_queue *queue, bool on);
void amdgpu_queue_set_priority(struct amdgpu_queue *queue, int priority);
/* Whether later kernels have all their groups resident at once. */
void amdgpu_queue_set_cooperative(struct amdgpu_queue *queue, bool cooperative);
/* Restricts the groups of later kernels to the compute units in a mask of words (at most
 * AMDGPU_UNIT_WORDS). False: the device has none of them, and nothing was changed. */
bool amdgpu_queue_set_units(struct amdgpu_queue *queue, const uint32_t *mask, unsigned words);
/* A paused queue takes no packets; running kernels continue. */
void amdgpu_queue_pause(struct amdgpu_queue *queue, bool pause);

/* Waits until no kernel of any queue is running, and keeps others from starting until
 * amdgpu_queues_resume. False: some are still running after timeout_ns, and nothing was changed. */
bool amdgpu_queues_quiesce(uint64_t timeout_ns);
void amdgpu_queues_resume(void);
/* While suspended, no queue takes a packet of any kind. */
void amdgpu_queues_suspend(bool suspend);

/* Whether an injected fault has lost a device (of sim_memory.h): all its queues have stopped with
 * HSA_STATUS_ERROR, and it stays unusable until the process ends. */
bool amdgpu_device_lost(int device);

#endif
