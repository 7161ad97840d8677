/* Virtual memory management: addresses, physical memory, mappings, rights. */
#include "support.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t grain;

static hipMemAllocationProp properties_of(int device)
{
    hipMemAllocationProp properties;
    memset(&properties, 0, sizeof properties);
    properties.type = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    properties.location.id = device;
    return properties;
}

static hipMemGenericAllocationHandle_t make_memory(size_t size)
{
    hipMemAllocationProp properties = properties_of(0);
    hipMemGenericAllocationHandle_t handle;
    ok(hipMemGetAllocationGranularity(&grain, &properties, hipMemAllocationGranularityMinimum));
    ok(hipMemCreate(&handle, size * grain, &properties, 0));
    return handle;
}

static hipMemAccessDesc read_write(int device)
{
    return (hipMemAccessDesc){.location = {.type = hipMemLocationTypeDevice, .id = device},
                              .flags = hipMemAccessFlagsProtReadWrite};
}

static void mapped_memory_is_used_like_any_other(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory(1);
    hipMemAccessDesc access = read_write(0);
    uint32_t *address, back[64];
    unsigned long long flags;
    (void)state;
    ok(hipMemAddressReserve((void **)&address, 2 * grain, 0, NULL, 0));
    check((uintptr_t)address % grain == 0);
    ok(hipMemMap(address, grain, 0, memory, 0));
    ok(hipMemGetAccess(&flags, &access.location, address));
    check(flags == hipMemAccessFlagsProtNone);
    ok(hipMemSetAccess(address, grain, &access, 1));
    ok(hipMemGetAccess(&flags, &access.location, address));
    check(flags == hipMemAccessFlagsProtReadWrite);
    ok(launch_fill(address, 6, 64, NULL));
    ok(hipMemcpy(back, address, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 64, 6);
    ok(hipMemset(address, 0, grain));
    ok(hipMemUnmap(address, grain));
    ok(hipMemRelease(memory));
    ok(hipMemAddressFree(address, 2 * grain));
}

static void one_memory_can_be_behind_two_addresses(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory(1);
    hipMemAccessDesc access = read_write(0);
    char *address;
    uint32_t word = 0;
    (void)state;
    ok(hipMemAddressReserve((void **)&address, 2 * grain, 0, NULL, 0));
    for (int i = 0; i < 2; i++) {
        ok(hipMemMap(address + (size_t)i * grain, grain, 0, memory, 0));
        ok(hipMemSetAccess(address + (size_t)i * grain, grain, &access, 1));
    }
    ok(hipMemRelease(memory)); /* the mappings keep it */
    ok(launch_fill((uint32_t *)(void *)address, 9, 1, NULL));
    ok(hipMemcpy(&word, address + grain, 4, hipMemcpyDeviceToHost));
    check(word == 9);
    ok(hipMemUnmap(address, grain));
    ok(hipMemUnmap(address + grain, grain));
    ok(hipMemAddressFree(address, 2 * grain));
}

/* The device that the memory is of has no access to it, and so cannot be the one that copies. */
static void a_device_copies_what_it_may_access(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory(1);
    hipMemAccessDesc access = read_write(1);
    uint32_t *address, words[64], back[64] = {0};
    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        words[i] = 7;
    ok(hipMemAddressReserve((void **)&address, grain, 0, NULL, 0));
    ok(hipMemMap(address, grain, 0, memory, 0));
    ok(hipMemSetAccess(address, grain, &access, 1));
    ok(hipSetDevice(1));
    ok(hipMemcpy(address, words, sizeof words, hipMemcpyHostToDevice));
    ok(hipMemcpy(back, address, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 64, 7);
    ok(hipMemset(address, 0, grain));
    ok(hipMemcpy2D(back, 16, address, 32, 16, 16, hipMemcpyDeviceToHost));
    check_words(back, 64, 0);
    ok(hipSetDevice(0));
    ok(hipMemUnmap(address, grain));
    ok(hipMemRelease(memory));
    ok(hipMemAddressFree(address, grain));
}

static void a_handle_is_found_again_by_its_address(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory(1), again;
    hipMemAllocationProp properties;
    char *address;
    (void)state;
    ok(hipMemAddressReserve((void **)&address, grain, 0, NULL, 0));
    ok(hipMemMap(address, grain, 0, memory, 0));
    ok(hipMemRetainAllocationHandle(&again, address + 100));
    check(again == memory);
    ok(hipMemGetAllocationPropertiesFromHandle(&properties, again));
    check(properties.type == hipMemAllocationTypePinned && properties.location.id == 0);
    ok(hipMemRelease(memory));
    ok(hipMemRelease(again));
    expect(hipMemRelease(again), hipErrorInvalidValue); /* although it is still mapped */
    expect(hipMemGetAllocationPropertiesFromHandle(&properties, again), hipErrorInvalidValue);
    expect(hipMemRetainAllocationHandle(NULL, address), hipErrorInvalidValue);
    expect(hipMemRetainAllocationHandle(&again, NULL), hipErrorInvalidValue);
    ok(hipMemUnmap(address, grain));
    expect(hipMemRetainAllocationHandle(&again, address), hipErrorInvalidValue);
    ok(hipMemAddressFree(address, grain));
}

static void mappings_side_by_side_are_used_and_unmapped_as_one(void **state)
{
    hipMemGenericAllocationHandle_t first = make_memory(1), second = make_memory(2);
    hipMemAccessDesc access = read_write(0);
    char *address;
    (void)state;
    ok(hipMemAddressReserve((void **)&address, 4 * grain, 0, NULL, 0));
    ok(hipMemMap(address, grain, 0, first, 0));
    ok(hipMemMap(address + grain, 2 * grain, 0, second, 0));
    expect(hipMemSetAccess(address, 4 * grain, &access, 1), hipErrorInvalidValue);
    ok(hipMemSetAccess(address, 3 * grain, &access, 1));
    ok(hipMemset(address, 1, grain));
    ok(hipMemset(address + grain, 1, 2 * grain));
    expect(hipMemUnmap(address, 4 * grain), hipErrorInvalidValue); /* the last is not mapped */
    expect(hipMemUnmap(address, 2 * grain), hipErrorInvalidValue); /* half a mapping */
    expect(hipMemUnmap(address + 2 * grain, grain), hipErrorInvalidValue);
    ok(hipMemUnmap(address, 3 * grain));
    ok(hipMemAddressFree(address, 4 * grain));
    ok(hipMemRelease(first));
    ok(hipMemRelease(second));
}

static void what_is_mapped_cannot_be_freed_or_mapped_again(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory(1);
    char *address;
    (void)state;
    ok(hipMemAddressReserve((void **)&address, 2 * grain, 0, NULL, 0));
    ok(hipMemMap(address, grain, 0, memory, 0));
    expect(hipMemMap(address, grain, 0, memory, 0), hipErrorInvalidValue);
    expect(hipMemAddressFree(address, 2 * grain), hipErrorInvalidValue);
    ok(hipMemUnmap(address, grain)); /* the reservation is still known */
    expect(hipMemUnmap(address, grain), hipErrorInvalidValue);
    ok(hipMemAddressFree(address, 2 * grain));
    expect(hipMemAddressFree(address, 2 * grain), hipErrorInvalidValue);
    ok(hipMemRelease(memory));
}

static void virtual_functions_check_their_arguments(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory(2), released = make_memory(1), made;
    hipMemAllocationProp properties = properties_of(0), bad;
    hipMemAccessDesc access = read_write(0), wrong_access = read_write(2);
    hipMemLocation here = access.location, nowhere = {.type = hipMemLocationTypeHost};
    unsigned long long flags;
    char *address;
    size_t size;
    int local;
    (void)state;
    ok(hipMemRelease(released));
    expect(hipMemGetAllocationGranularity(NULL, &properties, hipMemAllocationGranularityMinimum),
           hipErrorInvalidValue);
    expect(hipMemGetAllocationGranularity(&size, NULL, hipMemAllocationGranularityMinimum),
           hipErrorInvalidValue);
    expect(hipMemGetAllocationGranularity(&size, &properties, (hipMemAllocationGranularity_flags)9),
           hipErrorInvalidValue);
    ok(hipMemGetAllocationGranularity(&size, &properties, hipMemAllocationGranularityRecommended));
    expect(hipMemCreate(NULL, grain, &properties, 0), hipErrorInvalidValue);
    expect(hipMemCreate(&made, 0, &properties, 0), hipErrorInvalidValue);
    expect(hipMemCreate(&made, grain + 1, &properties, 0), hipErrorInvalidValue);
    expect(hipMemCreate(&made, grain, NULL, 0), hipErrorInvalidValue);
    expect(hipMemCreate(&made, grain, &properties, 1), hipErrorInvalidValue);
    expect(hipMemCreate(&made, (size_t)1 << 40, &properties, 0), hipErrorOutOfMemory);
    bad = properties;
    bad.type = hipMemAllocationTypeInvalid;
    expect(hipMemCreate(&made, grain, &bad, 0), hipErrorInvalidValue);
    bad = properties;
    bad.location.type = hipMemLocationTypeInvalid;
    expect(hipMemCreate(&made, grain, &bad, 0), hipErrorInvalidValue);
    bad = properties;
    bad.location.id = 2;
    expect(hipMemCreate(&made, grain, &bad, 0), hipErrorInvalidValue);

    expect(hipMemAddressReserve(NULL, grain, 0, NULL, 0), hipErrorInvalidValue);
    expect(hipMemAddressReserve((void **)&address, 0, 0, NULL, 0), hipErrorOutOfMemory);
    expect(hipMemAddressReserve((void **)&address, grain + 1, 0, NULL, 0), hipErrorOutOfMemory);
    expect(hipMemAddressReserve((void **)&address, grain, 3, NULL, 0), hipErrorOutOfMemory);
    expect(hipMemAddressReserve((void **)&address, grain, 0, NULL, 1), hipErrorInvalidValue);
    expect(hipMemAddressReserve((void **)&address, (size_t)1 << 50, 0, NULL, 0),
           hipErrorOutOfMemory);
    for (size_t alignment = 1; alignment <= 4; alignment *= 2) {
        ok(hipMemAddressReserve((void **)&address, grain, alignment, NULL, 0));
        ok(hipMemAddressFree(address, grain));
    }
    ok(hipMemAddressReserve((void **)&address, grain, 4 * grain, NULL, 0));
    check((uintptr_t)address % (4 * grain) == 0);
    expect(hipMemAddressFree(NULL, grain), hipErrorInvalidValue);
    expect(hipMemAddressFree(address, 0), hipErrorInvalidValue);
    expect(hipMemAddressFree(address, 2 * grain), hipErrorInvalidValue);
    expect(hipMemAddressFree(&local, grain), hipErrorInvalidValue);

    expect(hipMemMap(NULL, grain, 0, memory, 0), hipErrorInvalidValue);
    expect(hipMemMap(address, 0, 0, memory, 0), hipErrorInvalidValue);
    expect(hipMemMap(address, grain, grain, memory, 0), hipErrorInvalidValue);
    expect(hipMemMap(address, grain, 0, memory, 1), hipErrorInvalidValue);
    expect(hipMemMap(address, grain, 0, released, 0), hipErrorInvalidValue);
    expect(hipMemMap(address, grain, 0, NULL, 0), hipErrorInvalidValue);
    expect(hipMemMap(&local, grain, 0, memory, 0), hipErrorInvalidValue);
    expect(hipMemMap(address, 2 * grain, 0, memory, 0), hipErrorInvalidValue); /* too long */
    ok(hipMemMap(address, grain, 0, memory, 0));

    expect(hipMemSetAccess(NULL, grain, &access, 1), hipErrorInvalidValue);
    expect(hipMemSetAccess(address, 0, &access, 1), hipErrorInvalidValue);
    expect(hipMemSetAccess(address, grain, NULL, 1), hipErrorInvalidValue);
    expect(hipMemSetAccess(address, grain, &access, 0), hipErrorInvalidValue);
    expect(hipMemSetAccess(&local, grain, &access, 1), hipErrorInvalidValue);
    expect(hipMemSetAccess(address, grain, &wrong_access, 1), hipErrorInvalidValue);
    access.flags = (hipMemAccessFlags)9;
    expect(hipMemSetAccess(address, grain, &access, 1), hipErrorInvalidValue);
    expect(hipMemGetAccess(NULL, &here, address), hipErrorInvalidValue);
    expect(hipMemGetAccess(&flags, NULL, address), hipErrorInvalidValue);
    expect(hipMemGetAccess(&flags, &here, NULL), hipErrorInvalidValue);
    expect(hipMemGetAccess(&flags, &here, &local), hipErrorInvalidValue);
    expect(hipMemGetAccess(&flags, &nowhere, address), hipErrorInvalidValue);
    expect(hipMemGetAccess(&flags, &wrong_access.location, address), hipErrorInvalidValue);
    expect(hipMemUnmap(NULL, grain), hipErrorInvalidValue);
    expect(hipMemUnmap(address, 0), hipErrorInvalidValue);
    expect(hipMemUnmap(address, 2 * grain), hipErrorInvalidValue);
    ok(hipMemUnmap(address, grain));
    ok(hipMemAddressFree(address, grain));
    expect(hipMemRelease(released), hipErrorInvalidValue);
    expect(hipMemRelease(NULL), hipErrorInvalidValue);
    expect(hipMemRelease((hipMemGenericAllocationHandle_t)(void *)&local), hipErrorInvalidValue);
    expect(hipMemGetAllocationPropertiesFromHandle(NULL, memory), hipErrorInvalidValue);
    ok(hipMemRelease(memory));
}

static void memory_is_shared_by_a_file(void **state)
{
    hipMemAllocationProp properties = properties_of(0);
    hipMemGenericAllocationHandle_t memory, imported;
    hipMemAccessDesc access = read_write(0);
    uint32_t *first, *second, word = 0;
    int file = -1;
    (void)state;
    memory = make_memory(1); /* not created for sharing */
    expect(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 0),
           hipErrorInvalidValue);
    ok(hipMemRelease(memory));
    properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    ok(hipMemCreate(&memory, grain, &properties, 0));
    ok(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMemImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                       hipMemHandleTypePosixFileDescriptor));
    ok(hipMemRelease(imported));
    ok(hipMemImportFromShareableHandle(&imported, &file, hipMemHandleTypePosixFileDescriptor));
    ok(hipMemRelease(imported));
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(pages != MAP_FAILED && mprotect(pages + 4096, 4096, PROT_NONE) == 0);
    int *last = (int *)(void *)(pages + 4096) - 1; /* nothing can be read behind it */
    *last = file;
    ok(hipMemImportFromShareableHandle(&imported, last, hipMemHandleTypePosixFileDescriptor));
    munmap(pages, 8192);
    ok(hipMemAddressReserve((void **)&first, grain, 0, NULL, 0));
    ok(hipMemAddressReserve((void **)&second, grain, 0, NULL, 0));
    ok(hipMemMap(first, grain, 0, memory, 0));
    ok(hipMemMap(second, grain, 0, imported, 0));
    ok(hipMemSetAccess(first, grain, &access, 1));
    ok(hipMemSetAccess(second, grain, &access, 1));
    ok(launch_fill(first, 77, 1, NULL));
    ok(hipMemcpy(&word, second, 4, hipMemcpyDeviceToHost));
    check(word == 77);
    expect(hipMemExportToShareableHandle(NULL, memory, hipMemHandleTypePosixFileDescriptor, 0),
           hipErrorInvalidValue);
    expect(hipMemExportToShareableHandle(&file, NULL, hipMemHandleTypePosixFileDescriptor, 0),
           hipErrorInvalidValue);
    expect(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 1),
           hipErrorInvalidValue);
    expect(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypeNone, 0),
           hipErrorInvalidValue);
    expect(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypeWin32, 0),
           hipErrorInvalidValue);
    expect(hipMemImportFromShareableHandle(NULL, (void *)(intptr_t)file,
                                           hipMemHandleTypePosixFileDescriptor),
           hipErrorInvalidValue);
    expect(hipMemImportFromShareableHandle(&imported, (void *)(intptr_t)-1,
                                           hipMemHandleTypePosixFileDescriptor),
           hipErrorInvalidValue);
    ok(hipMemUnmap(first, grain));
    ok(hipMemUnmap(second, grain));
    ok(hipMemAddressFree(first, grain));
    ok(hipMemAddressFree(second, grain));
    ok(hipMemRelease(memory));
    ok(hipMemRelease(imported));
    close(file);
}

