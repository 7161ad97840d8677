#!/bin/sh
# Builds separate projects against an installed tree: consume.sh PREFIX LIBDIR SCRATCH TEST.
# Nothing of the build tree is used. What is built also runs and computes: on a GPU, or on the
# simulated device that is installed.
set -u

prefix=$1
libdir=$1/$2
scratch=$3/$4
name=$4
here=$(cd "$(dirname "$0")" && pwd)
generator=${CMAKE_GENERATOR:-Ninja}
unset CXX CC CXXFLAGS CFLAGS LDFLAGS HIPCXX HIPFLAGS CMAKE_PREFIX_PATH HIP_PATH ROCM_PATH \
    PKG_CONFIG_PATH LD_LIBRARY_PATH HIPCC_COMPILE_FLAGS_APPEND HIPCC_LINK_FLAGS_APPEND
# Three architectures are enough where a test is not about them.
ANYHIP_OFFLOAD_ARCH=gfx90a,gfx1100,sm_70
export ANYHIP_OFFLOAD_ARCH
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 99

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

ok() {
    "$@" || fail "exit status $? of: $*"
}

# A sanitized library wants the sanitizer's run-time library first; a program that is not
# sanitized itself gets it by preloading.
run() {
    preload=$(ldd "${libdir%%:*}/libanyhip.so" | sed -n 's/.*=> \(.*lib[at]san[^ ]*\).*/\1/p')
    LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=$libdir ok "$@"
}

# A program without code for the devices here.
starts() {
    HIP_VISIBLE_DEVICES= LD_LIBRARY_PATH=$libdir "$@" >out
    grep -q '^no device$' out || fail "it does not start: $(cat out)"
}

build() {
    project=$1
    shift
    cmake -S "$here/$project" -B build -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_BUILD_TYPE=Release "$@" >configure.log 2>&1 ||
        { cat configure.log >&2; fail "configuration"; }
    grep -A 5 -i 'CMake.*warning' configure.log && fail "a warning of CMake"
    cmake --build build -v >build.log 2>&1 || { cat build.log >&2; fail "build"; }
    # What the linker says of the sanitizer's run-time library is not the project's.
    grep -i 'warning:' build.log | grep -v 'lib[at]san\.so' && fail "a warning"
    return 0
}

# The names of the images in a program.
images() {
    llvm=$("$prefix/bin/hipconfig" --hipclangpath)
    "$llvm/llvm-objcopy" -O binary --only-section=.hip_fatbin --set-section-flags \
        .hip_fatbin=alloc "$1" fatbin
    "$llvm/clang-offload-bundler" -type=o -list -input=fatbin | grep -v '^host'
}

has_images() {
    file=$1
    shift
    for image in "$@"; do
        images "$file" | grep -q -e "-$image\$" || fail "no image for $image in $file"
    done
}

pkg_config() {
    PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config "$@" anyhip
}

test_the_tree_is_complete() {
    for file in bin/hipcc bin/hipconfig bin/anyhip-clang++ include/hip/hip_runtime_api.h \
        include/hip/device/prelude.h share/hip/version lib/cmake/hip-lang/hip-lang-config.cmake \
        "$2/libanyhip.so" "$2/libanyhip.so.0" "$2/pkgconfig/anyhip.pc" \
        "$2/cmake/hip/hip-config.cmake" "$2/cmake/hip/FindHIP.cmake" \
        "$2/cmake/anyhip/anyhip-config.cmake" \
        "$2/libsimcuda.so.1" "$2/anyhip/drop-in/libcuda.so.1" "$2/anyhip/drop-in/libcuda.so" \
        "$2/libsimhsa.so.1" "$2/anyhip/drop-in/libhsa-runtime64.so.1" \
        "$2/anyhip/drop-in/libhsa-runtime64.so" \
        "$2/libsimkmt.so.1" "$2/anyhip/kmt/libhsakmt.so.1" \
        "$2/libsimthunk.so.1" "$2/anyhip/kmt/libdtif.so"; do
        [ -e "$1/$file" ] || fail "no $file"
    done
    for name in libamdhip64.so libhiprtc.so; do
        for version in "" .5 .6 .7 .8; do
            [ -e "$libdir/anyhip/rocm/$name$version" ] || fail "no $name$version"
        done
    done
    for name in libroctx64.so libroctx64.so.4 librocprofiler-sdk-roctx.so \
        librocprofiler-sdk-roctx.so.1; do
        [ -e "$libdir/anyhip/rocm/$name" ] || fail "no $name"
    done
    grep -r -l -e "$(dirname "$1")" "$1/bin" "$1/lib/cmake" "$libdir/cmake" "$libdir/pkgconfig" &&
        fail "the tree names its own place and cannot be moved"
    return 0
}

