/* Owns what the fake HSA runtime adds to the simulated one: its devices, failures that are seen
 * later, and what is left of what was made. The script is script.c's. */
#include "fakehsa.h"
#include "amdgpu_code.h"
#include "script.h"
#include "simhsa.h"
#include "simhsa_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char dispatch_row[] = "dispatch", copy_row[] = "copy";
static const char *const names[] = {
#define SIMHSA_SYMBOL(name) #name,
#include "simhsa_symbols.def"
#undef SIMHSA_SYMBOL
    dispatch_row,
    copy_row,
};

static _Atomic(bool) ended;

/* ---- calls ------------------------------------------------------------------------------ */

/* Before the runtime starts: its devices, unless whoever opened it has said which. A runtime
 * without devices is one without GPU agents: no number is visible. */
static hsa_status_t choose_devices(void)
{
    const char *devices = script_setting("DEVICES"), *peers = script_setting("PEERS"),
               *packets = script_setting("QUEUE_PACKETS");
    simhsa_script.apart = peers && strcmp(peers, "0") == 0;
    simhsa_script.queue_packets = packets ? (uint32_t)strtoul(packets, NULL, 10) : 0;
    if (simhsa.agent_count > 0)
        return HSA_STATUS_SUCCESS;
    if (devices && !*devices)
        return setenv("ROCR_VISIBLE_DEVICES", "-1", 1) ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
    return devices ? (hsa_status_t)anyhipSimConfigure(devices) : HSA_STATUS_SUCCESS;
}

static hsa_status_t on_call(const char *name)
{
    hsa_status_t status = (hsa_status_t)script_call(name);
    if (atomic_load(&ended))
        return HSA_STATUS_ERROR_NOT_INITIALIZED;
    return status == HSA_STATUS_SUCCESS && strcmp(name, "hsa_init") == 0 ? choose_devices()
                                                                         : status;
}

static hsa_status_t on_copy(void)
{
    return (hsa_status_t)script_call(copy_row);
}

static void read_kernel(const hsa_kernel_dispatch_packet_t *packet, struct fake_launch *out)
{
    const struct amdgpu_kernel_descriptor *kernel =
        (const void *)simhsa_translate(packet->kernel_object, sizeof *kernel, false);
    if (!kernel)
        return;
    amdgpu_symbols_name(packet->kernel_object + (uint64_t)kernel->kernel_code_entry_byte_offset,
                        out->kernel, sizeof out->kernel);
    out->argument_size = kernel->kernarg_size;
    size_t size =
        out->argument_size < sizeof out->arguments ? out->argument_size : sizeof out->arguments;
    const void *arguments =
        size ? simhsa_translate((uintptr_t)packet->kernarg_address, size, false) : NULL;
    if (arguments)
        memcpy(out->arguments, arguments, size);
}

static unsigned blocks(uint32_t grid, uint16_t block)
{
    return block ? (grid + block - 1) / block : 0;
}

static hsa_status_t on_launch(const struct simhsa_agent *agent, const hsa_queue_t *queue,
                              const hsa_kernel_dispatch_packet_t *packet)
{
    struct fake_launch out = {
        .grid = {blocks(packet->grid_size_x, packet->workgroup_size_x),
                 blocks(packet->grid_size_y, packet->workgroup_size_y),
                 blocks(packet->grid_size_z, packet->workgroup_size_z)},
        .block = {packet->workgroup_size_x, packet->workgroup_size_y, packet->workgroup_size_z},
        .shared = packet->group_segment_size,
        .cooperative = queue->type == HSA_QUEUE_TYPE_COOPERATIVE,
        .stream = queue,
        .device = (int)agent->node - 1,
    };
    read_kernel(packet, &out);
    script_launch(&out);
    return (hsa_status_t)script_call(dispatch_row);
}

void fakehsa_fail(const char *function, unsigned nth, int status)
{
    script_fail(function, nth, status);
}

void fakehsa_clear_faults(void)
{
    script_clear_faults();
}

unsigned fakehsa_calls(const char *function)
{
    return script_calls(function);
}

/* ---- devices ---------------------------------------------------------------------------- */

void fakehsa_break_queue(int device, const void *queue, int status)
{
    simhsa_queues_fail(&simhsa.agents[1 + device], queue, (hsa_status_t)status);
}

void fakehsa_break(int device, int status)
{
    fakehsa_break_queue(device, NULL, status);
}

void fakehsa_set_pool_flags(int device, unsigned flags)
{
    struct simhsa_agent *agent = &simhsa.agents[1 + device];
    for (unsigned i = 0; i < agent->pool_count; i++)
        if (agent->pools[i].segment == HSA_AMD_SEGMENT_GLOBAL)
            agent->pools[i].flags = flags;
}

void fakehsa_use_large_bar(unsigned flush_registers[2])
{
    simhsa_script.large_bar = true;
    simhsa_script.flush_registers = (hsa_amd_hdp_flush_t){flush_registers, flush_registers + 1};
}

