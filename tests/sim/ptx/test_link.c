/* Several PTX texts become one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static char errors[2048];

/* The text, which is loaded; NULL: it is not linked. */
static char *link_texts(const char *const *texts, size_t count, enum ptx_result expected)
{
    struct ptx_log log = {.text = errors, .capacity = sizeof errors};
    struct ptx_module *module = NULL;
    char *text = NULL;
    *errors = '\0';
    enum ptx_result result = ptx_link(texts, count, &log, &text);
    if (result == PTX_OK)
        result = ptx_module_load(text, strlen(text), 80, &log, &module);
    if (result != expected)
        fprintf(stderr, "%s\n%s\n", errors, text ? text : "");
    assert_int_equal(result, expected);
    ptx_module_destroy(module);
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part))) {
        text++;
        count++;
    }
    return count;
}

static void what_one_declares_another_defines(void **state)
{
    static const char *const texts[] = {
        HEAD ".extern .func f(.param .u32 x);\n.extern .const .align 4 .u32 c[];\n"
             ".visible .entry k() { .reg .b32 %r; .param .u32 p; ld.const.u32 %r, [c];\n"
             "st.param.u32 [p], %r; call f, (p); ret; }\n",
        HEAD ".visible .const .align 4 .u32 c[2] = {1, 2};\n"
             ".visible .func f(.param .u32 x) { ret; }\n"};
    (void)state;
    free(link_texts(texts, 2, PTX_OK));
    const char *const reversed[] = {texts[1], texts[0]};
    free(link_texts(reversed, 2, PTX_OK));
    free(link_texts(texts, 1, PTX_UNRESOLVED));
    assert_non_null(strstr(errors, "'f'"));
}

static void the_newest_version_and_target_are_taken(void **state)
{
    static const char *const texts[] = {
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry a() { ret; }\n",
        ".version 7.8\n.target sm_80, texmode_unified\n.address_size 64\n.visible .entry b() { "
        "ret; }\n",
        ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry c() { ret; }\n"};
    (void)state;
    char *text = link_texts(texts, 3, PTX_OK);
    assert_non_null(strstr(text, ".version 7.8\n.target sm_80, texmode_unified\n"));
    assert_int_equal(count_of(text, ".version"), 1);
    assert_int_equal(count_of(text, ".entry"), 3);
    free(text);
}

static void private_names_are_made_different(void **state)
{
    static const char *const texts[] = {
        HEAD ".global .u32 x = 1;\n.func f() { .reg .u32 x; mov.u32 x, 1; ret; }\n"
             ".visible .entry a() { .reg .u32 %r; ld.global.u32 %r, [x]; call f; ret; }\n",
        HEAD ".global .u32 x = 2;\n.global .u64 p = x;\n.func f();\n.func f() { ret; }\n"
             ".visible .entry b() { call f; ret; }\n"};
    (void)state;
    char *text = link_texts(texts, 2, PTX_OK);
    assert_non_null(strstr(text, ".global .u32 x = 1"));
    assert_non_null(strstr(text, ".global .u32 x$1 = 2"));
    assert_non_null(strstr(text, "p = x$1;"));
    assert_non_null(strstr(text, "call f$1;"));
    free(text);
}

static void of_weak_definitions_one_stays(void **state)
{
    static const char *const texts[] = {
        HEAD ".weak .global .u32 v = 1;\n.weak .func (.param .u32 r) f(.param .u32 x) { ret; }\n"
             ".weak .entry k() { .reg .u32 %r; ld.global.u32 %r, [v]; ret; }\n",
        HEAD ".weak .global .u32 v = 2;\n.weak .func (.param .u32 r) f(.param .u32 x) { ret; }\n"
             ".weak .entry k() { ret; }\n",
        HEAD ".visible .global .u32 v = 3;\n"};
    (void)state;
    char *text = link_texts(texts, 3, PTX_OK);
    assert_null(strstr(text, "v = 1"));
    assert_null(strstr(text, "v = 2"));
    assert_non_null(strstr(text, "v = 3"));
    assert_int_equal(count_of(text, ".entry k"), 1);
    assert_int_equal(count_of(text, ".extern .func"), 1);
    free(text);
}

static void a_name_is_defined_once(void **state)
{
    static const char *const texts[] = {HEAD ".visible .func f() { ret; }\n",
                                        HEAD ".visible .global .u32 f;\n"};
    static const char *const kernels[] = {HEAD ".entry k() { ret; }\n",
                                          HEAD ".visible .entry k() { ret; }\n"};
    (void)state;
    assert_null(link_texts(texts, 2, PTX_INVALID));
    assert_non_null(strstr(errors, "Multiple definition of 'f'"));
    assert_null(link_texts(kernels, 2, PTX_INVALID));
}

/* Files are numbered in each text for itself. */
static void lines_for_debuggers_are_left_out(void **state)
{
    static const char *const texts[] = {
        HEAD ".visible .entry a() {\n.loc 1 2 3\nret;\n}\n.file 1 \"a.cu\"\n"
             ".section .debug_abbrev\n{\n.b8 1,2\n}\n",
        HEAD ".file 1 \"b.cu\"\n.visible .entry b() {\n.loc 1 7 0\nret;\n}\n"};
    (void)state;
    char *text = link_texts(texts, 2, PTX_OK);
    assert_null(strstr(text, ".loc"));
    assert_null(strstr(text, ".file"));
    free(text);
}

static void any_text_is_read_without_harm(void **state)
{
    static const char *const odd[] = {
        "",   ".version",          ".func (",    ".visible",           "{{{",
        "\"", ".weak .func f() {", ".section x", ".global .u32 x = {", HEAD ".pragma \"a"};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        const char *const texts[] = {HEAD ".visible .entry a() { ret; }\n", odd[i]};
        struct ptx_log log = {.text = errors, .capacity = sizeof errors};
        char *text = NULL;
        assert_true(ptx_link(texts, 2, &log, &text) != PTX_NO_MEMORY);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_declares_another_defines),
        cmocka_unit_test(the_newest_version_and_target_are_taken),
        cmocka_unit_test(private_names_are_made_different),
        cmocka_unit_test(of_weak_definitions_one_stays),
        cmocka_unit_test(a_name_is_defined_once),
        cmocka_unit_test(lines_for_debuggers_are_left_out),
        cmocka_unit_test(any_text_is_read_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
