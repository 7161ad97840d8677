/* Owns the log: threshold, mask, destination, and the shape of a line. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_MAX = 4096, LINE_MAX_BYTES = MESSAGE_MAX + 256 };

int ah_log_threshold;
int ah_log_mask = AH_LOG_DEFAULT_MASK;

static struct {
    pthread_mutex_t lock; /* guards the fields below and keeps lines whole */
    int file;             /* -1: stderr */
    size_t size;
    size_t max_size;
} log_state = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

/* In the child of a fork the lock may be held by a thread that is not there, and its holder may
 * have been within stdio: the child takes no lock, and writes every line by one write(2). */
static _Atomic(bool) is_child;

static void mark_child(void)
{
    atomic_store(&is_child, true);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, mark_child);
}

static void lock_log(void)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    pthread_once(&watched, watch_forks);
    if (!atomic_load_explicit(&is_child, memory_order_relaxed))
        pthread_mutex_lock(&log_state.lock);
}

static void unlock_log(void)
{
    if (!atomic_load_explicit(&is_child, memory_order_relaxed))
        pthread_mutex_unlock(&log_state.lock);
}

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

/* Others may be able to write to the folder of the file and know its name beforehand: files that
 * are not regular are not written to, and opening never waits for a pipe. */
static int open_log(const char *path)
{
    struct stat about;
    int file = open(
        path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
    int error = errno;
    if (file >= 0 && (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))) {
        close(file);
        file = -1;
        error = EINVAL;
    }
    if (file < 0)
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "cannot open the log file %s (%s): logging to stderr instead; check "
                      "AMD_LOG_LEVEL_FILE or log.file",
                      path,
                      error == ELOOP    ? "it is a symbolic link, which is not followed"
                      : error == EINVAL ? "it is not a regular file"
                                        : strerror(error));
    return file;
}

void ah_log_close(void)
{
    lock_log();
    if (log_state.file >= 0)
        close(log_state.file);
    log_state.file = -1;
    unlock_log();
}

void ah_log_configure(const struct ah_log_settings *settings)
{
    ah_log_close();
    ah_log_mask = settings->mask;
    if (settings->file && settings->level > AH_LOG_NONE) {
        char *path = NULL;
        if (asprintf(&path, "%s_%d", settings->file, (int)getpid()) < 0)
            path = NULL;
        int file = path ? open_log(path) : -1;
        off_t end = file >= 0 ? lseek(file, 0, SEEK_END) : 0;
        free(path);
        lock_log();
        log_state.file = file;
        log_state.size = end > 0 ? (size_t)end : 0;
        log_state.max_size = settings->max_size_mib << 20;
        unlock_log();
    }
    ah_log_threshold = settings->level;
}

/* Empties the file when it has grown past its limit. Called with the lock held; a child does not
 * come here, since the file and its size belong to its parent. */
static void limit_size(size_t line_length)
{
    log_state.size += line_length;
    if (log_state.max_size && log_state.size > log_state.max_size &&
        ftruncate(log_state.file, 0) == 0)
        log_state.size = 0;
}

/* Text that cannot be written is lost, since there is nowhere to report it. */
static void write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
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

    lock_log();
    int out = log_state.file >= 0 ? log_state.file : STDERR_FILENO;
    green = green && isatty(out);
    int length =
        snprintf(text, sizeof text, ":%d:%-25s:%-4d: %010" PRIu64 " us: %s %s%s%s\n", (int)level,
                 located ? base_name(file) : "", located ? line : 0, monotonic_microseconds(),
                 where, green ? "\033[32m" : "", message, green ? "\033[0m" : "");
    if (length >= (int)sizeof text) {
        length = (int)sizeof text - 1;
        text[length - 1] = '\n';
    }
    write_all(out, text, (size_t)length);
    if (log_state.file >= 0 && !atomic_load_explicit(&is_child, memory_order_relaxed))
        limit_size((size_t)length);
    unlock_log();
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
