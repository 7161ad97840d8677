/* Stream-ordered allocation and memory pools. */
#include "support.h"

#include <string.h>
#include <unistd.h>

static hipMemPoolProps properties_of(int device)
{
    hipMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.allocType = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    properties.location.id = device;
    return properties;
}

static hipMemPool_t make_pool(int device)
{
    hipMemPoolProps properties = properties_of(device);
    hipMemPool_t pool;
    ok(hipMemPoolCreate(&pool, &properties));
    return pool;
}

/* ---- allocation ------------------------------------------------------------------------------ */

static void memory_lives_in_stream_order(void **state)
{
    hipStream_t stream;
    uint32_t *memory, *again, back[64];
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMallocAsync((void **)&memory, sizeof back, stream));
    ok(launch_fill(memory, 7, 64, stream));
    ok(hipMemcpyAsync(back, memory, sizeof back, hipMemcpyDeviceToHost, stream));
    ok(hipFreeAsync(memory, stream));
    ok(hipMallocAsync((void **)&again, sizeof back, stream));
    ok(launch_fill(again, 8, 64, stream));
    ok(hipStreamSynchronize(stream));
    check_words(back, 64, 7);
    ok(hipFreeAsync(again, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
}

static void the_memory_of_a_free_is_used_until_the_stream_is_there(void **state)
{
    hipStream_t stream;
    uint32_t *memory, *pinned;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    ok(hipMallocAsync((void **)&memory, 4, stream));
    struct gate gate = close_gate(stream);
    ok(launch_fill(memory, 5, 1, stream));
    ok(hipMemcpyAsync(pinned, memory, 4, hipMemcpyDeviceToHost, stream));
    ok(hipFreeAsync(memory, stream));
    expect(hipFreeAsync(memory, stream), hipErrorInvalidValue); /* once */
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    expect(hipFree(memory), hipErrorInvalidValue);
    check(*pinned == 5);
    free_gate(&gate);
    ok(hipHostFree(pinned));
    ok(hipStreamDestroy(stream));
}

static void the_two_allocators_take_each_others_memory(void **state)
{
    void *plain, *pooled;
    (void)state;
    ok(hipMalloc(&plain, 64));
    ok(hipMallocAsync(&pooled, 64, NULL));
    ok(hipFreeAsync(plain, NULL));
    ok(hipFree(pooled));
    ok(hipDeviceSynchronize());
}

static void allocation_checks_its_arguments(void **state)
{
    void *memory = &memory, *pinned;
    char *inside;
    hipMemPool_t pool = make_pool(0), destroyed = make_pool(0);
    int local;
    (void)state;
    ok(hipMemPoolDestroy(destroyed));
    ok(hipMallocAsync(&memory, 0, NULL));
    check(memory == NULL);
    memory = &memory;
    ok(hipMallocFromPoolAsync(&memory, 0, pool, NULL));
    check(memory == NULL);
    expect(hipMallocAsync(NULL, 16, NULL), hipErrorInvalidValue);
    expect(hipMallocFromPoolAsync(NULL, 16, pool, NULL), hipErrorInvalidValue);
    expect(hipMallocFromPoolAsync(&memory, 16, NULL, NULL), hipErrorInvalidValue);
    expect(hipMallocFromPoolAsync(&memory, 16, destroyed, NULL), hipErrorInvalidValue);
    expect(hipMallocFromPoolAsync(&memory, 16, (hipMemPool_t)(void *)&local, NULL),
           hipErrorInvalidValue);
    expect(hipMallocAsync(&memory, (size_t)1 << 50, NULL), hipErrorOutOfMemory);
    ok(hipFreeAsync(NULL, NULL));
    ok(hipHostMalloc(&pinned, 64, 0));
    expect(hipFreeAsync(pinned, NULL), hipErrorInvalidValue);
    expect(hipFreeAsync(&local, NULL), hipErrorInvalidValue);
    ok(hipMallocAsync((void **)&inside, 64, NULL));
    expect(hipFreeAsync(inside + 8, NULL), hipErrorInvalidValue);
    ok(hipFreeAsync(inside, NULL));
    ok(hipDeviceSynchronize());
    ok(hipHostFree(pinned));
    ok(hipMemPoolDestroy(pool));
}

static void copies_of_pooled_memory_are_checked(void **state)
{
    uint32_t *memory, host[17];
    (void)state;
    ok(hipMallocAsync((void **)&memory, 64, NULL));
    ok(hipMemcpy(host, memory, 64, hipMemcpyDeviceToHost));
    expect(hipMemcpy(host, memory, 65, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    expect(hipMemset(memory, 0, 65), hipErrorInvalidValue);
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
}

static void memory_used_after_its_free_faults(void **state)
{
    hipStream_t first, second;
    uint32_t *memory;
    (void)state;
    ok(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    ok(hipMallocAsync((void **)&memory, 64, first));
    ok(hipStreamSynchronize(first));
    struct gate gate = close_gate(second);
    ok(hipMemsetAsync(memory, 0, 64, second)); /* not ordered after the allocation's life */
    ok(hipFreeAsync(memory, first));
    ok(hipStreamSynchronize(first));
    open_gate(&gate);
    expect(hipStreamSynchronize(second), hipErrorIllegalAddress);
    if (over_hsa())
        forget_violations(); /* that copy */
    ok(hipDeviceReset());
}

/* ---- pools
 * --------------------------------------------------------------------------------------- */

static void a_device_has_a_default_and_a_current_pool(void **state)
{
    hipMemPool_t first, again, current, mine = make_pool(0);
    hipMemLocation here = {.type = hipMemLocationTypeDevice, .id = 0};
    (void)state;
    ok(hipDeviceGetDefaultMemPool(&first, 0));
    ok(hipDeviceGetDefaultMemPool(&again, 0));
    ok(hipDeviceGetMemPool(&current, 0));
    check(first == again && first == current);
    ok(hipMemGetDefaultMemPool(&again, &here, hipMemAllocationTypePinned));
    check(first == again);
    ok(hipDeviceSetMemPool(0, mine));
    ok(hipDeviceGetMemPool(&current, 0));
    check(current == mine);
    ok(hipMemGetMemPool(&current, &here, hipMemAllocationTypePinned));
    check(current == mine);
    ok(hipDeviceGetDefaultMemPool(&again, 0));
    check(first == again);
    ok(hipMemSetMemPool(&here, hipMemAllocationTypePinned, first));
    ok(hipDeviceGetMemPool(&current, 0));
    check(current == first);
    /* A destroyed pool is current no more. */
    ok(hipDeviceSetMemPool(0, mine));
    ok(hipMemPoolDestroy(mine));
    ok(hipDeviceGetMemPool(&current, 0));
    check(current == first);
    ok(hipDeviceGetDefaultMemPool(&again, 1));
    check(again != first);
}

static void the_current_pool_is_taken_from(void **state)
{
    hipMemPool_t mine = make_pool(0), first;
    uint64_t used = 0;
    void *memory;
    (void)state;
    ok(hipDeviceGetDefaultMemPool(&first, 0));
    ok(hipDeviceSetMemPool(0, mine));
    ok(hipMallocAsync(&memory, 1024, NULL));
    ok(hipMemPoolGetAttribute(mine, hipMemPoolAttrUsedMemCurrent, &used));
    check(used == 1024);
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolGetAttribute(mine, hipMemPoolAttrUsedMemCurrent, &used));
    check(used == 0);
    ok(hipMallocFromPoolAsync(&memory, 2048, first, NULL));
    ok(hipMemPoolGetAttribute(mine, hipMemPoolAttrUsedMemCurrent, &used));
    check(used == 0);
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolDestroy(mine));
}

static void memory_outlives_its_pool(void **state)
{
    hipMemPool_t mine = make_pool(0);
    void *memory;
    (void)state;
    ok(hipMallocFromPoolAsync(&memory, 1024, mine, NULL));
    ok(hipMemPoolDestroy(mine));
    ok(hipMemset(memory, 1, 1024));
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
}

/* Makes count pools, which a reset takes: the distance of the last handle from the first one of
 * all. */
static ptrdiff_t make_pools_and_reset(unsigned count)
{
    static char *first, *last;
    hipMemPoolProps properties = properties_of(0);
    hipMemPool_t pool;
    while (count-- > 0) {
        ok(hipMemPoolCreate(&pool, &properties));
        char *handle = (char *)(void *)pool;
        first = first && first < handle ? first : handle;
        last = last > handle ? last : handle;
    }
    ok(hipDeviceReset());
    return last - first;
}

static void handles_of_pools_that_a_reset_took_are_used_again(void **state)
{
    enum { POOLS = 300, ROUNDS = 3 }; /* more than the handles that wait to be used again */
    (void)state;
    for (int i = 0; i < ROUNDS; i++)
        (void)make_pools_and_reset(POOLS);
    ptrdiff_t before = make_pools_and_reset(POOLS);
    for (int i = 0; i < ROUNDS; i++)
        (void)make_pools_and_reset(POOLS);
    check(make_pools_and_reset(POOLS) < before + before / 4);
}

static void pool_functions_check_their_arguments(void **state)
{
    hipMemPool_t pool, first, destroyed = make_pool(0), other = make_pool(1);
    hipMemPoolProps properties = properties_of(0), bad;
    hipMemLocation here = {.type = hipMemLocationTypeDevice, .id = 0};
    hipMemLocation nowhere = {.type = hipMemLocationTypeHost, .id = 0};
    int local;
    (void)state;
    ok(hipMemPoolDestroy(destroyed));
    ok(hipDeviceGetDefaultMemPool(&first, 0));
    expect(hipMemPoolCreate(NULL, &properties), hipErrorInvalidValue);
    expect(hipMemPoolCreate(&pool, NULL), hipErrorInvalidValue);
    bad = properties;
    bad.allocType = hipMemAllocationTypeInvalid;
    expect(hipMemPoolCreate(&pool, &bad), hipErrorInvalidValue);
    bad = properties;
    bad.location.type = hipMemLocationTypeInvalid;
    expect(hipMemPoolCreate(&pool, &bad), hipErrorInvalidValue);
    bad = properties;
    bad.location.id = 2;
    expect(hipMemPoolCreate(&pool, &bad), hipErrorInvalidValue);
    bad = properties;
    bad.handleTypes = (hipMemAllocationHandleType)0x1000;
    expect(hipMemPoolCreate(&pool, &bad), over_hsa() ? hipErrorNotSupported : hipErrorInvalidValue);
    hipMemPool_t wrong[] = {NULL, destroyed, (hipMemPool_t)(void *)&local};
    for (size_t i = 0; i < 3; i++) {
        uint64_t value = 0;
        hipMemAccessFlags flags;
        hipMemAccessDesc access = {.location = here, .flags = hipMemAccessFlagsProtReadWrite};
        expect(hipMemPoolDestroy(wrong[i]), hipErrorInvalidValue);
        expect(hipMemPoolTrimTo(wrong[i], 0), hipErrorInvalidValue);
        expect(hipMemPoolGetAttribute(wrong[i], hipMemPoolAttrReleaseThreshold, &value),
               hipErrorInvalidValue);
        expect(hipMemPoolSetAttribute(wrong[i], hipMemPoolAttrReleaseThreshold, &value),
               hipErrorInvalidValue);
        expect(hipMemPoolGetAccess(&flags, wrong[i], &here), hipErrorInvalidValue);
        expect(hipMemPoolSetAccess(wrong[i], &access, 1), hipErrorInvalidValue);
        expect(hipDeviceSetMemPool(0, wrong[i]), hipErrorInvalidValue);
        expect(hipMemSetMemPool(&here, hipMemAllocationTypePinned, wrong[i]), hipErrorInvalidValue);
        expect(hipMemPoolExportToShareableHandle(&local, wrong[i],
                                                 hipMemHandleTypePosixFileDescriptor, 0),
               hipErrorInvalidValue);
    }
    expect(hipMemPoolDestroy(first), hipErrorInvalidValue); /* a default pool */
    expect(hipDeviceSetMemPool(0, other), hipErrorInvalidValue);
    expect(hipDeviceSetMemPool(2, first), hipErrorInvalidValue);
    expect(hipDeviceGetMemPool(NULL, 0), hipErrorInvalidValue);
    expect(hipDeviceGetMemPool(&pool, 2), hipErrorInvalidValue);
    expect(hipDeviceGetDefaultMemPool(NULL, 0), hipErrorInvalidValue);
    expect(hipDeviceGetDefaultMemPool(&pool, -1), hipErrorInvalidDevice);
    expect(hipMemGetDefaultMemPool(NULL, &here, hipMemAllocationTypePinned), hipErrorInvalidValue);
    expect(hipMemGetDefaultMemPool(&pool, NULL, hipMemAllocationTypePinned), hipErrorInvalidValue);
    expect(hipMemGetDefaultMemPool(&pool, &nowhere, hipMemAllocationTypePinned),
           hipErrorInvalidValue);
    expect(hipMemGetMemPool(NULL, &here, hipMemAllocationTypePinned), hipErrorInvalidValue);
    expect(hipMemGetMemPool(&pool, &here, hipMemAllocationTypeInvalid), hipErrorInvalidValue);
    expect(hipMemSetMemPool(NULL, hipMemAllocationTypePinned, first), hipErrorInvalidValue);
    ok(hipMemPoolDestroy(other));
}

/* ---- attributes
 * -------------------------------------------------------------------------------------- */

static void attributes_of_pools_are_read_and_set(void **state)
{
    hipMemPool_t pool = make_pool(0);
    uint64_t wide, zero = 0;
    int flag;
    void *memory;
    (void)state;
    for (int i = hipMemPoolReuseFollowEventDependencies;
         i <= hipMemPoolReuseAllowInternalDependencies; i++) {
        ok(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)i, &flag));
        check(flag == 1);
        flag = 0;
        ok(hipMemPoolSetAttribute(pool, (hipMemPoolAttr)i, &flag));
        flag = 1;
        ok(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)i, &flag));
        check(flag == 0);
    }
    wide = 1 << 20;
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &wide));
    ok(hipMallocFromPoolAsync(&memory, 4096, pool, NULL));
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &wide));
    check(wide == 4096); /* kept */
    ok(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &wide));
    check(wide == 4096);
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero));
    ok(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &wide));
    check(wide == 0);
    ok(hipMemPoolTrimTo(pool, 1024));
    ok(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &wide));
    check(wide == (over_hsa() ? 0 : 1024)); /* blocks are kept or not */
    wide = 5;
    expect(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &wide), hipErrorInvalidValue);
    expect(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &zero), hipErrorInvalidValue);
    expect(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)0, &wide), hipErrorInvalidValue);
    expect(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)9, &wide), hipErrorInvalidValue);
    expect(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, NULL), hipErrorInvalidValue);
    expect(hipMemPoolSetAttribute(pool, (hipMemPoolAttr)9, &wide), hipErrorInvalidValue);
    expect(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, NULL), hipErrorInvalidValue);
    ok(hipMemPoolDestroy(pool));
}

