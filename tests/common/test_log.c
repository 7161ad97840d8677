/* Tests the log: which lines are written, where to, and their exact shape. */
#include "log.h"
#include "support.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void configure(int level, int mask, const char *file, size_t max_size_mib)
{
    ah_log_configure(&(struct ah_log_settings){level, mask, file, max_size_mib});
}

static int clean_up(void **state)
{
    configure(AH_LOG_NONE, AH_LOG_DEFAULT_MASK, NULL, 0);
    return ah_test_tear_down(state);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

/* The line as ROCm 6 prints it; the time is taken from the line itself and checked against the
 * clock. */
static void assert_line(const char *line, uint64_t before, int level, const char *file, int number,
                        const char *pid_tid, const char *message)
{
    const char *at = strstr(line, " us: ");
    assert_non_null(at);
    while (at > line && isdigit((unsigned char)at[-1]))
        at--;
    uint64_t time = strtoull(at, NULL, 10);
    assert_true(time >= before && time <= now());
    const char *expected = ah_test_print(":%d:%-25s:%-4d: %010" PRIu64 " us: %s %s\n", level, file,
                                         number, time, pid_tid, message);
    assert_string_equal(line, expected);
}

static void a_line_is_rocm_6s_to_the_byte(void **state)
{
    (void)state;
    uint64_t before = now();
    ah_test_capture();
    configure(AH_LOG_INFO, 0x7fffffff & ~AH_LOG_LOCATION, NULL, 0);
    AH_LOG(AH_LOG_INFO, AH_LOG_API, "hello %s %d", "world", 7);
    const char *line = ah_test_captured();
    assert_line(line, before, 3, "", 0, "", "hello world 7");
    assert_true(ah_test_matches(line, ":3: {25}:0   : [0-9]{10,} us:  hello world 7\n"));
}

static void file_and_line_are_shown_with_the_location_bit_only(void **state)
{
    (void)state;
    uint64_t before = now();
    ah_test_capture();
    configure(AH_LOG_ERROR, AH_LOG_DEFAULT_MASK, NULL, 0);
    int number = __LINE__ + 1;
    AH_LOG_ERR("here");
    const char *line = ah_test_captured();
    assert_line(line, before, 1, "test_log.c", number, "", "here");
    assert_true(ah_test_matches(line, ":1:test_log\\.c {15}:[0-9]+ *: [0-9]{10,} us:  here\n"));
}

static void a_long_file_name_pushes_the_rest_to_the_right(void **state)
{
    (void)state;
    uint64_t before = now();
    ah_test_capture();
    configure(AH_LOG_ERROR, AH_LOG_DEFAULT_MASK, NULL, 0);
    ah_log_write(AH_LOG_ERROR, "/some/where/a_file_name_longer_than_the_column.c", 12345, "x");
    ah_log_write(AH_LOG_ERROR, "no_slash.c", 1, "y");
    char *lines = ah_test_print("%s", ah_test_captured());
    char *second = strchr(lines, '\n') + 1;
    assert_line(second, before, 1, "no_slash.c", 1, "", "y");
    *second = '\0';
    assert_line(lines, before, 1, "a_file_name_longer_than_the_column.c", 12345, "", "x");
}

static void process_and_thread_are_shown_from_level_4_on(void **state)
{
    (void)state;
    uint64_t before = now();
    const char *who =
        ah_test_print("[pid:%d tid: 0x%05lx]", (int)getpid(), (unsigned long)syscall(SYS_gettid));
    for (int level = AH_LOG_DEBUG; level <= AH_LOG_EXTRA; level++) {
        ah_test_capture();
        configure(level, 0x7fffffff & ~AH_LOG_LOCATION, NULL, 0);
        AH_LOG_ERR("deep");
        assert_line(ah_test_captured(), before, 1, "", 0, who, "deep");
    }
}

static void lines_above_the_level_are_not_written(void **state)
{
    (void)state;
    for (int threshold = AH_LOG_NONE; threshold <= AH_LOG_EXTRA; threshold++) {
        ah_test_capture();
        configure(threshold, AH_LOG_DEFAULT_MASK, NULL, 0);
        AH_LOG(AH_LOG_ERROR, AH_LOG_MISC, "x");
        AH_LOG(AH_LOG_WARNING, AH_LOG_MISC, "x");
        AH_LOG(AH_LOG_INFO, AH_LOG_MISC, "x");
        AH_LOG(AH_LOG_DEBUG, AH_LOG_MISC, "x");
        AH_LOG(AH_LOG_EXTRA, AH_LOG_MISC, "x");
        const char *text = ah_test_captured();
        assert_int_equal(ah_test_count_lines(text), threshold);
        for (int level = 1; level <= threshold; level++)
            assert_int_equal(ah_test_count(text, ah_test_print(":%d:test_log.c", level)), 1);
    }
}

static void each_category_is_silenced_by_its_bit_alone(void **state)
{
    (void)state;
    for (int bit = 0x1; bit <= AH_LOG_COMGR; bit <<= 1) {
        ah_test_capture();
        configure(AH_LOG_INFO, bit, NULL, 0);
        for (int other = 0x1; other <= AH_LOG_COMGR; other <<= 1)
            AH_LOG(AH_LOG_INFO, (enum ah_log_category)other, "bit %x", (unsigned)other);
        const char *text = ah_test_captured();
        assert_int_equal(ah_test_count_lines(text), 1);
        assert_contains(text, ah_test_print("bit %x\n", (unsigned)bit));
    }
}

static void no_mask_silences_errors_and_warnings(void **state)
{
    (void)state;
    ah_test_capture();
    configure(AH_LOG_WARNING, 0, NULL, 0);
    AH_LOG_ERR("error");
    AH_LOG_WARN("warning");
    AH_LOG(AH_LOG_ERROR, AH_LOG_API, "masked");
    const char *text = ah_test_captured();
    assert_int_equal(ah_test_count_lines(text), 2);
    assert_lacks(text, "masked");
}

static void a_notice_passes_every_level_and_mask(void **state)
{
    (void)state;
    uint64_t before = now();
    ah_test_capture();
    configure(AH_LOG_NONE, 0, NULL, 0);
    AH_LOG_NOTICE(AH_LOG_WARNING, "hear me");
    assert_line(ah_test_captured(), before, 2, "", 0, "", "hear me");
}

static int evaluated;

static int evaluate(void)
{
    return ++evaluated;
}

static void arguments_of_a_line_that_is_not_written_are_not_evaluated(void **state)
{
    (void)state;
    evaluated = 0;
    configure(AH_LOG_ERROR, 0, NULL, 0);
    AH_LOG(AH_LOG_ERROR, AH_LOG_API, "%d", evaluate());
    AH_LOG_WARN("%d", evaluate());
    assert_int_equal(evaluated, 0);
    ah_test_capture();
    AH_LOG_ERR("%d", evaluate());
    assert_contains(ah_test_captured(), " 1\n");
    assert_int_equal(evaluated, 1);
}

static void messages_are_cut_at_4096_bytes_with_their_zero(void **state)
{
    (void)state;
    char *message = ah_test_print("%05000d", 7);
    for (size_t length = 4090; length <= 5000; length += length < 4100 ? 1 : 900) {
        uint64_t before = now();
        ah_test_capture();
        configure(AH_LOG_ERROR, AH_LOG_DEFAULT_MASK, NULL, 0);
        int number = __LINE__ + 1;
        AH_LOG_ERR("%.*s", (int)length, message);
        const char *line = ah_test_captured();
        int shown = length < 4095 ? (int)length : 4095;
        assert_line(line, before, 1, "test_log.c", number, "",
                    ah_test_print("%.*s", shown, message));
    }
}

static void logging_leaves_errno_alone(void **state)
{
    (void)state;
    configure(AH_LOG_ERROR, AH_LOG_DEFAULT_MASK, NULL, 0);
    ah_test_capture();
    errno = EXDEV;
    AH_LOG_ERR("%s", "x");
    int after = errno;
    ah_test_captured();
    assert_int_equal(after, EXDEV);
}

/* ---- files -------------------------------------------------------------- */

static const char *log_name(const char *file)
{
    return ah_test_print("%s_%d", file, getpid());
}

static void a_log_file_has_the_process_in_its_name(void **state)
{
    (void)state;
    const char *file = ah_test_path("log");
    uint64_t before = now();
    ah_test_capture();
    configure(AH_LOG_ERROR, 0, file, 1);
    AH_LOG_ERR("into the file");
    AH_LOG_NOTICE(AH_LOG_ERROR, "this too");
    ah_log_close();
    AH_LOG_ERR("into standard error");
    const char *text = ah_test_captured();
    assert_line(text, before, 1, "", 0, "", "into standard error");
    char *written = ah_test_read_file(log_name(file), NULL);
    assert_non_null(written);
    assert_int_equal(ah_test_count_lines(written), 2);
    assert_null(ah_test_read_file(file, NULL));
}

static void a_log_file_that_exists_is_continued(void **state)
{
    (void)state;
    const char *file = ah_test_path("log");
    for (int i = 0; i < 3; i++) {
        configure(AH_LOG_ERROR, 0, file, 1);
        AH_LOG_ERR("round %d", i);
    }
    ah_log_close();
    char *written = ah_test_read_file(log_name(file), NULL);
    assert_int_equal(ah_test_count_lines(written), 3);
    assert_contains(written, "round 0\n");
}

static void lines_are_in_the_file_when_the_call_returns(void **state)
{
    (void)state;
    const char *file = ah_test_path("log");
    configure(AH_LOG_ERROR, 0, file, 1);
    AH_LOG_ERR("not lost in a crash");
    assert_int_equal(ah_test_count_lines(ah_test_read_file(log_name(file), NULL)), 1);
}

static void no_file_is_made_while_nothing_is_logged(void **state)
{
    (void)state;
    const char *file = ah_test_path("log");
    configure(AH_LOG_NONE, AH_LOG_DEFAULT_MASK, file, 1);
    assert_null(ah_test_read_file(log_name(file), NULL));
}

static void a_log_file_is_started_anew_beyond_its_size(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    const char *file = ah_test_path("log");
    const char *name = log_name(file);
    char *message = ah_test_print("%04000d", 7);
    struct stat status = {0};
    off_t largest = 0;
    bool shrank = false;
    configure(AH_LOG_ERROR, 0, file, 1);
    for (int i = 0; i < 400; i++) {
        AH_LOG_ERR("%s", message);
        off_t last = status.st_size;
        assert_int_equal(stat(name, &status), 0);
        largest = status.st_size > largest ? status.st_size : largest;
        shrank = shrank || status.st_size < last;
    }
    assert_true(largest <= MIB && largest > MIB - 8192);
    assert_true(shrank);
}

static void the_size_counts_what_was_in_the_file_before(void **state)
{
    (void)state;
    const char *file = ah_test_path("log");
    char *filler = calloc(1, (1 << 20) - 10);
    ah_test_write_file(strrchr(log_name(file), '/') + 1, filler, (1 << 20) - 10);
    free(filler);
    configure(AH_LOG_ERROR, 0, file, 1);
    AH_LOG_ERR("beyond the limit");
    AH_LOG_ERR("in the fresh file");
    size_t size;
    char *text = ah_test_read_file(log_name(file), &size);
    assert_true(size < 200);
    assert_contains(text, "in the fresh file");
}

static void without_a_size_a_log_file_grows_for_ever(void **state)
{
    (void)state;
    const char *file = ah_test_path("log");
    char *message = ah_test_print("%04000d", 7);
    configure(AH_LOG_ERROR, 0, file, 0);
    for (int i = 0; i < 300; i++)
        AH_LOG_ERR("%s", message);
    struct stat status;
    assert_int_equal(stat(log_name(file), &status), 0);
    assert_true(status.st_size > 300 * 4000);
}

static void a_file_that_cannot_be_opened_is_one_line_and_standard_error(void **state)
{
    (void)state;
    const char *folder = ah_test_path("nowhere/log");
    ah_test_capture();
    configure(AH_LOG_ERROR, AH_LOG_DEFAULT_MASK, folder, 1);
    const char *said = ah_test_captured();
    assert_int_equal(ah_test_count_lines(said), 1);
    assert_contains(said, log_name(folder));
    assert_contains(said, "No such file or directory");
    assert_contains(said, "AMD_LOG_LEVEL_FILE");
    ah_test_capture();
    AH_LOG_ERR("still heard");
    assert_int_equal(ah_test_count_lines(ah_test_captured()), 1);
}

static void there_is_no_colour_in_a_file_or_a_pipe(void **state)
{
    (void)state;
    const char *file = ah_test_path("log");
    configure(AH_LOG_INFO, 0, file, 1);
    ah_log_write_api("api.c", 1, " hipInit ( %d ) ", 0);
    configure(AH_LOG_INFO, 0, NULL, 0);
    ah_test_capture();
    ah_log_write_api("api.c", 1, " hipInit ( %d ) ", 0);
    assert_null(strchr(ah_test_captured(), '\033'));
    char *text = ah_test_read_file(log_name(file), NULL);
    assert_null(strchr(text, '\033'));
    assert_true(ah_test_matches(text, ":3: {25}:0   : [0-9]{10,} us:   hipInit \\( 0 \\) \n"));
}

static void an_api_call_is_green_on_a_terminal(void **state)
{
    (void)state;
    char text[512] = "";
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(other >= 0);
    configure(AH_LOG_INFO, 0, NULL, 0);
    ah_test_capture();
    dup2(other, STDERR_FILENO);
    ah_log_write_api("api.c", 1, " hipInit ( %d ) ", 0);
    ah_test_captured();
    assert_true(read(terminal, text, sizeof text - 1) > 0);
    close(other);
    close(terminal);
    assert_contains(text, " us:  \033[32m hipInit ( 0 ) \033[0m");
}

/* ---- what others put where the file should be ---------------------------- */

static void assert_log_is_refused(const char *reason)
{
    ah_test_capture();
    configure(AH_LOG_ERROR, 0, ah_test_path("log"), 1);
    AH_LOG_ERR("into standard error");
    const char *text = ah_test_captured();
    assert_int_equal(ah_test_count_lines(text), 2);
    assert_contains(text, "cannot open the log file");
    assert_contains(text, reason);
    assert_contains(text, "into standard error");
}

static void a_symbolic_link_is_not_followed(void **state)
{
    (void)state;
    const char *target = ah_test_write_text("target", "as it was");
    assert_int_equal(symlink(target, log_name(ah_test_path("log"))), 0);
    assert_log_is_refused("a symbolic link");
    assert_string_equal(ah_test_read_file(target, NULL), "as it was");
}

static void a_symbolic_link_to_nothing_makes_no_file(void **state)
{
    (void)state;
    const char *target = ah_test_path("target");
    assert_int_equal(symlink(target, log_name(ah_test_path("log"))), 0);
    assert_log_is_refused("a symbolic link");
    assert_int_equal(access(target, F_OK), -1);
}

static void a_pipe_that_nobody_reads_is_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(log_name(ah_test_path("log")), 0666), 0);
    alarm(100); /* instead of a hang */
    assert_log_is_refused("");
    alarm(0);
}

