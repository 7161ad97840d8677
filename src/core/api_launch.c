/* Launches: hipLaunchKernel, what <<<>>> compiles to, and every other way to
 * start a kernel. */
#include "api.h"
#include "api_shared.h"
#include "code.h"
#include "stream.h"

#include <hip/api/registration.h>
#include <hip/hip_ext.h>

#include <stdlib.h>
#include <string.h>

/* ---- checks ---------------------------------------------------------------- */

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

/* Launches of a module's functions have one error for all that is too large. */
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
                   grid[0], grid[1], grid[2], block[0], block[1], block[2], function->name);
        return launch->flags & AH_LAUNCH_COOPERATIVE
                   ? size_error(function, hipErrorInvalidConfiguration)
                   : hipErrorInvalidValue;
    }
    if (threads > device->max_threads || exceeds(block, device->max_block)) {
        AH_LOG_ERR("Launch params (%u, %u, %u) are larger than the block limit of device %d "
                   "(%u threads, %u x %u x %u) for kernel %s",
                   block[0], block[1], block[2], device->ordinal, device->max_threads,
                   device->max_block[0], device->max_block[1], device->max_block[2],
                   function->name);
        return size_error(function, hipErrorInvalidConfiguration);
    }
    if (threads > function->max_threads) {
        AH_LOG_ERR("Launch params (%u, %u, %u) are larger than launch bounds (%u) for kernel %s",
                   block[0], block[1], block[2], function->max_threads, function->name);
        return hipErrorLaunchFailure;
    }
    if (exceeds(grid, device->max_grid)) {
        AH_LOG_ERR("grid (%u, %u, %u) is larger than device %d allows (%u, %u, %u) for kernel %s",
                   grid[0], grid[1], grid[2], device->ordinal, device->max_grid[0],
                   device->max_grid[1], device->max_grid[2], function->name);
        return size_error(function, hipErrorInvalidConfiguration);
    }
    return hipSuccess;
}

/* More than the default amount of dynamic shared memory must be asked for on
 * NVIDIA; HIP programs do not know of that, so it happens here. */
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
                   function->name);
        return size_error(function, launch->flags & AH_LAUNCH_COOPERATIVE
                                        ? hipErrorCooperativeLaunchTooLarge
                                        : hipErrorOutOfMemory);
    }
    return ah_function_raise_dynamic(function, shared);
}

static hipError_t check_slowly(struct ah_function *function, const struct ah_launch *launch,
                               const struct ah_device *device)
{
    hipError_t error = check_sizes(function, launch, device);
    if (error == hipSuccess)
        error = check_shared(function, launch, device);
    if (error == hipSuccess && launch->extra && (launch->params || !extra_valid(launch->extra)))
        error = hipErrorInvalidValue;
    return error;
}

/* Every launch passes here: one branch when nothing is unusual. A size less one
 * is below its limit exactly when it is neither 0 nor too large. */
static inline hipError_t check(struct ah_function *function, const struct ah_launch *launch,
                               const struct ah_device *device)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    bool unusual =
        (threads - 1 >= function->max_threads) | (block[0] > device->max_block[0]) |
        (block[1] > device->max_block[1]) | (block[2] > device->max_block[2]) |
        (grid[0] - 1 >= device->max_grid[0]) | (grid[1] - 1 >= device->max_grid[1]) |
        (grid[2] - 1 >= device->max_grid[2]) | (launch->extra != NULL) |
        (launch->shared > atomic_load_explicit(&function->max_dynamic, memory_order_relaxed));
    return __builtin_expect(unusual, 0) ? check_slowly(function, launch, device) : hipSuccess;
}

/* A launch that asks for more than its type holds is refused for asking too much. */
static inline unsigned saturated(size_t shared)
{
    return shared > UINT32_MAX ? UINT32_MAX : (unsigned)shared;
}

/* ---- the one way ------------------------------------------------------------ */

