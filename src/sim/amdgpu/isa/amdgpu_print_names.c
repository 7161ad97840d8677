/* Prints immediates of scalar instructions and of ds_swizzle symbolically: counters, messages,
 * hardware registers, delays. */
#include "amdgpu_print_names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct words {
    char *out;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct words *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    words->used +=
        (size_t)vsnprintf(words->out + words->used, words->size - words->used, format, arguments);
    va_end(arguments);
    if (words->used >= words->size)
        words->used = words->size - 1;
}

bool amdgpu_is_setreg(const struct amdgpu_inst *inst)
{
    return inst->row->id == AMDGPU_ID_S_SETREG_B32 || inst->row->id == AMDGPU_ID_S_SETREG_IMM32_B32;
}

bool amdgpu_has_immediate(const struct amdgpu_inst *inst)
{
    switch (inst->row->id) {
    case AMDGPU_ID_S_WAKEUP:
    case AMDGPU_ID_S_BARRIER:
    case AMDGPU_ID_S_ICACHE_INV:
    case AMDGPU_ID_S_TTRACEDATA:
    case AMDGPU_ID_S_ENDPGM_SAVED:
    case AMDGPU_ID_S_ENDPGM_ORDERED_PS_DONE:
    case AMDGPU_ID_S_SET_GPR_IDX_OFF:
    case AMDGPU_ID_S_CODE_END:
    case AMDGPU_ID_S_WAIT_IDLE:
        return false;
    case AMDGPU_ID_S_ENDPGM:
        return inst->imm != 0;
    case AMDGPU_ID_S_SENDMSG_RTN_B32:
    case AMDGPU_ID_S_SENDMSG_RTN_B64:
    case AMDGPU_ID_S_SET_GPR_IDX_ON:
        return true;
    default:
        return inst->format == AMDGPU_SOPP || inst->format == AMDGPU_SOPK;
    }
}

/* ---- s_waitcnt ------------------------------------------------------------------------------ */

static void put_counters(enum amdgpu_family family, unsigned value, struct words *words)
{
    bool late = family == AMDGPU_GFX11;
    unsigned vm = late ? value >> 10 & 63 : (value & 15) | (value >> 14 & 3) << 4;
    unsigned exp = late ? value & 7 : value >> 4 & 7;
    unsigned lgkm = late                    ? value >> 4 & 63
                    : family == AMDGPU_GFX9 ? value >> 8 & 15
                                            : value >> 8 & 63;
    unsigned most = family == AMDGPU_GFX9 ? 15 : 63;
    bool all = vm == 63 && exp == 7 && lgkm == most;
    const char *space = "";
    if (vm != 63 || all) {
        put(words, "vmcnt(%u)", vm);
        space = " ";
    }
    if (exp != 7 || all) {
        put(words, "%sexpcnt(%u)", space, exp);
        space = " ";
    }
    if (lgkm != most || all)
        put(words, "%slgkmcnt(%u)", space, lgkm);
}

static void put_dependencies(enum amdgpu_isa isa, unsigned value, struct words *words)
{
    static const struct {
        const char *name;
        unsigned char from, bits;
    } counters[] = {{"hold_cnt", 7, 1}, {"sa_sdst", 0, 1}, {"va_vdst", 12, 4}, {"va_sdst", 9, 3},
                    {"va_ssrc", 8, 1},  {"va_vcc", 1, 1},  {"vm_vsrc", 2, 3}};
    const char *space = "";
    unsigned known = 0;
    bool all = true;
    size_t first = isa == AMDGPU_GFX1010; /* which has no hold_cnt */
    for (size_t i = first; i < sizeof counters / sizeof *counters; i++)
        known |= ((1u << counters[i].bits) - 1) << counters[i].from;
    all = (value & known) == known;
    if (value & ~known & 0xffff) {
        put(words, "0x%x", value);
        return;
    }
    for (size_t i = first; i < sizeof counters / sizeof *counters; i++) {
        unsigned most = (1u << counters[i].bits) - 1, count = value >> counters[i].from & most;
        if (count == most && !all)
            continue;
        put(words, "%sdepctr_%s(%u)", space, counters[i].name, count);
        space = " ";
    }
}

