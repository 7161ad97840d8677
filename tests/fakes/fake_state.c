/* Owns how a call begins and ends: faults, counts, the end of the driver and
 * other processes; and the log of launches and violations. */
#include "fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPENT = -1, FAULTS_MAX = 32, VIOLATIONS_MAX = 64, VIOLATION_SIZE = 160 };

struct fake fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
_Thread_local struct fake_thread fake_thread;

static const char *const names[] = {
#define CUDA_SYMBOL(need, field, name, parameters) name,
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
};

/* Takes every function's address, so that a missing one does not link. */
__attribute__((used)) static void (*const functions[])(void) = {
#define CUDA_SYMBOL(need, field, name, parameters) (void (*)(void)) fake_##field,
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
};

/* Guarded by a lock of its own, since faults also hit calls that take no lock. */
static struct {
    pthread_mutex_t lock;
    unsigned calls[FAKE_CALL_COUNT];
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

const char *fake_setting(const char *name)
{
    char variable[64];
    snprintf(variable, sizeof variable, "%s_%s", fake_prefix, name);
    return getenv(variable);
}

long fake_setting_number(const char *name, long fallback)
{
    const char *text = fake_setting(name);
    return text && *text ? strtol(text, NULL, 0) : fallback;
}

static int call_named(const char *name)
{
    for (int i = 0; i < FAKE_CALL_COUNT; i++)
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
    const char *at = done ? NULL : fake_setting("FAULTS");
    done = true;
    while (at && sscanf(at, "%63[^:]:%u:%d%n", name, &nth, &result, &used) == 3) {
        add_fault(call_named(name), nth, result);
        at += used;
        at += *at == ',';
    }
}

/* ---- calls -------------------------------------------------------------------- */

static CUresult scripted(enum fake_call call)
{
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&script.lock);
    read_faults();
    script.calls[call]++;
    for (size_t i = 0; i < script.fault_count && result == CUDA_SUCCESS; i++) {
        struct fault *fault = &script.faults[i];
        if (fault->call != (int)call)
            continue;
        if (fault->nth == 0 || --fault->nth == 0)
            result = fault->result;
        if (result != CUDA_SUCCESS && !fault->always)
            fault->call = SPENT;
    }
    pthread_mutex_unlock(&script.lock);
    return result;
}

static bool needs_no_start(enum fake_call call)
{
    return call == FAKE_CALL_cuInit || call == FAKE_CALL_cuDriverGetVersion ||
           call == FAKE_CALL_cuGetErrorName || call == FAKE_CALL_cuGetErrorString ||
           call == FAKE_CALL_anyhipSimConfigure;
}

CUresult fake_enter(enum fake_call call)
{
    int pid = atomic_load(&fake.pid);
    if (atomic_load(&fake.deinitialised))
        return CUDA_ERROR_DEINITIALIZED;
    if (pid != 0 && pid != (int)getpid()) /* the driver does not survive fork */
        return CUDA_ERROR_NOT_INITIALIZED;
    CUresult result = scripted(call);
    if (result != CUDA_SUCCESS)
        return result;
    if (fake_thread.in_callback && !needs_no_start(call)) {
        fake_violation("%s called from a callback", names[call]);
        return FAKE_NOT_PERMITTED;
    }
    fake_thread.inside = true;
    pthread_mutex_lock(&fake.lock);
    return fake.initialised || needs_no_start(call) ? CUDA_SUCCESS
                                                    : fake_leave(CUDA_ERROR_NOT_INITIALIZED);
}

CUresult fake_leave(CUresult result)
{
    pthread_mutex_unlock(&fake.lock);
    fake_thread.inside = false;
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
    return fake_thread.inside;
}

void fakecuda_hold(bool hold)
{
    pthread_mutex_lock(&fake.lock);
    fake.held = hold;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

void fakecuda_break(int device, int result)
{
    pthread_mutex_lock(&fake.lock);
    fake.devices[device].context.error = result;
    pthread_mutex_unlock(&fake.lock);
}

/* ---- the end -------------------------------------------------------------------- */

void fakecuda_deinitialise(void)
{
    atomic_store(&fake.deinitialised, true);
}

__attribute__((destructor)) static void end_of_process(void)
{
    const char *path = fake_setting("REPORT");
    FILE *file = path && *path ? fopen(path, "w") : NULL;
    if (file) {
        fputs(fakecuda_report(), file);
        for (size_t i = 0; i < fakecuda_violations(); i++)
            fprintf(file, "violation: %s\n", fakecuda_violation_at(i));
        fclose(file);
    }
    fakecuda_deinitialise();
}

/* ---- violations and launches ------------------------------------------------------ */

void fake_violation(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&script.lock);
    if (script.violation_count < VIOLATIONS_MAX)
        vsnprintf(script.violations[script.violation_count++], VIOLATION_SIZE, format, args);
    pthread_mutex_unlock(&script.lock);
    va_end(args);
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

void fake_log_launch(const struct fakecuda_launch *launch)
{
    pthread_mutex_lock(&script.lock);
    if (script.launch_count == script.launch_capacity) {
        size_t capacity = script.launch_capacity ? 2 * script.launch_capacity : 64;
        struct fakecuda_launch *grown =
            realloc(script.launches, capacity * sizeof *script.launches);
        if (!grown)
            abort();
        script.launches = grown;
        script.launch_capacity = capacity;
    }
    script.launches[script.launch_count++] = *launch;
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

static void count_object(struct fake_object *object, void *data)
{
    struct fakecuda_counts *out = data;
    switch (object->kind) {
    case FAKE_STREAM:
        out->streams += !((struct fake_stream *)(void *)object)->is_default;
        break;
    case FAKE_EVENT:
        out->events++;
        break;
    case FAKE_MODULE:
        out->modules++;
        break;
    case FAKE_ARRAY:
        out->arrays++;
        break;
    case FAKE_POOL:
        out->pools += !((struct fake_pool *)(void *)object)->is_default;
        break;
    case FAKE_PHYSICAL:
        out->physical++;
        break;
    case FAKE_FUNCTION:
        break;
    }
}

static void count_memory(struct fakecuda_counts *out)
{
    const struct fake_memory *memory;
    for (size_t i = 0; (memory = fake_memory_at(i)); i++) {
        switch (memory->kind) {
        case FAKE_DEVICE_MEMORY:
        case FAKE_POOL_MEMORY:
        case FAKE_IPC:
            out->allocations++;
            break;
        case FAKE_PINNED:
            out->pinned++;
            break;
        case FAKE_REGISTERED:
            out->registered++;
            break;
        case FAKE_MANAGED:
            out->managed++;
            break;
        case FAKE_MAPPING:
            out->mappings++;
            break;
        case FAKE_GLOBAL:
            break;
        }
    }
}

void fakecuda_count(struct fakecuda_counts *out)
{
    static const enum fake_kind kinds[] = {FAKE_STREAM, FAKE_EVENT, FAKE_MODULE,
                                           FAKE_ARRAY,  FAKE_POOL,  FAKE_PHYSICAL};
    *out = (struct fakecuda_counts){0};
    pthread_mutex_lock(&fake.lock);
    for (int i = 0; i < fake.device_count; i++)
        out->contexts += fake.devices[i].context.active;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        fake_object_each(kinds[i], count_object, out);
    count_memory(out);
    fake_virtual_count(out);
    pthread_mutex_unlock(&fake.lock);
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
