/* Order of work: streams, the default streams, events, values in memory, host functions. */
#include "simcuda_test.h"

#include <pthread.h>
#include <stdatomic.h>

static uint32_t *flag; /* page-locked */

static CUstream new_stream(unsigned flags)
{
    CUstream stream = NULL;
    ok(cu.cuStreamCreate(&stream, flags));
    return stream;
}

static void hold(CUstream stream)
{
    __atomic_store_n(flag, 0, __ATOMIC_RELEASE);
    ok(cu.cuStreamWaitValue32(stream, (uintptr_t)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
}

static void set_flag(void)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static void work_is_asynchronous_and_in_order(void **state)
{
    CUdeviceptr memory = allocate(64);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    (void)state;
    hold(stream);
    ok(cu.cuMemsetD8Async(memory, 1, 64, stream));
    ok(cu.cuMemsetD8Async(memory, 2, 32, stream));
    expect(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    set_flag();
    ok(cu.cuStreamSynchronize(stream));
    ok(cu.cuStreamQuery(stream));
    assert_true(all_bytes(memory, 32, 2));
    assert_true(all_bytes(memory + 32, 32, 1));
    ok(cu.cuStreamDestroy(stream));
    ok(cu.cuMemFree(memory));
}

static void streams_do_not_wait_for_each_other(void **state)
{
    CUstream held = new_stream(CU_STREAM_NON_BLOCKING), other = new_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr memory = allocate(4);
    (void)state;
    hold(held);
    ok(cu.cuMemsetD32Async(memory, 5, 1, other));
    ok(cu.cuStreamSynchronize(other));
    expect(cu.cuStreamQuery(held), CUDA_ERROR_NOT_READY);
    set_flag();
    ok(cu.cuStreamSynchronize(held));
    ok(cu.cuStreamDestroy(held));
    ok(cu.cuStreamDestroy(other));
    ok(cu.cuMemFree(memory));
}

static void the_legacy_stream_waits_for_blocking_streams_and_they_for_it(void **state)
{
    CUstream blocking = new_stream(CU_STREAM_DEFAULT);
    CUstream free_one = new_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr memory = allocate(4);
    (void)state;
    hold(blocking);
    ok(cu.cuMemsetD32Async(memory, 1, 1, NULL));
    expect(cu.cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    set_flag();
    ok(cu.cuStreamSynchronize(NULL));
    hold(NULL);
    ok(cu.cuMemsetD32Async(memory, 2, 1, blocking));
    ok(cu.cuMemsetD32Async(memory, 2, 1, free_one));
    ok(cu.cuStreamSynchronize(free_one));
    expect(cu.cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
    set_flag();
    ok(cu.cuStreamSynchronize(blocking));
    ok(cu.cuStreamDestroy(blocking));
    ok(cu.cuStreamDestroy(free_one));
    ok(cu.cuMemFree(memory));
}

static void a_stream_waits_for_an_event_of_another(void **state)
{
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING),
             second = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event;
    (void)state;
    ok(cu.cuEventCreate(&event, 0));
    ok(cu.cuEventQuery(event));
    hold(first);
    ok(cu.cuEventRecord(event, first));
    ok(cu.cuStreamWaitEvent(second, event, 0));
    expect(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
    expect(cu.cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    set_flag();
    ok(cu.cuStreamSynchronize(second));
    ok(cu.cuEventQuery(event));
    ok(cu.cuEventDestroy(event));
    ok(cu.cuStreamDestroy(first));
    ok(cu.cuStreamDestroy(second));
}

static void events_measure_time(void **state)
{
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent start, stop, untimed;
    float milliseconds = -1;
    (void)state;
    ok(cu.cuEventCreate(&start, 0));
    ok(cu.cuEventCreate(&stop, 0));
    ok(cu.cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    expect(cu.cuEventElapsedTime(&milliseconds, start, stop), CUDA_ERROR_INVALID_HANDLE);
    ok(cu.cuEventRecord(start, stream));
    ok(cu.cuEventSynchronize(start));
    usleep(20000);
    ok(cu.cuEventRecord(stop, stream));
    ok(cu.cuEventRecord(untimed, stream));
    ok(cu.cuEventSynchronize(stop));
    ok(cu.cuEventElapsedTime(&milliseconds, start, stop));
    assert_true(milliseconds >= 19 && milliseconds < 10000);
    expect(cu.cuEventElapsedTime(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
    ok(cu.cuEventDestroy(start));
    ok(cu.cuEventDestroy(stop));
    ok(cu.cuEventDestroy(untimed));
    expect(cu.cuEventDestroy(stop), CUDA_ERROR_INVALID_HANDLE);
    ok(cu.cuStreamDestroy(stream));
}

static CUresult inside;

static void count_up(void *data)
{
    CUdeviceptr memory;
    inside = cu.cuMemAlloc(&memory, 64);
    ++*(int *)data;
}

static void host_functions_run_in_order_and_cannot_call_the_driver(void **state)
{
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    int count = 0;
    (void)state;
    hold(stream);
    ok(cu.cuLaunchHostFunc(stream, count_up, &count));
    usleep(5000);
    assert_int_equal(__atomic_load_n(&count, __ATOMIC_ACQUIRE), 0);
    set_flag();
    ok(cu.cuStreamSynchronize(stream));
    assert_int_equal(count, 1);
    assert_int_equal(inside, CUDA_ERROR_NOT_PERMITTED);
    expect(cu.cuLaunchHostFunc(stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuStreamDestroy(stream));
}

static void values_and_barriers_come_in_batches(void **state)
{
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr memory = allocate(16);
    uint32_t value = 0;
    CUstreamBatchMemOpParams ops[4] = {
        {.value = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = memory, .value = 3}},
        {.barrier = {.operation = CU_STREAM_MEM_OP_BARRIER,
                     .flags = CU_STREAM_MEMORY_BARRIER_TYPE_GPU}},
        {.barrier = {.operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES}},
        {.value = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
                   .address = memory,
                   .value = 3,
                   .flags = CU_STREAM_WAIT_VALUE_EQ}}};
    (void)state;
    ok(cu.cuStreamBatchMemOp(stream, 4, ops, 0));
    ok(cu.cuStreamSynchronize(stream));
    ok(cu.cuMemcpyDtoH(&value, memory, 4));
    assert_int_equal(value, 3);
    expect(cu.cuStreamBatchMemOp(stream, 0, ops, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuStreamBatchMemOp(stream, 256, ops, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuStreamBatchMemOp(stream, 4, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuStreamBatchMemOp(stream, 4, ops, 1), CUDA_ERROR_INVALID_VALUE);
    ops[1].barrier.flags = 2;
    expect(cu.cuStreamBatchMemOp(stream, 4, ops, 0), CUDA_ERROR_INVALID_VALUE);
    ops[1].barrier.flags = 0;
    ops[3].value.address = memory + 16; /* nothing before it is enqueued */
    ops[0].value.value = 4;
    expect(cu.cuStreamBatchMemOp(stream, 4, ops, 0), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuStreamSynchronize(stream));
    ok(cu.cuMemcpyDtoH(&value, memory, 4));
    assert_int_equal(value, 3);
    ok(cu.cuStreamDestroy(stream));
    ok(cu.cuMemFree(memory));
}

static void remote_writes_are_flushed_for_the_host(void **state)
{
    (void)state;
    ok(cu.cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                     CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
    ok(cu.cuFlushGPUDirectRDMAWrites(0, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES));
    expect(cu.cuFlushGPUDirectRDMAWrites(1, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER),
           CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuFlushGPUDirectRDMAWrites(0, 150), CUDA_ERROR_INVALID_VALUE);
}

static void values_are_waited_for_and_written(void **state)
{
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr memory = allocate(16);
    uint64_t wide = 0;
    (void)state;
    ok(cu.cuStreamWriteValue64(stream, memory, UINT64_C(1) << 40, 0));
    ok(cu.cuStreamWaitValue64(stream, memory, 5, CU_STREAM_WAIT_VALUE_GEQ));
    ok(cu.cuStreamWriteValue32(stream, memory + 8, 7, 0));
    ok(cu.cuStreamSynchronize(stream));
    ok(cu.cuMemcpyDtoH(&wide, memory, 8));
    assert_int_equal(wide, UINT64_C(1) << 40);
    expect(cu.cuStreamWriteValue32(stream, memory + 2, 7, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuStreamWriteValue32(stream, memory + 16, 7, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuStreamWaitValue32(stream, memory, 7, 9), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuStreamDestroy(stream));
    ok(cu.cuMemFree(memory));
}

static void streams_can_be_queried(void **state)
{
    CUstream stream;
    unsigned flags = 9;
    int priority = 9, capturing = 9;
    uint64_t id = 0;
    CUcontext context, current;
    (void)state;
    ok(cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -100));
    ok(cu.cuStreamGetPriority(stream, &priority));
    assert_int_equal(priority, -5);
    ok(cu.cuStreamGetFlags(stream, &flags));
    assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
    ok(cu.cuStreamGetId(stream, &id));
    assert_true(id > 0);
    ok(cu.cuStreamGetCtx(stream, &context));
    ok(cu.cuCtxGetCurrent(&current));
    assert_ptr_equal(context, current);
    ok(cu.cuStreamIsCapturing(stream, &capturing));
    assert_int_equal(capturing, 0);
    expect(cu.cuStreamCreate(&stream, 2), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuStreamDestroy(stream));
    expect(cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    expect(cu.cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
}

/* ---- threads ------------------------------------------------------------------------ */

static CUcontext shared_context;

static void *work_alone(void *data)
{
    CUdeviceptr memory;
    uint32_t back = 0;
    CUresult result = cu.cuCtxSetCurrent(shared_context);
    for (uint32_t i = 1; i < 200 && result == CUDA_SUCCESS; i++) {
        result = cu.cuMemAlloc(&memory, 4096);
        if (result == CUDA_SUCCESS)
            result = cu.cuMemsetD32Async(memory, i, 1024, CU_STREAM_PER_THREAD);
        if (result == CUDA_SUCCESS)
            result = cu.cuMemcpyDtoHAsync(&back, memory + 4092, 4, CU_STREAM_PER_THREAD);
        if (result == CUDA_SUCCESS && back != i)
            result = CUDA_ERROR_UNKNOWN;
        if (result == CUDA_SUCCESS)
            result = cu.cuMemFree(memory);
    }
    *(CUresult *)data = result;
    return NULL;
}

static void threads_have_streams_of_their_own(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    CUresult results[THREADS];
    (void)state;
    ok(cu.cuCtxGetCurrent(&shared_context));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work_alone, &results[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(results[i], CUDA_SUCCESS);
    }
}

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80") || cu.cuMemHostAlloc((void **)&flag, 64, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_asynchronous_and_in_order),
        cmocka_unit_test(streams_do_not_wait_for_each_other),
        cmocka_unit_test(the_legacy_stream_waits_for_blocking_streams_and_they_for_it),
        cmocka_unit_test(a_stream_waits_for_an_event_of_another),
        cmocka_unit_test(events_measure_time),
        cmocka_unit_test(host_functions_run_in_order_and_cannot_call_the_driver),
        cmocka_unit_test(values_are_waited_for_and_written),
        cmocka_unit_test(values_and_barriers_come_in_batches),
        cmocka_unit_test(remote_writes_are_flushed_for_the_host),
        cmocka_unit_test(streams_can_be_queried),
        cmocka_unit_test(threads_have_streams_of_their_own),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
