/* Decodes bytes to instructions: formats, operands, and the words that follow. amdgpu_rows.c has
 * the opcodes. */
#include "amdgpu_rows.h"

#include <string.h>

enum { MAX_WORDS = 5 };
enum {
    SOURCE_SDWA = 249,
    SOURCE_DPP = 250,
    SOURCE_DPP8 = 233,
    SOURCE_DPP8_FI,
    SOURCE_LITERAL = 255
};

/* The state of the decoder. */
struct code {
    enum amdgpu_isa isa;
    enum amdgpu_family family;
    unsigned lanes;
    uint32_t words[MAX_WORDS];
    unsigned available; /* words */
    unsigned used;
    bool cut;         /* words beyond the end of the code are needed */
    bool unknown;     /* a field has an invalid value */
    bool no_literal;  /* a literal is not allowed here */
    unsigned literal; /* index of the word; 0: not read yet */
    struct amdgpu_inst *inst;
};

static uint32_t word_at(struct code *code, unsigned index)
{
    if (index >= code->available) {
        code->cut = true;
        return 0;
    }
    if (index >= code->used)
        code->used = index + 1;
    return code->words[index];
}

static unsigned field(uint32_t word, unsigned from, unsigned bits)
{
    return word >> from & ((1u << bits) - 1);
}

static bool flag(uint32_t word, unsigned bit)
{
    return word >> bit & 1;
}

