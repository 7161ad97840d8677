/* Private to backend_hsa, part of hsa_queue.h: signals, which are created in groups and reused.
 *
 * A signal is 1 until its work has ended, and 0 or less from then on. It is counted: who may read
 * it, or has passed it to hardware, holds a reference, and the last release makes it free for other
 * work. Any thread may do so, with any lock or none held. */
#ifndef AHHSA_SIGNAL_H
#define AHHSA_SIGNAL_H

#include "hsa_device.h"

struct ahhsa_signal {
    hsa_signal_t hsa;
    _Atomic unsigned references;
    _Atomic bool in_use;
    bool host_dependent;  /* it may wait for a host function or for a value in memory; constant
                             once the signal has been queued */
    _Atomic bool copying; /* a copy engine completes it, even if the device has failed */
    _Atomic bool timed;   /* the work is reported: its times are of interest */
    _Atomic uint64_t began, ended;    /* when a thread of the host did the work, by ah_clock_now */
    struct ahhsa_signal *part;        /* held; NULL, or of a part that begins before all others */
    struct ah_backend_device *device; /* on whose work it depends */
    struct ahhsa_signal *next;        /* free ones; guarded by the lock of struct ahhsa_signals */
};

static inline amd_signal_t *ahhsa_signal_memory(const struct ahhsa_signal *signal)
{
    return (amd_signal_t *)(uintptr_t)signal->hsa.handle;
}

/* Whether its work has ended, and the effects are visible. */
static inline bool ahhsa_signal_is_done(const struct ahhsa_signal *signal)
{
    return __atomic_load_n(&ahhsa_signal_memory(signal)->value, __ATOMIC_ACQUIRE) <= 0;
}

/* Of one that is done: whether its work failed. The runtime does not say why. */
static inline bool ahhsa_signal_has_failed(const struct ahhsa_signal *signal)
{
    return __atomic_load_n(&ahhsa_signal_memory(signal)->value, __ATOMIC_ACQUIRE) < 0;
}

static inline struct ahhsa_signal *ahhsa_signal_retain(struct ahhsa_signal *signal)
{
    atomic_fetch_add_explicit(&signal->references, 1, memory_order_relaxed);
    return signal;
}

/* A signal at 1 with one reference; NULL: out of memory or of signals, which was logged. */
struct ahhsa_signal *ahhsa_signal_acquire(struct ah_backend_device *device);
/* Accepts NULL. */
void ahhsa_signal_release(struct ahhsa_signal *signal);
/* Sleeps until it is done; not under a device's lock. Returns the device's error. */
hipError_t ahhsa_signal_wait(struct ahhsa_signal *signal);
/* The same; spin: polls instead. */
hipError_t ahhsa_signal_wait_as(struct ahhsa_signal *signal, bool spin);
/* Fails the device if the work of a signal that is done has failed; not under the lock. */
void ahhsa_signal_check(struct ahhsa_signal *signal);
/* The host begins the work of a signal that will be completed with ahhsa_signal_complete. */
void ahhsa_signal_begin(struct ahhsa_signal *signal);
/* Completes a signal of work of the host. */
void ahhsa_signal_complete(struct ahhsa_signal *signal);
/* The same of count of the parts that the signal counts. */
void ahhsa_signal_subtract(struct ahhsa_signal *signal, size_t count);

#endif
