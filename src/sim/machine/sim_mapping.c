/* Owns reserved addresses, physical memory, and the mappings between them. */
#include "log.h"
#include "process.h"
#include "sim_space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct sim_reservation *reservation_of(struct ah_range *range)
{
    return (struct sim_reservation *)(void *)range; /* its first member */
}

struct sim_reservation *sim_reservation_find(uint64_t address)
{
    return reservation_of(ah_ranges_find(&sim_state.reservations, address));
}

void sim_reservations_clear(void)
{
    while (sim_state.reservations.root) {
        struct ah_range *range = sim_state.reservations.root;
        ah_ranges_remove(&sim_state.reservations, range);
        free(reservation_of(range));
    }
}

/* ---- addresses -------------------------------------------------------------------------- */

/* At hint, where that can be, or anywhere. */
static uint64_t take(uint64_t size, uint64_t alignment, uint64_t hint)
{
    bool useful = hint && hint % alignment == 0 && sim_is_device_address(hint);
    if (useful && sim_addresses_reserve_at(&sim_state.device_part.addresses, hint, size))
        return hint;
    return sim_addresses_reserve(&sim_state.device_part.addresses, size, alignment);
}

uint64_t sim_address_reserve(size_t size, size_t alignment, uint64_t hint)
{
    uint64_t address = 0;
    if (!sim_state.open || size == 0 || size > sim_space.device_size ||
        (alignment & (alignment - 1)) != 0 || alignment > sim_space.device_size)
        return 0;
    struct sim_reservation *reservation = calloc(1, sizeof *reservation);
    if (!reservation)
        return 0;
    size = sim_round_up(size, SIM_PAGE);
    pthread_mutex_lock(&sim_state.lock);
    address = take(size, alignment < SIM_PAGE ? SIM_PAGE : alignment, hint);
    if (address) {
        reservation->range = (struct ah_range){.start = address, .size = size};
        ah_ranges_insert(&sim_state.reservations, &reservation->range);
    }
    pthread_mutex_unlock(&sim_state.lock);
    if (!address)
        free(reservation);
    return address;
}

bool sim_address_free(uint64_t address, size_t size)
{
    pthread_mutex_lock(&sim_state.lock);
    struct sim_reservation *reservation = sim_reservation_find(address);
    bool whole = reservation && reservation->range.start == address && size > 0 &&
                 reservation->range.size == sim_round_up(size, SIM_PAGE) && !reservation->mappings;
    if (whole) {
        ah_ranges_remove(&sim_state.reservations, &reservation->range);
        if (!reservation->spoiled)
            sim_addresses_release(&sim_state.device_part.addresses, address,
                                  reservation->range.size);
        free(reservation);
    }
    pthread_mutex_unlock(&sim_state.lock);
    return whole;
}

/* ---- physical memory ------------------------------------------------------------------------ */

int sim_physical_create(int device, size_t size, size_t tail)
{
    if (device < 0 || device >= sim_state.device_count || size == 0)
        return -1;
    pthread_mutex_lock(&sim_state.lock);
    bool fits = sim_charge(device, size);
    pthread_mutex_unlock(&sim_state.lock);
    if (!fits)
        return -1;
    int file = ah_sealed_file_create("simulated device memory", sim_round_up(size, SIM_PAGE) + tail,
                                     false);
    if (file >= 0)
        return file;
    AH_LOG_ERR("physical memory of %zu bytes cannot be created: %s", size, strerror(errno));
    sim_physical_close(device, size, file);
    return -1;
}

void sim_physical_close(int device, size_t size, int file)
{
    if (file >= 0)
        close(file);
    if (device < 0 || device >= sim_state.device_count)
        return;
    pthread_mutex_lock(&sim_state.lock);
    sim_discharge(device, size);
    pthread_mutex_unlock(&sim_state.lock);
}

/* ---- mappings ---------------------------------------------------------------------- */

static bool in_pages(uint64_t address, size_t size, size_t offset)
{
    return ((address | size | offset) & (SIM_PAGE - 1)) == 0 && size > 0;
}

