#!/bin/sh
# check_signatures.sh GENERATED COMPILER [FLAG...]: compiles the generated redeclarations.
generated=$1
shift
if ! "$@" -x c -std=c11 -fsyntax-only -Wno-builtin-declaration-mismatch "$generated"; then
    echo "a prototype differs from HIP's"
    exit 1
fi
tail -n 1 "$generated"
