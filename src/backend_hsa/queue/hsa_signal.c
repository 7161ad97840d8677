/* Owns the signals of a device, which are created in groups and reused. */
#include "hsa_stream.h"
#include "clocks.h"

#include <stdlib.h>

enum { GROUP = 64, CHECKS_PER_SECOND = 4, COPY_SECONDS = 10 };

struct group {
    struct group *next;
    struct ahhsa_signal signals[GROUP];
};

struct ahhsa_signals {
    struct ah_backend_device *device;
    pthread_mutex_t lock; /* its own: a signal may be released under the lock of another device */
    struct group *groups;
    struct ahhsa_signal *free;
    /* One more free signal, the one released last, which is acquired without the lock. */
    _Atomic(struct ahhsa_signal *) spare;
};

struct ahhsa_signals *ahhsa_signals_create(struct ah_backend_device *device)
{
    struct ahhsa_signals *signals = calloc(1, sizeof *signals);
    if (!signals)
        return NULL;
    signals->device = device;
    pthread_mutex_init(&signals->lock, NULL);
    return signals;
}

void ahhsa_signals_destroy(struct ahhsa_signals *signals)
{
    struct group *next;
    if (!signals)
        return;
    for (struct group *group = signals->groups; group; group = next) {
        next = group->next;
        for (int i = 0; i < GROUP; i++)
            if (group->signals[i].hsa.handle)
                signals->device->api->hsa_signal_destroy(group->signals[i].hsa);
        free(group);
    }
    pthread_mutex_destroy(&signals->lock);
    free(signals);
}

/* Under the lock. A group is used even if only some of its signals can be created. */
static bool add_group(struct ahhsa_signals *signals)
{
    const struct ahhsa_api *api = signals->device->api;
    struct group *group = calloc(1, sizeof *group);
    if (!group)
        return false;
    group->next = signals->groups;
    signals->groups = group;
    for (int i = 0; i < GROUP; i++) {
        struct ahhsa_signal *signal = &group->signals[i];
        hsa_status_t status = api->hsa_signal_create(0, 0, NULL, &signal->hsa);
        if (status != HSA_STATUS_SUCCESS) {
            signal->hsa.handle = 0;
            ahhsa_report(signals->device, "hsa_signal_create", status);
            if (i > 0)
                return true;
            signals->groups = group->next;
            free(group);
            return false;
        }
        signal->device = signals->device;
        signal->next = signals->free;
        signals->free = signal;
    }
    return true;
}

static struct ahhsa_signal *acquire_from_list(struct ahhsa_signals *signals)
{
    pthread_mutex_lock(&signals->lock);
    struct ahhsa_signal *signal = signals->free;
    if (__builtin_expect(!signal, 0) && add_group(signals))
        signal = signals->free;
    if (signal)
        signals->free = signal->next;
    pthread_mutex_unlock(&signals->lock);
    return signal;
}

struct ahhsa_signal *ahhsa_signal_acquire(struct ah_backend_device *device)
{
    struct ahhsa_signals *signals = device->queues->signals;
    struct ahhsa_signal *signal = NULL;
    if (atomic_load_explicit(&signals->spare, memory_order_relaxed))
        signal = atomic_exchange_explicit(&signals->spare, NULL, memory_order_acquire);
    if (!signal)
        signal = acquire_from_list(signals);
    if (signal) {
        amd_signal_t *memory = ahhsa_signal_memory(signal);
        signal->host_dependent = false;
        atomic_store_explicit(&signal->copying, false, memory_order_relaxed);
        atomic_store_explicit(&signal->timed, false, memory_order_relaxed);
        atomic_store_explicit(&signal->began, 0, memory_order_relaxed);
        atomic_store_explicit(&signal->references, 1, memory_order_relaxed);
        memory->start_ts = memory->end_ts = 0;
        __atomic_store_n(&memory->value, 1, __ATOMIC_RELEASE);
        atomic_store_explicit(&signal->in_use, true, memory_order_release);
    }
    return signal;
}

void ahhsa_signal_release(struct ahhsa_signal *signal)
{
    if (!signal || atomic_fetch_sub_explicit(&signal->references, 1, memory_order_acq_rel) != 1)
        return;
    struct ahhsa_signals *signals = signal->device->queues->signals;
    struct ahhsa_signal *none = NULL;
    if (__builtin_expect(signal->part != NULL, 0)) {
        ahhsa_signal_release(signal->part);
        signal->part = NULL;
    }
    atomic_store_explicit(&signal->in_use, false, memory_order_relaxed);
    if (!atomic_load_explicit(&signals->spare, memory_order_relaxed) &&
        atomic_compare_exchange_strong_explicit(&signals->spare, &none, signal,
                                                memory_order_release, memory_order_relaxed))
        return;
    pthread_mutex_lock(&signals->lock);
    signal->next = signals->free;
    signals->free = signal;
    pthread_mutex_unlock(&signals->lock);
}

