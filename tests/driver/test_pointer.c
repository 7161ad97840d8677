/* Attributes of addresses: hipPointerGetAttributes and related functions, for every kind of
 * memory. */
#include "support.h"
#include "thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char pageable[8192];

enum { DEVICE, PITCHED, POOLED, PINNED, REGISTERED, MANAGED, SECOND, KINDS };

/* Memory of every kind, 4096 bytes and more each. */
struct kinds {
    char *at[KINDS];
};

static struct kinds make_kinds(void)
{
    struct kinds kinds;
    size_t pitch;
    ok(hipMalloc((void **)&kinds.at[DEVICE], 4096));
    ok(hipMallocPitch((void **)&kinds.at[PITCHED], &pitch, 64, 64));
    ok(hipMallocAsync((void **)&kinds.at[POOLED], 4096, NULL));
    ok(hipHostMalloc((void **)&kinds.at[PINNED], 4096, hipHostMallocMapped));
    kinds.at[REGISTERED] = pageable;
    ok(hipHostRegister(pageable, 4096, hipHostRegisterMapped));
    ok(hipMallocManaged((void **)&kinds.at[MANAGED], 4096, hipMemAttachGlobal));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&kinds.at[SECOND], 4096));
    ok(hipSetDevice(0));
    return kinds;
}

static void free_kinds(struct kinds *kinds)
{
    ok(hipFree(kinds->at[DEVICE]));
    ok(hipFree(kinds->at[PITCHED]));
    ok(hipFreeAsync(kinds->at[POOLED], NULL));
    ok(hipHostFree(kinds->at[PINNED]));
    ok(hipHostUnregister(pageable));
    ok(hipFree(kinds->at[MANAGED]));
    ok(hipFree(kinds->at[SECOND]));
    ok(hipDeviceSynchronize());
}

static void every_kind_of_memory_is_described(void **state)
{
    struct kinds kinds = make_kinds();
    static const hipMemoryType types[KINDS] = {
        hipMemoryTypeDevice, hipMemoryTypeDevice,  hipMemoryTypeDevice, hipMemoryTypeHost,
        hipMemoryTypeHost,   hipMemoryTypeManaged, hipMemoryTypeDevice,
    };
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        bool on_host = types[i] != hipMemoryTypeDevice;
        char *inside = kinds.at[i] + 40;
        hipPointerAttribute_t attributes;
        ok(hipPointerGetAttributes(&attributes, inside));
        check(attributes.type == types[i]);
        check(attributes.device == (i == SECOND));
        check(attributes.devicePointer == inside);
        check(attributes.hostPointer == (on_host ? inside : NULL));
        check(attributes.isManaged == (i == MANAGED));
    }
    free_kinds(&kinds);
}

static void the_flags_of_an_allocation_are_kept(void **state)
{
    hipPointerAttribute_t attributes;
    unsigned flags;
    void *memory;
    (void)state;
    ok(hipHostMalloc(&memory, 64, hipHostMallocPortable | hipHostMallocWriteCombined));
    ok(hipPointerGetAttributes(&attributes, memory));
    check(attributes.allocationFlags == (hipHostMallocPortable | hipHostMallocWriteCombined));
    ok(hipPointerGetAttribute(&flags, HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS, memory));
    check(flags == attributes.allocationFlags);
    ok(hipHostFree(memory));
}

static void unknown_memory_is_an_answer(void **state)
{
    hipPointerAttribute_t attributes;
    void *freed;
    (void)state;
    ok(hipMalloc(&freed, 64));
    ok(hipFree(freed));
    void *const unknown[] = {pageable, freed, NULL, &attributes, (void *)&fill_kernel};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        memset(&attributes, 0xff, sizeof attributes);
        ok(hipPointerGetAttributes(&attributes, unknown[i]));
        check(attributes.type == hipMemoryTypeUnregistered);
        check(attributes.device == hipInvalidDeviceId);
        check(!attributes.devicePointer && !attributes.hostPointer && !attributes.isManaged);
    }
    ok(hipPointerGetAttributes(NULL, pageable));
    check(hipGetLastError() == hipSuccess);
}

