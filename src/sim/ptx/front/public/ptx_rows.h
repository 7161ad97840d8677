/* The instruction table: which spellings there are, what operands they take,
 * and which emitter translates them.
 *
 * A row is one line of a .def file in table/:
 *   ptx_alu_int.def ptx_alu_float.def ptx_alu_half.def ptx_alu_convert.def
 *   (PTX_ROW_ALU: the effect of one lane, in C, stands in the row)
 *   ptx_control.def ptx_memory.def ptx_warp_ops.def
 *   (the other kinds: the row names one of ptx_emitters.def)
 *
 * pattern: what follows the opcode. ".f32" must be there; "{.ftz}" may be;
 * "(.rn|.rz)" one of them must be; "{.rn|.rz}" one of them may be. Modifiers
 * come in this order.
 *
 * operands: one word per operand.
 *   =T      destination register of type T, "_" allowed
 *   T       source of type T: a register of its size, a constant, a special register
 *   T?      may be left out (the last ones only)
 *   ~T =~T  the register may be wider than T (ld, st, cvt)
 *   T* =T*  a vector where the instruction says .v2 or .v4 (.v8), else scalar; also ~T*
 *   =T|pred destination with an optional second destination, a predicate: d|p
 *   []      an address
 *   #       an integer constant
 *   label, name (a function), list (of call arguments), regs (a list of labels or prototype)
 *   (T,T) =(T,T)  a vector operand {a, b} of exactly these: mov packing and the like
 * Types agree when their sizes do and neither says otherwise: .b fits all of its
 * size, integers of either sign fit each other, f fits only f and b. Source: PTX
 * ISA, "Operand Type Checking", "Operand Size Exceeding Instruction-Type Size". */
#ifndef PTX_ROWS_H
#define PTX_ROWS_H

#include "ptx_ir.h"
#include "sim_profile.h"

enum ptx_row_kind {
    PTX_ROW_ALU,
    PTX_ROW_MOV,     /* mov: registers, packing, addresses, special registers */
    PTX_ROW_CONTROL, /* bra brx call ret exit trap brkpt nanosleep ... */
    PTX_ROW_BARRIER, /* bar barrier */
    PTX_ROW_MEMORY,  /* ld ldu st atom red cvta isspacep prefetch fence membar cp.async ... */
    PTX_ROW_WARP,    /* shfl vote match redux activemask bar.warp.sync elect */
    PTX_ROW_MISSING, /* not simulated: the kernel fails when it is executed */
};

/* The function of translate that turns an instruction into ops. */
enum ptx_emitter {
#define PTX_EMITTER(id, ...) PTX_EMIT_##id,
#include "ptx_emitters.def"
#undef PTX_EMITTER
    PTX_EMITTER_COUNT,
};

enum ptx_alu_number {
#define ALU(id, ...) PTX_ALU_##id,
#include "ptx_alu.def"
#undef ALU
    PTX_ALU_COUNT,
};

/* Modifiers that change what an instruction does, as bits of ptx_inst.mods. Types and modifiers
 * that only select a row have none. */
#define PTX_MODIFIERS(X)                                                                           \
    X(RN, "rn")                                                                                    \
    X(RZ, "rz")                                                                                    \
    X(RM, "rm")                                                                                    \
    X(RP, "rp") X(RNA, "rna") X(RNI, "rni") X(RZI, "rzi") X(RMI, "rmi") X(RPI, "rpi")              \
        X(FTZ, "ftz") X(SAT, "sat") X(RELU, "relu") X(NAN, "NaN") X(XORSIGN, "xorsign")            \
            X(APPROX, "approx") X(FULL, "full") X(CC, "cc") X(ABS, "abs") X(UNI, "uni")            \
                X(VOLATILE, "volatile") X(NC, "nc") X(NOFTZ, "noftz") X(V2, "v2") X(V4, "v4")      \
                    X(V8, "v8") X(RELAXED, "relaxed") X(ACQUIRE, "acquire") X(RELEASE, "release")  \
                        X(ACQ_REL, "acq_rel") X(CTA, "cta") X(CLUSTER, "cluster") X(GPU, "gpu")    \
                            X(SYS, "sys") X(SATFINITE, "satfinite") X(WRAP, "wrap")                \
                                X(CLAMP, "clamp") X(SHIFTAMT, "shiftamt")

enum ptx_modifier_number {
#define X(id, name) PTX_MOD_NUMBER_##id,
    PTX_MODIFIERS(X)
#undef X
        PTX_MOD_COUNT,
};
_Static_assert(PTX_MOD_COUNT < 64, "mods is 64 bits, of which the last is taken (PTX_ALU_ANY_NAN)");
#define X(id, name)                                                                                \
    static const uint64_t PTX_MOD_##id __attribute__((unused)) = UINT64_C(1) << PTX_MOD_NUMBER_##id;
PTX_MODIFIERS(X)
#undef X

struct ptx_row {
    const char *opcode;
    const char *pattern;
    const char *operands;
    enum ptx_row_kind kind;
    enum ptx_emitter emitter;
    unsigned version;        /* the PTX version that introduced it, 0: all that are accepted */
    unsigned target;         /* the oldest target that has it, 0: all */
    enum ptx_alu_number alu; /* PTX_ROW_ALU: into the tables of handlers */
    enum sim_class kind_of_alu; /* PTX_ROW_ALU: the class of its table */
};

/* The class of an instruction in profiles. */
enum sim_class ptx_class_of(const struct ptx_inst *inst);

/* The row of an instruction: the first one that matches its opcode, modifiers and kinds of
 * operands; NULL: there is none. *out_mods gets the modifiers' bits. *out_opcode_known: whether the
 * opcode alone exists, for the message. */
const struct ptx_row *ptx_row_find(const struct ptx_inst *inst, uint64_t *out_mods,
                                   bool *out_opcode_known);

/* The row of an instruction of PTX that is not simulated (ptx_missing.def), whose operands are not
 * checked; NULL: it is not such an instruction. */
const struct ptx_row *ptx_row_missing(const struct ptx_inst *inst);
/* Whether the modifiers match the row's pattern. */
bool ptx_row_matches(const struct ptx_row *row, const char *const *modifiers, unsigned count);
/* Writes "add.rn.f32" into out and returns it. */
const char *ptx_inst_spelling(const struct ptx_inst *inst, char *out, size_t size);

/* All rows, for tests; NULL after the last one. */
const struct ptx_row *ptx_row_at(unsigned index);

/* One word of a row's operands, parsed. */
struct ptx_operand_rule {
    enum ptx_type type; /* PTX_NOTYPE for the forms that have none */
    bool destination, optional, wider, vector, second_predicate;
    enum {
        PTX_RULE_VALUE,
        PTX_RULE_ADDRESS,
        PTX_RULE_CONSTANT,
        PTX_RULE_LABEL,
        PTX_RULE_NAME,
        PTX_RULE_LIST,
        PTX_RULE_REGS,
        PTX_RULE_PACK
    } form;
    unsigned pack_count; /* PTX_RULE_PACK: elements, all of type */
};
/* The rule of operand number index. False: the row has no such operand. */
bool ptx_row_operand(const struct ptx_row *row, unsigned index, struct ptx_operand_rule *out_rule);

#endif