static int32_t extended(unsigned value, unsigned bits)
{
    return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* ---- operands --------------------------------------------------------------------------- */

static unsigned registers_of(const struct code *code, enum amdgpu_type type)
{
    static const unsigned char registers[] = {
        [AMDGPU_B16] = 1,    [AMDGPU_B32] = 1,   [AMDGPU_B64] = 2,   [AMDGPU_B96] = 3,
        [AMDGPU_B128] = 4,   [AMDGPU_B256] = 8,  [AMDGPU_B512] = 16, [AMDGPU_B1024] = 32,
        [AMDGPU_I16] = 1,    [AMDGPU_U16] = 1,   [AMDGPU_F16] = 1,   [AMDGPU_BF16] = 1,
        [AMDGPU_I32] = 1,    [AMDGPU_U32] = 1,   [AMDGPU_F32] = 1,   [AMDGPU_I64] = 2,
        [AMDGPU_U64] = 2,    [AMDGPU_F64] = 2,   [AMDGPU_PK16] = 1,  [AMDGPU_PKF16] = 1,
        [AMDGPU_PKBF16] = 1, [AMDGPU_PKF32] = 2, [AMDGPU_MASK] = 0,  [AMDGPU_NOTYPE] = 0};
    return type == AMDGPU_MASK ? code->lanes / 32 : registers[type];
}

static bool is_half(enum amdgpu_type type)
{
    return type == AMDGPU_B16 || type == AMDGPU_I16 || type == AMDGPU_U16 || type == AMDGPU_F16 ||
           type == AMDGPU_BF16;
}

static void begin_operand(const struct code *code, enum amdgpu_type type,
                          enum amdgpu_operand_kind kind, struct amdgpu_operand *out)
{
    *out = (struct amdgpu_operand){.kind = (unsigned char)kind,
                                   .type = (unsigned char)type,
                                   .count = (unsigned char)registers_of(code, type)};
}

static void vector_operand(struct code *code, unsigned reg, enum amdgpu_type type, bool accumulator,
                           struct amdgpu_operand *out)
{
    begin_operand(code, type, AMDGPU_VREG, out);
    out->reg = (unsigned short)(reg + (accumulator ? 256 : 0));
    if (reg + out->count > 256)
        code->unknown = true;
}

/* Whether registers from reg on can be used together. */
static bool scalars_fit(const struct code *code, unsigned reg, unsigned count)
{
    unsigned general = code->family == AMDGPU_GFX9 ? 102 : 106, align = count < 4 ? count : 4;
    if (count == 1)
        return true;
    if (count == 3 || reg % align != 0 || reg == 124)
        return false;
    return reg >= general ? reg < 108 || reg >= 126 ? count == 2 : reg + count <= 124
                          : reg + count <= general;
}

static void scalar_register(struct code *code, unsigned reg, enum amdgpu_type type,
                            struct amdgpu_operand *out)
{
    unsigned null = code->family == AMDGPU_GFX11 ? 124 : 125;
    begin_operand(code, type, reg == null ? AMDGPU_NULL : AMDGPU_SREG, out);
    out->reg = (unsigned short)reg;
    if (reg != null && !scalars_fit(code, reg, out->count))
        code->unknown = true;
}

/* 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 pi) */
static uint64_t inline_float(unsigned index, enum amdgpu_type type)
{
    static const uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                      0xc000, 0x4400, 0xc400, 0x3118};
    static const uint16_t brains[] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000,
                                      0xc000, 0x4080, 0xc080, 0x3e22};
    static const uint32_t singles[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                       0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    static const uint64_t doubles[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                       0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                       0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
    switch (type) {
    case AMDGPU_BF16:
    case AMDGPU_PKBF16:
        return brains[index];
    case AMDGPU_B16:
    case AMDGPU_I16:
    case AMDGPU_U16:
    case AMDGPU_F16:
    case AMDGPU_PKF16:
        return halves[index];
    case AMDGPU_B64:
    case AMDGPU_I64:
    case AMDGPU_U64:
    case AMDGPU_F64:
    case AMDGPU_MASK:
        return doubles[index];
    default:
        return singles[index];
    }
}

static uint64_t of_width(const struct code *code, uint64_t value, enum amdgpu_type type)
{
    if (is_half(type))
        return (uint16_t)value;
    if (type == AMDGPU_PKF32)
        return (uint32_t)value;
    return registers_of(code, type) == 2 ? value : (uint32_t)value;
}

static uint64_t literal_value(const struct code *code, uint32_t literal, enum amdgpu_type type)
{
    if (type == AMDGPU_F64)
        return (uint64_t)literal << 32;
    if (type == AMDGPU_I64)
        return (uint64_t)(int64_t)(int32_t)literal;
    return of_width(code, literal, type);
}

/* The one literal that an instruction may have, after all of its other words. */
static void literal_operand(struct code *code, enum amdgpu_type type, struct amdgpu_operand *out)
{
    if (!code->literal)
        code->literal = code->used;
    begin_operand(code, type, AMDGPU_CONST, out);
    code->inst->literal = word_at(code, code->literal);
    out->literal = true;
    out->value = literal_value(code, code->inst->literal, type);
    if (code->no_literal)
        code->unknown = true;
}

static void constant_operand(const struct code *code, uint64_t value, enum amdgpu_type type,
                             struct amdgpu_operand *out)
{
    begin_operand(code, type, AMDGPU_CONST, out);
    out->value = of_width(code, value, type);
}

static void special_operand(struct code *code, unsigned source, enum amdgpu_type type,
                            struct amdgpu_operand *out)
{
    static const unsigned char kinds[] = {
        [235 - 235] = AMDGPU_SHARED_BASE,  [236 - 235] = AMDGPU_SHARED_LIMIT,
        [237 - 235] = AMDGPU_PRIVATE_BASE, [238 - 235] = AMDGPU_PRIVATE_LIMIT,
        [239 - 235] = AMDGPU_POPS_WAVE_ID, [251 - 235] = AMDGPU_VCCZ,
        [252 - 235] = AMDGPU_EXECZ,        [253 - 235] = AMDGPU_SCC,
        [254 - 235] = AMDGPU_LDS_DIRECT,
    };
    unsigned kind = source >= 235 && source < 255 ? kinds[source - 235] : AMDGPU_NONE;
    begin_operand(code, type, (enum amdgpu_operand_kind)kind, out);
    if (kind == AMDGPU_NONE)
        code->unknown = true;
}

/* A source of scalar instructions, or of vector instructions below 256. */
static void scalar_source(struct code *code, unsigned source, enum amdgpu_type type,
                          struct amdgpu_operand *out)
{
    if (source < 128)
        scalar_register(code, source, type, out);
    else if (source <= 192)
        constant_operand(code, source - 128, type, out);
    else if (source <= 208)
        constant_operand(code, (uint64_t)(192 - (int64_t)source), type, out);
    else if (source >= 240 && source <= 248)
        constant_operand(code, inline_float(source - 240, type), type, out);
    else if (source == SOURCE_LITERAL)
        literal_operand(code, type, out);
    else
        special_operand(code, source, type, out);
}

static void vector_source(struct code *code, unsigned source, enum amdgpu_type type,
                          struct amdgpu_operand *out)
{
    if (type == AMDGPU_NOTYPE)
        return;
    if (source >= 256)
        vector_operand(code, source - 256, type, false, out);
    else
        scalar_source(code, source, type, out);
}

static void vcc_operand(struct code *code, struct amdgpu_operand *out)
{
    scalar_register(code, 106, AMDGPU_MASK, out);
}

/* ---- scalar formats --------------------------------------------------------------------- */

static const struct amdgpu_row *find_row(struct code *code, enum amdgpu_format format,
                                         unsigned number)
{
    const struct amdgpu_row *row = amdgpu_row_of(code->isa, format, number);
    code->inst->row = row;
    code->inst->format = (unsigned char)format;
    code->unknown |= !row;
    return row;
}

static void scalar_destination(struct code *code, unsigned reg, const struct amdgpu_row *row)
{
    if (row->dst[0] != AMDGPU_NOTYPE)
        scalar_register(code, reg, (enum amdgpu_type)row->dst[0], &code->inst->dst[0]);
}

static void scalar_sources(struct code *code, const struct amdgpu_row *row, const unsigned *sources,
                           unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (row->src[i] != AMDGPU_NOTYPE)
            scalar_source(code, sources[i], (enum amdgpu_type)row->src[i], &code->inst->src[i]);
}

static void decode_sop1(struct code *code, uint32_t word)
{
    unsigned source = field(word, 0, 8);
    const struct amdgpu_row *row = find_row(code, AMDGPU_SOP1, field(word, 8, 8));
    if (!row)
        return;
    scalar_destination(code, field(word, 16, 7), row);
    scalar_sources(code, row, &source, 1);
    code->inst->imm = (int32_t)source;
}

static void decode_sop2(struct code *code, uint32_t word)
{
    unsigned sources[] = {field(word, 0, 8), field(word, 8, 8)};
    const struct amdgpu_row *row = find_row(code, AMDGPU_SOP2, field(word, 23, 7));
    if (!row)
        return;
    scalar_destination(code, field(word, 16, 7), row);
    scalar_sources(code, row, sources, 2);
}

static void decode_sopc(struct code *code, uint32_t word)
{
    unsigned sources[] = {field(word, 0, 8), field(word, 8, 8)};
    const struct amdgpu_row *row = find_row(code, AMDGPU_SOPC, field(word, 16, 7));
    if (!row)
        return;
    scalar_sources(code, row, sources, 2);
    code->inst->imm = (int32_t)sources[1];
}

static void decode_sopk(struct code *code, uint32_t word)
{
    unsigned reg = field(word, 16, 7);
    const struct amdgpu_row *row = find_row(code, AMDGPU_SOPK, field(word, 23, 5));
    if (!row)
        return;
    code->inst->imm = extended(word & 0xffff, 16);
    scalar_destination(code, reg, row);
    if (row->flags & AMDGPU_ROW_LITERAL)
        literal_operand(code, AMDGPU_B32, &code->inst->src[0]);
    else if (row->src[0] != AMDGPU_NOTYPE)
        scalar_register(code, reg, (enum amdgpu_type)row->src[0], &code->inst->src[0]);
}

static void decode_sopp(struct code *code, uint32_t word)
{
    find_row(code, AMDGPU_SOPP, field(word, 16, 7));
    code->inst->imm = extended(word & 0xffff, 16);
}

/* The parts of an SMEM address other than its base. */
static void smem_offset(struct code *code, uint32_t word, uint32_t high)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned reg = field(high, 25, 7);
    if (code->family != AMDGPU_GFX9) {
        inst->offset = extended(field(high, 0, 21), 21);
        scalar_register(code, reg, AMDGPU_B32, &inst->soffset);
        return;
    }
    inst->offen = flag(word, 17);
    if (inst->offen)
        inst->offset = extended(field(high, 0, 21), 21);
    if (flag(word, 14))
        scalar_register(code, reg, AMDGPU_B32, &inst->soffset);
    else if (!inst->offen)
        scalar_register(code, field(high, 0, 7), AMDGPU_B32, &inst->soffset);
}

static void smem_data(struct code *code, const struct amdgpu_row *row, unsigned reg)
{
    struct amdgpu_inst *inst = code->inst;
    bool returns = !(row->flags & AMDGPU_ROW_ATOMIC) || inst->glc;
    if (row->dst[0] != AMDGPU_NOTYPE && returns)
        scalar_register(code, reg, (enum amdgpu_type)row->dst[0], &inst->dst[0]);
    if (row->src[0] != AMDGPU_NOTYPE)
        scalar_register(code, reg, (enum amdgpu_type)row->src[0], &inst->data);
}

static bool smem_has_base(const struct amdgpu_row *row)
{
    switch (row->id) {
    case AMDGPU_ID_S_MEMTIME:
    case AMDGPU_ID_S_MEMREALTIME:
    case AMDGPU_ID_S_GET_WAVEID_IN_WORKGROUP:
    case AMDGPU_ID_S_DCACHE_INV:
    case AMDGPU_ID_S_DCACHE_INV_VOL:
    case AMDGPU_ID_S_DCACHE_WB:
    case AMDGPU_ID_S_DCACHE_WB_VOL:
    case AMDGPU_ID_S_GL1_INV:
        return false;
    default:
        return true;
    }
}

