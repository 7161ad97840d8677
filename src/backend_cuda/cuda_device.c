/* Owns what a device reports of itself: identity, attributes, properties, limits, peers, and the
 * images that it can run. */
#include "cuda_backend.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    FLOAT_FORMAT = 0x20,       /* CU_AD_FORMAT_FLOAT */
    GLOBALTIMER_KHZ = 1000000, /* %globaltimer counts nanoseconds */
    PCI_DEVICE_SHIFT = 16,
};

hipError_t ahcuda_device_identify(struct ah_backend_device *device,
                                  struct ah_device_identity *out_identity)
{
    CUuuid uuid = {{0}};
    *out_identity = (struct ah_device_identity){0};
    CUresult result = device->api->cuDeviceGetName(out_identity->name, sizeof out_identity->name,
                                                   device->ordinal);
    if (result == CUDA_SUCCESS)
        result = device->api->cuDeviceGetUuid_v2
                     ? device->api->cuDeviceGetUuid_v2(&uuid, device->ordinal)
                     : device->api->cuDeviceGetUuid(&uuid, device->ordinal);
    memcpy(out_identity->uuid.bytes, uuid.bytes, sizeof uuid.bytes);
    hipError_t error = ahcuda_done(device, "cuDeviceGetName", result);
    if (error == hipSuccess)
        error =
            ahcuda_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &out_identity->pci_domain);
    if (error == hipSuccess)
        error = ahcuda_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, &out_identity->pci_bus);
    if (error == hipSuccess)
        error =
            ahcuda_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &out_identity->pci_device);
    return error;
}

static int clamp_to_int(size_t value)
{
    return value > INT_MAX ? INT_MAX : (int)value;
}

/* For one channel of floats; 0 if the driver does not report it. */
static hipError_t linear_texture_width(struct ah_backend_device *device, int *out_width)
{
    size_t elements = 0;
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    *out_width = 0;
    if (device->api->cuDeviceGetTexture1DLinearMaxWidth)
        result = device->api->cuDeviceGetTexture1DLinearMaxWidth(&elements, FLOAT_FORMAT, 1,
                                                                 device->ordinal);
    if (result == CUDA_ERROR_INVALID_VALUE)
        return hipSuccess;
    *out_width = clamp_to_int(elements);
    return ahcuda_done(device, "cuDeviceGetTexture1DLinearMaxWidth", result);
}

hipError_t ahcuda_device_texture_1d_width(struct ah_backend_device *device, hipArray_Format format,
                                          unsigned channels, size_t *out_elements)
{
    if (!device->api->cuDeviceGetTexture1DLinearMaxWidth)
        return ahcuda_missing(device, "cuDeviceGetTexture1DLinearMaxWidth");
    return ahcuda_done(device, "cuDeviceGetTexture1DLinearMaxWidth",
                       device->api->cuDeviceGetTexture1DLinearMaxWidth(out_elements, (int)format,
                                                                       channels, device->ordinal));
}

