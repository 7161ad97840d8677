/* Owns the queue of regions and the threads that compile them. */
#include "jit.h"

#include "clocks.h"
#include "jit_build.h"
#include "jit_exit.h"
#include "jit_park.h"
#include "jit_store.h"
#include "log.h"
#include "process.h"
#include "sim_options.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* LLVM's passes call themselves by the depth of expressions. */
enum { QUEUE_MAX = 256, STACK_SIZE = 64 << 20 };
/* How long a process that ends waits for regions that are being compiled, and then for a thread to
 * come back to code of LLVM's, so often. */
enum { END_NS = 20000000, PARK_NS = 1000000, PARK_TRIES = 2000 };

enum stage {
    WAITING,
    COMPILING,
    ABANDONED, /* by a thread that was stopped in the middle of it, or is the parent's */
    DONE
};

struct jit_region {
    const struct wave_region *region;
    void (*done)(void *data, jit_code code);
    void (*release)(void *data);
    void *data;
    enum stage stage;
    bool kept;       /* its code may be one that was kept, and may be kept */
    bool needs_llvm; /* which was not open yet */
    struct jit_object object;
    struct jit_region *next; /* in the queue */
};

/* UNREAD: the settings have not been read. */
enum { UNREAD = -1 };
static atomic_int mode_in_force = UNREAD;

/* Where LLVM's fatal errors return to; LLVM is not used any more after that. */
static _Thread_local sigjmp_buf *rescue;

/* A thread that compiles. */
struct worker {
    pthread_t thread;
    struct jit_region *compiling; /* NULL: none, or it was abandoned */
    bool wanted;                  /* an earlier process has not finished the region, either */
    atomic_bool parked;
};
static _Thread_local struct worker *self;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;  /* there is some */
    pthread_cond_t ended; /* a region was compiled, or waits no longer */
    struct jit_region *first, **last;
    unsigned waiting;
    struct worker workers[SIM_JIT_THREADS_MAX];
    unsigned started, idle; /* of the workers */
    atomic_bool opened;     /* libLLVM was, or that was tried */
    bool opening;           /* libLLVM is being opened */
    bool exiting;           /* no region is to be begun any more */
    bool prepared;          /* handlers of fork are there */
    atomic_uint count;      /* of regions that were compiled or refused */
    struct jit_llvm llvm;
    struct jit_statistics statistics;
} jit = {.lock = PTHREAD_MUTEX_INITIALIZER,
         .work = PTHREAD_COND_INITIALIZER,
         .ended = PTHREAD_COND_INITIALIZER,
         .last = &jit.first};

/* ---- settings ---------------------------------------------------------------------------------
 */

static void read_mode(void)
{
    static const enum jit_mode modes[] = {
        [SIM_JIT_OFF] = JIT_OFF, [SIM_JIT_ON] = JIT_ON, [SIM_JIT_COMPARE] = JIT_COMPARE};
    int unread = UNREAD;
    atomic_compare_exchange_strong(&mode_in_force, &unread, (int)modes[sim_options()->jit]);
}

enum jit_mode jit_mode(void)
{
    int mode = atomic_load_explicit(&mode_in_force, memory_order_relaxed);
    if (__builtin_expect(mode == UNREAD, 0)) {
        read_mode();
        mode = atomic_load(&mode_in_force);
    }
    return (enum jit_mode)mode;
}

bool jit_is_eager(void)
{
    return sim_options()->jit_threshold <= 1;
}

uint64_t jit_enough(uint64_t instructions)
{
    uint64_t ops;
    if (jit_is_eager())
        return 1;
    return __builtin_mul_overflow(sim_options()->jit_threshold, 1 + instructions, &ops) ? UINT64_MAX
                                                                                        : ops;
}

bool jit_keeps(void)
{
    return !jit_is_eager() && jit_store_is_on();
}

uint64_t jit_enough_to_look(void)
{
    return jit_keeps() ? jit_enough(0) / 8 : jit_enough(0);
}

static void switch_off(void)
{
    atomic_store(&mode_in_force, (int)JIT_OFF);
}

