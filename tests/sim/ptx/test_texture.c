/* Textures and surfaces of PTX: every shape and form of their instructions, and invalid ones.
 * Filters and modes are tested where programs use them (tests/kernel/texture.hip). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run.h"
#include "sim_texture.h"

enum { W = 8, H = 4, D = 6, OBJECT = 7 };

static struct sim_texture the_texture;
static struct sim_memory *texels;

static const struct sim_texture *find_texture(struct ptx_context *context, uint64_t handle)
{
    (void)context;
    return handle == OBJECT ? &the_texture : NULL;
}

static const struct sim_image *find_surface(struct ptx_context *context, uint64_t handle)
{
    const struct sim_texture *texture = find_texture(context, handle);
    return texture ? texture->levels : NULL;
}

/* An image of words, each 100 * z + 10 * y + x. */
static void make_texture(bool layered)
{
    the_texture = (struct sim_texture){
        .levels = {{.address = texels->address,
                    .row = W * 4,
                    .slice = W * H * 4,
                    .size = {W, H, D},
                    .type = SIM_CHANNEL_U32,
                    .channels = 1}},
        .level_count = 1,
        .layered = layered,
        .modes = {SIM_CLAMP, SIM_CLAMP, SIM_CLAMP},
    };
    uint32_t *words = (uint32_t *)(void *)texels->view;
    for (uint32_t i = 0; i < W * H * D; i++)
        words[i] = i / (W * H) * 100 + i / W % H * 10 + i % W;
}

/* Runs body with the object in %rd1 and stores %r1 to %r4. */
static enum ptx_end run_body(const char *body, uint64_t object, uint32_t out[4])
{
    char text[2000];
    snprintf(text, sizeof text,
             RUN_HEAD(80) ".entry k(.param .u64 o, .param .u64 t) {\n"
                          ".reg .b32 %%r<10>; .reg .f32 %%f<10>; .reg .b64 %%rd<10>;\n"
                          ".reg .b16 %%rs<10>;\n"
                          "ld.param.u64 %%rd0, [o]; ld.param.u64 %%rd1, [t];\n"
                          "%s\nst.global.v4.u32 [%%rd0], {%%r1, %%r2, %%r3, %%r4};\nret;\n}\n",
             body);
    struct run_module *run = run_load(text);
    struct sim_memory *memory = run_memory(16);
    uint64_t params[2] = {memory->address, object};
    run->context.texture = find_texture;
    run->context.surface = find_surface;
    enum ptx_end end = run_launch(run, "k", 1, 1, params);
    memcpy(out, memory->view, 16);
    sim_memory_destroy(memory);
    run_unload(run);
    return end;
}

static uint32_t result_of(const char *body)
{
    uint32_t out[4];
    assert_int_equal(run_body(body, OBJECT, out), PTX_END_OK);
    return out[0];
}

/* 0f3f000000 is 0.5, 0f40200000 2.5, 0f3fc00000 1.5. */
static void every_shape_of_texture_is_read(void **state)
{
    static const struct {
        const char *body;
        bool layered;
        uint32_t expected;
    } cases[] = {
        {"tex.1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40200000}];", false, 2},
        {"tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [%rd1, {3}];", false, 3},
        {"tex.base.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40200000, 0f3fc00000}];", false, 12},
        {"tex.2d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [%rd1, {5, 3}];", false, 35},
        {"tex.3d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40200000, 0f3fc00000, 0f3fc00000, "
         "0f00000000}];",
         false, 112},
        {"tex.a1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {2, 0f40200000}];", true, 202},
        {"tex.a2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {2, 0f40200000, 0f3fc00000, 0f3fc00000}];",
         true, 212},
        {"tex.cube.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f00000000, 0f00000000, 0fbf800000, "
         "0f00000000}];",
         true, 500},
        {"tex.level.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40200000, 0f3fc00000}], "
         "0f00000000;",
         false, 12},
        {"tex.grad.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40200000, 0f3fc00000}], "
         "{0f00000000, 0f00000000}, {0f00000000, 0f00000000};",
         false, 12},
        {"tex.grad.a1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {2, 0f40200000}], {0f00000000}, "
         "{0f00000000};",
         true, 202},
        {"tex.level.acube.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0, 0f00000000, 0f00000000, "
         "0f3f800000}], 0f00000000;",
         true, 400},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_texture(cases[i].layered);
        if (result_of(cases[i].body) != cases[i].expected)
            fail_msg("%s gives %u, not %u", cases[i].body, result_of(cases[i].body),
                     cases[i].expected);
    }
}

static void channels_that_are_not_there_are_0_and_1(void **state)
{
    uint32_t out[4];
    (void)state;
    make_texture(false);
    run_body("tex.1d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [%rd1, {3}];", OBJECT, out);
    assert_int_equal(out[0], 3);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[2], 0);
    assert_int_equal(out[3], 1);
}

