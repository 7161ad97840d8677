/* Private to backend_hsa, part of hsa_device.h: the opened HSA runtime, struct ah_backend_device,
 * the beginning and the end of every entry, and the failure of a device. */
#ifndef AHHSA_RUNTIME_H
#define AHHSA_RUNTIME_H

#include "backend.h"
#include "hsa_abi.h"
#include "log.h"
#include "ranges.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- the runtime ------------------------------------------------------------------------ */

/* A type per function of the runtime: hsa_init_function. */
#define HSA_FUNCTION(result, name, parameters) typedef result name##_function parameters;
#include "hsa_functions.def"
#undef HSA_FUNCTION
/* Exported by simulated runtimes only: chooses the devices, before hsa_init. */
typedef int anyhipSimConfigure_function(const char *devices);

/* One pointer per row of hsa_symbols.def, by the function's own name. */
struct ahhsa_api {
#define HSA_SYMBOL(need, name) name##_function *name;
#include "hsa_symbols.def"
#undef HSA_SYMBOL
};

/* What the device room calls in the rooms above it; hsa_backend.c fills it in. */
struct ahhsa_device_callbacks {
    /* The first use of a device, or the first after a reset; under start_lock. */
    hipError_t (*start)(struct ah_backend_device *device);
    /* The device has failed, and no thread knows of it yet; the device's lock is not held. Prints
     * what its kernels have printed, and returns the error to report in place of error:
     * hipErrorAssert, where an assertion failed. */
    hipError_t (*examine_failure)(struct ah_backend_device *device, hipError_t error);
    /* The device has failed: completes all signals that threads may wait for. Under the lock. */
    void (*complete_signals)(struct ah_backend_device *device);
    /* A thread has waited for all work of a stream or of the device: frees memory that pools may
     * give back to the runtime. The lock is not held. */
    void (*trim_pools)(struct ah_backend_device *device);
};

struct ah_backend {
    struct ahhsa_api api;
    const struct ahhsa_device_callbacks *callbacks;
    const char *name;
    bool started; /* hsa_init succeeded */
    int device_count;
    struct ah_backend_device *devices;
    hsa_agent_t host;                      /* the first CPU */
    uint64_t timestamp_frequency;          /* ticks per second of the clock that events use */
    uint16_t version_major, version_minor; /* of HSA */
    pthread_mutex_t start_lock;            /* held while a device is started or reset */
    pthread_mutex_t import_lock;           /* held while a process's memory is opened or closed */
    pthread_rwlock_t memory_lock;          /* guards the two maps below */
    struct ah_ranges memory; /* struct ahhsa_allocation by its host address, or by its only one */
    /* Registered memory that devices see at another address. */
    struct ah_ranges memory_by_device_address;
    _Atomic uint64_t last_buffer; /* the number of the latest allocation */
};

/* ---- devices ---------------------------------------------------------------------------- */

enum { AHHSA_DEVICES_MAX = 64 /* so that a set of them is one word */ };

/* The runtime's memory pools of a device. A handle of 0: there is no such pool. */
struct ahhsa_pools {
    hsa_amd_memory_pool_t device_coarse, device_fine;
    hsa_amd_memory_pool_t host_fine, host_coarse; /* of the nearest CPU; host_coarse may be fine */
    hsa_amd_memory_pool_t kernarg;
};

struct ah_backend_device {
    /* Set by hsa_discovery.c, and constant. */
    struct ah_backend *backend;
    const struct ahhsa_api *api;
    int index;               /* in the backend */
    hsa_agent_t agent, host; /* and the CPU nearest to it */
    char isa[64];            /* "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" */
    unsigned wavefront_size, compute_units;
    struct ahhsa_pools pools;

    /* Read without a lock. error is written under the lock: a thread that holds the lock and has
     * seen hipSuccess may queue work. */
    _Atomic(int) error;          /* hipError_t that every entry returns from now on */
    _Atomic bool ready;          /* it was started, and not reset since */
    atomic_flag failing;         /* ahhsa_fail was called */
    _Atomic bool resetting;      /* streams no longer wait for values in memory */
    _Atomic bool heap_in_use;    /* kernels may hold memory of the device's heap */
    _Atomic uint64_t peers;      /* devices (by index) that may access memory of this one */
    _Atomic uint64_t generation; /* counts resets */
    unsigned flags;              /* hipDeviceSchedule*; read and written atomically */

