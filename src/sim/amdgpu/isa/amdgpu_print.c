/* Prints instructions in the syntax of LLVM's disassembler. */
#include "amdgpu_inst.h"
#include "amdgpu_print_names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The state of the printer. */
struct text {
    enum amdgpu_isa isa;
    enum amdgpu_family family;
    const struct amdgpu_inst *inst;
    char *out;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = vsnprintf(text->out + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    text->used += (size_t)length;
    if (text->used >= text->size)
        text->used = text->size - 1;
}

static void put_flag(struct text *text, bool on, const char *name)
{
    if (on)
        put(text, " %s", name);
}

static bool is_half(unsigned type)
{
    return type == AMDGPU_B16 || type == AMDGPU_I16 || type == AMDGPU_U16 || type == AMDGPU_F16 ||
           type == AMDGPU_BF16;
}

static bool is_wide(unsigned type)
{
    return type == AMDGPU_B64 || type == AMDGPU_I64 || type == AMDGPU_U64 || type == AMDGPU_F64 ||
           type == AMDGPU_MASK;
}

/* ---- operands ----------------------------------------------------------------------------- */

static void put_registers(struct text *text, const char *file, unsigned reg, unsigned count)
{
    if (count == 1)
        put(text, "%s%u", file, reg);
    else
        put(text, "%s[%u:%u]", file, reg, reg + count - 1);
}

static void put_named_scalar(struct text *text, unsigned reg, unsigned count)
{
    static const struct {
        unsigned char reg;
        const char *name;
    } pairs[] = {{106, "vcc"}, {126, "exec"}, {102, "flat_scratch"}, {104, "xnack_mask"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (reg >> 1 == pairs[i].reg >> 1) {
            put(text, "%s%s", pairs[i].name, count == 2 ? "" : reg & 1 ? "_hi" : "_lo");
            return;
        }
    put(text, "m0");
}

static void put_scalar(struct text *text, unsigned reg, unsigned count)
{
    unsigned general = text->family == AMDGPU_GFX9 ? 102 : 106;
    if (reg < general)
        put_registers(text, "s", reg, count);
    else if (reg >= 108 && reg < 124)
        put_registers(text, "ttmp", reg - 108, count);
    else
        put_named_scalar(text, reg, count);
}

/* A value of 16, 32 or 64 bits as an integer with its sign. */
static int64_t signed_value(const struct amdgpu_operand *operand)
{
    if (is_half(operand->type))
        return (int16_t)operand->value;
    return is_wide(operand->type) ? (int64_t)operand->value : (int32_t)operand->value;
}

enum float_kind { HALF, SINGLE, DOUBLE, BRAIN };

/* The name of a float that may be an inline constant; NULL: it has none. */
static const char *float_name(uint64_t value, enum float_kind kind)
{
    static const char *const names[] = {"0.5",  "-0.5", "1.0",  "-1.0",      "2.0",
                                        "-2.0", "4.0",  "-4.0", "0.15915494"};
    static const uint64_t values[][9] = {
        {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118},
        {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000,
         0xc0800000, 0x3e22f983},
        {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000,
         0x4000000000000000, 0xc000000000000000, 0x4010000000000000, 0xc010000000000000,
         0x3fc45f306dc9c882},
        {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22}};
    for (unsigned i = 0; i < 9; i++)
        if (value == values[kind][i])
            return kind == DOUBLE && i == 8 ? "0.15915494309189532" : names[i];
    return NULL;
}

static const char *operand_float_name(const struct amdgpu_operand *operand)
{
    switch (operand->type) {
    case AMDGPU_I16:
    case AMDGPU_U16:
        return NULL;
    case AMDGPU_F16:
    case AMDGPU_B16:
    case AMDGPU_PKF16:
        return float_name(operand->value, HALF);
    case AMDGPU_BF16:
    case AMDGPU_PKBF16:
        return float_name(operand->value, BRAIN);
    default:
        return float_name(operand->value, is_wide(operand->type) ? DOUBLE : SINGLE);
    }
}

static bool is_small(int64_t value)
{
    return value >= -16 && value <= 64;
}

/* Whether a literal's value is also an inline constant; it is then printed as a literal. */
static bool looks_inline(const struct text *text, const struct amdgpu_operand *operand)
{
    uint32_t literal = text->inst->literal;
    if (operand->type == AMDGPU_F64)
        return false;
    if (operand->type == AMDGPU_I16 || operand->type == AMDGPU_U16)
        return is_small((int32_t)literal) || float_name(literal, SINGLE);
    if (is_wide(operand->type))
        return is_small(literal);
    return is_small(signed_value(operand)) || operand_float_name(operand);
}

static void put_constant(struct text *text, const struct amdgpu_operand *operand)
{
    int64_t value = signed_value(operand);
    const char *name = operand_float_name(operand);
    bool exact = operand->literal && (operand->type == AMDGPU_BF16 ||
                                      (is_wide(operand->type) && operand->type != AMDGPU_F64));
    if (operand->literal && looks_inline(text, operand))
        put(text, "lit(0x%x)", text->inst->literal);
    else if (exact)
        put(text, "0x%x", text->inst->literal);
    else if (is_small(value) && !(operand->literal && is_half(operand->type)))
        put(text, "%d", (int)value);
    else if (name)
        put(text, "%s", name);
    else
        put(text, "0x%x",
            operand->type == AMDGPU_F64 ? text->inst->literal : (unsigned)operand->value);
}

static void put_operand(struct text *text, const struct amdgpu_operand *operand)
{
    static const char *const names[] = {
        [AMDGPU_NULL] = "null",
        [AMDGPU_SCC] = "src_scc",
        [AMDGPU_VCCZ] = "src_vccz",
        [AMDGPU_EXECZ] = "src_execz",
        [AMDGPU_SHARED_BASE] = "src_shared_base",
        [AMDGPU_SHARED_LIMIT] = "src_shared_limit",
        [AMDGPU_PRIVATE_BASE] = "src_private_base",
        [AMDGPU_PRIVATE_LIMIT] = "src_private_limit",
        [AMDGPU_LDS_DIRECT] = "src_lds_direct",
        [AMDGPU_POPS_WAVE_ID] = "src_pops_exiting_wave_id",
    };
    switch (operand->kind) {
    case AMDGPU_NONE:
        put(text, "off");
        break;
    case AMDGPU_SREG:
        put_scalar(text, operand->reg, operand->count);
        break;
    case AMDGPU_VREG:
        put_registers(text, operand->reg < 256 ? "v" : "a", operand->reg & 255, operand->count);
        break;
    case AMDGPU_CONST:
        put_constant(text, operand);
        break;
    default:
        put(text, "%s", names[operand->kind]);
    }
}

static void put_separator(struct text *text, bool *first)
{
    put(text, "%s", *first ? " " : ", ");
    *first = false;
}

static void put_next(struct text *text, bool *first, const struct amdgpu_operand *operand)
{
    put_separator(text, first);
    put_operand(text, operand);
}

static void put_if_present(struct text *text, bool *first, const struct amdgpu_operand *operand)
{
    if (operand->kind != AMDGPU_NONE)
        put_next(text, first, operand);
}

/* ---- scalar formats ----------------------------------------------------------------------- */

static void put_scalar_instruction(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    bool first = true;
    put(text, "%s", inst->row->name);
    put_if_present(text, &first, &inst->dst[0]);
    for (unsigned i = 0; i < AMDGPU_SOURCES; i++)
        put_if_present(text, &first, &inst->src[i]);
    if (amdgpu_has_immediate(inst)) {
        char words[128];
        amdgpu_immediate_text(text->isa, inst, words, sizeof words);
        if (*words) {
            put_separator(text, &first);
            put(text, "%s", words);
        }
    }
}

/* The hardware register of s_setreg comes before its source. */
static void put_setreg(struct text *text)
{
    struct amdgpu_operand source = text->inst->src[0];
    char words[128];
    bool first = false;
    amdgpu_immediate_text(text->isa, text->inst, words, sizeof words);
    put(text, "%s %s", text->inst->row->name, words);
    put_separator(text, &first);
    source.literal = false; /* the instruction has no other form */
    put_operand(text, &source);
}

static void put_signed_hex(struct text *text, int32_t value)
{
    put(text, "%s0x%x", value < 0 ? "-" : "", value < 0 ? -(unsigned)value : (unsigned)value);
}

static void put_smem_offset(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    bool none = inst->soffset.kind == AMDGPU_NONE;
    bool only = none || (inst->soffset.kind == AMDGPU_NULL && inst->offset != 0);
    if (only) {
        put_signed_hex(text, inst->offset);
        return;
    }
    put_operand(text, &inst->soffset);
    if (text->family == AMDGPU_GFX9 ? inst->offen : inst->offset != 0) {
        put(text, " offset:");
        put_signed_hex(text, inst->offset);
    }
}

static void put_smem(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    bool first = true;
    put(text, "%s", inst->row->name);
    if (inst->row->id == AMDGPU_ID_S_ATC_PROBE || inst->row->id == AMDGPU_ID_S_ATC_PROBE_BUFFER) {
        put_separator(text, &first);
        put(text, "%d", inst->imm);
    }
    put_if_present(text, &first, inst->data.kind != AMDGPU_NONE ? &inst->data : &inst->dst[0]);
    if (inst->addr.kind != AMDGPU_NONE) {
        put_next(text, &first, &inst->addr);
        put_separator(text, &first);
        put_smem_offset(text);
    }
    put_flag(text, inst->glc, "glc");
    put_flag(text, inst->dlc, "dlc");
}

/* ---- vector arithmetic ------------------------------------------------------------------ */

static bool has_operands(const struct amdgpu_row *row)
{
    return row->dst[0] != AMDGPU_NOTYPE || row->src[0] != AMDGPU_NOTYPE;
}

static void put_vector_name(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    const struct amdgpu_row *row = inst->row;
    bool wide = inst->format == AMDGPU_VOP3 || inst->format == AMDGPU_VOP3P;
    put(text, "%s", row->name);
    if (!has_operands(row))
        return;
    if (inst->has_sdwa)
        put(text, "_sdwa");
    else if (wide && (inst->has_dpp || row->format != inst->format))
        put(text, inst->has_dpp ? "_e64_dpp" : "_e64");
    else if (inst->has_dpp)
        put(text, inst->format == AMDGPU_VOPC ? "" : "_dpp");
    else if (!wide && !(row->flags & AMDGPU_ROW_NO_VOP3))
        put(text, "_e32");
}

/* gfx11: which half of a register; bit: of op_sel. */
static void put_half(struct text *text, const struct amdgpu_operand *operand, unsigned bit)
{
    if (text->family == AMDGPU_GFX11 && operand->kind == AMDGPU_VREG && is_half(operand->type) &&
        text->inst->format != AMDGPU_VOP3P)
        put(text, text->inst->op_sel >> bit & 1 ? ".h" : ".l");
}

static bool is_mix(const struct amdgpu_inst *inst)
{
    return inst->format == AMDGPU_VOP3P && strstr(inst->row->name, "_mix");
}

static void put_source(struct text *text, unsigned index)
{
    const struct amdgpu_inst *inst = text->inst;
    struct amdgpu_operand half = inst->src[index], *operand = &half;
    bool modified = inst->format != AMDGPU_VOP3P || is_mix(inst);
    bool neg = modified && inst->neg >> index & 1, abs = modified && inst->abs >> index & 1;
    bool sext = inst->has_sdwa && index < 2 && inst->sdwa.sext[index];
    bool word;
    if (half.literal && is_mix(inst)) { /* mixed precision prints them as half precision */
        half.type = AMDGPU_F16;
        half.value &= 0xffff;
    }
    word = neg && !abs && operand->kind == AMDGPU_CONST &&
           !(operand->literal && looks_inline(text, operand));
    put(text, "%s%s%s", word ? "neg(" : neg ? "-" : "", abs ? "|" : "", sext ? "sext(" : "");
    if (operand->literal && inst->row->flags & AMDGPU_ROW_LITERAL && index > 0)
        put(text, "0x%x", inst->literal); /* the whole register, of 16-bit types too */
    else
        put_operand(text, operand);
    put_half(text, operand, index);
    put(text, "%s%s%s", sext ? ")" : "", abs ? "|" : "", word ? ")" : "");
}

static unsigned source_count(const struct amdgpu_row *row)
{
    unsigned count = 0;
    while (count < AMDGPU_SOURCES && row->src[count] != AMDGPU_NOTYPE)
        count++;
    return count;
}

/* " op_sel:[0,1]", if a bit differs from its default. */
static void put_bits(struct text *text, const char *name, unsigned bits, unsigned count,
                     unsigned usual)
{
    if ((bits & ((1u << count) - 1)) == (usual & ((1u << count) - 1)))
        return;
    put(text, " %s:[", name);
    for (unsigned i = 0; i < count; i++)
        put(text, "%s%u", i ? "," : "", bits >> i & 1);
    put(text, "]");
}

static bool prints_op_sel(const struct text *text)
{
    const struct amdgpu_row *row = text->inst->row;
    if (text->inst->format != AMDGPU_VOP3 || row->id == AMDGPU_ID_V_CNDMASK_B16)
        return false;
    if (row->flags & AMDGPU_ROW_OP_SEL)
        return true;
    return text->family == AMDGPU_GFX11 && (is_half(row->dst[0]) || is_half(row->src[0]) ||
                                            is_half(row->src[1]) || is_half(row->src[2]));
}

/* Of VOP3: a bit for each source and one for the destination. */
static void put_op_sel(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    bool accumulates = inst->row->flags & AMDGPU_ROW_ACCUMULATES; /* the destination, as a source */
    unsigned count = source_count(inst->row) + accumulates;
    unsigned bits = inst->op_sel & ((1u << count) - 1);
    bool lanes =
        inst->row->id == AMDGPU_ID_V_PERMLANE16_B32 || inst->row->id == AMDGPU_ID_V_PERMLANEX16_B32;
    if (lanes)
        put_bits(text, "op_sel", inst->op_sel, 2, 0);
    else if (strstr(inst->row->name, "_sr_"))
        put_bits(text, "op_sel", inst->op_sel, 4, 0);
    else if (inst->row->flags & AMDGPU_ROW_COMPARE &&
             (inst->has_dpp || inst->row->flags & AMDGPU_ROW_EXEC))
        put_bits(text, "op_sel", bits, count, 0);
    else
        put_bits(text, "op_sel", bits | (unsigned)(inst->op_sel >> 3) << count, count + 1, 0);
}

static void put_packed_modifiers(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    unsigned count = source_count(inst->row);
    if (inst->row->flags & AMDGPU_ROW_MATRIX && text->family == AMDGPU_GFX9) {
        if (inst->neg_hi)
            put(text, " cbsz:%u", inst->neg_hi);
        if (inst->op_sel)
            put(text, " abid:%u", inst->op_sel);
        if (inst->neg)
            put(text, " blgp:%u", inst->neg);
        return;
    }
    if (inst->row->src[0] != AMDGPU_B32) { /* dot products of bytes have no halves */
        put_bits(text, "op_sel", inst->op_sel, count, 0);
        put_bits(text, "op_sel_hi", inst->op_sel_hi, count, is_mix(inst) ? 0 : ~0u);
    }
    if (is_mix(inst))
        return;
    put_bits(text, "neg_lo", inst->neg, count, 0);
    put_bits(text, "neg_hi", inst->neg_hi, count, 0);
}

static void put_dpp_control(struct text *text, unsigned control)
{
    static const struct {
        unsigned short from;
        const char *name;
    } rows[] = {{0x101, "row_shl"}, {0x111, "row_shr"}, {0x121, "row_ror"}};
    static const char *const others[] = {
        [0x00] = "wave_shl:1",   [0x04] = "wave_rol:1",  [0x08] = "wave_shr:1",
        [0x0c] = "wave_ror:1",   [0x10] = "row_mirror",  [0x11] = "row_half_mirror",
        [0x12] = "row_bcast:15", [0x13] = "row_bcast:31"};
    if (control < 0x100) {
        put(text, " quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3,
            control >> 6);
        return;
    }
    for (size_t i = 0; i < 3; i++)
        if (control >= rows[i].from && control < rows[i].from + 15u) {
            put(text, " %s:%u", rows[i].name, control - rows[i].from + 1);
            return;
        }
    if (control >= 0x130 && control < 0x144 && others[control - 0x130])
        put(text, " %s", others[control - 0x130]);
    else if (control >= 0x150 && control < 0x160)
        put(text, " %s:%u", text->family == AMDGPU_GFX9 ? "row_newbcast" : "row_share",
            control & 15);
    else if (control >= 0x160 && control < 0x170)
        put(text, " row_xmask:%u", control & 15);
    else
        put(text, " dpp_ctrl:0x%x", control);
}

static void put_dpp(struct text *text)
{
    const struct amdgpu_dpp *dpp = &text->inst->dpp;
    if (dpp->is_dpp8) {
        put(text, " dpp8:[");
        for (unsigned i = 0; i < 8; i++)
            put(text, "%s%u", i ? "," : "", dpp->lanes >> (3 * i) & 7);
        put(text, "]");
    } else {
        put_dpp_control(text, dpp->control);
        put(text, " row_mask:0x%x bank_mask:0x%x", dpp->row_mask, dpp->bank_mask);
        put_flag(text, dpp->bound_ctrl, "bound_ctrl:1");
    }
    put_flag(text, dpp->fetch_inactive, "fi:1");
}

static void put_sdwa(struct text *text)
{
    static const char *const selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                          "WORD_0", "WORD_1", "DWORD",  "?"};
    static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
    const struct amdgpu_inst *inst = text->inst;
    if (inst->format != AMDGPU_VOPC && !strstr(inst->row->name, "f8") &&
        !strstr(inst->row->name, "fp8"))
        put(text, " dst_sel:%s dst_unused:%s", selects[inst->sdwa.dst & 7],
            unused[inst->sdwa.dst_unused & 3]);
    put(text, " src0_sel:%s", selects[inst->sdwa.src[0] & 7]);
    if (inst->format != AMDGPU_VOP1)
        put(text, " src1_sel:%s", selects[inst->sdwa.src[1] & 7]);
}

static void put_vector_modifiers(struct text *text)
{
    static const char *const omods[] = {"", "mul:2", "mul:4", "div:2"};
    const struct amdgpu_inst *inst = text->inst;
    if (prints_op_sel(text))
        put_op_sel(text);
    if (inst->format == AMDGPU_VOP3P)
        put_packed_modifiers(text);
    put_flag(text, inst->clamp, "clamp");
    put_flag(text, inst->omod, omods[inst->omod & 3]);
    if (inst->has_dpp)
        put_dpp(text);
    if (inst->has_sdwa)
        put_sdwa(text);
}

static void put_vector(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    unsigned count = source_count(inst->row);
    bool first = true;
    put_vector_name(text);
    for (unsigned i = 0; i < 2; i++) {
        put_if_present(text, &first, &inst->dst[i]);
        if (i == 0)
            put_half(text, &inst->dst[0], 3);
    }
    for (unsigned i = 0; i < count; i++) {
        put_separator(text, &first);
        put_source(text, i);
    }
    put_vector_modifiers(text);
}

static void put_dual(struct text *text, const struct amdgpu_row *row,
                     const struct amdgpu_operand *dst, const struct amdgpu_operand *src)
{
    bool first = true;
    unsigned count = source_count(row) - !!(row->flags & AMDGPU_ROW_CARRY_IN);
    put(text, "%s", row->name);
    put_next(text, &first, dst);
    for (unsigned i = 0; i < count; i++) {
        put_separator(text, &first);
        if (src[i].literal && row->flags & AMDGPU_ROW_LITERAL && i > 0)
            put(text, "0x%x", text->inst->literal);
        else
            put_operand(text, &src[i]);
    }
}

static void put_vopd(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    put_dual(text, inst->row, &inst->dst[0], inst->src);
    put(text, " :: ");
    put_dual(text, inst->row_y, &inst->dst_y, inst->src_y);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void put_ds(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    bool first = true;
    char words[64];
    put(text, "%s", inst->row->name);
    put_if_present(text, &first, &inst->dst[0]);
    put_if_present(text, &first, &inst->addr);
    put_if_present(text, &first, &inst->data);
    put_if_present(text, &first, &inst->data1);
    if (inst->row->id == AMDGPU_ID_DS_SWIZZLE_B32 && inst->offset) {
        amdgpu_swizzle_text(inst, words, sizeof words);
        put(text, " offset:%s", words);
    } else if (!(inst->row->flags & AMDGPU_ROW_TWO)) {
        if (inst->offset)
            put(text, " offset:%d", inst->offset);
    } else {
        if (inst->offset)
            put(text, " offset0:%d", inst->offset);
        if (inst->offset1)
            put(text, " offset1:%d", inst->offset1);
    }
    put_flag(text, inst->gds, "gds");
}

/* Bits for caches. */
static void put_policy(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    bool named = text->isa == AMDGPU_GFX942;
    put_flag(text, inst->glc, named ? "sc0" : "glc");
    put_flag(text, inst->slc, named ? "nt" : "slc");
    put_flag(text, inst->dlc, "dlc");
    put_flag(text, inst->scc, named ? "sc1" : "scc");
}

static void put_flat(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    bool first = true;
    put(text, "%s", inst->row->name);
    if (!inst->lds)
        put_if_present(text, &first, &inst->dst[0]);
    if (!(inst->row->flags & AMDGPU_ROW_NO_ADDRESS))
        put_next(text, &first, &inst->addr);
    put_if_present(text, &first, &inst->data);
    if (inst->format != AMDGPU_FLAT)
        put_next(text, &first, &inst->saddr);
    if (inst->offset)
        put(text, " offset:%d", inst->offset);
    put_policy(text);
    put_flag(text, inst->lds, "lds");
}

/* MTBUF: " format:[BUF_FMT_8_UNORM]"; the default is not printed. */
static void put_texel_format(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    char words[80];
    if (inst->format != AMDGPU_MTBUF)
        return;
    amdgpu_format_text(text->isa, inst, words, sizeof words);
    if (*words)
        put(text, " format:%s", words);
}

static void put_buffer(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    bool first = true;
    put(text, "%s", inst->row->name);
    if (inst->saddr.kind == AMDGPU_NONE) { /* instructions that control caches */
        if (text->isa == AMDGPU_GFX942)
            put_policy(text);
        return;
    }
    put_if_present(text, &first, inst->data.kind != AMDGPU_NONE ? &inst->data : &inst->dst[0]);
    if (!inst->lds || inst->addr.kind != AMDGPU_NONE)
        put_next(text, &first, &inst->addr);
    put_next(text, &first, &inst->saddr);
    put_next(text, &first, &inst->soffset);
    put_texel_format(text);
    put_flag(text, inst->idxen, "idxen");
    put_flag(text, inst->offen, "offen");
    if (inst->offset)
        put(text, " offset:%d", inst->offset);
    put_policy(text);
    put_flag(text, inst->tfe, "tfe");
    put_flag(text, inst->lds, "lds");
}

/* ---- images -------------------------------------------------------------------------------- */

static void put_image_address(struct text *text)
{
    const struct amdgpu_inst *inst = text->inst;
    unsigned words = amdgpu_image_words(text->isa, inst->row, inst->dim, inst->a16);
    unsigned last = inst->vaddr_count - 1u;
    if (inst->vaddr_count == 0) {
        put_operand(text, &inst->addr);
        return;
    }
    put(text, "[");
    for (unsigned i = 0; i < last; i++)
        put(text, "v%u, ", inst->vaddr[i]);
    put_registers(text, "v", inst->vaddr[last], words - last);
    put(text, "]");
}

static void put_image(struct text *text)
{
    static const char *const dims[] = {"1D",       "2D",       "3D",      "CUBE",
                                       "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
    const struct amdgpu_inst *inst = text->inst;
    bool first = true;
    put(text, "%s", inst->row->name);
    if (inst->row->id == AMDGPU_ID_IMAGE)
        return;
    put_next(text, &first, inst->data.kind != AMDGPU_NONE ? &inst->data : &inst->dst[0]);
    put_separator(text, &first);
    put_image_address(text);
    put_next(text, &first, &inst->saddr);
    put_if_present(text, &first, &inst->soffset);
    put(text, " dmask:0x%x", inst->dmask);
    if (text->family != AMDGPU_GFX9)
        put(text, " dim:SQ_RSRC_IMG_%s", dims[inst->dim & 7]);
    put_flag(text, inst->unorm, "unorm");
    put_policy(text);
    put_flag(text, inst->r128, "r128");
    put_flag(text, inst->a16, "a16");
    put_flag(text, inst->tfe, "tfe");
    put_flag(text, inst->lwe, "lwe");
    put_flag(text, inst->da, "da");
    put_flag(text, inst->d16, "d16");
}

void amdgpu_print(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst, char *out,
                  size_t out_size)
{
    struct text text = {isa, amdgpu_family_of(isa), inst, out, out_size, 0};
    (void)lanes; /* the operands print them */
    if (out_size == 0)
        return;
    *out = 0;
    switch (inst->row ? inst->format : AMDGPU_FORMAT_COUNT) {
    case AMDGPU_SOP1:
    case AMDGPU_SOP2:
    case AMDGPU_SOPC:
    case AMDGPU_SOPP:
        put_scalar_instruction(&text);
        break;
    case AMDGPU_SOPK:
        amdgpu_is_setreg(inst) ? put_setreg(&text) : put_scalar_instruction(&text);
        break;
    case AMDGPU_SMEM:
        put_smem(&text);
        break;
    case AMDGPU_VOP1:
    case AMDGPU_VOP2:
    case AMDGPU_VOPC:
    case AMDGPU_VOP3:
    case AMDGPU_VOP3P:
        put_vector(&text);
        break;
    case AMDGPU_VOPD:
        put_vopd(&text);
        break;
    case AMDGPU_DS:
        put_ds(&text);
        break;
    case AMDGPU_FLAT:
    case AMDGPU_GLOBAL:
    case AMDGPU_SCRATCH:
        put_flat(&text);
        break;
    case AMDGPU_MUBUF:
    case AMDGPU_MTBUF:
        put_buffer(&text);
        break;
    case AMDGPU_MIMG:
        put_image(&text);
        break;
    default:
        put(&text, "%s", inst->row ? inst->row->name : "(unknown)");
    }
}
