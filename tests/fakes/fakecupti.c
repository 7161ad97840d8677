/* Owns the fake CUPTI: its subscriber, what it records of the fake driver's work, and the buffers.
 */
#include "fakecupti.h"
#include "script.h"
#include "simcuda_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = 64, EXTERNALS_MAX = 16 };

union any_record {
    CUpti_Activity any;
    CUpti_ActivityExternalCorrelation external;
    CUpti_ActivityKernel kernel;
    CUpti_ActivityMemcpy copy;
    CUpti_ActivityMemset fill;
};

struct list {
    union any_record *records;
    size_t count, room;
};

struct CUpti_Subscriber_st {
    CUpti_CallbackFunc callback;
    void *data;
};

static struct {
    pthread_mutex_t lock; /* may be taken with the driver's held */
    bool subscribed, taken, reverse, callback, enabled[KINDS_MAX];
    unsigned buffers, no_times, most, version, finalized;
    size_t dropped;
    struct CUpti_Subscriber_st subscriber;
    CUpti_BuffersCallbackRequestFunc request;
    CUpti_BuffersCallbackCompleteFunc complete;
    CUpti_TimestampCallbackFunc now;
    struct list calls, works;
    struct {
        const char *function;
        unsigned nth;
        int result;
    } fault;
} cupti = {.lock = PTHREAD_MUTEX_INITIALIZER, .version = 130001};

static _Atomic uint32_t last_number;
static _Thread_local uint32_t number; /* of the thread's latest call of the driver */
static _Thread_local uint64_t externals[EXTERNALS_MAX];
static _Thread_local unsigned external_count;

/* Locks, unless the call has to fail. */
static CUptiResult enter(const char *function)
{
    CUptiResult result = CUPTI_SUCCESS;
    pthread_mutex_lock(&cupti.lock);
    if (cupti.fault.function && strcmp(cupti.fault.function, function) == 0) {
        bool always = cupti.fault.nth == 0;
        if (always || --cupti.fault.nth == 0) {
            result = cupti.fault.result;
            cupti.fault.function = always ? function : NULL;
        }
    }
    if (result != CUPTI_SUCCESS)
        pthread_mutex_unlock(&cupti.lock);
    return result;
}

static CUptiResult leave(CUptiResult result)
{
    pthread_mutex_unlock(&cupti.lock);
    return result;
}

/* ---- what is recorded ----------------------------------------------------------------------- */

static void add(struct list *list, const union any_record *record)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->records = realloc(list->records, list->room * sizeof *list->records);
        if (!list->records)
            abort();
    }
    list->records[list->count++] = *record;
}

static bool records(int kind)
{
    return cupti.subscribed && cupti.enabled[kind];
}

void fakecupti_call(const char *name)
{
    number = ++last_number;
    (void)name;
    if (external_count == 0)
        return;
    pthread_mutex_lock(&cupti.lock);
    if (records(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) && records(CUPTI_ACTIVITY_KIND_DRIVER))
        add(&cupti.calls, &(union any_record){
                              .external = {.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                           .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                           .externalId = externals[external_count - 1],
                                           .correlationId = number}});
    pthread_mutex_unlock(&cupti.lock);
}

static uint32_t number_of_call(void)
{
    return number;
}

static uint64_t node_of(const void *node)
{
    return (uint64_t)(uintptr_t)node;
}

static union any_record kernel_of(const struct simcuda_work_note *note, uint64_t begin,
                                  uint64_t end)
{
    return (union any_record){.kernel = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         .start = begin,
                                         .end = end,
                                         .correlationId = note->number,
                                         .name = note->kernel,
                                         .graphNodeId = node_of(note->node)}};
}

static union any_record copy_of(const struct simcuda_work_note *note, uint64_t begin, uint64_t end)
{
    return (union any_record){.copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                       .start = begin,
                                       .end = end,
                                       .bytes = note->bytes,
                                       .correlationId = note->number,
                                       .graphNodeId = node_of(note->node)}};
}

static union any_record fill_of(const struct simcuda_work_note *note, uint64_t begin, uint64_t end)
{
    return (union any_record){.fill = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                       .start = begin,
                                       .end = end,
                                       .bytes = note->bytes,
                                       .correlationId = note->number,
                                       .graphNodeId = node_of(note->node)}};
}

/* The driver's threads have the host's clock, as the callback has that the user gave. */
static void done(const struct simcuda_work_note *note, uint64_t begin, uint64_t end)
{
    union any_record record;
    if (note->kind == SIMCUDA_DOES_OTHER)
        return;
    pthread_mutex_lock(&cupti.lock);
    if (cupti.no_times > 0) {
        cupti.no_times--;
        begin = end = 0;
    }
    record = note->kind == SIMCUDA_DOES_KERNEL ? kernel_of(note, begin, end)
             : note->kind == SIMCUDA_DOES_COPY ? copy_of(note, begin, end)
                                               : fill_of(note, begin, end);
    if (records(record.any.kind))
        add(&cupti.works, &record);
    pthread_mutex_unlock(&cupti.lock);
}

