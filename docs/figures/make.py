#!/usr/bin/python3
"""Makes the pictures of the documentation: make.py [--check].

Drawings are made from the .dot files beside this script by Graphviz, plots from tables of
docs/benchmarks.md and docs/math.md by gnuplot, traces from parts of trace files by trace.py. Colours are
classes of a style that follows the reader's light or dark
theme. Each picture names the digest of what it was made from; --check compares that with what is there
now and needs no other program.
"""
import glob
import hashlib
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STYLE = """<style>
text { fill: #1b1f24; color: #1b1f24; font-family: "DejaVu Sans", Verdana, sans-serif; }
.node path, .node polygon, .node polyline { fill: #f2f4f7; stroke: #5a6572; }
.hip path, .hip polygon, .hip polyline { fill: #dfeaff; stroke: #2f62b5; }
.nvidia path, .nvidia polygon { fill: #e2f2d3; stroke: #5a8a2a; }
.amd path, .amd polygon { fill: #fde3dc; stroke: #c0492b; }
.sim path, .sim polygon { fill: #ece4fb; stroke: #7550b8; }
.edge path { fill: none; stroke: #5a6572; }
.edge polygon { fill: #5a6572; stroke: #5a6572; }
.cluster polygon, .cluster path { fill: none; stroke: #9aa4b0; }
svg > g { color: #5a6572; }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9ee; color: #e6e9ee; }
.node path, .node polygon, .node polyline { fill: #2a2f37; stroke: #9aa4b0; }
.hip path, .hip polygon, .hip polyline { fill: #1d3356; stroke: #7fa8ea; }
.nvidia path, .nvidia polygon { fill: #26391a; stroke: #9ccc65; }
.amd path, .amd polygon { fill: #4a221a; stroke: #ef8f76; }
.sim path, .sim polygon { fill: #33264f; stroke: #b79cf0; }
.edge path { stroke: #9aa4b0; }
.edge polygon { fill: #9aa4b0; stroke: #9aa4b0; }
svg > g { color: #9aa4b0; }
}
</style>
"""
# Plots: name, heading of the section, number of the table in it, columns with their names,
# what is on the axis of values, whether it is logarithmic.
PLOTS = (
    ("launch-overhead", "NVIDIA H200", 0, (("HIP, ns", "AnyHIP"), ("raw driver, ns", "raw driver"),
                                          ("cudart, ns", "cudart")), "ns for one call", True),
    ("simulator-speed", "Simulated AMD devices", 0, (("gfx90a", "gfx90a"), ("gfx1100", "gfx1100")),
     "million wave-instructions per second of one thread", False),
    ("simulator-and-cpu", "Simulated NVIDIA devices", 1, (("simulated device", "simulated sm_80"),
                                                         ("PoCL", "PoCL on the CPU")), "ms", True),
    ("runtime-overhead", "Simulated AMD devices", 1, (("AnyHIP", "AnyHIP"),
                                                     ("AMD's HIP 5.2 (Debian's libamdhip64-5)",
                                                      "AMD's HIP 5.2")),
     "ns of processor time for one call", False),
)
# Plots of docs/math.md, one point for each function and column: name, heading of the section, columns
# with their names, what is on the axis of values, and whether functions are sorted by the first column.
POINTS = (
    ("math-time", "Time on a GPU", (("ratio", "AnyHIP's time, CUDA's is 1"),), "ratio", True),
    ("math-errors", "Errors", (("AnyHIP, float", "AnyHIP, float"), ("CUDA, float", "CUDA, float"),
                               ("AnyHIP, double", "AnyHIP, double"),
                               ("CUDA, double", "CUDA, double")), "largest error, ULP", False),
)
COLOURS = ("#4f86d9", "#e0873a", "#8f9aa8")


def section(heading, page="benchmarks.md"):
    with open(os.path.join(HERE, "..", page), encoding="utf-8") as file:
        parts = re.split(r"^## ", file.read(), flags=re.M)
    return next(part for part in parts if part.startswith(heading))


def table(heading, number, columns):
    """Rows of a table: a label, and the numbers of the columns. Rows without numbers are left out."""
    tables = re.findall(r"(?:^\|.*\n)+", section(heading), flags=re.M)
    lines = [[cell.strip() for cell in line.strip("|\n").split("|")]
             for line in tables[number].splitlines()]
    places = [lines[0].index(name) for name, _ in columns]
    rows = []
    for line in lines[2:]:
        cells = [re.sub(r"[^0-9.]", "", line[place]) for place in places]
        if all(cells):
            rows.append((line[0].replace("`", "").replace("_", "\\\\_"), cells))
    return rows


