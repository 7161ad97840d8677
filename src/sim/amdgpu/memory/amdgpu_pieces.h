/* Loads and stores of lanes whose elements are in a row, at one address, or at any other fixed
 * distance from lane to lane: how such lanes are found, checked at once and moved at once. They are
 * all lanes of a wave, or some of its quarters (of waves of 32, halves), which are the rows of most
 * blocks of two dimensions. Included by amdgpu_access.c only, compiled once for each instruction
 * set of the host; everything is static. */
#ifndef AMDGPU_PIECES_H
#define AMDGPU_PIECES_H

#include "amdgpu_access.h"
#include "amdgpu_elements.h"
#include "sim_lanes.h"

enum { PIECE = 16, PIECES_MAX = AMDGPU_LANES_MAX / PIECE };

/* The first lane's element is at where, the next one's step bytes further. */
struct piece {
    uint64_t mask; /* the live lanes, from the piece's first lane on */
    uintptr_t where;
    uint32_t step;
};

struct pieces {
    bool whole; /* the first one has all lanes */
    struct piece of[PIECES_MAX];
};

/* ---- where they are ----------------------------------------------------------------------- */

/* In global memory, what lies between the lanes' elements is looked up, too. */
enum { GLOBAL_STEP_MAX = 64 };

/* The n lanes' addresses: their lower halves, and the upper ones (NULL: none). Sets *out_step.
 * False: the live lanes are not at a fixed distance. */
INLINE bool find_step(const uint32_t *low, const uint32_t *high, unsigned n, uint64_t mask,
                      uint32_t bytes, uint32_t *out_step)
{
    unsigned lead = (unsigned)__builtin_ctzll(mask), last = 63 - (unsigned)__builtin_clzll(mask);
    uint32_t step = bytes;
    if (mask >> lead & 2) {
        step = low[lead + 1] - low[lead];
    } else if (lead != last) {
        unsigned next = (unsigned)__builtin_ctzll(mask & (mask - 1));
        step = (low[next] - low[lead]) / (next - lead);
    }
    *out_step = step;
    return !(sim_lanes_off_4(low, n, low[lead] - lead * step, step) & mask) &&
           low[lead] + (uint64_t)step * (last - lead) <= UINT32_MAX &&
           !(high && sim_lanes_off_4(high, n, high[lead], 0) & mask);
}

/* Where lanes of a piece access LDS, at addresses from at on. NULL: some do not. */
INLINE unsigned char *reach_lds(const struct amdgpu_block *block, uint32_t at, uint64_t size)
{
    return at < block->lds_size && size <= block->lds_size - at ? block->lds + at : NULL;
}

INLINE unsigned char *reach(const struct amdgpu_wave *wave, const struct amdgpu_access *access,
                            enum amdgpu_space space, uint64_t at, uint64_t size)
{
    if (space == AMDGPU_SPACE_LDS)
        return reach_lds(wave->block, (uint32_t)at, size);
    if (amdgpu_is_lds(at) && access->space == AMDGPU_SPACE_FLAT)
        return reach_lds(wave->block, (uint32_t)at, size);
    if (amdgpu_is_lds(at) || amdgpu_is_scratch(at))
        return NULL;
    return sim_translate_span(wave->block->dispatch->device->device, at, size, access->write);
}

/* The live lanes of n lanes, at base + low[lane] and, unless NULL, high[lane] in the upper half.
 * False: they are no piece, or one of them may not be there. */
INLINE bool find_piece(const struct amdgpu_wave *wave, const struct amdgpu_access *access,
                       enum amdgpu_space space, uint64_t base, const uint32_t *low,
                       const uint32_t *high, unsigned n, uint64_t mask, unsigned bytes,
                       struct piece *out)
{
    unsigned lead = (unsigned)__builtin_ctzll(mask), last = 63 - (unsigned)__builtin_clzll(mask);
    out->mask = mask;
    if (!find_step(low, high, n, mask, bytes, &out->step) ||
        (space != AMDGPU_SPACE_LDS && out->step > GLOBAL_STEP_MAX))
        return false;
    uint64_t at = base + low[lead] + (high ? (uint64_t)high[lead] << 32 : 0);
    unsigned char *where =
        reach(wave, access, space, at, (uint64_t)out->step * (last - lead) + bytes);
    out->where = (uintptr_t)where - (uintptr_t)lead * out->step;
    return where != NULL;
}

