/* Rectangular copies: hipMemcpy2D, hipMemcpy3D, to and from arrays, and the
 * driver's hipMemcpyParam2D and hipDrvMemcpy3D. All become one ah_copy_region. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "parameters.h"
#include "runtime.h"

/* ---- the command ------------------------------------------------------------ */

/* Slices without a height follow each other at once. A sum that wraps is refused later. */
static void set_default_rows(struct ah_copy_end *end, const struct ah_copy_region *region)
{
    if (end->kind == AH_END_POINTER && end->rows == 0)
        end->rows = end->y + region->height;
}

hipError_t ah_copy_region(const struct ah_copy_region *request, hipStream_t handle,
                          enum ah_blocking blocking)
{
    struct ah_stream *stream;
    struct ah_copy_region region = *request;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess || ah_region_is_empty(&region))
        return error;
    set_default_rows(&region.dst, &region);
    set_default_rows(&region.src, &region);
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_COPY_REGION,
                                                  .blocking = blocking,
                                                  .region = &region});
}

/* ---- two dimensions -------------------------------------------------------- */

/* A copy with an array checks its pointer and pitch also where nothing is copied. */
static hipError_t check_rows(const struct ah_copy_end *end, const struct ah_copy_region *rows,
                             bool always)
{
    bool checked = always || (rows->width > 0 && rows->height > 0);
    if (end->kind == AH_END_ARRAY || !checked)
        return hipSuccess;
    return end->pitch < rows->width || (always && end->pitch == 0) ? hipErrorInvalidPitchValue
                                                                   : hipSuccess;
}

static bool lacks_pointer(const struct ah_copy_end *end)
{
    return end->kind == AH_END_POINTER && !end->pointer;
}

hipError_t ah_copy_rows(const struct ah_copy_region *rows, hipMemcpyKind kind, hipStream_t stream,
                        enum ah_blocking blocking)
{
    bool with_array = rows->dst.kind == AH_END_ARRAY || rows->src.kind == AH_END_ARRAY;
    bool empty = rows->width == 0 || rows->height == 0;
    struct ah_copy_region region = *rows;
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    if ((with_array || !empty) && (lacks_pointer(&rows->dst) || lacks_pointer(&rows->src)))
        return hipErrorInvalidValue;
    hipError_t error = check_rows(&rows->dst, rows, with_array);
    if (error == hipSuccess)
        error = check_rows(&rows->src, rows, with_array);
    region.depth = 1;
    return error == hipSuccess ? ah_copy_region(&region, stream, blocking) : error;
}

hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy2D);
    const struct ah_copy_region rows = {.dst = ah_pointer_end(dst, dpitch),
                                        .src = ah_pointer_end(src, spitch),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, NULL, AH_BLOCKING));
}

hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpy2DAsync);
    const struct ah_copy_region rows = {.dst = ah_pointer_end(dst, dpitch),
                                        .src = ah_pointer_end(src, spitch),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, stream, AH_ASYNC));
}

hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t spitch, size_t width, size_t height, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy2DToArray);
    const struct ah_copy_region rows = {.dst = ah_array_end(dst, wOffset, hOffset),
                                        .src = ah_pointer_end(src, spitch),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, NULL, AH_BLOCKING));
}

hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                                   hipStream_t stream)
{
    AH_ENTER(hipMemcpy2DToArrayAsync);
    const struct ah_copy_region rows = {.dst = ah_array_end(dst, wOffset, hOffset),
                                        .src = ah_pointer_end(src, spitch),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, stream, AH_ASYNC));
}

hipError_t hipMemcpy2DFromArray(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                size_t hOffset, size_t width, size_t height, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy2DFromArray);
    const struct ah_copy_region rows = {.dst = ah_pointer_end(dst, dpitch),
                                        .src = ah_array_end(src, wOffset, hOffset),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, NULL, AH_BLOCKING));
}

hipError_t hipMemcpy2DFromArrayAsync(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t width, size_t height,
                                     hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpy2DFromArrayAsync);
    const struct ah_copy_region rows = {.dst = ah_pointer_end(dst, dpitch),
                                        .src = ah_array_end(src, wOffset, hOffset),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, stream, AH_ASYNC));
}

hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   hipArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t width, size_t height, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy2DArrayToArray);
    const struct ah_copy_region rows = {.dst = ah_array_end(dst, wOffsetDst, hOffsetDst),
                                        .src = ah_array_end(src, wOffsetSrc, hOffsetSrc),
                                        .width = width,
                                        .height = height};
    return AH_LEAVE(ah_copy_rows(&rows, kind, NULL, AH_BLOCKING));
}

