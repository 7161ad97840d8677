/* Owns the table of allocations: what is allocated or registered where, and what
 * of it a device may access. */
#include "sim_memory.h"

#include "sim_space.h"

#include <stdatomic.h>
#include <stdlib.h>

static struct sim_record *record_of(struct ah_range *range)
{
    return range ? (struct sim_record *)(void *)((char *)range - offsetof(struct sim_record, range))
                 : NULL;
}

struct sim_record *sim_record_find(uint64_t address)
{
    return record_of(ah_ranges_find(&sim_state.table, address));
}

struct sim_record *sim_record_create(enum sim_kind kind, int device, uint64_t address, size_t size)
{
    struct sim_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    record->memory = (struct sim_memory){
        .id = ++sim_state.last_id,
        .kind = kind,
        .device = device,
        .address = address,
        .size = size,
        .view = sim_view(address),
    };
    record->range = (struct ah_range){.start = address, .size = size};
    return record;
}

/* ---- allocations -------------------------------------------------------------------- */

static atomic_bool wide_guards;

void sim_memory_widen_guards(bool on)
{
    atomic_store(&wide_guards, on);
}

/* After each allocation comes a guard, which belongs to no allocation, so that an access
 * beyond its end is not one to its neighbour. */
static uint64_t with_guard(size_t size, bool wide)
{
    enum { GUARD_MAX = 64 << 10, WIDE_MIN = 1 << 20 };
    uint64_t whole = sim_round_up(size, SIM_GRANULE);
    if (wide)
        return whole + (whole > WIDE_MIN ? whole : WIDE_MIN);
    uint64_t guard = sim_round_up(whole / 64, SIM_GRANULE);
    return whole + (guard < SIM_GRANULE ? SIM_GRANULE : guard > GUARD_MAX ? GUARD_MAX : guard);
}

static bool of_host(enum sim_kind kind)
{
    return kind == SIM_MEMORY_HOST || kind == SIM_MEMORY_MANAGED;
}

/* What an allocation takes of the capacity of its device, or of the host's memory
 * (managed memory may be more than there is: not all of it need ever be used). */
static uint64_t charge_of(const struct sim_memory *memory)
{
    bool counted = memory->kind <= SIM_MEMORY_HOST;
    return counted ? sim_round_up(memory->size, SIM_GRANULE) : 0;
}

static bool may_create(enum sim_kind kind, int device, size_t size, size_t alignment)
{
    bool known = kind <= SIM_MEMORY_HOST || kind == SIM_MEMORY_MANAGED;
    bool placed = of_host(kind) ? device >= -1 && device < sim_state.device_count
                                : device >= 0 && device < sim_state.device_count;
    return sim_state.open && known && placed && size > 0 && size <= sim_space.size &&
           (alignment & (alignment - 1)) == 0 && alignment <= sim_space.size;
}

static struct sim_part *part_of(enum sim_kind kind)
{
    return of_host(kind) ? &sim_state.host_part : &sim_state.device_part;
}

/* How many addresses an allocation gets. Wide guards leave half of them to programs. */
static uint64_t choose_taken(enum sim_kind kind, size_t size)
{
    uint64_t usual = with_guard(size, false), wide = with_guard(size, true);
    uint64_t part = of_host(kind) ? sim_space.size - sim_space.device_size : sim_space.device_size;
    bool fits = part_of(kind)->wide + wide - usual <= part / 2;
    return atomic_load(&wide_guards) && fits ? wide : usual;
}

/* Addresses may be too few for the alignment of large pages. Under the lock. */
static uint64_t reserve(struct sim_addresses *addresses, uint64_t taken, size_t size,
                        size_t alignment)
{
    uint64_t large = sim_contents_alignment(size), address = 0;
    if (large > alignment)
        address = sim_addresses_reserve(addresses, taken, large);
    return address ? address : sim_addresses_reserve(addresses, taken, alignment);
}

/* Under the lock. */
static struct sim_record *create(enum sim_kind kind, int device, size_t size, size_t alignment)
{
    struct sim_addresses *addresses = &part_of(kind)->addresses;
    uint64_t before = addresses->cursor;
    uint64_t taken = choose_taken(kind, size);
    uint64_t address = reserve(addresses, taken, size, alignment);
    if (!address)
        return NULL;
    sim_granules_trim(addresses, before);
    struct sim_record *record = sim_record_create(kind, device, address, size);
    if (!record || !sim_charge(of_host(kind) ? -1 : device, charge_of(&record->memory))) {
        sim_addresses_release(addresses, address, taken);
        free(record);
        return NULL;
    }
    record->taken = taken;
    part_of(kind)->wide += taken - with_guard(size, false);
    ah_ranges_insert(&sim_state.table, &record->range);
    return record;
}

