// The library under load, in one of three modes:
//
//     stress threads [seconds [threads]]      64 threads share streams, events, pools and modules
//     stress order [seconds [seed]]           random schedules against a model of stream order;
//                                             0 seconds: the one schedule of that seed
//     stress many [streams [events [allocations]]]
//                                             many objects, and nothing is left of them
//
// CI runs each for some seconds. By hand, the numbers of docs/reliability.md are those of
// `threads 600`, `order 600` and `many 10000 100000 1000000`; under ThreadSanitizer as
// CONTRIBUTING.md runs a program on the libraries of another tree, with
// TSAN_OPTIONS=suppressions=tests/support/tsan.supp.
#include "../support/device.h"
#include "stress.h"

#include <cstring>
#include <ctime>

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const auto number = [&](int i, double otherwise) {
        return argc > i ? std::atof(argv[i]) : otherwise;
    };
    if (int status = status_without_device())
        return status;
    const kernel_library kernels = open_kernels();
    if (std::strcmp(mode, "threads") == 0)
        return run_threads(kernels, number(2, 3), static_cast<int>(number(3, 64)));
    if (std::strcmp(mode, "order") == 0)
        return run_order(kernels, number(2, 3),
                         static_cast<uint64_t>(number(3, static_cast<double>(std::time(nullptr)))));
    if (std::strcmp(mode, "many") == 0)
        return run_many(kernels, static_cast<int>(number(2, 300)),
                        static_cast<int>(number(3, 3000)), static_cast<int>(number(4, 30000)));
    std::printf("usage: stress threads|order|many [numbers]\n");
    return 2;
}
