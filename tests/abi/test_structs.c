// Every structure has its size, alignment and offsets of HIP 7.0 (or 6.3; the one of HIP 5,
// those of 5.2). Rows come from hip_struct_layout.tsv.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "all_headers.h"

static const struct row {
    const char *name;
    size_t actual, expected;
} rows[] = {
#define SIZE(type, size)           {"sizeof " #type, sizeof(type), size},
#define ALIGN(type, alignment)     {"alignment of " #type, _Alignof(type), alignment},
#define FIELD(type, field, offset) {#type "." #field, offsetof(type, field), offset},
#include "struct_rows.h"
#undef SIZE
#undef ALIGN
#undef FIELD
};

static void every_structure_has_its_layout(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].actual != rows[i].expected) {
            print_error("%s is %zu, HIP has %zu\n", rows[i].name, rows[i].actual, rows[i].expected);
            wrong++;
        }
    }
    print_message("%zu sizes, alignments and offsets\n", sizeof rows / sizeof *rows);
    assert_int_equal(wrong, 0);
}

static void the_properties_of_hip_5_have_792_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(hipDeviceProp_tR0000), 792);
    assert_int_equal(offsetof(hipDeviceProp_tR0000, gcnArchName), 396);
}

static void the_properties_of_hip_6_have_1472_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(hipDeviceProp_t), 1472);
    assert_int_equal(offsetof(hipDeviceProp_t, gcnArchName), 1160);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_structure_has_its_layout),
        cmocka_unit_test(the_properties_of_hip_5_have_792_bytes),
        cmocka_unit_test(the_properties_of_hip_6_have_1472_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
