/* The classes of AMD's microscaling extension; ocp.h says how they convert. */
#ifndef HIP_DEVICE_OCP_CLASSES_H
#define HIP_DEVICE_OCP_CLASSES_H

#include "hip/device/ocp_functions.h"

#define __AH_FN __host__ __device__

namespace __ah
{
template <__amd_fp8_interpretation_t interpretation> struct ocp_fp8 {
    __amd_fp8_storage_t __x;
    static constexpr __amd_fp8_interpretation_t __default_interpret = interpretation;

    ocp_fp8() = default;
    __AH_FN explicit ocp_fp8(const float in)
        : __x(ocp_nearest<__amd_fp8_storage_t>(in, interpretation, 0))
    {
    }
    __AH_FN explicit ocp_fp8(const float in, const unsigned int seed)
        : __x(ocp_stochastic<__amd_fp8_storage_t>(in, interpretation, seed, 0))
    {
    }
    __AH_FN explicit ocp_fp8(const float in, const unsigned int seed, const __amd_scale_t scale)
        : __x(ocp_stochastic<__amd_fp8_storage_t>(in, interpretation, seed, scale))
    {
    }
    __AH_FN explicit ocp_fp8(const __amd_fp16_storage_t in, const unsigned int seed,
                             const __amd_scale_t scale)
        : __x(ocp_stochastic<__amd_fp8_storage_t>(in, interpretation, seed, scale))
    {
    }
    __AH_FN explicit ocp_fp8(const __amd_bf16_storage_t in, const unsigned int seed,
                             const __amd_scale_t scale)
        : __x(ocp_stochastic<__amd_fp8_storage_t>(in, interpretation, seed, scale))
    {
    }

    __AH_FN __amd_fp16_storage_t get_scaled_fp16(const __amd_scale_t scale) const
    {
        return ocp_unpack<__amd_fp16_storage_t>(__x, interpretation, scale);
    }
    __AH_FN __amd_bf16_storage_t get_scaled_bf16(const __amd_scale_t scale) const
    {
        return ocp_unpack<__amd_bf16_storage_t>(__x, interpretation, scale);
    }
    __AH_FN float get_scaled_float(const __amd_scale_t scale) const
    {
        return ocp_unpack<float>(__x, interpretation, scale);
    }
    __AH_FN operator float() const { return ocp_unpack<float>(__x, interpretation, 0); }
};

template <__amd_fp8_interpretation_t interpretation> struct ocp_fp8x2 {
    __amd_fp8x2_storage_t __x;
    static constexpr __amd_fp8_interpretation_t __default_interpret = interpretation;

    ocp_fp8x2() = default;
    __AH_FN ocp_fp8x2(const float a, const float b) : ocp_fp8x2(a, b, 0) {}
    __AH_FN ocp_fp8x2(const float a, const float b, const __amd_scale_t scale)
        : ocp_fp8x2(__amd_floatx2_storage_t{a, b}, scale)
    {
    }
    __AH_FN ocp_fp8x2(const __amd_floatx2_storage_t in) : ocp_fp8x2(in, 0) {}
    __AH_FN ocp_fp8x2(const __amd_floatx2_storage_t in, const __amd_scale_t scale)
        : __x(ocp_nearest<__amd_fp8x2_storage_t>(in, interpretation, scale))
    {
    }
    __AH_FN ocp_fp8x2(const __amd_fp16x2_storage_t in, const __amd_scale_t scale)
        : __x(ocp_nearest<__amd_fp8x2_storage_t>(in, interpretation, scale))
    {
    }
    __AH_FN ocp_fp8x2(const __amd_bf16x2_storage_t in, const __amd_scale_t scale)
        : __x(ocp_nearest<__amd_fp8x2_storage_t>(in, interpretation, scale))
    {
    }

    __AH_FN __amd_fp16x2_storage_t get_scaled_fp16x2(const __amd_scale_t scale) const
    {
        return ocp_unpack<__amd_fp16x2_storage_t>(__x, interpretation, scale);
    }
    __AH_FN __amd_bf16x2_storage_t get_scaled_bf16x2(const __amd_scale_t scale) const
    {
        return ocp_unpack<__amd_bf16x2_storage_t>(__x, interpretation, scale);
    }
    __AH_FN __amd_floatx2_storage_t get_scaled_floatx2(const __amd_scale_t scale) const
    {
        return ocp_unpack<__amd_floatx2_storage_t>(__x, interpretation, scale);
    }
    __AH_FN operator __amd_floatx2_storage_t() const
    {
        return ocp_unpack<__amd_floatx2_storage_t>(__x, interpretation, 0);
    }
};

template <__amd_fp6_interpretation_t interpretation> struct ocp_fp6x32 {
    __amd_fp6x32_storage_t __x;
    static constexpr __amd_fp6_interpretation_t __default_interpret = interpretation;

    ocp_fp6x32() = default;
    __AH_FN ocp_fp6x32(const __amd_floatx16_storage_t in1, const __amd_floatx16_storage_t in2,
                       const __amd_scale_t scale)
        : __x(__amd_cvt_floatx16_floatx16_to_fp6x32_scale(in1, in2, interpretation, scale))
    {
    }
#define __AH_STOCHASTIC(V)                                                                         \
    __AH_FN ocp_fp6x32(const V in, const unsigned int seed, const __amd_scale_t scale)             \
        : __x(ocp_stochastic<__amd_fp6x32_storage_t>(in, interpretation, seed, scale))             \
    {                                                                                              \
    }
#define __AH_NEAREST(V)                                                                            \
    __AH_FN ocp_fp6x32(const V in, const __amd_scale_t scale)                                      \
        : __x(ocp_nearest<__amd_fp6x32_storage_t>(in, interpretation, scale))                      \
    {                                                                                              \
    }
    __AH_STOCHASTIC(__amd_floatx32_storage_t)
    __AH_STOCHASTIC(__amd_fp16x32_storage_t)
    __AH_STOCHASTIC(__amd_bf16x32_storage_t)
    __AH_NEAREST(__amd_fp16x32_storage_t)
    __AH_NEAREST(__amd_bf16x32_storage_t)
#undef __AH_NEAREST
#undef __AH_STOCHASTIC

    __AH_FN __amd_floatx32_storage_t get_scaled_floatx32(const __amd_scale_t scale) const
    {
        return ocp_unpack<__amd_floatx32_storage_t>(__x, interpretation, scale);
    }
    __AH_FN __amd_fp16x32_storage_t get_scaled_fp16x32(const __amd_scale_t scale) const
    {
        return ocp_unpack<__amd_fp16x32_storage_t>(__x, interpretation, scale);
    }
    __AH_FN __amd_bf16x32_storage_t get_scaled_bf16x32(const __amd_scale_t scale) const
    {
        return ocp_unpack<__amd_bf16x32_storage_t>(__x, interpretation, scale);
    }
};
} // namespace __ah