static void decode_smem(struct code *code, uint32_t word)
{
    struct amdgpu_inst *inst = code->inst;
    uint32_t high = word_at(code, 1);
    const struct amdgpu_row *row = find_row(code, AMDGPU_SMEM, field(word, 18, 8));
    if (!row)
        return;
    inst->glc = flag(word, code->family == AMDGPU_GFX11 ? 14 : 16);
    if (code->family == AMDGPU_GFX9)
        inst->nv = flag(word, 15);
    else
        inst->dlc = flag(word, code->family == AMDGPU_GFX11 ? 13 : 14);
    if (row->id == AMDGPU_ID_S_GET_WAVEID_IN_WORKGROUP) /* it accesses no memory */
        inst->glc = inst->dlc = false;
    smem_data(code, row, field(word, 6, 7));
    inst->imm = (int32_t)field(word, 6, 7);
    if (!smem_has_base(row))
        return;
    scalar_register(code, field(word, 0, 6) * 2,
                    row->flags & AMDGPU_ROW_BUFFER ? AMDGPU_B128 : AMDGPU_B64, &inst->addr);
    smem_offset(code, word, high);
}

/* ---- vector arithmetic ---------------------------------------------------------------- */

/* gfx11: a 16-bit operand of VOP1, VOP2 and VOPC has its half in bit 7. */
static unsigned halved(const struct code *code, unsigned reg, enum amdgpu_type type, unsigned bit)
{
    if (code->family != AMDGPU_GFX11 || !is_half(type))
        return reg;
    if (reg & 128)
        code->inst->op_sel |= (unsigned char)(1 << bit);
    return reg & ~128u;
}

static enum amdgpu_type source_type(const struct amdgpu_row *row, unsigned index)
{
    return (enum amdgpu_type)row->src[index];
}

static void vector_register(struct code *code, unsigned reg, enum amdgpu_type type, unsigned bit,
                            struct amdgpu_operand *out)
{
    if (type != AMDGPU_NOTYPE)
        vector_operand(code, halved(code, reg, type, bit), type, false, out);
}

/* Bits of neg and abs of sources that have them: floats, and those of v_cndmask. */
static unsigned modified_sources(const struct amdgpu_row *row)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 3; i++)
        if (row->src[i] == AMDGPU_F16 || row->src[i] == AMDGPU_F32 || row->src[i] == AMDGPU_F64 ||
            row->src[i] == AMDGPU_BF16)
            bits |= 1u << i;
    return row->flags & AMDGPU_ROW_CARRY_IN && !(row->flags & AMDGPU_ROW_CARRY_OUT) ? 3 : bits;
}

static void decode_sdwa(struct code *code, const struct amdgpu_row *row)
{
    struct amdgpu_inst *inst = code->inst;
    uint32_t word = word_at(code, 1);
    unsigned modified = modified_sources(row);
    inst->has_sdwa = true;
    inst->sdwa.src[0] = (unsigned char)field(word, 16, 3);
    inst->sdwa.src[1] = (unsigned char)field(word, 24, 3);
    inst->sdwa.sext[0] = flag(word, 19);
    inst->sdwa.sext[1] = flag(word, 27);
    inst->neg = (unsigned char)((field(word, 20, 1) | field(word, 28, 1) << 1) & modified);
    inst->abs = (unsigned char)((field(word, 21, 1) | field(word, 29, 1) << 1) & modified);
    code->no_literal = true;
    vector_source(code, field(word, 0, 8) | (flag(word, 23) ? 0 : 256), source_type(row, 0),
                  &inst->src[0]);
    if (row->format == AMDGPU_VOPC) {
        inst->sdwa.dst = AMDGPU_SDWA_DWORD;
        if (inst->dst[0].kind != AMDGPU_NONE && flag(word, 15))
            scalar_register(code, field(word, 8, 7), AMDGPU_MASK, &inst->dst[0]);
        return;
    }
    inst->sdwa.dst = (unsigned char)field(word, 8, 3);
    inst->sdwa.dst_unused = (unsigned char)field(word, 11, 2);
    inst->clamp = flag(word, 13);
    inst->omod = (unsigned char)field(word, 14, 2);
    code->unknown |= inst->sdwa.dst > AMDGPU_SDWA_DWORD || inst->sdwa.dst_unused > 2;
}

/* Whether source index of an SDWA word may be a scalar register. */
static void sdwa_second(struct code *code, const struct amdgpu_row *row, unsigned reg)
{
    uint32_t word = word_at(code, 1);
    vector_source(code, reg | (flag(word, 31) ? 0 : 256), source_type(row, 1), &code->inst->src[1]);
    code->unknown |=
        code->inst->sdwa.src[0] > AMDGPU_SDWA_DWORD || code->inst->sdwa.src[1] > AMDGPU_SDWA_DWORD;
}

/* index: of the word. Does not touch modifiers that the instruction itself has. */
static void decode_dpp(struct code *code, const struct amdgpu_row *row, unsigned source,
                       unsigned index)
{
    struct amdgpu_inst *inst = code->inst;
    struct amdgpu_dpp *dpp = &inst->dpp;
    uint32_t word = word_at(code, index);
    bool own_modifiers = index > 1;
    unsigned modified = modified_sources(row);
    unsigned reg = field(word, 0, 8);
    inst->has_dpp = true;
    code->no_literal = true;
    vector_operand(code, own_modifiers ? reg : halved(code, reg, source_type(row, 0), 0),
                   source_type(row, 0), false, &inst->src[0]);
    if (source != SOURCE_DPP) {
        dpp->is_dpp8 = true;
        dpp->lanes = word >> 8;
        dpp->fetch_inactive = source == SOURCE_DPP8_FI;
        return;
    }
    dpp->control = (unsigned short)field(word, 8, 9);
    dpp->fetch_inactive = code->family != AMDGPU_GFX9 && flag(word, 18);
    dpp->bound_ctrl = flag(word, 19);
    dpp->bank_mask = (unsigned char)field(word, 24, 4);
    dpp->row_mask = (unsigned char)field(word, 28, 4);
    if (own_modifiers)
        return;
    inst->neg = (unsigned char)((field(word, 20, 1) | field(word, 22, 1) << 1) & modified);
    inst->abs = (unsigned char)((field(word, 21, 1) | field(word, 23, 1) << 1) & modified);
}

static bool is_dpp(const struct code *code, unsigned source)
{
    if (source == SOURCE_DPP)
        return true;
    return code->family != AMDGPU_GFX9 && (source == SOURCE_DPP8 || source == SOURCE_DPP8_FI);
}

