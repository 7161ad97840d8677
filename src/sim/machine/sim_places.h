/* Where the threads of a launch are: what an engine reports of its waves, and the text of reports
 * on launches in progress. Nothing here takes a lock; the caller sees to it that nothing runs. */
#ifndef SIM_PLACES_H
#define SIM_PLACES_H

#include "sim_report.h"
#include "sim_run.h"

/* Threads that do the same at the same place in the code. */
struct sim_place {
    const struct sim_block *block; /* of the first that were found */
    unsigned wave;
    const void *what; /* the engine's */
    uint64_t key;     /* equal for threads that engine.describe describes alike */
    uint64_t threads;
    uint64_t blocks; /* that have such threads */
};

enum { SIM_PLACES_MAX = 12 };
struct sim_places {
    struct sim_place items[SIM_PLACES_MAX];
    unsigned count;
    uint64_t elsewhere;            /* threads in places beyond those */
    uint64_t last[SIM_PLACES_MAX]; /* the number of the block that was counted last */
};

/* Adds threads, 1 or more, that are where key says; place: all but blocks. */
void sim_places_add(struct sim_places *places, const struct sim_place *place);

/* Adds a block's waves. */
void sim_places_of_block(const struct sim_block *block, struct sim_places *places);

/* Adds what a launch is and how far it is, and where its threads are: those of its parked blocks
 * and of those in the list held (by next). now: in nanoseconds. */
void sim_places_report(const struct sim_launch *launch, const struct sim_block *held, uint64_t now,
                       struct sim_report *text);

#endif
