/* Private to the simulated CUDA driver: its state, its objects, and the beginning and end of every
 * function. Everything here is called with the driver's lock held unless a comment says
 * otherwise. */
#ifndef SIMCUDA_DRIVER_H
#define SIMCUDA_DRIVER_H

#include "cuda_abi.h"
#include "log.h"
#include "ptx.h"
#include "sim_memory.h"
#include "sim_options.h"
#include "sim_texture.h"
#include "simcuda_abi.h"

#include <pthread.h>
#include <stdatomic.h>

#define SIMCUDA_EXPORT __attribute__((visibility("default")))

/* The version of CUDA that the driver is, and the newest PTX that it reads. */
enum { SIMCUDA_VERSION = 13000, SIMCUDA_PTX_VERSION = 90 };

/* Every exported function is a row of simcuda_symbols.def and is called
 * simcuda_<field> here: a row without a function does not link. */
enum simcuda_call {
#define SIMCUDA_SYMBOL(field, name, parameters) SIMCUDA_CALL_##field,
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
    SIMCUDA_CALL_COUNT
};
#define SIMCUDA_SYMBOL(field, name, parameters)                                                    \
    SIMCUDA_EXPORT CUresult simcuda_##field parameters __asm__(name);
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL

enum { SIMCUDA_DEVICES_MAX = SIM_DEVICES_MAX, SIMCUDA_STACK_MAX = 32 };

/* ---- objects ------------------------------------------------------------------ */

enum simcuda_kind {
    SIMCUDA_CONTEXT = 1,
    SIMCUDA_STREAM,
    SIMCUDA_EVENT,
    SIMCUDA_MODULE,
    SIMCUDA_FUNCTION,
    SIMCUDA_ARRAY,
    SIMCUDA_MIPMAP,
    SIMCUDA_TEXTURE,
    SIMCUDA_SURFACE,
    SIMCUDA_POOL,
    SIMCUDA_PHYSICAL,
    SIMCUDA_GRAPH,
    SIMCUDA_GRAPH_NODE,
    SIMCUDA_GRAPH_EXEC,
    SIMCUDA_GRAPHICS,
    SIMCUDA_LINK,
    SIMCUDA_GREEN,
    SIMCUDA_RESOURCES, /* CUdevResourceDesc */
    SIMCUDA_EXTERNAL,
    SIMCUDA_SEMAPHORE,
};

/* The object of a handle. Handles are numbers that are not valid pointers, so that an access
 * through one faults. */
struct simcuda_object {
    enum simcuda_kind kind;
    uint64_t handle;                 /* 0: closed */
    struct simcuda_context *context; /* NULL: of no context (pools, physical memory) */
    unsigned references;
    void (*fini)(struct simcuda_object *object); /* before it is freed, may be NULL */
};

/* A zeroed object of size bytes with one reference and a handle. NULL: no memory. */
void *simcuda_object_new(enum simcuda_kind kind, size_t size, struct simcuda_context *context);
/* The live object behind a handle, else NULL and a line in the log that names what. */
void *simcuda_object_get(const void *handle, enum simcuda_kind kind, const char *what);
/* The same, without logging. */
void *simcuda_object_peek(const void *handle, enum simcuda_kind kind);
/* Invalidates the handle and releases its reference. */
void simcuda_object_close(struct simcuda_object *object);
void simcuda_object_retain(struct simcuda_object *object);
void simcuda_object_release(struct simcuda_object *object);
void simcuda_object_each(enum simcuda_kind kind,
                         void (*visit)(struct simcuda_object *object, void *data), void *data);

/* Logs an error that a correct program never makes. */
__attribute__((format(printf, 1, 2))) void simcuda_violation(const char *format, ...);

/* ---- devices and contexts ----------------------------------------------------------- */

/* A model of device; a row of simcuda_models.def. */
struct simcuda_model {
    unsigned sm;
    int units, clock_khz, memory_clock_khz, bus_width, l2_bytes, persisting_l2_bytes;
    int threads_per_unit, blocks_per_unit;
    int shared_per_unit, shared_optin, shared_reserved;
    int single_to_double, copy_engines, pci_device;
};

enum { SIMCUDA_SHARED_PER_BLOCK = 49152, SIMCUDA_LIMITS = 3 };

