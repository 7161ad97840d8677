/* Private to backend_hsa: the opened HSA runtime, its devices, streams and signals, and how
 * work is put into a stream in order.
 *
 * One mutex per device guards everything that says what is queued there: its queues, its
 * streams and the signals' free list. It is held for bookkeeping and for writing packets,
 * never while anybody waits. Which file has what:
 *   hsa_backend.c   opening, errors, device_make_current, device_reset
 *   hsa_memory.c    allocations and the map of them     hsa_managed.c  managed memory
 *   hsa_signal.c    signals that are reused             hsa_queue.c    AQL queues, packets
 *   hsa_stream.c    order within and between streams    hsa_host.c     host functions, waits
 *   hsa_event.c     events                              hsa_copy.c hsa_region.c hsa_fill.c
 *   hsa_pool.c hsa_virtual.c hsa_array.c hsa_texture.c hsa_ipc.c hsa_peer.c
 *   hsa_device.c    identity, properties, attributes, limits, device_native, profiler
 *   hsa_module.c hsa_metadata.c hsa_kernarg.c hsa_launch.c hsa_function.c hsa_services.c
 *   hsa_output.c hsa_printf.c  what kernels print
 *   hsa_hostcall.c  kernels that call the host */
#ifndef AHHSA_BACKEND_H
#define AHHSA_BACKEND_H

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
/* Simulated runtimes only: which devices there are, before hsa_init. Not AMD's but ours. */
typedef int anyhipSimConfigure_function(const char *devices);

/* One pointer per row of hsa_symbols.def, by the function's own name. */
struct ahhsa_api {
#define HSA_SYMBOL(need, name) name##_function *name;
#include "hsa_symbols.def"
#undef HSA_SYMBOL
};

struct ah_backend {
    struct ahhsa_api api;
    const char *name;
    bool started; /* hsa_init succeeded */
    int device_count;
    struct ah_backend_device *devices;
    hsa_agent_t host;                      /* the first CPU */
    uint64_t timestamp_frequency;          /* ticks per second of what events are timed with */
    uint16_t version_major, version_minor; /* of HSA */
    pthread_mutex_t start_lock;            /* of making devices ready, and ending them */
    pthread_rwlock_t memory_lock;          /* of the two below */
    struct ah_ranges memory;               /* struct ahhsa_allocation by its host or only address */
    struct ah_ranges memory_elsewhere;     /* registered memory by the devices' address of it, where
                                              that is another */
    _Atomic uint64_t last_buffer;          /* the number of the latest allocation */
};

/* ---- devices ---------------------------------------------------------------------------- */

enum {
    AHHSA_QUEUES_MAX = 32,  /* hardware queues of one device in this process */
    AHHSA_PRIORITIES = 3,   /* low, normal, high, as hsa_amd_queue_priority_t */
    AHHSA_DEVICES_MAX = 64, /* so that a set of them is one word */
};

/* Where memory comes from. A handle of 0: there is no such pool. */
struct ahhsa_pools {
    hsa_amd_memory_pool_t device_coarse, device_fine;
    hsa_amd_memory_pool_t host_fine, host_coarse; /* of the nearest CPU; host_coarse may be fine */
    hsa_amd_memory_pool_t kernarg;
};

struct ahhsa_queue {
    hsa_queue_t *hsa; /* NULL: not made yet */
    struct ah_backend_device *device;
    hsa_amd_queue_priority_t priority;
    uint64_t write;    /* the index of the next packet */
    unsigned streams;  /* that use it */
    bool exclusive;    /* belongs to one stream: masked, or one that waits for the host */
    bool masked;       /* runs on some of the compute units only */
    uint64_t read;     /* the read index when it was last asked for */
    uint64_t soft_end; /* behind the last barrier that waits for a soft signal; 0: there was none */
};

/* The threads of a device's streams, of hsa_worker.c, with a lock of their own. */
struct ahhsa_workers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned count;                      /* threads that were not joined yet */
    struct ahhsa_worker *live;           /* those that have something to do, or may get it */
    _Atomic(struct ahhsa_worker *) over; /* those that wait to be joined */
};

