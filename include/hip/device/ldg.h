/* __ldg: a load of memory that no thread writes while the kernel runs.
 * NVIDIA: ld.global.nc, through the read-only cache. AMD: a plain load.
 * __ldca, __ldcg, __ldcs: loads with advice to caches, which is not taken: plain loads. */
#ifndef HIP_DEVICE_LDG_H
#define HIP_DEVICE_LDG_H

#include "hip/device/prelude.h"
#include "hip/hip_vector_types.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

#if defined(__NVPTX__)
namespace __ah
{
/* one load of the value's size where its alignment allows it, else as plain code */
template <typename T, int size = sizeof(T) == alignof(T) || sizeof(T) == 16 ? sizeof(T) : 0>
struct read_only {
    __AH_FN T load(const T *p) { return *p; }
};
typedef int int_vector_4 __attribute__((ext_vector_type(4)));
#define __AH_READ_ONLY(size, W, builtin)                                                           \
    template <typename T> struct read_only<T, size> {                                              \
        __AH_FN T load(const T *p) { return __builtin_bit_cast(T, builtin((const W *)p)); }        \
    };
__AH_READ_ONLY(1, char, __nvvm_ldg_c)
__AH_READ_ONLY(2, short, __nvvm_ldg_s)
__AH_READ_ONLY(4, int, __nvvm_ldg_i)
__AH_READ_ONLY(8, long long, __nvvm_ldg_ll)
__AH_READ_ONLY(16, int_vector_4, __nvvm_ldg_i4)
#undef __AH_READ_ONLY
} // namespace __ah
template <typename T> __AH_FN T __ldg(const T *p) { return __ah::read_only<T>::load(p); }
#else
template <typename T> __AH_FN T __ldg(const T *p) { return *p; }
#endif

template <typename T> __AH_FN T __ldca(const T *p) { return *p; }
template <typename T> __AH_FN T __ldcg(const T *p) { return *p; }
template <typename T> __AH_FN T __ldcs(const T *p) { return *p; }

#undef __AH_FN
#endif
