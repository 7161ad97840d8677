/* Barriers of a block and of a warp, and memory fences.
 *
 * AMD: s_barrier between a release and an acquire fence of work-group scope, so that
 * memory written before is seen after. NVIDIA: bar.sync and membar, which order memory
 * themselves (PTX ISA, "Parallel Synchronization and Communication Instructions"). */
#ifndef HIP_DEVICE_SYNC_H
#define HIP_DEVICE_SYNC_H

#include "hip/device/index.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* ---- fences ---- */

#if defined(__NVPTX__)
__AH_FN void __threadfence_block() { __nvvm_membar_cta(); }
__AH_FN void __threadfence() { __nvvm_membar_gl(); }
__AH_FN void __threadfence_system() { __nvvm_membar_sys(); }
#else
__AH_FN void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
__AH_FN void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__AH_FN void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
#endif

/* ---- the block ---- */

/* All threads of the block arrive before any goes on. On NVIDIA __syncthreads is known
 * to the compiler itself and must not be defined. */
#if !defined(__NVPTX__)
__AH_FN void __syncthreads()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#endif

#if defined(__NVPTX__)
/* barrier.red.popc, .and, .or */
__AH_FN int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
__AH_FN int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
__AH_FN int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
#else
/* AMD has no such barrier: every wave adds its count to one word of shared memory. The
 * first barrier keeps a fast wave of the next call from clearing what is still read. */
static __device__ inline int __syncthreads_count(int predicate)
{
    static __shared__ unsigned int total;
    bool first_thread = (__ah::thread_x() | __ah::thread_y() | __ah::thread_z()) == 0;
    unsigned long long votes = __builtin_amdgcn_ballot_w64(predicate != 0);
    unsigned long long active = __builtin_amdgcn_ballot_w64(true);
    __syncthreads();
    if (first_thread)
        total = 0;
    __syncthreads();
    if (__ah::lane() == static_cast<unsigned int>(__builtin_ctzll(active)))
        __hip_atomic_fetch_add(&total, static_cast<unsigned int>(__builtin_popcountll(votes)),
                               __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    return static_cast<int>(total);
}
__AH_FN int __syncthreads_and(int predicate) { return __syncthreads_count(predicate == 0) == 0; }
__AH_FN int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
#endif

/* ---- the warp ---- */

/* The lanes named in the mask wait for each other and see each other's memory.
 * NVIDIA: bar.warp.sync. AMD: lanes run in step; only memory needs ordering. */
#if defined(__NVPTX__)
__AH_YIELDING __AH_FN void __syncwarp(unsigned long long mask = ~0ull)
{
    __nvvm_bar_warp_sync(static_cast<unsigned int>(mask));
}
#else
__AH_YIELDING __AH_FN void __syncwarp(unsigned long long mask = ~0ull)
{
    (void)mask;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
#endif

/* A barrier by another of HIP's names. */
__AH_FN void __named_sync() { __syncthreads(); }

#undef __AH_FN
#endif
