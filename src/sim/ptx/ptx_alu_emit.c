/* Makes ops of arithmetic instructions, and picks the handlers that suit the
 * host's processor. */
#include "ptx_alu.h"

#include "log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- instruction sets ---------------------------------------------------------- */

const ptx_handler (*const ptx_alu_handlers[PTX_ISA_COUNT])[2] = {
    [PTX_ISA_BASE] = ptx_alu_handlers_base,
#if defined(__x86_64__)
    [PTX_ISA_AVX2] = ptx_alu_handlers_avx2,
    [PTX_ISA_AVX512] = ptx_alu_handlers_avx512,
#endif
};

static const char *const isa_names[PTX_ISA_COUNT] = {"base", "avx2", "avx512"};

static bool has_isa(enum ptx_isa isa)
{
    if (isa == PTX_ISA_BASE)
        return true;
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
    if (isa == PTX_ISA_AVX2)
        return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

static enum ptx_isa chosen;

/* The best there is, unless a slower one is asked for. */
static void choose(void)
{
    const char *wanted = getenv("ANYHIP_SIM_ISA");
    enum ptx_isa best = PTX_ISA_COUNT;
    while (best-- > PTX_ISA_BASE && !has_isa(best))
        ;
    chosen = best;
    if (!wanted || !*wanted)
        return;
    for (enum ptx_isa isa = PTX_ISA_BASE; isa <= best; ++isa)
        if (has_isa(isa) && strcmp(wanted, isa_names[isa]) == 0) {
            chosen = isa;
            return;
        }
    AH_LOG_WARN("ANYHIP_SIM_ISA=%s: this machine has no such instruction set, using %s", wanted,
                isa_names[best]);
}

enum ptx_isa ptx_isa(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return chosen;
}

/* ---- ops ------------------------------------------------------------------------- */

/* Modifiers that a row's plain handler may overlook. */
static const uint64_t unchanging[] = {
    1ull << PTX_MOD_NUMBER_RN,   1ull << PTX_MOD_NUMBER_RZI,   1ull << PTX_MOD_NUMBER_APPROX,
    1ull << PTX_MOD_NUMBER_FULL, 1ull << PTX_MOD_NUMBER_CC,    1ull << PTX_MOD_NUMBER_XORSIGN,
    1ull << PTX_MOD_NUMBER_WRAP, 1ull << PTX_MOD_NUMBER_CLAMP, 1ull << PTX_MOD_NUMBER_SHIFTAMT,
};

static bool is_plain(uint64_t mods)
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

/* The comparison and combination that the instruction's modifiers name. */
static uint64_t bits_of_words(const struct ptx_inst *inst)
{
    uint64_t bits = 0;
    for (unsigned m = 0; m < inst->modifier_count; ++m)
        for (size_t w = 0; w < sizeof words / sizeof *words; ++w)
            if (strcmp(inst->modifiers[m], words[w].name) == 0)
                bits |= (uint64_t)words[w].compare << PTX_ALU_COMPARE_SHIFT |
                        (uint64_t)words[w].combine << PTX_ALU_COMBINE_SHIFT;
    return bits;
}

/* Whether .and, .or or .xor comes with a predicate to combine with, and without
 * one none does. */
static bool combination_fits(const struct ptx_inst *inst, uint64_t bits)
{
    if (strcmp(inst->opcode, "setp") != 0 && strcmp(inst->opcode, "set") != 0)
        return true;
    bool combined = bits >> PTX_ALU_COMBINE_SHIFT & 3;
    return combined == (inst->operand_count == 4);
}

void ptx_emit_alu(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_operand_rule rule, result_rule = {0}, second_rule = {.type = PTX_PRED};
    const struct ptx_operand *result = NULL;
    uint32_t sources[4] = {0};
    unsigned count = 0;
    uint64_t bits = bits_of_words(inst);
    if (!combination_fits(inst, bits)) {
        ptx_build_error(builder,
                        "%s combines with a predicate if and only if it names .and, .or "
                        "or .xor",
                        inst->opcode);
        return;
    }
    for (unsigned i = 0; i < inst->operand_count && ptx_row_operand(inst->row, i, &rule); ++i) {
        const struct ptx_operand *operand = &inst->operands[i];
        if (rule.destination) {
            result = operand;
            result_rule = rule;
        } else if (rule.form == PTX_RULE_CONSTANT) {
            if (operand->bits > PTX_ALU_IMMEDIATE) {
                ptx_build_error(builder, "%s: %llu is out of range", inst->opcode,
                                (unsigned long long)operand->bits);
                return;
            }
            bits |= operand->bits;
        } else if (count < 4) {
            sources[count++] = ptx_build_source(builder, operand, rule.type);
        }
    }
    if (!result) {
        ptx_build_error(builder, "%s without a destination", inst->opcode);
        return;
    }
    uint32_t slot = ptx_build_destination(builder, result, result_rule.type), second = 0;
    if (result->pair) {
        second = ptx_build_destination(builder, result->pair, second_rule.type);
        bits |= 1ull << PTX_ALU_SECOND_SHIFT | (uint64_t)second << PTX_ALU_SECOND_SLOT;
    }
    struct ptx_op *op = ptx_build_op(
        builder, ptx_alu_handlers[ptx_isa()][inst->row->number][is_plain(inst->mods) ? 0 : 1]);
    if (!op)
        return;
    op->d = slot;
    op->a = sources[0];
    op->b = sources[1];
    op->c = sources[2];
    op->e = sources[3];
    op->bits = bits;
    ptx_build_finish(builder, result, result_rule.type, slot);
    if (result->pair)
        ptx_build_finish(builder, result->pair, second_rule.type, second);
}
