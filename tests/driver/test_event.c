/* Events: recording, waiting, time, sharing. */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void events_are_made_with_flags(void **state)
{
    static const unsigned good[] = {
        hipEventDefault,
        hipEventBlockingSync,
        hipEventDisableTiming,
        hipEventInterprocess | hipEventDisableTiming,
        hipEventReleaseToDevice,
        hipEventReleaseToSystem,
        hipEventDisableSystemFence,
        hipEventBlockingSync | hipEventDisableTiming | hipEventReleaseToSystem,
    };
    static const unsigned bad[] = {hipEventInterprocess, 0x10, ~0u,
                                   hipEventReleaseToDevice | hipEventReleaseToSystem};
    hipEvent_t event;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ok(hipEventCreateWithFlags(&event, good[i]));
        ok(hipEventDestroy(event));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(hipEventCreateWithFlags(&event, bad[i]), hipErrorInvalidValue);
    expect(hipEventCreate(NULL), hipErrorInvalidValue);
    expect(hipEventCreateWithFlags(NULL, 0), hipErrorInvalidValue);
}

static void values_that_are_no_events_are_refused(void **state)
{
    hipEvent_t event, freed, wrong[5];
    hipStream_t stream;
    hipIpcEventHandle_t handle;
    uint64_t native;
    float ms;
    int local;
    (void)state;
    ok(hipEventCreate(&event));
    ok(hipEventCreate(&freed));
    ok(hipEventDestroy(freed));
    ok(hipStreamCreate(&stream));
    wrong[0] = freed;
    wrong[1] = (hipEvent_t)(void *)stream;
    wrong[2] = (hipEvent_t)(void *)&local;
    wrong[3] = (hipEvent_t)16;
    wrong[4] = NULL;
    for (size_t i = 0; i < 5; i++) {
        expect(hipEventDestroy(wrong[i]),
               wrong[i] ? hipErrorContextIsDestroyed : hipErrorInvalidHandle);
        expect(hipEventRecord(wrong[i], NULL), hipErrorInvalidHandle);
        expect(hipEventRecordWithFlags(wrong[i], NULL, 0), hipErrorInvalidHandle);
        expect(hipEventQuery(wrong[i]), hipErrorInvalidHandle);
        expect(hipEventSynchronize(wrong[i]), hipErrorInvalidHandle);
        expect(hipEventElapsedTime(&ms, wrong[i], event), hipErrorInvalidHandle);
        expect(hipEventElapsedTime(&ms, event, wrong[i]), hipErrorInvalidHandle);
        expect(hipStreamWaitEvent(stream, wrong[i], 0), hipErrorInvalidHandle);
        expect(hipIpcGetEventHandle(&handle, wrong[i]),
               wrong[i] ? hipErrorInvalidHandle : hipErrorInvalidValue);
        expect(anyhipEventGetNative(wrong[i], &native), hipErrorInvalidHandle);
    }
    ok(hipStreamDestroy(stream));
    ok(hipEventDestroy(event));
}

static void an_event_is_complete_when_the_stream_has_reached_it(void **state)
{
    hipStream_t stream;
    hipEvent_t event;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipEventCreate(&event));
    ok(hipEventQuery(event)); /* never recorded */
    ok(hipEventSynchronize(event));
    struct gate gate = close_gate(stream);
    ok(hipEventRecord(event, stream));
    expect(hipEventQuery(event), hipErrorNotReady);
    ok(hipPeekAtLastError());
    open_gate(&gate);
    ok(hipEventSynchronize(event));
    ok(hipEventQuery(event));
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
    expect(hipEventRecordWithFlags(event, stream, 7), hipErrorInvalidValue);
    ok(hipEventRecordWithFlags(event, stream, hipEventRecordDefault));
    ok(hipEventSynchronize(event));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(stream));
}

static void recording_again_moves_the_mark(void **state)
{
    hipStream_t slow, fast;
    hipEvent_t event;
    (void)state;
    ok(hipStreamCreateWithFlags(&slow, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&fast, hipStreamNonBlocking));
    ok(hipEventCreate(&event));
    struct gate gate = close_gate(slow);
    ok(hipEventRecord(event, slow));
    ok(hipEventRecord(event, fast));
    ok(hipEventSynchronize(event));
    ok(hipEventQuery(event));
    ok(hipEventRecord(event, slow));
    expect(hipEventQuery(event), hipErrorNotReady);
    open_gate(&gate);
    ok(hipEventSynchronize(event));
    free_gate(&gate);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(slow));
    ok(hipStreamDestroy(fast));
}

