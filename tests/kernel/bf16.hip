// Brain floating point: __hip_bfloat16 and the older hip_bfloat16, against float arithmetic
// rounded once on the host.
#include "../support/hip_test.h"

#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>

typedef unsigned short u16;
typedef __hip_bfloat16 bf16;
typedef __hip_bfloat162 bf162;

static bool is_nan(u16 bits)
{
    return (bits & 0x7fff) > 0x7f80;
}
static float value(u16 bits)
{
    std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
    float f;
    std::memcpy(&f, &word, sizeof f);
    return f;
}
// To nearest even by comparing with both neighbours.
static u16 nearest(long double x)
{
    if (std::isnan(x))
        return 0x7fc0;
    float f = static_cast<float>(x);
    if (std::isinf(f) && std::fabs(x) < 3.4e38L)
        f = std::nextafter(f, 0.0f);
    std::uint32_t word;
    std::memcpy(&word, &f, sizeof word);
    u16 low = static_cast<u16>(word >> 16); /* toward zero, or one too far if f was rounded up */
    if (std::fabs(static_cast<long double>(value(low))) > std::fabs(x))
        --low;
    if ((low & 0x7fff) == 0x7f80)
        return low;
    u16 high = static_cast<u16>(low + 1);
    /* past the largest the next step counts as a finite number too */
    long double up = (high & 0x7fff) == 0x7f80 ? std::ldexp(1.0L, 128)
                                               : std::fabs(static_cast<long double>(value(high)));
    long double below = std::fabs(x) - std::fabs(static_cast<long double>(value(low)));
    long double above = up - std::fabs(x);
    return above < below || (above == below && (low & 1)) ? high : low;
}
static bool same(u16 got, u16 want)
{
    return is_nan(want) ? is_nan(got) : got == want;
}
static bool near(u16 got, u16 want)
{
    if (is_nan(want) || is_nan(got))
        return is_nan(want) && is_nan(got);
    auto place = [](u16 b) { return b & 0x8000 ? -(b & 0x7fff) : b; };
    return std::abs(place(got) - place(want)) <= 1;
}

struct conversions {
    float f;
    u16 bits, rounded, from_double;
    int i;
    bool nan;
    int inf;
};
__global__ void convert_all(conversions *out, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bf16 b = __ushort_as_bfloat16(static_cast<u16>(i));
    conversions c;
    c.f = __bfloat162float(b);
    c.bits = __bfloat16_as_ushort(b);
    c.rounded = __bfloat16_as_ushort(__float2bfloat16(c.f * factor));
    c.from_double = __bfloat16_as_ushort(__double2bfloat16(c.f * 1.001953125000001));
    c.i = fabsf(c.f) < 1e9f ? static_cast<int>(b) : 0;
    c.nan = __hisnan(b);
    c.inf = __hisinf(b);
    out[i] = c;
}
TEST("every brain float converts to float, from float and double, and to int")
{
    const float factor = 1.005f;
    ah_test::buffer<conversions> out(65536);
    convert_all<<<256, 256>>>(out.device(), factor);
    CHECK_LAUNCH();
    out.read();
    for (int i = 0; i < 65536; ++i) {
        u16 bits = static_cast<u16>(i);
        const conversions &c = out.host()[i];
        float f = value(bits);
        CHECK(ah_test::identical(c.f, f));
        CHECK_EQ(c.bits, bits);
        CHECK_EQ(c.nan, is_nan(bits));
        CHECK_EQ(c.inf, (bits & 0x7fff) == 0x7f80);
        CHECK_CASE(same(c.rounded, nearest(f * factor)), "%a became %#x",
                   static_cast<double>(f * factor), c.rounded);
        CHECK_CASE(same(c.from_double, nearest(f * 1.001953125000001)), "%a became %#x",
                   f * 1.001953125000001, c.from_double);
        CHECK_EQ(c.i, std::fabs(f) < 1e9f ? static_cast<int>(f) : 0);
    }
}

