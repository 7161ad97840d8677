/* Devices of two drivers in one process: waits of one for the other, and copies between them. Each
 * test runs in a process of its own: device 0 is of the driver "cuda", device 1 of "simcuda". */
#include "support.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024, SIZE = WORDS * 4 };

/* ---- the drivers ------------------------------------------------------------------------- */

/* A function of fakecuda.h as the second driver has it. */
static void *second(const char *function)
{
    void *driver = dlopen(FAKESIMCUDA_PATH, RTLD_NOW | RTLD_NOLOAD);
    void *address = driver ? dlsym(driver, function) : NULL;
    check(address != NULL);
    dlclose(driver);
    return address;
}

static unsigned second_violations(void)
{
    size_t (*count)(void);
    *(void **)&count = second("fakecuda_violations");
    return (unsigned)count();
}

static void break_second(int result)
{
    void (*function)(int device, int result);
    *(void **)&function = second("fakecuda_break");
    function(0, result);
}

static void begin(void)
{
    use_two_fakes("80", "80");
    check(start_kernels(NULL) == 0);
    ok(hipSetDevice(0));
    fakecuda_forget();
}

/* Nothing is left of what the test and the library made, and no rule of CUDA was broken. */
static void end(void)
{
    check(fakecuda_violations() == 0);
    check(second_violations() == 0);
    check(end_kernels(NULL) == 0);
}

#define MIXED_TEST(name)                                                                           \
    static void name##_body(void);                                                                 \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        in_child(name##_body);                                                                     \
    }                                                                                              \
    static void name##_body(void)

/* ---- waits --------------------------------------------------------------------------------- */

static hipStream_t stream_on(int device)
{
    hipStream_t stream;
    ok(hipSetDevice(device));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    return stream;
}

