/* The watch's thread, the signal that requests a report, and when a line is due. */
#include "sim_watch.h"

#include "clocks.h"
#include "log.h"
#include "sim_places.h"
#include "sim_queue.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    REPORTS_MAX = 8, /* launches that the report of one SIGQUIT has */
    NEVER = -1,
};
static const uint64_t tick_max = 1000000000, tick_min = 10000000;

static pthread_t thread;

static struct watch { /* under the scheduler's lock */
    bool started;
    bool sleeps;                       /* no launch was in progress for a tick */
    uint64_t timeout_ns, progress_ns;  /* of sim_run_settings */
    uint64_t working_since, next_line; /* since the thread last slept */
    uint64_t lines;
    uint64_t ended; /* launches, when the thread last looked */
} watch;

/* What the handler touches. */
static _Atomic(int) wake_fd = -1;
static _Atomic(bool) asked, stopping;
typedef void signal_handler(int signal_number, siginfo_t *info, void *context);
static _Atomic(signal_handler *) next_handler; /* of another simulated driver, or NULL */

static void wake_thread(void)
{
    static const uint64_t one = 1;
    int fd = atomic_load(&wake_fd);
    ssize_t written = fd < 0 ? 0 : write(fd, &one, sizeof one);
    (void)written; /* it fails when the thread is to wake up already */
}

/* ---- SIGQUIT ------------------------------------------------------------------------------- */

static void on_quit(int signal_number, siginfo_t *info, void *context)
{
    int error = errno;
    signal_handler *next = atomic_load(&next_handler);
    if (next) {
        next(signal_number, info, context);
    } else if (atomic_load(&wake_fd) < 0) { /* in the child of a fork */
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    atomic_store(&asked, true);
    wake_thread();
    errno = error;
}

/* The signals that our handlers block, a set that no other handler has. The simulated drivers of a
 * process, each of which has a handler of its own, know each other's by it: dladdr would tell the
 * name, but it takes the loader's lock, with which dlclose may wait for kernels. */
static void set_of_ours(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGRTMIN + 3);
    sigaddset(set, SIGRTMIN + 4);
    sigaddset(set, SIGRTMAX - 6);
}

static bool is_ours(const struct sigaction *action)
{
    sigset_t ours;
    set_of_ours(&ours);
    bool equal = true;
    for (int i = 1; i <= SIGRTMAX; i++)
        equal &= sigismember(&action->sa_mask, i) == sigismember(&ours, i);
    return action->sa_flags & SA_SIGINFO && equal;
}

static void install_handler(void)
{
    struct sigaction now, action = {.sa_sigaction = on_quit};
    if (sigaction(SIGQUIT, NULL, &now) != 0 || now.sa_sigaction == on_quit)
        return;
    bool chained = is_ours(&now);
    if (!chained && (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL))
        return;
    atomic_store(&next_handler, chained ? now.sa_sigaction : NULL);
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    set_of_ours(&action.sa_mask);
    sigaction(SIGQUIT, &action, NULL);
}

