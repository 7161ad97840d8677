/* Instructions of AMD's GPUs: rows, and decoded instructions.
 *
 * Every instruction is a row of amdgpu_<format>.def: its opcode in each family's encoding, its
 * name, and the types of its operands. The decoder knows formats and rows; handlers (amdgpu_exec.h)
 * are found by the row's id. */
#ifndef AMDGPU_INST_H
#define AMDGPU_INST_H

#include "sim_profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instruction sets; a device has one. */
enum amdgpu_isa {
    AMDGPU_GFX900,
    AMDGPU_GFX906,
    AMDGPU_GFX908,
    AMDGPU_GFX90A,
    AMDGPU_GFX942,
    AMDGPU_GFX1010,
    AMDGPU_GFX1030,
    AMDGPU_GFX1100,
    AMDGPU_ISA_COUNT,
};
/* Families of instruction sets with a common encoding. */
enum amdgpu_family { AMDGPU_GFX9, AMDGPU_GFX10, AMDGPU_GFX11, AMDGPU_FAMILY_COUNT };

static inline enum amdgpu_family amdgpu_family_of(enum amdgpu_isa isa)
{
    return isa < AMDGPU_GFX1010 ? AMDGPU_GFX9 : isa <= AMDGPU_GFX1030 ? AMDGPU_GFX10 : AMDGPU_GFX11;
}

enum amdgpu_format {
    AMDGPU_SOP1,
    AMDGPU_SOP2,
    AMDGPU_SOPK,
    AMDGPU_SOPC,
    AMDGPU_SOPP,
    AMDGPU_SMEM,
    AMDGPU_VOP1,
    AMDGPU_VOP2,
    AMDGPU_VOPC,
    AMDGPU_VOP3, /* rows of VOP1, VOP2 and VOPC have a form here too: the same row */
    AMDGPU_VOP3P,
    AMDGPU_VOPD,
    AMDGPU_DS,
    AMDGPU_FLAT,
    AMDGPU_GLOBAL,
    AMDGPU_SCRATCH,
    AMDGPU_MUBUF,
    AMDGPU_MTBUF,
    AMDGPU_MIMG,
    AMDGPU_EXP, /* only length and format are decoded */
    AMDGPU_FORMAT_COUNT,
};

/* The kinds of operands. The numbers of scalar registers are those of the encoding and also indices
 * into amdgpu_wave.s: 0 to 105 SGPRs, 106 and 107 VCC, 124 and 125 M0 and NULL (gfx9: 124 is M0),
 * 126 and 127 EXEC; on gfx9 also 102 and 103 FLAT_SCRATCH, 104 and 105 XNACK_MASK. */
enum amdgpu_operand_kind {
    AMDGPU_NONE,
    AMDGPU_SREG,  /* number; count consecutive registers */
    AMDGPU_VREG,  /* number: 0 to 255 VGPRs, 256 to 511 AGPRs (accumulation registers) */
    AMDGPU_CONST, /* value: an inline constant, already of the operand's type and width, or a
                     literal */
    AMDGPU_NULL,  /* reads as 0; writes are discarded */
    AMDGPU_SCC,   /* as a source: 0 or 1 */
    AMDGPU_VCCZ,
    AMDGPU_EXECZ,
    AMDGPU_SHARED_BASE, /* apertures, of 64 bits, or their upper half as a 32-bit source */
    AMDGPU_SHARED_LIMIT,
    AMDGPU_PRIVATE_BASE,
    AMDGPU_PRIVATE_LIMIT,
    AMDGPU_LDS_DIRECT,
    AMDGPU_POPS_WAVE_ID,
};

