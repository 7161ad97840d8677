/* What the math families take from the hardware: its approximations, and conversions that cost it
 * one instruction. Subnormal numbers may be flushed by each approximation, as argument and as
 * result, unless its line says otherwise.
 *
 * Documented errors (PTX ISA; AMD's instruction set references): ex2 2 ulp, lg2 2^-22 absolute near
 * 1 and 2^-22 relative elsewhere, rcp 1 ulp, rsq 2^-22.9, root 2^-23; on AMD 1 ulp each. The double
 * forms rcp and rsq have at least 20 correct bits. Measured on an H200, with all floats: ex2 1.40 ulp
 * for positive arguments and 2.06 for others, lg2 2^-22.1 from 1/2 to 2 and 2.3 ulp elsewhere,
 * rcp 0.98, rsq 1.52, root 0.95 ulp. */
#ifndef HIP_DEVICE_MATH_HW_H
#define HIP_DEVICE_MATH_HW_H

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
__AH_FN unsigned int bits_of(float x) { return __builtin_bit_cast(unsigned int, x); }
__AH_FN float float_of(unsigned int b) { return __builtin_bit_cast(float, b); }

namespace hw
{
#if defined(__NVPTX__)
__AH_FN float ex2(float x) { return __nvvm_ex2_approx_ftz_f(x); }
__AH_FN float lg2(float x) { return __nvvm_lg2_approx_ftz_f(x); }
__AH_FN float rcp(float x) { return __nvvm_rcp_approx_ftz_f(x); }
__AH_FN float rsq(float x) { return __nvvm_rsqrt_approx_ftz_f(x); }
__AH_FN float root(float x) { return __nvvm_sqrt_approx_ftz_f(x); }
__AH_FN double rcp(double x) { return __nvvm_rcp_approx_ftz_d(x); }
__AH_FN double rsq(double x)
{
#if defined(__HIP__) /* clang has no builtin for it */
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
#else
    return __nvvm_rsqrt_approx_ftz_d(x);
#endif
}
/* These two take and give subnormal numbers. */
__AH_FN float ex2_whole(float x) { return __nvvm_ex2_approx_f(x); }
__AH_FN float lg2_whole(float x) { return __nvvm_lg2_approx_f(x); }
/* x y + z, limited to [0, 1]; 0 for a NaN */
__AH_FN float fma_sat(float x, float y, float z)
{
    return __nvvm_saturate_f(__builtin_fmaf(x, y, z));
}
#else
__AH_FN float ex2(float x) { return __builtin_amdgcn_exp2f(x); }
__AH_FN float lg2(float x) { return __builtin_amdgcn_logf(x); }
__AH_FN float ex2_whole(float x)
{
    bool small = x < -126.0f;
    return __builtin_amdgcn_exp2f(small ? x + 64.0f : x) * (small ? 0x1p-64f : 1.0f);
}
__AH_FN float lg2_whole(float x)
{
    bool small = x < 0x1p-126f;
    return __builtin_amdgcn_logf(small ? x * 0x1p32f : x) - (small ? 32.0f : 0.0f);
}
__AH_FN float rcp(float x) { return __builtin_amdgcn_rcpf(x); }
__AH_FN float rsq(float x) { return __builtin_amdgcn_rsqf(x); }
__AH_FN float root(float x) { return __builtin_amdgcn_sqrtf(x); }
__AH_FN double rcp(double x) { return __builtin_amdgcn_rcp(x); }
__AH_FN double rsq(double x) { return __builtin_amdgcn_rsq(x); }
__AH_FN float fma_sat(float x, float y, float z)
{
    return __builtin_amdgcn_fmed3f(__builtin_fmaf(x, y, z), 0.0f, 1.0f);
}
#endif
} // namespace hw
} // namespace __ah

#undef __AH_FN
#endif
