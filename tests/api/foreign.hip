// Code objects of other compilers: kernels that print, allocate memory and fail as those
// do that are linked with ROCm's device library.
#include "../support/hip_test.h"
#include "../support/output.h"

#include <algorithm>
#include <thread>

#include <fcntl.h>
#include <poll.h>

// A module that is unloaded at the end of a test.
struct module {
    hipModule_t m = nullptr;
    explicit module(const char *name) { CHECK_HIP(hipModuleLoad(&m, name)); }
    ~module() { (void)hipModuleUnload(m); }
    void launch(const char *name, int threads, std::vector<void *> arguments)
    {
        hipFunction_t f = nullptr;
        CHECK_HIP(hipModuleGetFunction(&f, m, name));
        CHECK_HIP(hipModuleLaunchKernel(f, (threads + 63) / 64, 1, 1, std::min(threads, 64), 1, 1,
                                        0, nullptr, arguments.data(), nullptr));
    }
};

static const char *const calling = "foreign_hostcall.hipfb", *const buffered =
                                                                 "foreign_buffered.hipfb";

static std::string line(int i)
{
    char text[160];
    std::snprintf(text, sizeof text, "thread %d: %s, %.2f, %lx, %c%%\n", i,
                  i % 3 ? "text of the host"
                        : "words that are too long for one piece of a message, by far",
                  i * 0.25, 0x123456789abul + i, 'a' + i % 26);
    return text;
}

// How long each line was said to be, if so.
static void prints(const char *file, bool counts)
{
    const int n = 300;
    module m(file);
    ah_test::buffer<char> text{std::vector<char>(
        {'t', 'e', 'x', 't', ' ', 'o', 'f', ' ', 't', 'h', 'e', ' ', 'h', 'o', 's', 't', '\0'})};
    ah_test::buffer<int> returned{std::vector<int>(n, -7)};
    std::string got = ah_test::output_of(stdout, [&] {
        int count = n, *r = returned.device();
        char *t = text.device();
        m.launch("print", n, {&count, &t, &r});
        CHECK_HIP(hipDeviceSynchronize());
    });
    std::size_t size = 0;
    returned.read();
    for (int i = 0; i < n; ++i) {
        std::string want = line(i);
        CHECK_CASE(got.find(want) != std::string::npos, "line %d is missing", i);
        CHECK_EQ(returned.host()[i], counts ? int(want.size()) : 0);
        size += want.size();
    }
    CHECK_EQ(got.size(), size);
}

TEST("kernels print through calls of the host, which count what they print")
{
    prints(calling, true);
}

TEST("kernels print into a buffer without gaps")
{
    prints(buffered, false);
}

TEST("kernels of this project's headers, version 1, print")
{
    prints("foreign_version_1.hipfb", false);
}

__global__ void print_own(int i)
{
    printf("own %d\n", i);
}

TEST("kernels of several compilers print in the order of their stream, however many there are")
{
    const int launches = 400;
    module m(buffered);
    unsigned *gate = nullptr; // closed while they are launched
    ah_test::buffer<char> text{std::vector<char>(8, '\0')};
    ah_test::buffer<int> returned({-7});
    int one = 1, *r = returned.device();
    char *t = text.device();
    std::string want;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&gate), sizeof *gate, hipHostMallocCoherent));
    *gate = 0;
    std::string got = ah_test::output_of(stdout, [&] {
        CHECK_HIP(hipStreamWaitValue32(nullptr, gate, 1, hipStreamWaitValueGte));
        for (int i = 0; i < launches; ++i) {
            if (i / 50 % 2 == 0) {
                print_own<<<1, 1>>>(i);
                want += "own " + std::to_string(i) + "\n";
            } else {
                m.launch("print", 1, {&one, &t, &r});
                want += line(0);
            }
        }
        __atomic_store_n(gate, 1u, __ATOMIC_RELEASE);
        CHECK_HIP(hipDeviceSynchronize());
    });
    CHECK(got == want);
    CHECK_HIP(hipHostFree(gate));
}

// Whether there is something to read, for which it waits.
static bool is_readable(int file)
{
    struct pollfd wait = {file, POLLIN, 0};
    return poll(&wait, 1, -1) == 1 && (wait.revents & POLLIN);
}

