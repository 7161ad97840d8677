#!/bin/sh
# What the compiler says about kernels: rules.sh HIPCC TEST HEADERS. Each test is a function
# test_<sentence> over small sources, which are compiled for a device of each kind. HEADERS is a
# folder with hip_runtime.h precompiled for them and for the host, with the flags of check() and
# assembly(); with other flags it is read anew.
set -u

hipcc=$1
name=$2
headers=$3
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
archs=sm_70,gfx90a

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# given: what is on standard input, after the header, becomes source.hip.
given() {
    { printf '#include <hip/hip_runtime.h>\n'; cat; } >source.hip
}

# precompiled PASS...: the flags that take the header precompiled.
precompiled() {
    for pass in "$@"; do
        printf ' -Xarch_%s -include-pch -Xarch_%s %s' "$pass" "$pass" "$headers/$pass.pch"
    done
}

# Compiles device code and host code without making either.
check() {
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $(precompiled sm_70 gfx90a host)
    "$hipcc" -std=c++17 -O2 -fsyntax-only --offload-arch=$archs "$@" source.hip 2>errors
}

compiles() {
    check "$@" || { cat errors >&2; fail "does not compile: $(cat source.hip)"; }
}

# refused WORDS: an error that says so.
refused() {
    check && fail "compiles: $(cat source.hip)"
    grep -q -e "$1" errors || { cat errors >&2; fail "the error does not say: $1"; }
}

# One for each instruction set, from source.hip.
assembly() {
    for arch in sm_70 gfx90a gfx1100; do
        # shellcheck disable=SC2046
        "$hipcc" -std=c++17 -O2 -S --offload-device-only --offload-arch=$arch \
            $(precompiled $arch) source.hip -o $arch.s || fail "does not compile for $arch"
    done
}

has() {
    grep -q -e "$2" "$1.s" || { cat "$1.s" >&2; fail "$1 has no $2"; }
}

test_a_kernel_returns_void() {
    given <<'END'
__global__ int k() { return 1; }
END
    refused 'void return type'
}

test_host_and_global_do_not_combine() {
    given <<'END'
__host__ __global__ void k() {}
END
    refused 'not compatible'
}

test_host_functions_are_not_called_from_device_code() {
    given <<'END'
int host_only(int);
__global__ void k(int *p) { *p = host_only(1); }
END
    refused 'call to __host__ function'
    given <<'END'
__device__ int device_only(int x) { return x; }
int main() { return device_only(1); }
END
    refused 'device_only'
}

test_a_kernel_is_not_called_from_the_device() {
    given <<'END'
__global__ void child() {}
__global__ void k() { child<<<1, 1>>>(); }
END
    refused 'device-side kernel call'
}

# The declaration is taken; there is nothing that reads the arguments.
test_variable_arguments_are_the_caller_s_mistake() {
    given <<'END'
__global__ void k(int, ...) {}
END
    compiles
}

# Both are pointers into memory of the host, which the compiler does not know.
test_a_kernel_takes_no_list_of_arguments() {
    given <<'END'
#include <initializer_list>
__global__ void k(std::initializer_list<int> l, int *p) { *p = *l.begin(); }
int main() { k<<<1, 1>>>({1, 2}, nullptr); }
END
    compiles
}

test_a_reference_parameter_is_the_caller_s_mistake() {
    given <<'END'
__global__ void k(int &x) { x = 1; }
END
    compiles
}

# It has another size on the device, which the compiler does not say.
test_a_long_double_is_the_caller_s_mistake() {
    given <<'END'
__global__ void k(long double x, double *p) { *p = x; }
END
    compiles
}

test_one_pack_of_parameters_comes_last() {
    given <<'END'
template <typename T, typename... A> __global__ void k(T *p, A... a) { *p = (a + ...); }
int main() { k<<<1, 1>>>((int *)nullptr, 1, 2.0, 'c'); }
END
    compiles
}

test_exceptions_and_type_information_are_refused() {
    given <<'END'
__global__ void k() { throw 1; }
END
    refused "cannot use 'throw'"
    given <<'END'
__global__ void k() { try { } catch (...) { } }
END
    refused "cannot use 'try'"
}

