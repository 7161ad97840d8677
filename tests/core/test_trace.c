/* Tests the trace file without a driver: what is in it, and that it can be read whatever happens to
 * the program or to the file. trace_program.c is the program. */
#include "child.h"
#include "trace_file.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- running and reading ------------------------------------------------------------------ */

static int without_driver(void **state)
{
    int error = ah_test_without_driver(state);
    ah_test_setenv("ANYHIP_TRACE", trace_path());
    return error;
}

#define TRACE_TEST(function)                                                                       \
    cmocka_unit_test_setup_teardown(function, without_driver, ah_test_tear_down)

static struct ah_test_run run(const char *arguments)
{
    return ah_child_run(AH_TEST_PROGRAM, arguments);
}

static void run_well(const char *arguments)
{
    ah_child_run_well(AH_TEST_PROGRAM, arguments);
}

static void expect_calls(const char *path, int calls)
{
    cJSON *list = trace_read(path);
    assert_int_equal(count_calls(list, "hipGetDeviceCount"), calls);
    cJSON_Delete(list);
}

/* ---- what is in it -------------------------------------------------------------------------- */

static void a_call_has_its_arguments_and_result(void **state)
{
    (void)state;
    run_well("call 2");
    cJSON *list = trace_read(trace_path());
    assert_int_equal(count_calls(list, "hipGetDeviceCount"), 2);
    const cJSON *call = find_event(list, "X", "hipGetDeviceCount");
    assert_string_equal(text_of(call, "cat"), "hip");
    assert_true(number_of(call, "ts") > 0 && number_of(call, "dur") >= 0);
    assert_string_equal(text_of(args_of(call), "result"), "hipErrorNoDevice");
    assert_true(ah_test_matches(text_of(args_of(call), "count"), "0x[0-9a-f]+"));
    assert_null(cJSON_GetObjectItemCaseSensitive(args_of(call), "*count")); /* it failed */
    cJSON_Delete(list);
}

static void process_and_threads_have_names(void **state)
{
    (void)state;
    run_well("threads 2 1");
    cJSON *list = trace_read(trace_path());
    const cJSON *process = find_event(list, "M", "process_name");
    assert_true(
        ah_test_matches(text_of(args_of(process), "name"), "ah_test_trace_p[a-z]* \\([0-9]+\\)"));
    assert_int_equal(count_events(list, "M", "thread_name"), 2);
    cJSON_Delete(list);
}

static void calls_of_a_thread_follow_one_another(void **state)
{
    (void)state;
    run_well("threads 8 50");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    struct {
        double thread, end;
    } last[16] = {{0, 0}};
    assert_int_equal(count_calls(list, "hipGetDeviceCount"), 400);
    cJSON_ArrayForEach(event, list)
    {
        int i = 0;
        if (strcmp(text_of(event, "ph"), "X") != 0)
            continue;
        while (last[i].thread != 0 && last[i].thread != number_of(event, "tid"))
            i++;
        assert_true(i < 8);
        last[i].thread = number_of(event, "tid");
        assert_true(number_of(event, "ts") >= last[i].end);
        last[i].end = number_of(event, "ts") + number_of(event, "dur") - 0.0005;
    }
    cJSON_Delete(list);
}

static void marks_and_ranges_are_events_before_any_call(void **state)
{
    (void)state;
    run_well("mark");
    cJSON *list = trace_read(trace_path());
    assert_int_equal(count_events(list, "B", "out\"er\n"), 1);
    assert_int_equal(count_events(list, "i", "a mark"), 1);
    const cJSON *start = find_event(list, "b", "across threads");
    assert_string_equal(text_of(start, "id"), "0x7");
    int ends = 0;
    const cJSON *event;
    cJSON_ArrayForEach(event, list)
    {
        ends += strcmp(text_of(event, "ph"), "E") == 0 || strcmp(text_of(event, "ph"), "e") == 0;
        assert_string_not_equal(text_of(event, "name"), "no such kind");
    }
    assert_int_equal(ends, 2);
    cJSON_Delete(list);
}

/* Written and lost ones together are all, however few there is space for. */
static void what_finds_no_space_is_counted(void **state)
{
    (void)state;
    ah_test_setenv("AMD_LOG_LEVEL", "2");
    ah_test_setenv("ANYHIP_CONFIG",
                   ah_test_write_text("c.json", "{\"trace\": {\"buffer_mib\": 0}}"));
    struct ah_test_run done = run("threads 16 20000");
    assert_int_equal(done.status, 0);
    cJSON *list = trace_read(trace_path());
    const cJSON *end = find_event(list, "M", "anyhip_trace_end");
    double lost = number_of(args_of(end), "lost");
    assert_int_equal(count_calls(list, "hipGetDeviceCount") + (int)lost, 16 * 20000);
    assert_true(lost > 0);
    assert_true(count_events(list, "i", "records lost") > 0);
    assert_contains(done.err, "the trace is not complete: more happens than can be written");
    cJSON_Delete(list);
}

