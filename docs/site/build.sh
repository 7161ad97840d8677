#!/bin/sh
# Builds the site of the documentation: build.sh SOURCE FOLDER. FOLDER/html/index.html is its first
# page; pages, pictures and search need no network. A warning of Sphinx or Doxygen is an error.
set -eu
source=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
ANYHIP_VERSION=$(sed -n 's/^project(AnyHIP VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
export ANYHIP_VERSION

rm -rf "$folder/html"
mkdir -p "$folder/html"
# The reference first: pages link to it.
headers=$source/include/hip
reference=
if command -v doxygen >/dev/null; then
    reference=$folder/api.tag
    {
        cat "$source/docs/site/Doxyfile"
        cat <<END
PROJECT_NUMBER = $ANYHIP_VERSION
INPUT = "$source/docs/site/mainpage.dox" "$headers/api" "$headers/hip_runtime_api.h" \
    "$headers/hiprtc.h" "$headers/hip_ext.h" "$headers/anyhip.h" "$headers/hip_deprecated.h"
EXCLUDE = "$headers/api/cxx.h"
INPUT_FILTER = "/usr/bin/python3 -B $source/docs/site/headers.py"
STRIP_FROM_PATH = "$source/include"
STRIP_FROM_INC_PATH = "$source/include"
HTML_EXTRA_STYLESHEET = "$source/docs/site/static/api.css"
OUTPUT_DIRECTORY = "$folder/html"
GENERATE_TAGFILE = "$reference"
END
    } >"$folder/Doxyfile"
    doxygen "$folder/Doxyfile"
fi

/usr/bin/python3 -B "$source/docs/site/stage.py" "$source" "$folder/pages" \
    ${reference:+"$reference"}
/usr/bin/python3 -B -m sphinx -q -W --keep-going -b html -c "$source/docs/site" \
    -d "$folder/doctrees" "$folder/pages" "$folder/html"

# Debian's Furo has its script as a module, which no browser loads as what the pages say it is: without
# it there is no choice of the theme, and the list of a page's sections does not follow the reader.
scripts=$folder/html/_static/scripts
if grep -q '^import Gumshoe' "$scripts/furo.js"; then
    { cat "$scripts/gumshoe-patched.js" && sed '/^import Gumshoe/d' "$scripts/furo.js"; } \
        >"$scripts/whole.js"
    mv "$scripts/whole.js" "$scripts/furo.js"
fi
