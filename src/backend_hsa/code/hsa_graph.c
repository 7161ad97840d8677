/* Owns graphs of kernels: packets that are prepared once, and the memory of their arguments.
 *
 * Kernels lie in levels: those of a level depend on kernels of lower levels only, and may run at
 * the same time. A graph's packets are sorted by level, and the first of each level waits for what
 * is before it. Empty nodes, and those that are switched off, have no packet.
 *
 * Arguments lie in a block, which launches in flight keep. A change while there are any goes into
 * another block, to which the arguments of all kernels are copied. */
#include "hsa_kernel_services.h"

#include <stdlib.h>
#include <string.h>

/* Memory for the arguments of all kernels of a graph. */
struct block {
    struct ah_backend_device *device;
    unsigned char *memory;       /* NULL: no kernel has arguments */
    _Atomic unsigned references; /* the graph, and launches in flight */
};

struct node {
    struct ah_graph_node_place {
        bool is_kernel, enabled;
        unsigned level;
        size_t arguments; /* where they begin in the block */
        uint32_t size;    /* of them, padded */
    } place;
    hsa_kernel_dispatch_packet_t packet; /* the header is set when packets are sorted */
};

struct ah_backend_graph {
    struct ah_backend_device *device;
    uint64_t generation; /* of the device, when the graph was made */
    unsigned count;
    struct node *nodes;
    unsigned *kernels; /* indices of nodes, sorted by level */
    unsigned kernel_count;
    hsa_kernel_dispatch_packet_t *packets; /* of kernels that are enabled, in that order */
    unsigned *packet_nodes;                /* and the indices of their nodes */
    struct ahhsa_run run;
    bool changed;                /* the packets have to be copied once more */
    struct block *block, *spare; /* spare: an earlier one, or NULL */
    size_t block_size;
    struct ahhsa_signal *last; /* of the latest launch, held; NULL: there was none */
    uint64_t last_stream;      /* the id of its stream */
};

/* ---- blocks ------------------------------------------------------------------------------- */

static hipError_t create_block(struct ah_backend_device *device, size_t size,
                               struct block **out_block)
{
    void *memory = NULL;
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return hipErrorOutOfMemory;
    hipError_t error =
        size > 0 ? ahhsa_raw_alloc(device, device->pools.kernarg, size, &memory) : hipSuccess;
    if (error != hipSuccess) {
        free(block);
        return error;
    }
    block->device = device;
    block->memory = memory;
    atomic_store(&block->references, 1);
    *out_block = block;
    return hipSuccess;
}

/* A callback of streams. */
static void release_block(void *data)
{
    struct block *block = data;
    if (!block || atomic_fetch_sub(&block->references, 1) != 1)
        return;
    ahhsa_raw_free(block->device, block->memory);
    free(block);
}

static bool is_in_flight(struct block *block)
{
    return atomic_load(&block->references) > 1;
}

static void place_arguments(struct ah_backend_graph *graph)
{
    for (unsigned i = 0; i < graph->count; i++) {
        struct node *node = &graph->nodes[i];
        if (node->place.size > 0)
            node->packet.kernarg_address = graph->block->memory + node->place.arguments;
    }
}

/* Makes the arguments ones that no launch in flight reads. */
static hipError_t make_writable(struct ah_backend_graph *graph)
{
    struct block *old = graph->block, *fresh = graph->spare;
    if (!is_in_flight(old) || graph->block_size == 0)
        return hipSuccess;
    if (fresh && is_in_flight(fresh)) { /* its launches free it */
        release_block(fresh);
        fresh = graph->spare = NULL;
    }
    if (!fresh) {
        hipError_t error = create_block(graph->device, graph->block_size, &fresh);
        if (error != hipSuccess)
            return error;
    }
    memcpy(fresh->memory, old->memory, graph->block_size);
    graph->block = fresh;
    graph->spare = old;
    place_arguments(graph);
    graph->changed = true;
    return hipSuccess;
}

/* ---- what can be prepared ----------------------------------------------------------------- */

/* Whether a launch of the kernel differs from others only in what graph_update changes: it needs no
 * buffer of its own to print into, no queue of its own, and no address of the queue it is in. */
static bool can_prepare(const struct ah_backend_function *function, const struct ah_launch *launch)
{
    return !(launch->flags & AH_LAUNCH_COOPERATIVE) && !launch->place &&
           !(function->needs & AHHSA_NEEDS_OUTPUT) &&
           !ahhsa_function_uses(function, AHHSA_VALUE_QUEUE_PTR) &&
           !ahhsa_function_uses(function, AHHSA_VALUE_PRIVATE_BASE) &&
           !ahhsa_function_uses(function, AHHSA_VALUE_SHARED_BASE);
}

