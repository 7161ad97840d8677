/* Owns fills: the checks of their memory, and the choice of the driver that fills it. */
#include "memory.h"
#include "submit_kinds.h"

hipError_t ah_fill_check_range(const void *dst, size_t pitch, size_t row, size_t height,
                               enum ah_memory_kind *out_kind)
{
    struct ah_allocation allocation;
    struct ah_pointer_info info;
    size_t reach;
    if (!dst || __builtin_mul_overflow(pitch, height - 1, &reach) ||
        __builtin_add_overflow(reach, row, &reach))
        return hipErrorInvalidValue;
    if (!ah_memory_find(dst, &allocation)) {
        if (!ah_memory_describe(dst, &info)) {
            AH_LOG_ERR("%p is not memory that a device can fill", dst);
            return hipErrorInvalidValue;
        }
        *out_kind = info.kind;
        return hipSuccess;
    }
    *out_kind = allocation.kind;
    if (reach <= allocation.range.size - ((uintptr_t)dst - allocation.range.start))
        return hipSuccess;
    AH_LOG_ERR("a fill of %zu bytes at %p reaches past the end of its allocation", reach, dst);
    return hipErrorInvalidValue;
}

hipError_t ah_check_fill(const struct ah_stream *stream, struct ah_command *command)
{
    const struct ah_fill *fill = &command->fill.rows;
    enum ah_memory_kind kind = AH_MEMORY_UNKNOWN;
    size_t row;
    (void)stream;
    if (__builtin_mul_overflow(fill->width, fill->element_size, &row) ||
        (fill->height > 1 && row > fill->pitch) || (uintptr_t)fill->dst % fill->element_size != 0 ||
        (fill->height > 1 && fill->pitch % fill->element_size != 0))
        return hipErrorInvalidValue;
    hipError_t error = ah_fill_check_range(fill->dst, fill->pitch, row, fill->height, &kind);
    command->fill.host_sees = kind != AH_MEMORY_DEVICE;
    return error;
}

/* Memory of another driver than the stream's is filled in its device's legacy stream. */
static hipError_t fill_on_other_driver(struct ah_stream *stream, struct ah_device *owner,
                                       const struct ah_command *command)
{
    struct ah_command same = *command;
    hipError_t error = ah_stream_synchronize(stream);
    return error == hipSuccess ? ah_submit(&owner->legacy, &same) : error;
}

hipError_t ah_run_fill(struct ah_stream *stream, struct ah_backend_stream *native,
                       const struct ah_command *command)
{
    const struct ah_fill *fill = &command->fill.rows;
    struct ah_device *device = stream->handle.device;
    struct ah_device *owner = ah_registry.mixed_drivers ? ah_memory_owner(fill->dst) : NULL;
    if (owner && owner->driver != device->driver)
        return fill_on_other_driver(stream, owner, command);
    hipError_t error = device->ops->fill(device->native, fill, native);
    if (error == hipSuccess && command->blocking == AH_BLOCKING &&
        (command->fill.host_sees || ah_memory_is_synchronous(fill->dst)))
        error = ah_stream_synchronize(stream);
    return error;
}
