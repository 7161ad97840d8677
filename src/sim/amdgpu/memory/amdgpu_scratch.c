/* MUBUF: addresses from resource descriptors. The one of scratch has its base in the scratch of the
 * block, where each work-item has its own bytes. */
#include "amdgpu_access.h"

#include <string.h>

/* A resource descriptor (V#). */
struct resource {
    uint64_t base;
    uint32_t stride, records;
    uint32_t swizzle;      /* bytes of an element of a swizzled buffer; 0: not swizzled */
    uint32_t index_stride; /* elements of a swizzled buffer that are contiguous */
    bool adds_lane;
    enum { BOUNDS_GFX9, BOUNDS_STRUCTURED, BOUNDS_INDEX, BOUNDS_NONE, BOUNDS_RAW } bounds;
};

enum { ADDS_LANE = 1 << 23 }; /* of its last word */

static uint32_t field(uint32_t word, unsigned first, unsigned bits)
{
    return word >> first & ((1u << bits) - 1);
}

static struct resource resource_of(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const uint32_t *word = &wave->s[op->src[1].reg];
    struct resource resource = {.base = word[0] | (uint64_t)field(word[1], 0, 16) << 32,
                                .stride = field(word[1], 16, 14),
                                .records = word[2],
                                .index_stride = 8u << field(word[3], 21, 2),
                                .adds_lane = word[3] & ADDS_LANE};
    resource.swizzle = field(word[1], 31, 1) ? 4 : 0;
    if (op->bits & AMDGPU_GFX11_BUFFER) {
        static const unsigned char elements[] = {0, 4, 8, 16};
        resource.swizzle = elements[field(word[1], 30, 2)];
    }
    if (op->bits & (AMDGPU_GFX10_BUFFER | AMDGPU_GFX11_BUFFER))
        resource.bounds = BOUNDS_STRUCTURED + field(word[3], 28, 2);
    else if (resource.adds_lane) /* the data format is the upper part of the stride */
        resource.stride |= field(word[3], 15, 4) << 14;
    return resource;
}

/* ---- scratch -------------------------------------------------------------------------- */

/* Scalar offsets are for the whole wave, whose lanes' dwords are interleaved on a device: the
 * number of lanes times a lane's own offset. Here the bytes of a lane are contiguous; only a
 * program that mixes both ways of addressing could see the difference. The base may be the wave's,
 * or the program may have added an offset to it. */
bool amdgpu_buffer_is_scratch(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                              uint32_t *out_offset)
{
    const struct amdgpu_block *block = wave->block;
    const uint32_t *word = &wave->s[op->src[1].reg];
    uint64_t from = (word[0] | (uint64_t)(word[1] & 0xffff) << 32) - block->scratch_address;
    bool own = word[1] >> 30 && word[3] & ADDS_LANE && !(op->bits & AMDGPU_IDXEN);
    if (from > block->scratch_first + block->wave_count * block->wave_scratch || !own)
        return false;
    uint64_t scalar = from + (uint32_t)amdgpu_scalar(wave, &op->src[2]);
    scalar -= block->scratch_first + wave->number * block->wave_scratch;
    *out_offset = (uint32_t)scalar / wave->lanes + (uint32_t)op->offset_bytes;
    if (scalar > UINT32_MAX ||
        scalar % (4 * wave->lanes)) /* in another wave's scratch, which no program intends */
        *out_offset = UINT32_C(1) << 31;
    return true;
}

/* ---- buffers -------------------------------------------------------------------------- */

/* The access of a lane: a record by its index, and bytes from offset on in it. */
struct item {
    uint32_t index, offset;
};

static struct item item_of(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                           const struct resource *resource, unsigned lane)
{
    struct item item = {.offset = (uint32_t)op->offset_bytes};
    unsigned reg = op->src[0].reg;
    if (op->bits & AMDGPU_IDXEN)
        item.index = amdgpu_v(wave, reg++)[lane];
    if (op->bits & AMDGPU_OFFEN)
        item.offset += amdgpu_v(wave, reg)[lane];
    if (resource->adds_lane)
        item.index += lane;
    return item;
}

