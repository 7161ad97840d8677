/* The scheduler, with engines whose waves call a function of the test: every block runs once, waits
 * end when their condition holds, and launches that fail end. */
#include "sim_run.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "run_job.h"

/* ---- waves that never wait ---------------------------------------------------------- */

static enum sim_wave see_block(struct job *job, struct sim_block *block, unsigned wave)
{
    const uint32_t *grid = job->launch.grid, *index = block->index;
    uint64_t number = index[0] + (uint64_t)grid[0] * (index[1] + (uint64_t)grid[1] * index[2]);
    if (number != block->number || index[0] >= grid[0] || index[1] >= grid[1])
        abort();
    job->seen[number * block->wave_count + wave]++;
    return SIM_WAVE_ENDED;
}

static void every_block_runs_once(unsigned threads)
{
    configure(threads);
    static const uint32_t grids[][3] = {{1, 1, 1}, {7, 1, 1}, {1, 9, 1}, {1, 1, 5}, {13, 11, 7}};
    for (size_t i = 0; i < sizeof(grids) / sizeof(*grids); i++) {
        struct job job;
        job_init(&job, 1, 3, see_block);
        memcpy(job.launch.grid, grids[i], sizeof(grids[i]));
        unsigned blocks = grids[i][0] * grids[i][1] * grids[i][2];
        job.seen = calloc(blocks, 3);
        assert_true(job_run(&job));
        for (unsigned b = 0; b < blocks * 3; b++)
            assert_int_equal(job.seen[b], 1);
        assert_int_equal(job.begins, blocks);
        free(job.seen);
    }
}

static void every_block_of_a_grid_runs_once_with_its_index(void **unused)
{
    (void)unused;
    every_block_runs_once(1);
    every_block_runs_once(4);
}

static enum sim_wave count_to_eight(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)job;
    return ++state_of(block)->step[wave] < 8 ? SIM_WAVE_READY : SIM_WAVE_ENDED;
}

static void blocks_that_make_progress_are_not_many_at_a_time(void **unused)
{
    (void)unused;
    configure(2);
    struct job job;
    job_init(&job, 1000, 4, count_to_eight);
    assert_true(job_run(&job));
    assert_int_equal(job.runs, 1000 * 4 * 8);
    assert_true(job.live_max <= 20);
}

static enum sim_wave note_thread(struct job *job, struct sim_block *block, unsigned wave)
{
    static _Atomic(unsigned) threads;
    static _Thread_local unsigned thread;
    (void)wave;
    if (!thread)
        thread = ++threads;
    job->seen[block->number] = (unsigned char)thread;
    return SIM_WAVE_ENDED;
}

/* Spans of 32 until a part of all is left. */
static void blocks_that_follow_each_other_run_on_one_thread(void **unused)
{
    enum { BLOCKS = 100000, THREADS = 4 };
    (void)unused;
    configure(THREADS);
    struct job job;
    job_init(&job, BLOCKS, 1, note_thread);
    job.seen = calloc(BLOCKS, 1);
    assert_true(job_run(&job));
    unsigned together = 0;
    for (unsigned i = 1; i < BLOCKS / 2; i++)
        together += job.seen[i] == job.seen[i - 1];
    assert_true(together > BLOCKS / 2 / 32 * 31 - 64);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_not_equal(job.seen[i], 0);
    assert_int_equal(job.begins, BLOCKS);
    free(job.seen);
}

/* ---- waves that wait for others of their block ---------------------------------------- */

/* A barrier of the block: the last wave to arrive makes the others READY. */
static enum sim_wave barrier(struct sim_block *block, unsigned wave)
{
    struct state *state = state_of(block);
    if (++state->arrived < block->wave_count)
        return SIM_WAVE_WAITS;
    state->arrived = 0;
    state->phase++;
    for (unsigned i = 0; i < block->wave_count; i++)
        if (i != wave)
            block->waves[i] = SIM_WAVE_READY;
    return SIM_WAVE_READY;
}

static enum sim_wave cross_ten_barriers(struct job *job, struct sim_block *block, unsigned wave)
{
    struct state *state = state_of(block);
    if (state->step[wave] != state->phase)
        job->flag++;
    if (state->step[wave]++ == 10)
        return SIM_WAVE_ENDED;
    return barrier(block, wave);
}

