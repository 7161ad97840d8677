/* Makes random programs: instructions of the rows that regions know, between branches that are
 * encoded here. */
#include "random_program.h"

#include "../random_state.h"
#include "amdgpu_alu.h"
#include "amdgpu_exec.h"
#include "amdgpu_memory.h"
#include "encode_random.h"

#include <string.h>

enum {
    ANY_VGPRS = 32, /* that arithmetic and loads may write */
    ANY_SGPRS = 80,
    ADDRESS = 34, /* two VGPRs */
    LANE_COUNT = 36,
    COUNT = 82, /* SGPRs, by depth */
    SAVED = 86, /* two for each depth */
    DEPTH_MAX = 3,
    LITERAL = 255,
    OF_VGPR = 256,  /* sources */
    STATEMENT = 128 /* words that are left for ends of loops */
};

static uint32_t below(struct random_program *p, uint32_t limit)
{
    return random_state_below(&p->state, limit);
}

/* ---- encoding ---------------------------------------------------------------------------- */

static void add(struct random_program *p, uint32_t word)
{
    p->code[p->length++] = word;
}

static uint32_t opcode(const struct random_program *p, unsigned id)
{
    const struct amdgpu_row *row;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++)
        if (row->id == id && row->isas >> p->isa & 1 && row->format != AMDGPU_VOPD)
            return (uint32_t)row->opcode[amdgpu_family_of(p->isa)];
    return 0;
}

static void add_sop1(struct random_program *p, unsigned id, unsigned dst, unsigned src)
{
    add(p, 0x17du << 23 | dst << 16 | opcode(p, id) << 8 | src);
}

static void add_sop2(struct random_program *p, unsigned id, unsigned dst, unsigned a, unsigned b)
{
    add(p, 2u << 30 | opcode(p, id) << 23 | dst << 16 | b << 8 | a);
}

static void add_sopk(struct random_program *p, unsigned id, unsigned dst, int constant)
{
    add(p, 0xbu << 28 | opcode(p, id) << 23 | dst << 16 | (uint16_t)constant);
}

static void add_sopc(struct random_program *p, unsigned id, unsigned a, unsigned b)
{
    add(p, 0x17eu << 23 | opcode(p, id) << 16 | b << 8 | a);
}

static void add_vop1(struct random_program *p, unsigned id, unsigned dst, unsigned src)
{
    add(p, 0x3fu << 25 | dst << 17 | opcode(p, id) << 9 | src);
}

static void add_vop2(struct random_program *p, unsigned id, unsigned dst, unsigned a, unsigned b)
{
    add(p, opcode(p, id) << 25 | dst << 17 | b << 9 | a);
}

static void add_vopc(struct random_program *p, unsigned id, unsigned a, unsigned b)
{
    add(p, 0x3eu << 25 | opcode(p, id) << 17 | b << 9 | a);
}

/* Inline constants of 0 to 64. */
static unsigned constant(unsigned value)
{
    return 128 + value;
}

/* A form of a scalar instruction on masks: of 64 bits, or of 32. */
#define OF_MASK(p, id) ((p)->lanes == 64 ? AMDGPU_ID_##id##_B64 : AMDGPU_ID_##id##_B32)

/* ---- branches ---------------------------------------------------------------------------- */

/* Returns the place of a branch whose target is not known yet. */
static unsigned begin_branch(struct random_program *p, unsigned id)
{
    add(p, 0x17fu << 23 | opcode(p, id) << 16);
    return p->length - 1;
}

static void set_target(struct random_program *p, unsigned branch, unsigned target)
{
    p->code[branch] |= (uint16_t)(target - branch - 1);
}

/* ---- arithmetic -------------------------------------------------------------------------- */

static bool is_arithmetic(const struct amdgpu_row *row)
{
    return row->format == AMDGPU_SOP1 || row->format == AMDGPU_SOP2 || row->format == AMDGPU_SOPK ||
           row->format == AMDGPU_SOPC || row->format == AMDGPU_VOPD ||
           (row->format >= AMDGPU_VOP1 && row->format <= AMDGPU_VOP3P);
}

