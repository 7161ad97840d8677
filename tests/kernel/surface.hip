// Surfaces in device code: shapes, types of elements, what lies beyond, and textures of the same
// array.
#include "../support/hip_image.h"

using ah_test::image;

namespace
{
// A surface object of an array.
class surface
{
  public:
    explicit surface(hipArray_t array)
    {
        hipResourceDesc resource = ah_test::texture::of_array(array);
        CHECK_HIP(hipCreateSurfaceObject(&object_, &resource));
    }
    surface(const surface &) = delete;
    surface &operator=(const surface &) = delete;
    ~surface() { (void)hipDestroySurfaceObject(object_); }
    operator hipSurfaceObject_t() const { return object_; }

  private:
    hipSurfaceObject_t object_ = nullptr;
};
} // namespace

enum shape { LINE, PLANE, CUBOID, LINES, PLANES, CUBE, CUBES };

template <typename T, shape s> __device__ T take(hipSurfaceObject_t from, int x, int y, int z)
{
    T value;
    int bytes = x * static_cast<int>(sizeof(T));
    if constexpr (s == LINE)
        surf1Dread(&value, from, bytes);
    else if constexpr (s == PLANE)
        surf2Dread(&value, from, bytes, y);
    else if constexpr (s == CUBOID)
        surf3Dread(&value, from, bytes, y, z);
    else if constexpr (s == LINES)
        surf1DLayeredread(&value, from, bytes, z);
    else if constexpr (s == PLANES)
        surf2DLayeredread(&value, from, bytes, y, z);
    else if constexpr (s == CUBE)
        surfCubemapread(&value, from, bytes, y, z);
    else
        surfCubemapLayeredread(&value, from, bytes, y, z % 6, z / 6);
    return value;
}
template <typename T, shape s>
__device__ void put(hipSurfaceObject_t to, T value, int x, int y, int z)
{
    int bytes = x * static_cast<int>(sizeof(T));
    if constexpr (s == LINE)
        surf1Dwrite(value, to, bytes);
    else if constexpr (s == PLANE)
        surf2Dwrite(value, to, bytes, y);
    else if constexpr (s == CUBOID)
        surf3Dwrite(value, to, bytes, y, z);
    else if constexpr (s == LINES)
        surf1DLayeredwrite(value, to, bytes, z);
    else if constexpr (s == PLANES)
        surf2DLayeredwrite(value, to, bytes, y, z);
    else if constexpr (s == CUBE)
        surfCubemapwrite(value, to, bytes, y, z);
    else
        surfCubemapLayeredwrite(value, to, bytes, y, z % 6, z / 6);
}
/* From one surface to another, x reversed. */
template <typename T, shape s>
__global__ void reverse(hipSurfaceObject_t to, hipSurfaceObject_t from, int w, int h, int d)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < w && y < h && z < d)
        put<T, s>(to, take<T, s>(from, x, y, z), w - 1 - x, y, z);
}

template <typename T> static image<T> noise(int w, int h, int d)
{
    image<T> out(w, h, d);
    std::mt19937 random(11);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(out.texels.data());
    for (std::size_t i = 0; i < out.texels.size() * sizeof(T); ++i)
        bytes[i] = static_cast<unsigned char>(random() & (i % 4 == 3 ? 0xbf : 0x7f)) |
                   (i % 4 == 0 ? 0x80 : 0); /* no NaN */
    return out;
}

template <typename T, shape s> static void check(const char *name)
{
    const bool deep = s != LINE && s != PLANE, flat = s != LINE && s != LINES;
    const bool cube = s == CUBE || s == CUBES;
    const int w = 16, h = flat ? (cube ? 16 : 5) : 0;
    const int d = s == CUBE ? 6 : s == CUBES ? 12 : deep ? 4 : 0;
    unsigned flags = hipArraySurfaceLoadStore;
    if (s == LINES || s == PLANES || s == CUBES)
        flags |= hipArrayLayered;
    if (cube)
        flags |= hipArrayCubemap;
    image<T> in = noise<T>(w, h ? h : 1, d ? d : 1), out = in;
    ah_test::array from(hipCreateChannelDesc<T>(), w, h, d, flags),
        to(hipCreateChannelDesc<T>(), w, h, d, flags);
    from.write(in);
    surface source(from), target(to);
    reverse<T, s><<<dim3(in.height, in.depth), w>>>(target, source, w, in.height, in.depth);
    CHECK_LAUNCH();
    to.read(out);
    for (int z = 0; z < in.depth; ++z)
        for (int y = 0; y < in.height; ++y)
            for (int x = 0; x < w; ++x)
                CHECK_CASE(std::memcmp(&out.at(w - 1 - x, y, z), &in.at(x, y, z), sizeof(T)) == 0,
                           "%s, shape %d, at %d %d %d", name, s, x, y, z);
}
#define CHECK_TYPES(s, scalar, vector)                                                             \
    check<scalar, s>(#scalar);                                                                     \
    check<vector##1, s>(#vector "1");                                                              \
    check<vector##2, s>(#vector "2");                                                              \
    check<vector##4, s>(#vector "4")

template <shape s> static void check_shape()
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    check<float, s>("float");
    check<float4, s>("float4");
    check<uchar4, s>("uchar4");
    check<short2, s>("short2");
    check<unsigned char, s>("uchar");
}

