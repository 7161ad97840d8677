/* The watch over launches in progress: those that run for too long, the line about work that takes
 * long, and SIGQUIT. The engine's waves wait until the watch has done what a test is about. */
#include "sim_places.h"
#include "sim_run.h"
#include "support.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_job.h"

enum { HERE = 1, THERE = 2, SECOND = 1000000000 };

static _Atomic(unsigned) introduced, timed_out, own_signals;

static void introduce(const struct sim_launch *launch, struct sim_report *text)
{
    (void)launch;
    introduced++;
    sim_report_add(text, "kernel k,");
}

/* The waves of even numbers are in one place, the others in another. */
static void find_threads(const struct sim_block *block, unsigned wave, struct sim_places *places)
{
    struct sim_place place = {.block = block, .wave = wave, .threads = 32};
    place.key = wave % 2 ? THERE : HERE;
    sim_places_add(places, &place);
}

static void describe(const struct sim_place *place, struct sim_report *text)
{
    sim_report_add(text, "%s", place->key == HERE ? "here" : "there");
}

static bool time_out(struct sim_launch *launch)
{
    (void)launch;
    timed_out++;
    return true;
}

static const struct sim_engine watched_engine = {.name = "test",
                                                 .begin = begin,
                                                 .run = run,
                                                 .stuck = stuck,
                                                 .introduce = introduce,
                                                 .find_threads = find_threads,
                                                 .describe = describe,
                                                 .time_out = time_out,
                                                 .end = end,
                                                 .fini = fini};

static void watched_job(struct job *job, unsigned blocks, unsigned waves,
                        enum sim_wave (*wave)(struct job *, struct sim_block *, unsigned))
{
    job_init(job, blocks, waves, wave);
    job->launch.engine = &watched_engine;
}

static void configure_watch(uint64_t timeout_ns, uint64_t progress_ns)
{
    sim_run_stop();
    introduced = timed_out = own_signals = 0;
    sim_run_configure(&(struct sim_run_settings){
        .threads = 2, .timeout_ns = timeout_ns, .progress_ns = progress_ns});
}

static void stop(void)
{
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){0});
}

/* Block 0 ends at once. The others rest, or run when job->count[0] is set, until job->flag is. */
static enum sim_wave wait_for_flag(struct job *job, struct sim_block *block, unsigned wave)
{
    (void)wave;
    if (block->number == 0 || job->flag)
        return SIM_WAVE_ENDED;
    return job->count[0] ? SIM_WAVE_READY : SIM_WAVE_RESTS;
}

static void wait_for(const _Atomic(unsigned) *counter, unsigned value)
{
    while (*counter < value)
        sched_yield();
}

