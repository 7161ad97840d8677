/* Entries of regions: when they are requested, what executes them, and how they are freed. */
#include "jit.h"
#include "ptx_compare.h"
#include "ptx_handlers.h"
#include "ptx_jit.h"
#include "ptx_region.h"
#include "ptx_warp.h"
#include "sim_options.h"
#include "sim_profile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Of an op: its region, which is being compiled until code is set. */
struct ptx_entry {
    _Atomic(jit_code) code; /* first: tests replace it */
    bool compares;          /* with the interpreter, each time it is executed */
    _Atomic(bool) differs;  /* from the interpreter, which executes it from then on */
    uint32_t block[2];      /* the size of blocks that it is for */
    const struct ptx_op *places[PTX_PLACES]; /* as of struct ptx_region */
    uint64_t entered;
    const struct ptx_known *known;
    struct ptx_op *op;
    struct jit_region *compiled;
    struct ptx_region *region;
    struct ptx_entry *next; /* of the function */
};

struct ptx_jit {
    _Atomic(uint64_t) heat;  /* what warps have executed, in simple ops */
    _Atomic(uint64_t) ended; /* ops of warps that have come to their end */
    uint64_t weight;         /* of the function's ops together, in simple ops */
    _Atomic(bool) looked;    /* for code that an earlier process has kept */
    _Atomic(bool) hot;       /* its entries were requested */
    _Atomic(uint64_t) size;  /* instructions of the regions that were requested */
    /* at the last request */
    _Atomic(uint64_t) asked_heat, asked_ended;
    uint32_t block[3];      /* the size of blocks that its regions are for */
    struct ptx_known known; /* made with the first request */
    struct ptx_entry *entries;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* requests */

static _Atomic(bool) is_suspended;

void ptx_jit_suspend(bool suspended)
{
    atomic_store(&is_suspended, suspended);
}

bool ptx_jit_on(void)
{
    return jit_mode() != JIT_OFF && !atomic_load_explicit(&is_suspended, memory_order_relaxed) &&
           !sim_profile_on() && !sim_options()->checks && !sim_options()->run.deterministic;
}

/* ---- lanes that are apart ----------------------------------------------------------------- */

enum { NO_PLACE = PTX_PLACES };

/* The place at which a fragment may wait where the region is entered, or NO_PLACE. */
static unsigned place_of(const struct ptx_entry *entry, const struct ptx_fragment *fragment)
{
    for (uint64_t left = entry->entered; left; left &= left - 1) {
        unsigned place = (unsigned)__builtin_ctzll(left);
        if (entry->places[place] == fragment->op)
            return place;
    }
    return NO_PLACE;
}

/* Whether the region knows where all other lanes wait that have registers in the frame. */
static bool can_take(const struct ptx_warp *warp, const struct ptx_op *op,
                     const struct ptx_entry *entry)
{
    const struct ptx_frame *frame = warp->fragment->frame;
    for (const struct ptx_fragment *f = warp->fragments; f; f = f->next) {
        bool ready = f->wait == PTX_WAIT_NONE && !f->yielded;
        if (f->frame != frame && f->wait != PTX_WAIT_NONE)
            continue;
        if (!ready || f->frame != frame || (f->op != op && place_of(entry, f) == NO_PLACE))
            return false;
    }
    return true;
}

/* Fragments become lanes that wait in the region; those at op, where it begins, join. */
static void take_fragments(struct ptx_warp *warp, const struct ptx_op *op,
                           const struct ptx_entry *entry)
{
    struct ptx_frame *frame = warp->fragment->frame;
    warp->now |= ptx_warp_take(warp, op, frame);
    for (uint64_t left = entry->entered; left; left &= left - 1) {
        unsigned place = (unsigned)__builtin_ctzll(left);
        warp->waiting[place] = ptx_warp_take(warp, entry->places[place], frame);
        warp->apart |= (uint64_t)(warp->waiting[place] != 0) << place;
    }
    warp->budget -= warp->apart != 0; /* as where the interpreter joins */
}

static void make_fragments(struct ptx_warp *warp, const struct ptx_entry *entry,
                           struct ptx_frame *frame)
{
    for (; warp->apart; warp->apart &= warp->apart - 1) {
        unsigned place = (unsigned)__builtin_ctzll(warp->apart);
        ptx_warp_add(warp, warp->waiting[place], entry->places[place], frame);
        warp->waiting[place] = 0;
    }
}

/* Where the lanes that were executing do not leave the region, or not alone. */
__attribute__((noinline)) static void leave_apart(struct ptx_warp *warp,
                                                  const struct ptx_entry *entry)
{
    if (warp->apart)
        make_fragments(warp, entry, warp->fragment->frame);
    ptx_warp_mask(warp, warp->now);
}

const void *ptx_region_call(void *of_warp, const void *of_op)
{
    struct ptx_warp *warp = of_warp;
    const struct ptx_op *op = of_op, *next, *end;
    ptx_warp_mask(warp, warp->now);
    end = op->run == ptx_run_guard ? op->target : NULL;
    next = op->run(warp, op);
    while (end && next && next != end)
        next = next->run(warp, next);
    if (!next || warp->mask == warp->now)
        return next;
    warp->now = warp->mask;
    return (const char *)next + 1;
}

/* ---- running ------------------------------------------------------------------------------ */

/* Of an op whose handler is ptx_run_region. */
static const struct ptx_entry *entry_of(const struct ptx_op *op)
{
    return __atomic_load_n(&op->extra, __ATOMIC_RELAXED);
}

/* Executes a region's code. op: where it begins; the result is op where nothing has happened.
 * may_join: there may be other fragments, all of which the region can take (can_take). */
static inline __attribute__((always_inline)) const struct ptx_op *
execute_code(struct ptx_warp *warp, const struct ptx_op *op, bool may_join)
{
    const struct ptx_entry *entry = entry_of(op);
    jit_code code = atomic_load_explicit(&entry->code, memory_order_relaxed);
    uint64_t steps = warp->steps;
    warp->now = warp->mask;
    if (may_join && warp->fragments)
        take_fragments(warp, op, entry);
    bool waited = may_join && warp->apart;
    uintptr_t next = (uintptr_t)code(warp);
    ptx_wave_of(warp)->noted += warp->steps - steps;
    if (waited && next == (uintptr_t)op && steps == warp->steps)
        warp->budget++; /* the interpreter joins there again */
    if (warp->apart || warp->mask != warp->now)
        leave_apart(warp, entry);
    return (const struct ptx_op *)(next & ~(uintptr_t)1); /* ptx_region_call() has changed lanes */
}

static const struct ptx_op *execute(struct ptx_warp *warp, const struct ptx_op *op)
{
    return execute_code(warp, op, true);
}

static const struct ptx_op *compare(struct ptx_warp *warp, const struct ptx_op *op,
                                    struct ptx_entry *entry)
{
    bool differs = atomic_load_explicit(&entry->differs, memory_order_relaxed);
    const struct ptx_op *next =
        differs ? op : ptx_compare(warp, op, entry->known, execute, &differs);
    if (differs)
        atomic_store_explicit(&entry->differs, true, memory_order_relaxed);
    return next;
}

__attribute__((noinline)) static const struct ptx_op *run_region(struct ptx_warp *warp,
                                                                 const struct ptx_op *op)
{
    const struct ptx_entry *entry = entry_of(op);
    if (memcmp(warp->launch->block, entry->block, sizeof entry->block) != 0 ||
        (warp->fragments && !can_take(warp, op, entry)))
        return ptx_run_join(warp, op);
    const struct ptx_op *next = entry->compares
                                    ? compare(warp, op, (struct ptx_entry *)(uintptr_t)entry)
                                    : execute(warp, op);
    return next == op ? ptx_run_join(warp, op) : next;
}

/* As it mostly is, without what other fragments or comparing need. */
const struct ptx_op *ptx_run_region(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_entry *entry = entry_of(op);
    if (memcmp(warp->launch->block, entry->block, sizeof entry->block) != 0 || warp->fragments ||
        entry->compares)
        return run_region(warp, op);
    const struct ptx_op *next = execute_code(warp, op, false);
    return next == op ? ptx_run_join(warp, op) : next;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* On a compiling thread. The handler is written last: who sees it sees the rest. */
static void done(void *data, jit_code code)
{
    struct ptx_entry *entry = data;
    if (!code)
        return;
    atomic_store_explicit(&entry->code, code, memory_order_relaxed);
    __atomic_store_n(&entry->op->extra, entry, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->op->run, ptx_run_region, __ATOMIC_RELEASE);
}

static void release(void *data)
{
    struct ptx_entry *entry = data;
    ptx_region_destroy(entry->region);
    entry->region = NULL;
}

static struct ptx_entry *find(const struct ptx_jit *jit, const struct ptx_op *op)
{
    struct ptx_entry *entry = jit->entries;
    while (entry && entry->op != op)
        entry = entry->next;
    return entry;
}

static void describe(const struct ptx_code *code, struct ptx_jit *jit, uint32_t index,
                     struct ptx_entry *entry)
{
    if (!jit->known.code)
        ptx_known_init(&jit->known, code, jit->block);
    entry->known = &jit->known;
    if (!jit->known.live && entry->compares)
        return; /* nobody knows what to compare */
    entry->region = ptx_region_create(&jit->known, index);
    if (!entry->region)
        return;
    memcpy(entry->places, entry->region->places, sizeof entry->places);
    entry->entered = entry->region->entered;
}

/* Under the lock. only_kept: not if LLVM has to compile it. */
static void request(const struct ptx_code *code, struct ptx_jit *jit, uint32_t index,
                    bool only_kept)
{
    struct ptx_op *op = &code->ops[index];
    if (ptx_op_handler(op) != ptx_run_join || find(jit, op))
        return;
    struct ptx_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return;
    *entry = (struct ptx_entry){.compares = jit_mode() == JIT_COMPARE,
                                .block = {jit->block[0], jit->block[1]},
                                .op = op,
                                .next = jit->entries};
    describe(code, jit, index, entry);
    if (only_kept && (!entry->region || !jit_is_kept(&entry->region->wave))) {
        ptx_region_destroy(entry->region);
        free(entry);
        return;
    }
    jit->entries = entry; /* one that is too small or refused is not tried again */
    if (!entry->region)
        return;
    if (!only_kept) {
        atomic_fetch_add_explicit(&jit->size, entry->region->count, memory_order_relaxed);
        atomic_store(&jit->asked_heat, atomic_load(&jit->heat));
        atomic_store(&jit->asked_ended, atomic_load(&jit->ended));
    }
    entry->compiled = jit_request(&entry->region->wave, done, release, entry);
    if (!entry->compiled) {
        ptx_region_destroy(entry->region);
        entry->region = NULL;
    }
}

/* Where lanes come from a barrier or a call. */
static bool follows_wait(const struct ptx_code *code, uint32_t index)
{
    const struct ptx_op *before = index ? &code->ops[index - 1] : NULL;
    const ptx_handler run = before ? ptx_op_handler(before) : NULL;
    return run == ptx_run_barrier || run == ptx_run_call || run == ptx_run_call_indirect;
}

static bool is_loop(const struct ptx_code *code, uint32_t index)
{
    if (ptx_op_handler(&code->ops[index]) != ptx_run_join)
        return false;
    for (uint32_t i = index; i < code->op_count; i++) {
        const struct ptx_op *op = &code->ops[i];
        const ptx_handler run = ptx_op_handler(op);
        if ((run == ptx_run_branch_back || run == ptx_run_jump_back) &&
            op->target == &code->ops[index])
            return true;
    }
    return false;
}

static void request_all(const struct ptx_code *code, struct ptx_jit *jit)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < code->op_count; i++)
        if (i == 0 || follows_wait(code, i) || (jit_is_eager() && is_loop(code, i)))
            request(code, jit, i, false);
    pthread_mutex_unlock(&lock);
    if (jit_is_eager())
        jit_finish();
}