static void a_stream_waits_for_an_event_of_another(void **state)
{
    hipStream_t first, second;
    hipEvent_t event, never;
    uint32_t *pinned;
    (void)state;
    ok(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    ok(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    ok(hipEventCreate(&never));
    ok(hipHostMalloc((void **)&pinned, 8, 0));
    pinned[0] = pinned[1] = 0;
    struct gate gate = close_gate(first);
    ok(hipEventRecord(event, first));
    ok(hipStreamWaitEvent(second, event, 0));
    ok(launch_fill(pinned, 1, 1, second));
    expect(hipStreamQuery(second), hipErrorNotReady);
    /* Who waits already keeps waiting for the old mark, even when the event is destroyed. */
    ok(hipEventDestroy(event));
    expect(hipStreamQuery(second), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(second));
    check(pinned[0] == 1);
    ok(hipStreamSynchronize(first));
    ok(hipStreamWaitEvent(second, never, 0));
    ok(hipStreamQuery(second));
    expect(hipStreamWaitEvent(second, never, 2), hipErrorInvalidValue);
    expect(hipStreamWaitEvent(second, never, ~0u), hipErrorInvalidValue);
    free_gate(&gate);
    ok(hipEventDestroy(never));
    ok(hipHostFree(pinned));
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
}

static void a_stream_waits_for_an_event_of_another_device(void **state)
{
    hipStream_t streams[2];
    hipEvent_t event;
    (void)state;
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(i));
        ok(hipStreamCreate(&streams[i]));
    }
    ok(hipSetDevice(0));
    ok(hipEventCreate(&event));
    struct gate gate = close_gate(streams[0]);
    ok(hipEventRecord(event, streams[0]));
    ok(hipStreamWaitEvent(streams[1], event, 0));
    expect(hipStreamQuery(streams[1]), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(streams[1]));
    ok(hipEventQuery(event));
    ok(hipStreamSynchronize(streams[0]));
    free_gate(&gate);
    expect(hipEventRecord(event, streams[1]), hipErrorInvalidHandle);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(streams[0]));
    ok(hipStreamDestroy(streams[1]));
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void time_between_events_is_measured(void **state)
{
    hipEvent_t start, stop, untimed, never, other;
    float ms = -1, most;
    (void)state;
    ok(hipEventCreate(&start));
    ok(hipEventCreate(&stop));
    ok(hipEventCreate(&never));
    ok(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    double begin = milliseconds();
    ok(hipEventRecord(start, NULL));
    struct gate gate = close_gate(NULL);
    ok(hipEventRecord(stop, NULL));
    ok(hipEventRecord(untimed, NULL));
    ok(hipEventSynchronize(start));
    usleep(20000);
    expect(hipEventElapsedTime(&ms, start, stop), hipErrorNotReady);
    open_gate(&gate);
    ok(hipEventSynchronize(stop));
    most = (float)(milliseconds() - begin);
    ok(hipEventElapsedTime(&ms, start, stop));
    check(ms >= 19 && ms < most + 1); /* clocks differ a little */
    ok(hipEventElapsedTime(&ms, stop, start));
    check(ms <= -19);
    ok(hipEventElapsedTime(&ms, start, start));
    check(ms == 0);
    ok(hipDeviceSynchronize());
    free_gate(&gate);
    expect(hipEventElapsedTime(NULL, start, stop), hipErrorInvalidValue);
    expect(hipEventElapsedTime(&ms, start, untimed), hipErrorInvalidHandle);
    expect(hipEventElapsedTime(&ms, untimed, stop), hipErrorInvalidHandle);
    expect(hipEventElapsedTime(&ms, start, never), hipErrorInvalidHandle);
    expect(hipEventElapsedTime(&ms, never, stop), hipErrorInvalidHandle);
    ok(hipSetDevice(1));
    ok(hipEventCreate(&other));
    ok(hipEventRecord(other, NULL));
    ok(hipEventSynchronize(other));
    expect(hipEventElapsedTime(&ms, start, other), hipErrorInvalidHandle);
    ok(hipEventDestroy(start));
    ok(hipEventDestroy(stop));
    ok(hipEventDestroy(never));
    ok(hipEventDestroy(untimed));
    ok(hipEventDestroy(other));
}

static void an_event_of_another_device_than_the_current_one_is_used(void **state)
{
    hipEvent_t event;
    hipStream_t stream;
    (void)state;
    ok(hipSetDevice(1));
    ok(hipEventCreate(&event));
    ok(hipStreamCreate(&stream));
    ok(hipSetDevice(0));
    expect(hipEventRecord(event, NULL), hipErrorInvalidHandle);
    ok(hipEventRecord(event, stream));
    ok(hipEventSynchronize(event));
    ok(hipEventQuery(event));
    ok(hipStreamDestroy(stream));
    ok(hipEventDestroy(event));
}

static void an_event_destroyed_while_it_is_recorded_harms_nobody(void **state)
{
    hipStream_t stream;
    hipEvent_t event;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipEventCreate(&event));
    struct gate gate = close_gate(stream);
    ok(hipEventRecord(event, stream));
    ok(hipEventDestroy(event));
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
    ok(hipStreamDestroy(stream));
}

