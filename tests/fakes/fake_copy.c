/* Owns arrays, copies and fills: checks when they are asked for, the movement of
 * data in stream order. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

/* ---- arrays ------------------------------------------------------------------------ */

static size_t format_size(int format)
{
    switch (format) { /* CUarray_format */
    case 0x01:
    case 0x08:
        return 1;
    case 0x02:
    case 0x09:
    case 0x10:
        return 2;
    case 0x03:
    case 0x0a:
    case 0x20:
        return 4;
    default:
        return 0;
    }
}

static void fini_array(struct fake_object *object)
{
    struct fake_array *array = (struct fake_array *)(void *)object;
    size_t depth = array->shape.Depth ? array->shape.Depth : 1;
    object->context->device->used -= array->slice * depth;
    free(array->bytes);
}

static CUresult create_array(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    enum { WIDTH_MAX = 131072, DEPTH_MAX = 16384 };
    struct fake_context *context;
    CUresult result = fake_current(&context);
    size_t element = format_size(shape->Format) * shape->NumChannels;
    if (result != CUDA_SUCCESS)
        return result;
    if (shape->Width == 0 || shape->Width > WIDTH_MAX || shape->Height > WIDTH_MAX ||
        shape->Depth > DEPTH_MAX || element == 0 ||
        (shape->NumChannels != 1 && shape->NumChannels != 2 && shape->NumChannels != 4))
        return CUDA_ERROR_INVALID_VALUE;
    size_t row = shape->Width * element, slice = row * (shape->Height ? shape->Height : 1);
    size_t size = slice * (shape->Depth ? shape->Depth : 1);
    if (size > context->device->total - context->device->used)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct fake_array *array = fake_object_new(FAKE_ARRAY, sizeof *array, context);
    array->object.fini = fini_array;
    array->shape = *shape;
    array->element = element;
    array->row = row;
    array->slice = slice;
    array->bytes = malloc(size);
    context->device->used += size;
    if (!array->bytes)
        abort();
    memset(array->bytes, 0xa5, size);
    *out = (CUarray)(uintptr_t)array->object.handle;
    return CUDA_SUCCESS;
}

CUresult fake_cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    FAKE_ENTER(cuArray3DCreate);
    return fake_leave(create_array(array, shape));
}

CUresult fake_cuArrayDestroy(CUarray handle)
{
    FAKE_ENTER(cuArrayDestroy);
    struct fake_array *array = fake_object_get(handle, FAKE_ARRAY, "cuArrayDestroy");
    if (!array)
        return fake_leave(CUDA_ERROR_INVALID_HANDLE);
    fake_object_retain(&array->object);
    CUresult result = fake_context_wait(array->object.context);
    fake_object_close(&array->object);
    fake_object_release(&array->object);
    return fake_leave(result);
}

/* ---- one end --------------------------------------------------------------------------- */

/* Rows of bytes: linear memory or an array. */
struct end {
    unsigned char *view;
    size_t row, slice; /* bytes from row to row, from slice to slice */
    uint64_t memory;   /* id of the allocation, 0: none */
    uintptr_t base;
    struct fake_array *array; /* retained */
    bool pageable;
};

struct copy_op {
    struct fake_op op;
    struct end dst, src;
    size_t width, height, depth;
    void *staging; /* what was read of a pageable source, owned */
};

/* Whether memory that was there when the copy was asked for still is. */
static bool still_there(const struct end *end)
{
    const struct fake_memory *memory = end->memory ? fake_memory_find(end->base) : NULL;
    return !end->memory || (memory && memory->id == end->memory);
}

static CUresult run_copy(struct fake_op *op, struct fake_context *context)
{
    const struct copy_op *copy = (const struct copy_op *)(const void *)op;
    (void)context;
    pthread_mutex_lock(&fake.lock);
    bool good = still_there(&copy->dst) && still_there(&copy->src);
    pthread_mutex_unlock(&fake.lock);
    if (!good)
        return FAKE_ILLEGAL_ADDRESS;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            memmove(copy->dst.view + z * copy->dst.slice + y * copy->dst.row,
                    copy->src.view + z * copy->src.slice + y * copy->src.row, copy->width);
    return CUDA_SUCCESS;
}

static void fini_copy(struct fake_op *op)
{
    struct copy_op *copy = (struct copy_op *)(void *)op;
    if (copy->dst.array)
        fake_object_release(&copy->dst.array->object);
    if (copy->src.array)
        fake_object_release(&copy->src.array->object);
    free(copy->staging);
}

