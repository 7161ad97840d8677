// Atomic functions on global and shared memory, for every type, device and system scope.
#include "../support/hip_test.h"

#include <algorithm>
#include <set>

// ---- what each function does to one word, one thread ----

template <typename T> struct step {
    T before, operand, compare;
    T returned, after;
};

#define OPERATION(name, call)                                                                      \
    struct name {                                                                                  \
        template <typename T> static __device__ T apply(T *p, T v, T c)                            \
        {                                                                                          \
            (void)c;                                                                               \
            return call;                                                                           \
        }                                                                                          \
    };
OPERATION(add, atomicAdd(p, v))
OPERATION(sub, atomicSub(p, v))
OPERATION(exch, atomicExch(p, v))
OPERATION(least, atomicMin(p, v))
OPERATION(most, atomicMax(p, v))
OPERATION(cas, atomicCAS(p, c, v))
OPERATION(and_, atomicAnd(p, v))
OPERATION(or_, atomicOr(p, v))
OPERATION(xor_, atomicXor(p, v))
OPERATION(inc, atomicInc(p, v))
OPERATION(dec, atomicDec(p, v))
OPERATION(add_system, atomicAdd_system(p, v))
OPERATION(sub_system, atomicSub_system(p, v))
OPERATION(exch_system, atomicExch_system(p, v))
OPERATION(least_system, atomicMin_system(p, v))
OPERATION(most_system, atomicMax_system(p, v))
OPERATION(cas_system, atomicCAS_system(p, c, v))
OPERATION(and_system, atomicAnd_system(p, v))
OPERATION(or_system, atomicOr_system(p, v))
OPERATION(xor_system, atomicXor_system(p, v))
OPERATION(inc_system, atomicInc_system(p, v))
OPERATION(dec_system, atomicDec_system(p, v))
OPERATION(add_safe, safeAtomicAdd(p, v))
OPERATION(least_safe, safeAtomicMin(p, v))
OPERATION(most_safe, safeAtomicMax(p, v))
OPERATION(add_unsafe, unsafeAtomicAdd(p, v))
OPERATION(least_unsafe, unsafeAtomicMin(p, v))
OPERATION(most_unsafe, unsafeAtomicMax(p, v))
OPERATION(hip_add, __hip_atomic_fetch_add(p, v, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT))
OPERATION(hip_max, __hip_atomic_fetch_max(p, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM))
OPERATION(hip_min, __hip_atomic_fetch_min(p, v, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP))
OPERATION(hip_sub, __hip_atomic_fetch_sub(p, v, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP))
/* stores v where the word equals c, gives what it held */
struct hip_cas {
    template <typename T> static __device__ T apply(T *p, T v, T c)
    {
        T seen = c;
        bool stored = __hip_atomic_compare_exchange_strong(
            p, &seen, v, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
        return stored == (seen == c) ? seen : T(~seen);
    }
};
/* the weak one may fail for no reason */
struct hip_weak {
    template <typename T> static __device__ T apply(T *p, T v, T c)
    {
        T seen = c;
        while (!__hip_atomic_compare_exchange_weak(p, &seen, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_AGENT) &&
               seen == c)
            ;
        return seen;
    }
};
OPERATION(hip_exchange, __hip_atomic_exchange(p, v, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT))
OPERATION(hip_and, __hip_atomic_fetch_and(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
OPERATION(hip_or, __hip_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WAVEFRONT))
OPERATION(hip_xor, __hip_atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM))

template <typename Op, typename T, bool shared> __global__ void one_step(step<T> *steps, int n)
{
    __shared__ T word[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    step<T> &s = steps[i];
    if (shared) {
        word[threadIdx.x] = s.before;
        s.returned = Op::apply(&word[threadIdx.x], s.operand, s.compare);
        s.after = word[threadIdx.x];
    } else {
        s.after = s.before;
        s.returned = Op::apply(&s.after, s.operand, s.compare);
    }
}

template <typename T> std::vector<T> interesting()
{
    typedef std::numeric_limits<T> limits;
    if constexpr (std::is_floating_point_v<T>)
        return {T(0),
                T(-0.0),
                T(1),
                T(-1),
                T(2.5),
                T(-3.75),
                T(1e10),
                limits::max(),
                limits::lowest(),
                limits::infinity(),
                limits::min(),
                T(0.1)};
    else
        return {T(0),
                T(1),
                T(2),
                T(5),
                T(-1),
                limits::max(),
                limits::min(),
                T(limits::max() - 1),
                T(100),
                T(0x55555555),
                static_cast<T>(0x123456789abcdefll),
                T(7)};
}

template <typename Op, typename T, typename F> void check(const char *name, F expected)
{
    std::vector<step<T>> steps;
    std::vector<T> values = interesting<T>();
    for (T before : values)
        for (T operand : values)
            for (T compare : {before, values[3]})
                steps.push_back({before, operand, compare, T(), T()});
    int n = static_cast<int>(steps.size());
    for (bool shared : {false, true}) {
        ah_test::buffer<step<T>> device(steps);
        if (shared)
            one_step<Op, T, true><<<(n + 63) / 64, 64>>>(device.device(), n);
        else
            one_step<Op, T, false><<<(n + 63) / 64, 64>>>(device.device(), n);
        CHECK_LAUNCH();
        for (const step<T> &s : device.read()) {
            T want = expected(s.before, s.operand, s.compare);
            CHECK_CASE(ah_test::equal(s.returned, s.before), "%s(%s, %s) returned %s", name,
                       ah_test::show(s.before).c_str(), ah_test::show(s.operand).c_str(),
                       ah_test::show(s.returned).c_str());
            CHECK_CASE(ah_test::equal(s.after, want), "%s(%s, %s) left %s, not %s (%s memory)",
                       name, ah_test::show(s.before).c_str(), ah_test::show(s.operand).c_str(),
                       ah_test::show(s.after).c_str(), ah_test::show(want).c_str(),
                       shared ? "shared" : "global");
        }
    }
}

// The expectations; integers wrap.
template <typename T> T plus(T a, T b, T)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                              static_cast<std::make_unsigned_t<T>>(b));
    else
        return a + b;
}
template <typename T> T minus(T a, T b, T)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) -
                              static_cast<std::make_unsigned_t<T>>(b));
    else
        return a - b;
}
template <typename T> T second(T, T b, T)
{
    return b;
}
template <typename T> T smaller(T a, T b, T)
{
    return b < a ? b : a;
}
template <typename T> T larger(T a, T b, T)
{
    return a < b ? b : a;
}
template <typename T> T swapped(T a, T b, T c)
{
    return std::memcmp(&a, &c, sizeof(T)) == 0 ? b : a; /* compared as bits */
}

