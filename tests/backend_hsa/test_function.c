/* Tests the occupancy of kernels, and their attributes. */
#include "hsa_device_info.h"
#include "hsa_module.h"
#include "support.h"

#include <string.h>

/* The device that the functions query. */
static struct ahhsa_device_info info;
static struct ah_backend_device device;
static struct ahhsa_kernel_metadata kernel;
static struct ah_backend_function function;

struct ahhsa_device_info *ahhsa_device_info_of(struct ah_backend_device *asked)
{
    assert_ptr_equal(asked, &device);
    return &info;
}

hipError_t ahhsa_start(struct ah_backend_device *started)
{
    (void)started;
    fail_msg("the device is ready");
    return hipErrorUnknown;
}

static void use(const char *processor, unsigned lanes, unsigned simds, unsigned waves)
{
    memset(&device, 0, sizeof device);
    atomic_store(&device.ready, true);
    info = (struct ahhsa_device_info){.lanes = lanes,
                                      .simds = simds,
                                      .waves = waves,
                                      .units = 104,
                                      .group_max = 1024,
                                      .group_memory = 65536};
    strcpy(info.target.processor, processor);
    kernel = (struct ahhsa_kernel_metadata){.lanes = lanes, .vgprs = 8, .max_threads = 1024};
    function = (struct ah_backend_function){.kernel = &kernel, .max_threads = 1024};
}

static unsigned blocks(unsigned threads, size_t dynamic)
{
    return ahhsa_resident_blocks(&device, &function, threads, dynamic);
}

static void small_kernels_are_bounded_by_waves(void **state)
{
    (void)state;
    use("gfx90a", 64, 4, 32);
    assert_int_equal(blocks(64, 0), 32);
    assert_int_equal(blocks(1, 0), 32);
    assert_int_equal(blocks(256, 0), 8);
    assert_int_equal(blocks(1024, 0), 2);
    use("gfx1100", 32, 2, 32);
    assert_int_equal(blocks(1024, 0), 1);
    assert_int_equal(blocks(32, 0), 32);
    assert_int_equal(blocks(64, 0), 16);
}

static void registers_bound_the_waves_of_a_simd(void **state)
{
    (void)state;
    use("gfx90a", 64, 4, 32);
    kernel.vgprs = 65; /* 72 are given: 7 waves of 512 */
    assert_int_equal(blocks(64, 0), 28);
    kernel.vgprs = 256;
    assert_int_equal(blocks(64, 0), 8);
    kernel.vgprs = 512;
    assert_int_equal(blocks(256, 0), 1);
    kernel.vgprs = 513;
    assert_int_equal(blocks(64, 0), 0);
    use("gfx906", 64, 4, 40);
    kernel.sgprs = 100; /* 112 are given: 7 waves of 800 */
    assert_int_equal(blocks(64, 0), 28);
    use("gfx1100", 32, 2, 32);
    kernel.vgprs = 97; /* 120 are given: 12 waves of 1536 */
    assert_int_equal(blocks(32, 0), 24);
}

static void group_memory_bounds_blocks(void **state)
{
    (void)state;
    use("gfx90a", 64, 4, 32);
    function.group_size = 16384;
    assert_int_equal(blocks(64, 0), 4);
    assert_int_equal(blocks(64, 1), 3);
    assert_int_equal(blocks(64, 65536 - 16384), 1);
    assert_int_equal(blocks(64, 65536), 0);
    function.group_size = 1;
    assert_int_equal(blocks(64, 0), 32);
}

static void an_unknown_processor_is_bounded_by_the_attributes_of_its_agent(void **state)
{
    (void)state;
    use("gfx1900", 32, 2, 32);
    kernel.vgprs = 4000;
    assert_int_equal(blocks(32, 0), 32);
}

static void the_suggested_block_is_the_largest_with_full_occupancy(void **state)
{
    (void)state;
    int grid = 0, block = 0;
    use("gfx90a", 64, 4, 32);
    assert_int_equal(ahhsa_occupancy_block_size(&device, &function, 0, 0, 0, &grid, &block), 0);
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 208);
    assert_int_equal(ahhsa_occupancy_block_size(&device, &function, 0, 300, 0, &grid, &block), 0);
    assert_int_equal(block, 256);
    assert_int_equal(grid, 8 * 104);
    assert_int_equal(ahhsa_occupancy_block_size(&device, &function, 65537, 0, 0, &grid, &block),
                     hipErrorInvalidConfiguration);
}

