/* Loads and stores of regions that are no row of words: any lanes, anywhere in memory that the
 * table of granules knows, or in LDS. Compiled once for each instruction set of the host
 * (AMDGPU_ISA_NAME). */
#include "amdgpu_jit_region.h"
#include "sim_lanes.h"

#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* Kernels may race, so the host's compiler must not assume that they do not. */
#define RACY __attribute__((no_sanitize("thread")))

typedef uint32_t any32 __attribute__((aligned(1), may_alias));
typedef uint16_t any16 __attribute__((aligned(1), may_alias));

static uint64_t address_of(const struct amdgpu_scattered *s, unsigned lane)
{
    if (s->lds)
        return (uint32_t)(s->low[lane] + (uint32_t)s->base);
    return s->base + s->low[lane] + (s->high ? (uint64_t)s->high[lane] << 32 : 0);
}

/* size bytes. NULL: not in this way. */
LANE unsigned char *reach_row(const struct amdgpu_scattered *s, uint64_t at, uint64_t size,
                              bool write)
{
    if (s->lds)
        return size <= s->lds_size && at <= s->lds_size - size ? s->lds + at : NULL;
    if (at >> 32 >= 0x8001) /* the windows of LDS and scratch */
        return NULL;
    return sim_translate_span(AMDGPU_ACCESS_DEVICE(s->flags), at, size, write);
}

static unsigned char *reach(const struct amdgpu_scattered *s, uint64_t at, uint64_t size,
                            bool write)
{
    return reach_row(s, at, size, write);
}

/* ---- elements ---------------------------------------------------------------------------- */

RACY LANE void fetch(const struct amdgpu_scattered *s, unsigned lane, const unsigned char *from,
                     unsigned bytes)
{
    bool sign = s->flags & AMDGPU_ACCESS_SIGNED;
    uint16_t word = bytes == 2 ? *(const any16 *)(const void *)from : 0;
    if (bytes == 1)
        s->data[lane] = sign ? (uint32_t)(int8_t)*from : *from;
    else if (bytes == 2)
        s->data[lane] = sign ? (uint32_t)(int16_t)word : word;
    else
        for (unsigned r = 0; r < bytes / 4; r++)
            s->data[r * s->lanes + lane] = ((const any32 *)(const void *)from)[r];
}

RACY LANE void put(const struct amdgpu_scattered *s, unsigned lane, unsigned char *to,
                   unsigned bytes)
{
    if (bytes == 1)
        *to = (unsigned char)s->data[lane];
    else if (bytes == 2)
        *(any16 *)(void *)to = (uint16_t)s->data[lane];
    else
        for (unsigned r = 0; r < bytes / 4; r++)
            ((any32 *)(void *)to)[r] = s->data[r * s->lanes + lane];
}

/* ---- groups ------------------------------------------------------------------------------
 *
 * Sixteen lanes, all live, whose elements are in a row, or of which all load one: the rows of most
 * blocks of two dimensions. */

enum { GROUP = 16, GROUPS_MAX = AMDGPU_LANES_MAX / GROUP };

struct groups {
    unsigned char *where[GROUPS_MAX];
    unsigned step[GROUPS_MAX]; /* from lane to lane: 0, or the bytes of an element */
};

static bool find_group(const struct amdgpu_scattered *s, unsigned first, unsigned bytes, bool write,
                       struct groups *out)
{
    const uint32_t *low = s->low + first;
    unsigned step = low[1] - low[0];
    if ((step != bytes && (step || write)) || sim_lanes_off_4(low, GROUP, low[0], step))
        return false;
    if (low[0] > UINT32_MAX - GROUP * bytes ||
        (s->lds && low[0] + (uint32_t)s->base > UINT32_MAX - GROUP * bytes))
        return false;
    if (s->high && sim_lanes_off_4(s->high + first, GROUP, s->high[first], 0))
        return false;
    out->step[first / GROUP] = step;
    out->where[first / GROUP] = reach(s, address_of(s, first), step ? GROUP * bytes : bytes, write);
    return out->where[first / GROUP];
}

static bool find_groups(const struct amdgpu_scattered *s, unsigned bytes, bool write,
                        struct groups *out)
{
    if (s->exec != UINT64_MAX >> (64 - s->lanes))
        return false;
    for (unsigned first = 0; first < s->lanes; first += GROUP)
        if (!find_group(s, first, bytes, write, out))
            return false;
    return true;
}

RACY LANE void load_group(const struct amdgpu_scattered *s, unsigned first,
                          const unsigned char *from, unsigned step, unsigned bytes)
{
    if (bytes == 4 && step) {
        memcpy(s->data + first, from, GROUP * sizeof(uint32_t));
        return;
    }
    for (unsigned i = 0; i < GROUP && step; i++)
        fetch(s, first + i, from + i * bytes, bytes);
    if (step)
        return;
    fetch(s, first, from, bytes);
    for (unsigned r = 0; r < (bytes + 3) / 4; r++) {
        uint32_t *data = s->data + r * s->lanes + first, value = data[0];
        for (unsigned i = 0; i < GROUP; i++)
            data[i] = value;
    }
}

