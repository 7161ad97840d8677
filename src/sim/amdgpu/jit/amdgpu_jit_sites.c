/* Owns units and sites: which regions are requested, and where their code is entered. */
#include "amdgpu_jit_sites.h"

#include "amdgpu_jit.h"

#include <pthread.h>
#include <stdlib.h>

enum state { COLD, REQUESTED, REFUSED };

/* A unit's region of one kind. */
struct build {
    _Atomic(uint64_t) heat;   /* ops that waves have executed without it */
    _Atomic(uint64_t) enough; /* at which it is requested; 0: not known yet */
    _Atomic(int) state;       /* enum state */
    struct jit_region *region;
    struct amdgpu_way *ways; /* by entry */
};

struct amdgpu_unit {
    const struct amdgpu_op *root;
    uint32_t mode; /* of waves that may enter */
    struct build builds[AMDGPU_REGION_KINDS];
    /* Turns of waves that began with all lanes, and those of them in which lanes parted. */
    _Atomic(unsigned) turns, parted;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for making and changing sites */

/* ---- sites ------------------------------------------------------------------------------- */

amdgpu_handler amdgpu_jit_handler(const struct amdgpu_op *op)
{
    const struct amdgpu_site *site = amdgpu_site_at(op);
    return site ? site->run : __atomic_load_n(&op->run, __ATOMIC_ACQUIRE);
}

/* Under the lock: the site of a decoded op. NULL: no memory. */
static struct amdgpu_site *site_of(const struct amdgpu_op *op, struct amdgpu_unit *unit)
{
    struct amdgpu_site *site = amdgpu_site_at(op);
    if (site || !(site = calloc(1, sizeof *site)))
        return site;
    *site = (struct amdgpu_site){.op = (struct amdgpu_op *)(uintptr_t)op,
                                 .run = __atomic_load_n(&op->run, __ATOMIC_ACQUIRE),
                                 .unit = unit,
                                 .mode = unit->mode,
                                 .compares = jit_mode() == JIT_COMPARE};
    atomic_store(&amdgpu_page_of(op)->has_sites, true);
    __atomic_store_n(&site->op->site, site, __ATOMIC_RELEASE);
    return site;
}

static void set_handler(const struct amdgpu_site *site, amdgpu_handler run)
{
    __atomic_store_n(&site->op->run, run, __ATOMIC_RELEASE);
}

void amdgpu_site_retire(struct amdgpu_site *site, bool full)
{
    pthread_mutex_lock(&lock);
    site->retired[full] = true;
    atomic_store(&site->ways[full], NULL);
    if (!atomic_load(&site->ways[!full]))
        set_handler(site, site->run);
    pthread_mutex_unlock(&lock);
}

/* Under the lock. What is for all lanes and for some at once replaces what is for either. */
static void open_way(struct amdgpu_site *site, bool full, struct amdgpu_way *way)
{
    struct amdgpu_way *old = atomic_load(&site->ways[full]);
    if (site->retired[full] || (old && old->kind == AMDGPU_FOR_BOTH))
        return;
    atomic_store_explicit(&site->ways[full], way, memory_order_release);
    set_handler(site, amdgpu_jit_enter);
}

/* ---- units ------------------------------------------------------------------------------- */

struct amdgpu_unit *amdgpu_unit_at(const struct amdgpu_op *root, uint32_t mode)
{
    struct amdgpu_site *site = amdgpu_site_at(root);
    if (site)
        return site->unit;
    pthread_mutex_lock(&lock);
    struct amdgpu_unit *unit = calloc(1, sizeof *unit);
    if (unit)
        *unit = (struct amdgpu_unit){.root = root, .mode = mode};
    site = unit ? site_of(root, unit) : NULL;
    bool taken = site && site->unit == unit;
    if (taken)
        site->is_root = true;
    pthread_mutex_unlock(&lock);
    if (!taken)
        free(unit);
    return site ? site->unit : NULL;
}

bool amdgpu_unit_is_cold(const struct amdgpu_unit *unit, enum amdgpu_region_kind kind)
{
    return atomic_load_explicit(&unit->builds[kind].state, memory_order_relaxed) == COLD;
}

static bool is_of_another(const void *data, const struct amdgpu_op *op)
{
    const struct amdgpu_site *site = amdgpu_site_at(op);
    return site && site->unit != data;
}

static struct amdgpu_region *describe(struct amdgpu_unit *unit, enum amdgpu_region_kind kind)
{
    const struct amdgpu_plan plan = {.root = unit->root,
                                     .kind = kind,
                                     .mode = unit->mode,
                                     .data = unit,
                                     .is_of_another = is_of_another};
    return amdgpu_region_create(&plan);
}

static void make_sites(struct amdgpu_unit *unit, const struct amdgpu_region *region)
{
    pthread_mutex_lock(&lock);
    for (unsigned e = 0; e < region->region.entry_count; e++)
        site_of(region->entries[e].op, unit);
    pthread_mutex_unlock(&lock);
}

/* The ops that are worth compiling a region, which is described to be counted. An instruction takes
 * LLVM 0.4 to 0.8 ms, and the interpreter 10 to 50 ns, since it executes 32 or 64 lanes: fewer ops
 * are worth it than jit_enough() says. */
static uint64_t enough(struct amdgpu_unit *unit, enum amdgpu_region_kind kind)
{
    uint64_t ops = atomic_load_explicit(&unit->builds[kind].enough, memory_order_relaxed);
    if (ops)
        return ops;
    struct amdgpu_region *region = describe(unit, kind);
    enum { SHARE = 2 };
    ops = region && jit_is_kept(&region->region)
              ? 1
              : jit_enough(region ? wave_inst_count(&region->region) : 0) / SHARE + 1;
    if (region)
        make_sites(unit, region);
    amdgpu_region_destroy(region);
    atomic_store_explicit(&unit->builds[kind].enough, ops, memory_order_relaxed);
    return ops;
}

void amdgpu_unit_heat(struct amdgpu_unit *unit, enum amdgpu_region_kind kind, uint64_t ops)
{
    if (!amdgpu_unit_is_cold(unit, kind))
        return;
    uint64_t heat =
        atomic_fetch_add_explicit(&unit->builds[kind].heat, ops, memory_order_relaxed) + ops;
    if (heat >= jit_enough_to_look() && heat >= enough(unit, kind))
        amdgpu_unit_request(unit, kind);
}

static bool parts_often(const struct amdgpu_unit *unit)
{
    return atomic_load_explicit(&unit->parted, memory_order_relaxed) >=
           atomic_load_explicit(&unit->turns, memory_order_relaxed) / 8 + 1;
}

void amdgpu_unit_heat_all(struct amdgpu_unit *unit, uint64_t ops, bool parted)
{
    struct build *all = &unit->builds[AMDGPU_FOR_ALL];
    if (!amdgpu_unit_is_cold(unit, AMDGPU_FOR_ALL))
        return;
    atomic_fetch_add_explicit(&unit->turns, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&unit->parted, parted, memory_order_relaxed);
    if (!parts_often(unit)) {
        amdgpu_unit_heat(unit, AMDGPU_FOR_ALL, ops);
        return;
    }
    uint64_t heat = atomic_fetch_add_explicit(&all->heat, ops, memory_order_relaxed) + ops;
    int cold = COLD;
    if (heat >= jit_enough_to_look() && heat >= enough(unit, AMDGPU_FOR_BOTH) &&
        atomic_compare_exchange_strong(&all->state, &cold, REFUSED)) /* nor ever needed */
        amdgpu_unit_request(unit, AMDGPU_FOR_BOTH);
}

/* Whether the unit has been described, so that all of its sites are there. */
static bool is_known(const struct amdgpu_unit *unit)
{
    for (unsigned k = 0; k < AMDGPU_REGION_KINDS; k++)
        if (atomic_load_explicit(&unit->builds[k].enough, memory_order_relaxed) ||
            !amdgpu_unit_is_cold(unit, k))
            return true;
    return false;
}

struct amdgpu_unit *amdgpu_unit_of(const struct amdgpu_op *loop, const struct amdgpu_op *first,
                                   uint32_t mode)
{
    const struct amdgpu_site *site = amdgpu_site_at(loop);
    struct amdgpu_unit *unit = site ? site->unit : amdgpu_unit_at(first, mode);
    if (!site && unit && is_known(unit)) /* in a function that the kernel calls */
        unit = amdgpu_unit_at(loop, mode);
    return unit && unit->mode == mode ? unit : NULL;
}

/* ---- requests ---------------------------------------------------------------------------- */

struct job {
    struct amdgpu_unit *unit;
    enum amdgpu_region_kind kind;
    struct amdgpu_region *region;
};

/* Sites are found once more: pages may have been discarded, whose sites are freed. */
static void done(void *data, jit_code code)
{
    const struct job *job = data;
    struct amdgpu_way *ways = job->unit->builds[job->kind].ways;
    if (!code)
        return;
    pthread_mutex_lock(&lock);
    for (unsigned e = 0; e < job->region->region.entry_count; e++) {
        const struct amdgpu_entry *entry = &job->region->entries[e];
        struct amdgpu_site *site = amdgpu_site_at(entry->op);
        ways[e] = (struct amdgpu_way){.code = code, .entry = e, .kind = job->kind};
        if (site && site->unit == job->unit)
            open_way(site, entry->full, &ways[e]);
    }
    pthread_mutex_unlock(&lock);
}

static void release(void *data)
{
    struct job *job = data;
    amdgpu_region_destroy(job->region);
    free(job);
}

/* The rest of a unit that is too long for one region becomes units of its own. */
static void request_rest(const struct amdgpu_region *region, enum amdgpu_region_kind kind)
{
    for (unsigned i = 0; i < region->cut_count; i++) {
        struct amdgpu_unit *unit = amdgpu_unit_at(region->cuts[i], region->mode);
        if (unit && unit->mode == region->mode)
            amdgpu_unit_request(unit, kind);
    }
}

static bool submit(struct amdgpu_unit *unit, enum amdgpu_region_kind kind,
                   struct amdgpu_region *region)
{
    struct build *build = &unit->builds[kind];
    struct job *job = malloc(sizeof *job);
    build->ways = calloc(region->region.entry_count, sizeof *build->ways);
    if (!job || !build->ways) {
        free(job);
        return false;
    }
    *job = (struct job){unit, kind, region};
    make_sites(unit, region);
    request_rest(region, kind);
    build->region = jit_request(&region->region, done, release, job);
    if (!build->region)
        free(job);
    return build->region;
}

void amdgpu_unit_request(struct amdgpu_unit *unit, enum amdgpu_region_kind kind)
{
    int cold = COLD;
    if (!atomic_compare_exchange_strong(&unit->builds[kind].state, &cold, REQUESTED))
        return;
    struct amdgpu_region *region = describe(unit, kind);
    if (region && submit(unit, kind, region))
        return;
    atomic_store(&unit->builds[kind].state, REFUSED);
    amdgpu_region_destroy(region);
}

/* ---- the end ----------------------------------------------------------------------------- */

static void free_unit(struct amdgpu_unit *unit)
{
    for (unsigned k = 0; k < AMDGPU_REGION_KINDS; k++) {
        jit_free(unit->builds[k].region);
        free(unit->builds[k].ways);
    }
    free(unit);
}

/* Regions that are still compiled look for sites under the lock: they find this one no more. */
static struct amdgpu_site *take_site(struct amdgpu_op *op)
{
    pthread_mutex_lock(&lock);
    struct amdgpu_site *site = amdgpu_site_at(op);
    __atomic_store_n(&op->site, NULL, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return site;
}

void amdgpu_jit_free(struct amdgpu_page *page)
{
    for (unsigned i = 0; i < AMDGPU_PAGE_WORDS; i++) {
        struct amdgpu_site *site = take_site(&page->ops[i]);
        if (site && site->is_root)
            free_unit(site->unit);
        free(site);
    }
}
