// The accuracy of device math, measured on the host: the functions of include/hip/device/math/
// compiled for it, with the approximate instructions of either vendor emulated at the limits of
// their errors (emulate.h), against MPFR.
//
//   accuracy [option...] [function...]     such as exp_f32 or exp (both precisions); default: all
//     --all              float functions of one argument: every float (a minute or so for each)
//     --points N         arguments for each function and mode (default 300000)
//     --vendor NAME      nvidia or amd alone
//     --mode NAME        nearest, lowest, highest or hashed alone: where approximations lie within
//                        their errors (default: all four; with --all hashed)
//     --bins             also the worst error for each exponent of the argument
//     --threads N        (default: all processors)
//     --write-arguments FOLDER   writes the arguments of each function, --results FOLDER compares
//     what
//                        a device made of them: bench_math --results FOLDER runs in between
//
// A sweep compares with double or long double functions of the C library and keeps the worst case
// of each exponent of the argument; these are measured again against MPFR, and the worst of them is
// what is printed. "ulp" is the distance from the exact value. A row fails, and with it the
// program, if it is above the limit in functions.def by more than the half that rounding to nearest
// has.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "device_functions.h"
#include "emulation_mode.h"
#include "points.h"
#include "reference.h"

emulation emulation_mode = nearest;

namespace
{
const char *const mode_names[] = {"nearest", "lowest", "highest", "hashed"};

struct settings {
    bool every_float = false, bins = false, writes = false;
    std::uint64_t points = 300000;
    std::string vendor, folder;
    int mode = -1;
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::string> names;
} options;

template <typename T> struct format;
template <> struct format<float> {
    typedef double wide;
    static constexpr int digits = 24, least = -126, bins = 256;
    static int bin(float x) { return __builtin_bit_cast(std::uint32_t, x) >> 23 & 255; }
    static const char *suffix() { return "f32"; }
};
template <> struct format<double> {
    typedef long double wide;
    static constexpr int digits = 53, least = -1022, bins = 2048;
    static int bin(double x)
    {
        return static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 52 & 2047);
    }
    static const char *suffix() { return "f64"; }
};

// The exponent whose unit of the last place errors of results near that number are measured in.
template <typename T, typename W> int exponent_of(W x)
{
    typedef std::numeric_limits<T> limits;
    if (x == 0)
        return format<T>::least;
    return std::min(std::max(std::ilogb(x), format<T>::least), limits::max_exponent - 1);
}
template <typename T, typename W> double unit(W x)
{
    return std::ldexp(1.0, exponent_of<T>(x));
}

// |got - want| in units of the last place of want. Infinity counts as the power of two after the
// largest number.
template <typename T, typename W> double ulps(T got, W want)
{
    typedef std::numeric_limits<T> limits;
    if (got != got || want != want)
        return (got != got) == (want != want) ? 0 : HUGE_VAL;
    if (static_cast<W>(got) == want || static_cast<T>(want) == got)
        if (std::isinf(got))
            return 0;
    const W beyond = std::ldexp(W(1), limits::max_exponent);
    const W a = std::isinf(got) ? std::copysign(beyond, W(got)) : W(got);
    const W b = std::fabs(want) > 2 * beyond ? std::copysign(2 * beyond, want) : want;
    return static_cast<double>(
        std::ldexp(std::fabs(a - b), format<T>::digits - 1 - exponent_of<T>(b)));
}
// The same, quickly, where both are finite.
inline double quick_ulps(float got, double want)
{
    const std::uint64_t e =
        std::max<std::uint64_t>(__builtin_bit_cast(std::uint64_t, want) >> 52 & 2047, 1023 - 126);
    const double u = std::fabs(got - want) * __builtin_bit_cast(double, (2 * 1023 + 23 - e) << 52);
    return u < 1e15 ? u : ulps<float, double>(got, want);
}
inline double quick_ulps(double got, long double want)
{
    if (!(std::fabs(want) > 0x1p-1000L && std::fabs(want) < 0x1p1000L))
        return ulps<double, long double>(got, want);
    const std::uint64_t e =
        __builtin_bit_cast(std::uint64_t, static_cast<double>(want)) >> 52 & 2047;
    const double u = static_cast<double>(std::fabs(got - want)) *
                     __builtin_bit_cast(double, (2 * 1023 + 52 - e) << 52);
    return u < 1e15 ? u : ulps<double, long double>(got, want);
}

