#!/bin/sh
# The code that functions of the kernel language become: code.sh HIPCC TEST HEADERS. Each test is a
# function test_<sentence> over small kernels, of which it counts instructions in the assembly for
# sm_70, gfx90a and gfx1100. HEADERS is a folder with hip_runtime.h precompiled for each of them,
# with the flags of assembly(); for others and with more flags it is read anew.
set -u

hipcc=$1
name=$2
headers=$3
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# assembly ARCH... [-- FLAG...]: makes ARCH.s of the kernels on standard input. K begins a kernel.
assembly() {
    {
        printf '#include <hip/hip_runtime.h>\n#define K extern "C" __global__ void\n'
        printf '#define I threadIdx.x\ntypedef unsigned long long mask;\n'
        cat
    } >source.hip
    archs=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        archs="$archs $1"
        shift
    done
    [ $# -eq 0 ] || shift
    rm -f ./*.body
    for arch in $archs; do
        flags=$* header=$headers/$arch.pch
        [ -n "$flags" ] || [ ! -e "$header" ] ||
            flags="-Xarch_$arch -include-pch -Xarch_$arch $header"
        # shellcheck disable=SC2086
        "$hipcc" -std=c++17 -O2 -S --offload-device-only "--offload-arch=$arch" $flags source.hip \
            -o "$arch.s" || fail "does not compile for $arch"
        bodies "$arch"
    done
}

# bodies ARCH: makes ARCH.KERNEL.body of each kernel in ARCH.s, in one pass: tests count hundreds of
# instructions.
bodies() {
    awk -v arch="$1" '
        function add(name) { text = $0; sub(/;.*/, "", text); sub(/\/\/.*/, "", text)
            print text >(arch "." name ".body") }
        function end(name) { close(arch "." name ".body"); delete inside[name] }
        arch ~ /^sm_/ && match($0, /\.entry [A-Za-z0-9_]+\(/) {
            inside[substr($0, RSTART + 7, RLENGTH - 8)] = 1
        }
        arch !~ /^sm_/ && $1 ~ /^[A-Za-z0-9_]+:$/ { inside[substr($1, 1, length($1) - 1)] = 1 }
        { for (name in inside) add(name) }
        arch ~ /^sm_/ ? /^}/ : /s_endpgm/ { for (name in inside) end(name) }' "$1.s"
}

# body ARCH KERNEL: its instructions.
body() {
    [ ! -e "$1.$2.body" ] || cat "$1.$2.body"
}

# count ARCH KERNEL PATTERN N: so many of its instructions match.
count() {
    [ -s "$1.$2.body" ] || fail "$1 has no kernel $2"
    got=$(grep -c -E -e "$3" "$1.$2.body")
    [ "$got" -eq "$4" ] && return
    body "$1" "$2" >&2
    fail "$1: $2 has $got of '$3', not $4"
}

none() {
    count "$1" "$2" "$3" 0
}

# implicit KERNEL: the implicit arguments that gfx90a's kernel says it uses.
implicit() {
    awk -v name="$1" '/\.value_kind: +hidden_/ { used = used " " $NF }
        $1 == ".name:" { if ($2 == name) print used " "; used = "" }' gfx90a.s
}

test_kernels_that_print_or_assert_and_no_others_say_so() {
    assembly gfx90a <<'END'
#include <cassert>
__device__ __noinline__ void tell(int x) { printf("%d\n", x); }
K neither(int *p) { p[blockIdx.x * blockDim.x + I] = gridDim.x; }
K prints(int *p) { printf("%d of %d\n", *p, int(blockDim.x)); }
K asserts(int *p) { assert(*p == 0); }
K calls(int *p) { tell(*p); }
END
    for kernel in prints asserts calls; do
        case $(implicit $kernel) in
        *' hidden_hostcall_buffer '*) ;;
        *) fail "$kernel says that it uses:$(implicit $kernel)" ;;
        esac
    done
    case $(implicit neither) in
    *' hidden_hostcall_buffer '*) fail "neither says that it prints" ;;
    *' hidden_group_size_x '*) ;;
    *) fail "nothing is known of neither" ;;
    esac
}

