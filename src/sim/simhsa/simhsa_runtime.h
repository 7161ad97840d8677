/* Private to the simulated HSA runtime: its state, its objects, and the checks with which functions
 * begin.
 *
 * Agents, pools and ISAs are created by the first hsa_init and never change. Memory, objects
 * (executables and similar), queues, watched signals and copies each have a lock in their file;
 * none is held while a function of the program is called. */
#ifndef SIMHSA_RUNTIME_H
#define SIMHSA_RUNTIME_H

#include "amdgpu.h"
#include "amdgpu_queue.h"
#include "hsa_abi.h"
#include "log.h"
#include "ranges.h"
#include "sim_memory.h"
#include "sim_options.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define HSA_FUNCTION(result, name, parameters) result name parameters;
#include "hsa_functions.def"
#undef HSA_FUNCTION

/* The rest of the library is hidden. */
#define SIMHSA_SYMBOL(name) extern __typeof__(name) name __attribute__((visibility("default")));
#include "simhsa_symbols.def"
#undef SIMHSA_SYMBOL

/* ---- agents and what they have ---------------------------------------------------------- */

enum { SIMHSA_AGENTS_MAX = SIM_DEVICES_MAX + 1, SIMHSA_POOLS_MAX = 3, SIMHSA_CACHES_MAX = 3 };

struct simhsa_agent;

struct simhsa_pool { /* a region is the same */
    struct simhsa_agent *agent;
    hsa_amd_segment_t segment;
    uint32_t flags; /* HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_* */
    size_t size;
};

struct simhsa_cache {
    char name[72];
    uint8_t level;
    uint32_t size; /* bytes */
};

/* A feature of a target: whether code requires it on or off, or works with both. */
enum simhsa_feature { SIMHSA_ANY, SIMHSA_OFF, SIMHSA_ON };

struct simhsa_isa {
    char name[64]; /* "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" */
    const struct amdgpu_model *model;
    enum simhsa_feature sramecc, xnack;
    uint32_t lanes; /* what a hsa_wavefront_t points to */
};

struct simhsa_agent { /* the CPU is the first */
    uint32_t node;    /* its index */
    int device;       /* of sim_memory.h, -1: the CPU */
    char name[64], product[64], uuid[24];
    size_t memory;
    struct simhsa_pool pools[SIMHSA_POOLS_MAX];
    unsigned pool_count;
    struct simhsa_cache caches[SIMHSA_CACHES_MAX];
    unsigned cache_count;
    struct simhsa_isa *isa; /* NULL: the CPU */
    struct amdgpu_device gpu;
    _Atomic(uint64_t) scratch_limit;
    _Atomic(int) coherency; /* hsa_amd_coherency_type_t */
};

struct simhsa {
    _Atomic(unsigned) references; /* of hsa_init */
    _Atomic(bool) forked;         /* this is a child of the process that called it */
    unsigned agent_count;         /* 0: hsa_init has never been called */
    struct simhsa_agent agents[SIMHSA_AGENTS_MAX];
};
extern struct simhsa simhsa;
/* The calling thread belongs to the runtime, or is in a callback of a queue: it cannot wait for
 * itself. */
extern _Thread_local bool simhsa_own_thread;

static inline bool simhsa_is_running(void)
{
    return atomic_load_explicit(&simhsa.references, memory_order_acquire) > 0 &&
           !atomic_load_explicit(&simhsa.forked, memory_order_relaxed);
}
/* Functions that tests set; all zero in libsimhsa.so.1. The functions are set before the first
 * call, or never. */
struct simhsa_script {
    /* Called when a call begins: a result other than HSA_STATUS_SUCCESS becomes the call's
     * result. */
    hsa_status_t (*call)(const char *name);
    void (*violation)(const char *text);
    /* Called before a copy. A result other than HSA_STATUS_SUCCESS: the copy fails, and its
     * completion signal becomes negative. */
    hsa_status_t (*copy)(void);
    /* Called when a queue has taken a kernel. A result other than HSA_STATUS_SUCCESS stops the
     * queue with that error. */
    hsa_status_t (*launch)(const struct simhsa_agent *agent, const hsa_queue_t *queue,
                           const hsa_kernel_dispatch_packet_t *packet);
    _Atomic(bool) held; /* copies do not begin */
    bool apart;         /* no device can access another's memory */
    bool large_bar;     /* the host can access memory of devices */
    hsa_amd_hdp_flush_t flush_registers;
    uint32_t queue_packets; /* the most that a queue can have; 0: as many as devices have */
};
extern struct simhsa_script simhsa_script;

