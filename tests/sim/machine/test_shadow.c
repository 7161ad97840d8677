/* Which accesses the race check of shared memory considers ordered, tested without an engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim_options.h"
#include "sim_shadow.h"

enum { WAVES = 4, LANES = 32, BYTES = 64 };

static struct sim_shadow *shadow;

static int open_shadow(void **state)
{
    struct sim_shadow_shape shape = {
        .shared_size = BYTES, .waves = WAVES, .lanes = LANES, .checks = SIM_CHECK_RACES};
    (void)state;
    shadow = sim_shadow_create(&shape);
    sim_shadow_begin(shadow);
    return shadow ? 0 : -1;
}

static int close_shadow(void **state)
{
    (void)state;
    sim_shadow_destroy(shadow);
    return 0;
}

static struct sim_shadow_race other;

/* Returns whether an access of four bytes is free of races; each access has a different place in
 * the code. */
static bool is_fine(unsigned thread, bool write)
{
    static uint64_t place;
    struct sim_shadow_access access = {
        .thread = thread, .offset = 8, .place = ++place, .size = 4, .write = write};
    return sim_shadow_shared(shadow, &access, &other) == SIM_SHADOW_OK;
}

static bool reads(unsigned thread)
{
    return is_fine(thread, false);
}

static bool writes(unsigned thread)
{
    return is_fine(thread, true);
}

/* ---- readers ------------------------------------------------------------------------------ */

static void a_write_races_with_any_earlier_reader(void **state)
{
    (void)state;
    assert_true(reads(1));
    assert_true(reads(2));
    assert_false(writes(2));
    assert_int_equal(other.thread, 1);
    assert_false(other.wrote);
}

static void a_write_races_with_a_reader_among_many(void **state)
{
    (void)state;
    for (unsigned thread = 0; thread < WAVES * LANES; thread++)
        assert_true(reads(thread));
    sim_shadow_wave_barrier(shadow, 0);
    assert_false(writes(0));
    assert_true(other.thread >= LANES);
    sim_shadow_barrier(shadow);
    assert_true(writes(0));
}

static void a_reader_of_another_wave_is_remembered(void **state)
{
    (void)state;
    assert_true(reads(3 * LANES));
    for (unsigned thread = 0; thread < LANES; thread++)
        assert_true(reads(thread));
    sim_shadow_wave_barrier(shadow, 0);
    assert_false(writes(0));
    assert_int_equal(other.thread, 3 * LANES);
}

/* ---- barriers of some waves --------------------------------------------------------------- */

static void a_waiting_thread_is_ordered_after_those_that_arrived(void **state)
{
    (void)state;
    assert_true(writes(0));
    sim_shadow_arrive(shadow, 1, 0);
    sim_shadow_arrive(shadow, 1, 1);
    sim_shadow_complete(shadow, 1);
    sim_shadow_leave(shadow, 1, 1);
    assert_true(reads(LANES));
    assert_false(reads(2 * LANES));
    assert_int_equal(other.thread, 0);
}

static void an_arriving_thread_is_not_ordered_after_others(void **state)
{
    (void)state;
    assert_true(writes(0));
    sim_shadow_arrive(shadow, 1, 0);
    sim_shadow_arrive(shadow, 1, 1);
    sim_shadow_complete(shadow, 1);
    assert_false(reads(LANES));
}

static void what_follows_an_arrival_is_not_ordered_by_it(void **state)
{
    (void)state;
    sim_shadow_arrive(shadow, 1, 0);
    assert_true(writes(0));
    sim_shadow_complete(shadow, 1);
    sim_shadow_leave(shadow, 1, 1);
    assert_false(reads(LANES));
}

static void order_is_transitive(void **state)
{
    (void)state;
    assert_true(writes(0));
    sim_shadow_arrive(shadow, 1, 0);
    sim_shadow_complete(shadow, 1);
    sim_shadow_leave(shadow, 1, 1);
    sim_shadow_arrive(shadow, 2, 1);
    sim_shadow_complete(shadow, 2);
    sim_shadow_leave(shadow, 2, 2);
    assert_true(writes(2 * LANES));
    assert_false(reads(3 * LANES));
}

static void a_phase_that_is_not_complete_orders_nothing(void **state)
{
    (void)state;
    sim_shadow_arrive(shadow, 1, 1);
    sim_shadow_complete(shadow, 1);
    assert_true(writes(0));
    sim_shadow_arrive(shadow, 1, 0);
    sim_shadow_leave(shadow, 1, 1);
    assert_false(reads(LANES));
}

static void a_block_begins_anew(void **state)
{
    (void)state;
    assert_true(writes(0));
    sim_shadow_begin(shadow);
    assert_true(writes(1));
    sim_shadow_arrive(shadow, 1, 0);
    sim_shadow_begin(shadow);
    assert_true(writes(0));
    sim_shadow_complete(shadow, 1);
    sim_shadow_leave(shadow, 1, 1);
    assert_false(reads(LANES));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_shadow, close_shadow)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_write_races_with_any_earlier_reader),
        TEST(a_write_races_with_a_reader_among_many),
        TEST(a_reader_of_another_wave_is_remembered),
        TEST(a_waiting_thread_is_ordered_after_those_that_arrived),
        TEST(an_arriving_thread_is_not_ordered_after_others),
        TEST(what_follows_an_arrival_is_not_ordered_by_it),
        TEST(order_is_transitive),
        TEST(a_phase_that_is_not_complete_orders_nothing),
        TEST(a_block_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
