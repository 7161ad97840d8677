/* Owns queues: their creation and destruction, their settings, and the reports of their
 * failures. */
#include "simhsa_runtime.h"

#include <stdlib.h>
#include <string.h>

enum {
    QUEUES_MAX = 4096,
    SLOT = 256, /* bytes of an amd_queue_t and what follows */
    RING_MIN = 64,
    RING_MAX = 131072,
    PACKET = 64,
    MASK_WORDS = 16, /* of compute units */
};
_Static_assert(sizeof(amd_queue_t) <= SLOT, "a slot holds one");

/* A callback for the failure of a queue. */
struct listener {
    struct listener *next;
    void (*callback)(hsa_status_t, hsa_queue_t *, void *);
    void *data;
};

struct queue {
    amd_queue_t *amd;               /* the program's part, in memory that devices can access */
    struct amdgpu_queue *processor; /* NULL: a soft queue, whose packets the program takes */
    const struct simhsa_agent *agent;
    struct sim_memory *ring;
    void *soft_ring; /* allocated as by the program */
    _Atomic(struct listener *) listeners;
    unsigned holders;   /* 0: the queue is not shared */
    _Atomic(bool) left; /* a user has destroyed it: which of the callbacks it had is unknown */
    uint32_t mask[MASK_WORDS], mask_count; /* in words, 0: all units */
};

/* Everything that programs have pointers to is in one allocation: a pointer is validated by its
 * index and one entry. */
