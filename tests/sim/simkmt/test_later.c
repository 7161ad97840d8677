/* The library that runtimes of ROCm 7 open instead of their own kernel interface: everything that
 * they look up is exported, structures have the later layout, and the new functions work. */
#include "hsakmt_later.h"
#include "simkmt_test.h"

#include <errno.h>

static struct {
#define HSAKMT_FUNCTION(name, parameters) HSAKMT_STATUS(*name) parameters;
#include "hsakmt_later.def"
#undef HSAKMT_FUNCTION
    void *(*create)(const char *name);
    int (*query_gpu_info)(void *device, struct amdgpu_gpu_info *information);
    int (*bo_free)(void *buffer);
} later;

/* The table may contain NULL: a runtime that does not find a function continues without the
 * others. */
static void *find(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (!function) {
        fprintf(stderr, "%s is not there\n", name);
        exit(EXIT_FAILURE);
    }
    return function;
}

static int open_later(void **state)
{
    (void)state;
    open_library("gfx90a,gfx1100");
    void *library = dlopen(SIMKMT_PATH, RTLD_LAZY);
#define HSAKMT_FUNCTION(name, parameters) *(void **)&later.name = find(library, #name);
#include "hsakmt_later.def"
#undef HSAKMT_FUNCTION
#define HSAKMT_FUNCTION(name, parameters) (void)find(library, #name);
#include "hsakmt_functions.def"
#undef HSAKMT_FUNCTION
    static const char *const others[] = {
        "DtifDestroy",      "amdgpu_device_initialize", "amdgpu_device_deinitialize",
        "amdgpu_bo_export", "amdgpu_bo_cpu_map",        "amdgpu_bo_import",
        "amdgpu_bo_va_op",  "drmCommandWriteRead",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        (void)find(library, others[i]);
    *(void **)&later.create = find(library, "DtifCreate");
    *(void **)&later.query_gpu_info = find(library, "amdgpu_query_gpu_info");
    *(void **)&later.bo_free = find(library, "amdgpu_bo_free");
    return !later.create("HSA") || kmt.hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS;
}

static void nodes_have_the_later_layout(void **state)
{
    HsaNodePropertiesLater node;
    (void)state;
    memset(&node, 0xff, sizeof node);
    ok(kmt.hsaKmtGetNodeProperties(0, (HsaNodeProperties *)(void *)&node));
    assert_int_not_equal(node.NumCPUCores, 0);
    assert_int_equal(node.KFDGpuID, 0);
    for (uint32_t number = GPU; number < NODES; number++) {
        memset(&node, 0xff, sizeof node);
        ok(kmt.hsaKmtGetNodeProperties(number, (HsaNodeProperties *)(void *)&node));
        assert_int_equal(node.NumNeuralCores, 0);
        assert_int_equal(node.Capability2, 0);
        assert_int_equal(node.OverrideEngineId, 0);
        assert_int_equal(node.EngineId,
                         number == GPU ? 9 << 10 | 0 << 16 | 10 << 24 : 11 << 10 | 0 << 16 | 0);
        assert_string_equal((char *)node.AMDName, number == GPU ? "gfx90a" : "gfx1100");
        assert_int_equal(node.MarketingName[0], 'A');
        assert_int_equal(node.WaveFrontSize, number == GPU ? 64 : 32);
        assert_int_equal(node.LocalMemSize, 1 << 30);
        assert_int_equal(node.Integrated, 0);
        assert_int_equal(node.NumXcc, 1);
        assert_int_equal(node.KFDGpuID, number);
    }
}

static void links_have_the_later_layout(void **state)
{
    HsaIoLinkPropertiesLater links[3];
    (void)state;
    memset(links, 0xff, sizeof links);
    ok(kmt.hsaKmtGetNodeIoLinkProperties(GPU, 2, (HsaIoLinkProperties *)(void *)links));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(links[i].NodeFrom, GPU);
        assert_int_equal(links[i].NodeTo, i == 0 ? 0 : SECOND_GPU);
        assert_int_equal(links[i].RecSdmaEngIdMask, 0);
        assert_int_equal(links[i].Flags, 0);
    }
    assert_int_equal(links[2].NodeFrom, UINT32_MAX);
}