static void waves_cross_barriers_together(void **unused)
{
    (void)unused;
    configure(4);
    struct job job;
    job_init(&job, 300, 8, cross_ten_barriers);
    assert_true(job_run(&job));
    assert_int_equal(job.flag, 0);
    assert_int_equal(job.runs, 300 * 8 * 11);
    assert_int_equal(job.stuck, 0);
}

static enum sim_wave miss_a_barrier(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)job;
    return wave == 0 ? SIM_WAVE_ENDED : barrier(block, wave);
}

static void waves_that_wait_for_each_other_are_reported(void **unused)
{
    (void)unused;
    configure(2);
    struct job job;
    job_init(&job, 50, 4, miss_a_barrier);
    assert_false(job_run(&job));
    assert_true(job.stuck >= 1);
}

/* Wave 0 spins, READY all the time, until wave 1 has slept five times. */
static enum sim_wave spin_on_a_sleeper(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)job;
    struct state *state = state_of(block);
    if (wave == 0)
        return state->step[1] < 5 ? SIM_WAVE_READY : SIM_WAVE_ENDED;
    return ++state->step[1] < 5 ? SIM_WAVE_RESTS : SIM_WAVE_ENDED;
}

static void a_resting_wave_runs_even_beside_one_that_spins(void **unused)
{
    (void)unused;
    configure(1);
    struct job job;
    job_init(&job, 3, 2, spin_on_a_sleeper);
    assert_true(job_run(&job));
}

/* ---- blocks that wait for others ------------------------------------------------------- */

/* Every block but the last waits for the one after it. */
static enum sim_wave wait_for_next(struct job *job, struct sim_block *block,
                                   enum sim_wave meanwhile)
{
    if (block->number + 1 < job->launch.block_count &&
        !__atomic_load_n(&job->seen[block->number + 1], __ATOMIC_RELAXED)) {
        sched_yield();
        return meanwhile;
    }
    __atomic_store_n(&job->seen[block->number], 1, __ATOMIC_RELAXED);
    return SIM_WAVE_ENDED;
}

static enum sim_wave rest_for_next(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)wave;
    return wait_for_next(job, block, SIM_WAVE_RESTS);
}

static enum sim_wave spin_for_next(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)wave;
    return wait_for_next(job, block, SIM_WAVE_READY);
}

static enum sim_wave maybe_rest_for_next(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)wave;
    return wait_for_next(job, block, SIM_WAVE_SPINS);
}

/* Every block but the first waits for the one before it, which another thread may be yet to begin.
 */
static enum sim_wave spin_for_last(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)wave;
    if (block->number && !__atomic_load_n(&job->seen[block->number - 1], __ATOMIC_RELAXED))
        return job->flag ? SIM_WAVE_READY : SIM_WAVE_SPINS;
    __atomic_store_n(&job->seen[block->number], 1, __ATOMIC_RELAXED);
    return SIM_WAVE_ENDED;
}

static void blocks_may_wait_for_earlier_ones(void **unused)
{
    enum { BLOCKS = THREAD_SANITIZER ? 300 : 3000, CANCELLED = 7 };
    (void)unused;
    for (unsigned i = 0; i < 8; i++) {
        configure(2 + i % 4);
        struct job job;
        job_init(&job, BLOCKS, 1, spin_for_last);
        job.flag = i / 4;
        job.seen = calloc(BLOCKS, 1);
        job_start(&job);
        if (i == CANCELLED) /* with spans in any state */
            sim_run_cancel(&job.launch);
        bool whole = job_wait(&job);
        assert_true(whole || i == CANCELLED);
        assert_true(job.begins == BLOCKS || i == CANCELLED);
        free(job.seen);
    }
}

static void wait_for_later_blocks(unsigned blocks, const char *how,
                                  enum sim_wave (*wave)(struct job *, struct sim_block *, unsigned))
{
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        configure(threads);
        struct job job;
        job_init(&job, blocks, 1, wave);
        job.seen = calloc(blocks, 1);
        double start = seconds();
        assert_true(job_run(&job));
        print_message("%u blocks that wait for the next one, %s, %u threads: %.3f s\n", blocks, how,
                      threads, seconds() - start);
        assert_int_equal(job.begins, blocks);
        free(job.seen);
    }
}

