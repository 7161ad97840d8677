/* Owns what is noted of an execution that is compared with another one. */
#include "wave_trace.h"

#include <stdlib.h>
#include <string.h>

enum { OPS_MAX = 1 << 15 };

/* ---- notes ------------------------------------------------------------------------------- */

void wave_trace_fini(struct wave_trace *trace)
{
    free(trace->ops);
    free(trace->stores);
    *trace = (struct wave_trace){0};
}

static bool make_room(struct wave_trace *trace, void *list, unsigned count, unsigned *room,
                      size_t size)
{
    void *old, *moved;
    memcpy(&old, list, sizeof old);
    if (count < *room)
        return true;
    unsigned more = 2 * *room + 256;
    moved = realloc(old, more * size);
    if (!moved) {
        trace->limited = true;
        return false;
    }
    memcpy(list, &moved, sizeof moved);
    *room = more;
    return true;
}

void wave_trace_op(struct wave_trace *trace, const void *op)
{
    if (make_room(trace, &trace->ops, trace->op_count, &trace->op_room, sizeof *trace->ops))
        trace->ops[trace->op_count++] = op;
    trace->limited |= trace->op_count > OPS_MAX;
}

void wave_trace_store(struct wave_trace *trace, const void *op, unsigned char *where, unsigned size)
{
    if (!make_room(trace, &trace->stores, trace->store_count, &trace->store_room,
                   sizeof *trace->stores))
        return;
    struct wave_store *store = &trace->stores[trace->store_count++];
    *store = (struct wave_store){.op = op, .where = where, .size = size};
    memcpy(store->old, where, size);
}

void wave_trace_undo(const struct wave_trace *trace)
{
    for (unsigned i = trace->store_count; i-- > 0;)
        memcpy(trace->stores[i].where, trace->stores[i].old, trace->stores[i].size);
}

void wave_trace_keep(struct wave_trace *trace)
{
    for (unsigned i = 0; i < trace->store_count; i++)
        memcpy(trace->stores[i].found, trace->stores[i].where, trace->stores[i].size);
}

/* ---- differences --------------------------------------------------------------------------- */

static bool differs(const struct wave_images *images, const struct wave_slot *slot)
{
    const unsigned char *found = images->found[slot->base];
    const unsigned char *expected = images->expected[slot->base];
    return found && memcmp(found + slot->offset, expected + slot->offset, slot->size) != 0;
}

typedef unsigned (*writes_of)(void *data, const void *op, struct wave_slot *out_slots);

static bool is_written_later(const struct wave_trace *trace, unsigned after,
                             const struct wave_slot *slot, writes_of writes, void *data)
{
    for (unsigned i = after + 1; i < trace->op_count; i++) {
        struct wave_slot slots[WAVE_WRITES_MAX];
        unsigned count = writes(data, trace->ops[i], slots);
        for (unsigned s = 0; s < count; s++)
            if (slots[s].base == slot->base && slots[s].offset == slot->offset)
                return true;
    }
    return false;
}

bool wave_trace_slot(const struct wave_trace *trace, const struct wave_images *images,
                     writes_of writes, void *data, const void **out_op, struct wave_slot *out_slot)
{
    for (unsigned i = 0; i < trace->op_count; i++) {
        struct wave_slot slots[WAVE_WRITES_MAX];
        unsigned count = writes(data, trace->ops[i], slots);
        for (unsigned s = 0; s < count; s++)
            if (differs(images, &slots[s]) &&
                !is_written_later(trace, i, &slots[s], writes, data)) {
                *out_op = trace->ops[i];
                *out_slot = slots[s];
                return true;
            }
    }
    return false;
}

const void *wave_trace_differing_store(const struct wave_trace *trace)
{
    for (unsigned i = 0; i < trace->store_count; i++) {
        const struct wave_store *store = &trace->stores[i];
        if (memcmp(store->where, store->found, store->size) != 0)
            return store->op;
    }
    return NULL;
}

void wave_describe_difference(const struct wave_images *images, const struct wave_slot *slot,
                              unsigned lanes, char *out, size_t out_size)
{
    const unsigned char *found = images->found[slot->base] + slot->offset;
    const unsigned char *expected = images->expected[slot->base] + slot->offset;
    unsigned width = slot->size / lanes ? slot->size / lanes : slot->size, at = 0;
    uint64_t values[2] = {0};
    while (memcmp(found + at, expected + at, width) == 0)
        at += width;
    memcpy(&values[0], found + at, width < 8 ? width : 8);
    memcpy(&values[1], expected + at, width < 8 ? width : 8);
    int length = lanes > 1 ? snprintf(out, out_size, "lane %u: ", at / width) : 0;
    snprintf(out + length, out_size - (size_t)length, "0x%llx and not 0x%llx",
             (unsigned long long)values[0], (unsigned long long)values[1]);
}
