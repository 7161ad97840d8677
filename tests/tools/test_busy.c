/* Tests when a device was busy, and the gaps in between. */
#include "busy.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static void expect_gap(const struct ah_gap *gap, uint64_t begin, uint64_t end, unsigned after,
                       unsigned before)
{
    assert_int_equal(gap->begin, begin);
    assert_int_equal(gap->end, end);
    assert_int_equal(gap->after, after);
    assert_int_equal(gap->before, before);
}

static void pieces_of_any_order_join(void **state)
{
    (void)state;
    struct ah_busy busy = {0};
    struct ah_gap *gaps;
    assert_int_equal(ah_busy_span(&busy), 0);
    assert_true(ah_busy_add(&busy, 100, 200, 1));
    assert_true(ah_busy_add(&busy, 400, 500, 2));
    assert_true(ah_busy_add(&busy, 10, 20, 3));
    assert_true(ah_busy_add(&busy, 150, 250, 4)); /* over the end of the first */
    assert_true(ah_busy_add(&busy, 160, 170, 5)); /* in it */
    assert_true(ah_busy_add(&busy, 390, 400, 6)); /* touches */
    assert_true(ah_busy_add(&busy, 700, 700, 7)); /* takes no time */
    assert_int_equal(ah_busy_total(&busy), 10 + 150 + 110);
    assert_int_equal(ah_busy_span(&busy), 690);
    assert_int_equal(ah_busy_gaps(&busy, 9, &gaps), 3);
    expect_gap(&gaps[0], 500, 700, 2, 7);
    expect_gap(&gaps[1], 250, 390, 4, 6);
    expect_gap(&gaps[2], 20, 100, 3, 1);
    free(gaps);
    assert_int_equal(ah_busy_gaps(&busy, 2, &gaps), 2);
    free(gaps);
    assert_true(ah_busy_add(&busy, 5, 900, 8)); /* over all of them */
    assert_int_equal(ah_busy_total(&busy), 895);
    assert_int_equal(ah_busy_gaps(&busy, 9, &gaps), 0);
    assert_null(gaps);
    ah_busy_fini(&busy);
}

/* The times of many random pieces, held against a map of each nanosecond. */
static void what_is_busy_is_what_any_piece_covers(void **state)
{
    (void)state;
    enum { LENGTH = 4000, ROUNDS = 50 };
    unsigned random = 7;
    for (int round = 0; round < ROUNDS; round++) {
        struct ah_busy busy = {0};
        unsigned char map[LENGTH + 40] = {0};
        uint64_t covered = 0;
        for (int i = 0; i < 100; i++) {
            random = random * 1664525 + 1013904223;
            uint64_t begin = (random >> 8) % LENGTH, end = begin + 1 + (random >> 24) % 39;
            assert_true(ah_busy_add(&busy, begin, end, 0));
            memset(map + begin, 1, end - begin);
        }
        for (size_t i = 0; i < sizeof map; i++)
            covered += map[i];
        assert_int_equal(ah_busy_total(&busy), covered);
        ah_busy_fini(&busy);
    }
}

static void the_longest_gaps_are_known_however_many_there_are(void **state)
{
    (void)state;
    struct ah_busy busy = {0};
    struct ah_gap *gaps;
    uint64_t time = 1000;
    for (unsigned i = 0; i < 3 * AH_BUSY_MAX; i++) {
        assert_true(ah_busy_add(&busy, time, time + 10, i));
        time += i == 777 || i == 2 * AH_BUSY_MAX ? 5000 + i : 11 + i % 100;
    }
    assert_true(busy.count <= AH_BUSY_MAX);
    assert_true(busy.unknown > 0 && busy.unknown < 100);
    assert_true(ah_busy_gaps(&busy, 3, &gaps) == 3);
    assert_int_equal(gaps[0].after, 2 * AH_BUSY_MAX);
    assert_int_equal(gaps[1].after, 777);
    assert_int_equal(gaps[1].before, 778);
    assert_int_equal(gaps[1].end - gaps[1].begin, 5767);
    assert_true(gaps[2].end - gaps[2].begin <= 100);
    free(gaps);
    ah_busy_fini(&busy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_order_join),
        cmocka_unit_test(what_is_busy_is_what_any_piece_covers),
        cmocka_unit_test(the_longest_gaps_are_known_however_many_there_are),
    };
    return cmocka_run_group_tests_name("busy", tests, NULL, NULL);
}