TEST("the output of kernels is written even if their module is unloaded meanwhile")
{
    const int n = 300;
    hipModule_t m;
    hipFunction_t f;
    hipStream_t stream;
    int ends[2], count = n, kept = dup(1);
    ah_test::buffer<char> text{std::vector<char>(8, '\0')};
    ah_test::buffer<int> returned{std::vector<int>(n, -7)};
    char *t = text.device();
    int *r = returned.device();
    void *arguments[] = {&count, &t, &r};
    unsigned *gate = nullptr; // closed while they are launched: a launch prints what has ended
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipModuleLoad(&m, buffered));
    CHECK_HIP(hipModuleGetFunction(&f, m, "print"));
    std::fflush(stdout);
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    CHECK(fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0); // less than one kernel prints
    dup2(ends[1], 1);
    close(ends[1]);
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&gate), sizeof *gate, hipHostMallocCoherent));
    *gate = 0;
    CHECK_HIP(hipStreamWaitValue32(stream, gate, 1, hipStreamWaitValueGte));
    for (int i = 0; i < 2; ++i)
        CHECK_HIP(hipModuleLaunchKernel(f, (n + 63) / 64, 1, 1, 64, 1, 1, 0, stream, arguments,
                                        nullptr));
    __atomic_store_n(gate, 1u, __ATOMIC_RELEASE);
    hipError_t waited = hipErrorUnknown, unloaded = hipErrorUnknown;
    std::thread printer([&] { waited = hipStreamSynchronize(stream); });
    bool prints = is_readable(ends[0]); // the text of the first, which waits for room
    unloaded = hipModuleUnload(m);
    std::string got;
    std::thread reader([&] {
        char piece[4096];
        for (ssize_t size; (size = read(ends[0], piece, sizeof piece)) > 0;)
            got.append(piece, std::size_t(size));
    });
    printer.join();
    std::fflush(stdout);
    dup2(kept, 1); // the last who could write
    reader.join();
    close(kept);
    close(ends[0]);
    CHECK(prints);
    CHECK_HIP(waited);
    CHECK_HIP(unloaded);
    CHECK_EQ(std::count(got.begin(), got.end(), '\n'), 2 * n);
    CHECK_HIP(hipHostFree(gate));
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("a buffer without gaps may be too small for all of it")
{
    std::size_t limit = 0;
    module m(buffered);
    ah_test::buffer<char> text{std::vector<char>(8, '\0')};
    ah_test::buffer<int> returned{std::vector<int>(640, -7)};
    CHECK_HIP(hipDeviceGetLimit(&limit, hipLimitPrintfFifoSize));
    CHECK_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, 8192));
    std::string got = ah_test::output_of(stdout, [&] {
        int count = 640, *r = returned.device();
        char *t = text.device();
        m.launch("print", count, {&count, &t, &r});
        CHECK_HIP(hipDeviceSynchronize());
    });
    CHECK_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, limit));
    std::vector<int> results = returned.read();
    std::ptrdiff_t printed = std::count(results.begin(), results.end(), 0);
    CHECK(printed > 10 && printed < 640);
    CHECK_EQ(std::count(results.begin(), results.end(), -1), 640 - printed);
    CHECK_EQ(std::count(got.begin(), got.end(), '\n'), printed);
}

TEST("kernels allocate memory from the host and free it")
{
    module m(calling);
    ah_test::buffer<int> wrong({0});
    for (unsigned long size : {8ul, 5000ul, 1ul << 21}) {
        unsigned long alignment = size >= 1ul << 21 ? 1ul << 21 : 4096;
        int *w = wrong.device();
        for (int round = 0; round < 3; ++round)
            m.launch("use_memory", size > 4096 ? 8 : 200, {&size, &alignment, &w});
        CHECK_EQ(wrong.read()[0], 0);
    }
}

static unsigned long answer_to(module &m, unsigned service, unsigned long a, unsigned long b)
{
    ah_test::buffer<unsigned long> answer({77});
    unsigned long *p = answer.device();
    m.launch("ask", 1, {&service, &a, &b, &p});
    return answer.read()[0];
}

TEST("requests of kernels that are not allowed or invalid are refused")
{
    const unsigned function = 1, print = 2, memory = 3;
    module m(calling);
    CHECK_EQ(answer_to(m, function, 0x1234, 0), 0ul);
    CHECK_EQ(answer_to(m, 99, 1, 2), 0ul);
    CHECK_EQ(answer_to(m, memory, 0, 0), 0ul);
    CHECK_EQ(answer_to(m, memory, 0, 1ul << 60), 0ul);
    CHECK_EQ(answer_to(m, memory, 0x123000, 0), 0ul);
    CHECK_EQ(answer_to(m, print, 12345 << 8 | 1 << 5, 0), ~0ul); // of no message
    prints(calling, true);
}

TEST("the heap of such kernels begins as zeros")
{
    module m(calling);
    ah_test::buffer<unsigned long> sum({77});
    unsigned long *s = sum.device();
    m.launch("look_at_heap", 1, {&s});
    CHECK_EQ(sum.read()[0], 0ul);
}

TEST("a failed assertion says so, and a reset makes the device usable again")
{
    hipModule_t m;
    hipFunction_t f;
    CHECK_HIP(hipModuleLoad(&m, calling));
    CHECK_HIP(hipModuleGetFunction(&f, m, "fail"));
    std::string text = ah_test::output_of(stderr, [&] {
        CHECK_HIP(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
        CHECK_EQ(hipDeviceSynchronize(), hipErrorAssert);
    });
    CHECK_CASE(text.find("foreign.hip:42: fail: Device-side assertion `pigs == fly' failed.\n") !=
                   std::string::npos,
               "it printed: %.300s", text.c_str());
    CHECK_EQ(hipDeviceSynchronize(), hipErrorAssert);
    CHECK_HIP(hipDeviceReset());
    (void)hipGetLastError();
    prints(calling, true);
    prints(buffered, false);
}

HIP_TEST_MAIN
