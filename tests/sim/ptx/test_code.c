/* Translation: operands, mov in all its forms, special registers, addresses of variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run.h"

/* A kernel "k" with parameter out in %out, lane in %lane, and 32 results of 64 bits:
 * out[thread] = %result. */
#define KERNEL(declarations, body)                                                                 \
    RUN_HEAD(80)                                                                                   \
    declarations ".visible .entry k(.param .u64 out) {\n"                                          \
                 ".reg .b64 %out, %at, %result, %rd<20>; .reg .b32 %lane, %r<20>;\n"               \
                 ".reg .b16 %rs<20>; .reg .f32 %f<10>; .reg .f64 %fd<10>; .reg .pred %p<10>;\n"    \
                 "ld.param.u64 %out, [out];\n"                                                     \
                 "mov.u32 %lane, %tid.x;\n"                                                        \
                 "mov.u64 %result, 0;\n" body "mul.wide.u32 %at, %lane, 8;\n"                      \
                 "add.u64 %at, %at, %out;\n"                                                       \
                 "st.global.u64 [%at], %result;\n"                                                 \
                 "ret;\n}\n"

static uint64_t out[1024];

static void run_kernel(const char *text, unsigned threads)
{
    memset(out, 0, sizeof out);
    assert_int_equal(run_once(text, "k", threads, out, sizeof out), PTX_END_OK);
}

static void a_move_takes_constants_and_registers_of_every_size(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "mov.u16 %rs1, 7; mov.b16 %rs2, %rs1;\n"
                          "mov.u32 %r1, -2; mov.s32 %r2, %r1;\n"
                          "mov.u64 %rd1, 0x123456789abcdef0; mov.b64 %rd2, %rd1;\n"
                          "cvt.u64.u16 %rd3, %rs2; cvt.u64.u32 %rd4, %r2;\n"
                          "add.u64 %result, %rd2, %rd3; add.u64 %result, %result, %rd4;\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 0x123456789abcdef0 + 7 + 0xfffffffe);
}

static void floating_constants_take_the_type_of_the_instruction(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "mov.f32 %f1, 0f3F800000; mov.f64 %fd1, 0d4000000000000000;\n"
                          "mov.f32 %f2, 1.5; add.f32 %f3, %f1, %f2;\n"
                          "mov.b32 %r1, %f3; mov.b64 %rd1, %fd1;\n"
                          "cvt.u64.u32 %rd2, %r1; xor.b64 %result, %rd1, %rd2;\n"),
               32);
    assert_int_equal(out[5], 0x4000000000000000 ^ 0x40200000);
}

static void values_are_packed_and_unpacked_low_element_first(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "mov.u32 %r1, 0x11223344; mov.u32 %r2, 0x55667788;\n"
                          "mov.b64 %rd1, {%r1, %r2};\n"
                          "mov.b64 {%r3, %r4}, %rd1;\n"
                          "mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd1;\n"
                          "mov.b32 %r5, {%rs4, %rs3};\n"
                          "mov.b32 {%rs5, _}, %r5;\n"
                          "mov.b32 {_, %rs6}, %r5;\n"
                          "mov.b32 %r6, {%rs6, %rs5};\n"
                          "mov.b64 %result, {%r6, %r3};\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], 0x1122334455667788);
}

static void only_executing_lanes_are_written(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "mov.u64 %result, 1; mov.u32 %r1, 2; mov.u32 %r2, 3;\n"
                          "setp.lt.u32 %p1, %lane, 5;\n"
                          "setp.gt.u32 %p2, %lane, 9;\n"
                          "@%p1 mov.u64 %result, 10;\n"
                          "@!%p1 mov.u32 %r1, 20;\n"
                          "@%p2 mov.b64 %result, {%r1, %r2};\n"
                          "@%p2 mov.u32 %r3, %tid.x;\n"
                          "@!%p2 mov.u32 %r3, 0;\n"
                          "cvt.u64.u32 %rd1, %r3; add.u64 %result, %result, %rd1;\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 5 ? 10 : i > 9 ? 0x300000014 + i : 1);
}

