/* Owns the records of the calls that AMD's tracer has been told of and that have not ended, and
 * their arguments in the layout that it has. */
#include "tracer.h"

#include "api.h"
#include "api_ids.h"

#include <hip/anyhip.h>
#include <hip/hip_deprecated.h>
#include <hip/hip_ext.h>
#include <hip/hip_gl_interop.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <hip/api/per_thread_default_stream.h>
#include <hip/api/registration.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#undef hipGetDeviceProperties
#undef hipChooseDevice

/* ---- arguments ----------------------------------------------------------------------------- */

/* Where an argument lies in the structure of values, and where in the tracer's. */
struct move {
    uint16_t from, to;
    uint8_t size;
    bool is_text; /* the tracer may look at it after the call */
};

#define MOVE(function, argument, text)                                                             \
    {offsetof(struct values_##function, argument), offsetof(struct traced_##function, argument),   \
     sizeof(((struct values_##function *)NULL)->argument), text},
#include "traced_arguments.h"

_Static_assert(sizeof(struct traced_hipChooseDeviceR0600) == ROCTRACER_ARGUMENTS_SIZE,
               "the structure of arguments");

static void move_arguments(unsigned char *to, int id, const void *values)
{
    for (size_t i = first_move[id]; i < first_move[id + 1]; i++) {
        const struct move *move = &moves[i];
        memcpy(to + move->to, (const char *)values + move->from, move->size);
        if (move->is_text) {
            const char *text;
            memcpy(&text, to + move->to, sizeof text);
            text = ah_tracer_keep(text);
            memcpy(to + move->to, &text, sizeof text);
        }
    }
}

/* By enum ah_api_id; 0: the tracer has no number for it. */
static const uint16_t numbers[AH_API_ID_COUNT] = {
#define AH_TRACER_ID(number, name) [AH_API_ID_##name] = number,
#include "tracer_ids.def"
};

/* ---- calls --------------------------------------------------------------------------------- */

/* A call that the tracer knows of; one thread's, the innermost first. If the tracer unregisters
 * itself during the call, the record stays until the thread's next call that is reported. */
struct reported {
    struct roctracer_call call;
    uint64_t of; /* struct ah_call's correlation */
    struct reported *outer;
};

struct thread_calls {
    struct reported *innermost, *unused;
};

static pthread_key_t key;
static _Thread_local struct thread_calls *thread_calls;

static void free_list(struct reported *list)
{
    while (list) {
        struct reported *next = list->outer;
        free(list);
        list = next;
    }
}

static void free_calls(void *value)
{
    struct thread_calls *calls = value;
    free_list(calls->innermost);
    free_list(calls->unused);
    thread_calls = NULL;
    free(calls);
}

static void make_key(void)
{
    pthread_key_create(&key, free_calls);
}

static struct thread_calls *calls_of_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!thread_calls) {
        pthread_once(&once, make_key);
        thread_calls = calloc(1, sizeof *thread_calls);
        if (thread_calls)
            pthread_setspecific(key, thread_calls);
    }
    return thread_calls;
}

static struct reported *take(struct thread_calls *calls)
{
    struct reported *reported = calls->unused;
    if (reported)
        calls->unused = reported->outer;
    else
        reported = malloc(sizeof *reported);
    return reported;
}

static void give_back(struct thread_calls *calls, struct reported *reported)
{
    reported->outer = calls->unused;
    calls->unused = reported;
}

static bool is_under_way(uint64_t correlation, const struct ah_call *innermost)
{
    const struct ah_call *call = innermost;
    while (call && call->correlation != correlation)
        call = call->outer;
    return call;
}

static void forget_ended(struct thread_calls *calls, const struct ah_call *innermost)
{
    while (calls->innermost && !is_under_way(calls->innermost->of, innermost)) {
        struct reported *ended = calls->innermost;
        calls->innermost = ended->outer;
        give_back(calls, ended);
    }
}

uint64_t ah_tracer_correlation(void)
{
    return thread_calls && thread_calls->innermost ? thread_calls->innermost->call.correlation : 0;
}

static void report(struct thread_calls *calls, struct reported *reported,
                   const struct ah_call *call)
{
    uint32_t number = numbers[call->id];
    reported->of = call->correlation;
    reported->outer = calls->innermost;
    calls->innermost = reported;
    if (!reported->call.phase_enter)
        return;
    memset(reported->call.arguments, 0, sizeof reported->call.arguments);
    if (call->values)
        move_arguments(reported->call.arguments, call->id, call->values);
    reported->call.phase_enter(number, &reported->call);
}

void ah_tracer_call_enters(const struct ah_call *call)
{
    roctracer_callback *callback = ah_tracer_callback();
    if (thread_calls)
        forget_ended(thread_calls, call);
    if (!callback || call->id < 0 || numbers[call->id] == 0 ||
        numbers[call->id] > ah_tracer_last_number())
        return;
    struct thread_calls *calls = calls_of_thread();
    struct reported *reported = calls ? take(calls) : NULL;
    if (!reported)
        return;
    reported->call.phase_enter = reported->call.phase_exit = NULL;
    if (callback(ROCTRACER_HIP_API, numbers[call->id], &reported->call) == 0)
        report(calls, reported, call);
    else
        give_back(calls, reported);
}

void ah_tracer_call_leaves(const struct ah_call *call)
{
    struct reported *reported = thread_calls ? thread_calls->innermost : NULL;
    if (!reported || reported->of != call->correlation)
        return;
    if (reported->call.phase_exit)
        reported->call.phase_exit(numbers[call->id], &reported->call);
    thread_calls->innermost = reported->outer;
    give_back(thread_calls, reported);
}
