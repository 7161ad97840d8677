/* Regions that are compiled, compared with the same functions executed one by one. */
#include "jit.h"
#include "jit_regions.h"
#include "log.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support.h"

const struct wave_bitcode *test_jit_bitcode(void);
static struct wave_machine machine;

/* ---- the comparison ------------------------------------------------------------------- */

/* exact: both stop at the same place with the same state. Otherwise: with the interpreter going on
 * from where either stopped, to the end. */
static void compare(const struct program *program, jit_code code, uint64_t seed, bool exact)
{
    struct world compiled, executed;
    world_init(&compiled, seed);
    world_init(&executed, seed);
    executed.state.frame = executed.frame;
    executed.state.memory = executed.memory;
    compiled.state.entry = executed.state.entry = seed % wave_entry_count(&program->region);
    const struct op *first = &program->ops[wave_entry(&program->region, executed.state.entry)][0];
    const struct op *left = code(&compiled.state), *expected;
    if (exact) {
        expected = program_run(program, &executed.state, first, true);
    } else {
        left = left ? left : (const struct op *)compiled.state.last + 1;
        left = program_run(program, &compiled.state, left, false);
        expected = program_run(program, &executed.state, first, false);
    }
    const char *difference = world_difference(&compiled, &executed);
    if (left != expected || difference) {
        wave_print(&program->region, stderr);
        fail_msg("seed %llu: left at %p, expected %p, difference: %s", (unsigned long long)seed,
                 (const void *)left, (const void *)expected, difference ? difference : "none");
    }
}

static void check_random(uint64_t first, uint64_t count, bool exact)
{
    struct program *program = malloc(sizeof *program);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct jit_region *region;
        program_random(program, &machine, seed);
        jit_code code = jit_compile_now(&program->region, &region);
        if (!code)
            wave_print(&program->region, stderr);
        assert_non_null(code);
        for (uint64_t i = 0; i < 8; i++)
            compare(program, code, seed * 8 + i, exact);
        jit_free(region);
    }
    free(program);
}

static void random_regions_compute_what_their_functions_do(void **unused)
{
    (void)unused;
    const char *count = getenv("REGIONS");
    check_random(1, count ? strtoull(count, NULL, 0) : 25, jit_mode() == JIT_COMPARE);
}

/* The threads that execute kernels keep all cores busy: at a lower priority than theirs, code would
 * arrive when they have finished. */
static void the_compiling_thread_has_the_priority_of_others(void **unused)
{
    (void)unused;
    struct program *program = malloc(sizeof *program);
    struct jit_region *region;
    program_random(program, &machine, 1);
    assert_non_null(jit_compile_now(&program->region, &region));
    jit_free(region);
    free(program);
    DIR *tasks = opendir("/proc/self/task");
    unsigned found = 0;
    for (struct dirent *task; (task = readdir(tasks));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        assert_true(fscanf(file, "%31s", name) >= 0);
        fclose(file);
        if (strcmp(name, "anyhip-jit") != 0)
            continue;
        found++;
        assert_int_equal(getpriority(PRIO_PROCESS, (id_t)atoi(task->d_name)),
                         getpriority(PRIO_PROCESS, 0));
    }
    closedir(tasks);
    assert_int_equal(found, 1);
}

int main(int argc, char **argv)
{
    setenv("ANYHIP_SIM_JIT", argc > 1 ? argv[1] : "on", 1);
    setenv("ANYHIP_SIM_JIT_CACHE", "off", 1);
    machine = machine_without_bitcode;
    machine.bitcode = test_jit_bitcode();
    ah_log_threshold = 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_regions_compute_what_their_functions_do),
        cmocka_unit_test(the_compiling_thread_has_the_priority_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
