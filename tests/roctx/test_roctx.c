/* Tests ROCTX: levels and identifiers, what of them is logged, and the names that the library
 * exports. */
#include "log.h"
#include "support.h"

#include <roctracer/roctx.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* roctx.c configures the log at its first call. */
static int configure(void **state)
{
    (void)state;
    setenv("AMD_LOG_LEVEL", "3", 1);
    unsetenv("ANYHIP_CONFIG");
    setenv("XDG_CONFIG_HOME", "/dev/null", 1); /* no configuration */
    unsetenv("AMD_LOG_MASK");
    unsetenv("AMD_LOG_LEVEL_FILE");
    roctxMark("the first call");
    return ah_log_threshold == AH_LOG_INFO ? 0 : -1;
}

static void ranges_nest(void **state)
{
    (void)state;
    ah_test_capture();
    assert_int_equal(roctxRangePop(), -1);
    assert_int_equal(roctxRangePush("outer"), 0);
    assert_int_equal(roctxRangePush("inner"), 1);
    assert_int_equal(roctxRangePop(), 1);
    assert_int_equal(roctxRangePushA("another"), 1);
    assert_int_equal(roctxRangePop(), 1);
    assert_int_equal(roctxRangePop(), 0);
    assert_int_equal(roctxRangePop(), -1);
    const char *log = ah_test_captured();
    assert_int_equal(ah_test_count_lines(log), 8);
    assert_contains(log, "roctxRangePush ( outer ) level 0\n");
    assert_contains(log, "roctxRangePush ( inner ) level 1\n");
    assert_contains(log, "roctxRangePush ( another ) level 1\n");
    assert_int_equal(ah_test_count(log, "roctxRangePop: level 1\n"), 2);
    assert_int_equal(ah_test_count(log, "roctxRangePop: level 0\n"), 1);
    assert_int_equal(ah_test_count(log, "roctxRangePop: the thread is in no range\n"), 2);
}

struct of_thread {
    int levels[3];
    roctx_range_id_t id;
};

static void *use_ranges(void *argument)
{
    struct of_thread *seen = argument;
    seen->levels[0] = roctxRangePush("of a thread");
    seen->levels[1] = roctxRangePop();
    seen->levels[2] = roctxRangePop();
    seen->id = roctxRangeStart("of a thread");
    return NULL;
}

static void threads_have_their_own_ranges(void **state)
{
    (void)state;
    struct of_thread seen = {{7, 7, 7}, 0};
    pthread_t thread;
    ah_test_capture();
    assert_int_equal(roctxRangePush("of main"), 0);
    roctx_range_id_t id = roctxRangeStart("of main");
    assert_int_equal(pthread_create(&thread, NULL, use_ranges, &seen), 0);
    pthread_join(thread, NULL);
    assert_int_equal(seen.levels[0], 0);
    assert_int_equal(seen.levels[1], 0);
    assert_int_equal(seen.levels[2], -1);
    assert_int_equal(roctxRangePop(), 0);
    assert_int_not_equal(id, 0);
    assert_int_not_equal(seen.id, 0);
    assert_int_not_equal(seen.id, id);
    roctxRangeStop(seen.id); /* a range of another thread */
    const char *log = ah_test_captured();
    assert_contains(log, ah_test_print("roctxRangeStart ( of a thread ) id %llu\n",
                                       (unsigned long long)seen.id));
    assert_contains(log, ah_test_print("roctxRangeStop ( %llu )\n", (unsigned long long)seen.id));
}

static void a_mark_is_a_line_of_the_log(void **state)
{
    (void)state;
    ah_test_capture();
    roctxMark("100 % of \"it\"");
    roctxMarkA(NULL);
    const char *log = ah_test_captured();
    assert_int_equal(ah_test_count_lines(log), 2);
    assert_contains(log, ":3:");
    assert_contains(log, "roctxMark ( 100 % of \"it\" )\n");
    assert_contains(log, "roctxMark ( (null) )\n");
}

static void marks_are_of_level_3_and_calls(void **state)
{
    (void)state;
    ah_test_capture();
    ah_log_threshold = AH_LOG_WARNING;
    roctxMark("not logged");
    assert_int_equal(roctxRangePush("not logged"), 0);
    ah_log_threshold = AH_LOG_INFO;
    ah_log_mask = AH_LOG_COPY;
    roctxMark("not logged");
    ah_log_mask = AH_LOG_DEFAULT_MASK & ~AH_LOG_LOCATION;
    assert_int_equal(roctxRangePush("logged"), 1);
    roctxRangePop();
    roctxRangePop();
    const char *log = ah_test_captured();
    assert_lacks(log, "not logged");
    assert_contains(log, "roctxRangePush ( logged ) level 1\n");
}

