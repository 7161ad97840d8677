/* Memory and semaphores of other APIs over a driver: what is refused, with which words, what a
 * driver that lacks them means, and that nothing is left. tests/api/external.hip has what they do.
 */
#include "support.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIZE = 2 << 20 };

/* A semaphore in shared memory: docs/interop.md. */
static int semaphore_file(uint32_t kind)
{
    const struct {
        char mark[8];
        uint32_t kind, turns;
        uint64_t value;
    } words = {.mark = {'A', 'n', 'y', 'H', 'I', 'P', 's', 'm'}, .kind = kind};
    int file = memfd_create("semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    check(file >= 0 && write(file, &words, sizeof words) == (ssize_t)sizeof words &&
          fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    return file;
}

static hipExternalSemaphoreHandleDesc timeline_of(int file)
{
    return (hipExternalSemaphoreHandleDesc){
        .type = hipExternalSemaphoreHandleTypeTimelineSemaphoreFd, .handle.fd = file};
}

static hipExternalSemaphore_t a_timeline(void)
{
    hipExternalSemaphore_t semaphore;
    const hipExternalSemaphoreHandleDesc description = timeline_of(semaphore_file(2));
    ok(hipImportExternalSemaphore(&semaphore, &description));
    return semaphore;
}

/* A file of SIZE bytes of memory. */
static int memory_file(void)
{
    int file = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    check(file >= 0 && ftruncate(file, SIZE) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    return file;
}

static hipExternalMemoryHandleDesc memory_of(int file, uint64_t size)
{
    return (hipExternalMemoryHandleDesc){
        .type = hipExternalMemoryHandleTypeOpaqueFd, .handle.fd = file, .size = size};
}

/* ---- memory -------------------------------------------------------------------------- */

static void memory_is_imported_mapped_and_freed_in_any_order(void **state)
{
    hipExternalMemory_t memory;
    const hipExternalMemoryHandleDesc description = memory_of(memory_file(), SIZE);
    const hipExternalMemoryBufferDesc all = {.size = SIZE}, part = {.offset = 4096, .size = 4096};
    uint32_t *first, *second, words[64];
    (void)state;
    ok(hipImportExternalMemory(&memory, &description));
    ok(hipExternalMemoryGetMappedBuffer((void **)&first, memory, &all));
    ok(hipExternalMemoryGetMappedBuffer((void **)&second, memory, &part));
    check(fcntl(description.handle.fd, F_GETFD) < 0 ||
          over_hsa()); /* the driver's, or the backend's */
    ok(launch_fill(first + 1024, 9, 64, NULL));
    ok(hipMemcpy(words, second, sizeof words, hipMemcpyDeviceToHost));
    check_words(words, 64, 9);
    ok(hipFree(first));
    ok(hipDestroyExternalMemory(memory));
    ok(hipMemcpy(words, second, sizeof words, hipMemcpyDeviceToHost));
    check_words(words, 64, 9);
    expect(hipMemset(second, 0, 4097), hipErrorInvalidValue);
    ok(hipFree(second));
    check(fcntl(description.handle.fd, F_GETFD) < 0);
}

static void what_is_not_memory_is_refused(void **state)
{
    hipExternalMemory_t memory;
    hipExternalMemoryHandleDesc description = memory_of(1000, SIZE);
    const hipError_t foreign = over_hsa() ? hipErrorInvalidValue : hipErrorOperatingSystem;
    (void)state;
    expect_says(hipImportExternalMemory(&memory, &description), hipErrorInvalidValue,
                "1000 is not an open file descriptor");
    description.type = hipExternalMemoryHandleTypeD3D11Resource;
    expect_says(hipImportExternalMemory(&memory, &description), hipErrorNotSupported,
                "handles of memory of type 6 exist on other systems only");
    description = memory_of(0, SIZE);
    expect_says(hipImportExternalMemory(&memory, &description), foreign,
                over_hsa() ? "file descriptor 0 is not memory that the device can use"
                           : "cuImportExternalMemory");
    description = memory_of(memory_file(), SIZE + 1);
    expect_says(hipImportExternalMemory(&memory, &description), hipErrorInvalidValue,
                over_hsa() ? "imported memory has 2097152 bytes and not 2097153"
                           : "cuImportExternalMemory");
    close(description.handle.fd);
}

static void what_a_driver_refuses_stays_the_programs_file(void **state)
{
    hipExternalMemory_t memory;
    hipExternalSemaphore_t semaphore;
    hipExternalMemoryHandleDesc description = memory_of(memory_file(), SIZE + 1);
    hipExternalSemaphoreHandleDesc timeline = timeline_of(memory_file());
    (void)state;
    for (int closes = 0; closes < 2; closes++) {
        int next = dup(0); /* the first number that is free */
        close(next);
        fakecuda_close_files(closes);
        expect(hipImportExternalMemory(&memory, &description), hipErrorInvalidValue);
        check(hipImportExternalSemaphore(&semaphore, &timeline) != hipSuccess);
        check(fcntl(description.handle.fd, F_GETFD) >= 0 &&
              fcntl(timeline.handle.fd, F_GETFD) >= 0);
        check(fcntl(next, F_GETFD) < 0); /* no copy is left */
    }
    fakecuda_close_files(false);
    description.size = SIZE;
    ok(hipImportExternalMemory(&memory, &description));
    ok(hipDestroyExternalMemory(memory));
    check(fcntl(description.handle.fd, F_GETFD) < 0);
    close(timeline.handle.fd);
}

/* Imports while the process can have no other file. */
static hipError_t import_as_the_last_file(hipExternalMemory_t *memory,
                                          const hipExternalMemoryHandleDesc *description)
{
    struct rlimit before, few;
    int next = dup(0);
    close(next);
    check(getrlimit(RLIMIT_NOFILE, &before) == 0);
    few = before;
    few.rlim_cur = (rlim_t)next;
    check(setrlimit(RLIMIT_NOFILE, &few) == 0);
    hipError_t error = hipImportExternalMemory(memory, description);
    check(setrlimit(RLIMIT_NOFILE, &before) == 0);
    return error;
}

static void a_copy_of_the_file_may_be_one_too_many(void **state)
{
    hipExternalMemory_t memory;
    const hipExternalMemoryHandleDesc description = memory_of(memory_file(), SIZE);
    (void)state;
    expect_says(import_as_the_last_file(&memory, &description), hipErrorOutOfMemory,
                "cannot duplicate file descriptor");
    ok(hipImportExternalMemory(&memory, &description));
    ok(hipDestroyExternalMemory(memory));
}

static void parts_are_in_the_memory(void **state)
{
    hipExternalMemory_t memory;
    void *pointer;
    const hipExternalMemoryHandleDesc description = memory_of(memory_file(), 8192);
    const hipExternalMemoryBufferDesc beyond = {.offset = 4096, .size = 4097};
    (void)state;
    ok(hipImportExternalMemory(&memory, &description));
    expect_says(hipExternalMemoryGetMappedBuffer(&pointer, memory, &beyond), hipErrorInvalidValue,
                "4097 bytes from 4096 on reach beyond imported memory of 8192 bytes");
    ok(hipDestroyExternalMemory(memory));
}

static void arrays_begin_where_images_can(void **state)
{
    hipExternalMemory_t memory;
    hipMipmappedArray_t mipmap;
    const hipExternalMemoryHandleDesc description = memory_of(memory_file(), SIZE);
    hipExternalMemoryMipmappedArrayDesc levels = {
        .offset = 100,
        .formatDesc = {32, 0, 0, 0, hipChannelFormatKindUnsigned},
        .extent = {16, 16, 0},
        .numLevels = 3};
    (void)state;
    ok(hipSetDevice(1)); /* over HSA a gfx1100, which has levels */
    ok(hipImportExternalMemory(&memory, &description));
    expect_says(
        hipExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &levels), hipErrorInvalidValue,
        over_hsa() ? "an image cannot begin 100 bytes into memory: this is not a multiple of"
                   : "cuExternalMemoryGetMappedMipmappedArray");
    levels.offset = SIZE - 512;
    unsigned calls = fakecuda_calls("cuExternalMemoryGetMappedMipmappedArray");
    expect_says(hipExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &levels),
                hipErrorInvalidValue, "beyond imported memory of 2097152 bytes");
    check(fakecuda_calls("cuExternalMemoryGetMappedMipmappedArray") == calls); /* it may take it */
    levels.offset = 512;
    ok(hipExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &levels));
    ok(hipDestroyExternalMemory(memory));
    ok(hipFreeMipmappedArray(mipmap));
    ok(hipSetDevice(0));
}

