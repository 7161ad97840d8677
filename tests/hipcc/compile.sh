#!/bin/sh
# Tests that really compile: compile.sh HIPCC TEST. Each test is a function test_<sentence> that
# runs in an empty folder of its own; what it compiles needs no header and no runtime library, so
# that only the driver is tested. Tools of LLVM come from the folder hipconfig names.
set -u

hipcc=$1
name=$2
unset HIPCC_COMPILE_FLAGS_APPEND HIPCC_LINK_FLAGS_APPEND HIPCC_VERBOSE HIP_CLANG_PATH ANYHIP_CLANG \
    ANYHIP_LIBCLC HIP_COMPILE_CXX_AS_HIP
# Three architectures are enough for most tests, and are compiled for in a third of the time.
ANYHIP_OFFLOAD_ARCH=gfx90a,gfx1100,sm_70
export ANYHIP_OFFLOAD_ARCH
sources=$(cd "$(dirname "$0")" && pwd) || exit 99
work=$(mktemp -d "${TMPDIR:-/tmp}/hipcc test XXXXXX") || exit 99
mkdir "$work/temp" "$work/here"
TMPDIR=$work/temp
export TMPDIR
trap 'rm -rf "$work"' EXIT
cd "$work/here" || exit 99
llvm=$("$(dirname "$hipcc")/hipconfig" --hipclangpath)

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# Runs the driver without the headers and functions that device code usually gets.
bare() {
    "$hipcc" -nogpuinc -nogpulib "$@"
}

ok() {
    "$@" >output 2>errors || { cat output errors >&2; fail "exit status $? of: $*"; }
}

silent() {
    ok "$@"
    [ ! -s errors ] || { cat errors >&2; fail "said something: $*"; }
}

refused() {
    "$@" >output 2>errors && fail "succeeded: $*"
    return 0
}

said() {
    grep -q -e "$1" errors || { cat errors >&2; fail "did not say: $1"; }
}

did_not_say() {
    ! grep -q -e "$1" errors || { cat errors >&2; fail "said: $1"; }
}

there() {
    for file in "$@"; do [ -s "$file" ] || fail "$file is not there or empty"; done
}

not_there() {
    for file in "$@"; do [ ! -e "$file" ] || fail "$file is there"; done
}

same() {
    [ "$1" = "$2" ] || fail "got '$1', want '$2'"
}

# The bundle inside an object or program, as the file fb.
bundle_of() {
    "$llvm/llvm-objcopy" -O binary --only-section=.hip_fatbin --set-section-flags .hip_fatbin=alloc \
        "$1" fb || fail "no bundle in $1"
    there fb
}

# The entries of a bundle but the host's, in one line.
entries() {
    "$llvm/clang-offload-bundler" -type="${2:-o}" -list -input="$1" | grep -v '^host' | sort |
        tr '\n' ' ' | sed 's/ $//'
}

# Takes the entry whose name ends in $2 out of the bundle $1 into the file $3.
take() {
    entry=$("$llvm/clang-offload-bundler" -type="${4:-o}" -list -input="$1" | grep -e "$2\$")
    "$llvm/clang-offload-bundler" -type="${4:-o}" -unbundle -input="$1" -targets="$entry" \
        -output="$3" || fail "no entry $2 in $1"
}

cat >hip.h <<'E'
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __managed__ __attribute__((managed))
typedef unsigned long size_t;
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, size_t = 0, void * = nullptr);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, void **);
E
cat >one.hip <<'E'
#include "hip.h"
__device__ int counter;
__global__ void kernel(float *p) { p[0] = counter; }
void launch() { kernel<<<1, 1>>>(nullptr); }
E
cat >main.cpp <<'E'
void launch();
int main() { launch(); return 0; }
E

# A stand-in for the runtime library that counts how often a bundle is registered.
stand_in() {
    cat >stand_in.c <<'E'
#include <stdio.h>
#define FUNCTION(name) int name(void) { return 0; }
FUNCTION(hipLaunchKernel) FUNCTION(__hipPushCallConfiguration) FUNCTION(__hipPopCallConfiguration)
FUNCTION(__hipRegisterFunction) FUNCTION(__hipRegisterVar) FUNCTION(__hipRegisterManagedVar)
static int registered;
void **__hipRegisterFatBinary(const void *w) { static void *h; (void)w; registered++; return &h; }
int __hipUnregisterFatBinary(void **h) { (void)h; return 0; }
int registrations(void) { return registered; }
E
    mkdir -p lib
    ok "$hipcc" --no-hip-rt -shared -fPIC stand_in.c -o lib/libstand_in.so
    stand_in="--no-hip-rt -Llib -lstand_in -Wl,-rpath,lib"
}

test_one_source_becomes_an_object_with_images_for_both_vendors() {
    silent bare -c one.hip
    there one.o
    bundle_of one.o
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx1100 hipv4-amdgcn-amd-amdhsa--gfx90a"
    take fb sm_70 ptx
    grep -q '^.version 7.0' ptx || fail "not PTX 7.0"
    grep -q '^.target sm_70' ptx || fail "not for sm_70"
    take fb gfx90a co
    "$llvm/llvm-readelf" -h co | grep -q 'gfx90a' || fail "not for gfx90a"
    "$llvm/llvm-readelf" -h co | grep -q 'ABI Version: *3' || fail "not code object version 5"
}

test_without_being_told_every_recent_gpu_is_compiled_for() {
    unset ANYHIP_OFFLOAD_ARCH
    silent bare -c one.hip
    bundle_of one.o
    same "$(entries fb | sed 's/hip[^ ]*--*\([gs][fm]\)/\1/g; s/hip-nvptx64-nvidia-cuda-unknown-//')" \
        "sm_70 gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic gfx9-4-generic gfx9-generic gfx908 gfx90a"
    ok bare --no-offload-arch=gfx908,gfx10-1-generic -### -c one.hip
    did_not_say '--offload-arch=gfx908 '
    did_not_say '--offload-arch=gfx10-1-generic '
    said '--offload-arch=gfx12-generic '
}

test_sources_become_a_program() {
    stand_in
    silent bare --offload-arch=gfx90a one.hip main.cpp $stand_in -o program
    ok ./program
}

test_without_o_a_program_is_a_out() {
    stand_in
    silent bare --offload-arch=gfx90a one.hip main.cpp $stand_in
    ok ./a.out
}

test_objects_archives_and_libraries_link() {
    stand_in
    silent bare --offload-arch=gfx90a -c one.hip main.cpp
    there one.o main.o
    ok ar rcs libone.a one.o
    silent bare main.o libone.a $stand_in -o first
    ok ./first
    silent bare main.o -L. -lone $stand_in -o second
    ok ./second
    silent bare -x hip main.o one.o $stand_in -o third
    ok ./third
}

test_ordinary_linkers_take_the_objects() {
    stand_in
    silent bare --offload-arch=sm_70 -c one.hip main.cpp
    ok c++ main.o one.o -Llib -lstand_in -Wl,-rpath,lib -o program
    ok ./program
}

