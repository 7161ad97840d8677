// The time of each math function on a device, and its errors, for HIP and for CUDA from one source:
//
//   hipcc -O2 math.hip -o bench_math        nvcc -O2 -x cu math.hip -o bench_math_cuda
//
// With -DBENCH_PART=N (0 to 12) it is one of the parts of such a program, which can be compiled at
// the same time. -DBENCH_TIMES_ONLY leaves out --floats, --bins and --results.
//
//   bench_math [PATTERN]
//       Picoseconds per call on the whole device, the best of five, of every function whose name
//       holds PATTERN. Each thread calls the function in a loop, with arguments by a generator: the
//       rows "nothing" have the time of that alone.
//   bench_math --floats [PATTERN]
//       Functions of one float: all 2^32 arguments against the function of double: the largest
//       error in ULP, where it is, and how many of a hundred results are not the nearest.
//   bench_math --bins [PATTERN]
//       The same with the largest error of each exponent and sign of the argument.
//   bench_math --results FOLDER
//       Applies each function to the arguments in FOLDER/exp_f32.x (and .y) and writes
//       FOLDER/exp_f32.out, for tests/math/accuracy.cpp.
//   bench_math --count [PATTERN]
//       Launches one warp that calls the function once in each thread, and another that does so 65
//       times: bench/count.sh counts their instructions on simulated devices.
#if defined(__HIP__)
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#define API(name)  hip##name
#define PROCESSORS hipDeviceAttributeMultiprocessorCount
#else
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define API(name)  cuda##name
#define PROCESSORS cudaDevAttrMultiProcessorCount
// CUDA has no name for these.
static __device__ __forceinline__ float powif(float x, int n)
{
    return powf(x, (float)n);
}
static __device__ __forceinline__ double powi(double x, int n)
{
    return pow(x, (double)n);
}
#endif

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        API(Error_t) error = (call);                                                               \
        if (error != API(Success)) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, API(GetErrorString)(error));                        \
            exit(error == API(ErrorNoDevice) ? 77 : 1);                                            \
        }                                                                                          \
    } while (0)

// What a part tells main of a function.
struct row {
    const char *name; /* as programs write it */
    const char *id;   /* as in tests/math/functions.def, or null */
    int size;         /* of an argument and the result */
    int arguments;
    void (*time)(int blocks, int threads, int calls, void *out);
    void (*map)(int n, const void *x, const void *y, void *out);
    void (*floats)(unsigned long long *bins, unsigned long long *wrong); /* or null */
    row *next;
};
extern row *rows;
struct add_row {
    explicit add_row(row *r)
    {
        row **at = &rows;
        while (*at)
            at = &(*at)->next;
        *at = r;
    }
};

namespace
{
#define FN static __device__ __forceinline__
#include "math_library.h"
FN float both_sincosf(float x)
{
    float s, c;
    sincosf(x, &s, &c);
    return s + c;
}
FN double both_sincos(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return s + c;
}
FN float both_sincospif(float x)
{
    float s, c;
    sincospif(x, &s, &c);
    return s + c;
}
FN double both_sincospi(double x)
{
    double s, c;
    sincospi(x, &s, &c);
    return s + c;
}
FN float with_remquof(float x, float y)
{
    int q;
    const float r = remquof(x, y, &q);
    return r + (float)q;
}
FN double with_remquo(double x, double y)
{
    int q;
    const double r = remquo(x, y, &q);
    return r + (double)q;
}
FN float with_frexpf(float x)
{
    int e;
    const float m = frexpf(x, &e);
    return m + (float)e;
}
FN double with_frexp(double x)
{
    int e;
    const double m = frexp(x, &e);
    return m + (double)e;
}
FN float with_modff(float x)
{
    float w;
    const float f = modff(x, &w);
    return f + w * 2;
}
FN double with_modf(double x)
{
    double w;
    const double f = modf(x, &w);
    return f + w * 2;
}
FN float of_half(__half h)
{
    return __half2float(h);
}
FN float of_half2(__half2 h)
{
    return __low2float(h) + __high2float(h);
}

// Numbers in [1, 2) from the high bits of a congruential generator.
FN float one_to_two(unsigned int s, float)
{
    return __uint_as_float(s >> 9 | 0x3f800000u);
}
FN double one_to_two(unsigned int s, double)
{
    return __hiloint2double((int)(s >> 12 | 0x3ff00000u), (int)s);
}

template <typename Op, typename T> __global__ void time_calls(T *out, int calls)
{
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int s = thread * 2654435761u + 12345u, s2 = thread * 2246822519u + 54321u;
    T sum = 0;
#pragma unroll 1
    for (int i = 0; i < calls; ++i) {
        s = s * 1664525u + 1013904223u;
        const T x = one_to_two(s, T()) * T(Op::high - Op::low) + T(2 * Op::low - Op::high);
        T y = 0;
        if (Op::arguments == 2) {
            s2 = s2 * 22695477u + 1u;
            y = one_to_two(s2, T()) * T(Op::high_y - Op::low_y) + T(2 * Op::low_y - Op::high_y);
        }
        sum += Op::call(x, y);
    }
    out[thread] = sum;
}
// For kernels whose time does not matter: compiled once for all of them.
template <typename Op, typename T> __device__ __noinline__ T called(T x, T y)
{
    return Op::call(x, y);
}

template <typename Op, typename T> __global__ void map_calls(int n, const T *x, const T *y, T *out)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = called<Op, T>(x[i], Op::arguments == 2 ? y[i] : T(0));
}

