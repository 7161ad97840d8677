/* Owns the properties of agents, their caches and their instruction sets. */
#include "simhsa_image.h"

#include "amdgpu_device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- handles ---------------------------------------------------------------------------- */

struct simhsa_agent *simhsa_agent_get(hsa_agent_t handle)
{
    uint64_t offset = handle.handle - (uintptr_t)simhsa.agents;
    if (offset % sizeof *simhsa.agents == 0 && offset / sizeof *simhsa.agents < simhsa.agent_count)
        return &simhsa.agents[offset / sizeof *simhsa.agents];
    return NULL;
}

struct simhsa_agent *simhsa_gpu_get(hsa_agent_t handle)
{
    struct simhsa_agent *agent = simhsa_agent_get(handle);
    return agent && agent->device >= 0 ? agent : NULL;
}

struct simhsa_agent *simhsa_agent_of_device(int device)
{
    for (unsigned i = 0; i < simhsa.agent_count; i++)
        if (simhsa.agents[i].device == device)
            return &simhsa.agents[i];
    return NULL;
}

/* The agent to whose structure an address belongs. */
static struct simhsa_agent *agent_around(uint64_t address)
{
    uint64_t index = (address - (uintptr_t)simhsa.agents) / sizeof *simhsa.agents;
    return index < simhsa.agent_count ? &simhsa.agents[index] : NULL;
}

struct simhsa_pool *simhsa_pool_get(uint64_t handle)
{
    struct simhsa_agent *agent = agent_around(handle);
    for (unsigned i = 0; agent && i < agent->pool_count; i++)
        if ((uintptr_t)&agent->pools[i] == handle)
            return &agent->pools[i];
    return NULL;
}

static const struct simhsa_cache *cache_get(hsa_cache_t handle)
{
    const struct simhsa_agent *agent = agent_around(handle.handle);
    for (unsigned i = 0; agent && i < agent->cache_count; i++)
        if ((uintptr_t)&agent->caches[i] == handle.handle)
            return &agent->caches[i];
    return NULL;
}

/* ---- agents ------------------------------------------------------------------------------ */

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void *), void *data)
{
    SIMHSA_ENTER();
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t result = HSA_STATUS_SUCCESS;
    for (unsigned i = 0; i < simhsa.agent_count && result == HSA_STATUS_SUCCESS; i++)
        result = callback(simhsa_agent_handle(&simhsa.agents[i]), data);
    return result;
}

static bool is_gpu(const struct simhsa_agent *agent)
{
    return agent->device >= 0;
}

/* An attribute's value. */
struct answer {
    size_t size;
    unsigned char bytes[128];
};

static struct answer zeros(size_t size)
{
    return (struct answer){.size = size};
}

static struct answer bytes(const void *from, size_t size)
{
    struct answer answer = {.size = size};
    memcpy(answer.bytes, from, size);
    return answer;
}

static struct answer number(size_t size, uint64_t value)
{
    return bytes(&value, size); /* little-endian */
}

static struct answer word(uint64_t value)
{
    return number(sizeof(uint32_t), value);
}

static uint32_t longest_queue(void)
{
    return simhsa_script.queue_packets > 0 ? simhsa_script.queue_packets : 131072;
}

static struct answer text(const char *from, size_t size)
{
    struct answer answer = zeros(size);
    memcpy(answer.bytes, from, strnlen(from, size - 1)); /* the rest is 0 */
    return answer;
}

enum { NAME_SIZE = 64 }; /* that the program has for names */

static struct answer cache_sizes(const struct simhsa_agent *agent)
{
    uint32_t sizes[4] = {0};
    for (unsigned i = 0; i < agent->cache_count; i++)
        sizes[agent->caches[i].level - 1] = agent->caches[i].size;
    return bytes(sizes, sizeof sizes);
}

