/* Liveness of slots over the ops of a function, backwards until nothing changes. */
#include "ptx_live.h"
#include "ptx_handlers.h"
#include "ptx_region.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERED_BY = 4, BYTES_MAX = 32 << 20 };

struct ptx_live {
    const struct ptx_code *code;
    bool nans;
    uint32_t *numbers; /* of the slot at each offset / NUMBERED_BY; 0: none */
    uint32_t slot_count, slot_capacity;
    struct wave_slot *slots; /* by number, less one */
    size_t words;            /* of a set */
    uint64_t *sets;          /* live before each op */
};

static bool add_slot(struct ptx_live *live, const struct wave_slot *slot)
{
    uint32_t *number = &live->numbers[slot->offset / NUMBERED_BY];
    if (*number)
        return true;
    if (live->slot_count == live->slot_capacity) {
        uint32_t capacity = 2 * live->slot_capacity + 64;
        struct wave_slot *slots = realloc(live->slots, capacity * sizeof *slots);
        if (!slots)
            return false;
        live->slots = slots;
        live->slot_capacity = capacity;
    }
    live->slots[live->slot_count++] = *slot;
    *number = live->slot_count;
    return true;
}

static uint32_t number_of(const struct ptx_live *live, uint32_t offset)
{
    return live->numbers[offset / NUMBERED_BY];
}

/* What the op does as an instruction of a region, but for calls and the like: they read everything.
 */
static bool form_of(const struct ptx_live *live, const struct ptx_op *op, struct ptx_form *form)
{
    *form = (struct ptx_form){0};
    if (op->run == ptx_run_branch || op->run == ptx_run_branch_back || op->run == ptx_run_guard) {
        ptx_form_read(form, op->a, sizeof(uint32_t));
        return true;
    }
    if (op->run == ptx_run_branch_indexed) {
        ptx_form_read(form, op->a, PTX_LANES * sizeof(uint32_t));
        return true;
    }
    if (op->run == ptx_run_jump || op->run == ptx_run_jump_back || op->run == ptx_run_unguard)
        return true;
    if (op->run == ptx_run_exit)
        return true;
    if (op->run == ptx_run_barrier) {
        const struct ptx_barrier_op *barrier = op->extra;
        ptx_form_read(form, barrier->number, PTX_LANES * sizeof(uint32_t));
        ptx_form_read(form, barrier->count, PTX_LANES * sizeof(uint32_t));
        if (barrier->action != PTX_BAR_SYNC && barrier->action != PTX_BAR_ARRIVE)
            ptx_form_read(form, barrier->predicate, sizeof(uint32_t));
        return true;
    }
    return ptx_form_of(live->code, op, form) && !form->any;
}

static bool number_slots(struct ptx_live *live)
{
    struct ptx_form form;
    for (uint32_t i = 0; i < live->code->op_count; i++) {
        if (!form_of(live, &live->code->ops[i], &form))
            continue;
        for (unsigned s = 0; s < form.read_count; s++)
            if (!add_slot(live, &form.reads[s]))
                return false;
        for (unsigned s = 0; s < form.write_count; s++)
            if (!add_slot(live, &form.writes[s]))
                return false;
    }
    return true;
}

static uint64_t *set_of(const struct ptx_live *live, const struct ptx_op *op)
{
    return live->sets + (size_t)(op - live->code->ops) * live->words;
}

static void add_set(const struct ptx_live *live, uint64_t *to, const struct ptx_op *op)
{
    const uint64_t *from = set_of(live, op);
    for (size_t w = 0; w < live->words; w++)
        to[w] |= from[w];
}

/* What is live behind an op. */
static void add_next(const struct ptx_live *live, const struct ptx_op *op, uint64_t *to)
{
    bool jumps = op->run == ptx_run_jump || op->run == ptx_run_jump_back;
    bool branches =
        op->run == ptx_run_branch || op->run == ptx_run_branch_back || op->run == ptx_run_guard;
    if (jumps || branches)
        add_set(live, to, op->target);
    if (op->run == ptx_run_branch_indexed) {
        const struct ptx_targets *targets = op->extra;
        for (unsigned t = 0; t < targets->count; t++)
            add_set(live, to, targets->ops[t]);
    } else if (!jumps && op->run != ptx_run_exit &&
               op + 1 < live->code->ops + live->code->op_count) {
        add_set(live, to, op + 1);
    }
}

