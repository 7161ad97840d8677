#!/bin/sh
# usage: minimise.sh BUILD-TREE TARGET...
# Replaces the seeds that libFuzzer named by the smallest set of files, of 2 KiB at most, that reach
# what the seeds and the corpus of run.sh reach together. Those that have a name stay.
set -eu
tree=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")"
for target in "$@"; do
    chosen=$(mktemp -d)
    "$tree/tests/fuzz/fuzz_$target" -set_cover_merge=1 -use_counters=0 -max_len=2048 \
        -close_fd_mask=1 "$chosen" "seeds/$target" "$tree/corpus/$target"
    find "seeds/$target" -name '????????????????????????????????????????' -delete
    for seed in "seeds/$target"/*; do # the same under its hash
        rm -f "$chosen/$(sha1sum <"$seed" | cut -d' ' -f1)"
    done
    cp "$chosen"/* "seeds/$target"/ 2>/dev/null || true # there may be none
    rm -r "$chosen"
done
