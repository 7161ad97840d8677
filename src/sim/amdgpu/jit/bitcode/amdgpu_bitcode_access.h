/* Loads and stores of a region, as far as they are frequent: addresses that all lanes have in a
 * row, or that are in rows or the same within each sixteen lanes, in memory that the table of
 * granules knows. Everything else is left to a function of the host (amdgpu_jit_scattered), and
 * what that refuses to the op's handler. For waves of BITCODE_LANES. */
#include "amdgpu_bitcode_memory.h"

enum { GROUP = 16 }; /* lanes */

/* What an access is: constants of a region. */
struct access {
    u64 flags;
    unsigned data, address, base; /* registers; base: scalar */
    u64 offset;
    unsigned bytes, words; /* of the element: in memory, in registers */
    bool sign;             /* elements of less than a word are extended by their sign */
    bool lds;
    int device;
    const struct sim_space *space;
    bool (*scattered)(struct amdgpu_scattered *);
};

/* size bytes at an address, or at an offset in LDS. NULL: not in this way. */
LANE unsigned char *find_piece(const struct amdgpu_wave *wave, const struct access *access, u64 at,
                               u64 size)
{
    if (!access->lds)
        return find_bytes(access->space, access->device, at, size);
    const struct amdgpu_block *block = wave->block;
    return at + size <= block->lds_size ? block->lds + at : NULL;
}

/* ---- addresses ------------------------------------------------------------------------- */

LANE u64 base_of(const struct amdgpu_wave *wave, const struct access *access)
{
    u64 base = access->offset;
    if (access->flags & AMDGPU_ACCESS_BASE)
        base += amdgpu_s64(wave, access->base);
    return base;
}

/* One lane's. */
LANE u64 address_in(const struct access *access, u64 base, const u32 *low, const u32 *high,
                    unsigned lane)
{
    if (access->lds)
        return (u32)(low[lane] + (u32)base);
    return base + low[lane] + (access->flags & AMDGPU_ACCESS_WIDE ? (u64)high[lane] << 32 : 0);
}

/* Whether addresses are lane 0's plus lane * step within each group of lanes. */
LANE bool are_in_rows(const struct access *access, const u32 *low, const u32 *high, unsigned n,
                      unsigned group, unsigned step)
{
    u32 off = 0, wraps = 0;
    for (unsigned g = 0; g < n; g += group) {
        u32 start = low[g];
        INDEPENDENT for (unsigned i = 0; i < group; ++i) off |= low[g + i] ^ (start + i * step);
        if (access->flags & AMDGPU_ACCESS_WIDE) {
            u32 upper = high[g];
            INDEPENDENT for (unsigned i = 0; i < group; ++i) off |= high[g + i] ^ upper;
        }
        wraps |= start > UINT32_MAX - group * step;
        if (access->lds)
            wraps |= start + (u32)access->offset > UINT32_MAX - group * step;
    }
    return !(off | wraps);
}

/* ---- elements -------------------------------------------------------------------------- */

/* One element, of lane i, the first of its words to data[i]. */
LANE void fetch_element(const struct access *access, u32 *data, unsigned i, unsigned n,
                        const unsigned char *from)
{
    if (access->bytes == 1)
        data[i] = access->sign ? (u32)(s32)(s8)*from : *from;
    else if (access->bytes == 2)
        data[i] = access->sign ? (u32)(s32)(s16) * (const any16 *)(const void *)from
                               : *(const any16 *)(const void *)from;
    else
        for (unsigned r = 0; r < access->words; ++r)
            data[r * n + i] = ((const any32 *)(const void *)from)[r];
}
LANE void put_element(const struct access *access, const u32 *data, unsigned i, unsigned n,
                      unsigned char *to)
{
    if (access->bytes == 1)
        *to = (u8)data[i];
    else if (access->bytes == 2)
        *(any16 *)(void *)to = (u16)data[i];
    else
        for (unsigned r = 0; r < access->words; ++r)
            ((any32 *)(void *)to)[r] = data[r * n + i];
}

