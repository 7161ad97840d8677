/* Owns what the fake CUDA driver adds to the simulated one: its devices, and what is left of what
 * was made. The script is script.c's. */
#include "fakecuda.h"
#include "fakecupti.h"
#include "script.h"
#include "simcuda.h"
#include "simcuda_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define SIMCUDA_SYMBOL(field, name, parameters) name,
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
};

/* "80,90" as the simulator has it: "sm_80,sm_90". */
static void name_devices(const char *capabilities, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = capabilities; *at && used < size; at += strcspn(at, ",")) {
        at += *at == ',';
        used += (size_t)snprintf(out + used, size - used, "%ssm_%.*s", used ? "," : "",
                                 (int)strcspn(at, ","), at);
    }
}

/* Before the driver starts: its devices, unless whoever opened it has said which. */
static CUresult choose_devices(void)
{
    char devices[256];
    const char *capabilities = script_setting("DEVICES");
    if (simcuda.initialised || script_calls("anyhipSimConfigure") > 0)
        return CUDA_SUCCESS;
    name_devices(capabilities ? capabilities : "80", devices, sizeof devices);
    return *devices ? simcuda_anyhipSimConfigure(devices) : CUDA_ERROR_NO_DEVICE;
}

static void read_settings(void)
{
    const char *version = script_setting("VERSION"), *peers = script_setting("PEERS");
    const char *host_thread = script_setting("HOST_THREAD");
    simcuda_script.version = version ? atoi(version) : 0;
    simcuda_script.apart = peers && strcmp(peers, "0") == 0;
    simcuda_script.one_host_thread = host_thread && strcmp(host_thread, "1") == 0;
}

static CUresult on_call(const char *name)
{
    CUresult result = script_call(name);
    fakecupti_call(name);
    bool starts = strcmp(name, "cuInit") == 0;
    if (starts || strcmp(name, "cuDriverGetVersion") == 0)
        read_settings();
    return result == CUDA_SUCCESS && starts ? choose_devices() : result;
}

void fakecuda_fail(const char *function, unsigned nth, int result)
{
    script_fail(function, nth, result);
}

void fakecuda_hook(const char *function, void (*hook)(void *data), void *data)
{
    script_hook(function, hook, data);
}

void fakecuda_clear_faults(void)
{
    script_clear_faults();
}

unsigned fakecuda_calls(const char *function)
{
    return script_calls(function);
}

bool fakecuda_inside(void)
{
    return simcuda_thread.inside;
}

void fakecuda_hold(bool hold)
{
    pthread_mutex_lock(&simcuda.lock);
    simcuda_script.held = hold;
    pthread_cond_broadcast(&simcuda.changed);
    pthread_mutex_unlock(&simcuda.lock);
}

void fakecuda_close_files(bool close)
{
    pthread_mutex_lock(&simcuda.lock);
    simcuda_script.closes_files = close;
    pthread_mutex_unlock(&simcuda.lock);
}

void fakecuda_break(int device, int result)
{
    pthread_mutex_lock(&simcuda.lock);
    simcuda.devices[device].primary->error = result;
    pthread_mutex_unlock(&simcuda.lock);
}

void fakecuda_deinitialise(void)
{
    atomic_store(&simcuda.deinitialised, true);
}

/* ---- violations and launches ------------------------------------------------------ */

size_t fakecuda_violations(void)
{
    return script_violations();
}

const char *fakecuda_violation_at(size_t index)
{
    return script_violation_at(index);
}

static void on_launch(const struct simcuda_launched *launch)
{
    struct fake_launch out = {
        .shared = launch->shared,
        .cooperative = launch->cooperative,
        .attributes = launch->attributes,
        .window = launch->window,
        .priority = launch->priority,
        .domain = launch->domain,
        .stream = launch->stream,
        .device = launch->device,
        .argument_size = launch->argument_size,
    };
    snprintf(out.kernel, sizeof out.kernel, "%s", launch->kernel);
    memcpy(out.grid, launch->grid, sizeof out.grid);
    memcpy(out.block, launch->block, sizeof out.block);
    memcpy(out.arguments, launch->arguments,
           launch->argument_size < sizeof out.arguments ? launch->argument_size
                                                        : sizeof out.arguments);
    script_launch(&out);
}

size_t fakecuda_launches(void)
{
    return script_launches();
}

bool fakecuda_launch_at(size_t index, struct fake_launch *out)
{
    return script_launch_at(index, out);
}

void fakecuda_forget(void)
{
    script_forget();
}

/* ---- what is left -------------------------------------------------------------------- */

