/* Owns the search for devices: the agents of the runtime, the CPU nearest to each GPU, and the
 * runtime's memory pools. */
#include "hsa_runtime.h"
#include "reason.h"

#include <stdio.h>
#include <stdlib.h>

struct search { /* for the runtime's callbacks */
    struct ah_backend *backend;
    struct ah_backend_device *device;
    hsa_agent_t cpus[AHHSA_DEVICES_MAX];
    hsa_agent_t gpus[AHHSA_DEVICES_MAX];
    int cpu_count, gpu_count;
    bool host_pools; /* the pools that are being visited are the host's */
};

static hsa_status_t sort_agent(hsa_agent_t agent, void *data)
{
    struct search *search = data;
    const struct ahhsa_api *api = &search->backend->api;
    hsa_device_type_t type;
    hsa_agent_feature_t features = 0;
    hsa_status_t status = api->hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features);
    if (status != HSA_STATUS_SUCCESS)
        return status;
    if (type == HSA_DEVICE_TYPE_CPU && search->cpu_count < AHHSA_DEVICES_MAX)
        search->cpus[search->cpu_count++] = agent;
    if (type == HSA_DEVICE_TYPE_GPU && (features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) &&
        search->gpu_count < AHHSA_DEVICES_MAX)
        search->gpus[search->gpu_count++] = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t sort_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct search *search = data;
    const struct ahhsa_api *api = &search->backend->api;
    struct ahhsa_pools *pools = &search->device->pools;
    hsa_amd_segment_t segment;
    bool allowed = false;
    uint32_t flags = 0;
    bool host = search->host_pools;
    hsa_status_t status =
        api->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (status != HSA_STATUS_SUCCESS || segment != HSA_AMD_SEGMENT_GLOBAL)
        return status;
    status = api->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
                                               &allowed);
    if (status == HSA_STATUS_SUCCESS && allowed)
        status =
            api->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    if (status != HSA_STATUS_SUCCESS || !allowed)
        return status;
    hsa_amd_memory_pool_t *to = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT
                                    ? (host ? &pools->kernarg : NULL)
                                : flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
                                    ? (host ? &pools->host_fine : &pools->device_fine)
                                : flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED
                                    ? (host ? &pools->host_coarse : &pools->device_coarse)
                                    : NULL;
    if (to && to->handle == 0)
        *to = pool;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pools(struct search *search, hsa_agent_t agent, bool host)
{
    search->host_pools = host;
    return search->backend->api.hsa_amd_agent_iterate_memory_pools(agent, sort_pool, search);
}

static hsa_status_t first_isa(hsa_isa_t isa, void *data)
{
    struct search *search = data;
    const struct ahhsa_api *api = &search->backend->api;
    char name[256] = "";
    uint32_t length = 0;
    hsa_status_t status = api->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
    if (status == HSA_STATUS_SUCCESS && length < sizeof name)
        status = api->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
    if (status != HSA_STATUS_SUCCESS)
        return status;
    snprintf(search->device->isa, sizeof search->device->isa, "%.*s",
             (int)sizeof search->device->isa - 1, name);
    return HSA_STATUS_INFO_BREAK;
}

/* The CPU whose memory is nearest, if the runtime reports it. */
static hsa_agent_t nearest_cpu(const struct search *search, hsa_agent_t gpu)
{
    hsa_agent_t nearest = {0};
    if (search->backend->api.hsa_agent_get_info(
            gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_NEAREST_CPU, &nearest) == HSA_STATUS_SUCCESS)
        for (int i = 0; i < search->cpu_count; i++)
            if (search->cpus[i].handle == nearest.handle)
                return nearest;
    return search->cpus[0];
}

/* Kernel arguments and coarse-grained host memory can be in ordinary host memory. */
static void fill_gaps(struct ahhsa_pools *pools)
{
    if (pools->host_fine.handle == 0)
        pools->host_fine = pools->kernarg.handle ? pools->kernarg : pools->host_coarse;
    if (pools->kernarg.handle == 0)
        pools->kernarg = pools->host_fine;
}

static hsa_status_t describe(struct search *search, struct ah_backend_device *device,
                             hsa_agent_t agent)
{
    const struct ahhsa_api *api = &search->backend->api;
    uint32_t units = 0, wave = 0;
    device->backend = search->backend;
    device->api = api;
    device->agent = agent;
    device->host = nearest_cpu(search, agent);
    pthread_mutex_init(&device->lock, NULL);
    atomic_flag_clear(&device->failing);
    search->device = device;
    hsa_status_t status = api->hsa_agent_get_info(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave);
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_agent_get_info(
            agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &units);
    device->wavefront_size = wave;
    device->compute_units = units;
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_agent_iterate_isas(agent, first_isa, search);
    if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
        status = find_pools(search, agent, false);
    if (status == HSA_STATUS_SUCCESS)
        status = find_pools(search, device->host, true);
    fill_gaps(&device->pools);
    if (status == HSA_STATUS_SUCCESS &&
        (device->pools.device_coarse.handle == 0 || device->pools.host_fine.handle == 0))
        status = (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    return status;
}

static hipError_t no_device(char **out_reason)
{
    *out_reason = ah_reason("the runtime reports no GPU%s",
                            getenv("ROCR_VISIBLE_DEVICES") ? " (ROCR_VISIBLE_DEVICES is set)" : "");
    return hipErrorNoDevice;
}

hipError_t ahhsa_find_devices(struct ah_backend *backend, char **out_reason)
{
    struct search search = {.backend = backend};
    hsa_status_t status = backend->api.hsa_iterate_agents(sort_agent, &search);
    if (status == HSA_STATUS_SUCCESS && (search.gpu_count == 0 || search.cpu_count == 0))
        return no_device(out_reason);
    backend->host = search.cpus[0];
    backend->devices = calloc((size_t)search.gpu_count + 1, sizeof *backend->devices);
    if (!backend->devices)
        return hipErrorOutOfMemory;
    for (int i = 0; i < search.gpu_count && status == HSA_STATUS_SUCCESS; i++) {
        backend->devices[i].index = i;
        backend->device_count = i + 1;
        status = describe(&search, &backend->devices[i], search.gpus[i]);
    }
    if (status == HSA_STATUS_SUCCESS)
        status = ahhsa_watch_devices(backend);
    if (status != HSA_STATUS_SUCCESS)
        *out_reason = ah_reason("the runtime's devices cannot be used: %s",
                                ahhsa_status_text(backend, status));
    return ahhsa_error(status);
}
