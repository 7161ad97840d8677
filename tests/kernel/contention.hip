// Atomic functions when all threads of many blocks access the same words, in global and in
// shared memory, for every type.
#include "../support/hip_test.h"

enum { words = 3, blocks = 24, threads = 128, all = blocks * threads };

template <typename T> struct results {
    T added[words], subtracted[words], least[words], most[words], swapped[words], exchanged[words];
    T both, either, one;
    unsigned int up, down;
};

/* Every thread brings its number, i + 1, to each word. */
template <typename T> __device__ void contend(results<T> *r, int i)
{
    T mine = static_cast<T>(i + 1);
    int w = i % words;
    atomicAdd(&r->added[w], mine);
    atomicSub(&r->subtracted[w], T(1));
    atomicMin(&r->least[w], mine);
    atomicMax(&r->most[w], mine);
    T seen = r->swapped[w], before;
    do {
        before = seen;
        seen = atomicCAS(&r->swapped[w], before, static_cast<T>(before + T(2)));
    } while (seen != before);
    /* each number is handed on: what is left and what was taken add up to all */
    T taken = atomicExch(&r->exchanged[w], mine);
    atomicAdd(&r->added[w], taken);
    if constexpr (std::is_integral_v<T>) {
        atomicAnd(&r->both, static_cast<T>(~(T(1) << i % 31)));
        atomicOr(&r->either, static_cast<T>(T(1) << i % 31));
        atomicXor(&r->one, static_cast<T>(T(1) << i % 7));
    }
    atomicInc(&r->up, 99);
    atomicDec(&r->down, 99);
}
template <typename T> __global__ void meet_in_global(results<T> *r)
{
    contend(r, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
}
template <typename T> __global__ void meet_in_shared(results<T> *r)
{
    __shared__ results<T> shared;
    if (threadIdx.x == 0)
        shared = *r;
    __syncthreads();
    for (int k = 0; k < blocks; ++k)
        contend(&shared, static_cast<int>(k * blockDim.x + threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0)
        *r = shared;
}

template <typename T> void check(const char *type)
{
    results<T> start = {};
    for (int w = 0; w < words; ++w)
        start.least[w] = T(all + 10);
    if constexpr (std::is_integral_v<T>)
        start.both = static_cast<T>(~T(0));
    for (bool shared : {false, true}) {
        ah_test::buffer<results<T>> out({start});
        if (shared)
            meet_in_shared<T><<<1, threads>>>(out.device());
        else
            meet_in_global<T><<<blocks, threads>>>(out.device());
        CHECK_LAUNCH();
        const results<T> &r = out.read()[0];
        for (int w = 0; w < words; ++w) {
            long long count = 0, sum = 0;
            for (int i = w; i < all; i += words)
                ++count, sum += i + 1;
            auto is = [](T a, long long b) { return a == static_cast<T>(b); };
            CHECK_CASE(is(r.added[w] + r.exchanged[w], 2 * sum), "%s, added, word %d", type, w);
            CHECK_CASE(is(r.subtracted[w], -count), "%s, subtracted, word %d", type, w);
            CHECK_CASE(is(r.least[w], w + 1), "%s, least, word %d", type, w);
            CHECK_CASE(is(r.most[w], w + 1 + (count - 1) * words), "%s, most, word %d", type, w);
            CHECK_CASE(is(r.swapped[w], 2 * count), "%s, swapped, word %d", type, w);
        }
        if constexpr (std::is_integral_v<T>) {
            T one = 0;
            for (int i = 0; i < all; ++i)
                one ^= T(1) << i % 7;
            CHECK_CASE(r.both == static_cast<T>(~T(0x7fffffff)), "%s, and", type);
            CHECK_CASE(r.either == T(0x7fffffff) && r.one == one, "%s, or, xor", type);
        }
        CHECK_EQ(r.up, static_cast<unsigned>(all % 100));
        CHECK_EQ(r.down, static_cast<unsigned>((100 - all % 100) % 100));
    }
}
TEST("every function and type is right under contention")
{
    check<int>("int"), check<unsigned>("unsigned");
    check<unsigned long>("unsigned long"), check<long long>("long long");
    check<unsigned long long>("unsigned long long");
    check<float>("float"), check<double>("double");
}

HIP_TEST_MAIN
