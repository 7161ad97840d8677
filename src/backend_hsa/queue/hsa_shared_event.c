/* Owns what processes share of an event: a page with two counters. The thread of a stream writes
 * it, or waits for it, in stream order, since not every runtime has signals that other processes
 * can open. */
#include "hsa_stream.h"

#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    SHORTEST_SLEEP = 2000,
    LONGEST_SLEEP = 200000,
    SLEEPS_PER_CHECK = 128, /* whether the process that recorded the event is alive */
    TAG = 0x45644842,
    RECORDERS = 32,
};

struct page {
    _Atomic uint64_t tag;                  /* TAG, by which the page is recognised */
    _Atomic uint64_t recorded;             /* records so far */
    _Atomic uint64_t reached;              /* the latest of them that a stream has reached */
    _Atomic uint64_t recorders[RECORDERS]; /* the process that made record n, at n % RECORDERS */
};

struct ahhsa_shared_event {
    struct page *page;
    int file;
    _Atomic unsigned references;
};

struct handle { /* what travels in a hipIpcEventHandle_t */
    int32_t process, file;
    uint64_t id; /* of the file: the descriptor may be another file's by now */
};
_Static_assert(sizeof(struct handle) <= sizeof(hipIpcEventHandle_t), "IPC event handles");

static hipError_t map_file(int file, struct ahhsa_shared_event **out_shared)
{
    struct ahhsa_shared_event *shared = calloc(1, sizeof *shared);
    if (!shared)
        return hipErrorOutOfMemory;
    shared->page = mmap(NULL, sizeof *shared->page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared->page == MAP_FAILED) {
        free(shared);
        return hipErrorOutOfMemory;
    }
    shared->file = file;
    atomic_store(&shared->references, 1);
    *out_shared = shared;
    return hipSuccess;
}

hipError_t ahhsa_shared_event_create(struct ahhsa_shared_event **out_shared)
{
    int file = ah_sealed_file_create("anyhip-event", sizeof(struct page), false);
    if (file < 0) {
        AH_LOG_ERR("memory for an interprocess event could not be created: %s", strerror(errno));
        return hipErrorOutOfMemory;
    }
    hipError_t error = map_file(file, out_shared);
    if (error == hipSuccess)
        atomic_store(&(*out_shared)->page->tag, TAG);
    else
        close(file);
    return error;
}

void ahhsa_shared_event_export(const struct ahhsa_shared_event *shared, void *out_handle)
{
    struct handle handle = {getpid(), shared->file, ah_sealed_file_id(shared->file)};
    memset(out_handle, 0, sizeof(hipIpcEventHandle_t));
    memcpy(out_handle, &handle, sizeof handle);
}

static hipError_t cannot_open(const struct handle *handle, const char *why)
{
    AH_LOG_ERR("the event of process %d cannot be opened: %s", handle->process, why);
    return hipErrorInvalidHandle;
}

hipError_t ahhsa_shared_event_open(const void *data, struct ahhsa_shared_event **out_shared)
{
    struct handle handle;
    memcpy(&handle, data, sizeof handle);
    if (handle.process == getpid()) {
        AH_LOG_ERR("the handle is of this process: use the event it was made from");
        return hipErrorInvalidContext;
    }
    int file = ah_sealed_file_open(handle.process, handle.file, handle.id, sizeof(struct page));
    if (file < 0)
        return cannot_open(&handle, "it was destroyed, or its process has ended");
    hipError_t error = map_file(file, out_shared);
    if (error == hipSuccess && atomic_load(&(*out_shared)->page->tag) != TAG) {
        ahhsa_shared_event_release(*out_shared);
        return cannot_open(&handle, "the handle is not of an event");
    }
    if (error != hipSuccess)
        close(file);
    return error;
}

void ahhsa_shared_event_release(struct ahhsa_shared_event *shared)
{
    if (!shared || atomic_fetch_sub(&shared->references, 1) != 1)
        return;
    munmap(shared->page, sizeof *shared->page);
    close(shared->file);
    free(shared);
}

static void release_reference(void *shared)
{
    ahhsa_shared_event_release(shared);
}

/* ---- in stream order -------------------------------------------------------------------- */

