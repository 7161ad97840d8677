/* Brain floating point: the upper half of a float. Everything is computed in float and
 * rounded to nearest even, which for a single operation is the correctly rounded result. */
#ifndef HIP_DEVICE_BF16_H
#define HIP_DEVICE_BF16_H

#include "hip/device/qualifiers.h"
#include "hip/hip_vector_types.h"

#if !defined(__cplusplus)

typedef struct {
    unsigned short x;
} __hip_bfloat16_raw;
typedef struct {
    unsigned short x, y;
} __attribute__((aligned(4))) __hip_bfloat162_raw;
typedef __hip_bfloat16_raw __hip_bfloat16;
typedef __hip_bfloat162_raw __hip_bfloat162;

#else

#include "hip/device/bfloat_bits.h"

#define __AH_FN static __host__ __device__ inline

/* The bits alone. */
struct __hip_bfloat16_raw {
    unsigned short x;
};
struct alignas(4) __hip_bfloat162_raw {
    unsigned short x, y;
};

struct alignas(2) __hip_bfloat16 {
  protected:
    unsigned short __x;

  public:
    __hip_bfloat16() = default;
    __host__ __device__ __hip_bfloat16(const __hip_bfloat16_raw &raw) : __x(raw.x) {}
    __host__ __device__ __hip_bfloat16(float v) : __x(__ah::bfloat_from_float(v)) {}
    __host__ __device__ __hip_bfloat16(double v) : __x(__ah::bfloat_from_double(v)) {}
#define __AH_FROM(T)                                                                               \
    __host__ __device__ __hip_bfloat16(T v)                                                        \
        : __x(__ah::bfloat_from_double(static_cast<double>(v)))                                    \
    {                                                                                              \
    }
    __AH_FROM(short)
    __AH_FROM(unsigned short)
    __AH_FROM(int)
    __AH_FROM(unsigned int)
    __AH_FROM(long)
    __AH_FROM(unsigned long)
    __AH_FROM(long long)
    __AH_FROM(unsigned long long)
#undef __AH_FROM

    __host__ __device__ operator __hip_bfloat16_raw() const
    {
        __hip_bfloat16_raw raw = {__x};
        return raw;
    }
    __host__ __device__ operator __hip_bfloat16_raw() const volatile
    {
        __hip_bfloat16_raw raw = {__x};
        return raw;
    }
    __host__ __device__ operator float() const { return __ah::bfloat_to_float(__x); }
    __host__ __device__ operator bool() const { return (__x & 0x7fff) != 0; }
#define __AH_TO(T)                                                                                 \
    __host__ __device__ operator T() const { return static_cast<T>(__ah::bfloat_to_float(__x)); }
    __AH_TO(char)
    __AH_TO(signed char)
    __AH_TO(unsigned char)
    __AH_TO(short)
    __AH_TO(unsigned short)
    __AH_TO(int)
    __AH_TO(unsigned int)
    __AH_TO(long)
    __AH_TO(unsigned long)
    __AH_TO(long long)
    __AH_TO(unsigned long long)
#undef __AH_TO

