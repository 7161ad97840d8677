// What a HIP call costs with and without a trace: ANYHIP_TRACE decides in the whole process, so
// that this starts itself, without and with a trace in turn, and prints the medians. A figure is
// the median over rounds of the mean over a batch; the host waits for the device between batches,
// which is not measured. No figure is a pass or a failure.
//
//   off     no trace
//   paused  a trace after hipProfilerStop
//   on      a trace
//
// usage: bench_trace [ROUNDS [FOLDER]]: the file is written there, /tmp by default.
#include "../examples/check.h"

#include <hip/hip_runtime.h>

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

__global__ void empty(unsigned long long *) {}

namespace
{

struct Case {
    const char *name;
    int batch;
    std::function<void()> call;
};

double now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

double median(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

hipGraphExec_t make_graph(hipStream_t stream)
{
    hipGraph_t graph;
    hipGraphExec_t exec;
    HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (int i = 0; i < 16; i++)
        empty<<<1, 1, 0, stream>>>(nullptr);
    HIP_CHECK(hipStreamEndCapture(stream, &graph));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphDestroy(graph));
    return exec;
}

double measure(const Case &row, int rounds)
{
    std::vector<double> samples;
    for (int round = -3; round < rounds; round++) {
        const double start = now_ns();
        for (int i = 0; i < row.batch; i++)
            row.call();
        const double each = (now_ns() - start) / row.batch;
        HIP_CHECK(hipDeviceSynchronize());
        if (round >= 0) // the first rounds warm up
            samples.push_back(each);
    }
    return median(samples);
}

// One line for each case: the figure, and with a trace that of a paused one before it.
int run_child(int rounds, bool traced)
{
    hipStream_t stream;
    hipEvent_t event;
    char *device, *host;
    int current;
    HIP_CHECK(hipStreamCreate(&stream));
    HIP_CHECK(hipEventCreate(&event));
    HIP_CHECK(hipMalloc(&device, 4096));
    HIP_CHECK(hipHostMalloc(&host, 4096, 0));
    hipGraphExec_t exec = make_graph(stream);
    const Case cases[] = {
        {"hipGetDevice", 1000, [&] { HIP_CHECK(hipGetDevice(&current)); }},
        {"hipLaunchKernel", 200, [&] { empty<<<1, 1, 0, stream>>>(nullptr); }},
        {"hipMemcpyAsync, 64 bytes", 200,
         [&] { HIP_CHECK(hipMemcpyAsync(device, host, 64, hipMemcpyHostToDevice, stream)); }},
        {"hipEventRecord", 200, [&] { HIP_CHECK(hipEventRecord(event, stream)); }},
        {"hipGraphLaunch, 16 kernels", 50, [&] { HIP_CHECK(hipGraphLaunch(exec, stream)); }},
    };
    for (const Case &row : cases) {
        double paused = 0;
        if (traced) {
            HIP_CHECK(hipProfilerStop());
            paused = measure(row, rounds);
            HIP_CHECK(hipProfilerStart());
        }
        printf("%s\t%f\t%f\n", row.name, measure(row, rounds), paused);
    }
    fflush(stdout);
    HIP_CHECK(hipGetLastError());
    return 0;
}

struct Figures {
    std::string name;
    std::vector<double> off, paused, on;
};

void start(const char *program, int rounds, const std::string &trace, std::vector<Figures> &all)
{
    char line[256], name[128];
    double figure, paused;
    size_t i = 0;
    const std::string command = (trace.empty() ? "" : "ANYHIP_TRACE='" + trace + "' ") + "'" +
                                program + "' --child " + std::to_string(rounds) +
                                (trace.empty() ? "" : " traced");
    FILE *child = popen(command.c_str(), "r");
    for (; child && fgets(line, sizeof line, child); i++) {
        if (sscanf(line, "%127[^\t]\t%lf\t%lf", name, &figure, &paused) != 3)
            break;
        if (all.size() <= i)
            all.push_back({name, {}, {}, {}});
        (trace.empty() ? all[i].off : all[i].on).push_back(figure);
        if (!trace.empty())
            all[i].paused.push_back(paused);
    }
    if (!child || pclose(child) != 0) {
        fprintf(stderr, "%s failed\n", command.c_str());
        exit(1);
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--child") == 0)
        return run_child(atoi(argv[2]), argc > 3);
    const int rounds = argc > 1 ? atoi(argv[1]) : 100, times = 5;
    const std::string file = std::string(argc > 2 ? argv[2] : "/tmp") + "/bench_trace.json";
    std::vector<Figures> all;
    struct stat about = {};
    for (int i = 0; i < times; i++) {
        start(argv[0], rounds, "", all);
        start(argv[0], rounds, file, all);
    }
    printf("%-27s %10s %10s %10s %12s\n", "ns", "off", "paused", "on", "on less off");
    for (const Figures &row : all)
        printf("%-27s %10.1f %10.1f %10.1f %12.1f\n", row.name.c_str(), median(row.off),
               median(row.paused), median(row.on), median(row.on) - median(row.off));
    if (stat(file.c_str(), &about) == 0)
        printf("the file: %.1f MB\n", about.st_size / 1e6);
    unlink(file.c_str());
    return 0;
}