/* The checks with which functions that return a status begin. */
static inline hsa_status_t simhsa_enter(const char *name)
{
    if (!simhsa_is_running())
        return HSA_STATUS_ERROR_NOT_INITIALIZED;
    return simhsa_script.call ? simhsa_script.call(name) : HSA_STATUS_SUCCESS;
}
#define SIMHSA_ENTER()                                                                             \
    do {                                                                                           \
        hsa_status_t simhsa_entered = simhsa_enter(__func__);                                      \
        if (simhsa_entered != HSA_STATUS_SUCCESS)                                                  \
            return simhsa_entered;                                                                 \
    } while (0)

/* Writes the value of an attribute. */
static inline hsa_status_t simhsa_put(void *value, const void *answer, size_t size)
{
    memcpy(value, answer, size);
    return HSA_STATUS_SUCCESS;
}
static inline hsa_status_t simhsa_put_bool(void *value, bool answer)
{
    return simhsa_put(value, &answer, sizeof answer);
}
static inline hsa_status_t simhsa_put_word(void *value, uint32_t answer)
{
    return simhsa_put(value, &answer, sizeof answer);
}
static inline hsa_status_t simhsa_put_long(void *value, uint64_t answer)
{
    return simhsa_put(value, &answer, sizeof answer);
}

/* Logs an error that a correct program never makes. */
__attribute__((format(printf, 1, 2))) void simhsa_violation(const char *format, ...);

/* Creates the agents. A failure is logged. */
hsa_status_t simhsa_agents_open(void);
/* The object of a handle; NULL: there is none of this kind. */
struct simhsa_agent *simhsa_agent_get(hsa_agent_t handle);
struct simhsa_agent *simhsa_gpu_get(hsa_agent_t handle); /* also NULL: the CPU */
static inline hsa_agent_t simhsa_agent_handle(const struct simhsa_agent *agent)
{
    return (hsa_agent_t){(uintptr_t)agent};
}
static inline struct simhsa_agent *simhsa_cpu(void)
{
    return &simhsa.agents[0];
}
struct simhsa_agent *simhsa_agent_of_device(int device); /* NULL: not visible */
struct simhsa_pool *simhsa_pool_get(uint64_t handle);
struct simhsa_isa *simhsa_isa_get(hsa_isa_t handle);
/* Whether targets of this kind have the feature, on or off. */
bool simhsa_has_xnack(const struct amdgpu_model *model);
/* Looks up an ISA by name. NULL: it is unknown. */
struct simhsa_isa *simhsa_isa_named(const char *name);

/* ---- signals -------------------------------------------------------------------------------- */

