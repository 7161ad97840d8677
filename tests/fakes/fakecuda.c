/* Owns the script of the fake driver: faults, counts of calls, launches, violations, and what is
 * left of what was made. */
#include "fakecuda.h"
#include "simcuda.h"
#include "simcuda_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPENT = -1, FAULTS_MAX = 32, VIOLATIONS_MAX = 64, VIOLATION_SIZE = 160 };

static const char *const names[] = {
#define SIMCUDA_SYMBOL(field, name, parameters) name,
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
};

/* Guarded by a lock of its own, since faults also hit calls that take no lock. */
static struct {
    pthread_mutex_t lock;
    unsigned calls[SIMCUDA_CALL_COUNT];
    struct fault {
        int call;
        unsigned nth; /* calls to go */
        bool always;
        CUresult result;
    } faults[FAULTS_MAX];
    size_t fault_count;
    char violations[VIOLATIONS_MAX][VIOLATION_SIZE];
    size_t violation_count;
    struct fakecuda_launch *launches;
    size_t launch_count, launch_capacity;
} script = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- settings ---------------------------------------------------------------- */

/* The same driver is built twice, so that a process can have two. */
static const char *setting(const char *name)
{
    char variable[64];
    snprintf(variable, sizeof variable, "%s_%s", FAKE_PREFIX, name);
    return getenv(variable);
}

static int call_named(const char *name)
{
    for (int i = 0; i < SIMCUDA_CALL_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fprintf(stderr, "fake CUDA driver: there is no function %s\n", name);
    abort();
}

static void add_fault(int call, unsigned nth, CUresult result)
{
    size_t at = 0;
    while (at < script.fault_count && script.faults[at].call != SPENT)
        at++;
    if (at == FAULTS_MAX)
        abort();
    script.faults[at] = (struct fault){call, nth, nth == 0, result};
    script.fault_count += at == script.fault_count;
}

/* "name:nth:result,..." of the environment; read with the first call. */
static void read_faults(void)
{
    static bool done;
    char name[64];
    unsigned nth;
    int result, used;
    const char *at = done ? NULL : setting("FAULTS");
    done = true;
    while (at && sscanf(at, "%63[^:]:%u:%d%n", name, &nth, &result, &used) == 3) {
        add_fault(call_named(name), nth, result);
        at += used;
        at += *at == ',';
    }
}

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

/* ---- calls -------------------------------------------------------------------- */

/* The call's number, and the result that the script has for it. */
static CUresult scripted(int call)
{
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&script.lock);
    read_faults();
    script.calls[call]++;
    for (size_t i = 0; i < script.fault_count && result == CUDA_SUCCESS; i++) {
        struct fault *fault = &script.faults[i];
        if (fault->call != call)
            continue;
        if (fault->nth == 0 || --fault->nth == 0)
            result = fault->result;
        if (result != CUDA_SUCCESS && !fault->always)
            fault->call = SPENT;
    }
    pthread_mutex_unlock(&script.lock);
    return result;
}

/* Before the driver starts: its devices, unless whoever opened it has said which. */
static CUresult choose_devices(void)
{
    char devices[256];
    const char *capabilities = setting("DEVICES");
    if (simcuda.initialised || script.calls[SIMCUDA_CALL_anyhipSimConfigure] > 0)
        return CUDA_SUCCESS;
    name_devices(capabilities ? capabilities : "80", devices, sizeof devices);
    return *devices ? simcuda_anyhipSimConfigure(devices) : CUDA_ERROR_NO_DEVICE;
}

static void read_settings(void)
{
    const char *version = setting("VERSION"), *peers = setting("PEERS");
    simcuda_script.version = version ? atoi(version) : 0;
    simcuda_script.apart = peers && strcmp(peers, "0") == 0;
}

static CUresult on_call(const char *name)
{
    int call = call_named(name);
    CUresult result = scripted(call);
    if (call == SIMCUDA_CALL_cuInit || call == SIMCUDA_CALL_cuDriverGetVersion)
        read_settings();
    if (result == CUDA_SUCCESS && call == SIMCUDA_CALL_cuInit)
        result = choose_devices();
    return result;
}

void fakecuda_fail(const char *function, unsigned nth, int result)
{
    pthread_mutex_lock(&script.lock);
    read_faults();
    add_fault(call_named(function), nth, result);
    pthread_mutex_unlock(&script.lock);
}

void fakecuda_clear_faults(void)
{
    pthread_mutex_lock(&script.lock);
    read_faults();
    script.fault_count = 0;
    pthread_mutex_unlock(&script.lock);
}