rdc_sources() {
    cat >a.hip <<'E'
#include "hip.h"
extern __device__ float in_b(float);
extern __device__ int shared_counter;
static __global__ void kernel(float *p) { p[0] = in_b(p[1]) + shared_counter; }
extern "C" int registrations(void);
void run_b();
void run_c();
int main() {
    kernel<<<1, 1>>>(nullptr);
    run_b();
    run_c();
    return registrations() == 1 ? 0 : 1;
}
E
    cat >b.hip <<'E'
#include "hip.h"
__device__ int shared_counter = 3;
extern __device__ float only_device(float);
__device__ float in_b(float x) { return only_device(x) * shared_counter; }
static __global__ void kernel(float *p) { p[0] = in_b(p[1]); }
void run_b() { kernel<<<1, 1>>>(nullptr); }
E
    cat >c.hip <<'E'
#include "hip.h"
__managed__ int managed = 4;
__global__ void kernel_c(float *p) { p[0] = managed; }
void run_c() { kernel_c<<<1, 1>>>(nullptr); }
E
    cat >d.hip <<'E'
#include "hip.h"
__device__ float only_device(float x) { return x + 1; }
E
    cat >unused.hip <<'E'
#include "hip.h"
extern __device__ float nowhere(float);
__global__ void kernel_unused(float *p) { p[0] = nowhere(1); }
void run_unused() { kernel_unused<<<1, 1>>>(nullptr); }
E
}

test_device_code_links_across_sources_in_one_command() {
    stand_in
    rdc_sources
    silent bare -fgpu-rdc a.hip b.hip c.hip d.hip $stand_in -o program
    ok ./program
    bundle_of program
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx1100 hipv4-amdgcn-amd-amdhsa--gfx90a"
    take fb gfx90a co
    "$llvm/llvm-nm" -D co >symbols
    grep -q ' shared_counter$' symbols || fail "no device variable"
    grep -q ' _Z8kernel_cPf.kd$' symbols || fail "no kernel"
    same "$(grep -c 'kernelPf.*\.kd$' symbols)" 2
}

test_device_code_links_from_objects_and_an_archive() {
    stand_in
    rdc_sources
    silent bare -fgpu-rdc -c a.hip
    silent bare -fgpu-rdc -c b.hip
    silent bare -fgpu-rdc --emit-static-lib c.hip d.hip unused.hip -o libparts.a
    silent bare a.o b.o libparts.a $stand_in -o program
    ok ./program
    bundle_of program
    take fb sm_70 ptx
    grep -q 'kernel_unused' ptx && fail "an unused member takes part"
    grep -q 'only_device' ptx || fail "a member only device code needs is missing"
    silent bare -fgpu-rdc --hip-link --offload-arch=gfx90a a.o b.o -L. -lparts $stand_in -o second
    ok ./second
    bundle_of second
    same "$(entries fb)" "hipv4-amdgcn-amd-amdhsa--gfx90a"
}

test_static_device_variables_link() {
    cat >s.hip <<'E'
#include "hip.h"
static __device__ int count;
static __device__ int private_count;
__global__ void kernel() { count = 7 + private_count++; }
int *address() { return &count; }
E
    sed 's/kernel/other_kernel/; s/address/other_address/' s.hip >t.hip
    silent bare -fgpu-rdc --genco s.hip t.hip -o module
    take module gfx90a co
    same "$("$llvm/llvm-nm" -D co | grep -c '_ZL5count.static')" 2
    take module sm_70 ptx
    grep -q '^.extern' ptx && fail "something is undefined"
    return 0
}

test_device_code_of_a_program_is_registered_once() {
    stand_in
    rdc_sources
    silent bare -fgpu-rdc --offload-arch=sm_70 a.hip b.hip c.hip d.hip $stand_in -o program
    ok ./program
    same "$("$llvm/llvm-nm" program | grep ' __hip_gpubin_handle_' | cut -d' ' -f1 | sort -u | wc -l)" 1
    same "$("$llvm/llvm-nm" program | grep ' __hip_fatbin_[0-9a-f]' | cut -d' ' -f1 | sort -u | wc -l)" 1
}

test_a_partial_link_keeps_device_code() {
    stand_in
    rdc_sources
    silent bare -fgpu-rdc --offload-arch=gfx90a -c a.hip b.hip c.hip d.hip
    ok ld -r a.o b.o -o ab.o
    silent bare ab.o c.o d.o $stand_in -o program
    ok ./program
}

test_a_shared_library_links_its_device_code() {
    stand_in
    rdc_sources
    silent bare -fgpu-rdc -fPIC --offload-arch=gfx90a -c b.hip d.hip
    silent bare -shared b.o d.o --no-hip-rt -o libb.so
    bundle_of libb.so
    same "$(entries fb)" "hipv4-amdgcn-amd-amdhsa--gfx90a"
    "$llvm/llvm-nm" -D libb.so | grep -q '__hip_fatbin' && fail "the bundle's symbol is visible"
    return 0
}

test_both_linkers_do_device_links() {
    stand_in
    rdc_sources
    silent bare -fgpu-rdc --offload-arch=sm_70 -c a.hip b.hip
    silent bare -fgpu-rdc --offload-arch=sm_70 --emit-static-lib c.hip d.hip unused.hip -o libparts.a
    silent bare -fuse-ld="$llvm/ld.lld" a.o b.o libparts.a $stand_in -o program
    ok ./program
    silent bare -Wl,--gc-sections -s a.o b.o libparts.a $stand_in -o stripped
    ok ./stripped
}

test_an_object_without_an_image_for_an_architecture_is_named() {
    rdc_sources
    silent bare -fgpu-rdc --offload-arch=gfx90a -c a.hip
    silent bare -fgpu-rdc --offload-arch=sm_70 -c b.hip
    refused bare a.o b.o --no-hip-rt -o program
    said 'a.o has no device code for sm_70, only for gfx90a'
}

test_an_undefined_device_function_is_an_error() {
    rdc_sources
    refused bare --offload-arch=sm_70 -c unused.hip
    said 'undefined device function: nowhere(float)'
    refused bare --offload-arch=gfx90a -c unused.hip
    said 'nowhere'
    not_there unused.o
}

test_genco_makes_a_bundle() {
    silent bare --genco one.hip -o module.hsaco
    same "$(entries module.hsaco)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx1100 hipv4-amdgcn-amd-amdhsa--gfx90a"
    silent bare --cuda-device-only -c --offload-arch=gfx90a one.hip -o single
    same "$(entries single)" "hipv4-amdgcn-amd-amdhsa--gfx90a"
    silent bare --offload-device-only --offload-arch=gfx90a one.hip
    there one.hipfb
}

