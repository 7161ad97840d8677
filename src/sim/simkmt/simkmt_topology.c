/* Owns what the system consists of: the nodes, and what they say of their memory, caches and
 * links. */
#include "simkmt.h"

#include "amdgpu_device.h"
#include "config.h"
#include "sim_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LINK_WEIGHT = 20, /* between the host and a device; 15 between devices of a hive */
    PEER_WEIGHT = 15,
    CACHE_LINE = 64,
    SCRATCH_WAVES = 32, /* of a compute unit that have scratch */
    VENDOR_AMD = 0x1002,
    FIRST_BUS = 3, /* of PCI Express, on which devices are */
    WATCH_POINTS_LOG2 = 2,
    RENDER_MINOR = 128, /* of the first device, as /dev/dri/renderD128 */
};

/* ---- what there is --------------------------------------------------------------------- */

static size_t host_memory(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

static void make_gpu(uint32_t number, const struct amdgpu_model *model)
{
    const struct sim_options *options = sim_options();
    struct simkmt_node *node = &simkmt.nodes[number];
    *node = (struct simkmt_node){
        .number = number,
        .gpu = {.device = (int)number - 1, .model = *model, .clock_hz = AMDGPU_CLOCK_HZ},
        .memory = options->memory,
    };
    if (options->compute_units > 0)
        node->gpu.model.units = options->compute_units;
}

HSAKMT_STATUS simkmt_nodes_open(void)
{
    const struct amdgpu_model *models[SIM_DEVICES_MAX];
    const struct sim_options *options = sim_options();
    ah_config_start_log();
    int count = amdgpu_list_read(options->devices, models);
    if (count <= 0)
        return simkmt_refuse(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED,
                             "there are no AMD devices in ANYHIP_SIM_DEVICES=\"%s\"",
                             options->devices);
    return simkmt_nodes_create(models, count, options->memory);
}

HSAKMT_STATUS simkmt_nodes_create(const struct amdgpu_model *const *models, int count, size_t space)
{
    size_t memory[SIM_DEVICES_MAX];
    const struct sim_options *options = sim_options();
    for (int i = 0; i < count; i++)
        memory[i] = space;
    sim_memory_track_writes((options->checks & SIM_CHECK_UNINITIALISED) != 0);
    if (!sim_space_open(memory, count))
        return HSAKMT_STATUS_NO_MEMORY;
    sim_run_configure(&options->run);
    simkmt.nodes[0] = (struct simkmt_node){.gpu = {.device = -1}, .memory = host_memory()};
    for (int i = 0; i < count; i++)
        make_gpu((uint32_t)i + 1, models[i]);
    atomic_store_explicit(&simkmt.node_count, (unsigned)count + 1, memory_order_release);
    return HSAKMT_STATUS_SUCCESS;
}

struct simkmt_node *simkmt_node(uint32_t number)
{
    return number < atomic_load_explicit(&simkmt.node_count, memory_order_acquire)
               ? &simkmt.nodes[number]
               : NULL;
}

struct simkmt_node *simkmt_gpu_node(uint32_t number)
{
    return number > 0 ? simkmt_node(number) : NULL;
}

HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties *properties)
{
    SIMKMT_ENTER();
    if (!properties)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *properties = (HsaSystemProperties){.NumNodes = atomic_load(&simkmt.node_count)};
    return HSAKMT_STATUS_SUCCESS;
}

/* The nodes never change, so that nothing was kept for the caller. */
HSAKMT_STATUS hsaKmtReleaseSystemProperties(void)
{
    SIMKMT_ENTER();
    return HSAKMT_STATUS_SUCCESS;
}

/* ---- nodes ----------------------------------------------------------------------------- */

/* "gfx90a" is 9.0.10: the last two digits of the name are hexadecimal. */
static uint32_t engine_id(const struct amdgpu_model *model)
{
    unsigned major = 0, minor = 0, stepping = 0;
    size_t digits = strlen(model->name) - strlen("gfx") - 2;
    const char *name = model->name + strlen("gfx");
    for (size_t i = 0; i < digits; i++)
        major = major * 10 + (unsigned)(name[i] - '0');
    (void)sscanf(name + digits, "%1x%1x", &minor, &stepping);
    return major << 10 | minor << 16 | stepping << 24;
}

