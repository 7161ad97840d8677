// C++ in kernels: templates, lambdas, classes with virtual functions, function pointers,
// recursion, structures as arguments, launch forms.
#include "../support/hip_test.h"

#include <array>
#include <utility>

// ---- templates ----

template <typename T, int factor, typename... Rest> struct scaled_sum;
template <typename T, int factor> struct scaled_sum<T, factor> {
    static __host__ __device__ T of() { return 0; }
};
template <typename T, int factor, typename First, typename... Rest>
struct scaled_sum<T, factor, First, Rest...> {
    static __host__ __device__ T of(First first, Rest... rest)
    {
        return static_cast<T>(first) * factor + scaled_sum<T, factor, Rest...>::of(rest...);
    }
};
template <typename T, int factor, typename... A> __global__ void add_scaled(T *out, A... numbers)
{
    out[threadIdx.x] = scaled_sum<T, factor, A...>::of(numbers...) + static_cast<T>(threadIdx.x);
}
TEST("kernels are templates of types, numbers and packs")
{
    ah_test::buffer<double> d(4);
    add_scaled<double, 3><<<1, 4>>>(d.device(), 1, 2.5f, 4.0, short(7));
    ah_test::buffer<long> l(2);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(add_scaled<long, -1, int, char>), dim3(1), dim3(2), 0, 0,
                       l.device(), 100, 'A');
    CHECK_LAUNCH();
    for (int i = 0; i < 4; ++i)
        CHECK_EQ(d.read()[i], 43.5 + i);
    CHECK_EQ(l.read()[1], -165l + 1);
}

// ---- function objects and lambdas ----

template <typename F> __global__ void for_each(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}
struct multiply {
    float factor;
    float *data;
    __device__ void operator()(int i) const { data[i] *= factor; }
};
TEST("function objects and lambdas with captures are kernel arguments")
{
    std::vector<float> numbers;
    for (int i = 0; i < 300; ++i)
        numbers.push_back(static_cast<float>(i));
    ah_test::buffer<float> data(numbers);
    float *p = data.device();
    for_each<<<3, 128>>>(300, multiply{2.0f, p});
    float offset = 0.5f;
    int divisor = 3;
    for_each<<<3, 128>>>(
        300, [=] __device__(int i) { p[i] += offset + static_cast<float>(i % divisor); });
    CHECK_LAUNCH();
    for (int i = 0; i < 300; ++i)
        CHECK_EQ(data.read()[i], 2.0f * i + 0.5f + static_cast<float>(i % 3));
}

__global__ void lambdas_within(int *out)
{
    int base = 10;
    auto add = [&](int x) { return x + base; };
    auto twice = [](auto f, int x) { return f(f(x)); };
    base = 20;
    out[threadIdx.x] = twice(add, static_cast<int>(threadIdx.x));
}
TEST("lambdas live within kernels")
{
    ah_test::buffer<int> out(8);
    lambdas_within<<<1, 8>>>(out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 8; ++i)
        CHECK_EQ(out.read()[i], i + 40);
}

// ---- classes ----

class shape
{
  public:
    __device__ explicit shape(float size) : size_(size) {}
    __device__ virtual ~shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }

  protected:
    float size_;
};
class square final : public shape
{
  public:
    __device__ explicit square(float size) : shape(size) {}
    __device__ float area() const override { return size_ * size_; }
    __device__ int corners() const override { return 4; }
};
class circle : public shape
{
  public:
    __device__ explicit circle(float size) : shape(size) {}
    __device__ float area() const override { return 3.0f * size_ * size_; }
};
__device__ __noinline__ float measure(const shape &s)
{
    return s.area() + 100.0f * static_cast<float>(s.corners());
}
__global__ void use_shapes(float *out)
{
    square s(2.0f + static_cast<float>(threadIdx.x));
    circle c(1.0f);
    const shape *either = threadIdx.x % 2 ? static_cast<const shape *>(&c) : &s;
    out[threadIdx.x] = measure(*either);
}
TEST("virtual functions are called through the object")
{
    ah_test::buffer<float> out(8);
    use_shapes<<<1, 8>>>(out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 8; ++i)
        CHECK_EQ(out.read()[i], i % 2 ? 3.0f : (2.0f + i) * (2.0f + i) + 400.0f);
}

