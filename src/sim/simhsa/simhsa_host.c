/* Owns memory of the program that is locked for devices. Locks may overlap: what they cover is
 * registered in pieces, and each piece counts the locks that it is in. */
#include "simhsa_runtime.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct simhsa_lock {
    struct simhsa_lock *next; /* newest first */
    uint64_t address;
    size_t size;
    bool allowed[SIMHSA_AGENTS_MAX];
};

/* All under the lock of memory. */
static struct simhsa_lock *locks;
static struct ah_ranges pieces;

/* ---- pieces --------------------------------------------------------------------------------- */

static struct simhsa_memory *piece_of(struct ah_range *range)
{
    return range ? (struct simhsa_memory *)(void *)((char *)range -
                                                    offsetof(struct simhsa_memory, range))
                 : NULL;
}

/* Whether the program has memory in all of [start, end). */
static bool is_there(uint64_t start, uint64_t end)
{
    uint64_t page = start & -(uint64_t)PAGE;
    return msync((void *)(uintptr_t)page, end - page, MS_ASYNC) == 0; /* which looks, no more */
}

/* A piece in [start, end), up to the next one. NULL: other memory is there, or there is none. */
static struct simhsa_memory *new_piece(uint64_t start, uint64_t end)
{
    const struct ah_range *next = ah_ranges_above(&pieces, start);
    if (next && next->start < end)
        end = next->start;
    if (!is_there(start, end))
        return NULL;
    struct sim_memory *sim = sim_memory_register((void *)(uintptr_t)start, end - start);
    struct simhsa_memory *piece = simhsa_memory_add(SIMHSA_LOCKED, sim, NULL);
    if (!piece)
        return NULL;
    piece->range = (struct ah_range){.start = start, .size = end - start};
    ah_ranges_insert(&pieces, &piece->range);
    return piece;
}

static void cover(struct simhsa_memory *piece, struct simhsa_lock *lock)
{
    piece->count++;
    if (!lock)
        return;
    piece->lock = lock;
    for (uint32_t i = 0; i < simhsa.agent_count; i++)
        piece->allowed[i] |= lock->allowed[i];
}

bool simhsa_host_add(uint64_t address, size_t size, struct simhsa_lock *lock)
{
    uint64_t at = address, end = address + size;
    while (at < end) {
        struct simhsa_memory *piece = piece_of(ah_ranges_find(&pieces, at));
        if (!piece)
            piece = new_piece(at, end);
        if (!piece) {
            simhsa_host_remove(address, at - address, lock);
            return false;
        }
        cover(piece, lock);
        at = piece->range.start + piece->range.size;
    }
    return true;
}

/* Another lock that covers a piece. */
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
    for (uint64_t at = address, end = address + size; at < end;) {
        struct simhsa_memory *piece = piece_of(ah_ranges_find(&pieces, at));
        if (!piece)
            break;
        at = piece->range.start + piece->range.size;
        if (piece->lock == lock)
            piece->lock = other_lock(piece, lock);
        if (--piece->count == 0) {
            ah_ranges_remove(&pieces, &piece->range);
            simhsa_memory_free(piece);
        }
    }
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

/* Whether the process has memory there: the driver pins it, which fails otherwise. */
static bool is_mapped(uint64_t address, size_t size)
{
    uint64_t start = address & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
    return msync((void *)(uintptr_t)start, address - start + size, MS_ASYNC) == 0;
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
    if (!is_mapped(address, size)) {
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

/* Of several locks at one address the last. That nothing is locked is no error of AMD's runtime. */
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
        simhsa_violation("%p is unlocked, where nothing is locked", host_ptr);
    return HSA_STATUS_SUCCESS;
}
