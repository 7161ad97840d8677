#!/usr/bin/python3
"""The messages that docs/troubleshooting.md explains are those of the code: messages.py SOURCE.

The first column of its tables has them as code, with dots for what differs from case to case. Each
piece between dots is part of a text in the source. Messages of other programs, which the page marks
by the program's name in brackets, and names of error codes are left out.
"""
import os
import re
import sys

SOURCE = sys.argv[1]
OTHERS = re.compile(r"\((the loader|clang)\)")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def texts():
    """All texts of the code, those in several lines put together."""
    found = []
    for folder in ("src", "tools", "include"):
        for place, _, files in os.walk(os.path.join(SOURCE, folder)):
            for name in files:
                if name.endswith((".c", ".h", ".def", ".hip")):
                    with open(os.path.join(place, name), encoding="utf-8") as file:
                        code = re.sub(r'"\s*\n\s*"', "", file.read())
                    found += TEXT.findall(code)
    return "\n".join(found)


def main():
    with open(os.path.join(SOURCE, "docs", "troubleshooting.md"), encoding="utf-8") as file:
        rows = [line.split("|")[1] for line in file if line.startswith("| ")]
    everything = texts()
    checked = failed = 0
    for row in rows:
        if OTHERS.search(row):
            continue
        for message in (code for code in re.findall(r"`([^`]*)`", row) if " " in code):
            for piece in re.split(r"\s*\.\.\.\s*", message):
                checked += 1
                if piece and piece not in everything:
                    failed += 1
                    print("no message has %r" % piece)
    print("%d pieces of messages, %d wrong" % (checked, failed))
    return 1 if failed or checked < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