static hipError_t launch_serialized(struct ah_device *device, struct ah_function *function,
                                    const struct ah_launch *launch,
                                    struct ah_backend_stream *native)
{
    int serialize = ah_registry.settings.serialize_kernel;
    hipError_t error = hipSuccess;
    if (serialize & AH_SERIALIZE_BEFORE)
        error = ah_stream_wait(device, native);
    if (error == hipSuccess)
        error = device->ops->launch(device->native, function->native, launch, native);
    if (error == hipSuccess && (serialize & AH_SERIALIZE_AFTER))
        error = ah_stream_wait(device, native);
    return error;
}

static inline hipError_t launch_on(struct ah_device *device, struct ah_function *function,
                                   const struct ah_launch *launch, struct ah_backend_stream *native)
{
    hipError_t error = check(function, launch, device);
    if (__builtin_expect(error != hipSuccess, 0))
        return error;
    AH_LOG(AH_LOG_DEBUG, AH_LOG_KERN, "ShaderName : %s", function->name);
    if (__builtin_expect(ah_registry.settings.serialize_kernel != 0, 0))
        return launch_serialized(device, function, launch, native);
    return device->ops->launch(device->native, function->native, launch, native);
}

static inline hipError_t launch_host(const void *host, const struct ah_launch *launch,
                                     hipStream_t stream)
{
    struct ah_device *device;
    struct ah_backend_stream *native;
    struct ah_function *function;
    hipError_t error = ah_stream_resolve(stream, &device, &native);
    if (__builtin_expect(error != hipSuccess, 0))
        return error;
    error = ah_kernel_function(host, device, &function);
    if (__builtin_expect(error != hipSuccess, 0))
        return error;
    return launch_on(device, function, launch, native);
}

hipError_t ah_launch_host(const void *host, const struct ah_launch *launch, hipStream_t stream)
{
    return launch_host(host, launch, stream);
}

hipError_t ah_launch_kernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                            hipStream_t stream, unsigned flags)
{
    const struct ah_launch launch = {
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .shared = saturated(shared),
        .flags = flags,
        .params = args,
    };
    return launch_host(host, &launch, stream);
}

/* A module's function runs on the device where the module is loaded. */
hipError_t ah_launch_function(struct ah_function *function, const struct ah_launch *launch,
                              hipStream_t stream)
{
    struct ah_device *device;
    struct ah_backend_stream *native;
    if (!ah_handle_is(function, AH_HANDLE_FUNCTION))
        return hipErrorInvalidResourceHandle;
    hipError_t error = ah_stream_resolve(stream, &device, &native);
    if (__builtin_expect(error != hipSuccess, 0))
        return error;
    if (__builtin_expect(function->handle.device != device, 0)) {
        AH_LOG_ERR("kernel %s is loaded on device %d and cannot run in a stream of device %d",
                   function->name, function->handle.device->ordinal, device->ordinal);
        return hipErrorInvalidDevice;
    }
    return launch_on(device, function, launch, native);
}

/* ---- kernels of the program -------------------------------------------------- */

hipError_t hipLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                           void **args, size_t sharedMemBytes, hipStream_t stream)
{
    AH_ENTER(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream);
    return AH_LEAVE(
        ah_launch_kernel(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream, 0));
}

/* HIP has another error here for what is no stream. */
hipError_t ah_launch_cooperative(const void *host, dim3 grid, dim3 block, void **args,
                                 size_t shared, hipStream_t stream)
{
    hipError_t error =
        ah_launch_kernel(host, grid, block, args, shared, stream, AH_LAUNCH_COOPERATIVE);
    return error == hipErrorContextIsDestroyed ? hipErrorInvalidHandle : error;
}

hipError_t hipLaunchCooperativeKernel(const void *f, dim3 gridDim, dim3 blockDim,
                                      void **kernelParams, unsigned int sharedMemBytes,
                                      hipStream_t stream)
{
    AH_ENTER(f, gridDim, blockDim, kernelParams, sharedMemBytes, stream);
    return AH_LEAVE(
        ah_launch_cooperative(f, gridDim, blockDim, kernelParams, sharedMemBytes, stream));
}

