/* Owns memory: the allocations of nodes, the registrations of the program's memory, and the nodes
 * that memory is mapped to.
 *
 * Simulated devices and the host share one address space, so that a mapping has no address of its
 * own. All devices can access memory of the host, mapped or not; other devices can access memory of
 * a device while any of it is mapped to them. */
#include "sim_pieces.h"
#include "simkmt_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20 };

/* All under the lock. */
static struct {
    pthread_mutex_t lock;
    struct ah_ranges table;                           /* all but USER */
    struct memory *users;                             /* newest first; they may overlap */
    struct sim_pieces pieces;                         /* the parts that USER covers */
    unsigned peers[SIM_DEVICES_MAX][SIM_DEVICES_MAX]; /* mappings, by owner and peer */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void simkmt_memory_lock(void)
{
    pthread_mutex_lock(&all.lock);
}

void simkmt_memory_unlock(void)
{
    pthread_mutex_unlock(&all.lock);
}

void simkmt_memory_enter(struct memory *memory)
{
    ah_ranges_insert(&all.table, &memory->range);
}

/* ---- pieces of the program's memory ---------------------------------------------------- */

bool simkmt_memory_exists(uint64_t address)
{
    uint64_t page = address & -(uint64_t)SIMKMT_PAGE;
    return address && sim_host_is_mapped(page, page + SIMKMT_PAGE);
}

/* Rounded to whole pages, as devices map memory. */
static uint64_t page_of(uint64_t address)
{
    return address & -(uint64_t)SIMKMT_PAGE;
}

static void uncover(uint64_t start, uint64_t end)
{
    sim_pieces_uncover(&all.pieces, page_of(start), end);
}

static bool cover(uint64_t start, uint64_t end)
{
    return sim_pieces_cover(&all.pieces, page_of(start), page_of(end + SIMKMT_PAGE - 1));
}

/* ---- finding --------------------------------------------------------------------------- */

static uint64_t end_of(const struct memory *memory)
{
    return memory->range.start + memory->range.size;
}

struct memory *simkmt_memory_at(const void *pointer)
{
    uint64_t address = (uintptr_t)pointer;
    struct memory *memory = (struct memory *)(void *)ah_ranges_find(&all.table, address);
    for (struct memory *user = all.users; user && !memory; user = user->next)
        if (address - user->range.start < user->range.size)
            memory = user;
    return memory;
}

/* The memory that starts at an address. */
static struct memory *memory_starting(const void *pointer)
{
    struct memory *memory = simkmt_memory_at(pointer);
    if (!memory || memory->kind != USER || memory->range.start == (uintptr_t)pointer)
        return memory;
    for (memory = all.users; memory && memory->range.start != (uintptr_t)pointer;)
        memory = memory->next;
    return memory;
}

/* ---- mappings -------------------------------------------------------------------------- */

/* Counts a mapping of a device's memory to another device, or its end. */
static void count_peer(const struct memory *memory, uint32_t node, bool mapped)
{
    if (memory->node == 0 || node == 0 || memory->node == node || memory->kind != ALLOCATED)
        return;
    int owner = (int)memory->node - 1, peer = (int)node - 1;
    all.peers[owner][peer] += mapped ? 1 : -1u;
    sim_peer_set(peer, owner, all.peers[owner][peer] > 0);
}

static void unmap(struct memory *memory)
{
    if (memory->kind == SCRATCH)
        simkmt_parts_destroy(&memory->parts);
    while (memory->mapped_count > 0)
        count_peer(memory, memory->mapped[--memory->mapped_count], false);
}

static void map_to(struct memory *memory, uint32_t node)
{
    for (uint32_t i = 0; i < memory->mapped_count; i++)
        if (memory->mapped[i] == node)
            return;
    memory->mapped[memory->mapped_count++] = node;
    count_peer(memory, node, true);
    if (memory->kind == FIXED)
        simkmt_parts_enable_access(memory->parts, (int)node - 1);
    if (memory->kind == OPENED)
        sim_memory_set_access(memory->sim, (int)node - 1, SIM_ACCESS_READ_WRITE);
}

/* Reserved addresses of scratch get memory when they are mapped; only their node can access it. */
static HSAKMT_STATUS map_scratch(struct memory *memory, uint64_t address, uint64_t size)
{
    if (address % SIMKMT_PAGE != 0 || size == 0 || size % SIMKMT_PAGE != 0)
        return simkmt_refuse(HSAKMT_STATUS_INVALID_PARAMETER,
                             "scratch of %llu bytes at 0x%llx does not consist of whole pages",
                             (unsigned long long)size, (unsigned long long)address);
    return simkmt_part_map(&memory->parts, (int)memory->node - 1, address, size)
               ? HSAKMT_STATUS_SUCCESS
               : HSAKMT_STATUS_NO_MEMORY;
}

static HSAKMT_STATUS map(const void *address, uint64_t size, uint64_t *alternate,
                         const uint32_t *nodes, uint64_t count)
{
    pthread_mutex_lock(&all.lock);
    struct memory *memory = memory_starting(address);
    if (!memory) /* parts of scratch are mapped separately */
        memory = simkmt_memory_at(address);
    bool good = memory && size <= end_of(memory) - (uintptr_t)address;
    HSAKMT_STATUS result = HSAKMT_STATUS_SUCCESS;
    if (good && memory->kind == SCRATCH)
        result = map_scratch(memory, (uintptr_t)address, size);
    else
        for (uint64_t i = 0; i < count && good; i++)
            map_to(memory, nodes[i]);
    pthread_mutex_unlock(&all.lock);
    if (result != HSAKMT_STATUS_SUCCESS)
        return result;
    if (!good)
        return simkmt_refuse(HSAKMT_STATUS_INVALID_PARAMETER,
                             "%llu bytes at %p cannot be mapped: they were neither allocated nor "
                             "registered",
                             (unsigned long long)size, address);
    if (alternate)
        *alternate = (uintptr_t)address;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void *address, uint64_t size, uint64_t *alternate,
                                        HsaMemMapFlags flags, uint64_t count, uint32_t *nodes)
{
    SIMKMT_ENTER();
    (void)flags;
    if (!address || (count > 0 && !nodes))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    for (uint64_t i = 0; i < count; i++)
        if (!simkmt_gpu_node(nodes[i]))
            return HSAKMT_STATUS_INVALID_NODE_UNIT;
    return map(address, size, alternate, nodes, count);
}

/* Maps memory to the node that owns it, and memory of the host to all nodes. */
HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *address, uint64_t size, uint64_t *alternate)
{
    SIMKMT_ENTER();
    uint32_t nodes[SIMKMT_NODES_MAX], count = 0;
    if (!address)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_mutex_lock(&all.lock);
    const struct memory *memory = simkmt_memory_at(address);
    uint32_t owner = memory ? memory->node : 0;
    pthread_mutex_unlock(&all.lock);
    for (uint32_t i = 1; i < atomic_load(&simkmt.node_count); i++)
        if (owner == 0 || owner == i)
            nodes[count++] = i;
    return map(address, size, alternate, nodes, count);
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void *address)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&all.lock);
    struct memory *memory = memory_starting(address);
    bool scratch = memory && memory->kind == SCRATCH;
    if (scratch)
        (void)simkmt_part_unmap(&memory->parts, (uintptr_t)address);
    else if (memory)
        unmap(memory);
    pthread_mutex_unlock(&all.lock);
    return HSAKMT_STATUS_SUCCESS; /* as the kernel driver does, for any address */
}

