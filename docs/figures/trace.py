#!/usr/bin/python3
"""Draws a trace file as viewers do, small enough for a page: trace.py < TRACE > SVG.

A row is a thread or a stream with what happened in it; above it are its process or device, where that
changes, and its name. Rows without slices are left out.

trace.py --cut BEGIN LENGTH < TRACE > PART keeps the slices of LENGTH microseconds, BEGIN microseconds
after the first, and of their members what is drawn.
"""
import json
import sys
from xml.sax.saxutils import escape

WIDTH, MARGIN, TOP = 420, 6, 24
NAME, BAR, GAP = 11, 13, 3  # heights
FONT, LETTER = 9, 5.2
COLOURS = {"hip": "#4f86d9", "kernel": "#5fa33f", "copy": "#e0873a", "fill": "#a37bd6",
           "graph": "#c9a227", "wait": "#8f9aa8", "host": "#8f9aa8", "other": "#8f9aa8"}


def slices_of(events):
    return [event for event in events if event["ph"] == "X"]


def cut(events, begin, length):
    first = min(event["ts"] for event in slices_of(events)) + begin
    kept = [event for event in slices_of(events)
            if event["ts"] < first + length and event["ts"] + event["dur"] > first]
    rows = {(event["pid"], event["tid"]) for event in kept}
    names = [event for event in events
             if event["name"] == "process_name" and event["pid"] in {row[0] for row in rows} or
             event["name"] == "thread_name" and (event["pid"], event["tid"]) in rows]
    for event in kept:
        end = min(event["ts"] + event["dur"], first + length)
        event["ts"] = round(max(event["ts"], first) - first, 3)
        event["dur"] = round(end - first - event["ts"], 3)
    members = ("ph", "cat", "name", "pid", "tid", "ts", "dur")
    lines = [json.dumps(event) for event in names]
    lines += [json.dumps({key: event[key] for key in members})
              for event in sorted(kept, key=lambda event: event["ts"])]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def scale(length):
    """The distance of marks on the axis, and its unit with its name."""
    step = 1.0
    while length / step > 6:
        step *= 2.5 if str(step).startswith("2") else 2
    return step, (1000, "ms") if step * 4 >= 1000 else (1, "µs")


def text(x, y, words, anchor="start", weight="normal"):
    return ('<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" font-weight="%s">%s</text>'
            % (x, y, FONT, anchor, weight, escape(words)))


class Picture:
    def __init__(self, events):
        self.slices = slices_of(events)
        self.begin = min(event["ts"] for event in self.slices)
        self.length = max(event["ts"] + event["dur"] for event in self.slices) - self.begin
        self.names = {(event["name"], event["pid"], event["tid"]): event["args"]["name"]
                      for event in events if event["ph"] == "M" and "name" in event.get("args", {})}
        self.parts = []
        self.y = TOP

    def x(self, time):
        return MARGIN + (time - self.begin) / self.length * (WIDTH - 2 * MARGIN)

    def name(self, what, pid, tid):
        found = [name for key, name in self.names.items()
                 if key[:2] == (what, pid) and (what == "process_name" or key[2] == tid)]
        return found[0] if found else ""

    def slice(self, event):
        left = self.x(event["ts"])
        width = max(self.x(event["ts"] + event["dur"]) - left, 0.4)
        self.parts.append(
            '<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s" fill-opacity="0.6"/>'
            % (left, self.y, width, BAR, COLOURS.get(event["cat"], "#8f9aa8")))
        letters = int((width - 3) / LETTER)
        if letters >= 4:
            name = event["name"]
            shown = name if len(name) <= letters else name[:letters - 1] + "…"
            self.parts.append(text(left + 1.5, self.y + BAR - 3.5, shown))

    def row(self, pid, tid):
        self.parts.append(text(MARGIN, self.y + NAME - 3, self.name("thread_name", pid, tid)))
        self.y += NAME
        for event in self.slices:
            if (event["pid"], event["tid"]) == (pid, tid):
                self.slice(event)
        self.y += BAR + GAP

    def axis(self):
        step, (unit, name) = scale(self.length)
        lines, time = [], 0.0
        while time <= self.length:
            x = self.x(self.begin + time)
            lines.append('<path d="M%.1f %d V%d" stroke="#9aa4b0" stroke-opacity="0.5" '
                         'stroke-width="0.5"/>' % (x, TOP - 6, self.y))
            anchor = "start" if time == 0 else "end" if x > WIDTH - 30 else "middle"
            lines.append(text(x, TOP - 9, "%g %s" % (round(time / unit, 3), name), anchor))
            time += step
        return lines

    def svg(self):
        process = None
        for pid, tid in sorted({(event["pid"], event["tid"]) for event in self.slices}):
            if pid != process:
                self.y += NAME
                self.parts.append(text(MARGIN, self.y - 2, self.name("process_name", pid, tid),
                                       weight="bold"))
                process = pid
            self.row(pid, tid)
        return "\n".join(
            ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'
             % (2 * WIDTH, 2 * self.y, WIDTH, self.y)] + self.axis() + self.parts + ["</svg>"])


def main():
    events = json.load(sys.stdin)
    if len(sys.argv) == 4 and sys.argv[1] == "--cut":
        print(cut(events, float(sys.argv[2]), float(sys.argv[3])), end="")
    else:
        print(Picture(events).svg())


main()
