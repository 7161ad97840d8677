#!/bin/sh
# The packages that cpack makes of a build tree: packages.sh BUILD FOLDER PREFIX TEST [PROGRAM...].
# FOLDER is where they are made, PREFIX a whole installation of the same tree; the PROGRAMs, HIP
# programs that are compiled already, run on the packages in a clean root.
#
# By hand, for what ./run package makes, and with the compiler in the root as well, where README's
# commands for an installation are run (the root has 1 GB then):
#   ANYHIP_PACKAGES_COMPILE=1 tests/install/packages.sh build/package SCRATCH - clean_root PROGRAM
set -u
build=$1
folder=$2
prefix=$3
name=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
umask 022

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

ok() {
    "$@" || fail "exit status $? of: $*"
}

# deb PACKAGE: its file.
deb() {
    ls "$folder"/"$1"_*.deb
}

field() {
    dpkg-deb -f "$(deb "$1")" "$2"
}

# depends PACKAGE PATTERN
depends() {
    field "$1" Depends | tr , '\n' | grep -qE "^ *$2" || fail "$1 does not depend on $2"
}

test_made() {
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$build" && cpack -G "DEB;TGZ" -B "$folder" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip) \
        >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "cpack"; }
    grep -i warning "$folder/log" && fail "a warning"
    rm -r "$folder/_CPack_Packages"
}

test_names_and_dependencies() {
    for package in $packages; do
        [ -f "$(deb "$package")" ] || fail "no package $package"
        [ "$(field "$package" Package)" = "$package" ] || fail "$package has another name inside"
        for file in copyright changelog.gz; do
            dpkg-deb -c "$(deb "$package")" | grep -q "/usr/share/doc/$package/$file\$" ||
                fail "$package has no $file"
        done
    done
    depends libanyhip0 'libc6 \(>= '
    depends libanyhip0 libcjson1
    depends anyhip-simulators libcjson1
    depends libanyhip-dev 'libanyhip0 \(= '
    depends anyhip-tools 'libanyhip-dev \(= '
    depends anyhip-tools 'libanyhip0 \(= '
    field anyhip-tools Recommends | grep -q 'clang-22.*lld-22.*llvm-22.*libclc-22' ||
        fail "anyhip-tools does not recommend the compiler"
    [ "$(field anyhip-simulators Recommends)" = libllvm22 ] ||
        fail "anyhip-simulators does not recommend LLVM"
    # Others' packages with the same files.
    [ "$(field anyhip-tools Conflicts)" = hipcc ] || fail "anyhip-tools and hipcc"
    [ "$(field libanyhip-dev Conflicts)" = libamdhip64-dev ] || fail "libanyhip-dev"
    dpkg-deb -I "$(deb libanyhip0)" shlibs | grep -q '^libanyhip 0 libanyhip0 (>= ' ||
        fail "programs of other packages would not depend on libanyhip0"
    for package in libanyhip0 anyhip-simulators; do
        dpkg-deb -I "$(deb $package)" triggers | grep -q 'activate.* ldconfig' ||
            fail "$package does not renew the loader's cache"
    done
}

test_every_file_is_in_one_package() {
    for package in $packages; do
        dpkg-deb --fsys-tarfile "$(deb "$package")" | tar -tf - | grep -v '/$'
    done | sort >"$folder/files"
    [ -z "$(uniq -d "$folder/files")" ] || fail "in two packages: $(uniq -d "$folder/files")"
    sed -n 's|^\./usr/||p' "$folder/files" | sed 's|^\(share/man/.*\)\.gz$|\1|' >"$folder/packed"
    # Packages have these in a folder of their own name.
    (cd "$prefix" && find . ! -type d | sed 's|^\./||' |
        grep -vE '^share/doc/anyhip/(LICENSE|copyright)$' | sort) >"$folder/installed"
    lost=$(sort "$folder/packed" | comm -13 - "$folder/installed")
    [ -z "$lost" ] || fail "in no package: $lost"
}

test_stripped_and_owned_by_root() {
    for package in $packages; do
        dpkg-deb -c "$(deb "$package")" | grep -v ' root/root ' && fail "$package: not root's"
        dpkg-deb -c "$(deb "$package")" | grep -E '^.(....w|.......w)' | grep -v '^l' &&
            fail "$package: others may write"
    done
    mkdir -p "$folder/unpacked"
    for package in libanyhip0 anyhip-simulators anyhip-tools anyhip-dbgsym; do
        dpkg-deb -x "$(deb "$package")" "$folder/unpacked"
    done
    debug=$folder/unpacked/usr/lib/debug/.build-id
    find "$folder/unpacked/usr" -path "$debug" -prune -o -type f -print >"$folder/files"
    while read -r file; do
        case $(head -c 4 "$file" | tail -c 3) in ELF) ;; *) continue ;; esac
        readelf -SW "$file" | grep -qE '\.(symtab|debug_info)' && fail "$file is not stripped"
        id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
        [ -f "$debug/$(printf %.2s "$id")/${id#??}.debug" ] || fail "$file has no debug information"
    done <"$folder/files"
    rm -r "$folder/unpacked"
}