test_pkg_config_serves_C() {
    ok gcc -std=c11 -Wall -Wextra -pedantic -Werror $(pkg_config --cflags) "$here/c/main.c" \
        $(pkg_config --libs) -o program
    run ./program
    pkg_config --modversion | grep -q '^0\.' || fail "no version"
}

test_pkg_config_serves_cxx() {
    ok g++ -std=c++17 -Wall -Wextra -Werror $(pkg_config --cflags) "$here/c/main.cpp" \
        $(pkg_config --libs) -o program
    run ./program
}

test_hip_host_serves_a_cxx_project() {
    build host
    for program in program direct named; do run "build/$program"; done
}

test_hip_device_with_hipcc_as_the_compiler() {
    build device -DCMAKE_CXX_COMPILER="$prefix/bin/hipcc"
    has_images build/program gfx90a gfx1100 sm_70
    run build/program
}

# Only who uses the target hears that the compiler cannot compile HIP.
test_hip_device_with_another_compiler() {
    ok cmake -S "$here/device" -B build -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_CXX_COMPILER=g++ >configure.log 2>&1
    grep -i warning configure.log && fail "a warning of CMake"
    cmake --build build >build.log 2>&1 && fail "g++ compiles HIP"
    grep -q 'error: .*hip::device needs hipcc or clang' build.log ||
        fail "the reason is not told: $(cat build.log)"
}

test_hip_device_takes_gpu_targets() {
    build device -DCMAKE_CXX_COMPILER="$prefix/bin/hipcc" "-DGPU_TARGETS=gfx942;sm_80"
    has_images build/program gfx942 sm_80
    images build/program | grep -q gfx90a && fail "an image nobody asked for"
    run build/program
}

# An installation of HIP that clang finds, as it finds ROCm's below /opt and any below /usr.
a_hip_that_clang_finds() {
    mkdir -p rocm/share/hip
    printf 'HIP_VERSION_MAJOR=6\nHIP_VERSION_MINOR=4\nHIP_VERSION_PATCH=0\n' >rocm/share/hip/version
    ROCM_PATH=$PWD/rocm
    export ROCM_PATH
}

test_hip_device_with_plain_clang() {
    a_hip_that_clang_finds
    build device -DCMAKE_CXX_COMPILER="$("$prefix/bin/hipconfig" -l)/clang++" \
        "-DGPU_TARGETS=gfx90a;gfx1100"
    has_images build/program gfx90a gfx1100
    starts build/program
}

test_the_HIP_language_with_the_driver() {
    build lang -DCMAKE_TOOLCHAIN_FILE="$libdir/cmake/anyhip/toolchain.cmake"
    has_images build/program gfx90a gfx1100 sm_70
    run build/program
}

test_the_HIP_language_takes_architectures_of_both_vendors() {
    build lang -DCMAKE_HIP_COMPILER="$prefix/bin/anyhip-clang++" \
        "-DCMAKE_HIP_ARCHITECTURES=gfx1030;sm_75"
    has_images build/program gfx1030 sm_75
}

test_the_HIP_language_needs_one_variable() {
    PATH=$prefix/bin:$PATH
    HIPCXX=anyhip-clang++
    export PATH HIPCXX
    build lang
    has_images build/program gfx90a gfx1100 sm_70
    cmake -S "$here/lang" -B build >configure.log 2>&1 || fail "second configuration"
    cmake --build build >build.log 2>&1 || fail "second build"
    grep -q 'no work to do' build.log || { cat build.log; fail "it builds again"; }
}