__global__ void constants(bf16 *out)
{
    const bf16 all[] = {HIPRT_ZERO_BF16,       HIPRT_NEG_ZERO_BF16,   HIPRT_ONE_BF16,
                        HIPRT_MIN_DENORM_BF16, HIPRT_MAX_NORMAL_BF16, HIPRT_INF_BF16,
                        HIPRT_NAN_BF16};
    for (bf16 b : all)
        *out++ = b;
}
TEST("the constants have their values on host and device")
{
    ah_test::buffer<bf16> out(7);
    constants<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    out.read();
    const float want[] = {0.0f, -0.0f, 1.0f, 0x1p-133f, 0x1.fep+127f, INFINITY};
    for (int i = 0; i < 6; ++i)
        CHECK(ah_test::identical(__bfloat162float(out.host()[i]), want[i]));
    CHECK(is_nan(__bfloat16_as_ushort(out.host()[6])));
    CHECK_EQ(__bfloat16_as_ushort(HIPRT_MAX_NORMAL_BF16), 0x7f7f);
}

enum { unary_count = 18 };
__global__ void apply_unary(u16 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bf16 h = __ushort_as_bfloat16(static_cast<u16>(i));
    bf16 r[unary_count] = {hceil(h),  hfloor(h), hrint(h), htrunc(h), hsqrt(h),  hrcp(h),
                           hrsqrt(h), hexp(h),   hexp2(h), hexp10(h), hlog(h),   hlog2(h),
                           hlog10(h), hsin(h),   hcos(h),  __hneg(h), __habs(h), htanh(h)};
    for (int k = 0; k < unary_count; ++k)
        out[i * unary_count + k] = __bfloat16_as_ushort(r[k]);
}
TEST("every brain float through every function of one argument")
{
    ah_test::buffer<u16> out(65536 * unary_count);
    apply_unary<<<512, 128>>>(out.device());
    CHECK_LAUNCH();
    const std::vector<u16> &got = out.read();
    for (int i = 0; i < 65536; ++i) {
        u16 bits = static_cast<u16>(i);
        long double x = value(bits);
        const u16 want[unary_count] = {
            nearest(std::ceil(x)),        nearest(std::floor(x)),       nearest(std::nearbyint(x)),
            nearest(std::trunc(x)),       nearest(std::sqrt(x)),        nearest(1 / x),
            nearest(1 / std::sqrt(x)),    nearest(std::exp(x)),         nearest(std::exp2(x)),
            nearest(std::pow(10.0L, x)),  nearest(std::log(x)),         nearest(std::log2(x)),
            nearest(std::log10(x)),       nearest(std::sin(x)),         nearest(std::cos(x)),
            static_cast<u16>(i ^ 0x8000), static_cast<u16>(i & 0x7fff), nearest(std::tanh(x))};
        for (int k = 0; k < unary_count; ++k) {
            u16 g = got[i * unary_count + k];
            bool exact = k < 6 || k == 15 || k == 16;
            bool right = is_nan(bits) ? is_nan(g) || k == 16
                         : exact      ? same(g, want[k])
                                      : near(g, want[k]);
            CHECK_CASE(right, "function %d of %#x is %#x, not %#x", k, i, g, want[k]);
        }
    }
}

