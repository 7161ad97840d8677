/* Public functions that add, show and change the copies of graphs. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

/* ---- boxes: the runtime API's ------------------------------------------------------------ */

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t *pDependencies, size_t numDependencies,
                                 const hipMemcpy3DParms *pCopyParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddMemcpyNode);
    hipError_t error = ah_work_make_memcpy(pCopyParams, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *pNodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphMemcpyNodeSetParams);
    hipError_t error = ah_work_make_memcpy(pNodeParams, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}

static size_t element_of(const struct ah_copy_end *end)
{
    return end->kind == AH_END_ARRAY
               ? ah_array_element_size((const struct ah_array *)(const void *)end->array)
               : 1;
}

/* One end as hipMemcpy3DParms has it; the width is in bytes. */
static void end_as_3d(const struct ah_copy_end *end, size_t width, hipArray_t *out_array,
                      hipPitchedPtr *out_pointer, hipPos *out_position)
{
    *out_position = (hipPos){end->x, end->y, end->z};
    if (end->kind == AH_END_ARRAY) {
        *out_array = (hipArray_t)(void *)end->array;
        out_position->x /= element_of(end);
    } else {
        *out_pointer = (hipPitchedPtr){end->pointer, end->pitch, width, end->rows};
    }
}

static hipMemcpy3DParms as_3d(const struct ah_memcpy_work *copy)
{
    const struct ah_copy_region *region = &copy->region;
    size_t element = element_of(&region->dst);
    if (copy->form == AH_MEMCPY_3D)
        return copy->params;
    if (element == 1)
        element = element_of(&region->src);
    hipMemcpy3DParms params = {.extent = {region->width / element, region->height, region->depth},
                               .kind = copy->kind};
    end_as_3d(&region->dst, region->width, &params.dstArray, &params.dstPtr, &params.dstPos);
    end_as_3d(&region->src, region->width, &params.srcArray, &params.srcPtr, &params.srcPos);
    return params;
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *pNodeParams)
{
    struct ah_memcpy_work copy;
    AH_ENTER(hipGraphMemcpyNodeGetParams);
    if (!pNodeParams)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = AH_NODE_GET(node, hipGraphNodeTypeMemcpy, memcpy, &copy);
    if (error == hipSuccess)
        *pNodeParams = as_3d(&copy);
    return AH_LEAVE(error);
}

/* ---- boxes: the driver API's ------------------------------------------------------------- */

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                    const hipGraphNode_t *dependencies, size_t numDependencies,
                                    const HIP_MEMCPY3D *copyParams, hipCtx_t ctx)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipDrvGraphAddMemcpyNode);
    if (!ctx)
        return AH_LEAVE(hipErrorInvalidValue);
    if (!ah_handle_is(ctx, AH_HANDLE_CONTEXT))
        return AH_LEAVE(hipErrorInvalidContext);
    struct ah_device *device = ((const struct ah_handle *)(const void *)ctx)->device;
    hipError_t error = ah_work_make_memcpy_driver(copyParams, device, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, hGraph, dependencies, numDependencies, work, __func__,
                                      phGraphNode));
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode, const HIP_MEMCPY3D *nodeParams)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipDrvGraphMemcpyNodeSetParams);
    hipError_t error = ah_work_make_memcpy_driver(nodeParams, ah_device_current(), __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, hNode, work, __func__));
}

static hipMemoryType memory_type(const struct ah_copy_place *place)
{
    return place->kind == AH_PLACE_ARRAY     ? hipMemoryTypeArray
           : place->kind == AH_PLACE_DEVICE  ? hipMemoryTypeDevice
           : place->kind == AH_PLACE_MANAGED ? hipMemoryTypeUnified
                                             : hipMemoryTypeHost;
}

