/* Reductions and scans over cooperative groups of one warp: tiles and coalesced groups. An
 * operator is a function object of two values; plus, less, greater and the bitwise ones are
 * here. Scans give values to the operator in the order of ranks; reductions in any order, so that
 * their operators must be commutative too. */
#ifndef HIP_DEVICE_COOPERATIVE_ALGORITHMS_H
#define HIP_DEVICE_COOPERATIVE_ALGORITHMS_H

#include "hip/device/cooperative_groups.h"

#define __AH_FN __device__ inline __attribute__((always_inline))

namespace cooperative_groups
{

#define __AH_OPERATOR(name, expression)                                                            \
    template <typename T = void> struct name {                                                     \
        __AH_FN T operator()(T a, T b) const { return expression; }                                \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <typename T> __AH_FN T operator()(T a, T b) const { return expression; }          \
    };
__AH_OPERATOR(plus, static_cast<T>(a + b))
__AH_OPERATOR(less, b < a ? b : a)
__AH_OPERATOR(greater, a < b ? b : a)
__AH_OPERATOR(bit_and, static_cast<T>(a &b))
__AH_OPERATOR(bit_or, static_cast<T>(a | b))
__AH_OPERATOR(bit_xor, static_cast<T>(a ^ b))
#undef __AH_OPERATOR

/* The value of rank 0, operator, the value of rank 1 ... up to the caller's. */
template <class Group, typename T, typename F>
__AH_FN T inclusive_scan(const Group &group, T value, F f)
{
    unsigned int rank = group.thread_rank(), size = group.size();
    for (unsigned int distance = 1; distance < size; distance *= 2) {
        T before = group.shfl_up(value, distance);
        if (rank >= distance)
            value = f(before, value);
    }
    return value;
}
template <class Group, typename T> __AH_FN T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
/* The same without the caller's own value; T() for rank 0. */
template <class Group, typename T, typename F>
__AH_FN T exclusive_scan(const Group &group, T value, F f)
{
    T before = group.shfl_up(inclusive_scan(group, value, f), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, typename T> __AH_FN T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

/* The values of all members, for all members. */
template <class Group, typename T, typename F> __AH_FN T reduce(const Group &group, T value, F f)
{
    value = inclusive_scan(group, value, f);
    return group.shfl(value, static_cast<int>(group.size()) - 1);
}
/* A tile has 2^k threads. */
template <unsigned int size, class Parent, typename T, typename F>
__AH_FN T reduce(const thread_block_tile<size, Parent> &tile, T value, F f)
{
    for (unsigned int step = size / 2; step > 0; step /= 2)
        value = f(value, tile.shfl_xor(value, step));
    return value;
}

} // namespace cooperative_groups

#undef __AH_FN
#endif
