/* Owns the objects behind handles, and which handles are live. */
#include "simhsa_runtime.h"

#include <stdlib.h>

/* Kind, generation and index in one number; no pointer has that first byte. */
enum { INDEX_BITS = 24, GENERATION_BITS = 24, KIND_SHIFT = INDEX_BITS + GENERATION_BITS };
#define HANDLE_MARK (UINT64_C(0xfb) << 56)

static struct {
    pthread_mutex_t lock;
    struct slot {
        struct simhsa_object *object; /* NULL: free */
        uint32_t generation;
    } * slots;
    size_t count, capacity;
    size_t next_free; /* where to look first */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

void simhsa_objects_lock(void)
{
    pthread_mutex_lock(&table.lock);
}

void simhsa_objects_unlock(void)
{
    pthread_mutex_unlock(&table.lock);
}

/* SIZE_MAX: no memory. */
static size_t free_slot(void)
{
    size_t index = table.next_free;
    while (index < table.count && table.slots[index].object)
        index++;
    if (index == table.capacity) {
        size_t capacity = table.capacity ? 2 * table.capacity : 256;
        struct slot *grown =
            capacity > (1u << INDEX_BITS) ? NULL : realloc(table.slots, capacity * sizeof *grown);
        if (!grown)
            return SIZE_MAX;
        table.slots = grown;
        table.capacity = capacity;
    }
    if (index == table.count)
        table.slots[table.count++] = (struct slot){0};
    table.next_free = index + 1;
    return index;
}

void *simhsa_object_new(enum simhsa_kind kind, size_t size)
{
    struct simhsa_object *object = calloc(1, size);
    size_t index = object ? free_slot() : SIZE_MAX;
    if (index == SIZE_MAX) {
        free(object);
        return NULL;
    }
    struct slot *slot = &table.slots[index];
    slot->object = object;
    slot->generation++;
    object->kind = kind;
    object->handle = HANDLE_MARK | (uint64_t)kind << KIND_SHIFT |
                     (uint64_t)(slot->generation & ((1u << GENERATION_BITS) - 1)) << INDEX_BITS |
                     index;
    return object;
}

void *simhsa_object_get(uint64_t handle, enum simhsa_kind kind)
{
    size_t index = handle & ((1u << INDEX_BITS) - 1);
    struct simhsa_object *object = index < table.count ? table.slots[index].object : NULL;
    if (object && object->handle == handle && object->kind == kind)
        return object;
    simhsa_violation("0x%llx is not a live handle", (unsigned long long)handle);
    return NULL;
}

void simhsa_object_free(void *ended)
{
    struct simhsa_object *object = ended;
    if (!object)
        return;
    size_t index = object->handle & ((1u << INDEX_BITS) - 1);
    table.slots[index].object = NULL;
    if (index < table.next_free)
        table.next_free = index;
    free(object);
}

void *simhsa_object_next(enum simhsa_kind kind, const void *after)
{
    const struct simhsa_object *last = after;
    size_t index = last ? (last->handle & ((1u << INDEX_BITS) - 1)) + 1 : 0;
    for (; index < table.count; index++)
        if (table.slots[index].object && table.slots[index].object->kind == kind)
            return table.slots[index].object;
    return NULL;
}
