#!/usr/bin/python3
"""Runs the commands of a page as they are printed: commands.py PAGE FOLDER [--root].

In FOLDER, which is made anew, the blocks of the page are taken in order:

- a block after the comment `file: NAME` is written to that file;
- a block of the language sh is run by sh, and must succeed; after the comment `run: fails` its last
  command must fail. After `run: root` it is left out unless --root is given, since it installs
  something, and after `run: by hand` it is always left out. What a block exports, and the folder
  that it changes to, stay for those after it;
- a block of the language text shows output, and a block of code without a file is compiled by
  code.py. Any other language is an error.
"""
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/site"))

import markdown  # noqa: E402


def run(code, comment, folder, environment):
    """Whether a block ends as its page says, and the folder it ends in; what it exports is put into
    environment."""
    keep = os.path.join(folder, ".environment")
    lines = code.rstrip("\n").split("\n")
    script = "set -e\n" + code if comment != "run: fails" else (
        "set -e\n%s\nset +e\n%s\n[ $? -ne 0 ]\n" % ("\n".join(lines[:-1]), lines[-1]))
    script += "\nPWD=$(pwd) env -0 >'%s'\n" % keep
    started = time.monotonic()
    result = subprocess.run(["sh", "-c", script], cwd=folder, env=environment,
                            stdin=subprocess.DEVNULL, check=False)
    print("[%.1f s] exit status %d\n" % (time.monotonic() - started, result.returncode), flush=True)
    if result.returncode == 0:
        with open(keep, "rb") as file:
            environment.update(entry.decode().split("=", 1) for entry in file.read().split(b"\0")
                               if b"=" in entry)
        os.remove(keep)
    return result.returncode == 0, environment["PWD"] if result.returncode == 0 else folder


def main():
    page, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    as_root = "--root" in sys.argv
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if not as_root:
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    environment = dict(os.environ)
    # A third of what hipcc compiles for without being told, in a third of the time.
    environment.setdefault("ANYHIP_OFFLOAD_ARCH", "gfx90a,gfx1100,sm_70")
    ran = 0
    for line, language, comment, code in markdown.blocks(text):
        if comment.startswith("file: "):
            with open(os.path.join(folder, comment[6:]), "w", encoding="utf-8") as file:
                file.write(code)
        elif language == "sh":
            if comment == "run: by hand" or (comment == "run: root" and not as_root):
                continue
            print("%s:%d:\n%s" % (page, line, code), end="", flush=True)
            well, folder = run(code, comment, folder, environment)
            if not well:
                return "%s:%d: the commands do not end as the page says" % (page, line)
            ran += 1
        elif language not in ("text", "c", "cpp"):
            return "%s:%d: a block of the language %r" % (page, line, language)
    return None if ran else "%s has no commands" % page


if __name__ == "__main__":
    sys.exit(main())
