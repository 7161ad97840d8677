/* Tests bounds-checked reading. */
#include "image.h"
#include "image_read.h"
#include "support.h"

#include <string.h>

static void numbers_are_little_endian_and_in_order(void **state)
{
    (void)state;
    unsigned char *data = ah_test_guard("\1\2\3\4\5\6\7\x88\x90\xa0\xb0\xc0\xd0\xe0", 14);
    struct ah_reader reader = {data, 14, 0, false};
    assert_int_equal(ah_read_u16(&reader), 0x0201);
    assert_int_equal(ah_read_u32(&reader), 0x06050403);
    assert_true(ah_read_u64(&reader) == UINT64_C(0xe0d0c0b0a0908807));
    assert_false(reader.failed);
    ah_test_unguard(data, 14);
}

static void a_read_past_the_end_gives_zero_and_fails_for_good(void **state)
{
    (void)state;
    unsigned char *data = ah_test_guard("\1\2\3", 3);
    struct ah_reader reader = {data, 3, 0, false};
    assert_int_equal(ah_read_u32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(ah_read_u16(&reader), 0);
    assert_null(ah_read_bytes(&reader, 0));
    assert_true(reader.failed);
    ah_test_unguard(data, 3);
}

static void bytes_are_handed_out_to_the_last(void **state)
{
    (void)state;
    unsigned char *data = ah_test_guard("abcdef", 6);
    struct ah_reader reader = {data, 6, 0, false};
    assert_ptr_equal(ah_read_bytes(&reader, 4), data);
    assert_ptr_equal(ah_read_bytes(&reader, 2), data + 4);
    assert_ptr_equal(ah_read_bytes(&reader, 0), data + 6);
    assert_null(ah_read_bytes(&reader, 1));
    ah_test_unguard(data, 6);
}

static void a_huge_count_of_bytes_fails(void **state)
{
    (void)state;
    struct ah_reader reader = {(const unsigned char *)"abcdef", 6, 3, false};
    assert_null(ah_read_bytes(&reader, UINT64_MAX));
    reader.failed = false;
    assert_null(ah_read_bytes(&reader, UINT64_MAX - 2));
}

static void space_and_comments_of_ptx_are_skipped(void **state)
{
    (void)state;
    assert_string_equal(ah_skip_ptx_space(" \t\r\n\v\fx"), "x");
    assert_string_equal(ah_skip_ptx_space("// a\n// b\nx"), "x");
    assert_string_equal(ah_skip_ptx_space("/* a\n * b */ /**/x"), "x");
    assert_string_equal(ah_skip_ptx_space("/x"), "/x");
    assert_string_equal(ah_skip_ptx_space("// to the end"), "");
    assert_string_equal(ah_skip_ptx_space("/* to the end *"), "");
    assert_string_equal(ah_skip_ptx_space("/*/ x */y"), "y");
    assert_string_equal(ah_skip_ptx_space(""), "");
}

/* ---- memory of unknown size ---------------------------------------------- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(numbers_are_little_endian_and_in_order),
        AH_TEST(a_read_past_the_end_gives_zero_and_fails_for_good),
        AH_TEST(bytes_are_handed_out_to_the_last),
        AH_TEST(a_huge_count_of_bytes_fails),
        AH_TEST(space_and_comments_of_ptx_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
