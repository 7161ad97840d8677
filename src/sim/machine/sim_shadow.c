/* Owns which bytes of blocks' own memory were written, and who accessed them last. */
#include "sim_shadow.h"
#include "sim_options.h"

#include <stdlib.h>
#include <string.h>

enum { READERS = 4 };

/* An access to a byte of shared memory, and when it was. */
struct access_record {
    uint64_t place;
    uint32_t thread; /* plus one; 0: none */
    uint32_t block_time, wave_time, clock;
};

/* The last write, and reads that no later one stands for. */
struct shared_byte {
    struct access_record write, reads[READERS];
};

/* A barrier of some waves: the clock of each wave that the waves which leave it have seen. */
struct barrier_phase {
    uint64_t number;
    struct barrier_phase *next;
    uint32_t *arriving, *complete; /* of this phase; of the phases before */
};

/* An asynchronous copy that its thread has not waited for. */
struct copy {
    unsigned thread;
    uint32_t group; /* number, of the thread's */
    uint64_t offset, place;
    size_t size;
};

enum { WRITTEN = 1, PENDING = 2 }; /* of a byte of shared memory */

struct sim_shadow {
    struct sim_shadow_shape shape;
    uint32_t time;        /* barriers of the block so far, of all blocks that had this memory */
    uint32_t *wave_times; /* barriers of each wave */
    uint32_t *clocks;     /* of each wave: how often it arrived at a barrier of some */
    uint32_t *seen;       /* [wave][other]: the clock that wave has seen of the other */
    struct barrier_phase *phases;
    struct shared_byte *shared;
    unsigned char *states; /* of each byte of shared memory */
    unsigned char *local;  /* of every thread, whether each byte is written */
    struct copy *copies;
    size_t copy_count, copy_capacity;
    uint32_t *groups; /* of each thread: how many it has ended */
};

static size_t local_size(const struct sim_shadow *shadow)
{
    return (size_t)shadow->shape.waves * shadow->shape.lanes * shadow->shape.local_stride;
}

struct sim_shadow *sim_shadow_create(const struct sim_shadow_shape *shape)
{
    struct sim_shadow *shadow = calloc(1, sizeof *shadow);
    size_t waves = shape->waves + 1u;
    if (!shadow)
        return NULL;
    shadow->shape = *shape;
    shadow->wave_times = calloc(waves, sizeof *shadow->wave_times);
    shadow->clocks = calloc(waves, sizeof *shadow->clocks);
    shadow->seen = calloc(waves * waves, sizeof *shadow->seen);
    shadow->shared = calloc(shape->shared_size + 1, sizeof *shadow->shared);
    shadow->states = calloc(shape->shared_size + 1, 1);
    shadow->local = calloc(local_size(shadow) + 1, 1);
    shadow->groups = calloc(waves * shape->lanes, sizeof *shadow->groups);
    if (shadow->wave_times && shadow->clocks && shadow->seen && shadow->shared && shadow->states &&
        shadow->local && shadow->groups)
        return shadow;
    sim_shadow_destroy(shadow);
    return NULL;
}

static void free_phases(struct sim_shadow *shadow)
{
    while (shadow->phases) {
        struct barrier_phase *phase = shadow->phases;
        shadow->phases = phase->next;
        free(phase);
    }
}

void sim_shadow_destroy(struct sim_shadow *shadow)
{
    if (!shadow)
        return;
    free_phases(shadow);
    free(shadow->wave_times);
    free(shadow->clocks);
    free(shadow->seen);
    free(shadow->shared);
    free(shadow->states);
    free(shadow->copies);
    free(shadow->groups);
    free(shadow->local);
    free(shadow);
}

/* Times keep increasing, so that records of the block before are older than anything. */
void sim_shadow_begin(struct sim_shadow *shadow)
{
    if (!shadow)
        return;
    shadow->time++;
    free_phases(shadow);
    memset(shadow->states, 0, shadow->shape.shared_size);
    memset(shadow->groups, 0, shadow->shape.waves * shadow->shape.lanes * sizeof(uint32_t));
    shadow->copy_count = 0;
    memset(shadow->local, 0, local_size(shadow));
}

