// Conversions with a stated rounding, bit casts, and arithmetic with a stated rounding,
// against the host's floating point unit in the same rounding mode.
#include "../support/hip_test.h"

#include <cfenv>

typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static const int modes[4] = {FE_DOWNWARD, FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};

// The host's conversion or operation under a rounding mode; volatile keeps it at run time.
template <typename To, typename From> static To host_convert(From x, int mode)
{
    std::fesetround(mode);
    volatile From from = x;
    volatile To to = static_cast<To>(from);
    std::fesetround(FE_TONEAREST);
    return to;
}

// ---- to and from integers ----

template <typename To> struct four {
    To rd, rn, ru, rz;
};

#define CONVERSION(from, to, From, To)                                                             \
    struct from##_to_##to {                                                                        \
        typedef From input;                                                                        \
        typedef To output;                                                                         \
        static __device__ four<To> apply(From x)                                                   \
        {                                                                                          \
            return {__##from##2##to##_rd(x), __##from##2##to##_rn(x), __##from##2##to##_ru(x),     \
                    __##from##2##to##_rz(x)};                                                      \
        }                                                                                          \
    };
CONVERSION(float, int, float, int)
CONVERSION(float, uint, float, u32)
CONVERSION(float, ll, float, i64)
CONVERSION(float, ull, float, u64)
CONVERSION(double, int, double, int)
CONVERSION(double, uint, double, u32)
CONVERSION(double, ll, double, i64)
CONVERSION(double, ull, double, u64)
CONVERSION(double, float, double, float)
CONVERSION(int, float, int, float)
CONVERSION(uint, float, u32, float)
CONVERSION(ll, float, i64, float)
CONVERSION(ull, float, u64, float)
CONVERSION(ll, double, i64, double)
CONVERSION(ull, double, u64, double)

template <typename C>
__global__ void convert(four<typename C::output> *out, const typename C::input *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = C::apply(in[i]);
}

template <typename C>
std::vector<four<typename C::output>> converted(const std::vector<typename C::input> &in)
{
    int n = static_cast<int>(in.size());
    ah_test::buffer<typename C::input> device(in);
    ah_test::buffer<four<typename C::output>> out(n);
    convert<C><<<(n + 127) / 128, 128>>>(out.device(), device.device(), n);
    CHECK_LAUNCH();
    return out.read();
}

template <typename C> void check_from_integer(const char *name)
{
    typedef typename C::input I;
    typedef typename C::output F;
    std::mt19937_64 random(2);
    typedef std::numeric_limits<I> limits;
    std::vector<I> in = {
        0, 1, limits::max(), limits::min(), I(limits::max() - 1), I(limits::min() + 1)};
    for (unsigned bit = 0; bit < sizeof(I) * 8 - 1; ++bit)
        for (int d = -2; d <= 2; ++d)
            in.push_back(static_cast<I>((1ull << bit) + static_cast<u64>(d)));
    for (int i = 0; i < 4000; ++i)
        in.push_back(static_cast<I>(random() >> random() % 64) * (random() % 2 ? I(1) : I(-1)));
    std::vector<four<F>> out = converted<C>(in);
    for (std::size_t i = 0; i < in.size(); ++i) {
        F got[4] = {out[i].rd, out[i].rn, out[i].ru, out[i].rz};
        for (int m = 0; m < 4; ++m)
            CHECK_CASE(got[m] == (host_convert<F, I>(in[i], modes[m])), "%s mode %d of %s is %a",
                       name, m, ah_test::show(in[i]).c_str(), static_cast<double>(got[m]));
    }
}

TEST("integers become floating point numbers in every rounding")
{
    check_from_integer<int_to_float>("int2float");
    check_from_integer<uint_to_float>("uint2float");
    check_from_integer<ll_to_float>("ll2float");
    check_from_integer<ull_to_float>("ull2float");
    check_from_integer<ll_to_double>("ll2double");
    check_from_integer<ull_to_double>("ull2double");
}

