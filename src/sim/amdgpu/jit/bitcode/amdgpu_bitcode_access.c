/* Loads and stores of a region. What is most frequent is inline: words that all lanes have in a
 * row, in memory that the table of granules knows, or in LDS. Everything else is left to a function
 * of the host (amdgpu_jit_access.c), and what that refuses to the op's handler. */
#include "amdgpu_bitcode_memory.h"

#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)

/* What an access is: constants of a region. */
struct access {
    u64 flags;
    unsigned data, address, base; /* registers; base: scalar */
    u64 offset;
    unsigned bytes; /* of the element */
    const struct sim_space *space;
    bool (*scattered)(const struct amdgpu_scattered *);
};

LANE struct access access_of(u64 flags, u64 data, u64 address, u64 base, u64 offset, u64 space,
                             u64 scattered)
{
    struct access access = {.flags = flags,
                            .data = (unsigned)data,
                            .address = (unsigned)address,
                            .base = (unsigned)base,
                            .offset = offset,
                            .bytes = AMDGPU_ACCESS_BYTES(flags),
                            .space = (const struct sim_space *)(uintptr_t)space,
                            .scattered =
                                (bool (*)(const struct amdgpu_scattered *))(uintptr_t)scattered};
    return access;
}

LANE u64 base_of(const struct amdgpu_wave *wave, const struct access *access)
{
    u64 base = access->offset;
    if (access->flags & AMDGPU_ACCESS_BASE)
        base += amdgpu_s64(wave, access->base);
    return base;
}

/* ---- rows -------------------------------------------------------------------------------
 *
 * Whether lanes are in rows depends on their registers alone, so that it is found once for accesses
 * with one register and several offsets. */

enum { GROUP = 16, GROUPS_MAX = AMDGPU_LANES_MAX / GROUP };
typedef u32 group_lanes __attribute__((vector_size(GROUP * sizeof(u32))));

/* Whether a bit is set: one test of a vector, where the host has an instruction for it. */
LANE bool is_any(const group_lanes *off)
{
    return __builtin_reduce_or(*off) != 0;
}

/* Adds the bits in which a group of so many lanes has not its first one's value plus lane * step.
 */
LANE void find_off(group_lanes *off, const u32 *lanes, unsigned n, unsigned group, unsigned step)
{
    const group_lanes numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#pragma clang loop vectorize(disable)
    for (unsigned g = 0; g < n; g += GROUP) {
        group_lanes values, first = numbers * step + (lanes[g / group * group] + g % group * step);
        memcpy(&values, lanes + g, sizeof values);
        *off |= values ^ first;
    }
}

/* Where the words of all lanes are in a row. NULL: they are not, or not in this way. */
LANE unsigned char *find_row(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                             unsigned n)
{
    const u32 *low = destination(wave, access->address, n), *high = low + n;
    const u64 size = sizeof(u32) * n;
    group_lanes off = {0};
    find_off(&off, low, n, n, sizeof(u32));
    if (access->flags & AMDGPU_ACCESS_WIDE)
        find_off(&off, high, n, n, 0);
    if (is_any(&off) || low[0] > UINT32_MAX - size)
        return NULL;
    u64 at = base + low[0] + (access->flags & AMDGPU_ACCESS_WIDE ? (u64)high[0] << 32 : 0);
    return find_bytes(access->space, AMDGPU_ACCESS_DEVICE(access->flags), at, size);
}

/* ---- groups in LDS ---------------------------------------------------------------------- */

/* A vector of the groups' addresses would be loaded by addresses of registers, which would keep
 * those in memory. */
#define EACH_GROUP(g, n)                                                                           \
    _Pragma("clang loop vectorize(disable)") for (unsigned g = 0; g < (n); g += GROUP)

/* Whether size bytes from each group's first lane on are in LDS; the sum of offsets does not wrap
 * then. */
LANE bool is_in_lds(const struct amdgpu_block *block, const u32 *low, u64 base, u64 size,
                    unsigned n)
{
    u32 last = 0;
    EACH_GROUP(g, n)
    {
        last = low[g] > last ? low[g] : last;
    }
    return last + (u64)(u32)base + size <= block->lds_size;
}

/* Whether each group has its first one's value plus lane * step. */
LANE bool has_groups(const u32 *lanes, unsigned n, unsigned step)
{
    group_lanes off = {0};
    find_off(&off, lanes, n, GROUP, step);
    return !is_any(&off);
}

