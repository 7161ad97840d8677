/* Owns the attributes of kernel nodes. A cooperative launch is one; the others go with the launch
 * to the driver. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

static bool is_attribute(hipLaunchAttributeID id)
{
    return id == hipLaunchAttributeAccessPolicyWindow || id == hipLaunchAttributeCooperative ||
           id == hipLaunchAttributeClusterDimension ||
           id == hipLaunchAttributeClusterSchedulingPolicyPreference ||
           id == hipLaunchAttributePriority || id == hipLaunchAttributeMemSyncDomainMap ||
           id == hipLaunchAttributeMemSyncDomain;
}

static void set_value(struct ah_kernel_work *kernel, hipLaunchAttributeID id,
                      const hipLaunchAttributeValue *value)
{
    if (id == hipLaunchAttributeCooperative) {
        kernel->cooperative = value->cooperative;
        kernel->launch.flags &= ~(unsigned)AH_LAUNCH_COOPERATIVE;
        kernel->launch.flags |= value->cooperative ? AH_LAUNCH_COOPERATIVE : 0;
    } else {
        ah_launch_attribute_add(&kernel->attributes, id, value);
        ah_launch_attributes_use(&kernel->launch, &kernel->attributes);
    }
}

static hipError_t set(hipGraphNode_t handle, hipLaunchAttributeID id,
                      const hipLaunchAttributeValue *value)
{
    static const char call[] = "hipGraphKernelNodeSetAttribute";
    struct ah_node *node;
    hipError_t error = ah_node_of_type(handle, hipGraphNodeTypeKernel, call, &node);
    if (error == hipSuccess)
        error = is_attribute(id) && value
                    ? ah_launch_attribute_check(node->work->device, id, value, call)
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
    if (id == hipLaunchAttributeCooperative)
        out_value->cooperative = kernel->cooperative;
    else
        ah_launch_attribute_read(&kernel->attributes, id, out_value);
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