static struct answer clock_counters(const struct simhsa_agent *agent)
{
    uint64_t now = amdgpu_clock(), system = simhsa_system_time(now);
    hsa_amd_clock_counters_t counters = {0};
    if (is_gpu(agent))
        counters = (hsa_amd_clock_counters_t){now, system, system, SIMHSA_SYSTEM_HZ};
    return bytes(&counters, sizeof counters);
}

/* A bit for each. */
static struct answer extensions(const struct simhsa_agent *agent)
{
    struct answer answer = zeros(128);
    if (simhsa_has_images(agent))
        answer.bytes[HSA_EXTENSION_IMAGES / 8] |= 1 << HSA_EXTENSION_IMAGES % 8;
    return answer;
}

/* Attributes of the standard; size 0: it is not one of them. */
static struct answer standard(const struct simhsa_agent *agent, int attribute)
{
    static const uint16_t group[3] = {1024, 1024, 1024}, none[3] = {0, 0, 0};
    static const hsa_dim3_t grid = {INT32_MAX, UINT16_MAX, UINT16_MAX}, nowhere = {0, 0, 0};
    bool gpu = is_gpu(agent);
    switch (attribute) {
    case HSA_AGENT_INFO_NAME:
        return text(agent->name, NAME_SIZE);
    case HSA_AGENT_INFO_VENDOR_NAME:
        return text(gpu ? "AMD" : "CPU", NAME_SIZE);
    case HSA_AGENT_INFO_FEATURE:
        return word(gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : 0);
    case HSA_AGENT_INFO_MACHINE_MODEL:
        return word(HSA_MACHINE_MODEL_LARGE);
    case HSA_AGENT_INFO_PROFILE:
        return word(gpu ? HSA_PROFILE_BASE : HSA_PROFILE_FULL);
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
        return word(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
        return number(sizeof(bool), gpu);
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
        return word(gpu ? agent->gpu.model.lanes : 0);
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
        return bytes(gpu ? group : none, sizeof group);
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
        return word(gpu ? 1024 : 0);
    case HSA_AGENT_INFO_GRID_MAX_DIM:
        return bytes(gpu ? &grid : &nowhere, sizeof grid);
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
        return word(gpu ? UINT32_MAX : 0);
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
        return word(gpu ? 32 : 0);
    case HSA_AGENT_INFO_QUEUES_MAX:
        return word(gpu ? 128 : 0);
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
        return word(gpu ? 64 : 0);
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
        return word(gpu ? longest_queue() : 0);
    case HSA_AGENT_INFO_QUEUE_TYPE:
        return word(HSA_QUEUE_TYPE_MULTI);
    case HSA_AGENT_INFO_NODE:
        return word(agent->node);
    case HSA_AGENT_INFO_DEVICE:
        return word(gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
    case HSA_AGENT_INFO_CACHE_SIZE:
        return cache_sizes(agent);
    case HSA_AGENT_INFO_ISA:
        return number(sizeof(hsa_isa_t), (uintptr_t)agent->isa);
    case HSA_AGENT_INFO_EXTENSIONS:
        return extensions(agent);
    case HSA_AGENT_INFO_VERSION_MAJOR:
    case HSA_AGENT_INFO_VERSION_MINOR:
        return number(sizeof(uint16_t), 1);
    default:
        return number(0, 0);
    }
}

/* Attributes of images; size 0: it is not one of them. */
static struct answer of_images(const struct simhsa_agent *agent, int attribute)
{
    static const unsigned char geometries[] = {
        HSA_EXT_IMAGE_GEOMETRY_1D,       HSA_EXT_IMAGE_GEOMETRY_1DA, HSA_EXT_IMAGE_GEOMETRY_1DB,
        HSA_EXT_IMAGE_GEOMETRY_2D,       HSA_EXT_IMAGE_GEOMETRY_2DA, HSA_EXT_IMAGE_GEOMETRY_2DDEPTH,
        HSA_EXT_IMAGE_GEOMETRY_2DADEPTH, HSA_EXT_IMAGE_GEOMETRY_3D,
    };
    enum { READ_ONLY = 128, READ_WRITE = 64, SAMPLERS = 16 };
    unsigned index = (unsigned)attribute - HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS;
    bool has_images = simhsa_has_images(agent);
    uint32_t most[4];
    if (index < sizeof geometries) {
        simhsa_image_limits(agent, geometries[index], most);
        return bytes(most, sizeof *most * (index < 3 ? 1 : index < 7 ? 2 : 3));
    }
    switch (attribute) {
    case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
        simhsa_image_limits(agent, HSA_EXT_IMAGE_GEOMETRY_2DA, most);
        return word(most[3]);
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES:
        return word(has_images ? READ_ONLY : 0);
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES:
        return word(has_images ? READ_WRITE : 0);
    case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS:
        return word(has_images ? SAMPLERS : 0);
    case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT:
        return is_gpu(agent) ? word(has_images ? AMDGPU_IMAGE_ALIGN : 0) : number(0, 0);
    default:
        return number(0, 0);
    }
}

static uint32_t units(const struct simhsa_agent *agent)
{
    return is_gpu(agent) ? agent->gpu.model.units : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Attributes of AMD's extension about the hardware; size 0: it is not one of them. */
static struct answer hardware(const struct simhsa_agent *agent, int attribute)
{
    const struct amdgpu_model *model = &agent->gpu.model; /* zeros of the CPU */
    enum { FIRST_BUS = 0x03 };
    switch (attribute) {
    case HSA_AMD_AGENT_INFO_CHIP_ID:
        return word(model->chip_id);
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
        return word(is_gpu(agent) ? 128 : 64);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
        return word(units(agent));
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
        return word(model->clock_mhz);
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
        return word(agent->node);
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
        return word(is_gpu(agent) ? 4 : 1);
    case HSA_AMD_AGENT_INFO_BDFID: /* bus, device and function in 8, 5 and 3 bits */
        return word(is_gpu(agent)
                        ? (uint32_t)(FIRST_BUS + agent->device) << 8 | (agent->device & 0x1f) << 3
                        : 0);
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
        return word(model->bus_width);
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
        return word(model->memory_clock_mhz);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
        return text(agent->product, NAME_SIZE);
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
        return word(model->simds_per_unit * model->waves_per_simd);
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
        return word(model->simds_per_unit);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
        return word(is_gpu(agent) ? amdgpu_shader_engines(model) : 0);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    case HSA_AMD_AGENT_INFO_NUM_XCC:
        return word(is_gpu(agent));
    case HSA_AMD_AGENT_INFO_DOMAIN:
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
    case HSA_AMD_AGENT_INFO_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
        return word(0);
    case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
        return word(is_gpu(agent) ? 2 : 0);
    default:
        return number(0, 0);
    }
}

static struct answer available(const struct simhsa_agent *agent)
{
    size_t used = is_gpu(agent) ? sim_memory_used(agent->device) : agent->memory;
    return number(sizeof(uint64_t), used < agent->memory ? agent->memory - used : 0);
}

/* The driver and its extensions. */
static struct answer driver(const struct simhsa_agent *agent, int attribute)
{
    const uint64_t scratch_max = UINT64_C(4) << 30;
    switch (attribute) {
    case HSA_AMD_AGENT_INFO_HDP_FLUSH:
        return bytes(&simhsa_script.flush_registers, sizeof simhsa_script.flush_registers);
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
        return number(sizeof(bool), is_gpu(agent));
    case HSA_AMD_AGENT_INFO_UUID:
        return text(agent->uuid, strlen(agent->uuid) + 1);
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
        return number(sizeof(bool), !is_gpu(agent));
    case HSA_AMD_AGENT_INFO_MEMORY_AVAIL:
        return is_gpu(agent) ? available(agent) : number(0, 0);
    case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
        return number(sizeof(uint64_t), is_gpu(agent) ? AMDGPU_CLOCK_HZ : SIMHSA_SYSTEM_HZ);
    case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT:
        return word(HSA_IOMMU_SUPPORT_NONE);
    case HSA_AMD_AGENT_INFO_DRIVER_UID:
        return word(is_gpu(agent) ? agent->gpu.model.chip_id + (uint32_t)agent->device : 0);
    case HSA_AMD_AGENT_INFO_NEAREST_CPU:
        return number(sizeof(hsa_agent_t), is_gpu(agent) ? (uintptr_t)simhsa_cpu() : 0);
    case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
    case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS:
        return zeros(8);
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
        return number(sizeof(uint64_t), is_gpu(agent) ? scratch_max : 0);
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT:
        return number(sizeof(uint64_t), atomic_load(&agent->scratch_limit));
    case HSA_AMD_AGENT_INFO_CLOCK_COUNTERS:
        return clock_counters(agent);
    default:
        return number(0, 0);
    }
}

/* Attributes that AMD's runtime does not support for the CPU. */
static bool of_gpus_only(int attribute)
{
    switch (attribute) {
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
        return true;
    default:
        return false;
    }
}

hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!is_gpu(agent) && of_gpus_only(attribute))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct answer answer = standard(agent, attribute);
    if (answer.size == 0)
        answer = of_images(agent, attribute);
    if (answer.size == 0)
        answer = hardware(agent, attribute);
    if (answer.size == 0)
        answer = driver(agent, attribute);
    if (!value || answer.size == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    memcpy(value, answer.bytes, answer.size);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t handle, hsa_agent_info_t attribute,
                                            void *value)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    struct answer answer = of_images(agent, attribute);
    if (!value || answer.size == 0 ||
        (unsigned)attribute > HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    memcpy(value, answer.bytes, answer.size);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t profile,
                                              uint16_t *mask)
{
    SIMHSA_ENTER();
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!mask || profile > HSA_PROFILE_FULL)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = 0;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t *type)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *gpu = simhsa_gpu_get(agent);
    if (!gpu)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!type)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *type = (hsa_amd_coherency_type_t)atomic_load(&gpu->coherency);
    return HSA_STATUS_SUCCESS;
}

