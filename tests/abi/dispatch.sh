#!/bin/sh
# dispatch.sh SOURCE_DIR DISPATCH_DEF: the table of functions for profilers has each function in the
# place that HIP has for it, and leaves out none.
awk -F '\t' '
    FILENAME ~ /\.def$/ {
        if (match($0, /^AH_SLOT\([A-Za-z0-9_]+\)/))
            slot[count++] = substr($0, RSTART + 8, RLENGTH - 9)
        next
    }
    FNR > 1 { of[$1] = $3 }
    END {
        for (i = 0; i < count; i++) {
            if (of[i] == slot[i]) continue
            print "place " i " has " slot[i] ", and HIP has " of[i] " there"
            wrong++
        }
        print count " places"
        exit wrong > 0 || count == 0
    }' "$2" "$1/hip_dispatch_table.tsv"
