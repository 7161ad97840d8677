#!/bin/sh
# simulated.sh: programs of HeCBench (github.com/zjin-lcf/HeCBench), with the arguments of their Makefiles,
# on simulated devices: which end within some seconds, and how far the others come, with one library and
# with another.
#
#   simulated.sh choose HECBENCH >TABLE                the programs: name, arguments, macros, folders, sources
#   simulated.sh build HECBENCH HIPCC TABLE FOLDER     compiles them for $ARCHS (sm_80)
#   simulated.sh run FOLDER VARIANT...                 runs each with each variant, of which one is
#                                                      NAME=LIBRARIES[,VARIABLE=VALUE...]
#   simulated_compare.py FOLDER VARIANT VARIANT...     a table, and the geometric mean
#
# Chosen are those whose HIP sources include and link no library besides HIP's and need no file of data:
# every fourth of the alphabet. `run` has $LANES (1) programs at a time, each with all variants at once, for
# $SECONDS_EACH (60) seconds of wall-clock time at most, with one thread for kernels (ANYHIP_SIM_THREADS), on
# $DEVICE (simcuda:sm_80). It begins with no program that may not end within $LIMIT seconds. $PART=I/N takes a
# part of the programs: they come in the order of a hash of their names, so that each part is a random sample.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tab=$(printf '\t')

# What a program's Makefile calls its sources and macros.
of_makefile() { # FOLDER EXPRESSION
    printf 'include Makefile\nanswer:;@echo $(strip %s)\n' "$2" | make -s -C "$1" -f - answer 2>/dev/null
}

# ---- choose

libraries='(roc|hip)(blas|prim|cub|rand|fft|sparse|solver)|rocthrust|rocwmma|thrust|cub/|curand|miopen|mpi|rccl|nccl'
libraries="$libraries|ck/|composable|boost|opencv|gsl|hdf5|gdal|zlib|torch|Eigen|png|cblas|fftw|tbb|GL/"
data='[/<>|]|\.(txt|dat|bin|bmp|png|ppm|pgm|csv|mtx|gr|in|json|fa|fasta|raw|hdr|nii|pdb|xyz|obj|tar|gz|conf|cfg|wav'
data="$data|inp|input|data|graph)\\b"

needs_nothing() { # PROGRAM'S FOLDER
    ! grep -rqiE "#[[:space:]]*include[[:space:]]*[<\"]($libraries)" --include='*.cu' --include='*.c*' \
        --include='*.h*' --include='*.inc' "$1" &&
        ! of_makefile "$1" '$(LDFLAGS)' | grep -E -- '-l' | sed -E 's/-l(m|pthread|gomp|amdhip64)( |$)/ /g' |
        grep -qE -- '-l' &&
        ! grep -rqE 'fopen *\( *"[^"]+" *, *"r|ifstream +[a-z_A-Z]+ *\( *"' --include='*.cu' --include='*.c*' \
            --include='*.h*' "$1"
}

arguments_of() { # PROGRAM'S FOLDER; false if there are none to be found, or they name a file
    line=$(make -n -s -C "$1" run 2>/dev/null | grep -v hipcc | grep -E '^[[:space:]]*\./' | head -n 1 |
        sed -E 's/[[:space:]]+$//; s/[[:space:]]+/ /g; s/^ //')
    [ -n "$line" ] || return 1
    case $line in *' '*) line=${line#* } ;; *) line= ;; esac
    ! printf '%s' "$line" | grep -qE "$data" && printf '%s\n' "$line"
}

choose() { # HECBENCH
    cd "$1/src" || exit 1
    for folder in $(printf '%s\n' *-hip | LC_ALL=C sort); do
        [ -f "$folder/Makefile" ] && needs_nothing "$folder" && arguments=$(arguments_of "$folder") &&
            printf '%s\t%s\t%s\t%s\t%s\n' "${folder%-hip}" "$arguments" \
                "$(of_makefile "$folder" '$(filter-out -DWAVE64%,$(filter -D%,$(CFLAGS)))')" \
                "$(of_makefile "$folder" '$(filter -I%,$(CFLAGS))')" "$(of_makefile "$folder" '$(source)')"
    done | awk 'NR % 4 == 1'
}

