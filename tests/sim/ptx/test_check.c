/* Rows of the instruction table, and the errors that the checker finds in instructions. */
#include "front.h"
#include "ptx_rows.h"

#include <time.h>

enum { SPELLINGS_MAX = 20000 };

/* ---- the table ------------------------------------------------------------------------- */

static void every_row_can_be_read(void **state)
{
    const struct ptx_row *row;
    (void)state;
    for (unsigned i = 0; (row = ptx_row_at(i)); i++) {
        struct ptx_operand_rule rule;
        unsigned count = 0, words = 0;
        int open = 0;
        for (const char *at = row->pattern; *at; at++) {
            open += *at == '{' || *at == '(' ? 1 : 0;
            open -= *at == '}' || *at == ')' ? 1 : 0;
            if (open < 0 || open > 1)
                fail_msg("%s%s: brackets", row->opcode, row->pattern);
        }
        assert_int_equal(open, 0);
        if (row->pattern[0] && !strchr(".{(", row->pattern[0]))
            fail_msg("%s%s: begins without a dot", row->opcode, row->pattern);
        for (const char *at = row->operands; *at; words++) {
            at += strcspn(at, " ");
            at += strspn(at, " ");
        }
        while (ptx_row_operand(row, count, &rule))
            count++;
        if (count != words || count > PTX_OPERANDS_MAX)
            fail_msg("%s%s: operands \"%s\"", row->opcode, row->pattern, row->operands);
    }
    assert_null(ptx_row_at(UINT32_MAX));
}

/* Visits every spelling of a pattern; text has the beginning of it. */
static void spell(const char *pattern, char *text, void (*visit)(const char *, void *), void *data)
{
    size_t length = strcspn(pattern, "{("), before = strlen(text);
    strncat(text, pattern, length);
    const char *group = pattern + length;
    if (!*group) {
        visit(text, data);
    } else {
        const char *close = group + strcspn(group, "})");
        size_t here = strlen(text);
        for (const char *at = group + 1, *end; at < close; at = end + 1) {
            end = at + strcspn(at, "|})");
            strncat(text, at, (size_t)(end - at));
            spell(close + 1, text, visit, data);
            text[here] = '\0';
        }
        if (*group == '{')
            spell(close + 1, text, visit, data);
    }
    text[before] = '\0';
}

static unsigned split(char *text, const char **out_modifiers)
{
    unsigned count = 0;
    for (char *word = strtok(text, "."); word && count < 32; word = strtok(NULL, "."))
        out_modifiers[count++] = word;
    return count;
}

static bool same_rule(const struct ptx_operand_rule *a, const struct ptx_operand_rule *b)
{
    if (a->form != b->form)
        return false;
    if (a->form == PTX_RULE_PACK)
        return a->pack_count == b->pack_count;
    return a->form != PTX_RULE_VALUE || (a->type == PTX_PRED) == (b->type == PTX_PRED);
}

/* Whether the rows accept the same operands, so that only their order decides. */
static bool same_operands(const struct ptx_row *a, const struct ptx_row *b)
{
    struct ptx_operand_rule of_a, of_b;
    for (unsigned i = 0;; i++) {
        bool has_a = ptx_row_operand(a, i, &of_a), has_b = ptx_row_operand(b, i, &of_b);
        if (has_a != has_b)
            return false;
        if (!has_a)
            return true;
        if (!same_rule(&of_a, &of_b) || of_a.optional != of_b.optional)
            return false;
    }
}

struct spelled {
    unsigned row, count;
    char *duplicate; /* the first one */
};

static void look_for_another(const char *text, void *data)
{
    struct spelled *spelled = data;
    const struct ptx_row *row = ptx_row_at(spelled->row), *other;
    char copy[512];
    const char *modifiers[32];
    if (spelled->duplicate || spelled->count++ > SPELLINGS_MAX)
        return;
    snprintf(copy, sizeof copy, "%s", text);
    unsigned count = split(copy, modifiers);
    for (unsigned i = 0; (other = ptx_row_at(i)) && !spelled->duplicate; i++)
        if (i != spelled->row && strcmp(other->opcode, row->opcode) == 0 &&
            ptx_row_matches(other, modifiers, count) && same_operands(row, other))
            assert_true(asprintf(&spelled->duplicate, "%s%s is %s and %s", row->opcode, text,
                                 row->pattern, other->pattern) > 0);
}