struct ah_backend_device {
    struct ah_backend *backend;
    const struct ahhsa_api *api;
    int index;               /* in the backend */
    hsa_agent_t agent, host; /* and the CPU nearest to it */
    char isa[64];            /* "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" */
    unsigned wavefront_size, compute_units;
    struct ahhsa_pools pools;
    _Atomic(int) error;     /* hipError_t that every entry returns from now on, or hipSuccess */
    atomic_flag failing;    /* ahhsa_fail was called */
    _Atomic bool ready;     /* its default stream and its first queue are there */
    _Atomic bool resetting; /* streams wait for values no longer */
    _Atomic uint64_t peers; /* devices (by index) that may use memory of this one */
    unsigned flags;         /* hipDeviceSchedule*; hsa_device.c sets it */

    struct ahhsa_workers workers;

    pthread_mutex_t lock; /* of all below but what hsa_device.c and hsa_services.c own */
    struct ahhsa_queue queues[AHHSA_QUEUES_MAX];
    struct ahhsa_queue cooperative; /* kernels whose blocks must all be resident */
    unsigned queue_limit;           /* GPU_MAX_HW_QUEUES, per priority */
    struct ahhsa_signals *signals;
    struct ah_backend_stream *streams; /* all of them, by next */
    struct ah_backend_stream *legacy;
    struct ah_backend_stream
        *joined;                     /* blocking streams with work since the legacy stream's last */
    uint64_t legacy_work;            /* counts work of the legacy stream */
    _Atomic uint64_t generation;     /* counts resets */
    unsigned dying;                  /* streams that were destroyed and are busy */
    unsigned dying_before;           /* when they were looked at last */
    struct ah_backend_event *events; /* all of them */
    struct ah_backend_array *arrays; /* likewise */
    struct ahhsa_texture *textures;  /* and surfaces */
    struct ahhsa_staging *staging;   /* of hsa_copy.c */
    _Atomic(struct ah_backend_pool *) first_pool; /* of hsa_pool.c, all of them */
    struct ah_backend_pool *default_pool;         /* under the lock of starts */
    _Atomic(struct ah_backend_pool *) current_pool;

    struct ahhsa_facts *facts; /* hsa_device.c: what does not change, NULL until asked for */
    struct ahhsa_services
        *services; /* hsa_services.c: printf, heap, workspaces, kernel arguments */
};

/* The beginning of every entry that touches the device: makes it ready at its first use,
 * and returns the error that earlier work of it ended with. */
hipError_t ahhsa_start(struct ah_backend_device *device);
static inline hipError_t ahhsa_enter(struct ah_backend_device *device)
{
    if (__builtin_expect(!atomic_load_explicit(&device->ready, memory_order_acquire), 0))
        return ahhsa_start(device);
    return (hipError_t)atomic_load_explicit(&device->error, memory_order_relaxed);
}

/* The device has failed for good: logs it, lets everybody who waits for its work go, and
 * makes every later entry return error, until device_reset. The first error stays. */
void ahhsa_fail(struct ah_backend_device *device, hipError_t error, const char *what);

/* Of hsa_services.c, called once by ahhsa_fail before anybody learns of the error, not
 * under the lock: prints what the kernels still have to say and returns the error that it
 * is in truth (hipErrorAssert, where a record of one is found). */
hipError_t ahhsa_services_examine(struct ah_backend_device *device, hipError_t error);
/* Of hsa_services.c: frees what services hold, when the device is reset or closed. All work
 * has ended. Accepts a device that has none. */
void ahhsa_services_drop(struct ah_backend_device *device);
/* Of hsa_device.c: frees facts. */
void ahhsa_facts_drop(struct ah_backend_device *device);
/* Of hsa_module.c: device_reset; modules of it that are still loaded are gone. */
void ahhsa_modules_drop(struct ah_backend_device *device);

/* ---- errors ----------------------------------------------------------------------------- */

/* HIP's name for the runtime's result, from hsa_errors.def. Logs nothing. */
hipError_t ahhsa_error(hsa_status_t status);
/* As ahhsa_error, and logs a failure with the runtime's own words. */
hipError_t ahhsa_report(const struct ah_backend_device *device, const char *what,
                        hsa_status_t status);
/* For an OPTIONAL function that this runtime does not have. */
hipError_t ahhsa_missing(const struct ah_backend_device *device, const char *function);
/* For what HSA has no way to do. */
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

/* ---- signals ---------------------------------------------------------------------------- */

/* A signal that is 1 until what it stands for has ended, and then 0 or less. Counted: who
 * may look at it, or has told hardware to, holds a reference. */
