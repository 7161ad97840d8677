/* Arithmetic in regions: which function of the bitcode is a row's, and the slots that it has. */
#include "ptx_alu.h"
#include "ptx_region.h"
#include "ptx_wave_forms.h"

enum kind { NOT_COMPILED, ONCE, TWICE, ROUND, NUMBERS, TEST, TEST_TWICE, SET, LOOK, CARRY };

struct row {
    const char *name, *some; /* functions */
    const char *modified, *modified_some;
    const char *any_nan, *any_nan_some;
    enum kind kind;
    bool numbers; /* of a class whose effects have no use for the digits of a NaN of f32 */
    uint16_t d, a, b, c, e; /* bytes of slots, and WAVE_F32 */
};

#define NUMBERS_INT         false
#define NUMBERS_COMPARE     true
#define NUMBERS_F32         true
#define NUMBERS_HALF        false
#define NUMBERS_CONVERT     false
#define NUMBERS_OF(class)   NUMBERS_NAMED(class)
#define NUMBERS_NAMED(name) NUMBERS_##name

static const struct row rows[PTX_ALU_COUNT] = {
#define WAVE_ROW(id, row_kind, size_d, size_a, size_b, size_c, size_e)                             \
    [PTX_ALU_##id] = {"ptx_wave_" #id,                                                             \
                      "ptx_wave_some_" #id,                                                        \
                      "ptx_wave_modified_" #id,                                                    \
                      "ptx_wave_some_modified_" #id,                                               \
                      "ptx_wave_any_nan_" #id,                                                     \
                      "ptx_wave_some_any_nan_" #id,                                                \
                      row_kind,                                                                    \
                      NUMBERS_OF(ALU_KIND),                                                        \
                      size_d,                                                                      \
                      size_a,                                                                      \
                      size_b,                                                                      \
                      size_c,                                                                      \
                      size_e},
#define ALU(id, opcode, pattern, operands, version, target, form, ...)                             \
    WAVE_FORM_##form(id, __VA_ARGS__)
#define ALU_VIDEO(...)
#include "ptx_alu.def"
#undef ALU
};

/* Whether operands of type f32 are numbers to a row: what it does with one NaN, it does with all.
 */
static bool takes_numbers(const struct row *row)
{
    bool signs = row == &rows[PTX_ALU_min_xorsign_f32] || row == &rows[PTX_ALU_max_xorsign_f32];
    return row->numbers && !signs;
}

static bool copies(const struct row *row)
{
    return row == &rows[PTX_ALU_selp_f32] || row == &rows[PTX_ALU_selp_b32];
}

/* size: as of rows. */
static void read_operand(const struct row *row, uint32_t offset, uint16_t size,
                         struct ptx_form *form)
{
    if ((size & WAVE_F32) && takes_numbers(row))
        form->numbers |= UINT32_C(1) << form->read_count;
    ptx_form_read(form, offset, WAVE_SIZE(size));
}

static void add_slots(const struct row *row, const struct ptx_op *op, struct ptx_form *form)
{
    bool combines = op->bits >> PTX_ALU_COMBINE_SHIFT & 3;
    bool test = row->kind == TEST || row->kind == TEST_TWICE;
    bool second = (test || row->kind == LOOK) && op->bits >> PTX_ALU_SECOND_SHIFT & 1;
    read_operand(row, op->a, row->a, form);
    read_operand(row, op->b, row->b, form);
    if (test || row->kind == SET)
        ptx_form_read(form, op->c, combines ? WAVE_ALL(pred) : 0);
    else
        read_operand(row, op->c, row->c, form);
    read_operand(row, op->e, row->e, form);
    ptx_form_write(form, op->d, WAVE_SIZE(row->d));
    if (second)
        ptx_form_write(form, (uint32_t)(op->bits >> PTX_ALU_SECOND_SLOT), WAVE_ALL(pred));
}

static const char *function_of(const struct row *row, bool modified, bool some)
{
    if (modified)
        return some ? row->modified_some : row->modified;
    return some ? row->some : row->name;
}

/* A function with modifiers takes PTX_ALU_ANY_NAN as one of them. Where it would also set the
 * host's rounding mode, a row without modifiers has a function of its own. */
static const char *any_nan_of(const struct row *row, bool modified, bool some)
{
    if (row->kind == ROUND && !modified)
        return some ? row->any_nan_some : row->any_nan;
    bool looks = (row->kind == ROUND || row->kind == TWICE) && (row->d & WAVE_F32);
    return looks ? function_of(row, true, some) : NULL;
}

bool ptx_form_alu(const struct ptx_code *code, const struct ptx_op *op, bool some,
                  struct ptx_form *out_form)
{
    const struct ptx_row *inst_row = code->function->insts[op->inst].row;
    if (inst_row->alu >= PTX_ALU_COUNT)
        return false;
    const ptx_handler *handlers = ptx_alu_handlers[sim_isa()][inst_row->alu];
    const struct row *row = &rows[inst_row->alu];
    if ((op->run != handlers[0] && op->run != handlers[1]) || row->kind == NOT_COMPILED)
        return false;
    out_form->carries = row->kind == CARRY;
    out_form->copies = copies(row);
    bool modified = handlers[0] != handlers[1] && op->run == handlers[1];
    out_form->kind = WAVE_EFFECT;
    out_form->function = function_of(row, modified, some);
    out_form->any_nan = any_nan_of(row, modified, some);
    const uint64_t arguments[] = {op->d,   op->a, op->b, op->c, op->e, [PTX_FORM_MODS] = op->mods,
                                  op->bits};
    for (unsigned i = 0; i < 7; i++)
        out_form->arguments[i] = arguments[i];
    out_form->argument_count = 7;
    add_slots(row, op, out_form);
    return true;
}
