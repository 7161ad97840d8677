/* Functions across the lanes of a warp: votes, ballots, matches, shuffles, reductions.
 *
 * Masks have 64 bits everywhere; where a warp has 32 lanes the upper half is unused. The
 * functions without _sync work on the lanes active at the call. The _sync functions take
 * a mask of the lanes that make the same call.
 *
 * AMD: lanes run in step; v_cmp gives a ballot, ds_bpermute_b32 a shuffle, and a mask only
 * selects from the result. NVIDIA: vote.sync, match.sync, shfl.sync, redux.sync (PTX ISA);
 * the functions without _sync pass the mask of active lanes. */
#ifndef HIP_DEVICE_WARP_H
#define HIP_DEVICE_WARP_H

#include "hip/device/index.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* ---- votes ---- */

#if defined(__NVPTX__)
__AH_FN unsigned long long __activemask() { return __nvvm_activemask(); }
__AH_FN unsigned long long __ballot(int predicate)
{
    return static_cast<unsigned int>(__nvvm_vote_ballot_sync(__nvvm_activemask(), predicate));
}
__AH_FN int __any(int predicate) { return __nvvm_vote_any_sync(__nvvm_activemask(), predicate); }
__AH_FN int __all(int predicate) { return __nvvm_vote_all_sync(__nvvm_activemask(), predicate); }
#else
__AH_FN unsigned long long __activemask() { return __builtin_amdgcn_ballot_w64(true); }
__AH_FN unsigned long long __ballot(int predicate)
{
    return __builtin_amdgcn_ballot_w64(predicate != 0);
}
__AH_FN int __any(int predicate) { return __ballot(predicate) != 0; }
__AH_FN int __all(int predicate) { return __ballot(predicate == 0) == 0; }
#endif
__AH_FN unsigned long long __ballot64(int predicate) { return __ballot(predicate); }

namespace __ah
{
#if defined(__NVPTX__)
__AH_FN unsigned long long ballot(unsigned long long mask, int predicate)
{
    return static_cast<unsigned int>(__nvvm_vote_ballot_sync((unsigned int)mask, predicate));
}
__AH_FN int any(unsigned long long mask, int predicate)
{
    return __nvvm_vote_any_sync((unsigned int)mask, predicate);
}
__AH_FN int all(unsigned long long mask, int predicate)
{
    return __nvvm_vote_all_sync((unsigned int)mask, predicate);
}
#else
__AH_FN unsigned long long ballot(unsigned long long mask, int predicate)
{
    return __ballot(predicate) & mask;
}
__AH_FN int any(unsigned long long mask, int predicate) { return ballot(mask, predicate) != 0; }
__AH_FN int all(unsigned long long mask, int predicate)
{
    return ballot(mask, predicate == 0) == 0;
}
#endif
} // namespace __ah

/* The lanes above, below and at this one, of those that are active. */
__AH_FN unsigned long long __lanemask_gt() { return (~1ull << __lane_id()) & __activemask(); }
__AH_FN unsigned long long __lanemask_lt() { return ((1ull << __lane_id()) - 1) & __activemask(); }
__AH_FN unsigned long long __lanemask_eq() { return 1ull << __lane_id(); }

/* How many bits of a mask belong to lanes below this one, plus an amount. The low and the
 * high half of the mask are given to one function each (v_mbcnt_lo, v_mbcnt_hi). */
#if defined(__NVPTX__)
__AH_FN unsigned int __mbcnt_lo(unsigned int mask, unsigned int add)
{
    return add + __builtin_popcount(mask & ((1u << __lane_id()) - 1));
}
__AH_FN unsigned int __mbcnt_hi(unsigned int, unsigned int add) { return add; }
#else
__AH_FN unsigned int __mbcnt_lo(unsigned int mask, unsigned int add)
{
    return __builtin_amdgcn_mbcnt_lo(mask, add);
}
__AH_FN unsigned int __mbcnt_hi(unsigned int mask, unsigned int add)
{
    return __builtin_amdgcn_mbcnt_hi(mask, add);
}
#endif

/* ---- shuffles ---- */

