/* Mipmapped arrays and texture objects: their descriptions, their levels, and invalid ones. What
 * kernels read through them is tested in tests/kernel. */
#include "support.h"

#include <string.h>

#define of_amd "only AMD's runtime makes images"

static const hipChannelFormatDesc floats = {32, 0, 0, 0, hipChannelFormatKindFloat};
static const hipChannelFormatDesc bytes = {8, 8, 8, 8, hipChannelFormatKindUnsigned};

static hipMipmappedArray_t make_mipmap(size_t width, size_t height, size_t depth, unsigned levels,
                                       unsigned flags)
{
    hipMipmappedArray_t mipmap;
    ok(hipMallocMipmappedArray(&mipmap, &floats, (hipExtent){width, height, depth}, levels, flags));
    return mipmap;
}

static hipExtent extent_of(hipArray_t array)
{
    hipExtent extent;
    hipChannelFormatDesc format;
    unsigned flags;
    ok(hipArrayGetInfo(&format, &extent, &flags, array));
    check(format.x == 32 && format.f == hipChannelFormatKindFloat);
    return extent;
}

static void check_level(hipMipmappedArray_t mipmap, unsigned level, size_t width, size_t height,
                        size_t depth)
{
    hipArray_t array;
    ok(hipGetMipmappedArrayLevel(&array, mipmap, level));
    hipExtent extent = extent_of(array);
    check(extent.width == width && extent.height == height && extent.depth == depth);
}

/* ---- mipmapped arrays ---------------------------------------------------------------------- */

static void no_side_of_a_level_is_less_than_one(void **state)
{
    (void)state;
    hipMipmappedArray_t mipmap = make_mipmap(16, 2, 0, 5, 0);
    check_level(mipmap, 0, 16, 2, 0);
    check_level(mipmap, 1, 8, 1, 0);
    check_level(mipmap, 2, 4, 1, 0);
    check_level(mipmap, 4, 1, 1, 0);
    ok(hipFreeMipmappedArray(mipmap));
    mipmap = make_mipmap(2, 4, 8, 4, 0);
    check_level(mipmap, 3, 1, 1, 1);
    ok(hipFreeMipmappedArray(mipmap));
}

