/* Tests `anyhip trace` with files of known content, and with files that are no traces. */
#include "command.h"

#include <cjson/cJSON.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GPU "\"pid\":100000000"
#define SLICE(cat, name, ts, dur, args)                                                            \
    ",\n{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\"," GPU ",\"tid\":16,\"ts\":" ts     \
    ",\"dur\":" dur ",\"args\":{" args "}}"
#define CALL(name, ts, dur)                                                                        \
    ",\n{\"ph\":\"X\",\"cat\":\"hip\",\"name\":\"" name "\",\"pid\":7,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"call\":1}}"

#define START                                                                                      \
    "[ "                                                                                           \
    "\n{\"ph\":\"M\",\"name\":\"anyhip_trace\",\"pid\":7,\"tid\":7,\"ts\":1000.000,\"args\":{}},"  \
    "\n"                                                                                           \
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"tid\":7,\"args\":{\"name\":\"saxpy "      \
    "(7)\"}},\n"                                                                                   \
    "{\"ph\":\"M\",\"name\":\"process_name\"," GPU ",\"tid\":0,\"args\":{\"name\":\"GPU 0: X "     \
    "(cuda)\"}},\n"                                                                                \
    "{\"ph\":\"M\",\"name\":\"process_labels\"," GPU ",\"tid\":0,"                                 \
    "\"args\":{\"labels\":\"times: event pairs\"}}"

#define WORK                                                                                       \
    CALL("hipMalloc", "1000.000", "50.000")                                                        \
    CALL("hipLaunchKernel", "1100.000", "2.000")                                                   \
    CALL("hipLaunchKernel", "1200.000", "4.000")                                                   \
    SLICE("copy", "copy host to device", "1000.000", "100.000", "\"bytes\":400000")                \
    SLICE("kernel", "saxpy", "1150.000", "10.000", "\"grid\":[1,1,1]")                             \
    SLICE("kernel", "saxpy", "1300.000", "30.000", "\"grid\":[1,1,1]")                             \
    SLICE("kernel", "other{\\\"}\\\\", "1310.000", "40.000", "")                                   \
    SLICE("wait", "event wait", "1200.000", "50.000", "")                                          \
    SLICE("graph", "graph launch", "1500.000", "20.000", "\"nodes\":2")                            \
    SLICE("kernel", "in a graph", "1505.000", "5.000", "\"node\":1")                               \
    SLICE("graph", "graph launch", "1600.000", "20.000", "")                                       \
    ",\n{\"ph\":\"C\",\"name\":\"memory in use\"," GPU ",\"tid\":0,\"ts\":1000.000,"               \
    "\"args\":{\"device\":2048,\"managed\":0,\"host\":512}}"                                       \
    ",\n{\"ph\":\"B\",\"cat\":\"roctx\",\"name\":\"step\",\"pid\":7,\"tid\":7,\"ts\":1000.0}"      \
    ",\n{\"ph\":\"B\",\"cat\":\"roctx\",\"name\":\"inner\",\"pid\":7,\"tid\":7,\"ts\":1010.0}"     \
    ",\n{\"ph\":\"E\",\"cat\":\"roctx\",\"name\":\"\",\"pid\":7,\"tid\":7,\"ts\":1020.0}"          \
    ",\n{\"ph\":\"E\",\"cat\":\"roctx\",\"name\":\"\",\"pid\":7,\"tid\":7,\"ts\":1050.0}"          \
    ",\n{\"ph\":\"b\",\"cat\":\"roctx\",\"name\":\"far\",\"pid\":7,\"tid\":7,\"ts\":1,\"id\":"     \
    "\"0x1\"}"                                                                                     \
    ",\n{\"ph\":\"e\",\"cat\":\"roctx\",\"name\":\"\",\"pid\":7,\"tid\":8,\"ts\":3,\"id\":"        \
    "\"0x1\"}"                                                                                     \
    ",\n{\"ph\":\"s\",\"cat\":\"flow\",\"name\":\"x\",\"pid\":7,\"tid\":7,\"ts\":1001,\"id\":1}"

#define END                                                                                        \
    ",\n{\"ph\":\"M\",\"name\":\"anyhip_trace_end\",\"pid\":7,\"tid\":7,\"ts\":2000.000,"          \
    "\"args\":{\"lost\":3,\"lost_by_devices\":2}}\n]\n"

static const char *write_trace(const char *text)
{
    return ah_test_write_text("trace.json", text);
}

static cJSON *summary_of(const char *path)
{
    struct ah_test_run run = anyhip("trace", "--json", path);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    cJSON *summary = cJSON_Parse(run.out);
    assert_non_null(summary);
    return summary;
}

static const cJSON *at(const cJSON *object, const char *array, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, array), index);
}

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static const char *name(const cJSON *object)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "name"));
    return text ? text : "";
}

