/* What the library does with the memory that an HSA runtime reports of its devices. Each runtime is
 * looked at in a child process. */
#include "support.h"

#include "hsa_abi.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char query[] = "hsa_amd_memory_pool_get_info";

static void expect_no_device(const char *why)
{
    int count = 7;
    char *report;
    expect(hipGetDeviceCount(&count), hipErrorNoDevice);
    check(count == 0);
    ok(anyhipGetReport(&report));
    check(strstr(report, why) != NULL);
    free(report);
}

/* ---- pools --------------------------------------------------------------------------------- */

enum { OF_HOST = -1, OF_DEVICE = 0 };

static struct pools {
    int of;
    unsigned flags;
} pools;

static void change_pools(void *data)
{
    const struct pools *change = data;
    fakehsa_set_pool_flags(change->of, change->flags);
}

static void a_runtime_with_such_pools_is_refused(void)
{
    use_fake("80");
    the_fake()->hook("hsa_iterate_agents", change_pools, &pools);
    expect_no_device("MEMORY_POOL");
}

static void a_device_needs_pools_that_the_library_knows(void **state)
{
    static const struct pools unusable[] = {
        {OF_DEVICE, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED},
        {OF_DEVICE, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED},
        {OF_HOST, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
        pools = unusable[i];
        in_child(a_runtime_with_such_pools_is_refused);
    }
}

/* ---- queries that fail --------------------------------------------------------------------- */

static unsigned failing;

static void a_failed_query_is_no_answer(void)
{
    use_fake("80");
    the_fake()->fail_call(query, failing, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    expect_no_device("resources");
}

static void a_device_is_not_used_when_a_query_about_its_pools_fails(void **state)
{
    enum { QUERIES = 6 }; /* three for each of the first two pools */
    (void)state;
    for (failing = 1; failing <= QUERIES; failing++)
        in_child(a_failed_query_is_no_answer);
}

/* ---- what the host reaches ----------------------------------------------------------------- */

static void memory_of_the_device_is_out_of_reach(void)
{
    int value = 7;
    void *address;
    use_fake("80");
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeIsLargeBar, 0));
    check(value == 0);
    expect(hipDeviceGetAttribute((int *)(void *)&address, hipDeviceAttributeHdpMemFlushCntl, 0),
           hipErrorNotSupported);
}

/* The host writes to the register, which the device takes for the request: once by itself, and once
 * in stream order, after a value that it waits for. */
static void writes_to_it_are_flushed(const unsigned *registers)
{
    hipStreamBatchMemOpParams flush = {.operation = hipStreamMemOpFlushRemoteWrites};
    volatile const unsigned *flushed = registers;
    hipDeviceProp_t properties;
    uint32_t *flag;
    ok(hipGetDeviceProperties(&properties, 0));
    check(properties.gpuDirectRDMAFlushWritesOptions ==
          (hipFlushGPUDirectRDMAWritesOptionHost | hipFlushGPUDirectRDMAWritesOptionMemOps));
    check(properties.gpuDirectRDMAWritesOrdering == hipGPUDirectRDMAWritesOrderingNone);
    *(unsigned *)(uintptr_t)registers = 0;
    ok(hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                         hipFlushGPUDirectRDMAWritesToOwner));
    check(*flushed == 1);
    *(unsigned *)(uintptr_t)registers = 0;
    ok(hipHostMalloc((void **)&flag, 4, 0));
    *flag = 0;
    ok(hipStreamWaitValue32(NULL, flag, 1, hipStreamWaitValueEq, ~0u));
    ok(hipStreamBatchMemOp(NULL, 1, &flush, 0));
    check(*flushed == 0);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    ok(hipStreamSynchronize(NULL));
    check(*flushed == 1);
    ok(hipHostFree(flag));
}

static void memory_of_the_device_is_within_reach(void)
{
    static unsigned registers[2];
    int value = 7;
    void *address = NULL;
    use_fake("80");
    fakehsa_use_large_bar(registers);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeIsLargeBar, 0));
    check(value == 1);
    ok(hipDeviceGetAttribute((int *)(void *)&address, hipDeviceAttributeHdpMemFlushCntl, 0));
    check(address == &registers[0]);
    ok(hipDeviceGetAttribute((int *)(void *)&address, hipDeviceAttributeHdpRegFlushCntl, 0));
    check(address == &registers[1]);
    writes_to_it_are_flushed(registers);
}

static void a_device_tells_whether_the_host_reaches_its_memory(void **state)
{
    (void)state;
    in_child(memory_of_the_device_is_out_of_reach);
    in_child(memory_of_the_device_is_within_reach);
}

/* ---- functions that there are not ------------------------------------------------------------ */

/* The fake runtime with one of its dynamic symbols renamed: the first occurrence of the name alone
 * is in the table of dynamic names. */
static void use_fake_without(const char *name)
{
    struct stat status;
    char text[80] = "";
    size_t length = strlen(name);
    use_fake("80");
    int from = open(FAKEHSA_PATH, O_RDONLY | O_CLOEXEC), to = memfd_create("libhsa.so", 0);
    check(fstat(from, &status) == 0);
    size_t size = (size_t)status.st_size;
    char *image = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, from, 0);
    check(image != MAP_FAILED);
    memcpy(text + 1, name, length + 1); /* between two zeros */
    char *at = memmem(image, size, text, length + 2);
    check(at != NULL);
    at[1] = 'x';
    check(write(to, image, size) == (ssize_t)size);
    munmap(image, size);
    close(from);
    use_configuration("{\"backends\": [\"hsa\"], \"drivers\": {\"hsa\": {\"library\": "
                      "\"/proc/self/fd/%d\"}}}",
                      to);
}

static void a_function_is_missing(void)
{
    hipIpcMemHandle_t handle;
    void *memory;
    use_fake_without("hsa_amd_ipc_memory_create");
    ok(hipMalloc(&memory, 64));
    expect_says(hipIpcGetMemHandle(&handle, memory), hipErrorNotSupported,
                "hsa_amd_ipc_memory_create is not in this HSA runtime (1.");
    ok(hipFree(memory));
}

static void what_an_old_runtime_does_not_have_is_named(void **state)
{
    (void)state;
    in_child_quickly(a_function_is_missing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_UNCHECKED(a_device_needs_pools_that_the_library_knows),
        TEST_UNCHECKED(a_device_is_not_used_when_a_query_about_its_pools_fails),
        TEST_UNCHECKED(a_device_tells_whether_the_host_reaches_its_memory),
        TEST_UNCHECKED(what_an_old_runtime_does_not_have_is_named),
    };
    return cmocka_run_group_tests_name("driver.discovery", tests, NULL, NULL);
}
