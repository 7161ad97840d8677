#!/bin/sh
# Every part of an installed tree that tells AnyHIP's version tells the same one:
# version.sh PREFIX LIBDIR BINDIR VERSION.
set -u
libdir=$1/$2
bindir=$1/$3
version=$4
literal=$(printf %s "$version" | sed 's/\./\\./g')
status=0

# tells WHAT PATTERN: standard input has a line that matches.
tells() {
    cat >told.$$
    grep -qE -e "$2" told.$$ || {
        echo "FAIL: $1 does not tell $version: $(head -n 3 told.$$)" >&2
        status=1
    }
    rm -f told.$$
}

cd "$(mktemp -d)" || exit 99
trap 'rm -rf "$PWD"' EXIT
preload=$(ldd "$libdir/libanyhip.so" | sed -n 's/.*=> \(.*lib[at]san[^ ]*\).*/\1/p')
LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 "$bindir/anyhip" --version |
    tells "anyhip --version" "^anyhip $literal, HIP [0-9]"
"$bindir/hipconfig" --full | tells "hipconfig --full" "^AnyHIP +: $literal\$"
"$bindir/hipcc" --version | tells "hipcc --version" "^HIP version: [0-9.]*-anyhip$literal\$"
PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --modversion anyhip |
    tells "pkg-config" "^$literal\$"
tells "CMake's package" "PACKAGE_VERSION \"$literal\"" \
    <"$libdir/cmake/anyhip/anyhip-config-version.cmake"
readlink "$libdir/libanyhip.so.${version%%.*}" |
    tells "the library's file" "^libanyhip\.so\.$literal\$"
exit $status
