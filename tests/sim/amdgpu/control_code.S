// Kernels of test_control.c. Each leaves results in s16 to s31 and goes to the end of "results",
// which stores them: one work-item, its argument where to.

#ifdef __gfx90a__
#define GFX9 1
#define REGISTERS .amdhsa_accum_offset 12
#else
#define GFX9 0
#define REGISTERS .amdhsa_wavefront_size32 1
#endif

.macro begin name
    .text
    .globl \name
    .p2align 8
    .type \name,@function
\name:
    .irp i, 16, 17, 18, 19, 20, 21, 22, 23
    s_mov_b32 s\i, 0
    .endr
.endm

.macro store
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v0, 0
    .irp i, 16, 17, 18, 19, 20, 21, 22, 23
    v_mov_b32 v1, s\i
    global_store_dword v0, v1, s[4:5] offset:4*(\i-16)
    .endr
    s_waitcnt vmcnt(0)
    s_endpgm
.endm

.macro finish name
.Lend_\name:
    .size \name, .Lend_\name-\name
    .rodata
    .p2align 6
    .amdhsa_kernel \name
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_next_free_vgpr 12
        .amdhsa_next_free_sgpr 96
        REGISTERS
    .end_amdhsa_kernel
    .text
.endm

.macro finish_stored name
    store
    finish \name
.endm

// 1 + 2 + ... + 10, by a branch backwards.
begin loop
    s_movk_i32 s2, 10
.Lloop:
    s_add_u32 s16, s16, s2
    s_sub_u32 s2, s2, 1
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 .Lloop
    finish_stored loop

// A bit of s16 for each branch that is taken, of s17 for each that is not.
.macro try branch, bit
    \branch .Ltaken\@
    s_bitset1_b32 s17, \bit
    s_branch .Lnext\@
    s_bitset1_b32 s18, \bit
.Ltaken\@:
    s_bitset1_b32 s16, \bit
.Lnext\@:
.endm
begin branches
    s_cmp_eq_u32 s16, 0
    try s_cbranch_scc0, 0
    try s_cbranch_scc1, 1
    s_cmp_lg_u32 s18, 0
    try s_cbranch_scc0, 2
    try s_cbranch_scc1, 3
    s_mov_b64 vcc, 0
    try s_cbranch_vccz, 4
    try s_cbranch_vccnz, 5
    s_mov_b64 vcc, 4
    try s_cbranch_vccz, 6
    try s_cbranch_vccnz, 7
    s_mov_b64 s[20:21], exec
    try s_cbranch_execz, 8
    try s_cbranch_execnz, 9
    s_mov_b64 exec, 0
    try s_cbranch_execz, 10
    try s_cbranch_execnz, 11
    s_mov_b64 exec, s[20:21]
    try s_cbranch_cdbgsys, 12
    try s_cbranch_cdbguser, 13
    try s_cbranch_cdbgsys_or_user, 14
    try s_cbranch_cdbgsys_and_user, 15
    try s_branch, 16
    s_mov_b64 s[20:21], 0
    finish_stored branches

// A function that is called by its address and as a neighbour; it calls another.
begin calls
    s_getpc_b64 s[40:41]
.Lhere:
    s_add_u32 s40, s40, (.Ltriple-.Lhere)
    s_addc_u32 s41, s41, 0
    s_movk_i32 s16, 5
    s_swappc_b64 s[42:43], s[40:41]
    s_call_b64 s[42:43], .Ltriple
    s_branch .Ldone_calls
.Ltriple:
    s_mov_b64 s[44:45], s[42:43]
    s_mov_b32 s46, s16
    s_call_b64 s[42:43], .Ladd
    s_call_b64 s[42:43], .Ladd
    s_setpc_b64 s[44:45]
.Ladd:
    s_add_u32 s16, s16, s46
    s_setpc_b64 s[42:43]
.Ldone_calls:
    finish_stored calls

// A function that is somewhere else: its address is the second argument.
begin foreign
    s_load_dwordx2 s[40:41], s[0:1], 0x8
    s_waitcnt lgkmcnt(0)
    s_swappc_b64 s[42:43], s[40:41]
    s_add_u32 s16, s16, 1
    finish_stored foreign

// Branches and instructions over the ends of pages: a loop of three pages, a literal of which each
// half is in another.
begin pages
    s_movk_i32 s2, 3
