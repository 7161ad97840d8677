/* The devices of every backend in one numbering, and the drivers behind them.
 *
 * Built once, on the first HIP call that needs it: configuration and environment are read, the
 * requested drivers are opened (no others), their devices listed, selected and ordered. Immutable
 * afterwards, hence read without a lock. */
#ifndef AH_REGISTRY_H
#define AH_REGISTRY_H

#include "backend.h"
#include "config.h"
#include "handle.h"
#include "observe.h"
#include "thread.h"

#include <hip/anyhip.h>

#include <pthread.h>
#include <stdatomic.h>

/* A driver that was requested, whether or not it could be opened. */
struct ah_driver {
    const char *name; /* "cuda", "simcuda", ... */
    enum anyhipBackend id;
    const struct ah_backend_ops *ops;
    bool simulated;             /* its devices are */
    struct ah_dynlib lib;       /* the report of files tried is kept */
    struct ah_backend *backend; /* NULL: could not be opened */
    hipError_t error;           /* why not */
    char *reason;               /* the error as text, may be NULL */
    char *devices;              /* simulators: the requested devices, or NULL */
};

/* Bits of a stream's state. A stream without any of them uses the fast path. */
enum ah_stream_state {
    AH_STREAM_CLOSED = 1,    /* a default stream that has not been opened yet */
    AH_STREAM_CAPTURING = 2, /* work becomes part of a graph instead of being done */
    /* A legacy default stream: a stream of its device captures that would be ordered with it. */
    AH_STREAM_BESIDE_CAPTURE = 4,
    /* Ordered with the legacy default stream by events, since the driver does not do it. */
    AH_STREAM_ORDERED = 8,
};

struct ah_captured_stream;
struct ah_execution_context;
struct ah_stream_attributes;

/* hipStream_t, and the default streams, which hipStream_t names by NULL and small numbers. */
struct ah_stream {
    struct ah_handle handle;
    /* The driver's. Written once, except in a default stream: its device's lock is held to open
     * it, and a reset closes it. */
    _Atomic(struct ah_backend_stream *) native;
    _Atomic(unsigned) state; /* enum ah_stream_state */
    unsigned flags;
    int priority;
    unsigned long long id; /* 1: a legacy default stream, 2: a thread's, else unique */
    uint32_t *mask;        /* units that its kernels run on; NULL: all of the device's; owned */
    unsigned mask_words;
    /* The stream's part in a capture, NULL: it does not capture. Guarded by the lock of graphs. */
    struct ah_captured_stream *captured;
    struct ah_execution_context *context; /* NULL: created by none; guarded by execution.c's lock */
    struct ah_stream *next_of_context;
    /* AH_STREAM_ORDERED: of the legacy stream's work before this stream's, and the reverse. */
    struct ah_backend_event *before, *after;
    struct ah_stream_attributes *attributes; /* NULL: none was set; by stream_attribute.c's lock */
};
_Static_assert(sizeof(struct ah_stream) <= AH_HANDLE_SLOT, "struct ah_stream");

enum ah_trace_state {
    AH_TRACE_NOT_STARTED,
    AH_TRACE_STARTED,
    AH_TRACE_STOPPING, /* unless a thread uses it */
    AH_TRACE_IMPOSSIBLE
};

struct ah_device {
    /* What a launch or a copy reads, in one line of the cache */
    _Alignas(64) __typeof__(((struct ah_backend_ops *)0)->launch) launch; /* ops->launch */
    __typeof__(((struct ah_backend_ops *)0)->copy_async) copy_async;      /* ops->copy_async */
    const struct ah_backend_ops *ops;
    struct ah_backend_device *native;
    unsigned max_threads; /* per block */
    unsigned max_block[3], max_grid[3];

    int ordinal; /* HIP's number */
    int index;   /* the driver's */
    struct ah_driver *driver;
    struct ah_device_identity identity;

    struct ah_stream legacy; /* the legacy default stream; its handle has no type */
    unsigned beside_legacy;  /* streams for AH_STREAM_BESIDE_CAPTURE; by the lock of graphs */

    pthread_mutex_t lock;       /* guards what is made on first use below */
    _Atomic(bool) limits_known; /* the launch limits above and below are filled in */
    unsigned max_shared;        /* dynamic shared memory that a kernel may opt in to, bytes */

    hipMemPool_t default_pool, current_pool;
    hipCtx_t primary_context;
    _Atomic(unsigned) context_flags; /* hipCtxCreate's other than scheduling; drivers keep none */
    hipExecutionCtx_t execution_context; /* of the whole device; NULL until it is requested */

    /* What the device reports to observers (observe.h); the state is written under the lock. */
    _Atomic(int) trace_state;      /* enum ah_trace_state */
    _Atomic(unsigned) trace_users; /* threads that call the backend for it */
    hipError_t trace_error;        /* AH_TRACE_IMPOSSIBLE: why */
    _Atomic(const char *) trace_method;
    struct ah_memory_use memory_use; /* guarded by memory.c's lock */
};
_Static_assert(offsetof(struct ah_device, ordinal) <= 64, "a launch reads one line");

/* When the host waits for the stream of a launch or a copy: the bits of both variables. */
enum { AH_SERIALIZE_BEFORE = 1, AH_SERIALIZE_AFTER = 2 };

struct ah_settings {
    int serialize_kernel; /* AMD_SERIALIZE_KERNEL and HIP_LAUNCH_BLOCKING */
    int serialize_copy;   /* AMD_SERIALIZE_COPY */
};

struct ah_registry {
    struct ah_config config; /* as effective: the file, overridden by the environment */
    struct ah_settings settings;
    struct ah_driver *drivers;
    size_t driver_count;
    struct ah_device *devices;
    int device_count;
    bool mixed_drivers; /* devices are of several drivers, so that addresses must be routed */
    atomic_bool listed; /* the devices are there: for threads that run before the first call */
};

extern struct ah_registry ah_registry;

/* Builds the registry if it is not there. Any thread; cheap when done. */
void ah_registry_init(void);

/* The calling thread's current device, NULL when there are no devices. */
static inline struct ah_device *ah_device_current(void)
{
    return __builtin_expect(ah_registry.device_count > 0, 1)
               ? &ah_registry.devices[ah_thread.device]
               : NULL;
}

/* The device with that ordinal, NULL when there is none. */
static inline struct ah_device *ah_device_at(int ordinal)
{
    return ordinal >= 0 && ordinal < ah_registry.device_count ? &ah_registry.devices[ordinal]
                                                              : NULL;
}

/* hipErrorNoDevice without devices, else hipErrorInvalidDevice. */
hipError_t ah_device_missing_error(void);

/* The device of driver with the driver's number, NULL when it is not visible. */
struct ah_device *ah_device_of_driver(const struct ah_driver *driver, int index);

/* Fills in the launch limits; the slow half of ah_device_limits. */
hipError_t ah_device_read_limits(struct ah_device *device);

static inline hipError_t ah_device_limits(struct ah_device *device)
{
    return __builtin_expect(atomic_load_explicit(&device->limits_known, memory_order_acquire), 1)
               ? hipSuccess
               : ah_device_read_limits(device);
}

#endif
