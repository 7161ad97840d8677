/* Launches: hipLaunchKernel, what <<<>>> compiles to, and every other way to
 * start a kernel. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "demangle.h"
#include "runtime.h"

#include <hip/api/registration.h>
#include <hip/hip_ext.h>

#include <stdlib.h>
#include <string.h>

/* A size that does not fit the type becomes the largest one, and is refused as too large. */
static inline unsigned saturated(size_t shared)
{
    return shared > UINT32_MAX ? UINT32_MAX : (unsigned)shared;
}

/* ---- the ways to name a kernel --------------------------------------------------- */

/* A module's function runs on the device where the module is loaded. */
static __attribute__((noinline)) hipError_t wrong_device(const struct ah_function *function,
                                                         const struct ah_device *device)
{
    AH_LOG_ERR("kernel %s is loaded on device %d and cannot run in a stream of device %d",
               ah_demangle(function->name), function->handle.device->ordinal, device->ordinal);
    return hipErrorInvalidDevice;
}

static hipError_t find_function(const void *value, struct ah_device *device,
                                struct ah_function **out_function)
{
    hipError_t error = ah_function_of_any(value, device, out_function);
    if (error == hipSuccess && (*out_function)->handle.device != device)
        error = wrong_device(*out_function, device);
    return error;
}

static inline __attribute__((always_inline)) hipError_t
launch_host(const void *host, const struct ah_launch *launch, hipStream_t handle)
{
    struct ah_stream *stream;
    struct ah_function *function;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (__builtin_expect(error != hipSuccess, 0))
        return error;
    function = ah_kernel_ready(host, stream->handle.device);
    if (__builtin_expect(!function, 0)) {
        error = find_function(host, stream->handle.device, &function);
        if (error != hipSuccess)
            return error;
    }
    return ah_submit_launch(stream, function, launch);
}

hipError_t ah_launch_host(const void *host, const struct ah_launch *launch, hipStream_t stream)
{
    return launch_host(host, launch, stream);
}

static inline __attribute__((always_inline)) hipError_t
launch_kernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
              hipStream_t stream, unsigned flags)
{
    struct ah_launch launch = {.shared = saturated(shared), .flags = flags, .params = args};
    memcpy(launch.grid, &grid, sizeof launch.grid);
    memcpy(launch.block, &block, sizeof launch.block);
    return launch_host(host, &launch, stream);
}

hipError_t ah_launch_kernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                            hipStream_t stream, unsigned flags)
{
    return launch_kernel(host, grid, block, args, shared, stream, flags);
}

/* What is no hipFunction_t: a library's kernel runs on any device. */
static __attribute__((noinline)) hipError_t
launch_library_kernel(const void *kernel, const struct ah_launch *launch, hipStream_t handle)
{
    return ah_handle_is(kernel, AH_HANDLE_KERNEL) ? ah_launch_host(kernel, launch, handle)
                                                  : hipErrorInvalidResourceHandle;
}

static inline __attribute__((always_inline)) hipError_t
launch_function(struct ah_function *function, const struct ah_launch *launch, hipStream_t handle)
{
    struct ah_stream *stream;
    if (__builtin_expect(!ah_handle_is(function, AH_HANDLE_FUNCTION), 0))
        return launch_library_kernel(function, launch, handle);
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (__builtin_expect(error != hipSuccess, 0))
        return error;
    const struct ah_device *device = stream->handle.device;
    if (__builtin_expect(function->handle.device != device, 0))
        return wrong_device(function, device);
    return ah_submit_launch(stream, function, launch);
}

hipError_t ah_launch_function(struct ah_function *function, const struct ah_launch *launch,
                              hipStream_t stream)
{
    return launch_function(function, launch, stream);
}

/* ---- kernels of the program -------------------------------------------------- */

AH_LAUNCH_CODE hipError_t hipLaunchKernel(const void *function_address, dim3 numBlocks,
                                          dim3 dimBlocks, void **args, size_t sharedMemBytes,
                                          hipStream_t stream)
{
    AH_ENTER(hipLaunchKernel);
    return AH_LEAVE(
        launch_kernel(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream, 0));
}

