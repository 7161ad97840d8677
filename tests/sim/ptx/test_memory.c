/* Loads, stores and addresses of PTX: every type and state space, and their limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_kernel.h"

/* ---- elements ------------------------------------------------------------------------ */

static void a_warp_reads_and_writes_its_own_words(void **state)
{
    (void)state;
    uint32_t words[96];
    for (unsigned i = 0; i < 96; i++)
        words[i] = i;
    one_body("ld.global.u32 %r1, [%rd1];\n add.u32 %r1, %r1, 1000;\n st.global.u32 [%rd1], %r1;",
             70, words, 96);
    for (unsigned i = 0; i < 96; i++)
        assert_int_equal(words[i], i < 70 ? 1000 + i : i);
}

static void loads_extend_into_wider_registers(void **state)
{
    (void)state;
    static const struct {
        const char *type, *reg;
        uint64_t expected;
    } cases[] = {
        {"u8", "%rd3", 0xf1},
        {"s8", "%rd3", UINT64_C(0xfffffffffffffff1)},
        {"b8", "%rd3", 0xf1},
        {"u16", "%rd3", 0x92f1},
        {"s16", "%rd3", UINT64_C(0xffffffffffff92f1)},
        {"b16", "%rd3", 0x92f1},
        {"u32", "%rd3", 0xb3a492f1},
        {"s32", "%rd3", UINT64_C(0xffffffffb3a492f1)},
        {"b32", "%rd3", 0xb3a492f1},
        {"b64", "%rd3", UINT64_C(0x11223344b3a492f1)},
        {"u64", "%rd3", UINT64_C(0x11223344b3a492f1)},
        {"s64", "%rd3", UINT64_C(0x11223344b3a492f1)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[200];
        uint32_t words[2] = {0xb3a492f1, 0x11223344};
        snprintf(body, sizeof body, "ld.global.%s %s, [%%rd0];\n st.global.u64 [%%rd0], %s;",
                 cases[i].type, cases[i].reg, cases[i].reg);
        one_body(body, 1, words, 2);
        assert_int_equal(words[0] | (uint64_t)words[1] << 32, cases[i].expected);
    }
}

static void small_loads_extend_into_words_and_halves(void **state)
{
    (void)state;
    uint32_t words[6] = {0x80f1};
    one_body("ld.global.s8 %r1, [%rd0];\n ld.global.u8 %r2, [%rd0];\n"
             "ld.global.s16 %r3, [%rd0];\n ld.global.u16 %r4, [%rd0];\n"
             "ld.global.s8 %rs1, [%rd0];\n"
             "st.global.u32 [%rd0], %r1;\n st.global.u32 [%rd0+4], %r2;\n"
             "st.global.u32 [%rd0+8], %r3;\n st.global.u32 [%rd0+12], %r4;\n"
             "st.global.u16 [%rd0+16], %rs1;\n",
             1, words, 6);
    assert_int_equal(words[0], 0xfffffff1);
    assert_int_equal(words[1], 0xf1);
    assert_int_equal(words[2], 0xffff80f1);
    assert_int_equal(words[3], 0x80f1);
    assert_int_equal(words[4], 0xfff1);
}

static void stores_take_the_low_bytes_and_no_more(void **state)
{
    (void)state;
    uint32_t words[4] = {0, 0, 0, UINT32_MAX};
    one_body("mov.b64 %rd3, 0x1122334455667788;\n"
             "st.global.b8 [%rd0+1], %rd3;\n st.global.u16 [%rd0+4], %rd3;\n"
             "st.global.b32 [%rd0+8], %rd3;\n st.global.u8 [%rd0+12], 5;",
             1, words, 4);
    assert_int_equal(words[0], 0x8800);
    assert_int_equal(words[1], 0x7788);
    assert_int_equal(words[2], 0x55667788);
    assert_int_equal(words[3], 0xffffff05);
}

static void lanes_that_do_not_execute_keep_their_registers_and_memory(void **state)
{
    (void)state;
    uint32_t words[32];
    for (unsigned i = 0; i < 32; i++)
        words[i] = i;
    one_body("mov.u32 %r1, 77;\n and.b32 %r2, %r0, 1;\n setp.ne.u32 %p1, %r2, 0;\n"
             "@%p1 ld.global.u32 %r1, [%rd1];\n add.u32 %r1, %r1, 100;\n"
             "setp.lt.u32 %p2, %r0, 20;\n @%p2 st.global.u32 [%rd1], %r1;",
             32, words, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i], i >= 20 ? i : i % 2 ? i + 100 : 177);
}