static void four_texels_are_gathered(void **state)
{
    uint32_t out[4];
    (void)state;
    make_texture(false);
    run_body("tld4.r.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40000000, 0f3f800000}];", OBJECT,
             out);
    assert_int_equal(out[0], 11);
    assert_int_equal(out[1], 12);
    assert_int_equal(out[2], 2);
    assert_int_equal(out[3], 1);
}

static void sizes_can_be_queried(void **state)
{
    (void)state;
    make_texture(false);
    assert_int_equal(result_of("txq.width.b32 %r1, [%rd1];"), W);
    assert_int_equal(result_of("txq.height.b32 %r1, [%rd1];"), H);
    assert_int_equal(result_of("txq.depth.b32 %r1, [%rd1];"), D);
    assert_int_equal(result_of("txq.num_mipmap_levels.b32 %r1, [%rd1];"), 1);
    assert_int_equal(result_of("suq.width.b32 %r1, [%rd1];"), W);
    assert_int_equal(result_of("suq.array_size.b32 %r1, [%rd1];"), D);
}

static void every_size_of_surface_access_is_read_and_written(void **state)
{
    static const struct {
        const char *body;
        uint32_t expected;
    } cases[] = {
        {"suld.b.2d.b8.zero %rs1, [%rd1, {4, 1}]; cvt.u32.u16 %r1, %rs1;", 11},
        {"suld.b.2d.b16.trap %rs1, [%rd1, {8, 1}]; cvt.u32.u16 %r1, %rs1;", 12},
        {"suld.b.2d.b32.clamp %r1, [%rd1, {8, 1}];", 12},
        {"suld.b.2d.cg.v2.b32.zero {%r2, %r1}, [%rd1, {8, 1}];", 13},
        {"suld.b.2d.v4.b32.zero {%r2, %r3, %r4, %r1}, [%rd1, {16, 1}];", 17},
        {"suld.b.2d.b64.zero %rd2, [%rd1, {8, 1}]; mov.b64 {%r2, %r1}, %rd2;", 13},
        {"suld.b.2d.v2.b64.zero {%rd2, %rd3}, [%rd1, {0, 1}]; mov.b64 {%r2, %r1}, %rd3;", 13},
        {"suld.b.2d.v4.b8.zero {%rs1, %rs2, %rs3, %rs4}, [%rd1, {4, 1}]; cvt.u32.u16 %r1, %rs1;",
         11},
        {"suld.b.1d.b32.zero %r1, [%rd1, {8}];", 2},
        {"suld.b.3d.b32.zero %r1, [%rd1, {8, 1, 2, 0}];", 212},
        {"suld.b.a1d.b32.zero %r1, [%rd1, {3, 8}];", 302},
        {"suld.b.a2d.b32.zero %r1, [%rd1, {3, 8, 2, 0}];", 322},
        {"mov.u32 %r2, 99; sust.b.2d.b32.zero [%rd1, {8, 1}], %r2;\n"
         "suld.b.2d.b32.zero %r1, [%rd1, {8, 1}];",
         99},
        {"mov.u16 %rs2, 98; sust.b.a1d.b8.trap [%rd1, {1, 8}], %rs2;\n"
         "suld.b.a1d.b32.zero %r1, [%rd1, {1, 8}];",
         98},
        {"mov.u64 %rd2, 97; sust.b.3d.v2.b64.zero [%rd1, {16, 1, 1, 1}], {%rd1, %rd2};\n"
         "suld.b.3d.b32.zero %r1, [%rd1, {24, 1, 1, 1}];",
         97},
        {"mov.u32 %r2, 96; sust.p.2d.b32.zero [%rd1, {3, 1}], %r2;\n"
         "suld.b.2d.b32.zero %r1, [%rd1, {12, 1}];",
         96},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_texture(strstr(cases[i].body, ".a1d") || strstr(cases[i].body, ".a2d"));
        if (result_of(cases[i].body) != cases[i].expected)
            fail_msg("%s gives %u, not %u", cases[i].body, result_of(cases[i].body),
                     cases[i].expected);
    }
}

static void each_boundary_mode_defines_accesses_outside_of_a_surface(void **state)
{
    uint32_t out[4];
    (void)state;
    make_texture(false);
    assert_int_equal(result_of("mov.u32 %r1, 5; suld.b.2d.b32.zero %r1, [%rd1, {32, 1}];"), 0);
    assert_int_equal(result_of("suld.b.2d.b32.clamp %r1, [%rd1, {320, 1}];"), 17);
    assert_int_equal(result_of("suld.b.2d.b32.clamp %r1, [%rd1, {-4, -1}];"), 0);
    assert_int_equal(run_body("suld.b.2d.b32.trap %r1, [%rd1, {32, 1}];", OBJECT, out),
                     PTX_END_TRAP);
    result_of("sust.b.2d.b32.zero [%rd1, {32, 1}], 77; mov.u32 %r1, 0;");
    assert_int_equal(result_of("suld.b.2d.b32.zero %r1, [%rd1, {0, 2}];"), 20);
}