// What the integer should be: the rounded number, or the nearest that fits.
template <typename I, typename F> static I host_integer(F x, int mode)
{
    typedef std::numeric_limits<I> limits;
    std::fesetround(mode);
    volatile F from = x;
    volatile F rounded = std::nearbyint(from);
    std::fesetround(FE_TONEAREST);
    long double r = rounded;
    if (r >= static_cast<long double>(limits::max()))
        return limits::max();
    if (r <= static_cast<long double>(limits::min()))
        return limits::min();
    return static_cast<I>(r);
}

template <typename C> void check_to_integer(const char *name)
{
    typedef typename C::input F;
    typedef typename C::output I;
    std::mt19937_64 random(4);
    const F end = std::ldexp(F(1), sizeof(I) * 8 - std::is_signed_v<I>);
    std::vector<F> in = {F(0),
                         F(-0.0),
                         F(0.5),
                         F(1.5),
                         F(2.5),
                         F(-0.5),
                         F(-1.5),
                         F(0.4999999),
                         F(1e-30),
                         F(-1e-30),
                         end,
                         -end,
                         end * 2,
                         -end * 2,
                         end / 2,
                         F(1e30),
                         F(-1e30),
                         std::numeric_limits<F>::infinity(),
                         -std::numeric_limits<F>::infinity(),
                         std::nextafter(end, F(0)),
                         std::nextafter(-end, F(0))};
    for (int i = 0; i < 2000; ++i) {
        in.push_back(static_cast<F>(static_cast<int>(random() % 4000) - 2000) / 8);
        in.push_back(std::ldexp(static_cast<F>(static_cast<i64>(random())),
                                -static_cast<int>(random() % 64)));
    }
    std::vector<four<I>> out = converted<C>(in);
    for (std::size_t i = 0; i < in.size(); ++i) {
        I got[4] = {out[i].rd, out[i].rn, out[i].ru, out[i].rz};
        for (int m = 0; m < 4; ++m) {
            I want = host_integer<I, F>(in[i], modes[m]);
            CHECK_CASE(got[m] == want, "%s mode %d of %a is %s, not %s", name, m,
                       static_cast<double>(in[i]), ah_test::show(got[m]).c_str(),
                       ah_test::show(want).c_str());
        }
    }
}

TEST("floats become integers in every rounding, the nearest where none fits")
{
    check_to_integer<float_to_int>("float2int");
    check_to_integer<float_to_uint>("float2uint");
    check_to_integer<float_to_ll>("float2ll");
    check_to_integer<float_to_ull>("float2ull");
}
TEST("doubles become integers in every rounding, the nearest where none fits")
{
    check_to_integer<double_to_int>("double2int");
    check_to_integer<double_to_uint>("double2uint");
    check_to_integer<double_to_ll>("double2ll");
    check_to_integer<double_to_ull>("double2ull");
}

TEST("doubles become floats in every rounding")
{
    std::mt19937_64 random(6);
    std::vector<double> in = {0.0,
                              -0.0,
                              1.0,
                              0.1,
                              -0.1,
                              1e300,
                              -1e300,
                              1e-300,
                              -1e-300,
                              1e-45,
                              1e-46,
                              3.4028235677973366e38,
                              3.4028234663852886e38,
                              INFINITY,
                              -INFINITY,
                              NAN};
    for (int i = 0; i < 6000; ++i)
        in.push_back(std::ldexp(static_cast<double>(static_cast<i64>(random())),
                                static_cast<int>(random() % 320) - 220));
    std::vector<four<float>> out = converted<double_to_float>(in);
    for (std::size_t i = 0; i < in.size(); ++i) {
        float got[4] = {out[i].rd, out[i].rn, out[i].ru, out[i].rz};
        for (int m = 0; m < 4; ++m) {
            float want = host_convert<float, double>(in[i], modes[m]);
            CHECK_CASE(ah_test::identical(got[m], want), "mode %d of %a is %a, not %a", m, in[i],
                       static_cast<double>(got[m]), static_cast<double>(want));
        }
    }
}

// ---- bits ----