enum { binary_count = 11 };
__global__ void apply_binary(u16 *out, u16 *out2, unsigned *compared, const u16 *a, const u16 *b,
                             int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    bf16 x = __ushort_as_bfloat16(a[i]), y = __ushort_as_bfloat16(b[i]);
    bf16 r[binary_count] = {__hadd(x, y),    __hsub(x, y), __hmul(x, y), __hdiv(x, y),
                            x + y,           x - y,        x * y,        x / y,
                            __hfma(x, y, x), __hmax(x, y), __hmin(x, y)};
    for (int k = 0; k < binary_count; ++k)
        out[i * binary_count + k] = __bfloat16_as_ushort(r[k]);
    bf162 p(x, y), q(y, x), s[4] = {__hadd2(p, q), __hsub2(p, q), __hmul2(p, q), p / q};
    for (int k = 0; k < 4; ++k) {
        out2[i * 8 + 2 * k] = __bfloat16_as_ushort(__low2bfloat16(s[k]));
        out2[i * 8 + 2 * k + 1] = __bfloat16_as_ushort(__high2bfloat16(s[k]));
    }
    unsigned c = 0;
    int bit = 0;
#define COMPARED(test) c |= static_cast<unsigned>(test) << bit++
    COMPARED(__heq(x, y)), COMPARED(__hne(x, y)), COMPARED(__hlt(x, y)), COMPARED(__hle(x, y));
    COMPARED(__hgt(x, y)), COMPARED(__hge(x, y)), COMPARED(__hequ(x, y)), COMPARED(__hgtu(x, y));
    COMPARED(x == y), COMPARED(x != y), COMPARED(x < y), COMPARED(x >= y), COMPARED(__hbeq2(p, q));
#undef COMPARED
    compared[i] = c;
}
TEST("pairs of brain floats through arithmetic and comparisons")
{
    std::vector<u16> a, b;
    const u16 special[] = {0,      0x8000, 1,      0x8001, 0x80,   0x3f80, 0xbf80,
                           0x4000, 0x3eab, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0};
    for (u16 x : special)
        for (u16 y : special)
            a.push_back(x), b.push_back(y);
    std::mt19937 random(13);
    for (int i = 0; i < 10000; ++i) {
        a.push_back(static_cast<u16>(random()));
        /* half of them of a like exponent, so that sums are not one operand alone */
        b.push_back(static_cast<u16>(i % 2 ? random() : (a.back() & 0xff80) ^ (random() & 0x81ff)));
    }
    int n = static_cast<int>(a.size());
    ah_test::buffer<u16> da(a), db(b), out(n * binary_count), out2(n * 8);
    ah_test::buffer<unsigned> compared(n);
    apply_binary<<<(n + 127) / 128, 128>>>(out.device(), out2.device(), compared.device(),
                                           da.device(), db.device(), n);
    CHECK_LAUNCH();
    out.read(), out2.read(), compared.read();
    for (int i = 0; i < n; ++i) {
        float fx = value(a[i]), fy = value(b[i]);
        bool xn = is_nan(a[i]), yn = is_nan(b[i]);
        /* float arithmetic, then the rounding: for one operation the same as one rounding */
        u16 add = nearest(fx + fy), sub = nearest(fx - fy), mul = nearest(fx * fy),
            div = nearest(fx / fy);
        u16 fma = nearest(std::fma(fx, fy, fx));
        u16 most = xn              ? b[i]
                   : yn || fx > fy ? a[i]
                                   : b[i],
            least = xn              ? b[i]
                    : yn || fx < fy ? a[i]
                                    : b[i];
        const u16 want[binary_count] = {add, sub, mul, div, add, sub, mul, div, fma, most, least};
        for (int k = 0; k < binary_count; ++k)
            CHECK_CASE(same(out.host()[i * binary_count + k], want[k]),
                       "function %d of (%#x, %#x) is %#x, not %#x", k, a[i], b[i],
                       out.host()[i * binary_count + k], want[k]);
        const u16 want2[8] = {add, add, sub, nearest(fy - fx), mul, mul, div, nearest(fy / fx)};
        for (int k = 0; k < 8; ++k)
            CHECK_CASE(same(out2.host()[i * 8 + k], want2[k]), "pair function %d of (%#x, %#x)", k,
                       a[i], b[i]);
        bool o = !xn && !yn, eq = o && fx == fy, lt = o && fx < fy, gt = o && fx > fy;
        const bool tests[13] = {eq,       o && !eq, lt,  lt || eq, gt,       gt || eq, eq || !o,
                                gt || !o, eq,       !eq, lt,       gt || eq, eq};
        for (int k = 0; k < 13; ++k)
            CHECK_CASE(((compared.host()[i] >> k & 1) != 0) == tests[k],
                       "comparison %d of (%#x, %#x)", k, a[i], b[i]);
    }
}