template <typename T> struct worst {
    double ulps = -1;
    T x = 0, y = 0, got = 0;
};
template <typename T> struct tally {
    std::vector<worst<T>> bins = std::vector<worst<T>>(format<T>::bins);
    std::uint64_t seen = 0, wrong = 0; /* not correctly rounded */
};

template <typename T> using device = void (*)(T *, const T *, const T *, std::size_t);

template <typename T>
void expect(const reference_function &f, const T *x, const T *y, std::size_t n,
            typename format<T>::wide *want)
{
    for (std::size_t i = 0; i < n; ++i)
        if constexpr (sizeof(T) == 4)
            want[i] = f.quick(x[i], y[i]);
        else
            want[i] = f.careful(x[i], y[i]);
}

template <typename T>
void compare(const reference_function &f, const T *x, const T *y,
             const typename format<T>::wide *wants, const T *got, std::size_t n, tally<T> &t)
{
    typedef typename format<T>::wide W;
    for (std::size_t i = 0; i < n; ++i) {
        const W want = wants[i];
        double u = quick_ulps(got[i], want);
        if (const double floor = u > 0.5 ? f.floor(static_cast<double>(x[i])) : 0)
            if (std::fabs(want) < floor && u < HUGE_VAL)
                u *= unit<T>(want) / unit<T>(static_cast<W>(floor));
        t.wrong += u > 0.5;
        worst<T> &w = t.bins[static_cast<std::size_t>(format<T>::bin(x[i]))];
        if (u > w.ulps)
            w = {u, x[i], y[i], got[i]};
    }
    t.seen += n;
}

template <typename T> void join(tally<T> &into, const tally<T> &from)
{
    for (std::size_t i = 0; i < into.bins.size(); ++i)
        if (from.bins[i].ulps > into.bins[i].ulps)
            into.bins[i] = from.bins[i];
    into.seen += from.seen;
    into.wrong += from.wrong;
}

const std::uint64_t block = 1024;

// Calls work(thread, from, n) in all threads, for blocks of the numbers below n.
template <typename F> void in_blocks(std::uint64_t n, F work)
{
    std::atomic<std::uint64_t> next{0};
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < options.threads; ++k)
        threads.emplace_back([&, k] {
            for (std::uint64_t from; (from = next.fetch_add(block)) < n;)
                work(k, from, static_cast<std::size_t>(std::min(block, n - from)));
        });
    for (std::thread &t : threads)
        t.join();
}

// One sweep; produce(from, n, x, y, want, got) gives n arguments from that number on, what is
// expected of them, and their results.
template <typename T, typename F>
tally<T> sweep(const reference_function &f, std::uint64_t n, F produce)
{
    std::vector<tally<T>> tallies(options.threads);
    in_blocks(n, [&](unsigned thread, std::uint64_t from, std::size_t count) {
        T x[block], y[block], got[block];
        typename format<T>::wide want[block];
        produce(from, count, x, y, want, got);
        compare(f, x, y, want, got, count, tallies[thread]);
    });
    for (unsigned k = 1; k < options.threads; ++k)
        join(tallies[0], tallies[k]);
    return tallies[0];
}

// The worst cases against MPFR.
template <typename T> void measure_again(const reference_function &f, tally<T> &t)
{
    mpfr_t x, y, exact, got;
    mpfr_inits2(64, x, y, got, static_cast<mpfr_ptr>(nullptr));
    mpfr_init2(exact, 160);
    for (worst<T> &w : t.bins) {
        if (w.ulps < 0)
            continue;
        mpfr_set_d(x, w.x, MPFR_RNDN);
        mpfr_set_d(y, w.y, MPFR_RNDN);
        f.exact(exact, x, y);
        if (mpfr_nan_p(exact) || mpfr_inf_p(exact) || !std::isfinite(w.got)) {
            w.ulps = ulps<T, long double>(w.got, mpfr_get_ld(exact, MPFR_RNDN));
            continue;
        }
        const long double floor = f.floor(static_cast<double>(w.x));
        const int e = exponent_of<T>(std::max(std::fabs(mpfr_get_ld(exact, MPFR_RNDN)), floor));
        mpfr_set_d(got, w.got, MPFR_RNDN);
        mpfr_sub(exact, exact, got, MPFR_RNDN);
        mpfr_mul_2si(exact, exact, format<T>::digits - 1 - e, MPFR_RNDN);
        w.ulps = std::fabs(mpfr_get_d(exact, MPFR_RNDN));
    }
    mpfr_clears(x, y, exact, got, static_cast<mpfr_ptr>(nullptr));
}