static void memory_has_the_requested_alignment(void **state)
{
    enum { ALIGNMENT = 8 << 20 };
    uint64_t before = 0, after = 0;
    void *address = NULL;
    (void)state;
    ok(later.hsaKmtAvailableMemory(GPU, &before));
    for (uint32_t node = 0; node < NODES; node++) {
        ok(later.hsaKmtAllocMemoryAlign(node, 2 * PAGE, ALIGNMENT, (HsaMemFlags){.Value = 0},
                                        &address));
        assert_int_equal((uintptr_t)address % ALIGNMENT, 0);
        if (node == GPU)
            ok(later.hsaKmtAvailableMemory(GPU, &after));
        ok(kmt.hsaKmtFreeMemory(address, 2 * PAGE));
    }
    assert_int_equal(before, 1 << 30);
    assert_int_equal(after, before - 2 * PAGE);
    expect(later.hsaKmtAllocMemoryAlign(GPU, PAGE, 3 * PAGE, (HsaMemFlags){.Value = 0}, &address),
           HSAKMT_STATUS_INVALID_PARAMETER);
    expect(later.hsaKmtAvailableMemory(0, &before), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

/* The memory of queues, which the device's engines read, is allocated on the device's node, but the
 * host can access it. */
static void memory_for_engines_is_host_memory(void **state)
{
    HsaMemFlags flags = {.Value = 0};
    void *address = NULL;
    (void)state;
    flags.ui32.GTTAccess = 1;
    ok(kmt.hsaKmtAllocMemory(SECOND_GPU, PAGE, flags, &address));
    memset(address, 1, PAGE);
    ok(kmt.hsaKmtFreeMemory(address, PAGE));
}

static void addresses_are_reserved_without_memory(void **state)
{
    HsaMemFlags flags = {.Value = 0};
    void *address = NULL, *again;
    (void)state;
    flags.ui32.OnlyAddress = 1;
    ok(later.hsaKmtAllocMemoryAlign(0, 16 * PAGE, 0, flags, &address));
    flags.ui32.FixedAddress = 1;
    again = address;
    expect(later.hsaKmtAllocMemoryAlign(0, 16 * PAGE, 0, flags, &again), HSAKMT_STATUS_NO_MEMORY);
    ok(kmt.hsaKmtFreeMemory(address, 16 * PAGE));
    again = address;
    ok(later.hsaKmtAllocMemoryAlign(0, 16 * PAGE, 0, flags, &again));
    assert_ptr_equal(again, address);
    ok(kmt.hsaKmtFreeMemory(again, 16 * PAGE));
}

/* The doorbell itself is not written. */
static void a_doorbell_is_rung_by_the_queues_number(void **state)
{
    (void)state;
    amd_queue_t *amd = allocate(0, PAGE);
    hsa_barrier_and_packet_t *ring = allocate(0, PAGE);
    amd_signal_t *signal = allocate(0, PAGE);
    HsaQueueResource resource = {.QueueRptrValue = (uintptr_t)&amd->read_dispatch_id,
                                 .QueueWptrValue = (uintptr_t)&amd->write_dispatch_id};
    memset(amd, 0, sizeof *amd);
    memset(signal, 0, sizeof *signal);
    ok(later.hsaKmtCreateQueueExt(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 0, 0, ring, PAGE, NULL,
                                  &resource));
    for (uint64_t i = 0; i < 100; i++) {
        __atomic_store_n(&signal->value, 1, __ATOMIC_RELEASE);
        ring[i % (PAGE / 64)].completion_signal.handle = (uintptr_t)signal;
        __atomic_store_n(&ring[i % (PAGE / 64)].header, HSA_PACKET_TYPE_BARRIER_AND,
                         __ATOMIC_RELEASE);
        __atomic_store_n(&amd->write_dispatch_id, i + 1, __ATOMIC_RELEASE);
        ok(later.hsaKmtQueueRingDoorbell(resource.QueueId));
        while (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE) != 0)
            usleep(10);
    }
    ok(kmt.hsaKmtDestroyQueue(resource.QueueId));
    expect(later.hsaKmtQueueRingDoorbell(resource.QueueId), HSAKMT_STATUS_INVALID_HANDLE);
    ok(kmt.hsaKmtFreeMemory(amd, 0));
    ok(kmt.hsaKmtFreeMemory(ring, 0));
    ok(kmt.hsaKmtFreeMemory(signal, 0));
}

static void events_are_reset_and_queried(void **state)
{
    (void)state;
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, true);
    uint64_t age = 0;
    expect(later.hsaKmtQueryEventState(event), HSAKMT_STATUS_WAIT_TIMEOUT);
    ok(kmt.hsaKmtSetEvent(event));
    ok(later.hsaKmtQueryEventState(event));
    ok(later.hsaKmtWaitOnEvent_Ext(event, SECONDS_10, &age));
    ok(later.hsaKmtResetEvent(event));
    expect(later.hsaKmtWaitOnMultipleEvents_Ext(&event, 1, false, 0, NULL),
           HSAKMT_STATUS_WAIT_TIMEOUT);
    ok(kmt.hsaKmtDestroyEvent(event));
    expect(later.hsaKmtResetEvent(event), HSAKMT_STATUS_INVALID_HANDLE);
}

