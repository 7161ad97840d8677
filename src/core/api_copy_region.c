/* Rectangular copies: hipMemcpy2D, hipMemcpy3D, to and from arrays, and the
 * driver's hipMemcpyParam2D and hipDrvMemcpy3D. All become one ah_copy_region. */
#include "api.h"
#include "api_shared.h"
#include "memory.h"

#include <stdlib.h>

/* ---- the one way ----------------------------------------------------------- */

/* Rows do not overlap, and slices do not either. */
static bool is_apart(const struct ah_copy_end *end, const struct ah_copy_region *region)
{
    size_t right, bottom;
    if (__builtin_add_overflow(end->x, region->width, &right) ||
        __builtin_add_overflow(end->y, region->height, &bottom))
        return false;
    return right <= end->pitch && (region->depth == 1 || bottom <= end->rows);
}

/* The bytes from the pointer to the end of the rectangle's last row. False: more than there are
 * addresses. */
static bool span(const struct ah_copy_end *end, const struct ah_copy_region *region, size_t *out)
{
    size_t slice, slices, rows, last;
    if (__builtin_add_overflow(end->z, region->depth - 1, &slices) ||
        __builtin_add_overflow(end->y, region->height - 1, &rows) ||
        __builtin_mul_overflow(end->pitch, end->rows, &slice) ||
        __builtin_mul_overflow(slice, slices, &slices) ||
        __builtin_mul_overflow(end->pitch, rows, &rows) ||
        __builtin_add_overflow(slices, rows, &last) ||
        __builtin_add_overflow(last, end->x + region->width, &last))
        return false;
    *out = last;
    return last <= SIZE_MAX - (uintptr_t)end->pointer;
}

static bool within(size_t start, size_t length, size_t limit)
{
    return start <= limit && length <= limit - start;
}

static bool array_holds(const struct ah_array *array, const struct ah_copy_end *end,
                        const struct ah_copy_region *region)
{
    size_t row = array->shape.width * ah_array_element_size(array);
    size_t height = array->shape.height ? array->shape.height : 1;
    size_t depth = array->shape.depth ? array->shape.depth : 1;
    return within(end->x, region->width, row) && within(end->y, region->height, height) &&
           within(end->z, region->depth, depth);
}

/* The rectangle lies inside the allocation or the array. */
static hipError_t check_end(const struct ah_copy_end *end, const struct ah_copy_region *region)
{
    struct ah_allocation allocation;
    struct ah_array *array;
    size_t size;
    if (end->kind == AH_END_ARRAY) {
        hipError_t error = ah_array_check((hipArray_const_t)(void *)end->array, &array);
        return error != hipSuccess               ? error
               : array_holds(array, end, region) ? hipSuccess
                                                 : hipErrorInvalidValue;
    }
    if (!end->pointer || !is_apart(end, region) || !span(end, region, &size))
        return hipErrorInvalidValue;
    if (!ah_memory_find(end->pointer, &allocation))
        return hipSuccess;
    size_t offset = (uintptr_t)end->pointer - allocation.range.start;
    if (size <= allocation.range.size - offset)
        return hipSuccess;
    AH_LOG_ERR("a copy of %zu x %zu x %zu bytes at %p reaches past the end of its allocation",
               region->width, region->height, region->depth, end->pointer);
    return hipErrorInvalidValue;
}

static struct ah_device *end_owner(const struct ah_copy_end *end)
{
    if (end->kind == AH_END_ARRAY)
        return ((const struct ah_handle *)(const void *)end->array)->device;
    return ah_memory_owner(end->pointer);
}

/* Core's array handles become the driver's. */
static void unwrap(struct ah_copy_end *end)
{
    if (end->kind == AH_END_ARRAY)
        end->array = ((const struct ah_array *)(const void *)end->array)->native;
}

/* A dense rectangle in host memory, as one end of a copy of region. */
static struct ah_copy_end dense(void *memory, const struct ah_copy_region *region)
{
    return (struct ah_copy_end){
        .kind = AH_END_POINTER, .pointer = memory, .pitch = region->width, .rows = region->height};
}

