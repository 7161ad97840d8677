/* The room of streams, hardware queues, copy engines and signals, which keeps work in order.
 *
 * It owns signals (hsa_signal.h), hardware queues and the packets in them, streams and the order
 * within and between them, kernel arguments while their kernel is in flight, the threads that call
 * host functions in stream order, copy engines, and events. It knows nothing of kernels,
 * allocations and arrays: a dispatch is a packet that its user fills in, and a copy is two
 * addresses with their agents. hsa_stream.h says which lock guards which field.
 *
 * Users are the rooms memory and code, and hsa_backend.c. Any thread may call anything; with a
 * device's lock held, only functions whose comment allows it. Functions that "may release the lock"
 * release and take it again, after which their caller has to read all state again. */
#ifndef AHHSA_QUEUE_H
#define AHHSA_QUEUE_H

#include "../hsa_signal.h"

/* ---- devices: hsa_stream.c -------------------------------------------------------------- */

/* What this room keeps of a device; made at its first use, with its legacy stream. Under
 * start_lock. */
hipError_t ahhsa_device_queues_start(struct ah_backend_device *device);
/* In a reset: frees streams, events, queues and kernel arguments, which no other thread uses.
 * Accepts a device that was never started. */
void ahhsa_device_queues_stop(struct ah_backend_device *device);
/* Likewise. Signals are freed only here: streams of other devices may hold
 * references to them. */
void ahhsa_device_queues_destroy(struct ah_backend_device *device);
/* Returns when all threads of the device's streams have ended, also those of streams that were
 * destroyed before. They no longer wait for values in memory, and call no host function that was
 * queued behind such a wait. Work that they wait for must have ended, or the device must have
 * failed. Accepts a device that was never started. Not under the lock. */
void ahhsa_device_stop_workers(struct ah_backend_device *device);
/* The device has failed: completes every signal that is in use, but those of copy engines, which
 * complete theirs. */
void ahhsa_device_complete_signals(struct ah_backend_device *device);
/* Before memory of a device that has failed is freed: waits until no engine copies. */
void ahhsa_device_wait_for_copies(struct ah_backend_device *device);

/* Waits for everything that was put into any stream of the device so far, and reaps. */
hipError_t ahhsa_device_drain(struct ah_backend_device *device);
/* Runs the completion callbacks of all work of the device that has ended, and frees streams that
 * were destroyed. Not under the lock. */
void ahhsa_device_reap(struct ah_backend_device *device);

/* ---- streams: hsa_stream.c -------------------------------------------------------------- */

struct ah_backend_device *ahhsa_stream_device(const struct ah_backend_stream *stream);
/* No other stream of this process ever has the same one; never 0. */
uint64_t ahhsa_stream_id(const struct ah_backend_stream *stream);
bool ahhsa_stream_is_legacy(const struct ah_backend_stream *stream);

/* The buffers that kernels of a stream print into, oldest first: of hsa_output.c, guarded by the
 * lock of struct ahhsa_kernel_services. */
struct ahhsa_stream_output {
    struct ahhsa_print_buffer *first, *last;
};
struct ahhsa_stream_output *ahhsa_stream_output(struct ah_backend_stream *stream);

/* The signal of all work of the stream and of all that it waits for, retained; NULL: it has ended.
 * An entry: takes the lock. */
hipError_t ahhsa_stream_last_signal(struct ah_backend_stream *stream,
                                    struct ahhsa_signal **out_signal);
/* Later work of the stream waits for a signal, perhaps of another device. */
hipError_t ahhsa_stream_wait_signal(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream, struct ahhsa_signal *signal);
/* A copy in the legacy stream, to or from memory of another device, is ordered after that device's
 * work too. other may be NULL or the device itself. */
hipError_t ahhsa_stream_order_after_device(struct ah_backend_device *device,
                                           struct ah_backend_stream *stream,
                                           struct ah_backend_device *other);
/* Calls function(data) once, when all work that is in the stream now has ended: from a thread that
 * synchronises, queries, or puts work into a stream of the device, without the lock. Under the
 * lock; room was reserved. */
void ahhsa_stream_add_callback(struct ah_backend_stream *stream, void (*function)(void *data),
                               void *data);

/* ---- kernels: hsa_packet.c ------------------------------------------------------------ */

