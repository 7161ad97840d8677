/* The parser's results for directives, declarations, scopes and operands. */
#include "front.h"

static struct ptx_symbol *variable(const struct ptx_module *module, const char *name)
{
    struct ptx_symbol *symbol = ptx_module_find(module, name);
    assert_non_null(symbol);
    assert_int_equal(symbol->kind, PTX_VARIABLE);
    return symbol;
}

static uint64_t number_at(const struct ptx_symbol *symbol, size_t at, size_t size)
{
    uint64_t number = 0;
    assert_non_null(symbol->pieces);
    assert_true(at + size <= symbol->size);
    for (const struct ptx_piece *piece = symbol->pieces; piece; piece = piece->next)
        if (at >= piece->offset && at + size <= piece->offset + piece->size)
            memcpy(&number, piece->bytes + at - piece->offset, size);
    return number;
}

static void the_head_names_version_and_target(void **state)
{
    struct ptx_module *module;
    (void)state;
    assert_int_equal(front_load(".version 7.8\n.target sm_80, debug\n.address_size 64", &module),
                     PTX_OK);
    assert_int_equal(module->version, 78);
    assert_int_equal(module->target, 80);
    assert_int_equal(module->target_suffix, 0);
    ptx_module_destroy(module);
    assert_int_equal(front_load(".version 8.0 .target sm_90a", &module), PTX_OK);
    assert_int_equal(module->target_suffix, 'a');
    ptx_module_destroy(module);
}

static void an_invalid_head_is_refused(void **state)
{
    static const struct {
        const char *text;
        enum ptx_result result;
    } cases[] = {
        {"", PTX_INVALID},
        {"hello", PTX_INVALID},
        {".target sm_80\n.version 7.0", PTX_INVALID},
        {".version 7.0", PTX_INVALID},
        {".version seven\n.target sm_80", PTX_INVALID},
        {".version 10.0\n.target sm_80", PTX_UNSUPPORTED},
        {".version 7.0\n.target sm_100", PTX_UNSUPPORTED},
        {".version 7.0\n.target sm_80a", PTX_UNSUPPORTED},
        {".version 7.0\n.target compute_80", PTX_INVALID},
        {".version 7.0\n.target sm_80\n.address_size 32", PTX_UNSUPPORTED},
        {".version 7.0\n.target sm_80\n.address_size 48", PTX_INVALID},
    };
    struct ptx_module *module;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(front_load(cases[i].text, &module), cases[i].result);
}

static void variables_have_space_type_alignment_and_size(void **state)
{
    struct ptx_module *module =
        front_module(".visible .global .align 8 .b8 a[3][5];\n"
                     ".const .v4 .f32 b[2];\n"
                     ".extern .shared .align 16 .b8 c[];\n"
                     ".weak .global .attribute(.managed) .align 4 .u32 d, e[7];\n"
                     ".global .u64 f;\n"
                     ".common .global .f64 g;\n");
    struct ptx_symbol *a = variable(module, "a"), *b = variable(module, "b"),
                      *c = variable(module, "c"), *d = variable(module, "d"),
                      *e = variable(module, "e");
    (void)state;
    assert_int_equal(a->size, 15);
    assert_int_equal(a->align, 8);
    assert_int_equal(a->linkage, PTX_VISIBLE);
    assert_int_equal(b->space, PTX_CONST);
    assert_int_equal(b->size, 32);
    assert_int_equal(b->align, 16);
    assert_true(c->unsized);
    assert_int_equal(c->size, 0);
    assert_int_equal(c->space, PTX_SHARED);
    assert_true(d->managed && e->managed);
    assert_int_equal(e->size, 28);
    assert_int_equal(variable(module, "f")->align, 8);
    assert_int_equal(variable(module, "g")->linkage, PTX_COMMON);
    assert_null(a->pieces);
    ptx_module_destroy(module);
}

