/* Private to backend_hsa: how streams, queues and signals are kept. What puts work into a
 * stream uses this; kernels need no more than hsa_backend.h has. */
#ifndef AHHSA_STREAM_H
#define AHHSA_STREAM_H

#include "hsa_device.h"

static inline void ahhsa_lock(struct ah_backend_device *device)
{
    pthread_mutex_lock(&device->lock);
}

static inline void ahhsa_unlock(struct ah_backend_device *device)
{
    pthread_mutex_unlock(&device->lock);
}

/* The device's error, for those who hold the lock: after it was seen nothing is queued. */
static inline hipError_t ahhsa_device_error(struct ah_backend_device *device)
{
    return (hipError_t)atomic_load_explicit(&device->error, memory_order_relaxed);
}

/* ---- signals: hsa_signal.c -------------------------------------------------------------- */

struct ahhsa_signals *ahhsa_signals_create(struct ah_backend_device *device);
void ahhsa_signals_destroy(struct ahhsa_signals *signals); /* accepts NULL */
/* Lets everybody go who waits for a signal that is taken; copies end by themselves. */
void ahhsa_signals_complete_all(struct ahhsa_signals *signals);
/* Before memory goes, of a device that has failed: waits until no engine copies, as long as that
 * may take. Accepts NULL. */
void ahhsa_signals_await_copies(struct ahhsa_signals *signals);

/* ---- queues: hsa_queue.c ---------------------------------------------------------------- */

enum { AHHSA_DEPENDENCIES = 5 }; /* of one barrier packet */

/* A queue for a stream, which counts as its user from now on. Under the lock. */
hipError_t ahhsa_queue_choose(struct ah_backend_device *device, hsa_amd_queue_priority_t priority,
                              bool exclusive, struct ahhsa_queue **out_queue);
/* Makes a queue that is not there yet. Under the lock. */
hipError_t ahhsa_queue_open(struct ah_backend_device *device, struct ahhsa_queue *queue,
                            hsa_queue_type_t type, hsa_amd_queue_priority_t priority);
void ahhsa_queue_leave(struct ahhsa_queue *queue);
void ahhsa_queues_close(struct ah_backend_device *device);
/* Whether there is room for packets more. Under the lock. */
bool ahhsa_queue_has_room(struct ahhsa_queue *queue, unsigned packets);
/* Waits for room, during which the lock is not held. Returns the device's error. */
hipError_t ahhsa_queue_wait(struct ahhsa_queue *queue, unsigned packets);
/* Puts a barrier into the queue, for which there is room: it waits for what is before it,
 * if so asked, and for signals, and then completes `completion`, unless that is 0. */
void ahhsa_queue_barrier(struct ahhsa_queue *queue, bool waits, struct ahhsa_signal *const *signals,
                         unsigned count, hsa_signal_t completion);
/* Whether a packet that is put into the queue now may come to wait for a soft signal of another
 * stream, whose barrier is before it. Under the lock. */
bool ahhsa_queue_is_soft(struct ahhsa_queue *queue);

/* ---- order: hsa_stream.c; all under the lock -------------------------------------------- */

/* Before every piece of work: the stream is to wait for work of others that goes before, as
 * default streams and blocking streams do. May let the lock go for a while. */
hipError_t ahhsa_stream_join(struct ah_backend_stream *stream);
/* Makes `tail` the signal of everything that was put in, and of all that later work waits
 * for (NULL: it all has ended). fresh: also if it has ended, so that its time is now. May
 * let the lock go for a while. */
hipError_t ahhsa_stream_mark(struct ah_backend_stream *stream, bool fresh);
/* Packets that count signals need as barriers. */
static inline unsigned ahhsa_barriers_for(unsigned signals)
{
    return (signals + AHHSA_DEPENDENCIES - 1) / AHHSA_DEPENDENCIES;
}
/* Room in the stream's queue for packets behind what it must wait for, and for hooks beside
 * those of put_waits. May let the lock go for a while. */
