/* What is said about a module that does not load: one line for each mistake, whose text is compared
 * here. The other tests have the results. */
#include "ptx_front.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "run.h"

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"
#define KERNEL                                                                                     \
    HEAD ".visible .entry k(.param .u64 a, .param .f32 b)\n{\n"                                    \
         ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"             \
         ".reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n"
#define CALLEE HEAD ".func (.param .b32 r) f(.param .b64 p, .param .align 4 .b8 q[12]) { ret; }\n"
#define CALLER                                                                                     \
    ".entry k() { .reg .b64 %rd<2>; .param .b32 x; .param .b64 y; .param .align 4 .b8 z[12];\n"

/* Many of what an instruction or an array has a few of. */
#define ONES "[1][1][1][1][1][1][1][1]"
#define MANY ".a.b.c.d.e.f.g.h"
#define MORE ", %r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1"

struct mistake {
    const char *text, *said;
};

static void each_says(const char *head, const struct mistake *mistakes, size_t count,
                      const char *end)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        static char text[8192], said[4096];
        struct ptx_log log = {.text = said, .capacity = sizeof said};
        struct ptx_module *module = NULL;
        *said = '\0';
        assert_true(snprintf(text, sizeof text, "%s%s%s", head, mistakes[i].text, end) <
                    (int)sizeof text);
        if (ptx_module_load(text, strlen(text), 90, &log, &module) == PTX_OK) {
            print_error("it loads: %s\n", mistakes[i].text);
            ptx_module_destroy(module);
            wrong++;
        } else if (!strstr(said, mistakes[i].said)) {
            print_error("%s\n    %s    not: %s\n", mistakes[i].text, said, mistakes[i].said);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}
#define EACH(head, mistakes, end)                                                                  \
    each_says(head, mistakes, sizeof(mistakes) / sizeof *(mistakes), end)

static void heads(void **state)
{
    static const struct mistake mistakes[] = {
        {"", "error: no .version"},
        {".version 7.0\n", "error: no .target"},
        {".version 10.0\n.target sm_80", "error: PTX version 10.0 is newer than 9.x"},
        {".version 7.0\n.target sm_100", "the module is for sm_100, the device is sm_90"},
        {".version 7.0\n.target sm_80a", "the module is for sm_80a alone, the device is sm_90"},
        {".version 7.0\n.target sm_80\n.address_size 32", "addresses of 32 bits, expected 64"},
        {".version seven\n", "expected a version like 7.0, found 'seven'"},
    };
    (void)state;
    EACH("", mistakes, "");
}

static void declarations(void **state)
{
    static const struct mistake mistakes[] = {
        {".global .u32 x = 1 / 0;", "division by zero in a constant expression"},
        {".global .u32 x = 1.0 + 0f3F800000;", "arithmetic with a single-precision constant"},
        {".global .f64 x = 1.0 << 2.0;", "an operator that floating-point constants do not have"},
        {".global .f64 x = ~1.0;", "'~' of a floating-point constant"},
        {".global .f64 x = (.s64)1.0;", "a cast of a floating-point constant"},
        {".global .align 1.0 .u32 x;", "expected an integer constant"},
        {".global .align 3 .u32 x;", "the alignment 3 is not a power of two"},
        {".global .u32 x = 1.0;", "a floating-point constant for .u32"},
        {".global .f64 x = 0f3F800000;", "a single-precision constant for .f64"},
        {".global .u32 a; .global .u16 x = a;", "an address does not fit into .u16"},
        {".global .v4 .f64 x;", "a vector of more than 16 bytes"},
        {".global .pred x;", ".pred is for registers only"},
        {".global .u32 x[];", "array 'x' has neither a size nor initial values"},
        {".extern .global .u32 x = 1;", "an initial value for .extern 'x'"},
        {".shared .u32 x = 1;", "only variables in .global and .const have initial values"},
        {".global .u32 x[1] = {1, 2};", "too many initialisers for 'x'"},
        {".local .u32 x;", "a .local variable outside of a function"},
        {".reg .u32 x;", "a register or parameter outside of a function"},
        {".global .u32 x" ONES ONES ONES ONES ";", "an array of more than "},
        {".global .u64 x[1099511627775][1099511627775];", "variable 'x' is too large"},
        {".global .u64 x[1099511627776];", " is out of range, expected 0 to 1099511627775"},
        {".global .u32 a; .global .u8 x = 0x1ff(a);", "a mask that is not one byte of an address"},
        {".entry k() { .reg .u32 r; .shared .u64 s[2] = {r}; }", "have initial values"},
        {".func f(); .alias g, f;", "cannot be an alias of 'f'"},
        {".func f(.param .u32 a); .func f() { ret; }",
         "'f' has different parameters than in line 4"},
    };
    (void)state;
    EACH(HEAD, mistakes, "\n");
}

