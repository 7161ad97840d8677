// Textures in device code: shapes, addressing modes, filters, types of elements, levels, and
// texture references. Coordinates are fixed point with 8 bits of fraction in a texture unit, so
// that filtered values are within 1/256 of the difference of neighbours, per dimension.
#include "../support/hip_image.h"

#include <hip/hip_fp16.h>

#include <cstdlib>
#include <cstring>

using ah_test::image;

enum shape { LINE, PLANE, CUBOID, LINES, PLANES, CUBE, CUBES };

template <typename T, shape s> __device__ T read(hipTextureObject_t t, float4 at)
{
    if constexpr (s == LINE)
        return tex1D<T>(t, at.x);
    else if constexpr (s == PLANE)
        return tex2D<T>(t, at.x, at.y);
    else if constexpr (s == CUBOID)
        return tex3D<T>(t, at.x, at.y, at.z);
    else if constexpr (s == LINES)
        return tex1DLayered<T>(t, at.x, static_cast<int>(at.w));
    else if constexpr (s == PLANES)
        return tex2DLayered<T>(t, at.x, at.y, static_cast<int>(at.w));
    else if constexpr (s == CUBE)
        return texCubemap<T>(t, at.x, at.y, at.z);
    else
        return texCubemapLayered<T>(t, at.x, at.y, at.z, static_cast<int>(at.w));
}
template <typename T, shape s>
__global__ void read_all(T *out, hipTextureObject_t t, const float4 *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = read<T, s>(t, at[i]);
}

template <typename T, shape s>
static std::vector<T> read_at(hipTextureObject_t t, const std::vector<float4> &places)
{
    ah_test::buffer<float4> at(places);
    ah_test::buffer<T> out(places.size());
    int n = static_cast<int>(places.size());
    read_all<T, s><<<(n + 63) / 64, 64>>>(out.device(), t, at.device(), n);
    CHECK_HIP(hipGetLastError());
    return out.read();
}

static int dimensions_of(shape s)
{
    return s == LINE || s == LINES ? 1 : s == CUBOID ? 3 : 2;
}

// Values that tell every texel from the others, neighbours 1 apart in x.
static image<float> ramp(int w, int h, int d)
{
    image<float> out(w, h, d);
    for (int z = 0; z < d; ++z)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                out.at(x, y, z) = static_cast<float>(x + 10 * y + 100 * z);
    return out;
}
static image<double> exact(const image<float> &in)
{
    image<double> out(in.width, in.height, in.depth);
    for (std::size_t i = 0; i < in.texels.size(); ++i)
        out.texels[i] = static_cast<double>(in.texels[i]);
    return out;
}

// Places all over an image and beyond it, none on the border of two texels.
static std::vector<float4> places_for(const image<float> &in, bool normalized, int layers)
{
    std::vector<float4> out;
    std::mt19937 random(7);
    std::uniform_real_distribution<float> anywhere(-1.5f, 2.5f);
    while (out.size() < 500) {
        float4 at(anywhere(random), anywhere(random), anywhere(random),
                  static_cast<float>(random() % layers));
        float scaled[3] = {at.x * in.width, at.y * in.height, at.z * in.depth};
        bool near = false;
        for (float x : scaled)
            near = near || std::fabs(x - std::round(x)) < 1.0f / 64;
        if (near)
            continue;
        out.push_back(normalized ? at : float4(scaled[0], scaled[1], scaled[2], at.w));
    }
    return out;
}

// One shape with one mode and filter, against the formulas.
template <shape s>
static void check_mode(hipTextureAddressMode mode, hipTextureFilterMode filter, bool normalized)
{
    const bool layered = s == LINES || s == PLANES;
    const int dimensions = dimensions_of(s), layers = layered ? 3 : 1;
    const int w = 13, h = dimensions > 1 ? 7 : 0, d = layered ? layers : dimensions > 2 ? 5 : 0;
    image<float> in = ramp(w, h ? h : 1, d ? d : 1);
    ah_test::array array(hipCreateChannelDesc<float>(), w, h, d, layered ? hipArrayLayered : 0);
    array.write(in);
    hipTextureDesc settings = ah_test::settings_with(mode, filter, normalized);
    if (mode == hipAddressModeBorder) /* AMD's samplers know few colours */
        settings.borderColor[0] = ah_test::is_amd() ? 0 : -5;
    ah_test::texture t(array, settings);
    std::vector<float4> places = places_for(in, normalized, layers);
    std::vector<float> got = read_at<float, s>(t, places);
    double limit = filter == hipFilterModeLinear ? (1 + 10 + 100 + 330) / 200.0 : 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const float place[3] = {places[i].x, places[i].y, places[i].z};
        double want = ah_test::expected(exact(in), settings, dimensions, place,
                                        static_cast<int>(places[i].w));
        CHECK_CASE(std::fabs(got[i] - want) <= limit,
                   "shape %d mode %d filter %d normalized %d at %g %g %g layer %g: %g, not %g", s,
                   mode, filter, normalized, place[0], place[1], place[2], places[i].w, got[i],
                   want);
    }
}

