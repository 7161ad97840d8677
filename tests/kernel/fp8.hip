// Numbers of 8 bits: every one of them, what every half becomes, pairs and fours, on the device
// as on the host, against arithmetic in double from the definition of the formats.
#include "../support/hip_test.h"

#include <hip/hip_fp8.h>

struct format {
    __hip_fp8_interpretation_t interpretation;
    int mantissa, bias;
    double largest;
    bool infinite, one_zero;
};
static const format formats[4] = {{__HIP_E4M3, 3, 7, 448, false, false},
                                  {__HIP_E5M2, 2, 15, 57344, true, false},
                                  {__HIP_E4M3_FNUZ, 3, 8, 240, false, true},
                                  {__HIP_E5M2_FNUZ, 2, 16, 57344, false, true}};

static double value_of(const format &f, int code)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    int rest = code & 0x7f, exponent = rest >> f.mantissa,
        fraction = rest & ((1 << f.mantissa) - 1);
    if (f.one_zero && code == 0x80)
        return nan;
    double v = exponent == 0
                   ? std::ldexp(fraction, 1 - f.bias - f.mantissa)
                   : std::ldexp(fraction + (1 << f.mantissa), exponent - f.bias - f.mantissa);
    if (!f.one_zero && v > f.largest)
        v = f.infinite && fraction == 0 ? std::numeric_limits<double>::infinity() : nan;
    return code & 0x80 ? -v : v;
}

// The code of the nearest number, to even, by looking at all of them.
static int code_of(const format &f, double x, bool saturate)
{
    int sign = std::signbit(x) ? 0x80 : 0;
    double a = std::fabs(x);
    if (std::isnan(x))
        return f.one_zero ? 0x80 : 0x7f | sign;
    if (a > f.largest) {
        int largest = 0;
        while (value_of(f, largest) != f.largest)
            ++largest;
        return saturate ? largest | sign : f.one_zero ? 0x80 : (f.infinite ? 0x7c : 0x7f) | sign;
    }
    int best = 0;
    for (int code = 1; code < 0x80; ++code) {
        double v = value_of(f, code), off = std::fabs(v - a),
               least = std::fabs(value_of(f, best) - a);
        if (off < least || (off == least && (code & 1) == 0))
            best = code;
    }
    return best == 0 && f.one_zero ? 0 : best | sign;
}

// ---- every number ----

__global__ void decode(float *out, unsigned short *halves,
                       __hip_fp8_interpretation_t interpretation)
{
    unsigned char code = static_cast<unsigned char>(threadIdx.x);
    __half_raw raw = __hip_cvt_fp8_to_halfraw(code, interpretation);
    halves[code] = raw.x;
    switch (interpretation) {
    case __HIP_E4M3: {
        __hip_fp8_e4m3 v;
        v.__x = code;
        out[code] = static_cast<float>(v);
        break;
    }
    case __HIP_E5M2: {
        __hip_fp8_e5m2 v;
        v.__x = code;
        out[code] = static_cast<float>(v);
        break;
    }
    case __HIP_E4M3_FNUZ: {
        __hip_fp8_e4m3_fnuz v;
        v.__x = code;
        out[code] = static_cast<float>(v);
        break;
    }
    default: {
        __hip_fp8_e5m2_fnuz v;
        v.__x = code;
        out[code] = static_cast<float>(v);
    }
    }
}
TEST("every number converts to float and back")
{
    for (const format &f : formats) {
        ah_test::buffer<float> out(256);
        ah_test::buffer<unsigned short> halves(256);
        decode<<<1, 256>>>(out.device(), halves.device(), f.interpretation);
        CHECK_LAUNCH();
        for (int code = 0; code < 256; ++code) {
            float want = static_cast<float>(value_of(f, code));
            CHECK_CASE(ah_test::identical(out.read()[code], want), "format %d, code %#x: %a",
                       f.interpretation, code, static_cast<double>(out.host()[code]));
            __half_raw raw;
            raw.x = halves.read()[code];
            CHECK_CASE(ah_test::identical(static_cast<float>(__half(raw)), want),
                       "format %d, code %#x as a half", f.interpretation, code);
            if (!std::isnan(want)) {
                unsigned char back = __hip_cvt_float_to_fp8(want, __HIP_NOSAT, f.interpretation);
                CHECK_CASE(back == code, "format %d, code %#x came back as %#x", f.interpretation,
                           code, back);
            }
        }
    }
}

// ---- to 8 bits ----

// A NaN may lose its sign on the way through a processor's conversions.
static bool same(const format &f, int got, int want)
{
    bool nan = std::isnan(value_of(f, want));
    return nan ? std::isnan(value_of(f, got)) : got == want;
}

