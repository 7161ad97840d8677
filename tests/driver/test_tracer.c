/* Tracers that come and go: a device reports its work while one wants that, and not before and
 * after. Over CUDA times come from the fake's CUPTI. */
#include "support.h"
#include "fakecupti.h"
#include "roctracer_abi.h"

#include <pthread.h>
#include <stdlib.h>

enum { COUNT = 4 };

static _Atomic(unsigned) records, questions;
static uint32_t *memory;

static int ask(unsigned domain, uint32_t operation, void *data)
{
    (void)operation;
    questions++;
    if (domain != ROCTRACER_HIP_OPS)
        return -1;
    records += data != NULL;
    return 0;
}

static int ask_for_calls(unsigned domain, uint32_t operation, void *data)
{
    (void)operation, (void)data;
    return domain == ROCTRACER_HIP_API ? -1 : 1;
}

static void begin(void)
{
    records = 0;
    hipRegisterTracerCallback(ask);
}

static void end(void)
{
    hipRegisterTracerCallback(NULL);
}

static void work(void)
{
    ok(launch_fill(memory, 1, COUNT, NULL));
    ok(hipDeviceSynchronize());
}

/* Whether the device takes times of what it does. */
static bool reports(void)
{
    return fakecupti_enabled() > 0;
}

static void allocate(void)
{
    ok(hipMalloc((void **)&memory, COUNT * sizeof *memory));
}

static void release(void)
{
    ok(hipFree(memory));
}

static void devices_report_while_a_tracer_is_there(void **state)
{
    (void)state;
    allocate();
    for (int round = 0; round < 3; round++) {
        work();
        check(!reports());
        begin();
        work();
        check(reports() || over_hsa());
        end();
        check(!reports());
        check(records == 1);
        work();
        check(records == 1);
    }
    release();
}

static void a_tracer_of_calls_alone_leaves_devices_alone(void **state)
{
    (void)state;
    allocate();
    hipRegisterTracerCallback(ask_for_calls);
    work();
    check(!reports());
    end();
    release();
}

/* As roctxProfilerPause does. */
static void a_pause_is_told_to_nobody(void **state)
{
    (void)state;
    allocate();
    begin();
    work();
    for (int round = 0; round < 2; round++) {
        anyhipTraceMark(anyhipTraceMarkPause, 0, NULL);
        check(!reports());
        unsigned before = records, asked = questions;
        work();
        check(records == before && questions == asked);
        anyhipTraceMark(anyhipTraceMarkResume, 0, NULL);
        work();
        check(records == before + 1 && questions > asked);
    }
    anyhipTraceMark(anyhipTraceMarkPause, 0, NULL);
    end();
    begin(); /* in the pause */
    work();
    check(records == 0 && !reports());
    anyhipTraceMark(anyhipTraceMarkResume, 0, NULL);
    work();
    check(records == 1);
    end();
    release();
}

static void a_pause_of_a_thread_is_told_to_nobody(void **state)
{
    (void)state;
    allocate();
    begin();
    work();
    anyhipTraceMark(anyhipTraceMarkPause, 1, NULL);
    unsigned asked = questions;
    work();
    check(records == 1 && questions == asked);
    anyhipTraceMark(anyhipTraceMarkResume, 1, NULL);
    work();
    check(records == 2);
    anyhipTraceMark(anyhipTraceMarkPause, 2, NULL); /* of nothing */
    anyhipTraceMark((enum anyhipTraceMarkKind)(anyhipTraceMarkResume + 1), 0, NULL);
    work();
    check(records == 3);
    end();
    release();
}

/* ---- in the middle of a command ---------------------------------------------------------- */

static void end_meanwhile(void *data)
{
    *(int *)data += 1;
    end();
}

static void end_and_begin_meanwhile(void *data)
{
    end_meanwhile(data);
    begin();
}

