// AMD's microscaling extension: every code under every kind of scale, every half, brain floats and
// floats, to nearest and stochastically, on the device as on the host, against arithmetic in
// double.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpsabi" // wide vectors by value, between functions of one source
#endif
#include "small_float.h"

#include <hip/hip_ext_ocp.h>

// ---- types ----

template <typename T, int size> constexpr bool is_plain()
{
    return sizeof(T) == size && alignof(T) == size && std::is_trivially_copyable_v<T> &&
           std::is_trivially_default_constructible_v<T>;
}
static_assert(is_plain<__amd_fp8_storage_t, 1>() && is_plain<__amd_fp8x2_storage_t, 2>());
static_assert(is_plain<__amd_fp4x2_storage_t, 1>() && is_plain<__amd_fp4x8_storage_t, 4>());
static_assert(is_plain<__amd_fp8x8_storage_t, 8>() && is_plain<__amd_fp6x32_storage_t, 32>());
static_assert(is_plain<__amd_bf16_storage_t, 2>() && is_plain<__amd_fp16_storage_t, 2>());
static_assert(is_plain<__amd_bf16x2_storage_t, 4>() && is_plain<__amd_fp16x2_storage_t, 4>());
static_assert(is_plain<__amd_bf16x8_storage_t, 16>() && is_plain<__amd_fp16x8_storage_t, 16>());
static_assert(is_plain<__amd_bf16x32_storage_t, 64>() && is_plain<__amd_fp16x32_storage_t, 64>());
static_assert(is_plain<__amd_floatx2_storage_t, 8>() && is_plain<__amd_floatx8_storage_t, 32>());
static_assert(is_plain<__amd_floatx16_storage_t, 64>() &&
              is_plain<__amd_floatx32_storage_t, 128>());
static_assert(is_plain<__amd_uintx2_storage_t, 8>() && is_plain<__amd_shortx2_storage_t, 4>());
static_assert(std::is_same_v<__amd_scale_t, signed char>);
static_assert(is_plain<__hipext_ocp_fp8_e4m3, 1>() && is_plain<__hipext_ocp_fp8_e5m2, 1>());
static_assert(is_plain<__hipext_ocp_fp8x2_e4m3, 2>() && is_plain<__hipext_ocp_fp8x2_e5m2, 2>());
static_assert(is_plain<__hipext_ocp_fp6x32_e2m3, 32>() && is_plain<__hipext_ocp_fp6x32_e3m2, 32>());
static_assert(is_plain<__hipext_ocp_fp4x2_e2m1, 1>());

static const small_format format_of_fp4 = e2m1;
static const small_format formats_of_fp6[2] = {e2m3, e3m2}, formats_of_fp8[2] = {e4m3, e5m2};
static const signed char scales[] = {0, 1, -1, 5, -13, -20, 119, 127, -126, -127, -128};
static const unsigned int seeds[] = {0, 0xffffffffu, 0x80000000u, 0x9e3779b9u};

// ---- reference ----

// x / 2^scale as a code. digits: those of the source's mantissa; with a seed they are what is kept
// beyond the last place of the result, and the seed's topmost bits are added to them.
static int coded(const small_format &f, double x, int scale, const unsigned int *seed, int digits)
{
    int sign = std::signbit(x) ? f.sign_bit() : 0;
    if (std::isnan(x) || scale == -128)
        return sign | (f.nan == -1 ? f.largest : f.nan);
    if (std::isinf(x))
        return sign | f.largest;
    double a = std::ldexp(std::fabs(x), -scale);
    int exponent = a == 0 ? -1000 : std::ilogb(a), least = 1 - f.bias;
    exponent = exponent < least ? least : exponent;
    double units = std::ldexp(a, f.mantissa - exponent); // of the last place
    if (seed) {
        int kept = digits - f.mantissa;
        double fine = std::floor(std::ldexp(units, kept)) + (*seed >> (32 - kept));
        units = std::floor(std::ldexp(fine, -kept));
    } else {
        units = std::nearbyint(units);
    }
    double code = std::ldexp(exponent - least, f.mantissa) + units;
    return sign | (code < f.largest ? static_cast<int>(code) : f.largest);
}
static double scaled(const small_format &f, int code, int scale)
{
    double v = small_value(f, code);
    return scale == -128 ? std::copysign(std::numeric_limits<double>::quiet_NaN(), v)
                         : std::ldexp(v, scale);
}
__host__ __device__ static __amd_bf16_storage_t bfloat_of_upper_half(float x)
{
    unsigned short parts[2];
    __builtin_memcpy(parts, &x, sizeof parts);
    __amd_bf16_storage_t b;
    __builtin_memcpy(&b, &parts[1], sizeof b);
    return b;
}
// The same number as a value of type T, rounded to nearest even; a NaN is the quiet one.
static float rounded(double x, float)
{
    return static_cast<float>(x);
}
static __amd_fp16_storage_t rounded(double x, __amd_fp16_storage_t)
{
    return static_cast<__amd_fp16_storage_t>(x);
}
static __amd_bf16_storage_t rounded(double x, __amd_bf16_storage_t)
{
    float f = static_cast<float>(x); // exact
    std::uint32_t word;
    std::memcpy(&word, &f, sizeof word);
    std::uint32_t up = std::isnan(f) ? 0 : 0x7fff + (word >> 16 & 1);
    return bfloat_of_upper_half(float_with_bits(word + up));
}
template <typename T> static bool same_number(T got, double want)
{
    return ah_test::identical(static_cast<float>(got), static_cast<float>(rounded(want, T())));
}
static const char *type_name(float)
{
    return "float";
}
static const char *type_name(__amd_fp16_storage_t)
{
    return "half";
}
static const char *type_name(__amd_bf16_storage_t)
{
    return "brain float";
}