static void blocks_that_rest_until_a_later_one_make_progress(void **unused)
{
    (void)unused;
    wait_for_later_blocks(300, "resting", rest_for_next);
}

static void blocks_that_spin_until_a_later_one_make_progress(void **unused)
{
    (void)unused;
    wait_for_later_blocks(10, "ready", spin_for_next);
    wait_for_later_blocks(50, "spinning", maybe_rest_for_next);
}

static enum sim_wave cross_grid_barriers(struct job *job, struct sim_block *block, unsigned wave)
{
    struct state *state = state_of(block);
    unsigned *step = &state->step[wave];
    unsigned all = (unsigned)job->launch.block_count * block->wave_count;
    for (;;) {
        if (*step == 6)
            return SIM_WAVE_ENDED;
        if (*step % 2 == 0)
            job->count[*step / 2]++;
        else if (job->count[*step / 2] < all)
            return job->flag ? SIM_WAVE_SPINS : SIM_WAVE_RESTS;
        ++*step;
    }
}

static void all_resident_blocks_cross_a_barrier_of_the_grid(void **unused)
{
    (void)unused;
    for (unsigned way = 0; way < 4; way++) {
        unsigned threads = way / 2 ? 4 : 1;
        configure(threads);
        struct job job;
        job_init(&job, 500, 4, cross_grid_barriers);
        job.flag = way % 2; /* whether waves spin instead of resting */
        job.launch.resident_max = 500;
        double start = seconds();
        assert_true(job_run(&job));
        print_message("3 barriers of 500 blocks, %s, %u threads: %.3f s\n",
                      job.flag ? "spinning" : "resting", threads, seconds() - start);
        assert_int_equal(job.live_max, 500);
    }
}

static enum sim_wave rest_three_times(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)job;
    return ++state_of(block)->step[wave] < 3 ? SIM_WAVE_RESTS : SIM_WAVE_ENDED;
}

static void never_more_blocks_are_resident_than_allowed(void **unused)
{
    (void)unused;
    configure(4);
    struct job job;
    job_init(&job, 400, 2, rest_three_times);
    job.launch.resident_max = 10;
    assert_true(job_run(&job));
    assert_true(job.live_max <= 10);
    assert_int_equal(job.begins, 400);
}

/* ---- launches that wait for others ------------------------------------------------------- */

static enum sim_wave spin_on_other(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    return job->other->flag ? SIM_WAVE_ENDED : SIM_WAVE_READY;
}

static enum sim_wave rest_on_other(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    return job->other->flag ? SIM_WAVE_ENDED : SIM_WAVE_RESTS;
}

static enum sim_wave raise_flag(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)wave;
    if (block->number + 1 == job->launch.block_count)
        job->flag = 1;
    return SIM_WAVE_ENDED;
}

static enum sim_wave maybe_rest_on_other(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    return job->other->flag ? SIM_WAVE_ENDED : SIM_WAVE_SPINS;
}

static void launch_waits_for_launch(enum sim_wave (*wait)(struct job *, struct sim_block *,
                                                          unsigned),
                                    int waiter_priority)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        configure(threads);
        struct job waiter, other;
        job_init(&waiter, 8, 2, wait);
        job_init(&other, 100, 1, raise_flag);
        waiter.other = &other;
        waiter.launch.priority = waiter_priority;
        job_start(&waiter);
        usleep(1000);
        job_start(&other);
        assert_true(job_wait(&waiter));
        assert_true(job_wait(&other));
    }
}

static void a_launch_may_wait_for_another(void **unused)
{
    (void)unused;
    launch_waits_for_launch(spin_on_other, 0);
    launch_waits_for_launch(rest_on_other, 0);
    launch_waits_for_launch(maybe_rest_on_other, 0);
}

static void a_launch_may_wait_for_one_of_lower_priority(void **unused)
{
    (void)unused;
    launch_waits_for_launch(spin_on_other, -5);
    launch_waits_for_launch(rest_on_other, -5);
    launch_waits_for_launch(maybe_rest_on_other, -5);
}

/* ---- failing and cancelling ------------------------------------------------------------------ */

static enum sim_wave fail_in_block_seven(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)job, (void)wave;
    return block->number == 7 ? SIM_WAVE_FAILED : SIM_WAVE_ENDED;
}

