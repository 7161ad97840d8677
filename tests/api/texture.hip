// Texture and surface objects, mipmapped arrays and texture references: errors and descriptions.
#include "../support/hip_image.h"

#include <cstdlib>

using ah_test::array;
using ah_test::has_images;
using ah_test::settings_with;

#define CHECK_ERROR(call, error)                                                                   \
    do {                                                                                           \
        hipError_t got_ = (call);                                                                  \
        if (!ah_test::held(got_ == (error)))                                                       \
            ah_test::fail(__FILE__, __LINE__,                                                      \
                          std::string(#call " gave ") + hipGetErrorName(got_) + ", not " +         \
                              hipGetErrorName(error));                                             \
    } while (0)

static const hipTextureDesc plain = settings_with(hipAddressModeClamp, hipFilterModePoint, false);

TEST("a texture object is destroyed once")
{
    if (!has_images())
        SKIP("the device has no images");
    array a(hipCreateChannelDesc<float>(), 8, 8, 0, 0);
    hipResourceDesc resource = ah_test::texture::of_array(a);
    hipTextureObject_t t = nullptr;
    CHECK_HIP(hipCreateTextureObject(&t, &resource, &plain, nullptr));
    CHECK(t != nullptr);
    CHECK_HIP(hipDestroyTextureObject(t));
    CHECK_ERROR(hipDestroyTextureObject(t), hipErrorInvalidValue);
    CHECK_HIP(hipDestroyTextureObject(nullptr));
}

TEST("descriptions that are missing or wrong are refused")
{
    if (!has_images())
        SKIP("the device has no images");
    array a(hipCreateChannelDesc<int>(), 8, 8, 0, 0);
    hipResourceDesc resource = ah_test::texture::of_array(a), other = resource;
    hipTextureDesc settings = plain;
    hipTextureObject_t t;
    CHECK_ERROR(hipCreateTextureObject(nullptr, &resource, &plain, nullptr), hipErrorInvalidValue);
    CHECK_ERROR(hipCreateTextureObject(&t, nullptr, &plain, nullptr), hipErrorInvalidValue);
    CHECK_ERROR(hipCreateTextureObject(&t, &resource, nullptr, nullptr), hipErrorInvalidValue);
    other.res.array.array = nullptr;
    CHECK_ERROR(hipCreateTextureObject(&t, &other, &plain, nullptr), hipErrorInvalidValue);
    other.resType = static_cast<hipResourceType>(9);
    CHECK_ERROR(hipCreateTextureObject(&t, &other, &plain, nullptr), hipErrorInvalidValue);
    settings.filterMode = hipFilterModeLinear;
    CHECK_ERROR(hipCreateTextureObject(&t, &resource, &settings, nullptr), hipErrorInvalidValue);
    settings = plain;
    settings.addressMode[1] = static_cast<hipTextureAddressMode>(4);
    CHECK_ERROR(hipCreateTextureObject(&t, &resource, &settings, nullptr), hipErrorInvalidValue);
}

TEST("linear memory must be aligned, of a known format and not too large")
{
    if (!has_images())
        SKIP("the device has no images");
    ah_test::buffer<float> memory(4096);
    hipResourceDesc resource = {};
    hipTextureObject_t t;
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory.device();
    resource.res.linear.desc = hipCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 4096;
    hipResourceDesc bad = resource;
    bad.res.linear.devPtr = memory.device() + 1;
    CHECK_ERROR(hipCreateTextureObject(&t, &bad, &plain, nullptr), hipErrorInvalidValue);
    bad = resource;
    bad.res.linear.devPtr = nullptr;
    CHECK_ERROR(hipCreateTextureObject(&t, &bad, &plain, nullptr), hipErrorInvalidValue);
    bad = resource;
    bad.res.linear.desc.x = 7;
    CHECK_ERROR(hipCreateTextureObject(&t, &bad, &plain, nullptr), hipErrorInvalidValue);
    bad = resource;
    bad.res.linear.sizeInBytes = std::size_t(1) << 40;
    CHECK_ERROR(hipCreateTextureObject(&t, &bad, &plain, nullptr), hipErrorInvalidValue);
    hipResourceViewDesc view = {};
    view.format = hipResViewFormatFloat1;
    CHECK_ERROR(hipCreateTextureObject(&t, &resource, &plain, &view), hipErrorInvalidValue);
    CHECK_HIP(hipCreateTextureObject(&t, &resource, &plain, nullptr));
    CHECK_HIP(hipDestroyTextureObject(t));
}

TEST("the descriptions of a texture object can be queried, in both APIs")
{
    if (!has_images())
        SKIP("the device has no images");
    array a(hipCreateChannelDesc<uchar4>(), 8, 4, 0, 0);
    hipResourceDesc resource = ah_test::texture::of_array(a), got_resource;
    hipTextureDesc settings =
        settings_with(hipAddressModeMirror, hipFilterModeLinear, true, hipReadModeNormalizedFloat);
    hipTextureDesc got_settings;
    hipResourceViewDesc view = {}, got_view;
    view.format = hipResViewFormatUnsignedChar4;
    view.width = 8;
    view.height = 4;
    settings.borderColor[2] = 0.5f;
    ah_test::texture t(resource, settings, &view);
    CHECK_HIP(hipGetTextureObjectResourceDesc(&got_resource, t));
    CHECK_HIP(hipGetTextureObjectTextureDesc(&got_settings, t));
    CHECK_HIP(hipGetTextureObjectResourceViewDesc(&got_view, t));
    CHECK(got_resource.resType == hipResourceTypeArray);
    CHECK(got_resource.res.array.array == static_cast<hipArray_t>(a));
    CHECK(std::memcmp(&got_settings, &settings, sizeof settings) == 0);
    CHECK(got_view.format == view.format && got_view.width == 8 && got_view.height == 4);
    HIP_RESOURCE_DESC driver_resource;
    HIP_TEXTURE_DESC driver_settings;
    HIP_RESOURCE_VIEW_DESC driver_view;
    CHECK_HIP(hipTexObjectGetResourceDesc(&driver_resource, t));
    CHECK_HIP(hipTexObjectGetTextureDesc(&driver_settings, t));
    CHECK_HIP(hipTexObjectGetResourceViewDesc(&driver_view, t));
    CHECK(driver_resource.resType == HIP_RESOURCE_TYPE_ARRAY);
    CHECK(driver_resource.res.array.hArray == static_cast<hipArray_t>(a));
    CHECK_EQ(driver_settings.flags, unsigned(HIP_TRSF_NORMALIZED_COORDINATES));
    CHECK(driver_settings.addressMode[0] == HIP_TR_ADDRESS_MODE_MIRROR);
    CHECK(driver_view.format == HIP_RES_VIEW_FORMAT_UINT_4X8);
    CHECK_ERROR(hipGetTextureObjectResourceDesc(nullptr, t), hipErrorInvalidValue);
    CHECK_ERROR(hipGetTextureObjectResourceDesc(&got_resource, nullptr), hipErrorInvalidValue);
    ah_test::texture without(a, plain);
    CHECK_ERROR(hipGetTextureObjectResourceViewDesc(&got_view, without), hipErrorInvalidValue);
}

TEST("the driver API's descriptions make the same objects")
{
    if (!has_images())
        SKIP("the device has no images");
    ah_test::buffer<short4> memory(256);
    HIP_RESOURCE_DESC resource = {};
    HIP_TEXTURE_DESC settings = {};
    hipResourceDesc got;
    hipTextureObject_t t;
    resource.resType = HIP_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = memory.device();
    resource.res.linear.format = HIP_AD_FORMAT_SIGNED_INT16;
    resource.res.linear.numChannels = 4;
    resource.res.linear.sizeInBytes = 256 * sizeof(short4);
    settings.flags = HIP_TRSF_READ_AS_INTEGER;
    CHECK_HIP(hipTexObjectCreate(&t, &resource, &settings, nullptr));
    CHECK_HIP(hipGetTextureObjectResourceDesc(&got, t));
    CHECK(got.resType == hipResourceTypeLinear && got.res.linear.devPtr == memory.device());
    CHECK(got.res.linear.desc.x == 16 && got.res.linear.desc.w == 16);
    CHECK(got.res.linear.desc.f == hipChannelFormatKindSigned);
    CHECK_HIP(hipTexObjectDestroy(t));
    resource.res.linear.numChannels = 3;
    CHECK_ERROR(hipTexObjectCreate(&t, &resource, &settings, nullptr), hipErrorInvalidValue);
}

TEST("a surface is made of an array that allows it")
{
    if (!has_images())
        SKIP("the device has no images");
    array a(hipCreateChannelDesc<float>(), 8, 8, 0, hipArraySurfaceLoadStore);
    hipResourceDesc resource = ah_test::texture::of_array(a);
    hipSurfaceObject_t s;
    CHECK_ERROR(hipCreateSurfaceObject(nullptr, &resource), hipErrorInvalidValue);
    CHECK_ERROR(hipCreateSurfaceObject(&s, nullptr), hipErrorInvalidValue);
    CHECK_HIP(hipCreateSurfaceObject(&s, &resource));
    CHECK_HIP(hipDestroySurfaceObject(s));
    CHECK_ERROR(hipDestroySurfaceObject(s), hipErrorInvalidValue);
    CHECK_HIP(hipDestroySurfaceObject(nullptr));
    array without(hipCreateChannelDesc<float>(), 8, 8, 0, 0);
    resource.res.array.array = without;
    CHECK_HIP(hipCreateSurfaceObject(&s, &resource));
    CHECK_HIP(hipDestroySurfaceObject(s));
    array layers(hipCreateChannelDesc<float>(), 8, 8, 2, hipArrayLayered);
    resource.res.array.array = layers;
    CHECK_ERROR(hipCreateSurfaceObject(&s, &resource), hipErrorInvalidValue);
    resource.res.array.array = nullptr;
    CHECK_ERROR(hipCreateSurfaceObject(&s, &resource), hipErrorInvalidHandle);
    resource.resType = hipResourceTypeLinear;
    CHECK_ERROR(hipCreateSurfaceObject(&s, &resource), hipErrorInvalidValue);
}

TEST("a mipmapped array has levels of half the size")
{
    if (!has_images())
        SKIP("the device has no images");
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipMipmappedArray_t mipmap;
    hipArray_t level, again;
    hipError_t made = hipMallocMipmappedArray(&mipmap, &format, make_hipExtent(16, 6, 0), 3, 0);
    if (ah_test::is_amd() && made == hipErrorNotSupported)
        SKIP("there are no mipmapped arrays, as in ROCm on Linux");
    CHECK_HIP(made);
    const std::size_t sizes[3][2] = {{16, 6}, {8, 3}, {4, 1}};
    for (unsigned i = 0; i < 3; ++i) {
        hipExtent extent;
        hipChannelFormatDesc got;
        unsigned flags;
        CHECK_HIP(hipGetMipmappedArrayLevel(&level, mipmap, i));
        CHECK_HIP(hipMipmappedArrayGetLevel(&again, mipmap, i));
        CHECK(level == again);
        CHECK_HIP(hipArrayGetInfo(&got, &extent, &flags, level));
        CHECK_EQ(extent.width, sizes[i][0]);
        CHECK_EQ(extent.height, sizes[i][1]);
        CHECK(got.x == 32 && got.f == hipChannelFormatKindFloat);
    }
    CHECK_HIP(hipFreeArray(level)); /* only the handle goes */
    CHECK_ERROR(hipFreeArray(level), hipErrorContextIsDestroyed);
    CHECK_HIP(hipGetMipmappedArrayLevel(&level, mipmap, 2));
    CHECK_ERROR(hipGetMipmappedArrayLevel(nullptr, mipmap, 0), hipErrorInvalidValue);
    CHECK_ERROR(hipGetMipmappedArrayLevel(&level, mipmap, 3), hipErrorInvalidValue);
    CHECK_ERROR(hipGetMipmappedArrayLevel(&level, nullptr, 0), hipErrorInvalidHandle);
    CHECK_HIP(hipFreeMipmappedArray(mipmap));
    CHECK_ERROR(hipFreeMipmappedArray(mipmap), hipErrorContextIsDestroyed);
    CHECK_ERROR(hipFreeMipmappedArray(nullptr), hipErrorInvalidValue);
    CHECK_ERROR(hipMallocMipmappedArray(nullptr, &format, make_hipExtent(16, 6, 0), 3, 0),
                hipErrorInvalidValue);
    CHECK_ERROR(hipMallocMipmappedArray(&mipmap, &format, make_hipExtent(16, 6, 0), 0, 0),
                hipErrorInvalidValue);
    CHECK_ERROR(hipMallocMipmappedArray(&mipmap, &format, make_hipExtent(0, 6, 0), 3, 0),
                hipErrorInvalidValue);
}

TEST("the width of linear textures can be queried for each format")
{
    if (!has_images())
        SKIP("the device has no images");
    std::size_t one = 0;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    CHECK_HIP(hipDeviceGetTexture1DLinearMaxWidth(&one, &format, 0));
    CHECK(one >= 1 << 16);
    CHECK_ERROR(hipDeviceGetTexture1DLinearMaxWidth(nullptr, &format, 0), hipErrorInvalidValue);
    CHECK_ERROR(hipDeviceGetTexture1DLinearMaxWidth(&one, nullptr, 0), hipErrorInvalidValue);
}

// ---- texture references ----

texture<float, hipTextureType1D> line;
texture<float, hipTextureType2D> plane;

__global__ void read_references(float *out, int i, float x, float y)
{
    out[0] = tex1Dfetch(line, i);
    out[1] = tex2D(plane, x, y);
}

TEST("what is no reference is refused")
{
    if (!has_images())
        SKIP("the device has no images");
    textureReference none = {};
    std::size_t offset;
    ah_test::buffer<float> memory(16);
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    const textureReference *found = nullptr;
    CHECK_ERROR(hipBindTexture(&offset, &none, memory.device(), &format, 64),
                hipErrorInvalidTexture);
    CHECK_ERROR(hipUnbindTexture(&none), hipErrorInvalidTexture);
    CHECK_ERROR(hipGetTextureAlignmentOffset(&offset, &line), hipErrorInvalidTexture);
    CHECK_ERROR(hipGetTextureAlignmentOffset(nullptr, &line), hipErrorInvalidValue);
    CHECK_ERROR(hipGetTextureReference(&found, &none), hipErrorInvalidTexture);
    CHECK_ERROR(hipGetTextureReference(nullptr, &line), hipErrorInvalidValue);
    CHECK_HIP(hipGetTextureReference(&found, &line));
    CHECK(found == &line);
}

TEST("memory that is not aligned is bound with an offset")
{
    if (!has_images())
        SKIP("the device has no images");
    ah_test::buffer<float> memory({0, 1, 2, 3, 4, 5, 6, 7}), out(2);
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    std::size_t offset = 0, told = 0;
    array a(format, 4, 4, 0, 0);
    ah_test::image<float> in(4, 4, 1);
    in.at(2, 1) = 42;
    a.write(in);
    CHECK_HIP(hipBindTextureToArray(&plane, a, &format));
    CHECK_ERROR(hipBindTexture(nullptr, &line, memory.device() + 3, &format, 20),
                hipErrorInvalidValue);
    CHECK_HIP(hipBindTexture(&offset, &line, memory.device() + 3, &format, 20));
    CHECK_EQ(offset, std::size_t(12));
    CHECK_HIP(hipGetTextureAlignmentOffset(&told, &line));
    CHECK_EQ(told, offset);
    (void)hipGetLastError(); /* of what was refused */
    read_references<<<1, 1>>>(out.device(), 3 + 2, 2.5f, 1.5f);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 5.0f);
    CHECK_EQ(out.read()[1], 42.0f);
    CHECK_HIP(hipUnbindTexture(&line));
    CHECK_HIP(hipUnbindTexture(&line));
    CHECK_HIP(hipUnbindTexture(&plane));
}

