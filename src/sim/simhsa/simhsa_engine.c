/* Owns copies in progress: the queues of the engines, and the threads that move bytes.
 *
 * An engine's copies run in order, like those of a ring of packets: the first one waits for its
 * signals without a thread, and the others wait for it. Small copies run on the thread that finds
 * them ready, large ones on threads of their own. A small copy whose engine is idle is complete
 * when the call returns. */
#include "simhsa_copy.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 4, SMALL = 64 << 10, FEW = 4 };

struct job {
    struct simhsa_watch watch; /* of the signal it waits for */
    struct job *next;
    struct engine *engine;
    bool moves;
    struct simhsa_box box;
    amd_signal_t *completion;
    uint32_t count, met; /* signals before it, and how many of them are done */
    uint32_t room;       /* for signals */
    amd_signal_t *signals[];
};

struct engine {
    struct job *first, *last; /* the first is under way when busy */
    bool busy;
    struct engine *next; /* ready for a thread */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* threads: an engine is ready */
    pthread_cond_t changed;
    struct engine engines[SIMHSA_AGENTS_MAX][SIMHSA_ENGINES];
    struct engine *ready, **ready_end;
    pthread_t threads[THREADS_MAX];
    unsigned thread_count, idle;
    unsigned running, stops;
    bool closing;
} copies = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .ready_end = &copies.ready,
};

/* ---- jobs -------------------------------------------------------------------------- */

/* Jobs with room for FEW signals are reused: a program that only copies allocates nothing. */
static struct {
    pthread_mutex_t lock;
    struct job *first;
} spare = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Zeroed, with room for count signals. NULL: no memory. */
static struct job *new_job(uint32_t count)
{
    uint32_t room = count < FEW ? FEW : count;
    struct job *job = NULL;
    if (room == FEW) {
        pthread_mutex_lock(&spare.lock);
        job = spare.first;
        if (job)
            spare.first = job->next;
        pthread_mutex_unlock(&spare.lock);
    }
    size_t size = sizeof *job + room * sizeof *job->signals;
    job = job ? memset(job, 0, size) : calloc(1, size);
    if (job)
        job->room = room;
    return job;
}

static void free_job(struct job *job)
{
    for (uint32_t i = 0; i < job->count; i++)
        simhsa_signal_release(job->signals[i]);
    if (job->completion)
        simhsa_signal_release(job->completion);
    if (job->room > FEW) {
        free(job);
        return;
    }
    pthread_mutex_lock(&spare.lock);
    job->next = spare.first;
    spare.first = job;
    pthread_mutex_unlock(&spare.lock);
}

static void sleep_ns(uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    if (ns > 0)
        nanosleep(&time, NULL);
}

static _Atomic(bool) profiled;

void simhsa_copies_profile(bool on)
{
    atomic_store_explicit(&profiled, on, memory_order_relaxed);
}

/* 0: nobody wants to know. */
static uint64_t start_time(void)
{
    return atomic_load_explicit(&profiled, memory_order_relaxed) ? amdgpu_clock() : 0;
}

/* start 0: there are no timestamps. */
static void complete(amd_signal_t *completion, uint64_t start, bool good)
{
    if (start > 0) {
        completion->start_ts = start;
        completion->end_ts = amdgpu_clock();
        simhsa_signal_set_copied(completion);
    }
    if (good)
        amdgpu_signal_add(completion, -1);
    else
        amdgpu_signal_store(completion, -1);
}

/* box NULL: nothing is moved. False: it failed. */
static bool move(const struct simhsa_box *box)
{
    if (simhsa_script.copy && simhsa_script.copy() != HSA_STATUS_SUCCESS)
        return false;
    bool good = !box || simhsa_box_copy(box);
    if (!good)
        simhsa_violation("memory was freed before it was copied");
    return good;
}

static bool is_held(void)
{
    return atomic_load_explicit(&simhsa_script.held, memory_order_acquire);
}

/* Does the work and reports its completion. */
static void run(struct job *job)
{
    pthread_mutex_lock(&copies.lock);
    while (copies.stops > 0 || (is_held() && !copies.closing))
        pthread_cond_wait(&copies.changed, &copies.lock);
    copies.running++;
    pthread_mutex_unlock(&copies.lock);
    uint64_t start = start_time();
    sleep_ns(sim_fault_delay());
    bool good = move(job->moves ? &job->box : NULL);
    pthread_mutex_lock(&copies.lock);
    copies.running--;
    pthread_cond_broadcast(&copies.changed);
    pthread_mutex_unlock(&copies.lock);
    complete(job->completion, start, good);
}