test_genco_without_bundle_gives_the_image() {
    silent bare --genco --no-gpu-bundle-output --offload-arch=gfx1100 one.hip -o one.co
    "$llvm/llvm-readelf" -h one.co | grep -q gfx1100 || fail "no code object"
    silent bare --genco --no-gpu-bundle-output --offload-arch=sm_70 one.hip -o one.ptx
    grep -q '^.target sm_70' one.ptx || fail "no PTX"
    silent bare --genco --no-gpu-bundle-output --offload-arch=sm_70,gfx90a one.hip
    there one-hip-nvptx64-nvidia-cuda-sm_70.ptx one-hip-amdgcn-amd-amdhsa-gfx90a.o
    refused bare --genco --no-gpu-bundle-output one.hip -o both
    said 'cannot put the images of 3 architectures into both without a bundle'
}

test_genco_links_several_sources() {
    rdc_sources
    silent bare -fgpu-rdc --genco --offload-arch=gfx90a,sm_70 b.hip d.hip -o module
    same "$(entries module)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx90a"
    take module sm_70 ptx
    grep -q 'only_device' ptx || fail "not linked"
}

test_genco_links_bitcode() {
    rdc_sources
    silent bare -fgpu-rdc --genco --no-gpu-bundle-output -c --offload-arch=sm_70 b.hip -o b.bc
    silent bare --genco --no-gpu-bundle-output --offload-arch=sm_70 b.bc d.hip -o both.ptx
    grep -q '^.target sm_70' both.ptx || fail "no PTX"
    grep -q 'only_device' both.ptx || fail "not linked"
    silent bare -fgpu-rdc --genco --no-gpu-bundle-output -c --offload-arch=sm_70 d.hip -o d.bc
    silent bare --genco --offload-arch=sm_70 b.bc d.bc -o module
    same "$(entries module)" "hip-nvptx64-nvidia-cuda-unknown-sm_70"
    refused bare --genco --offload-arch=sm_70,gfx90a b.bc d.bc -o module
    said 'name it with --offload-arch'
    refused bare --genco --no-gpu-bundle-output --offload-arch=sm_70 b.bc -o alone.ptx
    said 'undefined device function'
    silent bare --genco --no-gpu-bundle-output --allow-undefined-device-functions \
        --offload-arch=sm_70 b.bc -o alone.ptx
    grep -q 'extern .func' alone.ptx || fail "no function is undefined"
    refused bare --genco --offload-arch=sm_70 d.bc d.bc -o twice
}

test_what_is_missing_gives_a_status_of_its_own() {
    code=0
    ANYHIP_CLANG=$work/nowhere bare -c one.hip 2>errors || code=$?
    same "$code" 127
    code=0
    ANYHIP_LIBCLC=$work/nowhere "$hipcc" -nogpuinc --offload-arch=gfx90a -c one.hip 2>errors || code=$?
    same "$code" 127
    echo 'int x = ;' >wrong.hip
    code=0
    bare --offload-arch=sm_70 -c wrong.hip 2>errors || code=$?
    same "$code" 1
}

test_S_gives_assembly_of_all_sides() {
    silent bare -S one.hip
    same "$(entries one.s s)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx1100 hipv4-amdgcn-amd-amdhsa--gfx90a"
    take one.s gfx90a gfx90a.s s
    grep -q '^ *.uniform_work_group_size:' gfx90a.s || fail "no AMD assembly"
    take one.s sm_70 sm_70.s s
    grep -q '^.target sm_70' sm_70.s || fail "no PTX"
    silent bare -S one.hip -o -
    cmp -s output one.s || fail "standard output has another bundle"
    silent bare -S -fgpu-rdc one.hip -o rdc.s
    same "$(entries rdc.s s)" "$(entries one.s s)"
    silent bare -S --offload-host-only one.hip -o host.s
    head -1 host.s | grep BUNDLE && fail "one side is a bundle"
    return 0
}

test_what_S_made_can_be_assembled() {
    silent bare -S one.hip
    silent bare -c one.s
    bundle_of one.o
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx1100 hipv4-amdgcn-amd-amdhsa--gfx90a"
    silent bare -S -emit-llvm one.hip
    silent bare -c one.ll -o ll.o
    bundle_of ll.o
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx1100 hipv4-amdgcn-amd-amdhsa--gfx90a"
}

test_S_of_a_device_gives_its_assembly() {
    silent bare -S --offload-device-only --offload-arch=gfx90a one.hip -o gfx.s
    grep -q 'amdgcn-amd-amdhsa' gfx.s || fail "no AMD assembly"
    silent bare -S --offload-device-only --offload-arch=sm_70 one.hip -o sm.s
    grep -q '^.target sm_70' sm.s || fail "no PTX"
    silent bare -S --offload-device-only --offload-arch=sm_70,gfx90a one.hip -o both.s
    same "$(entries both.s s)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx90a"
}

test_a_host_object_takes_a_bundle_that_was_made_by_hand() {
    stand_in
    silent bare -c --offload-host-only -fuse-cuid=none one.hip -o host.o
    silent bare --genco --offload-arch=gfx90a,sm_70 one.hip -o one.hipfb
    cat >bundle.s <<'E'
    .section .hip_fatbin,"a",@progbits
    .globl __hip_fatbin
    .p2align 12
__hip_fatbin:
    .incbin "one.hipfb"
    .section .note.GNU-stack,"",@progbits
E
    silent bare -c bundle.s -o bundle.o
    silent bare host.o bundle.o main.cpp $stand_in -o program
    ok ./program
    bundle_of program
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx90a"
}

test_emit_llvm_gives_ir() {
    silent bare -S -emit-llvm --offload-device-only --offload-arch=gfx90a one.hip -o one.ll
    grep -q 'amdgpu_kernel' one.ll || fail "no device IR"
    silent bare -S -emit-llvm one.hip -o all.ll
    take all.ll gfx90a gfx90a.ll ll
    grep -q 'amdgpu_kernel' gfx90a.ll || fail "no device IR beside the host's"
    silent bare -c -emit-llvm --offload-host-only one.hip
    there one.bc
}

test_E_preprocesses_for_the_host_or_the_device() {
    echo '#ifdef __HIP_DEVICE_COMPILE__' >p.hip
    printf 'device side\n#else\nhost side\n#endif\n' >>p.hip
    silent bare -E p.hip
    grep -q '^host side' output || fail "no host text"
    silent bare -E p.hip -o p.i
    grep -q '^host side' p.i || fail "no host text"
    silent bare -E --offload-device-only --offload-arch=sm_70 p.hip
    grep -q '^device side' output || fail "no device text"
    silent bare -dM -E -x c++ /dev/null
    grep -q '__HIP_PLATFORM_AMD__ 1' output || fail "no platform macro"
}

