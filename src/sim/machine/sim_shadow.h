/* What the optional checks know of a block's own memory (SIM_CHECK_UNINITIALISED,
 * SIM_CHECK_RACES, SIM_CHECK_SYNC): which bytes of its shared memory and of its threads'
 * local memory were written, who accessed shared memory last, and which bytes of it an
 * asynchronous copy is still to write. The engine checks each access first, and reports.
 *
 * What orders accesses: barriers of the whole block, barriers of one wave, and barriers at
 * which some of the waves arrive and some wait. Order between waves is known by wave: when a
 * lane of a wave arrives, everything that the wave did before counts as done, and when one
 * has waited, all of its lanes have. A race that only a missing barrier within a wave makes is
 * therefore seen where no barrier of other waves comes between. */
#ifndef SIM_SHADOW_H
#define SIM_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_shadow;

struct sim_shadow_shape {
    size_t shared_size;    /* bytes of shared memory */
    size_t local_stride;   /* bytes of local memory of each thread */
    unsigned waves, lanes; /* threads: waves * lanes */
    unsigned checks;       /* enum sim_check */
};

/* NULL: no memory. */
struct sim_shadow *sim_shadow_create(const struct sim_shadow_shape *shape);
void sim_shadow_destroy(struct sim_shadow *shadow); /* accepts NULL */
/* A block begins: nothing is written. Accepts NULL, as do all functions below but those that
 * give a verdict. */
void sim_shadow_begin(struct sim_shadow *shadow);
/* A barrier of the block has completed: what threads do from now on comes after. */
void sim_shadow_barrier(struct sim_shadow *shadow);
/* The same among the lanes of one wave. */
void sim_shadow_wave_barrier(struct sim_shadow *shadow, unsigned wave);

/* A barrier that does not hold all threads of the block up, of a number that the engine
 * chooses. What a wave did before it arrives comes before what waves do after they left the
 * phase that it arrived in; complete ends that phase. */
void sim_shadow_arrive(struct sim_shadow *shadow, uint64_t barrier, unsigned wave);
void sim_shadow_complete(struct sim_shadow *shadow, uint64_t barrier);
void sim_shadow_leave(struct sim_shadow *shadow, uint64_t barrier, unsigned wave);

struct sim_shadow_access {
    unsigned thread;
    uint64_t offset, place; /* place: where the code is that does it, as reports name it */
    size_t size;
    bool write, atomic; /* atomic: reads as well, and races with nothing */
};

/* What is wrong with an access. One that is out of bounds is left to others. */
enum sim_shadow_verdict {
    SIM_SHADOW_OK,
    SIM_SHADOW_UNWRITTEN,
    SIM_SHADOW_RACE,
    SIM_SHADOW_PENDING, /* an asynchronous copy, not waited for, is to write it */
};
struct sim_shadow_race {
    uint64_t offset; /* of the byte */
    unsigned thread; /* the other one, and where its code is */
    uint64_t place;
    bool wrote; /* else it read */
};
enum sim_shadow_verdict sim_shadow_shared(struct sim_shadow *shadow,
                                          const struct sim_shadow_access *access,
                                          struct sim_shadow_race *out_race);
enum sim_shadow_verdict sim_shadow_local(struct sim_shadow *shadow,
                                         const struct sim_shadow_access *access);
/* An asynchronous copy of a thread to shared memory begins: what it writes is not there until the
 * thread has waited, and the write counts as done then. It belongs to the group that commit ends
 * next. wait: for all groups that are ended but the last ones, or for all copies. */
void sim_shadow_copy(struct sim_shadow *shadow, const struct sim_shadow_access *access);
void sim_shadow_commit(struct sim_shadow *shadow, unsigned thread);
void sim_shadow_wait(struct sim_shadow *shadow, unsigned thread, unsigned groups_left);
void sim_shadow_wait_all(struct sim_shadow *shadow, unsigned thread);
/* Something else has written size bytes of a thread's local memory. */
void sim_shadow_passed(struct sim_shadow *shadow, unsigned thread, uint64_t offset, size_t size);

#endif
