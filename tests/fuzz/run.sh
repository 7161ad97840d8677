#!/bin/sh
# usage: run.sh BUILD-TREE [SECONDS] [TARGET...]
# Builds the libFuzzer programs of a tree configured with ANYHIP_FUZZ, and runs each for some
# seconds (30) from its seeds and what earlier runs have found. Stops at the first that fails.
set -eu
tree=$(cd "$1" && pwd)
seconds=${2:-30}
shift $(($# < 2 ? $# : 2))
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- $(ls seeds)
for target in "$@"; do
    cmake --build "$tree" --target "build_fuzz_$target"
    mkdir -p "$tree/corpus/$target"
    # Code that prints does so to the standard output.
    "$tree/tests/fuzz/fuzz_$target" -seed=1 -max_total_time="$seconds" -print_final_stats=1 \
        -close_fd_mask=1 -verbosity=0 -artifact_prefix="$tree/stopped-$target-" \
        "$tree/corpus/$target" "seeds/$target"
done