/* The quarters in which lanes are live; a call, since it is long. */
__attribute__((noinline, no_sanitize("thread"))) static bool
find_quarters(const struct amdgpu_wave *wave, const struct amdgpu_access *access,
              enum amdgpu_space space, uint64_t base, const uint32_t *low, const uint32_t *high,
              uint64_t exec, struct pieces *out)
{
#pragma GCC unroll 1
    for (unsigned i = 0; i < wave->lanes / PIECE; i++) {
        uint64_t mask = exec >> (PIECE * i) & UINT16_MAX;
        out->of[i].mask = mask;
        if (mask &&
            !find_piece(wave, access, space, base, low + PIECE * i, high ? high + PIECE * i : NULL,
                        PIECE, mask, access->bytes, &out->of[i]))
            return false;
    }
    return true;
}

/* All live lanes, of which there are some. False: they are not all in pieces. */
INLINE bool find_pieces(const struct amdgpu_wave *wave, const struct amdgpu_access *access,
                        enum amdgpu_space space, uint64_t base, const uint32_t *low,
                        const uint32_t *high, unsigned lanes, uint64_t exec, unsigned bytes,
                        struct pieces *out)
{
    out->whole = find_piece(wave, access, space, base, low, high, lanes, exec, bytes, &out->of[0]);
    return out->whole || find_quarters(wave, access, space, base, low, high, exec, out);
}

/* The lanes' own bytes of scratch, at one offset (low NULL) or at low[lane] + offset, if that is
 * one. */
INLINE bool find_scratch(const struct amdgpu_wave *wave, const uint32_t *low, uint32_t offset,
                         unsigned lanes, uint64_t exec, unsigned bytes, struct pieces *out)
{
    const struct amdgpu_block *block = wave->block;
    if (low) {
        uint32_t own = low[__builtin_ctzll(exec)];
        if (sim_lanes_off_4(low, lanes, own, 0) & exec)
            return false;
        offset += own;
    }
    out->whole = true;
    out->of[0].mask = exec;
    out->of[0].step = (uint32_t)block->scratch_stride;
    out->of[0].where = (uintptr_t)amdgpu_scratch(wave, 0) + offset;
    return block->scratch_size >= bytes && offset <= block->scratch_size - bytes;
}

/* ---- their elements ----------------------------------------------------------------------- */

INLINE bool is_all(uint64_t mask, unsigned n)
{
    return mask == UINT64_MAX >> (64 - n);
}

#if defined(__AVX512F__)
/* Of the lanes of a piece from its first. */
INLINE __m512i distances(uint32_t step)
{
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_mullo_epi32(numbers, _mm512_set1_epi32((int)step));
}
#endif

/* Whole words: one element for all lanes. */
INLINE void fetch_same(uint32_t *restrict v, unsigned lanes, unsigned n, const any32 *from,
                       unsigned words)
{
    for (unsigned i = 0; i < words; i++) {
        uint32_t value = from[i];
        for (unsigned lane = 0; lane < n; lane++)
            v[i * lanes + lane] = value;
    }
}

INLINE void fetch_row(uint32_t *restrict v, unsigned lanes, unsigned n, uintptr_t from,
                      enum amdgpu_element element, unsigned bytes)
{
    if (element == AMDGPU_ELEMENT_32)
        memcpy(v, (const void *)from, (size_t)4 * n);
    else
        for (unsigned lane = 0; lane < n; lane++)
            fetch(v + lane, lanes, (const unsigned char *)(from + (uintptr_t)lane * bytes),
                  element);
}

INLINE void put_row(const uint32_t *restrict v, unsigned lanes, unsigned n, uintptr_t to,
                    enum amdgpu_element element, unsigned bytes)
{
    if (element == AMDGPU_ELEMENT_32)
        memcpy((void *)to, v, (size_t)4 * n);
    else
        for (unsigned lane = 0; lane < n; lane++)
            put(v + lane, lanes, (unsigned char *)(to + (uintptr_t)lane * bytes), element);
}

/* Any other step. */
INLINE void fetch_apart(uint32_t *restrict v, unsigned lanes, uint64_t mask, uintptr_t from,
                        uint32_t step, enum amdgpu_element element)
{
#if defined(__AVX512F__)
    if (element == AMDGPU_ELEMENT_32) {
        __m512i old = _mm512_loadu_si512(v);
        _mm512_storeu_si512(v, _mm512_mask_i32gather_epi32(old, (__mmask16)mask, distances(step),
                                                           (const void *)from, 1));
        return;
    }
#endif
    if (is_all(mask, PIECE))
        for (unsigned lane = 0; lane < PIECE; lane++)
            fetch(v + lane, lanes, (const unsigned char *)(from + (uintptr_t)lane * step), element);
    else
        for (; mask; mask &= mask - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(mask);
            fetch(v + lane, lanes, (const unsigned char *)(from + (uintptr_t)lane * step), element);
        }
}