static void the_shared_memory_left_by_blocks_is_reported(void **state)
{
    (void)state;
    size_t shared = 0;
    use("gfx90a", 64, 4, 32);
    function.group_size = 1000;
    assert_int_equal(ahhsa_occupancy_shared(&device, &function, 4, 256, &shared), 0);
    assert_int_equal(shared, 16384 - 1000);
    assert_true(blocks(256, shared) >= 4);
    assert_true(blocks(256, shared + 1) < 4);
    assert_int_equal(ahhsa_occupancy_shared(&device, &function, 9, 256, &shared),
                     hipErrorInvalidValue);
    assert_int_equal(ahhsa_occupancy_shared(&device, &function, 1, 2048, &shared),
                     hipErrorInvalidValue);
}

static void blocks_that_are_too_large_do_not_fit(void **state)
{
    (void)state;
    int count = -1;
    use("gfx90a", 64, 4, 32);
    function.max_threads = 256;
    assert_int_equal(ahhsa_occupancy_blocks(&device, &function, 257, 0, 0, &count), 0);
    assert_int_equal(count, 0);
    assert_int_equal(ahhsa_occupancy_blocks(&device, &function, 256, 0, 0, &count), 0);
    assert_int_equal(count, 8);
    assert_int_equal(ahhsa_occupancy_blocks(&device, &function, 0, 0, 0, &count),
                     hipErrorInvalidValue);
}

static void attributes_come_from_the_code_and_the_device(void **state)
{
    (void)state;
    hipFuncAttributes attributes;
    use("gfx90a", 64, 4, 32);
    info.major = 9;
    function.group_size = 1000;
    function.private_size = 48;
    function.max_threads = 0; /* the metadata does not have it */
    function.max_dynamic = -1;
    assert_int_equal(ahhsa_function_attributes(&device, &function, &attributes), 0);
    assert_int_equal(attributes.sharedSizeBytes, 1000);
    assert_int_equal(attributes.localSizeBytes, 48);
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 65536 - 1000);
    assert_int_equal(attributes.maxThreadsPerBlock, 1024);
    assert_int_equal(attributes.numRegs, 8);
    assert_int_equal(attributes.binaryVersion, 90);
    const int dynamic = hipFuncAttributeMaxDynamicSharedMemorySize;
    assert_int_equal(ahhsa_function_set_attribute(&device, &function, dynamic, 64536), 0);
    assert_int_equal(ahhsa_function_set_attribute(&device, &function, dynamic, 64537),
                     hipErrorInvalidValue);
    assert_int_equal(ahhsa_function_set_attribute(&device, &function, dynamic, -1),
                     hipErrorInvalidValue);
}

static void parameters_do_not_include_implicit_arguments(void **state)
{
    (void)state;
    struct ahhsa_argument arguments[] = {{0, 8, AHHSA_VALUE_BUFFER},
                                         {8, 1, AHHSA_VALUE_BY_VALUE},
                                         {16, 4, AHHSA_VALUE_BLOCK_COUNT_X}};
    struct ah_parameter parameter;
    use("gfx90a", 64, 4, 32);
    kernel.arguments = arguments;
    kernel.argument_count = 3;
    kernel.explicit_count = 2;
    assert_int_equal(ahhsa_function_parameter(&device, &function, 1, &parameter), 0);
    assert_int_equal(parameter.offset, 8);
    assert_int_equal(parameter.size, 1);
    assert_int_equal(ahhsa_function_parameter(&device, &function, 2, &parameter),
                     hipErrorInvalidValue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_kernels_are_bounded_by_waves),
        cmocka_unit_test(registers_bound_the_waves_of_a_simd),
        cmocka_unit_test(group_memory_bounds_blocks),
        cmocka_unit_test(an_unknown_processor_is_bounded_by_the_attributes_of_its_agent),
        cmocka_unit_test(the_suggested_block_is_the_largest_with_full_occupancy),
        cmocka_unit_test(the_shared_memory_left_by_blocks_is_reported),
        cmocka_unit_test(blocks_that_are_too_large_do_not_fit),
        cmocka_unit_test(attributes_come_from_the_code_and_the_device),
        cmocka_unit_test(parameters_do_not_include_implicit_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
