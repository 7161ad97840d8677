/* Private to the queue room: hardware queues, streams, and a device's lists of them.
 *
 * Threads. One mutex per device, its lock, guards everything here that is not marked otherwise:
 * what is queued on a device, its queues and its streams. It is held for bookkeeping and for
 * writing packets. A thread that holds it does not wait, calls no callback, and takes no other
 * device's lock. A thread that must wait pins the stream (`pins`), so that it is not freed,
 * releases the lock, and looks again at everything when it has the lock back. Locks of this room
 * that may be taken under the device's lock: those of struct ahhsa_signals, of struct
 * ahhsa_argument_pool, of struct ahhsa_workers, and of a struct ahhsa_worker, also under that of
 * ahhsa_workers. A device's lock is not taken under any of them.
 *
 * A stream's kernels and barriers follow one another in its hardware queue. Most have no signal: a
 * thread that has to know when they end inserts a marker, a barrier packet with a signal. Work that
 * does not go through the queue (copies, host functions, cooperative kernels) has a signal, and the
 * next packet is preceded by a barrier for it. So a stream is in one of these states:
 *
 *   last_signal  unsignaled  off_queue   the latest work ...
 *   NULL or done  false       any        has ended
 *   set           false       false      is in the queue, and last_signal marks its end
 *   set           false       true       is outside of the queue, and last_signal marks its end
 *   any           true        false      is in the queue, and has no signal yet
 *
 * `dependencies` is independent of that: signals of other streams for which the stream's next work
 * waits.
 */
#ifndef AHHSA_STREAM_H
#define AHHSA_STREAM_H

#include "hsa_queue.h"

#include <string.h>

enum {
    AHHSA_QUEUES_MAX = 32,     /* hardware queues of one device in this process */
    AHHSA_BARRIER_SIGNALS = 5, /* of one barrier packet */
};

/* ---- hardware queues: hsa_queue.c ------------------------------------------------------- */

/* An AQL queue. The backend alone writes to it, and only under the device's lock, so that the write
 * index is known without a query; the device and the runtime move the read index at any time. The
 * queue for cooperative kernels is an exception: other users of the runtime in this process may
 * write to it too, and ahhsa_queue_reserve_shared reserves slots in it. */
struct ahhsa_queue {
    hsa_queue_t *hsa; /* NULL: not created yet */
    struct ah_backend_device *device;
    hsa_amd_queue_priority_t priority;
    uint64_t write;              /* the index of the next packet */
    unsigned streams;            /* that use it */
    bool exclusive;              /* of one stream: masked, or one that waits for the host */
    bool masked;                 /* limited to some of the compute units */
    uint64_t read;               /* the read index when it was last read; never too large */
    uint64_t host_dependent_end; /* behind the last barrier for a signal that is host-dependent; 0:
                                    there was none */
};

/* Assigns a queue to a stream and counts the stream. */
hipError_t ahhsa_queue_assign(struct ah_backend_device *device, hsa_amd_queue_priority_t priority,
                              bool exclusive, struct ahhsa_queue **out_queue);
void ahhsa_queue_detach(struct ahhsa_queue *queue);
/* Creates a queue that has not been created yet. */
hipError_t ahhsa_queue_open(struct ah_backend_device *device, struct ahhsa_queue *queue,
                            hsa_queue_type_t type, hsa_amd_queue_priority_t priority);
void ahhsa_queues_destroy(struct ah_backend_device *device);
/* Reads the read index, and returns whether there is space for that many packets. */
bool ahhsa_queue_update_space(struct ahhsa_queue *queue, unsigned packets);
/* Sleeps without the lock, twice as long as the last time (*nanoseconds, 0 at first) within limits.
 * Returns the device's error. */
hipError_t ahhsa_queue_pause(struct ahhsa_queue *queue, unsigned *nanoseconds);
/* Waits for space; may release the lock. Returns the device's error. */
hipError_t ahhsa_queue_wait_for_space(struct ahhsa_queue *queue, unsigned packets);
/* Reserves slots for that many packets in a queue to which others write as well. Returns false if
 * there is no space. Every one of them must be written before the lock is released. */
bool ahhsa_queue_reserve_shared(struct ahhsa_queue *queue, unsigned packets);
/* Whether a packet that is written now may come to wait for a host-dependent signal of another
 * stream, whose barrier is before it. */