static void initialisers_nest_as_in_c(void **state)
{
    struct ptx_module *module = front_module(".global .u32 a[2][3] = {{1, 2}, {4, 5, 6}};\n"
                                             ".global .u32 b[2][3] = {1, 2, 3, 4};\n"
                                             ".global .u16 c[] = {1, 2, 3};\n"
                                             ".global .f32 d = 1.5;\n"
                                             ".global .f64 e[2] = {0d3FF0000000000000, -2.0};\n"
                                             ".global .f32 f[3] = {0f3F800000, 2, -0f3F800000};\n"
                                             ".global .v2 .u8 g[2] = {{1, 2}, {3, 4}};\n"
                                             ".global .s8 h = -1;\n"
                                             ".global .u32 i[][2] = {{1}, {2}};\n");
    struct ptx_symbol *a = variable(module, "a"), *b = variable(module, "b"),
                      *f = variable(module, "f"), *g = variable(module, "g");
    (void)state;
    assert_int_equal(number_at(a, 4, 4), 2);
    assert_int_equal(number_at(a, 8, 4), 0);
    assert_int_equal(number_at(a, 20, 4), 6);
    assert_int_equal(number_at(b, 12, 4), 4);
    assert_int_equal(number_at(b, 16, 4), 0);
    assert_int_equal(variable(module, "c")->size, 6);
    assert_int_equal(number_at(variable(module, "d"), 0, 4), 0x3fc00000);
    assert_true(number_at(variable(module, "e"), 8, 8) == UINT64_C(0xc000000000000000));
    assert_int_equal(number_at(f, 4, 4), 0x40000000);
    assert_int_equal(number_at(f, 8, 4), 0xbf800000);
    assert_int_equal(number_at(g, 0, 4), 0x04030201);
    assert_int_equal(number_at(variable(module, "h"), 0, 1), 0xff);
    assert_int_equal(variable(module, "i")->size, 16);
    assert_int_equal(number_at(variable(module, "i"), 8, 4), 2);
    ptx_module_destroy(module);
}

static void constants_are_expressions_of_c(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"-7 / 2", -3},
        {"-7 % 3", -1},
        {"1 << 4 | 1", 17},
        {"~0", -1},
        {"!5 + !0", 1},
        {"-1 >> 1", -1},
        {"(.u64)-1 >> 60", 15},
        {"-1 < 0U", 0},
        {"-1 < 0", 1},
        {"3 > 2 && 2 >= 2 || 0", 1},
        {"1 == 1 != 0", 1},
        {"6 & 3 ^ 1", 3},
        {"1 ? 2 : 3", 2},
        {"0 ? 2 : 0 ? 3 : 4", 4},
        {"WARP_SZ * 2", 64},
        {"0x8000000000000000 / 2", INT64_C(0x4000000000000000)},
        {"(.s64)0x8000000000000000 / -1", INT64_MIN},
        {"1 << 64", 0},
        {"1.5 < 2", 1},
        {"-(-(3))", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, ".global .s64 x = %s;", cases[i].text);
        struct ptx_module *module = front_module(text);
        if ((int64_t)number_at(variable(module, "x"), 0, 8) != cases[i].value)
            fail_msg("%s", cases[i].text);
        ptx_module_destroy(module);
    }
}

static void addresses_in_initialisers_are_relocations(void **state)
{
    struct ptx_module *module =
        front_module(".global .u32 a[4];\n"
                     ".func f() { ret; }\n"
                     ".global .u64 p[4] = {a, generic(a)+8, f, later-4+-4};\n"
                     ".global .align 8 .b8 q[3] = {7, 0xFF(a), 0xFF00(generic(a)+4)};\n"
                     ".global .u32 later;\n");
    const struct ptx_relocation *r = variable(module, "p")->relocations;
    (void)state;
    assert_string_equal(r->symbol->name, "later");
    assert_int_equal(r->addend, -8);
    assert_int_equal(r->offset, 24);
    assert_int_equal(r->next->symbol->kind, PTX_FUNCTION);
    assert_true(r->next->next->generic);
    assert_int_equal(r->next->next->addend, 8);
    assert_int_equal(r->next->next->size, 8);
    assert_null(r->next->next->next->next);
    r = variable(module, "q")->relocations;
    assert_int_equal(r->size, 1);
    assert_int_equal(r->shift, 8);
    assert_int_equal(r->offset, 2);
    assert_int_equal(r->addend, 4);
    ptx_module_destroy(module);
}