/* The first source of VOP1, VOP2 and VOPC, with the word of SDWA or DPP. */
static void first_source(struct code *code, const struct amdgpu_row *row, unsigned source)
{
    struct amdgpu_operand *out = &code->inst->src[0];
    if (row->src[0] == AMDGPU_NOTYPE)
        return;
    if (is_dpp(code, source))
        decode_dpp(code, row, source, 1);
    else if (source == SOURCE_SDWA && code->family != AMDGPU_GFX11)
        decode_sdwa(code, row);
    else if (source >= 256)
        vector_register(code, source - 256, source_type(row, 0), 0, out);
    else
        scalar_source(code, source, source_type(row, 0), out);
}

static void second_source(struct code *code, const struct amdgpu_row *row, unsigned reg,
                          struct amdgpu_operand *out)
{
    if (code->inst->has_sdwa)
        sdwa_second(code, row, reg);
    else
        vector_register(code, reg, source_type(row, 1), 1, out);
}

/* CDNA 2 and later, where registers and AGPRs are one file. */
static bool is_cdna2(const struct code *code)
{
    return code->isa == AMDGPU_GFX90A || code->isa == AMDGPU_GFX942;
}

static void decode_vop1(struct code *code, uint32_t word)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned reg = field(word, 17, 8);
    const struct amdgpu_row *row = find_row(code, AMDGPU_VOP1, field(word, 9, 8));
    if (!row)
        return;
    if (row->flags & AMDGPU_ROW_SCALAR_DST)
        scalar_destination(code, reg, row);
    else
        vector_register(code, reg, (enum amdgpu_type)row->dst[0], 3, &inst->dst[0]);
    first_source(code, row, field(word, 0, 9));
    if (row->flags & AMDGPU_ROW_MATRIX) { /* v_accvgpr_mov_b32 */
        inst->dst[0].reg += 256;
        inst->src[0].reg += 256;
        code->unknown |= inst->src[0].kind != AMDGPU_VREG;
    }
}

static bool literal_is_second(const struct amdgpu_row *row)
{
    return strstr(row->name, "mk_") != NULL;
}

/* v_madmk, v_madak and similar instructions. */
static void literal_sources(struct code *code, const struct amdgpu_row *row, unsigned reg,
                            struct amdgpu_operand *sources)
{
    unsigned second = literal_is_second(row) ? 2 : 1;
    vector_register(code, reg, source_type(row, second), second, &sources[second]);
    literal_operand(code, source_type(row, 3 - second), &sources[3 - second]);
}

static void decode_vop2(struct code *code, uint32_t word)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned second = field(word, 9, 8);
    const struct amdgpu_row *row = find_row(code, AMDGPU_VOP2, field(word, 25, 6));
    if (!row)
        return;
    vector_register(code, field(word, 17, 8), (enum amdgpu_type)row->dst[0], 3, &inst->dst[0]);
    first_source(code, row, field(word, 0, 9));
    if (row->flags & AMDGPU_ROW_LITERAL)
        literal_sources(code, row, second, inst->src);
    else
        second_source(code, row, second, &inst->src[1]);
    if (row->flags & AMDGPU_ROW_CARRY_OUT)
        vcc_operand(code, &inst->dst[1]);
    if (row->flags & AMDGPU_ROW_CARRY_IN)
        vcc_operand(code, &inst->src[2]);
}

/* From gfx10 on, v_cmpx writes only EXEC. */
static bool only_exec(const struct code *code, const struct amdgpu_row *row)
{
    return row->flags & AMDGPU_ROW_EXEC && code->family != AMDGPU_GFX9;
}

static void decode_vopc(struct code *code, uint32_t word)
{
    const struct amdgpu_row *row = find_row(code, AMDGPU_VOPC, field(word, 17, 8));
    if (!row)
        return;
    if (!only_exec(code, row))
        vcc_operand(code, &code->inst->dst[0]);
    first_source(code, row, field(word, 0, 9));
    second_source(code, row, field(word, 9, 8), &code->inst->src[1]);
}

static void vop3_destinations(struct code *code, const struct amdgpu_row *row, uint32_t word)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned reg = field(word, 0, 8);
    if (row->flags & AMDGPU_ROW_COMPARE) {
        if (!only_exec(code, row))
            scalar_register(code, reg & 127, AMDGPU_MASK, &inst->dst[0]);
    } else if (row->flags & AMDGPU_ROW_SCALAR_DST) {
        scalar_destination(code, reg & 127, row);
    } else if (row->dst[0] != AMDGPU_NOTYPE) {
        vector_operand(code, reg, (enum amdgpu_type)row->dst[0], false, &inst->dst[0]);
    }
    if (row->dst[1] != AMDGPU_NOTYPE)
        scalar_register(code, field(word, 8, 7), AMDGPU_MASK, &inst->dst[1]);
}

static bool has_op_sel(const struct code *code, const struct amdgpu_row *row)
{
    if (row->flags & AMDGPU_ROW_OP_SEL)
        return true;
    return code->family == AMDGPU_GFX11 &&
           (is_half((enum amdgpu_type)row->dst[0]) || is_half(source_type(row, 0)) ||
            is_half(source_type(row, 1)) || is_half(source_type(row, 2)));
}

static void vop3_modifiers(struct code *code, const struct amdgpu_row *row, uint32_t word,
                           uint32_t high)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned modified = modified_sources(row);
    inst->clamp = flag(word, 15);
    inst->omod = (unsigned char)field(high, 27, 2);
    inst->neg = (unsigned char)(field(high, 29, 3) & modified);
    if (row->dst[1] !=
        AMDGPU_NOTYPE) /* its mask is in the field of the other instructions' destination */
        return;
    inst->abs = (unsigned char)(field(word, 8, 3) & modified);
    if (has_op_sel(code, row))
        inst->op_sel = (unsigned char)field(word, 11, 4);
}

/* Sources of VOP3 and VOP3P, and the word of DPP. */
static void three_sources(struct code *code, const struct amdgpu_row *row, uint32_t high)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned first = field(high, 0, 9);
    code->no_literal = code->family == AMDGPU_GFX9;
    if (row->src[0] != AMDGPU_NOTYPE && code->family == AMDGPU_GFX11 && is_dpp(code, first))
        decode_dpp(code, row, first, 2);
    else
        vector_source(code, first, source_type(row, 0), &inst->src[0]);
    for (unsigned i = 1; i < 3; i++)
        vector_source(code, field(high, 9 * i, 9), source_type(row, i), &inst->src[i]);
}

static void decode_vop3(struct code *code, uint32_t word)
{
    uint32_t high = word_at(code, 1);
    const struct amdgpu_row *row = find_row(code, AMDGPU_VOP3, field(word, 16, 10));
    if (!row)
        return;
    vop3_modifiers(code, row, word, high);
    vop3_destinations(code, row, word);
    three_sources(code, row, high);
}

