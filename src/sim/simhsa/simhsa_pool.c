/* Owns the properties of memory pools and regions, which are the same. */
#include "simhsa_runtime.h"

#include "amdgpu_device.h"

#include <string.h>

enum { PAGE = 4096, RECOMMENDED = 2 << 20 };

static bool of_host(const struct simhsa_pool *pool)
{
    return pool->agent->device < 0;
}

/* Attributes of both, whose numbers are the same. */
static hsa_status_t common_info(const struct simhsa_pool *pool, int attribute, void *value)
{
    bool global = pool->segment == HSA_AMD_SEGMENT_GLOBAL;
    switch (attribute) {
    case HSA_REGION_INFO_SEGMENT: /* segments have the same numbers too */
        return simhsa_put_word(value, pool->segment);
    case HSA_REGION_INFO_GLOBAL_FLAGS:
        return simhsa_put_word(value, pool->flags);
    case HSA_REGION_INFO_SIZE:
        return simhsa_put_long(value, pool->size);
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED:
        return simhsa_put_bool(value, global);
    case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT:
        return simhsa_put_long(value, global ? PAGE : 0);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    const struct simhsa_pool *pool = simhsa_pool_get(region.handle);
    if (!pool)
        return HSA_STATUS_ERROR_INVALID_REGION;
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    bool global = pool->segment == HSA_AMD_SEGMENT_GLOBAL;
    const struct amdgpu_model *model = &pool->agent->gpu.model;
    switch ((int)attribute) {
    case HSA_REGION_INFO_ALLOC_MAX_SIZE:
        return simhsa_put_long(value, global ? pool->size : 0);
    case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE:
        return simhsa_put_bool(value, of_host(pool));
    case HSA_AMD_REGION_INFO_BASE:
        return simhsa_put_long(value, global ? 0 : SIM_SHARED_WINDOW);
    case HSA_AMD_REGION_INFO_BUS_WIDTH:
        return simhsa_put_word(value, global ? model->bus_width : 0);
    case HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY:
        return simhsa_put_word(value, global ? model->memory_clock_mhz : 0);
    default:
        return common_info(pool, (int)attribute, value);
    }
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool,
                                          hsa_amd_memory_pool_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    const struct simhsa_pool *pool = simhsa_pool_get(memory_pool.handle);
    if (!pool)
        return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    bool global = pool->segment == HSA_AMD_SEGMENT_GLOBAL;
    switch (attribute) {
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
        return simhsa_put_bool(value, of_host(pool));
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
        return simhsa_put_long(value, global ? pool->size : 0);
    case HSA_AMD_MEMORY_POOL_INFO_LOCATION:
        if (!global)
            return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        return simhsa_put_word(value, of_host(pool) ? HSA_AMD_MEMORY_POOL_LOCATION_CPU
                                                    : HSA_AMD_MEMORY_POOL_LOCATION_GPU);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
        return simhsa_put_long(value, !global ? 0 : of_host(pool) ? PAGE : RECOMMENDED);
    default:
        return common_info(pool, (int)attribute, value);
    }
}

/* ---- who has what ------------------------------------------------------------------ */

hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t handle, hsa_status_t (*callback)(hsa_amd_memory_pool_t, void *), void *data)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t result = HSA_STATUS_SUCCESS;
    for (unsigned i = 0; i < agent->pool_count && result == HSA_STATUS_SUCCESS; i++)
        result = callback((hsa_amd_memory_pool_t){(uintptr_t)&agent->pools[i]}, data);
    return result;
}

/* The regions of a GPU, and then those of the host, which it can access. AMD's runtime has regions
 * of the first GPU only: they belong to HSA 1.0, whose copies do not name an agent. */
static hsa_status_t visit_regions(const struct simhsa_agent *agent,
                                  hsa_status_t (*callback)(hsa_region_t, void *), void *data)
{
    hsa_status_t result = HSA_STATUS_SUCCESS;
    unsigned count = agent->node > 1 ? 0 : agent->pool_count;
    for (unsigned i = 0; i < count && result == HSA_STATUS_SUCCESS; i++)
        result = callback((hsa_region_t){(uintptr_t)&agent->pools[i]}, data);
    return result;
}

hsa_status_t hsa_agent_iterate_regions(hsa_agent_t handle,
                                       hsa_status_t (*callback)(hsa_region_t, void *), void *data)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t result = visit_regions(agent, callback, data);
    if (result == HSA_STATUS_SUCCESS && agent->device >= 0)
        result = visit_regions(simhsa_cpu(), callback, data);
    return result;
}

/* Linked by XGMI, which also allows access to fine-grained memory, and not by PCI Express. */
static bool are_in_hive(const struct simhsa_agent *a, const struct simhsa_agent *b)
{
    return a->device >= 0 && b->device >= 0 && amdgpu_has_xgmi(&a->gpu.model) &&
           amdgpu_has_xgmi(&b->gpu.model);
}

/* The host cannot access memory of devices unless a test says so, and no other agent can access
 * group segments. */
static hsa_amd_memory_pool_access_t access_of(const struct simhsa_agent *agent,
                                              const struct simhsa_pool *pool)
{
    if (agent == pool->agent)
        return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
    if (of_host(pool))
        return HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
    if (simhsa_script.large_bar && agent->device < 0 && pool->segment == HSA_AMD_SEGMENT_GLOBAL)
        return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
    if (simhsa_script.apart && agent->device >= 0)
        return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    bool coarse = pool->flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
    bool near = coarse || are_in_hive(agent, pool->agent);
    return agent->device >= 0 && pool->segment == HSA_AMD_SEGMENT_GLOBAL && near
               ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT
               : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t handle,
                                                hsa_amd_memory_pool_t memory_pool,
                                                hsa_amd_agent_memory_pool_info_t attribute,
                                                void *value)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    const struct simhsa_pool *pool = simhsa_pool_get(memory_pool.handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!pool)
        return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_amd_memory_pool_access_t access = access_of(agent, pool);
    bool linked = agent != pool->agent && access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    bool hive = are_in_hive(agent, pool->agent);
    hsa_amd_memory_pool_link_info_t link;
    switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
        return simhsa_put_word(value, access);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
        return simhsa_put_word(value, linked);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
        memset(&link, 0, sizeof link);
        if (linked)
            link = (hsa_amd_memory_pool_link_info_t){
                .atomic_support_32bit = true,
                .atomic_support_64bit = true,
                .coherent_support = true,
                .link_type = hive ? HSA_AMD_LINK_INFO_TYPE_XGMI : HSA_AMD_LINK_INFO_TYPE_PCIE,
                .numa_distance = hive ? 15 : 20,
            };
        return simhsa_put(value, &link, sizeof link);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

/* ---- moving -------------------------------------------------------------------------- */

/* AMD's runtime moves no memory either, and returns the same status. */
hsa_status_t hsa_amd_memory_migrate(const void *ptr, hsa_amd_memory_pool_t memory_pool,
                                    uint32_t flags)
{
    SIMHSA_ENTER();
    if (!ptr || flags != 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!simhsa_pool_get(memory_pool.handle))
        return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src_memory_pool,
                                             hsa_amd_memory_pool_t dst_memory_pool, bool *result)
{
    SIMHSA_ENTER();
    if (!simhsa_pool_get(src_memory_pool.handle) || !simhsa_pool_get(dst_memory_pool.handle))
        return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (!result)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = false;
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}