namespace __ah
{
/* A value as the 32-bit words that the hardware moves. */
template <typename T> struct words {
    unsigned int word[(sizeof(T) + 3) / 4];
};
template <typename T> __AH_FN words<T> to_words(const T &value)
{
    words<T> w = {};
    __builtin_memcpy(&w, &value, sizeof(T));
    return w;
}
template <typename T> __AH_FN T from_words(const words<T> &w)
{
    T value;
    __builtin_memcpy(&value, &w, sizeof(T));
    return value;
}

/* The four patterns. width is a power of two, at most the warp; a lane outside it, or a
 * distance past it, gives the calling lane its own value. */
#if defined(__NVPTX__)
/* shfl's last operand: the lanes that part one group from the next in bits 8..12, and in
 * bits 0..4 the last lane of a group, or zero where lanes are read from below. */
__AH_FN int groups(int width, int last) { return (32 - width) << 8 | last; }

template <typename T> __AH_FN T shuffle(unsigned int mask, T value, int lane, int width)
{
    words<T> w = to_words(value);
    for (unsigned int &x : w.word)
        x = __nvvm_shfl_sync_idx_i32(mask, x, lane, groups(width, 31));
    return from_words(w);
}
template <typename T> __AH_FN T shuffle_up(unsigned int mask, T value, unsigned int d, int width)
{
    words<T> w = to_words(value);
    for (unsigned int &x : w.word)
        x = __nvvm_shfl_sync_up_i32(mask, x, d, groups(width, 0));
    return d < 32 ? from_words(w) : value; /* the instruction uses five bits of d */
}
template <typename T> __AH_FN T shuffle_down(unsigned int mask, T value, unsigned int d, int width)
{
    words<T> w = to_words(value);
    for (unsigned int &x : w.word)
        x = __nvvm_shfl_sync_down_i32(mask, x, d, groups(width, 31));
    return d < 32 ? from_words(w) : value;
}
template <typename T> __AH_FN T shuffle_xor(unsigned int mask, T value, int bits, int width)
{
    words<T> w = to_words(value);
    for (unsigned int &x : w.word)
        x = __nvvm_shfl_sync_bfly_i32(mask, x, bits, groups(width, 31));
    return (unsigned int)bits < 32 ? from_words(w) : value;
}
__AH_FN unsigned int active() { return __nvvm_activemask(); }
#else
template <typename T> __AH_FN T read_lane(T value, unsigned int lane)
{
    words<T> w = to_words(value);
    for (unsigned int &x : w.word)
        x = __builtin_amdgcn_ds_bpermute((int)(lane << 2), (int)x);
    return from_words(w);
}
/* Where the compiler knows that the group is the wave, nothing is left to compute: the
 * instruction takes lanes modulo the wave. */
__AH_FN bool is_wave(int width) { return __builtin_constant_p(width) && width == lanes(); }
__AH_FN unsigned int lane_in_group(int width)
{
    return is_wave(width) ? lane() : lane() & (unsigned int)(width - 1);
}

template <typename T> __AH_FN T shuffle(unsigned long long, T value, int source, int width)
{
    if (is_wave(width))
        return read_lane(value, (unsigned int)source);
    unsigned int group = lane() & ~(unsigned int)(width - 1);
    return read_lane(value, group | ((unsigned int)source & (unsigned int)(width - 1)));
}
template <typename T> __AH_FN T shuffle_up(unsigned long long, T value, unsigned int d, int width)
{
    return read_lane(value, d <= lane_in_group(width) ? lane() - d : lane());
}
template <typename T> __AH_FN T shuffle_down(unsigned long long, T value, unsigned int d, int width)
{
    bool inside = d < (unsigned int)width - lane_in_group(width);
    return read_lane(value, inside ? lane() + d : lane());
}
template <typename T> __AH_FN T shuffle_xor(unsigned long long, T value, int bits, int width)
{
    unsigned int self = lane(), end = (self & ~(unsigned int)(width - 1)) + (unsigned int)width;
    unsigned int source = self ^ (unsigned int)bits;
    bool within = (unsigned int)bits < (unsigned int)width;
    if (__builtin_constant_p(within) && within)
        return read_lane(value, source);
    return read_lane(value, source < end ? source : self);
}
__AH_FN unsigned long long active() { return 0; } /* not used by the functions above */
#endif
} // namespace __ah

#define __AH_SHUFFLES(T)                                                                           \
    __AH_FN T __shfl(T var, int srcLane, int width = __ah::lanes())                                \
    {                                                                                              \
        return __ah::shuffle(__ah::active(), var, srcLane, width);                                 \
    }                                                                                              \
    __AH_FN T __shfl_up(T var, unsigned int delta, int width = __ah::lanes())                      \
    {                                                                                              \
        return __ah::shuffle_up(__ah::active(), var, delta, width);                                \
    }                                                                                              \
    __AH_FN T __shfl_down(T var, unsigned int delta, int width = __ah::lanes())                    \
    {                                                                                              \
        return __ah::shuffle_down(__ah::active(), var, delta, width);                              \
    }                                                                                              \
    __AH_FN T __shfl_xor(T var, int laneMask, int width = __ah::lanes())                           \
    {                                                                                              \
        return __ah::shuffle_xor(__ah::active(), var, laneMask, width);                            \
    }
__AH_SHUFFLES(int)
__AH_SHUFFLES(unsigned int)
__AH_SHUFFLES(long)
__AH_SHUFFLES(unsigned long)
__AH_SHUFFLES(long long)
__AH_SHUFFLES(unsigned long long)
__AH_SHUFFLES(float)
__AH_SHUFFLES(double)
#undef __AH_SHUFFLES

