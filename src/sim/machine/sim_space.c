/* Owns the address space: where the devices' and the host's part and their
 * tables lie, the granules, what is returned to the kernel, which device may access which memory.
 *
 * One reservation holds all: the devices' part (no access), the host's part, the
 * view of the devices' part, and the tables. Nothing of it takes memory until it
 * is touched. */
#include "sim_space.h"

#include "log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GIB (UINT64_C(1) << 30)
enum {
    LARGE_PAGE = 2 << 20,
    ROOM_GIB = 256,           /* addresses of devices beyond twice their memory: for reservations */
    DROP_MIN = 64 * SIM_PAGE, /* of a table, for the kernel to be quicker at zeroing it */
};
static const uint64_t device_size_min = GIB / 4;

struct sim_space sim_space;
struct sim_state sim_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What sim_space_close releases. */
static void *reservation;
static size_t reservation_size;

struct layout { /* sizes of the pieces, in their order */
    uint64_t device, host, granules, lookup, written;
};

static uint64_t total(const struct layout *layout)
{
    return 2 * layout->device + layout->host + layout->granules + layout->lookup + layout->written;
}

static struct layout lay_out(uint64_t device, uint64_t host)
{
    device = sim_round_up(device, LARGE_PAGE);
    host = sim_round_up(host, LARGE_PAGE);
    uint64_t granules = (device + host) / SIM_GRANULE * sizeof(uint16_t);
    return (struct layout){device, host, sim_round_up(granules, LARGE_PAGE),
                           sim_round_up(sim_lookup_size(), LARGE_PAGE),
                           sim_round_up(sim_written_size(device), LARGE_PAGE)};
}

/* Reserves size bytes of which those from accessible on may be touched. */
static unsigned char *reserve(uint64_t size, uint64_t accessible)
{
    size_t whole = size + LARGE_PAGE;
    unsigned char *start =
        mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    unsigned char *aligned = start + (-(uintptr_t)start & (LARGE_PAGE - 1));
    if (mprotect(aligned + accessible, size - accessible, PROT_READ | PROT_WRITE) != 0) {
        munmap(start, whole);
        return NULL;
    }
    reservation = start;
    reservation_size = whole;
    return aligned;
}

/* Reserves what the layout says, or less: half of the most that the process may
 * have, because it needs addresses for other things too. */
static unsigned char *reserve_some(struct layout *layout)
{
    unsigned char *base = reserve(total(layout), layout->device);
    uint64_t wanted = layout->device;
    bool refused = !base;
    while (!base && layout->device / 2 >= device_size_min) {
        *layout = lay_out(layout->device / 2, layout->host / 2);
        base = reserve(total(layout), layout->device);
    }
    if (base && refused && layout->device / 2 >= device_size_min) {
        munmap(reservation, reservation_size);
        *layout = lay_out(layout->device / 2, layout->host / 2);
        base = reserve(total(layout), layout->device);
    }
    if (!base)
        AH_LOG_ERR(
            "simulated devices use %llu MiB of addresses, and need at least %llu: the process "
            "cannot reserve them (see ulimit -v)",
            (unsigned long long)wanted >> 20, (unsigned long long)total(layout) >> 20);
    else if (refused)
        AH_LOG_WARN("the process cannot reserve %llu GiB of addresses for the memory of simulated "
                    "devices: using %llu MiB",
                    (unsigned long long)(wanted / GIB), (unsigned long long)layout->device >> 20);
    return base;
}

static void lock_state(void)
{
    pthread_mutex_lock(&sim_state.lock);
}

static void unlock_state(void)
{
    pthread_mutex_unlock(&sim_state.lock);
}

/* A child has the table as a whole, even when another thread was changing it. */
static void prepare_forks(void)
{
    pthread_atfork(lock_state, unlock_state, unlock_state);
}

static uint64_t memory_of_host(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 64 * GIB;
}