static hipEvent_t record_on(int device, hipStream_t stream)
{
    hipEvent_t event;
    ok(hipSetDevice(device));
    ok(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    ok(hipEventRecord(event, stream));
    return event;
}

static uint32_t *pinned_on(int device)
{
    uint32_t *words;
    ok(hipSetDevice(device));
    ok(hipHostMalloc((void **)&words, SIZE, 0));
    memset(words, 0, SIZE);
    return words;
}

/* first -> other -> first: the third stream waits for the first through the other driver. */
static void check_chain(int first, int other)
{
    uint32_t *out = pinned_on(first);
    hipStream_t a = stream_on(first), b = stream_on(other), c = stream_on(first);
    ok(hipSetDevice(first));
    struct gate gate = close_gate(a);
    hipEvent_t after_a = record_on(first, a);
    ok(hipStreamWaitEvent(b, after_a, 0));
    hipEvent_t after_b = record_on(other, b);
    ok(hipStreamWaitEvent(c, after_b, 0));
    ok(hipSetDevice(first));
    ok(launch_fill(out, 7, 1, c));
    expect(hipStreamQuery(c), hipErrorNotReady);
    check(*out == 0);
    open_gate(&gate);
    ok(hipStreamSynchronize(c));
    check(*out == 7);
    free_gate(&gate);
    ok(hipEventDestroy(after_a));
    ok(hipEventDestroy(after_b));
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
    ok(hipStreamDestroy(c));
    ok(hipHostFree(out));
}

MIXED_TEST(a_chain_of_waits_passes_where_host_functions_run_one_at_a_time)
{
    use_two_fakes("80", "80");
    setenv("FAKECUDA_HOST_THREAD", "1", 1);
    setenv("FAKESIMCUDA_HOST_THREAD", "1", 1);
    check(start_kernels(NULL) == 0);
    check_chain(0, 1);
    check_chain(1, 0);
    end();
}

/* A stream of one device stands still until the other device, which never reaches its event, is
 * reset. */
static void check_reset_lets_go(int reset, int waits)
{
    uint32_t *out = pinned_on(waits), *held;
    hipStream_t a = stream_on(reset), b = stream_on(waits);
    ok(hipSetDevice(reset));
    ok(hipHostMalloc((void **)&held, 4, 0));
    *held = 0;
    ok(hipStreamWaitValue32(a, held, 1, hipStreamWaitValueEq, ~0u));
    hipEvent_t event = record_on(reset, a);
    ok(hipStreamWaitEvent(b, event, 0));
    ok(hipSetDevice(waits));
    ok(launch_fill(out, 9, 1, b));
    expect(hipStreamQuery(b), hipErrorNotReady);
    ok(hipSetDevice(reset));
    ok(hipDeviceReset());
    ok(hipSetDevice(waits));
    ok(hipStreamSynchronize(b));
    check(*out == 9);
    ok(hipStreamDestroy(b));
    ok(hipHostFree(out));
}

MIXED_TEST(a_device_that_is_reset_lets_the_other_driver_go)
{
    begin();
    check_reset_lets_go(0, 1);
    check_reset_lets_go(1, 0);
    check_chain(0, 1);
    check_chain(1, 0);
    end();
}

/* The waiting device is reset first; what opens its gate comes later. */
static void check_reset_of_waiting(int waits, int opens)
{
    hipStream_t a = stream_on(opens), b = stream_on(waits);
    ok(hipSetDevice(opens));
    struct gate gate = close_gate(a);
    hipEvent_t event = record_on(opens, a);
    ok(hipStreamWaitEvent(b, event, 0));
    ok(hipSetDevice(waits));
    ok(hipDeviceReset());
    check_chain(waits, opens);
    ok(hipSetDevice(opens));
    open_gate(&gate);
    ok(hipStreamSynchronize(a));
    free_gate(&gate);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    ok(hipDeviceSynchronize());
}

MIXED_TEST(a_device_is_reset_while_it_waits_for_the_other_driver)
{
    begin();
    check_reset_of_waiting(0, 1);
    check_reset_of_waiting(1, 0);
    check_chain(0, 1);
    check_chain(1, 0);
    end();
}

/* The event's device fails before it reaches the event. */
MIXED_TEST(a_device_that_fails_lets_the_other_driver_go)
{
    begin();
    uint32_t *out = pinned_on(1);
    hipStream_t a = stream_on(0), b = stream_on(1);
    ok(hipSetDevice(0));
    struct gate gate = close_gate(a);
    ok(launch_fault(a));
    hipEvent_t event = record_on(0, a);
    ok(hipStreamWaitEvent(b, event, 0));
    ok(hipSetDevice(1));
    ok(launch_fill(out, 3, 1, b));
    expect(hipStreamQuery(b), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(b));
    check(*out == 3);
    expect(hipStreamWaitEvent(b, event, 0), hipErrorIllegalAddress);
    ok(launch_fill(out, 4, 1, b)); /* which nothing holds up */
    ok(hipStreamSynchronize(b));
    check(*out == 4);
    ok(hipStreamDestroy(b));
    ok(hipHostFree(out));
    ok(hipSetDevice(0));
    ok(hipDeviceReset());
    check_chain(0, 1);
    end();
}

/* The waiting device fails: its stream says so, and the event's device goes on. */
MIXED_TEST(a_device_that_fails_while_it_waits_holds_up_nobody)
{
    begin();
    uint32_t *out = pinned_on(0);
    hipStream_t a = stream_on(0), b = stream_on(1);
    ok(hipSetDevice(0));
    struct gate gate = close_gate(a);
    hipEvent_t event = record_on(0, a);
    ok(hipStreamWaitEvent(b, event, 0));
    break_second(700) /* CUDA_ERROR_ILLEGAL_ADDRESS */;
    open_gate(&gate);
    ok(launch_fill(out, 5, 1, a));
    ok(hipStreamSynchronize(a));
    check(*out == 5);
    expect(hipStreamSynchronize(b), hipErrorIllegalAddress);
    free_gate(&gate);
    ok(hipHostFree(out));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    ok(hipSetDevice(1));
    ok(hipDeviceReset());
    check_chain(0, 1);
    check_chain(1, 0);
    end();
}

/* What the library keeps for waits does not grow with them. */
MIXED_TEST(waits_for_another_driver_use_their_memory_again)
{
    struct fakecuda_counts before, after;
    begin();
    hipStream_t a = stream_on(1), b = stream_on(0);
    hipEvent_t event = record_on(1, a);
    for (int i = 0; i < 1000; i++) {
        ok(hipEventRecord(event, a));
        ok(hipStreamWaitEvent(b, event, 0));
        if (i % 10 == 9)
            ok(hipStreamSynchronize(b));
        if (i == 499)
            fakecuda_count(&before);
    }
    fakecuda_count(&after);
    check(after.pinned <= before.pinned + 1 && after.pinned <= 8);
    check(after.events <= 512);
    ok(hipStreamDestroy(b));
    ok(hipSetDevice(1));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    end();
}

/* Each call of the driver that a wait makes fails once: the caller hears of it, and neither stream
 * is held up. */
MIXED_TEST(a_wait_for_another_driver_that_cannot_be_queued_holds_up_nobody)
{
    static const char *const of_opener[] = {"cuStreamCreateWithPriority", "cuStreamWaitEvent",
                                            "cuStreamAddCallback"};
    static const char *const of_waiter[] = {"cuMemHostAlloc", "cuStreamWaitValue32_v2",
                                            "cuEventRecord", "cuEventCreate"};
    begin();
    uint32_t *out = pinned_on(0);
    hipStream_t a = stream_on(0), b = stream_on(1);
    hipEvent_t of_a = record_on(0, a), of_b = record_on(1, b);
    for (size_t i = 0; i < 3; i++) {
        fakecuda_fail(of_opener[i], 1, CUDA_ERROR_OUT_OF_MEMORY);
        expect(hipStreamWaitEvent(b, of_a, 0), hipErrorOutOfMemory);
        ok(hipStreamSynchronize(b));
        fakecuda_clear_faults();
    }
    for (size_t i = 0; i < 4; i++) {
        fakecuda_fail(of_waiter[i], 1, CUDA_ERROR_OUT_OF_MEMORY);
        expect(hipStreamWaitEvent(a, of_b, 0), hipErrorOutOfMemory);
        ok(hipSetDevice(0));
        ok(launch_fill(out, (uint32_t)i + 1, 1, a));
        ok(hipStreamSynchronize(a));
        check(*out == i + 1);
        fakecuda_clear_faults();
    }
    ok(hipStreamWaitEvent(a, of_b, 0));
    ok(hipStreamWaitEvent(b, of_a, 0));
    ok(hipStreamSynchronize(a));
    ok(hipStreamSynchronize(b));
    ok(hipHostFree(out));
    end();
}

/* Without an operation that waits for a value the host waits. */
MIXED_TEST(a_driver_that_cannot_wait_for_a_value_has_the_host_wait)
{
    begin();
    hipStream_t a = stream_on(0), b = stream_on(1);
    ok(hipSetDevice(1));
    ok(hipMemsetAsync(pinned_on(1), 1, SIZE, b));
    hipEvent_t event = record_on(1, b);
    fakecuda_fail("cuStreamWaitValue32_v2", 0, CUDA_ERROR_NOT_SUPPORTED);
    ok(hipStreamWaitEvent(a, event, 0));
    ok(hipEventQuery(event));
    ok(hipStreamSynchronize(a));
    fakecuda_clear_faults();
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_UNCHECKED(a_chain_of_waits_passes_where_host_functions_run_one_at_a_time),
        TEST_UNCHECKED(a_device_that_is_reset_lets_the_other_driver_go),
        TEST_UNCHECKED(a_device_is_reset_while_it_waits_for_the_other_driver),
        TEST_UNCHECKED(a_device_that_fails_lets_the_other_driver_go),
        TEST_UNCHECKED(a_device_that_fails_while_it_waits_holds_up_nobody),
        TEST_UNCHECKED(waits_for_another_driver_use_their_memory_again),
        TEST_UNCHECKED(a_wait_for_another_driver_that_cannot_be_queued_holds_up_nobody),
        TEST_UNCHECKED(a_driver_that_cannot_wait_for_a_value_has_the_host_wait),
    };
    return cmocka_run_group_tests_name("mixed", tests, NULL, NULL);
}
