/* Owns the model of GPUs that AMD's present runtime loads when HSA_MODEL_LIB names this library
 * (hsakmt_model.h): its devices, their memory, and their queues.
 *
 * The runtime's own kernel interface owns memory and events. It reports each allocation, but
 * neither the devices that it is mapped to nor the memory that the program registers: all devices
 * can access all memory of the runtime and of the program. */
#include "hsakmt_model.h"
#include "simkmt.h"

#include "amdgpu_device.h"
#include "ranges.h"
#include "config.h"
#include "sim_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of queue_inactive_signal, by which firmware and trap handlers say why a queue failed. */
enum {
    INVALID_DIMENSIONS = 2,
    INVALID_GROUP_MEMORY = 4,
    INVALID_CODE = 8,
    INVALID_FORMAT = 32,
    INVALID_GROUP_SIZE = 64,
    MEMORY_VIOLATION = 0x20000000,
    ILLEGAL_INSTRUCTION = 0x40000000,
};
#define TRAPPED INT64_C(0x80000000)

enum { SPACE = 1 << 20 }; /* of each device, for the simulator itself */

struct hsakmt_model {
    const struct simkmt_node *node;
    unsigned char *aperture;
    void (*set_event)(void *data, unsigned event_id);
    void *data;
};

/* An allocation of the runtime, or a piece of the program's memory that a device came upon. */
struct piece {
    struct ah_range range;
    struct sim_memory *sim;
    bool programs;
};

