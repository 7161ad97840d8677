/* Tests the set of address ranges against a list that is searched from end to end. */
#include "ranges.h"
#include "support.h"

#include <string.h>

enum { NODES = 96, SPACE = 1024, ROUNDS = 80000 };

/* The model: which nodes are in the set. */
struct model {
    struct ah_range nodes[NODES];
    bool used[NODES];
    size_t count;
    uintptr_t base;
};

static uintptr_t last_of(uintptr_t start, size_t size)
{
    uintptr_t last = start + (size ? size - 1 : 0);
    return last < start ? UINTPTR_MAX : last;
}

static struct ah_range *model_find(struct model *model, uintptr_t address)
{
    for (int i = 0; i < NODES; i++) {
        struct ah_range *node = &model->nodes[i];
        if (model->used[i] && address >= node->start && address <= last_of(node->start, node->size))
            return node;
    }
    return NULL;
}

static struct ah_range *model_floor(struct model *model, uintptr_t address)
{
    struct ah_range *best = NULL;
    for (int i = 0; i < NODES; i++)
        if (model->used[i] && model->nodes[i].start <= address &&
            (!best || model->nodes[i].start > best->start))
            best = &model->nodes[i];
    return best;
}

static struct ah_range *model_above(struct model *model, uintptr_t address)
{
    struct ah_range *best = NULL;
    for (int i = 0; i < NODES; i++)
        if (model->used[i] && model->nodes[i].start > address &&
            (!best || model->nodes[i].start < best->start))
            best = &model->nodes[i];
    return best;
}

static bool model_overlaps(struct model *model, uintptr_t start, size_t size)
{
    uintptr_t last = last_of(start, size);
    for (int i = 0; i < NODES; i++)
        if (model->used[i] && model->nodes[i].start <= last &&
            last_of(model->nodes[i].start, model->nodes[i].size) >= start)
            return true;
    return false;
}

static void toggle(struct model *model, struct ah_ranges *ranges, uint64_t *seed)
{
    size_t i = ah_test_random(seed) % NODES;
    struct ah_range *node = &model->nodes[i];
    if (model->used[i]) {
        ah_ranges_remove(ranges, node);
        model->used[i] = false;
        model->count--;
        return;
    }
    node->start = model->base + ah_test_random(seed) % SPACE;
    node->size = ah_test_random(seed) % 24;
    bool expected = !model_overlaps(model, node->start, node->size);
    assert_int_equal(ah_ranges_insert(ranges, node), expected);
    model->used[i] = expected;
    model->count += expected;
}

static void compare(struct model *model, struct ah_ranges *ranges, uint64_t *seed)
{
    uintptr_t at = model->base + ah_test_random(seed) % (SPACE + 64) - 32;
    size_t size = ah_test_random(seed) % 40;
    assert_ptr_equal(ah_ranges_find(ranges, at), model_find(model, at));
    assert_ptr_equal(ah_ranges_floor(ranges, at), model_floor(model, at));
    assert_ptr_equal(ah_ranges_above(ranges, at), model_above(model, at));
    assert_int_equal(ah_ranges_overlaps(ranges, at, size), model_overlaps(model, at, size));
    assert_int_equal(ranges->count, model->count);
}

static void play(uintptr_t base, uint64_t seed, int rounds)
{
    static struct model model;
    struct ah_ranges ranges = {0};
    memset(&model, 0, sizeof model);
    model.base = base;
    for (int i = 0; i < rounds; i++) {
        toggle(&model, &ranges, &seed);
        compare(&model, &ranges, &seed);
    }
    for (int i = 0; i < NODES; i++)
        if (model.used[i])
            ah_ranges_remove(&ranges, &model.nodes[i]);
    assert_null(ranges.root);
    assert_int_equal(ranges.count, 0);
}

static void the_set_behaves_as_a_list_does(void **state)
{
    (void)state;
    play(0x7f0000000000u, 1, ROUNDS);
}

static void it_does_so_at_both_ends_of_the_address_space(void **state)
{
    (void)state;
    play(32, 2, ROUNDS / 4);
    play(0, 3, ROUNDS / 4);
    play(UINTPTR_MAX - SPACE, 4, ROUNDS / 4);
    play(UINTPTR_MAX - SPACE + 32, 5, ROUNDS / 4);
}

static void an_empty_set_holds_nothing(void **state)
{
    (void)state;
    struct ah_ranges ranges = {0};
    assert_null(ah_ranges_find(&ranges, 0));
    assert_null(ah_ranges_floor(&ranges, UINTPTR_MAX));
    assert_null(ah_ranges_above(&ranges, 0));
    assert_false(ah_ranges_overlaps(&ranges, 0, SIZE_MAX));
}

static void an_empty_range_is_found_and_cannot_be_doubled(void **state)
{
    (void)state;
    struct ah_ranges ranges = {0};
    struct ah_range empty = {.start = 100}, twin = {.start = 100},
                    around = {.start = 90, .size = 20};
    assert_true(ah_ranges_insert(&ranges, &empty));
    assert_ptr_equal(ah_ranges_find(&ranges, 100), &empty);
    assert_null(ah_ranges_find(&ranges, 101));
    assert_false(ah_ranges_insert(&ranges, &twin));
    assert_false(ah_ranges_insert(&ranges, &around));
}

static void a_size_beyond_the_address_space_reaches_to_its_end(void **state)
{
    (void)state;
    struct ah_ranges ranges = {0};
    struct ah_range low = {.start = 4096, .size = 4096}, high = {.start = 1 << 20, .size = 4096};
    struct ah_range huge = {.start = 65536, .size = SIZE_MAX};
    assert_true(ah_ranges_insert(&ranges, &low));
    assert_true(ah_ranges_insert(&ranges, &high));
    assert_true(ah_ranges_overlaps(&ranges, 8192, SIZE_MAX));
    assert_false(ah_ranges_insert(&ranges, &huge));
    ah_ranges_remove(&ranges, &high);
    assert_true(ah_ranges_insert(&ranges, &huge));
    assert_ptr_equal(ah_ranges_find(&ranges, UINTPTR_MAX), &huge);
    assert_false(ah_ranges_insert(&ranges, &high));
}

static int depth(const struct ah_range *tree)
{
    if (!tree)
        return 0;
    int low = depth(tree->child[0]), high = depth(tree->child[1]);
    return 1 + (low > high ? low : high);
}

static void ranges_added_in_order_do_not_make_a_list(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    static struct ah_range nodes[MANY];
    struct ah_ranges ranges = {0};
    for (size_t i = 0; i < MANY; i++) {
        nodes[i] = (struct ah_range){.start = i * 16, .size = 16};
        assert_true(ah_ranges_insert(&ranges, &nodes[i]));
    }
    assert_true(depth(ranges.root) < 64);
    for (size_t i = 0; i < MANY; i++)
        assert_ptr_equal(ah_ranges_find(&ranges, i * 16 + 15), &nodes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(the_set_behaves_as_a_list_does),
        AH_TEST(it_does_so_at_both_ends_of_the_address_space),
        AH_TEST(an_empty_set_holds_nothing),
        AH_TEST(an_empty_range_is_found_and_cannot_be_doubled),
        AH_TEST(a_size_beyond_the_address_space_reaches_to_its_end),
        AH_TEST(ranges_added_in_order_do_not_make_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
