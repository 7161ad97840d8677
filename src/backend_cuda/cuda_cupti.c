/* Owns the opened CUPTI: which file it is, the subscription, what it is told to record, and the
 * memory for its records. */
#include "cuda_cupti.h"

#include "clocks.h"
#include "env.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER_SIZE = 1 << 17,
    BUFFERS_MAX = 256,   /* that CUPTI has at a time: what does not fit is lost, and counted */
    BUFFER_ALIGNMENT = 8, /* as CUPTI demands */
    FINALIZES_SINCE = 24, /* CUDA 12.6: older ones crash with graphs that were made before the end */
};

static const struct ah_dynlib_symbol symbols[] = {
#define REQUIRED                              AH_REQUIRED
#define OPTIONAL                              AH_OPTIONAL
#define CUPTI_SYMBOL(need, field, parameters) {#field, offsetof(struct ahcuda_cupti, field), need},
#include "cupti_symbols.def"
#undef CUPTI_SYMBOL
#undef REQUIRED
#undef OPTIONAL
};

static const int32_t kinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_DRIVER, /* without these there are no external correlations */
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What the backend calls most often, and what submits no work. */
static const uint32_t silent[] = {
    CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent,        CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent,
    CUPTI_DRIVER_TRACE_CBID_cuEventQuery,           CUPTI_DRIVER_TRACE_CBID_cuStreamQuery,
    CUPTI_DRIVER_TRACE_CBID_cuPointerGetAttribute,  CUPTI_DRIVER_TRACE_CBID_cuStreamGetCtx,
    CUPTI_DRIVER_TRACE_CBID_cuPointerGetAttributes,
};

/* The beginning of a buffer that CUPTI does not have. */
struct buffer {
    struct buffer *next;
};

static struct {
    pthread_mutex_t lock; /* of beginning and end; not held while records come */
    unsigned users;
    pid_t process;        /* that has begun; 0: none yet */
    _Atomic bool ended;   /* with the process */
    struct ah_dynlib lib; /* stays open once it has been used: CUPTI has threads of its own */
    struct ahcuda_cupti api;
    CUpti_SubscriberHandle subscriber; /* NULL: none */

    pthread_mutex_t reading;                      /* held while a buffer is read */
    const struct ahcuda_cupti_user *_Atomic user; /* written with that held */

    pthread_mutex_t buffers_lock;
    struct buffer *free;
    unsigned count; /* of buffers that were made */
} cupti = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .reading = PTHREAD_MUTEX_INITIALIZER,
           .buffers_lock = PTHREAD_MUTEX_INITIALIZER};

static bool succeeded(const char *what, CUptiResult result)
{
    const char *text = NULL;
    if (result == CUPTI_SUCCESS)
        return true;
    cupti.api.cuptiGetResultString(result, &text);
    AH_LOG_WARN("%s of CUPTI failed: %s (%d)", what, text ? text : "unknown result", result);
    return false;
}

bool ahcuda_cupti_check(_Atomic bool *said, const char *what, CUptiResult result)
{
    if (result == CUPTI_SUCCESS || atomic_exchange(said, true))
        return result == CUPTI_SUCCESS;
    return succeeded(what, result);
}

/* ---- buffers -------------------------------------------------------------------------------- */

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    pthread_mutex_lock(&cupti.buffers_lock);
    struct buffer *taken = cupti.free;
    if (taken)
        cupti.free = taken->next;
    else if (cupti.count < BUFFERS_MAX &&
             (taken = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_SIZE)) != NULL)
        cupti.count++;
    pthread_mutex_unlock(&cupti.buffers_lock);
    *buffer = (uint8_t *)taken;
    *size = taken ? BUFFER_SIZE : 0;
    *max_records = 0; /* as many as fit */
}

static void give_back(uint8_t *buffer)
{
    struct buffer *given = (struct buffer *)(void *)buffer;
    pthread_mutex_lock(&cupti.buffers_lock);
    given->next = cupti.free;
    cupti.free = given;
    pthread_mutex_unlock(&cupti.buffers_lock);
}

static void free_buffers(void)
{
    pthread_mutex_lock(&cupti.buffers_lock);
    for (struct buffer *next; cupti.free; cupti.free = next) {
        next = cupti.free->next;
        free(cupti.free);
        cupti.count--;
    }
    pthread_mutex_unlock(&cupti.buffers_lock);
}

