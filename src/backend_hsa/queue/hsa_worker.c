/* Owns the threads that work in stream order: they call host functions and callbacks, and wait
 * for values in memory. Each stream that needs one has a thread of its own, and a hardware queue
 * of its own if there is one left, so that no stream holds up another. */
#include "hsa_stream.h"

#include <stdlib.h>
#include <time.h>

enum {
    INITIAL_JOBS = 8,
    POLLS_PER_CHECK = 256, /* between checks that the value can still be written */
    FAST_POLLS = 64,       /* at a value in memory, before the thread sleeps between them */
    SHORTEST_SLEEP = 2000, /* ns */
    LONGEST_SLEEP = 200000,
};

struct ahhsa_worker {
    struct ah_backend_device *device;
    struct ahhsa_worker *next, **link; /* of the device's threads */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct ahhsa_job *jobs; /* ring; room is a power of two */
    unsigned first, count, room;
    bool stop;
    _Atomic bool cancel;
    bool wait_cancelled; /* of the thread alone: a wait was ended, and with it the stream's order */
};

static void destroy_worker(struct ahhsa_worker *worker)
{
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker->jobs);
    free(worker);
}

/* ---- waiting for a value ---------------------------------------------------------------- */

static bool is_met(const struct ahhsa_job *job, uint64_t seen)
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

/* Reads the value, through the runtime if the host has no access to it. */
static hipError_t read_value(struct ah_backend_device *device, const struct ahhsa_job *job,
                             uint64_t *out_value)
{
    uint64_t value = 0;
    hipError_t error = hipSuccess;
    if (job->device_only)
        error = ahhsa_raw_read(device, &value, job->data, job->bits / 8);
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
    struct timespec sleep_time = {.tv_nsec = SHORTEST_SLEEP};
    uint64_t value;
    for (unsigned polls = 0;; polls++) {
        worker->wait_cancelled |= atomic_load(&worker->cancel) || atomic_load(&device->resetting);
        if (worker->wait_cancelled)
            return;
        if (ahhsa_device_error(device) != hipSuccess ||
            read_value(device, job, &value) != hipSuccess || is_met(job, value))
            return;
        if (polls % POLLS_PER_CHECK == POLLS_PER_CHECK - 1 && job->is_abandoned &&
            job->is_abandoned(job->owner, job->value)) {
            ahhsa_fail(device, hipErrorIllegalState,
                       "a stream waits for an event of a process that has ended");
            return;
        }
        if (polls < FAST_POLLS && !job->device_only)
            continue;
        nanosleep(&sleep_time, NULL);
        sleep_time.tv_nsec =
            sleep_time.tv_nsec * 2 < LONGEST_SLEEP ? sleep_time.tv_nsec * 2 : LONGEST_SLEEP;
    }
}

/* ---- adding to a value ------------------------------------------------------------------ */

/* Additions to one value, of any streams, are not torn apart by others. */
static pthread_mutex_t addition = PTHREAD_MUTEX_INITIALIZER;

static hipError_t add_on_device(struct ah_backend_device *device, const struct ahhsa_job *job)
{
    uint64_t value;
    pthread_mutex_lock(&addition);
    hipError_t error = read_value(device, job, &value);
    value += job->value;
    if (error == hipSuccess)
        error = ahhsa_raw_write(device, job->data, &value, job->bits / 8); /* its low bytes */
    pthread_mutex_unlock(&addition);
    return error;
}

/* The caller has returned, so that an error fails the device. */
static void add_to_value(struct ah_backend_device *device, const struct ahhsa_job *job)
{
    hipError_t error = hipSuccess;
    if (job->device_only)
        error = add_on_device(device, job);
    else if (job->bits == 32)
        __atomic_fetch_add((uint32_t *)job->data, (uint32_t)job->value, __ATOMIC_ACQ_REL);
    else
        __atomic_fetch_add((uint64_t *)job->data, job->value, __ATOMIC_ACQ_REL);
    if (error != hipSuccess)
        ahhsa_fail(device, error, "a queued addition to a value failed");
}

/* ---- polling ---------------------------------------------------------------------------- */

