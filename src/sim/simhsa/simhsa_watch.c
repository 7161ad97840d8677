/* Owns the threads that wait for signals on behalf of others: one that calls functions of the
 * program, and one for copies that depend on signals. */
#include "simhsa_runtime.h"

#include <stdlib.h>

/* A thread waits for all of its watches at once, and for a signal of its own that announces
 * changes. Only the thread uses the arrays. */
struct watcher {
    pthread_mutex_t lock; /* of the fields up to the next blank */
    pthread_t thread;
    bool runs, ends;
    struct simhsa_watch *added; /* newest first */

    amd_signal_t *news;
    size_t count, capacity;
    struct simhsa_watch **watches; /* the first is NULL: changes */
    amd_signal_t **signals;
    hsa_signal_condition_t *conditions;
    int64_t *compare;
};
static struct watcher watchers[SIMHSA_WATCHERS] = {
    {.lock = PTHREAD_MUTEX_INITIALIZER},
    {.lock = PTHREAD_MUTEX_INITIALIZER},
};

/* ---- on the thread --------------------------------------------------------------------------- */

static bool grow(struct watcher *watcher)
{
    size_t capacity = watcher->capacity ? 2 * watcher->capacity : 64;
    void *watches = realloc(watcher->watches, capacity * sizeof *watcher->watches);
    watcher->watches = watches ? watches : watcher->watches;
    void *signals = realloc(watcher->signals, capacity * sizeof *watcher->signals);
    watcher->signals = signals ? signals : watcher->signals;
    void *conditions = realloc(watcher->conditions, capacity * sizeof *watcher->conditions);
    watcher->conditions = conditions ? conditions : watcher->conditions;
    void *compare = realloc(watcher->compare, capacity * sizeof *watcher->compare);
    watcher->compare = compare ? compare : watcher->compare;
    if (!watches || !signals || !conditions || !compare)
        return false;
    watcher->capacity = capacity;
    return true;
}

static bool put(struct watcher *watcher, struct simhsa_watch *watch, amd_signal_t *signal,
                hsa_signal_condition_t condition, int64_t compare)
{
    if (watcher->count == watcher->capacity && !grow(watcher))
        return false;
    watcher->watches[watcher->count] = watch;
    watcher->signals[watcher->count] = signal;
    watcher->conditions[watcher->count] = condition;
    watcher->compare[watcher->count++] = compare;
    return true;
}

/* Takes over the watches that were added, in order, and calls those whose conditions are met.
 * False: the thread has to end. */
static bool take_changes(struct watcher *watcher)
{
    struct simhsa_watch *newest, *first = NULL;
    amdgpu_signal_store(watcher->news, 0);
    pthread_mutex_lock(&watcher->lock);
    newest = watcher->added;
    watcher->added = NULL;
    bool ends = watcher->ends;
    pthread_mutex_unlock(&watcher->lock);
    while (newest) {
        struct simhsa_watch *next = newest->next;
        newest->next = first;
        first = newest;
        newest = next;
    }
    while (first) {
        struct simhsa_watch *watch = first;
        first = watch->next;
        if (!watch->signal)
            watch->met(watch, 0);
        else if (!put(watcher, watch, watch->signal, watch->condition, watch->compare))
            watch->gone(watch);
    }
    return !ends;
}

/* Whether to keep watching; if not, the watch belongs to the callee again. */
static bool check_watch(struct simhsa_watch *watch)
{
    int64_t value = amdgpu_signal_load(watch->signal);
    if (!simhsa_signal_is_live(watch->signal)) {
        watch->gone(watch);
        return false;
    }
    return !amdgpu_signal_satisfies(value, watch->condition, watch->compare) ||
           watch->met(watch, value);
}

static void check_watches(struct watcher *watcher)
{
    size_t left = 1;
    for (size_t i = 1; i < watcher->count; i++) {
        if (!check_watch(watcher->watches[i]))
            continue;
        watcher->watches[left] = watcher->watches[i];
        watcher->signals[left] = watcher->signals[i];
        watcher->conditions[left] = watcher->conditions[i];
        watcher->compare[left++] = watcher->compare[i];
    }
    watcher->count = left;
}

static void *run(void *data)
{
    struct watcher *watcher = data;
    int64_t value;
    simhsa_own_thread = true;
    while (take_changes(watcher)) {
        check_watches(watcher);
        amdgpu_signal_wait(watcher->signals, watcher->conditions, watcher->compare, watcher->count,
                           UINT64_MAX, &value);
    }
    while (watcher->count > 1) {
        struct simhsa_watch *watch = watcher->watches[--watcher->count];
        watch->gone(watch);
    }
    watcher->count = 0;
    return NULL;
}

