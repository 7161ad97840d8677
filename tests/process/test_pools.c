/* Memory pools that two processes share, on the devices that ANYHIP_BACKEND names: the pool by a
 * file descriptor, its memory by exported pointers. The test runs itself as the other process. */
#include "child.h"

#include <hip/hip_runtime_api.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIZE = 100000, OFFSET = 5000 };
static const hipMemAllocationHandleType SHARED = hipMemHandleTypePosixFileDescriptor;

/* ---- the other process -------------------------------------------------------------------- */

#define must(call, wanted) must_at((call), (wanted), #call, __LINE__)
static void must_at(hipError_t got, hipError_t wanted, const char *call, int line)
{
    if (got == wanted)
        return;
    fprintf(stderr, "%d: %s: %s, not %s\n", line, call, hipGetErrorName(got),
            hipGetErrorName(wanted));
    _exit(3);
}

static hipMemPool_t import(const char *file)
{
    hipMemPool_t pool;
    must(hipMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)atoi(file), SHARED, 0),
         hipSuccess);
    return pool;
}

static hipMemPoolPtrExportData read_data(const char *path)
{
    hipMemPoolPtrExportData data;
    FILE *file = fopen(path, "re");
    if (!file || fread(&data, sizeof data, 1, file) != 1)
        _exit(4);
    fclose(file);
    return data;
}

/* Reads what is there, and writes something else. */
static int use(const char *file, const char *path)
{
    hipMemPool_t pool = import(file);
    hipMemPoolPtrExportData data = read_data(path);
    hipDeviceptr_t base;
    size_t size;
    char *memory, *again, host[SIZE];
    void *never;
    must(hipMemPoolImportPointer((void **)&memory, pool, &data), hipSuccess);
    must(hipMemGetAddressRange(&base, &size, memory), hipSuccess);
    must(hipMemcpy(host, memory, SIZE, hipMemcpyDeviceToHost), hipSuccess);
    for (int i = 0; i < SIZE; i++)
        if (host[i] != 5)
            _exit(5);
    must(hipMemset(memory + OFFSET, 6, SIZE - OFFSET), hipSuccess);
    must(hipDeviceSynchronize(), hipSuccess);
    must(hipMemcpy(host, memory, SIZE + (1 << 20), hipMemcpyDeviceToHost), hipErrorInvalidValue);
    must(hipMallocFromPoolAsync(&never, 64, pool, NULL), hipErrorInvalidValue);
    must(hipMemPoolExportPointer(&data, memory), hipErrorInvalidValue);
    must(hipFreeAsync(memory, NULL), hipSuccess);
    must(hipDeviceSynchronize(), hipSuccess);
    data = read_data(path);
    must(hipMemPoolImportPointer((void **)&again, pool, &data), hipSuccess);
    must(hipFree(again), hipSuccess);
    must(hipMemPoolDestroy(pool), hipSuccess);
    return size >= SIZE && base == memory ? 0 : 6;
}

static int refuse(const char *file, const char *path)
{
    hipMemPool_t pool = import(file), own, none = NULL;
    hipMemPoolPtrExportData data = read_data(path), wrong = data;
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                  .location = {.type = hipMemLocationTypeDevice, .id = 0}};
    void *memory;
    int pipes[2];
    memset(&wrong, 0x5a, sizeof wrong);
    must(hipMemPoolImportPointer(&memory, pool, &wrong), hipErrorInvalidValue);
    must(hipMemPoolCreate(&own, &properties), hipSuccess);
    must(hipMemPoolImportPointer(&memory, own, &data), hipErrorInvalidValue);
    if (pipe(pipes) != 0)
        return 7;
    must(hipMemPoolImportFromShareableHandle(&none, (void *)(intptr_t)pipes[0], SHARED, 0),
         hipErrorInvalidValue);
    must(hipMemPoolImportFromShareableHandle(&none, (void *)(intptr_t)-1, SHARED, 0),
         hipErrorInvalidValue);
    must(hipMemPoolImportFromShareableHandle(&none, (void *)(intptr_t)atoi(file),
                                             hipMemHandleTypeWin32, 0),
         hipErrorInvalidValue);
    must(hipMallocFromPoolAsync(&memory, 64, pool, NULL), hipErrorInvalidValue);
    must(hipMemPoolDestroy(own), hipSuccess);
    must(hipMemPoolDestroy(pool), hipSuccess);
    return 0;
}

