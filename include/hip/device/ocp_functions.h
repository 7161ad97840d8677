/* The functions of AMD's microscaling extension; ocp.h says what they compute. */
#ifndef HIP_DEVICE_OCP_FUNCTIONS_H
#define HIP_DEVICE_OCP_FUNCTIONS_H

#include "hip/device/ocp.h"

#define __AH_FN static __host__ __device__ inline
#if defined(__clang__)
#define __AH_UNROLL _Pragma("unroll") /* keeps the numbers in registers */
#else
#define __AH_UNROLL
#endif

namespace __ah
{
__AH_FN small_format ocp_format(__amd_fp4_interpretation_t) { return small_e2m1(); }
__AH_FN small_format ocp_format(__amd_fp6_interpretation_t interpret)
{
    return interpret == __AMD_OCP_E2M3 ? small_e2m3() : small_e3m2();
}
__AH_FN small_format ocp_format(__amd_fp8_interpretation_t interpret)
{
    return interpret == __AMD_OCP_E4M3 ? small_e4m3() : small_e5m2();
}

/* ---- floats, halves and brain floats as the bits of a float ---- */

template <typename T> struct ocp_type;
template <> struct ocp_type<float> {
    static constexpr int mantissa = 23;
    static __host__ __device__ unsigned int word(float x) { return bits_of_float(x); }
    static __host__ __device__ float value(unsigned int word) { return float_of_bits(word); }
};
template <> struct ocp_type<__amd_fp16_storage_t> {
    static constexpr int mantissa = 10;
    static __host__ __device__ unsigned int word(__amd_fp16_storage_t x)
    {
        unsigned short bits;
        __builtin_memcpy(&bits, &x, sizeof bits);
        return small_to_float(bits, small_half(), 0);
    }
    static __host__ __device__ __amd_fp16_storage_t value(unsigned int word)
    {
        unsigned short bits = small_half_bits(word);
        __amd_fp16_storage_t x;
        __builtin_memcpy(&x, &bits, sizeof x);
        return x;
    }
};
template <> struct ocp_type<__amd_bf16_storage_t> {
    static constexpr int mantissa = 7;
    static __host__ __device__ unsigned int word(__amd_bf16_storage_t x)
    {
        unsigned short bits;
        __builtin_memcpy(&bits, &x, sizeof bits);
        return static_cast<unsigned int>(bits) << 16;
    }
    static __host__ __device__ __amd_bf16_storage_t value(unsigned int word)
    {
        unsigned short bits = small_bfloat_bits(word);
        __amd_bf16_storage_t x;
        __builtin_memcpy(&x, &bits, sizeof x);
        return x;
    }
};

/* ---- one of them, or a vector ---- */

template <typename V> struct ocp_vector {
    typedef V element;
    static constexpr int count = 1;
    static __host__ __device__ V get(const V &v, int) { return v; }
    static __host__ __device__ void set(V &v, int, V x) { v = x; }
};
#define __AH_VECTOR(V, T, number)                                                                  \
    template <> struct ocp_vector<V> {                                                             \
        typedef T element;                                                                         \
        static constexpr int count = number;                                                       \
        static __host__ __device__ T get(const V &v, int i) { return v[i]; }                       \
        static __host__ __device__ void set(V &v, int i, T x) { v[i] = x; }                        \
    };
__AH_VECTOR(__amd_floatx2_storage_t, float, 2)
__AH_VECTOR(__amd_floatx8_storage_t, float, 8)
__AH_VECTOR(__amd_floatx32_storage_t, float, 32)
__AH_VECTOR(__amd_fp16x2_storage_t, __amd_fp16_storage_t, 2)
__AH_VECTOR(__amd_fp16x8_storage_t, __amd_fp16_storage_t, 8)
__AH_VECTOR(__amd_fp16x32_storage_t, __amd_fp16_storage_t, 32)
__AH_VECTOR(__amd_bf16x2_storage_t, __amd_bf16_storage_t, 2)
__AH_VECTOR(__amd_bf16x8_storage_t, __amd_bf16_storage_t, 8)
__AH_VECTOR(__amd_bf16x32_storage_t, __amd_bf16_storage_t, 32)
#undef __AH_VECTOR

/* ---- conversions of all numbers of a vector ---- */

/* digits: those that take part in stochastic rounding, 0 for none. */
template <typename P, typename V>
__AH_FN P ocp_pack(const V &v, small_format f, int scale, small_rounding rounding)
{
    typedef ocp_vector<V> vector;
    typedef ocp_type<typename vector::element> type;
    constexpr int words = (sizeof(P) + 3) / 4;
    unsigned int all[words + 1] = {}; /* one more than is used */
    int width = f.sign + 1;
    __AH_UNROLL
    for (int i = 0; i < vector::count; ++i) {
        int word = i * width / 32, bit = i * width % 32;
        unsigned int code = small_from_float(type::word(vector::get(v, i)), f, scale, rounding);
        all[word] |= code << bit;
        if (bit + width > 32)
            all[word + 1] |= code >> (32 - bit);
    }
    P packed;
    __builtin_memcpy(&packed, all, sizeof packed);
    return packed;
}
template <typename P, typename V, typename I>
__AH_FN P ocp_nearest(const V &v, I interpret, __amd_scale_t scale)
{
    return ocp_pack<P>(v, ocp_format(interpret), scale, small_nearest());
}
template <typename P, typename V, typename I>
__AH_FN P ocp_stochastic(const V &v, I interpret, unsigned int seed, __amd_scale_t scale)
{
    small_format f = ocp_format(interpret);
    constexpr int mantissa = ocp_type<typename ocp_vector<V>::element>::mantissa;
    return ocp_pack<P>(v, f, scale, {mantissa - f.mantissa, seed});
}

template <typename V, typename P, typename I>
__AH_FN V ocp_unpack(const P &packed, I interpret, int scale)
{
    typedef ocp_vector<V> vector;
    constexpr int words = (sizeof(P) + 3) / 4;
    unsigned int all[words + 1] = {};
    __builtin_memcpy(all, &packed, sizeof packed);
    small_format f = ocp_format(interpret);
    int width = f.sign + 1;
    V v;
    __AH_UNROLL
    for (int i = 0; i < vector::count; ++i) {
        int word = i * width / 32, bit = i * width % 32;
        unsigned int code = all[word] >> bit;
        if (bit + width > 32)
            code |= all[word + 1] << (32 - bit);
        vector::set(v, i,
                    ocp_type<typename vector::element>::value(small_to_float(code, f, scale)));
    }
    return v;
}

/* A float, rounded stochastically to one of 16 bits. */
template <typename T> __AH_FN T ocp_float_to(float x, small_format f, unsigned int seed)
{
    unsigned short bits = static_cast<unsigned short>(
        small_from_float(bits_of_float(x), f, 0, {23 - f.mantissa, seed}));
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
template <typename To, typename From> __AH_FN To ocp_same_bits(const From &from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    __builtin_memcpy(static_cast<void *>(&to), &from, sizeof to);
    return to;
}
} // namespace __ah

/* ---- parts ---- */

__AH_FN __amd_fp8x2_storage_t __amd_create_fp8x2(const __amd_fp8_storage_t x,
                                                 const __amd_fp8_storage_t y)
{
    return static_cast<__amd_fp8x2_storage_t>(x | y << 8);
}
__AH_FN __amd_fp4x2_storage_t __amd_create_fp4x2(const unsigned char x, const unsigned char y)
{
    return static_cast<__amd_fp4x2_storage_t>(x | y << 4);
}
__AH_FN __amd_fp4x8_storage_t __amd_create_fp4x8(const __amd_fp4x2_storage_t x,
                                                 const __amd_fp4x2_storage_t y,
                                                 const __amd_fp4x2_storage_t z,
                                                 const __amd_fp4x2_storage_t w)
{
    return x | static_cast<unsigned int>(y) << 8 | static_cast<unsigned int>(z) << 16 |
           static_cast<unsigned int>(w) << 24;
}
__AH_FN __amd_fp8x8_storage_t __amd_create_fp8x8(const __amd_fp8x2_storage_t x,
                                                 const __amd_fp8x2_storage_t y,
                                                 const __amd_fp8x2_storage_t z,
                                                 const __amd_fp8x2_storage_t w)
{
    unsigned short parts[4] = {x, y, z, w};
    return __ah::ocp_same_bits<__amd_fp8x8_storage_t>(parts);
}
__AH_FN __amd_fp8_storage_t __amd_extract_fp8(const __amd_fp8x2_storage_t x,
                                              const __SIZE_TYPE__ index)
{
    return static_cast<__amd_fp8_storage_t>(index == 0 ? x & 0xff : x >> 8);
}
__AH_FN __amd_fp8x2_storage_t __amd_extract_fp8x2(const __amd_fp8x8_storage_t x,
                                                  const __SIZE_TYPE__ index)
{
    return static_cast<__amd_fp8x2_storage_t>(__ah::ocp_same_bits<unsigned long long>(x) >>
                                              16 * index);
}
__AH_FN unsigned char __amd_extract_fp4(const __amd_fp4x2_storage_t x, const __SIZE_TYPE__ index)
{
    return static_cast<unsigned char>(index == 0 ? x & 0xf : x >> 4);
}
__AH_FN __amd_fp4x2_storage_t __amd_extract_fp4x2(const __amd_fp4x8_storage_t x,
                                                  const __SIZE_TYPE__ index)
{
    return static_cast<__amd_fp4x2_storage_t>(x >> 8 * index);
}
/* A float with the scale as its biased exponent, as GPUs take it: 0 for -127, infinity for NaN. */
__AH_FN float __amd_scale_to_float(const __amd_scale_t scale_exp)
{
    unsigned int exponent = scale_exp == __ah::small_scale_nan ? 255 : scale_exp + 127;
    return __ah::float_of_bits(exponent << 23);
}

/* ---- to small formats ---- */

/* Wide ones w of type W to small ones s, to nearest and stochastically. */
#define __AH_NARROW(w, W, s, format)                                                               \
    __AH_FN __amd_##s##_storage_t __amd_cvt_##w##_to_##s##_scale(                                  \
        const W val, const __amd_##format##_interpretation_t interpret, const __amd_scale_t scale) \
    {                                                                                              \
        return __ah::ocp_nearest<__amd_##s##_storage_t>(val, interpret, scale);                    \
    }
#define __AH_NARROW_SR(w, W, s, format)                                                            \
    __AH_FN __amd_##s##_storage_t __amd_cvt_##w##_to_##s##_sr_scale(                               \
        const W val, const __amd_##format##_interpretation_t interpret, const unsigned int seed,   \
        const __amd_scale_t scale)                                                                 \
    {                                                                                              \
        return __ah::ocp_stochastic<__amd_##s##_storage_t>(val, interpret, seed, scale);           \
    }