test_dependencies_cover_every_pass() {
    echo '#ifdef __NVPTX__' >p.hip
    printf '#include "only nv.h"\n#elif defined(__AMDGCN__)\n#include "only_amd.h"\n#endif\n' >>p.hip
    : >"only nv.h"
    : >only_amd.h
    silent bare -MD -c p.hip
    there p.o p.d
    same "$(tr -d '\n' <p.d | tr -s ' ')" 'p.o: \ p.hip \ only_amd.h \ only\ nv.h'
    silent bare -MMD -MF out.d -MT 'a target' -MQ 'b $' -MP -c p.hip -o q.o
    same "$(head -1 out.d)" 'a target b\ $$: \'
    grep -q '^only_amd.h:$' out.d || fail "no empty rule"
    silent bare -M p.hip
    grep -q 'only_amd.h' output || fail "not on standard output"
    silent bare -MM p.hip -o mm.d
    grep -q '^p.o:' mm.d || fail "wrong target"
    silent bare -MD -c p.hip -o sub.o
    there sub.d
    ok make -f out.d -n 'b $'
}

test_C_sources_take_part_in_dependencies() {
    echo '#include "c.h"' >c.c
    : >c.h
    silent "$hipcc" -MD -c c.c
    same "$(tr -d '\n' <c.d | tr -s ' ')" 'c.o: \ c.c \ c.h'
}

test_shared_libraries_build() {
    stand_in
    silent bare --offload-arch=gfx90a -shared -fPIC one.hip $stand_in -o libone.so
    "$llvm/llvm-readelf" -h libone.so | grep -q 'DYN' || fail "no shared library"
    silent bare main.cpp -L. -lone -Wl,-rpath,. $stand_in -o program
    ok ./program
}

test_names_with_spaces_and_quotes_are_safe() {
    stand_in
    mkdir "a folder" "it's"
    cp one.hip "a folder/it's one.hip"
    cp hip.h "it's"
    silent bare --offload-arch=gfx90a,sm_70 "-Iit's" -c "a folder/it's one.hip" -o "an \"object\".o" \
        -MD -DNAME='"a b"'
    there "an \"object\".o"
    silent bare -fgpu-rdc --offload-arch=gfx90a "-Iit's" "a folder/it's one.hip" main.cpp $stand_in \
        -o "the program"
    ok "./the program"
}

test_response_files_hold_arguments() {
    stand_in
    printf '%s\n' '-nogpulib -nogpuinc "one.hip"' "'main.cpp'" '-o pro\ gram' @more >args
    echo "--offload-arch=gfx90a $stand_in" >more
    silent "$hipcc" @args
    ok "./pro gram"
    i=0
    while [ $i -lt 20000 ]; do
        echo "-DLONG_NAME_OF_A_MACRO_THAT_FILLS_THE_COMMAND_LINE_$i"
        i=$((i + 1))
    done >many
    silent bare @many --offload-arch=sm_70 -c one.hip
}

test_architectures_mix() {
    silent bare --offload-arch=gfx90a:xnack+,sm_80 --offload-arch=gfx1100 --amdgpu-target=gfx906 -c one.hip
    bundle_of one.o
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_80 hipv4-amdgcn-amd-amdhsa--gfx1100 hipv4-amdgcn-amd-amdhsa--gfx906 hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
    take fb sm_80 ptx
    grep -q '^.target sm_80' ptx || fail "not for sm_80"
    take fb 'xnack+' co
    "$llvm/llvm-readelf" -h co | grep -q 'xnack+' || fail "no xnack"
    silent bare --offload-arch=gfx90a,sm_70 --no-offload-arch=gfx90a -c one.hip
    bundle_of one.o
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_70"
    ANYHIP_OFFLOAD_ARCH=gfx942
    export ANYHIP_OFFLOAD_ARCH
    silent bare -c one.hip
    bundle_of one.o
    same "$(entries fb)" "hipv4-amdgcn-amd-amdhsa--gfx942"
}

test_no_architecture_and_OFF_leave_the_choice() {
    for archs in "" OFF; do
        silent bare "--offload-arch=$archs" -c one.hip
        bundle_of one.o
        entries fb | grep -q 'sm_70 .*gfx1100 .*gfx90a$' || fail "'$archs': $(entries fb)"
    done
    silent bare --offload-arch=OFF --offload-arch=gfx906 -c one.hip
    bundle_of one.o
    same "$(entries fb)" "hipv4-amdgcn-amd-amdhsa--gfx906"
}

test_wrong_architectures_are_refused() {
    refused bare --offload-arch=sm_71 -c one.hip
    said "unsupported GPU architecture 'sm_71'"
    said 'did you mean sm_70?'
    said 'NVIDIA: .*sm_70 .*sm_90a '
    did_not_say 'AMD: '
    refused bare --offload-arch=gfx90b:xnack+ -c one.hip
    said "error: unsupported GPU architecture 'gfx90b:xnack+'"
    said 'did you mean gfx90[0-9a-f]:xnack+?'
    said 'AMD: .*gfx90a .*gfx9-4-generic .*; features may follow, as in gfx90a:sramecc+:xnack-'
    did_not_say 'NVIDIA: '
    [ "$(wc -l <errors)" -eq 4 ] || fail "said once for each pass"
    refused bare --offload-arch=GFX90A -c one.hip
    said 'did you mean gfx90a?'
    refused bare --offload-arch=compute_80 -c one.hip
    said 'did you mean sm_80?'
    refused bare --offload-arch=everything -c one.hip
    said 'native: the GPUs of this machine; all: every one of these from gfx8 and sm_70 on'
    said 'AMD: '
    said 'NVIDIA: '
    refused bare --offload-arch=gfx90a,gfx90a:xnack+ -c one.hip
    said 'cannot be mixed'
    ANYHIP_OFFLOAD_ARCH=gfx90a
    refused bare --no-offload-arch=gfx90a -c one.hip
    said 'no GPU architecture is left to compile for'
    not_there one.o
}

# Every processor of clang's, from the first generation on that our headers compile for. clang's
# driver does not take all that its code generator knows (sm_100f).
test_all_is_everything_that_clang_knows() {
    silent bare --offload-arch=gfx90a,all --genco one.hip -o all.hipfb
    entries all.hipfb | tr ' ' '\n' | sed 's/.*-\(gfx\|sm_\)/\1/' | sort >made
    {
        "$llvm/clang" --target=amdgcn-amd-amdhsa -print-supported-cpus 2>&1
        "$llvm/clang" --target=nvptx64 -print-supported-cpus 2>&1
    } | sed -n 's/^\t\(gfx\|sm_\)/\1/p' | grep -vxE 'gfx[67]..|sm_[2-6].|sm_.*f' | sort >known
    [ "$(wc -l <known)" -gt 65 ] || fail "clang tells no processors"
    diff known made >&2 || fail "not every one, once"
    ok bare --offload-arch=all --no-offload-arch=gfx803,sm_70 -### -c one.hip
    said '--offload-arch=gfx90a '
    did_not_say '--offload-arch=gfx803 '
    did_not_say '--offload-arch=sm_70 '
}

