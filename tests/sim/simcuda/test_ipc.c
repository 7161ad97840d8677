/* Memory and events that two processes share. */
#include "simcuda_test.h"

#include <sys/socket.h>

static int peer; /* a socket to the other process */

static void tell(const void *what, size_t size)
{
    child_check(write(peer, what, size) == (ssize_t)size);
}

static void hear(void *what, size_t size)
{
    child_check(recv(peer, what, size, MSG_WAITALL) == (ssize_t)size);
}

static void wake_peer(void)
{
    tell("x", 1);
}

static void wait_for_peer(void)
{
    char byte;
    hear(&byte, 1);
}

/* Runs each body in a separate process with a separate driver. */
static void in_two_processes(void (*bodies[2])(void))
{
    int ends[2], status;
    pid_t children[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            peer = ends[i];
            close(ends[!i]);
            child_check(start_with("sm_80*2") == 0);
            bodies[i]();
            exit(EXIT_SUCCESS);
        }
    }
    close(ends[0]);
    close(ends[1]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

#define good(call)            child_check((call) == CUDA_SUCCESS)
#define gives(call, expected) child_check((call) == (expected))

static bool has(CUdeviceptr pointer, size_t size, unsigned char value)
{
    unsigned char bytes[4096];
    good(cu.cuMemcpyDtoH(bytes, pointer, size));
    size_t same = 0;
    while (same < size && bytes[same] == value)
        same++;
    return same == size;
}

/* ---- memory ------------------------------------------------------------------------- */

enum { SIZE = 1000 };

/* Neighbours on the same page keep their contents. */
static void owner(void)
{
    CUdeviceptr memory[3], opened;
    CUipcMemHandle handle, again;
    for (int i = 0; i < 3; i++) {
        good(cu.cuMemAlloc(&memory[i], SIZE));
        good(cu.cuMemsetD8(memory[i], (unsigned char)(i + 1), SIZE));
    }
    good(cu.cuIpcGetMemHandle(&handle, memory[1]));
    good(cu.cuIpcGetMemHandle(&again, memory[1]));
    child_check(memcmp(&handle, &again, sizeof handle) == 0);
    gives(cu.cuIpcOpenMemHandle(&opened, handle, 1), CUDA_ERROR_INVALID_CONTEXT);
    gives(cu.cuIpcGetMemHandle(&again, 4096), CUDA_ERROR_INVALID_VALUE);
    child_check(has(memory[1], SIZE, 2));
    tell(&handle, sizeof handle);
    wait_for_peer(); /* the peer has written */
    child_check(has(memory[0], SIZE, 1) && has(memory[1], SIZE, 7) && has(memory[2], SIZE, 3));
    good(cu.cuMemsetD8(memory[1], 9, SIZE));
    good(cu.cuCtxSynchronize());
    wake_peer();
    wait_for_peer(); /* the peer has closed the memory */
    good(cu.cuMemFree(memory[1]));
    good(cu.cuIpcGetMemHandle(&handle, memory[2])); /* on pages that are already shared */
    child_check(has(memory[2], SIZE, 3));
    tell(&handle, sizeof handle);
    wait_for_peer();
}

static void guest(void)
{
    CUdeviceptr memory, again, base;
    CUipcMemHandle handle, broken;
    size_t size;
    hear(&handle, sizeof handle);
    gives(cu.cuIpcOpenMemHandle(&memory, handle, 0), CUDA_ERROR_INVALID_VALUE);
    memset(&broken, 0, sizeof broken);
    gives(cu.cuIpcOpenMemHandle(&memory, broken, 1), CUDA_ERROR_INVALID_VALUE);
    good(cu.cuIpcOpenMemHandle(&memory, handle, 1));
    good(cu.cuIpcOpenMemHandle(&again, handle, 1));
    child_check(memory == again);
    good(cu.cuMemGetAddressRange(&base, &size, memory + 10));
    child_check(base == memory && size == SIZE);
    child_check(has(memory, SIZE, 2));
    gives(cu.cuMemsetD8(memory, 7, SIZE + 1), CUDA_ERROR_INVALID_VALUE);
    gives(cu.cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    gives(cu.cuIpcGetMemHandle(&broken, memory), CUDA_ERROR_INVALID_VALUE);
    CUmodule module;
    CUfunction fill;
    good(cu.cuModuleLoadData(&module, kernels));
    good(cu.cuModuleGetFunction(&fill, module, "fill"));
    good(launch_fill(fill, NULL, memory, 0x07070707, SIZE / 4));
    good(cu.cuCtxSynchronize());
    wake_peer();
    wait_for_peer();
    child_check(has(memory, SIZE, 9));
    good(cu.cuIpcCloseMemHandle(memory));
    child_check(has(memory, SIZE, 9));
    good(cu.cuIpcCloseMemHandle(memory));
    gives(cu.cuIpcCloseMemHandle(memory), CUDA_ERROR_INVALID_VALUE);
    gives(cu.cuMemsetD8(memory, 0, 1), CUDA_ERROR_INVALID_VALUE);
    wake_peer();
    hear(&handle, sizeof handle);
    good(cu.cuIpcOpenMemHandle(&memory, handle, 1));
    child_check(has(memory, SIZE, 3));
    good(launch_fill(fill, NULL, memory, 0, SIZE / 4 + 1)); /* beyond its end */
    gives(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    wake_peer();
}

static void memory_is_shared(void **state)
{
    (void)state;
    in_two_processes((void (*[])(void)){owner, guest});
}

static void leaver(void)
{
    CUdeviceptr memory;
    CUipcMemHandle handle;
    good(cu.cuMemAlloc(&memory, SIZE));
    good(cu.cuIpcGetMemHandle(&handle, memory));
    tell(&handle, sizeof handle);
}

static void latecomer(void)
{
    CUdeviceptr memory;
    CUipcMemHandle handle;
    char byte;
    hear(&handle, sizeof handle);
    child_check(recv(peer, &byte, 1, MSG_WAITALL) == 0); /* the peer has ended */
    CUresult result = CUDA_SUCCESS;
    for (int i = 0; i < 1000 && result == CUDA_SUCCESS;
         i++) { /* its socket is closed before the process ends */
        result = cu.cuIpcOpenMemHandle(&memory, handle, 1);
        if (result == CUDA_SUCCESS)
            good(cu.cuIpcCloseMemHandle(memory));
        usleep(1000);
    }
    child_check(result == CUDA_ERROR_MAP_FAILED);
}

static void memory_of_a_process_that_ended_is_released(void **state)
{
    (void)state;
    in_two_processes((void (*[])(void)){leaver, latecomer});
}

/* Pages that were never touched use no memory when they are shared, either. */
static void lender(void)
{
    CUdeviceptr memory;
    CUipcMemHandle handle;
    uint32_t word = 5;
    good(cu.cuMemAlloc(&memory, 512 << 20));
    good(cu.cuMemcpyHtoD(memory + (300 << 20), &word, sizeof word));
    good(cu.cuCtxSynchronize()); /* a copy from pageable memory may arrive later */
    good(cu.cuIpcGetMemHandle(&handle, memory));
    tell(&handle, sizeof handle);
    wait_for_peer();
    good(cu.cuMemcpyDtoH(&word, memory + (400 << 20), sizeof word));
    child_check(word == 6);
}

static void borrower(void)
{
    CUdeviceptr memory;
    CUipcMemHandle handle;
    uint32_t word = 0;
    hear(&handle, sizeof handle);
    good(cu.cuIpcOpenMemHandle(&memory, handle, 1));
    good(cu.cuMemcpyDtoH(&word, memory + (300 << 20), sizeof word));
    child_check(word == 5);
    word = 6;
    good(cu.cuMemcpyHtoD(memory + (400 << 20), &word, sizeof word));
    good(cu.cuCtxSynchronize());
    wake_peer();
}

static void large_memory_is_shared(void **state)
{
    (void)state;
    in_two_processes((void (*[])(void)){lender, borrower});
}

/* ---- events ---------------------------------------------------------------------------- */

static void recorder(void)
{
    CUdeviceptr flag;
    CUstream stream;
    CUevent event, plain;
    CUipcEventHandle handle;
    good(cu.cuMemAlloc(&flag, 4));
    good(cu.cuMemsetD32(flag, 0, 1));
    good(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    good(cu.cuCtxSynchronize());
    good(cu.cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
    gives(cu.cuIpcGetEventHandle(&handle, plain), CUDA_ERROR_INVALID_VALUE);
    good(cu.cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    good(cu.cuEventQuery(event));
    good(cu.cuIpcGetEventHandle(&handle, event));
    gives(cu.cuIpcOpenEventHandle(&plain, handle), CUDA_ERROR_INVALID_CONTEXT);
    good(cu.cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    good(cu.cuEventRecord(event, stream));
    gives(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
    tell(&handle, sizeof handle);
    wait_for_peer(); /* the peer has seen that, and waits */
    good(cu.cuMemsetD32(flag, 1, 1));
    good(cu.cuEventSynchronize(event));
    wake_peer();     /* the peer may record the event again */
    wait_for_peer(); /* the peer has recorded the event, which is not complete */
    gives(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
    good(cu.cuStreamWaitEvent(stream, event, 0));
    gives(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    wake_peer();
    good(cu.cuStreamSynchronize(stream));
    good(cu.cuEventQuery(event));
    good(cu.cuEventDestroy(event));
}

static void waiter(void)
{
    CUdeviceptr flag;
    CUstream stream;
    CUevent event;
    CUipcEventHandle handle, broken;
    float milliseconds;
    good(cu.cuMemAlloc(&flag, 4));
    good(cu.cuMemsetD32(flag, 0, 1));
    good(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    good(cu.cuCtxSynchronize());
    memset(&broken, 0, sizeof broken);
    gives(cu.cuIpcOpenEventHandle(&event, broken), CUDA_ERROR_INVALID_VALUE);
    hear(&handle, sizeof handle);
    good(cu.cuIpcOpenEventHandle(&event, handle));
    gives(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
    gives(cu.cuEventElapsedTime(&milliseconds, event, event), CUDA_ERROR_INVALID_HANDLE);
    good(cu.cuStreamWaitEvent(stream, event, 0));
    gives(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    wake_peer();
    good(cu.cuStreamSynchronize(stream));
    good(cu.cuEventQuery(event));
    wait_for_peer(); /* the peer waits for the first record no more */
    good(cu.cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    good(cu.cuEventRecord(event, stream));
    wake_peer();
    wait_for_peer();
    good(cu.cuMemsetD32(flag, 1, 1));
    good(cu.cuEventSynchronize(event));
    good(cu.cuEventDestroy(event));
}

static void events_are_shared(void **state)
{
    (void)state;
    in_two_processes((void (*[])(void)){recorder, waiter});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_shared),
        cmocka_unit_test(memory_of_a_process_that_ended_is_released),
        cmocka_unit_test(large_memory_is_shared),
        cmocka_unit_test(events_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
