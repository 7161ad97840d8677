/* Integer intrinsics: counting, reversing and permuting bits and bytes, funnel shifts,
 * high and 24-bit products, averages, absolute differences, dot products. Each maps to
 * one or two instructions on both vendors; where the compiler finds the instruction from
 * plain arithmetic, plain arithmetic is what stands here. */
#ifndef HIP_DEVICE_INTRINSICS_H
#define HIP_DEVICE_INTRINSICS_H

#include "hip/device/prelude.h"
#include "hip/hip_vector_types.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* ---- counting and reversing bits (popc, clz, bfind, brev; s_bcnt1, v_ffbh, v_bfrev) ---- */

__AH_FN unsigned int __popc(unsigned int x) { return __builtin_popcount(x); }
__AH_FN unsigned int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
/* leading zeros; all of them for 0 */
__AH_FN int __clz(int x) { return __builtin_clzg(static_cast<unsigned int>(x), 32); }
__AH_FN int __clzll(long long x) { return __builtin_clzg(static_cast<unsigned long long>(x), 64); }
/* the place of the lowest set bit, counted from 1; 0 for 0 */
__AH_FN int __ffs(int x) { return __builtin_ffs(x); }
__AH_FN int __ffs(unsigned int x) { return __builtin_ffs(static_cast<int>(x)); }
__AH_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
__AH_FN int __ffsll(unsigned long long x) { return __builtin_ffsll(static_cast<long long>(x)); }
__AH_FN int __ffsll(long x) { return __builtin_ffsll(x); }
__AH_FN int __ffsll(unsigned long x) { return __builtin_ffsll(static_cast<long long>(x)); }
__AH_FN unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__AH_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
/* the place of the lowest set bit, counted from 0; -1 for 0 */
__AH_YIELDING __AH_FN unsigned int __lastbit_u32_u32(unsigned int x)
{
    return static_cast<unsigned int>(__builtin_ctzg(x, -1));
}
__AH_FN unsigned int __lastbit_u32_u64(unsigned long x)
{
    return static_cast<unsigned int>(__builtin_ctzg(x, -1));
}

/* The position of the n-th set bit of a mask, counting upwards from base for n > 0 and
 * downwards for n < 0; n == 0 asks for the bit at base itself. -1 where there is none. */
static __device__ inline int __fns64(unsigned long long mask, unsigned int base, int n)
{
    if (n == 0)
        return (mask >> base & 1) ? static_cast<int>(base) : -1;
    unsigned long long rest =
        n > 0 ? mask & (~0ull << base) : __builtin_bitreverse64(mask) & (~0ull << (63 - base));
    int wanted = n > 0 ? n : -n;
    while (--wanted > 0)
        rest &= rest - 1; /* drop the lowest set bit */
    if (rest == 0)
        return -1;
    int position = __builtin_ctzll(rest);
    return n > 0 ? position : 63 - position;
}
static __device__ inline int __fns32(unsigned long long mask, unsigned int base, int n)
{
    return __fns64(mask & 0xffffffffull, base, n);
}
__AH_FN int __fns(unsigned int mask, unsigned int base, int n) { return __fns64(mask, base, n); }

/* ---- fields of bits; offset and width are taken modulo the word ---- */

__AH_FN unsigned int __bitextract_u32(unsigned int x, unsigned int offset, unsigned int width)
{
    width &= 31;
    return width == 0 ? 0 : x << ((32 - width - offset) & 31) >> (32 - width);
}
__AH_FN unsigned long __bitextract_u64(unsigned long x, unsigned int offset, unsigned int width)
{
    width &= 63;
    return width == 0 ? 0 : x << ((64 - width - offset) & 63) >> (64 - width);
}
__AH_FN unsigned int __bitinsert_u32(unsigned int x, unsigned int bits, unsigned int offset,
                                     unsigned int width)
{
    unsigned int field = (1u << (width & 31)) - 1;
    return (x & ~(field << (offset & 31))) | (bits & field) << (offset & 31);
}
__AH_FN unsigned long __bitinsert_u64(unsigned long x, unsigned long bits, unsigned int offset,
                                      unsigned int width)
{
    unsigned long field = (1ul << (width & 63)) - 1;
    return (x & ~(field << (offset & 63))) | (bits & field) << (offset & 63);
}

