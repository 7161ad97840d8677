/* The way into a stream. Whatever an application puts into a stream, of whichever backend, is a
 * struct ah_command, and ah_submit is the only function that takes one: it checks the command
 * against its device and memory, hands it to the capture of a stream that is captured, opens
 * default streams, logs the command, makes the host wait where launches or copies are serialised,
 * and calls the backend. Public functions check what belongs to their own parameters and fill in a
 * command.
 *
 * Any thread; no lock is held while a backend is called. */
#ifndef AH_SUBMIT_H
#define AH_SUBMIT_H

#include "code.h"
#include "log.h"
#include "memory.h"
#include "observe.h"
#include "stream.h"

enum ah_command_kind {
    AH_COMMAND_LAUNCH,        /* cooperative launches too: a flag of struct ah_launch */
    AH_COMMAND_COPY,          /* bytes in a row */
    AH_COMMAND_COPY_PEER,     /* the same, between given devices */
    AH_COMMAND_COPY_REGION,   /* rectangles, and arrays */
    AH_COMMAND_COPY_BATCH,    /* several rows of bytes, in any order among themselves */
    AH_COMMAND_FILL,          /* rows of equal elements */
    AH_COMMAND_HOST_FUNCTION, /* not called after a failure of the device */
    AH_COMMAND_CALLBACK,      /* called with the device's state in any case */
    AH_COMMAND_EVENT_RECORD,
    AH_COMMAND_EVENT_WAIT,
    AH_COMMAND_VALUE_WAIT,
    AH_COMMAND_VALUE_WRITE,
    AH_COMMAND_VALUE_ADD, /* modulo 2 to the power of bits */
    AH_COMMAND_BARRIER,
    AH_COMMAND_SIGNAL,         /* of semaphores of other APIs */
    AH_COMMAND_SEMAPHORE_WAIT, /* for them */
    AH_COMMAND_POOL_ALLOC,
    AH_COMMAND_POOL_FREE,
    AH_COMMAND_PREFETCH,
    AH_COMMAND_MANAGED_BATCH, /* prefetches and discards */
    AH_COMMAND_ATTACH,
    AH_COMMAND_MAP_ARRAYS,
    AH_COMMAND_GRAPHICS, /* objects of OpenGL are mapped or unmapped */
    AH_COMMAND_GRAPH, /* nodes that the backend made ready to be launched together */
};

/* An async copy or fill is queued when ah_submit returns; a blocking one is done, unless both of
 * its ends are on a device. */
enum ah_blocking { AH_ASYNC, AH_BLOCKING };

struct ah_command {
    enum ah_command_kind kind;
    enum ah_blocking blocking; /* of copies and fills */
    bool external;             /* records and waits: they join no capture, but are nodes of it */
    union {
        struct {
            struct ah_function *function; /* of the stream's device */
            const struct ah_launch *sizes;
        } launch;
        struct {
            void *dst;
            const void *src;
            size_t size;
            hipMemcpyKind kind;                        /* COPY */
            struct ah_device *dst_device, *src_device; /* COPY_PEER */
        } copy;
        const struct ah_copy_region *region; /* its arrays are core's: struct ah_array */
        struct {
            const struct ah_copy_batch *copies; /* each has passed ah_copy_check */
            size_t *out_failed; /* the copy that could not be queued, on an error of one */
        } batch;
        const struct ah_managed_batch *managed;
        struct {
            struct ah_fill rows;
            bool
                host_sees; /* ah_submit's: the host may look at the memory without a further call */
        } fill;
        struct {
            void (*function)(void *data);
            void *data;
        } host;
        struct {
            void (*function)(void *data, hipError_t status);
            void *data;
        } callback;
        struct ah_event *event; /* RECORD: of the stream's device; WAIT: of any */
        struct {
            void *pointer;
            uint64_t value, mask;
            enum ah_wait_condition condition;
            int bits; /* 32 or 64 */
        } value;
        enum ah_barrier barrier;
        struct {
            const hipExternalSemaphore_t *list;              /* of the stream's device */
            const hipExternalSemaphoreSignalParams *signals; /* of SIGNAL */
            const hipExternalSemaphoreWaitParams *waits;     /* of SEMAPHORE_WAIT */
            unsigned count;
        } semaphores;
        struct {
            struct ah_backend_pool *pool; /* NULL: the device's current one */
            size_t size;
            void **out_pointer;
            struct ah_device *device; /* the pool's; NULL: the stream's */
        } pool_alloc;
        void *pool_free;
        struct {
            void *pointer;
            size_t size;
            struct ah_backend_device *location; /* NULL: the host */
        } prefetch;
        struct {
            void *pointer;
            size_t size;
            unsigned flags;
        } attach;
        struct {
            const struct ah_array_mapping *mappings; /* arrays and memory of the stream's driver */
            unsigned count;
        } map_arrays;
        struct {
            struct ah_backend_graphics *const *objects; /* of the stream's device */
            unsigned count;
            bool map;
        } graphics;
        struct {
            struct ah_backend_graph *native; /* of the stream's device */
            const struct ah_observed_nodes *nodes;
        } graph;
    };
};

