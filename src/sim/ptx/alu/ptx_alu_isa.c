/* The tables of arithmetic handlers, and the handler and bits for an instruction's modifiers. */
#include "ptx_alu.h"

#include <string.h>

#define TABLE(isa, name) [SIM_ISA_##isa] = ptx_alu_handlers_##name,
const ptx_handler (*const ptx_alu_handlers[SIM_ISA_COUNT])[2] = {SIM_ISAS(TABLE)};
#undef TABLE

/* ---- modifiers ---------------------------------------------------------------------- */

/* Modifiers that a row's plain handler may ignore. */
static const uint64_t unchanging[] = {
    1ull << PTX_MOD_NUMBER_RN,   1ull << PTX_MOD_NUMBER_RZI,   1ull << PTX_MOD_NUMBER_APPROX,
    1ull << PTX_MOD_NUMBER_FULL, 1ull << PTX_MOD_NUMBER_CC,    1ull << PTX_MOD_NUMBER_XORSIGN,
    1ull << PTX_MOD_NUMBER_WRAP, 1ull << PTX_MOD_NUMBER_CLAMP, 1ull << PTX_MOD_NUMBER_SHIFTAMT,
};

bool ptx_alu_is_plain(uint64_t mods)
{
    for (size_t i = 0; i < sizeof unchanging / sizeof *unchanging; ++i)
        mods &= ~unchanging[i];
    return mods == 0;
}

static const struct {
    const char *name;
    unsigned compare, combine;
} words[] = {
    {"eq", PTX_ALU_EQUAL, 0},
    {"ne", PTX_ALU_LESS | PTX_ALU_GREATER, 0},
    {"lt", PTX_ALU_LESS, 0},
    {"le", PTX_ALU_LESS | PTX_ALU_EQUAL, 0},
    {"gt", PTX_ALU_GREATER, 0},
    {"ge", PTX_ALU_GREATER | PTX_ALU_EQUAL, 0},
    {"lo", PTX_ALU_LESS, 0},
    {"ls", PTX_ALU_LESS | PTX_ALU_EQUAL, 0},
    {"hi", PTX_ALU_GREATER, 0},
    {"hs", PTX_ALU_GREATER | PTX_ALU_EQUAL, 0},
    {"equ", PTX_ALU_EQUAL | PTX_ALU_UNORDERED, 0},
    {"neu", PTX_ALU_LESS | PTX_ALU_GREATER | PTX_ALU_UNORDERED, 0},
    {"ltu", PTX_ALU_LESS | PTX_ALU_UNORDERED, 0},
    {"leu", PTX_ALU_LESS | PTX_ALU_EQUAL | PTX_ALU_UNORDERED, 0},
    {"gtu", PTX_ALU_GREATER | PTX_ALU_UNORDERED, 0},
    {"geu", PTX_ALU_GREATER | PTX_ALU_EQUAL | PTX_ALU_UNORDERED, 0},
    {"num", PTX_ALU_LESS | PTX_ALU_EQUAL | PTX_ALU_GREATER, 0},
    {"nan", PTX_ALU_UNORDERED, 0},
    {"and", 0, PTX_ALU_AND},
    {"or", 0, PTX_ALU_OR},
    {"xor", 0, PTX_ALU_XOR},
};

/* The types of a video instruction and what else it does. */
uint64_t ptx_alu_video_bits(const struct ptx_inst *inst)
{
    uint64_t bits = 0;
    unsigned type = 0;
    for (unsigned m = 0; m < inst->modifier_count; ++m) {
        const char *word = inst->modifiers[m];
        bool is_signed = strcmp(word, "s32") == 0;
        if (is_signed || strcmp(word, "u32") == 0)
            bits |= (uint64_t)is_signed << type++;
        if (strcmp(word, "add") == 0)
            bits |= PTX_ALU_VIDEO_ADD;
    }
    return bits;
}

uint64_t ptx_alu_modifier_bits(const struct ptx_inst *inst)
{
    uint64_t bits = 0;
    for (unsigned m = 0; m < inst->modifier_count; ++m)
        for (size_t w = 0; w < sizeof words / sizeof *words; ++w)
            if (strcmp(inst->modifiers[m], words[w].name) == 0)
                bits |= (uint64_t)words[w].compare << PTX_ALU_COMPARE_SHIFT |
                        (uint64_t)words[w].combine << PTX_ALU_COMBINE_SHIFT;
    return bits;
}