static void a_wave_that_fails_ends_the_launch(void **unused)
{
    (void)unused;
    configure(2);
    struct job job;
    job_init(&job, 100000, 2, fail_in_block_seven);
    assert_false(job_run(&job));
    assert_true(job.begins < 100000);
}

static enum sim_wave spin(struct job *job, struct sim_block *block, unsigned wave)
{
    static const enum sim_wave states[] = {SIM_WAVE_READY, SIM_WAVE_RESTS, SIM_WAVE_SPINS};
    (void)job, (void)block;
    return states[wave % 3];
}

static enum sim_wave rest(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)job, (void)block, (void)wave;
    return SIM_WAVE_RESTS;
}

static void a_launch_can_be_cancelled_in_any_state(void **unused)
{
    (void)unused;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        configure(threads);
        struct job spinning, resting, waiting;
        job_init(&spinning, 100, 4, spin);
        job_init(&resting, 100, 4, rest);
        job_init(&waiting, 100000, 1, rest);
        waiting.launch.resident_max = 3;
        job_start(&spinning);
        job_start(&resting);
        job_start(&waiting);
        usleep(20000);
        sim_run_cancel(&resting.launch);
        assert_false(job_wait(&resting));
        sim_run_cancel(&waiting.launch);
        sim_run_cancel(&spinning.launch);
        assert_false(job_wait(&waiting));
        assert_false(job_wait(&spinning));
    }
}

static void a_launch_cancelled_at_once_ends_too(void **unused)
{
    (void)unused;
    configure(2);
    for (int i = 0; i < 200; i++) {
        struct job job;
        job_init(&job, 1000, 1, rest);
        job_start(&job);
        sim_run_cancel(&job.launch);
        assert_false(job_wait(&job));
    }
}

static void blocks_without_memory_wait_for_others_to_end(void **unused)
{
    (void)unused;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        configure(threads);
        struct job job;
        job_init(&job, 300, 2, rest_three_times);
        job.blocks_of_memory = 2;
        assert_true(job_run(&job));
        assert_int_equal(job.begins, 300);
    }
}

static bool begin_never(struct sim_block *block, bool fresh)
{
    job_of(block)->fresh += fresh;
    return false;
}

static void a_launch_without_memory_for_any_block_fails(void **unused)
{
    (void)unused;
    configure(4);
    static const struct sim_engine poor = {
        .name = "poor", .begin = begin_never, .run = run, .stuck = stuck, .end = end, .fini = fini};
    struct job job;
    job_init(&job, 300, 2, rest_three_times);
    job.launch.engine = &poor;
    assert_false(job_run(&job));
    assert_int_equal(job.begins, 0);

    job_init(&job, 300, 2, rest_three_times);
    job.launch.state_size = SIZE_MAX / 2; /* no such mapping */
    assert_false(job_run(&job));
    job_init(&job, 300, 2, rest_three_times);
    job.launch.state_size = SIZE_MAX; /* the size overflows */
    assert_false(job_run(&job));
}

/* ---- priorities -------------------------------------------------------------------------- */

static _Atomic(unsigned) order;

static enum sim_wave take_number(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    job->count[0] = ++order;
    if (!job->count[1])
        job->count[1] = order;
    return SIM_WAVE_ENDED;
}

static enum sim_wave hold(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    job->count[0] = 1;
    while (!job->flag)
        sched_yield();
    return SIM_WAVE_ENDED;
}

/* A first launch occupies the only thread until the others have been started. */
static void run_behind_a_first_launch(struct job *jobs, int count)
{
    configure(1);
    struct job gate;
    job_init(&gate, 1, 1, hold);
    job_start(&gate);
    while (!gate.count[0])
        sched_yield();
    order = 0;
    for (int i = 0; i < count; i++)
        job_start(&jobs[i]);
    gate.flag = 1;
    assert_true(job_wait(&gate));
    for (int i = 0; i < count; i++)
        assert_true(job_wait(&jobs[i]));
}

static void launches_of_higher_priority_go_first(void **unused)
{
    (void)unused;
    struct job jobs[3];
    static const int priorities[3] = {0, -1, 1};
    for (int i = 0; i < 3; i++) {
        job_init(&jobs[i], 50, 1, take_number);
        jobs[i].launch.priority = priorities[i];
    }
    run_behind_a_first_launch(jobs, 3);
    assert_true(jobs[1].count[0] < jobs[0].count[1]);
    assert_true(jobs[0].count[0] < jobs[2].count[1]);
}

