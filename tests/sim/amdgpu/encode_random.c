/* Builds encodings field by field, from the same rows as the decoder but not with its code:
 * registers are aligned, and fields that a row does not have are 0, as disassemblers require. */
#include "encode_random.h"

#include <string.h>

struct random {
    const struct random_form *form;
    enum amdgpu_family family;
    uint64_t *seed;
    bool literal; /* a source may be a literal, or not */
};

static uint32_t next(struct random *random)
{
    *random->seed = *random->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random->seed >> 32);
}

static unsigned below(struct random *random, unsigned limit)
{
    return next(random) % limit;
}

static bool one_in(struct random *random, unsigned count)
{
    return below(random, count) == 0;
}

static uint32_t bits(struct random *random, unsigned count)
{
    return next(random) & ((1u << count) - 1);
}

static unsigned words_of(unsigned type)
{
    switch (type) {
    case AMDGPU_B64:
    case AMDGPU_I64:
    case AMDGPU_U64:
    case AMDGPU_F64:
    case AMDGPU_PKF32:
    case AMDGPU_MASK:
        return 2;
    case AMDGPU_B96:
    case AMDGPU_B128:
        return 4;
    case AMDGPU_B256:
        return 8;
    case AMDGPU_B512:
        return 16;
    case AMDGPU_B1024:
        return 32;
    default:
        return 1;
    }
}

static bool is_half(unsigned type)
{
    return type == AMDGPU_B16 || type == AMDGPU_I16 || type == AMDGPU_U16 || type == AMDGPU_F16 ||
           type == AMDGPU_BF16;
}

static unsigned vgpr(struct random *random, unsigned type)
{
    unsigned words = words_of(type);
    return words == 1 ? below(random, 256) : below(random, (256 - words) / 2) * 2;
}

static unsigned sgpr(struct random *random, unsigned type)
{
    unsigned words = words_of(type), align = words < 4 ? words : 4;
    if (words <= 2 && one_in(random, 8)) /* VCC, TTMP, EXEC */
        return one_in(random, 2) ? 106 : one_in(random, 2) ? 126 : 108 + below(random, 7) * 2;
    if (words > 16)
        return 0;
    return below(random, (100 - words) / align) * align;
}

/* A source other than a VGPR. */
static unsigned scalar(struct random *random, unsigned type)
{
    static const unsigned char others[] = {235, 236, 237, 238, 253};
    unsigned mask = type == AMDGPU_MASK;
    switch (mask ? 0 : below(random, 8)) {
    case 0:
    case 1:
    case 2:
        return sgpr(random, type);
    case 3:
        return 128 + below(random, 65);
    case 4:
        return 193 + below(random, 16);
    case 5:
        return 240 + below(random, 9);
    case 6:
        return random->literal ? sgpr(random, type) : 255;
    default:
        return words_of(type) == 1 ? others[below(random, sizeof others)] : sgpr(random, type);
    }
}

static unsigned source(struct random *random, unsigned type)
{
    if (type == AMDGPU_NOTYPE)
        return 0;
    return type == AMDGPU_MASK || one_in(random, 2) ? scalar(random, type)
                                                    : 256 + vgpr(random, type);
}

static unsigned first_type(const struct amdgpu_row *row)
{
    return row->dst[0] != AMDGPU_NOTYPE ? row->dst[0] : row->src[0];
}

/* ---- scalar ---------------------------------------------------------------------------------- */

static void sop1(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned dst = row->dst[0] == AMDGPU_NOTYPE ? 0 : sgpr(random, row->dst[0]);
    unsigned src = row->src[0] == AMDGPU_NOTYPE ? 0 : scalar(random, row->src[0]);
    if (row->id == AMDGPU_ID_S_SENDMSG_RTN_B32 || row->id == AMDGPU_ID_S_SENDMSG_RTN_B64)
        src = 120 + below(random, 20);
    words[0] = 0x17du << 23 | dst << 16 | op << 8 | src;
}

static void sop2(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned dst = row->dst[0] == AMDGPU_NOTYPE ? 0 : sgpr(random, row->dst[0]);
    unsigned src0 = scalar(random, row->src[0]), src1 = scalar(random, row->src[1]);
    words[0] = 2u << 30 | op << 23 | dst << 16 | src1 << 8 | src0;
}

