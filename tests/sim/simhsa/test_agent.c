/* Agents, their caches, instruction sets and pools of memory. */
#include "simhsa_test.h"

static uint32_t word_of(hsa_agent_t agent, int attribute)
{
    uint32_t value = 0xdeadbeef;
    ok(rt.hsa_agent_get_info(agent, (hsa_agent_info_t)attribute, &value));
    return value;
}

static void there_are_one_cpu_and_the_requested_devices(void **state)
{
    char name[64];
    (void)state;
    assert_int_equal(here.gpu_count, 2);
    assert_true(here.cpu.handle != 0 && here.gpus[0].handle != here.gpus[1].handle);
    assert_int_equal(word_of(here.cpu, HSA_AGENT_INFO_DEVICE), HSA_DEVICE_TYPE_CPU);
    ok(rt.hsa_agent_get_info(here.gpus[1], HSA_AGENT_INFO_NAME, name));
    assert_string_equal(name, "gfx1100");
    ok(rt.hsa_agent_get_info(here.gpus[0], HSA_AGENT_INFO_VENDOR_NAME, name));
    assert_string_equal(name, "AMD");
    ok(rt.hsa_agent_get_info(here.gpus[0], (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME,
                             name));
    assert_string_equal(name, "AnyHIP simulated gfx90a");
}

static bool is_of_gpus_only(int attribute)
{
    return attribute == HSA_AMD_AGENT_INFO_MEMORY_AVAIL ||
           attribute == HSA_AMD_AGENT_INFO_MEMORY_WIDTH ||
           attribute == HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY ||
           attribute == HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES ||
           attribute == HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT ||
           attribute == HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT;
}

/* The attributes of a GPU that rocminfo, HIP, liboffload and libgomp query, and the size of
 * each. */
static void a_gpu_has_the_attributes_that_clients_query(void **state)
{
    static const struct {
        int attribute;
        size_t size;
    } asked[] = {
        {HSA_AGENT_INFO_NAME, 64},
        {HSA_AGENT_INFO_VENDOR_NAME, 64},
        {HSA_AGENT_INFO_FEATURE, 4},
        {HSA_AGENT_INFO_MACHINE_MODEL, 4},
        {HSA_AGENT_INFO_PROFILE, 4},
        {HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE, 4},
        {HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES, 4},
        {HSA_AGENT_INFO_FAST_F16_OPERATION, 1},
        {HSA_AGENT_INFO_WAVEFRONT_SIZE, 4},
        {HSA_AGENT_INFO_WORKGROUP_MAX_DIM, 6},
        {HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, 4},
        {HSA_AGENT_INFO_GRID_MAX_DIM, 12},
        {HSA_AGENT_INFO_GRID_MAX_SIZE, 4},
        {HSA_AGENT_INFO_FBARRIER_MAX_SIZE, 4},
        {HSA_AGENT_INFO_QUEUES_MAX, 4},
        {HSA_AGENT_INFO_QUEUE_MIN_SIZE, 4},
        {HSA_AGENT_INFO_QUEUE_MAX_SIZE, 4},
        {HSA_AGENT_INFO_QUEUE_TYPE, 4},
        {HSA_AGENT_INFO_NODE, 4},
        {HSA_AGENT_INFO_DEVICE, 4},
        {HSA_AGENT_INFO_CACHE_SIZE, 16},
        {HSA_AGENT_INFO_ISA, 8},
        {HSA_AGENT_INFO_EXTENSIONS, 128},
        {HSA_AGENT_INFO_VERSION_MAJOR, 2},
        {HSA_AGENT_INFO_VERSION_MINOR, 2},
        {HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, 4},
        {HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS, 8},
        {HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS, 12},
        {HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS, 4},
        {HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES, 4},
        {HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS, 4},
        {HSA_AMD_AGENT_INFO_CHIP_ID, 4},
        {HSA_AMD_AGENT_INFO_CACHELINE_SIZE, 4},
        {HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, 4},
        {HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, 4},
        {HSA_AMD_AGENT_INFO_DRIVER_NODE_ID, 4},
        {HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS, 4},
        {HSA_AMD_AGENT_INFO_BDFID, 4},
        {HSA_AMD_AGENT_INFO_MEMORY_WIDTH, 4},
        {HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY, 4},
        {HSA_AMD_AGENT_INFO_PRODUCT_NAME, 64},
        {HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, 4},
        {HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU, 4},
        {HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES, 4},
        {HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE, 4},
        {HSA_AMD_AGENT_INFO_HDP_FLUSH, 16},
        {HSA_AMD_AGENT_INFO_DOMAIN, 4},
        {HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES, 1},
        {HSA_AMD_AGENT_INFO_UUID, 21},
        {HSA_AMD_AGENT_INFO_ASIC_REVISION, 4},
        {HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS, 1},
        {HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT, 4},
        {HSA_AMD_AGENT_INFO_MEMORY_AVAIL, 8},
        {HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY, 8},
        {HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID, 4},
        {HSA_AMD_AGENT_INFO_UCODE_VERSION, 4},
        {HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION, 4},
        {HSA_AMD_AGENT_INFO_NUM_SDMA_ENG, 4},
        {HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG, 4},
        {HSA_AMD_AGENT_INFO_IOMMU_SUPPORT, 4},
        {HSA_AMD_AGENT_INFO_NUM_XCC, 4},
        {HSA_AMD_AGENT_INFO_DRIVER_UID, 4},
        {HSA_AMD_AGENT_INFO_NEAREST_CPU, 8},
        {HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES, 8},
        {HSA_AMD_AGENT_INFO_AQL_EXTENSIONS, 8},
        {HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX, 8},
        {HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT, 8},
        {HSA_AMD_AGENT_INFO_CLOCK_COUNTERS, 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        unsigned char low[160], high[160];
        memset(low, 0x11, sizeof low);
        memset(high, 0xee, sizeof high);
        hsa_agent_info_t attribute = (hsa_agent_info_t)asked[i].attribute;
        ok(rt.hsa_agent_get_info(here.gpus[0], attribute, low));
        ok(rt.hsa_agent_get_info(here.gpus[0], attribute, high));
        for (size_t at = asked[i].size; at < sizeof low; at++)
            if (low[at] != 0x11 || high[at] != 0xee)
                fail_msg("attribute %#x writes more than %zu bytes", attribute, asked[i].size);
        if (attribute != (hsa_agent_info_t)HSA_AMD_AGENT_INFO_CLOCK_COUNTERS &&
            memcmp(low, high, asked[i].size) != 0)
            fail_msg("attribute %#x does not write all %zu bytes", attribute, asked[i].size);
        expect(rt.hsa_agent_get_info(here.cpu, attribute, low),
               is_of_gpus_only(asked[i].attribute) ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                                                   : HSA_STATUS_SUCCESS);
    }
}

static void a_gpu_is_like_its_model(void **state)
{
    uint64_t frequency = 0;
    hsa_dim3_t grid;
    (void)state;
    assert_int_equal(word_of(here.gpus[0], HSA_AGENT_INFO_WAVEFRONT_SIZE), 64);
    assert_int_equal(word_of(here.gpus[1], HSA_AGENT_INFO_WAVEFRONT_SIZE), 32);
    assert_int_equal(word_of(here.gpus[0], HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), 104);
    assert_int_equal(word_of(here.gpus[1], HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), 96);
    assert_int_equal(word_of(here.gpus[0], HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU), 32);
    assert_int_equal(word_of(here.gpus[0], HSA_AMD_AGENT_INFO_CHIP_ID), 0x740f);
    ok(rt.hsa_agent_get_info(here.gpus[0], (hsa_agent_info_t)HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY,
                             &frequency));
    assert_int_equal(frequency, 100000000);
    ok(rt.hsa_agent_get_info(here.gpus[0], HSA_AGENT_INFO_GRID_MAX_DIM, &grid));
    assert_true(grid.x == INT32_MAX && grid.y == UINT16_MAX);
}

static void gpus_have_different_identifiers(void **state)
{
    char first[32], second[32];
    hsa_agent_info_t uuid = (hsa_agent_info_t)HSA_AMD_AGENT_INFO_UUID;
    (void)state;
    ok(rt.hsa_agent_get_info(here.gpus[0], uuid, first));
    ok(rt.hsa_agent_get_info(here.gpus[1], uuid, second));
    assert_int_equal(strncmp(first, "GPU-", 4), 0);
    assert_int_equal(strlen(first), 20);
    assert_string_not_equal(first, second);
    assert_int_not_equal(word_of(here.gpus[0], HSA_AMD_AGENT_INFO_BDFID),
                         word_of(here.gpus[1], HSA_AMD_AGENT_INFO_BDFID));
    assert_int_not_equal(word_of(here.gpus[0], HSA_AGENT_INFO_NODE),
                         word_of(here.gpus[1], HSA_AGENT_INFO_NODE));
}

static void wrong_agents_are_errors(void **state)
{
    char value[256];
    hsa_agent_t wrong[] = {{0}, {1}, {here.cpu.handle + 8}, {UINT64_MAX}, {(uintptr_t)value}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect(rt.hsa_agent_get_info(wrong[i], HSA_AGENT_INFO_NAME, value),
               HSA_STATUS_ERROR_INVALID_AGENT);
        expect(rt.hsa_agent_iterate_isas(wrong[i], NULL, NULL), HSA_STATUS_ERROR_INVALID_AGENT);
        expect(rt.hsa_amd_agent_iterate_memory_pools(wrong[i], collect_pool, NULL),
               HSA_STATUS_ERROR_INVALID_AGENT);
    }
    expect(rt.hsa_agent_get_info(here.cpu, HSA_AGENT_INFO_NAME, NULL),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_agent_get_info(here.cpu, (hsa_agent_info_t)54321, value),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_iterate_agents(NULL, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

static hsa_status_t stop_at_once(hsa_agent_t agent, void *data)
{
    (void)agent;
    ++*(int *)data;
    return HSA_STATUS_INFO_BREAK;
}

static void a_callback_ends_an_iteration(void **state)
{
    int count = 0;
    (void)state;
    expect(rt.hsa_iterate_agents(stop_at_once, &count), HSA_STATUS_INFO_BREAK);
    assert_int_equal(count, 1);
}

/* ---- instruction sets
 * ----------------------------------------------------------------------------- */

static hsa_status_t take_isa(hsa_isa_t isa, void *data)
{
    *(hsa_isa_t *)data = isa;
    return HSA_STATUS_SUCCESS;
}

static hsa_isa_t isa_of(hsa_agent_t agent)
{
    hsa_isa_t isa = {0}, same = {0};
    ok(rt.hsa_agent_iterate_isas(agent, take_isa, &isa));
    ok(rt.hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &same));
    assert_true(isa.handle == same.handle);
    return isa;
}

static void instruction_sets_have_names(void **state)
{
    char name[64];
    uint32_t length = 0;
    hsa_isa_t isa = isa_of(here.gpus[0]), named;
    (void)state;
    ok(rt.hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length));
    ok(rt.hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name));
    assert_string_equal(name, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
    assert_int_equal(length, strlen(name) + 1);
    ok(rt.hsa_isa_get_info_alt(isa_of(here.gpus[1]), HSA_ISA_INFO_NAME, name));
    assert_string_equal(name, "amdgcn-amd-amdhsa--gfx1100");
    ok(rt.hsa_isa_from_name("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", &named));
    assert_true(named.handle == isa.handle);
    expect(rt.hsa_isa_from_name("amdgcn-amd-amdhsa--gfx90b", &named),
           HSA_STATUS_ERROR_INVALID_ISA_NAME);
    expect(rt.hsa_isa_from_name("amdgcn-amd-amdhsa--gfx1100:xnack+", &named),
           HSA_STATUS_ERROR_INVALID_ISA_NAME);
    expect(rt.hsa_isa_from_name("amdgcn-amd-amdhsa--gfx90a:xnack", &named),
           HSA_STATUS_ERROR_INVALID_ISA_NAME);
    expect(rt.hsa_isa_get_info_alt((hsa_isa_t){0}, HSA_ISA_INFO_NAME, name),
           HSA_STATUS_ERROR_INVALID_ISA);
    expect(rt.hsa_isa_get_info_alt((hsa_isa_t){isa.handle + 1}, HSA_ISA_INFO_NAME, name),
           HSA_STATUS_ERROR_INVALID_ISA);
}

static void code_without_feature_requirements_runs_on_any_isa(void **state)
{
    bool fits;
    hsa_isa_t plain, off, on;
    (void)state;
    ok(rt.hsa_isa_from_name("amdgcn-amd-amdhsa--gfx90a", &plain));
    ok(rt.hsa_isa_from_name("amdgcn-amd-amdhsa--gfx90a:xnack-", &off));
    ok(rt.hsa_isa_from_name("amdgcn-amd-amdhsa--gfx90a:xnack+", &on));
    ok(rt.hsa_isa_compatible(plain, isa_of(here.gpus[0]), &fits));
    assert_true(fits);
    ok(rt.hsa_isa_compatible(off, isa_of(here.gpus[0]), &fits));
    assert_true(fits);
    ok(rt.hsa_isa_compatible(on, isa_of(here.gpus[0]), &fits));
    assert_false(fits);
    ok(rt.hsa_isa_compatible(plain, isa_of(here.gpus[1]), &fits));
    assert_false(fits);
}

static hsa_status_t take_wave(hsa_wavefront_t wave, void *data)
{
    return rt.hsa_wavefront_get_info(wave, HSA_WAVEFRONT_INFO_SIZE, data);
}

static void waves_have_a_size(void **state)
{
    uint32_t lanes = 0;
    (void)state;
    ok(rt.hsa_isa_iterate_wavefronts(isa_of(here.gpus[1]), take_wave, &lanes));
    assert_int_equal(lanes, 32);
    expect(rt.hsa_wavefront_get_info((hsa_wavefront_t){17}, HSA_WAVEFRONT_INFO_SIZE, &lanes),
           HSA_STATUS_ERROR_INVALID_WAVEFRONT);
}

/* ---- caches
 * ------------------------------------------------------------------------------------------ */

static hsa_status_t sum_caches(hsa_cache_t cache, void *data)
{
    uint8_t level = 0;
    uint32_t size = 0;
    ok(rt.hsa_cache_get_info(cache, HSA_CACHE_INFO_LEVEL, &level));
    ok(rt.hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, &size));
    ((uint32_t *)data)[level - 1] = size << 10; /* caches count KiB, agents bytes */
    return HSA_STATUS_SUCCESS;
}

static void caches_agree_with_the_agent(void **state)
{
    uint32_t sizes[4], found[4] = {0};
    (void)state;
    ok(rt.hsa_agent_get_info(here.gpus[0], HSA_AGENT_INFO_CACHE_SIZE, sizes));
    ok(rt.hsa_agent_iterate_caches(here.gpus[0], sum_caches, found));
    assert_memory_equal(sizes, found, sizeof sizes);
    assert_true(found[1] >= 1 << 20);
    expect(rt.hsa_cache_get_info((hsa_cache_t){1}, HSA_CACHE_INFO_SIZE, sizes),
           HSA_STATUS_ERROR_INVALID_CACHE);
}

/* ---- pools
 * ---------------------------------------------------------------------------------------------- */

struct pools {
    hsa_amd_memory_pool_t pools[8];
    unsigned count;
};

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct pools *pools = data;
    pools->pools[pools->count++] = pool;
    return HSA_STATUS_SUCCESS;
}

static void a_gpu_has_memory_and_a_group_segment(void **state)
{
    struct pools pools = {.count = 0};
    unsigned groups = 0;
    (void)state;
    ok(rt.hsa_amd_agent_iterate_memory_pools(here.gpus[0], take_pool, &pools));
    for (unsigned i = 0; i < pools.count; i++) {
        hsa_amd_segment_t segment;
        size_t size = 0;
        bool allowed = false;
        ok(rt.hsa_amd_memory_pool_get_info(pools.pools[i], HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                           &segment));
        ok(rt.hsa_amd_memory_pool_get_info(pools.pools[i], HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
        ok(rt.hsa_amd_memory_pool_get_info(
            pools.pools[i], HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
        assert_int_equal(allowed, segment == HSA_AMD_SEGMENT_GLOBAL);
        assert_int_equal(size, segment == HSA_AMD_SEGMENT_GROUP ? 65536 : 1 << 30);
        groups += segment == HSA_AMD_SEGMENT_GROUP;
        void *pointer;
        if (segment == HSA_AMD_SEGMENT_GROUP)
            expect(rt.hsa_amd_memory_pool_allocate(pools.pools[i], 64, 0, &pointer),
                   HSA_STATUS_ERROR_INVALID_ALLOCATION);
    }
    assert_int_equal(groups, 1);
}

static hsa_amd_memory_pool_access_t access_of(hsa_agent_t agent, hsa_amd_memory_pool_t pool)
{
    hsa_amd_memory_pool_access_t access;
    ok(rt.hsa_amd_agent_memory_pool_get_info(agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
                                             &access));
    return access;
}

static void the_host_has_no_access_to_memory_of_a_device(void **state)
{
    (void)state;
    assert_int_equal(access_of(here.cpu, here.memory), HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
    assert_int_equal(access_of(here.gpus[0], here.memory),
                     HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
    assert_int_equal(access_of(here.gpus[1], here.memory),
                     HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
    assert_int_equal(access_of(here.gpus[0], here.fine),
                     HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
    assert_int_equal(access_of(here.cpu, here.kernarg),
                     HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
    void *pointer = allocate(here.memory, 4096);
    ok(rt.hsa_amd_agents_allow_access(1, &here.cpu, NULL, pointer)); /* which changes nothing */
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    hsa_agent_t *agents = NULL;
    uint32_t count = 0;
    ok(rt.hsa_amd_pointer_info(pointer, &info, malloc, &count, &agents));
    assert_true(count == 1 && agents[0].handle == here.gpus[0].handle);
    free(agents);
    ok(rt.hsa_amd_memory_pool_free(pointer));
}

static hsa_status_t find_kernarg(hsa_region_t region, void *data)
{
    uint32_t flags = 0;
    ok(rt.hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
    if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG)
        *(hsa_region_t *)data = region;
    return HSA_STATUS_SUCCESS;
}

static void regions_of_a_gpu_have_memory_for_arguments(void **state)
{
    hsa_region_t region = {0};
    bool reachable = false;
    void *pointer = NULL;
    (void)state;
    ok(rt.hsa_agent_iterate_regions(here.gpus[0], find_kernarg, &region));
    assert_true(region.handle != 0);
    ok(rt.hsa_region_get_info(region, (hsa_region_info_t)HSA_AMD_REGION_INFO_HOST_ACCESSIBLE,
                              &reachable));
    assert_true(reachable);
    ok(rt.hsa_memory_allocate(region, 100, &pointer));
    memset(pointer, 1, 100);
    ok(rt.hsa_memory_free(pointer));
    expect(rt.hsa_region_get_info((hsa_region_t){3}, HSA_REGION_INFO_SIZE, &pointer),
           HSA_STATUS_ERROR_INVALID_REGION);
    expect(rt.hsa_memory_allocate((hsa_region_t){3}, 100, &pointer),
           HSA_STATUS_ERROR_INVALID_REGION);
    expect(rt.hsa_amd_memory_pool_get_info((hsa_amd_memory_pool_t){here.memory.handle + 4},
                                           HSA_AMD_MEMORY_POOL_INFO_SIZE, &pointer),
           HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_one_cpu_and_the_requested_devices),
        cmocka_unit_test(a_gpu_has_the_attributes_that_clients_query),
        cmocka_unit_test(a_gpu_is_like_its_model),
        cmocka_unit_test(gpus_have_different_identifiers),
        cmocka_unit_test(wrong_agents_are_errors),
        cmocka_unit_test(a_callback_ends_an_iteration),
        cmocka_unit_test(instruction_sets_have_names),
        cmocka_unit_test(code_without_feature_requirements_runs_on_any_isa),
        cmocka_unit_test(waves_have_a_size),
        cmocka_unit_test(caches_agree_with_the_agent),
        cmocka_unit_test(a_gpu_has_memory_and_a_group_segment),
        cmocka_unit_test(the_host_has_no_access_to_memory_of_a_device),
        cmocka_unit_test(regions_of_a_gpu_have_memory_for_arguments),
    };
    return start_with("gfx90a,gfx1100") ? EXIT_FAILURE : cmocka_run_group_tests(tests, NULL, NULL);
}