// ---- from small formats ----

struct widened {
    float f[32];
    __amd_fp16_storage_t h[32];
    __amd_bf16_storage_t b[32];
};
template <typename V, typename T> __host__ __device__ void spread(T *to, const V &from)
{
    __builtin_memcpy(to, &from, sizeof from);
}
// 8 codes of 4 or 8 bits from two words, or 32 of 6 bits, by the functions for as many.
__host__ __device__ widened widen_fp4(unsigned int codes, int, int s)
{
    const __amd_fp4_interpretation_t i = __AMD_OCP_E2M1;
    __amd_scale_t scale = static_cast<__amd_scale_t>(s);
    widened w;
    __builtin_memset(&w, 0, sizeof w);
    spread(w.f, __amd_cvt_fp4x8_to_floatx8_scale(codes, i, scale));
    spread(w.h, __amd_cvt_fp4x8_to_fp16x8_scale(codes, i, scale));
    spread(w.b, __amd_cvt_fp4x8_to_bf16x8_scale(codes, i, scale));
    __amd_fp4x2_storage_t two = __amd_extract_fp4x2(codes, 1);
    spread(w.f + 8, __amd_cvt_fp4x2_to_floatx2_scale(two, i, scale));
    spread(w.h + 8, __amd_cvt_fp4x2_to_fp16x2_scale(two, i, scale));
    spread(w.b + 8, __amd_cvt_fp4x2_to_bf16x2_scale(two, i, scale));
    return w;
}
__host__ __device__ widened widen_fp8(__amd_fp8x8_storage_t codes, int format, int s)
{
    __amd_fp8_interpretation_t i = format == 0 ? __AMD_OCP_E4M3 : __AMD_OCP_E5M2;
    __amd_scale_t scale = static_cast<__amd_scale_t>(s);
    widened w;
    __builtin_memset(&w, 0, sizeof w);
    spread(w.f, __amd_cvt_fp8x8_to_floatx8_scale(codes, i, scale));
    spread(w.h, __amd_cvt_fp8x8_to_fp16x8_scale(codes, i, scale));
    spread(w.b, __amd_cvt_fp8x8_to_bf16x8_scale(codes, i, scale));
    __amd_fp8x2_storage_t two = __amd_extract_fp8x2(codes, 1);
    spread(w.f + 8, __amd_cvt_fp8x2_to_floatx2_scale(two, i, scale));
    spread(w.h + 8, __amd_cvt_fp8x2_to_fp16x2_scale(two, i, scale));
    spread(w.b + 8, __amd_cvt_fp8x2_to_bf16x2_scale(two, i, scale));
    __amd_fp8_storage_t one = __amd_extract_fp8(two, 1);
    w.f[10] = __amd_cvt_fp8_to_float_scale(one, i, scale);
    w.h[10] = __amd_cvt_fp8_to_fp16_scale(one, i, scale);
    w.b[10] = __amd_cvt_fp8_to_bf16_scale(one, i, scale);
    w.f[11] = __amd_cvt_fp8_to_float(one, i);
    w.h[11] = __amd_cvt_fp8_to_fp16(one, i);
    spread(w.f + 12, __amd_cvt_fp8x2_to_floatx2(two, i));
    spread(w.h + 12, __amd_cvt_fp8x2_to_fp16x2(two, i));
    return w;
}
__host__ __device__ __noinline__ widened widen_fp6(__amd_fp6x32_storage_t codes, int format, int s)
{
    __amd_fp6_interpretation_t i = format == 0 ? __AMD_OCP_E2M3 : __AMD_OCP_E3M2;
    __amd_scale_t scale = static_cast<__amd_scale_t>(s);
    widened w;
    spread(w.f, __amd_cvt_fp6x32_to_floatx32_scale(codes, i, scale));
    spread(w.h, __amd_cvt_fp6x32_to_fp16x32_scale(codes, i, scale));
    spread(w.b, __amd_cvt_fp6x32_to_bf16x32_scale(codes, i, scale));
    return w;
}
template <typename P, widened widen(P, int, int)>
__global__ void widen_all(widened *out, const P *in, int format, int scale)
{
    out[threadIdx.x] = widen(in[threadIdx.x], format, scale);
}

template <typename T> static void check_wide(const small_format &f, int code, int scale, T got)
{
    CHECK_CASE(same_number(got, scaled(f, code, scale)), "%s, code %#x, scale %d as %s: %a", f.name,
               code, scale, type_name(T()), static_cast<double>(got));
}
// Number `at` of a result is what is given for the code, on the device and on the host.
static void check_widened(const small_format &f, int code, int scale, const widened &got, int at)
{
    check_wide(f, code, scale, got.f[at]);
    check_wide(f, code, scale, got.h[at]);
    check_wide(f, code, scale, got.b[at]);
}