bool ahhsa_queue_is_host_dependent(struct ahhsa_queue *queue);

static inline bool ahhsa_queue_has_space(struct ahhsa_queue *queue, unsigned packets)
{
    return __builtin_expect(queue->write + packets - queue->read <= queue->hsa->size, 1) ||
           ahhsa_queue_update_space(queue, packets);
}

/* ---- packets: hsa_packet.c -------------------------------------------------------------- */

/* Writes a barrier, for which there is space: it waits for earlier packets of the queue if
 * barrier_bit, and for signals, and then completes `completion`, unless that is 0. */
void ahhsa_queue_barrier(struct ahhsa_queue *queue, bool barrier_bit,
                         struct ahhsa_signal *const *signals, unsigned count,
                         hsa_signal_t completion);

/* ---- devices ---------------------------------------------------------------------------- */

struct ahhsa_signals;       /* hsa_signal.c; has a lock of its own */
struct ahhsa_argument_pool; /* hsa_kernarg.c; has a lock of its own */

/* The threads of a device's streams: hsa_worker.c. */
struct ahhsa_workers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct ahhsa_worker *running; /* all of them */
    unsigned count;
};

struct ahhsa_trace; /* hsa_trace.c; has locks of its own */

struct ahhsa_device_queues {
    struct ahhsa_workers workers;          /* has a lock of its own */
    struct ahhsa_signals *signals;         /* constant */
    struct ahhsa_argument_pool *arguments; /* constant */
    struct ahhsa_queue queues[AHHSA_QUEUES_MAX];
    struct ahhsa_queue cooperative; /* kernels whose blocks must all be resident */
    unsigned queue_limit; /* GPU_MAX_HW_QUEUES, per priority; constant while the device is ready */
    struct ah_backend_stream *streams;         /* all of them, by next */
    struct ah_backend_stream *legacy;          /* constant while the device is ready */
    struct ah_backend_stream *active_blocking; /* blocking streams with work since the legacy
                                                  stream's last */
    uint64_t legacy_work;                      /* counts work of the legacy stream */
    _Atomic bool traced; /* what threads submit between trace_begin and trace_end has records */
    struct ahhsa_trace *trace;       /* NULL: nothing was ever traced */
    unsigned destroyed;              /* streams that were destroyed and whose work has not ended */
    unsigned destroyed_at_last_reap; /* when they were last reaped */
    struct ah_backend_event *events; /* all of them */
};

struct ahhsa_signals *ahhsa_signals_create(struct ah_backend_device *device);
void ahhsa_signals_destroy(struct ahhsa_signals *signals); /* accepts NULL */
void ahhsa_signals_complete_all(struct ahhsa_signals *signals);
void ahhsa_signals_wait_for_copies(struct ahhsa_signals *signals);

/* ---- streams: hsa_stream.c -------------------------------------------------------------- */

/* Called when work has ended. */
struct ahhsa_callback {
    void (*function)(void *data); /* NULL: data is a signal to release */
    void *data;
    bool checkpoint; /* ... when it is done, and with it everything before */
};

struct ah_backend_stream {
    /* Constant. */
    struct ah_backend_device *device;
    uint64_t id; /* no other stream ever has it */
    bool legacy;
    bool blocking; /* ordered with the legacy stream */
    int priority;

    _Atomic(int) policy; /* hipSynchronizationPolicy, 0: auto */

    struct ah_backend_stream *next, **link; /* of all streams of the device */
    struct ahhsa_queue *queue;
    unsigned pins;  /* threads that have released the lock and will take it again */
    bool destroyed; /* by the application; its work has not ended */

    /* The stream's latest work: the table above. */
    struct ahhsa_signal *last_signal; /* held by its callback; NULL: everything before has ended */
    bool unsignaled;                  /* packets were queued after last_signal */
    bool off_queue;                   /* last_signal is of work outside of the queue */
    bool host_dependent;              /* later work waits for work that is host-dependent */

    /* Dependencies of the next work. */
    struct ahhsa_signal **dependencies; /* retained */
    unsigned dependency_count, dependency_capacity;
    uint64_t legacy_work_seen; /* the legacy_work that later work is ordered after already */
    bool is_active;            /* it is in active_blocking, by next_active */
    struct ah_backend_stream *next_active, **active_link;