static void a_pool_has_a_largest_size(void **state)
{
    hipMemPoolProps properties = properties_of(0);
    hipMemPool_t pool;
    void *first, *second;
    (void)state;
    properties.maxSize = 1 << 16;
    ok(hipMemPoolCreate(&pool, &properties));
    ok(hipMallocFromPoolAsync(&first, 1 << 15, pool, NULL));
    expect(hipMallocFromPoolAsync(&second, (1 << 15) + 1, pool, NULL), hipErrorOutOfMemory);
    ok(hipMallocFromPoolAsync(&second, 1 << 15, pool, NULL));
    ok(hipFreeAsync(first, NULL));
    ok(hipFreeAsync(second, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolDestroy(pool));
}

static void access_to_a_pool_is_given_to_devices(void **state)
{
    hipMemPool_t pool = make_pool(0);
    hipMemLocation other = {.type = hipMemLocationTypeDevice, .id = 1}, own = {.id = 0},
                   host = {.type = hipMemLocationTypeHost},
                   missing = {.type = hipMemLocationTypeDevice, .id = 2};
    hipMemAccessDesc access = {.location = other, .flags = hipMemAccessFlagsProtReadWrite};
    hipMemAccessFlags flags;
    (void)state;
    own.type = hipMemLocationTypeDevice;
    ok(hipMemPoolGetAccess(&flags, pool, &own));
    check(flags == hipMemAccessFlagsProtReadWrite);
    ok(hipMemPoolGetAccess(&flags, pool, &other));
    check(flags == hipMemAccessFlagsProtNone);
    ok(hipMemPoolSetAccess(pool, &access, 1));
    ok(hipMemPoolGetAccess(&flags, pool, &other));
    check(flags == hipMemAccessFlagsProtReadWrite);
    access.flags = hipMemAccessFlagsProtNone;
    ok(hipMemPoolSetAccess(pool, &access, 1));
    access.location = own;
    expect(hipMemPoolSetAccess(pool, &access, 1),
           over_hsa() ? hipErrorInvalidDevice : hipErrorInvalidValue);
    const hipMemAccessDesc more_than_devices[3] = {access, access, access};
    expect(hipMemPoolSetAccess(pool, more_than_devices, 3), hipErrorInvalidDevice);
    access.location = missing;
    expect(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidDevice);
    access.location = host;
    expect(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidValue);
    access.location = other;
    access.flags = (hipMemAccessFlags)7;
    expect(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidValue);
    expect(hipMemPoolSetAccess(pool, NULL, 1), hipErrorInvalidValue);
    expect(hipMemPoolSetAccess(pool, &access, 0), hipErrorInvalidValue);
    expect(hipMemPoolGetAccess(NULL, pool, &own), hipErrorInvalidValue);
    expect(hipMemPoolGetAccess(&flags, pool, NULL), hipErrorInvalidValue);
    expect(hipMemPoolGetAccess(&flags, pool, &missing), hipErrorInvalidValue);
    ok(hipMemPoolDestroy(pool));
}

/* ---- sharing
 * --------------------------------------------------------------------------------------------- */

static void pools_and_their_memory_are_exported_and_imported(void **state)
{
    hipMemPoolProps properties = properties_of(0);
    hipMemPool_t pool, imported;
    hipMemPoolPtrExportData data;
    uint32_t *memory, *same, word = 0;
    void *again, *never, *of_no_pool;
    int file = -1;
    (void)state;
    properties.handleTypes = hipMemHandleTypePosixFileDescriptor;
    ok(hipMemPoolCreate(&pool, &properties));
    ok(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                           hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMallocFromPoolAsync((void **)&memory, 4, pool, NULL));
    ok(launch_fill(memory, 42, 1, NULL));
    ok(hipMemPoolExportPointer(&data, memory));
    ok(hipMemPoolImportPointer((void **)&same, imported, &data));
    ok(hipMemcpy(&word, same, 4, hipMemcpyDeviceToHost));
    check(word == 42);
    ok(hipMemPoolImportPointer((void **)&again, imported, &data));
    ok(hipFree(again));
    ok(launch_fill(memory, 43, 1, NULL)); /* which is still there */
    ok(hipMemcpy(&word, same, 4, hipMemcpyDeviceToHost));
    check(word == 43);
    expect(hipMallocFromPoolAsync(&never, 16, imported, NULL), hipErrorInvalidValue);
    expect(hipMemPoolExportPointer(NULL, memory), hipErrorInvalidValue);
    expect(hipMemPoolExportPointer(&data, NULL), hipErrorInvalidValue);
    expect(hipMemPoolExportPointer(&data, &word), hipErrorInvalidValue);
    ok(hipMalloc(&of_no_pool, 64));
    expect(hipMemPoolExportPointer(&data, of_no_pool), hipErrorInvalidValue);
    ok(hipFree(of_no_pool));
    expect(hipMemPoolImportPointer(NULL, imported, &data), hipErrorInvalidValue);
    expect(hipMemPoolImportPointer((void **)&same, NULL, &data), hipErrorInvalidValue);
    expect(hipMemPoolImportPointer((void **)&same, imported, NULL), hipErrorInvalidValue);
    expect(hipMemPoolExportToShareableHandle(NULL, pool, hipMemHandleTypePosixFileDescriptor, 0),
           hipErrorInvalidValue);
    expect(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 1),
           hipErrorInvalidValue);
    expect(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypeNone, 0),
           hipErrorInvalidValue);
    expect(hipMemPoolImportFromShareableHandle(NULL, (void *)(intptr_t)file,
                                               hipMemHandleTypePosixFileDescriptor, 0),
           hipErrorInvalidValue);
    expect(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)-1,
                                               hipMemHandleTypePosixFileDescriptor, 0),
           hipErrorInvalidValue);
    ok(hipFreeAsync(same, NULL));
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolDestroy(imported));
    ok(hipMemPoolDestroy(pool));
    close(file);
}

