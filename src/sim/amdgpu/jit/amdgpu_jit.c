/* When waves enter compiled regions, and what they cost the interpreter before. */
#include "amdgpu_jit.h"

#include "amdgpu_jit_sites.h"
#include "sim_options.h"

#include <stdatomic.h>

/* ---- whether ----------------------------------------------------------------------------- */

enum { UNDECIDED, REFUSED, ALLOWED, EAGER };
static _Atomic(int) decision; /* which waves ask for whenever they begin or end */

static int decide(void)
{
    const struct sim_options *options = sim_options();
    bool allowed = !options->checks && !options->run.deterministic && sim_amdgpu_bitcode();
    int now = !allowed ? REFUSED : jit_is_eager() ? EAGER : ALLOWED;
    atomic_store_explicit(&decision, now, memory_order_relaxed);
    return now;
}

static int decided(void)
{
    int already = atomic_load_explicit(&decision, memory_order_relaxed);
    return already == UNDECIDED ? decide() : already;
}

static bool is_on(void)
{
    return decided() >= ALLOWED && jit_mode() != JIT_OFF;
}

/* Whether a wave's state is what regions are compiled for. */
static bool is_plain(const struct amdgpu_wave *wave)
{
    enum { FLOATS = 0xff, DEFAULT = 0xf0 };
    return (wave->mode & FLOATS) == DEFAULT && !(wave->mode & AMDGPU_MODE_GPR_INDEXING) &&
           !wave->privileged && !wave->watched && !wave->indexing;
}

static bool is_full(const struct amdgpu_wave *wave)
{
    return amdgpu_exec(wave) == amdgpu_all_lanes(wave);
}

/* ---- what the interpreter executes -------------------------------------------------------
 *
 * Ops that waves execute are charged to the region that would have executed them: wave->charged is
 * how many of its steps were, or were executed by one. */

/* Whether the wave began with all lanes. */
static bool began_full(const struct amdgpu_wave *wave)
{
    const uint32_t *size = wave->block->items_of;
    return (wave->number + 1) * wave->lanes <= size[0] * size[1] * size[2];
}

/* What it has executed since it left a region because its lanes had parted. */
static void charge_parted(struct amdgpu_wave *wave)
{
    struct amdgpu_unit *unit = wave->parted;
    int ops = wave->parted_left - wave->left;
    wave->parted = NULL;
    if (!unit || ops <= 0)
        return;
    wave->charged += (unsigned)ops;
    amdgpu_unit_heat(unit, AMDGPU_FOR_BOTH, (unsigned)ops);
}

/* Whether regions have executed it but for barriers and the like, so that there is little to
 * charge. */
static bool executed_regions(const struct amdgpu_wave *wave)
{
    enum { LITTLE = 8 };
    return wave->charged && !wave->parted && !wave->partings &&
           wave->steps <= wave->charged + LITTLE;
}

/* What it has executed up to the end of its turn, in the code of a unit. */
static void charge(struct amdgpu_wave *wave, struct amdgpu_unit *unit)
{
    uint64_t ops = wave->steps > wave->charged ? wave->steps - wave->charged : 0;
    wave->charged = wave->steps;
    if (wave->parted)
        amdgpu_unit_heat(wave->parted, AMDGPU_FOR_BOTH, ops);
    else if (unit && began_full(wave))
        amdgpu_unit_heat_all(unit, ops, wave->partings);
    else if (unit)
        amdgpu_unit_heat(unit, AMDGPU_FOR_SOME, ops);
    wave->partings = 0;
    wave->parted_left = 0; /* in its next turn, which is charged as a whole */
}

/* ---- entering ---------------------------------------------------------------------------- */

/* Executes a region, or both ways; op: that is to be interpreted. */
static const struct amdgpu_op *execute(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                       struct amdgpu_site *site, struct amdgpu_way *way, bool full)
{
    wave->entry = way->entry;
    if (__builtin_expect(!site->compares, 1))
        return way->code(wave);
    bool differs = false;
    const struct amdgpu_op *next = amdgpu_compare(wave, op, way->code, &differs);
    if (differs)
        amdgpu_site_retire(site, full);
    return next;
}

/* Regions that are left after a handful of ops each time cost more than the interpreter. Only the
 * first waves are counted, so that threads do not write what others read for ever. */
static void count(struct amdgpu_site *site, struct amdgpu_way *way, bool full, int ops)
{
    enum { WAVES = 512, LEAST = 8 };
    unsigned entered = atomic_load_explicit(&way->entered, memory_order_relaxed);
    if (entered >= WAVES)
        return;
    unsigned steps = atomic_load_explicit(&way->steps, memory_order_relaxed) + (unsigned)ops;
    atomic_store_explicit(&way->steps, steps, memory_order_relaxed);
    atomic_store_explicit(&way->entered, entered + 1, memory_order_relaxed);
    if (entered + 1 == WAVES && steps < LEAST * WAVES && !jit_is_eager())
        amdgpu_site_retire(site, full);
}

static bool may_enter(const struct amdgpu_wave *wave, const struct amdgpu_site *site)
{
    return !wave->compiled && wave->mode == site->mode && is_plain(wave);
}

const struct amdgpu_op *amdgpu_jit_enter(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct amdgpu_site *site = amdgpu_site_at(op);
    bool full = is_full(wave);
    struct amdgpu_way *way = atomic_load_explicit(&site->ways[full], memory_order_acquire);
    if (!way || !may_enter(wave, site))
        return site->run(wave, op);
    charge_parted(wave);
    wave->compiled = true;
    int left = ++wave->left; /* this call is no op */
    const struct amdgpu_op *next = execute(wave, op, site, way, full);
    int ops = left - wave->left;
    wave->compiled = false;
    if (next == op && site->compares) { /* nothing has happened */
        wave->left--;
        return site->run(wave, op);
    }
    count(site, way, full, ops);
    wave->charged += (unsigned)ops;
    if (next && way->kind == AMDGPU_FOR_ALL && !is_full(wave)) {
        wave->parted = site->unit;
        wave->parted_left = wave->left;
    }
    return next;
}

/* ---- what exec calls --------------------------------------------------------------------- */

void amdgpu_jit_begin(struct amdgpu_wave *wave)
{
    if (decided() != EAGER || !is_on() || !is_plain(wave))
        return;
    const struct amdgpu_op *op = amdgpu_ahead(wave->next);
    struct amdgpu_unit *unit = op ? amdgpu_unit_at(op, wave->mode) : NULL;
    if (!unit)
        return;
    amdgpu_unit_request(unit, is_full(wave) ? AMDGPU_FOR_ALL : AMDGPU_FOR_SOME);
    jit_finish();
}

void amdgpu_jit_turn(struct amdgpu_wave *wave)
{
    const struct amdgpu_op *loop = wave->loop, *first = wave->block->first;
    if (!loop || !is_on() || !is_plain(wave) || !first || !amdgpu_is_decoded(first))
        return;
    const struct amdgpu_op *target = amdgpu_ahead_target(loop);
    if (target && amdgpu_is_decoded(target))
        charge(wave, amdgpu_unit_of(target, first, wave->mode));
}

void amdgpu_jit_end(struct amdgpu_wave *wave)
{
    const struct amdgpu_op *first = wave->block->first;
    if (executed_regions(wave) || !is_on() || !is_plain(wave) || !first ||
        !amdgpu_is_decoded(first))
        return;
    charge(wave, amdgpu_unit_of(first, first, wave->mode));
}