/* ---- barriers ------------------------------------------------------------------------------- */

void sim_shadow_barrier(struct sim_shadow *shadow)
{
    if (shadow)
        shadow->time++;
}

void sim_shadow_wave_barrier(struct sim_shadow *shadow, unsigned wave)
{
    if (shadow && wave < shadow->shape.waves)
        shadow->wave_times[wave]++;
}

/* NULL: no memory. */
static struct barrier_phase *phase_of(struct sim_shadow *shadow, uint64_t number)
{
    struct barrier_phase *phase = shadow->phases;
    while (phase && phase->number != number)
        phase = phase->next;
    if (phase)
        return phase;
    size_t waves = shadow->shape.waves;
    phase = calloc(1, sizeof *phase + 2 * waves * sizeof(uint32_t));
    if (!phase)
        return NULL;
    phase->number = number;
    phase->arriving = (uint32_t *)(void *)(phase + 1);
    phase->complete = phase->arriving + waves;
    phase->next = shadow->phases;
    shadow->phases = phase;
    return phase;
}

static void merge_clocks(uint32_t *clocks, const uint32_t *others, unsigned waves)
{
    for (unsigned i = 0; i < waves; i++)
        clocks[i] = clocks[i] > others[i] ? clocks[i] : others[i];
}

void sim_shadow_arrive(struct sim_shadow *shadow, uint64_t barrier, unsigned wave)
{
    if (!shadow || wave >= shadow->shape.waves)
        return;
    struct barrier_phase *phase = phase_of(shadow, barrier);
    if (!phase) { /* what is not known to race does not */
        sim_shadow_barrier(shadow);
        return;
    }
    merge_clocks(phase->arriving, shadow->seen + (size_t)wave * shadow->shape.waves,
                 shadow->shape.waves);
    phase->arriving[wave] = ++shadow->clocks[wave];
    shadow->wave_times[wave]++;
}

void sim_shadow_complete(struct sim_shadow *shadow, uint64_t barrier)
{
    struct barrier_phase *phase = shadow ? phase_of(shadow, barrier) : NULL;
    if (!phase)
        return;
    merge_clocks(phase->complete, phase->arriving, shadow->shape.waves);
    memset(phase->arriving, 0, shadow->shape.waves * sizeof(uint32_t));
}

void sim_shadow_leave(struct sim_shadow *shadow, uint64_t barrier, unsigned wave)
{
    struct barrier_phase *phase = NULL;
    if (shadow && wave < shadow->shape.waves)
        phase = phase_of(shadow, barrier);
    if (!phase)
        return;
    merge_clocks(shadow->seen + (size_t)wave * shadow->shape.waves, phase->complete,
                 shadow->shape.waves);
    shadow->wave_times[wave]++;
}

/* ---- local memory ------------------------------------------------------------------------- */

static unsigned char *local_bytes(struct sim_shadow *shadow, unsigned thread, uint64_t offset,
                                  size_t size)
{
    const struct sim_shadow_shape *shape = &shadow->shape;
    if (thread >= shape->waves * shape->lanes || offset >= shape->local_stride ||
        shape->local_stride - offset < size)
        return NULL;
    return shadow->local + thread * shape->local_stride + offset;
}

void sim_shadow_passed(struct sim_shadow *shadow, unsigned thread, uint64_t offset, size_t size)
{
    unsigned char *written = shadow ? local_bytes(shadow, thread, offset, size) : NULL;
    if (written)
        memset(written, 1, size);
}

enum sim_shadow_verdict sim_shadow_local(struct sim_shadow *shadow,
                                         const struct sim_shadow_access *access)
{
    unsigned char *written = local_bytes(shadow, access->thread, access->offset, access->size);
    if (!(shadow->shape.checks & SIM_CHECK_UNINITIALISED) || !written)
        return SIM_SHADOW_OK;
    if ((!access->write || access->atomic) && memchr(written, 0, access->size))
        return SIM_SHADOW_UNWRITTEN;
    if (access->write)
        memset(written, 1, access->size);
    return SIM_SHADOW_OK;
}

