#!/bin/sh
# Runs every test of the bundle on the device that is there and prints one table; then, on a GPU,
# each once more there and on a simulated device, and compares what their kernels left in memory.
#   run-all [--no-bench] [--no-compare] [LOG-FOLDER]
# A program that exits with 77 is skipped: it found no device. Logs of what failed or was skipped go
# to the folder (default: logs). Exit code 0: nothing failed or was skipped.
# Differences between the devices do not fail: docs/devices.md says which there are, and why.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bench=yes compare=yes
[ "${1:-}" != --no-bench ] || { bench=no; shift; }
[ "${1:-}" != --no-compare ] || { compare=no; shift; }
logs=${1:-$here/logs}
mkdir -p "$logs"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
device=${ANYHIP_BACKEND:-cuda}
export ANYHIP_BACKEND="$device"
passed=0 failed=0 skipped=0
failures="" skips=""

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
    77) result=skipped skipped=$((skipped + 1)) skips="$skips $name" ;;
    124) result=TIMEOUT failed=$((failed + 1)) failures="$failures $name" ;;
    *) result=FAILED failed=$((failed + 1)) failures="$failures $name" ;;
    esac
    printf '%-44s %-8s %s\n' "$name@$device" "$result" "$took"
    if [ "$result" = passed ]; then
        rm -f "$logs/$name.log"
    else
        sed 's/^/    | /' "$logs/$name.log" | tail -n 12
    fi
done <"$here/tests.txt"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ -z "$failures" ] || printf 'failed:%s\n' "$failures"
[ -z "$skips" ] || printf 'skipped:%s\n' "$skips"

# The simulated device is made like the GPU, so that both choose the same code.
driver=$(ldconfig -p | awk '$1 == "libcuda.so.1" { print $NF; exit }')
if [ "$compare" = yes ] && [ "$device" = cuda ] && [ -n "$driver" ]; then
    printf '\nThe GPU against a simulated device: what kernels left in memory\n'
    while IFS="|" read -r name seconds arguments; do
        # shellcheck disable=SC2086
        line=$(cd "$here/tests" && ANYHIP_SIM_DEVICES=${ANYHIP_SIM_DEVICES:-sm_90} timeout \
            $((2 * seconds)) "$here/compare/run.sh" "$here/compare" "$driver" \
            "$here/lib/libsimcuda.so.1" "./$name" $arguments 2>"$logs/$name.compare")
        printf '%-44s %s\n' "$name" "${line:-out of time}"
        sed 's/^/    |/' "$logs/$name.compare" | head -n 8
    done <"$here/tests.txt"
fi

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
