/* Launches: the engine that the scheduler drives, and how a block's memory is laid
 * out: the block, its warps, their registers, shared and local memory. */
#include "ptx_checks.h"
#include "demangle.h"
#include "ptx_jit.h"
#include "ptx_warp.h"

#include "log.h"
#include "sim_grid.h"
#include "sim_options.h"
#include "sim_places.h"

#include <stdlib.h>
#include <string.h>

static struct ptx_launch *launch_of(const struct sim_block *block)
{
    return (struct ptx_launch *)(void *)block->launch;
}

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

/* ---- a block's memory ------------------------------------------------------------------ */

static struct ptx_shape_of_block shape_of(const struct ptx_launch *launch, unsigned waves)
{
    const struct ptx_code *code = launch->kernel->code;
    struct ptx_shape_of_block shape = {0};
    size_t local = code->stack_need != SIZE_MAX ? code->stack_need
                                                : code->local_size + launch->context->stack_size;
    size_t fixed = code->dynamic ? code->dynamic_offset : round_up(code->shared_size, 16);
    shape.waves = round_up(sizeof(struct ptx_block), 64);
    shape.regs = shape.waves + waves * round_up(sizeof(struct ptx_wave), 64);
    shape.regs_stride = round_up(code->frame_size, 64);
    shape.shared = shape.regs + waves * shape.regs_stride;
    shape.shared_size = launch->dynamic_shared ? fixed + launch->dynamic_shared
                        : code->dynamic        ? fixed
                                               : code->shared_size;
    shape.local = round_up(shape.shared + shape.shared_size, 64);
    shape.local_stride = round_up(local, 16);
    shape.size = shape.local + waves * ptx_local_size(shape.local_stride);
    return shape;
}

static void set_threads(struct ptx_wave *wave, const struct ptx_launch *launch)
{
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        uint32_t thread = wave->warp.number * PTX_LANES + lane;
        wave->tid[0][lane] = thread % launch->block[0];
        wave->tid[1][lane] = thread / launch->block[0] % launch->block[1];
        wave->tid[2][lane] = thread / launch->block[0] / launch->block[1];
    }
}

/* What stays the same for all blocks that use this memory. */
static void make_wave(struct ptx_block *block, unsigned number)
{
    struct ptx_launch *launch = block->launch;
    const struct ptx_shape_of_block *shape = launch->private;
    const struct ptx_code *code = launch->kernel->code;
    unsigned char *base = (unsigned char *)block;
    struct ptx_wave *wave = &block->waves[number];
    struct ptx_warp *warp = &wave->warp;
    warp->number = number;
    warp->device = launch->context->device;
    warp->block = block;
    warp->launch = launch;
    warp->shared = base + shape->shared;
    warp->shared_size = shape->shared_size;
    warp->local_stride = shape->local_stride;
    warp->local = base + shape->local + number * ptx_local_size(shape->local_stride);
    warp->params = launch->params;
    warp->param_size = code->param_size;
    warp->private = wave;
    wave->frame.code = code;
    wave->frame.regs = base + shape->regs + number * shape->regs_stride;
    memcpy(wave->frame.regs + code->constants_offset, code->constants, code->constants_size);
    set_threads(wave, launch);
    ptx_warp_prepare(wave);
}

static bool make_block(struct sim_block *sim)
{
    struct ptx_block *block = sim->state;
    struct ptx_launch *launch = launch_of(sim);
    const struct ptx_shape_of_block *shape = launch->private;
    block->sim = sim;
    block->launch = launch;
    block->wave_count = sim->wave_count;
    block->thread_count = launch->block[0] * launch->block[1] * launch->block[2];
    block->waves = (struct ptx_wave *)(void *)((unsigned char *)block + shape->waves);
    block->may_be_together =
        !sim_options()->checks && !sim_profile_on() && !sim_options()->run.deterministic;
    sim_run_fill_unused((unsigned char *)block + shape->shared, shape->shared_size);
    struct sim_shadow *shadow =
        ptx_checks_on()
            ? ptx_shadow_create(shape->shared_size, block->wave_count, shape->local_stride)
            : NULL;
    if (ptx_checks_on() && !shadow)
        return false;
    if (sim_profile_on() && !(block->counts = calloc(1, sizeof *block->counts))) {
        sim_shadow_destroy(shadow);
        return false;
    }
    for (unsigned i = 0; i < block->wave_count; i++) {
        make_wave(block, i);
        block->waves[i].warp.shadow = shadow;
    }
    return true;
}

/* ---- the engine --------------------------------------------------------------------------- */

