/* Contexts: primary and created ones, the current one, limits, peers. */
#include "simcuda_test.h"

#include <pthread.h>
#include <stdatomic.h>

static CUcontext current(void)
{
    CUcontext context = NULL;
    ok(cu.cuCtxGetCurrent(&context));
    return context;
}

static void the_primary_context_keeps_its_handle(void **state)
{
    CUcontext a, b;
    unsigned flags;
    int active;
    (void)state;
    ok(cu.cuDevicePrimaryCtxRetain(&a, 1));
    ok(cu.cuDevicePrimaryCtxGetState(1, &flags, &active));
    assert_int_equal(active, 1);
    ok(cu.cuDevicePrimaryCtxRelease(1));
    ok(cu.cuDevicePrimaryCtxGetState(1, &flags, &active));
    assert_int_equal(active, 0);
    ok(cu.cuDevicePrimaryCtxRetain(&b, 1));
    assert_ptr_equal(a, b);
    ok(cu.cuDevicePrimaryCtxRelease(1));
    expect(cu.cuDevicePrimaryCtxRelease(1), CUDA_ERROR_INVALID_CONTEXT);
}

static void a_created_context_is_current_until_it_is_destroyed(void **state)
{
    CUcontext before = current(), made = NULL, popped = NULL;
    CUdevice device = -1;
    (void)state;
    ok(cu.cuCtxCreate(&made, 0, 1));
    assert_ptr_equal(current(), made);
    ok(cu.cuCtxGetDevice(&device));
    assert_int_equal(device, 1);
    ok(cu.cuCtxPopCurrent(&popped));
    assert_ptr_equal(popped, made);
    assert_ptr_equal(current(), before);
    ok(cu.cuCtxPushCurrent(made));
    ok(cu.cuCtxDestroy(made));
    assert_ptr_equal(current(), before);
    expect(cu.cuCtxPushCurrent(made), CUDA_ERROR_INVALID_CONTEXT);
    expect(cu.cuCtxDestroy(made), CUDA_ERROR_INVALID_CONTEXT);
}

