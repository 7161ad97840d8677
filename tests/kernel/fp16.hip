// Half precision: every half there is through the functions of one argument, and many pairs
// through those of two, against float arithmetic rounded once on the host.
#include "../support/hip_test.h"

#include <hip/hip_fp16.h>

#include <cfenv>

typedef unsigned short u16;

static float value(u16 bits)
{
    return __half2float(__ushort_as_half(bits));
}
static bool is_nan(u16 bits)
{
    return (bits & 0x7fff) > 0x7c00;
}

// An exact rounding to half that owes nothing to the header: by search among all halves.
static u16 nearest(long double x)
{
    static const std::vector<float> grid = [] {
        std::vector<float> v; /* the non-negative halves in order */
        for (int i = 0; i <= 0x7c00; ++i) {
            int e = i >> 10, f = i & 0x3ff;
            v.push_back(e == 31  ? INFINITY
                        : e == 0 ? std::ldexp(static_cast<float>(f), -24)
                                 : std::ldexp(static_cast<float>(f + 1024), e - 25));
        }
        return v;
    }();
    if (std::isnan(x))
        return 0x7e00;
    u16 sign = std::signbit(x) ? 0x8000 : 0;
    long double a = std::fabs(x);
    if (a >= 65520)
        return sign | 0x7c00;
    int low = 0, high = 0x7bff;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (grid[middle] <= a)
            low = middle;
        else
            high = middle - 1;
    }
    long double up = low == 0x7bff ? 65536 : grid[low + 1];
    long double below = a - grid[low], above = up - a;
    bool next = above < below || (above == below && (low & 1));
    return static_cast<u16>(sign | (low + next));
}

static bool same(u16 got, u16 want)
{
    return is_nan(want) ? is_nan(got) : got == want;
}
// the same, or as many steps apart on the grid of halves
static bool near(u16 got, u16 want, int steps)
{
    if (is_nan(want) || is_nan(got))
        return is_nan(want) && is_nan(got);
    auto place = [](u16 b) { return b & 0x8000 ? -(b & 0x7fff) : b; };
    return std::abs(place(got) - place(want)) <= steps;
}

// ---- conversions ----

