/* Owns the checks of launches for which ah_submit_launch takes the slow path. */
#include "submit_kinds.h"
#include "demangle.h"

static bool exceeds(const unsigned *size, const unsigned *limit)
{
    return size[0] > limit[0] || size[1] > limit[1] || size[2] > limit[2];
}

static bool has_zero(const unsigned *size)
{
    return size[0] == 0 || size[1] == 0 || size[2] == 0;
}

static bool extra_valid(void **extra)
{
    return extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER &&
           extra[2] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[4] == HIP_LAUNCH_PARAM_END &&
           extra[3] != NULL;
}

/* Launches of a module's functions have the same error for everything that is too large. */
static hipError_t size_error(const struct ah_function *function, hipError_t of_a_kernel)
{
    return function->module ? hipErrorInvalidValue : of_a_kernel;
}

static hipError_t check_sizes(const struct ah_function *function, const struct ah_launch *launch,
                              const struct ah_device *device)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (has_zero(grid) || has_zero(block)) {
        AH_LOG_ERR("a dimension of grid (%u, %u, %u) or block (%u, %u, %u) is 0 for kernel %s",
                   grid[0], grid[1], grid[2], block[0], block[1], block[2],
                   ah_demangle(function->name));
        return launch->flags & AH_LAUNCH_COOPERATIVE
                   ? size_error(function, hipErrorInvalidConfiguration)
                   : hipErrorInvalidValue;
    }
    if (threads > device->max_threads || exceeds(block, device->max_block)) {
        AH_LOG_ERR("Launch params (%u, %u, %u) are larger than the block limit of device %d "
                   "(%u threads, %u x %u x %u) for kernel %s",
                   block[0], block[1], block[2], device->ordinal, device->max_threads,
                   device->max_block[0], device->max_block[1], device->max_block[2],
                   ah_demangle(function->name));
        return size_error(function, hipErrorInvalidConfiguration);
    }
    if (threads > function->max_threads) {
        AH_LOG_ERR("Launch params (%u, %u, %u) are larger than launch bounds (%u) for kernel %s",
                   block[0], block[1], block[2], function->max_threads,
                   ah_demangle(function->name));
        return hipErrorLaunchFailure;
    }
    if (exceeds(grid, device->max_grid)) {
        AH_LOG_ERR("grid (%u, %u, %u) is larger than device %d allows (%u, %u, %u) for kernel %s",
                   grid[0], grid[1], grid[2], device->ordinal, device->max_grid[0],
                   device->max_grid[1], device->max_grid[2],
                   ah_demangle(function->name));
        return size_error(function, hipErrorInvalidConfiguration);
    }
    return hipSuccess;
}

/* On NVIDIA a function has to opt in to more dynamic shared memory than the default; HIP programs
 * do not do that, so it is done here. */
static hipError_t check_shared(struct ah_function *function, const struct ah_launch *launch,
                               const struct ah_device *device)
{
    unsigned shared = launch->shared;
    if (shared <= atomic_load_explicit(&function->max_dynamic, memory_order_relaxed))
        return hipSuccess;
    if ((uint64_t)shared + function->static_shared > device->max_shared) {
        AH_LOG_ERR("%u bytes of dynamic and %u of static shared memory are more than the %u of "
                   "device %d for kernel %s",
                   shared, function->static_shared, device->max_shared, device->ordinal,
                   ah_demangle(function->name));
        return size_error(function, launch->flags & AH_LAUNCH_COOPERATIVE
                                        ? hipErrorCooperativeLaunchTooLarge
                                        : hipErrorOutOfMemory);
    }
    return ah_function_raise_dynamic(function, shared);
}

hipError_t ah_launch_check(struct ah_function *function, const struct ah_launch *launch)
{
    const struct ah_device *device = function->handle.device;
    hipError_t error = check_sizes(function, launch, device);
    if (error == hipSuccess)
        error = check_shared(function, launch, device);
    if (error == hipSuccess && launch->extra && (launch->params || !extra_valid(launch->extra)))
        error = hipErrorInvalidValue;
    return error;
}

hipError_t ah_check_launch(const struct ah_stream *stream, struct ah_command *command)
{
    (void)stream;
    return ah_launch_check(command->launch.function, command->launch.sizes);
}
