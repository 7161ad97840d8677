/* Private to the fake CUDA driver: its state, its objects, and how every function
 * begins and ends. Everything here is called with the driver's lock held unless
 * said otherwise. */
#ifndef FAKE_H
#define FAKE_H

#include "cuda_abi.h"
#include "fakecuda.h"

#include <pthread.h>
#include <stdatomic.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

/* Results that only the fake has to name. */
enum {
    FAKE_INVALID_DEVICE = 101,
    FAKE_MAP_FAILED = 205,
    FAKE_UNSUPPORTED_LIMIT = 215,
    FAKE_PEER_UNSUPPORTED = 217,
    FAKE_ILLEGAL_ADDRESS = 700,
    FAKE_OUT_OF_RESOURCES = 701,
    FAKE_PEER_ALREADY_ENABLED = 704,
    FAKE_PEER_NOT_ENABLED = 705,
    FAKE_CONTEXT_IS_DESTROYED = 709,
    FAKE_ALREADY_REGISTERED = 712,
    FAKE_NOT_REGISTERED = 713,
    FAKE_COOPERATIVE_TOO_LARGE = 720,
    FAKE_NOT_PERMITTED = 800,
};

/* Every exported function is a row of the backend's table and is called
 * fake_<field> here: a row without a function does not link. */
enum fake_call {
#define CUDA_SYMBOL(need, field, name, parameters) FAKE_CALL_##field,
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
    FAKE_CALL_COUNT
};
#define CUDA_SYMBOL(need, field, name, parameters)                                                 \
    FAKE_EXPORT CUresult fake_##field parameters __asm__(name);
#include "cuda_symbols.def"
#undef CUDA_SYMBOL

enum { FAKE_DEVICES_MAX = 8 };

/* ---- objects ------------------------------------------------------------------ */

enum fake_kind {
    FAKE_STREAM = 1,
    FAKE_EVENT,
    FAKE_MODULE,
    FAKE_FUNCTION,
    FAKE_ARRAY,
    FAKE_POOL,
    FAKE_PHYSICAL,
};

/* What is behind a handle. Handles are numbers that no pointer can be, so that
 * whoever follows one faults. */
struct fake_object {
    enum fake_kind kind;
    uint64_t handle;              /* 0: closed */
    struct fake_context *context; /* NULL: of no context (pools, physical memory) */
    unsigned references;
    void (*fini)(struct fake_object *object); /* before it is freed, may be NULL */
};

/* A zeroed object of size bytes with one reference and a handle. */
void *fake_object_new(enum fake_kind kind, size_t size, struct fake_context *context);
/* The live object behind a handle, else NULL and a violation in what's name. */
void *fake_object_get(const void *handle, enum fake_kind kind, const char *what);
/* The same without a word. */
void *fake_object_peek(const void *handle, enum fake_kind kind);
/* Ends the handle and drops its reference. */
void fake_object_close(struct fake_object *object);
void fake_object_retain(struct fake_object *object);
void fake_object_release(struct fake_object *object);
void fake_object_each(enum fake_kind kind, void (*visit)(struct fake_object *object, void *data),
                      void *data);

__attribute__((format(printf, 1, 2))) void fake_violation(const char *format, ...);

/* ---- devices and contexts ----------------------------------------------------------- */

struct fake_context {
    struct fake_device *device;
    uint64_t handle;
    unsigned retained;
    bool active;
    bool aborting; /* being destroyed: kernels that wait give up */
    unsigned flags;
    CUresult error; /* sticky */
    struct fake_stream *legacy;
    struct fake_stream *streams; /* all of them, until their work is done */
    size_t limits[3];
    int cache_config, shared_config;
    bool peers[FAKE_DEVICES_MAX];
};

struct fake_device {
    int ordinal;
    char name[64];
    CUuuid uuid;
    unsigned sm;
    size_t total, used;
    struct fake_context context;
    struct fake_pool *default_pool, *current_pool;
};

struct fake {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* of anything somebody may wait for */
    bool initialised;
    _Atomic(bool) deinitialised;
    _Atomic(int) pid; /* of the process that called cuInit */
    bool held;
    bool peers;
    int version;
    int device_count;
    struct fake_device devices[FAKE_DEVICES_MAX];
};
extern struct fake fake;
extern const char *const fake_prefix; /* of environment variables */

