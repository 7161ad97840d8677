/* clang's names for single AMDGPU instructions, on NVIDIA GPUs: those that real programs use
 * and that mean something there. A warp takes the place of a wavefront, so that functions
 * across lanes work on 32 of them; values are those of the AMDGPU ISA documents.
 *
 * On AMD GPUs these are the compiler's own, and this file has nothing to add. */
#ifndef HIP_DEVICE_AMDGCN_BUILTINS_H
#define HIP_DEVICE_AMDGCN_BUILTINS_H

#include "hip/device/atomics.h"
#include "hip/device/clock.h"
#include "hip/device/intrinsics.h"
#include "hip/device/sync.h"
#include "hip/device/warp.h"

#if defined(__NVPTX__)

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* ---- where a lane is ---- */

__AH_FN unsigned int __builtin_amdgcn_workitem_id_x() { return __ah::thread_x(); }
__AH_FN unsigned int __builtin_amdgcn_workitem_id_y() { return __ah::thread_y(); }
__AH_FN unsigned int __builtin_amdgcn_workitem_id_z() { return __ah::thread_z(); }
__AH_FN unsigned int __builtin_amdgcn_workgroup_id_x() { return __ah::block_x(); }
__AH_FN unsigned int __builtin_amdgcn_workgroup_id_y() { return __ah::block_y(); }
__AH_FN unsigned int __builtin_amdgcn_workgroup_id_z() { return __ah::block_z(); }
__AH_FN unsigned short __builtin_amdgcn_workgroup_size_x()
{
    return (unsigned short)__ah::threads_x();
}
__AH_FN unsigned short __builtin_amdgcn_workgroup_size_y()
{
    return (unsigned short)__ah::threads_y();
}
__AH_FN unsigned short __builtin_amdgcn_workgroup_size_z()
{
    return (unsigned short)__ah::threads_z();
}
__AH_FN unsigned int __builtin_amdgcn_grid_size_x() { return __ah::threads_x() * __ah::blocks_x(); }
__AH_FN unsigned int __builtin_amdgcn_grid_size_y() { return __ah::threads_y() * __ah::blocks_y(); }
__AH_FN unsigned int __builtin_amdgcn_grid_size_z() { return __ah::threads_z() * __ah::blocks_z(); }
__AH_FN unsigned int __builtin_amdgcn_wavefrontsize() { return 32; }
__AH_FN unsigned int __builtin_amdgcn_mbcnt_lo(unsigned int mask, unsigned int add)
{
    return __mbcnt_lo(mask, add);
}
__AH_FN unsigned int __builtin_amdgcn_mbcnt_hi(unsigned int mask, unsigned int add)
{
    return __mbcnt_hi(mask, add);
}

/* ---- waiting, order, time ---- */

/* 64 cycles for each count, at about 2 GHz */
__AH_FN void __builtin_amdgcn_s_sleep(int count) { __nanosleep((unsigned int)(count & 127) * 32); }
__AH_FN void __builtin_amdgcn_s_barrier() { __syncthreads(); }
__AH_FN void __builtin_amdgcn_wave_barrier() { __syncwarp(__activemask()); }
__AH_FN void __builtin_amdgcn_sched_barrier(int) {}
__AH_FN void __builtin_amdgcn_s_setprio(int) {}
__AH_FN void __builtin_amdgcn_s_waitcnt(int) { __threadfence_block(); }
/* scopes: "wavefront", "workgroup", "singlethread"; "agent"; "" is the whole system */
__AH_FN void __builtin_amdgcn_fence(unsigned int, const char *scope)
{
    if (scope[0] == 'w' || scope[0] == 's')
        __threadfence_block();
    else if (scope[0] == 'a')
        __threadfence();
    else
        __threadfence_system();
}
/* atomicInc and atomicDec with an order and a scope. */
#define __AH_WRAPPING(name, function)                                                              \
    __AH_FN unsigned int __builtin_amdgcn_atomic_##name(unsigned int *word, unsigned int limit,    \
                                                        unsigned int order, const char *scope)     \
    {                                                                                              \
        if (order != __ATOMIC_RELAXED)                                                             \
            __builtin_amdgcn_fence(order, scope);                                                  \
        unsigned int old = scope[0] ? function(word, limit) : function##_system(word, limit);      \
        if (order != __ATOMIC_RELAXED)                                                             \
            __builtin_amdgcn_fence(order, scope);                                                  \
        return old;                                                                                \
    }
