#!/bin/bash
# The manual pages and the completion of an installed tree: manual.sh PREFIX BINDIR TEST.
set -u
prefix=$1
bindir=$1/$2
man=$prefix/share/man
completions=$prefix/share/bash-completion/completions

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# The text of a page, in long lines so that none is broken within a word.
text() {
    MANWIDTH=200 LC_ALL=C man -l "$1" | col -bx
}

# The options in what a program prints of itself. The first group may be several letters.
options_of() {
    "$bindir/$1" --help | grep -oE -e '(^|[ ,|[])--?[A-Za-z#][A-Za-z_#-]*=?' | sed 's/^[ ,|[]//' |
        sort -u
}

test_pages_have_no_mistake() {
    command -v man >/dev/null || fail "no program man (Debian: man-db)"
    for page in "$man"/man1/*.1 "$man"/man7/*.7; do
        said=$(cd "$man" && man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || fail "$page: $said"
        grep -q '@' "$page" && fail "$page has a place that was not filled in"
        command -v mandoc >/dev/null || continue
        said=$(mandoc -T lint -W warning "$page" 2>&1) || fail "$page: $said"
    done
    for page in man1/hipcc.1 man1/hipconfig.1 man1/anyhip.1 man1/anyhip-clang++.1 \
        man7/libanyhip.7; do
        [ -s "$man/$page" ] || fail "no $page"
    done
}

test_pages_have_every_option() {
    for program in hipcc hipconfig anyhip; do
        options=$(options_of $program)
        [ -n "$options" ] || fail "$program --help names no option"
        page=$(text "$man/man1/$program.1")
        for option in $options; do
            [[ $page == *"$option"* ]] || fail "$program(1) does not have $option"
        done
    done
    for command in $("$bindir/anyhip" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        grep -q "^ *anyhip $command" <<<"$page" || fail "anyhip(1) does not have $command"
    done
    # Of the library's variables the page has the important ones; those must exist.
    for variable in $(text "$man/man7/libanyhip.7" | sed -n 's/^ *\([A-Z_]*_[A-Z_]*\)$/\1/p'); do
        grep -qF "\`$variable\`" "$prefix/share/doc/anyhip/config/README.md" ||
            fail "libanyhip(7) has $variable, which there is not"
    done
}

# replies COMMAND-LINE: what completing its last word offers, one in a line. Words are split as
# bash splits them, at "=" too.
replies() {
    (
        # shellcheck source=/dev/null
        . "$completions/${1%% *}"
        COMP_LINE=$1
        line=${1//=/ = }
        read -ra COMP_WORDS <<<"$line"
        case $1 in *' ' | *=) [[ $1 == *= ]] || COMP_WORDS+=("") ;; esac
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMP_POINT=${#COMP_LINE}
        name=${COMP_WORDS[0]}
        function=$(complete -p "$name" | sed 's/.*-F \([^ ]*\) .*/\1/')
        "$function" "$bindir/$name" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    )
}

offers() {
    replies "$1" | grep -qxF -e "$2" || fail "\"$1\" does not offer $2: $(replies "$1" | head -n 5)"
}

offers_not() {
    replies "$1" | grep -qxF -e "$2" && fail "\"$1\" offers $2"
    return 0
}

test_completion_of_hipcc() {
    offers "hipcc --off" --offload-arch=
    offers_not "hipcc --off" --genco
    offers "hipcc --offload-arch=" gfx90a
    offers "hipcc --offload-arch=gfx9" gfx90a
    offers_not "hipcc --offload-arch=gfx9" sm_70
    offers "hipcc --offload-arch=gfx90a,sm_" gfx90a,sm_70
    offers "hipcc --no-offload-arch=" all
    offers "hipcc --offload-arch=" all
    offers "hipcc x.hip -x " hip
    offers "anyhip-clang++ --gen" --genco
    [ -z "$(replies "hipcc file")" ] || fail "files are not left to the shell"
    for option in $(options_of hipcc); do
        offers "hipcc ${option%=}" "$option"
    done
}

test_completion_of_the_other_commands() {
    for command in $("$bindir/anyhip" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        offers "anyhip " "$command"
    done
    offers "anyhip in" inspect
    offers_not "anyhip in" check
    for option in $("$bindir/anyhip" --help | sed -n 's/^  info \[\([^]]*\)\].*/\1/p' | tr '|' ' '); do
        offers "anyhip info " "$option"
    done
    for option in --json --extract --force; do
        offers "anyhip inspect --" $option
    done
    mkdir "completed folder" 2>/dev/null
    offers "anyhip inspect --extract comple" "completed folder"
    rmdir "completed folder"
    offers_not "anyhip check " --json
    for option in $("$bindir/anyhip" --help | sed -n 's/^  run \(\[.*\]\).*/\1/p' | grep -o -e '--[a-z]*'); do
        offers "anyhip run --" "$option"
    done
    for option in --json --top; do
        offers "anyhip trace --" $option
    done
    [ -z "$(replies "anyhip trace file")" ] || fail "traces are not left to the shell"
    offers "anyhip run --check " races
    offers "anyhip run --device sim" simhsa
    [ -z "$(replies "anyhip run --timeout 5 file")" ] || fail "programs are not left to the shell"
    for option in $(options_of hipconfig); do
        [[ $option != --* ]] || offers "hipconfig --" "$option"
    done
}

test_completed_architectures_are_taken() {
    clang=$("$bindir/hipconfig" --hipclangpath)/clang++
    # shellcheck source=/dev/null
    . "$completions/hipcc"
    known=$("$clang" --target=amdgcn-amd-amdhsa -print-supported-cpus 2>&1 &&
        "$clang" --target=nvptx64-nvidia-cuda -print-supported-cpus 2>&1)
    for architecture in $_anyhip_architectures; do
        [ "$architecture" = native ] || [ "$architecture" = all ] || grep -qx "[[:space:]]*$architecture" <<<"$known" ||
            fail "clang does not know $architecture"
    done
}

"test_$3"
exit 0