/* ---- matches ---- */

#define __AH_CHECK_MATCH(T)                                                                        \
    static_assert(__is_arithmetic(T) && (sizeof(T) == 4 || sizeof(T) == 8),                        \
                  "values are matched as 32 or 64-bit integers or floating point numbers")

namespace __ah
{
#if defined(__NVPTX__)
template <typename T> __AH_FN unsigned long long match_any(unsigned int mask, T value)
{
    __AH_CHECK_MATCH(T);
    /* match compares bits: minus zero must become zero to equal it */
    if (__is_floating_point(T) && value == T(0))
        value = T(0);
    if (sizeof(T) == 8)
        return (unsigned int)__nvvm_match_any_sync_i64(
            mask, (long long)((unsigned long long)to_words(value).word[sizeof(T) / 8] << 32 |
                              to_words(value).word[0]));
    return (unsigned int)__nvvm_match_any_sync_i32(mask, (int)to_words(value).word[0]);
}
#else
/* One round for each distinct value: the first lane not yet done shows its value, all that
 * hold the same are done. A NaN equals nothing; its lane matches itself alone. */
template <typename T> __AH_FN unsigned long long match_any(unsigned long long mask, T value)
{
    __AH_CHECK_MATCH(T);
    unsigned long long result = 0;
    bool done = false;
    while (__any(!done)) {
        if (!done) {
            words<T> w = to_words(value);
            for (unsigned int &x : w.word)
                x = (unsigned int)__builtin_amdgcn_readfirstlane((int)x);
            T chosen = from_words(w);
            bool first = lane() == (unsigned int)__builtin_ctzll(__activemask());
            if (chosen == value || first) {
                result = __activemask();
                done = true;
            }
        }
    }
    return result & mask;
}
#endif
} // namespace __ah

namespace __ah
{
/* All the lanes and *pred = 1 where every lane holds the same value, else 0 and 0. */
template <typename T>
__AH_FN unsigned long long match_all(unsigned long long mask, T value, int *pred)
{
    unsigned long long members = mask & __activemask();
    bool all = (match_any(mask, value) & members) == members;
    *pred = all;
    return all ? members : 0;
}
} // namespace __ah

/* The lanes that hold the same value as this one. */
template <typename T> __AH_FN unsigned long long __match_any(T value)
{
    return __ah::match_any(__activemask(), value);
}
template <typename T> __AH_FN unsigned long long __match_all(T value, int *pred)
{
    return __ah::match_all(__activemask(), value, pred);
}
#undef __AH_CHECK_MATCH

/* ---- reductions over the lanes of a mask ---- */

namespace __ah
{
/* 2^k neighbouring lanes from a multiple of 2^k on are reduced in k steps, the lanes of every
 * other mask one by one. Each lane gets the same result. */
template <typename T, typename F> __AH_FN T reduce(unsigned long long mask, T value, F f)
{
    int count = __builtin_popcountll(mask), first = __builtin_ctzll(mask);
    unsigned long long from_first = mask >> first;
    if ((from_first & (from_first + 1)) == 0 && (count & (count - 1)) == 0 &&
        (first & (count - 1)) == 0) {
        for (int step = count / 2; step > 0; step /= 2)
            value = f(value, shuffle_xor(mask, value, step, lanes()));
        return value;
    }
    T result = shuffle(mask, value, __builtin_ctzll(mask), lanes());
    for (unsigned long long rest = mask & (mask - 1); rest; rest &= rest - 1)
        result = f(result, shuffle(mask, value, __builtin_ctzll(rest), lanes()));
    return result;
}
__AH_FN unsigned long long lanes_of(unsigned long long mask)
{
    return lanes() == 32 ? mask & 0xffffffffull : mask;
}
} // namespace __ah

