/* Runs the fragments of a warp: which one runs next, where they reconverge, how lanes wait for each
 * other, and the frames of the functions that they are in.
 *
 * The fragment that is furthest behind runs first, so that lanes reconverge where their paths join.
 * A fragment in a loop that may wait for another one yields after a while, until all have run: a
 * lane that spins cannot starve the one that it waits for. Other loops run to their end, however
 * long that takes. */
#include "ptx_warp.h"
#include "ptx_jit.h"

#include "sim_options.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHARE = 20000,      /* steps of loops that may wait, before others go ahead */
    NEXT_SHARE = 500,   /* and when they have */
    PATIENCE = 1 << 20, /* steps of any loop, in which a wait may be hidden */
};

/* ---- masks ------------------------------------------------------------------------- */

typedef int32_t four_lanes __attribute__((vector_size(16)));

void ptx_warp_mask(struct ptx_warp *warp, uint32_t mask)
{
    four_lanes *lanes = (four_lanes *)(void *)warp->lanes;
    warp->whole = mask == warp->alive;
    if (warp->mask == mask)
        return;
    warp->mask = mask;
    for (unsigned i = 0; i < PTX_LANES / 4; i++) {
        int32_t part = (int32_t)(mask >> (4 * i));
        four_lanes bits = {part & 1, part & 2, part & 4, part & 8};
        lanes[i] = bits != 0;
    }
}

/* ---- order of fragments ------------------------------------------------------------------- */

struct place {
    const struct ptx_op *op;
    const struct ptx_frame *frame;
};

static unsigned order_of(const struct ptx_code *code, const struct ptx_op *op)
{
    return code->orders[op - code->ops];
}

