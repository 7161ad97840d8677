/* The pool: threads that take blocks from the queue, and how they sleep and wake.
 * One lock guards the pool and the queue; it is never held while a block runs,
 * and threads that go from one block of the only launch to the next do not take it. */
#include "sim_run.h"

#include "clocks.h"
#include "demangle.h"
#include "log.h"
#include "process.h"
#include "sim_queue.h"
#include "sim_watch.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    YIELDS = 16,         /* when everything rests: so often before it sleeps */
    SPIN_NS = 500000000, /* when some may be working: so long */
    SLEEP_MIN_NS = 20 * 1000,
    SLEEP_MAX_NS = 1000 * 1000,
    BRIEF_NS = 50000, /* to wake others for less takes longer than it saves */
    BRIEF_KERNELS = 16,
    HELPERS_MAX = 16, /* at a time */
    HOLD_SECONDS = 5, /* in which a wave that runs gives way to a report */
};

static void wait_held(struct sim_block *block);
static void wake_others(void);

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct sim_run_settings settings; /* as configured */
    struct sim_run_settings active;   /* as the threads were started */
    struct sim_queue queue;
    pthread_t *threads;
    unsigned thread_count, thread_max;
    unsigned idle;                    /* threads that wait for work */
    unsigned woken;                   /* of these, such that have been signalled */
    unsigned helping;                 /* threads that are none of the pool's */
    const void *brief[BRIEF_KERNELS]; /* whose last launch one of those ran in less than BRIEF_NS */
    struct helper { /* what may outlast its thread's help, and is used again then */
        struct sim_span span;
        bool is_in_queue, is_busy;
    } helpers[HELPERS_MAX];
    unsigned ending; /* threads that tell that a launch has ended */
    bool polled; /* one thread polls: it looks at parked blocks that rest, and sleeps in between */
    bool stopping;
    _Atomic(bool) crowded; /* sim_queue_crowded, to be read without the lock */
    pthread_cond_t held_changed, released;
    struct sim_block *held; /* by next */
    uint64_t holds;         /* reports so far */
    unsigned running;       /* threads that run a block, those that are held among them */
    uint64_t ended;         /* launches */
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .held_changed = PTHREAD_COND_INITIALIZER,
    .released = PTHREAD_COND_INITIALIZER,
};

/* Read before each turn of a wave, and so in a line of the cache of its own. */
static _Alignas(64) struct {
    struct sim_hold hold;
    char rest[64 - sizeof(struct sim_hold)];
} apart = {.hold.wait = wait_held};

/* One thread's memory of how its last turns went. */
struct worker {
    struct sim_span *span;
    bool fair;       /* the last block did not end: others first, whatever their priority */
    bool moved;      /* something happened in its last turn, or may have */
    bool spun;       /* in a turn since it paused something may have */
    bool polls;      /* it is the one thread that polls: pool.polled */
    bool alone;      /* it helps, and wakes no others, unless it takes longer than expected */
    uint64_t rested; /* turns in a row in which nothing did for sure, since it paused */
    unsigned pauses; /* in a row */
    uint64_t since;  /* nanoseconds: when the first of them began */
};

static void note_crowd(void)
{
    atomic_store_explicit(&pool.crowded, sim_queue_crowded(&pool.queue), memory_order_relaxed);
}

/* ---- one block ---------------------------------------------------------------- */

static bool others_wait(void)
{
    pthread_mutex_lock(&pool.lock);
    bool wait = sim_queue_due(&pool.queue, 1) > 0;
    pthread_mutex_unlock(&pool.lock);
    return wait;
}

/* The next block of a launch that has the pool to itself. */
static bool take_next(struct worker *worker, struct sim_launch *launch, uint64_t *out_number)
{
    if (worker->alone && ah_clock_now() - launch->since > BRIEF_NS) {
        worker->alone = false;
        pthread_mutex_lock(&pool.lock);
        wake_others();
        pthread_mutex_unlock(&pool.lock);
    }
    if (atomic_load_explicit(&pool.crowded, memory_order_relaxed) || sim_run_cancelled(launch))
        return false;
    return sim_span_take(worker->span, launch, pool.thread_max, out_number);
}

/* A block that is not alone makes room for others, which may be what it waits for. */
static bool goes_on(const struct worker *worker, enum sim_turn turn)
{
    return turn == SIM_TURN_SLICED && sim_span_is_empty(worker->span) && !others_wait();
}