/* Matrices, and moves to and from accumulation registers. Those of gfx908 always accumulate in
 * them. */
static void decode_mai(struct code *code, const struct amdgpu_row *row, uint32_t word,
                       uint32_t high)
{
    struct amdgpu_inst *inst = code->inst;
    bool accumulates = code->isa == AMDGPU_GFX908 || flag(word, 15);
    bool sources[] = {flag(high, 27), flag(high, 28), accumulates};
    bool read = row->id == AMDGPU_ID_V_ACCVGPR_READ_B32;
    bool write = row->id == AMDGPU_ID_V_ACCVGPR_WRITE_B32;
    if (row->flags & AMDGPU_ROW_ACCUMULATES) /* v_smfmac: its third source is an index */
        sources[2] = false;
    code->no_literal = true;
    if (!read && !write) {
        inst->neg_hi = (unsigned char)field(word, 8, 3);  /* CBSZ */
        inst->op_sel = (unsigned char)field(word, 11, 4); /* ABID */
        inst->neg = (unsigned char)field(high, 29, 3);    /* BLGP */
    }
    vector_operand(code, field(word, 0, 8), (enum amdgpu_type)row->dst[0],
                   write || (accumulates && !read), &inst->dst[0]);
    for (unsigned i = 0; i < 3; i++) {
        enum amdgpu_type type = source_type(row, i);
        if (row->src[0] == AMDGPU_F64 && field(high, 9 * i, 9) < 256 && type != AMDGPU_NOTYPE)
            type = AMDGPU_F64; /* constants are of the elements' type */
        vector_source(code, field(high, 9 * i, 9), type, &inst->src[i]);
        if (inst->src[i].kind == AMDGPU_VREG && (read || (sources[i] && !write)))
            inst->src[i].reg += 256;
    }
}

static bool is_mix(const struct amdgpu_row *row)
{
    switch (row->id) {
    case AMDGPU_ID_V_MAD_MIX_F32:
    case AMDGPU_ID_V_MAD_MIXLO_F16:
    case AMDGPU_ID_V_MAD_MIXHI_F16:
    case AMDGPU_ID_V_FMA_MIX_F32:
    case AMDGPU_ID_V_FMA_MIXLO_F16:
    case AMDGPU_ID_V_FMA_MIXHI_F16:
        return true;
    default:
        return false;
    }
}

/* Mixed precision: op_sel_hi says whether a source is half precision, and so do constants. */
static void mix_sources(struct code *code, const struct amdgpu_row *row)
{
    struct amdgpu_row mixed = *row;
    for (unsigned i = 0; i < 3; i++)
        if (code->inst->op_sel_hi >> i & 1)
            mixed.src[i] = AMDGPU_PKF16;
    three_sources(code, &mixed, word_at(code, 1));
    code->inst->abs = code->inst->neg_hi;
    code->inst->neg_hi = 0;
}

static void decode_vop3p(struct code *code, uint32_t word)
{
    struct amdgpu_inst *inst = code->inst;
    uint32_t high = word_at(code, 1);
    const struct amdgpu_row *row = find_row(code, AMDGPU_VOP3P, field(word, 16, 7));
    if (!row)
        return;
    if (row->flags & AMDGPU_ROW_MATRIX && code->family == AMDGPU_GFX9) {
        decode_mai(code, row, word, high);
        return;
    }
    inst->clamp = flag(word, 15);
    inst->neg_hi = (unsigned char)field(word, 8, 3);
    inst->op_sel = (unsigned char)field(word, 11, 3);
    inst->op_sel_hi = (unsigned char)(field(high, 27, 2) | field(word, 14, 1) << 2);
    inst->neg = (unsigned char)field(high, 29, 3);
    vector_operand(code, field(word, 0, 8), (enum amdgpu_type)row->dst[0], false, &inst->dst[0]);
    if (is_mix(row))
        mix_sources(code, row);
    else
        three_sources(code, row, high);
    if (row->flags & AMDGPU_ROW_MATRIX && code->lanes == 64) {
        inst->dst[0].count /= 2; /* WMMA: the accumulator is spread over twice the lanes */
        inst->src[2].count /= 2;
    }
}

/* A component of VOPD. */
static void decode_dual(struct code *code, const struct amdgpu_row *row, unsigned first,
                        unsigned second, struct amdgpu_operand *sources)
{
    vector_source(code, first, source_type(row, 0), &sources[0]);
    if (row->flags & AMDGPU_ROW_LITERAL)
        literal_sources(code, row, second, sources);
    else if (row->src[1] != AMDGPU_NOTYPE)
        vector_operand(code, second, source_type(row, 1), false, &sources[1]);
    if (row->flags & AMDGPU_ROW_CARRY_IN)
        vcc_operand(code, &sources[2]);
}

static void decode_vopd(struct code *code, uint32_t word)
{
    struct amdgpu_inst *inst = code->inst;
    uint32_t high = word_at(code, 1);
    unsigned reg = field(high, 24, 8), reg_y = field(high, 17, 7) << 1 | !(reg & 1);
    const struct amdgpu_row *row = find_row(code, AMDGPU_VOPD, field(word, 22, 4));
    inst->row_y = amdgpu_row_of(code->isa, AMDGPU_VOPD, field(word, 17, 5));
    code->unknown |= !inst->row_y || code->lanes == 64; /* waves of 64 do not have it */
    if (code->unknown)
        return;
    vector_operand(code, reg, (enum amdgpu_type)row->dst[0], false, &inst->dst[0]);
    vector_operand(code, reg_y, (enum amdgpu_type)inst->row_y->dst[0], false, &inst->dst_y);
    decode_dual(code, row, field(word, 0, 9), field(word, 9, 8), inst->src);
    decode_dual(code, inst->row_y, field(high, 0, 9), field(high, 9, 8), inst->src_y);
}

/* ---- memory ------------------------------------------------------------------------------ */

static void decode_ds(struct code *code, uint32_t word)
{
    struct amdgpu_inst *inst = code->inst;
    uint32_t high = word_at(code, 1);
    bool gfx9 = code->family == AMDGPU_GFX9, accumulators = is_cdna2(code) && flag(word, 25);
    const struct amdgpu_row *row = find_row(code, AMDGPU_DS, field(word, gfx9 ? 17 : 18, 8));
    if (!row)
        return;
    inst->gds = flag(word, gfx9 ? 16 : 17);
    inst->offset = (int32_t)field(word, 0, row->flags & AMDGPU_ROW_TWO ? 8 : 16);
    if (row->flags & AMDGPU_ROW_TWO)
        inst->offset1 = (unsigned char)field(word, 8, 8);
    if (!(row->flags & AMDGPU_ROW_NO_ADDRESS))
        vector_operand(code, field(high, 0, 8), AMDGPU_B32, false, &inst->addr);
    if (row->src[0] != AMDGPU_NOTYPE)
        vector_operand(code, field(high, 8, 8), source_type(row, 0), accumulators, &inst->data);
    if (row->src[1] != AMDGPU_NOTYPE)
        vector_operand(code, field(high, 16, 8), source_type(row, 1), accumulators, &inst->data1);
    if (row->dst[0] != AMDGPU_NOTYPE)
        vector_operand(code, field(high, 24, 8), (enum amdgpu_type)row->dst[0], accumulators,
                       &inst->dst[0]);
}

