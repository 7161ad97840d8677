#!/usr/bin/python3
"""Makes docs/math.md of what was measured: math_page.py [--check].

bench/math_results has the results, one file for each measurement, with what it was made on in its first
line; math_page.py record KIND DEVICE FILE... writes one of them:

  record time DEVICE HIP.tsv... -- CUDA.tsv...         runs of bench_math and bench_math_cuda: the best
  record floats DEVICE HIP CUDA                        bench_math --floats
  record points DEVICE HIP CUDA                        math_accuracy --results
  record ARCH ARCH.tsv                                 bench/count.sh
"""
import math
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "math_results")
PAGE = os.path.join(HERE, "..", "docs", "math.md")
FUNCTIONS = os.path.join(HERE, "..", "tests", "math", "functions.def")


def rows(path):
    """The lines of a file as lists of cells, without those that begin with #."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [line for line in lines if len(line) > 1]


def result(name):
    """What a file of results says of itself, and its rows by function; nothing if it is missing."""
    path = os.path.join(RESULTS, name + ".tsv")
    if not os.path.exists(path):
        return "", {}
    with open(path, encoding="utf-8") as file:
        about = file.readline()[1:].strip()
    return about, {row[0]: row[1:] for row in rows(path)}


def write(name, about, table):
    with open(os.path.join(RESULTS, name + ".tsv"), "w", encoding="utf-8") as file:
        file.write("# %s\n" % about)
        for row in table:
            file.write("\t".join(str(cell) for cell in row) + "\n")


# ---- recording ----

def best(paths):
    times = {}
    for path in paths:
        for name, time in rows(path):
            times[name] = min(times.get(name, math.inf), float(time))
    return times


def accuracy(path):
    """Errors in ULP by the names of tests/math/functions.def."""
    with open(path, encoding="utf-8") as file:
        found = re.findall(r"^(\w+_f(?:32|64)) .*? ([0-9.]+|inf) ulp", file.read(), flags=re.M)
    return dict(found)


def record(arguments):
    kind = arguments[0]
    if kind == "time":
        split = arguments.index("--")
        hip, cuda = best(arguments[2:split]), best(arguments[split + 1:])
        write(kind, arguments[1], [(name, hip[name], cuda[name]) for name in hip if name in cuda])
    elif kind == "floats":
        hip, cuda = ({row[0]: row for row in rows(path) if row[0] != "bin"}
                     for path in arguments[2:4])
        write(kind, arguments[1], [(name, hip[name][1], cuda[name][1], hip[name][2])
                                   for name in hip if name in cuda])
    elif kind == "points":
        hip, cuda = accuracy(arguments[2]), accuracy(arguments[3])
        write(kind, arguments[1], [(name, hip[name], cuda.get(name, "")) for name in hip])
    else:
        about = "executed instructions for a call, by bench/count.sh"
        write(kind, about, rows(arguments[1]))


# ---- the page ----

def documented():
    """The functions of functions.def, with what CUDA and HIP document for float and double."""
    (_, cuda), (_, hip) = result("documented"), result("documented_hip")
    with open(FUNCTIONS, encoding="utf-8") as file:
        names = re.findall(r"^MATH_[12]\((\w+),", file.read(), flags=re.M)
    return [(name, *zip(cuda.get(name, ["", ""]), hip.get(name, ["", ""]))) for name in names]


def in_order():
    """The functions of bench/math_functions.def."""
    with open(os.path.join(HERE, "math_functions.def"), encoding="utf-8") as file:
        found = re.findall(r"^([FD])(X?)[12]?\((\w+),", file.read(), flags=re.M)
    return [name + ("f" if kind == "F" and not own else "") for kind, own, name in found]


def is_single(name):
    if name.startswith("__"):
        return not re.match(r"__(d|fma_)", name)
    return bool(re.search(r"f(_\w+)?$", name)) and name not in ("erf",)


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else 0.0


def number(text, digits=2):
    if text in ("", None):
        return ""
    value = float(text)
    return "%.*f" % (digits, value) if math.isfinite(value) else "special value"


def time_tables(lines):
    about, times = result("time")
    if not times:
        return
    lines += ["## Time on a GPU", "",
              "On %s: picoseconds for one call, of the whole device, the better of two runs of each program, by"
              " turns. `bench/math.hip` is one source for both compilers; arguments are random and differ"
              " from lane to lane. What the loop and the generator of arguments take is contained in both,"
              " and left out of \"calls alone\"." % about, ""]
    calls = {name: times[name] for name in in_order() if name in times and "nothing" not in name}

    def alone(name, cells):
        nothing = times["nothingf" if is_single(name) else "nothing"]
        return [max(float(cell) - float(base), 1e-3) for cell, base in zip(cells, nothing)]
    whole = [float(h) / float(c) for h, c in calls.values()]
    lines += ["![Time of each function by AnyHIP, as a part of CUDA's](figures/math-time.svg)", "",
              "Geometric mean of %d functions: **%.3f** of CUDA's time." %
              (len(whole), geometric_mean(whole)), "",
              "Above 1.10 are `half_exp2`, `cyl_bessel_i0` and `cyl_bessel_i1`, for accuracy. Powers and"
              " logarithms of a half are here the half that is nearest to the nearest float, as HIP's tests"
              " want them, for every half (measured on an H100), and CUDA's the half that is nearest to the"
              " exact result, which is another one for at most five halves of each. Of small doubles"
              " `cyl_bessel_i0` and `cyl_bessel_i1` count what the rounding of the argument's square leaves:"
              " without that their errors are 6.5 and 6.2 ULP instead of 3.5 and 3.4.", "",
              "| function | AnyHIP | CUDA | ratio | calls alone |", "|---|---|---|---|---|"]
    for name, (hip, cuda) in calls.items():
        one, other = alone(name, (hip, cuda))
        lines.append("| `%s` | %.3f | %.3f | %.2f | %s |" % (
            name, float(hip), float(cuda), float(hip) / float(cuda),
            "%.2f" % (one / other) if other > 0.02 else ""))
    lines.append("")


def error_tables(lines):
    about, points = result("points")
    _, floats = result("floats")
    if not points:
        return
    lines += ["## Errors", "",
              "On %s: the largest distance from the exact value in units of the last place (ULP), of all"
              " 2^32 arguments for float functions of one argument, and of dense, random and hard ones"
              " otherwise, against MPFR. CUDA documents the distance from the correctly rounded result, to"
              " which that result's own half is to be added; HIP the difference from the C++ library's"
              " result where the absolute error is largest, for some arguments in a range."
              " Beyond 8 the Bessel functions' errors are in units of the largest value that they take"
              " there, and lgamma's between -24 and -2.2 in units of 1."
              " `tgammaf` is of all arguments alone, on an H100 with the same driver." % about, "",
              "![Largest errors of AnyHIP and CUDA, by function](figures/math-errors.svg)", "",
              "| function | AnyHIP, float | CUDA, float | CUDA documents | HIP documents | AnyHIP, double | CUDA, double"
              " | CUDA documents | HIP documents |",
              "|---|---|---|---|---|---|---|---|---|"]
    for name, limit32, limit64 in documented():
        if name + "_f32" not in points and name + "_f64" not in points:
            continue
        cells = []
        for suffix, limit in (("_f32", limit32), ("_f64", limit64)):
            found = points.get(name + suffix, ["", ""])
            if suffix == "_f32" and name + "f" in floats:
                every = floats[name + "f"]
                found = [max(a, b, key=lambda x: float(x or 0)) if float(b) < 1e6 else a
                         for a, b in zip(found, every)]
            cells += [number(found[0]), number(found[1]), *(limit if found[0] else ["", ""])]
        lines.append("| `%s` | %s |" % (name, " | ".join(cells)))
    lines.append("")


def library_has():
    """Tells of a function of bench/math_functions.def whether the vendors' libraries have it."""
    with open(os.path.join(HERE, "math_library.h"), encoding="utf-8") as file:
        names = set(re.findall(r"^LIBRARY_\w+\((\w+),? ?", file.read(), flags=re.M))
    return lambda name: re.sub(r"f?(_\w+)?$", "", name) in names or name in names


