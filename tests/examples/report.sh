#!/bin/sh
# report.sh PROGRAM SOURCE: missing_barrier on a simulated device that watches for races. The kernel
# must be stopped, and the report must name it and the lines of both accesses, as the README beside
# the source does, in HIP's words.
set -u
program=$1
source=$2

fail() {
    echo "FAIL: $*" >&2
    echo "$output" >&2
    exit 1
}

line_of() { grep -n -F "$1" "$source" | head -n 1 | cut -d: -f1; }

written=$(line_of 'cells[threadIdx.x] =')
read=$(line_of '= cells[')
[ -n "$written" ] && [ -n "$read" ] || fail "$source is not as it was"
output=$(ANYHIP_SIM_CHECK=races "$program" 2>&1) && fail "the bug was not found"
for words in 'kernel void reverse_blocks<false>(int const\*, int\*): ' 'races: ' \
    'no barrier between' 'by block ([0-9]*,0,0), thread (' 'after the [a-z]* by thread (' \
    "missing_barrier.hip:$written" "missing_barrier.hip:$read" \
    "offset [0-9]* of the block's 1024 bytes of shared memory" hipErrorLaunchFailure; do
    echo "$output" | grep -q "$words" || fail "the report does not say: $words"
done
for words in _Z LDS 'work-' 'null pointer' 'address 0x'; do
    echo "$output" | grep -q "$words" && fail "the report says: $words"
done
grep -q "missing_barrier.hip:$written" "$(dirname "$source")/README.md" ||
    fail "the report in examples/README.md names another line than $written"
