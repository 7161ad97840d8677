/* Owns which bytes of blocks' own memory were written, and who accessed them last. */
#include "sim_shadow.h"
#include "sim_options.h"

#include <stdlib.h>
#include <string.h>

/* The last access of a kind to a byte of shared memory. */
struct access_record {
    uint32_t thread; /* plus one; 0: none */
    uint64_t place, block_time, wave_time;
};

struct shared_byte {
    struct access_record write, read;
    bool written;
};

struct sim_shadow {
    struct sim_shadow_shape shape;
    uint64_t time;        /* barriers of the block so far */
    uint64_t *wave_times; /* barriers of each wave */
    struct shared_byte *shared;
    unsigned char *local; /* of every thread, whether each byte is written */
};

static size_t local_size(const struct sim_shadow *shadow)
{
    return (size_t)shadow->shape.waves * shadow->shape.lanes * shadow->shape.local_stride;
}

struct sim_shadow *sim_shadow_create(const struct sim_shadow_shape *shape)
{
    struct sim_shadow *shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->shape = *shape;
    shadow->wave_times = calloc(shape->waves + 1u, sizeof *shadow->wave_times);
    shadow->shared = calloc(shape->shared_size + 1, sizeof *shadow->shared);
    shadow->local = calloc(local_size(shadow) + 1, 1);
    if (shadow->wave_times && shadow->shared && shadow->local)
        return shadow;
    sim_shadow_destroy(shadow);
    return NULL;
}

void sim_shadow_destroy(struct sim_shadow *shadow)
{
    if (!shadow)
        return;
    free(shadow->wave_times);
    free(shadow->shared);
    free(shadow->local);
    free(shadow);
}

void sim_shadow_begin(struct sim_shadow *shadow)
{
    if (!shadow)
        return;
    shadow->time = 0;
    memset(shadow->wave_times, 0, shadow->shape.waves * sizeof *shadow->wave_times);
    memset(shadow->shared, 0, shadow->shape.shared_size * sizeof *shadow->shared);
    memset(shadow->local, 0, local_size(shadow));
}

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
        return SIM_SHADOW_FINE;
    if ((!access->write || access->atomic) && memchr(written, 0, access->size))
        return SIM_SHADOW_UNWRITTEN;
    if (access->write)
        memset(written, 1, access->size);
    return SIM_SHADOW_FINE;
}

/* ---- shared memory -------------------------------------------------------------------------- */

/* Whether nothing orders an earlier access before one of thread now. */
static bool unordered(const struct sim_shadow *shadow, const struct access_record *earlier,
                      unsigned thread)
{
    if (!earlier->thread || earlier->thread == thread + 1 || earlier->block_time != shadow->time)
        return false;
    unsigned wave = thread / shadow->shape.lanes;
    return (earlier->thread - 1) / shadow->shape.lanes != wave ||
           earlier->wave_time == shadow->wave_times[wave];
}

static enum sim_shadow_verdict race(uint64_t offset, const struct access_record *earlier,
                                    bool wrote, struct sim_shadow_race *out_race)
{
    *out_race = (struct sim_shadow_race){
        .offset = offset, .thread = earlier->thread - 1, .place = earlier->place, .wrote = wrote};
    return SIM_SHADOW_RACE;
}

static enum sim_shadow_verdict check_byte(struct sim_shadow *shadow, uint64_t offset,
                                          const struct sim_shadow_access *access,
                                          struct sim_shadow_race *out_race)
{
    struct shared_byte *byte = &shadow->shared[offset];
    unsigned wave = access->thread / shadow->shape.lanes;
    struct access_record now = {.thread = access->thread + 1,
                                .place = access->place,
                                .block_time = shadow->time,
                                .wave_time = shadow->wave_times[wave]};
    /* lanes of one instruction that write to one place: one of them wins, as often meant */
    bool together = access->write && byte->write.place == access->place && byte->write.thread &&
                    (byte->write.thread - 1) / shadow->shape.lanes == wave;
    if (!together && unordered(shadow, &byte->write, access->thread))
        return race(offset, &byte->write, true, out_race);
    if (access->write && unordered(shadow, &byte->read, access->thread))
        return race(offset, &byte->read, false, out_race);
    if (access->write)
        byte->write = now;
    else
        byte->read = now;
    return SIM_SHADOW_FINE;
}

enum sim_shadow_verdict sim_shadow_shared(struct sim_shadow *shadow,
                                          const struct sim_shadow_access *access,
                                          struct sim_shadow_race *out_race)
{
    const struct sim_shadow_shape *shape = &shadow->shape;
    enum sim_shadow_verdict verdict = SIM_SHADOW_FINE;
    if (access->thread >= shape->waves * shape->lanes || access->offset >= shape->shared_size ||
        shape->shared_size - access->offset < access->size)
        return SIM_SHADOW_FINE;
    for (uint64_t at = access->offset; at < access->offset + access->size; at++) {
        struct shared_byte *byte = &shadow->shared[at];
        if (shape->checks & SIM_CHECK_UNINITIALISED && (!access->write || access->atomic) &&
            !byte->written)
            return SIM_SHADOW_UNWRITTEN;
        byte->written |= access->write;
        if (shape->checks & SIM_CHECK_RACES && !access->atomic)
            verdict = check_byte(shadow, at, access, out_race);
        if (verdict != SIM_SHADOW_FINE)
            return verdict;
    }
    return verdict;
}