/* The tables follow the view of the devices' part. */
static void open_tables(unsigned char *base, const struct layout *layout)
{
    unsigned char *granules = base + 2 * layout->device + layout->host;
    unsigned char *lookup = granules + layout->granules, *written = lookup + layout->lookup;
    sim_space.base = (uintptr_t)base;
    sim_space.device_size = layout->device;
    sim_space.to_view = layout->device + layout->host;
    (void)madvise(granules, layout->granules, MADV_HUGEPAGE); /* all of the kernels' accesses go
                                                                 there first */
    sim_space.granules = (_Atomic(uint16_t) *)(void *)granules;
    sim_lookup_open(lookup);
    sim_written_open(layout->written ? written : NULL);
    sim_space.size = layout->device + layout->host;
}

bool sim_space_open(const size_t *device_bytes, int count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint64_t sum = 0, host = memory_of_host();
    if (sim_state.open || count < 0 || count > SIM_DEVICES_MAX)
        return false;
    for (int i = 0; i < count; i++)
        sum += device_bytes[i] < UINT64_MAX / 256 ? device_bytes[i] : UINT64_MAX / 256;
    struct layout layout = lay_out(2 * sum + ROOM_GIB * GIB, host);
    unsigned char *base = reserve_some(&layout);
    if (!base)
        return false;
    if (!sim_addresses_init(&sim_state.device_part.addresses, (uintptr_t)base, layout.device) ||
        !sim_addresses_init(&sim_state.host_part.addresses, (uintptr_t)base + layout.device,
                            layout.host)) {
        sim_addresses_fini(&sim_state.device_part.addresses);
        munmap(reservation, reservation_size);
        return false;
    }
    sim_state.open = true;
    sim_state.device_count = count;
    sim_state.host_capacity = host;
    for (int i = 0; i < count; i++) {
        sim_state.capacity[i] = device_bytes[i];
        atomic_store(&sim_space.accessible[i], UINT64_C(1) << i);
    }
    open_tables(base, &layout);
    pthread_once(&once, prepare_forks);
    return true;
}

void sim_space_close(void)
{
    if (!sim_state.open)
        return;
    while (sim_state.table.root) {
        struct ah_range *range = sim_state.table.root;
        ah_ranges_remove(&sim_state.table, range);
        free((char *)range - offsetof(struct sim_record, range));
    }
    sim_reservations_clear();
    sim_freed_clear();
    sim_shared_close();
    sim_contents_close();
    sim_lookup_open(NULL);
    sim_written_open(NULL);
    sim_addresses_fini(&sim_state.device_part.addresses);
    sim_addresses_fini(&sim_state.host_part.addresses);
    sim_state.device_part.kept = sim_state.host_part.kept = 0;
    munmap(reservation, reservation_size);
    uint64_t epoch = atomic_load(&sim_space.epoch) + 1; /* spans outlive what is closed */
    memset(&sim_space, 0, sizeof sim_space);
    atomic_store(&sim_space.epoch, epoch);
    memset(sim_state.used, 0, sizeof sim_state.used);
    memset(sim_state.capacity, 0, sizeof sim_state.capacity);
    sim_state.host_used = 0;
    sim_state.device_count = 0;
    sim_state.open = false;
}

/* ---- granules ------------------------------------------------------------------- */

/* Four entries at a time: a gibibyte has four million. */
static void fill(uint64_t first, uint64_t count, unsigned entry)
{
    typedef uint64_t __attribute__((may_alias)) four_entries;
    _Atomic(uint16_t) *at = &sim_space.granules[first], *end = at + count;
    uint64_t four = entry * UINT64_C(0x0001000100010001);
    for (; at < end && (uintptr_t)at % sizeof four != 0; at++)
        atomic_store_explicit(at, (uint16_t)entry, memory_order_relaxed);
    for (; end - at >= 4; at += 4)
        __atomic_store_n((four_entries *)(void *)at, four, __ATOMIC_RELAXED);
    for (; at < end; at++)
        atomic_store_explicit(at, (uint16_t)entry, memory_order_relaxed);
}

