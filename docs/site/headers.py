#!/usr/bin/python3
"""Doxygen's view of a public header: headers.py HEADER, to standard output.

headers.py --check HEADER... prints the parameters of functions that have no description.

The headers describe a function once where several names share one description: a comment block
that a blank line follows belongs to every declaration up to the next blank line. Doxygen has no
such notion, so each declaration gets the shared block here, with the parameters that it has.
"Returns:", "Thread safety:", "Stream order:" and "Source:" become Doxygen's commands, sections
("// ---- Title") become named parts, and the header as a whole becomes a group.
"""
import re
import sys

SECTIONS = (
    ("Returns:", "@return"),
    ("Thread safety:", "@par Thread safety\n"),
    ("Stream order:", "@par Stream order\n"),
    ("Source:", "@par Counterparts\n"),
)
PARAMETER = re.compile(r"@param\s*(\[[a-z, ]+\])?\s+(\w+(?:,\s+\w+)*)\s*(.*)", re.S)


def entries(block):
    """The description and the commands of a block of comment lines, one string each."""
    text = "\n".join(block)
    for word, _ in SECTIONS[1:]:  # may share a line with the one before
        text = re.sub(r"(?<!^)(?<=[.;]) %s" % word, "\n%s" % word, text)
    parts = [[]]
    for line in text.split("\n"):
        if line.startswith("@") or any(line.startswith(word) for word, _ in SECTIONS):
            parts.append([])
        parts[-1].append(line)
    return ["\n".join(part) for part in parts]


def command(entry, parameters):
    """One entry as Doxygen wants it; None where it is about parameters of other functions."""
    for word, replacement in SECTIONS:
        if entry.startswith(word):
            return "%s %s" % (replacement, entry[len(word):].strip())
    found = PARAMETER.match(entry)
    if not found or parameters is None:
        return entry
    names = [name for name in re.split(r",\s+", found[2]) if name in parameters]
    direction = (found[1] or "").replace(" ", "")
    return "@param%s %s  %s" % (direction, ",".join(names), found[3]) if names else None


def parameters_of(declaration):
    """The names of a function's parameters; None for what is no function."""
    flat = re.sub(r"__dparm\(.*?\)(?=[,)])|//.*", "", " ".join(declaration))
    flat = re.sub(r"HIP_DEPRECATED\(.*?\)", "", flat)
    found = re.search(r"\b\w+\s*\((.*)\)\s*(;|\{|__attribute__)", flat)
    if not found or flat.startswith(("#", "typedef")):
        return None
    names = re.findall(r"\(\*\s*(\w+)\)\s*\(", found[1])
    plain = re.sub(r"\(\*\s*\w+\)\s*\([^()]*\)", "", found[1])
    return names + re.findall(r"(\w+)\s*(?:\[[^]]*\])*\s*(?:=[^,]*)?(?:,|$)", plain)


def comment(lines, indent=""):
    return ["%s/// %s" % (indent, line) if line else "%s///" % indent
            for text in lines for line in text.split("\n")]


def describe(own, shared, declaration):
    """The comment of one declaration."""
    parameters = parameters_of(declaration)
    alias = re.match(r"As (hip\w+)\(\)", own[0]) if own and "@param" not in "".join(shared) else None
    if shared and alias:
        own = own + entries(shared)
    elif shared:  # what all of them do, what this one is, and the rest
        rest = entries(shared)
        first, more = re.match(r"(.*?\.)(?:\s+(.*))?$", rest[0].strip() + " ", re.S).groups()
        own = ["@brief " + first] + own + ["", more or ""] + rest[1:]
    found = [command(entry, parameters) for entry in entries(own)]
    if " ".join(declaration).startswith("void "):
        found = [entry for entry in found if entry and not entry.startswith("@return")]
    if parameters and alias and not any(e and "@param" in e for e in found):
        found = ["@copydoc %s" % alias[1]] + found[1:]
    return comment([entry for entry in found if entry is not None])


def undocumented(comment_lines, declaration):
    """Named parameters of a function that its comment, as Doxygen gets it, does not describe."""
    if any("@copydoc" in line for line in comment_lines):
        return []
    described = set()
    for line in comment_lines:
        found = re.match(r"/// @param(?:\[[a-z,]+\])? ([\w,]+)", line)
        described.update(found[1].split(",") if found else [])
    types = {"void", "short", "int", "float", "double", "char"}
    return [name for name in parameters_of(declaration) or []
            if name not in described and name not in types]


class Filter:
    def __init__(self, path):
        self.path = path
        self.missing = []
        with open(path, encoding="utf-8") as source:
            self.lines = source.read().split("\n")
        self.name = re.sub(r"\W", "_", path.rsplit("include/", 1)[-1].rsplit(".", 1)[0])
        self.out = []
        self.at = 0
        self.section = False
        self.group = False

    def take(self, prefix):
        """Consecutive lines of a comment, without its marks."""
        block = []
        while self.at < len(self.lines) and re.match(r"%s( |$)" % prefix, self.lines[self.at]):
            block.append(self.lines[self.at][len(prefix):].removeprefix(" "))
            self.at += 1
        return block

    def declaration(self):
        """The lines of what comes next, up to its semicolon."""
        block, depth = [], 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            block.append(line)
            self.at += 1
            bare = re.sub(r"//.*", "", line)
            depth += bare.count("{") - bare.count("}")
            if line.startswith("#") and not line.endswith("\\"):
                break
            if depth == 0 and re.search(r"[;}]\s*$", bare):
                break
        return block

    def open_group(self, block):
        text = "\n".join(block)
        title = re.split(r"[.:;](?=\s|$)", text, maxsplit=1)[0].replace("\n", " ")
        self.out += comment(["@defgroup %s %s" % (self.name, title), text, "@{"])
        self.group = True

    def open_section(self, title):
        self.close_section()
        self.out += comment(["@name %s" % title, "@{"])
        self.section = True

    def close_section(self):
        if self.section:
            self.out += ["/// @}"]
        self.section = False

    def run(self):
        shared = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            title = re.match(r"// ---- (.*)", line)
            if title:
                self.at += 1
                self.open_section(title[1])
            elif line.startswith("///"):
                own = self.take("///")
                if self.lines[self.at].strip() == "":
                    shared = own
                    self.at += 1
                    continue
                start = self.at
                declaration = self.declaration()
                described = describe(own, shared, declaration)
                self.missing += ["%s:%d: %s" % (self.path, start + 1, name)
                                 for name in undocumented(described, declaration)]
                self.out += described + declaration
                assert self.at > start
            elif line.startswith("//") and not self.group:
                self.open_group(self.take("//"))
            else:
                if not line.strip():
                    shared = []
                self.out.append(line)
                self.at += 1
        self.close_section()
        if self.group:
            self.out.append("/// @}")
        return "\n".join(self.out)


def check(paths):
    filters = [Filter(path) for path in paths]
    functions = sum(text.run().count("/// @return") for text in filters)
    missing = [name for text in filters for name in text.missing]
    print("\n".join(missing + ["%d functions, %d parameters without a description"
                               % (functions, len(missing))]))
    return 1 if missing or functions < 400 else 0


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2:]))
    print(Filter(sys.argv[1]).run())
