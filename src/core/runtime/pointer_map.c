/* Owns the growth of the map. */
#include "pointer_map.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

static void insert(struct ah_pointer_table *table, const void *key, void *value)
{
    for (size_t at = ah_pointer_hash(key);; at++) {
        struct ah_pointer_entry *entry = &table->entries[at & table->mask];
        const void *found = atomic_load_explicit(&entry->key, memory_order_relaxed);
        if (found && found != key)
            continue;
        atomic_store_explicit(&entry->value, value, memory_order_release);
        if (!found) {
            atomic_store_explicit(&entry->key, key, memory_order_release);
            table->used++;
        }
        return;
    }
}

static struct ah_pointer_table *grown(struct ah_pointer_table *old)
{
    size_t capacity = old ? (old->mask + 1) * 2 : FIRST_CAPACITY;
    struct ah_pointer_table *table =
        calloc(1, sizeof *table + capacity * sizeof(struct ah_pointer_entry));
    if (!table)
        return NULL;
    table->outgrown = old;
    table->mask = capacity - 1;
    for (size_t i = 0; old && i <= old->mask; i++) {
        void *value = atomic_load_explicit(&old->entries[i].value, memory_order_relaxed);
        if (value)
            insert(table, atomic_load_explicit(&old->entries[i].key, memory_order_relaxed), value);
    }
    return table;
}

bool ah_pointer_map_put(struct ah_pointer_map *map, const void *key, void *value)
{
    struct ah_pointer_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);
    if (!table || table->used * 2 > table->mask) {
        table = grown(table);
        if (!table)
            return false;
        insert(table, key, value);
        atomic_store_explicit(&map->table, table, memory_order_release);
        return true;
    }
    insert(table, key, value);
    return true;
}

void ah_pointer_map_remove(struct ah_pointer_map *map, const void *key)
{
    struct ah_pointer_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);
    for (size_t at = ah_pointer_hash(key); table; at++) {
        struct ah_pointer_entry *entry = &table->entries[at & table->mask];
        const void *found = atomic_load_explicit(&entry->key, memory_order_relaxed);
        if (found == key)
            atomic_store_explicit(&entry->value, NULL, memory_order_release);
        if (found == key || !found)
            return;
    }
}