static struct {
    pthread_mutex_t lock; /* of creation and destruction */
    unsigned char *slots;
    _Atomic(struct queue *) queues[QUEUES_MAX];
    struct queue *cooperative[SIMHSA_AGENTS_MAX]; /* the shared cooperative queue of each agent */
    unsigned next;
    uint64_t last_id;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- finding ----------------------------------------------------------------------- */

static struct queue *queue_get(const hsa_queue_t *pointer)
{
    uint64_t offset = (uintptr_t)pointer - (uintptr_t)all.slots;
    if (!all.slots || offset % SLOT != 0 || offset / SLOT >= QUEUES_MAX)
        return NULL;
    return atomic_load_explicit(&all.queues[offset / SLOT], memory_order_acquire);
}

amd_queue_t *simhsa_queue_get(const hsa_queue_t *pointer)
{
    const struct queue *queue = queue_get(pointer);
    return queue ? queue->amd : NULL;
}

bool simhsa_queue_is_soft(const hsa_queue_t *pointer)
{
    const struct queue *queue = queue_get(pointer);
    return queue && !queue->processor;
}

/* NULL: it does not belong to a device. */
static struct queue *device_queue_get(const hsa_queue_t *pointer)
{
    struct queue *queue = queue_get(pointer);
    return queue && queue->processor ? queue : NULL;
}

/* ---- errors --------------------------------------------------------------------------- */

/* Of the thread: the queue whose failure it is reporting to the program. */
static _Thread_local hsa_queue_t *failing;

/* Whether a handler was called. */
static bool report_to_system(const struct queue *queue, const struct amdgpu_queue_error *error)
{
    hsa_amd_event_t event = {
        .event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT,
        .memory_fault = {simhsa_agent_handle(queue->agent), error->end.address,
                         HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT},
    };
    return error->status == (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT && simhsa_event(&event);
}

/* Whether a callback was called. A callback may destroy the queue, and all callbacks with it. */
static bool report_to_program(const struct queue *queue, hsa_status_t status)
{
    const struct listener *listener = atomic_load(&queue->listeners);
    if (!listener || atomic_load(&queue->left))
        return false;
    failing = &queue->amd->hsa_queue;
    while (listener && failing) {
        const struct listener *next = listener->next;
        listener->callback(status, failing, listener->data);
        listener = next;
    }
    failing = NULL;
    return true;
}

/* On the queue's thread. Memory faults are reported as system events first, as by AMD's runtime; a
 * program without handlers would wait indefinitely for the work that failed, and is terminated, as
 * there. */
static void failed(void *data, const struct amdgpu_queue_error *error)
{
    const struct queue *queue = data;
    const char *text = "an unknown error";
    bool own = simhsa_own_thread;
    hsa_status_string(error->status, &text);
    AH_LOG_ERR("simulated HSA runtime: a queue of %s failed: %s", queue->agent->name, text);
    simhsa_own_thread = true;
    bool reported = report_to_system(queue, error);
    const char *name = queue->agent->name;
    if (!report_to_program(queue, error->status) && !reported) {
        AH_LOG_NOTICE(AH_LOG_ERROR,
                      "simulated HSA runtime: a queue of %s failed, and the program has no "
                      "callback or handler that would report it: %s",
                      name, text);
        abort();
    }
    simhsa_own_thread = own;
}

static hsa_status_t kernel_begins(void *data, const hsa_kernel_dispatch_packet_t *packet)
{
    const struct queue *queue = data;
    return simhsa_script.launch(queue->agent, &queue->amd->hsa_queue, packet);
}

/* Whether a packet that the queue has not taken will complete signal. */
static bool is_expected(const struct queue *queue, hsa_signal_t signal)
{
    const hsa_kernel_dispatch_packet_t *ring = (const void *)queue->ring->view;
    for (size_t i = 0; i < queue->ring->size / PACKET; i++)
        if ((__atomic_load_n(&ring[i].header, __ATOMIC_ACQUIRE) & 0xff) !=
                HSA_PACKET_TYPE_INVALID &&
            ring[i].completion_signal.handle == signal.handle)
            return true;
    return false;
}

void simhsa_queue_wait_for(hsa_signal_t signal)
{
    const struct queue *queue = failing ? queue_get(failing) : NULL;
    if (!queue || !is_expected(queue, signal))
        return;
    AH_LOG_NOTICE(
        AH_LOG_ERROR,
        "simulated HSA runtime: a queue of %s failed, and the program's error callback waits "
        "for another packet of that queue, which will never complete",
        queue->agent->name);
    abort();
}

/* ---- making --------------------------------------------------------------------------- */

bool simhsa_queues_open(void)
{
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_HOST, -1, QUEUES_MAX * SLOT, 4096);
    all.slots = memory ? memory->view : NULL;
    return memory != NULL;
}

/* Under the lock. QUEUES_MAX: none left. Slots are reused as late as possible. */
static unsigned acquire_slot(void)
{
    for (unsigned tries = 0; tries < QUEUES_MAX; tries++) {
        unsigned slot = all.next++ % QUEUES_MAX;
        if (!atomic_load(&all.queues[slot]))
            return slot;
    }
    return QUEUES_MAX;
}

static void fill_in(amd_queue_t *amd, const struct queue *queue, uint32_t size,
                    hsa_queue_type32_t type, const amd_signal_t *doorbell,
                    const amd_signal_t *inactive)
{
    memset(amd, 0, sizeof *amd);
    amd->hsa_queue = (hsa_queue_t){
        .type = type,
        .features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH,
        .base_address = queue->ring->view,
        .doorbell_signal = simhsa_signal_handle(doorbell),
        .size = size,
        .id = ++all.last_id,
    };
    amd->group_segment_aperture_base_hi = (uint32_t)(SIM_SHARED_WINDOW >> 32);
    amd->private_segment_aperture_base_hi = (uint32_t)(SIM_LOCAL_WINDOW >> 32);
    amd->max_cu_id = queue->agent->gpu.model.units - 1;
    amd->max_wave_id =
        queue->agent->gpu.model.simds_per_unit * queue->agent->gpu.model.waves_per_simd - 1;
    amd->read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
    amd->queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
    amd->queue_inactive_signal = simhsa_signal_handle(inactive);
}

static void free_parts(struct queue *queue)
{
    if (queue->amd) {
        simhsa_signal_free((amd_signal_t *)(uintptr_t)queue->amd->hsa_queue.doorbell_signal.handle);
        simhsa_signal_free((amd_signal_t *)(uintptr_t)queue->amd->queue_inactive_signal.handle);
    }
    sim_memory_destroy(queue->ring);
    for (struct listener *listener = atomic_load(&queue->listeners); listener;) {
        struct listener *next = listener->next;
        free(listener);
        listener = next;
    }
    free(queue);
}

/* Callbacks are called with the newest first. False: out of memory. callback NULL: there is
 * none. */
static bool add_listener(struct queue *queue, void (*callback)(hsa_status_t, hsa_queue_t *, void *),
                         void *data)
{
    struct listener *listener = callback ? malloc(sizeof *listener) : NULL;
    if (!listener)
        return !callback;
    *listener = (struct listener){atomic_load(&queue->listeners), callback, data};
    atomic_store(&queue->listeners, listener);
    return true;
}

/* Under the lock. */
static bool start(struct queue *queue, unsigned slot, uint32_t size, hsa_queue_type32_t type)
{
    amd_signal_t *doorbell = simhsa_signal_new(0, true), *inactive = simhsa_signal_new(0, true);
    queue->ring = sim_memory_create(SIM_MEMORY_HOST, -1, (size_t)size * PACKET, 4096);
    if (!doorbell || !inactive || !queue->ring) {
        simhsa_signal_free(doorbell);
        simhsa_signal_free(inactive);
        return false;
    }
    sim_memory_name(queue->ring, "packets of a queue");
    queue->amd = (amd_queue_t *)(void *)(all.slots + (size_t)slot * SLOT);
    fill_in(queue->amd, queue, size, type, doorbell, inactive);
    queue->processor = amdgpu_queue_create(&(struct amdgpu_queue_settings){
        .device = &queue->agent->gpu,
        .queue = queue->amd,
        .queue_address = (uintptr_t)queue->amd,
        .cooperative = type == HSA_QUEUE_TYPE_COOPERATIVE,
        .error = failed,
        .taken = simhsa_script.launch ? kernel_begins : NULL,
        .data = queue,
    });
    return queue->processor != NULL;
}

struct wanted {
    const struct simhsa_agent *agent;
    uint32_t size;
    hsa_queue_type32_t type;
    void (*callback)(hsa_status_t, hsa_queue_t *, void *);
    void *data;
};

/* Under the lock. NULL: out of memory, or the maximum exists. */
static struct queue *make(const struct wanted *wanted)
{
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    queue->agent = wanted->agent;
    unsigned slot = acquire_slot();
    if (slot < QUEUES_MAX && add_listener(queue, wanted->callback, wanted->data) &&
        start(queue, slot, wanted->size, wanted->type)) {
        atomic_store_explicit(&all.queues[slot], queue, memory_order_release);
        return queue;
    }
    free_parts(queue);
    return NULL;
}

/* Under the lock. As in AMD's runtime, an agent has one cooperative queue, whose size is fixed; it
 * is created on the first request and destroyed with its last user. AMD's runtime terminates the
 * process when it fails; here all of its users are notified, as long as none of them has destroyed
 * it. */
static struct queue *share(const struct wanted *wanted)
{
    struct queue **place = &all.cooperative[wanted->agent->node], *queue = *place;
    struct wanted first = *wanted;
    first.size = RING_MIN;
    if (!queue)
        queue = *place = make(&first);
    else if (!add_listener(queue, wanted->callback, wanted->data))
        queue = NULL;
    if (queue)
        queue->holders++;
    return queue;
}

/* Whether all waves of a device can have so many bytes of scratch for each lane from the first
 * dispatch on. Later, each dispatch requests what it needs. */
static bool has_scratch(const struct simhsa_agent *agent, uint32_t size)
{
    enum { LANES = 64, WAVES_PER_UNIT = 32, MOST = 262128 };
    const uint64_t all_scratch = UINT64_C(4) << 30;
    uint64_t waves = (uint64_t)agent->gpu.model.units * WAVES_PER_UNIT;
    return size == UINT32_MAX || (size <= MOST && size * LANES * waves <= all_scratch);
}

hsa_status_t hsa_queue_create(hsa_agent_t handle, uint32_t size, hsa_queue_type32_t type,
                              void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                              uint32_t private_segment_size, uint32_t group_segment_size,
                              hsa_queue_t **queue)
{
    SIMHSA_ENTER();
    (void)group_segment_size; /* a hint: dispatches request what they need */
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    if (!queue || size == 0 || (size & (size - 1)) != 0 || type > HSA_QUEUE_TYPE_COOPERATIVE)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (agent->device < 0)
        return HSA_STATUS_ERROR;
    bool shared = type == HSA_QUEUE_TYPE_COOPERATIVE;
    if (size < RING_MIN && !shared)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if ((!shared && (size > RING_MAX || !has_scratch(agent, private_segment_size))) ||
        amdgpu_device_lost(agent->device))
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const struct wanted wanted = {agent, size, type, callback, data};
    pthread_mutex_lock(&all.lock);
    const struct queue *made = shared ? share(&wanted) : make(&wanted);
    pthread_mutex_unlock(&all.lock);
    if (!made)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *queue = &made->amd->hsa_queue;
    return HSA_STATUS_SUCCESS;
}

/* ---- queues of the program --------------------------------------------------------- */

/* Under the lock: creates the part that the program sees. */
static void fill_in_soft(amd_queue_t *amd, const hsa_queue_t *like)
{
    memset(amd, 0, sizeof *amd);
    amd->hsa_queue = *like;
    amd->hsa_queue.id = ++all.last_id;
    amd->queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
    for (uint32_t i = 0; i < like->size; i++)
        *(uint16_t *)(void *)((char *)like->base_address + (size_t)i * PACKET) =
            HSA_PACKET_TYPE_INVALID;
}

/* A queue whose packets the program or a kernel takes: it has no packet processor. */
static bool make_soft(const hsa_queue_t *like, hsa_queue_t **out)
{
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return false;
    queue->soft_ring = like->base_address;
    pthread_mutex_lock(&all.lock);
    unsigned slot = acquire_slot();
    if (slot < QUEUES_MAX) {
        queue->amd = (amd_queue_t *)(void *)(all.slots + (size_t)slot * SLOT);
        fill_in_soft(queue->amd, like);
        atomic_store_explicit(&all.queues[slot], queue, memory_order_release);
        *out = &queue->amd->hsa_queue;
    }
    pthread_mutex_unlock(&all.lock);
    if (slot == QUEUES_MAX)
        free(queue);
    return slot < QUEUES_MAX;
}

hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type32_t type,
                                   uint32_t features, hsa_signal_t doorbell_signal,
                                   hsa_queue_t **queue)
{
    SIMHSA_ENTER();
    hsa_queue_t like = {
        .type = type, .features = features, .doorbell_signal = doorbell_signal, .size = size};
    if (!queue || region.handle == 0 || doorbell_signal.handle == 0 || size == 0 ||
        (size & (size - 1)) != 0 || type > HSA_QUEUE_TYPE_SINGLE || features == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const struct simhsa_pool *pool = simhsa_pool_get(region.handle);
    if (!pool)
        return HSA_STATUS_ERROR_INVALID_REGION;
    if (!simhsa_signal_get(doorbell_signal))
        return HSA_STATUS_ERROR_INVALID_SIGNAL;
    if (pool->agent->device >= 0) {
        simhsa_violation("packets of the program cannot lie in a device's memory, which it does "
                         "not reach");
        return HSA_STATUS_ERROR_INVALID_REGION;
    }
    if (hsa_memory_allocate(region, (size_t)size * PACKET, &like.base_address) !=
        HSA_STATUS_SUCCESS)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (make_soft(&like, queue))
        return HSA_STATUS_SUCCESS;
    (void)hsa_memory_free(like.base_address);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/* ---- ending ------------------------------------------------------------------------ */

/* Under the lock: the caller that removes the queue from the table destroys it. NULL: it still has
 * other users. */
static struct queue *remove_queue(struct queue *queue)
{
    uint64_t slot = (size_t)((unsigned char *)queue->amd - all.slots) / SLOT;
    if (queue->holders > 0 && --queue->holders > 0) {
        atomic_store(&queue->left, true);
        return NULL;
    }
    if (queue->agent && all.cooperative[queue->agent->node] == queue)
        all.cooperative[queue->agent->node] = NULL;
    atomic_store(&all.queues[slot], NULL);
    return queue;
}

static void end_queue(struct queue *queue)
{
    if (!queue->processor) {
        (void)hsa_memory_free(queue->soft_ring);
        free(queue);
        return;
    }
    if (failing == &queue->amd->hsa_queue)
        failing = NULL;
    amdgpu_queue_destroy(queue->processor);
    free_parts(queue);
}

hsa_status_t hsa_queue_destroy(hsa_queue_t *pointer)
{
    SIMHSA_ENTER();
    if (!pointer)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&all.lock);
    struct queue *queue = queue_get(pointer), *ends = queue ? remove_queue(queue) : NULL;
    pthread_mutex_unlock(&all.lock);
    if (!queue) {
        simhsa_violation("hsa_queue_destroy of %p, which is not a queue", (void *)pointer);
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    }
    if (ends)
        end_queue(ends);
    return HSA_STATUS_SUCCESS;
}

void simhsa_queues_close(void)
{
    for (unsigned i = 0; i < QUEUES_MAX; i++) {
        struct queue *queue = atomic_exchange(&all.queues[i], NULL);
        if (queue)
            end_queue(queue);
    }
    memset(all.cooperative, 0, sizeof all.cooperative);
}

unsigned simhsa_queues_left(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < QUEUES_MAX; i++)
        count += atomic_load(&all.queues[i]) != NULL;
    return count;
}