namespace __ah
{
#define __AH_REDUCE(name, expression)                                                              \
    struct name##_of_two {                                                                         \
        template <typename T> __device__ T operator()(T a, T b) const { return expression; }       \
    };                                                                                             \
    template <typename T> __AH_FN T reduce_##name(unsigned long long mask, T value)                \
    {                                                                                              \
        return reduce(lanes_of(mask), value, name##_of_two());                                     \
    }
__AH_REDUCE(add, a + b)
__AH_REDUCE(min, b < a ? b : a)
__AH_REDUCE(max, a < b ? b : a)
__AH_REDUCE(and, a &b)
__AH_REDUCE(or, a | b)
__AH_REDUCE(xor, a ^ b)
#undef __AH_REDUCE

#if defined(__NVPTX__) && __CUDA_ARCH__ >= 800
/* redux.sync, one instruction, for 32-bit integers from sm_80 on */
#define __AH_REDUX(name, T, builtin)                                                               \
    __AH_FN T reduce_##name(unsigned long long mask, T value)                                      \
    {                                                                                              \
        return (T)builtin((int)value, (int)(unsigned int)mask);                                    \
    }
__AH_REDUX(add, int, __nvvm_redux_sync_add)
__AH_REDUX(add, unsigned int, __nvvm_redux_sync_add)
__AH_REDUX(min, int, __nvvm_redux_sync_min)
__AH_REDUX(min, unsigned int, __nvvm_redux_sync_umin)
__AH_REDUX(max, int, __nvvm_redux_sync_max)
__AH_REDUX(max, unsigned int, __nvvm_redux_sync_umax)
__AH_REDUX(and, int, __nvvm_redux_sync_and)
__AH_REDUX(and, unsigned int, __nvvm_redux_sync_and)
__AH_REDUX(or, int, __nvvm_redux_sync_or)
__AH_REDUX(or, unsigned int, __nvvm_redux_sync_or)
__AH_REDUX(xor, int, __nvvm_redux_sync_xor)
__AH_REDUX(xor, unsigned int, __nvvm_redux_sync_xor)
#undef __AH_REDUX
#endif
} // namespace __ah

/* ---- the functions with a mask ---- */

/* Programs from before these functions may have some of the same names; they define
 * HIP_DISABLE_WARP_SYNC_BUILTINS. (HIP_ENABLE_WARP_SYNC_BUILTINS of ROCm 6 is not needed.) */
#if !defined(HIP_DISABLE_WARP_SYNC_BUILTINS)

namespace __ah
{
/* With ANYHIP_CHECK_WARP_MASKS a kernel ends with an error when a lane passes a mask without
 * itself, or one that names a lane which does not make the call. On NVIDIA lanes that come to
 * the call later are counted as missing too. */
template <typename Mask> __AH_FN unsigned long long checked(Mask mask)
{
    static_assert(__is_integral(Mask) && sizeof(Mask) == 8,
                  "a warp mask is a 64-bit integer: a narrower one would leave lanes out on "
                  "devices with 64 lanes");
    unsigned long long members = static_cast<unsigned long long>(mask);
#if defined(ANYHIP_CHECK_WARP_MASKS)
    if ((members >> lane() & 1) == 0 || (lanes_of(members) & ~__activemask()) != 0)
        __builtin_trap();
#endif
    return members;
}
} // namespace __ah

template <typename Mask> __AH_FN unsigned long long __ballot_sync(Mask mask, int predicate)
{
    return __ah::ballot(__ah::checked(mask), predicate);
}
template <typename Mask> __AH_FN int __any_sync(Mask mask, int predicate)
{
    return __ah::any(__ah::checked(mask), predicate);
}
template <typename Mask> __AH_FN int __all_sync(Mask mask, int predicate)
{
    return __ah::all(__ah::checked(mask), predicate);
}
template <typename Mask, typename T>
__AH_FN T __shfl_sync(Mask mask, T var, int srcLane, int width = __ah::lanes())
{
    return __ah::shuffle(__ah::checked(mask), var, srcLane, width);
}
template <typename Mask, typename T>
__AH_FN T __shfl_up_sync(Mask mask, T var, unsigned int delta, int width = __ah::lanes())
{
    return __ah::shuffle_up(__ah::checked(mask), var, delta, width);
}
template <typename Mask, typename T>
__AH_FN T __shfl_down_sync(Mask mask, T var, unsigned int delta, int width = __ah::lanes())
{
    return __ah::shuffle_down(__ah::checked(mask), var, delta, width);
}
template <typename Mask, typename T>
__AH_FN T __shfl_xor_sync(Mask mask, T var, int laneMask, int width = __ah::lanes())
{
    return __ah::shuffle_xor(__ah::checked(mask), var, laneMask, width);
}
template <typename Mask, typename T> __AH_FN unsigned long long __match_any_sync(Mask mask, T value)
{
    return __ah::match_any(__ah::checked(mask), value);
}
template <typename Mask, typename T>
__AH_FN unsigned long long __match_all_sync(Mask mask, T value, int *pred)
{
    return __ah::match_all(__ah::checked(mask), value, pred);
}

#define __AH_REDUCE_SYNC(name)                                                                     \
    template <typename Mask, typename T> __AH_FN T __reduce_##name##_sync(Mask mask, T value)      \
    {                                                                                              \
        return __ah::reduce_##name(__ah::checked(mask), value);                                    \
    }
__AH_REDUCE_SYNC(add)
__AH_REDUCE_SYNC(min)
__AH_REDUCE_SYNC(max)
__AH_REDUCE_SYNC(and)
__AH_REDUCE_SYNC(or)
__AH_REDUCE_SYNC(xor)
#undef __AH_REDUCE_SYNC

#endif

#undef __AH_FN
#endif