template <shape s> static void check_shape()
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    for (auto filter : {hipFilterModePoint, hipFilterModeLinear}) {
        for (auto mode :
             {hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder})
            check_mode<s>(mode, filter, true);
        check_mode<s>(hipAddressModeClamp, filter, false);
        check_mode<s>(hipAddressModeBorder, filter, false);
    }
}

TEST("one-dimensional textures have every mode and filter")
{
    check_shape<LINE>();
}
TEST("two-dimensional textures have every mode and filter")
{
    check_shape<PLANE>();
}
TEST("three-dimensional textures have every mode and filter")
{
    check_shape<CUBOID>();
}
TEST("layered textures of one dimension have every mode and filter")
{
    check_shape<LINES>();
}
TEST("layered textures of two dimensions have every mode and filter")
{
    check_shape<PLANES>();
}

TEST("a linear filter between two texels has steps of 1/256")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    image<float> in(2, 1, 1);
    in.at(0) = 0;
    in.at(1) = 256;
    ah_test::array array(hipCreateChannelDesc<float>(), 2, 0, 0, 0);
    array.write(in);
    ah_test::texture t(array,
                       ah_test::settings_with(hipAddressModeClamp, hipFilterModeLinear, false));
    std::vector<float4> places;
    for (int i = 0; i <= 256; ++i)
        places.push_back(float4(0.5f + static_cast<float>(i) / 256, 0, 0, 0));
    std::vector<float> got = read_at<float, LINE>(t, places);
    for (int i = 0; i <= 256; ++i)
        CHECK_CASE(std::fabs(got[i] - static_cast<float>(i)) <= 1, "step %d: %g", i, got[i]);
    CHECK_EQ(got[0], 0.0f);
    CHECK_EQ(got[256], 256.0f);
}

// ---- types of elements ----

template <typename T> __global__ void fetch_all(T *out, hipTextureObject_t t, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<T>(t, i);
}
template <typename T> static bool same(const T &a, const T &b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

// Elements of T come back from linear memory and from an array.
template <typename T> static void check_type(const char *name)
{
    const int n = 64;
    std::vector<T> values(n);
    std::mt19937 random(3);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(values.data());
    for (std::size_t i = 0; i < n * sizeof(T); ++i) /* no NaN: its exponent is not all ones */
        bytes[i] = static_cast<unsigned char>(random() & (i % 4 == 3 ? 0xbf : 0x7f)) |
                   (i % 4 == 0 ? 0x80 : 0);
    ah_test::buffer<T> memory(values), out(n);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory.device();
    resource.res.linear.desc = hipCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = n * sizeof(T);
    hipTextureDesc settings =
        ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, false);
    ah_test::texture linear(resource, settings);
    fetch_all<T><<<1, n>>>(out.device(), linear, n);
    CHECK_HIP(hipGetLastError());
    out.read();
    for (int i = 0; i < n; ++i)
        CHECK_CASE(same(out.host()[i], values[i]), "%s from linear memory, element %d", name, i);
    image<T> in(n, 1, 1);
    in.texels = values;
    ah_test::array array(hipCreateChannelDesc<T>(), n, 0, 0, 0);
    array.write(in);
    ah_test::texture t(array, settings);
    std::vector<float4> places;
    for (int i = 0; i < n; ++i)
        places.push_back(float4(static_cast<float>(i) + 0.5f, 0, 0, 0));
    std::vector<T> got = read_at<T, LINE>(t, places);
    for (int i = 0; i < n; ++i)
        CHECK_CASE(same(got[i], values[i]), "%s from an array, element %d", name, i);
}
#define CHECK_TYPES(scalar, vector)                                                                \
    check_type<scalar>(#scalar);                                                                   \
    check_type<vector##1>(#vector "1");                                                            \
    check_type<vector##2>(#vector "2");                                                            \
    check_type<vector##4>(#vector "4")

TEST("elements of every type come back as they are")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    CHECK_TYPES(char, char);
    CHECK_TYPES(unsigned char, uchar);
    CHECK_TYPES(short, short);
    CHECK_TYPES(unsigned short, ushort);
    CHECK_TYPES(int, int);
    CHECK_TYPES(unsigned int, uint);
    CHECK_TYPES(float, float);
}

template <typename T> static void check_normalized(const char *name, double greatest)
{
    const int n = 256;
    image<T> in(n, 1, 1);
    for (int i = 0; i < n; ++i)
        in.at(i) = static_cast<T>(i * (sizeof(T) == 1 ? 1 : 257));
    ah_test::array array(hipCreateChannelDesc<T>(), n, 0, 0, 0);
    array.write(in);
    ah_test::texture t(array, ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, false,
                                                     hipReadModeNormalizedFloat));
    std::vector<float4> places;
    for (int i = 0; i < n; ++i)
        places.push_back(float4(static_cast<float>(i) + 0.5f, 0, 0, 0));
    std::vector<float> got = read_at<float, LINE>(t, places);
    for (int i = 0; i < n; ++i) {
        double want = std::max(static_cast<double>(in.at(i)) / greatest, -1.0);
        CHECK_CASE(std::fabs(static_cast<double>(got[i]) - want) < 1e-6, "%s %d: %.9g, not %.9g",
                   name, static_cast<int>(in.at(i)), got[i], want);
    }
}

