/* Owns an environment in which no driver can be opened. */
#include "without_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ah_test_without_driver(void **state)
{
    static const char *const unset[] = {"ANYHIP_CONFIG",        "HIP_VISIBLE_DEVICES",
                                        "CUDA_VISIBLE_DEVICES", "AMD_LOG_LEVEL",
                                        "AMD_LOG_MASK",         "AMD_LOG_LEVEL_FILE",
                                        "AMD_LOG_LEVEL_SIZE",   "HIP_LAUNCH_BLOCKING",
                                        "AMD_SERIALIZE_KERNEL", "AMD_SERIALIZE_COPY"};
    ah_test_set_up(state);
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        ah_test_setenv(unset[i], NULL);
    ah_test_setenv("HOME", ah_test_path("home"));
    ah_test_setenv("XDG_CONFIG_HOME", ah_test_path("home"));
    ah_test_setenv("ANYHIP_BACKEND", "cuda");
    /* The loader looks here first, and does not look on when a file is no library. */
    ah_test_write_text("libraries/libcuda.so.1", "no library");
    ah_test_write_text("libraries/libcuda.so", "no library");
    ah_test_setenv("LD_LIBRARY_PATH", ah_test_path("libraries"));
    return 0;
}

struct ah_test_run ah_test_call(const char *calls)
{
    const char *argv[32] = {AH_TEST_CALLS};
    size_t count = 1;
    char *rest = ah_test_print("%s", calls), *call;
    while ((call = strsep(&rest, " ")) && count + 1 < sizeof argv / sizeof *argv)
        argv[count++] = call;
    struct ah_test_run run = ah_test_execute(argv);
    if (run.status != 0)
        print_error("status %d\n%s%s", run.status, run.out, run.err);
    assert_int_equal(run.status, 0);
    return run;
}

void ah_test_assert_calls(const char *calls, const char *expected, const char *file, int line)
{
    struct ah_test_run run = ah_test_call(calls);
    _assert_string_equal(run.out, expected, file, line);
    _assert_string_equal(run.err, "", file, line);
}
