/* The instruction table, and the parsing of a row's pattern and operands. */
#include "ptx_rows.h"

#include <stdio.h>
#include <string.h>

#define CLASS_OF_KIND(kind) SIM_CLASS_##kind
#define CLASS_OF(kind)      CLASS_OF_KIND(kind)

static const struct ptx_row rows[] = {
#define ALU_ROW(emitter, id, opcode, pattern, operands, version, target)                           \
    {opcode,  pattern, operands,     PTX_ROW_ALU,       PTX_EMIT_##emitter,                        \
     version, target,  PTX_ALU_##id, CLASS_OF(ALU_KIND)},
#define ALU(id, opcode, pattern, operands, version, target, ...)                                   \
    ALU_ROW(ALU, id, opcode, pattern, operands, version, target)
#define ALU_VIDEO(id, opcode, pattern, operands, version, target, ...)                             \
    ALU_ROW(VIDEO, id, opcode, pattern, operands, version, target)
#include "ptx_alu.def"
#undef ALU
#undef ALU_ROW
#define PTX_ROW(kind, emitter, opcode, pattern, operands, version, target)                         \
    {opcode, pattern, operands, PTX_ROW_##kind, PTX_EMIT_##emitter, version, target, 0, 0},
#include "ptx_control.def"
#undef PTX_ROW
#define MEMORY(emitter, opcode, pattern, operands, version, target)                                \
    {opcode, pattern, operands, PTX_ROW_MEMORY, PTX_EMIT_##emitter, version, target, 0, 0},
#include "ptx_memory.def"
#undef MEMORY
#define WARPOP(emitter, opcode, pattern, operands, version, target)                                \
    {opcode, pattern, operands, PTX_ROW_WARP, PTX_EMIT_##emitter, version, target, 0, 0},
#include "ptx_warp_ops.def"
#undef WARPOP
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const struct ptx_row *ptx_row_at(unsigned index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

const struct ptx_row *ptx_row_missing(const struct ptx_inst *inst)
{
    static const struct ptx_row row = {
        .opcode = "", .kind = PTX_ROW_MISSING, .emitter = PTX_EMIT_MISSING};
    static const struct {
        const char *opcode, *modifiers[2]; /* the first modifiers */
    } missing[] = {
#define MISSING(opcode, ...) {opcode, {__VA_ARGS__}},
#include "ptx_missing.def"
#undef MISSING
    };
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        bool same = strcmp(missing[i].opcode, inst->opcode) == 0;
        for (unsigned m = 0; same && m < 2 && missing[i].modifiers[m]; m++)
            same = m < inst->modifier_count &&
                   strcmp(missing[i].modifiers[m], inst->modifiers[m]) == 0;
        if (same)
            return &row;
    }
    return NULL;
}

/* ---- patterns -------------------------------------------------------------------------- */

/* How many modifiers match the words from at to end (each begins with "."); -1: they do not
 * match. */
static int match_words(const char *at, const char *end, const char *const *modifiers,
                       unsigned count)
{
    unsigned taken = 0;
    while (at < end) {
        const char *word = at + 1;
        size_t length = 0;
        while (word + length < end && word[length] != '.')
            length++;
        if (taken == count || strlen(modifiers[taken]) != length ||
            memcmp(modifiers[taken], word, length) != 0)
            return -1;
        taken++;
        at = word + length;
    }
    return (int)taken;
}

static bool match(const char *pattern, const char *const *modifiers, unsigned count)
{
    size_t length = strcspn(pattern, "{(");
    int taken = match_words(pattern, pattern + length, modifiers, count);
    const char *group = pattern + length, *close;
    if (taken < 0)
        return false;
    modifiers += taken;
    count -= (unsigned)taken;
    if (!*group)
        return count == 0;
    close = group + strcspn(group, "})");
    for (const char *at = group + 1, *end; at < close; at = end + 1) {
        end = at + strcspn(at, "|})");
        taken = match_words(at, end, modifiers, count);
        if (taken >= 0 && match(close + 1, modifiers + taken, count - (unsigned)taken))
            return true;
    }
    return *group == '{' && match(close + 1, modifiers, count);
}

bool ptx_row_matches(const struct ptx_row *row, const char *const *modifiers, unsigned count)
{
    return match(row->pattern, modifiers, count);
}

/* ---- operands -------------------------------------------------------------------------- */

static enum ptx_type type_of(const char *word, size_t length)
{
    for (enum ptx_type type = PTX_PRED; type < PTX_TYPE_COUNT; type++) {
        const char *name = ptx_type_name(type);
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            return type;
    }
    return PTX_NOTYPE;
}

static bool is_word(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static bool read_pack(const char *word, size_t length, struct ptx_operand_rule *rule)
{
    const char *end = word + length - 1;
    rule->form = PTX_RULE_PACK;
    for (const char *at = word + 1; at < end; rule->pack_count++) {
        size_t size = strcspn(at, ",)");
        rule->type = type_of(at, size);
        at += size + 1;
    }
    return *end == ')' && rule->type != PTX_NOTYPE;
}

static bool read_value(const char *word, size_t length, struct ptx_operand_rule *rule)
{
    static const char second[] = "|pred";
    size_t second_length = sizeof second - 1;
    rule->form = PTX_RULE_VALUE;
    if (length > second_length &&
        memcmp(word + length - second_length, second, second_length) == 0) {
        rule->second_predicate = true;
        length -= second_length;
    }
    if (length > 0 && word[length - 1] == '*') {
        rule->vector = true;
        length--;
    }
    rule->type = type_of(word, length);
    return rule->type != PTX_NOTYPE;
}

static bool read_rule(const char *word, size_t length, struct ptx_operand_rule *rule)
{
    *rule = (struct ptx_operand_rule){0};
    if (length > 0 && word[length - 1] == '?') {
        rule->optional = true;
        length--;
    }
    if (length > 0 && *word == '=') {
        rule->destination = true;
        word++;
        length--;
    }
    if (length > 0 && *word == '~') {
        rule->wider = true;
        word++;
        length--;
    }
    if (is_word(word, length, "[]"))
        rule->form = PTX_RULE_ADDRESS;
    else if (is_word(word, length, "#"))
        rule->form = PTX_RULE_CONSTANT;
    else if (is_word(word, length, "label"))
        rule->form = PTX_RULE_LABEL;
    else if (is_word(word, length, "name"))
        rule->form = PTX_RULE_NAME;
    else if (is_word(word, length, "list"))
        rule->form = PTX_RULE_LIST;
    else if (is_word(word, length, "regs"))
        rule->form = PTX_RULE_REGS;
    else if (length > 1 && *word == '(')
        return read_pack(word, length, rule);
    else
        return read_value(word, length, rule);
    return true;
}

bool ptx_row_operand(const struct ptx_row *row, unsigned index, struct ptx_operand_rule *out_rule)
{
    const char *at = row->operands + strspn(row->operands, " ");
    for (; *at; index--) {
        size_t length = strcspn(at, " ");
        if (index == 0)
            return read_rule(at, length, out_rule);
        at += length;
        at += strspn(at, " ");
    }
    return false;
}

/* ---- finding --------------------------------------------------------------------------- */

/* Whether an operand has the kind of the rule, which distinguishes rows of one spelling. */
static bool fits(const struct ptx_operand *operand, const struct ptx_operand_rule *rule)
{
    bool is_vector = operand->kind == PTX_OP_VECTOR;
    switch (rule->form) {
    case PTX_RULE_PACK:
        return is_vector && operand->element_count == rule->pack_count;
    case PTX_RULE_VALUE:
        if (operand->kind == PTX_OP_ADDRESS ||
            (rule->type != PTX_PRED && operand->kind == PTX_OP_REG &&
             operand->symbol->type == PTX_PRED))
            return false;
        if (rule->type == PTX_PRED && operand->kind == PTX_OP_REG &&
            operand->symbol->type != PTX_PRED)
            return false;
        return !is_vector || rule->vector;
    case PTX_RULE_ADDRESS:
        return operand->kind == PTX_OP_ADDRESS || operand->kind == PTX_OP_SYMBOL;
    case PTX_RULE_CONSTANT:
        return operand->kind == PTX_OP_INT;
    default:
        return !is_vector;
    }
}

static bool operands_fit(const struct ptx_row *row, const struct ptx_inst *inst)
{
    struct ptx_operand_rule rule;
    unsigned count = 0;
    for (; ptx_row_operand(row, count, &rule); count++) {
        if (count >= inst->operand_count)
            return rule.optional;
        if (!fits(&inst->operands[count], &rule))
            return false;
    }
    return count == inst->operand_count;
}

static uint64_t modifier_bits(const struct ptx_inst *inst)
{
    static const char *const names[] = {
#define X(id, name) name,
        PTX_MODIFIERS(X)
#undef X
    };
    uint64_t bits = 0;
    for (unsigned m = 0; m < inst->modifier_count; m++)
        for (unsigned i = 0; i < PTX_MOD_COUNT; i++)
            if (strcmp(inst->modifiers[m], names[i]) == 0)
                bits |= UINT64_C(1) << i;
    return bits;
}

static const struct ptx_row *find(const struct ptx_inst *inst, const char *const *modifiers,
                                  bool *out_opcode_known)
{
    *out_opcode_known = false;
    /* All operands of a call except its name are optional; check_call checks them. */
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].opcode, inst->opcode) != 0)
            continue;
        *out_opcode_known = true;
        if (match(rows[i].pattern, modifiers, inst->modifier_count) &&
            (rows[i].emitter == PTX_EMIT_CALL || operands_fit(&rows[i], inst)))
            return &rows[i];
    }
    return NULL;
}

/* The position of a modifier in the patterns of memory rows; -1: its order is fixed. */
static int modifier_position(const char *modifier)
{
    static const char *const places[] = {
        " mmio ",
        " weak volatile sc relaxed acquire release acq_rel ",
        " cta cluster gpu sys ",
        " global const local param param::entry param::func shared shared::cta shared::cluster ",
        " ca cg cs lu cv wb wt ",
        " nc ",
        " add min max inc dec exch cas and or xor ",
        " noftz ",
        " L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate ",
        " L2::evict_normal L2::evict_first L2::evict_last ",
        " L2::cache_hint ",
        " L2::64B L2::128B L2::256B ",
        " v2 v4 v8 ",
    };
    char word[40];
    int length = snprintf(word, sizeof word, " %s ", modifier);
    for (int i = 0; i < (int)(sizeof places / sizeof *places); i++)
        if (length > 2 && strstr(places[i], word))
            return i;
    return type_of(modifier, strlen(modifier)) != PTX_NOTYPE ? 100 : -1;
}

/* Assemblers accept the modifiers of accesses in any order; rows have a fixed one. */
static bool in_order(const struct ptx_inst *inst, const char *out_modifiers[PTX_MODIFIERS_MAX])
{
    static const char opcodes[] = " ld ldu st atom red fence ";
    char word[16];
    if (snprintf(word, sizeof word, " %s ", inst->opcode) >= (int)sizeof word ||
        !strstr(opcodes, word))
        return false;
    for (unsigned i = 0; i < inst->modifier_count; i++) {
        unsigned at = i;
        int place = modifier_position(inst->modifiers[i]);
        if (place < 0)
            return false;
        for (; at > 0 && modifier_position(out_modifiers[at - 1]) > place; at--)
            out_modifiers[at] = out_modifiers[at - 1];
        out_modifiers[at] = inst->modifiers[i];
    }
    return true;
}

const struct ptx_row *ptx_row_find(const struct ptx_inst *inst, uint64_t *out_mods,
                                   bool *out_opcode_known)
{
    const char *sorted[PTX_MODIFIERS_MAX];
    bool known;
    *out_mods = modifier_bits(inst);
    const struct ptx_row *row = find(inst, inst->modifiers, out_opcode_known);
    return !row && in_order(inst, sorted) ? find(inst, sorted, &known) : row;
}

const char *ptx_inst_spelling(const struct ptx_inst *inst, char *out, size_t size)
{
    int length = snprintf(out, size, "%s", inst->opcode);
    for (unsigned i = 0; i < inst->modifier_count && length >= 0 && (size_t)length < size; i++)
        length += snprintf(out + length, size - (size_t)length, ".%s", inst->modifiers[i]);
    return out;
}
