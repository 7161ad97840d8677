#!/bin/sh
# What installed files are like inside: hardened.sh PREFIX LIBDIR BINDIR SOURCE BUILD TEST.
set -u
prefix=$1
libdir=$1/$2
bindir=$1/$3
source=$4
build=$5
libraries="$libdir/libanyhip.so $libdir/libanyhip-roctx.so $libdir/libsimcuda.so.1
    $libdir/libsimhsa.so.1 $libdir/libsimkmt.so.1 $libdir/libsimthunk.so.1"
programs="$bindir/hipcc $bindir/hipconfig $bindir/anyhip"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# has FILE PATTERN READELF-OPTION...
has() {
    file=$1 pattern=$2
    shift 2
    LC_ALL=C readelf "$@" "$file" | grep -Eq -e "$pattern"
}

test_every_symbol_is_bound_at_the_start_and_then_read_only() {
    for file in $libraries $programs; do
        has "$file" 'FLAGS.*(BIND_NOW|NOW)' -dW || fail "$file binds symbols late"
        has "$file" GNU_RELRO -lW || fail "$file has no part that becomes read-only"
    done
}

test_no_memory_is_written_and_executed() {
    for file in $libraries $programs; do
        has "$file" 'GNU_STACK .* RW +0x' -lW || fail "$file has an executable stack"
        has "$file" 'LOAD .* RWE ' -lW && fail "$file has a segment to write and execute"
    done
    return 0
}

test_programs_lie_at_any_address() {
    for file in $programs; do
        has "$file" 'Type: +DYN' -hW || fail "$file has a fixed address"
        has "$file" 'FLAGS_1.*PIE' -dW || fail "$file is no position-independent program"
    done
}

test_the_stack_and_known_sizes_are_guarded() {
    for file in $libraries $programs; do
        has "$file" 'UND __stack_chk_fail' --dyn-syms -W || fail "$file has no guarded stack"
        has "$file" 'UND __[a-z]+_chk' --dyn-syms -W || fail "$file checks no known size"
    done
}

test_handlers_of_simulated_instructions_have_no_guard() {
    objects=$(find "$build/src/sim" -path '*_base.dir/*.o' -o -path '*_avx2.dir/*.o' -o \
        -path '*_avx512.dir/*.o')
    [ -n "$objects" ] || fail "there are no handlers in $build"
    for object in $objects; do
        has "$object" '__stack_chk_fail' -sW && fail "$object guards the stack"
    done
    return 0
}

test_functions_begin_where_indirect_calls_may_go() {
    [ "$(uname -m)" = x86_64 ] || exit 77
    for name in hipInit hipMalloc hipLaunchKernel; do
        address=$(readelf --dyn-syms -W "$libdir/libanyhip.so" |
            awk -v name="$name" '$8 == name || index($8, name "@@") == 1 { print $2; exit }')
        [ -n "$address" ] || fail "there is no $name"
        objdump -d --start-address="0x$address" --stop-address="$((0x$address + 4))" \
            "$libdir/libanyhip.so" | grep -q endbr64 || fail "$name begins without endbr64"
    done
}

test_debug_information_is_found_by_build_id() {
    for file in $libraries $programs; do
        has "$file" '\.(symtab|debug_info)' -SW && fail "$file is not stripped"
        id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
        debug=$prefix/lib/debug/.build-id/$(printf %.2s "$id")/${id#??}.debug
        [ -f "$debug" ] || fail "$file has no $debug"
        has "$debug" '\.debug_info' -SW || fail "$debug has no debug information"
    done
    return 0
}

test_no_file_names_the_place_where_it_was_built() {
    found=$(grep -rlaF -e "$source/" -e "$build/" "$prefix")
    [ -z "$found" ] || fail "these do: $found"
}

"test_$6"