static void the_log_file_is_not_open_after_exec(void **state)
{
    (void)state;
    const char *const list[] = {"/bin/ls", "-l", "/proc/self/fd", NULL};
    configure(AH_LOG_ERROR, 0, ah_test_path("log"), 1);
    assert_lacks(ah_test_execute(list).out, log_name("log"));
}

/* ---- threads ------------------------------------------------------------ */

enum { THREADS = 8, LINES = 200 };

static void *write_lines(void *data)
{
    for (int i = 0; i < LINES; i++)
        AH_LOG_ERR("thread %d line %d %0*d", *(int *)data, i, 50 + i, 0);
    return NULL;
}

static void lines_of_many_threads_stay_whole(void **state)
{
    (void)state;
    const char *file = ah_test_path("log");
    pthread_t threads[THREADS];
    int numbers[THREADS];
    configure(AH_LOG_EXTRA, 0, file, 1);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, write_lines, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ah_log_close();
    int next[THREADS] = {0}, count = 0;
    char *text = ah_test_read_file(log_name(file), NULL), *rest = text, *line;
    while ((line = strsep(&rest, "\n")) && *line) {
        int thread, number, used = 0;
        assert_int_equal(sscanf(line, ":1: :0 : %*u us: [pid:%*d tid: 0x%*x] thread %d line %d %n",
                                &thread, &number, &used),
                         2);
        assert_true(thread >= 0 && thread < THREADS);
        assert_int_equal(number, next[thread]);
        assert_int_equal(strlen(line + used), 50 + number);
        next[thread]++;
        count++;
    }
    assert_int_equal(count, THREADS * LINES);
}