// In units of the last place of the float nearest to want; infinity counts as 2^128.
FN float ulps(float got, double want)
{
    if (got != got || want != want)
        return (got != got) == (want != want) ? 0.0f : __uint_as_float(0x7f800000u);
    if (got == (float)want && fabsf(got) > 0x1.fffffep127f)
        return 0.0f;
    const double a = fabs((double)got) > 0x1.fffffep127 ? copysign(0x1p128, (double)got) : got;
    const double b = fabs(want) > 0x1p129 ? copysign(0x1p129, want) : want;
    if (a == b)
        return 0.0f;
    int e = (int)((unsigned int)__double2hiint(b) >> 20 & 2047u);
    e = e < 1023 - 126 ? 1023 - 126 : e > 1023 + 127 ? 1023 + 127 : e;
    return (float)(fabs(a - b) * __hiloint2double((2 * 1023 + 23 - e) << 20, 0));
}
// Every float: bins[sign and exponent of x] becomes the largest error (high half) with its x.
template <typename Op>
__global__ void all_floats(unsigned long long *bins, unsigned long long *wrong)
{
    const unsigned long long thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long threads = gridDim.x * blockDim.x;
    unsigned long long not_nearest = 0;
    for (unsigned long long i = thread; i < 0x100000000ull; i += threads) {
        const float x = __uint_as_float((unsigned int)i);
        const float off = ulps(called<Op, float>(x, 0), Op::wide((double)x));
        not_nearest += off > 0.5f ? 1 : 0;
        const unsigned long long entry = (unsigned long long)__float_as_uint(off) << 32 | i;
        unsigned long long *bin = &bins[i >> 23];
        if (off > 0 && entry > *(volatile unsigned long long *)bin)
            atomicMax(bin, entry);
    }
    if (not_nearest)
        atomicAdd(wrong, not_nearest);
}

template <typename Op, typename T> void launch_time(int blocks, int threads, int calls, void *out)
{
    time_calls<Op, T><<<blocks, threads>>>((T *)out, calls);
}
template <typename Op, typename T> void launch_map(int n, const void *x, const void *y, void *out)
{
#if defined(BENCH_TIMES_ONLY)
    (void)n, (void)x, (void)y, (void)out;
#else
    map_calls<Op, T><<<(n + 255) / 256, 256>>>(n, (const T *)x, (const T *)y, (T *)out);
#endif
}
template <typename Op> void launch_floats(unsigned long long *bins, unsigned long long *wrong)
{
#if defined(BENCH_TIMES_ONLY)
    (void)bins, (void)wrong;
#else
    all_floats<Op><<<2048, 256>>>(bins, wrong);
#endif
}