static void wrong_declarations_are_refused(void **state)
{
    static const char *const texts[] = {
        ".global .u32 x.managed;",
        ".global .u32 a; .global .u32 a;",
        ".global .u32 a[2] = {1, 2, 3};",
        ".global .u32 a[2] = {{1}};",
        ".global .u32 a[];",
        ".global .u32 a = 1 / 0;",
        ".global .u32 a = b;",
        ".global .u8 a = a;",
        ".global .u32 a = 0f3F800000 + 1;",
        ".global .u16 a = 0f3F800000;",
        ".global .u32 a = 1.5;",
        ".global .b8 a[1] = {0xFFF(a)};",
        ".global .align 3 .u32 a;",
        ".global .u32 a[-1];",
        ".global .u32 a[1099511627776];",
        ".global .u32 a[1048576][1048576];",
        ".global .pred a;",
        ".global a;",
        ".shared .u32 a = 1;",
        ".extern .global .u32 a = 1;",
        ".reg .u32 a;",
        ".global .v4 .f64 a;",
        ".global .u32 a",
        ".visible",
        ".nonsense;",
        ".global .u32 a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        front_refuses(texts[i], PTX_INVALID, "line 4: error: ");
}

static void an_extern_variable_may_be_defined_later(void **state)
{
    struct ptx_module *module = front_module(".extern .global .u32 a[];\n"
                                             ".global .u64 p = a;\n"
                                             ".visible .global .u32 a[3] = {1, 2, 3};\n"
                                             ".extern .global .u32 a[];\n");
    struct ptx_symbol *a = variable(module, "a");
    (void)state;
    assert_int_equal(a->size, 12);
    assert_int_equal(a->linkage, PTX_VISIBLE);
    assert_ptr_equal(variable(module, "p")->relocations->symbol, a);
    ptx_module_destroy(module);
}

static void functions_have_parameters_and_limits(void **state)
{
    struct ptx_module *module =
        front_module(".visible .entry k(.param .u64 .ptr .global .align 4 a,\n"
                     " .param .align 8 .b8 b[36], .param .u64 .ptr .align 1 c)\n"
                     ".maxntid 128, 2\n.minnctapersm 3\n.maxnreg 40\n"
                     ".pragma \"nounroll\";\n{ ret; }\n"
                     ".entry r() .reqntid 8, 4, 2 .reqnctapercluster 2, 1, 1 .explicitcluster\n"
                     "{ ret; }\n"
                     ".func (.reg .b32 x) f(.reg .b64 y, .param .b8 z[8]) .noreturn { trap; }\n");
    struct ptx_function *k = ptx_module_kernel(module, "k"), *r = ptx_module_kernel(module, "r");
    struct ptx_function *f = ptx_module_find(module, "f")->function;
    (void)state;
    assert_true(k && r && k->entry);
    assert_null(ptx_module_kernel(module, "f"));
    assert_int_equal(k->max_threads[0], 128);
    assert_int_equal(k->max_threads[1], 2);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->min_blocks, 3);
    assert_int_equal(k->max_registers, 40);
    assert_int_equal(k->params->align, 8);
    assert_int_equal(k->params->next->size, 36);
    assert_int_equal(k->params->next->align, 8);
    assert_int_equal(r->required_threads[2], 2);
    assert_true(f->noreturn && !f->entry);
    assert_int_equal(f->returns->space, PTX_REG);
    assert_int_equal(f->params->space, PTX_REG);
    assert_int_equal(f->params->next->space, PTX_PARAM);
    assert_int_equal(f->register_count, 2);
    ptx_module_destroy(module);
}

