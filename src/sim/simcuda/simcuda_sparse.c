/* Owns sparse arrays: tiles of 64 KiB at addresses of their own, to which physical memory is mapped
 * in stream order. A copy reads nothing of a tile without memory, and a kernel faults there. */
#include "simcuda_texture.h"

#include <stdlib.h>

struct tile {
    struct sim_memory *memory;         /* NULL: none is mapped */
    struct simcuda_physical *physical; /* retained */
};

struct simcuda_tiles {
    uint64_t base;
    size_t size;
    struct sim_tiling tiling;
    size_t depth; /* tiles, or layers */
    struct tile at[];
};

/* The shapes that CUDA's arrays have on NVIDIA's devices, by the size of an element; powers of 2.
 */
static void set_shape(const struct simcuda_array *array, struct sim_tiling *out)
{
    static const unsigned char planes[][2] = {{8, 8}, {8, 7}, {7, 7}, {7, 6}, {6, 6}};
    static const unsigned char volumes[][3] = {
        {6, 5, 5}, {5, 5, 5}, {5, 5, 4}, {5, 4, 4}, {4, 4, 4}};
    unsigned element = (unsigned)__builtin_ctzl(array->element);
    bool layered = array->shape.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    bool volume = array->shape.Depth > 0 && !layered;
    for (unsigned d = 0; d < 3; d++)
        out->shift[d] = volume ? volumes[element][d] : d < 2 ? planes[element][d] : 0;
    out->shift[0] = (unsigned char)(out->shift[0] + element);
}

static size_t count_tiles(size_t size, unsigned shift)
{
    return (size + ((size_t)1 << shift) - 1) >> shift;
}

