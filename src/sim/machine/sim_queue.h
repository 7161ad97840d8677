/* The launches in progress, and which block is next. Private to the scheduler, whose lock is held
 * for every call. */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "sim_block.h"

/* Consecutive blocks of a launch that one thread begins, one after the other, as their memory often
 * follows each other, too. The owner takes from it without the lock; all else is done under it.
 * What is left when a block does not end in its turn is given back to all threads. */
struct sim_span {
    _Atomic(struct sim_launch *) launch; /* NULL: it is empty */
    _Atomic(uint64_t) next, end;         /* numbers of blocks */
    _Atomic(uint64_t) filling;           /* blocks that it is about to have */
    _Atomic(bool) given_back;
    struct sim_span *other; /* of the queue */
};

struct sim_queue {
    struct sim_launch *first; /* by priority */
    struct sim_span *spans;   /* one of each thread */
    uint64_t picks, ends;     /* turns so far; blocks that released their memory */
    uint64_t resident;        /* blocks, of all launches */
    uint64_t parked, deferred;
    uint64_t continued; /* turns of parked blocks so far */
    unsigned launches;
};

/* What a thread is to do next. */
struct sim_pick {
    struct sim_launch *launch; /* NULL: nothing */
    struct sim_block
        *block; /* a block to continue with; or memory to begin one in, NULL: to be allocated */
    uint64_t number;         /* of the block to begin */
    struct sim_block *spare; /* to be destroyed, or NULL */
    bool begins;
    bool alone;    /* no other block is resident */
    bool finished; /* the launch was cancelled before anything of it ran: it is to end */
};

/* Sets what is private in launch. */
void sim_queue_add(struct sim_queue *queue, struct sim_launch *launch);
void sim_queue_remove(struct sim_queue *queue, struct sim_launch *launch);

/* Picks what is next: of the launches of highest priority, or (fair) of all, the
 * one whose last turn is longest ago. A block that is to begin counts as resident. */
struct sim_pick sim_queue_pick(struct sim_queue *queue, bool fair);

/* How many blocks could be picked, counted up to limit. */
unsigned sim_queue_due(const struct sim_queue *queue, unsigned limit);

/* Whether there is anything to pick but parked blocks. */
bool sim_queue_has_new(const struct sim_queue *queue);

/* Sets a block aside; turn: how its last one ended. */
void sim_queue_park(struct sim_queue *queue, struct sim_block *block, enum sim_turn turn);

/* A block found no memory to begin in; alone: nor did it when nothing else was
 * resident. False: there will never be any; the block is the caller's. */
bool sim_queue_defer(struct sim_queue *queue, struct sim_block *block, bool alone);

/* A thread's span, empty when it goes. */
void sim_queue_add_span(struct sim_queue *queue, struct sim_span *span);
void sim_queue_remove_span(struct sim_queue *queue, const struct sim_span *span);

/* What is left of a span of its owner's last pick is for all threads now. */
void sim_span_give_back(struct sim_span *span);

/* Blocks that have ended; too few while threads that are not held take blocks, and never too many.
 */
uint64_t sim_queue_ended(const struct sim_launch *launch);

/* The next block of a launch, without the lock: of the thread's span, which is filled as is good
 * for so many threads. False: all have begun. */
bool sim_span_take(struct sim_span *span, struct sim_launch *launch, unsigned threads,
                   uint64_t *out_number);
bool sim_span_is_empty(const struct sim_span *span);

/* A resident block has ended. */
void sim_queue_end(struct sim_queue *queue, struct sim_launch *launch);

/* Whether a launch has nothing left to run. */
bool sim_queue_finished(const struct sim_launch *launch);

/* Whether threads must call this before they begin the launch's next block. */
bool sim_queue_crowded(const struct sim_queue *queue);

#endif