/* count lanes from a first one on, in a row from one place on. */
LANE void fetch_row(const struct access *access, u32 *data, unsigned first, unsigned count,
                    unsigned n, const unsigned char *from)
{
    if (access->bytes == 4) {
        memcpy(data + first, from, count * sizeof(u32));
        return;
    }
    INDEPENDENT for (unsigned i = 0; i < count; ++i)
        fetch_element(access, data, first + i, n, from + i * access->bytes);
}
LANE void put_row(const struct access *access, const u32 *data, unsigned first, unsigned count,
                  unsigned n, unsigned char *to)
{
    if (access->bytes == 4) {
        memcpy(to, data + first, count * sizeof(u32));
        return;
    }
    INDEPENDENT for (unsigned i = 0; i < count; ++i)
        put_element(access, data, first + i, n, to + i * access->bytes);
}

/* One element for all lanes of a group. */
LANE void fetch_same(const struct access *access, u32 *data, unsigned first, unsigned n,
                     const unsigned char *from)
{
    u32 words[4];
    fetch_element(access, words, 0, 1, from);
    for (unsigned r = 0; r < access->words; ++r)
        INDEPENDENT for (unsigned i = 0; i < GROUP; ++i) data[r * n + first + i] = words[r];
}

/* ---- accesses -------------------------------------------------------------------------- */

/* All lanes, as rows or single elements. False: they are not. */
LANE bool load_pieces(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                      const u32 *low, const u32 *high, u32 *data, unsigned n)
{
    const unsigned bytes = access->bytes;
    const unsigned char *where[AMDGPU_LANES_MAX / GROUP];
    if (are_in_rows(access, low, high, n, n, bytes)) {
        where[0] = find_piece(wave, access, address_in(access, base, low, high, 0), n * bytes);
        if (!where[0])
            return false;
        fetch_row(access, data, 0, n, n, where[0]);
        return true;
    }
    bool same = are_in_rows(access, low, high, n, GROUP, 0);
    if (!same && !are_in_rows(access, low, high, n, GROUP, bytes))
        return false;
    for (unsigned g = 0; g < n / GROUP; ++g)
        where[g] = find_piece(wave, access, address_in(access, base, low, high, g * GROUP),
                              same ? bytes : GROUP * bytes);
    for (unsigned g = 0; g < n / GROUP; ++g)
        if (!where[g])
            return false;
    for (unsigned g = 0; g < n / GROUP; ++g)
        if (same)
            fetch_same(access, data, g * GROUP, n, where[g]);
        else
            fetch_row(access, data, g * GROUP, GROUP, n, where[g]);
    return true;
}

LANE bool store_pieces(const struct amdgpu_wave *wave, const struct access *access, u64 base,
                       const u32 *low, const u32 *high, const u32 *data, unsigned n)
{
    const unsigned bytes = access->bytes;
    unsigned char *where[AMDGPU_LANES_MAX / GROUP];
    if (are_in_rows(access, low, high, n, n, bytes)) {
        where[0] = find_piece(wave, access, address_in(access, base, low, high, 0), n * bytes);
        if (!where[0])
            return false;
        put_row(access, data, 0, n, n, where[0]);
        return true;
    }
    if (!are_in_rows(access, low, high, n, GROUP, bytes))
        return false;
    for (unsigned g = 0; g < n / GROUP; ++g)
        where[g] =
            find_piece(wave, access, address_in(access, base, low, high, g * GROUP), GROUP * bytes);
    for (unsigned g = 0; g < n / GROUP; ++g)
        if (!where[g])
            return false;
    for (unsigned g = 0; g < n / GROUP; ++g)
        put_row(access, data, g * GROUP, GROUP, n, where[g]);
    return true;
}

/* Anywhere, by the host's function; data is read and written in a copy. */
LANE bool move_scattered(struct amdgpu_wave *wave, const struct access *access, u64 base,
                         const u32 *low, const u32 *high, u32 *data, u64 exec, unsigned n)
{
    u64 at[AMDGPU_LANES_MAX] __attribute__((aligned(64)));
    INDEPENDENT for (unsigned i = 0; i < n; ++i) at[i] = address_in(access, base, low, high, i);
    struct amdgpu_scattered scattered = {.at = at,
                                         .exec = exec,
                                         .data = data,
                                         .lanes = n,
                                         .bytes = access->bytes,
                                         .device = access->device};
    if (access->lds) {
        scattered.lds = wave->block->lds;
        scattered.lds_size = wave->block->lds_size;
    }
    return access->scattered(&scattered);
}

LANE struct access access_of(u64 flags, u64 data, u64 address, u64 base, u64 offset, u64 space,
                             u64 scattered)
{
    struct access access = {.flags = flags,
                            .data = (unsigned)data,
                            .address = (unsigned)address,
                            .base = (unsigned)base,
                            .offset = offset,
                            .device = (int)(flags >> 32),
                            .space = (const struct sim_space *)(uintptr_t)space,
                            .scattered = (bool (*)(struct amdgpu_scattered *))(uintptr_t)scattered};
    return access;
}