struct record { /* that a stream is to reach */
    struct ahhsa_shared_event *shared;
    uint64_t number;
};

/* Also when the device has failed: other processes would wait forever. */
static void mark_reached(void *data, hipError_t status)
{
    struct record *record = data;
    _Atomic uint64_t *reached = &record->shared->page->reached;
    uint64_t seen = atomic_load(reached);
    (void)status;
    while (seen < record->number && !atomic_compare_exchange_weak(reached, &seen, record->number)) {
    }
    ahhsa_shared_event_release(record->shared);
    free(record);
}

hipError_t ahhsa_shared_event_record(struct ahhsa_shared_event *shared,
                                     struct ah_backend_stream *stream)
{
    struct record *record = malloc(sizeof *record);
    if (!record)
        return hipErrorOutOfMemory;
    atomic_fetch_add(&shared->references, 1);
    record->shared = shared;
    record->number = atomic_fetch_add(&shared->page->recorded, 1) + 1;
    atomic_store(&shared->page->recorders[record->number % RECORDERS], ah_process_self());
    struct ahhsa_job job = {.kind = AHHSA_JOB_CALLBACK,
                            .callback = mark_reached,
                            .data = record,
                            .reported_as = AH_TRACE_BARRIER};
    hipError_t error = ahhsa_host_enqueue(stream, &job, false);
    if (error != hipSuccess)
        mark_reached(record, error);
    return error;
}

/* Whether the process that was to reach a record has ended before. */
static bool is_abandoned(const struct ahhsa_shared_event *shared, uint64_t number)
{
    uint64_t recorder = atomic_load(&shared->page->recorders[number % RECORDERS]);
    if (ah_process_is_alive(recorder) || atomic_load(&shared->page->reached) >= number)
        return false;
    AH_LOG_ERR("process %d ended before it reached the event that it had recorded",
               (int)(recorder >> 32));
    return true;
}

static bool is_abandoned_wait(void *owner, uint64_t number)
{
    return is_abandoned(owner, number);
}

hipError_t ahhsa_shared_event_wait(struct ahhsa_shared_event *shared,
                                   struct ah_backend_stream *stream)
{
    if (ahhsa_shared_event_is_reached(shared))
        return hipSuccess;
    struct ahhsa_job job = {
        .kind = AHHSA_JOB_WAIT,
        .data = &shared->page->reached,
        .value = atomic_load(&shared->page->recorded),
        .mask = UINT64_MAX,
        .condition = AH_WAIT_GEQUAL,
        .bits = 64,
        .is_abandoned = is_abandoned_wait,
        .finish = release_reference,
        .owner = shared,
    };
    atomic_fetch_add(&shared->references, 1);
    hipError_t error = ahhsa_host_enqueue(stream, &job, true);
    if (error != hipSuccess)
        ahhsa_shared_event_release(shared);
    return error;
}

/* ---- for the host ------------------------------------------------------------------------- */

static bool is_reached(const struct ahhsa_shared_event *shared, uint64_t number)
{
    return atomic_load(&shared->page->reached) >= number;
}

bool ahhsa_shared_event_is_reached(const struct ahhsa_shared_event *shared)
{
    return is_reached(shared, atomic_load(&shared->page->recorded));
}

bool ahhsa_shared_event_is_abandoned(const struct ahhsa_shared_event *shared)
{
    return is_abandoned(shared, atomic_load(&shared->page->recorded));
}

hipError_t ahhsa_shared_event_synchronize(const struct ahhsa_shared_event *shared,
                                          struct ah_backend_device *device)
{
    uint64_t number = atomic_load(&shared->page->recorded);
    struct timespec sleep_time = {.tv_nsec = SHORTEST_SLEEP};
    for (unsigned sleeps = 1;
         !is_reached(shared, number) && ahhsa_device_error(device) == hipSuccess; sleeps++) {
        if (sleeps % SLEEPS_PER_CHECK == 0 && is_abandoned(shared, number))
            return hipErrorIllegalState;
        nanosleep(&sleep_time, NULL);
        sleep_time.tv_nsec =
            sleep_time.tv_nsec * 2 < LONGEST_SLEEP ? sleep_time.tv_nsec * 2 : LONGEST_SLEEP;
    }
    return ahhsa_device_error(device);
}