__AH_WRAPPING(inc32, atomicInc)
__AH_WRAPPING(dec32, atomicDec)
#undef __AH_WRAPPING
__AH_FN void __builtin_amdgcn_endpgm() { __nvvm_exit(); }
__AH_FN unsigned long __builtin_amdgcn_s_memtime() { return (unsigned long)clock64(); }
__AH_FN unsigned long __builtin_amdgcn_s_memrealtime() { return (unsigned long)wall_clock64(); }

/* ---- across lanes ---- */

__AH_FN unsigned int __builtin_amdgcn_ballot_w32(bool predicate)
{
    return (unsigned int)__ballot(predicate);
}
__AH_FN unsigned long __builtin_amdgcn_ballot_w64(bool predicate) { return __ballot(predicate); }
__AH_FN unsigned long __builtin_amdgcn_read_exec() { return __activemask(); }
__AH_FN int __builtin_amdgcn_readfirstlane(int value)
{
    unsigned int active = __nvvm_activemask();
    return __nvvm_shfl_sync_idx_i32(active, value, __builtin_ctz(active), 31);
}
__AH_FN int __builtin_amdgcn_readlane(int value, int lane) { return __shfl(value, lane); }
/* addresses count bytes: lane times four */
__AH_FN int __builtin_amdgcn_ds_bpermute(int address, int value)
{
    return __shfl(value, address >> 2);
}
/* the value of the highest lane that sends to this one, 0 if none does */
__AH_FN int __builtin_amdgcn_ds_permute(int address, int value)
{
    int result = 0;
    unsigned int active = __nvvm_activemask();
    for (unsigned int rest = active; rest; rest &= rest - 1) {
        int from = __builtin_ctz(rest);
        int to = __nvvm_shfl_sync_idx_i32(active, address, from, 31) >> 2 & 31;
        int sent = __nvvm_shfl_sync_idx_i32(active, value, from, 31);
        if (to == (int)__lane_id())
            result = sent;
    }
    return result;
}
/* bit mode only (and, or, xor of the lane's number within 32), and permutation of four */
__AH_FN int __builtin_amdgcn_ds_swizzle(int value, int pattern)
{
    int lane = (int)__lane_id();
    int from = ((lane & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    if (pattern & 0x8000)
        from = (lane & ~3) | (pattern >> (lane & 3) * 2 & 3);
    return __shfl(value, from & 31);
}

namespace __ah
{
/* The lane from which DPP takes a value, -1 where there is none. Rows are of 16 lanes. */
__AH_FN int dpp_source(int control)
{
    int lane = (int)__lane_id(), row = lane & ~15, at = lane & 15, n = control & 15;
    if (control <= 0xff) /* quad_perm */
        return (lane & ~3) | (control >> (lane & 3) * 2 & 3);
    if (control > 0x100 && control <= 0x10f) /* row_shl */
        return at + n <= 15 ? lane + n : -1;
    if (control > 0x110 && control <= 0x11f) /* row_shr */
        return at - n >= 0 ? lane - n : -1;
    if (control > 0x120 && control <= 0x12f) /* row_ror */
        return row | ((at - n) & 15);
    switch (control) {
    case 0x130: /* wave_shl:1 */
        return lane + 1 < 32 ? lane + 1 : -1;
    case 0x134: /* wave_rol:1 */
        return (lane + 1) & 31;
    case 0x138: /* wave_shr:1 */
        return lane - 1;
    case 0x13c: /* wave_ror:1 */
        return (lane - 1) & 31;
    case 0x140: /* row_mirror */
        return row | (15 - at);
    case 0x141: /* row_half_mirror */
        return (lane & ~7) | (7 - (lane & 7));
    case 0x142: /* row_bcast:15, the last lane of the row before */
        return row - 1;
    case 0x143: /* row_bcast:31, beyond a warp */
        return -1;
    }
    if (control >= 0x150 && control <= 0x15f) /* row_share */
        return row | n;
    if (control >= 0x160 && control <= 0x16f) /* row_xmask */
        return lane ^ n;
    return lane;
}
} // namespace __ah

/* A lane that is masked out, or that has no source without bound_ctrl, keeps old. */
__AH_FN int __builtin_amdgcn_update_dpp(int old, int value, int control, int row_mask,
                                        int bank_mask, bool bound_ctrl)
{
    int lane = (int)__lane_id(), source = __ah::dpp_source(control);
    unsigned int active = __nvvm_activemask();
    int moved = __nvvm_shfl_sync_idx_i32(active, value, source & 31, 31);
    bool valid = source >= 0 && (active >> (source & 31) & 1);
    if (!(row_mask >> (lane / 16) & 1) || !(bank_mask >> (lane / 4 % 4) & 1))
        return old;
    return valid ? moved : bound_ctrl ? 0 : old;
}
__AH_FN int __builtin_amdgcn_mov_dpp(int value, int control, int row_mask, int bank_mask,
                                     bool bound_ctrl)
{
    return __builtin_amdgcn_update_dpp(0, value, control, row_mask, bank_mask, bound_ctrl);
}

/* ---- arithmetic ---- */

__AH_FN float __builtin_amdgcn_rcpf(float x) { return 1.0f / x; }
__AH_FN double __builtin_amdgcn_rcp(double x) { return 1.0 / x; }
__AH_FN float __builtin_amdgcn_sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
__AH_FN double __builtin_amdgcn_sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
__AH_FN float __builtin_amdgcn_rsqf(float x) { return __nvvm_rsqrt_approx_f(x); }
__AH_FN double __builtin_amdgcn_rsq(double x) { return 1.0 / __nvvm_sqrt_rn_d(x); }
__AH_FN float __builtin_amdgcn_exp2f(float x) { return __nvvm_ex2_approx_f(x); }
__AH_FN float __builtin_amdgcn_logf(float x) { return __nvvm_lg2_approx_f(x); }
__AH_FN float __builtin_amdgcn_fractf(float x) { return x - __builtin_floorf(x); }
/* of turns, not of radians */
__AH_FN float __builtin_amdgcn_sinf(float x) { return __nvvm_sin_approx_f(x * 6.28318530718f); }
__AH_FN float __builtin_amdgcn_cosf(float x) { return __nvvm_cos_approx_f(x * 6.28318530718f); }
__AH_FN float __builtin_amdgcn_fmed3f(float x, float y, float z)
{
    float low = __builtin_fminf(x, y), high = __builtin_fmaxf(x, y);
    return __builtin_fmaxf(low, __builtin_fminf(high, z));
}
__AH_FN unsigned int __builtin_amdgcn_ubfe(unsigned int x, unsigned int offset, unsigned int width)
{
    offset &= 31, width &= 31;
    return x >> offset & ((1u << width) - 1);
}
__AH_FN int __builtin_amdgcn_sbfe(int x, unsigned int offset, unsigned int width)
{
    unsigned int above = 32 - (width & 31); /* a field may reach beyond x, into its sign */
    return above == 32 ? 0 : (int)((unsigned int)(x >> (offset & 31)) << above) >> above;
}
__AH_FN unsigned int __builtin_amdgcn_alignbit(unsigned int high, unsigned int low, unsigned int n)
{
    return __funnelshift_r(low, high, n);
}
__AH_FN unsigned int __builtin_amdgcn_alignbyte(unsigned int high, unsigned int low, unsigned int n)
{
    return __funnelshift_r(low, high, (n & 3) * 8);
}
/* bytes 0 to 3 are of the second operand; 8 to 11 are signs, 12 is 0 and more are 0xff */
__AH_FN unsigned int __builtin_amdgcn_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    unsigned long long bytes = (unsigned long long)x << 32 | y;
    unsigned int result = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned int s = selector >> 8 * i & 0xff, byte = 0xff;
        if (s < 8)
            byte = (unsigned int)(bytes >> 8 * s) & 0xff;
        else if (s < 12)
            byte = (bytes >> (16 * (s - 8) + 15) & 1) ? 0xff : 0;
        else if (s == 12)
            byte = 0;
        result |= byte << 8 * i;
    }
    return result;
}
__AH_FN unsigned int __builtin_amdgcn_sad_u8(unsigned int x, unsigned int y, unsigned int add)
{
    for (int i = 0; i < 32; i += 8) {
        int difference = (int)(x >> i & 0xff) - (int)(y >> i & 0xff);
        add += (unsigned int)(difference < 0 ? -difference : difference);
    }
    return add;
}
__AH_FN int __builtin_amdgcn_sdot4(int a, int b, int c, bool) { return __dp4a(a, b, c); }
__AH_FN unsigned int __builtin_amdgcn_udot4(unsigned int a, unsigned int b, unsigned int c, bool)
{
    return __dp4a(a, b, c);
}

#undef __AH_FN
#endif
#endif
