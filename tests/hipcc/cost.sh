#!/bin/sh
# What compiling for different architectures costs, as docs/hipcc.md has it:
# cost.sh HIPCC SOURCE... prints a row of a table for each choice. Run by hand; it takes minutes.
set -eu
hipcc=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The processors that the default's generic targets stand for.
each=gfx900,gfx902,gfx904,gfx906,gfx908,gfx909,gfx90a,gfx90c,gfx942,gfx950,gfx1010,gfx1011,gfx1012
each=$each,gfx1013,gfx1030,gfx1031,gfx1032,gfx1033,gfx1034,gfx1035,gfx1036,gfx1100,gfx1101,gfx1102
each=$each,gfx1103,gfx1150,gfx1151,gfx1152,gfx1153,gfx1200,gfx1201,sm_70
unset ANYHIP_OFFLOAD_ARCH

# row NAME OPTION SOURCE...
row() {
    name=$1
    option=$2
    shift 2
    printf '| %s |' "$name"
    for source in "$@"; do
        # shellcheck disable=SC2086
        /usr/bin/time -o "$folder/time" -f '%U %S' \
            "$hipcc" -w -std=c++17 -O2 $option "$source" -o "$folder/program"
        printf ' %s s, %s KiB |' "$(awk '{ printf "%.1f", $1 + $2 }' "$folder/time")" \
            $(($(stat -c %s "$folder/program") / 1024))
    done
    echo
}

row 'gfx90a' --offload-arch=gfx90a "$@"
row 'gfx90a, gfx1100, sm_70' --offload-arch=gfx90a,gfx1100,sm_70 "$@"
row 'default: 9 images' '' "$@"
row 'default, `--offload-compress`' --offload-compress "$@"
row 'each processor by name: 32 images' --offload-arch=$each "$@"
row 'all' --offload-arch=all "$@"
