/* Parts of devices: resources, splits, descriptions, green contexts and their streams. */
#include "simcuda_test.h"

static CUdevResource whole(CUdevice device)
{
    CUdevResource all;
    ok(cu.cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    return all;
}

static void a_device_is_a_resource(void **state)
{
    CUdevResource all = whole(0), hopper = whole(1);
    (void)state;
    assert_int_equal(all.sm.smCount, 108);
    assert_int_equal(all.sm.minSmPartitionSize, 4);
    assert_int_equal(all.sm.smCoscheduledAlignment, 2);
    assert_int_equal(hopper.sm.minSmPartitionSize, 8);
    expect(cu.cuDeviceGetDevResource(7, &all, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_DEVICE);
    expect(cu.cuDeviceGetDevResource(0, NULL, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDeviceGetDevResource(0, &all, 1000), CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

static void a_split_follows_the_rules_of_the_device(void **state)
{
    CUdevResource all = whole(1), groups[4], rest, bad = all;
    unsigned count = 4;
    (void)state;
    ok(cu.cuDevSmResourceSplitByCount(groups, &count, &all, &rest, 0, 11));
    assert_true(count == 4 && groups[0].sm.smCount == 16 && rest.sm.smCount == 132 - 64);
    ok(cu.cuDevSmResourceSplitByCount(groups, &count, &all, &rest,
                                      CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 11));
    assert_int_equal(groups[0].sm.smCount, 12);
    ok(cu.cuDevSmResourceSplitByCount(NULL, &count, &all, NULL, 0, 72));
    assert_int_equal(count, 1);
    expect(cu.cuDevSmResourceSplitByCount(NULL, &count, &all, NULL, 0, 133),
           CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    expect(cu.cuDevSmResourceSplitByCount(NULL, &count, &groups[0], NULL, 0, 8),
           CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION); /* a result is not split again */
    expect(cu.cuDevSmResourceSplitByCount(NULL, NULL, &all, NULL, 0, 8), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDevSmResourceSplitByCount(NULL, &count, &all, NULL, 8, 8),
           CUDA_ERROR_INVALID_VALUE);
    bad.type = CU_DEV_RESOURCE_TYPE_INVALID;
    expect(cu.cuDevSmResourceSplitByCount(NULL, &count, &bad, NULL, 0, 8),
           CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

static void a_description_is_of_one_split(void **state)
{
    CUdevResource all = whole(0), first[2], second[2];
    CUdevResourceDesc description;
    unsigned count = 2;
    (void)state;
    ok(cu.cuDevSmResourceSplitByCount(first, &count, &all, NULL, 0, 4));
    ok(cu.cuDevSmResourceSplitByCount(second, &count, &all, NULL, 0, 4));
    ok(cu.cuDevResourceGenerateDesc(&description, first, 2));
    second[0] = first[0];
    expect(cu.cuDevResourceGenerateDesc(&description, second, 2),
           CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    second[1] = first[0];
    expect(cu.cuDevResourceGenerateDesc(&description, second, 2),
           CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION); /* the same twice */
    expect(cu.cuDevResourceGenerateDesc(&description, first, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuDevResourceGenerateDesc(NULL, first, 1), CUDA_ERROR_INVALID_VALUE);
}

static void a_green_context_has_streams_that_outlive_it(void **state)
{
    CUdevResource all = whole(0);
    CUdevResourceDesc description;
    CUlaunchAttributeValue policy = {.syncPolicy = 2};
    CUgreenCtx green;
    CUstream stream;
    (void)state;
    ok(cu.cuDevResourceGenerateDesc(&description, &all, 1));
    expect(cu.cuGreenCtxCreate(&green, description, 0, 0), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuGreenCtxCreate(&green, description, 1, CU_GREEN_CTX_DEFAULT_STREAM),
           CUDA_ERROR_INVALID_DEVICE);
    ok(cu.cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    expect(cu.cuGreenCtxStreamCreate(&stream, green, CU_STREAM_DEFAULT, 0),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    ok(cu.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy));
    expect(cu.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &policy),
           CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuStreamSynchronize(stream));
    ok(cu.cuGreenCtxDestroy(green));
    expect(cu.cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
    expect(cu.cuStreamQuery(stream), CUDA_ERROR_STREAM_DETACHED);
    ok(cu.cuStreamDestroy(stream));
}

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80,sm_90");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_a_resource),
        cmocka_unit_test(a_split_follows_the_rules_of_the_device),
        cmocka_unit_test(a_description_is_of_one_split),
        cmocka_unit_test(a_green_context_has_streams_that_outlive_it),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