# ---- build

field() { awk -F "$tab" -v name="$2" -v field="$3" '$1 == name { print $field }' "$1"; } # TABLE NAME NUMBER

build() { # HECBENCH HIPCC TABLE FOLDER
    mkdir -p "$4/bin" "$4/log" && cp "$3" "$4/programs.tsv"
    folder=$(cd "$4" && pwd)
    cut -f 1 "$3" | while read -r name; do [ -x "$folder/bin/$name" ] || echo "$name"; done |
        xargs -P "${JOBS:-2}" -I NAME sh "$here/simulated.sh" compile "$1" "$2" "$folder" NAME
}

compile() { # HECBENCH HIPCC FOLDER NAME
    cd "$1/src/$4-hip" || exit 1
    table=$3/programs.tsv archs=
    for arch in ${ARCHS:-sm_80}; do archs="$archs --offload-arch=$arch"; done
    # shellcheck disable=SC2046,SC2086
    timeout 600 "$2" -x hip -std=c++17 -O3 -w $archs -I. "-I../$4-cuda" -I../include $(field "$table" "$4" 3) \
        $(field "$table" "$4" 4) $(field "$table" "$4" 5) -o "$3/bin/$4" >"$3/log/$4.hipcc" 2>&1 ||
        echo "$4 does not compile: $3/log/$4.hipcc"
}

# ---- run

in_random_order() { # names come in, and leave in the order of a hash of them
    while read -r name; do printf '%s %s\n' "$(printf %s "$name" | cksum)" "$name"; done | sort -n | cut -d ' ' -f 3
}

part() { # I/N: lines I, I + N, I + 2 N and so on
    awk -v i="${1%/*}" -v n="${1#*/}" 'NR % n == i % n' # lines are numbered from 1
}

run() { # FOLDER VARIANT...
    folder=$(cd "$1" && pwd)
    shift
    mkdir -p "$folder/record" "$folder/run"
    [ -x "$folder/watch" ] || ${CC:-cc} -O2 -static "$here/simulated_watch.c" -o "$folder/watch" || exit 1
    begin=$(date +%s)
    export begin
    cut -f 1 "$folder/programs.tsv" | while read -r name; do [ -x "$folder/bin/$name" ] && echo "$name"; done |
        in_random_order | part "${PART:-1/1}" |
        xargs -P "${LANES:-1}" -I NAME sh "$here/simulated.sh" program "$folder" NAME "$@"
}

program() { # FOLDER NAME VARIANT...
    folder=$1 name=$2
    shift 2
    [ $(($(date +%s) + ${SECONDS_EACH:-60} - begin)) -le "${LIMIT:-1000000}" ] || return
    arguments=$(field "$folder/programs.tsv" "$name" 2)
    for variant; do
        # shellcheck disable=SC2086
        one "$folder" "$name" "$variant" $arguments &
    done
    wait
}

one() { # FOLDER NAME VARIANT ARGUMENTS...; the program is in an empty folder
    folder=$1 name=$2 variant=${3%%=*} what=${3#*=}
    shift 3
    variables=$(printf '%s\n' "$what" | tr , '\n' | sed 1d)
    mkdir -p "$folder/run/$name.$variant" && cd "$folder/run/$name.$variant" || return
    # shellcheck disable=SC2086
    env ANYHIP_BACKEND="${DEVICE:-simcuda:sm_80}" ANYHIP_SIM_THREADS=1 ANYHIP_SIM_PROGRESS=0 $variables \
        LD_LIBRARY_PATH="${what%%,*}" "$folder/watch" "${SECONDS_EACH:-60}" "$folder/record/$name.$variant" \
        "$folder/bin/$name" "$@"
    cd "$folder" && rm -rf "$folder/run/$name.$variant"
}

case ${1:-} in
choose | build | compile | run | program) "$@" ;;
*) sed -n '2,20p' "$0"; exit 2 ;;
esac