RACY LANE void store_group(const struct amdgpu_scattered *s, unsigned first, unsigned char *to,
                           unsigned bytes)
{
    if (bytes == 4)
        memcpy(to, s->data + first, GROUP * sizeof(uint32_t));
    else
        for (unsigned i = 0; i < GROUP; i++)
            put(s, first + i, to + i * bytes, bytes);
}

/* ---- rows --------------------------------------------------------------------------------
 *
 * Words of live lanes that follow each other, in memory too: where a wave goes from one line of an
 * image to the next, or is live in part. */

enum { ROWS_MAX = 8 };

/* A bit for each lane behind which a row ends: its successor is not live, or not behind it. */
LANE uint64_t find_ends(const struct amdgpu_scattered *s)
{
    const uint32_t *low = s->low, *high = s->high;
    uint64_t ends = ~(s->exec >> 1);
    for (unsigned i = 0; i < s->lanes; i += 32) {
        ends |= (uint64_t)sim_lanes_breaks_4(low + i, sizeof *low) << i;
        if (high)
            ends |= (uint64_t)sim_lanes_breaks_4(high + i, 0) << i;
    }
    if (s->lanes > 32 && (low[32] - low[31] != sizeof *low || (high && high[32] != high[31])))
        ends |= (uint64_t)1 << 31;
    return ends;
}

#if SIM_LANES_VECTOR

enum { WORDS = SIM_LANES_VECTOR / sizeof(uint32_t) }; /* of a vector */

/* The lanes of a vector that are in a row. */
static uint32_t lanes_in(unsigned vector, unsigned first, unsigned end)
{
    uint32_t in = end - vector < WORDS ? (1u << (end - vector)) - 1 : UINT32_MAX;
    return vector < first ? in & UINT32_MAX << (first - vector) : in;
}

/* What is loaded: vectors of lanes are stored once, since they are read as a whole next. */
struct loaded {
    sim_lanes_vector lanes;
    unsigned vector; /* the number of its first lane */
};

static void begin_rows(const struct amdgpu_scattered *s, struct loaded *out)
{
    *out = (struct loaded){sim_lanes_read(s->data), 0};
}

RACY LANE void load_row(const struct amdgpu_scattered *s, unsigned first, unsigned end,
                        const unsigned char *row, struct loaded *loaded)
{
    const uintptr_t base = (uintptr_t)row - first * sizeof *s->data;
    for (unsigned i = first / WORDS * WORDS; i < end; i += WORDS) {
        if (i != loaded->vector) {
            sim_lanes_write(s->data + loaded->vector, loaded->lanes);
            *loaded = (struct loaded){sim_lanes_read(s->data + i), i};
        }
        loaded->lanes = sim_lanes_read_in(loaded->lanes, lanes_in(i, first, end),
                                          base + i * sizeof *s->data, 4);
    }
}

static void end_rows(const struct amdgpu_scattered *s, const struct loaded *loaded)
{
    sim_lanes_write(s->data + loaded->vector, loaded->lanes);
}

RACY LANE void store_row(const struct amdgpu_scattered *s, unsigned first, unsigned end,
                         unsigned char *row)
{
    const uintptr_t base = (uintptr_t)row - first * sizeof *s->data;
    for (unsigned i = first / WORDS * WORDS; i < end; i += WORDS)
        sim_lanes_write_in(base + i * sizeof *s->data, lanes_in(i, first, end),
                           sim_lanes_read(s->data + i), 4);
}

#else

struct loaded {
    char nothing;
};

static void begin_rows(const struct amdgpu_scattered *s, struct loaded *out)
{
    (void)s;
    out->nothing = 0;
}

RACY LANE void load_row(const struct amdgpu_scattered *s, unsigned first, unsigned end,
                        const unsigned char *row, struct loaded *loaded)
{
    const any32 *words = (const any32 *)(const void *)row;
    (void)loaded;
    for (unsigned i = first; i < end; i++)
        s->data[i] = words[i - first];
}

static void end_rows(const struct amdgpu_scattered *s, const struct loaded *loaded)
{
    (void)s;
    (void)loaded;
}

RACY LANE void store_row(const struct amdgpu_scattered *s, unsigned first, unsigned end,
                         unsigned char *row)
{
    any32 *words = (any32 *)(void *)row;
    for (unsigned i = first; i < end; i++)
        words[i - first] = s->data[i];
}

#endif

/* In the order of lanes: where rows overlap, the last lane's word remains. The host's cache fetches
 * what lies behind what is loaded, since the next block often begins there. */
