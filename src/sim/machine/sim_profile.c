/* Owns the sums of profiles, and the thread that writes them: twenty times a second while there is
 * something new, so that a program that dies by a signal loses little, and when the process ends.
 */
#include "sim_profile_state.h"

#include "demangle.h"
#include "log.h"
#include "sim_options.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INTERVAL_MS = 50, SIZE_FIRST = 64 };

struct sim_profile_launch {
    struct sim_profile_record *record;
    uint64_t since;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct sim_profile_table table;
    struct sim_profile_table parents; /* of the process that forked this one: it may have been
                                         changing, and is not freed */
    pthread_t thread;
    bool prepared, running, stopping;
    bool dirty; /* the file is older than the table */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

bool sim_profile_on(void)
{
    return sim_options()->profile[0] != '\0';
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- records: under the lock --------------------------------------------------------------- */

static bool is_same_shape(const struct sim_profile_kernel *a, const struct sim_profile_kernel *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && a->shared == b->shared &&
           a->local == b->local && a->registers == b->registers && a->device == b->device &&
           a->blocks_per_unit == b->blocks_per_unit && strcmp(a->model, b->model) == 0 &&
           strcmp(a->name, b->name) == 0;
}

static struct sim_profile_record *find_record(const struct sim_profile_kernel *kernel)
{
    for (size_t i = state.table.count; i-- > 0;)
        if (is_same_shape(&state.table.records[i]->kernel, kernel))
            return state.table.records[i];
    return NULL;
}

static bool make_room(void)
{
    struct sim_profile_table *table = &state.table;
    if (table->count < table->capacity)
        return true;
    size_t capacity = table->capacity ? 2 * table->capacity : SIZE_FIRST;
    struct sim_profile_record **records = realloc(table->records, capacity * sizeof *records);
    if (!records)
        return false;
    table->records = records;
    table->capacity = capacity;
    return true;
}

static struct sim_profile_record *make_record(const struct sim_profile_kernel *kernel, bool others)
{
    struct sim_profile_record *record = calloc(1, sizeof *record);
    char *name = strdup(kernel->name), *title = strdup(ah_demangle(kernel->name));
    if (record && name && title && make_room()) {
        record->kernel = *kernel;
        record->kernel.name = name;
        record->title = title;
        record->others = others;
        return state.table.records[state.table.count++] = record;
    }
    free(title);
    free(name);
    free(record);
    return NULL;
}

/* Programs that launch kernels with ever new shapes have one record for those beyond the limit,
 * whose shape is that of nothing. */
static struct sim_profile_record *record_of(const struct sim_profile_kernel *kernel)
{
    struct sim_profile_record *record = find_record(kernel);
    if (record)
        return record;
    if (state.table.count < SIM_PROFILE_RECORDS)
        return make_record(kernel, false);
    struct sim_profile_kernel others = {.engine = kernel->engine,
                                        .name = "(other kernels)",
                                        .device = kernel->device,
                                        .lanes = kernel->lanes,
                                        .transaction = kernel->transaction,
                                        .line = kernel->line,
                                        .limit = ""};
    memcpy(others.model, kernel->model, sizeof others.model);
    record = find_record(&others);
    return record ? record : make_record(&others, true);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void wait_ms(unsigned ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!state.stopping && pthread_cond_timedwait(&state.changed, &state.lock, &until) == 0) {
    }
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&state.lock);
    while (!state.stopping) {
        if (state.dirty) {
            state.dirty = false;
            sim_profile_save(&state.table, false);
            wait_ms(INTERVAL_MS);
        } else {
            pthread_cond_wait(&state.changed, &state.lock);
        }
    }
    pthread_mutex_unlock(&state.lock);
    return NULL;
}

/* The child has neither the thread nor launches; the lock may be held by a thread that it has
 * not. */
static void forget(void)
{
    pthread_mutex_init(&state.lock, NULL);
    pthread_cond_init(&state.changed, NULL);
    state.parents = state.table;
    memset(&state.table, 0, sizeof state.table);
    state.running = state.stopping = state.dirty = false;
    sim_profile_save_elsewhere();
}

/* Without a thread, the file is written when the process ends. */
static void start_thread(void)
{
    sigset_t all, before;
    if (!state.prepared)
        state.prepared = pthread_atfork(NULL, NULL, forget) == 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    state.running = pthread_create(&state.thread, NULL, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (state.running)
        pthread_setname_np(state.thread, "sim-profile");
}

bool sim_profile_write(void)
{
    pthread_mutex_lock(&state.lock);
    state.dirty = false;
    bool good = sim_profile_save(&state.table, false);
    pthread_mutex_unlock(&state.lock);
    return good;
}

/* The process ends, or the library is unloaded. */
__attribute__((destructor)) static void finish(void)
{
    if (state.table.count == 0 && state.table.lost == 0)
        return;
    pthread_mutex_lock(&state.lock);
    bool running = state.running;
    state.stopping = true;
    pthread_cond_broadcast(&state.changed);
    pthread_mutex_unlock(&state.lock);
    if (running)
        pthread_join(state.thread, NULL);
    pthread_mutex_lock(&state.lock);
    state.running = false;
    sim_profile_save(&state.table, true);
    pthread_mutex_unlock(&state.lock);
}

static void note_change(void)
{
    if (!state.dirty)
        pthread_cond_signal(&state.changed);
    state.dirty = true;
}

/* ---- launches ----------------------------------------------------------------------------------
 */

struct sim_profile_launch *sim_profile_begin(const struct sim_profile_kernel *kernel)
{
    struct sim_profile_launch *launch = malloc(sizeof *launch);
    pthread_mutex_lock(&state.lock);
    if (!state.running && !state.stopping)
        start_thread();
    struct sim_profile_record *record = launch ? record_of(kernel) : NULL;
    if (record)
        record->launches++;
    else
        state.table.lost++;
    pthread_mutex_unlock(&state.lock);
    if (!record) {
        free(launch);
        return NULL;
    }
    launch->record = record;
    launch->since = now_ns();
    return launch;
}

static void add_accesses(struct sim_access_counts *to, const struct sim_access_counts *from)
{
    to->accesses += from->accesses;
    to->lanes += from->lanes;
    to->bytes += from->bytes;
    to->transactions += from->transactions;
    to->lines += from->lines;
    to->distinct += from->distinct;
    to->passes += from->passes;
    to->least += from->least;
}

static void add(struct sim_profile_counts *to, const struct sim_profile_counts *counts)
{
    for (unsigned i = 0; i < SIM_CLASS_COUNT; i++) {
        to->executed[i] += counts->executed[i];
        to->lanes[i] += counts->lanes[i];
    }
    to->by_lanes += counts->by_lanes;
    to->branches += counts->branches;
    to->divergent += counts->divergent;
    for (unsigned i = 0; i < SIM_ACCESS_KINDS; i++)
        add_accesses(&to->accesses[i], &counts->accesses[i]);
}

void sim_profile_add(struct sim_profile_launch *launch, const struct sim_profile_counts *counts)
{
    if (!launch)
        return;
    pthread_mutex_lock(&state.lock);
    add(&launch->record->counts, counts);
    pthread_mutex_unlock(&state.lock);
}

void sim_profile_end(struct sim_profile_launch *launch, bool failed)
{
    if (!launch)
        return;
    uint64_t ns = now_ns() - launch->since;
    pthread_mutex_lock(&state.lock);
    launch->record->ended++;
    launch->record->failed += failed;
    launch->record->host_ns += ns;
    note_change();
    pthread_mutex_unlock(&state.lock);
    free(launch);
}

/* ---- for tests ----------------------------------------------------------------------------------
 */

bool sim_profile_find(const char *kernel, struct sim_profile_counts *out_counts)
{
    bool found = false;
    *out_counts = (struct sim_profile_counts){0};
    pthread_mutex_lock(&state.lock);
    for (size_t i = 0; i < state.table.count; i++)
        if (strcmp(state.table.records[i]->kernel.name, kernel) == 0) {
            add(out_counts, &state.table.records[i]->counts);
            found = true;
        }
    pthread_mutex_unlock(&state.lock);
    return found;
}

void sim_profile_forget(void)
{
    pthread_mutex_lock(&state.lock);
    for (size_t i = 0; i < state.table.count; i++) {
        struct sim_profile_record *record = state.table.records[i];
        free((void *)(uintptr_t)record->kernel.name);
        free(record->title);
        free(record);
    }
    state.table.count = state.table.lost = 0;
    pthread_mutex_unlock(&state.lock);
}