#define OP(tag, T, n, lx, hx, ly, hy, ...)                                                         \
    struct tag {                                                                                   \
        static constexpr int arguments = n;                                                        \
        static constexpr double low = lx, high = hx, low_y = ly, high_y = hy;                      \
        static __device__ __forceinline__ T call(T x, T y) { return (void)y, __VA_ARGS__; }

#define F1(name, lx, hx)                                                                           \
    OP(op_##name##f, float, 1, lx, hx, 0, 1, name##f(x))                                           \
    static __device__ __forceinline__ double wide(double x)                                        \
    {                                                                                              \
        return name(x);                                                                            \
    }                                                                                              \
    }                                                                                              \
    ;                                                                                              \
    row row_##name##f = {#name "f",                                                                \
                         #name "_f32",                                                             \
                         4,                                                                        \
                         1,                                                                        \
                         launch_time<op_##name##f, float>,                                         \
                         launch_map<op_##name##f, float>,                                          \
                         launch_floats<op_##name##f>,                                              \
                         nullptr};                                                                 \
    add_row add_##name##f(&row_##name##f);
#define REST(tag, name, id, T, n)                                                                  \
    }                                                                                              \
    ;                                                                                              \
    row row_##tag = {name,    id,     sizeof(T), n, launch_time<tag, T>, launch_map<tag, T>,       \
                     nullptr, nullptr};                                                            \
    add_row add_##tag(&row_##tag);