/* HIP returns a different error here for an invalid stream. */
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
    AH_ENTER(hipLaunchCooperativeKernel);
    return AH_LEAVE(
        ah_launch_cooperative(f, gridDim, blockDim, kernelParams, sharedMemBytes, stream));
}

static hipError_t record_if(hipEvent_t event, hipStream_t stream)
{
    return event ? ah_event_record_node(event, stream) : hipSuccess;
}

hipError_t hipExtLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                              void **args, size_t sharedMemBytes, hipStream_t stream,
                              hipEvent_t startEvent, hipEvent_t stopEvent, int flags)
{
    AH_ENTER(hipExtLaunchKernel);
    hipError_t error = record_if(startEvent, stream);
    if (error == hipSuccess)
        error = ah_launch_kernel(function_address, numBlocks, dimBlocks, args, sharedMemBytes,
                                 stream, 0);
    return AH_LEAVE(error == hipSuccess ? record_if(stopEvent, stream) : error);
}

/* The priority of a launch is brought into the device's range, as that of a stream is. */
static hipError_t clamp_priority(const struct ah_device *device, hipLaunchAttributeValue *value)
{
    int least = 0, greatest = 0;
    hipError_t error = device->ops->device_priority_range(device->native, &least, &greatest);
    value->priority = value->priority > least      ? least
                      : value->priority < greatest ? greatest
                                                   : value->priority;
    return error;
}

static hipError_t apply_attribute(const struct ah_device *device,
                                  const hipLaunchAttribute *attribute, unsigned *flags,
                                  struct ah_launch_attributes *attributes, const char *call)
{
    hipError_t error = hipSuccess;
    hipLaunchAttributeValue value = attribute->val;
    if (attribute->id == hipLaunchAttributeCooperative)
        *flags |= value.cooperative ? AH_LAUNCH_COOPERATIVE : 0;
    if (attribute->id == hipLaunchAttributePriority)
        error = clamp_priority(device, &value);
    if (error == hipSuccess)
        error = ah_launch_attribute_check(device, attribute->id, &value, call);
    if (error == hipSuccess)
        ah_launch_attribute_add(attributes, attribute->id, &value);
    return error;
}

hipError_t ah_launch_apply_attributes(const hipLaunchAttribute *attributes, unsigned count,
                                      hipStream_t stream, const char *call,
                                      struct ah_launch *launch, struct ah_launch_attributes *out)
{
    struct ah_stream *resolved;
    *out = (struct ah_launch_attributes){.given = 0};
    if (count > 0 && !attributes)
        return hipErrorInvalidValue;
    hipError_t error = count > 0 ? ah_stream_resolve(stream, &resolved) : hipSuccess;
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        error = apply_attribute(resolved->handle.device, &attributes[i], &launch->flags, out, call);
    if (error == hipSuccess)
        ah_launch_attributes_use(launch, out);
    return error;
}

static hipError_t launch_configured(const hipLaunchConfig_t *config, const void *host, void **args)
{
    struct ah_launch_attributes attributes;
    if (!config)
        return hipErrorInvalidValue;
    struct ah_launch launch = {
        .grid = {config->gridDim.x, config->gridDim.y, config->gridDim.z},
        .block = {config->blockDim.x, config->blockDim.y, config->blockDim.z},
        .shared = saturated(config->dynamicSmemBytes),
        .params = args,
    };
    hipError_t error = ah_launch_apply_attributes(config->attrs, config->numAttrs, config->stream,
                                                  "hipLaunchKernelExC", &launch, &attributes);
    return error == hipSuccess ? launch_host(host, &launch, config->stream) : error;
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *fPtr, void **args)
{
    AH_ENTER(hipLaunchKernelExC);
    return AH_LEAVE(launch_configured(config, fPtr, args));
}

/* ---- what <<<>>> compiles to --------------------------------------------------- */

