/* Watches launches in progress: ends those that run for too long, writes a line about work that
 * takes long, and a report on every launch when the process gets SIGQUIT. Private to the scheduler.
 *
 * A thread does so, and looks at the launches under the scheduler's lock. For a report, the threads
 * that run blocks stop between two turns of waves, so that no thread changes what it reads. */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "sim_block.h"

/* ---- the pool, as the watch sees it (sim_run.c) ------------------------------------------ */

struct sim_pool_view {
    struct sim_launch *first; /* in progress; by next. Their parked blocks do not run */
    struct sim_block *held;   /* those that were running, and are stopped; by next */
    unsigned not_held;        /* threads that run a block which did not stop in time */
    uint64_t ended;           /* launches so far */
};

/* Takes the scheduler's lock. hold: every block that runs stops, until sim_pool_unlock. */
struct sim_pool_view sim_pool_lock(bool hold);
/* Ends a launch; called with the lock held. */
void sim_pool_cancel(struct sim_launch *launch);
void sim_pool_unlock(void);


/* ---- the watch --------------------------------------------------------------------------------
 */

/* Called before a launch is added, with the scheduler's lock held. ended: launches so far. Returns
 * whether the watch is not started yet, and sim_watch_start is to be called. */
bool sim_watch_begin(const struct sim_run_settings *settings, uint64_t ended);
/* Starts the thread, and installs the handler of SIGQUIT, unless the program has one or ignores the
 * signal. Called without the scheduler's lock, before the launch is added. */
void sim_watch_start(void);
/* A launch has been added; now: ah_clock_now. Called with the scheduler's lock held. */
void sim_watch_note(uint64_t now);
/* Stops and joins the thread, and removes the handler. */
void sim_watch_stop(void);
/* In the child of a fork, which has no such thread: SIGQUIT has its default effect there. */
void sim_watch_remove(void);

#endif