TEST("every code becomes a float, a half and a brain float under every scale")
{
    std::vector<unsigned int> fp4;
    std::vector<__amd_fp8x8_storage_t> fp8;
    std::vector<__amd_fp6x32_storage_t> fp6(2);
    fp4.push_back(0x76543210u);
    fp4.push_back(0xfedcba98u);
    for (int i = 0; i < 32; ++i) {
        __amd_fp8x2_storage_t two[4];
        for (int k = 0; k < 4; ++k)
            two[k] = __amd_create_fp8x2(static_cast<unsigned char>(8 * i + 2 * k),
                                        static_cast<unsigned char>(8 * i + 2 * k + 1));
        fp8.push_back(__amd_create_fp8x8(two[0], two[1], two[2], two[3]));
    }
    for (int pack = 0; pack < 2; ++pack) {
        unsigned int words[8] = {};
        for (int bit = 0; bit < 192; ++bit)
            words[bit / 32] |= static_cast<unsigned int>((32 * pack + bit / 6) >> bit % 6 & 1)
                               << bit % 32;
        std::memcpy(&fp6[pack], words, sizeof words);
    }
    ah_test::buffer<unsigned int> in4(fp4);
    ah_test::buffer<__amd_fp8x8_storage_t> in8(fp8);
    ah_test::buffer<__amd_fp6x32_storage_t> in6(fp6);
    ah_test::buffer<widened> out(32);
    for (int scale : scales) {
        widen_all<unsigned int, widen_fp4><<<1, 2>>>(out.device(), in4.device(), 0, scale);
        CHECK_LAUNCH();
        out.read();
        for (int code = 0; code < 16; ++code)
            check_widened(format_of_fp4, code, scale, out.host()[code / 8], code % 8);
        for (int i = 0; i < 2; ++i) {
            check_widened(format_of_fp4, 8 * i + 2, scale, out.host()[i], 8);
            check_widened(format_of_fp4, 8 * i + 3, scale, out.host()[i], 9);
            widened host = widen_fp4(fp4[i], 0, scale);
            CHECK_CASE(std::memcmp(&host, &out.host()[i], sizeof host) == 0, "fp4 on the host");
        }
        for (int format = 0; format < 2; ++format) {
            const small_format &f8 = formats_of_fp8[format], &f6 = formats_of_fp6[format];
            widen_all<__amd_fp8x8_storage_t, widen_fp8>
                <<<1, 32>>>(out.device(), in8.device(), format, scale);
            CHECK_LAUNCH();
            out.read();
            for (int i = 0; i < 32; ++i) {
                const widened &got = out.host()[i];
                for (int k = 0; k < 8; ++k)
                    check_widened(f8, 8 * i + k, scale, got, k);
                check_widened(f8, 8 * i + 2, scale, got, 8);
                check_widened(f8, 8 * i + 3, scale, got, 9);
                check_widened(f8, 8 * i + 3, scale, got, 10);
                for (int k : {11, 13}) {
                    check_wide(f8, 8 * i + 3, 0, got.f[k]);
                    check_wide(f8, 8 * i + 3, 0, got.h[k]);
                }
                check_wide(f8, 8 * i + 2, 0, got.f[12]);
                check_wide(f8, 8 * i + 2, 0, got.h[12]);
                widened host = widen_fp8(fp8[i], format, scale);
                CHECK_CASE(std::memcmp(&host, &got, sizeof host) == 0, "%s on the host", f8.name);
            }
            widen_all<__amd_fp6x32_storage_t, widen_fp6>
                <<<1, 2>>>(out.device(), in6.device(), format, scale);
            CHECK_LAUNCH();
            out.read();
            for (int code = 0; code < 64; ++code)
                check_widened(f6, code, scale, out.host()[code / 32], code % 32);
            for (int i = 0; i < 2; ++i) {
                widened host = widen_fp6(fp6[i], format, scale);
                CHECK_CASE(std::memcmp(&host, &out.host()[i], sizeof host) == 0, "%s on the host",
                           f6.name);
            }
        }
    }
}

// ---- to small formats ----