/* The command that is submitted just now is the last that uses the trace. */
static void a_tracer_may_end_during_a_launch(void **state)
{
    int called = 0;
    (void)state;
    allocate();
    begin();
    work();
    fakecuda_hook("cuLaunchKernelEx", end_meanwhile, &called);
    work();
    check(called == 1);
    check(!reports());
    unsigned before = records;
    work();
    check(records == before);
    begin();
    work();
    check(records == 1);
    end();
    release();
}

static void a_tracer_may_follow_another_during_a_launch(void **state)
{
    int called = 0;
    (void)state;
    allocate();
    begin();
    work();
    fakecuda_hook("cuLaunchKernelEx", end_and_begin_meanwhile, &called);
    work();
    check(called == 1);
    work();
    check(reports());
    check(records >= 1);
    end();
    check(!reports());
    release();
}

static int end_when_asked_for_work(unsigned domain, uint32_t operation, void *data)
{
    (void)operation, (void)data;
    if (domain != ROCTRACER_HIP_OPS)
        return -1;
    end();
    return 0;
}

/* As by another thread, between the answer and what follows from it. */
static void a_tracer_may_end_while_it_is_asked(void **state)
{
    (void)state;
    allocate();
    hipRegisterTracerCallback(end_when_asked_for_work);
    work();
    work();
    check(!reports());
    begin();
    work();
    check(records == 1);
    end();
    release();
}

/* ---- what others do ------------------------------------------------------------------------ */

static void a_profiler_may_have_cupti_in_between(void **state)
{
    (void)state;
    allocate();
    begin();
    work();
    end();
    fakecupti_take(true);
    begin();
    work();
    check(!reports());
    end();
    check(records == 1); /* by pairs of events */
    fakecupti_take(false);
    begin();
    work();
    check(reports());
    end();
    check(records == 1 && !reports());
    release();
}

static void a_device_may_be_reset_in_between(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        allocate();
        begin();
        work();
        if (round == 0)
            end();
        ok(hipDeviceReset());
        ok(load_kernels());
        allocate();
        if (round == 0)
            begin();
        work();
        end();
        check(records >= 1 && !reports());
        release();
    }
}

/* ---- threads ------------------------------------------------------------------------------- */

static _Atomic(bool) done;
static _Atomic(unsigned) rounds;

static void *launch_until_done(void *data)
{
    hipStream_t stream;
    (void)data;
    ok(hipStreamCreate(&stream));
    while (!done) {
        ok(launch_fill(memory, 1, COUNT, stream));
        ok(hipStreamSynchronize(stream));
        rounds++;
    }
    ok(hipStreamDestroy(stream));
    return NULL;
}

static void tracers_come_and_go_while_threads_launch(void **state)
{
    enum { THREADS = 3, TIMES = 40 };
    pthread_t threads[THREADS];
    (void)state;
    allocate();
    done = false;
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, launch_until_done, NULL) == 0);
    for (int i = 0; i < TIMES; i++) {
        begin();
        for (unsigned until = rounds + THREADS; rounds < until;)
            sched_yield();
        end();
    }
    done = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(!reports());
    check(fakecupti_buffers() == 0);
    release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(devices_report_while_a_tracer_is_there),
        TEST(a_tracer_of_calls_alone_leaves_devices_alone),
        TEST_OVER("cuda",
                  "HSA's queues are written under a lock, without a call that can be hooked",
                  a_tracer_may_end_during_a_launch),
        TEST_OVER("cuda",
                  "HSA's queues are written under a lock, without a call that can be hooked",
                  a_tracer_may_follow_another_during_a_launch),
        TEST(a_tracer_may_end_while_it_is_asked),
        TEST(a_pause_is_told_to_nobody),
        TEST(a_pause_of_a_thread_is_told_to_nobody),
        TEST_OVER("cuda", "CUPTI is NVIDIA's", a_profiler_may_have_cupti_in_between),
        TEST(a_device_may_be_reset_in_between),
        TEST(tracers_come_and_go_while_threads_launch),
    };
    use_fake("80");
    setenv("ANYHIP_CUPTI", FAKECUDA_PATH, 1);
    return run_group("driver.tracer", tests);
}