static HIP_MEMCPY3D as_driver(const struct ah_memcpy_work *copy)
{
    const struct ah_copy_end *dst = &copy->region.dst, *src = &copy->region.src;
    if (copy->form == AH_MEMCPY_DRIVER)
        return copy->driver;
    HIP_MEMCPY3D params = {
        .srcXInBytes = src->x,
        .srcY = src->y,
        .srcZ = src->z,
        .srcMemoryType = memory_type(&copy->src_place),
        .srcPitch = src->pitch,
        .srcHeight = src->rows,
        .dstXInBytes = dst->x,
        .dstY = dst->y,
        .dstZ = dst->z,
        .dstMemoryType = memory_type(&copy->dst_place),
        .dstPitch = dst->pitch,
        .dstHeight = dst->rows,
        .WidthInBytes = copy->region.width,
        .Height = copy->region.height,
        .Depth = copy->region.depth,
    };
    if (params.srcMemoryType == hipMemoryTypeArray)
        params.srcArray = (hipArray_t)(void *)src->array;
    else if (params.srcMemoryType == hipMemoryTypeHost)
        params.srcHost = src->pointer;
    else
        params.srcDevice = src->pointer;
    if (params.dstMemoryType == hipMemoryTypeArray)
        params.dstArray = (hipArray_t)(void *)dst->array;
    else if (params.dstMemoryType == hipMemoryTypeHost)
        params.dstHost = dst->pointer;
    else
        params.dstDevice = dst->pointer;
    return params;
}

hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t hNode, HIP_MEMCPY3D *nodeParams)
{
    struct ah_memcpy_work copy;
    AH_ENTER(hipDrvGraphMemcpyNodeGetParams);
    if (!nodeParams)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = AH_NODE_GET(hNode, hipGraphNodeTypeMemcpy, memcpy, &copy);
    if (error == hipSuccess)
        *nodeParams = as_driver(&copy);
    return AH_LEAVE(error);
}

/* ---- rows ---------------------------------------------------------------------------------- */

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t *pDependencies, size_t numDependencies,
                                   void *dst, const void *src, size_t count, hipMemcpyKind kind)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddMemcpyNode1D);
    hipError_t error = ah_work_make_memcpy_1d(dst, src, count, kind, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src,
                                         size_t count, hipMemcpyKind kind)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphMemcpyNodeSetParams1D);
    hipError_t error = dst == src ? hipErrorInvalidValue
                                  : ah_work_make_memcpy_1d(dst, src, count, kind, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                         const hipGraphNode_t *pDependencies,
                                         size_t numDependencies, const void *symbol,
                                         const void *src, size_t count, size_t offset,
                                         hipMemcpyKind kind)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddMemcpyNodeToSymbol);
    hipError_t error =
        ah_work_make_memcpy_to_symbol(symbol, src, count, offset, kind, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol,
                                               const void *src, size_t count, size_t offset,
                                               hipMemcpyKind kind)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphMemcpyNodeSetParamsToSymbol);
    hipError_t error =
        ah_work_make_memcpy_to_symbol(symbol, src, count, offset, kind, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                           const hipGraphNode_t *pDependencies,
                                           size_t numDependencies, void *dst, const void *symbol,
                                           size_t count, size_t offset, hipMemcpyKind kind)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphAddMemcpyNodeFromSymbol);
    hipError_t error =
        ah_work_make_memcpy_from_symbol(dst, symbol, count, offset, kind, __func__, &work);
    return AH_LEAVE(ah_graph_add_work(error, graph, pDependencies, numDependencies, work, __func__,
                                      pGraphNode));
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *dst, const void *symbol,
                                                 size_t count, size_t offset, hipMemcpyKind kind)
{
    struct ah_work *work = NULL;
    AH_ENTER(hipGraphMemcpyNodeSetParamsFromSymbol);
    hipError_t error =
        ah_work_make_memcpy_from_symbol(dst, symbol, count, offset, kind, __func__, &work);
    return AH_LEAVE(ah_node_set_work(error, node, work, __func__));
}
