#!/bin/sh
# check.sh MODE EXCLUSIONS INCLUDE_DIR COMPILER [FLAG...]
# Each public header compiles alone in one language mode, included once and again.
mode=$1
exclusions=$2
include=$3
shift 3
cd "$include" || exit 1
failed=0
checked=0
for header in hip/*.h hip/api/*.h; do
    if awk -F '\t' -v header="$header" -v mode="$mode" \
        '$1 == header && ($2 == mode || $2 == "*") { found = 1 } END { exit !found }' \
        "$exclusions"; then
        continue
    fi
    checked=$((checked + 1))
    if ! printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
        "$@" -Wall -Wextra -Werror -fsyntax-only -I. -; then
        echo "FAILED: $header as $mode"
        failed=$((failed + 1))
    fi
done
echo "$checked headers as $mode, $failed failed"
# Together, as the headers of an installed package, with every warning that could reach a user.
ls hip/*.h | while read -r header; do
    awk -F '\t' -v header="$header" -v mode="$mode" \
        '$1 == header && ($2 == mode || $2 == "*") { found = 1 } END { exit found }' \
        "$exclusions" && echo "#include <$header>"
done | "$@" -Wall -Wextra -pedantic -Werror -fsyntax-only -isystem . - ||
    { echo "FAILED: all headers together as $mode"; failed=$((failed + 1)); }
exit "$failed"