LANE bool move_rows(const struct amdgpu_scattered *s, bool write)
{
    uint64_t ends = find_ends(s);
    struct loaded loaded;
    if (__builtin_popcountll(ends & s->exec) > ROWS_MAX)
        return false;
    begin_rows(s, &loaded);
    for (uint64_t left = s->exec; left;) {
        unsigned first = (unsigned)__builtin_ctzll(left);
        unsigned end = first + (unsigned)__builtin_ctzll(ends >> first) + 1;
        uint32_t size = (end - first) * (uint32_t)sizeof(uint32_t);
        if (s->low[first] > UINT32_MAX - size)
            return false;
        unsigned char *row = reach_row(s, address_of(s, first), size, write);
        if (!row)
            return false;
        if (write)
            store_row(s, first, end, row);
        else
            load_row(s, first, end, row, &loaded);
        if (!write && !s->lds)
            sim_lanes_fetch_behind((uintptr_t)row + size);
        left &= end < 64 ? UINT64_MAX << end : 0;
    }
    if (!write)
        end_rows(s, &loaded);
    return true;
}

/* ---- lanes ------------------------------------------------------------------------------- */

LANE void find_addresses(const struct amdgpu_scattered *s, unsigned lanes, uint64_t *at)
{
    const uint32_t *low = s->low, *high = s->high;
    uint64_t base = s->base;
    for (unsigned lane = 0; high && lane < lanes; lane++)
        at[lane] = base + (low[lane] | (uint64_t)high[lane] << 32);
    for (unsigned lane = 0; !high && lane < lanes; lane++)
        at[lane] = base + low[lane];
}

static bool find_quickly(const struct amdgpu_scattered *s, unsigned bytes, unsigned char **where)
{
    uint64_t at[AMDGPU_LANES_MAX];
    if (!SIM_LANES_FAST || s->lds)
        return false;
    if (s->lanes == 64)
        find_addresses(s, 64, at);
    else
        find_addresses(s, 32, at);
    return sim_lanes_translate(AMDGPU_ACCESS_DEVICE(s->flags), at, s->exec, s->lanes, bytes, where);
}

static bool find_lanes(const struct amdgpu_scattered *s, unsigned bytes, bool write,
                       unsigned char **where)
{
    if (find_quickly(s, bytes, where))
        return true;
    for (unsigned lane = 0; lane < s->lanes; lane++) {
        bool live = s->exec >> lane & 1;
        where[lane] = live ? reach(s, address_of(s, lane), bytes, write) : NULL;
        if (live && !where[lane])
            return false;
    }
    return true;
}

LANE bool load_any(const struct amdgpu_scattered *s, unsigned bytes)
{
    struct groups groups;
    unsigned char *where[AMDGPU_LANES_MAX];
    if (bytes == sizeof(uint32_t) && move_rows(s, false))
        return true;
    if (find_groups(s, bytes, false, &groups)) {
        for (unsigned g = 0; g < s->lanes / GROUP; g++)
            load_group(s, g * GROUP, groups.where[g], groups.step[g], bytes);
        return true;
    }
    if (!find_lanes(s, bytes, false, where))
        return false;
    if (SIM_LANES_FAST && bytes == 4)
        sim_lanes_gather_4(s->data, where, 0, s->exec, s->lanes);
    else
        for (uint64_t left = s->exec; left; left &= left - 1)
            fetch(s, (unsigned)__builtin_ctzll(left), where[__builtin_ctzll(left)], bytes);
    return true;
}

/* One lane after the other, as the interpreter does where elements overlap. */
LANE bool store_any(const struct amdgpu_scattered *s, unsigned bytes)
{
    struct groups groups;
    unsigned char *where[AMDGPU_LANES_MAX];
    if (bytes == sizeof(uint32_t) && move_rows(s, true))
        return true;
    if (find_groups(s, bytes, true, &groups)) {
        for (unsigned g = 0; g < s->lanes / GROUP; g++)
            store_group(s, g * GROUP, groups.where[g], bytes);
        return true;
    }
    if (!find_lanes(s, bytes, true, where))
        return false;
    if (SIM_LANES_FAST && bytes == 4)
        sim_lanes_scatter_4(s->data, where, 0, s->exec, s->lanes);
    else
        for (uint64_t left = s->exec; left; left &= left - 1)
            put(s, (unsigned)__builtin_ctzll(left), where[__builtin_ctzll(left)], bytes);
    return true;
}

/* ---- the functions ----------------------------------------------------------------------- */

/* Calls with constants. */
#define BY_BYTES(function)                                                                         \
    switch (AMDGPU_ACCESS_BYTES(s->flags)) {                                                       \
    case 1:                                                                                        \
        return function(s, 1);                                                                     \
    case 2:                                                                                        \
        return function(s, 2);                                                                     \
    case 4:                                                                                        \
        return function(s, 4);                                                                     \
    case 8:                                                                                        \
        return function(s, 8);                                                                     \
    case 12:                                                                                       \
        return function(s, 12);                                                                    \
    default:                                                                                       \
        return function(s, 16);                                                                    \
    }

static bool load(const struct amdgpu_scattered *s)
{
    BY_BYTES(load_any)
}

static bool store(const struct amdgpu_scattered *s)
{
    BY_BYTES(store_any)
}

const struct amdgpu_jit_functions JOIN(amdgpu_jit_functions_, AMDGPU_ISA_NAME) = {load, store};