static bool can_do(const struct ah_backend_device *device, const struct ah_graph_node *node)
{
    if (node->device != device)
        return false;
    return node->kind == AH_GRAPH_EMPTY || (node->kind == AH_GRAPH_LAUNCH &&
                                            can_prepare(node->launch.function, node->launch.sizes));
}

/* ---- order -------------------------------------------------------------------------------- */

/* The level of a kernel, and of an empty node the highest level that waits for nothing else. */
static unsigned level_of(const struct ah_backend_graph *graph, const struct ah_graph_node *node)
{
    unsigned level = 0;
    for (unsigned i = 0; i < node->dependency_count; i++) {
        const struct ah_graph_node_place *before = &graph->nodes[node->dependencies[i]].place;
        unsigned after = before->level + (before->is_kernel ? 1 : 0);
        level = after > level ? after : level;
    }
    return level;
}

static unsigned highest_level(const struct ah_backend_graph *graph)
{
    unsigned highest = 0;
    for (unsigned i = 0; i < graph->count; i++)
        if (graph->nodes[i].place.level > highest)
            highest = graph->nodes[i].place.level;
    return highest;
}

/* Counts the kernels of each level, and puts each behind those of lower levels. */
static hipError_t sort_kernels(struct ah_backend_graph *graph)
{
    unsigned highest = highest_level(graph);
    unsigned *begins = calloc(highest + 2, sizeof *begins);
    if (!begins)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < graph->count; i++)
        if (graph->nodes[i].place.is_kernel)
            begins[graph->nodes[i].place.level + 1]++;
    for (unsigned level = 1; level <= highest; level++)
        begins[level] += begins[level - 1];
    for (unsigned i = 0; i < graph->count; i++)
        if (graph->nodes[i].place.is_kernel)
            graph->kernels[begins[graph->nodes[i].place.level]++] = i;
    free(begins);
    return hipSuccess;
}

/* Copies the packets of kernels that are enabled to where launches find them. The last level ends
 * in one packet if it has no other. Of many changes, the next launch does it once. */
static void arrange_packets(struct ah_backend_graph *graph)
{
    unsigned written = 0, last_begins = 0, level = 0;
    for (unsigned i = 0; i < graph->kernel_count; i++) {
        const struct node *node = &graph->nodes[graph->kernels[i]];
        if (!node->place.enabled)
            continue;
        bool waits = written > 0 && node->place.level != level;
        if (waits)
            last_begins = written;
        level = node->place.level;
        graph->packets[written] = node->packet;
        graph->packet_nodes[written] = graph->kernels[i];
        graph->packets[written++].header = ahhsa_run_header(waits);
    }
    graph->run = (struct ahhsa_run){
        .packets = graph->packets,
        .count = written,
        .ends_in_one = written - last_begins == 1,
        .nodes = graph->packet_nodes,
    };
}

/* ---- nodes -------------------------------------------------------------------------------- */

static void place_node(struct ah_backend_graph *graph, unsigned index,
                       const struct ah_graph_node *node)
{
    struct ah_graph_node_place *place = &graph->nodes[index].place;
    *place = (struct ah_graph_node_place){.is_kernel = node->kind == AH_GRAPH_LAUNCH,
                                          .enabled = node->enabled,
                                          .level = level_of(graph, node)};
    if (!place->is_kernel)
        return;
    graph->kernel_count++;
    place->arguments = graph->block_size;
    place->size = node->launch.function->arguments_size;
    graph->block_size += place->size;
}

/* Services for kernels are those of the device, and stay until it is reset. */
static hipError_t fill_node(struct ah_backend_graph *graph, unsigned index,
                            const struct ah_graph_node *from)
{
    struct ahhsa_implicit implicit = {0};
    struct node *node = &graph->nodes[index];
    struct ah_backend_function *function = from->launch.function;
    unsigned needs = function->needs & ~(unsigned)AHHSA_NEEDS_WORKSPACE;
    hipError_t error = ahhsa_launch_check(graph->device, function, from->launch.sizes);
    if (error == hipSuccess && needs != 0)
        error =
            ahhsa_kernel_services_provide(graph->device, NULL, function, needs, &implicit, NULL);
    if (error != hipSuccess)
        return error;
    node->packet = (hsa_kernel_dispatch_packet_t){0};
    ahhsa_launch_fill(graph->device, function, from->launch.sizes, &implicit,
                      node->place.size > 0 ? graph->block->memory + node->place.arguments : NULL,
                      &node->packet);
    return hipSuccess;
}

/* ---- the entries -------------------------------------------------------------------------- */

