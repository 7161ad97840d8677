/* When regions are compiled, and how waves enter them.
 *
 * A site is an op that a region may begin with: a kernel's entry, the target of a backward branch,
 * an op behind a barrier. It collects how many ops waves have executed that began or repeat there;
 * when these have cost as much as compiling its region does, that is requested, and once there is
 * code, the op's handler is enter(). */
#include "amdgpu_jit.h"

#include "amdgpu_jit_region.h"
#include "jit.h"
#include "sim_options.h"

#include <pthread.h>
#include <stdlib.h>

enum state { COLD, REQUESTED, REFUSED };

struct site {
    const struct amdgpu_op *op;
    amdgpu_handler run; /* the op's own handler */
    uint32_t mode;      /* of waves that may enter */
    /* [1]: for waves all of whose lanes are live; [0]: for others. */
    _Atomic(uint64_t) heat[2];
    _Atomic(uint64_t) enough[2]; /* the heat at which it is requested; 0: not known yet */
    _Atomic(int) state[2];       /* enum state */
    _Atomic(jit_code) code[2];
    _Atomic(bool) differs[2]; /* from the interpreter, which executes it from then on */
    struct jit_region *regions[2];
};

struct sites { /* of a page */
    _Atomic(struct site *) at[AMDGPU_PAGE_WORDS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for making sites */

/* ---- whether ----------------------------------------------------------------------------- */

static bool allowed;

static void decide(void)
{
    const struct sim_options *options = sim_options();
    allowed = !options->checks && !options->run.deterministic && sim_amdgpu_bitcode();
}

static bool is_on(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (jit_mode() == JIT_OFF)
        return false;
    pthread_once(&once, decide);
    return allowed;
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

/* ---- sites ------------------------------------------------------------------------------- */

static struct site *find_site(const struct amdgpu_op *op)
{
    struct sites *sites = atomic_load_explicit(&amdgpu_page_of(op)->regions, memory_order_acquire);
    return sites ? atomic_load_explicit(&sites->at[op->offset / 4], memory_order_acquire) : NULL;
}

amdgpu_handler amdgpu_jit_handler(const struct amdgpu_op *op)
{
    const struct site *site = find_site(op);
    return site ? site->run : __atomic_load_n(&op->run, __ATOMIC_ACQUIRE);
}

static struct site *make_site(const struct amdgpu_op *op, uint32_t mode)
{
    struct amdgpu_page *page = amdgpu_page_of(op);
    struct sites *sites = atomic_load(&page->regions);
    if (!sites) {
        if (!(sites = calloc(1, sizeof *sites)))
            return NULL;
        atomic_store_explicit(&page->regions, sites, memory_order_release);
    }
    struct site *site = calloc(1, sizeof *site);
    if (!site)
        return NULL;
    site->op = op;
    site->run = __atomic_load_n(&op->run, __ATOMIC_ACQUIRE);
    site->mode = mode;
    atomic_store_explicit(&sites->at[op->offset / 4], site, memory_order_release);
    return site;
}

/* The site of a decoded op. NULL: no memory. */
static struct site *site_of(const struct amdgpu_op *op, uint32_t mode)
{
    struct site *site = find_site(op);
    if (site)
        return site;
    pthread_mutex_lock(&lock);
    site = find_site(op);
    if (!site)
        site = make_site(op, mode);
    pthread_mutex_unlock(&lock);
    return site;
}

void amdgpu_jit_free(void *regions)
{
    struct sites *sites = regions;
    for (unsigned i = 0; i < AMDGPU_PAGE_WORDS; i++) {
        struct site *site = atomic_load(&sites->at[i]);
        if (!site)
            continue;
        for (unsigned k = 0; k < 2; k++)
            jit_free(site->regions[k]);
        free(site);
    }
    free(sites);
}

/* ---- entering ---------------------------------------------------------------------------- */

/* Executes a region, or both ways; op: that is to be interpreted. */
static const struct amdgpu_op *execute(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                       struct site *site, jit_code code, bool full)
{
    if (__builtin_expect(jit_mode() != JIT_COMPARE, 1))
        return code(wave);
    bool differs = false;
    const struct amdgpu_op *next = amdgpu_compare(wave, op, code, &differs);
    if (differs)
        atomic_store_explicit(&site->differs[full], true, memory_order_relaxed);
    return next;
}

/* The handler of an op at which a region begins. */
static const struct amdgpu_op *enter(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct site *site = find_site(op);
    bool full = is_full(wave);
    jit_code code = atomic_load_explicit(&site->code[full], memory_order_acquire);
    if (!code || wave->compiled || wave->mode != site->mode || !is_plain(wave) ||
        atomic_load_explicit(&site->differs[full], memory_order_relaxed))
        return site->run(wave, op);
    wave->compiled = true;
    wave->left++; /* this call is no op */
    const struct amdgpu_op *next = execute(wave, op, site, code, full);
    wave->compiled = false;
    if (next != op || jit_mode() != JIT_COMPARE)
        return next;
    wave->left--;
    return site->run(wave, op);
}

/* ---- requests ---------------------------------------------------------------------------- */

struct job {
    struct site *site;
    bool full;
    struct amdgpu_region *region;
};

static void done(void *data, jit_code code)
{
    const struct job *job = data;
    struct amdgpu_op *op = (struct amdgpu_op *)(uintptr_t)job->site->op;
    if (!code)
        return;
    atomic_store_explicit(&job->site->code[job->full], code, memory_order_release);
    __atomic_store_n(&op->run, enter, __ATOMIC_RELEASE);
}

static void release(void *data)
{
    struct job *job = data;
    amdgpu_region_destroy(job->region);
    free(job);
}

static void request(const struct amdgpu_op *op, bool full, uint32_t mode);

/* The regions that follow one, and then itself. */
static bool submit(struct site *site, bool full, struct amdgpu_region *region)
{
    struct job *job = malloc(sizeof *job);
    if (!job)
        return false;
    *job = (struct job){site, full, region};
    for (unsigned i = 0; i < region->after_count; i++)
        request(region->after[i], full, region->mode);
    site->regions[full] = jit_request(&region->region, done, release, job);
    if (!site->regions[full])
        free(job);
    return site->regions[full];
}

/* Requests the region of a decoded op, once. */
static void request(const struct amdgpu_op *op, bool full, uint32_t mode)
{
    struct site *site = site_of(op, mode);
    int cold = COLD;
    if (!site || site->mode != mode ||
        !atomic_compare_exchange_strong(&site->state[full], &cold, REQUESTED))
        return;
    struct amdgpu_region *region = amdgpu_region_create(op, full, mode);
    if (region && submit(site, full, region))
        return;
    atomic_store(&site->state[full], REFUSED);
    amdgpu_region_destroy(region);
}

/* The ops that are worth compiling a site's region, which is described to be counted. */
static uint64_t enough(struct site *site, bool full)
{
    uint64_t ops = atomic_load_explicit(&site->enough[full], memory_order_relaxed);
    if (ops)
        return ops;
    struct amdgpu_region *region = amdgpu_region_create(site->op, full, site->mode);
    ops = jit_enough(region ? wave_inst_count(&region->region) : 0);
    amdgpu_region_destroy(region);
    atomic_store_explicit(&site->enough[full], ops, memory_order_relaxed);
    return ops;
}

/* Ops were executed that began at op, or repeat from there. */
static void heat(const struct amdgpu_op *op, bool full, uint32_t mode, uint64_t ops)
{
    struct site *site = site_of(op, mode);
    if (!site || atomic_load_explicit(&site->state[full], memory_order_relaxed) != COLD)
        return;
    uint64_t heat = atomic_fetch_add_explicit(&site->heat[full], ops, memory_order_relaxed) + ops;
    if (site->mode == mode && heat >= jit_enough(0) && heat >= enough(site, full))
        request(op, full, mode);
}

/* ---- what exec calls --------------------------------------------------------------------- */

void amdgpu_jit_begin(struct amdgpu_wave *wave)
{
    if (!is_on() || !jit_is_eager() || !is_plain(wave))
        return;
    const struct amdgpu_op *op = amdgpu_ahead(wave->next);
    if (!op)
        return;
    request(op, is_full(wave), wave->mode);
    jit_finish();
}

void amdgpu_jit_turn(struct amdgpu_wave *wave)
{
    const struct amdgpu_op *loop = wave->loop;
    if (!loop || !is_on() || !is_plain(wave))
        return;
    const struct amdgpu_op *target = amdgpu_ahead_target(loop);
    enum { TURN = 1024 };
    if (target && amdgpu_is_decoded(target))
        heat(target, is_full(wave), wave->mode, TURN);
}

/* Whether the wave began with all lanes. */
static bool began_full(const struct amdgpu_wave *wave)
{
    const uint32_t *size = wave->block->items_of;
    return (wave->number + 1) * wave->lanes <= size[0] * size[1] * size[2];
}

void amdgpu_jit_end(struct amdgpu_wave *wave)
{
    const struct amdgpu_op *op = wave->block->first;
    if (!is_on() || !is_plain(wave))
        return;
    if (op && amdgpu_is_decoded(op))
        heat(op, began_full(wave), wave->mode, wave->steps);
}