/* ---- this one ----------------------------------------------------------------------------- */

struct shared {
    hipMemPool_t pool;
    char *memory;
    int file;
    const char *data;
};

#define ok(call) assert_int_equal((call), hipSuccess)

/* The backend for HSA, which shares pools by itself, has its own words. */
static void assert_says(const char *log, const char *words)
{
    if (strstr(getenv("ANYHIP_BACKEND"), "hsa"))
        assert_contains(log, words);
    else
        assert_contains(log, " failed: CUDA_ERROR_INVALID_VALUE (1)");
}

static void share(struct shared *out)
{
    hipMemPoolPtrExportData data;
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                  .handleTypes = SHARED,
                                  .location = {.type = hipMemLocationTypeDevice, .id = 0}};
    ok(hipMemPoolCreate(&out->pool, &properties));
    ok(hipMemPoolExportToShareableHandle(&out->file, out->pool, SHARED, 0));
    ok(hipMallocFromPoolAsync((void **)&out->memory, SIZE, out->pool, NULL));
    ok(hipMemsetAsync(out->memory, 5, SIZE, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolExportPointer(&data, out->memory));
    out->data = ah_test_write_file("data", &data, sizeof data);
    assert_int_equal(fcntl(out->file, F_SETFD, 0), 0); /* for the other process */
}

static void end_share(struct shared *shared)
{
    ok(hipFreeAsync(shared->memory, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolDestroy(shared->pool));
    close(shared->file);
}

static void another_process_reads_and_writes_memory_of_a_pool(void **state)
{
    struct shared shared;
    char host[SIZE];
    (void)state;
    share(&shared);
    ah_child_run_well("/proc/self/exe", ah_test_print("--use %d %s", shared.file, shared.data));
    ok(hipMemcpy(host, shared.memory, SIZE, hipMemcpyDeviceToHost));
    for (int i = 0; i < SIZE; i++)
        assert_int_equal(host[i], i < OFFSET ? 5 : 6);
    end_share(&shared);
}

static void what_is_not_of_the_pool_is_refused(void **state)
{
    struct shared shared;
    (void)state;
    share(&shared);
    ah_test_setenv("AMD_LOG_LEVEL", "1");
    struct ah_test_run done = ah_child_run(
        "/proc/self/exe", ah_test_print("--refuse %d %s", shared.file, shared.data));
    assert_int_equal(done.status, 0);
    assert_says(done.err, "the data are not of a pointer of that memory pool");
    assert_says(done.err, "the memory pool was not imported");
    assert_says(done.err, "the file descriptor is not that of a memory pool");
    assert_says(done.err, "memory pools are shared by file descriptors alone");
    assert_says(done.err, "memory cannot be allocated from a pool of another process");
    end_share(&shared);
}

static void a_pool_that_was_not_made_for_it_is_not_shared(void **state)
{
    hipMemPool_t pool;
    hipMemPoolPtrExportData data;
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                  .location = {.type = hipMemLocationTypeDevice, .id = 0}};
    void *memory;
    int file = -1;
    (void)state;
    ok(hipMemPoolCreate(&pool, &properties));
    ok(hipMallocFromPoolAsync(&memory, 64, pool, NULL));
    (void)hipExtSetLoggingParams(1, 0, 0x7FFFFFFF);
    ah_test_capture();
    assert_int_equal(hipMemPoolExportToShareableHandle(&file, pool, SHARED, 0),
                     hipErrorInvalidValue);
    assert_int_equal(hipMemPoolExportPointer(&data, memory), hipErrorInvalidValue);
    const char *said = ah_test_captured();
    (void)hipExtSetLoggingParams(0, 0, 0);
    assert_says(said, "the memory pool was not created to be shared");
    assert_says(said, "the pointer is not of a memory pool that was created to be shared");
    assert_int_equal(file, -1);
    ok(hipFree(memory));
    ok(hipMemPoolDestroy(pool));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(another_process_reads_and_writes_memory_of_a_pool),
        AH_TEST(what_is_not_of_the_pool_is_refused),
        AH_TEST(a_pool_that_was_not_made_for_it_is_not_shared),
    };
    if (argc == 4 && strcmp(argv[1], "--use") == 0)
        return use(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "--refuse") == 0)
        return refuse(argv[2], argv[3]);
    return cmocka_run_group_tests_name("pools", tests, NULL, NULL);
}
