#!/bin/sh
# names.sh NAMES INCLUDE_DIR COMPILER [FLAG...]
# Every name that the public headers define for a whole program (functions, types, variables,
# enumerators, macros) is in the table NAMES; programs may use any other. With --list the
# names are printed that the table lacks.
#
# Names that are reserved for these headers need no row: AH_*, __AH_*, __ah*, __anyhip*, anyhip*
# and include guards.
names=$1
include=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/names-XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT

# The names that the source $1 defines, compiled with the other arguments.
defined()
{
    source=$1
    shift
    "$@" -w -fsyntax-only -fno-color-diagnostics -Xclang -ast-dump "$source" >"$scratch/ast" ||
        exit 99
    {
        awk -f "$here/names.awk" "$scratch/ast"
        "$@" -w -E -dM "$source" | awk '{ sub(/\(.*/, "", $2); print $2 }'
    } | sort -u
}

cp "$here/system.hip" "$scratch/all.hip"
for header in "$include"/hip/*.h; do
    echo "#include <hip/${header##*/}>"
done >>"$scratch/all.hip"

defined "$here/system.hip" "$@" >"$scratch/system"
defined "$scratch/all.hip" "$@" -include hip/device/prelude.h -isystem "$include" \
    -isystem "$include/hip/device/std" >"$scratch/ours"
awk -F '\t' '!/^#/ { print $1 }' "$names" | sort -u >"$scratch/allowed"
comm -23 "$scratch/ours" "$scratch/system" | comm -23 - "$scratch/allowed" |
    grep -v -E '^(AH_|__AH_|__ah|__anyhip|anyhip|HIP_(INCLUDE|DEVICE)_[A-Z0-9_]*$)' \
    >"$scratch/unknown"
counted=$(comm -23 "$scratch/ours" "$scratch/system" | wc -l)
[ "$counted" -gt 1000 ] || { echo "FAILED: only $counted names were found"; exit 1; }
[ -s "$scratch/unknown" ] || exit 0
echo "FAILED: names that HIP does not have, or that $names does not list:"
cat "$scratch/unknown"
exit 1
