/* The interface of alu, arithmetic: one row of ptx_alu.def per instruction, one handler per row and
 * instruction set of the host (ptx_alu.c).
 *
 * alu owns those handlers and the bits that they read in an op. It sees the registers and the mask
 * of struct ptx_warp (ptx_exec.h) and nothing else of exec. Only translate uses its tables, and
 * exec runs the handlers, which take no lock and access only the warp.
 *
 * ptx_emit_alu sets an op for handlers: d is the destination; a, b, c, e are the sources in the
 * order in which they are written; bits is as described below. */
#ifndef PTX_ALU_H
#define PTX_ALU_H

#include "ptx_exec.h"

/* op->bits: an immediate, the comparison, and the slot of a second destination. */
enum {
    PTX_ALU_IMMEDIATE = 0xffff, /* the value of a # operand */
    PTX_ALU_COMPARE_SHIFT =
        16, /* PTX_ALU_LESS and so on: relations for which the comparison is true */
    PTX_ALU_COMBINE_SHIFT = 20, /* enum ptx_alu_combine */
    PTX_ALU_SECOND_SHIFT = 22,  /* 1: there is a second destination */
    PTX_ALU_SECOND_SLOT = 32,   /* its slot */
};
enum { PTX_ALU_LESS = 1, PTX_ALU_EQUAL = 2, PTX_ALU_GREATER = 4, PTX_ALU_UNORDERED = 8 };
/* Of video instructions, in place of an immediate: which types are signed, in the order in which
 * they are written, and whether results are accumulated. */
enum {
    PTX_ALU_VIDEO_SIGNED_D = 1,
    PTX_ALU_VIDEO_SIGNED_A = 2,
    PTX_ALU_VIDEO_SIGNED_B = 4,
    PTX_ALU_VIDEO_ADD = 8,
};
enum ptx_alu_combine { PTX_ALU_ALONE, PTX_ALU_AND, PTX_ALU_OR, PTX_ALU_XOR };

/* Beside the modifiers of op->mods, for handlers that look at them: nobody can tell one NaN of f32
 * from another where the result goes. */
#define PTX_ALU_ANY_NAN (UINT64_C(1) << 63)

/* By instruction set of the host and row: [0] without modifiers that change the arithmetic, [1]
 * with. */
extern const ptx_handler (*const ptx_alu_handlers[SIM_ISA_COUNT])[2];
extern const ptx_handler ptx_alu_handlers_base[PTX_ALU_COUNT][2];
extern const ptx_handler ptx_alu_handlers_avx2[PTX_ALU_COUNT][2];
extern const ptx_handler ptx_alu_handlers_avx512[PTX_ALU_COUNT][2];

/* Whether an instruction with these modifiers uses its row's plain handler. */
bool ptx_alu_is_plain(uint64_t mods);
/* The comparison and the combination that an instruction's modifiers name, as bits
 * of an op. */
uint64_t ptx_alu_modifier_bits(const struct ptx_inst *inst);
/* The types of a video instruction and whether it adds, as bits of an op. */
uint64_t ptx_alu_video_bits(const struct ptx_inst *inst);

#endif
