// The beginning and the end of a process: objects that live before and after main, a child
// made by fork, an exit with work in flight.
//     process | process fork | process exit | process late
#include "../support/device.h"

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void set(int *p, int value)
{
    *p = value;
}
__global__ void spin(int *never, long long ticks)
{
    const long long start = wall_clock64();
    while (wall_clock64() - start < ticks && *static_cast<volatile int *>(never) == 0) {
    }
}

static int run_kernel()
{
    int *p = nullptr, value = 0;
    if (hipMalloc(&p, sizeof *p) != hipSuccess)
        return -1;
    set<<<1, 1>>>(p, 42);
    if (hipMemcpy(&value, p, sizeof value, hipMemcpyDeviceToHost) != hipSuccess)
        return -2;
    return hipFree(p) == hipSuccess ? value : -3;
}

// Uses the device before main begins and after it has returned. Before main the kernels of this
// file may not be registered yet, since clang registers them after its statics are made.
struct early_and_late {
    int *memory = nullptr;
    hipStream_t stream = nullptr;
    int before = 0;
    bool wanted;
    early_and_late() : wanted(std::getenv("PROCESS_NO_STATICS") == nullptr)
    {
        int devices = 0;
        if (!wanted || hipGetDeviceCount(&devices) != hipSuccess || devices == 0)
            return;
        if (hipMalloc(&memory, 100) != hipSuccess || hipStreamCreate(&stream) != hipSuccess ||
            hipMemsetAsync(memory, 42, 100, stream) != hipSuccess ||
            hipMemcpyAsync(&before, memory, 1, hipMemcpyDeviceToHost, stream) != hipSuccess ||
            hipStreamSynchronize(stream) != hipSuccess)
            before = -1;
        set<<<1, 1>>>(memory, 1); // any result will do
        (void)hipGetLastError();
    }
    ~early_and_late()
    {
        if (!memory)
            return;
        // any result will do; to return is what counts
        (void)hipStreamSynchronize(stream);
        (void)hipStreamDestroy(stream);
        (void)hipFree(memory);
        (void)hipDeviceSynchronize();
    }
};
static early_and_late statics;

static int child_of_fork()
{
    pid_t child = fork();
    if (child == 0) {
        // a driver does not survive fork; it must say so and not hang
        int *p = nullptr;
        hipError_t error = hipMalloc(&p, 100);
        std::printf("in the child: %s\n", hipGetErrorName(error));
        std::fflush(stdout);
        _exit(error == hipSuccess ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::printf("FAILED: the child ended with %#x\n", status);
        return 1;
    }
    return run_kernel() == 42 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    // A child that is first to use the device finds it working.
    if (std::strcmp(what, "first") == 0) {
        if (!std::getenv("PROCESS_NO_STATICS")) {
            setenv("PROCESS_NO_STATICS", "1", 1);
            execv("/proc/self/exe", argv);
            return 1;
        }
        pid_t child = fork();
        if (child == 0) {
            int none = status_without_device();
            std::fflush(stdout);
            _exit(none ? none : run_kernel() == 42 ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    if (int status = status_without_device())
        return status;
    if (statics.before != 42 || run_kernel() != 42) {
        std::printf("FAILED: before main %d\n", statics.before);
        return 1;
    }
    if (std::strcmp(what, "fork") == 0)
        return child_of_fork();
    if (std::strcmp(what, "exit") == 0) {
        int *p = nullptr, kilohertz = 0;
        (void)hipMalloc(&p, 4);
        (void)hipMemset(p, 0, 4);
        (void)hipDeviceGetAttribute(&kilohertz, hipDeviceAttributeWallClockRate, 0);
        spin<<<1, 1>>>(p, 2000ll * kilohertz); // two seconds
        std::exit(hipGetLastError() == hipSuccess ? 0 : 1); // with the kernel under way
    }
    if (std::strcmp(what, "reset") == 0) {
        unsigned before = 1, after = 2;
        if (hipGetDeviceFlags(&before) != hipSuccess ||
            hipSetDeviceFlags(hipDeviceScheduleBlockingSync) != hipSuccess ||
            hipDeviceReset() != hipSuccess || hipGetDeviceFlags(&after) != hipSuccess ||
            after != before || run_kernel() != 42) {
            std::printf("FAILED: after hipDeviceReset, flags %u and %u\n", before, after);
            return 1;
        }
    }
    return 0;
}