/* Elements of so many words at a distance of base: of all groups, or false. */
LANE bool load_groups(const struct amdgpu_wave *wave, const struct access *access, u64 base, u32 *d,
                      unsigned words, unsigned n)
{
    const u32 *low = destination(wave, access->address, n);
    const unsigned char *lds = wave->block->lds + (u32)base;
    if (words == 1 && has_groups(low, n, sizeof(u32))) {
        if (!is_in_lds(wave->block, low, base, sizeof(u32) * GROUP, n))
            return false;
        u32 where[GROUPS_MAX];
        EACH_GROUP(g, n)
        { /* d may be the same register */
            where[g / GROUP] = low[g];
        }
        EACH_GROUP(g, n)
        {
            memcpy(d + g, lds + where[g / GROUP], sizeof(u32) * GROUP);
        }
        return true;
    }
    if (!has_groups(low, n, 0) || !is_in_lds(wave->block, low, base, sizeof(u32) * words, n))
        return false;
    u32 values[GROUPS_MAX * 4];
    EACH_GROUP(g, n)
    {
        memcpy(values + g / GROUP * words, lds + low[g], sizeof(u32) * words);
    }
    for (unsigned r = 0; r < words; ++r)
        EACH_GROUP(g, n)
        {
            fill(d + r * n + g, values[g / GROUP * words + r], GROUP);
        }
    return true;
}

LANE bool store_groups(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                       const u32 *from, unsigned n)
{
    const u32 *low = destination(wave, access->address, n);
    unsigned char *lds = wave->block->lds + (u32)base;
    if (!has_groups(low, n, sizeof(u32)) ||
        !is_in_lds(wave->block, low, base, sizeof(u32) * GROUP, n))
        return false;
    EACH_GROUP(g, n)
    {
        memcpy(lds + low[g], from + g, sizeof(u32) * GROUP);
    }
    return true;
}

/* The same of global memory: where the words of each group are in a row. */
LANE bool find_groups(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                      unsigned char **where, unsigned n)
{
    const u32 *low = destination(wave, access->address, n), *high = low + n;
    const bool wide = access->flags & AMDGPU_ACCESS_WIDE;
    u64 at[GROUPS_MAX];
    group_lanes off = {0};
    bool wraps = false;
    find_off(&off, low, n, GROUP, sizeof(u32));
    if (wide)
        find_off(&off, high, n, GROUP, 0);
    if (is_any(&off))
        return false;
    EACH_GROUP(g, n)
    {
        wraps |= low[g] > UINT32_MAX - GROUP * sizeof(u32);
        at[g / GROUP] = base + low[g] + (wide ? (u64)high[g] << 32 : 0);
    }
#pragma clang loop unroll(disable) vectorize(disable)
    for (unsigned i = 0; i < n / GROUP; ++i) {
        where[i] = find_bytes(access->space, AMDGPU_ACCESS_DEVICE(access->flags), at[i],
                              GROUP * sizeof(u32));
        if (!where[i])
            return false;
    }
    return !wraps;
}

/* ---- anywhere --------------------------------------------------------------------------- */

/* By the host's function; what it is given are copies, since registers must not escape. */
LANE bool move_scattered(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                         const u32 *address, u32 *data, u64 exec, unsigned n)
{
    struct amdgpu_scattered scattered = {.low = address,
                                         .high = access->flags & AMDGPU_ACCESS_WIDE ? address + n
                                                                                    : NULL,
                                         .base = base,
                                         .exec = exec,
                                         .data = data,
                                         .flags = access->flags,
                                         .lanes = n};
    if (access->flags & AMDGPU_ACCESS_LDS) {
        scattered.lds = wave->block->lds;
        scattered.lds_size = wave->block->lds_size;
    }
    return access->scattered(&scattered);
}

LANE void copy_addresses(const struct amdgpu_wave *wave, const struct access *access, u32 *address,
                         unsigned n)
{
    unsigned registers = access->flags & AMDGPU_ACCESS_WIDE ? 2 : 1;
    memcpy(address, destination(wave, access->address, n), sizeof(u32) * n * registers);
}

LANE u64 live_of(const struct amdgpu_wave *wave, const struct access *access, unsigned n)
{
    atomic_signal_fence(memory_order_seq_cst);
    return access->flags & AMDGPU_ACCESS_FULL ? everyone(n) : amdgpu_exec_of(wave, n);
}

/* ---- accesses --------------------------------------------------------------------------- */

/* What is inline. two: another element, second bytes behind the first, for the next registers. */
LANE bool load_quickly(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                       u32 *d, unsigned words, bool two, u64 second, unsigned n)
{
    if (!(access->flags & AMDGPU_ACCESS_FULL) || access->bytes != sizeof(u32) * words)
        return false;
    if (access->flags & AMDGPU_ACCESS_LDS) {
        ROOM(data, 4); /* registers keep what they are until both are loaded */
        if (!two)
            return load_groups(wave, access, base, d, words, n);
        if (!load_groups(wave, access, base, data, words, n) ||
            !load_groups(wave, access, base + second, data + words * n, words, n))
            return false;
        memcpy(d, data, sizeof(u32) * n * words * 2);
        return true;
    }
    unsigned char *where[GROUPS_MAX];
    const unsigned char *row = words == 1 ? find_row(wave, access, base, n) : NULL;
    if (row)
        memcpy(d, row, sizeof(u32) * n);
    if (row || words != 1 || !find_groups(wave, access, base, where, n))
        return row;
    EACH_GROUP(g, n)
    {
        memcpy(d + g, where[g / GROUP], sizeof(u32) * GROUP);
    }
    return true;
}