static void scattered_and_uniform_addresses_find_their_words(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    for (unsigned i = 0; i < 32; i++)
        words[i] = i;
    one_body("mul.lo.u32 %r1, %r0, 5;\n and.b32 %r1, %r1, 31;\n"
             "mad.wide.u32 %rd3, %r1, 4, %rd0;\n ld.global.u32 %r2, [%rd3];\n"
             "ld.global.u32 %r3, [%rd0+28];\n add.u32 %r2, %r2, %r3;\n"
             "st.global.u32 [%rd3+128], %r2;",
             32, words, 64);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[32 + i], i + 7);
}

/* Lanes one granule and more apart are checked one by one. */
static void distant_addresses_find_their_words(void **state)
{
    (void)state;
    uint32_t *words = calloc(32 * 1024, sizeof *words);
    for (unsigned i = 0; i < 32; i++)
        words[i * 1024] = i + 1;
    one_body("mad.wide.u32 %rd3, %r0, 4096, %rd0;\n ld.global.u32 %r2, [%rd3];\n"
             "st.global.u32 [%rd3+4092], %r2;",
             32, words, 32 * 1024);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words[i * 1024 + 1023], i + 1);
    free(words);
}

/* ---- vectors --------------------------------------------------------------------------- */

static void vectors_move_their_elements_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *move;
        unsigned bytes;
    } cases[] = {
        {"ld.global.v2.b8 {%rs1,%rs2}, [%rd3]; st.global.v2.b8 [%rd4], {%rs1,%rs2};", 2},
        {"ld.global.v4.u8 {%r1,%r2,%r3,%r4}, [%rd3]; st.global.v4.u8 [%rd4], {%r1,%r2,%r3,%r4};",
         4},
        {"ld.global.v2.b16 {%rs1,%rs2}, [%rd3]; st.global.v2.b16 [%rd4], {%rs1,%rs2};", 4},
        {"ld.global.v4.s16 {%r1,%r2,%r3,%r4}, [%rd3]; st.global.v4.s16 [%rd4], {%r1,%r2,%r3,%r4};",
         8},
        {"ld.global.v2.f32 {%f1,%f2}, [%rd3]; st.global.v2.f32 [%rd4], {%f1,%f2};", 8},
        {"ld.v4.f32 {%f1,%f2,%f3,%f4}, [%rd3]; st.v4.f32 [%rd4], {%f1,%f2,%f3,%f4};", 16},
        {"ld.global.v2.b64 {%rd5,%rd6}, [%rd3]; st.global.v2.b64 [%rd4], {%rd5,%rd6};", 16},
        {"ld.global.v2.f64 {%fd1,%fd2}, [%rd3]; st.global.v2.f64 [%rd4], {%fd1,%fd2};", 16},
        {"ld.global.nc.v4.u32 {%r1,%r2,%r3,%r4}, [%rd3]; st.global.v4.u32 [%rd4], "
         "{%r1,%r2,%r3,%r4};",
         16},
        {"ld.global.b128 %rq1, [%rd3]; st.global.b128 [%rd4], %rq1;", 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[400];
        uint32_t words[256] = {0};
        for (unsigned w = 0; w < 128; w++)
            words[w] = 0x01020304u * (w + 1);
        snprintf(body, sizeof body,
                 "mad.wide.u32 %%rd3, %%r0, %u, %%rd0;\n add.u64 %%rd4, %%rd3, 512;\n%s",
                 cases[i].bytes, cases[i].move);
        one_body(body, 32, words, 256);
        assert_memory_equal(words + 128, words, cases[i].bytes * 32);
        for (unsigned w = 128 + cases[i].bytes * 8; w < 256; w++)
            assert_int_equal(words[w], 0);
    }
}

static void a_vector_may_have_sinks_and_constants(void **state)
{
    (void)state;
    uint32_t words[4] = {1, 2, 3, 4};
    one_body("ld.global.v4.u32 {_, %r1, _, %r2}, [%rd0];\n"
             "st.global.v4.u32 [%rd0], {%r2, 9, %r1, %r1};",
             1, words, 4);
    assert_int_equal(words[0], 4);
    assert_int_equal(words[1], 9);
    assert_int_equal(words[2], 2);
    assert_int_equal(words[3], 2);
}

/* ---- spellings ----------------------------------------------------------------------------- */

