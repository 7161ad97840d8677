/* Owns the information about pointers. */
#include "simhsa_runtime.h"

#include <string.h>

static void describe_pool(const struct simhsa_memory *memory, hsa_amd_pointer_info_t *info)
{
    void *base = (void *)(uintptr_t)memory->sim->address;
    info->type =
        memory->kind == SIMHSA_OPENED ? HSA_EXT_POINTER_TYPE_IPC : HSA_EXT_POINTER_TYPE_HSA;
    info->agentBaseAddress = base;
    info->hostBaseAddress = base; /* of device memory too, as in AMD's runtime */
    info->sizeInBytes = memory->sim->size;
    info->agentOwner = simhsa_agent_handle(memory->pool->agent);
    info->global_flags = memory->pool->flags;
}

static void describe_lock(const struct simhsa_memory *memory, uint64_t address,
                          hsa_amd_pointer_info_t *info)
{
    uint64_t start;
    simhsa_lock_bounds(memory, address, &start, &info->sizeInBytes);
    info->type = HSA_EXT_POINTER_TYPE_LOCKED;
    info->agentBaseAddress = info->hostBaseAddress = (void *)(uintptr_t)start;
    info->agentOwner = simhsa_agent_handle(simhsa_cpu());
    info->global_flags = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
}

/* Under the lock. */
static void describe(const struct simhsa_memory *memory, uint64_t address,
                     hsa_amd_pointer_info_t *info)
{
    uint64_t start;
    size_t size;
    if (memory && memory->kind == SIMHSA_LOCKED) {
        describe_lock(memory, address, info);
    } else if (memory) {
        describe_pool(memory, info);
    } else if (simhsa_reserved(address, &start, &size)) {
        info->type = HSA_EXT_POINTER_TYPE_RESERVED_ADDR;
        info->agentBaseAddress = (void *)(uintptr_t)start;
        info->sizeInBytes = size;
    }
    if (memory)
        info->userData = memory->userdata;
}

hsa_status_t hsa_amd_pointer_info(const void *ptr, hsa_amd_pointer_info_t *info,
                                  void *(*alloc)(size_t), uint32_t *num_agents_accessible,
                                  hsa_agent_t **accessible)
{
    bool allowed[SIMHSA_AGENTS_MAX] = {false};
    uint32_t count = 0;
    SIMHSA_ENTER();
    if (!ptr || !info || info->size == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_amd_pointer_info_t found = {.size = info->size < sizeof found ? info->size
                                                                      : (uint32_t)sizeof found};
    bool wants_list = alloc && num_agents_accessible && accessible;
    simhsa_memory_lock();
    const struct simhsa_memory *memory = simhsa_memory_find((uintptr_t)ptr);
    describe(memory, (uintptr_t)ptr, &found);
    if (memory && wants_list)
        memcpy(allowed, memory->allowed, sizeof allowed);
    simhsa_memory_unlock();
    memcpy(info, &found, found.size);
    if (!wants_list)
        return HSA_STATUS_SUCCESS;
    allowed[simhsa_cpu()->node] = false; /* as in AMD's runtime, which lists those that need it */
    for (uint32_t i = 0; i < simhsa.agent_count; i++)
        count += allowed[i];
    *num_agents_accessible = 0;
    *accessible = count > 0 ? alloc(count * sizeof **accessible) : NULL;
    if (count > 0 && !*accessible)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (uint32_t i = 0; i < simhsa.agent_count; i++)
        if (allowed[i])
            (*accessible)[(*num_agents_accessible)++] = simhsa_agent_handle(&simhsa.agents[i]);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void *ptr, void *userdata)
{
    SIMHSA_ENTER();
    if (!ptr)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    struct simhsa_memory *memory = simhsa_memory_find((uintptr_t)ptr);
    if (memory)
        memory->userdata = userdata;
    simhsa_memory_unlock();
    return memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
