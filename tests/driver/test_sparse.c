/* Arrays without memory: what is checked before a driver is asked to bind some, and that drivers
 * without such arrays say so. */
#include "support.h"

#include <string.h>

#define no_parts "AMD's runtime has no arrays without memory"

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
                "no function that binds memory to parts of images");
    info.memOperationType = hipMemOperationTypeUnmap;
    info.memHandle.memHandle = NULL;
    expect(hipMemMapArrayAsync(&info, 1, NULL), hipErrorNotSupported);
    expect(hipMalloc3DArray(&other, &words, extent, anyhipArraySparse), hipErrorNotSupported);
    expect(hipMalloc3DArray(&other, &words, extent, anyhipArrayDeferredMapping),
           hipErrorNotSupported);
    expect(hipMalloc3DArray(&other, &words, extent, 0x100), hipErrorInvalidValue);
    ok(hipFreeArray(array));
    ok(hipMemRelease(memory));
}

/* Each row spoils a part that is whole tiles, 128 by 128 elements of 4 bytes. */
static void a_driver_refuses_what_is_not_whole_tiles(void **state)
{
    hipMemGenericAllocationHandle_t memory = make_memory();
    hipArray_t array, plain, line;
    (void)state;
    ok(hipMalloc3DArray(&array, &words, extent, anyhipArraySparse));
    ok(hipMalloc3DArray(&plain, &words, extent, 0));
    expect(hipMalloc3DArray(&line, &words, (hipExtent){256, 0, 0}, anyhipArraySparse),
           hipErrorInvalidValue);
    hipArrayMapInfo good = part_of(array, memory);
    hipArrayMapInfo bad[] = {good, good, good, good, good, good, good};
    bad[0].subresource.sparseLevel.offsetX = 64;
    bad[1].subresource.sparseLevel.extentWidth = 100;
    bad[2].subresource.sparseLevel.extentHeight = 0;
    bad[3].subresource.sparseLevel.offsetY = 256;
    bad[4].offset = 4096;
    bad[5].offset = (size_t)1 << 40;
    bad[6].resource.array = plain;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(hipMemMapArrayAsync(&bad[i], 1, NULL), hipErrorInvalidValue);
    ok(hipMemMapArrayAsync(&good, 1, NULL));
    good.memOperationType = hipMemOperationTypeUnmap;
    ok(hipMemMapArrayAsync(&good, 1, NULL));
    ok(hipDeviceSynchronize());
    ok(hipFreeArray(plain));
    ok(hipFreeArray(array));
    ok(hipMemRelease(memory));
}

static void fill_words(uint32_t *out, size_t count, uint32_t first)
{
    for (size_t i = 0; i < count; i++)
        out[i] = first + (uint32_t)i;
}

/* The memory of one tile is given to another, and outlives its handle. */
static void a_tile_is_the_memory_that_is_mapped_to_it(void **state)
{
    enum { SIDE = 128, ROW = SIDE * 4 };
    static uint32_t texels[SIDE * SIDE], back[SIDE * SIDE];
    hipMemGenericAllocationHandle_t memory = make_memory();
    hipArray_t array;
    (void)state;
    ok(hipMalloc3DArray(&array, &words, extent, anyhipArraySparse));
    hipArrayMapInfo parts[2] = {part_of(array, memory), part_of(array, memory)};
    parts[1].subresource.sparseLevel.offsetX = parts[1].subresource.sparseLevel.offsetY = SIDE;
    parts[1].offset = 65536;
    ok(hipMemMapArrayAsync(parts, 2, NULL));
    fill_words(texels, SIDE * SIDE, 7);
    ok(hipMemcpy2DToArray(array, 0, 0, texels, ROW, ROW, SIDE, hipMemcpyHostToDevice));
    parts[0].memOperationType = hipMemOperationTypeUnmap;
    ok(hipMemMapArrayAsync(parts, 1, NULL));
    parts[1].offset = 0;
    ok(hipMemMapArrayAsync(&parts[1], 1, NULL));
    ok(hipMemRelease(memory));
    ok(hipMemcpy2DFromArray(back, ROW, array, ROW, SIDE, ROW, SIDE, hipMemcpyDeviceToHost));
    check(memcmp(back, texels, sizeof back) == 0);
    ok(hipFreeArray(array));
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
    expect(hipMemMapArrayAsync(&info, 1, NULL), hipErrorInvalidValue); /* it has its memory */
    info.resource.mipmap = *mipmap;
    expect(hipMemMapArrayAsync(&info, 1, NULL), hipErrorInvalidValue);
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
    hipMipmappedArray_t sparse;
    expect(hipMallocMipmappedArray(&sparse, &words, extent, 3, anyhipArraySparse),
           hipErrorNotSupported); /* simulated devices alone */
    forget_violations();
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
        TEST_OVER("hsa", "NVIDIA's driver has such arrays",
                  what_the_driver_does_not_have_is_refused_with_its_reason),
        TEST_OVER("cuda", no_parts, a_driver_refuses_what_is_not_whole_tiles),
        TEST_OVER("cuda", no_parts, a_tile_is_the_memory_that_is_mapped_to_it),
        TEST(nothing_is_mapped_in_a_stream_that_captures),
        TEST_OVER("hsa", "NVIDIA's devices have levels", a_device_without_levels_says_why),
        TEST_OVER("cuda", no_parts, a_mipmapped_array_is_named_by_its_handle_or_a_copy),
        TEST_OVER("cuda", no_parts, the_memory_of_a_mipmapped_array_without_any_is_known),
    };
    use_fake("80,90");
    return run_group("sparse arrays", tests);
}
