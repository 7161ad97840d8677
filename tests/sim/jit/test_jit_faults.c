/* What goes wrong: libraries that are none, bitcode and regions that LLVM refuses, queues that are
 * full, regions that are freed early, processes that fork or end. Settings are read once in a
 * process: tests run this program again, with the name of what it is to do. */
#include "jit.h"
#include "jit_regions.h"
#include "log.h"
#include "support.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const struct wave_bitcode *test_jit_bitcode(void);
static struct wave_machine machine;
static struct program program, programs[2];

/* ---- what the program does when it is run again ------------------------------------------------
 */

static void make_small(struct program *small)
{
    program_init(small, &machine, 1);
    program_add(small, 0, WAVE_EFFECT, "add_u32", (const uint64_t[]){0, 128, 256});
    program_leave(small, 0);
}

static int compile_twice(void)
{
    make_small(&program);
    for (int i = 0; i < 2; i++) {
        struct jit_region *region = NULL;
        jit_code code = jit_compile_now(&program.region, &region);
        printf("%s, %s\n", code ? "code" : "none", jit_mode() == JIT_OFF ? "off" : "on");
        jit_free(region);
    }
    return 0;
}

static int compile_garbage(void)
{
    static const unsigned char garbage[] = "BC\xc0\xde this is not bitcode at all, or no longer so";
    struct wave_bitcode bitcode = *test_jit_bitcode();
    bitcode.bytes = garbage;
    bitcode.end = garbage + sizeof garbage - 1;
    machine.bitcode = &bitcode;
    return compile_twice();
}

/* The last function is cut off. */
static int compile_half(void)
{
    struct wave_bitcode bitcode = *test_jit_bitcode();
    bitcode.end = bitcode.bytes + (size_t)(bitcode.end - bitcode.bytes) / 8 * 4;
    machine.bitcode = &bitcode;
    return compile_twice();
}

static int compile_without_bitcode(void)
{
    machine.bitcode = NULL;
    return compile_twice();
}

static int compile_refused(void)
{
    struct jit_region *region;
    make_small(&program);
    program.insts[0][0].function = "nothing";
    printf("%s\n", jit_compile_now(&program.region, &region) ? "code" : "none");
    program.insts[0][0].function = "is_even";
    printf("%s\n", jit_compile_now(&program.region, &region) ? "code" : "none");
    program.insts[0][0].op = NULL;
    printf("%s\n", jit_compile_now(&program.region, &region) ? "code" : "none");
    return 0;
}

/* The program's block becomes so many times one of its instructions. To be freed. */
static struct wave_inst *make_long(const struct wave_inst *inst, unsigned count)
{
    struct wave_inst *insts = calloc(count, sizeof *insts);
    if (!insts)
        abort();
    for (unsigned i = 0; i < count; i++)
        insts[i] = *inst;
    program.blocks[0].insts = insts;
    program.blocks[0].inst_count = count;
    return insts;
}

static int compile_many(void)
{
    struct jit_region *region;
    make_small(&program);
    struct wave_inst *insts = make_long(&program.insts[0][0], 100000);
    printf("%s\n", jit_compile_now(&program.region, &region) ? "code" : "none");
    free(insts);
    return 0;
}

static void nothing(void *data)
{
    (void)data;
}

static void take_code(void *data, jit_code code)
{
    (void)data;
    (void)code;
}

/* Ends while regions are being compiled, and others wait. */
static int end_after(useconds_t microseconds)
{
    program_random(&program, &machine, 7);
    for (int i = 0; i < 20; i++)
        if (!jit_request(&program.region, take_code, nothing, NULL))
            return 1;
    usleep(microseconds);
    return 0;
}

static int end_at_once(void)
{
    return end_after(0);
}

static int end_soon(void)
{
    return end_after(5000);
}

static int end_later(void)
{
    return end_after(20000);
}

/* ---- a region that takes LLVM seconds -------------------------------------------------------- */

