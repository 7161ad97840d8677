// Graphs: work and its order, built once and launched many times; and stream capture, which
// builds a graph from calls.
//
// All functions here: hipErrorInvalidValue if a graph, node or executable graph is invalid (or was
// destroyed), if a pointer is NULL, or if a node is of another kind or graph. It is named below
// only where there is more to say. Changing a graph does not change executable graphs made of
// it. A graph is not thread safe: two calls must not use the same graph, its nodes or its
// executable graph at the same time, unless both only read.
#ifndef HIP_INCLUDE_HIP_API_GRAPH_H
#define HIP_INCLUDE_HIP_API_GRAPH_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/graph_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// ---- Stream capture

/// Begins to capture: work given to the stream becomes nodes and does not run. Streams that wait
/// for an event of a capturing stream join it.
/// @param [in] stream  a stream; not NULL nor the legacy default stream
/// @param [in] graph  the graph
/// @param [in] dependencies  nodes the first captured work comes after; may be NULL if there are
///     none
/// @param [in] dependencyData  data of those edges; NULL (hipErrorNotSupported otherwise)
/// @param [in] numDependencies  their number
/// @param [in] mode  which unsafe calls are refused meanwhile
/// Returns: hipErrorInvalidValue: mode is unknown; hipErrorIllegalState: the stream is being
/// captured; hipErrorStreamCaptureUnsupported: the legacy default stream;
/// hipErrorContextIsDestroyed: not a stream.
/// Thread safety: of the threads that submit to a stream only one may begin;
/// hipStreamCaptureModeRelaxed captures may end in another thread.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuStreamBeginCapture, cuStreamBeginCaptureToGraph.

/// Into a new graph.
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
/// Into a given graph, after given nodes.
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t *dependencies,
                                        const hipGraphEdgeData *dependencyData,
                                        size_t numDependencies, hipStreamCaptureMode mode);

/// Ends a capture.
/// @param [in] stream  where it began
/// @param [out] pGraph  the graph, destroyed by hipGraphDestroy(); NULL if the capture is invalid
/// Returns: hipErrorIllegalState: the stream is not being captured; hipErrorStreamCaptureUnmatched:
/// it only joined; hipErrorStreamCaptureUnjoined: another stream is not joined back;
/// hipErrorStreamCaptureInvalidated: an earlier call broke it; hipErrorStreamCaptureWrongThread: it
/// began in another thread; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuStreamEndCapture.
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *pGraph);

/// Queries whether a stream is being captured.
/// @param [in] stream  a stream; NULL for the legacy default stream
/// @param [out] pCaptureStatus, captureStatus_out  whether
/// @param [out] pId, id_out  the number; may be NULL
/// @param [out] graph_out  the graph; may be NULL
/// @param [out] dependencies_out  the nodes, valid until the next call for this stream; may be NULL
/// @param [out] numDependencies_out  their number; may be NULL
/// Returns: hipErrorInvalidValue: the status pointer is NULL; hipErrorStreamCaptureImplicit: the
/// legacy default stream while a blocking stream is being captured; hipErrorContextIsDestroyed: not
/// a stream.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuStreamIsCapturing, cuStreamGetCaptureInfo.

/// Only whether.
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus);
/// And a number that no other capture has.
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus,
                                   unsigned long long *pId);
/// And the graph and the nodes new work would come after.
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *captureStatus_out,
                                      unsigned long long *id_out __dparm(0),
                                      hipGraph_t *graph_out __dparm(0),
                                      const hipGraphNode_t **dependencies_out __dparm(0),
                                      size_t *numDependencies_out __dparm(0));

/// Changes the nodes that new work of a capturing stream comes after.
/// @param [in] stream  being captured
/// @param [in] dependencies  nodes of its graph
/// @param [in] numDependencies  their number
/// @param [in] flags  hipStreamAddCaptureDependencies or hipStreamSetCaptureDependencies
/// Returns: hipErrorInvalidValue: flags is unknown or a node is of another graph;
/// hipErrorIllegalState: the stream is not being captured; hipErrorContextIsDestroyed: not a
/// stream.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuStreamUpdateCaptureDependencies.
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *dependencies,
                                              size_t numDependencies,
                                              unsigned int flags __dparm(0));

