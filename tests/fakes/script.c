/* Owns the script of a fake driver. */
#include "script.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPENT = -1, UNKNOWN = -2, ROWS_MAX = 512, FAULTS_MAX = 32 };
enum { VIOLATIONS_MAX = 64, VIOLATION_SIZE = 160, CACHE = 1024 };

/* Guarded by a lock of its own, since faults also hit calls that take no lock. */
static struct {
    pthread_mutex_t lock;
    const char *prefix;
    const char *const *names;
    size_t name_count;
    unsigned calls[ROWS_MAX];
    struct fault {
        int row;
        unsigned nth; /* calls to go */
        bool always;
        int result;
    } faults[FAULTS_MAX];
    size_t fault_count;
    struct hook {
        void (*function)(void *data);
        void *data;
    } hooks[ROWS_MAX];
    char violations[VIOLATIONS_MAX][VIOLATION_SIZE];
    size_t violation_count;
    struct fake_launch *launches;
    size_t launch_count, launch_capacity;
    struct { /* of rows, by the address of the name */
        const char *name;
        int row;
    } cache[CACHE];
} script = {.lock = PTHREAD_MUTEX_INITIALIZER};

void script_open(const char *prefix, const char *const *names, size_t count)
{
    if (count > ROWS_MAX)
        abort();
    script.prefix = prefix;
    script.names = names;
    script.name_count = count;
}

const char *script_setting(const char *name)
{
    char variable[64];
    snprintf(variable, sizeof variable, "%s_%s", script.prefix, name);
    return getenv(variable);
}

/* ---- rows ------------------------------------------------------------------------------ */

static int find_row(const char *name)
{
    for (size_t i = 0; i < script.name_count; i++)
        if (strcmp(script.names[i], name) == 0)
            return (int)i;
    return UNKNOWN;
}

static int row_named(const char *name)
{
    int row = find_row(name);
    if (row == UNKNOWN) {
        fprintf(stderr, "%s: there is no function %s\n", script.prefix, name);
        abort();
    }
    return row;
}

/* Under the lock. Of a name that stays what it is. */
static int cached_row(const char *name)
{
    size_t at = (uintptr_t)name % CACHE;
    if (script.cache[at].name != name) {
        script.cache[at].row = find_row(name);
        script.cache[at].name = name;
    }
    return script.cache[at].row;
}

const char *script_function_at(size_t index)
{
    return index < script.name_count ? script.names[index] : NULL;
}

/* ---- faults ---------------------------------------------------------------------------- */

static void add_fault(int row, unsigned nth, int result)
{
    size_t at = 0;
    while (at < script.fault_count && script.faults[at].row != SPENT)
        at++;
    if (at == FAULTS_MAX)
        abort();
    script.faults[at] = (struct fault){row, nth, nth == 0, result};
    script.fault_count += at == script.fault_count;
}

/* "name:nth:result,..." of the environment; read with the first call. */
static void read_faults(void)
{
    static bool done;
    char name[64];
    unsigned nth;
    int result, used;
    const char *at = done ? NULL : script_setting("FAULTS");
    done = true;
    while (at && sscanf(at, "%63[^:]:%u:%i%n", name, &nth, &result, &used) == 3) {
        add_fault(row_named(name), nth, result);
        at += used;
        at += *at == ',';
    }
}

/* Under the lock. Every fault of the function counts the call; of several that are due the first
 * one has its way. */
static int result_of(int row)
{
    int result = 0;
    for (size_t i = 0; i < script.fault_count; i++) {
        struct fault *fault = &script.faults[i];
        if (fault->row != row || (fault->nth > 0 && --fault->nth > 0))
            continue;
        if (!fault->always)
            fault->row = SPENT;
        if (result == 0)
            result = fault->result;
    }
    return result;
}