static struct jit_region *long_region;

static void say_done(void *data, jit_code code)
{
    (void)data;
    (void)code;
    if (write(STDOUT_FILENO, "done\n", 5) != 5)
        abort();
}

static void free_long_region(void)
{
    jit_free(long_region);
}

/* Ends while the region is being compiled, which is freed after that. */
static int end_long(void)
{
    atexit(free_long_region); /* is called last */
    make_small(&program);
    program_add(&program, 0, WAVE_EFFECT, "fma_f32", (const uint64_t[]){0, 128, 0, 256});
    make_long(&program.insts[0][1], 300); /* which the region has until the process ends */
    long_region = jit_request(&program.region, say_done, nothing, NULL);
    usleep(100000);
    return long_region == NULL;
}

static int end_long_with_a_handler(void)
{
    signal(SIGSTKFLT, SIG_IGN);
    return end_long();
}

static pthread_t waits;

static bool request_and_free(void)
{
    struct jit_region *region = jit_request(&program.region, take_code, nothing, NULL);
    jit_finish();
    jit_free(region);
    return region;
}

static void *request_and_wait(void *unused)
{
    while (request_and_free())
        ;
    return unused;
}

static void join_waiting(void)
{
    pthread_join(waits, NULL);
}

/* Ends while a thread waits for regions that are soon refused: mostly none is being compiled. */
static int end_waiting(void)
{
    make_small(&program);
    machine.bitcode = NULL;
    atexit(join_waiting); /* is called last */
    request_and_free();
    if (pthread_create(&waits, NULL, request_and_wait, NULL) != 0)
        _exit(1);
    usleep(1000);
    return 0;
}

static int run_in_child(void)
{
    struct jit_region *region = NULL;
    make_small(&program);
    if (!jit_compile_now(&program.region, &region))
        return 1;
    jit_free(region);
    pid_t child = fork();
    if (child == 0) {
        int result = compile_twice();
        fflush(stdout);
        _exit(result);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status;
}

static pthread_barrier_t meeting;

static void meet(void *data, jit_code code)
{
    if (code && pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD)
        *(bool *)data = true;
}

/* Each of two regions is only done when the other one is. */
static int compile_beside(void)
{
    bool met = false;
    struct jit_region *regions[2];
    pthread_barrier_init(&meeting, NULL, 2);
    for (int i = 0; i < 2; i++) {
        make_small(&programs[i]);
        regions[i] = jit_request(&programs[i].region, meet, nothing, &met);
    }
    jit_finish();
    puts(met ? "met" : "not met");
    for (int i = 0; i < 2; i++)
        jit_free(regions[i]);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} scenes[] = {
    {"twice", compile_twice},     {"garbage", compile_garbage},
    {"half", compile_half},       {"without", compile_without_bitcode},
    {"refused", compile_refused}, {"many", compile_many},
    {"end", end_at_once},         {"end soon", end_soon},
    {"end later", end_later},     {"end waiting", end_waiting},
    {"end long", end_long},       {"end long, signal", end_long_with_a_handler},
    {"child", run_in_child},      {"beside", compile_beside},
};

/* ---- tests
 * ----------------------------------------------------------------------------------------- */

static struct ah_test_run run_scene(const char *name)
{
    return ah_test_execute((const char *const[]){"/proc/self/exe", name, NULL});
}

static void without_libllvm_one_line_says_so(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_LLVM", ah_test_path("none.so"));
    struct ah_test_run run = run_scene("twice");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "none, off\nnone, off\n");
    assert_contains(run.err, "no libLLVM of version 22 or later at ");
    assert_int_equal(ah_test_count_lines(run.err), 1);
}

static void a_file_that_is_no_library_is_named(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_LLVM", ah_test_write_text("text.so", "no library"));
    struct ah_test_run run = run_scene("twice");
    assert_string_equal(run.out, "none, off\nnone, off\n");
    assert_contains(run.err, "text.so");
    assert_int_equal(ah_test_count_lines(run.err), 1);
}

