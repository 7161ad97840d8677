/* Functions that kernels call and the driver defines: vprintf, malloc, free, __assertfail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptx_front.h"
#include "run.h"

#include <unistd.h>

#define DECLARATIONS                                                                               \
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"                      \
    ".extern .func (.param .b64 r) malloc (.param .b64 size);\n"                                   \
    ".extern .func free (.param .b64 p);\n"                                                        \
    ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n,"      \
    " .param .b64 c);\n"

/* ---- printf ------------------------------------------------------------------ */

struct printed {
    char text[4096];
    size_t length;
    unsigned calls;
};

static void collect(struct ptx_context *context, const char *text, size_t size)
{
    struct printed *printed = context->data;
    assert_true(printed->length + size < sizeof(printed->text));
    memcpy(printed->text + printed->length, text, size);
    printed->length += size;
    printed->calls++;
}

static struct run_module *load_printing(const char *text, struct printed *printed)
{
    struct run_module *run = run_load(text);
    *printed = (struct printed){0};
    run->context.print = collect;
    run->context.data = printed;
    return run;
}

/* printf(format, tid, 1.5, "str", pointer) of each thread; stores its results. */
static const char print_text[] = RUN_HEAD(70) DECLARATIONS
    ".global .align 1 .b8 format[22] = {37,100,32,37,46,50,102,32,37,115,32,37,48,52,108,120,33,"
    "10,0,0,0,0};\n" /* "%d %.2f %s %04lx!\n" */
    ".global .align 1 .b8 word[4] = {115,116,114,0};\n"
    ".visible .entry k(.param .u64 out)\n"
    "{\n"
    ".local .align 8 .b8 depot[32];\n"
    ".reg .b64 %rd<9>; .reg .b32 %r<4>; .reg .f64 %fd<2>;\n"
    "mov.u64 %rd1, depot;\n"
    "cvta.local.u64 %rd2, %rd1;\n"
    "mov.u32 %r1, %tid.x;\n"
    "st.local.u32 [%rd1], %r1;\n"
    "mov.f64 %fd1, 0d3FF8000000000000;\n"
    "st.local.f64 [%rd1+8], %fd1;\n"
    "mov.u64 %rd3, word;\n"
    "cvta.global.u64 %rd3, %rd3;\n"
    "st.local.u64 [%rd1+16], %rd3;\n"
    "mov.u64 %rd4, 171;\n"
    "st.local.u64 [%rd1+24], %rd4;\n"
    "mov.u64 %rd5, format;\n"
    "cvta.global.u64 %rd5, %rd5;\n"
    "{\n"
    ".param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
    "st.param.b64 [p0+0], %rd5;\n"
    "st.param.b64 [p1+0], %rd2;\n"
    "call.uni (r0), vprintf, (p0, p1);\n"
    "ld.param.b32 %r2, [r0+0];\n"
    "}\n"
    "ld.param.u64 %rd6, [out];\n"
    "mul.wide.u32 %rd7, %r1, 4;\n"
    "add.s64 %rd6, %rd6, %rd7;\n"
    "st.global.u32 [%rd6], %r2;\n"
    "ret;\n"
    "}\n";

