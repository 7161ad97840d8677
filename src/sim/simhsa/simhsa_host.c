/* Owns memory of the program that is locked for devices. Locks may overlap: the memory that they
 * cover is registered in parts, and each part counts the locks that cover it. */
#include "sim_pieces.h"
#include "simhsa_runtime.h"

#include <stdlib.h>

struct simhsa_lock {
    struct simhsa_lock *next; /* newest first */
    uint64_t address;
    size_t size;
    bool allowed[SIMHSA_AGENTS_MAX];
};

static bool begin_piece(struct sim_piece *piece)
{
    struct simhsa_memory *memory = simhsa_memory_add(SIMHSA_LOCKED, piece->memory, NULL);
    if (memory)
        memory->range = (struct ah_range){.start = piece->range.start, .size = piece->range.size};
    piece->owner = memory;
    return memory != NULL;
}

static void end_piece(struct sim_piece *piece)
{
    simhsa_memory_free(piece->owner);
}

/* All under the lock of memory. */
static struct simhsa_lock *locks;
static struct sim_pieces pieces = {.begin = begin_piece, .end = end_piece};

/* ---- pieces --------------------------------------------------------------------------------- */

static void cover(struct simhsa_memory *memory, struct simhsa_lock *lock)
{
    memory->lock = lock;
    for (uint32_t i = 0; i < simhsa.agent_count; i++)
        memory->allowed[i] |= lock->allowed[i];
}

bool simhsa_host_add(uint64_t address, size_t size, struct simhsa_lock *lock)
{
    if (!sim_pieces_cover(&pieces, address, address + size))
        return false;
    for (uint64_t at = address; lock && at < address + size;) {
        const struct sim_piece *piece = sim_pieces_find(&pieces, at);
        cover(piece->owner, lock);
        at = sim_piece_end(piece);
    }
    return true;
}

/* Another lock that covers a part. */
static struct simhsa_lock *other_lock(const struct simhsa_memory *piece,
                                      const struct simhsa_lock *than)
{
    struct simhsa_lock *lock = locks;
    while (lock && (lock == than || lock->address >= piece->range.start + piece->range.size ||
                    piece->range.start >= lock->address + lock->size))
        lock = lock->next;
    return lock;
}

void simhsa_host_remove(uint64_t address, size_t size, const struct simhsa_lock *lock)
{
    for (uint64_t at = address; at < address + size;) {
        const struct sim_piece *piece = sim_pieces_find(&pieces, at);
        if (!piece)
            break;
        struct simhsa_memory *memory = piece->owner;
        if (memory->lock == lock)
            memory->lock = other_lock(memory, lock);
        at = sim_piece_end(piece);
    }
    sim_pieces_uncover(&pieces, address, address + size);
}

/* ---- locks ----------------------------------------------------------------------------------- */

void simhsa_lock_bounds(const struct simhsa_memory *memory, uint64_t address, uint64_t *out_start,
                        size_t *out_size)
{
    const struct simhsa_lock *lock = memory->lock;
    if (!lock || address - lock->address >= lock->size)
        lock = locks;
    while (lock && address - lock->address >= lock->size)
        lock = lock->next;
    *out_start = lock ? lock->address : memory->range.start;
    *out_size = lock ? lock->size : memory->range.size;
}

static void end_lock(struct simhsa_lock **link)
{
    struct simhsa_lock *lock = *link;
    *link = lock->next;
    simhsa_host_remove(lock->address, lock->size, lock);
    free(lock);
}

void simhsa_locks_close(void)
{
    while (locks)
        end_lock(&locks);
}

unsigned simhsa_locks_left(void)
{
    unsigned count = 0;
    for (const struct simhsa_lock *lock = locks; lock; lock = lock->next)
        count++;
    return count;
}

/* No agents: all GPUs. */
static hsa_status_t read_agents(const hsa_agent_t *agents, int count, struct simhsa_lock *lock)
{
    lock->allowed[0] = true;
    for (uint32_t i = 1; i < simhsa.agent_count; i++)
        lock->allowed[i] = count == 0;
    for (int i = 0; i < count; i++) {
        const struct simhsa_agent *agent = simhsa_agent_get(agents[i]);
        if (!agent)
            return HSA_STATUS_ERROR_INVALID_AGENT;
        lock->allowed[agent->node] = true;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t lock_memory(void *pointer, size_t size, const hsa_agent_t *agents, int count,
                                void **out)
{
    uint64_t address = (uintptr_t)pointer;
    if (!out || !pointer || size == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *out = NULL;
    if (count < 0 || (count > 0) != (agents != NULL) || address + size < address)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    /* The driver pins the memory, which fails if it does not exist. */
    if (!sim_host_is_mapped(address, address + size)) {
        simhsa_violation("%zu bytes at %p are not all memory of the process", size, pointer);
        return HSA_STATUS_ERROR;
    }
    struct simhsa_lock *lock = calloc(1, sizeof *lock);
    if (!lock)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    hsa_status_t result = read_agents(agents, count, lock);
    lock->address = address;
    lock->size = size;
    simhsa_memory_lock();
    if (result == HSA_STATUS_SUCCESS && !simhsa_host_add(address, size, lock)) {
        simhsa_violation("%zu bytes at %p cannot be locked", size, pointer);
        result = HSA_STATUS_ERROR;
    }
    if (result == HSA_STATUS_SUCCESS) {
        lock->next = locks;
        locks = lock;
        *out = pointer;
        lock = NULL;
    }
    simhsa_memory_unlock();
    free(lock);
    return result;
}

hsa_status_t hsa_amd_memory_lock(void *host_ptr, size_t size, hsa_agent_t *agents, int num_agent,
                                 void **agent_ptr)
{
    SIMHSA_ENTER();
    return lock_memory(host_ptr, size, agents, num_agent, agent_ptr);
}

hsa_status_t hsa_amd_memory_lock_to_pool(void *host_ptr, size_t size, hsa_agent_t *agents,
                                         int num_agent, hsa_amd_memory_pool_t pool, uint32_t flags,
                                         void **agent_ptr)
{
    SIMHSA_ENTER();
    const struct simhsa_pool *of = simhsa_pool_get(pool.handle);
    if (flags != 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!of || of->agent->device >= 0)
        return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    return lock_memory(host_ptr, size, agents, num_agent, agent_ptr);
}

/* Unlocks the last of several locks at one address. Unlocking memory that is not locked is not an
 * error in AMD's runtime. */
hsa_status_t hsa_amd_memory_unlock(void *host_ptr)
{
    SIMHSA_ENTER();
    simhsa_memory_lock();
    struct simhsa_lock **link = &locks;
    while (*link && (*link)->address != (uintptr_t)host_ptr)
        link = &(*link)->next;
    bool found = *link != NULL;
    if (found)
        end_lock(link);
    simhsa_memory_unlock();
    if (!found)
        simhsa_violation("%p is unlocked, but is not locked", host_ptr);
    return HSA_STATUS_SUCCESS;
}
