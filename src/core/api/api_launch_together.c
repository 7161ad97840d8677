/* Owns launches on several devices at once: one kernel on each, in its own stream.
 *
 * The grids of a cooperative launch synchronise through a barrier in page-locked host memory that
 * all the devices see: a word for each grid, which only that grid writes and all read, since not
 * every machine has atomic operations between devices. A grid that cannot arrive any more, because
 * its launch failed or its kernel has ended, is marked as arrived, so that the others do not wait
 * for it without end. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

/* docs/kernel-abi.md */
enum { FIRST_WORD = 128, WORD_STRIDE = 64 };

struct part {
    struct ah_launch launch;
    bool of_module;
    const void *host;             /* a kernel of the program */
    struct ah_function *function; /* of a module */
    hipStream_t handle;
    struct ah_stream *stream;
    struct ah_device *device; /* of the stream */
    struct ah_multi_grid place;
};

/* The barrier of one launch; reused when all grids have ended. */
struct barrier {
    struct barrier *next;    /* all of them */
    struct ah_device *owner; /* of the memory; NULL: it was reset */
    unsigned char *memory;   /* the host's address; a word for every device that there is */
    unsigned left;           /* grids that have not ended; 0: free */
    struct participant {
        struct barrier *barrier;
        unsigned rank;
    } grids[];
};

/* launching: held from the first to the last part of a launch, so that every device has them in
 * one order. listing: guards the list and `left`. */
static struct {
    pthread_mutex_t launching, listing;
    struct barrier *barriers;
} together = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, NULL};

/* ---- multi-grid barriers ----------------------------------------------------------------------
 */

static size_t memory_size(void)
{
    return FIRST_WORD + (size_t)ah_registry.device_count * WORD_STRIDE;
}

static void mark_arrived(struct barrier *barrier, unsigned rank)
{
    unsigned char *word = barrier->memory + FIRST_WORD + (size_t)rank * WORD_STRIDE;
    if (barrier->owner)
        __atomic_store_n((uint64_t *)(void *)word, UINT64_MAX, __ATOMIC_RELEASE);
}

static void grids_ended(struct barrier *barrier, unsigned count)
{
    barrier->left -= count;
    if (barrier->left > 0 || barrier->owner)
        return;
    struct barrier **link = &together.barriers;
    while (*link != barrier)
        link = &(*link)->next;
    *link = barrier->next;
    free(barrier);
}

/* Called in the stream of a grid after the grid, whether or not it arrived at every barrier. */
static void on_end(void *data, hipError_t status)
{
    const struct participant *grid = data;
    (void)status;
    pthread_mutex_lock(&together.listing);
    mark_arrived(grid->barrier, grid->rank);
    grids_ended(grid->barrier, 1);
    pthread_mutex_unlock(&together.listing);
}

static struct barrier *acquire_barrier(const struct ah_driver *driver, unsigned count)
{
    struct barrier *barrier;
    pthread_mutex_lock(&together.listing);
    for (barrier = together.barriers; barrier; barrier = barrier->next)
        if (barrier->left == 0 && barrier->owner->driver == driver)
            break;
    if (barrier)
        barrier->left = count;
    pthread_mutex_unlock(&together.listing);
    return barrier;
}

static hipError_t create_barrier(struct ah_device *owner, unsigned count,
                                 struct barrier **out_barrier)
{
    size_t most = (size_t)ah_registry.device_count;
    void *memory;
    struct barrier *barrier = calloc(1, sizeof *barrier + most * sizeof *barrier->grids);
    if (!barrier)
        return hipErrorOutOfMemory;
    hipError_t error = owner->ops->host_alloc(
        owner->native, memory_size(),
        hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent, &memory);
    if (error != hipSuccess) {
        free(barrier);
        return error;
    }
    barrier->owner = owner;
    barrier->memory = memory;
    barrier->left = count;
    for (unsigned i = 0; i < most; i++)
        barrier->grids[i] = (struct participant){barrier, i};
    pthread_mutex_lock(&together.listing);
    barrier->next = together.barriers;
    together.barriers = barrier;
    pthread_mutex_unlock(&together.listing);
    *out_barrier = barrier;
    return hipSuccess;
}