static void a_context_is_destroyed_with_its_resources(void **state)
{
    CUcontext made = NULL;
    CUstream stream;
    size_t before, after, total;
    (void)state;
    ok(cu.cuMemGetInfo(&before, &total));
    ok(cu.cuCtxCreate(&made, 0, 0));
    CUdeviceptr memory = allocate(32 << 20);
    ok(cu.cuStreamCreate(&stream, 0));
    ok(cu.cuMemsetD8Async(memory, 1, 32 << 20, stream));
    load_kernels();
    ok(cu.cuMemGetInfo(&after, &total));
    assert_true(after < before);
    ok(cu.cuCtxDestroy(made));
    ok(cu.cuMemGetInfo(&after, &total));
    assert_int_equal(after, before);
    expect(cu.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    expect(cu.cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
}

static void functions_without_a_context_return_errors(void **state)
{
    CUcontext before = current();
    CUdeviceptr pointer;
    (void)state;
    ok(cu.cuCtxSetCurrent(NULL));
    assert_null(current());
    expect(cu.cuMemAlloc(&pointer, 64), CUDA_ERROR_INVALID_CONTEXT);
    expect(cu.cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    expect(cu.cuCtxPopCurrent(NULL), CUDA_ERROR_INVALID_CONTEXT);
    expect(cu.cuCtxSetCurrent((CUcontext)0x1234), CUDA_ERROR_INVALID_CONTEXT);
    ok(cu.cuCtxSetCurrent(before));
}

static void an_event_is_recorded_in_a_stream_whose_context_is_not_current(void **state)
{
    CUcontext before = current();
    CUstream stream;
    CUevent event;
    (void)state;
    ok(cu.cuStreamCreate(&stream, 0));
    ok(cu.cuEventCreate(&event, 0));
    ok(cu.cuCtxSetCurrent(NULL));
    ok(cu.cuEventRecord(event, stream));
    expect(cu.cuEventRecord(event, NULL), CUDA_ERROR_INVALID_CONTEXT);
    ok(cu.cuCtxSetCurrent(before));
    ok(cu.cuEventSynchronize(event));
    ok(cu.cuEventDestroy(event));
    ok(cu.cuStreamDestroy(stream));
}

static void limits_keep_their_values(void **state)
{
    size_t value = 0;
    (void)state;
    ok(cu.cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 1024);
    ok(cu.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    ok(cu.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
    ok(cu.cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 4096);
    expect(cu.cuCtxGetLimit(&value, 99), CUDA_ERROR_UNSUPPORTED_LIMIT);
    expect(cu.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (size_t)1 << 40), CUDA_ERROR_INVALID_VALUE);
}

static void peers_are_enabled_once(void **state)
{
    CUcontext other;
    int can = -1;
    (void)state;
    ok(cu.cuDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    ok(cu.cuDevicePrimaryCtxRetain(&other, 1));
    ok(cu.cuCtxEnablePeerAccess(other, 0));
    expect(cu.cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    expect(cu.cuCtxEnablePeerAccess(other, 1), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuCtxDisablePeerAccess(other));
    expect(cu.cuCtxDisablePeerAccess(other), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    ok(cu.cuDevicePrimaryCtxRelease(1));
}

static void a_reset_ends_waits(void **state)
{
    CUcontext context;
    CUstream stream;
    CUdeviceptr flag;
    (void)state;
    ok(cu.cuDevicePrimaryCtxRetain(&context, 1));
    ok(cu.cuCtxPushCurrent(context));
    ok(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ok(cu.cuMemAlloc(&flag, 4));
    ok(cu.cuMemsetD32(flag, 0, 1));
    ok(cu.cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    ok(cu.cuDevicePrimaryCtxReset(1));
    expect(cu.cuMemAlloc(&flag, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    ok(cu.cuCtxPopCurrent(NULL));
}

static void count_call(void *data)
{
    ++*(int *)data;
}

static void tell_result(CUstream stream, CUresult result, void *data)
{
    (void)stream;
    *(CUresult *)data = result;
}

/* After a reset has abandoned a wait, the host function after it does not run, and a callback is
 * called. */
static void a_reset_calls_no_host_function_behind_a_wait(void **state)
{
    CUcontext context;
    CUstream stream;
    CUdeviceptr flag;
    CUresult result = CUDA_SUCCESS;
    int calls = 0;
    (void)state;
    ok(cu.cuDevicePrimaryCtxRetain(&context, 1));
    ok(cu.cuCtxPushCurrent(context));
    ok(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ok(cu.cuMemAlloc(&flag, 4));
    ok(cu.cuMemsetD32(flag, 0, 1));
    ok(cu.cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    ok(cu.cuLaunchHostFunc(stream, count_call, &calls));
    ok(cu.cuStreamAddCallback(stream, tell_result, &result, 0));
    ok(cu.cuDevicePrimaryCtxReset(1));
    assert_int_equal(calls, 0);
    expect(result, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    ok(cu.cuCtxPopCurrent(&context));
}

static void a_context_can_be_queried(void **state)
{
    unsigned version = 0, flags = 99;
    uint64_t id = 0;
    int least = 1, greatest = 1;
    (void)state;
    ok(cu.cuCtxGetApiVersion(NULL, &version));
    assert_true(version >= 3010);
    ok(cu.cuCtxGetFlags(&flags));
    assert_int_equal(flags, 0);
    ok(cu.cuCtxGetId(NULL, &id));
    assert_true(id != 0);
    ok(cu.cuCtxGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest < least);
}

/* ---- fork ------------------------------------------------------------------------------- */

static _Atomic(bool) enough;

static void *allocate_on_and_on(void *context)
{
    CUdeviceptr pointer;
    bool good = cu.cuCtxSetCurrent(context) == CUDA_SUCCESS;
    while (good && !enough)
        good =
            cu.cuMemAlloc(&pointer, 4096) == CUDA_SUCCESS && cu.cuMemFree(pointer) == CUDA_SUCCESS;
    return good ? NULL : context;
}

typedef CUresult any_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                              uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

/* The exit status: 0, or 1 if a function does not return an error. A signal ends a child that
 * hangs. */
static int call_every_function(void)
{
    static const char *const names[] = {
#define SIMCUDA_SYMBOL(field, name, parameters) name,
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
    };
    alarm(100);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        any_function *function;
        *(void **)&function = dlsym(library, names[i]);
        if (function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) != CUDA_ERROR_NOT_INITIALIZED) {
            fprintf(stderr, "%s is not refused\n", names[i]);
            return 1;
        }
    }
    return 0;
}

static void the_child_of_a_busy_process_is_refused_by_every_function(void **state)
{
    pthread_t thread;
    void *failed;
    (void)state;
    enough = false;
    assert_int_equal(pthread_create(&thread, NULL, allocate_on_and_on, current()), 0);
    for (int i = 0; i < 50; i++) {
        int status;
        pid_t child = fork();
        if (child == 0)
            _exit(call_every_function());
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    enough = true;
    pthread_join(thread, &failed);
    assert_null(failed);
}

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80*2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_primary_context_keeps_its_handle),
        cmocka_unit_test(a_created_context_is_current_until_it_is_destroyed),
        cmocka_unit_test(a_context_is_destroyed_with_its_resources),
        cmocka_unit_test(functions_without_a_context_return_errors),
        cmocka_unit_test(an_event_is_recorded_in_a_stream_whose_context_is_not_current),
        cmocka_unit_test(limits_keep_their_values),
        cmocka_unit_test(peers_are_enabled_once),
        cmocka_unit_test(a_reset_ends_waits),
        cmocka_unit_test(a_reset_calls_no_host_function_behind_a_wait),
        cmocka_unit_test(a_context_can_be_queried),
        cmocka_unit_test(the_child_of_a_busy_process_is_refused_by_every_function),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