/* The type of an operand's bits, for inline constants, modifiers and printing. */
enum amdgpu_type {
    AMDGPU_B16,
    AMDGPU_B32,
    AMDGPU_B64,
    AMDGPU_B96,
    AMDGPU_B128,
    AMDGPU_B256,
    AMDGPU_B512,
    AMDGPU_B1024,
    AMDGPU_I16,
    AMDGPU_U16,
    AMDGPU_F16,
    AMDGPU_BF16,
    AMDGPU_I32,
    AMDGPU_U32,
    AMDGPU_F32,
    AMDGPU_I64,
    AMDGPU_U64,
    AMDGPU_F64,
    AMDGPU_PK16,  /* two of 16 bits: integers */
    AMDGPU_PKF16, /* two of 16 bits: half precision */
    AMDGPU_PKBF16,
    AMDGPU_PKF32, /* two of 32 bits */
    AMDGPU_MASK,  /* a mask of lanes: 64 bits, 32 in waves of 32 */
    AMDGPU_NOTYPE,
};

struct amdgpu_operand {
    unsigned char kind;  /* enum amdgpu_operand_kind */
    unsigned char type;  /* enum amdgpu_type */
    unsigned char count; /* registers */
    bool literal;        /* AMDGPU_CONST: from a literal, for printing */
    unsigned short reg;
    uint64_t value; /* AMDGPU_CONST; 64-bit floats: literals are the upper half */
};

enum { AMDGPU_SOURCES = 4, AMDGPU_VADDRS = 13 };

struct amdgpu_dpp {
    unsigned short control; /* DPP_CTRL; DPP8 and gfx11's are distinguished by is_dpp8 */
    unsigned char row_mask, bank_mask;
    bool bound_ctrl, fetch_inactive;
    bool is_dpp8;
    uint32_t lanes; /* DPP8: 8 times 3 bits */
};

enum amdgpu_sdwa_select { /* as encoded */
                          AMDGPU_SDWA_BYTE0,
                          AMDGPU_SDWA_BYTE1,
                          AMDGPU_SDWA_BYTE2,
                          AMDGPU_SDWA_BYTE3,
                          AMDGPU_SDWA_WORD0,
                          AMDGPU_SDWA_WORD1,
                          AMDGPU_SDWA_DWORD,
};
struct amdgpu_sdwa {
    unsigned char dst, dst_unused; /* unused: 0 pad with 0, 1 extend the sign, 2 preserve */
    unsigned char src[2];
    bool sext[2];
};

/* A row. */
struct amdgpu_row {
    const char *name;     /* without the suffixes of forms: "v_add_f32" */
    unsigned short id;    /* enum amdgpu_id: the same for all rows with one effect */
    unsigned char format; /* enum amdgpu_format */
    signed short opcode[AMDGPU_FAMILY_COUNT]; /* -1: the family does not have it */
    signed short vop3[AMDGPU_FAMILY_COUNT];   /* of VOP1, VOP2, VOPC: the opcode in VOP3, or -1 */
    unsigned isas;                            /* a bit for each enum amdgpu_isa that has it */
    unsigned char dst[2];                     /* enum amdgpu_type; AMDGPU_NOTYPE: none */
    unsigned char src[AMDGPU_SOURCES];
    unsigned flags; /* enum amdgpu_row_flags */
};