static CUresult linear_end(struct end *end, const struct fake_context *context, uintptr_t address,
                           size_t size)
{
    struct fake_memory *memory;
    CUresult result = fake_reach(context, address, size, &end->view, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    end->memory = memory ? memory->id : 0;
    end->base = memory ? memory->base : 0;
    end->pageable = !memory;
    return CUDA_SUCCESS;
}

/* A pageable source may be changed when the call returns, and a pageable
 * destination has its data then. */
static CUresult push_copy(struct fake_stream *stream, const struct copy_op *request)
{
    struct copy_op *copy = malloc(sizeof *copy);
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *copy = *request;
    copy->op = (struct fake_op){.run = run_copy, .fini = fini_copy};
    bool flat = copy->height == 1 && copy->depth == 1;
    bool wait = copy->dst.pageable || (copy->src.pageable && !flat);
    if (copy->src.pageable && !wait) {
        copy->staging = malloc(copy->width);
        memcpy(copy->staging, copy->src.view, copy->width);
        copy->src.view = copy->staging;
    }
    CUresult result = fake_stream_push(stream, &copy->op);
    if (result == CUDA_SUCCESS && wait) {
        struct fake_context *context = stream->object.context;
        fake_stream_wait(stream, stream->queued);
        result = context->error;
    }
    return result;
}

/* ---- linear copies ------------------------------------------------------------------------ */

static CUresult copy_linear(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream handle)
{
    struct fake_stream *stream;
    struct copy_op copy = {.width = size, .height = 1, .depth = 1};
    CUresult result = fake_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS || size == 0)
        return result;
    struct fake_context *context = stream->object.context;
    result = linear_end(&copy.dst, context, dst, size);
    if (result == CUDA_SUCCESS)
        result = linear_end(&copy.src, context, src, size);
    return result == CUDA_SUCCESS ? push_copy(stream, &copy) : result;
}

/* NULL: of the host. */
static struct fake_context *device_memory_context(CUdeviceptr pointer)
{
    const struct fake_memory *memory = fake_memory_find(pointer);
    return memory && memory->kind != FAKE_PINNED && memory->kind != FAKE_REGISTERED
               ? memory->context
               : NULL;
}

/* Within one device it may return before it is done; between two it comes after
 * what either has to do. */
static CUresult copy_synchronously(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    struct fake_context *context;
    struct fake_context *to = device_memory_context(dst), *from = device_memory_context(src);
    CUresult result = fake_current(&context);
    if (result != CUDA_SUCCESS || size == 0)
        return result;
    if (to && from && to != from) {
        fake_stream_finish(to->legacy);
        fake_stream_finish(from->legacy);
    }
    result = copy_linear(dst, src, size, NULL);
    if (result == CUDA_SUCCESS && (!to || to != from)) {
        fake_stream_wait(context->legacy, context->legacy->queued);
        result = context->error;
    }
    return result;
}

CUresult fake_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    FAKE_ENTER(cuMemcpy);
    return fake_leave(copy_synchronously(dst, src, size));
}

CUresult fake_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
    FAKE_ENTER(cuMemcpyAsync);
    return fake_leave(copy_linear(dst, src, size, stream));
}

/* Memory of a device belongs to the context that is named for it. */
static CUresult check_owner(CUcontext handle, CUdeviceptr pointer)
{
    struct fake_context *context;
    CUresult result = fake_context_of(handle, &context);
    const struct fake_memory *memory = fake_memory_find(pointer);
    if (result == CUDA_SUCCESS && memory && memory->kind == FAKE_DEVICE_MEMORY &&
        memory->context != context)
        result = CUDA_ERROR_INVALID_VALUE;
    return result;
}

CUresult fake_cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
                                CUcontext src_context, size_t size, CUstream stream)
{
    FAKE_ENTER(cuMemcpyPeerAsync);
    CUresult result = check_owner(dst_context, dst);
    if (result == CUDA_SUCCESS)
        result = check_owner(src_context, src);
    return fake_leave(result == CUDA_SUCCESS ? copy_linear(dst, src, size, stream) : result);
}

/* ---- rectangular copies --------------------------------------------------------------------- */

struct side {
    int type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, rows;
};

static CUresult array_end(struct end *end, const struct side *side, size_t width, size_t height,
                          size_t depth)
{
    struct fake_array *array = fake_object_get(side->array, FAKE_ARRAY, "copy of an array");
    if (!array)
        return CUDA_ERROR_INVALID_HANDLE;
    size_t rows = array->shape.Height ? array->shape.Height : 1;
    size_t slices = array->shape.Depth ? array->shape.Depth : 1;
    if (side->x > array->row || width > array->row - side->x || side->y > rows ||
        height > rows - side->y || side->z > slices || depth > slices - side->z ||
        side->x % array->element != 0 || width % array->element != 0)
        return CUDA_ERROR_INVALID_VALUE;
    fake_object_retain(&array->object);
    *end = (struct end){
        .view = array->bytes + side->z * array->slice + side->y * array->row + side->x,
        .row = array->row,
        .slice = array->slice,
        .array = array,
    };
    return CUDA_SUCCESS;
}

static CUresult side_end(struct end *end, const struct side *side,
                         const struct fake_context *context, size_t width, size_t height,
                         size_t depth)
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
    size_t start = side->z * pitch * rows + side->y * pitch + side->x;
    size_t span = (depth - 1) * pitch * rows + (height - 1) * pitch + width;
    CUresult result =
        address ? linear_end(end, context, address + start, span) : CUDA_ERROR_INVALID_VALUE;
    end->row = pitch;
    end->slice = pitch * rows;
    return result;
}