#define CHECK_OPERATION(op, T, expected) check<op, T>(#op "<" #T ">", expected<T>)
#define CHECK_NUMBER(T)                                                                            \
    CHECK_OPERATION(add, T, plus);                                                                 \
    CHECK_OPERATION(sub, T, minus);                                                                \
    CHECK_OPERATION(exch, T, second);                                                              \
    CHECK_OPERATION(least, T, smaller);                                                            \
    CHECK_OPERATION(most, T, larger);                                                              \
    CHECK_OPERATION(cas, T, swapped)
#define CHECK_NUMBER_SYSTEM(T)                                                                     \
    CHECK_OPERATION(add_system, T, plus);                                                          \
    CHECK_OPERATION(sub_system, T, minus);                                                         \
    CHECK_OPERATION(exch_system, T, second);                                                       \
    CHECK_OPERATION(least_system, T, smaller);                                                     \
    CHECK_OPERATION(most_system, T, larger);                                                       \
    CHECK_OPERATION(cas_system, T, swapped)

TEST("atomic arithmetic, exchange, minimum, maximum and compare-and-swap of integers")
{
    CHECK_NUMBER(int);
    CHECK_NUMBER(unsigned int);
    CHECK_NUMBER(long);
    CHECK_NUMBER(unsigned long);
    CHECK_NUMBER(long long);
    CHECK_NUMBER(unsigned long long);
}
TEST("atomic arithmetic, exchange, minimum, maximum and compare-and-swap of float and double")
{
    CHECK_NUMBER(float);
    CHECK_NUMBER(double);
}