static void *mark(void *argument)
{
    roctxMark(argument);
    return NULL;
}

static void pauses_hide_marks_of_a_thread_or_of_all(void **state)
{
    (void)state;
    char other[] = "of another thread", still[] = "of another, paused";
    roctx_thread_id_t self = 0;
    pthread_t thread;
    assert_int_equal(roctxGetThreadId(&self), 0);
    assert_int_equal(roctxGetThreadId(NULL), -1);
    assert_int_not_equal(self, 0);
    ah_test_capture();
    assert_int_equal(roctxProfilerPause(self), 0);
    roctxMark("paused thread");
    assert_int_equal(roctxRangePush("paused thread"), 0);
    assert_int_equal(pthread_create(&thread, NULL, mark, other), 0);
    pthread_join(thread, NULL);
    assert_int_equal(roctxProfilerPause(0), 0);
    assert_int_equal(pthread_create(&thread, NULL, mark, still), 0);
    pthread_join(thread, NULL);
    assert_int_equal(roctxProfilerResume(0), 0);
    roctxMark("paused thread");
    assert_int_equal(roctxProfilerResume(self), 0);
    assert_int_equal(roctxRangePush("resumed"), 1);
    assert_int_equal(roctxRangePop(), 1);
    assert_int_equal(roctxRangePop(), 0);
    assert_int_equal(roctxProfilerPause(self + 1), -1);
    roctxMark("not paused");
    const char *log = ah_test_captured();
    assert_lacks(log, "paused thread");
    assert_lacks(log, still);
    assert_contains(log, other);
    assert_contains(log, "roctxRangePush ( resumed ) level 1\n");
    assert_contains(log, "roctxMark ( not paused )\n");
}

static void names_are_logged(void **state)
{
    (void)state;
    const uint64_t agent = 0xabcd;
    const void *agent_address = &agent;
    ah_test_capture();
    assert_int_equal(roctxNameOsThread("worker"), 0);
    assert_int_equal(roctxNameHsaAgent("first", agent_address), 0);
    assert_int_equal(roctxNameHipDevice("fast", 2), 0);
    assert_int_equal(roctxNameHipStream("copies", NULL), 0); /* the default stream */
    assert_int_equal(roctxNameOsThread(NULL), -1);
    assert_int_equal(roctxNameHsaAgent("first", NULL), -1);
    assert_int_equal(roctxNameHipDevice(NULL, 0), -1);
    assert_int_equal(roctxNameHipStream(NULL, NULL), -1);
    const char *log = ah_test_captured();
    assert_int_equal(ah_test_count_lines(log), 4);
    assert_contains(log, "roctxNameOsThread ( worker ): thread ");
    assert_contains(log, "roctxNameHsaAgent ( first ): agent 0xabcd\n");
    assert_contains(log, "roctxNameHipDevice ( fast ): device 2\n");
    assert_contains(log, "roctxNameHipStream ( copies ): stream ");
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    assert_int_equal(roctx_version_major(), ROCTX_VERSION_MAJOR);
    assert_int_equal(roctx_version_minor(), ROCTX_VERSION_MINOR);
}

static void the_library_exports_rocm_s_names_and_no_others(void **state)
{
    (void)state;
    static const char *const names[] = {
        "roctx_version_major", "roctx_version_minor", "roctxMarkA",
        "roctxRangePushA",     "roctxRangePop",       "roctxRangeStartA",
        "roctxRangeStop",      "roctxProfilerPause",  "roctxProfilerResume",
        "roctxNameOsThread",   "roctxNameHsaAgent",   "roctxNameHipDevice",
        "roctxNameHipStream",  "roctxGetThreadId",    "roctxRegisterTracerCallback",
    };
    void *library = dlopen(AH_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!dlvsym(library, names[i], "ROCTX_4.1"))
            fail_msg("%s", dlerror());
    assert_null(dlsym(library, "ah_log_write"));
    dlclose(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(ranges_nest),
        AH_TEST(threads_have_their_own_ranges),
        AH_TEST(a_mark_is_a_line_of_the_log),
        AH_TEST(marks_are_of_level_3_and_calls),
        AH_TEST(pauses_hide_marks_of_a_thread_or_of_all),
        AH_TEST(names_are_logged),
        AH_TEST(the_version_is_that_of_the_header),
        AH_TEST(the_library_exports_rocm_s_names_and_no_others),
    };
    return cmocka_run_group_tests(tests, configure, NULL);
}