/* Several threads may wait for one event that resets by itself: each passes the number of the
 * signal that it has seen.
 */
static void a_signal_that_was_not_seen_ends_a_wait(void **state)
{
    (void)state;
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    uint64_t first = 1, second = 1, none = 0;
    expect(later.hsaKmtWaitOnEvent_Ext(event, 0, &first), HSAKMT_STATUS_WAIT_TIMEOUT);
    assert_int_equal(first, 1);
    ok(kmt.hsaKmtSetEvent(event));
    ok(later.hsaKmtWaitOnEvent_Ext(event, SECONDS_10, &first));
    assert_int_not_equal(first, 1);
    expect(later.hsaKmtWaitOnEvent_Ext(event, 0, &none), HSAKMT_STATUS_WAIT_TIMEOUT);
    ok(later.hsaKmtWaitOnMultipleEvents_Ext(&event, 1, false, SECONDS_10, &second));
    assert_int_equal(second, first);
    expect(later.hsaKmtWaitOnEvent_Ext(event, 0, &second), HSAKMT_STATUS_WAIT_TIMEOUT);
    ok(kmt.hsaKmtDestroyEvent(event));
}

static void libdrm_gets_the_clock_of_devices(void **state)
{
    struct amdgpu_gpu_info information;
    void *device = NULL;
    (void)state;
    ok(later.hsaKmtGetAMDGPUDeviceHandle(GPU, &device));
    assert_int_equal(later.query_gpu_info(device, &information), 0);
    assert_int_equal(information.gpu_counter_freq, 100000);
    assert_int_equal(later.query_gpu_info(state, &information), -EINVAL);
    expect(later.hsaKmtGetAMDGPUDeviceHandle(0, &device), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

static void unsupported_functions_return_errors(void **state)
{
    bool enabled = true;
    uint32_t capabilities = 1;
    (void)state;
    ok(later.hsaKmtModelEnabled(&enabled));
    assert_false(enabled);
    ok(later.hsaKmtGetRuntimeCapabilities(&capabilities));
    assert_int_equal(capabilities, 0);
    expect(later.hsaKmtDbgRegister(GPU), HSAKMT_STATUS_NOT_SUPPORTED);
    expect(later.hsaKmtSPMAcquire(GPU), HSAKMT_STATUS_NOT_SUPPORTED);
    assert_int_equal(later.bo_free(&enabled), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_have_the_later_layout),
        cmocka_unit_test(links_have_the_later_layout),
        cmocka_unit_test(memory_has_the_requested_alignment),
        cmocka_unit_test(memory_for_engines_is_host_memory),
        cmocka_unit_test(addresses_are_reserved_without_memory),
        cmocka_unit_test(a_doorbell_is_rung_by_the_queues_number),
        cmocka_unit_test(events_are_reset_and_queried),
        cmocka_unit_test(a_signal_that_was_not_seen_ends_a_wait),
        cmocka_unit_test(libdrm_gets_the_clock_of_devices),
        cmocka_unit_test(unsupported_functions_return_errors),
    };
    return cmocka_run_group_tests(tests, open_later, close_driver);
}