/* Removes the first job. Returns whether there is another. */
static bool next_job(struct engine *engine)
{
    pthread_mutex_lock(&copies.lock);
    struct job *job = engine->first;
    engine->first = job->next;
    engine->busy = engine->first && !copies.closing;
    bool more = engine->busy;
    pthread_mutex_unlock(&copies.lock);
    free_job(job);
    return more;
}

/* ---- engines ----------------------------------------------------------------------- */

static void drive(struct engine *engine);

static bool signal_met(struct simhsa_watch *watch, int64_t value)
{
    struct job *job = (struct job *)(void *)watch; /* its first member */
    (void)value;
    job->met++;
    drive(job->engine);
    return false;
}

static void signal_gone(struct simhsa_watch *watch)
{
    struct job *job = (struct job *)(void *)watch;
    pthread_mutex_lock(&copies.lock);
    bool closing = copies.closing;
    pthread_mutex_unlock(&copies.lock);
    if (closing)
        return;
    simhsa_violation("a signal was destroyed that a copy waits for");
    amdgpu_signal_store(job->completion, -1);
    if (next_job(job->engine))
        drive(job->engine);
}

/* Whether all signals meet their conditions; otherwise the first of the others is watched, or no
 * longer exists. */
static bool is_ready(struct job *job)
{
    while (job->met < job->count && amdgpu_signal_load(job->signals[job->met]) <= 0)
        job->met++;
    if (job->met == job->count)
        return true;
    job->watch = (struct simhsa_watch){
        .signal = job->signals[job->met],
        .condition = HSA_SIGNAL_CONDITION_LT,
        .compare = 1,
        .met = signal_met,
        .gone = signal_gone,
    };
    if (!simhsa_watch(SIMHSA_WATCH_COPIES, &job->watch))
        signal_gone(&job->watch);
    return false;
}

/* box NULL: nothing is moved. */
static bool is_small(const struct simhsa_box *box)
{
    return (!box || box->width * box->height * box->depth <= SMALL) && sim_fault_delay() == 0 &&
           !is_held();
}

static void *work(void *data)
{
    simhsa_own_thread = true;
    (void)data;
    pthread_mutex_lock(&copies.lock);
    while (!copies.closing) {
        struct engine *engine = copies.ready;
        if (!engine) {
            copies.idle++;
            pthread_cond_wait(&copies.wake, &copies.lock);
            copies.idle--;
            continue;
        }
        copies.ready = engine->next;
        if (!copies.ready)
            copies.ready_end = &copies.ready;
        pthread_mutex_unlock(&copies.lock);
        run(engine->first);
        if (next_job(engine))
            drive(engine);
        pthread_mutex_lock(&copies.lock);
    }
    pthread_mutex_unlock(&copies.lock);
    return NULL;
}

/* Starts the engine's first job on a thread. False: there is no job, or no thread. */
static bool hand_over(struct engine *engine)
{
    pthread_mutex_lock(&copies.lock);
    if (copies.idle == 0 && copies.thread_count < THREADS_MAX && !copies.closing &&
        pthread_create(&copies.threads[copies.thread_count], NULL, work, NULL) == 0)
        copies.thread_count++;
    bool good = copies.thread_count > 0;
    if (good) {
        engine->next = NULL;
        *copies.ready_end = engine;
        copies.ready_end = &engine->next;
        pthread_cond_signal(&copies.wake);
    }
    pthread_mutex_unlock(&copies.lock);
    return good;
}

/* Continues with a busy engine until its first job waits, runs on a thread, or does not exist. */
static void drive(struct engine *engine)
{
    for (bool more = true; more; more = next_job(engine)) {
        struct job *job = engine->first;
        if (!is_ready(job))
            return;
        if (!is_small(job->moves ? &job->box : NULL) && hand_over(engine))
            return;
        run(job);
    }
}

/* ---- from outside ------------------------------------------------------------------ */

static hsa_status_t make_job(const struct simhsa_after *after, struct job **out)
{
    struct job *job = new_job(after->count);
    if (!job)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    job->completion = simhsa_signal_retain(after->completion);
    bool good = job->completion != NULL;
    for (uint32_t i = 0; i < after->count && good; i++) {
        job->signals[i] = simhsa_signal_retain(after->signals[i]);
        good = job->signals[i] != NULL;
        job->count += good;
    }
    *out = job;
    if (good)
        return HSA_STATUS_SUCCESS;
    hsa_signal_t wrong = job->completion ? after->signals[job->count] : after->completion;
    free_job(job);
    return simhsa_signal_error(wrong);
}