/* A sanitizer keeps what is freed for a while. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { HAS_SANITIZER = 1 };
#else
enum { HAS_SANITIZER = 0 };
#endif

/* The most memory that the program took, in KiB. */
static long memory_for(const char *calls)
{
    struct rusage use;
    int status;
    pid_t child = fork();
    if (child == 0) {
        execl(AH_TEST_PROGRAM, "program", "call", calls, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(wait4(child, &status, 0, &use), child);
    assert_int_equal(status, 0);
    return use.ru_maxrss;
}

/* Beyond what the buffer needs that the configuration allows. */
static void memory_does_not_grow_with_the_trace(void **state)
{
    (void)state;
    enum { BUFFER = 8 << 10, MORE = 2 << 10 }; /* KiB; the file has some 18 MiB */
    long small = memory_for("100");
    long large = memory_for(HAS_SANITIZER ? "100" : "100000");
    assert_true(HAS_SANITIZER || large < small + BUFFER + MORE);
}

/* ---- the ends of programs ---------------------------------------------------------------------
 */

static void a_killed_program_leaves_a_complete_file(void **state)
{
    (void)state;
    static const int signals[] = {SIGKILL, SIGSEGV, SIGTERM, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct ah_test_run done =
            run(ah_test_print("call 5 wait %s 5 kill %d", trace_path(), signals[i]));
        assert_true(done.status >= 128 || done.status != 0);
        expect_calls(trace_path(), 5);
    }
}

static void a_program_that_ends_by__exit_leaves_a_complete_file(void **state)
{
    (void)state;
    run_well(ah_test_print("call 5 wait %s 5 _exit 0", trace_path()));
    expect_calls(trace_path(), 5);
}

static void the_file_is_complete_while_the_program_runs(void **state)
{
    (void)state;
    run_well(ah_test_print("call 5 wait %s 5 call 1 wait %s 6", trace_path(), trace_path()));
    expect_calls(trace_path(), 6);
}

static void a_forked_child_adds_nothing(void **state)
{
    (void)state;
    run_well("call 2 fork call 2");
    expect_calls(trace_path(), 4);
}

/* ---- other programs with the same name
 * ------------------------------------------------------------ */

/* The one file beside the trace. */
static const char *other_file(void)
{
    const char *found = NULL;
    DIR *folder = opendir(ah_test_path("."));
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strncmp(entry->d_name, "trace.json.", 11) == 0)
            found = ah_test_path(entry->d_name);
    closedir(folder);
    assert_non_null(found);
    return found;
}

static void a_program_started_meanwhile_has_a_file_of_its_own(void **state)
{
    (void)state;
    struct ah_test_run done = run("call 2 child call 3");
    assert_int_equal(done.status, 0);
    assert_contains(done.err, "is in use: this program's trace is");
    expect_calls(trace_path(), 2);
    expect_calls(other_file(), 3);
}

static void a_program_after_exec_has_a_file_of_its_own(void **state)
{
    (void)state;
    struct ah_test_run done = run(ah_test_print("call 2 wait %s 2 exec call 3", trace_path()));
    assert_int_equal(done.status, 0);
    expect_calls(trace_path(), 2);
    expect_calls(other_file(), 3);
}

static void a_later_program_writes_the_file_anew(void **state)
{
    (void)state;
    run_well("call 7");
    run_well("call 2");
    expect_calls(trace_path(), 2);
}

static void the_process_may_be_in_the_name(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_TRACE", ah_test_path("trace.json.%p.%%"));
    run_well("call 1");
    assert_true(ah_test_matches(other_file(), ".*/trace\\.json\\.[0-9]+\\.%"));
    expect_calls(other_file(), 1);
}

/* ---- files that cannot be written
 * ------------------------------------------------------------------- */

static void expect_no_trace(const char *reason)
{
    struct ah_test_run done = run("call 2");
    assert_int_equal(done.status, 0);
    assert_int_equal(ah_test_count_lines(done.err), 1);
    assert_contains(done.err, "cannot write the trace file");
    assert_contains(done.err, reason);
}

static void a_file_that_cannot_be_opened_is_one_line(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_TRACE", ah_test_path("no/such/folder/t.json"));
    expect_no_trace("No such file or directory");
    assert_int_equal(symlink("/etc/passwd", ah_test_path("link")), 0);
    ah_test_setenv("ANYHIP_TRACE", ah_test_path("link"));
    expect_no_trace("it is a symbolic link, which is not followed");
    assert_int_equal(mkfifo(ah_test_path("pipe"), 0600), 0);
    ah_test_setenv("ANYHIP_TRACE", ah_test_path("pipe"));
    expect_no_trace("it is not a regular file");
    ah_test_setenv("ANYHIP_TRACE", ah_test_path("."));
    expect_no_trace("Is a directory");
}

/* A full disk, as far as the program can see. */
static void a_file_that_becomes_full_ends_with_a_whole_event(void **state)
{
    (void)state;
    struct ah_test_run done =
        run(ah_test_print("call 5 wait %s 5 limit 3000 threads 4 500", trace_path()));
    assert_int_equal(done.status, 0);
    assert_int_equal(ah_test_count_lines(done.err), 1);
    assert_contains(done.err, "ends before the program does: File too large");
    cJSON *list = trace_read(trace_path());
    assert_true(count_calls(list, "hipGetDeviceCount") >= 5);
    cJSON_Delete(list);
}

static void the_file_ends_at_the_greatest_size(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_CONFIG",
                   ah_test_write_text("c.json", "{\"trace\": {\"max_size_mib\": 1}}"));
    struct ah_test_run done = run("threads 2 20000");
    struct stat about;
    assert_int_equal(done.status, 0);
    assert_contains(done.err, "ends before the program does: it has the size that "
                              "trace.max_size_mib allows");
    assert_int_equal(stat(trace_path(), &about), 0);
    assert_true(about.st_size <= (1 << 20) + 3);
    cJSON_Delete(trace_read(trace_path()));
}

