#!/bin/sh
# test_run_all.sh RUN-ALL: what the table of the bundle says of programs that pass, fail, are skipped
# and do not end.
set -eu
bundle=$(mktemp -d)
trap 'rm -rf "$bundle"' EXIT
mkdir "$bundle/tests"
cp "$1" "$bundle/run-all"

# program NAME COMMANDS
program() {
    printf '#!/bin/sh\n%s\n' "$2" >"$bundle/tests/$1"
    chmod +x "$bundle/tests/$1"
    printf '%s|1|\n' "$1" >>"$bundle/tests.txt"
}

# run STATUS: runs all programs, which ends with that status; the table is in $table.
run() {
    status=0
    table=$(ANYHIP_BACKEND=cuda sh "$bundle/run-all" --no-bench --no-compare) || status=$?
    [ "$status" -eq "$1" ] || { printf '%s\nexit code %s, not %s\n' "$table" "$status" "$1"; exit 1; }
}

# says PATTERN: a whole line of the table matches the regular expression.
says() {
    printf '%s\n' "$table" | grep -qx "$1" || { printf '%s\nno line "%s"\n' "$table" "$1"; exit 1; }
}

program a.passes 'exit 0'
run 0
says 'a.passes@cuda  *passed  *[0-9]*'
says '1 passed, 0 failed, 0 skipped'

program b.skips 'echo begin; echo there is no device; exit 77'
program c.skips 'exit 77'
run 1
says 'b.skips@cuda  *skipped  *[0-9]*'
says '    | there is no device'
says '1 passed, 0 failed, 2 skipped'
says 'skipped: b.skips c.skips'

program d.fails 'echo what is wrong; exit 1'
program e.hangs 'sleep 20'
run 1
says 'd.fails@cuda  *FAILED  *[0-9]*'
says '    | what is wrong'
says 'e.hangs@cuda  *TIMEOUT  *[0-9]*'
says '1 passed, 2 failed, 2 skipped'
says 'failed: d.fails e.hangs'
