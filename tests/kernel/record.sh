#!/bin/sh
# Runs the programs that language.tsv names on a device and writes what each test gave, and the
# errors that it measured, to results/DEVICE.tsv:
#   record.sh BUILD DEVICE [OUTPUT]      with DEVICE as in the names of tests: simhsa-gfx90a
# A row is: program, sentence, "ok", "FAILED" or "skip"; or program, function, error in units of the last
# place ("host:" before functions of the host).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
device=$2
output=${3:-$here/results/$device.tsv}
backend=$(printf '%s' "$device" | sed 's/^simhsa-/simhsa:/; s/^simcuda$/simcuda:sm_80/')

programs=$(cut -f3 "$here/language.tsv" | sed 's/ & /\n/g' |
    sed -n 's|^api/\([^:]*\): .*|tests/api/api_\1|p; s|^\([a-z0-9_]*\): .*|tests/kernel/kernel_\1|p' |
    grep -v -e kernel_rules -e kernel_code -e kernel_hipcc | sort -u)

mkdir -p "$(dirname "$output")"
temporary=$output.new
: >"$temporary"
for program in $programs; do
    (cd "$build/$(dirname "$program")" &&
        ANYHIP_BACKEND=$backend LD_LIBRARY_PATH=$build/lib "./$(basename "$program")" 2>/dev/null) |
        awk -v program="$(basename "$program")" -v OFS='\t' '
            /^(ok    |FAILED|skip  ) / { print program, substr($0, 8), $1 }
            /^    ulp / { print program, $2, $3 }' >>"$temporary" || true
done
mv "$temporary" "$output"
printf '%s: %s tests, %s failed\n' "$device" "$(grep -c -e '	ok$' -e '	FAILED$' -e '	skip$' "$output")" \
    "$(grep -c '	FAILED$' "$output" || true)"
