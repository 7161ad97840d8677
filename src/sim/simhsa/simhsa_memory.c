/* Owns the memory that a program allocates from pools: its table, access rights, and the
 * translation of addresses. */
#include "simhsa_runtime.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Allocations of one device that another can access: kernels can access all of a peer's memory or
 * none of it. */
static unsigned shared[SIM_DEVICES_MAX][SIM_DEVICES_MAX]; /* by owner and peer */

struct simhsa_freed { /* a callback for the end of an allocation */
    struct simhsa_freed *next;
    void *pointer; /* into the allocation, as the program passed it */
    hsa_amd_deallocation_callback_t callback;
    void *data;
};

void simhsa_memory_lock(void)
{
    pthread_mutex_lock(&lock);
}

void simhsa_memory_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- the table ------------------------------------------------------------------------------- */

struct simhsa_memory *simhsa_memory_find(uint64_t address)
{
    struct sim_memory *sim = sim_memory_find(address);
    return sim ? sim->owner : NULL;
}

struct simhsa_memory *simhsa_memory_add(enum simhsa_memory_kind kind, struct sim_memory *sim,
                                        struct simhsa_pool *pool)
{
    struct simhsa_memory *memory = sim ? calloc(1, sizeof *memory) : NULL;
    if (!memory) {
        sim_memory_destroy(sim);
        return NULL;
    }
    memory->kind = kind;
    memory->sim = sim;
    memory->pool = pool;
    memory->allowed[pool ? pool->agent->node : 0] = true;
    sim->owner = memory;
    return memory;
}

/* Only device memory: all devices reach the host's. */
static void allow(struct simhsa_memory *memory, uint32_t node, bool allowed)
{
    int owner = memory->sim->device, peer = simhsa.agents[node].device;
    bool before = memory->allowed[node];
    memory->allowed[node] = allowed;
    if (before == allowed || owner < 0 || peer < 0 || owner == peer ||
        memory->kind != SIMHSA_POOL_MEMORY)
        return;
    shared[owner][peer] += allowed ? 1 : -1u;
    sim_peer_set(peer, owner, shared[owner][peer] > 0);
}

void simhsa_memory_free(struct simhsa_memory *memory)
{
    for (uint32_t i = 0; i < simhsa.agent_count; i++)
        allow(memory, i, false);
    while (memory->freed) {
        struct simhsa_freed *freed = memory->freed;
        memory->freed = freed->next;
        free(freed);
    }
    sim_memory_destroy(memory->sim);
    if (memory->physical)
        simhsa_physical_release(memory->physical);
    free(memory);
}

static bool find_owned(struct sim_memory *sim, void *data)
{
    struct simhsa_memory **found = data;
    *found = sim->owner;
    return !*found;
}

void simhsa_memory_close(void)
{
    struct simhsa_memory *memory;
    simhsa_memory_lock();
    simhsa_locks_close();
    simhsa_attributes_close();
    do {
        memory = NULL;
        sim_memory_each(find_owned, &memory);
        if (memory)
            simhsa_memory_free(memory);
    } while (memory);
    simhsa_memory_unlock();
}

/* ---- allocations ------------------------------------------------------------------- */

