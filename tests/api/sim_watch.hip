// What simulated devices do about kernels that do not end: a limit of their time, and SIGQUIT,
// which requests where their threads are. One process per subject, as the settings hold for all of
// it.
//     sim_watch timeout | quit | both
// both: of the devices of two drivers, each of which has a handler.
#include "../support/device.h"

#include <hip/hip_runtime.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

static int failures;

static void report(bool good, const char *what)
{
    std::printf("%s %s\n", good ? "ok    " : "FAILED", what);
    failures += !good;
}

// Thread 0 of block 1 waits for the host, the other threads of its block at a barrier.
__global__ void wait_for_host(volatile int *flag, int *begun)
{
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        __atomic_store_n(begun, 1, __ATOMIC_RELEASE);
        while (*flag == 0)
            ;
    }
    __syncthreads();
}

// Standard error goes into a file, whose name is gone.
static int capture()
{
    char name[] = "/tmp/sim_watch_XXXXXX";
    int file = mkstemp(name);
    if (file < 0 || unlink(name) != 0 || dup2(file, 2) < 0)
        std::abort();
    return file;
}

static std::string read_all(int file)
{
    std::string text(1 << 16, '\0');
    ssize_t size = pread(file, &text[0], text.size(), 0);
    text.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return text;
}

static void has(const std::string &text, const char *part)
{
    const bool found = text.find(part) != std::string::npos;
    report(found, part);
    if (!found)
        std::printf("not in:\n%s\n", text.c_str());
}

static int *host_word()
{
    int *word = nullptr;
    report(hipHostMalloc(&word, sizeof *word, 0) == hipSuccess,
           "a word of the host");
    *word = 0;
    return word;
}

static void start(int *flag, int *begun)
{
    wait_for_host<<<3, 64>>>(flag, begun);
    report(hipGetLastError() == hipSuccess, "the launch");
    while (__atomic_load_n(begun, __ATOMIC_ACQUIRE) == 0)
        ;
}

static void says_where(const std::string &said)
{
    has(said, "wait_for_host");
    has(said, "grid (3,1,1) of blocks (64,1,1), has run for");
    has(said, "; blocks: 2 ended, 1 in progress, 0 not begun");
    has(said, "1 thread of block (1,0,0): at ");
    has(said, "sim_watch.hip:");
}

static void timeout()
{
    const int file = capture();
    int *flag = host_word(), *begun = host_word();
    start(flag, begun);
    const hipError_t error = hipDeviceSynchronize();
    std::printf("       %s\n", hipGetErrorName(error));
    const bool amd = std::strstr(std::getenv("ANYHIP_BACKEND"), "hsa") != nullptr;
    report(error == (amd ? hipErrorLaunchFailure : hipErrorLaunchTimeOut), "the kernel fails");
    const std::string said = read_all(file);
    says_where(said);
    has(said, "It ends here: ANYHIP_SIM_TIMEOUT=0.3");
}

static void quit()
{
    const int file = capture();
    int *flag = host_word(), *begun = host_word();
    start(flag, begun);
    do // until the other blocks have ended
        raise(SIGQUIT);
    while (usleep(1000) != 0 || read_all(file).find("2 ended, 1 in progress") == std::string::npos);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    report(hipDeviceSynchronize() == hipSuccess, "the kernel goes on and ends");
    says_where(read_all(file));
}

static void both()
{
    const int file = capture();
    int *flags[2];
    for (int device = 0; device < 2; device++) {
        report(hipSetDevice(device) == hipSuccess, "a device");
        flags[device] = host_word();
        start(flags[device], host_word());
    }
    raise(SIGQUIT);
    std::string said;
    do
        said = read_all(file);
    while (said.find("PTX line") == std::string::npos || said.find("[0x") == std::string::npos);
    for (int device = 0; device < 2; device++) {
        report(hipSetDevice(device) == hipSuccess, "a device");
        __atomic_store_n(flags[device], 1, __ATOMIC_RELEASE);
        report(hipDeviceSynchronize() == hipSuccess, "its kernel ends");
    }
}

int main(int argc, char **argv)
{
    const std::string subject = argc > 1 ? argv[1] : "";
    signal(SIGQUIT, SIG_DFL);
    if (subject == "timeout")
        setenv("ANYHIP_SIM_TIMEOUT", "0.3", 1); // before the first call
    if (int status = status_without_device())
        return status;
    if (subject == "timeout")
        timeout();
    else if (subject == "quit")
        quit();
    else if (subject == "both")
        both();
    else
        report(false, "no such subject");
    std::printf("%d failures\n", failures);
    return failures != 0;
}