static void a_program_that_closes_all_files_keeps_its_own(void **state)
{
    (void)state;
    struct ah_test_run done = run(ah_test_print("call 5 wait %s 5 close call 5", trace_path()));
    assert_int_equal(done.status, 0);
    assert_contains(done.err, "ends before the program does: the program has closed it");
    expect_calls(trace_path(), 5);
}

/* ---- configuration
 * -------------------------------------------------------------------------------- */

static void the_configuration_names_the_file_too(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_TRACE", NULL);
    ah_test_setenv("ANYHIP_CONFIG",
                   ah_test_write_text("c.json", ah_test_print("{\"trace\": {\"file\": \"%s\"}}",
                                                              ah_test_path("other.json"))));
    run_well("call 3");
    expect_calls(ah_test_path("other.json"), 3);
    ah_test_setenv("ANYHIP_TRACE", trace_path());
    run_well("call 4");
    expect_calls(trace_path(), 4);
    expect_calls(ah_test_path("other.json"), 3);
}

static void without_a_name_nothing_is_written(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_TRACE", "");
    run_well("call 3 mark");
    assert_null(ah_test_read_file(trace_path(), &(size_t){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(a_call_has_its_arguments_and_result),
        TRACE_TEST(process_and_threads_have_names),
        TRACE_TEST(calls_of_a_thread_follow_one_another),
        TRACE_TEST(marks_and_ranges_are_events_before_any_call),
        TRACE_TEST(what_finds_no_space_is_counted),
        TRACE_TEST(memory_does_not_grow_with_the_trace),
        TRACE_TEST(a_killed_program_leaves_a_complete_file),
        TRACE_TEST(a_program_that_ends_by__exit_leaves_a_complete_file),
        TRACE_TEST(the_file_is_complete_while_the_program_runs),
        TRACE_TEST(a_forked_child_adds_nothing),
        TRACE_TEST(a_program_started_meanwhile_has_a_file_of_its_own),
        TRACE_TEST(a_program_after_exec_has_a_file_of_its_own),
        TRACE_TEST(a_later_program_writes_the_file_anew),
        TRACE_TEST(the_process_may_be_in_the_name),
        TRACE_TEST(a_file_that_cannot_be_opened_is_one_line),
        TRACE_TEST(a_file_that_becomes_full_ends_with_a_whole_event),
        TRACE_TEST(the_file_ends_at_the_greatest_size),
        TRACE_TEST(a_program_that_closes_all_files_keeps_its_own),
        TRACE_TEST(the_configuration_names_the_file_too),
        TRACE_TEST(without_a_name_nothing_is_written),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
