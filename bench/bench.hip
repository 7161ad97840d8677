// What a HIP call costs, against the same through the raw driver and through NVIDIA's own
// runtime, in one process and interleaved, so that all see the same machine. A figure is the
// median over many rounds of the mean over a batch, a ratio the median of the rounds' ratios: a
// machine's speed drifts by more than what is measured. The rounds take the ways in every order,
// since each finds in the caches what the one before it has left there. The first row compares the
// raw driver with itself: its distance from 1 is what the others' may be without a cause. No figure
// is a pass or a failure.
//
//   bench              the table of calls
//   bench --footprint  what the library adds to a process: load time and resident memory
//
// The comparison with cudart needs libbench_cudart.so beside this program, which is made from
// bench_cudart.cu where there is an nvcc; without it that column is empty.
#include "bench.h"
#include "../examples/check.h"

#include <hip/anyhip.h>
#include <hip/hip_runtime.h>

#include <dlfcn.h>
#include <sys/wait.h>
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

double now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

// The driver's functions that are measured, without its headers.
struct Driver {
    int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, void *, void **, void **);
    int (*cuMemcpyAsync)(uint64_t, uint64_t, size_t, void *);
    int (*cuEventRecord)(void *, void *);
    int (*cuStreamQuery)(void *);
    int (*cuMemAlloc)(uint64_t *, size_t);
    int (*cuMemFree)(uint64_t);
    int (*cuCtxGetDevice)(int *);
    int (*cuStreamSynchronize)(void *);

    bool open()
    {
        void *library = dlopen("libcuda.so.1", RTLD_NOW);
        auto bind = [&](auto &pointer, const char *name) {
            pointer = library
                          ? reinterpret_cast<std::decay_t<decltype(pointer)>>(dlsym(library, name))
                          : nullptr;
            return pointer != nullptr;
        };
        return bind(cuLaunchKernel, "cuLaunchKernel") && bind(cuMemcpyAsync, "cuMemcpyAsync") &&
               bind(cuEventRecord, "cuEventRecord") && bind(cuStreamQuery, "cuStreamQuery") &&
               bind(cuMemAlloc, "cuMemAlloc_v2") && bind(cuMemFree, "cuMemFree_v2") &&
               bind(cuCtxGetDevice, "cuCtxGetDevice") &&
               bind(cuStreamSynchronize, "cuStreamSynchronize");
    }
};

// One row: the same call three ways. An empty function is a column without a figure.
struct Case {
    const char *name;
    int batch;
    std::function<void()> hip, raw, cudart;
};

double time_batch(const std::function<void()> &call, int batch, const std::function<void()> &settle)
{
    const double start = now_ns();
    for (int i = 0; i < batch; i++)
        call();
    const double each = (now_ns() - start) / batch;
    settle();
    return each;
}