    __host__ __device__ __hip_bfloat16 &operator=(const __hip_bfloat16_raw &raw)
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ volatile __hip_bfloat16 &operator=(const __hip_bfloat16_raw &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ volatile __hip_bfloat16 &
    operator=(const volatile __hip_bfloat16_raw &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
#define __AH_ASSIGN(T)                                                                             \
    __host__ __device__ __hip_bfloat16 &operator=(T v) { return *this = __hip_bfloat16(v); }
    __AH_ASSIGN(float)
    __AH_ASSIGN(double)
    __AH_ASSIGN(short)
    __AH_ASSIGN(unsigned short)
    __AH_ASSIGN(int)
    __AH_ASSIGN(unsigned int)
    __AH_ASSIGN(long)
    __AH_ASSIGN(unsigned long)
    __AH_ASSIGN(long long)
    __AH_ASSIGN(unsigned long long)
#undef __AH_ASSIGN
};

struct alignas(4) __hip_bfloat162 {
    __hip_bfloat16 x, y;

    __hip_bfloat162() = default;
    __host__ __device__ __hip_bfloat162(const __hip_bfloat16 &x_, const __hip_bfloat16 &y_)
        : x(x_), y(y_)
    {
    }
    __host__ __device__ __hip_bfloat162(const __hip_bfloat162_raw &raw)
    {
        __builtin_memcpy(this, &raw, 4);
    }
    __host__ __device__ __hip_bfloat162 &operator=(const __hip_bfloat162_raw &raw)
    {
        __builtin_memcpy(this, &raw, 4);
        return *this;
    }
    __host__ __device__ operator __hip_bfloat162_raw() const
    {
        __hip_bfloat162_raw raw;
        __builtin_memcpy(&raw, this, 4);
        return raw;
    }
    __host__ __device__ operator float2() const
    {
        return make_float2(static_cast<float>(x), static_cast<float>(y));
    }
};

/* ---- bits, conversions, parts, pairs ---- */

namespace __ah
{
__AH_FN unsigned short bfloat_bits(__hip_bfloat16 a)
{
    return static_cast<__hip_bfloat16_raw>(a).x;
}
__AH_FN __hip_bfloat16 bfloat_of(unsigned short bits)
{
    __hip_bfloat16_raw raw = {bits};
    return __hip_bfloat16(raw);
}
__AH_FN float bfloat_value(__hip_bfloat16 a) { return bfloat_to_float(bfloat_bits(a)); }
} // namespace __ah

__AH_FN short __bfloat16_as_short(__hip_bfloat16 a)
{
    return static_cast<short>(__ah::bfloat_bits(a));
}
__AH_FN unsigned short __bfloat16_as_ushort(__hip_bfloat16 a) { return __ah::bfloat_bits(a); }
__AH_FN __hip_bfloat16 __short_as_bfloat16(short bits)
{
    return __ah::bfloat_of(static_cast<unsigned short>(bits));
}
__AH_FN __hip_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __ah::bfloat_of(bits); }

#define HIPRT_ZERO_BF16       __ushort_as_bfloat16(0x0000)
#define HIPRT_NEG_ZERO_BF16   __ushort_as_bfloat16(0x8000)
#define HIPRT_ONE_BF16        __ushort_as_bfloat16(0x3f80)
#define HIPRT_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define HIPRT_INF_BF16        __ushort_as_bfloat16(0x7f80)
#define HIPRT_NAN_BF16        __ushort_as_bfloat16(0x7fff)

__AH_FN float __bfloat162float(__hip_bfloat16 a) { return __ah::bfloat_value(a); }
__AH_FN __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16(x); }
__AH_YIELDING __AH_FN __hip_bfloat16 __float2bfloat16_rn(float x) { return __hip_bfloat16(x); }
__AH_FN __hip_bfloat16 __double2bfloat16(double x) { return __hip_bfloat16(x); }
__AH_YIELDING __AH_FN __hip_bfloat162 __float2bfloat162_rn(float x)
{
    return __hip_bfloat162(__hip_bfloat16(x), __hip_bfloat16(x));
}
__AH_YIELDING __AH_FN __hip_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return __hip_bfloat162(__hip_bfloat16(x), __hip_bfloat16(y));
}
__AH_FN __hip_bfloat162 __float22bfloat162_rn(float2 a)
{
    return __hip_bfloat162(__hip_bfloat16(a.x), __hip_bfloat16(a.y));
}
__AH_FN float2 __bfloat1622float2(__hip_bfloat162 a) { return static_cast<float2>(a); }

__AH_FN __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y)
{
    return __hip_bfloat162(x, y);
}
__AH_YIELDING __AH_FN __hip_bfloat162 make_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y)
{
    return __hip_bfloat162(x, y);
}
__AH_FN __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return __hip_bfloat162(x, x); }
__AH_FN __hip_bfloat16 __low2bfloat16(__hip_bfloat162 a) { return a.x; }
__AH_FN __hip_bfloat16 __high2bfloat16(__hip_bfloat162 a) { return a.y; }
__AH_FN __hip_bfloat162 __low2bfloat162(__hip_bfloat162 a) { return __hip_bfloat162(a.x, a.x); }
__AH_FN __hip_bfloat162 __high2bfloat162(__hip_bfloat162 a) { return __hip_bfloat162(a.y, a.y); }
__AH_FN __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return __hip_bfloat162(a.x, b.x);
}
__AH_FN __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return __hip_bfloat162(a.y, b.y);
}
__AH_FN __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 a) { return __hip_bfloat162(a.y, a.x); }
__AH_FN float __low2float(__hip_bfloat162 a) { return __ah::bfloat_value(a.x); }
__AH_FN float __high2float(__hip_bfloat162 a) { return __ah::bfloat_value(a.y); }

/* ---- arithmetic ---- */

