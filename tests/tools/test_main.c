/* Tests how the command reads its command line. */
#include "command.h"

#include <fcntl.h>
#include <unistd.h>

static void help_and_version_are_answered(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("--help");
    assert_int_equal(run.status, 0);
    assert_contains(run.out, "usage: anyhip COMMAND");
    assert_contains(run.out, "inspect [--json] [--extract FOLDER] [--force] FILE");
    assert_string_equal(anyhip("-h").out, run.out);
    run = anyhip("--version");
    assert_int_equal(run.status, 0);
    assert_true(ah_test_matches(run.out, "anyhip [0-9.]+, HIP [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

static void assert_wrong(struct ah_test_run run, const char *reason)
{
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_int_equal(ah_test_count_lines(run.err), 1);
    assert_contains(run.err, reason);
    assert_contains(run.err, "anyhip --help");
}

static void a_wrong_command_line_is_status_2_and_one_line(void **state)
{
    (void)state;
    assert_wrong(ah_test_anyhip((const char *const[]){NULL}), "no command was given");
    assert_wrong(anyhip("frobnicate"), "\"frobnicate\"");
    assert_wrong(anyhip("--frobnicate"), "\"--frobnicate\"");
    assert_wrong(anyhip("info", "--xml"), "\"--xml\"");
    assert_wrong(anyhip("info", "file"), "\"file\"");
    assert_wrong(anyhip("inspect"), "inspect needs a file");
    assert_wrong(anyhip("inspect", "file", "--extract"), "--extract needs a folder");
    assert_wrong(anyhip("inspect", "--force", "file"), "--force needs --extract");
    assert_wrong(anyhip("inspect", "--deep", "file"), "\"--deep\"");
    assert_wrong(anyhip("check", "--fast"), "\"--fast\"");
}

static void a_misspelt_command_is_told_which_may_be_meant(void **state)
{
    (void)state;
    assert_wrong(anyhip("insepct"), "no command \"insepct\" (did you mean \"inspect\"?);");
    assert_wrong(anyhip("inf"), "(did you mean \"info\"?)");
    assert_wrong(anyhip("frobnicate"), "no command \"frobnicate\";");
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("inspect", "--", "-absent");
    assert_int_equal(run.status, 1);
    assert_contains(run.err, "anyhip: -absent: No such file or directory");
}

static void output_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    const char *command = ah_test_print("exec %s --help >/dev/full", AH_TEST_ANYHIP);
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    struct ah_test_run run = ah_test_execute(argv);
    assert_int_equal(run.status, 1);
    assert_contains(run.err, "standard output");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_COMMAND_TEST(help_and_version_are_answered),
        AH_COMMAND_TEST(a_wrong_command_line_is_status_2_and_one_line),
        AH_COMMAND_TEST(a_misspelt_command_is_told_which_may_be_meant),
        AH_COMMAND_TEST(two_dashes_end_the_options),
        AH_COMMAND_TEST(output_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