/* What HIP could not register it unmaps. */
static void a_failure_leaves_nothing(void **state)
{
    hipExternalMemory_t memory = NULL;
    void *pointer = NULL;
    hipExternalMemoryHandleDesc description = memory_of(memory_file(), SIZE);
    const hipExternalMemoryBufferDesc all = {.size = SIZE};
    const char *import = over_hsa() ? "hsa_amd_interop_map_buffer" : "cuImportExternalMemory";
    const char *map = over_hsa() ? "hsa_amd_interop_map_buffer" : "cuExternalMemoryGetMappedBuffer";
    const int code = over_hsa() ? HSA_OUT_OF_RESOURCES : 304;
    (void)state;
    the_fake()->fail_call(import, 1, code);
    check(hipImportExternalMemory(&memory, &description) != hipSuccess && !memory);
    check(fcntl(description.handle.fd, F_GETFD) >= 0); /* still the program's */
    ok(hipImportExternalMemory(&memory, &description));
    if (over_hsa()) /* the first buffer takes the mapping of the import */
        ok(hipExternalMemoryGetMappedBuffer(&pointer, memory, &all));
    void *kept = pointer;
    the_fake()->fail_call(map, 1, code);
    check(hipExternalMemoryGetMappedBuffer(&pointer, memory, &all) != hipSuccess);
    check(pointer == kept);
    ok(hipFree(kept));
    ok(hipDestroyExternalMemory(memory));
}