static void mapped_memory_is_described(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory(1);
    hipMemAccessDesc access = read_write(0);
    hipPointerAttribute_t attributes;
    hipDeviceptr_t base;
    size_t size;
    char *address;
    (void)state;
    ok(hipMemAddressReserve((void **)&address, grain, 0, NULL, 0));
    ok(hipMemMap(address, grain, 0, memory, 0));
    ok(hipMemSetAccess(address, grain, &access, 1));
    ok(hipPointerGetAttributes(&attributes, address + 5));
    check(attributes.type == hipMemoryTypeDevice && attributes.device == 0);
    ok(hipMemGetAddressRange(&base, &size, address + 5));
    check(base == address && size == grain);
    expect(hipFree(address), hipErrorInvalidValue);
    expect(hipMemset(address, 0, grain + 1), hipErrorInvalidValue);
    ok(hipMemUnmap(address, grain));
    ok(hipMemAddressFree(address, grain));
    ok(hipMemRelease(memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(mapped_memory_is_used_like_any_other),
        TEST(one_memory_can_be_behind_two_addresses),
        TEST(a_device_copies_what_it_may_access),
        TEST(a_handle_is_found_again_by_its_address),
        TEST(mappings_side_by_side_are_used_and_unmapped_as_one),
        TEST(what_is_mapped_cannot_be_freed_or_mapped_again),
        TEST(virtual_functions_check_their_arguments),
        TEST(memory_is_shared_by_a_file),
        TEST(mapped_memory_is_described),
    };
    use_fake("80,90");
    return run_group("driver.virtual", tests);
}
