/* Executable graphs: hipGraphExec_t.
 *
 * Instantiation copies the work of all nodes, those of child graphs in place of the child graph
 * node, into a list (exec_list.h), and decides what a launch does with them (exec_plan.h).
 *
 * Each executable graph has a lock, which a launch, an update and the destruction hold. Where the
 * lock of all graphs (graph.h) is needed too, it is always taken second: what a launch submits may
 * take it, if streams are captured at the time. */
#ifndef AH_EXEC_H
#define AH_EXEC_H

#include "exec_list.h"
#include "exec_lock.h"
#include "exec_plan.h"

/* hipGraphExec_t. Everything but the handle is under the lock. */
struct ah_exec {
    struct ah_handle handle; /* no device: each node has its own */
    struct ah_exec_lock lock;
    struct ah_exec_body *body;      /* NULL: it is being destroyed */
    struct ah_backend_graph *whole; /* all that a launch has to do; NULL: there is more */
    struct ah_device *whole_device;
    const struct ah_stream *last; /* that it was launched in, and its id; NULL: never */
    unsigned long long last_id;
    struct ah_device *last_device;
};

struct ah_exec_body {
    struct ah_exec_list list;
    struct ah_exec_plan *plan;
    struct ah_graph_objects *objects; /* the graph's user objects */
    struct ah_work **memory;          /* the works of the list that allocate or free; not owned */
    unsigned memory_count;
    unsigned long long flags; /* hipGraphInstantiateFlag* */
    const char *lost;         /* why it cannot be launched any more; NULL: it can */
    hipError_t lost_error;
    bool replanned;            /* since the latest launch */
    struct ah_exec_body *next; /* of those that wait for the end of their last launch */
};

/* Whether it has something that running launches use, so that their end has to be known. */
static inline bool ah_exec_outlives(const struct ah_exec_body *body)
{
    return body->objects || body->memory_count > 0;
}

_Static_assert(sizeof(struct ah_exec) <= AH_HANDLE_SLOT, "struct ah_exec");

/* The message for what is not an executable graph. hipErrorInvalidValue. */
hipError_t ah_exec_refuse(hipGraphExec_t handle, const char *call);

static inline void ah_exec_unlock(struct ah_exec *exec)
{
    ah_exec_lock_give(&exec->lock);
}

/* Locks the executable graph. hipErrorInvalidValue, with a message: there is none. */
static inline hipError_t ah_exec_lock(hipGraphExec_t handle, const char *call,
                                      struct ah_exec **out_exec)
{
    struct ah_exec *exec = *out_exec = (struct ah_exec *)(void *)handle;
    if (__builtin_expect(!ah_handle_is(handle, AH_HANDLE_GRAPH_EXEC), 0))
        return ah_exec_refuse(handle, call);
    ah_exec_lock_take(&exec->lock);
    if (__builtin_expect(exec->body != NULL, 1))
        return hipSuccess;
    ah_exec_unlock(exec);
    return ah_exec_refuse(handle, call);
}

/* What happened to it if it cannot run any more, with a message that begins with call. */
hipError_t ah_exec_check(const struct ah_exec_body *body, const char *call);

/* Finds out, after a change of the body, whether launches are one call of the backend. The lock is
 * held. */
void ah_exec_settle(struct ah_exec *exec);

/* hipGraphUpload. call: for messages. */
hipError_t ah_exec_upload(hipGraphExec_t handle, hipStream_t stream_handle, const char *call);

/* Replaces the works of the nodes first and further by those of works, which has NULL where there
 * is none; afterwards works has what is no longer needed. A new plan is made if need be. After an
 * error the nodes have their old works. The lock is held. */
hipError_t ah_exec_replace(struct ah_exec *exec, unsigned first, unsigned count,
                           struct ah_work **works);

/* The nodes of an executable graph as the work of a child graph node: what a launch into a
 * capturing stream captures. hipErrorOutOfMemory; hipErrorStreamCaptureUnsupported: it has nodes
 * that cannot be in a child graph. Both locks are held. */
hipError_t ah_exec_capture(struct ah_exec *exec, struct ah_work **out_work);

#endif
