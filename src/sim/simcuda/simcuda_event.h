/* Events, and their state that processes share. */
#ifndef SIMCUDA_EVENT_H
#define SIMCUDA_EVENT_H

#include "simcuda_driver.h"

/* In a file that other processes map too. An event is complete when its last record is done, in
 * whichever process it was recorded. */
enum { SIMCUDA_RECORDERS = 32 };
struct simcuda_event_state {
    char mark[8];
    _Atomic(uint64_t) recorded, done;               /* counted */
    _Atomic(uint64_t) recorders[SIMCUDA_RECORDERS]; /* the process that made record n, at n modulo
                                                     * their count (process.h) */
};

struct simcuda_event {
    struct simcuda_object object;
    unsigned flags;
    struct simcuda_stream *stream; /* of the last record, NULL: never recorded; retained */
    uint64_t ticket;
    double milliseconds;
    struct simcuda_event_state *state; /* NULL: the event belongs to this process only */
    int file;                          /* of state */
};

CUresult simcuda_event_get(CUevent handle, const char *what, struct simcuda_event **out);
CUresult simcuda_event_new(struct simcuda_context *context, unsigned flags,
                           struct simcuda_event **out);

/* Creates the shared state of an event, and destroys it. False: the system is out of files or
 * memory. */
bool simcuda_event_share(struct simcuda_event *event);
void simcuda_event_unshare(struct simcuda_event *event);

/* Returns the number of a new record; the caller says when it is done. */
uint64_t simcuda_event_state_record(struct simcuda_event_state *state);
void simcuda_event_state_done(struct simcuda_event_state *state, uint64_t number);
bool simcuda_event_state_complete(const struct simcuda_event_state *state);
/* Whether the record with that number will never be done, since its process has ended. */
bool simcuda_event_state_abandoned(const struct simcuda_event_state *state, uint64_t number);
/* Waits, without the lock held, for the record of that number.
 * CUDA_ERROR_ILLEGAL_STATE: the process that made it has ended before.
 * CUDA_ERROR_CONTEXT_IS_DESTROYED: the context ends before. */
CUresult simcuda_event_state_wait(const struct simcuda_event_state *state, uint64_t number,
                                  struct simcuda_context *context);

#endif
