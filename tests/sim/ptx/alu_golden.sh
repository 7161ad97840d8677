#!/bin/sh
# alu_golden.sh <alu_compare> <list> <golden folder> <output> <command...>
# Whether "command... list output" gives what an H200 gave.
set -e
compare=$1 list=$2 golden=$3 output=$4
shift 4
"$@" "$list" "$output"
"$compare" "$list" "$golden/h200.txt" "$output" "$golden/allowed.txt"
