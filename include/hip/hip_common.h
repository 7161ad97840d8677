// Platform selection and the architecture macros every HIP source may test.
// Owns no types and no functions.
#ifndef HIP_INCLUDE_HIP_HIP_COMMON_H
#define HIP_INCLUDE_HIP_HIP_COMMON_H

// One flavour of source and ABI, whatever device the program meets at run time: AMD's. It is
// therefore selected here and need not be given on the command line. Only a build that names
// NVIDIA's flavour explicitly is left alone, and these headers then refuse to compile.
#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#if defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_HCC__)
#define __HIP_PLATFORM_HCC__ 1 // the name of the same platform before HIP 4.3
#endif
#if defined(__HIP_PLATFORM_AMD__) == defined(__HIP_PLATFORM_NVIDIA__)
#error "AnyHIP's headers follow AMD's source flavour: define __HIP_PLATFORM_AMD__ or nothing"
#endif

// __HIP_DEVICE_COMPILE__ itself comes from clang in HIP mode. A CUDA device pass sets it here.
#if !defined(__HIP_DEVICE_COMPILE__) && defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ != 0
#define __HIP_DEVICE_COMPILE__ 1
#endif
#endif

#if defined(__GNUC__)
#define HIP_PUBLIC_API            __attribute__((visibility("default")))
#define HIP_INTERNAL_EXPORTED_API __attribute__((visibility("default")))
#else
#define HIP_PUBLIC_API
#define HIP_INTERNAL_EXPORTED_API
#endif

// What the device being compiled for can do. All 0 on the host; the device pass gets its
// values from hip_runtime.h.
#if !defined(__HIP_DEVICE_COMPILE__)
#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__     (0)
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__ (0)
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__     (0)
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__ (0)
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__         (0)
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__     (0)
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__     (0)
#define __HIP_ARCH_HAS_DOUBLES__                  (0)
#define __HIP_ARCH_HAS_WARP_VOTE__                (0)
#define __HIP_ARCH_HAS_WARP_BALLOT__              (0)
#define __HIP_ARCH_HAS_WARP_SHUFFLE__             (0)
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__        (0)
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__      (0)
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__          (0)
#define __HIP_ARCH_HAS_SURFACE_FUNCS__            (0)
#define __HIP_ARCH_HAS_3DGRID__                   (0)
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__         (0)
#endif

// The names that HIP's documents use.
#define HIP_ARCH_HAS_WARP_VOTE   __HIP_ARCH_HAS_WARP_VOTE__
#define HIP_ARCH_HAS_WARP_BALLOT __HIP_ARCH_HAS_WARP_BALLOT__

#endif