test_the_HIP_language_with_plain_clang() {
    a_hip_that_clang_finds
    build lang -DCMAKE_TOOLCHAIN_FILE="$libdir/cmake/anyhip/toolchain.cmake" \
        -DANYHIP_PLAIN_CLANG=ON "-DCMAKE_HIP_ARCHITECTURES=gfx90a;gfx1100"
    has_images build/program gfx90a gfx1100
    starts build/program
}

# configured PROJECT OPTION...: its commands, which nothing runs, in the file commands.
configured() {
    project=$1
    shift
    rm -rf build
    cmake -S "$here/$project" -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "$@" \
        >configure.log 2>&1 || { cat configure.log >&2; fail "configuration"; }
    ninja -C build -t commands >commands
}

compiles_for() {
    for arch in "$@"; do
        grep -q -e "--offload-arch=$arch\( \|\$\)" commands || fail "not compiled for $arch"
    done
}

# What projects write where they do not choose GPUs.
test_the_HIP_language_takes_native_and_all() {
    for archs in native all; do
        configured lang -DCMAKE_TOOLCHAIN_FILE="$libdir/cmake/anyhip/toolchain.cmake" \
            -DCMAKE_HIP_COMPILER_FORCED=ON -DCMAKE_HIP_ARCHITECTURES=$archs
        compiles_for $archs
    done
    configured lang -DCMAKE_TOOLCHAIN_FILE="$libdir/cmake/anyhip/toolchain.cmake" \
        -DCMAKE_HIP_ARCHITECTURES=native
    cmake --build build >build.log 2>&1 || { cat build.log >&2; fail "build"; }
    run build/program
}

test_every_recent_AMD_device_is_the_default_with_plain_clang() {
    clang=$("$prefix/bin/hipconfig" -l)/clang++
    recent="gfx9-generic gfx908 gfx90a gfx9-4-generic gfx10-1-generic gfx10-3-generic"
    recent="$recent gfx11-generic gfx12-generic"
    for targets in "" all; do
        configured device -DCMAKE_CXX_COMPILER="$clang" "-DGPU_TARGETS=$targets"
        # shellcheck disable=SC2086
        compiles_for $recent
        grep -q -e '--offload-arch=all' commands && fail "clang does not know \"all\""
    done
    configured device -DCMAKE_CXX_COMPILER="$clang" -DGPU_TARGETS=gfx942
    [ "$(grep -o -e '--offload-arch=[^ ]*' commands | sort -u)" = --offload-arch=gfx942 ] ||
        fail "GPU_TARGETS does not choose"
    configured device -DCMAKE_CXX_COMPILER="$prefix/bin/hipcc" -DGPU_TARGETS=all
    compiles_for all
    for archs in "" -DCMAKE_HIP_ARCHITECTURES=all; do
        # shellcheck disable=SC2086
        configured lang -DCMAKE_TOOLCHAIN_FILE="$libdir/cmake/anyhip/toolchain.cmake" \
            -DANYHIP_PLAIN_CLANG=ON -DCMAKE_HIP_COMPILER_FORCED=ON $archs
        # shellcheck disable=SC2086
        compiles_for $recent
    done
}

test_the_HIP_language_with_make() {
    generator="Unix Makefiles"
    build lang -DCMAKE_TOOLCHAIN_FILE="$libdir/cmake/anyhip/toolchain.cmake" \
        "-DCMAKE_HIP_ARCHITECTURES=sm_70"
    has_images build/program sm_70
}

test_the_older_functions_build_hip_sources() {
    build legacy -DCMAKE_MODULE_PATH="$libdir/cmake/hip"
    has_images build/program gfx90a sm_70
    run build/program
    run build/plain
}