/* ---- from outside ------------------------------------------------------------------ */

/* Under the lock. */
static bool start(struct watcher *watcher)
{
    if (watcher->runs)
        return true;
    if (!watcher->news)
        watcher->news = simhsa_signal_new(0, true);
    if (!watcher->news)
        return false;
    watcher->ends = false;
    watcher->count = 0;
    watcher->runs = put(watcher, NULL, watcher->news, HSA_SIGNAL_CONDITION_NE, 0) &&
                    pthread_create(&watcher->thread, NULL, run, watcher) == 0;
    return watcher->runs;
}

bool simhsa_watch(enum simhsa_watcher which, struct simhsa_watch *watch)
{
    struct watcher *watcher = &watchers[which];
    pthread_mutex_lock(&watcher->lock);
    bool runs = start(watcher);
    if (runs) {
        watch->next = watcher->added;
        watcher->added = watch;
    }
    pthread_mutex_unlock(&watcher->lock);
    if (runs)
        amdgpu_signal_store(watcher->news, 1);
    return runs;
}

void simhsa_watchers_poll(void)
{
    for (int i = 0; i < SIMHSA_WATCHERS; i++) {
        pthread_mutex_lock(&watchers[i].lock);
        amd_signal_t *news = watchers[i].runs ? watchers[i].news : NULL;
        pthread_mutex_unlock(&watchers[i].lock);
        if (news)
            amdgpu_signal_store(news, 1);
    }
}

void simhsa_watchers_close(void)
{
    for (int i = 0; i < SIMHSA_WATCHERS; i++) {
        struct watcher *watcher = &watchers[i];
        pthread_mutex_lock(&watcher->lock);
        bool runs = watcher->runs;
        watcher->ends = true;
        pthread_mutex_unlock(&watcher->lock);
        if (!runs)
            continue;
        amdgpu_signal_store(watcher->news, 1);
        pthread_join(watcher->thread, NULL);
        watcher->runs = false;
        simhsa_signal_free(watcher->news);
        watcher->news = NULL;
    }
}

/* ---- handlers of the program ------------------------------------------------------- */

struct handler {
    struct simhsa_watch watch;
    hsa_amd_signal_handler function;
    void *data;
};

static void handler_gone(struct simhsa_watch *watch)
{
    simhsa_signal_release(watch->signal);
    free(watch);
}

static bool handler_met(struct simhsa_watch *watch, int64_t value)
{
    struct handler *handler = (struct handler *)(void *)watch; /* its first member */
    if (handler->function(value, handler->data))
        return true;
    handler_gone(watch);
    return false;
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t handle, hsa_signal_condition_t cond,
                                          hsa_signal_value_t value, hsa_amd_signal_handler handler,
                                          void *arg)
{
    SIMHSA_ENTER();
    if (!handler || cond > HSA_SIGNAL_CONDITION_GTE)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd_signal_t *signal = simhsa_signal_retain(handle);
    if (!signal)
        return simhsa_signal_error(handle);
    if (simhsa_signal_is_busy(signal)) {
        simhsa_signal_release(signal);
        return HSA_STATUS_ERROR_INVALID_SIGNAL;
    }
    struct handler *made = malloc(sizeof *made);
    if (made)
        *made = (struct handler){
            .watch = {NULL, signal, cond, value, handler_met, handler_gone},
            .function = handler,
            .data = arg,
        };
    if (made && simhsa_watch(SIMHSA_WATCH_HANDLERS, &made->watch))
        return HSA_STATUS_SUCCESS;
    simhsa_signal_release(signal);
    free(made);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

struct call {
    struct simhsa_watch watch;
    void (*function)(void *data);
    void *data;
};

static bool call_now(struct simhsa_watch *watch, int64_t value)
{
    struct call *call = (struct call *)(void *)watch; /* its first member */
    (void)value;
    call->function(call->data);
    free(call);
    return false;
}

bool simhsa_call_later(void (*function)(void *data), void *data)
{
    struct call *call = malloc(sizeof *call);
    if (!call)
        return false;
    *call = (struct call){.watch.met = call_now, .function = function, .data = data};
    if (simhsa_watch(SIMHSA_WATCH_HANDLERS, &call->watch))
        return true;
    free(call);
    return false;
}

hsa_status_t hsa_amd_async_function(void (*callback)(void *), void *arg)
{
    SIMHSA_ENTER();
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return simhsa_call_later(callback, arg) ? HSA_STATUS_SUCCESS
                                            : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}