void simhsa_queues_fail(const struct simhsa_agent *agent, const hsa_queue_t *which,
                        hsa_status_t status)
{
    for (unsigned i = 0; i < QUEUES_MAX; i++) {
        const struct queue *queue = atomic_load(&all.queues[i]);
        if (queue && queue->agent == agent && (!which || which == &queue->amd->hsa_queue))
            amdgpu_queue_inactivate(queue->processor, status);
    }
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t *pointer)
{
    SIMHSA_ENTER();
    if (!pointer)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const struct queue *queue = queue_get(pointer);
    if (!queue)
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (queue->processor)
        amdgpu_queue_inactivate(queue->processor, HSA_STATUS_SUCCESS);
    return HSA_STATUS_SUCCESS;
}

/* ---- settings ---------------------------------------------------------------------- */

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *pointer, int enable)
{
    SIMHSA_ENTER();
    const struct queue *queue = queue_get(pointer);
    if (!queue)
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (queue->processor)
        amdgpu_queue_profile(queue->processor, enable != 0);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t *pointer, hsa_amd_queue_priority_t priority)
{
    SIMHSA_ENTER();
    if (!pointer)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const struct queue *queue = queue_get(pointer);
    if (!queue)
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (priority > HSA_AMD_QUEUE_PRIORITY_HIGH)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!queue->processor)
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    amdgpu_queue_set_priority(queue->processor, HSA_AMD_QUEUE_PRIORITY_NORMAL - (int)priority);
    return HSA_STATUS_SUCCESS;
}

