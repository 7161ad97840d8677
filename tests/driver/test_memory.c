/* hipMalloc and related functions, page-locked and managed memory, fills. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- device memory ------------------------------------------------------------------- */

static void allocated_memory_is_aligned_and_holds_what_is_copied_to_it(void **state)
{
    uint32_t words[64], back[64];
    void *memory;
    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        words[i] = i * 3;
    ok(hipMalloc(&memory, sizeof words));
    check((uintptr_t)memory % 256 == 0);
    ok(hipMemcpy(memory, words, sizeof words, hipMemcpyHostToDevice));
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check(memcmp(words, back, sizeof words) == 0);
    ok(hipFree(memory));
}

static void allocating_nothing_gives_null(void **state)
{
    void *memory = &memory;
    size_t pitch = 1;
    (void)state;
    ok(hipMalloc(&memory, 0));
    check(memory == NULL);
    memory = &memory;
    ok(hipExtMallocWithFlags(&memory, 0, hipDeviceMallocDefault));
    check(memory == NULL);
    memory = &memory;
    ok(hipHostMalloc(&memory, 0, 0));
    check(memory == NULL);
    memory = &memory;
    ok(hipMallocPitch(&memory, &pitch, 0, 4));
    check(memory == NULL);
}

static void allocation_checks_its_arguments(void **state)
{
    void *memory;
    size_t pitch;
    hipPitchedPtr pitched;
    (void)state;
    expect(hipMalloc(NULL, 16), hipErrorInvalidValue);
    expect(hipExtMallocWithFlags(NULL, 16, 0), hipErrorInvalidValue);
    expect(hipExtMallocWithFlags(&memory, 16, 0x100), hipErrorInvalidValue);
    expect(hipExtMallocWithFlags(&memory, 16, hipMallocSignalMemory), hipErrorInvalidValue);
    expect(hipMallocPitch(NULL, &pitch, 16, 16), hipErrorInvalidValue);
    expect(hipMallocPitch(&memory, NULL, 16, 16), hipErrorInvalidValue);
    expect(hipMallocPitch(&memory, &pitch, SIZE_MAX, 1), hipErrorInvalidValue);
    expect(hipMallocPitch(&memory, &pitch, SIZE_MAX / 2, 4), hipErrorOutOfMemory);
    expect(hipMemAllocPitch(&memory, &pitch, 16, 16, 3), hipErrorInvalidValue);
    expect(hipMemAllocPitch(&memory, &pitch, 0, 16, 4), hipErrorInvalidValue);
    expect(hipMemAllocPitch(&memory, &pitch, 16, 0, 4), hipErrorInvalidValue);
    expect(hipMalloc3D(NULL, (hipExtent){16, 16, 16}), hipErrorInvalidValue);
    expect(hipMalloc3D(&pitched, (hipExtent){SIZE_MAX, SIZE_MAX, SIZE_MAX}), hipErrorOutOfMemory);
    expect(hipMallocManaged(NULL, 16, hipMemAttachGlobal), hipErrorInvalidValue);
    expect(hipMallocManaged(&memory, 0, hipMemAttachGlobal), hipErrorInvalidValue);
    expect(hipMallocManaged(&memory, 16, 0), hipErrorInvalidValue);
    expect(hipMallocManaged(&memory, 16, hipMemAttachGlobal | hipMemAttachHost),
           hipErrorInvalidValue);
}

static void more_memory_than_there_is_is_out_of_memory(void **state)
{
    size_t free_before, free_after, total;
    void *memory = NULL;
    (void)state;
    ok(hipMemGetInfo(&free_before, &total));
    expect(hipMalloc(&memory, (size_t)1 << 50), hipErrorOutOfMemory);
    expect(hipHostMalloc(&memory, (size_t)1 << 50, 0), hipErrorOutOfMemory);
    expect(hipMallocManaged(&memory, (size_t)1 << 50, hipMemAttachGlobal), hipErrorOutOfMemory);
    check(memory == NULL);
    ok(hipMemGetInfo(&free_after, &total));
    check(free_before == free_after);
    check(free_after <= total);
}

static void kinds_of_memory_are_given_as_far_as_the_driver_has_them(void **state)
{
    const unsigned given[] = {hipDeviceMallocDefault, hipDeviceMallocFinegrained,
                              hipDeviceMallocUncached};
    void *memory;
    hipPointerAttribute_t attributes;
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; ++i) {
        ok(hipExtMallocWithFlags(&memory, 16, given[i]));
        ok(hipPointerGetAttributes(&attributes, memory));
        check(attributes.type == hipMemoryTypeDevice && attributes.allocationFlags == given[i]);
        ok(hipFree(memory));
    }
    hipError_t contiguous = hipExtMallocWithFlags(&memory, 16, hipDeviceMallocContiguous);
    expect(contiguous, over_hsa() ? hipSuccess : hipErrorNotSupported);
    if (contiguous == hipSuccess)
        ok(hipFree(memory));

    uint64_t *signal;
    ok(hipExtMallocWithFlags((void **)&signal, 8, hipMallocSignalMemory));
    ok(hipPointerGetAttributes(&attributes, signal));
    check(attributes.type == hipMemoryTypeHost);
    *signal = 1;
    ok(hipFree(signal));
}