test_newer_architectures_get_the_lowest_ptx_they_allow() {
    for pair in sm_75:7.0 sm_80:7.0 sm_86:7.1 sm_89:7.8 sm_90:7.8 sm_90a:8.0 sm_100:8.6 sm_120:8.7; do
        silent bare -S --offload-device-only --offload-arch="${pair%:*}" one.hip -o out.s
        grep -q "^.version ${pair#*:}" out.s || fail "$pair: $(grep '^.version' out.s)"
    done
    silent bare -S --offload-device-only --offload-arch=sm_70 --cuda-feature=+ptx75 one.hip -o out.s
    grep -q '^.version 7.5' out.s || fail "the feature asked for is not used"
}

test_native_is_a_device_or_the_defaults() {
    ok bare --offload-arch=native -c one.hip
    bundle_of one.o
    if grep -q 'no GPU found' errors; then
        said "'native' means gfx90a,gfx1100,sm_70"
        entries fb | grep -q 'sm_70 .*gfx1100 .*gfx90a$' || fail "not what the environment says"
    fi
    [ -n "$(entries fb)" ] || fail "no image"
    ANYHIP_OFFLOAD_ARCH=native
    ok bare -c one.hip
}

test_x_chooses_the_language() {
    cp one.hip one.txt
    silent bare --offload-arch=gfx90a -x hip -c one.txt -o x.o
    bundle_of x.o
    silent bare --offload-arch=gfx90a -x cu -c one.txt -o x.o
    bundle_of x.o
    echo 'int new; int f(void) { return sizeof(int); }' >c.txt
    silent "$hipcc" -x c -c c.txt -o c.o
    echo 'template <class T> T f(T t) { return t; } int g() { return f(1); }' >cxx.txt
    silent "$hipcc" -xc++ -c cxx.txt -o cxx.o
    "$llvm/llvm-readelf" -S cxx.o | grep -q hip_fatbin && fail "C++ was compiled as HIP"
    silent "$hipcc" --offload-arch=sm_70 -x c -c c.txt -x none -c one.hip -nogpuinc -nogpulib
    there c.o one.o
    for suffix in cpp cc cxx C cu; do
        cp one.hip "two.$suffix"
        silent bare --offload-arch=sm_70 -c "two.$suffix"
        bundle_of two.o
    done
}

test_the_words_of_hip_need_no_include() {
    printf '__global__ void k(int);\n__device__ int f(int i) { __shared__ int s; return s + i; }\n' >w.hip
    silent "$hipcc" --offload-arch=gfx90a,sm_70 -c w.hip
    there w.o
}

test_the_wavefront_size_is_a_macro() {
    cat >w.hip <<'E'
#if __AMDGCN_WAVEFRONT_SIZE != __AMDGCN_WAVEFRONT_SIZE__
#error the names differ
#endif
static_assert(__AMDGCN_WAVEFRONT_SIZE == WANTED, "");
E
    ok "$hipcc" -fsyntax-only w.hip -Xarch_host -DWANTED=64 -Xarch_gfx906 -DWANTED=64 \
        -Xarch_gfx90a -DWANTED=64 -Xarch_gfx9-4-generic -DWANTED=64 -Xarch_gfx1030 -DWANTED=32 \
        -Xarch_gfx1100 -DWANTED=32 -Xarch_gfx12-generic -DWANTED=32 -Xarch_sm_70 -DWANTED=32 \
        --offload-arch=gfx906,gfx90a,gfx9-4-generic,gfx1030,gfx1100,gfx12-generic,sm_70
    ok "$hipcc" -fsyntax-only w.hip -DWANTED=64 --offload-arch=gfx90a,gfx1030,gfx1100 \
        -mwavefrontsize64
    ok "$hipcc" -fsyntax-only w.hip -DWANTED=16 -D__AMDGCN_WAVEFRONT_SIZE__=16
}

# A function that is declared but defined nowhere shows only where the device code is linked.
test_math_functions_need_no_include_in_any_mode() {
    for options in "" -ffast-math -fgpu-rdc "-ffast-math -fgpu-rdc"; do
        silent "$hipcc" --genco --offload-arch=sm_70,gfx1100 -O1 $options \
            "$sources/math/functions.cpp" -o module
    done
}

test_constants_that_do_not_fit_move_in_the_text_too() {
    cat >large.hip <<'E'
__attribute__((device, constant)) int large[20000];
__attribute__((global)) void kernel(int *out, int i) { *out = large[i]; }
E
    silent bare --offload-device-only -S --offload-arch=sm_70 large.hip -o large.s
    grep -q '[.]global .* large\[' large.s || { cat large.s >&2; fail "large is not in .global"; }
    if grep -q '^[^/]*[.]const' large.s; then fail "something is in .const"; fi
    ok bare --offload-device-only -S --offload-arch=sm_70 large.hip -o -
    cmp large.s output || fail "another text on the standard output"
}

test_the_constants_of_cuda_have_their_header() {
    cat >c.cpp <<'E'
#include <math_constants.h>
static_assert(CUDART_PI > 3.14 && CUDART_PI_F < 3.15f && CUDART_TWO_TO_23 == 8388608.0, "");
__host__ __device__ double sum() { return CUDART_INF + CUDART_NAN_F + CUDART_L2E + CUDART_ZERO; }
E
    silent "$hipcc" -Wall -fsyntax-only --offload-arch=gfx90a,sm_70 c.cpp
}

test_printf_assert_and_memory_need_no_header_of_hip() {
    cat >functions.cpp <<'E'
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
__device__ int *copied(const int *from, int n)
{
    assert(n > 3);
    int *to = static_cast<int *>(malloc(n));
    printf("%d\n", n);
    memset(to, 0, n);
    memcpy(to, from, n);
    memmove(to + 1, to, n - 4);
    free(to + n);
    return to;
}
E
    cat >kernel.cpp <<'E'
#include <hip/hip_runtime.h>
__device__ int *copied(const int *from, int n);
__global__ void kernel(int **p) { *p = copied(p[1], 32); }
E
    silent "$hipcc" --genco -fgpu-rdc functions.cpp kernel.cpp -o module
}

test_loops_that_count_bits_are_one_instruction() {
    cat >count.hip <<'E'
__global__ void count(unsigned long long *x, int *n)
{
    int bits = 0;
    for (unsigned long long word = *x; word; word &= word - 1)
        bits++;
    *n = bits;
}
E
    silent "$hipcc" --offload-arch=sm_70 --cuda-device-only -S count.hip -o count.ptx
    grep -q 'popc\.b64' count.ptx || fail "no instruction counts bits"
}

test_standard_input_is_a_source() {
    silent bare --offload-arch=gfx90a,sm_70 -I. -x hip -c - -o in.o <one.hip
    bundle_of in.o
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx90a"
    echo 'VALUE' | "$hipcc" -E -DVALUE=seven -x c - >output || fail "no preprocessing"
    grep -q seven output || fail "not preprocessed"
}

test_a_missing_clang_is_explained() {
    HIP_CLANG_PATH=$work/nowhere
    export HIP_CLANG_PATH
    refused bare -c one.hip
    said 'no clang of version 22 or newer'
    said "$work/nowhere/clang++: not there"
    said 'install the Debian packages clang-22, lld-22, llvm-22 and libclc-22 (from '
    unset HIP_CLANG_PATH
    printf '#!/bin/sh\necho "clang version 14.0.6"\n' >old
    chmod +x old
    ANYHIP_CLANG=./old
    export ANYHIP_CLANG
    refused bare -c one.hip
    said 'version 14, too old'
}

