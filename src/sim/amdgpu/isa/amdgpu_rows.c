/* The table of all rows, and its index by format and opcode. */
#include "amdgpu_rows.h"

#include <pthread.h>

/* The instruction sets that have a row. */
enum {
    G900 = 1 << AMDGPU_GFX900,
    G906 = 1 << AMDGPU_GFX906,
    G908 = 1 << AMDGPU_GFX908,
    G90A = 1 << AMDGPU_GFX90A,
    G942 = 1 << AMDGPU_GFX942,
    G1010 = 1 << AMDGPU_GFX1010,
    G1030 = 1 << AMDGPU_GFX1030,
    G1100 = 1 << AMDGPU_GFX1100,
    CDNA2 = G90A | G942, /* and later: registers and AGPRs are one file */
    CDNA = G908 | CDNA2,
    GFX10 = G1010 | G1030,
    RDNA = GFX10 | G1100,
    RDNA2 = G1030 | G1100, /* and later */
    BEFORE90A = G900 | G906 | G908,
    ALL9 = BEFORE90A | CDNA2,
    UPTO90A = BEFORE90A | G90A,
    UPTO10 = ALL9 | GFX10,
    FROM906 = G906 | CDNA | RDNA,
    DOTS = G906 | CDNA | RDNA2, /* gfx1010 has no products of packed numbers */
    ALL = ALL9 | RDNA,
};

/* Flags and types without their prefix. */
enum {
    CARRY_IN = AMDGPU_ROW_CARRY_IN,
    CARRY_OUT = AMDGPU_ROW_CARRY_OUT,
    COMPARE = AMDGPU_ROW_COMPARE,
    EXEC = AMDGPU_ROW_EXEC,
    ACCUMULATES = AMDGPU_ROW_ACCUMULATES,
    BRANCH = AMDGPU_ROW_BRANCH,
    RETURNS = AMDGPU_ROW_RETURNS,
    ATOMIC = AMDGPU_ROW_ATOMIC,
    STORE = AMDGPU_ROW_STORE,
    TWO = AMDGPU_ROW_TWO,
    STRIDE64 = AMDGPU_ROW_STRIDE64,
    LITERAL = AMDGPU_ROW_LITERAL,
    NO_VOP3 = AMDGPU_ROW_NO_VOP3,
    SCALAR_DST = AMDGPU_ROW_SCALAR_DST,
    MATRIX = AMDGPU_ROW_MATRIX,
    BUFFER = AMDGPU_ROW_BUFFER,
    NO_ADDRESS = AMDGPU_ROW_NO_ADDRESS,
    TO_LDS = AMDGPU_ROW_TO_LDS,
    OP_SEL = AMDGPU_ROW_OP_SEL,
    SAMPLER = AMDGPU_ROW_SAMPLER,
    GATHER = AMDGPU_ROW_GATHER,
    PICK_OFFSET = AMDGPU_ROW_PICK_OFFSET,
    COMPARE_DEPTH = AMDGPU_ROW_COMPARE_DEPTH,
    BIAS = AMDGPU_ROW_BIAS,
    GRADIENTS = AMDGPU_ROW_GRADIENTS,
    GRADIENTS16 = AMDGPU_ROW_GRADIENTS16,
    LOD = AMDGPU_ROW_LOD,
    LOD_CLAMP = AMDGPU_ROW_LOD_CLAMP,
    LEVEL_ZERO = AMDGPU_ROW_LEVEL_ZERO,
    SPECIAL = AMDGPU_ROW_SPECIAL,
    MOVE = AMDGPU_ROW_MOVE,
    LANES = AMDGPU_ROW_LANES,
    NARROWS = AMDGPU_ROW_NARROWS,
    NO_COORDS = AMDGPU_ROW_NO_COORDS,
};
enum { AMDGPU_NO = AMDGPU_NOTYPE };

/* ROW(id, name, opcode on gfx9, on gfx10, on gfx11 (-1: none), instruction sets, types of two
 * destinations and three sources, flags). Memory: dst is what is loaded or returned, src what is
 * stored. */