TEST("integers of 8 and 16 bits are read as floats from -1 or 0 to 1")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    check_normalized<unsigned char>("uchar", 255);
    check_normalized<signed char>("char", 127);
    check_normalized<unsigned short>("ushort", 65535);
    check_normalized<short>("short", 32767);
}

TEST("halves are read as floats, and filtered")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    image<__half> in(8, 1, 1);
    for (int i = 0; i < 8; ++i)
        in.at(i) = __float2half(static_cast<float>(i) * 4);
    ah_test::array array(hipCreateChannelDescHalf(), 8, 0, 0, 0);
    array.write(in);
    ah_test::texture t(array,
                       ah_test::settings_with(hipAddressModeClamp, hipFilterModeLinear, false));
    std::vector<float> got = read_at<float, LINE>(
        t, {float4(2.5f, 0, 0, 0), float4(3.0f, 0, 0, 0), float4(3.25f, 0, 0, 0)});
    CHECK_EQ(got[0], 8.0f);
    CHECK_EQ(got[1], 10.0f);
    CHECK_EQ(got[2], 11.0f);
}

TEST("sRGB is made linear in three channels of four")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    image<uchar4> in(256, 1, 1);
    for (int i = 0; i < 256; ++i)
        in.at(i) = uchar4(i, 255 - i, i, i);
    ah_test::array array(hipCreateChannelDesc<uchar4>(), 256, 0, 0, 0);
    array.write(in);
    hipTextureDesc settings = ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, false,
                                                     hipReadModeNormalizedFloat);
    settings.sRGB = 1;
    ah_test::texture t(array, settings);
    std::vector<float4> places;
    for (int i = 0; i < 256; ++i)
        places.push_back(float4(static_cast<float>(i) + 0.5f, 0, 0, 0));
    std::vector<float4> got = read_at<float4, LINE>(t, places);
    const double limit = 1.0 / 256; /* the hardware's steps */
    auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    for (int i = 0; i < 256; ++i) {
        CHECK_CASE(std::fabs(got[i].x - linear(i / 255.0)) < limit, "x of %d: %g", i, got[i].x);
        CHECK_CASE(std::fabs(got[i].y - linear((255 - i) / 255.0)) < limit, "y of %d: %g", i,
                   got[i].y);
        CHECK_CASE(std::fabs(got[i].w - i / 255.0) < 1e-6, "w of %d: %g", i, got[i].w);
    }
}

// ---- cubemaps ----

// Each face has one value per quarter.
static image<float> cube_faces(int cubes)
{
    image<float> in(4, 4, 6 * cubes);
    for (int z = 0; z < 6 * cubes; ++z)
        for (int y = 0; y < 4; ++y)
            for (int x = 0; x < 4; ++x)
                in.at(x, y, z) = static_cast<float>(10 * z + x / 2 + 2 * (y / 2));
    return in;
}

// Directions into each quarter of each face; w: 10 * face + quarter.
static std::vector<float4> directions()
{
    std::vector<float4> out;
    for (int face = 0; face < 6; ++face)
        for (int quarter = 0; quarter < 4; ++quarter) {
            float s = quarter & 1 ? 0.4f : -0.4f, t = quarter & 2 ? 0.4f : -0.4f;
            const float4 faces[6] = {float4(1, -t, -s, 0), float4(-1, -t, s, 0),
                                     float4(s, 1, t, 0),   float4(s, -1, -t, 0),
                                     float4(s, -t, 1, 0),  float4(-s, -t, -1, 0)};
            float4 at = faces[face] * 3.0f;
            at.w = static_cast<float>(10 * face + quarter);
            out.push_back(at);
        }
    return out;
}

TEST("a direction reads the face of a cubemap to which it points")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    ah_test::array array(hipCreateChannelDesc<float>(), 4, 4, 6, hipArrayCubemap);
    array.write(cube_faces(1));
    ah_test::texture t(array,
                       ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, true));
    std::vector<float4> at = directions();
    std::vector<float> got = read_at<float, CUBE>(t, at);
    for (std::size_t i = 0; i < at.size(); ++i)
        CHECK_CASE(got[i] == at[i].w, "direction %g %g %g: %g, not %g", at[i].x, at[i].y, at[i].z,
                   got[i], at[i].w);
}

TEST("layers of a cubemap are cubes")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    ah_test::array array(hipCreateChannelDesc<float>(), 4, 4, 18,
                         hipArrayCubemap | hipArrayLayered);
    array.write(cube_faces(3));
    ah_test::texture t(array,
                       ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, true));
    for (int layer = 0; layer < 3; ++layer) {
        std::vector<float4> at = directions(), places = at;
        for (auto &p : places)
            p.w = static_cast<float>(layer);
        std::vector<float> got = read_at<float, CUBES>(t, places);
        for (std::size_t i = 0; i < at.size(); ++i)
            CHECK_EQ(got[i], at[i].w + 60 * static_cast<float>(layer));
    }
}

// ---- gathering ----

