/* Launches of the CUDA backend over the fake driver: by which function of the driver, and what the
 * log says of one that fails. */
#include "traced.h"

#include <string.h>

/* With the context that is current, and with one that has to be made so. */
static void check_failure(const char *function)
{
    struct ah_backend_stream *streams[] = {stream, NULL};
    ok(OPS->stream_legacy(first, &streams[1]));
    for (size_t i = 0; i < 2; i++) {
        fakecuda_fail(function, 1, CUDA_ERROR_OUT_OF_MEMORY);
        ah_test_capture();
        expect(launch_fill(streams[i]), hipErrorOutOfMemory);
        assert_contains(ah_test_captured(), ah_test_print("%s on cuda:0 failed", function));
    }
}

static void a_launch_that_fails_is_reported_by_the_drivers_function(void **state)
{
    (void)state;
    ok(launch_fill(stream));
    check_failure("cuLaunchKernelEx");
    ok(launch_fill(stream));
}

static void a_driver_without_the_newer_function_launches_by_the_older_one(void **state)
{
    __typeof__(first->launch) newer = first->launch;
    unsigned older_calls = fakecuda_calls("cuLaunchKernel");
    (void)state;
    assert_non_null(newer);
    first->launch = NULL;
    words[0] = 0;
    ok(launch_fill(stream));
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(words[0], 7);
    assert_int_equal(fakecuda_calls("cuLaunchKernel"), older_calls + 1);
    check_failure("cuLaunchKernel");
    first->launch = newer;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(a_launch_that_fails_is_reported_by_the_drivers_function),
        AH_TEST(a_driver_without_the_newer_function_launches_by_the_older_one),
    };
    return cmocka_run_group_tests_name("backend_cuda.launch", tests, open_all, close_all);
}
