// Short vectors: layout, construction and operators, on the device as on the host, as kernel
// arguments and in memory.
#include "../support/hip_test.h"

// ---- layout: HIP's on AMD ----

#define LAYOUT(name, T)                                                                            \
    static_assert(sizeof(name##1) == sizeof(T) && alignof(name##1) == alignof(T));                 \
    static_assert(sizeof(name##2) == 2 * sizeof(T) && alignof(name##2) == 2 * sizeof(T));          \
    static_assert(sizeof(name##3) == 3 * sizeof(T) && alignof(name##3) == alignof(T));             \
    static_assert(sizeof(name##4) == 4 * sizeof(T) && alignof(name##4) == 4 * sizeof(T));          \
    static_assert(std::is_trivially_copyable_v<name##4> && std::is_standard_layout_v<name##4>);    \
    static_assert(std::is_trivially_default_constructible_v<name##3>);                             \
    static_assert(std::is_same_v<decltype(name##4().w), T> || true)
LAYOUT(char, char);
LAYOUT(uchar, unsigned char);
LAYOUT(short, short);
LAYOUT(ushort, unsigned short);
LAYOUT(int, int);
LAYOUT(uint, unsigned int);
LAYOUT(long, long);
LAYOUT(ulong, unsigned long);
LAYOUT(longlong, long long);
LAYOUT(ulonglong, unsigned long long);
LAYOUT(float, float);
LAYOUT(double, double);
static_assert(offsetof(float4, z) == 8 && offsetof(double3, z) == 16 && offsetof(uchar4, w) == 3);

// ---- constant expressions ----

constexpr int4 four(1, 2, 3, 4);
constexpr float2 all_alike(2.5f);
static_assert(four.w == 4 && all_alike.y == 2.5f);
static_assert((four * 2 + 1).z == 7 && four == make_int4(1, 2, 3, 4) && four != int4(1));
constexpr uint3 list = {7, 8, 9};
static_assert(list.x + list.y + list.z == 24);

// ---- operators ----

template <typename V> __host__ __device__ V arithmetic(V a, V b)
{
    V r = a + b;
    r += a * b;
    r -= b;
    r = r / (b + decltype(b.x)(1));
    r *= a;
    r = decltype(a.x)(2) * r - a;
    ++r;
    r++;
    --r;
    r += decltype(a.x)(3);
    return r;
}
template <typename V> __host__ __device__ V bitwise(V a, V b)
{
    V r = (a & b) | (a ^ b);
    r = ~r;
    r <<= V(1);
    r = r >> 1;
    r ^= a;
    r |= V(4);
    r &= b | V(8);
    r = r % (b + decltype(b.x)(5));
    return r;
}
template <typename V> __host__ __device__ int compared(V a, V b)
{
    return (a == b) + 2 * (a != b) + 4 * (a == a) + 8 * (a + decltype(a.x)(1) == a);
}

template <typename V, bool integers> struct results {
    V arithmetic_result, bitwise_result;
    int comparison;
};
template <typename V, bool integers>
__host__ __device__ results<V, integers> compute(const V &a, const V &b)
{
    results<V, integers> r;
    r.arithmetic_result = arithmetic(a, b);
    if constexpr (integers)
        r.bitwise_result = bitwise(a, b);
    else
        r.bitwise_result = -a;
    r.comparison = compared(a, b);
    return r;
}
template <typename V, bool integers>
__global__ void compute_on_device(results<V, integers> *out, const V *a, V b)
{
    out[threadIdx.x] = compute<V, integers>(a[threadIdx.x], b);
}

template <typename V> void check_type(const char *name)
{
    typedef decltype(V().x) T;
    constexpr bool integers = std::is_integral_v<T>;
    constexpr int rank = sizeof(V) / sizeof(T);
    const int n = 20;
    std::vector<V> a(n);
    V b;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < rank; ++k)
            (&a[i].x)[k] = static_cast<T>(i * 3 + k + 1);
    for (int k = 0; k < rank; ++k)
        (&b.x)[k] = static_cast<T>(2 + k);
    ah_test::buffer<V> device(a);
    ah_test::buffer<results<V, integers>> out(n);
    compute_on_device<V, integers><<<1, n>>>(out.device(), device.device(), b);
    CHECK_LAUNCH();
    for (int i = 0; i < n; ++i) {
        results<V, integers> want = compute<V, integers>(a[i], b), got = out.read()[i];
        CHECK_CASE(got.arithmetic_result == want.arithmetic_result, "%s, row %d", name, i);
        CHECK_CASE(got.bitwise_result == want.bitwise_result, "%s, row %d", name, i);
        CHECK_CASE(got.comparison == want.comparison, "%s, row %d", name, i);
        for (int k = 0; k < rank; ++k) {
            T x = (&a[i].x)[k], y = (&b.x)[k];
            T r = static_cast<T>(x + y);
            r = static_cast<T>(r + static_cast<T>(x * y));
            r = static_cast<T>(r - y);
            r = static_cast<T>(r / static_cast<T>(y + 1));
            r = static_cast<T>(r * x);
            r = static_cast<T>(static_cast<T>(2 * r) - x);
            r = static_cast<T>(r + 1 + 3);
            CHECK_CASE((&got.arithmetic_result.x)[k] == r, "%s, row %d, component %d", name, i, k);
        }
    }
}
#define CHECK_TYPES(name)                                                                          \
    check_type<name##1>(#name "1"), check_type<name##2>(#name "2");                                \
    check_type<name##3>(#name "3"), check_type<name##4>(#name "4")

TEST("operators of small integer vectors work by component")
{
    CHECK_TYPES(char);
    CHECK_TYPES(uchar);
    CHECK_TYPES(short);
    CHECK_TYPES(ushort);
}
TEST("operators of integer vectors work by component")
{
    CHECK_TYPES(int);
    CHECK_TYPES(uint);
    CHECK_TYPES(long);
    CHECK_TYPES(ulong);
    CHECK_TYPES(longlong);
    CHECK_TYPES(ulonglong);
}
TEST("operators of floating point vectors work by component")
{
    CHECK_TYPES(float);
    CHECK_TYPES(double);
}

// ---- a program's own operators are preferred ----

namespace own
{
__host__ __device__ float3 operator*(const float3 &a, const float3 &b) /* cross product */
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__host__ __device__ float2 &operator+=(float2 &a, const float2 &b)
{
    a.x += 10 * b.x;
    a.y += 10 * b.y;
    return a;
}
__global__ void use(float *out)
{
    float3 c = make_float3(1, 0, 0) * make_float3(0, 1, 0);
    out[0] = c.x, out[1] = c.y, out[2] = c.z;
    float2 d = make_float2(1, 2);
    d += make_float2(1, 1);
    out[3] = d.x, out[4] = d.y;
}
} // namespace own
TEST("an operator of the program's own is preferred to HIP's")
{
    ah_test::buffer<float> out(5);
    own::use<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    const float want[5] = {0, 0, 1, 11, 12};
    for (int i = 0; i < 5; ++i)
        CHECK_EQ(out.read()[i], want[i]);
}

// ---- construction, conversion, arguments ----

struct mixture {
    char first;
    float4 a;
    char between;
    double3 b;
    uchar3 c;
    short2 d;
};
__global__ void take_arguments(float *out, float4 a, char3 b, double2 c, mixture m, uchar1 e)
{
    out[0] = a.x + 10 * a.y + 100 * a.z + 1000 * a.w;
    out[1] = static_cast<float>(b.x + 10 * b.y + 100 * b.z);
    out[2] = static_cast<float>(c.x - c.y);
    out[3] = static_cast<float>(m.first + m.a.w + m.between + m.b.z + m.c.z + m.d.y);
    out[4] = e.x;
    float4 f = float4(2);
    float3 g = {1, 2.5, 3};
    int2 h{4, 5};
    double4 zero{};
    uint4 made = make_uint4(1u, 2u, 3u, 4u);
    out[5] = f.w + g.y + static_cast<float>(h.y) + static_cast<float>(zero.z) +
             static_cast<float>(made.w);
    float2 array[3] = {make_float2(1, 2), float2(3, 4), {5, 6}};
    out[6] = array[1].y + array[2].x;
}
TEST("vectors are made, passed by value and kept in structures")
{
    mixture m = {1,
                 make_float4(1, 2, 3, 4),
                 2,
                 make_double3(5, 6, 7),
                 make_uchar3(8, 9, 10),
                 make_short2(11, 12)};
    ah_test::buffer<float> out(7);
    take_arguments<<<1, 1>>>(out.device(), make_float4(1, 2, 3, 4), make_char3(1, 2, 3),
                             make_double2(5, 0.5), m, make_uchar1(200));
    CHECK_LAUNCH();
    const float want[7] = {4321, 321, 4.5f, 1 + 4 + 2 + 7 + 10 + 12, 200, 2 + 2.5f + 5 + 0 + 4,
                           4 + 5};
    for (int i = 0; i < 7; ++i)
        CHECK_EQ(out.read()[i], want[i]);
}

__global__ void swap_parts(float4 *v, int3 *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 t = v[i];
    v[i] = make_float4(t.w, t.z, t.y, t.x);
    int3 u = w[i];
    w[i] = make_int3(u.z, u.x, u.y);
}
TEST("arrays of vectors are packed as on the host")
{
    const int n = 300;
    std::vector<float4> v(n);
    std::vector<int3> w(n);
    for (int i = 0; i < n; ++i) {
        v[i] = make_float4(4.0f * i, 4.0f * i + 1, 4.0f * i + 2, 4.0f * i + 3);
        w[i] = make_int3(3 * i, 3 * i + 1, 3 * i + 2);
    }
    ah_test::buffer<float4> dv(v);
    ah_test::buffer<int3> dw(w);
    swap_parts<<<3, 128>>>(dv.device(), dw.device(), n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; ++i) {
        CHECK(dv.read()[i] == make_float4(v[i].w, v[i].z, v[i].y, v[i].x));
        CHECK(dw.read()[i] == make_int3(w[i].z, w[i].x, w[i].y));
    }
}

HIP_TEST_MAIN