__global__ void gather(float4 *out, hipTextureObject_t t, float x, float y)
{
    out[0] = tex2Dgather<float4>(t, x, y);
    out[1] = tex2Dgather<float4>(t, x, y, 1);
    out[2] = tex2Dgather<float4>(t, x, y, 2);
    out[3] = tex2Dgather<float4>(t, x, y, 3);
}

// Whether there are instructions that gather and that take a level or derivatives: MI200 has
// none.
static bool has_more_reads()
{
    hipDeviceProp_t properties;
    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    return ah_test::has_images() && std::strncmp(properties.gcnArchName, "gfx90a", 6) != 0;
}

TEST("a gather has one channel of the four texels around a place")
{
    if (!has_more_reads())
        SKIP("the device has no such reads");
    image<float4> in(8, 8, 1);
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x)
            for (int c = 0; c < 4; ++c)
                in.at(x, y).data[c] = static_cast<float>(x + 10 * y + 100 * c);
    ah_test::array array(hipCreateChannelDesc<float4>(), 8, 8, 0, hipArrayTextureGather);
    array.write(in);
    ah_test::texture t(array,
                       ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, false));
    ah_test::buffer<float4> out(4);
    gather<<<1, 1>>>(out.device(), t, 3.0f, 5.0f);
    CHECK_HIP(hipGetLastError());
    out.read();
    for (int c = 0; c < 4; ++c) {
        float base = 100.0f * static_cast<float>(c);
        CHECK_EQ(out.host()[c].x, base + 52);
        CHECK_EQ(out.host()[c].y, base + 53);
        CHECK_EQ(out.host()[c].z, base + 43);
        CHECK_EQ(out.host()[c].w, base + 42);
    }
}

// ---- levels ----

// AMD's devices have them from gfx11 on, where their descriptors are known; others refuse them.
static bool has_levels()
{
    hipMipmappedArray_t mipmap;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipError_t made = hipMallocMipmappedArray(&mipmap, &format, make_hipExtent(4, 4, 0), 2, 0);
    hipDeviceProp_t properties;
    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    bool amd = ah_test::is_amd(), gfx11 = std::strncmp(properties.gcnArchName, "gfx11", 5) == 0;
    bool wanted = !amd || (gfx11 && ah_test::has_images());
    CHECK(made == (wanted ? hipSuccess : hipErrorNotSupported));
    if (made == hipSuccess)
        CHECK_HIP(hipFreeMipmappedArray(mipmap));
    return made == hipSuccess;
}

__global__ void read_levels(float *out, hipTextureObject_t t, float level)
{
    out[0] = tex2DLod<float>(t, 0.3f, 0.6f, level);
    float step = exp2f(level) / 16;
    out[1] = tex2DGrad<float>(t, 0.3f, 0.6f, float2(step, 0), float2(0, step));
    tex2DLod(out + 2, t, 0.3f, 0.6f, level);
    out[3] = tex2D<float>(t, 0.3f, 0.6f);
}

TEST("levels of detail are chosen by number and by derivatives")
{
    if (!has_more_reads())
        SKIP("the device has no such reads");
    hipMipmappedArray_t mipmap;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    if (!has_levels())
        SKIP("the device has no images with levels");
    CHECK_HIP(hipMallocMipmappedArray(&mipmap, &format, make_hipExtent(16, 16, 0), 5, 0));
    for (int level = 0; level < 5; ++level) {
        hipArray_t array;
        CHECK_HIP(hipGetMipmappedArrayLevel(&array, mipmap, level));
        image<float> in(16 >> level, 16 >> level, 1);
        for (auto &x : in.texels)
            x = static_cast<float>(level + 1);
        ah_test::array::copy(array, in, true);
    }
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    hipTextureDesc settings =
        ah_test::settings_with(hipAddressModeClamp, hipFilterModeLinear, true);
    settings.maxMipmapLevelClamp = 4;
    for (auto filter : {hipFilterModePoint, hipFilterModeLinear}) {
        settings.mipmapFilterMode = filter;
        ah_test::texture t(resource, settings);
        ah_test::buffer<float> out(4);
        for (float level : {-1.0f, 0.0f, 0.25f, 1.0f, 1.75f, 3.25f, 4.0f, 9.0f}) {
            read_levels<<<1, 1>>>(out.device(), t, level);
            CHECK_HIP(hipGetLastError());
            out.read();
            float within = std::min(std::max(level, 0.0f), 4.0f);
            float want = 1 + (filter == hipFilterModeLinear ? within : std::floor(within + 0.5f));
            for (int i = 0; i < 3; ++i)
                CHECK_CASE(std::fabs(out.host()[i] - want) <= 1 / 64.0,
                           "filter %d level %g form %d: %g, not %g", filter, level, i,
                           out.host()[i], want);
            CHECK_EQ(out.host()[3], 1.0f);
        }
    }
    CHECK_HIP(hipFreeMipmappedArray(mipmap));
}

// A mipmapped array whose texels tell where they are.
class located_levels
{
  public:
    enum { LEVELS = 4 };