/* ---- compiling --------------------------------------------------------------------------------
 */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void print_region(const struct wave_region *region, const struct jit_build *build,
                         const struct jit_object *object, uint64_t ns)
{
    static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
    const char *path = sim_options()->jit_print;
    FILE *file = *path ? fopen(path, "ae") : NULL;
    if (!file)
        return;
    pthread_mutex_lock(&printing);
    wave_print(region, file);
    if (object->entry)
        fprintf(file, "%zu instructions, %zu bytes of code, %.1f ms%s\n\n", wave_inst_count(region),
                object->size, (double)ns / 1e6, build->in_memory ? ", slots in memory" : "");
    else
        fprintf(file, "not compiled: %s\n\n", build->reason);
    fclose(file);
    pthread_mutex_unlock(&printing);
}

static bool is_sound(const struct wave_region *region, struct jit_build *build)
{
    if (!wave_verify(region, build->reason, sizeof build->reason))
        return false;
    if (!region->machine->bitcode)
        return jit_build_failed(build, "no bitcode for %s", region->machine->name);
    return wave_inst_count(region) <= JIT_REGION_MAX ||
           jit_build_failed(build, "%zu instructions are too many", wave_inst_count(region));
}

/* Whether slots that nothing reads are compared, too. */
static bool compares_all(const struct wave_region *region)
{
    return jit_mode() == JIT_COMPARE && !region->machine->compares_live;
}

/* Code that an earlier process has made. */
static bool load_kept(struct jit_build *build, struct jit_object *out_object)
{
    size_t size;
    void *object = jit_store_read(&build->key, &size);
    bool loaded = object && jit_object_load(out_object, object, size, build->region->machine,
                                            &build->addresses, build->reason, JIT_REASON);
    free(object);
    build->reason[0] = '\0';
    return loaded;
}

/* The next process that wants the region finishes it, if this one does not. */
static void begin_code(const struct jit_build *build)
{
    bool wanted = build->keep && jit_store_mark(&build->key);
    pthread_mutex_lock(&jit.lock);
    self->wanted = wanted;
    pthread_mutex_unlock(&jit.lock);
}

static bool make_code(struct jit_build *build, struct jit_object *out_object)
{
    begin_code(build);
    return jit_build_function(build) && jit_build_code(build, out_object);
}

static void log_region(const struct jit_build *build, const struct jit_object *object, bool loaded,
                       uint64_t ns)
{
    const struct wave_region *region = build->region;
    if (object->entry)
        AH_LOG(AH_LOG_DEBUG, AH_LOG_CODE, "%s %s: %zu instructions, %zu bytes, %.1f ms%s",
               loaded ? "Loaded" : "Compiled", region->name, wave_inst_count(region), object->size,
               (double)ns / 1e6, build->in_memory ? ", slots in memory" : "");
    else
        AH_LOG_WARN("%s is not compiled, and stays with the interpreter: %s",
                    region->name ? region->name : "A region", build->reason);
    print_region(region, build, object, ns);
}

static void count_region(const struct jit_build *build, const struct jit_object *object,
                         bool loaded, uint64_t ns)
{
    pthread_mutex_lock(&jit.lock);
    jit.statistics.nanoseconds += ns;
    jit.statistics.bytes += object->size;
    jit.statistics.compiled += object->entry != NULL;
    jit.statistics.loaded += loaded;
    jit.statistics.failed += !object->entry;
    jit.statistics.in_memory += object->entry && build->in_memory;
    pthread_mutex_unlock(&jit.lock);
}

/* Makes the code of a region, or takes what was kept. False: it could not be made, which the log
 * says, or needs LLVM first. */
static bool compile(struct jit_region *region)
{
    struct jit_build build = {.llvm = &jit.llvm,
                              .region = region->region,
                              .all_live = compares_all(region->region),
                              .keep = region->kept};
    uint64_t begun = now_ns();
    region->object = (struct jit_object){0};
    bool sound = is_sound(region->region, &build) && jit_build_begin(&build);
    bool loaded = sound && region->kept && load_kept(&build, &region->object);
    region->needs_llvm = sound && !loaded && !atomic_load(&jit.opened);
    bool made = loaded || (sound && !region->needs_llvm && make_code(&build, &region->object));
    uint64_t spent = now_ns() - begun;
    jit_build_fini(&build);
    if (region->needs_llvm)
        return false;
    log_region(&build, &region->object, loaded, spent);
    count_region(&build, &region->object, loaded, spent);
    return made;
}

