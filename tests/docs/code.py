#!/usr/bin/python3
"""Compiles the C and C++ code of all pages: code.py SOURCE HIPCC FOLDER.

A block of the languages c and cpp is a whole source file, in which hip/hip_runtime.h need not be
included; hipcc takes it for NVIDIA and AMD devices. After the comment `code: part` a block is not
compiled, and after `file: NAME` it is compiled by commands.py.
"""
import os
import shutil
import subprocess
import sys

SOURCE, HIPCC, FOLDER = sys.argv[1:4]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "docs", "site"))

import markdown  # noqa: E402
import stage  # noqa: E402


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    sources = {"c": [], "cpp": []}
    for page in sorted(stage.pages(SOURCE)):
        with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
            text = file.read()
        for line, language, comment, code in markdown.blocks(text):
            if language not in sources or comment.startswith(("code: part", "file: ")):
                continue
            name = "%s-%d.%s" % (page.replace("/", "-"), line, "hip" if language == "cpp" else "c")
            with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
                header = "hip_runtime" if language == "cpp" else "hip_runtime_api"
                file.write('#include <hip/%s.h>\n#line %d "%s"\n%s' % (header, line + 1, page, code))
            sources[language].append(name)
    print("%d blocks of C++, %d of C" % (len(sources["cpp"]), len(sources["c"])), flush=True)
    if not sources["c"]:
        return 1
    common = [HIPCC, "-fsyntax-only", "-Wall", "-Werror"]
    devices = ["--offload-arch=sm_70,gfx90a"]
    return any(files and subprocess.run(common + options + files, cwd=FOLDER, check=False).returncode
               for options, files in ((devices, sources["cpp"]), ([], sources["c"])))


if __name__ == "__main__":
    sys.exit(main())