/* The first hsa_init; false: no memory. */
bool simhsa_signals_open(void);
void simhsa_signals_close(void);    /* destroys all remaining signals */
unsigned simhsa_signals_left(void); /* live signals that the program created */
/* internal: the program cannot destroy it. NULL: out of memory. */
amd_signal_t *simhsa_signal_new(int64_t value, bool internal);
void simhsa_signal_free(amd_signal_t *signal); /* accepts NULL */
/* The live signal of a handle, else NULL. */
amd_signal_t *simhsa_signal_get(hsa_signal_t handle);
/* The result of functions for a handle without a signal: handle 0 is an invalid argument. */
static inline hsa_status_t simhsa_signal_error(hsa_signal_t handle)
{
    return handle.handle ? HSA_STATUS_ERROR_INVALID_SIGNAL : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
bool simhsa_signal_is_live(const amd_signal_t *signal);
/* Only GPUs consume it: no thread of the host sleeps until it changes. */
bool simhsa_signal_is_busy(const amd_signal_t *signal);
/* Whether it has the timestamps of a device's copy. */
bool simhsa_signal_copied(const amd_signal_t *signal);
void simhsa_signal_set_copied(const amd_signal_t *signal);
/* The same, with a reference: its memory is not reused for another signal until the reference is
 * released. */
amd_signal_t *simhsa_signal_retain(hsa_signal_t handle);
void simhsa_signal_release(amd_signal_t *signal);
static inline hsa_signal_t simhsa_signal_handle(const amd_signal_t *signal)
{
    return (hsa_signal_t){(uintptr_t)signal};
}

/* Signals that processes share, by the number of their page (simhsa_shared.c). They are BUSY: a
 * change by another process wakes no thread of this one. */
enum { SIMHSA_SHARED_MAX = 1024 };
bool simhsa_shared_open(void); /* the first hsa_init; false: no addresses */
/* Creates one. SIMHSA_SHARED_MAX: out of memory, or the maximum exists. */
uint32_t simhsa_shared_new(int64_t value);
void simhsa_shared_end(uint32_t index); /* it has no users any more */
amd_signal_t *simhsa_shared_at(uint32_t index);
uint32_t simhsa_shared_index(uint64_t address); /* SIMHSA_SHARED_MAX: the page is unused */
/* Makes the signal in a mapped page a live signal of the program. */
amd_signal_t *simhsa_signal_enter_shared(uint32_t index);

/* The system's clock counts nanoseconds, as in AMD's runtime, and agents' clocks are amdgpu_clock:
 * both begin together. */
enum { SIMHSA_SYSTEM_HZ = 1000000000 };
/* The system's time at a time of an agent's clock; UINT64_MAX: out of range. */
uint64_t simhsa_system_time(uint64_t ticks);

/* ---- watched signals ------------------------------------------------------------------------ */

/* A condition that is waited for without a thread. */
struct simhsa_watch {
    struct simhsa_watch *next;
    amd_signal_t *signal; /* referenced by the caller; NULL: the condition is met at once */
    hsa_signal_condition_t condition;
    int64_t compare;
    /* The condition is met, at value. Called on the watcher's thread. True: keep watching; false:
     * the watch belongs to the callee again. */
    bool (*met)(struct simhsa_watch *watch, int64_t value);
    /* The signal or the runtime was destroyed: the watch belongs to the callee again. */
    void (*gone)(struct simhsa_watch *watch);
};
enum simhsa_watcher {
    SIMHSA_WATCH_HANDLERS, /* runs functions of the program */
    SIMHSA_WATCH_COPIES,
    SIMHSA_WATCHERS
};
/* False: no thread. */
bool simhsa_watch(enum simhsa_watcher which, struct simhsa_watch *watch);
/* A signal that may be watched was destroyed. */
void simhsa_watchers_poll(void);
void simhsa_watchers_close(void);
/* Calls function on the handlers' thread. False: out of memory or threads. */
bool simhsa_call_later(void (*function)(void *data), void *data);

/* ---- memory ---------------------------------------------------------------------------------- */

enum simhsa_memory_kind {
    SIMHSA_POOL_MEMORY,
    SIMHSA_LOCKED,  /* a part of the program's own memory */
    SIMHSA_MAPPED,  /* physical memory at reserved addresses */
    SIMHSA_OPENED,  /* another process's */
    SIMHSA_INTEROP, /* from a file: another API's, or another process's */
};

/* What the runtime knows of memory; sim_memory.owner points here. The runtime's own memory, such as
 * code, has no owner. */
struct simhsa_memory {
    enum simhsa_memory_kind kind;
    struct sim_memory *sim;
    struct simhsa_pool *pool; /* NULL: locked */
    void *userdata;
    struct simhsa_freed *freed;       /* callbacks for its end */
    bool allowed[SIMHSA_AGENTS_MAX];  /* agents that have access */
    struct simhsa_lock *lock;         /* SIMHSA_LOCKED: a lock that covers it */
    struct ah_range range;            /* SIMHSA_LOCKED: the bounds of the part */
    unsigned count;                   /* SIMHSA_OPENED: the number of times */
    struct simhsa_physical *physical; /* SIMHSA_MAPPED */
    struct {                          /* SIMHSA_OPENED: its source */
        uint32_t pid, id;
        uint64_t table;
    } opened;
};

void simhsa_memory_lock(void);
void simhsa_memory_unlock(void);
/* Under the lock. Memory of the program; NULL: the address is unknown. */
struct simhsa_memory *simhsa_memory_find(uint64_t address);
/* Under the lock. Registers memory and takes ownership of sim, which may be NULL. NULL: out of
 * memory. */
struct simhsa_memory *simhsa_memory_add(enum simhsa_memory_kind kind, struct sim_memory *sim,
                                        struct simhsa_pool *pool);
/* Moves the allocation of a device that size bytes at address are in to a file, which other
 * processes can open. False: they are in none. out_start: of address, in the allocation. Not under
 * the lock. */
bool simhsa_memory_share(uint64_t address, size_t size, struct sim_shared *out_shared,
                         uint64_t *out_start, int *out_device);
/* Under the lock; unregisters it. */
void simhsa_memory_free(struct simhsa_memory *memory);
void simhsa_memory_close(void); /* frees all remaining memory */

/* The address at which the runtime accesses size bytes at address; NULL: they are not all in memory
 * that devices can access. */
unsigned char *simhsa_translate(uint64_t address, size_t size, bool write);
/* The same, also for memory of the program that no device can access. */
unsigned char *simhsa_translate_any(uint64_t address, size_t size, bool write);

/* Under the lock. Makes memory of the program accessible to devices; it may overlap other such
 * memory. False: that is not possible. lock: the requester, NULL: none in particular. */
bool simhsa_host_add(uint64_t address, size_t size, struct simhsa_lock *lock);
void simhsa_host_remove(uint64_t address, size_t size, const struct simhsa_lock *lock);
/* Under the lock: the bounds of what was locked at an address. */
void simhsa_lock_bounds(const struct simhsa_memory *memory, uint64_t address, uint64_t *out_start,
                        size_t *out_size);
void simhsa_locks_close(void);
unsigned simhsa_locks_left(void);   /* under the lock */
void simhsa_attributes_close(void); /* of SVM */
void simhsa_virtual_close(void);
/* Under the lock: releases a mapping's reference to its memory. */
void simhsa_physical_release(struct simhsa_physical *physical);
/* Under the lock: the reservation that contains an address; false: there is none. */
bool simhsa_reserved(uint64_t address, uint64_t *out_start, size_t *out_size);
unsigned simhsa_reservations_left(void); /* under the lock */
unsigned simhsa_physicals_left(void);    /* under the lock: handles that have not been released */

/* ---- copies ---------------------------------------------------------------------------------- */

void simhsa_copies_close(void); /* waits until no copy is in progress */
/* No copy is in progress between these. */
void simhsa_copies_stop(void);
void simhsa_copies_resume(void);
/* simhsa_script.held has changed. */
void simhsa_copies_poll(void);

/* ---- queues ---------------------------------------------------------------------------------- */

bool simhsa_queues_open(void); /* the first hsa_init; false: no memory */
void simhsa_queues_close(void);
unsigned simhsa_queues_left(void);
/* The live queue at a pointer of the program; NULL: there is none. */
amd_queue_t *simhsa_queue_get(const hsa_queue_t *pointer);
bool simhsa_queue_is_soft(const hsa_queue_t *pointer); /* the program takes its packets */
/* Stops the agent's queues (which: one of them, NULL: all), as a kernel that fails does. */
void simhsa_queues_fail(const struct simhsa_agent *agent, const hsa_queue_t *which,
                        hsa_status_t status);
/* The program waits for signal. Terminates it if the wait can never end: its thread is in the
 * callback of a queue that failed, and the signal would be completed by a packet that the queue
 * will not take. */
void simhsa_queue_wait_for(hsa_signal_t signal);
void simhsa_events_close(void); /* removes the handlers of system events */
/* Calls the program's handlers; returns whether there was one. */
bool simhsa_event(const hsa_amd_event_t *event);

/* ---- objects behind handles -------------------------------------------------------- */

enum simhsa_kind {
    SIMHSA_READER = 1,
    SIMHSA_CODE, /* a hsa_code_object_t */
    SIMHSA_EXECUTABLE,
    SIMHSA_LOADED, /* a hsa_loaded_code_object_t */
    SIMHSA_SYMBOL_OF_EXECUTABLE,
    SIMHSA_SYMBOL_OF_CODE,
    SIMHSA_PHYSICAL,
    SIMHSA_GROUP,
};
struct simhsa_object {
    enum simhsa_kind kind;
    uint64_t handle;
};
void simhsa_objects_lock(void);
void simhsa_objects_unlock(void);
/* All under the lock. A zeroed object of size bytes with a handle. NULL: no memory. */
void *simhsa_object_new(enum simhsa_kind kind, size_t size);
/* The live object of a handle, else NULL. */
void *simhsa_object_get(uint64_t handle, enum simhsa_kind kind);
void simhsa_object_free(void *object); /* destroys the handle; accepts NULL */
/* Enumerates the live objects of a kind; NULL begins and ends the enumeration. */
void *simhsa_object_next(enum simhsa_kind kind, const void *after);
void simhsa_executables_close(void);

/* ---- the loader's extension -------------------------------------------------------- */

enum { SIMHSA_LOADER_MAJOR = 1, SIMHSA_LOADER_MINOR = 3 };
/* Writes the first size bytes of the table of a version; size 0: the whole table. */
void simhsa_loader_table(unsigned minor, size_t size, void *table);

#endif
