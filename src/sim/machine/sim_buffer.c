/* Owns the files that represent memory of simulated devices. */
#include "sim_buffer.h"

#include "process.h"
#include "sim_space.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The beginning of the last page. */
struct tail {
    uint64_t mark, size;
    uint32_t node, elsewhere; /* the memory is in the file that shared names */
    struct sim_shared shared;
    uint64_t start; /* elsewhere: in what is shared */
};
#define TAIL_MARK UINT64_C(0x667562616d644841)

static bool write_tail(int file, uint64_t at, const struct tail *tail)
{
    return pwrite(file, tail, sizeof *tail, (off_t)at) == sizeof *tail;
}

bool sim_buffer_describe(int file, uint64_t size, uint32_t node)
{
    const struct tail tail = {.mark = TAIL_MARK, .size = size, .node = node};
    return write_tail(file, size, &tail);
}

int sim_buffer_refer(const struct sim_shared *shared, uint64_t start, uint64_t size, uint32_t node)
{
    const struct tail tail = {.mark = TAIL_MARK,
                              .size = size,
                              .node = node,
                              .elsewhere = 1,
                              .shared = *shared,
                              .start = start};
    int file = ah_sealed_file_create("where simulated memory lies", SIM_PAGE, false);
    if (file >= 0 && write_tail(file, 0, &tail))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* 0: the file is not one that processes share. */
static uint64_t size_of(int file)
{
    struct stat about;
    bool good = fstat(file, &about) == 0 && about.st_size >= SIM_PAGE &&
                ah_sealed_file_check(file, (uint64_t)about.st_size);
    return good ? (uint64_t)about.st_size : 0;
}

static bool is_whole(const struct tail *tail, uint64_t before)
{
    if (!tail->elsewhere)
        return tail->size == before;
    return tail->node != 0 && tail->start % SIM_PAGE == 0 && tail->start <= tail->shared.size &&
           tail->size <= tail->shared.size - tail->start;
}

bool sim_buffer_open(int file, struct sim_buffer *out)
{
    struct tail tail;
    uint64_t size = size_of(file), before = size - SIM_PAGE;
    if (size == 0 || pread(file, &tail, sizeof tail, (off_t)before) != sizeof tail ||
        tail.mark != TAIL_MARK || tail.size == 0 || tail.size % SIM_PAGE != 0 ||
        !is_whole(&tail, before))
        return false;
    *out = (struct sim_buffer){.size = tail.size, .node = tail.node};
    out->file = tail.elsewhere ? sim_shared_open(&tail.shared, &out->offset)
                               : fcntl(file, F_DUPFD_CLOEXEC, 3);
    out->offset += tail.elsewhere ? tail.start : 0;
    return out->file >= 0;
}

bool sim_buffer_open_any(int file, struct sim_buffer *out)
{
    uint64_t size = size_of(file);
    if (sim_buffer_open(file, out))
        return true;
    if (size == 0 || size % SIM_PAGE != 0)
        return false;
    *out = (struct sim_buffer){.file = fcntl(file, F_DUPFD_CLOEXEC, 3), .size = size};
    return out->file >= 0;
}