hipError_t ahhsa_stream_make_room(struct ah_backend_stream *stream, unsigned packets,
                                  unsigned hooks);
/* Puts barriers for what the stream must wait for and its queue does not see to. Whether the
 * next packet must wait for what is before it in the queue. */
bool ahhsa_stream_put_waits(struct ah_backend_stream *stream);
/* Whether all that was put into it has ended. */
bool ahhsa_stream_is_idle(const struct ah_backend_stream *stream);
/* Room for count hooks. */
hipError_t ahhsa_stream_reserve_hooks(struct ah_backend_stream *stream, unsigned count);
/* Room was reserved. function NULL: data is a signal to let go of. */
void ahhsa_stream_hook(struct ah_backend_stream *stream, void (*function)(void *data), void *data);
/* The stream's latest work is what this signal stands for; the stream takes the reference.
 * Room for one hook was reserved. */
void ahhsa_stream_set_tail(struct ah_backend_stream *stream, struct ahhsa_signal *signal,
                           bool elsewhere);
/* Later work of the stream waits for the signal, which is held. */
hipError_t ahhsa_stream_wait(struct ah_backend_stream *stream, struct ahhsa_signal *signal);
/* A queue of its own, if there are any left: what waits for the host must hold up nobody. */
hipError_t ahhsa_stream_move(struct ah_backend_stream *stream);
/* Calls the hooks of what has ended; the lock is let go meanwhile. */
void ahhsa_stream_retire(struct ah_backend_stream *stream);
/* Likewise, when the stream puts in more: looks whether there is something to do first. */
static inline void ahhsa_stream_tidy(struct ah_backend_stream *stream)
{
    if (__builtin_expect(stream->checkpoint != 0, 0))
        ahhsa_stream_retire(stream);
}

/* Work that happens elsewhere than in the stream's queue, in one piece: a copy, a function. */
struct ahhsa_work {
    struct ah_backend_stream *stream;
    struct ahhsa_signal *before; /* wait for this first, NULL: for nothing; held by the stream */
    struct ahhsa_signal *after;  /* complete this when done; held by the stream */
    bool soft; /* before is: copy engines must not wait for it, or they hold up other streams */
};

/* Reserves the next place in the stream and keeps the lock, also for room for 4 hooks. */
hipError_t ahhsa_work_begin(struct ah_backend_stream *stream, struct ahhsa_work *out_work);
/* Lets the lock go. A copy that waits in an engine for `before` was started earlier, under the
 * lock: engines work in the order of submission, which must be the order of the places. Other
 * work is to be started now. */
void ahhsa_work_end(struct ahhsa_work *work);
/* Instead of work_end, when nobody was told of the work: there is none. */
void ahhsa_work_cancel(struct ahhsa_work *work);
/* After work_end, when the work could not be started: takes one from `after` when `before` is
 * done, so that nothing overtakes what comes before. */
void ahhsa_work_failed(struct ahhsa_work *work);

hipError_t ahhsa_stream_open(struct ah_backend_device *device, bool blocking, int priority,
                             struct ah_backend_stream **out_stream);
/* Later work of a stream waits for a signal, perhaps of another device. */
hipError_t ahhsa_stream_depend(struct ah_backend_device *device, struct ah_backend_stream *handle,
                               struct ahhsa_signal *signal);
/* A copy in the legacy stream, to or from memory of another device, comes after that device's
 * work too. other may be NULL or the device itself. */
hipError_t ahhsa_stream_follow(struct ah_backend_device *device, struct ah_backend_stream *handle,
                               struct ah_backend_device *other);
/* Frees all streams, with whatever they still hold; nobody uses them. */
void ahhsa_streams_close(struct ah_backend_device *device);

/* ---- host functions: hsa_host.c --------------------------------------------------------- */

enum ahhsa_job_kind {
    AHHSA_JOB_FUNCTION,
    AHHSA_JOB_CALLBACK,
    AHHSA_JOB_WAIT,
    AHHSA_JOB_COPY,
    AHHSA_JOB_NOTHING, /* takes one from `after`, where others complete it */
};