struct sim_memory *sim_memory_create(enum sim_kind kind, int device, size_t size, size_t alignment)
{
    if (alignment < SIM_GRANULE && (alignment & (alignment - 1)) == 0)
        alignment = SIM_GRANULE;
    if (!may_create(kind, device, size, alignment))
        return NULL;
    pthread_mutex_lock(&sim_state.lock);
    struct sim_record *record = create(kind, device, size, alignment);
    pthread_mutex_unlock(&sim_state.lock);
    if (!record)
        return NULL;
    sim_contents_expect(&record->memory);
    sim_granules_set(record->memory.address, size,
                     of_host(kind) ? SIM_OWNER_ALL : (unsigned)device);
    return &record->memory;
}

struct sim_memory *sim_memory_attach(uint64_t start, size_t size, unsigned char *view,
                                     bool writable)
{
    uint64_t last = start + size - 1;
    struct sim_lookup entry = {start, size, (uintptr_t)view - start, UINT64_MAX,
                               writable ? UINT64_MAX : 0};
    struct sim_record *record = NULL;
    if (!start || size == 0 || last < start)
        return NULL;
    pthread_mutex_lock(&sim_state.lock);
    bool ours = start < sim_space.base + sim_space.size && last >= sim_space.base;
    if (sim_state.open && !ours && !ah_ranges_overlaps(&sim_state.table, start, size))
        record = sim_record_create(SIM_MEMORY_REGISTERED, -1, start, size);
    if (record && !sim_lookup_add(&entry)) {
        free(record);
        record = NULL;
    }
    if (record) {
        record->memory.view = view;
        record->memory.read_only = !writable;
        ah_ranges_insert(&sim_state.table, &record->range);
    }
    pthread_mutex_unlock(&sim_state.lock);
    return record ? &record->memory : NULL;
}

struct sim_memory *sim_memory_register(void *address, size_t size)
{
    return sim_memory_attach((uintptr_t)address, size, address, true);
}

/* Under the lock. */
static void release_addresses(const struct sim_record *record)
{
    const struct sim_memory *memory = &record->memory;
    struct sim_part *part = part_of(memory->kind);
    part->wide -= record->taken - with_guard(memory->size, false);
    sim_addresses_release(&part->addresses, memory->address, record->taken);
    sim_granules_trim(&part->addresses, memory->address);
    sim_contents_discard_edges(part, memory->address, memory->address + record->taken);
    sim_discharge(of_host(memory->kind) ? -1 : memory->device, charge_of(memory));
}

void sim_memory_destroy(struct sim_memory *memory)
{
    if (!memory)
        return;
    struct sim_record *record = (struct sim_record *)memory; /* its first member */
    if (memory->kind != SIM_MEMORY_REGISTERED)
        sim_granules_clear(memory->address, memory->size);
    pthread_mutex_lock(&sim_state.lock);
    ah_ranges_remove(&sim_state.table, &record->range);
    if (!record->taken)
        sim_lookup_remove(memory->address);
    atomic_fetch_add(&sim_space.epoch, 1);
    sim_freed_remember(memory);
    sim_shared_remove(memory);
    pthread_mutex_unlock(&sim_state.lock);
    /* No other thread knows the addresses yet, so that the kernel may work outside of the lock. */
    if (memory->kind == SIM_MEMORY_MAPPING)
        sim_mapping_end(record);
    if (record->taken) {
        sim_contents_discard_own(memory->address, memory->address + record->taken);
        sim_written_clear(memory->address, memory->size);
        pthread_mutex_lock(&sim_state.lock);
        release_addresses(record);
        pthread_mutex_unlock(&sim_state.lock);
    }
    free(record);
}

/* ---- questions ------------------------------------------------------------------------- */

struct sim_memory *sim_memory_find(uint64_t address)
{
    pthread_mutex_lock(&sim_state.lock);
    struct sim_record *record = sim_record_find(address);
    pthread_mutex_unlock(&sim_state.lock);
    return record ? &record->memory : NULL;
}

uint64_t sim_memory_id(uint64_t address)
{
    pthread_mutex_lock(&sim_state.lock);
    struct sim_record *record = sim_record_find(address);
    uint64_t id = record ? record->memory.id : 0;
    pthread_mutex_unlock(&sim_state.lock);
    return id;
}