static int compare_ops(const struct ptx_code *code, const struct ptx_op *a, const struct ptx_op *b)
{
    unsigned x = order_of(code, a), y = order_of(code, b);
    if (x != y)
        return x < y ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void step_out(struct place *place)
{
    place->op = place->frame->call;
    place->frame = place->frame->caller;
}

/* Less than 0: a is behind b. Places are compared in the innermost activation that
 * both are in; one within a call is beyond the call. */
static int compare(struct place a, struct place b)
{
    unsigned out_a = 0, out_b = 0;
    int inner = 0; /* within different activations of one function */
    while (a.frame != b.frame) {
        bool step_a = a.frame->depth >= b.frame->depth, step_b = b.frame->depth >= a.frame->depth;
        if (step_a && step_b && a.frame->code == b.frame->code)
            inner = compare_ops(a.frame->code, a.op, b.op);
        if (step_a) {
            step_out(&a);
            out_a++;
        }
        if (step_b) {
            step_out(&b);
            out_b++;
        }
    }
    int result = compare_ops(a.frame->code, a.op, b.op);
    if (result == 0 && (out_a == 0 || out_b == 0))
        return (out_a != 0) - (out_b != 0);
    return result ? result : inner;
}

static struct place place_of(const struct ptx_fragment *fragment)
{
    return (struct place){fragment->op, fragment->frame};
}

static bool is_ready(const struct ptx_fragment *fragment)
{
    return fragment->wait == PTX_WAIT_NONE;
}

static bool is_at(const struct ptx_fragment *fragment, const struct ptx_op *op,
                  const struct ptx_frame *frame)
{
    return fragment->op == op && fragment->frame == frame;
}

/* ---- the list of fragments -------------------------------------------------------------- */

static struct ptx_fragment *new_fragment(struct ptx_wave *wave)
{
    struct ptx_fragment *fragment = wave->unused; /* never more than lanes */
    wave->unused = fragment->next;
    return fragment;
}

static void free_fragment(struct ptx_wave *wave, struct ptx_fragment *fragment)
{
    fragment->next = wave->unused;
    wave->unused = fragment;
}

static void push(struct ptx_warp *warp, struct ptx_fragment *fragment)
{
    fragment->next = warp->fragments;
    warp->fragments = fragment;
}

static void unlink_fragment(struct ptx_warp *warp, struct ptx_fragment *fragment)
{
    struct ptx_fragment **link = &warp->fragments;
    while (*link != fragment)
        link = &(*link)->next;
    *link = fragment->next;
}

/* Takes the fragments at a place out of the list; returns their lanes. */
static uint32_t merge_fragments(struct ptx_wave *wave, const struct ptx_op *op,
                                const struct ptx_frame *frame, enum ptx_wait wait)
{
    uint32_t lanes = 0;
    struct ptx_fragment **link = &wave->warp.fragments;
    while (*link) {
        struct ptx_fragment *fragment = *link;
        if (fragment->wait != wait || !is_at(fragment, op, frame)) {
            link = &fragment->next;
            continue;
        }
        *link = fragment->next;
        lanes |= fragment->mask;
        free_fragment(wave, fragment);
    }
    return lanes;
}

void ptx_warp_add(struct ptx_warp *warp, uint32_t mask, const struct ptx_op *op,
                  struct ptx_frame *frame)
{
    for (struct ptx_fragment *f = warp->fragments; f; f = f->next)
        if (is_ready(f) && is_at(f, op, frame)) {
            f->mask |= mask;
            return;
        }
    struct ptx_fragment *fragment = new_fragment(ptx_wave_of(warp));
    *fragment = (struct ptx_fragment){.mask = mask, .op = op, .frame = frame};
    push(warp, fragment);
}

/* The running fragment goes to the list. */
static struct ptx_fragment *park(struct ptx_warp *warp, const struct ptx_op *op)
{
    struct ptx_fragment *fragment = warp->fragment;
    fragment->mask = warp->mask;
    fragment->op = op;
    push(warp, fragment);
    warp->fragment = NULL;
    ptx_wave_of(warp)->stop = PTX_STOP_SWITCH;
    return fragment;
}

const struct ptx_op *ptx_warp_retire(struct ptx_warp *warp)
{
    free_fragment(ptx_wave_of(warp), warp->fragment);
    warp->fragment = NULL;
    ptx_wave_of(warp)->stop = PTX_STOP_SWITCH;
    return NULL;
}

static bool any_ready(const struct ptx_warp *warp)
{
    for (const struct ptx_fragment *f = warp->fragments; f; f = f->next)
        if (is_ready(f))
            return true;
    return false;
}

/* Takes what the running fragment has used from what there is. */
static void charge(struct ptx_wave *wave)
{
    int used = wave->slice - wave->warp.budget;
    wave->left -= used;
    wave->share -= used;
    wave->slice = wave->warp.budget;
}

static void mark_yielded(struct ptx_wave *wave, struct ptx_fragment *fragment)
{
    fragment->yielded = true;
    wave->uneven = true;
    wave->share = NEXT_SHARE;
}

/* Those of fragments that ran before, too. */
static void note_steps(struct ptx_wave *wave, const struct ptx_op *op)
{
    struct ptx_warp *warp = &wave->warp;
    if (warp->steps > wave->noted)
        ptx_jit_loop(warp->fragment->frame->code, op, warp->launch, warp->steps - wave->noted);
    wave->noted = warp->steps;
}

const struct ptx_op *ptx_warp_yield(struct ptx_warp *warp, const struct ptx_op *op, bool spins)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    note_steps(wave, op);
    wave->rests = spins && !any_ready(warp);
    charge(wave);
    struct ptx_fragment *fragment = park(warp, op);
    if (wave->share <= (spins || wave->uneven ? 0 : -PATIENCE))
        mark_yielded(wave, fragment);
    return NULL;
}

const struct ptx_op *ptx_warp_sleep(struct ptx_warp *warp, const struct ptx_op *op)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    bool alone = !any_ready(warp);
    charge(wave);
    mark_yielded(wave, park(warp, op));
    if (alone)
        wave->stop = PTX_STOP_REST;
    return NULL;
}

const struct ptx_op *ptx_warp_wait(struct ptx_warp *warp, const struct ptx_op *op,
                                   enum ptx_wait wait)
{
    park(warp, op)->wait = wait;
    return NULL;
}

const struct ptx_op *ptx_warp_reconverge(struct ptx_warp *warp, const struct ptx_op *op)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    struct ptx_frame *frame = warp->fragment->frame;
    uint32_t here = merge_fragments(wave, op, frame, PTX_WAIT_NONE);
    if (here)
        ptx_warp_mask(warp, warp->mask | here);
    bool ready = false;
    for (const struct ptx_fragment *f = warp->fragments; f; f = f->next) {
        if (!is_ready(f))
            continue;
        ready = true;
        if (!f->yielded && compare(place_of(f), (struct place){op, frame}) < 0) {
            park(warp, op);
            return NULL;
        }
    }
    if (!ready || --warp->budget > 0)
        return op;
    return ptx_warp_yield(warp, op, false);
}