struct codes {
    unsigned char from_half, from_float, from_double, from_bfloat, saturated;
};
__global__ void encode(codes *out, __hip_fp8_interpretation_t interpretation)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half_raw raw;
    raw.x = static_cast<unsigned short>(i);
    __hip_bfloat16_raw braw = {static_cast<unsigned short>(i)};
    float v = __half2float(__half(raw));
    out[i] = {__hip_cvt_halfraw_to_fp8(raw, __HIP_NOSAT, interpretation),
              __hip_cvt_float_to_fp8(v, __HIP_NOSAT, interpretation),
              __hip_cvt_double_to_fp8(static_cast<double>(v), __HIP_NOSAT, interpretation),
              __hip_cvt_bfloat16raw_to_fp8(braw, __HIP_NOSAT, interpretation),
              __hip_cvt_float_to_fp8(v, __HIP_SATFINITE, interpretation)};
}
TEST("every half converts, saturated and not")
{
    for (const format &f : formats) {
        ah_test::buffer<codes> out(65536);
        encode<<<256, 256>>>(out.device(), f.interpretation);
        CHECK_LAUNCH();
        std::vector<codes> &got = out.read();
        for (int i = 0; i < 65536; ++i) {
            __half_raw raw;
            raw.x = static_cast<unsigned short>(i);
            double x = static_cast<double>(static_cast<float>(__half(raw)));
            std::uint32_t b = static_cast<std::uint32_t>(i) << 16;
            float bf;
            std::memcpy(&bf, &b, sizeof bf);
            int want = code_of(f, x, false);
            CHECK_CASE(same(f, got[i].from_half, want) && same(f, got[i].from_float, want) &&
                           same(f, got[i].from_double, want),
                       "format %d, %a: %#x, not %#x", f.interpretation, x, got[i].from_float, want);
            CHECK_CASE(same(f, got[i].saturated, code_of(f, x, true)),
                       "format %d, %a saturated: %#x", f.interpretation, x, got[i].saturated);
            CHECK_CASE(same(f, got[i].from_bfloat, code_of(f, static_cast<double>(bf), false)),
                       "format %d, bfloat %a: %#x", f.interpretation, static_cast<double>(bf),
                       got[i].from_bfloat);
            /* the host does the same */
            CHECK(same(f, __hip_cvt_halfraw_to_fp8(raw, __HIP_NOSAT, f.interpretation), want));
        }
    }
}
TEST("a double is rounded once")
{
    for (const format &f : formats) {
        /* just above and below the middle of two numbers, by less than a float can tell */
        double low = value_of(f, 0x38), high = value_of(f, 0x39), middle = (low + high) / 2;
        CHECK_EQ(__hip_cvt_double_to_fp8(middle, __HIP_NOSAT, f.interpretation), 0x38);
        CHECK_EQ(__hip_cvt_double_to_fp8(middle * (1 + 1e-12), __HIP_NOSAT, f.interpretation),
                 0x39);
        CHECK_EQ(
            __hip_cvt_double_to_fp8(value_of(f, 0x39) * (1 - 1e-12), __HIP_NOSAT, f.interpretation),
            0x39);
    }
}

// ---- classes ----

__global__ void convert_classes(double *out, float x, int n)
{
    int k = 0;
    __hip_fp8_e4m3 a(x), b = n;
    __hip_fp8_e5m2 c(static_cast<double>(x)), d{__half(x)};
    __hip_fp8_e4m3_fnuz e{__hip_bfloat16(x)}, f(static_cast<unsigned short>(n));
    __hip_fp8_e5m2_fnuz g(static_cast<long>(n)), h(1e9f);
    out[k++] = static_cast<double>(a);
    out[k++] = static_cast<float>(b);
    out[k++] = static_cast<int>(c);
    out[k++] = __half2float(static_cast<__half>(d));
    out[k++] = static_cast<float>(static_cast<__hip_bfloat16>(e));
    out[k++] = static_cast<unsigned char>(f);
    out[k++] = static_cast<double>(static_cast<long long>(g));
    out[k++] = static_cast<double>(static_cast<short>(h));
    out[k++] = a ? 1 : 0;
    out[k++] = __hip_fp8_e4m3(0.0f) ? 1 : 0;
    a = b;
    out[k++] = static_cast<float>(a);
    out[k++] = static_cast<signed char>(__hip_fp8_e4m3(-300));
    out[k++] = static_cast<unsigned int>(__hip_fp8_e4m3(-3.0f));
}
TEST("classes convert by construction and assignment")
{
    ah_test::buffer<double> out(13);
    convert_classes<<<1, 1>>>(out.device(), -2.3f, 100);
    CHECK_LAUNCH();
    const double want[13] = {-2.25, 96, -2, -2.5, -2.25, 96, 96, 32767, 1, 0, 96, -128, 0};
    for (int i = 0; i < 13; ++i)
        CHECK_CASE(out.read()[i] == want[i], "row %d: %g, not %g", i, out.host()[i], want[i]);
    static_assert(sizeof(__hip_fp8_e4m3) == 1 && sizeof(__hip_fp8x2_e5m2) == 2 &&
                  sizeof(__hip_fp8x4_e4m3_fnuz) == 4);
    static_assert(std::is_trivially_copyable_v<__hip_fp8_e5m2> &&
                  std::is_trivially_default_constructible_v<__hip_fp8x4_e4m3>);
}

