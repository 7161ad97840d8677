/* Owns arrays and mipmapped arrays: rows of elements without a pitch of their own. */
#include "simcuda_texture.h"

#include <stdlib.h>

bool simcuda_channel_type(int format, enum sim_channel_type *out)
{
    static const struct {
        int format;
        enum sim_channel_type type;
    } types[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, SIM_CHANNEL_U8},
        {CU_AD_FORMAT_UNSIGNED_INT16, SIM_CHANNEL_U16},
        {CU_AD_FORMAT_UNSIGNED_INT32, SIM_CHANNEL_U32},
        {CU_AD_FORMAT_SIGNED_INT8, SIM_CHANNEL_S8},
        {CU_AD_FORMAT_SIGNED_INT16, SIM_CHANNEL_S16},
        {CU_AD_FORMAT_SIGNED_INT32, SIM_CHANNEL_S32},
        {CU_AD_FORMAT_HALF, SIM_CHANNEL_F16},
        {CU_AD_FORMAT_FLOAT, SIM_CHANNEL_F32},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].format == format) {
            *out = types[i].type;
            return true;
        }
    return false;
}

static void fini_array(struct simcuda_object *object)
{
    struct simcuda_array *array = (struct simcuda_array *)(void *)object;
    sim_memory_destroy(array->memory);
    simcuda_tiles_destroy(array->tiles);
}

/* A cubemap has six square faces per cube. */
static bool is_cubemap(const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    return shape->Width == shape->Height &&
           (shape->Flags & CUDA_ARRAY3D_LAYERED ? shape->Depth > 0 && shape->Depth % 6 == 0
                                                : shape->Depth == 6);
}

/* What an array is like, without memory. */
static CUresult lay_out(const CUDA_ARRAY3D_DESCRIPTOR *shape, struct simcuda_array *out)
{
    enum { WIDTH_MAX = 131072, DEPTH_MAX = 16384 };
    if (!simcuda_channel_type(shape->Format, &out->type))
        return CUDA_ERROR_INVALID_VALUE;
    if (shape->Flags & CUDA_ARRAY3D_CUBEMAP && !is_cubemap(shape))
        return CUDA_ERROR_INVALID_VALUE;
    size_t element = sim_channel_size(out->type) * shape->NumChannels;
    if (shape->Width == 0 || shape->Width > WIDTH_MAX || shape->Height > WIDTH_MAX ||
        shape->Depth > DEPTH_MAX || element == 0 ||
        (shape->NumChannels != 1 && shape->NumChannels != 2 && shape->NumChannels != 4))
        return CUDA_ERROR_INVALID_VALUE;
    out->shape = *shape;
    out->element = element;
    out->row = shape->Width * element;
    out->slice = out->row * (shape->Height ? shape->Height : 1);
    return CUDA_SUCCESS;
}

CUresult simcuda_array_size(const CUDA_ARRAY3D_DESCRIPTOR *shape, size_t *out_size)
{
    struct simcuda_array like;
    CUresult result = lay_out(shape, &like);
    if (result == CUDA_SUCCESS)
        *out_size = like.slice * (shape->Depth ? shape->Depth : 1);
    return result;
}

static struct sim_memory *memory_for(const struct simcuda_context *context, size_t size)
{
    enum { ALIGNMENT = 512 };
    int device = context->device->ordinal;
    return sim_fault_allocation(device, size)
               ? NULL
               : sim_memory_create(SIM_MEMORY_DEVICE, device, size, ALIGNMENT);
}

CUresult simcuda_array_in(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                          struct sim_memory *memory, struct simcuda_array **out)
{
    size_t size;
    struct simcuda_array like = {0};
    bool sparse = shape->Flags & CUDA_ARRAY3D_SPARSE;
    CUresult result = simcuda_array_size(shape, &size);
    if (result == CUDA_SUCCESS && !memory && !sparse)
        memory = memory_for(context, size);
    struct simcuda_array *array = result == CUDA_SUCCESS && (memory || sparse)
                                      ? simcuda_object_new(SIMCUDA_ARRAY, sizeof *array, context)
                                      : NULL;
    if (!array) {
        sim_memory_destroy(memory);
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_OUT_OF_MEMORY;
    }
    (void)lay_out(shape, &like);
    like.object = array->object;
    like.object.fini = fini_array;
    like.memory = memory;
    *array = like;
    if (sparse)
        result = simcuda_tiles_create(array);
    if (result == CUDA_SUCCESS)
        *out = array;
    else
        simcuda_object_close(&array->object);
    return result;
}