def count_tables(lines):
    archs = [(arch, library, result(arch)[1]) for arch, library in
             (("gfx90a", "OCML"), ("gfx1100", "OCML"), ("sm_80", "libdevice"))]
    has = library_has()
    archs = [(arch, library, {name: cells for name, cells in table.items() if has(name)})
             for arch, library, table in archs if table]
    if not archs:
        return
    lines += ["## Executed instructions", "",
              "Instructions for one call on simulated devices (`bench/count.sh`), of AnyHIP's functions and"
              " of the vendor's library: AMD's OCML of Debian's rocm-device-libs 5.2, and CUDA's libdevice,"
              " of which instructions of PTX are counted; both are compiled by the same clang. A warp"
              " executes what any of its lanes needs.", ""]
    for arch, library, table in archs:
        ratios = [float(own) / float(other) for own, other in table.values()
                  if other and float(own) > 0.5 and float(other) > 0.5]
        lines.append("- %s: geometric mean of %d functions **%.3f** of %s" %
                     (arch, len(ratios), geometric_mean(ratios), library))
    lines += ["", "| function | %s |" % " | ".join("%s | %s | ratio" % (arch, library)
                                                 for arch, library, _ in archs),
              "|---|" + "---|---|---|" * len(archs)]
    for name in (name for name in in_order() if name in archs[0][2]):
        cells = []
        for _, _, table in archs:
            own, other = table.get(name, ["", ""])
            same = own and other and float(own) > 0.5 and float(other) > 0.5
            cells += [number(own, 0), number(other, 0), "%.2f" % (float(own) / float(other)) if same else ""]
        lines.append("| `%s` | %s |" % (name, " | ".join(cells)))
    lines.append("")


