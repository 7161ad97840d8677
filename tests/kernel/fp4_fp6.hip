// Numbers of 4 and 6 bits: every one of them, what every half, every brain float and floats between
// those become, pairs and fours, on the device as on the host, against arithmetic in double.
#include "small_float.h"

#include <hip/hip_fp4.h>
#include <hip/hip_fp6.h>

static const small_format formats[3] = {e2m1, e2m3, e3m2};

static_assert(sizeof(__hip_fp4_e2m1) == 1 && alignof(__hip_fp4_e2m1) == 1);
static_assert(sizeof(__hip_fp4x2_e2m1) == 1 && alignof(__hip_fp4x2_e2m1) == 1);
static_assert(sizeof(__hip_fp4x4_e2m1) == 2 && alignof(__hip_fp4x4_e2m1) == 2);
static_assert(sizeof(__hip_fp6_e2m3) == 1 && alignof(__hip_fp6_e3m2) == 1);
static_assert(sizeof(__hip_fp6x2_e2m3) == 2 && alignof(__hip_fp6x2_e3m2) == 2);
static_assert(sizeof(__hip_fp6x4_e2m3) == 4 && alignof(__hip_fp6x4_e3m2) == 4);
template <typename T>
constexpr bool plain = std::is_trivially_copyable_v<T>
    &&std::is_trivially_default_constructible_v<T> &&std::is_standard_layout_v<T>;
static_assert(plain<__hip_fp4_e2m1> && plain<__hip_fp4x2_e2m1> && plain<__hip_fp4x4_e2m1>);
static_assert(plain<__hip_fp6_e2m3> && plain<__hip_fp6x2_e2m3> && plain<__hip_fp6x4_e2m3>);
static_assert(plain<__hip_fp6_e3m2> && plain<__hip_fp6x2_e3m2> && plain<__hip_fp6x4_e3m2>);

// ---- every number ----

struct values {
    double d;
    float f;
    unsigned short half, bfloat, raw;
    bool operator==(const values &o) const { return std::memcmp(this, &o, sizeof o) == 0; }
};
template <typename T> __host__ __device__ values values_of(unsigned char code, __half_raw raw)
{
    T v;
    v.__x = code;
    values out;
    __builtin_memset(&out, 0, sizeof out);
    out.d = static_cast<double>(v);
    out.f = static_cast<float>(v);
    out.half = static_cast<__half_raw>(v).x;
    out.bfloat = static_cast<__hip_bfloat16_raw>(v).x;
    out.raw = raw.x;
    return out;
}
__host__ __device__ values decoded(int format, unsigned char code)
{
    if (format == 0)
        return values_of<__hip_fp4_e2m1>(code, __hip_cvt_fp4_to_halfraw(code, __HIP_E2M1));
    if (format == 1)
        return values_of<__hip_fp6_e2m3>(code, __hip_cvt_fp6_to_halfraw(code, __HIP_E2M3));
    return values_of<__hip_fp6_e3m2>(code, __hip_cvt_fp6_to_halfraw(code, __HIP_E3M2));
}
__global__ void decode(values *out)
{
    for (int format = 0; format < 3; ++format)
        out[256 * format + threadIdx.x] = decoded(format, static_cast<unsigned char>(threadIdx.x));
}
TEST("every number of 4 and 6 bits converts to every other type, and back")
{
    ah_test::buffer<values> out(3 * 256);
    decode<<<1, 256>>>(out.device());
    CHECK_LAUNCH();
    out.read();
    for (int format = 0; format < 3; ++format) {
        const small_format &f = formats[format];
        for (int byte = 0; byte < 256; ++byte) { // bits above the number are ignored
            const values &got = out.host()[256 * format + byte];
            int code = byte & (f.codes() - 1);
            double want = small_value(f, code);
            CHECK_CASE(ah_test::identical(got.d, want) &&
                           ah_test::identical(got.f, static_cast<float>(want)),
                       "%s, code %#x: %g, not %g", f.name, code, got.d, want);
            CHECK_CASE(
                ah_test::identical(value_of_half(got.half), want) && got.raw == got.half &&
                    ah_test::identical(value_of_bfloat(got.bfloat), static_cast<float>(want)),
                "%s, code %#x in 16 bits: %#x, %#x", f.name, code, got.half, got.bfloat);
            values host = decoded(format, static_cast<unsigned char>(byte));
            CHECK_CASE(host == got, "%s, code %#x is another number on the host", f.name, code);
        }
    }
}

// ---- to 4 and 6 bits ----