TEST("the driver API sets and gets the settings of a reference")
{
    if (!has_images())
        SKIP("the device has no images");
    textureReference *reference = &plane;
    hipTextureFilterMode filter;
    hipTextureAddressMode mode;
    unsigned flags;
    float border[4] = {1, 1, 1, 1}, got[4] = {}; // AMD's samplers know three colours
    hipArray_t bound;
    hipDeviceptr_t address;
    hipArray_Format format;
    int channels;
    array a(hipCreateChannelDesc<float>(), 4, 4, 0, 0);
    CHECK_HIP(hipTexRefSetArray(reference, a, HIP_TRSA_OVERRIDE_FORMAT));
    CHECK_HIP(hipTexRefSetFilterMode(reference, hipFilterModeLinear));
    CHECK_HIP(hipTexRefSetAddressMode(reference, 1, hipAddressModeBorder));
    CHECK_HIP(hipTexRefSetFlags(reference, HIP_TRSF_NORMALIZED_COORDINATES));
    CHECK_HIP(hipTexRefSetBorderColor(reference, border));
    CHECK_HIP(hipTexRefGetFilterMode(&filter, reference));
    CHECK_HIP(hipTexRefGetAddressMode(&mode, reference, 1));
    CHECK_HIP(hipTexRefGetFlags(&flags, reference));
    CHECK_HIP(hipTexRefGetBorderColor(got, reference));
    CHECK_HIP(hipTexRefGetArray(&bound, reference));
    CHECK_HIP(hipTexRefGetFormat(&format, &channels, reference));
    CHECK(filter == hipFilterModeLinear && mode == hipAddressModeBorder);
    CHECK_EQ(flags, unsigned(HIP_TRSF_NORMALIZED_COORDINATES));
    CHECK(std::memcmp(got, border, sizeof got) == 0);
    CHECK(bound == static_cast<hipArray_t>(a));
    CHECK(format == HIP_AD_FORMAT_FLOAT && channels == 1);
    CHECK_ERROR(hipTexRefGetAddress(&address, reference), hipErrorInvalidValue);
    CHECK_ERROR(hipTexRefSetAddressMode(reference, 3, hipAddressModeWrap), hipErrorInvalidValue);
    CHECK_ERROR(hipTexRefSetArray(reference, a, 0), hipErrorInvalidValue);
    CHECK_ERROR(hipTexRefGetFilterMode(nullptr, reference), hipErrorInvalidValue);
    CHECK_HIP(hipUnbindTexture(reference));
    CHECK_ERROR(hipTexRefGetArray(&bound, reference), hipErrorInvalidValue);
}

HIP_TEST_MAIN