test_a_named_clang_is_used() {
    printf '#!/bin/sh\necho "$@" >>"%s/used"\nexec "%s/clang" "$@"\n' "$work" "$llvm" >my-clang-22
    chmod +x my-clang-22
    ANYHIP_CLANG=./my-clang-22
    export ANYHIP_CLANG
    ok "$hipcc" -c -x c /dev/null -o null.o
    there "$work/used"
    unset ANYHIP_CLANG
    HIP_CLANG_PATH=$llvm
    export HIP_CLANG_PATH
    silent bare --offload-arch=sm_70 -c one.hip
    HIPCC_VERBOSE=1
    export HIPCC_VERBOSE
    ok bare --offload-arch=sm_70 -c one.hip
    said "$llvm/clang"
}

test_missing_libclc_is_explained() {
    ANYHIP_LIBCLC=$work/nowhere
    export ANYHIP_LIBCLC
    refused "$hipcc" -nogpuinc --offload-arch=gfx90a -c one.hip
    said "$work/nowhere/amdgcn-amd-amdhsa.bc"
    said "libclc's AMD functions were not found; tried:"
    said 'install the Debian package libclc-22, name its folder in ANYHIP_LIBCLC, or compile with'
    silent bare --offload-arch=gfx90a -c one.hip
}

test_a_missing_bundler_is_explained() {
    mkdir bin
    cp "$llvm/clang" bin/clang++ 2>/dev/null || ln -s "$llvm/clang" bin/clang++
    printf '#!/bin/sh\nexec "%s/clang" "$@"\n' "$llvm" >bin/clang++.new
    chmod +x bin/clang++.new
    mv bin/clang++.new bin/clang++
    PATH=/nonexistent ANYHIP_CLANG="$PWD/bin/clang++" "$hipcc" -nogpuinc -nogpulib \
        --offload-arch=sm_70 -c one.hip 2>errors && fail "succeeded"
    said 'clang-offload-bundler was not found'
    said 'install the Debian package clang-tools-22'
    PATH=/nonexistent ANYHIP_CLANG="$PWD/bin/clang++" "$hipcc" -nogpuinc -nogpulib \
        --offload-arch=gfx90a -c one.hip 2>errors && fail "succeeded"
    said 'lld-22'
}

test_hash_hash_hash_prints_and_runs_nothing() {
    ok bare -### one.hip "-DTEXT=a b" -o program
    not_there program one.o a.out
    same "$(grep -c -e '--offload-device-only' errors)" 3
    same "$(grep -c -e '-fcuda-include-gpubinary' errors)" 1
    same "$(grep -c -e 'clang-offload-bundler' errors)" 1
    said "'-DTEXT=a b'"
    said '-lanyhip'
    ok bare -### -fgpu-rdc one.hip main.cpp -o program
    said 'llvm-link'
    same "$(ls "$TMPDIR")" ""
}

test_every_printed_step_runs_in_a_shell() {
    mkdir kept
    ok bare -### -save-temps -c one.hip --offload-arch=gfx90a,sm_70 -o kept/one.o
    grep -v '^ #' errors >steps
    ok sh -e steps
    there kept/one.o
}

test_an_error_in_a_source_is_the_exit_status() {
    echo 'int f() { return 1 + ; }' >bad.hip
    echo old >bad.o
    bare -c bad.hip 2>errors
    same $? 1
    said 'bad.hip:1:22: error: expected expression'
    same "$(grep -c 'error: expected expression' errors)" 1
    bare bad.hip main.cpp -o program 2>errors
    same $? 1
    not_there program
    same "$(ls "$TMPDIR")" ""
}

test_an_error_for_one_architecture_names_it() {
    printf '#if defined(__gfx1100__)\n#error no such thing\n#endif\n' >bad.hip
    refused bare -c bad.hip
    said 'when compiling for gfx1100'
    did_not_say 'when compiling for gfx90a'
    printf '#if !defined(__HIP_DEVICE_COMPILE__)\n#error host only\n#endif\n' >bad.hip
    refused bare -c bad.hip
    said 'host only'
}

test_a_warning_of_all_passes_is_said_once() {
    echo 'static int f() { int unused; return 0; } int g() { return f(); }' >warn.hip
    ok bare -Wall -c warn.hip
    same "$(grep -c 'warning: unused variable' errors)" 1
    refused bare -Wall -Werror -c warn.hip
}

test_commands_side_by_side_do_not_meet() {
    cp one.hip two.hip
    for i in 1 2 3 4; do
        bare -c --offload-arch=gfx90a,sm_70 one.hip -DN=$i -o "out$i.o" 2>"errors$i" &
    done
    bare -c --offload-arch=gfx90a,sm_70 two.hip 2>errors5 &
    wait
    there out1.o out2.o out3.o out4.o two.o
    cat errors1 errors2 errors3 errors4 errors5 >errors
    [ ! -s errors ] || fail "$(cat errors)"
    same "$(ls "$TMPDIR")" ""
}

test_the_same_input_gives_the_same_output() {
    rdc_sources
    for round in 1 2; do
        silent bare -g -c one.hip
        mv one.o "one$round.o"
        silent bare -fgpu-rdc -c b.hip d.hip
        cp b.o "b$round.o"
        silent bare -fgpu-rdc -shared -fPIC b.hip d.hip --no-hip-rt -o "lib.so"
        mv lib.so "lib$round.so"
        silent bare --genco --offload-compress one.hip -o module
        mv module "module$round"
    done
    for pair in one1.o:one2.o b1.o:b2.o lib1.so:lib2.so module1:module2; do
        cmp "${pair%:*}" "${pair#*:}" || fail "$pair differ"
    done
    mkdir elsewhere
    cp one.hip hip.h elsewhere
    silent bare -ffile-prefix-map="$PWD=." -c one.hip
    (cd elsewhere && bare -ffile-prefix-map="$PWD=." -c one.hip) || fail "elsewhere"
    cmp one.o elsewhere/one.o || fail "another folder gives another object"
}

test_managed_variables_have_names_that_ptx_allows() {
    rdc_sources
    silent bare --offload-arch=sm_75 -c c.hip
    bundle_of c.o
    take fb sm_75 ptx
    grep -q '^.visible.* managed_$_managed\b' ptx || fail "not renamed"
    grep -v '^\s*//' ptx | grep -q 'managed\.managed' && fail "still there"
    ptxas=$(command -v ptxas) && ok "$ptxas" -arch=sm_75 ptx -o cubin
    return 0
}

test_internal_kernels_have_names_that_ptx_allows() {
    rdc_sources
    silent bare -fgpu-rdc --genco --no-gpu-bundle-output --offload-arch=sm_75 b.hip d.hip -o ptx
    silent bare -fgpu-rdc -S --offload-device-only --offload-arch=sm_75 b.hip -o raw
    ptxas=$(command -v ptxas) && ok "$ptxas" -arch=sm_75 ptx -o cubin
    return 0
}