/* All memory is coherent here, whatever the program requests. */
hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type)
{
    SIMHSA_ENTER();
    struct simhsa_agent *gpu = simhsa_gpu_get(agent);
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (type > HSA_AMD_COHERENCY_TYPE_NONCOHERENT)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!gpu)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    atomic_store(&gpu->coherency, (int)type);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t handle, size_t threshold)
{
    SIMHSA_ENTER();
    struct simhsa_agent *agent = simhsa_gpu_get(handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    atomic_store(&agent->scratch_limit, threshold);
    return HSA_STATUS_SUCCESS;
}

/* ---- caches --------------------------------------------------------------------------------- */

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t handle,
                                      hsa_status_t (*callback)(hsa_cache_t, void *), void *data)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t result = HSA_STATUS_SUCCESS;
    for (unsigned i = 0; i < agent->cache_count && result == HSA_STATUS_SUCCESS; i++)
        result = callback((hsa_cache_t){(uintptr_t)&agent->caches[i]}, data);
    return result;
}

hsa_status_t hsa_cache_get_info(hsa_cache_t handle, hsa_cache_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    const struct simhsa_cache *cache = cache_get(handle);
    if (!cache)
        return HSA_STATUS_ERROR_INVALID_CACHE;
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const char *name = cache->name;
    switch (attribute) {
    case HSA_CACHE_INFO_NAME_LENGTH:
        return simhsa_put_word(value, (uint32_t)strlen(name));
    case HSA_CACHE_INFO_NAME: /* as in AMD's runtime: a pointer to the characters */
        return simhsa_put(value, &name, sizeof name);
    case HSA_CACHE_INFO_LEVEL:
        return simhsa_put(value, &cache->level, sizeof cache->level);
    case HSA_CACHE_INFO_SIZE:
        return simhsa_put_word(value, cache->size >> 10); /* in KiB, as AMD's runtime */
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}