bool jit_is_kept(const struct wave_region *region)
{
    struct jit_build build = {.region = region, .all_live = compares_all(region)};
    if (!jit_keeps())
        return false;
    bool kept = jit_build_begin(&build) && jit_store_has(&build.key);
    jit_build_fini(&build);
    return kept;
}

/* LLVM ends the process when this returns. What others do with the same library stays so. */
static void survive(const char *reason)
{
    if (!rescue)
        return;
    AH_LOG_ERR("LLVM has failed, and compiles no kernels any more: %s", reason);
    siglongjmp(*rescue, 1);
}

/* ---- the end of the process -------------------------------------------------------------------
 */

/* All under the lock. */

/* Whether a region is being compiled, or one that is wanted. */
static bool any_is_compiled(bool wanted)
{
    bool any = false;
    for (unsigned i = 0; i < jit.started; i++)
        any |= jit.workers[i].compiling && (jit.workers[i].wanted || !wanted);
    return any;
}

static bool any_is_busy(void)
{
    return jit.opening || any_is_compiled(false);
}

/* False: the time is over. */
static bool wait_for_end(uint64_t ns)
{
    uint64_t end = ah_clock_now() + ns;
    struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
    return pthread_cond_clockwait(&jit.ended, &jit.lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT;
}

static void abandon(struct worker *worker)
{
    worker->compiling->stage = ABANDONED;
    worker->compiling = NULL;
}

/* Once one is parked, another may wait for a lock of LLVM's that it holds. Such a thread is nowhere
 * where it can be parked, and never goes on. */
static void park_all(void)
{
    bool any_is_parked = false;
    for (unsigned tries = 0; any_is_busy(); tries++) {
        for (unsigned i = 0; i < jit.started; i++) {
            struct worker *worker = &jit.workers[i];
            if (!worker->compiling)
                continue;
            bool parked = jit_park_try(worker->thread, &worker->parked);
            any_is_parked |= parked;
            if (parked || (any_is_parked && tries >= PARK_TRIES))
                abandon(worker);
        }
        if (any_is_busy())
            (void)wait_for_end(PARK_NS);
    }
}

/* Static objects of LLVM are destroyed after this, while threads may still be compiling. Exit waits
 * a little for their regions, then parks the threads; where that cannot be done, and for regions
 * that an earlier process has not finished either, as long as it takes. */
static void wait_or_park(void)
{
    while (any_is_compiled(true))
        pthread_cond_wait(&jit.ended, &jit.lock);
    bool parks = jit_park_begin();
    while (any_is_busy() && !parks)
        pthread_cond_wait(&jit.ended, &jit.lock);
    while (any_is_busy() && wait_for_end(END_NS))
        ;
    if (parks) {
        park_all();
        jit_park_end();
    }
}

static void at_exit(void)
{
    pthread_mutex_lock(&jit.lock);
    jit.exiting = true;
    pthread_cond_broadcast(&jit.ended); /* the queue will not become empty any more */
    if (any_is_busy() && !rescue)
        wait_or_park();
    pthread_cond_broadcast(&jit.ended); /* nor will a region that is abandoned */
    pthread_mutex_unlock(&jit.lock);
}

static void at_exit_of_thread(void *unused)
{
    (void)unused;
    at_exit();
}

/* The C library's, by which C++ destroys objects of threads. The last argument is an address in the
 * library that the function is in, which is not unloaded before. */
extern int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library)
    __attribute__((weak));

void jit_wait_at_exit(void)
{
    static bool registered; /* of the main thread alone */
    if (jit_mode() == JIT_OFF || gettid() != getpid() || registered || !__cxa_thread_atexit_impl)
        return;
    registered = __cxa_thread_atexit_impl(at_exit_of_thread, NULL, &jit) == 0;
}

static void watch_llvm(void)
{
    void (*function)(void);
    memcpy(&function, &jit.llvm.LLVMInstallFatalErrorHandler, sizeof function);
    pthread_mutex_lock(&jit.lock); /* at_exit() reads what this finds */
    jit_park_in(function);
    pthread_mutex_unlock(&jit.lock);
    jit.llvm.LLVMInstallFatalErrorHandler(survive);
}

static void open_llvm(unsigned version)
{
    if (jit_llvm_open(&jit.llvm, sim_options()->llvm, version))
        watch_llvm();
    else
        switch_off();
    atomic_store(&jit.opened, true);
    atexit(at_exit);
}

