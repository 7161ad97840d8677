/* Compiled regions of AMDGPU code: when there are any. test_jit_random.c has what they do. */
#include "amdgpu_jit.h"
#include "amdgpu_wave.h"
#include "support.h"

#include <string.h>

/* In a process of its own, since the mode is read once. */
static int begin_a_wave(void)
{
    static struct amdgpu_wave wave;
    wave.mode = 0xf0;
    amdgpu_jit_begin(&wave);
    amdgpu_jit_begin(&wave);
    return 0;
}

static void comparing_is_off_and_one_line_says_so(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_SIM_JIT", "compare");
    struct ah_test_run run =
        ah_test_execute((const char *const[]){"/proc/self/exe", "begin", NULL});
    assert_int_equal(run.status, 0);
    assert_contains(run.err,
                    "Simulated AMD devices do not compare compiled kernels with interpreted ones");
    assert_int_equal(ah_test_count_lines(run.err), 1);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "begin") == 0)
        return begin_a_wave();
    const struct CMUnitTest tests[] = {
        AH_TEST(comparing_is_off_and_one_line_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
