// What a kernel is declared with and how it is started: qualifiers, launch bounds, macros of
// launches, shared memory of the launch, symbols, unrolling, assembly, and what a device can do.
#include "../support/hip_test.h"

#include <hip/hip_ext.h>

#include <chrono>
#include <thread>

// ---- qualifiers ----

__noinline__ __device__ int out_of_line(int x)
{
    return 3 * x;
}
__forceinline__ __device__ int in_line(int x)
{
    return x + 1;
}
__host__ __device__ __forceinline__ int in_line_anywhere(int x)
{
    return x - 1;
}
__noinline__ __host__ __device__ int out_of_line_anywhere(int x)
{
    return x * x;
}
static __host__ int of_the_host(int x)
{
    return -x;
}
__global__ void use_qualifiers(int *out, int x)
{
    out[0] = out_of_line(x) + in_line(x);
    out[1] = in_line_anywhere(x) + out_of_line_anywhere(x);
}
TEST("every qualifier of a function is taken")
{
    ah_test::buffer<int> out(2);
    use_qualifiers<<<1, 1>>>(out.device(), 7);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 21 + 8);
    CHECK_EQ(out.read()[1], 6 + 49);
    CHECK_EQ(of_the_host(in_line_anywhere(out_of_line_anywhere(3))), -8);
}

__global__ void copy_restricted(const float *__restrict__ in, float *__restrict__ out)
{
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wregister"
    register int i = threadIdx.x;
#pragma clang diagnostic pop
    out[i] = in[i] * 2;
}
TEST("restricted pointers and the register keyword are taken")
{
    ah_test::buffer<float> in({1, 2, 3}), out(3);
    copy_restricted<<<1, 3>>>(in.device(), out.device());
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[2], 6.0f);
}

// ---- launch bounds ----

__global__ void __launch_bounds__(64) at_most_64(int *out)
{
    out[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(128, 4) at_most_128(int *out)
{
    out[threadIdx.y * blockDim.x + threadIdx.x] = 2;
}
TEST("a block larger than the launch bounds is refused")
{
    ah_test::buffer<int> out(256);
    at_most_64<<<1, 65>>>(out.device());
    CHECK(hipGetLastError() != hipSuccess);
    at_most_128<<<1, dim3(16, 16)>>>(out.device());
    CHECK(hipGetLastError() != hipSuccess);
    CHECK_HIP(hipDeviceSynchronize());
    for (int v : out.read())
        CHECK_EQ(v, 0);
    at_most_64<<<1, 64>>>(out.device());
    at_most_128<<<1, dim3(8, 16)>>>(out.device());
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[127], 2);
    hipFuncAttributes attributes;
    CHECK_HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(at_most_64)));
    CHECK_EQ(attributes.maxThreadsPerBlock, 64);
}

// ---- launches ----

template <typename T, int factor> __global__ void scale(T *out, T x)
{
    out[threadIdx.x] = x * factor;
}
TEST("hipLaunchKernelGGL takes names with commas")
{
    ah_test::buffer<double> d(2);
    ah_test::buffer<int> i(2);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(scale<double, 3>), dim3(1), dim3(2), 0, 0, d.device(), 1.5);
    hipLaunchKernelGGL((scale<int, -2>), 1, 2, 0, nullptr, i.device(), 21);
    CHECK_LAUNCH();
    CHECK_EQ(d.read()[1], 4.5);
    CHECK_EQ(i.read()[1], -42);
}
TEST("extended launches run between their events")
{
    hipEvent_t start = nullptr, stop = nullptr;
    CHECK_HIP(hipEventCreate(&start));
    CHECK_HIP(hipEventCreate(&stop));
    ah_test::buffer<int> out(4);
    int *p = out.device(), x = 5;
    void *arguments[] = {&p, &x};
    CHECK_HIP(hipExtLaunchKernel(reinterpret_cast<const void *>(scale<int, 2>), dim3(1), dim3(4),
                                 arguments, 0, nullptr, start, stop, 0));
    CHECK_HIP(hipEventSynchronize(stop));
    CHECK_EQ(out.read()[3], 10);
    float ms = -1;
    CHECK_HIP(hipEventElapsedTime(&ms, start, stop));
    CHECK(ms >= 0);
    hipExtLaunchKernelGGL((scale<int, 3>), dim3(1), dim3(4), 0, nullptr, start, stop, 0, p, x);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[3], 15);
    CHECK_HIP(hipEventDestroy(start));
    CHECK_HIP(hipEventDestroy(stop));
}
TEST("a cooperative launch starts the kernel")
{
    ah_test::buffer<int> out(4);
    int *p = out.device(), x = 9;
    void *arguments[] = {&p, &x};
    CHECK_HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void *>(scale<int, 2>), dim3(1),
                                         dim3(4), arguments, 0, nullptr));
    CHECK_HIP(hipLaunchCooperativeKernel(scale<int, 2>, dim3(1), dim3(4), arguments, 0, nullptr));
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 18);
}
TEST("dim3 fills in ones")
{
    dim3 none, one(4), two(4, 5), three(4, 5, 6);
    CHECK(none.x == 1 && none.y == 1 && none.z == 1 && one.x == 4 && one.y == 1 && one.z == 1);
    CHECK(two.y == 5 && two.z == 1 && three.z == 6);
}