    /* Guards what is queued on the device (hsa_stream.h says what that is), and the lists below. It
     * is held for bookkeeping and for writing packets, never while a thread waits. */
    pthread_mutex_t lock;
    struct ahhsa_device_queues *queues; /* of the queue room; constant once the device is ready */
    /* Of the memory room. */
    struct ah_backend_array *arrays;
    struct ahhsa_texture *textures; /* and surfaces */
    struct ah_backend_graphics *graphics;
    struct ah_backend_mipmap *mipmaps;
    struct ahhsa_staging *staging;
    _Atomic(struct ah_backend_pool *) first_pool; /* of all pools */
    struct ah_backend_pool *default_pool;         /* guarded by start_lock */
    _Atomic(struct ah_backend_pool *) current_pool;

    /* Made at the first use, by a thread that wins a compare-and-swap. */
    struct ahhsa_device_info *info;         /* hsa_device_info.c */
    struct ahhsa_kernel_services *services; /* of the code room */
};

static inline void ahhsa_lock(struct ah_backend_device *device)
{
    pthread_mutex_lock(&device->lock);
}

static inline void ahhsa_unlock(struct ah_backend_device *device)
{
    pthread_mutex_unlock(&device->lock);
}

/* The error that the device failed with, or hipSuccess. */
static inline hipError_t ahhsa_device_error(const struct ah_backend_device *device)
{
    return (hipError_t)atomic_load_explicit(&device->error, memory_order_relaxed);
}

/* The beginning of every entry that touches the device: starts it at its first use, and returns
 * the error that it failed with. */
hipError_t ahhsa_start(struct ah_backend_device *device);
static inline hipError_t ahhsa_enter(struct ah_backend_device *device)
{
    if (__builtin_expect(!atomic_load_explicit(&device->ready, memory_order_acquire), 0))
        return ahhsa_start(device);
    return ahhsa_device_error(device);
}

/* Binds the functions of the runtime; false: lib->missing says what it lacks. */
bool ahhsa_runtime_bind(struct ah_backend *backend, struct ah_dynlib *lib);
/* Initialises the runtime. On failure *out_reason says why. */
hipError_t ahhsa_runtime_start(struct ah_backend *backend, char **out_reason);
/* Fills in the devices of the backend. On failure *out_reason may say why. */
hipError_t ahhsa_find_devices(struct ah_backend *backend, char **out_reason);

/* ---- failure: hsa_state.c ------------------------------------------------------------- */

/* The device has failed for good: logs it, completes all that threads wait for, and makes every
 * later entry return error, until device_reset. The first error stays. The lock is not held. */
void ahhsa_fail(struct ah_backend_device *device, hipError_t error, const char *what);
/* Registers a handler that fails a device after a memory fault or a hardware exception. */
hsa_status_t ahhsa_watch_devices(struct ah_backend *backend);

/* ---- errors: hsa_error.c ---------------------------------------------------------------- */

/* HIP's name for the runtime's result, from hsa_errors.def. Logs nothing. */
hipError_t ahhsa_error(hsa_status_t status);
/* The runtime's own text for a result. */
const char *ahhsa_status_text(const struct ah_backend *backend, hsa_status_t status);
/* As ahhsa_error, and logs a failure with the runtime's own text. */
hipError_t ahhsa_report(const struct ah_backend_device *device, const char *what,
                        hsa_status_t status);
/* For an OPTIONAL function that this runtime does not have. */
hipError_t ahhsa_missing(const struct ah_backend_device *device, const char *function);
/* For a feature that HSA does not have. */
hipError_t ahhsa_refuse(const struct ah_backend_device *device, const char *what, const char *why);

/* The end of an entry: hipSuccess, or the failure logged and translated. */
static inline hipError_t ahhsa_done(const struct ah_backend_device *device, const char *what,
                                    hsa_status_t status)
{
    return __builtin_expect(status == HSA_STATUS_SUCCESS, 1) ? hipSuccess
                                                             : ahhsa_report(device, what, status);
}

/* Every entry of the backend interface is a function named ahhsa_<entry>. */
#define AH_OP(name) extern __typeof__(*((struct ah_backend_ops *)0)->name) ahhsa_##name;
#include "backend_ops.def"
#undef AH_OP

#endif
