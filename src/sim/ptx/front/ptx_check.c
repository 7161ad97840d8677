/* Checks instructions against their rows. Source: PTX ISA, "Operand Type
 * Checking", "Operand Size Exceeding Instruction-Type Size", "Function Call". */
#include "ptx_check.h"

#include "ptx_front.h"
#include "ptx_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_PARAMS_LIMIT = 4352, MEMOS_MIN = 64, MEMOS_MAX = 4096 };

/* Caches the row of each spelling; modules have few spellings and many instructions. */
struct memo {
    const char *opcode;
    const char *modifiers[PTX_MODIFIERS_MAX];
    uint64_t shape;
    const struct ptx_row *row;
    uint64_t mods;
};

struct checker {
    struct ptx_module *module;
    struct ptx_log *log;
    enum ptx_result result;
    unsigned errors, errors_max;
    const struct ptx_function *function;
    const struct ptx_function *warned; /* the last function that was warned about */
    unsigned memo_count;               /* a power of two */
    struct memo memos[];
};

/* The instruction that is being checked. */
struct subject {
    struct checker *checker;
    struct ptx_inst *inst;
    char spelling[160];
};

static bool fail(struct checker *checker, unsigned line, enum ptx_result result, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

static bool fail(struct checker *checker, unsigned line, enum ptx_result result, const char *format,
                 ...)
{
    char message[512];
    va_list arguments;
    if (checker->errors++ >= checker->errors_max)
        return false;
    if (checker->result == PTX_OK)
        checker->result = result;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ptx_log_error(checker->log, line, "%s", message);
    if (checker->errors == checker->errors_max)
        ptx_log_error(checker->log, line, "more than %u errors", checker->errors_max);
    return false;
}

static bool wrong(struct subject *subject, unsigned number, const char *what)
{
    return fail(subject->checker, subject->inst->line, PTX_INVALID, "operand %u of %s: %s",
                number + 1, ptx_inst_spelling(subject->inst, subject->spelling, 160), what);
}

/* ---- types ----------------------------------------------------------------------------- */

enum type_class { CLASS_BITS, CLASS_INT, CLASS_FLOAT, CLASS_PACKED };

static enum type_class class_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F32:
    case PTX_F64:
        return CLASS_FLOAT;
    case PTX_F16:
    case PTX_BF16:
    case PTX_F16X2:
    case PTX_BF16X2:
        return CLASS_PACKED;
    case PTX_B8:
    case PTX_B16:
    case PTX_B32:
    case PTX_B64:
    case PTX_B128:
        return CLASS_BITS;
    default:
        return CLASS_INT;
    }
}

/* Halves are in registers of .b16 and .b32, and in real code also of .u16 and .u32. */
static bool agree(enum ptx_type reg, enum ptx_type type, bool wider)
{
    enum type_class of_reg = class_of(reg), of_type = class_of(type);
    if (reg == PTX_PRED || type == PTX_PRED)
        return reg == type;
    if (ptx_type_size(reg) != ptx_type_size(type))
        return wider && ptx_type_size(reg) > ptx_type_size(type);
    if (of_reg == CLASS_BITS || of_type == CLASS_BITS || of_reg == of_type)
        return of_reg != CLASS_PACKED || of_type != CLASS_PACKED || reg == type;
    return of_reg != CLASS_FLOAT && of_type != CLASS_FLOAT;
}

static enum ptx_type special_type(uint64_t special)
{
    static const enum ptx_type list[] = {
#define PTX_SPECIAL(id, name, type) PTX_##type,
#include "ptx_specials.def"
#undef PTX_SPECIAL
    };
    return list[special];
}

/* ---- operands -------------------------------------------------------------------------- */

static bool check_register(struct subject *subject, unsigned number,
                           const struct ptx_operand *operand, enum ptx_type type, bool wider)
{
    const struct ptx_symbol *reg = operand->symbol;
    char what[320];
    if (operand->kind == PTX_OP_COMPONENT && operand->component >= reg->vector)
        return wrong(subject, number, "the register has no such component");
    if (agree(reg->type, type, wider))
        return true;
    snprintf(what, sizeof what, "register %.200s is .%s, expected .%s%s", reg->name,
             ptx_type_name(reg->type), ptx_type_name(type), wider ? " or wider" : "");
    return wrong(subject, number, what);
}

