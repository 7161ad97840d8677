/* Owns what the host does in stream order: host functions, callbacks and waiting for a value
 * in memory. Each stream that needs it has a thread, so that none holds up another; the
 * stream has a queue of its own then, where there is one, for the same reason. */
#include "hsa_memory.h"
#include "hsa_queue.h"

#include <stdlib.h>
#include <time.h>

enum {
    JOBS_FIRST = 8,
    LOOKS_PER_DOUBT = 256, /* whether it will ever be there */
    LOOKS_FAST = 64,       /* at a value in memory, before the thread sleeps between them */
    NAP_SHORTEST = 2000,   /* ns */
    NAP_LONGEST = 200000,
};

struct ahhsa_worker {
    struct ah_backend_device *device;
    struct ahhsa_worker *next, **link; /* of the device's, live or over */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct ahhsa_job *jobs; /* ring; room is a power of two */
    unsigned first, count, room;
    bool stop;
    _Atomic bool hurry;
    bool gave_up; /* of the thread alone: a wait was ended, and with it the stream's order */
};

static void destroy_worker(struct ahhsa_worker *worker)
{
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker->jobs);
    free(worker);
}

/* ---- waiting for a value ---------------------------------------------------------------- */

static bool meets(const struct ahhsa_job *job, uint64_t seen)
{
    uint64_t mask = job->mask & (job->bits == 32 ? UINT32_MAX : UINT64_MAX);
    seen &= mask;
    switch (job->condition) {
    case AH_WAIT_GEQUAL:
        return seen >= job->value;
    case AH_WAIT_EQUAL:
        return seen == job->value;
    case AH_WAIT_AND:
        return (seen & job->value) != 0;
    default:
        return (~(seen | job->value) & mask) != 0;
    }
}

/* What is in memory that the host reaches, or not. */
static hipError_t look(struct ah_backend_device *device, const struct ahhsa_job *job, bool reach,
                       uint64_t *out_value)
{
    uint64_t value = 0;
    hipError_t error = hipSuccess;
    if (!reach)
        error = ahhsa_read(device, &value, job->data, job->bits / 8);
    else if (job->bits == 32)
        value = __atomic_load_n((const uint32_t *)job->data, __ATOMIC_ACQUIRE);
    else
        value = __atomic_load_n((const uint64_t *)job->data, __ATOMIC_ACQUIRE);
    *out_value = value;
    return error;
}

static void wait_for_value(struct ahhsa_worker *worker, const struct ahhsa_job *job)
{
    struct ah_backend_device *device = worker->device;
    struct timespec nap = {.tv_nsec = NAP_SHORTEST};
    bool reach = ahhsa_host_reaches(device->backend, job->data);
    uint64_t value;
    for (unsigned looks = 0;; looks++) {
        worker->gave_up |= atomic_load(&worker->hurry) || atomic_load(&device->resetting);
        if (worker->gave_up)
            return;
        if (ahhsa_device_error(device) != hipSuccess ||
            look(device, job, reach, &value) != hipSuccess || meets(job, value))
            return;
        if (looks % LOOKS_PER_DOUBT == LOOKS_PER_DOUBT - 1 && job->is_lost &&
            job->is_lost(job->owner, job->value)) {
            ahhsa_fail(device, hipErrorIllegalState, "a stream waits for what will never be");
            return;
        }
        if (looks < LOOKS_FAST && reach)
            continue;
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec * 2 < NAP_LONGEST ? nap.tv_nsec * 2 : NAP_LONGEST;
    }
}

/* ---- the thread ------------------------------------------------------------------------- */

/* Its caller has gone on and cannot be told. */
static void start_copy(struct ah_backend_device *device, const struct ahhsa_transfer *transfer,
                       struct ahhsa_signal *after)
{
    hipError_t error = ahhsa_transfer_start(device, transfer, NULL, after);
    if (error == hipSuccess)
        return;
    ahhsa_fail(device, error, "a copy that was queued cannot be started");
    ahhsa_signal_subtract(after, 1);
}

static void do_job(struct ahhsa_worker *worker, struct ahhsa_job *job)
{
    hipError_t status = ahhsa_device_error(worker->device);
    if (job->before)
        status = ahhsa_signal_wait(job->before);
    if (worker->gave_up)
        status = hipErrorContextIsDestroyed;
    switch (job->kind) {
    case AHHSA_JOB_CALLBACK:
        job->callback(job->data, status);
        break;
    case AHHSA_JOB_FUNCTION:
        if (status == hipSuccess)
            job->function(job->data);
        break;
    case AHHSA_JOB_WAIT:
        wait_for_value(worker, job);
        break;
    case AHHSA_JOB_COPY:
        start_copy(worker->device, &job->transfer, job->after);
        break;
    case AHHSA_JOB_NOTHING:
        ahhsa_signal_subtract(job->after, 1);
        break;
    }
    if (job->kind != AHHSA_JOB_COPY && job->kind != AHHSA_JOB_NOTHING)
        ahhsa_signal_complete(job->after);
    ahhsa_signal_release(job->before);
    ahhsa_signal_release(job->after);
    if (job->finish)
        job->finish(job->owner);
}