static void expect_row(const cJSON *row, const char *title, double count, double total, double min,
                       double max)
{
    assert_string_equal(name(row), title);
    assert_float_equal(number(row, "count"), count, 0);
    assert_float_equal(number(row, "total_ns"), total, 0);
    assert_float_equal(number(row, "mean_ns"), total / count, 0);
    assert_float_equal(number(row, "min_ns"), min, 0);
    assert_float_equal(number(row, "max_ns"), max, 0);
}

/* ---- what it says -------------------------------------------------------------------------- */

static void work_and_calls_are_added_up(void **state)
{
    (void)state;
    cJSON *summary = summary_of(write_trace(START WORK END));
    const cJSON *device = at(summary, "devices", 0);
    expect_row(at(device, "kernels", 0), "other{\"}\\", 1, 40000, 40000, 40000);
    expect_row(at(device, "kernels", 1), "saxpy", 2, 40000, 10000, 30000);
    expect_row(at(device, "kernels", 2), "in a graph", 1, 5000, 5000, 5000);
    expect_row(at(device, "graphs", 0), "graph launch", 2, 40000, 20000, 20000);
    expect_row(at(device, "waits", 0), "event wait", 1, 50000, 50000, 50000);
    expect_row(at(device, "copies", 0), "copy host to device", 1, 100000, 100000, 100000);
    assert_float_equal(number(at(device, "copies", 0), "bytes"), 400000, 0);
    assert_float_equal(number(at(device, "copies", 0), "gb_per_s"), 4, 0);
    assert_float_equal(number(device, "memory_device"), 2048, 0);
    assert_float_equal(number(device, "memory_host"), 512, 0);
    expect_row(at(summary, "calls", 0), "hipMalloc", 1, 50000, 50000, 50000);
    expect_row(at(summary, "calls", 1), "hipLaunchKernel", 2, 6000, 2000, 4000);
    expect_row(at(summary, "ranges", 0), "step", 1, 50000, 50000, 50000);
    expect_row(at(summary, "ranges", 1), "inner", 1, 10000, 10000, 10000);
    expect_row(at(summary, "ranges", 2), "far", 1, 2000, 2000, 2000);
    assert_float_equal(number(summary, "lost"), 5, 0);
    assert_float_equal(number(summary, "left_out"), 0, 0);
    cJSON_Delete(summary);
}

/* Waits are idle, a graph is busy with its nodes where they are known. */
static void gaps_of_an_idle_device_are_the_longest_first(void **state)
{
    (void)state;
    cJSON *summary = summary_of(write_trace(START WORK END));
    const cJSON *device = at(summary, "devices", 0);
    assert_float_equal(number(device, "busy_ns"), 100000 + 10000 + 50000 + 5000 + 20000, 0);
    assert_float_equal(number(device, "span_ns"), 620000, 0);
    static const struct {
        double begin, length; /* from the beginning of the trace, where a range has its own */
        const char *after, *before;
    } gaps[] = {{1349, 155, "other{\"}\\", "in a graph"},
                {1159, 140, "saxpy", "saxpy"},
                {1509, 90, "in a graph", "graph launch"},
                {1099, 50, "copy host to device", "saxpy"}};
    for (int i = 0; i < 4; i++) {
        const cJSON *gap = at(device, "gaps", i);
        assert_float_equal(number(gap, "begin_ns"), gaps[i].begin * 1000, 0);
        assert_float_equal(number(gap, "length_ns"), gaps[i].length * 1000, 0);
        assert_string_equal(cJSON_GetObjectItem(gap, "after")->valuestring, gaps[i].after);
        assert_string_equal(cJSON_GetObjectItem(gap, "before")->valuestring, gaps[i].before);
    }
    assert_null(at(device, "gaps", 4));
    cJSON_Delete(summary);
}

static void people_get_tables(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip("trace", write_trace(START WORK END));
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    assert_contains(run.out, "saxpy (7)\n");
    assert_contains(run.out, "GPU 0: X (cuda)\n  times: event pairs\n");
    assert_contains(run.out,
                    "busy 185.0 us of the 620.0 us from its first to its last work, 29.8%");
    assert_contains(run.out, "memory, at most: device 2.000 KiB, host 512 B\n");
    assert_contains(run.out,
                    " 47.1%   40.00 us         2   20.00 us   10.00 us   30.00 us  saxpy\n");
    assert_contains(run.out, "100.0 us  390.6 KiB         4  copy host to device\n");
    assert_contains(run.out, "  140.0 us   1.159 ms  saxpy, saxpy\n");
    assert_contains(run.out,
                    " 89.3%   50.00 us         1   50.00 us   50.00 us   50.00 us  hipMalloc\n");
    assert_contains(run.out, "5 records were lost");
}

