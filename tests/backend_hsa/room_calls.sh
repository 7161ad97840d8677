#!/bin/sh
# room_calls.sh ROOM OBJECT... ROOM OBJECT...: no object uses a symbol that is defined by objects of
# a room that is named after its own.
set -eu
list() { # ROOM OBJECT...
    room=$1
    shift
    nm "$@" | sed "s|^|$room |"
}
while [ $# -gt 0 ]; do
    room=$1 objects=
    shift
    while [ $# -gt 0 ] && [ "${1%.o}" != "$1" ]; do
        objects="$objects $1"
        shift
    done
    # shellcheck disable=SC2086
    list "$room" $objects
done | awk '
    NF < 3 { next }
    {
        if (!($1 in order))
            order[$1] = ++rooms
        if ($(NF - 1) == "U")
            uses[$1 " " $NF]
        else if ($(NF - 1) ~ /^[A-Z]$/)
            home[$NF] = $1
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
