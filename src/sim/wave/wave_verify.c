/* Owns the checks of what wave.h requires of a region. */
#include "wave_set.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 64, FRAME_MAX = 1 << 24, STATE_MAX = 1 << 20 };

struct check {
    const struct wave_region *region;
    char *reason;
    size_t size;
    unsigned block, inst; /* what is looked at */
    bool in_inst;
};

static bool refuse(const struct check *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(const struct check *c, const char *format, ...)
{
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (c->in_inst)
        snprintf(c->reason, c->size, "block %u, instruction %u: %s", c->block, c->inst, what);
    else
        snprintf(c->reason, c->size, "block %u: %s", c->block, what);
    return false;
}

/* ---- machines --------------------------------------------------------------------------- */

static bool bad_machine(const struct check *c, const char *what, unsigned number)
{
    snprintf(c->reason, c->size, "machine: %s %u", what, number);
    return false;
}

static uint64_t field_size(const struct wave_field *field)
{
    bool many = field->kind == WAVE_CONSTANT && field->repeat > 1;
    return (uint64_t)field->size * (many ? field->repeat : 1);
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

static bool check_field(const struct check *c, unsigned n)
{
    const struct wave_machine *machine = c->region->machine;
    const struct wave_field *field = &machine->fields[n];
    uint64_t size = field_size(field);
    if (size == 0 || field->offset + size > machine->state_size)
        return bad_machine(c, "a field outside of the state: field", n);
    if (field->kind == WAVE_CONSTANT && (field->size > 8 || (field->size & (field->size - 1)) != 0))
        return bad_machine(c, "a constant of another size than 1, 2, 4 and 8: field", n);
    if (overlap(field->offset, size, machine->frame_field, sizeof(void *)))
        return bad_machine(c, "a field overlaps the pointer to the frame: field", n);
    for (unsigned i = 0; i < n; i++)
        if (overlap(field->offset, size, machine->fields[i].offset,
                    field_size(&machine->fields[i])))
            return bad_machine(c, "a field overlaps another one: field", n);
    return true;
}

static bool check_machine(const struct check *c)
{
    const struct wave_machine *machine = c->region->machine;
    if (!machine || !machine->name || !c->region->name) {
        snprintf(c->reason, c->size, "a region without a machine or a name");
        return false;
    }
    if (machine->state_size > STATE_MAX || c->region->frame_size > FRAME_MAX)
        return bad_machine(c, "a state or a frame is too large: bytes", c->region->frame_size);
    if (c->region->entry_count && machine->entry_field + sizeof(uint32_t) > machine->state_size)
        return bad_machine(c, "the entry's number is not in the state: offset",
                           machine->entry_field);
    if (machine->frame_field + sizeof(void *) > machine->state_size ||
        machine->frame_field % sizeof(void *) != 0)
        return bad_machine(c, "the pointer to the frame is not in the state: offset",
                           machine->frame_field);
    for (unsigned n = 0; n < machine->field_count; n++)
        if (!check_field(c, n))
            return false;
    return true;
}

/* ---- slots ---------------------------------------------------------------------------------- */

static bool check_slot(const struct check *c, const struct wave_slot *slot)
{
    const struct wave_machine *machine = c->region->machine;
    if (slot->base != WAVE_FRAME && slot->base != WAVE_STATE)
        return refuse(c, "a slot of unknown base %d", (int)slot->base);
    uint32_t size = slot->base == WAVE_FRAME ? c->region->frame_size : machine->state_size;
    if (slot->size == 0 || slot->offset > size || slot->size > size - slot->offset)
        return refuse(c, "slot %u:%u is outside of the %s", slot->offset, slot->size,
                      slot->base == WAVE_FRAME ? "frame" : "state");
    if (slot->base == WAVE_FRAME)
        return true;
    if (overlap(slot->offset, slot->size, machine->frame_field, sizeof(void *)))
        return refuse(c, "slot %u:%u overlaps the pointer to the frame", slot->offset, slot->size);
    for (unsigned n = 0; n < machine->field_count; n++)
        if (overlap(slot->offset, slot->size, machine->fields[n].offset,
                    field_size(&machine->fields[n])))
            return refuse(c, "slot %u:%u overlaps field %u", slot->offset, slot->size, n);
    return true;
}

static bool check_slots(const struct check *c, const struct wave_slot *slots, unsigned count)
{
    if (count && !slots)
        return refuse(c, "%u slots, and no list of them", count);
    for (unsigned i = 0; i < count; i++)
        if (!check_slot(c, &slots[i]))
            return false;
    return true;
}

static bool check_overlaps(const struct check *c)
{
    struct wave_slot *slots;
    unsigned count;
    if (!wave_slots_all(c->region, &slots, &count)) {
        snprintf(c->reason, c->size, "no memory");
        return false;
    }
    bool apart = true;
    for (unsigned i = 1; apart && i < count; i++) {
        const struct wave_slot *a = &slots[i - 1], *b = &slots[i];
        apart = a->base != b->base || !overlap(a->offset, a->size, b->offset, b->size);
        if (!apart)
            snprintf(c->reason, c->size, "slots %u:%u and %u:%u of the %s overlap partly",
                     a->offset, a->size, b->offset, b->size,
                     a->base == WAVE_FRAME ? "frame" : "state");
    }
    free(slots);
    return apart;
}

/* ---- instructions, blocks ----------------------------------------------------------------------
 */

static bool check_call(const struct check *c, const char *function, const uint64_t *arguments,
                       unsigned count)
{
    if (!function || !*function)
        return refuse(c, "no function");
    if (count > ARGUMENTS_MAX || (count && !arguments))
        return refuse(c, "%s has %u arguments, of %d at most", function, count, ARGUMENTS_MAX);
    return true;
}

static bool check_inst(const struct check *c, const struct wave_inst *inst)
{
    if ((unsigned)inst->kind > WAVE_GUARD)
        return refuse(c, "unknown kind %d", (int)inst->kind);
    if (inst->kind == WAVE_HANDLER && inst->function)
        return refuse(c, "a handler with the function %s", inst->function);
    if (inst->kind != WAVE_HANDLER &&
        !check_call(c, inst->function, inst->arguments, inst->argument_count))
        return false;
    if (!inst->op)
        return refuse(c, "no op");
    if ((inst->kind == WAVE_ATTEMPT || inst->kind == WAVE_HANDLER) && !inst->next)
        return refuse(c, "no op to continue with");
    return check_slots(c, inst->reads, inst->read_count) &&
           check_slots(c, inst->writes, inst->write_count);
}

static bool check_end(const struct check *c, const struct wave_block *block)
{
    if ((unsigned)block->end > WAVE_LEAVE)
        return refuse(c, "unknown end %d", (int)block->end);
    unsigned least = block->end == WAVE_LEAVE ? 0 : 1;
    unsigned most = block->end == WAVE_BRANCH ? WAVE_TARGETS_MAX : least;
    if (block->target_count < least || block->target_count > most)
        return refuse(c, "%u targets", block->target_count);
    for (unsigned i = 0; i < block->target_count; i++)
        if (block->targets[i] >= c->region->block_count)
            return refuse(c, "target %u of %u blocks", block->targets[i], c->region->block_count);
    if (block->end != WAVE_JUMP && !block->op)
        return refuse(c, "no op where the region is left");
    if (block->end == WAVE_LEAVE && block->comes_back && block->comes_to >= c->region->block_count)
        return refuse(c, "comes to %u of %u blocks", block->comes_to, c->region->block_count);
    if (block->end != WAVE_BRANCH)
        return check_slots(c, block->reads, block->read_count);
    return check_call(c, block->function, block->arguments, block->argument_count) &&
           check_slots(c, block->reads, block->read_count);
}

static bool check_block(struct check *c, unsigned b)
{
    const struct wave_block *block = &c->region->blocks[b];
    c->block = b;
    c->in_inst = true;
    if (block->inst_count && !block->insts)
        return refuse(c, "%u instructions, and no list of them", block->inst_count);
    for (c->inst = 0; c->inst < block->inst_count; c->inst++)
        if (!check_inst(c, &block->insts[c->inst]))
            return false;
    c->in_inst = false;
    return check_end(c, block);
}

static bool check_reached(struct check *c)
{
    unsigned count = c->region->block_count, waiting = 0;
    unsigned *stack = malloc((count + 1) * sizeof *stack);
    bool *reached = calloc(count + 1, sizeof *reached);
    bool all = stack && reached;
    if (!all)
        snprintf(c->reason, c->size, "no memory");
    for (unsigned e = 0; all && e < wave_entry_count(c->region); e++) {
        unsigned block = wave_entry(c->region, e);
        if (!reached[block])
            reached[stack[waiting++] = block] = true;
    }
    while (all && waiting) {
        const struct wave_block *block = &c->region->blocks[stack[--waiting]];
        for (unsigned i = 0; i < block->target_count; i++)
            if (!reached[block->targets[i]])
                reached[stack[waiting++] = block->targets[i]] = true;
    }
    for (c->block = 0; all && c->block < count; c->block++)
        if (!reached[c->block])
            all = refuse(c, "cannot be reached");
    free(stack);
    free(reached);
    return all;
}

static bool check_entries(const struct check *c)
{
    const struct wave_region *region = c->region;
    for (unsigned e = 0; e < region->entry_count; e++)
        if (!region->entries || region->entries[e] >= region->block_count) {
            snprintf(c->reason, c->size, "entry %u is in none of %u blocks", e,
                     region->block_count);
            return false;
        }
    return true;
}

bool wave_verify(const struct wave_region *region, char *out_reason, size_t reason_size)
{
    struct check c = {.region = region, .reason = out_reason, .size = reason_size};
    if (reason_size)
        *out_reason = '\0';
    if (!check_machine(&c))
        return false;
    if (!region->blocks || region->block_count == 0) {
        snprintf(out_reason, reason_size, "a region without blocks");
        return false;
    }
    if (!check_entries(&c))
        return false;
    for (unsigned b = 0; b < region->block_count; b++)
        if (!check_block(&c, b))
            return false;
    return check_reached(&c) && check_overlaps(&c);
}