static enum sim_turn run_block(const struct worker *worker, struct sim_block *block)
{
    enum sim_turn turn;
    do
        turn = sim_block_turn(block, &pool.active, &apart.hold);
    while (goes_on(worker, turn));
    if (turn == SIM_TURN_ENDED || turn == SIM_TURN_FAILED || turn == SIM_TURN_CANCELLED)
        if (block->launch->engine->end)
            block->launch->engine->end(block);
    return turn;
}

/* Begins or continues the block that was picked, and then the blocks after it. */
static enum sim_turn run_pick(struct worker *worker, struct sim_pick *pick)
{
    sim_block_destroy(pick->spare);
    if (!pick->block)
        pick->block = sim_block_create(pick->launch);
    if (!pick->block)
        return SIM_TURN_STARVED;
    if (pick->begins && !sim_block_begin(pick->block, pick->number, &pool.active))
        return SIM_TURN_STARVED;
    for (;;) {
        enum sim_turn turn = run_block(worker, pick->block);
        uint64_t number;
        if (turn != SIM_TURN_ENDED || !take_next(worker, pick->launch, &number))
            return turn;
        pick->alone = false;
        if (!sim_block_begin(pick->block, number, &pool.active))
            return SIM_TURN_STARVED;
    }
}

/* ---- its launch --------------------------------------------------------------- */

static void destroy_blocks(struct sim_block *block)
{
    while (block) {
        struct sim_block *next = block->next;
        sim_block_destroy(block);
        block = next;
    }
}

static void remove_launch(struct sim_launch *launch)
{
    sim_queue_remove(&pool.queue, launch);
    pool.ended++;
}

/* Called locked; returns so. The thread counts as one that sleeps: who waits for the launch may be
 * quicker with the next one than this is in going to sleep. */
static void finish(struct sim_launch *launch)
{
    pool.ending++;
    pthread_mutex_unlock(&pool.lock);
    destroy_blocks(launch->unused);
    destroy_blocks(launch->deferred);
    launch->done(launch, sim_run_cancelled(launch));
    pthread_mutex_lock(&pool.lock);
    pool.ending--;
}

static void cancel(struct sim_launch *launch)
{
    atomic_store_explicit(&launch->cancelled, true, memory_order_relaxed);
}

/* Keeps an ended block's memory for later blocks. False: enough is kept already. */
static bool keep(struct sim_launch *launch, struct sim_block *block)
{
    if (launch->unused_count >= pool.thread_max)
        return false;
    block->next = launch->unused;
    launch->unused = block;
    launch->unused_count++;
    return true;
}

static void retire(const struct sim_pick *pick, enum sim_turn turn)
{
    struct sim_launch *launch = pick->launch;
    if (turn == SIM_TURN_FAILED)
        cancel(launch);
    if (!keep(launch, pick->block)) {
        pthread_mutex_unlock(&pool.lock);
        sim_block_destroy(pick->block);
        pthread_mutex_lock(&pool.lock);
    }
    sim_queue_end(&pool.queue, launch); /* from here on others may end the launch */
}

/* A block without memory waits for others to end, unless there are none. */
static void starve(const struct sim_pick *pick)
{
    if (!pick->block)
        sim_queue_end(&pool.queue, pick->launch);
    else if (sim_queue_defer(&pool.queue, pick->block, pick->alone))
        return;
    AH_LOG_ERR("no memory for a block: its state takes %zu bytes", pick->launch->state_size);
    cancel(pick->launch);
    sim_block_destroy(pick->block);
}

static bool is_parked(enum sim_turn turn)
{
    return turn == SIM_TURN_SLICED || turn == SIM_TURN_RESTED || turn == SIM_TURN_IDLE ||
           turn == SIM_TURN_SPUN;
}

/* Whether a launch that continues waits for blocks that have ended. */
static bool grid_hangs(struct sim_launch *launch)
{
    if (!launch->engine->grid_hangs || launch->deferred || sim_run_cancelled(launch))
        return false;
    uint64_t ended = sim_queue_ended(launch);
    return ended > 0 && launch->engine->grid_hangs(launch, ended);
}

/* Puts a picked block where its turn leaves it. Called locked; returns so, but
 * unlocks in between to free memory and to end the launch. */