/* ---- shared memory -------------------------------------------------------------------------- */

static struct access_record record_of(const struct sim_shadow *shadow, unsigned thread,
                                      uint64_t place)
{
    unsigned wave = thread / shadow->shape.lanes;
    return (struct access_record){.place = place,
                                  .thread = thread + 1,
                                  .block_time = shadow->time,
                                  .wave_time = shadow->wave_times[wave],
                                  .clock = shadow->clocks[wave] + 1};
}

static unsigned wave_of(const struct sim_shadow *shadow, const struct access_record *record)
{
    return (record->thread - 1) / shadow->shape.lanes;
}

/* Whether nothing orders an earlier access before one of thread now. */
static bool unordered(const struct sim_shadow *shadow, const struct access_record *earlier,
                      unsigned thread)
{
    if (!earlier->thread || earlier->thread == thread + 1 || earlier->block_time != shadow->time)
        return false;
    unsigned wave = thread / shadow->shape.lanes, other = wave_of(shadow, earlier);
    if (other == wave)
        return earlier->wave_time == shadow->wave_times[wave];
    return earlier->clock > shadow->seen[(size_t)wave * shadow->shape.waves + other];
}

static enum sim_shadow_verdict race(uint64_t offset, const struct access_record *earlier,
                                    bool wrote, struct sim_shadow_race *out_race)
{
    *out_race = (struct sim_shadow_race){
        .offset = offset, .thread = earlier->thread - 1, .place = earlier->place, .wrote = wrote};
    return SIM_SHADOW_RACE;
}

/* Keeps a read, in place of one that comes before it: what comes after the new one comes after
 * both. When there is no room, two threads are kept, and two waves if there are so many: a writer
 * is at most one of them. */
static void keep_read(struct sim_shadow *shadow, struct access_record reads[READERS],
                      const struct access_record *now)
{
    unsigned own = 0, wave = wave_of(shadow, now);
    for (unsigned i = 0; i < READERS; i++)
        if (!reads[i].thread || !unordered(shadow, &reads[i], now->thread - 1)) {
            reads[i] = *now;
            return;
        }
    for (unsigned i = 0; i < READERS; i++)
        own += wave_of(shadow, &reads[i]) == wave;
    if (own < 2)
        reads[READERS - 1] = *now;
}

static enum sim_shadow_verdict check_byte(struct sim_shadow *shadow, uint64_t offset,
                                          const struct sim_shadow_access *access,
                                          struct sim_shadow_race *out_race)
{
    struct shared_byte *byte = &shadow->shared[offset];
    struct access_record now = record_of(shadow, access->thread, access->place);
    /* lanes of one instruction that write to one place: one of them wins, as often meant */
    bool together = access->write && byte->write.place == access->place && byte->write.thread &&
                    wave_of(shadow, &byte->write) == access->thread / shadow->shape.lanes;
    if (!together && unordered(shadow, &byte->write, access->thread))
        return race(offset, &byte->write, true, out_race);
    for (unsigned i = 0; access->write && i < READERS; i++)
        if (unordered(shadow, &byte->reads[i], access->thread))
            return race(offset, &byte->reads[i], false, out_race);
    if (access->write)
        byte->write = now;
    else
        keep_read(shadow, byte->reads, &now);
    return SIM_SHADOW_OK;
}

/* ---- copies ------------------------------------------------------------------------------- */

static enum sim_shadow_verdict coming(const struct sim_shadow *shadow, uint64_t offset,
                                      struct sim_shadow_race *out_race)
{
    for (size_t i = 0; i < shadow->copy_count; i++) {
        const struct copy *copy = &shadow->copies[i];
        if (offset - copy->offset < copy->size)
            *out_race = (struct sim_shadow_race){
                .offset = offset, .thread = copy->thread, .place = copy->place, .wrote = true};
    }
    return SIM_SHADOW_PENDING;
}