test_functions_are_kept_out_of_line_and_in_line() {
    assembly sm_70 gfx90a <<'END'
__noinline__ __device__ int far_away(int x) { return x * 77; }
__forceinline__ __device__ int close(int x) { return x * 55; }
K calls(int *p) { p[I] = far_away(p[I]); }
K contains(int *p) { p[I] = close(p[I]); }
END
    count sm_70 calls 'call\.uni|call ' 1
    none sm_70 contains 'call\.uni|call '
    count gfx90a calls 's_swappc' 1
    none gfx90a contains 's_swappc'
}

test_coordinates_are_registers() {
    assembly sm_70 gfx90a gfx1100 <<'END'
K where(unsigned *p) { p[0] = threadIdx.x; p[1] = blockIdx.y; p[2] = blockDim.z; p[3] = gridDim.x; }
K old_names(unsigned *p) { p[0] = hipThreadIdx_x + hipBlockIdx_x * hipBlockDim_x; }
END
    for register in '%tid.x' '%ctaid.y' '%ntid.z' '%nctaid.x'; do
        count sm_70 where "mov.u32.*$register" 1
    done
    none sm_70 where 'local|call'
    count sm_70 old_names '%(tid|ctaid|ntid).x' 3
    for arch in gfx90a gfx1100; do
        # sizes are read from the kernel's arguments, ids are in registers
        none $arch where 'scratch|buffer_|s_swappc|v_mul|v_mad'
        none $arch old_names 'scratch|buffer_|s_swappc'
    done
}

test_warpSize_is_folded() {
    assembly sm_70 gfx90a gfx1100 <<'END'
K fold(int *p) { p[0] = warpSize * 3 + 1; }
K unroll(float *p) {
    float v = p[I];
    for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_xor_sync(~0ull, v, d);
    p[I] = v;
}
END
    count sm_70 fold '97' 1
    count gfx90a fold '0xc1|193' 1
    count gfx1100 fold '0x61|97' 1
    count sm_70 unroll 'shfl.sync.bfly' 5
    none sm_70 unroll 'bra'
    count gfx90a unroll 'ds_bpermute|ds_swizzle|dpp' 6
    count gfx1100 unroll 'ds_bpermute|ds_swizzle|dpp' 5
    none gfx90a unroll 's_cbranch'
}

test_fences_and_barriers_are_single_instructions() {
    assembly sm_70 gfx90a gfx1100 <<'END'
K block(int *p) { p[0] = 1; __threadfence_block(); p[1] = 2; }
K device(int *p) { p[0] = 1; __threadfence(); p[1] = 2; }
K everything(int *p) { p[0] = 1; __threadfence_system(); p[1] = 2; }
K barrier(int *p) { p[0] = 1; __syncthreads(); p[1] = 2; }
K warp(int *p) { p[0] = 1; __syncwarp(); p[1] = 2; }
END
    count sm_70 block 'membar.cta|fence.*cta' 1
    count sm_70 device 'membar.gl|fence.*gpu' 1
    count sm_70 everything 'membar.sys|fence.*sys' 1
    count sm_70 barrier 'bar.sync|barrier.sync' 1
    count sm_70 warp 'bar.warp.sync' 1
    for arch in gfx90a gfx1100; do
        count $arch barrier 's_barrier' 1
        none $arch warp 's_barrier'
    done
    count gfx90a everything 'buffer_wbl2|buffer_invl2' 2
    none gfx90a device 'buffer_wbl2'
}

test_fast_functions_are_the_processor_s() {
    assembly sm_70 gfx90a gfx1100 <<'END'
K sine(float *p) { p[I] = __sinf(p[I]); }
K cosine(float *p) { p[I] = __cosf(p[I]); }
K both(float *p) { __sincosf(p[I], p + I, p + 64 + I); }
K tangent(float *p) { p[I] = __tanf(p[I]); }
K power_e(float *p) { p[I] = __expf(p[I]); }
K power_10(float *p) { p[I] = __exp10f(p[I]); }
K log_e(float *p) { p[I] = __logf(p[I]); }
K log_2(float *p) { p[I] = __log2f(p[I]); }
K log_10(float *p) { p[I] = __log10f(p[I]); }
K quotient(float *p) { p[I] = __fdividef(p[I], p[64 + I]); }
END
    count sm_70 sine 'sin.approx' 1
    count sm_70 cosine 'cos.approx' 1
    count sm_70 both '(sin|cos).approx' 2
    count sm_70 tangent '(sin|cos|div).approx' 3
    count sm_70 power_e 'ex2.approx' 1
    count sm_70 power_10 'ex2.approx' 1
    for kernel in log_e log_2 log_10; do count sm_70 $kernel 'lg2.approx' 1; done
    count sm_70 quotient 'div.approx' 1
    for arch in gfx90a gfx1100; do
        count $arch sine 'v_sin_f32' 1
        count $arch cosine 'v_cos_f32' 1
        count $arch both 'v_(sin|cos)_f32' 2
        count $arch tangent 'v_(sin|cos|rcp)_f32' 3
        count $arch power_e 'v_exp_f32' 1
        count $arch power_10 'v_exp_f32' 1
        for kernel in log_e log_2 log_10; do count $arch $kernel 'v_log_f32' 1; done
        count $arch quotient 'v_rcp_f32' 1
        none $arch quotient 'v_div_'
    done
}