static hipIpcEventHandle_t of_another_process;

static void only_interprocess_events_can_be_shared(void **state)
{
    hipEvent_t shared, plain, opened;
    hipIpcEventHandle_t handle;
    (void)state;
    ok(hipEventCreateWithFlags(&shared, hipEventInterprocess | hipEventDisableTiming));
    ok(hipEventCreate(&plain));
    ok(hipIpcGetEventHandle(&handle, shared));
    expect(hipIpcGetEventHandle(NULL, shared), hipErrorInvalidValue);
    expect(hipIpcGetEventHandle(&handle, plain), hipErrorInvalidConfiguration);
    if (over_hsa())
        expect_says(hipIpcOpenEventHandle(&opened, handle), hipErrorInvalidContext,
                    "the handle is of this process: use the event it was made from");
    else
        expect(hipIpcOpenEventHandle(&opened, handle), hipErrorInvalidContext);
    ok(hipIpcOpenEventHandle(&opened, of_another_process));
    ok(hipEventRecord(opened, NULL));
    ok(hipEventSynchronize(opened));
    ok(hipEventDestroy(opened));
    expect(hipIpcOpenEventHandle(NULL, of_another_process), hipErrorInvalidValue);
    memset(&handle, 0, sizeof handle);
    if (over_hsa())
        expect_says(hipIpcOpenEventHandle(&opened, handle), hipErrorInvalidHandle,
                    "the event of process 0 cannot be opened: it was destroyed, or its process has "
                    "ended");
    else
        expect(hipIpcOpenEventHandle(&opened, handle), hipErrorInvalidValue);
    ok(hipEventDestroy(shared));
    ok(hipEventDestroy(plain));
}

/* ---- nothing grows -------------------------------------------------------------------------- */

static unsigned signals_now(void)
{
    struct fakehsa_counts counts;
    fakehsa_count(&counts);
    return counts.signals;
}

/* Whatever takes a signal: events that are recorded, recorded again and waited for. */
static void use_signals(void)
{
    hipStream_t streams[2];
    hipEvent_t events[2];
    for (int i = 0; i < 2; i++) {
        ok(hipStreamCreate(&streams[i]));
        ok(hipEventCreate(&events[i]));
    }
    for (int i = 0; i < 4; i++) {
        ok(hipLaunchKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, streams[0]));
        ok(hipEventRecord(events[i % 2], streams[0]));
        ok(hipStreamWaitEvent(streams[1], events[i % 2], 0));
    }
    ok(hipStreamSynchronize(streams[1]));
    for (int i = 0; i < 2; i++) {
        ok(hipEventDestroy(events[i]));
        ok(hipStreamDestroy(streams[i]));
    }
}

static void signals_are_used_again(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        use_signals();
    ok(hipDeviceSynchronize());
    unsigned before = signals_now();
    for (int i = 0; i < 200; i++)
        use_signals();
    ok(hipDeviceSynchronize());
    check(signals_now() <= before + 64); /* they are made in groups */
}

/* Nobody waits for the stream itself: what its events leave behind goes with the next records. */
static void signals_of_a_stream_that_records_alone_are_used_again(void **state)
{
    enum { RECORDS = 400, GROUPS = 128 };
    hipStream_t stream, other;
    hipEvent_t event;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    ok(hipEventCreate(&event));
    unsigned before = signals_now();
    for (int i = 0; i < RECORDS; i++) {
        ok(hipEventRecord(event, stream));
        ok(hipStreamWaitEvent(other, event, 0));
        ok(hipStreamSynchronize(other));
    }
    check(signals_now() <= before + GROUPS);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(other));
    ok(hipStreamDestroy(stream));
}