static void the_end_of_an_allocation_is_outside(void **state)
{
    hipPointerAttribute_t attributes;
    char *memory;
    (void)state;
    ok(hipHostMalloc((void **)&memory, 4096, 0));
    ok(hipPointerGetAttributes(&attributes, memory + 4095));
    check(attributes.type == hipMemoryTypeHost);
    ok(hipPointerGetAttributes(&attributes, memory + 4096));
    check(attributes.hostPointer != memory + 4096);
    ok(hipHostFree(memory));
}

static void the_address_of_a_variable_is_device_memory(void **state)
{
    hipPointerAttribute_t attributes;
    void *address;
    (void)state;
    ok(hipGetSymbolAddress(&address, &table_variable));
    ok(hipPointerGetAttributes(&attributes, (char *)address + 60));
    check(attributes.type == hipMemoryTypeDevice && attributes.device == 0);
    check(attributes.devicePointer == (char *)address + 60);
}

/* Each value is written with its own size, and not a byte more. */
static void every_attribute_is_told_in_its_size(void **state)
{
    struct kinds kinds = make_kinds();
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        bool on_host = i == PINNED || i == REGISTERED;
        char *inside = kinds.at[i] + 40, *device_pointer, *host_pointer, *base;
        unsigned type = ~0u, size = ~0u;
        int ordinal = -9;
        unsigned char managed[2] = {9, 9}, mapped[2] = {9, 9}, sync[2] = {9, 9};
        ok(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, inside));
        check(type == (unsigned)(on_host ? hipMemoryTypeHost : hipMemoryTypeDevice));
        ok(hipPointerGetAttribute(&device_pointer, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, inside));
        check(device_pointer == inside);
        bool visible = on_host || i == MANAGED;
        expect(hipPointerGetAttribute(&host_pointer, HIP_POINTER_ATTRIBUTE_HOST_POINTER, inside),
               visible ? hipSuccess : hipErrorInvalidValue);
        check(host_pointer == (visible ? inside : NULL));
        ok(hipPointerGetAttribute(&base, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside));
        check(base == kinds.at[i]);
        ok(hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, inside));
        check(i == PITCHED ? size >= 4096 : size == 4096);
        ok(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside));
        check(ordinal == (i == SECOND));
        ok(hipPointerGetAttribute(managed, HIP_POINTER_ATTRIBUTE_IS_MANAGED, inside));
        check(managed[0] == (i == MANAGED) && managed[1] == 9);
        ok(hipPointerGetAttribute(mapped, HIP_POINTER_ATTRIBUTE_MAPPED, inside));
        check(mapped[0] == 1 && mapped[1] == 9);
        ok(hipPointerGetAttribute(sync, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, inside));
        check(sync[0] == 0 && sync[1] == 9);
    }
    free_kinds(&kinds);
}

static void a_buffer_has_a_number_of_its_own(void **state)
{
    unsigned first, again, second;
    char *memory;
    (void)state;
    ok(hipMalloc((void **)&memory, 64));
    ok(hipPointerGetAttribute(&first, HIP_POINTER_ATTRIBUTE_BUFFER_ID, memory));
    ok(hipPointerGetAttribute(&again, HIP_POINTER_ATTRIBUTE_BUFFER_ID, memory + 8));
    check(first == again);
    ok(hipFree(memory));
    ok(hipMalloc((void **)&memory, 64));
    ok(hipPointerGetAttribute(&second, HIP_POINTER_ATTRIBUTE_BUFFER_ID, memory));
    check(first != second);
    ok(hipFree(memory));
}

static void an_array_says_that_it_is_one(void **state)
{
    const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
    hipArray_t array;
    unsigned type = 0;
    (void)state;
    ok(hipMallocArray(&array, &words, 8, 8, hipArrayDefault));
    ok(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, array));
    check(type == hipMemoryTypeArray);
    ok(hipFreeArray(array));
    expect(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, array),
           hipErrorInvalidValue);
}

static const hipPointer_attribute told[] = {
    HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,    HIP_POINTER_ATTRIBUTE_DEVICE_POINTER,
    HIP_POINTER_ATTRIBUTE_HOST_POINTER,   HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
    HIP_POINTER_ATTRIBUTE_BUFFER_ID,      HIP_POINTER_ATTRIBUTE_IS_MANAGED,
    HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
    HIP_POINTER_ATTRIBUTE_RANGE_SIZE,     HIP_POINTER_ATTRIBUTE_MAPPED,
};
enum { TOLD = sizeof told / sizeof *told };