static bool is_access(const struct amdgpu_row *row)
{
    if (row->format == AMDGPU_SMEM)
        return strncmp(row->name, "s_load", 6) == 0;
    return (row->format == AMDGPU_DS || row->format == AMDGPU_GLOBAL ||
            row->format == AMDGPU_FLAT) &&
           !(row->flags & (AMDGPU_ROW_TO_LDS | AMDGPU_ROW_NO_ADDRESS));
}

/* What ends regions, or registers are known of only when it is executed. */
static bool is_left_out(const struct amdgpu_row *row)
{
    static const char *const names[] = {
        "getpc",   "setpc", "swappc", "call",    "rfe",    "getreg",  "setreg", "gpr_idx", "movrel",
        "sendmsg", "swap",  "gws",    "ordered", "append", "consume", "subvec", "addtid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(row->name, names[i]) && row->format < AMDGPU_FLAT)
            return true;
    return row->flags & (AMDGPU_ROW_BRANCH | AMDGPU_ROW_MATRIX);
}

static const struct amdgpu_row *draw_row(struct random_program *p,
                                         bool (*is_wanted)(const struct amdgpu_row *))
{
    static size_t count;
    while (amdgpu_row_at(count))
        count++;
    for (;;) {
        const struct amdgpu_row *row = amdgpu_row_at(below(p, (uint32_t)count));
        if (row->isas >> p->isa & 1 && is_wanted(row) && !is_left_out(row))
            return row;
    }
}

static bool reads_any(const struct amdgpu_operand *operand)
{
    unsigned end = operand->reg + operand->count;
    if (operand->kind == AMDGPU_VREG)
        return end <= RANDOM_VGPRS;
    return operand->kind != AMDGPU_SREG || end <= 124 || operand->reg == AMDGPU_EXEC;
}

static bool writes_any(const struct amdgpu_operand *operand)
{
    unsigned end = operand->reg + operand->count;
    if (operand->kind == AMDGPU_VREG)
        return end <= ANY_VGPRS;
    if (operand->kind == AMDGPU_SREG)
        return end <= ANY_SGPRS || operand->reg == AMDGPU_VCC || operand->reg == AMDGPU_EXEC;
    return true;
}

static bool is_emitted(const struct random_program *p, const struct amdgpu_inst *inst)
{
    struct amdgpu_op op = {0};
    if (inst->row->format <= AMDGPU_SOPP)
        return amdgpu_emit_scalar(p->isa, p->lanes, inst, &op);
    if (inst->row->format >= AMDGPU_DS || inst->row->format == AMDGPU_SMEM)
        return amdgpu_emit_memory(p->isa, p->lanes, inst, &op);
    return amdgpu_emit_matrix(p->isa, inst, &op) || amdgpu_emit_vector(p->isa, p->lanes, inst, &op);
}

/* Whether a wave can execute it. Sets its length. */
static bool is_usable(const struct random_program *p, const uint32_t *words, unsigned *out_words)
{
    struct amdgpu_inst inst = {0};
    if (amdgpu_decode(p->isa, p->lanes, words, RANDOM_WORDS * sizeof *words, &inst) !=
        AMDGPU_DECODED)
        return false;
    *out_words = inst.length / 4;
    const struct amdgpu_operand *read[] = {
        &inst.src[0],   &inst.src[1], &inst.src[2], &inst.src[3], &inst.src_y[0], &inst.src_y[1],
        &inst.src_y[2], &inst.data,   &inst.data1,  &inst.addr,   &inst.saddr,    &inst.soffset};
    const struct amdgpu_operand *written[] = {&inst.dst[0], &inst.dst[1], &inst.dst_y};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (!reads_any(read[i]))
            return false;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (!writes_any(written[i]))
            return false;
    return is_emitted(p, &inst);
}

static void add_words(struct random_program *p, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        add(p, words[i]);
}

static void add_arithmetic(struct random_program *p)
{
    uint32_t words[RANDOM_WORDS];
    struct random_form form = {.isa = p->isa};
    unsigned count = 0;
    do {
        memset(words, 0, sizeof words);
        form.row = draw_row(p, is_arithmetic);
        form.vop3 = form.row->vop3[amdgpu_family_of(p->isa)] >= 0 && below(p, 2);
        encode_random(&form, &p->state, words);
    } while (!is_usable(p, words, &count));
    add_words(p, words, count);
}

/* ---- accesses ---------------------------------------------------------------------------- */

/* Offsets of one element for all, in a row, in rows of sixteen, or anywhere. They stay below 1 KiB,
 * and those of atomics are multiples of 8. */
static void add_offsets(struct random_program *p, const struct amdgpu_row *row)
{
    bool atomic = row->flags & AMDGPU_ROW_ATOMIC;
    unsigned shift = atomic ? 3 + below(p, 2) : 2 + below(p, 3), any = below(p, ANY_VGPRS);
    switch (below(p, 4)) {
    case 0:
        add_vop1(p, AMDGPU_ID_V_MOV_B32, RANDOM_OFFSET, constant(16 * below(p, 5)));
        break;
    case 1:
        add_vop2(p, AMDGPU_ID_V_LSHLREV_B32, RANDOM_OFFSET, constant(shift), RANDOM_LANE);
        break;
    case 2:
        add_vop2(p, AMDGPU_ID_V_AND_B32, RANDOM_OFFSET, constant(15), RANDOM_LANE);
        add_vop2(p, AMDGPU_ID_V_LSHLREV_B32, RANDOM_OFFSET, constant(shift), RANDOM_OFFSET);
        break;
    default:
        add_vop2(p, AMDGPU_ID_V_AND_B32, RANDOM_OFFSET, LITERAL, any);
        add(p, 0x3f0);
    }
}

/* Offsets of the instruction: multiples of 16 bytes below 512, or of two elements, the first
 * few. */
static uint32_t draw_offset(struct random_program *p, const struct amdgpu_row *row)
{
    if (row->format == AMDGPU_DS && row->flags & AMDGPU_ROW_TWO)
        return below(p, 4) | below(p, 4) << 8;
    return 16 * below(p, row->format == AMDGPU_DS ? 32 : 16);
}

static void set_address(struct random_program *p, const struct amdgpu_row *row, uint32_t *words)
{
    bool late = amdgpu_family_of(p->isa) == AMDGPU_GFX11, has_base = false;
    uint32_t offset = draw_offset(p, row);
    if (row->format == AMDGPU_SMEM) {
        words[0] = (words[0] & ~(63u | 3u << 14 | 3u << 16)) | RANDOM_BASE / 2;
        words[0] |= late ? 0 : 1u << 17;
        words[1] = offset | (late ? 124u << 25 : 0);
        return;
    }
    if (row->format == AMDGPU_DS) {
        words[0] = (words[0] & ~(0xffffu | 1u << (late ? 17 : 16))) | offset;
        words[1] = (words[1] & ~0xffu) | RANDOM_OFFSET;
        return;
    }
    words[0] = (words[0] & ~0x1fffu) | offset;
    if (row->format == AMDGPU_GLOBAL) {
        has_base = below(p, 2);
        words[1] = (words[1] & ~(127u << 16)) | (has_base ? RANDOM_BASE : late ? 124u : 127u) << 16;
    }
    words[1] = (words[1] & ~0xffu) | (has_base ? RANDOM_OFFSET : ADDRESS);
}

static void add_access(struct random_program *p)
{
    uint32_t words[RANDOM_WORDS];
    struct random_form form = {.isa = p->isa};
    unsigned count = 0;
    do {
        memset(words, 0, sizeof words);
        form.row = draw_row(p, is_access);
        encode_random(&form, &p->state, words);
        set_address(p, form.row, words);
    } while (!is_usable(p, words, &count));
    add_offsets(p, form.row);
    add_vop2(p, AMDGPU_ID_V_ADD_NC_U32, ADDRESS, RANDOM_BASE, RANDOM_OFFSET);
    add_vop1(p, AMDGPU_ID_V_MOV_B32, ADDRESS + 1, RANDOM_BASE + 1);
    add_words(p, words, count);
}

/* ---- flow -------------------------------------------------------------------------------- */

static void add_statements(struct random_program *p, unsigned count);

/* Until a scalar counter is 0. */
static void add_loop(struct random_program *p)
{
    unsigned counter = COUNT + p->depth++;
    add_sopk(p, AMDGPU_ID_S_MOVK_I32, counter, 1 + (int)below(p, 6));
    unsigned begin = p->length;
    add_statements(p, 1 + below(p, 6));
    add_sopk(p, AMDGPU_ID_S_ADDK_I32, counter, -1);
    add_sopc(p, AMDGPU_ID_S_CMP_LG_U32, counter, constant(0));
    set_target(p, begin_branch(p, AMDGPU_ID_S_CBRANCH_SCC1), begin);
    p->depth--;
}

/* Which lanes leave one after the other. What it contains may change EXEC: lanes that come back
 * leave at once. */
static void add_loop_of_lanes(struct random_program *p)
{
    unsigned saved = SAVED + 2 * p->depth, counter = LANE_COUNT + p->depth++;
    add_vop2(p, AMDGPU_ID_V_AND_B32, counter, constant(1 + 2 * below(p, 2)), RANDOM_LANE);
    add_sop1(p, OF_MASK(p, S_MOV), saved, AMDGPU_EXEC);
    unsigned begin = p->length;
    add_statements(p, 1 + below(p, 4));
    add_vop2(p, AMDGPU_ID_V_ADD_NC_U32, counter, 193, counter); /* -1 */
    add_vopc(p, AMDGPU_ID_V_CMP_LT_I32, constant(0), counter);
    add_sop2(p, OF_MASK(p, S_AND), AMDGPU_EXEC, AMDGPU_EXEC, AMDGPU_VCC);
    set_target(p, begin_branch(p, AMDGPU_ID_S_CBRANCH_EXECNZ), begin);
    add_sop1(p, OF_MASK(p, S_MOV), AMDGPU_EXEC, saved);
    p->depth--;
}

/* What some lanes execute. */
static void add_part(struct random_program *p)
{
    unsigned saved = SAVED + 2 * p->depth++;
    add_sop1(p, OF_MASK(p, S_AND_SAVEEXEC), saved, below(p, 2) ? AMDGPU_VCC : 2 * below(p, 40));
    unsigned branch = begin_branch(p, AMDGPU_ID_S_CBRANCH_EXECZ);
    add_statements(p, 1 + below(p, 4));
    set_target(p, branch, p->length);
    add_sop1(p, OF_MASK(p, S_MOV), AMDGPU_EXEC, saved);
    p->depth--;
}

static void add_branch(struct random_program *p)
{
    static const unsigned short branches[] = {
        AMDGPU_ID_S_CBRANCH_SCC0,  AMDGPU_ID_S_CBRANCH_SCC1,  AMDGPU_ID_S_CBRANCH_VCCZ,
        AMDGPU_ID_S_CBRANCH_VCCNZ, AMDGPU_ID_S_CBRANCH_EXECZ, AMDGPU_ID_S_CBRANCH_EXECNZ};
    unsigned branch = begin_branch(p, branches[below(p, 6)]);
    p->depth++;
    add_statements(p, 1 + below(p, 4));
    if (below(p, 2)) {
        unsigned end = begin_branch(p, AMDGPU_ID_S_BRANCH);
        set_target(p, branch, p->length);
        add_statements(p, 1 + below(p, 4));
        branch = end;
    }
    set_target(p, branch, p->length);
    p->depth--;
}

static void add_flow(struct random_program *p)
{
    static void (*const kinds[])(struct random_program *) = {add_loop, add_loop_of_lanes, add_part,
                                                             add_branch};
    kinds[below(p, sizeof kinds / sizeof *kinds)](p);
}

static void add_statements(struct random_program *p, unsigned count)
{
    for (unsigned i = 0; i < count && p->length + STATEMENT < p->room; i++) {
        unsigned kind = below(p, 24);
        if (kind == 8)
            begin_branch(p, AMDGPU_ID_S_BARRIER); /* no branch, but encoded as one */
        if (kind < 3 && p->depth < DEPTH_MAX)
            add_flow(p);
        else if (kind < 7)
            add_access(p);
        else if (kind == 7)
            add_sop1(p, OF_MASK(p, S_MOV), AMDGPU_EXEC, 193); /* all lanes */
        else
            add_arithmetic(p);
    }
}

void random_program(struct random_program *program, unsigned statements)
{
    add_statements(program, statements);
    begin_branch(program, AMDGPU_ID_S_ENDPGM); /* no branch, but encoded as one */
}
