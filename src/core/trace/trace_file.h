/* The trace file: a list in JSON that is complete after each write, so that it can be read while
 * the program runs and whatever way it ends.
 *
 * The file follows the rules of the log file: it is never a symbolic link, only ever a regular
 * file, and is closed by exec. A file that another process is writing, or that this process wrote
 * before it called exec, is left alone: the trace goes to a file of its own beside it. One thread
 * at a time. */
#ifndef AH_TRACE_FILE_H
#define AH_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ah_trace_file {
    char *path; /* as opened */
    int file;   /* -1: closed */
    dev_t device;
    ino_t inode;
    uint64_t end;        /* where the next event goes: the end of the list follows */
    uint64_t max_size;   /* 0: no limit */
    const char *problem; /* why it was closed; NULL: it was not, or was by its owner */
    int error;           /* errno of the problem; 0: none */
};

/* Opens pattern, in which %p stands for the process's number and %% for a %, and writes an empty
 * list. False, after a line in the log: it cannot be written. */
bool ah_trace_file_open(struct ah_trace_file *file, const char *pattern, uint64_t max_size);

/* Appends events: text is ",\n{...}" for each, and has space for AH_TRACE_FILE_TAIL bytes more.
 * Where that fails, or exceeds the limit, the file ends with the last event before and is closed,
 * and problem says why. */
enum { AH_TRACE_FILE_TAIL = 4 };
bool ah_trace_file_append(struct ah_trace_file *file, char *text, size_t size);

void ah_trace_file_close(struct ah_trace_file *file);

#endif