.Lpages:
    s_add_u32 s16, s16, 1
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 .Lafter_pages
    s_sub_u32 s2, s2, 1
    .p2align 12
    .fill 1023, 4, 0xbf800000
    s_mov_b32 s17, 0x12345678
    s_add_u32 s18, s18, 1
    .fill 1100, 4, 0xbf800000
    s_branch .Lpages
.Lafter_pages:
    finish_stored pages

begin relative
    s_movk_i32 s30, 0x30
    s_movk_i32 s31, 0x31
    s_movk_i32 s32, 0x32
    s_mov_b32 m0, 2
    s_movrels_b32 s16, s30
    s_mov_b32 m0, 1
    s_movrels_b64 s[18:19], s[30:31]
    s_movreld_b32 s19, 0x77
    s_mov_b32 m0, 2
    s_movreld_b64 s[20:21], s[30:31]
    s_mov_b32 m0, 5000
    s_mov_b32 s40, s0
    s_movrels_b32 s17, s30
    s_sub_u32 s17, s17, s40
    s_movreld_b32 s30, -1
    finish_stored relative

// MODE: all of it, a part, and a part written.
begin modes
    s_getreg_b32 s16, hwreg(HW_REG_MODE)
    s_getreg_b32 s17, hwreg(HW_REG_MODE, 4, 4)
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x5
    s_getreg_b32 s18, hwreg(HW_REG_MODE, 0, 8)
    s_movk_i32 s2, 0xa
    s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s2
    s_getreg_b32 s19, hwreg(HW_REG_MODE, 0, 8)
.if GFX9 == 0
    s_round_mode 0x3
    s_denorm_mode 0xc
.else
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xc3
.endif
    s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)
    s_cmp_eq_u32 s3, s3
    s_getreg_b32 s21, hwreg(HW_REG_STATUS, 0, 1)
    finish_stored modes

// What simulated waves need none of: s16 counts, SCC and EXEC stay.
begin hints
    s_mov_b64 s[20:21], exec
    s_cmp_eq_u32 s16, 0
    s_addc_u32 s16, s16, 0
    s_cmp_eq_u32 s17, 0
    s_nop 7
    s_wakeup
    s_icache_inv
    s_incperflevel 3
    s_decperflevel 3
    s_ttracedata
    s_setprio 3
    s_sethalt 0
.if GFX9 == 0
    s_version UC_VERSION_GFX11
    s_waitcnt_vscnt null, 0x0
    s_waitcnt_vmcnt null, 0x3f
    s_waitcnt_expcnt null, 0x1
    s_waitcnt_lgkmcnt null, 0xffff
    s_waitcnt_depctr 0xfffe
    s_wait_idle
    s_wait_event 0x0
    s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
    s_clause 0x1
    s_set_inst_prefetch_distance 0x1
    s_ttracedata_imm 0x7
    s_icache_inv
.endif
    s_addc_u32 s16, s16, 0
    s_xor_b64 s[20:21], s[20:21], exec
    finish_stored hints

// Work-item i of 128 gets what work-item 127 - i, of another wave, left in LDS.
begin meeting
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v0
    v_add_u32 v2, v0, v0
    v_sub_u32 v3, 508, v1
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v4, s[4:5]
    s_waitcnt vmcnt(0)
    s_barrier
    s_endpgm
    finish meeting

// The first wave of each group waits for those of all others.
.macro meet_all resource
    s_cmp_lg_u32 s10, 0
    s_cbranch_scc1 .Lmet\@
    ds_gws_barrier v8 offset:\resource gds
    s_waitcnt lgkmcnt(0)
.Lmet\@:
    s_barrier
.endm

// Arguments: where to, and how many groups there are beside one. In each of three rounds a group
// leaves a number, and takes the one that the group opposite has left.
begin all_meet
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dword s6, s[0:1], 0x8
    s_waitcnt lgkmcnt(0)
    s_mov_b32 m0, 0x50000
    v_mov_b32 v8, s6
    v_and_b32 v0, 0x3ff, v0
    v_readfirstlane_b32 s10, v0
    s_lshl_b32 s9, s2, 2
    v_mov_b32 v2, s9
    s_sub_u32 s11, s6, s2
    s_lshl_b32 s11, s11, 2
    v_mov_b32 v3, s11
    s_add_u32 s12, s6, 1
    s_mov_b32 s7, 0