struct narrowed {
    unsigned int fp4x8, fp4x8_sr, fp4x2, fp4x2_sr; // pairs: of the first two numbers
    unsigned char fp8x8[2][8], fp8x8_sr[2][8], fp8_sr[2];
    unsigned short fp8x2[2], plain_fp8x2[2];
    unsigned char plain_sr[2];
};
// Eight numbers, and what of them there is for a type alone.
#define NARROW(type)                                                                               \
    __host__ __device__ narrowed narrow(const __amd_##type##x8_storage_t &in, int s,               \
                                        unsigned int seed)                                         \
    {                                                                                              \
        __amd_scale_t scale = static_cast<__amd_scale_t>(s);                                       \
        narrowed n;                                                                                \
        __builtin_memset(&n, 0, sizeof n);                                                         \
        __amd_##type##x2_storage_t two = {in[0], in[1]};                                           \
        n.fp4x8 = __amd_cvt_##type##x8_to_fp4x8_scale(in, __AMD_OCP_E2M1, scale);                  \
        n.fp4x8_sr = __amd_cvt_##type##x8_to_fp4x8_sr_scale(in, __AMD_OCP_E2M1, seed, scale);      \
        n.fp4x2 = __amd_cvt_##type##x2_to_fp4x2_scale(two, __AMD_OCP_E2M1, scale);                 \
        n.fp4x2_sr = __amd_cvt_##type##x2_to_fp4x2_sr_scale(two, __AMD_OCP_E2M1, seed, scale);     \
        for (int format = 0; format < 2; ++format) {                                               \
            __amd_fp8_interpretation_t i = format == 0 ? __AMD_OCP_E4M3 : __AMD_OCP_E5M2;          \
            spread(n.fp8x8[format], __amd_cvt_##type##x8_to_fp8x8_scale(in, i, scale));            \
            spread(n.fp8x8_sr[format],                                                             \
                   __amd_cvt_##type##x8_to_fp8x8_sr_scale(in, i, seed, scale));                    \
            n.fp8x2[format] = __amd_cvt_##type##x2_to_fp8x2_scale(two, i, scale);                  \
            n.fp8_sr[format] = __amd_cvt_##type##_to_fp8_sr_scale(in[0], i, seed, scale);          \
            without_scale(&n, format, i, two, seed);                                               \
        }                                                                                          \
        return n;                                                                                  \
    }
__host__ __device__ void without_scale(narrowed *n, int format, __amd_fp8_interpretation_t i,
                                       __amd_floatx2_storage_t two, unsigned int seed)
{
    n->plain_fp8x2[format] = __amd_cvt_floatx2_to_fp8x2(two, i);
    n->plain_sr[format] = __amd_cvt_float_to_fp8_sr(two[0], i, seed);
}
__host__ __device__ void without_scale(narrowed *n, int format, __amd_fp8_interpretation_t i,
                                       __amd_fp16x2_storage_t two, unsigned int seed)
{
    n->plain_fp8x2[format] = __amd_cvt_fp16x2_to_fp8x2(two, i);
    n->plain_sr[format] = __amd_cvt_fp16_to_fp8_sr(two[0], i, static_cast<short>(seed >> 16));
}
__host__ __device__ void without_scale(narrowed *, int, __amd_fp8_interpretation_t,
                                       __amd_bf16x2_storage_t, unsigned int)
{
}
NARROW(float)
NARROW(fp16)
NARROW(bf16)

template <typename V>
__global__ void narrow_all(narrowed *out, const V *in, int scale, unsigned int seed)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = narrow(in[i], scale, seed);
}

struct wanted {
    int scale, digits;
    unsigned int seed;
    int nearest(const small_format &f, double x) const { return coded(f, x, scale, nullptr, 0); }
    int stochastic(const small_format &f, double x) const
    {
        return coded(f, x, scale, &seed, digits);
    }
};
static void check_narrowed(const narrowed &got, const double *x, const wanted &w, const char *type)
{
    unsigned int fp4 = 0, fp4_sr = 0;
    bool fp8 = true;
    for (int k = 0; k < 8; ++k) {
        fp4 |= static_cast<unsigned int>(w.nearest(e2m1, x[k])) << 4 * k;
        fp4_sr |= static_cast<unsigned int>(w.stochastic(e2m1, x[k])) << 4 * k;
        for (int format = 0; format < 2; ++format) {
            const small_format &f = formats_of_fp8[format];
            fp8 = fp8 && got.fp8x8[format][k] == w.nearest(f, x[k]) &&
                  got.fp8x8_sr[format][k] == w.stochastic(f, x[k]);
        }
    }
    for (int format = 0; format < 2; ++format) {
        unsigned char two[2];
        std::memcpy(two, &got.fp8x2[format], 2);
        fp8 = fp8 && std::memcmp(two, got.fp8x8[format], 2) == 0 &&
              got.fp8_sr[format] == got.fp8x8_sr[format][0];
    }
    CHECK_CASE(fp8, "8 bits of %s from %a, scale %d, seed %#x", type, x[0], w.scale, w.seed);
    CHECK_CASE(got.fp4x8 == fp4 && got.fp4x8_sr == fp4_sr && got.fp4x2 == (fp4 & 0xff) &&
                   got.fp4x2_sr == (fp4_sr & 0xff),
               "4 bits of %s from %a, scale %d, seed %#x: %#x %#x, not %#x %#x", type, x[0],
               w.scale, w.seed, got.fp4x8, got.fp4x8_sr, fp4, fp4_sr);
}
static void check_plain(const narrowed &got, const double *x, const wanted &w)
{
    for (int format = 0; format < 2; ++format) {
        const small_format &f = formats_of_fp8[format];
        int two = coded(f, x[0], 0, nullptr, 0) | coded(f, x[1], 0, nullptr, 0) << 8;
        CHECK_CASE(got.plain_fp8x2[format] == two &&
                       got.plain_sr[format] == coded(f, x[0], 0, &w.seed, w.digits),
                   "%s from %a without a scale", f.name, x[0]);
    }
}
// 65536 numbers under some scales and seeds.
template <typename V, typename T>
static void narrow_numbers(const std::vector<T> &numbers, int digits)
{
    std::vector<V> in(numbers.size() / 8);
    std::memcpy(in.data(), numbers.data(), in.size() * sizeof(V));
    ah_test::buffer<V> device(in);
    ah_test::buffer<narrowed> out(in.size());
    for (int turn = 0; turn < 4; ++turn) {
        const int turn_scales[4] = {0, -13, 5, -128};
        wanted w = {turn_scales[turn], digits, seeds[turn]};
        narrow_all<<<static_cast<unsigned int>(in.size() / 64), 64>>>(out.device(), device.device(),
                                                                      w.scale, w.seed);
        CHECK_LAUNCH();
        out.read();
        for (size_t i = 0; i < in.size(); ++i) {
            double x[8];
            for (int k = 0; k < 8; ++k)
                x[k] = static_cast<double>(static_cast<float>(numbers[8 * i + k]));
            check_narrowed(out.host()[i], x, w, type_name(T()));
            if (digits != 7)
                check_plain(out.host()[i], x, w);
            narrowed host = narrow(in[i], w.scale, w.seed);
            CHECK_CASE(std::memcmp(&host, &out.host()[i], sizeof host) == 0, "%a on the host",
                       x[0]);
        }
    }
}
template <typename T> static std::vector<T> all_of_16_bits()
{
    std::vector<T> all(65536);
    for (unsigned int i = 0; i < 65536; ++i) {
        unsigned short bits = static_cast<unsigned short>(i);
        std::memcpy(&all[i], &bits, sizeof bits);
    }
    return all;
}
TEST("every half becomes 4 and 8 bits, to nearest and stochastically, with a scale")
{
    narrow_numbers<__amd_fp16x8_storage_t>(all_of_16_bits<__amd_fp16_storage_t>(), 10);
}
TEST("every brain float becomes 4 and 8 bits, to nearest and stochastically, with a scale")
{
    narrow_numbers<__amd_bf16x8_storage_t>(all_of_16_bits<__amd_bf16_storage_t>(), 7);
}
TEST("floats become 4 and 8 bits, to nearest and stochastically, with a scale")
{
    std::vector<float> floats(65536);
    for (int i = 0; i < 65536; ++i)
        floats[i] = dense_float(i);
    narrow_numbers<__amd_floatx8_storage_t>(floats, 23);
}

struct narrowed_fp6 {
    __amd_fp6x32_storage_t nearest[3], stochastic[3], of_halves;
};
struct of_32 {
    __amd_floatx32_storage_t f;
    __amd_fp16x32_storage_t h;
    __amd_bf16x32_storage_t b;
};
__host__ __device__ __noinline__ narrowed_fp6 narrow_fp6(const of_32 &in, int format, int s,
                                                         unsigned int seed)
{
    __amd_fp6_interpretation_t i = format == 0 ? __AMD_OCP_E2M3 : __AMD_OCP_E3M2;
    __amd_scale_t scale = static_cast<__amd_scale_t>(s);
    __amd_floatx16_storage_t parts[2];
    __builtin_memcpy(parts, &in.f, sizeof parts);
    narrowed_fp6 n;
    __builtin_memset(&n, 0, sizeof n); // also what a vector of six words does not use
    n.nearest[0] = __amd_cvt_floatx32_to_fp6x32_scale(in.f, i, scale);
    n.nearest[1] = __amd_cvt_fp16x32_to_fp6x32_scale(in.h, i, scale);
    n.nearest[2] = __amd_cvt_bf16x32_to_fp6x32_scale(in.b, i, scale);
    n.stochastic[0] = __amd_cvt_floatx32_to_fp6x32_sr_scale(in.f, i, seed, scale);
    n.stochastic[1] = __amd_cvt_fp16x32_to_fp6x32_sr_scale(in.h, i, seed, scale);
    n.stochastic[2] = __amd_cvt_bf16x32_to_fp6x32_sr_scale(in.b, i, seed, scale);
    n.of_halves = __amd_cvt_floatx16_floatx16_to_fp6x32_scale(parts[0], parts[1], i, scale);
    return n;
}
__global__ void narrow_all_fp6(narrowed_fp6 *out, const of_32 *in, int format, int scale,
                               unsigned int seed)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = narrow_fp6(in[i], format, scale, seed);
}
static int code_at(const __amd_fp6x32_storage_t &pack, int i)
{
    unsigned char bytes[32];
    std::memcpy(bytes, &pack, sizeof bytes);
    int at = 6 * i / 8;
    return (bytes[at] | bytes[at + 1] << 8) >> (6 * i % 8) & 0x3f;
}
// Two of the eight words that a vector of six takes have no meaning.
static bool same_pack(const __amd_fp6x32_storage_t &a, const __amd_fp6x32_storage_t &b)
{
    return std::memcmp(&a, &b, 6 * sizeof(unsigned int)) == 0;
}
static bool same_packs(const narrowed_fp6 &a, const narrowed_fp6 &b)
{
    bool same = same_pack(a.of_halves, b.of_halves);
    for (int type = 0; type < 3; ++type)
        same = same && same_pack(a.nearest[type], b.nearest[type]) &&
               same_pack(a.stochastic[type], b.stochastic[type]);
    return same;
}
static void check_fp6(const narrowed_fp6 &got, const of_32 &in, const small_format &f,
                      const wanted &w)
{
    for (int k = 0; k < 32; ++k) {
        const double x[3] = {static_cast<double>(in.f[k]),
                             static_cast<double>(static_cast<float>(in.h[k])),
                             static_cast<double>(static_cast<float>(in.b[k]))};
        const int digits[3] = {23, 10, 7};
        for (int type = 0; type < 3; ++type) {
            int nearest = coded(f, x[type], w.scale, nullptr, 0);
            int stochastic = coded(f, x[type], w.scale, &w.seed, digits[type]);
            CHECK_CASE(code_at(got.nearest[type], k) == nearest &&
                           code_at(got.stochastic[type], k) == stochastic,
                       "%s, type %d, %a: %#x and %#x, not %#x and %#x", f.name, type, x[type],
                       code_at(got.nearest[type], k), code_at(got.stochastic[type], k), nearest,
                       stochastic);
        }
    }
    CHECK(same_pack(got.of_halves, got.nearest[0]));
}
TEST("32 numbers become 6 bits, to nearest and stochastically, with a scale")
{
    std::vector<of_32> in(2048);
    std::vector<__amd_fp16_storage_t> halves = all_of_16_bits<__amd_fp16_storage_t>();
    std::vector<__amd_bf16_storage_t> bfloats = all_of_16_bits<__amd_bf16_storage_t>();
    for (int i = 0; i < 65536; ++i) {
        in[i / 32].f[i % 32] = dense_float(i);
        in[i / 32].h[i % 32] = halves[i];
        in[i / 32].b[i % 32] = bfloats[i];
    }
    ah_test::buffer<of_32> device(in);
    ah_test::buffer<narrowed_fp6> out(in.size());
    for (int format = 0; format < 2; ++format)
        for (int turn = 0; turn < 2; ++turn) {
            const wanted w = {turn == 0 ? -1 : 6, 0, seeds[3 - turn]};
            narrow_all_fp6<<<32, 64>>>(out.device(), device.device(), format, w.scale, w.seed);
            CHECK_LAUNCH();
            out.read();
            for (size_t i = 0; i < in.size(); ++i) {
                check_fp6(out.host()[i], in[i], formats_of_fp6[format], w);
                narrowed_fp6 host = narrow_fp6(in[i], format, w.scale, w.seed);
                CHECK_CASE(same_packs(host, out.host()[i]), "pack %zu on the host", i);
            }
        }
}

