/* Tests semaphores in shared memory: who waits, who is woken, and which files are taken. */
#include "process.h"
#include "semaphore_file.h"
#include "support.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ah_semaphore_words *made(enum ah_semaphore_kind kind, uint64_t value, int *out_file)
{
    *out_file = ah_semaphore_create(kind, value);
    assert_true(*out_file >= 0);
    struct ah_semaphore_words *semaphore = ah_semaphore_open(*out_file, kind);
    assert_non_null(semaphore);
    return semaphore;
}

static void a_timeline_has_a_value_that_only_grows(void **state)
{
    int file;
    struct ah_semaphore_words *timeline = made(AH_SEMAPHORE_TIMELINE, 3, &file);
    (void)state;
    assert_true(ah_semaphore_wait(timeline, 0, 0));
    assert_true(ah_semaphore_wait(timeline, 3, 0));
    assert_false(ah_semaphore_wait(timeline, 4, 1));
    assert_true(ah_semaphore_signal(timeline, 10));
    assert_false(ah_semaphore_signal(timeline, 10));
    assert_false(ah_semaphore_signal(timeline, 9));
    assert_true(ah_semaphore_wait(timeline, 10, 0));
    assert_false(ah_semaphore_wait(timeline, UINT64_MAX, 0));
    ah_semaphore_close(timeline);
    ah_semaphore_close(NULL);
    close(file);
}

static void a_binary_semaphore_is_taken_once(void **state)
{
    int file;
    struct ah_semaphore_words *binary = made(AH_SEMAPHORE_BINARY, 0, &file);
    (void)state;
    assert_false(ah_semaphore_wait(binary, 0, 1));
    assert_true(ah_semaphore_signal(binary, 0));
    assert_true(ah_semaphore_signal(binary, 0));
    assert_true(ah_semaphore_wait(binary, 0, 0));
    assert_false(ah_semaphore_wait(binary, 0, 0));
    ah_semaphore_close(binary);
    close(file);
}

/* The child signals what the parent waits for, and the reverse, without either asking the time. */
static void processes_wake_each_other(void **state)
{
    enum { ROUNDS = 100, LONG_MS = 60000 };
    int file, status = -1;
    struct ah_semaphore_words *timeline = made(AH_SEMAPHORE_TIMELINE, 0, &file);
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct ah_semaphore_words *own = ah_semaphore_open(file, AH_SEMAPHORE_TIMELINE);
        for (uint64_t i = 0; own && i < ROUNDS; i++) {
            while (!ah_semaphore_wait(own, 2 * i + 1, LONG_MS)) {
            }
            ah_semaphore_signal(own, 2 * i + 2);
        }
        _exit(!own);
    }
    for (uint64_t i = 0; i < ROUNDS; i++) {
        assert_true(ah_semaphore_signal(timeline, 2 * i + 1));
        while (!ah_semaphore_wait(timeline, 2 * i + 2, LONG_MS)) {
        }
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(timeline->value, 2 * ROUNDS);
    ah_semaphore_close(timeline);
    close(file);
}

static void other_files_are_refused(void **state)
{
    char bytes[sizeof(struct ah_semaphore_words)] = {0};
    (void)state;
    int file = ah_semaphore_create(AH_SEMAPHORE_BINARY, 0);
    assert_true(file >= 0);
    assert_null(ah_semaphore_open(file, AH_SEMAPHORE_TIMELINE));
    assert_int_equal(pread(file, bytes, sizeof bytes, 0), sizeof bytes);
    close(file);
    assert_null(ah_semaphore_open(file, AH_SEMAPHORE_BINARY)); /* closed */
    assert_null(ah_semaphore_open(-1, AH_SEMAPHORE_BINARY));
    file = memfd_create("may shrink", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
    assert_null(ah_semaphore_open(file, AH_SEMAPHORE_BINARY));
    assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    struct ah_semaphore_words *semaphore = ah_semaphore_open(file, AH_SEMAPHORE_BINARY);
    assert_non_null(semaphore); /* whoever writes such a file has made one */
    ah_semaphore_close(semaphore);
    close(file);
    file = ah_sealed_file_create("short", sizeof bytes - 1, false);
    assert_int_equal(pwrite(file, bytes, sizeof bytes - 1, 0), sizeof bytes - 1);
    assert_null(ah_semaphore_open(file, AH_SEMAPHORE_BINARY));
    close(file);
    file = ah_sealed_file_create("without a mark", sizeof bytes, false);
    assert_null(ah_semaphore_open(file, AH_SEMAPHORE_BINARY));
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timeline_has_a_value_that_only_grows),
        cmocka_unit_test(a_binary_semaphore_is_taken_once),
        cmocka_unit_test(processes_wake_each_other),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