static void sopc(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned src0 = scalar(random, row->src[0]);
    unsigned src1 = row->src[1] == AMDGPU_NOTYPE ? bits(random, 5) : scalar(random, row->src[1]);
    words[0] = 0x17eu << 23 | op << 16 | src1 << 8 | src0;
}

static void sopk(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned type = first_type(row);
    unsigned reg =
        type == AMDGPU_NOTYPE || row->flags & AMDGPU_ROW_LITERAL ? 0 : sgpr(random, type);
    words[0] = 0xbu << 28 | op << 23 | reg << 16 | bits(random, 16);
}

static void sopp(struct random *random, unsigned op, uint32_t *words)
{
    unsigned value = one_in(random, 4) ? bits(random, 16) : bits(random, 7);
    words[0] = 0x17fu << 23 | op << 16 | (one_in(random, 4) ? 0 : value);
}

static void smem(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned type = row->src[0] != AMDGPU_NOTYPE ? row->src[0] : row->dst[0];
    unsigned offset = bits(random, 21);
    unsigned data = type == AMDGPU_NOTYPE ? 0 : sgpr(random, type);
    unsigned base = sgpr(random, AMDGPU_B128) / 2;
    bool glc = one_in(random, 4);
    bool addressed = type != AMDGPU_NOTYPE || row->flags & AMDGPU_ROW_BUFFER ||
                     strstr(row->name, "probe") || strstr(row->name, "discard");
    if (strstr(row->name, "time") || !addressed) {
        words[0] = (random->family == AMDGPU_GFX9 ? 0x30u : 0x3du) << 26 | op << 18 | data << 6;
        words[1] = 0;
        return;
    }
    if (strstr(row->name, "probe") || strstr(row->name, "discard"))
        glc = false;
    if (random->family == AMDGPU_GFX9) {
        unsigned form = below(random, 4); /* immediate, both, register, register in its place */
        words[0] = 0x30u << 26 | op << 18 | (unsigned)glc << 16 | (form < 2) << 17 |
                   (form == 1 || form == 2) << 14 | data << 6 | base;
        words[1] = form == 0   ? offset
                   : form == 1 ? offset | below(random, 100) << 25
                   : form == 2 ? below(random, 100) << 25
                               : below(random, 100);
        return;
    }
    words[0] = 0x3du << 26 | op << 18 | data << 6 | base;
    words[0] |= (unsigned)glc << (random->family == AMDGPU_GFX11 ? 14 : 16);
    words[1] = (one_in(random, 2)                ? below(random, 100)
                : random->family == AMDGPU_GFX11 ? 124u
                                                 : 125u)
               << 25;
    words[1] |= one_in(random, 3) ? 0 : offset;
}

/* ---- vector ---------------------------------------------------------------------------------- */

static bool is_float(unsigned type)
{
    return type == AMDGPU_F16 || type == AMDGPU_F32 || type == AMDGPU_F64;
}

static uint32_t sdwa_word(struct random *random, unsigned reg, bool floats, bool two)
{
    const struct amdgpu_row *row = random->form->row;
    uint32_t word = reg | below(random, 7) << 16;
    if (floats)
        word |= bits(random, 2) << 20;
    else if (!(row->flags & AMDGPU_ROW_CARRY_IN && !(row->flags & AMDGPU_ROW_CARRY_OUT)))
        word |= bits(random, 1) << 19;
    if (two) {
        word |= below(random, 7) << 24;
        if (is_float(row->src[1]))
            word |= bits(random, 2) << 28;
    }
    if (row->format == AMDGPU_VOPC)
        return word | (one_in(random, 2) ? 1u << 15 | sgpr(random, AMDGPU_B64) << 8 : 0);
    return word | below(random, 7) << 8 | below(random, 3) << 11;
}

static uint32_t dpp_word(struct random *random, unsigned reg, bool modifiers)
{
    static const unsigned short controls[] = {0x101, 0x10f, 0x111, 0x11f, 0x121, 0x12f,
                                              0x140, 0x141, 0x142, 0x143, 0x130, 0x138,
                                              0x150, 0x15f, 0x160, 0x16f};
    unsigned count = sizeof controls / sizeof *controls;
    unsigned control = one_in(random, 2) ? bits(random, 8) : controls[below(random, count)];
    uint32_t word = reg | control << 8 | bits(random, 1) << 19 | bits(random, 8) << 24;
    if (random->family != AMDGPU_GFX9)
        word |= bits(random, 1) << 18;
    if (modifiers)
        word |= bits(random, is_float(random->form->row->src[1]) ? 4 : 2) << 20;
    return word;
}