static CUresult copy_rectangle(const struct side *dst, const struct side *src, size_t width,
                               size_t height, size_t depth, CUstream handle)
{
    struct fake_stream *stream;
    struct copy_op copy = {.width = width, .height = height, .depth = depth};
    CUresult result = fake_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS || width == 0 || height == 0 || depth == 0)
        return result;
    struct fake_context *context = stream->object.context;
    result = side_end(&copy.dst, dst, context, width, height, depth);
    if (result == CUDA_SUCCESS)
        result = side_end(&copy.src, src, context, width, height, depth);
    if (result != CUDA_SUCCESS) {
        fini_copy(&copy.op);
        return result;
    }
    return push_copy(stream, &copy);
}

#define SIDE(copy, end)                                                                            \
    (struct side)                                                                                  \
    {                                                                                              \
        .type = (copy)->end##MemoryType, .host = (copy)->end##Host, .device = (copy)->end##Device, \
        .array = (copy)->end##Array, .x = (copy)->end##XInBytes, .y = (copy)->end##Y,              \
        .z = (copy)->end##Z, .pitch = (copy)->end##Pitch, .rows = (copy)->end##Height              \
    }

CUresult fake_cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    FAKE_ENTER(cuMemcpy3DAsync);
    struct side dst = SIDE(copy, dst), src = SIDE(copy, src);
    return fake_leave(
        copy_rectangle(&dst, &src, copy->WidthInBytes, copy->Height, copy->Depth, stream));
}

CUresult fake_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
    struct fake_context *dst_context, *src_context;
    FAKE_ENTER(cuMemcpy3DPeerAsync);
    struct side dst = SIDE(copy, dst), src = SIDE(copy, src);
    CUresult result = fake_context_of(copy->dstContext, &dst_context);
    if (result == CUDA_SUCCESS)
        result = fake_context_of(copy->srcContext, &src_context);
    if (result == CUDA_SUCCESS)
        result = copy_rectangle(&dst, &src, copy->WidthInBytes, copy->Height, copy->Depth, stream);
    return fake_leave(result);
}

/* ---- fills -------------------------------------------------------------------------------------
 */

struct fill_op {
    struct fake_op op;
    struct end dst;
    size_t width, height;
    unsigned value, element;
};

static CUresult run_fill(struct fake_op *op, struct fake_context *context)
{
    const struct fill_op *fill = (const struct fill_op *)(const void *)op;
    (void)context;
    pthread_mutex_lock(&fake.lock);
    bool good = still_there(&fill->dst);
    pthread_mutex_unlock(&fake.lock);
    if (!good)
        return FAKE_ILLEGAL_ADDRESS;
    for (size_t y = 0; y < fill->height; y++)
        for (size_t x = 0; x < fill->width; x++)
            memcpy(fill->dst.view + y * fill->dst.row + x * fill->element, &fill->value,
                   fill->element);
    return CUDA_SUCCESS;
}

static CUresult push_fill(CUdeviceptr dst, size_t pitch, unsigned value, unsigned element,
                          size_t width, size_t height, CUstream handle)
{
    struct fake_stream *stream;
    struct fill_op fill = {
        .dst.row = pitch, .width = width, .height = height, .value = value, .element = element};
    CUresult result = fake_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS || width == 0 || height == 0)
        return result;
    if (dst % element != 0 || (height > 1 && (pitch % element != 0 || width * element > pitch)))
        return CUDA_ERROR_INVALID_VALUE;
    result =
        linear_end(&fill.dst, stream->object.context, dst, (height - 1) * pitch + width * element);
    if (result == CUDA_SUCCESS && fill.dst.pageable)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    struct fill_op *op = malloc(sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = fill;
    op->op = (struct fake_op){.run = run_fill};
    return fake_stream_push(stream, &op->op);
}

CUresult fake_cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream)
{
    FAKE_ENTER(cuMemsetD8Async);
    return fake_leave(push_fill(dst, 0, value, 1, count, 1, stream));
}

CUresult fake_cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count, CUstream stream)
{
    FAKE_ENTER(cuMemsetD16Async);
    return fake_leave(push_fill(dst, 0, value, 2, count, 1, stream));
}

CUresult fake_cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t count, CUstream stream)
{
    FAKE_ENTER(cuMemsetD32Async);
    return fake_leave(push_fill(dst, 0, value, 4, count, 1, stream));
}

CUresult fake_cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                                size_t height, CUstream stream)
{
    FAKE_ENTER(cuMemsetD2D8Async);
    return fake_leave(push_fill(dst, pitch, value, 1, width, height, stream));
}

CUresult fake_cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                                 size_t height, CUstream stream)
{
    FAKE_ENTER(cuMemsetD2D16Async);
    return fake_leave(push_fill(dst, pitch, value, 2, width, height, stream));
}

CUresult fake_cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                                 size_t height, CUstream stream)
{
    FAKE_ENTER(cuMemsetD2D32Async);
    return fake_leave(push_fill(dst, pitch, value, 4, width, height, stream));
}
