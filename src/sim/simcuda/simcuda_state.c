/* Owns the beginning and end of calls: the start and the end of the driver, forked processes,
 * callbacks; and the log of errors of programs. */
#include "simcuda_driver.h"
#include "simcuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct simcuda simcuda = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
_Thread_local struct simcuda_thread simcuda_thread;
struct simcuda_script simcuda_script;

static const char *const names[] = {
#define SIMCUDA_SYMBOL(field, name, parameters) name,
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
};

/* Takes every function's address, so that a missing one does not link. */
__attribute__((used)) static void (*const functions[])(void) = {
#define SIMCUDA_SYMBOL(field, name, parameters) (void (*)(void)) simcuda_##field,
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
};

/* ---- calls -------------------------------------------------------------------- */

static bool needs_no_start(enum simcuda_call call)
{
    return call == SIMCUDA_CALL_cuInit || call == SIMCUDA_CALL_anyhipSimConfigure ||
           call == SIMCUDA_CALL_cuDriverGetVersion || call == SIMCUDA_CALL_cuGetErrorName ||
           call == SIMCUDA_CALL_cuGetErrorString || call == SIMCUDA_CALL_cuGetProcAddress ||
           call == SIMCUDA_CALL_cuGetExportTable;
}

/* The driver does not survive a fork: its threads do not exist in the child, and any of them may
 * hold the lock. */
static void mark_child(void)
{
    atomic_store(&simcuda.forked, true);
}

static void register_child(void)
{
    pthread_atfork(NULL, NULL, mark_child);
}

void simcuda_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_child);
}

CUresult simcuda_enter(enum simcuda_call call)
{
    if (atomic_load(&simcuda.deinitialised))
        return CUDA_ERROR_DEINITIALIZED;
    if (atomic_load(&simcuda.forked))
        return CUDA_ERROR_NOT_INITIALIZED;
    CUresult result = simcuda_script.call ? simcuda_script.call(names[call]) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return result;
    if (simcuda_thread.in_callback && !needs_no_start(call)) {
        simcuda_violation("%s called from a callback", names[call]);
        return CUDA_ERROR_NOT_PERMITTED;
    }
    simcuda_thread.inside = true;
    pthread_mutex_lock(&simcuda.lock);
    return simcuda.initialised || needs_no_start(call) ? CUDA_SUCCESS
                                                       : simcuda_leave(CUDA_ERROR_NOT_INITIALIZED);
}

CUresult simcuda_leave(CUresult result)
{
    pthread_mutex_unlock(&simcuda.lock);
    simcuda_thread.inside = false;
    return result;
}

/* ---- the end -------------------------------------------------------------------- */

/* The process ends: the output of kernels is still written, and everything else ends with the
 * process. */
__attribute__((destructor)) static void end_of_process(void)
{
    atomic_store(&simcuda.deinitialised, true);
    if (!simcuda.initialised || atomic_load(&simcuda.forked) ||
        pthread_mutex_trylock(&simcuda.lock) != 0)
        return;
    for (struct simcuda_context *at = simcuda.contexts; at; at = at->next)
        simcuda_print_flush(at);
    pthread_mutex_unlock(&simcuda.lock);
}

/* ---- the log -------------------------------------------------------------------- */

void simcuda_violation(const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    AH_LOG_WARN("simulated CUDA driver: %s", text);
    if (simcuda_script.violation)
        simcuda_script.violation(text);
}

void simcuda_log_line(struct ptx_log *log, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (length < 0)
        return;
    size_t size = (size_t)length < sizeof line - 2 ? (size_t)length : sizeof line - 2;
    line[size++] = '\n';
    line[size] = '\0';
    log->errors++;
    if (log->text && log->capacity - log->length > size) {
        memcpy(log->text + log->length, line, size + 1);
        log->length += size;
    }
}