static bool check_constant(struct subject *subject, unsigned number,
                           const struct ptx_operand *operand, enum ptx_type type)
{
    enum type_class class = class_of(type);
    unsigned size = ptx_type_size(type);
    switch (operand->kind) {
    case PTX_OP_INT:
        return class != CLASS_FLOAT ||
               wrong(subject, number, "an integer constant for a floating-point type");
    case PTX_OP_F32:
        return (size == 4 && class != CLASS_INT) ||
               wrong(subject, number, "a single-precision constant for another type");
    default:
        return (type != PTX_PRED && class != CLASS_INT && (size == 8 || class == CLASS_FLOAT)) ||
               wrong(subject, number, "a floating-point constant for another type");
    }
}

static bool check_symbol(struct subject *subject, unsigned number,
                         const struct ptx_operand *operand, enum ptx_type type)
{
    if (operand->symbol->kind != PTX_VARIABLE && operand->symbol->kind != PTX_FUNCTION)
        return wrong(subject, number, "not a value");
    if (class_of(type) > CLASS_INT || type == PTX_PRED || ptx_type_size(type) < 4 ||
        ptx_type_size(type) > 8)
        return wrong(subject, number, "an address where none fits");
    return true;
}

static bool check_source(struct subject *subject, unsigned number,
                         const struct ptx_operand *operand, const struct ptx_operand_rule *rule)
{
    enum ptx_type special;
    if (operand->negated && rule->type != PTX_PRED)
        return wrong(subject, number, "'!' needs a predicate");
    switch (operand->kind) {
    case PTX_OP_REG:
    case PTX_OP_COMPONENT:
        return check_register(subject, number, operand, rule->type, rule->wider);
    case PTX_OP_INT:
    case PTX_OP_F32:
    case PTX_OP_F64:
        return check_constant(subject, number, operand, rule->type);
    case PTX_OP_SPECIAL:
        special = special_type(operand->bits);
        return agree(special, rule->type, rule->wider) ||
               agree(rule->type, special, subject->inst->row->kind == PTX_ROW_MOV) ||
               wrong(subject, number, "a special register of another type");
    case PTX_OP_SYMBOL:
        return check_symbol(subject, number, operand, rule->type);
    default:
        return wrong(subject, number, "not a value");
    }
}

static bool check_destination(struct subject *subject, unsigned number,
                              const struct ptx_operand *operand,
                              const struct ptx_operand_rule *rule)
{
    if (operand->negated)
        return wrong(subject, number, "'!' of a destination");
    if (operand->kind == PTX_OP_SINK)
        return true;
    if (operand->kind != PTX_OP_REG && operand->kind != PTX_OP_COMPONENT)
        return wrong(subject, number, "expected a register to write to");
    return check_register(subject, number, operand, rule->type, rule->wider);
}

static bool check_scalar(struct subject *subject, unsigned number,
                         const struct ptx_operand *operand, const struct ptx_operand_rule *rule)
{
    return rule->destination ? check_destination(subject, number, operand, rule)
                             : check_source(subject, number, operand, rule);
}

static bool check_elements(struct subject *subject, unsigned number,
                           const struct ptx_operand *operand, const struct ptx_operand_rule *rule,
                           unsigned count)
{
    if (operand->kind != PTX_OP_VECTOR || operand->element_count != count) {
        char what[64];
        snprintf(what, sizeof what, "expected a vector of %u elements", count);
        return wrong(subject, number, what);
    }
    for (unsigned i = 0; i < count; i++)
        if (!check_scalar(subject, number, &operand->elements[i], rule))
            return false;
    return true;
}

