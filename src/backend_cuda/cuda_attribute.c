/* Owns the driver's form of attributes of launches, kernel nodes and streams. */
#include "cuda_attribute.h"

_Static_assert(
    (int)hipLaunchAttributeAccessPolicyWindow == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW &&
        (int)hipLaunchAttributeSynchronizationPolicy ==
            CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY &&
        (int)hipLaunchAttributeClusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
        (int)hipLaunchAttributeClusterSchedulingPolicyPreference ==
            CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE &&
        (int)hipLaunchAttributePriority == CU_LAUNCH_ATTRIBUTE_PRIORITY &&
        (int)hipLaunchAttributeMemSyncDomainMap == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP &&
        (int)hipLaunchAttributeMemSyncDomain == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    "HIP's numbers of attributes are CUDA's");

/* HIP's window has its members in another order. */
static CUlaunchAttributeValue window_value(const hipAccessPolicyWindow *window)
{
    return (CUlaunchAttributeValue){.accessPolicyWindow = {.base_ptr = window->base_ptr,
                                                           .num_bytes = window->num_bytes,
                                                           .hitRatio = window->hitRatio,
                                                           .hitProp = (int)window->hitProp,
                                                           .missProp = (int)window->missProp}};
}

static CUlaunchAttributeValue value_of(const struct ah_launch_attributes *given, int attribute)
{
    const unsigned *cluster = given->cluster;
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        return window_value(&given->window);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return (CUlaunchAttributeValue){.clusterDim = {cluster[0], cluster[1], cluster[2]}};
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        return (CUlaunchAttributeValue){.clusterSchedulingPolicyPreference =
                                            (int)given->cluster_policy};
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        return (CUlaunchAttributeValue){.priority = given->priority};
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        return (CUlaunchAttributeValue){
            .memSyncDomainMap = {given->domain_map.default_, given->domain_map.remote}};
    default:
        return (CUlaunchAttributeValue){.memSyncDomain = (int)given->domain};
    }
}

/* What needs no attribute: a window of nothing, and a cluster of one block. */
static bool is_void(const struct ah_launch_attributes *given, int attribute)
{
    const unsigned *cluster = given->cluster;
    return (attribute == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW &&
            given->window.num_bytes == 0) ||
           (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
            cluster[0] * cluster[1] * cluster[2] == 1);
}

unsigned ahcuda_attributes(const struct ah_launch *launch,
                           CUlaunchAttribute out[AHCUDA_ATTRIBUTES_MAX])
{
    unsigned count = 0;
    const struct ah_launch_attributes *given = launch->attributes;
    if (launch->flags & AH_LAUNCH_COOPERATIVE)
        out[count++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    if (!(launch->flags & AH_LAUNCH_ATTRIBUTES))
        return count;
    for (int i = 0; i <= CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN; i++)
        if (given->given >> i & 1 && !is_void(given, i))
            out[count++] = (CUlaunchAttribute){.id = i, .value = value_of(given, i)};
    return count;
}

hipError_t ahcuda_stream_set_attribute(struct ah_backend_device *device,
                                       struct ah_backend_stream *stream,
                                       hipLaunchAttributeID attribute,
                                       const hipLaunchAttributeValue *value)
{
    CUlaunchAttributeValue native = {.pad = {0}};
    if (attribute == hipLaunchAttributeAccessPolicyWindow)
        native = window_value(&value->accessPolicyWindow);
    else if (attribute == hipLaunchAttributeSynchronizationPolicy)
        native.syncPolicy = (int)value->syncPolicy;
    else if (attribute == hipLaunchAttributeMemSyncDomainMap)
        native.memSyncDomainMap.default_ = value->memSyncDomainMap.default_,
        native.memSyncDomainMap.remote = value->memSyncDomainMap.remote;
    else
        native.memSyncDomain = (int)value->memSyncDomain;
    if (!device->api->cuStreamSetAttribute)
        return ahcuda_missing(device, "cuStreamSetAttribute");
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(
        device, "cuStreamSetAttribute",
        device->api->cuStreamSetAttribute(ahcuda_stream(stream), (int)attribute, &native));
}

/* With several domains, remote work has one of its own. */
hipError_t ahcuda_stream_default_attribute(struct ah_backend_device *device,
                                           hipLaunchAttributeID attribute,
                                           hipLaunchAttributeValue *out_value)
{
    int domains = 1;
    *out_value = (hipLaunchAttributeValue){.pad = {0}};
    if (attribute == hipLaunchAttributeSynchronizationPolicy)
        out_value->syncPolicy = hipSyncPolicyAuto;
    if (attribute != hipLaunchAttributeMemSyncDomainMap)
        return hipSuccess;
    hipError_t error =
        ahcuda_attribute(device, CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, &domains);
    out_value->memSyncDomainMap.remote = domains > 1;
    return error;
}