static void predicates_are_moved_and_negated(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "setp.lt.u32 %p1, %lane, 5; mov.pred %p2, %p1; mov.pred %p3, !%p1;\n"
                          "selp.u64 %rd1, 1, 2, %p2; selp.u64 %rd2, 4, 8, %p3;\n"
                          "add.u64 %result, %rd1, %rd2;\n"),
               32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 5 ? 9 : 6);
}

static void special_registers_say_where_a_thread_is(void **state)
{
    (void)state;
    static const char text[] = RUN_HEAD(
        80) ".visible .entry k(.param .u64 out) {\n"
            ".reg .b64 %rd<9>; .reg .b32 %r<40>;\n"
            "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n"
            "mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ctaid.y;\n"
            "mov.u32 %r7, %nctaid.x; mov.u32 %r8, %ctaid.x; mov.u32 %r9, %laneid;\n"
            "mov.u32 %r10, %warpid; mov.u32 %r20, %lanemask_lt; mov.u32 %r21, %lanemask_ge;\n"
            "mad.lo.u32 %r11, %r3, %r5, %r2; mad.lo.u32 %r11, %r11, %r4, %r1;\n" /* thread */
            "mad.lo.u32 %r12, %r6, %r7, %r8;\n"                                  /* block */
            "mov.u32 %r13, %ntid.z; mul.lo.u32 %r14, %r4, %r5; mul.lo.u32 %r14, %r14, %r13;\n"
            "mad.lo.u32 %r15, %r12, %r14, %r11;\n"
            "xor.b32 %r22, %r20, %r21; add.u32 %r22, %r22, 1;\n" /* 0 */
            "popc.b32 %r23, %r20; add.u32 %r22, %r22, %r23;\n"   /* lane */
            "shl.b32 %r24, %r10, 8; add.u32 %r22, %r22, %r24;\n"
            "shl.b32 %r24, %r9, 16; add.u32 %r22, %r22, %r24;\n"
            "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r15, 4; add.u64 %rd1, %rd1, %rd2;\n"
            "st.global.u32 [%rd1], %r22; ret;\n}\n";
    struct run_module *run = run_load(text);
    struct sim_memory *memory = run_memory(4096);
    uint64_t params = memory->address;
    assert_int_equal(run_shape(run, "k", (uint32_t[6]){2, 3, 1, 8, 3, 4}, 0, &params), PTX_END_OK);
    const uint32_t *results = (const uint32_t *)(const void *)memory->view;
    for (unsigned block = 0; block < 6; block++)
        for (unsigned i = 0; i < 96; i++)
            assert_int_equal(results[block * 96 + i], (i % 32) * 0x10001 + (i / 32) * 0x100);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void a_special_register_is_an_operand_like_any_other(void **state)
{
    (void)state;
    run_kernel(KERNEL("", "add.u32 %r1, %ntid.x, %tid.x; cvt.u64.u32 %result, %r1;\n"
                          "mov.u64 %rd1, %clock64; mov.u64 %rd2, %clock64;\n"
                          "setp.ge.u64 %p1, %rd2, %rd1; @!%p1 mov.u64 %result, 0;\n"),
               16);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(out[i], 16 + i);
}

static void variables_have_addresses_once_the_module_is_placed(void **state)
{
    (void)state;
    run_kernel(KERNEL(".global .align 8 .u64 first[4] = {1, 2, 3, 4};\n"
                      ".const .align 4 .u32 second[2] = {50, 60};\n"
                      ".global .align 8 .u64 third = generic(first);\n",
                      "mov.u64 %rd1, first; ld.global.u64 %rd2, [%rd1+16];\n"
                      "mov.u64 %rd1, first+24; ld.global.u64 %rd3, [%rd1];\n"
                      "ld.const.u32 %r1, [second+4]; cvt.u64.u32 %rd4, %r1;\n"
                      "ld.global.u64 %rd5, [third]; ld.u64 %rd6, [%rd5+8];\n"
                      "add.u64 %result, %rd2, %rd3; add.u64 %result, %result, %rd4;\n"
                      "add.u64 %result, %result, %rd6;\n"),
               32);
    assert_int_equal(out[31], 3 + 4 + 60 + 2);
}

/* The number of registers that is reported for a kernel k with these directives: as many as an
 * assembler would use that spills the others. */
static unsigned reported_registers(const char *text, const char *directives)
{
    const char *body = strstr(text, "out) {") + strlen("out) ");
    size_t room = strlen(text) + strlen(directives) + 1;
    char *whole = malloc(room);
    struct ptx_kernel_info info;
    snprintf(whole, room, "%.*s%s%s", (int)(body - text), text, directives, body);
    struct run_module *run = run_load(whole);
    ptx_kernel_info(ptx_module_kernel(run->module, "k"), &info);
    run_unload(run);
    free(whole);
    return info.registers;
}

static void many_registers_keep_their_values_while_they_are_live(void **state)
{
    (void)state;
    char *text = malloc(200000);
    size_t length =
        (size_t)sprintf(text,
                        "%s.visible .entry k(.param .u64 out) {\n"
                        ".reg .b32 %%r<2000>; .reg .b64 %%rd<9>; .reg .pred %%p;\n"
                        "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, 0; mov.u32 %%r2, 0;\nagain:\n",
                        RUN_HEAD(80));
    /* 1000 values that are live at once, then 900 that are not. */
    for (unsigned i = 10; i < 1010; i++)
        length += (size_t)sprintf(text + length, "add.u32 %%r%u, %%r0, %u;\n", i, i);
    for (unsigned i = 10; i < 1010; i++)
        length += (size_t)sprintf(text + length, "add.u32 %%r1, %%r1, %%r%u;\n", i);
    for (unsigned i = 1010; i < 1910; i++)
        length += (size_t)sprintf(
            text + length, "add.u32 %%r%u, %%r0, %u;\nadd.u32 %%r1, %%r1, %%r%u;\n", i, i, i);
    sprintf(text + length, "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, 2; @%%p bra again;\n"
                           "cvt.u64.u32 %%rd3, %%r1; ld.param.u64 %%rd1, [out];\n"
                           "mul.wide.u32 %%rd2, %%r0, 8; add.u64 %%rd1, %%rd1, %%rd2;\n"
                           "st.global.u64 [%%rd1], %%rd3; ret;\n}\n");
    uint64_t sum = 0;
    for (unsigned i = 10; i < 1910; i++)
        sum += 2 * i;
    run_kernel(text, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], sum + 2 * 1900 * (uint64_t)i);
    assert_int_equal(reported_registers(text, ""), 255);
    assert_int_equal(reported_registers(text, ".maxntid 512"), 128);
    assert_int_equal(reported_registers(text, ".reqntid 30, 10, 1"), 200);
    assert_int_equal(reported_registers(text, ".maxntid 1024 .maxnreg 40"), 40);
    free(text);
}