static void poll(struct ahhsa_worker *worker, const struct ahhsa_job *job)
{
    do {
        worker->wait_cancelled |=
            atomic_load(&worker->cancel) || atomic_load(&worker->device->resetting);
    } while (!worker->wait_cancelled && ahhsa_device_error(worker->device) == hipSuccess &&
             !job->poll(job->data));
}

/* ---- the thread ------------------------------------------------------------------------- */

/* The caller has returned, so that an error fails the device. */
static void start_copy(struct ah_backend_device *device, const struct ahhsa_transfer *transfer,
                       struct ahhsa_signal *after)
{
    hipError_t error = ahhsa_transfer_start(device, transfer, NULL, after);
    if (error == hipSuccess)
        return;
    ahhsa_fail(device, error, "a queued copy could not be started");
    ahhsa_signal_subtract(after, 1);
}

static void run_job(struct ahhsa_worker *worker, struct ahhsa_job *job)
{
    hipError_t status = ahhsa_device_error(worker->device);
    if (job->before)
        status = ahhsa_signal_wait(job->before);
    if (worker->wait_cancelled)
        status = hipErrorContextIsDestroyed;
    if (status == hipSuccess || job->kind == AHHSA_JOB_CALLBACK) /* else it does nothing */
        ahhsa_signal_begin(job->after);
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
    case AHHSA_JOB_ADD:
        if (status == hipSuccess)
            add_to_value(worker->device, job);
        break;
    case AHHSA_JOB_POLL:
        poll(worker, job);
        break;
    case AHHSA_JOB_COPY:
        start_copy(worker->device, &job->transfer, job->after);
        break;
    case AHHSA_JOB_COMPLETE:
        ahhsa_signal_subtract(job->after, 1);
        break;
    }
    if (job->kind != AHHSA_JOB_COPY && job->kind != AHHSA_JOB_COMPLETE)
        ahhsa_signal_complete(job->after);
    ahhsa_signal_release(job->before);
    ahhsa_signal_release(job->after);
    if (job->finish)
        job->finish(job->owner);
}

/* The last action of a thread, which no other thread joins. Whoever waits for the count touches the
 * device after this has released the lock, and this touches nothing of the device then. */
static void retire_worker(struct ahhsa_worker *worker)
{
    struct ahhsa_workers *workers = &worker->device->queues->workers;
    pthread_mutex_lock(&workers->lock);
    *worker->link = worker->next;
    if (worker->next)
        worker->next->link = worker->link;
    pthread_detach(worker->thread);
    destroy_worker(worker);
    workers->count--;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
}

static void *run_worker(void *data)
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
        run_job(worker, &job);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    retire_worker(worker);
    return NULL;
}

