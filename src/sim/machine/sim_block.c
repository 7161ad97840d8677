/* Runs the waves of one block and owns the memory of its state. It does not know other blocks:
 * sim_queue.c decides which block runs when, and sim_run.c on which thread. */
#include "sim_block.h"

#include "clocks.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    BUDGET = 1024,        /* steps of a wave at a time */
    REST_BUDGET = 256,    /* of one that spins: it will hardly get further */
    REST_ROUND = 64,      /* a resting wave runs at least once in so many runs */
    SPIN_US = 100,        /* a turn of a block whose waves may all be waiting */
    SPIN_GROWTH_MAX = 4,  /* with each such turn it grows by as much again */
    SPIN_STEPS = 1 << 13, /* when it is counted in steps */
    CLOCK_RUNS = 16,      /* the clock is read once in so many runs */
    SLICE_US = 2000,      /* of a block that was never parked */
    SLICE_PARKS = 4,      /* after so many it grows by as much again */
    SLICE_GROWTH_MAX = 8,
    SLICE_STEPS = 1 << 18, /* when it is counted in steps */
    STATE_SMALL = 128 << 10,
    STATE_UNIT = 64 << 10, /* larger ones are multiples of it */
    STATE_KEPT = 1 << 20,  /* larger ones are not kept */
    KEPT_MAX = 32,
};

static size_t allocated_size(const struct sim_launch *launch)
{
    size_t unit = launch->state_size > STATE_SMALL ? STATE_UNIT : 64;
    return launch->state_size ? (launch->state_size + unit - 1) & ~(unit - 1) : unit;
}

/* ---- memory for the next launches --------------------------------------------------------- */

/* Mapping memory and touching it for the first time takes longer than clearing it, and than many
 * kernels. Kept memory begins with its size; slots are taken and filled without a lock, by any
 * thread, also in a forked child. */
static _Atomic(void *) kept[KEPT_MAX];

/* In an empty slot, or instead of what is in another. */
static void keep_state(void *state, size_t size)
{
    static _Atomic(unsigned) turn;
    *(size_t *)state = size;
    for (unsigned i = 0; i < KEPT_MAX; i++) {
        void *empty = NULL;
        if (!atomic_load_explicit(&kept[i], memory_order_relaxed) &&
            atomic_compare_exchange_strong(&kept[i], &empty, state))
            return;
    }
    void *old = atomic_exchange(&kept[atomic_fetch_add(&turn, 1) % KEPT_MAX], state);
    if (old)
        munmap(old, *(size_t *)old);
}

/* NULL: no memory of the size is kept. */
static void *kept_state(size_t size)
{
    for (unsigned i = 0; i < KEPT_MAX; i++) {
        if (!atomic_load_explicit(&kept[i], memory_order_relaxed))
            continue;
        void *state = atomic_exchange(&kept[i], NULL);
        if (!state || *(size_t *)state == size)
            return state;
        keep_state(state, *(size_t *)state);
    }
    return NULL;
}

/* ---- a block's memory --------------------------------------------------------------------- */

/* Zeroed. Large states are mapped: pages that a block never touches cost nothing. */
static void *create_state(const struct sim_launch *launch)
{
    size_t size = allocated_size(launch);
    if (size < launch->state_size)
        return NULL;
    if (size <= STATE_SMALL) {
        void *state = aligned_alloc(64, size);
        return state ? memset(state, 0, size) : NULL;
    }
    void *state = size <= STATE_KEPT ? kept_state(size) : NULL;
    if (state)
        return memset(state, 0, launch->state_size);
    state = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    return state == MAP_FAILED ? NULL : state;
}

static void destroy_state(struct sim_block *block)
{
    if (!block->state)
        return;
    block->launch->engine->fini(block);
    size_t size = allocated_size(block->launch);
    if (size <= STATE_SMALL)
        free(block->state);
    else if (size > STATE_KEPT)
        munmap(block->state, size);
    else
        keep_state(block->state, size);
    block->state = NULL;
}

