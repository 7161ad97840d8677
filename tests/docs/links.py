#!/usr/bin/python3
"""Links of all Markdown files: links.py SOURCE.

A link leads to a file or folder of the source, its anchor to a heading of that page, and a picture
has a text for those who do not see it. Pages that are installed without the others have no links
to files. Links to other sites are not followed.
"""
import os
import posixpath
import re
import sys

SOURCE = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, "docs", "site"))
sys.dont_write_bytecode = True

import markdown  # noqa: E402
import stage  # noqa: E402

INSTALLED = ("config/README.md", "CHANGELOG.md")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def wrong(page, match, target, anchor):
    """What is wrong with a link, or None."""
    if re.match(r"(https?|mailto):", target):
        return None
    if match[1] and not match[2].strip():
        return "a picture without a text"
    if page in INSTALLED and target:
        return "the page is installed, and this file is not"
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) if target else page
    if path.startswith(".."):
        return "leads out of the source"
    if not os.path.exists(os.path.join(SOURCE, path)):
        return "no such file"
    if anchor and not path.endswith(".md"):
        return "an anchor in what is no page"
    if anchor and anchor not in markdown.headings(read(path)):
        return "no such heading"
    return None


def main():
    checked = failed = 0
    for page in sorted(stage.pages(SOURCE)):
        text = read(page)
        for match, target, anchor in markdown.links(text):
            checked += 1
            reason = wrong(page, match, target, anchor)
            if reason:
                failed += 1
                print("%s:%d: %s: %s" % (page, text.count("\n", 0, match.start()) + 1, match[3],
                                         reason))
    print("%d links, %d wrong" % (checked, failed))
    return 1 if failed or checked < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
