/* Runs grids: blocks and their waves (warps, wavefronts) over a pool of threads.
 *
 * The scheduler does not know instructions: an engine runs one wave for a
 * while and returns its state. A block's waves all run on one thread at a time; blocks run
 * in parallel. A launch holds state for its resident blocks only. Blocks that
 * spin on what another block does make progress: one that ran for long, or
 * sleeps, is parked while others run, up to the launch's limit of resident
 * blocks; the same goes for launches. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_launch;
struct sim_block;
struct sim_place;
struct sim_places;
struct sim_report;

/* What a wave can be; in sim_block.waves[]. */
enum sim_wave {
    SIM_WAVE_READY, /* runs when its turn comes */
    SIM_WAVE_RESTS, /* sleeps, or is known to wait for other waves, blocks or the host: the others
                       run first, and if there are none it runs rarely */
    SIM_WAVE_SPINS, /* may be waiting so, or may be working: the others first */
    SIM_WAVE_WAITS, /* for another wave of its block, which will make it READY */
    SIM_WAVE_ENDED,
    SIM_WAVE_FAILED, /* the launch ends; the engine has reported why */
};

/* What executes one kind of device code. */
struct sim_engine {
    const char *name;
    /* Prepares block->state for block->index. fresh: the memory was never used
     * (it is zeroed); otherwise it held another block of the same launch. Sets
     * nothing in block but may. False: no memory; the block is tried again, with
     * fresh memory, when others have ended, and the launch fails when there are
     * none. end is not called then, fini is. */
    bool (*begin)(struct sim_block *block, bool fresh);
    /* Runs a READY, RESTS or SPINS wave for about budget steps and returns its new
     * state. May change the state of other waves of the block. */
    enum sim_wave (*run)(struct sim_block *block, unsigned wave, unsigned budget);
    /* All waves that have not ended WAIT, so none ever will: reports it, or makes one READY.
     * Returns whether the block can continue. */
    bool (*stuck)(struct sim_block *block);
    /* Some blocks of a launch have ended, and another one waits: whether those that are left wait
     * at the grid's barrier, so that none can continue; it is reported then. NULL: never. Called
     * under the scheduler's lock. */
    bool (*grid_hangs)(struct sim_launch *launch, uint64_t ended);
    /* For reports on launches in progress (sim_watch.h); called under the scheduler's lock, for
     * blocks that no thread runs at that moment. NULL: there are no such reports.
     * introduce adds the kernel's name, and the size of its grid and of its blocks.
     * find_threads adds the places where the threads of a wave are, by sim_places_add.
     * describe adds what the threads of a place do. */
    void (*introduce)(const struct sim_launch *launch, struct sim_report *text);
    void (*find_threads)(const struct sim_block *block, unsigned wave, struct sim_places *places);
    void (*describe)(const struct sim_place *place, struct sim_report *text);
    /* The launch has run for longer than sim_run_settings allows: it will be cancelled, for this
     * reason. Returns whether it had not failed already. Called under the scheduler's lock. */
    bool (*time_out)(struct sim_launch *launch);
    /* The block has ended or is abandoned. NULL: there is nothing to do. */
    void (*end)(struct sim_block *block);
    /* The memory is freed: called once for every memory that begin saw fresh. */
    void (*fini)(struct sim_block *block);
};

struct sim_block {
    struct sim_launch *launch;
    uint64_t number;   /* x + grid.x * (y + grid.y * z) */
    uint32_t index[3]; /* x, y, z */
    unsigned wave_count;
    unsigned char *waves;   /* enum sim_wave of each */
    void *state;            /* launch->state_size bytes, aligned to 64 */
    struct sim_block *next; /* private to the scheduler, as is all below */
    unsigned turn;          /* the wave after the one that ran last */
    unsigned parks;         /* how often it was parked */
    unsigned spins;         /* turns in a row in which it may have done nothing but wait */
    uint64_t random;        /* deterministic: what its order is drawn from */
};