/* ---- allocations ----------------------------------------------------------------------- */

void simkmt_memory_free(struct memory *memory)
{
    unmap(memory);
    simkmt_parts_destroy(&memory->parts);
    if (memory->kind == SCRATCH || memory->kind == PHYSICAL ||
        (memory->kind == FIXED && memory->node > 0))
        (void)sim_address_free(memory->range.start, memory->range.size);
    sim_memory_destroy(memory->sim);
    if (memory->mmapped)
        munmap((void *)memory->range.start, memory->range.size);
    if (memory->kind == PHYSICAL)
        sim_physical_close((int)memory->node - 1, memory->range.size, memory->file);
    else if (memory->file >= 0)
        close(memory->file);
    free(memory);
}

struct memory *simkmt_memory_new(enum kind kind, uint32_t node, HsaMemFlags flags)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (memory)
        *memory = (struct memory){.kind = kind, .node = node, .flags = flags, .file = -1};
    return memory;
}

bool simkmt_memory_adopt(struct memory *memory, void *start, uint64_t size)
{
    memory->range.start = (uintptr_t)start;
    memory->range.size = size;
    memory->sim = sim_memory_register(start, size);
    memory->mmapped = memory->sim != NULL;
    if (memory->sim)
        memory->sim->fine = !memory->flags.ui32.CoarseGrain;
    else
        munmap(start, size);
    return memory->mmapped;
}