static unsigned entry_of(unsigned owner, uint64_t count)
{
    return owner << 9 | (owner == SIM_OWNER_LOOKUP ? 0 : (unsigned)count);
}

void sim_granules_set(uint64_t address, uint64_t size, unsigned owner)
{
    uint64_t first = (address - sim_space.base) / SIM_GRANULE;
    fill(first, size / SIM_GRANULE, entry_of(owner, SIM_GRANULE));
    if (size % SIM_GRANULE)
        fill(first + size / SIM_GRANULE, 1, entry_of(owner, size % SIM_GRANULE));
}

void sim_granules_clear(uint64_t address, uint64_t size)
{
    uint64_t first = (address - sim_space.base) / SIM_GRANULE;
    uint64_t count = sim_round_up(size, SIM_GRANULE) / SIM_GRANULE;
    uint64_t per_page = SIM_PAGE / sizeof(uint16_t);
    uint64_t page = sim_round_up(first, per_page), last = (first + count) & -per_page;
    if (last < page + DROP_MIN / SIM_PAGE * per_page) {
        fill(first, count, 0);
        return;
    }
    fill(first, page - first, 0);
    sim_table_zero(&sim_space.granules[page], (last - page) * sizeof(uint16_t));
    fill(last, first + count - last, 0);
}

void sim_granules_trim(const struct sim_addresses *addresses, uint64_t address)
{
    const uint64_t entries = LARGE_PAGE / sizeof(uint16_t), span = entries * SIM_GRANULE;
    uint64_t row = (address - sim_space.base) / span, start = sim_space.base + row * span;
    bool next_is_here = addresses->cursor >= start && addresses->cursor - start < span;
    if (!next_is_here && sim_addresses_are_free(addresses, start, span))
        (void)madvise((void *)&sim_space.granules[row * entries], LARGE_PAGE, MADV_DONTNEED);
}

void sim_table_zero(void *start, size_t size)
{
    unsigned char *at = start, *end = at + size;
    unsigned char *page = at + (-(uintptr_t)at & (SIM_PAGE - 1));
    unsigned char *last = end - ((uintptr_t)end & (SIM_PAGE - 1));
    if (size < DROP_MIN || madvise(page, (size_t)(last - page), MADV_DONTNEED) != 0) {
        memset(at, 0, size);
        return;
    }
    memset(at, 0, (size_t)(page - at));
    memset(last, 0, (size_t)(end - last));
}

/* ---- capacities and peers --------------------------------------------------------------- */

bool sim_charge(int device, uint64_t bytes)
{
    size_t *used = device < 0 ? &sim_state.host_used : &sim_state.used[device];
    size_t capacity = device < 0 ? sim_state.host_capacity : sim_state.capacity[device];
    if (bytes > capacity || *used > capacity - bytes)
        return false;
    *used += bytes;
    return true;
}

void sim_discharge(int device, uint64_t bytes)
{
    *(device < 0 ? &sim_state.host_used : &sim_state.used[device]) -= bytes;
}

static bool is_device(int device)
{
    return device >= 0 && device < sim_state.device_count;
}

size_t sim_memory_used(int device)
{
    if (!is_device(device))
        return 0;
    pthread_mutex_lock(&sim_state.lock);
    size_t used = sim_state.used[device];
    pthread_mutex_unlock(&sim_state.lock);
    return used;
}

void sim_peer_set(int device, int peer, bool reachable)
{
    if (!is_device(device) || !is_device(peer) || device == peer)
        return;
    if (reachable)
        atomic_fetch_or(&sim_space.accessible[device], UINT64_C(1) << peer);
    else
        atomic_fetch_and(&sim_space.accessible[device], ~(UINT64_C(1) << peer));
    atomic_fetch_add(&sim_space.epoch, 1);
}

bool sim_peer_get(int device, int peer)
{
    return is_device(device) && is_device(peer) &&
           atomic_load(&sim_space.accessible[device]) >> peer & 1;
}
