/* The memory that simulated devices see.
 *
 * One address space for the process, shared by all its simulated devices, as
 * unified addressing has it. Device memory has addresses of its own: the host
 * faults on them, and the simulator reads and writes the same bytes elsewhere
 * (their view). Memory of the host that devices may use keeps its host address.
 * Memory is committed when it is touched.
 *
 * Every access of a kernel is checked to the byte: sim_translate answers from a
 * table of 256-byte granules without a lock, also while other threads allocate. All
 * functions may be called from any thread. */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses of a kernel that are not in memory of the device: each thread's or
 * block's own. Windows of 4 GiB above every address a host process can have. */
#define SIM_SHARED_WINDOW UINT64_C(0x800100000000) /* of the block: shared memory, LDS */
#define SIM_LOCAL_WINDOW  UINT64_C(0x800200000000) /* of the thread: stack, scratch */
#define SIM_PARAM_WINDOW  UINT64_C(0x800300000000) /* of the launch: kernel parameters */
#define SIM_WINDOW_SIZE   (UINT64_C(1) << 32)

enum { SIM_DEVICES_MAX = 64, SIM_GRANULE = 256 };

enum sim_kind {
    SIM_MEMORY_DEVICE,     /* allocated for one device */
    SIM_MEMORY_VARIABLE,   /* a variable of a module; on one device */
    SIM_MEMORY_HEAP,       /* a kernel's malloc; on one device */
    SIM_MEMORY_HOST,       /* host memory made for devices; one address for all */
    SIM_MEMORY_REGISTERED, /* the host program's own memory, registered */
    SIM_MEMORY_MANAGED,    /* for host and devices */
    SIM_MEMORY_MAPPING,    /* physical memory mapped at a reserved address */
};

enum sim_access { SIM_ACCESS_NONE, SIM_ACCESS_READ, SIM_ACCESS_READ_WRITE = 3 };

struct sim_memory { /* one allocation */
    uint64_t id;    /* never used again, > 0 */
    enum sim_kind kind;
    int device; /* -1: of no device */
    uint64_t address;
    size_t size;
    unsigned char *view;                   /* where the simulator reads and writes it */
    unsigned char access[SIM_DEVICES_MAX]; /* SIM_MEMORY_MAPPING: enum sim_access per device */
    _Atomic(const char *) label;           /* see sim_memory_name; NULL: it has none */
    void *owner;                           /* the allocating driver's */
    bool read_only;                        /* SIM_MEMORY_REGISTERED: devices only read it */
    bool fine; /* fine-grained: set by the allocating driver before the memory is used */
};

/* ---- the space ------------------------------------------------------------- */

/* Reserves the addresses, for devices with device_bytes[i] of memory each.
 * device_bytes: their capacities; count at most SIM_DEVICES_MAX. Called once,
 * before anything else here. Returns false when the process may not have so
 * many addresses (the log says how many). */
bool sim_space_open(const size_t *device_bytes, int count);

/* Releases everything: only for tests, while nothing is running. */
void sim_space_close(void);

/* ---- allocations ------------------------------------------------------------- */

/* Allocates size bytes (> 0) at a multiple of alignment (a power of two, 0: 256).
 * kind: DEVICE, VARIABLE, HEAP (counted against the device's capacity), HOST or
 * MANAGED (address == view). Contents are undefined but never another process's;
 * freed addresses are reused as late as possible, so that a use after
 * free is detected. NULL: out of memory of the device or the process.
 * The result stays valid until it is freed. */
struct sim_memory *sim_memory_create(enum sim_kind kind, int device, size_t size, size_t alignment);

/* Registers [address, address+size) of the host program. NULL: it
 * overlaps other registered memory, or out of memory. */
struct sim_memory *sim_memory_register(void *address, size_t size);

/* The same for memory that another component owns; the simulator accesses it at view, and does not
 * write it if it is not writable. */
struct sim_memory *sim_memory_attach(uint64_t address, size_t size, unsigned char *view,
                                     bool writable);

/* Names the memory in reports, which other threads may make at the same time. label lives as long
 * as the memory. */
static inline void sim_memory_name(struct sim_memory *memory, const char *label)
{
    atomic_store_explicit(&memory->label, label, memory_order_release);
}

