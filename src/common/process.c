/* Owns identifiers and queries of other processes, and the files that are shared with them. */
#include "process.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- processes -------------------------------------------------------------------------- */

struct status {
    char state;
    long threads;
    unsigned long long start; /* in ticks since the system started */
};

/* False: there is no such process. */
static bool read_status(int pid, struct status *out)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    const char *name_end = strrchr(text, ')'); /* the name may contain any character */
    return name_end && sscanf(name_end + 1,
                              " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                              "%ld %*d %llu",
                              &out->state, &out->threads, &out->start) == 3;
}

static uint64_t name_of(int pid, const struct status *status)
{
    return (uint64_t)(uint32_t)pid << 32 | (uint32_t)status->start;
}

uint64_t ah_process_self(void)
{
    static _Atomic(uint64_t) known;
    struct status status = {0};
    int pid = (int)getpid();
    uint64_t self = atomic_load(&known);
    if ((int)(self >> 32) == pid)
        return self;
    (void)read_status(pid, &status);
    self = name_of(pid, &status);
    atomic_store(&known, self);
    return self;
}

bool ah_process_is_alive(uint64_t process)
{
    struct status status;
    int pid = (int)(process >> 32);
    if (process == 0)
        return true;
    if (!read_status(pid, &status) || name_of(pid, &status) != process)
        return false;
    /* A zombie has ended, unless only its first thread has. */
    return !strchr("ZXx", status.state) || status.threads > 1;
}

unsigned ah_process_cores(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? (unsigned)CPU_COUNT(&cores) : 1;
}

/* ---- files ------------------------------------------------------------------------------ */

int ah_sealed_file_create(const char *name, size_t size, bool grows)
{
    int seals = F_SEAL_SHRINK | (grows ? 0 : F_SEAL_GROW | F_SEAL_SEAL);
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && ftruncate(file, (off_t)size) == 0 && fcntl(file, F_ADD_SEALS, seals) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

bool ah_sealed_file_check(int file, uint64_t size)
{
    struct stat about;
    int seals = fcntl(file, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(file, &about) == 0 &&
           (uint64_t)about.st_size >= size;
}

uint64_t ah_sealed_file_id(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 ? (uint64_t)about.st_ino : 0;
}

int ah_sealed_file_open(int process, int descriptor, uint64_t id, uint64_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, descriptor);
    int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 && ah_sealed_file_check(file, size) && ah_sealed_file_id(file) == id)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}