bool sim_memory_is_fine(const unsigned char *view)
{
    uint64_t here = (uintptr_t)view, there = here - sim_space.to_view;
    pthread_mutex_lock(&sim_state.lock);
    struct sim_record *record = sim_record_find(sim_is_device_address(there) ? there : here);
    bool fine = record && record->memory.fine;
    pthread_mutex_unlock(&sim_state.lock);
    return fine;
}

/* Visits without the lock, so that visit may do anything, also destroy what it sees. */
void sim_memory_each(bool (*visit)(struct sim_memory *memory, void *data), void *data)
{
    struct sim_record *record;
    uint64_t address = 0;
    do {
        pthread_mutex_lock(&sim_state.lock);
        record = record_of(ah_ranges_above(&sim_state.table, address));
        if (record)
            address = record->memory.address;
        pthread_mutex_unlock(&sim_state.lock);
    } while (record && visit(&record->memory, data));
}

static bool may_access(const struct sim_memory *memory, int device, bool write)
{
    if (memory->kind == SIM_MEMORY_MAPPING) {
        enum sim_access needed = write ? SIM_ACCESS_READ_WRITE : SIM_ACCESS_READ;
        for (int i = 0; i < sim_state.device_count; i++)
            if ((device == i || device < 0) && (memory->access[i] & needed) == needed)
                return true;
        return false;
    }
    if (write && memory->read_only)
        return false;
    if (device < 0 || memory->device < 0 || of_host(memory->kind))
        return true;
    return sim_peer_get(device, memory->device);
}

/* Translates a few granules in a row, without the lock: they belong to one allocation, as no
 * allocation begins where another one ends. NULL: there are too many, or the table of allocations
 * has to be consulted. */
static unsigned char *translate_granules(int device, uint64_t address, size_t size)
{
    enum { MANY = 16 };
    uint64_t start = address - sim_space.base;
    unsigned owner = SIM_OWNER_LOOKUP;
    if (size == 0 || size > MANY * SIM_GRANULE || start >= sim_space.size ||
        size > sim_space.size - start)
        return NULL;
    for (uint64_t at = start, end = start + size; at < end; at += SIM_GRANULE - at % SIM_GRANULE) {
        unsigned granule =
            atomic_load_explicit(&sim_space.granules[at / SIM_GRANULE], memory_order_relaxed);
        uint64_t last = end - (at - at % SIM_GRANULE);
        if ((last < SIM_GRANULE ? last : SIM_GRANULE) > (granule & 0x1ff))
            return NULL;
        owner = granule >> 9;
    }
    if (owner < SIM_DEVICES_MAX && device >= 0 && !sim_peer_get(device, (int)owner))
        return NULL;
    return sim_view(address);
}

/* Whether two pieces that follow each other may be accessed as one. */
static bool follows(const struct sim_memory *memory, const struct sim_memory *next)
{
    bool in_rows = memory->kind == SIM_MEMORY_MAPPING || memory->kind == SIM_MEMORY_REGISTERED;
    return in_rows && next->kind == memory->kind && next->view == memory->view + memory->size;
}

/* NULL: *out_unknown is the first address that is in no allocation, 0: they all are. */
static unsigned char *reach_records(int device, uint64_t address, size_t size, bool write,
                                    uint64_t *out_unknown)
{
    unsigned char *first = NULL;
    *out_unknown = 0;
    pthread_mutex_lock(&sim_state.lock);
    const struct sim_record *record = sim_record_find(address);
    while (record && may_access(&record->memory, device, write)) {
        const struct sim_memory *memory = &record->memory;
        uint64_t offset = address - memory->address;
        first = first ? first : memory->view + offset;
        if (size <= memory->size - offset) {
            pthread_mutex_unlock(&sim_state.lock);
            return first;
        }
        size -= memory->size - offset;
        address = memory->address + memory->size;
        const struct sim_record *next = sim_record_find(address);
        record = next && follows(memory, &next->memory) ? next : NULL;
    }
    if (!sim_record_find(address))
        *out_unknown = address;
    pthread_mutex_unlock(&sim_state.lock);
    return NULL;
}

unsigned char *sim_translate_range(int device, uint64_t address, size_t size, bool write)
{
    uint64_t unknown;
    unsigned char *first = translate_granules(device, address, size);
    while (!first) {
        first = reach_records(device, address, size, write, &unknown);
        if (!first && (!unknown || !sim_memory_resolve(unknown, write)))
            break;
    }
    return first;
}