static void flat_bits(struct code *code, uint32_t word, bool flat)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned bits = code->family == AMDGPU_GFX10 ? 12 : 13;
    bool late = code->family == AMDGPU_GFX11;
    inst->glc = flag(word, late ? 14 : 16);
    inst->slc = flag(word, late ? 15 : 17);
    inst->dlc = code->family != AMDGPU_GFX9 && flag(word, late ? 13 : 12);
    inst->lds = !late && code->isa != AMDGPU_GFX942 && flag(word, 13);
    inst->scc = is_cdna2(code) && flag(word, 25);
    if (!flat)
        inst->offset = extended(field(word, 0, bits), bits);
    else
        inst->offset = (int32_t)field(word, 0, code->family == AMDGPU_GFX9 ? 12 : bits);
}

/* The address of FLAT, GLOBAL and SCRATCH: registers of lanes, scalar registers, or both. */
static void flat_address(struct code *code, const struct amdgpu_row *row, uint32_t word,
                         uint32_t high)
{
    struct amdgpu_inst *inst = code->inst;
    enum amdgpu_type type = AMDGPU_B64;
    unsigned reg = field(high, 16, 7);
    bool has_saddr = code->family == AMDGPU_GFX9 ? reg != 127 : reg != 125 && reg != 127;
    bool has_vaddr = !(row->flags & AMDGPU_ROW_NO_ADDRESS);
    if (code->family == AMDGPU_GFX11)
        has_saddr = reg != 124;
    if (row->format == AMDGPU_FLAT)
        has_saddr = false;
    if (row->format == AMDGPU_SCRATCH) {
        type = AMDGPU_B32;
        if (code->family == AMDGPU_GFX11)
            has_vaddr = flag(high, 23);
        else if (code->isa == AMDGPU_GFX942)
            has_vaddr = flag(word, 13);
        else
            has_vaddr = !has_saddr && reg != (code->family == AMDGPU_GFX10 ? 127 : 128);
    }
    if (has_saddr)
        scalar_register(code, reg, type, &inst->saddr);
    if (has_vaddr)
        vector_operand(code, field(high, 0, 8), has_saddr ? AMDGPU_B32 : type, false, &inst->addr);
}

static void flat_data(struct code *code, const struct amdgpu_row *row, uint32_t high)
{
    struct amdgpu_inst *inst = code->inst;
    bool accumulators = is_cdna2(code) && flag(high, 23);
    bool returns = !(row->flags & AMDGPU_ROW_ATOMIC) || inst->glc;
    if (row->src[0] != AMDGPU_NOTYPE)
        vector_operand(code, field(high, 8, 8), source_type(row, 0), accumulators, &inst->data);
    if (row->dst[0] != AMDGPU_NOTYPE && returns)
        vector_operand(code, field(high, 24, 8), (enum amdgpu_type)row->dst[0], accumulators,
                       &inst->dst[0]);
}

static void decode_flat(struct code *code, uint32_t word)
{
    static const unsigned char formats[] = {AMDGPU_FLAT, AMDGPU_SCRATCH, AMDGPU_GLOBAL,
                                            AMDGPU_FORMAT_COUNT};
    unsigned segment = field(word, code->family == AMDGPU_GFX11 ? 16 : 14, 2);
    uint32_t high = word_at(code, 1);
    const struct amdgpu_row *row;
    if (segment == 3) {
        code->unknown = true;
        return;
    }
    row = find_row(code, (enum amdgpu_format)formats[segment], field(word, 18, 7));
    if (!row)
        return;
    flat_bits(code, word, row->format == AMDGPU_FLAT);
    code->inst->nv = code->family == AMDGPU_GFX9 && !is_cdna2(code) && flag(high, 23);
    flat_data(code, row, high);
    flat_address(code, row, word, high);
}

/* The positions of MUBUF's and MTBUF's bits on gfx9, gfx10 and gfx11; -1: the bit does not
 * exist. */
struct buffer_bits {
    signed char glc, dlc, slc, scc, lds, tfe, offen, idxen, accumulators;
};

static struct buffer_bits buffer_bits(const struct code *code, enum amdgpu_format format)
{
    switch (code->family) {
    case AMDGPU_GFX9:
        if (format == AMDGPU_MTBUF)
            return is_cdna2(code) ? (struct buffer_bits){14, -1, 54, 53, -1, -1, 12, 13, 55}
                                  : (struct buffer_bits){14, -1, 54, -1, -1, 55, 12, 13, -1};
        return is_cdna2(code) ? (struct buffer_bits){14, -1, 17, 15, 16, -1, 12, 13, 55}
                              : (struct buffer_bits){14, -1, 17, -1, 16, 55, 12, 13, -1};
    case AMDGPU_GFX10:
        return (struct buffer_bits){14, 15, 54, -1, 16, 55, 12, 13, -1};
    default:
        return (struct buffer_bits){14, 13, 12, -1, -1, 53, 54, 55, -1};
    }
}

static void buffer_data(struct code *code, const struct amdgpu_row *row, unsigned reg,
                        bool accumulators)
{
    struct amdgpu_inst *inst = code->inst;
    bool returns = row->flags & AMDGPU_ROW_ATOMIC ? inst->glc : !inst->lds;
    if (row->src[0] != AMDGPU_NOTYPE)
        vector_operand(code, reg, source_type(row, 0), accumulators, &inst->data);
    if (row->dst[0] != AMDGPU_NOTYPE && returns)
        vector_operand(code, reg, (enum amdgpu_type)row->dst[0], accumulators, &inst->dst[0]);
    if (inst->tfe && inst->dst[0].kind != AMDGPU_NONE)
        inst->dst[0].count++;
}

