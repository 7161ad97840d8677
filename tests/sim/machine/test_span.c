/* Tests what a span answers after what it was filled for, and when it has to be filled again. */
#include "sim_span.h"
#include "space.h"

static unsigned char *reach(const struct sim_span *span, int device, uint64_t address, size_t size)
{
    return sim_span_reach(span, &sim_space, device, address, size);
}

static void a_span_has_the_bytes_of_one_allocation(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1000);
    uint64_t at = memory->address;
    struct sim_span span = {0};
    assert_null(reach(&span, 0, at, 1));
    assert_null(reach(&span, 0, 0, 1));
    assert_true(sim_span_fill(&span, 0, at + 999));
    assert_ptr_equal(reach(&span, 0, at, 1000), memory->view);
    assert_ptr_equal(reach(&span, 0, at + 996, 4), memory->view + 996);
    assert_null(reach(&span, 0, at + 996, 5));
    assert_null(reach(&span, 0, at + 1000, 1));
    assert_null(reach(&span, 0, at - 1, 1));
    assert_null(reach(&span, 0, at + 4, UINT64_MAX));
}

static void nothing_is_filled_where_there_is_no_allocation(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1000);
    struct sim_span span = {0};
    int registered = 0;
    assert_false(sim_span_fill(&span, 0, memory->address + 1000));
    assert_false(sim_span_fill(&span, 0, 0));
    assert_non_null(sim_memory_register(&registered, sizeof registered));
    assert_false(
        sim_span_fill(&span, 0, (uintptr_t)&registered)); /* not in the table of granules */
    assert_null(reach(&span, 0, memory->address, 1));
}

static void a_span_ends_with_any_allocation(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_MANAGED, 0, 1000);
    struct sim_memory *other = create(SIM_MEMORY_DEVICE, 0, 1000);
    uint64_t at = memory->address;
    struct sim_span span = {0};
    assert_true(sim_span_fill(&span, 1, at));
    assert_non_null(reach(&span, 1, at, 1));
    assert_null(reach(&span, 0, at, 1)); /* it is the other device's */
    sim_memory_destroy(other);
    assert_null(reach(&span, 1, at, 1));
    assert_true(sim_span_fill(&span, 1, at));
    sim_memory_destroy(memory);
    assert_null(reach(&span, 1, at, 1));
    assert_false(sim_span_fill(&span, 1, at));
}

static void a_span_ends_with_access_to_a_peer(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 1, 1000);
    struct sim_span span = {0};
    assert_false(sim_span_fill(&span, 0, memory->address));
    sim_peer_set(0, 1, true);
    assert_true(sim_span_fill(&span, 0, memory->address));
    assert_non_null(reach(&span, 0, memory->address, 1000));
    sim_peer_set(0, 1, false);
    assert_null(reach(&span, 0, memory->address, 1));
    assert_false(sim_span_fill(&span, 0, memory->address));
}

static void what_changes_each_time_is_seldom_filled(void **state)
{
    (void)state;
    struct sim_memory *a = create(SIM_MEMORY_DEVICE, 0, 1000);
    struct sim_memory *b = create(SIM_MEMORY_DEVICE, 0, 1000);
    struct sim_span span = {0};
    unsigned filled = 0;
    for (unsigned i = 0; i < 10000; i++)
        filled += sim_span_fill(&span, 0, (i % 2 ? a : b)->address);
    assert_in_range(filled, 10, 1000);
}

static void a_span_does_not_outlive_the_space(void **state)
{
    (void)state;
    const size_t bytes[DEVICES] = {GIB, GIB};
    uint64_t at = create(SIM_MEMORY_DEVICE, 0, 1000)->address;
    struct sim_span span = {0};
    assert_true(sim_span_fill(&span, 0, at));
    sim_space_close();
    assert_null(reach(&span, 0, at, 1));
    assert_true(sim_space_open(bytes, DEVICES));
    assert_null(reach(&span, 0, at, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(a_span_has_the_bytes_of_one_allocation),
        SPACE_TEST(nothing_is_filled_where_there_is_no_allocation),
        SPACE_TEST(a_span_ends_with_any_allocation),
        SPACE_TEST(a_span_ends_with_access_to_a_peer),
        SPACE_TEST(what_changes_each_time_is_seldom_filled),
        SPACE_TEST(a_span_does_not_outlive_the_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