/* What LLVM has allocated until a fatal error is lost. */
static bool compile_safely(struct jit_region *region)
{
    sigjmp_buf here;
    volatile bool made = false;
    if (sigsetjmp(here, 0) == 0) {
        rescue = &here;
        made = compile(region);
    } else {
        switch_off();
        pthread_mutex_lock(&jit.lock);
        jit.statistics.failed++;
        pthread_mutex_unlock(&jit.lock);
    }
    rescue = NULL;
    return made;
}

/* False: LLVM has to be opened first. */
static bool compile_one(struct jit_region *region)
{
    jit_code code = NULL;
    if (jit_mode() != JIT_OFF && compile_safely(region))
        memcpy(&code, &region->object.entry, sizeof code);
    else if (region->needs_llvm)
        return false;
    region->done(region->data, code);
    region->release(region->data);
    return true;
}

/* ---- the threads ------------------------------------------------------------------------------
 */

static struct jit_region *take_first(void)
{
    struct jit_region *region = jit.first;
    jit.first = region->next;
    if (!jit.first)
        jit.last = &jit.first;
    jit.waiting--;
    region->stage = COMPILING;
    self->compiling = region;
    self->wanted = false;
    return region;
}

static void enqueue(struct jit_region *region, bool first)
{
    region->next = first ? jit.first : NULL;
    if (first)
        jit.first = region;
    else
        *jit.last = region;
    if (!region->next)
        jit.last = &region->next;
    jit.waiting++;
    region->stage = WAITING;
}

/* Takes a region out of the queue. */
static void dequeue(struct jit_region *region)
{
    struct jit_region **at = &jit.first;
    while (*at != region)
        at = &(*at)->next;
    *at = region->next;
    if (jit.last == &region->next)
        jit.last = at;
    jit.waiting--;
}

/* Under the lock. dlclose() holds a lock of the loader while it unloads the code of a program, for
 * whose regions jit_free() waits, and dlopen() waits for that lock: the region that needs LLVM
 * waits in the queue, and can be freed. */
static void open_llvm_for(struct jit_region *region)
{
    unsigned version = region->region->machine->bitcode->version;
    region->needs_llvm = false;
    enqueue(region, true);
    if (jit.opening || atomic_load(&jit.opened))
        return;
    jit.opening = true;
    pthread_cond_broadcast(&jit.ended);
    pthread_mutex_unlock(&jit.lock);
    open_llvm(version);
    pthread_mutex_lock(&jit.lock);
    jit.opening = false;
    pthread_cond_broadcast(&jit.work);
}

static struct jit_region *wait_for_work(void)
{
    jit.idle++;
    while (!jit.first || jit.exiting || jit.opening)
        pthread_cond_wait(&jit.work, &jit.lock);
    jit.idle--;
    return take_first();
}

/* Again after more of LLVM has been used: its objects that have been made since are destroyed
 * before what was registered earlier is called. */
static void watch_exit_again(void)
{
    unsigned count = atomic_fetch_add(&jit.count, 1);
    if ((count & (count + 1)) == 0)
        atexit(at_exit);
}

static void *run(void *worker)
{
    self = worker;
    pthread_setname_np(pthread_self(), "anyhip-jit");
    pthread_mutex_lock(&jit.lock);
    for (;;) {
        struct jit_region *region = wait_for_work();
        pthread_mutex_unlock(&jit.lock);
        bool done = compile_one(region);
        if (done)
            watch_exit_again();
        pthread_mutex_lock(&jit.lock);
        self->compiling = NULL;
        if (done)
            region->stage = DONE;
        else
            open_llvm_for(region);
        pthread_cond_broadcast(&jit.ended);
    }
    return NULL;
}

static void lock_for_fork(void)
{
    pthread_mutex_lock(&jit.lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&jit.lock);
}

/* The child has no threads. What they were compiling may have left LLVM's locks held. */
static void reset_in_child(void)
{
    if (any_is_busy())
        switch_off();
    for (unsigned i = 0; i < jit.started; i++) {
        struct worker *worker = &jit.workers[i];
        if (worker->compiling)
            abandon(worker);
    }
    jit.opening = false;
    jit.started = jit.idle = 0;
    pthread_cond_init(&jit.work, NULL);
    pthread_cond_init(&jit.ended, NULL);
    pthread_mutex_unlock(&jit.lock);
}