uint32_t ptx_warp_take(struct ptx_warp *warp, const struct ptx_op *op, struct ptx_frame *frame)
{
    return merge_fragments(ptx_wave_of(warp), op, frame, PTX_WAIT_NONE);
}

/* ---- running ------------------------------------------------------------------------------ */

static struct ptx_fragment *furthest_behind(const struct ptx_warp *warp)
{
    struct ptx_fragment *best = NULL;
    for (struct ptx_fragment *f = warp->fragments; f; f = f->next)
        if (is_ready(f) && !f->yielded && (!best || compare(place_of(f), place_of(best)) < 0))
            best = f;
    return best;
}

__attribute__((noinline)) static struct ptx_fragment *pick_of_many(struct ptx_wave *wave)
{
    struct ptx_warp *warp = &wave->warp;
    struct ptx_fragment *best = furthest_behind(warp);
    if (!best) {
        for (struct ptx_fragment *f = warp->fragments; f; f = f->next)
            f->yielded = false;
        best = furthest_behind(warp);
    }
    if (!best)
        return NULL;
    unlink_fragment(warp, best);
    if (warp->fragments)
        best->mask |= merge_fragments(wave, best->op, best->frame, PTX_WAIT_NONE);
    return best;
}

/* What little is executed between barriers takes as long as this and what follows. */
#define INLINED static inline __attribute__((always_inline))

/* The fragment to run, out of the list; NULL: all wait, or have ended. */
INLINED struct ptx_fragment *pick(struct ptx_wave *wave)
{
    struct ptx_fragment *only = wave->warp.fragments;
    if (!only || only->next || !is_ready(only))
        return only ? pick_of_many(wave) : NULL;
    wave->warp.fragments = NULL;
    return only;
}

INLINED void use_frame(struct ptx_warp *warp, struct ptx_frame *frame)
{
    warp->fragment->frame = frame;
    warp->regs = frame->regs;
    warp->local_offset = frame->local_offset;
}

INLINED void give_slice(struct ptx_wave *wave)
{
    wave->slice = wave->left;
    if (wave->uneven && wave->slice > wave->share)
        wave->slice = wave->share > 0 ? wave->share : 1;
    wave->warp.budget = wave->slice;
    wave->stop = PTX_STOP_BUG;
}

INLINED const struct ptx_op *resume(struct ptx_wave *wave, struct ptx_fragment *fragment)
{
    struct ptx_warp *warp = &wave->warp;
    warp->fragment = fragment;
    fragment->yielded = false;
    use_frame(warp, fragment->frame);
    warp->whole = fragment->mask == warp->alive;
    if (warp->mask != fragment->mask)
        ptx_warp_mask(warp, fragment->mask);
    if (!warp->fragments || !any_ready(warp)) {
        wave->uneven = false;
        wave->share = SHARE;
    }
    give_slice(wave);
    return fragment->op;
}

const struct ptx_op *ptx_warp_next(struct ptx_warp *warp)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    charge(wave);
    return resume(wave, pick(wave));
}

struct sim_span *ptx_warp_spans(void)
{
    static _Thread_local struct sim_span spans[PTX_SPANS];
    return spans;
}

static void begin_run(struct ptx_wave *wave, unsigned budget, struct sim_span *spans)
{
    wave->warp.spans = spans;
    wave->left = budget > 0 && budget < INT32_MAX ? (int)budget : 1;
}

static enum sim_wave without_fragment(const struct ptx_warp *warp)
{
    return warp->alive ? SIM_WAVE_WAITS : SIM_WAVE_ENDED;
}

/* No fragment runs any more. Returns whether another one is to run, and if not, the state. */
static bool goes_on(struct ptx_wave *wave, enum sim_wave *out_state)
{
    charge(wave);
    *out_state = wave->stop == PTX_STOP_REST     ? SIM_WAVE_RESTS
                 : wave->stop != PTX_STOP_SWITCH ? SIM_WAVE_FAILED
                 : wave->rests                   ? SIM_WAVE_SPINS
                                                 : SIM_WAVE_READY;
    return wave->stop == PTX_STOP_SWITCH && (wave->left > 0 || !any_ready(&wave->warp));
}

