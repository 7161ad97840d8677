/* Owns what a device reports of itself: identity, attributes, properties. */
#include "hsa_device_info.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HZ_PER_KHZ = 1000, UUID_PREFIX = 4 /* "GPU-" */ };

static int clamp(uint64_t value)
{
    return value > INT_MAX ? INT_MAX : (int)value;
}

/* ---- asking ----------------------------------------------------------------------------- */

/* Whether the runtime has answered. It returns INVALID_ARGUMENT for an attribute that it does not
 * know; after any other failure the information is incomplete, and the next call queries it
 * again. */
static bool succeeded(const struct ah_backend_device *device, const char *what, hsa_status_t status,
                      struct ahhsa_device_info *info)
{
    if (status == HSA_STATUS_SUCCESS)
        return true;
    if (status != HSA_STATUS_ERROR_INVALID_ARGUMENT) {
        ahhsa_report(device, what, status);
        info->incomplete = true;
    }
    return false;
}

static bool system_has(const struct ah_backend_device *device, hsa_system_info_t attribute,
                       struct ahhsa_device_info *info)
{
    bool value = false;
    return succeeded(device, "hsa_system_get_info",
                     device->api->hsa_system_get_info(attribute, &value), info) &&
           value;
}

static bool query_pool_info(const struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                            hsa_amd_memory_pool_info_t attribute, struct ahhsa_device_info *info,
                            void *out)
{
    return succeeded(device, "hsa_amd_memory_pool_get_info",
                     device->api->hsa_amd_memory_pool_get_info(pool, attribute, out), info);
}

static bool query_link_info(const struct ah_backend_device *device, hsa_agent_t agent,
                            hsa_amd_memory_pool_t pool, hsa_amd_agent_memory_pool_info_t attribute,
                            struct ahhsa_device_info *info, void *out)
{
    return succeeded(device, "hsa_amd_agent_memory_pool_get_info",
                     device->api->hsa_amd_agent_memory_pool_get_info(agent, pool, attribute, out),
                     info);
}

static bool is_of_images(int attribute)
{
    return attribute >= HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS &&
           attribute <= HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT;
}

/* A runtime that was built without images returns NOT_INITIALIZED for their attributes. */
static bool query_agent_info(const struct ah_backend_device *device, hsa_agent_t agent,
                             int attribute, struct ahhsa_device_info *info, void *out)
{
    hsa_status_t status = device->api->hsa_agent_get_info(agent, (hsa_agent_info_t)attribute, out);
    if (status == HSA_STATUS_ERROR_NOT_INITIALIZED && is_of_images(attribute))
        return false;
    return succeeded(device, "hsa_agent_get_info", status, info);
}

static hsa_status_t read_group_memory(hsa_amd_memory_pool_t pool, void *data)
{
    void **arguments = data; /* the device, its information */
    const struct ah_backend_device *device = arguments[0];
    struct ahhsa_device_info *info = arguments[1];
    hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL;
    size_t size = 0;
    if (query_pool_info(device, pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, info, &segment) &&
        segment == HSA_AMD_SEGMENT_GROUP &&
        query_pool_info(device, pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, info, &size))
        info->group_memory = (uint32_t)size;
    return HSA_STATUS_SUCCESS;
}

static void query_pools(struct ah_backend_device *device, struct ahhsa_device_info *info)
{
    const struct ahhsa_api *api = device->api;
    void *arguments[] = {device, info};
    hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    size_t size = 0;
    hsa_amd_memory_pool_t own = device->pools.device_coarse.handle ? device->pools.device_coarse
                                                                   : device->pools.device_fine;
    if (query_pool_info(device, own, HSA_AMD_MEMORY_POOL_INFO_SIZE, info, &size))
        info->memory_size = size;
    if (query_link_info(device, device->host, own, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, info,
                        &access))
        info->large_bar = access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    (void)succeeded(
        device, "hsa_amd_agent_iterate_memory_pools",
        api->hsa_amd_agent_iterate_memory_pools(device->agent, read_group_memory, arguments), info);
}

/* Atomics across the links to the host's memory; without a link there is nothing to query. */
static void query_links(struct ah_backend_device *device, struct ahhsa_device_info *info)
{
    enum { LINKS_MAX = 8 };
    hsa_amd_memory_pool_link_info_t links[LINKS_MAX];
    uint32_t hops = 0;
    hsa_amd_memory_pool_t pool = device->pools.host_fine;
    if (!query_link_info(device, device->agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS,
                         info, &hops) ||
        hops == 0 || hops > LINKS_MAX ||
        !query_link_info(device, device->agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO,
                         info, links))
        return;
    info->host_atomics = true;
    for (uint32_t i = 0; i < hops; i++)
        info->host_atomics &= links[i].atomic_support_32bit && links[i].atomic_support_64bit;
}

