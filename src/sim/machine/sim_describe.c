/* Owns the descriptions of addresses in reports, and the memory of what was freed. */
#include "sim_space.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    FREED_MAX = 1024,    /* how many are remembered */
    LABEL_MAX = 48,      /* of a name, bytes that are */
    NEAR_MAX = 16 << 20, /* bytes from an allocation that count as near */
};

struct piece { /* of memory, as it is or was */
    enum sim_kind kind;
    int device;
    uint64_t address, size;
    char label[LABEL_MAX];
};

static struct piece freed[FREED_MAX]; /* under the lock */
static uint64_t freed_count;          /* ever */

static struct piece piece_of(const struct sim_memory *memory)
{
    struct piece piece = {memory->kind, memory->device, memory->address, memory->size, ""};
    const char *label = atomic_load_explicit(&memory->label, memory_order_acquire);
    if (label)
        snprintf(piece.label, sizeof piece.label, "%s", label);
    return piece;
}

void sim_freed_remember(const struct sim_memory *memory)
{
    freed[freed_count++ % FREED_MAX] = piece_of(memory);
}

void sim_freed_clear(void)
{
    freed_count = 0;
}

/* ---- what is near ------------------------------------------------------------------------- */

/* How far address is from the piece: 0 inside of it. */
static uint64_t distance(const struct piece *piece, uint64_t address)
{
    if (address < piece->address)
        return piece->address - address;
    uint64_t offset = address - piece->address;
    return offset < piece->size ? 0 : offset - piece->size + 1;
}

static void choose(struct piece *best, const struct piece *other, uint64_t address)
{
    uint64_t away = distance(other, address);
    if (away <= NEAR_MAX && (best->size == 0 || away < distance(best, address)))
        *best = *other;
}

/* The allocation in the table that is nearest; its size is 0 when none is. Under the lock. */
static struct piece nearest_live(uint64_t address)
{
    struct ah_range *ranges[] = {ah_ranges_floor(&sim_state.table, address),
                                 ah_ranges_above(&sim_state.table, address)};
    struct piece best = {.size = 0};
    for (int i = 0; i < 2; i++) {
        if (!ranges[i])
            continue;
        struct sim_record *record = sim_record_find(ranges[i]->start);
        struct piece piece = piece_of(&record->memory);
        choose(&best, &piece, address);
    }
    return best;
}

/* The same of what was freed; the last one that was there counts. Under the lock. */
static struct piece nearest_freed(uint64_t address)
{
    struct piece best = {.size = 0};
    uint64_t oldest = freed_count > FREED_MAX ? freed_count - FREED_MAX : 0;
    for (uint64_t i = freed_count; i > oldest; i--)
        choose(&best, &freed[(i - 1) % FREED_MAX], address);
    return best;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void name_piece(const struct piece *piece, char *out, size_t out_size)
{
    static const char *const words[] = {
        [SIM_MEMORY_DEVICE] = "allocation",
        [SIM_MEMORY_VARIABLE] = "variable",
        [SIM_MEMORY_HEAP] = "allocation of a kernel's malloc",
        [SIM_MEMORY_HOST] = "host allocation",
        [SIM_MEMORY_REGISTERED] = "registered memory of the host",
        [SIM_MEMORY_MANAGED] = "managed allocation",
        [SIM_MEMORY_MAPPING] = "mapping",
    };
    char device[32] = "";
    bool owned =
        piece->device >= 0 && piece->kind != SIM_MEMORY_HOST && piece->kind != SIM_MEMORY_MANAGED;
    if (owned)
        snprintf(device, sizeof device, " of device %d", piece->device);
    snprintf(out, out_size, "the %" PRIu64 "-byte %s%s%s at 0x%" PRIx64 "%s", piece->size,
             words[piece->kind], piece->label[0] ? " " : "", piece->label, piece->address, device);
}

static void describe_piece(const struct piece *piece, uint64_t address, bool was_freed, char *out,
                           size_t out_size)
{
    char name[192], where[64];
    uint64_t offset = address - piece->address;
    const char *unit = "bytes";
    name_piece(piece, name, sizeof name);
    if (address < piece->address)
        snprintf(where, sizeof where, "%" PRIu64 " %s before", piece->address - address, unit);
    else if (offset < piece->size)
        snprintf(where, sizeof where, "%" PRIu64 " %s inside", offset, unit);
    else if (offset == piece->size)
        snprintf(where, sizeof where, "at the end of");
    else
        snprintf(where, sizeof where, "%" PRIu64 " %s past the end of", offset - piece->size, unit);
    snprintf(out, out_size, "%s %s%s", where, name, was_freed ? ", freed" : "");
}

/* Nothing is or was there, nor near. */
static void describe_nothing(uint64_t address, char *out, size_t out_size)
{
    const struct sim_reservation *reservation = sim_reservation_find(address);
    if (reservation)
        snprintf(out, out_size,
                 "inside the %zu bytes of addresses reserved at 0x%" PRIx64
                 ", where nothing is mapped",
                 reservation->range.size, (uint64_t)reservation->range.start);
    else if (address < SIM_PAGE)
        snprintf(out, out_size, "a null pointer%s", address ? " and an offset" : "");
    else if (address - sim_space.base < sim_space.size)
        snprintf(out, out_size, "no allocation is near");
    else
        snprintf(out, out_size,
                 "no allocation is near; memory of the host must be registered or allocated for "
                 "devices");
}

void sim_memory_describe(uint64_t address, char *out, size_t out_size)
{
    pthread_mutex_lock(&sim_state.lock);
    struct piece live = nearest_live(address), gone = nearest_freed(address);
    bool inside = live.size && distance(&live, address) == 0;
    bool was = gone.size && distance(&gone, address) == 0;
    bool reserved = !inside && !was && sim_reservation_find(address);
    if (inside || (live.size && !was && !reserved))
        describe_piece(&live, address, false, out, out_size);
    else if (gone.size && !reserved)
        describe_piece(&gone, address, true, out, out_size);
    else
        describe_nothing(address, out, out_size);
    pthread_mutex_unlock(&sim_state.lock);
}
