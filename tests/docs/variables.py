#!/usr/bin/python3
"""docs/environment.md tells the truth of what AnyHIP reads: variables.py SOURCE.

A variable that the page says is read is named by the code, as a text, and described in
config/README.md; one that it says is not read is named by neither.
"""
import os
import re
import sys

SOURCE = sys.argv[1]


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def named_by_code():
    """All texts of the code that look like names of variables."""
    names = set()
    for folder in ("src", "tools"):
        for place, _, files in os.walk(os.path.join(SOURCE, folder)):
            for name in files:
                if place.endswith("hipconfig"):  # prints variables, and obeys none
                    continue
                if name.endswith((".c", ".h", ".def")):
                    names.update(re.findall(r'"([A-Z][A-Z0-9_]+)"', read(os.path.join(place, name))))
    return names


def main():
    code = named_by_code()
    described = set(re.findall(r"`([A-Z][A-Z0-9_]+)`", read("config/README.md")))
    checked, wrong = 0, []
    for line in read("docs/environment.md").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 4 or cells[2] not in ("yes", "no"):
            continue
        for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", cells[1]):
            checked += 1
            if cells[2] == "yes" and not (name in code and name in described):
                wrong.append("%s: not read, or not described in config/README.md" % name)
            if cells[2] == "no" and (name in code or name in described):
                wrong.append("%s: is read, or described in config/README.md" % name)
    print("\n".join(wrong + ["%d variables, %d wrong" % (checked, len(wrong))]))
    return 1 if wrong or checked < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
