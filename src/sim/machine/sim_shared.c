/* Owns device memory that other processes may open, and the table in which they look it up.
 *
 * It lies in one file, at the offsets that it has in the devices' part of the
 * addresses: an allocation's pages, with whatever neighbours lie on the first and
 * the last, move there when it is first shared, and stay. */
#include "log.h"
#include "process.h"
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

/* ---- the table ---------------------------------------------------------------------- */

enum { ROWS_MAX = 4096 };
static const char table_mark[8] = "AHtable";

struct head {
    char mark[8];
    uint64_t file_id;
    int file;
};
struct row { /* of an allocation that is shared; id 0: of none */
    uint64_t id, offset, size;
};

static int table_file = -1; /* a head and ROWS_MAX rows */
static uint64_t row_ids[ROWS_MAX];

static off_t place_of(int row)
{
    return (off_t)(sizeof(struct head) + (size_t)row * sizeof(struct row));
}

static bool make_table(void)
{
    struct head head = {.file_id = ah_sealed_file_id(shared_file), .file = shared_file};
    if (table_file >= 0)
        return true;
    memcpy(head.mark, table_mark, sizeof head.mark);
    table_file = ah_sealed_file_create("what is shared of simulated memory",
                                       (size_t)place_of(ROWS_MAX), false);
    return table_file >= 0 && pwrite(table_file, &head, sizeof head, 0) == sizeof head;
}

/* The row with that id; 0: an unused one. -1: there is none. */
static int row_with(uint64_t id)
{
    for (int i = 0; i < ROWS_MAX; i++)
        if (row_ids[i] == id)
            return i;
    return -1;
}

static bool set_row(int number, const struct row *row)
{
    row_ids[number] = row->id;
    return pwrite(table_file, row, sizeof *row, place_of(number)) == sizeof *row;
}

static bool enter(const struct sim_memory *memory)
{
    const struct row row = {memory->id, memory->address - sim_space.base, memory->size};
    if (!make_table())
        return false;
    int number = row_with(memory->id);
    if (number < 0)
        number = row_with(0);
    if (number >= 0)
        return set_row(number, &row);
    AH_LOG_ERR("more than %d allocations cannot be shared at once", ROWS_MAX);
    return false;
}

void sim_shared_remove(const struct sim_memory *memory)
{
    int number = table_file >= 0 ? row_with(memory->id) : -1;
    if (number >= 0)
        (void)set_row(number, &(struct row){0});
}

int sim_shared_table(uint64_t *out_id)
{
    pthread_mutex_lock(&sim_state.lock);
    int file = table_file;
    *out_id = file >= 0 ? ah_sealed_file_id(file) : 0;
    pthread_mutex_unlock(&sim_state.lock);
    return file;
}

static bool find_row(int table, const struct sim_shared *shared, uint64_t *out_offset)
{
    struct row row;
    for (int i = 0; i < ROWS_MAX; i++)
        if (pread(table, &row, sizeof row, place_of(i)) == sizeof row && row.id != 0 &&
            (uint32_t)row.id == shared->id) {
            *out_offset = row.offset;
            return row.size == shared->size;
        }
    return false;
}

int sim_shared_open(const struct sim_shared *shared, uint64_t *out_offset)
{
    struct head head;
    uint64_t end;
    int file = -1;
    int table = ah_sealed_file_open(shared->process, shared->table, shared->table_id,
                                    (uint64_t)place_of(ROWS_MAX));
    if (table < 0)
        return -1;
    if (pread(table, &head, sizeof head, 0) == sizeof head &&
        memcmp(head.mark, table_mark, sizeof head.mark) == 0 &&
        find_row(table, shared, out_offset) &&
        !__builtin_add_overflow(*out_offset, shared->size, &end))
        file = ah_sealed_file_open(shared->process, head.file, head.file_id, end);
    close(table);
    return file;
}

/* ---- the file ----------------------------------------------------------------------- */

static bool make_file(uint64_t size)
{
    if (shared_file < 0)
        shared_file = ah_sealed_file_create("simulated devices' memory", 0, true);
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
                      sim_round_up(memory->address + memory->size, SIM_PAGE)) &&
                enter(memory);
    pthread_mutex_unlock(&sim_state.lock);
    *out_offset = memory->address - sim_space.base;
    return good ? shared_file : -1;
}

void sim_shared_discard(uint64_t start, uint64_t end)
{
    if (shared_file >= 0 && sim_is_device_address(start))
        (void)fallocate(shared_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)(start - sim_space.base), (off_t)(end - start));
}

bool sim_shared_any(uint64_t start, uint64_t end)
{
    return ah_ranges_overlaps(&pieces, start, end - start);
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
    if (table_file >= 0)
        close(table_file);
    shared_file = table_file = -1;
    memset(row_ids, 0, sizeof row_ids);
    file_size = 0;
}