static void rows_of_pitched_memory_are_apart_by_the_pitch(void **state)
{
    void *memory;
    size_t pitch;
    hipPitchedPtr pitched;
    char row[100], back[3][100];
    (void)state;
    ok(hipMallocPitch(&memory, &pitch, 100, 3));
    check(pitch >= 100 && pitch % 64 == 0);
    memset(row, 7, sizeof row);
    for (size_t y = 0; y < 3; y++)
        ok(hipMemcpy((char *)memory + y * pitch, row, sizeof row, hipMemcpyHostToDevice));
    ok(hipMemcpy2D(back, 100, memory, pitch, 100, 3, hipMemcpyDeviceToHost));
    check(memcmp(back[2], row, sizeof row) == 0);
    ok(hipFree(memory));
    ok(hipMemAllocPitch(&memory, &pitch, 100, 3, 16));
    check(pitch >= 100);
    ok(hipFree(memory));
    ok(hipMalloc3D(&pitched, (hipExtent){100, 3, 2}));
    check(pitched.xsize == 100 && pitched.ysize == 3 && pitched.pitch >= 100);
    ok(hipMemset((char *)pitched.ptr + pitched.pitch * 6 - 1, 0, 1));
    expect(hipMemset((char *)pitched.ptr + pitched.pitch * 6 - 1, 0, 2), hipErrorInvalidValue);
    ok(hipFree(pitched.ptr));
}

static void only_the_start_of_an_allocation_can_be_freed_and_once(void **state)
{
    char *memory;
    int local;
    (void)state;
    ok(hipMalloc((void **)&memory, 1024));
    expect(hipFree(memory + 16), hipErrorInvalidValue);
    expect(hipFree(&local), hipErrorInvalidValue);
    expect(hipFree((void *)16), hipErrorInvalidValue);
    expect(hipHostFree(memory), hipErrorInvalidValue);
    ok(hipFree(memory));
    expect(hipFree(memory), hipErrorInvalidValue);
    ok(hipFree(NULL));
}

static void freed_memory_can_be_allocated_again_at_the_same_address(void **state)
{
    void *first, *again;
    (void)state;
    ok(hipMalloc(&first, 4096));
    ok(hipFree(first));
    ok(hipMalloc(&again, 8192));
    ok(hipMemset(again, 1, 8192));
    expect(hipMemset(again, 1, 8193), hipErrorInvalidValue);
    ok(hipFree(again));
}

static void freeing_waits_for_the_work_that_uses_the_memory(void **state)
{
    uint32_t *memory, *host;
    hipStream_t stream;
    (void)state;
    ok(hipMalloc((void **)&memory, 4096));
    ok(hipHostMalloc((void **)&host, 4096, 0));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    int milliseconds = 30;
    void *args[] = {&milliseconds};
    ok(hipLaunchKernel(&spin_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, stream));
    ok(launch_fill(memory, 5, 1024, stream));
    ok(hipMemcpyAsync(host, memory, 4096, hipMemcpyDeviceToHost, stream));
    ok(hipFree(memory));
    check_words(host, 1024, 5);
    ok(hipStreamDestroy(stream));
    ok(hipHostFree(host));
}