/* Blocks take turns on the multiprocessors of their launch. */
static unsigned unit_of(const struct ptx_launch *launch, uint64_t block)
{
    unsigned units = launch->units ? launch->units : launch->context->units;
    unsigned before = (unsigned)(block % (units ? units : 1)), unit = 0;
    if (launch->units == 0)
        return before;
    while (!(launch->unit_mask[unit / 32] >> unit % 32 & 1) || before-- > 0)
        unit++;
    return unit;
}

static bool begin(struct sim_block *sim, bool fresh)
{
    struct ptx_block *block = sim->state;
    if (fresh && !make_block(sim))
        return false;
    block->sim = sim;
    block->alive = block->thread_count;
    block->smid = unit_of(block->launch, sim->number);
    ptx_barrier_begin(block, fresh);
    for (unsigned i = 0; i < block->wave_count; i++) {
        unsigned left = block->thread_count - i * PTX_LANES;
        ptx_warp_start(&block->waves[i], left < PTX_LANES ? (1u << left) - 1 : UINT32_MAX);
    }
    block->together = block->may_be_together;
    sim_shadow_begin(block->waves[0].warp.shadow);
    return true;
}

/* Threads of the host count what has ended in one place: seldom, where regions executed it. */
static void tell_jit(struct ptx_block *block)
{
    ptx_jit_end(block->launch, block->heat, block->ended);
    block->heat = block->ended = 0;
}

static void note_end(struct ptx_block *block, unsigned wave)
{
    enum { MANY = 1 << 14 };
    const struct ptx_wave *ended = &block->waves[wave];
    block->heat += ended->warp.steps - ended->noted;
    block->ended += ended->warp.steps;
    if (!block->alive && (block->heat || block->ended >= MANY))
        tell_jit(block);
    AH_LOG(AH_LOG_EXTRA, AH_LOG_KERN, "%s: warp %u of block %llu has executed %llu instructions",
           block->launch->kernel->symbol->name, wave, (unsigned long long)block->sim->number,
           (unsigned long long)ended->warp.steps);
}

/* The first warps of the block go back to the scheduler's care; those that have not ended are to
 * continue at op. */
static void park(struct ptx_block *block, unsigned warps, const struct ptx_op *op)
{
    for (unsigned w = 0; w < warps; w++)
        if (block->waves[w].warp.alive)
            ptx_warp_park_at(&block->waves[w], op);
}

/* Runs all warps of a block that are together, one after the other, from *at on (NULL: from where
 * they are READY to continue), up to a barrier or further. Where all of them come to one that have
 * not ended, they have passed it and are together again, to continue at *at: nobody has to be
 * counted or woken, and the processor learns where compiled code goes. Otherwise all are parked. */
static bool run_together(struct ptx_block *block, unsigned budget, const struct ptx_op **at)
{
    struct sim_span *spans = ptx_warp_spans();
    const struct ptx_op *barrier = NULL;
    bool apart = false;
    block->together = false;
    for (unsigned w = 0; w < block->wave_count; w++) {
        struct ptx_wave *wave = &block->waves[w];
        const struct ptx_op *here = *at;
        if (!wave->warp.alive)
            continue;
        enum sim_wave state = ptx_warp_run_to_barrier(wave, budget, spans, &here);
        block->sim->waves[w] = (unsigned char)state;
        if (state == SIM_WAVE_FAILED)
            return false;
        if (state == SIM_WAVE_ENDED) {
            note_end(block, w);
            continue;
        }
        if (!apart && (!here || (barrier && here != barrier))) {
            park(block, w, barrier);
            apart = true;
        }
        if (apart && here)
            ptx_warp_park_at(wave, here);
        barrier = here;
    }
    if (apart || !barrier)
        return true;
    block->together = ptx_barrier_is_passed(block, barrier);
    *at = barrier + 1;
    if (!block->together)
        park(block, block->wave_count, barrier);
    return true;
}

/* Blocks pass several barriers in a call of the scheduler. */
static bool run_some_together(struct ptx_block *block, unsigned budget)
{
    enum { WARPS = 32 };
    const struct ptx_op *at = NULL;
    for (unsigned warps = 0; block->together && warps < WARPS; warps += block->wave_count)
        if (!run_together(block, budget, &at))
            return false;
    if (block->together)
        park(block, block->wave_count, at);
    return true;
}

static enum sim_wave run(struct sim_block *sim, unsigned wave, unsigned budget)
{
    struct ptx_block *block = sim->state;
    if (block->together)
        return run_some_together(block, budget) ? (enum sim_wave)sim->waves[wave] : SIM_WAVE_FAILED;
    enum sim_wave outcome = ptx_warp_run(&block->waves[wave], budget);
    if (outcome == SIM_WAVE_ENDED)
        note_end(block, wave);
    return outcome;
}