# Fast mathematics by flags: each of these functions has a form that is the processor's instruction
# and at most two products, without branches.
fast_by_flag='K sine(float *p) { p[I] = sinf(p[I]); }
K cosine(float *p) { p[I] = cosf(p[I]); }
K both(float *p) { sincosf(p[I], p + I, p + 64 + I); }
K power_e(float *p) { p[I] = expf(p[I]); }
K power_10(float *p) { p[I] = exp10f(p[I]); }
K log_e(float *p) { p[I] = logf(p[I]); }
K log_2(float *p) { p[I] = log2f(p[I]); }
K log_10(float *p) { p[I] = log10f(p[I]); }
K power(float *p) { p[I] = powf(p[I], p[64 + I]); }'

# fast_forms: what the flags have made of these.
fast_forms() {
    count sm_70 sine 'sin.approx' 1
    count sm_70 cosine 'cos.approx' 1
    count sm_70 both '(sin|cos).approx' 2
    for arch in gfx90a gfx1100; do
        count $arch sine 'v_sin_f32' 1
        count $arch cosine 'v_cos_f32' 1
        count $arch both 'v_(sin|cos)_f32' 2
    done
    for kernel in power_e power_10 power; do
        count sm_70 $kernel 'ex2.approx' 1
        none sm_70 $kernel 'fma|bra|cvt\.r'
    done
    for kernel in log_e log_2 log_10 power; do
        count sm_70 $kernel 'lg2.approx' 1
        none sm_70 $kernel 'fma|bra|cvt\.r'
    done
    for arch in gfx90a gfx1100; do
        for kernel in power_e power_10 power; do
            count $arch $kernel 'v_exp_f32' 1
            none $arch $kernel 'v_fma|v_fmac|s_cbranch'
        done
        for kernel in log_e log_2 log_10 power; do
            count $arch $kernel 'v_log_f32' 1
            none $arch $kernel 'v_fma|v_fmac|s_cbranch'
        done
    done
}

test_fast_math_takes_the_processor_s_functions() {
    printf '%s\n' "$fast_by_flag" | assembly sm_70 gfx90a gfx1100 -- -ffast-math
    fast_forms
}

test_approximate_transcendentals_are_the_processor_s_functions() {
    printf '%s\n' "$fast_by_flag" | assembly sm_70 gfx90a gfx1100 -- -fgpu-approx-transcendentals
    fast_forms
}

test_without_flags_functions_are_precise() {
    printf '%s\n' "$fast_by_flag" | assembly sm_70 gfx90a gfx1100
    for kernel in sine cosine both; do
        none sm_70 $kernel '(sin|cos).approx'
        for arch in gfx90a gfx1100; do none $arch $kernel 'v_(sin|cos)_f32'; done
    done
    for kernel in power_e power_10 log_e log_10 power; do
        [ "$(body sm_70 $kernel | grep -c fma.rn)" -ge 2 ] || fail "$kernel is not precise"
    done
}

# The programs say whether subnormal numbers count, and the compiler may neither keep nor lose them
# against that.
test_subnormal_numbers_are_flushed_as_asked() {
    sums='K sum(float *p) { p[I] = p[I] + p[64 + I]; }
K product_and_sum(float *p) { p[I] = __builtin_fmaf(p[I], p[64 + I], p[128 + I]); }
K doubles(double *p) { p[I] = p[I] + p[64 + I]; }'
    printf '%s\n' "$sums" | assembly sm_70 gfx90a gfx1100
    none sm_70 sum 'ftz'
    none sm_70 product_and_sum 'ftz'
    for arch in gfx90a gfx1100; do
        [ "$(grep -c 'amdhsa_float_denorm_mode_32 3' $arch.s)" -eq 3 ] || fail "$arch flushes"
    done
    printf '%s\n' "$sums" | assembly sm_70 gfx90a gfx1100 -- -fgpu-flush-denormals-to-zero
    count sm_70 sum 'add(\.rn)?\.ftz\.f32' 1
    count sm_70 product_and_sum 'fma\.rn\.ftz\.f32' 1
    none sm_70 doubles 'ftz'
    for arch in gfx90a gfx1100; do
        [ "$(grep -c 'amdhsa_float_denorm_mode_32 0' $arch.s)" -eq 3 ] || fail "$arch does not flush"
        [ "$(grep -c 'amdhsa_float_denorm_mode_16_64 3' $arch.s)" -eq 3 ] ||
            fail "$arch flushes doubles"
    done
}

