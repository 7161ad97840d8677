/* Owns access between devices: peer access, and the properties of links. */
#include "hsa_allocation.h"

static uint64_t bit_of(const struct ah_backend_device *device)
{
    return (uint64_t)1 << device->index;
}

hipError_t ahhsa_peer_can_access(struct ah_backend_device *device, struct ah_backend_device *peer,
                                 int *out_can)
{
    hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    if (device != peer)
        status = device->api->hsa_amd_agent_memory_pool_get_info(
            device->agent, peer->pools.device_coarse, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
            &access);
    *out_can = access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    return ahhsa_done(device, "hsa_amd_agent_memory_pool_get_info", status);
}

/* A failed query counts as no access: the copy then goes through host memory. */
static bool has_access(struct ah_backend_device *device, struct ah_backend_device *peer)
{
    int can = 0;
    return ahhsa_peer_can_access(device, peer, &can) == hipSuccess && can;
}

hipError_t ahhsa_peer_enable(struct ah_backend_device *device, struct ah_backend_device *peer)
{
    int can = 0;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_enter(peer);
    if (error == hipSuccess)
        error = ahhsa_peer_can_access(device, peer, &can);
    if (error != hipSuccess)
        return error;
    if (!can) {
        AH_LOG_ERR("%s:%d cannot access the memory of device %d", device->backend->name,
                   device->index, peer->index);
        return hipErrorPeerAccessUnsupported;
    }
    if (atomic_fetch_or(&peer->peers, bit_of(device)) & bit_of(device))
        return hipErrorPeerAccessAlreadyEnabled;
    return ahhsa_memory_update_access(peer);
}

hipError_t ahhsa_peer_disable(struct ah_backend_device *device, struct ah_backend_device *peer)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_enter(peer);
    if (error == hipSuccess)
        error = ahhsa_device_drain(device);
    if (error != hipSuccess)
        return error;
    if (!(atomic_fetch_and(&peer->peers, ~bit_of(device)) & bit_of(device)))
        return hipErrorPeerAccessNotEnabled;
    return ahhsa_memory_update_access(peer);
}

static hipError_t first_link(struct ah_backend_device *device, struct ah_backend_device *peer,
                             hsa_amd_memory_pool_link_info_t *out_link, uint32_t *out_hops)
{
    enum { HOPS_MAX = 16 };
    hsa_amd_memory_pool_link_info_t links[HOPS_MAX] = {0};
    const struct ahhsa_api *api = device->api;
    hsa_amd_memory_pool_t pool = peer->pools.device_coarse;
    hsa_status_t status = api->hsa_amd_agent_memory_pool_get_info(
        device->agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, out_hops);
    if (status == HSA_STATUS_SUCCESS && *out_hops > 0 && *out_hops <= HOPS_MAX)
        status = api->hsa_amd_agent_memory_pool_get_info(
            device->agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, links);
    *out_link = links[0];
    return ahhsa_done(device, "hsa_amd_agent_memory_pool_get_info", status);
}

hipError_t ahhsa_peer_attribute(struct ah_backend_device *device, struct ah_backend_device *peer,
                                hipDeviceP2PAttr attribute, int *out_value)
{
    hsa_amd_memory_pool_link_info_t link;
    uint32_t hops = 0;
    hipError_t error = first_link(device, peer, &link, &hops);
    int can = 0;
    if (error == hipSuccess)
        error = ahhsa_peer_can_access(device, peer, &can);
    if (error != hipSuccess)
        return error;
    switch ((int)attribute) {
    case hipDevP2PAttrPerformanceRank: /* 0 is the best */
        *out_value = link.link_type == HSA_AMD_LINK_INFO_TYPE_XGMI ? 0 : 1;
        return hipSuccess;
    case hipDevP2PAttrAccessSupported:
    case hipDevP2PAttrHipArrayAccessSupported:
        *out_value = can;
        return hipSuccess;
    case hipDevP2PAttrNativeAtomicSupported:
        *out_value = can && link.atomic_support_64bit;
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

hipError_t ahhsa_peer_link(struct ah_backend_device *device, struct ah_backend_device *peer,
                           uint32_t *out_type, uint32_t *out_hops)
{
    hsa_amd_memory_pool_link_info_t link;
    uint32_t hops = 0;
    hipError_t error = first_link(device, peer, &link, &hops);
    if (error != hipSuccess)
        return error;
    *out_type = link.link_type;
    *out_hops = hops;
    return hipSuccess;
}

static void add_accessible(struct ahhsa_allocation *allocation, void *data)
{
    allocation->accessible_by |= *(const uint64_t *)data;
}

/* Gives device access to memory of owner. */
static bool allow_access(struct ah_backend_device *owner, const void *pointer,
                         struct ah_backend_device *device)
{
    struct ahhsa_allocation it;
    uint64_t bit = bit_of(device);
    if (!ahhsa_memory_find(owner->backend, pointer, &it))
        return false;
    if ((it.accessible_by | atomic_load(&owner->peers)) & bit)
        return true;
    return ahhsa_raw_allow_access(owner, (void *)it.range.start, it.accessible_by | bit) ==
               hipSuccess &&
           ahhsa_memory_update(owner->backend, pointer, add_accessible, &bit);
}

bool ahhsa_peer_enable_copy(struct ah_backend_device *dst_device, const void *dst,
                            struct ah_backend_device *src_device, const void *src)
{
    return has_access(dst_device, src_device) && has_access(src_device, dst_device) &&
           allow_access(dst_device, dst, src_device) && allow_access(src_device, src, dst_device);
}