test_hipcc_builds_and_the_program_finds_its_library() {
    ok "$prefix/bin/hipcc" --offload-arch=gfx90a,sm_70 -I"$here/device" "$here/device/main.cpp" \
        "$here/device/kernel.cpp" -o program
    readelf -d program | grep -q "RUNPATH.*$libdir" || fail "no path to the library"
    ldd program | grep -q "libanyhip.so.0 => $libdir/" || fail "not found by the loader"
    run ./program
}

test_without_a_gpu_or_a_configuration_a_device_is_simulated() {
    ok "$prefix/bin/hipcc" --offload-arch=sm_70 -I"$here/device" "$here/device/main.cpp" \
        "$here/device/kernel.cpp" -o program
    mkdir none
    echo "no library" >none/libcuda.so.1
    cp none/libcuda.so.1 none/libcuda.so
    env -i HOME="$scratch" LD_LIBRARY_PATH="$scratch/none" ./program >out 2>log ||
        { cat log >&2; fail "it did not run"; }
    grep -q '^right$' out || fail "it did not compute"
    grep -q 'on simulated devices (simcuda)' log || { cat log >&2; fail "no warning"; }
    env -i HOME="$scratch" LD_LIBRARY_PATH="$scratch/none" ANYHIP_BACKEND=cuda ./program >out &&
        fail "a device that was refused"
    grep -q '^no device$' out || fail "not for want of a device"
}

# Without an environment: no driver of a vendor, no configuration.
test_the_simulated_device_is_one_that_the_program_has_code_for() {
    ok "$prefix/bin/hipcc" --offload-arch=gfx1100 -I"$here/device" "$here/device/main.cpp" \
        "$here/device/kernel.cpp" -o program
    mkdir none
    for name in libcuda.so.1 libcuda.so libhsa-runtime64.so.1 libhsa-runtime64.so; do
        echo "no library" >none/$name
    done
    env -i HOME="$scratch" LD_LIBRARY_PATH="$scratch/none" ./program >out 2>log || {
        cat out log >&2
        fail "it did not run"
    }
    grep -q '^right$' out || fail "it did not compute"
    [ "$(grep -c 'on simulated devices (simhsa:gfx1100)' log)" -eq 1 ] || {
        cat log >&2
        fail "it does not say once where it runs"
    }
    env -i HOME="$scratch" LD_LIBRARY_PATH="$scratch/none" ANYHIP_BACKEND=simhsa:gfx1100 ./program \
        >out 2>log || fail "not on a device that was asked for"
    [ ! -s log ] || fail "it talks of a device that was asked for"
    env -i HOME="$scratch" LD_LIBRARY_PATH="$scratch/none" ANYHIP_BACKEND=simcuda:sm_80 ./program \
        >out 2>log && fail "code for another vendor ran"
    grep -q 'the binary holds .*gfx1100.*; compile with --offload-arch=sm_80$' log || {
        cat log >&2
        fail "it does not say what to compile for"
    }
}

# simulated CHOSEN ARCHITECTURES: a program for these runs on that simulated device, which is told in
# one line and no other is.
simulated() {
    ok "$prefix/bin/hipcc" "--offload-arch=$2" -I"$here/device" "$here/device/main.cpp" \
        "$here/device/kernel.cpp" -o program
    env -i HOME="$scratch" LD_LIBRARY_PATH="$scratch/none" ./program >out 2>log || {
        cat out log >&2
        fail "a program for $2 did not run"
    }
    grep -q '^right$' out || fail "a program for $2 did not compute"
    [ "$(wc -l <log)" -eq 1 ] && grep -qF "on simulated devices ($1)" log || {
        cat log >&2
        fail "a program for $2 does not say in one line that it runs on $1"
    }
}

test_a_device_is_simulated_for_generic_code() {
    mkdir none
    for name in libcuda.so.1 libcuda.so libhsa-runtime64.so.1 libhsa-runtime64.so; do
        echo "no library" >none/$name
    done
    simulated simhsa:gfx942 gfx9-4-generic
    simulated simhsa:gfx1010 gfx12-generic,gfx10-1-generic,gfx11-generic
    ok "$prefix/bin/hipcc" --offload-arch=gfx12-generic -I"$here/device" \
        "$here/device/main.cpp" "$here/device/kernel.cpp" -o program
    env -i HOME="$scratch" LD_LIBRARY_PATH="$scratch/none" ./program >out 2>log &&
        fail "code that no simulated device runs ran"
    grep -q 'cannot use "gfx12-generic"; .*models gfx900, .*gfx1100' log || {
        cat log >&2
        fail "it does not say what can be simulated"
    }
}

