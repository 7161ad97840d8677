#!/bin/sh
# Profiles the example that transposes a matrix: what can be told beforehand is as it must be, and a
# run with another number of the host's threads has the same counts. same_counts.sh ANYHIP PROGRAM
# DEVICE
set -eu
anyhip=$1
program=$2
device=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail()
{
    echo "$1" >&2
    cat "$folder/out" >&2
    exit 1
}

# profile THREADS ARGUMENT...
profile()
{
    threads=$1
    shift
    ANYHIP_SIM_THREADS=$threads "$anyhip" profile --device "$device" "$@" "$program" \
        >"$folder/out" 2>&1
}

profile 1 -o "$folder/counts.json" || fail "the profile fails"
for threads in 2 3; do
    profile $threads --compare "$folder/counts.json" || fail "$threads threads differ from one"
done

# 389 x 1003 elements, twice: each of both kernels loads and stores them once.
lanes=$((2 * 389 * 1003))
[ "$(grep -c "\"lanes\":[[:space:]]*$lanes,*$" "$folder/counts.json")" -ge 8 ] ||
    { cp "$folder/counts.json" "$folder/out"; fail "not every element is loaded and stored once"; }
# The tiles are made so that no two lanes want different words of one bank.
[ "$(grep -c '"conflicts":[[:space:]]*0,*$' "$folder/counts.json")" -eq 2 ] ||
    { cp "$folder/counts.json" "$folder/out"; fail "there are conflicts"; }
# 256 threads are an eighth of what a multiprocessor, a compute unit or a pair of them holds.
[ "$(grep -c '"blocks_per_unit":[[:space:]]*8,*$' "$folder/counts.json")" -eq 2 ] ||
    { cp "$folder/counts.json" "$folder/out"; fail "occupancy is not that of 8 blocks"; }