enum sim_wave ptx_warp_run(struct ptx_wave *wave, unsigned budget)
{
    struct ptx_warp *warp = &wave->warp;
    enum sim_wave state = SIM_WAVE_READY;
    begin_run(wave, budget, ptx_warp_spans());
    do {
        if (sim_run_cancelled(&warp->launch->run))
            return SIM_WAVE_READY;
        struct ptx_fragment *fragment = pick(wave);
        if (!fragment)
            return without_fragment(warp);
        const struct ptx_op *op = resume(wave, fragment);
        while (op)
            op = ptx_op_handler(op)(warp, op);
    } while (goes_on(wave, &state));
    return state;
}

enum sim_wave ptx_warp_run_to_barrier(struct ptx_wave *wave, unsigned budget,
                                      struct sim_span *spans, const struct ptx_op **at)
{
    struct ptx_warp *warp = &wave->warp;
    const struct ptx_op *op = *at;
    enum sim_wave state = SIM_WAVE_READY;
    *at = NULL;
    begin_run(wave, budget, spans);
    if (op)
        give_slice(wave);
    do {
        if (!op) {
            struct ptx_fragment *fragment = pick(wave);
            if (!fragment)
                return without_fragment(warp);
            op = resume(wave, fragment);
        }
        ptx_handler run;
        while (op && ((run = ptx_op_handler(op)) != ptx_run_barrier || warp->mask != warp->alive))
            op = run(warp, op);
        if (op) {
            *at = op;
            return SIM_WAVE_READY;
        }
    } while (goes_on(wave, &state));
    return state;
}

void ptx_warp_park_at(struct ptx_wave *wave, const struct ptx_op *op)
{
    park(&wave->warp, op);
}

void ptx_warp_prepare(struct ptx_wave *wave)
{
    struct ptx_warp *warp = &wave->warp;
    wave->unused = NULL;
    wave->strict = sim_options()->checks & SIM_CHECK_SYNC;
    warp->waiting = wave->waiting;
    warp->apart = 0;
    memset(wave->waiting, 0, sizeof wave->waiting);
    for (unsigned i = PTX_LANES; i-- > 0;)
        free_fragment(wave, &wave->pool[i]);
    warp->alive = UINT32_MAX;
    warp->regs = wave->frame.regs;
    ptx_warp_mask(warp, UINT32_MAX);
    for (const struct ptx_op *op = wave->frame.code->once; op->run;)
        op = op->run(warp, op);
}

void ptx_warp_start(struct ptx_wave *wave, uint32_t mask)
{
    struct ptx_warp *warp = &wave->warp;
    warp->alive = wave->started = mask;
    warp->carry = 0;
    warp->steps = wave->noted = 0;
    warp->fragment = warp->fragments = NULL;
    wave->rests = wave->uneven = false;
    wave->share = SHARE;
    wave->cluster_pending = 0;
    if (wave->strict)
        memset(wave->arrived, 0, sizeof wave->arrived);
    ptx_warp_add(warp, mask, wave->frame.code->ops, &wave->frame);
}

/* ---- frames -------------------------------------------------------------------------------- */

static struct ptx_frame *new_frame(struct ptx_wave *wave, const struct ptx_code *code)
{
    size_t head = (sizeof(struct ptx_frame_chunk) + sizeof(struct ptx_frame) + 63) / 64 * 64;
    size_t size = (head + code->frame_size + 63) / 64 * 64;
    unsigned char *memory = aligned_alloc(64, size);
    if (!memory)
        return NULL;
    memset(memory, 0, size);
    struct ptx_frame_chunk *chunk = (struct ptx_frame_chunk *)(void *)memory;
    chunk->next = wave->chunks;
    wave->chunks = chunk;
    struct ptx_frame *frame = (struct ptx_frame *)(void *)(chunk + 1);
    frame->code = code;
    frame->regs = memory + head;
    memcpy(frame->regs + code->constants_offset, code->constants, code->constants_size);
    return frame;
}