/* ---- bytes and words out of two registers ---- */

/* Byte i of the result is the byte of y:x whose number is in bits 4i..4i+2 of s.
 * (prmt.b32; v_perm_b32, whose selector has a byte for each byte) */
__AH_FN unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s)
{
#if defined(__NVPTX__)
    return __nvvm_prmt(x, y, s & 0x7777);
#else
    unsigned int selector = s & 0x7777;
    selector = (selector | selector << 8) & 0x00ff00ff;
    selector = (selector | selector << 4) & 0x0f0f0f0f;
    return __builtin_amdgcn_perm(y, x, selector);
#endif
}

/* The upper (l) or lower (r) word of hi:lo shifted by n modulo 32, or by at most 32 (c).
 * (shf.l, shf.r; v_alignbit_b32) */
__AH_FN unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n)
{
    return __builtin_elementwise_fshl(hi, lo, n);
}
__AH_FN unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int n)
{
    return n >= 32 ? lo : __builtin_elementwise_fshl(hi, lo, n);
}
__AH_FN unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n)
{
    return __builtin_elementwise_fshr(hi, lo, n);
}
__AH_FN unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int n)
{
    return n >= 32 ? hi : __builtin_elementwise_fshr(hi, lo, n);
}

/* ---- products ---- */

/* the lower 32 bits of the product of the lower 24 bits (mul24.lo; v_mul_i32_i24) */
__AH_FN int __mul24(int x, int y)
{
    int a = static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8;
    int b = static_cast<int>(static_cast<unsigned int>(y) << 8) >> 8;
    return static_cast<int>(static_cast<unsigned int>(a) * static_cast<unsigned int>(b));
}
__AH_FN unsigned int __umul24(unsigned int x, unsigned int y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}
/* the upper half of the full product (mul.hi; v_mul_hi) */
__AH_FN int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
__AH_FN unsigned int __umulhi(unsigned int x, unsigned int y)
{
    return static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32);
}
__AH_FN long long __mul64hi(long long x, long long y)
{
    return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
__AH_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

/* ---- averages and absolute differences ---- */

/* (x + y) / 2 without overflow, rounded down, and with r rounded up */
__AH_FN int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
__AH_FN int __rhadd(int x, int y)
{
    return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
__AH_FN unsigned int __uhadd(unsigned int x, unsigned int y)
{
    return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y) >> 1);
}
__AH_FN unsigned int __urhadd(unsigned int x, unsigned int y)
{
    return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
/* |x - y| + z (sad; v_sad_u32) */
__AH_FN unsigned int __sad(int x, int y, unsigned int z)
{
    unsigned int a = static_cast<unsigned int>(x), b = static_cast<unsigned int>(y);
    return (x > y ? a - b : b - a) + z;
}
__AH_FN unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
    return (x > y ? x - y : y - x) + z;
}

/* ---- dot products of packed integers, added to c ---- */

/* four 8-bit pairs (dp4a; v_dot4 where the processor has it) */
__AH_YIELDING __AH_FN int __dp4a(int a, int b, int c)
{
#if defined(__NVPTX__)
    int r;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    for (int i = 0; i < 32; i += 8)
        c += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
    return c;
#endif
}
__AH_YIELDING __AH_FN unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
#if defined(__NVPTX__)
    unsigned int r;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
#endif
}
__AH_YIELDING __AH_FN int __dp4a(char4 a, char4 b, int c)
{
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__AH_YIELDING __AH_FN unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c)
{
    return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
/* the two 16-bit halves of a with the two lower or upper bytes of b */
__AH_YIELDING __AH_FN int __dp2a_lo(int a, int b, int c)
{
    return c + static_cast<short>(a) * static_cast<signed char>(b) +
           static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8);
}
__AH_YIELDING __AH_FN int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
__AH_YIELDING __AH_FN unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c)
{
    return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
__AH_YIELDING __AH_FN unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c)
{
    return __dp2a_lo(a, b >> 16, c);
}

#undef __AH_FN
#endif