static void a_declaration_and_its_definition_are_one_function(void **state)
{
    struct ptx_module *module = front_module(".extern .func (.param .b32 r) f(.param .b32 a);\n"
                                             ".func g() { .param .b32 x, y;\n"
                                             "call (x), f, (y); ret; }\n"
                                             ".visible .func (.param .b32 s) f(.param .b32 b)\n"
                                             "{ ret; }\n"
                                             ".func h();\n"
                                             ".alias h, g;\n");
    struct ptx_symbol *f = ptx_module_find(module, "f"), *g = ptx_module_find(module, "g");
    (void)state;
    assert_false(f->function->declared_only);
    assert_string_equal(f->function->params->name, "b");
    assert_int_equal(f->linkage, PTX_VISIBLE);
    assert_ptr_equal(g->function->insts[0].operands[1].symbol, f);
    assert_ptr_equal(ptx_module_find(module, "h")->function, g->function);
    assert_ptr_equal(module->functions, f->function);
    assert_ptr_equal(module->functions->next, g->function);
    assert_null(module->functions->next->next);
    ptx_module_destroy(module);
}

static void registers_of_a_range_are_made_when_used(void **state)
{
    struct ptx_module *module = front_module(".entry k() {\n"
                                             ".reg .b32 %r<4000000000>;\n"
                                             ".reg .b32 %r1<3>, x;\n"
                                             "mov.b32 %r3999999999, %r7;\n"
                                             "mov.b32 %r12, x;\n ret; }\n");
    struct ptx_function *k = ptx_module_kernel(module, "k");
    (void)state;
    assert_int_equal(k->register_count, 4);
    unsigned index = 0;
    for (struct ptx_symbol *reg = k->registers; reg; reg = reg->next)
        assert_int_equal(reg->index, index++);
    assert_int_equal(index, 4);
    ptx_module_destroy(module);
    front_refuses(".entry k() { .reg .b32 %r<4>; mov.b32 %r4, 0; }", PTX_INVALID, "'%r4'");
    front_refuses(".entry k() { .reg .b32 %r<4>; mov.b32 %r01, 0; }", PTX_INVALID, "'%r01'");
}

static void names_are_hidden_by_inner_scopes_and_end_with_their_scope(void **state)
{
    struct ptx_module *module = front_module(".entry k() {\n"
                                             ".reg .b32 a, %r<5>; .reg .b64 d;\n"
                                             "mov.b32 a, %r1;\n"
                                             "{ .reg .b64 a, %r<5>; mov.b64 a, %r1;\n"
                                             "{ .reg .f32 a; mov.f32 a, 0f00000000; }\n"
                                             "mov.b64 a, %r1; }\n"
                                             "mov.b32 a, %r1;\n"
                                             "{ .param .b32 p; } { .param .b64 p; }\n"
                                             "ret; }\n");
    struct ptx_function *k = ptx_module_kernel(module, "k");
    (void)state;
    assert_ptr_equal(k->insts[0].operands[0].symbol, k->insts[4].operands[0].symbol);
    assert_ptr_equal(k->insts[0].operands[1].symbol, k->insts[4].operands[1].symbol);
    assert_ptr_equal(k->insts[1].operands[0].symbol, k->insts[3].operands[0].symbol);
    assert_int_equal(k->insts[1].operands[1].symbol->type, PTX_B64);
    assert_int_equal(k->insts[2].operands[0].symbol->type, PTX_F32);
    assert_string_equal(k->variables->next->name, "p");
    ptx_module_destroy(module);
    front_refuses(".entry k() { { .reg .b32 a; } mov.b32 a, 1; }", PTX_INVALID, "'a'");
    front_refuses(".entry k() { .reg .b32 a; .reg .b64 a; }", PTX_INVALID, "declared twice");
}

static void labels_belong_to_their_scope(void **state)
{
    struct ptx_module *module = front_module(".entry k() {\n"
                                             "L: bra L;\n"
                                             "{ bra L; L: bra L; }\n"
                                             "{ bra M; { L: bra L; } }\n"
                                             "bra L;\n"
                                             "M: ret; END: }\n");
    struct ptx_function *k = ptx_module_kernel(module, "k");
    static const unsigned expected[] = {0, 2, 2, 6, 4, 0};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(k->insts[i].operands[0].kind, PTX_OP_LABEL);
        assert_int_equal(k->insts[i].operands[0].symbol->index, expected[i]);
    }
    ptx_module_destroy(module);
    front_refuses(".entry k() { { L: ret; } bra L; }", PTX_INVALID, "'L'");
    front_refuses(".entry k() { L: L: ret; }", PTX_INVALID, "declared twice");
}