static void hints_change_nothing(void **state)
{
    (void)state;
    static const char *const loads[] = {
        "ld.global.ca.u32 %r1, [%rd1];",
        "ld.global.cg.u32 %r1, [%rd1];",
        "ld.global.cs.u32 %r1, [%rd1];",
        "ld.global.lu.u32 %r1, [%rd1];",
        "ld.global.cv.u32 %r1, [%rd1];",
        "ldu.global.u32 %r1, [%rd1];",
        "ld.weak.global.u32 %r1, [%rd1];",
        "ld.volatile.global.u32 %r1, [%rd1];",
        "ld.relaxed.gpu.global.u32 %r1, [%rd1];",
        "ld.acquire.sys.u32 %r1, [%rd1];",
        "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];",
        "ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%rd1];",
        "ld.global.L1::evict_last.L2::256B.u32 %r1, [%rd1];",
        "createpolicy.fractional.L2::evict_last.b64 %rd5, 1.0;\n"
        "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd5;",
        "prefetch.global.L1 [%rd1];\n prefetchu.L1 [%rd1];\n ld.global.u32 %r1, [%rd1];",
    };
    static const char *const stores[] = {
        "st.global.wb.u32 [%rd1], %r1;",
        "st.global.cg.u32 [%rd1], %r1;",
        "st.global.cs.u32 [%rd1], %r1;",
        "st.global.wt.u32 [%rd1], %r1;",
        "st.volatile.global.u32 [%rd1], %r1;",
        "st.relaxed.cta.global.u32 [%rd1], %r1;",
        "st.release.gpu.u32 [%rd1], %r1;",
        "st.mmio.relaxed.sys.u32 [%rd1], %r1;",
        "st.global.L1::no_allocate.u32 [%rd1], %r1;",
    };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        char body[400];
        uint32_t words[32];
        for (unsigned w = 0; w < 32; w++)
            words[w] = w;
        snprintf(body, sizeof body, "%s\n add.u32 %%r1, %%r1, 5;\n%s", loads[i],
                 stores[i % (sizeof stores / sizeof *stores)]);
        one_body(body, 32, words, 32);
        for (unsigned w = 0; w < 32; w++)
            assert_int_equal(words[w], w + 5);
    }
}

static void the_kernel_continues_after_fences_of_all_kinds(void **state)
{
    (void)state;
    uint32_t words[1] = {0};
    one_body("membar.cta;\n membar.gl;\n membar.sys;\n fence.sc.sys;\n fence.acq_rel.gpu;\n"
             "fence.cta;\n fence.proxy.alias;\n fence.proxy.async;\n"
             "fence.proxy.async.shared::cta;\n fence.mbarrier_init.release.cluster;\n"
             "st.global.u32 [%rd0], 1;",
             1, words, 1);
    assert_int_equal(words[0], 1);
}

/* ---- bounds of global memory -------------------------------------------------------------- */

/* Runs body with p pointing at offset of an allocation of 1000 bytes. */
static enum ptx_end at_offset(const char *body, int64_t offset, uint32_t threads)
{
    struct run_module *run = run_load(one_kernel("", body));
    struct sim_memory *memory = run_memory(1000);
    uint64_t address = memory->address + (uint64_t)offset;
    enum ptx_end end = run_launch(run, "k", 1, threads, &address);
    sim_memory_destroy(memory);
    run_unload(run);
    return end;
}

