/* Logging as ROCm prints it: AMD_LOG_LEVEL, AMD_LOG_MASK, AMD_LOG_LEVEL_FILE.
 *
 * A line is written when its level is at most the threshold and its category
 * is in the mask; arguments are not evaluated otherwise. Lines follow ROCm 6:
 *   :<level>:<file, 25 wide>:<line, 4 wide>: <microseconds> us: [pid: tid:] message
 * File and line are filled in when AH_LOG_LOCATION is in the mask, pid and tid
 * from level 4 on. All functions may be called from any thread, and in the child of a fork, which
 * goes on writing to its parent's log.
 *
 * A log file is opened for appending, is never a symbolic link, and is closed by exec. */
#ifndef AH_LOG_H
#define AH_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum ah_log_level {
    AH_LOG_NONE = 0,
    AH_LOG_ERROR = 1,
    AH_LOG_WARNING = 2,
    AH_LOG_INFO = 3, /* API calls */
    AH_LOG_DEBUG = 4,
    AH_LOG_EXTRA = 5,
};

/* Categories, with ROCm's bit values. AH_LOG_ALWAYS passes every mask. */
enum ah_log_category {
    AH_LOG_API = 0x1,
    AH_LOG_CMD = 0x2,
    AH_LOG_WAIT = 0x4,
    AH_LOG_AQL = 0x8,
    AH_LOG_QUEUE = 0x10,
    AH_LOG_SIG = 0x20,
    AH_LOG_LOCK = 0x40,
    AH_LOG_KERN = 0x80,
    AH_LOG_COPY = 0x100,
    AH_LOG_COPY2 = 0x200,
    AH_LOG_RESOURCE = 0x400,
    AH_LOG_INIT = 0x800,
    AH_LOG_MISC = 0x1000,
    AH_LOG_AQL2 = 0x2000,
    AH_LOG_CODE = 0x4000,
    AH_LOG_CMD2 = 0x8000,
    AH_LOG_LOCATION = 0x10000,
    AH_LOG_MEM = 0x20000,
    AH_LOG_MEM_POOL = 0x40000,
    AH_LOG_TS = 0x80000,
    AH_LOG_COMGR = 0x100000,
    AH_LOG_ALWAYS = -1,
};

#define AH_LOG_DEFAULT_MASK     0x7fffffff
#define AH_LOG_DEFAULT_SIZE_MIB 2048

/* The threshold in force; read by the macro below, written by ah_log_configure. 0 until the library
 * is initialised. */
extern int ah_log_threshold;
extern int ah_log_mask;

struct ah_log_settings {
    int level;           /* AMD_LOG_LEVEL */
    int mask;            /* AMD_LOG_MASK */
    const char *file;    /* AMD_LOG_LEVEL_FILE without the "_<pid>", NULL: stderr */
    size_t max_size_mib; /* the file is emptied beyond this size */
};

/* Installs the settings. A file that cannot be opened falls back to stderr and
 * says so in one line. May be called again; the previous file is closed. */
void ah_log_configure(const struct ah_log_settings *settings);

/* Closes the log file, if there is one; later lines go to stderr. */
void ah_log_close(void);

static inline bool ah_log_on(enum ah_log_level level, enum ah_log_category category)
{
    return __builtin_expect(ah_log_threshold >= (int)level, 0) &&
           (category == AH_LOG_ALWAYS || (ah_log_mask & (int)category) != 0);
}

#define AH_LOG(level, category, ...)                                                               \
    do {                                                                                           \
        if (ah_log_on(level, category))                                                            \
            ah_log_write(level, __FILE__, __LINE__, __VA_ARGS__);                                  \
    } while (0)

#define AH_LOG_ERR(...)  AH_LOG(AH_LOG_ERROR, AH_LOG_ALWAYS, __VA_ARGS__)
#define AH_LOG_WARN(...) AH_LOG(AH_LOG_WARNING, AH_LOG_ALWAYS, __VA_ARGS__)

/* Writes one line regardless of threshold and mask. For problems of the user's settings
 * (configuration, environment), which are reported even if logging is off. */
#define AH_LOG_NOTICE(level, ...) ah_log_write(level, __FILE__, __LINE__, __VA_ARGS__)

void ah_log_write(enum ah_log_level level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* As ah_log_write, in green when the log is a terminal: the entry of an API call. */
void ah_log_write_api(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