// ---- stochastically to 16 bits ----

struct of_16_bits {
    unsigned short h, b, pair[2];
};
__host__ __device__ of_16_bits to_16_bits(float x, float y, unsigned int seed)
{
    of_16_bits o;
    spread(&o.h, __amd_cvt_float_to_fp16_sr(x, seed));
    spread(&o.b, __amd_cvt_float_to_bf16_sr(x, seed));
    spread(o.pair, __amd_cvt_float_float_to_fp16x2_sr(x, y, seed));
    return o;
}
__global__ void all_to_16_bits(of_16_bits *out, const float *in, unsigned int seed)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = to_16_bits(in[i], in[65535 - i], seed);
}
TEST("floats become halves and brain floats stochastically")
{
    // as formats whose largest "number" is infinity, which is where their overflow ends
    const small_format half = {"half", 5, 10, 15, 0x7c00, -1, 0x7e00};
    const small_format bfloat = {"brain float", 8, 7, 127, 0x7f80, -1, 0x7fc0};
    std::vector<float> floats(65536);
    for (int i = 0; i < 65536; ++i)
        floats[i] = dense_float(i);
    ah_test::buffer<float> in(floats);
    ah_test::buffer<of_16_bits> out(65536);
    for (unsigned int seed : seeds) {
        all_to_16_bits<<<256, 256>>>(out.device(), in.device(), seed);
        CHECK_LAUNCH();
        out.read();
        for (int i = 0; i < 65536; ++i) {
            double x = static_cast<double>(floats[i]);
            const of_16_bits &got = out.host()[i];
            int h = coded(half, x, 0, &seed, 23), b = coded(bfloat, x, 0, &seed, 23);
            CHECK_CASE(got.h == h && got.b == b && got.pair[0] == h &&
                           got.pair[1] ==
                               coded(half, static_cast<double>(floats[65535 - i]), 0, &seed, 23),
                       "%a, seed %#x: %#x %#x, not %#x %#x", x, seed, got.h, got.b, h, b);
            of_16_bits host = to_16_bits(floats[i], floats[65535 - i], seed);
            CHECK_CASE(std::memcmp(&host, &got, sizeof host) == 0, "%a on the host", x);
        }
    }
}