TEST("elements of every type are read and written")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    CHECK_TYPES(PLANE, char, char);
    CHECK_TYPES(PLANE, unsigned char, uchar);
    CHECK_TYPES(PLANE, short, short);
    CHECK_TYPES(PLANE, unsigned short, ushort);
    CHECK_TYPES(PLANE, int, int);
    CHECK_TYPES(PLANE, unsigned int, uint);
    CHECK_TYPES(PLANE, float, float);
}
TEST("surfaces have one dimension")
{
    check_shape<LINE>();
}
TEST("surfaces have two dimensions")
{
    check_shape<PLANE>();
}
TEST("surfaces have three dimensions")
{
    check_shape<CUBOID>();
}
TEST("surfaces have layers of one dimension")
{
    check_shape<LINES>();
}
TEST("surfaces have layers of two dimensions")
{
    check_shape<PLANES>();
}
TEST("surfaces have faces of cubes")
{
    check_shape<CUBE>();
    check_shape<CUBES>();
}

__global__ void beyond(float *out, hipSurfaceObject_t s, int w, int h)
{
    for (int i = 0; i < 4; ++i)
        out[i] = -1;
    surf2Dread(&out[0], s, w * 4, 0);
    surf2Dread(&out[1], s, -4, 0);
    surf2Dread(&out[2], s, 0, h);
    out[3] = surf2Dread<float>(s, 0, -1);
    surf2Dwrite(9.0f, s, w * 4, 0);
    surf2Dwrite(9.0f, s, 0, h);
    surf2Dwrite(9.0f, s, -4, 0);
    surf2Dwrite(9.0f, s, 0, -1);
}

TEST("reads beyond a surface return 0, and writes have no effect")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    image<float> in = noise<float>(8, 4, 1), out = in;
    ah_test::array array(hipCreateChannelDesc<float>(), 8, 4, 0, hipArraySurfaceLoadStore);
    array.write(in);
    surface s(array);
    ah_test::buffer<float> got(4);
    beyond<<<1, 1>>>(got.device(), s, 8, 4);
    CHECK_LAUNCH();
    for (float x : got.read())
        CHECK_EQ(x, 0.0f);
    array.read(out);
    CHECK(std::memcmp(out.texels.data(), in.texels.data(), in.texels.size() * 4) == 0);
}

#if !defined(__AMDGCN__)
__global__ void beyond_clamped(float *out, hipSurfaceObject_t s, int w, int h)
{
    surf2Dread(&out[0], s, w * 4 + 40, 0, hipBoundaryModeClamp);
    surf2Dread(&out[1], s, -8, h + 3, hipBoundaryModeClamp);
}
#else
__global__ void beyond_clamped(float *, hipSurfaceObject_t, int, int) {}
#endif

TEST("reads beyond a surface return its edge where that is requested")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    if (ah_test::is_amd())
        SKIP("AMD's instructions always give 0");
    image<float> in = noise<float>(8, 4, 1);
    ah_test::array array(hipCreateChannelDesc<float>(), 8, 4, 0, hipArraySurfaceLoadStore);
    array.write(in);
    surface s(array);
    ah_test::buffer<float> got(2);
    beyond_clamped<<<1, 1>>>(got.device(), s, 8, 4);
    CHECK_LAUNCH();
    got.read();
    CHECK_EQ(got.host()[0], in.at(7, 0));
    CHECK_EQ(got.host()[1], in.at(0, 3));
}

__global__ void squares(hipSurfaceObject_t s)
{
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(static_cast<float>(x * x + 100 * y), s, x * 4, y);
}
__global__ void look(float *out, hipTextureObject_t t, int w)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * w + x] = tex2D<float>(t, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
}

TEST("a texture reads what an earlier kernel wrote to a surface of its array")
{
    if (!ah_test::has_images())
        SKIP("the device has no images");
    const int w = 16, h = 4;
    ah_test::array array(hipCreateChannelDesc<float>(), w, h, 0, hipArraySurfaceLoadStore);
    surface s(array);
    ah_test::texture t(array,
                       ah_test::settings_with(hipAddressModeClamp, hipFilterModePoint, false));
    ah_test::buffer<float> out(w * h);
    squares<<<h, w>>>(s);
    look<<<h, w>>>(out.device(), t, w);
    CHECK_LAUNCH();
    out.read();
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            CHECK_EQ(out.host()[y * w + x], static_cast<float>(x * x + 100 * y));
}

HIP_TEST_MAIN
