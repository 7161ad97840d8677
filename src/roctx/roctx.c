/* ROCTX: marks and ranges as lines of the log, in the trace file, and for tools. It owns the depth
 * of each thread's ranges and the identifiers of those of the process; it keeps no message. */
#include "roctx_private.h"

#include "config.h"
#include "log.h"

#include <roctracer/roctx.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROCTX_PUBLIC __attribute__((visibility("default")))

enum { LEVELS = 64 };
static _Thread_local int depth;
static _Thread_local uint64_t hidden; /* ranges that began in a pause, a bit for each level */
static _Thread_local bool thread_is_paused;
static atomic_bool process_is_paused;

/* ---- log ---------------------------------------------------------------------------- */

static bool is_logged(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ah_config_start_log);
    return ah_log_on(AH_LOG_INFO, AH_LOG_API);
}

/* printf need not take a null string. */
static const char *shown(const char *message)
{
    return message ? message : "(null)";
}

static bool is_paused(void)
{
    return thread_is_paused || atomic_load_explicit(&process_is_paused, memory_order_relaxed);
}

static bool is_shown(void)
{
    return is_logged() && !is_paused();
}

static void report(enum ah_roctx_kind kind, uint64_t id, const char *message)
{
    const struct ah_roctx_event event = {kind, id, message};
    ah_roctx_trace(&event);
    ah_roctx_nvtx(&event);
    ah_roctx_tracer(&event);
}

#define ROCTX_LOG(...) ah_log_write(AH_LOG_INFO, __FILE__, __LINE__, __VA_ARGS__)

/* ---- marks and ranges ---------------------------------------------------------------- */

ROCTX_PUBLIC uint32_t roctx_version_major(void)
{
    return 4;
}

ROCTX_PUBLIC uint32_t roctx_version_minor(void)
{
    return 1;
}

ROCTX_PUBLIC void roctxMarkA(const char *message)
{
    if (is_shown())
        ROCTX_LOG(" roctxMark ( %s )", shown(message));
    if (!is_paused())
        report(AH_ROCTX_MARK, 0, message);
}

/* A range that begins in a pause has no end for tools either; those that lie too deep to be noted
 * have both. */
static bool hide_range(int level)
{
    if (level >= LEVELS)
        return false;
    uint64_t bit = UINT64_C(1) << level;
    hidden = is_paused() ? hidden | bit : hidden & ~bit;
    return is_paused();
}

static bool is_hidden(int level)
{
    return level < LEVELS && (hidden >> level & 1);
}

ROCTX_PUBLIC int roctxRangePushA(const char *message)
{
    if (is_shown())
        ROCTX_LOG(" roctxRangePush ( %s ) level %d", shown(message), depth);
    if (!hide_range(depth))
        report(AH_ROCTX_PUSH, 0, message);
    return depth++;
}

ROCTX_PUBLIC int roctxRangePop(void)
{
    int level = depth > 0 ? --depth : -1;
    if (is_shown())
        ROCTX_LOG(level < 0 ? " roctxRangePop: the thread is in no range"
                            : " roctxRangePop: level %d",
                  level);
    if (level >= 0 && !is_hidden(level))
        report(AH_ROCTX_POP, 0, NULL);
    return level;
}

ROCTX_PUBLIC roctx_range_id_t roctxRangeStartA(const char *message)
{
    static _Atomic(roctx_range_id_t) last;
    roctx_range_id_t id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    if (is_shown())
        ROCTX_LOG(" roctxRangeStart ( %s ) id %" PRIu64, shown(message), id);
    if (!is_paused())
        report(AH_ROCTX_START, id, message);
    return id;
}

ROCTX_PUBLIC void roctxRangeStop(roctx_range_id_t id)
{
    if (is_shown())
        ROCTX_LOG(" roctxRangeStop ( %" PRIu64 " )", id);
    report(AH_ROCTX_STOP, id, NULL);
}

/* ---- pauses -------------------------------------------------------------------------- */

static roctx_thread_id_t this_thread(void)
{
    return (roctx_thread_id_t)syscall(SYS_gettid);
}

static int set_paused(const char *function, roctx_thread_id_t tid, bool paused)
{
    if (tid != 0 && tid != this_thread()) {
        if (is_logged())
            ROCTX_LOG(" %s: thread %" PRIu64 " is not the calling one, and others are not paused",
                      function, tid);
        return -1;
    }
    if (tid != 0)
        thread_is_paused = paused;
    else
        atomic_store_explicit(&process_is_paused, paused, memory_order_relaxed);
    ah_roctx_trace(
        &(struct ah_roctx_event){.kind = paused ? AH_ROCTX_PAUSE : AH_ROCTX_RESUME, .id = tid != 0});
    if (is_logged())
        ROCTX_LOG(" %s: of the %s", function, tid ? "thread" : "process");
    return 0;
}

ROCTX_PUBLIC int roctxProfilerPause(roctx_thread_id_t tid)
{
    return set_paused("roctxProfilerPause", tid, true);
}

ROCTX_PUBLIC int roctxProfilerResume(roctx_thread_id_t tid)
{
    return set_paused("roctxProfilerResume", tid, false);
}

/* ---- names --------------------------------------------------------------------------- */

ROCTX_PUBLIC int roctxNameOsThread(const char *name)
{
    if (!name)
        return -1;
    if (is_logged())
        ROCTX_LOG(" roctxNameOsThread ( %s ): thread %" PRIu64, name, this_thread());
    ah_roctx_nvtx_name_thread((uint32_t)this_thread(), name);
    return 0;
}

ROCTX_PUBLIC int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent)
{
    if (!name || !agent)
        return -1;
    /* hsa_agent_s is one handle of 64 bits */
    if (is_logged())
        ROCTX_LOG(" roctxNameHsaAgent ( %s ): agent 0x%" PRIx64, name, *(const uint64_t *)agent);
    return 0;
}

ROCTX_PUBLIC int roctxNameHipDevice(const char *name, int device_id)
{
    if (!name)
        return -1;
    if (is_logged())
        ROCTX_LOG(" roctxNameHipDevice ( %s ): device %d", name, device_id);
    return 0;
}

ROCTX_PUBLIC int roctxNameHipStream(const char *name, const struct ihipStream_t *stream)
{
    if (!name)
        return -1;
    if (is_logged())
        ROCTX_LOG(" roctxNameHipStream ( %s ): stream %p", name, (const void *)stream);
    return 0;
}

ROCTX_PUBLIC int roctxGetThreadId(roctx_thread_id_t *tid)
{
    if (!tid)
        return -1;
    *tid = this_thread();
    return 0;
}