static size_t at_most(size_t size, size_t limit)
{
    return size < limit ? size : limit;
}

/* The part of region that is staged at once: whole slices, else whole rows of one, else a part of
 * a row. */
static struct ah_copy_region first_piece(const struct ah_copy_region *region)
{
    struct ah_copy_region piece = *region;
    piece.width = at_most(region->width, AH_STAGING_SIZE);
    piece.height =
        piece.width == region->width ? at_most(region->height, AH_STAGING_SIZE / piece.width) : 1;
    piece.depth = piece.height == region->height
                      ? at_most(region->depth, AH_STAGING_SIZE / (piece.width * piece.height))
                      : 1;
    return piece;
}

/* Moves piece on to the next part of whole; false: there is none. size: of the first piece. */
static bool next_piece(struct ah_copy_region *piece, const struct ah_copy_region *size,
                       const struct ah_copy_region *whole)
{
    size_t x = piece->src.x - whole->src.x + piece->width;
    size_t y = piece->src.y - whole->src.y, z = piece->src.z - whole->src.z;
    if (x == whole->width) {
        x = 0;
        y += piece->height;
    }
    if (y == whole->height) {
        y = 0;
        z += piece->depth;
    }
    if (z == whole->depth)
        return false;
    piece->width = at_most(size->width, whole->width - x);
    piece->height = at_most(size->height, whole->height - y);
    piece->depth = at_most(size->depth, whole->depth - z);
    piece->src.x = whole->src.x + x;
    piece->src.y = whole->src.y + y;
    piece->src.z = whole->src.z + z;
    piece->dst.x = whole->dst.x + x;
    piece->dst.y = whole->dst.y + y;
    piece->dst.z = whole->dst.z + z;
    return true;
}

static hipError_t copy_and_wait(struct ah_device *device, const struct ah_copy_region *region)
{
    hipError_t error = device->ops->copy_region(device->native, region, NULL);
    return error == hipSuccess ? ah_stream_wait(device, NULL) : error;
}

static hipError_t copy_piece(struct ah_device *dst, struct ah_device *src, void *staging,
                             const struct ah_copy_region *piece)
{
    struct ah_copy_region half = *piece;
    half.dst = dense(staging, piece);
    hipError_t error = copy_and_wait(src, &half);
    half.src = half.dst;
    half.dst = piece->dst;
    return error == hipSuccess ? copy_and_wait(dst, &half) : error;
}

/* Between memories of two drivers: through host memory, finished on return. */
static hipError_t copy_staged(struct ah_device *dst, struct ah_device *src,
                              const struct ah_copy_region *region)
{
    const struct ah_copy_region size = first_piece(region);
    struct ah_copy_region piece = size;
    void *staging = malloc(size.width * size.height * size.depth);
    if (!staging)
        return hipErrorOutOfMemory;
    hipError_t error;
    do
        error = copy_piece(dst, src, staging, &piece);
    while (error == hipSuccess && next_piece(&piece, &size, region));
    free(staging);
    return error;
}

/* Memory of another driver than the stream's: what the stream was given before goes first. dst
 * and src: whose memory the ends are, NULL for the host's. */
static hipError_t copy_elsewhere(struct ah_device *device, struct ah_backend_stream *native,
                                 struct ah_device *dst, struct ah_device *src,
                                 const struct ah_copy_region *region)
{
    hipError_t error = ah_stream_wait(device, native);
    if (error == hipSuccess && dst && src)
        error = ah_device_wait_both(src, dst);
    if (error != hipSuccess)
        return error;
    if (dst && src && dst->driver != src->driver)
        return copy_staged(dst, src, region);
    if (!dst || !src || dst == src)
        return copy_and_wait(dst ? dst : src, region);
    error = dst->ops->copy_region_peer(dst->native, dst->native, src->native, region, NULL);
    return error == hipSuccess ? ah_stream_wait(dst, NULL) : error;
}

