/* Owns texture and surface objects: their creation from descriptors, and their lookup by kernels
 * without the driver's lock. */
#include "simcuda_texture.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- what kernels see ------------------------------------------------------------------ */

/* By the handle's index, in memory that is never freed: a kernel with a stale handle finds another
 * object there, or 0. */
struct slot {
    _Atomic(uint64_t) handle;
    const struct ptx_context *context;
    struct sim_texture texture; /* a surface: the first level */
};

enum { INDEX_BITS = 24, CHUNK = 16, CHUNKS = 65536 };
static _Atomic(struct slot *) chunks[CHUNKS];

/* NULL: no object with that index yet. */
static struct slot *slot_of(uint64_t handle)
{
    uint64_t index = handle & ((1u << INDEX_BITS) - 1);
    if (index / CHUNK >= CHUNKS)
        return NULL;
    struct slot *chunk = atomic_load_explicit(&chunks[index / CHUNK], memory_order_acquire);
    return chunk ? &chunk[index % CHUNK] : NULL;
}

static struct slot *make_slot(uint64_t handle)
{
    uint64_t index = handle & ((1u << INDEX_BITS) - 1);
    if (index / CHUNK < CHUNKS && !atomic_load(&chunks[index / CHUNK]))
        atomic_store(&chunks[index / CHUNK], calloc(CHUNK, sizeof(struct slot)));
    return slot_of(handle);
}

static const struct slot *find(const struct ptx_context *context, uint64_t handle,
                               enum simcuda_kind kind)
{
    enum { KIND_SHIFT = 48 };
    const struct slot *slot = slot_of(handle);
    if (!slot || handle == 0 || (handle >> KIND_SHIFT & 0xff) != (uint64_t)kind ||
        atomic_load_explicit(&slot->handle, memory_order_acquire) != handle)
        return NULL;
    return slot->context == context ? slot : NULL;
}

const struct sim_texture *simcuda_texture(struct ptx_context *context, uint64_t handle)
{
    const struct slot *slot = find(context, handle, SIMCUDA_TEXTURE);
    return slot ? &slot->texture : NULL;
}

const struct sim_image *simcuda_surface(struct ptx_context *context, uint64_t handle)
{
    const struct slot *slot = find(context, handle, SIMCUDA_SURFACE);
    return slot ? &slot->texture.levels[0] : NULL;
}

/* ---- objects --------------------------------------------------------------------------- */

struct image_object {
    struct simcuda_object object;
    uint64_t handle;             /* also after it was closed */
    struct simcuda_object *uses; /* an array or a mipmapped array, retained; NULL: memory */
};

static void fini_object(struct simcuda_object *object)
{
    struct image_object *image = (struct image_object *)(void *)object;
    struct slot *slot = slot_of(image->handle);
    if (slot)
        atomic_store(&slot->handle, 0);
    if (image->uses)
        simcuda_object_release(image->uses);
}