static void put_back(const struct sim_pick *pick, enum sim_turn turn)
{
    if (is_parked(turn)) {
        sim_queue_park(&pool.queue, pick->block, turn);
        if (turn != SIM_TURN_SLICED && grid_hangs(pick->launch))
            cancel(pick->launch);
    } else if (turn == SIM_TURN_STARVED) {
        starve(pick);
    } else {
        retire(pick, turn);
    }
    bool finished = sim_queue_finished(pick->launch);
    if (finished)
        remove_launch(pick->launch);
    note_crowd();
    if (finished)
        finish(pick->launch);
}

/* ---- threads ------------------------------------------------------------------ */

static void *work(void *unused);

/* Signals are the host program's business: none is taken here. */
static bool start_thread(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t *thread = &pool.threads[pool.thread_count];
    bool started = pthread_create(thread, NULL, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started)
        return false;
    pthread_setname_np(*thread, "sim");
    pool.thread_count++;
    return true;
}

/* Threads that run blocks or look for some. */
static unsigned count_awake(void)
{
    return pool.thread_count - pool.idle + pool.woken + pool.helping - pool.ending;
}

/* Wakes one more thread to look for work, if there is one. */
static void wake(void)
{
    if (count_awake() >= pool.thread_max)
        return;
    if (pool.idle > pool.woken) {
        pool.woken++;
        pthread_cond_signal(&pool.work);
    } else if (pool.thread_count < pool.thread_max) {
        start_thread();
    }
}

/* Each thread that finds work wakes two, so that none has to wake them all. */
static void wake_others(void)
{
    if (count_awake() >= pool.thread_max)
        return;
    for (unsigned due = sim_queue_due(&pool.queue, 2); due; due--)
        wake();
}

/* Waits for work, at most so long; 0: until there is some. */
static void wait_for_work(uint64_t ns)
{
    pool.idle++;
    if (ns) {
        uint64_t end = ah_clock_now() + ns;
        struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
        pthread_cond_clockwait(&pool.work, &pool.lock, CLOCK_MONOTONIC, &until);
    } else {
        pthread_cond_wait(&pool.work, &pool.lock);
    }
    pool.idle--;
    if (pool.woken)
        pool.woken--;
}

/* Whether it is too early to sleep. */
static bool is_patient(const struct worker *worker)
{
    return worker->spun ? ah_clock_now() - worker->since < SPIN_NS : worker->pauses < YIELDS;
}

static void stop_polling(struct worker *worker)
{
    if (worker->polls)
        worker->polls = pool.polled = false;
}

/* All parked blocks rest: yields the processor, and eventually sleeps for a millisecond. One
 * polling thread is enough: others sleep until something happens, even while it is awake. */
static void pause_worker(struct worker *worker)
{
    if (!worker->pauses++)
        worker->since = ah_clock_now();
    bool patient = is_patient(worker);
    worker->rested = 0;
    worker->spun = false;
    if (patient) {
        pthread_mutex_unlock(&pool.lock);
        sched_yield();
        pthread_mutex_lock(&pool.lock);
        return;
    }
    worker->moved = false;
    unsigned doublings = worker->pauses > YIELDS ? worker->pauses - YIELDS : 0;
    uint64_t ns = doublings > 6 ? SLEEP_MAX_NS : (uint64_t)SLEEP_MIN_NS << doublings;
    if (!pool.polled)
        worker->polls = pool.polled = true;
    wait_for_work(!worker->polls ? 0 : ns < SLEEP_MAX_NS ? ns : SLEEP_MAX_NS);
}

static void remember(struct worker *worker, enum sim_turn turn)
{
    worker->fair = is_parked(turn);
    if (turn == SIM_TURN_IDLE || turn == SIM_TURN_SPUN) {
        worker->rested++;
        worker->spun |= turn == SIM_TURN_SPUN;
        worker->moved = turn == SIM_TURN_SPUN && (!worker->pauses || is_patient(worker));
        return;
    }
    stop_polling(worker);
    worker->moved = true;
    worker->rested = worker->pauses = 0;
    worker->spun = false;
}

static void serve(struct worker *worker, struct sim_pick *pick)
{
    if (pick->finished)
        remove_launch(pick->launch);
    if (!worker->alone && (worker->moved || pick->begins))
        wake_others();
    note_crowd();
    if (pick->finished) {
        finish(pick->launch);
        return;
    }
    pool.running++;
    pthread_mutex_unlock(&pool.lock);
    enum sim_turn turn = run_pick(worker, pick);
    pthread_mutex_lock(&pool.lock);
    sim_span_give_back(worker->span);
    pool.running--;
    if (atomic_load_explicit(&apart.hold.wanted, memory_order_relaxed))
        pthread_cond_signal(&pool.held_changed);
    remember(worker, turn);
    put_back(pick, turn);
}