static void a_folder_is_searched(void **state)
{
    (void)state;
    ah_test_write_text("lib/libLLVM-22.so", "no library");
    ah_test_setenv("ANYHIP_LLVM", ah_test_path("."));
    assert_string_equal(run_scene("twice").out, "none, off\nnone, off\n");
}

static void an_older_llvm_is_refused(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_LLVM", FAKE_FOLDER "/libfake_llvm_14.so");
    struct ah_test_run run = run_scene("twice");
    assert_string_equal(run.out, "none, off\nnone, off\n");
    assert_contains(run.err, "is LLVM 14, older than the bitcode, which needs 22");
}

static void an_llvm_without_a_function_is_refused(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_LLVM", FAKE_FOLDER "/libfake_llvm_22.so");
    struct ah_test_run run = run_scene("twice");
    assert_string_equal(run.out, "none, off\nnone, off\n");
    assert_contains(run.err, "Simulated devices do not compile kernels, which is slower: ");
    assert_contains(run.err, ", LLVM 22, has no ");
    assert_contains(run.err, "LLVMRunPasses");
}

static void bitcode_that_is_damaged_fails_each_region(void **state)
{
    (void)state;
    static const char *const names[] = {"garbage", "half", "without"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ah_test_run run = run_scene(names[i]);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.out, "none, on\nnone, on\n");
        assert_contains(run.err, "is not compiled, and stays with the interpreter: ");
    }
}

static void a_region_that_is_wrong_is_refused_with_the_reason(void **state)
{
    (void)state;
    struct ah_test_run run = run_scene("refused");
    assert_string_equal(run.out, "none\nnone\nnone\n");
    assert_contains(run.err, "no function nothing in test_jit_bitcode");
    assert_contains(run.err, "is_even has 1 parameters besides the state, and 3 arguments");
    assert_contains(run.err, "block 0, instruction 0: no op");
}

static void a_hundred_thousand_instructions_are_too_many(void **state)
{
    (void)state;
    struct ah_test_run run = run_scene("many");
    assert_string_equal(run.out, "none\n");
    assert_contains(run.err, "100000 instructions are too many");
}

static void a_process_ends_while_regions_are_compiled(void **state)
{
    (void)state;
    for (int round = 0; round < 8; round++) {
        ah_test_setenv("ANYHIP_SIM_JIT_THREADS", round % 2 ? "4" : "1");
        assert_int_equal(run_scene("end").status, 0);
        assert_int_equal(run_scene("end soon").status, 0);
        assert_int_equal(run_scene("end later").status, 0);
        assert_int_equal(run_scene("end waiting").status, 0);
    }
}

/* The next process that wants the region has waited for it once it ends. */
static void a_process_does_not_wait_for_a_long_region_that_is_new(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__ /* which delays the signal */
    const char *const at_first = "done\n";
#else
    const char *const at_first = "";
#endif
    struct ah_test_run run = run_scene("end long");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, at_first);
    assert_string_equal(run_scene("end long, signal").out, "done\n");
    ah_test_setenv("REGIONS", ah_test_path("regions"));
    assert_string_equal(run_scene("end long").out, at_first);
    assert_string_equal(run_scene("end long").out, "done\n");
}

static void regions_are_compiled_side_by_side(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_SIM_JIT_THREADS", "2");
    struct ah_test_run run = run_scene("beside");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "met\n");
}

__attribute__((unused)) static void the_child_of_a_fork_compiles(void **state)
{
    (void)state;
    struct ah_test_run run = run_scene("child");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "code, on\ncode, on\n");
}

/* ---- requests, in this process
 * ------------------------------------------------------------------------ */

/* A region whose done() waits until it is let go. */
struct held {
    sem_t reached, go;
    unsigned done, released;
};