static struct ptx_frame *take_frame(struct ptx_wave *wave, const struct ptx_code *code)
{
    if (!wave->frames)
        wave->frames = calloc(code->table->count, sizeof(struct ptx_frame *));
    if (!wave->frames)
        return NULL;
    struct ptx_frame *frame = wave->frames[code->number];
    if (!frame)
        return new_frame(wave, code);
    wave->frames[code->number] = frame->next;
    return frame;
}

struct ptx_frame *ptx_warp_enter(struct ptx_warp *warp, const struct ptx_op *call,
                                 const struct ptx_code *code)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    struct ptx_frame *caller = warp->fragment->frame;
    unsigned lane = (unsigned)__builtin_ctz(warp->mask);
    size_t offset = caller->local_offset + caller->code->local_size;
    if (offset + code->local_size > warp->local_stride) {
        ptx_fault(warp, call, lane, PTX_END_STACK,
                  "out of stack: %zu bytes of local memory, %u calls deep", warp->local_stride,
                  caller->depth + 1);
        return NULL;
    }
    struct ptx_frame *frame = take_frame(wave, code);
    if (!frame) {
        ptx_fault(warp, call, lane, PTX_END_NO_MEMORY, "no memory for the registers of %s",
                  code->function->symbol->name);
        return NULL;
    }
    frame->local_offset = offset;
    frame->caller = caller;
    frame->call = call;
    frame->lanes = warp->mask;
    frame->depth = caller->depth + 1;
    use_frame(warp, frame);
    return frame;
}

static void leave_frame(struct ptx_wave *wave, struct ptx_frame *frame, uint32_t lanes)
{
    frame->lanes &= ~lanes;
    if (frame->lanes)
        return;
    unsigned number = frame->code->number;
    frame->next = wave->frames[number];
    wave->frames[number] = frame;
}

void ptx_warp_return(struct ptx_warp *warp)
{
    struct ptx_frame *frame = warp->fragment->frame, *caller = frame->caller;
    leave_frame(ptx_wave_of(warp), frame, warp->mask);
    use_frame(warp, caller);
}

const struct ptx_op *ptx_warp_exit(struct ptx_warp *warp)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    uint32_t lanes = warp->mask;
    unsigned count = ptx_count_lanes(lanes);
    for (struct ptx_frame *f = warp->fragment->frame; f->caller;) {
        struct ptx_frame *caller = f->caller;
        leave_frame(wave, f, lanes);
        f = caller;
    }
    warp->alive &= ~lanes;
    warp->block->alive -= count;
    if (wave->cluster_pending & lanes)
        warp->block->cluster.arrived -= ptx_count_lanes(wave->cluster_pending & lanes);
    wave->cluster_pending &= ~lanes;
    /* Fragments that wait for these lanes check again. */
    for (struct ptx_fragment *f = warp->fragments; f; f = f->next)
        if (f->wait == PTX_WAIT_LANES)
            f->wait = PTX_WAIT_NONE;
    ptx_barrier_exit(warp->block);
    return ptx_warp_retire(warp);
}

void ptx_warp_fini(struct ptx_wave *wave)
{
    while (wave->chunks) {
        struct ptx_frame_chunk *next = wave->chunks->next;
        free(wave->chunks);
        wave->chunks = next;
    }
    free(wave->frames);
    wave->frames = NULL;
}

/* ---- lanes that wait for each other --------------------------------------------------------- */

static bool is_warp_barrier(const struct ptx_op *op)
{
    return op->run == ptx_run_warp_barrier;
}

/* Every lane has to name itself; where that is checked, none that has ended. */
static bool members_are_valid(struct ptx_warp *warp, const struct ptx_op *op,
                              const uint32_t *members)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    uint32_t ended = wave->started & ~warp->alive;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (!(members[lane] >> lane & 1)) {
            ptx_fault(warp, op, lane, PTX_END_ILLEGAL_INSTRUCTION,
                      "lane %u is not in its own member mask 0x%08x", lane, members[lane]);
            return false;
        }
        if (wave->strict && members[lane] & ended) {
            ptx_fault(warp, op, lane, PTX_END_ILLEGAL_INSTRUCTION,
                      "member mask 0x%08x names lanes 0x%08x, which have ended", members[lane],
                      members[lane] & ended);
            return false;
        }
    }
    return true;
}