/* Any device may be using it. */
static void freeing_page_locked_memory_waits_for_all_devices(void **state)
{
    uint32_t *host, word = 0, *memory;
    int milliseconds = 30;
    void *args[] = {&milliseconds};
    (void)state;
    ok(hipHostMalloc((void **)&host, 4096, hipHostMallocPortable));
    host[0] = 77;
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&memory, 4));
    ok(hipLaunchKernel(&spin_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    ok(hipMemcpyAsync(memory, host, 4, hipMemcpyHostToDevice, NULL));
    ok(hipSetDevice(0));
    ok(hipHostFree(host));
    ok(hipSetDevice(1));
    ok(hipStreamQuery(NULL));
    ok(hipMemcpy(&word, memory, 4, hipMemcpyDeviceToHost));
    check(word == 77);
    ok(hipFree(memory));
    ok(hipSetDevice(0));
}

/* The same of managed memory. */
static void freeing_managed_memory_waits_for_all_devices(void **state)
{
    uint32_t *managed, milliseconds = 30;
    void *args[] = {&milliseconds};
    (void)state;
    ok(hipMallocManaged((void **)&managed, 4096, hipMemAttachGlobal));
    ok(hipSetDevice(1));
    ok(hipLaunchKernel(&spin_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    ok(launch_fill(managed, 5, 1024, NULL));
    ok(hipSetDevice(0));
    ok(hipFree(managed));
    ok(hipSetDevice(1));
    ok(hipStreamQuery(NULL));
    ok(hipSetDevice(0));
}

static void what_is_free_and_total_is_told(void **state)
{
    size_t before_free, free_bytes, total = 0;
    void *memory;
    (void)state;
    ok(hipMemGetInfo(&before_free, &total));
    check(total == (size_t)512 << 20);
    ok(hipMalloc(&memory, 1 << 20));
    ok(hipMemGetInfo(&free_bytes, NULL));
    check(before_free - free_bytes == 1 << 20);
    ok(hipMemGetInfo(NULL, &total));
    expect(hipMemGetInfo(NULL, NULL), hipErrorInvalidValue);
    ok(hipFree(memory));
}

/* Runtimes before ROCm 5.3 do not say how much is free. */
static size_t free_without_the_runtimes_answer(void)
{
    enum { INVALID_ARGUMENT = 0x1001 };
    size_t free_bytes, total;
    fakehsa_fail("hsa_agent_get_info", 1, INVALID_ARGUMENT);
    ok(hipMemGetInfo(&free_bytes, &total));
    check(!the_fake()->has_faults());
    return free_bytes;
}

static void without_the_runtimes_answer_free_is_what_the_process_has_not_allocated(void **state)
{
    void *memory, *pinned;
    (void)state;
    size_t before = free_without_the_runtimes_answer();
    ok(hipMalloc(&memory, 1 << 20));
    ok(hipHostMalloc(&pinned, 2 << 20, 0));
    check(before - free_without_the_runtimes_answer() == 1 << 20);
    ok(hipHostFree(pinned));
    ok(hipFree(memory));
    check(free_without_the_runtimes_answer() == before);
}

static void a_device_that_has_failed_does_not_say_what_is_free(void **state)
{
    size_t free_bytes, total;
    (void)state;
    ok(launch_fault(NULL));
    check(hipDeviceSynchronize() != hipSuccess);
    check(hipMemGetInfo(&free_bytes, &total) != hipSuccess);
    ok(hipDeviceReset());
    ok(hipMemGetInfo(&free_bytes, &total));
}

static void allocations_know_their_size_and_start(void **state)
{
    char *memory;
    size_t size;
    hipDeviceptr_t base;
    int local;
    (void)state;
    ok(hipMalloc((void **)&memory, 1000));
    ok(hipMemPtrGetInfo(memory, &size));
    check(size == 1000);
    ok(hipMemGetAddressRange(&base, &size, memory + 500));
    check(base == memory && size == 1000);
    ok(hipMemGetAddressRange(NULL, NULL, memory));
    expect(hipMemGetAddressRange(&base, &size, &local), hipErrorNotFound);
    expect(hipMemGetAddressRange(&base, &size, memory + 1000), hipErrorNotFound);
    expect(hipMemPtrGetInfo(NULL, &size), hipErrorInvalidValue);
    expect(hipMemPtrGetInfo(memory, NULL), hipErrorInvalidValue);
    expect(hipMemPtrGetInfo(&local, &size), hipErrorInvalidValue);
    ok(hipFree(memory));
}

static void memory_of_a_vendors_library_can_be_freed(void **state)
{
    CUdeviceptr foreign;
    void *memory;
    extern CUresult allocate(CUdeviceptr * pointer, size_t size) __asm__("cuMemAlloc_v2");
    (void)state;
    ok(hipSetDevice(0));
    assert_int_equal(allocate(&foreign, 256), CUDA_SUCCESS);
    memory = (void *)(uintptr_t)foreign;
    ok(hipMemset(memory, 3, 256));
    expect(hipFree((char *)memory + 1), hipErrorInvalidValue);
    ok(hipFree(memory));
}

static void out_of_memory(const char *cuda_function, unsigned nth, const char *hsa_function)
{
    if (over_hsa())
        fakehsa_fail(hsa_function, nth, HSA_OUT_OF_RESOURCES);
    else
        fakecuda_fail(cuda_function, nth, CUDA_ERROR_OUT_OF_MEMORY);
}

static void a_driver_that_runs_out_of_memory_is_reported(void **state)
{
    void *memory = NULL;
    hipStream_t stream = NULL;
    hipEvent_t event = NULL;
    (void)state;
    out_of_memory("cuMemAlloc_v2", 2, "hsa_amd_memory_pool_allocate");
    ok(hipMalloc(&memory, 16));
    ok(hipFree(memory));
    expect(hipMalloc(&memory, 16), hipErrorOutOfMemory);
    ok(hipMalloc(&memory, 16));
    ok(hipFree(memory));
    out_of_memory("cuMemHostAlloc", 1, "hsa_amd_memory_pool_allocate");
    expect(hipHostMalloc(&memory, 16, 0), hipErrorOutOfMemory);
    out_of_memory("cuMemAllocManaged", 1, "hsa_amd_memory_pool_allocate");
    expect(hipMallocManaged(&memory, 16, hipMemAttachGlobal), hipErrorOutOfMemory);
    if (over_hsa()) /* which makes streams and events of what it has */
        return;
    out_of_memory("cuStreamCreateWithPriority", 1, "");
    expect(hipStreamCreate(&stream), hipErrorOutOfMemory);
    out_of_memory("cuEventCreate", 1, "");
    expect(hipEventCreate(&event), hipErrorOutOfMemory);
    check(stream == NULL && event == NULL);
}

/* ---- page-locked memory ---------------------------------------------------------------- */

static void page_locked_memory_is_reached_by_host_and_kernels(void **state)
{
    uint32_t *memory, *device_pointer;
    unsigned flags;
    (void)state;
    ok(hipHostMalloc((void **)&memory, 4096, hipHostMallocMapped | hipHostMallocPortable));
    ok(hipHostGetDevicePointer((void **)&device_pointer, memory, 0));
    check(device_pointer == memory);
    ok(hipHostGetFlags(&flags, memory));
    check(flags == (hipHostMallocMapped | hipHostMallocPortable));
    ok(launch_fill(device_pointer, 9, 1024, NULL));
    ok(hipDeviceSynchronize());
    check_words(memory, 1024, 9);
    ok(hipHostGetDevicePointer((void **)&device_pointer, memory + 10, 0));
    check(device_pointer == memory + 10);
    ok(hipHostFree(memory));
}

static void every_name_of_page_locked_allocation_works(void **state)
{
    void *memory;
    (void)state;
    ok(hipHostMalloc(&memory, 64, hipHostMallocDefault));
    ok(hipHostFree(memory));
    ok(hipHostAlloc(&memory, 64, hipHostAllocWriteCombined));
    ok(hipFreeHost(memory));
    ok(hipExtHostAlloc(&memory, 64, hipHostMallocCoherent));
    ok(hipHostFree(memory));
    ok(hipMallocHost(&memory, 64));
    ok(hipFreeHost(memory));
    ok(hipMemAllocHost(&memory, 64));
    ok(hipHostFree(memory));
    ok(hipHostMalloc(&memory, 64, hipHostMallocNumaUser | hipHostMallocNonCoherent));
    ok(hipFree(memory)); /* hipFree accepts it too */
    ok(hipHostFree(NULL));
    ok(hipFreeHost(NULL));
}

static void page_locked_allocation_checks_its_arguments(void **state)
{
    void *memory, *device_pointer;
    unsigned flags;
    int local;
    (void)state;
    expect(hipHostMalloc(NULL, 16, 0), hipErrorInvalidValue);
    expect(hipHostMalloc(&memory, 16, 0x100), hipErrorInvalidValue);
    expect(hipHostMalloc(&memory, 16, hipHostMallocCoherent | hipHostMallocNonCoherent),
           hipErrorInvalidValue);
    expect(hipHostAlloc(NULL, 16, 0), hipErrorInvalidValue);
    expect(hipHostAlloc(&memory, 16, 0x100), hipErrorInvalidValue);
    expect(hipHostAlloc(&memory, 16, hipHostMallocCoherent), hipErrorInvalidValue);
    expect(hipExtHostAlloc(NULL, 16, 0), hipErrorInvalidValue);
    expect(hipMallocHost(NULL, 16), hipErrorInvalidValue);
    expect(hipMemAllocHost(NULL, 16), hipErrorInvalidValue);
    expect(hipHostFree(&local), hipErrorInvalidValue);
    expect(hipFreeHost(&local), hipErrorInvalidValue);
    ok(hipHostMalloc(&memory, 16, 0));
    expect(hipHostGetDevicePointer(NULL, memory, 0), hipErrorInvalidValue);
    expect(hipHostGetDevicePointer(&device_pointer, NULL, 0), hipErrorInvalidValue);
    expect(hipHostGetDevicePointer(&device_pointer, memory, 1), hipErrorInvalidValue);
    expect(hipHostGetDevicePointer(&device_pointer, &local, 0), hipErrorInvalidValue);
    expect(hipHostGetFlags(NULL, memory), hipErrorInvalidValue);
    expect(hipHostGetFlags(&flags, NULL), hipErrorInvalidValue);
    expect(hipHostGetFlags(&flags, &local), hipErrorInvalidValue);
    expect(hipHostFree((char *)memory + 1), hipErrorInvalidValue);
    ok(hipHostFree(memory));
    expect(hipHostFree(memory), hipErrorInvalidValue);
    ok(hipMalloc(&memory, 16));
    expect(hipHostGetDevicePointer(&device_pointer, memory, 0), hipErrorInvalidValue);
    expect(hipHostGetFlags(&flags, memory), hipErrorInvalidValue);
    ok(hipFree(memory));
}

static void registered_memory_is_reached_by_kernels(void **state)
{
    uint32_t *memory = malloc(8192), *device_pointer;
    unsigned flags;
    (void)state;
    ok(hipHostRegister(memory, 8192, hipHostRegisterMapped));
    ok(hipHostGetDevicePointer((void **)&device_pointer, memory, 0));
    ok(hipHostGetFlags(&flags, memory));
    check(flags == hipHostRegisterMapped);
    ok(launch_fill(device_pointer, 4, 2048, NULL));
    ok(hipDeviceSynchronize());
    check_words(memory, 2048, 4);
    ok(hipHostUnregister(memory));
    expect(hipHostGetDevicePointer((void **)&device_pointer, memory, 0), hipErrorInvalidValue);
    free(memory);
}

/* NVIDIA's driver has no code of its own for it. */
static void what_is_no_memory_is_not_registered(void **state)
{
    const size_t huge = (size_t)1 << 46;
    char *memory = malloc(8192);
    (void)state;
    fakecuda_fail("cuMemHostRegister_v2", 1, CUDA_ERROR_OUT_OF_MEMORY);
    expect_says(hipHostRegister(memory, huge, 0), hipErrorInvalidValue,
                "no others can be registered");
    fakecuda_fail("cuMemHostRegister_v2", 1, CUDA_ERROR_OUT_OF_MEMORY);
    expect(hipHostRegister(memory, 8192, 0), hipErrorOutOfMemory);
    ok(hipHostRegister(memory, 8192, 0));
    ok(hipHostUnregister(memory));
    free(memory);
}

static void registration_checks_its_arguments(void **state)
{
    char *memory = malloc(8192);
    (void)state;
    expect(hipHostRegister(NULL, 16, 0), hipErrorInvalidValue);
    expect(hipHostRegister(memory, 0, 0), hipErrorInvalidValue);
    expect(hipHostRegister(memory, 16, 0x100), hipErrorInvalidValue);
    ok(hipHostRegister(memory, 4096, 0));
    expect(hipHostRegister(memory, 4096, 0), hipErrorHostMemoryAlreadyRegistered);
    expect(hipHostRegister(memory + 2048, 4096, 0), hipErrorHostMemoryAlreadyRegistered);
    expect(hipHostUnregister(NULL), hipErrorInvalidValue);
    expect(hipHostUnregister(memory + 16), hipErrorHostMemoryNotRegistered);
    expect(hipHostUnregister(memory + 4096), hipErrorHostMemoryNotRegistered);
    void *pinned;
    ok(hipHostMalloc(&pinned, 4096, 0));
    expect(hipHostUnregister(pinned), hipErrorHostMemoryNotRegistered);
    ok(hipHostFree(pinned));
    expect(hipFree(memory), hipErrorInvalidValue);
    expect(hipHostFree(memory), hipErrorInvalidValue);
    ok(hipHostUnregister(memory));
    expect(hipHostUnregister(memory), hipErrorHostMemoryNotRegistered);
    free(memory);
}

/* ---- managed memory ------------------------------------------------------------------------ */

static void managed_memory_is_used_by_host_and_kernels_at_one_address(void **state)
{
    uint32_t *memory;
    (void)state;
    ok(hipMallocManaged((void **)&memory, 4096, hipMemAttachGlobal));
    memory[0] = 1;
    ok(launch_fill(memory, 6, 1024, NULL));
    ok(hipDeviceSynchronize());
    check_words(memory, 1024, 6);
    ok(hipFree(memory));
}

static void managed_memory_is_prefetched_and_advised(void **state)
{
    char *memory;
    int value, list[2];
    hipMemLocation device1 = {.type = hipMemLocationTypeDevice, .id = 1};
    hipMemLocation host = {.type = hipMemLocationTypeHost};
    (void)state;
    ok(hipMallocManaged((void **)&memory, 8192, hipMemAttachGlobal));
    ok(hipMemPrefetchAsync(memory, 8192, 1, NULL));
    ok(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeLastPrefetchLocation,
                               memory, 8192));
    check(value == 1);
    ok(hipMemPrefetchAsync(memory, 4096, hipCpuDeviceId, NULL));
    ok(hipMemPrefetchAsync_v2(memory, 8192, host, 0, NULL));
    ok(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeLastPrefetchLocation,
                               memory, 8192));
    check(value == hipCpuDeviceId);
    ok(hipMemAdvise(memory, 8192, hipMemAdviseSetReadMostly, 0));
    ok(hipMemAdvise_v2(memory, 8192, hipMemAdviseSetPreferredLocation, device1));
    ok(hipMemAdvise(memory, 8192, hipMemAdviseSetAccessedBy, 1));
    void *data[] = {&value, list};
    size_t sizes[] = {sizeof value, sizeof list};
    hipMemRangeAttribute attributes[] = {hipMemRangeAttributePreferredLocation,
                                         hipMemRangeAttributeAccessedBy};
    ok(hipMemRangeGetAttributes(data, sizes, attributes, 2, memory, 8192));
    check(value == 1 && list[0] == 1 && list[1] == hipInvalidDeviceId);
    ok(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeReadMostly, memory, 8192));
    check(value == 1);
    ok(hipMemAdvise(memory, 8192, hipMemAdviseSetCoarseGrain, 0));
    ok(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeCoherencyMode, memory,
                               8192));
    check(value == (over_hsa() ? hipMemRangeCoherencyModeCoarseGrain
                               : hipMemRangeCoherencyModeFineGrain)); /* CUDA has that alone */
    ok(hipFree(memory));
}