test_narrow_masks_are_refused() {
    archs=gfx90a # the same header on each
    set -- '__ballot_sync(0xffffffffu, 1)' '__any_sync(0xffffffffu, 1)' \
        '__all_sync(0xffffffff, 1)' '__shfl_sync(0xffffffffu, 1, 0)' \
        '__shfl_up_sync(0xffffffffu, 1, 1)' '__shfl_down_sync(0xffffffffu, 1, 1)' \
        '__shfl_xor_sync(0xffffffffu, 1, 1)' '__match_any_sync(0xffffffffu, 1)' \
        '__match_all_sync(0xffffffffu, 1, p)' '__reduce_add_sync(0xffffffffu, 1)' \
        '__reduce_or_sync(0xffffffffu, 1u)'
    for call in "$@"; do
        printf '__global__ void k(int *p) { *p = %s; }\n' "$call" | given
        # shellcheck disable=SC2046
        check --offload-device-only $(precompiled gfx90a) && fail "compiles: $call"
        grep -q 'a warp mask is a 64-bit integer' errors || { cat errors >&2; fail "$call"; }
    done
    for call in "$@"; do
        printf '__device__ int f%s(int *p) { return %s; }\n' "$((n = ${n:-0} + 1))" "$call"
    done | sed 's/0xffffffffu*/0xffffffffull/' | given
    compiles
}

test_the_sync_functions_are_there_by_default() {
    given <<'END'
__global__ void k(int *p) { *p = __shfl_sync(~0ull, *p, 0) + __all_sync(~0ull, 1); }
END
    compiles
    compiles -DHIP_ENABLE_WARP_SYNC_BUILTINS
    check -DHIP_DISABLE_WARP_SYNC_BUILTINS && fail 'HIP_DISABLE_WARP_SYNC_BUILTINS does nothing'
    return 0
}

# What the documents say of both parameters, in the words of each target: PTX counts blocks where
# HIP counts warps, 8 * 32 / 128.
test_launch_bounds_reach_the_code() {
    given <<'END'
extern "C" __global__ void __launch_bounds__(96) one(int *p) { *p = 1; }
extern "C" __global__ void __launch_bounds__(128, 8) two(int *p) { *p = 2; }
END
    assembly
    has sm_70 'maxntid 96'
    has sm_70 'maxntid 128'
    has sm_70 'minnctapersm 2'
    has gfx90a 'max_flat_workgroup_size: 96'
    has gfx90a 'max_flat_workgroup_size: 128'
    has gfx1100 'max_flat_workgroup_size: 128'
    # waves for each unit limit the registers of a kernel that would like more
    given <<'END'
template <int n> __device__ void work(float *p) {
    float v[n];
    for (int i = 0; i < n; ++i) v[i] = p[i * 64 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < n; ++i) p[i * 64 + threadIdx.x] = v[n - 1 - i] * v[i / 2];
}
extern "C" __global__ void __launch_bounds__(64) roomy(float *p) { work<150>(p); }
extern "C" __global__ void __launch_bounds__(64, 8) tight(float *p) { work<150>(p); }
END
    assembly
    roomy=$(sed -n 's/.*roomy.num_vgpr, //p' gfx90a.s | head -n 1)
    tight=$(sed -n 's/.*tight.num_vgpr, //p' gfx90a.s | head -n 1)
    [ "${roomy:-0}" -gt "${tight:-0}" ] && [ "${tight:-999}" -le 64 ] ||
        fail "registers: $roomy, with 8 waves for each unit $tight"
}

# At AMD_LOG_LEVEL=1: the kernel, the block that was requested, and the bound.
test_a_launch_beyond_its_bounds_is_logged() {
    given <<'END'
extern "C" __global__ void __launch_bounds__(64) narrow_kernel(int *p) { *p = 1; }
int main() {
    narrow_kernel<<<1, dim3(10, 7)>>>(nullptr);
    return hipGetLastError() == hipSuccess;
}
END
    "$hipcc" -O1 --offload-arch=$archs,gfx1100 source.hip -o program || fail 'does not compile'
    for device in simcuda simhsa:gfx90a simhsa:gfx1100; do
        AMD_LOG_LEVEL=1 ANYHIP_BACKEND=$device ./program 2>log || fail "$device: the launch succeeded"
        for word in narrow_kernel 64 '10'; do
            grep -q -e "$word" log || { cat log >&2; fail "$device: the log does not say $word"; }
        done
    done
}

"test_$name"