hipError_t ahcuda_device_attribute(struct ah_backend_device *device, hipDeviceAttribute_t attribute,
                                   int *out_value)
{
    size_t bytes = 0;
    int native = 0, value;
    hipError_t error;
    switch ((int)attribute) {
#define CUDA_ATTRIBUTE(hip, cuda)                                                                  \
    case hipDeviceAttribute##hip:                                                                  \
        native = CU_DEVICE_ATTRIBUTE_##cuda;                                                       \
        break;
#include "cuda_attributes.def"
#undef CUDA_ATTRIBUTE
    case hipDeviceAttributeMaxTexture1DLinear:
        return linear_texture_width(device, out_value);
    case hipDeviceAttributeTotalGlobalMem:
        error = ahcuda_done(device, "cuDeviceTotalMem",
                            device->api->cuDeviceTotalMem(&bytes, device->ordinal));
        *out_value = clamp_to_int(bytes);
        return error;
    case hipDeviceAttributeWallClockRate:
        *out_value = GLOBALTIMER_KHZ; /* wall_clock64 reads %globaltimer, nanoseconds */
        return hipSuccess;
    case hipDeviceAttributeImageSupport:
    case hipDeviceAttributeNumberOfXccs:
        *out_value = 1;
        return hipSuccess;
    case hipDeviceAttributeCanUseStreamWaitValue:
        *out_value = device->api->cuStreamWaitValue32 != NULL;
        return hipSuccess;
    case hipDeviceAttributePciChipId:
        error = ahcuda_attribute(device, CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID, &value);
        *out_value = (int)((unsigned)value >> PCI_DEVICE_SHIFT);
        return error;
    /* Attributes of AMD hardware, and attributes that NVIDIA's driver does not report. */
    case hipDeviceAttributeFineGrainSupport: /* the host cannot access device memory */
    case hipDeviceAttributeIsLargeBar:
    case hipDeviceAttributeAsicRevision:
    case hipDeviceAttributeLuid:
    case hipDeviceAttributeLuidDeviceNodeMask:
        *out_value = 0;
        return hipSuccess;
    case hipDeviceAttributeHdpMemFlushCntl:
    case hipDeviceAttributeHdpRegFlushCntl:
        AH_LOG_ERR("NVIDIA devices have no HDP flush registers");
        return hipErrorNotSupported;
    default:
        return hipErrorInvalidValue;
    }
    return ahcuda_attribute(device, native, out_value);
}

/* The features of hipDeviceArch_t; every device of compute capability 5.0 or later has all of
 * them. */
static hipDeviceArch_t architecture(unsigned sm)
{
    hipDeviceArch_t arch;
    memset(&arch, 0, sizeof arch);
    arch.hasGlobalInt32Atomics = arch.hasGlobalFloatAtomicExch = 1;
    arch.hasSharedInt32Atomics = arch.hasSharedFloatAtomicExch = 1;
    arch.hasFloatAtomicAdd = 1;
    arch.hasGlobalInt64Atomics = arch.hasSharedInt64Atomics = 1;
    arch.hasDoubles = 1;
    arch.hasWarpVote = arch.hasWarpBallot = 1;
    arch.hasWarpShuffle = sm >= 30;
    arch.hasFunnelShift = sm >= 35;
    arch.hasThreadFenceSystem = arch.hasSyncThreadsExt = 1;
    arch.has3dGrid = 1;
    arch.hasDynamicParallelism = 0; /* device-side launches need NVIDIA's device runtime */
    return arch;
}

hipError_t ahcuda_device_properties(struct ah_backend_device *device,
                                    hipDeviceProp_tR0600 *out_properties)
{
    struct ah_device_identity identity;
    hipError_t error = ahcuda_device_identify(device, &identity);
    if (error != hipSuccess)
        return error;
    memset(out_properties, 0, sizeof *out_properties);
    snprintf(out_properties->name, sizeof out_properties->name, "%s", identity.name);
    out_properties->uuid = identity.uuid;
    out_properties->pciDomainID = identity.pci_domain;
    out_properties->pciBusID = identity.pci_bus;
    out_properties->pciDeviceID = identity.pci_device;
    snprintf(out_properties->gcnArchName, sizeof out_properties->gcnArchName, "sm_%u", device->sm);
    out_properties->arch = architecture(device->sm);
    int value = 0;
    error = linear_texture_width(device, &out_properties->maxTexture1DLinear);
#define CUDA_PROPERTY(field, attribute)                                                            \
    if (error == hipSuccess)                                                                       \
        error = ahcuda_attribute(device, CU_DEVICE_ATTRIBUTE_##attribute, &value);                 \
    out_properties->field = (__typeof__(out_properties->field))value;
#include "cuda_properties.def"
#undef CUDA_PROPERTY
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuDeviceTotalMem",
        device->api->cuDeviceTotalMem(&out_properties->totalGlobalMem, device->ordinal));
}

hipError_t ahcuda_device_synchronize(struct ah_backend_device *device)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuCtxSynchronize", device->api->cuCtxSynchronize());
}

hipError_t ahcuda_device_memory_info(struct ah_backend_device *device, size_t *out_free,
                                     size_t *out_total)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuMemGetInfo", device->api->cuMemGetInfo(out_free, out_total));
}