/* The configurations beyond the inline ones are out of the way of the others. */
static __attribute__((noinline)) struct ah_call_config *config_beyond(unsigned index)
{
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

static __attribute__((noinline)) hipError_t push_beyond(dim3 grid, dim3 block, size_t shared,
                                                        hipStream_t stream)
{
    struct ah_call_config *config = config_beyond(ah_thread.config_count);
    if (!config)
        return hipErrorOutOfMemory;
    *config = (struct ah_call_config){grid, block, shared, stream};
    ah_thread.config_count++;
    return hipSuccess;
}

static inline __attribute__((always_inline)) hipError_t
push_configuration(dim3 grid, dim3 block, size_t shared, hipStream_t stream)
{
    if (__builtin_expect(ah_thread.config_count >= AH_CALL_CONFIG_INLINE, 0))
        return push_beyond(grid, block, shared, stream);
    ah_thread.configs[ah_thread.config_count++] =
        (struct ah_call_config){grid, block, shared, stream};
    return hipSuccess;
}

AH_LAUNCH_CODE hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                                     hipStream_t stream)
{
    return push_configuration(gridDim, blockDim, sharedMem, stream);
}

static inline void read_configuration(const struct ah_call_config *config, dim3 *grid, dim3 *block,
                                      size_t *shared, hipStream_t *stream)
{
    *grid = config->grid;
    *block = config->block;
    *shared = config->shared;
    *stream = config->stream;
}

static __attribute__((noinline)) hipError_t pop_beyond(dim3 *grid, dim3 *block, size_t *shared,
                                                       hipStream_t *stream)
{
    if (ah_thread.config_count == 0)
        return hipErrorMissingConfiguration;
    /* not NULL: it was pushed */
    read_configuration(config_beyond(--ah_thread.config_count), grid, block, shared, stream);
    return hipSuccess;
}

static inline __attribute__((always_inline)) hipError_t
pop_configuration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream)
{
    if (__builtin_expect(ah_thread.config_count - 1 >= AH_CALL_CONFIG_INLINE, 0))
        return pop_beyond(grid, block, shared, stream);
    read_configuration(&ah_thread.configs[--ah_thread.config_count], grid, block, shared, stream);
    return hipSuccess;
}

AH_LAUNCH_CODE hipError_t __hipPopCallConfiguration(dim3 *gridDim, dim3 *blockDim,
                                                    size_t *sharedMem, hipStream_t *stream)
{
    return pop_configuration(gridDim, blockDim, sharedMem, stream);
}

/* ---- the launch of HIP 1 and 2 -------------------------------------------------- */

hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream)
{
    AH_ENTER(hipConfigureCall);
    struct ah_thread_extra *extra = ah_thread_extra();
    if (extra)
        extra->argument_size = 0;
    return AH_LEAVE(push_configuration(gridDim, blockDim, sharedMem, stream));
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
    AH_ENTER(hipSetupArgument);
    return AH_LEAVE(setup_argument(arg, size, offset));
}

static hipError_t launch_by_pointer(const void *host)
{
    struct ah_thread_extra *thread = ah_thread_extra();
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
    hipError_t error = pop_configuration(&grid, &block, &shared, &stream);
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
    return launch_host(host, &launch, stream);
}

hipError_t hipLaunchByPtr(const void *func)
{
    AH_ENTER(hipLaunchByPtr);
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

AH_LAUNCH_CODE hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX,
                                                unsigned int gridDimY, unsigned int gridDimZ,
                                                unsigned int blockDimX, unsigned int blockDimY,
                                                unsigned int blockDimZ, unsigned int sharedMemBytes,
                                                hipStream_t stream, void **kernelParams,
                                                void **extra)
{
    AH_ENTER(hipModuleLaunchKernel);
    struct ah_launch launch = {
        .grid = {gridDimX, gridDimY, gridDimZ},
        .block = {blockDimX, blockDimY, blockDimZ},
        .shared = sharedMemBytes,
        .params = kernelParams,
        .extra = extra,
    };
    return AH_LEAVE(launch_function((struct ah_function *)(void *)f, &launch, stream));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX,
                                            unsigned int gridDimY, unsigned int gridDimZ,
                                            unsigned int blockDimX, unsigned int blockDimY,
                                            unsigned int blockDimZ, unsigned int sharedMemBytes,
                                            hipStream_t stream, void **kernelParams)
{
    AH_ENTER(hipModuleLaunchCooperativeKernel);
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
static hipError_t count_blocks(struct ah_launch *launch, const struct ah_device *device,
                               const uint32_t *global, const uint32_t *local)
{
    uint64_t threads = 1; /* of a whole block */
    for (int i = 0; i < 3; i++) {
        uint32_t block = global[i] < local[i] ? global[i] : local[i];
        threads *= local[i];
        if (block == 0 || global[i] % block != 0 || threads > device->max_threads ||
            local[i] > device->max_block[i])
            return hipErrorInvalidValue;
        launch->grid[i] = global[i] / block;
        launch->block[i] = block;
    }
    return hipSuccess;
}

static hipError_t function_in_stream(const void *kernel, hipStream_t handle,
                                     struct ah_function **out_function)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    return error == hipSuccess ? find_function(kernel, stream->handle.device, out_function) : error;
}