static struct {
    pthread_mutex_t lock;
    struct hsakmt_model models[SIM_DEVICES_MAX];
    unsigned created;       /* how often: models are made anew whenever the runtime is */
    struct ah_ranges table; /* struct piece; disjoint */
    unsigned programs;      /* how many of them are the program's */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- devices --------------------------------------------------------------------------- */

/* The models of the folder if it exists; otherwise those of the configuration, and the folder is
 * created. */
static bool open_devices(const char *folder)
{
    const struct amdgpu_model *models[SIM_DEVICES_MAX];
    int count = simkmt_sysfs_read(folder, models);
    bool found = count > 0;
    if (count == 0)
        count = amdgpu_list_read(sim_options()->devices, models);
    if (count <= 0 || simkmt_nodes_create(models, count, SPACE) != HSAKMT_STATUS_SUCCESS)
        return false;
    return found || simkmt_sysfs_write(folder);
}

static hsakmt_model_t *create(void)
{
    hsakmt_model_t *model = NULL;
    pthread_mutex_lock(&all.lock);
    unsigned devices = atomic_load(&simkmt.node_count);
    if (devices > 1) {
        model = &all.models[all.created % (devices - 1)];
        model->node = &simkmt.nodes[1 + all.created++ % (devices - 1)];
    }
    pthread_mutex_unlock(&all.lock);
    return model;
}

static void destroy(hsakmt_model_t *model)
{
    (void)model; /* the process has it as long as it runs */
}

static void set_aperture(hsakmt_model_t *model, void *base, uint64_t size)
{
    (void)size;
    model->aperture = base;
}

/* ---- memory ---------------------------------------------------------------------------- */

static void destroy_piece(struct piece *piece)
{
    ah_ranges_remove(&all.table, &piece->range);
    sim_memory_destroy(piece->sim);
    all.programs -= piece->programs;
    free(piece);
}

/* The first that has an address from start on, before end. NULL: none. */
static struct piece *piece_in(uint64_t start, uint64_t end)
{
    struct ah_range *range = ah_ranges_find(&all.table, start);
    if (!range)
        range = ah_ranges_above(&all.table, start);
    return range && range->start < end ? (struct piece *)(void *)range : NULL;
}

static bool add(uint64_t start, uint64_t end, unsigned char *view, bool writable, bool programs)
{
    struct piece *piece = calloc(1, sizeof *piece);
    if (piece)
        piece->sim = sim_memory_attach(start, end - start, view, writable);
    if (!piece || !piece->sim) {
        free(piece);
        return false;
    }
    piece->range.start = start;
    piece->range.size = end - start;
    piece->programs = programs;
    all.programs += programs;
    ah_ranges_insert(&all.table, &piece->range);
    return true;
}

/* The host reaches its own memory and what is public at the address itself. */
static void alloced(hsakmt_model_t *model, void *base, uint64_t size, uint32_t flags)
{
    uint64_t start = (uintptr_t)base, end = start + size;
    struct piece *old;
    bool by_host = flags & (HSAKMT_MODEL_GTT | HSAKMT_MODEL_PUBLIC);
    if (flags & (HSAKMT_MODEL_DOORBELL | HSAKMT_MODEL_REGISTERS))
        return;
    pthread_mutex_lock(&all.lock);
    while ((old = piece_in(start, end))) /* the program's, from before */
        destroy_piece(old);
    if (!add(start, end, by_host ? base : model->aperture + start, true, false))
        AH_LOG_ERR(
            "simulated kernel driver: out of memory: devices cannot access the allocation at %p",
            base);
    pthread_mutex_unlock(&all.lock);
}

static void freed(hsakmt_model_t *model, void *base, uint64_t size)
{
    uint64_t start = (uintptr_t)base;
    (void)model;
    pthread_mutex_lock(&all.lock);
    struct piece *piece = piece_in(start, start + size);
    if (piece && piece->range.start == start)
        destroy_piece(piece);
    pthread_mutex_unlock(&all.lock);
    amdgpu_code_discard(start, size);
}

/* What is mapped around an address, as the kernel has it. False: nothing that may be read. */
static bool find_mapping(uint64_t address, uint64_t *out_start, uint64_t *out_end,
                         bool *out_writable)
{
    char line[512], rights[5] = "";
    bool found = false;
    FILE *maps = fopen("/proc/thread-self/maps", "re"); /* self: empty after the first thread */
    while (maps && !found && fgets(line, sizeof line, maps))
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", out_start, out_end, rights) == 3 &&
                address >= *out_start && address < *out_end;
    if (maps)
        fclose(maps);
    *out_writable = rights[1] == 'w';
    return found && rights[0] == 'r';
}

/* A device accesses an address that is in no allocation of the runtime; it may be in memory of the
 * program, which is not reported. */
static bool is_of_program(uint64_t address, bool write)
{
    uint64_t start, end;
    bool writable;
    if (address < SIMKMT_PAGE || address >= SIM_SHARED_WINDOW ||
        !find_mapping(address, &start, &end, &writable) || (write && !writable))
        return false;
    pthread_mutex_lock(&all.lock);
    const struct ah_range *below = ah_ranges_floor(&all.table, address);
    const struct ah_range *above = ah_ranges_above(&all.table, address);
    if (below && below->start + below->size > start)
        start = below->start + below->size;
    if (above && above->start < end)
        end = above->start;
    bool known = address < start || address >= end; /* by another thread, meanwhile */
    if (!known)
        known = add(start, end, (unsigned char *)(uintptr_t)start, writable, true);
    pthread_mutex_unlock(&all.lock);
    return known;
}

/* The program may have unmapped memory that was found before. */
static void discard_program_memory(void)
{
    pthread_mutex_lock(&all.lock);
    for (struct ah_range *at = ah_ranges_above(&all.table, 0); at && all.programs > 0;) {
        struct piece *piece = (struct piece *)(void *)at;
        at = ah_ranges_above(&all.table, at->start);
        if (piece->programs)
            destroy_piece(piece);
    }
    pthread_mutex_unlock(&all.lock);
}

hsa_status_t simkmt_model_begin(void *data, const hsa_kernel_dispatch_packet_t *packet)
{
    (void)data, (void)packet;
    discard_program_memory();
    return HSA_STATUS_SUCCESS;
}

/* ---- events and failures --------------------------------------------------------------- */

void simkmt_model_interrupt(uint32_t event_id)
{
    const hsakmt_model_t *model = &all.models[0]; /* all have the same events */
    if (event_id && model->set_event)
        model->set_event(model->data, event_id);
    amdgpu_signals_changed();
}

void simkmt_model_changed(const struct simkmt_node *node, uint64_t address)
{
    const amd_signal_t *signal = NULL;
    uint64_t start = address - offsetof(amd_signal_t, value);
    if (start % _Alignof(amd_signal_t) == 0)
        signal = (void *)sim_translate_range(node->gpu.device, start, sizeof(amd_signal_t), false);
    if (signal && signal->kind == AMD_SIGNAL_KIND_USER)
        simkmt_model_interrupt(signal->event_id);
}

static int64_t reason_of(hsa_status_t status)
{
    switch ((int)status) {
    case HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS:
        return INVALID_DIMENSIONS;
    case HSA_STATUS_ERROR_INVALID_ALLOCATION:
        return INVALID_GROUP_MEMORY;
    case HSA_STATUS_ERROR_INVALID_CODE_OBJECT:
        return INVALID_CODE;
    case HSA_STATUS_ERROR_INVALID_PACKET_FORMAT:
        return INVALID_FORMAT;
    case HSA_STATUS_ERROR_INVALID_ARGUMENT:
        return INVALID_GROUP_SIZE;
    case HSA_STATUS_ERROR_MEMORY_FAULT:
    case HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION:
        return MEMORY_VIOLATION;
    case HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION:
        return ILLEGAL_INSTRUCTION;
    default:
        return TRAPPED;
    }
}

void simkmt_model_failed(const struct simkmt_node *node, const amd_queue_t *queue,
                         const struct amdgpu_queue_error *error)
{
    uint64_t handle = queue->queue_inactive_signal.handle;
    amd_signal_t *signal =
        handle % _Alignof(amd_signal_t) == 0
            ? (void *)sim_translate_range(node->gpu.device, handle, sizeof *signal, true)
            : NULL;
    if (!signal)
        return;
    amdgpu_signal_store(signal, reason_of(error->status));
    simkmt_model_interrupt(signal->event_id);
}

static void set_set_event(hsakmt_model_t *model, void (*set)(void *data, unsigned event_id),
                          void *data)
{
    model->set_event = set;
    model->data = data;
}

/* set_event reports that too. */
static void set_notify_event(hsakmt_model_t *model, void (*notify)(void *data), void *data)
{
    (void)model, (void)notify, (void)data;
}

/* Queues poll what they wait for. */
static void set_wait_event(hsakmt_model_t *model,
                           void (*wait)(void *data, uint64_t address, uint64_t age), void *data)
{
    (void)model, (void)wait, (void)data;
}

/* ---- queues ---------------------------------------------------------------------------- */

static hsakmt_model_queue_t *register_queue(hsakmt_model_t *model,
                                            struct hsakmt_model_queue_info *info)
{
    HsaQueueResource resource = {.QueueRptrValue = info->read_pointer_address,
                                 .QueueWptrValue = info->write_pointer_address};
    bool sdma = info->queue_type == HSAKMT_MODEL_QUEUE_SDMA;
    HSAKMT_STATUS status = HSAKMT_STATUS_NOT_SUPPORTED;
    if (sdma || info->queue_type == HSAKMT_MODEL_QUEUE_AQL)
        status = hsaKmtCreateQueue(
            model->node->number, sdma ? HSA_QUEUE_SDMA : HSA_QUEUE_COMPUTE_AQL, 100, 0,
            (void *)(uintptr_t)info->ring_base_address, info->ring_size, NULL, &resource);
    return status == HSAKMT_STATUS_SUCCESS ? (void *)(uintptr_t)resource.QueueId : NULL;
}

static void destroy_queue(hsakmt_model_t *model, hsakmt_model_queue_t *queue)
{
    (void)model;
    (void)hsaKmtDestroyQueue((uintptr_t)queue);
}

/* ---- the library ----------------------------------------------------------------------- */

__attribute__((visibility("default"))) const struct hsakmt_model_functions *
get_hsakmt_model_functions(void)
{
    static const struct hsakmt_model_functions functions = {
        .version_major = HSAKMT_MODEL_MAJOR,
        .version_minor = HSAKMT_MODEL_MINOR,
        .create = create,
        .destroy = destroy,
        .set_global_aperture = set_aperture,
        .alloced_memory = alloced,
        .freed_memory = freed,
        .set_notify_event = set_notify_event,
        .set_wait_event = set_wait_event,
        .register_queue = register_queue,
        .set_set_event = set_set_event,
        .destroy_queue = destroy_queue,
    };
    const char *folder = secure_getenv("HSA_MODEL_TOPOLOGY");
    pthread_mutex_lock(&simkmt.lock);
    if (atomic_load(&simkmt.node_count) == 0) {
        ah_config_start_log();
        simkmt.model = true;
        sim_memory_set_resolver(is_of_program);
        if (!folder || !open_devices(folder))
            AH_LOG_ERR("simulated kernel driver: HSA_MODEL_TOPOLOGY names no folder that can be "
                       "read or made: there are no devices");
    }
    pthread_mutex_unlock(&simkmt.lock);
    return &functions;
}
