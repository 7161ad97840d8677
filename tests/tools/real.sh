#!/bin/sh
# Inspects what real compilers make. usage: real.sh ANYHIP TEST [TOOL]
# Every function test_<name> is a test; TOOL is the compiler it uses.
set -eu
anyhip=$1
test=$2
tool=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# No device is asked about what it runs.
export ANYHIP_BACKEND=simcuda HIP_VISIBLE_DEVICES= HOME="$folder"
unset ANYHIP_CONFIG XDG_CONFIG_HOME AMD_LOG_LEVEL 2>/dev/null || true
# What hipcc takes without being told would be three times as many.
export ANYHIP_OFFLOAD_ARCH=gfx90a,gfx1100,sm_70

fail()
{
    echo "$1" >&2
    [ ! -f out ] || cat out >&2
    exit 1
}

inspect()
{
    "$anyhip" inspect "$@" >out 2>&1 || fail "inspect $* failed"
}

# expect COUNT PATTERN: as many lines of what was printed match.
expect()
{
    found=$(grep -cE "$2" out || true)
    [ "$found" = "$1" ] || fail "expected $1 lines that match $2, found $found"
}

write_sources()
{
    cat >one.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void add(float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += b[i];
}
extern "C" __global__ void plain(int *a) { *a = 1; }
int main() { return 0; }
END
    cat >two.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void second(int *a) { *a = 2; }
END
}

expect_bundles()
{
    expect "$1" 'AMDGPU code object gfx90a, code object version [4-6], [0-9]+ bytes'
    expect "$1" 'AMDGPU code object gfx1100, code object version'
    expect "$1" 'PTX sm_70, PTX 7\.[0-9], [0-9]+ bytes'
}

test_programs()
{
    write_sources
    "$tool" -c one.hip -o one.o
    "$tool" --offload-compress -c two.hip -o two.o
    "$tool" one.o two.o -o program
    inspect program
    expect 1 '^program: program$'
    expect 1 'fatbin\+0x0: offload bundle, [0-9]+ bytes$'
    expect 1 'fatbin\+0x[1-9a-f][0-9a-f]*000: compressed offload bundle, [0-9]+ bytes$'
    expect_bundles 2
    expect 3 '      kernel _Z3addPfPKfi$'
    expect 3 '      kernel plain$'
    expect 3 '      kernel _Z6secondPi$'

    strip program -o stripped
    inspect stripped
    expect_bundles 2
    expect 3 '      kernel _Z3addPfPKfi$'

    ar rcs lib.a one.o two.o
    inspect lib.a one.o
    expect 1 '^lib\.a\(two\.o\): object$'
    expect_bundles 3

    "$tool" --genco --offload-arch=gfx90a:xnack+,sm_90a two.hip -o code.hipfb
    inspect code.hipfb
    expect 1 'AMDGPU code object gfx90a:xnack\+'
    expect 1 'PTX sm_90a'
    expect 2 '      kernel _Z6secondPi$'
}

test_relocatable_objects()
{
    write_sources
    "$tool" -fgpu-rdc -c two.hip -o two.o
    inspect two.o
    expect 1 'amdgcn-amd-amdhsa gfx1100: LLVM bitcode, [0-9]+ bytes$'
    expect 1 'nvptx64-nvidia-cuda sm_70: LLVM bitcode, [0-9]+ bytes$'
}

# Every processor that the assembler knows is known here too, in each version that has it.
test_processors()
{
    processors=$("$tool" -triple amdgcn-amd-amdhsa -mcpu=help /dev/null 2>&1 |
        sed -n 's/^ *\(gfx[0-9][^ ]*\) .*Select the .* processor.*/\1/p' | sort -u)
    [ "$(echo "$processors" | wc -l)" -gt 50 ] || fail "no list of processors: $processors"
    for processor in $processors; do
        for version in 4 6; do
            "$tool" -triple amdgcn-amd-amdhsa -mcpu="$processor" -filetype=obj \
                --amdhsa-code-object-version="$version" /dev/null -o "$processor-$version"
        done
    done
    inspect gfx*
    awk '/:$/ { name = $0; next } { print name $0 }' out >lines
    for processor in $processors; do
        for version in 4 6; do
            grep -qE "^$processor-$version: *AMDGPU code object $processor, code object version \
$version," lines || fail "$processor, version $version is not recognised"
        done
    done
    "$tool" -triple amdgcn-amd-amdhsa -mcpu=gfx90a -mattr=-xnack,+sramecc -filetype=obj \
        --amdhsa-code-object-version=5 /dev/null -o object
    inspect object
    expect 1 'gfx90a:sramecc\+:xnack-, code object version 5'
}

test_cubins()
{
    for arch in sm_75 sm_80 sm_90 sm_90a sm_100 sm_120; do
        printf '.version 9.0\n.target %s\n.address_size 64\n.visible .entry k() { ret; }\n' \
            "$arch" >kernel.ptx
        "$tool" -arch="$arch" kernel.ptx -o kernel.cubin 2>/dev/null || continue
        inspect kernel.ptx kernel.cubin
        expect 1 "cubin ${arch%a}, [0-9]+ bytes"
        expect 1 "PTX $arch, PTX 9.0"
        expect 2 '      kernel k$'
    done
    [ -f out ] || fail "$tool made no cubin"
}

"test_$test"
