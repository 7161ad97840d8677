/* Random kernels, each executed by the interpreter and by compiled regions: memory has to be the
 * same afterwards, bit for bit. jit_random.h says how to choose which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../jit_random.h"
#include "ptx_jit.h"
#include "random_ptx.h"
#include "run.h"

enum { OUT_BYTES = RANDOM_BLOCKS * RANDOM_THREADS * RANDOM_WORDS * 4, TABLE_BYTES = 1024 };

static enum ptx_end execute(const char *text, unsigned threads, bool compiled, unsigned char *out)
{
    ptx_jit_suspend(!compiled);
    struct run_module *run = run_load(text);
    struct sim_memory *memory = run_memory(OUT_BYTES + TABLE_BYTES);
    for (unsigned i = 0; i < OUT_BYTES + TABLE_BYTES; i++)
        ((unsigned char *)memory->view)[i] = (unsigned char)(i * 167 + (i >> 8));
    const uint64_t params[] = {memory->address, memory->address + OUT_BYTES};
    enum ptx_end end = run_launch(run, "k", RANDOM_BLOCKS, threads, params);
    memcpy(out, memory->view, OUT_BYTES);
    sim_memory_destroy(memory);
    run_unload(run);
    return end;
}

static bool try_kernel(unsigned which, unsigned length)
{
    static char text[1 << 16];
    static unsigned char expected[OUT_BYTES], found[OUT_BYTES];
    struct random_ptx r = {.state = random_state_of(which), .text = text, .size = sizeof text};
    unsigned threads = which % 4 ? RANDOM_THREADS : RANDOM_THREADS - 17;
    r.ended = threads < RANDOM_THREADS;
    random_kernel(&r, length);
    enum ptx_end plain = execute(text, threads, false, expected);
    enum ptx_end compiled = execute(text, threads, true, found);
    bool ends = plain == PTX_END_OK && compiled == PTX_END_OK;
    if (ends && memcmp(expected, found, OUT_BYTES) == 0)
        return true;
    size_t at = 0;
    while (ends && at < OUT_BYTES && expected[at] == found[at])
        at++;
    fprintf(stderr, "kernel %u: ends %d and %d, differs at byte %zu: thread %zu, word %zu\n", which,
            (int)plain, (int)compiled, at, at / (4 * RANDOM_WORDS), at / 4 % RANDOM_WORDS);
    if (getenv("RANDOM_PRINT"))
        fputs(text, stderr);
    return false;
}

static void compiled_random_kernels_do_what_the_interpreter_does(void **state)
{
    (void)state;
    jit_random_run(&(struct jit_random){"kernels", 20, 15, try_kernel});
    uint64_t compared, differing;
    ptx_jit_comparisons(&compared, &differing);
    assert_int_equal(differing, 0);
    assert_true(compared > 0 || jit_mode() != JIT_COMPARE);
}

int main(int argc, char **argv)
{
    setenv("ANYHIP_SIM_JIT", argc > 1 ? argv[1] : "on", 1);
    setenv("ANYHIP_SIM_JIT_CACHE", "off", 1);
    setenv("ANYHIP_SIM_JIT_THRESHOLD", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_random_kernels_do_what_the_interpreter_does),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