static void count_object(struct simcuda_object *object, void *data)
{
    struct fakecuda_counts *out = data;
    switch (object->kind) {
    case SIMCUDA_STREAM:
        out->streams += !((struct simcuda_stream *)(void *)object)->is_default;
        break;
    case SIMCUDA_EVENT:
        out->events++;
        break;
    case SIMCUDA_MODULE:
        out->modules++;
        break;
    case SIMCUDA_LINK:
        out->links++;
        break;
    case SIMCUDA_ARRAY:
        out->arrays++;
        break;
    case SIMCUDA_POOL:
        out->pools += !((struct simcuda_pool *)(void *)object)->is_default;
        break;
    case SIMCUDA_PHYSICAL:
        out->physical++;
        break;
    case SIMCUDA_GRAPH:
        out->graphs++;
        break;
    case SIMCUDA_GRAPH_EXEC:
        out->executable_graphs++;
        break;
    case SIMCUDA_EXTERNAL:
        out->external_memories++;
        break;
    case SIMCUDA_SEMAPHORE:
        out->semaphores++;
        break;
    default:
        break;
    }
}

static void count_memory(struct fakecuda_counts *out)
{
    for (const struct simcuda_memory *at = simcuda_memory_first(); at; at = at->next) {
        switch (at->kind) {
        case SIMCUDA_DEVICE_MEMORY:
        case SIMCUDA_POOL_MEMORY:
        case SIMCUDA_OPENED:
        case SIMCUDA_SHARED:
        case SIMCUDA_IMPORTED:
            out->allocations++;
            break;
        case SIMCUDA_PINNED:
            out->pinned++;
            break;
        case SIMCUDA_REGISTERED:
            out->registered++;
            break;
        case SIMCUDA_MANAGED:
            out->managed++;
            break;
        case SIMCUDA_MAPPING:
            out->mappings++;
            break;
        case SIMCUDA_GLOBAL:
            break;
        }
    }
}

void fakecuda_count(struct fakecuda_counts *out)
{
    static const enum simcuda_kind kinds[] = {
        SIMCUDA_STREAM,   SIMCUDA_EVENT,     SIMCUDA_MODULE, SIMCUDA_ARRAY,
        SIMCUDA_POOL,     SIMCUDA_PHYSICAL,  SIMCUDA_GRAPH,  SIMCUDA_GRAPH_EXEC,
        SIMCUDA_EXTERNAL, SIMCUDA_SEMAPHORE, SIMCUDA_LINK};
    *out = (struct fakecuda_counts){0};
    pthread_mutex_lock(&simcuda.lock);
    for (int i = 0; i < simcuda.device_count; i++)
        out->contexts += simcuda.devices[i].primary->active;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        simcuda_object_each(kinds[i], count_object, out);
    count_memory(out);
    out->reservations = simcuda_reservations();
    pthread_mutex_unlock(&simcuda.lock);
}

static size_t list_counts(struct fake_count out[FAKE_COUNTS_MAX])
{
    struct fakecuda_counts counts;
    fakecuda_count(&counts);
    const struct fake_count list[] = {
#define COUNT(field) {#field, counts.field},
        FAKECUDA_COUNTS(COUNT)
#undef COUNT
    };
    _Static_assert(sizeof list / sizeof *list <= FAKE_COUNTS_MAX, "there is room");
    memcpy(out, list, sizeof list);
    return sizeof list / sizeof *list;
}

const char *fakecuda_report(void)
{
    struct fake_count counts[FAKE_COUNTS_MAX];
    size_t count = list_counts(counts);
    return script_report(counts, count);
}

int fakecuda_finish(void)
{
    const char *left = fakecuda_report();
    if (*left)
        fprintf(stderr, "left in the driver:\n%s", left);
    for (size_t i = 0; i < fakecuda_violations(); i++)
        fprintf(stderr, "%s\n", fakecuda_violation_at(i));
    return *left || fakecuda_violations() ? -1 : 0;
}

const struct fake *fakecuda(void)
{
    static const struct fake fake = {
        .vendor = "cuda",
        .fail_call = script_fail,
        .clear_faults = script_clear_faults,
        .hook = script_hook,
        .has_faults = script_has_faults,
        .break_device = fakecuda_break,
        .deinitialise = fakecuda_deinitialise,
        .hold = fakecuda_hold,
        .function_at = script_function_at,
        .calls = script_calls,
        .launches = script_launches,
        .launch_at = script_launch_at,
        .violations = script_violations,
        .violation_at = script_violation_at,
        .forget = script_forget,
        .count = list_counts,
        .report = fakecuda_report,
    };
    return &fake;
}

/* ---- beginning and end ------------------------------------------------------------------ */

__attribute__((constructor)) static void start(void)
{
    script_open(FAKE_PREFIX, names, sizeof names / sizeof *names);
    simcuda_script.call = on_call;
    simcuda_script.violation = script_violation;
    simcuda_script.launch = on_launch;
    fakecupti_open();
}

/* Locks that a child of fork has got may be held for good. */
__attribute__((destructor)) static void end_of_process(void)
{
    if (atomic_load(&simcuda.forked))
        return;
    script_write_report(fakecuda_report());
    fakecuda_deinitialise();
}