    located_levels(int width, int height, int depth, unsigned flags)
        : size_{width, height, depth}, layered_(flags != 0)
    {
        hipChannelFormatDesc format = hipCreateChannelDesc<float>();
        CHECK_HIP(hipMallocMipmappedArray(&mipmap_, &format, make_hipExtent(width, height, depth),
                                          LEVELS, flags));
        for (int level = 0; level < LEVELS; ++level) {
            image<float> in(size(0, level), size(1, level), size(2, level));
            for (int z = 0; z < in.depth; ++z)
                for (int y = 0; y < in.height; ++y)
                    for (int x = 0; x < in.width; ++x)
                        in.at(x, y, z) = place(level, x, y, z);
            ah_test::array::copy(level_array(level), in, true);
        }
    }
    ~located_levels() { (void)hipFreeMipmappedArray(mipmap_); }
    located_levels(const located_levels &) = delete;
    located_levels &operator=(const located_levels &) = delete;

    static float place(int level, int x, int y, int z)
    {
        return static_cast<float>(level * 100000 + z * 10000 + y * 100 + x);
    }
    // Texels of a level; layers do not become fewer.
    int size(int axis, int level) const
    {
        if (axis == 2 && layered_)
            return size_[2];
        return std::max(size_[axis] >> level, 1);
    }
    hipArray_t level_array(int level) const
    {
        hipArray_t array = nullptr;
        CHECK_HIP(hipGetMipmappedArrayLevel(&array, mipmap_, level));
        return array;
    }
    hipResourceDesc resource() const
    {
        hipResourceDesc resource = {};
        resource.resType = hipResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = mipmap_;
        return resource;
    }

  private:
    hipMipmappedArray_t mipmap_ = nullptr;
    int size_[3];
    bool layered_;
};

static hipTextureDesc nearest_levels()
{
    hipTextureDesc settings = ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, true);
    settings.mipmapFilterMode = hipFilterModePoint;
    settings.maxMipmapLevelClamp = 15;
    return settings;
}

// One thread for each texel of a level.
__global__ void read_level(float *out, hipTextureObject_t t, int shape, float level)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    float u = (x + 0.5f) / blockDim.x, v = (y + 0.5f) / blockDim.y, w = (z + 0.5f) / blockDim.z;
    out[(z * blockDim.y + y) * blockDim.x + x] =
        shape == LINE     ? tex1DLod<float>(t, u, level)
        : shape == PLANE  ? tex2DLod<float>(t, u, v, level)
        : shape == CUBOID ? tex3DLod<float>(t, u, v, w, level)
        : shape == LINES  ? tex1DLayeredLod<float>(t, u, z, level)
                          : tex2DLayeredLod<float>(t, u, v, z, level);
}

static bool over_nvidias_driver()
{
    const char *backend = std::getenv("ANYHIP_BACKEND");
    return !backend || std::strcmp(backend, "cuda") == 0;
}

// Reads `read` of the object and compares it with the texels of `wanted`.
static void check_level(const located_levels &levels, hipTextureObject_t t, int shape, float read,
                        int wanted)
{
    dim3 size(levels.size(0, wanted), levels.size(1, wanted), levels.size(2, wanted));
    ah_test::buffer<float> out(size.x * size.y * size.z);
    read_level<<<1, size>>>(out.device(), t, shape, read);
    CHECK_HIP(hipGetLastError());
    out.read();
    for (int z = 0, i = 0; z < int(size.z); ++z)
        for (int y = 0; y < int(size.y); ++y)
            for (int x = 0; x < int(size.x); ++x, ++i)
                CHECK_CASE(out.host()[i] == located_levels::place(wanted, x, y, z),
                           "shape %d level %g at %d %d %d: %g", shape, read, x, y, z,
                           out.host()[i]);
}

// The sizes are no powers of 2, so that halves are rounded.
TEST("every texel of every level of every shape is where it was written")
{
    if (!has_more_reads() || !has_levels())
        SKIP("the device has no images with levels");
    static const struct {
        int shape, width, height, depth;
        unsigned flags;
    } rows[] = {{LINE, 45, 0, 0, 0},
                {PLANE, 21, 13, 0, 0},
                {CUBOID, 13, 9, 7, 0},
                {LINES, 45, 0, 5, hipArrayLayered},
                {PLANES, 13, 11, 5, hipArrayLayered}};
    for (const auto &row : rows) {
        located_levels levels(row.width, row.height, row.depth, row.flags);
        hipResourceDesc resource = levels.resource();
        ah_test::texture t(resource, nearest_levels());
        for (int level = 0; level < located_levels::LEVELS; ++level) {
            image<float> back(levels.size(0, level), levels.size(1, level), levels.size(2, level));
            check_level(levels, t, row.shape, static_cast<float>(level), level);
            ah_test::array::copy(levels.level_array(level), back, false);
            CHECK_EQ(back.texels.back(),
                     located_levels::place(level, back.width - 1, back.height - 1, back.depth - 1));
            // a level by itself, of which NVIDIA's driver reads only the first layer
            if ((row.flags & hipArrayLayered) && over_nvidias_driver())
                continue;
            ah_test::texture one(
                levels.level_array(level),
                ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, true));
            check_level(levels, one, row.shape, 0, level);
        }
    }
}