struct base_part {
    int value;
    __host__ __device__ base_part() : value(5) {}
};
template <typename T> struct holder : base_part {
    T items[3];
    static constexpr int count = 3;
    __host__ __device__ holder(T a, T b, T c) : items{a, b, c} {}
    __host__ __device__ T sum() const
    {
        T s = static_cast<T>(value);
        for (const T &x : items)
            s += x;
        return s;
    }
    __host__ __device__ holder operator+(const holder &o) const
    {
        return holder(items[0] + o.items[0], items[1] + o.items[1], items[2] + o.items[2]);
    }
};
__global__ void use_holder(double *out, holder<double> h)
{
    holder<double> twice = h + h;
    out[0] = twice.sum() + holder<double>::count;
    holder<int> *made = new holder<int>(1, 2, 3);
    out[1] = made->sum();
    delete made;
}
TEST("classes with bases, operators and static members work on both sides")
{
    holder<double> h(1.5, 2.5, 3.5);
    ah_test::buffer<double> out(2);
    use_holder<<<1, 1>>>(out.device(), h);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], (h + h).sum() + 3);
    CHECK_EQ(out.read()[1], 11.0);
}

// ---- functions ----

typedef int (*binary)(int, int);
__device__ int add(int a, int b)
{
    return a + b;
}
__device__ int subtract(int a, int b)
{
    return a - b;
}
__device__ __noinline__ int apply(binary f, int a, int b)
{
    return f(a, b);
}
__device__ binary the_function = subtract;
__constant__ binary both_functions[2] = {add, subtract};
__global__ void call_by_pointer(int *out)
{
    binary chosen = threadIdx.x % 2 ? add : subtract;
    out[threadIdx.x * 3] = apply(chosen, 10, static_cast<int>(threadIdx.x));
    out[threadIdx.x * 3 + 1] = the_function(7, 2);
    out[threadIdx.x * 3 + 2] = both_functions[threadIdx.x % 2](100, 1);
}
TEST("functions are called by pointers in variables and tables")
{
    ah_test::buffer<int> out(3 * 6);
    call_by_pointer<<<1, 6>>>(out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 6; ++i) {
        CHECK_EQ(out.read()[3 * i], i % 2 ? 10 + i : 10 - i);
        CHECK_EQ(out.read()[3 * i + 1], 5);
        CHECK_EQ(out.read()[3 * i + 2], i % 2 ? 99 : 101);
    }
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recurse(int *out)
{
    out[threadIdx.x] = fibonacci(static_cast<int>(threadIdx.x));
}
TEST("a device function calls itself")
{
    ah_test::buffer<int> out(12);
    recurse<<<1, 12>>>(out.device());
    CHECK_LAUNCH();
    const int want[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int i = 0; i < 12; ++i)
        CHECK_EQ(out.read()[i], want[i]);
}

static __device__ int private_helper(int x)
{
    return x * 3;
}
__host__ __device__ constexpr int on_both_sides(int x)
{
    return x * x + 1;
}
__host__ __device__ int which_side()
{
#if defined(__HIP_DEVICE_COMPILE__)
    return 1;
#else
    return 2;
#endif
}
__host__ int overloaded()
{
    return 10;
}
__device__ int overloaded()
{
    return 20;
}
template <int n> __device__ int unrolled(const int *p)
{
    int sum = 0;
#pragma unroll
    for (int i = 0; i < n; ++i)
        sum += p[i];
    return sum;
}
__global__ void call_functions(int *out, const int *in)
{
    constexpr int fixed = on_both_sides(4);
    out[0] = private_helper(5) + fixed;
    out[1] = on_both_sides(static_cast<int>(threadIdx.x) + 2);
    out[2] = which_side();
    out[3] = overloaded();
    out[4] = unrolled<6>(in);
    std::pair<int, float> p(3, 0.5f);
    std::array<int, 3> a = {1, 2, 3};
    out[5] = p.first + a[2] + static_cast<int>(p.second * 4);
    int x = 1, y = 2;
    switch (in[0]) {
    case 7:
        x = 50;
        [[fallthrough]];
    case 8:
        y = 60;
        break;
    default:
        x = y = 0;
    }
    out[6] = x + y;
}
TEST("functions of host, device and both are distinguished")
{
    ah_test::buffer<int> in({7, 1, 2, 3, 4, 5}), out(7);
    call_functions<<<1, 1>>>(out.device(), in.device());
    CHECK_LAUNCH();
    const int want[7] = {15 + 17, 5, 1, 20, 22, 8, 110};
    for (int i = 0; i < 7; ++i)
        CHECK_EQ(out.read()[i], want[i]);
    CHECK_EQ(which_side(), 2);
    CHECK_EQ(overloaded(), 10);
}

// ---- arguments and launches ----

struct everything {
    char c;
    double d;
    short s[3];
    struct {
        int x;
        long long y;
    } inner;
    const int *pointer;
    bool flag;
};
__global__ void take_everything(double *out, everything e, char c, bool b, unsigned char u,
                                long long l, float f, double d, const int *p, int last)
{
    out[0] =
        e.c + e.d + e.s[2] + e.inner.x + static_cast<double>(e.inner.y) + e.pointer[1] + e.flag;
    out[1] = c + b + u + static_cast<double>(l) + f + d + p[0] + last;
}
TEST("structures and scalars of every size are passed by value")
{
    ah_test::buffer<int> numbers({30, 40});
    ah_test::buffer<double> out(2);
    everything e = {1, 2.5, {3, 4, 5}, {6, 7000000000ll}, numbers.device(), true};
    take_everything<<<1, 1>>>(out.device(), e, char(1), true, static_cast<unsigned char>(200),
                              -5000000000ll, 0.5f, 0.25, numbers.device(), -7);
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 1 + 2.5 + 5 + 6 + 7000000000.0 + 40 + 1);
    CHECK_EQ(out.read()[1], 1 + 1 + 200 - 5000000000.0 + 0.5 + 0.25 + 30 - 7);
}

