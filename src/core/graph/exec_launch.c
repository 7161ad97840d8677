/* Owns the launches of executable graphs: the public functions, and what is done where a stream is
 * captured. */
#include "exec.h"
#include "api.h"
#include "api_arguments.h"
#include "capture.h"
#include "graph_memory.h"

#include <hip/api/per_thread_default_stream.h>

/* A thread's default stream may be another thread's, of the same address, that has ended. */
static bool is_same_stream(const struct ah_exec *exec, const struct ah_stream *stream)
{
    return exec->last == stream && exec->last_id == stream->id && stream->id != 2;
}

static void note_stream(struct ah_exec *exec, struct ah_stream *stream)
{
    exec->last = stream;
    exec->last_id = stream->id;
    exec->last_device = stream->handle.device;
}

/* A plan that was made anew knows nothing of the launches of the one before. */
static hipError_t wait_for_old_plan(struct ah_exec *exec, bool follows)
{
    struct ah_device *device = exec->last_device;
    if (!exec->body->replanned)
        return hipSuccess;
    exec->body->replanned = false;
    ah_exec_settle(exec);
    return follows ? device->ops->device_synchronize(device->native) : hipSuccess;
}

static hipError_t launch_plan(struct ah_exec *exec, struct ah_stream *stream)
{
    struct ah_exec_body *body = exec->body;
    bool follows = exec->last && !is_same_stream(exec, stream);
    hipError_t error = ah_exec_check(body, "hipGraphLaunch");
    if (error == hipSuccess)
        error = wait_for_old_plan(exec, follows);
    if (error == hipSuccess && body->memory_count)
        error = ah_graph_memory_begin(body->memory, body->memory_count,
                                      body->flags & hipGraphInstantiateFlagAutoFreeOnLaunch);
    if (error != hipSuccess)
        return error;
    error = ah_plan_launch(body->plan, &body->list, stream, follows);
    if (body->memory_count)
        ah_graph_memory_end(body->memory, body->memory_count, stream, error);
    note_stream(exec, stream);
    return error;
}

hipError_t ah_exec_capture(struct ah_exec *exec, struct ah_work **out_work)
{
    struct ah_graph *graph;
    hipError_t error = ah_exec_check(exec->body, "hipGraphLaunch");
    if (error == hipSuccess && exec->body->memory_count > 0) {
        AH_LOG_ERR("hipGraphLaunch: the stream is being captured, and a graph that allocates or "
                   "frees memory cannot be part of another");
        error = hipErrorStreamCaptureUnsupported;
    }
    if (error == hipSuccess)
        error = ah_exec_list_graph(&exec->body->list, &graph);
    if (error != hipSuccess)
        return error;
    *out_work = ah_work_create(&ah_work_child, ah_device_current());
    if (*out_work)
        (*out_work)->child = graph;
    else
        ah_graph_destroy(graph);
    return *out_work ? hipSuccess : hipErrorOutOfMemory;
}

/* In a stream that captures. */
static hipError_t launch_captured(struct ah_exec *exec, struct ah_stream *stream)
{
    struct ah_work *work;
    ah_graph_lock();
    hipError_t error = ah_exec_capture(exec, &work);
    ah_graph_unlock();
    return error == hipSuccess ? ah_capture_add(stream, work, "hipGraphLaunch") : error;
}

static hipError_t launch_any(struct ah_exec *exec, struct ah_stream *stream)
{
    unsigned state = atomic_load_explicit(&stream->state, memory_order_acquire);
    if (state & AH_STREAM_CAPTURING)
        return launch_captured(exec, stream);
    if (state & AH_STREAM_BESIDE_CAPTURE) {
        ah_graph_lock();
        hipError_t error = ah_capture_refuse_legacy(stream->handle.device, "hipGraphLaunch");
        ah_graph_unlock();
        if (error != hipSuccess)
            return error;
    }
    return launch_plan(exec, stream);
}

/* The usual case, a graph that the backend does as a whole, costs one call of it. */
static inline hipError_t launch_locked(struct ah_exec *exec, struct ah_stream *stream)
{
    struct ah_device *device = stream->handle.device;
    bool unusual =
        (exec->whole == NULL) | (exec->whole_device != device) | (int)ah_submit_is_unusual(stream);
    if (__builtin_expect(unusual, 0))
        return launch_any(exec, stream);
    note_stream(exec, stream);
    return device->ops->graph_launch(device->native, exec->whole,
                                     atomic_load_explicit(&stream->native, memory_order_relaxed));
}

static inline __attribute__((always_inline)) hipError_t launch(hipGraphExec_t handle,
                                                               hipStream_t stream_handle)
{
    struct ah_exec *exec;
    struct ah_stream *stream;
    hipError_t error = ah_exec_lock(handle, "hipGraphLaunch", &exec);
    if (error != hipSuccess)
        return error;
    error = ah_stream_resolve(stream_handle, &stream);
    if (__builtin_expect(error == hipSuccess, 1))
        error = launch_locked(exec, stream);
    ah_exec_unlock(exec);
    return error;
}

AH_LAUNCH_CODE hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream)
{
    AH_ENTER(hipGraphLaunch);
    return AH_LEAVE(launch(graphExec, stream));
}

hipError_t hipGraphLaunch_spt(hipGraphExec_t graphExec, hipStream_t stream)
{
    AH_ENTER(hipGraphLaunch_spt);
    return AH_LEAVE(launch(graphExec, ah_stream_spt(stream)));
}

hipError_t ah_exec_upload(hipGraphExec_t handle, hipStream_t stream_handle, const char *call)
{
    struct ah_exec *exec;
    struct ah_stream *stream;
    hipError_t error = ah_exec_lock(handle, call, &exec);
    if (error != hipSuccess)
        return error;
    error = ah_stream_resolve(stream_handle, &stream);
    if (error == hipSuccess)
        error = ah_exec_check(exec->body, call);
    if (error == hipSuccess)
        error = ah_plan_upload(exec->body->plan, stream);
    ah_exec_unlock(exec);
    return error;
}

hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream)
{
    AH_ENTER(hipGraphUpload);
    return AH_LEAVE(ah_exec_upload(graphExec, stream, "hipGraphUpload"));
}
