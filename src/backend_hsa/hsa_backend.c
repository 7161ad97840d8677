/* Owns the opening of AMD's HSA runtime (or of the simulated one) as a backend, and the reset of
 * devices: it joins the rooms, which know only those below them. */
#include "hsa_code.h"
#include "hsa_device.h"
#include "hsa_memory.h"
#include "hsa_queue.h"

#include "reason.h"
#include "simulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_MAJOR_UNIT = 10000000, VERSION_MINOR_UNIT = 100000 };

const struct ah_backend_ops ahhsa_ops = {
#define AH_OP(name) .name = ahhsa_##name,
#include "backend_ops.def"
#undef AH_OP
};

/* ---- starting and ending a device ------------------------------------------------------- */

/* Under start_lock. */
static hipError_t start_device(struct ah_backend_device *device)
{
    hipError_t error = hipSuccess;
    if (!atomic_load(&device->ready))
        error = ahhsa_device_queues_start(device);
    if (error == hipSuccess)
        atomic_store_explicit(&device->ready, true, memory_order_release);
    return error;
}

hipError_t ahhsa_device_make_current(struct ah_backend_device *device)
{
    hipError_t error = ahhsa_enter(device);
    /* A device that has failed is made current all the same: nothing else resets it. */
    return atomic_load(&device->ready) ? hipSuccess : error;
}

static const struct ahhsa_device_callbacks callbacks = {
    .start = start_device,
    .examine_failure = ahhsa_kernel_services_examine,
    .complete_signals = ahhsa_device_complete_signals,
    .trim_pools = ahhsa_pools_trim,
};

/* Under start_lock. All work has ended, or never will. The rooms above free what they have before
 * those below, except that streams go first: their callbacks release what the others own. */
static void stop_device(struct ah_backend_device *device)
{
    atomic_store(&device->ready, false);
    atomic_fetch_add(&device->generation, 1);
    ahhsa_device_queues_stop(device);
    ahhsa_device_memory_stop(device);
    ahhsa_modules_free(device);
    ahhsa_kernel_services_free(device);
    ahhsa_memory_free_all(device);
}

hipError_t ahhsa_device_reset(struct ah_backend_device *device)
{
    struct ah_backend *backend = device->backend;
    /* Waits for values in memory end: the value may never be written. */
    atomic_store(&device->resetting, true);
    if (atomic_load(&device->ready))
        ahhsa_device_drain(device);    /* the device begins anew, whatever the result */
    ahhsa_device_stop_workers(device); /* before start_lock, which a host function may want */
    ahhsa_device_wait_for_copies(device);
    pthread_mutex_lock(&backend->start_lock);
    stop_device(device);
    /* Streams of other devices may hold signals of this one, and must not find that they failed. */
    ahhsa_device_complete_signals(device);
    for (int i = 0; i < backend->device_count; i++) /* it is no longer a peer of any */
        atomic_fetch_and(&backend->devices[i].peers, ~((uint64_t)1 << device->index));
    atomic_store(&device->error, hipSuccess);
    atomic_flag_clear(&device->failing);
    atomic_store(&device->resetting, false);
    pthread_mutex_unlock(&backend->start_lock);
    return ahhsa_device_set_flags(device, hipDeviceScheduleAuto);
}

/* ---- opening ---------------------------------------------------------------------------- */

hipError_t ahhsa_open(const struct ah_backend_options *options, struct ah_dynlib *lib,
                      struct ah_backend **out_backend, char **out_reason)
{
    *out_reason = NULL;
    if (!ah_dynlib_open(lib, options->candidates)) {
        *out_reason = ah_reason("no runtime library could be opened");
        return hipErrorSharedObjectInitFailed;
    }
    struct ah_backend *backend = calloc(1, sizeof *backend);
    if (!backend)
        return hipErrorOutOfMemory;
    backend->name = options->name;
    backend->callbacks = &callbacks;
    pthread_rwlock_init(&backend->memory_lock, NULL);
    pthread_mutex_init(&backend->start_lock, NULL);
    pthread_mutex_init(&backend->import_lock, NULL);
    hipError_t error;
    if (!ahhsa_runtime_bind(backend, lib)) {
        *out_reason =
            ah_reason("%s is too old, or not AMD's: it lacks %s", lib->path, lib->missing);
        error = hipErrorInsufficientDriver;
    } else {
        error = ah_simulated_configure(backend->api.anyhipSimConfigure, options->devices, "runtime",
                                       backend->name, out_reason)
                    ? hipSuccess
                    : hipErrorInvalidValue;
        if (error == hipSuccess)
            error = ahhsa_runtime_start(backend, out_reason);
        if (error == hipSuccess)
            error = ahhsa_find_devices(backend, out_reason);
    }
    if (error != hipSuccess) {
        ahhsa_close(backend);
        return error;
    }
    *out_backend = backend;
    return hipSuccess;
}

void ahhsa_close(struct ah_backend *backend)
{
    for (int i = 0; i < backend->device_count; i++) {
        struct ah_backend_device *device = &backend->devices[i];
        if (atomic_load(&device->ready)) {
            ahhsa_device_drain(device);
            stop_device(device);
        }
    }
    for (int i = 0; i < backend->device_count; i++) {
        struct ah_backend_device *device = &backend->devices[i];
        ahhsa_device_queues_destroy(device);
        ahhsa_device_info_free(device);
        pthread_mutex_destroy(&device->lock);
    }
    if (backend->started)
        backend->api.hsa_shut_down();
    pthread_rwlock_destroy(&backend->memory_lock);
    pthread_mutex_destroy(&backend->import_lock);
    pthread_mutex_destroy(&backend->start_lock);
    free(backend->devices);
    free(backend);
}

int ahhsa_device_count(struct ah_backend *backend)
{
    return backend->device_count;
}

struct ah_backend_device *ahhsa_device_at(struct ah_backend *backend, int index)
{
    return &backend->devices[index];
}

/* The version of HSA that the runtime implements, encoded as HIP encodes versions. */
hipError_t ahhsa_driver_version(struct ah_backend *backend, int *out_version)
{
    *out_version =
        backend->version_major * VERSION_MAJOR_UNIT + backend->version_minor * VERSION_MINOR_UNIT;
    return hipSuccess;
}