static uint32_t capability_of(const struct amdgpu_model *model)
{
    uint32_t capability = HSA_CAP_QUEUE_SIZE_POWER_OF_TWO | HSA_CAP_DOORBELL_64_BIT
                                                                << HSA_CAP_DOORBELL_TYPE_SHIFT;
    capability |= HSA_CAP_WATCH_POINTS | WATCH_POINTS_LOG2 << HSA_CAP_WATCH_POINTS_SHIFT;
    capability |= HSA_CAP_SVM_API;
    return capability | (model->sramecc ? (uint32_t)HSA_CAP_SRAM_EDC : 0);
}

static void describe_units(const struct amdgpu_model *model, HsaNodeProperties *properties)
{
    uint32_t banks = amdgpu_shader_engines(model);
    properties->NumShaderBanks = banks;
    properties->NumArrays = 1;
    properties->NumCUPerArray = model->units / banks;
    properties->NumSIMDPerCU = model->simds_per_unit;
    properties->NumFComputeCores = model->units * model->simds_per_unit;
    properties->MaxWavesPerSIMD = model->waves_per_simd;
    properties->MaxSlotsScratchCU = SCRATCH_WAVES;
    properties->WaveFrontSize = model->lanes;
    properties->LDSSizeInKB = (uint32_t)(amdgpu_lds_limit() >> 10);
    properties->VGPRSizePerCU = model->vgprs_per_simd * model->lanes * 4 * model->simds_per_unit;
}

static void describe_engines(const struct amdgpu_model *model, HsaNodeProperties *properties)
{
    properties->NumSdmaEngines = 2;
    properties->NumSdmaXgmiEngines = amdgpu_has_xgmi(model) ? 3 : 0;
    properties->NumSdmaQueuesPerEngine = 8;
    properties->NumCpQueues = 24;
    properties->NumGws = AMDGPU_GWS_RESOURCES;
    properties->HiveID = amdgpu_has_xgmi(model) ? 1 : 0;
}

static void describe_names(const struct simkmt_node *node, HsaNodeProperties *properties)
{
    char name[HSA_PUBLIC_NAME_SIZE];
    snprintf(name, sizeof name, "AnyHIP simulated %s", node->gpu.model.name);
    for (size_t i = 0; name[i]; i++)
        properties->MarketingName[i] = (uint16_t)name[i];
    snprintf((char *)properties->AMDName, sizeof properties->AMDName, "%s", node->gpu.model.name);
    properties->VendorId = VENDOR_AMD;
    properties->DeviceId = (uint16_t)node->gpu.model.chip_id;
    uint32_t index = node->number - 1; /* bus, device and function in 8, 5 and 3 bits */
    properties->LocationId = (FIRST_BUS + index) << 8 | (index & 0x1f) << 3;
    properties->DrmRenderMinor = RENDER_MINOR + (int32_t)node->number - 1;
    properties->UniqueID = (UINT64_C(0xa5000000) | node->gpu.model.chip_id) << 32 | node->number;
}

/* Of a GPU to every other node. The host has none: it does not reach memory of devices, to which a
 * link from the host would be the way. */
static uint32_t link_count(uint32_t number)
{
    return number == 0 ? 0 : atomic_load(&simkmt.node_count) - 1;
}

static unsigned cache_count(const struct simkmt_node *node)
{
    const struct amdgpu_model *model = &node->gpu.model;
    return node->number == 0 ? 1 : (model->l1_kib > 0) + (model->l2_kib > 0) + (model->l3_kib > 0);
}

static void describe_host(HsaNodeProperties *properties)
{
    properties->NumCPUCores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    char name[HSA_PUBLIC_NAME_SIZE];
    amdgpu_host_name(name, sizeof name);
    snprintf((char *)properties->AMDName, sizeof properties->AMDName, "CPU");
    for (size_t i = 0; name[i]; i++)
        properties->MarketingName[i] = (unsigned char)name[i];
}

static void describe_gpu(const struct simkmt_node *node, HsaNodeProperties *properties)
{
    const struct amdgpu_model *model = &node->gpu.model;
    properties->FComputeIdLo = 0x80000000u | node->number << 16;
    properties->Capability = capability_of(model);
    properties->EngineId = engine_id(model);
    properties->LocalMemSize = node->memory;
    properties->MaxEngineClockMhzFCompute = model->clock_mhz;
    describe_units(model, properties);
    describe_engines(model, properties);
    describe_names(node, properties);
}

