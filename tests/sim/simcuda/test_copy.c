/* Copies and fills: their results, and which arguments are refused. */
#include "simcuda_test.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

static void bytes_are_copied_to_the_device_and_back(void **state)
{
    unsigned char out[5000], in[5000];
    CUdeviceptr a = allocate(sizeof out), b = allocate(sizeof out);
    (void)state;
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (unsigned char)(i * 7);
    ok(cu.cuMemcpyHtoD(a, out, sizeof out));
    ok(cu.cuMemcpyDtoD(b, a, sizeof out));
    ok(cu.cuMemcpyDtoH(in, b, sizeof in));
    assert_memory_equal(in, out, sizeof in);
    ok(cu.cuMemFree(a));
    ok(cu.cuMemFree(b));
}

static void a_pageable_source_may_change_when_the_call_returns(void **state)
{
    uint32_t words[256];
    CUdeviceptr flag = allocate(4), out = allocate(sizeof words);
    CUstream stream;
    (void)state;
    ok(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ok(cu.cuMemsetD32(flag, 0, 1));
    ok(cu.cuCtxSynchronize());
    memset(words, 3, sizeof words);
    ok(cu.cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    ok(cu.cuMemcpyHtoDAsync(out, words, sizeof words, stream));
    memset(words, 4, sizeof words);
    expect(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    ok(cu.cuMemsetD32(flag, 1, 1));
    ok(cu.cuStreamSynchronize(stream));
    assert_true(all_bytes(out, sizeof words, 3));
    ok(cu.cuStreamDestroy(stream));
    ok(cu.cuMemFree(flag));
    ok(cu.cuMemFree(out));
}

struct late_word {
    CUcontext context;
    CUdeviceptr flag;
    CUstream stream;
};

static void *release_late(void *data)
{
    const struct late_word *late = data;
    for (unsigned i = 0; i < 50; i++) /* the copy is queued behind the wait, or will be */
        sched_yield();
    ok(cu.cuCtxSetCurrent(late->context));
    ok(cu.cuMemsetD32Async(late->flag, 1, 1, late->stream));
    return NULL;
}

/* It is not copied twice: the call waits for the stream. */
static void a_large_pageable_source_may_change_when_the_call_returns(void **state)
{
    enum { SIZE = 1 << 20 };
    unsigned char *bytes = malloc(SIZE);
    CUdeviceptr flag = allocate(4), out = allocate(SIZE);
    CUstream stream, other;
    pthread_t thread;
    (void)state;
    ok(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ok(cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    ok(cu.cuMemsetD32(flag, 0, 1));
    ok(cu.cuCtxSynchronize());
    memset(bytes, 3, SIZE);
    ok(cu.cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    struct late_word late = {.flag = flag, .stream = other};
    ok(cu.cuCtxGetCurrent(&late.context));
    assert_int_equal(pthread_create(&thread, NULL, release_late, &late), 0);
    ok(cu.cuMemcpyHtoDAsync(out, bytes, SIZE, stream));
    memset(bytes, 4, SIZE);
    ok(cu.cuStreamSynchronize(stream));
    assert_true(all_bytes(out, SIZE, 3));
    assert_int_equal(pthread_join(thread, NULL), 0);
    ok(cu.cuStreamDestroy(stream));
    ok(cu.cuStreamDestroy(other));
    ok(cu.cuMemFree(flag));
    ok(cu.cuMemFree(out));
    free(bytes);
}

static void ranges_are_checked_to_the_byte(void **state)
{
    char host[2000];
    CUdeviceptr memory = allocate(1000);
    (void)state;
    memset(host, 0, sizeof host);
    ok(cu.cuMemcpyHtoD(memory + 1, host, 999));
    expect(cu.cuMemcpyHtoD(memory + 1, host, 1000), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemcpyHtoD(memory - 1, host, 2), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemcpyHtoD(memory, host, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemsetD8(memory, 0, 1001), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemsetD32(memory + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemsetD32(memory, 0, SIZE_MAX / 2), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemcpyHtoD(memory, host, 0));
    ok(cu.cuMemFree(memory));
    expect(cu.cuMemcpyHtoD(memory, host, 10), CUDA_ERROR_INVALID_VALUE);
}

static void invalid_pointers_are_errors(void **state)
{
    CUdeviceptr memory = allocate(8192);
    void *gone = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    munmap(gone, 8192);
    expect(cu.cuMemcpyHtoD(memory, gone, 8192), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemcpyDtoH(gone, memory, 8192), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemcpyHtoD(memory, NULL, 16), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemcpyDtoD(memory, 0x1234, 16), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemcpyHtoD(memory, (void *)(UINTPTR_MAX - 100), 16), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemcpyHtoD(memory, (void *)(UINTPTR_MAX - 100), 4096), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemFree(memory));
}

static void fills_have_elements_and_rows(void **state)
{
    uint16_t words[16];
    CUdeviceptr memory = allocate(64);
    (void)state;
    ok(cu.cuMemsetD8(memory, 0x11, 64));
    ok(cu.cuMemsetD2D16(memory, 16, 0xabcd, 3, 2));
    ok(cu.cuMemcpyDtoH(words, memory, 32));
    for (int i = 0; i < 16; i++)
        assert_int_equal(words[i], i % 8 < 3 ? 0xabcd : 0x1111);
    expect(cu.cuMemsetD2D16(memory, 4, 0, 3, 2), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemsetD2D32(memory, 16, 0x01010101, 4, 4));
    assert_true(all_bytes(memory, 64, 1));
    ok(cu.cuMemFree(memory));
}

static void rectangles_go_through_arrays(void **state)
{
    unsigned char image[6][8], back[6][8];
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = 8, .Height = 6, .Format = 1, .NumChannels = 1};
    CUarray array;
    (void)state;
    for (int i = 0; i < 48; i++)
        image[i / 8][i % 8] = (unsigned char)i;
    memset(back, 0, sizeof back);
    ok(cu.cuArrayCreate(&array, &shape));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = image,
                          .srcPitch = 8,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 8,
                          .Height = 6};
    ok(cu.cuMemcpy2D(&copy));
    CUDA_MEMCPY2D part = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = array,
                          .srcXInBytes = 2,
                          .srcY = 1,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = back,
                          .dstPitch = 8,
                          .WidthInBytes = 3,
                          .Height = 2};
    ok(cu.cuMemcpy2D(&part));
    assert_int_equal(back[0][0], 10);
    assert_int_equal(back[1][2], 20);
    assert_int_equal(back[1][3], 0);
    part.Height = 6;
    expect(cu.cuMemcpy2D(&part), CUDA_ERROR_INVALID_VALUE);
    part.Height = 1;
    part.dstPitch = SIZE_MAX / 2;
    part.dstY = 9;
    expect(cu.cuMemcpy2D(&part), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuArrayDestroy(array));
}

static void devices_copy_to_each_other(void **state)
{
    CUcontext here, there;
    (void)state;
    ok(cu.cuCtxGetCurrent(&here));
    CUdeviceptr a = allocate(4096);
    ok(cu.cuMemsetD8(a, 9, 4096));
    ok(cu.cuDevicePrimaryCtxRetain(&there, 1));
    ok(cu.cuCtxSetCurrent(there));
    CUdeviceptr b = allocate(4096);
    ok(cu.cuMemcpyPeer(b, there, a, here, 4096));
    assert_true(all_bytes(b, 4096, 9));
    expect(cu.cuMemcpyPeer(b, here, a, there, 4096), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemFree(b));
    ok(cu.cuCtxSetCurrent(here));
    ok(cu.cuMemFree(a));
    ok(cu.cuDevicePrimaryCtxRelease(1));
}

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80*2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_copied_to_the_device_and_back),
        cmocka_unit_test(a_pageable_source_may_change_when_the_call_returns),
        cmocka_unit_test(a_large_pageable_source_may_change_when_the_call_returns),
        cmocka_unit_test(ranges_are_checked_to_the_byte),
        cmocka_unit_test(invalid_pointers_are_errors),
        cmocka_unit_test(fills_have_elements_and_rows),
        cmocka_unit_test(rectangles_go_through_arrays),
        cmocka_unit_test(devices_copy_to_each_other),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