/* An exception: a memory instruction may have a row for its plain spellings, which old targets
 * support, before a row for all spellings. The first row is used. */
static void no_spelling_is_two_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; ptx_row_at(i); i++) {
        struct spelled spelled = {.row = i};
        char text[512] = "";
        if (ptx_row_at(i)->kind == PTX_ROW_MEMORY)
            continue;
        spell(ptx_row_at(i)->pattern, text, look_for_another, &spelled);
        if (spelled.duplicate)
            fail_msg("%s", spelled.duplicate);
    }
}

static bool has_row(const char *opcode, const char *const *modifiers, unsigned count)
{
    const struct ptx_row *row;
    for (unsigned i = 0; (row = ptx_row_at(i)); i++)
        if (strcmp(row->opcode, opcode) == 0 && ptx_row_matches(row, modifiers, count))
            return true;
    return false;
}

static void spelling_of_line(char *line, char *out, size_t size)
{
    char *rank = strtok(line, "\t"), *spelling = strtok(NULL, "\t");
    assert_non_null(rank);
    assert_non_null(spelling);
    snprintf(out, size, "%s", spelling);
}

static void instructions_of_real_programs_have_rows(void **state)
{
    char line[256], spelling[128];
    unsigned lines = 0, missing = 0;
    FILE *file = fopen(OPCODES, "re");
    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file)); /* names of columns */
    for (; fgets(line, sizeof line, file); lines++) {
        const char *modifiers[32];
        char whole[128];
        spelling_of_line(line, spelling, sizeof spelling);
        snprintf(whole, sizeof whole, "%s", spelling);
        unsigned count = split(spelling, modifiers);
        if (!has_row(modifiers[0], modifiers + 1, count - 1)) {
            print_error("no row for %s\n", whole);
            missing++;
        }
    }
    fclose(file);
    assert_true(lines > 400);
    assert_int_equal(missing, 0);
}

static void operands_of_rows_mean_what_their_names_say(void **state)
{
    static const struct ptx_row row = {
        .opcode = "x", .pattern = "", .operands = "=~b32* [] f16? =b32|pred (b16,b16) # =(u8,u8)"};
    struct ptx_operand_rule rule;
    (void)state;
    assert_true(ptx_row_operand(&row, 0, &rule));
    assert_true(rule.destination && rule.wider && rule.vector && !rule.optional);
    assert_int_equal(rule.type, PTX_B32);
    assert_true(ptx_row_operand(&row, 1, &rule));
    assert_int_equal(rule.form, PTX_RULE_ADDRESS);
    assert_true(ptx_row_operand(&row, 2, &rule));
    assert_true(rule.optional && rule.type == PTX_F16 && !rule.destination);
    assert_true(ptx_row_operand(&row, 3, &rule));
    assert_true(rule.second_predicate && rule.type == PTX_B32);
    assert_true(ptx_row_operand(&row, 4, &rule));
    assert_true(rule.form == PTX_RULE_PACK && rule.pack_count == 2 && rule.type == PTX_B16);
    assert_true(ptx_row_operand(&row, 5, &rule));
    assert_int_equal(rule.form, PTX_RULE_CONSTANT);
    assert_true(ptx_row_operand(&row, 6, &rule));
    assert_true(rule.form == PTX_RULE_PACK && rule.destination);
    assert_false(ptx_row_operand(&row, 7, &rule));
}