/* Sets the function that is called for addresses in no allocation: it may register memory there,
 * and returns whether to look up the address again. It is called without locks, on threads of
 * kernels. NULL: none. */
void sim_memory_set_resolver(bool (*resolver)(uint64_t address, bool write));
/* Calls it. */
bool sim_memory_resolve(uint64_t address, bool write);

/* Addresses without memory, for sim_memory_map. 0: none left. hint: an address
 * to prefer, or 0. */
uint64_t sim_address_reserve(size_t size, size_t alignment, uint64_t hint);
/* The whole of a reservation, with nothing mapped in it. False: it is not. */
bool sim_address_free(uint64_t address, size_t size);

/* Physical memory: a file of the kernel's (memfd) of size bytes, counted against
 * the device's capacity until it is closed, and of tail more bytes, which are not. -1: none left.
 */
int sim_physical_create(int device, size_t size, size_t tail);
void sim_physical_close(int device, size_t size, int file);

/* Maps size bytes of file from offset at reserved addresses; no device may access
 * it until sim_memory_set_access. NULL: not reserved, or already mapped. */
struct sim_memory *sim_memory_map(uint64_t address, size_t size, int file, size_t offset,
                                  int device);
void sim_memory_set_access(struct sim_memory *memory, int device, enum sim_access access);

/* Device memory that another process may open: the file that holds it from now on,
 * at *out_offset. While it is called, nothing may run or copy. The file stays the
 * simulator's. -1: it cannot be shared. */
int sim_memory_share(const struct sim_memory *memory, uint64_t *out_offset);

/* The table of what this process shares now: a descriptor of it, for other processes, and the id of
 * its file. -1: nothing was ever shared. */
int sim_shared_table(uint64_t *out_id);

/* Memory of another process, as it said itself. */
struct sim_shared {
    int process, table;
    uint64_t table_id; /* of the table's file */
    uint32_t id;       /* the allocation's, in that process */
    uint64_t size;
};
/* Opens the file that holds it, at *out_offset. -1: the process has ended, or does not share
 * exactly this now. */
int sim_shared_open(const struct sim_shared *shared, uint64_t *out_offset);

/* Memory that another process shares: size bytes of its file from offset on, at
 * addresses of its own, for the devices that sim_memory_set_access names. NULL: it
 * is not available. */
struct sim_memory *sim_memory_open(int file, uint64_t offset, size_t size, int device);

/* Ends an allocation, a registration or a mapping. What runs and touches it
 * from now on faults. Accepts NULL. */
void sim_memory_destroy(struct sim_memory *memory);

/* The allocation that holds address, NULL: none. Not safe against its
 * destruction by another thread, as the pointer itself is not. */
struct sim_memory *sim_memory_find(uint64_t address);
/* Its id, 0: none. Safe while another thread destroys it. */
uint64_t sim_memory_id(uint64_t address);

/* Whether what the simulator finds at view is in fine-grained memory. Safe like the id. */
bool sim_memory_is_fine(const unsigned char *view);

/* Calls visit for all, by address, until it returns false. */
void sim_memory_each(bool (*visit)(struct sim_memory *memory, void *data), void *data);

size_t sim_memory_used(int device); /* bytes counted against the capacity */

/* Writes, for a report, what lies at or nearest to address: "4 bytes past the
 * end of the 1024-byte allocation at 0x...", "inside ..., freed" or that
 * nothing is near. */
void sim_memory_describe(uint64_t address, char *out, size_t out_size);

/* Whether kernels of device may touch memory of peer. A device reaches itself. */
void sim_peer_set(int device, int peer, bool reachable);
bool sim_peer_get(int device, int peer);

/* ---- accesses ------------------------------------------------------------------ */

/* A granule's entry: how many of its bytes are valid, from the first, and whose
 * they are: bits 0-8 count (0 to 256), bits 9-15 owner: a device's number (in
 * the devices' part only), SIM_OWNER_ALL for host and managed memory (in the
 * host's part only), SIM_OWNER_LOOKUP, with a count of 0, where only the table of
 * mappings has the answer. */