TEST("views, limits and a bias choose among levels")
{
    if (!has_more_reads() || !has_levels())
        SKIP("the device has no images with levels");
    located_levels levels(32, 16, 0, 0);
    hipResourceDesc resource = levels.resource();
    hipResourceViewDesc view = {};
    hipTextureDesc settings = nearest_levels();
    view.format = hipResViewFormatFloat1;
    view.width = 32;
    view.height = 16;
    view.firstMipmapLevel = 1;
    view.lastMipmapLevel = 2;
    {
        ah_test::texture t(resource, settings, &view);
        check_level(levels, t, PLANE, 0, 1);
        check_level(levels, t, PLANE, 1, 2);
        check_level(levels, t, PLANE, 9, 2);
    }
    for (unsigned last : {0u, unsigned(located_levels::LEVELS)}) { // before the first; too many
        hipTextureObject_t t;
        view.lastMipmapLevel = last;
        CHECK(hipCreateTextureObject(&t, &resource, &settings, &view) == hipErrorInvalidValue);
        (void)hipGetLastError();
    }
    settings.minMipmapLevelClamp = 1;
    settings.maxMipmapLevelClamp = 2;
    {
        ah_test::texture t(resource, settings);
        check_level(levels, t, PLANE, 0, 1);
        check_level(levels, t, PLANE, 9, 2);
    }
    settings = nearest_levels();
    settings.mipmapLevelBias = 1;
    ah_test::texture up(resource, settings);
    check_level(levels, up, PLANE, 1, 2);
    settings.mipmapLevelBias = -1;
    ah_test::texture down(resource, settings);
    check_level(levels, down, PLANE, 3, 2);
}

__global__ void write_level(hipSurfaceObject_t s, float add)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    float was = surf2DLayeredread<float>(s, int(x * sizeof(float)), y, z);
    surf2DLayeredwrite(was + add, s, int(x * sizeof(float)), y, z);
}

TEST("a kernel writes one level as a surface, and no other")
{
    if (!has_levels())
        SKIP("the device has no images with levels");
    located_levels levels(24, 12, 3, hipArrayLayered | hipArraySurfaceLoadStore);
    hipResourceDesc resource = ah_test::texture::of_array(levels.level_array(1));
    hipSurfaceObject_t surface;
    CHECK_HIP(hipCreateSurfaceObject(&surface, &resource));
    write_level<<<1, dim3(12, 6, 3)>>>(surface, 0.5f);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipDestroySurfaceObject(surface));
    for (int level = 0; level < located_levels::LEVELS; ++level) {
        image<float> back(levels.size(0, level), levels.size(1, level), 3);
        ah_test::array::copy(levels.level_array(level), back, false);
        for (int z = 0; z < 3; ++z)
            for (int y = 0; y < back.height; ++y)
                for (int x = 0; x < back.width; ++x)
                    CHECK_EQ(back.at(x, y, z),
                             located_levels::place(level, x, y, z) + (level == 1 ? 0.5f : 0.0f));
    }
}

__global__ void read_texel(float *out, hipTextureObject_t t, int x, int y)
{
    *out = tex2D<float>(t, x + 0.5f, y + 0.5f);
}

TEST("a kernel reads tiles of a sparse array")
{
    const int side = 128;
    hipDeviceProp_t properties;
    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array = nullptr;
    unsigned flags = anyhipArraySparse;
    hipError_t made =
        hipMalloc3DArray(&array, &format, make_hipExtent(3 * side, 2 * side, 0), flags);
    CHECK(made == (properties.sparseHipArraySupported ? hipSuccess : hipErrorNotSupported));
    if (made != hipSuccess)
        SKIP("the device has no sparse arrays");
    hipMemAllocationProp kind = {};
    kind.type = hipMemAllocationTypePinned;
    kind.location.type = hipMemLocationTypeDevice;
    kind.allocFlags.usage = 1; // a tile pool
    hipMemGenericAllocationHandle_t memory;
    std::size_t size;
    CHECK_HIP(hipMemGetAllocationGranularity(&size, &kind, hipMemAllocationGranularityMinimum));
    CHECK_HIP(hipMemCreate(&memory, size, &kind, 0));
    hipArrayMapInfo part = {};
    part.resourceType = hipResourceTypeArray;
    part.resource.array = array;
    part.subresourceType = hipArraySparseSubresourceTypeSparseLevel;
    part.subresource.sparseLevel.offsetX = part.subresource.sparseLevel.offsetY = side;
    part.subresource.sparseLevel.extentWidth = 2 * side;
    part.subresource.sparseLevel.extentHeight = side;
    part.subresource.sparseLevel.extentDepth = 1;
    part.memOperationType = hipMemOperationTypeMap;
    part.memHandleType = hipMemHandleTypeGeneric;
    part.memHandle.memHandle = memory;
    part.deviceBitMask = 1;
    CHECK_HIP(hipMemMapArrayAsync(&part, 1, nullptr));
    std::vector<float> texels(2 * side * side);
    for (std::size_t i = 0; i < texels.size(); i++)
        texels[i] = static_cast<float>(i);
    const std::size_t row = 2 * side * sizeof(float);
    CHECK_HIP(hipMemcpy2DToArray(array, side * sizeof(float), side, texels.data(), row, row, side,
                                 hipMemcpyHostToDevice));
    {
        ah_test::texture t(array,
                           ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, false));
        ah_test::buffer<float> out(1);
        for (int at : {0, 5, side - 1, side, 2 * side - 1}) {
            read_texel<<<1, 1>>>(out.device(), t, side + at, side + 77);
            CHECK_HIP(hipGetLastError());
            CHECK_EQ(out.read()[0], texels[77 * 2 * side + at]);
        }
    }
    part.memOperationType = hipMemOperationTypeUnmap;
    CHECK_HIP(hipMemMapArrayAsync(&part, 1, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipFreeArray(array));
    CHECK_HIP(hipMemRelease(memory));
}