#define __AH_BFLOAT_OPERATION(name, name2, op)                                                     \
    __AH_FN __hip_bfloat16 name(__hip_bfloat16 a, __hip_bfloat16 b)                                \
    {                                                                                              \
        return __hip_bfloat16(__ah::bfloat_value(a) op __ah::bfloat_value(b));                     \
    }                                                                                              \
    __AH_FN __hip_bfloat162 name2(__hip_bfloat162 a, __hip_bfloat162 b)                            \
    {                                                                                              \
        return __hip_bfloat162(name(a.x, b.x), name(a.y, b.y));                                    \
    }                                                                                              \
    __AH_FN __hip_bfloat16 operator op(const __hip_bfloat16 &a, const __hip_bfloat16 &b)           \
    {                                                                                              \
        return name(a, b);                                                                         \
    }                                                                                              \
    __AH_FN __hip_bfloat162 operator op(const __hip_bfloat162 &a, const __hip_bfloat162 &b)        \
    {                                                                                              \
        return name2(a, b);                                                                        \
    }                                                                                              \
    __AH_FN __hip_bfloat16 &operator op##=(__hip_bfloat16 &a, const __hip_bfloat16 &b)             \
    {                                                                                              \
        return a = name(a, b);                                                                     \
    }                                                                                              \
    __AH_FN __hip_bfloat162 &operator op##=(__hip_bfloat162 &a, const __hip_bfloat162 &b)          \
    {                                                                                              \
        return a = name2(a, b);                                                                    \
    }
__AH_BFLOAT_OPERATION(__hadd, __hadd2, +)
__AH_BFLOAT_OPERATION(__hsub, __hsub2, -)
__AH_BFLOAT_OPERATION(__hmul, __hmul2, *)
__AH_BFLOAT_OPERATION(__hdiv, __h2div, /)
#undef __AH_BFLOAT_OPERATION

