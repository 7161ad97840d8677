/* Half precision numbers, IEEE 754 binary16. A single operation is computed in half by the
 * hardware where there is one (add.f16, fma.rn.f16x2; v_add_f16, v_pk_fma_f16), else in
 * float and rounded once, which gives the same result. Functions such as hexp are computed
 * in float and rounded: at most 1 ULP.
 *
 * __HIP_NO_HALF_CONVERSIONS__ and __HIP_NO_HALF_OPERATORS__ leave out the implicit
 * conversions and the operators. */
#ifndef HIP_DEVICE_FP16_H
#define HIP_DEVICE_FP16_H

#include "hip/device/qualifiers.h"
#include "hip/hip_vector_types.h"

#if !defined(__cplusplus)

typedef struct {
    unsigned short x;
} __half_raw;
typedef struct {
    unsigned short x, y;
} __attribute__((aligned(4))) __half2_raw;
typedef __half_raw __half;
typedef __half2_raw __half2;

#else

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnested-anon-types"
#endif
#if defined(__clang__) && defined(__FLT16_MAX__)
#define __AH_HALF_NATIVE 1 /* the compiler has _Float16 and vectors of it */
#endif

#if __AH_HALF_NATIVE
typedef _Float16 __ah_float16_2 __attribute__((ext_vector_type(2)));
#endif

/* The bits alone. */
struct __half_raw {
#if __AH_HALF_NATIVE
    union {
        _Float16 data;
        unsigned short x;
    };
#else
    unsigned short x;
#endif
};
struct alignas(4) __half2_raw {
#if __AH_HALF_NATIVE
    union {
        __ah_float16_2 data;
        __extension__ struct {
            unsigned short x, y;
        };
    };
#else
    unsigned short x, y;
#endif
};

namespace __ah
{
template <bool condition, typename T = int> struct half_if {
};
template <typename T> struct half_if<true, T> {
    typedef T type;
};
template <typename T> struct half_scalar { /* bool to long double */
    static constexpr int kind = 0;
};
#define __AH_SCALAR(T, number)                                                                     \
    template <> struct half_scalar<T> {                                                            \
        static constexpr int kind = number;                                                        \
    };
__AH_SCALAR(bool, 1)
__AH_SCALAR(char, 1)
__AH_SCALAR(signed char, 1)
__AH_SCALAR(unsigned char, 1)
__AH_SCALAR(short, 1)
__AH_SCALAR(unsigned short, 1)
__AH_SCALAR(int, 1)
__AH_SCALAR(unsigned int, 1)
__AH_SCALAR(long, 1)
__AH_SCALAR(unsigned long, 1)
__AH_SCALAR(long long, 1)
__AH_SCALAR(unsigned long long, 1)
__AH_SCALAR(float, 2)
__AH_SCALAR(double, 2)
__AH_SCALAR(long double, 2)
#if __AH_HALF_NATIVE
__AH_SCALAR(_Float16, 2)
#endif
#undef __AH_SCALAR

/* Between the bits of a half and a float. */
#if __AH_HALF_NATIVE
__host__ __device__ inline float half_to_float(unsigned short bits)
{
    return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
__host__ __device__ inline unsigned short half_from_float(float value)
{
    return __builtin_bit_cast(unsigned short, static_cast<_Float16>(value));
}
__host__ __device__ inline unsigned short half_from_double(double value)
{
    return __builtin_bit_cast(unsigned short, static_cast<_Float16>(value));
}
#else
inline float half_to_float(unsigned short bits)
{
    unsigned int sign = static_cast<unsigned int>(bits & 0x8000) << 16, rest = bits & 0x7fff, word;
    float value;
    if (rest >= 0x7c00) {
        word = sign | 0x7f800000 | (rest & 0x3ff) << 13; /* infinity, NaN */
    } else {
        /* the fraction and the exponent in their float places, the bias by a multiplication,
         * which also makes subnormal numbers normal */
        word = rest << 13;
        __builtin_memcpy(&value, &word, 4);
        value *= 5192296858534827628530496329220096.0f; /* 2^112 */
        __builtin_memcpy(&word, &value, 4);
        word |= sign;
    }
    __builtin_memcpy(&value, &word, 4);
    return value;
}
inline unsigned short half_from_float(float value)
{
    unsigned int word;
    __builtin_memcpy(&word, &value, 4);
    unsigned int sign = word >> 16 & 0x8000, rest = word & 0x7fffffff;
    if (rest > 0x7f800000)
        return static_cast<unsigned short>(sign | 0x7e00 | (rest >> 13 & 0x3ff));
    if (rest >= 0x477ff000) /* 65520 and up */
        return static_cast<unsigned short>(sign | 0x7c00);
    if (rest < 0x38800000) { /* subnormal: the addition rounds at the right place */
        float scale;
        __builtin_memcpy(&scale, &rest, 4);
        scale += 0.5f;
        __builtin_memcpy(&rest, &scale, 4);
        return static_cast<unsigned short>(sign | (rest - 0x3f000000));
    }
    rest += 0xfff + (rest >> 13 & 1); /* to nearest even */
    return static_cast<unsigned short>(sign | ((rest - 0x38000000) >> 13));
}
inline unsigned short half_from_double(double value)
{
    /* to float, rounded to odd where inexact, so that the second rounding is right */
    float f = static_cast<float>(value);
    double back = f;
    unsigned int word;
    __builtin_memcpy(&word, &f, 4);
    if (back != value && value == value && !(word & 1))
        word += (back < value) == (value > 0) ? 1 : -1u;
    __builtin_memcpy(&f, &word, 4);
    return half_from_float(f);
}
#endif
} // namespace __ah

struct __half {
  protected:
    union {
#if __AH_HALF_NATIVE
        _Float16 data;
#endif
        unsigned short __x;
    };