static void put_delay(unsigned value, struct words *words)
{
    static const char *const ids[] = {"",
                                      "VALU_DEP_1",
                                      "VALU_DEP_2",
                                      "VALU_DEP_3",
                                      "VALU_DEP_4",
                                      "TRANS32_DEP_1",
                                      "TRANS32_DEP_2",
                                      "TRANS32_DEP_3",
                                      "FMA_ACCUM_CYCLE_1",
                                      "SALU_CYCLE_1",
                                      "SALU_CYCLE_2",
                                      "SALU_CYCLE_3"};
    static const char *const skips[] = {"", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
    unsigned first = value & 15, skip = value >> 4 & 7, second = value >> 7 & 15;
    const char *bar = "";
    if (first) {
        put(words, "instid0(%s)", first < 12 ? ids[first] : "/* invalid instid value */");
        bar = " | ";
    }
    if (skip) {
        put(words, "%sinstskip(%s)", bar, skip < 6 ? skips[skip] : "/* invalid instskip value */");
        bar = " | ";
    }
    if (second) {
        put(words, "%sinstid1(%s)", bar, second < 12 ? ids[second] : "/* invalid instid value */");
        bar = " | ";
    }
    if (!*bar)
        put(words, "0");
}

/* ---- hardware registers ------------------------------------------------------------------- */

static const char *register_name(enum amdgpu_isa isa, unsigned number)
{
    static const struct {
        unsigned char number;
        unsigned char from, to; /* instruction sets */
        const char *name;
    } names[] = {
        {1, AMDGPU_GFX900, AMDGPU_GFX1100, "MODE"},
        {2, AMDGPU_GFX900, AMDGPU_GFX1100, "STATUS"},
        {3, AMDGPU_GFX900, AMDGPU_GFX1100, "TRAPSTS"},
        {4, AMDGPU_GFX900, AMDGPU_GFX942, "HW_ID"},
        {5, AMDGPU_GFX900, AMDGPU_GFX1100, "GPR_ALLOC"},
        {6, AMDGPU_GFX900, AMDGPU_GFX1100, "LDS_ALLOC"},
        {7, AMDGPU_GFX900, AMDGPU_GFX1100, "IB_STS"},
        {15, AMDGPU_GFX900, AMDGPU_GFX1100, "SH_MEM_BASES"},
        {16, AMDGPU_GFX900, AMDGPU_GFX1030, "TBA_LO"},
        {17, AMDGPU_GFX900, AMDGPU_GFX1030, "TBA_HI"},
        {18, AMDGPU_GFX900, AMDGPU_GFX1030, "TMA_LO"},
        {19, AMDGPU_GFX900, AMDGPU_GFX1030, "TMA_HI"},
        {18, AMDGPU_GFX1100, AMDGPU_GFX1100, "PERF_SNAPSHOT_PC_LO"},
        {19, AMDGPU_GFX1100, AMDGPU_GFX1100, "PERF_SNAPSHOT_PC_HI"},
        {20, AMDGPU_GFX1010, AMDGPU_GFX1100, "FLAT_SCR_LO"},
        {21, AMDGPU_GFX1010, AMDGPU_GFX1100, "FLAT_SCR_HI"},
        {22, AMDGPU_GFX1010, AMDGPU_GFX1010, "XNACK_MASK"},
        {23, AMDGPU_GFX1010, AMDGPU_GFX1100, "HW_ID1"},
        {24, AMDGPU_GFX1010, AMDGPU_GFX1100, "HW_ID2"},
        {25, AMDGPU_GFX1010, AMDGPU_GFX1030, "POPS_PACKER"},
        {27, AMDGPU_GFX1100, AMDGPU_GFX1100, "PERF_SNAPSHOT_DATA"},
        {29, AMDGPU_GFX1030, AMDGPU_GFX1100, "SHADER_CYCLES"},
    };
    static const char *const gfx942[] = {"XCC_ID", "SQ_PERF_SNAPSHOT_DATA",
                                         "SQ_PERF_SNAPSHOT_DATA1", "SQ_PERF_SNAPSHOT_PC_LO",
                                         "SQ_PERF_SNAPSHOT_PC_HI"};
    if (isa == AMDGPU_GFX942 && number >= 20 && number < 25)
        return gfx942[number - 20];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number && isa >= names[i].from && isa <= names[i].to)
            return names[i].name;
    return NULL;
}

