// What HIP programs write with the host API and <<<>>>; compiled for host and both devices.
#include <hip/hip_runtime_api.h>
#include <hip/hip_ext.h>

__attribute__((global)) void add(int *, float) {}
template <typename T> __attribute__((global)) void add_any(T *, const T *, T) {}
__attribute__((device)) int counter;
__attribute__((device)) float table[4];
__attribute__((device)) dim3 made_on_the_device()
{
    return dim3(1, 2);
}

hipError_t launches(int *pointer, hipStream_t stream)
{
    add<<<dim3(1), 64, 0, stream>>>(pointer, 1.0f);
    hipExtLaunchKernelGGL(add, dim3(1), dim3(64), 0, stream, nullptr, nullptr, 0, pointer, 1);
    hipExtLaunchKernelGGL(add_any, dim3(1), 64, 0, stream, nullptr, nullptr, 0, pointer,
                          static_cast<const int *>(pointer), 1);
    hipExtLaunchKernelGGL(add_any<int>, dim3(1), 64, 0, stream, nullptr, nullptr, 0, pointer,
                          pointer, 1);
    int grid = 0, block = 0;
    hipError_t error = hipOccupancyMaxPotentialBlockSize(&grid, &block, add);
    error =
        error == hipSuccess ? hipOccupancyMaxPotentialBlockSize(&grid, &block, add, 0, 0) : error;
    error =
        error == hipSuccess ? hipMemcpyToSymbol(HIP_SYMBOL(counter), &grid, sizeof grid) : error;
    return error == hipSuccess ? hipMemcpyFromSymbol(&grid, HIP_SYMBOL(table), sizeof grid) : error;
}