/* Relative to the base and the scalar offset. */
static uint64_t distance(const struct resource *resource, struct item item)
{
    if (!resource->swizzle)
        return (uint64_t)item.index * resource->stride + item.offset;
    uint64_t rows = item.index / resource->index_stride,
             column = item.index % resource->index_stride;
    uint64_t parts = item.offset / resource->swizzle, rest = item.offset % resource->swizzle;
    return (rows * resource->stride + parts * resource->swizzle) * resource->index_stride +
           column * resource->swizzle + rest;
}

/* Whether bytes at item are in bounds. */
static bool is_inside(const struct amdgpu_op *op, const struct resource *resource, uint32_t scalar,
                      struct item item, unsigned bytes)
{
    uint64_t records = resource->records, end = (uint64_t)item.offset + bytes;
    uint64_t linear = end + (uint64_t)item.index * resource->stride;
    bool within = linear + scalar <= records;
    switch (resource->bounds) {
    case BOUNDS_GFX9:
        return resource->stride && op->bits & AMDGPU_IDXEN ? item.index < records : within;
    case BOUNDS_STRUCTURED:
        return item.index < records && end <= resource->stride;
    case BOUNDS_INDEX:
        return item.index < records;
    case BOUNDS_NONE:
        return records > 0;
    default: /* BOUNDS_RAW */
        return resource->swizzle && resource->stride
                   ? item.index < records && end <= resource->stride
                   : within;
    }
}

/* Which bytes of a lane's element are in bounds: loads and stores are checked by dwords, atomics as
 * a whole. */
static uint16_t present(const struct amdgpu_op *op, const struct resource *resource,
                        uint32_t scalar, struct item item)
{
    const struct amdgpu_access *access = op->effect;
    unsigned unit = access->atomic || access->bytes < 4 ? access->bytes : 4, bits = 0;
    for (unsigned at = 0; at < access->bytes; at += unit) {
        struct item part = {item.index, item.offset + at};
        if (part.offset >= item.offset && is_inside(op, resource, scalar, part, unit))
            bits |= ((1u << unit) - 1) << at;
    }
    return (uint16_t)bits;
}

bool amdgpu_buffer_offsets(struct amdgpu_wave *wave, const struct amdgpu_op *op, uint64_t *out_base,
                           uint32_t out_offsets[AMDGPU_LANES_MAX])
{
    const struct amdgpu_access *access = op->effect;
    struct resource resource = resource_of(wave, op);
    uint32_t scalar = (uint32_t)amdgpu_scalar(wave, &op->src[2]), bad = 0;
    uint32_t fixed = (uint32_t)op->offset_bytes, size = scalar + fixed + access->bytes;
    const uint32_t *live = amdgpu_live(wave);
    if (resource.swizzle || resource.adds_lane || op->bits & AMDGPU_IDXEN ||
        (resource.bounds != BOUNDS_GFX9 && resource.bounds != BOUNDS_RAW) || size < scalar ||
        size > resource.records)
        return false;
    uint32_t last = resource.records - size;
    if (op->bits & AMDGPU_OFFEN)
        memcpy(out_offsets, amdgpu_v(wave, op->src[0].reg), wave->lanes * sizeof *out_offsets);
    else
        memset(out_offsets, 0, wave->lanes * sizeof *out_offsets);
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        bad |= (out_offsets[lane] > last ? UINT32_MAX : 0) & live[lane];
    *out_base = resource.base + scalar + fixed;
    return !bad;
}

void amdgpu_buffer_addresses(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                             struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    struct resource resource = resource_of(wave, op);
    uint32_t scalar = (uint32_t)amdgpu_scalar(wave, &op->src[2]);
    unsigned all = (1u << access->bytes) - 1;
    places->windows = false;
    places->copied = 0;
    places->piece = resource.swizzle;
    places->step = resource.swizzle * resource.index_stride;
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        struct item item = item_of(wave, op, &resource, lane);
        places->at[lane] = resource.base + scalar + distance(&resource, item);
        places->present[lane] = present(op, &resource, scalar, item);
        if (resource.swizzle)
            places->into[lane] = (unsigned char)(item.offset % resource.swizzle);
        if (places->present[lane] != all ||
            (resource.swizzle && places->into[lane] + access->bytes > resource.swizzle))
            places->copied |= UINT64_C(1) << lane;
    }
}