static void put_register(enum amdgpu_isa isa, unsigned value, struct words *words)
{
    unsigned number = value & 63, from = value >> 6 & 31, bits = (value >> 11 & 31) + 1;
    const char *name = register_name(isa, number);
    if (name)
        put(words, "hwreg(HW_REG_%s", name);
    else
        put(words, "hwreg(%u", number);
    if (from != 0 || bits != 32)
        put(words, ", %u, %u", from, bits);
    put(words, ")");
}

/* ---- messages ------------------------------------------------------------------------------ */

static const char *message_name(enum amdgpu_family family, unsigned number)
{
    static const char *const before11[] = {
        [1] = "MSG_INTERRUPT",       [2] = "MSG_GS",
        [3] = "MSG_GS_DONE",         [4] = "MSG_SAVEWAVE",
        [5] = "MSG_STALL_WAVE_GEN",  [6] = "MSG_HALT_WAVES",
        [7] = "MSG_ORDERED_PS_DONE", [8] = "MSG_EARLY_PRIM_DEALLOC",
        [9] = "MSG_GS_ALLOC_REQ",    [10] = "MSG_GET_DOORBELL",
        [11] = "MSG_GET_DDID",       [15] = "MSG_SYSMSG"};
    static const char *const from11[] = {
        [1] = "MSG_INTERRUPT",      [2] = "MSG_HS_TESSFACTOR", [3] = "MSG_DEALLOC_VGPRS",
        [5] = "MSG_STALL_WAVE_GEN", [6] = "MSG_HALT_WAVES",    [9] = "MSG_GS_ALLOC_REQ"};
    static const char *const returning[] = {
        "MSG_RTN_GET_DOORBELL", "MSG_RTN_GET_DDID", "MSG_RTN_GET_TMA",      "MSG_RTN_GET_REALTIME",
        "MSG_RTN_SAVE_WAVE",    "MSG_RTN_GET_TBA",  "MSG_RTN_GET_TBA_TO_PC"};
    if (family == AMDGPU_GFX11) {
        if (number >= 128 && number < 128 + sizeof returning / sizeof *returning)
            return returning[number - 128];
        return number < sizeof from11 / sizeof *from11 ? from11[number] : NULL;
    }
    if (number == 11 && family == AMDGPU_GFX9)
        return NULL;
    return number < 16 ? before11[number] : NULL;
}

/* Messages of geometry shaders and of the system have an operation, some a stream. */
static bool put_operation(const char *name, unsigned message, unsigned operation, unsigned stream,
                          struct words *words)
{
    static const char *const geometry[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                           "GS_OP_EMIT_CUT"};
    static const char *const system[] = {NULL, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
                                         NULL, "SYSMSG_OP_TTRACE_PC"};
    if (message == 15) {
        if (operation > 4 || !system[operation] || stream)
            return false;
        put(words, "sendmsg(%s, %s)", name, system[operation]);
        return true;
    }
    if (operation > 3 || (operation == 0 && (message == 2 || stream)))
        return false;
    put(words, "sendmsg(%s, %s", name, geometry[operation]);
    if (operation)
        put(words, ", %u", stream);
    put(words, ")");
    return true;
}

