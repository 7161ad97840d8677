// Rates of simulated devices: how often a kernel's loop goes round in a second, with one thread
// of the host and with all of them.
#ifndef BENCH_SIM_RATE_H
#define BENCH_SIM_RATE_H

#include "../examples/check.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

namespace sim_rate
{

const unsigned blocks = 64, block = 256;

inline double seconds()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

inline double run_once(hipFunction_t function, void *memory, unsigned rounds)
{
    void *arguments[] = {&memory, &rounds};
    const double start = seconds();
    HIP_CHECK(
        hipModuleLaunchKernel(function, blocks, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    return seconds() - start;
}

// Rounds per second of the whole grid. A figure is the best of several runs: what else the
// machine does can only make it smaller.
inline double rounds_per_second(hipFunction_t function)
{
    void *memory;
    HIP_CHECK(hipMalloc(&memory, 1 << 17));
    HIP_CHECK(hipMemset(memory, 0, 1 << 17));
    unsigned rounds = 100;
    while (run_once(function, memory, rounds) < 0.3 && rounds < 1u << 28)
        rounds *= 2;
    double best = run_once(function, memory, rounds);
    for (int i = 0; i < 4; i++)
        best = std::min(best, run_once(function, memory, rounds));
    HIP_CHECK(hipFree(memory));
    return rounds / best;
}

// What a program prints as its rate, "--rate NAME", in a process of its own; 0 if it is not
// available.
inline double rate_with_threads(const char *name, unsigned threads)
{
    int ends[2];
    double number = 0;
    if (pipe(ends) != 0)
        return 0;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("ANYHIP_SIM_THREADS", std::to_string(threads).c_str(), 1);
        setenv("ANYHIP_SIM_JIT", "off", 0); // the interpreter is measured
        dup2(ends[1], 1);
        execl("/proc/self/exe", "/proc/self/exe", "--rate", name, static_cast<char *>(nullptr));
        _exit(1);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    if (!in || fscanf(in, "%lf", &number) != 1)
        number = 0;
    if (in)
        fclose(in);
    waitpid(child, nullptr, 0);
    return number;
}

inline void print_head(const char *what)
{
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    printf("%-12s %22s %14s %22s %8s\n", what, "1 thread, M wave i/s", "M lane i/s",
           (std::to_string(threads) + " threads, M wave i/s").c_str(), "scaling");
}

// A row of the table; false: there was no figure.
inline bool print_row(const char *name, unsigned lanes)
{
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    const double one = rate_with_threads(name, 1), all = rate_with_threads(name, threads);
    printf("%-12s %22.1f %14.0f %22.1f %8.2f\n", name, one / 1e6, one * lanes / 1e6, all / 1e6,
           one > 0 ? all / one : 0.0);
    return one > 0 && all > 0;
}

} // namespace sim_rate

#endif
