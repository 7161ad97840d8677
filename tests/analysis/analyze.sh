#!/bin/sh
# analyze.sh BUILD [deep | library]: clang's static analyzer over every C file of src/ and tools/
# that the build tree compiles. A finding that is not a row of accepted.tsv fails, and so does a row
# without a finding, but not in the test: what the analyzer sees of a function changes with what
# stands before it. Each function is looked at for a bounded time (a minute of two processors for
# the whole source); "deep" takes the analyzer's own bound, and some ten times as long. "library" is
# what programs link, without simulators and tools: the part that every test run can afford.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
bound=max-nodes=20000
scope='(src|tools)/'
out=$build/analysis
case ${2:-} in
deep) bound=max-nodes=225000 ;;
library)
    scope='src/(backend_cuda|backend_hsa|common|core|hiprtc|image)/'
    out=$build/analysis-library
    ;;
esac
rm -rf "$out"
mkdir -p "$out"

# One line per file: its folder of compilation, the flags that matter, the file. Files that are
# compiled for several instruction sets are looked at once.
sed -n 's/^  "command": "\(.*\)",$/command \1/p; s/^  "directory": "\(.*\)",$/directory \1/p
        s/^  "file": "\(.*\)".*$/file \1/p' "$build/compile_commands.json" |
    sed 's/\\\\/\n/g; s/\\"/"/g; s/\n/\\/g' |
    awk -v source="$source/" -v scope="^$scope" '
        $1 == "directory" { directory = $2 }
        $1 == "command" {
            flags = ""
            for (i = 2; i <= NF; i++) {
                if ($i ~ /^-(I|D|std=|m)/)
                    flags = flags " " $i
                if ($i == "-isystem")
                    flags = flags " " $i " " $(i + 1)
            }
        }
        $1 == "file" && index($2, source) == 1 {
            name = substr($2, length(source) + 1)
            if (name ~ scope && name ~ /\.c$/ && !seen[name]++)
                print directory "\t" flags "\t" name
        }' >"$out/files"

cat >"$out/one.sh" <<END
tab=\$(printf '\t')
directory=\${1%%\$tab*} rest=\${1#*\$tab}
flags=\${rest%%\$tab*} name=\${rest#*\$tab}
cd "\$directory"
eval "clang-22 --analyze --analyzer-output text -Wno-everything -Xclang -analyzer-config \
    -Xclang $bound \$flags $source/\$name -o /dev/null" >"$out/\$(echo "\$name" | tr / _).log" 2>&1 ||
    echo "\$name" >>"$out/failed"
END
tr '\n' '\0' <"$out/files" | xargs -0 -n 1 -P "$(nproc)" sh "$out/one.sh"

if [ -e "$out/failed" ]; then
    echo "these cannot be analyzed:"
    cat "$out/failed"
    exit 1
fi

# Findings are counted by file and checker, because lines move.
sed -n "s|^$source/\([^:]*\):[0-9]*:[0-9]*: warning: .* \[\(.*\)\]\$|\1	\2|p" "$out"/*.log |
    sort | uniq -c | awk -v OFS='\t' '{ print $2, $3, $1 }' >"$out/found"
grep -E "^$scope" "$here/accepted.tsv" | cut -f 1-3 | sort >"$out/accepted"
diff "$out/accepted" "$out/found" >"$out/difference" || :
fails='^[<>]'
[ "${2:-}" != library ] || fails='^>'
if grep -q "$fails" "$out/difference"; then
    for name in $(sed -n 's/^> //p' "$out/difference" | cut -f 1); do
        grep -l "^$source/$name:.*warning:" "$out"/*.log | xargs cat
    done
    echo "findings (>) that are not accepted, and accepted ones (<) that are gone:"
    cat "$out/difference"
    exit 1
fi
echo "$(wc -l <"$out/files") files, $(wc -l <"$out/found") accepted findings"
