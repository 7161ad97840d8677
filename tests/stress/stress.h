// What the modes of the stress program share.
#ifndef AH_TESTS_STRESS_H
#define AH_TESTS_STRESS_H

#include "../process/check.h"
#include "../process/kernels.h"

#include <chrono>
#include <cstdint>

/// Numbers from a seed, the same on every machine.
struct random_numbers {
    uint64_t state;
    explicit random_numbers(uint64_t seed) : state(seed * 2 + 1) {}
    uint64_t next()
    {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * UINT64_C(2685821657736338717) >> 16;
    }
    int below(int bound) { return static_cast<int>(next() % static_cast<uint64_t>(bound)); }
    bool one_in(int n) { return below(n) == 0; }
};

inline double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Memory as the type that it is for.
template <typename T> T *device_memory(size_t count)
{
    void *p;
    CHECK_HIP(hipMalloc(&p, count * sizeof(T)));
    CHECK_HIP(hipMemset(p, 0, count * sizeof(T)));
    CHECK_HIP(hipDeviceSynchronize());
    return static_cast<T *>(p);
}
template <typename T> T *pinned_memory(size_t count)
{
    void *p;
    CHECK_HIP(hipHostMalloc(&p, count * sizeof(T), hipHostMallocMapped | hipHostMallocCoherent));
    for (size_t i = 0; i < count; i++)
        static_cast<T *>(p)[i] = T();
    return static_cast<T *>(p);
}

// The modes: 0, or they end the program.
int run_threads(const kernel_library &kernels, double seconds, int threads);
int run_order(const kernel_library &kernels, double seconds, uint64_t seed);
int run_many(const kernel_library &kernels, int streams, int events, int allocations);

#endif