test_temporary_files_are_gone_afterwards() {
    silent bare -c one.hip
    ok bare -fgpu-rdc one.hip -shared -fPIC --no-hip-rt -o lib.so
    same "$(ls "$TMPDIR")" ""
}

# A process that is there and is not only waiting to be noticed as ended.
alive() {
    grep -q '^State:[[:space:]]*[RSDT]' "/proc/$1/status" 2>/dev/null
}

test_a_folder_for_temporary_files_that_cannot_be_made_is_said_once() {
    echo 'int main() { return 0; }' >t.hip
    TMPDIR="$work/nowhere" "$hipcc" t.hip -o program 2>errors && fail "it succeeded"
    same "$(grep -c "cannot make a folder for temporary files in $work/nowhere: No such" errors)" 1
    same "$(wc -l <errors)" 1
    said '; TMPDIR names another place'
}

test_a_signal_cleans_up() {
    # A child of a child, which only a signal to the process group reaches.
    cat >slow-clang-22 <<E
#!/bin/sh
sh -c 'echo \$\$ >"\$1"; exec sleep 3600' sh "$work/sleeper"
true
E
    chmod +x slow-clang-22
    for signal in INT TERM HUP; do
        rm -f "$work/sleeper"
        # exec: the signal is for the driver itself, not for a shell around it. Shells start what
        # is in the background with SIGINT ignored.
        (ANYHIP_CLANG=$PWD/slow-clang-22 exec env --default-signal=INT "$hipcc" -nogpuinc \
            -nogpulib -c one.hip) &
        pid=$!
        # What never happens ends by the time limit of the test.
        until [ -s "$work/sleeper" ]; do sleep 0.1; done
        kill -$signal $pid
        wait $pid
        [ $? -gt 128 ] || fail "the signal is not the end of it"
        while alive "$(cat "$work/sleeper")"; do sleep 0.1; done
        same "$(ls "$TMPDIR")" ""
    done
    not_there one.o
}

test_the_environment_adds_flags() {
    HIPCC_COMPILE_FLAGS_APPEND='-DFROM_ENVIRONMENT="a b" --offload-arch=sm_70'
    HIPCC_LINK_FLAGS_APPEND='-Wl,--defsym=from_link_flags=1'
    export HIPCC_COMPILE_FLAGS_APPEND HIPCC_LINK_FLAGS_APPEND
    ok bare -### -c one.hip
    said "'-DFROM_ENVIRONMENT=a b'"
    did_not_say gfx90a.co
    did_not_say from_link_flags
    ok bare -### one.hip
    said from_link_flags
}

test_verbose_shows_commands_paths_and_arguments() {
    HIPCC_VERBOSE=7
    export HIPCC_VERBOSE
    ok bare --offload-arch=sm_70 -c one.hip
    said '--offload-device-only'
    said 'HIP_CLANG_PATH='
    said 'hipcc-args: -nogpuinc'
    HIPCC_VERBOSE=0
    silent bare --offload-arch=sm_70 -c one.hip
    ok bare --offload-arch=sm_70 -v -c one.hip
    said '#include <...> search starts here'
}

test_xarch_arguments_reach_their_passes() {
    cat >x.hip <<'E'
#if !defined(__HIP_DEVICE_COMPILE__)
#if !defined(H) || defined(D) || defined(G) || defined(S)
#error host
#endif
#elif !defined(D) || defined(H)
#error device
#elif defined(__NVPTX__) ? !defined(S) || defined(G) : defined(S) || (defined(__gfx90a__) != defined(G))
#error arch
#endif
E
    silent bare -Xarch_host -DH -Xarch_device -DD -Xarch_gfx90a -DG -Xarch_sm_70 -DS -c x.hip
}

test_per_thread_streams_reach_C_too() {
    cat >t.c <<'E'
#ifndef HIP_API_PER_THREAD_DEFAULT_STREAM
#error not per thread
#endif
E
    cp t.c t.hip
    silent bare -Werror -fgpu-default-stream=per-thread -c t.c
    silent bare -Werror -fgpu-default-stream=per-thread -c t.hip
    refused bare -fgpu-default-stream=legacy -c t.c
}

test_a_C_program_needs_no_cxx_library() {
    echo 'int main(void) { return 0; }' >c.c
    silent "$hipcc" --no-hip-rt c.c -o c
    ok ./c
    "$llvm/llvm-readelf" -d c | grep -q 'stdc++' && fail "linked as C++"
    silent "$hipcc" -std=c++17 -std=c11 --no-hip-rt c.c -c
}

test_save_temps_keeps_everything() {
    silent bare -save-temps --offload-arch=gfx90a,sm_70 -c one.hip
    there one-hip-amdgcn-amd-amdhsa-gfx90a.co one-hip-amdgcn-amd-amdhsa-gfx90a.s \
        one-hip-nvptx64-nvidia-cuda-sm_70.ll one-hip-nvptx64-nvidia-cuda-sm_70.ptx one.hipfb one.o
    mkdir out
    silent bare -save-temps=obj --offload-arch=sm_70 -c one.hip -o out/one.o
    there out/one.hipfb
}

test_syntax_only_writes_nothing() {
    mkdir empty
    cd empty
    silent bare -fsyntax-only ../one.hip
    rm -f output errors
    same "$(ls)" ""
    echo 'int f( {' >bad.hip
    bare -fsyntax-only bad.hip 2>/dev/null && fail "succeeded"
    return 0
}

test_compressed_bundles() {
    silent bare --offload-compress -c one.hip
    bundle_of one.o
    same "$(head -c 4 fb)" CCOB
    same "$(entries fb)" "hip-nvptx64-nvidia-cuda-unknown-sm_70 hipv4-amdgcn-amd-amdhsa--gfx1100 hipv4-amdgcn-amd-amdhsa--gfx90a"
    silent bare --offload-compress --no-offload-compress --genco one.hip -o plain
    same "$(head -c 8 plain)" __CLANG_
    silent bare --offload-compress --offload-compression-level=9 --genco one.hip -o module
    same "$(head -c 4 module)" CCOB
}

