/* Memory of the program in disjoint pieces. */
#include "sim_pieces.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

bool sim_host_is_mapped(uint64_t start, uint64_t end)
{
    uint64_t page = start & -(uint64_t)sysconf(_SC_PAGESIZE);
    return msync((void *)(uintptr_t)page, end - page, MS_ASYNC) == 0; /* changes nothing */
}

struct sim_piece *sim_pieces_find(const struct sim_pieces *pieces, uint64_t address)
{
    return (struct sim_piece *)(void *)ah_ranges_find(&pieces->ranges, address);
}

static bool begin(struct sim_pieces *pieces, struct sim_piece *piece)
{
    piece->memory =
        sim_memory_register((void *)(uintptr_t)piece->range.start, (size_t)piece->range.size);
    return piece->memory && (!pieces->begin || pieces->begin(piece));
}

/* From start to end, or to the next piece. */
static struct sim_piece *create(struct sim_pieces *pieces, uint64_t start, uint64_t end)
{
    const struct ah_range *next = ah_ranges_above(&pieces->ranges, start);
    if (next && next->start < end)
        end = next->start;
    struct sim_piece *piece = sim_host_is_mapped(start, end) ? calloc(1, sizeof *piece) : NULL;
    if (!piece)
        return NULL;
    piece->range = (struct ah_range){.start = start, .size = end - start};
    if (!begin(pieces, piece)) {
        free(piece);
        return NULL;
    }
    ah_ranges_insert(&pieces->ranges, &piece->range);
    return piece;
}

bool sim_pieces_cover(struct sim_pieces *pieces, uint64_t start, uint64_t end)
{
    for (uint64_t at = start; at < end;) {
        struct sim_piece *piece = sim_pieces_find(pieces, at);
        if (!piece)
            piece = create(pieces, at, end);
        if (!piece) {
            sim_pieces_uncover(pieces, start, at);
            return false;
        }
        piece->count++;
        at = sim_piece_end(piece);
    }
    return true;
}

void sim_pieces_uncover(struct sim_pieces *pieces, uint64_t start, uint64_t end)
{
    while (start < end) {
        struct sim_piece *piece = sim_pieces_find(pieces, start);
        if (!piece)
            return;
        start = sim_piece_end(piece);
        if (--piece->count > 0)
            continue;
        ah_ranges_remove(&pieces->ranges, &piece->range);
        if (pieces->end)
            pieces->end(piece);
        else
            sim_memory_destroy(piece->memory);
        free(piece);
    }
}