static void operands_have_all_their_forms(void **state)
{
    struct ptx_module *module = front_body(".shared .align 4 .b8 s[64];\n"
                                           ".reg .v2 .b32 v;\n"
                                           "@!%p1 setp.lt.and.s32 %p2|%p3, %r1, -5, !%p4;\n" /* 0 */
                                           "ld.shared.v2.b32 {%r1, _}, [s+8];\n"             /* 1 */
                                           "ld.global.b32 %r1, [%rd1+-4];\n"                 /* 2 */
                                           "st.global.b32 [4096], 0xff;\n"                   /* 3 */
                                           "mov.u32 %r1, %tid.x;\n"                          /* 4 */
                                           "mov.b64 %rd1, {%r1, %r2};\n"                     /* 5 */
                                           "mov.u64 %rd1, s;\n"                              /* 6 */
                                           "mov.b64 {v.x, v.g}, %rd1;\n"                     /* 7 */
                                           "mov.b64 %rd1, v;\n"                              /* 8 */
                                           "ld.shared.b32 %r1, s[4];\n"                      /* 9 */
                                           "add.f32 %f1, %f2, 1.5;\n"  /* 10 */
                                           "mov.u32 %r1, WARP_SZ;\n"   /* 11 */
                                           "mov.u64 %rd1, %clock64;\n" /* 12 */
                                           "mov.u64 %rd1, s+16;\n");   /* 13 */
    struct ptx_inst *inst = front_inst(module, 0);
    (void)state;
    assert_true(inst->guard && inst->guard_negated);
    assert_int_equal(inst->line, FRONT_BODY_LINE + 2);
    assert_string_equal(inst->operands[0].pair->symbol->name, "%p3");
    assert_int_equal((int64_t)inst->operands[2].bits, -5);
    assert_true(inst->operands[3].negated);
    inst = front_inst(module, 1);
    assert_int_equal(inst->operands[0].kind, PTX_OP_VECTOR);
    assert_int_equal(inst->operands[0].elements[1].kind, PTX_OP_SINK);
    assert_string_equal(inst->operands[1].symbol->name, "s");
    assert_int_equal(inst->operands[1].offset, 8);
    assert_true(inst->mods & PTX_MOD_V2);
    assert_int_equal(front_inst(module, 2)->operands[1].offset, -4);
    inst = front_inst(module, 3);
    assert_null(inst->operands[0].symbol);
    assert_int_equal(inst->operands[0].offset, 4096);
    assert_int_equal(front_inst(module, 4)->operands[1].bits, PTX_SPECIAL_TID_X);
    assert_int_equal(front_inst(module, 5)->operands[1].element_count, 2);
    assert_int_equal(front_inst(module, 6)->operands[1].kind, PTX_OP_SYMBOL);
    inst = front_inst(module, 7);
    assert_int_equal(inst->operands[0].elements[1].kind, PTX_OP_COMPONENT);
    assert_int_equal(inst->operands[0].elements[1].component, 1);
    inst = front_inst(module, 8);
    assert_int_equal(inst->operands[1].kind, PTX_OP_VECTOR);
    assert_int_equal(inst->operands[1].elements[1].component, 1);
    inst = front_inst(module, 9);
    assert_int_equal(inst->operands[1].kind, PTX_OP_ADDRESS);
    assert_int_equal(inst->operands[1].offset, 4);
    assert_int_equal(front_inst(module, 10)->operands[2].kind, PTX_OP_F64);
    assert_int_equal(front_inst(module, 11)->operands[1].bits, 32);
    assert_int_equal(front_inst(module, 12)->operands[1].kind, PTX_OP_SPECIAL);
    assert_int_equal(front_inst(module, 13)->operands[1].offset, 16);
    ptx_module_destroy(module);
}