/* The mode of coherency is that of any memory of HIP's; over CUDA all of it is fine-grained. */
static void coherency_of_memory_that_is_not_managed(void **state)
{
    (void)state;
    const int coarse =
        over_hsa() ? hipMemRangeCoherencyModeCoarseGrain : hipMemRangeCoherencyModeFineGrain;
    void *device, *fine, *host, *host_coarse;
    ok(hipMalloc(&device, 4096));
    ok(hipExtMallocWithFlags(&fine, 4096, hipDeviceMallocFinegrained));
    ok(hipHostMalloc(&host, 4096, hipHostMallocDefault));
    ok(hipHostMalloc(&host_coarse, 4096, hipHostMallocNonCoherent));
    const struct {
        void *memory;
        int mode;
    } rows[] = {{device, coarse},
                {fine, hipMemRangeCoherencyModeFineGrain},
                {host, hipMemRangeCoherencyModeFineGrain},
                {host_coarse, coarse}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int mode = -1;
        ok(hipMemRangeGetAttribute(&mode, sizeof mode, hipMemRangeAttributeCoherencyMode,
                                   rows[i].memory, 4096));
        check(mode == rows[i].mode);
        expect(hipMemRangeGetAttribute(&mode, sizeof mode, hipMemRangeAttributeReadMostly,
                                       rows[i].memory, 4096),
               hipErrorInvalidValue);
        expect(hipMemRangeGetAttribute(&mode, sizeof mode, hipMemRangeAttributeCoherencyMode,
                                       rows[i].memory, 4097),
               hipErrorInvalidValue);
    }
    ok(hipHostFree(host_coarse));
    ok(hipHostFree(host));
    ok(hipFree(fine));
    ok(hipFree(device));
}

