/* Owns the execution of packets: validation, kernels and their ends, barriers, completion. */
#include "amdgpu_code.h"
#include "amdgpu_processor.h"
#include "log.h"

#include <inttypes.h>
#include <string.h>

enum { GROUP_MAX = 1024, KERNEL_ALIGNMENT = 64, SIGNAL_ALIGNMENT = 64, NAME_MAX_HERE = 256 };
enum { APART = 64 }; /* kernels that a queue's thread leaves to others once packets overlap */
/* The largest address of a kernel; there is no memory beyond it. */
#define ADDRESS_END (UINT64_C(1) << 47)

static void reject(struct amdgpu_queue *queue, hsa_status_t status, uint64_t number,
                   const char *why)
{
    struct amdgpu_queue_error error = {.status = status};
    AH_LOG_ERR("simulated HSA runtime: packet %" PRIu64 " of queue %" PRIu64 ": %s", number,
               queue->ring.id, why);
    amdgpu_queue_fail(queue, &error);
}

static void reject_format(struct amdgpu_queue *queue, uint64_t number, const char *why)
{
    reject(queue, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, number, why);
}

/* ---- signals of packets ------------------------------------------------------------------ */

bool amdgpu_queue_find_signal(const struct amdgpu_queue *queue, hsa_signal_t handle,
                              amd_signal_t **out_signal)
{
    unsigned char *view = NULL;
    if (handle.handle && handle.handle % SIGNAL_ALIGNMENT == 0)
        view =
            sim_translate(queue->settings.device->device, handle.handle, sizeof **out_signal, true);
    *out_signal = (amd_signal_t *)(void *)view;
    return view || !handle.handle;
}

static bool is_profiled(const struct amdgpu_queue *queue)
{
    const uint32_t *properties = &queue->settings.queue->queue_properties;
    return __atomic_load_n(properties, __ATOMIC_RELAXED) & AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
}

void amdgpu_queue_send_mail(const struct amdgpu_queue *queue, uint64_t mailbox, uint32_t event)
{
    unsigned char *view = NULL;
    if (queue->settings.interrupt && !queue->settings.has_mailboxes && event)
        queue->settings.interrupt(event);
    else if (queue->settings.interrupt && mailbox && mailbox % sizeof(uint64_t) == 0)
        view = sim_translate(queue->settings.device->device, mailbox, sizeof(uint64_t), true);
    if (!view)
        return;
    __atomic_store_n((uint64_t *)(void *)view, event, __ATOMIC_SEQ_CST);
    queue->settings.interrupt(event);
}

static void complete(const struct amdgpu_queue *queue, amd_signal_t *signal, uint64_t start)
{
    if (!signal)
        return;
    if (is_profiled(queue)) {
        signal->start_ts = start;
        signal->end_ts = amdgpu_clock();
    }
    uint64_t mailbox = signal->event_mailbox_ptr; /* the signal may be freed once it is complete */
    uint32_t event = signal->event_id;
    amdgpu_signal_add(signal, -1);
    amdgpu_queue_send_mail(queue, mailbox, event);
}

/* ---- how kernels end --------------------------------------------------------------- */