static void launches_of_one_priority_take_turns(void **unused)
{
    (void)unused;
    struct job jobs[3];
    for (int i = 0; i < 3; i++)
        job_init(&jobs[i], 50, 1, take_number);
    run_behind_a_first_launch(jobs, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(jobs[i].count[1] <= 3);
        assert_true(jobs[i].count[0] >= 148);
    }
}

/* ---- many at once ------------------------------------------------------------------------- */

/* Returns its argument on success. */
static void *launch_again_and_again(void *launches)
{
    for (int i = 0; i < 100; i++) {
        struct job job;
        job_init(&job, 1 + (unsigned)i % 40, 4, i % 3 ? cross_ten_barriers : rest_three_times);
        job.launch.priority = i % 5;
        if (!job_run(&job) || job.flag)
            return NULL;
    }
    return launches;
}

static void any_number_of_threads_may_launch(void **unused)
{
    (void)unused;
    configure(4);
    pthread_t threads[16];
    for (int i = 0; i < 16; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_again_and_again, threads), 0);
    for (int i = 0; i < 16; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_ptr_equal(result, threads);
    }
    assert_in_range(job_threads_max, 1, 4);
}

static enum sim_wave count_own(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    job->count[0] += pthread_equal(*(const pthread_t *)job->other, pthread_self()) != 0;
    return SIM_WAVE_ENDED;
}

/* Where the pool's only thread sleeps, and nothing else is to be done. */
static void a_thread_that_helps_runs_its_launch_itself(void **unused)
{
    (void)unused;
    configure(1);
    pthread_t own = pthread_self();
    unsigned most = 0;
    for (int i = 0; i < 100; i++) {
        struct job job;
        job_init(&job, 5, 2, count_own);
        job.other = (struct job *)(void *)&own;
        assert_true(job_run(&job));
        most = job.count[0] > most ? job.count[0] : most;
    }
    assert_int_equal(most, 10);
    assert_int_equal(job_threads_max, 1);
}

static enum sim_wave take_a_while(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    usleep(2000);
    job->count[0]++;
    return SIM_WAVE_ENDED;
}

/* Also where the kernel's launches before were so short that it woke none. */
static void a_thread_that_helps_is_helped(void **unused)
{
    (void)unused;
    configure(4);
    for (int i = 0; i < 200; i++) {
        struct job job;
        job_init(&job, 2, 1, just_end);
        job.launch.kernel = &job_helps; /* whatever says that they are one kernel's */
        assert_true(job_run(&job));
    }
    job_threads_max = 0;
    struct job job;
    job_init(&job, 40, 1, take_a_while);
    job.launch.kernel = &job_helps;
    assert_true(job_run(&job));
    assert_int_equal(job.count[0], 40);
    assert_in_range(job_threads_max, 2, 4);
}

static void launch_the_next(struct sim_launch *launch, bool failed)
{
    struct job *next = ((struct job *)launch->data)->other;
    done(launch, failed);
    if (!sim_run(&next->launch))
        abort();
}

static void the_end_of_a_launch_may_start_another(void **unused)
{
    (void)unused;
    configure(2);
    struct job jobs[10];
    for (int i = 0; i < 10; i++) {
        job_init(&jobs[i], 5, 2, just_end);
        jobs[i].other = &jobs[i + 1];
        jobs[i].launch.done = i < 9 ? launch_the_next : done;
    }
    job_start(&jobs[0]);
    for (int i = 0; i < 10; i++)
        assert_true(job_wait(&jobs[i]));
}

/* ---- reproducible runs ----------------------------------------------------------------------- */

struct trace {
    struct job job;
    size_t length;
    uint32_t entries[20000];
};

static enum sim_wave write_trace(struct job *job, struct sim_block *block, unsigned wave)
{
    struct trace *trace = (struct trace *)job;
    if (trace->length < sizeof(trace->entries) / sizeof(*trace->entries))
        trace->entries[trace->length++] = (uint32_t)(block->number * WAVES_MAX + wave);
    unsigned step = state_of(block)->step[wave]++;
    if (step == 9)
        return SIM_WAVE_ENDED;
    if (step == 4 || step == 7)
        return step == 4 ? SIM_WAVE_RESTS : SIM_WAVE_SPINS;
    return step % 3 == 2 ? barrier(block, wave) : SIM_WAVE_READY;
}