// The other shapes of level and gradient read the only level there is.
__global__ void read_all_levels(float *out, hipTextureObject_t line, hipTextureObject_t cuboid,
                                hipTextureObject_t lines, hipTextureObject_t planes,
                                hipTextureObject_t cube, hipTextureObject_t cubes)
{
    float4 none(0, 0, 0, 0);
    float2 no(0, 0);
    out[0] = tex1DLod<float>(line, 0.3f, 0);
    out[1] = tex1DGrad<float>(line, 0.3f, 0, 0);
    out[2] = tex3DLod<float>(cuboid, 0.3f, 0.3f, 0.3f, 0);
    out[3] = tex3DGrad<float>(cuboid, 0.3f, 0.3f, 0.3f, none, none);
    out[4] = tex1DLayeredLod<float>(lines, 0.3f, 1, 0);
    out[5] = tex1DLayeredGrad<float>(lines, 0.3f, 1, 0, 0);
    out[6] = tex2DLayeredLod<float>(planes, 0.3f, 0.3f, 1, 0);
    out[7] = tex2DLayeredGrad<float>(planes, 0.3f, 0.3f, 1, no, no);
    out[8] = texCubemapLod<float>(cube, 1, 0.2f, 0.2f, 0);
    out[9] = texCubemapGrad<float>(cube, 1, 0.2f, 0.2f, none, none);
    out[10] = texCubemapLayeredLod<float>(cubes, 1, 0.2f, 0.2f, 1, 0);
    out[11] = texCubemapLayeredGrad<float>(cubes, 1, 0.2f, 0.2f, 1, none, none);
}

TEST("every shape is read by level and by gradient")
{
    if (!has_more_reads())
        SKIP("the device has no such reads");
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    ah_test::array line(format, 4, 0, 0, 0), cuboid(format, 4, 4, 4, 0),
        lines(format, 4, 0, 2, hipArrayLayered), planes(format, 4, 4, 2, hipArrayLayered),
        cube(format, 4, 4, 6, hipArrayCubemap),
        cubes(format, 4, 4, 12, hipArrayCubemap | hipArrayLayered);
    line.write(ramp(4, 1, 1));
    cuboid.write(ramp(4, 4, 4));
    lines.write(ramp(4, 1, 2));
    planes.write(ramp(4, 4, 2));
    cube.write(ramp(4, 4, 6));
    cubes.write(ramp(4, 4, 12));
    hipTextureDesc settings = ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, true);
    ah_test::texture t0(line, settings), t1(cuboid, settings), t2(lines, settings),
        t3(planes, settings), t4(cube, settings), t5(cubes, settings);
    ah_test::buffer<float> out(12);
    read_all_levels<<<1, 1>>>(out.device(), t0, t1, t2, t3, t4, t5);
    CHECK_HIP(hipGetLastError());
    out.read();
    const float want[] = {1, 111, 101, 111, 11, 611};
    for (int i = 0; i < 12; ++i)
        CHECK_CASE(out.host()[i] == want[i / 2], "form %d: %g, not %g", i, out.host()[i],
                   want[i / 2]);
}

// ---- linear memory ----

__global__ void fetch_beyond(float *out, hipTextureObject_t t, int n)
{
    out[0] = tex1Dfetch<float>(t, n - 1);
    out[1] = tex1Dfetch<float>(t, n);
    out[2] = tex1Dfetch<float>(t, -1);
    tex1Dfetch(out + 3, t, 1);
}

TEST("linear memory reads as 0 beyond its end")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    ah_test::buffer<float> memory({1, 2, 3, 4, 5, 6, 7, 8}), out(4);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory.device();
    resource.res.linear.desc = hipCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 7 * sizeof(float);
    ah_test::texture t(resource,
                       ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, false));
    fetch_beyond<<<1, 1>>>(out.device(), t, 7);
    CHECK_HIP(hipGetLastError());
    out.read();
    CHECK_EQ(out.host()[0], 7.0f);
    CHECK_EQ(out.host()[1], 0.0f);
    CHECK_EQ(out.host()[2], 0.0f);
    CHECK_EQ(out.host()[3], 2.0f);
}

