/* Owns attributes of launches: their checks, and the form in which a launch carries them. */
#include "launch_attribute.h"
#include "log.h"

#include <string.h>

static hipError_t check_window(const struct ah_device *device, const hipAccessPolicyWindow *window,
                               const char *call)
{
    int limit = 0;
    hipError_t error = device->ops->device_attribute(
        device->native, hipDeviceAttributeAccessPolicyMaxWindowSize, &limit);
    if (error != hipSuccess)
        return error;
    if (window->num_bytes > (size_t)limit) {
        AH_LOG_ERR("%s: a window of %zu bytes is larger than the %d of device %d", call,
                   window->num_bytes, limit, device->ordinal);
        return hipErrorInvalidValue;
    }
    bool valid = window->hitRatio >= 0 && window->hitRatio <= 1 &&
                 (window->num_bytes == 0 || (window->base_ptr && window->hitRatio > 0)) &&
                 window->missProp != hipAccessPropertyPersisting;
    return valid ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t check_priority(const struct ah_device *device, int priority, const char *call)
{
    int least, greatest;
    hipError_t error = device->ops->device_priority_range(device->native, &least, &greatest);
    if (error != hipSuccess || (priority <= least && priority >= greatest))
        return error;
    AH_LOG_ERR("%s: priority %d is not between %d and %d", call, priority, greatest, least);
    return hipErrorInvalidValue;
}

/* A cluster of one block is none, which every device can have. */
static hipError_t check_cluster(const struct ah_device *device,
                                const hipLaunchAttributeValue *value, const char *call)
{
    hipDeviceProp_tR0600 properties;
    unsigned x = value->clusterDim.x, y = value->clusterDim.y, z = value->clusterDim.z;
    if (x == 1 && y == 1 && z == 1)
        return hipSuccess;
    if (x == 0 || y == 0 || z == 0)
        return hipErrorInvalidClusterSize;
    hipError_t error = device->ops->device_properties(device->native, &properties);
    if (error != hipSuccess || properties.clusterLaunch)
        return error;
    AH_LOG_ERR("%s: device %d has no clusters of blocks (%u, %u, %u)", call, device->ordinal, x, y,
               z);
    return hipErrorInvalidClusterSize;
}

hipError_t ah_launch_attribute_check(const struct ah_device *device, hipLaunchAttributeID attribute,
                                     const hipLaunchAttributeValue *value, const char *call)
{
    switch ((int)attribute) {
    case hipLaunchAttributeIgnore:
    case hipLaunchAttributeCooperative:
    case hipLaunchAttributeMemSyncDomainMap: /* domains are a device's; it may have a single one */
        return hipSuccess;
    case hipLaunchAttributeAccessPolicyWindow:
        return check_window(device, &value->accessPolicyWindow, call);
    case hipLaunchAttributePriority:
        return check_priority(device, value->priority, call);
    case hipLaunchAttributeClusterDimension:
        return check_cluster(device, value, call);
    case hipLaunchAttributeClusterSchedulingPolicyPreference:
        return (unsigned)value->clusterSchedulingPolicyPreference <=
                       hipClusterSchedulingPolicyLoadBalancing
                   ? hipSuccess
                   : hipErrorInvalidValue;
    case hipLaunchAttributeMemSyncDomain:
        return (unsigned)value->memSyncDomain <= hipLaunchMemSyncDomainRemote
                   ? hipSuccess
                   : hipErrorInvalidValue;
    default:
        return hipErrorInvalidValue;
    }
}

void ah_launch_attribute_add(struct ah_launch_attributes *attributes,
                             hipLaunchAttributeID attribute, const hipLaunchAttributeValue *value)
{
    switch ((int)attribute) {
    case hipLaunchAttributeAccessPolicyWindow:
        attributes->window = value->accessPolicyWindow;
        break;
    case hipLaunchAttributePriority:
        attributes->priority = value->priority;
        break;
    case hipLaunchAttributeClusterDimension:
        memcpy(attributes->cluster, &value->clusterDim, sizeof attributes->cluster);
        break;
    case hipLaunchAttributeClusterSchedulingPolicyPreference:
        attributes->cluster_policy = value->clusterSchedulingPolicyPreference;
        break;
    case hipLaunchAttributeMemSyncDomainMap:
        attributes->domain_map = value->memSyncDomainMap;
        break;
    case hipLaunchAttributeMemSyncDomain:
        attributes->domain = value->memSyncDomain;
        break;
    default: /* cooperative: a flag of the launch */
        return;
    }
    attributes->given |= 1u << attribute;
}

void ah_launch_attribute_read(const struct ah_launch_attributes *attributes,
                              hipLaunchAttributeID attribute, hipLaunchAttributeValue *out_value)
{
    switch ((int)attribute) {
    case hipLaunchAttributeAccessPolicyWindow:
        out_value->accessPolicyWindow = attributes->window;
        break;
    case hipLaunchAttributePriority:
        out_value->priority = attributes->priority;
        break;
    case hipLaunchAttributeClusterDimension:
        memcpy(&out_value->clusterDim, attributes->cluster, sizeof attributes->cluster);
        break;
    case hipLaunchAttributeClusterSchedulingPolicyPreference:
        out_value->clusterSchedulingPolicyPreference = attributes->cluster_policy;
        break;
    case hipLaunchAttributeMemSyncDomainMap:
        out_value->memSyncDomainMap = attributes->domain_map;
        break;
    case hipLaunchAttributeMemSyncDomain:
        out_value->memSyncDomain = attributes->domain;
        break;
    default:
        break;
    }
}

void ah_launch_attributes_use(struct ah_launch *launch,
                              const struct ah_launch_attributes *attributes)
{
    launch->attributes = attributes;
    launch->flags &= ~(unsigned)AH_LAUNCH_ATTRIBUTES;
    launch->flags |= attributes->given ? AH_LAUNCH_ATTRIBUTES : 0;
}