    /* A ring of callbacks for work that has ended, in order. They are run without the lock, by the
     * thread that has taken them out of the ring. */
    struct ahhsa_callback *callbacks;
    unsigned callback_first, callback_count, callback_capacity; /* a power of two */
    unsigned
        checkpoint; /* how many, from the first one on, run when the next signal is done; 0: none */

    struct ahhsa_worker *worker; /* the thread that calls host functions, NULL until there is one */
    struct ahhsa_argument_chunk *chunk; /* of hsa_kernarg.c: where kernel arguments are written */
    struct ahhsa_stream_output output;  /* not guarded by the device's lock: hsa_queue.h */
};

static inline struct ahhsa_callback *
ahhsa_stream_callback_at(const struct ah_backend_stream *stream, unsigned number)
{
    return &stream->callbacks[(stream->callback_first + number) & (stream->callback_capacity - 1)];
}

/* Whether run_callbacks has something to do. */
static inline bool ahhsa_stream_has_due_callback(const struct ah_backend_stream *stream)
{
    return stream->checkpoint != 0 &&
           ahhsa_signal_is_done(ahhsa_stream_callback_at(stream, stream->checkpoint - 1)->data);
}

/* Before every piece of work: orders the stream after the work of default and blocking streams
 * that comes before. May release the lock. */
hipError_t ahhsa_stream_order_with_default(struct ah_backend_stream *stream);
/* Makes `last_signal` the signal of all queued work and dependencies (NULL: it all has ended).
 * fresh: also if it has ended, so that the signal's time is now. May release the lock. */
hipError_t ahhsa_stream_insert_marker(struct ah_backend_stream *stream, bool fresh);
/* The number of barrier packets for count signals. */
static inline unsigned ahhsa_barriers_for(unsigned signals)
{
    return (signals + AHHSA_BARRIER_SIGNALS - 1) / AHHSA_BARRIER_SIGNALS;
}
/* Reserves space in the stream's queue for packets after its dependencies, and for callbacks in
 * addition to those of insert_dependencies. May release the lock. */
hipError_t ahhsa_stream_reserve(struct ah_backend_stream *stream, unsigned packets,
                                unsigned callbacks);
/* Writes barriers for the stream's dependencies outside of its queue. */
void ahhsa_stream_insert_dependencies(struct ah_backend_stream *stream);
/* Whether the next packet must wait for earlier packets of the queue. */
static inline bool ahhsa_stream_needs_barrier_bit(const struct ah_backend_stream *stream)
{
    return stream->unsignaled || (!stream->off_queue && stream->last_signal &&
                                  !ahhsa_signal_is_done(stream->last_signal));
}
/* Whether all queued work has ended. */
bool ahhsa_stream_is_idle(const struct ah_backend_stream *stream);
/* Reserves space for count callbacks. */
hipError_t ahhsa_stream_reserve_callbacks(struct ah_backend_stream *stream, unsigned count);
/* The signal is that of the stream's latest work; the stream takes the reference. Space for one
 * callback has been reserved. */
void ahhsa_stream_set_last_signal(struct ah_backend_stream *stream, struct ahhsa_signal *signal,
                                  bool off_queue);
/* Later work of the stream waits for the signal, which is retained. */
hipError_t ahhsa_stream_add_dependency(struct ah_backend_stream *stream,
                                       struct ahhsa_signal *signal);
/* Gives the stream a separate queue, if there is one left, since work that waits for the host must
 * not block other streams. May release the lock. */
hipError_t ahhsa_stream_use_own_queue(struct ah_backend_stream *stream);
/* Runs the callbacks of work that has ended; releases the lock while they run. */
void ahhsa_stream_run_callbacks(struct ah_backend_stream *stream);
/* Runs all callbacks, also of work that has not ended, of a stream that is about to be freed. */
void ahhsa_stream_run_all_callbacks(struct ah_backend_stream *stream);
/* Takes the stream out of active_blocking, if it is there. */
void ahhsa_stream_deactivate(struct ah_backend_stream *stream);
/* As run_callbacks, where the stream is about to get more work: most have none. */
static inline void ahhsa_stream_reap(struct ah_backend_stream *stream)
{
    if (__builtin_expect(stream->checkpoint != 0, 0))
        ahhsa_stream_run_callbacks(stream);
}

/* ---- what the device reports of its work: hsa_trace.c ------------------------------------ */