/* The calling thread's state. */
struct fake_thread {
    struct fake_context *context;
    bool inside, in_callback;
};
extern _Thread_local struct fake_thread fake_thread;

const char *fake_setting(const char *name);
long fake_setting_number(const char *name, long fallback);

/* Locks, unless the call is to fail. */
CUresult fake_enter(enum fake_call call);
/* Unlocks and returns result. */
CUresult fake_leave(CUresult result);
#define FAKE_ENTER(field)                                                                          \
    do {                                                                                           \
        CUresult fake_result = fake_enter(FAKE_CALL_##field);                                      \
        if (fake_result != CUDA_SUCCESS)                                                           \
            return fake_result;                                                                    \
    } while (0)

/* The device, NULL when there is none of that number. */
struct fake_device *fake_device(CUdevice ordinal);
/* The calling thread's context, when it is good for work. */
CUresult fake_current(struct fake_context **out);
/* The same for a handle of a context. */
CUresult fake_context_of(CUcontext handle, struct fake_context **out);
/* Waits for everything queued, returns the sticky error. */
CUresult fake_context_wait(struct fake_context *context);
/* Whether the context's kernels may touch memory of device. */
bool fake_reaches(const struct fake_context *context, const struct fake_device *device);

/* ---- memory --------------------------------------------------------------------------- */

enum fake_memory_kind {
    FAKE_DEVICE_MEMORY,
    FAKE_POOL_MEMORY,
    FAKE_GLOBAL, /* a variable of a module */
    FAKE_PINNED,
    FAKE_REGISTERED,
    FAKE_MANAGED,
    FAKE_MAPPING, /* of physical memory at reserved addresses */
    FAKE_IPC,     /* of another process */
};

struct fake_memory {
    uint64_t id; /* of this allocation, never used again */
    enum fake_memory_kind kind;
    uintptr_t base;
    size_t size;
    unsigned char *view; /* where this process reads and writes it */
    struct fake_device *device;
    struct fake_context *context;
    unsigned flags;
    unsigned sync_memops;
    struct fake_pool *pool;            /* FAKE_POOL_MEMORY, retained */
    bool alias;                        /* FAKE_POOL_MEMORY: imported, the memory is another's */
    struct fake_physical *physical;    /* FAKE_MAPPING */
    unsigned access[FAKE_DEVICES_MAX]; /* FAKE_MAPPING: 0, 1 or 3 */
    unsigned opened;                   /* FAKE_IPC: how often */
    char source[64];                   /* FAKE_IPC: the handle */
    int read_mostly, preferred, accessed_by[FAKE_DEVICES_MAX], prefetched; /* FAKE_MANAGED */
};

/* A range of the addresses of devices, with memory behind it at fake_heap_view. */
CUresult fake_heap_take(size_t size, size_t alignment, uintptr_t *out_base);
void fake_heap_give(uintptr_t base, size_t size);
unsigned char *fake_heap_view(uintptr_t address);
int fake_heap_file(size_t *out_offset, uintptr_t address);

/* Enters memory; the id is set. */
struct fake_memory *fake_memory_add(const struct fake_memory *memory);
struct fake_memory *fake_memory_find(uintptr_t address);
struct fake_memory *fake_memory_at(size_t index); /* NULL past the end */
void fake_memory_remove(struct fake_memory *memory);
/* Device memory of a kind, counted and poisoned. */
CUresult fake_memory_allocate(struct fake_context *context, enum fake_memory_kind kind, size_t size,
                              struct fake_memory **out);
/* Frees it in whatever way it was made. */
void fake_memory_free(struct fake_memory *memory);

/* Where this process reads and writes size bytes at address, on behalf of a
 * context. CUDA_ERROR_INVALID_VALUE: not all inside one allocation. Memory that
 * the driver does not know is the host's: *out_memory is NULL. */
CUresult fake_reach(const struct fake_context *context, uintptr_t address, size_t size,
                    unsigned char **out_view, struct fake_memory **out_memory);

/* ---- streams -------------------------------------------------------------------------------- */

struct fake_wait {
    struct fake_stream *stream; /* retained */
    uint64_t ticket;
};

/* Work of a stream. Owners embed it first. */
struct fake_op {
    struct fake_op *next;
    struct fake_wait *waits;
    size_t wait_count;
    bool after_errors; /* runs although the context has an error */
    /* Runs without the lock; what it returns becomes the context's error. */
    CUresult (*run)(struct fake_op *op, struct fake_context *context);
    void (*fini)(struct fake_op *op); /* with the lock, may be NULL */
};

struct fake_stream {
    struct fake_object object;
    struct fake_stream *next; /* of the context */
    unsigned flags;
    int priority;
    bool is_default;
    bool worker; /* there is a thread */
    bool closing;
    uint64_t queued, done;
    struct fake_op *first, *last;
};

/* NULL, 1 and 2 are default streams of the current context. */
CUresult fake_stream_get(CUstream handle, struct fake_stream **out);
/* Waits, as cuStreamSynchronize. */
void fake_stream_finish(struct fake_stream *stream);
CUresult fake_stream_new(struct fake_context *context, unsigned flags, int priority,
                         struct fake_stream **out);
void fake_stream_close(struct fake_stream *stream);
/* Enqueues; the stream owns op, which came from malloc. */
CUresult fake_stream_push(struct fake_stream *stream, struct fake_op *op);
bool fake_op_wait_for(struct fake_op *op, struct fake_stream *stream, uint64_t ticket);
/* Waits until what is queued now is done. */
void fake_stream_wait(struct fake_stream *stream, uint64_t ticket);

/* ---- others
 * -------------------------------------------------------------------------------------- */

struct fake_array {
    struct fake_object object;
    CUDA_ARRAY3D_DESCRIPTOR shape;
    size_t element, row, slice; /* bytes */
    unsigned char *bytes;
};

struct fake_pool {
    struct fake_object object;
    struct fake_device *device;
    bool is_default, imported;
    int handle_types;
    size_t max_size, used, used_high, cached, reserved_high;
    uint64_t threshold;
    int reuse[3];
    unsigned access[FAKE_DEVICES_MAX];
};
CUresult fake_pool_of(struct fake_device *device, struct fake_pool **out_default);
/* Gives unused memory back, as every synchronisation does. */
void fake_pools_settle(struct fake_device *device);
void fake_pool_returned(struct fake_pool *pool, size_t size);

struct fake_physical {
    struct fake_object object;
    struct fake_device *device;
    uintptr_t base;
    size_t size;
    int handle_types;
    struct fake_physical *shared; /* imported: whose memory it is, retained */
};
void fake_virtual_count(struct fakecuda_counts *out);

struct fake_parameter {
    size_t offset, size;
};

struct fake_function {
    struct fake_object object;
    struct fake_module *module;
    struct fake_function *next;
    char *name;
    struct fake_parameter *parameters;
    size_t parameter_count, argument_size;
    unsigned max_threads, static_shared, max_dynamic;
    int carveout, ptx_version;
};

struct fake_global {
    struct fake_global *next;
    char *name;
    size_t size;
    unsigned char *initial; /* size bytes */
    struct fake_memory *memory;
};

struct fake_module {
    struct fake_object object;
    struct fake_function *functions;
    struct fake_global *globals;
};

/* Ends a module with its functions and variables. */
void fake_module_close(struct fake_object *object);
/* Blocks of block_size threads that a processor holds at once, and processors. */
int fake_occupancy(const struct fake_function *function, int block_size, size_t dynamic);
int fake_processors(void);

/* Reads PTX into a module that is still empty; without the lock on anything but
 * the module. On failure out_log says why. */
CUresult fake_ptx_read(const char *text, const struct fake_device *device, int driver_version,
                       struct fake_module *module, char *out_log, size_t log_size);

/* What a kernel of this name does; without the lock. */
CUresult fake_kernel_run(const struct fake_function *function, struct fake_context *context,
                         const unsigned char *arguments);

/* Records a launch in the log. */
void fake_log_launch(const struct fakecuda_launch *launch);

#endif