/* From gfx10 on, two units share their resources for work-groups, and AMD's runtime masks them
 * together. */
static bool is_in_pairs(const struct queue *queue, const uint32_t *mask, uint32_t words)
{
    bool pairs = true;
    if (amdgpu_family_of(queue->agent->gpu.model.isa) == AMDGPU_GFX9)
        return true;
    for (uint32_t i = 0; i < words; i++)
        pairs &= ((mask[i] ^ mask[i] >> 1) & 0x55555555) == 0;
    return pairs;
}

/* Under the lock. No words: all units. False: the mask names no unit of the device. */
static bool apply_mask(struct queue *queue, const uint32_t *mask, uint32_t words)
{
    uint32_t every[MASK_WORDS];
    memset(every, 0xff, sizeof every);
    if (!amdgpu_queue_set_units(queue->processor, words > 0 ? mask : every,
                                words > 0 ? words : MASK_WORDS))
        return false;
    queue->mask_count = words;
    if (words > 0)
        memcpy(queue->mask, mask, words * sizeof *mask);
    return true;
}

hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t *pointer, uint32_t num_cu_mask_count,
                                       const uint32_t *cu_mask)
{
    SIMHSA_ENTER();
    struct queue *queue = device_queue_get(pointer);
    if (!queue)
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (num_cu_mask_count % 32 != 0 || (num_cu_mask_count > 0 && !cu_mask))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t words = num_cu_mask_count / 32;
    words = words < MASK_WORDS ? words : MASK_WORDS;
    if (!is_in_pairs(queue, cu_mask, words))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&all.lock);
    bool taken = apply_mask(queue, cu_mask, words);
    pthread_mutex_unlock(&all.lock);
    /* units beyond the last are ignored */
    return taken ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t *pointer, uint32_t num_cu_mask_count,
                                       uint32_t *cu_mask)
{
    SIMHSA_ENTER();
    const struct queue *queue = device_queue_get(pointer);
    if (!queue)
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (num_cu_mask_count == 0 || num_cu_mask_count % 32 != 0 || !cu_mask)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t units = queue->agent->gpu.model.units;
    pthread_mutex_lock(&all.lock);
    for (uint32_t i = 0; i < num_cu_mask_count / 32; i++) {
        uint32_t left = units > 32 * i ? units - 32 * i : 0;
        uint32_t there = left >= 32 ? UINT32_MAX : (1u << left) - 1;
        bool masked = queue->mask_count > 0;
        cu_mask[i] = there & (!masked ? UINT32_MAX : i < queue->mask_count ? queue->mask[i] : 0);
    }
    pthread_mutex_unlock(&all.lock);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_get_info(hsa_queue_t *pointer, hsa_queue_info_attribute_t attribute,
                                    void *value)
{
    SIMHSA_ENTER();
    const struct queue *queue = device_queue_get(pointer);
    if (!queue)
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_agent_t agent = simhsa_agent_handle(queue->agent);
    uint64_t doorbell = queue->amd->hsa_queue.doorbell_signal.handle;
    switch (attribute) {
    case HSA_AMD_QUEUE_INFO_AGENT:
        memcpy(value, &agent, sizeof agent);
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_QUEUE_INFO_DOORBELL_ID:
        memcpy(value, &doorbell, sizeof doorbell);
        return HSA_STATUS_SUCCESS;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}