static void calls_have_three_forms_lists_and_prototypes(void **state)
{
    struct ptx_module *module =
        front_module(".func f() { ret; }\n"
                     ".func (.param .b32 r) g(.param .b64 a, .param .b32 b) { ret; }\n"
                     ".entry k() { .reg .b64 %rd<2>; .param .b32 x, z; .param .b64 y;\n"
                     "call f;\n"
                     "call.uni f, ();\n"
                     "call (x), g, (y, z);\n"
                     "call.uni (x), g, (y, 5);\n"
                     "p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"
                     "call (x), %rd1, (y, z), p;\n"
                     "t: .calltargets g, g;\n"
                     "call (x), %rd1, (y, z), t;\n"
                     "ret; }\n");
    struct ptx_function *k = ptx_module_kernel(module, "k");
    (void)state;
    assert_int_equal(k->insts[0].operand_count, 1);
    assert_int_equal(k->insts[1].operands[1].kind, PTX_OP_LIST);
    assert_int_equal(k->insts[1].operands[1].element_count, 0);
    assert_int_equal(k->insts[2].operands[2].element_count, 2);
    assert_int_equal(k->insts[3].operands[2].elements[1].bits, 5);
    assert_int_equal(k->insts[4].operands[1].kind, PTX_OP_REG);
    assert_int_equal(k->insts[4].operands[3].symbol->kind, PTX_PROTOTYPE);
    assert_int_equal(k->insts[5].operands[3].symbol->label_count, 2);
    ptx_module_destroy(module);
}

