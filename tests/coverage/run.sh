#!/bin/sh
# usage: run.sh BUILD-TREE [CTEST-ARGUMENT...]
# Runs the tests of a tree that the preset "coverage" has configured, and prints which part of the
# lines and branches of each folder of the library they reach. BUILD-TREE/coverage has every file's
# lines, with how often each ran.
#
# Counters lie in files that are mapped into the processes, so that those count too that end by a
# signal or by _exit.
set -eu
tree=$(cd "$1" && pwd)
shift
suffix=-22
profiles=$tree/profiles
rm -rf "$profiles"
mkdir -p "$profiles" "$tree/coverage"
LLVM_PROFILE_FILE="$profiles/%m.profraw%c" ctest --test-dir "$tree" "$@" || failed=1

llvm-profdata$suffix merge -failure-mode=warn -o "$tree/tests.profdata" "$profiles"/*.profraw*
# Every program that holds objects of the library has counters of its own.
objects=$(find "$tree/lib" "$tree/bin" "$tree/tests" -type f -perm -u+x \
    ! -name '*.so.[0-9]*.*' ! -name '*.sh' -exec sh -c '
        for file; do
            readelf -S "$file" 2>/dev/null | grep -q llvm_covmap && printf " -object %s" "$file"
        done' sh {} +)
set -- "$tree"/lib/libanyhip.so.*.*
# shellcheck disable=SC2086
llvm-cov$suffix export -format=lcov -instr-profile="$tree/tests.profdata" "$1" $objects \
    >"$tree/coverage/lcov.info" 2>/dev/null
# shellcheck disable=SC2086
llvm-cov$suffix show -instr-profile="$tree/tests.profdata" -output-dir="$tree/coverage" \
    "$1" $objects >/dev/null 2>&1

# The records of one file follow its SF: line. DA: line, count. BRDA: line, block, branch, count or -.
# A file that several programs hold has a record for each. Files that the build has generated in the
# tree are not counted.
awk -F'[:,]' -v tree="$tree/" '
    /^SF:/ { file = $2; folder = $2; sub(/.*\/src\//, "", folder); sub(/\/.*/, "", folder) }
    index(file, tree) == 1 || folder !~ /^(core|backend_cuda|backend_hsa|image)$/ { next }
    /^DA:/ {
        key = file ":" $2
        if (!(key in line)) lines[folder]++
        if ($3 > 0 && !line[key]) reached[folder]++
        line[key] = line[key] || $3 > 0
    }
    /^BRDA:/ {
        key = file ":" $2 ":" $3 ":" $4
        if (!(key in branch)) branches[folder]++
        if ($5 != "-" && $5 > 0 && !branch[key]) taken[folder]++
        branch[key] = branch[key] || ($5 != "-" && $5 > 0)
    }
    END {
        for (folder in lines)
            printf "%-13s %5.1f %% of %5d lines, %5.1f %% of %5d branches\n", folder,
                100 * reached[folder] / lines[folder], lines[folder],
                100 * taken[folder] / branches[folder], branches[folder]
    }' "$tree/coverage/lcov.info" | sort
exit ${failed:-0}