/* Memory of the host, at unused addresses. */
static bool place_on_host(struct memory *memory, uint64_t size, uint64_t address)
{
    void *wanted = (void *)(uintptr_t)address;
    void *got = mmap(wanted, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED)
        return false;
    if (got == wanted)
        return simkmt_memory_adopt(memory, got, size);
    munmap(got, size);
    return false;
}

static bool place_on_device(struct memory *memory, uint64_t size, uint64_t address)
{
    memory->range.start = sim_address_reserve(size, SIMKMT_PAGE, address);
    if (memory->range.start == address &&
        simkmt_part_map(&memory->parts, (int)memory->node - 1, address, size))
        return true;
    if (memory->range.start)
        (void)sim_address_free(memory->range.start, size);
    return false;
}

/* Allocates memory or addresses, and sets the bounds. hint: an address to prefer, 0: none. */
static bool place(struct memory *memory, uint64_t size, uint64_t alignment, uint64_t hint)
{
    memory->range.size = size;
    if (memory->kind == PHYSICAL)
        return simkmt_export_place_physical(memory, size);
    if (memory->kind == FIXED)
        return hint % SIMKMT_PAGE == 0 &&
               (memory->node == 0 ? place_on_host : place_on_device)(memory, size, hint);
    if (memory->kind == SCRATCH) {
        memory->range.start = sim_address_reserve(size, alignment, hint);
    } else {
        const struct simkmt_node *node = simkmt_node(memory->node);
        enum sim_kind kind = memory->node == 0 ? SIM_MEMORY_HOST : SIM_MEMORY_DEVICE;
        if (size >= LARGE_PAGE && alignment < LARGE_PAGE)
            alignment = LARGE_PAGE; /* runtimes rely on it */
        if (memory->node == 0 && memory->flags.ui32.NonPaged)
            return simkmt_export_place(memory, size, alignment);
        memory->sim = sim_memory_create(kind, node->gpu.device, size, alignment);
        memory->range.start = memory->sim ? memory->sim->address : 0;
        if (memory->sim)
            memory->sim->fine = !memory->flags.ui32.CoarseGrain;
    }
    return memory->range.start != 0;
}

static HSAKMT_STATUS allocate(uint32_t number, uint64_t size, uint64_t alignment, HsaMemFlags flags,
                              void **address)
{
    uint64_t wanted = flags.ui32.FixedAddress ? (uintptr_t)*address : 0;
    enum kind kind = flags.ui32.FixedAddress ? FIXED : ALLOCATED;
    if (flags.ui32.Scratch || flags.ui32.OnlyAddress)
        kind = SCRATCH;
    if (flags.ui32.NoAddress)
        kind = PHYSICAL;
    if (flags.ui32.GTTAccess)
        number = 0; /* of the host, for the engines of the node */
    struct memory *memory = simkmt_memory_new(kind, number, flags);
    if (!memory)
        return HSAKMT_STATUS_NO_MEMORY;
    HSAKMT_STATUS failure =
        memory->kind == FIXED && memory->node == 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_NO_MEMORY;
    bool placed = place(memory, size, alignment, wanted);
    if (!placed || (wanted && memory->range.start != wanted)) {
        if (placed)
            simkmt_memory_free(memory);
        else
            free(memory);
        return failure;
    }
    pthread_mutex_lock(&all.lock);
    ah_ranges_insert(&all.table, &memory->range);
    pthread_mutex_unlock(&all.lock);
    *address = (void *)memory->range.start;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtAllocMemoryAlign(uint32_t number, uint64_t size, uint64_t alignment,
                                     HsaMemFlags flags, void **address)
{
    SIMKMT_ENTER();
    if (!simkmt_node(number))
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!address || size == 0 || size % SIMKMT_PAGE != 0 || (alignment & (alignment - 1)) != 0)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    if (flags.ui32.FixedAddress && !*address)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    if (flags.ui32.GDSMemory || (flags.ui32.NoAddress && !simkmt_gpu_node(number)))
        return simkmt_refuse(HSAKMT_STATUS_NOT_SUPPORTED,
                             "memory of the host without an address, or in the global data share");
    return allocate(number, size, alignment > SIMKMT_PAGE ? alignment : SIMKMT_PAGE, flags,
                    address);
}