/// Exchanges the calling thread's mode, which says whether a capture elsewhere refuses its unsafe
/// calls.
/// @param [in,out] mode  the new one; then the old one
/// Returns: hipErrorInvalidValue: mode is NULL or unknown.
/// Thread safety: affects the calling thread only.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuThreadExchangeStreamCaptureMode.
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);

// ---- Graphs and their shape

/// Creates an empty graph.
/// @param [out] pGraph  the graph, destroyed by hipGraphDestroy()
/// @param [in] flags  0
/// Returns: hipErrorInvalidValue: pGraph is NULL or flags is not 0; hipErrorOutOfMemory: no memory.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphCreate.
hipError_t hipGraphCreate(hipGraph_t *pGraph, unsigned int flags);

/// Destroys a graph and its nodes. Executable graphs made of it stay.
/// @param [in] graph  a graph; not a child graph
/// Returns: hipErrorInvalidValue: it is NULL or the graph of a child graph node;
/// hipErrorIllegalState: it is not a graph (any more), or a stream is being captured into it.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphDestroy.
hipError_t hipGraphDestroy(hipGraph_t graph);

/// Copies a graph, child graphs included.
/// @param [out] pGraphClone  the copy
/// @param [in] originalGraph  a graph
/// Returns: hipErrorInvalidValue: see above; hipErrorNotSupported: it has memory nodes;
/// hipErrorOutOfMemory: no memory.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphClone.
hipError_t hipGraphClone(hipGraph_t *pGraphClone, hipGraph_t originalGraph);

/// A node's copy in a clone.
/// @param [out] pNode  the copy
/// @param [in] originalNode  a node of the original
/// @param [in] clonedGraph  from hipGraphClone()
/// Returns: hipErrorInvalidValue: see above, or clonedGraph is not a clone of the node's graph.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphNodeFindInClone.
hipError_t hipGraphNodeFindInClone(hipGraphNode_t *pNode, hipGraphNode_t originalNode,
                                   hipGraph_t clonedGraph);

/// Lists what a graph has.
/// @param [in] graph  a graph
/// @param [out] nodes, pRootNodes, from, to  the list; NULL to learn only the number
/// @param [in,out] numNodes, pNumRootNodes, numEdges  room; then how many are written, or are
///     there. Further room is set to NULL
/// Returns: hipErrorInvalidValue: see above, or only one of from and to is NULL.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphGetNodes, cuGraphGetRootNodes, cuGraphGetEdges.

/// All nodes.
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *numNodes);
/// Those without dependencies.
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *pRootNodes,
                                size_t *pNumRootNodes);
/// All dependencies: to[i] comes after from[i].
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to,
                            size_t *numEdges);

/// Lists a node's neighbours.
/// @param [in] node  a node
/// @param [out] pDependencies, pDependentNodes  the list; NULL to learn only the number
/// @param [in,out] pNumDependencies, pNumDependentNodes  room; then how many are written, or are
///     there. Further room is set to NULL
/// Returns: hipErrorInvalidValue: see above.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphNodeGetDependencies, cuGraphNodeGetDependentNodes.

/// What a node comes after.
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *pDependencies,
                                       size_t *pNumDependencies);
/// What comes after a node.
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *pDependentNodes,
                                         size_t *pNumDependentNodes);

/// Dependencies of a graph: to[i] comes after from[i].
/// @param [in] graph  a graph
/// @param [in] from  nodes; may be NULL if there are none
/// @param [in] to  nodes; may be NULL if there are none
/// @param [in] numDependencies  length of both
/// Returns: hipErrorInvalidValue: see above, a dependency to add is there already or is of a node on
/// itself, or one to remove is not there. After an error nothing has changed. Dependencies may form a
/// cycle; what needs an order of the nodes, as instantiation does, then returns
/// hipErrorInvalidValue.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddDependencies, cuGraphRemoveDependencies.