static void decode_buffer(struct code *code, enum amdgpu_format format, uint32_t word,
                          unsigned number)
{
    struct amdgpu_inst *inst = code->inst;
    uint32_t high = word_at(code, 1);
    uint64_t bits = word | (uint64_t)high << 32;
    struct buffer_bits at = buffer_bits(code, format);
    const struct amdgpu_row *row = find_row(code, format, number);
    if (!row)
        return;
#define BIT(name) (at.name >= 0 && (bits >> at.name & 1))
    inst->glc = BIT(glc);
    inst->dlc = BIT(dlc);
    inst->slc = BIT(slc);
    inst->scc = BIT(scc);
    inst->tfe = BIT(tfe);
    inst->lds = format == AMDGPU_MUBUF && BIT(lds);
    inst->offset = (int32_t)field(word, 0, 12);
    if (row->dst[0] == AMDGPU_NOTYPE && row->src[0] == AMDGPU_NOTYPE)
        return; /* instructions that control caches */
    inst->offen = BIT(offen);
    inst->idxen = BIT(idxen);
    buffer_data(code, row, field(high, 8, 8), BIT(accumulators));
#undef BIT
    if (inst->offen || inst->idxen)
        vector_operand(code, field(high, 0, 8),
                       inst->offen && inst->idxen ? AMDGPU_B64 : AMDGPU_B32, false, &inst->addr);
    scalar_register(code, field(high, 16, 5) * 4, AMDGPU_B128, &inst->saddr);
    code->no_literal = true;
    scalar_source(code, field(high, 24, 8), AMDGPU_B32, &inst->soffset);
}

static void decode_mubuf(struct code *code, uint32_t word)
{
    decode_buffer(code, AMDGPU_MUBUF, word, field(word, 18, code->family == AMDGPU_GFX9 ? 7 : 8));
}

static void decode_mtbuf(struct code *code, uint32_t word)
{
    unsigned number = field(word, 15, 4);
    if (code->family == AMDGPU_GFX10)
        number = field(word, 16, 3) | field(word_at(code, 1), 21, 1) << 3;
    decode_buffer(code, AMDGPU_MTBUF, word, number);
    code->inst->dfmt = (unsigned char)field(word, 19, code->family == AMDGPU_GFX9 ? 4 : 7);
    if (code->family == AMDGPU_GFX9)
        code->inst->nfmt = (unsigned char)field(word, 23, 3);
}

/* ---- images ------------------------------------------------------------------------------- */

static const struct {
    unsigned char coordinates, gradients; /* gradients, in both directions */
} dims[] = {
    [AMDGPU_DIM_1D] = {1, 2},       [AMDGPU_DIM_2D] = {2, 4},
    [AMDGPU_DIM_3D] = {3, 6},       [AMDGPU_DIM_CUBE] = {3, 4},
    [AMDGPU_DIM_1D_ARRAY] = {2, 2}, [AMDGPU_DIM_2D_ARRAY] = {3, 4},
    [AMDGPU_DIM_2D_MSAA] = {3, 4},  [AMDGPU_DIM_2D_MSAA_ARRAY] = {4, 4},
};

/* The components that come first, one word each. */
static unsigned first_words(const struct amdgpu_row *row)
{
    return !!(row->flags & AMDGPU_ROW_PICK_OFFSET) + !!(row->flags & AMDGPU_ROW_BIAS) +
           !!(row->flags & AMDGPU_ROW_COMPARE_DEPTH);
}

static unsigned gradient_words(enum amdgpu_isa isa, const struct amdgpu_row *row,
                               enum amdgpu_dim dim, bool a16)
{
    bool halves =
        row->flags & AMDGPU_ROW_GRADIENTS16 || (a16 && amdgpu_family_of(isa) == AMDGPU_GFX9);
    unsigned of_each = dims[dim].gradients / 2u;
    if (!(row->flags & AMDGPU_ROW_GRADIENTS))
        return 0;
    return 2 * (halves ? (of_each + 1) / 2 : of_each);
}

static unsigned coordinate_words(const struct amdgpu_row *row, unsigned coordinates, bool a16)
{
    unsigned count = row->flags & AMDGPU_ROW_NO_COORDS ? 0 : coordinates;
    count += !!(row->flags & (AMDGPU_ROW_LOD | AMDGPU_ROW_LOD_CLAMP));
    return a16 ? (count + 1) / 2 : count;
}

unsigned amdgpu_image_words(enum amdgpu_isa isa, const struct amdgpu_row *row, enum amdgpu_dim dim,
                            bool a16)
{
    return first_words(row) + gradient_words(isa, row, dim, a16) +
           coordinate_words(row, dims[dim].coordinates, a16);
}

/* gfx9: the minimum. */
static unsigned fewest_words(const struct amdgpu_row *row)
{
    return first_words(row) + !!(row->flags & AMDGPU_ROW_GRADIENTS) +
           coordinate_words(row, 1, true);
}

static void mimg_bits(struct code *code, uint32_t word, uint32_t high)
{
    struct amdgpu_inst *inst = code->inst;
    bool gfx9 = code->family == AMDGPU_GFX9;
    inst->dmask = (unsigned char)field(word, 8, 4);
    if (code->family == AMDGPU_GFX11) {
        inst->dim = (unsigned char)field(word, 2, 3);
        inst->unorm = flag(word, 7);
        inst->slc = flag(word, 12);
        inst->dlc = flag(word, 13);
        inst->glc = flag(word, 14);
        inst->r128 = flag(word, 15);
        inst->a16 = flag(word, 16);
        inst->d16 = flag(word, 17);
        inst->tfe = flag(high, 21);
        inst->lwe = flag(high, 22);
        return;
    }
    inst->dim = gfx9 ? 0 : (unsigned char)field(word, 3, 3);
    inst->dlc = !gfx9 && flag(word, 7);
    inst->scc = is_cdna2(code) && flag(word, 7);
    inst->unorm = flag(word, 12);
    inst->glc = flag(word, 13);
    inst->da = gfx9 && flag(word, 14);
    inst->r128 = !gfx9 && flag(word, 15);
    inst->a16 = gfx9 ? flag(word, 15) : flag(high, 30);
    inst->tfe = !is_cdna2(code) && flag(word, 16);
    inst->lwe = flag(word, 17);
    inst->slc = flag(word, 25);
    inst->d16 = flag(high, 31);
}

static void mimg_data(struct code *code, const struct amdgpu_row *row, unsigned reg,
                      bool accumulators)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned count = row->flags & AMDGPU_ROW_GATHER ? 4 : (unsigned)__builtin_popcount(inst->dmask);
    struct amdgpu_operand data;
    vector_operand(code, reg, AMDGPU_B32, accumulators, &data);
    count += count == 0;
    if (inst->d16)
        count = (count + 1) / 2;
    data.count = (unsigned char)(count + inst->tfe);
    if (reg + data.count > 256)
        code->unknown = true;
    if (row->src[0] != AMDGPU_NOTYPE)
        inst->data = data;
    if (row->dst[0] != AMDGPU_NOTYPE && (!(row->flags & AMDGPU_ROW_ATOMIC) || inst->glc))
        inst->dst[0] = data;
}