static void managed_functions_check_their_arguments(void **state)
{
    char *memory;
    void *device_memory;
    int value, local;
    void *data[] = {&value};
    size_t sizes[] = {sizeof value};
    hipMemRangeAttribute attributes[] = {hipMemRangeAttributeReadMostly};
    hipMemLocation nowhere = {.type = hipMemLocationTypeInvalid};
    hipMemLocation device0 = {.type = hipMemLocationTypeDevice, .id = 0};
    (void)state;
    ok(hipMallocManaged((void **)&memory, 4096, hipMemAttachGlobal));
    ok(hipMalloc(&device_memory, 4096));
    expect(hipMemPrefetchAsync(NULL, 4096, 0, NULL), hipErrorInvalidValue);
    expect(hipMemPrefetchAsync(memory, 0, 0, NULL), hipErrorInvalidValue);
    expect(hipMemPrefetchAsync(memory, 4097, 0, NULL), hipErrorInvalidValue);
    expect(hipMemPrefetchAsync(memory + 1, 4096, 0, NULL), hipErrorInvalidValue);
    expect(hipMemPrefetchAsync(device_memory, 4096, 0, NULL), hipErrorInvalidValue);
    expect(hipMemPrefetchAsync(&local, 4, 0, NULL), hipErrorInvalidValue);
    expect(hipMemPrefetchAsync(memory, 4096, 2, NULL), hipErrorInvalidDevice);
    expect(hipMemPrefetchAsync(memory, 4096, -7, NULL), hipErrorInvalidDevice);
    expect(hipMemPrefetchAsync_v2(memory, 4096, nowhere, 0, NULL), hipErrorInvalidValue);
    expect(hipMemPrefetchAsync_v2(memory, 4096, device0, 1, NULL), hipErrorInvalidValue);
    expect(hipMemAdvise(NULL, 4096, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    expect(hipMemAdvise(memory, 0, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    expect(hipMemAdvise(memory, 4096, (hipMemoryAdvise)77, 0), hipErrorInvalidValue);
    expect(hipMemAdvise(memory, 8192, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    expect(hipMemAdvise(memory, 4096, hipMemAdviseSetAccessedBy, 9), hipErrorInvalidDevice);
    ok(hipMemAdvise(memory, 4096, hipMemAdviseSetReadMostly, 9)); /* the device is ignored */
    ok(hipMemAdvise(memory, 4096, hipMemAdviseUnsetPreferredLocation, 9));
    expect(hipMemAdvise_v2(memory, 4096, hipMemAdviseSetAccessedBy, nowhere), hipErrorInvalidValue);
    expect(hipMemRangeGetAttribute(NULL, 4, attributes[0], memory, 4096), hipErrorInvalidValue);
    expect(hipMemRangeGetAttribute(&value, 0, attributes[0], memory, 4096), hipErrorInvalidValue);
    expect(hipMemRangeGetAttribute(&value, 3, attributes[0], memory, 4096), hipErrorInvalidValue);
    expect(hipMemRangeGetAttribute(&value, 4, (hipMemRangeAttribute)99, memory, 4096),
           hipErrorInvalidValue);
    expect(hipMemRangeGetAttribute(&value, 4, attributes[0], device_memory, 4096),
           hipErrorInvalidValue);
    expect(hipMemRangeGetAttributes(NULL, sizes, attributes, 1, memory, 4096),
           hipErrorInvalidValue);
    expect(hipMemRangeGetAttributes(data, NULL, attributes, 1, memory, 4096), hipErrorInvalidValue);
    expect(hipMemRangeGetAttributes(data, sizes, NULL, 1, memory, 4096), hipErrorInvalidValue);
    expect(hipMemRangeGetAttributes(data, sizes, attributes, 0, memory, 4096),
           hipErrorInvalidValue);
    ok(hipFree(device_memory));
    ok(hipFree(memory));
}

static void managed_memory_is_attached_to_streams(void **state)
{
    hipStream_t stream;
    void *memory, *device_memory;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipMallocManaged(&memory, 4096, hipMemAttachHost));
    ok(hipMalloc(&device_memory, 4096));
    ok(hipStreamAttachMemAsync(stream, memory, 0, hipMemAttachSingle));
    ok(hipStreamAttachMemAsync(stream, memory, 4096, hipMemAttachGlobal));
    ok(hipStreamAttachMemAsync(NULL, memory, 0, hipMemAttachHost));
    expect(hipStreamAttachMemAsync(stream, NULL, 0, hipMemAttachSingle), hipErrorInvalidValue);
    expect(hipStreamAttachMemAsync(stream, memory, 5, hipMemAttachSingle), hipErrorInvalidValue);
    expect(hipStreamAttachMemAsync(stream, memory, 0, 8), hipErrorInvalidValue);
    expect(hipStreamAttachMemAsync(stream, memory, 0, 0), hipErrorInvalidValue);
    expect(hipStreamAttachMemAsync(stream, device_memory, 0, hipMemAttachSingle),
           hipErrorInvalidValue);
    expect(hipStreamAttachMemAsync(NULL, memory, 0, hipMemAttachSingle), hipErrorInvalidValue);
    ok(hipFree(device_memory));
    ok(hipFree(memory));
    ok(hipStreamDestroy(stream));
}

/* ---- fills -------------------------------------------------------------------------------------
 */

/* A way to fill, of elements of a size, in one row or in rows. */
struct fill {
    const char *name;
    size_t element;
    bool rows;
    hipError_t (*call)(void *dst, size_t pitch, unsigned value, size_t width, size_t height);
};

#define FILL(function, expression)                                                                 \
    static hipError_t function(void *dst, size_t pitch, unsigned value, size_t width,              \
                               size_t height)                                                      \
    {                                                                                              \
        (void)pitch, (void)height;                                                                 \
        return expression;                                                                         \
    }
FILL(fill, hipMemset(dst, (int)value, width))
FILL(fill_async, hipMemsetAsync(dst, (int)value, width, NULL))
FILL(fill_d8, hipMemsetD8(dst, (unsigned char)value, width))
FILL(fill_d8_async, hipMemsetD8Async(dst, (unsigned char)value, width, NULL))
FILL(fill_d16, hipMemsetD16(dst, (unsigned short)value, width))
FILL(fill_d16_async, hipMemsetD16Async(dst, (unsigned short)value, width, NULL))
FILL(fill_d32, hipMemsetD32(dst, (int)value, width))
FILL(fill_d32_async, hipMemsetD32Async(dst, (int)value, width, NULL))
FILL(fill_2d, hipMemset2D(dst, pitch, (int)value, width, height))
FILL(fill_2d_async, hipMemset2DAsync(dst, pitch, (int)value, width, height, NULL))
FILL(fill_d2d8, hipMemsetD2D8(dst, pitch, (unsigned char)value, width, height))
FILL(fill_d2d8_async, hipMemsetD2D8Async(dst, pitch, (unsigned char)value, width, height, NULL))
FILL(fill_d2d16, hipMemsetD2D16(dst, pitch, (unsigned short)value, width, height))
FILL(fill_d2d16_async, hipMemsetD2D16Async(dst, pitch, (unsigned short)value, width, height, NULL))
FILL(fill_d2d32, hipMemsetD2D32(dst, pitch, value, width, height))
FILL(fill_d2d32_async, hipMemsetD2D32Async(dst, pitch, value, width, height, NULL))

static const struct fill fills[] = {
    {"hipMemset", 1, false, fill},           {"hipMemsetAsync", 1, false, fill_async},
    {"hipMemsetD8", 1, false, fill_d8},      {"hipMemsetD8Async", 1, false, fill_d8_async},
    {"hipMemsetD16", 2, false, fill_d16},    {"hipMemsetD16Async", 2, false, fill_d16_async},
    {"hipMemsetD32", 4, false, fill_d32},    {"hipMemsetD32Async", 4, false, fill_d32_async},
    {"hipMemset2D", 1, true, fill_2d},       {"hipMemset2DAsync", 1, true, fill_2d_async},
    {"hipMemsetD2D8", 1, true, fill_d2d8},   {"hipMemsetD2D8Async", 1, true, fill_d2d8_async},
    {"hipMemsetD2D16", 2, true, fill_d2d16}, {"hipMemsetD2D16Async", 2, true, fill_d2d16_async},
    {"hipMemsetD2D32", 4, true, fill_d2d32}, {"hipMemsetD2D32Async", 4, true, fill_d2d32_async},
};
enum { FILLS = sizeof fills / sizeof *fills, PITCH = 64, ROWS = 4 };
static const unsigned pattern = 0xc1b2a3d4;

/* What a fill of 5 elements, in 3 rows where there are rows, leaves. */
static void expected_fill(const struct fill *fill, unsigned char out[PITCH * ROWS])
{
    memset(out, 0xee, PITCH * ROWS);
    for (size_t y = 0; y < (fill->rows ? 3 : 1); y++)
        for (size_t x = 0; x < 5; x++)
            memcpy(out + y * PITCH + x * fill->element, &pattern, fill->element);
}

static void every_fill_writes_its_elements_and_nothing_else(void **state)
{
    unsigned char *memory, got[PITCH * ROWS], wanted[PITCH * ROWS];
    (void)state;
    ok(hipMalloc((void **)&memory, sizeof got));
    for (size_t i = 0; i < FILLS; i++) {
        ok(hipMemset(memory, 0xee, sizeof got));
        ok(fills[i].call(memory, PITCH, pattern, 5, 3));
        ok(hipMemcpy(got, memory, sizeof got, hipMemcpyDeviceToHost));
        expected_fill(&fills[i], wanted);
        if (memcmp(got, wanted, sizeof got) != 0)
            fail_msg("%s wrote something else", fills[i].name);
    }
    ok(hipFree(memory));
}

/* Nothing beside it either, whatever the size is and wherever it begins. */
static void check_fill(unsigned char *memory, size_t room, size_t element, size_t begin,
                       size_t count)
{
    static const uint32_t word = 0x44332211;
    unsigned char *got = malloc(room);
    char *start = (char *)memory + begin * element;
    ok(hipMemset(memory, 0xee, room));
    if (element == 1)
        ok(hipMemsetD8(start, 0x11, count));
    else if (element == 2)
        ok(hipMemsetD16(start, 0x2211, count));
    else
        ok(hipMemsetD32(start, (int)word, count));
    ok(hipMemcpy(got, memory, room, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < room; i++) {
        bool inside = i >= begin * element && i < (begin + count) * element;
        check(got[i] == (inside ? ((const unsigned char *)&word)[i % element] : 0xee));
    }
    free(got);
}

static void fills_of_any_size_begin_anywhere(void **state)
{
    static const size_t counts[] = {1, 2, 3, 5, 31, 1000, 16383, 16385, 66000};
    unsigned char *memory;
    const size_t room = (size_t)70000 * 4;
    (void)state;
    ok(hipMalloc((void **)&memory, room));
    for (size_t element = 1; element <= 4; element *= 2)
        for (size_t begin = 0; begin < 4; begin++)
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                check_fill(memory, room, element, begin, counts[i]);
    ok(hipFree(memory));
}

static void fills_of_host_memory_write_nothing_beside_it(void **state)
{
    enum { ROOM = 128, MOST = 50, BEGIN = 3 };
    unsigned char *memory;
    (void)state;
    ok(hipHostMalloc((void **)&memory, ROOM, 0));
    for (size_t count = 1; count <= MOST; count++) {
        memset(memory, 0xee, ROOM);
        ok(hipMemset(memory + BEGIN, 0x11, count));
        ok(hipDeviceSynchronize());
        for (size_t i = 0; i < ROOM; i++)
            check(memory[i] == (i >= BEGIN && i < BEGIN + count ? 0x11 : 0xee));
    }
    ok(hipHostFree(memory));
}

static void every_fill_checks_address_and_range(void **state)
{
    char *memory;
    int local[64];
    (void)state;
    ok(hipMalloc((void **)&memory, PITCH * ROWS));
    for (size_t i = 0; i < FILLS; i++) {
        const struct fill *fill = &fills[i];
        size_t all = PITCH * ROWS / fill->element, row = PITCH / fill->element;
        expect(fill->call(NULL, PITCH, 1, 5, 3), hipErrorInvalidValue);
        expect(fill->call(local, PITCH, 1, 2, 2), hipErrorInvalidValue);
        expect(fill->call(memory, PITCH, 1, SIZE_MAX / 2, 3), hipErrorInvalidValue);
        ok(fill->call(memory, PITCH, 1, 0, 3));
        ok(fill->call(NULL, PITCH, 1, 0, 0));
        if (!fill->rows) {
            ok(fill->call(memory, 0, 1, all, 1));
            expect(fill->call(memory, 0, 1, all + 1, 1), hipErrorInvalidValue);
            expect(fill->call(memory + fill->element, 0, 1, all, 1), hipErrorInvalidValue);
        } else {
            ok(fill->call(memory, PITCH, 1, row, ROWS));
            expect(fill->call(memory, PITCH, 1, row + 1, ROWS), hipErrorInvalidValue);
            expect(fill->call(memory, PITCH, 1, row, ROWS + 1), hipErrorInvalidValue);
            expect(fill->call(memory, PITCH, 1, 1, SIZE_MAX), hipErrorInvalidValue);
            ok(fill->call(memory, PITCH, 1, 5, 0));
            ok(fill->call(memory, 0, 1, row, 1)); /* one row has no pitch */
        }
        if (fill->element > 1)
            expect(fill->call(memory + 1, PITCH, 1, 5, 3), hipErrorInvalidValue);
    }
    expect(hipMemsetD2D32(memory, PITCH - 2, 1, 2, 2), hipErrorInvalidValue);
    ok(hipFree(memory));
}

static void boxes_are_filled_slice_by_slice(void **state)
{
    hipPitchedPtr box;
    (void)state;
    ok(hipMalloc3D(&box, (hipExtent){10, 4, 3}));
    size_t size = box.pitch * 4 * 3;
    unsigned char *got = malloc(size);
    for (int async = 0; async < 2; async++) {
        ok(hipMemset(box.ptr, 0xee, size));
        if (async)
            ok(hipMemset3DAsync(box, 5, (hipExtent){10, 2, 3}, NULL));
        else
            ok(hipMemset3D(box, 5, (hipExtent){10, 2, 3}));
        ok(hipMemcpy(got, box.ptr, size, hipMemcpyDeviceToHost));
        for (size_t z = 0; z < 3; z++)
            for (size_t y = 0; y < 4; y++)
                for (size_t x = 0; x < box.pitch; x++)
                    check(got[(z * 4 + y) * box.pitch + x] == (x < 10 && y < 2 ? 5 : 0xee));
    }
    ok(hipMemset3D(box, 6, (hipExtent){10, 4, 3}));
    ok(hipMemset3D(box, 6, (hipExtent){0, 4, 3}));
    ok(hipMemset3D(box, 6, (hipExtent){10, 4, 0}));
    expect(hipMemset3D(box, 6, (hipExtent){10, 5, 3}), hipErrorInvalidValue);
    expect(hipMemset3D(box, 6, (hipExtent){10, 4, 4}), hipErrorInvalidValue);
    expect(hipMemset3D(box, 6, (hipExtent){box.pitch + 1, 4, 3}), hipErrorInvalidValue);
    expect(hipMemset3DAsync(box, 6, (hipExtent){10, SIZE_MAX, SIZE_MAX}, NULL),
           hipErrorInvalidValue);
    expect(hipMemset3D((hipPitchedPtr){NULL, 64, 64, 4}, 6, (hipExtent){10, 4, 3}),
           hipErrorInvalidValue);
    ok(hipFree(box.ptr));
    free(got);
}

static void a_fill_of_host_memory_is_done_when_it_returns(void **state)
{
    unsigned char *memory;
    (void)state;
    ok(hipHostMalloc((void **)&memory, 1 << 20, 0));
    ok(hipMemset(memory, 3, 1 << 20));
    check(memory[(1 << 20) - 1] == 3);
    ok(hipHostFree(memory));
    ok(hipMallocManaged((void **)&memory, 1 << 20, hipMemAttachGlobal));
    ok(hipMemset(memory, 4, 1 << 20));
    check(memory[(1 << 20) - 1] == 4);
    ok(hipFree(memory));
}

static void a_fill_of_device_memory_does_not_block(void **state)
{
    unsigned char *memory, back = 0;
    (void)state;
    ok(hipMalloc((void **)&memory, 64));
    the_fake()->hold(true);
    ok(hipMemset(memory, 3, 64));
    ok(hipMemsetAsync(memory, 4, 1, NULL));
    expect(hipStreamQuery(NULL), hipErrorNotReady);
    the_fake()->hold(false);
    ok(hipMemcpy(&back, memory, 1, hipMemcpyDeviceToHost));
    check(back == 4);
    ok(hipFree(memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(allocated_memory_is_aligned_and_holds_what_is_copied_to_it),
        TEST(allocating_nothing_gives_null),
        TEST(allocation_checks_its_arguments),
        TEST(more_memory_than_there_is_is_out_of_memory),
        TEST(kinds_of_memory_are_given_as_far_as_the_driver_has_them),
        TEST(rows_of_pitched_memory_are_apart_by_the_pitch),
        TEST(only_the_start_of_an_allocation_can_be_freed_and_once),
        TEST(freed_memory_can_be_allocated_again_at_the_same_address),
        TEST(freeing_waits_for_the_work_that_uses_the_memory),
        TEST(freeing_page_locked_memory_waits_for_all_devices),
        TEST(freeing_managed_memory_waits_for_all_devices),
        TEST(what_is_free_and_total_is_told),
        TEST_OVER("hsa", "CUDA always says how much is free",
                  without_the_runtimes_answer_free_is_what_the_process_has_not_allocated),
        TEST(a_device_that_has_failed_does_not_say_what_is_free),
        TEST(allocations_know_their_size_and_start),
        TEST_OVER("cuda", "it allocates with a function of CUDA",
                  memory_of_a_vendors_library_can_be_freed),
        TEST(a_driver_that_runs_out_of_memory_is_reported),
        TEST(page_locked_memory_is_reached_by_host_and_kernels),
        TEST(every_name_of_page_locked_allocation_works),
        TEST(page_locked_allocation_checks_its_arguments),
        TEST(registered_memory_is_reached_by_kernels),
        TEST_OVER("cuda", "a code of NVIDIA's driver", what_is_no_memory_is_not_registered),
        TEST(registration_checks_its_arguments),
        TEST(managed_memory_is_used_by_host_and_kernels_at_one_address),
        TEST(managed_memory_is_prefetched_and_advised),
        TEST(coherency_of_memory_that_is_not_managed),
        TEST(managed_functions_check_their_arguments),
        TEST(managed_memory_is_attached_to_streams),
        TEST(every_fill_writes_its_elements_and_nothing_else),
        TEST(fills_of_any_size_begin_anywhere),
        TEST(fills_of_host_memory_write_nothing_beside_it),
        TEST(every_fill_checks_address_and_range),
        TEST(boxes_are_filled_slice_by_slice),
        TEST(a_fill_of_host_memory_is_done_when_it_returns),
        TEST(a_fill_of_device_memory_does_not_block),
    };
    use_fake("80,90");
    return run_group("driver.memory", tests);
}