/* Lanes that wait at other warp barriers, for one of these. */
static uint32_t lanes_at_barriers(const struct ptx_warp *warp)
{
    uint32_t lanes = 0;
    for (const struct ptx_fragment *f = warp->fragments; f; f = f->next)
        if (f->wait == PTX_WAIT_LANES && is_warp_barrier(f->op))
            lanes |= f->mask;
    return lanes;
}

/* Fragments of members that wait continue after their barrier operations. */
static void release_barriers(struct ptx_warp *warp, uint32_t members)
{
    for (struct ptx_fragment *f = warp->fragments; f; f = f->next)
        if (f->wait == PTX_WAIT_LANES && (f->mask & ~members) == 0 && is_warp_barrier(f->op)) {
            f->wait = PTX_WAIT_NONE;
            f->op++;
        }
}

static bool gather(struct ptx_warp *warp, const struct ptx_op *op, const uint32_t *members)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    struct ptx_frame *frame = warp->fragment->frame;
    if (!members_are_valid(warp, op, members))
        return false;
    uint32_t more = merge_fragments(wave, op, frame, PTX_WAIT_LANES) |
                    merge_fragments(wave, op, frame, PTX_WAIT_NONE);
    if (more)
        ptx_warp_mask(warp, warp->mask | more);
    bool barrier = is_warp_barrier(op);
    uint32_t elsewhere = barrier ? lanes_at_barriers(warp) : 0, complete = 0, named = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (members[lane] & warp->alive & ~(warp->mask | elsewhere))
            continue;
        complete |= 1u << lane;
        named |= members[lane];
    }
    if (!complete) {
        warp->fragment->members = members[__builtin_ctz(warp->mask)];
        ptx_warp_wait(warp, op, PTX_WAIT_LANES);
        return false;
    }
    if (elsewhere)
        release_barriers(warp, named);
    if (complete != warp->mask) {
        struct ptx_fragment *rest = new_fragment(wave);
        *rest = (struct ptx_fragment){
            .mask = warp->mask & ~complete, .wait = PTX_WAIT_LANES, .op = op, .frame = frame};
        rest->members = members[__builtin_ctz(rest->mask)];
        push(warp, rest);
        ptx_warp_mask(warp, complete);
    }
    return true;
}

bool ptx_warp_gather(struct ptx_warp *warp, const struct ptx_op *op, uint32_t members_slot)
{
    const uint32_t *members = (const uint32_t *)(const void *)(warp->regs + members_slot);
    uint32_t first = members[__builtin_ctz(warp->mask)], differ = 0;
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        differ |= (members[lane] ^ first) & (uint32_t)warp->lanes[lane];
    if (!differ && (first & warp->alive) == warp->mask && !ptx_wave_of(warp)->strict)
        return true;
    return gather(warp, op, members);
}

/* Of another fragment that waits at a barrier of that kind; NULL: there is none. */
static const struct ptx_fragment *at_another_barrier(const struct ptx_warp *warp,
                                                     const struct ptx_op *op)
{
    for (const struct ptx_fragment *f = warp->fragments; f; f = f->next)
        if (!is_ready(f) && f->op != op && ptx_barrier_is_aligned(f->op))
            return f;
    return NULL;
}

bool ptx_warp_align(struct ptx_warp *warp, const struct ptx_op *op)
{
    struct ptx_wave *wave = ptx_wave_of(warp);
    struct ptx_frame *frame = warp->fragment->frame;
    uint32_t more = merge_fragments(wave, op, frame, PTX_WAIT_LANES) |
                    merge_fragments(wave, op, frame, PTX_WAIT_NONE);
    if (more)
        ptx_warp_mask(warp, warp->mask | more);
    if (warp->mask == warp->alive)
        return true;
    const struct ptx_fragment *other = at_another_barrier(warp, op);
    if (other) {
        const struct ptx_function *function = other->frame->code->function;
        ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_ILLEGAL_INSTRUCTION,
                  "lanes 0x%08x are at a barrier that all lanes of a warp execute together, lanes "
                  "0x%08x at another one (PTX line %u)",
                  warp->mask, other->mask, function->insts[other->op->inst].line);
        return false;
    }
    warp->fragment->members = warp->alive;
    ptx_warp_wait(warp, op, PTX_WAIT_LANES);
    return false;
}