CUresult simcuda_array_new(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                           struct simcuda_array **out)
{
    return simcuda_array_in(context, shape, NULL, out);
}

static CUresult create_array(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    struct simcuda_context *context;
    struct simcuda_array *array;
    CUresult result = simcuda_current(&context);
    if (!out || !shape)
        return CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = simcuda_array_new(context, shape, &array);
    if (result == CUDA_SUCCESS)
        *out = (CUarray)(uintptr_t)array->object.handle;
    return result;
}

CUresult simcuda_cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    SIMCUDA_ENTER(cuArray3DCreate);
    return simcuda_leave(create_array(array, shape));
}

CUresult simcuda_cuArrayDestroy(CUarray handle)
{
    SIMCUDA_ENTER(cuArrayDestroy);
    struct simcuda_array *array = simcuda_object_get(handle, SIMCUDA_ARRAY, "cuArrayDestroy");
    if (!array)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    simcuda_object_retain(&array->object);
    CUresult result = simcuda_context_wait(array->object.context);
    if (array->object.handle) /* may have been destroyed meanwhile */
        simcuda_object_close(&array->object);
    simcuda_object_release(&array->object);
    return simcuda_leave(result);
}

CUresult simcuda_cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape)
{
    CUDA_ARRAY3D_DESCRIPTOR full = {0};
    SIMCUDA_ENTER(cuArrayCreate);
    if (shape)
        full = (CUDA_ARRAY3D_DESCRIPTOR){.Width = shape->Width,
                                         .Height = shape->Height,
                                         .Format = shape->Format,
                                         .NumChannels = shape->NumChannels};
    return simcuda_leave(create_array(array, shape ? &full : NULL));
}