/* NULL: no memory. */
static struct copy *new_copy(struct sim_shadow *shadow)
{
    if (shadow->copy_count == shadow->copy_capacity) {
        size_t more = shadow->copy_capacity ? 2 * shadow->copy_capacity : 64;
        struct copy *copies = realloc(shadow->copies, more * sizeof *copies);
        if (!copies)
            return NULL;
        shadow->copies = copies;
        shadow->copy_capacity = more;
    }
    return &shadow->copies[shadow->copy_count++];
}

static bool has_thread(const struct sim_shadow *shadow, unsigned thread)
{
    return shadow && thread < shadow->shape.waves * shadow->shape.lanes;
}

void sim_shadow_copy(struct sim_shadow *shadow, const struct sim_shadow_access *access)
{
    if (!has_thread(shadow, access->thread) || !(shadow->shape.checks & SIM_CHECK_SYNC) ||
        access->offset >= shadow->shape.shared_size ||
        shadow->shape.shared_size - access->offset < access->size)
        return;
    struct copy *copy = new_copy(shadow);
    if (!copy)
        return;
    *copy = (struct copy){.thread = access->thread,
                          .group = shadow->groups[access->thread],
                          .offset = access->offset,
                          .place = access->place,
                          .size = access->size};
    for (size_t i = 0; i < access->size; i++)
        shadow->states[access->offset + i] |= PENDING;
}

static void arrive(struct sim_shadow *shadow, const struct copy *copy)
{
    for (size_t i = 0; i < copy->size; i++) {
        shadow->states[copy->offset + i] &= (unsigned char)~PENDING;
        shadow->shared[copy->offset + i].write = record_of(shadow, copy->thread, copy->place);
    }
}

/* Those of a thread whose group's number is less than end. */
static void arrive_before(struct sim_shadow *shadow, unsigned thread, uint32_t end)
{
    size_t kept = 0;
    for (size_t i = 0; i < shadow->copy_count; i++) {
        struct copy *copy = &shadow->copies[i];
        if (copy->thread == thread && copy->group < end)
            arrive(shadow, copy);
        else
            shadow->copies[kept++] = *copy;
    }
    shadow->copy_count = kept;
}

void sim_shadow_commit(struct sim_shadow *shadow, unsigned thread)
{
    if (has_thread(shadow, thread))
        shadow->groups[thread]++;
}

void sim_shadow_wait(struct sim_shadow *shadow, unsigned thread, unsigned groups_left)
{
    if (has_thread(shadow, thread) && shadow->groups[thread] > groups_left)
        arrive_before(shadow, thread, shadow->groups[thread] - groups_left);
}

void sim_shadow_wait_all(struct sim_shadow *shadow, unsigned thread)
{
    if (has_thread(shadow, thread))
        arrive_before(shadow, thread, UINT32_MAX);
}

/* ---- accesses ----------------------------------------------------------------------------- */

enum sim_shadow_verdict sim_shadow_shared(struct sim_shadow *shadow,
                                          const struct sim_shadow_access *access,
                                          struct sim_shadow_race *out_race)
{
    const struct sim_shadow_shape *shape = &shadow->shape;
    enum sim_shadow_verdict verdict = SIM_SHADOW_OK;
    if (access->thread >= shape->waves * shape->lanes || access->offset >= shape->shared_size ||
        shape->shared_size - access->offset < access->size)
        return SIM_SHADOW_OK;
    for (uint64_t at = access->offset; at < access->offset + access->size; at++) {
        if (shape->checks & SIM_CHECK_UNINITIALISED && (!access->write || access->atomic) &&
            !(shadow->states[at] & WRITTEN))
            return SIM_SHADOW_UNWRITTEN;
        if (shadow->states[at] & PENDING)
            return coming(shadow, at, out_race);
        shadow->states[at] |= access->write ? WRITTEN : 0;
        if (shape->checks & SIM_CHECK_RACES && !access->atomic)
            verdict = check_byte(shadow, at, access, out_race);
        if (verdict != SIM_SHADOW_OK)
            return verdict;
    }
    return verdict;
}