    static __host__ __device__ __half of(unsigned short bits)
    {
        __half h;
        h.__x = bits;
        return h;
    }

  public:
    __half() = default;
    __host__ __device__ __half(const __half_raw &raw) : __x(raw.x) {}
    __host__ __device__ __half &operator=(const __half_raw &raw)
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ volatile __half &operator=(const __half_raw &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ volatile __half &operator=(const volatile __half_raw &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ __half &operator=(__half_raw &&raw)
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ volatile __half &operator=(__half_raw &&raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ volatile __half &operator=(volatile __half_raw &&raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ operator __half_raw() const
    {
        __half_raw raw;
        raw.x = __x;
        return raw;
    }
    __host__ __device__ operator __half_raw() const volatile
    {
        __half_raw raw;
        raw.x = __x;
        return raw;
    }

#if !defined(__HIP_NO_HALF_CONVERSIONS__)
#if __AH_HALF_NATIVE
    template <typename T, typename __ah::half_if<(__ah::half_scalar<T>::kind > 0)>::type = 0>
    __host__ __device__ constexpr __half(T value) : data(static_cast<_Float16>(value))
    {
    }
    template <typename T, typename __ah::half_if<(__ah::half_scalar<T>::kind > 0)>::type = 0>
    __host__ __device__ __half &operator=(T value)
    {
        data = static_cast<_Float16>(value);
        return *this;
    }
    /* for what converts to a number by itself */
    __host__ __device__ constexpr __half(_Float16 value) : data(value) {}
    /* templates, so that no built-in operator competes with those below */
    template <typename T, typename __ah::half_if<(__ah::half_scalar<T>::kind > 0)>::type = 0>
    __host__ __device__ operator T() const
    {
        return static_cast<T>(data);
    }
#else
    template <typename T, typename __ah::half_if<(__ah::half_scalar<T>::kind > 0)>::type = 0>
    __half(T value) : __x(__ah::half_from_double(static_cast<double>(value)))
    {
    }
    __half(float value) : __x(__ah::half_from_float(value)) {}
    template <typename T, typename __ah::half_if<(__ah::half_scalar<T>::kind > 0)>::type = 0>
    __half &operator=(T value)
    {
        __x = __ah::half_from_double(static_cast<double>(value));
        return *this;
    }
    template <typename T, typename __ah::half_if<(__ah::half_scalar<T>::kind > 0)>::type = 0>
    operator T() const
    {
        return static_cast<T>(__ah::half_to_float(__x));
    }
#endif
#endif

#if !defined(__HIP_NO_HALF_OPERATORS__)
#if __AH_HALF_NATIVE
#define __AH_HALF_OPERATOR(op)                                                                     \
    friend __host__ __device__ inline __half operator op(const __half &a, const __half &b)         \
    {                                                                                              \
        return of(__builtin_bit_cast(unsigned short, static_cast<_Float16>(a.data op b.data)));    \
    }                                                                                              \
    __host__ __device__ __half &operator op##=(const __half &b) { return *this = *this op b; }
#define __AH_HALF_COMPARISON(op)                                                                   \
    friend __host__ __device__ inline bool operator op(const __half &a, const __half &b)           \
    {                                                                                              \
        return a.data op b.data;                                                                   \
    }
#else
#define __AH_HALF_OPERATOR(op)                                                                     \
    friend inline __half operator op(const __half &a, const __half &b)                             \
    {                                                                                              \
        return of(                                                                                 \
            __ah::half_from_float(__ah::half_to_float(a.__x) op __ah::half_to_float(b.__x)));      \
    }                                                                                              \
    __half &operator op##=(const __half &b) { return *this = *this op b; }
#define __AH_HALF_COMPARISON(op)                                                                   \
    friend inline bool operator op(const __half &a, const __half &b)                               \
    {                                                                                              \
        return __ah::half_to_float(a.__x) op __ah::half_to_float(b.__x);                           \
    }
#endif
    __AH_HALF_OPERATOR(+)
    __AH_HALF_OPERATOR(-)
    __AH_HALF_OPERATOR(*)
    __AH_HALF_OPERATOR(/)
    __AH_HALF_COMPARISON(==)
    __AH_HALF_COMPARISON(!=)
    __AH_HALF_COMPARISON(<)
    __AH_HALF_COMPARISON(>)
    __AH_HALF_COMPARISON(<=)
    __AH_HALF_COMPARISON(>=)
#undef __AH_HALF_OPERATOR
#undef __AH_HALF_COMPARISON
    __host__ __device__ __half operator+() const { return *this; }
    __host__ __device__ __half operator-() const
    {
        return of(static_cast<unsigned short>(__x ^ 0x8000));
    }
    __host__ __device__ __half &operator++() { return *this += of(0x3c00); }
    __host__ __device__ __half &operator--() { return *this -= of(0x3c00); }
    __host__ __device__ __half operator++(int)
    {
        __half before(*this);
        ++*this;
        return before;
    }
    __host__ __device__ __half operator--(int)
    {
        __half before(*this);
        --*this;
        return before;
    }
#endif
};

struct alignas(4) __half2 {
#if __AH_HALF_NATIVE
    union {
        __extension__ struct {
            __half x, y;
        };
        __ah_float16_2 data;
    };
#else
    __half x, y;
#endif

    __half2() = default;
    __host__ __device__ __half2(const __half &x_, const __half &y_) : x(x_), y(y_) {}
    __host__ __device__ __half2(const __half2_raw &raw) { *this = raw; }
    __host__ __device__ __half2 &operator=(const __half2_raw &raw)
    {
        __builtin_memcpy(this, &raw, 4);
        return *this;
    }
    __host__ __device__ operator __half2_raw() const
    {
        __half2_raw raw;
        __builtin_memcpy(&raw, this, 4);
        return raw;
    }
#if __AH_HALF_NATIVE
    __host__ __device__ __half2(__ah_float16_2 both) : data(both) {}
    __host__ __device__ operator __ah_float16_2() const { return data; }
#endif

#if !defined(__HIP_NO_HALF_OPERATORS__)
#if __AH_HALF_NATIVE
#define __AH_HALF2_OPERATOR(op)                                                                    \
    friend __host__ __device__ inline __half2 operator op(const __half2 &a, const __half2 &b)      \
    {                                                                                              \
        return __half2(static_cast<__ah_float16_2>(a.data op b.data));                             \
    }                                                                                              \
    __host__ __device__ __half2 &operator op##=(const __half2 &b) { return *this = *this op b; }
#else
#define __AH_HALF2_OPERATOR(op)                                                                    \
    friend inline __half2 operator op(const __half2 &a, const __half2 &b)                          \
    {                                                                                              \
        return __half2(a.x op b.x, a.y op b.y);                                                    \
    }                                                                                              \
    __half2 &operator op##=(const __half2 &b) { return *this = *this op b; }
#endif
/* true where it holds for both components; != where it holds for either */
#define __AH_HALF2_COMPARISON(op)                                                                  \
    friend __host__ __device__ inline bool operator op(const __half2 &a, const __half2 &b)         \
    {                                                                                              \
        return a.x op b.x && a.y op b.y;                                                           \
    }
    __AH_HALF2_OPERATOR(+)
    __AH_HALF2_OPERATOR(-)
    __AH_HALF2_OPERATOR(*)
    __AH_HALF2_OPERATOR(/)
    __AH_HALF2_COMPARISON(==)
    __AH_HALF2_COMPARISON(<)
    __AH_HALF2_COMPARISON(>)
#undef __AH_HALF2_OPERATOR
#undef __AH_HALF2_COMPARISON
    friend __host__ __device__ inline bool operator!=(const __half2 &a, const __half2 &b)
    {
        return !(a == b);
    }
    /* not >, and not <, as in HIP: also true of pairs of which neither is less */
    friend __host__ __device__ inline bool operator<=(const __half2 &a, const __half2 &b)
    {
        return !(a > b);
    }
    friend __host__ __device__ inline bool operator>=(const __half2 &a, const __half2 &b)
    {
        return !(a < b);
    }
    __host__ __device__ __half2 operator+() const { return *this; }
    __host__ __device__ __half2 operator-() const { return __half2(-x, -y); }
    __host__ __device__ __half2 &operator++()
    {
        ++x;
        ++y;
        return *this;
    }
    __host__ __device__ __half2 &operator--()
    {
        --x;
        --y;
        return *this;
    }
    __host__ __device__ __half2 operator++(int)
    {
        __half2 before(*this);
        ++*this;
        return before;
    }
    __host__ __device__ __half2 operator--(int)
    {
        __half2 before(*this);
        --*this;
        return before;
    }
#endif
};

typedef __half half;
typedef __half2 half2;

#define __AH_FN               static __host__ __device__ inline

/* ---- bits, parts, pairs ---- */

namespace __ah
{
__AH_FN unsigned short half_bits(__half h) { return static_cast<__half_raw>(h).x; }
__AH_FN __half half_of(unsigned short bits)
{
    __half_raw raw;
    raw.x = bits;
    return __half(raw);
}
__AH_FN float half_value(__half h) { return half_to_float(half_bits(h)); }
__AH_FN __half half_rounded(float x) { return half_of(half_from_float(x)); }
} // namespace __ah

__AH_FN short __half_as_short(__half h) { return static_cast<short>(__ah::half_bits(h)); }
__AH_FN unsigned short __half_as_ushort(__half h) { return __ah::half_bits(h); }
__AH_FN __half __short_as_half(short bits)
{
    return __ah::half_of(static_cast<unsigned short>(bits));
}
__AH_FN __half __ushort_as_half(unsigned short bits) { return __ah::half_of(bits); }

#define HIPRT_ZERO_FP16       __ushort_as_half(0x0000)
#define HIPRT_NEG_ZERO_FP16   __ushort_as_half(0x8000)
#define HIPRT_ONE_FP16        __ushort_as_half(0x3c00)
#define HIPRT_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define HIPRT_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define HIPRT_INF_FP16        __ushort_as_half(0x7c00)
#define HIPRT_NAN_FP16        __ushort_as_half(0x7fff)

__AH_FN __half2 make_half2(__half x, __half y) { return __half2(x, y); }
__AH_FN __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
__AH_FN __half2 __half2half2(__half x) { return __half2(x, x); }
__AH_FN __half __low2half(__half2 a) { return a.x; }
__AH_FN __half __high2half(__half2 a) { return a.y; }
__AH_FN __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__AH_FN __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__AH_FN __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__AH_FN __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__AH_FN __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }

/* ---- conversions from and to float and double ---- */

namespace __ah
{
/* The next half in a direction, for a rounding that nearest got wrong. */
__AH_FN unsigned short half_up(unsigned short b)
{
    return static_cast<unsigned short>((b & 0x7fff) == 0 ? 0x0001 : b & 0x8000 ? b - 1 : b + 1);
}
__AH_FN unsigned short half_down(unsigned short b)
{
    return static_cast<unsigned short>((b & 0x7fff) == 0 ? 0x8001 : b & 0x8000 ? b + 1 : b - 1);
}
__AH_FN __half half_rounded_down(float x)
{
    unsigned short b = half_from_float(x);
    return half_of(half_to_float(b) > x ? half_down(b) : b);
}
__AH_FN __half half_rounded_up(float x)
{
    unsigned short b = half_from_float(x);
    return half_of(half_to_float(b) < x ? half_up(b) : b);
}
} // namespace __ah

__AH_FN float __half2float(__half h) { return __ah::half_value(h); }
__AH_FN __half __float2half(float x) { return __ah::half_rounded(x); }
__AH_FN __half __float2half_rn(float x) { return __ah::half_rounded(x); }
__AH_FN __half __float2half_rd(float x) { return __ah::half_rounded_down(x); }
__AH_FN __half __float2half_ru(float x) { return __ah::half_rounded_up(x); }
__AH_FN __half __float2half_rz(float x)
{
    return x < 0 ? __ah::half_rounded_up(x) : __ah::half_rounded_down(x);
}
__AH_YIELDING __AH_FN __half __double2half(double x) { return __ah::half_of(__ah::half_from_double(x)); }
__AH_FN __half2 __float2half2_rn(float x) { return __half2half2(__ah::half_rounded(x)); }
__AH_FN __half2 __floats2half2_rn(float x, float y)
{
    return __half2(__ah::half_rounded(x), __ah::half_rounded(y));
}
__AH_FN __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__AH_FN float __low2float(__half2 a) { return __ah::half_value(a.x); }
__AH_FN float __high2float(__half2 a) { return __ah::half_value(a.y); }
__AH_FN float2 __half22float2(__half2 a) { return make_float2(__low2float(a), __high2float(a)); }

#undef __AH_FN
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#if defined(__clang__) && defined(__HIP__)
#include "hip/device/fp16_functions.h"
#endif

#endif /* C++ */
#endif