static void *work(void *unused)
{
    (void)unused;
    struct sim_span span = {0};
    struct worker worker = {.span = &span};
    fesetenv(FE_DFL_ENV); /* whatever the host program set for its own arithmetic */
    pthread_mutex_lock(&pool.lock);
    sim_queue_add_span(&pool.queue, &span);
    while (!pool.stopping) {
        if (count_awake() > pool.thread_max) { /* one helps in its place */
            stop_polling(&worker);
            wait_for_work(0);
            continue;
        }
        if (worker.rested > pool.queue.parked && !sim_queue_has_new(&pool.queue)) {
            pause_worker(&worker);
            continue;
        }
        struct sim_pick pick = sim_queue_pick(&pool.queue, worker.fair);
        if (pick.launch) {
            serve(&worker, &pick);
        } else {
            stop_polling(&worker);
            wait_for_work(0);
        }
    }
    stop_polling(&worker);
    sim_queue_remove_span(&pool.queue, &span);
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* ---- threads that help ---------------------------------------------------------- */

/* Whether a launch that was just added is all there is to do, and a thread of the pool sleeps. The
 * pool has one in any case, which goes on where the helper does not. */
static bool may_help(const struct sim_launch *launch)
{
    return launch->helped && !sim_queue_crowded(&pool.queue) && !pool.active.deterministic &&
           pool.thread_count > 0 && count_awake() < pool.thread_max;
}

/* Not where blocks wait for each other, for the host or for memory, nor where there are others. */
static bool is_helpful(const struct sim_launch *launch)
{
    return launch->queue && !sim_queue_crowded(&pool.queue) && !pool.stopping;
}

/* NULL: there are so many already. */
static struct helper *find_helper(void)
{
    for (struct helper *at = pool.helpers; at < pool.helpers + HELPERS_MAX; at++)
        if (!at->is_busy && sim_span_is_empty(&at->span)) {
            if (!at->is_in_queue)
                sim_queue_add_span(&pool.queue, &at->span);
            at->is_in_queue = at->is_busy = true;
            return at;
        }
    return NULL;
}

/* Called locked; returns so. */
static void help(struct helper *helper, struct sim_launch *launch)
{
    const void *const kernel = launch->kernel;
    const void **brief = &pool.brief[(uintptr_t)kernel / 64 % BRIEF_KERNELS];
    struct worker worker = {.span = &helper->span, .alone = kernel && *brief == kernel};
    struct sim_pick pick = {.launch = launch};
    while (pick.launch && is_helpful(launch)) {
        pick = sim_queue_pick(&pool.queue, false);
        if (pick.launch)
            serve(&worker, &pick);
    }
    if (!launch->queue && ah_clock_now() - launch->since < BRIEF_NS)
        *brief = kernel;
    else if (*brief == kernel)
        *brief = NULL;
    helper->is_busy = false;
}

void sim_run_help(struct sim_launch *launch)
{
    sigset_t all, before;
    if (!launch->helping)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&pool.lock);
    struct helper *helper = find_helper();
    if (helper)
        help(helper, launch);
    pool.helping--;
    wake_others();
    pthread_mutex_unlock(&pool.lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- holding blocks ------------------------------------------------------------- */

/* A thread that runs a block stops, between two turns of its waves, until the report is made. */
static void wait_held(struct sim_block *block)
{
    uint64_t hold = 0;
    pthread_mutex_lock(&pool.lock);
    while (atomic_load_explicit(&apart.hold.wanted, memory_order_relaxed)) {
        if (hold != pool.holds) { /* the next report may begin before this thread has gone on */
            hold = pool.holds;
            block->next = pool.held;
            pool.held = block;
            pthread_cond_signal(&pool.held_changed);
        }
        pthread_cond_wait(&pool.released, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}

static unsigned count_held(void)
{
    unsigned count = 0;
    for (const struct sim_block *block = pool.held; block; block = block->next)
        count++;
    return count;
}

struct sim_pool_view sim_pool_lock(bool hold)
{
    pthread_mutex_lock(&pool.lock);
    if (hold) {
        uint64_t end = ah_clock_now() + (uint64_t)HOLD_SECONDS * 1000000000;
        struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
        int result = 0;
        pool.holds++;
        atomic_store_explicit(&apart.hold.wanted, true, memory_order_relaxed);
        while (count_held() < pool.running && result == 0)
            result =
                pthread_cond_clockwait(&pool.held_changed, &pool.lock, CLOCK_MONOTONIC, &until);
    }
    return (struct sim_pool_view){.first = pool.queue.first,
                                  .held = pool.held,
                                  .not_held = pool.running - count_held(),
                                  .ended = pool.ended};
}

void sim_pool_cancel(struct sim_launch *launch)
{
    cancel(launch);
    wake();
}

void sim_pool_unlock(void)
{
    atomic_store_explicit(&apart.hold.wanted, false, memory_order_relaxed);
    pool.held = NULL;
    pthread_cond_broadcast(&pool.released);
    pthread_mutex_unlock(&pool.lock);
}

/* ---- what is called from outside ------------------------------------------------- */

static void lock_for_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void unlock_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* The threads are gone, and with them what they ran. */
static void reset_child(void)
{
    struct sim_run_settings settings = pool.settings;
    free(pool.threads);
    memset(&pool, 0, sizeof(pool));
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.held_changed, NULL);
    pthread_cond_init(&pool.released, NULL);
    atomic_store(&apart.hold.wanted, false);
    pool.settings = settings;
    sim_watch_remove();
}

static void watch_forks(void)
{
    pthread_atfork(lock_for_fork, unlock_parent, reset_child);
}

static unsigned choose_threads(const struct sim_run_settings *settings)
{
    if (settings->deterministic)
        return 1;
    if (settings->threads)
        return settings->threads;
    return ah_process_cores();
}

/* Threads are started one by one, as there is work for them. */
static bool start_pool(void)
{
    if (pool.threads)
        return true;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pool.active = pool.settings;
    pool.thread_max = choose_threads(&pool.active);
    pool.threads = calloc(pool.thread_max, sizeof(*pool.threads));
    return pool.threads != NULL;
}

void sim_run_configure(const struct sim_run_settings *settings)
{
    ah_demangle_prepare(); /* now: where kernels run, the loader may wait for them in dlclose */
    pthread_mutex_lock(&pool.lock);
    pool.settings = *settings;
    pthread_mutex_unlock(&pool.lock);
}

unsigned sim_run_threads(void)
{
    pthread_mutex_lock(&pool.lock);
    unsigned threads = pool.threads ? pool.thread_max : choose_threads(&pool.settings);
    pthread_mutex_unlock(&pool.lock);
    return threads;
}

/* As start_pool, and the watch's thread. It runs before the first kernel does, which may be what
 * makes somebody send SIGQUIT. */
static bool start_all(void)
{
    if (!start_pool())
        return false;
    if (!sim_watch_begin(&pool.active, pool.ended))
        return true;
    pthread_mutex_unlock(&pool.lock);
    sim_watch_start();
    pthread_mutex_lock(&pool.lock);
    return start_pool(); /* somebody may have stopped it */
}

bool sim_run(struct sim_launch *launch)
{
    pthread_mutex_lock(&pool.lock);
    bool started = start_all();
    if (started) {
        launch->since = ah_clock_now();
        sim_queue_add(&pool.queue, launch);
        note_crowd();
        launch->helping = may_help(launch);
        if (launch->helping)
            pool.helping++;
        else
            wake();
        started = pool.thread_count > 0;
        if (started)
            sim_watch_note(launch->since);
        else
            sim_queue_remove(&pool.queue, launch);
    }
    pthread_mutex_unlock(&pool.lock);
    if (!started)
        AH_LOG_ERR("no thread could be started to run kernels");
    return started;
}

void sim_run_cancel(struct sim_launch *launch)
{
    pthread_mutex_lock(&pool.lock);
    sim_pool_cancel(launch);
    pthread_mutex_unlock(&pool.lock);
}

void sim_run_stop(void)
{
    sim_watch_stop();
    pthread_mutex_lock(&pool.lock);
    pool.stopping = true;
    pthread_cond_broadcast(&pool.work);
    unsigned count = pool.thread_count;
    pthread_mutex_unlock(&pool.lock);
    for (unsigned i = 0; i < count; i++)
        pthread_join(pool.threads[i], NULL);
    pthread_mutex_lock(&pool.lock);
    free(pool.threads);
    pool.threads = NULL;
    pool.thread_count = pool.thread_max = 0;
    pool.stopping = false;
    pthread_mutex_unlock(&pool.lock);
}
