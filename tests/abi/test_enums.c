// Every enumerator has its value of HIP 7.0 (or 6.3). Rows come from hip_enums.tsv.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "all_headers.h"

static const struct row {
    const char *name;
    long long actual, expected;
} rows[] = {
#define ROW(name, value) {#name, (long long)(name), value},
#include "enum_rows.h"
#undef ROW
};

static void every_enumerator_has_its_value(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].actual != rows[i].expected) {
            print_error("%s is %lld, HIP has %lld\n", rows[i].name, rows[i].actual,
                        rows[i].expected);
            wrong++;
        }
    }
    print_message("%zu enumerators\n", sizeof rows / sizeof *rows);
    assert_int_equal(wrong, 0);
}

static void enums_are_ints(void **state)
{
    (void)state;
    assert_int_equal(sizeof(hipError_t), 4);
    assert_int_equal(sizeof(hipMemcpyKind), 4);
    assert_int_equal(sizeof(enum hipLimit_t), 4);
    assert_int_equal(sizeof(hiprtcResult), 4);
}

static void the_version_is_one_growing_number(void **state)
{
    (void)state;
    assert_int_equal(HIP_VERSION, 70200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_enumerator_has_its_value),
        cmocka_unit_test(enums_are_ints),
        cmocka_unit_test(the_version_is_one_growing_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