/* A decoded instruction. Fields that its format does not have are zero. */
struct amdgpu_inst {
    const struct amdgpu_row *row;
    const struct amdgpu_row *row_y; /* VOPD: the second component, with dst_y and src_y */
    unsigned char format;           /* as encoded: AMDGPU_VOP3 for a VOP2 row in that form */
    unsigned char length;           /* bytes */
    unsigned char kind;             /* enum sim_class, where launches are profiled */
    struct amdgpu_operand dst[2];   /* [1]: a mask or carry out */
    struct amdgpu_operand src[AMDGPU_SOURCES]; /* as the mnemonic writes them; of memory
                                                  instructions: see below */
    struct amdgpu_operand dst_y, src_y[AMDGPU_SOURCES];
    /* Vector arithmetic. MFMA: neg is BLGP, neg_hi CBSZ, op_sel ABID. */
    unsigned char neg, abs;          /* a bit per source; VOP3P: neg is neg_lo */
    unsigned char neg_hi;            /* VOP3P */
    unsigned char op_sel, op_sel_hi; /* a bit per source; bit 3 of op_sel: the destination. gfx11:
                                        also of VOP1, VOP2 and VOPC, whose 16-bit operands
                                        may be the upper half of a register */
    unsigned char omod;              /* 0, 1 *2, 2 *4, 3 /2 */
    bool clamp;
    bool has_dpp, has_sdwa;
    struct amdgpu_dpp dpp;
    struct amdgpu_sdwa sdwa;
    /* scalar */
    uint32_t literal; /* as it is encoded, for printing */
    int32_t imm;      /* SIMM16 of SOPK and SOPP (sign-extended), branch distances in words;
                         SOP1, SOPC: the last source as encoded, of messages and modes */
    /* Memory: addresses and data are operands, with their kinds and register counts. dst[0] is what
     * is loaded, or what an atomic returns (NONE: it returns nothing); data is what is stored or
     * combined, for compare-and-swap the new value followed by the one to compare with; data1 is
     * the second of DS. saddr NONE or NULL: there is none. SMEM of gfx9: offen says that there is
     * an immediate. */
    struct amdgpu_operand addr;  /* VGPRs of the address; SMEM: base SGPRs */
    struct amdgpu_operand saddr; /* SGPRs of the address; MUBUF: the resource descriptor */
    struct amdgpu_operand data, data1;
    struct amdgpu_operand soffset; /* MUBUF, SMEM */
    int32_t
        offset; /* bytes; signed in the formats that have signed offsets; DS with two: the first */
    unsigned char offset1; /* DS: the second */
    bool glc, slc, dlc, scc, nv, lds, gds, tfe, offen, idxen;
    unsigned char dmask, dfmt, nfmt; /* gfx10 on: dfmt is all of the format */
    /* Images. addr is the first register of the address, and count its number of words (gfx9: the
     * minimum; the descriptor determines it). If the registers are not consecutive, vaddr has their
     * numbers; the words after the last of vaddr_count are in consecutive registers. saddr is the
     * resource, soffset the sampler. */
    bool unorm, a16, d16, r128, lwe, da;
    unsigned char dim; /* enum amdgpu_dim; on gfx9 the descriptor has it */
    unsigned char vaddr_count, vaddr[AMDGPU_VADDRS];
};

enum amdgpu_dim { /* as encoded */
                  AMDGPU_DIM_1D,
                  AMDGPU_DIM_2D,
                  AMDGPU_DIM_3D,
                  AMDGPU_DIM_CUBE,
                  AMDGPU_DIM_1D_ARRAY,
                  AMDGPU_DIM_2D_ARRAY,
                  AMDGPU_DIM_2D_MSAA,
                  AMDGPU_DIM_2D_MSAA_ARRAY,
};

