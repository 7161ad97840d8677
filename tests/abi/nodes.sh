#!/bin/sh
# nodes.sh SOURCE_DIR API_DEF: every symbol of symbol_versions.tsv is in api.def, in its node.
here=$1
api=$2
awk -F '\t' '
    FILENAME ~ /api\.def$/ {
        if (match($0, /^AH_API(_ALIAS)?\([A-Za-z0-9_]+, [A-Za-z0-9_]+/)) {
            row = substr($0, RSTART, RLENGTH)
            sub(/^AH_API(_ALIAS)?\(/, "", row)
            split(row, part, ", ")
            node[part[2]] = part[1]
        }
        next
    }
    FNR == 1 { next }
    {
        name = $1
        sub(/\*$/, "", name)
        expected = ""
        for (i = 2; i <= 4 && expected == ""; i++)
            if (match($i, /^hip_[0-9]+\.[0-9]+/)) expected = substr($i, RSTART, RLENGTH)
        gsub(/\./, "_", expected)
        if (!(name in node)) {
            print name " is missing"
            wrong++
        } else if (expected == "") {
            if (node[name] !~ /^hip_7_(2|14)$/) {
                print name " is in " node[name] "; it is newer than hip_7_1"
                wrong++
            }
        } else if (node[name] != expected) {
            print name " is in " node[name] ", HIP has it in " expected
            wrong++
        }
        count++
    }
    END {
        print count " symbols"
        exit wrong > 0
    }' "$api" "$here/symbol_versions.tsv"