test_the_archive_runs_from_where_it_is_unpacked() {
    mkdir -p "$folder/a folder"
    for archive in "$folder"/anyhip-*.tar.gz; do
        case $archive in *-debug.tar.gz) continue ;; esac
        ok tar -C "$folder/a folder" -xf "$archive"
    done
    top=$(echo "$folder/a folder"/anyhip-*)
    [ -f "$top/share/doc/anyhip/LICENSE" ] || fail "no licence"
    ok "$top/bin/anyhip" --version >/dev/null
    [ "$("$top/bin/hipconfig" --path)" = "$top" ] || fail "hipconfig has another prefix"
    [ -f "$("$top/bin/hipcc" --ldflags | sed -n "s/^['\"]*-L['\"]*\([^'\"]*\)['\"]* -Wl.*/\1/p" |
        sed 's/\\//g')/libanyhip.so" ] || fail "hipcc does not find the library"
    rm -r "$folder/a folder"
}

# What is in the root, but for what dpkg and ldconfig keep of their own.
listing() {
    (cd "$root" && find . \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/lib/dpkg \
        -o -path ./var/log -o -path ./var/cache -o -path ./etc/ld.so.cache -o -path ./sys \) \
        -prune -o -printf '%p %y %m %l\n' | sort)
}

# in_root COMMAND...: as root in the root, where there is nothing else.
in_root() {
    $enter sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec \
        chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"' \
        "$root" "$@"
}

test_clean_root() {
    root=$folder/root
    enter="unshare --mount"
    [ "$(id -u)" = 0 ] || enter="unshare --mount --user --map-root-user"
    $enter true 2>/dev/null || {
        echo "a root folder cannot be entered here: neither root nor user namespaces"
        exit 77
    }
    rm -rf "$root"
    needed="libcjson1 libstdc++6"
    [ -z "${ANYHIP_PACKAGES_COMPILE:-}" ] ||
        needed="$needed clang-22 clang-tools-22 lld-22 llvm-22 libclc-22 gcc g++ pkg-config"
    # shellcheck disable=SC2086
    ok "$here/make_root.sh" "$root" $needed
    mkdir "$root/packages.d"
    for package in $packages; do
        cp "$(deb "$package")" "$root/packages.d/"
    done
    for program in "$@"; do
        cp "$program" "$root/root/"
    done
    cp "$here"/c/main.c "$here"/../../examples/vector_add.hip "$here"/../../examples/*.h \
        "$root/root/"
    ok in_root dpkg --configure --pending >"$folder/dpkg.log" 2>&1
    listing >"$folder/before"

    ok in_root sh -c 'dpkg -i /packages.d/*.deb' >>"$folder/dpkg.log" 2>&1
    ok in_root dpkg --configure --pending >>"$folder/dpkg.log" 2>&1
    [ -z "$(in_root dpkg --audit)" ] || fail "dpkg: $(in_root dpkg --audit)"
    ok in_root anyhip --version
    ok in_root hipconfig --version --newline
    ok in_root anyhip info >"$folder/info"
    grep -q simulated "$folder/info" || fail "no simulated device: $(cat "$folder/info")"
    for program in "$@"; do
        for backend in simcuda:sm_80 simhsa:gfx90a simhsa:gfx1100; do
            ok in_root env ANYHIP_BACKEND=$backend "/root/${program##*/}" >"$folder/out"
        done
    done
    [ -z "${ANYHIP_PACKAGES_COMPILE:-}" ] || compile
    ok in_root dpkg -r anyhip-simulators >>"$folder/dpkg.log" 2>&1
    in_root anyhip info --quiet && fail "there is a device without simulators"
    ok in_root dpkg --purge libanyhip0 libanyhip-dev anyhip-simulators anyhip-tools \
        anyhip-dbgsym >>"$folder/dpkg.log" 2>&1
    listing | diff "$folder/before" - || fail "something stays behind"
    in_root ldconfig -p | grep -E 'libanyhip|libsim(cuda|hsa|kmt|thunk)' && fail "ldconfig's cache"
    rm -rf "$root"
}

# In the root: a HIP program by hipcc, and a C program by pkg-config.
compile() {
    ok in_root hipconfig --check
    ok in_root sh -c 'cd /root && hipcc vector_add.hip -o compiled && ./compiled && rm compiled'
    ok in_root sh -c 'cd /root && gcc main.c $(pkg-config --cflags --libs anyhip) -o compiled &&
        ./compiled && rm compiled'
}

packages="libanyhip0 anyhip-simulators libanyhip-dev anyhip-tools anyhip-dbgsym"
[ -n "$(ls "$folder"/*.deb 2>/dev/null)" ] || [ "$name" = made ] || test_made
command -v "test_$name" >/dev/null || fail "no test $name"
"test_$name" "$@"
exit 0