static bool check_pair(struct subject *subject, unsigned number, const struct ptx_operand *pair)
{
    if (pair->kind == PTX_OP_SINK)
        return true;
    return (pair->kind == PTX_OP_REG && pair->symbol->type == PTX_PRED) ||
           wrong(subject, number, "expected a predicate behind '|'");
}

static bool check_value(struct subject *subject, unsigned number, const struct ptx_operand *operand,
                        const struct ptx_operand_rule *rule)
{
    uint64_t mods = subject->inst->mods;
    unsigned count = mods & PTX_MOD_V8 ? 8 : mods & PTX_MOD_V4 ? 4 : mods & PTX_MOD_V2 ? 2 : 1;
    if (operand->pair && (!rule->second_predicate || !check_pair(subject, number, operand->pair)))
        return rule->second_predicate ||
               wrong(subject, number, "a second destination, which this instruction does not have");
    if (rule->vector && count > 1)
        return check_elements(subject, number, operand, rule, count);
    return check_scalar(subject, number, operand, rule);
}

/* ---- addresses ------------------------------------------------------------------------- */

static enum ptx_space space_of(const struct ptx_inst *inst)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } words[] = {{"global", PTX_GLOBAL},
                 {"const", PTX_CONST},
                 {"shared", PTX_SHARED},
                 {"local", PTX_LOCAL},
                 {"param", PTX_PARAM}};
    for (unsigned m = 0; m < inst->modifier_count; m++) {
        size_t length = strcspn(inst->modifiers[m], ":");
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strlen(words[i].word) == length &&
                memcmp(words[i].word, inst->modifiers[m], length) == 0)
                return words[i].space;
    }
    return PTX_GENERIC;
}

static bool is_in(const struct ptx_symbol *list, const struct ptx_symbol *symbol)
{
    while (list && list != symbol)
        list = list->next;
    return list;
}

/* Only a kernel's parameters are constant: st.param writes those of functions that are results or
 * arguments of calls. */
static bool check_param_write(struct subject *subject, unsigned number,
                              const struct ptx_symbol *symbol)
{
    if (subject->inst->row->emitter != PTX_EMIT_STORE ||
        !is_in(subject->checker->function->params, symbol))
        return true;
    return wrong(subject, number, "a parameter of the function cannot be written");
}

static bool is_mbarrier(enum ptx_emitter emitter)
{
    return emitter >= PTX_EMIT_MBARRIER_INIT && emitter <= PTX_EMIT_MBARRIER_PENDING;
}

static bool check_variable_space(struct subject *subject, unsigned number,
                                 const struct ptx_symbol *symbol)
{
    enum ptx_space space = space_of(subject->inst);
    bool two_spaces = subject->inst->row->emitter == PTX_EMIT_COPY ||
                      subject->inst->row->emitter == PTX_EMIT_COPY_ARRIVE;
    if (symbol->space == PTX_PARAM && !check_param_write(subject, number, symbol))
        return false;
    if (symbol->space == space || two_spaces)
        return true;
    /* Addresses of .global and .const are generic ones. */
    if (space == PTX_GENERIC && (symbol->space == PTX_GLOBAL || symbol->space == PTX_CONST))
        return true;
    /* mbarrier instructions access shared memory, with or without .shared. */
    if (space == PTX_GENERIC && symbol->space == PTX_SHARED &&
        is_mbarrier(subject->inst->row->emitter))
        return true;
    return wrong(subject, number, "the variable is in another state space");
}

/* tex, tld4, txq, suld, sust, suq: their address is an object. */
static bool names_object(const struct ptx_inst *inst)
{
    return inst->row->emitter >= PTX_EMIT_TEXTURE && inst->row->emitter <= PTX_EMIT_SURFACE_STORE;
}

