// Programs that were written for versions of HIP without these functions bring their own, and
// those are called. Compiled for both devices; a function of ours in their place is a wrong result
// type. names.tsv calls these names "yields".
#include <hip/hip_runtime.h>
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

struct own {
};

#define ROUNDED(mode)                                                                              \
    __device__ own __fadd_##mode(float, float)                                                     \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ own __fsub_##mode(float, float)                                                     \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ own __fmul_##mode(float, float)                                                     \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ own __fdiv_##mode(float, float)                                                     \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ own __frcp_##mode(float)                                                            \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ own __fsqrt_##mode(float)                                                           \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ own __fmaf_##mode(float, float, float)                                              \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    static __device__ own __dadd_##mode(double, double)                                            \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    static __device__ own __dsub_##mode(double, double)                                            \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    static __device__ own __dmul_##mode(double, double)                                            \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ __host__ own __ddiv_##mode(double, double)                                          \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ __host__ own __drcp_##mode(double)                                                  \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ __host__ own __dsqrt_##mode(double)                                                 \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ __host__ own __fma_##mode(double, double, double)                                   \
    {                                                                                              \
        return own();                                                                              \
    }                                                                                              \
    __device__ void use_##mode(float f, double d)                                                  \
    {                                                                                              \
        own all[] = {__fadd_##mode(f, f),    __fsub_##mode(f, f),  __fmul_##mode(f, f),            \
                     __fdiv_##mode(f, f),    __frcp_##mode(f),     __fsqrt_##mode(f),              \
                     __fmaf_##mode(f, f, f), __dadd_##mode(d, d),  __dsub_##mode(d, d),            \
                     __dmul_##mode(d, d),    __ddiv_##mode(d, d),  __drcp_##mode(d),               \
                     __dsqrt_##mode(d),      __fma_##mode(d, d, d)};                               \
        (void)all;                                                                                 \
    }
ROUNDED(rd)
ROUNDED(ru)
ROUNDED(rz)

__device__ own __double2half(double)
{
    return own();
}
__device__ own htanh(__half)
{
    return own();
}
__device__ own h2tanh(__half2)
{
    return own();
}
__host__ __device__ static inline own __float2bfloat16_rn(float)
{
    return own();
}
__host__ __device__ static inline own __float2bfloat162_rn(float)
{
    return own();
}
__device__ inline own __floats2bfloat162_rn(float, float)
{
    return own();
}
__device__ __forceinline__ own make_bfloat162(__hip_bfloat16, __hip_bfloat16)
{
    return own();
}
__device__ own __double_as_ulonglong(double)
{
    return own();
}
__device__ own __ulonglong_as_double(unsigned long long)
{
    return own();
}
__device__ own __dp4a(int, int, int)
{
    return own();
}
__device__ own __dp4a(unsigned, unsigned, unsigned)
{
    return own();
}
__device__ own __dp2a_lo(int, int, int)
{
    return own();
}
__device__ own __dp2a_hi(int, int, int)
{
    return own();
}
__device__ own __lastbit_u32_u32(unsigned)
{
    return own();
}
__device__ own __nanosleep(unsigned)
{
    return own();
}
__device__ own __syncwarp(unsigned = 0xffffffffu)
{
    return own();
}
__device__ own __trap()
{
    return own();
}
__device__ own atomicInc_system(unsigned *, unsigned)
{
    return own();
}
__device__ own atomicDec_system(unsigned *, unsigned)
{
    return own();
}
__device__ own __reduce_add_sync(unsigned, int)
{
    return own();
}
__device__ own __reduce_min_sync(unsigned, int)
{
    return own();
}
__device__ own __reduce_max_sync(unsigned, int)
{
    return own();
}
__device__ own __reduce_and_sync(unsigned, unsigned)
{
    return own();
}
__device__ own __reduce_or_sync(unsigned, unsigned)
{
    return own();
}
__device__ own __reduce_xor_sync(unsigned, unsigned)
{
    return own();
}

__device__ void use(double d, float f, __half h, __half2 h2, __hip_bfloat16 b, unsigned *p)
{
    own all[] = {__double2half(d),
                 htanh(h),
                 h2tanh(h2),
                 __float2bfloat16_rn(f),
                 __float2bfloat162_rn(f),
                 __floats2bfloat162_rn(f, f),
                 make_bfloat162(b, b),
                 __double_as_ulonglong(d),
                 __ulonglong_as_double(1ull),
                 __dp4a(1, 2, 3),
                 __dp4a(1u, 2u, 3u),
                 __dp2a_lo(1, 2, 3),
                 __dp2a_hi(1, 2, 3),
                 __lastbit_u32_u32(1u),
                 __nanosleep(1u),
                 __syncwarp(),
                 __trap(),
                 atomicInc_system(p, 1u),
                 atomicDec_system(p, 1u),
                 __reduce_add_sync(1u, 2),
                 __reduce_min_sync(1u, 2),
                 __reduce_max_sync(1u, 2),
                 __reduce_and_sync(1u, 2u),
                 __reduce_or_sync(1u, 2u),
                 __reduce_xor_sync(1u, 2u)};
    (void)all;
}

// Declared as some programs do that read binaries themselves.
extern "C" void *__hipRegisterFatBinary(void *);
extern "C" void __hipUnregisterFatBinary(void *);