// A number is smaller and larger than NaN, whichever of the two is in memory.
__global__ void with_nan(float *p, float nan)
{
    int i = static_cast<int>(threadIdx.x);
    float v = i & 1 ? 2.0f : nan;
    if (i & 4)
        atomicMin(p + i, v);
    else
        atomicMax(p + i, v);
}
TEST("minimum and maximum leave the number beside NaN")
{
    for (float nan : {std::nanf(""), -std::nanf("")})
        for (float number : {3.0f, -3.0f}) {
            std::vector<float> words(8, number);
            for (int i = 2; i < 8; i += 4)
                words[i + 1] = nan;
            ah_test::buffer<float> device(words);
            with_nan<<<1, 8>>>(device.device(), nan);
            CHECK_LAUNCH();
            std::vector<float> after = device.read();
            for (int i = 0; i < 8; i++) {
                float want = (i & 2) && (i & 1) ? 2.0f : number;
                if ((i & 3) == 1)
                    want = i & 4 ? std::min(number, 2.0f) : std::max(number, 2.0f);
                CHECK_CASE(after[i] == want, "%d: %f beside %f is %f", i, static_cast<double>(nan),
                           static_cast<double>(number), static_cast<double>(after[i]));
            }
        }
}
TEST("the same of integers for the whole system")
{
    CHECK_NUMBER_SYSTEM(int);
    CHECK_NUMBER_SYSTEM(unsigned int);
    CHECK_NUMBER_SYSTEM(unsigned long);
    CHECK_NUMBER_SYSTEM(long long);
    CHECK_NUMBER_SYSTEM(unsigned long long);
}
TEST("the same of float and double for the whole system")
{
    CHECK_NUMBER_SYSTEM(float);
    CHECK_NUMBER_SYSTEM(double);
}

template <typename T> T both(T a, T b, T)
{
    return a & b;
}
template <typename T> T either(T a, T b, T)
{
    return a | b;
}
template <typename T> T one_of(T a, T b, T)
{
    return a ^ b;
}

#define CHECK_BITS(T)                                                                              \
    CHECK_OPERATION(and_, T, both);                                                                \
    CHECK_OPERATION(or_, T, either);                                                               \
    CHECK_OPERATION(xor_, T, one_of);                                                              \
    CHECK_OPERATION(and_system, T, both);                                                          \
    CHECK_OPERATION(or_system, T, either);                                                         \
    CHECK_OPERATION(xor_system, T, one_of)

TEST("atomic and, or, exclusive or of integers, for the device and the system")
{
    CHECK_BITS(int);
    CHECK_BITS(unsigned int);
    CHECK_BITS(unsigned long);
    CHECK_BITS(unsigned long long);
}

TEST("atomicInc counts up to a limit and atomicDec down from it")
{
    auto up = [](unsigned a, unsigned limit, unsigned) { return a >= limit ? 0 : a + 1; };
    auto down = [](unsigned a, unsigned limit, unsigned) {
        return a == 0 || a > limit ? limit : a - 1;
    };
    check<inc, unsigned int>("inc", up);
    check<dec, unsigned int>("dec", down);
    check<inc_system, unsigned int>("inc_system", up);
    check<dec_system, unsigned int>("dec_system", down);
}

TEST("safe and unsafe float atomics give the same as the others")
{
    CHECK_OPERATION(add_safe, float, plus);
    CHECK_OPERATION(least_safe, float, smaller);
    CHECK_OPERATION(most_safe, float, larger);
    CHECK_OPERATION(add_safe, double, plus);
    CHECK_OPERATION(least_safe, double, smaller);
    CHECK_OPERATION(most_safe, double, larger);
}
TEST("unsafe float atomics give the same where no subnormal number is involved")
{
    // hardware may flush those; everything else in the list is normal
    auto no_subnormal = [](auto f) { return [f](auto a, auto b, auto c) { return f(a, b, c); }; };
    check<add_unsafe, float>("add_unsafe", no_subnormal(plus<float>));
    check<least_unsafe, float>("least_unsafe", no_subnormal(smaller<float>));
    check<most_unsafe, float>("most_unsafe", no_subnormal(larger<float>));
    check<add_unsafe, double>("add_unsafe", no_subnormal(plus<double>));
    check<least_unsafe, double>("least_unsafe", no_subnormal(smaller<double>));
    check<most_unsafe, double>("most_unsafe", no_subnormal(larger<double>));
}

__global__ void add_silently(float *sum)
{
    atomicAddNoRet(sum, 0.5f);
}
TEST("atomicAddNoRet adds and returns nothing")
{
    ah_test::buffer<float> sum(1);
    add_silently<<<3, 100>>>(sum.device());
    CHECK_LAUNCH();
    CHECK_EQ(sum.read()[0], 150.0f);
}

