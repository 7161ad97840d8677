// A child of a process whose threads are busy with the device, made while the log is on. Every
// function that needs the driver returns hipErrorNotInitialized there, at once; exit, _exit and
// exec work; the parent does not notice.
//     process_fork [number of children]
// Prints the longest time that a child took. A child that hangs is ended by an alarm, and fails.
#include "../support/device.h"
#include "check.h"
#include "kernels.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace
{

enum { BUSY_THREADS = 4, HANG_SECONDS = 60 };

const char *const exported[] = {
#define AH_API(node, name, type, parameters) #name,
#define AH_API_ALIAS(node, symbol, name)     /* the same function */
#include "api.def"
};

// These need no driver and do their work in a child too, or are no functions of the API.
const char *const others[] = {
    "hipGetErrorName",
    "hipGetErrorString",
    "hipDrvGetErrorName",
    "hipDrvGetErrorString",
    "hipGetLastError",
    "hipPeekAtLastError",
    "hipExtGetLastError",
    "hipCreateChannelDesc",
    "hipApiName",
    "hipGetCmdName",
    "hipKernelNameRef",
    "hipKernelNameRefByPtr",
    "hipRegisterTracerCallback",
    "hipRegisterApiCallback",
    "hipRemoveApiCallback",
    "hipRegisterActivityCallback",
    "hipRemoveActivityCallback",
    "hipInitActivityCallback",
    "hipEnableActivityCallback",
    "hipGetStreamDeviceId",
};

bool is_call(const char *name)
{
    for (const char *other : others)
        if (std::strcmp(name, other) == 0)
            return false;
    return std::strncmp(name, "hip", 3) == 0 && std::strncmp(name, "hiprtc", 6) != 0;
}

// Null and 0 for every argument: the functions must not look at them.
hipError_t call(void *function)
{
    using any = hipError_t (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                               uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                               uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    return reinterpret_cast<any>(function)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

void check_calls(const kernel_library &kernels, int *memory)
{
    int count = 0;
    for (const char *name : exported) {
        if (!is_call(name))
            continue;
        const hipError_t error = call(dlsym(RTLD_DEFAULT, name));
        if (error != hipErrorNotInitialized)
            dprintf(STDOUT_FILENO, "%s: %s\n", name, hipGetErrorName(error));
        CHECK(error == hipErrorNotInitialized);
        count++;
    }
    CHECK(count > 400);
    CHECK_RESULT(hipGetLastError(), hipErrorNotInitialized);
    CHECK_RESULT(hipGetLastError(), hipSuccess);
    CHECK_RESULT(kernels.set(memory, 1, nullptr), hipErrorNotInitialized);
    CHECK(hipGetStreamDeviceId(nullptr) == -1);
    CHECK(std::strcmp(hipGetErrorString(hipErrorNotInitialized), "initialization error") == 0);
    hipChannelFormatDesc words = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindSigned);
    CHECK(words.x == 32);
}

[[noreturn]] void child(int number, const kernel_library &kernels, int *memory, char **argv)
{
    alarm(HANG_SECONDS);
    check_calls(kernels, memory);
    if (number % 3 == 0)
        dlclose(kernels.handle); // gives its kernels back
    if (number % 4 == 0)
        open_kernels(); // registers them once more
    if (number % 50 == 0) {
        char *arguments[] = {argv[0], const_cast<char *>("afresh"), nullptr};
        execv("/proc/self/exe", arguments);
        _exit(3);
    }
    if (number % 2 == 0)
        std::exit(0);
    _exit(0);
}

// ---- the parent's threads ----------------------------------------------------------------------

std::atomic<bool> stop{false};

void work_once(const kernel_library &kernels, int *counter, hipStream_t stream)
{
    int *more;
    hipEvent_t event;
    hipStream_t another;
    hipDeviceProp_t properties;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&more), 4096));
    CHECK_HIP(hipMemsetAsync(more, 1, 4096, stream));
    CHECK_HIP(kernels.add(counter, 1, stream));
    CHECK_HIP(hipEventCreate(&event));
    CHECK_HIP(hipEventRecord(event, stream));
    CHECK_HIP(hipStreamCreate(&another));
    CHECK_HIP(hipStreamWaitEvent(another, event, 0));
    CHECK_HIP(hipStreamSynchronize(another));
    CHECK_HIP(hipStreamDestroy(another));
    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipFree(more));
}

void busy(const kernel_library &kernels)
{
    int *counter, rounds = 0, counted = -1;
    hipStream_t stream;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&counter), sizeof *counter));
    CHECK_HIP(hipMemset(counter, 0, sizeof *counter));
    CHECK_HIP(hipStreamCreate(&stream));
    while (!stop) {
        work_once(kernels, counter, stream);
        rounds++;
    }
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipMemcpy(&counted, counter, sizeof counted, hipMemcpyDeviceToHost));
    CHECK(rounds > 0 && counted == rounds);
    CHECK_HIP(hipFree(counter));
    CHECK_HIP(hipStreamDestroy(stream));
}

// In a process that exec made, which has a device of its own.
int afresh()
{
    kernel_library kernels = open_kernels();
    int *p, value = 0;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&p), sizeof *p));
    CHECK_HIP(kernels.set(p, 42, nullptr));
    CHECK_HIP(hipMemcpy(&value, p, sizeof value, hipMemcpyDeviceToHost));
    return value == 42 ? 0 : 4;
}

// The log at its loudest, to a file of no name.
void turn_log_on()
{
    FILE *log = std::tmpfile();
    CHECK(log && dup2(fileno(log), STDERR_FILENO) == STDERR_FILENO);
    setenv("AMD_LOG_LEVEL", "5", 1);
}

} // namespace

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;
    turn_log_on();
    if (argc > 1 && std::strcmp(argv[1], "afresh") == 0)
        return afresh();
    const int children = argc > 1 ? std::atoi(argv[1]) : 200;
    if (int status = status_without_device())
        return status;
    const kernel_library kernels = open_kernels();
    int *memory;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&memory), sizeof *memory));
    std::vector<std::thread> threads;
    for (int i = 0; i < BUSY_THREADS; i++)
        threads.emplace_back([&] { busy(kernels); });
    double longest = 0;
    for (int i = 1; i <= children; i++) {
        const clock::time_point start = clock::now();
        const pid_t pid = fork();
        if (pid == 0)
            child(i, kernels, memory, argv);
        CHECK(pid > 0);
        const int status = end_of(pid);
        if (status != 0)
            std::printf("FAILED: child %d of %d ended with %d\n", i, children, status);
        CHECK((std::fflush(stdout), status == 0));
        const double took = std::chrono::duration<double>(clock::now() - start).count();
        if (i % 50 != 0) // exec, and a new device
            longest = took > longest ? took : longest;
    }
    stop = true;
    for (std::thread &thread : threads)
        thread.join();
    CHECK_HIP(hipFree(memory));
    std::printf("%d children, the slowest took %.3f s\n", children, longest);
    return 0;
}
