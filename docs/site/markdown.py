"""What the documentation's Markdown is made of: links, headings and blocks of code.

Enough of the language for the pages of this project, as a forge reads them.
"""
import re

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)\s*$")
COMMENT = re.compile(r"^<!--\s*(.*?)\s*-->\s*$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]*)\)")


def _plain(text):
    """The text with code replaced by as many zero bytes."""
    out, fence = [], None
    for line in text.split("\n"):
        found = FENCE.match(line)
        if found and (fence is None or line.strip() == fence):
            fence = found[1] if fence is None else None
            line = "\0" * len(line)
        elif fence is not None:
            line = "\0" * len(line)
        out.append(line)
    return re.sub(r"(`+)(?!`)(?:(?!\1).|\n(?!\n))+?\1(?!`)", lambda m: "\0" * len(m[0]),
                  "\n".join(out))


def links(text):
    """Yields (match, target, anchor) of every link that is not in code. The match has the places in
    text; its groups are "!" or nothing, the label, and the whole target."""
    code = [(found.start(), found.end()) for found in re.finditer(r"\0+", _plain(text))]
    for match in LINK.finditer(text):
        if not any(start <= match.start() < end for start, end in code):
            target, _, anchor = match[3].partition("#")
            yield match, target, anchor


def headings(text):
    """The anchors of all headings, in order, as forges name them."""
    seen, anchors, fenced = {}, [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        found = None if fenced else re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if not found:
            continue
        title = LINK.sub(lambda m: m[2], found[1])
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        anchors.append("%s-%d" % (slug, count) if count else slug)
    return anchors


def blocks(text):
    """Yields (line number, language, comment, code) of every block of code. The comment is that of
    an HTML comment on the line before the block, or before the blank line before it."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        found = FENCE.match(lines[at])
        at += 1
        if not found:
            continue
        start = at
        while at < len(lines) and lines[at].strip() != found[1]:
            at += 1
        before = [line for line in lines[max(0, start - 3):start - 1] if line.strip()]
        comment = COMMENT.match(before[-1]) if before else None
        yield start, found[2], comment[1] if comment else "", "\n".join(lines[start:at]) + "\n"
        at += 1