static bool stuck(struct sim_block *sim)
{
    ptx_report_stuck(sim->state);
    return false;
}

static void fini(struct sim_block *sim)
{
    struct ptx_block *block = sim->state;
    const struct ptx_shape_of_block *shape = launch_of(sim)->private;
    if (!block->waves)
        return;
    if (block->counts)
        sim_profile_add(shape->profile, block->counts);
    free(block->counts);
    tell_jit(block);
    sim_shadow_destroy(block->waves[0].warp.shadow);
    for (unsigned i = 0; i < block->wave_count; i++)
        ptx_warp_fini(&block->waves[i]);
}

/* %envreg1 and %envreg2 are the address of the grid's workspace. */
static bool grid_hangs(struct sim_launch *run_of_launch, uint64_t ended)
{
    enum { HIGH = 1, LOW = 2 };
    struct ptx_launch *launch = (struct ptx_launch *)(void *)run_of_launch;
    uint64_t workspace = (uint64_t)launch->envregs[HIGH] << 32 | launch->envregs[LOW];
    if (!sim_grid_waits(launch->context->device, workspace))
        return false;
    ptx_report_grid(launch, ended);
    return true;
}

static void introduce(const struct sim_launch *launch, struct sim_report *text)
{
    ptx_report_launch((const struct ptx_launch *)(const void *)launch, text);
}

static void find_threads(const struct sim_block *sim, unsigned wave, struct sim_places *places)
{
    const struct ptx_block *block = sim->state;
    const struct ptx_fragment *fragment = block->waves[wave].warp.fragments;
    for (; fragment; fragment = fragment->next) {
        struct sim_place place = {.block = sim, .wave = wave, .what = fragment};
        place.key = (uintptr_t)fragment->op + fragment->wait;
        place.threads = (unsigned)__builtin_popcount(fragment->mask);
        sim_places_add(places, &place);
    }
}

static bool time_out(struct sim_launch *run_of_launch)
{
    struct ptx_launch *launch = (struct ptx_launch *)(void *)run_of_launch;
    int none = PTX_END_OK;
    return atomic_compare_exchange_strong(&launch->end, &none, PTX_END_TIMEOUT);
}

static const struct sim_engine engine = {.name = "ptx",
                                         .begin = begin,
                                         .run = run,
                                         .stuck = stuck,
                                         .grid_hangs = grid_hangs,
                                         .introduce = introduce,
                                         .find_threads = find_threads,
                                         .describe = ptx_report_place,
                                         .time_out = time_out,
                                         .fini = fini};

/* ---- launches ------------------------------------------------------------------------------- */

static void finish(struct sim_launch *run_of_launch, bool failed)
{
    struct ptx_launch *launch = (struct ptx_launch *)(void *)run_of_launch;
    struct ptx_shape_of_block *shape = launch->private;
    void (*done)(struct sim_launch *, bool) = shape->done;
    if (failed) {
        /* Whatever failed in a kernel has said so already. */
        int none = PTX_END_OK;
        atomic_compare_exchange_strong(&launch->end, &none, PTX_END_CANCELLED);
    }
    sim_profile_end(shape->profile, failed);
    launch->private = NULL;
    free(shape);
    launch->run.done = done;
    done(run_of_launch, failed);
}

static bool is_clustered(const struct ptx_launch *launch)
{
    return launch->cluster[0] > 1 || launch->cluster[1] > 1 || launch->cluster[2] > 1;
}

bool ptx_launch(struct ptx_launch *launch)
{
    unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    unsigned waves = (threads + PTX_LANES - 1) / PTX_LANES;
    if (is_clustered(launch) || !launch->kernel->code || threads == 0) {
        AH_LOG_ERR("kernel %s cannot be launched: %s", ah_demangle(launch->kernel->symbol->name),
                   is_clustered(launch)    ? "clusters of several blocks are not simulated"
                   : !launch->kernel->code ? "it has no code"
                                           : "the block is empty");
        return false;
    }
    struct ptx_shape_of_block *shape = malloc(sizeof *shape);
    if (!shape)
        return false;
    *shape = shape_of(launch, waves);
    shape->done = launch->run.done;
    launch->private = shape;
    atomic_store(&launch->end, PTX_END_OK);
    ptx_jit_launch(launch);
    launch->run.engine = &engine;
    launch->run.kernel = launch->kernel;
    launch->run.waves_per_block = waves;
    launch->run.state_size = shape->size;
    launch->run.done = finish;
    shape->profile = sim_profile_on() ? ptx_profile_begin(launch, shape) : NULL;
    if (sim_run(&launch->run))
        return true;
    sim_profile_end(shape->profile, true);
    launch->run.done = shape->done;
    launch->private = NULL;
    free(shape);
    return false;
}