/* How many threads there may be. */
static unsigned worker_limit(void)
{
    enum { SHARE = 4, MOST = 4 };
    const struct sim_options *options = sim_options();
    if (options->jit_threads)
        return options->jit_threads;
    unsigned run = options->run.threads ? options->run.threads : ah_process_cores();
    unsigned share = run / SHARE;
    return share < 1 ? 1 : share > MOST ? MOST : share;
}

/* Under the lock, like start(). Returns an error of pthread_create(). */
static int start_one(void)
{
    struct worker *worker = &jit.workers[jit.started];
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, jit_park_signal());
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&worker->thread, &attributes, run, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    jit.started += error == 0;
    return error;
}

/* Sees to it that there is a thread, and for one more region that waits a thread that is idle, if
 * there may be one. */
static bool start(void)
{
    if (!jit.prepared) {
        pthread_atfork(lock_for_fork, unlock_after_fork, reset_in_child);
        atexit(at_exit);
    }
    jit.prepared = true;
    bool more = jit.waiting >= jit.idle && jit.started < worker_limit();
    int error = more ? start_one() : 0;
    if (error != 0 && !jit.started) {
        AH_LOG_WARN(
            "Simulated devices do not compile kernels, which is slower: no thread for it (%s)",
            strerror(error));
        switch_off();
    }
    return jit.started;
}

/* ---- requests
 * --------------------------------------------------------------------------------------- */

/* NULL: refused. at_once: before all others, however many there are. */
static struct jit_region *request(const struct wave_region *region,
                                  void (*done)(void *data, jit_code code),
                                  void (*release)(void *data), void *data, bool at_once)
{
    struct jit_region *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    *made = (struct jit_region){.region = region, .done = done, .release = release, .data = data};
    made->kept = !at_once && !jit_is_eager();
    jit_wait_at_exit();
    pthread_mutex_lock(&jit.lock);
    bool taken =
        jit_mode() != JIT_OFF && !jit.exiting && (at_once || jit.waiting < QUEUE_MAX) && start();
    jit.statistics.requested++;
    jit.statistics.refused += !taken;
    if (taken) {
        enqueue(made, at_once);
        pthread_cond_signal(&jit.work);
    }
    pthread_mutex_unlock(&jit.lock);
    if (!taken)
        free(made);
    return taken ? made : NULL;
}

struct jit_region *jit_request(const struct wave_region *region,
                               void (*done)(void *data, jit_code code), void (*release)(void *data),
                               void *data)
{
    return request(region, done, release, data, false);
}

static void keep_code(void *data, jit_code code)
{
    *(jit_code *)data = code;
}

static void keep_region(void *data)
{
    (void)data;
}

jit_code jit_compile_now(const struct wave_region *region, struct jit_region **out_region)
{
    jit_code code = NULL;
    struct jit_region *made = request(region, keep_code, keep_region, &code, true);
    *out_region = NULL;
    if (!made)
        return NULL;
    pthread_mutex_lock(&jit.lock);
    while (made->stage == COMPILING || (made->stage == WAITING && !jit.exiting))
        pthread_cond_wait(&jit.ended, &jit.lock);
    if (made->stage == WAITING)
        dequeue(made);
    pthread_mutex_unlock(&jit.lock);
    if (code)
        *out_region = made;
    else
        free(made);
    return code;
}

void jit_free(struct jit_region *region)
{
    if (!region)
        return;
    pthread_mutex_lock(&jit.lock);
    while (region->stage == COMPILING)
        pthread_cond_wait(&jit.ended, &jit.lock);
    bool waited = region->stage == WAITING;
    if (waited)
        dequeue(region);
    pthread_cond_broadcast(&jit.ended);
    pthread_mutex_unlock(&jit.lock);
    if (waited)
        region->release(region->data);
    jit_object_unload(&region->object);
    free(region);
}

void jit_finish(void)
{
    pthread_mutex_lock(&jit.lock);
    while (jit.started && !jit.exiting && (jit.first || any_is_busy()))
        pthread_cond_wait(&jit.ended, &jit.lock);
    pthread_mutex_unlock(&jit.lock);
}

void jit_statistics_get(struct jit_statistics *out_statistics)
{
    pthread_mutex_lock(&jit.lock);
    *out_statistics = jit.statistics;
    pthread_mutex_unlock(&jit.lock);
}
