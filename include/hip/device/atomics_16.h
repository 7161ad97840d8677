/* Atomic addition to 16-bit numbers and to pairs of them, for half precision and brain
 * floating point: instructions where an NVIDIA GPU has them, otherwise compare-and-swap loops on
 * the 32-bit word around them. */
#ifndef HIP_DEVICE_ATOMICS_16_H
#define HIP_DEVICE_ATOMICS_16_H

#include "hip/device/atomics.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* Adds to one 16-bit number in the aligned word around it by compare and swap; add takes
 * and gives bits. */
template <typename F> __AH_FN unsigned short atomic_add_16(void *address, F add)
{
    unsigned long long place = reinterpret_cast<unsigned long long>(address);
    unsigned int *word = reinterpret_cast<unsigned int *>(place & ~3ull);
    unsigned int shift = (place & 2) * 8;
    unsigned int old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), next;
    do {
        unsigned int sum = add(static_cast<unsigned short>(old >> shift));
        next = (old & ~(0xffffu << shift)) | sum << shift;
    } while (!__hip_atomic_compare_exchange_strong(word, &old, next, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
    return static_cast<unsigned short>(old >> shift);
}
/* The same for a pair of them, in one word. */
template <typename T> __AH_FN T atomic_add_pair(T *address, T value)
{
    unsigned int *word = reinterpret_cast<unsigned int *>(address);
    unsigned int old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), next;
    do {
        next = __builtin_bit_cast(unsigned int, __builtin_bit_cast(T, old) + value);
    } while (!__hip_atomic_compare_exchange_strong(word, &old, next, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
    return __builtin_bit_cast(T, old);
}

/* The instructions, on bits: relaxed, and of the device's scope. */
#define __AH_ADD_16(type, bits, letter)                                                            \
    __AH_FN bits atomic_add_##type(void *address, bits value)                                      \
    {                                                                                              \
        bits old;                                                                                  \
        __asm__ volatile("atom.add.noftz." #type " %0, [%1], %2;"                                  \
                         : "=" letter(old)                                                         \
                         : "l"(address), letter(value)                                             \
                         : "memory");                                                              \
        return old;                                                                                \
    }
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 600
__AH_ADD_16(f16x2, unsigned int, "r")
#endif
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 700
__AH_ADD_16(f16, unsigned short, "h")
#endif
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 900
__AH_ADD_16(bf16x2, unsigned int, "r")
__AH_ADD_16(bf16, unsigned short, "h")
#endif
#undef __AH_ADD_16
} // namespace __ah

#undef __AH_FN
#endif
