// Kernels of test_profile.c, for groups of 64 work-items; their argument is the address of 64 KiB.

#if defined(__gfx900__) || defined(__gfx90a__) || defined(__gfx942__)
#define NARROW s_and_saveexec_b64 s[8:9], vcc
#define RESTORE s_or_b64 exec, exec, s[8:9]
#define VCC vcc
#else
#define NARROW s_and_saveexec_b32 s8, vcc_lo
#define RESTORE s_or_b32 exec_lo, exec_lo, s8
#define VCC vcc_lo
#endif
#if defined(__gfx90a__) || defined(__gfx942__)
#define REGISTERS .amdhsa_accum_offset 12
#elif defined(__gfx900__)
#define REGISTERS
#else
#define REGISTERS .amdhsa_wavefront_size32 1
#endif

// s[4:5]: the address; v0: the work-item; v1: its number times 2 to the power of shift. Of the
// scalar unit and of control an instruction each, and two of integers.
.macro begin name shift
    .text
    .globl \name
    .p2align 8
    .type \name,@function
\name:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, \shift, v0
    s_waitcnt lgkmcnt(0)
.endm

.macro finish name
    s_endpgm
.Lend_\name:
    .size \name, .Lend_\name-\name
    .rodata
    .p2align 6
    .amdhsa_kernel \name
        .amdhsa_group_segment_fixed_size 16384
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 12
        .amdhsa_next_free_sgpr 32
        REGISTERS
    .end_amdhsa_kernel
    .text
.endm

begin row 2
    global_load_dword v2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[4:5]
    finish row

begin wide_row 4
    global_load_dwordx4 v[4:7], v1, s[4:5]
    finish wide_row

begin stride 6
    global_load_dword v2, v1, s[4:5]
    finish stride

begin same 0
    v_mov_b32 v1, 0
    global_load_dword v2, v1, s[4:5]
    global_atomic_add v1, v0, s[4:5]
    finish same

.macro bank_kernel name shift
    begin \name \shift
    ds_read_b32 v2, v1
    ds_write_b32 v1, v0
    finish \name
.endm
bank_kernel banks_1, 2
bank_kernel banks_2, 3
bank_kernel banks_4, 4
bank_kernel banks_32, 7

begin broadcast 0
    v_mov_b32 v1, 0
    ds_read_b32 v2, v1
    ds_add_u32 v1, v0
    finish broadcast

begin wide_banks 3
    ds_read_b64 v[2:3], v1
    finish wide_banks

begin two_elements 3
    ds_read2_b32 v[2:3], v1 offset0:0 offset1:1
    finish two_elements

begin generic 2
    s_mov_b64 s[10:11], src_shared_base
    v_mov_b32 v2, s11
    v_mov_b32 v3, v2
    v_mov_b32 v2, v1
    flat_load_dword v4, v[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    finish generic

begin branch 2
    v_cmp_gt_u32 VCC, 10, v0
    NARROW
    s_cbranch_execz .Lskip
    v_add_f32 v2, v1, v1
.Lskip:
    RESTORE
    v_add_f64 v[4:5], v[4:5], v[4:5]
    finish branch

begin loop 2
    s_mov_b32 s8, 0
.Lloop:
    v_add_f32 v2, v1, v1
    s_add_u32 s8, s8, 1
    s_cmp_lt_u32 s8, 10
    s_cbranch_scc1 .Lloop
    finish loop

begin classes 2
    v_mov_b32 v2, v0
    v_add_f16 v2, v2, v2
    v_rcp_f32 v3, v2
    v_sqrt_f64 v[4:5], v[4:5]
    v_cvt_f32_u32 v3, v2
    v_cvt_f64_f32 v[4:5], v3
    v_cmp_lt_f32 VCC, v2, v3
    v_cndmask_b32 v6, v2, v3, VCC
    v_fma_f32 v6, v2, v3, v6
    v_mul_lo_u32 v6, v2, v3
    v_readlane_b32 s8, v2, 0
    v_mov_b32_dpp v7, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
    ds_bpermute_b32 v7, v1, v2
    s_mul_i32 s8, s8, s8
    s_barrier
    finish classes