static int lowest_free_file(void)
{
    int file = dup(0);
    close(file);
    return file;
}

static void events_of_several_processes_keep_no_file_open(void **state)
{
    (void)state;
    int before = lowest_free_file();
    for (int i = 0; i < 3; i++) {
        hipEvent_t shared, opened;
        hipIpcEventHandle_t handle;
        ok(hipEventCreateWithFlags(&shared, hipEventInterprocess | hipEventDisableTiming));
        ok(hipIpcGetEventHandle(&handle, shared));
        ok(hipEventRecord(shared, NULL));
        ok(hipEventSynchronize(shared));
        ok(hipIpcOpenEventHandle(&opened, of_another_process));
        ok(hipEventRecord(opened, NULL));
        ok(hipEventSynchronize(opened));
        ok(hipEventDestroy(opened));
        ok(hipEventDestroy(shared));
        ok(hipDeviceSynchronize());
    }
    check(lowest_free_file() == before);
}

/* The event's own descriptor is closed once: not when another file has its number. */
static void an_event_of_another_process_leaves_the_files_of_the_program_alone(void **state)
{
    hipEvent_t shared, opened;
    int files[4];
    (void)state;
    ok(hipEventCreateWithFlags(&shared, hipEventInterprocess | hipEventDisableTiming));
    ok(hipIpcOpenEventHandle(&opened, of_another_process));
    for (int i = 0; i < 4; i++)
        files[i] = dup(0);
    ok(hipEventDestroy(opened));
    ok(hipEventDestroy(shared));
    ok(hipDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        check(files[i] >= 0 && close(files[i]) == 0);
}

/* A program without a standard input: the event's file may have its number. */
static void an_event_is_opened_where_descriptor_0_is_free(void **state)
{
    hipEvent_t opened;
    (void)state;
    int input = dup(0);
    close(0);
    ok(hipIpcOpenEventHandle(&opened, of_another_process));
    ok(hipEventDestroy(opened));
    check(dup2(input, 0) == 0);
    close(input);
    ok(hipDeviceSynchronize());
}

static void who_waits_for_a_copy_that_fails_does_not_wait_for_ever(void **state)
{
    hipStream_t first, second;
    hipEvent_t copied;
    char *memory;
    (void)state;
    ok(hipMalloc((void **)&memory, 8192));
    ok(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    ok(hipEventCreateWithFlags(&copied, hipEventDisableTiming));
    struct gate gate = close_gate(first); /* so that the copy begins after all is queued */
    fakehsa_fail("copy", 1, 1);
    ok(hipMemcpyAsync(memory + 4096, memory, 4096, hipMemcpyDeviceToDevice, first));
    ok(hipEventRecord(copied, first));
    ok(hipStreamWaitEvent(second, copied, 0));
    ok(hipLaunchKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, second));
    open_gate(&gate);
    expect(hipStreamSynchronize(second), hipErrorIllegalAddress);
    ok(hipDeviceReset());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_are_made_with_flags),
        TEST(values_that_are_no_events_are_refused),
        TEST(an_event_is_complete_when_the_stream_has_reached_it),
        TEST(recording_again_moves_the_mark),
        TEST(a_stream_waits_for_an_event_of_another),
        TEST(a_stream_waits_for_an_event_of_another_device),
        TEST(time_between_events_is_measured),
        TEST(an_event_of_another_device_than_the_current_one_is_used),
        TEST(an_event_destroyed_while_it_is_recorded_harms_nobody),
        TEST(only_interprocess_events_can_be_shared),
        TEST_OVER("hsa", "a copy of CUDA fails as all work of its context does",
                  who_waits_for_a_copy_that_fails_does_not_wait_for_ever),
        TEST_OVER("hsa", "CUDA has no signals", signals_are_used_again),
        TEST_OVER("hsa", "CUDA has no signals",
                  signals_of_a_stream_that_records_alone_are_used_again),
        TEST(an_event_is_opened_where_descriptor_0_is_free),
        TEST(events_of_several_processes_keep_no_file_open),
        TEST(an_event_of_another_process_leaves_the_files_of_the_program_alone),
    };
    const struct sharer sharer = start_sharer(share_event);
    if (read(sharer.end, &of_another_process, sizeof of_another_process) !=
        sizeof of_another_process)
        return EXIT_FAILURE;
    use_fake("80,90");
    int failed = run_group("driver.event", tests);
    return end_sharer(&sharer) && !failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