/* All blocks of a job of four have begun, and the first has ended. */
static void wait_for_blocks(struct job *job)
{
    wait_for(&job->begins, 4);
    wait_for(&job->ends, 1);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void runs_too_long(bool busy)
{
    configure_watch(SECOND / 5, 0);
    struct job job;
    watched_job(&job, 4, 2, wait_for_flag);
    job.count[0] = busy;
    ah_test_capture();
    job_start(&job);
    assert_false(job_wait(&job));
    stop();
    const char *said = ah_test_captured();
    assert_int_equal(timed_out, 1);
    assert_contains(said, "kernel k, has run for 0.");
    assert_contains(said, "It ends here: ANYHIP_SIM_TIMEOUT=0.2");
    assert_int_equal(ah_test_count(said, "has run for"), 1);
}

static void a_launch_that_runs_for_too_long_fails(void **state)
{
    (void)state;
    runs_too_long(false);
    runs_too_long(true);
}

static void other_launches_go_on(void **state)
{
    (void)state;
    configure_watch(SECOND / 5, 0);
    struct job late, job;
    watched_job(&late, 4, 2, wait_for_flag);
    ah_test_capture();
    job_start(&late);
    assert_false(job_wait(&late));
    watched_job(&job, 100, 2, just_end);
    assert_true(job_run(&job));
    stop();
    assert_int_equal(ah_test_count(ah_test_captured(), "has run for"), 1);
}

static void without_a_limit_none_ends_and_nothing_is_written(void **state)
{
    (void)state;
    configure_watch(0, 0);
    struct job job;
    watched_job(&job, 4, 2, wait_for_flag);
    ah_test_capture();
    job_start(&job);
    wait_for_blocks(&job);
    unsigned runs = job.runs;
    wait_for(&job.runs, runs + 20);
    job.flag = 1;
    assert_true(job_wait(&job));
    stop();
    assert_string_equal(ah_test_captured(), "");
    assert_int_equal(introduced + timed_out, 0);
}

static void work_that_takes_long_writes_a_line_that_becomes_rarer(void **state)
{
    (void)state;
    configure_watch(0, SECOND / 20);
    struct job job;
    watched_job(&job, 4, 2, wait_for_flag);
    ah_test_capture();
    double since = seconds();
    job_start(&job);
    wait_for(&introduced, 3);
    double passed = seconds() - since;
    job.flag = 1;
    assert_true(job_wait(&job));
    stop();
    const char *said = ah_test_captured();
    assert_true(passed >= 0.2); /* 0.05, 0.1, 0.2 */
    assert_contains(said, "simulated devices have worked for 0 s");
    assert_contains(said, "kernel k, has run for 0.");
    assert_contains(said, "; blocks: 1 of 4 ended");
    assert_int_equal(ah_test_count(said, "kill -QUIT"), 1);
}

/* ---- SIGQUIT -----------------------------------------------------------------------------------
 */

static void ask(bool busy, unsigned blocks)
{
    char counts[64];
    configure_watch(0, 0);
    struct job job;
    watched_job(&job, blocks, 3, wait_for_flag);
    job.launch.resident_max = 3;
    job.count[0] = busy;
    ah_test_capture();
    job_start(&job);
    wait_for_blocks(&job);
    raise(SIGQUIT);
    wait_for(&introduced, 1);
    unsigned runs = job.runs;
    wait_for(&job.runs, runs + 20); /* it goes on */
    job.flag = 1;
    assert_true(job_wait(&job));
    stop();
    const char *said = ah_test_captured();
    snprintf(counts, sizeof(counts), "; blocks: 1 ended, 3 in progress, %u not begun", blocks - 4);
    assert_contains(said, counts);
    assert_contains(said, "192 threads of 3 blocks, such as block (");
    assert_contains(said, "): here");
    assert_contains(said, "96 threads of 3 blocks, such as block (");
    assert_contains(said, "): there");
    assert_int_equal(timed_out, 0);
}

static void sigquit_says_where_the_threads_are(void **state)
{
    (void)state;
    signal(SIGQUIT, SIG_DFL);
    ask(false, 4);
    ask(true, 4);
    ask(false, 1000); /* of which threads take spans */
    ask(true, 1000);
}

/* The next one may come while threads that were stopped for the last have not gone on yet. */
static void reports_may_follow_one_another_at_once(void **state)
{
    (void)state;
    signal(SIGQUIT, SIG_DFL);
    configure_watch(0, 0);
    struct job job;
    watched_job(&job, 4, 3, wait_for_flag);
    job.count[0] = 1;
    ah_test_capture();
    job_start(&job);
    wait_for_blocks(&job);
    for (unsigned i = 0; i < 200; i++) {
        raise(SIGQUIT);
        wait_for(&introduced, i + 1);
    }
    job.flag = 1;
    assert_true(job_wait(&job));
    stop();
    assert_lacks(ah_test_captured(), "are not in this report");
}

static void sigquit_without_a_launch_says_so(void **state)
{
    (void)state;
    signal(SIGQUIT, SIG_DFL);
    configure_watch(0, 0);
    struct job job;
    watched_job(&job, 1, 1, just_end);
    ah_test_capture();
    assert_true(job_run(&job));
    raise(SIGQUIT);
    stop(); /* which waits until what was asked for is done */
    assert_contains(ah_test_captured(), "SIGQUIT: no kernel runs on simulated devices");
}

static void count_signal(int signal_number)
{
    (void)signal_number;
    own_signals++;
}

static void stays_as_it_was(void (*handler)(int))
{
    struct sigaction after;
    signal(SIGQUIT, handler);
    configure_watch(0, 0);
    struct job job;
    watched_job(&job, 4, 2, wait_for_flag);
    job_start(&job);
    wait_for_blocks(&job);
    assert_int_equal(sigaction(SIGQUIT, NULL, &after), 0);
    assert_true(after.sa_handler == handler);
    raise(SIGQUIT);
    job.flag = 1;
    assert_true(job_wait(&job));
    stop();
    assert_int_equal(introduced, 0);
    assert_int_equal(sigaction(SIGQUIT, NULL, &after), 0);
    assert_true(after.sa_handler == handler);
    signal(SIGQUIT, SIG_DFL);
}

static void a_handler_of_the_program_stays(void **state)
{
    (void)state;
    stays_as_it_was(count_signal);
    assert_int_equal(own_signals, 1);
}

static void an_ignored_signal_stays_ignored(void **state)
{
    (void)state;
    stays_as_it_was(SIG_IGN);
}

static void the_child_of_a_fork_ends_as_without_the_watch(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) /* calls handlers later, and not from within raise */
        return;
    signal(SIGQUIT, SIG_DFL);
    configure_watch(0, 0);
    struct job job;
    watched_job(&job, 1, 1, just_end);
    assert_true(job_run(&job));
    ah_test_capture();
    pid_t child = fork();
    if (child == 0) {
        raise(SIGQUIT);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    stop();
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGQUIT);
    assert_string_equal(ah_test_captured(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(a_launch_that_runs_for_too_long_fails),
        AH_TEST(other_launches_go_on),
        AH_TEST(without_a_limit_none_ends_and_nothing_is_written),
        AH_TEST(work_that_takes_long_writes_a_line_that_becomes_rarer),
        AH_TEST(sigquit_says_where_the_threads_are),
        AH_TEST(reports_may_follow_one_another_at_once),
        AH_TEST(sigquit_without_a_launch_says_so),
        AH_TEST(a_handler_of_the_program_stays),
        AH_TEST(an_ignored_signal_stays_ignored),
        AH_TEST(the_child_of_a_fork_ends_as_without_the_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