struct sim_block *sim_block_create(struct sim_launch *launch)
{
    struct sim_block *block = calloc(1, sizeof(*block) + launch->waves_per_block);
    if (!block)
        return NULL;
    block->launch = launch;
    block->wave_count = launch->waves_per_block;
    block->waves = (unsigned char *)(block + 1);
    return block;
}

void sim_run_fill_unused(void *memory, size_t size)
{
    const uint32_t word = (uint32_t)SIM_UNUSED_WORD;
    for (size_t at = 0; at < size; at += sizeof word)
        memcpy((char *)memory + at, &word, size - at < sizeof word ? size - at : sizeof word);
}

void sim_block_destroy(struct sim_block *block)
{
    if (!block)
        return;
    destroy_state(block);
    free(block);
}

/* splitmix64: a counter that is mixed until nothing of it shows. */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

bool sim_block_begin(struct sim_block *block, uint64_t number,
                     const struct sim_run_settings *settings)
{
    struct sim_launch *launch = block->launch;
    block->number = number;
    block->index[0] = (uint32_t)(number % launch->grid[0]);
    block->index[1] = (uint32_t)(number / launch->grid[0] % launch->grid[1]);
    block->index[2] = (uint32_t)(number / launch->grid[0] / launch->grid[1]);
    block->turn = block->parks = block->spins = 0;
    block->random = settings->seed;
    block->random = draw(&block->random) ^ number;
    memset(block->waves, SIM_WAVE_READY, block->wave_count);
    bool fresh = !block->state;
    if (fresh && !(block->state = create_state(launch)))
        return false;
    if (launch->engine->begin(block, fresh))
        return true;
    destroy_state(block);
    return false;
}

/* Sets of states. */
enum {
    READY = 1 << SIM_WAVE_READY,
    RESTING = 1 << SIM_WAVE_RESTS | 1 << SIM_WAVE_SPINS,
    SPINNING = 1 << SIM_WAVE_SPINS,
    WAITING = 1 << SIM_WAVE_WAITS,
};

static bool is_in(const struct sim_block *block, unsigned wave, unsigned states)
{
    return states >> block->waves[wave] & 1;
}

/* The wave in one of the states, after the one that ran last; -1: none. Drawn: any
 * of them. */
static int find_wave(struct sim_block *block, unsigned states, bool drawn)
{
    unsigned start = block->turn;
    if (drawn && block->wave_count)
        start = (unsigned)(draw(&block->random) % block->wave_count);
    for (unsigned i = 0; i < block->wave_count; i++) {
        unsigned wave = start + i < block->wave_count ? start + i : start + i - block->wave_count;
        if (is_in(block, wave, states))
            return (int)wave;
    }
    return -1;
}

static unsigned count_waves(const struct sim_block *block, unsigned states)
{
    unsigned count = 0;
    for (unsigned wave = 0; wave < block->wave_count; wave++)
        count += is_in(block, wave, states);
    return count;
}

/* Whether a block without a wave to run has one now. */
static bool can_go_on(struct sim_block *block)
{
    if (!block->launch->engine->stuck(block))
        return false;
    if (count_waves(block, READY | RESTING))
        return true;
    AH_LOG_ERR("block %llu: the waves of %s are deadlocked", (unsigned long long)block->number,
               block->launch->engine->name);
    return false;
}

/* The next wave; its turn is not over as long as one is READY. */
static int next_wave(struct sim_block *block, unsigned runs, bool drawn)
{
    /* A READY wave may spin, unknown to its engine, on what a resting one is to do. */
    int wave = runs % REST_ROUND == 0 ? find_wave(block, RESTING, drawn) : -1;
    if (wave < 0)
        wave = find_wave(block, READY, drawn);
    return wave < 0 ? find_wave(block, RESTING, false) : wave;
}

