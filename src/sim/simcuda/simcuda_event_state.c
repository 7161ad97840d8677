/* Owns the state of an event that processes share: a file that all of them map. */
#include "simcuda_event.h"

#include "process.h"
#include "simcuda_ipc.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POLL_US = 50, POLLS_PER_LOOK = 512 };
static const char state_mark[8] = "AHevent";

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
    int file = ah_sealed_file_create("simulated event", sizeof *event->state, false);
    if (file < 0)
        return false;
    if (!map_state(event, file)) {
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
    uint64_t number = atomic_fetch_add(&state->recorded, 1) + 1;
    atomic_store(&state->recorders[number % SIMCUDA_RECORDERS], ah_process_self());
    return number;
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

bool simcuda_event_state_abandoned(const struct simcuda_event_state *state, uint64_t number)
{
    uint64_t recorder = atomic_load(&state->recorders[number % SIMCUDA_RECORDERS]);
    if (ah_process_is_alive(recorder) || atomic_load(&state->done) >= number)
        return false;
    simcuda_violation("process %d ended before the event that it had recorded was complete",
                      (int)(recorder >> 32));
    return true;
}

CUresult simcuda_event_state_wait(const struct simcuda_event_state *state, uint64_t number,
                                  struct simcuda_context *context)
{
    for (unsigned polls = 1; atomic_load(&state->done) < number; polls++) {
        if (simcuda_is_abandoned(context))
            return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        if (polls % POLLS_PER_LOOK == 0 && simcuda_event_state_abandoned(state, number))
            return CUDA_ERROR_ILLEGAL_STATE;
        usleep(POLL_US);
    }
    return CUDA_SUCCESS;
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
        struct simcuda_shared_file shared = {
            .pid = (int)getpid(), .file = event->file, .id = ah_sealed_file_id(event->file)};
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
    if (shared->pid == (int)getpid())
        return CUDA_ERROR_INVALID_CONTEXT;
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