/* The first source of VOP1, VOP2 and VOPC; words[1] may become one of SDWA or DPP. */
static unsigned first_source(struct random *random, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    bool two = row->format != AMDGPU_VOP1;
    unsigned type = row->src[0], form = below(random, 4), reg = vgpr(random, type);
    if (type == AMDGPU_NOTYPE)
        return 0;
    if (row->flags & AMDGPU_ROW_MATRIX) /* v_accvgpr_mov_b32 */
        return 256 + reg;
    if (row->flags & AMDGPU_ROW_LITERAL || form < 2)
        return source(random, type);
    if (form == 2 && random->family != AMDGPU_GFX11) {
        words[1] = sdwa_word(random, reg, is_float(type), two);
        return 249;
    }
    if (random->family != AMDGPU_GFX9 && one_in(random, 3)) {
        words[1] = reg | next(random) << 8;
        return 233 + bits(random, 1);
    }
    words[1] = dpp_word(random, reg, is_float(type) && two);
    return 250;
}

static void vop1(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned dst = row->dst[0] == AMDGPU_NOTYPE         ? 0
                   : row->flags & AMDGPU_ROW_SCALAR_DST ? sgpr(random, row->dst[0])
                                                        : vgpr(random, row->dst[0]);
    words[0] = 0x3fu << 25 | dst << 17 | op << 9 | first_source(random, words);
}

static void vop2(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned dst = vgpr(random, row->dst[0]), second = vgpr(random, row->src[1]);
    words[0] = op << 25 | dst << 17 | second << 9 | first_source(random, words);
}

static void vopc(struct random *random, unsigned op, uint32_t *words)
{
    unsigned second = vgpr(random, random->form->row->src[1]);
    words[0] = 0x3eu << 25 | op << 17 | second << 9 | first_source(random, words);
}

/* LLVM loses bits of DPP's control in these. */
static bool is_mixed_half(const struct amdgpu_row *row)
{
    return row->id == AMDGPU_ID_V_FMA_MIXLO_F16 || row->id == AMDGPU_ID_V_FMA_MIXHI_F16;
}

/* Words after the first two: of DPP, when the first source says so. */
static unsigned three_sources(struct random *random, uint32_t *words, bool scalars_late)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned sources[3];
    for (unsigned i = 0; i < 3; i++)
        sources[i] = source(random, row->src[i]);
    if (scalars_late) { /* v_readlane and similar instructions */
        if (row->id != AMDGPU_ID_V_WRITELANE_B32)
            sources[0] = 256 + vgpr(random, row->src[0]);
        else if (sources[0] >= 256)
            sources[0] = 1;
        sources[1] = sgpr(random, AMDGPU_B32);
        sources[2] = row->src[2] == AMDGPU_NOTYPE ? 0 : sgpr(random, AMDGPU_B32);
    } else if (random->family == AMDGPU_GFX11 && row->src[0] != AMDGPU_NOTYPE &&
               !is_mixed_half(row) && one_in(random, 4)) {
        unsigned reg = vgpr(random, row->src[0]);
        sources[0] = one_in(random, 2) ? 250 : 233 + bits(random, 1);
        words[2] = sources[0] == 250 ? dpp_word(random, reg, false) : reg | next(random) << 8;
        for (unsigned i = 1; i < 3; i++)
            if (row->src[i] != AMDGPU_NOTYPE && row->src[i] != AMDGPU_MASK)
                sources[i] = 256 + vgpr(random, row->src[i]);
    }
    return sources[0] | sources[1] << 9 | sources[2] << 18;
}

static bool takes_lanes(const struct amdgpu_row *row)
{
    return row->id == AMDGPU_ID_V_READLANE_B32 || row->id == AMDGPU_ID_V_WRITELANE_B32 ||
           row->id == AMDGPU_ID_V_PERMLANE16_B32 || row->id == AMDGPU_ID_V_PERMLANEX16_B32;
}

