#!/bin/sh
# What the rooms of the library see of one another: an include that crosses a wall does not build.
#   rooms.sh COMPILER LIST
# LIST has a line for each room: its name, then its include directories, each behind a "|". A
# header that a room uses is there as well, since a compiler that finds nothing proves nothing.
set -eu
compiler=$1 list=$2
failed=0

# directories <room>: the options that name them
directories() {
    sed -n "s/^$1|//p" "$list" | tr '|' '\n' | sed '/^$/d; s/^/-I/'
}

includes() {
    # shellcheck disable=SC2046
    printf '#include "%s"\n' "$2" |
        $compiler -DHIP_ABI_IMPL -D_GNU_SOURCE -E $(directories "$1") -x c - >/dev/null 2>&1
}

sees() {
    room=$1
    shift
    for header; do
        includes "$room" "$header" || { echo "$room does not see $header, which it uses"; failed=1; }
    done
}

sees_not() {
    room=$1
    shift
    for header; do
        if includes "$room" "$header"; then
            echo "$room can include $header, which is not for it"
            failed=1
        fi
    done
}

sees runtime backend.h image.h log.h submit_kinds.h relay.h
sees_not runtime runtime.h api.h api_shared.h texture.h cuda_backend.h hsa_backend.h cuda_abi.h

sees api runtime.h api.h api_shared.h backend.h
sees_not api registry.h submit.h submit_kinds.h relay.h pointer_map.h cuda_backend.h hsa_backend.h \
    cuda_abi.h hsa_abi.h

sees hiprtc runtime.h api.h
sees_not hiprtc registry.h submit_kinds.h api_shared.h cuda_backend.h

sees backend_cuda backend.h cuda_backend.h cuda_abi.h
sees_not backend_cuda runtime.h registry.h api.h api_shared.h hsa_backend.h

sees backend_hsa backend.h hsa_abi.h
sees_not backend_hsa runtime.h registry.h api.h api_shared.h cuda_backend.h

sees image image.h log.h
sees_not image runtime.h api.h backend.h

sees common log.h
sees_not common image.h backend.h runtime.h api.h

exit "$failed"
