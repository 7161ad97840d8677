/* Owns memory that processes share: pool memory of devices, which moves to a file when it is
 * shared. */
#include "simhsa_runtime.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The contents of a handle. */
struct exported {
    uint32_t mark, pid;
    uint16_t table, device; /* of what the process shares; the device's place among all */
    uint32_t id;            /* of the allocation in its process */
    uint64_t table_id;      /* of the table's file */
    uint64_t size;
};
enum { MARK = 0x41484970 };
_Static_assert(sizeof(struct exported) == sizeof(hsa_amd_ipc_memory_t), "a handle has 32 bytes");

/* ---- giving --------------------------------------------------------------------------------- */

/* AMD's runtime allocates whole pages, and shares these. */
static bool is_size_of(size_t size, size_t allocated)
{
    const size_t page = 4096;
    return size == allocated || size == (allocated + page - 1) / page * page;
}

static int share(uint64_t address, size_t size, bool whole, struct exported *out,
                 uint64_t *out_start)
{
    uint64_t offset;
    int file = -1;
    simhsa_memory_lock();
    const struct simhsa_memory *memory = simhsa_memory_find(address);
    const struct sim_memory *sim = memory ? memory->sim : NULL;
    bool good = sim && sim->kind == SIM_MEMORY_DEVICE;
    if (good && whole)
        good = address == sim->address && is_size_of(size, sim->size);
    else if (good)
        good = size <= sim->size - (address - sim->address);
    if (good)
        file = sim_memory_share(sim, &offset);
    if (file >= 0) {
        *out_start = address - sim->address;
        out->device = (uint16_t)sim->device;
        out->id = (uint32_t)sim->id;
        out->size = sim->size;
    }
    simhsa_memory_unlock();
    return file;
}

/* Moves an allocation of a device to a file; -1: it cannot be shared. No running kernel may see the
 * memory move. out_start: of address in the allocation. */
static int share_at_rest(uint64_t address, size_t size, bool whole, struct exported *out,
                         uint64_t *out_start)
{
    const uint64_t patience_ns = UINT64_C(10000000000);
    if (!amdgpu_queues_quiesce(patience_ns)) {
        simhsa_violation("memory cannot be shared: kernels are running all the time");
        return -1;
    }
    simhsa_copies_stop();
    int file = share(address, size, whole, out, out_start);
    simhsa_copies_resume();
    amdgpu_queues_resume();
    return file;
}

hsa_status_t hsa_amd_ipc_memory_create(void *ptr, size_t len, hsa_amd_ipc_memory_t *handle)
{
    struct exported exported = {.mark = MARK, .pid = (uint32_t)getpid()};
    uint64_t start;
    SIMHSA_ENTER();
    if (!ptr || len == 0 || !handle)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    int file = share_at_rest((uintptr_t)ptr, len, true, &exported, &start);
    int table = file >= 0 ? sim_shared_table(&exported.table_id) : -1;
    if (table < 0 || table > UINT16_MAX) {
        simhsa_violation("%zu bytes at %p cannot be shared: they are not an allocation of a device",
                         len, ptr);
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    exported.table = (uint16_t)table;
    memcpy(handle, &exported, sizeof exported);
    return HSA_STATUS_SUCCESS;
}

bool simhsa_memory_share(uint64_t address, size_t size, struct sim_shared *out_shared,
                         uint64_t *out_start, int *out_device)
{
    struct exported exported;
    if (share_at_rest(address, size, false, &exported, out_start) < 0)
        return false;
    *out_shared =
        (struct sim_shared){.process = getpid(), .id = exported.id, .size = exported.size};
    out_shared->table = sim_shared_table(&out_shared->table_id);
    *out_device = exported.device;
    return out_shared->table >= 0;
}

/* ---- taking ------------------------------------------------------------------------ */

struct wanted {
    const struct exported *exported;
    struct simhsa_memory *found;
};

static bool is_wanted(struct sim_memory *sim, void *data)
{
    struct wanted *wanted = data;
    struct simhsa_memory *memory = sim->owner;
    if (memory && memory->kind == SIMHSA_OPENED && memory->opened.pid == wanted->exported->pid &&
        memory->opened.table == wanted->exported->table_id &&
        memory->opened.id == wanted->exported->id)
        wanted->found = memory;
    return !wanted->found;
}

static struct simhsa_memory *map_file(const struct exported *exported, struct simhsa_agent *agent)
{
    const struct sim_shared shared = {
        .process = (int)exported->pid,
        .table = exported->table,
        .table_id = exported->table_id,
        .id = exported->id,
        .size = exported->size,
    };
    uint64_t offset;
    int file = sim_shared_open(&shared, &offset);
    if (file < 0)
        return NULL;
    struct simhsa_memory *memory = simhsa_memory_add(
        SIMHSA_OPENED, sim_memory_open(file, offset, exported->size, agent->device),
        &agent->pools[0]);
    close(file);
    if (memory) {
        memory->opened.pid = exported->pid;
        memory->opened.id = exported->id;
        memory->opened.table = exported->table_id;
    }
    return memory;
}

/* No agents: all. */
static void grant(struct simhsa_memory *memory, const hsa_agent_t *agents, uint32_t count)
{
    for (uint32_t i = 0; i < (count ? count : simhsa.agent_count); i++) {
        const struct simhsa_agent *agent = count ? simhsa_agent_get(agents[i]) : &simhsa.agents[i];
        if (agent->device >= 0) {
            memory->allowed[agent->node] = true;
            sim_memory_set_access(memory->sim, agent->device, SIM_ACCESS_READ_WRITE);
        }
    }
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t *handle, size_t len,
                                       uint32_t num_agents, const hsa_agent_t *mapping_agents,
                                       void **mapped_ptr)
{
    struct exported exported;
    SIMHSA_ENTER();
    if (!handle || !mapped_ptr || len == 0 || (num_agents > 0 && !mapping_agents))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    memcpy(&exported, handle, sizeof exported);
    struct simhsa_agent *agent = simhsa_agent_of_device(exported.device);
    for (uint32_t i = 0; i < num_agents; i++)
        if (!simhsa_agent_get(mapping_agents[i]))
            return HSA_STATUS_ERROR_INVALID_AGENT;
    if (exported.mark != MARK || !is_size_of(len, exported.size) || !agent)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < num_agents; i++)
        if (!simhsa_gpu_get(mapping_agents[i]))
            return HSA_STATUS_ERROR_INVALID_ARGUMENT; /* as in AMD's runtime: it maps memory for
                                                         GPUs */
    simhsa_memory_lock();
    struct wanted wanted = {&exported, NULL};
    sim_memory_each(is_wanted, &wanted);
    if (!wanted.found)
        wanted.found = map_file(&exported, agent);
    if (wanted.found) {
        wanted.found->count++;
        grant(wanted.found, mapping_agents, num_agents);
        *mapped_ptr = (void *)(uintptr_t)wanted.found->sim->address;
    }
    simhsa_memory_unlock();
    return wanted.found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_ipc_memory_detach(void *mapped_ptr)
{
    SIMHSA_ENTER();
    simhsa_memory_lock();
    struct simhsa_memory *memory = simhsa_memory_find((uintptr_t)mapped_ptr);
    bool good =
        memory && memory->kind == SIMHSA_OPENED && memory->sim->address == (uintptr_t)mapped_ptr;
    if (good && --memory->count == 0)
        simhsa_memory_free(memory);
    simhsa_memory_unlock();
    return good ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
