/* Memory: allocations, registrations, mappings, attributes of pointers, and sharing. */
#include "simkmt_test.h"

#include <sys/mman.h>

static const HsaMemFlags plain = {.Value = 0};

static void the_host_can_access_host_memory(void **state)
{
    (void)state;
    char *memory = allocate(0, 4 * PAGE);
    memset(memory, 5, 4 * PAGE);
    HsaPointerInfo info;
    ok(kmt.hsaKmtQueryPointerInfo(memory + 100, &info));
    assert_int_equal(info.Type, HSA_POINTER_ALLOCATED);
    assert_int_equal(info.Node, 0);
    assert_ptr_equal(info.CPUAddress, memory);
    assert_int_equal(info.SizeInBytes, 4 * PAGE);
    assert_int_equal(info.NMappedNodes, 2);
    ok(kmt.hsaKmtUnmapMemoryToGPU(memory));
    ok(kmt.hsaKmtQueryPointerInfo(memory, &info));
    assert_int_equal(info.NMappedNodes, 0);
    ok(kmt.hsaKmtFreeMemory(memory, 4 * PAGE));
    expect(kmt.hsaKmtQueryPointerInfo(memory, &info), HSAKMT_STATUS_ERROR);
    assert_int_equal(info.Type, HSA_POINTER_UNKNOWN);
}

/* Runtimes suballocate blocks and rely on this alignment. */
static void large_memory_is_aligned_to_large_pages(void **state)
{
    (void)state;
    void *memory = allocate(GPU, 4 << 20);
    assert_int_equal((uintptr_t)memory % (2 << 20), 0);
    ok(kmt.hsaKmtFreeMemory(memory, 4 << 20));
}

static void a_device_has_as_much_memory_as_it_reports(void **state)
{
    void *first, *second = NULL;
    (void)state;
    ok(kmt.hsaKmtAllocMemory(GPU, UINT64_C(3) << 28, plain, &first));
    expect(kmt.hsaKmtAllocMemory(GPU, UINT64_C(1) << 29, plain, &second), HSAKMT_STATUS_NO_MEMORY);
    assert_null(second);
    ok(kmt.hsaKmtFreeMemory(first, 0));
    ok(kmt.hsaKmtAllocMemory(GPU, UINT64_C(1) << 29, plain, &second));
    ok(kmt.hsaKmtFreeMemory(second, 0));
}

