/* Owns the attributes of kernel nodes. A cooperative launch is one; the priority and the window of
 * memory with a policy are hints, which are kept and shown, and not passed to a driver. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

static bool is_attribute(hipLaunchAttributeID id)
{
    return id == hipLaunchAttributeAccessPolicyWindow || id == hipLaunchAttributeCooperative ||
           id == hipLaunchAttributePriority;
}

static hipError_t check_window(const hipAccessPolicyWindow *window, const struct ah_device *device,
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

static hipError_t check_priority(int priority, const struct ah_device *device, const char *call)
{
    int least, greatest;
    hipError_t error = device->ops->device_priority_range(device->native, &least, &greatest);
    if (error != hipSuccess || (priority <= least && priority >= greatest))
        return error;
    AH_LOG_ERR("%s: priority %d is not between %d and %d", call, priority, greatest, least);
    return hipErrorInvalidValue;
}

static hipError_t check(hipLaunchAttributeID id, const hipLaunchAttributeValue *value,
                        const struct ah_device *device, const char *call)
{
    if (id == hipLaunchAttributeAccessPolicyWindow)
        return check_window(&value->accessPolicyWindow, device, call);
    return id == hipLaunchAttributePriority ? check_priority(value->priority, device, call)
                                            : hipSuccess;
}

static void set_value(struct ah_kernel_work *kernel, hipLaunchAttributeID id,
                      const hipLaunchAttributeValue *value)
{
    if (id == hipLaunchAttributeAccessPolicyWindow) {
        kernel->access_policy = value->accessPolicyWindow;
    } else if (id == hipLaunchAttributePriority) {
        kernel->priority = value->priority;
    } else {
        kernel->cooperative = value->cooperative;
        kernel->launch.flags &= ~(unsigned)AH_LAUNCH_COOPERATIVE;
        kernel->launch.flags |= value->cooperative ? AH_LAUNCH_COOPERATIVE : 0;
    }
}

static hipError_t set(hipGraphNode_t handle, hipLaunchAttributeID id,
                      const hipLaunchAttributeValue *value)
{
    static const char call[] = "hipGraphKernelNodeSetAttribute";
    struct ah_node *node;
    hipError_t error = ah_node_of_type(handle, hipGraphNodeTypeKernel, call, &node);
    if (error == hipSuccess)
        error = is_attribute(id) && value ? check(id, value, node->work->device, call)
                                          : hipErrorInvalidValue;
    if (error == hipSuccess)
        set_value(&node->work->kernel, id, value);
    return error;
}

hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t hNode, hipKernelNodeAttrID attr,
                                          const hipKernelNodeAttrValue *value)
{
    AH_ENTER(hipGraphKernelNodeSetAttribute);
    ah_graph_lock();
    hipError_t error = set(hNode, attr, value);
    ah_graph_unlock();
    return AH_LEAVE(error);
}

static hipError_t get(hipGraphNode_t handle, hipLaunchAttributeID id,
                      hipLaunchAttributeValue *out_value)
{
    struct ah_node *node;
    hipError_t error =
        ah_node_of_type(handle, hipGraphNodeTypeKernel, "hipGraphKernelNodeGetAttribute", &node);
    if (error != hipSuccess)
        return error;
    if (!is_attribute(id) || !out_value)
        return hipErrorInvalidValue;
    const struct ah_kernel_work *kernel = &node->work->kernel;
    if (id == hipLaunchAttributeAccessPolicyWindow)
        out_value->accessPolicyWindow = kernel->access_policy;
    else if (id == hipLaunchAttributePriority)
        out_value->priority = kernel->priority;
    else
        out_value->cooperative = kernel->cooperative;
    return hipSuccess;
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t hNode, hipKernelNodeAttrID attr,
                                          hipKernelNodeAttrValue *value)
{
    AH_ENTER(hipGraphKernelNodeGetAttribute);
    ah_graph_lock();
    hipError_t error = get(hNode, attr, value);
    ah_graph_unlock();
    return AH_LEAVE(error);
}

static hipError_t copy(hipGraphNode_t from, hipGraphNode_t to)
{
    static const char call[] = "hipGraphKernelNodeCopyAttributes";
    struct ah_node *source, *destination;
    hipError_t error = ah_node_of_type(from, hipGraphNodeTypeKernel, call, &source);
    if (error == hipSuccess)
        error = ah_node_of_type(to, hipGraphNodeTypeKernel, call, &destination);
    if (error == hipSuccess)
        ah_work_kernel.inherit(source->work, destination->work);
    return error;
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst)
{
    AH_ENTER(hipGraphKernelNodeCopyAttributes);
    ah_graph_lock();
    hipError_t error = copy(hSrc, hDst);
    ah_graph_unlock();
    return AH_LEAVE(error);
}
