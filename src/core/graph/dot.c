/* Owns the description of graphs in Graphviz's language. Each graph is a cluster, child graphs
 * within the graph that they are part of. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- labels ----------------------------------------------------------------------------- */

/* "event wait": EVENT_WAIT. */
static void write_title(const char *name, FILE *out)
{
    for (; *name; name++)
        fputc(*name == ' ' ? '_' : toupper((unsigned char)*name), out);
}

/* Text in a label of fields. */
static void write_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("{}|<>\\\"", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* A field for each line "key|value". */
static void write_fields(char *lines, FILE *out)
{
    for (char *line; (line = strsep(&lines, "\n"));) {
        char *value = strchr(line, '|');
        if (!value)
            continue;
        *value++ = '\0';
        fputs("|{", out);
        write_text(line, out);
        fputc('|', out);
        write_text(value, out);
        fputc('}', out);
    }
}

static hipError_t write_description(const struct ah_node *node, unsigned flags, FILE *out)
{
    char *lines = NULL;
    size_t size;
    FILE *description = open_memstream(&lines, &size);
    if (!description)
        return hipErrorOutOfMemory;
    if (flags & (hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsHandles))
        fprintf(description, "node handle|%p\n", (const void *)node);
    if (node->work->type->describe)
        node->work->type->describe(node->work, flags, description);
    bool complete = fclose(description) == 0;
    if (complete)
        write_fields(lines, out);
    free(lines);
    return complete ? hipSuccess : hipErrorOutOfMemory;
}

/* ---- graphs ------------------------------------------------------------------------------ */

static hipError_t write_graph(const struct ah_graph *graph, unsigned flags, FILE *out);

static hipError_t write_node(const struct ah_node *node, unsigned flags, FILE *out)
{
    const struct ah_work *work = node->work;
    fprintf(out, "node%llu [shape=record, label=\"{", node->id);
    write_title(work->type->name, out);
    fprintf(out, " %llu", node->id);
    hipError_t error = write_description(node, flags, out);
    fputs("}\"];\n", out);
    if (error == hipSuccess && work->type->type == hipGraphNodeTypeGraph)
        error = write_graph(work->child, flags, out);
    return error;
}

static void write_edges(const struct ah_node *node, FILE *out)
{
    for (unsigned i = 0; i < node->dependents.count; i++)
        fprintf(out, "node%llu -> node%llu;\n", node->id, node->dependents.nodes[i]->id);
}

static hipError_t write_graph(const struct ah_graph *graph, unsigned flags, FILE *out)
{
    hipError_t error = hipSuccess;
    fprintf(out, "subgraph cluster%llu {\n", graph->id);
    if (graph->owner)
        fprintf(out, "label=\"graph of node %llu\";\n", graph->owner->id);
    else
        fprintf(out, "label=\"graph %llu\";\n", graph->id);
    for (unsigned i = 0; i < graph->count && error == hipSuccess; i++)
        error = write_node(graph->nodes[i], flags, out);
    for (unsigned i = 0; i < graph->count; i++)
        write_edges(graph->nodes[i], out);
    fputs("}\n", out);
    return error;
}

static hipError_t describe_locked(hipGraph_t handle, unsigned flags, FILE *out)
{
    struct ah_graph *graph;
    hipError_t error = ah_graph_of(handle, "hipGraphDebugDotPrint", &graph);
    if (error != hipSuccess)
        return error;
    fputs("digraph hip {\n", out);
    error = write_graph(graph, flags, out);
    fputs("}\n", out);
    return error;
}

/* The file is written when the lock is released: it may be on a slow file system. */
static hipError_t describe(hipGraph_t graph, unsigned flags, char **out_text)
{
    size_t size;
    FILE *out = open_memstream(out_text, &size);
    if (!out)
        return hipErrorOutOfMemory;
    ah_graph_lock();
    hipError_t error = describe_locked(graph, flags, out);
    ah_graph_unlock();
    if (fclose(out) != 0 && error == hipSuccess)
        error = hipErrorOutOfMemory;
    return error;
}

static hipError_t write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    if (written)
        return hipSuccess;
    AH_LOG_ERR("hipGraphDebugDotPrint: cannot write %s: %s", *path ? path : "a file without a name",
               strerror(errno));
    return hipErrorOperatingSystem;
}

static hipError_t print(hipGraph_t graph, const char *path, unsigned flags)
{
    char *text = NULL;
    if (!path)
        return hipErrorInvalidValue;
    hipError_t error = describe(graph, flags, &text);
    if (error == hipSuccess)
        error = write_file(path, text);
    free(text);
    return error;
}

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned int flags)
{
    AH_ENTER(hipGraphDebugDotPrint);
    return AH_LEAVE(print(graph, path, flags));
}