/* Bits of op_sel: of operands of 16 bits, and what else there is before gfx11. */
static unsigned halves(struct random *random)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned usable = is_half(row->dst[0]) << 3;
    for (unsigned i = 0; i < 3; i++)
        usable |= (unsigned)is_half(row->src[i]) << i;
    if (row->id == AMDGPU_ID_V_PERMLANE16_B32 || row->id == AMDGPU_ID_V_PERMLANEX16_B32)
        usable = 3;
    else if (row->flags & AMDGPU_ROW_OP_SEL && random->family != AMDGPU_GFX11)
        usable = row->src[2] == AMDGPU_NOTYPE ? 11 : 15;
    else if (random->family != AMDGPU_GFX11)
        usable = 0;
    return bits(random, 4) & usable;
}

static void vop3(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned dst = row->dst[0] == AMDGPU_NOTYPE || row->flags & AMDGPU_ROW_COMPARE
                       ? sgpr(random, AMDGPU_B64)
                   : row->flags & AMDGPU_ROW_SCALAR_DST ? sgpr(random, row->dst[0])
                                                        : vgpr(random, row->dst[0]);
    if (row->src[0] == AMDGPU_NOTYPE)
        dst = 0;
    if (row->flags & AMDGPU_ROW_EXEC && random->family != AMDGPU_GFX9)
        dst = 126;
    random->literal |= random->family == AMDGPU_GFX9;
    words[0] = (random->family == AMDGPU_GFX9 ? 0x34u : 0x35u) << 26 | op << 16 | dst;
    words[1] = three_sources(random, words, takes_lanes(row));
    if (row->dst[1] != AMDGPU_NOTYPE) {
        words[0] |= sgpr(random, AMDGPU_B64) << 8;
    } else if (one_in(random, 2)) {
        for (unsigned i = 0; i < 3; i++)
            if (is_float(row->src[i])) {
                words[0] |= bits(random, 1) << (8 + i);
                words[1] |= bits(random, 1) << (29 + i);
            }
        words[0] |= halves(random) << 11;
    }
    if (is_float(row->dst[0]) && one_in(random, 3))
        words[1] |= bits(random, 2) << 27;
    if (one_in(random, 4) && row->src[0] != AMDGPU_NOTYPE)
        words[0] |= 1u << 15;
}

static void vop3p(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    random->literal |= random->family == AMDGPU_GFX9;
    words[0] = (random->family == AMDGPU_GFX9 ? 0x1a7u : 0x198u) << 23 | op << 16 |
               vgpr(random, row->dst[0]);
    if (row->flags & AMDGPU_ROW_MATRIX) {
        for (unsigned i = 0; i < 3; i++)
            if (row->src[i] != AMDGPU_NOTYPE)
                words[1] |= (256 + vgpr(random, row->src[i])) << (9 * i);
        if (row->src[1] == AMDGPU_NOTYPE) { /* moves of AGPRs, as compilers write them */
            words[0] |= 1u << 14;
            words[1] |= 3u << 27;
        } else if (random->family == AMDGPU_GFX9) {
            words[0] |= bits(random, 1) << 15;
            words[1] |= bits(random, 2) << 27;
        } else {
            words[0] |= 1u << 14;
            words[1] |= 3u << 27;
        }
        return;
    }
    words[1] = three_sources(random, words, false);
    if (one_in(random, 3)) {
        words[0] |= 1u << 14;
        words[1] |= 3u << 27;
        return;
    }
    words[0] |= bits(random, row->src[2] == AMDGPU_NOTYPE ? 2 : 3) << 11;
    words[0] |= bits(random, row->src[2] == AMDGPU_NOTYPE ? 2 : 3) << 8;
    words[1] |= bits(random, 2) << 27 | bits(random, row->src[2] == AMDGPU_NOTYPE ? 2 : 3) << 29;
    words[0] |= row->src[2] == AMDGPU_NOTYPE ? 1u << 14 : bits(random, 1) << 14;
    if (one_in(random, 4))
        words[0] |= 1u << 15;
}