LANE void copy_addresses(const struct amdgpu_wave *wave, const struct access *access, u32 *low,
                         unsigned n)
{
    memcpy(low, destination(wave, access->address, n), sizeof(u32) * n);
    if (access->flags & AMDGPU_ACCESS_WIDE)
        memcpy(low + n, destination(wave, access->address + 1, n), sizeof(u32) * n);
}

/* To data, by register and lane, of live lanes; nothing else changes. */
LANE bool load_lanes(struct amdgpu_wave *wave, const struct access *access, u64 exec, u32 *data,
                     unsigned n)
{
    ROOM(low, 2);
    u64 base = base_of(wave, access);
    copy_addresses(wave, access, low, n);
    if (access->flags & AMDGPU_ACCESS_FULL &&
        load_pieces(wave, access, base, low, low + n, data, n))
        return true;
    ROOM(copy, 4);
    if (!move_scattered(wave, access, base, low, low + n, copy, exec, n))
        return false;
    if (access->bytes < 4) {
        u32 sign = access->bytes == 1 ? 0x80 : 0x8000;
        INDEPENDENT for (unsigned i = 0; i < n; ++i) data[i] =
            access->sign ? (copy[i] ^ sign) - sign : copy[i];
        return true;
    }
    memcpy(data, copy, sizeof(u32) * n * access->words);
    return true;
}

LANE void write_loaded(struct amdgpu_wave *wave, const struct access *access, unsigned dst,
                       u64 exec, const u32 *data, unsigned n)
{
    u32 *d = destination(wave, dst, n);
    if (access->flags & AMDGPU_ACCESS_FULL) {
        memcpy(d, data, sizeof(u32) * n * access->words);
        return;
    }
    ROOM(live, 1);
    spread(exec, live, n);
    blend(d, data, live, n, access->words);
}

LANE uint32_t load(struct amdgpu_wave *wave, const struct access *access, unsigned n)
{
    ROOM(data, 4);
    u64 exec = access->flags & AMDGPU_ACCESS_FULL ? everyone(n) : amdgpu_exec_of(wave, n);
    atomic_signal_fence(memory_order_seq_cst);
    if (!exec)
        return 1;
    if (!load_lanes(wave, access, exec, data, n))
        return 0;
    write_loaded(wave, access, access->data, exec, data, n);
    return 1;
}

LANE bool store_lanes(struct amdgpu_wave *wave, const struct access *access, unsigned from,
                      u64 exec, unsigned n)
{
    ROOM(low, 2);
    ROOM(data, 4);
    u64 base = base_of(wave, access);
    copy_addresses(wave, access, low, n);
    memcpy(data, destination(wave, from, n), sizeof(u32) * n * access->words);
    if (access->flags & AMDGPU_ACCESS_FULL &&
        store_pieces(wave, access, base, low, low + n, data, n))
        return true;
    ROOM(copy, 4); /* whose address is passed on */
    memcpy(copy, data, sizeof(u32) * n * access->words);
    return move_scattered(wave, access, base, low, low + n, copy, exec, n);
}

LANE uint32_t store(struct amdgpu_wave *wave, const struct access *access, unsigned n)
{
    u64 exec = access->flags & AMDGPU_ACCESS_FULL ? everyone(n) : amdgpu_exec_of(wave, n);
    atomic_signal_fence(memory_order_seq_cst);
    return !exec || store_lanes(wave, access, access->data, exec, n);
}

/* ---- the functions ----------------------------------------------------------------------- */

#define ACCESS(kind, name, size, registers, extended, in_lds, n)                                   \
    uint32_t amdgpu_wave_##kind##_##name##_##n(struct amdgpu_wave *wave, u64 flags, u64 data,      \
                                               u64 address, u64 base, u64 offset, u64 space,       \
                                               u64 scattered)                                      \
    {                                                                                              \
        struct access access = access_of(flags, data, address, base, offset, space, scattered);    \
        access.bytes = size;                                                                       \
        access.words = registers;                                                                  \
        access.sign = extended;                                                                    \
        access.lds = in_lds;                                                                       \
        return kind(wave, &access, n);                                                             \
    }