static CUresult create_object(struct simcuda_context *context, enum simcuda_kind kind,
                              const struct sim_texture *texture, struct simcuda_object *uses,
                              uint64_t *out)
{
    struct image_object *image = simcuda_object_new(kind, sizeof *image, context);
    struct slot *slot = image ? make_slot(image->object.handle) : NULL;
    if (!slot) {
        if (image)
            simcuda_object_close(&image->object);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    image->object.fini = fini_object;
    image->handle = image->object.handle;
    image->uses = uses;
    if (uses)
        simcuda_object_retain(uses);
    slot->texture = *texture;
    slot->context = &context->ptx;
    atomic_store_explicit(&slot->handle, image->handle, memory_order_release);
    *out = image->handle;
    return CUDA_SUCCESS;
}

static CUresult destroy_object(uint64_t handle, enum simcuda_kind kind, const char *what)
{
    struct simcuda_object *object = simcuda_object_get((const void *)(uintptr_t)handle, kind, what);
    if (!object)
        return CUDA_ERROR_INVALID_VALUE;
    simcuda_object_retain(object);
    CUresult result = simcuda_context_wait(object->context);
    if (object->handle) /* not closed meanwhile */
        simcuda_object_close(object);
    simcuda_object_release(object);
    return result;
}

/* ---- descriptions ------------------------------------------------------------------------ */

static struct sim_image image_of(const struct simcuda_array *array)
{
    return (struct sim_image){
        .address = array->tiles ? simcuda_tiles_base(array->tiles) : array->memory->address,
        .tiling = array->tiles ? simcuda_tiles_tiling(array->tiles) : NULL,
        .row = array->row,
        .slice = array->slice,
        .size = {array->shape.Width, array->shape.Height ? array->shape.Height : 1,
                 array->shape.Depth ? array->shape.Depth : 1},
        .type = array->type,
        .channels = array->shape.NumChannels,
    };
}

static bool is_layered(const struct simcuda_array *array)
{
    return array->shape.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
}

static CUresult memory_image(const struct simcuda_context *context, CUdeviceptr pointer, int format,
                             unsigned channels, size_t width, size_t height, size_t row,
                             struct sim_image *out)
{
    enum { ALIGNMENT = 512, WIDTH_MAX = 1 << 28 };
    unsigned char *view;
    struct simcuda_memory *memory;
    if (!simcuda_channel_type(format, &out->type) ||
        (channels != 1 && channels != 2 && channels != 4) || pointer % ALIGNMENT != 0)
        return CUDA_ERROR_INVALID_VALUE;
    size_t element = sim_channel_size(out->type) * channels;
    if (width == 0 || width > WIDTH_MAX || height == 0 || height > WIDTH_MAX ||
        (height > 1 && width * element > row))
        return CUDA_ERROR_INVALID_VALUE;
    out->address = pointer;
    out->row = row;
    out->slice = row * height;
    out->size[0] = width;
    out->size[1] = height;
    out->size[2] = 1;
    out->channels = channels;
    CUresult result = simcuda_translate(context, pointer, row * (height - 1) + width * element,
                                        false, &view, &memory);
    return result == CUDA_SUCCESS && !memory ? CUDA_ERROR_INVALID_VALUE : result;
}

static CUresult read_resource(const struct simcuda_context *context,
                              const CUDA_RESOURCE_DESC *resource, struct sim_texture *out,
                              struct simcuda_object **out_uses)
{
    enum { PITCH_ALIGNMENT = 32 };
    struct simcuda_array *array;
    struct simcuda_mipmap *mipmap;
    enum sim_channel_type type;
    size_t element;
    out->level_count = 1;
    *out_uses = NULL;
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        array = simcuda_object_get(resource->res.array.hArray, SIMCUDA_ARRAY, "a resource");
        if (!array)
            return CUDA_ERROR_INVALID_HANDLE;
        *out_uses = &array->object;
        out->levels[0] = image_of(array);
        out->layered = is_layered(array);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        mipmap =
            simcuda_object_get(resource->res.mipmap.hMipmappedArray, SIMCUDA_MIPMAP, "a resource");
        if (!mipmap)
            return CUDA_ERROR_INVALID_HANDLE;
        *out_uses = &mipmap->object;
        out->level_count = mipmap->level_count;
        for (unsigned i = 0; i < mipmap->level_count; i++)
            out->levels[i] = image_of(mipmap->levels[i]);
        out->layered = is_layered(mipmap->levels[0]);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
        if (!simcuda_channel_type(resource->res.linear.format, &type))
            return CUDA_ERROR_INVALID_VALUE;
        element = sim_channel_size(type) * resource->res.linear.numChannels;
        return memory_image(context, resource->res.linear.devPtr, resource->res.linear.format,
                            resource->res.linear.numChannels,
                            element ? resource->res.linear.sizeInBytes / element : 0, 1,
                            resource->res.linear.sizeInBytes, &out->levels[0]);
    case CU_RESOURCE_TYPE_PITCH2D:
        if (resource->res.pitch2D.pitchInBytes % PITCH_ALIGNMENT != 0)
            return CUDA_ERROR_INVALID_VALUE;
        return memory_image(context, resource->res.pitch2D.devPtr, resource->res.pitch2D.format,
                            resource->res.pitch2D.numChannels, resource->res.pitch2D.width,
                            resource->res.pitch2D.height, resource->res.pitch2D.pitchInBytes,
                            &out->levels[0]);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* 1, 2 and 4 channels of each type, in this order. */
static bool view_format(int format, enum sim_channel_type *out_type, unsigned *out_channels)
{
    static const enum sim_channel_type types[] = {SIM_CHANNEL_U8,  SIM_CHANNEL_S8,  SIM_CHANNEL_U16,
                                                  SIM_CHANNEL_S16, SIM_CHANNEL_U32, SIM_CHANNEL_S32,
                                                  SIM_CHANNEL_F16, SIM_CHANNEL_F32};
    if (format < CU_RES_VIEW_FORMAT_UINT_1X8 || format > CU_RES_VIEW_FORMAT_FLOAT_4X32)
        return false;
    *out_type = types[(format - 1) / 3];
    *out_channels = 1u << (format - 1) % 3;
    return true;
}

static CUresult apply_view(struct sim_texture *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    enum sim_channel_type type = texture->levels[0].type;
    unsigned channels = texture->levels[0].channels;
    size_t element = sim_channel_size(type) * channels;
    if (view->format != CU_RES_VIEW_FORMAT_NONE && (!view_format(view->format, &type, &channels) ||
                                                    sim_channel_size(type) * channels != element))
        return CUDA_ERROR_INVALID_VALUE;
    if (view->firstMipmapLevel > view->lastMipmapLevel ||
        view->lastMipmapLevel >= texture->level_count || view->firstLayer > view->lastLayer ||
        (texture->layered && view->lastLayer >= texture->levels[0].size[2]))
        return CUDA_ERROR_INVALID_VALUE;
    texture->level_count = view->lastMipmapLevel - view->firstMipmapLevel + 1;
    memmove(texture->levels, texture->levels + view->firstMipmapLevel,
            texture->level_count * sizeof *texture->levels);
    for (unsigned i = 0; i < texture->level_count; i++) {
        texture->levels[i].type = type;
        texture->levels[i].channels = channels;
        if (texture->layered) {
            texture->levels[i].address += view->firstLayer * texture->levels[i].slice;
            texture->levels[i].size[2] = view->lastLayer - view->firstLayer + 1;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult apply_settings(struct sim_texture *texture, const CUDA_TEXTURE_DESC *settings)
{
    enum sim_channel_type type = texture->levels[0].type;
    bool is_float = type == SIM_CHANNEL_F16 || type == SIM_CHANNEL_F32;
    bool narrow = !is_float && sim_channel_size(type) < 4;
    for (unsigned d = 0; d < 3; d++) {
        if (settings->addressMode[d] < CU_TR_ADDRESS_MODE_WRAP ||
            settings->addressMode[d] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        texture->modes[d] = (enum sim_address_mode)settings->addressMode[d];
    }
    texture->normalized = settings->flags & CU_TRSF_NORMALIZED_COORDINATES;
    texture->as_float = narrow && !(settings->flags & CU_TRSF_READ_AS_INTEGER);
    texture->srgb = settings->flags & CU_TRSF_SRGB;
    texture->linear = settings->filterMode == CU_TR_FILTER_MODE_LINEAR;
    texture->linear_levels = settings->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    texture->bias = settings->mipmapLevelBias;
    texture->least_level = settings->minMipmapLevelClamp;
    texture->greatest_level = settings->maxMipmapLevelClamp;
    memcpy(texture->border, settings->borderColor, sizeof texture->border);
    if ((texture->linear || (texture->linear_levels && texture->level_count > 1)) && !is_float &&
        !texture->as_float)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult create_texture(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                               const CUDA_TEXTURE_DESC *settings,
                               const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct simcuda_context *context;
    struct sim_texture texture = {0};
    struct simcuda_object *uses;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || !resource || !settings || (view && resource->resType >= CU_RESOURCE_TYPE_LINEAR))
        return CUDA_ERROR_INVALID_VALUE;
    result = read_resource(context, resource, &texture, &uses);
    if (result == CUDA_SUCCESS && view)
        result = apply_view(&texture, view);
    if (result == CUDA_SUCCESS)
        result = apply_settings(&texture, settings);
    return result == CUDA_SUCCESS ? create_object(context, SIMCUDA_TEXTURE, &texture, uses, out)
                                  : result;
}

static CUresult create_surface(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource)
{
    struct simcuda_context *context;
    struct sim_texture texture = {0};
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    struct simcuda_array *array =
        simcuda_object_get(resource->res.array.hArray, SIMCUDA_ARRAY, "cuSurfObjectCreate");
    if (!array)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!(array->shape.Flags & CUDA_ARRAY3D_SURFACE_LDST))
        return CUDA_ERROR_INVALID_VALUE;
    texture.levels[0] = image_of(array);
    texture.level_count = 1;
    return create_object(context, SIMCUDA_SURFACE, &texture, &array->object, out);
}

CUresult simcuda_cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                   const CUDA_TEXTURE_DESC *texture,
                                   const CUDA_RESOURCE_VIEW_DESC *view)
{
    SIMCUDA_ENTER(cuTexObjectCreate);
    return simcuda_leave(create_texture(object, resource, texture, view));
}

CUresult simcuda_cuTexObjectDestroy(CUtexObject object)
{
    SIMCUDA_ENTER(cuTexObjectDestroy);
    return simcuda_leave(destroy_object(object, SIMCUDA_TEXTURE, "cuTexObjectDestroy"));
}

CUresult simcuda_cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    SIMCUDA_ENTER(cuSurfObjectCreate);
    return simcuda_leave(create_surface(object, resource));
}

CUresult simcuda_cuSurfObjectDestroy(CUsurfObject object)
{
    SIMCUDA_ENTER(cuSurfObjectDestroy);
    return simcuda_leave(destroy_object(object, SIMCUDA_SURFACE, "cuSurfObjectDestroy"));
}