/* Starts the thread, under the lock that it needs to end. */
static bool add_worker(struct ahhsa_worker *worker)
{
    struct ahhsa_workers *workers = &worker->device->queues->workers;
    pthread_mutex_lock(&workers->lock);
    bool started = pthread_create(&worker->thread, NULL, run_worker, worker) == 0;
    if (started) {
        worker->next = workers->running;
        worker->link = &workers->running;
        if (worker->next)
            worker->next->link = &worker->next;
        workers->running = worker;
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
    worker->jobs = malloc(INITIAL_JOBS * sizeof *worker->jobs);
    worker->room = INITIAL_JOBS;
    if (!worker->jobs || !add_worker(worker)) {
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

void ahhsa_workers_init(struct ahhsa_workers *workers)
{
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->changed, NULL);
}

void ahhsa_workers_fini(struct ahhsa_workers *workers)
{
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->lock);
}

void ahhsa_device_stop_workers(struct ah_backend_device *device)
{
    if (!device->queues)
        return;
    struct ahhsa_workers *workers = &device->queues->workers;
    ahhsa_lock(device);
    for (struct ah_backend_stream *stream = device->queues->streams; stream; stream = stream->next)
        stream->worker = NULL;
    ahhsa_unlock(device);
    pthread_mutex_lock(&workers->lock);
    for (struct ahhsa_worker *worker = workers->running; worker; worker = worker->next) {
        atomic_store(&worker->cancel, true);
        ahhsa_worker_stop(worker);
    }
    while (workers->count > 0)
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
static hipError_t push_job(struct ahhsa_worker *worker, struct ahhsa_job *job,
                           struct ahhsa_work *place)
{
    pthread_mutex_lock(&worker->lock);
    bool room = reserve_job(worker);
    if (room) {
        job->before = place->before ? ahhsa_signal_retain(place->before) : NULL;
        job->after = ahhsa_signal_retain(place->after);
        worker->jobs[(worker->first + worker->count++) & (worker->room - 1)] = *job;
        pthread_cond_signal(&worker->changed);
    }
    pthread_mutex_unlock(&worker->lock);
    return room ? hipSuccess : hipErrorOutOfMemory;
}

/* Starts the stream's thread, unless it has one. */
static hipError_t ensure_worker(struct ah_backend_stream *stream)
{
    return stream->worker ? hipSuccess : start_worker(stream->device, &stream->worker);
}

hipError_t ahhsa_host_enqueue_at(struct ahhsa_work *place, struct ahhsa_job *job)
{
    hipError_t error = ensure_worker(place->stream);
    return error == hipSuccess ? push_job(place->stream->worker, job, place) : error;
}

hipError_t ahhsa_host_enqueue(struct ah_backend_stream *stream, struct ahhsa_job *job, bool sleeps)
{
    struct ahhsa_work place;
    hipError_t error = hipSuccess;
    if (sleeps) {
        ahhsa_lock(stream->device);
        error = ahhsa_stream_use_own_queue(stream);
        ahhsa_unlock(stream->device);
    }
    if (error == hipSuccess)
        error = ahhsa_work_begin(stream, &place);
    if (error != hipSuccess)
        return error;
    error = ahhsa_host_enqueue_at(&place, job);
    if (error != hipSuccess) {
        ahhsa_work_cancel(&place);
        return error;
    }
    stream->host_dependent |= sleeps;
    place.kind = job->reported_as;
    ahhsa_work_end(&place);
    return hipSuccess;
}

/* ---- entries of the backend ------------------------------------------------------------- */

static hipError_t post(struct ah_backend_device *device, struct ah_backend_stream *stream,
                       struct ahhsa_job *job)
{
    hipError_t error = ahhsa_enter(device);
    return error == hipSuccess ? ahhsa_host_enqueue(stream, job, true) : error;
}

hipError_t ahhsa_stream_host_function(struct ah_backend_device *device,
                                      struct ah_backend_stream *stream,
                                      void (*function)(void *data), void *data)
{
    struct ahhsa_job job = {.kind = AHHSA_JOB_FUNCTION,
                            .function = function,
                            .data = data,
                            .reported_as = AH_TRACE_HOST};
    return post(device, stream, &job);
}

hipError_t ahhsa_stream_callback(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                 void (*function)(void *data, hipError_t status), void *data)
{
    struct ahhsa_job job = {.kind = AHHSA_JOB_CALLBACK,
                            .callback = function,
                            .data = data,
                            .reported_as = AH_TRACE_HOST};
    return post(device, stream, &job);
}

/* ---- for fills and copies within the host's memory -------------------------------------- */

hipError_t ahhsa_host_run(struct ah_backend_stream *stream, bool brief, enum ah_trace_kind kind,
                          void (*function)(void *data, hipError_t status), void *data)
{
    struct ahhsa_work place;
    struct ahhsa_job job = {
        .kind = AHHSA_JOB_CALLBACK, .callback = function, .data = data, .reported_as = kind};
    ahhsa_lock(stream->device);
    bool now = brief && ahhsa_stream_is_idle(stream);
    ahhsa_unlock(stream->device);
    hipError_t error =
        now ? ahhsa_work_begin(stream, &place) : ahhsa_host_enqueue(stream, &job, false);
    if (!now && error == hipSuccess)
        return hipSuccess;
    if (error != hipSuccess) {
        function(data, error);
        return error;
    }
    struct ahhsa_signal *before = place.before ? ahhsa_signal_retain(place.before) : NULL;
    place.kind = kind;
    ahhsa_work_end(&place);
    if (before) /* in the legacy stream, or another thread has queued work meanwhile */
        error = ahhsa_signal_wait(before);
    ahhsa_signal_release(before);
    ahhsa_signal_begin(place.after);
    function(data, error);
    ahhsa_signal_complete(place.after);
    return error;
}