#define VOP3_NUMBER(number, base, flags) ((number) < 0 || (flags)&NO_VOP3 ? -1 : (number) + (base))
#define ROW_OF(format, base9, base10, id, name, g9, g10, g11, isas, d0, d1, s0, s1, s2, flags)     \
    {name,                                                                                         \
     AMDGPU_ID_##id,                                                                               \
     AMDGPU_##format,                                                                              \
     {g9, g10, g11},                                                                               \
     {VOP3_NUMBER(g9, base9, flags), VOP3_NUMBER(g10, base10, flags),                              \
      VOP3_NUMBER(g11, base10, flags)},                                                            \
     isas,                                                                                         \
     {AMDGPU_##d0, AMDGPU_##d1},                                                                   \
     {AMDGPU_##s0, AMDGPU_##s1, AMDGPU_##s2, AMDGPU_NOTYPE},                                       \
     (flags) | ((int)AMDGPU_##d0 == AMDGPU_NOTYPE ? AMDGPU_ROW_NO_DST : 0)},
#define NONE (-0x1000) /* no VOP3 form: stays negative */

static const struct amdgpu_row rows[] = {
#define ROW(...) ROW_OF(SOP1, NONE, NONE, __VA_ARGS__)
#include "amdgpu_sop1.def"
#undef ROW
#define ROW(...) ROW_OF(SOP2, NONE, NONE, __VA_ARGS__)
#include "amdgpu_sop2.def"
#undef ROW
#define ROW(...) ROW_OF(SOPK, NONE, NONE, __VA_ARGS__)
#include "amdgpu_sopk.def"
#undef ROW
#define ROW(...) ROW_OF(SOPC, NONE, NONE, __VA_ARGS__)
#include "amdgpu_sopc.def"
#undef ROW
#define ROW(...) ROW_OF(SOPP, NONE, NONE, __VA_ARGS__)
#include "amdgpu_sopp.def"
#undef ROW
#define ROW(...) ROW_OF(SMEM, NONE, NONE, __VA_ARGS__)
#include "amdgpu_smem.def"
#undef ROW
#define ROW(...) ROW_OF(VOP1, 0x140, 0x180, __VA_ARGS__)
#include "amdgpu_vop1.def"
#undef ROW
#define ROW(...) ROW_OF(VOP2, 0x100, 0x100, __VA_ARGS__)
#include "amdgpu_vop2.def"
#undef ROW
#define ROW(...) ROW_OF(VOPC, 0, 0, __VA_ARGS__)
#include "amdgpu_vopc.def"
#undef ROW
#define ROW(...) ROW_OF(VOP3, NONE, NONE, __VA_ARGS__)
#include "amdgpu_vop3.def"
#undef ROW
#define ROW(...) ROW_OF(VOP3P, NONE, NONE, __VA_ARGS__)
#include "amdgpu_vop3p.def"
#undef ROW
#define ROW(...) ROW_OF(VOPD, NONE, NONE, __VA_ARGS__)
#include "amdgpu_vopd.def"
#undef ROW
#define ROW(...) ROW_OF(DS, NONE, NONE, __VA_ARGS__)
#include "amdgpu_ds.def"
#undef ROW
#define ROW(...) ROW_OF(FLAT, NONE, NONE, __VA_ARGS__)
#include "amdgpu_flat.def"
#undef ROW
#define ROW(...) ROW_OF(GLOBAL, NONE, NONE, __VA_ARGS__)
#include "amdgpu_global.def"
#undef ROW
#define ROW(...) ROW_OF(SCRATCH, NONE, NONE, __VA_ARGS__)
#include "amdgpu_scratch.def"
#undef ROW
#define ROW(...) ROW_OF(MUBUF, NONE, NONE, __VA_ARGS__)
#include "amdgpu_mubuf.def"
#undef ROW
#define ROW(...) ROW_OF(MTBUF, NONE, NONE, __VA_ARGS__)
#include "amdgpu_mtbuf.def"
#undef ROW
#define ROW(...) ROW_OF(MIMG, NONE, NONE, __VA_ARGS__)
#include "amdgpu_mimg.def"
#undef ROW
    /* other instructions of MIMG */
    ROW_OF(MIMG, NONE, NONE, IMAGE, "image", AMDGPU_MIMG_OTHER, AMDGPU_MIMG_OTHER,
           AMDGPU_MIMG_OTHER, ALL, NO, NO, NO, NO, NO, 0)
        ROW_OF(EXP, NONE, NONE, EXP, "exp", 0, 0, 0, ALL, NO, NO, NO, NO, NO, 0)};

enum { ROW_COUNT = sizeof rows / sizeof *rows, NUMBERS = AMDGPU_MIMG_OTHER + 1 };

static unsigned short numbers[AMDGPU_ISA_COUNT][AMDGPU_FORMAT_COUNT][NUMBERS]; /* index + 1 */
static pthread_once_t numbered = PTHREAD_ONCE_INIT;

static void number_row(enum amdgpu_isa isa, const struct amdgpu_row *row)
{
    enum amdgpu_family family = amdgpu_family_of(isa);
    unsigned short index = (unsigned short)(row - rows + 1);
    if (row->opcode[family] >= 0)
        numbers[isa][row->format][row->opcode[family]] = index;
    if (row->vop3[family] >= 0)
        numbers[isa][AMDGPU_VOP3][row->vop3[family]] = index;
}

static void number_rows(void)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        for (unsigned isa = 0; isa < AMDGPU_ISA_COUNT; isa++)
            if (rows[i].isas >> isa & 1)
                number_row((enum amdgpu_isa)isa, &rows[i]);
}

const struct amdgpu_row *amdgpu_row_of(enum amdgpu_isa isa, enum amdgpu_format format,
                                       unsigned number)
{
    unsigned index;
    pthread_once(&numbered, number_rows);
    index = number < NUMBERS ? numbers[isa][format][number] : 0;
    return index ? &rows[index - 1] : NULL;
}

const struct amdgpu_row *amdgpu_row_at(size_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

const char *amdgpu_isa_name(enum amdgpu_isa isa)
{
    static const char *const names[AMDGPU_ISA_COUNT] = {
        [AMDGPU_GFX900] = "gfx900",   [AMDGPU_GFX906] = "gfx906",  [AMDGPU_GFX908] = "gfx908",
        [AMDGPU_GFX90A] = "gfx90a",   [AMDGPU_GFX942] = "gfx942",  [AMDGPU_GFX1010] = "gfx1010",
        [AMDGPU_GFX1030] = "gfx1030", [AMDGPU_GFX1100] = "gfx1100"};
    return names[isa];
}
