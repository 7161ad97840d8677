/* Tests the map from addresses to objects, read without a lock while it changes. */
#include "pointer_map.h"
#include "support.h"

#include <pthread.h>
#include <stdlib.h>

/* Outgrown tables are never freed; tests let the leak checker know that they are not lost. */
static struct ah_pointer_table *tables[512];
static size_t table_count;

static void put(struct ah_pointer_map *map, const void *key, void *value)
{
    assert_true(ah_pointer_map_put(map, key, value));
    struct ah_pointer_table *table = atomic_load(&map->table);
    if (table_count == 0 || tables[table_count - 1] != table)
        tables[table_count++] = table;
}

static int clean_up(void **state)
{
    while (table_count > 0)
        free(tables[--table_count]);
    return ah_test_tear_down(state);
}

static const void *key_of(size_t i)
{
    return (const void *)(uintptr_t)(0x10000 + i * 16);
}

static void *value_of(size_t i)
{
    return (void *)(uintptr_t)(i + 1);
}

static void an_empty_map_holds_nothing(void **state)
{
    (void)state;
    struct ah_pointer_map map = {0};
    assert_null(ah_pointer_map_get(&map, key_of(0)));
    ah_pointer_map_remove(&map, key_of(0));
    assert_null(ah_pointer_map_get(&map, key_of(0)));
}

static void what_was_put_is_found_while_the_map_grows(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct ah_pointer_map map = {0};
    for (size_t i = 0; i < MANY; i++) {
        put(&map, key_of(i), value_of(i));
        assert_ptr_equal(ah_pointer_map_get(&map, key_of(i)), value_of(i));
        assert_ptr_equal(ah_pointer_map_get(&map, key_of(i / 2)), value_of(i / 2));
        assert_null(ah_pointer_map_get(&map, key_of(i + 1)));
    }
    for (size_t i = 0; i < MANY; i++)
        assert_ptr_equal(ah_pointer_map_get(&map, key_of(i)), value_of(i));
}

static void a_value_is_replaced(void **state)
{
    (void)state;
    struct ah_pointer_map map = {0};
    put(&map, key_of(1), value_of(1));
    put(&map, key_of(1), value_of(2));
    assert_ptr_equal(ah_pointer_map_get(&map, key_of(1)), value_of(2));
}

static void what_was_removed_is_gone_and_may_come_back(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    struct ah_pointer_map map = {0};
    for (size_t i = 0; i < MANY; i++)
        put(&map, key_of(i), value_of(i));
    for (size_t i = 0; i < MANY; i += 2)
        ah_pointer_map_remove(&map, key_of(i));
    ah_pointer_map_remove(&map, key_of(MANY));
    for (size_t i = 0; i < MANY; i++)
        assert_ptr_equal(ah_pointer_map_get(&map, key_of(i)), i % 2 ? value_of(i) : NULL);
    for (size_t i = 0; i < MANY; i += 2)
        put(&map, key_of(i), value_of(i + 7));
    for (size_t i = 0; i < MANY; i++)
        assert_ptr_equal(ah_pointer_map_get(&map, key_of(i)), value_of(i % 2 ? i : i + 7));
}

static void keys_that_hash_alike_are_kept_apart(void **state)
{
    (void)state;
    enum { ALIKE = 20 };
    struct ah_pointer_map map = {0};
    const void *keys[ALIKE];
    size_t count = 0;
    for (uintptr_t key = 8; count < ALIKE; key += 8)
        if ((ah_pointer_hash((const void *)key) & 63) == 63) /* they wrap around the table */
            keys[count++] = (const void *)key;
    for (size_t i = 0; i < ALIKE; i++)
        put(&map, keys[i], value_of(i));
    for (size_t i = 0; i < ALIKE; i += 3)
        ah_pointer_map_remove(&map, keys[i]);
    for (size_t i = 0; i < ALIKE; i++)
        assert_ptr_equal(ah_pointer_map_get(&map, keys[i]), i % 3 ? value_of(i) : NULL);
}

static void random_changes_agree_with_an_array(void **state)
{
    (void)state;
    enum { KEYS = 500, ROUNDS = 200000 };
    static void *model[KEYS];
    struct ah_pointer_map map = {0};
    uint64_t seed = 9;
    for (int i = 0; i < ROUNDS; i++) {
        size_t key = ah_test_random(&seed) % KEYS;
        model[key] = ah_test_random(&seed) % 3 ? value_of((size_t)i) : NULL;
        if (model[key])
            put(&map, key_of(key), model[key]);
        else
            ah_pointer_map_remove(&map, key_of(key));
        size_t other = ah_test_random(&seed) % KEYS;
        assert_ptr_equal(ah_pointer_map_get(&map, key_of(other)), model[other]);
    }
}

/* ---- readers beside a writer --------------------------------------------- */

enum { STABLE = 200, MOVING = 20000, READERS = 3 };

static struct ah_pointer_map shared;
static _Atomic(bool) stop;

/* What was there before stays; what comes and goes is right or absent. */
static void *read_always(void *data)
{
    size_t *wrong = data;
    uint64_t seed = (uint64_t)(uintptr_t)data;
    while (!atomic_load(&stop)) {
        size_t i = ah_test_random(&seed) % STABLE;
        *wrong += ah_pointer_map_get(&shared, key_of(i)) != value_of(i);
        i = STABLE + ah_test_random(&seed) % MOVING;
        void *value = ah_pointer_map_get(&shared, key_of(i));
        *wrong += value != NULL && value != value_of(i);
    }
    return NULL;
}

static void readers_are_not_disturbed_by_a_writer(void **state)
{
    (void)state;
    pthread_t readers[READERS];
    size_t wrong[READERS] = {0};
    for (size_t i = 0; i < STABLE; i++)
        put(&shared, key_of(i), value_of(i));
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, read_always, &wrong[i]);
    for (size_t i = STABLE; i < STABLE + MOVING; i++)
        put(&shared, key_of(i), value_of(i));
    for (size_t i = STABLE; i < STABLE + MOVING; i++)
        ah_pointer_map_remove(&shared, key_of(i));
    for (size_t i = STABLE; i < STABLE + MOVING; i++)
        put(&shared, key_of(i), value_of(i));
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

#define MAP_TEST(function) cmocka_unit_test_setup_teardown(function, ah_test_set_up, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MAP_TEST(an_empty_map_holds_nothing),
        MAP_TEST(what_was_put_is_found_while_the_map_grows),
        MAP_TEST(a_value_is_replaced),
        MAP_TEST(what_was_removed_is_gone_and_may_come_back),
        MAP_TEST(keys_that_hash_alike_are_kept_apart),
        MAP_TEST(random_changes_agree_with_an_array),
        MAP_TEST(readers_are_not_disturbed_by_a_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
