// The C++ library together with HIP's header, in either order: the overloads that each side
// chooses. Compiled with STD_FIRST, STD_LAST or both; never run.
#ifdef STD_FIRST
#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <math.h>
#include <new>
#include <stdlib.h>
#include <type_traits>
#include <utility>
#endif

#include <hip/hip_runtime.h>

#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/math_functions.h>

#ifdef STD_LAST
#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <math.h>
#include <new>
#include <stdlib.h>
#include <type_traits>
#include <utility>
#endif

#define SAME(type, expression)                                                                     \
    static_assert(std::is_same<type, decltype(expression)>::value, #expression)

// What both sides must agree upon: the type of the result.
template <typename F, typename D, typename I> __host__ __device__ inline void types(F f, D d, I i)
{
    SAME(F, std::sqrt(f));
    SAME(D, std::sqrt(d));
    SAME(D, std::sqrt(i));
    SAME(F, sqrtf(f));
    SAME(D, sqrt(d));
    SAME(F, std::abs(f));
    SAME(D, std::abs(d));
    SAME(I, std::abs(i));
    SAME(I, abs(i));
    SAME(F, std::pow(f, f));
    SAME(D, std::pow(d, i));
    SAME(F, std::fma(f, f, f));
    SAME(D, std::sin(i));
    SAME(bool, std::isnan(f));
    SAME(bool, std::isinf(d));
    SAME(const F &, std::min(f, f));
    SAME(const I &, std::max(i, i));
    SAME(F, std::numeric_limits<F>::max());
    (void)f, (void)d, (void)i;
}

template <typename T> struct adder {
    T by;
    __host__ __device__ constexpr T operator()(T x) const { return x + by; }
};

__global__ void on_device(float *f, double *d, int *i, int n)
{
    types(1.0f, 1.0, 1);
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    float x = f[t];
    double y = d[t];
    assert(x == x);
    f[t] = std::sqrt(x) + sqrtf(x) + std::sin(x) + sinf(x) + fabsf(x) + std::fabs(x) +
           std::fmod(x, x) + std::hypot(x, x) + std::exp(x) + fmaf(x, x, x) + std::floor(x) +
           std::pow(x, x) + std::fmin(x, x) + std::copysign(x, x) + std::abs(x) +
           std::min(x, 2.0f) + fmaxf(x, x) + std::floorf(x) + std::powf(x, x) + std::fmaf(x, x, x);
    d[t] = sqrt(y) + std::sqrt(t) + std::pow(y, 2) + pow(x, t) + pow(y, 2.0) + std::log(y) +
           ceil(y) + std::round(y) + fabs(y) + std::tgamma(y) + erf(y) + std::cbrt(y) + max(y, 1.0);
    i[t] = std::isnan(x) + isnan(x) + std::isinf(y) + isinf(y) + isfinite(x) + std::isfinite(y) +
           std::signbit(x) + signbit(y) + std::abs(t) + abs(t) + std::max(t, 3) + min(t, 3) +
           std::lround(x) + std::ilogb(y) + adder<int>{1}(t) + std::numeric_limits<int>::max();
#if __cplusplus >= 202002L
    std::swap(f[t], f[0]);
#endif
    memcpy(&f[t], &f[0], sizeof *f);
    std::memcpy(&d[t], &d[0], sizeof *d);
    std::memset(&i[t], 0, sizeof *i);
    printf("%d %f\n", t, y);
    std::printf("%s\n", "text");
}

double on_host(float x, double y, int n)
{
    types(1.0f, 1.0, 1);
    assert(x == x);
    double sum = std::sqrt(x) + sqrtf(x) + std::sin(n) + std::pow(x, n) + pow(y, 2) +
                 std::isnan(x) + std::abs(x) + std::abs(n) + std::exp(x) + sqrt(x) + fabs(x) +
                 std::fabs(x) + std::isinf(y) + std::min(x, 2.0f) + std::max(n, 3) +
                 adder<int>{1}(n) + std::abs(y) + std::floorf(x) + std::powf(x, x);
    std::complex<double> c(x, y);
    std::printf("%f\n", std::abs(c));
    int *p = new int(3);
    sum += *p;
    delete p;
    char text[8];
    std::memset(text, 0, sizeof text);
    return sum + text[0];
}