#define __AH_OCP(name, base, interpretation)                                                       \
    struct __hipext_ocp_##name : __ah::base<interpretation> {                                      \
        using __ah::base<interpretation>::base;                                                    \
        __hipext_ocp_##name() = default;                                                           \
    };
__AH_OCP(fp8_e4m3, ocp_fp8, __AMD_OCP_E4M3)
__AH_OCP(fp8_e5m2, ocp_fp8, __AMD_OCP_E5M2)
__AH_OCP(fp8x2_e4m3, ocp_fp8x2, __AMD_OCP_E4M3)
__AH_OCP(fp8x2_e5m2, ocp_fp8x2, __AMD_OCP_E5M2)
__AH_OCP(fp6x32_e2m3, ocp_fp6x32, __AMD_OCP_E2M3)
__AH_OCP(fp6x32_e3m2, ocp_fp6x32, __AMD_OCP_E3M2)
#undef __AH_OCP

struct __hipext_ocp_fp4x2_e2m1 {
    __amd_fp4x2_storage_t __x;
    static constexpr __amd_fp4_interpretation_t __default_interpret = __AMD_OCP_E2M1;

    __hipext_ocp_fp4x2_e2m1() = default;
    __AH_FN __hipext_ocp_fp4x2_e2m1(const float a, const float b, const __amd_scale_t scale)
        : __hipext_ocp_fp4x2_e2m1(__amd_floatx2_storage_t{a, b}, scale)
    {
    }
#define __AH_FROM(V)                                                                               \
    __AH_FN __hipext_ocp_fp4x2_e2m1(const V in, const __amd_scale_t scale)                         \
        : __x(__ah::ocp_nearest<__amd_fp4x2_storage_t>(in, __AMD_OCP_E2M1, scale))                 \
    {                                                                                              \
    }                                                                                              \
    __AH_FN __hipext_ocp_fp4x2_e2m1(const V in, const unsigned int seed,                           \
                                    const __amd_scale_t scale)                                     \
        : __x(__ah::ocp_stochastic<__amd_fp4x2_storage_t>(in, __AMD_OCP_E2M1, seed, scale))        \
    {                                                                                              \
    }
    __AH_FROM(__amd_floatx2_storage_t)
    __AH_FROM(__amd_fp16x2_storage_t)
    __AH_FROM(__amd_bf16x2_storage_t)
#undef __AH_FROM

    __AH_FN __amd_floatx2_storage_t get_scaled_floatx2(const __amd_scale_t scale) const
    {
        return __ah::ocp_unpack<__amd_floatx2_storage_t>(__x, __AMD_OCP_E2M1, scale);
    }
    __AH_FN __amd_fp16x2_storage_t get_scaled_fp16x2(const __amd_scale_t scale) const
    {
        return __ah::ocp_unpack<__amd_fp16x2_storage_t>(__x, __AMD_OCP_E2M1, scale);
    }
    __AH_FN __amd_bf16x2_storage_t get_scaled_bf16x2(const __amd_scale_t scale) const
    {
        return __ah::ocp_unpack<__amd_bf16x2_storage_t>(__x, __AMD_OCP_E2M1, scale);
    }
};

#undef __AH_FN
#endif