/* ---- runs of bytes in arrays ----------------------------------------------- */

static hipError_t copy_piece(const struct ah_array_run *run, size_t done, size_t size,
                             hipStream_t stream, enum ah_blocking blocking)
{
    struct ah_array *array = (struct ah_array *)(uintptr_t)run->array;
    size_t row = array->shape.width * ah_array_element_size(array);
    size_t at = run->x + done;
    struct ah_copy_end inside = ah_array_end(run->array, at % row, run->y + at / row);
    struct ah_copy_end outside = ah_pointer_end(run->packed + done, size);
    struct ah_copy_region region = {
        .dst = run->to_array ? inside : outside,
        .src = run->to_array ? outside : inside,
        .width = size,
        .height = 1,
        .depth = 1,
    };
    return ah_copy_region(&region, stream, blocking);
}

hipError_t ah_copy_array_run(const struct ah_array_run *run, hipMemcpyKind kind, hipStream_t stream,
                             enum ah_blocking blocking)
{
    struct ah_array *array;
    hipError_t error = hipSuccess;
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    if (!run->packed || ah_array_check(run->array, &array) != hipSuccess)
        return hipErrorInvalidValue;
    size_t row = array->shape.width * ah_array_element_size(array);
    size_t rows = array->shape.height ? array->shape.height : 1;
    if (run->x > row || run->y >= rows || run->size > (rows - run->y) * row - run->x)
        return hipErrorInvalidValue;
    for (size_t done = 0, now; done < run->size && error == hipSuccess; done += now) {
        size_t left = row - (run->x + done) % row;
        now = run->size - done < left ? run->size - done : left;
        error = copy_piece(run, done, now, stream, blocking);
    }
    return error;
}

hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                            size_t count, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpyToArray);
    const struct ah_array_run run = {dst, wOffset, hOffset, (char *)(uintptr_t)src, count, true};
    return AH_LEAVE(ah_copy_array_run(&run, kind, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyFromArray(void *dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset,
                              size_t count, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpyFromArray);
    const struct ah_array_run run = {srcArray, wOffset, hOffset, dst, count, false};
    return AH_LEAVE(ah_copy_array_run(&run, kind, NULL, AH_BLOCKING));
}

/* These copy only from or to the first row of an array. */
static hipError_t copy_line(const struct ah_array_run *line)
{
    struct ah_array *array;
    if (ah_array_check(line->array, &array) != hipSuccess)
        return hipErrorInvalidValue;
    size_t row = array->shape.width * ah_array_element_size(array);
    if (line->x > row || line->size > row - line->x)
        return hipErrorInvalidValue;
    return ah_copy_array_run(line, hipMemcpyDefault, NULL, AH_BLOCKING);
}

hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void *srcHost, size_t count)
{
    AH_ENTER(hipMemcpyHtoA);
    const struct ah_array_run line = {dstArray, dstOffset, 0, (char *)(uintptr_t)srcHost,
                                      count,    true};
    return AH_LEAVE(copy_line(&line));
}

hipError_t hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount, hipStream_t stream)
{
    AH_ENTER(hipMemcpyHtoAAsync);
    const struct ah_array_run run = {dstArray,  dstOffset, 0, (char *)(uintptr_t)srcHost,
                                     ByteCount, true};
    return AH_LEAVE(ah_copy_array_run(&run, hipMemcpyDefault, stream, AH_ASYNC));
}

hipError_t hipMemcpyAtoH(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count)
{
    AH_ENTER(hipMemcpyAtoH);
    const struct ah_array_run line = {srcArray, srcOffset, 0, dst, count, false};
    return AH_LEAVE(copy_line(&line));
}

hipError_t hipMemcpyAtoHAsync(void *dstHost, hipArray_t srcArray, size_t srcOffset,
                              size_t ByteCount, hipStream_t stream)
{
    AH_ENTER(hipMemcpyAtoHAsync);
    const struct ah_array_run run = {srcArray, srcOffset, 0, dstHost, ByteCount, false};
    return AH_LEAVE(ah_copy_array_run(&run, hipMemcpyDefault, stream, AH_ASYNC));
}