static void there_are_no_more_levels_than_the_longest_side_has_halves(void **state)
{
    static const struct {
        size_t width, height, depth;
        unsigned flags, levels;
    } cases[] = {
        {16, 6, 0, 0, 5}, {6, 16, 0, 0, 5}, {1, 1, 0, 0, 1},
        {7, 0, 0, 0, 3},  {4, 4, 32, 0, 6}, {4, 4, 32, hipArrayLayered, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hipArray_t array;
        hipMipmappedArray_t mipmap =
            make_mipmap(cases[i].width, cases[i].height, cases[i].depth, 20, cases[i].flags);
        ok(hipGetMipmappedArrayLevel(&array, mipmap, cases[i].levels - 1));
        expect(hipGetMipmappedArrayLevel(&array, mipmap, cases[i].levels), hipErrorInvalidValue);
        ok(hipFreeMipmappedArray(mipmap));
    }
}

static void a_level_that_was_freed_is_made_again(void **state)
{
    hipArray_t array, again;
    hipMipmappedArray_t mipmap = make_mipmap(8, 8, 0, 4, 0);
    (void)state;
    for (unsigned level = 0; level < 4; level++) {
        ok(hipGetMipmappedArrayLevel(&array, mipmap, level));
        ok(hipGetMipmappedArrayLevel(&again, mipmap, level));
        check(again == array);
        ok(hipFreeArray(array));
        expect(hipFreeArray(array), hipErrorContextIsDestroyed);
        ok(hipGetMipmappedArrayLevel(&again, mipmap, level));
        check(again != array && extent_of(again).width == (size_t)8 >> level);
    }
    ok(hipFreeMipmappedArray(mipmap));
    expect(hipFreeArray(again), hipErrorContextIsDestroyed);
}

static void mipmapped_arrays_of_the_drivers_description_are_made(void **state)
{
    hipMipmappedArray_t mipmap;
    HIP_ARRAY3D_DESCRIPTOR description = {
        .Width = 4, .Height = 4, .Format = HIP_AD_FORMAT_FLOAT, .NumChannels = 1};
    (void)state;
    ok(hipMipmappedArrayCreate(&mipmap, &description, 2));
    check_level(mipmap, 1, 2, 2, 0);
    ok(hipMipmappedArrayDestroy(mipmap));
    expect(hipMipmappedArrayDestroy(mipmap), hipErrorContextIsDestroyed);
    expect(hipMipmappedArrayCreate(&mipmap, NULL, 2), hipErrorInvalidValue);
    expect(hipMipmappedArrayCreate(NULL, &description, 2), hipErrorInvalidValue);
    expect(hipMipmappedArrayCreate(&mipmap, &description, 0), hipErrorInvalidValue);
    description.NumChannels = 3;
    expect(hipMipmappedArrayCreate(&mipmap, &description, 2), hipErrorInvalidValue);
}

static void copies_to_a_level_stay_in_it(void **state)
{
    hipArray_t array[2];
    float values[16], back[16];
    hipMipmappedArray_t mipmap = make_mipmap(4, 4, 0, 2, 0);
    (void)state;
    for (unsigned level = 0; level < 2; level++) {
        unsigned side = 4 >> level;
        ok(hipGetMipmappedArrayLevel(&array[level], mipmap, level));
        for (unsigned i = 0; i < side * side; i++)
            values[i] = (float)(100 * level + i);
        ok(hipMemcpy2DToArray(array[level], 0, 0, values, side * 4, side * 4, side,
                              hipMemcpyHostToDevice));
    }
    for (unsigned level = 0; level < 2; level++) {
        unsigned side = 4 >> level;
        ok(hipMemcpy2DFromArray(back, side * 4, array[level], 0, 0, side * 4, side,
                                hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < side * side; i++)
            check(back[i] == (float)(100 * level + i));
    }
    ok(hipFreeMipmappedArray(mipmap));
}

/* ---- texture objects ------------------------------------------------------------------------ */

static hipResourceDesc resource_of_mipmap(hipMipmappedArray_t mipmap)
{
    hipResourceDesc resource = {.resType = hipResourceTypeMipmappedArray};
    resource.res.mipmap.mipmap = mipmap;
    return resource;
}

static hipResourceDesc resource_of_array(hipArray_t array)
{
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    resource.res.array.array = array;
    return resource;
}

static void check_made_here_only(const hipResourceDesc *resource)
{
    hipTextureObject_t texture;
    const hipTextureDesc settings = {.normalizedCoords = 1};
    ok(hipCreateTextureObject(&texture, resource, &settings, NULL));
    ok(hipDestroyTextureObject(texture));
    expect(hipDestroyTextureObject(texture), hipErrorInvalidValue);
    ok(hipSetDevice(1));
    expect(hipCreateTextureObject(&texture, resource, &settings, NULL), hipErrorInvalidValue);
    ok(hipSetDevice(0));
}

static void check_not_made(const hipResourceDesc *resource)
{
    hipTextureObject_t texture;
    const hipTextureDesc settings = {.normalizedCoords = 1};
    expect(hipCreateTextureObject(&texture, resource, &settings, NULL), hipErrorInvalidValue);
}

static void a_texture_is_made_of_an_array_of_the_current_device(void **state)
{
    hipArray_t array;
    (void)state;
    ok(hipMallocArray(&array, &floats, 4, 4, 0));
    const hipResourceDesc resource = resource_of_array(array);
    check_made_here_only(&resource);
    ok(hipFreeArray(array));
    check_not_made(&resource);
}

static void a_texture_is_made_of_a_mipmapped_array_of_the_current_device(void **state)
{
    hipMipmappedArray_t mipmap = make_mipmap(4, 4, 0, 2, 0);
    (void)state;
    const hipResourceDesc resource = resource_of_mipmap(mipmap);
    check_made_here_only(&resource);
    ok(hipFreeMipmappedArray(mipmap));
    check_not_made(&resource);
}

static void a_surface_is_made_of_an_array_and_destroyed_once(void **state)
{
    hipArray_t array;
    hipSurfaceObject_t surface;
    (void)state;
    ok(hipMallocArray(&array, &floats, 4, 4, hipArraySurfaceLoadStore));
    const hipResourceDesc resource = resource_of_array(array);
    ok(hipCreateSurfaceObject(&surface, &resource));
    ok(hipDestroySurfaceObject(surface));
    expect(hipDestroySurfaceObject(surface), hipErrorInvalidValue);
    expect(hipCreateSurfaceObject(&surface, NULL), hipErrorInvalidValue);
    expect(hipCreateSurfaceObject(NULL, &resource), hipErrorInvalidValue);
    ok(hipFreeArray(array));
    expect(hipCreateSurfaceObject(&surface, &resource), hipErrorContextIsDestroyed);
}

static void a_reset_ends_the_textures_of_its_device_only(void **state)
{
    const hipTextureDesc settings = {.normalizedCoords = 1};
    hipTextureObject_t textures[2];
    hipArray_t arrays[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        ok(hipSetDevice(i));
        ok(hipMallocArray(&arrays[i], &floats, 4, 4, 0));
        const hipResourceDesc resource = resource_of_array(arrays[i]);
        ok(hipCreateTextureObject(&textures[i], &resource, &settings, NULL));
    }
    ok(hipSetDevice(0));
    ok(hipDeviceReset());
    expect(hipDestroyTextureObject(textures[0]), hipErrorInvalidValue);
    ok(hipSetDevice(1));
    ok(hipDestroyTextureObject(textures[1]));
    ok(hipFreeArray(arrays[1]));
    ok(hipSetDevice(0));
}

/* ---- AMD's images -------------------------------------------------------------------------- */

enum { IMAGE_WORDS = 8, TYPE_WORD = 3, TYPE_SHIFT = 28, TYPE_3D = 10 };
enum { STATUS_ERROR = 0x1000 };
static const char create[] = "hsa_ext_image_create_with_layout";

/* The image of a surface as a kernel finds it. */
static void read_image(hipArray_t array, uint32_t out_words[IMAGE_WORDS])
{
    enum { SIZE = IMAGE_WORDS * sizeof *out_words };
    hipSurfaceObject_t surface;
    const hipResourceDesc resource = resource_of_array(array);
    uint32_t *sum, *zeros, count = IMAGE_WORDS;
    ok(hipMalloc((void **)&sum, SIZE));
    ok(hipMalloc((void **)&zeros, SIZE));
    ok(hipMemset(zeros, 0, SIZE));
    ok(hipCreateSurfaceObject(&surface, &resource));
    void *arguments[] = {&sum, &surface, &zeros, &count};
    ok(hipLaunchKernel(&add_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL));
    ok(hipMemcpy(out_words, sum, SIZE, hipMemcpyDeviceToHost));
    ok(hipDestroySurfaceObject(surface));
    ok(hipFree(sum));
    ok(hipFree(zeros));
}

static void a_linear_volume_needs_no_runtime_that_makes_one(void **state)
{
    uint32_t words[IMAGE_WORDS], made_otherwise[IMAGE_WORDS];
    hipArray_t volume;
    (void)state;
    ok(hipMalloc3DArray(&volume, &floats, (hipExtent){5, 6, 7}, hipArraySurfaceLoadStore));
    read_image(volume, words);
    check(words[TYPE_WORD] >> TYPE_SHIFT == TYPE_3D);
    fakehsa_fail(create, 1, STATUS_ERROR);
    read_image(volume, made_otherwise);
    check(memcmp(made_otherwise, words, sizeof words) == 0);
    ok(hipFreeArray(volume));
}

static void an_image_that_fails_for_another_reason_is_not_made(void **state)
{
    hipSurfaceObject_t surface;
    hipArray_t plane, volume;
    (void)state;
    ok(hipMallocArray(&plane, &floats, 5, 6, hipArraySurfaceLoadStore));
    ok(hipMalloc3DArray(&volume, &floats, (hipExtent){5, 6, 7}, hipArraySurfaceLoadStore));
    const hipResourceDesc of_plane = resource_of_array(plane);
    const hipResourceDesc of_volume = resource_of_array(volume);
    fakehsa_fail(create, 1, STATUS_ERROR);
    expect(hipCreateSurfaceObject(&surface, &of_plane), hipErrorUnknown);
    fakehsa_fail(create, 1, HSA_OUT_OF_RESOURCES);
    expect(hipCreateSurfaceObject(&surface, &of_volume), hipErrorOutOfMemory);
    fakehsa_fail(create, 0, STATUS_ERROR);
    expect(hipCreateSurfaceObject(&surface, &of_volume), hipErrorUnknown);
    fakehsa_clear_faults();
    ok(hipFreeArray(plane));
    ok(hipFreeArray(volume));
}

struct known {
    void *address;
    hipError_t result_in_free; /* of the memory, when the runtime was about to free it */
};

/* Memory that the library does not know has no settings. */
static void ask_of_memory(void *data)
{
    struct known *known = data;
    unsigned on = 1;
    known->result_in_free =
        hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, known->address);
}

/* The runtime may give the memory to another thread before its function returns. */
static void the_memory_of_an_array_is_unknown_before_the_runtime_has_it_back(void **state)
{
    uint32_t words[IMAGE_WORDS];
    hipArray_t array;
    (void)state;
    ok(hipMallocArray(&array, &floats, 5, 6, hipArraySurfaceLoadStore));
    read_image(array, words);
    uint64_t address = (uint64_t)words[0] << 8 | (uint64_t)(words[1] & 0xff) << 40;
    struct known known = {.address = (void *)(uintptr_t)address};
    ask_of_memory(&known);
    ok(known.result_in_free);
    fakehsa_fail("hsa_amd_memory_pool_free", 1, STATUS_ERROR);
    expect(hipFreeArray(array), hipErrorUnknown);
    ask_of_memory(&known);
    ok(known.result_in_free);
    the_fake()->hook("hsa_amd_memory_pool_free", ask_of_memory, &known);
    ok(hipFreeArray(array));
    expect(known.result_in_free, hipErrorInvalidDevicePointer);
}

/* A linear filter results in floats, so that the texture has to return floats. */
static void a_linear_filter_is_for_floats(void **state)
{
    hipArray_t array;
    hipTextureObject_t texture;
    hipTextureDesc settings = {.filterMode = hipFilterModeLinear};
    struct hipResourceViewDesc view = {.width = 4, .height = 4};
    (void)state;
    ok(hipMallocArray(&array, &bytes, 4, 4, 0));
    const hipResourceDesc resource = resource_of_array(array);
    settings.readMode = hipReadModeElementType;
    expect(hipCreateTextureObject(&texture, &resource, &settings, NULL), hipErrorInvalidValue);
    view.format = hipResViewFormatUnsignedChar4;
    expect(hipCreateTextureObject(&texture, &resource, &settings, &view), hipErrorInvalidValue);
    view.format = hipResViewFormatUnsignedInt1;
    expect(hipCreateTextureObject(&texture, &resource, &settings, &view), hipErrorInvalidValue);
    settings.readMode = hipReadModeNormalizedFloat;
    expect(hipCreateTextureObject(&texture, &resource, &settings, &view), hipErrorInvalidValue);
    view.format = hipResViewFormatUnsignedChar4;
    ok(hipCreateTextureObject(&texture, &resource, &settings, &view));
    ok(hipDestroyTextureObject(texture));
    ok(hipCreateTextureObject(&texture, &resource, &settings, NULL));
    ok(hipDestroyTextureObject(texture));
    ok(hipFreeArray(array));
}

static void what_is_asked_of_a_reference_needs_a_place_for_the_answer(void **state)
{
    textureReference reference;
    enum hipTextureAddressMode mode;
    (void)state;
    memset(&reference, 0, sizeof reference);
    expect(hipTexRefGetAddressMode(NULL, &reference, 0), hipErrorInvalidValue);
    expect(hipTexRefGetAddressMode(&mode, &reference, -1), hipErrorInvalidValue);
    expect(hipTexRefGetAddressMode(&mode, &reference, 3), hipErrorInvalidValue);
}

static void a_view_is_a_part_of_the_array(void **state)
{
    const hipTextureDesc settings = {.normalizedCoords = 1};
    hipTextureObject_t texture;
    hipMipmappedArray_t mipmap;
    (void)state;
    ok(hipSetDevice(1)); /* over HSA a gfx1100, which has levels */
    mipmap = make_mipmap(16, 16, 4, 3, hipArrayLayered);
    const hipResourceDesc resource = resource_of_mipmap(mipmap);
    struct hipResourceViewDesc view = {.format = hipResViewFormatFloat1, .width = 16, .height = 16};
    view.firstMipmapLevel = 1;
    unsigned calls = fakecuda_calls("cuTexObjectCreate");
    expect_says(hipCreateTextureObject(&texture, &resource, &settings, &view), hipErrorInvalidValue,
                "a view's levels are not among those of the array");
    view.lastMipmapLevel = 3;
    expect(hipCreateTextureObject(&texture, &resource, &settings, &view), hipErrorInvalidValue);
    view.lastMipmapLevel = 2;
    view.lastLayer = 4;
    expect_says(hipCreateTextureObject(&texture, &resource, &settings, &view), hipErrorInvalidValue,
                "a view's layers are not among those of the array");
    view.firstLayer = 3;
    view.lastLayer = 2;
    expect(hipCreateTextureObject(&texture, &resource, &settings, &view), hipErrorInvalidValue);
    check(fakecuda_calls("cuTexObjectCreate") == calls); /* which may take some of these */
    view.lastLayer = 3;
    ok(hipCreateTextureObject(&texture, &resource, &settings, &view));
    ok(hipDestroyTextureObject(texture));
    ok(hipFreeMipmappedArray(mipmap));
    ok(hipSetDevice(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_side_of_a_level_is_less_than_one),
        TEST(there_are_no_more_levels_than_the_longest_side_has_halves),
        TEST(a_level_that_was_freed_is_made_again),
        TEST(mipmapped_arrays_of_the_drivers_description_are_made),
        TEST(copies_to_a_level_stay_in_it),
        TEST(a_texture_is_made_of_a_mipmapped_array_of_the_current_device),
        TEST(a_texture_is_made_of_an_array_of_the_current_device),
        TEST(a_surface_is_made_of_an_array_and_destroyed_once),
        TEST(a_reset_ends_the_textures_of_its_device_only),
        TEST_OVER("hsa", of_amd, a_linear_volume_needs_no_runtime_that_makes_one),
        TEST_OVER("hsa", of_amd, an_image_that_fails_for_another_reason_is_not_made),
        TEST_OVER("hsa", of_amd, the_memory_of_an_array_is_unknown_before_the_runtime_has_it_back),
        TEST(a_linear_filter_is_for_floats),
        TEST(a_view_is_a_part_of_the_array),
        TEST(what_is_asked_of_a_reference_needs_a_place_for_the_answer),
    };
    use_fake("90,90");
    return run_group("driver.texture", tests);
}