static hipError_t record_if(hipEvent_t event, hipStream_t stream)
{
    return event ? ah_event_record(event, stream) : hipSuccess;
}

hipError_t hipExtLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                              void **args, size_t sharedMemBytes, hipStream_t stream,
                              hipEvent_t startEvent, hipEvent_t stopEvent, int flags)
{
    AH_ENTER(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream, startEvent,
             stopEvent, flags);
    hipError_t error = record_if(startEvent, stream);
    if (error == hipSuccess)
        error = ah_launch_kernel(function_address, numBlocks, dimBlocks, args, sharedMemBytes,
                                 stream, 0);
    return AH_LEAVE(error == hipSuccess ? record_if(stopEvent, stream) : error);
}

/* What an attribute asks of a launch. */
static hipError_t apply_attributes(const hipLaunchAttribute *attributes, unsigned count,
                                   unsigned *out_flags)
{
    if (count > 0 && !attributes)
        return hipErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        switch ((int)attributes[i].id) {
        case hipLaunchAttributeIgnore:
            break;
        case hipLaunchAttributeCooperative:
            *out_flags |= attributes[i].val.cooperative ? AH_LAUNCH_COOPERATIVE : 0;
            break;
        case hipLaunchAttributePriority: /* the stream's counts; a launch's own is a hint */
            AH_LOG(AH_LOG_DEBUG, AH_LOG_KERN, "the priority of a launch is not used");
            break;
        case hipLaunchAttributeAccessPolicyWindow:
        case hipLaunchAttributeClusterDimension:
        case hipLaunchAttributeClusterSchedulingPolicyPreference:
        case hipLaunchAttributeSynchronizationPolicy:
        case hipLaunchAttributeMemSyncDomainMap:
        case hipLaunchAttributeMemSyncDomain:
            AH_LOG_ERR("launch attribute %d is not implemented", (int)attributes[i].id);
            return hipErrorNotSupported;
        default:
            return hipErrorInvalidValue;
        }
    }
    return hipSuccess;
}

static hipError_t launch_configured(const hipLaunchConfig_t *config, const void *host, void **args)
{
    unsigned flags = 0;
    if (!config)
        return hipErrorInvalidValue;
    hipError_t error = apply_attributes(config->attrs, config->numAttrs, &flags);
    return error == hipSuccess ? ah_launch_kernel(host, config->gridDim, config->blockDim, args,
                                                  config->dynamicSmemBytes, config->stream, flags)
                               : error;
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *fPtr, void **args)
{
    AH_ENTER(config, fPtr, args);
    return AH_LEAVE(launch_configured(config, fPtr, args));
}

/* ---- what <<<>>> compiles to --------------------------------------------------- */

static struct ah_call_config *pushed_config(unsigned index)
{
    if (index < AH_CALL_CONFIG_INLINE)
        return &ah_thread.configs[index];
    struct ah_thread_extra *extra = ah_thread_extra();
    size_t needed = index - AH_CALL_CONFIG_INLINE + 1;
    if (!extra)
        return NULL;
    if (needed > extra->config_capacity) {
        struct ah_call_config *grown = realloc(extra->configs, 2 * needed * sizeof *grown);
        if (!grown)
            return NULL;
        extra->configs = grown;
        extra->config_capacity = 2 * needed;
    }
    return &extra->configs[needed - 1];
}

hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                      hipStream_t stream)
{
    struct ah_call_config *config = pushed_config(ah_thread.config_count);
    if (!config)
        return hipErrorOutOfMemory;
    *config = (struct ah_call_config){gridDim, blockDim, sharedMem, stream};
    ah_thread.config_count++;
    return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                     hipStream_t *stream)
{
    if (ah_thread.config_count == 0)
        return hipErrorMissingConfiguration;
    const struct ah_call_config *config = pushed_config(--ah_thread.config_count);
    *gridDim = config->grid;
    *blockDim = config->block;
    *sharedMem = config->shared;
    *stream = config->stream;
    return hipSuccess;
}

