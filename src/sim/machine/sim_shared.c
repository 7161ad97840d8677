/* Owns device memory that other processes may open.
 *
 * It lies in one file, at the offsets that it has in the devices' part of the
 * addresses: an allocation's pages, with whatever neighbours lie on the first and
 * the last, move there when it is first shared, and stay. */
#include "log.h"
#include "sim_space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct piece { /* pages that lie in the file */
    struct ah_range range;
};

static struct ah_ranges pieces; /* all under the lock */
static int shared_file = -1;
static uint64_t file_size;

static bool make_file(uint64_t size)
{
    if (shared_file < 0)
        shared_file = memfd_create("simulated devices' memory", MFD_CLOEXEC);
    if (shared_file >= 0 && (size <= file_size || ftruncate(shared_file, (off_t)size) == 0)) {
        file_size = size > file_size ? size : file_size;
        return true;
    }
    return false;
}

static bool is_zero(const unsigned char *page)
{
    return page[0] == 0 && memcmp(page, page + 1, SIM_PAGE - 1) == 0;
}

/* Pages without contents stay holes. */
static bool copy_pages(const unsigned char *from, uint64_t offset, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += SIM_PAGE)
        if (!is_zero(from + at) &&
            pwrite(shared_file, from + at, SIM_PAGE, (off_t)(offset + at)) != SIM_PAGE)
            return false;
    return true;
}

/* Moves pages into the file, none of which are there. */
static bool move_pages(uint64_t start, uint64_t end)
{
    uint64_t offset = start - sim_space.base, size = end - start;
    struct piece *piece = calloc(1, sizeof *piece);
    if (piece && make_file(offset + size) && copy_pages(sim_view(start), offset, size) &&
        mmap(sim_view(start), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared_file,
             (off_t)offset) != MAP_FAILED) {
        piece->range = (struct ah_range){.start = start, .size = size};
        ah_ranges_insert(&pieces, &piece->range);
        return true;
    }
    AH_LOG_ERR("device memory cannot be shared: %s", strerror(errno));
    free(piece);
    return false;
}

static bool share(uint64_t start, uint64_t end)
{
    while (start < end) {
        const struct ah_range *there = ah_ranges_find(&pieces, start);
        const struct ah_range *next = ah_ranges_above(&pieces, start);
        uint64_t stop = next && next->start < end ? next->start : end;
        if (there)
            stop = there->start + there->size;
        else if (!move_pages(start, stop))
            return false;
        start = stop;
    }
    return true;
}

int sim_memory_share(const struct sim_memory *memory, uint64_t *out_offset)
{
    if (memory->kind != SIM_MEMORY_DEVICE)
        return -1;
    pthread_mutex_lock(&sim_state.lock);
    bool good = share(memory->address & -(uint64_t)SIM_PAGE,
                      sim_round_up(memory->address + memory->size, SIM_PAGE));
    pthread_mutex_unlock(&sim_state.lock);
    *out_offset = memory->address - sim_space.base;
    return good ? shared_file : -1;
}

void sim_shared_drop(uint64_t start, uint64_t end)
{
    if (shared_file >= 0 && sim_is_device_address(start))
        (void)fallocate(shared_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)(start - sim_space.base), (off_t)(end - start));
}

void sim_shared_close(void)
{
    while (pieces.root) {
        struct piece *piece = (struct piece *)(void *)pieces.root; /* its first member */
        ah_ranges_remove(&pieces, &piece->range);
        free(piece);
    }
    if (shared_file >= 0)
        close(shared_file);
    shared_file = -1;
    file_size = 0;
}