.Lround:
    s_mul_i32 s8, s7, 0x3e8
    s_add_u32 s8, s8, s2
    v_mov_b32 v1, s8
    global_store_dword v2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    s_barrier
    meet_all 3
    global_load_dword v4, v3, s[4:5] glc
    s_waitcnt vmcnt(0)
    s_add_u32 s7, s7, 1
    s_mul_i32 s13, s12, s7
    s_add_u32 s13, s13, s2
    s_lshl_b32 s13, s13, 2
    v_mov_b32 v5, s13
    global_store_dword v5, v4, s[4:5]
    s_barrier
    meet_all 0
    s_cmp_lg_u32 s7, 3
    s_cbranch_scc1 .Lround
    s_endpgm
    finish all_meet

// As above, but group 1 ends at once.
begin some_meet
    s_load_dword s6, s[0:1], 0x8
    s_waitcnt lgkmcnt(0)
    s_mov_b32 m0, 0
    v_mov_b32 v8, s6
    s_cmp_eq_u32 s2, 1
    s_cbranch_scc1 .Lleave
    ds_gws_barrier v8 offset:3 gds
    s_waitcnt lgkmcnt(0)
.Lleave:
    s_endpgm
    finish some_meet

// One group, whose last wave waits for the first one, as it was said at the beginning: how many
// there are next time is none. It stores what the first one has left in LDS.
begin initialised
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 m0, 0
    v_and_b32 v0, 0x3ff, v0
    v_readfirstlane_b32 s10, v0
    v_mov_b32 v8, 1
    ds_gws_init v8 offset:7 gds
    v_mov_b32 v8, 0
    v_mov_b32 v6, 4
    v_mov_b32 v7, 42
    s_barrier
    s_cmp_lg_u32 s10, 0
    s_cbranch_scc1 .Lwait_for_it
    ds_write_b32 v6, v7
    s_waitcnt lgkmcnt(0)
.Lwait_for_it:
    ds_gws_barrier v8 offset:7 gds
    ds_gws_barrier v8 offset:7 gds
    ds_read_b32 v4, v6
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v4, s[4:5]
    s_endpgm
    finish initialised

#if GFX9
// VGPRs that M0 names: v1 + 2 is v3; 200 registers on is none.
begin indexed
    v_mov_b32 v1, 11
    v_mov_b32 v3, 33
    v_mov_b32 v0, 50
    s_mov_b32 s2, 2
    s_set_gpr_idx_on s2, gpr_idx(SRC0)
    v_mov_b32 v5, v1
    s_set_gpr_idx_mode gpr_idx(DST)
    v_mov_b32 v5, v1
    s_set_gpr_idx_mode gpr_idx(SRC0,DST)
    s_movk_i32 s2, 0xc8
    s_set_gpr_idx_idx s2
    v_mov_b32 v7, v1
    s_set_gpr_idx_mode gpr_idx(SRC0)
    v_mov_b32 v8, v1
    s_set_gpr_idx_off
    v_mov_b32 v6, v1
    v_readfirstlane_b32 s16, v5
    v_readfirstlane_b32 s17, v7
    v_readfirstlane_b32 s18, v8
    v_readfirstlane_b32 s19, v6
    finish_stored indexed
#else
begin relative_both
    s_movk_i32 s30, 0x30
    s_movk_i32 s32, 0x32
    s_mov_b32 m0, 0x10002
    s_movrelsd_2_b32 s16, s30
    s_mov_b32 m0, 0x30000
    s_movrelsd_2_b32 s16, s30
    s_mov_b32 s40, s0
    s_mov_b32 m0, 0x203ff
    s_movrelsd_2_b32 s16, s30
    s_sub_u32 s18, s18, s40
    s_mov_b32 m0, 0x3ff0000
    s_movrelsd_2_b32 s16, s30
    finish_stored relative_both

// Waves of 32 have nobody in EXEC_HI, whatever writes it: a bit of s16 for each time that EXEC
// is empty, and what a load brings to s17.
.macro without_upper bit
    s_mov_b32 exec_lo, 0
    s_cbranch_execnz .Lupper\@
    s_bitset1_b32 s16, \bit