static void one_attribute_checks_its_arguments(void **state)
{
    static const hipPointer_attribute not_told[] = {
        HIP_POINTER_ATTRIBUTE_CONTEXT,
        HIP_POINTER_ATTRIBUTE_P2P_TOKENS,
        HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE,
        HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
        HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
        HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
    };
    uint64_t value[4];
    char *memory;
    (void)state;
    ok(hipMalloc((void **)&memory, 64));
    for (size_t i = 0; i < sizeof not_told / sizeof *not_told; i++)
        expect(hipPointerGetAttribute(value, not_told[i], memory), hipErrorNotSupported);
    for (size_t i = 0; i < TOLD; i++) {
        expect(hipPointerGetAttribute(value, told[i], pageable), hipErrorInvalidValue);
        expect(hipPointerGetAttribute(value, told[i], NULL), hipErrorInvalidValue);
        expect(hipPointerGetAttribute(NULL, told[i], memory), hipErrorInvalidValue);
    }
    expect(hipPointerGetAttribute(value, (hipPointer_attribute)-1, memory), hipErrorInvalidValue);
    expect(hipPointerGetAttribute(value, (hipPointer_attribute)0, memory), hipErrorInvalidValue);
    expect(hipPointerGetAttribute(value, (hipPointer_attribute)99, memory), hipErrorInvalidValue);
    ok(hipFree(memory));
}

static void several_attributes_are_told_at_once(void **state)
{
    hipPointer_attribute wanted[] = {HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                     HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
                                     HIP_POINTER_ATTRIBUTE_CONTEXT, /* not supported: not written */
                                     HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR};
    unsigned type = 0, size = 0;
    void *context = &context, *base = NULL;
    void *values[] = {&type, &size, &context, &base};
    char *memory;
    (void)state;
    ok(hipMalloc((void **)&memory, 64));
    ok(hipDrvPointerGetAttributes(4, wanted, values, memory + 8));
    check(type == hipMemoryTypeDevice && size == 64 && base == memory && context == &context);
    expect(hipDrvPointerGetAttributes(0, wanted, values, memory), hipErrorInvalidValue);
    expect(hipDrvPointerGetAttributes(4, NULL, values, memory), hipErrorInvalidValue);
    expect(hipDrvPointerGetAttributes(4, wanted, NULL, memory), hipErrorInvalidValue);
    expect(hipDrvPointerGetAttributes(4, wanted, values, NULL), hipErrorInvalidValue);
    values[1] = NULL;
    expect(hipDrvPointerGetAttributes(4, wanted, values, memory), hipErrorInvalidValue);
    ok(hipFree(memory));
}