/// Adds them.
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                   const hipGraphNode_t *to, size_t numDependencies);
/// Removes them.
hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                      const hipGraphNode_t *to, size_t numDependencies);

/// What a node does.
/// @param [in] node  a node
/// @param [out] pType  its kind
/// Returns: hipErrorInvalidValue: see above.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphNodeGetType.
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *pType);

/// Removes a node and its dependencies.
/// @param [in] node  a node
/// Returns: hipErrorInvalidValue: see above; hipErrorNotSupported: a memory node;
/// hipErrorIllegalState: a stream is being captured into its graph.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphDestroyNode.
hipError_t hipGraphDestroyNode(hipGraphNode_t node);

/// Writes a graph in Graphviz's language.
/// @param [in] graph  a graph
/// @param [in] path  of the file
/// @param [in] flags  hipGraphDebugDotFlags*: what to print of nodes
/// Returns: hipErrorInvalidValue: see above; hipErrorOperatingSystem: the file cannot be written.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphDebugDotPrint.
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned int flags);

// ---- Execution

/// Makes an executable graph.
/// @param [out] pGraphExec  the executable graph, destroyed by hipGraphExecDestroy()
/// @param [in] graph  a graph
/// @param [out] pErrorNode  the node to blame, or NULL; may be NULL
/// @param [out] pLogBuffer  unused, as in HIP; may be NULL
/// @param [in] bufferSize  unused
/// @param [in] flags  hipGraphInstantiateFlag* flags
/// @param [in,out] instantiateParams  all of that
/// Returns: hipErrorInvalidValue: see above, or flags is unknown; hipErrorNotSupported: a node
/// cannot be executed; hipErrorOutOfMemory: no memory.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphInstantiate, cuGraphInstantiateWithParams.

/// With a node to blame.
hipError_t hipGraphInstantiate(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                               hipGraphNode_t *pErrorNode, char *pLogBuffer, size_t bufferSize);
/// With flags.
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                                        unsigned long long flags);
/// With both, and an upload.
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                                         hipGraphInstantiateParams *instantiateParams);

/// Destroys an executable graph. A launch still running ends first.
/// @param [in] graphExec  an executable graph
/// Returns: hipErrorInvalidValue: see above; an error of the driver: something of its is left, which
/// is destroyed with the next graph or executable graph.
/// Thread safety: as said above.
/// Stream order: does not wait.
/// Source: HIP "Graph Management"; cuGraphExecDestroy.
hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec);

/// Uses an executable graph. Launches of the same one run one after another.
/// @param [in] graphExec  an executable graph
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: see above; hipErrorContextIsDestroyed: not a stream;
/// hipErrorOutOfMemory: not enough memory for its allocations; launch errors of hip/api/launch.h.
/// Thread safety: as said above.
/// Stream order: enqueued: all nodes come after earlier work of the stream and before later.
/// Source: HIP "Graph Management"; cuGraphUpload, cuGraphLaunch.

/// Prepares a launch in a stream: makes the first one faster.
hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream);
/// Launches.
hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream);

/// The flags an executable graph was made with.
/// @param [in] graphExec  an executable graph
/// @param [out] flags  hipGraphInstantiateFlag* flags
/// Returns: hipErrorInvalidValue: see above.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphExecGetFlags.
hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long *flags);

/// Makes an executable graph do what another graph of the same shape does.
/// @param [in] hGraphExec  an executable graph
/// @param [in] hGraph  the graph
/// @param [out] hErrorNode_out  the node to blame, or NULL
/// @param [out] updateResult_out  why not
/// Returns: hipErrorInvalidValue: see above; hipErrorGraphExecUpdateFailure: the shape differs or a
/// change is not possible.
/// Thread safety: as said above.
/// Stream order: launches already enqueued do not change.
/// Source: HIP "Graph Management"; cuGraphExecUpdate.
hipError_t hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph,
                              hipGraphNode_t *hErrorNode_out,
                              hipGraphExecUpdateResult *updateResult_out);