static struct trace *run_trace(uint64_t seed)
{
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){.deterministic = true, .seed = seed});
    struct trace *trace = calloc(1, sizeof(*trace));
    job_init(&trace->job, 40, 8, write_trace);
    assert_true(job_run(&trace->job));
    assert_int_equal(sim_run_threads(), 1);
    return trace;
}

static bool same_trace(const struct trace *a, const struct trace *b)
{
    return a->length == b->length &&
           memcmp(a->entries, b->entries, a->length * sizeof(*a->entries)) == 0;
}

static void the_same_seed_gives_the_same_run(void **unused)
{
    (void)unused;
    struct trace *first = run_trace(1), *again = run_trace(1), *other = run_trace(2);
    assert_true(first->length >= 40 * 8 * 10);
    assert_true(same_trace(first, again));
    assert_false(same_trace(first, other));
    free(first);
    free(again);
    free(other);
}

static void deterministic_blocks_still_wait_for_later_ones(void **unused)
{
    (void)unused;
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){.deterministic = true, .seed = 7});
    for (int i = 0; i < 3; i++) {
        struct job job;
        job_init(&job, 30, 1,
                 i == 0   ? spin_for_next
                 : i == 1 ? rest_for_next
                          : maybe_rest_for_next);
        job.seen = calloc(30, 1);
        assert_true(job_run(&job));
        free(job.seen);
    }
}

/* ---- threads and processes ---------------------------------------------------------------- */

static unsigned count_threads(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    char line[256];
    unsigned threads = 0;
    while (fgets(line, sizeof(line), file))
        sscanf(line, "Threads: %u", &threads);
    fclose(file);
    return threads;
}

static void one_block_needs_one_thread(void **unused)
{
    (void)unused;
    sim_run_stop();
    unsigned before = count_threads();
    configure(16);
    assert_int_equal(sim_run_threads(), 16);
    struct job job;
    job_init(&job, 1, 8, cross_ten_barriers);
    assert_true(job_run(&job));
    assert_true(count_threads() <= before + 2); /* with the one that watches */
    sim_run_stop();
    // The kernel counts a thread for a moment after it was joined. A hang is ended by the time
    // limit.
    while (count_threads() > before)
        sched_yield();
}

