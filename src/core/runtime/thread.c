/* Owns the per-thread state and its end. */
#include "thread.h"
#include "observe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Thread_local struct ah_thread ah_thread;

static pthread_key_t extra_key;
static pthread_once_t extra_once = PTHREAD_ONCE_INIT;
static _Atomic bool forked;

void ah_thread_forked(void)
{
    atomic_store(&forked, true);
}

static void free_calls(struct ah_call *calls)
{
    while (calls) {
        struct ah_call *call = calls;
        calls = call->outer;
        free(call);
    }
}

static void free_extra(void *value)
{
    struct ah_thread_extra *extra = value;
    if (extra->end_captures && !atomic_load(&forked))
        extra->end_captures();
    if (extra->streams && !atomic_load(&forked))
        extra->end_streams(extra->streams);
    free(extra->configs);
    free(extra->contexts);
    free(extra->arguments);
    free_calls(extra->free_calls);
    free_calls(ah_thread.call); /* whose end was not reported */
    ah_thread.call = NULL;
    free(extra);
    ah_thread.extra = NULL;
}

static void make_key(void)
{
    pthread_key_create(&extra_key, free_extra);
}

struct ah_thread_extra *ah_thread_extra(void)
{
    if (!ah_thread.extra) {
        pthread_once(&extra_once, make_key);
        ah_thread.extra = calloc(1, sizeof *ah_thread.extra);
        if (ah_thread.extra)
            pthread_setspecific(extra_key, ah_thread.extra);
    }
    return ah_thread.extra;
}