struct conversions {
    float f;
    u16 bits, rn, rz, rd, ru, from_double;
    int i_rn, i_rd, i_ru, i_rz;
    unsigned u_rn;
    short s_rn;
    long long l_rd;
};
__global__ void convert_all(conversions *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half h = __ushort_as_half(static_cast<u16>(i));
    conversions c;
    c.f = __half2float(h);
    c.bits = __half_as_ushort(h);
    /* a little off the half itself, so that roundings differ */
    float off = c.f * 1.0003f;
    c.rn = __half_as_ushort(__float2half_rn(off));
    c.rz = __half_as_ushort(__float2half_rz(off));
    c.rd = __half_as_ushort(__float2half_rd(off));
    c.ru = __half_as_ushort(__float2half_ru(off));
    c.from_double = __half_as_ushort(__double2half(c.f * 1.0001));
    c.i_rn = __half2int_rn(h);
    c.i_rd = __half2int_rd(h);
    c.i_ru = __half2int_ru(h);
    c.i_rz = __half2int_rz(h);
    c.u_rn = __half2uint_rn(h);
    c.s_rn = __half2short_rn(h);
    c.l_rd = __half2ll_rd(h);
    out[i] = c;
}
TEST("every half converts to float, from float in four roundings, and to integers")
{
    ah_test::buffer<conversions> out(65536);
    convert_all<<<256, 256>>>(out.device());
    CHECK_LAUNCH();
    out.read();
    for (int i = 0; i < 65536; ++i) {
        const conversions &c = out.host()[i];
        u16 bits = static_cast<u16>(i);
        int e = i >> 10 & 31, f = i & 0x3ff;
        float want = e == 31  ? (f ? NAN : INFINITY)
                     : e == 0 ? std::ldexp(static_cast<float>(f), -24)
                              : std::ldexp(static_cast<float>(f + 1024), e - 25);
        want = i & 0x8000 ? -want : want;
        CHECK_CASE(ah_test::identical(c.f, want), "%#x is %a", bits, static_cast<double>(c.f));
        CHECK_EQ(c.bits, bits);
        if (std::isnan(want))
            continue;
        float off = want * 1.0003f;
        if (off == 0) // clang multiplies and converts in one, by adding 0: -0 may become 0
            continue;
        u16 rn = nearest(off);
        auto down = [](u16 b) {
            return static_cast<u16>((b & 0x7fff) == 0 ? 0x8001 : b & 0x8000 ? b + 1 : b - 1);
        };
        auto up = [](u16 b) {
            return static_cast<u16>((b & 0x7fff) == 0 ? 0x0001 : b & 0x8000 ? b - 1 : b + 1);
        };
        u16 rd = value(rn) > off ? down(rn) : rn, ru = value(rn) < off ? up(rn) : rn;
        CHECK_CASE(c.rn == rn && c.rd == rd && c.ru == ru && c.rz == (off < 0 ? ru : rd),
                   "%a became %#x, %#x, %#x, %#x", static_cast<double>(off), c.rn, c.rd, c.ru,
                   c.rz);
        CHECK_EQ(c.from_double, nearest(want * 1.0001));
        if (std::isinf(want))
            continue;
        CHECK_EQ(c.i_rn, static_cast<int>(std::nearbyint(want)));
        CHECK_EQ(c.i_rd, static_cast<int>(std::floor(want)));
        CHECK_EQ(c.i_ru, static_cast<int>(std::ceil(want)));
        CHECK_EQ(c.i_rz, static_cast<int>(std::trunc(want)));
        CHECK_EQ(c.u_rn, want < 0 ? 0u : static_cast<unsigned>(std::nearbyint(want)));
        float s = std::nearbyint(want);
        CHECK_EQ(c.s_rn, static_cast<short>(s > 32767 ? 32767 : s < -32768 ? -32768 : s));
        CHECK_EQ(c.l_rd, static_cast<long long>(std::floor(want)));
    }
}

