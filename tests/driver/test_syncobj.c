/* Semaphores of the kernel's graphics drivers on AMD devices, over tests/fakes/fakedrm.c, which is
 * libdrm.so.2 here (LD_LIBRARY_PATH). Each test is a process, since a process looks for render
 * nodes once. */
#include "support.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct object {
    char mark[8];
    uint64_t point;
};

static hipExternalSemaphore_t semaphore;
static struct object *object;
static hipStream_t stream;

static hipExternalSemaphoreHandleDesc describe(int file, bool timeline)
{
    return (hipExternalSemaphoreHandleDesc){
        .type = timeline ? hipExternalSemaphoreHandleTypeTimelineSemaphoreFd
                         : hipExternalSemaphoreHandleTypeOpaqueFd,
        .handle.fd = file};
}

static int object_file(void)
{
    const struct object content = {.mark = {'f', 'a', 'k', 'e', 's', 'y', 'n', 'c'}};
    int file = memfd_create("syncobj", MFD_CLOEXEC);
    check(file >= 0 && write(file, &content, sizeof content) == (ssize_t)sizeof content);
    return file;
}

static void import_object(bool timeline)
{
    int file = object_file();
    const hipExternalSemaphoreHandleDesc description = describe(file, timeline);
    void *seen = mmap(NULL, sizeof *object, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    check(seen != MAP_FAILED);
    object = seen;
    ok(hipImportExternalSemaphore(&semaphore, &description));
    ok(hipStreamCreate(&stream));
}

static uint64_t point(void)
{
    return __atomic_load_n(&object->point, __ATOMIC_ACQUIRE);
}

static void end(void)
{
    ok(hipDestroyExternalSemaphore(semaphore));
    ok(hipStreamDestroy(stream));
    ok(hipDeviceReset());
    check(nothing_is_left());
}

static void wait_at(uint64_t value)
{
    const hipExternalSemaphoreWaitParams params = {.params.fence.value = value};
    ok(hipWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream));
}

static void signal_at(uint64_t value)
{
    const hipExternalSemaphoreSignalParams params = {.params.fence.value = value};
    ok(hipSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream));
}

static void use_timeline(void)
{
    use_fake("80");
    import_object(true);
    signal_at(4);
    ok(hipStreamSynchronize(stream));
    check(point() == 4);
    wait_at(9);
    signal_at(20);
    expect(hipStreamQuery(stream), hipErrorNotReady);
    __atomic_store_n(&object->point, 9, __ATOMIC_RELEASE); /* what Vulkan does */
    ok(hipStreamSynchronize(stream));
    check(point() == 20);
    begin_says();
    signal_at(20);
    hipError_t error = hipStreamSynchronize(stream);
    expect_said((int)error, hipSuccess, "a semaphore was not signalled with 20",
                "hipStreamSynchronize", __FILE__, __LINE__);
    end();
}

static void a_timeline_of_the_kernel_is_signalled_and_waited_for(void **state)
{
    (void)state;
    in_child(use_timeline);
}

static void use_binary(void)
{
    use_fake("80");
    import_object(false);
    signal_at(0);
    ok(hipStreamSynchronize(stream));
    check(point() == 1);
    wait_at(0);
    ok(hipStreamSynchronize(stream));
    check(point() == 0); /* a wait resets it */
    wait_at(0);
    expect(hipStreamQuery(stream), hipErrorNotReady);
    __atomic_store_n(&object->point, 1, __ATOMIC_RELEASE);
    ok(hipStreamSynchronize(stream));
    check(point() == 0);
    end();
}

static void a_binary_object_of_the_kernel_is_reset_by_a_wait(void **state)
{
    (void)state;
    in_child(use_binary);
}

static void import_another_file(void)
{
    hipExternalSemaphoreHandleDesc description = describe(memfd_create("none", MFD_CLOEXEC), true);
    use_fake("80");
    check(ftruncate(description.handle.fd, 4096) == 0);
    expect_says(hipImportExternalSemaphore(&semaphore, &description), hipErrorInvalidValue,
                "is not a semaphore");
    check(close(description.handle.fd) == 0);
}

static void another_file_is_no_object(void **state)
{
    (void)state;
    in_child(import_another_file);
}

static void import_without_node(void)
{
    const hipExternalSemaphoreHandleDesc description = describe(object_file(), false);
    setenv("FAKEDRM_NODES", "0", 1);
    use_fake("80");
    expect_says(hipImportExternalSemaphore(&semaphore, &description), hipErrorNotSupported,
                "is not a semaphore in shared memory, and there is no libdrm.so.2 with a render");
}

static void import_without_timelines(void)
{
    hipExternalSemaphoreHandleDesc description = describe(object_file(), true);
    setenv("FAKEDRM_TIMELINES", "0", 1);
    use_fake("80");
    expect_says(hipImportExternalSemaphore(&semaphore, &description), hipErrorNotSupported,
                "is not a semaphore in shared memory, and the kernel's graphics driver has no");
    description.type = hipExternalSemaphoreHandleTypeOpaqueFd;
    ok(hipImportExternalSemaphore(&semaphore, &description));
    ok(hipDestroyExternalSemaphore(semaphore));
}

static void what_the_kernel_lacks_is_refused(void **state)
{
    (void)state;
    in_child(import_without_node);
    in_child(import_without_timelines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timeline_of_the_kernel_is_signalled_and_waited_for),
        cmocka_unit_test(a_binary_object_of_the_kernel_is_reset_by_a_wait),
        cmocka_unit_test(another_file_is_no_object),
        cmocka_unit_test(what_the_kernel_lacks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