/* ---- the launch of HIP 1 and 2 -------------------------------------------------- */

hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream)
{
    AH_ENTER(gridDim, blockDim, sharedMem, stream);
    struct ah_thread_extra *extra = ah_thread_extra();
    if (extra)
        extra->argument_size = 0;
    return AH_LEAVE(__hipPushCallConfiguration(gridDim, blockDim, sharedMem, stream));
}

static hipError_t setup_argument(const void *argument, size_t size, size_t offset)
{
    enum { ARGUMENTS_MAX = 1 << 16 };
    struct ah_thread_extra *extra = ah_thread_extra();
    if (!argument || size > ARGUMENTS_MAX || offset > ARGUMENTS_MAX)
        return hipErrorInvalidValue;
    if (ah_thread.config_count == 0)
        return hipErrorMissingConfiguration;
    if (!extra)
        return hipErrorOutOfMemory;
    if (offset + size > extra->argument_capacity) {
        unsigned char *grown = realloc(extra->arguments, 2 * (offset + size));
        if (!grown)
            return hipErrorOutOfMemory;
        extra->arguments = grown;
        extra->argument_capacity = 2 * (offset + size);
    }
    if (size > 0)
        memcpy(extra->arguments + offset, argument, size);
    if (offset + size > extra->argument_size)
        extra->argument_size = offset + size;
    return hipSuccess;
}

hipError_t hipSetupArgument(const void *arg, size_t size, size_t offset)
{
    AH_ENTER(arg, size, offset);
    return AH_LEAVE(setup_argument(arg, size, offset));
}

static hipError_t launch_by_pointer(const void *host)
{
    struct ah_thread_extra *thread = ah_thread_extra();
    struct ah_device *device;
    struct ah_backend_stream *native;
    struct ah_function *function;
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
    hipError_t error = __hipPopCallConfiguration(&grid, &block, &shared, &stream);
    if (error == hipSuccess)
        error = ah_stream_resolve(stream, &device, &native);
    if (error == hipSuccess)
        error = ah_kernel_function(host, device, &function);
    if (error != hipSuccess || !thread)
        return error != hipSuccess ? error : hipErrorOutOfMemory;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, thread->arguments,
                     HIP_LAUNCH_PARAM_BUFFER_SIZE, &thread->argument_size, HIP_LAUNCH_PARAM_END};
    const struct ah_launch launch = {
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .shared = saturated(shared),
        .extra = extra,
    };
    return launch_on(device, function, &launch, native);
}

hipError_t hipLaunchByPtr(const void *func)
{
    AH_ENTER(func);
    return AH_LEAVE(launch_by_pointer(func));
}

void ah_launch_ggl(unsigned long kernel, const dim3 *grid, const dim3 *block, uint32_t shared,
                   hipStream_t stream, void **arguments)
{
    AH_ENTER_ELSE(, kernel, *grid, *block, shared, stream, arguments);
    (void)AH_LEAVE(
        ah_launch_kernel((const void *)kernel, *grid, *block, arguments, shared, stream, 0));
}

/* ---- functions of modules ---------------------------------------------------------- */

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                 unsigned int gridDimZ, unsigned int blockDimX,
                                 unsigned int blockDimY, unsigned int blockDimZ,
                                 unsigned int sharedMemBytes, hipStream_t stream,
                                 void **kernelParams, void **extra)
{
    AH_ENTER(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
             stream, kernelParams, extra);
    struct ah_launch launch = {
        .grid = {gridDimX, gridDimY, gridDimZ},
        .block = {blockDimX, blockDimY, blockDimZ},
        .shared = sharedMemBytes,
        .params = kernelParams,
        .extra = extra,
    };
    return AH_LEAVE(ah_launch_function((struct ah_function *)(void *)f, &launch, stream));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX,
                                            unsigned int gridDimY, unsigned int gridDimZ,
                                            unsigned int blockDimX, unsigned int blockDimY,
                                            unsigned int blockDimZ, unsigned int sharedMemBytes,
                                            hipStream_t stream, void **kernelParams)
{
    AH_ENTER(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
             stream, kernelParams);
    struct ah_launch launch = {
        .grid = {gridDimX, gridDimY, gridDimZ},
        .block = {blockDimX, blockDimY, blockDimZ},
        .shared = sharedMemBytes,
        .flags = AH_LAUNCH_COOPERATIVE,
        .params = kernelParams,
    };
    return AH_LEAVE(ah_launch_function((struct ah_function *)(void *)f, &launch, stream));
}