/* nsa: words with the numbers of further address registers. */
static void mimg_address(struct code *code, const struct amdgpu_row *row, unsigned reg,
                         unsigned nsa)
{
    struct amdgpu_inst *inst = code->inst;
    unsigned most = code->family == AMDGPU_GFX11 ? 5 : 1 + 4 * nsa;
    unsigned words = code->family == AMDGPU_GFX9
                         ? fewest_words(row)
                         : amdgpu_image_words(code->isa, row, inst->dim, inst->a16);
    vector_operand(code, reg, AMDGPU_B32, false, &inst->addr);
    inst->addr.count = (unsigned char)words;
    if (!nsa) {
        code->unknown |= reg + words > 256;
        return;
    }
    inst->addr.count = 1;
    inst->vaddr[0] = (unsigned char)reg;
    for (unsigned i = 1; i < most; i++)
        inst->vaddr[i] = (unsigned char)field(word_at(code, 2 + (i - 1) / 4), (i - 1) % 4 * 8, 8);
    inst->vaddr_count = (unsigned char)(words < most ? words : most);
    if (code->family == AMDGPU_GFX10)
        code->unknown |= words > most;
    else if (words > most)
        code->unknown |= inst->vaddr[most - 1] + words - most >= 256;
}

static void decode_mimg(struct code *code, uint32_t word)
{
    bool late = code->family == AMDGPU_GFX11;
    unsigned nsa = code->family == AMDGPU_GFX9 ? 0 : late ? field(word, 0, 1) : field(word, 1, 2);
    unsigned number = late ? field(word, 18, 8) : field(word, 18, 7) | field(word, 0, 1) << 7;
    uint32_t high = word_at(code, 1);
    const struct amdgpu_row *row = amdgpu_row_of(code->isa, AMDGPU_MIMG, number);
    if (nsa)
        word_at(code, 1 + nsa);
    if (!row) {
        find_row(code, AMDGPU_MIMG, AMDGPU_MIMG_OTHER);
        return;
    }
    find_row(code, AMDGPU_MIMG, number);
    mimg_bits(code, word, high);
    mimg_data(code, row, field(high, 8, 8), is_cdna2(code) && flag(word, 16));
    mimg_address(code, row, field(high, 0, 8), nsa);
    scalar_register(code, field(high, 16, 5) * 4, AMDGPU_B256, &code->inst->saddr);
    if (row->flags & AMDGPU_ROW_SAMPLER)
        scalar_register(code, field(high, late ? 26 : 21, 5) * 4, AMDGPU_B128,
                        &code->inst->soffset);
}

static void decode_exp(struct code *code)
{
    find_row(code, AMDGPU_EXP, 0);
    word_at(code, 1);
}

/* ---- formats ------------------------------------------------------------------------------ */

static void decode_scalar(struct code *code, uint32_t word)
{
    switch (word >> 23) {
    case 0x17d:
        decode_sop1(code, word);
        break;
    case 0x17e:
        decode_sopc(code, word);
        break;
    case 0x17f:
        decode_sopp(code, word);
        break;
    default:
        if (word >> 28 == 0xb)
            decode_sopk(code, word);
        else
            decode_sop2(code, word);
    }
}

static void decode_vector(struct code *code, uint32_t word)
{
    if (word >> 25 == 0x3f)
        decode_vop1(code, word);
    else if (word >> 25 == 0x3e)
        decode_vopc(code, word);
    else
        decode_vop2(code, word);
}

/* Of the formats of two words. */
static enum amdgpu_format format_of(const struct code *code, uint32_t word)
{
    bool gfx9 = code->family == AMDGPU_GFX9;
    unsigned more = field(word, 23, 3);
    switch (word >> 26) {
    case 0x30:
        return gfx9 ? AMDGPU_SMEM : AMDGPU_FORMAT_COUNT;
    case 0x31:
        return gfx9 ? AMDGPU_EXP : AMDGPU_FORMAT_COUNT;
    case 0x32:
        return code->family == AMDGPU_GFX11 ? AMDGPU_VOPD : AMDGPU_FORMAT_COUNT;
    case 0x33:
        return !gfx9 && more == 0 ? AMDGPU_VOP3P : AMDGPU_FORMAT_COUNT;
    case 0x34:
        return !gfx9 ? AMDGPU_FORMAT_COUNT : more == 7 ? AMDGPU_VOP3P : AMDGPU_VOP3;
    case 0x35:
        return gfx9 ? AMDGPU_FORMAT_COUNT : AMDGPU_VOP3;
    case 0x36:
        return AMDGPU_DS;
    case 0x37:
        return AMDGPU_FLAT;
    case 0x38:
        return AMDGPU_MUBUF;
    case 0x3a:
        return AMDGPU_MTBUF;
    case 0x3c:
        return AMDGPU_MIMG;
    case 0x3d:
        return gfx9 ? AMDGPU_FORMAT_COUNT : AMDGPU_SMEM;
    case 0x3e:
        return gfx9 ? AMDGPU_FORMAT_COUNT : AMDGPU_EXP;
    default:
        return AMDGPU_FORMAT_COUNT;
    }
}

static void decode_wide(struct code *code, uint32_t word)
{
    word_at(code, 1);
    switch (format_of(code, word)) {
    case AMDGPU_SMEM:
        decode_smem(code, word);
        break;
    case AMDGPU_VOP3:
        decode_vop3(code, word);
        break;
    case AMDGPU_VOP3P:
        decode_vop3p(code, word);
        break;
    case AMDGPU_VOPD:
        decode_vopd(code, word);
        break;
    case AMDGPU_DS:
        decode_ds(code, word);
        break;
    case AMDGPU_FLAT:
        decode_flat(code, word);
        break;
    case AMDGPU_MUBUF:
        decode_mubuf(code, word);
        break;
    case AMDGPU_MTBUF:
        decode_mtbuf(code, word);
        break;
    case AMDGPU_MIMG:
        decode_mimg(code, word);
        break;
    case AMDGPU_EXP:
        decode_exp(code);
        break;
    default:
        code->unknown = true;
    }
}

enum amdgpu_decoded amdgpu_decode(enum amdgpu_isa isa, unsigned lanes, const void *bytes,
                                  size_t size, struct amdgpu_inst *out_inst)
{
    struct code code = {
        .isa = isa, .family = amdgpu_family_of(isa), .lanes = lanes, .inst = out_inst};
    uint32_t word;
    *out_inst = (struct amdgpu_inst){0};
    code.available = size / 4 < MAX_WORDS ? (unsigned)(size / 4) : MAX_WORDS;
    memcpy(code.words, bytes, code.available * 4);
    word = word_at(&code, 0);
    if (code.cut)
        return AMDGPU_CUT_OFF;
    if (word >> 31 == 0)
        decode_vector(&code, word);
    else if (word >> 30 == 2)
        decode_scalar(&code, word);
    else
        decode_wide(&code, word);
    if (code.cut)
        return AMDGPU_CUT_OFF;
    out_inst->length = (unsigned char)(code.used * 4);
    return code.unknown ? AMDGPU_UNKNOWN : AMDGPU_DECODED;
}
