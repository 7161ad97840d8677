/* Entries of regions: when they are requested, what executes them, and how they are freed. */
#include "jit.h"
#include "ptx_compare.h"
#include "ptx_facts.h"
#include "ptx_handlers.h"
#include "ptx_jit.h"
#include "ptx_live.h"
#include "ptx_region.h"
#include "ptx_warp.h"
#include "sim_options.h"
#include "sim_profile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Of an op: its region, which is being compiled until code is set. */
struct ptx_entry {
    _Atomic(jit_code) code; /* first: tests replace it */
    bool compares;          /* with the interpreter, each time it is executed */
    _Atomic(bool) differs;  /* from the interpreter, which executes it from then on */
    const uint32_t *block;  /* the size of blocks that it is for */
    struct ptx_op *op;
    struct jit_region *compiled;
    struct ptx_region *region;
    struct ptx_entry *next; /* of the function */
};

struct ptx_jit {
    _Atomic(uint64_t) heat; /* ops that whole warps have executed */
    _Atomic(bool) hot;      /* its entries were requested */
    _Atomic(uint64_t) size; /* instructions of the regions that were requested */
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

/* ---- running ------------------------------------------------------------------------------ */

static const struct ptx_op *compare(struct ptx_warp *warp, const struct ptx_op *op,
                                    struct ptx_entry *entry, jit_code code)
{
    bool differs = atomic_load_explicit(&entry->differs, memory_order_relaxed);
    const struct ptx_op *next = differs ? op : ptx_compare(warp, op, code, &differs);
    if (differs)
        atomic_store_explicit(&entry->differs, true, memory_order_relaxed);
    return next;
}

const struct ptx_op *ptx_run_region(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_entry *entry = op->extra;
    const uint32_t *block = warp->launch->block;
    if (warp->mask != UINT32_MAX || block[0] != entry->block[0] || block[1] != entry->block[1])
        return ptx_run_join(warp, op);
    jit_code code = atomic_load_explicit(&entry->code, memory_order_relaxed);
    const struct ptx_op *next = __builtin_expect(entry->compares, 0)
                                    ? compare(warp, op, (struct ptx_entry *)(uintptr_t)entry, code)
                                    : code(warp);
    return next == op ? ptx_run_join(warp, op) : next;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* On the compiling thread. The handler is written last: who sees it sees the rest. */
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

/* Under the lock. */
static void request(const struct ptx_code *code, struct ptx_jit *jit, uint32_t index)
{
    struct ptx_op *op = &code->ops[index];
    if (op->run != ptx_run_join || find(jit, op))
        return;
    struct ptx_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return;
    *entry = (struct ptx_entry){
        .compares = jit_mode() == JIT_COMPARE, .block = jit->block, .op = op, .next = jit->entries};
    jit->entries = entry; /* one that is too small or refused is not tried again */
    if (!jit->known.code) {
        jit->known.code = code;
        jit->known.facts = ptx_facts_create(code, jit->block);
        jit->known.live = ptx_live_create(code);
    }
    entry->region = ptx_region_create(&jit->known, index);
    if (!entry->region)
        return;
    struct ptx_region *region = entry->region;
    atomic_fetch_add_explicit(&jit->size, region->count, memory_order_relaxed);
    entry->compiled = jit_request(&region->wave, done, release, entry);
    if (!entry->compiled) {
        ptx_region_destroy(region);
        entry->region = NULL;
    }
}

/* Where lanes come from a barrier or a call. */
static bool follows_wait(const struct ptx_code *code, uint32_t index)
{
    const struct ptx_op *before = index ? &code->ops[index - 1] : NULL;
    return before && (before->run == ptx_run_barrier || before->run == ptx_run_call ||
                      before->run == ptx_run_call_indirect);
}

static bool is_loop(const struct ptx_code *code, uint32_t index)
{
    for (uint32_t i = index; code->ops[index].run == ptx_run_join && i < code->op_count; i++) {
        const struct ptx_op *op = &code->ops[i];
        if ((op->run == ptx_run_branch_back || op->run == ptx_run_jump_back) &&
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
            request(code, jit, i);
    pthread_mutex_unlock(&lock);
    if (jit_is_eager())
        jit_finish();
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
        __atomic_store_n(&of->jit, jit, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return jit;
}

/* Whole warps have executed ops of the function. Returns how many there were. */
static uint64_t warm(const struct ptx_code *code, struct ptx_jit *jit, uint64_t ops)
{
    uint64_t heat = atomic_fetch_add_explicit(&jit->heat, ops, memory_order_relaxed) + ops;
    if (heat >= jit_enough(code->op_count) && !atomic_exchange(&jit->hot, true))
        request_all(code, jit);
    return heat;
}

static bool is_hot(const struct ptx_jit *jit)
{
    return atomic_load_explicit(&jit->hot, memory_order_relaxed);
}

void ptx_jit_launch(const struct ptx_launch *launch)
{
    const struct ptx_code *code = launch->kernel->code;
    struct ptx_jit *jit = ptx_jit_on() && jit_is_eager() ? jit_of(code, launch) : NULL;
    if (jit && !is_hot(jit))
        warm(code, jit, code->op_count);
}

void ptx_jit_end(const struct ptx_launch *launch, uint64_t steps)
{
    struct ptx_jit *jit = jit_of(launch->kernel->code, launch);
    if (jit && !is_hot(jit))
        warm(launch->kernel->code, jit, steps);
}

void ptx_jit_call(const struct ptx_code *code, const struct ptx_launch *launch)
{
    struct ptx_jit *jit = jit_of(code, launch);
    if (jit && !is_hot(jit))
        warm(code, jit, code->op_count);
}

/* A loop's region has much of the others in it once more, and has to be worth it too. */
void ptx_jit_loop(const struct ptx_code *code, const struct ptx_op *op,
                  const struct ptx_launch *launch, uint64_t steps)
{
    struct ptx_jit *jit = op->run == ptx_run_join ? jit_of(code, launch) : NULL;
    if (!jit)
        return;
    uint64_t heat = warm(code, jit, steps), size = code->op_count;
    size += atomic_load_explicit(&jit->size, memory_order_relaxed);
    if (heat < jit_enough(size))
        return;
    pthread_mutex_lock(&lock);
    request(code, jit, (uint32_t)(op - code->ops));
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
    if (jit) {
        ptx_facts_destroy(jit->known.facts);
        ptx_live_destroy(jit->known.live);
    }
    free(jit);
    code->jit = NULL;
}