__global__ void add_to(float *unsafe, float *safe, float *old)
{
    old[0] = unsafeAtomicAdd(unsafe, 1.0f);
    old[1] = safeAtomicAdd(safe, 1.0f);
}
// What adding 1 to 2 leaves in host memory that was made with flags, and gives back.
static std::vector<float> added(unsigned flags)
{
    float *words = nullptr;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&words), 2 * sizeof *words, flags));
    words[0] = words[1] = 2.0f;
    ah_test::buffer<float> old(2);
    add_to<<<1, 1>>>(words, words + 1, old.device());
    CHECK_LAUNCH();
    std::vector<float> result = {words[0], old.read()[0], words[1], old.read()[1]};
    CHECK_HIP(hipHostFree(words));
    return result;
}
TEST("unsafe float atomics do nothing to fine-grained memory of gfx90a, and safe ones add")
{
    const std::vector<float> both = {3.0f, 2.0f, 3.0f, 2.0f}, safe = {2.0f, 0.0f, 3.0f, 2.0f};
    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    CHECK(added(hipHostMallocNonCoherent) == both);
    std::vector<float> fine = added(hipHostMallocCoherent);
    CHECK_EQ(fine[2], 3.0f);
    CHECK_EQ(fine[3], 2.0f);
    if (std::strncmp(p.gcnArchName, "gfx90a", 6) == 0)
        CHECK(fine == safe);
}

struct alignas(8) complex_number {
    float re, im;
};

/* Classes of eight bytes are exchanged as a whole. */
__global__ void exchange_classes(complex_number *word, complex_number *out)
{
    complex_number next = {3, 4}, last = {5, 6}, seen = last, stored = {7, 8};
    out[0] = __hip_atomic_exchange(word, next, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    out[1] = __hip_atomic_exchange(word, last, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    __hip_atomic_compare_exchange_strong(word, &seen, stored, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __HIP_MEMORY_SCOPE_AGENT);
    out[2] = *word;
}

static void check_exchange_of_classes()
{
    std::vector<complex_number> one(1, {1, 2});
    ah_test::buffer<complex_number> word(one), out(3);
    exchange_classes<<<1, 1>>>(word.device(), out.device());
    CHECK_LAUNCH();
    std::vector<complex_number> seen = out.read();
    const float want[3][2] = {{1, 2}, {3, 4}, {7, 8}};
    for (int i = 0; i < 3; ++i)
        CHECK(seen[i].re == want[i][0] && seen[i].im == want[i][1]);
}

TEST("the __hip_atomic_ builtins work in every order and scope")
{
    CHECK_OPERATION(hip_add, int, plus);
    CHECK_OPERATION(hip_add, float, plus);
    CHECK_OPERATION(hip_add, unsigned long long, plus);
    CHECK_OPERATION(hip_sub, int, minus);
    CHECK_OPERATION(hip_sub, unsigned long long, minus);
    CHECK_OPERATION(hip_cas, unsigned int, swapped);
    CHECK_OPERATION(hip_cas, long long, swapped);
    CHECK_OPERATION(hip_weak, int, swapped);
    CHECK_OPERATION(hip_weak, unsigned long long, swapped);
    CHECK_OPERATION(hip_max, int, larger);
    CHECK_OPERATION(hip_max, unsigned int, larger);
    CHECK_OPERATION(hip_min, long long, smaller);
    CHECK_OPERATION(hip_min, double, smaller);
    CHECK_OPERATION(hip_exchange, int, second);
    CHECK_OPERATION(hip_exchange, double, second);
    CHECK_OPERATION(hip_and, unsigned int, both);
    CHECK_OPERATION(hip_or, int, either);
    CHECK_OPERATION(hip_xor, unsigned long long, one_of);
    check_exchange_of_classes();
}

// ---- many threads on one word ----

template <typename T> __global__ void take_numbers(T *counter, T *taken)
{
    taken[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, T(1));
}

template <typename T> void check_numbers()
{
    const int blocks = 20, threads = 128, n = blocks * threads;
    ah_test::buffer<T> counter(1), taken(n);
    take_numbers<<<blocks, threads>>>(counter.device(), taken.device());
    CHECK_LAUNCH();
    CHECK_EQ(counter.read()[0], T(n));
    std::vector<T> v = taken.read();
    std::sort(v.begin(), v.end());
    for (int i = 0; i < n; ++i)
        CHECK_EQ(v[i], T(i));
}

TEST("no two threads get the same number from atomicAdd")
{
    check_numbers<int>();
    check_numbers<unsigned long long>();
    check_numbers<float>();
    check_numbers<double>();
}

__global__ void contend(int *sum, unsigned *all, unsigned *one, int *most, int *least, float *fmost,
                        float *fleast, unsigned *ring, unsigned long long *product)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicSub(sum, i);
    atomicAnd(all, ~(1u << (i % 32)));
    atomicXor(one, 1u << (i % 31));
    atomicMax(most, (i * 7919) % 10007);
    atomicMin(least, (i * 7919) % 10007 - 5000);
    atomicMax(fmost, -1.0f / (1 + i));
    atomicMin(fleast, 1.0f / (1 + i) - 0.5f);
    atomicInc(ring, 99);
    unsigned long long seen = *product, now;
    do { /* any function by compare and swap */
        now = seen;
        seen = atomicCAS(product, now, now * 3 + (i & 1) * 0);
    } while (seen != now);
}

TEST("words stay whole under contention")
{
    const int n = 4096;
    ah_test::buffer<int> sum({0}), most({-1}), least({1 << 30});
    ah_test::buffer<unsigned> all({~0u}), one({0}), ring({0});
    ah_test::buffer<float> fmost({-1e30f}), fleast({1e30f});
    ah_test::buffer<unsigned long long> product({1});
    contend<<<n / 256, 256>>>(sum.device(), all.device(), one.device(), most.device(),
                              least.device(), fmost.device(), fleast.device(), ring.device(),
                              product.device());
    CHECK_LAUNCH();
    CHECK_EQ(sum.read()[0], -(n * (n - 1) / 2));
    CHECK_EQ(all.read()[0], 0u);
    unsigned bits = 0, want_ring = 0;
    int want_most = -1, want_least = 1 << 30;
    unsigned long long want_product = 1;
    for (int i = 0; i < n; ++i) {
        bits ^= 1u << (i % 31);
        want_most = std::max(want_most, (i * 7919) % 10007);
        want_least = std::min(want_least, (i * 7919) % 10007 - 5000);
        want_ring = want_ring >= 99 ? 0 : want_ring + 1;
        want_product *= 3;
    }
    CHECK_EQ(one.read()[0], bits);
    CHECK_EQ(most.read()[0], want_most);
    CHECK_EQ(least.read()[0], want_least);
    CHECK_EQ(fmost.read()[0], -1.0f / n);
    CHECK_EQ(fleast.read()[0], 1.0f / n - 0.5f);
    CHECK_EQ(ring.read()[0], want_ring);
    CHECK_EQ(product.read()[0], want_product);
}

__global__ void histogram(const unsigned char *in, int n, unsigned *out)
{
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&out[i], bins[i]);
}