/* Regions whose code an earlier process has kept, those of loops too. */
static void request_kept(const struct ptx_code *code, struct ptx_jit *jit)
{
    enum { OPS_MAX = 8192 }; /* is_loop() looks at all that follow */
    if (code->op_count > OPS_MAX)
        return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < code->op_count; i++)
        if (i == 0 || follows_wait(code, i) || is_loop(code, i))
            request(code, jit, i, true);
    pthread_mutex_unlock(&lock);
}

/* What the interpreter takes for an op, in additions of 32-bit values: twice as long for 64-bit
 * ones, and for accesses to memory, most of which are rows, three times. */
static unsigned weight_of(const struct ptx_code *code, const struct ptx_op *op)
{
    enum { ACCESS = 3, WIDE = 2, SIMPLE = 1 };
    struct ptx_form form;
    if (ptx_form_is_access(code, op))
        return ACCESS;
    if (!ptx_form_of(code, op, &form) || form.any)
        return SIMPLE;
    for (unsigned i = 0; i < form.read_count; i++)
        if (form.reads[i].size > PTX_LANES * sizeof(uint32_t))
            return WIDE;
    return SIMPLE;
}

static uint64_t weigh(const struct ptx_code *code)
{
    uint64_t weight = 0;
    for (uint32_t i = 0; i < code->op_count; i++)
        weight += weight_of(code, &code->ops[i]);
    return weight;
}