/// A kernel, copy or fill node of an executable graph. One that is off does nothing.
/// @param [in] hGraphExec  an executable graph
/// @param [in] hNode  the node in the graph it was made of
/// @param [in,out] isEnabled  1 or 0 (of the getter: [out])
/// Returns: hipErrorInvalidValue: see above, or another kind of node.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphNodeSetEnabled, cuGraphNodeGetEnabled.

/// Turns it on or off for later launches.
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                  unsigned int isEnabled);
/// Gets whether it is on.
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                  unsigned int *isEnabled);

// ---- Nodes of any kind

/// Adds a node of the kind its parameters say.
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in,out] nodeParams  kind and parameters; of an allocation node the address is written
/// Returns: hipErrorInvalidValue: see above, or the parameters are wrong as for that kind below;
/// hipErrorNotSupported: the kind cannot be added so.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddNode.
hipError_t hipGraphAddNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                           const hipGraphNode_t *pDependencies, size_t numDependencies,
                           hipGraphNodeParams *nodeParams);

/// Changes a node's parameters.
/// @param [in] graphExec  an executable graph
/// @param [in] node  the node in the graph
/// @param [in] nodeParams  of the node's kind
/// Returns: hipErrorInvalidValue: see above, or the kinds differ; hipErrorNotSupported: that kind
/// cannot be changed.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphNodeSetParams, cuGraphExecNodeSetParams.

/// In a graph.
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *nodeParams);
/// In an executable graph, for later launches.
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
                                     hipGraphNodeParams *nodeParams);

/// Adds a node that does nothing but order others.
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// Returns: hipErrorInvalidValue: see above.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddEmptyNode.
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                const hipGraphNode_t *pDependencies, size_t numDependencies);

// ---- Kernel nodes

/// Nodes that launch a kernel. The arguments are copied at once.
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph
/// @param [in] node  the node in the graph
/// @param [in,out] pNodeParams  kernel, grid, block and arguments (of the getter: [out]); func is
///     the host address of a kernel, for the current device, or the hipFunction_t of a module
/// Returns: hipErrorInvalidValue: see above, func is NULL, both of kernelParams and extra are given,
/// or neither for a kernel with arguments, or an argument is NULL; hipErrorInvalidDeviceFunction:
/// not a kernel; hipErrorNoBinaryForGpu: no image fits the device; hipErrorNotSupported: NVIDIA's
/// driver is older than CUDA 12.4, and the kernel is not of PTX, so that the sizes of its arguments
/// are not known; what launches return for an impossible grid or block or too much shared memory.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddKernelNode and its relatives.

/// Adds one.
hipError_t hipGraphAddKernelNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t *pDependencies, size_t numDependencies,
                                 const hipKernelNodeParams *pNodeParams);
/// Its parameters, valid until the node is changed or destroyed.
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *pNodeParams);
/// Changes them in a graph.
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *pNodeParams);
/// Changes them in an executable graph, for later launches.
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipKernelNodeParams *pNodeParams);

/// Launch attributes of a kernel node, as hipLaunchKernelExC() has them. A captured launch has those
/// of its stream. AMD's devices have none but the cooperative one, and keep the others.
/// @param [in] hNode, hSrc, hDst  the node
/// @param [in] attr  any of hipLaunchAttributeID but hipLaunchAttributeSynchronizationPolicy
/// @param [in,out] value  the member that belongs to attr (of the getter: [out])
/// Returns: hipErrorInvalidValue: see above, or attr or value is wrong; hipErrorInvalidClusterSize:
/// the device has no clusters, or none of that size.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphKernelNodeSetAttribute, cuGraphKernelNodeGetAttribute,
/// cuGraphKernelNodeCopyAttributes.

/// Sets one.
hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t hNode, hipKernelNodeAttrID attr,
                                          const hipKernelNodeAttrValue *value);
/// Reads one.
hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t hNode, hipKernelNodeAttrID attr,
                                          hipKernelNodeAttrValue *value);
/// Copies all.
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst);

// ---- Copy nodes

