/* Owns copies of two and three dimensions, between linear memory and arrays. */
#include "simcuda_copy.h"
#include "simcuda_ops.h"
#include "simcuda_texture.h"

struct side {
    int type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, rows;
};

static CUresult array_end(struct simcuda_end *end, const struct side *side, size_t width,
                          size_t height, size_t depth)
{
    struct simcuda_array *array =
        simcuda_object_get(side->array, SIMCUDA_ARRAY, "copy of an array");
    if (!array)
        return CUDA_ERROR_INVALID_HANDLE;
    size_t rows = array->shape.Height ? array->shape.Height : 1;
    size_t slices = array->shape.Depth ? array->shape.Depth : 1;
    if (side->x > array->row || width > array->row - side->x || side->y > rows ||
        height > rows - side->y || side->z > slices || depth > slices - side->z ||
        side->x % array->element != 0 || width % array->element != 0)
        return CUDA_ERROR_INVALID_VALUE;
    simcuda_object_retain(&array->object);
    if (array->tiles) {
        uint64_t base = simcuda_tiles_base(array->tiles) + sim_space.to_view;
        *end = (struct simcuda_end){.view = (unsigned char *)(uintptr_t)base,
                                    .x = side->x,
                                    .y = side->y,
                                    .z = side->z,
                                    .array = array};
        return CUDA_SUCCESS;
    }
    *end = (struct simcuda_end){
        .view = array->memory->view + side->z * array->slice + side->y * array->row + side->x,
        .row = array->row,
        .slice = array->slice,
        .array = array,
    };
    return CUDA_SUCCESS;
}

/* x + y * pitch + z * slice; false: more than there are addresses. */
static bool extent(size_t x, size_t y, size_t z, size_t pitch, size_t slice, size_t *out)
{
    size_t rows, slices;
    return !__builtin_mul_overflow(y, pitch, &rows) && !__builtin_mul_overflow(z, slice, &slices) &&
           !__builtin_add_overflow(rows, slices, &rows) && !__builtin_add_overflow(rows, x, out);
}

static CUresult side_end(struct simcuda_end *end, const struct side *side,
                         const struct simcuda_context *context, size_t width, size_t height,
                         size_t depth, bool write)
{
    size_t pitch = side->pitch ? side->pitch : width + side->x;
    size_t rows = side->rows ? side->rows : height + side->y;
    uintptr_t address = side->type == CU_MEMORYTYPE_HOST ? (uintptr_t)side->host : side->device;
    if (side->type == CU_MEMORYTYPE_ARRAY)
        return array_end(end, side, width, height, depth);
    if (side->type != CU_MEMORYTYPE_HOST && side->type != CU_MEMORYTYPE_DEVICE &&
        side->type != CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    if ((height > 1 || depth > 1) && width + side->x > pitch)
        return CUDA_ERROR_INVALID_VALUE;
    size_t slice, start, span;
    if (!address || __builtin_mul_overflow(pitch, rows, &slice) ||
        !extent(side->x, side->y, side->z, pitch, slice, &start) ||
        !extent(width, height - 1, depth - 1, pitch, slice, &span))
        return CUDA_ERROR_INVALID_VALUE;
    end->row = pitch;
    end->slice = slice;
    return simcuda_end_linear(end, context, address + start, span, write);
}

/* copy has its extent. */
static CUresult set_ends(struct simcuda_copy *copy, const struct side *dst, const struct side *src,
                         const struct simcuda_context *context)
{
    CUresult result =
        side_end(&copy->dst, dst, context, copy->width, copy->height, copy->depth, true);
    if (result == CUDA_SUCCESS)
        result = side_end(&copy->src, src, context, copy->width, copy->height, copy->depth, false);
    if (result != CUDA_SUCCESS)
        simcuda_copy_fini(&copy->op);
    return result;
}

static CUresult copy_rectangle(const struct side *dst, const struct side *src, size_t width,
                               size_t height, size_t depth, CUstream handle, bool wait)
{
    struct simcuda_stream *stream;
    struct simcuda_copy copy = {.width = width, .height = height, .depth = depth};
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS || width == 0 || height == 0 || depth == 0)
        return result;
    struct simcuda_context *context = stream->object.context;
    result = set_ends(&copy, dst, src, context);
    if (result != CUDA_SUCCESS)
        return result;
    result = simcuda_copy_push(stream, &copy);
    if (result != CUDA_SUCCESS || !wait)
        return result;
    simcuda_object_retain(&context->object);
    simcuda_stream_wait(stream, stream->queued);
    simcuda_print_flush(context);
    result = simcuda_context_error(context);
    simcuda_object_release(&context->object);
    return result;
}

