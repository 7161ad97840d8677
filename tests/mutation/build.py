#!/usr/bin/env python3
"""Makes the sources that hold every mutant, and builds them. README.md says how it is used."""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import rewrite

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = ("core", "backend_cuda", "backend_hsa", "image")
BUILT = re.compile(r"lib/|bin/anyhip|tests/(core|image|backend_hsa|driver|fakes|tools)/|"
                   r"tests/hipcc/test_hipcc_ptx_names|tests/fuzz/replay_(images|files|metadata)")
LEFT_OUT = {"make_tables.c"}  # a tool of the build


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def copy_sources(target):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"],
                            stdout=subprocess.PIPE, check=True).stdout
    names = {name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()}
    for old in target.rglob("*"):
        inside = old.relative_to(target)
        if old.is_file() and inside.parts[0] != "build" and str(inside) not in names:
            old.unlink()
    for name in names:
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not same(copy, (ROOT / name).read_bytes()):
            shutil.copy2(ROOT / name, copy)


def same(path, content):
    return path.exists() and path.read_bytes() == content


def write(path, content):
    """Leaves alone what has not changed, so that it is not compiled again."""
    if not same(path, content):
        path.write_bytes(content)


def compile_flags(source, tree):
    """For each source of a library: how it is compiled, and where."""
    flags = {}
    for entry in json.loads((tree / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        folders = file.relative_to(source).parts if file.is_relative_to(source) else ()
        parts = shlex.split(entry["command"])
        if folders[:1] != ("src",) or folders[1] not in FOLDERS or \
                "/CMakeFiles/ah_" not in entry["command"]:
            continue
        kept = [p for i, p in enumerate(parts)
                if p.startswith(("-I", "-D", "-std")) or p == "-isystem" or
                parts[i - 1] == "-isystem"]
        flags[file] = (kept, entry["directory"])
    return flags


def generated_headers(tree):
    """What the sources include that the build makes."""
    run("cmake", "--build", tree, "--target", "version_script", "api_arguments")


def rewrite_all(source, tree, clang):
    """Returns all mutants, numbered from 1, in the order of files and lines."""
    files = []
    for path, (flags, directory) in sorted(compile_flags(source, tree).items()):
        if path.name in LEFT_OUT:
            continue
        name = str(path.relative_to(source))
        original = ROOT / name
        files.append(rewrite.mutate(name[len("src/"):], original, clang, flags, directory))
    mutants = [mutant for file in files for mutant in file.mutants]
    for number, mutant in enumerate(mutants, 1):
        mutant.number = number
    for file in files:
        # The 3 makes it a system header for the compiler: no warnings about what is generated.
        head = f'#define MUTANT_COUNT {len(mutants)}\n#include "{HERE / "mutant.h"}"\n' \
               f'# 1 "{source / "src" / file.name}" 3\n'
        write(source / "src" / file.name, head.encode() + file.finish())
    return mutants


def configure(source, tree, sanitize, programs):
    run("cmake", "-S", source, "-B", tree, "-G", "Ninja",
        "-DCMAKE_BUILD_TYPE=" + ("Debug" if sanitize else "RelWithDebInfo"),
        "-DANYHIP_SANITIZE=" + sanitize, "-DANYHIP_DEVICE_PROGRAMS=OFF",
        f"-DANYHIP_PROGRAMS_OF={programs}",
        "-DANYHIP_TEST_DEVICES=simcuda;simhsa-gfx90a;simhsa-gfx1100", stdout=subprocess.DEVNULL)


def targets(tree):
    """The libraries, and the programs without device code that test them."""
    listed = subprocess.run(["ninja", "-C", tree, "-t", "targets", "all"],
                            stdout=subprocess.PIPE, check=True, text=True).stdout
    linked = [line.split(":")[0] for line in listed.splitlines()
              if re.search(r": C\w*_(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)_LINKER", line)]
    return [name for name in linked if BUILT.match(name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "mutation")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build" / "release",
                        help="the tree that has the programs with device code")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--sanitize", default="", help="address,undefined or thread")
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    parser.add_argument("--only-rewrite", action="store_true")
    options = parser.parse_args()
    source = options.work.resolve() / "source"
    tree = source / "build" / (options.sanitize.split(",")[0] or "plain")
    copy_sources(source)
    configure(source, tree, options.sanitize, options.programs.resolve())
    generated_headers(tree)
    mutants = rewrite_all(source, tree, options.clang)
    with open(options.work / "mutants.tsv", "w", encoding="utf-8") as table:
        for m in mutants:
            print(m.number, m.name, m.file, m.line, m.function, m.kind, m.old, m.new, sep="\t",
                  file=table)
    print(f"{len(mutants)} mutants", file=sys.stderr)
    if not options.only_rewrite:
        run("ninja", "-C", tree, "-k0", "-j", options.jobs, *targets(tree))


if __name__ == "__main__":
    main()
