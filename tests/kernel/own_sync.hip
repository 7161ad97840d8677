// HIP_DISABLE_WARP_SYNC_BUILTINS: a program from before the _sync functions has its own of the
// same names, with masks of 32 bits; cooperative groups work all the same.
#define HIP_DISABLE_WARP_SYNC_BUILTINS
#include "../support/hip_test.h"

#include <hip/hip_cooperative_groups.h>

template <typename T> __device__ T __shfl_sync(unsigned, T v, int lane, int width = warpSize)
{
    return __shfl(v, lane, width) + 1000;
}
template <typename T> __device__ T __shfl_down_sync(unsigned, T v, unsigned d, int width = warpSize)
{
    return __shfl_down(v, d, width);
}
__device__ unsigned __ballot_sync(unsigned mask, int predicate)
{
    return static_cast<unsigned>(__ballot(predicate)) & mask;
}
__device__ int __reduce_add_sync(unsigned, int v)
{
    return -v;
}

__global__ void use_own(int *out)
{
    int i = threadIdx.x;
    auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    int sum = cooperative_groups::reduce(tile, i, cooperative_groups::plus<int>());
    out[i] = __shfl_sync(0xffffffffu, i, 3) + __shfl_down_sync(0xffffffffu, i * 0, 1) +
             (__ballot_sync(0xff, i < 4) == 0xf ? 10000 : 0) + __reduce_add_sync(0xffffffffu, i) +
             sum * 100000;
}
TEST("a program has its own functions of these names")
{
    ah_test::buffer<int> out(32);
    use_own<<<1, 32>>>(out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 32; ++i)
        CHECK_EQ(out.read()[i], 1003 + 10000 - i + (i / 8 * 64 + 28) * 100000);
}

HIP_TEST_MAIN