static void pointers_have_user_data(void **state)
{
    HsaPointerInfo info;
    int mine;
    (void)state;
    char *memory = allocate(GPU, PAGE);
    ok(kmt.hsaKmtSetMemoryUserData(memory + 1, &mine));
    ok(kmt.hsaKmtQueryPointerInfo(memory, &info));
    assert_ptr_equal(info.UserData, &mine);
    ok(kmt.hsaKmtFreeMemory(memory, PAGE));
    expect(kmt.hsaKmtSetMemoryUserData(memory, &mine), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

static void registrations_may_overlap(void **state)
{
    HsaPointerInfo info;
    uint64_t alternate = 0;
    (void)state;
    char *own = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(own != MAP_FAILED);
    ok(kmt.hsaKmtRegisterMemoryWithFlags(own + 10, 3 * PAGE, plain));
    ok(kmt.hsaKmtRegisterMemoryWithFlags(own + PAGE, 4 * PAGE, plain));
    ok(kmt.hsaKmtRegisterMemoryWithFlags(own + PAGE, 100, plain));
    ok(kmt.hsaKmtMapMemoryToGPU(own + 10, 3 * PAGE, &alternate));
    assert_int_equal(alternate, (uintptr_t)own + 10);
    ok(kmt.hsaKmtQueryPointerInfo(own + PAGE + 99, &info));
    assert_int_equal(info.Type, HSA_POINTER_REGISTERED_USER);
    assert_int_equal(info.SizeInBytes, 100); /* the newest registration */
    ok(kmt.hsaKmtDeregisterMemory(own + PAGE));
    ok(kmt.hsaKmtQueryPointerInfo(own + PAGE + 99, &info));
    assert_int_equal(info.SizeInBytes, 4 * PAGE);
    ok(kmt.hsaKmtDeregisterMemory(own + PAGE));
    ok(kmt.hsaKmtDeregisterMemory(own + 10));
    expect(kmt.hsaKmtDeregisterMemory(own + 10), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
    expect(kmt.hsaKmtQueryPointerInfo(own + 10, &info), HSAKMT_STATUS_ERROR);
    munmap(own, 8 * PAGE);
}

static void unmapped_addresses_cannot_be_registered(void **state)
{
    (void)state;
    char *own = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(own != MAP_FAILED);
    munmap(own + PAGE, PAGE);
    expect(kmt.hsaKmtRegisterMemoryWithFlags(own, 2 * PAGE, plain), HSAKMT_STATUS_ERROR);
    ok(kmt.hsaKmtRegisterMemoryWithFlags(own, PAGE, plain)); /* nothing is registered any more */
    ok(kmt.hsaKmtDeregisterMemory(own));
    munmap(own, PAGE);
    expect(kmt.hsaKmtRegisterMemoryWithFlags(NULL, PAGE, plain), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtRegisterMemoryWithFlags(own, 0, plain), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtRegisterMemoryWithFlags((void *)-16, 15, plain),
           HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtRegisterMemoryWithFlags(own, UINT64_MAX, plain),
           HSAKMT_STATUS_INVALID_PARAMETER);
}

static void invalid_allocations_are_errors(void **state)
{
    void *address = NULL;
    HsaMemFlags fixed = {.Value = 0};
    fixed.ui32.FixedAddress = 1;
    uint32_t nodes[] = {0, NODES};
    uint64_t alternate;
    (void)state;
    expect(kmt.hsaKmtAllocMemory(NODES, PAGE, plain, &address), HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(kmt.hsaKmtAllocMemory(0, 0, plain, &address), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtAllocMemory(0, 100, plain, &address), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtAllocMemory(0, PAGE, plain, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtAllocMemory(0, PAGE, fixed, &address), HSAKMT_STATUS_INVALID_PARAMETER);
    address = (char *)&nodes + 1;
    expect(kmt.hsaKmtAllocMemory(0, PAGE, fixed, &address), HSAKMT_STATUS_ERROR);
    expect(kmt.hsaKmtAllocMemory(GPU, PAGE, fixed, &address), HSAKMT_STATUS_NO_MEMORY);
    expect(kmt.hsaKmtAllocMemory(GPU, UINT64_C(1) << 46, plain, &address), HSAKMT_STATUS_NO_MEMORY);
    expect(kmt.hsaKmtFreeMemory(NULL, PAGE), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
    expect(kmt.hsaKmtFreeMemory(&address, PAGE), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
    char *memory = allocate(GPU, 2 * PAGE);
    expect(kmt.hsaKmtFreeMemory(memory + PAGE, PAGE), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
    for (int i = 0; i < 2; i++)
        expect(kmt.hsaKmtMapMemoryToGPUNodes(memory, PAGE, &alternate, (HsaMemMapFlags){0}, 1,
                                             &nodes[i]),
               HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(kmt.hsaKmtMapMemoryToGPUNodes(memory, PAGE, &alternate, (HsaMemMapFlags){0}, 1, NULL),
           HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtMapMemoryToGPU(memory, 3 * PAGE, &alternate), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtMapMemoryToGPU(&address, 8, &alternate), HSAKMT_STATUS_INVALID_PARAMETER);
    ok(kmt.hsaKmtFreeMemory(memory, 2 * PAGE));
    expect(kmt.hsaKmtQueryPointerInfo(memory, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
}

static void memory_is_at_the_requested_address(void **state)
{
    HsaMemFlags fixed = {.Value = 0};
    HsaPointerInfo info;
    (void)state;
    fixed.ui32.FixedAddress = 1;
    for (uint32_t node = 0; node <= GPU; node++) {
        char *wanted = node == 0
                           ? mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                           : allocate(node, 4 * PAGE);
        void *address = wanted;
        expect(kmt.hsaKmtAllocMemory(node, 4 * PAGE, fixed, &address),
               node == 0 ? HSAKMT_STATUS_ERROR
                         : HSAKMT_STATUS_NO_MEMORY); /* the address is in use */
        if (node == 0)
            munmap(wanted, 4 * PAGE);
        else
            ok(kmt.hsaKmtFreeMemory(wanted, 4 * PAGE));
        address = wanted;
        ok(kmt.hsaKmtAllocMemory(node, 4 * PAGE, fixed, &address));
        assert_ptr_equal(address, wanted);
        ok(kmt.hsaKmtMapMemoryToGPU(address, 4 * PAGE, NULL));
        ok(kmt.hsaKmtQueryPointerInfo(wanted + PAGE, &info));
        assert_int_equal(info.Type, HSA_POINTER_ALLOCATED);
        assert_int_equal(info.Node, node);
        assert_int_equal(info.SizeInBytes, 4 * PAGE);
        if (node == 0)
            memset(address, 1, 4 * PAGE);
        ok(kmt.hsaKmtUnmapMemoryToGPU(address));
        ok(kmt.hsaKmtFreeMemory(address, 4 * PAGE));
        expect(kmt.hsaKmtFreeMemory(address, 4 * PAGE), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
        ok(kmt.hsaKmtAllocMemory(node, 4 * PAGE, fixed, &address));
        ok(kmt.hsaKmtFreeMemory(address, 4 * PAGE));
    }
}

static void graphics_handles_are_not_device_buffers(void **state)
{
    HsaGraphicsResourceInfo info;
    uint32_t nodes[] = {GPU, NODES};
    (void)state;
    expect(kmt.hsaKmtRegisterGraphicsHandleToNodes(0, &info, 1, nodes), HSAKMT_STATUS_ERROR);
    expect(kmt.hsaKmtRegisterGraphicsHandleToNodes(0, &info, 2, nodes),
           HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(kmt.hsaKmtRegisterGraphicsHandleToNodes(0, &info, 1, NULL),
           HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(kmt.hsaKmtRegisterGraphicsHandleToNodes(0, NULL, 1, nodes),
           HSAKMT_STATUS_INVALID_PARAMETER);
}

/* Opens a handle in another process, which has a driver of its own. */
static int open_in_child(const HsaSharedMemoryHandle *handle)
{
    void *address = NULL, *again = NULL;
    uint64_t size = 0;
    open_library("gfx90a*2");
    uint32_t node = GPU;
    bool good = kmt.hsaKmtOpenKFD() == HSAKMT_STATUS_SUCCESS &&
                kmt.hsaKmtRegisterSharedHandleToNodes(handle, &address, &size, 1, &node) ==
                    HSAKMT_STATUS_SUCCESS &&
                size == 2 * PAGE &&
                kmt.hsaKmtRegisterSharedHandle(handle, &again, &size) == HSAKMT_STATUS_SUCCESS &&
                again != address &&
                kmt.hsaKmtMapMemoryToGPU(address, size, NULL) == HSAKMT_STATUS_SUCCESS &&
                kmt.hsaKmtDeregisterMemory(again) == HSAKMT_STATUS_SUCCESS &&
                kmt.hsaKmtFreeMemory(address, size) == HSAKMT_STATUS_MEMORY_NOT_REGISTERED &&
                kmt.hsaKmtDeregisterMemory(address) == HSAKMT_STATUS_SUCCESS &&
                kmt.hsaKmtDeregisterMemory(address) == HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
    return good ? 0 : 1;
}

/* Each process reads what the other one writes. */
static int open_host_in_child(HsaSharedMemoryHandle *handle)
{
    void *address = NULL;
    uint64_t size = 0;
    bool good = kmt.hsaKmtRegisterSharedHandle(handle, &address, &size) == HSAKMT_STATUS_SUCCESS &&
                size == PAGE && kmt.hsaKmtMapMemoryToGPU(address, size, NULL) == 0 &&
                atomic_exchange((_Atomic(int) *)address, 42) == 41 &&
                kmt.hsaKmtDeregisterMemory(address) == HSAKMT_STATUS_SUCCESS &&
                kmt.hsaKmtDeregisterMemory(address) == HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
    return good ? 0 : 3;
}

/* Forked before the driver is opened, so that it inherits no driver. */
static pid_t guest;
static int to_guest[2];

static void start_guest(void)
{
    HsaSharedMemoryHandle handles[2];
    if (pipe(to_guest) != 0 || (guest = fork()) < 0)
        exit(EXIT_FAILURE);
    if (guest == 0) {
        int result = 2;
        if (read(to_guest[0], handles, sizeof handles) == sizeof handles)
            result = open_in_child(&handles[0]);
        _exit(result ? result : open_host_in_child(&handles[1]));
    }
}

/* Pages of the host that the driver allocates, rather than pages of the program. */
static void *allocate_unpaged(uint64_t size)
{
    void *address = NULL;
    HsaMemFlags flags = {.Value = 0};
    flags.ui32.HostAccess = flags.ui32.NonPaged = 1;
    ok(kmt.hsaKmtAllocMemory(0, size, flags, &address));
    return address;
}

static void memory_is_shared_with_another_process(void **state)
{
    HsaSharedMemoryHandle handles[2];
    int status;
    (void)state;
    void *memory = allocate(GPU, 2 * PAGE), *host = allocate_unpaged(PAGE);
    atomic_store((_Atomic(int) *)host, 41);
    ok(kmt.hsaKmtShareMemory(memory, 2 * PAGE, &handles[0]));
    ok(kmt.hsaKmtShareMemory(host, PAGE, &handles[1]));
    assert_int_equal(handles[0][6] & 0x800001ff, 0); /* runtimes use these bits */
    assert_int_equal(handles[1][6] & 0x800001ff, 0);
    assert_int_equal(write(to_guest[1], handles, sizeof handles), sizeof handles);
    assert_int_equal(waitpid(guest, &status, 0), guest);
    assert_int_equal(status, 0);
    assert_int_equal(atomic_load((_Atomic(int) *)host), 42);
    ok(kmt.hsaKmtFreeMemory(memory, 2 * PAGE));
    ok(kmt.hsaKmtFreeMemory(host, PAGE));
}

static void unpaged_memory_has_its_alignment(void **state)
{
    enum { LARGE = 2 << 20 };
    HsaPointerInfo info;
    (void)state;
    unsigned char *large = allocate_unpaged(LARGE);
    assert_int_equal((uintptr_t)large % LARGE, 0);
    large[LARGE - 1] = 1;
    ok(kmt.hsaKmtQueryPointerInfo(large + 5, &info));
    assert_true(info.Type == HSA_POINTER_ALLOCATED && info.Node == 0 && info.SizeInBytes == LARGE);
    ok(kmt.hsaKmtFreeMemory(large, LARGE));
}

static void invalid_handles_are_errors(void **state)
{
    HsaSharedMemoryHandle handle = {0};
    void *address;
    uint64_t size;
    uint32_t node = 0;
    (void)state;
    expect(kmt.hsaKmtRegisterSharedHandle(&handle, &address, &size), HSAKMT_STATUS_INVALID_HANDLE);
    void *memory = allocate(GPU, 2 * PAGE), *host = allocate(0, PAGE);
    expect(kmt.hsaKmtShareMemory(memory, PAGE, &handle), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtShareMemory(host, PAGE, &handle), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtShareMemory(&handle, PAGE, &handle), HSAKMT_STATUS_INVALID_PARAMETER);
    ok(kmt.hsaKmtShareMemory(memory, 2 * PAGE, &handle));
    expect(kmt.hsaKmtRegisterSharedHandle(&handle, NULL, &size), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtRegisterSharedHandleToNodes(&handle, &address, &size, 1, &node),
           HSAKMT_STATUS_INVALID_NODE_UNIT);
    handle[1] = 0x7fffffff; /* no such process */
    expect(kmt.hsaKmtRegisterSharedHandle(&handle, &address, &size), HSAKMT_STATUS_INVALID_HANDLE);
    handle[1] = (uint32_t)getpid();
    handle[7] = UINT32_MAX; /* more than the size of the file */
    expect(kmt.hsaKmtRegisterSharedHandle(&handle, &address, &size), HSAKMT_STATUS_INVALID_HANDLE);
    ok(kmt.hsaKmtFreeMemory(memory, 0));
    ok(kmt.hsaKmtFreeMemory(host, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_can_access_host_memory),
        cmocka_unit_test(large_memory_is_aligned_to_large_pages),
        cmocka_unit_test(a_device_has_as_much_memory_as_it_reports),
        cmocka_unit_test(pointers_have_user_data),
        cmocka_unit_test(registrations_may_overlap),
        cmocka_unit_test(unmapped_addresses_cannot_be_registered),
        cmocka_unit_test(invalid_allocations_are_errors),
        cmocka_unit_test(memory_is_at_the_requested_address),
        cmocka_unit_test(graphics_handles_are_not_device_buffers),
        cmocka_unit_test(memory_is_shared_with_another_process),
        cmocka_unit_test(unpaged_memory_has_its_alignment),
        cmocka_unit_test(invalid_handles_are_errors),
    };
    start_guest();
    return cmocka_run_group_tests_name("simulated kernel driver: memory", tests, open_driver,
                                       close_driver);
}