template <typename One, typename Two, typename Four>
__device__ void several(float *out, float4 v, __hip_fp8_interpretation_t interpretation)
{
    Two pair(make_float2(v.x, v.y)), halves(__floats2half2_rn(v.z, v.w)),
        doubles(make_double2(static_cast<double>(v.x), static_cast<double>(v.y))),
        bfloats(__floats2bfloat162_rn(v.z, v.w));
    Four four(v), from_halves(__floats2half2_rn(v.x, v.y), __floats2half2_rn(v.z, v.w)),
        from_bfloats(__floats2bfloat162_rn(v.x, v.y), __floats2bfloat162_rn(v.z, v.w)),
        from_doubles(make_double4(static_cast<double>(v.x), static_cast<double>(v.y),
                                  static_cast<double>(v.z), static_cast<double>(v.w)));
    float2 f = static_cast<float2>(pair), h = __half22float2(static_cast<__half2>(halves)),
           d = static_cast<float2>(doubles), b = static_cast<float2>(bfloats);
    float4 all = static_cast<float4>(four), all_h = static_cast<float4>(from_halves),
           all_b = static_cast<float4>(from_bfloats), all_d = static_cast<float4>(from_doubles);
    const float want[4] = {static_cast<float>(One(v.x)), static_cast<float>(One(v.y)),
                           static_cast<float>(One(v.z)), static_cast<float>(One(v.w))};
    bool right = f.x == want[0] && f.y == want[1] && h.x == want[2] && h.y == want[3] &&
                 d.x == want[0] && d.y == want[1] && b.x == want[2] && b.y == want[3];
    const float4 fours[4] = {all, all_h, all_b, all_d};
    for (const float4 &a : fours)
        right = right && a.x == want[0] && a.y == want[1] && a.z == want[2] && a.w == want[3];
    __half2_raw raw = static_cast<__half2_raw>(__floats2half2_rn(v.x, v.y));
    __hip_bfloat162_raw braw = static_cast<__hip_bfloat162_raw>(__floats2bfloat162_rn(v.x, v.y));
    right =
        right &&
        __hip_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __HIP_SATFINITE, interpretation) ==
            pair.__x &&
        __hip_cvt_double2_to_fp8x2(make_double2(static_cast<double>(v.x), static_cast<double>(v.y)),
                                   __HIP_SATFINITE, interpretation) == pair.__x &&
        __hip_cvt_halfraw2_to_fp8x2(raw, __HIP_SATFINITE, interpretation) == pair.__x &&
        __hip_cvt_bfloat16raw2_to_fp8x2(braw, __HIP_SATFINITE, interpretation) == pair.__x;
    float2 back = __half22float2(__half2(__hip_cvt_fp8x2_to_halfraw2(pair.__x, interpretation)));
    *out = right && back.x == want[0] && back.y == want[1] ? want[0] : -1000;
}
__global__ void convert_several(float *out, float4 v)
{
    several<__hip_fp8_e4m3, __hip_fp8x2_e4m3, __hip_fp8x4_e4m3>(out, v, __HIP_E4M3);
    several<__hip_fp8_e5m2, __hip_fp8x2_e5m2, __hip_fp8x4_e5m2>(out + 1, v, __HIP_E5M2);
    several<__hip_fp8_e4m3_fnuz, __hip_fp8x2_e4m3_fnuz, __hip_fp8x4_e4m3_fnuz>(out + 2, v,
                                                                               __HIP_E4M3_FNUZ);
    several<__hip_fp8_e5m2_fnuz, __hip_fp8x2_e5m2_fnuz, __hip_fp8x4_e5m2_fnuz>(out + 3, v,
                                                                               __HIP_E5M2_FNUZ);
}
TEST("pairs and fours convert together")
{
    ah_test::buffer<float> out(4);
    convert_several<<<1, 1>>>(out.device(), make_float4(1.25f, -7.0f, 0.375f, 100.0f));
    CHECK_LAUNCH();
    for (float v : out.read())
        CHECK_EQ(v, 1.25f);
}

HIP_TEST_MAIN
