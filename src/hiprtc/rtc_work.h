/* Where one compilation or link happens: a private folder, and the compile driver (hipcc) that
 * works in it as a child process. Nothing is shared between two of them, so any number may be in
 * progress on any threads. */
#ifndef AH_RTC_WORK_H
#define AH_RTC_WORK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Bytes with a NUL after them, to be freed. */
struct ah_rtc_bytes {
    char *data;
    size_t size; /* without the NUL */
};

/* A command line that grows; if there is no memory, `failed` is set. */
struct ah_rtc_arguments {
    char **at; /* at[count] is NULL */
    size_t count, capacity;
    bool failed;
};

void ah_rtc_push(struct ah_rtc_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ah_rtc_push_all(struct ah_rtc_arguments *arguments, const struct ah_rtc_arguments *more);
/* The words of an environment variable, which blanks separate. */
void ah_rtc_push_variable(struct ah_rtc_arguments *arguments, const char *name);
void ah_rtc_arguments_fini(struct ah_rtc_arguments *arguments);

/* A variable as ah_env_path reads it, to be freed; NULL where there is none. False: there is no
 * memory for it. */
bool ah_rtc_variable(const char *name, char **out_value);

struct ah_rtc_work {
    char folder[PATH_MAX / 2]; /* "" when there is none */
    char sources[PATH_MAX];    /* the folder in it for sources and headers */
};

/* Makes the folder, below TMPDIR or /tmp. False after a log line; work is then closed. */
bool ah_rtc_work_open(struct ah_rtc_work *work);

/* Removes the folder with all that is in it. Accepts a zeroed struct. */
void ah_rtc_work_close(struct ah_rtc_work *work);

/* Whether a caller's header may lie under that name below `sources`: it is relative and does not
 * leave the work's folder. */
bool ah_rtc_work_name_valid(const char *name);

/* Writes a file under a valid name relative to `sources`. False after a log line. */
bool ah_rtc_work_write(const struct ah_rtc_work *work, const char *name, const void *data,
                       size_t size);

/* Reads a file of the work's folder; false, in silence, when it is not there or there is no
 * memory. */
bool ah_rtc_work_read(const struct ah_rtc_work *work, const char *name,
                      struct ah_rtc_bytes *out_bytes);

enum ah_rtc_outcome {
    AH_RTC_DONE,
    AH_RTC_FAILED,      /* the messages say why */
    AH_RTC_NO_COMPILER, /* hipcc, or a tool that it needs, is not installed */
};

/* A run of the compile driver. */
struct ah_rtc_run {
    pid_t pid; /* 0: it could not be started */
};

/* Starts the driver with arguments; its messages are written to the file `said` of the work's
 * folder. A privileged program (ah_env_is_privileged) does not start it, since its user controls
 * the driver's environment. */
void ah_rtc_run_start(struct ah_rtc_run *run, const struct ah_rtc_work *work,
                      const struct ah_rtc_arguments *arguments, const char *said);

/* Waits for its end. `made` is the output file of the run, in the work's folder. */
enum ah_rtc_outcome ah_rtc_run_finish(struct ah_rtc_run *run, const struct ah_rtc_work *work,
                                      const char *made);

#endif