/* The reservation that has all of the addresses while nothing is mapped there. Under the lock. */
static struct sim_reservation *room_for(uint64_t address, size_t size)
{
    struct sim_reservation *reservation = sim_reservation_find(address);
    if (!reservation || size > reservation->range.size - (address - reservation->range.start) ||
        ah_ranges_overlaps(&sim_state.table, address, size))
        return NULL;
    return reservation;
}

/* Address and offset lie equally far from the start of a page. Under the lock. */
static struct sim_record *map(uint64_t address, size_t size, int file, size_t offset, int device)
{
    struct sim_reservation *reservation = room_for(address, size);
    struct sim_record *record =
        reservation ? sim_record_create(SIM_MEMORY_MAPPING, device, address, size) : NULL;
    if (!record)
        return NULL;
    if (!sim_lookup_add(&(struct sim_lookup){address, size, sim_space.to_view, 0, 0})) {
        free(record);
        return NULL;
    }
    size_t ahead = offset % SIM_PAGE; /* of the first page */
    if (mmap(record->memory.view - ahead, size + ahead, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, file, (off_t)(offset - ahead)) == MAP_FAILED) {
        AH_LOG_ERR("physical memory cannot be mapped: %s", strerror(errno));
        sim_lookup_remove(address);
        free(record);
        return NULL;
    }
    ah_ranges_insert(&sim_state.table, &record->range);
    reservation->mappings++;
    return record;
}

static struct sim_record *map_locked(uint64_t address, size_t size, int file, size_t offset,
                                     int device)
{
    pthread_mutex_lock(&sim_state.lock);
    struct sim_record *record = map(address, size, file, offset, device);
    pthread_mutex_unlock(&sim_state.lock);
    if (record) {
        sim_granules_set(address, size, SIM_OWNER_LOOKUP);
        sim_memory_wrote(address, size); /* another mapping may have written it */
    }
    return record;
}

struct sim_memory *sim_memory_map(uint64_t address, size_t size, int file, size_t offset,
                                  int device)
{
    if (!in_pages(address, size, offset))
        return NULL;
    struct sim_record *record = map_locked(address, size, file, offset, device);
    return record ? &record->memory : NULL;
}

struct sim_memory *sim_memory_open(int file, uint64_t offset, size_t size, int device)
{
    size_t ahead = offset % SIM_PAGE;
    if (offset % SIM_GRANULE != 0 || size == 0 || size > sim_space.device_size)
        return NULL;
    uint64_t start = sim_address_reserve(size + ahead, 0, 0);
    struct sim_record *record =
        start ? map_locked(start + ahead, size, file, offset, device) : NULL;
    if (record)
        record->opened = true;
    else if (start)
        sim_address_free(start, size + ahead);
    return record ? &record->memory : NULL;
}

void sim_memory_set_access(struct sim_memory *memory, int device, enum sim_access access)
{
    uint64_t readers = 0, writers = 0;
    if (memory->kind != SIM_MEMORY_MAPPING || device < 0 || device >= sim_state.device_count)
        return;
    pthread_mutex_lock(&sim_state.lock);
    memory->access[device] = (unsigned char)access;
    for (int i = 0; i < SIM_DEVICES_MAX; i++) {
        readers |= (uint64_t)(memory->access[i] & 1) << i;
        writers |= (uint64_t)(memory->access[i] >> 1 & 1) << i;
    }
    sim_lookup_change(memory->address, readers, writers);
    pthread_mutex_unlock(&sim_state.lock);
}

/* What is there afterwards is memory too: a kernel on its way to it does no harm. */
void sim_mapping_end(struct sim_record *record)
{
    const struct sim_memory *memory = &record->memory;
    size_t ahead = memory->address % SIM_PAGE;
    bool gone = mmap(memory->view - ahead, memory->size + ahead, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (!gone)
        AH_LOG_ERR("physical memory cannot be unmapped: %s", strerror(errno));
    sim_written_clear(memory->address, memory->size);
    pthread_mutex_lock(&sim_state.lock);
    struct sim_reservation *reservation = sim_reservation_find(memory->address);
    reservation->mappings--;
    reservation->spoiled |= !gone;
    pthread_mutex_unlock(&sim_state.lock);
    if (record->opened)
        sim_address_free(memory->address - ahead, memory->size + ahead);
}
