/* Owns the objects behind handles, and which handles are live. */
#include "simcuda_driver.h"

#include <stdlib.h>

/* Kind, generation and index in one number; no pointer has that first byte. */
enum { INDEX_BITS = 24, GENERATION_BITS = 24, KIND_SHIFT = INDEX_BITS + GENERATION_BITS };
#define HANDLE_MARK (UINT64_C(0xfa) << 56)

static struct {
    struct slot {
        struct simcuda_object *object; /* NULL: free */
        uint32_t generation;
    } * slots;
    size_t count, capacity;
    size_t next_free; /* where to look first */
} table;

/* SIZE_MAX: no memory. */
static size_t free_slot(void)
{
    size_t index = table.next_free;
    while (index < table.count && table.slots[index].object)
        index++;
    if (index == table.capacity) {
        size_t capacity = table.capacity ? 2 * table.capacity : 256;
        struct slot *grown = realloc(table.slots, capacity * sizeof *grown);
        if (!grown || capacity > (1u << INDEX_BITS)) {
            table.slots = grown ? grown : table.slots;
            return SIZE_MAX;
        }
        table.slots = grown;
        table.capacity = capacity;
    }
    if (index == table.count)
        table.slots[table.count++] = (struct slot){0};
    table.next_free = index + 1;
    return index;
}

void *simcuda_object_new(enum simcuda_kind kind, size_t size, struct simcuda_context *context)
{
    struct simcuda_object *object = calloc(1, size);
    size_t index = object ? free_slot() : SIZE_MAX;
    if (index == SIZE_MAX) {
        free(object);
        return NULL;
    }
    table.slots[index].object = object;
    table.slots[index].generation++;
    object->kind = kind;
    object->context = context;
    object->references = 1;
    object->handle = HANDLE_MARK | (uint64_t)kind << KIND_SHIFT |
                     (uint64_t)(table.slots[index].generation & ((1u << GENERATION_BITS) - 1))
                         << INDEX_BITS |
                     index;
    return object;
}

void *simcuda_object_peek(const void *handle, enum simcuda_kind kind)
{
    uint64_t value = (uint64_t)(uintptr_t)handle;
    size_t index = value & ((1u << INDEX_BITS) - 1);
    struct simcuda_object *object = index < table.count ? table.slots[index].object : NULL;
    return object && object->handle == value && object->kind == kind ? object : NULL;
}

void *simcuda_object_get(const void *handle, enum simcuda_kind kind, const char *what)
{
    void *object = simcuda_object_peek(handle, kind);
    if (!object)
        simcuda_violation("%p is not a live handle (%s)", handle, what);
    return object;
}

void simcuda_object_retain(struct simcuda_object *object)
{
    object->references++;
}

void simcuda_object_release(struct simcuda_object *object)
{
    if (--object->references > 0)
        return;
    if (object->fini)
        object->fini(object);
    free(object);
}

void simcuda_object_close(struct simcuda_object *object)
{
    size_t index = object->handle & ((1u << INDEX_BITS) - 1);
    if (!object->handle)
        return;
    object->handle = 0;
    table.slots[index].object = NULL;
    if (index < table.next_free)
        table.next_free = index;
    simcuda_object_release(object);
}

void simcuda_object_each(enum simcuda_kind kind,
                         void (*visit)(struct simcuda_object *object, void *data), void *data)
{
    for (size_t i = 0; i < table.count; i++)
        if (table.slots[i].object && table.slots[i].object->kind == kind)
            visit(table.slots[i].object, data);
}