static void bounds_are_checked_to_the_byte(void **state)
{
    (void)state;
    static const struct {
        const char *type, *reg;
        int size;
    } types[] = {{"u8", "%r1", 1}, {"u16", "%r1", 2}, {"u32", "%r1", 4}, {"u64", "%rd3", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char load[100], store[100];
        snprintf(load, sizeof load, "ld.global.%s %s, [%%rd0];", types[i].type, types[i].reg);
        snprintf(store, sizeof store, "st.global.%s [%%rd0], %s;", types[i].type, types[i].reg);
        assert_int_equal(at_offset(load, 1000 - types[i].size, 1), PTX_END_OK);
        assert_int_equal(at_offset(store, 1000 - types[i].size, 1), PTX_END_OK);
        assert_int_equal(at_offset(load, 1000, 1), PTX_END_ILLEGAL_ADDRESS);
        assert_int_equal(at_offset(store, 1000, 1), PTX_END_ILLEGAL_ADDRESS);
        assert_int_equal(at_offset(load, -types[i].size, 1), PTX_END_ILLEGAL_ADDRESS);
    }
}

static void one_lane_out_of_bounds_is_enough(void **state)
{
    (void)state;
    const char *load = "ld.global.u32 %r1, [%rd1];";
    assert_int_equal(at_offset(load, 1000 - 32 * 4, 32), PTX_END_OK);
    assert_int_equal(at_offset(load, 1000 - 31 * 4, 32), PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(at_offset(load, 1000 - 31 * 4, 31), PTX_END_OK);
}

static void lanes_that_do_not_execute_may_have_invalid_addresses(void **state)
{
    (void)state;
    const char *body = "setp.lt.u32 %p1, %r0, 3;\n @%p1 ld.global.u32 %r1, [%rd1];\n"
                       "setp.ne.u32 %p1, %r0, 30;\n @!%p1 bra done;\n"
                       "mov.u32 %r2, 5;\n done:";
    assert_int_equal(at_offset(body, 1000 - 3 * 4, 32), PTX_END_OK);
    assert_int_equal(at_offset(body, 1000 - 2 * 4, 32), PTX_END_ILLEGAL_ADDRESS);
}

static void misaligned_accesses_have_an_error_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(at_offset("ld.global.u16 %r1, [%rd0];", 1, 1), PTX_END_MISALIGNED);
    assert_int_equal(at_offset("ld.global.u32 %r1, [%rd0];", 2, 1), PTX_END_MISALIGNED);
    assert_int_equal(at_offset("st.global.u64 [%rd0], %rd0;", 4, 1), PTX_END_MISALIGNED);
    assert_int_equal(at_offset("ld.global.v2.u32 {%r1,%r2}, [%rd0];", 4, 1), PTX_END_MISALIGNED);
    assert_int_equal(at_offset("ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd0];", 8, 1),
                     PTX_END_MISALIGNED);
    assert_int_equal(at_offset("ld.global.v4.u8 {%r1,%r2,%r3,%r4}, [%rd0];", 2, 1),
                     PTX_END_MISALIGNED);
    assert_int_equal(at_offset("ld.u32 %r1, [%rd1+1];", 0, 32), PTX_END_MISALIGNED);
    assert_int_equal(at_offset("ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd0];", 16, 1), PTX_END_OK);
}

static void invalid_pointers_fault(void **state)
{
    (void)state;
    uint32_t word = 0;
    assert_int_equal(one_run("", "mov.u64 %rd3, 0;\n ld.global.u32 %r1, [%rd3];", 1, &word, 1),
                     PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(one_run("", "mov.u64 %rd3, 0;\n st.u32 [%rd3], 1;", 32, &word, 1),
                     PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(
        one_run("", "mov.u64 %rd3, 0xfffffffffffffff8;\n ld.u64 %rd3, [%rd3];", 1, &word, 1),
        PTX_END_ILLEGAL_ADDRESS);
}

static void freed_memory_faults(void **state)
{
    (void)state;
    struct run_module *run = run_load(one_kernel("", "ld.global.u32 %r1, [%rd0];"));
    struct sim_memory *memory = run_memory(64);
    uint64_t address = memory->address;
    assert_int_equal(run_launch(run, "k", 1, 1, &address), PTX_END_OK);
    sim_memory_destroy(memory);
    assert_int_equal(run_launch(run, "k", 1, 1, &address), PTX_END_ILLEGAL_ADDRESS);
    run_unload(run);
}

/* ---- other spaces ------------------------------------------------------------------------- */

static void shared_memory_is_the_blocks(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    assert_int_equal(one_run(".shared .align 4 .b8 s[256];",
                             "mov.u32 %r1, s;\n mad.lo.u32 %r2, %r0, 4, %r1;\n"
                             "st.shared.u32 [%r2], %r0;\n bar.sync 0;\n"
                             "mov.u32 %r3, 63;\n sub.u32 %r3, %r3, %r0;\n"
                             "mad.lo.u32 %r2, %r3, 4, %r1;\n ld.shared.u32 %r4, [%r2];\n"
                             "ld.shared.u32 %r5, [s+8];\n add.u32 %r4, %r4, %r5;\n"
                             "st.global.u32 [%rd1], %r4;",
                             64, words, 64),
                     PTX_END_OK);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(words[i], 63 - i + 2);
}

static void shared_memory_ends_at_the_size_of_the_block(void **state)
{
    (void)state;
    uint32_t word = 0;
    const char *s = ".shared .align 16 .b8 s[40];";
    assert_int_equal(one_run(s, "ld.shared.u64 %rd3, [s+32];", 1, &word, 1), PTX_END_OK);
    assert_int_equal(one_run(s, "ld.shared.u8 %r1, [s+39];", 1, &word, 1), PTX_END_OK);
    assert_int_equal(one_run(s, "st.shared.u32 [s+64], 1;", 1, &word, 1), PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(one_run(s, "mov.u32 %r1, s;\n ld.shared.u32 %r1, [%r1+-4];", 1, &word, 1),
                     PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(one_run(s, "ld.shared.u32 %r1, [s+2];", 1, &word, 1), PTX_END_MISALIGNED);
    assert_int_equal(one_run(s,
                             "mov.u32 %r1, s;\n add.u32 %r1, %r1, 8;\n ld.shared.u32 %r1, "
                             "[%r1+-4];",
                             1, &word, 1),
                     PTX_END_OK);
}

static void dynamic_shared_memory_follows_the_static(void **state)
{
    (void)state;
    struct run_module *run =
        run_load(one_kernel(".shared .align 4 .b8 s[20];\n.extern .shared .align 16 .b8 dynamic[];",
                            "mov.u32 %r1, s;\n mov.u32 %r2, dynamic;\n sub.u32 %r3, %r2, %r1;\n"
                            "st.shared.u32 [%r2+60], 7;\n ld.shared.u32 %r4, [dynamic+60];\n"
                            "st.global.v2.u32 [%rd0], {%r3, %r4};"));
    struct sim_memory *memory = run_memory(8);
    uint64_t address = memory->address;
    uint32_t shape[6] = {1, 1, 1, 1, 1, 1};
    assert_int_equal(run_shape(run, "k", shape, 64, &address), PTX_END_OK);
    assert_int_equal(((uint32_t *)(void *)memory->view)[0], 32);
    assert_int_equal(((uint32_t *)(void *)memory->view)[1], 7);
    assert_int_equal(run_shape(run, "k", shape, 32, &address), PTX_END_ILLEGAL_ADDRESS);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void shared_memory_is_not_cleared_between_blocks(void **state)
{
    (void)state;
    static const char body[] = "mov.u32 %r1, %ctaid.x;\n mad.wide.u32 %rd3, %r1, 4, %rd0;\n"
                               "ld.shared.u32 %r2, [s+100];\n st.global.u32 [%rd3], %r2;\n"
                               "add.u32 %r1, %r1, 1;\n st.shared.u32 [s+100], %r1;";
    static const uint32_t expected[3] = {0xfff8dead, 1, 2};
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){.threads = 1});
    struct run_module *run = run_load(one_kernel(".shared .align 4 .b8 s[200];", body));
    struct sim_memory *memory = run_memory(sizeof expected);
    assert_int_equal(run_launch(run, "k", 3, 1, &memory->address), PTX_END_OK);
    assert_memory_equal(memory->view, expected, sizeof expected);
    sim_memory_destroy(memory);
    run_unload(run);
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){0});
}

/* Two kernels with dynamic shared memory, and a function that both may call. */
#define DYNAMIC_KERNEL(name, bytes, call)                                                          \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"            \
    ".shared .align 4 .b8 own_" name "[" bytes "];\nld.param.u64 %rd1, [p];\n"                     \
    "mov.u32 %r1, rest;\nst.shared.u32 [rest+12], 5;\nld.shared.u32 %r2, [%r1+12];\n"              \
    "st.shared.u32 [own_" name "], 6;\n" call "st.global.v2.u32 [%rd1], {%r1, %r2};\nret;\n}\n"
#define DYNAMIC_KERNELS(align, call)                                                               \
    RUN_HEAD(80)                                                                                   \
    ".extern .shared .align " align " .b8 rest[];\n"                                               \
    ".func touch()\n{\nst.shared.u32 [rest+8], 9;\nret;\n}\n" DYNAMIC_KERNEL("a", "20", call)      \
        DYNAMIC_KERNEL("b", "1000", call)

static void check_dynamic(const char *text, const char *kernel, uint32_t offset)
{
    uint32_t shape[6] = {1, 1, 1, 1, 1, 1};
    struct run_module *run = run_load(text);
    struct sim_memory *memory = run_memory(8);
    assert_int_equal(run_shape(run, kernel, shape, 16, &memory->address), PTX_END_OK);
    assert_int_equal(((uint32_t *)(void *)memory->view)[0], offset);
    assert_int_equal(((uint32_t *)(void *)memory->view)[1], 5);
    assert_int_equal(run_shape(run, kernel, shape, 12, &memory->address), PTX_END_ILLEGAL_ADDRESS);
    sim_memory_destroy(memory);
    run_unload(run);
}

static void dynamic_shared_memory_is_aligned(void **state)
{
    (void)state;
    check_dynamic(DYNAMIC_KERNELS("4", ""), "a", 32);
    check_dynamic(DYNAMIC_KERNELS("128", ""), "a", 128);
    check_dynamic(DYNAMIC_KERNELS("1024", ""), "b", 1024);
}

static void each_kernel_has_dynamic_shared_memory_where_its_own_ends(void **state)
{
    (void)state;
    check_dynamic(DYNAMIC_KERNELS("16", ""), "a", 32);
    check_dynamic(DYNAMIC_KERNELS("16", ""), "b", 1008);
}

static void kernels_with_a_function_in_common_agree_on_dynamic_shared_memory(void **state)
{
    (void)state;
    check_dynamic(DYNAMIC_KERNELS("16", "call touch, ();\n"), "a", 1008);
    check_dynamic(DYNAMIC_KERNELS("256", "call touch, ();\n"), "b", 1024);
}

static void local_memory_is_each_threads_own(void **state)
{
    (void)state;
    uint32_t words[40] = {0};
    one_body(".local .align 8 .b8 l[16];\n mov.u64 %rd3, l;\n st.local.u32 [%rd3+4], %r0;\n"
             "cvta.local.u64 %rd4, %rd3;\n ld.u32 %r1, [%rd4+4];\n ld.local.u32 %r2, [l+4];\n"
             "add.u32 %r1, %r1, %r2;\n st.global.u32 [%rd1], %r1;",
             40, words, 40);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(words[i], 2 * i);
}

static void local_memory_ends(void **state)
{
    (void)state;
    uint32_t word = 0;
    assert_int_equal(one_run("",
                             ".local .align 8 .b8 l[16];\n mov.u64 %rd3, l;\n"
                             "add.u64 %rd3, %rd3, 0x10000000;\n st.local.u32 [%rd3], 1;",
                             1, &word, 1),
                     PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(one_run("",
                             ".local .align 8 .b8 l[16];\n mov.u64 %rd3, l;\n"
                             "st.local.u32 [%rd3+-4096], 1;",
                             1, &word, 1),
                     PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(one_run("",
                             ".local .align 8 .b8 l[16];\n mov.u64 %rd3, l;\n"
                             "st.local.u32 [%rd3+2], 1;",
                             1, &word, 1),
                     PTX_END_MISALIGNED);
}

static void constants_are_read_by_name_and_by_address(void **state)
{
    (void)state;
    uint32_t words[4] = {0};
    assert_int_equal(one_run(".const .align 4 .u32 c[4] = {10, 20, 30, 40};",
                             "mov.u64 %rd3, c;\n mad.wide.u32 %rd3, %r0, 4, %rd3;\n"
                             "ld.const.u32 %r1, [%rd3];\n ld.const.u32 %r2, [c+4];\n"
                             "cvta.const.u64 %rd4, %rd3;\n ld.u32 %r3, [%rd4];\n"
                             "add.u32 %r1, %r1, %r2;\n add.u32 %r1, %r1, %r3;\n"
                             "st.global.u32 [%rd1], %r1;",
                             4, words, 4),
                     PTX_END_OK);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(words[i], 2 * (10 + 10 * i) + 20);
}

static void parameters_are_read_and_never_written(void **state)
{
    (void)state;
    uint32_t words[2] = {0};
    one_body("mov.u64 %rd3, p;\n ld.param.u64 %rd4, [%rd3];\n cvta.param.u64 %rd5, %rd3;\n"
             "ld.u64 %rd6, [%rd5];\n sub.u64 %rd6, %rd6, %rd4;\n sub.u64 %rd4, %rd4, %rd0;\n"
             "or.b64 %rd6, %rd6, %rd4;\n add.u64 %rd6, %rd6, 3;\n st.global.u64 [%rd0], %rd6;",
             1, words, 2);
    assert_int_equal(words[0], 3);
    assert_int_equal(one_run("",
                             "mov.u64 %rd3, p;\n cvta.param.u64 %rd5, %rd3;\n"
                             "st.u64 [%rd5], 1;",
                             1, words, 2),
                     PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(one_run("", "ld.param.u64 %rd3, [p+8];", 1, words, 2),
                     PTX_END_ILLEGAL_ADDRESS);
}

static void generic_addresses_reach_every_space_at_once(void **state)
{
    (void)state;
    uint32_t words[32] = {0};
    words[31] = 1000;
    assert_int_equal(
        one_run(".shared .align 4 .u32 s;\n",
                ".local .align 4 .b8 l[4];\n st.shared.u32 [s], 2000;\n st.local.u32 [l], %r0;\n"
                "mov.u64 %rd3, s;\n cvta.shared.u64 %rd3, %rd3;\n"
                "mov.u64 %rd4, l;\n cvta.local.u64 %rd4, %rd4;\n"
                "add.u64 %rd5, %rd0, 124;\n"
                "rem.u32 %r1, %r0, 3;\n setp.eq.u32 %p1, %r1, 1;\n setp.eq.u32 %p2, %r1, 2;\n"
                "selp.b64 %rd6, %rd3, %rd4, %p1;\n selp.b64 %rd6, %rd5, %rd6, %p2;\n"
                "ld.u32 %r2, [%rd6];\n"
                "setp.ne.u32 %p3, %r0, 31;\n @%p3 st.u32 [%rd1], %r2;",
                32, words, 32),
        PTX_END_OK);
    for (unsigned i = 0; i < 31; i++)
        assert_int_equal(words[i], i % 3 == 0 ? i : i % 3 == 1 ? 2000 : 1000);
}

static void cvta_and_back_is_the_same_address(void **state)
{
    (void)state;
    uint32_t words[8] = {0};
    assert_int_equal(
        one_run(".shared .align 8 .b8 s[16];\n",
                ".local .align 4 .b8 l[8];\n"
                "mov.u64 %rd3, s;\n add.u64 %rd3, %rd3, 8;\n cvta.shared.u64 %rd4, %rd3;\n"
                "cvta.to.shared.u64 %rd5, %rd4;\n sub.u64 %rd5, %rd5, %rd3;\n"
                "mov.u64 %rd3, l;\n cvta.local.u64 %rd6, %rd3;\n cvta.to.local.u64 %rd7, %rd6;\n"
                "sub.u64 %rd7, %rd7, %rd3;\n or.b64 %rd5, %rd5, %rd7;\n"
                "cvta.to.global.u64 %rd8, %rd0;\n sub.u64 %rd8, %rd8, %rd0;\n"
                "or.b64 %rd5, %rd5, %rd8;\n add.u64 %rd5, %rd5, 1;\n st.global.u64 [%rd0], %rd5;\n"
                "isspacep.shared %p1, %rd4;\n isspacep.local %p2, %rd6;\n"
                "isspacep.global %p3, %rd0;\n isspacep.shared %p4, %rd6;\n"
                "isspacep.global %p5, %rd4;\n isspacep.local %p6, %rd0;\n"
                "selp.u32 %r1, 1, 0, %p1;\n st.global.u32 [%rd0+8], %r1;\n"
                "selp.u32 %r1, 1, 0, %p2;\n st.global.u32 [%rd0+12], %r1;\n"
                "selp.u32 %r1, 1, 0, %p3;\n st.global.u32 [%rd0+16], %r1;\n"
                "selp.u32 %r1, 1, 0, %p4;\n st.global.u32 [%rd0+20], %r1;\n"
                "selp.u32 %r1, 1, 0, %p5;\n st.global.u32 [%rd0+24], %r1;\n"
                "selp.u32 %r1, 1, 0, %p6;\n st.global.u32 [%rd0+28], %r1;\n",
                1, words, 8),
        PTX_END_OK);
    static const uint32_t expected[8] = {1, 0, 1, 1, 1, 0, 0, 0};
    assert_memory_equal(words, expected, sizeof expected);
}

static void addresses_between_the_windows_are_invalid(void **state)
{
    (void)state;
    uint32_t word = 0;
    assert_int_equal(one_run(".shared .align 8 .b8 s[16];",
                             "mov.u64 %rd3, s;\n cvta.shared.u64 %rd3, %rd3;\n ld.u32 %r1, "
                             "[%rd3+1024];",
                             1, &word, 1),
                     PTX_END_ILLEGAL_ADDRESS);
}

/* ---- copies and barriers in shared memory ---------------------------------------------------- */

static void copies_to_shared_memory_fill_up_with_zeros(void **state)
{
    (void)state;
    uint32_t words[12] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(one_run(".shared .align 16 .b8 s[48];",
                             "cp.async.ca.shared.global [s], [%rd0], 16;\n"
                             "mov.u32 %r1, 8;\n"
                             "cp.async.cg.shared.global [s+16], [%rd0+16], 16, %r1;\n"
                             "setp.eq.u32 %p1, %r0, 0;\n"
                             "cp.async.ca.shared.global [s+32], [%rd0], 8, %p1;\n"
                             "cp.async.commit_group;\n cp.async.wait_group 0;\n"
                             "cp.async.wait_all;\n"
                             "ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [s];\n"
                             "st.global.v4.u32 [%rd0], {%r5,%r4,%r3,%r2};\n"
                             "ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [s+16];\n"
                             "st.global.v4.u32 [%rd0+16], {%r2,%r3,%r4,%r5};\n"
                             "ld.shared.v2.u32 {%r2,%r3}, [s+32];\n"
                             "st.global.v2.u32 [%rd0+32], {%r2,%r3};\n",
                             1, words, 12),
                     PTX_END_OK);
    static const uint32_t expected[10] = {4, 3, 2, 1, 5, 6, 0, 0, 0, 0};
    assert_memory_equal(words, expected, sizeof expected);
}

static void an_mbarrier_completes_a_phase_when_all_arrived(void **state)
{
    (void)state;
    uint32_t words[64] = {0};
    assert_int_equal(
        one_run(".shared .align 8 .b64 m;\n.shared .align 4 .b8 s[256];",
                "setp.ne.u32 %p1, %r0, 0;\n @%p1 bra ready;\n mbarrier.init.shared.b64 [m], 64;\n"
                "ready:\n bar.sync 0;\n"
                "mov.u32 %r1, s;\n mad.lo.u32 %r2, %r0, 4, %r1;\n st.shared.u32 [%r2], %r0;\n"
                "mbarrier.arrive.shared.b64 %rd3, [m];\n"
                "wait:\n mbarrier.test_wait.shared.b64 %p2, [m], %rd3;\n @!%p2 bra wait;\n"
                "xor.b32 %r3, %r0, 63;\n mad.lo.u32 %r2, %r3, 4, %r1;\n"
                "ld.shared.u32 %r4, [%r2];\n"
                "mbarrier.arrive.shared.b64 %rd3, [m];\n"
                "again:\n mbarrier.try_wait.parity.shared.b64 %p2, [m], 1;\n @!%p2 bra again;\n"
                "st.global.u32 [%rd1], %r4;",
                64, words, 64),
        PTX_END_OK);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(words[i], i ^ 63);
}

static void an_mbarrier_counts_what_is_pending(void **state)
{
    (void)state;
    uint32_t words[3] = {0};
    assert_int_equal(one_run(".shared .align 8 .b64 m;",
                             "mbarrier.init.shared.b64 [m], 5;\n"
                             "mbarrier.arrive.shared.b64 %rd3, [m];\n"
                             "mbarrier.arrive.shared.b64 %rd4, [m], 2;\n"
                             "mbarrier.arrive_drop.shared.b64 %rd5, [m];\n"
                             "mbarrier.pending_count.b64 %r1, %rd3;\n"
                             "mbarrier.pending_count.b64 %r2, %rd5;\n"
                             "mbarrier.arrive.shared.b64 %rd6, [m];\n"
                             "mbarrier.arrive.shared.b64 %rd7, [m];\n"
                             "mbarrier.pending_count.b64 %r3, %rd7;\n"
                             "st.global.u32 [%rd0], %r1;\n st.global.u32 [%rd0+4], %r2;\n"
                             "st.global.u32 [%rd0+8], %r3;",
                             1, words, 3),
                     PTX_END_OK);
    assert_int_equal(words[0], 5);
    assert_int_equal(words[1], 2);
    assert_int_equal(words[2], 4);
}

static void arriving_too_often_at_an_mbarrier_is_a_fault(void **state)
{
    (void)state;
    uint32_t word = 0;
    assert_int_not_equal(one_run(".shared .align 8 .b64 m;",
                                 "mbarrier.init.shared.b64 [m], 2;\n"
                                 "mbarrier.arrive.shared.b64 %rd3, [m], 3;",
                                 1, &word, 1),
                         PTX_END_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_reads_and_writes_its_own_words),
        cmocka_unit_test(loads_extend_into_wider_registers),
        cmocka_unit_test(small_loads_extend_into_words_and_halves),
        cmocka_unit_test(stores_take_the_low_bytes_and_no_more),
        cmocka_unit_test(lanes_that_do_not_execute_keep_their_registers_and_memory),
        cmocka_unit_test(scattered_and_uniform_addresses_find_their_words),
        cmocka_unit_test(distant_addresses_find_their_words),
        cmocka_unit_test(vectors_move_their_elements_in_order),
        cmocka_unit_test(a_vector_may_have_sinks_and_constants),
        cmocka_unit_test(hints_change_nothing),
        cmocka_unit_test(the_kernel_continues_after_fences_of_all_kinds),
        cmocka_unit_test(bounds_are_checked_to_the_byte),
        cmocka_unit_test(one_lane_out_of_bounds_is_enough),
        cmocka_unit_test(lanes_that_do_not_execute_may_have_invalid_addresses),
        cmocka_unit_test(misaligned_accesses_have_an_error_of_their_own),
        cmocka_unit_test(invalid_pointers_fault),
        cmocka_unit_test(freed_memory_faults),
        cmocka_unit_test(shared_memory_is_the_blocks),
        cmocka_unit_test(shared_memory_ends_at_the_size_of_the_block),
        cmocka_unit_test(dynamic_shared_memory_follows_the_static),
        cmocka_unit_test(shared_memory_is_not_cleared_between_blocks),
        cmocka_unit_test(dynamic_shared_memory_is_aligned),
        cmocka_unit_test(each_kernel_has_dynamic_shared_memory_where_its_own_ends),
        cmocka_unit_test(kernels_with_a_function_in_common_agree_on_dynamic_shared_memory),
        cmocka_unit_test(local_memory_is_each_threads_own),
        cmocka_unit_test(local_memory_ends),
        cmocka_unit_test(constants_are_read_by_name_and_by_address),
        cmocka_unit_test(parameters_are_read_and_never_written),
        cmocka_unit_test(generic_addresses_reach_every_space_at_once),
        cmocka_unit_test(cvta_and_back_is_the_same_address),
        cmocka_unit_test(addresses_between_the_windows_are_invalid),
        cmocka_unit_test(copies_to_shared_memory_fill_up_with_zeros),
        cmocka_unit_test(an_mbarrier_completes_a_phase_when_all_arrived),
        cmocka_unit_test(an_mbarrier_counts_what_is_pending),
        cmocka_unit_test(arriving_too_often_at_an_mbarrier_is_a_fault),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