static unsigned choose_budget(struct sim_block *block, bool rests, bool drawn)
{
    unsigned budget = rests ? REST_BUDGET : BUDGET;
    return drawn ? 1 + (unsigned)(draw(&block->random) % budget) : budget;
}

static uint64_t now_us(void)
{
    return ah_clock_now() / 1000;
}

struct slice {
    uint64_t since; /* 0: the clock was not read yet, which short blocks never need */
    uint64_t steps;
};

static bool has_passed(struct slice *slice, uint64_t us, uint64_t steps, bool in_steps)
{
    if (in_steps)
        return slice->steps > steps;
    uint64_t now = now_us();
    if (!slice->since)
        slice->since = now;
    return now - slice->since > us;
}

static bool is_over(struct slice *slice, const struct sim_block *block, unsigned runs,
                    bool in_steps)
{
    if (!in_steps && runs % CLOCK_RUNS)
        return false;
    uint64_t growth = 1 + block->parks / SLICE_PARKS;
    if (growth > SLICE_GROWTH_MAX)
        growth = SLICE_GROWTH_MAX;
    return has_passed(slice, SLICE_US * growth, SLICE_STEPS * growth, in_steps);
}

/* Whether it is time for others, when all waves of a block rest. Those that may be
 * working get some time, so that little of it goes into changing blocks. */
static bool has_spun(struct slice *slice, const struct sim_block *block, bool in_steps)
{
    uint64_t growth = 1 + block->spins;
    if (growth > SPIN_GROWTH_MAX)
        growth = SPIN_GROWTH_MAX;
    return !count_waves(block, SPINNING) ||
           has_passed(slice, SPIN_US * growth, SPIN_STEPS * growth, in_steps);
}

static enum sim_turn rest(struct sim_block *block, bool moved)
{
    if (moved)
        return SIM_TURN_RESTED;
    if (!count_waves(block, SPINNING))
        return SIM_TURN_IDLE;
    block->spins++;
    return SIM_TURN_SPUN;
}

/* Runs a wave. Returns its new state. */
static enum sim_wave run_wave(struct sim_block *block, unsigned wave, struct slice *slice,
                              bool drawn)
{
    unsigned budget = choose_budget(block, is_in(block, wave, RESTING), drawn);
    enum sim_wave state = block->launch->engine->run(block, wave, budget);
    block->waves[wave] = (unsigned char)state;
    block->turn = wave + 1 < block->wave_count ? wave + 1 : 0;
    slice->steps += budget;
    return state;
}

enum sim_turn sim_block_turn(struct sim_block *block, const struct sim_run_settings *settings,
                             const struct sim_hold *hold)
{
    bool drawn = settings->deterministic;
    struct slice slice = {0};
    unsigned rested = 0; /* resting waves that ran in a row and rest again */
    bool moved = false;
    for (unsigned runs = 1; !sim_run_cancelled(block->launch); runs++) {
        if (atomic_load_explicit(&hold->wanted, memory_order_relaxed))
            hold->wait(block);
        int wave = next_wave(block, runs, drawn);
        if (wave < 0 && !count_waves(block, WAITING))
            return SIM_TURN_ENDED;
        if (wave < 0 && !can_go_on(block))
            return SIM_TURN_FAILED;
        if (wave < 0)
            continue;
        bool rests = is_in(block, (unsigned)wave, RESTING);
        if (run_wave(block, (unsigned)wave, &slice, drawn) == SIM_WAVE_FAILED)
            return SIM_TURN_FAILED;
        rested = rests && is_in(block, (unsigned)wave, RESTING) ? rested + 1 : 0;
        if (!rested) {
            moved = true;
            block->spins = 0;
        } else if (rested >= count_waves(block, RESTING) && !count_waves(block, READY) &&
                   has_spun(&slice, block, drawn)) {
            return rest(block, moved);
        }
        if (is_over(&slice, block, runs, drawn))
            return SIM_TURN_SLICED;
    }
    return SIM_TURN_CANCELLED;
}
