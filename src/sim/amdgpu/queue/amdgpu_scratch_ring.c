/* Owns the scratch that the owner of a queue provides: requests for more, and which part of it each
 * kernel in progress uses.
 *
 * It works as in hardware and firmware: the packet that needs more is not taken, nothing else runs,
 * and queue_inactive_signal says why. AMD's runtime allocates memory, writes its address and size
 * to the amd_queue_t, and stores 0 to the signal. */
#include "amdgpu_processor.h"
#include "log.h"

#include <inttypes.h>

enum { /* values of queue_inactive_signal */
       NEEDS_SCRATCH = 1,
       NEEDS_SCRATCH_32 = 0x400, /* of waves of 32 */
       RETURNS_SCRATCH = 512,
};
enum { LOOK_MIN_NS = 10000, LOOK_MAX_NS = 1000000 };

/* The scratch that a kernel needs. */
struct need {
    unsigned lanes, waves; /* waves: of a group */
    uint64_t groups;
    size_t wave_size;
};

static uint64_t groups_of(const hsa_kernel_dispatch_packet_t *packet)
{
    const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
    const uint32_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y,
                               packet->workgroup_size_z};
    uint64_t groups = 1;
    for (unsigned i = 0; i < 3; i++)
        if (__builtin_mul_overflow(groups, grid[i] / group[i] + (grid[i] % group[i] != 0), &groups))
            return UINT64_MAX;
    return groups;
}

/* False: the kernel does not use the queue's scratch, or its packet will be rejected. */
static bool need_of(const struct amdgpu_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
                    const struct amdgpu_kernel_descriptor *kernel, struct need *out_need)
{
    uint64_t items =
        (uint64_t)packet->workgroup_size_x * packet->workgroup_size_y * packet->workgroup_size_z;
    if (!queue->settings.owner_scratch || !packet->private_segment_size || items == 0)
        return false;
    bool narrow = kernel->kernel_code_properties & AMDGPU_PROPERTY_WAVEFRONT_SIZE32;
    out_need->lanes = narrow ? 32 : 64;
    out_need->waves = (unsigned)((items + out_need->lanes - 1) / out_need->lanes);
    out_need->groups = groups_of(packet);
    out_need->wave_size = (size_t)packet->private_segment_size * out_need->lanes;
    return true;
}

/* ---- the size of the scratch ------------------------------------------------------------ */

/* On devices that count the waves of each of their engines or chiplets, the count is of each. */
static bool counts_parts(enum amdgpu_isa isa)
{
    return isa == AMDGPU_GFX942 || amdgpu_family_of(isa) == AMDGPU_GFX11;
}

/* ROCm 7's runtimes store the size in the resource descriptor only. */
static uint64_t bytes_of(const amd_queue_t *amd)
{
    uint64_t bytes = amd->scratch_backing_memory_byte_size;
    return bytes ? bytes : amd->scratch_resource_descriptor[2];
}

static struct amdgpu_scratch_ring ring_of(const struct amdgpu_queue *queue)
{
    const amd_queue_t *amd = queue->settings.queue;
    enum amdgpu_isa isa = queue->settings.device->model.isa;
    uint32_t size = amd->compute_tmpring_size;
    bool gfx11 = amdgpu_family_of(isa) == AMDGPU_GFX11;
    struct amdgpu_scratch_ring ring = {.waves = size & 0xfff};
    ring.wave_size = gfx11 ? (size >> 12 & 0x7fff) * 256u : (size >> 12 & 0x1fff) * 1024u;
    if (ring.waves == 0 || ring.wave_size == 0)
        return (struct amdgpu_scratch_ring){.address = 0};
    uint64_t room = bytes_of(amd) / ring.wave_size;
    if (room > UINT16_MAX)
        room = UINT16_MAX;
    if (counts_parts(isa) || ring.waves > room)
        ring.waves = (unsigned)room;
    ring.address = amd->scratch_backing_memory_location;
    for (unsigned i = 0; i < 4; i++)
        ring.descriptor[i] = amd->scratch_resource_descriptor[i];
    return ring;
}

static bool suffices(const struct amdgpu_scratch_ring *ring, const struct need *need)
{
    return ring->address && ring->wave_size >= need->wave_size && ring->waves >= need->waves;
}

/* ---- asking for more ------------------------------------------------------------------- */

static bool fail(struct amdgpu_queue *queue, hsa_status_t status, uint64_t address, const char *why,
                 uint64_t number)
{
    struct amdgpu_queue_error error = {.status = status, .end = {.address = address}};
    AH_LOG_ERR("simulated HSA runtime: packet %" PRIu64 " of queue %" PRIu64 ": %s", number,
               queue->ring.id, why);
    amdgpu_queue_fail(queue, &error);
    return false;
}

static void notify_owner(const struct amdgpu_queue *queue, amd_signal_t *inactive, int64_t value)
{
    amdgpu_signal_store(inactive, value);
    amdgpu_queue_send_mail(queue, inactive->event_mailbox_ptr, inactive->event_id);
}

/* NULL: there is none. */
static amd_signal_t *inactive_of(const struct amdgpu_queue *queue)
{
    amd_signal_t *signal;
    return amdgpu_queue_find_signal(queue, queue->settings.queue->queue_inactive_signal, &signal)
               ? signal
               : NULL;
}

