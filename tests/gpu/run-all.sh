#!/bin/sh
# Runs every test of the bundle on the device that is there and prints one table.
#   run-all [--no-bench] [LOG-FOLDER]
# Logs of failures go to the folder (default: logs). Exit code 0: nothing failed or was skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bench=yes
[ "${1:-}" != --no-bench ] || { bench=no; shift; }
logs=${1:-$here/logs}
mkdir -p "$logs"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
device=${ANYHIP_BACKEND:-cuda}
export ANYHIP_BACKEND="$device"
passed=0 failed=0 skipped=0

[ ! -x "$here/bin/anyhip" ] || "$here/bin/anyhip" info

printf '\n%-44s %-8s %s\n' test result seconds
while IFS="|" read -r name seconds arguments; do
    start=$(date +%s)
    # shellcheck disable=SC2086
    (cd "$here/tests" && timeout "$seconds" "./$name" $arguments) >"$logs/$name.log" 2>&1 </dev/null
    code=$?
    took=$(($(date +%s) - start))
    case $code in
    0) result=passed passed=$((passed + 1)) ;;
    77) result=skipped skipped=$((skipped + 1)) ;;
    124) result=TIMEOUT failed=$((failed + 1)) ;;
    *) result="FAILED" failed=$((failed + 1)) ;;
    esac
    printf '%-44s %-8s %s\n' "$name@$device" "$result" "$took"
    if [ "$result" = FAILED ] || [ "$result" = TIMEOUT ]; then
        sed 's/^/    | /' "$logs/$name.log" | tail -n 12
    else
        rm -f "$logs/$name.log"
    fi
done <"$here/tests.txt"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"

if [ "$bench" = yes ]; then
    printf '\n'
    if command -v nvcc >/dev/null; then
        (cd "$here/bench" && nvcc -O2 -shared -Xcompiler -fPIC -cudart shared bench_cudart.cu \
            -o libbench_cudart.so) >"$logs/nvcc.log" 2>&1 || cat "$logs/nvcc.log"
    fi
    "$here/bench/bench"
    "$here/bench/bench" --footprint
fi
[ $((failed + skipped)) -eq 0 ]
