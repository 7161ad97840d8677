/* The values of one lane, for what is written as loops over lanes and compiled once for each
 * instruction set of the host (ah_isa_module). Names are short, and everything is static: for
 * .c files of that kind only. */
#ifndef SIM_LANE_H
#define SIM_LANE_H

#include "sim_half.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LANE static inline __attribute__((always_inline, unused))

/* Before a loop whose rounds do not depend on one another. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop need not become vectors */
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16, b16;
typedef int16_t s16;
typedef uint32_t u32, b32;
typedef int32_t s32;
typedef uint64_t u64, b64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

/* A bit per lane from the sign of each of n lanes, at most 64; the array is aligned to 64 bytes. */
LANE u64 lane_signs(const void *lanes, unsigned n)
{
    const u32 *words = lanes;
    u64 bits = 0;
#if defined(__AVX512DQ__)
    for (unsigned i = 0; i < n; i += 16)
        bits |= (u64)_mm512_movepi32_mask(_mm512_load_si512(words + i)) << i;
#elif defined(__AVX2__)
    for (unsigned i = 0; i < n; i += 8)
        bits |= (u64)(u32)_mm256_movemask_ps(_mm256_load_ps((const float *)(words + i))) << i;
#elif defined(__SSE2__)
    for (unsigned i = 0; i < n; i += 4)
        bits |= (u64)(u32)_mm_movemask_ps(_mm_load_ps((const float *)(words + i))) << i;
#else
    for (unsigned i = 0; i < n; ++i)
        bits |= (u64)(words[i] >> 31) << i;
#endif
    return bits;
}

LANE u32 bits_f32(f32 x)
{
    return sim_bits_of(x);
}
LANE f32 f32_of(u32 bits)
{
    return sim_float_of(bits);
}
LANE u64 bits_f64(f64 x)
{
    return sim_bits_of_double(x);
}
LANE f64 f64_of(u64 bits)
{
    return sim_double_of(bits);
}

#define SIGN_F32 UINT32_C(0x80000000)
#define SIGN_F64 UINT64_C(0x8000000000000000)

/* Without the sign, of NaNs too. */
LANE f32 size_f32(f32 x)
{
    return f32_of(bits_f32(x) & ~SIGN_F32);
}
LANE f64 size_f64(f64 x)
{
    return f64_of(bits_f64(x) & ~SIGN_F64);
}

#endif
