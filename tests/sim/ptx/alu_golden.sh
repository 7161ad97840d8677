#!/bin/sh
# alu_golden.sh <alu_direct> <alu_compare> <list> <golden folder> <output>
# Whether the simulator's arithmetic gives what an H200 gave.
set -e
"$1" "$3" "$5"
"$2" "$3" "$4/h200.txt" "$5" "$4/allowed.txt"
