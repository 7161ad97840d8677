// Kernels of the tests, for gfx90a. Descriptors come first, 64 bytes each: see kernels.h. Argument:
// where to. s[0:3] the descriptor of scratch, s[4:5] arguments, s[6:7] flat scratch, s8 the group,
// s9 the wave's offset.
    .text
    .p2align 8
.macro descriptor name
    .amdhsa_kernel \name
        .amdhsa_user_sgpr_private_segment_buffer 1
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_user_sgpr_flat_scratch_init 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_private_segment_wavefront_offset 1
        .amdhsa_next_free_vgpr 16
        .amdhsa_next_free_sgpr 40
        .amdhsa_accum_offset 16
    .end_amdhsa_kernel
.endm
    descriptor slices

    .p2align 8
// Of each work-item of groups of two waves 16 bytes: the address of its wave's scratch, what it reads
// through the private aperture of what it wrote by the descriptor, and what is at that address.
slices:
    s_load_dwordx2 s[4:5], s[4:5], 0x0
    s_add_u32 s0, s0, s9
    s_addc_u32 s1, s1, 0
    s_add_u32 s6, s6, s9
    s_addc_u32 s7, s7, 0
    s_mov_b64 s[10:11], src_private_base
    s_lshl_b32 s8, s8, 7
    v_add_u32 v1, s8, v0 // the work-item in the grid
    v_mov_b32 v2, 4
    v_mov_b32 v3, s11
    buffer_store_dword v1, off, s[0:3], 0 offset:4
    s_waitcnt vmcnt(0) lgkmcnt(0)
    flat_load_dword v8, v[2:3]
    v_mov_b32 v6, s6
    v_mov_b32 v7, s7
    v_mov_b32 v4, 4
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_load_dword v9, v4, s[6:7]
    v_lshlrev_b32 v10, 4, v1
    s_waitcnt vmcnt(0)
    global_store_dwordx4 v10, v[6:9], s[4:5]
    s_endpgm
