/* Owns the contents of the kernel argument segment: the caller's arguments, and the implicit
 * ones, which the runtime supplies (docs/kernel-abi.md). */
#include "hsa_module.h"

#include <string.h>

static uint64_t aperture(const hsa_queue_t *queue, bool shared)
{
    const amd_queue_t *amd = (const amd_queue_t *)(const void *)queue;
    if (!queue)
        return 0;
    return shared ? amd->group_segment_aperture_base_hi : amd->private_segment_aperture_base_hi;
}

static uint64_t dimensions(const struct ah_launch *launch)
{
    bool z = launch->grid[2] > 1 || launch->block[2] > 1;
    return z ? 3 : launch->grid[1] > 1 || launch->block[1] > 1 ? 2 : 1;
}

/* The value of an implicit argument (docs/kernel-abi.md). Kinds that are not here are 0. */
static uint64_t implicit_value(enum ahhsa_value value, const struct ah_launch *launch,
                               const struct ahhsa_implicit *implicit)
{
    switch (value) {
    case AHHSA_VALUE_BLOCK_COUNT_X:
    case AHHSA_VALUE_BLOCK_COUNT_Y:
    case AHHSA_VALUE_BLOCK_COUNT_Z:
        return launch->grid[value - AHHSA_VALUE_BLOCK_COUNT_X];
    case AHHSA_VALUE_GROUP_SIZE_X:
    case AHHSA_VALUE_GROUP_SIZE_Y:
    case AHHSA_VALUE_GROUP_SIZE_Z:
        return launch->block[value - AHHSA_VALUE_GROUP_SIZE_X];
    case AHHSA_VALUE_GRID_DIMS:
        return dimensions(launch);
    case AHHSA_VALUE_PRINTF_BUFFER:
        return (uintptr_t)implicit->printf_buffer;
    case AHHSA_VALUE_HOSTCALL_BUFFER:
        return (uintptr_t)implicit->hostcall_buffer;
    case AHHSA_VALUE_MULTIGRID_SYNC:
        return (uintptr_t)implicit->multigrid_sync;
    case AHHSA_VALUE_HEAP:
        return (uintptr_t)implicit->heap;
    case AHHSA_VALUE_DYNAMIC_LDS_SIZE:
        return launch->shared;
    case AHHSA_VALUE_PRIVATE_BASE:
        return aperture(implicit->queue, false);
    case AHHSA_VALUE_SHARED_BASE:
        return aperture(implicit->queue, true);
    case AHHSA_VALUE_QUEUE_PTR:
        return (uintptr_t)implicit->queue;
    default:
        return 0;
    }
}

void ahhsa_arguments_write(unsigned char *to, const struct ah_backend_function *function,
                           const struct ah_launch *launch, const struct ahhsa_implicit *implicit)
{
    const struct ahhsa_kernel_metadata *kernel = function->kernel;
    size_t from_caller = 0;
    if (launch->extra) {
        from_caller = *(const size_t *)launch->extra[3];
        if (from_caller > function->explicit_end)
            from_caller = function->explicit_end;
        memcpy(to, launch->extra[1], from_caller);
    } else {
        for (size_t i = 0; i < kernel->explicit_count; i++)
            memcpy(to + kernel->arguments[i].offset, launch->params[i], kernel->arguments[i].size);
        from_caller = function->explicit_end;
    }
    memset(to + from_caller, 0, function->kernarg_size - from_caller);
    for (size_t i = kernel->explicit_count; i < kernel->argument_count; i++) {
        const struct ahhsa_argument *argument = &kernel->arguments[i];
        uint64_t value = implicit_value(argument->value, launch, implicit);
        memcpy(to + argument->offset, &value,
               argument->size < sizeof value ? argument->size : sizeof value);
    }
}