#define TWO_KERNELS                                                                                \
    RUN_HEAD(80)                                                                                   \
    ".shared .align 16 .b8 big[1000];\n"                                                           \
    ".shared .align 4 .b8 small[8];\n"                                                             \
    ".extern .shared .align 16 .b8 rest[];\n"                                                      \
    ".func touch() { .reg .b32 %r; .shared .align 4 .u32 own; mov.u32 %r, 5;\n"                    \
    "st.shared.u32 [own], %r; st.shared.u32 [small+4], %r; ret; }\n"                               \
    ".visible .entry a(.param .u64 out) { .reg .b32 %r; st.shared.u32 [big], %r; ret; }\n"         \
    ".visible .entry b(.param .u64 out) {\n"                                                       \
    ".reg .b64 %rd<5>; .reg .b32 %r<9>; .shared .align 8 .b64 mine;\n"                             \
    "mov.u64 %rd1, 0; st.shared.u64 [mine], %rd1; call touch, ();\n"                               \
    "ld.shared.u64 %rd2, [mine]; ld.shared.u32 %r1, [small+4];\n"                                  \
    "mov.u32 %r2, rest; add.u32 %r2, %r2, 12; st.shared.u32 [%r2], %r1;\n"                         \
    "ld.shared.u32 %r3, [rest+12]; cvt.u64.u32 %rd3, %r3; add.u64 %rd2, %rd2, %rd3;\n"             \
    "mov.u32 %r4, %dynamic_smem_size; cvt.u64.u32 %rd3, %r4; add.u64 %rd2, %rd2, %rd3;\n"          \
    "ld.param.u64 %rd1, [out]; st.global.u64 [%rd1], %rd2; ret; }\n"

