/* Graphs: not yet, so that core submits their nodes one by one. */
#include "hsa_module.h"

hipError_t ahhsa_graph_create(struct ah_backend_device *device, const struct ah_graph_node *nodes,
                              unsigned count, struct ah_backend_graph **out_graph)
{
    (void)device, (void)nodes, (void)count, (void)out_graph;
    return hipErrorNotSupported;
}

hipError_t ahhsa_graph_update(struct ah_backend_device *device, struct ah_backend_graph *graph,
                              unsigned index, const struct ah_graph_node *node)
{
    (void)device, (void)graph, (void)index, (void)node;
    return hipErrorNotSupported;
}

hipError_t ahhsa_graph_upload(struct ah_backend_device *device, struct ah_backend_graph *graph,
                              struct ah_backend_stream *stream)
{
    (void)device, (void)graph, (void)stream;
    return hipErrorNotSupported;
}

hipError_t ahhsa_graph_launch(struct ah_backend_device *device, struct ah_backend_graph *graph,
                              struct ah_backend_stream *stream)
{
    (void)device, (void)graph, (void)stream;
    return hipErrorNotSupported;
}

hipError_t ahhsa_graph_destroy(struct ah_backend_device *device, struct ah_backend_graph *graph)
{
    (void)device, (void)graph;
    return hipErrorNotSupported;
}