static bool native_limit(enum hipLimit_t limit, int *out_limit)
{
    switch ((int)limit) {
    case hipLimitStackSize:
        *out_limit = CU_LIMIT_STACK_SIZE;
        return true;
    case hipLimitPrintfFifoSize:
        *out_limit = CU_LIMIT_PRINTF_FIFO_SIZE;
        return true;
    case hipLimitMallocHeapSize:
        *out_limit = CU_LIMIT_MALLOC_HEAP_SIZE;
        return true;
    default:
        return false;
    }
}

hipError_t ahcuda_device_get_limit(struct ah_backend_device *device, enum hipLimit_t limit,
                                   size_t *out_value)
{
    int native;
    if (!native_limit(limit, &native))
        return hipErrorUnsupportedLimit;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuCtxGetLimit", device->api->cuCtxGetLimit(out_value, native));
}

hipError_t ahcuda_device_set_limit(struct ah_backend_device *device, enum hipLimit_t limit,
                                   size_t value)
{
    int native;
    if (!native_limit(limit, &native))
        return hipErrorUnsupportedLimit;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuCtxSetLimit", device->api->cuCtxSetLimit(native, value));
}

/* hipFuncCache_t and hipSharedMemConfig have CUDA's values. */

hipError_t ahcuda_device_get_cache_config(struct ah_backend_device *device,
                                          hipFuncCache_t *out_config)
{
    int config = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error =
            ahcuda_done(device, "cuCtxGetCacheConfig", device->api->cuCtxGetCacheConfig(&config));
    if (error == hipSuccess)
        *out_config = (hipFuncCache_t)config;
    return error;
}

hipError_t ahcuda_device_set_cache_config(struct ah_backend_device *device, hipFuncCache_t config)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuCtxSetCacheConfig",
                       device->api->cuCtxSetCacheConfig((int)config));
}

hipError_t ahcuda_device_get_shared_config(struct ah_backend_device *device,
                                           hipSharedMemConfig *out_config)
{
    int config = 0;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuCtxGetSharedMemConfig)
        return ahcuda_missing(device, "cuCtxGetSharedMemConfig");
    error = ahcuda_done(device, "cuCtxGetSharedMemConfig",
                        device->api->cuCtxGetSharedMemConfig(&config));
    if (error == hipSuccess)
        *out_config = (hipSharedMemConfig)config;
    return error;
}

hipError_t ahcuda_device_set_shared_config(struct ah_backend_device *device,
                                           hipSharedMemConfig config)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuCtxSetSharedMemConfig)
        return ahcuda_missing(device, "cuCtxSetSharedMemConfig");
    return ahcuda_done(device, "cuCtxSetSharedMemConfig",
                       device->api->cuCtxSetSharedMemConfig((int)config));
}

/* hipDeviceSchedule* and hipDeviceMapHost have the values of CU_CTX_*. */

hipError_t ahcuda_device_get_flags(struct ah_backend_device *device, unsigned *out_flags,
                                   bool *out_active)
{
    int active = 0;
    hipError_t error =
        ahcuda_done(device, "cuDevicePrimaryCtxGetState",
                    device->api->cuDevicePrimaryCtxGetState(device->ordinal, out_flags, &active));
    if (error == hipSuccess)
        *out_active = active != 0;
    return error;
}

hipError_t ahcuda_device_set_flags(struct ah_backend_device *device, unsigned flags)
{
    /* Mapped host memory is always possible; drivers refuse the flag as unknown. */
    return ahcuda_done(device, "cuDevicePrimaryCtxSetFlags",
                       device->api->cuDevicePrimaryCtxSetFlags(device->ordinal,
                                                               flags & ~(unsigned)CU_CTX_MAP_HOST));
}

hipError_t ahcuda_device_priority_range(struct ah_backend_device *device, int *out_least,
                                        int *out_greatest)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuCtxGetStreamPriorityRange",
                       device->api->cuCtxGetStreamPriorityRange(out_least, out_greatest));
}