static void put_message(enum amdgpu_family family, unsigned value, struct words *words)
{
    bool late = family == AMDGPU_GFX11;
    unsigned message = late ? value & 255 : value & 15;
    unsigned operation = late ? 0 : value >> 4 & 7, stream = late ? 0 : value >> 8 & 3;
    const char *name = message_name(family, message);
    if (name && !late && (message == 2 || message == 3 || message == 15)) {
        if (put_operation(name, message, operation, stream, words))
            return;
    } else if (name && !operation && !stream) {
        put(words, "sendmsg(%s)", name);
        return;
    }
    if ((message | operation << 4 | stream << 8) == value)
        put(words, "sendmsg(%u, %u, %u)", message, operation, stream);
    else
        put(words, "%u", value);
}

/* ---- other immediates ----------------------------------------------------------------------- */

static void put_indexed(unsigned value, struct words *words)
{
    static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
    const char *comma = "";
    if (value > 15) {
        put(words, "0x%x", value);
        return;
    }
    put(words, "gpr_idx(");
    for (unsigned i = 0; i < 4; i++)
        if (value >> i & 1) {
            put(words, "%s%s", comma, names[i]);
            comma = ",";
        }
    put(words, ")");
}

static void put_plain(const struct amdgpu_inst *inst, struct words *words)
{
    unsigned value = inst->imm & 0xffff;
    switch (inst->row->id) {
    case AMDGPU_ID_S_ENDPGM:
        put(words, "%u", value);
        break;
    case AMDGPU_ID_S_ROUND_MODE:
    case AMDGPU_ID_S_CLAUSE:
    case AMDGPU_ID_S_SET_INST_PREFETCH_DISTANCE:
    case AMDGPU_ID_S_WAIT_EVENT:
    case AMDGPU_ID_S_TTRACEDATA_IMM:
        put(words, "0x%x", value);
        break;
    default:
        if (inst->row->flags & AMDGPU_ROW_BRANCH)
            put(words, "%u", value);
        else if (inst->format == AMDGPU_SOPP && value <= 64)
            put(words, "%u", value);
        else
            put(words, "0x%x", value);
    }
}

void amdgpu_immediate_text(enum amdgpu_isa isa, const struct amdgpu_inst *inst, char *out,
                           size_t out_size)
{
    struct words words = {out, out_size, 0};
    enum amdgpu_family family = amdgpu_family_of(isa);
    unsigned value = inst->imm & 0xffff;
    *out = 0;
    switch (inst->row->id) {
    case AMDGPU_ID_S_WAITCNT:
        put_counters(family, value, &words);
        break;
    case AMDGPU_ID_S_WAITCNT_DEPCTR:
        put_dependencies(isa, value, &words);
        break;
    case AMDGPU_ID_S_DELAY_ALU:
        put_delay(value, &words);
        break;
    case AMDGPU_ID_S_SENDMSG:
    case AMDGPU_ID_S_SENDMSGHALT:
    case AMDGPU_ID_S_SENDMSG_RTN_B32:
    case AMDGPU_ID_S_SENDMSG_RTN_B64:
        put_message(family, value, &words);
        break;
    case AMDGPU_ID_S_GETREG_B32:
    case AMDGPU_ID_S_SETREG_B32:
    case AMDGPU_ID_S_SETREG_IMM32_B32:
        put_register(isa, value, &words);
        break;
    case AMDGPU_ID_S_SET_GPR_IDX_ON:
    case AMDGPU_ID_S_SET_GPR_IDX_MODE:
        put_indexed(value, &words);
        break;
    default:
        put_plain(inst, &words);
    }
}

/* ---- ds_swizzle -------------------------------------------------------------------- */