TEST("a histogram counts every byte, in shared and then in global memory")
{
    std::mt19937 random(5);
    std::vector<unsigned char> bytes(20000);
    std::vector<unsigned> want(256);
    for (unsigned char &b : bytes)
        ++want[b = static_cast<unsigned char>(random() % 256 * (random() % 2))];
    ah_test::buffer<unsigned char> in(bytes);
    ah_test::buffer<unsigned> out(256);
    histogram<<<6, 192>>>(in.device(), static_cast<int>(bytes.size()), out.device());
    CHECK_LAUNCH();
    CHECK(out.read() == want);
}

// ---- between blocks, with order ----

__global__ void hand_over(int *data, int *flag, int *seen)
{
    // every block waits for its turn, adds to the data, and passes the turn on
    if (threadIdx.x != 0)
        return;
    int me = static_cast<int>(blockIdx.x);
    while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != me)
        __nanosleep(20);
    seen[me] = *data;
    *data = *data + me + 1;
    __hip_atomic_store(flag, me + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

TEST("acquire and release hand memory from block to block")
{
    const int blocks = 8; /* few enough to be resident together */
    ah_test::buffer<int> data(1), flag(1), seen(blocks);
    hand_over<<<blocks, 32>>>(data.device(), flag.device(), seen.device());
    CHECK_LAUNCH();
    for (int i = 0; i < blocks; ++i)
        CHECK_EQ(seen.read()[i], i * (i + 1) / 2);
    CHECK_EQ(data.read()[0], blocks * (blocks + 1) / 2);
}

HIP_TEST_MAIN