/* The rate of the device's clock, for runtimes that do not report it: it follows from how long a
 * number of its ticks is on the system's clock. The runtime knows the ratio of the clocks once it
 * has read both twice, which the conversion of a time far ahead makes it do. Clocks run at whole
 * megahertz. */
static uint64_t measure_clock(const struct ah_backend_device *device)
{
    enum { TICKS = 1 << 30, HZ_PER_MHZ = 1000000 };
    const struct ahhsa_api *api = device->api;
    const uint64_t ticks[] = {INT64_MAX, 0, TICKS};
    uint64_t times[3];
    if (!api->hsa_amd_profiling_convert_tick_to_system_domain)
        return 0;
    for (int i = 0; i < 3; i++)
        if (api->hsa_amd_profiling_convert_tick_to_system_domain(device->agent, ticks[i],
                                                                 &times[i]) != HSA_STATUS_SUCCESS)
            return 0;
    /* Both may be earlier than the system's clock. */
    int64_t elapsed = (int64_t)(times[2] - times[1]);
    if (elapsed <= 0)
        return 0;
    double hz = (double)TICKS * (double)device->backend->timestamp_frequency / (double)elapsed;
    return (uint64_t)(hz / HZ_PER_MHZ + 0.5) * HZ_PER_MHZ;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* What runtimes before ROCm 5.7 do not report, or report too large. */
static void complete_info(const struct ah_backend_device *device, struct ahhsa_device_info *info)
{
    if (info->timestamp_hz == 0)
        info->timestamp_hz = measure_clock(device);
    info->grid_dim.x = min_u32(info->grid_dim.x, INT32_MAX);
    info->grid_dim.y = min_u32(info->grid_dim.y, UINT16_MAX);
    info->grid_dim.z = min_u32(info->grid_dim.z, UINT16_MAX);
}

static void query_agent(struct ah_backend_device *device, struct ahhsa_device_info *info)
{
    uint32_t node = 0;
#define HSA_DEVICE_INFO(type, field, count, attribute)                                             \
    if (!query_agent_info(device, device->agent, attribute, info, &info->field))                   \
        memset(&info->field, 0, sizeof info->field);
#include "hsa_device_info.def"
#undef HSA_DEVICE_INFO
    complete_info(device, info);
    info->numa_node = -1;
    if (query_agent_info(device, device->host, HSA_AGENT_INFO_NODE, info, &node))
        info->numa_node = (int)node;
    info->product[sizeof info->product - 1] = '\0';
    info->name[sizeof info->name - 1] = '\0';
    info->uuid[sizeof info->uuid - 1] = '\0';
}

/* ---- properties ------------------------------------------------------------------------- */

/* The features of hipDeviceArch_t; every GPU that the runtime knows has these. */
static hipDeviceArch_t architecture(void)
{
    hipDeviceArch_t arch;
    memset(&arch, 0, sizeof arch);
    arch.hasGlobalInt32Atomics = arch.hasGlobalFloatAtomicExch = 1;
    arch.hasSharedInt32Atomics = arch.hasSharedFloatAtomicExch = 1;
    arch.hasFloatAtomicAdd = 1;
    arch.hasGlobalInt64Atomics = arch.hasSharedInt64Atomics = 1;
    arch.hasDoubles = 1;
    arch.hasWarpVote = arch.hasWarpBallot = arch.hasWarpShuffle = 1;
    arch.hasFunnelShift = 0; /* as ROCm reports it, although the functions exist */
    arch.hasThreadFenceSystem = 1;
    arch.hasSyncThreadsExt = 0;
    arch.has3dGrid = 1;
    arch.hasDynamicParallelism = 0;
    return arch;
}

static hipUUID uuid_of(const struct ahhsa_device_info *info)
{
    hipUUID uuid;
    memset(&uuid, 0, sizeof uuid);
    if (strncmp(info->uuid, "GPU-", UUID_PREFIX) == 0)
        memcpy(uuid.bytes, info->uuid + UUID_PREFIX,
               strnlen(info->uuid + UUID_PREFIX, sizeof uuid.bytes));
    return uuid;
}

static const char *name_of(const struct ahhsa_device_info *info)
{
    return *info->product ? info->product : info->name;
}

static const char *arch_of(const struct ah_backend_device *device)
{
    const char *at = strstr(device->isa, "--");
    return at ? at + 2 : device->isa;
}

/* gfx90a has no instructions that gather texels. */
static bool has_gather(const struct ahhsa_device_info *info)
{
    return strcmp(info->target.processor, "gfx90a") != 0;
}

static void fill_properties(struct ah_backend_device *device, struct ahhsa_device_info *f)
{
    struct ahhsa_registers registers = ahhsa_registers_of(f->target.processor, f->lanes);
    const struct ahhsa_registers *r = &registers;
    hipDeviceProp_tR0600 *out = &f->properties;
    snprintf(out->name, sizeof out->name, "%s", name_of(f));
    snprintf(out->gcnArchName, sizeof out->gcnArchName, "%s", arch_of(device));
    out->uuid = uuid_of(f);
    out->arch = architecture();
#define HSA_PROPERTY(field, value) out->field = (__typeof__(out->field))(value);
#include "hsa_properties.def"
#undef HSA_PROPERTY
}

static struct ahhsa_device_info *query_device(struct ah_backend_device *device)
{
    struct ahhsa_device_info *info = calloc(1, sizeof *info);
    if (!info)
        return NULL;
    ahhsa_limits_init(info);
    query_agent(device, info);
    query_pools(device, info);
    query_links(device, info);
    info->svm = system_has(device, HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED, info);
    info->svm_by_default = system_has(device, HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT, info);
    info->dmabuf = system_has(device, HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED, info);
    info->virtual_memory = device->api->hsa_amd_vmem_handle_create &&
                           system_has(device, HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED, info);
    if (info->incomplete) {
        free(info);
        return NULL;
    }
    ahhsa_target_parse(device->isa, &info->target);
    info->major = info->target.major;
    info->minor = info->target.minor;
    info->sramecc = info->target.sramecc;
    fill_properties(device, info);
    return info;
}

/* Two threads may query the device at the same time; the result of the first to finish is kept. */
struct ahhsa_device_info *ahhsa_device_info_of(struct ah_backend_device *device)
{
    struct ahhsa_device_info *info = __atomic_load_n(&device->info, __ATOMIC_ACQUIRE),
                             *there = NULL;
    if (__builtin_expect(info != NULL, 1))
        return info;
    info = query_device(device);
    if (info && !__atomic_compare_exchange_n(&device->info, &there, info, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) {
        free(info);
        info = there;
    }
    return info;
}

void ahhsa_device_info_free(struct ah_backend_device *device)
{
    free(device->info);
    device->info = NULL;
}

/* ---- entries ---------------------------------------------------------------------------- */

hipError_t ahhsa_device_identify(struct ah_backend_device *device,
                                 struct ah_device_identity *out_identity)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    *out_identity = (struct ah_device_identity){.pci_domain = -1, .pci_bus = -1, .pci_device = -1};
    if (!info)
        return hipErrorOutOfMemory;
    snprintf(out_identity->name, sizeof out_identity->name, "%s", name_of(info));
    out_identity->uuid = info->properties.uuid;
    out_identity->pci_domain = info->properties.pciDomainID;
    out_identity->pci_bus = info->properties.pciBusID;
    out_identity->pci_device = info->properties.pciDeviceID;
    return hipSuccess;
}

hipError_t ahhsa_device_properties(struct ah_backend_device *device,
                                   hipDeviceProp_tR0600 *out_properties)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!info)
        return hipErrorOutOfMemory;
    *out_properties = info->properties;
    return hipSuccess;
}

