/* Owns copies of rectangles and arrays: the checks of both ends, and the choice of the driver that
 * copies. */
#include "array.h"
#include "memory.h"
#include "submit_kinds.h"

#include <stdlib.h>

/* Rows do not overlap, and slices do not either. */
static bool is_apart(const struct ah_copy_end *end, const struct ah_copy_region *region)
{
    size_t right, bottom;
    if (__builtin_add_overflow(end->x, region->width, &right) ||
        __builtin_add_overflow(end->y, region->height, &bottom))
        return false;
    return right <= end->pitch && (region->depth == 1 || bottom <= end->rows);
}

/* The bytes from the pointer to the end of the rectangle's last row. False: the size overflows. */
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

/* Replaces core's array handles by the driver's. */
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

/* Sets piece to the next part of whole; false: there is none. size: of the first piece. */
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

/* In the legacy stream of a device that is not the stream's; finished on return. */
static hipError_t copy_on(struct ah_device *device, const struct ah_copy_region *region)
{
    hipError_t error =
        ah_submit(&device->legacy, &(struct ah_command){.kind = AH_COMMAND_COPY_REGION,
                                                        .blocking = AH_ASYNC,
                                                        .region = region});
    return error == hipSuccess ? ah_stream_synchronize(&device->legacy) : error;
}

static hipError_t copy_piece(struct ah_device *dst, struct ah_device *src, void *staging,
                             const struct ah_copy_region *piece)
{
    struct ah_copy_region half = *piece;
    half.dst = dense(staging, piece);
    hipError_t error = copy_on(src, &half);
    half.src = half.dst;
    half.dst = piece->dst;
    return error == hipSuccess ? copy_on(dst, &half) : error;
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

/* Memory of another driver than the stream's: earlier work of the stream is done first. dst and
 * src: the devices of both ends, NULL for the host. */
static hipError_t copy_on_other_driver(struct ah_stream *stream, struct ah_device *dst,
                                       struct ah_device *src, const struct ah_copy_region *region)
{
    hipError_t error = ah_stream_synchronize(stream);
    if (error == hipSuccess && dst && src)
        error = ah_device_wait_both(src, dst);
    if (error != hipSuccess)
        return error;
    return dst && src && dst->driver != src->driver ? copy_staged(dst, src, region)
                                                    : copy_on(dst ? dst : src, region);
}

static hipError_t copy_between(struct ah_stream *stream, struct ah_backend_stream *native,
                               const struct ah_command *command)
{
    hipError_t error = hipSuccess;
    struct ah_device *device = stream->handle.device;
    struct ah_device *dst = NULL, *src = NULL;
    struct ah_copy_region region = *command->region;
    if (ah_registry.device_count > 1) {
        dst = end_owner(&region.dst);
        src = end_owner(&region.src);
    }
    if ((dst && dst->driver != device->driver) || (src && src->driver != device->driver))
        return copy_on_other_driver(stream, dst, src, &region);
    unwrap(&region.dst);
    unwrap(&region.src);
    if (!dst || !src || dst == src)
        return device->ops->copy_region(device->native, &region, native);
    if (command->blocking == AH_BLOCKING && stream == &device->legacy)
        error = ah_device_wait_both(src, dst);
    return error == hipSuccess ? device->ops->copy_region_peer(device->native, dst->native,
                                                               src->native, &region, native)
                               : error;
}

/* The device whose memory it is, NULL for memory that the host can access. */
static const struct ah_device *device_of(const struct ah_copy_end *end)
{
    struct ah_allocation allocation;
    if (end->kind == AH_END_ARRAY)
        return end_owner(end);
    return ah_memory_find(end->pointer, &allocation) && allocation.kind == AH_MEMORY_DEVICE
               ? allocation.device
               : NULL;
}

static bool is_synchronous(const struct ah_copy_end *end)
{
    return end->kind == AH_END_POINTER && ah_memory_is_synchronous(end->pointer);
}

hipError_t ah_region_check(const struct ah_copy_region *region)
{
    hipError_t error = check_end(&region->dst, region);
    return error == hipSuccess ? check_end(&region->src, region) : error;
}

hipError_t ah_check_region(const struct ah_stream *stream, struct ah_command *command)
{
    (void)stream;
    return ah_region_check(command->region);
}

hipError_t ah_region_for_device(const struct ah_copy_region *region, const struct ah_device *device,
                                struct ah_copy_region *out_region)
{
    const struct ah_device *dst = end_owner(&region->dst), *src = end_owner(&region->src);
    if ((dst && dst != device) || (src && src != device))
        return hipErrorNotSupported;
    *out_region = *region;
    unwrap(&out_region->dst);
    unwrap(&out_region->src);
    return hipSuccess;
}

hipError_t ah_run_region(struct ah_stream *stream, struct ah_backend_stream *native,
                         const struct ah_command *command)
{
    hipError_t error = copy_between(stream, native, command);
    if (error != hipSuccess || command->blocking != AH_BLOCKING)
        return error;
    const struct ah_device *dst = device_of(&command->region->dst);
    if (dst && dst == device_of(&command->region->src) && !is_synchronous(&command->region->dst) &&
        !is_synchronous(&command->region->src))
        return hipSuccess; /* the host does not wait for copies within a device, as with AMD's and
                              NVIDIA's runtimes */
    return ah_stream_synchronize(stream);
}