static hsa_status_t status_of(const struct amdgpu_end *end)
{
    switch (end->kind) {
    case AMDGPU_END_MEMORY:
        return end->address < ADDRESS_END
                   ? (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT
                   : (hsa_status_t)HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION;
    case AMDGPU_END_ALIGNMENT:
    case AMDGPU_END_SHARED:
    case AMDGPU_END_SCRATCH:
        return (hsa_status_t)HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION;
    case AMDGPU_END_INSTRUCTION:
        return (hsa_status_t)HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    case AMDGPU_END_PACKET:
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    case AMDGPU_END_NO_MEMORY:
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    case AMDGPU_END_OK:
    case AMDGPU_END_TRAP:
    case AMDGPU_END_HUNG:
    case AMDGPU_END_CANCELLED:
    case AMDGPU_END_CHECK:
        break;
    }
    return HSA_STATUS_ERROR_EXCEPTION;
}

/* Whether the queue's thread executes a kernel itself, so that nobody has to be woken: where
 * packets come one after the other. Where they overlap it takes the next ones meanwhile, and
 * counts. */
static bool takes_part(const struct amdgpu_flight *flight)
{
    struct amdgpu_queue *queue = flight->queue;
    unsigned apart = atomic_load_explicit(&queue->apart, memory_order_relaxed);
    if (amdgpu_queue_overlaps(queue, flight->follower))
        apart = APART;
    if (apart > 0)
        atomic_store_explicit(&queue->apart, apart - 1, memory_order_relaxed);
    return apart == 0;
}

static void end_flight(struct amdgpu_flight *flight, const struct amdgpu_end *end)
{
    struct amdgpu_queue_error error = {status_of(end), *end};
    bool good = end->kind == AMDGPU_END_OK;
    /* Before anybody who waits for the kernel can write another packet. */
    if (flight->dispatch.helped && amdgpu_queue_overlaps(flight->queue, flight->follower))
        atomic_store_explicit(&flight->queue->apart, APART, memory_order_relaxed);
    if (good)
        complete(flight->queue, flight->completion, flight->start);
    amdgpu_flight_end(flight, good ? NULL : &error);
}

static void kernel_done(struct amdgpu_dispatch *dispatch, const struct amdgpu_end *end)
{
    end_flight(dispatch->data, end);
}

static void kernel_trapped(struct amdgpu_dispatch *dispatch, uint32_t message)
{
    const struct amdgpu_flight *flight = dispatch->data;
    const struct amdgpu_queue_settings *settings = &flight->queue->settings;
    if (settings->trapped)
        settings->trapped(settings->data, message);
}

/* ---- kernels ----------------------------------------------------------------------- */

static const char *check_dimensions(const hsa_kernel_dispatch_packet_t *packet)
{
    unsigned dimensions = packet->setup & 3;
    bool is_flat = dimensions < 3 && (packet->workgroup_size_z != 1 || packet->grid_size_z != 1);
    is_flat |= dimensions < 2 && (packet->workgroup_size_y != 1 || packet->grid_size_y != 1);
    if (dimensions == 0)
        return "a kernel has no dimensions";
    if (is_flat)
        return "a dimension beyond those of the kernel has a size other than 1";
    if (packet->grid_size_x == 0 || packet->grid_size_y == 0 || packet->grid_size_z == 0 ||
        packet->workgroup_size_x == 0 || packet->workgroup_size_y == 0 ||
        packet->workgroup_size_z == 0)
        return "a kernel has no threads";
    return NULL;
}

/* The descriptor of the kernel; NULL: the packet was rejected. */
static const struct amdgpu_kernel_descriptor *
check_kernel(struct amdgpu_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
             uint64_t number)
{
    const char *why = check_dimensions(packet);
    uint64_t items =
        (uint64_t)packet->workgroup_size_x * packet->workgroup_size_y * packet->workgroup_size_z;
    const unsigned char *kernel = NULL;
    if (packet->kernel_object % KERNEL_ALIGNMENT == 0)
        kernel = sim_translate(queue->settings.device->device, packet->kernel_object,
                               sizeof(struct amdgpu_kernel_descriptor), false);
    if (why)
        reject(queue, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, number, why);
    else if (items > GROUP_MAX)
        reject(queue, HSA_STATUS_ERROR_INVALID_ARGUMENT, number,
               "a block has more than 1024 threads");
    else if (packet->group_segment_size > amdgpu_lds_limit())
        reject(queue, HSA_STATUS_ERROR_INVALID_ALLOCATION, number,
               "a block uses more shared memory than there is");
    else if (!kernel)
        reject(queue, HSA_STATUS_ERROR_INVALID_CODE_OBJECT, number,
               "the kernel object is not in memory that the device can read");
    else
        return (const struct amdgpu_kernel_descriptor *)(const void *)kernel;
    return NULL;
}

/* The delay that ANYHIP_SIM_FAULTS requests. */
static void delay(struct amdgpu_queue *queue)
{
    struct amdgpu_conditions conditions = {.count = 0};
    uint64_t time = sim_fault_delay();
    if (time > 0)
        (void)amdgpu_queue_wait(queue, &conditions, time);
}

/* Whether an injected fault replaces the kernel. */
static bool takes_fault(struct amdgpu_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
                        const struct amdgpu_kernel_descriptor *kernel)
{
    static const struct amdgpu_queue_error failure = {.status = HSA_STATUS_ERROR_EXCEPTION};
    char name[NAME_MAX_HERE];
    if (!sim_fault_armed())
        return false; /* look up names only if they are needed */
    amdgpu_symbols_name(packet->kernel_object + (uint64_t)kernel->kernel_code_entry_byte_offset,
                        name, sizeof name);
    enum sim_fault fault = sim_fault_launch(name);
    if (fault == SIM_FAULT_LOST)
        amdgpu_queue_lose_device(queue);
    else if (fault == SIM_FAULT_LAUNCH)
        amdgpu_queue_fail(queue, &failure);
    return fault != SIM_FAULT_NONE;
}

/* Whether the queue's owner makes the queue fail instead of running the kernel. */
static bool is_refused(struct amdgpu_queue *queue, const hsa_kernel_dispatch_packet_t *packet)
{
    const struct amdgpu_queue_settings *settings = &queue->settings;
    struct amdgpu_queue_error error = {.status = HSA_STATUS_SUCCESS};
    if (settings->taken)
        error.status = settings->taken(settings->data, packet);
    if (error.status != HSA_STATUS_SUCCESS)
        amdgpu_queue_fail(queue, &error);
    return error.status != HSA_STATUS_SUCCESS;
}

/* A copy of the packet for the kernel, since its slot in the ring may be reused. */
static uint64_t copy_packet(const struct amdgpu_flight *flight)
{
    const struct amdgpu_queue *queue = flight->queue;
    size_t offset = (size_t)(flight - queue->flights) * sizeof flight->dispatch.packet;
    memcpy(queue->copies->view + offset, &flight->dispatch.packet, sizeof flight->dispatch.packet);
    return queue->copies->address + offset;
}

static void start_kernel(struct amdgpu_flight *flight, const hsa_kernel_dispatch_packet_t *packet,
                         const struct amdgpu_scratch_ring *ring, uint64_t number)
{
    struct amdgpu_queue *queue = flight->queue;
    struct amdgpu_dispatch *dispatch = &flight->dispatch;
    struct amdgpu_end end = {.kind = AMDGPU_END_OK};
    memset(dispatch, 0, sizeof *dispatch);
    dispatch->device = queue->settings.device;
    dispatch->packet = *packet;
    dispatch->packet_address = copy_packet(flight);
    dispatch->queue_address = queue->settings.queue_address;
    dispatch->id = number;
    dispatch->priority = atomic_load_explicit(&queue->priority, memory_order_relaxed);
    dispatch->cooperative = atomic_load_explicit(&queue->cooperative, memory_order_relaxed);
    dispatch->scratch_pool = queue->scratch_pool;
    dispatch->scratch_ring = *ring;
    pthread_mutex_lock(&queue->lock);
    dispatch->units = queue->units;
    memcpy(dispatch->unit_mask, queue->unit_mask, sizeof dispatch->unit_mask);
    pthread_mutex_unlock(&queue->lock);
    dispatch->doorbell = queue->settings.doorbell;
    dispatch->trapped = kernel_trapped;
    dispatch->done = kernel_done;
    dispatch->data = flight;
    dispatch->helped = takes_part(flight);
    flight->start = amdgpu_clock();
    if (!amdgpu_dispatch_start(dispatch, &end)) {
        end_flight(flight, &end);
        return;
    }
    amdgpu_flight_started(flight);
    if (dispatch->helped)
        amdgpu_dispatch_help(dispatch);
}

static void process_kernel(struct amdgpu_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
                           uint64_t number)
{
    amd_signal_t *completion;
    if (!amdgpu_queue_find_signal(queue, packet->completion_signal, &completion)) {
        reject_format(queue, number,
                      "its completion signal is not in memory that the device can access");
        return;
    }
    const struct amdgpu_kernel_descriptor *kernel = check_kernel(queue, packet, number);
    if (!kernel)
        return;
    delay(queue);
    if (takes_fault(queue, packet, kernel) || is_refused(queue, packet))
        return;
    struct amdgpu_scratch_ring ring;
    if (!amdgpu_scratch_ring_allocate(queue, packet, kernel, &ring))
        return;
    struct amdgpu_flight *flight = amdgpu_flight_acquire(queue);
    if (!flight)
        return;
    flight->completion = completion;
    flight->follower = amdgpu_queue_next(queue);
    start_kernel(flight, packet, &ring, number);
}

/* ---- barriers, and agent dispatches -------------------------------------------------- */

static void wait_for_all(struct amdgpu_queue *queue, amd_signal_t *const *signals)
{
    bool goes_on = true;
    for (int i = 0; i < AMDGPU_CONDITIONS && goes_on; i++) {
        struct amdgpu_conditions conditions = {.count = 0};
        if (signals[i]) {
            amdgpu_conditions_add(&conditions, signals[i], HSA_SIGNAL_CONDITION_EQ, 0, -1);
            goes_on = amdgpu_queue_wait(queue, &conditions, UINT64_MAX) == AMDGPU_MET;
        }
    }
}

static void wait_for_any(struct amdgpu_queue *queue, amd_signal_t *const *signals)
{
    struct amdgpu_conditions conditions = {.count = 0};
    for (int i = 0; i < AMDGPU_CONDITIONS; i++)
        if (signals[i])
            amdgpu_conditions_add(&conditions, signals[i], HSA_SIGNAL_CONDITION_EQ, 0, -1);
    if (conditions.count > 0)
        (void)amdgpu_queue_wait(queue, &conditions, UINT64_MAX);
}

/* Later packets wait until it is complete. */
static void process_barrier(struct amdgpu_queue *queue, const hsa_barrier_and_packet_t *packet,
                            bool any, uint64_t number)
{
    amd_signal_t *signals[AMDGPU_CONDITIONS], *completion;
    bool good = amdgpu_queue_find_signal(queue, packet->completion_signal, &completion);
    uint64_t start = amdgpu_clock();
    for (int i = 0; i < AMDGPU_CONDITIONS; i++)
        good &= amdgpu_queue_find_signal(queue, packet->dep_signal[i], &signals[i]);
    if (!good) {
        reject_format(queue, number,
                      "a barrier's signal is not in memory that the device can access");
        return;
    }
    (any ? wait_for_any : wait_for_all)(queue, signals);
    if (amdgpu_signal_load(&queue->stop) == 0)
        complete(queue, completion, start);
}

static void process_value(struct amdgpu_queue *queue, const hsa_amd_barrier_value_packet_t *packet,
                          uint64_t number)
{
    amd_signal_t *signal, *completion;
    struct amdgpu_conditions conditions = {.count = 0};
    bool good = amdgpu_queue_find_signal(queue, packet->signal, &signal) &&
                amdgpu_queue_find_signal(queue, packet->completion_signal, &completion);
    uint64_t start = amdgpu_clock();
    if (!good || packet->cond > HSA_SIGNAL_CONDITION_GTE) {
        reject_format(queue, number, "a barrier's signal or condition is invalid");
        return;
    }
    if (signal)
        amdgpu_conditions_add(&conditions, signal, (hsa_signal_condition_t)packet->cond,
                              packet->value, packet->mask);
    if (!signal || amdgpu_queue_wait(queue, &conditions, UINT64_MAX) == AMDGPU_MET)
        complete(queue, completion, start);
}

static void process_agent(struct amdgpu_queue *queue, const hsa_agent_dispatch_packet_t *packet,
                          uint64_t number)
{
    const struct amdgpu_queue_settings *settings = &queue->settings;
    amd_signal_t *completion;
    uint64_t start = amdgpu_clock();
    if (!settings->agent_dispatch) {
        reject_format(queue, number, "the queue does not support agent dispatches");
        return;
    }
    if (!amdgpu_queue_find_signal(queue, packet->completion_signal, &completion)) {
        reject_format(queue, number,
                      "its completion signal is not in memory that the device can access");
        return;
    }
    settings->agent_dispatch(settings->data, packet);
    if (amdgpu_signal_load(&queue->stop) == 0)
        complete(queue, completion, start);
}

static void process_pm4(struct amdgpu_queue *queue, const struct amdgpu_pm4_packet *packet,
                        uint64_t number)
{
    uint64_t address = packet->jump[1] | (uint64_t)(packet->jump[2] & 0xffff) << 32;
    amd_signal_t *completion;
    uint64_t start = amdgpu_clock();
    const char *why = amdgpu_queue_find_signal(queue, packet->completion_signal, &completion)
                          ? amdgpu_pm4_run(queue->settings.device->device, address & ~UINT64_C(3),
                                           packet->jump[3] & 0xfffff)
                          : "its completion signal is not in memory that the device can access";
    if (why)
        reject_format(queue, number, why);
    else
        complete(queue, completion, start);
}

bool amdgpu_packet_is_waited_for(const union amdgpu_packet *packet)
{
    return (packet->header & 0xff) == HSA_PACKET_TYPE_VENDOR_SPECIFIC &&
           packet->pm4.format == AMDGPU_AQL_FORMAT_PM4_IB;
}

void amdgpu_packet_process(struct amdgpu_queue *queue, const union amdgpu_packet *packet,
                           uint64_t number)
{
    switch (packet->header & 0xff) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH:
        process_kernel(queue, &packet->kernel, number);
        break;
    case HSA_PACKET_TYPE_BARRIER_AND:
    case HSA_PACKET_TYPE_BARRIER_OR:
        process_barrier(queue, &packet->barrier,
                        (packet->header & 0xff) == HSA_PACKET_TYPE_BARRIER_OR, number);
        break;
    case HSA_PACKET_TYPE_AGENT_DISPATCH:
        process_agent(queue, &packet->agent, number);
        break;
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
        if (packet->value.header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE)
            process_value(queue, &packet->value, number);
        else if (packet->pm4.format == AMDGPU_AQL_FORMAT_PM4_IB)
            process_pm4(queue, &packet->pm4, number);
        else
            reject_format(queue, number,
                          "a vendor packet is neither a barrier nor a PM4 indirect buffer");
        break;
    default:
        reject_format(queue, number, "its packet type is invalid");
        break;
    }
}
