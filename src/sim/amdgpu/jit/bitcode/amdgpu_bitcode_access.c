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

/* ---- rows ------------------------------------------------------------------------------- */

LANE u64 base_of(const struct amdgpu_wave *wave, const struct access *access)
{
    u64 base = access->offset;
    if (access->flags & AMDGPU_ACCESS_BASE)
        base += amdgpu_s64(wave, access->base);
    return base;
}

/* Whether addresses are lane 0's plus lane * step, and do not wrap. */
LANE bool are_in_a_row(const struct access *access, const u32 *low, const u32 *high, unsigned n,
                       unsigned step)
{
    u32 off = 0, start = low[0], end = start + (u32)access->offset;
    INDEPENDENT for (unsigned i = 0; i < n; ++i) off |= low[i] ^ (start + i * step);
    if (access->flags & AMDGPU_ACCESS_WIDE) {
        u32 upper = high[0];
        INDEPENDENT for (unsigned i = 0; i < n; ++i) off |= high[i] ^ upper;
    }
    off |= start > UINT32_MAX - n * step;
    if (access->flags & AMDGPU_ACCESS_LDS)
        off |= end > UINT32_MAX - n * step;
    return !off;
}

/* Where the words of all lanes are in a row. NULL: they are not, or not in this way. */
LANE unsigned char *find_row(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                             unsigned n)
{
    const u32 *low = destination(wave, access->address, n), *high = low + n;
    const u64 size = sizeof(u32) * n;
    if (!(access->flags & AMDGPU_ACCESS_FULL) || access->bytes != sizeof(u32) ||
        !are_in_a_row(access, low, high, n, sizeof(u32)))
        return NULL;
    if (access->flags & AMDGPU_ACCESS_LDS) {
        const struct amdgpu_block *block = wave->block;
        u64 at = (u32)(low[0] + (u32)base);
        return at + size <= block->lds_size ? block->lds + at : NULL;
    }
    u64 at = base + low[0] + (access->flags & AMDGPU_ACCESS_WIDE ? (u64)high[0] << 32 : 0);
    return find_bytes(access->space, AMDGPU_ACCESS_DEVICE(access->flags), at, size);
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

/* two: another element, second bytes behind the first, for the next registers. */
LANE uint32_t load(struct amdgpu_wave *wave, const struct access *access, unsigned words, bool two,
                   u64 second, unsigned n)
{
    const unsigned registers = two ? 2 * words : words;
    u64 exec = live_of(wave, access, n), base = base_of(wave, access);
    u32 *d = destination(wave, access->data, n);
    if (!exec)
        return 1;
    const unsigned char *row = two ? NULL : find_row(wave, access, base, n);
    if (row) {
        memcpy(d, row, sizeof(u32) * n);
        return 1;
    }
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

/* other: of the second element, the register of its data. */
LANE uint32_t store(struct amdgpu_wave *wave, const struct access *access, unsigned words, bool two,
                    u64 second, u64 other, unsigned n)
{
    u64 exec = live_of(wave, access, n), base = base_of(wave, access);
    const u32 *from = destination(wave, access->data, n);
    if (!exec)
        return 1;
    unsigned char *row = two ? NULL : find_row(wave, access, base, n);
    if (row) {
        memcpy(row, from, sizeof(u32) * n);
        return 1;
    }
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