# The commands of docs/hipcc.md, "Clang by itself". Those for both vendors need NVIDIA's ptxas.
test_clang_makes_device_code_by_itself() {
    clang=$("$prefix/bin/hipconfig" --hipclangpath)/clang++
    clc=$(dirname "$(ls /usr/lib/clc/amdgcn-amd-amdhsa.bc /usr/share/clc/amdgcn-amd-amdhsa.bc \
        2>/dev/null | head -n 1)")
    set -- -x hip -O2 -D__HIP_PLATFORM_AMD__=1 -isystem "$prefix/include" -nogpuinc \
        -include hip/device/prelude.h
    examples=$(echo "$prefix"/share/doc/*/examples)
    ok "$clang" "$@" -mprintf-kind=buffered "--hip-device-lib-path=$clc" \
        --hip-device-lib=amdgcn-amd-amdhsa.bc --offload-arch=gfx90a --offload-arch=gfx11-generic \
        -c "$examples/vector_add.hip" -o program.o
    ok "$clang" program.o -L"$libdir" -lanyhip "-Wl,-rpath,$libdir" -o program
    has_images program gfx90a gfx11-generic
    (ANYHIP_BACKEND=simhsa:gfx1100 && export ANYHIP_BACKEND && run ./program) || exit 1
    [ -x /usr/local/cuda/bin/ptxas ] || command -v ptxas >/dev/null || return 0
    ok "$clang" "$@" -nogpulib -no-hip-rt --offload-new-driver \
        --offload-targets=amdgcn-amd-amdhsa,nvptx64-nvidia-cuda -Xarch_amdgcn \
        --offload-arch=gfx90a -Xarch_nvptx64 --offload-arch=sm_80 "$examples/vector_add.hip" \
        -L"$libdir" -lanyhip "-Wl,-rpath,$libdir" -o both
    has_images both gfx90a sm_80
    (ANYHIP_BACKEND=simhsa:gfx90a && export ANYHIP_BACKEND && run ./both) || exit 1
}

test_a_moved_tree_works_from_its_new_place() {
    ok cp -R "$prefix" "a new place"
    libdir="$PWD/a new place/${libdir#"$prefix"/}"
    prefix="$PWD/a new place"
    build lang -DCMAKE_TOOLCHAIN_FILE="$libdir/cmake/anyhip/toolchain.cmake" \
        "-DCMAKE_HIP_ARCHITECTURES=gfx90a;sm_70"
    has_images build/program gfx90a sm_70
    grep -q "$1/" build.log && fail "the old place is used"
    run build/program
}

test_the_names_of_rocm_lead_to_the_library() {
    cat >t.c <<'E'
int hipRuntimeGetVersion(int *);
int main(void) { int v; return hipRuntimeGetVersion(&v); }
E
    ok gcc t.c -L"$libdir/anyhip/rocm" -lamdhip64 -o program
    run ./program
    cat >rtc.c <<'E'
int hiprtcVersion(int *, int *);
int main(void) { int major, minor; return hiprtcVersion(&major, &minor); }
E
    ok gcc rtc.c -L"$libdir/anyhip/rocm" -lhiprtc -o rtc_program
    run ./rtc_program
}

# The installed examples as a project of their own. All are configured; two, for one architecture,
# are built and run. ANYHIP_ALL_EXAMPLES=1: all of them, for all architectures, which takes a minute.
test_the_examples_build_by_themselves_with_hipcc() {
    set -- "$1"/share/doc/*/examples
    [ -e "$1/CMakeLists.txt" ] || fail "no examples are installed"
    export ANYHIP_BACKEND='simcuda*2' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    only='vector_add|run_time_compilation'
    wanted="--target vector_add run_time_compilation"
    architectures=sm_70
    [ -z "${ANYHIP_ALL_EXAMPLES:-}" ] || only=. wanted= architectures=OFF
    cmake -S "$1" -B build -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_HIP_ARCHITECTURES=$architectures >configure.log 2>&1 ||
        { cat configure.log >&2; fail "configuration"; }
    grep -i warning configure.log && fail "a warning while it is configured"
    # shellcheck disable=SC2086
    cmake --build build $wanted >build.log 2>&1 || { cat build.log >&2; fail "build"; }
    grep -i 'warning:' build.log && fail "a warning"
    ok ctest --test-dir build --output-on-failure -R "$only"
}

test_marks_are_logged_under_the_names_of_rocm() {
    cat >t.c <<'E'
#include <rocprofiler-sdk-roctx/roctx.h>
#include <roctracer/roctx.h>
int main(void)
{
    roctxMark("a mark");
    return roctxRangePush("a range") != 0 || roctxRangePop() != 0 || roctx_version_major() != 4;
}
E
    for library in roctx64 rocprofiler-sdk-roctx; do
        ok gcc -I"$prefix/include" t.c -L"$libdir/anyhip/rocm" -l$library -o program
        (AMD_LOG_LEVEL=3 && export AMD_LOG_LEVEL && run ./program) 2>log || fail "$(cat log)"
        grep -q 'roctxMark ( a mark )' log && grep -q 'roctxRangePush ( a range ) level 0' log ||
            fail "the log: $(cat log)"
    done
    readelf --dyn-syms -W "$libdir/libanyhip-roctx.so.0" | grep -q 'roctxMarkA@@ROCTX_4.1' ||
        fail "roctxMarkA has another version than ROCm's"
}

# Loaded under a name of ROCm's, the library lies in another folder than the simulated drivers.
test_under_the_names_of_rocm_there_are_simulated_devices() {
    cat >t.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*count)(int *) = library ? (int (*)(int *))dlsym(library, "hipGetDeviceCount") : NULL;
    int devices = 0;
    if (!count)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    return count(&devices) != 0 || printf("%d\n", devices) < 0;
}
E
    ok gcc t.c -ldl -o program
    libdir=$libdir:$libdir/anyhip/rocm
    for backend in simcuda simhsa:gfx1100; do
        for name in libamdhip64.so.5 libamdhip64.so.7 libhiprtc.so.6; do
            ANYHIP_BACKEND=$backend
            export ANYHIP_BACKEND
            run ./program "$name" >out
            grep -q '^[1-9]' out || fail "$(cat out) devices of $backend through $name"
        done
    done
}