#define __AH_NARROW_ALL(number, s, format)                                                         \
    __AH_NARROW(float##number, __amd_float##number##_storage_t, s, format)                         \
    __AH_NARROW(fp16##number, __amd_fp16##number##_storage_t, s, format)                           \
    __AH_NARROW(bf16##number, __amd_bf16##number##_storage_t, s, format)
#define __AH_NARROW_ALL_SR(number, s, format)                                                      \
    __AH_NARROW_SR(float##number, __amd_float##number##_storage_t, s, format)                      \
    __AH_NARROW_SR(fp16##number, __amd_fp16##number##_storage_t, s, format)                        \
    __AH_NARROW_SR(bf16##number, __amd_bf16##number##_storage_t, s, format)
__AH_NARROW_ALL(x2, fp4x2, fp4)
__AH_NARROW_ALL(x8, fp4x8, fp4)
__AH_NARROW_ALL(x32, fp6x32, fp6)
__AH_NARROW_ALL(x2, fp8x2, fp8)
__AH_NARROW_ALL(x8, fp8x8, fp8)
__AH_NARROW_ALL_SR(x2, fp4x2, fp4)
__AH_NARROW_ALL_SR(x8, fp4x8, fp4)
__AH_NARROW_ALL_SR(x32, fp6x32, fp6)
__AH_NARROW_ALL_SR(x8, fp8x8, fp8)
__AH_NARROW_SR(float, float, fp8, fp8)
__AH_NARROW_SR(fp16, __amd_fp16_storage_t, fp8, fp8)
__AH_NARROW_SR(bf16, __amd_bf16_storage_t, fp8, fp8)
#undef __AH_NARROW_ALL_SR
#undef __AH_NARROW_ALL
#undef __AH_NARROW_SR
#undef __AH_NARROW

__AH_FN __amd_fp6x32_storage_t __amd_cvt_floatx16_floatx16_to_fp6x32_scale(
    const __amd_floatx16_storage_t in1, const __amd_floatx16_storage_t in2,
    const __amd_fp6_interpretation_t interpret, const __amd_scale_t scale)
{
    __amd_floatx32_storage_t all;
    for (int i = 0; i < 16; ++i) {
        all[i] = in1[i];
        all[16 + i] = in2[i];
    }
    return __ah::ocp_nearest<__amd_fp6x32_storage_t>(all, interpret, scale);
}
__AH_FN __amd_fp8x2_storage_t __amd_cvt_floatx2_to_fp8x2(const __amd_floatx2_storage_t val,
                                                         const __amd_fp8_interpretation_t interpret)
{
    return __ah::ocp_nearest<__amd_fp8x2_storage_t>(val, interpret, 0);
}
__AH_FN __amd_fp8x2_storage_t __amd_cvt_fp16x2_to_fp8x2(const __amd_fp16x2_storage_t val,
                                                        const __amd_fp8_interpretation_t interpret)
{
    return __ah::ocp_nearest<__amd_fp8x2_storage_t>(val, interpret, 0);
}
__AH_FN __amd_fp8_storage_t __amd_cvt_float_to_fp8_sr(const float val,
                                                      const __amd_fp8_interpretation_t interpret,
                                                      const unsigned int seed)
{
    return __ah::ocp_stochastic<__amd_fp8_storage_t>(val, interpret, seed, 0);
}
/* The seed has 16 bits, of which the topmost are used. */
__AH_FN __amd_fp8_storage_t __amd_cvt_fp16_to_fp8_sr(const __amd_fp16_storage_t val,
                                                     const __amd_fp8_interpretation_t interpret,
                                                     const short seed)
{
    unsigned int bits = static_cast<unsigned short>(seed);
    return __ah::ocp_stochastic<__amd_fp8_storage_t>(val, interpret, bits << 16, 0);
}

/* ---- stochastically to 16 bits; too large numbers become infinity ---- */

__AH_FN __amd_fp16_storage_t __amd_cvt_float_to_fp16_sr(const float in, const unsigned int seed)
{
    return __ah::ocp_float_to<__amd_fp16_storage_t>(in, __ah::small_half(), seed);
}
__AH_FN __amd_bf16_storage_t __amd_cvt_float_to_bf16_sr(const float in, const unsigned int seed)
{
    return __ah::ocp_float_to<__amd_bf16_storage_t>(in, __ah::small_bfloat(), seed);
}
__AH_FN __amd_fp16x2_storage_t __amd_cvt_float_float_to_fp16x2_sr(const float in1, const float in2,
                                                                  const unsigned int seed)
{
    __amd_fp16x2_storage_t pair;
    pair[0] = __amd_cvt_float_to_fp16_sr(in1, seed);
    pair[1] = __amd_cvt_float_to_fp16_sr(in2, seed);
    return pair;
}

/* ---- from small formats ---- */

#define __AH_WIDEN(s, w, W, format)                                                                \
    __AH_FN W __amd_cvt_##s##_to_##w##_scale(const __amd_##s##_storage_t val,                      \
                                             const __amd_##format##_interpretation_t interpret,    \
                                             const __amd_scale_t scale)                            \
    {                                                                                              \
        return __ah::ocp_unpack<W>(val, interpret, scale);                                         \
    }
#define __AH_WIDEN_ALL(s, number, format)                                                          \
    __AH_WIDEN(s, float##number, __amd_float##number##_storage_t, format)                          \
    __AH_WIDEN(s, fp16##number, __amd_fp16##number##_storage_t, format)                            \
    __AH_WIDEN(s, bf16##number, __amd_bf16##number##_storage_t, format)
__AH_WIDEN_ALL(fp4x2, x2, fp4)
__AH_WIDEN_ALL(fp4x8, x8, fp4)
__AH_WIDEN_ALL(fp6x32, x32, fp6)
__AH_WIDEN_ALL(fp8x2, x2, fp8)
__AH_WIDEN_ALL(fp8x8, x8, fp8)
__AH_WIDEN(fp8, float, float, fp8)
__AH_WIDEN(fp8, fp16, __amd_fp16_storage_t, fp8)
__AH_WIDEN(fp8, bf16, __amd_bf16_storage_t, fp8)
#undef __AH_WIDEN_ALL
#undef __AH_WIDEN

__AH_FN float __amd_cvt_fp8_to_float(const __amd_fp8_storage_t val,
                                     const __amd_fp8_interpretation_t interpret)
{
    return __ah::ocp_unpack<float>(val, interpret, 0);
}
__AH_FN __amd_fp16_storage_t __amd_cvt_fp8_to_fp16(const __amd_fp8_storage_t val,
                                                   const __amd_fp8_interpretation_t interpret)
{
    return __ah::ocp_unpack<__amd_fp16_storage_t>(val, interpret, 0);
}
__AH_FN __amd_floatx2_storage_t __amd_cvt_fp8x2_to_floatx2(
    const __amd_fp8x2_storage_t val, const __amd_fp8_interpretation_t interpret)
{
    return __ah::ocp_unpack<__amd_floatx2_storage_t>(val, interpret, 0);
}
__AH_FN __amd_fp16x2_storage_t __amd_cvt_fp8x2_to_fp16x2(const __amd_fp8x2_storage_t val,
                                                         const __amd_fp8_interpretation_t interpret)
{
    return __ah::ocp_unpack<__amd_fp16x2_storage_t>(val, interpret, 0);
}

/* ---- between these types and HIP's others, without a change of the bits ---- */

__AH_FN float2 __amd_cvt_floatx2_to_float2(const __amd_floatx2_storage_t in)
{
    return make_float2(in[0], in[1]);
}
__AH_FN __half __amd_cvt_fp16_to_half(const __amd_fp16_storage_t in)
{
    return __half(__ah::ocp_same_bits<__half_raw>(in));
}
__AH_FN __half2 __amd_cvt_fp16x2_to_half2(const __amd_fp16x2_storage_t in)
{
    return __half2(__ah::ocp_same_bits<__half2_raw>(in));
}
__AH_FN __amd_fp16_storage_t __amd_cvt_half_to_fp16(const __half in)
{
    return __ah::ocp_same_bits<__amd_fp16_storage_t>(static_cast<__half_raw>(in));
}
__AH_FN __amd_fp16x2_storage_t __amd_cvt_half2_to_fp16x2(const __half2 in)
{
    return __ah::ocp_same_bits<__amd_fp16x2_storage_t>(static_cast<__half2_raw>(in));
}
__AH_FN __hip_bfloat16 __amd_cvt_bf16_to_hipbf16(const __amd_bf16_storage_t in)
{
    return __hip_bfloat16(__ah::ocp_same_bits<__hip_bfloat16_raw>(in));
}
__AH_FN __hip_bfloat162 __amd_cvt_bf16x2_to_hipbf162(const __amd_bf16x2_storage_t in)
{
    return __hip_bfloat162(__ah::ocp_same_bits<__hip_bfloat162_raw>(in));
}
__AH_FN __amd_bf16_storage_t __amd_cvt_hipbf16_to_bf16(const __hip_bfloat16 in)
{
    return __ah::ocp_same_bits<__amd_bf16_storage_t>(static_cast<__hip_bfloat16_raw>(in));
}
__AH_FN __amd_bf16x2_storage_t __amd_cvt_hipbf162_to_bf16x2(const __hip_bfloat162 in)
{
    return __ah::ocp_same_bits<__amd_bf16x2_storage_t>(static_cast<__hip_bfloat162_raw>(in));
}

#undef __AH_UNROLL
#undef __AH_FN
#endif