static void shared_variables_overlap_where_no_kernel_uses_both(void **state)
{
    (void)state;
    struct run_module *run = run_load(TWO_KERNELS);
    struct ptx_kernel_info a, b;
    ptx_kernel_info(ptx_module_kernel(run->module, "a"), &a);
    ptx_kernel_info(ptx_module_kernel(run->module, "b"), &b);
    assert_int_equal(a.shared_size, 1000);
    assert_in_range(b.shared_size, 20, 24); /* mine, small, own */
    struct sim_memory *memory = run_memory(8);
    uint64_t params = memory->address;
    assert_int_equal(run_shape(run, "b", (uint32_t[6]){1, 1, 1, 1, 1, 1}, 16, &params), PTX_END_OK);
    assert_int_equal(*(uint64_t *)(void *)memory->view, 5 + 16);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void an_access_beyond_shared_memory_is_a_fault(void **state)
{
    (void)state;
    struct run_module *run = run_load(TWO_KERNELS);
    struct sim_memory *memory = run_memory(8);
    uint64_t params = memory->address;
    /* rest+12 is beyond 12 bytes of dynamic shared memory. */
    assert_int_equal(run_shape(run, "b", (uint32_t[6]){1, 1, 1, 1, 1, 1}, 12, &params),
                     PTX_END_ILLEGAL_ADDRESS);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void each_thread_has_local_memory_of_its_own(void **state)
{
    (void)state;
    run_kernel(KERNEL("", ".local .align 8 .b8 depot[64];\n"
                          "mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1;\n"
                          "st.local.u32 [%rd1+8], %lane; st.u32 [%rd2+12], %lane;\n"
                          "ld.u32 %r1, [%rd2+8]; ld.local.u32 %r2, [depot+12];\n"
                          "mov.b64 %result, {%r1, %r2};\n"),
               256);
    for (uint64_t i = 0; i < 256; i++)
        assert_int_equal(out[i], i << 32 | i);
}

static void parameters_lie_at_their_alignment(void **state)
{
    (void)state;
    struct run_module *run = run_load(RUN_HEAD(
        80) ".visible .entry k(.param .u8 a, .param .u64 out, .param .u16 b, .param .align 8 .b8 "
            "c[12])"
            "{ .reg .b64 %rd<4>; .reg .b32 %r<9>;\n"
            "ld.param.u8 %r1, [a]; ld.param.u64 %rd1, [out]; ld.param.u16 %r2, [b];\n"
            "ld.param.u32 %r3, [c+8]; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2;\n"
            "st.global.u32 [%rd1+8], %r3; ret; }\n");
    struct {
        uint8_t a;
        uint64_t out;
        uint16_t b;
        _Alignas(8) uint32_t c[3];
    } params = {.a = 200, .b = 50000, .c = {1, 2, 3}};
    struct ptx_kernel_info info;
    ptx_kernel_info(ptx_module_kernel(run->module, "k"), &info);
    assert_int_equal(info.param_size, 36);
    struct sim_memory *memory = run_memory(16);
    params.out = memory->address;
    assert_int_equal(run_launch(run, "k", 1, 1, &params), PTX_END_OK);
    const uint32_t *results = (const uint32_t *)(const void *)memory->view;
    assert_int_equal(results[0], 200);
    assert_int_equal(results[1], 50000);
    assert_int_equal(results[2], 3);
    sim_memory_destroy(memory);
    run_unload(run);
}

/* ---- unsupported instructions
 * --------------------------------------------------------------------- */

/* Two kernels: one stores 7, the other stores 8 and reaches an unsupported instruction if the word
 * at its parameter is not 0. */
static const char missing[] =
    RUN_HEAD(80) ".visible .entry good(.param .u64 p)\n{\n.reg .b64 %%rd<2>;\n"
                 "ld.param.u64 %%rd1, [p];\nst.global.u32 [%%rd1], 7;\nret;\n}\n"
                 ".visible .entry bad(.param .u64 p)\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<9>;\n"
                 ".reg .b64 %%rd<9>;\n.shared .align 16 .b8 s[64];\n"
                 "ld.param.u64 %%rd1, [p];\nld.global.u32 %%r1, [%%rd1];\n"
                 "setp.ne.u32 %%p1, %%r1, 0;\n@%%p1 %s\nst.global.u32 [%%rd1], 8;\nret;\n}\n";

static void an_unsupported_instruction_fails_the_kernel_that_executes_it(void **state)
{
    (void)state;
    static const char *const instructions[] = {
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd1, %rd2}, {%rd3}, {%rd4}, {%rd5};",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1, "
        "1, 1, 0, 0;",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s];",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
        "[%rd2, {%r1, %r2}], [s+8];",
        "cp.async.bulk.wait_group 0;",
        "mapa.shared::cluster.u32 %r1, %r2, 0;",
    };
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        char text[1500];
        uint32_t word = 0;
        snprintf(text, sizeof text, missing, instructions[i]);
        assert_int_equal(run_once(text, "good", 32, &word, sizeof word), PTX_END_OK);
        assert_int_equal(word, 7);
        word = 0;
        assert_int_equal(run_once(text, "bad", 32, &word, sizeof word), PTX_END_OK);
        assert_int_equal(word, 8);
        assert_int_equal(run_once(text, "bad", 32, &word, sizeof word),
                         PTX_END_ILLEGAL_INSTRUCTION);
        assert_int_equal(word, 8);
    }
}