static void a_pool_of_hsa_is_shared(void **state)
{
    hipMemPoolProps properties = properties_of(0);
    hipMemPool_t pool, imported;
    hipMemPoolPtrExportData data;
    void *memory, *same, *never;
    int file = -1;
    (void)state;
    properties.handleTypes = hipMemHandleTypePosixFileDescriptor;
    ok(hipMemPoolCreate(&pool, &properties));
    expect(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypeNone, 0),
           hipErrorInvalidValue);
    ok(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                           hipMemHandleTypePosixFileDescriptor, 0));
    expect(hipMallocFromPoolAsync(&never, 16, imported, NULL), hipErrorInvalidValue);
    ok(hipMallocFromPoolAsync(&memory, 4, pool, NULL));
    fakehsa()->fail_call("hsa_amd_ipc_memory_create", 1, HSA_OUT_OF_RESOURCES);
    expect(hipMemPoolExportPointer(&data, memory), hipErrorOutOfMemory);
    ok(hipMemPoolExportPointer(&data, memory));
    expect(hipMemPoolExportPointer(&data, (char *)memory + 1), hipErrorInvalidValue);
    ok(hipMemPoolImportPointer(&same, imported, &data)); /* the process itself */
    ok(hipFreeAsync(same, NULL));
    ok(hipMemset(memory, 7, 4));
    ok(hipFree(memory));
    expect_says(hipMemPoolImportPointer(&same, imported, &data), hipErrorInvalidValue,
                "the memory of the pool's pointer was freed");
    ok(hipMallocFromPoolAsync(&memory, 4, pool, NULL));
    ok(hipSetDevice(1));
    expect_says(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                                    hipMemHandleTypePosixFileDescriptor, 0),
                hipErrorInvalidValue, "the memory pool is of another device than the current one");
    ok(hipSetDevice(0));
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolDestroy(imported));
    ok(hipMemPoolDestroy(pool));
    close(file);
}