unsigned fakecuda_calls(const char *function)
{
    pthread_mutex_lock(&script.lock);
    unsigned calls = script.calls[call_named(function)];
    pthread_mutex_unlock(&script.lock);
    return calls;
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

static void on_violation(const char *text)
{
    pthread_mutex_lock(&script.lock);
    if (script.violation_count < VIOLATIONS_MAX)
        snprintf(script.violations[script.violation_count++], VIOLATION_SIZE, "%s", text);
    pthread_mutex_unlock(&script.lock);
}

size_t fakecuda_violations(void)
{
    pthread_mutex_lock(&script.lock);
    size_t count = script.violation_count;
    pthread_mutex_unlock(&script.lock);
    return count;
}

const char *fakecuda_violation_at(size_t index)
{
    return index < fakecuda_violations() ? script.violations[index] : NULL;
}

/* Room for one launch more; with the lock. */
static struct fakecuda_launch *next_launch(void)
{
    if (script.launch_count == script.launch_capacity) {
        size_t capacity = script.launch_capacity ? 2 * script.launch_capacity : 64;
        struct fakecuda_launch *grown =
            realloc(script.launches, capacity * sizeof *script.launches);
        if (!grown)
            abort();
        script.launches = grown;
        script.launch_capacity = capacity;
    }
    return &script.launches[script.launch_count++];
}

static void on_launch(const struct simcuda_launched *launch)
{
    pthread_mutex_lock(&script.lock);
    struct fakecuda_launch *out = next_launch();
    *out = (struct fakecuda_launch){
        .shared = launch->shared,
        .cooperative = launch->cooperative,
        .stream = launch->stream,
        .device = launch->device,
        .argument_size = launch->argument_size,
    };
    snprintf(out->kernel, sizeof out->kernel, "%s", launch->kernel);
    memcpy(out->grid, launch->grid, sizeof out->grid);
    memcpy(out->block, launch->block, sizeof out->block);
    memcpy(out->arguments, launch->arguments,
           launch->argument_size < sizeof out->arguments ? launch->argument_size
                                                         : sizeof out->arguments);
    pthread_mutex_unlock(&script.lock);
}

size_t fakecuda_launches(void)
{
    pthread_mutex_lock(&script.lock);
    size_t count = script.launch_count;
    pthread_mutex_unlock(&script.lock);
    return count;
}

bool fakecuda_launch_at(size_t index, struct fakecuda_launch *out)
{
    pthread_mutex_lock(&script.lock);
    bool there = index < script.launch_count;
    if (there)
        *out = script.launches[index];
    pthread_mutex_unlock(&script.lock);
    return there;
}

void fakecuda_forget(void)
{
    pthread_mutex_lock(&script.lock);
    script.launch_count = 0;
    script.violation_count = 0;
    pthread_mutex_unlock(&script.lock);
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
    case SIMCUDA_ARRAY:
        out->arrays++;
        break;
    case SIMCUDA_POOL:
        out->pools += !((struct simcuda_pool *)(void *)object)->is_default;
        break;
    case SIMCUDA_PHYSICAL:
        out->physical++;
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
    static const enum simcuda_kind kinds[] = {SIMCUDA_STREAM, SIMCUDA_EVENT, SIMCUDA_MODULE,
                                              SIMCUDA_ARRAY,  SIMCUDA_POOL,  SIMCUDA_PHYSICAL};
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

const char *fakecuda_report(void)
{
    static char text[1024];
    struct fakecuda_counts counts;
    size_t used = 0;
    fakecuda_count(&counts);
    text[0] = '\0';
#define LINE(field)                                                                                \
    if (counts.field > 0)                                                                          \
        used += (size_t)snprintf(text + used, sizeof text - used, "%u " #field "\n", counts.field);
    LINE(contexts)
    LINE(allocations)
    LINE(pinned)
    LINE(registered)
    LINE(managed)
    LINE(streams)
    LINE(events)
    LINE(modules)
    LINE(arrays)
    LINE(pools)
    LINE(physical)
    LINE(reservations)
    LINE(mappings)
#undef LINE
    return text;
}

/* ---- beginning and end ------------------------------------------------------------------ */

__attribute__((constructor)) static void start(void)
{
    simcuda_script.call = on_call;
    simcuda_script.violation = on_violation;
    simcuda_script.launch = on_launch;
}

__attribute__((destructor)) static void end_of_process(void)
{
    const char *path = setting("REPORT");
    FILE *file = path && *path ? fopen(path, "w") : NULL;
    if (file) {
        fputs(fakecuda_report(), file);
        for (size_t i = 0; i < fakecuda_violations(); i++)
            fprintf(file, "violation: %s\n", fakecuda_violation_at(i));
        fclose(file);
    }
    fakecuda_deinitialise();
}