struct codes {
    unsigned char from[3];
};
template <typename One, typename Raw, typename Function4, typename Function6>
__host__ __device__ codes codes_of(One x, Raw raw, Function4 fp4, Function6 fp6, bool *same)
{
    codes c = {{fp4(raw, __HIP_E2M1, hipRoundNearest), fp6(raw, __HIP_E2M3, hipRoundNearest),
                fp6(raw, __HIP_E3M2, hipRoundNearest)}};
    *same = c.from[0] == __hip_fp4_e2m1(x).__x && c.from[1] == __hip_fp6_e2m3(x).__x &&
            c.from[2] == __hip_fp6_e3m2(x).__x;
    return c;
}
#define FUNCTIONS(from, Raw)                                                                       \
    [](Raw r, __hip_fp4_interpretation_t i, hipRoundMode m) {                                      \
        return __hip_cvt_##from##_to_fp4(r, i, m);                                                 \
    },                                                                                             \
        [](Raw r, __hip_fp6_interpretation_t i, hipRoundMode m) {                                  \
            return __hip_cvt_##from##_to_fp6(r, i, m);                                             \
        }
struct encoded {
    codes half, bfloat, single, twice;
    unsigned char classes_agree;
};
__host__ __device__ encoded encoded_from(int i, float x)
{
    __half_raw half;
    half.x = static_cast<unsigned short>(i);
    __hip_bfloat16_raw bfloat = {static_cast<unsigned short>(i)};
    double d = static_cast<double>(x);
    bool same[4];
    encoded e;
    e.half = codes_of(__half(half), half, FUNCTIONS(halfraw, __half_raw), &same[0]);
    e.bfloat = codes_of(__hip_bfloat16(bfloat), bfloat, FUNCTIONS(bfloat16raw, __hip_bfloat16_raw),
                        &same[1]);
    e.single = codes_of(x, x, FUNCTIONS(float, float), &same[2]);
    e.twice = codes_of(d, d, FUNCTIONS(double, double), &same[3]);
    e.classes_agree = same[0] && same[1] && same[2] && same[3];
    return e;
}
__global__ void encode(encoded *out, const float *floats)
{
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = encoded_from(i, floats[i]);
}
static void check_codes(const char *from, int i, const codes &got, double x)
{
    for (int format = 0; format < 3; ++format) {
        const small_format &f = formats[format];
        int want = small_code(f, x);
        // the sign of a NaN that a processor has converted is not said
        bool nan_of_double = std::isnan(x) && *from == 'd';
        int bits = nan_of_double ? f.sign_bit() - 1 : f.codes() - 1;
        CHECK_CASE((got.from[format] & bits) == (want & bits) && got.from[format] < f.codes(),
                   "%s from %s %d, %a: %#x, not %#x", f.name, from, i, x, got.from[format], want);
    }
}
TEST("every half and brain float, and floats between them, convert to 4 and 6 bits")
{
    ah_test::buffer<encoded> out(65536);
    std::vector<float> dense(65536);
    for (int i = 0; i < 65536; ++i)
        dense[i] = dense_float(i);
    ah_test::buffer<float> floats(dense);
    encode<<<256, 256>>>(out.device(), floats.device());
    CHECK_LAUNCH();
    out.read();
    for (int i = 0; i < 65536; ++i) {
        const encoded &got = out.host()[i];
        float x = dense[i];
        check_codes("half", i, got.half, value_of_half(i));
        check_codes("brain float", i, got.bfloat, static_cast<double>(value_of_bfloat(i)));
        check_codes("float", i, got.single, static_cast<double>(x));
        check_codes("double", i, got.twice, static_cast<double>(x));
        CHECK_CASE(got.classes_agree, "case %d: classes and functions differ", i);
        encoded host = encoded_from(i, x);
        size_t size = std::isnan(x) ? offsetof(encoded, twice) : sizeof host;
        CHECK_CASE(std::memcmp(&host, &got, size) == 0, "case %d is another on the host", i);
    }
}

__global__ void encode_doubles(codes *out, const double *in, int count)
{
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    bool same;
    if (i < count)
        out[i] = codes_of(in[i], in[i], FUNCTIONS(double, double), &same);
}
TEST("a double is rounded once, and the middle of two numbers goes to the even one")
{
    std::vector<double> in;
    for (const small_format &f : formats)
        for (int code = 0; code < f.largest; ++code) {
            double middle = (small_value(f, code) + small_value(f, code + 1)) / 2;
            for (double x : {middle, middle * (1 - 0x1p-50), middle * (1 + 0x1p-50)}) {
                in.push_back(x);
                in.push_back(-x);
            }
        }
    for (double x : {0x1p-1074, 0x1p-149, 0x1p-127, 0x1p127, 0x1p128, 0x1.fffffffffffffp1023})
        in.push_back(x);
    int count = static_cast<int>(in.size());
    ah_test::buffer<double> numbers(in);
    ah_test::buffer<codes> out(in.size());
    encode_doubles<<<(count + 255) / 256, 256>>>(out.device(), numbers.device(), count);
    CHECK_LAUNCH();
    out.read();
    for (int i = 0; i < count; ++i)
        check_codes("a double", i, out.host()[i], in[i]);
    for (int i = 0; i < count; ++i) {
        bool same;
        codes host = codes_of(in[i], in[i], FUNCTIONS(double, double), &same);
        CHECK_CASE(std::memcmp(&host, &out.host()[i], sizeof host) == 0, "%a on the host", in[i]);
    }
}

