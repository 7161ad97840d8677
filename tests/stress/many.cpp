// Many streams, many events and many allocations: everything works, and nothing is left of it. Each
// is done twice; what the process holds after the second time is what it held after the first.
#include "stress.h"

#include <cstring>
#include <dirent.h>
#include <fstream>
#include <malloc.h>
#include <string>
#include <vector>

namespace
{

struct held { // by the process
    long kilobytes, files, threads;
};

long entries(const char *folder)
{
    long count = 0;
    DIR *open = opendir(folder);
    CHECK(open);
    while (readdir(open))
        count++;
    closedir(open);
    return count;
}

long resident_kilobytes()
{
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line))
        if (line.rfind("VmRSS:", 0) == 0)
            return std::atol(line.c_str() + std::strlen("VmRSS:"));
    return -1;
}

held measure()
{
    malloc_trim(0);
    return {resident_kilobytes(), entries("/proc/self/fd"), entries("/proc/self/task")};
}

void show(const char *what, int count, double seconds, const held &h)
{
    std::printf("%s: %d in %.2f s; then %ld KiB, %ld files, %ld threads\n", what, count, seconds,
                h.kilobytes, h.files, h.threads);
    std::fflush(stdout);
}

// Threads end a little after what they worked for, but for a simulated device's own, one for each
// processor at most. A hang here is ended by the test's time limit.
template <typename T> void twice(const char *what, int count, const T &once)
{
    enum { TOLERANCE_KILOBYTES = 8 << 10, TOLERANCE_THREADS = 8 };
    const held before = measure();
    const long threads = before.threads + TOLERANCE_THREADS + sysconf(_SC_NPROCESSORS_CONF);
    held first{}, second{};
    for (held *after : {&first, &second}) {
        const auto start = std::chrono::steady_clock::now();
        once(count);
        CHECK_HIP(hipDeviceSynchronize());
        *after = measure();
        while (after->threads > threads)
            usleep(1000), *after = measure();
        show(what, count, seconds_since(start), *after);
    }
    CHECK(second.files <= first.files);
    CHECK(second.kilobytes <= first.kilobytes + TOLERANCE_KILOBYTES);
}

} // namespace

int run_many(const kernel_library &kernels, int streams, int events, int allocations)
{
    int *counter = device_memory<int>(1), added = 0, counted = -1;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    twice("streams", streams, [&](int count) {
        std::vector<hipStream_t> all(static_cast<size_t>(count));
        for (hipStream_t &one : all) {
            CHECK_HIP(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
            CHECK_HIP(kernels.add(counter, 1, one));
            added++;
        }
        for (hipStream_t one : all)
            CHECK_HIP(hipStreamSynchronize(one));
        for (hipStream_t one : all)
            CHECK_HIP(hipStreamDestroy(one));
    });
    twice("events", events, [&](int count) {
        std::vector<hipEvent_t> all(static_cast<size_t>(count));
        for (hipEvent_t &one : all) {
            CHECK_HIP(hipEventCreate(&one));
            CHECK_HIP(hipEventRecord(one, stream));
        }
        CHECK_HIP(hipStreamSynchronize(stream));
        for (hipEvent_t one : all)
            CHECK_HIP(hipEventQuery(one));
        for (hipEvent_t one : all)
            CHECK_HIP(hipEventDestroy(one));
    });
    twice("allocations", allocations, [&](int count) {
        enum { ALIVE = 64 };
        void *all[ALIVE] = {};
        random_numbers random(1);
        for (int i = 0; i < count; i++) {
            CHECK_HIP(hipFree(all[i % ALIVE]));
            CHECK_HIP(hipMalloc(&all[i % ALIVE], 1 + static_cast<size_t>(random.below(1 << 16))));
        }
        for (void *one : all)
            CHECK_HIP(hipFree(one));
    });
    twice("allocations from the pool", allocations, [&](int count) {
        random_numbers random(2);
        for (int i = 0; i < count; i++) {
            void *p;
            CHECK_HIP(hipMallocAsync(&p, 1 + static_cast<size_t>(random.below(1 << 16)), stream));
            CHECK_HIP(hipFreeAsync(p, stream));
            if (i % 256 == 255) // what is queued takes memory as well
                CHECK_HIP(hipStreamSynchronize(stream));
        }
        CHECK_HIP(hipStreamSynchronize(stream));
    });
    CHECK_HIP(hipMemcpy(&counted, counter, sizeof counted, hipMemcpyDeviceToHost));
    CHECK(counted == added);
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipFree(counter));
    return 0;
}
