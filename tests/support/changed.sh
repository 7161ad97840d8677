#!/bin/sh
# changed.sh BUILD STAMP: a regular expression of the tests in a build tree whose programs,
# scripts or libraries are newer than the file STAMP; nothing where there are none. All tests
# where there is no such file.
set -eu
build=$1
stamp=$2
source=$(cd "$(dirname "$0")/../.." && pwd)

[ -e "$stamp" ] || {
    echo .
    exit
}
{
    find "$build/lib" "$build/bin" "$build/tests" "$build/tools" "$source/tests" \
        -type f -newer "$stamp" | sed 's/^/newer\t/'
    find "$build" -name CTestTestfile.cmake -exec grep -h '^add_test(' {} +
} | awk -F '\t' '
    $1 == "newer" {
        newer[$2] = 1
        if ($2 ~ /\/lib\/lib(anyhip|simcuda|simhsa)\.so/)
            opens = opens "|api|driver|process|tools"
        if ($2 ~ /\/lib\/libanyhip\.so/)
            opens = opens "|core|hiprtc"
        if ($2 ~ /\/lib\/libsimcuda\.so/)
            opens = opens "|sim\\.cuda|sim\\.ptx_alu"
        if ($2 ~ /\/lib\/libsimhsa\.so/)
            opens = opens "|sim\\.hsa|backend_hsa"
        next
    }
    {
        name = $0
        sub(/^add_test\(\[=*\[/, "", name)
        sub(/\]=*\].*/, "", name)
        # what opens a library is not linked again with it
        wanted = opens != "" && name ~ "^(" substr(opens, 2) ")[._]"
        count = split($0, quoted, "\"")
        for (i = 2; i <= count; i += 2)
            wanted = wanted || quoted[i] in newer
        if (wanted) {
            gsub(/[.+@]/, "[&]", name)
            printf "%s%s", found++ ? "|" : "^(", name
        }
    }
    END { if (found) print ")$" }'
