/* Owns the objects behind handles, and which handles are live. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>

/* Kind, generation and index in one number; no pointer has that first byte. */
enum { INDEX_BITS = 24, GENERATION_BITS = 24, KIND_SHIFT = INDEX_BITS + GENERATION_BITS };
#define HANDLE_MARK (UINT64_C(0xfa) << 56)

static struct {
    struct slot {
        struct fake_object *object; /* NULL: free */
        uint32_t generation;
    } * slots;
    size_t count, capacity;
    size_t next_free; /* where to look first */
} table;

static size_t free_slot(void)
{
    size_t index = table.next_free;
    while (index < table.count && table.slots[index].object)
        index++;
    if (index == table.capacity) {
        table.capacity = table.capacity ? 2 * table.capacity : 256;
        table.slots = realloc(table.slots, table.capacity * sizeof *table.slots);
        if (!table.slots)
            abort();
    }
    if (index == table.count)
        table.slots[table.count++] = (struct slot){0};
    table.next_free = index + 1;
    return index;
}

void *fake_object_new(enum fake_kind kind, size_t size, struct fake_context *context)
{
    struct fake_object *object = calloc(1, size);
    if (!object)
        abort();
    size_t index = free_slot();
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

void *fake_object_peek(const void *handle, enum fake_kind kind)
{
    uint64_t value = (uint64_t)(uintptr_t)handle;
    size_t index = value & ((1u << INDEX_BITS) - 1);
    struct fake_object *object = index < table.count ? table.slots[index].object : NULL;
    return object && object->handle == value && object->kind == kind ? object : NULL;
}

void *fake_object_get(const void *handle, enum fake_kind kind, const char *what)
{
    void *object = fake_object_peek(handle, kind);
    if (!object)
        fake_violation("%p is not a live handle (%s)", handle, what);
    return object;
}

void fake_object_retain(struct fake_object *object)
{
    object->references++;
}

void fake_object_release(struct fake_object *object)
{
    if (--object->references > 0)
        return;
    if (object->fini)
        object->fini(object);
    free(object);
}

void fake_object_close(struct fake_object *object)
{
    size_t index = object->handle & ((1u << INDEX_BITS) - 1);
    if (!object->handle)
        return;
    object->handle = 0;
    table.slots[index].object = NULL;
    if (index < table.next_free)
        table.next_free = index;
    fake_object_release(object);
}

void fake_object_each(enum fake_kind kind, void (*visit)(struct fake_object *object, void *data),
                      void *data)
{
    for (size_t i = 0; i < table.count; i++)
        if (table.slots[i].object && table.slots[i].object->kind == kind)
            visit(table.slots[i].object, data);
}