/// Nodes that copy a box.
/// @param [out] pGraphNode, phGraphNode  the node
/// @param [in] graph, hGraph  a graph
/// @param [in] pDependencies, dependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph; the kinds of memory must stay
/// @param [in] node, hNode  the node in the graph
/// @param [in,out] pCopyParams, pNodeParams, copyParams, nodeParams  the copy, as hipMemcpy3D() or
///     hipDrvMemcpy3D() (of the getters: [out])
/// @param [in] ctx  the context whose device does the copy
/// Returns: hipErrorInvalidValue: see above, the copy is wrong as there, ctx is NULL, or kind calls
/// pageable memory that of a device; hipErrorInvalidPitchValue, hipErrorInvalidMemcpyDirection: as
/// there; hipErrorInvalidContext: ctx is not a context.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddMemcpyNode and its relatives.

/// Adds one.
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t *pDependencies, size_t numDependencies,
                                 const hipMemcpy3DParms *pCopyParams);
/// Its parameters; of a copy that was added in another way, those of a box that does the same.
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *pNodeParams);
/// Changes them in a graph.
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *pNodeParams);
/// Changes them in an executable graph, for later launches.
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           hipMemcpy3DParms *pNodeParams);
/// Adds one, driver API.
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                    const hipGraphNode_t *dependencies, size_t numDependencies,
                                    const HIP_MEMCPY3D *copyParams, hipCtx_t ctx);
/// Its parameters, driver API; of a copy that was added in another way, those that do the same.
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t hNode, HIP_MEMCPY3D *nodeParams);
/// Changes them in a graph, driver API.
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode, const HIP_MEMCPY3D *nodeParams);
/// Changes them in an executable graph, driver API.
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const HIP_MEMCPY3D *copyParams, hipCtx_t ctx);

/// Nodes that copy bytes.
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph; the kinds of memory must stay
/// @param [in] node  the node in the graph
/// @param [in] dst  destination
/// @param [in] src  source
/// @param [in] count  bytes
/// @param [in] kind  direction
/// Returns: hipErrorInvalidValue: see above, dst or src is NULL, count is 0 or reaches past an
/// allocation, kind calls pageable memory that of a device, or (to change one) dst and src are the
/// same; hipErrorInvalidMemcpyDirection: kind is unknown.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; CUDA runtime cudaGraphAddMemcpyNode1D and its relatives.

/// Adds one.
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t *pDependencies, size_t numDependencies,
                                   void *dst, const void *src, size_t count, hipMemcpyKind kind);
/// Changes it in a graph.
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src,
                                         size_t count, hipMemcpyKind kind);
/// Changes it in an executable graph, for later launches.
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                             void *dst, const void *src, size_t count,
                                             hipMemcpyKind kind);

/// Nodes that copy from and to device variables.
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph
/// @param [in] node  the node in the graph
/// @param [in] symbol  the variable, by its host address
/// @param [in] dst, src  the other side
/// @param [in] count  bytes
/// @param [in] offset  into the variable, bytes
/// @param [in] kind  direction, as hipMemcpyFromSymbol() and hipMemcpyToSymbol()
/// Returns: hipErrorInvalidValue: see above, a range reaches beyond the variable, the other side is
/// a variable too, or as for copies of bytes; hipErrorInvalidSymbol: not a device variable; hipErrorInvalidMemcpyDirection: kind is another
/// direction.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; CUDA runtime cudaGraphAddMemcpyNodeFromSymbol and its relatives.

/// Adds one that reads a variable.
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                           const hipGraphNode_t *pDependencies,
                                           size_t numDependencies, void *dst, const void *symbol,
                                           size_t count, size_t offset, hipMemcpyKind kind);
/// Changes it in a graph.
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *dst, const void *symbol,
                                                 size_t count, size_t offset, hipMemcpyKind kind);
/// Changes it in an executable graph, for later launches.
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                     void *dst, const void *symbol, size_t count,
                                                     size_t offset, hipMemcpyKind kind);
/// Adds one that writes a variable.
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                         const hipGraphNode_t *pDependencies,
                                         size_t numDependencies, const void *symbol,
                                         const void *src, size_t count, size_t offset,
                                         hipMemcpyKind kind);