static bool check_address(struct subject *subject, unsigned number, struct ptx_operand *operand)
{
    const struct ptx_symbol *symbol = operand->symbol;
    if (operand->kind == PTX_OP_SYMBOL) /* array[3] */
        operand->kind = PTX_OP_ADDRESS;
    if (operand->kind != PTX_OP_ADDRESS)
        return wrong(subject, number, "expected an address");
    if (!symbol)
        return true;
    if (symbol->kind == PTX_VARIABLE && names_object(subject->inst))
        return fail(subject->checker, subject->inst->line, PTX_UNSUPPORTED,
                    "%s of a variable is not supported by simulated devices: pass an object",
                    subject->inst->opcode);
    if (symbol->kind == PTX_VARIABLE)
        return check_variable_space(subject, number, symbol);
    if (symbol->kind != PTX_REGISTER || symbol->vector > 1 || class_of(symbol->type) > CLASS_INT ||
        symbol->type == PTX_PRED || ptx_type_size(symbol->type) < 4 ||
        ptx_type_size(symbol->type) > 8)
        return wrong(subject, number, "an address is held in a register of 32 or 64 bits");
    return true;
}

/* ---- calls ----------------------------------------------------------------------------- */

static unsigned length_of(const struct ptx_symbol *list)
{
    unsigned length = 0;
    for (; list; list = list->next)
        length++;
    return length;
}

static bool check_argument(struct subject *subject, const struct ptx_operand *argument,
                           const struct ptx_symbol *param)
{
    const struct ptx_symbol *symbol = argument->symbol;
    switch (argument->kind) {
    case PTX_OP_SYMBOL:
        if (symbol->kind != PTX_VARIABLE || symbol->space != PTX_PARAM || argument->offset != 0)
            break;
        if (symbol->size >= param->size)
            return true;
        return fail(subject->checker, subject->inst->line, PTX_INVALID,
                    "argument '%.200s' has %zu bytes, the parameter %zu", symbol->name,
                    symbol->size, param->size);
    case PTX_OP_REG:
        if (ptx_type_size(symbol->type) == param->size)
            return true;
        break;
    case PTX_OP_INT:
    case PTX_OP_F32:
    case PTX_OP_F64:
        if (param->size <= 8)
            return true;
        break;
    default:
        break;
    }
    return fail(subject->checker, subject->inst->line, PTX_INVALID,
                "an argument of a call that does not fit the parameter '%.200s'", param->name);
}

static bool check_arguments(struct subject *subject, const struct ptx_operand *list,
                            const struct ptx_symbol *params, bool results)
{
    unsigned count = list ? list->element_count : 0, expected = length_of(params);
    if (count != expected)
        return fail(subject->checker, subject->inst->line, PTX_INVALID,
                    "a call with %u %s, expected %u", count, results ? "results" : "arguments",
                    expected);
    for (unsigned i = 0; i < count; i++, params = params->next) {
        if (results && list->elements[i].kind != PTX_OP_SYMBOL &&
            list->elements[i].kind != PTX_OP_REG && list->elements[i].kind != PTX_OP_SINK)
            return fail(subject->checker, subject->inst->line, PTX_INVALID,
                        "the result of a call needs a variable");
        if (list->elements[i].kind == PTX_OP_SINK && results)
            continue;
        if (!check_argument(subject, &list->elements[i], params))
            return false;
    }
    return true;
}

/* The function whose declaration has the parameters. */
static const struct ptx_function *signature_of(const struct ptx_operand *target,
                                               const struct ptx_operand *targets)
{
    if (target->kind == PTX_OP_SYMBOL)
        return target->symbol->kind == PTX_FUNCTION ? target->symbol->function : NULL;
    if (!targets)
        return NULL;
    if (targets->symbol->kind == PTX_PROTOTYPE)
        return targets->symbol->function;
    if (targets->symbol->kind == PTX_LABEL_LIST && targets->symbol->label_count > 0 &&
        targets->symbol->labels[0]->kind == PTX_FUNCTION)
        return targets->symbol->labels[0]->function;
    return NULL;
}

static bool is_target(const struct ptx_operand *operand)
{
    const struct ptx_symbol *symbol = operand->symbol;
    return (operand->kind == PTX_OP_SYMBOL && symbol->kind == PTX_FUNCTION) ||
           (operand->kind == PTX_OP_REG && class_of(symbol->type) <= CLASS_INT &&
            ptx_type_size(symbol->type) == 8);
}