__global__ void use_dynamic(int *out)
{
    HIP_DYNAMIC_SHARED(int, room)
    int i = threadIdx.x, n = blockDim.x;
    room[i] = i * 10;
    __syncthreads();
    out[i] = room[n - 1 - i];
}
TEST("HIP_DYNAMIC_SHARED names the shared memory of the launch")
{
    ah_test::buffer<int> out(96);
    use_dynamic<<<1, 96, 96 * sizeof(int)>>>(out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 96; ++i)
        CHECK_EQ(out.read()[i], (95 - i) * 10);
}

// ---- symbols ----

__device__ int variable[4] = {1, 2, 3, 4};
__constant__ float constant[2];
__global__ void read_symbols(float *out)
{
    out[threadIdx.x] = static_cast<float>(variable[threadIdx.x]) + constant[threadIdx.x % 2];
}
TEST("symbols are copied asynchronously")
{
    hipStream_t stream = nullptr;
    CHECK_HIP(hipStreamCreate(&stream));
    const int numbers[2] = {30, 40};
    const float factors[2] = {0.5f, 0.25f};
    CHECK_HIP(hipMemcpyToSymbolAsync(HIP_SYMBOL(variable), numbers, sizeof numbers, 2 * sizeof(int),
                                     hipMemcpyHostToDevice, stream));
    CHECK_HIP(hipMemcpyToSymbolAsync(HIP_SYMBOL(constant), factors, sizeof factors, 0,
                                     hipMemcpyHostToDevice, stream));
    ah_test::buffer<float> out(4);
    read_symbols<<<1, 4, 0, stream>>>(out.device());
    int back[4] = {};
    CHECK_HIP(hipMemcpyFromSymbolAsync(back, HIP_SYMBOL(variable), sizeof back, 0,
                                       hipMemcpyDeviceToHost, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK(back[0] == 1 && back[1] == 2 && back[2] == 30 && back[3] == 40);
    CHECK_EQ(out.read()[2], 30.5f);
    CHECK_EQ(out.read()[3], 40.25f);
}

// ---- the compiler ----

__global__ void unrolled(int *out, const int *in)
{
    int all = 0, never = 0, some = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i)
        all += in[i] * (i + 1);
#pragma unroll 1
    for (int i = 0; i < 16; ++i)
        never += in[i] * (i + 2);
#pragma unroll 4
    for (int i = 0; i < 16; ++i)
        some += in[i] * (i + 3);
    out[0] = all;
    out[1] = never;
    out[2] = some;
}
TEST("loops are unrolled as requested")
{
    std::vector<int> numbers(16, 1);
    ah_test::buffer<int> in(numbers), out(3);
    unrolled<<<1, 1>>>(out.device(), in.device());
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 136);
    CHECK_EQ(out.read()[1], 152);
    CHECK_EQ(out.read()[2], 168);
}

__global__ void assembly(float *out, const float *in, float a)
{
    int i = threadIdx.x;
#if defined(__HIP_DEVICE_COMPILE__) && defined(__NVPTX__)
    asm volatile("fma.rn.f32 %0, %1, %2, %3;" : "=f"(out[i]) : "f"(a), "f"(in[i]), "f"(out[i]));
#elif defined(__HIP_DEVICE_COMPILE__)
    asm volatile("v_fma_f32 %0, %1, %2, %3" : "=v"(out[i]) : "v"(a), "v"(in[i]), "v"(out[i]));
#else
    (void)out, (void)in, (void)a, (void)i;
#endif
}
TEST("inline assembly of the target works")
{
    ah_test::buffer<float> in({1, 2, 3, 4}), out({10, 20, 30, 40});
    assembly<<<1, 4>>>(out.device(), in.device(), 0.5f);
    CHECK_LAUNCH();
    for (int i = 0; i < 4; ++i)
        CHECK_EQ(out.read()[i], 10.5f * static_cast<float>(i + 1));
}

