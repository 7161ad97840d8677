#!/bin/sh
# includes.sh COMPILER SEES HIDES FOLDER...: a source of the module whose include folders these are
# can include every header of SEES and none of HIDES (names separated by spaces).
compiler=$1 sees=$2 hides=$3
shift 3
for folder; do
    set -- "$@" "-I$folder"
    shift
done
status=0
for header in $sees; do
    if ! printf '#include "%s"\n' "$header" | "$compiler" -D_GNU_SOURCE "$@" -fsyntax-only -x c -; then
        echo "$header is not seen, but has to be"
        status=1
    fi
done
for header in $hides; do
    if printf '#include "%s"\n' "$header" | "$compiler" -D_GNU_SOURCE "$@" -fsyntax-only -x c - \
        2>/dev/null; then
        echo "$header is seen, but belongs to another room"
        status=1
    fi
done
exit $status