int script_call(const char *name)
{
    int result = 0;
    struct hook hook = {.function = NULL};
    pthread_mutex_lock(&script.lock);
    read_faults();
    int row = cached_row(name);
    if (row != UNKNOWN) {
        script.calls[row]++;
        result = result_of(row);
        hook = script.hooks[row];
        script.hooks[row].function = NULL;
    }
    pthread_mutex_unlock(&script.lock);
    if (hook.function)
        hook.function(hook.data);
    return result;
}

void script_hook(const char *function, void (*hook)(void *data), void *data)
{
    pthread_mutex_lock(&script.lock);
    script.hooks[row_named(function)] = (struct hook){hook, data};
    pthread_mutex_unlock(&script.lock);
}

void script_fail(const char *function, unsigned nth, int result)
{
    pthread_mutex_lock(&script.lock);
    read_faults();
    add_fault(row_named(function), nth, result);
    pthread_mutex_unlock(&script.lock);
}

void script_clear_faults(void)
{
    pthread_mutex_lock(&script.lock);
    read_faults();
    script.fault_count = 0;
    pthread_mutex_unlock(&script.lock);
}

bool script_has_faults(void)
{
    bool found = false;
    pthread_mutex_lock(&script.lock);
    for (size_t i = 0; i < script.fault_count; i++)
        found |= script.faults[i].row != SPENT;
    pthread_mutex_unlock(&script.lock);
    return found;
}

unsigned script_calls(const char *function)
{
    pthread_mutex_lock(&script.lock);
    unsigned calls = script.calls[row_named(function)];
    pthread_mutex_unlock(&script.lock);
    return calls;
}

/* ---- violations and launches ------------------------------------------------------------ */

void script_violation(const char *text)
{
    pthread_mutex_lock(&script.lock);
    if (script.violation_count < VIOLATIONS_MAX)
        snprintf(script.violations[script.violation_count++], VIOLATION_SIZE, "%s", text);
    pthread_mutex_unlock(&script.lock);
}

size_t script_violations(void)
{
    pthread_mutex_lock(&script.lock);
    size_t count = script.violation_count;
    pthread_mutex_unlock(&script.lock);
    return count;
}

const char *script_violation_at(size_t index)
{
    return index < script_violations() ? script.violations[index] : NULL;
}

/* Room for one launch more; under the lock. */
static struct fake_launch *next_launch(void)
{
    if (script.launch_count == script.launch_capacity) {
        size_t capacity = script.launch_capacity ? 2 * script.launch_capacity : 64;
        struct fake_launch *grown = realloc(script.launches, capacity * sizeof *script.launches);
        if (!grown)
            abort();
        script.launches = grown;
        script.launch_capacity = capacity;
    }
    return &script.launches[script.launch_count++];
}

void script_launch(const struct fake_launch *launch)
{
    pthread_mutex_lock(&script.lock);
    *next_launch() = *launch;
    pthread_mutex_unlock(&script.lock);
}

size_t script_launches(void)
{
    pthread_mutex_lock(&script.lock);
    size_t count = script.launch_count;
    pthread_mutex_unlock(&script.lock);
    return count;
}

bool script_launch_at(size_t index, struct fake_launch *out)
{
    pthread_mutex_lock(&script.lock);
    bool there = index < script.launch_count;
    if (there)
        *out = script.launches[index];
    pthread_mutex_unlock(&script.lock);
    return there;
}

void script_forget(void)
{
    pthread_mutex_lock(&script.lock);
    script.launch_count = 0;
    script.violation_count = 0;
    pthread_mutex_unlock(&script.lock);
}

/* ---- reports --------------------------------------------------------------------------- */

const char *script_report(const struct fake_count *counts, size_t count)
{
    static char text[1024];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (counts[i].count > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%u %s\n", counts[i].count,
                                     counts[i].what);
    return text;
}

void script_write_report(const char *report)
{
    const char *path = script_setting("REPORT");
    FILE *file = path && *path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fputs(report, file);
    for (size_t i = 0; i < script_violations(); i++)
        fprintf(file, "violation: %s\n", script_violation_at(i));
    fclose(file);
}