// ---- classes ----

template <typename T> __host__ __device__ void from_integers(float *out, int n)
{
    out[0] = static_cast<float>(T(static_cast<short>(n)));
    out[1] = static_cast<float>(T(static_cast<unsigned short>(-n)));
    out[2] = static_cast<float>(T(n));
    out[3] = static_cast<float>(T(static_cast<unsigned int>(-n)));
    out[4] = static_cast<float>(T(static_cast<long>(n)));
    out[5] = static_cast<float>(T(static_cast<unsigned long>(-n)));
    out[6] = static_cast<float>(T(static_cast<long long>(n)));
    out[7] = static_cast<float>(T(static_cast<unsigned long long>(1) << 63));
    T a(4), b;
    b = a;
    out[8] = static_cast<float>(b);
}
__global__ void integers(float *out, int n)
{
    from_integers<__hip_fp4_e2m1>(out, n);
    from_integers<__hip_fp6_e2m3>(out + 9, n);
    from_integers<__hip_fp6_e3m2>(out + 18, n);
}
TEST("integers convert to 4 and 6 bits")
{
    ah_test::buffer<float> out(27);
    integers<<<1, 1>>>(out.device(), -3);
    CHECK_LAUNCH();
    const float largest[3] = {6, 7.5f, 28};
    for (int i = 0; i < 27; ++i) {
        const float want[9] = {-3, 3, -3, 3, -3, 3, -3, largest[i / 9], 4};
        CHECK_CASE(out.read()[i] == want[i % 9], "row %d: %g", i,
                   static_cast<double>(out.host()[i]));
    }
}

