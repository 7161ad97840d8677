// HIP for programs: the host API, and for a HIP compilation the kernel language and the
// launch macros. Any C or C++ compiler may include it; the kernel language needs clang's
// HIP mode. Owns the feature macros and the launches; everything else is included.
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H

#include "hip/device/prelude.h"

#if defined(__HIPCC_RTC__)
// Source text of hiprtc, compiled with this header before it: the kernel language alone.
#include "hip/device/rtc.h"
#else
// Programs count on what ROCm's header, and the one clang puts before it, include.
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__cplusplus)
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>
#if defined(__HIP__)
#include <algorithm>
#include <complex>
#include <limits>
#include <new>
#endif
#endif
#endif

#include <hip/hip_version.h>
#include <hip/hip_common.h>

// What a device can do (1) or cannot (0), as HIP names it; on the host all are 0 (hip_common.h).
#if defined(__HIP_DEVICE_COMPILE__)
#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__     (1)
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__ (1)
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__     (1)
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__ (1)
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__         (1)
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__     (1)
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__     (1)
#define __HIP_ARCH_HAS_DOUBLES__                  (1)
#define __HIP_ARCH_HAS_WARP_VOTE__                (1)
#define __HIP_ARCH_HAS_WARP_BALLOT__              (1)
#define __HIP_ARCH_HAS_WARP_SHUFFLE__             (1)
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__      (1)
#define __HIP_ARCH_HAS_SURFACE_FUNCS__            (0)
#define __HIP_ARCH_HAS_3DGRID__                   (1)
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__         (0)
// AMD's processors do these with several instructions; the functions are there all the same.
#if defined(__NVPTX__)
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__ (1)
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__   (1)
#else
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__ (0)
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__   (0)
#endif
#endif

#if !defined(__HIPCC_RTC__)
#include <hip/hip_runtime_api.h>
#endif

#if defined(__clang__) && defined(__HIP__) && defined(__cplusplus)

#include "hip/device/index.h"
#include "hip/device/sync.h"
#include "hip/device/atomics.h"
#include "hip/device/warp.h"
#include "hip/device/intrinsics.h"
#include "hip/device/conversion.h"
#include "hip/device/math_std.h"
#include "hip/device/ldg.h"
#include "hip/device/clock.h"
#include "hip/device/texture.h"
#include "hip/device/surface.h"
#include "hip/device/amdgcn_builtins.h"
#include "hip/device/mixed_dot.h"

#if defined(__HIPCC_RTC__)
#include "hip/hip_fp16.h"
#include "hip/hip_bfloat16.h"
#include "hip/hip_complex.h"
#include "hip/hip_math_constants.h"
#include "hip/device/cooperative_groups.h"
#endif

// ---- launches ----
//
// clang turns kernel<<<grid, block, shared, stream>>>(...) into a call of
// __hipPushCallConfiguration and of a stub that takes the configuration back with
// __hipPopCallConfiguration and calls hipLaunchKernel; nothing is needed here.

// A kernel's name with commas in it, as one macro argument; a symbol's name.
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(X)        X

typedef int hipLaunchParm; // of kernels written for the first HIP

#if defined(HIP_TEMPLATE_KERNEL_LAUNCH)
// The same as a function, for code in which the macro's commas are in the way. The name of a
// kernel template or of overloaded kernels means the one with the parameters of these arguments.
template <typename... Arguments, typename Kernel = void (*)(Arguments...)>
inline void hipLaunchKernelGGL(Kernel kernel, const dim3 &numBlocks, const dim3 &dimBlocks,
                               std::uint32_t sharedMemBytes, hipStream_t stream, Arguments... args)
{
    kernel<<<numBlocks, dimBlocks, sharedMemBytes, stream>>>(args...);
}
#else
#define hipLaunchKernelGGLInternal(kernelName, numBlocks, numThreads, memPerBlock, streamId, ...)  \
    do {                                                                                           \
        kernelName<<<(numBlocks), (numThreads), (memPerBlock), (streamId)>>>(__VA_ARGS__);         \
    } while (0)
#define hipLaunchKernelGGL(kernelName, ...) hipLaunchKernelGGLInternal((kernelName), __VA_ARGS__)
#endif

#endif
#endif