/// Changes it in a graph.
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol,
                                               const void *src, size_t count, size_t offset,
                                               hipMemcpyKind kind);
/// Changes it in an executable graph, for later launches.
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                   const void *symbol, const void *src,
                                                   size_t count, size_t offset, hipMemcpyKind kind);

// ---- Fill nodes

/// Nodes that fill rows. Up to HIP 6 the two of the driver API took a structure {dst, pitch, value,
/// elementSize, width, height}; binaries of that time still pass it under the same symbol.
/// @param [out] pGraphNode, phGraphNode  the node
/// @param [in] graph, hGraph  a graph
/// @param [in] pDependencies, dependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph
/// @param [in] node, hNode  the node in the graph
/// @param [in,out] pMemsetParams, pNodeParams, memsetParams  the fill (of the getter: [out])
/// @param [in] ctx  the context it runs in; NULL for the current one
/// Returns: hipErrorInvalidValue: see above, elementSize is not 1, 2 or 4, a size is 0, the pitch
/// is less than a row, or the rows reach beyond the allocation.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddMemsetNode and its relatives.

/// Adds one.
hipError_t hipGraphAddMemsetNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t *pDependencies, size_t numDependencies,
                                 const hipMemsetParams *pMemsetParams);
/// Its parameters.
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *pNodeParams);
/// Changes them in a graph.
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *pNodeParams);
/// Changes them in an executable graph, for later launches.
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipMemsetParams *pNodeParams);
/// Adds one, driver API.
hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                    const hipGraphNode_t *dependencies, size_t numDependencies,
                                    const hipMemsetParams *memsetParams, hipCtx_t ctx);
/// Changes it in an executable graph, driver API.
hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const hipMemsetParams *memsetParams, hipCtx_t ctx);

// ---- Host and child graph nodes

/// Nodes that call a function, as hipLaunchHostFunc().
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph
/// @param [in] node  the node in the graph
/// @param [in,out] pNodeParams  function and argument (of the getter: [out])
/// Returns: hipErrorInvalidValue: see above, or the function is NULL.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddHostNode and its relatives.

/// Adds one.
hipError_t hipGraphAddHostNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                               const hipGraphNode_t *pDependencies, size_t numDependencies,
                               const hipHostNodeParams *pNodeParams);
/// Its parameters.
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *pNodeParams);
/// Changes them in a graph.
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *pNodeParams);
/// Changes them in an executable graph, for later launches.
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                         const hipHostNodeParams *pNodeParams);

/// Nodes that run a graph.
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph
/// @param [in] node  the node in the graph
/// @param [in] childGraph  a graph, which is copied; it may be the graph itself
/// @param [out] pGraph  the copy
/// Returns: hipErrorInvalidValue: see above; hipErrorNotSupported: childGraph has nodes that allocate or
/// free memory; hipErrorGraphExecUpdateFailure: the shape differs.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddChildGraphNode and its relatives.

/// Adds one; the graph is copied.
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t *pDependencies, size_t numDependencies,
                                     hipGraph_t childGraph);
/// The copy, which belongs to the node.
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *pGraph);
/// Changes it in an executable graph; the shape must stay.
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                               hipGraph_t childGraph);

// ---- Event and semaphore nodes

/// Nodes that record an event or wait for one. They keep the event, which hipEventDestroy() then ends
/// for the application alone.
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph
/// @param [in] node, hNode  the node in the graph
/// @param [in] event  an event
/// @param [out] event_out  the event
/// Returns: hipErrorInvalidValue: see above, or not an event.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddEventRecordNode, cuGraphAddEventWaitNode and their
/// relatives.

/// Adds one that records.
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t *pDependencies, size_t numDependencies,
                                      hipEvent_t event);
/// Its event.
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out);
/// Changes it in a graph.
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
/// Changes it in an executable graph, for later launches.
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                               hipEvent_t event);
/// Adds one that waits.
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                    const hipGraphNode_t *pDependencies, size_t numDependencies,
                                    hipEvent_t event);
