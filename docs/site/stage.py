#!/usr/bin/python3
"""Lays out the pages of the documentation for Sphinx: stage.py SOURCE FOLDER [TAGS].

Pages keep their text. Their places become those of the site (PLACES), links between them follow,
a link to a public header becomes one to Doxygen's page of it, a link to another file of the source
becomes one to a page that shows the file, and a link to a folder becomes plain text. Where TAGS, the
file in which Doxygen says what is on which page, is given, the functions in the table of
docs/coverage.md are links to their descriptions. The lists of docs/README.md are the site's navigation.
"""
import os
import posixpath
import re
import shutil
import sys
from xml.etree import ElementTree

import markdown

PLACES = {
    "docs/README.md": "index.md",
    "README.md": "overview.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "config/README.md": "configuration.md",
    "examples/README.md": "examples/index.md",
    "src/sim/README.md": "simulated-devices.md",
    "LICENSE": "source/LICENSE.md",
}
LANGUAGES = {".c": "c", ".h": "cpp", ".hip": "cpp", ".json": "json", ".md": "text"}


# Headers whose pages Doxygen makes (build.sh).
HEADERS = re.compile(r"include/(hip/(?:api/(?!cxx)\w+|hip_runtime_api|hiprtc|hip_ext|anyhip"
                     r"|hip_deprecated))\.h$")


def place(path):
    """Where a page or a shown file of the source is in the site."""
    if path in PLACES:
        return PLACES[path]
    if path.endswith((".md", ".svg")):
        return path.removeprefix("docs/")
    return "source/%s.md" % path


def pages(source):
    """All Markdown files, by their paths in the source."""
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders
                      if not name.startswith(".") and name not in ("build", "gpu-bundle")]
        for name in files:
            if name.endswith(".md"):
                yield posixpath.relpath(posixpath.join(folder, name), source)


def descriptions(tags):
    """The places of functions in the reference."""
    members = ElementTree.parse(tags).getroot().iter("member") if tags else []
    return {member.findtext("name"): "api/%s#%s" % (member.findtext("anchorfile"),
                                                    member.findtext("anchor"))
            for member in members if member.get("kind") == "function"}


class Stage:
    def __init__(self, source, folder, tags):
        self.functions = descriptions(tags)
        self.source = source
        self.folder = folder
        self.shown = set()
        with open(os.path.join(source, "docs", "README.md"), encoding="utf-8") as file:
            self.titles = {posixpath.normpath(posixpath.join("docs", target)): match[2]
                           for match, target, _ in markdown.links(file.read())}

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def copy(self, path):
        to = os.path.join(self.folder, place(path))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(os.path.join(self.source, path), to)

    def show(self, path):
        """A page with the text of a file of the source."""
        if path in self.shown:
            return
        self.shown.add(path)
        with open(os.path.join(self.source, path), encoding="utf-8") as file:
            text = file.read()
        language = LANGUAGES.get(os.path.splitext(path)[1], "text")
        self.write(place(path), "---\norphan: true\n---\n# %s\n\n`````%s\n%s\n`````\n"
                   % (path, language, text.rstrip()))

    def link(self, page, match, target, anchor):
        """What a link of a page becomes."""
        label = self.label(match[2], target)
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        here = posixpath.dirname(place(page)) or "."
        if os.path.isdir(os.path.join(self.source, path)):
            return label
        header = HEADERS.match(path)
        if header:
            group = header[1].replace("_", "__").replace("/", "__")
            return '<a href="%s">%s</a>' % (
                posixpath.relpath("api/group__%s.html" % group, here), label.replace("`", ""))
        if path.endswith(".svg"):
            self.copy(path)
        elif not path.endswith(".md"):
            self.show(path)
        return "%s[%s](%s%s)" % (match[1], label, posixpath.relpath(place(path), here),
                                 "#" + anchor if anchor else "")

    def label(self, label, target):
        """A label that is the name of a page's file becomes the page's title."""
        if not label.endswith(".md") or not target.endswith(label.rsplit("/", 1)[-1]):
            return label
        name = target.rsplit("/", 1)[-1] if not target.endswith("README.md") else target
        for path, title in self.titles.items():
            if path.endswith(name.lstrip("./")):
                return title
        return label

    def page(self, page):
        with open(os.path.join(self.source, page), encoding="utf-8") as file:
            text = file.read()
        out, at = [], 0
        for match, target, anchor in markdown.links(text):
            out += [text[at:match.start()], self.link(page, match, target, anchor)]
            at = match.end()
        text = "".join(out) + text[at:]
        if page == "docs/README.md":
            text += self.navigation(text)
        if page == "docs/coverage.md":
            text = re.sub(r"^\| `(\w+)` \|", self.function, text, flags=re.M)
        self.write(place(page), text)

    def function(self, match):
        """The first cell of a row about a function."""
        if match[1] not in self.functions:
            return match[0]
        return '| <a href="%s"><code class="literal">%s</code></a> |' % (self.functions[match[1]],
                                                                        match[1])

    @staticmethod
    def navigation(text):
        """Sphinx's trees of contents, one for each section of the index with a list of links."""
        trees = []
        for section in re.split(r"^## ", text, flags=re.M)[1:]:
            entries = re.findall(r"^- \[([^]]*)\]\(([^)#]*)\.md\)", section, flags=re.M)
            if entries:
                trees.append("\n```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```\n" % (
                    section.split("\n", 1)[0], "\n".join("%s <%s>" % entry for entry in entries)))
        return "".join(trees)


def main():
    stage = Stage(os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3] if sys.argv[3:] else None)
    shutil.rmtree(stage.folder, ignore_errors=True)
    for page in pages(stage.source):
        stage.page(page)


if __name__ == "__main__":
    main()