static bool has(const uint64_t *set, uint32_t number)
{
    return set[number / 64] >> number % 64 & 1;
}

/* Whether a read does not count. result: whether that of the op is in the set. */
static bool is_passed_over(const struct ptx_live *live, const struct ptx_form *form, unsigned read,
                           bool result)
{
    bool copied = form->copies && form->reads[read].size == PTX_LANES * sizeof(uint32_t);
    return live->nans && ((form->numbers >> read & 1) || (copied && !result));
}

/* Returns whether the set before the op has changed. guarded: others keep what they have. */
static bool flow_back(struct ptx_live *live, const struct ptx_op *op, bool guarded, uint64_t *set)
{
    struct ptx_form form;
    memset(set, 0, live->words * sizeof *set);
    add_next(live, op, set);
    if (form_of(live, op, &form)) {
        bool result = form.write_count && has(set, number_of(live, form.writes[0].offset));
        for (unsigned s = 0; s < form.write_count && !guarded; s++) {
            uint32_t number = number_of(live, form.writes[s].offset);
            set[number / 64] &= ~(UINT64_C(1) << number % 64);
        }
        for (unsigned s = 0; s < form.read_count; s++) {
            uint32_t number = number_of(live, form.reads[s].offset);
            if (!is_passed_over(live, &form, s, result))
                set[number / 64] |= UINT64_C(1) << number % 64;
        }
    } else {
        memset(set, 0xff, live->words * sizeof *set);
    }
    uint64_t *old = set_of(live, op);
    bool changed = memcmp(old, set, live->words * sizeof *set) != 0;
    memcpy(old, set, live->words * sizeof *set);
    return changed;
}

static bool solve(struct ptx_live *live)
{
    enum { ROUNDS_MAX = 64 };
    uint64_t *set = malloc(live->words * sizeof *set);
    bool changed = set != NULL;
    for (unsigned round = 0; changed && round < ROUNDS_MAX; round++) {
        bool guarded = false;
        changed = false;
        for (uint32_t i = live->code->op_count; i-- > 0;) {
            const struct ptx_op *op = &live->code->ops[i];
            guarded = op->run == ptx_run_unguard || (guarded && op->run != ptx_run_guard);
            changed |= flow_back(live, op, guarded, set);
        }
    }
    free(set);
    return set && !changed;
}

static struct ptx_live *create(const struct ptx_code *code, bool nans)
{
    struct ptx_live *live = calloc(1, sizeof *live);
    if (!live)
        return NULL;
    live->code = code;
    live->nans = nans;
    live->numbers = calloc(code->frame_size / NUMBERED_BY + 1, sizeof *live->numbers);
    bool numbered = live->numbers && number_slots(live);
    live->words = live->slot_count / 64 + 1;
    if (numbered && (uint64_t)live->words * 8 * code->op_count < BYTES_MAX)
        live->sets = calloc((size_t)code->op_count * live->words, sizeof *live->sets);
    if (live->sets && solve(live))
        return live;
    ptx_live_destroy(live);
    return NULL;
}

struct ptx_live *ptx_live_create(const struct ptx_code *code)
{
    return create(code, false);
}

struct ptx_live *ptx_live_create_nans(const struct ptx_code *code)
{
    return create(code, true);
}

void ptx_live_destroy(struct ptx_live *live)
{
    if (!live)
        return;
    free(live->numbers);
    free(live->slots);
    free(live->sets);
    free(live);
}

bool ptx_live_at(const struct ptx_live *live, const struct ptx_op *op, uint32_t offset)
{
    uint32_t number = live->numbers[offset / NUMBERED_BY];
    return number == 0 || has(set_of(live, op), number);
}

const struct wave_slot *ptx_live_slots(const struct ptx_live *live, unsigned *out_count)
{
    *out_count = live->slot_count;
    return live->slots;
}