struct ahhsa_signal {
    hsa_signal_t hsa;
    _Atomic unsigned references;
    _Atomic bool taken;
    bool soft; /* it may wait for something that no device does: a host function, a value */
    _Atomic bool copying; /* a copy engine has it, and goes on when the device has failed */
    struct ah_backend_device *device; /* whose it is, and on whose work it depends */
    struct ahhsa_signal *next;        /* free ones */
};

static inline amd_signal_t *ahhsa_signal_memory(const struct ahhsa_signal *signal)
{
    return (amd_signal_t *)(uintptr_t)signal->hsa.handle;
}

/* Whether what it stands for has ended, and its effects are visible. */
static inline bool ahhsa_signal_is_done(const struct ahhsa_signal *signal)
{
    return __atomic_load_n(&ahhsa_signal_memory(signal)->value, __ATOMIC_ACQUIRE) <= 0;
}

/* Of one that is done: what it stands for failed, of which the runtime says no more. */
static inline bool ahhsa_signal_has_failed(const struct ahhsa_signal *signal)
{
    return __atomic_load_n(&ahhsa_signal_memory(signal)->value, __ATOMIC_ACQUIRE) < 0;
}

static inline struct ahhsa_signal *ahhsa_signal_hold(struct ahhsa_signal *signal)
{
    atomic_fetch_add_explicit(&signal->references, 1, memory_order_relaxed);
    return signal;
}

/* A signal at 1 with one reference; NULL: there are no more. Under the lock. */
struct ahhsa_signal *ahhsa_signal_take(struct ah_backend_device *device);
/* Lets go of a reference, under any lock or none. Accepts NULL. */
void ahhsa_signal_release(struct ahhsa_signal *signal);
/* Sleeps until it is done; not under the lock. Returns the device's error. */
hipError_t ahhsa_signal_wait(struct ahhsa_signal *signal);
/* Fails the device if what a signal that is done stands for has failed; not under the lock. */
void ahhsa_signal_check(struct ahhsa_signal *signal);
/* What it stands for has been done by the host. */
void ahhsa_signal_complete(struct ahhsa_signal *signal);
/* Likewise, count of several parts that the signal counts. */
void ahhsa_signal_subtract(struct ahhsa_signal *signal, size_t count);

/* ---- streams ---------------------------------------------------------------------------- */

/* Work of a stream is kernels and barriers, which its queue keeps in order, and what
 * happens elsewhere (copies, host functions), which is told by a signal. `tail` is the
 * signal of the last of either that has one. */
struct ah_backend_stream {
    struct ah_backend_device *device;
    struct ah_backend_stream *next, **link; /* of the device */
    struct ahhsa_queue *queue;
    bool blocking; /* waits for the legacy stream, and it for this */
    bool legacy;
    bool loose;     /* packets were queued after tail */
    bool elsewhere; /* tail is of something that the queue does not order */
    bool joins;     /* is in the device's list of `joined` */
    struct ah_backend_stream *next_joined, **joined_link;
    uint64_t legacy_seen;        /* the device's legacy_work that later work waits for already */
    struct ahhsa_signal *tail;   /* NULL: everything before has ended */
    struct ahhsa_signal **waits; /* signals that later work is to wait for */
    unsigned wait_count, wait_room;
    struct ahhsa_hook *hooks;                   /* ring, in order: what to do when work has ended */
    unsigned hook_first, hook_count, hook_room; /* hook_room is a power of two */
    unsigned checkpoint; /* how many hooks from the first on run when the next signal is done */
    int priority;
    uint64_t id;                 /* no other stream ever has it */
    unsigned users;              /* threads that let the lock go and will be back */
    bool dying;                  /* destroyed, but its work has not ended */
    bool soft;                   /* later work waits for something that is soft, as signals are */
    struct ahhsa_worker *worker; /* thread that calls host functions, NULL until there is one */
    struct ahhsa_chunk *chunk;   /* of hsa_kernarg.c: memory of kernel arguments */
    struct ahhsa_print *first_print, *last_print; /* of hsa_output.c: what its kernels print into */
};

/* ---- packets: kernels into a stream ----------------------------------------------------- */

enum ahhsa_packet_flags {
    AHHSA_PACKET_SIGNAL = 1,      /* it has a completion signal; hooks on it run sooner */
    AHHSA_PACKET_COOPERATIVE = 2, /* on the queue for kernels whose blocks are all resident */
};

