// hipLaunchKernelGGL as a function template, which a program requests before the first header.
#define HIP_TEMPLATE_KERNEL_LAUNCH
#include "../support/hip_test.h"

#if defined(hipLaunchKernelGGL)
#error "a macro would hide the template"
#endif

template <typename T> __global__ void add(T *out, T a, double b)
{
    out[threadIdx.x] = a + static_cast<T>(b);
}
__global__ void overloaded(int *out)
{
    out[0] = 1;
}
__global__ void overloaded(float *out)
{
    out[0] = 2;
}
TEST("hipLaunchKernelGGL is a function template")
{
    ah_test::buffer<int> out(3);
    ah_test::buffer<float> f(1);
    hipLaunchKernelGGL(add<int>, dim3(1), dim3(3), 0, nullptr, out.device(), 40, 2);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[2], 42);
    void (*chosen)(float *) = overloaded;
    hipLaunchKernelGGL(chosen, dim3(1), dim3(1), 0, nullptr, f.device());
    CHECK_LAUNCH();
    CHECK_EQ(f.read()[0], 2.0f);
}

TEST("the arguments of hipLaunchKernelGGL choose among kernels of one name")
{
    ah_test::buffer<int> out(3), one(1);
    ah_test::buffer<float> f(1);
    hipLaunchKernelGGL(add, dim3(1), dim3(3), 0, nullptr, out.device(), 40, 2.5);
    hipLaunchKernelGGL(overloaded, dim3(1), dim3(1), 0, nullptr, one.device());
    hipLaunchKernelGGL(overloaded, dim3(1), dim3(1), 0, nullptr, f.device());
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[2], 42);
    CHECK_EQ(one.read()[0], 1);
    CHECK_EQ(f.read()[0], 2.0f);
}

HIP_TEST_MAIN