enum ahhsa_dispatch_flags {
    AHHSA_DISPATCH_SIGNAL = 1,      /* its callbacks run as soon as it has ended, not later */
    AHHSA_DISPATCH_COOPERATIVE = 2, /* in the queue for kernels whose blocks are all resident */
};

/* A kernel on its way into a stream. The caller of begin fills in arguments and packet. */
struct ahhsa_dispatch {
    struct ah_backend_stream *stream;
    const hsa_queue_t *queue;             /* for hidden_queue_ptr */
    hsa_kernel_dispatch_packet_t *packet; /* all 0; header and completion_signal are not yours */
    unsigned char *arguments;             /* as many bytes as were requested of begin */
    /* Of hsa_packet.c. */
    struct ahhsa_queue *to;
    uint64_t index;
    struct ahhsa_signal *signal; /* of AHHSA_DISPATCH_SIGNAL */
    uint64_t traced;             /* the command that its times are reported for, or 0 */
    bool barrier;                /* it waits for what is before it in the queue */
    bool off_queue;              /* it is not in the stream's own queue */
};

/* Reserves a packet behind all earlier work of the stream, and memory for arguments_size bytes (a
 * multiple of the padding below, 0: none) of arguments until the kernel has ended. On success the
 * device's lock is held until ahhsa_dispatch_end, which must follow: fill in what is above, and do
 * nothing else in between.
 *
 * The fast path, of a stream that waits for nothing and has room, allocates nothing, makes no
 * system call, and takes no lock but the device's. */
hipError_t ahhsa_dispatch_begin(struct ah_backend_stream *stream, uint32_t arguments_size,
                                unsigned flags, struct ahhsa_dispatch *out_dispatch);
/* Hands the packet to the device. */
void ahhsa_dispatch_end(struct ahhsa_dispatch *dispatch);

enum { AHHSA_ARGUMENTS_MAX = (64 << 10) + 64 }; /* bytes for one kernel */

