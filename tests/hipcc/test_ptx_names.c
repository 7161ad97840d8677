/* Tests the correction of symbol names in PTX, hostile text included. */
#include "check.h"
#include "ptx_names.h"

#include <stdint.h>
#include <stdlib.h>

/* Corrects text; "" when unchanged, "!" for a clash. The result is valid until the next call. */
static const char *fixed(const char *text)
{
    static char *out;
    size_t size = 0;
    free(out);
    /* A copy without a NUL, so that a sanitizer sees any read past the end. */
    size_t length = strlen(text);
    char *exact = malloc(length ? length : 1);
    memcpy(exact, text, length);
    enum ah_ptx_fix result = ah_ptx_fix_names(exact, length, &out, &size);
    free(exact);
    if (result == AH_PTX_FIX_CHANGED) {
        CHECK(strlen(out) == size);
        return out;
    }
    CHECK(out == NULL && size == 0);
    return result == AH_PTX_FIX_CLASH ? "!" : result == AH_PTX_FIX_UNCHANGED ? "" : "no memory";
}

static void a_managed_variable_is_renamed_where_declared_and_used(void)
{
    CHECK_TEXT(fixed(".visible .global .align 4 .u32 m.managed = 4;\n"
                     ".visible .global .align 8 .u64 m;\n"
                     "\tld.global.u32 %r1, [m.managed+4];\n\tmov.b64 %rd1, m.managed;\n"),
               ".visible .global .align 4 .u32 m_$_managed = 4;\n"
               ".visible .global .align 8 .u64 m;\n"
               "\tld.global.u32 %r1, [m_$_managed+4];\n\tmov.b64 %rd1, m_$_managed;\n");
}

static void an_internal_kernel_and_its_parameters_are_renamed(void)
{
    CHECK_TEXT(fixed(".weak .entry _ZL1kPf.intern.0a(\n"
                     "  .param .u64 .ptr .global .align 4 _ZL1kPf.intern.0a_param_0,\n"
                     "  .param .b32 _ZL1kPf.intern.0a_param_1\n)\n{\n"
                     "  ld.param.u64 %rd1, [_ZL1kPf.intern.0a_param_0];\n"
                     "  ld.param.b32 %r1, [_ZL1kPf.intern.0a_param_1];\n ret;\n}\n"),
               ".weak .entry _ZL1kPf_$_intern_$_0a(\n"
               "  .param .u64 .ptr .global .align 4 _ZL1kPf_$_intern_$_0a_param_0,\n"
               "  .param .b32 _ZL1kPf_$_intern_$_0a_param_1\n)\n{\n"
               "  ld.param.u64 %rd1, [_ZL1kPf_$_intern_$_0a_param_0];\n"
               "  ld.param.b32 %r1, [_ZL1kPf_$_intern_$_0a_param_1];\n ret;\n}\n");
}

static void a_function_with_a_result_is_renamed_and_so_are_its_calls(void)
{
    CHECK_TEXT(fixed(".func (.param .b32 func_retval0) f.x(.param .b32 f.x_param_0);\n"
                     "call.uni (retval0), f.x, (param0);\n"),
               ".func (.param .b32 func_retval0) f_$_x(.param .b32 f_$_x_param_0);\n"
               "call.uni (retval0), f_$_x, (param0);\n");
}

static void every_name_of_a_list_is_a_declaration(void)
{
    CHECK_TEXT(fixed(".global .u32 a, b.c[2] = {1, 2}, d.e = 3; .global .u64 p = generic(b.c);"),
               ".global .u32 a, b_$_c[2] = {1, 2}, d_$_e = 3; .global .u64 p = generic(b_$_c);");
}

static void comments_and_string_literals_are_left_alone(void)
{
    CHECK_TEXT(fixed("// m.managed\n/* m.managed */ .global .u32 m.managed; // m.managed\n"
                     ".file 1 \"m.managed\"\n.pragma \"a\\\"m.managed\";\n"),
               "// m.managed\n/* m.managed */ .global .u32 m_$_managed; // m.managed\n"
               ".file 1 \"m.managed\"\n.pragma \"a\\\"m.managed\";\n");
    CHECK_TEXT(fixed("// .global .u32 m.managed;\n\".global .u32 n.m;\""), "");
}

static void opcodes_registers_numbers_and_directives_are_not_names(void)
{
    CHECK_TEXT(fixed(".version 7.0\n.target sm_70\n.reg .b32 %r<5>;\n"
                     "ld.global.u32 %r1, [%rd1]; mov.u32 %r2, %tid.x; add.f32 %f1, %f2, 1.5;\n"
                     ".shared .align 4 .b8 tile[128];\n"),
               "");
}

static void names_that_would_become_equal_are_a_clash(void)
{
    CHECK_TEXT(fixed(".global .u32 m.managed; .global .u32 m_$_managed;"), "!");
    CHECK_TEXT(fixed(".global .u32 a.b_$_c; .global .u32 a_$_b.c;"), "!");
}