__global__ void __launch_bounds__(64) bounded(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__launch_bounds__(256, 2) __global__ void bounded_twice(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 2;
}
template <int n> __global__ __launch_bounds__(n) void bounded_template(int *out)
{
    out[threadIdx.x] = n;
}
TEST("kernels with launch bounds run")
{
    ah_test::buffer<int> a(64), b(512), c(32);
    bounded<<<1, 64>>>(a.device());
    bounded_twice<<<2, 256>>>(b.device());
    bounded_template<32><<<1, 32>>>(c.device());
    CHECK_LAUNCH();
    CHECK(a.read()[63] == 1 && b.read()[511] == 2 && c.read()[31] == 32);
}

__global__ void mark(int *out, int value)
{
    out[threadIdx.x] += value;
}
TEST("every form of launch starts the kernel")
{
    ah_test::buffer<int> out(4);
    int *p = out.device(), value = 1000;
    hipStream_t stream = nullptr;
    CHECK_HIP(hipStreamCreate(&stream));
    mark<<<1, 4>>>(p, 1);
    mark<<<dim3(1), dim3(4), 0, stream>>>(p, 10);
    CHECK_HIP(hipStreamSynchronize(stream));
    hipLaunchKernelGGL(mark, dim3(1), dim3(4), 0, nullptr, p, 100);
    void *arguments[] = {&p, &value};
    CHECK_HIP(hipLaunchKernel(reinterpret_cast<const void *>(mark), dim3(1), dim3(4), arguments, 0,
                              nullptr));
    CHECK_LAUNCH();
    CHECK_HIP(hipStreamDestroy(stream));
    for (int v : out.read())
        CHECK_EQ(v, 1111);
}

// ---- numbers of local memory ----

__global__ void local_arrays(int *out, int n)
{
    int big[200];
    for (int i = 0; i < 200; ++i)
        big[i] = i * static_cast<int>(threadIdx.x + 1);
    int *p = n > 0 ? big : nullptr; /* an address, so that it stays in memory */
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += p[(i * 37) % 200];
    out[threadIdx.x] = sum;
}
TEST("large local arrays belong to their thread")
{
    ah_test::buffer<int> out(64);
    local_arrays<<<1, 64>>>(out.device(), 50);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        int want = 0;
        for (int i = 0; i < 50; ++i)
            want += (i * 37) % 200 * (t + 1);
        CHECK_EQ(out.read()[t], want);
    }
}

HIP_TEST_MAIN