static void branch_targets_are_in_order(void **state)
{
    struct ptx_module *module = front_body("t: .branchtargets A, B, A, C;\n"
                                           "brx.idx %r1, t;\n"
                                           "A: trap;\nB: trap;\nC: trap;");
    const struct ptx_symbol *list = front_inst(module, 0)->operands[1].symbol;
    static const unsigned expected[] = {1, 2, 1, 3};
    (void)state;
    assert_int_equal(list->label_count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(list->labels[i]->index, expected[i]);
    ptx_module_destroy(module);
}

static void debug_information_gives_lines_and_is_skipped(void **state)
{
    struct ptx_module *module =
        front_module(".file 1 \"/tmp/a.cu\", 1700000000, 123\n.file 2 \"b.h\"\n"
                     ".entry k() {\n.loc 1 17 3\nret;\n"
                     ".loc 2 5 0, function_name $L__info_string0+4, inlined_at 1 20 1\nret;\n}\n"
                     ".section .debug_str { $L__info_string0: .b8 1,2, '{ \n } .b32 .x }\n"
                     ".section .debug_loc { }\n");
    struct ptx_function *k = ptx_module_kernel(module, "k");
    (void)state;
    assert_string_equal(ptx_file_name(module, 1), "/tmp/a.cu");
    assert_string_equal(ptx_file_name(module, 2), "b.h");
    assert_null(ptx_file_name(module, 3));
    assert_int_equal(k->insts[0].file, 1);
    assert_int_equal(k->insts[0].source_line, 17);
    assert_int_equal(k->insts[1].file, 2);
    assert_int_equal(k->insts[1].source_line, 5);
    ptx_module_destroy(module);
}

static void textures_are_read_and_refused_only_when_used(void **state)
{
    ptx_module_destroy(front_module(".global .texref t;\n.global .samplerref s = { x = 1 };\n"
                                    ".global .surfref u;\n.entry k(.param .u64 t2) { ret; }\n"));
    (void)state;
    front_refuses(".global .texref t;\n.entry k() { .reg .f32 f<6>;\n"
                  "tex.2d.v4.f32.f32 {f1,f2,f3,f4}, [t, {f1, f2}];\nret; }",
                  PTX_UNSUPPORTED, "line 6: error: tex of a variable is not supported");
}

static void several_errors_are_reported(void **state)
{
    struct ptx_module *module;
    (void)state;
    assert_int_equal(front_load(FRONT_HEAD ".entry k() {\n"
                                           "  .reg .b32 %r<4>;\n"
                                           "  add.s32 %r1 %r2;\n"
                                           "  ld.v2.b32 {%r1, %r2, [%rd1];\n"
                                           "  mov.b32 %r9, 1;\n"
                                           "  ret;\n}\n"
                                           ".global .b7 x;\n",
                                &module),
                     PTX_INVALID);
    assert_non_null(strstr(front_log, "line 6: error: expected ';', found '%r2'\n"));
    assert_non_null(strstr(front_log, "line 7: error: "));
    assert_non_null(strstr(front_log, "line 8: error: unknown symbol '%r9'\n"));
    assert_non_null(strstr(front_log, "line 11: error: "));
}

static void an_operand_of_a_wrong_instruction_is_not_another_error(void **state)
{
    struct ptx_module *module;
    (void)state;
    assert_int_equal(front_load(FRONT_HEAD ".entry k() {\n ret;\n bra nowhere, +;\n}\n", &module),
                     PTX_INVALID);
    assert_non_null(strstr(front_log, "line 6: error: expected a constant"));
    assert_null(strstr(front_log, "nowhere"));
}

static void after_twenty_errors_it_stops(void **state)
{
    static char text[40 * 10 + 200] = FRONT_HEAD ".entry k() {\n";
    struct ptx_module *module;
    unsigned lines = 0;
    (void)state;
    for (int i = 0; i < 40; i++)
        strcat(text, "bra +;\n");
    assert_int_equal(front_load(text, &module), PTX_INVALID);
    for (const char *at = front_log; (at = strstr(at, "error: ")); at++)
        lines++;
    assert_int_equal(lines, 21);
    assert_non_null(strstr(front_log, "more than 20 errors"));
}

static void the_log_is_cut_at_a_line(void **state)
{
    char text[60];
    struct ptx_log log = {.text = text, .capacity = sizeof text};
    struct ptx_module *module;
    (void)state;
    memset(text, 'x', sizeof text);
    static const char source[] = FRONT_HEAD ".a;\n.b;\n.c;\n";
    ptx_module_load(source, sizeof source, 90, &log, &module);
    assert_null(module);
    assert_int_equal(log.errors, 3);
    assert_true(log.length < sizeof text && text[log.length] == '\0');
    assert_true(log.length == 0 || text[log.length - 1] == '\n');
    ptx_module_load(source, sizeof source, 90, NULL, &module);
    assert_null(module);
}

static void fill(char *text, size_t size, const char *begin, const char *unit, const char *end)
{
    size_t length = strlen(unit), at = strlen(begin);
    memcpy(text, begin, at);
    for (; at + length + strlen(end) < size; at += length)
        memcpy(text + at, unit, length);
    strcpy(text + at, end);
}

static void too_deep_nesting_is_refused(void **state)
{
    static const char *const cases[][3] = {
        {".entry k() {", "{", ""},         {".global .u32 x = ", "(", ""},
        {".global .u32 x = ", "-", "1;"},  {".global .u32 x = ", "(.s64)", "1;"},
        {".global .u32 x = ", "1?", "1;"}, {".global .u32 x = ", "1?1:", "1;"},
        {".global .u32 x[] = ", "{", ""},  {".entry k() { .reg .pred p; mov.pred p, ", "!", "p; }"},
        {".entry k() { call ", "(", ";}"}, {".section .debug_x ", "{", ""},
    };
    static char text[1 << 20];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ptx_module *module;
        char begin[200];
        snprintf(begin, sizeof begin, FRONT_HEAD "%s", cases[i][0]);
        fill(text, sizeof text, begin, cases[i][1], cases[i][2]);
        assert_int_equal(front_load(text, &module), PTX_INVALID);
    }
}