// Arguments of the usual sweep by their number: first options.points of any kind, then the hard
// ones.
template <typename T> std::uint64_t usual()
{
    return options.points + points::hard<T>().size();
}
template <typename T>
void arguments(const reference_function &f, std::uint64_t from, std::size_t n, T *x, T *y)
{
    const std::vector<T> &hard = points::hard<T>();
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint64_t i = from + k, h = i - options.points;
        const bool any = i < options.points;
        x[k] = any ? points::any<T>(f.low, f.high, i) : hard[h];
        y[k] = f.arguments == 1 ? T(0)
               : any            ? points::any<T>(f.low_y, f.high_y, i * 3 + 1)
                                : hard[points::mixed(h) % hard.size()];
    }
}

// What is expected of the arguments of the usual sweep: some functions of the reference take longer
// than all modes of both vendors together.
template <typename T> std::vector<typename format<T>::wide> usual_wants(const reference_function &f)
{
    std::vector<typename format<T>::wide> wants(usual<T>());
    in_blocks(wants.size(), [&](unsigned, std::uint64_t from, std::size_t n) {
        T x[block], y[block];
        arguments(f, from, n, x, y);
        expect(f, x, y, n, &wants[from]);
    });
    return wants;
}

template <typename T>
tally<T> sweep_all(const reference_function &f, device<T> function,
                   const std::vector<typename format<T>::wide> &wants)
{
    typedef typename format<T>::wide W;
    const auto produce = [&](std::uint64_t from, std::size_t n, T *x, T *y, W *want, T *got) {
        arguments(f, from, n, x, y);
        std::copy_n(&wants[from], n, want);
        function(got, x, y, n);
    };
    tally<T> t = sweep<T>(f, usual<T>(), produce);
    if constexpr (sizeof(T) == 4) {
        const auto every = [&](std::uint64_t from, std::size_t n, T *x, T *y, W *want, T *got) {
            for (std::size_t k = 0; k < n; ++k) {
                x[k] = __builtin_bit_cast(float, static_cast<std::uint32_t>(from + k));
                y[k] = 0;
            }
            expect(f, x, y, n, want);
            function(got, x, y, n);
        };
        if (options.every_float && f.arguments == 1)
            join(t, sweep<float>(f, std::uint64_t{1} << 32, every));
    }
    measure_again(f, t);
    return t;
}

// ---- results of a device: bench/math.hip --results ----

template <typename T> std::string path_of(const reference_function &f, const char *end)
{
    return options.folder + "/" + f.name + "_" + format<T>::suffix() + end;
}
template <typename T> void write_file(const std::string &path, const std::vector<T> &v)
{
    FILE *file = std::fopen(path.c_str(), "wb");
    if (!file || std::fwrite(v.data(), sizeof(T), v.size(), file) != v.size() ||
        std::fclose(file) != 0) {
        std::perror(path.c_str());
        std::exit(2);
    }
}
template <typename T> void write_arguments(const reference_function &f)
{
    std::vector<T> x(usual<T>()), y(x.size());
    arguments(f, 0, x.size(), x.data(), y.data());
    write_file(path_of<T>(f, ".x"), x);
    if (f.arguments == 2)
        write_file(path_of<T>(f, ".y"), y);
}
// False: there are no results.
template <typename T> bool compare_results(const reference_function &f, tally<T> &t)
{
    std::vector<T> results(usual<T>());
    FILE *file = std::fopen(path_of<T>(f, ".out").c_str(), "rb");
    if (!file)
        return false;
    const bool whole =
        std::fread(results.data(), sizeof(T), results.size(), file) == results.size();
    std::fclose(file);
    if (!whole)
        return false;
    typedef typename format<T>::wide W;
    const auto produce = [&](std::uint64_t from, std::size_t n, T *x, T *y, W *want, T *got) {
        arguments(f, from, n, x, y);
        expect(f, x, y, n, want);
        std::copy_n(&results[from], n, got);
    };
    t = sweep<T>(f, results.size(), produce);
    measure_again(f, t);
    return true;
}

template <typename T> const worst<T> &worst_of(const tally<T> &t)
{
    return *std::max_element(t.bins.begin(), t.bins.end(),
                             [](auto &a, auto &b) { return a.ulps < b.ulps; });
}

