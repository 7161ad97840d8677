/* Virtual memory management and pools, also between processes. */
#include "simcuda_test.h"

enum { PIECE = 2 << 20 };

static const CUmemAllocationProp on_device = {
    .type = CU_MEM_ALLOCATION_TYPE_PINNED,
    .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
};
static const CUmemAccessDesc all_access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, 3};

static void memory_is_reserved_created_mapped_and_made_accessible(void **state)
{
    CUdeviceptr base;
    CUmemGenericAllocationHandle handle;
    size_t granularity = 0;
    uint64_t access = 9;
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    (void)state;
    ok(cu.cuMemGetAllocationGranularity(&granularity, &on_device, 0));
    assert_int_equal(granularity, PIECE);
    ok(cu.cuMemAddressReserve(&base, 2 * PIECE, 0, 0, 0));
    ok(cu.cuMemCreate(&handle, PIECE, &on_device, 0));
    ok(cu.cuMemMap(base + PIECE, PIECE, 0, handle, 0));
    expect(cu.cuMemsetD8(base + PIECE, 1, PIECE),
           CUDA_ERROR_INVALID_VALUE); /* access is not enabled yet */
    ok(cu.cuMemSetAccess(base + PIECE, PIECE, &all_access, 1));
    ok(cu.cuMemGetAccess(&access, &here, base + PIECE));
    assert_int_equal(access, 3);
    ok(cu.cuMemsetD8(base + PIECE, 1, PIECE));
    assert_true(all_bytes(base + PIECE, PIECE, 1));
    expect(cu.cuMemsetD8(base, 1, PIECE), CUDA_ERROR_INVALID_VALUE); /* nothing is mapped */
    expect(cu.cuMemAddressFree(base, 2 * PIECE), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemUnmap(base + PIECE, PIECE));
    expect(cu.cuMemUnmap(base + PIECE, PIECE), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemRelease(handle));
    expect(cu.cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemAddressFree(base, 2 * PIECE));
}

static void two_addresses_may_be_the_same_memory(void **state)
{
    CUdeviceptr a, b;
    CUmemGenericAllocationHandle handle, again;
    (void)state;
    ok(cu.cuMemAddressReserve(&a, PIECE, 0, 0, 0));
    ok(cu.cuMemAddressReserve(&b, PIECE, 0, 0, 0));
    ok(cu.cuMemCreate(&handle, PIECE, &on_device, 0));
    ok(cu.cuMemMap(a, PIECE, 0, handle, 0));
    ok(cu.cuMemMap(b, PIECE, 0, handle, 0));
    expect(cu.cuMemMap(b, PIECE, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuMemSetAccess(a, PIECE, &all_access, 1));
    ok(cu.cuMemSetAccess(b, PIECE, &all_access, 1));
    ok(cu.cuMemsetD8(a, 3, PIECE));
    assert_true(all_bytes(b, PIECE, 3));
    ok(cu.cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)a));
    assert_int_equal(again, handle);
    ok(cu.cuMemRelease(again));
    ok(cu.cuMemRelease(handle)); /* mappings keep the memory */
    assert_true(all_bytes(b, PIECE, 3));
    ok(cu.cuMemUnmap(a, PIECE));
    ok(cu.cuMemUnmap(b, PIECE));
    ok(cu.cuMemAddressFree(a, PIECE));
    ok(cu.cuMemAddressFree(b, PIECE));
}