def plot_script(plot):
    """gnuplot's script for one plot, with its data."""
    _, heading, number, columns, axis, logarithmic = plot
    rows = table(heading, number, columns)
    data = "".join('"%s" %s\n' % (label, " ".join(cells)) for label, cells in rows)
    lines = ['$data << END', data + "END",
             'set terminal svg size %d,360 dynamic font "DejaVu Sans,12"'
             % max(560, 110 * len(rows)),
             "set style data histogram", "set style histogram clustered gap 1",
             "set style fill solid 1 noborder", "set boxwidth 0.9", "set ylabel '%s'" % axis,
             "set key outside top center horizontal", "set grid ytics lt 1 lw 0.5 lc rgb '#9aa4b0'",
             "set border 3", "set tics nomirror", "set xtics rotate by -25 left noenhanced",
             "set xtics scale 0"]
    if logarithmic:
        lines.append("set logscale y")
    lines.append("set yrange [%s:*]" % ("1" if logarithmic else "0"))
    lines.append("plot " + ", ".join(
        "$data using %d%s title '%s' lc rgb '%s' noenhanced" % (
            i + 2, ":xtic(1)" if i == 0 else "", name.replace("'", "''"), COLOURS[i])
        for i, (_, name) in enumerate(columns)))
    return "\n".join(lines).replace("\\\\_", "_") + "\n"


def points_script(plot):
    """gnuplot's script for points by function."""
    _, heading, columns, axis, by_value = plot
    lines = [[cell.strip() for cell in line.strip("|\n").split("|")]
             for line in re.findall(r"^\|.*\n", section(heading, "math.md"), flags=re.M)]
    places = [lines[0].index(name) for name, _ in columns]
    rows = [(line[0].strip("`"), [line[place] if re.fullmatch(r"[0-9.]+", line[place]) else "NaN"
                                  for place in places]) for line in lines[2:]]
    if by_value:
        rows.sort(key=lambda row: float(row[1][0]))
    data = "".join('%d "%s" %s\n' % (i, label, " ".join(cells))
                   for i, (label, cells) in enumerate(rows))
    script = ['$data << END', data + "END",
              'set terminal svg size %d,420 dynamic font "DejaVu Sans,12"' % max(700, 11 * len(rows)),
              "set ylabel '%s'" % axis, "set logscale y", "set key outside top center horizontal",
              "set grid ytics lt 1 lw 0.5 lc rgb '#9aa4b0'", "set border 3", "set tics nomirror",
              "set xtics rotate by 90 right noenhanced scale 0 font ',8'", "set xrange [-1:%d]" % len(rows)]
    if not by_value:
        script.append("set yrange [0.4:30]") # what is beyond has no unit that means something
    script.append("plot " + ", ".join(
        "$data using 1:%d%s with points pt %d ps 0.6 lc rgb '%s' title '%s' noenhanced" % (
            i + 3, ":xtic(2)" if i == 0 else "", (7, 6)[i % 2],
            COLOURS[i // 2 % len(COLOURS)], name.replace("'", "''"))
        for i, (_, name) in enumerate(columns)) + (", 1 lc rgb '#8f9aa8' notitle" if by_value else ""))
    return "\n".join(script) + "\n"


def finish(svg, digest):
    """Adds the style and the digest, and takes away what depends on the programs' versions."""
    svg = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->", "", svg, flags=re.S)
    svg = re.sub(r"<title>.*?</title>|<desc>.*?</desc>", "", svg, flags=re.S)
    svg = re.sub(r'font-family="[^"]*"| color="black"', "", svg)
    svg = re.sub(r"""stroke=(["'])black\1""", 'stroke="currentColor"', svg)
    svg = re.sub(r"(<svg\b[^>]*>)", r"\1\n<!-- made by make.py from %s -->\n%s" % (digest, STYLE), svg,
                 count=1, flags=re.S)
    return "\n".join(line.rstrip() for line in svg.split("\n") if line.strip()) + "\n"


def pictures():
    """Yields name, source, and the command that turns the source into SVG."""
    for path in sorted(glob.glob(os.path.join(HERE, "*.dot"))):
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path)[:-4], file.read(), [
                "dot", "-Tsvg", "-Gbgcolor=transparent", "-Nfontname=DejaVu Sans",
                "-Efontname=DejaVu Sans", "-Gfontname=DejaVu Sans"]
    for path in sorted(glob.glob(os.path.join(HERE, "trace-*.json"))):
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path)[:-5], file.read(), [
                sys.executable, os.path.join(HERE, "trace.py")]
    for plot in PLOTS:
        yield plot[0], plot_script(plot), ["gnuplot"]
    for plot in POINTS:
        yield plot[0], points_script(plot), ["gnuplot"]


def main():
    check = "--check" in sys.argv
    stale, names = [], set()
    for name, source, command in pictures():
        digest = hashlib.sha256((source + STYLE).encode()).hexdigest()
        path = os.path.join(HERE, name + ".svg")
        names.add(name + ".svg")
        if check:
            if not os.path.exists(path) or digest not in open(path, encoding="utf-8").read():
                stale.append(name)
            continue
        made = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(finish(made.stdout, digest))
    extra = {os.path.basename(p) for p in glob.glob(os.path.join(HERE, "*.svg"))} - names
    for name in stale:
        print("%s.svg was made from something else: ./run docs makes it anew" % name)
    for name in sorted(extra):
        print("%s is made from nothing" % name)
    return 1 if stale or extra or len(names) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