/* A dual with a component that is any of the rows; both share a literal and one scalar. */
static void vopd(struct random *random, unsigned op, uint32_t *words)
{
    unsigned scalar0 = source(random, AMDGPU_B32), other;
    unsigned y = below(random, 19), reg = bits(random, 8);
    do
        other = below(random, 14);
    while (other == 8 && one_in(random, 2));
    if (op >= 16) {
        y = op;
        op = other;
    }
    words[0] = 0x32u << 26 | op << 22 | y << 17 | bits(random, 8) << 9 | scalar0;
    words[1] = reg << 24 | bits(random, 7) << 17 | bits(random, 8) << 9 |
               (one_in(random, 3) ? scalar0 : 256 + bits(random, 8));
    if (op == 8)
        words[0] &= ~(255u << 9);
    if (y == 8)
        words[1] &= ~(255u << 9);
}

/* ---- memory ------------------------------------------------------------------------------- */

static bool is_cdna(const struct random *random)
{
    return random->form->isa == AMDGPU_GFX90A || random->form->isa == AMDGPU_GFX942;
}

static unsigned vgpr_or_none(struct random *random, unsigned type)
{
    return type == AMDGPU_NOTYPE ? 0 : vgpr(random, type);
}

static void ds(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    bool gfx9 = random->family == AMDGPU_GFX9;
    bool gws =
        strstr(row->name, "gws") || strstr(row->name, "ordered") || strstr(row->name, "gs_reg");
    words[0] = 0x36u << 26 | op << (gfx9 ? 17 : 18) | (one_in(random, 3) ? 0 : bits(random, 16));
    words[1] = vgpr_or_none(random, row->src[0]) << 8 | vgpr_or_none(random, row->src[1]) << 16 |
               vgpr_or_none(random, row->dst[0]) << 24;
    if (!(row->flags & AMDGPU_ROW_NO_ADDRESS))
        words[1] |= bits(random, 8);
    if (gws || (!is_cdna(random) && one_in(random, 6)))
        words[0] |= 1u << (gfx9 ? 16 : 17);
    if (is_cdna(random) && one_in(random, 3) && !gws)
        words[0] |= 1u << 25;
    if (row->id == AMDGPU_ID_DS_NOP)
        words[0] = 0x36u << 26 | op << (gfx9 ? 17 : 18), words[1] = 0;
}

/* Offset and bits for caches of FLAT, GLOBAL and SCRATCH. */
static uint32_t flat_word(struct random *random, unsigned op)
{
    static const unsigned char segments[] = {
        [AMDGPU_FLAT] = 0, [AMDGPU_SCRATCH] = 1, [AMDGPU_GLOBAL] = 2};
    const struct amdgpu_row *row = random->form->row;
    bool flat = row->format == AMDGPU_FLAT, late = random->family == AMDGPU_GFX11;
    unsigned offset_bits = random->family == AMDGPU_GFX10 ? 12 : 13;
    uint32_t word = 0x37u << 26 | op << 18 | (uint32_t)segments[row->format] << (late ? 16 : 14);
    if (!one_in(random, 3))
        word |= bits(random, flat ? offset_bits - 1 : offset_bits);
    if (one_in(random, 3))
        word |= 1u << (late ? 14 : 16);
    if (one_in(random, 3))
        word |= 1u << (late ? 15 : 17);
    if (one_in(random, 3) && is_cdna(random))
        word |= 1u << 25;
    if (one_in(random, 3) && random->family != AMDGPU_GFX9)
        word |= 1u << (late ? 13 : 12);
    return word;
}

static void flat(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    unsigned none = random->family == AMDGPU_GFX9    ? 127
                    : random->family == AMDGPU_GFX10 ? 125
                                                     : 124;
    bool saddr = one_in(random, 2), vaddr = !(row->flags & AMDGPU_ROW_NO_ADDRESS);
    unsigned returns, reg = saddr ? below(random, 50) * 2 : none;
    words[0] = flat_word(random, op);
    returns = words[0] >> (random->family == AMDGPU_GFX11 ? 14 : 16) & 1;
    if (row->flags & AMDGPU_ROW_ATOMIC)
        returns |= 0;
    else
        returns = 1;
    words[1] = vgpr_or_none(random, row->src[0]) << 8 |
               (returns ? vgpr_or_none(random, row->dst[0]) << 24 : 0);
    if (row->format == AMDGPU_FLAT) {
        reg = random->family == AMDGPU_GFX9 ? 0 : none;
    } else if (row->format == AMDGPU_SCRATCH) {
        if (random->family == AMDGPU_GFX11) {
            vaddr = one_in(random, 2);
            words[1] |= (uint32_t)vaddr << 23;
        } else if (random->form->isa == AMDGPU_GFX942) {
            vaddr = one_in(random, 2);
            words[0] |= (uint32_t)vaddr << 13;
        } else {
            vaddr = !saddr;
        }
    }
    words[1] |= reg << 16 | (vaddr ? vgpr(random, AMDGPU_B64) : 0);
    if (is_cdna(random) && one_in(random, 3) && !(row->flags & AMDGPU_ROW_TO_LDS))
        words[1] |= 1u << 23;
}