static void read_records(uint8_t *buffer, size_t size)
{
    CUpti_Activity *record = NULL;
    CUptiResult result;
    while ((result = cupti.api.cuptiActivityGetNextRecord(buffer, size, &record)) == CUPTI_SUCCESS)
        cupti.user->record(record);
    if (result != CUPTI_ERROR_MAX_LIMIT_REACHED) { /* the rest cannot be read */
        succeeded("cuptiActivityGetNextRecord", result);
        cupti.user->lost(1);
    }
}

static void complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    size_t dropped = 0;
    (void)context, (void)stream, (void)size;
    if (!buffer)
        return;
    pthread_mutex_lock(&cupti.reading);
    if (cupti.user && valid > 0)
        read_records(buffer, valid);
    if (cupti.user &&
        cupti.api.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped) == CUPTI_SUCCESS &&
        dropped > 0)
        cupti.user->lost(dropped);
    pthread_mutex_unlock(&cupti.reading);
    give_back(buffer);
}

static void on_callback(void *data, int32_t domain, uint32_t id, const void *about)
{
    const CUpti_ResourceData *resource = about;
    const struct ahcuda_cupti_user *user = atomic_load(&cupti.user);
    uint64_t node;
    (void)data;
    if (!user || domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)
        return;
    const CUpti_GraphData *graph = resource->resourceDescriptor;
    if (cupti.api.cuptiGetGraphNodeId(graph->node, &node) == CUPTI_SUCCESS)
        user->cloned(graph->originalNode, node);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

/* A simulated driver has a CUPTI of its own, which says so as the driver does. */
static bool is_of_driver(const struct ah_backend_device *device)
{
    bool simulated = device->api->anyhipSimConfigure != NULL;
    if (simulated == (cupti.api.anyhipSimConfigure != NULL))
        return true;
    AH_LOG_WARN("%s does not belong to the driver %s, whose work it does not see", cupti.lib.path,
                device->backend->name);
    return false;
}

/* PyTorch and others bring a CUPTI, which the loader finds by its name once it is in the process.
 */
static bool open_library(const struct ah_backend_device *device)
{
    char *named = ah_env_path("ANYHIP_CUPTI");
    const char *const one[] = {named, NULL};
    const char *const usual[] = {"libcupti.so.13",
                                 "libcupti.so.12",
                                 "libcupti.so",
                                 "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                 "/usr/local/cuda/lib64/libcupti.so",
                                 NULL};
    bool opened = false;
    if (named && (!*named || strcmp(named, "off") == 0))
        AH_LOG(AH_LOG_INFO, AH_LOG_INIT, "ANYHIP_CUPTI: no CUPTI is to be used");
    else if (!named && device->api->anyhipSimConfigure)
        AH_LOG(AH_LOG_INFO, AH_LOG_INIT, "simulated devices have no CUPTI of their own");
    else if (ah_dynlib_open(&cupti.lib, named ? one : usual))
        opened = true;
    else if (named)
        AH_LOG_WARN("ANYHIP_CUPTI: cannot open %s: %s", named,
                    cupti.lib.attempt_count ? cupti.lib.attempts[0].error : "out of memory");
    else
        AH_LOG(AH_LOG_INFO, AH_LOG_INIT, "no libcupti.so was found: name one in ANYHIP_CUPTI");
    free(named);
    return opened;
}

static bool open_cupti(const struct ah_backend_device *device)
{
    if (cupti.lib.handle)
        return is_of_driver(device);
    bool opened = open_library(device);
    if (opened &&
        !ah_dynlib_bind(&cupti.lib, symbols, sizeof symbols / sizeof *symbols, &cupti.api)) {
        AH_LOG_WARN("%s is older than CUDA 11.6, or not CUPTI: it lacks %s", cupti.lib.path,
                    cupti.lib.missing);
        opened = false;
    }
    if (opened && is_of_driver(device))
        return true;
    ah_dynlib_close(&cupti.lib);
    return false;
}

static void disable_kinds(int count)
{
    while (count-- > 0)
        succeeded("cuptiActivityDisable", cupti.api.cuptiActivityDisable(kinds[count]));
}

static bool enable_kinds(void)
{
    for (int i = 0; i < KINDS; i++) {
        if (!succeeded("cuptiActivityEnable", cupti.api.cuptiActivityEnable(kinds[i]))) {
            disable_kinds(i);
            return false;
        }
    }
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (cupti.api.cuptiActivityEnableDriverApi)
            cupti.api.cuptiActivityEnableDriverApi(silent[i], 0);
    return true;
}

static bool subscribe(void)
{
    CUpti_SubscriberHandle subscriber = NULL;
    if (cupti.subscriber) /* which could not be given up */
        return true;
    CUptiResult result = cupti.api.cuptiSubscribe(&subscriber, on_callback, NULL);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        AH_LOG_WARN("another profiler uses CUPTI in this process");
    else if (succeeded("cuptiSubscribe", result))
        cupti.subscriber = subscriber;
    return cupti.subscriber != NULL;
}

static void unsubscribe(void)
{
    if (succeeded("cuptiUnsubscribe", cupti.api.cuptiUnsubscribe(cupti.subscriber)))
        cupti.subscriber = NULL;
}

/* exit() calls CUPTI's own handlers before those that were registered before CUPTI was opened. A
 * child that fork has made may have a lock that nobody unlocks, and nothing to report. */
static void at_exit(void)
{
    if (cupti.process != getpid())
        return;
    pthread_mutex_lock(&cupti.reading);
    const struct ahcuda_cupti_user *user = cupti.user;
    pthread_mutex_unlock(&cupti.reading);
    if (user)
        user->ending();
    atomic_store(&cupti.ended, true);
}

static bool register_exit(void)
{
    if (cupti.process == 0 && atexit(at_exit) != 0)
        return false;
    cupti.process = getpid();
    return true;
}

/* After the subscription CUPTI stays in the driver, and costs every launch some of its time, until
 * it is finalized; a later subscription brings it back. */
static void leave_driver(void)
{
    uint32_t version = 0;
    if (!cupti.subscriber && cupti.api.cuptiFinalize && cupti.api.cuptiGetVersion &&
        cupti.api.cuptiGetVersion(&version) == CUPTI_SUCCESS && version >= FINALIZES_SINCE)
        succeeded("cuptiFinalize", cupti.api.cuptiFinalize());
}

static bool begin_records(void)
{
    const struct ahcuda_cupti *api = &cupti.api;
    if (!subscribe())
        return false;
    if (succeeded("cuptiEnableCallback",
                  api->cuptiEnableCallback(1, cupti.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                           CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)) &&
        succeeded("cuptiActivityRegisterTimestampCallback",
                  api->cuptiActivityRegisterTimestampCallback(ah_clock_now)) &&
        succeeded("cuptiActivityRegisterCallbacks",
                  api->cuptiActivityRegisterCallbacks(request, complete)) &&
        enable_kinds())
        return true;
    unsubscribe();
    return false;
}

static void set_user(const struct ahcuda_cupti_user *user)
{
    pthread_mutex_lock(&cupti.reading);
    atomic_store(&cupti.user, user);
    pthread_mutex_unlock(&cupti.reading);
}

const struct ahcuda_cupti *ahcuda_cupti_start(struct ah_backend_device *device,
                                              const struct ahcuda_cupti_user *user)
{
    pthread_mutex_lock(&cupti.lock);
    bool works = !atomic_load(&cupti.ended) && open_cupti(device) && register_exit();
    if (works && cupti.users == 0) {
        set_user(user);
        works = begin_records();
        if (!works)
            set_user(NULL);
    }
    if (works)
        cupti.users++;
    pthread_mutex_unlock(&cupti.lock);
    return works ? &cupti.api : NULL;
}

void ahcuda_cupti_stop(void)
{
    pthread_mutex_lock(&cupti.lock);
    if (--cupti.users == 0 && !atomic_load(&cupti.ended)) {
        disable_kinds(KINDS);
        succeeded("cuptiActivityFlushAll",
                  cupti.api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
        unsubscribe();
        leave_driver();
        set_user(NULL);
        free_buffers();
    }
    pthread_mutex_unlock(&cupti.lock);
}

void ahcuda_cupti_flush(void)
{
    static _Atomic bool said;
    if (atomic_load(&cupti.ended))
        return;
    ahcuda_cupti_check(&said, "cuptiActivityFlushAll", cupti.api.cuptiActivityFlushAll(0));
}