/* A barrier waits for the value 0, and so forever for a copy that failed, until a thread finds
 * the failure. */
static struct ahhsa_signal *failed_signal(struct ahhsa_signals *signals)
{
    struct ahhsa_signal *found = NULL;
    pthread_mutex_lock(&signals->lock);
    for (struct group *group = signals->groups; group && !found; group = group->next)
        for (int i = 0; i < GROUP && !found; i++)
            if (atomic_load_explicit(&group->signals[i].in_use, memory_order_acquire) &&
                ahhsa_signal_has_failed(&group->signals[i]))
                found = &group->signals[i];
    pthread_mutex_unlock(&signals->lock);
    return found;
}

static void check_for_failures(struct ah_backend *backend)
{
    for (int i = 0; i < backend->device_count; i++) {
        struct ah_backend_device *device = &backend->devices[i];
        struct ahhsa_signal *signal =
            atomic_load(&device->ready) ? failed_signal(device->queues->signals) : NULL;
        if (signal)
            ahhsa_signal_check(signal);
    }
}

hipError_t ahhsa_signal_wait(struct ahhsa_signal *signal)
{
    return ahhsa_signal_wait_as(signal, signal->device->flags & hipDeviceScheduleSpin);
}

hipError_t ahhsa_signal_wait_as(struct ahhsa_signal *signal, bool spin)
{
    struct ah_backend_device *device = signal->device;
    hsa_wait_state_t state = spin ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED;
    uint64_t timeout = device->backend->timestamp_frequency / CHECKS_PER_SECOND;
    while (!ahhsa_signal_is_done(signal)) {
        device->api->hsa_signal_wait_scacquire(signal->hsa, HSA_SIGNAL_CONDITION_LT, 1, timeout,
                                               state);
        if (!ahhsa_signal_is_done(signal))
            check_for_failures(device->backend);
    }
    ahhsa_signal_check(signal);
    return ahhsa_device_error(device);
}

void ahhsa_signal_check(struct ahhsa_signal *signal)
{
    if (__builtin_expect(ahhsa_signal_has_failed(signal), 0))
        ahhsa_fail(signal->device, hipErrorIllegalAddress, "a queued copy failed");
}

static inline bool is_timed(const struct ahhsa_signal *signal)
{
    return atomic_load_explicit(&signal->timed, memory_order_relaxed);
}

void ahhsa_signal_begin(struct ahhsa_signal *signal)
{
    if (is_timed(signal))
        atomic_store_explicit(&signal->began, ah_clock_now(), memory_order_relaxed);
}

void ahhsa_signal_complete(struct ahhsa_signal *signal)
{
    if (is_timed(signal))
        atomic_store_explicit(&signal->ended, ah_clock_now(), memory_order_relaxed);
    signal->device->api->hsa_signal_store_screlease(signal->hsa, 0);
}

void ahhsa_signal_subtract(struct ahhsa_signal *signal, size_t count)
{
    signal->device->api->hsa_signal_subtract_screlease(signal->hsa, (hsa_signal_value_t)count);
}

/* Whether an engine will still complete it. */
static bool is_being_copied(const struct ahhsa_signal *signal)
{
    return atomic_load_explicit(&signal->copying, memory_order_acquire) &&
           !ahhsa_signal_is_done(signal);
}

void ahhsa_signals_complete_all(struct ahhsa_signals *signals)
{
    pthread_mutex_lock(&signals->lock);
    for (struct group *group = signals->groups; group; group = group->next)
        for (int i = 0; i < GROUP; i++)
            if (atomic_load_explicit(&group->signals[i].in_use, memory_order_acquire) &&
                !is_being_copied(&group->signals[i]))
                ahhsa_signal_complete(&group->signals[i]);
    pthread_mutex_unlock(&signals->lock);
}

void ahhsa_signals_wait_for_copies(struct ahhsa_signals *signals)
{
    if (!signals)
        return;
    const struct ah_backend_device *device = signals->device;
    uint64_t timeout = device->backend->timestamp_frequency * COPY_SECONDS;
    for (struct group *group = signals->groups; group; group = group->next)
        for (int i = 0; i < GROUP; i++)
            if (atomic_load_explicit(&group->signals[i].in_use, memory_order_acquire) &&
                is_being_copied(&group->signals[i]))
                device->api->hsa_signal_wait_scacquire(group->signals[i].hsa,
                                                       HSA_SIGNAL_CONDITION_LT, 1, timeout,
                                                       HSA_WAIT_STATE_BLOCKED);
}