# opened.tsv has them, as the programs' public sources name them.
test_programs_find_the_functions_that_they_open() {
    cat >t.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    char name[64], function[128];
    int rows = 0, wrong = 0;
    for (; scanf("%*s %63s %127s", name, function) == 2; rows++) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library && dlsym(library, function))
            continue;
        fprintf(stderr, "%s\n", dlerror());
        wrong++;
    }
    fprintf(stderr, "%d functions, %d are not there\n", rows, wrong);
    return rows < 100 || wrong;
}
E
    ok gcc t.c -ldl -o program
    tail -n +2 "$here/opened.tsv" >rows
    libdir=$libdir:$libdir/anyhip/rocm
    run ./program <rows
}

test_the_simulated_driver_stands_in_for_nvidias() {
    cat >t.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
    int (*name)(char *, int, int) =
        driver ? (int (*)(char *, int, int))dlsym(driver, "cuDeviceGetName") : NULL;
    char text[64] = "";
    if (!init || !name)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    return init(0) != 0 || name(text, sizeof text, 0) != 0 || puts(text) < 0;
}
E
    ok gcc t.c -ldl -o program
    libdir=$libdir:$libdir/anyhip/drop-in
    run ./program >out
    grep -q '^AnyHIP simulated sm_' out || fail "it is called $(cat out)"
}

command -v "test_$name" >/dev/null || fail "no test $name"
"test_$name" "$1" "$2"
exit 0