static void buffer(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    bool late = random->family == AMDGPU_GFX11, offen = one_in(random, 2),
         idxen = one_in(random, 2);
    unsigned type = row->src[0] != AMDGPU_NOTYPE ? row->src[0] : row->dst[0];
    unsigned soffset = one_in(random, 2) ? below(random, 100) : 128 + below(random, 80);
    words[0] = 0x38u << 26 | op << 18;
    if (type == AMDGPU_NOTYPE)
        return;
    words[0] |= one_in(random, 3) ? 0 : bits(random, 12);
    words[0] |= (uint32_t)one_in(random, 3) << 14;
    if (random->family == AMDGPU_GFX10)
        words[0] |= (uint32_t)one_in(random, 3) << 15;
    if (is_cdna(random))
        words[0] |= (uint32_t)one_in(random, 3) << 15;
    if (random->family == AMDGPU_GFX9)
        words[0] |= (uint32_t)one_in(random, 3) << 17;
    if (late)
        words[0] |= (uint32_t)one_in(random, 3) << 12 | (uint32_t)one_in(random, 3) << 13;
    else
        words[0] |= (uint32_t)offen << 12 | (uint32_t)idxen << 13;
    words[1] = soffset << 24 | below(random, 24) << 16 | vgpr(random, type) << 8;
    if (late)
        words[1] |= (uint32_t)offen << 22 | (uint32_t)idxen << 23;
    if (offen || idxen)
        words[1] |= vgpr(random, offen && idxen ? AMDGPU_B64 : AMDGPU_B32);
    if (is_cdna(random) && one_in(random, 3))
        words[1] |= 1u << 23;
}

static void mtbuf(struct random *random, unsigned op, uint32_t *words)
{
    bool late = random->family == AMDGPU_GFX11, cdna = is_cdna(random);
    buffer(random, 0, words);
    words[0] &= 0x7fff; /* the others are in other fields */
    words[0] |= 0x3au << 26 | bits(random, 7) << 19;
    if (random->family == AMDGPU_GFX10) {
        words[0] |= (op & 7) << 16 | (uint32_t)one_in(random, 3) << 15;
        words[1] |= op >> 3 << 21;
    } else {
        words[0] |= op << 15;
    }
    if (cdna)
        words[1] |= (uint32_t)one_in(random, 3) << 21;
    if (!late)
        words[1] |= (uint32_t)one_in(random, 3) << 22;
}

/* Bits that select components: for atomics as many as they have. */
static unsigned dmask(struct random *random)
{
    const struct amdgpu_row *row = random->form->row;
    if (row->flags & AMDGPU_ROW_ATOMIC)
        return strstr(row->name, "cmpswap") ? one_in(random, 2) ? 3 : 15
               : one_in(random, 2)          ? 1
                                            : 3;
    return row->flags & AMDGPU_ROW_GATHER ? 1u << bits(random, 2) : 1 + below(random, 15);
}

static bool has_d16(const struct random *random)
{
    const struct amdgpu_row *row = random->form->row;
    return !(row->flags & AMDGPU_ROW_ATOMIC) && !strstr(row->name, "_pck") &&
           !strstr(row->name, "get_") && !strstr(row->name, "msaa");
}

