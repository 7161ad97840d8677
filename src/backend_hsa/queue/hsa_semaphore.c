/* Owns semaphores of other APIs. The hardware knows none of them: the stream's thread signals them
 * and waits for them. They are files of shared memory (semaphore_file.h), or the kernel's
 * synchronisation objects (hsa_syncobj.h), which is what Mesa's and AMD's Vulkan export. */
#include "hsa_stream.h"
#include "hsa_syncobj.h"
#include "semaphore_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_MS = 20 }; /* between looks at whether the wait was cancelled */

struct ah_backend_semaphore {
    _Atomic unsigned references;      /* the handle's, and one for each use that is queued */
    struct ah_semaphore_words *words; /* NULL: it is an object of the kernel */
    uint32_t object;
    bool timeline;
};

/* ---- semaphores ------------------------------------------------------------------------ */

static void release(struct ah_backend_semaphore *semaphore)
{
    if (atomic_fetch_sub(&semaphore->references, 1) != 1)
        return;
    if (semaphore->words)
        ah_semaphore_close(semaphore->words);
    else
        ahhsa_syncobj_close(semaphore->object);
    free(semaphore);
}

/* The file stays open for the caller. */
static hipError_t open_file(struct ah_backend_semaphore *semaphore, int file)
{
    semaphore->words =
        ah_semaphore_open(file, semaphore->timeline ? AH_SEMAPHORE_TIMELINE : AH_SEMAPHORE_BINARY);
    return semaphore->words ? hipSuccess
                            : ahhsa_syncobj_open(file, semaphore->timeline, &semaphore->object);
}

hipError_t ahhsa_semaphore_import(struct ah_backend_device *device,
                                  const hipExternalSemaphoreHandleDesc *description,
                                  struct ah_backend_semaphore **out_semaphore)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    struct ah_backend_semaphore *semaphore = calloc(1, sizeof *semaphore);
    if (!semaphore)
        return hipErrorOutOfMemory;
    semaphore->timeline = description->type == hipExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    error = open_file(semaphore, description->handle.fd);
    if (error != hipSuccess) {
        free(semaphore);
        return error;
    }
    atomic_init(&semaphore->references, 1);
    close(description->handle.fd);
    *out_semaphore = semaphore;
    return hipSuccess;
}

hipError_t ahhsa_semaphore_destroy(struct ah_backend_device *device,
                                   struct ah_backend_semaphore *semaphore)
{
    (void)device;
    release(semaphore);
    return hipSuccess;
}

/* ---- in streams ------------------------------------------------------------------------ */

struct uses {
    unsigned count, next; /* next: the first that was not waited for yet */
    struct use {
        struct ah_backend_semaphore *semaphore; /* a reference */
        uint64_t value;
    } of[];
};

static void end_uses(void *data)
{
    struct uses *uses = data;
    for (unsigned i = 0; i < uses->count; i++)
        release(uses->of[i].semaphore);
    free(uses);
}

static struct uses *make_uses(struct ah_backend_semaphore *const *semaphores, unsigned count)
{
    struct uses *uses = calloc(1, sizeof *uses + count * sizeof *uses->of);
    if (!uses)
        return NULL;
    uses->count = count;
    for (unsigned i = 0; i < count; i++) {
        uses->of[i].semaphore = semaphores[i];
        atomic_fetch_add(&semaphores[i]->references, 1);
    }
    return uses;
}

static void signal_all(void *data)
{
    const struct uses *uses = data;
    for (unsigned i = 0; i < uses->count; i++) {
        const struct ah_backend_semaphore *semaphore = uses->of[i].semaphore;
        uint64_t value = uses->of[i].value;
        bool signalled = semaphore->words
                             ? ah_semaphore_signal(semaphore->words, value)
                             : ahhsa_syncobj_signal(semaphore->object, semaphore->timeline, value);
        if (!signalled)
            AH_LOG_ERR("a semaphore was not signalled with %llu: a timeline that is there already "
                       "stays",
                       (unsigned long long)value);
    }
}

static bool wait_once(const struct use *use)
{
    const struct ah_backend_semaphore *semaphore = use->semaphore;
    return semaphore->words ? ah_semaphore_wait(semaphore->words, use->value, PATIENCE_MS)
                            : ahhsa_syncobj_wait(semaphore->object, semaphore->timeline, use->value,
                                                 PATIENCE_MS);
}

static bool wait_for_all(void *data)
{
    struct uses *uses = data;
    if (wait_once(&uses->of[uses->next]))
        uses->next++;
    return uses->next == uses->count;
}

/* The job owns uses from now on. */
static hipError_t enqueue(struct ah_backend_device *device, struct ah_backend_stream *stream,
                          struct uses *uses, bool wait)
{
    struct ahhsa_job job = {
        .kind = wait ? AHHSA_JOB_POLL : AHHSA_JOB_FUNCTION,
        .function = signal_all,
        .data = uses,
        .poll = wait_for_all,
        .finish = end_uses,
        .owner = uses,
    };
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_host_enqueue(stream, &job, wait);
    if (error != hipSuccess)
        end_uses(uses);
    return error;
}

hipError_t ahhsa_stream_signal_semaphores(struct ah_backend_device *device,
                                          struct ah_backend_stream *stream,
                                          struct ah_backend_semaphore *const *semaphores,
                                          const hipExternalSemaphoreSignalParams *params,
                                          unsigned count)
{
    struct uses *uses = make_uses(semaphores, count);
    if (!uses)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < count; i++)
        uses->of[i].value = params[i].params.fence.value;
    return enqueue(device, stream, uses, false);
}

hipError_t ahhsa_stream_wait_semaphores(struct ah_backend_device *device,
                                        struct ah_backend_stream *stream,
                                        struct ah_backend_semaphore *const *semaphores,
                                        const hipExternalSemaphoreWaitParams *params,
                                        unsigned count)
{
    struct uses *uses = make_uses(semaphores, count);
    if (!uses)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < count; i++)
        uses->of[i].value = params[i].params.fence.value;
    return enqueue(device, stream, uses, true);
}