template <typename T>
bool report(const reference_function &f, const tally<T> &t, const char *vendor, const char *mode)
{
    const double limit = sizeof(T) == 4 ? f.limit32 : f.limit64;
    const worst<T> &w = worst_of(t);
    const bool fine = w.ulps <= limit + 0.5;
    char y[40] = "";
    if (f.arguments == 2)
        std::snprintf(y, sizeof y, ", %a", static_cast<double>(w.y));
    std::printf("%-18s %-7s %-8s %9.4f ulp  limit %g  %6.3f %% not nearest  (%a%s) = %a%s\n",
                (std::string(f.name) + "_" + format<T>::suffix()).c_str(), vendor, mode, w.ulps,
                limit, 100.0 * static_cast<double>(t.wrong) / static_cast<double>(t.seen),
                static_cast<double>(w.x), y, static_cast<double>(w.got), fine ? "" : "  TOO MUCH");
    if (options.bins)
        for (const worst<T> &b : t.bins)
            if (b.ulps >= 0)
                std::printf("    bin %a %.4f\n", static_cast<double>(b.x), b.ulps);
    std::fflush(stdout);
    return fine;
}

bool wanted(const char *name, const char *suffix)
{
    for (const std::string &w : options.names)
        if (w == name || w == std::string(name) + "_" + suffix)
            return true;
    return options.names.empty();
}

template <typename T>
bool measure(const reference_function &f, device<T> nvidia, device<T> amd, bool &found)
{
    bool fine = true;
    if (!wanted(f.name, format<T>::suffix()))
        return true;
    if (options.writes) {
        write_arguments<T>(f);
        return found = true;
    }
    if (!options.folder.empty()) {
        tally<T> t;
        const bool there = compare_results(f, t);
        found |= there;
        return !there || report(f, t, "device", "");
    }
    std::vector<typename format<T>::wide> wants;
    for (int mode = 0; mode < 4; ++mode) {
        if (mode != options.mode && (options.mode >= 0 || (options.every_float && mode != hashed)))
            continue;
        for (int vendor = 0; vendor < 2; ++vendor) {
            const char *name = vendor ? "amd" : "nvidia";
            const device<T> function = vendor ? amd : nvidia;
            if (!function || (!options.vendor.empty() && options.vendor != name))
                continue;
            if (wants.empty())
                wants = usual_wants<T>(f);
            emulation_mode = static_cast<emulation>(mode);
            fine &= report(f, sweep_all<T>(f, function, wants), name, mode_names[mode]);
            found = true;
        }
    }
    return fine;
}

[[noreturn]] void usage(const char *wrong)
{
    std::fprintf(stderr, "accuracy: %s: see the head of accuracy.cpp\n", wrong);
    std::exit(2);
}

void parse(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        const auto value = [&] { return i + 1 < argc ? argv[++i] : (usage(a.c_str()), ""); };
        if (a == "--all")
            options.every_float = true;
        else if (a == "--bins")
            options.bins = true;
        else if (a == "--points")
            options.points = std::strtoull(value(), nullptr, 0);
        else if (a == "--threads")
            options.threads = static_cast<unsigned>(std::max(1l, std::strtol(value(), nullptr, 0)));
        else if (a == "--write-arguments" || a == "--results") {
            options.writes = a == "--write-arguments";
            options.folder = value();
        } else if (a == "--vendor")
            options.vendor = value();
        else if (a == "--mode") {
            const std::string m = value();
            for (int k = 0; k < 4; ++k)
                if (m == mode_names[k])
                    options.mode = k;
            if (options.mode < 0)
                usage(m.c_str());
        } else if (a[0] == '-')
            usage(a.c_str());
        else
            options.names.push_back(a);
    }
}
} // namespace

int main(int argc, char **argv)
{
    parse(argc, argv);
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        std::printf("skipped: the functions are compiled for processors with AVX2 and FMA\n");
        return 77;
    }
    bool fine = true, found = false;
    for (int i = 0; reference_functions[i].name; ++i) {
        const reference_function &f = reference_functions[i];
        fine &= measure<float>(f, nvidia_functions[i].f32, amd_functions[i].f32, found);
        fine &= measure<double>(f, nvidia_functions[i].f64, amd_functions[i].f64, found);
    }
    if (!found && !options.names.empty())
        usage("no such function in include/hip/device/math/");
    return fine ? 0 : 1;
}
