#!/usr/bin/env python3
"""Compares the kernel times of twins that programs.sh measured: programs_compare.py FOLDER [--kernels]
[--side FOLDER'S], where another folder beside hip has programs compiled in another way.

The time of a kernel is its launches times the median of them, for each shape of a launch; of several
runs the least counts, without the first (0), in which PTX was compiled. Prints a table of programs, HIP's
time to CUDA's, and the geometric mean of those whose results agree."""
import glob
import math
import os
import re
import sys

TIME = re.compile(r"time|second|\bms\b|\bus\b|\bns\b|\(?[num]?s\)|/s\b|bandwidth|throughput|speed|flop|exit status"
                  r"|rate|fps|elapsed|duration|device|gpu|cycles|clock", re.I)


def read_kernels(path):
    """{(name, shape): (launches, median, registers, local)} of one run."""
    kernels = {}
    with open(path, errors="replace") as file:
        for line in file:
            count, _, least, median, registers, local, shared, dynamic, grid, block, name = \
                line.rstrip("\n").split("\t", 10)
            key = (name, grid, block)
            old = kernels.get(key, (0, 0, 0, 0))
            count, median = int(count), int(median)
            total = old[0] * old[1] + count * median
            kernels[key] = (old[0] + count, total / (old[0] + count), int(registers), int(local))
    return kernels


def side(folder, name, which):
    """The least medians of all runs, or None."""
    best = None
    paths = sorted(glob.glob(f"{folder}/log/{name}.{which}.[0-9]*.times"))
    later = [p for p in paths if not p.endswith(".0.times")]
    for path in later or paths:
        run = read_kernels(path)
        if not run:
            continue
        if best is None:
            best = run
            continue
        for key, value in run.items():
            if key in best and best[key][0] == value[0]:
                best[key] = min(best[key], value, key=lambda v: v[1])
    return best


def output(folder, name, which):
    """What it printed that is no time; None if it did not end well."""
    best = None
    for path in sorted(glob.glob(f"{folder}/log/{name}.{which}.[0-9]")):
        text = open(path, errors="replace").read()
        if "exit status 0" in text:
            best = text
    if best is None:
        return None
    return [line for line in best.splitlines() if not TIME.search(line)]


def numbers(line):
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", line)]


def agree(a, b):
    """Whether two outputs have the same lines, but for the last digits of numbers."""
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if x == y:
            continue
        m, n = numbers(x), numbers(y)
        if len(m) != len(n) or re.sub(r"[-\d.e+]+", "", x) != re.sub(r"[-\d.e+]+", "", y):
            return False
        if any(abs(p - q) > 1e-3 * max(abs(p), abs(q)) + 1e-6 for p, q in zip(m, n)):
            return False
    return True


def verdict(folder, name, of):
    a, b = output(folder, name, of), output(folder, name, "cuda")
    if a is None or b is None:
        return "no end" if a is None and b is None else "hip ends badly" if a is None else "cuda ends badly"
    fails = [any(re.search(r"\bfail|error\b|mismatch", l, re.I) and not re.search(r"\b0\b|no error", l) for l in o)
             for o in (a, b)]
    if fails[0] and not fails[1]:
        return "hip fails"
    return "same" if agree(a, b) else "differs"


def plain(name):
    """The function's own name in a mangled one."""
    match = re.match(r"_Z(?:N?L?)(\d+)", name)
    if match:
        start = match.end()
        return name[start:start + int(match.group(1))]
    return name


def total(kernels):
    return sum(v[0] * v[1] for v in kernels.values())


def by_name(kernels):
    names = {}
    for (name, _, _), (count, median, registers, local) in kernels.items():
        old = names.get(name, (0, 0, 0, 0))
        names[name] = (old[0] + count, old[1] + count * median, max(old[2], registers), max(old[3], local))
    return names


def main():
    folder, detail = sys.argv[1], "--kernels" in sys.argv
    of = sys.argv[sys.argv.index("--side") + 1] if "--side" in sys.argv else "hip"
    rows = []
    for line in open(f"{folder}/programs.tsv"):
        name = line.split("\t")[0].strip()
        hip, cuda = side(folder, name, of), side(folder, name, "cuda")
        result = verdict(folder, name, of)
        if not hip or not cuda or total(hip) == 0 or total(cuda) == 0:
            print(f"{name}\t-\t\t\t{result}\t{'' if hip else 'no kernels of hip'} {'' if cuda else 'no kernels of cuda'}")
            continue
        h, c = by_name(hip), by_name(cuda)
        same_work = sum(v[0] for v in h.values()) == sum(v[0] for v in c.values())
        ratio = total(hip) / max(total(cuda), 1)
        rows.append((ratio, name, total(hip), total(cuda), result if same_work else result + ", other launches", h, c))
    rows.sort(key=lambda r: -r[0])
    for ratio, name, hip, cuda, result, h, c in rows:
        print(f"{name}\t{ratio:.3f}\t{hip / 1e3:.1f}\t{cuda / 1e3:.1f}\t{result}")
        if not detail:
            continue
        for kernel in sorted(h, key=lambda k: -h[k][1]):
            count, time, registers, local = h[kernel]
            other = c.get(kernel)
            if other is None and len(h) == len(c) == 1:
                other = next(iter(c.values()))
            if time < 0.02 * hip:
                continue
            if other:
                print(f"\t{time / max(other[1], 1):.3f}\t{time / 1e3:.1f}\t{other[1] / 1e3:.1f}\t{count}/{other[0]} launches, "
                      f"registers {registers}/{other[2]}, local {local}/{other[3]}\t{plain(kernel)}")
            else:
                print(f"\t-\t{time / 1e3:.1f}\t-\t{count} launches, registers {registers}, local {local}\t{kernel}")
    good = [r for r in rows if r[4] == "same"]
    for label, chosen in (("same results", good), ("all", rows)):
        if chosen:
            mean = math.exp(sum(math.log(r[0]) for r in chosen) / len(chosen))
            above = sum(r[0] > 1.05 for r in chosen)
            print(f"{label}: {len(chosen)} programs, geometric mean {mean:.3f}, {above} above 1.05")


main()