double median(std::vector<double> &values)
{
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

void measure(const Case &row, const std::function<void()> &settle)
{
    const int rounds = 300;
    const std::function<void()> *ways[] = {&row.hip, &row.raw, &row.cudart};
    std::vector<double> samples[3];
    double result[3] = {0, 0, 0};
    int order[] = {0, 1, 2};
    for (int round = -12; round < rounds; round++) { // the first rounds warm up
        std::next_permutation(std::begin(order), std::end(order));
        for (int way : order) {
            if (!*ways[way])
                continue;
            const double each = time_batch(*ways[way], row.batch, settle);
            if (round >= 0)
                samples[way].push_back(each);
        }
    }
    for (int way = 0; way < 3; way++) {
        std::vector<double> sorted = samples[way];
        result[way] = sorted.empty() ? 0 : median(sorted);
    }
    auto ratio = [&](int way) {
        char text[32] = "-";
        std::vector<double> ratios;
        for (size_t i = 0; i < samples[way].size(); i++)
            if (samples[way][i] > 0)
                ratios.push_back(samples[0][i] / samples[way][i]);
        if (result[way] > 0)
            snprintf(text, sizeof text, "%.3f", median(ratios));
        return std::string(text);
    };
    printf("%-27s %10.1f %12.1f %12.1f %10s %10s\n", row.name, result[0], result[1], result[2],
           ratio(1).c_str(), ratio(2).c_str());
}

const bench_cudart *open_cudart(const char *program)
{
    std::string path(program);
    path = path.substr(0, path.rfind('/') + 1) + "libbench_cudart.so";
    void *library = dlopen(path.c_str(), RTLD_NOW);
    auto get =
        library
            ? reinterpret_cast<const bench_cudart *(*)()>(dlsym(library, "bench_cudart_functions"))
            : nullptr;
    if (!get)
        printf("(no comparison with cudart: %s)\n", dlerror());
    return get ? get() : nullptr;
}

void calls(const char *program)
{
    Driver driver;
    if (!driver.open()) {
        printf("there is no libcuda.so.1 to compare with\n");
        exit(77);
    }
    const bench_cudart *cudart = open_cudart(program);
    print_device();

    hipStream_t stream;
    hipEvent_t event;
    hipFunction_t function;
    char *a, *b;
    HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    HIP_CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    HIP_CHECK(hipMalloc(&a, 1 << 20));
    HIP_CHECK(hipMalloc(&b, 1 << 20));
    HIP_CHECK(hipGetFuncBySymbol(&function, reinterpret_cast<const void *>(empty)));

    void *native_stream;
    uint64_t native_event, native_function;
    HIP_CHECK(anyhipStreamGetNative(stream, &native_stream));
    HIP_CHECK(anyhipEventGetNative(event, &native_event));
    HIP_CHECK(anyhipFunctionGetNative(function, &native_function));
    void *raw_event = reinterpret_cast<void *>(native_event);
    void *raw_function = reinterpret_cast<void *>(native_function);

    unsigned long long *argument = nullptr;
    void *arguments[] = {&argument};
    int device;
    const uint64_t raw_a = reinterpret_cast<uint64_t>(a), raw_b = reinterpret_cast<uint64_t>(b);
    const auto settle = [&] { driver.cuStreamSynchronize(native_stream); };
    const auto nothing = [] {};
    const std::function<void()> none;

    const auto raw_launch = [&] {
        driver.cuLaunchKernel(raw_function, 1, 1, 1, 32, 1, 1, 0, native_stream, arguments,
                              nullptr);
    };

    const Case launch_cases[] = {
        {"raw driver, against itself", 200, raw_launch, raw_launch, none},
        {"hipLaunchKernel", 200,
         [&] {
             (void)hipLaunchKernel(reinterpret_cast<const void *>(empty), dim3(1), dim3(32),
                                   arguments, 0, stream);
         },
         raw_launch,
         cudart ? std::function<void()>([&] { cudart->launch(native_stream, arguments); }) : none},
        {"<<<>>>", 200, [&] { empty<<<1, 32, 0, stream>>>(nullptr); }, raw_launch,
         cudart ? std::function<void()>([&] { cudart->launch_chevron(native_stream); }) : none},
        {"hipModuleLaunchKernel", 200,
         [&] {
             (void)hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments,
                                         nullptr);
         },
         raw_launch, none},
        {"hipMemcpyAsync 4 KiB", 200,
         [&] { (void)hipMemcpyAsync(a, b, 4096, hipMemcpyDeviceToDevice, stream); },
         [&] { driver.cuMemcpyAsync(raw_a, raw_b, 4096, native_stream); },
         cudart ? std::function<void()>([&] { cudart->copy(a, b, 4096, native_stream); }) : none},
        {"hipEventRecord", 200, [&] { (void)hipEventRecord(event, stream); },
         [&] { driver.cuEventRecord(raw_event, native_stream); },
         cudart ? std::function<void()>([&] { cudart->record(raw_event, native_stream); }) : none},
        {"hipStreamQuery", 1000, [&] { (void)hipStreamQuery(stream); },
         [&] { driver.cuStreamQuery(native_stream); },
         cudart ? std::function<void()>([&] { cudart->query(native_stream); }) : none},
        {"hipMalloc + hipFree 1 MiB", 10,
         [&] {
             void *p;
             (void)hipMalloc(&p, 1 << 20);
             (void)hipFree(p);
         },
         [&] {
             uint64_t p;
             driver.cuMemAlloc(&p, 1 << 20);
             driver.cuMemFree(p);
         },
         cudart ? std::function<void()>([&] { cudart->alloc_free(1 << 20); }) : none},
    };
    const Case cheap_cases[] = {
        {"hipGetDevice", 10000, [&] { (void)hipGetDevice(&device); },
         [&] { driver.cuCtxGetDevice(&device); },
         cudart ? std::function<void()>([&] { cudart->get_device(&device); }) : none},
        {"hipGetLastError", 10000, [&] { (void)hipGetLastError(); }, none,
         cudart ? std::function<void()>([&] { cudart->get_last_error(); }) : none},
    };
    printf("%-27s %10s %12s %12s %10s %10s\n", "median ns per call", "HIP", "raw driver", "cudart",
           "HIP/raw", "HIP/cudart");
    for (const Case &row : launch_cases)
        measure(row, settle);
    for (const Case &row : cheap_cases)
        measure(row, nothing);
    // The last two are shorter than a call through std::function: without it.
    double best = 1e9, best_error = 1e9;
    for (int round = 0; round < 50; round++) {
        double start = now_ns();
        for (int i = 0; i < 100000; i++)
            (void)hipGetDevice(&device);
        best = std::min(best, (now_ns() - start) / 100000);
        start = now_ns();
        for (int i = 0; i < 100000; i++)
            (void)hipGetLastError();
        best_error = std::min(best_error, (now_ns() - start) / 100000);
    }
    printf("in a plain loop: hipGetDevice %.2f ns, hipGetLastError %.2f ns\n", best, best_error);
}

