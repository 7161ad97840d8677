#!/bin/sh
# No public function calls another, and nothing else in the library calls one: a call would be
# logged and counted twice, and would change the thread's last error. public_calls.sh OBJECT...
# looks for relocations of calls and of addresses in code.
set -eu
found=$(for object; do
    objdump -r "$object" |
        awk -v object="${object##*/}" '
            /^RELOCATION RECORDS FOR/ { code = /\[\.text/ }
            code && $3 ~ /^(__hip|hip|anyhip)[A-Za-z_]*/ {
                sub(/[-+]0x.*/, "", $3)
                print object ": " $3
            }' | sort -u
done)
[ $# -gt 50 ] || { echo "only $# objects were given"; exit 1; }
[ -z "$found" ] || { echo "calls of public functions:"; echo "$found"; exit 1; }
