/* Owns the slow half of the API boundary: initialisation, the log of calls, and that observers are
 * told of them. */
#include "api.h"
#include "api_shared.h"
#include "clocks.h"
#include "runtime.h"

#include <stdio.h>

// The first of them in the order of linking: together they fill less than a line of the cache.
AH_LAUNCH_DATA _Alignas(64) _Atomic(int) ah_api_state = AH_API_UNINITIALISED;

static void (*(*_Atomic redirect)(int id))(void);

void ah_api_update_state(void)
{
    bool observed = ah_log_on(AH_LOG_INFO, AH_LOG_API) || ah_observe_calls() ||
                    atomic_load_explicit(&redirect, memory_order_relaxed);
    atomic_store_explicit(&ah_api_state, observed ? AH_API_OBSERVED : AH_API_QUIET,
                          memory_order_release);
    ah_submit_update();
}

static int print_argument(char *out, size_t size, const struct ah_api_arg *arg)
{
    switch (arg->kind) {
    case AH_ARG_SIGNED:
        return snprintf(out, size, "%lld", arg->as_signed);
    case AH_ARG_UNSIGNED:
        return snprintf(out, size, "%llu", arg->as_unsigned);
    case AH_ARG_FLOAT:
        return snprintf(out, size, "%g", arg->as_float);
    case AH_ARG_TEXT:
        return snprintf(out, size, "%s", arg->as_text ? arg->as_text : "<null>");
    case AH_ARG_DIM3:
        return snprintf(out, size, "{%u,%u,%u}", arg->as_dim3.x, arg->as_dim3.y, arg->as_dim3.z);
    case AH_ARG_POINTER:
        break;
    }
    return arg->as_pointer ? snprintf(out, size, "%p", arg->as_pointer)
                           : snprintf(out, size, "<null>");
}

static void log_call(const char *function, const struct ah_api_arg *args, int count)
{
    char text[1024];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < sizeof text; i++) {
        if (i > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, ", ");
        if (used < sizeof text)
            used += (size_t)print_argument(text + used, sizeof text - used, &args[i]);
    }
    ah_log_write_api(__FILE__, __LINE__, " %s ( %s ) ", function, text);
}

/* The child has one thread. Whatever the others were doing in the library is never finished. */
static void mark_child(void)
{
    atomic_store(&ah_api_state, AH_API_FORKED);
    ah_thread_forked();
}

/* If a process forks before its first call, the child may make that call. */
static void register_fork_handler(void)
{
    if (pthread_atfork(NULL, NULL, mark_child) != 0)
        AH_LOG_NOTICE(AH_LOG_WARNING, "no memory to notice fork: a child of this process must not "
                                      "use HIP");
}

static void init_once(void)
{
    static const struct ah_dependent *const dependents[] = {
        &ah_launch_dependent, &ah_pool_dependent, &ah_texture_dependent, &ah_reference_dependent,
        &ah_graphics_dependent};
    register_fork_handler();
    for (size_t i = 0; i < sizeof dependents / sizeof *dependents; i++)
        ah_lifetime_add(dependents[i]);
}

static void (*at_start[4])(void);
static size_t at_start_count;

void ah_api_at_start(void (*function)(void))
{
    at_start[at_start_count++] = function;
}

static void start_observers(void)
{
    for (size_t i = 0; i < at_start_count; i++)
        at_start[i]();
}

void ah_api_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT, started = PTHREAD_ONCE_INIT;
    static _Thread_local bool starting;
    if (starting)
        return; // a tool that start_observers has loaded calls HIP: everything else is there
    pthread_once(&once, init_once);
    ah_registry_init();
    starting = true;
    pthread_once(&started, start_observers);
    starting = false;
    ah_api_update_state();
}

void ah_api_redirect(void (*(*function)(int id))(void))
{
    atomic_store_explicit(&redirect, function, memory_order_release);
}

void (*ah_api_instead(int id))(void)
{
    void (*(*function)(int id))(void) = atomic_load_explicit(&redirect, memory_order_acquire);
    return function && !ah_api_forked() ? function(id) : NULL;
}

/* When a call began that initialises the library, which is a part of it; 0: it is initialised. */
static uint64_t initialise(void)
{
    if (atomic_load_explicit(&ah_api_state, memory_order_acquire) != AH_API_UNINITIALISED)
        return 0;
    uint64_t begin = ah_clock_now();
    ah_api_init();
    return begin;
}

static bool enter(const char *function, const struct ah_api_arg *args, int count,
                  const void *values, uint64_t begin)
{
    if (ah_log_on(AH_LOG_INFO, AH_LOG_API))
        log_call(function, args, count);
    if (ah_api_forked())
        return false;
    if (ah_observe_calls())
        ah_observe_enter(function, ah_api_id(function), args, count, values, begin);
    return true;
}

bool ah_api_enter(const char *function, const struct ah_api_arg *args, int count,
                  const void *values)
{
    return enter(function, args, count, values, initialise());
}

struct ah_entry ah_api_enter_or_redirect(const char *function, const struct ah_api_arg *args,
                                         int count, const void *values)
{
    uint64_t begin = initialise();
    if (atomic_load_explicit(&redirect, memory_order_relaxed)) {
        void (*instead)(void) = ah_api_instead(ah_api_id(function));
        if (instead)
            return (struct ah_entry){.instead = instead}; // logged when it calls the original
    }
    return (struct ah_entry){.refused = !enter(function, args, count, values, begin)};
}

void ah_api_leave(const char *function, hipError_t error)
{
    AH_LOG(AH_LOG_INFO, AH_LOG_API, "%s: Returned %s : ", function, ah_error_name(error));
    if (!ah_api_forked())
        ah_observe_leave(function, error, true);
}

void ah_api_leave_silently(const char *function)
{
    if (!ah_api_forked())
        ah_observe_leave(function, hipSuccess, false);
}