static void a_reset_takes_what_was_imported(void **state)
{
    hipExternalMemory_t memory;
    void *pointer;
    hipExternalSemaphore_t semaphore = a_timeline();
    const hipExternalMemoryHandleDesc description = memory_of(memory_file(), SIZE);
    const hipExternalMemoryBufferDesc all = {.size = SIZE};
    (void)state;
    ok(hipImportExternalMemory(&memory, &description));
    ok(hipExternalMemoryGetMappedBuffer(&pointer, memory, &all));
    ok(hipDeviceReset());
    expect(hipDestroyExternalMemory(memory), hipErrorInvalidValue);
    expect(hipDestroyExternalSemaphore(semaphore), hipErrorInvalidValue);
    expect(hipFree(pointer), hipErrorInvalidValue);
    check(load_kernels() == 0);
}

/* ---- memory for others --------------------------------------------------------------- */

static void ranges_are_exported(void **state)
{
    int file = -1, local = 0;
    char *memory;
    const size_t page = 4096;
    void *own = (void *)((uintptr_t)&local / page * page);
    (void)state;
    ok(hipMalloc((void **)&memory, SIZE));
    expect_says(hipMemGetHandleForAddressRange(&file, own, page, hipMemRangeHandleTypeDmaBufFd, 0),
                hipErrorInvalidValue, "is not device memory");
    ok(hipMemGetHandleForAddressRange(&file, memory, SIZE, hipMemRangeHandleTypeDmaBufFd,
                                      hipMemRangeFlagDmaBufMappingTypePcie));
    check(close(file) == 0);
    file = -1;
    expect_says(hipMemGetHandleForAddressRange(&file, memory, SIZE + page,
                                               hipMemRangeHandleTypeDmaBufFd, 0),
                hipErrorInvalidValue,
                over_hsa() ? "are not all in an allocation" : "cuMemGetHandleForAddressRange");
    if (over_hsa()) {
        expect_says(hipMemGetHandleForAddressRange(&file, memory + page, page,
                                                   hipMemRangeHandleTypeDmaBufFd, 0),
                    hipErrorNotSupported, "the range does not begin where one does");
    } else {
        ok(hipMemGetHandleForAddressRange(&file, memory + page, page, hipMemRangeHandleTypeDmaBufFd,
                                          0));
        check(close(file) == 0);
    }
    ok(hipFree(memory));
}

/* ---- semaphores ---------------------------------------------------------------------- */

static void what_is_not_a_semaphore_is_refused(void **state)
{
    hipExternalSemaphore_t semaphore;
    hipExternalSemaphoreHandleDesc description = timeline_of(1000);
    (void)state;
    expect_says(hipImportExternalSemaphore(&semaphore, &description), hipErrorInvalidValue,
                "1000 is not an open file descriptor");
    description.type = hipExternalSemaphoreHandleTypeD3D12Fence;
    expect_says(hipImportExternalSemaphore(&semaphore, &description), hipErrorNotSupported,
                "handles of semaphores of type 4 exist on other systems only");
    description = timeline_of(0);
    check(hipImportExternalSemaphore(&semaphore, &description) != hipSuccess);
}