def page():
    lines = ["# Device math", "",
             "Device code uses math functions of AnyHIP's own, in `include/hip/device/math/`: one algorithm for"
             " both vendors, which starts from the hardware's approximations of either. This page is made by"
             " `bench/math_page.py` from what was measured; how to measure again is at its end.", ""]
    time_tables(lines)
    error_tables(lines)
    count_tables(lines)
    lines += ["## Measuring", "", "Without a GPU:", "", "```sh",
              "ninja -C build/release math_accuracy && build/release/tests/math/math_accuracy  # errors",
              "bench/count.sh build/release/bin/hipcc build/release/lib counts                 # instructions",
              "bench/math_page.py record gfx90a counts/gfx90a.tsv", "```", "",
              "[tests/math/README.md](../tests/math/README.md) has the options. With an NVIDIA GPU and nvcc:", "",
              "```sh",
              "hipcc -O2 --offload-arch=sm_90 bench/math.hip -o bench_math && ./bench_math >hip.tsv",
              "nvcc -O2 -arch=sm_90 -x cu bench/math.hip -o bench_math_cuda && ./bench_math_cuda >cuda.tsv",
              "bench/math_page.py record time \"an NVIDIA H200\" hip.tsv -- cuda.tsv", "```", "",
              "The driver compiles PTX when a program runs for the first time: the second run counts.", ""]
    return "\n".join(
        line if line[:1] in "|!#`-" or len(line) < 100 or line.startswith(("bench", "ninja"))
        else textwrap.fill(line, 100, break_long_words=False, break_on_hyphens=False)
        for line in lines)


def main():
    if sys.argv[1:2] == ["record"]:
        record(sys.argv[2:])
        return 0
    text = page()
    if "--check" in sys.argv:
        with open(PAGE, encoding="utf-8") as file:
            same = file.read() == text
        if not same:
            print("docs/math.md was made from something else: bench/math_page.py makes it anew")
        return 0 if same else 1
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