# A rounding is the instruction's on NVIDIA; on AMD the mode is set around one instruction.
test_stated_roundings_are_the_processor_s() {
    source=
    for row in rn:rn rd:rm ru:rp rz:rz; do
        m=${row%:*}
        source="$source
K add_$m(float *p) { p[I] = __fadd_$m(p[I], p[64 + I]); }
K sub_$m(float *p) { p[I] = __fsub_$m(p[I], p[64 + I]); }
K mul_$m(float *p) { p[I] = __fmul_$m(p[I], p[64 + I]); }
K fma_$m(float *p) { p[I] = __fmaf_$m(p[I], p[64 + I], p[128 + I]); }
K div_$m(float *p) { p[I] = __fdiv_$m(p[I], p[64 + I]); }
K rcp_$m(float *p) { p[I] = __frcp_$m(p[I]); }
K sqrt_$m(float *p) { p[I] = __fsqrt_$m(p[I]); }
K add_d_$m(double *p) { p[I] = __dadd_$m(p[I], p[64 + I]); }
K sub_d_$m(double *p) { p[I] = __dsub_$m(p[I], p[64 + I]); }
K mul_d_$m(double *p) { p[I] = __dmul_$m(p[I], p[64 + I]); }
K fma_d_$m(double *p) { p[I] = __fma_$m(p[I], p[64 + I], p[128 + I]); }
K div_d_$m(double *p) { p[I] = __ddiv_$m(p[I], p[64 + I]); }
K rcp_d_$m(double *p) { p[I] = __drcp_$m(p[I]); }
K sqrt_d_$m(double *p) { p[I] = __dsqrt_$m(p[I]); }"
    done
    printf '%s\n' "$source" | assembly sm_70 gfx90a gfx1100
    for row in rn:rn rd:rm ru:rp rz:rz; do
        m=${row%:*} r=${row#*:}
        for f in add mul fma div rcp sqrt; do
            rounding="\\.$r"
            # addition and multiplication to nearest are what they are without a modifier
            case $f$m in addrn | mulrn) rounding="(\\.$r)?" ;; esac
            count sm_70 ${f}_$m "\\b$f$rounding\\.f32" 1
            count sm_70 ${f}_d_$m "\\b$f$rounding\\.f64" 1
        done
        count sm_70 sub_$m "\\b(add|sub)(\\.$r)?\\.f32" 1
        count sm_70 sub_d_$m "\\b(add|sub)(\\.$r)?\\.f64" 1
    done
    for arch in gfx90a gfx1100; do
        for f in add sub mul fma; do
            none $arch ${f}_rn 's_setreg|s_round_mode'
            for m in rd ru rz; do
                count $arch ${f}_$m 's_setreg_imm32_b32|s_round_mode' 2
                count $arch ${f}_d_$m 's_setreg_imm32_b32|s_round_mode' 2
                none $arch ${f}_$m 's_cbranch'
            done
        done
    done
}