static void a_semaphore_is_used_on_its_device(void **state)
{
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphNode_t node;
    hipExternalSemaphore_t list[2] = {a_timeline(), NULL};
    const hipExternalSemaphoreSignalParams signals[2] = {{.params.fence.value = 1}};
    const hipExternalSemaphoreWaitParams waits[1] = {{.params.fence.value = 1}};
    const hipExternalSemaphoreSignalNodeParams params = {list, signals, 2};
    (void)state;
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&stream));
    expect_says(hipSignalExternalSemaphoresAsync(list, signals, 1, stream), hipErrorInvalidValue,
                "a semaphore that was imported on device 0 is used in a stream of device 1");
    list[1] = a_timeline();
    ok(hipGraphCreate(&graph, 0));
    expect_says(hipGraphAddExternalSemaphoresSignalNode(&node, graph, NULL, 0, &params),
                hipErrorInvalidValue, "the semaphores of a node were imported on several devices");
    ok(hipGraphDestroy(graph));
    ok(hipStreamDestroy(stream));
    check(hipSignalExternalSemaphoresAsync(list, signals, 1, stream) == hipErrorInvalidValue);
    check(hipWaitExternalSemaphoresAsync(list, waits, 1, stream) == hipErrorInvalidValue);
    ok(hipDestroyExternalSemaphore(list[1]));
    ok(hipSetDevice(0));
    ok(hipDestroyExternalSemaphore(list[0]));
}

/* A timeline does not go back, and the log says that it was to. */
static void a_timeline_stays_where_it_is(void **state)
{
    hipExternalSemaphore_t semaphore = a_timeline();
    hipExternalSemaphoreSignalParams params = {.params.fence.value = 5};
    (void)state;
    ok(hipSignalExternalSemaphoresAsync(&semaphore, &params, 1, NULL));
    ok(hipStreamSynchronize(NULL));
    params.params.fence.value = 4;
    if (over_hsa())
        begin_says();
    ok(hipSignalExternalSemaphoresAsync(&semaphore, &params, 1, NULL));
    hipError_t error = hipStreamSynchronize(NULL);
    if (over_hsa()) /* NVIDIA's driver has a log of its own */
        expect_said((int)error, hipSuccess, "a semaphore was not signalled with 4",
                    "hipStreamSynchronize", __FILE__, __LINE__);
    ok(error);
    params.params.fence.value = 5;
    const hipExternalSemaphoreWaitParams wait = {.params.fence.value = 5};
    ok(hipWaitExternalSemaphoresAsync(&semaphore, &wait, 1, NULL));
    ok(hipStreamSynchronize(NULL));
    ok(hipDestroyExternalSemaphore(semaphore));
}

static void a_semaphore_is_kept_while_it_is_waited_for(void **state)
{
    hipExternalSemaphore_t semaphore = a_timeline(), other = a_timeline();
    const hipExternalSemaphoreWaitParams wait = {.params.fence.value = 1};
    const hipExternalSemaphoreSignalParams signal = {.params.fence.value = 1};
    struct gate gate;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    gate = close_gate(stream);
    ok(hipSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream));
    ok(hipWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream));
    ok(hipDestroyExternalSemaphore(semaphore));
    ok(hipDestroyExternalSemaphore(other));
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
    ok(hipStreamDestroy(stream));
    forget_violations(); /* NVIDIA's driver asks that the work has ended */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(memory_is_imported_mapped_and_freed_in_any_order),
        TEST(what_is_not_memory_is_refused),
        TEST(what_a_driver_refuses_stays_the_programs_file),
        TEST_OVER("cuda", "NVIDIA's driver closes files", a_copy_of_the_file_may_be_one_too_many),
        TEST(parts_are_in_the_memory),
        TEST(arrays_begin_where_images_can),
        TEST(a_failure_leaves_nothing),
        TEST(a_reset_takes_what_was_imported),
        TEST(ranges_are_exported),
        TEST(what_is_not_a_semaphore_is_refused),
        TEST(a_semaphore_is_used_on_its_device),
        TEST(a_timeline_stays_where_it_is),
        TEST(a_semaphore_is_kept_while_it_is_waited_for),
    };
    use_fake("80,90");
    return run_group("driver.external", tests);
}