struct simcuda_context {
    struct simcuda_object object; /* the primary context's lives as long as the device */
    struct simcuda_device *device;
    struct simcuda_context *next; /* of all that are active */
    bool primary, active;
    bool ending;       /* waits in its streams return */
    bool aborting;     /* nothing is running any more */
    unsigned retained; /* primary */
    unsigned flags, version;
    CUresult error;                 /* sticky */
    struct simcuda_stream *legacy;  /* the default stream */
    struct simcuda_stream *streams; /* all of them, until their work is done */
    size_t limits[SIMCUDA_LIMITS];
    int cache_config;
    bool peers[SIMCUDA_DEVICES_MAX];
    struct ptx_context ptx;
    struct simcuda_print *print; /* what kernels printed and is not flushed yet */
};

struct simcuda_device {
    int ordinal;  /* as the program counts them; also the device of sim_memory.h */
    int position; /* among all, visible or not */
    char name[64];
    CUuuid uuid;
    struct simcuda_model model; /* with what the user set */
    int shared_per_block;
    size_t total;
    bool lost;
    struct simcuda_context *primary;
    struct simcuda_pool *default_pool, *current_pool;
};

struct simcuda {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* of anything that a thread may wait for */
    bool initialised;
    CUresult init_result; /* result of the first cuInit */
    _Atomic(bool) deinitialised;
    _Atomic(bool) forked; /* this is a child of the process that called cuInit */
    int device_count;
    struct simcuda_device devices[SIMCUDA_DEVICES_MAX];
    struct simcuda_context *contexts; /* the active ones */
    unsigned stops, running;          /* of simcuda_work_stop; work that changes memory */
};
extern struct simcuda simcuda;

/* The calling thread's state: a stack of handles of contexts. */
struct simcuda_thread {
    uint64_t stack[SIMCUDA_STACK_MAX];
    unsigned depth;
    bool inside, in_callback;
};
extern _Thread_local struct simcuda_thread simcuda_thread;

/* Functions that tests set; all zero in libsimcuda.so.1. The functions are set before the first
 * call, or never. */
struct simcuda_launched {
    const char *kernel;
    const unsigned *grid, *block;
    unsigned shared;
    bool cooperative;
    unsigned attributes; /* bits of CUlaunchAttributeID that were given */
    const void *window;  /* base of the access policy window, or NULL */
    int priority, domain;
    CUstream stream; /* as it was given */
    int device;
    const void *arguments;
    size_t argument_size;
};
/* What an operation does, and for which call, for scripts. */
struct simcuda_work_note {
    enum { SIMCUDA_DOES_OTHER, SIMCUDA_DOES_KERNEL, SIMCUDA_DOES_COPY, SIMCUDA_DOES_FILL } kind;
    uint32_t number;  /* of the call */
    const void *node; /* of an executable graph, or NULL */
    const char *kernel;
    uint64_t bytes;
};
struct simcuda_script {
    /* Called when a call begins, without the lock: a result other than CUDA_SUCCESS becomes the
     * call's result. */
    CUresult (*call)(const char *name);
    void (*violation)(const char *text);
    void (*launch)(const struct simcuda_launched *launch);
    void (*stream_attribute)(CUstream stream, int attribute, const CUlaunchAttributeValue *value);
    bool held;            /* no work of streams begins; with the lock, and a broadcast of changed */
    bool apart;           /* no device can access another's memory */
    int version;          /* of CUDA; 0: SIMCUDA_VERSION */
    bool one_host_thread; /* host functions run one at a time */
    bool closes_files;    /* of imports that it refuses, as NVIDIA's driver */
    /* The number of the calling thread's call; what was done between two times of CLOCK_MONOTONIC
     * in nanoseconds; a node of an executable graph, made from that one. With the lock. */
    uint32_t (*number)(void);
    void (*done)(const struct simcuda_work_note *note, uint64_t begin, uint64_t end);
    void (*cloned)(const void *from, const void *node);
};
extern struct simcuda_script simcuda_script;

