#!/bin/sh
# programs.sh: programs whose HIP and CUDA sources are twins, by hipcc and by nvcc on one GPU. The
# programs are HeCBench's (github.com/zjin-lcf/HeCBench), those of programs.tsv.
#
#   programs.sh build HECBENCH HIPCC FOLDER [NAME...]   compiles the HIP programs for $ARCH (sm_90) with
#                                                       $FLAGS and copies the CUDA sources
#   programs.sh run FOLDER                              where the GPU and nvcc are: compiles the CUDA
#                                                       programs, runs each once, so that the driver
#                                                       compiles PTX, then twice in $LANES lanes (2)
#   programs_compare.py FOLDER                          the times of kernels, and their ratios
#
# Times are those of kernels on the GPU, recorded by NVIDIA's CUPTI through kernel_times.c. FOLDER may
# have programs compiled in another way in folders beside hip (hip-*).
set -u
here=$(cd "$(dirname "$0")" && pwd)
tab=$(printf '\t')

names() { # [NAME...]: lines "name TAB arguments"
    while IFS="$tab" read -r name arguments; do
        case $name in \#* | "") continue ;; esac
        [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
        printf '%s\t%s\n' "$name" "$arguments"
    done <"$here/programs.tsv"
}

# What a program's Makefile calls its sources and macros.
of_makefile() { # FOLDER EXPRESSION
    printf 'include Makefile\nanswer:;@echo $(strip %s)\n' "$2" | make -s -C "$1" -f - answer 2>/dev/null
}

build() { # HECBENCH HIPCC FOLDER [NAME...]
    source=$1/src hipcc=$2 folder=$3
    shift 3
    mkdir -p "$folder/hip" "$folder/cuda" "$folder/log"
    names "$@" | while IFS="$tab" read -r name arguments; do
        [ -d "$folder/cuda/$name" ] || cp -r "$source/$name-cuda" "$folder/cuda/$name"
        printf '%s\t%s\t%s\t%s\n' "$name" "$arguments" \
            "$(of_makefile "$source/$name-cuda" '$(filter -D%,$(CFLAGS))')" \
            "$(of_makefile "$source/$name-cuda" '$(source)')"
    done >"$folder/programs.tsv"
    cp "$here/programs.sh" "$here/kernel_times.c" "$folder/"
    [ -d "$folder/cuda/include" ] || cp -r "$source/include" "$folder/cuda/"
    while IFS="$tab" read -r name arguments; do
        [ -x "$folder/hip/$name" ] || echo "$name"
    done <"$folder/programs.tsv" | xargs -P "${JOBS:-2}" -I NAME \
        sh "$0" hipcc "$source" "$hipcc" "$(cd "$folder" && pwd)" NAME
}

hipcc() { # SOURCE HIPCC FOLDER NAME
    cd "$1/$4-hip" || exit 1
    # shellcheck disable=SC2046,SC2086
    timeout 300 "$2" -x hip -std=c++17 -O3 -w --offload-arch="${ARCH:-sm_90}" -I. "-I../$4-cuda" -I../include \
        $(of_makefile . '$(filter-out -DWAVE64%,$(filter -D%,$(CFLAGS)))') ${FLAGS:-} $(of_makefile . '$(source)') -o "$3/hip/$4" \
        >"$3/log/$4.hipcc" 2>&1 || echo "$4 does not compile: $3/log/$4.hipcc"
}

# The kernel times of one run of one side, and what it printed: log/NAME.SIDE.ROUND and .times
one() { # SIDE ROUND SECONDS NAME ARGUMENTS...
    log=../../log/$4.$1.$2 seconds=$3
    case $1 in cuda) program=./program ;; *) program=../../$1/$4 ;; esac
    cd "cuda/$4" 2>/dev/null && [ -x "$program" ] || return
    shift 4
    CUDA_INJECTION64_PATH=$kernel_times KERNEL_TIMES=$log.times timeout -k 3 "$seconds" "$program" "$@" \
        >"$log" 2>&1 </dev/null
    echo "exit status $?" >>"$log"
    [ "$(wc -c <"$log")" -lt 100000 ] || { head -c 50000 "$log" >"$log.cut" && mv "$log.cut" "$log"; }
}

twin() { # ROUND SECONDS NAME
    arguments=$(awk -F "$tab" -v name="$3" '$1 == name { print $2 }' programs.tsv)
    for side in cuda hip*; do
        # shellcheck disable=SC2086
        (one "$side" "$1" "$2" "$3" $arguments)
    done
}

nvcc_one() { # NAME
    cd "cuda/$1" || exit 1
    [ -x program ] && return
    awk -F "$tab" -v name="$1" '$1 == name { print $3, $4 }' ../../programs.tsv |
        xargs timeout 150 nvcc -std=c++17 -O3 -w "-arch=${ARCH:-sm_90}" -cudart shared -I. -I../include \
            --expt-relaxed-constexpr --extended-lambda -Xptxas -v -o program >"../../log/$1.nvcc" 2>&1
}

# The driver compiles PTX when a program runs for the first time; nvcc compiles meanwhile.
first() {
    mkdir -p log
    cut -f 1 programs.tsv | xargs -P "$(nproc)" -I NAME \
        sh -c "sh programs.sh nvcc_one NAME; sh programs.sh twin 0 20 NAME"
}

# Those that came to their end with kernels on both sides.
runnable() {
    cut -f 1 programs.tsv | while read -r name; do
        [ -s "log/$name.cuda.0.times" ] && [ -s "log/$name.hip.0.times" ] &&
            grep -q 'exit status 0' "log/$name.cuda.0" && echo "$name"
    done
}

timed() { # ROUND NAMES...
    round=$1
    shift
    printf '%s\n' "$@" | xargs -P "${LANES:-2}" -I NAME sh programs.sh twin "$round" 10 NAME
}

run() { # FOLDER
    cd "$1" || exit 1
    [ -f kernel_times.so ] || ${CC:-cc} -O2 -shared -fPIC -I/usr/local/cuda/include kernel_times.c -o kernel_times.so \
        -L/usr/local/cuda/lib64 -lcupti -lpthread -Wl,-rpath,/usr/local/cuda/lib64 || exit 1
    first
    # shellcheck disable=SC2046
    timed 1 $(runnable)
    # shellcheck disable=SC2046
    timed 2 $(runnable)
}

kernel_times=$PWD/kernel_times.so
case ${1:-} in
build | hipcc | run | nvcc_one | twin | first | runnable | timed) "$@" ;;
*) sed -n '2,16p' "$0"; exit 2 ;;
esac
