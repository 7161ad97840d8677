/* Variables of a module in memory, and information about its kernels. */
#include "front.h"

static uint64_t number(const unsigned char *image, size_t at)
{
    uint64_t value;
    memcpy(&value, image + at, sizeof value);
    return value;
}

static void variables_are_placed_in_order(void **state)
{
    struct ptx_module *module = front_module(".global .u8 a = 1;\n"
                                             ".shared .u64 not_here;\n"
                                             ".const .align 32 .u64 b = 2;\n"
                                             ".global .u16 c[3] = {3, 4, 5};\n"
                                             ".global .u32 d;\n");
    unsigned char image[64];
    size_t align, size = ptx_module_size(module, &align);
    (void)state;
    assert_int_equal(size, 52);
    assert_int_equal(align, 32);
    ptx_module_place(module, 0x10000);
    assert_int_equal(ptx_module_find(module, "a")->address, 0x10000);
    assert_int_equal(ptx_module_find(module, "b")->address, 0x10020);
    assert_int_equal(ptx_module_find(module, "c")->address, 0x10028);
    assert_int_equal(ptx_module_find(module, "d")->address, 0x10030);
    memset(image, 0xee, sizeof image);
    ptx_module_initialise(module, image);
    assert_true(number(image, 0) == 1 && number(image, 0x20) == 2);
    assert_true(number(image, 0x28) == UINT64_C(0x500040003));
    assert_int_equal(image[51], 0);
    assert_int_equal(image[52], 0xee);
    ptx_module_destroy(module);
}

static void addresses_are_relocated(void **state)
{
    struct ptx_module *module =
        front_module(".func g() { ret; }\n.func f() { ret; }\n"
                     ".global .u32 a[4];\n"
                     ".global .u64 p[3] = {a+4, generic(a)-4, f};\n"
                     ".global .align 8 .b8 q[8] = {0xFF(a), 0xFF00(a), 0xFF0000(a+65536), 9};\n");
    unsigned char image[48] = {0};
    (void)state;
    assert_int_equal(ptx_module_size(module, NULL), 48);
    ptx_module_place(module, UINT64_C(0x700000012300));
    ptx_module_initialise(module, image);
    assert_true(number(image, 16) == UINT64_C(0x700000012304));
    assert_true(number(image, 24) == UINT64_C(0x7000000122fc));
    assert_true(number(image, 32) == 0xf01);
    assert_int_equal(image[40], 0x00);
    assert_int_equal(image[41], 0x23);
    assert_int_equal(image[42], 0x02);
    assert_int_equal(image[43], 9);
    ptx_module_destroy(module);
}

static void a_module_without_variables_takes_no_memory(void **state)
{
    struct ptx_module *module = front_module(".entry k() { ret; }");
    size_t align;
    (void)state;
    assert_int_equal(ptx_module_size(module, &align), 0);
    assert_int_equal(align, 1);
    ptx_module_destroy(module);
    ptx_module_destroy(NULL);
}

static void constants_have_a_limit(void **state)
{
    struct ptx_module *module = front_module(".const .b8 a[65536];");
    struct ptx_kernel_info info;
    (void)state;
    ptx_module_destroy(module);
    front_refuses(".const .b8 a[65536];\n.const .b8 b;", PTX_INVALID, "65537 bytes of .const");
    module = front_module(".const .u32 c[5];\n.entry k() { ret; }");
    ptx_kernel_info(ptx_module_kernel(module, "k"), &info);
    assert_int_equal(info.const_size, 20);
    ptx_module_destroy(module);
}

static void kernels_are_known_by_name(void **state)
{
    struct ptx_module *module = front_module(".visible .entry k(.param .u8 a, .param .u64 b,\n"
                                             ".param .align 16 .b8 c[20], .param .v2 .f32 d)\n"
                                             ".maxntid 32, 4, 1 { ret; }\n"
                                             ".entry l() { ret; }\n.func f() { ret; }\n"
                                             ".global .u32 v;\n");
    struct ptx_function *k = ptx_module_kernel(module, "k");
    static const size_t expected[][2] = {{0, 1}, {8, 8}, {16, 20}, {40, 8}};
    struct ptx_kernel_info info;
    size_t offset, size;
    (void)state;
    ptx_kernel_info(k, &info);
    assert_string_equal(info.name, "k");
    assert_int_equal(info.param_count, 4);
    assert_int_equal(info.param_size, 48);
    assert_int_equal(info.max_threads, 128);
    assert_int_equal(info.ptx_version, 88);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(ptx_kernel_param(k, i, &offset, &size));
        assert_int_equal(offset, expected[i][0]);
        assert_int_equal(size, expected[i][1]);
    }
    assert_false(ptx_kernel_param(k, 4, &offset, &size));
    ptx_kernel_info(ptx_module_kernel(module, "l"), &info);
    assert_int_equal(info.max_threads, 1024);
    assert_int_equal(info.param_size, 0);
    assert_null(ptx_module_kernel(module, "f"));
    assert_null(ptx_module_kernel(module, "v"));
    assert_null(ptx_module_kernel(module, "nothing"));
    ptx_module_destroy(module);
}

static void names_inside_functions_are_local(void **state)
{
    struct ptx_module *module = front_module(".entry k(.param .u64 p) { .shared .u32 s; ret; }");
    (void)state;
    assert_null(ptx_module_find(module, "p"));
    assert_null(ptx_module_find(module, "s"));
    assert_null(ptx_module_find(module, "ret"));
    assert_non_null(ptx_module_find(module, "k"));
    ptx_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_placed_in_order),
        cmocka_unit_test(addresses_are_relocated),
        cmocka_unit_test(a_module_without_variables_takes_no_memory),
        cmocka_unit_test(constants_have_a_limit),
        cmocka_unit_test(kernels_are_known_by_name),
        cmocka_unit_test(names_inside_functions_are_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
