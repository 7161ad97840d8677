/* Owns copies of linear memory: validation when they are enqueued, and the movement of data in
 * stream order. */
#include "simcuda_copy.h"
#include "simcuda_texture.h"

#include <stdlib.h>
#include <string.h>

bool simcuda_end_is_there(const struct simcuda_end *end)
{
    const struct simcuda_memory *memory = end->memory ? simcuda_memory_find(end->base) : NULL;
    return !end->memory || (memory && memory->id == end->memory);
}

void simcuda_end_wrote(const struct simcuda_end *end, size_t width, size_t height, size_t depth)
{
    for (size_t z = 0; z < depth && sim_memory_tracking && end->address; z++)
        for (size_t y = 0; y < height; y++)
            sim_memory_wrote(end->address + z * end->slice + y * end->row, width);
}

CUresult simcuda_end_linear(struct simcuda_end *end, const struct simcuda_context *context,
                            uint64_t address, size_t size, bool write)
{
    struct simcuda_memory *memory;
    CUresult result = simcuda_translate(context, address, size, write, &end->view, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    end->memory = memory ? memory->id : 0;
    end->base = memory ? memory->base : 0;
    end->address = memory ? address : 0;
    end->pageable = !memory;
    return CUDA_SUCCESS;
}

static bool is_tiled(const struct simcuda_end *end)
{
    return end->array && end->array->tiles;
}

/* A byte of a row of a slice, and in *chunk no more bytes than lie beside each other there. */
static unsigned char *byte_at(const struct simcuda_end *end, size_t x, size_t y, size_t z,
                              size_t *chunk)
{
    if (!is_tiled(end))
        return end->view + z * end->slice + y * end->row + x;
    const struct sim_tiling *tiling = simcuda_tiles_tiling(end->array->tiles);
    size_t tile = (size_t)1 << tiling->shift[0], left = tile - (end->x + x) % tile;
    *chunk = *chunk < left ? *chunk : left;
    return end->view + sim_tiling_offset(tiling, end->x + x, end->y + y, end->z + z);
}

static void copy_row(const struct simcuda_copy *copy, size_t y, size_t z)
{
    for (size_t x = 0, chunk; x < copy->width; x += chunk) {
        chunk = copy->width - x;
        unsigned char *to = byte_at(&copy->dst, x, y, z, &chunk);
        const unsigned char *from = byte_at(&copy->src, x, y, z, &chunk);
        memmove(to, from, chunk);
    }
}

static CUresult run_copy(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct simcuda_copy *copy = (const struct simcuda_copy *)(const void *)op;
    (void)context;
    pthread_mutex_lock(&simcuda.lock);
    bool good = simcuda_end_is_there(&copy->dst) && simcuda_end_is_there(&copy->src);
    pthread_mutex_unlock(&simcuda.lock);
    if (!good)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            copy_row(copy, y, z);
    simcuda_end_wrote(&copy->dst, copy->width, copy->height, copy->depth);
    return CUDA_SUCCESS;
}

void simcuda_copy_fini(struct simcuda_op *op)
{
    struct simcuda_copy *copy = (struct simcuda_copy *)(void *)op;
    if (copy->dst.array)
        simcuda_object_release(&copy->dst.array->object);
    if (copy->src.array)
        simcuda_object_release(&copy->src.array->object);
    free(copy->staging);
}

struct simcuda_copy *simcuda_copy_new(const struct simcuda_copy *request)
{
    struct simcuda_copy *copy = simcuda_op_new(sizeof *copy);
    if (!copy) {
        struct simcuda_copy lost = *request;
        simcuda_copy_fini(&lost.op);
        return NULL;
    }
    *copy = *request;
    copy->op = (struct simcuda_op){
        .run = run_copy,
        .fini = simcuda_copy_fini,
        .note = {.kind = SIMCUDA_DOES_COPY,
                 .bytes = (uint64_t)request->width * request->height * request->depth}};
    return copy;
}

/* More of a pageable source is read in stream order, while the caller waits, as real drivers do: a
 * second copy would take as long as the first. */
enum { STAGED_MAX = 64 << 10 };

/* A pageable source may be changed when the call returns, and a pageable destination contains its
 * data then. */
CUresult simcuda_copy_push(struct simcuda_stream *stream, const struct simcuda_copy *request)
{
    struct simcuda_copy *copy = simcuda_copy_new(request);
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    bool staged = copy->height == 1 && copy->depth == 1 && copy->width <= STAGED_MAX;
    bool wait = copy->dst.pageable || (copy->src.pageable && !staged);
    if (copy->src.pageable && !wait) {
        copy->staging = malloc(copy->width);
        if (!copy->staging) {
            simcuda_copy_fini(&copy->op);
            simcuda_op_free(&copy->op);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        memcpy(copy->staging, copy->src.view, copy->width);
        copy->src.view = copy->staging;
    }
    CUresult result = simcuda_stream_push(stream, &copy->op);
    if (result == CUDA_SUCCESS && wait) {
        struct simcuda_context *context = stream->object.context;
        simcuda_object_retain(&context->object);
        simcuda_stream_wait(stream, stream->queued);
        simcuda_print_flush(context);
        result = simcuda_context_error(context);
        simcuda_object_release(&context->object);
    }
    return result;
}

/* ---- linear copies ------------------------------------------------------------------------ */

static CUresult copy_linear(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream handle)
{
    struct simcuda_stream *stream;
    struct simcuda_copy copy = {.width = size, .height = 1, .depth = 1};
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS || size == 0)
        return result;
    struct simcuda_context *context = stream->object.context;
    result = simcuda_end_linear(&copy.dst, context, dst, size, true);
    if (result == CUDA_SUCCESS)
        result = simcuda_end_linear(&copy.src, context, src, size, false);
    return result == CUDA_SUCCESS ? simcuda_copy_push(stream, &copy) : result;
}

/* NULL: of the host. */
static struct simcuda_context *device_memory_context(CUdeviceptr pointer)
{
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    return memory && memory->kind != SIMCUDA_PINNED && memory->kind != SIMCUDA_REGISTERED
               ? memory->context
               : NULL;
}

static bool is_pageable(CUdeviceptr pointer)
{
    return !simcuda_memory_find(pointer);
}

/* A copy in the default stream that is complete when this returns, except within one device, and
 * from pageable memory to a device, whose source is copied; between two devices it is ordered after
 * the work of both. */
static CUresult copy_synchronously(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    struct simcuda_context *context;
    struct simcuda_context *to = device_memory_context(dst), *from = device_memory_context(src);
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS || size == 0)
        return result;
    if (to && from && to != from) {
        simcuda_stream_finish(to->legacy);
        simcuda_stream_finish(from->legacy);
    }
    result = copy_linear(dst, src, size, NULL);
    if (result == CUDA_SUCCESS && (!to || to != from) && !(to && is_pageable(src))) {
        simcuda_stream_wait(context->legacy, context->legacy->queued);
        simcuda_print_flush(context);
        result = simcuda_context_error(context);
    }
    return result;
}