/* call (results), target, (arguments), prototype: everything except the target is optional. */
static bool check_call(struct subject *subject)
{
    struct ptx_operand *at = subject->inst->operands, *end = at + subject->inst->operand_count;
    const struct ptx_operand *results = NULL, *arguments = NULL, *targets = NULL, *target;
    const struct ptx_function *signature;
    if (at < end && at->kind == PTX_OP_LIST)
        results = at++;
    if (at == end || !is_target(at))
        return fail(subject->checker, subject->inst->line, PTX_INVALID,
                    "call: expected a function or a register of 64 bits");
    target = at++;
    if (at < end && at->kind == PTX_OP_LIST)
        arguments = at++;
    if (at < end && at->kind == PTX_OP_LABEL)
        targets = at++;
    signature = signature_of(target, targets);
    if (at != end || !signature)
        return fail(subject->checker, subject->inst->line, PTX_INVALID,
                    at != end ? "call: operands that a call does not have"
                              : "call: a call by address needs a prototype or a list");
    if (signature->entry)
        return fail(subject->checker, subject->inst->line, PTX_UNSUPPORTED,
                    "call: '%.200s' is a kernel", signature->symbol->name);
    return check_arguments(subject, results, signature->returns, true) &&
           check_arguments(subject, arguments, signature->params, false);
}

/* ---- instructions ---------------------------------------------------------------------- */

static bool check_label(struct subject *subject, unsigned number, const struct ptx_operand *operand)
{
    return (operand->kind == PTX_OP_LABEL && operand->symbol->kind == PTX_LABEL) ||
           wrong(subject, number, "expected a label");
}

static bool check_label_list(struct subject *subject, unsigned number,
                             const struct ptx_operand *operand)
{
    if (operand->kind != PTX_OP_LABEL || operand->symbol->kind != PTX_LABEL_LIST)
        return wrong(subject, number, "expected a list of labels");
    for (unsigned i = 0; i < operand->symbol->label_count; i++)
        if (operand->symbol->labels[i]->kind != PTX_LABEL)
            return wrong(subject, number, "the list has something else than labels");
    return true;
}

static bool check_operand(struct subject *subject, unsigned number, struct ptx_operand *operand,
                          const struct ptx_operand_rule *rule)
{
    switch (rule->form) {
    case PTX_RULE_VALUE:
        return check_value(subject, number, operand, rule);
    case PTX_RULE_ADDRESS:
        return check_address(subject, number, operand);
    case PTX_RULE_CONSTANT:
        return operand->kind == PTX_OP_INT || wrong(subject, number, "expected a constant");
    case PTX_RULE_LABEL:
        return check_label(subject, number, operand);
    case PTX_RULE_REGS:
        return check_label_list(subject, number, operand);
    case PTX_RULE_PACK:
        return check_elements(subject, number, operand, rule, rule->pack_count);
    default:
        return wrong(subject, number, "not what this instruction takes");
    }
}

static bool check_operands(struct subject *subject)
{
    struct ptx_inst *inst = subject->inst;
    struct ptx_operand_rule rule;
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (!ptx_row_operand(inst->row, i, &rule) ||
            !check_operand(subject, i, &inst->operands[i], &rule))
            return false;
    return true;
}

static bool check_requirements(struct subject *subject)
{
    const struct ptx_row *row = subject->inst->row;
    const struct ptx_module *module = subject->checker->module;
    char *spelling = subject->spelling;
    if (row->version > module->version)
        return fail(subject->checker, subject->inst->line, PTX_INVALID,
                    "%s requires PTX version %u.%u, the module has %u.%u",
                    ptx_inst_spelling(subject->inst, spelling, 160), row->version / 10,
                    row->version % 10, module->version / 10, module->version % 10);
    if (row->target > module->target)
        return fail(subject->checker, subject->inst->line, PTX_INVALID,
                    "%s requires target sm_%u, the module has sm_%u",
                    ptx_inst_spelling(subject->inst, spelling, 160), row->target, module->target);
    return true;
}