static void remove_handler(void)
{
    signal_handler *next = atomic_load(&next_handler);
    struct sigaction now;
    struct sigaction action = {.sa_sigaction = next,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    set_of_ours(&action.sa_mask);
    if (sigaction(SIGQUIT, NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO) ||
        now.sa_sigaction != on_quit)
        return;
    if (!next)
        action = (struct sigaction){.sa_handler = SIG_DFL};
    sigaction(SIGQUIT, &action, NULL);
}

/* ---- reports -----------------------------------------------------------------------------------
 */

static bool is_late(const struct sim_launch *launch, uint64_t now)
{
    return watch.timeout_ns && !launch->late && !sim_run_cancelled(launch) &&
           now - launch->since >= watch.timeout_ns;
}

/* Whether launch is to be in a report. late: on those that have run for too long; it is one then,
 * and will be cancelled. */
static bool belongs(struct sim_launch *launch, bool late, uint64_t now)
{
    if (late &&
        (!is_late(launch, now) || (launch->engine->time_out && !launch->engine->time_out(launch))))
        return false;
    launch->late |= late;
    return true;
}

struct reports {
    struct sim_report items[REPORTS_MAX];
    unsigned count, more; /* more: without a report */
};

static void collect(struct reports *reports, bool late)
{
    struct sim_pool_view pool = sim_pool_lock(true);
    uint64_t now = ah_clock_now();
    for (struct sim_launch *launch = pool.first; launch; launch = launch->next) {
        if (!belongs(launch, late, now))
            continue;
        if (reports->count == REPORTS_MAX) {
            reports->more++;
            continue;
        }
        struct sim_report *text = &reports->items[reports->count++];
        sim_places_report(launch, pool.held, now, text);
        if (late)
            sim_report_add(text, "\n    It ends here: ANYHIP_SIM_TIMEOUT=%.10g",
                           (double)watch.timeout_ns / 1e9);
    }
    if (reports->count && pool.not_held)
        sim_report_add(&reports->items[reports->count - 1],
                       "\n    %u blocks that run are not in this report", pool.not_held);
    sim_pool_unlock();
}

static void report(bool late)
{
    enum ah_log_level level = late ? AH_LOG_ERROR : AH_LOG_INFO;
    struct reports *reports = calloc(1, sizeof *reports);
    if (!reports) {
        AH_LOG_ERR("no memory for a report on kernels in progress");
        return;
    }
    collect(reports, late);
    if (reports->count == 0 && !late)
        AH_LOG_NOTICE(level, "SIGQUIT: no kernel runs on simulated devices");
    for (unsigned i = 0; i < reports->count; i++)
        AH_LOG_NOTICE(level, "%s", reports->items[i].text);
    if (reports->more)
        AH_LOG_NOTICE(level, "%u more kernels are in progress", reports->more);
    free(reports);
}

/* The report comes first: the program may end when it sees the error. */
static void end_late(void)
{
    report(true);
    struct sim_pool_view pool = sim_pool_lock(false);
    for (struct sim_launch *launch = pool.first; launch; launch = launch->next)
        if (launch->late)
            sim_pool_cancel(launch);
    sim_pool_unlock();
}

/* ---- work that takes long ------------------------------------------------------------------ */

/* The line that shows that work goes on; due after progress_ns, twice that, four times and so on.
 */
static bool make_line(const struct sim_pool_view *pool, uint64_t now, struct sim_report *text)
{
    const struct sim_launch *launch = pool->first;
    if (!watch.progress_ns || now < watch.next_line)
        return false;
    sim_report_add(text, "simulated devices have worked for %.0f s; %llu kernels have ended",
                   (double)(now - watch.working_since) / 1e9, (unsigned long long)pool->ended);
    if (launch) {
        sim_report_add(text, "; ");
        if (launch->engine->introduce)
            launch->engine->introduce(launch, text);
        sim_report_add(text, " has run for %.1f s; blocks: %llu of %llu ended",
                       (double)(now - launch->since) / 1e9,
                       (unsigned long long)sim_queue_ended(launch),
                       (unsigned long long)launch->block_count);
    }
    if (watch.lines++ == 0)
        sim_report_add(text,
                       ". Smaller sizes are done sooner; kill -QUIT %d shows where kernels are",
                       (int)getpid());
    watch.next_line = now + (now - watch.working_since);
    return true;
}

/* Nanoseconds until it has to look again. */
static uint64_t tick(void)
{
    uint64_t tick = tick_max;
    if (watch.timeout_ns && watch.timeout_ns / 4 < tick)
        tick = watch.timeout_ns / 4;
    if (watch.progress_ns && watch.progress_ns / 4 < tick)
        tick = watch.progress_ns / 4;
    return tick < tick_min ? tick_min : tick;
}

/* Looks at the launches. Returns how many milliseconds to wait for the next look. */
static int look(void)
{
    struct sim_report line = {.length = 0};
    struct sim_pool_view pool = sim_pool_lock(false);
    uint64_t now = ah_clock_now();
    bool late = false;
    watch.sleeps =
        (!pool.first && pool.ended == watch.ended) || !(watch.timeout_ns || watch.progress_ns);
    watch.ended = pool.ended;
    for (const struct sim_launch *launch = pool.first; launch; launch = launch->next)
        late |= is_late(launch, now);
    bool tell = !watch.sleeps && make_line(&pool, now, &line);
    int wait = watch.sleeps ? NEVER : (int)(tick() / 1000000);
    sim_pool_unlock();
    if (tell)
        AH_LOG_NOTICE(AH_LOG_INFO, "%s", line.text);
    if (late)
        end_late();
    return wait;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *work(void *unused)
{
    (void)unused;
    int wait = 0;
    for (;;) {
        struct pollfd fd = {.fd = atomic_load(&wake_fd), .events = POLLIN};
        uint64_t wakes;
        if (poll(&fd, 1, wait) > 0)
            (void)!read(fd.fd, &wakes, sizeof wakes);
        if (atomic_exchange(&asked, false))
            report(false);
        if (atomic_load(&stopping))
            return NULL;
        wait = look();
    }
}

/* Every signal goes to the program's own threads. */
static bool start_thread(void)
{
    sigset_t all, before;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return false;
    atomic_store(&stopping, false);
    atomic_store(&wake_fd, fd);
    install_handler();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) {
        pthread_setname_np(thread, "sim-watch");
        return true;
    }
    remove_handler();
    atomic_store(&wake_fd, -1);
    close(fd);
    return false;
}

bool sim_watch_begin(const struct sim_run_settings *settings, uint64_t ended)
{
    if (watch.started)
        return false;
    watch = (struct watch){.started = true,
                           .sleeps = true,
                           .timeout_ns = settings->timeout_ns,
                           .progress_ns = settings->progress_ns,
                           .ended = ended};
    return true;
}

void sim_watch_note(uint64_t now)
{
    if (!watch.sleeps || (!watch.timeout_ns && !watch.progress_ns))
        return;
    watch.sleeps = false;
    watch.working_since = now;
    watch.next_line = now + watch.progress_ns;
    wake_thread();
}

void sim_watch_start(void)
{
    if (!start_thread())
        AH_LOG_ERR("no thread could be started to watch kernels: they have no time limit");
}

void sim_watch_stop(void)
{
    if (atomic_load(&wake_fd) < 0)
        return;
    atomic_store(&stopping, true);
    wake_thread();
    pthread_join(thread, NULL);
    remove_handler();
    close(atomic_exchange(&wake_fd, -1));
    watch.started = false;
}

void sim_watch_remove(void)
{
    int fd = atomic_exchange(&wake_fd, -1);
    if (fd >= 0)
        close(fd);
    watch.started = false;
}
