/* AMD's extension for microscaling formats: conversions of 1 to 32 numbers of 4, 6 and 8 bits, with
 * a scale for all of them. They have HIP's names and types, and are computed in software by integer
 * arithmetic, so that the host and every device give the same bits, also where a GPU has
 * instructions for them.
 *
 * A scale is the exponent of a power of two, -127 to 127 (E8M0 without its bias); -128 is NaN and
 * makes every result NaN. Conversions to a small format divide by the power, round, and turn what
 * is too large into the largest number (448, 57344, 7.5, 28, 6); NaN is the largest code of a
 * format without NaN. Conversions from a small format multiply by the power.
 *
 * Names with _sr round stochastically: the digits that the small format drops of the source's
 * mantissa (the first ones, for a result below the normal range) are added to as many of the
 * topmost bits of the seed, and cut off. All numbers of one call have the same seed.
 *
 * Number i of several has the i-th lowest bits; 32 numbers of 6 bits fill the first six words.
 *
 * The vector types need clang, or GCC 13 or newer: for other compilers only the scalar types that
 * they have are declared. */
#ifndef HIP_DEVICE_OCP_H
#define HIP_DEVICE_OCP_H

#include "hip/device/small_float.h"

typedef unsigned char __amd_fp8_storage_t;
typedef unsigned short __amd_fp8x2_storage_t;
typedef unsigned char __amd_fp4x2_storage_t;
typedef unsigned int __amd_fp4x8_storage_t;
typedef signed char __amd_scale_t;

typedef enum __amd_fp8_interpretation_t {
    __AMD_OCP_E4M3 = 0,
    __AMD_OCP_E5M2 = 1
} __amd_fp8_interpretation_t;
typedef enum __amd_fp6_interpretation_t {
    __AMD_OCP_E2M3 = 0,
    __AMD_OCP_E3M2 = 1
} __amd_fp6_interpretation_t;
typedef enum __amd_fp4_interpretation_t { __AMD_OCP_E2M1 = 0 } __amd_fp4_interpretation_t;

#if defined(__clang__) && defined(__FLT16_MAX__) && __clang_major__ > 17
#define __AH_OCP_VECTORS 1
#define __AH_OCP_VECTOR(element, name, number)                                                     \
    typedef element __attribute__((ext_vector_type(number))) name;
#elif !defined(__clang__) && defined(__FLT16_MAX__) && defined(__BFLT16_MAX__) && __GNUC__ > 12
#define __AH_OCP_VECTORS 1
/* a vector has the room of a power of two of elements, of which six words use six */
#define __AH_OCP_VECTOR(element, name, number)                                                     \
    typedef element __attribute__((vector_size(sizeof(element) * ((number) == 6 ? 8 : (number))))) \
    name;
#endif

#if __AH_OCP_VECTORS
typedef __bf16 __amd_bf16_storage_t;
typedef _Float16 __amd_fp16_storage_t;
__AH_OCP_VECTOR(unsigned int, __amd_uintx2_storage_t, 2)
__AH_OCP_VECTOR(unsigned char, __amd_fp8x8_storage_t, 8)
__AH_OCP_VECTOR(__bf16, __amd_bf16x2_storage_t, 2)
__AH_OCP_VECTOR(__bf16, __amd_bf16x8_storage_t, 8)
__AH_OCP_VECTOR(__bf16, __amd_bf16x32_storage_t, 32)
__AH_OCP_VECTOR(float, __amd_floatx2_storage_t, 2)
__AH_OCP_VECTOR(float, __amd_floatx8_storage_t, 8)
__AH_OCP_VECTOR(float, __amd_floatx16_storage_t, 16)
__AH_OCP_VECTOR(float, __amd_floatx32_storage_t, 32)
__AH_OCP_VECTOR(_Float16, __amd_fp16x2_storage_t, 2)
__AH_OCP_VECTOR(_Float16, __amd_fp16x8_storage_t, 8)
__AH_OCP_VECTOR(_Float16, __amd_fp16x32_storage_t, 32)
__AH_OCP_VECTOR(unsigned int, __amd_fp6x32_storage_t, 6)
__AH_OCP_VECTOR(short, __amd_shortx2_storage_t, 2)
#undef __AH_OCP_VECTOR
#endif

#if defined(__cplusplus) && __AH_OCP_VECTORS
#include "hip/device/ocp_functions.h"
#include "hip/device/ocp_classes.h"
#endif

#endif