/* Logs why no row fits: an unknown opcode, an unknown form of it, or other operands. */
static bool refuse(struct subject *subject, bool opcode_known)
{
    const struct ptx_inst *inst = subject->inst;
    const char *spelling = ptx_inst_spelling(inst, subject->spelling, 160);
    const struct ptx_row *row;
    for (unsigned i = 0; (row = ptx_row_at(i)); i++)
        if (strcmp(row->opcode, inst->opcode) == 0 &&
            ptx_row_matches(row, inst->modifiers, inst->modifier_count))
            return fail(subject->checker, inst->line, PTX_INVALID,
                        "the %u operands of %s are not what it takes: %s", inst->operand_count,
                        spelling, *row->operands ? row->operands : "none");
    return fail(subject->checker, inst->line, PTX_INVALID,
                opcode_known ? "unknown instruction %s: the opcode exists, but not in this form"
                             : "unknown instruction %s",
                spelling);
}

/* The kinds of the operands, as far as they distinguish rows of one spelling. */
static uint64_t shape_of(const struct ptx_inst *inst)
{
    uint64_t shape = inst->operand_count;
    for (unsigned i = 0; i < inst->operand_count; i++) {
        const struct ptx_operand *operand = &inst->operands[i];
        uint64_t kind = operand->kind;
        if (operand->kind == PTX_OP_VECTOR)
            kind |= (uint64_t)(operand->element_count < 15 ? operand->element_count : 15) << 4;
        if (operand->kind == PTX_OP_REG)
            kind |= (uint64_t)(operand->symbol->type == PTX_PRED) << 7;
        shape = shape << 8 | kind;
    }
    return shape;
}

static struct memo *find_memo(struct checker *checker, const struct ptx_inst *inst, uint64_t shape)
{
    uint64_t hash = (uintptr_t)inst->opcode ^ shape * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned m = 0; m < inst->modifier_count; m++)
        hash = (hash ^ (uintptr_t)inst->modifiers[m]) * UINT64_C(0x9e3779b97f4a7c15);
    return &checker->memos[hash >> 32 & (checker->memo_count - 1)];
}

static bool find_row(struct subject *subject)
{
    struct ptx_inst *inst = subject->inst;
    uint64_t shape = shape_of(inst);
    struct memo *memo = find_memo(subject->checker, inst, shape);
    bool known = false;
    if (memo->opcode != inst->opcode || memo->shape != shape ||
        memcmp(memo->modifiers, inst->modifiers, sizeof memo->modifiers) != 0) {
        uint64_t mods;
        const struct ptx_row *row = ptx_row_find(inst, &mods, &known);
        if (!row)
            return refuse(subject, known);
        *memo = (struct memo){.opcode = inst->opcode, .shape = shape, .row = row, .mods = mods};
        memcpy(memo->modifiers, inst->modifiers, sizeof memo->modifiers);
    }
    inst->row = memo->row;
    inst->mods = memo->mods;
    return true;
}

/* Once for each function. */
static void warn_of_missing(struct subject *subject)
{
    struct checker *checker = subject->checker;
    if (checker->warned == checker->function)
        return;
    checker->warned = checker->function;
    ptx_log_warning(checker->log, subject->inst->line,
                    "'%.200s' fails when it comes to %s, which simulated devices do not have",
                    checker->function->symbol->name,
                    ptx_inst_spelling(subject->inst, subject->spelling, 160));
}

static void check_instruction(struct checker *checker, struct ptx_inst *inst)
{
    struct subject subject = {.checker = checker, .inst = inst};
    if (inst->row) {
        warn_of_missing(&subject);
        return;
    }
    if (!find_row(&subject) || !check_requirements(&subject))
        return;
    if (inst->row->emitter == PTX_EMIT_CALL)
        check_call(&subject);
    else
        check_operands(&subject);
}

/* ---- declarations without a definition
 * --------------------------------------------------------------- */