static void hold(void *data, jit_code code)
{
    struct held *held = data;
    assert_non_null(code);
    held->done++;
    sem_post(&held->reached);
    sem_wait(&held->go);
}

static void count_release(void *data)
{
    ((struct held *)data)->released++;
}

static void count_done(void *data, jit_code code)
{
    (void)code;
    ((struct held *)data)->done++;
}

static struct jit_region *hold_thread(struct held *held)
{
    *held = (struct held){.done = 0};
    sem_init(&held->reached, 0, 0);
    sem_init(&held->go, 0, 0);
    make_small(&programs[0]);
    struct jit_region *region = jit_request(&programs[0].region, hold, count_release, held);
    assert_non_null(region);
    sem_wait(&held->reached);
    return region;
}

static void a_full_queue_refuses(void **state)
{
    (void)state;
    enum { MOST = 1000 };
    struct held held, others = {.done = 0};
    struct jit_region *first = hold_thread(&held), *waiting[MOST];
    unsigned count = 0;
    make_small(&programs[1]);
    while (count < MOST && (waiting[count] = jit_request(&programs[1].region, count_done,
                                                         count_release, &others)) != NULL)
        count++;
    assert_in_range(count, 16, MOST - 1);
    struct jit_statistics statistics;
    jit_statistics_get(&statistics);
    assert_in_range(statistics.refused, 1, MOST);
    for (unsigned i = 1; i < count; i++)
        jit_free(waiting[i]);
    assert_int_equal(others.released, count - 1);
    assert_int_equal(others.done, 0);
    sem_post(&held.go);
    jit_finish();
    assert_int_equal(others.done, 1);
    assert_int_equal(others.released, count);
    assert_int_equal(held.released, 1);
    jit_free(waiting[0]);
    jit_free(first);
}

static void *free_region(void *region)
{
    jit_free(region);
    return NULL;
}

static void a_region_that_is_compiled_is_freed_after_it(void **state)
{
    (void)state;
    struct held held;
    struct jit_region *region = hold_thread(&held);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, free_region, region), 0);
    usleep(10000);
    assert_int_equal(held.released, 0);
    sem_post(&held.go);
    pthread_join(thread, NULL);
    assert_int_equal(held.done, 1);
    assert_int_equal(held.released, 1);
    jit_free(NULL);
}

int main(int argc, char **argv)
{
    setenv("ANYHIP_SIM_JIT", "on", 1);
    const char *regions = getenv("REGIONS");
    setenv("ANYHIP_SIM_JIT_CACHE", regions ? regions : "off", 1);
    machine = machine_without_bitcode;
    machine.bitcode = test_jit_bitcode();
    ah_log_threshold = 2;
    for (size_t i = 0; argc > 1 && i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(argv[1], scenes[i].name) == 0)
            return scenes[i].run();
    setenv("ANYHIP_SIM_JIT_THREADS", "1", 1); /* of this process, for what one thread is held */
    const struct CMUnitTest tests[] = {
        AH_TEST(without_libllvm_one_line_says_so),
        AH_TEST(a_file_that_is_no_library_is_named),
        AH_TEST(a_folder_is_searched),
        AH_TEST(an_older_llvm_is_refused),
        AH_TEST(an_llvm_without_a_function_is_refused),
        AH_TEST(bitcode_that_is_damaged_fails_each_region),
        AH_TEST(a_region_that_is_wrong_is_refused_with_the_reason),
        AH_TEST(a_hundred_thousand_instructions_are_too_many),
        AH_TEST(a_process_ends_while_regions_are_compiled),
        AH_TEST(a_process_does_not_wait_for_a_long_region_that_is_new),
        AH_TEST(regions_are_compiled_side_by_side),
#ifndef __SANITIZE_THREAD__ /* which starts no thread in the child of a fork */
        AH_TEST(the_child_of_a_fork_compiles),
#endif
        AH_TEST(a_full_queue_refuses),
        AH_TEST(a_region_that_is_compiled_is_freed_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
