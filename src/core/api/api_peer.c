/* Access between devices. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"

static bool same_driver(const struct ah_device *a, const struct ah_device *b)
{
    return a->driver == b->driver;
}

static hipError_t can_access(int *out_can, int ordinal, int peer_ordinal)
{
    struct ah_device *device = ah_device_at(ordinal), *peer = ah_device_at(peer_ordinal);
    if (!out_can)
        return hipErrorInvalidValue;
    if (!device || !peer)
        return ah_device_missing_error();
    *out_can = 0;
    if (device == peer || !same_driver(device, peer))
        return hipSuccess;
    return device->ops->peer_can_access(device->native, peer->native, out_can);
}

hipError_t hipDeviceCanAccessPeer(int *canAccessPeer, int deviceId, int peerDeviceId)
{
    AH_ENTER(hipDeviceCanAccessPeer);
    return AH_LEAVE(can_access(canAccessPeer, deviceId, peerDeviceId));
}

hipError_t ah_peer_set_access(struct ah_device *device, int peer_ordinal, bool enable)
{
    struct ah_device *peer = ah_device_at(peer_ordinal);
    int can = 0;
    if (!device || !peer || device == peer)
        return ah_device_missing_error();
    hipError_t error = can_access(&can, device->ordinal, peer_ordinal);
    if (error != hipSuccess)
        return error;
    if (!can) {
        AH_LOG_ERR("device %d cannot reach the memory of device %d", device->ordinal, peer_ordinal);
        return hipErrorInvalidDevice;
    }
    return enable ? device->ops->peer_enable(device->native, peer->native)
                  : device->ops->peer_disable(device->native, peer->native);
}

hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags)
{
    AH_ENTER(hipDeviceEnablePeerAccess);
    if (flags != 0)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(ah_peer_set_access(ah_device_current(), peerDeviceId, true));
}

hipError_t hipDeviceDisablePeerAccess(int peerDeviceId)
{
    AH_ENTER(hipDeviceDisablePeerAccess);
    return AH_LEAVE(ah_peer_set_access(ah_device_current(), peerDeviceId, false));
}

static hipError_t peer_attribute(int *out_value, hipDeviceP2PAttr attribute, int from, int to)
{
    struct ah_device *device = ah_device_at(from), *peer = ah_device_at(to);
    if (!out_value || (int)attribute < hipDevP2PAttrPerformanceRank ||
        (int)attribute > hipDevP2PAttrHipArrayAccessSupported)
        return hipErrorInvalidValue;
    if (!device || !peer || device == peer)
        return ah_device_missing_error();
    *out_value = 0;
    if (!same_driver(device, peer))
        return hipSuccess;
    return device->ops->peer_attribute(device->native, peer->native, attribute, out_value);
}

hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attr, int srcDevice, int dstDevice)
{
    AH_ENTER(hipDeviceGetP2PAttribute);
    return AH_LEAVE(peer_attribute(value, attr, srcDevice, dstDevice));
}

static hipError_t link(int first, int second, uint32_t *out_type, uint32_t *out_hops)
{
    struct ah_device *device = ah_device_at(first), *peer = ah_device_at(second);
    if (!out_type || !out_hops)
        return hipErrorInvalidValue;
    if (first < 0 || second < 0 || (device && device == peer))
        return hipErrorInvalidValue;
    if (!device || !peer)
        return ah_device_missing_error();
    if (!same_driver(device, peer)) {
        AH_LOG_ERR("devices %d and %d belong to different drivers", first, second);
        return hipErrorNotSupported;
    }
    return device->ops->peer_link(device->native, peer->native, out_type, out_hops);
}

hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t *linktype,
                                        uint32_t *hopcount)
{
    AH_ENTER(hipExtGetLinkTypeAndHopCount);
    return AH_LEAVE(link(device1, device2, linktype, hopcount));
}