HSAKMT_STATUS hsaKmtGetNodeProperties(uint32_t number, HsaNodeProperties *properties)
{
    SIMKMT_ENTER();
    const struct simkmt_node *node = simkmt_node(number);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!properties)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    HsaNodeProperties found = {
        .NumCaches = cache_count(node),
        .NumIOLinks = link_count(number),
        .NumMemoryBanks = number == 0 ? 1 : 3,
    };
    if (number == 0)
        describe_host(&found);
    else
        describe_gpu(node, &found);
    if (simkmt.later)
        simkmt_later_node(node, &found, (HsaNodePropertiesLater *)(void *)properties);
    else
        *properties = found;
    return HSAKMT_STATUS_SUCCESS;
}

/* ---- memory, caches, links ------------------------------------------------------------- */

HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(uint32_t number, uint32_t count,
                                            HsaMemoryProperties *properties)
{
    SIMKMT_ENTER();
    const struct simkmt_node *node = simkmt_node(number);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!properties)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    const struct amdgpu_model *model = &node->gpu.model;
    const HsaMemoryProperties banks[] = {
        {.HeapType = number == 0 ? HSA_HEAPTYPE_SYSTEM : HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE,
         .SizeInBytes = node->memory & -(uint64_t)SIMKMT_PAGE,
         .Width = model->bus_width,
         .MemoryClockMax = model->memory_clock_mhz},
        {.HeapType = HSA_HEAPTYPE_GPU_LDS,
         .SizeInBytes = amdgpu_lds_limit(),
         .VirtualBaseAddress = SIM_SHARED_WINDOW},
        {.HeapType = HSA_HEAPTYPE_GPU_SCRATCH,
         .SizeInBytes = SIM_WINDOW_SIZE,
         .VirtualBaseAddress = SIM_LOCAL_WINDOW},
    };
    for (uint32_t i = 0; i < count; i++)
        properties[i] = i < (number == 0 ? 1 : 3) ? banks[i] : (HsaMemoryProperties){0};
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeCacheProperties(uint32_t number, uint32_t processor, uint32_t count,
                                           HsaCacheProperties *properties)
{
    SIMKMT_ENTER();
    const struct simkmt_node *node = simkmt_node(number);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!properties || count > cache_count(node))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    const struct amdgpu_model *model = &node->gpu.model;
    const unsigned sizes[3] = {model->l1_kib, model->l2_kib, model->l3_kib};
    for (uint32_t i = 0; i < count; i++) {
        memset(&properties[i], 0, sizeof properties[i]);
        properties[i].ProcessorIdLow = processor;
        properties[i].CacheLevel = number == 0 ? 2 : i + 1;
        properties[i].CacheSize = number == 0 ? amdgpu_host_cache_kib() : sizes[i];
        properties[i].CacheLineSize = CACHE_LINE;
        properties[i].CacheType = HSA_CACHE_DATA | (number == 0 ? HSA_CACHE_CPU : HSA_CACHE_GPU);
    }
    return HSAKMT_STATUS_SUCCESS;
}

/* PCI Express to the host, XGMI within a hive. */
HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(uint32_t number, uint32_t count,
                                            HsaIoLinkProperties *properties)
{
    SIMKMT_ENTER();
    const struct simkmt_node *node = simkmt_node(number);
    uint32_t link = 0, nodes = atomic_load(&simkmt.node_count);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!properties || count > link_count(number))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    for (uint32_t other = 0; other < nodes && link < count; other++) {
        if (other == number)
            continue;
        bool hive = other > 0 && amdgpu_has_xgmi(&node->gpu.model) &&
                    amdgpu_has_xgmi(&simkmt.nodes[other].gpu.model);
        HsaIoLinkProperties found = {
            .IoLinkType = hive ? HSA_IOLINK_TYPE_XGMI : HSA_IOLINKTYPE_PCIEXPRESS,
            .NodeFrom = number,
            .NodeTo = other,
            .Weight = hive ? PEER_WEIGHT : LINK_WEIGHT,
        };
        if (simkmt.later)
            simkmt_later_link(&found, (HsaIoLinkPropertiesLater *)(void *)properties + link++);
        else
            properties[link++] = found;
    }
    return HSAKMT_STATUS_SUCCESS;
}

/* Images of simulated devices are linear: there are no tiles to configure. */
HSAKMT_STATUS hsaKmtGetTileConfig(uint32_t number, HsaGpuTileConfig *config)
{
    SIMKMT_ENTER();
    if (!simkmt_gpu_node(number))
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!config)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    config->NumTileConfigs = config->NumMacroTileConfigs = 0;
    config->GbAddrConfig = config->NumBanks = config->NumRanks = 0;
    return HSAKMT_STATUS_SUCCESS;
}
