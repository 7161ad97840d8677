/* Executes regions both ways (ANYHIP_SIM_JIT=compare), and finds the first instruction whose result
 * differs. */
#include "amdgpu_access.h"
#include "amdgpu_jit.h"
#include "amdgpu_jit_region.h"
#include "sim_memory.h"
#include "sim_report.h"
#include "wave_trace.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
    struct amdgpu_wave *wave, start, after; /* after: as the region has left it */
    size_t size;                            /* of registers of lanes */
    unsigned char *registers;               /* at the start */
    unsigned char *found;                   /* the region's */
    struct wave_trace trace;
    bool notes;  /* stores are noted */
    bool failed; /* an op has, which was reported */
};

static _Atomic(uint64_t) made, differing;

void amdgpu_jit_comparisons(uint64_t *out_made, uint64_t *out_differing)
{
    *out_made = atomic_load(&made);
    *out_differing = atomic_load(&differing);
}

/* ---- what is noted ------------------------------------------------------------------------- */

/* Where an element is; NULL: not in LDS, nor in one piece of global memory. */
static unsigned char *find_element(const struct amdgpu_wave *wave,
                                   const struct amdgpu_places *places, uint64_t at, unsigned bytes)
{
    const struct amdgpu_block *block = wave->block;
    if (places->windows && amdgpu_is_lds(at)) {
        uint32_t offset = (uint32_t)at;
        return offset < block->lds_size && block->lds_size - offset >= bytes ? block->lds + offset
                                                                             : NULL;
    }
    if (places->windows && amdgpu_is_scratch(at))
        return NULL;
    return sim_translate_span(wave->block->dispatch->shape->device, at, bytes, true);
}

static void note_element(struct comparison *c, const struct amdgpu_op *op,
                         const struct amdgpu_places *places, uint64_t at)
{
    unsigned bytes = ((const struct amdgpu_access *)op->effect)->bytes;
    unsigned char *where = find_element(c->wave, places, at, bytes);
    if (where)
        wave_trace_store(&c->trace, op, where, bytes);
    else /* in scratch, or nowhere: this is left to the interpreter */
        c->trace.limited = true;
}

static void note_store(struct comparison *c, const struct amdgpu_op *op)
{
    const struct amdgpu_access *access = op->effect;
    struct amdgpu_places places;
    amdgpu_addresses(c->wave, op, &places);
    for (uint64_t left = amdgpu_exec(c->wave); left; left &= left - 1) {
        uint64_t at = places.at[__builtin_ctzll(left)];
        note_element(c, op, &places, at);
        if (access->scale)
            note_element(c, op, &places,
                         (at & ~(uint64_t)UINT32_MAX) | (uint32_t)(at + amdgpu_second(op)));
    }
}

/* ---- the interpreter ------------------------------------------------------------------------- */

/* The end of a page, or an op that no wave has come to. */
static const struct amdgpu_op *settle(struct comparison *c, const struct amdgpu_op *op)
{
    uint64_t steps = c->wave->steps;
    while (op && !(amdgpu_is_decoded(op) && op->inst)) {
        const struct amdgpu_op *next = op->run(c->wave, op);
        c->wave->steps = steps;
        if (next == op && !op->inst)
            return NULL; /* no instruction */
        op = next;
    }
    return op;
}

/* NULL: this ends what can be executed once more, or it has failed. */
static const struct amdgpu_op *step(struct comparison *c, const struct amdgpu_op *op)
{
    const char *condition;
    bool branches = amdgpu_flow_of(op->inst->row->id, &condition) == AMDGPU_FLOW_BRANCH;
    bool back = branches && op->offset_bytes < 0;
    if (c->trace.limited || !amdgpu_repeats(op))
        return NULL;
    wave_trace_op(&c->trace, op);
    if (c->notes && amdgpu_is_plain_store(op))
        note_store(c, op);
    if (c->trace.limited)
        return NULL;
    const struct amdgpu_op *next = amdgpu_jit_handler(op)(c->wave, op);
    c->failed = !next;
    bool leaves = back && c->wave->left <= 0 && next != amdgpu_next(op);
    c->wave->left--;
    return leaves ? NULL : next;
}

/* As far as it goes. */
static void go_ahead(struct comparison *c, const struct amdgpu_op *op)
{
    c->notes = true;
    while ((op = settle(c, op)))
        op = step(c, op);
    c->notes = false;
}

/* To where the region was left. False: the interpreter does not come there. */
static bool follow(struct comparison *c, const struct amdgpu_op *op, const struct amdgpu_op *left)
{
    c->trace.op_count = 0;
    while (op && (op != left || c->wave->left != c->after.left)) {
        op = settle(c, op);
        if (op == left && op && c->wave->left == c->after.left)
            break;
        op = op ? step(c, op) : NULL;
    }
    return op;
}

/* ---- states ---------------------------------------------------------------------------------- */