static void a_kernel_prints_lane_by_lane(void **unused)
{
    (void)unused;
    struct printed printed;
    struct run_module *run = load_printing(print_text, &printed);
    struct sim_memory *out = run_memory(64 * 4);
    uint64_t params = out->address;
    assert_int_equal(run_launch(run, "k", 1, 5, &params), PTX_END_OK);
    printed.text[printed.length] = 0;
    assert_string_equal(printed.text, "0 1.50 str 00ab!\n1 1.50 str 00ab!\n2 1.50 str 00ab!\n"
                                      "3 1.50 str 00ab!\n4 1.50 str 00ab!\n");
    assert_int_equal(printed.calls, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(((int32_t *)(void *)out->view)[i], 4);
    sim_memory_destroy(out);
    run_unload(run);
}

/* printf(format, NULL) with the format's address from the host. */
static const char print_at_text[] =
    RUN_HEAD(70) DECLARATIONS ".visible .entry k(.param .u64 format, .param .u64 out)\n"
                              "{\n"
                              ".reg .b64 %rd<4>; .reg .b32 %r<2>;\n"
                              "ld.param.u64 %rd1, [format];\n"
                              "mov.u64 %rd2, 0;\n"
                              "{\n"
                              ".param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
                              "st.param.b64 [p0+0], %rd1;\n"
                              "st.param.b64 [p1+0], %rd2;\n"
                              "call.uni (r0), vprintf, (p0, p1);\n"
                              "ld.param.b32 %r1, [r0+0];\n"
                              "}\n"
                              "ld.param.u64 %rd3, [out];\n"
                              "st.global.u32 [%rd3], %r1;\n"
                              "ret;\n"
                              "}\n";

static void an_unreadable_format_is_a_fault_and_null_returns_minus_one(void **unused)
{
    (void)unused;
    struct printed printed;
    struct run_module *run = load_printing(print_at_text, &printed);
    struct sim_memory *format = run_memory(256), *out = run_memory(4);
    uint64_t params[2] = {0, out->address};
    assert_int_equal(run_launch(run, "k", 1, 1, params), PTX_END_OK);
    assert_int_equal(*(int32_t *)(void *)out->view, -1);

    strcpy((char *)format->view, "plain\n");
    params[0] = format->address;
    assert_int_equal(run_launch(run, "k", 1, 1, params), PTX_END_OK);
    assert_int_equal(*(int32_t *)(void *)out->view, 0);
    assert_memory_equal(printed.text, "plain\n", 6);

    memset(format->view, 'x', 256); /* without a NUL */
    assert_int_equal(run_launch(run, "k", 1, 1, params), PTX_END_ILLEGAL_ADDRESS);
    params[0] = 16;
    assert_int_equal(run_launch(run, "k", 1, 1, params), PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(printed.calls, 1);
    sim_memory_destroy(format);
    sim_memory_destroy(out);
    run_unload(run);
}

/* ---- the heap ---------------------------------------------------------------------------- */

/* out[tid] = malloc(size); stores the thread's number there unless the result is NULL. */
static const char malloc_text[] =
    RUN_HEAD(70) DECLARATIONS ".visible .entry k(.param .u64 size, .param .u64 out)\n"
                              "{\n"
                              ".reg .b64 %rd<6>; .reg .b32 %r<2>; .reg .pred %p<2>;\n"
                              "ld.param.u64 %rd1, [size];\n"
                              "{\n"
                              ".param .b64 p0; .param .b64 r0;\n"
                              "st.param.b64 [p0+0], %rd1;\n"
                              "call.uni (r0), malloc, (p0);\n"
                              "ld.param.b64 %rd2, [r0+0];\n"
                              "}\n"
                              "mov.u32 %r1, %tid.x;\n"
                              "ld.param.u64 %rd3, [out];\n"
                              "mul.wide.u32 %rd4, %r1, 8;\n"
                              "add.s64 %rd3, %rd3, %rd4;\n"
                              "st.global.u64 [%rd3], %rd2;\n"
                              "setp.eq.u64 %p1, %rd2, 0;\n"
                              "@%p1 ret;\n"
                              "st.u32 [%rd2], %r1;\n"
                              "ret;\n"
                              "}\n"
                              ".visible .entry release(.param .u64 pointers)\n"
                              "{\n"
                              ".reg .b64 %rd<6>; .reg .b32 %r<2>;\n"
                              "mov.u32 %r1, %tid.x;\n"
                              "ld.param.u64 %rd3, [pointers];\n"
                              "mul.wide.u32 %rd4, %r1, 8;\n"
                              "add.s64 %rd3, %rd3, %rd4;\n"
                              "ld.global.u64 %rd2, [%rd3];\n"
                              "{\n"
                              ".param .b64 p0;\n"
                              "st.param.b64 [p0+0], %rd2;\n"
                              "call.uni free, (p0);\n"
                              "}\n"
                              "ret;\n"
                              "}\n";

static void kernels_allocate_and_free(void **unused)
{
    (void)unused;
    struct run_module *run = run_load(malloc_text);
    struct sim_memory *out = run_memory(40 * 8);
    const uint64_t *pointers = (const uint64_t *)(const void *)out->view;
    uint64_t params[2] = {100, out->address}, release = out->address;
    assert_int_equal(run_launch(run, "k", 1, 40, params), PTX_END_OK);
    for (unsigned i = 0; i < 40; i++) {
        assert_true(pointers[i] != 0 && pointers[i] % 16 == 0);
        const struct sim_memory *memory = sim_memory_find(pointers[i]);
        assert_non_null(memory);
        assert_int_equal(memory->kind, SIM_MEMORY_HEAP);
        assert_int_equal(*(const uint32_t *)(const void *)memory->view, i);
    }
    assert_true(run->context.heap_used >= 40 * 100);
    assert_int_equal(run_launch(run, "release", 1, 40, &release), PTX_END_OK);
    assert_int_equal(run->context.heap_used, 0);
    assert_null(sim_memory_find(pointers[0]));
    sim_memory_destroy(out);
    run_unload(run);
}

static void malloc_gives_null_when_the_heap_is_used_up(void **unused)
{
    (void)unused;
    struct run_module *run = run_load(malloc_text);
    run->context.heap_size = 1000;
    struct sim_memory *out = run_memory(8 * 8);
    const uint64_t *pointers = (const uint64_t *)(const void *)out->view;
    uint64_t params[2] = {400, out->address}, release = out->address;
    assert_int_equal(run_launch(run, "k", 1, 8, params), PTX_END_OK);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pointers[i] != 0, i < 2);
    /* NULL may be freed. */
    assert_int_equal(run_launch(run, "release", 1, 8, &release), PTX_END_OK);
    assert_int_equal(run->context.heap_used, 0);
    static const uint64_t impossible[] = {0, UINT64_MAX, 1001};
    for (unsigned i = 0; i < 3; i++) {
        params[0] = impossible[i];
        assert_int_equal(run_launch(run, "k", 1, 1, params), PTX_END_OK);
        assert_int_equal(pointers[0], 0);
    }
    sim_memory_destroy(out);
    run_unload(run);
}

static void freeing_other_memory_than_the_heaps_is_a_fault(void **unused)
{
    (void)unused;
    struct run_module *run = run_load(malloc_text);
    struct sim_memory *out = run_memory(8);
    uint64_t *pointer = (uint64_t *)(void *)out->view, params[2] = {64, out->address};
    uint64_t release = out->address;
    assert_int_equal(run_launch(run, "k", 1, 1, params), PTX_END_OK);
    uint64_t good = *pointer;
    *pointer = good + 16;
    assert_int_equal(run_launch(run, "release", 1, 1, &release), PTX_END_ILLEGAL_ADDRESS);
    *pointer = out->address;
    assert_int_equal(run_launch(run, "release", 1, 1, &release), PTX_END_ILLEGAL_ADDRESS);
    *pointer = 12345;
    assert_int_equal(run_launch(run, "release", 1, 1, &release), PTX_END_ILLEGAL_ADDRESS);
    *pointer = good;
    assert_int_equal(run_launch(run, "release", 1, 1, &release), PTX_END_OK);
    assert_int_equal(run_launch(run, "release", 1, 1, &release), PTX_END_ILLEGAL_ADDRESS);
    sim_memory_destroy(out);
    run_unload(run);
}

/* ---- assertions ------------------------------------------------------------------------------ */

/* Thread 2 of block 1, of two rows of two, asserts. */
static const char assert_text[] = RUN_HEAD(70) DECLARATIONS
    ".global .align 1 .b8 message[6] = {120,32,62,32,48,0};\n" /* "x > 0" */
    ".global .align 1 .b8 file[5] = {97,46,99,117,0};\n"       /* "a.cu" */
    ".global .align 1 .b8 function[2] = {102,0};\n"            /* "f" */
    ".visible .entry k()\n"
    "{\n"
    ".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<3>;\n"
    "mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %tid.x;\n"
    "mov.u32 %r3, %tid.y;\n"
    "setp.ne.u32 %p1, %r1, 1;\n"
    "@%p1 ret;\n"
    "setp.ne.u32 %p1, %r2, 0;\n"
    "@%p1 ret;\n"
    "setp.ne.u32 %p1, %r3, 1;\n"
    "@%p1 ret;\n"
    "mov.u64 %rd1, message;\n"
    "cvta.global.u64 %rd1, %rd1;\n"
    "mov.u64 %rd2, file;\n"
    "cvta.global.u64 %rd2, %rd2;\n"
    "mov.u64 %rd3, function;\n"
    "cvta.global.u64 %rd3, %rd3;\n"
    "{\n"
    ".param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;\n"
    "st.param.b64 [p0+0], %rd1;\n"
    "st.param.b64 [p1+0], %rd2;\n"
    "st.param.b32 [p2+0], 17;\n"
    "st.param.b64 [p3+0], %rd3;\n"
    "st.param.b64 [p4+0], 1;\n"
    "call.uni __assertfail, (p0, p1, p2, p3, p4);\n"
    "}\n"
    "ret;\n"
    "}\n";

static void an_assertion_that_fails_says_where_and_ends_the_launch(void **unused)
{
    (void)unused;
    struct run_module *run = run_load(assert_text);
    char path[] = "/tmp/sim_assertXXXXXX", text[512] = "";
    int file = mkstemp(path), before = dup(2);
    assert_true(file >= 0 && before >= 0);
    fflush(stderr);
    dup2(file, 2);
    enum ptx_end end = run_shape(run, "k", (uint32_t[6]){2, 1, 1, 2, 2, 1}, 0, NULL);
    fflush(stderr);
    dup2(before, 2);
    close(before);
    assert_true(pread(file, text, sizeof(text) - 1, 0) > 0);
    close(file);
    unlink(path);
    assert_int_equal(end, PTX_END_ASSERT);
    assert_non_null(
        strstr(text, "a.cu:17: f: block: [1,0,0], thread: [0,1,0] Assertion `x > 0` failed.\n"));
    run_unload(run);
}

static void only_these_functions_are_built_in(void **unused)
{
    (void)unused;
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (int i = 0; i < 4; i++)
        assert_string_equal(ptx_builtin_find(names[i])->name, names[i]);
    assert_null(ptx_builtin_find("printf"));
    assert_null(ptx_builtin_find(""));
}

static void a_function_of_the_driver_has_one_result_at_most(void **state)
{
    static const char text[] = RUN_HEAD(
        70) ".extern .func (.param .b32 r, .param .b32 s) vprintf (.param .b64 f, .param .b64 a);\n"
            ".visible .entry k()\n{\n.param .b32 r; .param .b32 s; .param .b64 f;\n"
            "call.uni (r, s), vprintf, (f, f);\nret;\n}\n";
    char messages[200] = "";
    struct ptx_log log = {.text = messages, .capacity = sizeof messages};
    struct ptx_module *module;
    (void)state;
    assert_int_equal(ptx_module_load(text, sizeof text, 70, &log, &module), PTX_UNSUPPORTED);
    assert_non_null(strstr(messages, "vprintf returns at most one result"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_of_the_driver_has_one_result_at_most),
        cmocka_unit_test(a_kernel_prints_lane_by_lane),
        cmocka_unit_test(an_unreadable_format_is_a_fault_and_null_returns_minus_one),
        cmocka_unit_test(kernels_allocate_and_free),
        cmocka_unit_test(malloc_gives_null_when_the_heap_is_used_up),
        cmocka_unit_test(freeing_other_memory_than_the_heaps_is_a_fault),
        cmocka_unit_test(an_assertion_that_fails_says_where_and_ends_the_launch),
        cmocka_unit_test(only_these_functions_are_built_in),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
