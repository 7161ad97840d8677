/* Owns the table of memory whose granules say SIM_OWNER_LOOKUP or that has none:
 * registered memory of the host and mappings, sorted by address.
 *
 * Kernels read it without a lock: a writer makes the sequence odd, changes the
 * table in its place and makes it even again; a reader that sees the sequence
 * change reads again. Each thread keeps the last answer for as long as the
 * sequence stays. The table never moves and is never freed while kernels run. */
#include "sim_space.h"

#include <sched.h>

enum { LOOKUP_MAX = 1 << 20, FIELDS = 5 };

typedef _Atomic(uint64_t) lookup_row[FIELDS]; /* as struct sim_lookup */

static lookup_row *rows;
static _Atomic(uint64_t) row_count;
static _Atomic(uint64_t) sequence = 2; /* keeps increasing when the space is closed and opened */

size_t sim_lookup_size(void)
{
    return LOOKUP_MAX * sizeof(lookup_row);
}

/* ---- writing, under the lock ------------------------------------------------------------ */

static void begin_change(void)
{
    atomic_fetch_add_explicit(&sequence, 1, memory_order_acq_rel);
}

static void end_change(void)
{
    atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
}

static uint64_t field(uint64_t row, int which)
{
    return atomic_load_explicit(&rows[row][which], memory_order_acquire);
}

/* Release: a thread that reads the new value also sees that the sequence was odd. */
static void set_field(uint64_t row, int which, uint64_t value)
{
    atomic_store_explicit(&rows[row][which], value, memory_order_release);
}

static void move_row(uint64_t to, uint64_t from)
{
    for (int i = 0; i < FIELDS; i++)
        set_field(to, i, field(from, i));
}

/* The number of rows that start at or below address. */
static uint64_t rows_below(uint64_t address)
{
    uint64_t low = 0, high = atomic_load_explicit(&row_count, memory_order_acquire);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (field(middle, 0) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sim_lookup_open(void *memory)
{
    begin_change();
    atomic_store_explicit(&row_count, 0, memory_order_release);
    rows = memory;
    end_change();
}

bool sim_lookup_add(const struct sim_lookup *entry)
{
    uint64_t count = atomic_load_explicit(&row_count, memory_order_relaxed);
    uint64_t at = rows_below(entry->start);
    const uint64_t values[FIELDS] = {entry->start, entry->size, entry->to_view, entry->readers,
                                     entry->writers};
    if (!rows || count == LOOKUP_MAX)
        return false;
    begin_change();
    for (uint64_t row = count; row > at; row--)
        move_row(row, row - 1);
    for (int i = 0; i < FIELDS; i++)
        set_field(at, i, values[i]);
    atomic_store_explicit(&row_count, count + 1, memory_order_release);
    end_change();
    return true;
}

void sim_lookup_change(uint64_t start, uint64_t readers, uint64_t writers)
{
    uint64_t row = rows_below(start);
    if (row == 0 || field(row - 1, 0) != start)
        return;
    begin_change();
    set_field(row - 1, 3, readers);
    set_field(row - 1, 4, writers);
    end_change();
}

void sim_lookup_remove(uint64_t start)
{
    uint64_t count = atomic_load_explicit(&row_count, memory_order_relaxed);
    uint64_t row = rows_below(start);
    if (row == 0 || field(row - 1, 0) != start)
        return;
    begin_change();
    for (; row < count; row++)
        move_row(row - 1, row);
    atomic_store_explicit(&row_count, count - 1, memory_order_release);
    end_change();
}

/* ---- reading -------------------------------------------------------------------------------- */

struct answer {
    uint64_t sequence; /* for which it holds; 0: none */
    struct sim_lookup entry;
};

/* The row that has address, with the sequence for which it holds. */
static bool look_up(uint64_t address, struct answer *out)
{
    for (;;) {
        uint64_t before = atomic_load_explicit(&sequence, memory_order_acquire);
        uint64_t row = before & 1 ? 0 : rows_below(address);
        bool found = row > 0;
        if (found) {
            row--;
            out->entry = (struct sim_lookup){field(row, 0), field(row, 1), field(row, 2),
                                             field(row, 3), field(row, 4)};
            found = address - out->entry.start < out->entry.size;
        }
        if (!(before & 1) && atomic_load_explicit(&sequence, memory_order_relaxed) == before) {
            out->sequence = found ? before : 0;
            return found;
        }
        sched_yield(); /* the writer is at work, or has lost its processor meanwhile */
    }
}

static bool (*_Atomic resolve)(uint64_t address, bool write);

void sim_memory_set_resolver(bool (*resolver)(uint64_t address, bool write))
{
    atomic_store(&resolve, resolver);
}

bool sim_memory_resolve(uint64_t address, bool write)
{
    bool (*resolver)(uint64_t, bool) = atomic_load_explicit(&resolve, memory_order_acquire);
    return resolver && resolver(address, write);
}

unsigned char *sim_translate_slow(int device, uint64_t address, size_t size, bool write)
{
    static _Thread_local struct answer last;
    const struct sim_lookup *entry = &last.entry;
    bool known = last.sequence == atomic_load_explicit(&sequence, memory_order_acquire) &&
                 address - entry->start < entry->size;
    if (!known && !look_up(address, &last) &&
        !(sim_memory_resolve(address, write) && look_up(address, &last)))
        return NULL;
    uint64_t users = write ? entry->writers : entry->readers;
    if (size > entry->size - (address - entry->start) || !(users >> device & 1))
        return NULL;
    return (unsigned char *)(uintptr_t)(address + entry->to_view);
}