static hsa_status_t allocate(struct simhsa_pool *pool, size_t size, void **out)
{
    struct sim_memory *sim = NULL;
    int device = pool->agent->device;
    if (!out || size == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (pool->segment != HSA_AMD_SEGMENT_GLOBAL || size > pool->size)
        return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    if (device < 0)
        sim = sim_memory_create(SIM_MEMORY_HOST, -1, size, PAGE);
    else if (!sim_fault_allocation(device, size))
        sim = sim_memory_create(SIM_MEMORY_DEVICE, device, size, PAGE);
    simhsa_memory_lock();
    struct simhsa_memory *memory = simhsa_memory_add(SIMHSA_POOL_MEMORY, sim, pool);
    if (memory)
        sim->fine = pool->flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
    simhsa_memory_unlock();
    if (!memory)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *out = (void *)(uintptr_t)sim->address;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size,
                                          uint32_t flags, void **ptr)
{
    enum {
        FLAGS = HSA_AMD_MEMORY_POOL_PCIE_FLAG | HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG |
                HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG
    };
    SIMHSA_ENTER();
    struct simhsa_pool *pool = simhsa_pool_get(memory_pool.handle);
    if (!pool)
        return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    return flags & ~(uint32_t)FLAGS ? HSA_STATUS_ERROR_INVALID_ARGUMENT : allocate(pool, size, ptr);
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void **ptr)
{
    SIMHSA_ENTER();
    struct simhsa_pool *pool = simhsa_pool_get(region.handle);
    return pool ? allocate(pool, size, ptr) : HSA_STATUS_ERROR_INVALID_REGION;
}

/* The allocation that contains an address. */
static struct simhsa_memory *allocation_around(uint64_t address)
{
    struct simhsa_memory *memory = simhsa_memory_find(address);
    return memory && memory->kind == SIMHSA_POOL_MEMORY ? memory : NULL;
}

static struct simhsa_memory *allocation_at(uint64_t address)
{
    struct simhsa_memory *memory = allocation_around(address);
    return memory && memory->sim->address == address ? memory : NULL;
}

/* Removes the first of the callbacks; they are called without the lock. */
static bool call_first(uint64_t address)
{
    simhsa_memory_lock();
    struct simhsa_memory *memory = allocation_at(address);
    struct simhsa_freed *freed = memory ? memory->freed : NULL;
    if (freed)
        memory->freed = freed->next;
    simhsa_memory_unlock();
    if (freed)
        freed->callback(freed->pointer, freed->data);
    free(freed);
    return freed != NULL;
}

static hsa_status_t free_memory(void *pointer)
{
    uint64_t address = (uintptr_t)pointer;
    if (!pointer)
        return HSA_STATUS_SUCCESS;
    while (call_first(address))
        continue;
    simhsa_memory_lock();
    struct simhsa_memory *memory = allocation_at(address);
    if (memory)
        simhsa_memory_free(memory);
    simhsa_memory_unlock();
    if (!memory)
        simhsa_violation("0x%llx is freed, but no allocation starts there",
                         (unsigned long long)address);
    return memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_memory_pool_free(void *ptr)
{
    SIMHSA_ENTER();
    return free_memory(ptr);
}

hsa_status_t hsa_memory_free(void *ptr)
{
    SIMHSA_ENTER();
    return free_memory(ptr);
}

hsa_status_t hsa_amd_register_deallocation_callback(void *ptr,
                                                    hsa_amd_deallocation_callback_t callback,
                                                    void *user_data)
{
    SIMHSA_ENTER();
    if (!ptr || !callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct simhsa_freed *freed = malloc(sizeof *freed);
    if (!freed)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    simhsa_memory_lock();
    struct simhsa_memory *memory = allocation_around((uintptr_t)ptr);
    if (memory) {
        *freed = (struct simhsa_freed){memory->freed, ptr, callback, user_data};
        memory->freed = freed;
    }
    simhsa_memory_unlock();
    if (!memory)
        free(freed);
    return memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void *ptr,
                                                      hsa_amd_deallocation_callback_t callback)
{
    struct simhsa_freed *found = NULL;
    SIMHSA_ENTER();
    if (!ptr || !callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    struct simhsa_memory *memory = allocation_around((uintptr_t)ptr);
    struct simhsa_freed **link = memory ? &memory->freed : &found;
    while (*link && ((*link)->callback != callback || (*link)->pointer != ptr))
        link = &(*link)->next;
    found = *link;
    if (found)
        *link = found->next;
    simhsa_memory_unlock();
    free(found);
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- access ------------------------------------------------------------------------ */

static bool agents_are_good(const hsa_agent_t *agents, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!simhsa_agent_get(agents[i]))
            return false;
    return true;
}

/* The list replaces the previous one; the owner keeps its access. The host cannot access memory of
 * devices, even though AMD's runtime accepts it in the list. Under the lock. */
static hsa_status_t allow_list(struct simhsa_memory *memory, const hsa_agent_t *agents,
                               uint32_t count)
{
    bool wanted[SIMHSA_AGENTS_MAX] = {false};
    bool of_device = memory->sim->device >= 0;
    if (memory->kind == SIMHSA_LOCKED)
        return HSA_STATUS_ERROR;
    for (uint32_t i = 0; i < count; i++) {
        const struct simhsa_agent *agent = simhsa_agent_get(agents[i]);
        wanted[agent->node] = agent->device >= 0 || !of_device;
    }
    if (memory->pool)
        wanted[memory->pool->agent->node] = true;
    for (uint32_t i = 0; i < simhsa.agent_count; i++) {
        allow(memory, i, wanted[i]);
        if (memory->sim->kind == SIM_MEMORY_MAPPING && simhsa.agents[i].device >= 0)
            sim_memory_set_access(memory->sim, simhsa.agents[i].device,
                                  wanted[i] ? SIM_ACCESS_READ_WRITE : SIM_ACCESS_NONE);
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t *agents,
                                         const uint32_t *flags, const void *ptr)
{
    SIMHSA_ENTER();
    if (num_agents == 0 || !agents || flags || !ptr)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agents_are_good(agents, num_agents))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    simhsa_memory_lock();
    struct simhsa_memory *memory = simhsa_memory_find((uintptr_t)ptr);
    if (memory && memory->sim->address != (uintptr_t)ptr)
        memory = NULL;
    hsa_status_t result = memory ? allow_list(memory, agents, num_agents) : HSA_STATUS_ERROR;
    simhsa_memory_unlock();
    return result;
}

/* The agent that uses memory changes nothing here, since all memory is coherent. */
hsa_status_t hsa_memory_assign_agent(void *ptr, hsa_agent_t agent, hsa_access_permission_t access)
{
    SIMHSA_ENTER();
    if (!ptr || access < HSA_ACCESS_PERMISSION_RO || access > HSA_ACCESS_PERMISSION_RW)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return simhsa_agent_get(agent) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
}

/* The standard's hint that agents will use memory of the program. Devices that need more, as these
 * and AMD's do, can access it when it is locked. */
hsa_status_t hsa_memory_register(void *ptr, size_t size)
{
    SIMHSA_ENTER();
    return ptr && size == 0 ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_deregister(void *ptr, size_t size)
{
    SIMHSA_ENTER();
    (void)ptr, (void)size;
    return HSA_STATUS_SUCCESS;
}

/* ---- addresses --------------------------------------------------------------------- */

/* Locked memory may consist of several parts, at their own addresses. */
static bool is_locked(uint64_t address, size_t size)
{
    for (uint64_t end = address + size; address < end;) {
        const struct sim_memory *sim = sim_memory_find(address);
        if (!sim || sim->kind != SIM_MEMORY_REGISTERED)
            return false;
        address = sim->address + sim->size;
    }
    return true;
}

unsigned char *simhsa_translate(uint64_t address, size_t size, bool write)
{
    unsigned char *view = sim_translate_range(-1, address, size, write);
    if (view || size == 0 || address + size < address)
        return view;
    simhsa_memory_lock();
    bool locked = is_locked(address, size);
    simhsa_memory_unlock();
    return locked ? (unsigned char *)(uintptr_t)address : NULL;
}

unsigned char *simhsa_translate_any(uint64_t address, size_t size, bool write)
{
    unsigned char *view = simhsa_translate(address, size, write);
    uint64_t last = address + size - 1;
    bool ours = address < sim_space.base + sim_space.size && last >= sim_space.base;
    if (view || ours || !address || last < address)
        return view;
    return (unsigned char *)(uintptr_t)address;
}