static void go_back(struct comparison *c)
{
    wave_trace_undo(&c->trace);
    *c->wave = c->start;
    memcpy(c->wave->v, c->registers, c->size);
}

static uint32_t word_at(const unsigned char *bytes, size_t offset)
{
    uint32_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

/* Where both have a NaN, the region has what the interpreter has. The upper half of a value of 64
 * bits is so many bytes behind the lower. */
static void forgive_nans(unsigned char *found, const unsigned char *expected, size_t size,
                         size_t upper)
{
    for (size_t i = 0; i + sizeof(uint32_t) <= size; i += sizeof(uint32_t)) {
        bool pair = i + upper + sizeof(uint32_t) <= size;
        if (amdgpu_is_same(word_at(found, i), word_at(expected, i)) ||
            (pair && amdgpu_are_nans(word_at(found, i + upper), word_at(expected, i + upper))))
            memcpy(found + i, expected + i, sizeof(uint32_t));
    }
}

/* ---- differences ------------------------------------------------------------------------------
 */

/* op: whose result it is; NULL: of none that was executed. */
static void report(const struct comparison *c, const struct amdgpu_op *op, const char *what)
{
    struct sim_report text = {.length = 0};
    struct amdgpu_wave at = c->start;
    if (op) {
        at.next = op;
        at.page = amdgpu_page_of(op);
    }
    sim_report_add(&text, "Compiled code differs from the interpreter ");
    amdgpu_report_place(&at, &text);
    sim_report_add(&text, ": wave %u, %s", c->wave->number, what);
    sim_report_log(&text);
}

static unsigned writes_of(void *data, const void *op, struct wave_slot *out_slots)
{
    (void)data;
    return amdgpu_writes(op, out_slots, WAVE_WRITES_MAX);
}

static bool find_register(struct comparison *c)
{
    struct amdgpu_wave *wave = c->wave;
    const struct wave_images images = {
        .found = {[WAVE_FRAME] = c->found, [WAVE_STATE] = (const unsigned char *)&c->after},
        .expected = {[WAVE_FRAME] = (const unsigned char *)wave->v,
                     [WAVE_STATE] = (const unsigned char *)wave}};
    struct wave_slot slot;
    const void *op;
    char what[160];
    forgive_nans(c->found, images.expected[WAVE_FRAME], c->size, wave->lanes * sizeof(uint32_t));
    if (memcmp(c->found, wave->v, c->size) == 0 &&
        memcmp(c->after.s, wave->s, sizeof wave->s) == 0 && c->after.scc == wave->scc)
        return false;
    if (!wave_trace_slot(&c->trace, &images, writes_of, c, &op, &slot)) {
        report(c, NULL, "a register that nothing has written");
        return true;
    }
    wave_describe_difference(&images, &slot, slot.base == WAVE_FRAME ? wave->lanes : 1, what,
                             sizeof what);
    report(c, op, what);
    return true;
}

static bool find_store(struct comparison *c)
{
    for (unsigned i = 0; i < c->trace.store_count; i++) {
        struct wave_store *store = &c->trace.stores[i];
        forgive_nans(store->found, store->where, store->size, sizeof(uint32_t));
    }
    const struct amdgpu_op *op = wave_trace_differing_store(&c->trace);
    if (op)
        report(c, op, "what is stored");
    return op;
}

/* ---- both ways ---------------------------------------------------------------------------------
 */

/* The region has been executed, and everything but what was found is as at the start. Returns the
 * op to go on with. */
static const struct amdgpu_op *check(struct comparison *c, const struct amdgpu_op *op,
                                     const struct amdgpu_op *left, bool *out_differs)
{
    atomic_fetch_add(&made, 1);
    bool same_way = left && follow(c, op, left);
    if (!same_way) {
        go_back(c);
        report(c, left, "the interpreter does not come there");
        left = op;
    }
    *out_differs = !same_way || find_register(c) || find_store(c);
    atomic_fetch_add(&differing, *out_differs);
    return left;
}

const struct amdgpu_op *amdgpu_compare(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                       jit_code code, bool *out_differs)
{
    struct comparison c = {.wave = wave, .start = *wave};
    const struct amdgpu_op *left = op;
    c.size = (wave->vgprs + wave->agprs) * wave->lanes * sizeof *wave->v;
    c.registers = malloc(2 * c.size + 1);
    c.found = c.registers + c.size;
    *out_differs = false;
    if (!c.registers)
        return op;
    memcpy(c.registers, wave->v, c.size);
    go_ahead(&c, op);
    if (!c.failed)
        go_back(&c);
    if (!c.failed && !c.trace.limited) {
        left = code(wave);
        c.after = *wave;
        memcpy(c.found, wave->v, c.size);
        wave_trace_keep(&c.trace);
        go_back(&c);
        left = check(&c, op, left, out_differs);
    }
    free(c.registers);
    wave_trace_fini(&c.trace);
    return c.failed ? NULL : left;
}