static void unsupported_instructions_are_listed_when_the_module_loads(void **state)
{
    (void)state;
    char text[1500], messages[400] = "";
    struct ptx_log log = {.text = messages, .capacity = sizeof messages};
    struct ptx_module *module;
    snprintf(text, sizeof text, missing, "mma.sync.aligned %r1; mma.sync.aligned %r1;");
    assert_int_equal(ptx_module_load(text, strlen(text), 80, &log, &module), PTX_OK);
    assert_string_equal(messages, "line 20: warning: 'bad' fails when it comes to "
                                  "mma.sync.aligned, which simulated devices do not have\n");
    assert_int_equal(log.errors, 0);
    assert_int_equal(log.warnings, 1);
    ptx_module_destroy(module);
    *strchr(strstr(text, "mma"), ';') = '\0';
    assert_int_equal(ptx_module_load(text, strlen(text), 80, &log, &module), PTX_INVALID);
}

static void functions_that_need_too_much_memory_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {".entry e() { .local .b8 a[300000], b[300000]; ret; }", "600000 bytes of local memory"},
        {".func f(.param .b8 a[300000]) { .local .b8 b[300000]; ret; }", "bytes of local memory"},
        {".entry e(.param .b8 a[30000], .param .b8 b[2765]) { ret; }", "32765 bytes of parameters"},
        {".entry e() { .shared .b8 a[49153]; st.shared.b8 [a], 0; ret; }", "49153 bytes of shared"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300], messages[400] = "";
        struct ptx_log log = {.text = messages, .capacity = sizeof messages};
        struct ptx_module *module;
        snprintf(text, sizeof text, ".version 8.8\n.target sm_80\n%s\n", cases[i][0]);
        assert_int_equal(ptx_module_load(text, strlen(text), 80, &log, &module), PTX_INVALID);
        if (!strstr(messages, cases[i][1]))
            fail_msg("%s", messages);
    }
}

/* What depends on parameters and the thread's number alone is computed once in a launch; what looks
 * like it but depends on more is not. */