enum amdgpu_row_flags {
    AMDGPU_ROW_CARRY_IN = 1 << 0,    /* VOP2: reads VCC, VOP3: src[2] is the mask */
    AMDGPU_ROW_CARRY_OUT = 1 << 1,   /* VOP2: writes VCC, VOP3: dst[1] is the mask */
    AMDGPU_ROW_COMPARE = 1 << 2,     /* dst is a mask */
    AMDGPU_ROW_EXEC = 1 << 3,        /* v_cmpx: writes EXEC */
    AMDGPU_ROW_ACCUMULATES = 1 << 4, /* reads its destination too: v_fmac, v_mac, v_dot2c */
    AMDGPU_ROW_BRANCH = 1 << 5,
    AMDGPU_ROW_RETURNS = 1 << 6, /* atomics that always return the old value (DS _rtn) */
    AMDGPU_ROW_ATOMIC = 1 << 7,
    AMDGPU_ROW_STORE = 1 << 8,
    AMDGPU_ROW_TWO = 1 << 9, /* DS read2, write2: two elements per lane */
    AMDGPU_ROW_STRIDE64 = 1 << 10,
    AMDGPU_ROW_NO_DST = 1 << 11,
    AMDGPU_ROW_LITERAL = 1 << 12, /* v_madmk and similar instructions: there is always a literal */
    AMDGPU_ROW_NO_VOP3 = 1 << 13, /* VOP1, VOP2, VOPC: no form in VOP3 */
    AMDGPU_ROW_SCALAR_DST = 1 << 14, /* v_readlane, v_readfirstlane */
    AMDGPU_ROW_MATRIX = 1 << 15,     /* MFMA, WMMA, and moves of AGPRs */
    AMDGPU_ROW_BUFFER = 1 << 16,     /* SMEM: the base is a resource descriptor */
    AMDGPU_ROW_NO_ADDRESS = 1 << 17, /* memory: no VGPR has the address */
    AMDGPU_ROW_TO_LDS = 1 << 18,     /* loads from memory to LDS */
    AMDGPU_ROW_OP_SEL = 1 << 19,     /* VOP3 before gfx11: has op_sel */
    /* Formats other than MIMG: what profiles distinguish (amdgpu_class.c). */
    AMDGPU_ROW_SPECIAL = 1 << 20, /* special functions: v_rcp, v_sin and similar instructions */
    AMDGPU_ROW_MOVE = 1 << 21,
    AMDGPU_ROW_LANES = 1 << 22,   /* moves values between lanes */
    AMDGPU_ROW_NARROWS = 1 << 23, /* SOP1, SOP2: a result in EXEC has fewer lanes than before */
    /* MIMG: what the address has, in this order: offset, bias, reference, gradients, coordinates,
     * and last a level or how far levels go. */
    AMDGPU_ROW_SAMPLER = 1 << 20,
    AMDGPU_ROW_GATHER = 1 << 21, /* always gives four */
    AMDGPU_ROW_PICK_OFFSET = 1 << 22,
    AMDGPU_ROW_BIAS = 1 << 23,
    AMDGPU_ROW_COMPARE_DEPTH = 1 << 24,
    AMDGPU_ROW_GRADIENTS = 1 << 25,
    AMDGPU_ROW_GRADIENTS16 = 1 << 26, /* which are halves */
    AMDGPU_ROW_NO_COORDS = 1 << 27,
    AMDGPU_ROW_LOD = 1 << 28,
    AMDGPU_ROW_LOD_CLAMP = 1 << 29,
    AMDGPU_ROW_LEVEL_ZERO = 1 << 30, /* no level is computed */
};

enum amdgpu_decoded {
    AMDGPU_DECODED,
    AMDGPU_UNKNOWN, /* no instruction of this instruction set */
    AMDGPU_CUT_OFF, /* size bytes are not all of it */
};

/* Decodes what is at code; lanes: 64 or 32, the width of masks. */
enum amdgpu_decoded amdgpu_decode(enum amdgpu_isa isa, unsigned lanes, const void *code,
                                  size_t size, struct amdgpu_inst *out_inst);

/* Prints it as LLVM's disassembler does, "v_add_f32_e64 v0, |v1|, s2"; pc: address of
 * the instruction, for branches. */
void amdgpu_print(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst, char *out,
                  size_t out_size);

/* How many words the address of a MIMG instruction has. */
unsigned amdgpu_image_words(enum amdgpu_isa isa, const struct amdgpu_row *row, enum amdgpu_dim dim,
                            bool a16);

/* The class of an instruction in profiles; and whether lanes execute it, or the scalar unit. */
enum sim_class amdgpu_class_of(const struct amdgpu_inst *inst);
static inline bool amdgpu_is_of_lanes(const struct amdgpu_inst *inst)
{
    return inst->row->format >= AMDGPU_VOP1;
}

const char *amdgpu_isa_name(enum amdgpu_isa isa); /* "gfx90a" */
/* Enumerates all rows, for tests; NULL past the last. */
const struct amdgpu_row *amdgpu_row_at(size_t index);

/* One number per effect: the ids of all .def files, named AMDGPU_ID_<name of gfx11, or of
 * gfx9 where gfx11 has no such row>. Rows of two families that do the same under other
 * names (s_load_dword, s_load_b32) share one. */
#include "amdgpu_ids.h"

#endif
