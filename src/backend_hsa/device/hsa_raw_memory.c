/* Owns memory straight from the runtime, and copies and fills of it that are in no stream. */
#include "hsa_raw_memory.h"

int ahhsa_all_agents(struct ah_backend *backend, hsa_agent_t agents[AHHSA_DEVICES_MAX])
{
    for (int i = 0; i < backend->device_count; i++)
        agents[i] = backend->devices[i].agent;
    return backend->device_count;
}

hipError_t ahhsa_raw_allow_access(struct ah_backend_device *device, void *pointer, uint64_t more)
{
    hsa_agent_t agents[AHHSA_DEVICES_MAX];
    uint64_t peers = atomic_load(&device->peers) | (uint64_t)1 << device->index | more;
    uint32_t count = 0;
    for (int i = 0; i < device->backend->device_count; i++)
        if (peers >> i & 1)
            agents[count++] = device->backend->devices[i].agent;
    return ahhsa_done(device, "hsa_amd_agents_allow_access",
                      device->api->hsa_amd_agents_allow_access(count, agents, NULL, pointer));
}

static hipError_t pool_allocate(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                                size_t size, uint32_t flags, void **out_pointer)
{
    hsa_status_t status = device->api->hsa_amd_memory_pool_allocate(pool, size, flags, out_pointer);
    /* A size beyond the pool's largest allocation is not an invalid argument for HIP. */
    if (status == HSA_STATUS_ERROR_INVALID_ALLOCATION ||
        status == HSA_STATUS_ERROR_OUT_OF_RESOURCES)
        return hipErrorOutOfMemory;
    return ahhsa_done(device, "hsa_amd_memory_pool_allocate", status);
}

hipError_t ahhsa_raw_alloc_shared(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                                  size_t size, void **out_pointer)
{
    hsa_agent_t agents[AHHSA_DEVICES_MAX];
    void *pointer;
    hipError_t error = pool_allocate(device, pool, size, 0, &pointer);
    if (error != hipSuccess)
        return error;
    int count = ahhsa_all_agents(device->backend, agents);
    hsa_status_t status =
        device->api->hsa_amd_agents_allow_access((uint32_t)count, agents, NULL, pointer);
    if (status != HSA_STATUS_SUCCESS) {
        ahhsa_raw_free(device, pointer);
        return ahhsa_report(device, "hsa_amd_agents_allow_access", status);
    }
    *out_pointer = pointer;
    return hipSuccess;
}

static bool is_of_device(const struct ah_backend_device *device, hsa_amd_memory_pool_t pool)
{
    return pool.handle == device->pools.device_coarse.handle ||
           pool.handle == device->pools.device_fine.handle;
}

hipError_t ahhsa_raw_alloc_device(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                                  size_t size, uint32_t flags, void **out_pointer)
{
    void *pointer;
    hipError_t error = pool_allocate(device, pool, size, flags, &pointer);
    if (error == hipSuccess && atomic_load(&device->peers)) {
        error = ahhsa_raw_allow_access(device, pointer, 0);
        if (error != hipSuccess)
            ahhsa_raw_free(device, pointer);
    }
    if (error == hipSuccess)
        *out_pointer = pointer;
    return error;
}

hipError_t ahhsa_raw_alloc(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                           size_t size, void **out_pointer)
{
    return is_of_device(device, pool) ? ahhsa_raw_alloc_device(device, pool, size, 0, out_pointer)
                                      : ahhsa_raw_alloc_shared(device, pool, size, out_pointer);
}

hipError_t ahhsa_raw_free(struct ah_backend_device *device, void *pointer)
{
    if (!pointer)
        return hipSuccess;
    return ahhsa_done(device, "hsa_amd_memory_pool_free",
                      device->api->hsa_amd_memory_pool_free(pointer));
}

hipError_t ahhsa_raw_write(struct ah_backend_device *device, void *dst, const void *src,
                           size_t size)
{
    return ahhsa_done(device, "hsa_memory_copy", device->api->hsa_memory_copy(dst, src, size));
}

hipError_t ahhsa_raw_read(struct ah_backend_device *device, void *dst, const void *src, size_t size)
{
    return ahhsa_done(device, "hsa_memory_copy", device->api->hsa_memory_copy(dst, src, size));
}

hipError_t ahhsa_raw_zero(struct ah_backend_device *device, void *dst, size_t size)
{
    static const char zeros[sizeof(uint32_t)];
    size_t words = size / sizeof(uint32_t), rest = size % sizeof(uint32_t);
    hipError_t error = hipSuccess;
    if (words > 0)
        error = ahhsa_done(device, "hsa_amd_memory_fill",
                           device->api->hsa_amd_memory_fill(dst, 0, words));
    if (error == hipSuccess && rest > 0)
        error = ahhsa_raw_write(device, (char *)dst + words * sizeof(uint32_t), zeros, rest);
    return error;
}
