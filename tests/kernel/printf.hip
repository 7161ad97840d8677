// printf and assert in device code. What the device prints appears on standard output when the
// host has waited for it.
#include "../support/hip_test.h"
#include "../support/output.h"

#include <cassert>
#include <cstdarg>
#include <cstdio>
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>

#include <fcntl.h>
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

// ---- the same lines, printed by a kernel and by the host

#define PRINT(...) printf(__VA_ARGS__);
#define WANT(...)  want += formatted(__VA_ARGS__);

// LINES is a list of lines with arguments a kernel has as well; X is what each is given to.
#define COMPARES(name, sentence, when, LINES)                                                      \
    __global__ void name(int i, long long l, double d)                                             \
    {                                                                                              \
        LINES(PRINT);                                                                              \
    }                                                                                              \
    static void want_##name(int i, long long l, double d, std::string &want)                       \
    {                                                                                              \
        LINES(WANT);                                                                               \
    }                                                                                              \
    TEST(sentence)                                                                                 \
    {                                                                                              \
        const int is[] = {0, 1, -42, INT_MAX, INT_MIN};                                            \
        const double ds[] = {0.0, 1.5, -3.14159265358979, 1e30, 1.0 / 0.0};                        \
        if (!(when))                                                                               \
            SKIP("NVIDIA's driver reads formats in its own way");                                  \
        for (int k = 0; k < 5; ++k) {                                                              \
            std::string want, got;                                                                 \
            long long l = is[k] * 0x100000003ll;                                                   \
            want_##name(is[k], l, ds[k], want);                                                    \
            got = ah_test::output_of(stdout, [&] {                                                 \
                name<<<1, 1>>>(is[k], l, ds[k]);                                                   \
                CHECK_LAUNCH();                                                                    \
            });                                                                                    \
            CHECK_EQ(got, want);                                                                   \
        }                                                                                          \
    }

#define INTEGERS(X)                                                                                \
    X("%d|%i|%5d|%-5d|%05d|%+d|% d|%.4d|%8.3d|%-8.3d|%+.2i\n", i, i, i, i, i, i, i, i, i, i, i)    \
    X("%u|%x|%X|%o|%#x|%#X|%#o|%12u|%-12x|%012X|%.10o\n", i, i, i, i, i, i, i, i, i, i, i)         \
    X("%ld|%lu|%lx|%lld|%llu|%llX|%20lld|%-20llx|%#lx\n", long(l), (unsigned long)l, long(l), l,   \
      (unsigned long long)l, l, l, l, long(l))                                                     \
    X("%hd|%hu|%hx\n", short(i), (unsigned short)i, (unsigned short)i)
COMPARES(print_integers, "printf: integers of all lengths, with flags, width and precision", true,
         INTEGERS)

#define FLOATS(X)                                                                                  \
    X("%f|%.3f|%10.2f|%-10.2f|%+f|% f|%.0f|%#.0f\n", d, d, d, d, d, d, d, d)                       \
    X("%e|%.2E|%g|%G|%.3g|%#g|%15e|%-15g\n", d, d, d, d, d, d, d, d)                               \
    X("%a|%A\n", d, d)                                                                             \
    X("%f %g\n", float(d), float(i))
COMPARES(print_floats, "printf: floating point numbers in all their forms", true, FLOATS)

#define STARS(X)                                                                                   \
    X("%*d|%-*d|%.*d|%*.*d|%0*d\n", 7, i, 7, i, 4, i, 9, 5, i, 8, i)                               \
    X("%*d|%.*f|%*.*f|%*.*e\n", -7, i, 2, d, 12, 3, d, -14, 1, d)                                  \
    X("%*s|%-*s|%.*s|%*.*s|%*c\n", 8, "text", 8, "text", 2, "text", 6, 3, "text", 3, 'c')
// NVIDIA's driver knows no stars: it prints them, or crashes.
COMPARES(print_stars, "printf: width and precision from arguments", !ah_test::is_nvidia_driver(),
         STARS)

#define TEXTS(X)                                                                                   \
    X("%s|%10s|%-10s|%.3s|%10.2s|%%|%c|%3c|%-3c|\n", "words", "words", "words", "words", "words",  \
      'a', 'b', 'c')                                                                               \
    X("%p %p\n", (void *)(unsigned long long)(i + 1ll + INT_MAX + 1), (void *)0x123456789abc)      \
    X("nothing but text\n")                                                                        \
    X("%s%s%s%d\n", "", "a", "", i)
COMPARES(print_texts, "printf: strings, characters and pointers", true, TEXTS)

// Lengths that CUDA's printf does not promise.
#if !defined(__NVPTX__)
#define LENGTHS(X)                                                                                 \
    X("%hhd|%hhu|%hhx\n", (signed char)i, (unsigned char)i, (unsigned char)i)                      \
    X("%zu|%zx|%zd|%jd|%td\n", size_t(l), size_t(l), size_t(l), intmax_t(l), ptrdiff_t(l))
__global__ void print_lengths(int i, long long l)
{
    LENGTHS(PRINT)
    int count = 7;
    printf("half %f, then nothing:%n %d\n", float(_Float16(1.5)), &count, count);
}
#else
__global__ void print_lengths(int, long long);
#endif
TEST("printf: lengths of C alone; a count is not written")
{
    if (!ah_test::is_amd())
        SKIP("NVIDIA's driver reads formats in its own way");
    int i = -42;
    long long l = 0x123456789abcdefll;
    std::string want;
#if !defined(__NVPTX__)
    LENGTHS(WANT)
#endif
    want += "half 1.500000, then nothing: 7\n";
    std::string got = ah_test::output_of(stdout, [&] {
        print_lengths<<<1, 1>>>(i, l);
        CHECK_LAUNCH();
    });
    CHECK_EQ(got, want);
}

__device__ char written[16];
__global__ void print_written(const char *given)
{
    char own[8];
    for (int i = 0; i < 7; ++i)
        own[i] = written[i] = char('a' + i);
    own[7] = written[7] = 0;
    const char *chosen = threadIdx.x ? given : written;
    printf("[%s] [%s] [%.3s] [%s]\n", own, written, given, chosen);
}
TEST("printf: strings may lie in any memory of the device")
{
    ah_test::buffer<char> given({'g', 'i', 'v', 'e', 'n', '\0'});
    expect(printed_by([&] {
               print_written<<<1, 1>>>(given.device());
               CHECK_LAUNCH();
           }),
           {"[abcdefg] [abcdefg] [giv] [abcdefg]\n"});
}

__global__ void print_in_order(int lines)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < lines; ++k)
        printf("%d %d\n", i, k);
}
TEST("the lines of each of many threads come out in its order")
{
    const int threads = 64 * 128, lines = 2;
    std::vector<std::string> got = printed_by([] {
        print_in_order<<<threads / 128, 128>>>(lines);
        CHECK_LAUNCH();
    });
    std::vector<int> seen(threads, 0);
    CHECK_EQ(got.size(), std::size_t(threads * lines));
    for (const std::string &line : got) {
        int i = -1, k = -1;
        CHECK_CASE(std::sscanf(line.c_str(), "%d %d", &i, &k) == 2 && i >= 0 && i < threads &&
                       seen[i] == k,
                   "%s", line.c_str());
        if (i >= 0 && i < threads)
            seen[i]++;
    }
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

TEST("an assertion that fails names itself and makes the host's next call fail")
{
    int status;
    std::string text = ah_test::output_of_self("--fail-an-assertion", &status);
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