static void tell_fault(void *data)
{
    hsa_amd_event_t *event = data;
    simhsa_event(event);
    free(event);
}

void fakehsa_memory_fault(int device, const void *address)
{
    hsa_amd_event_t *event = calloc(1, sizeof *event);
    if (!event)
        abort();
    *event = (hsa_amd_event_t){
        .event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT,
        .memory_fault = {simhsa_agent_handle(&simhsa.agents[1 + device]), (uintptr_t)address,
                         HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT},
    };
    if (!simhsa_call_later(tell_fault, event))
        abort();
}

void fakehsa_deinitialise(void)
{
    atomic_store(&ended, true);
}

void fakehsa_hold(bool hold)
{
    atomic_store(&simhsa_script.held, hold);
    amdgpu_queues_suspend(hold);
    simhsa_copies_poll();
}

/* ---- violations and launches -------------------------------------------------------- */

size_t fakehsa_violations(void)
{
    return script_violations();
}

const char *fakehsa_violation_at(size_t index)
{
    return script_violation_at(index);
}

size_t fakehsa_launches(void)
{
    return script_launches();
}

bool fakehsa_launch_at(size_t index, struct fake_launch *out)
{
    return script_launch_at(index, out);
}

void fakehsa_forget(void)
{
    script_forget();
}

/* ---- what is left ----------------------------------------------------------------------- */

static bool count_memory(struct sim_memory *sim, void *data)
{
    struct fakehsa_counts *out = data;
    const struct simhsa_memory *memory = sim->owner;
    if (!memory)
        return true;
    switch (memory->kind) {
    case SIMHSA_POOL_MEMORY:
        out->device_allocations += sim->device >= 0;
        out->host_allocations += sim->device < 0;
        break;
    case SIMHSA_MAPPED:
        out->mappings++;
        break;
    case SIMHSA_OPENED:
    case SIMHSA_INTEROP:
        out->opened++;
        break;
    case SIMHSA_LOCKED: /* in pieces: locks are counted */
        break;
    }
    return true;
}

static unsigned count_objects(enum simhsa_kind kind)
{
    unsigned count = 0;
    for (const void *at = NULL; (at = simhsa_object_next(kind, at));)
        count++;
    return count;
}

void fakehsa_count(struct fakehsa_counts *out)
{
    *out = (struct fakehsa_counts){
        .queues = simhsa_queues_left(),
        .signals = simhsa_signals_left(),
        .images = simhsa_images_left(false),
        .samplers = simhsa_images_left(true),
    };
    simhsa_memory_lock();
    sim_memory_each(count_memory, out);
    out->locks = simhsa_locks_left();
    out->reservations = simhsa_reservations_left();
    out->physical = simhsa_physicals_left();
    simhsa_memory_unlock();
    simhsa_objects_lock();
    out->readers = count_objects(SIMHSA_READER);
    out->executables = count_objects(SIMHSA_EXECUTABLE);
    simhsa_objects_unlock();
}

static size_t list_counts(struct fake_count out[FAKE_COUNTS_MAX])
{
    struct fakehsa_counts counts;
    fakehsa_count(&counts);
    const struct fake_count list[] = {
#define COUNT(field) {#field, counts.field},
        FAKEHSA_COUNTS(COUNT)
#undef COUNT
    };
    _Static_assert(sizeof list / sizeof *list <= FAKE_COUNTS_MAX, "there is room");
    memcpy(out, list, sizeof list);
    return sizeof list / sizeof *list;
}

const char *fakehsa_report(void)
{
    struct fake_count counts[FAKE_COUNTS_MAX];
    size_t count = list_counts(counts);
    return script_report(counts, count);
}

const struct fake *fakehsa(void)
{
    static const struct fake fake = {
        .vendor = "hsa",
        .fail_call = script_fail,
        .clear_faults = script_clear_faults,
        .hook = script_hook,
        .has_faults = script_has_faults,
        .break_device = fakehsa_break,
        .deinitialise = fakehsa_deinitialise,
        .hold = fakehsa_hold,
        .function_at = script_function_at,
        .calls = script_calls,
        .launches = script_launches,
        .launch_at = script_launch_at,
        .violations = script_violations,
        .violation_at = script_violation_at,
        .forget = script_forget,
        .count = list_counts,
        .report = fakehsa_report,
    };
    return &fake;
}

/* ---- beginning and end ------------------------------------------------------------------ */

__attribute__((constructor)) static void start(void)
{
    script_open(FAKE_PREFIX, names, sizeof names / sizeof *names);
    simhsa_script.call = on_call;
    simhsa_script.violation = script_violation;
    simhsa_script.copy = on_copy;
    simhsa_script.launch = on_launch;
}

/* Locks that a child of fork has got may be held for good. */
__attribute__((destructor)) static void end_of_process(void)
{
    if (atomic_load(&simhsa.forked))
        return;
    script_write_report(fakehsa_report());
    fakehsa_deinitialise();
}