struct from_integers {
    u16 i[4], u[4], l[4], ul[4], s, us;
};
__global__ void convert_integers(from_integers *out, const long long *in, int n)
{
    int k = threadIdx.x;
    if (k >= n)
        return;
    int i = static_cast<int>(in[k]);
    unsigned u = static_cast<unsigned>(in[k]);
    unsigned long long ul = static_cast<unsigned long long>(in[k]);
#define ALL(name, v)                                                                               \
    {__half_as_ushort(__##name##2half_rd(v)), __half_as_ushort(__##name##2half_rn(v)),             \
     __half_as_ushort(__##name##2half_ru(v)), __half_as_ushort(__##name##2half_rz(v))}
    from_integers f = {ALL(int, i),
                       ALL(uint, u),
                       ALL(ll, in[k]),
                       ALL(ull, ul),
                       __half_as_ushort(__short2half_rn(static_cast<short>(i))),
                       __half_as_ushort(__ushort2half_rn(static_cast<u16>(i)))};
#undef ALL
    out[k] = f;
}
template <typename T> static void expect_rounded(const u16 got[4], T x)
{
    long double v = static_cast<long double>(x);
    u16 rn = nearest(v), rd = rn, ru = rn;
    if (static_cast<long double>(value(rn)) > v)
        rd = rn & 0x8000 ? rn + 1 : rn - 1;
    if (static_cast<long double>(value(rn)) < v)
        ru = rn & 0x8000 ? rn - 1 : rn + 1;
    CHECK_CASE(got[0] == rd && got[1] == rn && got[2] == ru && got[3] == (v < 0 ? ru : rd),
               "%Lg became %#x, %#x, %#x, %#x", v, got[0], got[1], got[2], got[3]);
}
__global__ void constants(__half *out)
{
    const __half all[] = {HIPRT_ZERO_FP16,       HIPRT_NEG_ZERO_FP16,   HIPRT_ONE_FP16,
                          HIPRT_MIN_DENORM_FP16, HIPRT_MAX_NORMAL_FP16, HIPRT_INF_FP16,
                          HIPRT_NAN_FP16};
    for (__half h : all)
        *out++ = h;
}
TEST("the constants have their values on host and device")
{
    ah_test::buffer<__half> out(7);
    constants<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    out.read();
    const float want[] = {0.0f, -0.0f, 1.0f, 0x1p-24f, 65504.0f, INFINITY};
    for (int i = 0; i < 6; ++i)
        CHECK(ah_test::identical(__half2float(out.host()[i]), want[i]));
    CHECK(is_nan(__half_as_ushort(out.host()[6])));
    CHECK_EQ(__half_as_ushort(HIPRT_MAX_NORMAL_FP16), 0x7bff);
}

TEST("integers become halves in every rounding")
{
    std::vector<long long> in = {0,
                                 1,
                                 -1,
                                 2047,
                                 2048,
                                 2049,
                                 -2049,
                                 2051,
                                 4098,
                                 65503,
                                 65504,
                                 65519,
                                 65520,
                                 -65520,
                                 65535,
                                 65536,
                                 100000,
                                 1ll << 31,
                                 (1ll << 31) - 1,
                                 -(1ll << 31),
                                 1ll << 40,
                                 -(1ll << 62)};
    int n = static_cast<int>(in.size());
    ah_test::buffer<long long> device(in);
    ah_test::buffer<from_integers> out(n);
    convert_integers<<<1, 64>>>(out.device(), device.device(), n);
    CHECK_LAUNCH();
    out.read();
    for (int k = 0; k < n; ++k) {
        const from_integers &f = out.host()[k];
        expect_rounded(f.i, static_cast<int>(in[k]));
        expect_rounded(f.u, static_cast<unsigned>(in[k]));
        expect_rounded(f.l, in[k]);
        expect_rounded(f.ul, static_cast<unsigned long long>(in[k]));
        CHECK_EQ(f.s, nearest(static_cast<short>(in[k])));
        CHECK_EQ(f.us, nearest(static_cast<u16>(in[k])));
    }
}

// ---- functions of one half ----

enum { unary_count = 20 };
__device__ void unary_all(__half h, __half *r)
{
    int k = 0;
    r[k++] = hceil(h), r[k++] = hfloor(h), r[k++] = hrint(h), r[k++] = htrunc(h);
    r[k++] = hsqrt(h), r[k++] = hrsqrt(h), r[k++] = hrcp(h);
    r[k++] = hexp(h), r[k++] = hexp2(h), r[k++] = hexp10(h);
    r[k++] = hlog(h), r[k++] = hlog2(h), r[k++] = hlog10(h);
    r[k++] = hsin(h), r[k++] = hcos(h);
    r[k++] = __hneg(h), r[k++] = __habs(h), r[k++] = -h, r[k++] = +h, r[k++] = htanh(h);
}
__global__ void apply_unary(u16 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half r[unary_count];
    unary_all(__ushort_as_half(static_cast<u16>(i)), r);
    for (int k = 0; k < unary_count; ++k)
        out[i * unary_count + k] = __half_as_ushort(r[k]);
}
// Powers and logarithms are the half nearest to the nearest float, on hardware and on simulated AMD
// devices. The code was made for the approximations of NVIDIA's hardware, and those of a simulated
// device have other errors.
static int not_nearest_allowed()
{
    return ah_test::is_amd() || ah_test::is_nvidia_driver() ? 0 : 6;
}
TEST("every half through every function of one argument")
{
    int not_nearest[unary_count] = {};
    ah_test::buffer<u16> out(65536 * unary_count);
    apply_unary<<<512, 128>>>(out.device());
    CHECK_LAUNCH();
    const std::vector<u16> &got = out.read();
    for (int i = 0; i < 65536; ++i) {
        long double x = value(static_cast<u16>(i));
        bool nan = is_nan(static_cast<u16>(i));
        const u16 want[unary_count] = {
            nearest(std::ceil(x)),
            nearest(std::floor(x)),
            nearest(std::nearbyint(x)),
            nearest(std::trunc(x)),
            nearest(std::sqrt(x)),
            nearest(1 / std::sqrt(x)),
            nearest(1 / x),
            nearest(static_cast<float>(std::exp(x))),
            nearest(static_cast<float>(std::exp2(x))),
            nearest(static_cast<float>(std::pow(10.0L, x))),
            nearest(static_cast<float>(std::log(x))),
            nearest(static_cast<float>(std::log2(x))),
            nearest(static_cast<float>(std::log10(x))),
            nearest(std::sin(x)),
            nearest(std::cos(x)),
            static_cast<u16>(i ^ 0x8000),
            static_cast<u16>(i & 0x7fff),
            static_cast<u16>(i ^ 0x8000),
            static_cast<u16>(i),
            nearest(std::tanh(x)),
        };
        for (int k = 0; k < unary_count; ++k) {
            u16 g = got[i * unary_count + k];
            /* exact ones to the bit, the others within a step */
            bool exact = k < 5 || k == 6 || (k > 14 && k < 19);
            bool right = nan && k != 16 ? is_nan(g) || k > 14
                         : exact        ? same(g, want[k])
                                        : near(g, want[k], 1);
            CHECK_CASE(right, "function %d of %#x is %#x, not %#x", k, i, g, want[k]);
            not_nearest[k] += !nan && !same(g, want[k]);
        }
    }
    for (int k = 7; k <= 12; ++k)
        CHECK_CASE(not_nearest[k] <= not_nearest_allowed(),
                   "function %d of %d halves is not the nearest", k, not_nearest[k]);
}

// ---- functions of two and three ----

enum { binary_count = 15 };
__device__ void binary_all(__half a, __half b, __half *r)
{
    int k = 0;
    r[k++] = __hadd(a, b), r[k++] = __hsub(a, b), r[k++] = __hmul(a, b), r[k++] = __hdiv(a, b);
    r[k++] = __hadd_sat(a, b), r[k++] = __hsub_sat(a, b), r[k++] = __hmul_sat(a, b);
    r[k++] = __hfma(a, b, a), r[k++] = __hmax(a, b), r[k++] = __hmin(a, b);
    r[k++] = a + b, r[k++] = a - b, r[k++] = a * b, r[k++] = a / b;
    r[k++] = __hmax_nan(a, b);
}
__global__ void apply_binary(u16 *out, u16 *out2, unsigned *compared, const u16 *a, const u16 *b,
                             int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half x = __ushort_as_half(a[i]), y = __ushort_as_half(b[i]), r[binary_count];
    binary_all(x, y, r);
    for (int k = 0; k < binary_count; ++k)
        out[i * binary_count + k] = __half_as_ushort(r[k]);
    /* the same for pairs: both arguments both ways round */
    __half2 p(x, y), q(y, x);
    __half2 pairs[6] = {__hadd2(p, q), __hsub2(p, q),    __hmul2(p, q),
                        __h2div(p, q), __hfma2(p, q, p), p + q * p};
    for (int k = 0; k < 6; ++k) {
        out2[i * 12 + 2 * k] = __half_as_ushort(__low2half(pairs[k]));
        out2[i * 12 + 2 * k + 1] = __half_as_ushort(__high2half(pairs[k]));
    }
    unsigned c = 0;
    int bit = 0;
#define COMPARED(test) c |= static_cast<unsigned>(test) << bit++
    COMPARED(__heq(x, y)), COMPARED(__hne(x, y)), COMPARED(__hlt(x, y)), COMPARED(__hle(x, y));
    COMPARED(__hgt(x, y)), COMPARED(__hge(x, y)), COMPARED(__hequ(x, y)), COMPARED(__hneu(x, y));
    COMPARED(__hltu(x, y)), COMPARED(__hleu(x, y)), COMPARED(__hgtu(x, y)), COMPARED(__hgeu(x, y));
    COMPARED(x == y), COMPARED(x != y), COMPARED(x < y), COMPARED(x <= y), COMPARED(x > y);
    COMPARED(x >= y), COMPARED(__hisnan(x)), COMPARED(__hisinf(x) != 0), COMPARED(__hbeq2(p, q));
    COMPARED(__hblt2(p, q)), COMPARED(__hbneu2(p, q));
    COMPARED(__half_as_ushort(__low2half(__hgt2(p, q))) == 0x3c00);
    COMPARED(__half_as_ushort(__high2half(__hgt2(p, q))) == 0x3c00);
#undef COMPARED
    compared[i] = c;
}
TEST("pairs of halves through arithmetic and comparisons")
{
    std::vector<u16> a, b;
    const u16 special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00, 0x4000,
                           0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x0200, 0x5140};
    for (u16 x : special)
        for (u16 y : special)
            a.push_back(x), b.push_back(y);
    std::mt19937 random(12);
    for (int i = 0; i < 20000; ++i)
        a.push_back(static_cast<u16>(random())), b.push_back(static_cast<u16>(random()));
    int n = static_cast<int>(a.size());
    ah_test::buffer<u16> da(a), db(b), out(n * binary_count), out2(n * 12);
    ah_test::buffer<unsigned> compared(n);
    apply_binary<<<(n + 127) / 128, 128>>>(out.device(), out2.device(), compared.device(),
                                           da.device(), db.device(), n);
    CHECK_LAUNCH();
    out.read(), out2.read(), compared.read();
    auto saturated = [](u16 h) {
        float v = value(h);
        return v > 0 ? (v < 1 ? h : static_cast<u16>(0x3c00)) : static_cast<u16>(0);
    };
    for (int i = 0; i < n; ++i) {
        long double x = value(a[i]), y = value(b[i]);
        bool xn = is_nan(a[i]), yn = is_nan(b[i]);
        u16 add = nearest(x + y), sub = nearest(x - y), mul = nearest(x * y), div = nearest(x / y);
        u16 fma = nearest(x * y + x); /* exact in long double before the rounding */
        u16 most = xn            ? b[i]
                   : yn || x > y ? a[i]
                                 : b[i],
            least = xn            ? b[i]
                    : yn || x < y ? a[i]
                                  : b[i];
        const u16 want[binary_count] = {add,
                                        sub,
                                        mul,
                                        div,
                                        saturated(add),
                                        saturated(sub),
                                        saturated(mul),
                                        fma,
                                        most,
                                        least,
                                        add,
                                        sub,
                                        mul,
                                        div,
                                        xn || yn ? static_cast<u16>(0x7e00) : most};
        for (int k = 0; k < binary_count; ++k) {
            u16 g = out.host()[i * binary_count + k];
            bool zeros = (k >= 8 && k <= 9) || k == 14 || (k >= 4 && k <= 6);
            CHECK_CASE(same(g, want[k]) || (zeros && !((g | want[k]) & 0x7fff)),
                       "function %d of (%#x, %#x) is %#x, not %#x", k, a[i], b[i], g, want[k]);
        }
        const u16 want2[12] = {add,
                               add,
                               sub,
                               nearest(y - x),
                               mul,
                               mul,
                               div,
                               nearest(y / x),
                               fma,
                               nearest(x * y + y),
                               nearest(x + value(nearest(y * x))),
                               nearest(y + value(nearest(x * y)))};
        for (int k = 0; k < 12; ++k) {
            u16 g = out2.host()[i * 12 + k];
            /* the last two may have been fused into one rounding */
            bool right =
                same(g, want2[k]) || (k >= 10 && same(g, nearest(k == 10 ? x * y + x : x * y + y)));
            CHECK_CASE(right, "pair function %d of (%#x, %#x) is %#x, not %#x", k, a[i], b[i], g,
                       want2[k]);
        }
        bool o = !xn && !yn, eq = o && x == y, lt = o && x < y, gt = o && x > y;
        const bool tests[25] = {
            eq,       o && !eq,       lt,       lt || eq,       gt, gt || eq, eq || !o, !eq,
            lt || !o, lt || eq || !o, gt || !o, gt || eq || !o, eq, !eq,      lt,       lt || eq,
            gt,       gt || eq,       xn,       std::isinf(x),  eq, lt && gt, !eq,      gt,
            lt};
        for (int k = 0; k < 25; ++k)
            CHECK_CASE(((compared.host()[i] >> k & 1) != 0) == tests[k],
                       "comparison %d of (%#x, %#x)", k, a[i], b[i]);
    }
}

// ---- pairs, parts, conversions by assignment ----

__global__ void rearrange(float *out, __half2 a, __half2 b)
{
    __half2 r[9] = {__low2half2(a),           __high2half2(a),      __lows2half2(a, b),
                    __highs2half2(a, b),      __lowhigh2highlow(a), __half2half2(a.y),
                    __halves2half2(a.y, b.x), make_half2(b.x, a.x), __float2half2_rn(2.5f)};
    for (int k = 0; k < 9; ++k) {
        float2 f = __half22float2(r[k]);
        out[2 * k] = f.x;
        out[2 * k + 1] = f.y;
    }
    out[18] = __low2float(a) + __high2float(b);
    half h = 3, g = 0.5;
    h += g;
    h *= half(2);
    ++h;
    float f = h;
    int i = h;
    out[19] = f + i;
    half2 c = __float22half2_rn(make_float2(1.5f, -2.0f));
    c += half2(h, h);
    c--;
    out[20] = static_cast<float>(c.x) * 100 + static_cast<float>(c.y);
    out[21] = amd_mixed_dot(a, b, 1.0f, false);
    out[22] = h > g && !(h == g) && c != a;
}
TEST("pairs of which neither is less are at least as large as each other, as in HIP")
{
    half2 a(half(5), half(8)), b(half(2), half(10));
    CHECK(!(a < b) && !(b < a) && !(a > b) && a != b);
    CHECK(a >= b && b >= a && a <= b && b <= a);
    CHECK(half2(half(2), half(8)) <= half2(half(2), half(10)));
    CHECK(!(half2(half(3), half(9)) <= half2(half(2), half(8))));
}
TEST("pairs are split and combined, and halves convert by assignment")
{
    ah_test::buffer<float> out(23);
    rearrange<<<1, 1>>>(out.device(), __floats2half2_rn(1, 2), __floats2half2_rn(3, 4));
    CHECK_LAUNCH();
    out.read();
    const float want[23] = {1, 1, 2, 2, 1,    3,    2, 4,  2,       1,  2, 2,
                            2, 3, 3, 1, 2.5f, 2.5f, 5, 16, 850 + 5, 12, 1};
    for (int i = 0; i < 23; ++i)
        CHECK_CASE(out.host()[i] == want[i], "row %d is %g", i, static_cast<double>(out.host()[i]));
}

// ---- atomics ----

__global__ void add_up(__half *sum, __half2 *pairs, __half *odd)
{
    atomicAdd(sum, __half(1.0f));
    atomicAdd(pairs, __half2(__half(1.0f), __half(-0.5f)));
    atomicAdd(odd + 1, __half(2.0f)); /* the upper half of a word */
}
TEST("atomicAdd adds halves and pairs of them")
{
    ah_test::buffer<__half> sum(2), odd(2);
    ah_test::buffer<__half2> pairs(1);
    add_up<<<4, 64>>>(sum.device(), pairs.device(), odd.device());
    CHECK_LAUNCH();
    CHECK_EQ(__half2float(sum.read()[0]), 256.0f);
    CHECK_EQ(__half2float(sum.read()[1]), 0.0f);
    CHECK_EQ(__low2float(pairs.read()[0]), 256.0f);
    CHECK_EQ(__high2float(pairs.read()[0]), -128.0f);
    CHECK_EQ(__half2float(odd.read()[0]), 0.0f);
    CHECK_EQ(__half2float(odd.read()[1]), 512.0f);
}

HIP_TEST_MAIN