static void cloned(const void *from, const void *node)
{
    CUpti_GraphData graph = {.node = (CUgraphNode)(uintptr_t)node,
                             .originalNode = (CUgraphNode)(uintptr_t)from};
    CUpti_ResourceData resource = {.resourceDescriptor = &graph};
    pthread_mutex_lock(&cupti.lock);
    bool tell = cupti.subscribed && cupti.callback;
    struct CUpti_Subscriber_st subscriber = cupti.subscriber;
    pthread_mutex_unlock(&cupti.lock);
    if (tell)
        subscriber.callback(subscriber.data, CUPTI_CB_DOMAIN_RESOURCE,
                            CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &resource);
}

void fakecupti_open(void)
{
    simcuda_script.number = number_of_call;
    simcuda_script.done = done;
    simcuda_script.cloned = cloned;
}

/* ---- the script ----------------------------------------------------------------------------- */

void fakecupti_fail(const char *function, unsigned nth, int result)
{
    pthread_mutex_lock(&cupti.lock);
    cupti.fault.function = function;
    cupti.fault.nth = nth;
    cupti.fault.result = result;
    pthread_mutex_unlock(&cupti.lock);
}

void fakecupti_take(bool taken)
{
    cupti.taken = taken;
}

void fakecupti_reverse(bool reverse)
{
    cupti.reverse = reverse;
}

void fakecupti_no_times(unsigned count)
{
    pthread_mutex_lock(&cupti.lock);
    cupti.no_times = count;
    pthread_mutex_unlock(&cupti.lock);
}

void fakecupti_hold(unsigned most)
{
    cupti.most = most;
}

void fakecupti_reset(void)
{
    pthread_mutex_lock(&cupti.lock);
    cupti.fault.function = NULL;
    cupti.taken = cupti.reverse = false;
    cupti.no_times = cupti.most = 0;
    cupti.version = 130001;
    cupti.dropped = 0;
    free(cupti.calls.records);
    free(cupti.works.records);
    cupti.calls = cupti.works = (struct list){0};
    pthread_mutex_unlock(&cupti.lock);
}

void fakecupti_clear_ids(void)
{
    external_count = 0;
}

void fakecupti_version(unsigned version)
{
    cupti.version = version;
}

unsigned fakecupti_finalized(void)
{
    return cupti.finalized;
}

unsigned fakecupti_enabled(void)
{
    unsigned count = 0;
    for (int i = 0; i < KINDS_MAX; i++)
        count += cupti.enabled[i];
    return count;
}

unsigned fakecupti_buffers(void)
{
    return cupti.buffers;
}

#pragma GCC visibility push(default)

#define CUPTI_SYMBOL(need, field, parameters) CUptiResult field parameters;
#include "../../src/backend_cuda/cupti_symbols.def"
#undef CUPTI_SYMBOL