/* The address of a register is 8 bytes, as HIP documents it for these two. */
static hipError_t flush_register(uint32_t *address, int *out_value)
{
    if (!address) {
        AH_LOG_ERR("the device has no HDP flush registers");
        return hipErrorNotSupported;
    }
    memcpy(out_value, &address, sizeof address);
    return hipSuccess;
}

/* gfx940 and later GPUs of its family have no image instructions. */
bool ahhsa_device_has_images(struct ah_backend_device *device)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    return info && info->image_2d[0] != 0 && !(info->target.major == 9 && info->target.minor >= 4);
}

bool ahhsa_device_fits_images(struct ah_backend_device *device, const struct ah_array_shape *shape)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!ahhsa_device_has_images(device))
        return true;
    if (shape->depth && !(shape->flags & (hipArrayLayered | hipArrayCubemap)))
        return shape->width <= info->image_3d[0] && shape->height <= info->image_3d[1] &&
               shape->depth <= info->image_3d[2];
    return shape->width <= (shape->height ? info->image_2d[0] : info->image_1d) &&
           shape->height <= info->image_2d[1] && shape->depth <= info->image_layers;
}

hipError_t ahhsa_device_attribute(struct ah_backend_device *device, hipDeviceAttribute_t attribute,
                                  int *out_value)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!info)
        return hipErrorOutOfMemory;
    switch ((int)attribute) {
#define HSA_ATTRIBUTE(hip, field)                                                                  \
    case hipDeviceAttribute##hip:                                                                  \
        *out_value = clamp((uint64_t)info->properties.field);                                      \
        return hipSuccess;
#include "hsa_attributes.def"
#undef HSA_ATTRIBUTE
    case hipDeviceAttributeLuid:
    case hipDeviceAttributeGPUDirectRDMAWithHipVMMSupported:
    case hipDeviceAttributeHandleTypeFabricSupported:
    case hipDeviceAttributeHostAllocDmaBufSupported:
        *out_value = 0;
        return hipSuccess;
    case hipDeviceAttributeCanUseStreamWaitValue:
        *out_value = 1;
        return hipSuccess;
    case hipDeviceAttributeImageSupport:
        *out_value = ahhsa_device_has_images(device);
        return hipSuccess;
    case hipDeviceAttributeFineGrainSupport:
        *out_value = device->pools.device_fine.handle != 0;
        return hipSuccess;
    case hipDeviceAttributeVirtualMemoryManagementSupported:
        *out_value = info->virtual_memory;
        return hipSuccess;
    case hipDeviceAttributeDmaBufSupported:
        *out_value = info->dmabuf;
        return hipSuccess;
    case hipDeviceAttributeHostNumaId:
        *out_value = info->numa_node;
        return hipSuccess;
    case hipDeviceAttributeWallClockRate:
        *out_value = clamp(info->timestamp_hz / HZ_PER_KHZ);
        return hipSuccess;
    case hipDeviceAttributeNumberOfXccs: /* a runtime that does not know the attribute knows devices
                                            of one die only */
        *out_value = info->xccs ? (int)info->xccs : 1;
        return hipSuccess;
    case hipDeviceAttributePciChipId:
        *out_value = (int)info->chip_id;
        return hipSuccess;
    case hipDeviceAttributeHdpMemFlushCntl:
        return flush_register(info->hdp.HDP_MEM_FLUSH_CNTL, out_value);
    case hipDeviceAttributeHdpRegFlushCntl:
        return flush_register(info->hdp.HDP_REG_FLUSH_CNTL, out_value);
    default:
        return hipErrorInvalidValue;
    }
}

