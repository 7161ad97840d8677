// Barriers of a block and of a warp, and memory fences.
#include "../support/hip_test.h"

#include <numeric>

// Each round every thread reads what its neighbour wrote in the round before.
__global__ void pass_around(int *out, int rounds)
{
    __shared__ int ring[1024];
    int me = threadIdx.x, n = blockDim.x;
    ring[me] = me;
    __syncthreads();
    for (int i = 0; i < rounds; ++i) {
        int taken = ring[(me + 1) % n];
        __syncthreads();
        ring[me] = taken;
        __syncthreads();
    }
    out[blockIdx.x * n + me] = ring[me];
}

TEST("__syncthreads orders shared memory between all threads of a block")
{
    for (int n : {1, 31, 32, 64, 65, 256, 1024}) {
        ah_test::buffer<int> out(3 * n);
        pass_around<<<3, n>>>(out.device(), 5);
        CHECK_LAUNCH();
        std::vector<int> &v = out.read();
        for (int i = 0; i < 3 * n; ++i)
            CHECK_CASE(v[i] == (i % n + 5) % n, "block of %d, thread %d: %d", n, i, v[i]);
    }
}

__global__ void vote(int *count, int *all, int *any, const int *predicates, int rounds)
{
    int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int n = blockDim.x * blockDim.y * blockDim.z;
    for (int i = 0; i < rounds; ++i) {
        int p = predicates[i * n + me];
        int c = __syncthreads_count(p), a = __syncthreads_and(p), o = __syncthreads_or(p);
        count[i * n + me] = c;
        all[i * n + me] = a != 0;
        any[i * n + me] = o != 0;
    }
}

TEST("__syncthreads_count, _and and _or see every thread's predicate, round after round")
{
    std::mt19937 random(1);
    for (dim3 block : {dim3(1), dim3(33), dim3(64), dim3(8, 5, 3), dim3(1000), dim3(1024)}) {
        int n = block.x * block.y * block.z, rounds = 6;
        std::vector<int> predicates(rounds * n);
        for (int i = 0; i < rounds; ++i)
            for (int j = 0; j < n; ++j) /* none, all, one, all but one, some; any value counts */
                predicates[i * n + j] = i == 0   ? 0
                                        : i == 1 ? -5
                                        : i == 2 ? (j == n / 2) * 256
                                        : i == 3 ? j != n - 1
                                                 : static_cast<int>(random() % 3);
        ah_test::buffer<int> in(predicates), count(rounds * n), all(rounds * n), any(rounds * n);
        vote<<<1, block>>>(count.device(), all.device(), any.device(), in.device(), rounds);
        CHECK_LAUNCH();
        count.read(), all.read(), any.read();
        for (int i = 0; i < rounds; ++i) {
            int want = 0;
            for (int j = 0; j < n; ++j)
                want += predicates[i * n + j] != 0;
            for (int j = 0; j < n; ++j) {
                CHECK_EQ(count.read()[i * n + j], want);
                CHECK_EQ(all.read()[i * n + j], want == n);
                CHECK_EQ(any.read()[i * n + j], want != 0);
                if (j == 2)
                    j = n > 6 ? n - 3 : j; /* the ends are enough */
            }
        }
    }
}

__device__ unsigned int blocks_done;

// The last block to finish adds up what the others left in global memory.
__global__ void sum_in_last_block(const int *in, int *partial, int *total, int n)
{
    __shared__ int sums[256];
    __shared__ bool last;
    int me = threadIdx.x, mine = 0;
    for (int i = blockIdx.x * 256 + me; i < n; i += gridDim.x * 256)
        mine += in[i];
    sums[me] = mine;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (me < step)
            sums[me] += sums[me + step];
        __syncthreads();
    }
    if (me == 0) {
        partial[blockIdx.x] = sums[0];
        __threadfence();
        last = atomicAdd(&blocks_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && me == 0) {
        __threadfence();
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i)
            sum += static_cast<volatile int *>(partial)[i];
        *total = sum;
        blocks_done = 0;
    }
}

TEST("__threadfence makes a block's writes seen by the block that finishes last")
{
    std::vector<int> numbers(50000);
    std::iota(numbers.begin(), numbers.end(), -1000);
    int want = std::accumulate(numbers.begin(), numbers.end(), 0);
    ah_test::buffer<int> in(numbers), partial(40), total(1);
    for (int i = 0; i < 3; ++i) {
        sum_in_last_block<<<40, 256>>>(in.device(), partial.device(), total.device(),
                                       static_cast<int>(numbers.size()));
        CHECK_LAUNCH();
        CHECK_EQ(total.read()[0], want);
    }
}

__global__ void message_in_block(int *out)
{
    __shared__ volatile int box, flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        box = 42;
        __threadfence_block();
        flag = 1;
    }
    __syncthreads();
    if (flag)
        __threadfence_block();
    out[threadIdx.x] = box + flag;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); // for the compiler alone
}

TEST("__threadfence_block orders writes within a block")
{
    ah_test::buffer<int> out(128);
    message_in_block<<<1, 128>>>(out.device());
    CHECK_LAUNCH();
    for (int v : out.read())
        CHECK_EQ(v, 43);
}

__global__ void write_for_host(int *out)
{
    out[threadIdx.x] = threadIdx.x * 3;
    __threadfence_system();
}

TEST("__threadfence_system lets the host see memory of its own")
{
    int *host = nullptr;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&host), 64 * sizeof(int), 0));
    write_for_host<<<1, 64>>>(host);
    CHECK_LAUNCH();
    for (int i = 0; i < 64; ++i)
        CHECK_EQ(host[i], 3 * i);
    CHECK_HIP(hipHostFree(host));
}

__global__ void exchange_in_warp(int *out)
{
    __shared__ int box[1024];
    int me = threadIdx.x, lane = me % warpSize, base = me - lane;
    box[me] = me * 7;
    __syncwarp();
    int left = box[base + (lane + 1) % warpSize];
    __syncwarp();
    box[me] = left + 1;
    __syncwarp(~0ull);
    out[me] = box[base + (lane + warpSize - 1) % warpSize];
}

TEST("__syncwarp orders shared memory between the lanes of a warp")
{
    ah_test::buffer<int> out(256);
    exchange_in_warp<<<1, 256>>>(out.device());
    CHECK_LAUNCH();
    std::vector<int> &v = out.read();
    for (int i = 0; i < 256; ++i)
        CHECK_EQ(v[i], i * 7 + 1);
}

__global__ void half_of_the_warp(int *out)
{
    __shared__ int box[64];
    int lane = threadIdx.x;
    unsigned long long lower = (1ull << (warpSize / 2)) - 1;
    out[lane] = -1;
    if (lane < warpSize / 2) {
        box[lane] = lane;
        __syncwarp(lower);
        out[lane] = box[warpSize / 2 - 1 - lane];
    }
}

TEST("__syncwarp takes a mask of some lanes")
{
    int w = ah_test::warp_size();
    ah_test::buffer<int> out(w);
    half_of_the_warp<<<1, w>>>(out.device());
    CHECK_LAUNCH();
    std::vector<int> &v = out.read();
    for (int i = 0; i < w; ++i)
        CHECK_EQ(v[i], i < w / 2 ? w / 2 - 1 - i : -1);
}

HIP_TEST_MAIN
