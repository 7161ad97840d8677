/* The scheduler against the clock: what a launch costs, and what waiting does. Registered to run
 * alone, and only where the library is optimised and has no sanitizer. */
#include "sim_run.h"

#include <stdio.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "run_job.h"

static void a_million_blocks_take_the_memory_of_few_and_no_time(void **unused)
{
    (void)unused;
    configure(0);
    struct job job;
    job_init(&job, 1000000, 1, just_end);
    job.launch.state_size = 1 << 20;
    double used = processor_seconds();
    assert_true(job_run(&job));
    used = processor_seconds() - used;
    print_message("10^6 blocks: %.3f s of processors\n", used);
    assert_true(used < 2);
    assert_int_equal(job.begins, 1000000);
    assert_true(job.fresh <= sim_run_threads());
}

static enum sim_wave tell_time(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    *(double *)job->seen = seconds();
    return SIM_WAVE_ENDED;
}

/* Other processes may delay any launch, but not all of them. */
static void a_launch_begins_soon(void **unused)
{
    (void)unused;
    configure(2);
    double best = 1;
    for (int i = 0; i < 200 || (i < 10000 && best >= 1e-3); i++) {
        double begun;
        struct job job;
        job_init(&job, 1, 1, tell_time);
        job.seen = (unsigned char *)&begun;
        double start = seconds();
        assert_true(job_run(&job));
        best = begun - start < best ? begun - start : best;
    }
    print_message("launch to first wave: %.1f us at best\n", best * 1e6);
    assert_true(best < 1e-3);
}

/* Works, though its engine takes that for waiting: 5000 times 10 us. */
static enum sim_wave seem_to_spin(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)job;
    for (double end = seconds() + 1e-5; seconds() < end;)
        ;
    return ++state_of(block)->step[wave] < 5000 ? SIM_WAVE_SPINS : SIM_WAVE_ENDED;
}

static void work_that_looks_like_waiting_is_not_slowed_down(void **unused)
{
    (void)unused;
    for (unsigned blocks = 1; blocks <= 4; blocks += 3) {
        configure(blocks);
        struct job job;
        job_init(&job, blocks, 1, seem_to_spin);
        double used = processor_seconds(), start = seconds();
        assert_true(job_run(&job));
        used = processor_seconds() - used;
        print_message("%u times 0.05 s of work: %.3f s, %.3f s of processors\n", blocks,
                      seconds() - start, used);
        assert_int_equal(job.runs, blocks * 5000);
        assert_true(used < blocks * 0.05 * 2);
    }
}

static enum sim_wave rest_on_host(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    return job->flag ? SIM_WAVE_ENDED : SIM_WAVE_RESTS;
}

static void waiting_for_the_host_costs_little(void **unused)
{
    (void)unused;
    configure(4);
    struct job job;
    job_init(&job, 16, 4, rest_on_host);
    double used = processor_seconds(), start = seconds();
    job_start(&job);
    usleep(300000);
    used = processor_seconds() - used;
    double waited = seconds() - start;
    job.flag = 1;
    assert_true(job_wait(&job));
    print_message("%.3f s of waiting: %.3f s of processors\n", waited, used);
    assert_true(used < waited / 3);
}

static enum sim_wave spin_on_host(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)block, (void)wave;
    return job->flag ? SIM_WAVE_ENDED : SIM_WAVE_SPINS;
}

static void spinning_on_the_host_costs_less_after_a_while(void **unused)
{
    (void)unused;
    configure(4);
    struct job job;
    job_init(&job, 16, 4, spin_on_host);
    job_start(&job);
    usleep(1000000);
    double used = processor_seconds(), start = seconds();
    usleep(500000);
    used = processor_seconds() - used;
    double spun = seconds() - start;
    job.flag = 1;
    assert_true(job_wait(&job));
    print_message("%.3f s of spinning on the host, after 1 s: %.3f s of processors\n", spun, used);
    assert_true(used < spun);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_blocks_take_the_memory_of_few_and_no_time),
        cmocka_unit_test(a_launch_begins_soon),
        cmocka_unit_test(work_that_looks_like_waiting_is_not_slowed_down),
        cmocka_unit_test(waiting_for_the_host_costs_little),
        cmocka_unit_test(spinning_on_the_host_costs_less_after_a_while),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
