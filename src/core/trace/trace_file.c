/* Owns the trace file: which one, and what is in it after each write. */
#include "trace_file.h"

#include "log.h"
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 100 };

/* ---- the name ------------------------------------------------------------------------------ */

static char *expand(const char *pattern)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (const char *at = pattern; out && *at; at++) {
        if (at[0] == '%' && at[1] == 'p')
            fprintf(out, "%d", (int)getpid());
        else
            fputc(*at, out);
        at += at[0] == '%' && (at[1] == 'p' || at[1] == '%');
    }
    if (out)
        fclose(out);
    return text;
}

/* The name itself, then names of this process alone. */
static char *name_for(const char *path, int attempt)
{
    char *name = NULL;
    int length = attempt == 0   ? asprintf(&name, "%s", path)
                 : attempt == 1 ? asprintf(&name, "%s.%d", path, (int)getpid())
                                : asprintf(&name, "%s.%d.%d", path, (int)getpid(), attempt);
    return length < 0 ? NULL : name;
}

/* ---- opening ------------------------------------------------------------------------------- */

/* As the log's: others may know the name beforehand, so nothing but a regular file is opened, and
 * opening does not wait. It keeps what is in it. */
static int open_regular(const char *path)
{
    struct stat about;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
    if (file < 0)
        return -1;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode))
        return file;
    close(file);
    errno = EINVAL;
    return -1;
}

/* Whether this process wrote the file, which then was before it called exec. */
static bool is_of_this_process(int file)
{
    char text[1024], mark[64];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    if (length <= 0)
        return false;
    text[length] = '\0';
    snprintf(mark, sizeof mark, "\"process\":\"%016" PRIx64 "\"", ah_process_self());
    return strstr(text, mark) != NULL;
}

static bool is_taken(int file)
{
    return (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
           is_of_this_process(file);
}

static int open_free(const char *path, char **out_name)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        char *name = name_for(path, i);
        int file = name ? open_regular(name) : -1;
        if (file < 0 || !is_taken(file)) {
            *out_name = name;
            return file;
        }
        close(file);
        free(name);
    }
    errno = EBUSY;
    return -1;
}

static const char *words_for(int error)
{
    return error == ELOOP    ? "it is a symbolic link, which is not followed"
           : error == EINVAL ? "it is not a regular file"
                             : strerror(error);
}

static bool start(struct ah_trace_file *file)
{
    struct stat about;
    if (fstat(file->file, &about) != 0 || ftruncate(file->file, 0) != 0)
        return false;
    file->device = about.st_dev;
    file->inode = about.st_ino;
    errno = ENOSPC; /* where write is short */
    if (pwrite(file->file, "[\n]\n", 4, 0) != 4)
        return false;
    file->end = 1;
    return true;
}

bool ah_trace_file_open(struct ah_trace_file *file, const char *pattern, uint64_t max_size)
{
    char *path = expand(pattern), *name = NULL;
    *file = (struct ah_trace_file){.file = -1, .max_size = max_size};
    if (path)
        file->file = open_free(path, &name);
    if (file->file < 0 || !start(file)) {
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "cannot write the trace file %s (%s): there will be no trace; check "
                      "ANYHIP_TRACE or trace.file",
                      path ? path : pattern, words_for(errno));
        ah_trace_file_close(file);
        free(name);
        free(path);
        return false;
    }
    if (strcmp(name, path) != 0)
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "the trace file %s is in use: this program's trace is %s; %%p in the name "
                      "stands for the number of the process",
                      path, name);
    file->path = name;
    free(path);
    return true;
}

void ah_trace_file_close(struct ah_trace_file *file)
{
    if (file->file >= 0)
        close(file->file);
    file->file = -1;
    free(file->path);
    file->path = NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* A program may have closed all files, and have another one of this number. */
static bool is_still_open(const struct ah_trace_file *file)
{
    struct stat about;
    return fstat(file->file, &about) == 0 && about.st_dev == file->device &&
           about.st_ino == file->inode;
}

static bool write_all(int file, const char *text, size_t size, uint64_t at)
{
    while (size > 0) {
        ssize_t written = pwrite(file, text, size, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written == 0 ? ENOSPC : errno;
            return false;
        }
        text += written;
        size -= (size_t)written;
        at += (uint64_t)written;
    }
    return true;
}

/* What was there before is complete again: its last bytes have their blocks. */
static void undo(struct ah_trace_file *file)
{
    if (write_all(file->file, "\n]\n", 3, file->end))
        (void)ftruncate(file->file, (off_t)file->end + 3);
}

static bool give_up(struct ah_trace_file *file, const char *problem, int error)
{
    file->problem = problem;
    file->error = error;
    close(file->file);
    file->file = -1;
    return false;
}

bool ah_trace_file_append(struct ah_trace_file *file, char *text, size_t size)
{
    if (file->file < 0)
        return false;
    if (!is_still_open(file)) {
        file->file = -1; /* the number is another file's now, or none's */
        file->problem = "the program has closed it";
        return false;
    }
    if (file->max_size && file->end + size > file->max_size)
        return give_up(file, "it has the size that trace.max_size_mib allows", 0);
    if (file->end == 1)
        text[0] = ' ';
    memcpy(text + size, "\n]\n", AH_TRACE_FILE_TAIL);
    if (!write_all(file->file, text, size + 3, file->end)) {
        int error = errno;
        undo(file);
        return give_up(file, strerror(error), error);
    }
    file->end += size;
    return true;
}
