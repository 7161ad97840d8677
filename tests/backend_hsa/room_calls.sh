#!/bin/sh
# room_calls.sh ROOM OBJECT... ROOM OBJECT...: no object uses a symbol that is defined by objects of
# a room that is named after its own.
set -eu
for argument; do
    case $argument in
    *.o) nm "$argument" | sed "s|^|$room |" ;;
    *) room=$argument ;;
    esac
done | awk '
    {
        if (!($1 in order))
            order[$1] = ++rooms
        if ($(NF - 1) == "U")
            uses[$1 " " $NF]
        else if ($(NF - 1) ~ /^[A-Z]$/) {
            home[$NF] = $1
            defined++
        }
    }
    END {
        for (use in uses) {
            split(use, part, " ")
            if (part[2] in home) {
                checked++
                if (order[home[part[2]]] > order[part[1]]) {
                    print part[1] " uses " part[2] " of " home[part[2]]
                    wrong = 1
                }
            }
        }
        if (rooms < 2 || !checked) {
            print "nothing was checked"
            wrong = 1
        }
        exit wrong
    }'
