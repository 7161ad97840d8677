// How a process with work under way may end, and a library of kernels be closed: no crash, no hang.
//     process_life [part of a name]
// Each way is a child process, which an alarm ends instead of a hang.
#include "../support/device.h"
#include "check.h"
#include "kernels.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <vector>

namespace
{

struct work {
    kernel_library kernels;
    hipStream_t stream;
    int *flags; // started, go on
    int *word;
};

volatile int *volatile_flags(const work &w)
{
    return w.flags;
}

work start_nothing()
{
    work w;
    w.kernels = open_kernels();
    CHECK_HIP(hipStreamCreate(&w.stream));
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&w.flags), 2 * sizeof *w.flags));
    w.flags[0] = w.flags[1] = 0;
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&w.word), sizeof *w.word));
    CHECK_HIP(hipMemset(w.word, 0, sizeof *w.word));
    return w;
}

// A kernel runs that does not end by itself.
work start()
{
    work w = start_nothing();
    CHECK_HIP(w.kernels.hold(&w.flags[0], &w.flags[1], w.stream));
    while (volatile_flags(w)[0] == 0)
        usleep(100);
    return w;
}

// ---- ends --------------------------------------------------------------------------------------

void by_exit()
{
    start();
    std::exit(42);
}
void by_underscore_exit()
{
    start();
    _exit(42);
}
void by_quick_exit()
{
    start();
    std::quick_exit(42);
}
void by_signal()
{
    start();
    std::raise(SIGTERM);
}
void by_signal_while_waiting()
{
    work w = start();
    std::thread([] {
        usleep(20000); // the other is likely to wait by then; any time will do
        kill(getpid(), SIGTERM);
    }).detach();
    (void)hipStreamSynchronize(w.stream);
}

// The handler is called while the first thread waits for the kernel.
void by_handler_that_exits()
{
    sigset_t term;
    work w = start();
    std::signal(SIGTERM, [](int) { std::exit(42); });
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    const pthread_t first = pthread_self();
    pthread_sigmask(SIG_BLOCK, &term, nullptr);
    std::thread([first] {
        usleep(20000);
        pthread_kill(first, SIGTERM);
    }).detach();
    pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
    (void)hipStreamSynchronize(w.stream);
}

// ---- threads -----------------------------------------------------------------------------------

void use(const work &w, std::atomic<bool> *used)
{
    hipStream_t stream;
    void *memory;
    while (hipStreamCreate(&stream) == hipSuccess && hipMalloc(&memory, 4096) == hipSuccess &&
           w.kernels.add(w.word, 1, stream) == hipSuccess &&
           hipMemsetAsync(memory, 1, 4096, stream) == hipSuccess &&
           hipStreamSynchronize(stream) == hipSuccess && hipFree(memory) == hipSuccess &&
           hipStreamDestroy(stream) == hipSuccess)
        *used = true;
    pause(); // the process ends
}

void while_threads_go_on()
{
    static std::atomic<bool> used[4];
    static work w = start_nothing();
    for (std::atomic<bool> &one : used)
        std::thread([&one] { use(w, &one); }).detach();
    for (const std::atomic<bool> &one : used)
        while (!one)
            usleep(100);
    std::exit(42);
}

// Its state, of which /proc/self tells; to join it is more than ThreadSanitizer can.
bool first_thread_has_ended()
{
    char state = 0;
    FILE *file = std::fopen("/proc/self/stat", "re");
    const bool read = file && std::fscanf(file, "%*d %*s %c", &state) == 1;
    if (file)
        std::fclose(file);
    return read && state == 'Z';
}

void first_thread_ends_before_the_others()
{
    static work w = start_nothing();
    std::thread([] {
        int value = -1;
        while (!first_thread_has_ended())
            usleep(100);
        CHECK_HIP(w.kernels.add(w.word, 7, w.stream));
        CHECK_HIP(hipStreamSynchronize(w.stream));
        CHECK_HIP(hipMemcpy(&value, w.word, sizeof value, hipMemcpyDeviceToHost));
        std::exit(value == 7 ? 42 : 1);
    }).detach();
    pthread_exit(nullptr);
}

// ---- libraries ---------------------------------------------------------------------------------

// Closing waits for the kernel, which another thread lets go.
void close_kernels_while_one_runs()
{
    work w = start();
    std::thread let_go([&w] {
        usleep(20000);
        volatile_flags(w)[1] = 1;
    });
    CHECK(dlclose(w.kernels.handle) == 0);
    CHECK_HIP(hipStreamSynchronize(w.stream));
    let_go.join();
    CHECK_HIP(hipDeviceSynchronize());
    int value = -1; // and everything can be had again
    const kernel_library again = open_kernels();
    CHECK_HIP(again.set(w.word, 5, w.stream));
    CHECK_HIP(hipMemcpyAsync(&value, w.word, sizeof value, hipMemcpyDeviceToHost, w.stream));
    CHECK_HIP(hipStreamSynchronize(w.stream));
    CHECK(value == 5);
    std::exit(42);
}

void close_and_open_kernels_beside_work()
{
    static work w = start_nothing();
    static std::atomic<bool> stop{false};
    std::thread other([] { // with memory and events, which need none of the kernels
        hipEvent_t event;
        CHECK_HIP(hipEventCreate(&event));
        while (!stop) {
            CHECK_HIP(hipMemsetAsync(w.word, 0, sizeof *w.word, hipStreamPerThread));
            CHECK_HIP(hipEventRecord(event, hipStreamPerThread));
            CHECK_HIP(hipEventSynchronize(event));
        }
    });
    for (int i = 0; i < 20; i++) {
        CHECK_HIP(w.kernels.set(w.word, i, w.stream));
        CHECK(dlclose(w.kernels.handle) == 0);
        w.kernels = open_kernels();
    }
    stop = true;
    other.join();
    std::exit(42);
}

// ---- all of them -------------------------------------------------------------------------------

const struct {
    const char *name;
    void (*body)();
    int end; // as end_of has it
} ways[] = {
    {"exit while a kernel runs", by_exit, 42},
    {"_exit while a kernel runs", by_underscore_exit, 42},
    {"quick_exit while a kernel runs", by_quick_exit, 42},
    {"SIGTERM while a kernel runs", by_signal, 128 + SIGTERM},
    {"SIGTERM while a thread waits", by_signal_while_waiting, 128 + SIGTERM},
    {"SIGTERM with a handler that exits", by_handler_that_exits, 42},
    {"exit while threads go on", while_threads_go_on, 42},
    {"the first thread ends before the others", first_thread_ends_before_the_others, 42},
    {"dlclose while a kernel runs", close_kernels_while_one_runs, 42},
    {"dlclose beside other work", close_and_open_kernels_beside_work, 42},
};

} // namespace

int main(int argc, char **argv)
{
    int failed = 0;
    for (const auto &way : ways) {
        if (argc > 1 && !std::strstr(way.name, argv[1]))
            continue;
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            alarm(60); // instead of a hang
            if (int status = status_without_device())
                _exit(status);
            way.body();
            _exit(1);
        }
        const int end = end_of(child);
        if (end == 77)
            return end;
        std::printf("%s: %s (%d)\n", way.name, end == way.end ? "ok" : "FAILED", end);
        failed += end != way.end;
    }
    return failed != 0;
}