// ---- classes ----

struct of_classes {
    unsigned int fp8[2][6], fp8x2[2][5], fp4x2[7];
    bool wide, fp6;
};
template <typename One, typename Two>
__host__ __device__ void classes_of_fp8(of_classes *o, int format, float a, float b, unsigned s)
{
    __amd_floatx2_storage_t two = {a, b};
    __amd_fp16x2_storage_t h = {static_cast<__amd_fp16_storage_t>(a),
                                static_cast<__amd_fp16_storage_t>(b)};
    __amd_bf16x2_storage_t bf = {bfloat_of_upper_half(a), bfloat_of_upper_half(b)};
    const One ones[5] = {One(a), One(a, s), One(a, s, 3), One(h[0], s, 3), One(bf[0], s, 3)};
    const Two twos[5] = {Two(a, b), Two(two), Two(two, 3), Two(h, 3), Two(bf, 3)};
    for (int i = 0; i < 5; ++i) {
        o->fp8[format][i] = ones[i].__x;
        o->fp8x2[format][i] = twos[i].__x;
    }
    __amd_fp8_interpretation_t in = One::__default_interpret;
    o->fp8[format][5] = static_cast<unsigned int>(in);
    float plain = static_cast<float>(ones[0]);
    __amd_floatx2_storage_t pair = static_cast<__amd_floatx2_storage_t>(twos[0]),
                            scaled = twos[0].get_scaled_floatx2(2);
    __amd_fp16x2_storage_t scaled_h = twos[0].get_scaled_fp16x2(2);
    __amd_bf16x2_storage_t scaled_b = twos[0].get_scaled_bf16x2(2);
    o->wide = o->wide && plain == __amd_cvt_fp8_to_float(ones[0].__x, in) && pair[0] == plain &&
              scaled[0] == 4 * plain && ones[0].get_scaled_float(2) == 4 * plain &&
              static_cast<float>(ones[0].get_scaled_fp16(2)) == 4 * plain &&
              static_cast<float>(ones[0].get_scaled_bf16(2)) == 4 * plain &&
              static_cast<float>(scaled_h[1]) == 4 * pair[1] &&
              static_cast<float>(scaled_b[1]) == 4 * pair[1];
}
// All constructors on the host; on a device the first, since 32 numbers take long to compile, and
// the functions that all of them call are tested there.
template <typename Pack> __host__ __device__ bool classes_of_fp6(float a, unsigned int seed)
{
    of_32 in;
    for (int i = 0; i < 32; ++i) {
        in.f[i] = a * static_cast<float>(i);
        in.h[i] = static_cast<__amd_fp16_storage_t>(in.f[i]);
        in.b[i] = bfloat_of_upper_half(in.f[i]);
    }
    __amd_floatx16_storage_t parts[2];
    __builtin_memcpy(parts, &in.f, sizeof parts);
    const narrowed_fp6 want = narrow_fp6(in, Pack::__default_interpret, 1, seed);
    const widened wide = widen_fp6(want.nearest[0], Pack::__default_interpret, 2);
    const Pack pack(parts[0], parts[1], 1);
    __amd_floatx32_storage_t f = pack.get_scaled_floatx32(2);
    bool same = true;
    for (int k = 0; k < 6; ++k)
        same = same && pack.__x[k] == want.nearest[0][k];
    for (int i = 0; i < 32; ++i)
        same = same && f[i] == wide.f[i];
#if !defined(__HIP_DEVICE_COMPILE__)
    const Pack packs[5] = {Pack(in.h, 1), Pack(in.b, 1), Pack(in.f, seed, 1), Pack(in.h, seed, 1),
                           Pack(in.b, seed, 1)};
    for (int k = 0; k < 6; ++k) {
        for (int i = 0; i < 2; ++i)
            same = same && packs[i].__x[k] == want.nearest[1 + i][k];
        for (int i = 0; i < 3; ++i)
            same = same && packs[2 + i].__x[k] == want.stochastic[i][k];
    }
    __amd_fp16x32_storage_t h = pack.get_scaled_fp16x32(2);
    __amd_bf16x32_storage_t b = pack.get_scaled_bf16x32(2);
    for (int i = 0; i < 32; ++i)
        same =
            same && static_cast<float>(h[i]) == wide.f[i] && static_cast<float>(b[i]) == wide.f[i];
#endif
    return same;
}
__host__ __device__ of_classes classes_of(float a, float b, unsigned int seed)
{
    of_classes o;
    __builtin_memset(&o, 0, sizeof o);
    o.wide = true;
    classes_of_fp8<__hipext_ocp_fp8_e4m3, __hipext_ocp_fp8x2_e4m3>(&o, 0, a, b, seed);
    classes_of_fp8<__hipext_ocp_fp8_e5m2, __hipext_ocp_fp8x2_e5m2>(&o, 1, a, b, seed);
    __amd_floatx2_storage_t f = {a, b};
    __amd_fp16x2_storage_t h = {static_cast<__amd_fp16_storage_t>(a),
                                static_cast<__amd_fp16_storage_t>(b)};
    __amd_bf16x2_storage_t bf = {bfloat_of_upper_half(a), bfloat_of_upper_half(b)};
    typedef __hipext_ocp_fp4x2_e2m1 fp4;
    const fp4 all[7] = {fp4(a, b, 3),    fp4(f, 3),       fp4(h, 3),       fp4(bf, 3),
                        fp4(f, seed, 3), fp4(h, seed, 3), fp4(bf, seed, 3)};
    for (int i = 0; i < 7; ++i)
        o.fp4x2[i] = all[i].__x;
    __amd_floatx2_storage_t f2 = all[0].get_scaled_floatx2(1);
    __amd_fp16x2_storage_t h2 = all[0].get_scaled_fp16x2(1);
    __amd_bf16x2_storage_t b2 = all[0].get_scaled_bf16x2(1);
    o.wide = o.wide && f2[0] == static_cast<float>(h2[0]) && f2[1] == static_cast<float>(b2[1]);
    o.fp6 = classes_of_fp6<__hipext_ocp_fp6x32_e2m3>(a / 16, seed) &&
            classes_of_fp6<__hipext_ocp_fp6x32_e3m2>(a / 16, seed);
    return o;
}
__global__ void classes(of_classes *out, float a, float b, unsigned int seed)
{
    *out = classes_of(a, b, seed);
}
TEST("classes of packed numbers convert as the functions do")
{
    // halves and brain floats hold both numbers exactly
    const double a = 20.75, b = -3.3125;
    const unsigned int seed = 0x9e3779b9u;
    ah_test::buffer<of_classes> out(1);
    classes<<<1, 1>>>(out.device(), static_cast<float>(a), static_cast<float>(b), seed);
    CHECK_LAUNCH();
    const of_classes &got = out.read()[0];
    CHECK(got.wide && got.fp6);
    for (int format = 0; format < 2; ++format) {
        const small_format &f = formats_of_fp8[format];
        const int one[6] = {coded(f, a, 0, nullptr, 0), coded(f, a, 0, &seed, 23),
                            coded(f, a, 3, &seed, 23),  coded(f, a, 3, &seed, 10),
                            coded(f, a, 3, &seed, 7),   format};
        const int plain = one[0] | coded(f, b, 0, nullptr, 0) << 8,
                  scaled_two = coded(f, a, 3, nullptr, 0) | coded(f, b, 3, nullptr, 0) << 8;
        for (int i = 0; i < 6; ++i)
            CHECK_CASE(static_cast<int>(got.fp8[format][i]) == one[i], "%s, row %d: %#x, not %#x",
                       f.name, i, got.fp8[format][i], one[i]);
        for (int i = 0; i < 5; ++i)
            CHECK_CASE(static_cast<int>(got.fp8x2[format][i]) == (i < 2 ? plain : scaled_two),
                       "%s, pair %d: %#x", f.name, i, got.fp8x2[format][i]);
    }
    const int digits[7] = {0, 0, 0, 0, 23, 10, 7};
    for (int i = 0; i < 7; ++i) {
        const unsigned int *s = digits[i] ? &seed : nullptr;
        int want = coded(e2m1, a, 3, s, digits[i]) | coded(e2m1, b, 3, s, digits[i]) << 4;
        CHECK_CASE(static_cast<int>(got.fp4x2[i]) == want, "E2M1, row %d: %#x, not %#x", i,
                   got.fp4x2[i], want);
    }
    of_classes host = classes_of(static_cast<float>(a), static_cast<float>(b), seed);
    CHECK(std::memcmp(&host, &got, sizeof host) == 0);
}