# Integers of every size, and exchange and compare-and-swap of what has them; on NVIDIA the
# addition of floats and doubles too. No loop.
test_atomics_are_one_instruction() {
    kernels=
    source=
    for row in int:i unsigned:u 'unsigned long:l' 'unsigned long long:q' 'long long:s'; do
        type=${row%:*} letter=${row#*:}
        for f in Add Sub Min Max Exch And Or Xor; do
            source="$source
K ${f}_$letter($type *p, $type v) { p[64] = atomic$f(p + I, v); }"
            kernels="$kernels ${f}_$letter"
        done
        source="$source
K CAS_$letter($type *p, $type c, $type v) { p[64] = atomicCAS(p + I, c, v); }"
        kernels="$kernels CAS_$letter"
    done
    source="$source
K Inc_u(unsigned *p, unsigned v) { p[64] = atomicInc(p + I, v); }
K Dec_u(unsigned *p, unsigned v) { p[64] = atomicDec(p + I, v); }
K Exch_f(float *p, float v) { p[64] = atomicExch(p + I, v); }
K Exch_d(double *p, double v) { p[64] = atomicExch(p + I, v); }
K CAS_f(float *p, float c, float v) { p[64] = atomicCAS(p + I, c, v); }
K Add_f(float *p, float v) { p[64] = atomicAdd(p + I, v); }
K Add_d(double *p, double v) { p[64] = atomicAdd(p + I, v); }
K nothing_back(unsigned *p) { atomicAdd(p + I, 1u); }"
    kernels="$kernels Inc_u Dec_u Exch_f Exch_d CAS_f"
    printf '%s\n' "$source" | assembly sm_70 gfx90a gfx1100
    for kernel in $kernels Add_f Add_d; do
        count sm_70 "$kernel" 'atom\.' 1
        none sm_70 "$kernel" '\bbra\b'
    done
    for arch in gfx90a gfx1100; do
        for kernel in $kernels; do
            count $arch "$kernel" '_atomic_' 1
            none $arch "$kernel" 's_cbranch'
        done
        count $arch nothing_back '_atomic_' 1
        none $arch nothing_back '_atomic_.* (glc|sc0)'
    done
    count sm_70 nothing_back 'red\.|atom\.' 1
}

# GPUs have instructions that add halves from sm_70 on, and brain floats from sm_90 on.
test_atomic_additions_of_16_bits_are_one_instruction() {
    kernels='#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
K add_h(__half *p, __half v) { p[64] = atomicAdd(p + I, v); }
K add_h2(__half2 *p, __half2 v) { p[64] = atomicAdd(p + I, v); }
K add_b(__hip_bfloat16 *p, __hip_bfloat16 v) { p[64] = atomicAdd(p + I, v); }
K add_b2(__hip_bfloat162 *p, __hip_bfloat162 v) { p[64] = atomicAdd(p + I, v); }'
    printf '%s\n' "$kernels" | assembly sm_70 sm_90
    for arch in sm_70 sm_90; do
        count $arch add_h 'atom\.add\.noftz\.f16 ' 1
        count $arch add_h2 'atom\.add\.noftz\.f16x2 ' 1
    done
    count sm_90 add_b 'atom\.add\.noftz\.bf16 ' 1
    count sm_90 add_b2 'atom\.add\.noftz\.bf16x2 ' 1
    count sm_70 add_b2 'atom.*\.cas\.' 1
}

# Beside them only the loop for NaN compares and swaps.
test_minima_of_floats_are_those_of_integers_on_nvidia() {
    assembly sm_70 <<'END'
K least(float *p, float v) { p[64] = atomicMin(p + I, v); }
K most(double *p, double v) { p[64] = atomicMax_system(p + I, v); }
END
    count sm_70 least '\.min\.s32' 1
    count sm_70 least '\.max\.u32' 1
    count sm_70 most '\.sys\.max\.s64' 1
    count sm_70 most '\.sys\.min\.u64' 1
    count sm_70 least '\.cas\.' 1
}

test_conversions_to_8_bits_and_brain_floats_are_instructions_of_sm_90() {
    assembly sm_90 <<'END'
#include <hip/hip_bf16.h>
#include <hip/hip_fp8.h>
K to_bfloat(__hip_bfloat16 *p, float x) { p[I] = __float2bfloat16(x); }
K to_8_bits(__hip_fp8_e4m3 *p, float x) { p[I] = __hip_fp8_e4m3(x); }
K to_8_bits_fnuz(__hip_fp8x2_e5m2_fnuz *p, float2 x) { p[I] = __hip_fp8x2_e5m2_fnuz(x); }
END
    count sm_90 to_bfloat 'cvt\.rn\.bf16\.f32' 1
    count sm_90 to_8_bits 'cvt\.rn\.satfinite\.e4m3x2\.f32' 1
    count sm_90 to_8_bits_fnuz 'cvt\.rn\.satfinite\.e5m2x2\.f32' 1
}

# With the flag or the unsafe function a float addition is the processor's; the safe one is a loop
# that is right on memory which the instruction is not for. Without the flag the compiler takes the
# instruction where it treats subnormal numbers as requested: for double.
test_unsafe_float_atomics_are_one_instruction() {
    kernels='K add_f(float *p) { atomicAdd(p + I, 1.5f); }
K add_d(double *p) { atomicAdd(p + I, 1.5); }
K unsafe_f(float *p) { unsafeAtomicAdd(p + I, 1.5f); }
K unsafe_d(double *p) { unsafeAtomicAdd(p + I, 1.5); }
K safe_f(float *p) { safeAtomicAdd(p + I, 1.5f); }
K safe_d(double *p) { safeAtomicAdd(p + I, 1.5); }'
    printf '%s\n' "$kernels" | assembly gfx90a gfx1100
    count gfx90a unsafe_f 'atomic_add_f32' 1
    count gfx90a unsafe_d 'atomic_add_f64' 1
    count gfx1100 unsafe_f 'atomic_add_f32' 1
    for kernel in add_f safe_f safe_d; do count gfx90a $kernel 'atomic_cmpswap' 1; done
    printf '%s\n' "$kernels" | assembly gfx90a gfx1100 -- -munsafe-fp-atomics
    count gfx90a add_f 'atomic_add_f32' 1
    count gfx90a add_d 'atomic_add_f64' 1
    count gfx1100 add_f 'atomic_add_f32' 1
    for kernel in safe_f safe_d; do count gfx90a $kernel 'atomic_cmpswap' 1; done
    printf '%s\n' "$kernels" | assembly sm_70
    for kernel in add_f add_d unsafe_f unsafe_d safe_f safe_d; do
        count sm_70 $kernel '(red|atom)\..*add' 1
    done
}

test_votes_are_one_instruction() {
    assembly sm_70 gfx90a gfx1100 <<'END'
K active(mask *p) { p[I] = __activemask(); }
K ballot(mask *p, int *q) { p[I] = __ballot(q[I]); }
K any(int *q) { q[I] = __any(q[I]); }
K all(int *q) { q[I] = __all(q[I]); }
K ballot_of(mask *p, int *q, mask m) { p[I] = __ballot_sync(m, q[I]); }
K ballot_of_all(mask *p, int *q) { p[I] = __ballot_sync(~0ull, q[I]); }
K any_of(int *q, mask m) { q[I] = __any_sync(m, q[I]); }
K all_of(int *q, mask m) { q[I] = __all_sync(m, q[I]); }
END
    count sm_70 active 'activemask' 1
    for kernel in ballot any all ballot_of ballot_of_all any_of all_of; do
        count sm_70 $kernel "vote.sync.${kernel%%_*}" 1
        none sm_70 $kernel '\b(and|or|xor|not)\.b|popc|bra'
    done
    for kernel in ballot_of any_of all_of; do none sm_70 $kernel 'activemask'; done
    for arch in gfx90a gfx1100; do
        for kernel in ballot any all ballot_of ballot_of_all any_of all_of; do
            count $arch $kernel 'v_cmp' 1
            none $arch $kernel 's_cbranch|mbcnt|bcnt'
        done
        for kernel in ballot ballot_of_all any all; do none $arch $kernel '[sv]_and_b'; done
    done
}

# shfl.sync, and ds_bpermute_b32: one for each word that moves, with nothing around them that
# the group does not need.
test_shuffles_are_one_instruction() {
    source=
    for row in int:i unsigned:u float:f; do
        type=${row%:*} letter=${row#*:}
        source="$source
K idx_$letter($type *p, int lane) { p[I] = __shfl(p[I], lane); }
K up_$letter($type *p) { p[I] = __shfl_up(p[I], 1); }
K down_$letter($type *p) { p[I] = __shfl_down(p[I], 1); }
K bfly_$letter($type *p) { p[I] = __shfl_xor(p[I], 1); }
K idx_${letter}_sync($type *p, int lane, mask m) { p[I] = __shfl_sync(m, p[I], lane); }
K up_${letter}_sync($type *p, mask m) { p[I] = __shfl_up_sync(m, p[I], 1); }
K down_${letter}_sync($type *p, mask m) { p[I] = __shfl_down_sync(m, p[I], 1); }
K bfly_${letter}_sync($type *p, mask m) { p[I] = __shfl_xor_sync(m, p[I], 1); }
K bfly_${letter}_sync_16($type *p, mask m) { p[I] = __shfl_xor_sync(m, p[I], 8, 16); }"
    done
    source="$source
K wide(double *p, int lane) { p[I] = __shfl_sync(~0ull, p[I], lane); }
K wide_integer(long long *p) { p[I] = __shfl_down_sync(~0ull, p[I], 1); }"
    printf '%s\n' "$source" | assembly sm_70 gfx90a gfx1100
    for letter in i u f; do
        for pattern in idx up down bfly; do
            for form in "" _sync; do
                kernel=${pattern}_$letter$form
                count sm_70 "$kernel" "shfl.sync.$pattern.b32" 1
                none sm_70 "$kernel" '\b(and|or|xor|not|shl|shr)\.b|popc|bra|selp|setp'
                count sm_70 "$kernel" activemask "$([ "$form" ] && echo 0 || echo 1)"
                for arch in gfx90a gfx1100; do
                    count $arch "$kernel" 'ds_bpermute_b32|_dpp|ds_swizzle' 1
                    none $arch "$kernel" 's_cbranch'
                done
            done
        done
        count sm_70 bfly_${letter}_sync_16 'shfl.sync.bfly.b32.* 8, 4127,' 1
        for arch in gfx90a gfx1100; do
            # a lane's number, what it is exchanged with, four bytes each
            count $arch bfly_$letter 'v_xor' 1
            none $arch bfly_$letter 'v_cmp|v_cndmask|v_and'
            none $arch bfly_${letter}_sync_16 'v_cmp|v_cndmask|v_and'
            none $arch idx_$letter 'v_and|v_or|s_and_b32|mbcnt'
        done
    done
    for kernel in wide wide_integer; do
        count sm_70 $kernel 'shfl.sync' 2
        for arch in gfx90a gfx1100; do count $arch $kernel 'ds_bpermute_b32' 2; done
    done
}

test_reductions_are_one_instruction_from_sm_80() {
    assembly sm_70 sm_80 <<'END'
K add_i(int *p, mask m) { p[I] = __reduce_add_sync(m, p[I]); }
K min_i(int *p, mask m) { p[I] = __reduce_min_sync(m, p[I]); }
K max_u(unsigned *p, mask m) { p[I] = __reduce_max_sync(m, p[I]); }
K and_u(unsigned *p, mask m) { p[I] = __reduce_and_sync(m, p[I]); }
K or_u(unsigned *p, mask m) { p[I] = __reduce_or_sync(m, p[I]); }
K xor_u(unsigned *p, mask m) { p[I] = __reduce_xor_sync(m, p[I]); }
K xor_i(int *p, mask m) { p[I] = __reduce_xor_sync(m, p[I]); }
K whole(unsigned *p) { p[I] = __reduce_add_sync(~0ull, p[I]); }
END
    for kernel in add_i min_i max_u and_u or_u xor_u xor_i whole; do
        count sm_80 $kernel 'redux.sync' 1
        none sm_80 $kernel 'shfl|\bbra\b|^[[:space:]]*(and|or|xor|not)\.b'
    done
    # before, a known mask without holes is five shuffles
    count sm_70 whole 'shfl.sync.bfly' 5
    none sm_70 whole '\bbra\b'
}

test_loops_are_unrolled_as_asked() {
    assembly sm_70 gfx90a <<'END'
K whole(float *p) {
#pragma unroll
    for (int i = 0; i < 16; ++i) p[i * 97] = __expf(p[i * 97]);
}
K never(float *p) {
#pragma unroll 1
    for (int i = 0; i < 16; ++i) p[i * 97] = __expf(p[i * 97]);
}
K four(float *p, int n) {
#pragma unroll 4
    for (int i = 0; i < 4 * n; ++i) p[i * 97] = __expf(p[i * 97]);
}
END
    count sm_70 whole ex2.approx 16
    count sm_70 never ex2.approx 1
    count gfx90a whole v_exp_f32 16
    count gfx90a never v_exp_f32 1
    none gfx90a whole s_cbranch
    for arch in sm_70 gfx90a; do
        [ "$(body $arch four | grep -c -e ex2.approx -e v_exp_f32)" -ge 4 ] ||
            fail "$arch: not unrolled by 4"
    done
}

# Arrays that loops of few steps index are in registers, however much a step does, and loops of unknown
# length load several elements before the first is used. Options for clang come before this.
test_loops_are_unrolled_for_nvidia() {
    kernels='K few(double *p) {
    double a[8];
    for (int i = 0; i < 8; i++) a[i] = p[64 * i + I];
    for (int i = 1; i < 8; i++) { double s, c; sincos(p[i], &s, &c); a[i] = a[i] * c + a[8 - i] * s; }
    for (int i = 0; i < 8; i++) p[64 * i + I] = a[i];
}
K many(float *p, const float4 *q, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) {
        float x = q[i].x - p[0], y = q[i].y - p[1], z = q[i].z - p[2];
        for (int k = 0; k < 3; k++) { x = x * y + z; y = y * z + x; z = z * x + y; }
        sum += q[i].w * rsqrtf(x * x + y * y + z * z);
    }
    p[I] = sum;
}'
    printf '%s\n' "$kernels" | assembly sm_70
    none sm_70 few 'local'
    count sm_70 many 'rsqrt' 5
    printf '%s\n' "$kernels" | assembly sm_70 -- -mllvm -unroll-threshold=300 -mllvm \
        -unroll-partial-threshold=0
    [ "$(body sm_70 few | grep -c local)" -gt 0 ] || fail "the options are not clang's"
    count sm_70 many 'rsqrt' 1
}

