/* Launches under test: an engine whose waves call a function of the test, and counters of what
 * happened. Include after cmocka.h. */
#ifndef TESTS_SIM_RUN_JOB_H
#define TESTS_SIM_RUN_JOB_H

#include "sim_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__SANITIZE_THREAD__)
enum { THREAD_SANITIZER = 1 };
#else
enum { THREAD_SANITIZER = 0 };
#endif

enum { WAVES_MAX = 32 };

/* Whether threads that wait for their launch help, and how many threads run waves at a time. */
static bool job_helps;
static _Atomic(unsigned) job_threads, job_threads_max;

struct state {
    unsigned step[WAVES_MAX]; /* of each wave: how often it ran, or its position */
    unsigned arrived, phase;  /* of the block's barrier */
    unsigned used;            /* how many blocks have used this memory */
};

/* A launch under test, and what happened in it. */
struct job {
    struct sim_launch launch;
    enum sim_wave (*wave)(struct job *job, struct sim_block *block, unsigned wave);
    unsigned blocks_of_memory; /* begin fails when more blocks than this have memory; 0: never */
    struct job *other;
    _Atomic(unsigned) begins, fresh, fini, ends, runs, stuck, live, live_max, done;
    _Atomic(unsigned) flag, count[4];
    bool failed;
    unsigned char *seen;
    pthread_mutex_t lock;
    pthread_cond_t ended;
};

static inline struct job *job_of(struct sim_block *block)
{
    return block->launch->data;
}

static inline bool begin(struct sim_block *block, bool fresh)
{
    struct job *job = job_of(block);
    struct state *state = block->state;
    job->fresh += fresh;
    if (fresh)
        for (size_t i = 0; i < sizeof(*state); i++)
            if (((unsigned char *)state)[i])
                abort();
    if (job->blocks_of_memory && job->live >= job->blocks_of_memory)
        return false;
    unsigned used = state->used + 1;
    *state = (struct state){.used = used};
    unsigned live = ++job->live;
    if (live > job->live_max)
        job->live_max = live;
    job->begins++;
    return true;
}

static inline enum sim_wave run(struct sim_block *block, unsigned wave, unsigned budget)
{
    struct job *job = job_of(block);
    if (!budget)
        abort();
    job->runs++;
    unsigned threads = ++job_threads;
    if (threads > job_threads_max)
        job_threads_max = threads;
    enum sim_wave state = job->wave(job, block, wave);
    job_threads--;
    return state;
}

static inline bool stuck(struct sim_block *block)
{
    job_of(block)->stuck++;
    return false;
}

static inline void end(struct sim_block *block)
{
    job_of(block)->live--;
    job_of(block)->ends++;
}

static inline void fini(struct sim_block *block)
{
    job_of(block)->fini++;
}

static const struct sim_engine engine = {
    .name = "test", .begin = begin, .run = run, .stuck = stuck, .end = end, .fini = fini};

static inline void done(struct sim_launch *launch, bool failed)
{
    struct job *job = launch->data;
    pthread_mutex_lock(&job->lock);
    job->failed = failed;
    job->done++;
    pthread_cond_broadcast(&job->ended);
    pthread_mutex_unlock(&job->lock);
}

static inline void job_init(struct job *job, unsigned blocks, unsigned waves,
                            enum sim_wave (*wave)(struct job *, struct sim_block *, unsigned))
{
    memset(job, 0, sizeof(*job));
    job->wave = wave;
    job->launch = (struct sim_launch){.engine = &engine,
                                      .grid = {blocks, 1, 1},
                                      .waves_per_block = waves,
                                      .state_size = sizeof(struct state),
                                      .resident_max = 1000,
                                      .done = done,
                                      .data = job};
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->ended, NULL);
}

static inline void job_start(struct job *job)
{
    assert_true(sim_run(&job->launch));
}

static inline bool job_wait(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    while (!job->done)
        pthread_cond_wait(&job->ended, &job->lock);
    bool failed = job->failed;
    pthread_mutex_unlock(&job->lock);
    assert_int_equal(job->done, 1);
    assert_int_equal(job->live, 0);
    assert_int_equal(job->ends, job->begins);
    assert_int_equal(job->fini, job->fresh);
    return !failed;
}

static inline bool job_run(struct job *job)
{
    job->launch.helped = job_helps;
    if (!sim_run(&job->launch))
        return false;
    if (job_helps)
        sim_run_help(&job->launch);
    return job_wait(job);
}

static inline double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A wave that ends at once. */
static inline enum sim_wave just_end(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)job, (void)block, (void)wave;
    return SIM_WAVE_ENDED;
}

static inline struct state *state_of(struct sim_block *block)
{
    return block->state;
}

/* A pool that has run a launch, if threads help: one that has no thread yet is not helped. */
static inline void configure(unsigned threads)
{
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){.threads = threads});
    if (job_helps) {
        struct job job;
        job_init(&job, 1, 1, just_end);
        assert_true(job_run(&job));
    }
    job_threads_max = 0;
}

#endif