static void a_use_in_the_corrected_spelling_is_no_clash(void)
{
    CHECK_TEXT(fixed(".global .u32 m.managed; .section .debug_info { .b64 m_$_managed }"),
               ".global .u32 m_$_managed; .section .debug_info { .b64 m_$_managed }");
}

static void text_without_such_names_is_unchanged(void)
{
    CHECK_TEXT(fixed(""), "");
    CHECK_TEXT(fixed(".visible .global .u32 x;"), "");
    CHECK_TEXT(fixed(".global .u32 x; mov.u32 %r1, V.x;"), "");
}

static void a_symbol_name_is_spelled_as_in_the_text(void)
{
    char out[32];
    CHECK(ah_ptx_fix_name("m.managed", out, sizeof(out)));
    CHECK_TEXT(out, "m_$_managed");
    CHECK(!ah_ptx_fix_name("plain", out, sizeof(out)));
    CHECK_TEXT(out, "m_$_managed");
    CHECK(!ah_ptx_fix_name("m.managed", out, 11));
    CHECK(ah_ptx_fix_name("m.managed", out, 12));
}

static void an_undefined_function_is_found(void)
{
    const char *name = NULL;
    size_t length = 0;
    const char *text = ".extern .func (.param .b32 r) vprintf(.param .b64 a);\n"
                       ".extern .func (.param .b32 func_retval0) helper\n(.param .b32 p)\n;\n"
                       ".func other(.param .b32 q) { ret; }\n";
    CHECK(ah_ptx_find_undefined(text, strlen(text), &name, &length));
    CHECK(length == 6 && !memcmp(name, "helper", 6));
    const char *defined = ".extern .func f();\n.visible .func f() { ret; }\n";
    CHECK(!ah_ptx_find_undefined(defined, strlen(defined), &name, &length));
    const char *nameless = ".extern .func ;\n";
    CHECK(!ah_ptx_find_undefined(nameless, strlen(nameless), &name, &length));
}

static void a_texture_reference_that_is_loaded_from_becomes_memory(void)
{
    CHECK_TEXT(fixed(".visible .global .texref t;\n{ ld.global.b64 %rd1, [t+72]; }"),
               ".visible .global .align 8 .b8 t[88];\n{ ld.global.b64 %rd1, [t+72]; }");
    CHECK_TEXT(fixed(".global .texref a.b;\n{ ld.global.b64 %rd1, [a.b+72]; }"),
               ".global .align 8 .b8 a_$_b[88];\n{ ld.global.b64 %rd1, [a_$_b+72]; }");
    CHECK_TEXT(fixed(".global .texref t;\n{ tex.1d.v4.f32.s32 {a, b, c, d}, [t, {x}]; }"), "");
    CHECK_TEXT(fixed(".global .texref t;\n{ tex.1d.v4.f32.s32 {a, b, c, d}, [t, {x}];\n"
                     "ld.global.b64 %rd1, [other_t+72]; }"),
               "");
    CHECK_TEXT(fixed(".visible .global .texref unused;\n.entry k() { ret; }"),
               ".visible .global .align 8 .b8 unused[88];\n.entry k() { ret; }");
    CHECK_TEXT(fixed(".global .texref t;\n.global .texref unused;\n"
                     "{ tex.1d.v4.f32.s32 {a, b, c, d}, [t, {x}]; }"),
               "");
}

static void hostile_text_is_survived(void)
{
    static const char *const texts[] = {
        "\"",
        "/*",
        "/",
        "//",
        "\"\\",
        ".global",
        ".global .u32",
        ".global .u32 a.",
        ".func",
        ".func (",
        ")))))].global .u32 a.b",
        ".global a.b,,,,;,",
        "}{][)(",
        ".entry .entry a.b a.b",
        ".global .global .param a.b",
        "a.b.c.d",
        ".global .u32 ld.global.u32; ld.global.u32 x;",
        ".global ....; .global _.; _.",
        "$",
        "%",
        ".extern .func",
        ".extern .func (",
        ".extern .func .extern .func x.y",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const char *name;
        size_t length;
        fixed(texts[i]);
        ah_ptx_find_undefined(texts[i], strlen(texts[i]), &name, &length);
    }
}

static void random_text_is_survived_and_correcting_twice_changes_nothing_more(void)
{
    static const char *const pieces[] = {
        ".global ", ".u32 ", "a.b",      "c",  "_$_", ",",      ";",        "(",
        ")",        "{",     "}",        "[",  "]",   ".func ", ".entry ",  ".param ",
        "\"",       "\\",    "//",       "/*", "*/",  "\n",     " ",        "%r1",
        "1.5",      "d.e.f", ".extern ", "=",  "@",   "\xff",   ".texref ", "d+72]",
    };
    uint32_t seed = 12345;
    for (int round = 0; round < 20000; round++) {
        char text[512];
        size_t n = 0;
        for (int k = 0; k < 40; k++) {
            seed = seed * 1664525u + 1013904223u;
            const char *piece = pieces[(seed >> 16) % (sizeof(pieces) / sizeof(*pieces))];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
        }
        char *once = NULL, *twice = NULL, *exact = malloc(n);
        size_t once_size = 0, twice_size = 0, length;
        const char *name;
        memcpy(exact, text, n);
        if (ah_ptx_fix_names(exact, n, &once, &once_size) == AH_PTX_FIX_CHANGED)
            CHECK(ah_ptx_fix_names(once, once_size, &twice, &twice_size) == AH_PTX_FIX_UNCHANGED);
        ah_ptx_find_undefined(exact, n, &name, &length);
        free(once);
        free(twice);
        free(exact);
    }
}

