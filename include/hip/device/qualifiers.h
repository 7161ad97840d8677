/* The words HIP adds to C and C++: where a function runs, where a variable lives,
 * how a kernel may be launched; and the size of a wavefront. Only macros; every other header
 * starts from here.
 * Under clang's HIP mode they are attributes, under any other compiler (host code
 * built by gcc, g++ or plain clang) they vanish. */
#ifndef HIP_DEVICE_QUALIFIERS_H
#define HIP_DEVICE_QUALIFIERS_H

/* By this name, the guard of AMD's header, rocThrust knows that the qualifiers are defined. Where it
 * is missing rocThrust takes them away and expects the next header to define them again. */
#ifndef HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H
#endif

#if defined(__clang__) && defined(__HIP__)

#ifndef __host__
#define __host__ __attribute__((host))
#endif
#ifndef __device__
#define __device__ __attribute__((device))
#endif
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __shared__
#define __shared__ __attribute__((shared))
#endif
#ifndef __constant__
#define __constant__ __attribute__((constant))
#endif
#ifndef __managed__
#define __managed__ __attribute__((managed))
#endif
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
/* `__noinline__` is a keyword of clang's HIP mode; a macro of that name would break
 * the `__attribute__((__noinline__))` of the C++ library. */
#if !__has_feature(cuda_noinline_keyword) && !defined(__noinline__)
#define __noinline__ __attribute__((noinline))
#endif

/* __launch_bounds__(MAX_THREADS_PER_BLOCK[, MIN_WARPS_PER_EXECUTION_UNIT])
 * AMD:    the flat work-group size and the waves per execution unit.
 * NVIDIA: .maxntid and .minnctapersm. HIP counts warps where PTX counts blocks:
 *         warps = blocks * threads / 32 (HIP, "Porting from CUDA __launch_bounds__"). */
#ifndef __launch_bounds__
#if defined(__NVPTX__)
#define __hip_launch_bounds_1(threads) __attribute__((launch_bounds(threads)))
#define __hip_launch_bounds_2(threads, warps)                                                      \
    __attribute__((                                                                                \
        launch_bounds(threads, ((warps)*32) / (threads) < 1 ? 1 : ((warps)*32) / (threads))))
#else
#define __hip_launch_bounds_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __hip_launch_bounds_2(threads, warps)                                                      \
    __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(warps)))
#endif
#define __hip_launch_bounds_pick(_1, _2, name, ...) name
#define __launch_bounds__(...)                                                                     \
    __hip_launch_bounds_pick(__VA_ARGS__, __hip_launch_bounds_2,                                   \
                             __hip_launch_bounds_1, )(__VA_ARGS__)
#endif

/* The lanes of a wavefront or warp, for the preprocessor. clang defined these before version 22,
 * as 64 on the host. Whether its wave32 builtins exist follows the architecture and
 * -mwavefrontsize64. */
#ifndef __AMDGCN_WAVEFRONT_SIZE__
#if defined(__NVPTX__)
#define __AMDGCN_WAVEFRONT_SIZE__ 32
#elif defined(__AMDGCN__) && __has_builtin(__builtin_amdgcn_ballot_w32)
#define __AMDGCN_WAVEFRONT_SIZE__ 32
#else
#define __AMDGCN_WAVEFRONT_SIZE__ 64
#endif
#endif
#ifndef __AMDGCN_WAVEFRONT_SIZE
#define __AMDGCN_WAVEFRONT_SIZE __AMDGCN_WAVEFRONT_SIZE__
#endif

#else /* host code, any compiler */

#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __shared__
#define __shared__
#endif
#ifndef __constant__
#define __constant__
#endif
#ifndef __managed__
#define __managed__
#endif
#ifndef __forceinline__
#define __forceinline__ inline
#endif
#ifndef __noinline__
#define __noinline__
#endif

#endif

/* Begins a function that HIP does not have under its name, or had not always: a template, so that a
 * program may define the same function, which is then preferred. */
#define __AH_YIELDING template <int = 0>

#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif

#endif