HSAKMT_STATUS hsaKmtAllocMemory(uint32_t number, uint64_t size, HsaMemFlags flags, void **address)
{
    return hsaKmtAllocMemoryAlign(number, size, 0, flags, address);
}

HSAKMT_STATUS hsaKmtAvailableMemory(uint32_t number, uint64_t *bytes)
{
    SIMKMT_ENTER();
    const struct simkmt_node *node = simkmt_gpu_node(number);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!bytes)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    size_t used = sim_memory_used(node->gpu.device);
    *bytes = node->memory > used ? node->memory - used : 0;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtFreeMemory(void *address, uint64_t size)
{
    SIMKMT_ENTER();
    (void)size; /* the size of an allocation is known */
    pthread_mutex_lock(&all.lock);
    struct memory *memory = (struct memory *)(void *)ah_ranges_find(&all.table, (uintptr_t)address);
    if (memory && (memory->range.start != (uintptr_t)address ||
                   (memory->kind == OPENED && !memory->imported)))
        memory = NULL;
    if (memory) {
        ah_ranges_remove(&all.table, &memory->range);
        simkmt_memory_free(memory);
    }
    pthread_mutex_unlock(&all.lock);
    return memory ? HSAKMT_STATUS_SUCCESS
                  : simkmt_refuse(HSAKMT_STATUS_MEMORY_NOT_REGISTERED,
                                  "%p cannot be freed: no allocation starts there", address);
}

/* ---- the program's memory, without a registration ------------------------------------------ */

bool simkmt_memory_enable_access(uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&all.lock);
    bool good = !ah_ranges_overlaps(&all.table, start, end - start) && cover(start, end);
    pthread_mutex_unlock(&all.lock);
    return good;
}

void simkmt_memory_disable_access(uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&all.lock);
    uncover(start, end);
    pthread_mutex_unlock(&all.lock);
}

bool simkmt_memory_is_programs(uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&all.lock);
    bool known = ah_ranges_overlaps(&all.table, start, end - start);
    pthread_mutex_unlock(&all.lock);
    bool simulated = end > sim_space.base && start < sim_space.base + sim_space.size;
    return !known && !simulated && sim_host_is_mapped(start, end);
}

/* ---- registrations --------------------------------------------------------------------- */

HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void *address, uint64_t size, HsaMemFlags flags)
{
    SIMKMT_ENTER();
    uint64_t start = (uintptr_t)address, end;
    if (!address || size == 0 || __builtin_add_overflow(start, size, &end) ||
        end > page_of(UINT64_MAX))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct memory *memory = simkmt_memory_new(USER, 0, flags);
    if (!memory)
        return HSAKMT_STATUS_NO_MEMORY;
    memory->range.start = start;
    memory->range.size = size;
    pthread_mutex_lock(&all.lock);
    bool known =
        ah_ranges_find(&all.table, start) != NULL; /* devices can access it without mapping */
    bool good = known || cover(start, end);
    if (good) {
        memory->covers = !known;
        memory->next = all.users;
        all.users = memory;
    }
    pthread_mutex_unlock(&all.lock);
    if (good)
        return HSAKMT_STATUS_SUCCESS;
    free(memory);
    return simkmt_refuse(HSAKMT_STATUS_ERROR,
                         "%llu bytes at %p cannot be registered: they are not all memory of the "
                         "program",
                         (unsigned long long)size, address);
}