/* Arguments lie at multiples of this. */
static inline size_t ahhsa_arguments_padded(size_t size)
{
    enum { ALIGNMENT = 64 };
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* ---- kernels that were prepared before: hsa_run.c --------------------------------------- */

/* Packets for one launch after another. Nobody changes them while a launch copies them. */
struct ahhsa_run {
    /* Complete but for completion signals; the barrier bit of a header says that the kernel waits
     * for those before it. */
    const hsa_kernel_dispatch_packet_t *packets;
    unsigned count;
    bool ends_in_one;      /* all others have ended when the last one has */
    const unsigned *nodes; /* the index of each packet's node in its graph, for traces */
};

/* What follows a header's barrier bit, 0 or 1: of a kernel, with fences of the system. */
uint16_t ahhsa_run_header(bool barrier);

/* Puts the packets behind all earlier work of the stream, and rings the queue's doorbell once, or
 * once for each half of a queue that is too short. ended(data) is called when they have ended, as
 * ahhsa_stream_add_callback says, also after an error, except that *out_begun says false: then it is
 * not called, and nothing was queued. *out_signal is completed after the packets; it is retained.
 * An entry: takes the lock. In a program that repeats itself it allocates nothing. */
hipError_t ahhsa_run_enqueue(struct ah_backend_stream *stream, const struct ahhsa_run *run,
                             void (*ended)(void *data), void *data, bool *out_begun,
                             struct ahhsa_signal **out_signal);

/* ---- copies: hsa_engine.c --------------------------------------------------------------- */

/* One end of a copy. */
struct ahhsa_location {
    char *pointer;     /* as copy engines see it; as the host does, when it is pageable */
    char *host;        /* as the host sees it, NULL: it does not */
    hsa_agent_t agent; /* whose memory it is */
    struct ah_backend_device *device; /* NULL: the host's */
    bool pageable;
};

/* Rows. */
struct ahhsa_box {
    struct ahhsa_location location;
    size_t pitch, slice; /* bytes from row to row, and from slice to slice */
};

struct ahhsa_transfer {
    struct ahhsa_box dst, src;
    size_t size[3]; /* bytes, rows, slices */
    bool is_fill;   /* of which it is a part */
};

/* One row of a batch. */
struct ahhsa_row {
    struct ahhsa_location dst, src;
    size_t size;
};

/* The same as below, of several rows, which engines copy in any order. */
hipError_t ahhsa_rows_start(struct ah_backend_device *device, const struct ahhsa_row *rows,
                            size_t count, const struct ahhsa_signal *before,
                            struct ahhsa_signal *after);
/* Starts it on a copy engine, once before (NULL: nothing) is done; it then completes after. On
 * failure the caller subtracts one from after, which is done then when what was started is. */
hipError_t ahhsa_transfer_start(struct ah_backend_device *device,
                                const struct ahhsa_transfer *transfer,
                                const struct ahhsa_signal *before, struct ahhsa_signal *after);

/* ---- work outside of the hardware queues: hsa_stream.c ---------------------------------- */

/* A place in a stream for one piece of work that does not go through the stream's queue: a copy, or
 * something that the host does. */
struct ahhsa_work {
    struct ah_backend_stream *stream;
    struct ah_backend_device *device; /* the stream's */
    struct ahhsa_signal *before; /* wait for this first, NULL: for nothing; held by the stream */
    struct ahhsa_signal *after;  /* complete this when done; held by the stream */
    bool host_dependent; /* before is: a copy engine must not wait for it, or it would hold up the
                            copies of other streams */
    uint64_t traced;     /* the command that its times are reported for, or 0 */
    /* What is reported, set between begin and end. */
    enum ah_trace_kind kind;
    uint64_t bytes;
};

/* Reserves the next place in the stream and keeps the lock, also room for 4 callbacks. */
hipError_t ahhsa_work_begin(struct ah_backend_stream *stream, struct ahhsa_work *out_work);
/* Releases the lock. A copy that waits in an engine for `before` was started earlier, under the
 * lock: engines work in the order of submission, which must be the order of the places. Other
 * work is started now. */
void ahhsa_work_end(struct ahhsa_work *work);
/* Instead of work_end, when the work was given to no thread or engine: there is none. */
void ahhsa_work_cancel(struct ahhsa_work *work);
/* After work_end, when the work could not be started: subtracts one from `after` when `before` is
 * done, so that nothing overtakes what comes before. */
void ahhsa_work_abandon(struct ahhsa_work *work);

/* ---- work of the host: hsa_worker.c ----------------------------------------------------- */

enum ahhsa_job_kind {
    AHHSA_JOB_FUNCTION,
    AHHSA_JOB_CALLBACK,
    AHHSA_JOB_WAIT,
    AHHSA_JOB_ADD,
    AHHSA_JOB_POLL, /* calls poll(data) until it returns true; it waits for some milliseconds */
    AHHSA_JOB_COPY,
    AHHSA_JOB_COMPLETE, /* subtracts one from `after`, of which others subtract the rest */
};

struct ahhsa_job {
    enum ahhsa_job_kind kind;
    struct ahhsa_signal *before, *after; /* set when it is queued; both held; before may be NULL */
    void (*function)(void *data);
    void (*callback)(void *data, hipError_t status);
    bool (*poll)(void *data);
    void *data;
    void (*finish)(void *owner); /* called when the job is done, or cannot be; NULL: nothing */
    void *owner;
    /* AHHSA_JOB_WAIT, AHHSA_JOB_ADD: data is the address of the value. */
    uint64_t value, mask;
    enum ah_wait_condition condition;
    int bits;
    bool device_only;                                  /* the host cannot access the address */
    bool (*is_abandoned)(void *owner, uint64_t value); /* the value will never be there; NULL: it
                                                          always may */
    struct ahhsa_transfer transfer;                    /* AHHSA_JOB_COPY */
    enum ah_trace_kind reported_as;                    /* in traces */
};

/* Has the stream's thread do the job, in stream order. sleeps: it may wait for something that no
 * stream does. */
hipError_t ahhsa_host_enqueue(struct ah_backend_stream *stream, struct ahhsa_job *job, bool sleeps);
/* The same for a place in the stream that was reserved; the lock is held. */
hipError_t ahhsa_host_enqueue_at(struct ahhsa_work *place, struct ahhsa_job *job);
/* Calls function(data) in stream order, at once if it is brief and the stream is idle, and on the
 * stream's thread otherwise; exactly once, with the device's error if it has failed, also when
 * this fails. In traces it is reported as that kind. */
hipError_t ahhsa_host_run(struct ah_backend_stream *stream, bool brief, enum ah_trace_kind kind,
                          void (*function)(void *data, hipError_t status), void *data);

#endif