/* Room for one kernel dispatch packet in a stream's queue, behind all earlier work. */
struct ahhsa_slot {
    struct ah_backend_stream *stream;
    struct ahhsa_queue *queue;            /* for hidden_queue_ptr: queue->hsa */
    hsa_kernel_dispatch_packet_t *packet; /* all 0; header and completion_signal are not yours */
    uint64_t index;
    struct ahhsa_signal *signal; /* AHHSA_PACKET_SIGNAL: held by the stream; hold it to keep it */
    bool waits;                  /* for what is before it in the queue */
    bool elsewhere;              /* not in the stream's own queue */
};

/* Reserves room. On success the device's lock is held until packet_end, which must follow:
 * fill in the packet and the kernel arguments and do nothing else in between. */
hipError_t ahhsa_packet_begin(struct ah_backend_stream *stream, unsigned flags,
                              struct ahhsa_slot *out_slot);
/* Between begin and end: function(data) is called once, when the kernel has ended: by the
 * next thread that synchronises, queries or puts work into a stream of the device, not under
 * the lock. Never fails; at most 4 per packet. */
void ahhsa_packet_hook(struct ahhsa_slot *slot, void (*function)(void *data), void *data);
/* Hands the packet to the device. */
void ahhsa_packet_end(struct ahhsa_slot *slot);
/* Instead of packet_end, when nothing was filled in: the packet does nothing. */
void ahhsa_packet_drop(struct ahhsa_slot *slot);
/* Of hsa_kernarg.c: a stream whose work has ended lets go of memory; under the lock. */
void ahhsa_kernarg_leave(struct ah_backend_stream *stream);

/* Calls the hooks of what has ended, of all streams of the device. Not under the lock. */
void ahhsa_device_retire(struct ah_backend_device *device);
/* Waits for everything that was put into any stream of the device so far, and calls hooks. */
hipError_t ahhsa_device_drain(struct ah_backend_device *device);

/* ---- memory ----------------------------------------------------------------------------- */

enum ahhsa_origin {
    AHHSA_PLAIN,
    AHHSA_REGISTERED,
    AHHSA_POOLED,
    AHHSA_IMPORTED,
    AHHSA_MAPPED,
    AHHSA_INTERNAL,
};

struct ahhsa_allocation {
    struct ah_range range;     /* as the host sees it; as devices do, when the host does not */
    struct ah_range elsewhere; /* as devices see it, where that is another */
    struct ah_backend_device *device;
    enum ah_memory_kind kind;
    enum ahhsa_origin origin;
    void *device_pointer;
    unsigned flags;
    uint64_t buffer_id;
    bool sync_memops;
    unsigned opened; /* AHHSA_IMPORTED: how often */
    uint64_t reach;  /* devices that copies let reach it, beside its own and peers */
    struct ahhsa_managed *managed;
    struct ah_backend_pool *pool;
};

/* The allocation around pointer, copied. False: none. */
bool ahhsa_memory_find(struct ah_backend *backend, const void *pointer,
                       struct ahhsa_allocation *out_allocation);

/* Memory of the backend's own: of pool, reached by the device (and its peers, if shared);
 * not in the map, not freed by device_reset. */
hipError_t ahhsa_raw_alloc(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                           size_t size, void **out_pointer);
/* A failure is logged: the memory is there still. Accepts NULL. */
hipError_t ahhsa_raw_free(struct ah_backend_device *device, void *pointer);

/* As memory_alloc and managed_alloc, for variables of modules: in the map, so that pointers
 * to them are known; size may not be 0. Memory that a module's code object holds is made
 * known with ahhsa_memory_know (kind AH_MEMORY_DEVICE) and forgotten with ahhsa_memory_forget. */
hipError_t ahhsa_memory_know(struct ah_backend_device *device, void *pointer, size_t size,
                             enum ah_memory_kind kind);
void ahhsa_memory_forget(struct ah_backend_device *device, void *pointer);

/* Between host memory of any kind and memory of the device, at once, in no stream. */
hipError_t ahhsa_write(struct ah_backend_device *device, void *dst, const void *src, size_t size);
hipError_t ahhsa_read(struct ah_backend_device *device, void *dst, const void *src, size_t size);
hipError_t ahhsa_zero(struct ah_backend_device *device, void *dst, size_t size);

#endif