struct sim_launch {
    /* Set by the caller. */
    const struct sim_engine *engine;
    const void *kernel; /* identifies it, to remember whether it is a short one; NULL: unknown */
    uint32_t grid[3];
    unsigned waves_per_block;
    size_t state_size;     /* bytes of engine state of a resident block */
    uint64_t resident_max; /* blocks that may be in progress at once, >= 1; a cooperative launch
                              passes all of them */
    bool is_empty;         /* no block does anything, and one runs for all of them */
    int priority;          /* lower runs first, as CUDA has it */
    bool helped;           /* the caller calls sim_run_help as soon as sim_run has returned true */
    /* The launch has ended; failed: a wave failed or the launch was cancelled.
     * Called once, on a thread of the pool or on the one that helps, as the last
     * thing done with it: the function may free the launch, unless it is helped. */
    void (*done)(struct sim_launch *launch, bool failed);
    void *data; /* the caller's */
    /* Private to the scheduler. */
    _Atomic(bool) cancelled;
    struct sim_launch *next;
    struct sim_queue *queue;                /* that it is in; NULL: it has ended */
    _Atomic(uint64_t) begun;                /* blocks, and more when all have begun; those of spans
                                               count at once */
    _Atomic(bool) singly;                   /* no thread takes a span of blocks any more */
    unsigned given_back;                    /* spans that threads have given back */
    uint64_t block_count, resident;         /* resident: that run or are parked */
    struct sim_block *parked, **parked_end; /* oldest first */
    struct sim_block *unused, *deferred;    /* memory of ended blocks; blocks that found none */
    uint64_t parked_count, unused_count;
    bool helping;       /* a thread has the place of one of the pool's to run it */
    uint64_t patience;  /* parked blocks to continue with before a new one begins */
    uint64_t last_pick; /* when it last had a turn, in picks of the queue */
    uint64_t since;     /* nanoseconds: when it was added */
    bool late;          /* engine.time_out was called, and it will be cancelled */
    uint64_t starved;   /* ends of the queue, plus one, when there was no memory; 0: there is */
};

/* For engines: the initial contents of shared memory, which is filled with SIM_UNUSED_WORD.
 * A later block finds the contents that the block before it left, as on a GPU. */
enum { SIM_UNUSED_WORD = -467283 }; /* 0xfff8dead: a NaN as a float, a double and a bfloat */
void sim_run_fill_unused(void *memory, size_t size);

/* Settings of the pool; takes effect with the first launch. threads: 0 for one
 * per core. deterministic: one thread, blocks one after the other, and the
 * order and the budgets of waves derived from seed: reproducible runs. */
struct sim_run_settings {
    unsigned threads;
    bool deterministic;
    uint64_t seed;
    uint64_t timeout_ns;  /* a launch that runs for longer fails; 0: none does */
    uint64_t progress_ns; /* work that takes longer writes a line then; 0: never */
};
void sim_run_configure(const struct sim_run_settings *settings);

/* Starts a launch, whose grid holds at least one block; returns at once. The
 * caller keeps launch alive until done is called. False: the pool could not be
 * started (no thread), done is not called. */
bool sim_run(struct sim_launch *launch);

/* The caller, which would only wait for its launch, runs it like a thread of the pool and in the
 * place of one, unless all run: nobody has to be woken, which for a short kernel takes longer than
 * the kernel. Returns when the launch has ended, or when there is anything else to run; the caller
 * waits for done then. Its signals are blocked meanwhile; its floating-point environment has to be
 * the default one. */
void sim_run_help(struct sim_launch *launch);

/* Ends a launch that runs as soon as its blocks notice; done will be called with
 * failed. From any thread, also from within an engine, but not after done. */
void sim_run_cancel(struct sim_launch *launch);

/* Whether a wave should return to the scheduler: its launch is being cancelled. */
static inline bool sim_run_cancelled(const struct sim_launch *launch)
{
    return atomic_load_explicit(&launch->cancelled, memory_order_relaxed);
}

unsigned sim_run_threads(void); /* how many there are or will be */

/* Stops and joins the pool; every launch must have ended. Threads are not
 * inherited by fork: a child that launches starts its own. */
void sim_run_stop(void);

#endif