static void functions(void **state)
{
    static const struct mistake mistakes[] = {
        {".entry (.param .u32 r) k() { ret; }", "'k' is a kernel with a result"},
        {".entry k(.reg .u32 a) { ret; }", "a kernel's parameter in a register"},
        {".entry k(.param .b8 a[]) { ret; }", "a kernel's parameter without a size"},
        {".entry k() { .global .u32 x; ret; }",
         "a .global or .const variable inside of a function"},
    };
    (void)state;
    EACH(HEAD, mistakes, "\n");
}

static void calls(void **state)
{
    static const struct mistake mistakes[] = {
        {"call (x), f, (y, x);", "argument 'x' has 4 bytes, the parameter 12"},
        {"call (5), f, (y, z);", "the result of a call needs a variable"},
        {"call (x), f, (y, %rd1);", "an argument of a call that does not fit the parameter 'q'"},
        {"call (x), f, (y, z), f, f;", "call: operands that a call does not have"},
        {"call 5, ();", "call: expected a function or a register of 64 bits"},
    };
    (void)state;
    EACH(CALLEE CALLER, mistakes, " ret; }\n");
}

static void instructions(void **state)
{
    static const struct mistake mistakes[] = {
        {"add.s32 5, %r2, %r1;", "operand 1 of add.s32: expected a register"},
        {"ld.global.b32 %r1, [k];", "'k' is not an address"},
        {"add" MANY MANY MANY MANY " %r1, %r2, %r3;", "an instruction of more than "},
        {"add.s32 %r1" MORE MORE MORE ";", "an instruction of more than "},
    };
    (void)state;
    EACH(KERNEL, mistakes, "\nret;\n}\n");
}

static void translations(void **state)
{
    static const struct mistake mistakes[] = {
        {"setp.lt.and.u32 %p1, %r1, %r2;",
         "setp combines with a predicate if and only if it names .and, .or or .xor"},
        {"cp.async.ca.shared.global [%r1], [%rd1], 3;", "cp.async does not copy 3 bytes"},
        {"cvta.shared.u32 %r1, %r2;", "a 32-bit generic address cannot reach this space"},
        {"call g, ();", "unknown symbol 'g'"},
        {"call vprintf, (%rd1, %rd1, %rd1);", "unknown symbol 'vprintf'"},
        {"tex.level.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}], %r2;",
         "simulated devices read levels by .f32 coordinates only"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 9999999;", "lop3: 9999999 is out of range"},
    };
    static const struct mistake outside[] = {
        {".extern .func g(); .entry k() { call g, (); ret; }",
         "'g' is declared in line 4 and defined nowhere"},
        {".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a, .param .b64 b);\n"
         ".entry k() { .param .b32 x; .param .b64 y; call (x), vprintf, (y, y, y); ret; }",
         "vprintf takes 2 arguments"},
        {".func f(.param .b64 p) { ret; } .entry k(.param .b64 a) { call f, (a); ret; }",
         "parameter a of the kernel cannot be an argument or result"},
    };
    (void)state;
    EACH(KERNEL, mistakes, "\nret;\n}\n");
    EACH(HEAD, outside, "\n");
}

/* What a kernel that fails is said to have done. */
static void kernels(void **state)
{
    static const struct mistake mistakes[] = {
        {"bar.sync 16;", "there is no barrier 16"},
        {"bar.sync 0, 33;", "barrier 0 for 33 threads, which is not a multiple of 32"},
        {"brkpt;", "breakpoint without a debugger"},
        {"setp.eq.u32 %p1, %r1, %r1; vote.sync.any.pred %p2, %p1, 2;",
         "lane 0 is not in its own member mask 0x00000002"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[1024], said[4096];
        snprintf(text, sizeof text,
                 RUN_HEAD(80) ".entry k(.param .u64 out) {\n.reg .pred %%p<3>; .reg .b32 %%r<3>;\n"
                              "%s\nret;\n}\n",
                 mistakes[i].text);
        uint64_t out = 0;
        fflush(stderr);
        int terminal = dup(STDERR_FILENO), file = memfd_create("stderr", 0);
        dup2(file, STDERR_FILENO);
        enum ptx_end end = run_once(text, "k", 32, &out, sizeof out);
        dup2(terminal, STDERR_FILENO);
        ssize_t length = pread(file, said, sizeof said - 1, 0);
        said[length > 0 ? length : 0] = '\0';
        close(file);
        close(terminal);
        assert_int_not_equal(end, PTX_END_OK);
        if (!strstr(said, mistakes[i].said))
            fail_msg("%s: %s", mistakes[i].text, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads),   cmocka_unit_test(declarations), cmocka_unit_test(functions),
        cmocka_unit_test(calls),   cmocka_unit_test(instructions), cmocka_unit_test(translations),
        cmocka_unit_test(kernels),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