__global__ void cast_bits(u64 *out, float f, double d, u32 u, u64 w)
{
    int k = 0;
    out[k++] = static_cast<u32>(__float_as_int(f));
    out[k++] = __float_as_uint(f);
    out[k++] = static_cast<u64>(__double_as_longlong(d));
    out[k++] = static_cast<u32>(__double2hiint(d));
    out[k++] = static_cast<u32>(__double2loint(d));
    out[k++] = __float_as_uint(__int_as_float(static_cast<int>(u)));
    out[k++] = __float_as_uint(__uint_as_float(u));
    out[k++] = static_cast<u64>(__double_as_longlong(__longlong_as_double(static_cast<i64>(w))));
    out[k++] = static_cast<u64>(
        __double_as_longlong(__hiloint2double(static_cast<int>(w >> 32), static_cast<int>(w))));
    out[k++] = static_cast<u64>(__double_as_longlong(__int2double_rn(static_cast<int>(u))));
    out[k++] = static_cast<u64>(__double_as_longlong(__uint2double_rn(u)));
}

template <typename To, typename From> static To bits_of(From x)
{
    To r;
    static_assert(sizeof(To) == sizeof(From));
    std::memcpy(&r, &x, sizeof r);
    return r;
}

TEST("bit casts keep every bit")
{
    for (float f : {1.5f, -0.0f, 1e-42f, -INFINITY})
        for (double d : {1.0 / 3, -0.0, 4.9e-324, 1e300})
            for (u64 w : {0x0123456789abcdefull, 0xffefffffffffffffull, 0x8000000000000001ull}) {
                u32 u = static_cast<u32>(w);
                ah_test::buffer<u64> out(11);
                cast_bits<<<1, 1>>>(out.device(), f, d, u, w);
                CHECK_LAUNCH();
                u64 db = bits_of<u64>(d);
                u64 want[11] = {bits_of<u32>(f),
                                bits_of<u32>(f),
                                db,
                                db >> 32,
                                static_cast<u32>(db),
                                u,
                                u,
                                w,
                                w,
                                bits_of<u64>(static_cast<double>(static_cast<int>(u))),
                                bits_of<u64>(static_cast<double>(u))};
                for (int i = 0; i < 11; ++i)
                    CHECK_EQ(out.read()[i], want[i]);
            }
}

// ---- arithmetic ----

template <typename T> struct rounded {
    four<T> add, sub, mul, div, rcp, sqrt, fma;
};

#define ROUNDED(mode, T, f, fma_)                                                                  \
    r.add.mode = __##f##add_##mode(x, y);                                                          \
    r.sub.mode = __##f##sub_##mode(x, y);                                                          \
    r.mul.mode = __##f##mul_##mode(x, y);                                                          \
    r.div.mode = __##f##div_##mode(x, y);                                                          \
    r.rcp.mode = __##f##rcp_##mode(x);                                                             \
    r.sqrt.mode = __##f##sqrt_##mode(x);                                                           \
    r.fma.mode = __##fma_##_##mode(x, y, z)