static void an_invalid_object_is_a_fault(void **state)
{
    static const char *const bodies[] = {
        "tex.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40200000, 0f3fc00000}];",
        "tld4.a.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40200000, 0f3fc00000}];",
        "txq.width.b32 %r1, [%rd1];",
        "suq.width.b32 %r1, [%rd1];",
        "suld.b.1d.b32.zero %r1, [%rd1, {0}];",
        "sust.b.1d.b32.zero [%rd1, {0}], 1;",
    };
    static const uint64_t wrong[] = {0, 8, UINT64_C(0xffffffffffffffff)};
    uint32_t out[4];
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(run_body(bodies[i], wrong[k], out), PTX_END_ILLEGAL_ADDRESS);
}

static void accesses_of_surfaces_are_aligned(void **state)
{
    uint32_t out[4];
    (void)state;
    make_texture(false);
    assert_int_not_equal(run_body("suld.b.2d.b32.zero %r1, [%rd1, {2, 1}];", OBJECT, out),
                         PTX_END_OK);
}

static void freed_memory_is_a_fault(void **state)
{
    struct sim_memory *gone = run_memory(4096);
    uint32_t out[4];
    (void)state;
    make_texture(false);
    the_texture.levels[0].address = gone->address;
    sim_memory_destroy(gone);
    assert_int_equal(
        run_body("tex.1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f40200000}];", OBJECT, out),
        PTX_END_ILLEGAL_ADDRESS);
    assert_int_equal(run_body("suld.b.2d.b32.zero %r1, [%rd1, {8, 1}];", OBJECT, out),
                     PTX_END_ILLEGAL_ADDRESS);
}

static void invalid_coordinates_read_some_texel(void **state)
{
    (void)state;
    make_texture(false);
    /* NaN, infinity, and values beyond integers */
    assert_int_equal(result_of("tex.1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f7fc00000}];"), 0);
    assert_int_equal(result_of("tex.1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0f7f800000}];"), 7);
    assert_int_equal(result_of("tex.1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {0fff7fffff}];"), 0);
}

static void wrong_forms_are_refused(void **state)
{
    static const char *const bodies[] = {
        "tex.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {%f1}];",
        "tex.2d.v4.u32.f32 {%r1,%r2,%r3}, [%rd1, {%f1, %f2}];",
        "tex.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1];",
        "tex.4d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {%f1, %f2}];",
        "suld.b.2d.b32 %r1, [%rd1, {%r1, %r2}];",
        "suld.b.2d.b64.zero %r1, [%rd1, {%r1, %r2}];",
        "ld.global.b32 %r1, [%rd1, {%r1}];",
        "tex.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%r1, {%f1, %f2}];",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[1000], messages[2000] = "";
        struct ptx_log log = {.text = messages, .capacity = sizeof messages};
        struct ptx_module *module = NULL;
        snprintf(text, sizeof text,
                 RUN_HEAD(80) ".entry k() {\n.reg .b32 %%r<10>; .reg .f32 %%f<10>;\n"
                              ".reg .b64 %%rd<10>;\n%s\nret;\n}\n",
                 bodies[i]);
        if (ptx_module_load(text, strlen(text), 90, &log, &module) == PTX_OK)
            fail_msg("%s is taken", bodies[i]);
        assert_true(strstr(messages, "error"));
    }
}

static int open_group(void **state)
{
    if (run_open(state) != 0)
        return -1;
    texels = run_memory(W * H * D * 4);
    return 0;
}

static int close_group(void **state)
{
    sim_memory_destroy(texels);
    return run_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_of_texture_is_read),
        cmocka_unit_test(channels_that_are_not_there_are_0_and_1),
        cmocka_unit_test(four_texels_are_gathered),
        cmocka_unit_test(sizes_can_be_queried),
        cmocka_unit_test(every_size_of_surface_access_is_read_and_written),
        cmocka_unit_test(each_boundary_mode_defines_accesses_outside_of_a_surface),
        cmocka_unit_test(an_invalid_object_is_a_fault),
        cmocka_unit_test(accesses_of_surfaces_are_aligned),
        cmocka_unit_test(freed_memory_is_a_fault),
        cmocka_unit_test(invalid_coordinates_read_some_texel),
        cmocka_unit_test(wrong_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, open_group, close_group);
}
