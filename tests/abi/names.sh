#!/bin/sh
# names.sh SOURCE_DIR API_DEF COMPILER [FLAG...]: api.def, the headers and the tables name the
# same functions.
here=$1
api=$2
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# api.def: the second word of each row, and each name once.
sed -n 's/^AH_API([A-Za-z0-9_]*, \([A-Za-z0-9_]*\),.*/\1/p' "$api" | sort >"$work/api"
if [ "$(uniq -d "$work/api" | wc -l)" -ne 0 ]; then
    echo "named twice in api.def:" $(uniq -d "$work/api")
    exit 1
fi

# The tables: hip_api.tsv without what is inline in C++, and what only symbol_versions.tsv has
# (old tracing functions), without C++ names. What is ours is in neither.
{
    awk -F '\t' 'FNR > 1 && $2 != "cxx_inline" { print $1 }' "$here/hip_api.tsv"
    awk -F '\t' 'FNR > 1 && $1 !~ /^_Z/ { sub(/\*$/, "", $1); print $1 }' \
        "$here/symbol_versions.tsv"
} | sort -u >"$work/tables"

# The headers: declarations of functions in the preprocessed text. A statement is taken apart at
# its first parenthesis; what has a body or is a type is none.
"$@" -x c -std=c11 -E -P "$here/all_headers.h" | tr '\n' ' ' |
    awk 'BEGIN { RS = ";" }
        /typedef|struct[^()]*\{|enum[^()]*\{|union[^()]*\{/ { next }
        {
            gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "")
            gsub(/#pragma[a-zA-Z ]*(\([a-z]*\))?/, "")
            if (match($0, /[A-Za-z_0-9]+ *\(/)) {
                name = substr($0, RSTART, RLENGTH)
                sub(/ *\($/, "", name)
                if (name ~ /^(hip|__hip|anyhip|amd_dbgapi|__gnu_[hf]2)/) print name
            }
        }' | grep -v '^hipCreateChannelDescHalf' | sort -u >"$work/headers"

status=0
grep -v '^anyhip' "$work/api" | diff - "$work/tables" >"$work/difference" || {
    echo "only in api.def (<) or only in the tables (>):"
    cat "$work/difference"
    status=1
}
diff "$work/api" "$work/headers" >"$work/difference" || {
    echo "only in api.def (<) or only in the headers (>):"
    cat "$work/difference"
    status=1
}
echo "$(wc -l <"$work/api") functions in api.def, $(wc -l <"$work/headers") in the headers," \
    "$(wc -l <"$work/tables") in the tables"
exit $status