static _Atomic(bool) enough;

static void *write_on_and_on(void *data)
{
    for (int i = 0; !enough; i++)
        AH_LOG_ERR("thread %d line %d", *(int *)data, i);
    return NULL;
}

/* Whatever the other threads hold at the moment of the fork. */
static void the_child_of_a_fork_logs_as_well(void **state)
{
    (void)state;
    enum { CHILDREN = 100 };
    const char *file = ah_test_path("log");
    pthread_t threads[THREADS];
    int numbers[THREADS];
    configure(AH_LOG_ERROR, 0, file, 0);
    enough = false;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, write_on_and_on, &numbers[i]);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            alarm(100); /* instead of a hang */
            AH_LOG_ERR("child %d", i);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    enough = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const char *text = ah_test_read_file(log_name(file), NULL);
    for (int i = 0; i < CHILDREN; i++)
        assert_contains(text, ah_test_print(" child %d\n", i));
}

#define LOG_TEST(function) cmocka_unit_test_setup_teardown(function, ah_test_set_up, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOG_TEST(a_line_is_rocm_6s_to_the_byte),
        LOG_TEST(file_and_line_are_shown_with_the_location_bit_only),
        LOG_TEST(a_long_file_name_pushes_the_rest_to_the_right),
        LOG_TEST(process_and_thread_are_shown_from_level_4_on),
        LOG_TEST(lines_above_the_level_are_not_written),
        LOG_TEST(each_category_is_silenced_by_its_bit_alone),
        LOG_TEST(no_mask_silences_errors_and_warnings),
        LOG_TEST(a_notice_passes_every_level_and_mask),
        LOG_TEST(arguments_of_a_line_that_is_not_written_are_not_evaluated),
        LOG_TEST(messages_are_cut_at_4096_bytes_with_their_zero),
        LOG_TEST(logging_leaves_errno_alone),
        LOG_TEST(a_log_file_has_the_process_in_its_name),
        LOG_TEST(a_log_file_that_exists_is_continued),
        LOG_TEST(lines_are_in_the_file_when_the_call_returns),
        LOG_TEST(no_file_is_made_while_nothing_is_logged),
        LOG_TEST(a_log_file_is_started_anew_beyond_its_size),
        LOG_TEST(the_size_counts_what_was_in_the_file_before),
        LOG_TEST(without_a_size_a_log_file_grows_for_ever),
        LOG_TEST(a_file_that_cannot_be_opened_is_one_line_and_standard_error),
        LOG_TEST(there_is_no_colour_in_a_file_or_a_pipe),
        LOG_TEST(an_api_call_is_green_on_a_terminal),
        LOG_TEST(a_symbolic_link_is_not_followed),
        LOG_TEST(a_symbolic_link_to_nothing_makes_no_file),
        LOG_TEST(a_pipe_that_nobody_reads_is_not_waited_for),
        LOG_TEST(the_log_file_is_not_open_after_exec),
        LOG_TEST(lines_of_many_threads_stay_whole),
        LOG_TEST(the_child_of_a_fork_logs_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
