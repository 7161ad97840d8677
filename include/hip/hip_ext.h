// AMD's launch extensions: kernels bracketed by events, global sizes in threads.
#ifndef HIP_INCLUDE_HIP_HIP_EXT_H
#define HIP_INCLUDE_HIP_HIP_EXT_H

#ifdef __cplusplus
#include <hip/hip_runtime.h> // first; programs expect the kernel language of this header
#else
#include <hip/hip_runtime_api.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Launches a kernel of a module between two events, its size in threads.
/// @param [in] f  the kernel
/// @param [in] globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ  grid, threads: the last block
///     of a dimension may be smaller on AMD; a multiple of the block on NVIDIA
/// @param [in] localWorkSizeX, localWorkSizeY, localWorkSizeZ  block, threads
/// @param [in] sharedMemBytes  dynamic shared memory of a block
/// @param [in] hStream  a stream; NULL for the legacy default stream
/// @param [in] kernelParams  address of each argument, in order; NULL if extra is given or there
///     are none
/// @param [in] extra  as hipModuleLaunchKernel()
/// @param [in] startEvent  recorded when the kernel starts; may be NULL
/// @param [in] stopEvent  recorded when the kernel ends; may be NULL
/// @param [in] flags  0 or hipExtAnyOrderLaunch, which is a hint
/// Returns: hipErrorInvalidResourceHandle: not a kernel; hipErrorInvalidValue: both kernelParams
/// and extra are given, or a partial block on NVIDIA; hipErrorInvalidHandle: not an event; launch
/// errors of hip/api/launch.h.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Module Management"; no CUDA counterpart.

/// The current name.
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX,
                                    uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void **kernelParams, void **extra,
                                    hipEvent_t startEvent __dparm(NULL),
                                    hipEvent_t stopEvent __dparm(NULL), uint32_t flags __dparm(0));
/// The name up to HIP 4; no flags.
hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX,
                                    uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void **kernelParams, void **extra,
                                    hipEvent_t startEvent __dparm(NULL),
                                    hipEvent_t stopEvent __dparm(NULL));

#pragma GCC visibility pop
#ifdef __cplusplus
}

/// hipExtLaunchKernel() with the kernel's arguments as they are: each is converted to the type
/// of the kernel's parameter. Errors are left to hipGetLastError().
template <typename... Formals, typename... Actuals>
inline void hipExtLaunchKernelGGL(void (*kernel)(Formals...), const dim3 &numBlocks,
                                  const dim3 &dimBlocks, uint32_t sharedMemBytes,
                                  hipStream_t stream, hipEvent_t startEvent, hipEvent_t stopEvent,
                                  uint32_t flags, Actuals... args)
{
    static_assert(sizeof...(Formals) == sizeof...(Actuals),
                  "the number of arguments differs from the kernel's");
    [&](Formals... formals) {
        void *pointers[sizeof...(Formals) + 1] = {
            const_cast<void *>(static_cast<const volatile void *>(&formals))...};
        (void)hipExtLaunchKernel(reinterpret_cast<const void *>(kernel), numBlocks, dimBlocks,
                                 pointers, sharedMemBytes, stream, startEvent, stopEvent,
                                 static_cast<int>(flags));
    }(static_cast<Formals>(args)...);
}

/// The same for a kernel that is a template, or one of several of its name: the arguments choose
/// it.
template <typename... Args, typename Kernel = void (*)(Args...)>
inline void hipExtLaunchKernelGGL(Kernel kernel, const dim3 &numBlocks, const dim3 &dimBlocks,
                                  uint32_t sharedMemBytes, hipStream_t stream,
                                  hipEvent_t startEvent, hipEvent_t stopEvent, uint32_t flags,
                                  Args... args)
{
    void (*chosen)(Args...) = kernel;
    hipExtLaunchKernelGGL(chosen, numBlocks, dimBlocks, sharedMemBytes, stream, startEvent,
                          stopEvent, flags, args...);
}
#endif
#endif
