// hip_bfloat16, HIP's older brain floating point type: a number of 16 bits with float's
// exponent, whose operators compute in float and round to nearest even. New programs use
// hip_bf16.h. In C only the storage.
#ifndef HIP_INCLUDE_HIP_HIP_BFLOAT16_H
#define HIP_INCLUDE_HIP_HIP_BFLOAT16_H

#include "hip/device/qualifiers.h"

#if !defined(__cplusplus)

#include <stdint.h>
typedef struct {
    uint16_t data;
} hip_bfloat16;

#else

#include <cstdint>
#if !defined(__HIPCC_RTC__)
#include <ostream>
#endif

#include "hip/device/bfloat_bits.h"

#define __AH_FN inline __host__ __device__

struct hip_bfloat16 {
    std::uint16_t data;

    enum truncate_t { truncate };

    hip_bfloat16() = default;
    __host__ __device__ explicit hip_bfloat16(float f) : data(__ah::bfloat_from_float(f)) {}
    __host__ __device__ explicit hip_bfloat16(float f, truncate_t) : data(__ah::bfloat_truncated(f))
    {
    }
    __host__ __device__ operator float() const { return __ah::bfloat_to_float(data); }
    __host__ __device__ hip_bfloat16 &operator=(const float &f)
    {
        data = __ah::bfloat_from_float(f);
        return *this;
    }
    static __host__ __device__ hip_bfloat16 round_to_bfloat16(float f) { return hip_bfloat16(f); }
    static __host__ __device__ hip_bfloat16 round_to_bfloat16(float f, truncate_t)
    {
        return hip_bfloat16(f, truncate);
    }
};

typedef struct {
    std::uint16_t data;
} hip_bfloat16_public;

__AH_FN hip_bfloat16 operator+(hip_bfloat16 a)
{
    return a;
}
__AH_FN hip_bfloat16 operator-(hip_bfloat16 a)
{
    a.data ^= 0x8000;
    return a;
}
__AH_FN hip_bfloat16 operator+(hip_bfloat16 a, hip_bfloat16 b)
{
    return hip_bfloat16(float(a) + float(b));
}
__AH_FN hip_bfloat16 operator-(hip_bfloat16 a, hip_bfloat16 b)
{
    return hip_bfloat16(float(a) - float(b));
}
__AH_FN hip_bfloat16 operator*(hip_bfloat16 a, hip_bfloat16 b)
{
    return hip_bfloat16(float(a) * float(b));
}
__AH_FN hip_bfloat16 operator/(hip_bfloat16 a, hip_bfloat16 b)
{
    return hip_bfloat16(float(a) / float(b));
}
__AH_FN bool operator==(hip_bfloat16 a, hip_bfloat16 b)
{
    return float(a) == float(b);
}
__AH_FN bool operator!=(hip_bfloat16 a, hip_bfloat16 b)
{
    return float(a) != float(b);
}
__AH_FN bool operator<(hip_bfloat16 a, hip_bfloat16 b)
{
    return float(a) < float(b);
}
__AH_FN bool operator>(hip_bfloat16 a, hip_bfloat16 b)
{
    return float(a) > float(b);
}
__AH_FN bool operator<=(hip_bfloat16 a, hip_bfloat16 b)
{
    return float(a) <= float(b);
}
__AH_FN bool operator>=(hip_bfloat16 a, hip_bfloat16 b)
{
    return float(a) >= float(b);
}
__AH_FN hip_bfloat16 &operator+=(hip_bfloat16 &a, hip_bfloat16 b)
{
    return a = a + b;
}
__AH_FN hip_bfloat16 &operator-=(hip_bfloat16 &a, hip_bfloat16 b)
{
    return a = a - b;
}
__AH_FN hip_bfloat16 &operator*=(hip_bfloat16 &a, hip_bfloat16 b)
{
    return a = a * b;
}
__AH_FN hip_bfloat16 &operator/=(hip_bfloat16 &a, hip_bfloat16 b)
{
    return a = a / b;
}
__AH_FN hip_bfloat16 &operator++(hip_bfloat16 &a)
{
    return a += hip_bfloat16(1.0f);
}
__AH_FN hip_bfloat16 &operator--(hip_bfloat16 &a)
{
    return a -= hip_bfloat16(1.0f);
}
__AH_FN hip_bfloat16 operator++(hip_bfloat16 &a, int)
{
    hip_bfloat16 before = a;
    ++a;
    return before;
}
__AH_FN hip_bfloat16 operator--(hip_bfloat16 &a, int)
{
    hip_bfloat16 before = a;
    --a;
    return before;
}
#undef __AH_FN

#if !defined(__HIPCC_RTC__)
inline std::ostream &operator<<(std::ostream &out, const hip_bfloat16 &x)
{
    return out << float(x);
}
#endif

namespace std
{
constexpr __host__ __device__ bool isinf(hip_bfloat16 a)
{
    return (a.data & 0x7fff) == 0x7f80;
}
constexpr __host__ __device__ bool isnan(hip_bfloat16 a)
{
    return (a.data & 0x7fff) > 0x7f80;
}
constexpr __host__ __device__ bool iszero(hip_bfloat16 a)
{
    return (a.data & 0x7fff) == 0;
}
} // namespace std

#endif /* C++ */
#endif