/// Its event.
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out);
/// Changes it in a graph.
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
/// Changes it in an executable graph, for later launches.
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                             hipEvent_t event);

/// Nodes that signal semaphores of other APIs or wait for them. A launch fails with
/// hipErrorInvalidValue if one of the semaphores was destroyed.
/// @param [out] pGraphNode  the node
/// @param [in] graph  a graph
/// @param [in] pDependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph
/// @param [in] hNode  the node in the graph
/// @param [in] nodeParams  semaphores and operations; copied
/// @param [out] params_out  the same
/// Returns: hipErrorInvalidValue: see above, an array is NULL, or a semaphore is none or of another
/// device than the first one.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddExternalSemaphoresSignalNode and its relatives.

/// Adds one that signals.
hipError_t
hipGraphAddExternalSemaphoresSignalNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                        const hipGraphNode_t *pDependencies, size_t numDependencies,
                                        const hipExternalSemaphoreSignalNodeParams *nodeParams);
/// Its parameters, valid as long as the node.
hipError_t
hipGraphExternalSemaphoresSignalNodeGetParams(hipGraphNode_t hNode,
                                              hipExternalSemaphoreSignalNodeParams *params_out);
/// Changes them in a graph.
hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(
    hipGraphNode_t hNode, const hipExternalSemaphoreSignalNodeParams *nodeParams);
/// Changes them in an executable graph, for later launches.
hipError_t hipGraphExecExternalSemaphoresSignalNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
    const hipExternalSemaphoreSignalNodeParams *nodeParams);
/// Adds one that waits.
hipError_t
hipGraphAddExternalSemaphoresWaitNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t *pDependencies, size_t numDependencies,
                                      const hipExternalSemaphoreWaitNodeParams *nodeParams);
/// Its parameters, valid as long as the node.
hipError_t
hipGraphExternalSemaphoresWaitNodeGetParams(hipGraphNode_t hNode,
                                            hipExternalSemaphoreWaitNodeParams *params_out);
/// Changes them in a graph.
hipError_t
hipGraphExternalSemaphoresWaitNodeSetParams(hipGraphNode_t hNode,
                                            const hipExternalSemaphoreWaitNodeParams *nodeParams);
/// Changes them in an executable graph, for later launches.
hipError_t hipGraphExecExternalSemaphoresWaitNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
    const hipExternalSemaphoreWaitNodeParams *nodeParams);

// ---- Memory nodes

/// Nodes that allocate and free. A graph with them has at most one executable graph at a time, and
/// cannot be cloned or be a child. A launch allocates: the address is valid for work after the
/// allocation node, in the graph or behind the launch, until a free node, hipFree() or
/// hipFreeAsync() frees it. A graph whose memory is still allocated is launched again only with
/// hipGraphInstantiateFlagAutoFreeOnLaunch. Each address has one free node, in any graph.
/// @param [out] pGraphNode, phGraphNode  the node
/// @param [in] graph, hGraph  a graph
/// @param [in] pDependencies, dependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] node  the node in the graph
/// @param [in,out] pNodeParams  size, place and rights; the address is written
/// @param [in,out] dev_ptr  the address (hipGraphMemFreeNodeGetParams(): void **)
/// @param [in] dptr  the address
/// Returns: hipErrorInvalidValue: see above, bytesize is 0, or the address is not of an allocation
/// node, or has a free node; hipErrorOutOfMemory: the device has not that much memory.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphAddMemAllocNode, cuGraphAddMemFreeNode and their
/// relatives.

/// Adds one that allocates; the address is known at once and stays.
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t *pDependencies, size_t numDependencies,
                                   hipMemAllocNodeParams *pNodeParams);
/// Its parameters.
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *pNodeParams);
/// Adds one that frees.
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                  const hipGraphNode_t *pDependencies, size_t numDependencies,
                                  void *dev_ptr);
/// Writes the address to what dev_ptr points to.
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *dev_ptr);
/// Adds one that frees, driver API.
hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                     const hipGraphNode_t *dependencies, size_t numDependencies,
                                     hipDeviceptr_t dptr);