static void several_attributes_of_unknown_memory_are_zero(void **state)
{
    uint64_t word[TOLD];
    void *values[TOLD];
    (void)state;
    memset(word, 0xff, sizeof word);
    for (size_t i = 0; i < TOLD; i++)
        values[i] = &word[i];
    ok(hipDrvPointerGetAttributes(TOLD, (hipPointer_attribute *)(uintptr_t)told, values, pageable));
    for (size_t i = 0; i < TOLD; i++) {
        unsigned char first;
        int ordinal;
        memcpy(&first, &word[i], 1);
        memcpy(&ordinal, &word[i], sizeof ordinal);
        if (told[i] == HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            check(ordinal == hipInvalidDeviceId);
        else
            check(first == 0);
    }
}

static void synchronous_copies_are_asked_for_by_allocation(void **state)
{
    bool yes = true, value = false;
    void *memory, *freed;
    (void)state;
    ok(hipMalloc(&memory, 64));
    ok(hipMalloc(&freed, 64));
    ok(hipFree(freed));
    ok(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    ok(hipPointerGetAttribute(&value, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    check(value);
    yes = false;
    ok(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    ok(hipPointerGetAttribute(&value, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    check(!value);
    expect(hipPointerSetAttribute(NULL, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory),
           hipErrorInvalidValue);
    expect(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, NULL),
           hipErrorInvalidValue);
    expect(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, memory),
           hipErrorInvalidValue);
    expect(hipPointerSetAttribute(&yes, (hipPointer_attribute)-1, memory), hipErrorInvalidValue);
    expect(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, pageable),
           hipErrorInvalidDevicePointer);
    expect(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, freed),
           hipErrorInvalidDevicePointer);
    ok(hipFree(memory));
}

/* A synchronous call within a device, behind a kernel that waits. */
struct call {
    hipError_t (*function)(char *dst, const char *src);
    char *dst, *src;
    hipError_t error;
    _Atomic pid_t thread;
    _Atomic bool returned;
};

static hipError_t copy_bytes(char *dst, const char *src)
{
    return hipMemcpy(dst, src, 64, hipMemcpyDeviceToDevice);
}

static hipError_t copy_rows(char *dst, const char *src)
{
    return hipMemcpy2D(dst, 16, src, 16, 8, 4, hipMemcpyDeviceToDevice);
}

static hipError_t fill_bytes(char *dst, const char *src)
{
    (void)src;
    return hipMemset(dst, 1, 64);
}

static void *make_call(void *data)
{
    struct call *call = data;
    atomic_store(&call->thread, gettid());
    call->error = call->function(call->dst, call->src);
    atomic_store(&call->returned, true);
    return NULL;
}

static bool waits(struct call call)
{
    uint32_t *flag;
    pthread_t thread;
    ok(hipHostMalloc((void **)&flag, 4, 0));
    *flag = 0;
    ok(launch_wait(flag, NULL));
    check(pthread_create(&thread, NULL, make_call, &call) == 0);
    for (int quiet = 0; quiet < 20 && !atomic_load(&call.returned); usleep(1000)) {
        pid_t number = atomic_load(&call.thread);
        quiet = number && ah_test_sleeps(number) ? quiet + 1 : 0;
    }
    bool waiting = !atomic_load(&call.returned);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    ok(call.error);
    ok(hipDeviceSynchronize());
    ok(hipHostFree(flag));
    return waiting;
}

static void calls_within_a_device_wait_where_the_memory_asks_for_it(void **state)
{
    static hipError_t (*const functions[])(char *, const char *) = {copy_bytes, copy_rows,
                                                                    fill_bytes};
    bool yes = true, no = false;
    char *asks, *other;
    (void)state;
    ok(hipMalloc((void **)&asks, 256));
    ok(hipMalloc((void **)&other, 256));
    for (int i = 0; i < 3; i++) {
        ok(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, asks));
        check(waits((struct call){.function = functions[i], .dst = asks + 1, .src = other}));
        if (functions[i] != fill_bytes)
            check(waits((struct call){.function = functions[i], .dst = other, .src = asks}));
        ok(hipPointerSetAttribute(&no, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, asks));
        if (over_hsa())
            check(!waits((struct call){.function = functions[i], .dst = asks + 1, .src = other}));
    }
    ok(hipFree(asks));
    ok(hipFree(other));
}

static void the_drivers_address_is_given_out(void **state)
{
    struct kinds kinds = make_kinds();
    uint64_t address;
    int device;
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        bool on_host = i == PINNED || i == REGISTERED;
        ok(anyhipPointerGetNative(kinds.at[i] + 8, &device, &address));
        check(address == (uint64_t)(uintptr_t)(kinds.at[i] + 8));
        check(device == (on_host ? hipCpuDeviceId : i == SECOND));
        ok(anyhipPointerGetNative(kinds.at[i], NULL, &address));
    }
    expect(anyhipPointerGetNative(kinds.at[0], &device, NULL), hipErrorInvalidValue);
    expect(anyhipPointerGetNative(NULL, &device, &address), hipErrorInvalidValue);
    expect(anyhipPointerGetNative(&device, &device, &address), hipErrorInvalidValue);
    free_kinds(&kinds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_memory_is_described),
        TEST(the_flags_of_an_allocation_are_kept),
        TEST(unknown_memory_is_an_answer),
        TEST(the_end_of_an_allocation_is_outside),
        TEST(the_address_of_a_variable_is_device_memory),
        TEST(every_attribute_is_told_in_its_size),
        TEST(a_buffer_has_a_number_of_its_own),
        TEST(an_array_says_that_it_is_one),
        TEST(one_attribute_checks_its_arguments),
        TEST(several_attributes_are_told_at_once),
        TEST(several_attributes_of_unknown_memory_are_zero),
        TEST(synchronous_copies_are_asked_for_by_allocation),
        TEST(calls_within_a_device_wait_where_the_memory_asks_for_it),
        TEST(the_drivers_address_is_given_out),
    };
    use_fake("80,90");
    return run_group("driver.pointer", tests);
}