# The step of such a loop is known at run time alone.
test_loops_over_a_grid_are_unrolled_for_nvidia() {
    assembly sm_70 <<'END'
K over_grid(float *p, const float *q, int n) {
    float sum = 0;
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + I; i < n; i += step) sum += q[i] * q[i];
    p[I] = sum;
}
END
    [ "$(body sm_70 over_grid | grep -c 'ld.global')" -gt 4 ] || fail "not unrolled"
}

# A division that few threads need is behind a branch.
test_divisions_stay_in_their_branch_on_nvidia() {
    assembly sm_70 <<'END'
K blend(float *p, int n, int k) {
    float b = 1;
    for (; n >= 1; n--) {
        b *= n;
        if (k > 1) { b /= (float)k; k--; }
    }
    p[I] = b;
}
END
    none sm_70 blend 'selp'
    [ "$(body sm_70 blend | grep -c 'div.rn.f32')" -ge 1 ] || fail "no division"
}

# From memory to memory; the alignment of a type decides.
test_copies_of_16_bytes_are_one_access_on_nvidia() {
    kernels='struct alignas(16) pair { double2 a, b; };
struct eights { double x, y; };
K vectors(float4 *p, const float4 *q) {
    __shared__ float4 tile[64];
    tile[I] = q[I];
    __syncthreads();
    p[I] = tile[I ^ 1];
}
K structures(pair *p, const pair *q) { p[I] = q[I]; }
K narrow(eights *p, const eights *q) { p[I] = q[I]; }'
    for level in -O2 -O0; do
        printf '%s\n' "$kernels" | assembly sm_70 -- $level
        for space in ld.global st.shared ld.shared st.global; do
            [ $level = -O0 ] || count sm_70 vectors "$space.*v2.b64" 1
        done
        none sm_70 vectors '(ld|st)\.(global|shared)\.b64'
        none sm_70 narrow 'v2'
    done
    printf '%s\n' "$kernels" | assembly sm_70
    count sm_70 structures 'ld.global.*v2.b64' 2
    count sm_70 structures 'st.global.*v2.b64' 2
    count sm_70 narrow 'ld.global.*b64' 2
    body sm_70 narrow | grep -oE '(ld|st).global' | uniq -c | grep -q '2 st.global' ||
        fail "a load waits for a store"
}

test_arrays_of_a_thread_are_aligned_on_nvidia() {
    assembly sm_70 <<'END'
K indexed(int *p) {
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = p[i];
    p[I] = a[p[16]] + a[p[17]];
}
END
    count sm_70 indexed '.local .align 16 .b8' 1
}

test_inline_assembly_is_in_the_code() {
    assembly sm_70 gfx90a gfx1100 <<'END'
K multiply(float *p, float a) {
#if defined(__NVPTX__)
    asm volatile("fma.rn.f32 %0, %1, %2, %3;" : "=f"(p[I]) : "f"(a), "f"(p[I]), "f"(p[I]));
#elif defined(__HIP_DEVICE_COMPILE__)
    asm volatile("v_fma_f32 %0, %1, %2, %3" : "=v"(p[I]) : "v"(a), "v"(p[I]), "v"(p[I]));
#endif
}
END
    count sm_70 multiply 'fma.rn.f32' 1
    count gfx90a multiply 'v_fma_f32' 1
    count gfx1100 multiply 'v_fma_f32' 1
}

"test_$name"