/* These two count threads, not blocks; a grid is whole blocks, or a part of one block. */
static hipError_t launch_threads(hipFunction_t f, const uint32_t *global, const uint32_t *local,
                                 size_t shared, hipStream_t stream, void **params, void **extra,
                                 hipEvent_t start, hipEvent_t stop)
{
    struct ah_launch launch = {
        .shared = saturated(shared),
        .params = params,
        .extra = extra,
    };
    uint64_t threads = 1; /* of a whole block */
    if (!ah_handle_is(f, AH_HANDLE_FUNCTION))
        return hipErrorInvalidResourceHandle;
    const struct ah_device *device = ((const struct ah_handle *)(const void *)f)->device;
    for (int i = 0; i < 3; i++) {
        uint32_t block = global[i] < local[i] ? global[i] : local[i];
        threads *= local[i];
        if (block == 0 || global[i] % block != 0 || threads > device->max_threads)
            return hipErrorInvalidValue;
        launch.grid[i] = global[i] / block;
        launch.block[i] = block;
    }
    hipError_t error = record_if(start, stream);
    if (error == hipSuccess)
        error = ah_launch_function((struct ah_function *)(void *)f, &launch, stream);
    return error == hipSuccess ? record_if(stop, stream) : error;
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX,
                                    uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void **kernelParams, void **extra,
                                    hipEvent_t startEvent, hipEvent_t stopEvent, uint32_t flags)
{
    AH_ENTER(f, globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ, localWorkSizeX, localWorkSizeY,
             localWorkSizeZ, sharedMemBytes, hStream, kernelParams, extra, startEvent, stopEvent,
             flags);
    const uint32_t global[] = {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ};
    const uint32_t local[] = {localWorkSizeX, localWorkSizeY, localWorkSizeZ};
    return AH_LEAVE(launch_threads(f, global, local, sharedMemBytes, hStream, kernelParams, extra,
                                   startEvent, stopEvent));
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX,
                                    uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void **kernelParams, void **extra,
                                    hipEvent_t startEvent, hipEvent_t stopEvent)
{
    AH_ENTER(f, globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ, localWorkSizeX, localWorkSizeY,
             localWorkSizeZ, sharedMemBytes, hStream, kernelParams, extra, startEvent, stopEvent);
    const uint32_t global[] = {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ};
    const uint32_t local[] = {localWorkSizeX, localWorkSizeY, localWorkSizeZ};
    return AH_LEAVE(launch_threads(f, global, local, sharedMemBytes, hStream, kernelParams, extra,
                                   startEvent, stopEvent));
}

static hipError_t launch_driver(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params,
                                void **extra)
{
    unsigned flags = 0;
    if (!config)
        return hipErrorInvalidValue;
    hipError_t error = apply_attributes(config->attrs, config->numAttrs, &flags);
    if (error != hipSuccess)
        return error;
    struct ah_launch launch = {
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared = config->sharedMemBytes,
        .flags = flags,
        .params = params,
        .extra = extra,
    };
    return ah_launch_function((struct ah_function *)(void *)f, &launch, config->hStream);
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params,
                                void **extra)
{
    AH_ENTER(config, f, params, extra);
    return AH_LEAVE(launch_driver(config, f, params, extra));
}
