/* Arrays without memory: what is checked before a driver is asked to bind some, and that drivers
 * without such arrays say so. */
#include "support.h"

#include <string.h>

static const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
static const hipExtent extent = {256, 256, 0};

static hipMemGenericAllocationHandle_t make_memory(void)
{
    hipMemGenericAllocationHandle_t memory;
    size_t size;
    const hipMemAllocationProp properties = {.type = hipMemAllocationTypePinned,
                                             .location = {.type = hipMemLocationTypeDevice}};
    ok(hipMemGetAllocationGranularity(&size, &properties, hipMemAllocationGranularityMinimum));
    ok(hipMemCreate(&memory, size, &properties, 0));
    return memory;
}

/* A part of the array, without a fault. */
static hipArrayMapInfo part_of(hipArray_t array, hipMemGenericAllocationHandle_t memory)
{
    hipArrayMapInfo info = {.resourceType = hipResourceTypeArray,
                            .resource.array = array,
                            .subresourceType = hipArraySparseSubresourceTypeSparseLevel,
                            .memOperationType = hipMemOperationTypeMap,
                            .memHandleType = hipMemHandleTypeGeneric,
                            .memHandle.memHandle = memory,
                            .deviceBitMask = 1};
    info.subresource.sparseLevel.extentWidth = info.subresource.sparseLevel.extentHeight = 128;
    info.subresource.sparseLevel.extentDepth = 1;
    return info;
}

static void descriptions_with_a_fault_are_refused(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory();
    hipArray_t array;
    hipStream_t gone;
    (void)state;
    ok(hipMalloc3DArray(&array, &words, extent, 0));
    const hipArrayMapInfo good = part_of(array, memory);
    hipArrayMapInfo bad[] = {good, good, good, good, good, good, good, good, good};
    size_t count = sizeof bad / sizeof *bad;
    bad[0].resourceType = hipResourceTypeLinear;
    bad[1].memOperationType = (hipMemOperationType)3;
    bad[2].subresourceType = (hipArraySparseSubresourceType)2;
    bad[3].memHandleType = (hipMemHandleType)1;
    bad[4].flags = 1;
    bad[5].reserved[1] = 1;
    bad[6].memHandle.memHandle = (hipMemGenericAllocationHandle_t)(void *)array;
    bad[7].memHandle.memHandle = NULL;
    bad[8].deviceBitMask = 0;
    for (size_t i = 0; i < count; i++)
        expect(hipMemMapArrayAsync(&bad[i], 1, NULL), hipErrorInvalidValue);
    bad[0] = good;
    bad[0].resource.array = NULL;
    expect(hipMemMapArrayAsync(bad, 1, NULL), hipErrorInvalidHandle);
    bad[0].resourceType = hipResourceTypeMipmappedArray;
    bad[0].resource.array = array;
    expect(hipMemMapArrayAsync(bad, 1, NULL), hipErrorInvalidHandle);
    expect(hipMemMapArrayAsync(NULL, 1, NULL), hipErrorInvalidValue);
    expect(hipMemMapArrayAsync(&bad[1], 0, NULL), hipErrorInvalidValue);
    ok(hipStreamCreate(&gone));
    ok(hipStreamDestroy(gone));
    expect(hipMemMapArrayAsync((hipArrayMapInfo *)&good, 1, gone), hipErrorContextIsDestroyed);
    ok(hipFreeArray(array));
    expect(hipMemMapArrayAsync((hipArrayMapInfo *)&good, 1, NULL), hipErrorInvalidHandle);
    ok(hipMemRelease(memory));
}

static void the_array_the_stream_and_the_mask_are_of_one_device(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory();
    hipArray_t array;
    (void)state;
    ok(hipMalloc3DArray(&array, &words, extent, 0));
    hipArrayMapInfo info = part_of(array, memory);
    info.deviceBitMask = 2;
    expect_says(hipMemMapArrayAsync(&info, 1, NULL), hipErrorInvalidValue,
                "must be of one device; the stream's is 0");
    ok(hipSetDevice(1));
    expect_says(hipMemMapArrayAsync(&info, 1, NULL), hipErrorInvalidValue,
                "must be of one device; the stream's is 1");
    ok(hipSetDevice(0));
    ok(hipFreeArray(array));
    ok(hipMemRelease(memory));
}

static void what_the_driver_does_not_have_is_refused_with_its_reason(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory();
    hipArray_t array, other;
    (void)state;
    ok(hipMalloc3DArray(&array, &words, extent, 0));
    hipArrayMapInfo info = part_of(array, memory);
    expect_says(hipMemMapArrayAsync(&info, 1, NULL), hipErrorNotSupported,
                over_hsa() ? "no function that binds memory to parts of images" : "NOT_SUPPORTED");
    info.memOperationType = hipMemOperationTypeUnmap;
    info.memHandle.memHandle = NULL;
    expect(hipMemMapArrayAsync(&info, 1, NULL), hipErrorNotSupported);
    expect(hipMalloc3DArray(&other, &words, extent, anyhipArraySparse), hipErrorNotSupported);
    forget_violations();
    if (over_hsa())
        expect(hipMalloc3DArray(&other, &words, extent, anyhipArrayDeferredMapping),
               hipErrorNotSupported);
    expect(hipMalloc3DArray(&other, &words, extent, 0x100), hipErrorInvalidValue);
    ok(hipFreeArray(array));
    ok(hipMemRelease(memory));
}

