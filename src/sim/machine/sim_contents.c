/* Owns what is returned to the kernel when allocations end.
 *
 * An allocation's own pages go at once. Those it shares with others go when all
 * of a chunk is free, except for the chunk that the next allocation will come to
 * lie in: a program that allocates and frees in turns would touch it anew.
 *
 * Some large pages of device memory are kept instead, and moved to allocations that
 * follow, whose addresses are others: the kernel would have to find and to zero new ones. */
#include "sim_space.h"

#include <sys/mman.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

enum { CHUNK = 16 * SIM_PAGE, LARGE_PAGE = 2 << 20, LARGE_MIN = 2 * LARGE_PAGE };
enum { SPARE_MAX = 128 }; /* large pages */

static struct {
    unsigned char *pages; /* room for SPARE_MAX, NULL: none were kept yet */
    size_t count;
} spare; /* under the lock */

uint64_t sim_contents_alignment(size_t size)
{
    return size >= LARGE_MIN ? LARGE_PAGE : 1;
}

/* ---- pages that are kept ------------------------------------------------------------ */

/* Moves as many of the large pages as the kernel (Linux 5.7) does. Where they were is memory that
 * was not touched yet, at any time: no other thread's mapping can come to lie there. */
static size_t move_pages(unsigned char *from, unsigned char *to, size_t count)
{
    enum { HOW = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP };
    size_t moved = 0;
    for (; moved < count; moved++, from += LARGE_PAGE, to += LARGE_PAGE)
        if (mremap(from, LARGE_PAGE, LARGE_PAGE, HOW, to) == MAP_FAILED)
            break;
    return moved;
}

static void *map_pages(void *at, size_t size)
{
    int fixed = at ? MAP_FIXED : 0;
    void *pages = mmap(at, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Only pages of this process alone are moved. Under the lock. */
static bool may_move(uint64_t start, uint64_t end)
{
    return sim_is_device_address(start) && !sim_shared_any(start, end);
}

/* Keeps large pages of [start, end), from the first on, as far as there is room. */
static void keep_pages(uint64_t start, uint64_t end)
{
    unsigned char *first = sim_view(start);
    size_t count = (end - start) / LARGE_PAGE, kept = 0;
    pthread_mutex_lock(&sim_state.lock);
    if (may_move(start, end) &&
        (spare.pages || (spare.pages = map_pages(NULL, SPARE_MAX * (size_t)LARGE_PAGE)))) {
        if (count > SPARE_MAX - spare.count)
            count = SPARE_MAX - spare.count;
        kept = move_pages(first, spare.pages + spare.count * LARGE_PAGE, count);
        spare.count += kept;
    }
    pthread_mutex_unlock(&sim_state.lock);
    if (kept > 0) /* one mapping again, where the moves have left one for each page */
        (void)map_pages(first, end - start);
}

/* The pages that were kept last are moved, in their order, so that they become one mapping. */
static void reuse_pages(const struct sim_memory *memory, uint64_t start, uint64_t end)
{
    size_t count = (end - start) / LARGE_PAGE;
    pthread_mutex_lock(&sim_state.lock);
    if (count > spare.count)
        count = spare.count;
    if (count > 0 && memory->kind == SIM_MEMORY_DEVICE && may_move(start, end)) {
        spare.count -= count;
        (void)move_pages(spare.pages + spare.count * LARGE_PAGE, sim_view(start), count);
    }
    pthread_mutex_unlock(&sim_state.lock);
}

void sim_contents_close(void)
{
    if (spare.pages)
        munmap(spare.pages, SPARE_MAX * (size_t)LARGE_PAGE);
    spare.pages = NULL;
    spare.count = 0;
}

void sim_contents_expect(const struct sim_memory *memory)
{
    uint64_t start = sim_round_up(memory->address, LARGE_PAGE);
    uint64_t end = (memory->address + memory->size) & -(uint64_t)LARGE_PAGE;
    if (memory->size < LARGE_MIN)
        return;
    (void)madvise(sim_view(start), end - start, MADV_HUGEPAGE);
    reuse_pages(memory, start, end);
}

/* ---- pages that are returned ---------------------------------------------------------- */

static void drop(uint64_t start, uint64_t end)
{
    (void)madvise(sim_view(start), end - start, MADV_DONTNEED);
    sim_shared_discard(start, end);
}

void sim_contents_discard_own(uint64_t start, uint64_t end)
{
    start = sim_round_up(start, SIM_PAGE);
    end &= -(uint64_t)SIM_PAGE;
    uint64_t large = sim_round_up(start, LARGE_PAGE), large_end = end & -(uint64_t)LARGE_PAGE;
    if (end <= start || end - start < CHUNK)
        return;
    if (large < large_end)
        keep_pages(large, large_end);
    drop(start, end);
}

/* Drops the chunk when it is free, and not the one that comes to be used next. */
static void discard_chunk(struct sim_part *part, uint64_t chunk)
{
    if (!sim_addresses_are_free(&part->addresses, chunk, CHUNK))
        return;
    if (part->addresses.cursor - chunk < CHUNK)
        part->kept = chunk;
    else
        drop(chunk, chunk + CHUNK);
}

void sim_contents_discard_edges(struct sim_part *part, uint64_t start, uint64_t end)
{
    uint64_t mask = -(uint64_t)CHUNK, first = start & mask, last = (end - 1) & mask;
    uint64_t kept = part->kept;
    if (kept && part->addresses.cursor - kept >= CHUNK) {
        part->kept = 0;
        discard_chunk(part, kept);
    }
    discard_chunk(part, first);
    if (last != first)
        discard_chunk(part, last);
}
