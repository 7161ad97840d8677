/* A map from addresses to objects that is read without a lock, on every launch.
 *
 * Writers are serialised by the caller. A table that was outgrown, or an entry
 * that was removed, stays readable for readers that are still in it; outgrown
 * tables are never freed, which costs at most as much as the table in use. */
#ifndef AH_POINTER_MAP_H
#define AH_POINTER_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ah_pointer_entry {
    _Atomic(const void *) key;
    _Atomic(void *) value; /* NULL: removed */
};

struct ah_pointer_table {
    struct ah_pointer_table *outgrown; /* the one before */
    size_t mask;                       /* capacity - 1, a power of two less one */
    size_t used;                       /* keys, removed ones included */
    struct ah_pointer_entry entries[];
};

struct ah_pointer_map {
    _Atomic(struct ah_pointer_table *) table;
};

/* Adds or replaces. key is not NULL. False without memory. */
bool ah_pointer_map_put(struct ah_pointer_map *map, const void *key, void *value);

void ah_pointer_map_remove(struct ah_pointer_map *map, const void *key);

static inline size_t ah_pointer_hash(const void *key)
{
    uint64_t bits = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(bits >> 32);
}

static inline void *ah_pointer_map_get(struct ah_pointer_map *map, const void *key)
{
    struct ah_pointer_table *table = atomic_load_explicit(&map->table, memory_order_acquire);
    if (!table)
        return NULL;
    for (size_t at = ah_pointer_hash(key);; at++) {
        struct ah_pointer_entry *entry = &table->entries[at & table->mask];
        const void *found = atomic_load_explicit(&entry->key, memory_order_acquire);
        if (found == key)
            return atomic_load_explicit(&entry->value, memory_order_acquire);
        if (!found)
            return NULL;
    }
}

#endif
