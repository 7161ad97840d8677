/* Owns what processes share of an event: a file, mapped by all of them. */
#include "simcuda_event.h"

#include "simcuda_ipc.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POLL_US = 50 };
static const char state_mark[16] = "AnyHIP sim event";

static bool map_state(struct simcuda_event *event, int file)
{
    void *state = mmap(NULL, sizeof *event->state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (state == MAP_FAILED)
        return false;
    event->state = state;
    event->file = file;
    return true;
}

bool simcuda_event_share(struct simcuda_event *event)
{
    int file = memfd_create("simulated event", MFD_CLOEXEC);
    if (file < 0)
        return false;
    if (ftruncate(file, sizeof *event->state) != 0 || !map_state(event, file)) {
        close(file);
        return false;
    }
    memcpy(event->state->mark, state_mark, sizeof state_mark);
    return true;
}

void simcuda_event_unshare(struct simcuda_event *event)
{
    if (!event->state)
        return;
    munmap(event->state, sizeof *event->state);
    close(event->file);
    event->state = NULL;
}

uint64_t simcuda_event_state_record(struct simcuda_event_state *state)
{
    return atomic_fetch_add(&state->recorded, 1) + 1;
}

/* A later record that is done already stays the last. */
void simcuda_event_state_done(struct simcuda_event_state *state, uint64_t number)
{
    uint64_t done = atomic_load(&state->done);
    while (done < number && !atomic_compare_exchange_weak(&state->done, &done, number))
        ;
}

bool simcuda_event_state_complete(const struct simcuda_event_state *state)
{
    return atomic_load(&state->done) >= atomic_load(&state->recorded);
}

void simcuda_event_state_wait(const struct simcuda_event_state *state, uint64_t number,
                              struct simcuda_context *context)
{
    while (atomic_load(&state->done) < number && !simcuda_given_up(context))
        usleep(POLL_US);
}

/* ---- handles ----------------------------------------------------------------------- */

CUresult simcuda_cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event_handle)
{
    struct simcuda_event *event;
    SIMCUDA_ENTER(cuIpcGetEventHandle);
    CUresult result = simcuda_event_get(event_handle, "cuIpcGetEventHandle", &event);
    if (result == CUDA_SUCCESS && (!handle || !event->state))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        struct simcuda_shared_file shared = {.pid = (int)getpid(), .file = event->file};
        memcpy(shared.mark, state_mark, sizeof shared.mark);
        memset(handle, 0, sizeof *handle);
        memcpy(handle, &shared, sizeof shared);
    }
    return simcuda_leave(result);
}

static CUresult open_event(CUevent *out, const struct simcuda_shared_file *shared)
{
    struct simcuda_context *context;
    struct simcuda_event *event;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (memcmp(shared->mark, state_mark, sizeof shared->mark) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    int file = simcuda_shared_file_open(shared, sizeof *event->state);
    if (file < 0)
        return CUDA_ERROR_MAP_FAILED;
    result = simcuda_event_new(context, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, &event);
    if (result != CUDA_SUCCESS || !map_state(event, file)) {
        close(file);
        if (result == CUDA_SUCCESS)
            simcuda_object_close(&event->object);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (memcmp(event->state->mark, state_mark, sizeof state_mark) != 0) {
        simcuda_object_close(&event->object);
        return CUDA_ERROR_MAP_FAILED;
    }
    *out = (CUevent)(uintptr_t)event->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
    struct simcuda_shared_file shared;
    SIMCUDA_ENTER(cuIpcOpenEventHandle);
    memcpy(&shared, &handle, sizeof shared);
    return simcuda_leave(event ? open_event(event, &shared) : CUDA_ERROR_INVALID_VALUE);
}
