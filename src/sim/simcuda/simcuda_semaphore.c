/* Owns semaphores that others made: files of shared memory (semaphore_file.h). */
#include "semaphore_file.h"
#include "simcuda_ops.h"

#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_MS = 20 }; /* between looks at whether the context ends */

struct simcuda_semaphore {
    struct simcuda_object object;
    struct ah_semaphore_words *words;
};

static void fini_semaphore(struct simcuda_object *object)
{
    ah_semaphore_close(((struct simcuda_semaphore *)(void *)object)->words);
}

static bool kind_of(int type, enum ah_semaphore_kind *out)
{
    *out = type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD ? AH_SEMAPHORE_BINARY
                                                               : AH_SEMAPHORE_TIMELINE;
    return type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD ||
           type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
}

/* The program's descriptor is the driver's after success. */
static CUresult import(CUexternalSemaphore *out,
                       const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *description)
{
    struct simcuda_context *context;
    enum ah_semaphore_kind kind;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!kind_of(description->type, &kind) || description->flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct ah_semaphore_words *words = ah_semaphore_open(description->handle.fd, kind);
    if (!words)
        return CUDA_ERROR_OPERATING_SYSTEM;
    struct simcuda_semaphore *semaphore =
        simcuda_object_new(SIMCUDA_SEMAPHORE, sizeof *semaphore, context);
    if (!semaphore) {
        ah_semaphore_close(words);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    semaphore->object.fini = fini_semaphore;
    semaphore->words = words;
    close(description->handle.fd);
    *out = (CUexternalSemaphore)(uintptr_t)semaphore->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuImportExternalSemaphore(CUexternalSemaphore *semaphore,
                                           const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *description)
{
    SIMCUDA_ENTER(cuImportExternalSemaphore);
    CUresult result =
        semaphore && description ? import(semaphore, description) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS && simcuda_script.closes_files)
        close(description->handle.fd);
    return simcuda_leave(result);
}

static struct simcuda_semaphore *semaphore_of(CUexternalSemaphore handle, const char *what)
{
    return simcuda_object_get(handle, SIMCUDA_SEMAPHORE, what);
}

/* Operations keep it. */
CUresult simcuda_cuDestroyExternalSemaphore(CUexternalSemaphore handle)
{
    SIMCUDA_ENTER(cuDestroyExternalSemaphore);
    struct simcuda_semaphore *semaphore = semaphore_of(handle, "cuDestroyExternalSemaphore");
    if (!semaphore)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    if (semaphore->object.references > 1)
        simcuda_violation("a semaphore is destroyed before work that uses it has ended");
    simcuda_object_close(&semaphore->object);
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- in streams ------------------------------------------------------------------------ */

struct semaphore_op {
    struct simcuda_op op;
    unsigned count;
    struct semaphore_use {
        struct simcuda_semaphore *semaphore; /* retained */
        uint64_t value;
    } uses[];
};

static void fini_op(struct simcuda_op *op)
{
    const struct semaphore_op *uses = (const struct semaphore_op *)(const void *)op;
    for (unsigned i = 0; i < uses->count; i++)
        simcuda_object_release(&uses->uses[i].semaphore->object);
}

static CUresult run_signal(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct semaphore_op *signal = (const struct semaphore_op *)(const void *)op;
    (void)context;
    for (unsigned i = 0; i < signal->count; i++)
        if (!ah_semaphore_signal(signal->uses[i].semaphore->words, signal->uses[i].value))
            AH_LOG_ERR("simulated CUDA driver: a timeline semaphore has a value of %llu already",
                       (unsigned long long)signal->uses[i].value);
    return CUDA_SUCCESS;
}

static CUresult run_wait(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct semaphore_op *wait = (const struct semaphore_op *)(const void *)op;
    for (unsigned i = 0; i < wait->count; i++)
        while (!ah_semaphore_wait(wait->uses[i].semaphore->words, wait->uses[i].value, PATIENCE_MS))
            if (simcuda_is_abandoned(context))
                return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return CUDA_SUCCESS;
}

/* An operation on count semaphores, whose values are to be filled in. */
static CUresult make_op(const CUexternalSemaphore *semaphores, unsigned count, bool wait,
                        struct semaphore_op **out)
{
    struct semaphore_op *op = simcuda_op_new(sizeof *op + count * sizeof *op->uses);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->op.run = wait ? run_wait : run_signal;
    op->op.leaves_memory = true;
    op->op.fini = fini_op;
    for (unsigned i = 0; i < count; i++) {
        struct simcuda_semaphore *semaphore = semaphore_of(semaphores[i], "external semaphores");
        if (!semaphore) {
            simcuda_op_discard(&op->op);
            return CUDA_ERROR_INVALID_HANDLE;
        }
        simcuda_object_retain(&semaphore->object);
        op->uses[op->count++].semaphore = semaphore;
    }
    *out = op;
    return CUDA_SUCCESS;
}

static CUresult signal(const CUexternalSemaphore *semaphores,
                       const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params, unsigned count,
                       CUstream handle)
{
    struct simcuda_stream *stream;
    struct semaphore_op *op;
    CUresult result = simcuda_stream_get(handle, &stream);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        if (params[i].flags != 0)
            result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = make_op(semaphores, count, false, &op);
    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned i = 0; i < count; i++)
        op->uses[i].value = params[i].params.fence.value;
    return simcuda_stream_push(stream, &op->op);
}

CUresult
simcuda_cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                        const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
                                        unsigned count, CUstream stream)
{
    SIMCUDA_ENTER(cuSignalExternalSemaphoresAsync);
    return simcuda_leave(semaphores && params && count > 0
                             ? signal(semaphores, params, count, stream)
                             : CUDA_ERROR_INVALID_VALUE);
}

static CUresult wait_for(const CUexternalSemaphore *semaphores,
                         const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params, unsigned count,
                         CUstream handle)
{
    struct simcuda_stream *stream;
    struct semaphore_op *op;
    CUresult result = simcuda_stream_get(handle, &stream);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        if (params[i].flags != 0)
            result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = make_op(semaphores, count, true, &op);
    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned i = 0; i < count; i++)
        op->uses[i].value = params[i].params.fence.value;
    return simcuda_stream_push(stream, &op->op);
}

CUresult simcuda_cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                               const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
                                               unsigned count, CUstream stream)
{
    SIMCUDA_ENTER(cuWaitExternalSemaphoresAsync);
    return simcuda_leave(semaphores && params && count > 0
                             ? wait_for(semaphores, params, count, stream)
                             : CUDA_ERROR_INVALID_VALUE);
}