static void mimg(struct random *random, unsigned op, uint32_t *words)
{
    const struct amdgpu_row *row = random->form->row;
    bool late = random->family == AMDGPU_GFX11, gfx9 = random->family == AMDGPU_GFX9;
    unsigned common = late   ? 1u << 7 | 15u << 12
                      : gfx9 ? 15u << 12 | 1u << 17 | 1u << 25
                             : 1u << 7 | 3u << 12 | 1u << 15 | 1u << 17 | 1u << 25;
    unsigned dim = gfx9 ? 0 : strstr(row->name, "msaa") ? 6 + bits(random, 1) : below(random, 6);
    unsigned word_count, a16 = one_in(random, 3), d16 = has_d16(random) && one_in(random, 3);
    words[0] = 0x3cu << 26 | dmask(random) << 8 | (one_in(random, 2) ? next(random) & common : 0);
    words[1] = below(random, 60) * 2 | below(random, 60) << 9 | below(random, 20) << 16;
    if (row->flags & AMDGPU_ROW_SAMPLER)
        words[1] |= below(random, 24) << (late ? 26 : 21);
    if (is_cdna(random))
        words[0] |= bits(random, 1) << 7 | bits(random, 1) << 16;
    else if (one_in(random, 6) &&
             !(d16 && row->flags & AMDGPU_ROW_GATHER)) /* LLVM does not have them */
        late ? (words[1] |= 1u << 21) : (words[0] |= 1u << 16);
    if (late)
        words[0] |= op << 18 | dim << 2 | a16 << 16 | d16 << 17;
    else
        words[0] |= (op & 127) << 18 | op >> 7, words[1] |= d16 << 31;
    if (gfx9)
        return;
    if (!late)
        words[0] |= dim << 3, words[1] |= a16 << 30;
    word_count = amdgpu_image_words(random->form->isa, row, dim, a16);
    if (word_count < 2 || one_in(random, 2))
        return;
    words[0] |= late ? 1 : (word_count + 2) / 4 << 1;
    words[2] = words[3] = words[4] = 0;
    for (unsigned i = 0; i < word_count - 1 && i < (late ? 4u : 12u); i++)
        words[2 + i / 4] |= below(random, 240) << i % 4 * 8;
}

/* Some of them look like inline constants. */
static uint32_t literal(struct random *random)
{
    static const uint32_t constants[] = {0x3f800000, 0xc0800000, 0x3e22f983, 0x3c00,     0x3118,
                                         0x3ff00000, 0xbff00000, 0x3fc45f30, 0x3c003c00, 0xfff0};
    switch (below(random, 8)) {
    case 0:
        return bits(random, 7);
    case 1:
        return (uint32_t)-below(random, 20);
    case 2:
        return constants[below(random, sizeof constants / sizeof *constants)];
    default:
        return next(random);
    }
}

static unsigned number_of(const struct random *random)
{
    const struct amdgpu_row *row = random->form->row;
    return (unsigned)(random->form->vop3 ? row->vop3 : row->opcode)[random->family];
}

void encode_random(const struct random_form *form, uint64_t *seed, uint32_t *out_words)
{
    static void (*const encoders[AMDGPU_FORMAT_COUNT])(struct random *, unsigned, uint32_t *) = {
        [AMDGPU_SOP1] = sop1,    [AMDGPU_SOP2] = sop2,    [AMDGPU_SOPK] = sopk,
        [AMDGPU_SOPC] = sopc,    [AMDGPU_SOPP] = sopp,    [AMDGPU_SMEM] = smem,
        [AMDGPU_VOP1] = vop1,    [AMDGPU_VOP2] = vop2,    [AMDGPU_VOPC] = vopc,
        [AMDGPU_VOP3] = vop3,    [AMDGPU_VOP3P] = vop3p,  [AMDGPU_VOPD] = vopd,
        [AMDGPU_DS] = ds,        [AMDGPU_FLAT] = flat,    [AMDGPU_GLOBAL] = flat,
        [AMDGPU_SCRATCH] = flat, [AMDGPU_MUBUF] = buffer, [AMDGPU_MTBUF] = mtbuf,
        [AMDGPU_MIMG] = mimg};
    struct random random = {form, amdgpu_family_of(form->isa), seed, false};
    unsigned format = form->vop3 ? AMDGPU_VOP3 : form->row->format;
    for (unsigned i = 0; i < RANDOM_WORDS; i++)
        out_words[i] = i < 2 ? 0 : literal(&random);
    if (encoders[format])
        encoders[format](&random, number_of(&random), out_words);
    /* Formats of one word: what follows is a literal or nothing. */
    if (out_words[1] == 0 && format <= AMDGPU_VOPC && format != AMDGPU_SMEM)
        out_words[1] = literal(&random);
}