static inline bool ah_copy_kind_valid(hipMemcpyKind kind)
{
    return ((int)kind >= hipMemcpyHostToHost && (int)kind <= hipMemcpyDefault) ||
           (int)kind == hipMemcpyDeviceToDeviceNoCU;
}

const char *ah_name_copy_kind(hipMemcpyKind kind);

/* What ah_submit checks of a copy and a launch before it calls a driver, for work that is submitted
 * later. The errors are the command's. ah_launch_check opts in to the shared memory of the launch.
 */
hipError_t ah_copy_check(const void *dst, const void *src, size_t size, hipMemcpyKind kind);
hipError_t ah_region_check(const struct ah_copy_region *region);
hipError_t ah_launch_check(struct ah_function *function, const struct ah_launch *launch);

/* The region as device's driver takes it, with its own arrays. hipErrorNotSupported, without a
 * message: an end is memory of another device. */
hipError_t ah_region_for_device(const struct ah_copy_region *region, const struct ah_device *device,
                                struct ah_copy_region *out_region);

/* hipErrorInvalidValue: rows of a fill reach past one of HIP's allocations, or are in memory that
 * no device can fill. row: bytes. */
hipError_t ah_fill_check_range(const void *dst, size_t pitch, size_t row, size_t height,
                               enum ah_memory_kind *out_kind);

/* The command is not kept. If the stream captures, it becomes a node of a graph; see capture.h.
 * Errors are the command's, or the capture's. */
hipError_t ah_submit(struct ah_stream *stream, struct ah_command *command);

/* Settings for which work of every stream takes the slow path. */
enum ah_unusual {
    AH_UNUSUAL_SERIALIZED = 1, /* the host waits for launches or copies */
    AH_UNUSUAL_TRACED = 2,     /* commands are logged or observed */
};
extern _Atomic(unsigned) ah_unusual;

/* Brings ah_unusual in step with the settings, after they are read or changed. */
void ah_submit_update(void);

static inline bool ah_submit_is_unusual(const struct ah_stream *stream)
{
    return (atomic_load_explicit(&stream->state, memory_order_acquire) |
            atomic_load_explicit(&ah_unusual, memory_order_relaxed)) != 0;
}

/* ah_submit for a launch, with one branch for everything unusual. A size less one is below its
 * limit exactly when it is neither 0 nor too large. */
static inline __attribute__((always_inline)) hipError_t
ah_submit_launch(struct ah_stream *stream, struct ah_function *function,
                 const struct ah_launch *launch)
{
    struct ah_device *device = stream->handle.device;
    const unsigned *grid = launch->grid, *block = launch->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    bool unusual =
        (threads - 1 >= function->max_threads) | (block[0] > device->max_block[0]) |
        (block[1] > device->max_block[1]) | (block[2] > device->max_block[2]) |
        (grid[0] - 1 >= device->max_grid[0]) | (grid[1] - 1 >= device->max_grid[1]) |
        (grid[2] - 1 >= device->max_grid[2]) | (launch->extra != NULL) |
        (launch->shared > atomic_load_explicit(&function->max_dynamic, memory_order_relaxed)) |
        (int)ah_submit_is_unusual(stream); // an int: the operands are all meant to be evaluated
    if (__builtin_expect(unusual, 0))
        return ah_submit(
            stream, &(struct ah_command){.kind = AH_COMMAND_LAUNCH, .launch = {function, launch}});
    return device->launch(device->native, function->native, launch,
                          atomic_load_explicit(&stream->native, memory_order_relaxed));
}

/* ah_submit for a copy of bytes in a row that is queued, in the same way: one between the
 * allocations of the thread's latest copy has nothing else to check. */
static inline __attribute__((always_inline)) hipError_t
ah_submit_copy(struct ah_stream *stream, void *dst, const void *src, size_t size,
               hipMemcpyKind kind)
{
    struct ah_device *device = stream->handle.device;
    if (__builtin_expect(!ah_memory_holds_again(dst, src, size) | ah_submit_is_unusual(stream), 0))
        return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_COPY,
                                                      .copy = {dst, src, size, kind, NULL, NULL}});
    return device->copy_async(device->native, dst, src, size,
                              atomic_load_explicit(&stream->native, memory_order_relaxed));
}

/* ah_submit for the record of an event, in the same way. */
static inline hipError_t ah_submit_record(struct ah_stream *stream, struct ah_event *event)
{
    struct ah_device *device = stream->handle.device;
    if (__builtin_expect((event->handle.device != device) | ah_submit_is_unusual(stream), 0))
        return ah_submit(stream,
                         &(struct ah_command){.kind = AH_COMMAND_EVENT_RECORD, .event = event});
    hipError_t error = device->ops->event_record(
        device->native, event->native, atomic_load_explicit(&stream->native, memory_order_relaxed));
    if (error == hipSuccess && !atomic_load_explicit(&event->recorded, memory_order_relaxed))
        ah_event_recorded(event);
    return error;
}

#endif