/* The reset frees the barrier's memory. */
static void detach_device(struct ah_device *device)
{
    struct barrier *next;
    pthread_mutex_lock(&together.listing);
    for (struct barrier *barrier = together.barriers; barrier; barrier = next) {
        next = barrier->next;
        if (barrier->owner == device) {
            barrier->owner = NULL;
            grids_ended(barrier, 0);
        }
    }
    pthread_mutex_unlock(&together.listing);
}

const struct ah_dependent ah_launch_dependent = {.device_resets = detach_device};

/* ---- the grids ------------------------------------------------------------------------------ */

static uint64_t threads_of(const struct ah_launch *launch)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    return (uint64_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
}

static hipError_t assign_places(struct part *parts, unsigned count, const struct barrier *barrier)
{
    uint64_t all = 0, before = 0;
    for (unsigned i = 0; i < count; i++)
        all += threads_of(&parts[i].launch);
    for (unsigned i = 0; i < count; i++) {
        struct ah_device *device = parts[i].device;
        void *address;
        hipError_t error =
            device->ops->host_device_pointer(device->native, barrier->memory, &address);
        if (error != hipSuccess)
            return error;
        parts[i].place = (struct ah_multi_grid){(uintptr_t)address, i, count, before, all};
        parts[i].launch.place = &parts[i].place;
        before += threads_of(&parts[i].launch);
    }
    return hipSuccess;
}

static hipError_t launch_part(const struct part *part)
{
    return part->of_module ? ah_launch_function(part->function, &part->launch, part->handle)
                           : ah_launch_host(part->host, &part->launch, part->handle);
}

static hipError_t launch_independent(const struct part *parts, unsigned count)
{
    hipError_t error = hipSuccess;
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        error = launch_part(&parts[i]);
    return error;
}

static hipError_t launch_with_barrier(struct part *parts, unsigned count, struct barrier *barrier)
{
    unsigned launched = 0, watched = 0;
    memset(barrier->memory, 0, memory_size());
    hipError_t error = assign_places(parts, count, barrier);
    pthread_mutex_lock(&together.launching);
    for (; launched < count && error == hipSuccess; watched += error == hipSuccess) {
        const struct part *part = &parts[launched];
        error = launch_part(part);
        if (error != hipSuccess)
            break;
        error = ah_submit(part->stream,
                          &(struct ah_command){.kind = AH_COMMAND_CALLBACK,
                                               .callback = {on_end, &barrier->grids[launched++]}});
    }
    pthread_mutex_unlock(&together.launching);
    pthread_mutex_lock(&together.listing);
    for (unsigned i = launched; i < count; i++)
        mark_arrived(barrier, i);
    grids_ended(barrier, count - launched);
    pthread_mutex_unlock(&together.listing);
    if (watched < launched) {
        (void)ah_stream_synchronize(parts[watched].stream); /* or until it fails */
        on_end(&barrier->grids[watched], error);
    }
    return error;
}

static hipError_t launch_cooperative(struct part *parts, unsigned count)
{
    struct ah_device *first = parts[0].device;
    for (unsigned i = 1; i < count; i++)
        if (parts[i].device->driver != first->driver) {
            AH_LOG_ERR("devices %d and %d are of two drivers: their grids cannot wait for each "
                       "other",
                       first->ordinal, parts[i].device->ordinal);
            return hipErrorNotSupported;
        }
    hipError_t error = hipSuccess;
    struct barrier *barrier = acquire_barrier(first->driver, count);
    if (!barrier)
        error = create_barrier(first, count, &barrier);
    return error == hipSuccess ? launch_with_barrier(parts, count, barrier) : error;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* Each part has its own stream, each on a different device. */
static hipError_t find_devices(struct part *parts, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct part *part = &parts[i];
        if ((uintptr_t)part->handle <= (uintptr_t)hipStreamLegacy)
            return hipErrorInvalidResourceHandle;
        hipError_t error = ah_stream_resolve(part->handle, &part->stream);
        if (error != hipSuccess)
            return error;
        part->device = part->stream->handle.device;
        if (atomic_load(&part->stream->state) & AH_STREAM_CAPTURING)
            error = ah_capture_check_stream(part->stream, "a launch on several devices");
        if (error != hipSuccess)
            return error;
        for (unsigned j = 0; j < i; j++)
            if (parts[j].device == part->device)
                return hipErrorInvalidDevice;
    }
    return hipSuccess;
}

