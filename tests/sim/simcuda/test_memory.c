/* Allocations of every kind, and attributes of pointers. */
#include "simcuda_test.h"

#include <sys/mman.h>

static void memory_is_counted_and_freed(void **state)
{
    size_t before, during, after, total;
    (void)state;
    ok(cu.cuMemGetInfo(&before, &total));
    CUdeviceptr memory = allocate(100 << 20);
    ok(cu.cuMemGetInfo(&during, &total));
    assert_true(before - during >= 100 << 20);
    ok(cu.cuMemFree(memory));
    ok(cu.cuMemGetInfo(&after, &total));
    assert_int_equal(after, before);
    expect(cu.cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemFree(0));
}

static void invalid_allocations_are_errors(void **state)
{
    CUdeviceptr memory = 0;
    (void)state;
    expect(cu.cuMemAlloc(&memory, (size_t)2 << 30), CUDA_ERROR_OUT_OF_MEMORY);
    expect(cu.cuMemAlloc(&memory, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemAlloc(NULL, 64), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemAlloc(&memory, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
}

static void rows_are_aligned(void **state)
{
    CUdeviceptr memory;
    size_t pitch = 0;
    (void)state;
    ok(cu.cuMemAllocPitch(&memory, &pitch, 700, 3, 4));
    assert_int_equal(pitch, 1024);
    ok(cu.cuMemFree(memory));
    expect(cu.cuMemAllocPitch(&memory, &pitch, 700, 3, 5), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemAllocPitch(&memory, &pitch, 700, SIZE_MAX / 2, 4), CUDA_ERROR_INVALID_VALUE);
}

static void host_memory_has_one_address(void **state)
{
    void *host = NULL;
    CUdeviceptr device = 0;
    unsigned flags = 0;
    (void)state;
    ok(cu.cuMemHostAlloc(&host, 5000, CU_MEMHOSTALLOC_PORTABLE));
    memset(host, 7, 5000);
    ok(cu.cuMemHostGetDevicePointer(&device, host, 0));
    assert_int_equal(device, (uintptr_t)host);
    ok(cu.cuMemHostGetFlags(&flags, host));
    assert_true(flags & CU_MEMHOSTALLOC_PORTABLE);
    assert_true(all_bytes(device, 5000, 7));
    ok(cu.cuMemFreeHost(host));
    expect(cu.cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
}

static void registered_memory_is_the_programs(void **state)
{
    char *memory = malloc(10000);
    CUdeviceptr device;
    (void)state;
    assert_non_null(memory);
    ok(cu.cuMemHostRegister(memory, 10000, 0));
    expect(cu.cuMemHostRegister(memory, 10000, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    ok(cu.cuMemHostGetDevicePointer(&device, memory + 5, 0));
    ok(cu.cuMemHostUnregister(memory));
    expect(cu.cuMemHostUnregister(memory), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    free(memory);
}

static void unmapped_memory_is_not_registered(void **state)
{
    void *gone = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    munmap(gone, 8192);
    expect(cu.cuMemHostRegister(gone, 8192, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemHostRegister(NULL, 8192, 0), CUDA_ERROR_INVALID_VALUE);
}

static void managed_memory_takes_advice(void **state)
{
    CUdeviceptr memory;
    int value = -1;
    (void)state;
    ok(cu.cuMemAllocManaged(&memory, 8192, CU_MEM_ATTACH_GLOBAL));
    *(volatile int *)(uintptr_t)memory = 5;
    ok(cu.cuMemAdvise(memory, 8192, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
    ok(cu.cuMemRangeGetAttribute(&value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                 memory, 8192));
    assert_int_equal(value, 0);
    ok(cu.cuMemPrefetchAsync(memory, 8192, CU_DEVICE_CPU, NULL));
    expect(cu.cuMemAdvise(memory, 10000, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemFree(memory));
    expect(cu.cuMemAllocManaged(&memory, 64, 9), CUDA_ERROR_INVALID_VALUE);
}

/* Of three pages; advice for a part of one counts for all of it. */
static void advice_is_of_pages(void **state)
{
    enum { PAGE = 4096 };
    CUdeviceptr memory;
    int value, list[3];
    (void)state;
    ok(cu.cuMemAllocManaged(&memory, 3 * PAGE, CU_MEM_ATTACH_GLOBAL));
#define ASK(attribute, start, size)                                                                \
    (ok(cu.cuMemRangeGetAttribute(&value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_##attribute,        \
                                  memory + (start), size)),                                        \
     value)
    assert_int_equal(ASK(PREFERRED_LOCATION, 0, 3 * PAGE), CU_DEVICE_INVALID);
    ok(cu.cuMemAdvise(memory + PAGE + 100, 100, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
    assert_int_equal(ASK(PREFERRED_LOCATION, PAGE, PAGE), 0);
    assert_int_equal(ASK(PREFERRED_LOCATION, 0, PAGE + 1), CU_DEVICE_INVALID);
    ok(cu.cuMemAdvise(memory, PAGE + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    assert_int_equal(ASK(READ_MOSTLY, 0, 2 * PAGE), 1);
    assert_int_equal(ASK(READ_MOSTLY, 0, 2 * PAGE + 1), 0);
    ok(cu.cuMemPrefetchAsync(memory + 2 * PAGE, PAGE, CU_DEVICE_CPU, NULL));
    assert_int_equal(ASK(LAST_PREFETCH_LOCATION, 2 * PAGE, PAGE), CU_DEVICE_CPU);
    assert_int_equal(ASK(LAST_PREFETCH_LOCATION, PAGE, PAGE), CU_DEVICE_INVALID);
    ok(cu.cuMemAdvise(memory, 3 * PAGE, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
    ok(cu.cuMemAdvise(memory, 2 * PAGE, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    ok(cu.cuMemRangeGetAttribute(list, sizeof list, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory,
                                 PAGE));
    assert_true(list[0] == CU_DEVICE_CPU && list[1] == 0 && list[2] == CU_DEVICE_INVALID);
    ok(cu.cuMemAdvise(memory, PAGE, CU_MEM_ADVISE_UNSET_ACCESSED_BY, CU_DEVICE_CPU));
    ok(cu.cuMemRangeGetAttribute(list, sizeof list, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory,
                                 3 * PAGE));
    assert_true(list[0] == CU_DEVICE_INVALID);
    expect(cu.cuMemAdvise(memory, PAGE, 0, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemAdvise(memory, PAGE, 7, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemAdvise(memory, PAGE, CU_MEM_ADVISE_SET_ACCESSED_BY, 99),
           CUDA_ERROR_INVALID_DEVICE);
#undef ASK
    ok(cu.cuMemFree(memory));
}

static void pointers_have_attributes(void **state)
{
    CUdeviceptr memory = allocate(1000), start = 0;
    size_t size = 0;
    unsigned type = 0;
    int ordinal = -1;
    (void)state;
    ok(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 999));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    ok(cu.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory));
    assert_int_equal(ordinal, 0);
    ok(cu.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, memory + 500));
    assert_int_equal(start, memory);
    ok(cu.cuMemGetAddressRange(&start, &size, memory + 500));
    assert_int_equal(start, memory);
    assert_int_equal(size, 1000);
    expect(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 1000),
           CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)&type),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemFree(memory));
    expect(cu.cuMemGetAddressRange(&start, &size, memory), CUDA_ERROR_NOT_FOUND);
}

static void unknown_pointers_have_no_attributes(void **state)
{
    int attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    unsigned type = 9;
    int ordinal = 9;
    void *data[] = {&type, &ordinal};
    (void)state;
    ok(cu.cuPointerGetAttributes(2, attributes, data, (uintptr_t)&type));
    assert_int_equal(type, 0);
    assert_int_equal(ordinal, CU_DEVICE_INVALID);
}

static void arrays_have_descriptors(void **state)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 10, .Height = 4, .Format = 0x20, .NumChannels = 2};
    CUDA_ARRAY3D_DESCRIPTOR got;
    CUarray array;
    (void)state;
    ok(cu.cuArray3DCreate(&array, &shape));
    ok(cu.cuArray3DGetDescriptor(&got, array));
    assert_int_equal(got.Width, 10);
    assert_int_equal(got.NumChannels, 2);
    ok(cu.cuArrayDestroy(array));
    expect(cu.cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    shape.NumChannels = 3;
    expect(cu.cuArray3DCreate(&array, &shape), CUDA_ERROR_INVALID_VALUE);
}

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_counted_and_freed),
        cmocka_unit_test(invalid_allocations_are_errors),
        cmocka_unit_test(rows_are_aligned),
        cmocka_unit_test(host_memory_has_one_address),
        cmocka_unit_test(registered_memory_is_the_programs),
        cmocka_unit_test(unmapped_memory_is_not_registered),
        cmocka_unit_test(managed_memory_takes_advice),
        cmocka_unit_test(advice_is_of_pages),
        cmocka_unit_test(pointers_have_attributes),
        cmocka_unit_test(unknown_pointers_have_no_attributes),
        cmocka_unit_test(arrays_have_descriptors),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
