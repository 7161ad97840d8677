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

/* A barrier of some waves: the clock of each wave that those who leave have seen. */
struct meeting {
    uint64_t number;
    struct meeting *next;
    uint32_t *arriving, *complete; /* of this phase; of the phases before */
};

struct sim_shadow {
    struct sim_shadow_shape shape;
    uint32_t time;        /* barriers of the block so far, of all blocks that had this memory */
    uint32_t *wave_times; /* barriers of each wave */
    uint32_t *clocks;     /* of each wave: how often it arrived at a barrier of some */
    uint32_t *seen;       /* [wave][other]: the clock that wave has seen of the other */
    struct meeting *meetings;
    struct shared_byte *shared;
    unsigned char *written; /* of shared memory, whether each byte is */
    unsigned char *local;   /* of every thread, the same */
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
    shadow->written = calloc(shape->shared_size + 1, 1);
    shadow->local = calloc(local_size(shadow) + 1, 1);
    if (shadow->wave_times && shadow->clocks && shadow->seen && shadow->shared && shadow->written &&
        shadow->local)
        return shadow;
    sim_shadow_destroy(shadow);
    return NULL;
}

static void forget_meetings(struct sim_shadow *shadow)
{
    while (shadow->meetings) {
        struct meeting *meeting = shadow->meetings;
        shadow->meetings = meeting->next;
        free(meeting);
    }
}

void sim_shadow_destroy(struct sim_shadow *shadow)
{
    if (!shadow)
        return;
    forget_meetings(shadow);
    free(shadow->wave_times);
    free(shadow->clocks);
    free(shadow->seen);
    free(shadow->shared);
    free(shadow->written);
    free(shadow->local);
    free(shadow);
}

/* Times go on, so that what is recorded of the block before is older than anything. */
void sim_shadow_begin(struct sim_shadow *shadow)
{
    if (!shadow)
        return;
    shadow->time++;
    forget_meetings(shadow);
    memset(shadow->written, 0, shadow->shape.shared_size);
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
static struct meeting *meeting_of(struct sim_shadow *shadow, uint64_t number)
{
    struct meeting *meeting = shadow->meetings;
    while (meeting && meeting->number != number)
        meeting = meeting->next;
    if (meeting)
        return meeting;
    size_t waves = shadow->shape.waves;
    meeting = calloc(1, sizeof *meeting + 2 * waves * sizeof(uint32_t));
    if (!meeting)
        return NULL;
    meeting->number = number;
    meeting->arriving = (uint32_t *)(void *)(meeting + 1);
    meeting->complete = meeting->arriving + waves;
    meeting->next = shadow->meetings;
    shadow->meetings = meeting;
    return meeting;
}

static void see(uint32_t *clocks, const uint32_t *others, unsigned waves)
{
    for (unsigned i = 0; i < waves; i++)
        clocks[i] = clocks[i] > others[i] ? clocks[i] : others[i];
}

void sim_shadow_arrive(struct sim_shadow *shadow, uint64_t barrier, unsigned wave)
{
    if (!shadow || wave >= shadow->shape.waves)
        return;
    struct meeting *meeting = meeting_of(shadow, barrier);
    if (!meeting) { /* what is not known to race does not */
        sim_shadow_barrier(shadow);
        return;
    }
    see(meeting->arriving, shadow->seen + (size_t)wave * shadow->shape.waves, shadow->shape.waves);
    meeting->arriving[wave] = ++shadow->clocks[wave];
    shadow->wave_times[wave]++;
}

void sim_shadow_complete(struct sim_shadow *shadow, uint64_t barrier)
{
    struct meeting *meeting = shadow ? meeting_of(shadow, barrier) : NULL;
    if (!meeting)
        return;
    see(meeting->complete, meeting->arriving, shadow->shape.waves);
    memset(meeting->arriving, 0, shadow->shape.waves * sizeof(uint32_t));
}

void sim_shadow_leave(struct sim_shadow *shadow, uint64_t barrier, unsigned wave)
{
    struct meeting *meeting = NULL;
    if (shadow && wave < shadow->shape.waves)
        meeting = meeting_of(shadow, barrier);
    if (!meeting)
        return;
    see(shadow->seen + (size_t)wave * shadow->shape.waves, meeting->complete, shadow->shape.waves);
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

/* Keeps a read, in place of one that comes before it: whoever comes after the new one comes after
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
        if (shape->checks & SIM_CHECK_UNINITIALISED && (!access->write || access->atomic) &&
            !shadow->written[at])
            return SIM_SHADOW_UNWRITTEN;
        shadow->written[at] |= access->write;
        if (shape->checks & SIM_CHECK_RACES && !access->atomic)
            verdict = check_byte(shadow, at, access, out_race);
        if (verdict != SIM_SHADOW_FINE)
            return verdict;
    }
    return verdict;
}