static hipError_t wait_for_each(const struct part *parts, unsigned count)
{
    hipError_t error = hipSuccess;
    for (unsigned i = 0; i < count; i++) {
        hipError_t other = ah_stream_synchronize(parts[i].stream);
        error = error == hipSuccess ? other : error;
    }
    return error;
}

/* Unless the flags say otherwise the parts start together and later work waits for all, for which
 * the host waits. */
static hipError_t launch_parts(struct part *parts, unsigned count, unsigned flags, bool cooperative)
{
    hipError_t error = find_devices(parts, count);
    if (error == hipSuccess && !(flags & hipCooperativeLaunchMultiDeviceNoPreSync))
        error = wait_for_each(parts, count);
    if (error == hipSuccess)
        error = cooperative ? launch_cooperative(parts, count) : launch_independent(parts, count);
    if (error == hipSuccess && !(flags & hipCooperativeLaunchMultiDeviceNoPostSync))
        error = wait_for_each(parts, count);
    return error;
}

/* NULL: the list, the count or the flags are wrong, or *out_error is another reason. */
static struct part *make_parts(const void *list, unsigned count, unsigned flags,
                               hipError_t *out_error)
{
    const unsigned known =
        hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;
    *out_error = hipErrorInvalidValue;
    if (!list || count == 0 || count > (unsigned)ah_registry.device_count || (flags & ~known) != 0)
        return NULL;
    *out_error = hipErrorOutOfMemory;
    return calloc(count, sizeof(struct part));
}

static hipError_t launch_kernels(const hipLaunchParams *list, int count, unsigned flags,
                                 bool cooperative)
{
    hipError_t error;
    unsigned n = count > 0 ? (unsigned)count : 0;
    struct part *parts = make_parts(list, n, flags, &error);
    if (!parts)
        return error;
    for (unsigned i = 0; i < n; i++) {
        const hipLaunchParams *from = &list[i];
        parts[i] = (struct part){
            .launch = {.grid = {from->gridDim.x, from->gridDim.y, from->gridDim.z},
                       .block = {from->blockDim.x, from->blockDim.y, from->blockDim.z},
                       .shared =
                           from->sharedMem > UINT32_MAX ? UINT32_MAX : (unsigned)from->sharedMem,
                       .flags = cooperative ? AH_LAUNCH_COOPERATIVE : 0,
                       .params = from->args},
            .host = from->func,
            .handle = from->stream,
        };
    }
    error = launch_parts(parts, n, flags, cooperative);
    free(parts);
    return error;
}

static hipError_t launch_functions(const hipFunctionLaunchParams *list, unsigned count,
                                   unsigned flags)
{
    hipError_t error;
    struct part *parts = make_parts(list, count, flags, &error);
    if (!parts)
        return error;
    for (unsigned i = 0; i < count; i++) {
        const hipFunctionLaunchParams *from = &list[i];
        parts[i] = (struct part){
            .launch = {.grid = {from->gridDimX, from->gridDimY, from->gridDimZ},
                       .block = {from->blockDimX, from->blockDimY, from->blockDimZ},
                       .shared = from->sharedMemBytes,
                       .flags = AH_LAUNCH_COOPERATIVE,
                       .params = from->kernelParams},
            .of_module = true,
            .function = (struct ah_function *)(void *)from->function,
            .handle = from->hStream,
        };
    }
    error = launch_parts(parts, count, flags, true);
    free(parts);
    return error;
}

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices,
                                              unsigned int flags)
{
    AH_ENTER(hipExtLaunchMultiKernelMultiDevice);
    return AH_LEAVE(launch_kernels(launchParamsList, numDevices, flags, false));
}

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices,
                                                 unsigned int flags)
{
    AH_ENTER(hipLaunchCooperativeKernelMultiDevice);
    return AH_LEAVE(launch_kernels(launchParamsList, numDevices, flags, true));
}

hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *launchParamsList,
                                                       unsigned int numDevices, unsigned int flags)
{
    AH_ENTER(hipModuleLaunchCooperativeKernelMultiDevice);
    return AH_LEAVE(launch_functions(launchParamsList, numDevices, flags));
}