/* Masks for the five bits of a lane's number: and, or, xor. */
static void put_masks(unsigned value, struct words *words)
{
    unsigned and = value & 31, or = value >> 5 & 31, xor = value >> 10 & 31;
    char text[6] = {0};
    if (and == 31 && or == 0 && (xor&(xor-1)) == 0 && xor) {
        put(words, "swizzle(SWAP,%u)", xor);
        return;
    }
    if (and == 31 && or == 0 && xor&&(xor&(xor+1)) == 0) {
        put(words, "swizzle(REVERSE,%u)", xor+1);
        return;
    }
    for (unsigned size = 2; size <= 32; size *= 2)
        if (xor == 0 && and == 32 - size && or < size) {
            put(words, "swizzle(BROADCAST,%u,%u)", size, or);
            return;
        }
    for (unsigned i = 0; i < 5; i++) {
        unsigned bit = 16 >> i, zero = (or &bit ? 1u : 0) ^ !!(xor&bit);
        unsigned one = (and&bit || or &bit ? 1u : 0) ^ !!(xor&bit);
        text[i] = zero == one ? (zero ? '1' : '0') : one ? 'p' : 'i';
    }
    put(words, "swizzle(BITMASK_PERM,\"%s\")", text);
}

void amdgpu_swizzle_text(const struct amdgpu_inst *inst, char *out, size_t out_size)
{
    struct words words = {out, out_size, 0};
    unsigned value = (unsigned)inst->offset;
    *out = 0;
    if (value >> 13 == 7)
        put(&words, "swizzle(FFT,%u)", value & 31);
    else if (value >> 13 == 6)
        put(&words, "swizzle(ROTATE,%u,%u)", value >> 10 & 1, value >> 5 & 31);
    else if (value >> 8 == 0x80)
        put(&words, "swizzle(QUAD_PERM,%u,%u,%u,%u)", value & 3, value >> 2 & 3, value >> 4 & 3,
            value >> 6 & 3);
    else if (value >> 15 == 0)
        put_masks(value, &words);
    else
        put(&words, "%u", value);
}

/* ---- formats of MTBUF -------------------------------------------------------------- */

/* gfx9 has one number for the layout and one for the conversion. */
static void put_two_formats(const struct amdgpu_inst *inst, struct words *words)
{
    static const char *const parts[] = {"INVALID",     "8",          "16",          "8_8",
                                        "32",          "16_16",      "10_11_11",    "11_11_10",
                                        "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
                                        "16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"};
    static const char *const numbers[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                          "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
    if (inst->dfmt == 1 && inst->nfmt == 0)
        return;
    put(words, "[");
    if (inst->dfmt != 1)
        put(words, "BUF_DATA_FORMAT_%s%s", parts[inst->dfmt & 15], inst->nfmt ? "," : "");
    if (inst->nfmt)
        put(words, "BUF_NUM_FORMAT_%s", numbers[inst->nfmt & 7]);
    put(words, "]");
}

/* From gfx10 on there is one for both. */
static const char *format_name(enum amdgpu_family family, int number)
{
    static const struct {
        const char *name;
        signed char numbers[2]; /* of gfx10, of gfx11 */
    } formats[] = {
#define TEXEL(parts, number, number10, number11) {#parts "_" #number, {number10, number11}},
#include "amdgpu_texel.def"
    };
    if (number == 0)
        return "INVALID";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].numbers[family == AMDGPU_GFX11] == number)
            return formats[i].name;
    return NULL;
}

void amdgpu_format_text(enum amdgpu_isa isa, const struct amdgpu_inst *inst, char *out,
                        size_t out_size)
{
    enum amdgpu_family family = amdgpu_family_of(isa);
    int limit = family == AMDGPU_GFX10 ? 78 : 64; /* the others are for images only */
    const char *name = format_name(family, inst->dfmt);
    struct words words = {out, out_size, 0};
    *out = 0;
    if (family == AMDGPU_GFX9)
        put_two_formats(inst, &words);
    else if (!name || inst->dfmt >= limit)
        put(&words, "%u", inst->dfmt);
    else if (inst->dfmt != 1)
        put(&words, "[BUF_FMT_%s]", name);
}