static void a_forked_child_runs_its_own(void **unused)
{
    (void)unused;
    if (THREAD_SANITIZER) /* threads in a child process are not supported */
        return;
    configure(2);
    struct job job;
    job_init(&job, 100, 4, cross_ten_barriers);
    assert_true(job_run(&job));
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        struct job own;
        job_init(&own, 100, 4, cross_ten_barriers);
        bool ran = sim_run(&own.launch);
        while (ran && !own.done)
            usleep(100);
        _exit(ran && !own.failed && own.ends == 100 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    job_init(&job, 100, 4, cross_ten_barriers);
    assert_true(job_run(&job));
}

static void a_million_blocks_use_the_memory_of_few(void **unused)
{
    (void)unused;
    configure(0);
    struct job job;
    job_init(&job, 1000000, 1, just_end);
    job.launch.state_size = 1 << 20;
    assert_true(job_run(&job));
    assert_int_equal(job.begins, 1000000);
    assert_true(job.fresh <= sim_run_threads());
}

enum { LARGE = 300000 };

/* Fills the block's memory, which has to be empty. */
static enum sim_wave fill_state(struct job *job, struct sim_block *block, unsigned wave)
{
    unsigned char *bytes = block->state;
    (void)wave;
    for (size_t i = sizeof(struct state); i < LARGE; i++)
        job->count[0] += bytes[i] != 0;
    memset(bytes + sizeof(struct state), 0xff, LARGE - sizeof(struct state));
    return SIM_WAVE_ENDED;
}

static void memory_of_an_earlier_launch_is_zero_again(void **unused)
{
    (void)unused;
    configure(2);
    for (unsigned i = 0; i < 20; i++) {
        struct job job;
        job_init(&job, 1, 1, fill_state);
        job.launch.state_size = i % 4 == 3 ? LARGE * 2 : LARGE;
        assert_true(job_run(&job));
        assert_int_equal(job.count[0], 0);
    }
}

/* ---- waiting for the host ----------------------------------------------------------- */

static enum sim_wave rest_on_host(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    return job->flag ? SIM_WAVE_ENDED : SIM_WAVE_RESTS;
}

/* After some rounds without a pause, once in a millisecond. */
static void waves_that_rest_run_seldom(void **unused)
{
    (void)unused;
    enum { BLOCKS = 16, WAVES = 4, FIRST_ROUNDS = 200 };
    configure(4);
    struct job job;
    job_init(&job, BLOCKS, WAVES, rest_on_host);
    double start = seconds();
    job_start(&job);
    usleep(300000);
    unsigned runs = job.runs;
    double milliseconds = (seconds() - start) * 1000;
    job.flag = 1;
    assert_true(job_wait(&job));
    assert_true(runs >= BLOCKS * WAVES);
    assert_true(runs <= BLOCKS * WAVES * (FIRST_ROUNDS + 3 * milliseconds));
}

/* count[0]: threads that are in this function; count[1]: the largest number of them so far. */
static enum sim_wave spin_on_host(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    unsigned here = ++job->count[0], most = job->count[1];
    while (here > most && !atomic_compare_exchange_weak(&job->count[1], &most, here))
        ;
    job->count[0]--;
    return job->flag ? SIM_WAVE_ENDED : SIM_WAVE_SPINS;
}

static void waves_that_spin_for_long_are_left_to_one_thread(void **unused)
{
    (void)unused;
    configure(4);
    struct job job;
    job_init(&job, 16, 4, spin_on_host);
    job_start(&job);
    unsigned before;
    do {
        before = job.runs;
        job.count[1] = 0;
        usleep(200000);
    } while (job.count[1] != 1 || job.runs == before);
    job.flag = 1;
    assert_true(job_wait(&job));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_of_a_grid_runs_once_with_its_index),
        cmocka_unit_test(blocks_that_make_progress_are_not_many_at_a_time),
        cmocka_unit_test(blocks_that_follow_each_other_run_on_one_thread),
        cmocka_unit_test(waves_cross_barriers_together),
        cmocka_unit_test(waves_that_wait_for_each_other_are_reported),
        cmocka_unit_test(a_resting_wave_runs_even_beside_one_that_spins),
        cmocka_unit_test(blocks_that_rest_until_a_later_one_make_progress),
        cmocka_unit_test(blocks_that_spin_until_a_later_one_make_progress),
        cmocka_unit_test(blocks_may_wait_for_earlier_ones),
        cmocka_unit_test(all_resident_blocks_cross_a_barrier_of_the_grid),
        cmocka_unit_test(never_more_blocks_are_resident_than_allowed),
        cmocka_unit_test(a_launch_may_wait_for_another),
        cmocka_unit_test(a_launch_may_wait_for_one_of_lower_priority),
        cmocka_unit_test(a_wave_that_fails_ends_the_launch),
        cmocka_unit_test(a_launch_can_be_cancelled_in_any_state),
        cmocka_unit_test(a_launch_cancelled_at_once_ends_too),
        cmocka_unit_test(blocks_without_memory_wait_for_others_to_end),
        cmocka_unit_test(a_launch_without_memory_for_any_block_fails),
        cmocka_unit_test(launches_of_higher_priority_go_first),
        cmocka_unit_test(launches_of_one_priority_take_turns),
        cmocka_unit_test(any_number_of_threads_may_launch),
        cmocka_unit_test(the_end_of_a_launch_may_start_another),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(deterministic_blocks_still_wait_for_later_ones),
        cmocka_unit_test(one_block_needs_one_thread),
        cmocka_unit_test(a_forked_child_runs_its_own),
        cmocka_unit_test(a_million_blocks_use_the_memory_of_few),
        cmocka_unit_test(memory_of_an_earlier_launch_is_zero_again),
        cmocka_unit_test(waves_that_rest_run_seldom),
        cmocka_unit_test(waves_that_spin_for_long_are_left_to_one_thread),
    };
    const struct CMUnitTest of_help[] = {
        cmocka_unit_test(a_thread_that_helps_runs_its_launch_itself),
        cmocka_unit_test(a_thread_that_helps_is_helped),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    job_helps = true;
    failed += cmocka_run_group_tests_name("where threads help", tests, NULL, NULL);
    return failed + cmocka_run_group_tests(of_help, NULL, NULL);
}
