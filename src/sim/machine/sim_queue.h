/* The launches in progress, and which block is next. Private to the scheduler, whose lock is held
 * for every call. */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "sim_block.h"

struct sim_queue {
    struct sim_launch *first; /* by priority */
    uint64_t picks, ends;     /* turns so far; blocks that released their memory */
    uint64_t resident;        /* blocks, of all launches */
    uint64_t parked, deferred;
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

/* A resident block has ended. */
void sim_queue_end(struct sim_queue *queue, struct sim_launch *launch);

/* Whether a launch has nothing left to run. */
bool sim_queue_finished(const struct sim_launch *launch);

/* Whether threads must call this before they begin the launch's next block. */
bool sim_queue_crowded(const struct sim_queue *queue);

#endif