static void a_range_may_span_two_mappings(void **state)
{
    CUdeviceptr base;
    CUmemGenericAllocationHandle handles[2];
    (void)state;
    ok(cu.cuMemAddressReserve(&base, 3 * PIECE, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        ok(cu.cuMemCreate(&handles[i], PIECE, &on_device, 0));
        ok(cu.cuMemMap(base + (CUdeviceptr)i * PIECE, PIECE, 0, handles[i], 0));
        ok(cu.cuMemRelease(handles[i]));
    }
    ok(cu.cuMemSetAccess(base, PIECE, &all_access, 1));
    expect(cu.cuMemsetD8(base, 6, 2 * PIECE),
           CUDA_ERROR_INVALID_VALUE); /* only half of it is accessible */
    ok(cu.cuMemSetAccess(base, 2 * PIECE, &all_access, 1));
    ok(cu.cuMemsetD8(base, 6, 2 * PIECE));
    assert_true(all_bytes(base, 2 * PIECE, 6));
    expect(cu.cuMemsetD8(base, 6, 3 * PIECE), CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < 2; i++)
        ok(cu.cuMemUnmap(base + (CUdeviceptr)i * PIECE, PIECE));
    ok(cu.cuMemAddressFree(base, 3 * PIECE));
}

static void wrong_sizes_and_flags_are_refused(void **state)
{
    CUdeviceptr base;
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp nowhere = on_device;
    (void)state;
    nowhere.location.id = 7;
    expect(cu.cuMemAddressReserve(&base, 4096, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemAddressReserve(&base, PIECE, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemAddressReserve(NULL, PIECE, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemCreate(&handle, 4096, &on_device, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemCreate(&handle, PIECE, &nowhere, 0), CUDA_ERROR_INVALID_DEVICE);
    expect(cu.cuMemCreate(&handle, (size_t)4 << 30, &on_device, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

static void a_file_descriptor_carries_memory(void **state)
{
    CUdeviceptr a, b;
    CUmemGenericAllocationHandle handle, imported;
    int file = -1;
    (void)state;
    ok(cu.cuMemAddressReserve(&a, PIECE, 0, 0, 0));
    ok(cu.cuMemAddressReserve(&b, PIECE, 0, 0, 0));
    ok(cu.cuMemCreate(&handle, PIECE, &on_device, 0));
    ok(cu.cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    ok(cu.cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    ok(cu.cuMemMap(a, PIECE, 0, handle, 0));
    ok(cu.cuMemMap(b, PIECE, 0, imported, 0));
    ok(cu.cuMemSetAccess(a, PIECE, &all_access, 1));
    ok(cu.cuMemSetAccess(b, PIECE, &all_access, 1));
    ok(cu.cuMemsetD8(a, 8, PIECE));
    assert_true(all_bytes(b, PIECE, 8));
    ok(cu.cuMemUnmap(a, PIECE));
    ok(cu.cuMemUnmap(b, PIECE));
    ok(cu.cuMemRelease(handle));
    ok(cu.cuMemRelease(imported));
    ok(cu.cuMemAddressFree(a, PIECE));
    ok(cu.cuMemAddressFree(b, PIECE));
    expect(cu.cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
           CUDA_ERROR_INVALID_VALUE);
}

/* ---- pools -------------------------------------------------------------------------------- */

static uint64_t pool_value(CUmemoryPool pool, int attribute)
{
    uint64_t value = 0;
    ok(cu.cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static void pools_count_and_keep_memory(void **state)
{
    enum { THRESHOLD = 4, RESERVED = 5, USED = 7 };
    CUmemoryPool pool;
    CUdeviceptr memory;
    uint64_t keep = UINT64_MAX;
    (void)state;
    ok(cu.cuDeviceGetDefaultMemPool(&pool, 0));
    ok(cu.cuMemPoolSetAttribute(pool, THRESHOLD, &keep));
    ok(cu.cuMemAllocAsync(&memory, 1 << 20, NULL));
    assert_int_equal(pool_value(pool, USED), 1 << 20);
    ok(cu.cuMemsetD8Async(memory, 1, 1 << 20, NULL));
    ok(cu.cuMemFreeAsync(memory, NULL));
    ok(cu.cuStreamSynchronize(NULL));
    assert_int_equal(pool_value(pool, USED), 0);
    assert_int_equal(pool_value(pool, RESERVED), 1 << 20);
    ok(cu.cuMemPoolTrimTo(pool, 0));
    assert_int_equal(pool_value(pool, RESERVED), 0);
    expect(cu.cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuMemFreeAsync(memory, NULL), CUDA_ERROR_INVALID_VALUE);
}

static CUmemoryPool shareable_pool(void)
{
    CUmemoryPool pool = NULL;
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    if (cu.cuMemPoolCreate(&pool, &properties) != CUDA_SUCCESS)
        return NULL;
    return pool;
}

/* One process sends to another a file of the pool and the export data of an allocation. */
static int pool_pipe[2], done_pipe[2];

static void start_child_driver(void)
{
    CUcontext context;
    setenv("ANYHIP_SIM_MEMORY", "64MiB", 1);
    open_library();
    child_check(cu.anyhipSimConfigure("sm_80") == CUDA_SUCCESS);
    child_check(cu.cuInit(0) == CUDA_SUCCESS);
    child_check(cu.cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    child_check(cu.cuCtxSetCurrent(context) == CUDA_SUCCESS);
}

static void owner(int file)
{
    CUmemPoolPtrExportData data;
    CUdeviceptr memory;
    uint32_t back = 0;
    char go;
    start_child_driver();
    CUmemoryPool pool = shareable_pool();
    child_check(pool != NULL);
    child_check(cu.cuMemAllocFromPoolAsync(&memory, 4096, pool, NULL) == CUDA_SUCCESS);
    child_check(cu.cuMemsetD32(memory, 77, 1024) == CUDA_SUCCESS);
    child_check(cu.cuCtxSynchronize() == CUDA_SUCCESS);
    int exported = -1;
    child_check(cu.cuMemPoolExportToShareableHandle(
                    &exported, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) == CUDA_SUCCESS);
    child_check(dup2(exported, file) == file);
    child_check(cu.cuMemPoolExportPointer(&data, memory) == CUDA_SUCCESS);
    child_check(write(pool_pipe[1], &data, sizeof data) == (ssize_t)sizeof data);
    child_check(read(done_pipe[0], &go, 1) == 1);
    child_check(cu.cuMemcpyDtoH(&back, memory, 4) == CUDA_SUCCESS);
    child_check(back == 78);
    exit(EXIT_SUCCESS);
}

static void another_process_opens_the_memory_of_a_pool(void)
{
    enum { FILE_NUMBER = 200 };
    CUmemPoolPtrExportData data;
    CUmemoryPool pool;
    CUdeviceptr memory;
    uint32_t back = 0;
    char path[64];
    int status;
    child_check(pipe(pool_pipe) == 0 && pipe(done_pipe) == 0);
    pid_t child = fork();
    if (child == 0)
        owner(FILE_NUMBER);
    start_child_driver();
    child_check(read(pool_pipe[0], &data, sizeof data) == (ssize_t)sizeof data);
    /* In place of a descriptor sent through a socket, the peer opens it by its path in /proc. */
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)child, FILE_NUMBER);
    FILE *file = fopen(path, "r");
    child_check(file != NULL);
    child_check(cu.cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fileno(file),
                                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                                      0) == CUDA_SUCCESS);
    child_check(cu.cuMemPoolImportPointer(&memory, pool, &data) == CUDA_SUCCESS);
    child_check(cu.cuMemcpyDtoH(&back, memory + 4092, 4) == CUDA_SUCCESS);
    child_check(back == 77);
    child_check(cu.cuMemsetD32(memory, 78, 1024) == CUDA_SUCCESS);
    child_check(cu.cuCtxSynchronize() == CUDA_SUCCESS);
    child_check(write(done_pipe[1], "", 1) == 1);
    child_check(waitpid(child, &status, 0) == child && status == 0);
    child_check(cu.cuMemFree(memory) == CUDA_SUCCESS);
    fclose(file);
}

static void pools_are_shared_between_processes(void **state)
{
    (void)state;
    in_a_child(another_process_opens_the_memory_of_a_pool);
}

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80");
}

int main(void)
{
    const struct CMUnitTest children[] = {
        cmocka_unit_test(pools_are_shared_between_processes),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_reserved_created_mapped_and_made_accessible),
        cmocka_unit_test(two_addresses_may_be_the_same_memory),
        cmocka_unit_test(a_range_may_span_two_mappings),
        cmocka_unit_test(wrong_sizes_and_flags_are_refused),
        cmocka_unit_test(a_file_descriptor_carries_memory),
        cmocka_unit_test(pools_count_and_keep_memory),
    };
    int failed = cmocka_run_group_tests(children, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, setup, NULL);
}
