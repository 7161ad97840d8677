/* Tests what processes believe of one another: who is alive, and which files are safe to map. */
#include "process.h"
#include "support.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_process_is_alive_until_it_ends(void **state)
{
    uint64_t name = 0;
    int ends[2];
    (void)state;
    assert_true(ah_process_is_alive(ah_process_self()));
    assert_true(ah_process_is_alive(0));
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        name = ah_process_self();
        _exit(write(ends[1], &name, sizeof name) == sizeof name && pause() == 0);
    }
    assert_int_equal(read(ends[0], &name, sizeof name), sizeof name);
    assert_int_not_equal(name, ah_process_self());
    assert_true(ah_process_is_alive(name));
    assert_false(ah_process_is_alive(name + 1)); /* another, before or after, of that number */
    siginfo_t info;
    kill(child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_false(ah_process_is_alive(name)); /* it has ended, and is not waited for */
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(ah_process_is_alive(name));
    close(ends[0]);
    close(ends[1]);
}

static void *tell_and_stay(void *data)
{
    uint64_t name = ah_process_self();
    while (ah_process_is_alive(name) && access("/proc/self/task", F_OK) == 0) {
        char state = 0;
        FILE *file = fopen("/proc/self/stat", "re");
        if (file && fscanf(file, "%*d %*s %c", &state) == 1 && state == 'Z') {
            bool alive = ah_process_is_alive(name);
            _exit(write(*(int *)data, &alive, sizeof alive) == sizeof alive ? 0 : 1);
        }
        if (file)
            fclose(file);
    }
    _exit(1);
}

static void a_process_whose_first_thread_ended_is_alive(void **state)
{
    int ends[2], status;
    bool alive = false;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, tell_and_stay, &ends[1]);
        pthread_exit(NULL);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &alive, sizeof alive), sizeof alive);
    assert_true(alive);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
}

static void a_sealed_file_is_never_shorter(void **state)
{
    (void)state;
    for (int grows = 0; grows < 2; grows++) {
        int file = ah_sealed_file_create("test", 8192, grows);
        assert_true(file >= 0);
        assert_true(ah_sealed_file_check(file, 8192));
        assert_false(ah_sealed_file_check(file, 8193));
        assert_int_equal(ftruncate(file, 4096), -1);
        assert_int_equal(ftruncate(file, 16384), grows ? 0 : -1);
        assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
        close(file);
    }
}

static void no_other_file_is_taken_for_one(void **state)
{
    (void)state;
    int sealed = ah_sealed_file_create("test", 4096, false);
    int other = ah_sealed_file_create("test", 4096, false);
    int open_to_all = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int plain = open(ah_test_write_text("plain", "text"), O_RDWR | O_CLOEXEC);
    assert_int_equal(ftruncate(open_to_all, 4096), 0);
    uint64_t id = ah_sealed_file_id(sealed);
    int again = ah_sealed_file_open(getpid(), sealed, id, 4096);
    assert_true(again >= 0);
    assert_int_equal(ah_sealed_file_id(again), id);
    assert_int_equal(ah_sealed_file_open(getpid(), sealed, id, 4097), -1);
    assert_int_equal(ah_sealed_file_open(getpid(), other, id, 4096), -1);
    int strangers[] = {open_to_all, plain};
    for (int i = 0; i < 2; i++) {
        assert_false(ah_sealed_file_check(strangers[i], 1));
        assert_int_equal(
            ah_sealed_file_open(getpid(), strangers[i], ah_sealed_file_id(strangers[i]), 1), -1);
    }
    close(again);
    close(other);
    close(open_to_all);
    close(plain);
    close(sealed);
    assert_int_equal(ah_sealed_file_open(getpid(), sealed, id, 4096), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(a_process_is_alive_until_it_ends),
        AH_TEST(a_process_whose_first_thread_ended_is_alive),
        AH_TEST(a_sealed_file_is_never_shorter),
        AH_TEST(no_other_file_is_taken_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