/* ---- subscription --------------------------------------------------------------------------- */

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    (void)result;
    *text = "CUPTI_ERROR_OF_THE_FAKE";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                           void *data)
{
    CUptiResult result = enter("cuptiSubscribe");
    if (result != CUPTI_SUCCESS)
        return result;
    if (cupti.subscribed || cupti.taken)
        return leave(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    cupti.subscribed = true;
    cupti.subscriber = (struct CUpti_Subscriber_st){callback, data};
    *subscriber = &cupti.subscriber;
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    CUptiResult result = enter("cuptiUnsubscribe");
    if (result != CUPTI_SUCCESS)
        return result;
    if (subscriber != &cupti.subscriber || !cupti.subscribed)
        script_violation("cuptiUnsubscribe of no subscriber");
    cupti.subscribed = cupti.callback = false;
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, int32_t domain,
                                uint32_t id)
{
    CUptiResult result = enter("cuptiEnableCallback");
    if (result != CUPTI_SUCCESS)
        return result;
    if (subscriber != &cupti.subscriber || domain != CUPTI_CB_DOMAIN_RESOURCE ||
        id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)
        return leave(CUPTI_ERROR_INVALID_PARAMETER);
    cupti.callback = enable;
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
    CUptiResult result = enter("cuptiGetGraphNodeId");
    if (result != CUPTI_SUCCESS)
        return result;
    *id = node_of(node);
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
    *version = cupti.version;
    return CUPTI_SUCCESS;
}

/* It forgets what it was told. */
CUptiResult cuptiFinalize(void)
{
    CUptiResult result = enter("cuptiFinalize");
    if (result != CUPTI_SUCCESS)
        return result;
    if (cupti.subscribed)
        script_violation("cuptiFinalize with a subscriber");
    cupti.request = NULL;
    cupti.complete = NULL;
    cupti.now = NULL;
    cupti.finalized++;
    return leave(CUPTI_SUCCESS);
}

/* ---- records -------------------------------------------------------------------------------- */

CUptiResult cuptiActivityEnable(int32_t kind)
{
    CUptiResult result = enter("cuptiActivityEnable");
    if (result != CUPTI_SUCCESS)
        return result;
    if (kind <= 0 || kind >= KINDS_MAX)
        return leave(CUPTI_ERROR_INVALID_KIND);
    if (!cupti.now || !cupti.complete)
        script_violation("cuptiActivityEnable before there are callbacks");
    cupti.enabled[kind] = true;
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityDisable(int32_t kind)
{
    CUptiResult result = enter("cuptiActivityDisable");
    if (result != CUPTI_SUCCESS)
        return result;
    cupti.enabled[kind] = false;
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable)
{
    (void)id, (void)enable;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete)
{
    CUptiResult result = enter("cuptiActivityRegisterCallbacks");
    if (result != CUPTI_SUCCESS)
        return result;
    cupti.request = request;
    cupti.complete = complete;
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc now)
{
    CUptiResult result = enter("cuptiActivityRegisterTimestampCallback");
    if (result != CUPTI_SUCCESS)
        return result;
    cupti.now = now;
    return leave(CUPTI_SUCCESS);
}

/* Records of all kinds are as long as the longest. */
CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t size, CUpti_Activity **record)
{
    CUptiResult result = enter("cuptiActivityGetNextRecord");
    if (result != CUPTI_SUCCESS)
        return result;
    uint8_t *next = *record ? (uint8_t *)*record + sizeof(union any_record) : buffer;
    if (next >= buffer + size)
        return leave(CUPTI_ERROR_MAX_LIMIT_REACHED);
    *record = (CUpti_Activity *)(void *)next;
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    CUptiResult result = enter("cuptiActivityGetNumDroppedRecords");
    (void)context, (void)stream;
    if (result != CUPTI_SUCCESS)
        return result;
    *dropped = cupti.dropped;
    cupti.dropped = 0;
    return leave(CUPTI_SUCCESS);
}

struct buffer {
    uint8_t *bytes;
    size_t size, used;
};

/* Fills one more buffer, and drops the rest if there is none. */
static bool fill_buffer(const struct list *list, size_t *at, struct buffer *out)
{
    size_t most = 0, used = 0;
    cupti.request(&out->bytes, &out->size, &most);
    if (!out->bytes || (uintptr_t)out->bytes % 8 != 0 || out->size < sizeof *list->records) {
        pthread_mutex_lock(&cupti.lock);
        cupti.dropped += list->count - *at;
        pthread_mutex_unlock(&cupti.lock);
        return false;
    }
    cupti.buffers++;
    for (unsigned n = 0; *at < list->count && used + sizeof *list->records <= out->size &&
                         (cupti.most == 0 || n < cupti.most);
         ++*at, n++) {
        memcpy(out->bytes + used, &list->records[*at], sizeof *list->records);
        used += sizeof *list->records;
    }
    out->used = used;
    return true;
}

static void complete(const struct buffer *buffer)
{
    cupti.buffers--;
    cupti.complete(NULL, 0, buffer->bytes, buffer->size, buffer->used);
}

/* Called without the lock: the user's functions call CUPTI. */
static void deliver(struct list *list)
{
    struct buffer *held = calloc(list->count + 1, sizeof *held);
    size_t count = 0;
    for (size_t at = 0; held && at < list->count && fill_buffer(list, &at, &held[count]);) {
        if (cupti.most > 0)
            count++;
        else
            complete(&held[count]);
    }
    for (size_t i = 0; i < count; i++)
        complete(&held[i]);
    free(held);
    free(list->records);
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    CUptiResult result = enter("cuptiActivityFlushAll");
    (void)flag;
    if (result != CUPTI_SUCCESS)
        return result;
    struct list calls = cupti.calls, works = cupti.works;
    bool reverse = cupti.reverse;
    cupti.calls = cupti.works = (struct list){0};
    leave(CUPTI_SUCCESS);
    deliver(reverse ? &works : &calls);
    deliver(reverse ? &calls : &works);
    return CUPTI_SUCCESS;
}

/* ---- what records belong to ----------------------------------------------------------------- */

CUptiResult cuptiActivityPushExternalCorrelationId(int32_t kind, uint64_t id)
{
    CUptiResult result = enter("cuptiActivityPushExternalCorrelationId");
    if (result != CUPTI_SUCCESS)
        return result;
    if (kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 || external_count == EXTERNALS_MAX)
        return leave(CUPTI_ERROR_INVALID_PARAMETER);
    externals[external_count++] = id;
    return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityPopExternalCorrelationId(int32_t kind, uint64_t *last)
{
    CUptiResult result = enter("cuptiActivityPopExternalCorrelationId");
    (void)kind;
    if (result != CUPTI_SUCCESS)
        return result;
    if (external_count == 0) {
        script_violation("cuptiActivityPopExternalCorrelationId without an id");
        return leave(CUPTI_ERROR_QUEUE_EMPTY);
    }
    external_count--;
    if (last)
        *last = externals[external_count];
    return leave(CUPTI_SUCCESS);
}

#pragma GCC visibility pop