// ---- footprint

long resident_kib()
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmRSS: %ld", &kib);
    if (file)
        fclose(file);
    return kib;
}

// The driver alone: initialised, a context, a small allocation.
int resident_raw()
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto symbol = [&](const char *name) { return library ? dlsym(library, name) : nullptr; };
    auto init = reinterpret_cast<int (*)(unsigned)>(symbol("cuInit"));
    auto retain = reinterpret_cast<int (*)(void **, int)>(symbol("cuDevicePrimaryCtxRetain"));
    auto current = reinterpret_cast<int (*)(void *)>(symbol("cuCtxSetCurrent"));
    auto alloc = reinterpret_cast<int (*)(uint64_t *, size_t)>(symbol("cuMemAlloc_v2"));
    void *context;
    uint64_t memory;
    if (!init || init(0) != 0 || retain(&context, 0) != 0 || current(context) != 0 ||
        alloc(&memory, 4096) != 0)
        return 1;
    printf("%ld\n", resident_kib());
    return 0;
}

int resident_hip()
{
    void *memory;
    HIP_CHECK(hipMalloc(&memory, 4096));
    printf("%ld\n", resident_kib());
    return 0;
}

// What a program prints as its only number; 0 if it does not.
double output_of(const std::string &program, const std::string &argument)
{
    int ends[2];
    double number = 0;
    if (pipe(ends) != 0)
        return 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        execl(program.c_str(), program.c_str(), argument.c_str(), static_cast<char *>(nullptr));
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

// Each figure in processes of their own: this one has the library and no driver yet.
void footprint(const std::string &program)
{
    Dl_info info;
    const std::string folder = program.substr(0, program.rfind('/') + 1);
    if (!dladdr(reinterpret_cast<void *>(&hipGetDevice), &info))
        return;
    std::vector<double> times;
    for (int i = 0; i < 20; i++)
        times.push_back(output_of(folder + "bench_load", info.dli_fname));
    printf("loading the library          %8.1f us (median of %zu processes)\n", median(times),
           times.size());
    const double raw = output_of(program, "--resident-raw");
    const double hip = output_of(program, "--resident-hip");
    if (raw > 0 && hip > 0)
        printf("resident beyond the driver   %8.0f KiB (%.0f KiB with HIP, %.0f KiB without)\n",
               hip - raw, hip, raw);
}

} // namespace

int main(int argc, char **argv)
{
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "--resident-raw")
        return resident_raw();
    if (mode == "--resident-hip")
        return resident_hip();
    if (mode == "--footprint")
        footprint(argv[0]);
    else
        calls(argv[0]);
    return 0;
}