static void many_names_take_linear_time(void)
{
    enum { COUNT = 100000 };
    char *text = malloc(COUNT * 32);
    size_t n = 0;
    for (int i = 0; i < COUNT; i++)
        n += (size_t)sprintf(text + n, ".global .u32 x%d.m;\n", i);
    char *out;
    size_t size;
    CHECK(ah_ptx_fix_names(text, n, &out, &size) == AH_PTX_FIX_CHANGED);
    CHECK(size == n + 2 * COUNT);
    free(out);
    free(text);
}

/* "offset+size ..." of the kernel's parameters; "?": there are none that are understood. */
static const char *parameters(const char *text, const char *kernel)
{
    static char out[256];
    struct ah_ptx_parameter *list;
    size_t count, length = strlen(text), n = 0;
    char *exact = malloc(length ? length : 1);
    memcpy(exact, text, length);
    bool found = ah_ptx_parameters(exact, length, kernel, &list, &count);
    free(exact);
    out[0] = '\0';
    for (size_t i = 0; i < count; i++)
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%zu+%zu", i ? " " : "", list[i].offset,
                              list[i].size);
    free(list);
    CHECK(found || count == 0);
    return found ? out : "?";
}

static void the_parameters_of_a_kernel_have_offsets_and_sizes(void)
{
    const char *text = ".version 7.0\n.func f(.param .b32 f_0)\n{ ret; }\n"
                       ".visible .entry none()\n{ ret; }\n"
                       ".entry bare { ret; } // .entry k(\n"
                       ".visible .entry k(\n"
                       "  .param .u8 k_0, /* ), */\n"
                       "  .param .u64 .ptr .global .align 1 k_1,\n"
                       "  .param .align 4 .b8 k_2[6],\n"
                       "  .param .f16 k_3,\n"
                       "  .param .align 16 .b8 k_4[32]\n)\n.maxntid 1, 1, 1\n{ ret; }\n"
                       ".entry kk(.param .f64 a) { ret; }";
    CHECK_TEXT(parameters(text, "k"), "0+1 8+8 16+6 22+2 32+32");
    CHECK_TEXT(parameters(text, "kk"), "0+8");
    CHECK_TEXT(parameters(text, "none"), "");
    CHECK_TEXT(parameters(text, "bare"), "");
    CHECK_TEXT(parameters(text, "f"), "?");
    CHECK_TEXT(parameters(text, "other"), "?");
}

static void parameters_that_are_not_understood_are_refused(void)
{
    static const char *const hostile[] = {
        "",
        ".entry",
        ".entry k(",
        ".entry k(.param",
        ".entry k(.param .u32",
        ".entry k(.param .u32 a",
        ".entry k(.param .u32 a,",
        ".entry k(.param .u32 a,)",
        ".entry k(.param .b8 a[",
        ".entry k(.param .b8 a[])",
        ".entry k(.param .b8 a[99999999999999999999])",
        ".entry k(.param .b8 a[-1])",
        ".entry k(.param .align 3 .b8 a[4])",
        ".entry k(.param .b7 a)",
        ".entry k(.param .align",
        ".entry k(;)",
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        CHECK_TEXT(parameters(hostile[i], "k"), "?");
}

int main(void)
{
    RUN(the_parameters_of_a_kernel_have_offsets_and_sizes);
    RUN(parameters_that_are_not_understood_are_refused);
    RUN(a_managed_variable_is_renamed_where_declared_and_used);
    RUN(an_internal_kernel_and_its_parameters_are_renamed);
    RUN(a_function_with_a_result_is_renamed_and_so_are_its_calls);
    RUN(every_name_of_a_list_is_a_declaration);
    RUN(comments_and_string_literals_are_left_alone);
    RUN(opcodes_registers_numbers_and_directives_are_not_names);
    RUN(names_that_would_become_equal_are_a_clash);
    RUN(a_use_in_the_corrected_spelling_is_no_clash);
    RUN(text_without_such_names_is_unchanged);
    RUN(a_symbol_name_is_spelled_as_in_the_text);
    RUN(an_undefined_function_is_found);
    RUN(a_texture_reference_that_is_loaded_from_becomes_memory);
    RUN(hostile_text_is_survived);
    RUN(random_text_is_survived_and_correcting_twice_changes_nothing_more);
    RUN(many_names_take_linear_time);
    fixed("");
    return check_failures != 0;
}