static hipError_t copy_between(struct ah_device *device, struct ah_backend_stream *native,
                               struct ah_copy_region *region, enum ah_blocking blocking)
{
    hipError_t error = hipSuccess;
    struct ah_device *dst = NULL, *src = NULL;
    if (ah_registry.device_count > 1) {
        dst = end_owner(&region->dst);
        src = end_owner(&region->src);
    }
    unwrap(&region->dst);
    unwrap(&region->src);
    if ((dst && dst->driver != device->driver) || (src && src->driver != device->driver))
        return copy_elsewhere(device, native, dst, src, region);
    if (!dst || !src || dst == src)
        return device->ops->copy_region(device->native, region, native);
    if (blocking == AH_BLOCKING && (native == NULL || native == AH_STREAM_LEGACY))
        error = ah_device_wait_both(src, dst);
    return error == hipSuccess ? device->ops->copy_region_peer(device->native, dst->native,
                                                               src->native, region, native)
                               : error;
}

/* The device whose memory it is, NULL for memory that the host reaches. */
static const struct ah_device *device_of(const struct ah_copy_end *end)
{
    struct ah_allocation allocation;
    if (end->kind == AH_END_ARRAY)
        return end_owner(end);
    return ah_memory_find(end->pointer, &allocation) && allocation.kind == AH_MEMORY_DEVICE
               ? allocation.device
               : NULL;
}

/* Slices without a height follow each other at once. A sum that wraps is refused later. */
static void give_rows(struct ah_copy_end *end, const struct ah_copy_region *region)
{
    if (end->kind == AH_END_POINTER && end->rows == 0)
        end->rows = end->y + region->height;
}

hipError_t ah_copy_region(const struct ah_copy_region *request, hipStream_t stream,
                          enum ah_blocking blocking)
{
    struct ah_device *device;
    struct ah_backend_stream *native;
    struct ah_copy_region region = *request;
    hipError_t error = ah_stream_resolve(stream, &device, &native);
    if (error != hipSuccess || region.width == 0 || region.height == 0 || region.depth == 0)
        return error;
    give_rows(&region.dst, &region);
    give_rows(&region.src, &region);
    error = check_end(&region.dst, &region);
    if (error == hipSuccess)
        error = check_end(&region.src, &region);
    if (error == hipSuccess)
        error = copy_between(device, native, &region, blocking);
    if (error != hipSuccess || blocking != AH_BLOCKING)
        return error;
    const struct ah_device *dst = device_of(&request->dst);
    if (dst && dst == device_of(&request->src))
        return hipSuccess; /* within a device the host does not wait, as on AMD and NVIDIA */
    return ah_stream_wait(device, native);
}

static struct ah_copy_end pointer_end(const void *pointer, size_t pitch, size_t rows)
{
    return (struct ah_copy_end){.kind = AH_END_POINTER,
                                .pointer = (void *)(uintptr_t)pointer,
                                .pitch = pitch,
                                .rows = rows};
}

static struct ah_copy_end array_end(hipArray_const_t array, size_t x, size_t y)
{
    return (struct ah_copy_end){
        .kind = AH_END_ARRAY, .array = (struct ah_backend_array *)(uintptr_t)array, .x = x, .y = y};
}

/* ---- two dimensions -------------------------------------------------------- */

hipError_t ah_copy_2d(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                      size_t height, hipMemcpyKind kind, hipStream_t stream,
                      enum ah_blocking blocking)
{
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    if (width > 0 && height > 0 && (!dst || !src))
        return hipErrorInvalidValue;
    if (width > 0 && height > 0 && (width > dst_pitch || width > src_pitch))
        return hipErrorInvalidPitchValue;
    struct ah_copy_region region = {
        .dst = pointer_end(dst, dst_pitch, height),
        .src = pointer_end(src, src_pitch, height),
        .width = width,
        .height = height,
        .depth = 1,
    };
    return ah_copy_region(&region, stream, blocking);
}

hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, hipMemcpyKind kind)
{
    AH_ENTER(dst, dpitch, src, spitch, width, height, ah_name_copy_kind(kind));
    return AH_LEAVE(ah_copy_2d(dst, dpitch, src, spitch, width, height, kind, NULL, AH_BLOCKING));
}

hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(dst, dpitch, src, spitch, width, height, ah_name_copy_kind(kind), stream);
    return AH_LEAVE(ah_copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, AH_ASYNC));
}

hipError_t ah_copy_to_array_2d(hipArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                               size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream,
                               enum ah_blocking blocking)
{
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    if (!src)
        return hipErrorInvalidValue;
    if (pitch == 0 || pitch < width)
        return hipErrorInvalidPitchValue;
    struct ah_copy_region region = {
        .dst = array_end(dst, x, y),
        .src = pointer_end(src, pitch, height),
        .width = width,
        .height = height,
        .depth = 1,
    };
    return ah_copy_region(&region, stream, blocking);
}

hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t spitch, size_t width, size_t height, hipMemcpyKind kind)
{
    AH_ENTER(dst, wOffset, hOffset, src, spitch, width, height, ah_name_copy_kind(kind));
    return AH_LEAVE(ah_copy_to_array_2d(dst, wOffset, hOffset, src, spitch, width, height, kind,
                                        NULL, AH_BLOCKING));
}

hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                                   hipStream_t stream)
{
    AH_ENTER(dst, wOffset, hOffset, src, spitch, width, height, ah_name_copy_kind(kind), stream);
    return AH_LEAVE(ah_copy_to_array_2d(dst, wOffset, hOffset, src, spitch, width, height, kind,
                                        stream, AH_ASYNC));
}

hipError_t ah_copy_from_array_2d(void *dst, size_t pitch, hipArray_const_t src, size_t x, size_t y,
                                 size_t width, size_t height, hipMemcpyKind kind,
                                 hipStream_t stream, enum ah_blocking blocking)
{
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    if (!dst)
        return hipErrorInvalidValue;
    if (pitch == 0 || pitch < width)
        return hipErrorInvalidPitchValue;
    struct ah_copy_region region = {
        .dst = pointer_end(dst, pitch, height),
        .src = array_end(src, x, y),
        .width = width,
        .height = height,
        .depth = 1,
    };
    return ah_copy_region(&region, stream, blocking);
}

hipError_t hipMemcpy2DFromArray(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                size_t hOffset, size_t width, size_t height, hipMemcpyKind kind)
{
    AH_ENTER(dst, dpitch, src, wOffset, hOffset, width, height, ah_name_copy_kind(kind));
    return AH_LEAVE(ah_copy_from_array_2d(dst, dpitch, src, wOffset, hOffset, width, height, kind,
                                          NULL, AH_BLOCKING));
}

hipError_t hipMemcpy2DFromArrayAsync(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t width, size_t height,
                                     hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(dst, dpitch, src, wOffset, hOffset, width, height, ah_name_copy_kind(kind), stream);
    return AH_LEAVE(ah_copy_from_array_2d(dst, dpitch, src, wOffset, hOffset, width, height, kind,
                                          stream, AH_ASYNC));
}

hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   hipArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t width, size_t height, hipMemcpyKind kind)
{
    AH_ENTER(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height,
             ah_name_copy_kind(kind));
    if (!ah_copy_kind_valid(kind))
        return AH_LEAVE(hipErrorInvalidMemcpyDirection);
    struct ah_copy_region region = {
        .dst = array_end(dst, wOffsetDst, hOffsetDst),
        .src = array_end(src, wOffsetSrc, hOffsetSrc),
        .width = width,
        .height = height,
        .depth = 1,
    };
    return AH_LEAVE(ah_copy_region(&region, NULL, AH_BLOCKING));
}

/* ---- runs of bytes in arrays ----------------------------------------------- */