enum { SIM_OWNER_ALL = SIM_DEVICES_MAX, SIM_OWNER_LOOKUP };

/* Read by sim_translate, written by sim_memory.c only. */
struct sim_space {
    uint64_t base;               /* of the devices' part */
    uint64_t size;               /* of both parts, host's after the devices' */
    uint64_t device_size;        /* of the devices' part */
    uint64_t to_view;            /* view = address + to_view, in the devices' part */
    _Atomic(uint16_t) *granules; /* of both parts */
    _Atomic(uint64_t) accessible[SIM_DEVICES_MAX]; /* bit of a device: its memory may be accessed */
    _Atomic(uint64_t) epoch; /* counts what ends or changes allocations (sim_span.h) */
};
extern struct sim_space sim_space;

/* The rest of sim_translate: registered and mapped memory. */
unsigned char *sim_translate_slow(int device, uint64_t address, size_t size, bool write);

/* What the table of granules says about a range that does not cross a multiple of SIM_GRANULE:
 * where device accesses it, or NULL if it must not. False: only sim_translate_slow knows. */
static inline bool sim_look_up(const struct sim_space *space, int device, uint64_t address,
                               size_t size, unsigned char **out_where)
{
    uint64_t offset = address - space->base;
    if (__builtin_expect(offset >= space->size, 0))
        return false;
    unsigned granule =
        atomic_load_explicit(&space->granules[offset / SIM_GRANULE], memory_order_relaxed);
    unsigned owner = granule >> 9;
    *out_where = NULL;
    if (__builtin_expect((offset % SIM_GRANULE) + size > (granule & 0x1ff), 0))
        return owner != SIM_OWNER_LOOKUP;
    *out_where = (unsigned char *)(uintptr_t)address;
    if (owner < SIM_DEVICES_MAX) {
        uint64_t owners = atomic_load_explicit(&space->accessible[device], memory_order_relaxed);
        *out_where =
            owners >> owner & 1 ? (unsigned char *)(uintptr_t)(address + space->to_view) : NULL;
    }
    return true;
}

/* Where device reads or writes size bytes at address; NULL: it must not, report
 * a fault. The range must not cross a multiple of SIM_GRANULE (naturally
 * aligned accesses of up to 256 bytes never do). */
static inline unsigned char *sim_translate(int device, uint64_t address, size_t size, bool write)
{
    unsigned char *where;
    if (__builtin_expect(sim_look_up(&sim_space, device, address, size, &where), 1))
        return where;
    return sim_translate_slow(device, address, size, write);
}

/* The same for size bytes that may cross granules; NULL: some must not be accessed, or they do not
 * lie in one piece. For what lanes access together, which is seldom more than some granules. */
static inline unsigned char *sim_translate_span(int device, uint64_t address, size_t size,
                                                bool write)
{
    size_t part = SIM_GRANULE - address % SIM_GRANULE;
    unsigned char *start = sim_translate(device, address, part < size ? part : size, write);
    for (size_t done = part; start && done < size; done += SIM_GRANULE) {
        part = size - done < SIM_GRANULE ? size - done : SIM_GRANULE;
        if (sim_translate(device, address + done, part, write) != start + done)
            return NULL;
    }
    return start;
}

/* The same for ranges of any size, for copies and fills: where size bytes at
 * address lie if they are all within one allocation, or mappings or registered
 * memory in a row, that device may access (device -1: of any), else NULL. */
unsigned char *sim_translate_range(int device, uint64_t address, size_t size, bool write);

/* Whether allocations from here on have a guard of at least 1 MiB after them, and as
 * many bytes as they have themselves, as long as that takes no more than half of all addresses. */
void sim_memory_widen_guards(bool on);

/* ---- initialised or not (only when the check is on) --------------------------------- */

/* Tracks, from here on, which bytes were written. Called before sim_space_open. */
void sim_memory_track_writes(bool on);
extern bool sim_memory_tracking;
/* Marks bytes as written; called for every write of kernels, copies and fills
 * while tracking. Memory of the host counts as written. */
void sim_memory_wrote(uint64_t address, size_t size);
/* Whether all bytes were written. */
bool sim_memory_written(uint64_t address, size_t size);

#endif
