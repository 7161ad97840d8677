/* Owns queues: their threads, taking packets from rings, and how a queue stops. amdgpu_packet.c
 * executes packets. */
#include "amdgpu_processor.h"
#include "amdgpu_watch.h"
#include "log.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The value of a doorbell that has not been rung yet; packets are numbered from 0. */
enum { SILENT = -1 };
/* Intervals at which a queue polls for a packet that was announced but is not valid yet; they
 * increase. */
enum { LATE_MIN_NS = 100000, LATE_MAX_NS = 16000000 };

static struct {
    pthread_mutex_t lock;
    struct amdgpu_queue *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic(uint64_t) lost_devices; /* a bit for each */

/* ---- waiting ---------------------------------------------------------------------------- */

void amdgpu_conditions_add(struct amdgpu_conditions *conditions, amd_signal_t *signal,
                           hsa_signal_condition_t condition, int64_t compare, int64_t mask)
{
    size_t i = conditions->count++;
    conditions->signals[i] = signal;
    conditions->conditions[i] = condition;
    conditions->compare[i] = compare;
    conditions->masks[i] = mask;
}

static bool stops(const struct amdgpu_queue *queue)
{
    return amdgpu_signal_load(&queue->stop) != 0;
}

enum amdgpu_waited amdgpu_queue_wait(struct amdgpu_queue *queue,
                                     struct amdgpu_conditions *conditions, uint64_t timeout_ns)
{
    size_t count = conditions->count;
    if (stops(queue))
        return AMDGPU_STOPPED;
    amdgpu_conditions_add(conditions, &queue->stop, HSA_SIGNAL_CONDITION_NE, 0, -1);
    struct amdgpu_watch watch = {conditions->signals, conditions->conditions, conditions->compare,
                                 conditions->masks, conditions->count};
    size_t met = amdgpu_watch_wait(&watch, timeout_ns, NULL);
    conditions->count = count;
    return met < count ? AMDGPU_MET : met == count ? AMDGPU_STOPPED : AMDGPU_TIMED_OUT;
}

bool amdgpu_queue_wait_running(struct amdgpu_queue *queue, int64_t count)
{
    struct amdgpu_conditions conditions = {.count = 0};
    amdgpu_conditions_add(&conditions, &queue->running, HSA_SIGNAL_CONDITION_LT, count, -1);
    return amdgpu_queue_wait(queue, &conditions, UINT64_MAX) == AMDGPU_MET;
}

/* ---- kernels in progress ------------------------------------------------------------------ */

/* For all queues: the number of running kernels, and the requests that there be none. Both are
 * signals, so that threads can wait for them. */
static _Alignas(64) amd_signal_t running_kernels, hold_requests;

/* Counts a kernel that is about to begin. False: the queue stops. */
static bool count_begin(struct amdgpu_queue *queue)
{
    for (;;) {
        struct amdgpu_conditions conditions = {.count = 0};
        /* The order matters: a thread that quiesces stores and reads in the opposite order. */
        amdgpu_signal_add(&running_kernels, 1);
        if (amdgpu_signal_load(&hold_requests) == 0)
            return true;
        amdgpu_signal_add(&running_kernels, -1);
        amdgpu_conditions_add(&conditions, &hold_requests, HSA_SIGNAL_CONDITION_EQ, 0, -1);
        if (amdgpu_queue_wait(queue, &conditions, UINT64_MAX) == AMDGPU_STOPPED)
            return false;
    }
}

bool amdgpu_queues_quiesce(uint64_t timeout_ns)
{
    static const hsa_signal_condition_t is = HSA_SIGNAL_CONDITION_EQ;
    static const int64_t zero = 0;
    amd_signal_t *kernels = &running_kernels;
    amdgpu_signal_add(&hold_requests, 1);
    if (amdgpu_signal_wait(&kernels, &is, &zero, 1, timeout_ns, &(int64_t){0}) == 0)
        return true;
    amdgpu_signal_add(&hold_requests, -1);
    return false;
}

void amdgpu_queues_resume(void)
{
    amdgpu_signal_add(&hold_requests, -1);
}

static _Alignas(64) amd_signal_t suspended;

void amdgpu_queues_suspend(bool suspend)
{
    amdgpu_signal_store(&suspended, suspend);
}

/* Waits until the signal is 0. False: the queue stops. */
static bool wait_while(struct amdgpu_queue *queue, amd_signal_t *signal)
{
    struct amdgpu_conditions conditions = {.count = 0};
    if (amdgpu_signal_load(signal) == 0)
        return true;
    amdgpu_conditions_add(&conditions, signal, HSA_SIGNAL_CONDITION_EQ, 0, -1);
    return amdgpu_queue_wait(queue, &conditions, UINT64_MAX) == AMDGPU_MET;
}

struct amdgpu_flight *amdgpu_flight_acquire(struct amdgpu_queue *queue)
{
    struct amdgpu_flight *flight = NULL;
    if (!amdgpu_queue_wait_running(queue, AMDGPU_FLIGHTS) || !count_begin(queue))
        return NULL;
    pthread_mutex_lock(&queue->lock);
    if (!stops(queue)) {
        flight = queue->unused;
        queue->unused = flight->next;
        flight->running = true;
        flight->started = false;
        amdgpu_signal_add(&queue->running, 1);
    }
    pthread_mutex_unlock(&queue->lock);
    if (!flight)
        amdgpu_signal_add(&running_kernels, -1);
    return flight;
}

void amdgpu_flight_started(struct amdgpu_flight *flight)
{
    struct amdgpu_queue *queue = flight->queue;
    pthread_mutex_lock(&queue->lock);
    flight->started = flight->running; /* it may have ended already */
    if (flight->started && stops(queue))
        amdgpu_dispatch_cancel(&flight->dispatch);
    pthread_mutex_unlock(&queue->lock);
}

/* Under the lock. error NULL: there is none. */
static void stop(struct amdgpu_queue *queue, const struct amdgpu_queue_error *error)
{
    if (stops(queue))
        return;
    queue->failed = error != NULL;
    if (error)
        queue->error = *error;
    amdgpu_signal_store(&queue->stop, 1);
    for (int i = 0; i < AMDGPU_FLIGHTS; i++)
        if (queue->flights[i].running && queue->flights[i].started)
            amdgpu_dispatch_cancel(&queue->flights[i].dispatch);
}

void amdgpu_flight_end(struct amdgpu_flight *flight, const struct amdgpu_queue_error *error)
{
    struct amdgpu_queue *queue = flight->queue;
    pthread_mutex_lock(&queue->lock);
    flight->running = false;
    flight->next = queue->unused;
    queue->unused = flight;
    if (error)
        stop(queue, error);
    amdgpu_signal_add(&running_kernels, -1);
    amdgpu_signal_add(&queue->running, -1);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- stopping ---------------------------------------------------------------------- */

void amdgpu_queue_fail(struct amdgpu_queue *queue, const struct amdgpu_queue_error *error)
{
    pthread_mutex_lock(&queue->lock);
    stop(queue, error);
    pthread_mutex_unlock(&queue->lock);
}

bool amdgpu_device_lost(int device)
{
    return atomic_load(&lost_devices) >> device & 1;
}

void amdgpu_queue_lose_device(struct amdgpu_queue *queue)
{
    static const struct amdgpu_queue_error error = {.status = HSA_STATUS_ERROR};
    int device = queue->settings.device->device;
    AH_LOG_ERR("simulated HSA runtime: device %d is lost", device);
    pthread_mutex_lock(&all.lock);
    atomic_fetch_or(&lost_devices, UINT64_C(1) << device);
    for (struct amdgpu_queue *at = all.first; at; at = at->next)
        if (at->settings.device->device == device)
            amdgpu_queue_fail(at, &error);
    pthread_mutex_unlock(&all.lock);
}

/* Waits until nothing of a stopping queue is running. It takes the lock once, so that the thread
 * which signalled this has released it. */
static void wait_until_idle(struct amdgpu_queue *queue)
{
    static const hsa_signal_condition_t is = HSA_SIGNAL_CONDITION_EQ;
    static const int64_t zero = 0;
    amd_signal_t *running = &queue->running;
    (void)amdgpu_signal_wait(&running, &is, &zero, 1, UINT64_MAX, &(int64_t){0});
    pthread_mutex_lock(&queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

static void destroy(struct amdgpu_queue *queue)
{
    sim_memory_destroy(queue->copies);
    amdgpu_scratch_pool_destroy(queue->scratch_pool);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

static bool is_orphan(struct amdgpu_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool orphan = queue->orphan;
    pthread_mutex_unlock(&queue->lock);
    return orphan;
}

/* The end of a queue's thread. If a callback has destroyed the queue, the memory that it was
 * created from no longer exists. */
static void finish_thread(struct amdgpu_queue *queue)
{
    const struct amdgpu_queue_settings *settings = &queue->settings;
    wait_until_idle(queue);
    if (!is_orphan(queue)) {
        hsa_signal_t inactive = {0};
        if (!settings->interrupt)
            inactive = settings->queue->queue_inactive_signal;
        if (inactive.handle)
            amdgpu_signal_store((amd_signal_t *)(uintptr_t)inactive.handle, -1);
        if (queue->failed && settings->error)
            settings->error(settings->data, &queue->error);
    }
    if (is_orphan(queue))
        destroy(queue);
}

/* ---- packets --------------------------------------------------------------------------------- */

union amdgpu_packet *amdgpu_queue_next(const struct amdgpu_queue *queue)
{
    const hsa_queue_t *ring = &queue->ring;
    return (union amdgpu_packet *)ring->base_address + (queue->taken & (ring->size - 1));
}

static unsigned header_of(union amdgpu_packet *packet)
{
    return __atomic_load_n(&packet->header, __ATOMIC_ACQUIRE);
}

static bool is_valid(union amdgpu_packet *packet)
{
    return (header_of(packet) & 0xff) != HSA_PACKET_TYPE_INVALID;
}

/* Whether it waits until the packets in front of it have ended. */
static bool has_barrier_bit(union amdgpu_packet *packet)
{
    return header_of(packet) >> HSA_PACKET_HEADER_BARRIER & 1;
}

/* A driver's callers may free the ring and the indices. */
static bool can_access(const struct amdgpu_queue *queue, uint64_t address, size_t size)
{
    return !queue->settings.interrupt ||
           sim_translate(queue->settings.device->device, address, size, true);
}

bool amdgpu_queue_overlaps(const struct amdgpu_queue *queue, union amdgpu_packet *packet)
{
    return can_access(queue, (uintptr_t)packet, sizeof *packet) && is_valid(packet) &&
           !has_barrier_bit(packet);
}

/* Whether the device can still access the ring and the indices. */
static bool is_there(struct amdgpu_queue *queue, const union amdgpu_packet *place)
{
    uint64_t index = (uintptr_t)&queue->settings.queue->read_dispatch_id;
    struct amdgpu_queue_error error = {.status = (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT};
    if (!can_access(queue, (uintptr_t)place, sizeof *place))
        error.end.address = (uintptr_t)place;
    else if (!can_access(queue, index, sizeof index))
        error.end.address = index;
    else
        return true;
    AH_LOG_ERR("simulated HSA runtime: the ring or the indices of queue %llu were freed while it "
               "is in use",
               (unsigned long long)queue->ring.id);
    amdgpu_queue_fail(queue, &error);
    return false;
}

/* Waits for the next packet. A producer may announce a packet while it still writes an earlier one,
 * and need not ring again. */
static bool wait_for_packet(struct amdgpu_queue *queue)
{
    struct amdgpu_conditions conditions = {.count = 0};
    amdgpu_conditions_add(&conditions, queue->doorbell, HSA_SIGNAL_CONDITION_NE, SILENT, -1);
    uint64_t late = LATE_MIN_NS;
    union amdgpu_packet *place = amdgpu_queue_next(queue);
    while (!stops(queue) && is_there(queue, place) && !is_valid(place)) {
        uint64_t timeout = queue->rung > queue->taken ? late : UINT64_MAX;
        int64_t number = SILENT;
        if (amdgpu_queue_wait(queue, &conditions, timeout) == AMDGPU_MET)
            number = amdgpu_signal_exchange(queue->doorbell, SILENT);
        late = late < LATE_MAX_NS ? late * 2 : late;
        if (number >= 0 && (uint64_t)number >= queue->rung)
            queue->rung = (uint64_t)number + 1;
    }
    return !stops(queue);
}

/* Releases a packet's slot in the ring to the producer. */
static void take_packet(struct amdgpu_queue *queue, union amdgpu_packet *packet)
{
    queue->taken++;
    __atomic_store_n(&packet->header, HSA_PACKET_TYPE_INVALID, __ATOMIC_RELAXED);
    __atomic_store_n(&queue->settings.queue->read_dispatch_id, queue->taken, __ATOMIC_RELEASE);
}

static void *process(void *data)
{
    struct amdgpu_queue *queue = data;
    /* Whatever the host program set for its own arithmetic: this thread executes kernels, too. */
    fesetenv(FE_DFL_ENV);
    while (wait_for_packet(queue) && wait_while(queue, &suspended) &&
           wait_while(queue, &queue->paused)) {
        union amdgpu_packet *place = amdgpu_queue_next(queue), packet;
        if (has_barrier_bit(place) && !amdgpu_queue_wait_running(queue, 1))
            break;
        memcpy(&packet, place, sizeof packet);
        if (!amdgpu_scratch_ring_ensure(queue, &packet, queue->taken))
            break;
        bool waited_for = amdgpu_packet_is_waited_for(&packet);
        if (!waited_for)
            take_packet(queue, place);
        amdgpu_packet_process(queue, &packet, waited_for ? queue->taken : queue->taken - 1);
        if (waited_for)
            take_packet(queue, place);
        if (!amdgpu_scratch_ring_return(queue))
            break;
    }
    finish_thread(queue);
    return NULL;
}

/* ---- queues ------------------------------------------------------------------------ */

static bool is_ring(const hsa_queue_t *ring)
{
    return ring->base_address && (uintptr_t)ring->base_address % 64 == 0 && ring->size > 0 &&
           (ring->size & (ring->size - 1)) == 0 && ring->doorbell_signal.handle;
}

static hsa_queue_t ring_of(const struct amdgpu_queue_settings *settings)
{
    return settings->ring.base_address ? settings->ring : settings->queue->hsa_queue;
}

static void init(struct amdgpu_queue *queue, const struct amdgpu_queue_settings *settings)
{
    const hsa_queue_t *ring = &queue->ring;
    queue->settings = *settings;
    queue->ring = ring_of(settings);
    union amdgpu_packet *packets = ring->base_address;
    queue->priority = settings->priority;
    queue->cooperative = settings->cooperative;
    pthread_mutex_init(&queue->lock, NULL);
    amdgpu_signal_init(&queue->stop, 0);
    amdgpu_signal_init(&queue->running, 0);
    amdgpu_signal_init(&queue->paused, 0);
    for (int i = 0; i < AMDGPU_FLIGHTS; i++) {
        queue->flights[i].queue = queue;
        queue->flights[i].next = queue->unused;
        queue->unused = &queue->flights[i];
    }
    for (uint32_t i = 0; i < ring->size; i++)
        packets[i].header = HSA_PACKET_TYPE_INVALID;
    queue->doorbell = (amd_signal_t *)(uintptr_t)ring->doorbell_signal.handle;
    amdgpu_signal_store(queue->doorbell, SILENT);
}

static bool start(struct amdgpu_queue *queue)
{
    /* Under the lock, a device that is lost later finds this queue in the list. */
    pthread_mutex_lock(&all.lock);
    bool good = !amdgpu_device_lost(queue->settings.device->device) &&
                pthread_create(&queue->thread, NULL, process, queue) == 0;
    if (good) {
        queue->next = all.first;
        all.first = queue;
    }
    pthread_mutex_unlock(&all.lock);
    return good;
}

static void wake_waiters(uint32_t event)
{
    (void)event;
    amdgpu_signals_changed();
}

struct amdgpu_queue *amdgpu_queue_create(const struct amdgpu_queue_settings *settings)
{
    hsa_queue_t ring = ring_of(settings);
    if (!is_ring(&ring))
        return NULL;
    struct amdgpu_queue *queue = aligned_alloc(64, sizeof *queue);
    if (!queue)
        return NULL;
    memset(queue, 0, sizeof *queue);
    init(queue, settings);
    queue->copies =
        sim_memory_create(SIM_MEMORY_HOST, -1, AMDGPU_FLIGHTS * sizeof(union amdgpu_packet), 0);
    if (queue->copies)
        sim_memory_name(queue->copies, "dispatch packets");
    queue->scratch_pool = amdgpu_scratch_pool_create();
    amdgpu_on_interrupt(settings->interrupt ? settings->interrupt : wake_waiters);
    if (!queue->copies || !queue->scratch_pool || !start(queue)) {
        AH_LOG_ERR("simulated HSA runtime: a queue cannot be created: out of memory or threads");
        destroy(queue);
        return NULL;
    }
    return queue;
}

static void leave_list(struct amdgpu_queue *queue)
{
    pthread_mutex_lock(&all.lock);
    struct amdgpu_queue **link = &all.first;
    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
    pthread_mutex_unlock(&all.lock);
}

void amdgpu_queue_destroy(struct amdgpu_queue *queue)
{
    if (!queue)
        return;
    leave_list(queue);
    bool own = pthread_equal(pthread_self(), queue->thread);
    pthread_mutex_lock(&queue->lock);
    queue->orphan = own;
    stop(queue, NULL);
    pthread_mutex_unlock(&queue->lock);
    if (own) {
        pthread_detach(queue->thread);
        wait_until_idle(queue);
    } else {
        pthread_join(queue->thread, NULL);
        destroy(queue);
    }
}

void amdgpu_queue_inactivate(struct amdgpu_queue *queue, hsa_status_t status)
{
    struct amdgpu_queue_error error = {.status = status};
    pthread_mutex_lock(&queue->lock);
    stop(queue, status == HSA_STATUS_SUCCESS ? NULL : &error);
    pthread_mutex_unlock(&queue->lock);
    wait_until_idle(queue);
}

void amdgpu_queue_profile(struct amdgpu_queue *queue, bool on)
{
    uint32_t *properties = &queue->settings.queue->queue_properties;
    if (on)
        __atomic_fetch_or(properties, AMD_QUEUE_PROPERTIES_ENABLE_PROFILING, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(properties, ~(uint32_t)AMD_QUEUE_PROPERTIES_ENABLE_PROFILING,
                           __ATOMIC_RELAXED);
}

void amdgpu_queue_set_priority(struct amdgpu_queue *queue, int priority)
{
    atomic_store_explicit(&queue->priority, priority, memory_order_relaxed);
}

void amdgpu_queue_set_cooperative(struct amdgpu_queue *queue, bool cooperative)
{
    atomic_store_explicit(&queue->cooperative, cooperative, memory_order_relaxed);
}

bool amdgpu_queue_set_units(struct amdgpu_queue *queue, const uint32_t *mask, unsigned words)
{
    unsigned there = queue->settings.device->model.units, units = 0;
    uint32_t kept[AMDGPU_UNIT_WORDS] = {0};
    for (unsigned i = 0; i < there && i < 32 * words && i < 32 * AMDGPU_UNIT_WORDS; i++) {
        kept[i / 32] |= mask[i / 32] & 1u << i % 32;
        units += mask[i / 32] >> i % 32 & 1;
    }
    if (units == 0)
        return false;
    pthread_mutex_lock(&queue->lock);
    queue->units = units;
    memcpy(queue->unit_mask, kept, sizeof kept);
    pthread_mutex_unlock(&queue->lock);
    return true;
}

void amdgpu_queue_pause(struct amdgpu_queue *queue, bool pause)
{
    amdgpu_signal_store(&queue->paused, pause);
}
