#!/bin/sh
# compare.sh PROGRAM CODE_FOLDER SIMHSA AMD KMT_FOLDER MODEL LEAST: what hsa_calls says of two runtimes,
# libsimhsa.so.1 and AMD's over the simulated kernel driver in KMT_FOLDER, has to be the same but for the
# rows of differences.tsv, and at least LEAST lines.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1 code=$2 simhsa=$3 amd=$4 kmt=$5 model=$6 least=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" "$simhsa" "$model" "$code" >"$work/simhsa" 2>"$work/errors" || {
    cat "$work/errors"
    exit 1
}
LD_LIBRARY_PATH=$kmt "$program" "$amd" "$model" "$code" >"$work/amd" 2>"$work/errors" || {
    cat "$work/errors"
    exit 1
}
awk -v model="$model" -v least="$least" -f "$here/compare.awk" \
    "$here/differences.tsv" "$work/simhsa" "$work/amd"
