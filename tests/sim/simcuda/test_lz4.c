/* Decompression of LZ4 blocks: valid ones, and every corruption of them. */
#include "simcuda_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "abcabcabcabcabcx": 3 literals, a match of 12 at distance 3, 1 literal. */
static const unsigned char block[] = {0x38, 'a', 'b', 'c', 3, 0, 0x10, 'x'};
static const char text[] = "abcabcabcabcabcx";
enum { TEXT_SIZE = sizeof text - 1 };

static void literals_and_matches_are_decompressed(void **state)
{
    unsigned char out[64];
    (void)state;
    assert_int_equal(simcuda_lz4(block, sizeof block, out, sizeof out), TEXT_SIZE);
    assert_memory_equal(out, text, TEXT_SIZE);
}

static void long_lengths_have_more_bytes(void **state)
{
    unsigned char packed[400] = {0xf0, 255, 30}, out[400];
    (void)state;
    memset(packed + 3, 'z', 300);
    assert_int_equal(simcuda_lz4(packed, 303, out, 300), 300);
    assert_int_equal(out[299], 'z');
}

static void a_block_of_the_wrong_size_is_refused(void **state)
{
    unsigned char out[64];
    (void)state;
    for (size_t capacity = 0; capacity < TEXT_SIZE; capacity++)
        assert_int_equal(simcuda_lz4(block, sizeof block, out, capacity), 0);
}

/* In memory of exactly its size, so that a sanitizer detects reads beyond it. */
static void corrupted_blocks_do_no_harm(void **state)
{
    unsigned char out[TEXT_SIZE];
    (void)state;
    for (size_t size = 1; size <= sizeof block; size++) {
        for (size_t at = 0; at < size; at++) {
            for (int value = 0; value < 256; value++) {
                unsigned char *damaged = malloc(size);
                assert_non_null(damaged);
                memcpy(damaged, block, size);
                damaged[at] = (unsigned char)value;
                assert_true(simcuda_lz4(damaged, size, out, sizeof out) <= sizeof out);
                free(damaged);
            }
        }
    }
    assert_int_equal(simcuda_lz4(block, 0, out, sizeof out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_and_matches_are_decompressed),
        cmocka_unit_test(long_lengths_have_more_bytes),
        cmocka_unit_test(a_block_of_the_wrong_size_is_refused),
        cmocka_unit_test(corrupted_blocks_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
