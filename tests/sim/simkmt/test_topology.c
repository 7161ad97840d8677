/* Opening, nodes, and their properties. */
#include "simkmt_test.h"

static void closed_drivers_refuse(void **state)
{
    HsaVersionInfo version;
    HsaSystemProperties system;
    void *address;
    (void)state;
    expect(kmt.hsaKmtGetVersion(&version), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
    expect(kmt.hsaKmtAcquireSystemProperties(&system), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
    expect(kmt.hsaKmtAllocMemory(0, PAGE, (HsaMemFlags){.Value = 0}, &address),
           HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
    expect(kmt.hsaKmtCloseKFD(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

static void it_is_opened_as_often_as_it_is_closed(void **state)
{
    HsaVersionInfo version = {0, 0};
    (void)state;
    ok(kmt.hsaKmtOpenKFD());
    expect(kmt.hsaKmtOpenKFD(), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
    ok(kmt.hsaKmtCloseKFD());
    ok(kmt.hsaKmtGetVersion(&version));
    assert_int_equal(version.KernelInterfaceMajorVersion, 1);
}

static void there_are_a_host_and_the_requested_devices(void **state)
{
    HsaSystemProperties system = {0};
    HsaNodeProperties node;
    (void)state;
    ok(kmt.hsaKmtAcquireSystemProperties(&system));
    assert_int_equal(system.NumNodes, NODES);
    ok(kmt.hsaKmtGetNodeProperties(0, &node));
    assert_int_not_equal(node.NumCPUCores, 0);
    assert_int_equal(node.NumFComputeCores, 0);
    ok(kmt.hsaKmtGetNodeProperties(GPU, &node));
    assert_int_equal(node.NumCPUCores, 0);
    assert_int_equal(node.NumFComputeCores / node.NumSIMDPerCU, 104);
    assert_int_equal(node.NumCUPerArray * node.NumShaderBanks * node.NumArrays, 104);
    assert_int_equal(node.EngineId, 9 << 10 | 0 << 16 | 10 << 24);
    assert_string_equal((char *)node.AMDName, "gfx90a");
    assert_int_equal(node.WaveFrontSize, 64);
    ok(kmt.hsaKmtGetNodeProperties(SECOND_GPU, &node));
    assert_int_equal(node.EngineId, 9 << 10 | 0 << 16 | 6 << 24);
    assert_int_equal(node.NumCUPerArray * node.NumShaderBanks * node.NumArrays, 60);
}

/* AMD's runtime terminates the process without these. */
static void nodes_have_the_memory_and_caches_that_runtimes_require(void **state)
{
    HsaNodeProperties node;
    HsaMemoryProperties banks[8];
    HsaCacheProperties caches[8];
    (void)state;
    for (uint32_t number = 0; number < NODES; number++) {
        uint32_t processor = number == 0 ? HSA_CACHE_CPU : HSA_CACHE_GPU;
        ok(kmt.hsaKmtGetNodeProperties(number, &node));
        ok(kmt.hsaKmtGetNodeMemoryProperties(number, node.NumMemoryBanks, banks));
        ok(kmt.hsaKmtGetNodeCacheProperties(number, 0, node.NumCaches, caches));
        assert_true(node.NumCaches > 0);
        for (uint32_t i = 0; i < node.NumCaches; i++)
            assert_int_equal(caches[i].CacheType, HSA_CACHE_DATA | processor);
        for (uint32_t i = 0; i < node.NumMemoryBanks; i++)
            assert_int_not_equal(banks[i].SizeInBytes, 0);
        if (number == 0)
            continue;
        assert_int_equal(banks[1].HeapType, HSA_HEAPTYPE_GPU_LDS);
        assert_int_not_equal(banks[1].VirtualBaseAddress, 0);
        assert_int_equal(banks[2].HeapType, HSA_HEAPTYPE_GPU_SCRATCH);
        assert_int_not_equal(banks[2].VirtualBaseAddress, 0);
    }
}

static void devices_have_links_to_all_other_nodes(void **state)
{
    HsaNodeProperties node;
    HsaIoLinkProperties links[NODES];
    (void)state;
    ok(kmt.hsaKmtGetNodeProperties(0, &node));
    assert_int_equal(node.NumIOLinks, 0); /* the host has no access to their memory */
    ok(kmt.hsaKmtGetNodeProperties(GPU, &node));
    assert_int_equal(node.NumIOLinks, 2);
    ok(kmt.hsaKmtGetNodeIoLinkProperties(GPU, 2, links));
    assert_int_equal(links[0].NodeTo, 0);
    assert_int_equal(links[0].IoLinkType, HSA_IOLINKTYPE_PCIEXPRESS);
    assert_int_equal(links[1].NodeTo, SECOND_GPU);
    expect(kmt.hsaKmtGetNodeIoLinkProperties(GPU, 3, links), HSAKMT_STATUS_INVALID_PARAMETER);
}

static void clocks_advance(void **state)
{
    HsaClockCounters first, second;
    (void)state;
    ok(kmt.hsaKmtGetClockCounters(GPU, &first));
    do {
        ok(kmt.hsaKmtGetClockCounters(GPU, &second));
    } while (second.GPUClockCounter == first.GPUClockCounter);
    assert_true(second.GPUClockCounter > first.GPUClockCounter);
    assert_true(second.SystemClockCounter > first.SystemClockCounter);
    assert_int_equal(second.SystemClockFrequencyHz, 1000000000);
}

static void invalid_nodes_are_errors(void **state)
{
    HsaNodeProperties node;
    HsaMemoryProperties bank;
    HsaCacheProperties cache;
    HsaIoLinkProperties link;
    HsaClockCounters clocks;
    HsaGpuTileConfig tiles = {0};
    (void)state;
    const uint32_t wrong[] = {NODES, UINT32_MAX};
    for (int i = 0; i < 2; i++) {
        expect(kmt.hsaKmtGetNodeProperties(wrong[i], &node), HSAKMT_STATUS_INVALID_NODE_UNIT);
        expect(kmt.hsaKmtGetNodeMemoryProperties(wrong[i], 1, &bank),
               HSAKMT_STATUS_INVALID_NODE_UNIT);
        expect(kmt.hsaKmtGetNodeCacheProperties(wrong[i], 0, 1, &cache),
               HSAKMT_STATUS_INVALID_NODE_UNIT);
        expect(kmt.hsaKmtGetNodeIoLinkProperties(wrong[i], 1, &link),
               HSAKMT_STATUS_INVALID_NODE_UNIT);
        expect(kmt.hsaKmtGetClockCounters(wrong[i], &clocks), HSAKMT_STATUS_INVALID_NODE_UNIT);
        expect(kmt.hsaKmtGetTileConfig(wrong[i], &tiles), HSAKMT_STATUS_INVALID_NODE_UNIT);
        expect(kmt.hsaKmtSetTrapHandler(wrong[i], &node, 64, NULL, 0),
               HSAKMT_STATUS_INVALID_NODE_UNIT);
    }
    expect(kmt.hsaKmtGetTileConfig(0, &tiles), HSAKMT_STATUS_INVALID_NODE_UNIT);
    ok(kmt.hsaKmtGetTileConfig(GPU, &tiles));
    expect(kmt.hsaKmtGetNodeProperties(0, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtGetNodeCacheProperties(0, 0, 2, &cache), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtGetVersion(NULL), HSAKMT_STATUS_INVALID_PARAMETER);
}

static void a_child_of_a_fork_has_no_driver(void **state)
{
    int status;
    HsaVersionInfo version;
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(kmt.hsaKmtGetVersion(&version) == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED &&
                      kmt.hsaKmtOpenKFD() == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED
                  ? 0
                  : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    ok(kmt.hsaKmtGetVersion(&version));
}

static void without_devices_it_does_not_open(void **state)
{
    int status;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        open_library("sm_80");
        _exit(kmt.hsaKmtOpenKFD() == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_drivers_refuse),
        cmocka_unit_test(without_devices_it_does_not_open),
        cmocka_unit_test(it_is_opened_as_often_as_it_is_closed),
        cmocka_unit_test(there_are_a_host_and_the_requested_devices),
        cmocka_unit_test(nodes_have_the_memory_and_caches_that_runtimes_require),
        cmocka_unit_test(devices_have_links_to_all_other_nodes),
        cmocka_unit_test(clocks_advance),
        cmocka_unit_test(invalid_nodes_are_errors),
        cmocka_unit_test(a_child_of_a_fork_has_no_driver),
    };
    open_library("gfx90a,gfx906");
    return cmocka_run_group_tests_name("simulated kernel driver: topology", tests, NULL,
                                       close_driver);
}