hipError_t hipMemcpyAtoD(hipDeviceptr_t dstDevice, hipArray_t srcArray, size_t srcOffset,
                         size_t ByteCount)
{
    AH_ENTER(hipMemcpyAtoD);
    const struct ah_array_run run = {srcArray, srcOffset, 0, dstDevice, ByteCount, false};
    return AH_LEAVE(ah_copy_array_run(&run, hipMemcpyDefault, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t srcDevice,
                         size_t ByteCount)
{
    AH_ENTER(hipMemcpyDtoA);
    const struct ah_array_run run = {dstArray, dstOffset, 0, srcDevice, ByteCount, true};
    return AH_LEAVE(ah_copy_array_run(&run, hipMemcpyDefault, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyAtoA(hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray,
                         size_t srcOffset, size_t ByteCount)
{
    struct ah_array *array;
    AH_ENTER(hipMemcpyAtoA);
    if (ah_array_check(dstArray, &array) != hipSuccess ||
        ah_array_check(srcArray, &array) != hipSuccess)
        return AH_LEAVE(hipErrorInvalidValue);
    struct ah_copy_region region = {
        .dst = ah_array_end(dstArray, dstOffset, 0),
        .src = ah_array_end(srcArray, srcOffset, 0),
        .width = ByteCount,
        .height = 1,
        .depth = 1,
    };
    return AH_LEAVE(ah_copy_region(&region, NULL, AH_BLOCKING));
}

/* ---- three dimensions ------------------------------------------------------- */

static struct ah_copy_end with_rows(struct ah_copy_end end, size_t rows)
{
    end.rows = rows;
    return end;
}

/* Positions and widths count elements where an array takes part, else bytes. */
static hipError_t end_3d(struct ah_copy_end *out, hipArray_t array_handle, hipPitchedPtr pointer,
                         hipPos position, size_t *element)
{
    struct ah_array *array;
    if (!array_handle == !pointer.ptr) /* exactly one of the two */
        return hipErrorInvalidValue;
    if (!array_handle) {
        if (pointer.pitch < pointer.xsize)
            return hipErrorInvalidPitchValue;
        *out = with_rows(ah_pointer_end(pointer.ptr, pointer.pitch), pointer.ysize);
    } else {
        hipError_t error = ah_array_check(array_handle, &array);
        if (error != hipSuccess)
            return error;
        size_t size = ah_array_element_size(array);
        if (*element != 0 && *element != size)
            return hipErrorInvalidValue;
        *element = size;
        *out = ah_array_end(array_handle, 0, 0);
        if (__builtin_mul_overflow(position.x, size, &out->x))
            return hipErrorInvalidValue;
    }
    if (out->kind == AH_END_POINTER)
        out->x = position.x;
    out->y = position.y;
    out->z = position.z;
    return hipSuccess;
}

static hipError_t make_region_3d(struct ah_copy_region *out, const hipMemcpy3DParms *params)
{
    size_t element = 0;
    hipError_t error =
        end_3d(&out->src, params->srcArray, params->srcPtr, params->srcPos, &element);
    if (error == hipSuccess)
        error = end_3d(&out->dst, params->dstArray, params->dstPtr, params->dstPos, &element);
    if (error != hipSuccess)
        return error;
    out->height = params->extent.height;
    out->depth = params->extent.depth;
    set_default_rows(&out->dst, out);
    set_default_rows(&out->src, out);
    return __builtin_mul_overflow(params->extent.width, element ? element : 1, &out->width)
               ? hipErrorInvalidValue
               : hipSuccess;
}

hipError_t ah_region_of_3d(const hipMemcpy3DParms *params, struct ah_copy_region *out_region)
{
    if (!params)
        return hipErrorInvalidValue;
    return ah_copy_kind_valid(params->kind) ? make_region_3d(out_region, params)
                                            : hipErrorInvalidMemcpyDirection;
}

hipError_t ah_copy_3d(const hipMemcpy3DParms *params, hipStream_t stream, enum ah_blocking blocking)
{
    struct ah_copy_region region;
    if (ah_stream_is_detached(stream)) /* before the checks, as in HIP */
        return hipErrorStreamDetached;
    hipError_t error = ah_region_of_3d(params, &region);
    return error == hipSuccess ? ah_copy_region(&region, stream, blocking) : error;
}

hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *p)
{
    AH_ENTER(hipMemcpy3D);
    return AH_LEAVE(ah_copy_3d(p, NULL, AH_BLOCKING));
}

hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *p, hipStream_t stream)
{
    AH_ENTER(hipMemcpy3DAsync);
    return AH_LEAVE(ah_copy_3d(p, stream, AH_ASYNC));
}

static hipError_t copy_3d_peer(const hipMemcpy3DPeerParms *params, hipStream_t stream,
                               enum ah_blocking blocking)
{
    if (!params)
        return hipErrorInvalidValue;
    if (!ah_device_at(params->srcDevice) || !ah_device_at(params->dstDevice))
        return ah_device_missing_error();
    hipMemcpy3DParms plain = {
        .srcArray = params->srcArray,
        .srcPos = params->srcPos,
        .srcPtr = params->srcPtr,
        .dstArray = params->dstArray,
        .dstPos = params->dstPos,
        .dstPtr = params->dstPtr,
        .extent = params->extent,
        .kind = hipMemcpyDefault,
    };
    return ah_copy_3d(&plain, stream, blocking);
}

hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms *p)
{
    AH_ENTER(hipMemcpy3DPeer);
    return AH_LEAVE(copy_3d_peer(p, NULL, AH_BLOCKING));
}

hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *p, hipStream_t stream)
{
    AH_ENTER(hipMemcpy3DPeerAsync);
    return AH_LEAVE(copy_3d_peer(p, stream, AH_ASYNC));
}

/* ---- the driver's structures ------------------------------------------------ */

static hipError_t driver_end(struct ah_copy_end *out, hipMemoryType type, const void *host,
                             hipDeviceptr_t device, hipArray_t array, size_t pitch, size_t rows)
{
    struct ah_array *unused;
    switch ((int)type) {
    case hipMemoryTypeHost:
        *out = with_rows(ah_pointer_end(host, pitch), rows);
        return hipSuccess;
    case hipMemoryTypeDevice:
    case hipMemoryTypeUnified:
    case hipMemoryTypeManaged:
        *out = with_rows(ah_pointer_end(device, pitch), rows);
        return hipSuccess;
    case hipMemoryTypeArray:
        *out = ah_array_end(array, 0, 0);
        return ah_array_check(array, &unused) == hipSuccess ? hipSuccess : hipErrorInvalidValue;
    default:
        return hipErrorInvalidValue;
    }
}

hipError_t ah_region_of_driver(const HIP_MEMCPY3D *copy, struct ah_copy_region *out_region)
{
    struct ah_copy_region region = {.depth = 0};
    if (!copy)
        return hipErrorInvalidValue;
    region.width = copy->WidthInBytes;
    region.height = copy->Height;
    region.depth = copy->Depth;
    size_t src_pitch = copy->srcPitch ? copy->srcPitch : copy->WidthInBytes + copy->srcXInBytes;
    size_t dst_pitch = copy->dstPitch ? copy->dstPitch : copy->WidthInBytes + copy->dstXInBytes;
    hipError_t error = driver_end(&region.src, copy->srcMemoryType, copy->srcHost, copy->srcDevice,
                                  copy->srcArray, src_pitch, copy->srcHeight);
    if (error == hipSuccess)
        error = driver_end(&region.dst, copy->dstMemoryType, copy->dstHost, copy->dstDevice,
                           copy->dstArray, dst_pitch, copy->dstHeight);
    if (error != hipSuccess)
        return error;
    region.src.x = copy->srcXInBytes;
    region.src.y = copy->srcY;
    region.src.z = copy->srcZ;
    region.dst.x = copy->dstXInBytes;
    region.dst.y = copy->dstY;
    region.dst.z = copy->dstZ;
    set_default_rows(&region.dst, &region);
    set_default_rows(&region.src, &region);
    *out_region = region;
    return hipSuccess;
}

static hipError_t copy_driver(const HIP_MEMCPY3D *copy, hipStream_t stream,
                              enum ah_blocking blocking)
{
    struct ah_copy_region region;
    if (ah_stream_is_detached(stream))
        return hipErrorStreamDetached;
    hipError_t error = ah_region_of_driver(copy, &region);
    return error == hipSuccess ? ah_copy_region(&region, stream, blocking) : error;
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *pCopy)
{
    AH_ENTER(hipDrvMemcpy3D);
    return AH_LEAVE(copy_driver(pCopy, NULL, AH_BLOCKING));
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *pCopy, hipStream_t stream)
{
    AH_ENTER(hipDrvMemcpy3DAsync);
    return AH_LEAVE(copy_driver(pCopy, stream, AH_ASYNC));
}

static hipError_t copy_driver_2d(const hip_Memcpy2D *copy, hipStream_t stream,
                                 enum ah_blocking blocking)
{
    if (!copy)
        return hipErrorInvalidValue;
    HIP_MEMCPY3D whole = {
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
    return copy_driver(&whole, stream, blocking);
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D *pCopy)
{
    AH_ENTER(hipMemcpyParam2D);
    return AH_LEAVE(copy_driver_2d(pCopy, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *pCopy, hipStream_t stream)
{
    AH_ENTER(hipMemcpyParam2DAsync);
    return AH_LEAVE(copy_driver_2d(pCopy, stream, AH_ASYNC));
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *pCopy)
{
    AH_ENTER(hipDrvMemcpy2DUnaligned);
    return AH_LEAVE(copy_driver_2d(pCopy, NULL, AH_BLOCKING));
}
