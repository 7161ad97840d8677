/* amd_mixed_dot: c plus the products of the parts of a and b, which are pairs of 16 bits, four of 8
 * or eight of 4, computed exactly; saturated to the type of c on request. That of halves is with
 * them (fp16_functions.h). */
#ifndef HIP_DEVICE_MIXED_DOT_H
#define HIP_DEVICE_MIXED_DOT_H

#include "hip/hip_vector_types.h"

#define __AH_FN static __device__ inline

namespace __ah
{
__AH_FN int mixed_dot_result(long long sum, bool saturate)
{
    const long long high = 0x7fffffff, low = -high - 1;
    return static_cast<int>(!saturate ? sum : sum > high ? high : sum < low ? low : sum);
}
__AH_FN unsigned int mixed_dot_result(unsigned long long sum, bool saturate)
{
    return saturate && sum > 0xffffffffu ? 0xffffffffu : static_cast<unsigned int>(sum);
}
} // namespace __ah

__AH_FN int amd_mixed_dot(short2 a, short2 b, int c, bool saturate)
{
    long long sum = c;
    sum += static_cast<long long>(a.x) * b.x + static_cast<long long>(a.y) * b.y;
    return __ah::mixed_dot_result(sum, saturate);
}
__AH_FN unsigned int amd_mixed_dot(ushort2 a, ushort2 b, unsigned int c, bool saturate)
{
    unsigned long long sum = c;
    sum += static_cast<unsigned long long>(a.x) * b.x + static_cast<unsigned long long>(a.y) * b.y;
    return __ah::mixed_dot_result(sum, saturate);
}
__AH_FN int amd_mixed_dot(char4 a, char4 b, int c, bool saturate)
{
    long long sum = c;
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    return __ah::mixed_dot_result(sum, saturate);
}
__AH_FN unsigned int amd_mixed_dot(uchar4 a, uchar4 b, unsigned int c, bool saturate)
{
    unsigned long long sum = c;
    sum += static_cast<unsigned int>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    return __ah::mixed_dot_result(sum, saturate);
}
__AH_FN int amd_mixed_dot(int a, int b, int c, bool saturate)
{
    long long sum = c;
    for (int i = 0; i < 32; i += 4) /* a part is moved up to the sign, and down with it */
        sum += (static_cast<int>(static_cast<unsigned int>(a) << i) >> 28) *
               (static_cast<int>(static_cast<unsigned int>(b) << i) >> 28);
    return __ah::mixed_dot_result(sum, saturate);
}
__AH_FN unsigned int amd_mixed_dot(unsigned int a, unsigned int b, unsigned int c, bool saturate)
{
    unsigned long long sum = c;
    for (int i = 0; i < 32; i += 4)
        sum += (a >> i & 15) * (b >> i & 15);
    return __ah::mixed_dot_result(sum, saturate);
}

#undef __AH_FN
#endif
