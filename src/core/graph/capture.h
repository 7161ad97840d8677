/* Stream capture: work that streams are given becomes nodes of a graph.
 *
 * A capture begins in one stream, its origin; other streams join it when they wait for an event
 * that was recorded in a stream of it. Each stream has a set of nodes that its next node comes
 * after, and an event that is recorded there keeps a copy of the set. At the end the nodes of all
 * streams must be joined: an ancestor of the origin's set.
 *
 * A call that a capture forbids makes it invalid: nothing is added to it any more, and its end
 * gives no graph. src/core/runtime/capture.h has the checks that the runtime and public functions
 * make.
 *
 * The lock of graphs guards all of this; everything here is called with it held unless it says
 * otherwise. */
#ifndef AH_GRAPH_CAPTURE_H
#define AH_GRAPH_CAPTURE_H

#include "graph.h"

/* Nodes of one graph, each once. There is always room for one. */
struct ah_capture_nodes {
    hipGraphNode_t *nodes;
    unsigned count, capacity;
};

/* A stream's part in a capture. */
struct ah_captured_stream {
    struct ah_captured_stream *next;
    struct ah_capture *capture;
    struct ah_stream *stream; /* NULL: it was destroyed, and its nodes have to be joined yet */
    struct ah_capture_nodes after;
};

/* An event whose last record was in a stream of a capture. */
struct ah_captured_event {
    struct ah_captured_event *next;
    struct ah_capture *capture;
    struct ah_event *event;
    bool recorded; /* outside of captures, before */
    struct ah_capture_nodes after;
};

struct ah_capture {
    struct ah_capture *next; /* of all that are under way */
    unsigned long long id;   /* never used again */
    struct ah_graph *graph;
    bool own_graph; /* made for the capture, else the application's */
    bool invalid;
    hipStreamCaptureMode mode;
    const struct ah_thread *thread; /* where it began; NULL: that thread has ended */
    struct ah_captured_stream *streams;
    struct ah_captured_stream *origin; /* one of them */
    struct ah_captured_event *events;
};

/* All that are under way, the newest first. */
extern struct ah_capture *ah_capture_first;

bool ah_capture_nodes_have(const struct ah_capture_nodes *set, hipGraphNode_t node);
/* hipErrorOutOfMemory. Both sets keep what they have after an error. */
hipError_t ah_capture_nodes_add(struct ah_capture_nodes *set, const hipGraphNode_t *nodes,
                                unsigned count);
hipError_t ah_capture_nodes_set(struct ah_capture_nodes *set, const hipGraphNode_t *nodes,
                                unsigned count);

/* ---- capture.c ------------------------------------------------------------------------ */

/* Begins a capture in a stream that does not capture. graph NULL: into a new one.
 * hipErrorOutOfMemory. */
hipError_t ah_capture_begin(struct ah_stream *stream, struct ah_graph *graph,
                            hipStreamCaptureMode mode, struct ah_capture **out_capture);
/* Ends it: its streams go on as before it. The graph is freed if it is not kept and was made for
 * the capture. */
void ah_capture_finish(struct ah_capture *capture, bool keep_graph);
/* The stream, which does not capture, takes part from now on; its next node comes after these.
 * hipErrorOutOfMemory. */
hipError_t ah_capture_join(struct ah_capture *capture, struct ah_stream *stream,
                           const struct ah_capture_nodes *after);
/* hipErrorStreamCaptureUnjoined: a stream's nodes are neither in the origin's set nor ancestors of
 * it; hipErrorOutOfMemory. */
hipError_t ah_capture_check_joined(const struct ah_capture *capture);
void ah_captured_event_free(struct ah_captured_event *event);

/* ---- capture_work.c ------------------------------------------------------------------- */

/* For the runtime. Takes the lock. */
bool ah_capture_take_command(struct ah_stream *stream, const struct ah_command *command,
                             const char *name, hipError_t *out_error);
/* Adds a node with this work after the nodes of the stream, which has to capture; the work becomes
 * the capture's in any case. Takes the lock. hipErrorStreamCaptureInvalidated;
 * hipErrorStreamCaptureUnsupported: the stream does not capture any more; hipErrorOutOfMemory. */
hipError_t ah_capture_add(struct ah_stream *stream, struct ah_work *work, const char *call);

/* ---- capture_rules.c ------------------------------------------------------------------ */

/* Reports a call that makes a capture invalid, unless it is already, and makes it so. */
void ah_capture_refuse(struct ah_capture *capture, const char *call, const char *why);
/* For the runtime: each takes the lock. */
hipError_t ah_capture_refuse_unsafe(const char *call);
hipError_t ah_capture_refuse_stream(struct ah_stream *stream, const char *call);
hipError_t ah_capture_refuse_device(const struct ah_device *device, const char *call);
hipError_t ah_capture_refuse_event(struct ah_event *event, const char *call);
/* Whether a stream of the capture is the device's; blocking: and the legacy stream is ordered with
 * it. */
bool ah_capture_uses(const struct ah_capture *capture, const struct ah_device *device,
                     bool blocking);
/* The use of a device's legacy stream beside streams that capture and would be ordered with it:
 * hipErrorStreamCaptureImplicit. */
hipError_t ah_capture_refuse_legacy(const struct ah_device *device, const char *call);

#endif
