/* Tests of the private folders, and of how the compile driver is started. */
#include "rtc_work.h"
#include "support.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void names_of_headers_stay_in_the_folder(void **state)
{
    (void)state;
    static const char *const good[] = {"a.h",          "a/b/c.h",     "../a.h",
                                       "../../../a.h", "a/../../b.h", "./x",
                                       "a//b.h",       "...",         "x/../../../../y.h"};
    static const char *const bad[] = {"", "/a.h", "a/", "../../../../a.h", "a/../../../../../b.h",
                                      "/"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!ah_rtc_work_name_valid(good[i]))
            fail_msg("%s is refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ah_rtc_work_name_valid(bad[i]))
            fail_msg("%s is accepted", bad[i]);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void a_folder_goes_with_all_that_is_in_it(void **state)
{
    (void)state;
    struct ah_rtc_work work;
    const char *folder = ah_test_path("");
    ah_test_setenv("TMPDIR", folder);
    assert_true(ah_rtc_work_open(&work));
    assert_int_equal(strncmp(work.folder, folder, strlen(folder) - 1), 0);
    assert_true(ah_rtc_work_write(&work, "deep/er/x.h", "text", 4));
    assert_true(ah_rtc_work_write(&work, "../../../top", "", 0));
    char *kept = ah_test_print("%s", work.folder);
    char *inside = ah_test_print("%s/deep/er/x.h", work.sources);
    assert_true(is_there(inside));
    struct stat status;
    assert_int_equal(stat(work.folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    ah_rtc_work_close(&work);
    assert_false(is_there(kept));
    ah_rtc_work_close(&work);
}

static void a_folder_that_cannot_be_made_is_told(void **state)
{
    (void)state;
    struct ah_rtc_work work;
    ah_test_setenv("TMPDIR", "/no/such/folder");
    assert_false(ah_rtc_work_open(&work));
    assert_string_equal(work.folder, "");
}

/* Runs a shell script in the driver's place. */
static enum ah_rtc_outcome run(const char *script, const struct ah_rtc_work *work)
{
    struct ah_rtc_run started;
    struct ah_rtc_arguments arguments = {0};
    const char *driver = ah_test_write_text("driver.sh", script);
    assert_int_equal(chmod(driver, 0700), 0);
    ah_test_setenv("ANYHIP_HIPCC", driver);
    ah_rtc_push(&arguments, "%s/made", work->folder);
    ah_rtc_push(&arguments, "%s", "two words");
    assert_false(arguments.failed);
    ah_rtc_run_start(&started, work, &arguments, "said");
    ah_rtc_arguments_fini(&arguments);
    return ah_rtc_run_finish(&started, work, "made");
}

static void what_the_driver_says_and_makes_is_kept(void **state)
{
    (void)state;
    struct ah_rtc_work work;
    struct ah_rtc_bytes bytes;
    assert_true(ah_rtc_work_open(&work));
    ah_test_setenv("LD_PRELOAD", "");
    ah_test_setenv("HIPCC_COMPILE_FLAGS_APPEND", "-wrong");
    assert_int_equal(
        run("#!/bin/sh\necho out; echo err >&2\n"
            "echo \"$2 ${LD_PRELOAD-unset} ${HIPCC_COMPILE_FLAGS_APPEND-unset}\" >$1\n",
            &work),
        AH_RTC_DONE);
    assert_true(ah_rtc_work_read(&work, "said", &bytes));
    assert_string_equal(bytes.data, "out\nerr\n");
    free(bytes.data);
    assert_true(ah_rtc_work_read(&work, "made", &bytes));
    assert_string_equal(bytes.data, "two words unset unset\n");
    free(bytes.data);
    assert_false(ah_rtc_work_read(&work, "nothing", &bytes));
    ah_rtc_work_close(&work);
}

static void nothing_that_was_opened_stays_open(void **state)
{
    (void)state;
    static const char *const scripts[] = {"#!/bin/sh\necho made >$1\n", "#!/bin/sh\nexit 1\n",
                                          "#!/no/such/shell\n"};
    int files = ah_test_open_files();
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct ah_rtc_work work;
        struct ah_rtc_bytes bytes;
        assert_true(ah_rtc_work_open(&work));
        (void)run(scripts[i], &work);
        if (ah_rtc_work_read(&work, "made", &bytes))
            free(bytes.data);
        assert_false(ah_rtc_work_read(&work, "nothing", &bytes));
        ah_rtc_work_close(&work);
        assert_int_equal(ah_test_open_files(), files);
    }
}

static void every_end_of_the_driver_has_a_meaning(void **state)
{
    (void)state;
    struct ah_rtc_work work;
    assert_true(ah_rtc_work_open(&work));
    assert_int_equal(run("#!/bin/sh\nexit 1\n", &work), AH_RTC_FAILED);
    assert_int_equal(run("#!/bin/sh\nexit 0\n", &work), AH_RTC_FAILED); /* made nothing */
    assert_int_equal(run("#!/bin/sh\nkill -9 $$\n", &work), AH_RTC_FAILED);
    assert_int_equal(run("#!/bin/sh\nexit 127\n", &work), AH_RTC_NO_COMPILER);
    assert_int_equal(run("#!/no/such/shell\n", &work), AH_RTC_NO_COMPILER);
    struct ah_rtc_bytes said;
    assert_true(ah_rtc_work_read(&work, "said", &said));
    assert_contains(said.data, "ANYHIP_HIPCC");
    free(said.data);
    ah_rtc_work_close(&work);
}

static void a_program_that_ignores_its_children_can_compile(void **state)
{
    (void)state;
    struct ah_rtc_work work;
    assert_true(ah_rtc_work_open(&work));
    signal(SIGCHLD, SIG_IGN);
    enum ah_rtc_outcome good = run("#!/bin/sh\nsh -c 'exit 3'\n[ $? = 3 ] && : >$1\n", &work);
    enum ah_rtc_outcome bad = run("#!/bin/sh\nrm $1; exit 1\n", &work);
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(good, AH_RTC_DONE);
    assert_int_equal(bad, AH_RTC_FAILED);
    ah_rtc_work_close(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(names_of_headers_stay_in_the_folder),
        AH_TEST(a_folder_goes_with_all_that_is_in_it),
        AH_TEST(a_folder_that_cannot_be_made_is_told),
        AH_TEST(what_the_driver_says_and_makes_is_kept),
        AH_TEST(nothing_that_was_opened_stays_open),
        AH_TEST(every_end_of_the_driver_has_a_meaning),
        AH_TEST(a_program_that_ignores_its_children_can_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
