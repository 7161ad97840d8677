// Kernels of test_stack.c, which find scratch by its resource descriptor. Argument: where to.
// s[0:3] the descriptor, s[4:5] arguments, s6 the group, s7 the wave's offset.

.macro begin name
    .text
    .globl \name
    .p2align 8
    .type \name,@function
\name:
    s_load_dwordx2 s[4:5], s[4:5], 0x0
    s_add_u32 s0, s0, s7
    s_addc_u32 s1, s1, 0
    s_and_b32 s9, s1, 0xffff // s[8:9]: the address of the wave's scratch
    s_mov_b32 s8, s0
    s_waitcnt lgkmcnt(0)
.endm

.macro finish name
    s_endpgm
.Lend_\name:
    .size \name, .Lend_\name-\name
    .rodata
    .p2align 6
    .amdhsa_kernel \name
        .amdhsa_user_sgpr_private_segment_buffer 1
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_private_segment_wavefront_offset 1
        .amdhsa_private_segment_fixed_size 100
        .amdhsa_next_free_vgpr 12
        .amdhsa_next_free_sgpr 32
#ifdef __gfx90a__
        .amdhsa_accum_offset 12
#endif
    .end_amdhsa_kernel
    .text
.endm

// Of each work-item of two waves, 16 bytes: the wave's address, and what was read of what it
// wrote: by the private aperture what it wrote by the descriptor, and what it wrote to the address.
begin ways
    s_mov_b64 s[10:11], src_private_base
    v_mov_b32 v2, 4
    v_mov_b32 v3, s11
    buffer_store_dword v0, off, s[0:3], 0 offset:4
    s_waitcnt vmcnt(0)
    flat_load_dword v8, v[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_lshlrev_b32 v4, 2, v0
    v_and_b32 v4, 0xfc, v4 // 4 bytes for each lane
    v_add_u32 v5, 1, v0
    global_store_dword v4, v5, s[8:9] offset:512
    s_waitcnt vmcnt(0)
    global_load_dword v9, v4, s[8:9] offset:512
    v_mov_b32 v6, s8
    v_mov_b32 v7, s9
    s_lshl_b32 s6, s6, 7
    v_add_u32 v10, s6, v0
    v_lshlrev_b32 v10, 4, v10
    s_waitcnt vmcnt(0)
    global_store_dwordx4 v10, v[6:9], s[4:5]
finish ways

// Writes a dword after the scratch of a group of one wave.
begin beyond
    v_mov_b32 v2, 64 * 112
    global_store_dword v2, v0, s[8:9] offset:-4
    global_store_dword v2, v0, s[8:9]
finish beyond
