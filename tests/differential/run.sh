#!/bin/sh
# Runs programs on two drivers and compares what their kernels left in memory.
#   run.sh LIBRARIES REFERENCE OTHER PROGRAM [ARGUMENT...]
# LIBRARIES: the folder of librecord.so and compare_records. REFERENCE, OTHER: files of drivers,
# such as /usr/lib/x86_64-linux-gnu/libcuda.so.1 and lib/libsimcuda.so.1. Prints compare's line.
set -u
libraries=$1 reference=$2 other=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for side in reference other; do
    mkdir "$work/$side"
    eval "driver=\$$side"
    ln -s "$driver" "$work/$side/librecorded.so"
    printf '{"drivers": {"cuda": {"library": "%s"}}}\n' "$libraries/librecord.so" \
        >"$work/config.json"
    ANYHIP_CONFIG=$work/config.json ANYHIP_BACKEND=cuda RECORD_FILE=$work/$side/record \
        LD_LIBRARY_PATH=$work/$side${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        "$@" >"$work/$side/output" 2>&1 </dev/null ||
        printf '(exit code %s on %s) ' "$?" "$driver"
done
"$libraries/compare_records" "$work/reference/record" "$work/other/record"