static void nothing_is_mapped_in_a_stream_that_captures(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory();
    hipArray_t array;
    hipStream_t stream;
    hipGraph_t graph;
    (void)state;
    ok(hipMalloc3DArray(&array, &words, extent, 0));
    ok(hipStreamCreate(&stream));
    hipArrayMapInfo info = part_of(array, memory);
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    expect(hipMemMapArrayAsync(&info, 1, stream), hipErrorStreamCaptureUnsupported);
    expect(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    ok(hipStreamDestroy(stream));
    ok(hipFreeArray(array));
    ok(hipMemRelease(memory));
}

static void a_device_without_levels_says_why(void **state)
{
    hipMipmappedArray_t mipmap;
    (void)state;
    expect_says(hipMallocMipmappedArray(&mipmap, &words, extent, 3, 0), hipErrorNotSupported,
                "the device has no instruction that reads a level of an image");
    ok(hipSetDevice(1));
    ok(hipMallocMipmappedArray(&mipmap, &words, extent, 3, 0));
    hipArrayMemoryRequirements needed;
    expect_says(hipMipmappedArrayGetMemoryRequirements(&needed, mipmap, 1), hipErrorNotSupported,
                "no function that binds memory to parts of images");
    ok(hipFreeMipmappedArray(mipmap));
    expect(hipMallocMipmappedArray(&mipmap, &words, extent, 3, anyhipArraySparse),
           hipErrorNotSupported);
    ok(hipSetDevice(0));
}

/* ---- mipmapped arrays ---------------------------------------------------------------------- */

static void a_mipmapped_array_is_named_by_its_handle_or_a_copy(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory();
    hipMipmappedArray_t mipmap, other;
    (void)state;
    ok(hipMallocMipmappedArray(&other, &words, extent, 3, 0));
    ok(hipMallocMipmappedArray(&mipmap, &words, extent, 3, 0));
    hipArrayMapInfo info = part_of(NULL, memory);
    info.resourceType = hipResourceTypeMipmappedArray;
    info.subresourceType = hipArraySparseSubresourceTypeMiptail;
    expect(hipMemMapArrayAsync(&info, 1, NULL), hipErrorInvalidHandle);
    info.resource.array = (hipArray_t)(void *)mipmap;
    expect(hipMemMapArrayAsync(&info, 1, NULL), hipErrorNotSupported); /* the driver's answer */
    info.resource.mipmap = *mipmap;
    expect(hipMemMapArrayAsync(&info, 1, NULL), hipErrorNotSupported);
    ok(hipFreeMipmappedArray(mipmap));
    expect(hipMemMapArrayAsync(&info, 1, NULL), hipErrorInvalidHandle);
    ok(hipFreeMipmappedArray(other));
    ok(hipMemRelease(memory));
}

static void the_memory_of_a_mipmapped_array_without_any_is_known(void **state)
{
    enum { TILE = 65536 };
    hipArrayMemoryRequirements needed;
    hipMipmappedArray_t plain, mipmap;
    (void)state;
    ok(hipMallocMipmappedArray(&plain, &words, extent, 3, 0));
    ok(hipMallocMipmappedArray(&mipmap, &words, extent, 3, anyhipArrayDeferredMapping));
    ok(hipMipmappedArrayGetMemoryRequirements(&needed, mipmap, 0));
    check(needed.size >= (256 * 256 + 128 * 128 + 64 * 64) * 4);
    check(needed.size % TILE == 0 && needed.alignment == TILE);
    expect(hipMipmappedArrayGetMemoryRequirements(&needed, plain, 0), hipErrorInvalidValue);
    expect(hipMipmappedArrayGetMemoryRequirements(NULL, mipmap, 0), hipErrorInvalidValue);
    expect(hipMipmappedArrayGetMemoryRequirements(&needed, NULL, 0), hipErrorInvalidValue);
    expect(hipMipmappedArrayGetMemoryRequirements(&needed, mipmap, 1), hipErrorInvalidDevice);
    expect(hipMipmappedArrayGetMemoryRequirements(&needed, mipmap, 9), hipErrorInvalidDevice);
    ok(hipFreeMipmappedArray(mipmap));
    expect(hipMipmappedArrayGetMemoryRequirements(&needed, mipmap, 0), hipErrorInvalidValue);
    ok(hipFreeMipmappedArray(plain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(descriptions_with_a_fault_are_refused),
        TEST(the_array_the_stream_and_the_mask_are_of_one_device),
        TEST(what_the_driver_does_not_have_is_refused_with_its_reason),
        TEST(nothing_is_mapped_in_a_stream_that_captures),
        TEST_OVER("hsa", "NVIDIA's devices have levels", a_device_without_levels_says_why),
        TEST_OVER("cuda", "AMD's runtime has no arrays without memory",
                  a_mipmapped_array_is_named_by_its_handle_or_a_copy),
        TEST_OVER("cuda", "AMD's runtime has no arrays without memory",
                  the_memory_of_a_mipmapped_array_without_any_is_known),
    };
    use_fake("80,90");
    return run_group("sparse arrays", tests);
}