static void long_chains_need_no_stack(void **state)
{
    static char text[1 << 20];
    struct ptx_module *module;
    (void)state;
    fill(text, sizeof text, FRONT_HEAD ".global .u32 x = 1", "+1", ";");
    assert_int_equal(front_load(text, &module), PTX_OK);
    ptx_module_destroy(module);
    fill(text, sizeof text, FRONT_HEAD ".entry k() {", "{}", "ret;}");
    assert_int_equal(front_load(text, &module), PTX_OK);
    ptx_module_destroy(module);
}

static void initial_values_allocate_only_the_bytes_given(void **state)
{
    struct ptx_module *module = front_module(".global .b8 x[1000000000000] = {1};\n"
                                             ".global .u32 y[][1 << 28] = {{1, 2}, {}, {3}, 4};\n"
                                             ".const .v4 .u8 z[3] = {{1, 2}, {}, {5, 6, 7, 8}};\n");
    struct ptx_symbol *x = variable(module, "x"), *y = variable(module, "y"),
                      *z = variable(module, "z");
    const struct ptx_piece *piece = y->pieces;
    (void)state;
    assert_int_equal(x->pieces->size, 1);
    assert_int_equal(y->size, UINT64_C(4) << 30);
    assert_int_equal(piece->size, 8);
    assert_int_equal(piece->next->offset, UINT64_C(2) << 30);
    assert_int_equal(piece->next->next->offset, UINT64_C(3) << 30);
    assert_int_equal(piece->next->next->size, 4);
    assert_null(piece->next->next->next);
    assert_int_equal(number_at(y, UINT64_C(3) << 30, 4), 4);
    assert_int_equal(number_at(z, 0, 2), 0x0201);
    assert_int_equal(number_at(z, 8, 4), 0x08070605);
    ptx_module_destroy(module);
}

static void variables_larger_than_their_memory_are_refused(void **state)
{
    (void)state;
    front_refuses(".const .b8 a[65537];\n.nonsense", PTX_INVALID, "line 4: error: variable 'a'");
    front_refuses(".const .b8 a[][65535] = {{1}, {2}};", PTX_INVALID, "has 131070 bytes");
    front_body_refuses(".local .b8 a[524289];", "at most 524288 fit");
    front_body_refuses(".param .b8 a[8589934592];", "at most 524288 fit");
    front_refuses(".entry e(.param .b8 a[524289]) { ret; }", PTX_INVALID, "at most 524288 fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_names_version_and_target),
        cmocka_unit_test(an_invalid_head_is_refused),
        cmocka_unit_test(variables_have_space_type_alignment_and_size),
        cmocka_unit_test(initialisers_nest_as_in_c),
        cmocka_unit_test(constants_are_expressions_of_c),
        cmocka_unit_test(addresses_in_initialisers_are_relocations),
        cmocka_unit_test(wrong_declarations_are_refused),
        cmocka_unit_test(an_extern_variable_may_be_defined_later),
        cmocka_unit_test(functions_have_parameters_and_limits),
        cmocka_unit_test(a_declaration_and_its_definition_are_one_function),
        cmocka_unit_test(registers_of_a_range_are_made_when_used),
        cmocka_unit_test(names_are_hidden_by_inner_scopes_and_end_with_their_scope),
        cmocka_unit_test(labels_belong_to_their_scope),
        cmocka_unit_test(operands_have_all_their_forms),
        cmocka_unit_test(calls_have_three_forms_lists_and_prototypes),
        cmocka_unit_test(branch_targets_are_in_order),
        cmocka_unit_test(debug_information_gives_lines_and_is_skipped),
        cmocka_unit_test(textures_are_read_and_refused_only_when_used),
        cmocka_unit_test(several_errors_are_reported),
        cmocka_unit_test(an_operand_of_a_wrong_instruction_is_not_another_error),
        cmocka_unit_test(after_twenty_errors_it_stops),
        cmocka_unit_test(the_log_is_cut_at_a_line),
        cmocka_unit_test(too_deep_nesting_is_refused),
        cmocka_unit_test(long_chains_need_no_stack),
        cmocka_unit_test(initial_values_allocate_only_the_bytes_given),
        cmocka_unit_test(variables_larger_than_their_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