struct several {
    unsigned int two[8], four[4];
    float floats[4];
    double doubles[4];
    unsigned short halves[2], bfloats[2], raws[2];
};
__host__ __device__ void several_functions(several *s, float2 f, double2 d, __half2_raw h,
                                           __hip_bfloat162_raw b, const __hip_fp4x2_e2m1 *)
{
    s->two[4] = __hip_cvt_float2_to_fp4x2(f, __HIP_E2M1, hipRoundNearest);
    s->two[5] = __hip_cvt_double2_to_fp4x2(d, __HIP_E2M1, hipRoundNearest);
    s->two[6] = __hip_cvt_halfraw2_to_fp4x2(h, __HIP_E2M1, hipRoundNearest);
    s->two[7] = __hip_cvt_bfloat16raw2_to_fp4x2(b, __HIP_E2M1, hipRoundNearest);
    __half2_raw raw =
        __hip_cvt_fp4x2_to_halfraw2(static_cast<__hip_fp4x2_storage_t>(s->two[4]), __HIP_E2M1);
    s->raws[0] = raw.x;
    s->raws[1] = raw.y;
}
__host__ __device__ void several_fp6(several *s, float2 f, double2 d, __half2_raw h,
                                     __hip_bfloat162_raw b, __hip_fp6_interpretation_t format)
{
    s->two[4] = __hip_cvt_float2_to_fp6x2(f, format, hipRoundNearest);
    s->two[5] = __hip_cvt_double2_to_fp6x2(d, format, hipRoundNearest);
    s->two[6] = __hip_cvt_halfraw2_to_fp6x2(h, format, hipRoundNearest);
    s->two[7] = __hip_cvt_bfloat16raw2_to_fp6x2(b, format, hipRoundNearest);
    __half2_raw raw =
        __hip_cvt_fp6x2_to_halfraw2(static_cast<__hip_fp6x2_storage_t>(s->two[4]), format);
    s->raws[0] = raw.x;
    s->raws[1] = raw.y;
}
__host__ __device__ void several_functions(several *s, float2 f, double2 d, __half2_raw h,
                                           __hip_bfloat162_raw b, const __hip_fp6x2_e2m3 *)
{
    several_fp6(s, f, d, h, b, __HIP_E2M3);
}
__host__ __device__ void several_functions(several *s, float2 f, double2 d, __half2_raw h,
                                           __hip_bfloat162_raw b, const __hip_fp6x2_e3m2 *)
{
    several_fp6(s, f, d, h, b, __HIP_E3M2);
}
// upper_first: the order of the arguments of the constructors from two pairs.
template <typename Two, typename Four>
__host__ __device__ several converted_together(float4 v, bool upper_first)
{
    several s;
    __builtin_memset(&s, 0, sizeof s);
    float2 f = make_float2(v.x, v.y);
    double2 d = make_double2(static_cast<double>(v.x), static_cast<double>(v.y));
    __half2 h = __floats2half2_rn(v.x, v.y), h2 = __floats2half2_rn(v.z, v.w);
    __hip_bfloat162 b = __floats2bfloat162_rn(v.x, v.y), b2 = __floats2bfloat162_rn(v.z, v.w);
    Two pairs[4] = {Two(f), Two(d), Two(h), Two(b)};
    Four fours[4] = {Four(v),
                     Four(make_double4(static_cast<double>(v.x), static_cast<double>(v.y),
                                       static_cast<double>(v.z), static_cast<double>(v.w))),
                     upper_first ? Four(h2, h) : Four(h, h2),
                     upper_first ? Four(b2, b) : Four(b, b2)};
    for (int i = 0; i < 4; ++i) {
        s.two[i] = pairs[i].__x;
        s.four[i] = fours[i].__x;
    }
    several_functions(&s, f, d, static_cast<__half2_raw>(h), static_cast<__hip_bfloat162_raw>(b),
                      static_cast<const Two *>(nullptr));
    float4 all = static_cast<float4>(fours[0]);
    double4 all_d = static_cast<double4>(fours[0]);
    float2 two = static_cast<float2>(pairs[0]);
    double2 two_d = static_cast<double2>(pairs[0]);
    s.floats[0] = two.x;
    s.floats[1] = two.y;
    s.floats[2] = all.z;
    s.floats[3] = all.w;
    s.doubles[0] = two_d.x;
    s.doubles[1] = two_d.y;
    s.doubles[2] = all.x == two.x && all.y == two.y && all_d.x == two_d.x && all_d.y == two_d.y
                       ? all_d.z
                       : -1000;
    s.doubles[3] = all_d.w;
    __half2_raw hr = static_cast<__half2_raw>(pairs[0]);
    __hip_bfloat162_raw br = static_cast<__hip_bfloat162_raw>(pairs[0]);
    s.halves[0] = hr.x;
    s.halves[1] = hr.y;
    s.bfloats[0] = br.x;
    s.bfloats[1] = br.y;
    return s;
}
__host__ __device__ void all_together(several *out, float4 v)
{
    out[0] = converted_together<__hip_fp4x2_e2m1, __hip_fp4x4_e2m1>(v, false);
    out[1] = converted_together<__hip_fp6x2_e2m3, __hip_fp6x4_e2m3>(v, false);
    out[2] = converted_together<__hip_fp6x2_e3m2, __hip_fp6x4_e3m2>(v, true);
}
__global__ void together(several *out, float4 v)
{
    all_together(out, v);
}
static void check_several(const small_format &f, const several &s)
{
    const float in[4] = {1.25f, -7.0f, 0.375f, 100.0f};
    int spacing = f.bits() == 4 ? 4 : 8, codes[4];
    double want[4];
    for (int i = 0; i < 4; ++i) {
        codes[i] = small_code(f, static_cast<double>(in[i]));
        want[i] = small_value(f, codes[i]);
        CHECK_CASE(static_cast<double>(s.floats[i]) == want[i] && s.doubles[i] == want[i],
                   "%s, number %d: %g", f.name, i, s.doubles[i]);
    }
    unsigned int two = static_cast<unsigned int>(codes[0] | codes[1] << spacing);
    unsigned int high = static_cast<unsigned int>(codes[2] | codes[3] << spacing);
    unsigned int four = two | high << 2 * spacing;
    for (int i = 0; i < 8; ++i)
        CHECK_CASE(s.two[i] == two, "%s, pair %d: %#x, not %#x", f.name, i, s.two[i], two);
    for (int i = 0; i < 4; ++i)
        CHECK_CASE(s.four[i] == four, "%s, four %d: %#x, not %#x", f.name, i, s.four[i], four);
    for (int i = 0; i < 2; ++i)
        CHECK_CASE(value_of_half(s.halves[i]) == want[i] && s.raws[i] == s.halves[i] &&
                       static_cast<double>(value_of_bfloat(s.bfloats[i])) == want[i],
                   "%s, number %d in 16 bits", f.name, i);
}
TEST("pairs and fours of 4 and 6 bits convert together")
{
    float4 in = make_float4(1.25f, -7.0f, 0.375f, 100.0f);
    ah_test::buffer<several> out(3);
    together<<<1, 1>>>(out.device(), in);
    CHECK_LAUNCH();
    out.read();
    several host[3];
    all_together(host, in);
    for (int format = 0; format < 3; ++format) {
        check_several(formats[format], out.host()[format]);
        check_several(formats[format], host[format]);
    }
}

HIP_TEST_MAIN
