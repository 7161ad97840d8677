// A small harness for test programs with device code.
//
//     TEST("a sentence that says what holds")
//     {
//         ah_test::buffer<int> numbers({1, 2, 3});
//         kernel<<<1, 3>>>(numbers.device());
//         CHECK_HIP(hipDeviceSynchronize());
//         CHECK_EQ(numbers.read()[0], 2);
//     }
//     HIP_TEST_MAIN
//
// The program runs all tests, or those whose sentences its arguments name in part; --list
// names them. It prints a line for each test and a summary. A test fails when one of its checks
// fails, or when it executes none; a test that calls SKIP is neither passed nor failed. Exit
// status: 0 no test failed, 1 one did, 77 there is no device to run on.
#ifndef AH_TESTS_HIP_TEST_H
#define AH_TESTS_HIP_TEST_H

#include "device.h"

#include <hip/anyhip.h>
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace ah_test
{

struct test {
    const char *sentence;
    const char *file;
    int line;
    void (*run)();
    test *next;
};

// The tests of the program, the checks and failures of the one that runs, and what it may not
// survive.
struct state {
    test *first = nullptr, **last = &first;
    int checks = 0, failures = 0;
    bool device_lost = false;
};
inline state &the_state()
{
    static state s;
    return s;
}

// Counts a check, from any thread, and returns whether it held.
inline bool held(bool holds)
{
    __atomic_fetch_add(&the_state().checks, 1, __ATOMIC_RELAXED);
    return holds;
}

struct registration {
    explicit registration(test *t)
    {
        *the_state().last = t;
        the_state().last = &t->next;
    }
};

// Thrown to leave a test that cannot go on, or that has nothing to run on.
struct give_up : std::exception {
};
struct skipped : std::exception {
    explicit skipped(const char *why) : reason(why) {}
    const char *reason;
};

// Counts a failure, from any thread; the first few of a test are printed.
inline void fail(const char *file, int line, const std::string &what)
{
    const int printed = 8;
    int n = __atomic_add_fetch(&the_state().failures, 1, __ATOMIC_RELAXED);
    if (n <= printed)
        std::printf("    %s:%d: %s\n", file, line, what.c_str());
    else if (n == printed + 1)
        std::printf("    ...\n");
}

template <typename T> std::string show(const T &x)
{
    std::ostringstream out;
    if constexpr (std::is_floating_point_v<T>) {
        char text[64];
        std::snprintf(text, sizeof text, "%.17g (%a)", static_cast<double>(x),
                      static_cast<double>(x));
        out << text;
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
        out << static_cast<int>(x);
    } else {
        out << x;
    }
    return out.str();
}

// Equal, with every NaN equal to every other.
template <typename A, typename B> bool equal(const A &a, const B &b)
{
    if constexpr (std::is_floating_point_v<A> && std::is_floating_point_v<B>)
        if (std::isnan(a) && std::isnan(b))
            return true;
    return a == b;
}

// The same bits, with every NaN the same as every other: tells -0 from 0.
template <typename T> bool identical(T a, T b)
{
    return equal(a, b) && (std::isnan(a) || std::signbit(a) == std::signbit(b));
}

// How far got is from want in units of the last place of a T at want; infinite for a NaN or
// an infinity in the wrong place.
template <typename T> double ulps(T got, long double want)
{
    typedef std::numeric_limits<T> limits;
    const double wrong = std::numeric_limits<double>::infinity();
    if (std::isnan(want) || std::isnan(got))
        return std::isnan(want) && std::isnan(got) ? 0 : wrong;
    T rounded = static_cast<T>(want);
    if (std::isinf(rounded) || std::isinf(got)) {
        bool at_the_end = std::fabs(got) >= limits::max() && std::fabs(rounded) >= limits::max();
        return at_the_end && std::signbit(got) == std::signbit(rounded) ? 0 : wrong;
    }
    int exponent = limits::min_exponent;
    if (std::fabs(want) >= static_cast<long double>(limits::min()))
        std::frexp(want, &exponent);
    long double unit = std::ldexp(1.0L, exponent - limits::digits);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

// What the harness itself needs from HIP, which counts as no check of the test.
inline void check_hip(hipError_t error, const char *expression, const char *file, int line)
{
    if (error == hipSuccess)
        return;
    fail(file, line, std::string(expression) + " gave " + hipGetErrorName(error));
    throw give_up();
}

// What the macros below call: the messages are put together here, once for each pair of types and
// not at every check.
inline void check(bool holds, const char *what, const char *file, int line)
{
    if (!held(holds))
        fail(file, line, what);
}

__attribute__((format(printf, 4, 5))) inline void
fail_case(const char *file, int line, const char *what, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail(file, line, std::string(what) + ": " + text);
}

template <typename A, typename B>
void check_equal(A got, B want, const char *what, const char *file, int line)
{
    if (!held(equal(got, want)))
        fail(file, line, std::string(what) + " is " + show(got) + ", not " + show(want));
}

template <typename T>
void check_near(T got, long double want, double limit, const char *what, const char *file, int line)
{
    double off = ulps(got, want);
    if (!held(off <= limit))
        fail(file, line,
             std::string(what) + " is " + show(got) + ", off " + show(want) + " by " + show(off) +
                 " ULP");
}

// Memory on the device with a copy on the host.
template <typename T> class buffer
{
  public:
    explicit buffer(std::size_t n) : host_(n) { allocate(true); }
    buffer(std::initializer_list<T> values) : host_(values) { allocate(false); }
    explicit buffer(const std::vector<T> &values) : host_(values) { allocate(false); }
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;
    ~buffer() { (void)hipFree(device_); }

    T *device() { return device_; }
    std::size_t size() const { return host_.size(); }

    // What the last read() has copied.
    const std::vector<T> &host() const { return host_; }
    // Waits for the device, then copies from it.
    std::vector<T> &read()
    {
        check_hip(hipDeviceSynchronize(), "hipDeviceSynchronize()", __FILE__, __LINE__);
        check_hip(hipMemcpy(host_.data(), device_, bytes(), hipMemcpyDeviceToHost), "hipMemcpy",
                  __FILE__, __LINE__);
        return host_;
    }
    void write(const std::vector<T> &values)
    {
        host_ = values;
        check_hip(hipMemcpy(device_, host_.data(), bytes(), hipMemcpyHostToDevice), "hipMemcpy",
                  __FILE__, __LINE__);
    }

  private:
    std::size_t bytes() const { return host_.size() * sizeof(T); }
    void allocate(bool zero)
    {
        check_hip(hipMalloc(reinterpret_cast<void **>(&device_), bytes() ? bytes() : 1),
                  "hipMalloc", __FILE__, __LINE__);
        if (zero)
            check_hip(hipMemset(device_, 0, bytes()), "hipMemset", __FILE__, __LINE__);
        else
            check_hip(hipMemcpy(device_, host_.data(), bytes(), hipMemcpyHostToDevice), "hipMemcpy",
                      __FILE__, __LINE__);
    }

    std::vector<T> host_;
    T *device_ = nullptr;
};

// The warp of the current device.
inline int warp_size()
{
    int n = 0;
    check_hip(hipDeviceGetAttribute(&n, hipDeviceAttributeWarpSize, 0), "hipDeviceGetAttribute",
              __FILE__, __LINE__);
    return n;
}

// Whether the current device is AMD's, simulated or not.
inline bool is_amd()
{
    int device = 0;
    hipDeviceProp_t properties;
    check_hip(hipGetDevice(&device), "hipGetDevice", __FILE__, __LINE__);
    check_hip(hipGetDeviceProperties(&properties, device), "hipGetDeviceProperties", __FILE__,
              __LINE__);
    return std::strncmp(properties.gcnArchName, "gfx", 3) == 0;
}

// Whether the current device is behind NVIDIA's own driver, which simulated devices surpass here
// and there.
inline bool is_nvidia_driver()
{
    int device = 0;
    anyhipBackend backend = anyhipBackendNone;
    check_hip(hipGetDevice(&device), "hipGetDevice", __FILE__, __LINE__);
    check_hip(anyhipDeviceGetBackend(device, &backend, nullptr), "anyhipDeviceGetBackend", __FILE__,
              __LINE__);
    return backend == anyhipBackendCuda;
}

// Runs a test and prints what became of it.
enum class outcome { passed, failed, skipped };
inline outcome run_one(const test *t)
{
    const char *reason = nullptr;
    the_state().checks = the_state().failures = 0;
    try {
        t->run();
        if (the_state().checks == 0)
            fail(t->file, t->line, "the test executed no check");
    } catch (const give_up &) {
    } catch (const skipped &s) {
        reason = s.reason;
    } catch (const std::exception &e) {
        fail(t->file, t->line, std::string("exception: ") + e.what());
    }
    // what the device still has to say belongs to this test
    hipError_t late = hipDeviceSynchronize();
    if (late != hipSuccess) {
        fail(t->file, t->line, std::string("the device reports ") + hipGetErrorName(late));
        the_state().device_lost = true;
    }
    (void)hipGetLastError();
    if (the_state().failures) {
        std::printf("FAILED %s\n", t->sentence);
        return outcome::failed;
    }
    if (reason) {
        std::printf("    %s\nskip   %s\n", reason, t->sentence);
        return outcome::skipped;
    }
    std::printf("ok     %s\n", t->sentence);
    return outcome::passed;
}

inline int run(int argc, char **argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
        for (test *t = the_state().first; t; t = t->next)
            std::printf("%s\n", t->sentence);
        return 0;
    }
    if (int status = status_without_device())
        return status;
    int ran = 0, failed = 0, left_out = 0;
    for (test *t = the_state().first; t && !the_state().device_lost; t = t->next) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; ++i)
            wanted = wanted || std::strstr(t->sentence, argv[i]) != nullptr;
        if (!wanted)
            continue;
        outcome result = run_one(t);
        ++ran;
        failed += result == outcome::failed;
        left_out += result == outcome::skipped;
    }
    if (the_state().device_lost)
        std::printf("the device is lost: no further tests\n");
    std::printf("%d tests, %d failed, %d skipped\n", ran, failed, left_out);
    return failed != 0 || ran == 0;
}

} // namespace ah_test

