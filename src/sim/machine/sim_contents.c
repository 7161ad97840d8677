/* Owns what is returned to the kernel when allocations end.
 *
 * An allocation's own pages go at once. Those it shares with others go when all
 * of a chunk is free, except for the chunk that the next allocation will come to
 * lie in: a program that allocates and frees in turns would touch it anew. */
#include "sim_space.h"

#include <sys/mman.h>

enum { CHUNK = 16 * SIM_PAGE, LARGE_PAGE = 2 << 20, LARGE_MIN = 2 * LARGE_PAGE };

uint64_t sim_contents_alignment(size_t size)
{
    return size >= LARGE_MIN ? LARGE_PAGE : 1;
}

void sim_contents_expect(const struct sim_memory *memory)
{
    uint64_t start = sim_round_up((uintptr_t)memory->view, LARGE_PAGE);
    uint64_t end = ((uintptr_t)memory->view + memory->size) & -(uint64_t)LARGE_PAGE;
    if (memory->size >= LARGE_MIN)
        (void)madvise((void *)(uintptr_t)start, end - start, MADV_HUGEPAGE);
}

static void drop(uint64_t start, uint64_t end)
{
    (void)madvise(sim_view(start), end - start, MADV_DONTNEED);
    sim_shared_discard(start, end);
}

void sim_contents_discard_own(uint64_t start, uint64_t end)
{
    start = sim_round_up(start, SIM_PAGE);
    end &= -(uint64_t)SIM_PAGE;
    if (end > start && end - start >= CHUNK)
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
