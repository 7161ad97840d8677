#!/bin/sh
# count.sh HIPCC LIBRARIES OUT: executed instructions for each call of each function of bench_math on
# simulated devices, of AnyHIP's headers and of the vendor's library, as OUT/ARCH.tsv: function, AnyHIP,
# library. HIPCC is the compile driver, LIBRARIES the folder of libanyhip.so.0 and of the
# simulators. Needs rocm-device-libs for gfx90a and gfx1100, and the CUDA toolkit (CUDA_PATH, or
# /usr/local/cuda) for sm_80; what is missing is left out, and so is a library whose
# OUT/ARCH.library.tsv is there already. PARTS="1 7" takes parts of the table, ARCHS="gfx90a sm_80"
# some of the devices; JOBS=4 compiles four at a time.
set -eu
hipcc=$1 libraries=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
parts=${PARTS:-1 2 3 4 5 6 7 8 9 10 11 12} archs=${ARCHS:-gfx90a gfx1100 sm_80}
amd=${OCML_PATH:-/usr/lib/x86_64-linux-gnu/amdgcn/bitcode}
nvidia=${CUDA_PATH:-/usr/local/cuda}/nvvm/libdevice/libdevice.10.bc
clc=$(ls -d /usr/lib/clc /usr/lib/llvm-22/share/clc 2>/dev/null | head -n 1)
mkdir -p "$out"

# libclc and another library in one, which hipcc links. llvm-link leaves out linkonce functions.
join() { # FOLDER NAME BITCODE...
    folder=$1 name=$2
    shift 2
    mkdir -p "$folder"
    cp "$clc/nvptx64--.bc" "$clc/amdgcn-amd-amdhsa.bc" "$folder"
    for bitcode; do
        llvm-dis-22 "$bitcode" -o - 2>"$folder/log" | sed 's/linkonce_odr/weak_odr/' |
            llvm-as-22 -o "$folder/$(basename "$bitcode")"
        set -- "$@" "$folder/$(basename "$bitcode")"
        shift
    done
    llvm-link-22 --suppress-warnings "$clc/$name" "$@" -o "$folder/$name" 2>>"$folder/log" ||
        { cat "$folder/log" >&2; return 1; }
}

# The difference of 64 calls, by the log of the simulator ("KERNEL: wave 0 of block 0 has executed N
# instructions"), without what the loop and its generator of arguments take: the rows "nothing" of
# the same type, which are first in parts 1 and 7.
instructions() { # PROGRAM DEVICE
    LD_LIBRARY_PATH=$libraries ANYHIP_BACKEND=$2 AMD_LOG_LEVEL=5 AMD_LOG_MASK=0x80 "$1" --count 2>&1 |
        awk 'NF == 3 && $2 ~ /^[48]$/ { name = $1; kind = $2 " " $3; n = 0 }
             / has executed / { for (i = 1; i < NF; i++) if ($i == "executed") count[n++] = $(i + 1)
                                if (n != 2) next
                                each = (count[1] - count[0]) / 64
                                if (name ~ /^nothing/) base[kind] = each
                                else printf "%s\t%.2f\n", name, each - base[kind] }'
}

build() { # NAME ARCH FLAG...
    name=$1 arch=$2
    shift 2
    printf '%s\n' 0 $parts | xargs -P "${JOBS:-2}" -I @ "$hipcc" -std=c++17 -O2 --offload-arch="$arch" \
        -DBENCH_TIMES_ONLY -DBENCH_PART=@ "$@" -c "$here/math.hip" -o "$out/$name.@.o"
    "$hipcc" --offload-arch="$arch" "$out/$name".*.o -o "$out/$name"
    rm -f "$out/$name".*.o
}

compare() { # ARCH DEVICE LIBCLC FLAG
    if [ ! -s "$out/$1.library.tsv" ]; then
        (export ANYHIP_LIBCLC="$3" && build "$1.library" "$1" "$4")
        instructions "$out/$1.library" "$2" >"$out/$1.library.tsv"
    fi
    build "$1.own" "$1"
    instructions "$out/$1.own" "$2" >"$out/$1.own.tsv"
    awk -F '\t' 'NR == FNR { own[$1] = $2; next } { print $1 "\t" own[$1] "\t" $2 }' \
        "$out/$1.own.tsv" "$out/$1.library.tsv" >"$out/$1.tsv"
}

for arch in $archs; do
    case $arch in
    gfx*)
        [ -e "$amd/ocml.bc" ] || continue
        isa=$amd/oclc_isa_version_${arch#gfx}.bc wave=off
        [ -e "$isa" ] || isa=$amd/oclc_isa_version_1036.bc
        [ "$arch" != gfx90a ] || wave=on
        [ -e "$out/$arch.library.tsv" ] || join "$out/clc.$arch" amdgcn-amd-amdhsa.bc "$amd/ocml.bc" "$isa" \
            "$amd/oclc_wavefrontsize64_$wave.bc" "$amd/oclc_finite_only_off.bc" \
            "$amd/oclc_unsafe_math_off.bc" "$amd/oclc_daz_opt_off.bc" \
            "$amd/oclc_correctly_rounded_sqrt_on.bc"
        compare "$arch" "simhsa:$arch" "$out/clc.$arch" -DBENCH_OCML
        ;;
    *)
        [ -e "$nvidia" ] || continue
        [ -e "$out/$arch.library.tsv" ] || join "$out/clc.$arch" nvptx64--.bc "$nvidia"
        compare "$arch" "simcuda:$arch" "$out/clc.$arch" -DBENCH_LIBDEVICE
        ;;
    esac
done