/* Textures over linear memory are bounded by elements, whatever their format. */
hipError_t ahhsa_device_texture_1d_width(struct ah_backend_device *device, hipArray_Format format,
                                         unsigned channels, size_t *out_elements)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    (void)format;
    (void)channels;
    if (!info)
        return hipErrorOutOfMemory;
    *out_elements = info->image_1d_buffer;
    return hipSuccess;
}

int ahhsa_device_rank_image(struct ah_backend_device *device, const struct ah_image *image)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    return info ? ahhsa_target_rank(&info->target, image) : 0;
}

/* The write makes the device empty the buffer in which writes over the bus wait; the read returns
 * when it has. */
hipError_t ahhsa_device_flush_remote_writes(struct ah_backend_device *device,
                                            hipFlushGPUDirectRDMAWritesScope scope)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    (void)scope; /* there is one buffer, in front of the memory */
    if (!info)
        return hipErrorOutOfMemory;
    volatile uint32_t *flush = info->hdp.HDP_MEM_FLUSH_CNTL;
    if (!flush)
        return ahhsa_refuse(device, "a flush of remote writes", "it has no HDP flush registers");
    *flush = 1;
    (void)*flush;
    return hipSuccess;
}

hipError_t ahhsa_device_native(struct ah_backend_device *device, void **out_device,
                               void **out_context)
{
    *out_device = (void *)(uintptr_t)device->agent.handle;
    *out_context = NULL; /* HSA has no contexts */
    return hipSuccess;
}

/* From gfx10 on, two units share a work-group processor, and AMD's runtime masks both together. */
hipError_t ahhsa_device_units(struct ah_backend_device *device, unsigned *out_units,
                              unsigned *out_group)
{
    enum { FIRST_WITH_PAIRS = 10 };
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!info)
        return hipErrorOutOfMemory;
    if (!device->api->hsa_amd_queue_cu_set_mask)
        return ahhsa_missing(device, "hsa_amd_queue_cu_set_mask");
    *out_units = info->units;
    *out_group = info->target.major >= FIRST_WITH_PAIRS ? 2 : 1;
    return hipSuccess;
}

/* No device that this backend knows has clusters: gfx1250, which has, is not among them. */
hipError_t ahhsa_occupancy_clusters(struct ah_backend_device *device,
                                    struct ah_backend_function *function,
                                    const struct ah_launch *launch,
                                    struct ah_backend_stream *stream, int *out_size, int *out_count)
{
    (void)function, (void)launch, (void)stream, (void)out_size, (void)out_count;
    (void)ahhsa_refuse(device, "a cluster of blocks", "the device has none");
    return hipErrorInvalidClusterSize;
}

/* AMD's profilers are controlled by environment variables; HSA has no functions that start or
 * stop one. */
hipError_t ahhsa_profiler_start(struct ah_backend_device *device)
{
    return ahhsa_refuse(device, "hipProfilerStart", "the HSA runtime has no such function");
}

hipError_t ahhsa_profiler_stop(struct ah_backend_device *device)
{
    return ahhsa_refuse(device, "hipProfilerStop", "the HSA runtime has no such function");
}