/// Memory that graphs of a device hold: used is what is allocated in the order of launches, reserved
/// what is behind addresses. Freed memory stays reserved for later launches until
/// hipDeviceGraphMemTrim() or a query of what is reserved, which both give unused memory back, and
/// may wait for the device to do so.
/// @param [in] device  ordinal
/// @param [in] attr  which
/// @param [in,out] value  uint64_t *
/// Returns: hipErrorInvalidValue: value is NULL or not 0, or attr is unknown or cannot be set;
/// hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuDeviceGetGraphMemAttribute, cuDeviceSetGraphMemAttribute,
/// cuDeviceGraphMemTrim.

/// Reads it.
hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value);
/// Sets it: only the High ones, to 0.
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value);
/// Returns unused memory to the system.
hipError_t hipDeviceGraphMemTrim(int device);

/// Nodes that wait for values in memory and write them, and barriers, as hipStreamBatchMemOp().
/// @param [out] phGraphNode  the node
/// @param [in] hGraph  a graph
/// @param [in] dependencies  nodes it comes after; may be NULL if there are none
/// @param [in] numDependencies  their number
/// @param [in] hGraphExec  an executable graph
/// @param [in] hNode  the node in the graph
/// @param [in] nodeParams  the operations; copied
/// @param [out] nodeParams_out  the same
/// Returns: hipErrorInvalidValue: see above, or an operation is wrong; hipErrorInvalidContext: ctx
/// is neither NULL nor a context.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Stream Memory Operations"; cuGraphAddBatchMemOpNode and its relatives.

/// Adds one.
hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                     const hipGraphNode_t *dependencies, size_t numDependencies,
                                     const hipBatchMemOpNodeParams *nodeParams);
/// Its parameters, valid until the node is changed or destroyed.
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t hNode,
                                           hipBatchMemOpNodeParams *nodeParams_out);
/// Changes them in a graph.
hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t hNode,
                                           hipBatchMemOpNodeParams *nodeParams);
/// Changes them in an executable graph, for later launches.
hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                               const hipBatchMemOpNodeParams *nodeParams);

// ---- User objects

/// Makes an object whose destruction graphs can delay.
/// @param [out] object_out  the object
/// @param [in] ptr  what it stands for; passed to destroy
/// @param [in] destroy  called once, in a thread of the runtime, when no reference is left; must
///     not call HIP
/// @param [in] initialRefcount  references of the caller, from 1 to INT_MAX
/// @param [in] flags  hipUserObjectNoDestructorSync
/// Returns: hipErrorInvalidValue: a pointer is NULL, the count is out of range, or flags is another
/// value.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuUserObjectCreate.
hipError_t hipUserObjectCreate(hipUserObject_t *object_out, void *ptr, hipHostFn_t destroy,
                               unsigned int initialRefcount, unsigned int flags);

/// References of the caller.
/// @param [in] object  an object
/// @param [in] count  from 1 to INT_MAX
/// Returns: hipErrorInvalidValue: object is NULL or count is out of range. As in HIP, there is no error
/// for an object that is gone, and a count that is larger than the number of references stands for
/// all of them; both are warnings in the log.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuUserObjectRetain, cuUserObjectRelease.

/// Adds references.
hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count __dparm(1));
/// Drops references.
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count __dparm(1));

/// References of a graph, dropped with it and with the executable graphs made of it.
/// @param [in] graph  a graph
/// @param [in] object  an object
/// @param [in] count  from 1 to INT_MAX
/// @param [in] flags  0 or hipGraphUserObjectMove
/// Returns: hipErrorInvalidValue: see above, object is NULL, count is out of range, or flags is
/// unknown. An object that is gone and a count that is too large are no errors, as above.
/// Thread safety: as said above.
/// Stream order: none.
/// Source: HIP "Graph Management"; cuGraphRetainUserObject, cuGraphReleaseUserObject.

/// Adds references; hipGraphUserObjectMove makes them of the caller's.
hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object,
                                    unsigned int count __dparm(1), unsigned int flags __dparm(0));
/// Drops references.
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object,
                                     unsigned int count __dparm(1));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