/* Registers the detection of forks, so that a child never takes the lock. */
void simcuda_watch_forks(void);
/* Locks, unless the call has to fail. */
CUresult simcuda_enter(enum simcuda_call call);
/* Unlocks and returns result. */
CUresult simcuda_leave(CUresult result);
#define SIMCUDA_ENTER(field)                                                                       \
    do {                                                                                           \
        CUresult simcuda_result = simcuda_enter(SIMCUDA_CALL_##field);                             \
        if (simcuda_result != CUDA_SUCCESS)                                                        \
            return simcuda_result;                                                                 \
    } while (0)

/* Returns a device, NULL if the number is invalid. */
struct simcuda_device *simcuda_device(CUdevice ordinal);
/* One user more or less of a device's primary context, which begins with the first and ends with
 * the last one. */
CUresult simcuda_primary_retain(CUcontext *out, struct simcuda_device *device);
void simcuda_primary_release(struct simcuda_device *device);
/* The calling thread's context, if it is usable. */
CUresult simcuda_current(struct simcuda_context **out);
/* The same for a handle of a context. */
CUresult simcuda_context_of(CUcontext handle, struct simcuda_context **out);
/* Waits for everything queued, returns the sticky error. */
CUresult simcuda_context_wait(struct simcuda_context *context);
/* The same for all contexts, before memory is freed that any of them may use. */
void simcuda_contexts_wait(void);
/* The context's error; that of a lost device takes precedence. */
CUresult simcuda_context_error(const struct simcuda_context *context);
/* Sets the context's error, if it is the first. */
void simcuda_context_fail(struct simcuda_context *context, CUresult error);

/* Ends the registrations of objects of OpenGL. */
void simcuda_graphics_end(struct simcuda_context *context);
/* Stops the kernels that run in a context that is aborting. */
void simcuda_launches_cancel(struct simcuda_context *context);

/* Writes the output of kernels to stdout, with or without the lock. */
void simcuda_print(struct ptx_context *context, const char *text, size_t size);
void simcuda_print_flush(struct simcuda_context *context);
struct simcuda_print *simcuda_print_new(void);
void simcuda_print_free(struct simcuda_print *print); /* accepts NULL */

/* ---- memory --------------------------------------------------------------------------- */

enum simcuda_memory_kind {
    SIMCUDA_DEVICE_MEMORY,
    SIMCUDA_POOL_MEMORY,
    SIMCUDA_GLOBAL, /* the variables of a module */
    SIMCUDA_PINNED,
    SIMCUDA_REGISTERED,
    SIMCUDA_MANAGED,
    SIMCUDA_MAPPING, /* of physical memory at reserved addresses */
    SIMCUDA_OPENED,  /* another process's */
    SIMCUDA_SHARED,  /* with OpenGL, while it is mapped */
    SIMCUDA_IMPORTED, /* a buffer of external memory */
};

/* What the driver knows of an allocation; sim_memory.owner points here. */
struct simcuda_page; /* of managed memory: simcuda_managed.c */

struct simcuda_memory {
    uint64_t id; /* of this allocation, never used again */
    enum simcuda_memory_kind kind;
    struct sim_memory *sim;
    uint64_t base;
    size_t size;
    struct simcuda_device *device;
    struct simcuda_context *context;
    struct simcuda_memory *next, *previous; /* of all */
    unsigned flags;
    unsigned sync_memops;
    struct simcuda_pool *pool;         /* SIMCUDA_POOL_MEMORY, retained */
    struct simcuda_physical *physical; /* a mapping's physical memory; retained */
    uint64_t reserved; /* size of the reservation that is released with it, 0: none */
    size_t lead;       /* SIMCUDA_IMPORTED: bytes before those that the program maps */
    struct simcuda_opened {
        uint64_t id;    /* of the allocation in its process */
        uint64_t table; /* of what that process shares */
        int pid;
        unsigned count; /* of cuIpcOpenMemHandle */
    } opened;           /* SIMCUDA_OPENED */
    struct simcuda_page *pages; /* managed, owned; NULL: nothing was said about any of them */
};

/* Registers memory; takes ownership of sim. NULL: out of host memory. */
struct simcuda_memory *simcuda_memory_add(const struct simcuda_memory *memory);
/* NULL: the address is unknown to the driver. */
struct simcuda_memory *simcuda_memory_find(uint64_t address);
struct simcuda_memory *simcuda_memory_first(void);
/* Device memory of a kind, from a pool or NULL. */
CUresult simcuda_memory_allocate(struct simcuda_context *context, struct simcuda_pool *pool,
                                 enum simcuda_memory_kind kind, size_t size,
                                 struct simcuda_memory **out);
/* Memory for host and devices. */
CUresult simcuda_memory_allocate_host(enum simcuda_memory_kind kind, size_t size, unsigned flags,
                                      uint64_t *out);
/* The managed allocation that contains a range, of at least one byte. CUDA_ERROR_INVALID_VALUE. */
CUresult simcuda_managed_range(uint64_t pointer, size_t size, struct simcuda_memory **out);
/* Notes that a range of managed memory was prefetched. */
CUresult simcuda_managed_place(uint64_t pointer, size_t size, CUdevice device);
/* Frees memory of any kind. */
void simcuda_memory_free(struct simcuda_memory *memory);

/* The address at which this process accesses size bytes at address, for a context.
 * CUDA_ERROR_INVALID_VALUE: they are not all in one allocation. Memory that the driver does not
 * know is the host's: *out_memory is NULL. */
CUresult simcuda_translate(const struct simcuda_context *context, uint64_t address, size_t size,
                           bool write, unsigned char **out_view,
                           struct simcuda_memory **out_memory);
/* Whether address is in the range of device memory: not the host's. */
bool simcuda_is_reserved(uint64_t address);

/* ---- streams -------------------------------------------------------------------------------- */

struct simcuda_wait {
    struct simcuda_stream *stream; /* retained */
    uint64_t ticket;
};

/* An operation in a stream. Owners embed it as their first field. */
struct simcuda_op {
    struct simcuda_op *next;
    struct simcuda_stream *stream; /* set when it is pushed */
    struct simcuda_wait *waits;
    size_t wait_count;
    bool after_errors;  /* runs even if the context has an error */
    bool leaves_memory; /* does not itself change device memory */
    struct simcuda_work_note note;
    /* Called without the lock; the result becomes the context's error. */
    CUresult (*run)(struct simcuda_op *op, struct simcuda_context *context);
    void (*fini)(struct simcuda_op *op); /* with the lock, may be NULL */
};

struct simcuda_stream {
    struct simcuda_object object;
    struct simcuda_stream *next, **link; /* of the context */
    pthread_cond_t wake;                 /* of its thread */
    uint64_t id;
    unsigned flags;
    int priority;
    struct simcuda_green *green; /* retained; NULL: all of the device */
    bool is_default;
    bool worker; /* there is a thread */
    bool closing;
    uint64_t queued, done;
    struct simcuda_op *first, *last;
};

/* Zeroed memory for an operation of size bytes; common sizes are reused, so that a program that
 * only works allocates nothing. NULL: out of memory. */
void *simcuda_op_new(size_t size);
void simcuda_op_free(struct simcuda_op *op);
/* Frees an operation with all that it holds. */
void simcuda_op_discard(struct simcuda_op *op);

/* A green context. Its handle is 0 once it was destroyed. */
enum { SIMCUDA_UNIT_WORDS = 32 };
struct simcuda_green {
    struct simcuda_object object;
    struct simcuda_device *device;
    unsigned units;
    uint32_t mask[SIMCUDA_UNIT_WORDS];
};

/* NULL, 1 and 2 are default streams of the current context. */
CUresult simcuda_stream_get(CUstream handle, struct simcuda_stream **out);
/* Waits, as cuStreamSynchronize. */
void simcuda_stream_finish(struct simcuda_stream *stream);
CUresult simcuda_stream_new(struct simcuda_context *context, unsigned flags, int priority,
                            struct simcuda_stream **out);
/* The same, with the priority brought into its range. */
CUresult simcuda_stream_open(struct simcuda_context *context, unsigned flags, int priority,
                             struct simcuda_stream **out);
void simcuda_stream_close(struct simcuda_stream *stream);
/* Enqueues; the stream owns op even if this fails. */
CUresult simcuda_stream_push(struct simcuda_stream *stream, struct simcuda_op *op);
bool simcuda_op_wait_for(struct simcuda_op *op, struct simcuda_stream *stream, uint64_t ticket);
/* Waits for the operations that are queued now. */
void simcuda_stream_wait(struct simcuda_stream *stream, uint64_t ticket);
/* Keeps operations from beginning, and waits until none is running that changes device memory. */
void simcuda_work_stop(void);
void simcuda_work_resume(void);
/* Whether the context is being destroyed: an operation that polls returns
 * CUDA_ERROR_CONTEXT_IS_DESTROYED, so that nothing after it runs. Without the lock. */
bool simcuda_is_abandoned(struct simcuda_context *context);

/* ---- others ---------------------------------------------------------------------------------- */

struct simcuda_array {
    struct simcuda_object object;
    CUDA_ARRAY3D_DESCRIPTOR shape;
    size_t element, row, slice; /* bytes */
    enum sim_channel_type type;
    struct sim_memory *memory;   /* NULL: the array is sparse */
    struct simcuda_tiles *tiles; /* of a sparse array */
};

struct simcuda_mipmap {
    struct simcuda_object object;
    struct simcuda_array *levels[SIM_LEVELS_MAX]; /* retained */
    unsigned level_count;
};

struct simcuda_pool {
    struct simcuda_object object;
    struct simcuda_device *device;
    bool is_default, imported;
    int handle_types;
    size_t max_size, used, used_high, cached, reserved_high;
    uint64_t threshold;
    int reuse[3];
    unsigned access[SIMCUDA_DEVICES_MAX];
};
/* The device's default pool, created on the first request. */
CUresult simcuda_pool_of(struct simcuda_device *device, struct simcuda_pool **out_default);
/* Releases unused memory, as every synchronisation does. */
void simcuda_pools_reap(struct simcuda_device *device);
struct simcuda_pool *simcuda_pool_new(struct simcuda_device *device); /* NULL: no memory */
void simcuda_pool_taken(struct simcuda_pool *pool, size_t size);
void simcuda_pool_returned(struct simcuda_pool *pool, size_t size);
/* Updates in sim_memory.h which devices can access each other: peers of contexts and pools. */
void simcuda_peers_changed(void);

struct simcuda_physical {
    struct simcuda_object object;
    struct simcuda_device *device;
    int file;
    size_t size;
    int handle_types;
    unsigned extra; /* references that a program holds after its first */
    bool imported;  /* counted where it was allocated */
};
/* Physical memory from a file, of which it takes ownership. */
CUresult simcuda_physical_new(struct simcuda_device *device, int file, size_t size,
                              int handle_types, bool imported, struct simcuda_physical **out);
/* Addresses of its own for the whole of physical memory, accessible to the devices
 * whose access is not 0. like: kind, device, context and pool of the result. */
CUresult simcuda_physical_map(struct simcuda_physical *physical, const unsigned *access,
                              const struct simcuda_memory *like, struct simcuda_memory **out);
/* The number of reservations. */
unsigned simcuda_reservations(void);
/* Releases addresses that were reserved. */
void simcuda_reservation_free(uint64_t base, size_t size);

struct simcuda_function {
    struct simcuda_object object;
    struct simcuda_module *module;
    struct simcuda_function *next;
    const struct ptx_function *kernel;
    struct ptx_kernel_info info;
    unsigned max_dynamic;
    int carveout;
};

struct simcuda_module {
    struct simcuda_object object;
    struct simcuda_function *functions;
    struct ptx_module *ptx;
    struct simcuda_memory *globals; /* NULL: it has none */
};

/* Destroys a module with its functions and variables. */
void simcuda_module_close(struct simcuda_object *object);
CUresult simcuda_function_get(CUfunction handle, const char *what, struct simcuda_function **out);
/* The most shared memory of a block. */
unsigned simcuda_shared_optin(const struct simcuda_device *device);
/* Blocks of block_size threads that can be resident on a multiprocessor. */
int simcuda_occupancy(const struct simcuda_function *function, int block_size, size_t dynamic);
/* The same, and what allows no more: "registers". */
int simcuda_occupancy_limit(const struct simcuda_function *function, int block_size, size_t dynamic,
                            const char **out_limit);

/* The PTX of an image of any kind that suits a device best. The caller frees the text if *out_owned
 * is set. Without the lock. */
struct simcuda_text {
    const char *text;
    size_t size;
    void *owned;
};
CUresult simcuda_image_text(const void *image, unsigned sm, struct simcuda_text *out,
                            struct ptx_log *log);
/* Whether a device of that architecture can run the text, by its first lines. */
CUresult simcuda_check_header(const struct simcuda_text *text, unsigned sm, struct ptx_log *log);
/* The whole file, followed by zeros; NULL: it cannot be read. */
char *simcuda_read_file(const char *path, size_t *out_size);

/* The caller's logs of a compilation or link. */
struct simcuda_jit {
    struct ptx_log error, info;
    void **error_size, **info_size; /* where to store how much was written */
};
/* Reads options, CUDA_ERROR_INVALID_VALUE; and stores what was written. */
CUresult simcuda_jit_read(struct simcuda_jit *out, unsigned count, const int *options,
                          void **values);
void simcuda_jit_return(struct simcuda_jit *jit);

/* The .version and .target of PTX text, as 87 and 80. False: it is not PTX. */
bool simcuda_image_header(const char *text, size_t size, unsigned *out_version,
                          unsigned *out_target);
/* The uncompressed size of an LZ4 block, which is unpacked to out, of capacity bytes. 0: it is
 * corrupted. */
size_t simcuda_lz4(const unsigned char *in, size_t size, unsigned char *out, size_t capacity);

/* Appends a line to a log buffer of the program. */
__attribute__((format(printf, 2, 3))) void simcuda_log_line(struct ptx_log *log, const char *format,
                                                            ...);

#endif
