// Kernels of the tests, for gfx90a. Descriptors come first, 64 bytes each: see kernels.h. Argument:
// the address of the results. s[0:3] the descriptor of scratch, s[4:5] arguments, s[6:7] flat
// scratch, s8 the group, s9 the wave's offset.
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
    descriptor aborts
    descriptor breaks
    descriptor illegal
    descriptor misaligned
    descriptor absent
    descriptor unit
    descriptor global_barrier
    descriptor spins

// Trap handlers, at multiples of 256. TTMP14 and TTMP15: the address of their results.
    .p2align 8
// At 768: reports like AMD's handler, and halts.
reports:
    s_mov_b32 ttmp2, exec_lo
    s_mov_b32 ttmp3, exec_hi
    s_sendmsg sendmsg(MSG_GET_DOORBELL)
    s_and_b32 ttmp4, exec_lo, 0x3ff
    s_mov_b32 exec_lo, ttmp2
    s_mov_b32 exec_hi, ttmp3
    s_getreg_b32 ttmp5, hwreg(HW_REG_TRAPSTS)
    s_store_dwordx2 ttmp[0:1], ttmp[14:15], 0x0
    s_store_dwordx2 ttmp[4:5], ttmp[14:15], 0x8
    s_store_dwordx4 ttmp[8:11], ttmp[14:15], 0x10
    s_getreg_b32 ttmp13, hwreg(HW_REG_STATUS)
    s_store_dwordx2 ttmp[12:13], ttmp[14:15], 0x20
    s_dcache_wb
    s_waitcnt lgkmcnt(0)
    s_or_b32 m0, ttmp4, 1 << 11 // EC_QUEUE_WAVE_TRAP
    s_nop 0
    s_sendmsg sendmsg(MSG_INTERRUPT)
    s_bitset1_b32 ttmp12, 13
    s_setreg_b32 hwreg(HW_REG_IB_STS), ttmp13
    s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
    s_rfe_b64 ttmp[0:1]

    .p2align 8
// Counts in memory, and continues after the instruction.
continues:
    s_mov_b32 ttmp2, 1
    s_atomic_add ttmp2, ttmp[14:15], 0x0 glc
    s_add_u32 ttmp0, ttmp0, 4
    s_addc_u32 ttmp1, ttmp1, 0
    s_waitcnt lgkmcnt(0)
    s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
    s_rfe_b64 ttmp[0:1]

    .p2align 8
// Returns to the instruction that trapped.
returns:
    s_rfe_b64 ttmp[0:1]

    .p2align 8
// Causes a fault itself.
faults:
    s_load_dword ttmp2, ttmp[14:15], 0x0
    s_waitcnt lgkmcnt(0)
    s_rfe_b64 ttmp[0:1]

    .p2align 8
// For drivers without queue exceptions: finds its queue in a table by the number of the doorbell,
// stores to queue_inactive_signal, and sends that signal's interrupt.
stores:
    s_mov_b32 ttmp2, exec_lo
    s_mov_b32 ttmp3, exec_hi
    s_sendmsg sendmsg(MSG_GET_DOORBELL)
    s_and_b32 ttmp4, exec_lo, 0x3ff
    s_mov_b32 exec_lo, ttmp2
    s_mov_b32 exec_hi, ttmp3
    s_lshl_b32 ttmp4, ttmp4, 3
    s_load_dwordx2 ttmp[2:3], ttmp[14:15], ttmp4 glc
    s_waitcnt lgkmcnt(0)
    s_load_dwordx2 ttmp[2:3], ttmp[2:3], 0xc0 glc
    s_mov_b32 ttmp4, 0x80000000
    s_mov_b32 ttmp5, 0
    s_waitcnt lgkmcnt(0)
    s_atomic_swap_x2 ttmp[4:5], ttmp[2:3], 0x8 glc
    s_load_dwordx2 ttmp[6:7], ttmp[2:3], 0x10 glc
    s_load_dword ttmp2, ttmp[2:3], 0x18 glc
    s_waitcnt lgkmcnt(0)
    s_store_dword ttmp2, ttmp[6:7], 0x0 glc
    s_dcache_wb
    s_waitcnt lgkmcnt(0)
    s_mov_b32 m0, 0
    s_nop 0
    s_sendmsg sendmsg(MSG_INTERRUPT)
    s_sethalt 1
    s_rfe_b64 ttmp[0:1]

    .p2align 8
// Stores 16 bytes for each work-item of groups of two waves: the address of its wave's scratch,
// what it reads through the private aperture of what it wrote by the descriptor, and what is at
// that address.
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

// The end of all of the following: stores 7 to the argument's first word.
.macro mark
    s_load_dwordx2 s[4:5], s[4:5], 0x0
    v_mov_b32 v2, 0
    v_mov_b32 v3, 7
    s_waitcnt lgkmcnt(0)
    global_store_dword v2, v3, s[4:5]
    s_endpgm
.endm

    .p2align 8
aborts:
    s_trap 2
    mark

    .p2align 8
breaks:
    s_trap 3
    mark

    .p2align 8
illegal:
    .long 0xbfff0000
    mark

    .p2align 8
misaligned:
    v_mov_b32 v2, 2
    v_mov_b32 v3, 0
    s_load_dwordx2 s[10:11], s[4:5], 0x0
    s_waitcnt lgkmcnt(0)
    global_atomic_add v2, v3, s[10:11]
    mark

// Stores one dword of 4 for each group: the compute unit on which it runs.
    .p2align 8
unit:
    s_load_dwordx2 s[4:5], s[4:5], 0x0
    s_getreg_b32 s10, hwreg(HW_REG_HW_ID, 8, 4)
    s_getreg_b32 s11, hwreg(HW_REG_HW_ID, 13, 3)
    s_lshl_b32 s11, s11, 4
    s_or_b32 s10, s10, s11
    s_lshl_b32 s8, s8, 4
    v_mov_b32 v2, s8
    v_mov_b32 v3, s10
    s_waitcnt lgkmcnt(0)
    global_store_dword v2, v3, s[4:5]
    s_endpgm

    .p2align 8
// Adds 1 to the argument's first word, waits for all 8 waves of the grid, and stores the first word
// to a word of its group's.
global_barrier:
    s_load_dwordx2 s[4:5], s[4:5], 0x0
    v_mov_b32 v8, 7
    v_mov_b32 v2, 0
    v_mov_b32 v3, 1
    s_mov_b64 exec, 1
    s_mov_b32 m0, 0
    s_waitcnt lgkmcnt(0)
    global_atomic_add v2, v3, s[4:5]
    s_waitcnt vmcnt(0)
    ds_gws_barrier v8 offset:0 gds
    s_waitcnt lgkmcnt(0)
    global_load_dword v4, v2, s[4:5] glc
    s_lshl_b32 s8, s8, 2
    v_mov_b32 v5, s8
    s_waitcnt vmcnt(0)
    global_store_dword v5, v4, s[4:5] offset:64
    s_endpgm

    .p2align 8
spins:
    s_branch spins

    .p2align 8
absent:
    v_mov_b32 v2, 64
    v_mov_b32 v3, 0
    global_store_dword v[2:3], v3, off
    mark