/* A piece of work whose times will be reported. */
struct ahhsa_traced {
    uint64_t id; /* of the command */
    enum ah_trace_kind kind;
    int node; /* of a graph, or -1 */
    uint64_t bytes;
    struct ahhsa_signal *signal; /* noted there: when the work began and ended */
    bool in_queue;               /* a queue does it, and not an engine or the host */
};

uint64_t ahhsa_trace_find(const struct ah_backend_stream *stream);
static inline bool ahhsa_is_traced(const struct ah_backend_stream *stream)
{
    return atomic_load_explicit(&stream->device->queues->traced, memory_order_relaxed);
}
/* The command to which belongs what this thread puts into the stream; 0: it is not reported. */
static inline uint64_t ahhsa_trace_command(const struct ah_backend_stream *stream)
{
    return __builtin_expect(ahhsa_is_traced(stream), 0) ? ahhsa_trace_find(stream) : 0;
}
/* The following have any lock of the device or none held; something was traced. */
void ahhsa_trace_add(struct ah_backend_device *device, const struct ahhsa_traced *what);
/* So many pieces will not be reported. */
void ahhsa_trace_lose(struct ah_backend_device *device, unsigned count);
void ahhsa_trace_destroy(struct ahhsa_trace *trace); /* accepts NULL */

/* ---- kernel arguments: hsa_kernarg.c ---------------------------------------------------- */

/* Memory for the arguments of kernels of one stream, used from its beginning to its end. */
struct ahhsa_argument_chunk {
    struct ahhsa_argument_pool *pool;
    unsigned char *memory;
    uint32_t used;                     /* bytes; guarded by the device's lock */
    struct ahhsa_argument_chunk *next; /* free ones */
    struct ahhsa_argument_chunk *next_of_all;
};

struct ahhsa_argument_pool *ahhsa_argument_pool_create(struct ah_backend_device *device);
/* Frees all chunks: no kernel is in flight, and no stream has one. */
void ahhsa_argument_pool_clear(struct ahhsa_argument_pool *pool);
void ahhsa_argument_pool_destroy(struct ahhsa_argument_pool *pool); /* accepts NULL */
/* An empty chunk, for a stream; NULL: out of memory. */
struct ahhsa_argument_chunk *ahhsa_argument_chunk_acquire(struct ahhsa_argument_pool *pool);
/* Makes it free for other streams: its kernels have ended. A callback, with any lock or none held.
 */
void ahhsa_argument_chunk_release(void *chunk);

/* ---- host work and events --------------------------------------------------------------- */

/* The thread ends when it has done its jobs, and frees the worker. Under the device's lock, or that
 * of the workers; the caller does not use the worker again. */
void ahhsa_worker_stop(struct ahhsa_worker *worker);

void ahhsa_workers_init(struct ahhsa_workers *workers);
void ahhsa_workers_fini(struct ahhsa_workers *workers);

void ahhsa_events_destroy(struct ah_backend_device *device);

/* ---- events that processes share: hsa_shared_event.c ------------------------------------- */

/* How often an event was recorded and which of these records was reached, for all processes
 * that have it open. */
struct ahhsa_shared_event;
hipError_t ahhsa_shared_event_create(struct ahhsa_shared_event **out_shared);
hipError_t ahhsa_shared_event_open(const void *handle, struct ahhsa_shared_event **out_shared);
/* Writes what another process opens it by: 64 bytes. */
void ahhsa_shared_event_export(const struct ahhsa_shared_event *shared, void *out_handle);
void ahhsa_shared_event_release(struct ahhsa_shared_event *shared); /* accepts NULL */
/* The stream reaches the next record in its order. */
hipError_t ahhsa_shared_event_record(struct ahhsa_shared_event *shared,
                                     struct ah_backend_stream *stream);
bool ahhsa_shared_event_is_reached(const struct ahhsa_shared_event *shared);
/* Whether that will never be, since the process that recorded it has ended. */
bool ahhsa_shared_event_is_abandoned(const struct ahhsa_shared_event *shared);
/* Waits until the latest record is reached, or the device fails. */
hipError_t ahhsa_shared_event_synchronize(const struct ahhsa_shared_event *shared,
                                          struct ah_backend_device *device);
/* Later work of the stream waits for the latest record. */
hipError_t ahhsa_shared_event_wait(struct ahhsa_shared_event *shared,
                                   struct ah_backend_stream *stream);

#endif
