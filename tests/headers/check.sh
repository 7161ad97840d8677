#!/bin/sh
# check.sh MODE EXCLUSIONS INCLUDE_DIR COMPILER [FLAG...]
# The public headers compile in one language mode: each alone, included once and again, with
# every usual warning an error; and all together as a package's headers, which hipcc names as
# system headers.
mode=$1
exclusions=$2
include=$3
shift 3
cd "$include" || exit 1

# excluded HEADER WHERE: exclusions.tsv says that HEADER is not for this mode there.
excluded()
{
    awk -F '\t' -v header="$1" -v where="$2" -v mode="$mode" \
        '$1 == header && mode ~ "^(" $2 ")$" && ($3 == where || $3 == "everywhere") { found = 1 }
         END { exit !found }' "$exclusions"
}

# The parts of hip_runtime_api.h have nothing of the kernel language.
case $mode in
hip-*) parts= ;;
*) parts='hip/api/*.h' ;;
esac

failed=0
checked=0
for header in hip/*.h $parts roctracer/*.h rocprofiler-sdk-roctx/*.h; do
    excluded "$header" alone && continue
    checked=$((checked + 1))
    if ! printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
        "$@" -Wall -Wextra -Werror -fsyntax-only -I. -; then
        echo "FAILED: $header as $mode"
        failed=$((failed + 1))
    fi
done
echo "$checked headers as $mode, $failed failed"

for header in hip/*.h; do
    excluded "$header" together || echo "#include <$header>"
done | "$@" -Wall -Wextra -pedantic -Werror -fsyntax-only -isystem . - || {
    echo "FAILED: all headers together as $mode"
    failed=$((failed + 1))
}
exit "$failed"
