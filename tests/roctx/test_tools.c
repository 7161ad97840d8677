/* Tests who gets marks and ranges besides the log: a tool for NVTX, AMD's tracer and the trace file
 * of the HIP library. Each case is a program (marks.c) of its own. */
#include "support.h"

#include <string.h>

static int set_up(void **state)
{
    static const char *const variables[] = {"NVTX_TOOL",     "NVTX_INJECTION64_PATH",
                                            "ANYHIP_TRACE",  "AMD_LOG_LEVEL_FILE",
                                            "AMD_LOG_LEVEL", "AMD_LOG_MASK"};
    int error = ah_test_without_driver(state);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        ah_test_setenv(variables[i], NULL);
    return error;
}

static struct ah_test_run make(const char *steps)
{
    const char *argv[32] = {AH_TEST_MARKS};
    size_t count = 1;
    char *rest = ah_test_print("%s", steps), *step;
    while ((step = strsep(&rest, " ")) && count + 1 < sizeof argv / sizeof *argv)
        argv[count++] = step;
    struct ah_test_run run = ah_test_execute(argv);
    assert_int_equal(run.status, 0);
    return run;
}

static void assert_told(const char *steps, const char *expected)
{
    struct ah_test_run run = make(steps);
    assert_string_equal(run.out, ah_test_print("%s\n", expected));
    assert_string_equal(run.err, "");
}

/* ---- NVTX ---------------------------------------------------------------------------------- */

static void use_tool(const char *path, const char *mode)
{
    ah_test_setenv("NVTX_INJECTION64_PATH", path);
    ah_test_setenv("NVTX_TOOL", mode);
}

static void a_tool_for_nvtx_gets_marks_and_ranges(void **state)
{
    (void)state;
    use_tool(AH_TEST_TOOL, NULL);
    assert_told("mark null push push pop pop name",
                "[mark a mark][mark (null)][push a range][push a range][pop][pop][thread worker]");
}

static void ranges_of_the_process_end_with_the_number_of_the_tool(void **state)
{
    (void)state;
    use_tool(AH_TEST_TOOL, NULL);
    assert_told("start stop start thread",
                "[start across threads 501][end 501][start across threads 502][push of a thread]"
                "[pop][end 502]");
}

static void ends_without_a_beginning_are_not_told(void **state)
{
    (void)state;
    use_tool(AH_TEST_TOOL, NULL);
    assert_told("pop stop stop_unknown start stop stop mark",
                "[start across threads 501][end 501][mark a mark]");
}

static void a_pause_hides_whole_ranges(void **state)
{
    (void)state;
    use_tool(AH_TEST_TOOL, NULL);
    assert_told("push pause mark push start resume pop stop pop push pause pop resume mark",
                "[push a range][pop][push a range][pop][mark a mark]");
}

static void a_tool_takes_what_it_likes(void **state)
{
    (void)state;
    use_tool(AH_TEST_TOOL, "marks");
    assert_told("mark push start stop pop name mark", "[mark a mark][mark a mark]");
}

static void a_tool_that_makes_marks_does_not_hang(void **state)
{
    (void)state;
    use_tool(AH_TEST_TOOL, "calls");
    assert_told("mark", "[mark a mark]");
}

static void a_tool_that_cannot_be_used_is_a_warning(void **state)
{
    static const struct {
        const char *path, *mode, *problem;
    } rows[] = {
        {AH_TEST_TOOL, "refuse", "it refuses\n"},
        {AH_TEST_MARKS, NULL, AH_TEST_MARKS},
        {AH_TEST_LIBRARY, NULL, "it has no function InitializeInjectionNvtx2\n"},
        {"/no/such/tool.so", NULL, "/no/such/tool.so: cannot open shared object file"},
    };
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "2");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        use_tool(rows[i].path, rows[i].mode);
        struct ah_test_run run = make("mark push pop start stop name");
        assert_string_equal(run.out, "\n");
        assert_int_equal(ah_test_count_lines(run.err), 1);
        assert_contains(run.err,
                        ah_test_print("no marks and ranges for the tool %s: ", rows[i].path));
        assert_contains(run.err, rows[i].problem);
    }
    ah_test_setenv("NVTX_INJECTION64_PATH", "");
    assert_told("mark", "");
}

/* ---- AMD's tracer ---------------------------------------------------------------------------- */

static void amds_tracer_gets_marks_and_ranges(void **state)
{
    (void)state;
    assert_told("mark trace mark null push pop start stop untrace mark",
                "[6 0 a mark 0][6 0 (null) 0][6 1 a range 0][6 2 (null) 0]"
                "[6 3 across threads 1][6 4 (null) 1]");
}

/* ---- the trace file -------------------------------------------------------------------------- */

static const char *traced(const char *steps)
{
    const char *path = ah_test_path("trace.json");
    ah_test_setenv("ANYHIP_TRACE", path);
    assert_told(steps, "");
    return ah_test_read_file(path, NULL);
}

static void the_trace_has_marks_and_ranges(void **state)
{
    (void)state;
    const char *trace = traced("load mark push pop start stop");
    assert_non_null(trace);
    assert_int_equal(ah_test_count(trace, "\"name\":\"a mark\""), 1);
    assert_int_equal(ah_test_count(trace, "\"name\":\"a range\""), 1);
    assert_int_equal(ah_test_count(trace, "\"ph\":\"E\""), 1);
    assert_true(ah_test_count(trace, "\"name\":\"across threads\"") >= 1);
    assert_int_equal(ah_test_count(trace, "\"ph\":\"e\""), 1);
}

static void the_trace_has_nothing_of_a_pause(void **state)
{
    (void)state;
    const char *trace = traced("load mark pause mark push call pop resume mark call");
    assert_non_null(trace);
    assert_int_equal(ah_test_count(trace, "\"name\":\"a mark\""), 2);
    assert_int_equal(ah_test_count(trace, "\"name\":\"a range\""), 0);
    assert_int_equal(ah_test_count(trace, "\"name\":\"hipGetDeviceCount\""), 1);
}

static void hip_may_be_loaded_after_the_first_mark(void **state)
{
    (void)state;
    const char *trace = traced("mark push load mark pop");
    assert_non_null(trace);
    assert_int_equal(ah_test_count(trace, "\"name\":\"a mark\""), 1);
}

static void without_hip_there_is_no_trace(void **state)
{
    (void)state;
    assert_null(traced("mark push pop start stop"));
}

#define TOOL_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, ah_test_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TOOL_TEST(a_tool_for_nvtx_gets_marks_and_ranges),
        TOOL_TEST(ranges_of_the_process_end_with_the_number_of_the_tool),
        TOOL_TEST(ends_without_a_beginning_are_not_told),
        TOOL_TEST(a_pause_hides_whole_ranges),
        TOOL_TEST(a_tool_takes_what_it_likes),
        TOOL_TEST(a_tool_that_makes_marks_does_not_hang),
        TOOL_TEST(a_tool_that_cannot_be_used_is_a_warning),
        TOOL_TEST(amds_tracer_gets_marks_and_ranges),
        TOOL_TEST(the_trace_has_marks_and_ranges),
        TOOL_TEST(the_trace_has_nothing_of_a_pause),
        TOOL_TEST(hip_may_be_loaded_after_the_first_mark),
        TOOL_TEST(without_hip_there_is_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