CUresult simcuda_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    SIMCUDA_ENTER(cuMemcpy);
    return simcuda_leave(copy_synchronously(dst, src, size));
}

/* Host memory is at addresses that a device could use too: unified addressing. */
CUresult simcuda_cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t size)
{
    SIMCUDA_ENTER(cuMemcpyHtoD);
    return simcuda_leave(copy_synchronously(dst, (uintptr_t)src, size));
}

CUresult simcuda_cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t size)
{
    SIMCUDA_ENTER(cuMemcpyDtoH);
    return simcuda_leave(copy_synchronously((uintptr_t)dst, src, size));
}

CUresult simcuda_cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    SIMCUDA_ENTER(cuMemcpyDtoD);
    return simcuda_leave(copy_synchronously(dst, src, size));
}

CUresult simcuda_cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t size, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpyHtoDAsync);
    return simcuda_leave(copy_linear(dst, (uintptr_t)src, size, stream));
}

CUresult simcuda_cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t size, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpyDtoHAsync);
    return simcuda_leave(copy_linear((uintptr_t)dst, src, size, stream));
}

CUresult simcuda_cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpyDtoDAsync);
    return simcuda_leave(copy_linear(dst, src, size, stream));
}

CUresult simcuda_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpyAsync);
    return simcuda_leave(copy_linear(dst, src, size, stream));
}

/* Memory of a device belongs to the context that is given for it. */
static CUresult check_owner(CUcontext handle, CUdeviceptr pointer)
{
    struct simcuda_context *context;
    CUresult result = simcuda_context_of(handle, &context);
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (result == CUDA_SUCCESS && memory && memory->kind == SIMCUDA_DEVICE_MEMORY &&
        memory->context != context)
        result = CUDA_ERROR_INVALID_VALUE;
    return result;
}

CUresult simcuda_cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
                                   CUcontext src_context, size_t size, CUstream stream)
{
    SIMCUDA_ENTER(cuMemcpyPeerAsync);
    CUresult result = check_owner(dst_context, dst);
    if (result == CUDA_SUCCESS)
        result = check_owner(src_context, src);
    return simcuda_leave(result == CUDA_SUCCESS ? copy_linear(dst, src, size, stream) : result);
}

CUresult simcuda_cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
                              CUcontext src_context, size_t size)
{
    SIMCUDA_ENTER(cuMemcpyPeer);
    CUresult result = check_owner(dst_context, dst);
    if (result == CUDA_SUCCESS)
        result = check_owner(src_context, src);
    return simcuda_leave(result == CUDA_SUCCESS ? copy_synchronously(dst, src, size) : result);
}