static void lines_can_be_fewer_or_all(void **state)
{
    (void)state;
    const char *path = write_trace(START WORK END);
    struct ah_test_run run = anyhip("trace", "--top", "1", path);
    assert_contains(run.out, "hipMalloc\n  and 1 more\n");
    assert_null(strstr(run.out, "hipLaunchKernel"));
    run = anyhip("trace", "--top", "0", path);
    assert_contains(run.out, "hipLaunchKernel\n");
    assert_null(strstr(run.out, " more\n"));
}

static void what_has_no_end_shows_where_a_program_hangs(void **state)
{
    (void)state;
    const char *path =
        write_trace(START ",\n{\"ph\":\"B\",\"cat\":\"hip\",\"name\":\"hipDeviceSynchronize\","
                          "\"pid\":7,\"tid\":9,\"ts\":1100.0}\n]\n");
    struct ah_test_run run = anyhip("trace", path);
    assert_int_equal(run.status, 0);
    assert_contains(run.out, "Not over at the end of the trace, since\n        0 ns  "
                             "hipDeviceSynchronize\n");
    assert_contains(run.out, "The program had not ended, or ended suddenly.");
    cJSON *summary = summary_of(path);
    assert_string_equal(name(at(summary, "open", 0)), "hipDeviceSynchronize");
    assert_float_equal(number(at(summary, "open", 0), "thread"), 9, 0);
    cJSON_Delete(summary);
}

static void names_do_not_reach_the_terminal_as_they_are(void **state)
{
    (void)state;
    struct ah_test_run run = anyhip(
        "trace", write_trace(START CALL("a\\u001b[2Jb\\n", "1", "1") CALL("\xff", "1", "1") END));
    assert_int_equal(run.status, 0);
    assert_contains(run.out, "  a?[2Jb?\n");
    assert_contains(run.out, "  ?\n");
}

static void events_of_no_meaning_are_counted(void **state)
{
    (void)state;
    cJSON *summary = summary_of(write_trace(
        START SLICE("kernel", "endless", "1", "1e300", "") SLICE("kernel", "before", "-5", "1", "")
            SLICE("mystery", "x", "1", "1", "") ",{},{\"ph\":5},{\"ph\":\"X\",\"ts\":1},"
                                                "{\"ph\":\"E\",\"cat\":\"hip\",\"ts\":1}" END));
    assert_float_equal(number(summary, "left_out"), 7, 0);
    assert_null(at(at(summary, "devices", 0), "kernels", 0));
    cJSON_Delete(summary);
}

/* ---- files that are not as they should be -----------------------------------------------------
 */

static void expect_failure(const char *path, const char *message)
{
    struct ah_test_run run = anyhip("trace", path);
    assert_contains(run.err, message);
    assert_int_equal(ah_test_count_lines(run.err), 1);
    assert_string_equal(run.out, "");
    assert_int_equal(run.status, 1);
}

static void what_is_no_trace_is_refused(void **state)
{
    (void)state;
    expect_failure(write_trace(""), "it is cut off after 0 events");
    expect_failure(write_trace("hello"), "it is no trace: it does not begin with a list of events");
    expect_failure(write_trace("{\"a\":[]}"), "it is no trace");
    expect_failure(write_trace("[1,2]"), "there is no event before byte 2, after 0");
    expect_failure(write_trace("[{\"a\":}]"), "there is no event before byte 7, after 0");
    expect_failure(write_trace("[{\"ph\":\"X\"}]"), "the events in it are not of AnyHIP");
    expect_failure(write_trace("[\n]\n"), "there are no events in it");
    expect_failure("/no/such/file", "anyhip: /no/such/file: No such file or directory");
    expect_failure(ah_test_path("."), "Is a directory");
    expect_failure("/proc/self/mem", "Input/output error");
}