static void patterns_have_optional_words_and_choices(void **state)
{
    static const struct ptx_row row = {.pattern = ".a{.b}(.c|.d.e){.f|.g}.h", .operands = ""};
    static const struct {
        const char *text;
        bool matches;
    } cases[] = {
        {".a.c.h", true},      {".a.b.c.h", true},  {".a.d.e.h", true}, {".a.b.d.e.g.h", true},
        {".a.c.f.h", true},    {".a.h", false},     {".a.d.h", false},  {".a.c.f.g.h", false},
        {".b.a.c.h", false},   {".a.c.h.h", false}, {".a.c", false},    {"", false},
        {".a.b.b.c.h", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        const char *modifiers[32];
        snprintf(text, sizeof text, "%s", cases[i].text);
        unsigned count = split(text, modifiers);
        assert_int_equal(ptx_row_matches(&row, modifiers, count), cases[i].matches);
    }
}

/* ---- instructions ---------------------------------------------------------------------- */

static void instructions_find_their_rows(void **state)
{
    struct ptx_module *module = front_body("add.rz.ftz.f32 %f1, %f2, %f3;\n"
                                           "mov.b32 %r1, {%rs1, %rs2};\n"
                                           "mov.b32 {%rs1, %rs2}, %r1;\n"
                                           "mov.b32 %r1, %r2;\n"
                                           "bar.red.popc.u32 %r1, 0, %p1;\n"
                                           "bar.red.popc.u32 %r1, 0, 32, %p1;\n");
    (void)state;
    const struct ptx_inst *add = front_inst(module, 0);
    assert_int_equal(add->row->kind, PTX_ROW_ALU);
    assert_true(add->mods == (PTX_MOD_RZ | PTX_MOD_FTZ));
    assert_int_equal(front_inst(module, 1)->row->emitter, PTX_EMIT_PACK);
    assert_int_equal(front_inst(module, 2)->row->emitter, PTX_EMIT_UNPACK);
    assert_int_equal(front_inst(module, 3)->row->emitter, PTX_EMIT_MOVE);
    assert_ptr_not_equal(front_inst(module, 4)->row, front_inst(module, 5)->row);
    ptx_module_destroy(module);
}

static void valid_operands_are_accepted(void **state)
{
    static const char *const bodies[] = {
        "ld.param.b64 %rd1, [a]; ld.param.f32 %f1, [b];",
        "ld.global.b8 %r1, [%rd1]; ld.global.u8 %rs1, [%rd1]; ld.global.s8 %rd2, [%rd1];",
        "st.global.b8 [%rd1], %r1; st.global.v2.b32 [%rd1], {%r1, 7};",
        "cvt.u64.u32 %rd1, %r1; cvt.u16.u32 %rs1, %r1; cvt.rn.f16.f32 %rs1, %f1;",
        "mov.b32 %r1, 0f3F800000; mov.b64 %rd1, 0d3FF0000000000000; mov.f32 %f1, 1.0;",
        "mov.b32 %r1, %f1; mov.b64 %rd1, %fd1; selp.b32 %r1, 1, 0, %p1;",
        "add.f64 %fd1, %fd2, 0d3FF0000000000000; add.f32 %f1, %f2, 0f3F800000;",
        "add.u32 %r1, %r2, 0xffffffffffffffff; and.pred %p1, %p2, %p3;",
        "setp.lt.or.f32 %p1|%p2, %f1, %f2, !%p3; mov.pred %p1, 0;",
        "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1; shfl.sync.up.b32 %r1, %r2, 1, 0, -1;",
        "bar.sync 0; bar.sync 0, 64; ret.uni; bra.uni L; L:",
        "ld.v4.f32 {%f1, %f2, %f3, _}, [%rd1]; atom.global.add.u32 _, [%rd1], 1;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        ptx_module_destroy(front_body(bodies[i]));
}

static void invalid_operands_are_refused(void **state)
{
    static const struct {
        const char *body, *words;
    } cases[] = {
        {"mul.foo.f32 %f1, %f2, %f3;",
         "line 12: error: unknown instruction mul.foo.f32: the opcode"},
        {"frobnicate.b32 %r1;", "line 12: error: unknown instruction frobnicate.b32\n"},
        {"add.s32 %r1, %r2;", "the 2 operands of add.s32 are not what it takes: =u32 u32 u32"},
        {"add.s32 %r1, %r2, %r3, %r4;", "the 4 operands"},
        {"add.s32 %r1, %r2, %rd1;", "operand 3 of add.s32: register %rd1 is .b64, expected .u32"},
        {"add.s32 %r1, %r2, %f1;", "operand 3"},
        {"add.s32 %f1, %r2, %r1;", "operand 1"},
        {"add.s32 5, %r2, %r1;", "operand 1 of add.s32: expected a register"},
        {"add.s32 %r1, %r2, _;", "operand 3"},
        {"add.s32 %r1, %r2, !%r3;", "operand 3"},
        {"add.f32 %f1, %f2, 1;", "an integer constant for a floating-point type"},
        {"add.s32 %r1, %r2, 1.0;", "a floating-point constant for another type"},
        {"add.f64 %fd1, %fd2, 0f3F800000;", "a single-precision constant for another type"},
        {"add.f32 %f1, %f2, %tid.x;", "a special register of another type"},
        {"mov.u32 %tid.x, %r1;", "operand 1"},
        {"not.pred %p1, %r1;", "not.pred"},
        {"add.s32 %r1|%p1, %r2, %r3;", "a second destination"},
        {"ld.global.b32 %rs1, [%rd1];", "register %rs1 is .b16, expected .b32 or wider"},
        {"ld.global.v2.b32 %r1, [%rd1];", "expected a vector of 2 elements"},
        {"ld.global.v2.b32 {%r1, %r2, %r3}, [%rd1];", "expected a vector of 2 elements"},
        {"ld.global.b32 {%r1, %r2}, [%rd1];", "ld.global.b32"},
        {"ld.global.b32 %r1, %rd1;", "ld.global.b32"},
        {"ld.global.b32 %r1, [%rs1];", "an address is held in a register of 32 or 64 bits"},
        {"ld.global.b32 %r1, [%f1];", "an address is held"},
        {"ld.global.b32 %r1, [a];", "another state space"},
        {".shared .b32 s; ld.b32 %r1, [s];", "another state space"},
        {".shared .b32 s; ld.local.b32 %r1, [s];", "another state space"},
        {"st.param.b64 [a], %rd1;", "cannot be written"},
        {"bra %r1;", "expected a label"},
        {"bra nowhere;", "line 12: error: unknown symbol 'nowhere'"},
        {"@%r1 bra L; L:", "not a predicate register"},
        {"brx.idx %r1, L; L:", "expected a list of labels"},
        {"call k;", "call"},
        {"call %r1, ();", "call"},
        {"call %rd1, ();", "needs a prototype"},
        {"ret %r1;", "the 1 operands of ret are not what it takes: none"},
        {"mov.b32 %r1, {%rs1, %rs2, %rs3};", "mov.b32"},
        {"ld.global.b32 %r1, [%rd1", "expected ']'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].body, "call k;") == 0)
            front_refuses(FRONT_BODY "call k; }", PTX_UNSUPPORTED, "is a kernel");
        else
            front_body_refuses(cases[i].body, cases[i].words);
    }
}

static void calls_agree_with_their_functions(void **state)
{
#define CALLEE ".func (.param .b32 r) f(.param .b64 p, .param .align 4 .b8 q[12]) { ret; }\n"
#define CALLER                                                                                     \
    ".entry k() { .reg .b64 %rd<2>; .param .b32 x; .param .b64 y; .param .align 4 .b8 z[12];\n"
    static const char *const wrong[] = {
        "call (x), f, (y);",          "call f, (y, z);",         "call (x), f, (y, y);",
        "call (x), f, (y, z, z);",    "call (x, x), f, (y, z);", "call (5), f, (y, z);",
        "call (x), f, (x, z);",       "call (x), f, (y, %rd1);", "call (x), (y, z);",
        "call (x), f, (y, z), f, f;",
    };
    (void)state;
    ptx_module_destroy(
        front_module(CALLEE CALLER "call (x), f, (y, z); call (_), f, (%rd1, z); }"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s }", CALLEE CALLER, wrong[i]);
        front_refuses(text, PTX_INVALID, "line 6: error: ");
    }
}

static void undefined_names_are_errors_where_they_are_used(void **state)
{
    (void)state;
    ptx_module_destroy(front_module(".extern .func unused();\n"));
    ptx_module_destroy(
        front_module(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                     ".entry k() { .param .b32 r; .param .b64 a;\n call (r), vprintf, (a, a); }"));
    ptx_module_destroy(front_module(".extern .shared .b32 s[];\n"
                                    ".entry k() { .reg .b64 d; mov.u64 d, s; }"));
    front_refuses(".extern .func f();\n.entry k() {\ncall f; }", PTX_UNRESOLVED,
                  "line 6: error: 'f' is declared in line 4 and defined nowhere");
    front_refuses(".extern .func f();\n.global .u64 p = f;", PTX_UNRESOLVED, "'f'");
    front_refuses(".extern .global .u32 v;\n.entry k() { .reg .b32 r; ld.global.b32 r, [v]; }",
                  PTX_UNRESOLVED, "'v'");
}

static void instructions_need_their_version_and_target(void **state)
{
    struct ptx_module *module;
    (void)state;
    assert_int_equal(front_load(".version 5.0\n.target sm_90\n.entry k() { .reg .b32 r;\n"
                                "activemask.b32 r; }",
                                &module),
                     PTX_INVALID);
    assert_non_null(strstr(front_log, "requires PTX version 6.2"));
    assert_int_equal(front_load(".version 8.0\n.target sm_70\n.entry k() { .reg .b32 r;\n"
                                "redux.sync.add.s32 r, r, -1; }",
                                &module),
                     PTX_INVALID);
    assert_non_null(strstr(front_log, "requires target sm_80, the module has sm_70"));
}

static void a_kernel_has_at_most_4352_bytes_of_parameters(void **state)
{
    (void)state;
    ptx_module_destroy(front_module(".entry k(.param .b8 a[4344], .param .b64 b) { ret; }"));
    front_refuses(".entry k(.param .b8 a[4345], .param .b64 b) { ret; }", PTX_INVALID, "4352");
    front_refuses(".entry k(.reg .b64 b) { ret; }", PTX_INVALID, "register");
    front_refuses(".entry (.param .b32 r) k() { ret; }", PTX_INVALID, "result");
}

/* The processor time for loading a body of count instructions. */
static double seconds_to_load(unsigned count)
{
    static const char *const lines[] = {
        "fma.rn.f32 %f1, %f2, %f3, 0f3F800000;\n", "add.s64 %rd1, %rd2, 4;\n",
        "ld.global.nc.v2.b32 {%r1, %r2}, [%rd1+16];\n", "setp.lt.s32 %p1, %r1, 7;\n"};
    char *text = malloc(count * 64), *at = text;
    struct timespec begin, end;
    assert_non_null(text);
    for (unsigned i = 0; i < count; i++)
        at = stpcpy(at, lines[i % 4]);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    struct ptx_module *module = front_body(text);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    ptx_module_destroy(module);
    free(text);
    return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
}

/* Sixteen times as much takes about sixteen times as long; with a search in everything read so far
 * for each instruction, it would take 256 times as long. */
static void loading_takes_linear_time(void **state)
{
    double few = seconds_to_load(6250), many = seconds_to_load(100000);
    (void)state;
    print_message("6250 instructions in %.4f s, 100000 in %.4f s\n", few, many);
    assert_true(many < 64 * few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_can_be_read),
        cmocka_unit_test(no_spelling_is_two_rows),
        cmocka_unit_test(instructions_of_real_programs_have_rows),
        cmocka_unit_test(operands_of_rows_mean_what_their_names_say),
        cmocka_unit_test(patterns_have_optional_words_and_choices),
        cmocka_unit_test(instructions_find_their_rows),
        cmocka_unit_test(valid_operands_are_accepted),
        cmocka_unit_test(invalid_operands_are_refused),
        cmocka_unit_test(calls_agree_with_their_functions),
        cmocka_unit_test(undefined_names_are_errors_where_they_are_used),
        cmocka_unit_test(instructions_need_their_version_and_target),
        cmocka_unit_test(a_kernel_has_at_most_4352_bytes_of_parameters),
        cmocka_unit_test(loading_takes_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
