#!/bin/sh
# demo.sh SOURCE BUILD NINJA: `./run demo` builds less than half of what the build tree compiles,
# because a newcomer waits for it.
set -u
source=$1 build=$2 ninja=$3

# compiled TARGET...: how many objects are made for them.
compiled() { "$ninja" -C "$build" -t inputs "$@" | grep -c '\.o$'; }

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

targets=$(sed -n 's/^ *--target //p' "$source/run")
[ -n "$targets" ] || fail "./run demo names no targets"
# shellcheck disable=SC2086
demo=$(compiled $targets)
all=$(compiled all)
echo "the demonstration compiles $demo of $all sources"
[ "$demo" -gt 0 ] || fail "nothing is compiled"
[ $((2 * demo)) -lt "$all" ] || fail "that is not less than half"