/* NULL: nothing of the function is compiled. */
static struct ptx_jit *jit_of(const struct ptx_code *code, const struct ptx_launch *launch)
{
    struct ptx_code *of = (struct ptx_code *)(uintptr_t)code;
    struct ptx_jit *jit = __atomic_load_n(&of->jit, __ATOMIC_ACQUIRE);
    if (jit || !ptx_jit_on())
        return jit;
    pthread_mutex_lock(&lock);
    jit = of->jit;
    if (!jit && (jit = calloc(1, sizeof *jit))) {
        for (unsigned i = 0; i < 3; i++)
            jit->block[i] = launch->block[i];
        jit->weight = weigh(code);
        __atomic_store_n(&of->jit, jit, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return jit;
}

static bool is_hot(const struct ptx_jit *jit)
{
    return atomic_load_explicit(&jit->hot, memory_order_relaxed);
}

static uint64_t in_simple_ops(const struct ptx_code *code, const struct ptx_jit *jit, uint64_t ops)
{
    return code->op_count ? ops * jit->weight / code->op_count : ops;
}

/* What has been executed since the last request. */
static uint64_t heat_of(const struct ptx_jit *jit)
{
    uint64_t asked = atomic_load_explicit(&jit->asked_heat, memory_order_relaxed);
    uint64_t heat = atomic_load_explicit(&jit->heat, memory_order_relaxed);
    return heat > asked ? heat - asked : 0;
}

/* Warps have executed ops of the function. Returns its heat. */
static uint64_t warm(const struct ptx_code *code, struct ptx_jit *jit, uint64_t ops)
{
    uint64_t more = in_simple_ops(code, jit, ops);
    uint64_t heat = atomic_fetch_add_explicit(&jit->heat, more, memory_order_relaxed) + more;
    if (!atomic_load_explicit(&jit->looked, memory_order_relaxed) && heat >= jit_enough_to_look() &&
        jit_keeps() && !atomic_exchange(&jit->looked, true))
        request_kept(code, jit);
    return heat_of(jit);
}

/* Warps begin often enough for regions that begin where the function does. */
static void warm_entries(const struct ptx_code *code, struct ptx_jit *jit, uint64_t ops)
{
    if (warm(code, jit, ops) >= jit_enough(code->op_count) && !atomic_exchange(&jit->hot, true))
        request_all(code, jit);
}

void ptx_jit_launch(const struct ptx_launch *launch)
{
    const struct ptx_code *code = launch->kernel->code;
    struct ptx_jit *jit = ptx_jit_on() && jit_is_eager() ? jit_of(code, launch) : NULL;
    if (jit && !is_hot(jit))
        warm_entries(code, jit, code->op_count);
}

void ptx_jit_end(const struct ptx_launch *launch, uint64_t steps, uint64_t all)
{
    struct ptx_jit *jit = jit_of(launch->kernel->code, launch);
    if (!jit)
        return;
    atomic_fetch_add_explicit(&jit->ended, all, memory_order_relaxed);
    if (!is_hot(jit))
        warm_entries(launch->kernel->code, jit, steps);
}

void ptx_jit_call(const struct ptx_code *code, const struct ptx_launch *launch)
{
    struct ptx_jit *jit = jit_of(code, launch);
    if (jit && !is_hot(jit))
        warm_entries(code, jit, code->op_count);
}

/* Whether warps run so long that those that run now are worth a region: they have executed most of
 * what made the function hot, and not those that have ended. */
static bool lasts(const struct ptx_code *code, const struct ptx_jit *jit)
{
    uint64_t ended = atomic_load_explicit(&jit->ended, memory_order_relaxed) -
                     atomic_load_explicit(&jit->asked_ended, memory_order_relaxed);
    return 2 * in_simple_ops(code, jit, ended) < heat_of(jit);
}

/* A loop's region has much of the others in it once more, and has to be worth it after they were
 * requested. Warps that begin enter those; for warps that last, the loop's comes first. */
void ptx_jit_loop(const struct ptx_code *code, const struct ptx_op *op,
                  const struct ptx_launch *launch, uint64_t steps)
{
    struct ptx_jit *jit = ptx_op_handler(op) == ptx_run_join ? jit_of(code, launch) : NULL;
    if (!jit)
        return;
    bool long_lasting = lasts(code, jit);
    if (!long_lasting && !is_hot(jit)) {
        warm_entries(code, jit, steps);
        return;
    }
    uint64_t size = code->op_count;
    if (!long_lasting)
        size += atomic_load_explicit(&jit->size, memory_order_relaxed);
    if (warm(code, jit, steps) < jit_enough(size))
        return;
    pthread_mutex_lock(&lock);
    if (heat_of(jit) >= jit_enough(size))
        request(code, jit, (uint32_t)(op - code->ops), false);
    pthread_mutex_unlock(&lock);
}

void ptx_jit_free(struct ptx_code *code)
{
    struct ptx_jit *jit = code->jit;
    while (jit && jit->entries) {
        struct ptx_entry *next = jit->entries->next;
        jit_free(jit->entries->compiled);
        free(jit->entries);
        jit->entries = next;
    }
    if (jit)
        ptx_known_fini(&jit->known);
    free(jit);
    code->jit = NULL;
}