static void values_are_right_in_every_block_whether_they_are_its_own_or_not(void **state)
{
    static const char text[] = RUN_HEAD(
        80) ".visible .entry k(.param .u64 out, .param .u32 a, .param .v2 .u16 b) {\n"
            ".reg .b64 %out, %at; .reg .b32 %r<20>; .reg .b16 %rs<4>; .reg .pred %p<4>;\n"
            "ld.param.u64 %out, [out]; ld.param.u32 %r1, [a]; ld.param.v2.u16 {%rs1, %rs2}, [b];\n"
            "mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ctaid.x; mov.u32 %r5, "
            "%ntid.x;\n"
            "mad.lo.u32 %r6, %r3, %r5, %r2;\n" /* the thread's number */
            "add.cc.u32 %r7, %r1, 1; addc.u32 %r8, %r6, 0;\n"
            "mul.lo.u32 %r9, %r6, 3;\n"
            "mov.u32 %r10, %r9;\n"
            "setp.eq.u32 %p1, %r4, 1;\n"
            "@%p1 add.u32 %r10, %r9, 1000;\n" /* a second definition, in one block */
            "setp.lt.u32 %p2, %r6, 5;\n"
            "mov.u32 %r11, 0;\n"
            "again:\n" /* a loop, in which the same is computed again */
            "mul.lo.u32 %r12, %r6, 7;\n"
            "add.u32 %r13, %r12, %r11;\n"
            "add.u32 %r11, %r11, 1;\n"
            "setp.lt.u32 %p3, %r11, 3;\n"
            "@%p3 bra again;\n"
            "selp.u32 %r14, %r13, %r10, %p2;\n"
            "cvt.u32.u16 %r15, %rs2; add.u32 %r14, %r14, %r15; add.u32 %r14, %r14, %r8;\n"
            "mul.lo.u32 %r16, %r4, 42; add.u32 %r16, %r16, %r6;\n"
            "mul.wide.u32 %at, %r16, 4; add.u64 %at, %at, %out;\n"
            "st.global.u32 [%at], %r14; ret;\n}\n";
    enum { BLOCKS = 5, WIDTH = 14, HEIGHT = 3, THREADS = WIDTH * HEIGHT };
    struct run_module *run = run_load(text);
    struct sim_memory *memory = run_memory(BLOCKS * THREADS * 4);
    (void)state;
    for (unsigned launch = 0; launch < 2; launch++) {
        const struct {
            uint64_t out;
            uint32_t a;
            uint16_t b[2];
        } params = {memory->address, launch ? UINT32_MAX : 6, {1, (uint16_t)(300 + launch)}};
        const uint32_t shape[] = {BLOCKS, 1, 1, WIDTH, HEIGHT, 1};
        assert_int_equal(run_shape(run, "k", shape, 0, &params), PTX_END_OK);
        for (unsigned i = 0; i < BLOCKS * THREADS; i++) {
            uint32_t thread = i % THREADS, block = i / THREADS;
            uint32_t own = thread < 5 ? thread * 7 + 2 : thread * 3 + (block == 1 ? 1000 : 0);
            assert_int_equal(((const uint32_t *)(const void *)memory->view)[i],
                             own + 300 + launch + thread + launch);
        }
    }
    sim_memory_destroy(memory);
    run_unload(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_takes_constants_and_registers_of_every_size),
        cmocka_unit_test(floating_constants_take_the_type_of_the_instruction),
        cmocka_unit_test(values_are_packed_and_unpacked_low_element_first),
        cmocka_unit_test(only_executing_lanes_are_written),
        cmocka_unit_test(predicates_are_moved_and_negated),
        cmocka_unit_test(special_registers_say_where_a_thread_is),
        cmocka_unit_test(a_special_register_is_an_operand_like_any_other),
        cmocka_unit_test(variables_have_addresses_once_the_module_is_placed),
        cmocka_unit_test(many_registers_keep_their_values_while_they_are_live),
        cmocka_unit_test(shared_variables_overlap_where_no_kernel_uses_both),
        cmocka_unit_test(an_access_beyond_shared_memory_is_a_fault),
        cmocka_unit_test(each_thread_has_local_memory_of_its_own),
        cmocka_unit_test(values_are_right_in_every_block_whether_they_are_its_own_or_not),
        cmocka_unit_test(parameters_lie_at_their_alignment),
        cmocka_unit_test(functions_that_need_too_much_memory_are_refused),
        cmocka_unit_test(an_unsupported_instruction_fails_the_kernel_that_executes_it),
        cmocka_unit_test(unsupported_instructions_are_listed_when_the_module_loads),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
