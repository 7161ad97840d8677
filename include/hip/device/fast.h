/* Fast, approximate single precision functions: the hardware's own transcendental
 * instructions and what is left of an argument or a result to scale. Their error grows
 * with the argument, as HIP says of them.
 *
 * NVIDIA: ex2.approx, lg2.approx, sin.approx, cos.approx, div.approx (PTX ISA).
 * AMD: v_exp_f32, v_log_f32 of base 2, v_sin_f32 and v_cos_f32 of turns, v_rcp_f32. */
#ifndef HIP_DEVICE_FAST_H
#define HIP_DEVICE_FAST_H

#include "hip/device/prelude.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
#if defined(__NVPTX__)
__AH_FN float fast_exp2(float x) { return __nvvm_ex2_approx_f(x); }
__AH_FN float fast_log2(float x) { return __nvvm_lg2_approx_f(x); }
__AH_FN float fast_sin(float x) { return __nvvm_sin_approx_f(x); }
__AH_FN float fast_cos(float x) { return __nvvm_cos_approx_f(x); }
__AH_FN float fast_divide(float x, float y) { return __nvvm_div_approx_f(x, y); }
#else
__AH_FN float fast_exp2(float x) { return __builtin_amdgcn_exp2f(x); }
__AH_FN float fast_log2(float x) { return __builtin_amdgcn_logf(x); }
/* Radians to turns, of which a part keeps the argument in the instruction's range: for the cosine
 * the fraction, which is rounded for small negative numbers. */
__AH_FN float turns(float x) { return x * 0.15915494309189535f; }
__AH_FN float fast_sin(float x)
{
    float t = turns(x);
    return __builtin_amdgcn_sinf(t - __builtin_rintf(t));
}
__AH_FN float fast_cos(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(turns(x))); }
__AH_FN float fast_divide(float x, float y) { return x * __builtin_amdgcn_rcpf(y); }
#endif
} // namespace __ah

__AH_FN float __sinf(float x) { return __ah::fast_sin(x); }
__AH_FN float __cosf(float x) { return __ah::fast_cos(x); }
__AH_FN float __tanf(float x) { return __ah::fast_divide(__sinf(x), __cosf(x)); }
__AH_FN void __sincosf(float x, float *s, float *c)
{
    *s = __sinf(x);
    *c = __cosf(x);
}
__AH_FN float __expf(float x) { return __ah::fast_exp2(x * 1.4426950408889634f); }
__AH_FN float __exp10f(float x) { return __ah::fast_exp2(x * 3.3219280948873623f); }
__AH_FN float __logf(float x) { return __ah::fast_log2(x) * 0.69314718055994531f; }
__AH_FN float __log10f(float x) { return __ah::fast_log2(x) * 0.30102999566398120f; }
__AH_FN float __log2f(float x) { return __ah::fast_log2(x); }
__AH_FN float __powf(float x, float y) { return __ah::fast_exp2(y * __ah::fast_log2(x)); }
__AH_FN float __fdividef(float x, float y) { return __ah::fast_divide(x, y); }
/* to [0, 1]; a NaN becomes 0 */
__AH_FN float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }

#undef __AH_FN
#endif