.Lupper\@:
    s_mov_b32 exec_lo, 1
.endm
begin upper_exec
    s_load_b64 s[4:5], s[0:1], 0x0
    v_mov_b32 v0, -1
    v_mov_b32 v1, 0
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 exec_hi, v0
    without_upper 0
    v_readlane_b32 exec_hi, v0, 0
    without_upper 1
    s_getreg_b32 exec_hi, hwreg(HW_REG_MODE)
    without_upper 2
    s_sendmsg_rtn_b32 exec_hi, sendmsg(MSG_RTN_GET_REALTIME)
    s_waitcnt lgkmcnt(0)
    without_upper 3
    s_getpc_b64 exec
    without_upper 4
    s_mov_b32 exec_hi, -1
    without_upper 5
    v_readfirstlane_b32 exec_hi, v0
    global_store_b32 v1, v0, s[4:5]
    s_waitcnt_vscnt null, 0x0
    global_load_b32 v2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s17, v2
    finish_stored upper_exec

begin past
    s_code_end
    finish_stored past

begin clock
    s_sendmsg_rtn_b64 s[16:17], sendmsg(MSG_RTN_GET_REALTIME)
    s_sleep 1
    s_sendmsg_rtn_b64 s[18:19], sendmsg(MSG_RTN_GET_REALTIME)
    s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_REALTIME)
    s_waitcnt lgkmcnt(0)
    s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
    finish_stored clock
#endif

begin messages
    s_sendmsg sendmsg(MSG_INTERRUPT)
    s_sleep 3
    s_sendmsg sendmsg(MSG_INTERRUPT)
    s_setprio 2
    s_trap 3
    s_movk_i32 s16, 1
    finish_stored messages

begin aborts
    s_trap 2
    finish_stored aborts

begin traps
    s_trap 7
    finish_stored traps

// A trap handler 36 bytes after its start: it counts, and tells which trap it was and the doorbell.
begin handled
    s_branch .Lhandled
    s_add_u32 ttmp0, ttmp0, 4
    s_addc_u32 ttmp1, ttmp1, 0
    s_bfe_u32 s16, ttmp1, 0x80010
#if GFX9
    s_mov_b64 ttmp[2:3], exec
    s_sendmsg sendmsg(MSG_GET_DOORBELL)
    s_mov_b32 s17, exec_lo
    s_mov_b64 exec, ttmp[2:3]
#else
    s_sendmsg_rtn_b32 s17, sendmsg(MSG_RTN_GET_DOORBELL)
    s_waitcnt lgkmcnt(0)
#endif
    s_add_u32 s18, s18, 1
    s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12 // SCC as it was
    s_rfe_b64 ttmp[0:1]
.Lhandled:
    s_mov_b32 s19, 1
    s_trap 3
    s_cmp_eq_u32 s19, 1
    s_trap 5
    s_cselect_b32 s20, 7, 8
    finish_stored handled

begin comes_from_nowhere
    s_rfe_b64 s[2:3]
    finish_stored comes_from_nowhere

begin halts
    s_sethalt 1
    finish_stored halts

begin halts_and_tells
    s_sendmsghalt sendmsg(MSG_INTERRUPT)
    finish_stored halts_and_tells

begin unknown
    .long 0xffffffff
    finish_stored unknown

begin no_message
    s_sendmsg 5
    finish_stored no_message

begin no_hwreg
    s_getreg_b32 s16, hwreg(HW_REG_LDS_ALLOC)
    s_getreg_b32 s16, hwreg(51)
    finish_stored no_hwreg

begin too_many
    v_mov_b32 v5, 0
    v_mov_b32 v200, 0
    finish_stored too_many

begin nowhere
    s_mov_b64 s[2:3], 0x7000
    s_setpc_b64 s[2:3]
    finish_stored nowhere

begin crooked
    s_getpc_b64 s[2:3]
    s_add_u32 s2, s2, 2
    s_setpc_b64 s[2:3]
    finish_stored crooked

// Loops endlessly, with a branch that leaves its page.
begin forever
.Lforever:
    .fill 1100, 4, 0xbf800000
    s_branch .Lforever
    finish_stored forever

// Runs off the last page of its memory.
begin falls
    s_nop 0
    finish falls
    .p2align 12