/* launch has all but the sizes of grid and block. */
static hipError_t launch_threads(hipFunction_t f, struct ah_launch *launch, const uint32_t *sizes,
                                 hipStream_t stream, const hipEvent_t *events)
{
    const uint32_t *global = sizes, *local = sizes + 3;
    struct ah_function *function = (struct ah_function *)(void *)f;
    hipError_t error = hipSuccess;
    if (ah_handle_is(f, AH_HANDLE_KERNEL))
        error = function_in_stream(f, stream, &function);
    else if (!ah_handle_is(f, AH_HANDLE_FUNCTION))
        error = hipErrorInvalidResourceHandle;
    if (error == hipSuccess)
        error = count_blocks(launch, function->handle.device, global, local);
    if (error == hipSuccess)
        error = record_if(events[0], stream);
    if (error == hipSuccess)
        error = ah_launch_function(function, launch, stream);
    return error == hipSuccess ? record_if(events[1], stream) : error;
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX,
                                    uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void **kernelParams, void **extra,
                                    hipEvent_t startEvent, hipEvent_t stopEvent, uint32_t flags)
{
    AH_ENTER(hipExtModuleLaunchKernel);
    const uint32_t sizes[] = {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ,
                              localWorkSizeX,  localWorkSizeY,  localWorkSizeZ};
    struct ah_launch launch = {
        .shared = saturated(sharedMemBytes), .params = kernelParams, .extra = extra};
    const hipEvent_t events[] = {startEvent, stopEvent};
    return AH_LEAVE(launch_threads(f, &launch, sizes, hStream, events));
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX,
                                    uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void **kernelParams, void **extra,
                                    hipEvent_t startEvent, hipEvent_t stopEvent)
{
    AH_ENTER(hipHccModuleLaunchKernel);
    const uint32_t sizes[] = {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ,
                              localWorkSizeX,  localWorkSizeY,  localWorkSizeZ};
    struct ah_launch launch = {
        .shared = saturated(sharedMemBytes), .params = kernelParams, .extra = extra};
    const hipEvent_t events[] = {startEvent, stopEvent};
    return AH_LEAVE(launch_threads(f, &launch, sizes, hStream, events));
}

/* HIP 5 exported these under C++ names. */
AH_ALIAS(ext_module_launch, hipExtModuleLaunchKernel,
         "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipE"
         "vent_tS6_j");
AH_ALIAS(hcc_module_launch, hipHccModuleLaunchKernel,
         "_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipE"
         "vent_tS6_");

static hipError_t launch_driver(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params,
                                void **extra)
{
    struct ah_launch_attributes attributes;
    if (!config)
        return hipErrorInvalidValue;
    struct ah_launch launch = {
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared = config->sharedMemBytes,
        .params = params,
        .extra = extra,
    };
    hipError_t error = ah_launch_apply_attributes(config->attrs, config->numAttrs, config->hStream,
                                                  "hipDrvLaunchKernelEx", &launch, &attributes);
    return error == hipSuccess
               ? ah_launch_function((struct ah_function *)(void *)f, &launch, config->hStream)
               : error;
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params,
                                void **extra)
{
    AH_ENTER(hipDrvLaunchKernelEx);
    return AH_LEAVE(launch_driver(config, f, params, extra));
}