static void a_process_does_not_open_its_own_memory(void **state)
{
    hipIpcMemHandle_t handle;
    void *memory, *opened;
    (void)state;
    ok(hipMalloc(&memory, 64));
    ok(hipIpcGetMemHandle(&handle, memory));
    expect_says(hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess),
                hipErrorInvalidContext,
                "the handle is of this process: use the pointer it was made from");
    ok(hipFree(memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(memory_lives_in_stream_order),
        TEST(the_memory_of_a_free_is_used_until_the_stream_is_there),
        TEST(the_two_allocators_take_each_others_memory),
        TEST(allocation_checks_its_arguments),
        TEST(copies_of_pooled_memory_are_checked),
        TEST(memory_used_after_its_free_faults),
        TEST(a_device_has_a_default_and_a_current_pool),
        TEST(the_current_pool_is_taken_from),
        TEST(memory_outlives_its_pool),
        TEST(handles_of_pools_that_a_reset_took_are_used_again),
        TEST(pool_functions_check_their_arguments),
        TEST(attributes_of_pools_are_read_and_set),
        TEST(a_pool_has_a_largest_size),
        TEST(access_to_a_pool_is_given_to_devices),
        TEST(pools_and_their_memory_are_exported_and_imported),
        TEST_OVER("hsa", "the backend for HSA shares pools by itself", a_pool_of_hsa_is_shared),
        TEST_OVER("hsa", "the driver refuses it", a_process_does_not_open_its_own_memory),
    };
    use_fake("80,90");
    return run_group("driver.pool", tests);
}