__global__ void rearrange(float *out, bf162 a, bf162 b)
{
    bf162 r[7] = {__low2bfloat162(a),          __high2bfloat162(a),  __lows2bfloat162(a, b),
                  __highs2bfloat162(a, b),     __lowhigh2highlow(a), __bfloat162bfloat162(a.y),
                  __halves2bfloat162(a.y, b.x)};
    for (int k = 0; k < 7; ++k) {
        float2 f = __bfloat1622float2(r[k]);
        out[2 * k] = f.x;
        out[2 * k + 1] = f.y;
    }
    bf16 h = 3;
    h += bf16(0.5f);
    h *= bf16(2);
    ++h;
    float f = h;
    out[14] = f + static_cast<int>(h);
    bf162 c = __float22bfloat162_rn(make_float2(1.5f, -2.0f));
    c += bf162(h, h);
    out[15] = __low2float(c) * 100 + __high2float(c);
}
TEST("pairs are split and combined, and brain floats convert by assignment")
{
    ah_test::buffer<float> out(16);
    rearrange<<<1, 1>>>(out.device(), __floats2bfloat162_rn(1, 2), __floats2bfloat162_rn(3, 4));
    CHECK_LAUNCH();
    out.read();
    const float want[16] = {1, 1, 2, 2, 1, 3, 2, 4, 2, 1, 2, 2, 2, 3, 16, 956};
    for (int i = 0; i < 16; ++i)
        CHECK_CASE(out.host()[i] == want[i], "row %d is %g", i, static_cast<double>(out.host()[i]));
}

__global__ void add_up(bf16 *sum, bf162 *pairs)
{
    atomicAdd(sum + 1, bf16(1.0f));
    atomicAdd(pairs, bf162(bf16(1.0f), bf16(-0.5f)));
}
TEST("atomicAdd adds brain floats and pairs of them")
{
    ah_test::buffer<bf16> sum(2);
    ah_test::buffer<bf162> pairs(1);
    add_up<<<2, 64>>>(sum.device(), pairs.device());
    CHECK_LAUNCH();
    CHECK_EQ(__bfloat162float(sum.read()[0]), 0.0f);
    CHECK_EQ(__bfloat162float(sum.read()[1]), 128.0f);
    CHECK_EQ(__low2float(pairs.read()[0]), 128.0f);
    CHECK_EQ(__high2float(pairs.read()[0]), -64.0f);
}

__global__ void older_type(hip_bfloat16 *out, const hip_bfloat16 *in, float f)
{
    hip_bfloat16 a = in[0], b = in[1];
    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = a / b;
    out[4] = -a;
    out[5] = hip_bfloat16(f);
    out[6] = hip_bfloat16(f, hip_bfloat16::truncate);
    a += b;
    ++a;
    out[7] = a;
    out[8] = f;
    out[9] = hip_bfloat16(a > b && a != b && !std::isnan(a) ? 1.0f : 0.0f);
    out[10] = hip_bfloat16::round_to_bfloat16(sqrtf(float(b)));
}
TEST("hip_bfloat16 computes on host and device alike")
{
    ah_test::buffer<hip_bfloat16> in({hip_bfloat16(3.0f), hip_bfloat16(0.4f)}), out(11);
    const float f = 1.00390625f + 0.001f;
    older_type<<<1, 1>>>(out.device(), in.device(), f);
    CHECK_LAUNCH();
    out.read();
    hip_bfloat16 a = in.read()[0], b = in.read()[1], c = a + b;
    ++c;
    const u16 want[11] = {(a + b).data,
                          (a - b).data,
                          (a * b).data,
                          (a / b).data,
                          (-a).data,
                          nearest(f),
                          0x3f80,
                          c.data,
                          nearest(f),
                          0x3f80,
                          nearest(std::sqrt(static_cast<float>(b)))};
    for (int i = 0; i < 11; ++i)
        CHECK_CASE(out.host()[i].data == want[i], "row %d is %#x, not %#x", i, out.host()[i].data,
                   want[i]);
}

HIP_TEST_MAIN
