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
    fakecuda_hook("cuLaunchKernel", note_waits, &between);
    ok(launch_fill(memory, 7, 4, stream));
    check(between - before == ((kernel & BEFORE) != 0));
    check(waits() - between == ((kernel & AFTER) != 0));
    ok(hipMemcpy(host, memory, sizeof host, hipMemcpyDeviceToHost));
    check_words(host, 4, 7);
}

static void serialize_copy(void)
{
    begin();
    expect_waits(value, 0);
}

static void serialize_kernel(void)
{
    begin();
    expect_waits(0, value);
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
        TEST_UNCHECKED(a_launch_that_blocks_waits_after_the_kernel),
    };
    return cmocka_run_group_tests_name("driver.serialize", tests, NULL, NULL);
}
