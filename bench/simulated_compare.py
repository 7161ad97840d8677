#!/usr/bin/env python3
"""Compares what simulated.sh recorded: simulated_compare.py FOLDER VARIANT VARIANT... [--processor] [--kernels]

The speed-up of a program, from the first variant to another, is the ratio of the times in which they
came to the same place: the end, if both came there, else the furthest place that both reached. A place
is a number of kernels that have ended, and of the next one the share of its blocks. Times are those of
the clock, or with --processor these times the share of processor time in the whole run, which a busy
machine changes less; compiling, in a thread of its own, counts then too. With --kernels they begin where
the first kernel does, without the program's preparation. Prints a table of programs, how many end, and
the geometric mean. Without a place in common there is no speed-up. Programs that some variant ended with
an error, or without a kernel, are left out."""
import bisect
import math
import os
import re
import sys


class Run:
    """What one program did with one variant."""

    def __init__(self, path):
        self.ended, self.how, self.kernels, samples = False, "", [], []
        self.wall = self.used = self.system = 0.0
        with open(path) as file:
            for line in file:
                words = line.split()
                if words[0] == "end":
                    self.how = "limit" if words[1] == "limit" else " ".join(words[1:3])
                    self.ended = self.how == "exit 0"
                    self.wall, self.system = float(words[4]), float(words[8])
                    self.used = float(words[6]) + self.system
                elif words[0] == "kernel":
                    self.kernels.append([int(w) for w in words[1:]])
                elif words[0] == "blocks":
                    samples.append([int(w) for w in words[1:]])
                elif words[0] == "lost":
                    self.how = "records of its trace lost"
        self.points = self.make_points(samples)
        with open(path + ".out", errors="replace") as file:
            self.output = file.read()

    def make_points(self, samples):
        """[(place, seconds)], both ascending."""
        points = [(0.0, 0.0)]
        self.begin = self.kernels[0][1] / 1e9 if self.kernels else self.wall
        for number, begin, end in self.kernels:
            points += [(number - 1.0, begin / 1e9), (float(number), end / 1e9)]
        ends = [k[2] for k in self.kernels]
        for time, running, ended, all_blocks in samples:
            at = bisect.bisect_right(ends, time - running + 1e6)
            number = self.kernels[at - 1][0] if at else 0
            points.append((number, (time - running) / 1e9))
            self.begin = min(self.begin, (time - running) / 1e9)
            points.append((number + ended / all_blocks, time / 1e9))
        if self.ended:
            points.append(((self.kernels[-1][0] if self.kernels else 0) + 1.0, self.wall))
        points.sort(key=lambda p: (p[1], p[0]))
        rising = []
        for place, time in points:
            if not rising or place > rising[-1][0]:
                rising.append((place, time))
            elif place == rising[-1][0] and len(rising) > 1 and rising[-2][0] < place:
                rising.append((place, time))  # it stayed there: what follows begins here
        return rising

    def place(self):
        return self.points[-1][0]

    def time(self, place):
        """When it came to a place, in between as if it had gone there at one speed."""
        before = None
        for point in self.points:
            if point[0] >= place:
                if before is None or point[0] == before[0]:
                    return point[1]
                share = (place - before[0]) / (point[0] - before[0])
                return before[1] + share * (point[1] - before[1])
            before = point
        return None

    def share(self):
        return self.used / self.wall if self.wall else 1.0


def speed_up(old, new, processor, kernels):
    place = min(old.place(), new.place())
    if old.ended and new.ended:
        times = (old.wall, new.wall)
    elif place <= 0:
        return None
    else:
        times = (old.time(place), new.time(place))
    if kernels:
        times = (times[0] - old.begin, times[1] - new.begin)
        if times[0] <= 0:
            return None
    factor = old.share() / new.share() if processor else 1.0
    return times[0] / times[1] * factor if times[1] > 0 else None


def failed(run):
    return run.how not in ("limit", "exit 0") or (run.ended and not run.kernels)


def said(run):
    return "no kernels" if run.ended and not run.kernels else run.how


def told(run, processor):
    if run.ended:
        return f"{run.used if processor else run.wall:.2f}"
    if run.how != "limit":
        return run.how
    return f"{run.place():.2f} kernels"


def mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float("nan")


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    processor, kernels = "--processor" in sys.argv, "--kernels" in sys.argv
    if len(words) < 3:
        sys.exit(__doc__)
    folder, variants = words[0], words[1:]
    names = sorted({n.rsplit(".", 1)[0] for n in os.listdir(f"{folder}/record")
                    if re.search(r"\.%s$" % re.escape(variants[0]), n)})
    rows, bad = [], []
    for name in names:
        paths = [f"{folder}/record/{name}.{v}" for v in variants]
        if not all(os.path.exists(p) and os.path.exists(p + ".out") for p in paths):
            continue
        runs = [Run(p) for p in paths]
        if not all(r.how for r in runs):
            continue
        (bad if any(failed(r) for r in runs) else rows).append((name, runs))
    print(f"| program | {' | '.join(variants)} | " + " | ".join(f"{variants[0]} / {v}" for v in variants[1:]) + " |")
    print("|" + "---|" * (2 * len(variants)))
    ratios = {v: {} for v in variants[1:]}
    for name, runs in rows:
        cells = []
        for variant, run in zip(variants[1:], runs[1:]):
            ratio = speed_up(runs[0], run, processor, kernels)
            if ratio:
                ratios[variant][name] = ratio
            cells.append(f"{ratio:.2f}" if ratio else "")
        print(f"| {name} | {' | '.join(told(r, processor) for r in runs)} | {' | '.join(cells)} |")
    print()
    print(f"{len(rows)} programs")
    for i, variant in enumerate(variants):
        line = f"{variant}: {sum(r[i].ended for _, r in rows)} end"
        if i:
            values = ratios[variant]
            line += f"; {len(values)} have a speed-up, geometric mean {mean(list(values.values())):.3f}"
            ended = [values[n] for n, r in rows if r[0].ended and r[i].ended and n in values]
            line += f" ({mean(ended):.3f} of the {len(ended)} that end with both)"
        print(line)
    for name, runs in bad:
        print(f"left out: {name}: {', '.join(said(r) for r in runs)}")


main()