// ---- parts ----

__global__ void take_apart(unsigned int *out, float *floats)
{
    int n = 0;
    out[n++] = __amd_create_fp8x2(0x12, 0x34);
    out[n++] = __amd_create_fp4x2(0x5, 0xa);
    out[n++] = __amd_create_fp4x8(0x12, 0x34, 0x56, 0x78);
    __amd_fp8x8_storage_t eight = __amd_create_fp8x8(0x1234, 0x5678, 0x9abc, 0xdef0);
    for (int i = 0; i < 4; ++i)
        out[n++] = __amd_extract_fp8x2(eight, i);
    out[n++] = eight[7];
    for (int i = 0; i < 2; ++i)
        out[n++] = __amd_extract_fp8(0x1234, i);
    for (int i = 0; i < 2; ++i)
        out[n++] = __amd_extract_fp4(0x5a, i);
    for (int i = 0; i < 4; ++i)
        out[n++] = __amd_extract_fp4x2(0x12345678u, i);
    int m = 0;
    floats[m++] = __amd_scale_to_float(0);
    floats[m++] = __amd_scale_to_float(-10);
    floats[m++] = __amd_scale_to_float(127);
    floats[m++] = __amd_scale_to_float(-127);
    floats[m++] = __amd_scale_to_float(-128);
    float2 two = __amd_cvt_floatx2_to_float2(__amd_floatx2_storage_t{1.5f, -2});
    floats[m++] = two.x;
    floats[m++] = two.y;
    __half2 h2 = __floats2half2_rn(0.25f, -7);
    __amd_fp16x2_storage_t f16 = __amd_cvt_half2_to_fp16x2(h2);
    __half2 back = __amd_cvt_fp16x2_to_half2(f16);
    floats[m++] = static_cast<float>(f16[1]);
    floats[m++] = __half2float(__low2half(back));
    floats[m++] = __half2float(__amd_cvt_fp16_to_half(__amd_cvt_half_to_fp16(__high2half(back))));
    __hip_bfloat162 b2 = __floats2bfloat162_rn(0.125f, -9);
    __amd_bf16x2_storage_t bf16 = __amd_cvt_hipbf162_to_bf16x2(b2);
    __hip_bfloat162 bback = __amd_cvt_bf16x2_to_hipbf162(bf16);
    floats[m++] = static_cast<float>(bf16[1]);
    floats[m++] = __bfloat162float(bback.x);
    floats[m++] = __bfloat162float(__amd_cvt_bf16_to_hipbf16(__amd_cvt_hipbf16_to_bf16(bback.y)));
}
TEST("packed numbers are combined and split, and types of HIP keep their bits")
{
    const unsigned int want[16] = {0x3412, 0xa5, 0x78563412, 0x1234, 0x5678, 0x9abc, 0xdef0, 0xde,
                                   0x34,   0x12, 0xa,        0x5,    0x78,   0x56,   0x34,   0x12};
    const float want_floats[13] = {
        1,  0x1p-10f, 0x1p127f, 0, std::numeric_limits<float>::infinity(), 1.5f, -2, -7, 0.25f,
        -7, -9,       0.125f,   -9};
    ah_test::buffer<unsigned int> out(16);
    ah_test::buffer<float> floats(13);
    take_apart<<<1, 1>>>(out.device(), floats.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 16; ++i)
        CHECK_CASE(out.read()[i] == want[i], "row %d: %#x", i, out.host()[i]);
    for (int i = 0; i < 13; ++i)
        CHECK_CASE(floats.read()[i] == want_floats[i], "float %d: %g", i,
                   static_cast<double>(floats.host()[i]));
}

HIP_TEST_MAIN