#define ACCESSES(space, in_lds, n)                                                                 \
    ACCESS(load, space##_u8, 1, 1, false, in_lds, n)                                               \
    ACCESS(load, space##_i8, 1, 1, true, in_lds, n)                                                \
    ACCESS(load, space##_u16, 2, 1, false, in_lds, n)                                              \
    ACCESS(load, space##_i16, 2, 1, true, in_lds, n)                                               \
    ACCESS(load, space##_32, 4, 1, false, in_lds, n)                                               \
    ACCESS(load, space##_64, 8, 2, false, in_lds, n)                                               \
    ACCESS(load, space##_96, 12, 3, false, in_lds, n)                                              \
    ACCESS(load, space##_128, 16, 4, false, in_lds, n)                                             \
    ACCESS(store, space##_u8, 1, 1, false, in_lds, n)                                              \
    ACCESS(store, space##_u16, 2, 1, false, in_lds, n)                                             \
    ACCESS(store, space##_32, 4, 1, false, in_lds, n)                                              \
    ACCESS(store, space##_64, 8, 2, false, in_lds, n)                                              \
    ACCESS(store, space##_96, 12, 3, false, in_lds, n)                                             \
    ACCESS(store, space##_128, 16, 4, false, in_lds, n)
#define ACCESSES_FOR(space, in_lds, n) ACCESSES(space, in_lds, n)
ACCESSES_FOR(global, false, BITCODE_LANES)
ACCESSES_FOR(lds, true, BITCODE_LANES)
#undef ACCESSES_FOR
#undef ACCESSES
#undef ACCESS

/* Two elements in LDS: base is the second data of a store, and the upper half of offset how far
 * the second element is from the first. */
#define TWO_ELEMENTS(name, size, registers, n)                                                     \
    uint32_t amdgpu_wave_load_two_##name##_##n(struct amdgpu_wave *wave, u64 flags, u64 data,      \
                                               u64 address, u64 base, u64 offset, u64 space,       \
                                               u64 scattered)                                      \
    {                                                                                              \
        struct access access =                                                                     \
            access_of(flags, data, address, base, (u32)offset, space, scattered);                  \
        ROOM(first, 2);                                                                            \
        ROOM(second, 2);                                                                           \
        u64 exec = flags & AMDGPU_ACCESS_FULL ? everyone(n) : amdgpu_exec_of(wave, n);             \
        access.bytes = size;                                                                       \
        access.words = registers;                                                                  \
        access.lds = true;                                                                         \
        atomic_signal_fence(memory_order_seq_cst);                                                 \
        if (!exec)                                                                                 \
            return 1;                                                                              \
        if (!load_lanes(wave, &access, exec, first, n))                                            \
            return 0;                                                                              \
        access.offset = (u32)(offset + (offset >> 32));                                            \
        if (!load_lanes(wave, &access, exec, second, n))                                           \
            return 0;                                                                              \
        write_loaded(wave, &access, access.data, exec, first, n);                                  \
        write_loaded(wave, &access, access.data + access.words, exec, second, n);                  \
        return 1;                                                                                  \
    }                                                                                              \
    uint32_t amdgpu_wave_store_two_##name##_##n(struct amdgpu_wave *wave, u64 flags, u64 data,     \
                                                u64 address, u64 base, u64 offset, u64 space,      \
                                                u64 scattered)                                     \
    {                                                                                              \
        struct access access =                                                                     \
            access_of(flags, data, address, base, (u32)offset, space, scattered);                  \
        u64 exec = flags & AMDGPU_ACCESS_FULL ? everyone(n) : amdgpu_exec_of(wave, n);             \
        access.bytes = size;                                                                       \
        access.words = registers;                                                                  \
        access.lds = true;                                                                         \
        atomic_signal_fence(memory_order_seq_cst);                                                 \
        if (!exec)                                                                                 \
            return 1;                                                                              \
        if (!store_lanes(wave, &access, access.data, exec, n))                                     \
            return 0;                                                                              \
        access.offset = (u32)(offset + (offset >> 32));                                            \
        return store_lanes(wave, &access, access.base, exec, n);                                   \
    }
#define TWO_ELEMENTS_FOR(name, size, registers, n) TWO_ELEMENTS(name, size, registers, n)
TWO_ELEMENTS_FOR(32, 4, 1, BITCODE_LANES)
TWO_ELEMENTS_FOR(64, 8, 2, BITCODE_LANES)
#undef TWO_ELEMENTS_FOR
#undef TWO_ELEMENTS
