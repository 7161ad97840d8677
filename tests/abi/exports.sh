#!/bin/sh
# exports.sh API_DEF LIBRARY NM: the library exports exactly the symbols of api.def, each in its
# node; nodes.sh has compared api.def with HIP.
api=$1
library=$2
nm=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# A node hip_7_14 is hip_7.14 in the library; ANYHIP_0 is itself.
sed -n 's/^AH_API(\([A-Za-z0-9_]*\), \([A-Za-z0-9_]*\),.*/\2 \1/p
        s/^AH_API_ALIAS(\([A-Za-z0-9_]*\), \([A-Za-z0-9_]*\),.*/\2 \1/p' "$api" |
    sed 's/ hip_\([0-9]*\)_\([0-9]*\)$/ hip_\1.\2/' | sort >"$work/expected"

# Type A is a node itself.
"$nm" -D --defined-only --with-symbol-versions "$library" >"$work/nm" || exit 1
awk '$2 != "A" { sub(/@@?/, " ", $3); print $3 }' "$work/nm" | sort >"$work/actual"

if ! diff "$work/expected" "$work/actual" >"$work/difference"; then
    echo "only in api.def (<) or only in the library (>):"
    cat "$work/difference"
    exit 1
fi
echo "$(wc -l <"$work/actual") symbols"
