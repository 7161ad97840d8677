/* Tests the allocator of addresses against a map of which bytes are taken. */
#include "sim_addresses.h"
#include "support.h"

#include <string.h>

enum { START = 1 << 20, SIZE = 4096, PIECES = 200 };

static struct sim_addresses addresses;

static int init(void **state)
{
    return ah_test_set_up(state) || !sim_addresses_init(&addresses, START, SIZE);
}

static int fini(void **state)
{
    sim_addresses_fini(&addresses);
    return ah_test_tear_down(state);
}

static void give(uint64_t address, uint64_t size)
{
    assert_false(sim_addresses_are_free(&addresses, address, 1));
    sim_addresses_release(&addresses, address, size);
    assert_true(sim_addresses_are_free(&addresses, address, size));
}

static void addresses_are_taken_one_after_the_other(void **state)
{
    (void)state;
    assert_int_equal(sim_addresses_reserve(&addresses, 100, 1), START);
    assert_int_equal(sim_addresses_reserve(&addresses, 1, 1), START + 100);
    assert_int_equal(sim_addresses_reserve(&addresses, 1, 64), START + 128);
    assert_int_equal(sim_addresses_reserve(&addresses, SIZE - 129, 1), START + 129);
    assert_int_equal(sim_addresses_reserve(&addresses, 27, 1), START + 101);
    assert_int_equal(sim_addresses_reserve(&addresses, 1, 1), 0);
}

static void released_addresses_are_reserved_last(void **state)
{
    (void)state;
    uint64_t first = sim_addresses_reserve(&addresses, 1024, 1);
    give(first, 1024);
    for (int i = 1; i < 4; i++)
        assert_int_equal(sim_addresses_reserve(&addresses, 1024, 1), START + i * 1024);
    assert_int_equal(sim_addresses_reserve(&addresses, 1024, 1), first);
    assert_int_equal(sim_addresses_reserve(&addresses, 1, 1), 0);
}

static void holes_grow_together(void **state)
{
    (void)state;
    uint64_t at[4];
    for (int i = 0; i < 4; i++)
        at[i] = sim_addresses_reserve(&addresses, 1024, 1);
    give(at[1], 1024);
    give(at[3], 1024);
    assert_int_equal(sim_addresses_reserve(&addresses, 1025, 1), 0);
    assert_false(sim_addresses_are_free(&addresses, at[1], 1025));
    give(at[2], 1024);
    assert_true(sim_addresses_are_free(&addresses, at[1], 3072));
    assert_false(sim_addresses_are_free(&addresses, at[1], 3073));
    assert_false(sim_addresses_are_free(&addresses, at[1] - 1, 1));
    assert_int_equal(sim_addresses_reserve(&addresses, 3072, 1), at[1]);
    give(at[0], 1024);
    give(at[1], 3072);
    assert_int_equal(sim_addresses_reserve(&addresses, SIZE, 1), START);
}

static void a_place_is_taken_where_it_is_free(void **state)
{
    (void)state;
    assert_true(sim_addresses_reserve_at(&addresses, START + 1000, 100));
    assert_false(sim_addresses_reserve_at(&addresses, START + 1099, 1));
    assert_false(sim_addresses_reserve_at(&addresses, START + 900, 101));
    assert_true(sim_addresses_reserve_at(&addresses, START + 900, 100));
    assert_true(sim_addresses_reserve_at(&addresses, START, 900));
    assert_false(sim_addresses_reserve_at(&addresses, START + SIZE, 1));
    assert_false(sim_addresses_reserve_at(&addresses, START + SIZE - 1, 2));
    assert_false(sim_addresses_reserve_at(&addresses, START - 1, 1));
    assert_int_equal(sim_addresses_reserve(&addresses, SIZE - 1100, 1), START + 1100);
}

static void excessive_sizes_are_refused(void **state)
{
    (void)state;
    assert_int_equal(sim_addresses_reserve(&addresses, SIZE + 1, 1), 0);
    assert_int_equal(sim_addresses_reserve(&addresses, UINT64_MAX, 2), 0);
    assert_int_equal(sim_addresses_reserve(&addresses, SIZE, 1), START);
}

static unsigned char taken[SIZE];

static void mark(uint64_t address, uint64_t size, unsigned char from, unsigned char to)
{
    assert_true(address >= START && address + size <= START + SIZE);
    for (uint64_t i = 0; i < size; i++) {
        assert_int_equal(taken[address - START + i], from);
        taken[address - START + i] = to;
    }
}

static uint64_t longest_hole(void)
{
    uint64_t longest = 0, length = 0;
    for (int i = 0; i < SIZE; i++) {
        length = taken[i] ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void in_any_order_nothing_is_taken_twice_or_lost(void **state)
{
    (void)state;
    struct {
        uint64_t address, size;
    } pieces[PIECES] = {{0}};
    uint64_t seed = 1;
    memset(taken, 0, sizeof taken);
    for (int step = 0; step < 100000; step++) {
        int i = (int)(ah_test_random(&seed) % PIECES);
        if (pieces[i].size) {
            mark(pieces[i].address, pieces[i].size, 1, 0);
            give(pieces[i].address, pieces[i].size);
            pieces[i].size = 0;
            continue;
        }
        uint64_t size = 1 + ah_test_random(&seed) % 100;
        uint64_t alignment = UINT64_C(1) << ah_test_random(&seed) % 4;
        uint64_t address = sim_addresses_reserve(&addresses, size, alignment);
        if (!address) {
            assert_true(longest_hole() < size + alignment - 1);
            continue;
        }
        assert_int_equal(address % alignment, 0);
        mark(address, size, 0, 1);
        pieces[i].address = address;
        pieces[i].size = size;
    }
    for (int i = 0; i < PIECES; i++)
        if (pieces[i].size)
            give(pieces[i].address, pieces[i].size);
    assert_int_equal(sim_addresses_reserve(&addresses, SIZE, 1), START);
}

#define ADDRESS_TEST(function) cmocka_unit_test_setup_teardown(function, init, fini)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ADDRESS_TEST(addresses_are_taken_one_after_the_other),
        ADDRESS_TEST(released_addresses_are_reserved_last),
        ADDRESS_TEST(holes_grow_together),
        ADDRESS_TEST(a_place_is_taken_where_it_is_free),
        ADDRESS_TEST(excessive_sizes_are_refused),
        ADDRESS_TEST(in_any_order_nothing_is_taken_twice_or_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