__AH_FN __hip_bfloat16 __hneg(__hip_bfloat16 a)
{
    return __ah::bfloat_of(static_cast<unsigned short>(__ah::bfloat_bits(a) ^ 0x8000));
}
__AH_FN __hip_bfloat162 __hneg2(__hip_bfloat162 a)
{
    return __hip_bfloat162(__hneg(a.x), __hneg(a.y));
}
__AH_FN __hip_bfloat16 __habs(__hip_bfloat16 a)
{
    return __ah::bfloat_of(static_cast<unsigned short>(__ah::bfloat_bits(a) & 0x7fff));
}
__AH_FN __hip_bfloat162 __habs2(__hip_bfloat162 a)
{
    return __hip_bfloat162(__habs(a.x), __habs(a.y));
}
/* the product is exact in float; the sum is rounded to float, then to 8 bits */
__AH_FN __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c)
{
    return __hip_bfloat16(__ah::bfloat_value(a) * __ah::bfloat_value(b) + __ah::bfloat_value(c));
}
__AH_FN __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c)
{
    return __hip_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

__AH_FN __hip_bfloat16 operator+(const __hip_bfloat16 &a) { return a; }
__AH_FN __hip_bfloat16 operator-(const __hip_bfloat16 &a) { return __hneg(a); }
__AH_FN __hip_bfloat162 operator+(const __hip_bfloat162 &a) { return a; }
__AH_FN __hip_bfloat162 operator-(const __hip_bfloat162 &a) { return __hneg2(a); }
__AH_FN __hip_bfloat16 &operator++(__hip_bfloat16 &a) { return a += __hip_bfloat16(1.0f); }
__AH_FN __hip_bfloat16 &operator--(__hip_bfloat16 &a) { return a -= __hip_bfloat16(1.0f); }
__AH_FN __hip_bfloat16 operator++(__hip_bfloat16 &a, int)
{
    __hip_bfloat16 before = a;
    ++a;
    return before;
}
__AH_FN __hip_bfloat16 operator--(__hip_bfloat16 &a, int)
{
    __hip_bfloat16 before = a;
    --a;
    return before;
}
__AH_FN __hip_bfloat162 &operator++(__hip_bfloat162 &a)
{
    ++a.x;
    ++a.y;
    return a;
}
__AH_FN __hip_bfloat162 &operator--(__hip_bfloat162 &a)
{
    --a.x;
    --a.y;
    return a;
}
__AH_FN __hip_bfloat162 operator++(__hip_bfloat162 &a, int)
{
    __hip_bfloat162 before = a;
    ++a;
    return before;
}
__AH_FN __hip_bfloat162 operator--(__hip_bfloat162 &a, int)
{
    __hip_bfloat162 before = a;
    --a;
    return before;
}

/* ---- comparisons ---- */

__AH_FN bool __hisnan(__hip_bfloat16 a) { return (__ah::bfloat_bits(a) & 0x7fff) > 0x7f80; }
/* 1 for either infinity */
__AH_FN int __hisinf(__hip_bfloat16 a) { return (__ah::bfloat_bits(a) & 0x7fff) == 0x7f80; }

/* __heq(a, b) is false where one is a NaN, __hequ(a, b) true. For pairs __heq2 gives 1.0 or
 * 0.0 in each component, __hbeq2 whether it holds for both. */
#define __AH_BFLOAT_COMPARE(name, op)                                                              \
    __AH_FN bool __h##name(__hip_bfloat16 a, __hip_bfloat16 b)                                     \
    {                                                                                              \
        return !__hisnan(a) && !__hisnan(b) && __ah::bfloat_value(a) op __ah::bfloat_value(b);     \
    }                                                                                              \
    __AH_FN bool __h##name##u(__hip_bfloat16 a, __hip_bfloat16 b)                                  \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) || __ah::bfloat_value(a) op __ah::bfloat_value(b);       \
    }                                                                                              \
    __AH_FN __hip_bfloat162 __h##name##2(__hip_bfloat162 a, __hip_bfloat162 b)                     \
    {                                                                                              \
        return __hip_bfloat162(__hip_bfloat16(__h##name(a.x, b.x) ? 1.0f : 0.0f),                  \
                               __hip_bfloat16(__h##name(a.y, b.y) ? 1.0f : 0.0f));                 \
    }                                                                                              \
    __AH_FN bool __hb##name##2(__hip_bfloat162 a, __hip_bfloat162 b)                               \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    __AH_FN bool __hb##name##u2(__hip_bfloat162 a, __hip_bfloat162 b)                              \
    {                                                                                              \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                   \
    }                                                                                              \
    __AH_FN bool operator op(const __hip_bfloat16 &a, const __hip_bfloat16 &b)                     \
    {                                                                                              \
        return __ah::bfloat_value(a) op __ah::bfloat_value(b);                                     \
    }
__AH_BFLOAT_COMPARE(eq, ==)
__AH_BFLOAT_COMPARE(ne, !=)
__AH_BFLOAT_COMPARE(lt, <)
__AH_BFLOAT_COMPARE(le, <=)
__AH_BFLOAT_COMPARE(gt, >)
__AH_BFLOAT_COMPARE(ge, >=)
#undef __AH_BFLOAT_COMPARE
__AH_FN bool operator==(const __hip_bfloat162 &a, const __hip_bfloat162 &b)
{
    return a.x == b.x && a.y == b.y;
}
__AH_FN bool operator!=(const __hip_bfloat162 &a, const __hip_bfloat162 &b) { return !(a == b); }
__AH_FN bool operator<(const __hip_bfloat162 &a, const __hip_bfloat162 &b)
{
    return a.x < b.x && a.y < b.y;
}
__AH_FN bool operator<=(const __hip_bfloat162 &a, const __hip_bfloat162 &b)
{
    return a.x <= b.x && a.y <= b.y;
}
__AH_FN bool operator>(const __hip_bfloat162 &a, const __hip_bfloat162 &b)
{
    return a.x > b.x && a.y > b.y;
}
__AH_FN bool operator>=(const __hip_bfloat162 &a, const __hip_bfloat162 &b)
{
    return a.x >= b.x && a.y >= b.y;
}

__AH_FN __hip_bfloat162 __hisnan2(__hip_bfloat162 a)
{
    return __hip_bfloat162(__hip_bfloat16(__hisnan(a.x) ? 1.0f : 0.0f),
                           __hip_bfloat16(__hisnan(a.y) ? 1.0f : 0.0f));
}
/* of two the one that is a number */
__AH_FN __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b)
{
    return __hisnan(a) ? b : __hisnan(b) || a > b ? a : b;
}
__AH_FN __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b)
{
    return __hisnan(a) ? b : __hisnan(b) || a < b ? a : b;
}
__AH_FN __hip_bfloat162 __hmax2(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return __hip_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__AH_FN __hip_bfloat162 __hmin2(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return __hip_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

#undef __AH_FN

#if defined(__clang__) && defined(__HIP__)
#include "hip/device/bf16_functions.h"
#endif

#endif /* C++ */
#endif