LANE uint32_t load(struct amdgpu_wave *wave, const struct access *access, unsigned words, bool two,
                   u64 second, unsigned n)
{
    const unsigned registers = two ? 2 * words : words;
    u64 exec = live_of(wave, access, n), base = base_of(wave, access);
    u32 *d = destination(wave, access->data, n);
    if (!exec || load_quickly(wave, access, base, d, words, two, second, n))
        return 1;
    ROOM(address, 2);
    ROOM(data, 4);
    copy_addresses(wave, access, address, n);
    if (!(access->flags & AMDGPU_ACCESS_FULL))
        memcpy(data, d, sizeof(u32) * n * registers);
    if (!move_scattered(wave, access, base, address, data, exec, n) ||
        (two && !move_scattered(wave, access, base + second, address, data + words * n, exec, n)))
        return 0;
    memcpy(d, data, sizeof(u32) * n * registers);
    return 1;
}

/* What is inline: one element. */
LANE bool store_quickly(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                        const u32 *from, unsigned n)
{
    if (!(access->flags & AMDGPU_ACCESS_FULL) || access->bytes != sizeof(u32))
        return false;
    if (access->flags & AMDGPU_ACCESS_LDS)
        return store_groups(wave, access, base, from, n);
    unsigned char *where[GROUPS_MAX], *row = find_row(wave, access, base, n);
    if (row)
        memcpy(row, from, sizeof(u32) * n);
    if (row || !find_groups(wave, access, base, where, n))
        return row;
    EACH_GROUP(g, n)
    {
        memcpy(where[g / GROUP], from + g, sizeof(u32) * GROUP);
    }
    return true;
}

/* other: of the second element, the register of its data. */
LANE uint32_t store(struct amdgpu_wave *wave, const struct access *access, unsigned words, bool two,
                    u64 second, u64 other, unsigned n)
{
    u64 exec = live_of(wave, access, n), base = base_of(wave, access);
    const u32 *from = destination(wave, access->data, n);
    if (!exec || (words == 1 && !two && store_quickly(wave, access, base, from, n)))
        return 1;
    ROOM(address, 2);
    ROOM(data, 4);
    copy_addresses(wave, access, address, n);
    memcpy(data, from, sizeof(u32) * n * words);
    if (two)
        memcpy(data + words * n, destination(wave, (unsigned)other, n), sizeof(u32) * n * words);
    return move_scattered(wave, access, base, address, data, exec, n) &&
           (!two ||
            move_scattered(wave, access, base + second, address, data + words * n, exec, n));
}

#pragma clang attribute pop

/* ---- the functions ----------------------------------------------------------------------- */

#define FUNCTION(name, n)                                                                          \
    uint32_t amdgpu_wave_##name##_##n(struct amdgpu_wave *wave, u64 flags, u64 data, u64 address,  \
                                      u64 base, u64 offset, u64 space, u64 scattered)
#define ACCESS(words, n)                                                                           \
    FUNCTION(load_##words, n)                                                                      \
    {                                                                                              \
        struct access access = access_of(flags, data, address, base, offset, space, scattered);    \
        return load(wave, &access, words, false, 0, n);                                            \
    }                                                                                              \
    FUNCTION(store_##words, n)                                                                     \
    {                                                                                              \
        struct access access = access_of(flags, data, address, base, offset, space, scattered);    \
        return store(wave, &access, words, false, 0, 0, n);                                        \
    }
/* Two elements in LDS: the upper half of offset is how far the second is from the first, and base
 * the register of its data in a store. */
#define TWO(words, n)                                                                              \
    FUNCTION(load_two_##words, n)                                                                  \
    {                                                                                              \
        struct access access = access_of(flags, data, address, 0, (u32)offset, space, scattered);  \
        return load(wave, &access, words, true, offset >> 32, n);                                  \
    }                                                                                              \
    FUNCTION(store_two_##words, n)                                                                 \
    {                                                                                              \
        struct access access = access_of(flags, data, address, 0, (u32)offset, space, scattered);  \
        return store(wave, &access, words, true, offset >> 32, base, n);                           \
    }
#define WAVES(n) ACCESS(1, n) ACCESS(2, n) ACCESS(3, n) ACCESS(4, n) TWO(1, n) TWO(2, n)
WAVES(32)
WAVES(64)