TEST("rows of memory are a texture of two dimensions")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    const int w = 13, h = 7;
    image<float> in = ramp(w, h, 1);
    float *rows;
    std::size_t pitch;
    CHECK_HIP(hipMallocPitch(reinterpret_cast<void **>(&rows), &pitch, w * sizeof(float), h));
    CHECK_HIP(hipMemcpy2D(rows, pitch, in.texels.data(), w * sizeof(float), w * sizeof(float), h,
                          hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = hipCreateChannelDesc<float>();
    resource.res.pitch2D.width = w;
    resource.res.pitch2D.height = h;
    resource.res.pitch2D.pitchInBytes = pitch;
    hipTextureDesc settings =
        ah_test::settings_with(hipAddressModeClamp, hipFilterModeLinear, false);
    {
        ah_test::texture t(resource, settings);
        std::vector<float4> places = places_for(in, false, 1);
        std::vector<float> got = read_at<float, PLANE>(t, places);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const float place[3] = {places[i].x, places[i].y, 0};
            double want = ah_test::expected(exact(in), settings, 2, place);
            CHECK_CASE(std::fabs(got[i] - want) <= 0.1, "at %g %g: %g, not %g", place[0], place[1],
                       got[i], want);
        }
    }
    CHECK_HIP(hipFree(rows));
}

TEST("a view reads an array as another type")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    image<unsigned> in(4, 1, 1);
    in.texels = {0x04030201, 0x3f800000, 0xff00ff00, 7};
    ah_test::array array(hipCreateChannelDesc<unsigned>(), 4, 0, 0, 0);
    array.write(in);
    hipResourceViewDesc view = {};
    view.format = hipResViewFormatUnsignedChar4;
    view.width = 4;
    ah_test::texture t(ah_test::texture::of_array(array),
                       ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, false),
                       &view);
    std::vector<uchar4> got = read_at<uchar4, LINE>(t, {float4(0.5f, 0, 0, 0)});
    CHECK(got[0].x == 1 && got[0].y == 2 && got[0].z == 3 && got[0].w == 4);
}

// ---- texture references ----

texture<float, hipTextureType1D, hipReadModeElementType> line_reference;
texture<float, hipTextureType2D, hipReadModeElementType> plane_reference;
texture<uchar4, hipTextureType2D, hipReadModeNormalizedFloat> colour_reference;

__global__ void read_line_reference(float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch(line_reference, i);
}
__global__ void read_plane_reference(float *out, float x, float y)
{
    *out = tex2D(plane_reference, x, y);
}
__global__ void read_colour_reference(float4 *out, float x, float y)
{
    *out = tex2D(colour_reference, x, y);
}

TEST("a reference reads the memory it is bound to")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    ah_test::buffer<float> one({1, 2, 3, 4}), other({5, 6, 7, 8}), out(4);
    for (auto *memory : {&one, &other}) {
        std::size_t offset = 1;
        CHECK_HIP(hipBindTexture(&offset, line_reference, memory->device(), 4 * sizeof(float)));
        CHECK_EQ(offset, std::size_t(0));
        read_line_reference<<<1, 4>>>(out.device(), 4);
        CHECK_HIP(hipGetLastError());
        CHECK(out.read() == memory->read());
    }
    CHECK_HIP(hipUnbindTexture(line_reference));
}

TEST("a reference reads an array as it is set up")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    image<float> in = ramp(8, 8, 1);
    ah_test::array array(hipCreateChannelDesc<float>(), 8, 8, 0, 0);
    array.write(in);
    ah_test::buffer<float> out(1);
    plane_reference.normalized = 1;
    plane_reference.filterMode = hipFilterModeLinear;
    plane_reference.addressMode[0] = plane_reference.addressMode[1] = hipAddressModeWrap;
    CHECK_HIP(hipBindTextureToArray(plane_reference, array));
    read_plane_reference<<<1, 1>>>(out.device(), 0.5f, 0.5f);
    CHECK_HIP(hipGetLastError());
    CHECK_EQ(out.read()[0], 38.5f);
    plane_reference.normalized = 0;
    plane_reference.filterMode = hipFilterModePoint;
    plane_reference.addressMode[0] = plane_reference.addressMode[1] = hipAddressModeClamp;
    CHECK_HIP(hipBindTextureToArray(plane_reference, array));
    read_plane_reference<<<1, 1>>>(out.device(), 5.5f, 99.0f);
    CHECK_HIP(hipGetLastError());
    CHECK_EQ(out.read()[0], 75.0f);
    CHECK_HIP(hipUnbindTexture(plane_reference));
}

TEST("a reference gives normalized floats for bytes")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    image<uchar4> in(2, 2, 1);
    in.at(1, 1) = uchar4(0, 51, 102, 255);
    ah_test::array array(hipCreateChannelDesc<uchar4>(), 2, 2, 0, 0);
    array.write(in);
    ah_test::buffer<float4> out(1);
    CHECK_HIP(hipBindTextureToArray(colour_reference, array));
    read_colour_reference<<<1, 1>>>(out.device(), 1.5f, 1.5f);
    CHECK_HIP(hipGetLastError());
    float4 got = out.read()[0];
    CHECK_EQ(got.x, 0.0f);
    CHECK_NEAR_ULP(got.y, 0.2L, 1);
    CHECK_NEAR_ULP(got.z, 0.4L, 1);
    CHECK_EQ(got.w, 1.0f);
    CHECK_HIP(hipUnbindTexture(colour_reference));
}

HIP_TEST_MAIN