test_questions_are_answered() {
    silent "$hipcc" --version
    grep -q '^HIP version: [0-9]*\.[0-9]*\.[0-9]' output || fail "no HIP version"
    grep -q 'clang version' output || fail "no clang version"
    silent "$hipcc" --help
    grep -q -e '--offload-arch' output || fail "no help"
    silent "$hipcc" --short-version
    silent "$hipcc" -print-resource-dir
    [ -d "$(cat output)" ] || fail "no resource folder"
    silent "$hipcc" -dumpmachine
    silent "$hipcc" --cxxflags
    silent "$hipcc" --ldflags
    ok "$hipcc" -v -print-targets
    said 'Found HIP installation: '
    refused "$hipcc"
    said 'no input files'
    refused "$hipcc" nowhere.hip
    said "no such file or directory: 'nowhere.hip'"
    refused "$hipcc" -c one.hip --no-such-option
    said 'no-such-option'
    refused bare -c -o x one.hip main.cpp
    said 'cannot specify -o'
    refused bare -parallel-jobs=none -c one.hip
    said "invalid value 'none' in '-parallel-jobs=none'"
    refused bare -c one.hip -o
    said "argument to '-o' is missing (expected 1 value)"
    refused bare -c -
    said '-E or -x required when input is from standard input'
    refused bare -x hip -c - </
    said 'cannot read standard input'
    echo @loop >loop
    refused bare -c @loop
    said "response files are nested too deeply at '@loop'"
    refused bare --hipstdpar -c one.hip
    said 'hipstdpar is not supported: the parallel algorithms for GPUs are in ROCm'
    said 'without the option they run on the CPU'
}

test_what_cannot_be_used_is_named() {
    echo 'int main() { return 0; }' >t.c
    ok "$llvm/clang" -c t.c -o t.o
    ok "$llvm/llvm-objcopy" --add-section .llvm.offloading=t.c t.o
    refused bare -fgpu-rdc --hip-link t.o -o program
    said 'the device code in t.o is damaged'
    cat >clash.hip <<'E'
__attribute__((device)) int first __asm__("a.b");
__attribute__((device)) int second __asm__("a_$_b");
__attribute__((global)) void kernel(int *out) { *out = first + second; }
E
    refused bare --offload-arch=sm_70 -c clash.hip
    said 'cannot correct the symbol names of the PTX for sm_70: two would become equal'
    printf '#!/bin/sh\ncase "$*" in *-c*) kill -SEGV $$;; esac\nexec "%s/clang" "$@"\n' "$llvm" \
        >crash-22
    chmod +x crash-22
    ANYHIP_CLANG=./crash-22
    export ANYHIP_CLANG
    refused bare --offload-arch=sm_70 -c one.hip
    said 'crash-22 was ended by signal 11 (Segmentation fault)'
}

test_what_llvm_prints_is_no_question() {
    ok bare --genco --offload-arch=sm_70 -mllvm -print-after=constmerge one.hip -o module
    said 'IR Dump After ConstantMerge'
    there module
}

test_hipconfig_answers() {
    hipconfig=$(dirname "$hipcc")/hipconfig
    same "$("$hipconfig" --platform)" amd
    same "$("$hipconfig" -c)" clang
    same "$("$hipconfig" --runtime)" rocclr
    same "$("$hipconfig" --version)" "$("$hipcc" --short-version)"
    [ -d "$("$hipconfig" --path)" ] || fail "no path"
    same "$("$hipconfig" --path)" "$("$hipconfig" --rocmpath)"
    "$hipconfig" --cpp_config | grep -q -e '-D__HIP_PLATFORM_AMD__' || fail "no preprocessor options"
    ok "$hipconfig" --full
    ok "$hipconfig"
    refused "$hipconfig" --nothing
}

test_options_of_rocm_are_taken_without_a_word() {
    silent bare --rocm-path=/opt/rocm --hip-path=/opt/rocm/hip --hip-device-lib-path=/x --hip-link \
        -munsafe-fp-atomics -ffast-math -parallel-jobs=2 --amdgpu-target=gfx90a -O2 -Wall -pthread \
        -mcode-object-version=4 -c one.hip
    bundle_of one.o
    take fb gfx90a co
    "$llvm/llvm-readelf" -h co | grep -q 'ABI Version: *2' || fail "not code object version 4"
}

test_host_options_do_not_disturb_device_passes() {
    silent bare -Wall -Werror -march=native -mavx2 -fopenmp -fsanitize=undefined \
        -fstack-protector-strong -fcf-protection -pg -fprofile-arcs -mno-red-zone -Wa,--noexecstack \
        -fno-plt -Wp,-DFROM_WP -Wl,-z,now -lm -static-libgcc -g -c one.hip
}

test_the_runtime_library_of_rocm_is_replaced() {
    ok bare -### main.cpp -lamdhip64 -o program
    did_not_say amdhip64
    said '-lanyhip'
    ok bare -### main.cpp --no-hip-rt -o program
    did_not_say anyhip
    ok bare -### main.cpp --no-rpath -o program
    did_not_say rpath
}

test_headers_of_another_hip_do_not_come_first() {
    mkdir -p rocm/include/hip
    echo '#error of another HIP' >rocm/include/hip/hip_version.h
    echo '#error of another HIP' >rocm/include/hip/hip_runtime_api.h
    printf '#include <hip/hip_version.h>\nint f() { return HIP_VERSION_MAJOR; }\n' >v.cpp
    silent bare --offload-arch=sm_70 -Irocm/include -c v.cpp
    silent bare --offload-arch=sm_70 -I rocm/include -c v.cpp
    silent bare --offload-arch=sm_70 -isystem rocm/include -c v.cpp
    printf '#include <hip/hip_runtime.h>\n#include <cmath>\n__global__ void k() {}\n' >v.cpp
    silent "$hipcc" --offload-arch=gfx90a -Irocm/include -c v.cpp
}

# clang looks for an installation of HIP, AnyHIP's own below /usr among them, and takes headers of
# its own in addition where it finds one.
test_an_installation_of_hip_that_clang_finds_changes_nothing() {
    mkdir -p rocm/share/hip
    printf 'HIP_VERSION_MAJOR=6\nHIP_VERSION_MINOR=4\nHIP_VERSION_PATCH=0\n' >rocm/share/hip/version
    printf '#include <hip/hip_runtime.h>\n#include <algorithm>\n__global__ void k() {}\n' >v.hip
    for variable in ROCM_PATH HIP_PATH; do
        silent env "$variable=$PWD/rocm" "$hipcc" --offload-arch=gfx90a -c v.hip
        silent env "$variable=$PWD/rocm" "$hipcc" --offload-arch=sm_70 -c v.hip
    done
}

test_steps_run_one_at_a_time_when_asked() {
    real=$(command -v clang++-22 || echo "$llvm/clang++")
    cat >noting-clang++-22 <<E
#!/bin/sh
echo begins >>"$work/noted"
"$real" "\$@"
status=\$?
echo ends >>"$work/noted"
exit \$status
E
    chmod +x noting-clang++-22
    ANYHIP_CLANG=$PWD/noting-clang++-22
    export ANYHIP_CLANG
    silent bare -parallel-jobs=1 -c one.hip
    there one.o "$work/noted"
    # Of two steps at the same time one begins before the other has ended.
    uniq "$work/noted" >noted
    cmp -s "$work/noted" noted || fail "steps overlap: $(tr '\n' ' ' <"$work/noted")"
    [ "$(grep -c begins noted)" -ge 4 ] || fail "fewer steps than passes: $(wc -l <noted)"
}

command -v "test_$name" >/dev/null || fail "no test $name"
"test_$name"
exit 0