CUresult simcuda_tiles_create(struct simcuda_array *array)
{
    struct sim_tiling tiling;
    const CUDA_ARRAY3D_DESCRIPTOR *shape = &array->shape;
    if (shape->Height == 0)
        return CUDA_ERROR_INVALID_VALUE;
    set_shape(array, &tiling);
    tiling.count[0] = (uint32_t)count_tiles(array->row, tiling.shift[0]);
    tiling.count[1] = (uint32_t)count_tiles(shape->Height, tiling.shift[1]);
    size_t depth = count_tiles(shape->Depth ? shape->Depth : 1, tiling.shift[2]);
    size_t count = depth * tiling.count[0] * tiling.count[1];
    struct simcuda_tiles *tiles = calloc(1, sizeof *tiles + count * sizeof(struct tile));
    if (!tiles)
        return CUDA_ERROR_OUT_OF_MEMORY;
    tiles->tiling = tiling;
    tiles->depth = depth;
    tiles->size = count * SIM_TILE_BYTES;
    tiles->base = sim_address_reserve(tiles->size, SIM_TILE_BYTES, 0);
    if (!tiles->base) {
        free(tiles);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    array->tiles = tiles;
    return CUDA_SUCCESS;
}

static void unmap(struct tile *tile)
{
    sim_memory_destroy(tile->memory);
    if (tile->physical)
        simcuda_object_release(&tile->physical->object);
    *tile = (struct tile){NULL, NULL};
}

void simcuda_tiles_destroy(struct simcuda_tiles *tiles)
{
    if (!tiles)
        return;
    for (size_t i = 0; i < tiles->size / SIM_TILE_BYTES; i++)
        unmap(&tiles->at[i]);
    simcuda_reservation_free(tiles->base, tiles->size);
    free(tiles);
}

uint64_t simcuda_tiles_base(const struct simcuda_tiles *tiles)
{
    return tiles->base;
}

const struct sim_tiling *simcuda_tiles_tiling(const struct simcuda_tiles *tiles)
{
    return &tiles->tiling;
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* Tiles of an array from first on, and the memory that they get one after the other. */
struct part {
    struct simcuda_array *array;       /* retained */
    struct simcuda_physical *physical; /* retained; NULL: they lose their memory */
    uint64_t offset;
    size_t first[3], count[3];
};

struct map_op {
    struct simcuda_op op;
    unsigned count;
    struct part parts[];
};

static CUresult change_tile(const struct part *part, struct tile *tile, uint64_t address,
                            uint64_t offset)
{
    struct simcuda_physical *physical = part->physical;
    int device = part->array->object.context->device->ordinal;
    unmap(tile);
    if (!physical)
        return CUDA_SUCCESS;
    tile->memory = sim_memory_map(address, SIM_TILE_BYTES, physical->file, offset, device);
    if (!tile->memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    sim_memory_set_access(tile->memory, device, SIM_ACCESS_READ_WRITE);
    simcuda_object_retain(&physical->object);
    tile->physical = physical;
    return CUDA_SUCCESS;
}

static CUresult change_part(const struct part *part)
{
    struct simcuda_tiles *tiles = part->array->tiles;
    const uint32_t *wide = tiles->tiling.count;
    uint64_t offset = part->offset;
    for (size_t z = 0; z < part->count[2]; z++)
        for (size_t y = 0; y < part->count[1]; y++)
            for (size_t x = 0; x < part->count[0]; x++, offset += SIM_TILE_BYTES) {
                size_t i = ((part->first[2] + z) * wide[1] + part->first[1] + y) * wide[0] +
                           part->first[0] + x;
                CUresult result =
                    change_tile(part, &tiles->at[i], tiles->base + i * SIM_TILE_BYTES, offset);
                if (result != CUDA_SUCCESS)
                    return result;
            }
    return CUDA_SUCCESS;
}

static CUresult run_map(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct map_op *map = (const struct map_op *)(const void *)op;
    CUresult result = CUDA_SUCCESS;
    (void)context;
    pthread_mutex_lock(&simcuda.lock);
    for (unsigned i = 0; i < map->count && result == CUDA_SUCCESS; i++)
        result = change_part(&map->parts[i]);
    pthread_mutex_unlock(&simcuda.lock);
    return result;
}

static void fini_map(struct simcuda_op *op)
{
    struct map_op *map = (struct map_op *)(void *)op;
    for (unsigned i = 0; i < map->count; i++) {
        simcuda_object_release(&map->parts[i].array->object);
        if (map->parts[i].physical)
            simcuda_object_release(&map->parts[i].physical->object);
    }
}

/* False: the part is not whole tiles of the array. */
static bool find_tiles(const struct simcuda_array *array, const CUarrayMapInfo *info,
                       struct part *out)
{
    bool layered = array->shape.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    const struct sim_tiling *tiling = &array->tiles->tiling;
    const size_t scale[3] = {array->element, 1, 1};
    const size_t size[3] = {array->row, array->shape.Height, array->shape.Depth};
    const size_t most[3] = {tiling->count[0], tiling->count[1], array->tiles->depth};
    for (unsigned d = 0; d < 3; d++) {
        size_t tile = (size_t)1 << tiling->shift[d];
        size_t start = info->subresource.sparseLevel.offset[d] * scale[d];
        size_t extent = info->subresource.sparseLevel.extent[d] * scale[d];
        if (d == 2 && layered)
            start = info->subresource.sparseLevel.layer, extent = 1;
        bool whole = extent % tile == 0 || (d < 2 || size[2] ? start + extent == size[d] : true);
        if (start % tile != 0 || extent == 0 || !whole)
            return false;
        out->first[d] = start >> tiling->shift[d];
        out->count[d] = count_tiles(extent, tiling->shift[d]);
        if (out->first[d] >= most[d] || out->count[d] > most[d] - out->first[d])
            return false;
    }
    return true;
}

static CUresult read_part(const CUarrayMapInfo *info, const struct simcuda_context *context,
                          struct part *out)
{
    bool map = info->memOperationType == CU_MEM_OPERATION_TYPE_MAP;
    if (info->resourceType != CU_RESOURCE_TYPE_ARRAY || info->flags ||
        info->subresourceType != CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL ||
        info->subresource.sparseLevel.level != 0 ||
        info->deviceBitMask != 1u << context->device->ordinal % 32 ||
        (!map && info->memOperationType != CU_MEM_OPERATION_TYPE_UNMAP))
        return CUDA_ERROR_INVALID_VALUE;
    struct simcuda_array *array =
        simcuda_object_get(info->resource.array, SIMCUDA_ARRAY, "cuMemMapArrayAsync");
    struct simcuda_physical *physical =
        map ? simcuda_object_get((const void *)(uintptr_t)info->memHandle, SIMCUDA_PHYSICAL,
                                 "cuMemMapArrayAsync")
            : NULL;
    if (!array || (map && !physical))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!array->tiles || array->object.context != context || !find_tiles(array, info, out))
        return CUDA_ERROR_INVALID_VALUE;
    size_t bytes = out->count[0] * out->count[1] * out->count[2] * SIM_TILE_BYTES;
    if (map && (info->offset % SIM_TILE_BYTES != 0 || info->offset > physical->size ||
                bytes > physical->size - info->offset))
        return CUDA_ERROR_INVALID_VALUE;
    out->array = array;
    out->physical = physical;
    out->offset = info->offset;
    simcuda_object_retain(&array->object);
    if (physical)
        simcuda_object_retain(&physical->object);
    return CUDA_SUCCESS;
}

static CUresult map_arrays(const CUarrayMapInfo *list, unsigned count, CUstream handle)
{
    struct simcuda_stream *stream;
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!list || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct map_op *map = simcuda_op_new(sizeof *map + count * sizeof(struct part));
    if (!map)
        return CUDA_ERROR_OUT_OF_MEMORY;
    map->op.run = run_map;
    map->op.fini = fini_map;
    for (; map->count < count && result == CUDA_SUCCESS; map->count += result == CUDA_SUCCESS)
        result = read_part(&list[map->count], stream->object.context, &map->parts[map->count]);
    if (result == CUDA_SUCCESS)
        return simcuda_stream_push(stream, &map->op);
    simcuda_op_discard(&map->op);
    return result;
}

CUresult simcuda_cuMemMapArrayAsync(CUarrayMapInfo *list, unsigned count, CUstream stream)
{
    SIMCUDA_ENTER(cuMemMapArrayAsync);
    return simcuda_leave(map_arrays(list, count, stream));
}