static void check_defined(struct checker *checker, const struct ptx_symbol *symbol, unsigned line)
{
    bool is_function = symbol->kind == PTX_FUNCTION;
    if (is_function && (!symbol->function->declared_only || ptx_builtin_find(symbol->name)))
        return;
    if (!is_function && (symbol->linkage != PTX_EXTERN || symbol->kind != PTX_VARIABLE ||
                         symbol->space == PTX_SHARED))
        return;
    fail(checker, line, PTX_UNRESOLVED, "'%.200s' is declared in line %u and defined nowhere",
         symbol->name, symbol->line);
}

static void check_operands_defined(struct checker *checker, const struct ptx_inst *inst)
{
    for (unsigned i = 0; i < inst->operand_count; i++) {
        const struct ptx_operand *operand = &inst->operands[i];
        if (operand->kind == PTX_OP_SYMBOL || operand->kind == PTX_OP_ADDRESS) {
            if (operand->symbol)
                check_defined(checker, operand->symbol, inst->line);
        } else if (operand->kind == PTX_OP_LABEL && operand->symbol->kind == PTX_LABEL_LIST) {
            for (unsigned l = 0; l < operand->symbol->label_count; l++)
                check_defined(checker, operand->symbol->labels[l], inst->line);
        }
    }
}

static void check_initialisers(struct checker *checker)
{
    for (struct ptx_symbol *symbol = checker->module->variables; symbol; symbol = symbol->next)
        for (struct ptx_relocation *relocation = symbol->relocations; relocation;
             relocation = relocation->next)
            check_defined(checker, relocation->symbol, symbol->line);
}

/* ---- functions --------------------------------------------------------------------------- */

static void check_parameters(struct checker *checker, const struct ptx_function *function)
{
    size_t size = 0;
    for (const struct ptx_symbol *param = function->params; param; param = param->next) {
        size = (size + param->align - 1) / param->align * param->align + param->size;
        if (function->entry && param->space == PTX_REG)
            fail(checker, param->line, PTX_INVALID, "a kernel's parameter in a register");
        if (function->entry && param->unsized)
            fail(checker, param->line, PTX_INVALID, "a kernel's parameter without a size");
    }
    if (function->entry && size > ENTRY_PARAMS_LIMIT)
        fail(checker, function->symbol->line, PTX_INVALID,
             "'%.200s' has %zu bytes of parameters, at most %d fit", function->symbol->name, size,
             ENTRY_PARAMS_LIMIT);
    if (function->entry && function->returns)
        fail(checker, function->symbol->line, PTX_INVALID, "'%.200s' is a kernel with a result",
             function->symbol->name);
}

static void check_function(struct checker *checker, struct ptx_function *function)
{
    checker->function = function;
    check_parameters(checker, function);
    for (unsigned i = 0; i < function->inst_count; i++) {
        if (checker->errors >= checker->errors_max)
            return;
        check_operands_defined(checker, &function->insts[i]);
        check_instruction(checker, &function->insts[i]);
    }
}

/* A module of a few instructions is not worth what it takes to clear many. */
static unsigned memos_for(const struct ptx_module *module)
{
    unsigned memos = MEMOS_MIN, instructions = 0;
    for (const struct ptx_function *f = module->functions; f; f = f->next)
        instructions += f->inst_count;
    while (memos < instructions && memos < MEMOS_MAX)
        memos *= 2;
    return memos;
}

enum ptx_result ptx_check_module(struct ptx_module *module, struct ptx_log *log,
                                 unsigned errors_max)
{
    const unsigned memos = memos_for(module);
    struct checker *checker = calloc(1, sizeof *checker + memos * sizeof *checker->memos);
    enum ptx_result result;
    if (!checker)
        return PTX_NO_MEMORY;
    checker->module = module;
    checker->log = log;
    checker->errors_max = errors_max;
    checker->memo_count = memos;
    check_initialisers(checker);
    for (struct ptx_function *function = module->functions; function; function = function->next)
        check_function(checker, function);
    result = checker->result;
    free(checker);
    return result;
}