static void destroy(struct ah_backend_graph *graph)
{
    release_block(graph->block);
    release_block(graph->spare);
    ahhsa_signal_release(graph->last);
    free(graph->nodes);
    free(graph->kernels);
    free(graph->packets);
    free(graph->packet_nodes);
    free(graph);
}

static hipError_t fill_graph(struct ah_backend_graph *graph, const struct ah_graph_node *nodes)
{
    for (unsigned i = 0; i < graph->count; i++)
        place_node(graph, i, &nodes[i]);
    graph->kernels = calloc(graph->kernel_count + 1, sizeof *graph->kernels);
    graph->packets = calloc(graph->kernel_count + 1, sizeof *graph->packets);
    graph->packet_nodes = calloc(graph->kernel_count + 1, sizeof *graph->packet_nodes);
    if (!graph->kernels || !graph->packets || !graph->packet_nodes)
        return hipErrorOutOfMemory;
    hipError_t error = create_block(graph->device, graph->block_size, &graph->block);
    for (unsigned i = 0; i < graph->count && error == hipSuccess; i++)
        if (graph->nodes[i].place.is_kernel)
            error = fill_node(graph, i, &nodes[i]);
    if (error == hipSuccess)
        error = sort_kernels(graph);
    if (error == hipSuccess)
        arrange_packets(graph);
    return error;
}

hipError_t ahhsa_graph_create(struct ah_backend_device *device, const struct ah_graph_node *nodes,
                              unsigned count, struct ah_backend_graph **out_graph)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    for (unsigned i = 0; i < count; i++)
        if (!can_do(device, &nodes[i]))
            return hipErrorNotSupported;
    struct ah_backend_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return hipErrorOutOfMemory;
    graph->device = device;
    graph->generation = atomic_load(&device->generation);
    graph->count = count;
    graph->nodes = calloc(count, sizeof *graph->nodes);
    error = graph->nodes ? fill_graph(graph, nodes) : hipErrorOutOfMemory;
    if (error == hipSuccess)
        *out_graph = graph;
    else
        destroy(graph);
    return error;
}

hipError_t ahhsa_graph_update(struct ah_backend_device *device, struct ah_backend_graph *graph,
                              unsigned index, const struct ah_graph_node *node)
{
    struct ah_graph_node_place *place = &graph->nodes[index].place;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || !place->is_kernel)
        return error;
    if (!can_do(device, node) || node->launch.function->arguments_size > place->size)
        return hipErrorNotSupported;
    error = make_writable(graph);
    if (error == hipSuccess)
        error = fill_node(graph, index, node);
    if (error != hipSuccess)
        return error;
    place->enabled = node->enabled;
    graph->changed = true;
    return hipSuccess;
}

/* The device reads all of it where it is. */
hipError_t ahhsa_graph_upload(struct ah_backend_device *device, struct ah_backend_graph *graph,
                              struct ah_backend_stream *stream)
{
    (void)graph;
    (void)stream;
    return ahhsa_enter(device);
}

static hipError_t check_launch(struct ah_backend_device *device,
                               const struct ah_backend_graph *graph)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || atomic_load(&device->generation) == graph->generation)
        return error;
    AH_LOG_ERR("the graph was made before %s:%d was reset: its kernels are gone",
               device->backend->name, device->index);
    return hipErrorContextIsDestroyed;
}

/* A stream keeps its own order; launches in several streams wait for one another. */
AH_LAUNCH_CODE hipError_t ahhsa_graph_launch(struct ah_backend_device *device,
                                             struct ah_backend_graph *graph,
                                             struct ah_backend_stream *stream)
{
    struct ahhsa_signal *signal;
    bool begun;
    hipError_t error = check_launch(device, graph);
    if (graph->changed)
        arrange_packets(graph);
    if (error != hipSuccess || graph->run.count == 0)
        return error;
    if (graph->last && graph->last_stream != ahhsa_stream_id(stream) &&
        !ahhsa_signal_is_done(graph->last))
        error = ahhsa_stream_wait_signal(device, stream, graph->last);
    if (error != hipSuccess)
        return error;
    atomic_fetch_add(&graph->block->references, 1);
    error = ahhsa_run_enqueue(stream, &graph->run, release_block, graph->block, &begun, &signal);
    if (!begun)
        release_block(graph->block);
    if (error != hipSuccess)
        return error;
    ahhsa_signal_release(graph->last);
    graph->last = signal;
    graph->last_stream = ahhsa_stream_id(stream);
    return hipSuccess;
}

hipError_t ahhsa_graph_destroy(struct ah_backend_device *device, struct ah_backend_graph *graph)
{
    (void)device;
    destroy(graph);
    return hipSuccess;
}