/* One end of a copy. */
struct ahhsa_place {
    char *pointer;     /* as copy engines see it; as the host does, when it is pageable */
    char *host;        /* as the host does, NULL: it does not */
    hsa_agent_t agent; /* whose memory it is */
    struct ah_backend_device *device; /* NULL: the host's */
    bool pageable;
};

/* Rows. */
struct ahhsa_box {
    struct ahhsa_place place;
    size_t pitch, slice; /* bytes from row to row, and from slice to slice */
};

struct ahhsa_transfer {
    struct ahhsa_box dst, src;
    size_t size[3]; /* bytes, rows, slices */
};

struct ahhsa_job {
    enum ahhsa_job_kind kind;
    struct ahhsa_signal *before, *after; /* both held; before may be NULL */
    void (*function)(void *data);
    void (*callback)(void *data, hipError_t status);
    void *data;
    void (*finish)(void *owner); /* called when the job is done, or cannot be; NULL: nothing */
    void *owner;
    /* AHHSA_JOB_WAIT */
    uint64_t value, mask;
    enum ah_wait_condition condition;
    int bits;
    bool (*is_lost)(void *owner, uint64_t value); /* it will never be there; NULL: it may always */
    struct ahhsa_transfer transfer;               /* AHHSA_JOB_COPY */
};

/* Has the job done by the stream's thread, in stream order. before and after are set here.
 * sleeps: it may wait for something outside of the stream. */
hipError_t ahhsa_host_post(struct ah_backend_stream *stream, struct ahhsa_job *job, bool sleeps);
/* As above, for a place in the stream that is taken already; the lock is held. */
hipError_t ahhsa_host_put(struct ahhsa_work *place, struct ahhsa_job *job);
/* The thread ends when it has done its jobs, and is joined by reap or end below. Under the lock,
 * or that of the workers: the worker may be gone as soon as it is let go. */
void ahhsa_worker_stop(struct ahhsa_worker *worker);

void ahhsa_workers_open(struct ah_backend_device *device);
/* Joins the threads that have ended. Not under the lock. */
void ahhsa_workers_reap(struct ah_backend_device *device);
/* Takes every stream's thread away and returns when all threads of the device have ended, also
 * those of streams that were destroyed before. They give up waiting for values in memory and call
 * no host function that was queued behind such a wait; work that they wait for must have ended, or
 * the device must have failed. Not under the lock. */
void ahhsa_workers_end(struct ah_backend_device *device);
void ahhsa_workers_close(struct ah_backend_device *device);

/* ---- events ----------------------------------------------------------------------------- */

void ahhsa_events_close(struct ah_backend_device *device);

/* ---- marks that processes share: hsa_shared.c --------------------------------------------- */

/* How often an event was recorded and which of these records was reached, for all processes
 * that have it open. */
struct ahhsa_shared;
hipError_t ahhsa_shared_create(struct ahhsa_shared **out_shared);
hipError_t ahhsa_shared_open(const void *handle, struct ahhsa_shared **out_shared);
/* Writes what another process opens it by: 64 bytes. */
void ahhsa_shared_export(const struct ahhsa_shared *shared, void *out_handle);
void ahhsa_shared_release(struct ahhsa_shared *shared); /* accepts NULL */
/* The stream reaches the next record in its order. */
hipError_t ahhsa_shared_record(struct ahhsa_shared *shared, struct ah_backend_stream *stream);
bool ahhsa_shared_is_reached(const struct ahhsa_shared *shared);
/* Whether that will never be, since the process that recorded it has ended. */
bool ahhsa_shared_is_abandoned(const struct ahhsa_shared *shared);
/* Waits until the latest record is reached, or the device fails. */
hipError_t ahhsa_shared_wait(const struct ahhsa_shared *shared, struct ah_backend_device *device);
/* Later work of the stream waits for the latest record. */
hipError_t ahhsa_shared_depend(struct ahhsa_shared *shared, struct ah_backend_stream *stream);

#endif