/* Where elements overlap, the last lane's remains. */
INLINE void put_apart(const uint32_t *restrict v, unsigned lanes, uint64_t mask, uintptr_t to,
                      uint32_t step, enum amdgpu_element element)
{
#if defined(__AVX512F__)
    if (element == AMDGPU_ELEMENT_32) {
        _mm512_mask_i32scatter_epi32((void *)to, (__mmask16)mask, distances(step),
                                     _mm512_loadu_si512(v), 1);
        return;
    }
#endif
    if (is_all(mask, PIECE))
        for (unsigned lane = 0; lane < PIECE; lane++)
            put(v + lane, lanes, (unsigned char *)(to + (uintptr_t)lane * step), element);
    else
        for (; mask; mask &= mask - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(mask);
            put(v + lane, lanes, (unsigned char *)(to + (uintptr_t)lane * step), element);
        }
}

/* ---- a quarter ------------------------------------------------------------------------------ */

/* v: of the piece's first lane; live: for each of its lanes. */
INLINE void fetch_piece(uint32_t *restrict v, unsigned lanes, const uint32_t *live,
                        const struct piece *piece, enum amdgpu_element element, unsigned bytes)
{
    const uintptr_t from = piece->where, step = piece->step;
    bool all = is_all(piece->mask, PIECE);
    bool words = element >= AMDGPU_ELEMENT_32 && element <= AMDGPU_ELEMENT_128;
    if (all && step == bytes)
        fetch_row(v, lanes, PIECE, from, element, bytes);
    else if (all && words && !step)
        fetch_same(v, lanes, PIECE, (const any32 *)from, bytes / 4);
    else if (element == AMDGPU_ELEMENT_32 && step == 4)
        fetch_some(v, PIECE, live, from);
    else
        fetch_apart(v, lanes, piece->mask, from, piece->step, element);
}

INLINE void put_piece(const uint32_t *restrict v, unsigned lanes, const uint32_t *live,
                      const struct piece *piece, enum amdgpu_element element, unsigned bytes)
{
    const uintptr_t to = piece->where, step = piece->step;
    if (is_all(piece->mask, PIECE) && step == bytes)
        put_row(v, lanes, PIECE, to, element, bytes);
    else if (element == AMDGPU_ELEMENT_32 && step == 4)
        put_some(v, PIECE, live, to);
    else
        put_apart(v, lanes, piece->mask, to, piece->step, element);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* A quarter of them. */
INLINE struct piece piece_of(const struct pieces *pieces, unsigned i)
{
    const struct piece *whole = &pieces->of[0];
    if (!pieces->whole)
        return pieces->of[i];
    return (struct piece){.mask = whole->mask >> (PIECE * i) & UINT16_MAX,
                          .where = whole->where + (uintptr_t)whole->step * PIECE * i,
                          .step = whole->step};
}

/* From register reg on. */
INLINE void move_pieces(struct amdgpu_wave *wave, unsigned reg, unsigned lanes,
                        const struct pieces *pieces, bool write, enum amdgpu_element element,
                        unsigned bytes)
{
    uint32_t *v = amdgpu_v(wave, reg);
    const uint32_t *live = amdgpu_live(wave);
#pragma GCC unroll 1
    for (unsigned i = 0; i < lanes / PIECE; i++) {
        struct piece piece = piece_of(pieces, i);
        if (write && piece.mask)
            put_piece(v + PIECE * i, lanes, live + PIECE * i, &piece, element, bytes);
        else if (piece.mask)
            fetch_piece(v + PIECE * i, lanes, live + PIECE * i, &piece, element, bytes);
    }
}

/* What most accesses are: all lanes are in one row or at one address. False: they are not. */
INLINE bool move_whole(const struct amdgpu_wave *wave, unsigned reg, unsigned lanes,
                       const struct pieces *pieces, bool write, enum amdgpu_element element,
                       unsigned bytes)
{
    const struct piece *piece = &pieces->of[0];
    uint32_t *v = amdgpu_v(wave, reg);
    if (!pieces->whole || !is_all(piece->mask, lanes))
        return false;
    if (piece->step == bytes && write)
        put_row(v, lanes, lanes, piece->where, element, bytes);
    else if (piece->step == bytes)
        fetch_row(v, lanes, lanes, piece->where, element, bytes);
    else if (!piece->step && !write)
        fetch_same(v, lanes, lanes, (const any32 *)piece->where, bytes / 4);
    else
        return false;
    return true;
}

#endif