#define SIDE(copy, end)                                                                            \
    (struct side)                                                                                  \
    {                                                                                              \
        .type = (copy)->end##MemoryType, .host = (copy)->end##Host, .device = (copy)->end##Device, \
        .array = (copy)->end##Array, .x = (copy)->end##XInBytes, .y = (copy)->end##Y,              \
        .z = (copy)->end##Z, .pitch = (copy)->end##Pitch, .rows = (copy)->end##Height              \
    }

CUresult simcuda_copy_op(const struct simcuda_context *context, const CUDA_MEMCPY3D *request,
                         struct simcuda_op **out)
{
    struct side dst = SIDE(request, dst), src = SIDE(request, src);
    struct simcuda_copy ends = {
        .width = request->WidthInBytes, .height = request->Height, .depth = request->Depth};
    CUresult result = set_ends(&ends, &dst, &src, context);
    if (result != CUDA_SUCCESS)
        return result;
    struct simcuda_copy *copy = simcuda_copy_new(&ends);
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = &copy->op;
    return CUDA_SUCCESS;
}

static CUresult copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream, bool wait)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    struct side dst = SIDE(copy, dst), src = SIDE(copy, src);
    return copy_rectangle(&dst, &src, copy->WidthInBytes, copy->Height, copy->Depth, stream, wait);
}

CUresult simcuda_cuMemcpy3D(const CUDA_MEMCPY3D *copy)
{
    SIMCUDA_ENTER(cuMemcpy3D);
    return simcuda_leave(copy_3d(copy, NULL, true));
}

CUresult simcuda_cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpy3DAsync);
    return simcuda_leave(copy_3d(copy, stream, false));
}

static CUresult copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream, bool wait)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D deep = {
        .srcXInBytes = copy->srcXInBytes,
        .srcY = copy->srcY,
        .srcMemoryType = copy->srcMemoryType,
        .srcHost = copy->srcHost,
        .srcDevice = copy->srcDevice,
        .srcArray = copy->srcArray,
        .srcPitch = copy->srcPitch,
        .dstXInBytes = copy->dstXInBytes,
        .dstY = copy->dstY,
        .dstMemoryType = copy->dstMemoryType,
        .dstHost = copy->dstHost,
        .dstDevice = copy->dstDevice,
        .dstArray = copy->dstArray,
        .dstPitch = copy->dstPitch,
        .WidthInBytes = copy->WidthInBytes,
        .Height = copy->Height,
        .Depth = 1,
    };
    return copy_3d(&deep, stream, wait);
}

CUresult simcuda_cuMemcpy2D(const CUDA_MEMCPY2D *copy)
{
    SIMCUDA_ENTER(cuMemcpy2D);
    return simcuda_leave(copy_2d(copy, NULL, true));
}

CUresult simcuda_cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy)
{
    SIMCUDA_ENTER(cuMemcpy2DUnaligned);
    return simcuda_leave(copy_2d(copy, NULL, true));
}

CUresult simcuda_cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpy2DAsync);
    return simcuda_leave(copy_2d(copy, stream, false));
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *copy, CUstream stream, bool wait)
{
    struct simcuda_context *dst_context, *src_context;
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    struct side dst = SIDE(copy, dst), src = SIDE(copy, src);
    CUresult result = simcuda_context_of(copy->dstContext, &dst_context);
    if (result == CUDA_SUCCESS)
        result = simcuda_context_of(copy->srcContext, &src_context);
    return result == CUDA_SUCCESS ? copy_rectangle(&dst, &src, copy->WidthInBytes, copy->Height,
                                                   copy->Depth, stream, wait)
                                  : result;
}

CUresult simcuda_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
    SIMCUDA_ENTER(cuMemcpy3DPeer);
    return simcuda_leave(copy_3d_peer(copy, NULL, true));
}

CUresult simcuda_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpy3DPeerAsync);
    return simcuda_leave(copy_3d_peer(copy, stream, false));
}
