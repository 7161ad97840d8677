#!/bin/sh
# report.sh PROGRAM SOURCE: missing_barrier on a simulated device that watches for races. The kernel
# must be stopped, and the report must name it and the line of the access, as the README beside the
# source does.
set -u
program=$1
source=$2

fail() {
    echo "FAIL: $*" >&2
    echo "$output" >&2
    exit 1
}

line_of() { grep -n -F "$1" "$source" | head -n 1 | cut -d: -f1; }

output=$(ANYHIP_SIM_CHECK=races "$program" 2>&1) && fail "the bug was not found"
written=$(line_of 'cells[threadIdx.x] =')
read=$(line_of '= cells[')
[ -n "$written" ] && [ -n "$read" ] || fail "$source is not as it was"
for words in reverse_blocks races 'no barrier between' hipErrorLaunchFailure; do
    echo "$output" | grep -q "$words" || fail "the report does not say: $words"
done
echo "$output" | grep -q -e "missing_barrier.hip:$written" -e "missing_barrier.hip:$read" ||
    fail "the report names neither line $written nor line $read"
grep -q "missing_barrier.hip:$written" "$(dirname "$source")/README.md" ||
    fail "the report in examples/README.md names another line than $written"