static bool are_met(const struct simhsa_after *after)
{
    for (uint32_t i = 0; i < after->count; i++) {
        const amd_signal_t *signal = simhsa_signal_get(after->signals[i]);
        if (!signal || amdgpu_signal_load(signal) > 0)
            return false;
    }
    return true;
}

/* Reserves an idle engine. */
static bool begin_at_once(struct engine *engine)
{
    pthread_mutex_lock(&copies.lock);
    bool idle = !engine->busy && !copies.closing && copies.stops == 0;
    if (idle) {
        engine->busy = true;
        copies.running++;
    }
    pthread_mutex_unlock(&copies.lock);
    return idle;
}

/* Whether a job was queued meanwhile. */
static bool end_at_once(struct engine *engine)
{
    pthread_mutex_lock(&copies.lock);
    copies.running--;
    if (copies.stops > 0)
        pthread_cond_broadcast(&copies.changed);
    engine->busy = engine->first && !copies.closing;
    bool more = engine->busy;
    pthread_mutex_unlock(&copies.lock);
    return more;
}

/* Copies without a job. False: it has to be queued. */
static bool copy_at_once(struct engine *engine, const struct simhsa_box *box,
                         const struct simhsa_after *after)
{
    amd_signal_t *completion = simhsa_signal_get(after->completion);
    if (!completion || !is_small(box) || !are_met(after) || !begin_at_once(engine))
        return false;
    uint64_t start = start_time();
    bool good = move(box), more = end_at_once(engine);
    complete(completion, start, good);
    if (more)
        drive(engine);
    return true;
}

hsa_status_t simhsa_copy_submit(const struct simhsa_agent *agent, enum simhsa_engine which,
                                const struct simhsa_box *box, const struct simhsa_after *after)
{
    struct engine *engine = &copies.engines[agent->node][which];
    struct job *job;
    if (copy_at_once(engine, box, after))
        return HSA_STATUS_SUCCESS;
    hsa_status_t result = make_job(after, &job);
    if (result != HSA_STATUS_SUCCESS)
        return result;
    job->engine = engine;
    job->moves = box != NULL;
    if (box)
        job->box = *box;
    pthread_mutex_lock(&copies.lock);
    if (engine->first)
        engine->last->next = job;
    else
        engine->first = job;
    engine->last = job;
    bool first = !engine->busy && !copies.closing;
    if (first)
        engine->busy = true;
    pthread_mutex_unlock(&copies.lock);
    if (first)
        drive(engine);
    return HSA_STATUS_SUCCESS;
}

bool simhsa_engine_is_idle(const struct simhsa_agent *agent, enum simhsa_engine engine)
{
    pthread_mutex_lock(&copies.lock);
    bool idle = !copies.engines[agent->node][engine].busy;
    pthread_mutex_unlock(&copies.lock);
    return idle;
}

void simhsa_copies_stop(void)
{
    pthread_mutex_lock(&copies.lock);
    copies.stops++;
    while (copies.running > 0)
        pthread_cond_wait(&copies.changed, &copies.lock);
    pthread_mutex_unlock(&copies.lock);
}

void simhsa_copies_resume(void)
{
    pthread_mutex_lock(&copies.lock);
    copies.stops--;
    pthread_cond_broadcast(&copies.changed);
    pthread_mutex_unlock(&copies.lock);
}

void simhsa_copies_poll(void)
{
    pthread_mutex_lock(&copies.lock);
    pthread_cond_broadcast(&copies.changed);
    pthread_mutex_unlock(&copies.lock);
}

void simhsa_copies_close(void)
{
    pthread_mutex_lock(&copies.lock);
    copies.closing = true;
    pthread_cond_broadcast(&copies.wake);
    pthread_cond_broadcast(&copies.changed);
    pthread_mutex_unlock(&copies.lock);
    for (unsigned i = 0; i < copies.thread_count; i++)
        pthread_join(copies.threads[i], NULL);
    simhsa_watchers_close();
    for (size_t i = 0; i < SIMHSA_AGENTS_MAX * SIMHSA_ENGINES; i++) {
        struct engine *engine = &copies.engines[0][0] + i;
        while (engine->first) {
            struct job *job = engine->first;
            engine->first = job->next;
            free_job(job);
        }
        *engine = (struct engine){0};
    }
    copies.thread_count = 0;
    copies.ready = NULL;
    copies.ready_end = &copies.ready;
    copies.closing = false;
}
