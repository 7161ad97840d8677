/* A block in progress: its memory, and turns of its waves. Private to the
 * scheduler; a block is touched by one thread at a time. */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include "sim_run.h"

/* How a turn of a block went. */
enum sim_turn {
    SIM_TURN_ENDED,  /* every wave has ended */
    SIM_TURN_SLICED, /* its time is over */
    SIM_TURN_RESTED, /* it did something, but now every wave that could run rests */
    SIM_TURN_IDLE,   /* every wave that could run rested from the start */
    SIM_TURN_SPUN,   /* or may have: some of them may be working */
    SIM_TURN_FAILED, /* a wave failed, or none will ever run */
    SIM_TURN_CANCELLED,
    SIM_TURN_STARVED, /* it could not begin: no memory */
};

/* A block without state; NULL: no memory. */
struct sim_block *sim_block_create(struct sim_launch *launch);
void sim_block_destroy(struct sim_block *block); /* accepts NULL */

/* Begins block number of its launch, in state used before or else in fresh one.
 * False: no memory; the block has no state then. */
bool sim_block_begin(struct sim_block *block, uint64_t number,
                     const struct sim_run_settings *settings);

/* By which blocks are stopped for a moment. While wanted is set, wait is called before a wave runs,
 * and returns when it no longer is. */
struct sim_hold {
    _Atomic(bool) wanted;
    void (*wait)(struct sim_block *block);
};

/* Runs its waves until the turn is over. */
enum sim_turn sim_block_turn(struct sim_block *block, const struct sim_run_settings *settings,
                             const struct sim_hold *hold);

#endif