__device__ rounded<float> round_all(float x, float y, float z)
{
    rounded<float> r;
    ROUNDED(rd, float, f, fmaf);
    ROUNDED(rn, float, f, fmaf);
    ROUNDED(ru, float, f, fmaf);
    ROUNDED(rz, float, f, fmaf);
    return r;
}
__device__ rounded<double> round_all(double x, double y, double z)
{
    rounded<double> r;
    ROUNDED(rd, double, d, fma);
    ROUNDED(rn, double, d, fma);
    ROUNDED(ru, double, d, fma);
    ROUNDED(rz, double, d, fma);
    return r;
}
template <typename T> __global__ void compute(rounded<T> *out, const T *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = round_all(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
}

template <typename T, typename F> static T host_compute(F f, T x, T y, T z, int mode)
{
    std::fesetround(mode);
    volatile T a = x, b = y, c = z;
    volatile T r = f(a, b, c);
    std::fesetround(FE_TONEAREST);
    return r;
}

template <typename T> void check_rounded()
{
    std::mt19937_64 random(8);
    const T special[] = {T(0), T(-0.0), T(1), T(-1), T(3), T(0.1), T(1e30), T(-1e-30)};
    std::vector<T> in;
    for (T x : special)
        for (T y : special)
            for (T z : {T(0), T(1), T(-0.3)})
                in.insert(in.end(), {x, y, z});
    for (int i = 0; i < 9000; ++i) {
        int e = static_cast<int>(random() % 100) - 50;
        in.push_back(std::ldexp(static_cast<T>(static_cast<i64>(random())), e - 63));
    }
    /* of every exponent, so that results overflow, are subnormal and vanish */
    typedef std::numeric_limits<T> limits;
    const int lowest = limits::min_exponent - limits::digits;
    for (int i = 0; i < 9000; ++i) {
        int e = lowest + static_cast<int>(random() % (limits::max_exponent - lowest + 1));
        in.push_back(std::ldexp(static_cast<T>(static_cast<i64>(random())), e - 63));
    }
    for (T x : {limits::denorm_min(), limits::min(), limits::max(), limits::infinity(), T(3)})
        for (T y : {limits::denorm_min(), -limits::min(), limits::max(), -limits::infinity(), T(7)})
            in.insert(in.end(), {x, y, -limits::denorm_min()});
    int n = static_cast<int>(in.size() / 3);
    ah_test::buffer<T> device(in);
    ah_test::buffer<rounded<T>> out(n);
    compute<T><<<(n + 63) / 64, 64>>>(out.device(), device.device(), n);
    CHECK_LAUNCH();
    std::vector<rounded<T>> &all = out.read();
    auto check = [&](const char *name, four<T> rounded<T>::*what, auto f) {
        for (int i = 0; i < n; ++i) {
            T x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
            four<T> g = all[i].*what;
            T got[4] = {g.rd, g.rn, g.ru, g.rz};
            for (int m = 0; m < 4; ++m) {
                T want = host_compute<T>(f, x, y, z, modes[m]);
                CHECK_CASE(ah_test::identical(got[m], want),
                           "%s mode %d of (%a, %a, %a) is %a, not %a", name, m,
                           static_cast<double>(x), static_cast<double>(y), static_cast<double>(z),
                           static_cast<double>(got[m]), static_cast<double>(want));
            }
        }
    };
    check("add", &rounded<T>::add, [](T x, T y, T) { return x + y; });
    check("sub", &rounded<T>::sub, [](T x, T y, T) { return x - y; });
    check("mul", &rounded<T>::mul, [](T x, T y, T) { return x * y; });
    check("div", &rounded<T>::div, [](T x, T y, T) { return x / y; });
    check("rcp", &rounded<T>::rcp, [](T x, T, T) { return T(1) / x; });
    check("sqrt", &rounded<T>::sqrt, [](T x, T, T) { return std::sqrt(x); });
    check("fma", &rounded<T>::fma, [](T x, T y, T z) { return std::fma(x, y, z); });
}

TEST("single precision arithmetic rounds as requested")
{
    check_rounded<float>();
}
TEST("double precision arithmetic rounds as requested")
{
    check_rounded<double>();
}

__global__ void reciprocal_roots(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __frsqrt_rn(in[i]);
}

TEST("__frsqrt_rn is the reciprocal square root to nearest")
{
    std::vector<float> in = {1.0f, 4.0f, 2.0f, 0.5f, 1e-40f, 3e38f, 1e-45f};
    for (int i = 0; i < 3000; ++i)
        in.push_back(static_cast<float>(i + 1) * 0.37f);
    int n = static_cast<int>(in.size());
    ah_test::buffer<float> device(in), out(n);
    reciprocal_roots<<<(n + 63) / 64, 64>>>(out.device(), device.device(), n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; ++i)
        CHECK_NEAR_ULP(out.read()[i], 1 / std::sqrt(static_cast<long double>(in[i])), 0.5001);
}

HIP_TEST_MAIN