hipError_t ah_copy_array_run(hipArray_const_t array_handle, size_t x, size_t y, char *packed,
                             size_t count, bool to_array, hipMemcpyKind kind, hipStream_t stream,
                             enum ah_blocking blocking)
{
    struct ah_array *array;
    hipError_t error = hipSuccess;
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    if (!packed || ah_array_check(array_handle, &array) != hipSuccess)
        return hipErrorInvalidValue;
    size_t row = array->shape.width * ah_array_element_size(array);
    size_t rows = array->shape.height ? array->shape.height : 1;
    if (x > row || y >= rows || count > (rows - y) * row - x)
        return hipErrorInvalidValue;
    while (count > 0 && error == hipSuccess) {
        size_t now = count < row - x ? count : row - x;
        struct ah_copy_end inside = array_end(array_handle, x, y);
        struct ah_copy_end outside = pointer_end(packed, now, 1);
        struct ah_copy_region region = {
            .dst = to_array ? inside : outside,
            .src = to_array ? outside : inside,
            .width = now,
            .height = 1,
            .depth = 1,
        };
        error = ah_copy_region(&region, stream, blocking);
        packed += now;
        count -= now;
        x = 0;
        y++;
    }
    return error;
}

hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                            size_t count, hipMemcpyKind kind)
{
    AH_ENTER(dst, wOffset, hOffset, src, count, ah_name_copy_kind(kind));
    return AH_LEAVE(ah_copy_array_run(dst, wOffset, hOffset, (char *)(uintptr_t)src, count, true,
                                      kind, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyFromArray(void *dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset,
                              size_t count, hipMemcpyKind kind)
{
    AH_ENTER(dst, srcArray, wOffset, hOffset, count, ah_name_copy_kind(kind));
    return AH_LEAVE(
        ah_copy_array_run(srcArray, wOffset, hOffset, dst, count, false, kind, NULL, AH_BLOCKING));
}

/* These know arrays of one dimension. */
static hipError_t copy_line(hipArray_const_t array_handle, size_t offset, char *packed,
                            size_t count, bool to_array)
{
    struct ah_array *array;
    if (ah_array_check(array_handle, &array) != hipSuccess || array->shape.height > 0)
        return hipErrorInvalidValue;
    return ah_copy_array_run(array_handle, offset, 0, packed, count, to_array, hipMemcpyDefault,
                             NULL, AH_BLOCKING);
}

hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void *srcHost, size_t count)
{
    AH_ENTER(dstArray, dstOffset, srcHost, count);
    return AH_LEAVE(copy_line(dstArray, dstOffset, (char *)(uintptr_t)srcHost, count, true));
}

hipError_t hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount, hipStream_t stream)
{
    AH_ENTER(dstArray, dstOffset, srcHost, ByteCount, stream);
    return AH_LEAVE(ah_copy_array_run(dstArray, dstOffset, 0, (char *)(uintptr_t)srcHost, ByteCount,
                                      true, hipMemcpyDefault, stream, AH_ASYNC));
}

hipError_t hipMemcpyAtoH(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count)
{
    AH_ENTER(dst, srcArray, srcOffset, count);
    return AH_LEAVE(copy_line(srcArray, srcOffset, dst, count, false));
}

hipError_t hipMemcpyAtoHAsync(void *dstHost, hipArray_t srcArray, size_t srcOffset,
                              size_t ByteCount, hipStream_t stream)
{
    AH_ENTER(dstHost, srcArray, srcOffset, ByteCount, stream);
    return AH_LEAVE(ah_copy_array_run(srcArray, srcOffset, 0, dstHost, ByteCount, false,
                                      hipMemcpyDefault, stream, AH_ASYNC));
}

hipError_t hipMemcpyAtoD(hipDeviceptr_t dstDevice, hipArray_t srcArray, size_t srcOffset,
                         size_t ByteCount)
{
    AH_ENTER(dstDevice, srcArray, srcOffset, ByteCount);
    return AH_LEAVE(ah_copy_array_run(srcArray, srcOffset, 0, dstDevice, ByteCount, false,
                                      hipMemcpyDefault, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t srcDevice,
                         size_t ByteCount)
{
    AH_ENTER(dstArray, dstOffset, srcDevice, ByteCount);
    return AH_LEAVE(ah_copy_array_run(dstArray, dstOffset, 0, srcDevice, ByteCount, true,
                                      hipMemcpyDefault, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyAtoA(hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray,
                         size_t srcOffset, size_t ByteCount)
{
    struct ah_array *array;
    AH_ENTER(dstArray, dstOffset, srcArray, srcOffset, ByteCount);
    if (ah_array_check(dstArray, &array) != hipSuccess ||
        ah_array_check(srcArray, &array) != hipSuccess)
        return AH_LEAVE(hipErrorInvalidValue);
    struct ah_copy_region region = {
        .dst = array_end(dstArray, dstOffset, 0),
        .src = array_end(srcArray, srcOffset, 0),
        .width = ByteCount,
        .height = 1,
        .depth = 1,
    };
    return AH_LEAVE(ah_copy_region(&region, NULL, AH_BLOCKING));
}

/* ---- three dimensions ------------------------------------------------------- */

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
        *out = pointer_end(pointer.ptr, pointer.pitch, pointer.ysize);
    } else {
        hipError_t error = ah_array_check(array_handle, &array);
        if (error != hipSuccess)
            return error;
        size_t size = ah_array_element_size(array);
        if (*element != 0 && *element != size)
            return hipErrorInvalidValue;
        *element = size;
        *out = array_end(array_handle, 0, 0);
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
    return __builtin_mul_overflow(params->extent.width, element ? element : 1, &out->width)
               ? hipErrorInvalidValue
               : hipSuccess;
}

hipError_t ah_copy_3d(const hipMemcpy3DParms *params, hipStream_t stream, enum ah_blocking blocking)
{
    struct ah_copy_region region;
    if (!params)
        return hipErrorInvalidValue;
    if (!ah_copy_kind_valid(params->kind))
        return hipErrorInvalidMemcpyDirection;
    hipError_t error = make_region_3d(&region, params);
    return error == hipSuccess ? ah_copy_region(&region, stream, blocking) : error;
}

hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *p)
{
    AH_ENTER(p);
    return AH_LEAVE(ah_copy_3d(p, NULL, AH_BLOCKING));
}

hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *p, hipStream_t stream)
{
    AH_ENTER(p, stream);
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
    AH_ENTER(p);
    return AH_LEAVE(copy_3d_peer(p, NULL, AH_BLOCKING));
}

hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *p, hipStream_t stream)
{
    AH_ENTER(p, stream);
    return AH_LEAVE(copy_3d_peer(p, stream, AH_ASYNC));
}

/* ---- the driver's structures ------------------------------------------------ */

static hipError_t driver_end(struct ah_copy_end *out, hipMemoryType type, const void *host,
                             hipDeviceptr_t device, hipArray_t array, size_t pitch, size_t rows)
{
    struct ah_array *unused;
    switch ((int)type) {
    case hipMemoryTypeHost:
        *out = pointer_end(host, pitch, rows);
        return hipSuccess;
    case hipMemoryTypeDevice:
    case hipMemoryTypeUnified:
    case hipMemoryTypeManaged:
        *out = pointer_end(device, pitch, rows);
        return hipSuccess;
    case hipMemoryTypeArray:
        *out = array_end(array, 0, 0);
        return ah_array_check(array, &unused) == hipSuccess ? hipSuccess : hipErrorInvalidValue;
    default:
        return hipErrorInvalidValue;
    }
}

static hipError_t copy_driver(const HIP_MEMCPY3D *copy, hipStream_t stream,
                              enum ah_blocking blocking)
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
    return ah_copy_region(&region, stream, blocking);
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *pCopy)
{
    AH_ENTER(pCopy);
    return AH_LEAVE(copy_driver(pCopy, NULL, AH_BLOCKING));
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *pCopy, hipStream_t stream)
{
    AH_ENTER(pCopy, stream);
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
    AH_ENTER(pCopy);
    return AH_LEAVE(copy_driver_2d(pCopy, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *pCopy, hipStream_t stream)
{
    AH_ENTER(pCopy, stream);
    return AH_LEAVE(copy_driver_2d(pCopy, stream, AH_ASYNC));
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *pCopy)
{
    AH_ENTER(pCopy);
    return AH_LEAVE(copy_driver_2d(pCopy, NULL, AH_BLOCKING));
}
