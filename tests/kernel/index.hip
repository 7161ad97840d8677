// Where a thread is: coordinates, sizes, the warp and the lane.
#include "../support/hip_test.h"

#include <algorithm>

struct place {
    unsigned int thread[3], block[3], threads[3], blocks[3];
    unsigned int macros[12];
    unsigned int from_dim3, from_uint3;
    int warp;
    unsigned int lane;
};

__global__ void record_places(place *places)
{
    unsigned int in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    place &p = places[block * (blockDim.x * blockDim.y * blockDim.z) + in_block];
    p.thread[0] = threadIdx.x, p.thread[1] = threadIdx.y, p.thread[2] = threadIdx.z;
    p.block[0] = blockIdx.x, p.block[1] = blockIdx.y, p.block[2] = blockIdx.z;
    p.threads[0] = blockDim.x, p.threads[1] = blockDim.y, p.threads[2] = blockDim.z;
    p.blocks[0] = gridDim.x, p.blocks[1] = gridDim.y, p.blocks[2] = gridDim.z;
    unsigned int macros[12] = {hipThreadIdx_x, hipThreadIdx_y, hipThreadIdx_z, hipBlockIdx_x,
                               hipBlockIdx_y,  hipBlockIdx_z,  hipBlockDim_x,  hipBlockDim_y,
                               hipBlockDim_z,  hipGridDim_x,   hipGridDim_y,   hipGridDim_z};
    for (int i = 0; i < 12; ++i)
        p.macros[i] = macros[i];
    dim3 d = threadIdx;
    uint3 u = blockIdx;
    p.from_dim3 = d.x + 100 * d.y + 10000 * d.z;
    p.from_uint3 = u.x + 100 * u.y + 10000 * u.z;
    p.warp = warpSize;
    p.lane = __lane_id();
}

static void check_places(dim3 grid, dim3 block)
{
    std::size_t per_block = block.x * block.y * block.z;
    ah_test::buffer<place> places(grid.x * grid.y * grid.z * per_block);
    record_places<<<grid, block>>>(places.device());
    CHECK_LAUNCH();
    std::vector<place> &all = places.read();
    int warp = ah_test::warp_size();
    std::size_t i = 0;
    for (unsigned bz = 0; bz < grid.z; ++bz)
        for (unsigned by = 0; by < grid.y; ++by)
            for (unsigned bx = 0; bx < grid.x; ++bx)
                for (unsigned z = 0; z < block.z; ++z)
                    for (unsigned y = 0; y < block.y; ++y)
                        for (unsigned x = 0; x < block.x; ++x) {
                            const place &p = all[i];
                            unsigned want[12] = {x,       y,       z,       bx,     by,     bz,
                                                 block.x, block.y, block.z, grid.x, grid.y, grid.z};
                            unsigned got[12];
                            std::copy(p.thread, p.thread + 3, got);
                            std::copy(p.block, p.block + 3, got + 3);
                            std::copy(p.threads, p.threads + 3, got + 6);
                            std::copy(p.blocks, p.blocks + 3, got + 9);
                            CHECK_CASE(std::equal(got, got + 12, want), "thread %zu", i);
                            CHECK_CASE(std::equal(p.macros, p.macros + 12, want), "thread %zu", i);
                            CHECK_EQ(p.from_dim3, x + 100 * y + 10000 * z);
                            CHECK_EQ(p.from_uint3, bx + 100 * by + 10000 * bz);
                            CHECK_EQ(p.warp, warp);
                            CHECK_EQ(p.lane, i % per_block % static_cast<unsigned>(warp));
                            ++i;
                        }
}

TEST("every thread of a line of blocks knows its coordinates")
{
    check_places(5, 96);
}
TEST("every thread of a plane of planes knows its coordinates")
{
    check_places(dim3(3, 2), dim3(7, 5));
}
TEST("every thread of a space of spaces knows its coordinates")
{
    check_places(dim3(2, 3, 4), dim3(5, 3, 2));
}
TEST("a single thread knows its coordinates")
{
    check_places(1, 1);
}
TEST("a block of the largest size knows its coordinates")
{
    check_places(2, 1024);
}

__global__ void sum_of_grid_stride(unsigned long long *sum, unsigned int n)
{
    unsigned long long mine = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += i;
    atomicAdd(sum, mine);
}

TEST("a grid-stride loop visits every element once")
{
    for (unsigned n : {1u, 31u, 1000u, 12345u}) {
        ah_test::buffer<unsigned long long> sum(1);
        sum_of_grid_stride<<<7, 65>>>(sum.device(), n);
        CHECK_LAUNCH();
        CHECK_EQ(sum.read()[0], static_cast<unsigned long long>(n) * (n - 1) / 2);
    }
}

__global__ void use_warp_size(int *out)
{
    int w = warpSize;
    out[0] = w;
    out[1] = 100 % warpSize;
    out[2] = warpSize / 2;
    out[3] = static_cast<int>(threadIdx.x) < warpSize;
    int steps = 0;
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        ++steps;
    out[4] = steps;
    out[5] = warpSize == 32 || warpSize == 64;
}

TEST("warpSize is a number in every expression")
{
    ah_test::buffer<int> out(6);
    use_warp_size<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    int w = ah_test::warp_size();
    std::vector<int> &v = out.read();
    CHECK_EQ(v[0], w);
    CHECK_EQ(v[1], 100 % w);
    CHECK_EQ(v[2], w / 2);
    CHECK_EQ(v[3], 1);
    CHECK_EQ(v[4], w == 64 ? 6 : 5);
    CHECK_EQ(v[5], 1);
}

HIP_TEST_MAIN