/* Running kernels may be using the scratch that is about to be replaced. */
static bool request(struct amdgpu_queue *queue, amd_signal_t *inactive, int64_t value)
{
    struct amdgpu_conditions conditions = {.count = 0};
    if (!amdgpu_queue_wait_running(queue, 1))
        return false;
    notify_owner(queue, inactive, value);
    amdgpu_conditions_add(&conditions, inactive, HSA_SIGNAL_CONDITION_EQ, 0, -1);
    return amdgpu_queue_wait(queue, &conditions, UINT64_MAX) == AMDGPU_MET;
}

/* Whether the device can access the memory that the owner named. */
static bool check(struct amdgpu_queue *queue, const struct amdgpu_scratch_ring *ring,
                  uint64_t number)
{
    int device = queue->settings.device->device;
    if (sim_translate_range(device, ring->address, ring->waves * ring->wave_size, true))
        return true;
    return fail(queue, (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT, ring->address,
                "the queue's scratch is not in memory that the device can access", number);
}

bool amdgpu_scratch_ring_ensure(struct amdgpu_queue *queue, const union amdgpu_packet *packet,
                                uint64_t number)
{
    const hsa_kernel_dispatch_packet_t *kernel = &packet->kernel;
    struct need need;
    queue->ring_used = false;
    if ((packet->header & 0xff) != HSA_PACKET_TYPE_KERNEL_DISPATCH || kernel->kernel_object % 64)
        return true;
    const unsigned char *descriptor =
        sim_translate(queue->settings.device->device, kernel->kernel_object,
                      sizeof(struct amdgpu_kernel_descriptor), false);
    if (!descriptor || !need_of(queue, kernel, (const void *)descriptor, &need))
        return true;
    queue->ring_used = true;
    struct amdgpu_scratch_ring ring = ring_of(queue);
    if (suffices(&ring, &need))
        return check(queue, &ring, number);
    amd_signal_t *inactive = inactive_of(queue);
    if (!inactive)
        return fail(
            queue, HSA_STATUS_ERROR_OUT_OF_RESOURCES, 0,
            "it needs scratch, but the queue has no queue_inactive_signal to request it with",
            number);
    if (!request(queue, inactive, need.lanes == 32 ? NEEDS_SCRATCH_32 : NEEDS_SCRATCH))
        return false;
    ring = ring_of(queue);
    if (!suffices(&ring, &need))
        return fail(queue, HSA_STATUS_ERROR_OUT_OF_RESOURCES, 0,
                    "the runtime provided less scratch than a block needs", number);
    return check(queue, &ring, number);
}

/* ---- returning scratch ------------------------------------------------------------------- */

static bool is_for_once(const struct amdgpu_queue *queue)
{
    return __atomic_load_n(&queue->settings.queue->queue_properties, __ATOMIC_ACQUIRE) &
           AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE;
}

/* The owner clears the property last, and does not signal that. */
bool amdgpu_scratch_ring_return(struct amdgpu_queue *queue)
{
    struct amdgpu_conditions conditions = {.count = 0};
    uint64_t pause = LOOK_MIN_NS;
    if (!queue->ring_used || !is_for_once(queue))
        return true;
    amd_signal_t *inactive = inactive_of(queue);
    if (!inactive || !request(queue, inactive, RETURNS_SCRATCH))
        return false;
    while (is_for_once(queue)) {
        if (amdgpu_queue_wait(queue, &conditions, pause) == AMDGPU_STOPPED)
            return false;
        pause = pause < LOOK_MAX_NS ? 2 * pause : pause;
    }
    return true;
}

/* ---- allocation for kernels --------------------------------------------------------- */

/* Whether a part that begins at first would overlap that of a kernel in progress; *out_end: where
 * that ends. Under the queue's lock. */
static bool overlaps(const struct amdgpu_queue *queue, unsigned first, unsigned waves,
                     unsigned *out_end)
{
    for (int i = 0; i < AMDGPU_FLIGHTS; i++) {
        const struct amdgpu_scratch_ring *other = &queue->flights[i].dispatch.scratch_ring;
        *out_end = other->first + other->waves;
        if (queue->flights[i].running && other->address && first < *out_end &&
            other->first < first + waves)
            return true;
    }
    return false;
}

static bool find_part(struct amdgpu_queue *queue, unsigned limit, struct amdgpu_scratch_ring *ring)
{
    unsigned first = 0, end;
    pthread_mutex_lock(&queue->lock);
    while (first + ring->waves <= limit && overlaps(queue, first, ring->waves, &end))
        first = end;
    pthread_mutex_unlock(&queue->lock);
    ring->first = first;
    return first + ring->waves <= limit;
}

bool amdgpu_scratch_ring_allocate(struct amdgpu_queue *queue,
                                  const hsa_kernel_dispatch_packet_t *packet,
                                  const struct amdgpu_kernel_descriptor *kernel,
                                  struct amdgpu_scratch_ring *out_ring)
{
    struct need need;
    *out_ring = (struct amdgpu_scratch_ring){.address = 0};
    if (!need_of(queue, packet, kernel, &need))
        return true;
    *out_ring = ring_of(queue);
    unsigned limit = out_ring->waves, groups = limit / need.waves;
    if (need.groups < groups)
        groups = (unsigned)need.groups;
    out_ring->waves = groups * need.waves;
    for (;;) {
        int64_t running = amdgpu_signal_load(&queue->running);
        if (find_part(queue, limit, out_ring))
            return true;
        if (!amdgpu_queue_wait_running(queue, running))
            return false;
    }
}
