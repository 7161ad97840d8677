/* Owns the union of the times that a device was busy. */
#include "busy.h"

#include <stdlib.h>
#include <string.h>

/* The number of pieces that begin at or before the time. */
static size_t find(const struct ah_busy *busy, uint64_t time)
{
    size_t low = 0, high = busy->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (busy->pieces[middle].begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t gap_before(const struct ah_busy *busy, size_t piece)
{
    return busy->pieces[piece].begin - busy->pieces[piece - 1].end;
}

static int by_length(const void *a, const void *b)
{
    const uint64_t *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

/* Fills the gaps that are not longer. */
static void fill_gaps(struct ah_busy *busy, uint64_t length)
{
    size_t kept = 1;
    for (size_t i = 1; i < busy->count; i++) {
        struct ah_busy_piece *last = &busy->pieces[kept - 1], piece = busy->pieces[i];
        if (piece.begin - last->end > length) {
            busy->pieces[kept++] = piece;
        } else {
            last->end = piece.end;
            last->last = piece.last;
        }
    }
    busy->count = kept;
    if (length > busy->unknown)
        busy->unknown = length;
}

static bool forget_short_gaps(struct ah_busy *busy)
{
    uint64_t *lengths = malloc(busy->count * sizeof *lengths);
    if (!lengths)
        return false;
    for (size_t i = 1; i < busy->count; i++)
        lengths[i - 1] = gap_before(busy, i);
    qsort(lengths, busy->count - 1, sizeof *lengths, by_length);
    fill_gaps(busy, lengths[(busy->count - 1) / 2]);
    free(lengths);
    return true;
}

static bool make_room(struct ah_busy *busy)
{
    if (busy->count < busy->room)
        return true;
    if (busy->room == AH_BUSY_MAX)
        return forget_short_gaps(busy);
    size_t room = busy->room ? 2 * busy->room : 64;
    struct ah_busy_piece *pieces = realloc(busy->pieces, room * sizeof *pieces);
    if (!pieces)
        return false;
    busy->pieces = pieces;
    busy->room = room;
    return true;
}

/* Joins the piece with those behind it that it reaches. */
static void join_next(struct ah_busy *busy, size_t at)
{
    struct ah_busy_piece *piece = &busy->pieces[at];
    size_t next = at + 1;
    for (; next < busy->count && busy->pieces[next].begin <= piece->end; next++) {
        if (busy->pieces[next].end >= piece->end) {
            piece->end = busy->pieces[next].end;
            piece->last = busy->pieces[next].last;
        }
    }
    memmove(piece + 1, &busy->pieces[next], (busy->count - next) * sizeof *piece);
    busy->count -= next - at - 1;
}

bool ah_busy_add(struct ah_busy *busy, uint64_t begin, uint64_t end, unsigned what)
{
    if (!make_room(busy))
        return false;
    size_t at = find(busy, begin);
    if (at > 0 && busy->pieces[at - 1].end >= begin) {
        struct ah_busy_piece *piece = &busy->pieces[--at];
        if (end > piece->end) {
            piece->end = end;
            piece->last = what;
        }
    } else {
        memmove(&busy->pieces[at + 1], &busy->pieces[at],
                (busy->count - at) * sizeof *busy->pieces);
        busy->pieces[at] = (struct ah_busy_piece){begin, end, what, what};
        busy->count++;
    }
    join_next(busy, at);
    return true;
}

void ah_busy_fini(struct ah_busy *busy)
{
    free(busy->pieces);
    *busy = (struct ah_busy){0};
}

uint64_t ah_busy_total(const struct ah_busy *busy)
{
    uint64_t total = 0;
    for (size_t i = 0; i < busy->count; i++)
        total += busy->pieces[i].end - busy->pieces[i].begin;
    return total;
}

uint64_t ah_busy_span(const struct ah_busy *busy)
{
    return busy->count ? busy->pieces[busy->count - 1].end - busy->pieces[0].begin : 0;
}

static int longest_first(const void *a, const void *b)
{
    const struct ah_gap *one = a, *other = b;
    uint64_t length = one->end - one->begin, other_length = other->end - other->begin;
    if (length != other_length)
        return length < other_length ? 1 : -1;
    return (one->begin > other->begin) - (one->begin < other->begin);
}

size_t ah_busy_gaps(const struct ah_busy *busy, size_t max, struct ah_gap **out_gaps)
{
    size_t count = busy->count > 1 ? busy->count - 1 : 0;
    struct ah_gap *gaps = count ? malloc(count * sizeof *gaps) : NULL;
    *out_gaps = gaps;
    for (size_t i = 0; gaps && i < count; i++) {
        const struct ah_busy_piece *piece = &busy->pieces[i];
        gaps[i] = (struct ah_gap){piece[0].end, piece[1].begin, piece[0].last, piece[1].first};
    }
    if (!gaps)
        return 0;
    qsort(gaps, count, sizeof *gaps, longest_first);
    return count < max ? count : max;
}