#define F2(name, lx, hx, ly, hy)                                                                   \
    OP(op_##name##f, float, 2, lx, hx, ly, hy, name##f(x, y))                                      \
    REST(op_##name##f, #name "f", #name "_f32", float, 2)
#define D1(name, lx, hx)                                                                           \
    OP(op_##name, double, 1, lx, hx, 0, 1, name(x))                                                \
    REST(op_##name, #name, #name "_f64", double, 1)
#define D2(name, lx, hx, ly, hy)                                                                   \
    OP(op_##name, double, 2, lx, hx, ly, hy, name(x, y))                                           \
    REST(op_##name, #name, #name "_f64", double, 2)
#define FX(name, lx, hx, ly, hy, ...)                                                              \
    OP(op_##name, float, 2, lx, hx, ly, hy, __VA_ARGS__)                                           \
    REST(op_##name, #name, nullptr, float, 2)
#define FX1(name, lx, hx, ...)                                                                     \
    OP(op_##name, float, 1, lx, hx, 0, 1, __VA_ARGS__)                                             \
    REST(op_##name, #name, nullptr, float, 1)
#define DX1(name, lx, hx, ...)                                                                     \
    OP(op_##name, double, 1, lx, hx, 0, 1, __VA_ARGS__)                                            \
    REST(op_##name, #name, nullptr, double, 1)
#define DX(name, lx, hx, ly, hy, ...)                                                              \
    OP(op_##name, double, 2, lx, hx, ly, hy, __VA_ARGS__)                                          \
    REST(op_##name, #name, nullptr, double, 2)
#include "math_functions.def"
} // namespace

#if !defined(BENCH_PART) || BENCH_PART == 0
row *rows;

namespace
{
double best_of_five(const row &r, int blocks, int threads, int calls, void *out)
{
    API(Event_t) start, stop;
    CHECK(API(EventCreate)(&start));
    CHECK(API(EventCreate)(&stop));
    double best = HUGE_VAL;
    for (int i = 0; i < 6; ++i) { /* the first warms up */
        float milliseconds;
        CHECK(API(EventRecord)(start, 0));
        r.time(blocks, threads, calls, out);
        CHECK(API(GetLastError)());
        CHECK(API(EventRecord)(stop, 0));
        CHECK(API(EventSynchronize)(stop));
        CHECK(API(EventElapsedTime)(&milliseconds, start, stop));
        if (i && milliseconds < best)
            best = milliseconds;
    }
    CHECK(API(EventDestroy)(start));
    CHECK(API(EventDestroy)(stop));
    return best;
}

void print_time(const row &r)
{
    int processors;
    CHECK(API(DeviceGetAttribute)(&processors, PROCESSORS, 0));
    const int blocks = processors * 8, threads = 256;
    void *out;
    CHECK(API(Malloc)(&out, (size_t)blocks * threads * sizeof(double)));
    /* as many calls as take about 2 ms */
    int calls = 64;
    const double once = best_of_five(r, blocks, threads, calls, out);
    calls = (int)fmin(16384, fmax(64, calls * 1.5 / fmax(once - 0.002, 1e-3)));
    const double ms = best_of_five(r, blocks, threads, calls, out);
    printf("%s\t%.5f\n", r.name, ms * 1e9 / ((double)blocks * threads * calls));
    CHECK(API(Free)(out));
}

void print_floats(const row &r, bool each)
{
    unsigned long long *bins, host[513];
    CHECK(API(Malloc)((void **)&bins, sizeof host));
    CHECK(API(Memset)(bins, 0, sizeof host));
    r.floats(bins, bins + 512);
    CHECK(API(GetLastError)());
    CHECK(API(Memcpy)(host, bins, sizeof host, API(MemcpyDeviceToHost)));
    CHECK(API(Free)(bins));
    unsigned long long worst = 0;
    for (int i = 0; i < 512; ++i) {
        worst = host[i] > worst ? host[i] : worst;
        float off, x;
        const unsigned int high = (unsigned int)(host[i] >> 32), low = (unsigned int)host[i];
        memcpy(&off, &high, 4);
        memcpy(&x, &low, 4);
        if (each)
            printf("bin\t%s\t%a\t%.4f\n", r.name, x, off);
    }
    float off, x;
    const unsigned int high = (unsigned int)(worst >> 32), low = (unsigned int)worst;
    memcpy(&off, &high, 4);
    memcpy(&x, &low, 4);
    printf("%s\t%.4f\t%a\t%.5f\n", r.name, off, x, (double)host[512] * 100 / 4294967296.0);
}

std::vector<char> contents(const std::string &path)
{
    std::vector<char> v;
    FILE *f = fopen(path.c_str(), "rb");
    if (!f)
        return v;
    fseek(f, 0, SEEK_END);
    v.resize((size_t)ftell(f));
    rewind(f);
    if (fread(v.data(), 1, v.size(), f) != v.size())
        v.clear();
    fclose(f);
    return v;
}
void write_results(const row &r, const std::string &folder)
{
    const std::string path = folder + "/" + r.id;
    const std::vector<char> x = contents(path + ".x"), y = contents(path + ".y");
    if (x.empty() || (r.arguments == 2 && y.size() != x.size()))
        return;
    char *memory;
    const size_t size = x.size();
    std::vector<char> out(size);
    CHECK(API(Malloc)((void **)&memory, 3 * size));
    CHECK(API(Memcpy)(memory, x.data(), size, API(MemcpyHostToDevice)));
    if (!y.empty())
        CHECK(API(Memcpy)(memory + size, y.data(), size, API(MemcpyHostToDevice)));
    r.map((int)(size / (size_t)r.size), memory, memory + size, memory + 2 * size);
    CHECK(API(GetLastError)());
    CHECK(API(Memcpy)(out.data(), memory + 2 * size, size, API(MemcpyDeviceToHost)));
    CHECK(API(Free)(memory));
    FILE *f = fopen((path + ".out").c_str(), "wb");
    if (!f || fwrite(out.data(), 1, size, f) != size || fclose(f) != 0) {
        perror(path.c_str());
        exit(1);
    }
}
void call(const row &r, int calls)
{
    void *out;
    CHECK(API(Malloc)(&out, 32 * sizeof(double)));
    r.time(1, 32, calls, out);
    CHECK(API(GetLastError)());
    CHECK(API(DeviceSynchronize)());
    CHECK(API(Free)(out));
}
} // namespace

int main(int argc, char **argv)
{
    const std::string option = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
    const int rest = option.empty() ? 1 : 2;
    const char *argument = argc > rest ? argv[rest] : "";
    bool found = false;
    for (const row *r = rows; r; r = r->next) {
        if (option == "--results" ? !r->id : !strstr(r->name, argument))
            continue;
        found = true;
        if (option == "--results")
            write_results(*r, argument);
        else if (option == "--count") {
            printf("%s %d %d\n", r->name, r->size, r->arguments);
            fflush(stdout);
            call(*r, 1);
            call(*r, 65);
        } else if (option.empty())
            print_time(*r);
        else if (r->floats)
            print_floats(*r, option == "--bins");
        fflush(stdout);
    }
    if (!found)
        fprintf(stderr, "bench_math: no such function: see the head of math.hip\n");
    return found ? 0 : 2;
}
#endif