CUresult simcuda_cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *shape, CUarray handle)
{
    SIMCUDA_ENTER(cuArray3DGetDescriptor);
    const struct simcuda_array *array =
        simcuda_object_get(handle, SIMCUDA_ARRAY, "cuArray3DGetDescriptor");
    if (!array || !shape)
        return simcuda_leave(array ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    *shape = array->shape;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *shape, CUarray handle)
{
    SIMCUDA_ENTER(cuArrayGetDescriptor);
    const struct simcuda_array *array =
        simcuda_object_get(handle, SIMCUDA_ARRAY, "cuArrayGetDescriptor");
    if (!array || !shape)
        return simcuda_leave(array ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    *shape = (CUDA_ARRAY_DESCRIPTOR){array->shape.Width, array->shape.Height, array->shape.Format,
                                     array->shape.NumChannels};
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- mipmapped arrays ------------------------------------------------------------------ */

/* Releases the arrays, unless copies or textures still refer to them. */
static void fini_mipmap(struct simcuda_object *object)
{
    struct simcuda_mipmap *mipmap = (struct simcuda_mipmap *)(void *)object;
    for (unsigned i = 0; i < mipmap->level_count; i++) {
        if (mipmap->levels[i]->object.handle)
            simcuda_object_close(&mipmap->levels[i]->object);
        simcuda_object_release(&mipmap->levels[i]->object);
    }
}

static size_t half(size_t size)
{
    return size > 1 ? size / 2 : size;
}

/* The number of layers and faces is the same in all levels. */
static CUDA_ARRAY3D_DESCRIPTOR next_level(const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    CUDA_ARRAY3D_DESCRIPTOR next = *shape;
    next.Width = half(shape->Width);
    next.Height = half(shape->Height);
    if (!(shape->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
        next.Depth = half(shape->Depth);
    return next;
}

static bool is_last(const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    CUDA_ARRAY3D_DESCRIPTOR next = next_level(shape);
    return next.Width == shape->Width && next.Height == shape->Height && next.Depth == shape->Depth;
}

CUresult simcuda_mipmap_new(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                            unsigned levels, simcuda_make_level *make, void *data,
                            CUmipmappedArray *out)
{
    CUresult result = CUDA_SUCCESS;
    struct simcuda_mipmap *mipmap = simcuda_object_new(SIMCUDA_MIPMAP, sizeof *mipmap, context);
    if (!mipmap)
        return CUDA_ERROR_OUT_OF_MEMORY;
    mipmap->object.fini = fini_mipmap;
    CUDA_ARRAY3D_DESCRIPTOR level = *shape;
    for (unsigned i = 0; i < levels && i < SIM_LEVELS_MAX && result == CUDA_SUCCESS; i++) {
        result = make(context, &level, data, &mipmap->levels[i]);
        if (result == CUDA_SUCCESS) {
            simcuda_object_retain(&mipmap->levels[i]->object);
            mipmap->level_count++;
        }
        if (is_last(&level))
            break;
        level = next_level(&level);
    }
    if (result == CUDA_SUCCESS)
        *out = (CUmipmappedArray)(uintptr_t)mipmap->object.handle;
    else
        simcuda_object_close(&mipmap->object);
    return result;
}

static CUresult make_level(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                           void *data, struct simcuda_array **out)
{
    (void)data;
    return simcuda_array_new(context, shape, out);
}

static CUresult create_mipmap(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                              unsigned levels)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (!out || !shape || levels == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && (shape->Flags & CUDA_ARRAY3D_SPARSE)) {
        simcuda_violation("sparse arrays with levels are not simulated");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return result == CUDA_SUCCESS
               ? simcuda_mipmap_new(context, shape, levels, make_level, NULL, out)
               : result;
}

CUresult simcuda_cuMipmappedArrayCreate(CUmipmappedArray *mipmap,
                                        const CUDA_ARRAY3D_DESCRIPTOR *shape, unsigned levels)
{
    SIMCUDA_ENTER(cuMipmappedArrayCreate);
    return simcuda_leave(create_mipmap(mipmap, shape, levels));
}

CUresult simcuda_cuMipmappedArrayDestroy(CUmipmappedArray handle)
{
    SIMCUDA_ENTER(cuMipmappedArrayDestroy);
    struct simcuda_mipmap *mipmap =
        simcuda_object_get(handle, SIMCUDA_MIPMAP, "cuMipmappedArrayDestroy");
    if (!mipmap)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    simcuda_object_retain(&mipmap->object);
    CUresult result = simcuda_context_wait(mipmap->object.context);
    if (mipmap->object.handle) /* may have been destroyed meanwhile */
        simcuda_object_close(&mipmap->object);
    simcuda_object_release(&mipmap->object);
    return simcuda_leave(result);
}

CUresult simcuda_cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray handle, unsigned level)
{
    SIMCUDA_ENTER(cuMipmappedArrayGetLevel);
    const struct simcuda_mipmap *mipmap =
        simcuda_object_get(handle, SIMCUDA_MIPMAP, "cuMipmappedArrayGetLevel");
    if (!mipmap)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!array || level >= mipmap->level_count)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *array = (CUarray)(uintptr_t)mipmap->levels[level]->object.handle;
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- memory of one's own --------------------------------------------------------------------- */

/* Arrays that are to get memory later have memory from the start, which is not used before. */
CUresult simcuda_cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needed,
                                                       CUmipmappedArray handle, CUdevice device)
{
    enum { TILE = 65536 };
    SIMCUDA_ENTER(cuMipmappedArrayGetMemoryRequirements);
    const struct simcuda_mipmap *mipmap =
        simcuda_object_get(handle, SIMCUDA_MIPMAP, "cuMipmappedArrayGetMemoryRequirements");
    if (!mipmap)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!needed || device != mipmap->object.context->device->ordinal ||
        !(mipmap->levels[0]->shape.Flags & CUDA_ARRAY3D_DEFERRED_MAPPING))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *needed = (CUDA_ARRAY_MEMORY_REQUIREMENTS){.alignment = TILE};
    for (unsigned i = 0; i < mipmap->level_count; i++)
        needed->size += (mipmap->levels[i]->memory->size + TILE - 1) / TILE * TILE;
    return simcuda_leave(CUDA_SUCCESS);
}