hipError_t ahcuda_device_flush_remote_writes(struct ah_backend_device *device,
                                             hipFlushGPUDirectRDMAWritesScope scope)
{
    int native = scope == hipFlushGPUDirectRDMAWritesToOwner
                     ? CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER
                     : CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES;
    if (!device->api->cuFlushGPUDirectRDMAWrites)
        return ahcuda_missing(device, "cuFlushGPUDirectRDMAWrites");
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuFlushGPUDirectRDMAWrites",
                       device->api->cuFlushGPUDirectRDMAWrites(
                           CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX, native));
}

hipError_t ahcuda_peer_can_access(struct ah_backend_device *device, struct ah_backend_device *peer,
                                  int *out_can)
{
    return ahcuda_done(device, "cuDeviceCanAccessPeer",
                       device->api->cuDeviceCanAccessPeer(out_can, device->ordinal, peer->ordinal));
}

hipError_t ahcuda_peer_enable(struct ah_backend_device *device, struct ah_backend_device *peer)
{
    hipError_t error = ahcuda_enter(peer);
    if (error == hipSuccess)
        error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuCtxEnablePeerAccess",
                       device->api->cuCtxEnablePeerAccess(atomic_load(&peer->context), 0));
}

hipError_t ahcuda_peer_disable(struct ah_backend_device *device, struct ah_backend_device *peer)
{
    hipError_t error = ahcuda_enter(peer);
    if (error == hipSuccess)
        error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuCtxDisablePeerAccess",
                       device->api->cuCtxDisablePeerAccess(atomic_load(&peer->context)));
}

hipError_t ahcuda_peer_attribute(struct ah_backend_device *device, struct ah_backend_device *peer,
                                 hipDeviceP2PAttr attribute, int *out_value)
{
    enum { HIP_TO_CUDA = 1 }; /* hipDevP2PAttr* start at 0, CU_DEVICE_P2P_ATTRIBUTE_* at 1 */
    return ahcuda_done(device, "cuDeviceGetP2PAttribute",
                       device->api->cuDeviceGetP2PAttribute(out_value, (int)attribute + HIP_TO_CUDA,
                                                            device->ordinal, peer->ordinal));
}

/* HIP documents HSA's link types here; the driver reports neither type nor hops. */
hipError_t ahcuda_peer_link(struct ah_backend_device *device, struct ah_backend_device *peer,
                            uint32_t *out_type, uint32_t *out_hops)
{
    (void)out_type;
    (void)out_hops;
    AH_LOG_ERR("NVIDIA's driver does not report the kind of link between %s:%d and %s:%d",
               device->backend->name, device->ordinal, peer->backend->name, peer->ordinal);
    return hipErrorNotSupported;
}

/* Machine code is preferred to PTX, and PTX to a container whose contents only the driver knows.
 * The simulated driver runs PTX only. */
int ahcuda_device_rank_image(struct ah_backend_device *device, const struct ah_image *image)
{
    enum { CUBIN = 20000, PTX = 10000, FATBIN = 5000 };
    unsigned sm = device->sm;
    switch (image->kind) {
    case AH_IMAGE_CUBIN:
        if (device->api->anyhipSimConfigure) {
            AH_LOG(AH_LOG_INFO, AH_LOG_CODE, "%s: a cubin for %s: simulated devices run PTX only",
                   device->backend->name, image->target);
            return 0;
        }
        return image->sm <= sm && image->sm / 10 == sm / 10 ? CUBIN + (int)image->sm : 0;
    case AH_IMAGE_PTX:
        if (image->sm_suffix == 'a')
            return image->sm == sm ? PTX + (int)image->sm + 1 : 0;
        if (image->sm_suffix == 'f' && image->sm / 10 != sm / 10)
            return 0;
        return image->sm <= sm ? PTX + (int)image->sm : 0;
    case AH_IMAGE_CUDA_FATBIN:
        return FATBIN;
    default:
        return 0;
    }
}

hipError_t ahcuda_profiler_start(struct ah_backend_device *device)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuProfilerStart", device->api->cuProfilerStart());
}

hipError_t ahcuda_profiler_stop(struct ah_backend_device *device)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuProfilerStop", device->api->cuProfilerStop());
}
