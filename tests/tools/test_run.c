/* Tests `anyhip run`, with shells for programs, which say what environment they have. */
#include "command.h"

#include <signal.h>
#include <sys/stat.h>

#define SHOW                                                                                       \
    "/bin/sh", "-c",                                                                               \
        "echo \"$ANYHIP_BACKEND|$ANYHIP_SIM_CHECK|$ANYHIP_SIM_TIMEOUT|$AMD_LOG_LEVEL|$*\"", "sh"

static int set_up(void **state)
{
    int result = ah_test_set_up(state);
    static const char *const names[] = {"ANYHIP_BACKEND", "ANYHIP_SIM_CHECK", "ANYHIP_SIM_TIMEOUT",
                                        "AMD_LOG_LEVEL"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ah_test_setenv(names[i], NULL);
    return result;
}

static void assert_shows(struct ah_test_run run, const char *text)
{
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, text);
    assert_int_equal(run.status, 0);
}

static void options_become_variables(void **state)
{
    (void)state;
    assert_shows(anyhip("run", SHOW), "||||\n");
    assert_shows(anyhip("run", "--device", "cuda", SHOW), "cuda||||\n");
    assert_shows(anyhip("run", "--device=simcuda:sm_80*2", "--log=3", SHOW),
                 "simcuda:sm_80*2|||3|\n");
    assert_shows(
        anyhip("run", "--device", "simhsa", "--check", "races,sync", "--timeout", "2.5", SHOW),
        "simhsa|races,sync|2.5||\n");
}

static void devices_add_up_and_models_are_simulated(void **state)
{
    (void)state;
    assert_shows(anyhip("run", "--device", "cuda", "--device", "gfx90a*2,sm_80", SHOW),
                 "cuda,simhsa:gfx90a*2,simcuda:sm_80||||\n");
}

static void other_variables_stay(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_BACKEND", "simcuda");
    ah_test_setenv("AMD_LOG_LEVEL", "1");
    assert_shows(anyhip("run", "--check", "all", SHOW), "simcuda|all||1|\n");
    assert_shows(anyhip("run", "--device", "hsa", "--log", "0", SHOW), "hsa|||0|\n");
}

static void what_follows_the_program_is_the_programs(void **state)
{
    (void)state;
    assert_shows(anyhip("run", "--log", "2", SHOW, "--device", "x", "--"), "|||2|--device x --\n");
    assert_shows(anyhip("run", "--", SHOW, "-a"), "||||-a\n");
}

static void the_exit_status_is_the_programs(void **state)
{
    (void)state;
    assert_int_equal(anyhip("run", "/bin/sh", "-c", "exit 7").status, 7);
    assert_int_equal(anyhip("run", "sh", "-c", "kill -KILL $$").status, 128 + SIGKILL);
}

static void the_program_takes_the_place_of_the_command(void **state)
{
    (void)state;
    const char *const argv[] = {"/bin/sh", "-c", "echo $$; exec \"$0\" run /bin/sh -c 'echo $$'",
                                AH_TEST_ANYHIP, NULL};
    struct ah_test_run run = ah_test_execute(argv);
    assert_true(ah_test_matches(run.out, "([0-9]+)\n\\1\n"));
}

static void a_program_that_cannot_be_started_is_named(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("run", "/absent/program");
    assert_int_equal(run.status, 127);
    assert_string_equal(run.err, "anyhip: /absent/program: No such file or directory\n");
    const char *file = ah_test_write_text("file", "no program");
    assert_int_equal(chmod(file, 0600), 0);
    run = anyhip("run", file);
    assert_int_equal(run.status, 126);
    assert_contains(run.err, "Permission denied");
}

static void assert_refused(struct ah_test_run run, const char *reason)
{
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_int_equal(ah_test_count_lines(run.err), 1);
    assert_contains(run.err, reason);
    assert_contains(run.err, "anyhip --help");
}

static void what_is_misspelt_is_refused_with_what_there_is(void **state)
{
    (void)state;
    assert_refused(anyhip("run"), "needs a program");
    assert_refused(anyhip("run", "--device", "simcuda"), "needs a program");
    assert_refused(anyhip("run", "--log"), "--log needs a value");
    assert_refused(anyhip("run", "--devices", "cuda", "x"), "did you mean \"--device\"?");
    assert_refused(anyhip("run", "--frobnicate", "x"),
                   "options are --device, --check, --timeout and --log");
    assert_refused(anyhip("run", "--device", "simcude", "x"), "did you mean \"simcuda\"?");
    assert_refused(anyhip("run", "--device", "cuda,", "x"), "cuda, hsa, simcuda and simhsa");
    assert_refused(anyhip("run", "--device", "simcuda", "--check", "race", "x"),
                   "\"race\" (did you mean \"races\"?): checks are uninitialised, races, sync and "
                   "guards, or all");
    assert_refused(anyhip("run", "--device", "simcuda", "--timeout", "1h", "x"), "not \"1h\"");
    assert_refused(anyhip("run", "--log", "6", "x"), "0 (nothing), 1 (errors)");
    assert_refused(anyhip("run", "--log", "high", "x"), "not \"high\"");
    assert_refused(anyhip("run", "--device", "simcudas", "x"),
                   "--device has no \"simcudas\" (did you mean \"simcuda\"?): devices are ");
    const char *longest = ah_test_print("%02000d", 0);
    assert_refused(anyhip("run", "--device", ah_test_print("sm_80*%s", longest), "x"),
                   "--device: the list is too long");
}

static void checks_need_a_simulated_device(void **state)
{
    (void)state;
    assert_refused(anyhip("run", "--check", "all", "x"), "--check is for simulated devices");
    assert_refused(anyhip("run", "--device", "cuda", "--timeout", "5", "x"),
                   "--timeout is for simulated devices: name one, as in --device simcuda");
}

int main(void)
{
#define RUN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, ah_test_tear_down)
    const struct CMUnitTest tests[] = {
        RUN_TEST(options_become_variables),
        RUN_TEST(devices_add_up_and_models_are_simulated),
        RUN_TEST(other_variables_stay),
        RUN_TEST(what_follows_the_program_is_the_programs),
        RUN_TEST(the_exit_status_is_the_programs),
        RUN_TEST(the_program_takes_the_place_of_the_command),
        RUN_TEST(a_program_that_cannot_be_started_is_named),
        RUN_TEST(what_is_misspelt_is_refused_with_what_there_is),
        RUN_TEST(checks_need_a_simulated_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
