/* Settings that make callers wait for the device: AMD_SERIALIZE_COPY, AMD_SERIALIZE_KERNEL and
 * HIP_LAUNCH_BLOCKING. Each is looked at in a child process; core waits, on either vendor alike. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

enum { BEFORE = 1, AFTER = 2 };

static const char *setting;
static int value;

static unsigned waits(void)
{
    return fakecuda_calls("cuStreamSynchronize");
}

static void note_waits(void *data)
{
    *(unsigned *)data = waits();
}

static void begin(void)
{
    char text[8];
    snprintf(text, sizeof text, "%d", value);
    use_fake_cuda("80");
    check(setenv(setting, text, 1) == 0);
}

/* A copy and a kernel wait as often as said: each before, when the driver is called, and after. */
static void expect_waits(int copy, int kernel)
{
    uint32_t *memory, host[4] = {0};
    hipStream_t stream;
    unsigned before, between = 0;
    start_kernels(NULL);
    ok(hipStreamCreate(&stream));
    ok(hipMalloc((void **)&memory, sizeof host));
    before = waits();
    fakecuda_hook("cuMemcpyAsync", note_waits, &between);
    ok(hipMemcpyAsync(memory, host, sizeof host, hipMemcpyHostToDevice, stream));
    check(between - before == ((copy & BEFORE) != 0));
    check(waits() - between == ((copy & AFTER) != 0));
    before = waits();
    fakecuda_hook("cuLaunchKernelEx", note_waits, &between);
    ok(launch_fill(memory, 7, 4, stream));
    check(between - before == ((kernel & BEFORE) != 0));
    check(waits() - between == ((kernel & AFTER) != 0));
    ok(hipMemcpy(host, memory, sizeof host, hipMemcpyDeviceToHost));
    check_words(host, 4, 7);
}

static void do_nothing(void *data)
{
    (void)data;
}

/* What is neither a copy nor a kernel of the program. */
static void expect_no_waits(void)
{
    void *memory, *pooled;
    hipStream_t stream;
    hipEvent_t event;
    ok(hipStreamCreate(&stream));
    ok(hipEventCreate(&event));
    ok(hipMalloc(&memory, 64));
    unsigned before = waits();
    ok(hipMemsetAsync(memory, 1, 64, stream));
    ok(hipEventRecord(event, stream));
    ok(hipStreamWaitEvent(stream, event, 0));
    ok(hipLaunchHostFunc(stream, do_nothing, NULL));
    ok(hipMallocAsync(&pooled, 64, stream));
    ok(hipFreeAsync(pooled, stream));
    check(waits() == before);
}

/* Which wait the nth of a call is, 0: there are less. */
static int nth_wait(unsigned nth)
{
    if (value == (BEFORE | AFTER))
        return nth == 1 ? BEFORE : AFTER;
    return nth == 1 ? value : 0;
}

/* Each wait fails once, the one before and the one after: the caller sees it, and after the first
 * of two nothing is submitted. */
static void expect_errors(const char *function, hipError_t (*submit)(void *memory, hipStream_t))
{
    void *memory;
    hipStream_t stream;
    start_kernels(NULL);
    ok(hipStreamCreate(&stream));
    ok(hipMalloc(&memory, 64));
    ok(submit(memory, stream));
    for (unsigned nth = 1; nth <= 2; nth++) {
        unsigned before = fakecuda_calls(function);
        fakecuda_fail("cuStreamSynchronize", nth, 719); /* LAUNCH_FAILED */
        hipError_t error = submit(memory, stream);
        fakecuda_clear_faults();
        expect(error, nth_wait(nth) ? hipErrorLaunchFailure : hipSuccess);
        check(fakecuda_calls(function) - before == (nth_wait(nth) != BEFORE));
    }
}

static hipError_t submit_copy(void *memory, hipStream_t stream)
{
    static char host[64];
    return hipMemcpyAsync(memory, host, sizeof host, hipMemcpyHostToDevice, stream);
}

static hipError_t submit_kernel(void *memory, hipStream_t stream)
{
    return launch_fill(memory, 7, 4, stream);
}

static void fail_copy(void)
{
    begin();
    expect_errors("cuMemcpyAsync", submit_copy);
}

static void fail_kernel(void)
{
    begin();
    expect_errors("cuLaunchKernelEx", submit_kernel);
}

static void serialize_copy(void)
{
    begin();
    expect_waits(value, 0);
    expect_no_waits();
}

static void serialize_kernel(void)
{
    begin();
    expect_waits(0, value);
    expect_no_waits();
}

static void block_launches(void)
{
    begin();
    expect_waits(0, value ? AFTER : 0);
}

static void in_children(const char *name, int most, void (*function)(void))
{
    setting = name;
    for (value = 0; value <= most; value++)
        in_child_quickly(function);
}

static void copies_wait_before_and_after_as_they_are_told(void **state)
{
    (void)state;
    in_children("AMD_SERIALIZE_COPY", 3, serialize_copy);
}

static void kernels_wait_before_and_after_as_they_are_told(void **state)
{
    (void)state;
    in_children("AMD_SERIALIZE_KERNEL", 3, serialize_kernel);
}

static void a_wait_that_fails_is_an_error_of_the_copy_or_the_kernel(void **state)
{
    (void)state;
    in_children("AMD_SERIALIZE_COPY", 3, fail_copy);
    in_children("AMD_SERIALIZE_KERNEL", 3, fail_kernel);
}

static void a_launch_that_blocks_waits_after_the_kernel(void **state)
{
    (void)state;
    in_children("HIP_LAUNCH_BLOCKING", 1, block_launches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_UNCHECKED(copies_wait_before_and_after_as_they_are_told),
        TEST_UNCHECKED(kernels_wait_before_and_after_as_they_are_told),
        TEST_UNCHECKED(a_wait_that_fails_is_an_error_of_the_copy_or_the_kernel),
        TEST_UNCHECKED(a_launch_that_blocks_waits_after_the_kernel),
    };
    return cmocka_run_group_tests_name("driver.serialize", tests, NULL, NULL);
}
