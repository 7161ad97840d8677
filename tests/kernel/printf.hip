// printf and assert in device code. What the device prints appears on standard output when the
// host has waited for it.
#include "../support/hip_test.h"
#include "../support/output.h"

#include <cassert>
#include <cstdarg>
#include <cstdio>
#include <algorithm>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// Standard output of a piece of the program, line by line.
template <typename F> static std::vector<std::string> printed_by(F run)
{
    std::vector<std::string> lines;
    std::string line;
    for (char c : ah_test::output_of(stdout, run)) {
        line += c;
        if (c == '\n') {
            lines.push_back(line);
            line.clear();
        }
    }
    if (!line.empty())
        lines.push_back(line);
    return lines;
}

static std::string formatted(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

static void expect(const std::vector<std::string> &got, const std::vector<std::string> &want)
{
    CHECK_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i)
        CHECK_EQ(got[i], want[i]);
}

__global__ void print_line(int a)
{
    printf("one line, number %d\n", a);
}
TEST("a kernel prints a line")
{
    expect(printed_by([] {
               print_line<<<1, 1>>>(42);
               CHECK_LAUNCH();
           }),
           {"one line, number 42\n"});
}

__global__ void print_numbers(int i, unsigned u, long l, unsigned long long ull, float f, double d,
                              char c, const void *p)
{
    printf("%d %i %5d|%-5d|%05d %+d\n", i, -i, i, i, i, i);
    printf("%u %x %X %#x %o\n", u, u, u, u, u);
    printf("%ld %lu %llu %lld %lx\n", l, static_cast<unsigned long>(l), ull,
           static_cast<long long>(ull), static_cast<unsigned long>(ull));
    printf("%f %.3f %10.2f|%e %g %G\n", d, d, d, d, d, d);
    printf("%f %g\n", f, f);
    printf("%c%c %%\n", c, 'z');
    printf("%p\n", p);
    printf("%hd\n", static_cast<short>(i));
}
TEST("printf formats numbers of every kind")
{
    int i = 123;
    unsigned u = 0xdeadbeef;
    long l = -1234567890123l;
    unsigned long long ull = 0xfedcba9876543210ull;
    double d = 3.14159265358979;
    float f = 0.1f;
    const void *p = reinterpret_cast<const void *>(0x12345678abcull);
    std::vector<std::string> got = printed_by([&] {
        print_numbers<<<1, 1>>>(i, u, l, ull, f, d, 'a', p);
        CHECK_LAUNCH();
    });
    expect(got, {formatted("%d %i %5d|%-5d|%05d %+d\n", i, -i, i, i, i, i),
                 formatted("%u %x %X %#x %o\n", u, u, u, u, u),
                 formatted("%ld %lu %llu %lld %lx\n", l, static_cast<unsigned long>(l), ull,
                           static_cast<long long>(ull), static_cast<unsigned long>(ull)),
                 formatted("%f %.3f %10.2f|%e %g %G\n", d, d, d, d, d, d),
                 formatted("%f %g\n", static_cast<double>(f), static_cast<double>(f)),
                 formatted("%c%c %%\n", 'a', 'z'), formatted("%p\n", p),
                 formatted("%hd\n", static_cast<short>(i))});
}

__device__ const char *names[3] = {"zero", "one", "a rather longer name than the others"};
__global__ void print_strings()
{
    const char *empty = "";
    for (int i = 0; i < 3; ++i)
        printf("[%s] [%s] %d [%10s]\n", names[i], "literal", i, "right");
    printf("[%s]\n", empty);
    printf("no arguments\n");
    printf("");
}
TEST("printf prints strings")
{
    expect(printed_by([] {
               print_strings<<<1, 1>>>();
               CHECK_LAUNCH();
           }),
           {"[zero] [literal] 0 [     right]\n", "[one] [literal] 1 [     right]\n",
            "[a rather longer name than the others] [literal] 2 [     right]\n", "[]\n",
            "no arguments\n"});
}

__global__ void print_each(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        printf("thread %d of %d\n", i, n);
}
TEST("every thread's line appears whole and once")
{
    const int n = 500;
    std::vector<std::string> got = printed_by([] {
        print_each<<<(n + 63) / 64, 64>>>(n);
        CHECK_LAUNCH();
    });
    std::vector<std::string> want;
    for (int i = 0; i < n; ++i)
        want.push_back(formatted("thread %d of %d\n", i, n));
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    expect(got, want);
}

TEST("kernels one after the other print in order")
{
    std::vector<std::string> want;
    std::vector<std::string> got = printed_by([&] {
        for (int i = 0; i < 20; ++i) {
            print_line<<<1, 1>>>(i);
            want.push_back(formatted("one line, number %d\n", i));
        }
        CHECK_LAUNCH();
    });
    expect(got, want);
}

__global__ void print_result(int *out)
{
    out[0] = printf("counted\n");
}
TEST("printf returns without an error")
{
    ah_test::buffer<int> out({-7});
    expect(printed_by([&] {
               print_result<<<1, 1>>>(out.device());
               CHECK_LAUNCH();
           }),
           {"counted\n"});
    CHECK(out.read()[0] >= 0);
}

// ---- assert ----

__global__ void assert_below(const int *in, int limit, int *out)
{
    int v = in[threadIdx.x];
    assert(v < limit);
    out[threadIdx.x] = v + 1;
}
TEST("an assertion that holds does nothing")
{
    ah_test::buffer<int> in({1, 2, 3, 4}), out(4);
    assert_below<<<1, 4>>>(in.device(), 5, out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 4; ++i)
        CHECK_EQ(out.read()[i], i + 2);
}

// The failing one runs in a process of its own: its device is lost afterwards.
static int fail_an_assertion()
{
    ah_test::buffer<int> in({1, 2, 30, 4}), out(4);
    assert_below<<<1, 4>>>(in.device(), 5, out.device());
    hipError_t error = hipDeviceSynchronize();
    std::printf("error %s\n", hipGetErrorName(error));
    std::fflush(stdout);
    std::_Exit(error == hipSuccess ? 1 : 0);
}

// What this program with an argument prints, standard error included, and how it ends. Without a
// shell between, which not every sanitizer bears.
static std::string output_of_self(const char *argument, int *out_status)
{
    int ends[2], status = -1;
    pid_t child;
    std::string text;
    const char *const argv[] = {"/proc/self/exe", argument, nullptr};
    posix_spawn_file_actions_t actions;
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    int error = posix_spawn(&child, argv[0], &actions, nullptr, const_cast<char **>(argv), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    CHECK_EQ(error, 0);
    char piece[256];
    for (ssize_t n; error == 0 && (n = read(ends[0], piece, sizeof piece)) > 0;)
        text.append(piece, static_cast<std::size_t>(n));
    close(ends[0]);
    if (error == 0)
        waitpid(child, &status, 0);
    *out_status = status;
    return text;
}

TEST("an assertion that fails names itself and makes the host's next call fail")
{
    int status;
    std::string text = output_of_self("--fail-an-assertion", &status);
    CHECK_CASE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    CHECK_CASE(text.find("v < limit") != std::string::npos, "it printed: %.300s", text.c_str());
    CHECK_CASE(text.find("printf.hip") != std::string::npos, "it printed: %.300s", text.c_str());
    CHECK_CASE(text.find("error hipErrorAssert") != std::string::npos, "it printed: %.300s",
               text.c_str());
}

int main(int argc, char **argv)
{
    if (argc == 2 && std::strcmp(argv[1], "--fail-an-assertion") == 0)
        return fail_an_assertion();
    return ah_test::run(argc, argv);
}