HSAKMT_STATUS hsaKmtRegisterMemory(void *address, uint64_t size)
{
    return hsaKmtRegisterMemoryWithFlags(address, size, (HsaMemFlags){.Value = 0});
}

/* All devices can access memory of the host. */
HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(void *address, uint64_t size, uint64_t count,
                                          uint32_t *nodes)
{
    SIMKMT_ENTER();
    for (uint64_t i = 0; i < count; i++)
        if (!nodes || !simkmt_gpu_node(nodes[i]))
            return HSAKMT_STATUS_INVALID_NODE_UNIT;
    return hsaKmtRegisterMemory(address, size);
}

static void free_user(struct memory *memory)
{
    if (memory->covers)
        uncover(memory->range.start, end_of(memory));
    free(memory);
}

HSAKMT_STATUS hsaKmtDeregisterMemory(void *address)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&all.lock);
    struct memory **link = &all.users;
    while (*link && (*link)->range.start != (uintptr_t)address)
        link = &(*link)->next;
    struct memory *memory = *link;
    if (memory) {
        *link = memory->next;
        free_user(memory);
    } else {
        memory = (struct memory *)(void *)ah_ranges_find(&all.table, (uintptr_t)address);
        if (memory && (memory->range.start != (uintptr_t)address || memory->kind != OPENED))
            memory = NULL;
        if (memory) {
            ah_ranges_remove(&all.table, &memory->range);
            simkmt_memory_free(memory);
        }
    }
    pthread_mutex_unlock(&all.lock);
    return memory ? HSAKMT_STATUS_SUCCESS
                  : simkmt_refuse(HSAKMT_STATUS_MEMORY_NOT_REGISTERED,
                                  "%p is not the start of registered or shared memory", address);
}

/* ---- what is known of pointers --------------------------------------------------------- */

/* Runtimes before ROCm 7 do not know reserved addresses without memory. */
static HSA_POINTER_TYPE type_of(const struct memory *memory)
{
    switch (memory->kind) {
    case OPENED:
        return memory->imported ? HSA_POINTER_REGISTERED_GRAPHICS : HSA_POINTER_REGISTERED_SHARED;
    case USER:
        return HSA_POINTER_REGISTERED_USER;
    case SCRATCH:
        return simkmt.later && memory->flags.ui32.OnlyAddress ? HSA_POINTER_RESERVED_ADDR
                                                              : HSA_POINTER_UNKNOWN;
    default:
        return HSA_POINTER_ALLOCATED;
    }
}

HSAKMT_STATUS hsaKmtQueryPointerInfo(const void *pointer, HsaPointerInfo *info)
{
    SIMKMT_ENTER();
    if (!info)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *info = (HsaPointerInfo){.Type = HSA_POINTER_UNKNOWN};
    pthread_mutex_lock(&all.lock);
    const struct memory *memory = simkmt_memory_at(pointer);
    if (memory && type_of(memory) != HSA_POINTER_UNKNOWN)
        *info = (HsaPointerInfo){
            .Type = type_of(memory),
            .Node = memory->node,
            .MemFlags = memory->flags,
            .CPUAddress =
                memory->kind == OPENED && memory->node > 0 ? NULL : (void *)memory->range.start,
            .GPUAddress = memory->range.start,
            .SizeInBytes = memory->range.size,
            .NMappedNodes = memory->mapped_count,
            .MappedNodes = memory->mapped,
            .UserData = memory->user_data,
        };
    pthread_mutex_unlock(&all.lock);
    return info->Type == HSA_POINTER_UNKNOWN ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetMemoryUserData(const void *pointer, void *data)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&all.lock);
    struct memory *memory = simkmt_memory_at(pointer);
    if (memory)
        memory->user_data = data;
    pthread_mutex_unlock(&all.lock);
    return memory ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
}

void simkmt_memory_close(void)
{
    pthread_mutex_lock(&all.lock);
    while (all.users) {
        struct memory *memory = all.users;
        all.users = memory->next;
        free_user(memory);
    }
    while (all.table.root) {
        struct memory *memory = (struct memory *)(void *)all.table.root;
        ah_ranges_remove(&all.table, &memory->range);
        simkmt_memory_free(memory);
    }
    pthread_mutex_unlock(&all.lock);
}
