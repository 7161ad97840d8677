/* What the scheduler of simulated devices costs: a block that does nothing, the time until a launch
 * begins, and work that looks like waiting beside the same work in a plain loop. */
#include "sim_run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double clock_seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

static double processor_seconds(void)
{
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- launches ------------------------------------------------------------------------ */

typedef enum sim_wave wave_function(struct sim_block *block);

static bool begin(struct sim_block *block, bool fresh)
{
    (void)fresh;
    *(unsigned *)block->state = 0;
    return true;
}

static enum sim_wave run(struct sim_block *block, unsigned wave, unsigned budget)
{
    (void)wave, (void)budget;
    return ((wave_function *)block->launch->kernel)(block);
}

static bool stuck(struct sim_block *block)
{
    (void)block;
    return false;
}

static void nothing(struct sim_block *block)
{
    (void)block;
}

static const struct sim_engine engine = {
    .name = "bench", .begin = begin, .run = run, .stuck = stuck, .end = nothing, .fini = nothing};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ended;

static void done(struct sim_launch *launch, bool failed)
{
    (void)launch, (void)failed;
    pthread_mutex_lock(&lock);
    ended = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void launch(unsigned blocks, wave_function *wave)
{
    struct sim_launch launch = {.engine = &engine,
                                .kernel = (void *)wave,
                                .grid = {blocks, 1, 1},
                                .waves_per_block = 1,
                                .state_size = 4096,
                                .resident_max = 1000,
                                .done = done};
    ended = false;
    if (!sim_run(&launch))
        abort();
    pthread_mutex_lock(&lock);
    while (!ended)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* ---- what is measured -------------------------------------------------------------------------
 */

static double begun;

static enum sim_wave tell_time(struct sim_block *block)
{
    (void)block;
    begun = seconds();
    return SIM_WAVE_ENDED;
}

static void measure_begin(void)
{
    double best = 1;
    for (int i = 0; i < 1000; i++) {
        double start = seconds();
        launch(1, tell_time);
        best = begun - start < best ? begun - start : best;
    }
    printf("from a launch to its first wave, at best   %8.2f us\n", best * 1e6);
}

static enum sim_wave end_at_once(struct sim_block *block)
{
    (void)block;
    return SIM_WAVE_ENDED;
}

static void measure_blocks(void)
{
    enum { BLOCKS = 1000000 };
    double used = processor_seconds();
    launch(BLOCKS, end_at_once);
    printf("a block that does nothing                  %8.0f ns of a processor\n",
           (processor_seconds() - used) / BLOCKS * 1e9);
}

enum { STEPS = 5000, ROUNDS = 10000 };

static void work(void)
{
    for (volatile unsigned i = 0; i < ROUNDS; i++)
        ;
}

static enum sim_wave work_a_little(struct sim_block *block)
{
    work();
    return ++*(unsigned *)block->state < STEPS ? SIM_WAVE_SPINS : SIM_WAVE_ENDED;
}

static void measure_seeming_waits(void)
{
    double start = processor_seconds();
    for (unsigned i = 0; i < STEPS; i++)
        work();
    double plain = processor_seconds() - start;
    for (unsigned blocks = 1; blocks <= 4; blocks += 3) {
        start = processor_seconds();
        launch(blocks, work_a_little);
        printf("work that looks like waiting, %u block%s   %8.2f times a plain loop\n", blocks,
               blocks == 1 ? " " : "s", (processor_seconds() - start) / (blocks * plain));
    }
}

int main(void)
{
    measure_begin();
    measure_blocks();
    measure_seeming_waits();
    return 0;
}