static void a_file_that_may_not_be_read_is_refused(void **state)
{
    (void)state;
    const char *path = write_trace(START END);
    assert_int_equal(chmod(path, 0), 0);
    pid_t child = fork();
    if (child == 0) { /* root reads everything */
        bool good = geteuid() != 0 || setresuid(65534, 65534, 65534) == 0;
        struct ah_test_run run = anyhip("trace", path);
        _exit(good && run.status == 1 && strstr(run.err, "Permission denied") ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* As after a copy that broke off: what is there is added up. */
static void a_file_cut_anywhere_has_a_summary_and_a_message(void **state)
{
    (void)state;
    static const char whole[] = START WORK END;
    char part[sizeof whole];
    for (size_t size = 0; size + 2 < sizeof whole; size += size < 300 ? 13 : 97) {
        memcpy(part, whole, size);
        part[size] = '\0';
        struct ah_test_run run = anyhip("trace", "--json", write_trace(part));
        assert_int_equal(run.status, 1);
        assert_contains(run.err, "it is cut off after ");
        cJSON *summary = cJSON_Parse(run.out);
        assert_int_equal(summary != NULL, strstr(run.err, "after 0 events") == NULL);
        assert_true(!summary || cJSON_IsFalse(cJSON_GetObjectItem(summary, "complete")));
        cJSON_Delete(summary);
    }
}

static void write_large(const char *path, unsigned events)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(START, file);
    for (unsigned i = 0; i < events; i++)
        fprintf(file, SLICE("kernel", "kernel%u", "%u", "0.5", ""), i % 1000, i);
    fputs(END, file);
    assert_int_equal(fclose(file), 0);
}

/* The most memory that the command took, in KiB. */
static long memory_for(const char *path)
{
    struct rusage use;
    int status;
    pid_t child = fork();
    if (child == 0) {
        (void)!freopen("/dev/null", "w", stdout);
        execl(AH_TEST_ANYHIP, "anyhip", "trace", path, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(wait4(child, &status, 0, &use), child);
    assert_int_equal(status, 0);
    return use.ru_maxrss;
}

/* A sanitizer keeps what is freed for a while. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { HAS_SANITIZER = 1 };
#else
enum { HAS_SANITIZER = 0 };
#endif

static void memory_does_not_grow_with_the_file(void **state)
{
    (void)state;
    const char *path = ah_test_path("large.json");
    write_large(path, 2000);
    long small = memory_for(path);
    write_large(path, HAS_SANITIZER ? 4000 : 150000);
    long large = memory_for(path);
    assert_true(HAS_SANITIZER || large < small + 8 * 1024); /* KiB; the file has 18 MiB */
}

static void an_event_has_a_greatest_length(void **state)
{
    (void)state;
    const char *path = ah_test_path("long.json");
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fprintf(file, "[{\"a\":\"%*s\"}]", (1 << 20) + 1, "");
    assert_int_equal(fclose(file), 0);
    expect_failure(path, "is longer than 1048576 bytes");
}

/* cJSON goes down into what is nested, but not without end. */
static void nesting_has_a_greatest_depth(void **state)
{
    (void)state;
    char *text = calloc(1, 900000);
    assert_non_null(text);
    memcpy(text, "[{\"a\":", 6);
    memset(text + 6, '[', 400000);
    memset(text + 400006, ']', 400000);
    memcpy(text + 800006, "}]", 2);
    expect_failure(write_trace(text), "there is no event before byte 800007");
    free(text);
}

/* ---- the command line ---------------------------------------------------------------------------
 */

static void options_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *arguments[5];
        const char *message;
    } cases[] = {
        {{"trace"}, "anyhip: trace needs a file"},
        {{"trace", "a", "b"}, "anyhip: trace takes one file"},
        {{"trace", "--jsn", "b"}, "anyhip: trace has no option \"--jsn\""},
        {{"trace", "a", "--top"}, "anyhip: trace --top needs a number of lines"},
        {{"trace", "--top", "-1", "a"}, "a number of lines, 0 for all, and not \"-1\""},
        {{"trace", "--top", "2x", "a"}, "a number of lines, 0 for all, and not \"2x\""},
        {{"trace", "--top", "", "a"}, "a number of lines, 0 for all, and not \"\""},
        {{"trace", "--top", "99999999999999999999", "a"}, "a number of lines, 0 for all"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ah_test_run run = ah_test_anyhip(cases[i].arguments);
        assert_contains(run.err, cases[i].message);
        assert_int_equal(run.status, 2);
    }
    assert_int_equal(chdir(ah_test_path(".")), 0);
    ah_test_write_text("--json", START END);
    assert_int_equal(anyhip("trace", "--", "--json").status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_COMMAND_TEST(work_and_calls_are_added_up),
        AH_COMMAND_TEST(gaps_of_an_idle_device_are_the_longest_first),
        AH_COMMAND_TEST(people_get_tables),
        AH_COMMAND_TEST(lines_can_be_fewer_or_all),
        AH_COMMAND_TEST(what_has_no_end_shows_where_a_program_hangs),
        AH_COMMAND_TEST(names_do_not_reach_the_terminal_as_they_are),
        AH_COMMAND_TEST(events_of_no_meaning_are_counted),
        AH_COMMAND_TEST(what_is_no_trace_is_refused),
        AH_COMMAND_TEST(a_file_that_may_not_be_read_is_refused),
        AH_COMMAND_TEST(a_file_cut_anywhere_has_a_summary_and_a_message),
        AH_COMMAND_TEST(memory_does_not_grow_with_the_file),
        AH_COMMAND_TEST(an_event_has_a_greatest_length),
        AH_COMMAND_TEST(nesting_has_a_greatest_depth),
        AH_COMMAND_TEST(options_are_checked),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
