/* For tests of the front end alone: loads text without translating it. Include it once per program,
 * since it defines the translator's functions. */
#ifndef TEST_PTX_FRONT_H
#define TEST_PTX_FRONT_H

#include "ptx_front.h"
#include "ptx_translate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum ptx_result ptx_code_translate(struct ptx_module *module, unsigned sm, struct ptx_log *log)
{
    (void)sm;
    (void)log;
    /* Function pointers have values that tests can recognise. */
    for (struct ptx_function *function = module->functions; function; function = function->next)
        function->symbol->address = 0xf00 + function->symbol->index;
    return PTX_OK;
}

void ptx_code_place(struct ptx_module *module)
{
    (void)module;
}

void ptx_code_free(struct ptx_module *module)
{
    (void)module;
}

#define FRONT_HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"

static char front_log[8192];

static enum ptx_result front_load(const char *text, struct ptx_module **out_module)
{
    struct ptx_log log = {.text = front_log, .capacity = sizeof front_log};
    *front_log = '\0';
    enum ptx_result result = ptx_module_load(text, strlen(text), 90, &log, out_module);
    assert_true((result == PTX_OK) == (*out_module != NULL));
    assert_true((result == PTX_OK) == (log.errors == 0));
    return result;
}

/* A module that has to load: head, then text. */
__attribute__((unused)) static struct ptx_module *front_module(const char *text)
{
    struct ptx_module *module;
    char *whole;
    assert_true(asprintf(&whole, FRONT_HEAD "%s", text) > 0);
    if (front_load(whole, &module) != PTX_OK)
        print_error("%s\n%s", text, front_log);
    free(whole);
    assert_non_null(module);
    return module;
}

/* The same for the body of a kernel k(.u64 a, .f32 b) with some registers declared. */
#define FRONT_BODY                                                                                 \
    ".visible .entry k(.param .u64 a, .param .f32 b)\n{\n"                                         \
    ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"                  \
    ".reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n"
enum { FRONT_BODY_LINE = 12 }; /* of the body's first line */

__attribute__((unused)) static struct ptx_module *front_body(const char *text)
{
    struct ptx_module *module;
    char *whole;
    assert_true(asprintf(&whole, "%s%s\nret;\n}\n", FRONT_BODY, text) > 0);
    module = front_module(whole);
    free(whole);
    return module;
}

__attribute__((unused)) static struct ptx_inst *front_inst(struct ptx_module *module,
                                                           unsigned index)
{
    struct ptx_function *kernel = ptx_module_kernel(module, "k");
    assert_non_null(kernel);
    assert_true(index < kernel->inst_count);
    return &kernel->insts[index];
}

/* Text that must fail to load with result, and with a log that contains words. */
__attribute__((unused)) static void front_refuses(const char *text, enum ptx_result result,
                                                  const char *words)
{
    struct ptx_module *module;
    char *whole;
    assert_true(asprintf(&whole, FRONT_HEAD "%s", text) > 0);
    enum ptx_result got = front_load(whole, &module);
    if (got != result || !strstr(front_log, words))
        print_error("%s\nresult %d, expected %d and \"%s\", log:\n%s", text, got, result, words,
                    front_log);
    assert_int_equal(got, result);
    assert_non_null(strstr(front_log, words));
    free(whole);
}

__attribute__((unused)) static void front_body_refuses(const char *text, const char *words)
{
    char *whole;
    assert_true(asprintf(&whole, "%s%s\nret;\n}\n", FRONT_BODY, text) > 0);
    front_refuses(whole, PTX_INVALID, words);
    free(whole);
}

#endif