// ---- what a device can do ----

__global__ void tell_family(int *out)
{
#if defined(__GFX8__) || defined(__GFX9__)
    *out = 64;
#else
    *out = 32;
#endif
}
TEST("a kernel can choose by the processor's family")
{
    ah_test::buffer<int> out(1);
    tell_family<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], ah_test::warp_size());
}

#define ABILITIES(row)                                                                             \
    row(GLOBAL_INT32_ATOMICS, hasGlobalInt32Atomics) row(GLOBAL_FLOAT_ATOMIC_EXCH,                 \
                                                         hasGlobalFloatAtomicExch)                 \
        row(SHARED_INT32_ATOMICS, hasSharedInt32Atomics) row(SHARED_FLOAT_ATOMIC_EXCH,             \
                                                             hasSharedFloatAtomicExch)             \
            row(FLOAT_ATOMIC_ADD, hasFloatAtomicAdd) row(GLOBAL_INT64_ATOMICS,                     \
                                                         hasGlobalInt64Atomics)                    \
                row(SHARED_INT64_ATOMICS, hasSharedInt64Atomics) row(DOUBLES, hasDoubles)          \
                    row(WARP_VOTE, hasWarpVote) row(WARP_BALLOT, hasWarpBallot)                    \
                        row(WARP_SHUFFLE, hasWarpShuffle) row(WARP_FUNNEL_SHIFT, hasFunnelShift)   \
                            row(THREAD_FENCE_SYSTEM, hasThreadFenceSystem)                         \
                                row(SYNC_THREAD_EXT, hasSyncThreadsExt)                            \
                                    row(SURFACE_FUNCS, hasSurfaceFuncs) row(3DGRID, has3dGrid)     \
                                        row(DYNAMIC_PARALLEL, hasDynamicParallelism)

__global__ void abilities(int *out)
{
    int k = 0;
#define ROW(name, member) out[k++] = __HIP_ARCH_HAS_##name##__;
    ABILITIES(ROW)
#undef ROW
    out[k++] = HIP_ARCH_HAS_WARP_VOTE;
    out[k++] = HIP_ARCH_HAS_WARP_BALLOT;
}
TEST("what a device can do is the same in macros and properties")
{
    ah_test::buffer<int> out(19);
    abilities<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    hipDeviceProp_t properties;
    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    int k = 0;
#define ROW(name, member)                                                                          \
    CHECK_CASE(out.read()[k] == static_cast<int>(properties.arch.member),                          \
               #name ": %d in device code, %d in the properties", out.read()[k],                   \
               static_cast<int>(properties.arch.member));                                          \
    ++k;
    ABILITIES(ROW)
#undef ROW
    CHECK(out.read()[17] == 1 && out.read()[18] == 1);
    CHECK(HIP_ARCH_HAS_WARP_VOTE == 0); /* the host has none of it */
}

// ---- time ----

__global__ void read_clock(long long *out)
{
    *out = wall_clock64();
}
TEST("wall_clock64 counts at the rate of the device's attribute")
{
    int khz = 0;
    CHECK_HIP(hipDeviceGetAttribute(&khz, hipDeviceAttributeWallClockRate, 0));
    CHECK(khz > 0);
    ah_test::buffer<long long> first(1), second(1);
    read_clock<<<1, 1>>>(first.device());
    CHECK_LAUNCH();
    auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    auto slept = std::chrono::steady_clock::now() - begin;
    read_clock<<<1, 1>>>(second.device());
    CHECK_LAUNCH();
    auto whole = std::chrono::steady_clock::now() - begin;
    double ticks = static_cast<double>(second.read()[0] - first.read()[0]);
    double ms = ticks / khz, least = std::chrono::duration<double, std::milli>(slept).count(),
           most = std::chrono::duration<double, std::milli>(whole).count();
    CHECK_CASE(ms >= 0.9 * least && ms <= 1.1 * most + 500, "%g ms, not %g to %g", ms, least, most);
}

HIP_TEST_MAIN
