/* Where a thread is: threadIdx, blockIdx, blockDim, gridDim, warpSize, the lane, and the
 * hipThreadIdx_x ... macros.
 *
 * AMD reads ids from registers and sizes from the implicit kernel arguments (code object
 * version 5 and up, docs/kernel-abi.md); NVIDIA reads special registers (PTX ISA,
 * "Special Registers": %tid, %ntid, %ctaid, %nctaid, %laneid). */
#ifndef HIP_DEVICE_INDEX_H
#define HIP_DEVICE_INDEX_H

#include "hip/device/prelude.h"
#include "hip/hip_vector_types.h"
#include "hip/api/basics.h" /* dim3 */

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
#if defined(__NVPTX__)
__AH_FN unsigned int thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
__AH_FN unsigned int thread_y() { return __nvvm_read_ptx_sreg_tid_y(); }
__AH_FN unsigned int thread_z() { return __nvvm_read_ptx_sreg_tid_z(); }
__AH_FN unsigned int block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__AH_FN unsigned int block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
__AH_FN unsigned int block_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
__AH_FN unsigned int threads_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
__AH_FN unsigned int threads_y() { return __nvvm_read_ptx_sreg_ntid_y(); }
__AH_FN unsigned int threads_z() { return __nvvm_read_ptx_sreg_ntid_z(); }
__AH_FN unsigned int blocks_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
__AH_FN unsigned int blocks_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
__AH_FN unsigned int blocks_z() { return __nvvm_read_ptx_sreg_nctaid_z(); }
__AH_FN int lanes() { return 32; }
__AH_FN unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
#else
__AH_FN unsigned int thread_x() { return __builtin_amdgcn_workitem_id_x(); }
__AH_FN unsigned int thread_y() { return __builtin_amdgcn_workitem_id_y(); }
__AH_FN unsigned int thread_z() { return __builtin_amdgcn_workitem_id_z(); }
__AH_FN unsigned int block_x() { return __builtin_amdgcn_workgroup_id_x(); }
__AH_FN unsigned int block_y() { return __builtin_amdgcn_workgroup_id_y(); }
__AH_FN unsigned int block_z() { return __builtin_amdgcn_workgroup_id_z(); }
__AH_FN unsigned int threads_x() { return __builtin_amdgcn_workgroup_size_x(); }
__AH_FN unsigned int threads_y() { return __builtin_amdgcn_workgroup_size_y(); }
__AH_FN unsigned int threads_z() { return __builtin_amdgcn_workgroup_size_z(); }
/* hidden_block_count_x, _y, _z: the first three words of the implicit arguments */
__AH_FN unsigned int block_count(unsigned int dimension)
{
    typedef const __attribute__((address_space(4))) unsigned int word;
    return ((word *)__builtin_amdgcn_implicitarg_ptr())[dimension];
}
__AH_FN unsigned int blocks_x() { return block_count(0); }
__AH_FN unsigned int blocks_y() { return block_count(1); }
__AH_FN unsigned int blocks_z() { return block_count(2); }
__AH_FN int lanes() { return __builtin_amdgcn_wavefrontsize(); }
__AH_FN unsigned int lane()
{
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}
#endif

/* The type of one coordinate builtin. Reading .x, .y, .z calls the function; there is no
 * object behind the name. */
#define __AH_COORDINATE(name)                                                                      \
    struct name##_coordinate {                                                                     \
        __declspec(property(get = get_x)) unsigned int x;                                          \
        __declspec(property(get = get_y)) unsigned int y;                                          \
        __declspec(property(get = get_z)) unsigned int z;                                          \
        __AH_FN unsigned int get_x() { return name##_x(); }                                        \
        __AH_FN unsigned int get_y() { return name##_y(); }                                        \
        __AH_FN unsigned int get_z() { return name##_z(); }                                        \
        __device__ inline __attribute__((always_inline)) operator dim3() const                     \
        {                                                                                          \
            return dim3(name##_x(), name##_y(), name##_z());                                       \
        }                                                                                          \
        __device__ inline __attribute__((always_inline)) operator uint3() const                    \
        {                                                                                          \
            return uint3(name##_x(), name##_y(), name##_z());                                      \
        }                                                                                          \
    };
__AH_COORDINATE(thread)
__AH_COORDINATE(block)
__AH_COORDINATE(threads)
__AH_COORDINATE(blocks)
#undef __AH_COORDINATE

/* The number of lanes of a warp: 32 on NVIDIA and RDNA, 64 on CDNA and GCN. A value of the
 * run time: not a constant expression, and not known on the host, where
 * hipDeviceProp_t::warpSize has it. */
struct warp_size {
    __device__ inline __attribute__((always_inline)) operator int() const { return lanes(); }
};
} // namespace __ah

extern const __device__ __attribute__((weak)) __ah::thread_coordinate threadIdx;
extern const __device__ __attribute__((weak)) __ah::block_coordinate blockIdx;
extern const __device__ __attribute__((weak)) __ah::threads_coordinate blockDim;
extern const __device__ __attribute__((weak)) __ah::blocks_coordinate gridDim;
extern const __device__ __attribute__((weak)) __ah::warp_size warpSize;

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x  blockIdx.x
#define hipBlockIdx_y  blockIdx.y
#define hipBlockIdx_z  blockIdx.z
#define hipBlockDim_x  blockDim.x
#define hipBlockDim_y  blockDim.y
#define hipBlockDim_z  blockDim.z
#define hipGridDim_x   gridDim.x
#define hipGridDim_y   gridDim.y
#define hipGridDim_z   gridDim.z

/* This thread's place in its warp. */
__AH_FN unsigned int __lane_id() { return __ah::lane(); }

/* Which multiprocessor or compute unit runs this thread now; it may change.
 * NVIDIA: %smid. AMD: compute unit and shader engine from the hardware id register. */
__AH_FN unsigned int __smid()
{
#if defined(__NVPTX__)
    return __nvvm_read_ptx_sreg_smid();
#elif defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
    /* s_getreg_b32 operand: register | first bit << 6 | (bits - 1) << 11; HW_ID1 is 23:
     * work-group processor 10..13, shader array 16, shader engine 18..20 */
    unsigned int engine = __builtin_amdgcn_s_getreg(23 | 18 << 6 | (3 - 1) << 11);
    unsigned int array = __builtin_amdgcn_s_getreg(23 | 16 << 6 | (1 - 1) << 11);
    unsigned int processor = __builtin_amdgcn_s_getreg(23 | 10 << 6 | (4 - 1) << 11);
    return (engine << 1 | array) << 4 | processor;
#else
    /* HW_ID is 4: compute unit 8..11, shader engine 13..15 */
    unsigned int unit = __builtin_amdgcn_s_getreg(4 | 8 << 6 | (4 - 1) << 11);
    unsigned int engine = __builtin_amdgcn_s_getreg(4 | 13 << 6 | (3 - 1) << 11);
    return engine << 4 | unit;
#endif
}

#undef __AH_FN
#endif
