/* Owns fills. The host does not wait for those in the default stream either, as with NVIDIA's
 * driver: every read of the memory is ordered after them. */
#include "simcuda_copy.h"
#include "simcuda_ops.h"

#include <stdlib.h>
#include <string.h>

struct fill_op {
    struct simcuda_op op;
    struct simcuda_end dst;
    size_t width, height;
    unsigned value, element;
};

/* Elements are written in one access: other streams may wait for their values. */
static void fill_row(unsigned char *at, size_t count, unsigned value, unsigned element)
{
    uint16_t *halves = (uint16_t *)(void *)at;
    uint32_t *words = (uint32_t *)(void *)at;
    if (element == 1)
        memset(at, (int)value, count);
    for (size_t x = 0; x < count && element == 2; x++)
        __atomic_store_n(&halves[x], (uint16_t)value, __ATOMIC_RELEASE);
    for (size_t x = 0; x < count && element == 4; x++)
        __atomic_store_n(&words[x], value, __ATOMIC_RELEASE);
}

static CUresult run_fill(struct simcuda_op *op, struct simcuda_context *context)
{
    const struct fill_op *fill = (const struct fill_op *)(const void *)op;
    (void)context;
    pthread_mutex_lock(&simcuda.lock);
    bool good = simcuda_end_is_there(&fill->dst);
    pthread_mutex_unlock(&simcuda.lock);
    if (!good)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t y = 0; y < fill->height; y++)
        fill_row(fill->dst.view + y * fill->dst.row, fill->width, fill->value, fill->element);
    simcuda_end_wrote(&fill->dst, fill->width * fill->element, fill->height, 1);
    return CUDA_SUCCESS;
}

CUresult simcuda_fill_op(const struct simcuda_context *context,
                         const CUDA_MEMSET_NODE_PARAMS *request, struct simcuda_op **out)
{
    unsigned element = request->elementSize;
    size_t pitch = request->pitch, row, rows, span;
    struct fill_op fill = {
        .op.run = run_fill,
        .op.note = {.kind = SIMCUDA_DOES_FILL, .bytes = request->width * element * request->height},
        .dst.row = pitch,
        .width = request->width,
        .height = request->height,
        .value = request->value,
        .element = element};
    if (request->dst % element != 0 || __builtin_mul_overflow(request->width, element, &row) ||
        __builtin_mul_overflow(request->height - 1, pitch, &rows) ||
        __builtin_add_overflow(rows, row, &span) ||
        (request->height > 1 && (pitch % element != 0 || row > pitch)))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = simcuda_end_linear(&fill.dst, context, request->dst, span, true);
    if (result == CUDA_SUCCESS && fill.dst.pageable)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    struct fill_op *op = simcuda_op_new(sizeof *op);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *op = fill;
    *out = &op->op;
    return CUDA_SUCCESS;
}

static CUresult push_fill(CUdeviceptr dst, size_t pitch, unsigned value, unsigned element,
                          size_t width, size_t height, CUstream handle)
{
    struct simcuda_stream *stream;
    struct simcuda_op *op;
    const CUDA_MEMSET_NODE_PARAMS request = {dst, pitch, value, element, width, height};
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result != CUDA_SUCCESS || width == 0 || height == 0)
        return result;
    result = simcuda_fill_op(stream->object.context, &request, &op);
    return result == CUDA_SUCCESS ? simcuda_stream_push(stream, op) : result;
}

CUresult simcuda_cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count,
                                 CUstream stream)
{
    SIMCUDA_ENTER(cuMemsetD8Async);
    return simcuda_leave(push_fill(dst, 0, value, 1, count, 1, stream));
}

CUresult simcuda_cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count,
                                  CUstream stream)
{
    SIMCUDA_ENTER(cuMemsetD16Async);
    return simcuda_leave(push_fill(dst, 0, value, 2, count, 1, stream));
}

CUresult simcuda_cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t count, CUstream stream)
{
    SIMCUDA_ENTER(cuMemsetD32Async);
    return simcuda_leave(push_fill(dst, 0, value, 4, count, 1, stream));
}

CUresult simcuda_cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                                   size_t height, CUstream stream)
{
    SIMCUDA_ENTER(cuMemsetD2D8Async);
    return simcuda_leave(push_fill(dst, pitch, value, 1, width, height, stream));
}

CUresult simcuda_cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value,
                                    size_t width, size_t height, CUstream stream)
{
    SIMCUDA_ENTER(cuMemsetD2D16Async);
    return simcuda_leave(push_fill(dst, pitch, value, 2, width, height, stream));
}

CUresult simcuda_cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                                    size_t height, CUstream stream)
{
    SIMCUDA_ENTER(cuMemsetD2D32Async);
    return simcuda_leave(push_fill(dst, pitch, value, 4, width, height, stream));
}

/* ---- the same, in the default stream ------------------------------------------------------ */

CUresult simcuda_cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t count)
{
    SIMCUDA_ENTER(cuMemsetD8);
    return simcuda_leave(push_fill(dst, 0, value, 1, count, 1, NULL));
}

CUresult simcuda_cuMemsetD16(CUdeviceptr dst, unsigned short value, size_t count)
{
    SIMCUDA_ENTER(cuMemsetD16);
    return simcuda_leave(push_fill(dst, 0, value, 2, count, 1, NULL));
}

CUresult simcuda_cuMemsetD32(CUdeviceptr dst, unsigned value, size_t count)
{
    SIMCUDA_ENTER(cuMemsetD32);
    return simcuda_leave(push_fill(dst, 0, value, 4, count, 1, NULL));
}

CUresult simcuda_cuMemsetD2D8(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                              size_t height)
{
    SIMCUDA_ENTER(cuMemsetD2D8);
    return simcuda_leave(push_fill(dst, pitch, value, 1, width, height, NULL));
}

CUresult simcuda_cuMemsetD2D16(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                               size_t height)
{
    SIMCUDA_ENTER(cuMemsetD2D16);
    return simcuda_leave(push_fill(dst, pitch, value, 2, width, height, NULL));
}

CUresult simcuda_cuMemsetD2D32(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                               size_t height)
{
    SIMCUDA_ENTER(cuMemsetD2D32);
    return simcuda_leave(push_fill(dst, pitch, value, 4, width, height, NULL));
}
