#!/bin/sh
# programs.sh: programs whose HIP and CUDA sources are twins, by hipcc and by nvcc on one GPU. The
# programs are HeCBench's (github.com/zjin-lcf/HeCBench), those of programs.tsv.
#
#   programs.sh build HECBENCH HIPCC FOLDER [NAME...]   compiles the HIP programs for $ARCH (sm_90) and
#                                                       copies the CUDA sources
#   programs.sh run FOLDER                              where the GPU and nvcc are: compiles the CUDA
#                                                       programs, runs each, by turns
#   programs.sh compare FOLDER                          the times that they printed, and their ratios
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

build() { # HECBENCH HIPCC FOLDER [NAME...]
    source=$1/src hipcc=$2 folder=$3
    shift 3
    mkdir -p "$folder/hip" "$folder/cuda" "$folder/log"
    names "$@" >"$folder/programs.tsv"
    cp "$here/programs.sh" "$folder/"
    cut -f 1 "$folder/programs.tsv" | while read -r name; do
        [ -d "$folder/cuda/$name" ] || cp -r "$source/$name-cuda" "$folder/cuda/$name"
        [ -x "$folder/hip/$name" ] || echo "$name"
    done | xargs -P "${JOBS:-2}" -I NAME sh -c \
        'cd "$1/NAME-hip" && "$2" -x hip -std=c++17 -O3 -w --offload-arch="$3" -I. -I../NAME-cuda ./*.cu -o "$4/hip/NAME" \
            >"$4/log/NAME.hipcc" 2>&1 || echo "NAME does not compile: $4/log/NAME.hipcc"' \
        programs "$source" "$hipcc" "${ARCH:-sm_90}" "$(cd "$folder" && pwd)"
}

run() { # FOLDER
    cd "$1" || exit 1
    # The driver compiles PTX when a program runs for the first time; nvcc compiles meanwhile.
    while IFS="$tab" read -r name arguments; do
        printf '%s\n' "cd cuda/$name && { timeout 10 ../../hip/$name $arguments >../../log/$name.first 2>&1 </dev/null &
            timeout 60 nvcc -std=c++17 -O3 -w -arch=${ARCH:-sm_90} -I. ./*.cu -o ./program >../../log/$name.nvcc 2>&1; wait; }" |
            tr '\n' ' '
        printf '\n'
    done <programs.tsv | xargs -P "$(nproc)" -I LINE sh -c LINE
    while IFS="$tab" read -r name arguments; do
        [ -x "hip/$name" ] && [ -x "cuda/$name/program" ] || continue
        # shellcheck disable=SC2086
        (cd "cuda/$name" && timeout 6 ./program $arguments >"../../log/$name.cuda" 2>&1 </dev/null
            timeout 6 "../../hip/$name" $arguments >"../../log/$name.hip" 2>&1 </dev/null)
    done <programs.tsv
}

# Lines with a time are alike but for their numbers; the last number of each is the time.
compare() { # FOLDER
    cd "$1/log" || exit 1
    for hip in *.hip; do
        name=${hip%.hip}
        [ -f "$name.cuda" ] || continue
        awk -v name="$name" '
            !/[0-9]/ || !/[tT]ime|[sS]econds|\([mu]?s\)| [mu]?s$/ { next }
            { line = $0; value = ""
              while (match(line, /[0-9]+\.?[0-9]*(e[-+]?[0-9]+)?/)) {
                  value = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH) }
              label = $0; gsub(/[0-9.]+(e[-+]?[0-9]+)?/, "", label) }
            NR == FNR { time[label, ++first[label]] = value; next }
            { other = time[label, ++second[label]]
              if (other > 0 && value > 0) printf "%s\t%s\t%s\t%.3f\t%s\n", name, value, other, value / other, label }
            ' "$name.cuda" "$hip"
    done | awk -F "$tab" '{ print; sum += log($4); n++; each[$1] += log($4); count[$1]++ }
        END { for (name in each) { all += each[name] / count[name]; programs++ }
              if (programs) printf "geometric mean of %d programs: %.3f\n", programs, exp(all / programs) }'
}

case ${1:-} in
build | run | compare) "$@" ;;
*) sed -n '2,10p' "$0"; exit 2 ;;
esac
