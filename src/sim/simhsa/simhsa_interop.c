/* Owns memory as files for other APIs and processes: dma-bufs (sim_buffer.h), and memory that is
 * mapped from such files. */
#include "sim_buffer.h"
#include "simhsa_runtime.h"

#include <unistd.h>

/* ---- exporting ----------------------------------------------------------------------- */

/* The file is of the whole allocation. */
hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void *ptr, size_t size, int *dmabuf,
                                               uint64_t *offset, uint64_t flags)
{
    struct sim_shared shared;
    uint64_t start;
    int device;
    SIMHSA_ENTER();
    if (!ptr || size == 0 || !dmabuf || !offset || flags > HSA_AMD_DMABUF_MAPPING_TYPE_PCIE)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!simhsa_memory_share((uintptr_t)ptr, size, &shared, &start, &device))
        return HSA_STATUS_ERROR_INVALID_AGENT; /* the memory does not belong to a device */
    const uint64_t page = 4096, whole = shared.size / page * page;
    int file = sim_buffer_refer(&shared, 0, whole ? whole : shared.size, (uint32_t)device + 1);
    if (file < 0)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *dmabuf = file;
    *offset = start;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_portable_export_dmabuf(const void *ptr, size_t size, int *dmabuf,
                                            uint64_t *offset)
{
    SIMHSA_ENTER();
    return hsa_amd_portable_export_dmabuf_v2(ptr, size, dmabuf, offset,
                                             HSA_AMD_DMABUF_MAPPING_TYPE_NONE);
}

hsa_status_t hsa_amd_portable_close_dmabuf(int dmabuf)
{
    SIMHSA_ENTER();
    return close(dmabuf) == 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- importing ----------------------------------------------------------------------- */

static void grant(struct simhsa_memory *memory, const hsa_agent_t *agents, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct simhsa_agent *agent = simhsa_agent_get(agents[i]);
        memory->allowed[agent->node] = true;
        sim_memory_set_access(memory->sim, agent->device, SIM_ACCESS_READ_WRITE);
    }
}

static hsa_status_t map(const hsa_agent_t *agents, uint32_t count, int file, size_t *out_size,
                        void **out_pointer)
{
    struct sim_buffer buffer;
    const struct simhsa_agent *first = simhsa_agent_get(agents[0]);
    if (!sim_buffer_open_any(file, &buffer))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    struct simhsa_memory *memory = simhsa_memory_add(
        SIMHSA_INTEROP, sim_memory_open(buffer.file, buffer.offset, buffer.size, first->device),
        (struct simhsa_pool *)&first->pools[0]);
    close(buffer.file);
    if (memory) {
        grant(memory, agents, count);
        *out_pointer = (void *)(uintptr_t)memory->sim->address;
        *out_size = buffer.size;
    }
    simhsa_memory_unlock();
    return memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_interop_map_buffer(uint32_t num_agents, hsa_agent_t *agents,
                                        int interop_handle, uint32_t flags, size_t *size,
                                        void **ptr, size_t *metadata_size, const void **metadata)
{
    SIMHSA_ENTER();
    if (!agents || !size || !ptr || flags != 0 || num_agents == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < num_agents; i++)
        if (!simhsa_gpu_get(agents[i]))
            return HSA_STATUS_ERROR_INVALID_AGENT;
    hsa_status_t result = map(agents, num_agents, interop_handle, size, ptr);
    if (result == HSA_STATUS_SUCCESS && metadata_size)
        *metadata_size = 0; /* nobody described an image */
    if (result == HSA_STATUS_SUCCESS && metadata)
        *metadata = NULL;
    return result;
}

hsa_status_t hsa_amd_interop_unmap_buffer(void *ptr)
{
    SIMHSA_ENTER();
    simhsa_memory_lock();
    struct simhsa_memory *memory = simhsa_memory_find((uintptr_t)ptr);
    bool good = memory && memory->kind == SIMHSA_INTEROP && memory->sim->address == (uintptr_t)ptr;
    if (good)
        simhsa_memory_free(memory);
    simhsa_memory_unlock();
    return good ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
