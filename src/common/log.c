/* Owns the log: threshold, mask, destination, and the shape of a line. */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_MAX = 4096, LINE_MAX_BYTES = MESSAGE_MAX + 256 };

int ah_log_threshold;
int ah_log_mask = AH_LOG_DEFAULT_MASK;

static struct {
    pthread_mutex_t lock; /* guards the fields below and keeps lines whole */
    FILE *file;           /* NULL: stderr */
    char *path;
    size_t size;
    size_t max_size;
} log_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static uint64_t monotonic_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static FILE *open_log(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (!file)
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "cannot open the log file %s (%s): logging to stderr instead; check "
                      "AMD_LOG_LEVEL_FILE or log.file",
                      path, strerror(errno));
    return file;
}

void ah_log_close(void)
{
    pthread_mutex_lock(&log_state.lock);
    if (log_state.file)
        fclose(log_state.file);
    free(log_state.path);
    log_state.file = NULL;
    log_state.path = NULL;
    pthread_mutex_unlock(&log_state.lock);
}

void ah_log_configure(const struct ah_log_settings *settings)
{
    ah_log_close();
    ah_log_mask = settings->mask;
    if (settings->file && settings->level > AH_LOG_NONE) {
        char *path = NULL;
        if (asprintf(&path, "%s_%d", settings->file, (int)getpid()) < 0)
            path = NULL;
        FILE *file = path ? open_log(path, "ae") : NULL;
        pthread_mutex_lock(&log_state.lock);
        log_state.file = file;
        log_state.path = path;
        log_state.size = file ? (size_t)ftell(file) : 0;
        log_state.max_size = settings->max_size_mib << 20;
        pthread_mutex_unlock(&log_state.lock);
    }
    ah_log_threshold = settings->level;
}

/* Starts the file anew when it has grown past its limit. Called with the lock held. */
static void limit_size(size_t line_length)
{
    log_state.size += line_length;
    if (!log_state.max_size || log_state.size <= log_state.max_size)
        return;
    FILE *fresh = freopen(log_state.path, "we", log_state.file);
    log_state.file = fresh;
    log_state.size = 0;
}

static void write_line(enum ah_log_level level, const char *file, int line, bool green,
                       const char *format, va_list args)
{
    char message[MESSAGE_MAX];
    char where[64] = "";
    char text[LINE_MAX_BYTES];
    int saved_errno = errno;

    vsnprintf(message, sizeof message, format, args);
    if (ah_log_threshold >= AH_LOG_DEBUG)
        snprintf(where, sizeof where, "[pid:%d tid: 0x%05lx]", (int)getpid(),
                 (unsigned long)syscall(SYS_gettid));
    bool located = (ah_log_mask & AH_LOG_LOCATION) != 0;

    pthread_mutex_lock(&log_state.lock);
    FILE *out = log_state.file ? log_state.file : stderr;
    green = green && isatty(fileno(out));
    int length =
        snprintf(text, sizeof text, ":%d:%-25s:%-4d: %010" PRIu64 " us: %s %s%s%s\n", (int)level,
                 located ? base_name(file) : "", located ? line : 0, monotonic_microseconds(),
                 where, green ? "\033[32m" : "", message, green ? "\033[0m" : "");
    if (length >= (int)sizeof text) {
        length = (int)sizeof text - 1;
        text[length - 1] = '\n';
    }
    fwrite(text, 1, (size_t)length, out);
    fflush(out);
    if (log_state.file)
        limit_size((size_t)length);
    pthread_mutex_unlock(&log_state.lock);
    errno = saved_errno;
}

void ah_log_write(enum ah_log_level level, const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line(level, file, line, false, format, args);
    va_end(args);
}

void ah_log_write_api(const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line(AH_LOG_INFO, file, line, true, format, args);
    va_end(args);
}
