/* The trace file: what the room has in common. trace.c is told of calls, commands, memory and
 * devices' work in the threads where they happen, and puts records into the ring; the writer's
 * thread takes them out, asks devices for what they have done, and writes events. */
#ifndef AH_TRACE_H
#define AH_TRACE_H

#include "trace_file.h"
#include "trace_ring.h"

#include <pthread.h>

/* A thread of the application. Never freed, and used again by later threads. */
struct ah_trace_thread {
    struct ah_trace_thread *next;
    _Atomic(bool) in_use;
    _Atomic(unsigned) number;
    /* The call that it is in, written before its correlation id, which is 0 between calls. */
    _Atomic(uint64_t) open, open_begin;
    _Atomic(const char *) open_name;
};

/* ---- trace.c --------------------------------------------------------------------------- */

struct ah_trace {
    struct ah_trace_ring ring;
    struct ah_trace_file file; /* the writer's, once its thread runs */
    _Atomic(struct ah_trace_thread *) threads;
    _Atomic(bool) runs;            /* records are made */
    _Atomic(uint64_t) device_lost; /* of devices' work */
};

extern struct ah_trace ah_trace;

/* From now on no records are made. Any thread. */
void ah_trace_turn_off(void);

/* ---- trace_writer.c -------------------------------------------------------------------- */

/* Starts the writer's thread. False: there is none. */
bool ah_trace_writer_start(void);
/* Something should be written soon. */
void ah_trace_writer_wake(void);
/* Writes what there is, and what devices have finished, and ends the thread; waits for that, but
 * not longer than some seconds. */
void ah_trace_writer_end(void);

#endif