/* The last thing that a thread does. */
static void retire(struct ahhsa_worker *worker)
{
    struct ahhsa_workers *workers = &worker->device->workers;
    pthread_mutex_lock(&workers->lock);
    *worker->link = worker->next;
    if (worker->next)
        worker->next->link = worker->link;
    worker->next = atomic_load(&workers->over);
    atomic_store(&workers->over, worker);
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
}

static void *work(void *data)
{
    struct ahhsa_worker *worker = data;
    pthread_mutex_lock(&worker->lock);
    for (;;) {
        while (worker->count == 0 && !worker->stop)
            pthread_cond_wait(&worker->changed, &worker->lock);
        if (worker->count == 0)
            break;
        struct ahhsa_job job = worker->jobs[worker->first];
        worker->first = (worker->first + 1) & (worker->room - 1);
        worker->count--;
        pthread_mutex_unlock(&worker->lock);
        do_job(worker, &job);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    retire(worker);
    return NULL;
}

/* Starts the thread, under the lock that it needs to end. */
static bool enlist(struct ahhsa_worker *worker)
{
    struct ahhsa_workers *workers = &worker->device->workers;
    pthread_mutex_lock(&workers->lock);
    bool started = pthread_create(&worker->thread, NULL, work, worker) == 0;
    if (started) {
        worker->next = workers->live;
        worker->link = &workers->live;
        if (worker->next)
            worker->next->link = &worker->next;
        workers->live = worker;
        workers->count++;
    }
    pthread_mutex_unlock(&workers->lock);
    return started;
}

static hipError_t start_worker(struct ah_backend_device *device, struct ahhsa_worker **out_worker)
{
    struct ahhsa_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return hipErrorOutOfMemory;
    worker->device = device;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    worker->jobs = malloc(JOBS_FIRST * sizeof *worker->jobs);
    worker->room = JOBS_FIRST;
    if (!worker->jobs || !enlist(worker)) {
        destroy_worker(worker);
        return hipErrorOutOfMemory;
    }
    *out_worker = worker;
    return hipSuccess;
}

void ahhsa_worker_stop(struct ahhsa_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->stop = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

/* ---- the end of threads ----------------------------------------------------------------- */

void ahhsa_workers_open(struct ah_backend_device *device)
{
    pthread_mutex_init(&device->workers.lock, NULL);
    pthread_cond_init(&device->workers.changed, NULL);
}

void ahhsa_workers_close(struct ah_backend_device *device)
{
    pthread_cond_destroy(&device->workers.changed);
    pthread_mutex_destroy(&device->workers.lock);
}

/* Under the lock of the workers, which is let go meanwhile. There is one that is over. */
static void join_one(struct ahhsa_workers *workers)
{
    struct ahhsa_worker *worker = atomic_load(&workers->over);
    atomic_store(&workers->over, worker->next);
    pthread_mutex_unlock(&workers->lock);
    pthread_join(worker->thread, NULL);
    destroy_worker(worker);
    pthread_mutex_lock(&workers->lock);
    workers->count--;
    pthread_cond_broadcast(&workers->changed);
}

void ahhsa_workers_reap(struct ah_backend_device *device)
{
    struct ahhsa_workers *workers = &device->workers;
    if (!atomic_load_explicit(&workers->over, memory_order_relaxed))
        return;
    pthread_mutex_lock(&workers->lock);
    while (atomic_load(&workers->over))
        join_one(workers);
    pthread_mutex_unlock(&workers->lock);
}

void ahhsa_workers_end(struct ah_backend_device *device)
{
    struct ahhsa_workers *workers = &device->workers;
    ahhsa_lock(device);
    for (struct ah_backend_stream *stream = device->streams; stream; stream = stream->next)
        stream->worker = NULL;
    ahhsa_unlock(device);
    pthread_mutex_lock(&workers->lock);
    for (struct ahhsa_worker *worker = workers->live; worker; worker = worker->next) {
        atomic_store(&worker->hurry, true);
        ahhsa_worker_stop(worker);
    }
    while (workers->count > 0)
        if (atomic_load(&workers->over))
            join_one(workers);
        else
            pthread_cond_wait(&workers->changed, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
}

/* ---- jobs ------------------------------------------------------------------------------- */

/* Room for one more job. */
static bool reserve_job(struct ahhsa_worker *worker)
{
    if (worker->count < worker->room)
        return true;
    struct ahhsa_job *jobs = malloc(2 * worker->room * sizeof *jobs);
    if (!jobs)
        return false;
    for (unsigned i = 0; i < worker->count; i++)
        jobs[i] = worker->jobs[(worker->first + i) & (worker->room - 1)];
    free(worker->jobs);
    worker->jobs = jobs;
    worker->first = 0;
    worker->room *= 2;
    return true;
}

/* Under the device's lock, so that jobs come in the order of the stream. */
static hipError_t put_job(struct ahhsa_worker *worker, struct ahhsa_job *job,
                          struct ahhsa_work *place)
{
    pthread_mutex_lock(&worker->lock);
    bool room = reserve_job(worker);
    if (room) {
        job->before = place->before ? ahhsa_signal_hold(place->before) : NULL;
        job->after = ahhsa_signal_hold(place->after);
        worker->jobs[(worker->first + worker->count++) & (worker->room - 1)] = *job;
        pthread_cond_signal(&worker->changed);
    }
    pthread_mutex_unlock(&worker->lock);
    return room ? hipSuccess : hipErrorOutOfMemory;
}

/* The stream's thread is there. */
static hipError_t have_worker(struct ah_backend_stream *stream)
{
    return stream->worker ? hipSuccess : start_worker(stream->device, &stream->worker);
}

hipError_t ahhsa_host_put(struct ahhsa_work *place, struct ahhsa_job *job)
{
    hipError_t error = have_worker(place->stream);
    return error == hipSuccess ? put_job(place->stream->worker, job, place) : error;
}

hipError_t ahhsa_host_post(struct ah_backend_stream *stream, struct ahhsa_job *job, bool sleeps)
{
    struct ahhsa_work place;
    hipError_t error = hipSuccess;
    if (sleeps) {
        ahhsa_lock(stream->device);
        error = ahhsa_stream_move(stream);
        ahhsa_unlock(stream->device);
    }
    if (error == hipSuccess)
        error = ahhsa_work_begin(stream, &place);
    if (error != hipSuccess)
        return error;
    error = ahhsa_host_put(&place, job);
    if (error != hipSuccess) {
        ahhsa_work_cancel(&place);
        return error;
    }
    stream->soft |= sleeps;
    ahhsa_work_end(&place);
    return hipSuccess;
}

/* ---- entries of the backend ------------------------------------------------------------- */

static hipError_t post(struct ah_backend_device *device, struct ah_backend_stream *stream,
                       struct ahhsa_job *job)
{
    hipError_t error = ahhsa_enter(device);
    return error == hipSuccess ? ahhsa_host_post(stream, job, true) : error;
}

hipError_t ahhsa_stream_host_function(struct ah_backend_device *device,
                                      struct ah_backend_stream *stream,
                                      void (*function)(void *data), void *data)
{
    struct ahhsa_job job = {.kind = AHHSA_JOB_FUNCTION, .function = function, .data = data};
    return post(device, stream, &job);
}

hipError_t ahhsa_stream_callback(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                 void (*function)(void *data, hipError_t status), void *data)
{
    struct ahhsa_job job = {.kind = AHHSA_JOB_CALLBACK, .callback = function, .data = data};
    return post(device, stream, &job);
}

hipError_t ahhsa_stream_wait_value(struct ah_backend_device *device,
                                   struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                   uint64_t mask, enum ah_wait_condition condition, int bits)
{
    struct ahhsa_job job = {
        .kind = AHHSA_JOB_WAIT,
        .data = pointer,
        .value = value,
        .mask = mask,
        .condition = condition,
        .bits = bits,
    };
    if ((uintptr_t)pointer % ((unsigned)bits / 8) != 0) {
        AH_LOG_ERR("a value of %d bits at %p is not aligned", bits, pointer);
        return hipErrorInvalidValue;
    }
    return post(device, stream, &job);
}

/* ---- for fills and copies within the host's memory -------------------------------------- */

hipError_t ahhsa_host_run(struct ah_backend_stream *stream, bool brief,
                          void (*function)(void *data, hipError_t status), void *data)
{
    struct ahhsa_work place;
    struct ahhsa_job job = {.kind = AHHSA_JOB_CALLBACK, .callback = function, .data = data};
    ahhsa_lock(stream->device);
    bool now = brief && ahhsa_stream_is_idle(stream);
    ahhsa_unlock(stream->device);
    hipError_t error =
        now ? ahhsa_work_begin(stream, &place) : ahhsa_host_post(stream, &job, false);
    if (!now && error == hipSuccess)
        return hipSuccess;
    if (error != hipSuccess) {
        function(data, error);
        return error;
    }
    struct ahhsa_signal *before = place.before ? ahhsa_signal_hold(place.before) : NULL;
    ahhsa_work_end(&place);
    if (before) /* of the legacy stream, or somebody else was faster */
        error = ahhsa_signal_wait(before);
    ahhsa_signal_release(before);
    function(data, error);
    ahhsa_signal_complete(place.after);
    return error;
}