#define AH_TEST_JOIN_(a, b) a##b
#define AH_TEST_JOIN(a, b)  AH_TEST_JOIN_(a, b)

#define TEST(sentence)      AH_TEST_DEFINE(sentence, AH_TEST_JOIN(test_at_line_, __LINE__))
#define AH_TEST_DEFINE(sentence, name)                                                             \
    static void name();                                                                            \
    static ah_test::test AH_TEST_JOIN(name, _row) = {sentence, __FILE__, __LINE__, name, nullptr}; \
    static ah_test::registration AH_TEST_JOIN(name, _in)(&AH_TEST_JOIN(name, _row));               \
    static void name()

#define HIP_TEST_MAIN                                                                              \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return ah_test::run(argc, argv);                                                           \
    }

// Leaves the test: the device lacks what it is about.
#define SKIP(reason) throw ah_test::skipped(reason)

// The condition holds.
#define CHECK(condition) ah_test::check(!!(condition), #condition, __FILE__, __LINE__)

// Like CHECK, with values and a text that tells which case it was.
#define CHECK_CASE(condition, ...)                                                                 \
    do {                                                                                           \
        if (!ah_test::held(condition))                                                             \
            ah_test::fail_case(__FILE__, __LINE__, #condition, __VA_ARGS__);                       \
    } while (0)

#define CHECK_EQ(got, want) ah_test::check_equal((got), (want), #got, __FILE__, __LINE__)

// Within a number of units in the last place of the type of got; want may be more precise.
#define CHECK_NEAR_ULP(got, want, limit)                                                           \
    ah_test::check_near((got), (want), (limit), #got, __FILE__, __LINE__)

// The call of the HIP API succeeds; else the test ends here.
#define CHECK_HIP(call) (ah_test::held(true), ah_test::check_hip((call), #call, __FILE__, __LINE__))

// The launch before this succeeded, and so did the kernel.
#define CHECK_LAUNCH()                                                                             \
    do {                                                                                           \
        CHECK_HIP(hipGetLastError());                                                              \
        CHECK_HIP(hipDeviceSynchronize());                                                         \
    } while (0)

#endif
