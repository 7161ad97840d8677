// Kernels of test_waits.c: each loads something, and uses it with or without a wait. One work-item,
// its argument the address of some words.

#ifdef __gfx90a__
#define REGISTERS .amdhsa_accum_offset 12
#else
#define REGISTERS .amdhsa_wavefront_size32 1
#endif

// s[4:5]: the address; v0: 0.
.macro begin name
    .text
    .globl \name
    .p2align 8
    .type \name,@function
\name:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32 v0, 0
    s_waitcnt lgkmcnt(0)
.endm

.macro finish name
    s_endpgm
.Lend_\name:
    .size \name, .Lend_\name-\name
    .rodata
    .p2align 6
    .amdhsa_kernel \name
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 12
        .amdhsa_next_free_sgpr 96
        REGISTERS
    .end_amdhsa_kernel
    .text
.endm

begin load_waits
    global_load_dword v1, v0, s[4:5]
    s_waitcnt vmcnt(0)
    v_mov_b32 v2, v1
    finish load_waits

begin load_does_not
    global_load_dword v1, v0, s[4:5]
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, v1
    finish load_does_not

begin first_of_two
    global_load_dword v1, v0, s[4:5]
    global_load_dword v2, v0, s[4:5] offset:4
    s_waitcnt vmcnt(1)
    v_mov_b32 v3, v1
    finish first_of_two

begin second_of_two
    global_load_dword v1, v0, s[4:5]
    global_load_dword v2, v0, s[4:5] offset:4
    s_waitcnt vmcnt(1)
    v_mov_b32 v3, v2
    finish second_of_two

begin overwritten
    global_load_dwordx2 v[2:3], v0, s[4:5]
    v_mov_b32 v3, 0
    finish overwritten

begin stored
    global_load_dword v1, v0, s[4:5]
    global_store_dword v0, v1, s[4:5]
    finish stored

begin loaded_again
    global_load_dword v1, v0, s[4:5]
    global_load_dword v1, v0, s[4:5]
    s_waitcnt vmcnt(0)
    v_mov_b32 v3, v1
    finish loaded_again

// Stores have a counter of their own from gfx10 on.
begin load_and_store
    global_load_dword v1, v0, s[4:5]
    global_store_dword v0, v0, s[4:5]
    s_waitcnt vmcnt(1)
    v_mov_b32 v3, v1
    finish load_and_store

begin scalar_waits
    s_load_dword s6, s[4:5], 0x0
    s_load_dword s7, s[4:5], 0x4
    s_waitcnt lgkmcnt(0)
    s_add_u32 s8, s6, s7
    finish scalar_waits

begin scalar_does_not
    s_load_dword s6, s[4:5], 0x0
    s_waitcnt vmcnt(0)
    s_add_u32 s8, s6, 1
    finish scalar_does_not

// They may come in any order.
begin scalar_waits_for_one
    s_load_dword s6, s[4:5], 0x0
    s_load_dword s7, s[4:5], 0x4
    s_waitcnt lgkmcnt(1)
    s_add_u32 s8, s6, 1
    finish scalar_waits_for_one

begin lds_in_order
    ds_read_b32 v1, v0
    ds_read_b32 v2, v0 offset:4
    s_waitcnt lgkmcnt(1)
    v_mov_b32 v3, v1
    finish lds_in_order

begin lds_does_not
    ds_read_b32 v1, v0
    ds_read_b32 v2, v0 offset:4
    s_waitcnt lgkmcnt(1)
    v_mov_b32 v3, v2
    finish lds_does_not

begin flat_memory
    v_mov_b32 v4, s4
    v_mov_b32 v5, s5
    flat_load_dword v6, v[4:5]
    s_waitcnt vmcnt(0)
    v_mov_b32 v7, v6
    finish flat_memory

begin flat_lds
    s_mov_b64 s[6:7], src_shared_base
    v_mov_b32 v4, 0
    v_mov_b32 v5, s7
    flat_load_dword v6, v[4:5]
    s_waitcnt vmcnt(0)
    v_mov_b32 v7, v6
    finish flat_lds

// A wait in another turn of the loop.
begin around
    s_mov_b32 s6, 3
.Lagain:
    global_load_dword v1, v0, s[4:5]
    s_waitcnt vmcnt(0)
    v_add_u32 v2, v1, v1
    s_sub_u32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 .Lagain
    finish around
