/* Owns modules, functions, launches and occupancy. */
#include "cuda_attribute.h"
#include "cuda_backend.h"
#include "cuda_parameters.h"
#include "ptx_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JIT_LOG_SIZE = 16384, SYMBOL_NAME_MAX = 4096 };

static CUfunction native(struct ah_backend_function *function)
{
    return (CUfunction)(void *)function;
}

/* The image for the driver: the image itself, or for PTX a copy that ends with a NUL and has only
 * names that PTX allows. The caller frees *out_copy. */
static const void *driver_image(const struct ah_image *image, char **out_copy)
{
    size_t size;
    *out_copy = NULL;
    if (image->kind != AH_IMAGE_PTX)
        return image->data;
    enum ah_ptx_fix fix = ah_ptx_fix_names((const char *)image->data, image->size, out_copy, &size);
    if (fix == AH_PTX_FIX_UNCHANGED || fix == AH_PTX_FIX_CLASH) /* the driver reports a clash */
        *out_copy = strndup((const char *)image->data, image->size);
    return *out_copy;
}

/* The name that a symbol has after driver_image. */
static const char *driver_name(const char *name, char fixed[SYMBOL_NAME_MAX])
{
    return ah_ptx_fix_name(name, fixed, SYMBOL_NAME_MAX) ? fixed : name;
}

/* The caller's options, and buffers for the compiler's logs. */
struct jit_options {
    int *names;
    void **values;
    unsigned count;
    char error_log[JIT_LOG_SIZE];
};

static bool make_options(struct jit_options *options, unsigned count, const hipJitOption *names,
                         void **values)
{
    enum { OURS = 2 };
    bool caller_logs = false;
    options->names = calloc(count + OURS, sizeof *options->names);
    options->values = calloc(count + OURS, sizeof *options->values);
    options->error_log[0] = '\0';
    if (!options->names || !options->values)
        return false;
    for (unsigned i = 0; i < count; i++) { /* hipJitOption has CUDA's values to 31 */
        options->names[i] = (int)names[i];
        options->values[i] = values[i];
        caller_logs |= (int)names[i] == CU_JIT_ERROR_LOG_BUFFER;
    }
    options->count = count;
    if (!caller_logs) {
        options->names[count] = CU_JIT_ERROR_LOG_BUFFER;
        options->values[count] = options->error_log;
        options->names[count + 1] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
        options->values[count + 1] = (void *)(uintptr_t)JIT_LOG_SIZE;
        options->count += OURS;
    }
    return true;
}

static void free_options(struct jit_options *options)
{
    if (options) {
        free(options->names);
        free(options->values);
    }
    free(options);
}

static void explain_failure(const struct ah_backend_device *device, const struct ah_image *image,
                            const struct jit_options *options, CUresult result)
{
    int version = device->backend->driver_version;
    if (*options->error_log)
        AH_LOG_ERR("%s:%d rejects the %s: %s", device->backend->name, device->ordinal,
                   ah_image_kind_name(image->kind), options->error_log);
    if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
        AH_LOG_ERR("PTX %u.%u is newer than this driver (CUDA %d.%d) knows: update the driver, or "
                   "compile for a lower PTX version",
                   image->ptx_version / 10, image->ptx_version % 10, version / 1000,
                   version % 1000 / 10);
}

/* The driver may load a function when it is first launched, and wait for running kernels then: a
 * program in which one kernel waits for another would hang. A few microseconds each. Failures are
 * reported when the function is used. */
static void load_functions(const struct ah_backend_device *device, CUmodule module)
{
    const struct ahcuda_api *api = device->api;
    unsigned count = 0;
    if (!api->cuFuncLoad || !api->cuModuleGetFunctionCount || !api->cuModuleEnumerateFunctions ||
        api->cuModuleGetFunctionCount(&count, module) != CUDA_SUCCESS || count == 0)
        return;
    CUfunction *functions = calloc(count, sizeof(CUfunction));
    if (functions && api->cuModuleEnumerateFunctions(functions, count, module) == CUDA_SUCCESS)
        for (unsigned i = 0; i < count; i++)
            api->cuFuncLoad(functions[i]);
    free(functions);
}

hipError_t ahcuda_module_load(struct ah_backend_device *device, const struct ah_image *image,
                              unsigned option_count, const hipJitOption *options,
                              void **option_values, struct ah_backend_module **out_module)
{
    char *copy = NULL;
    struct jit_options *jit = NULL;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    error = hipErrorOutOfMemory;
    const void *data = driver_image(image, &copy);
    jit = calloc(1, sizeof *jit);
    if (!data || !jit || !make_options(jit, option_count, options, option_values))
        goto done;
    CUresult result = device->api->cuModuleLoadDataEx((CUmodule *)(void *)out_module, data,
                                                      jit->count, jit->names, jit->values);
    if (result != CUDA_SUCCESS)
        explain_failure(device, image, jit, result);
    error = ahcuda_done(device, "cuModuleLoadDataEx", result);
    if (error == hipSuccess)
        load_functions(device, (CUmodule)(void *)*out_module);
    if (error == hipSuccess && copy && ahcuda_parameters_are_needed(device)) {
        ahcuda_parameters_keep(device, (CUmodule)(void *)*out_module, copy);
        copy = NULL;
    }
done:
    free_options(jit);
    free(copy);
    return error;
}

hipError_t ahcuda_module_unload(struct ah_backend_device *device, struct ah_backend_module *module)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    error = ahcuda_done(device, "cuModuleUnload",
                        device->api->cuModuleUnload((CUmodule)(void *)module));
    if (error == hipSuccess && ahcuda_parameters_are_needed(device))
        ahcuda_parameters_forget(device, (CUmodule)(void *)module);
    return error;
}

/* A missing name need not be an error, and is not logged here. */
static hipError_t found(struct ah_backend_device *device, const char *what, CUresult result)
{
    return result == CUDA_ERROR_NOT_FOUND ? hipErrorNotFound : ahcuda_done(device, what, result);
}

hipError_t ahcuda_module_function(struct ah_backend_device *device,
                                  struct ah_backend_module *module, const char *name,
                                  struct ah_backend_function **out_function)
{
    char fixed[SYMBOL_NAME_MAX];
    const char *own_name = driver_name(name, fixed);
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    error = found(device, "cuModuleGetFunction",
                  device->api->cuModuleGetFunction((CUfunction *)(void *)out_function,
                                                   (CUmodule)(void *)module, own_name));
    if (error == hipSuccess && ahcuda_parameters_are_needed(device))
        ahcuda_parameters_add((CUmodule)(void *)module, native(*out_function), own_name);
    return error;
}

hipError_t ahcuda_module_global(struct ah_backend_device *device, struct ah_backend_module *module,
                                const char *name, void **out_pointer, size_t *out_size)
{
    char fixed[SYMBOL_NAME_MAX];
    CUdeviceptr pointer = 0;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = found(device, "cuModuleGetGlobal",
                      device->api->cuModuleGetGlobal(&pointer, out_size, (CUmodule)(void *)module,
                                                     driver_name(name, fixed)));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

hipError_t ahcuda_module_function_count(struct ah_backend_device *device,
                                        struct ah_backend_module *module, unsigned *out_count)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuModuleGetFunctionCount)
        return ahcuda_missing(device, "cuModuleGetFunctionCount");
    return ahcuda_done(device, "cuModuleGetFunctionCount",
                       device->api->cuModuleGetFunctionCount(out_count, (CUmodule)(void *)module));
}

hipError_t ahcuda_module_function_names(struct ah_backend_device *device,
                                        struct ah_backend_module *module, unsigned count,
                                        char **out_names)
{
    const struct ahcuda_api *api = device->api;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!api->cuModuleEnumerateFunctions || !api->cuFuncGetName)
        return ahcuda_missing(device, "cuModuleEnumerateFunctions");
    CUfunction *functions = calloc(count ? count : 1, sizeof *functions);
    if (!functions)
        return hipErrorOutOfMemory;
    CUresult result = api->cuModuleEnumerateFunctions(functions, count, (CUmodule)(void *)module);
    unsigned named = 0;
    for (; named < count && result == CUDA_SUCCESS; named++) {
        const char *name = NULL;
        result = api->cuFuncGetName(&name, functions[named]);
        out_names[named] = strdup(name ? name : "");
        if (!out_names[named])
            result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    error = ahcuda_done(device, "cuModuleEnumerateFunctions", result);
    while (error != hipSuccess && named > 0) {
        free(out_names[--named]);
        out_names[named] = NULL;
    }
    free(functions);
    return error;
}

static int function_value(struct ah_backend_device *device, struct ah_backend_function *function,
                          int attribute, CUresult *result)
{
    int value = 0;
    if (*result == CUDA_SUCCESS)
        *result = device->api->cuFuncGetAttribute(&value, attribute, native(function));
    return value;
}

hipError_t ahcuda_function_attributes(struct ah_backend_device *device,
                                      struct ah_backend_function *function, hipFuncAttributes *out)
{
    CUresult result = CUDA_SUCCESS;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    *out = (hipFuncAttributes){
        .binaryVersion =
            function_value(device, function, CU_FUNC_ATTRIBUTE_BINARY_VERSION, &result),
        .cacheModeCA = function_value(device, function, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &result),
        .constSizeBytes =
            (size_t)function_value(device, function, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &result),
        .localSizeBytes =
            (size_t)function_value(device, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &result),
        .maxDynamicSharedSizeBytes = function_value(
            device, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &result),
        .maxThreadsPerBlock =
            function_value(device, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &result),
        .numRegs = function_value(device, function, CU_FUNC_ATTRIBUTE_NUM_REGS, &result),
        .preferredShmemCarveout = function_value(
            device, function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &result),
        .ptxVersion = function_value(device, function, CU_FUNC_ATTRIBUTE_PTX_VERSION, &result),
        .sharedSizeBytes =
            (size_t)function_value(device, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &result),
    };
    return ahcuda_done(device, "cuFuncGetAttribute", result);
}

hipError_t ahcuda_function_set_attribute(struct ah_backend_device *device,
                                         struct ah_backend_function *function,
                                         hipFuncAttribute attribute, int value)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuFuncSetAttribute",
                       device->api->cuFuncSetAttribute(native(function), (int)attribute, value));
}

hipError_t ahcuda_function_set_cache_config(struct ah_backend_device *device,
                                            struct ah_backend_function *function,
                                            hipFuncCache_t config)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuFuncSetCacheConfig",
                       device->api->cuFuncSetCacheConfig(native(function), (int)config));
}

hipError_t ahcuda_function_set_shared_config(struct ah_backend_device *device,
                                             struct ah_backend_function *function,
                                             hipSharedMemConfig config)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuFuncSetSharedMemConfig)
        return ahcuda_missing(device, "cuFuncSetSharedMemConfig");
    return ahcuda_done(device, "cuFuncSetSharedMemConfig",
                       device->api->cuFuncSetSharedMemConfig(native(function), (int)config));
}

/* hipErrorInvalidValue: the function has not that many parameters. Logs nothing. */
static hipError_t parameter(const struct ah_backend_device *device, CUfunction function,
                            size_t index, struct ah_parameter *out)
{
    if (ahcuda_parameters_are_needed(device))
        return ahcuda_parameters_get(function, index, out);
    return ahcuda_error(device->api->cuFuncGetParamInfo(function, index, &out->offset, &out->size));
}

hipError_t ahcuda_function_parameter(struct ah_backend_device *device,
                                     struct ah_backend_function *function, size_t index,
                                     struct ah_parameter *out_parameter)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess) /* hipErrorInvalidValue would mean an index past the end */
        return error == hipErrorInvalidValue ? hipErrorInvalidContext : error;
    error = parameter(device, native(function), index, out_parameter);
    return error == hipErrorNotSupported && !device->api->cuFuncGetParamInfo
               ? ahcuda_missing(device, "cuFuncGetParamInfo")
               : error;
}

/* The size of the function's parameters; SIZE_MAX: it is not known. */
static size_t parameters_size(const struct ah_backend_device *device, CUfunction function)
{
    struct ah_parameter last = {0, 0};
    hipError_t error = hipSuccess;
    for (size_t i = 0; error == hipSuccess; i++)
        error = parameter(device, function, i, &last);
    return error == hipErrorInvalidValue ? last.offset + last.size : SIZE_MAX;
}

/* HIP ends its list with 3 where CUDA has 0, and its programs give the size of a C
 * structure, whose padding at the end CUDA refuses. Core has checked the shape. */
void **ahcuda_extra(const struct ah_backend_device *device, CUfunction function, void **extra,
                    void *copy[5], size_t *size)
{
    size_t needed = parameters_size(device, function);
    memcpy(copy, extra, 4 * sizeof *copy);
    *size = *(const size_t *)extra[3];
    if (*size > needed)
        *size = needed;
    copy[3] = size;
    copy[4] = NULL;
    return copy;
}

static CUresult launch_cooperative(const struct ahcuda_api *api, CUfunction function,
                                   const struct ah_launch *launch, CUstream stream)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    return api->cuLaunchCooperativeKernel(function, grid[0], grid[1], grid[2], block[0], block[1],
                                          block[2], launch->shared, stream, launch->params);
}

static inline CUlaunchConfig plain_configuration(const struct ah_launch *launch, CUstream stream)
{
    return (CUlaunchConfig){
        .gridDimX = launch->grid[0],
        .gridDimY = launch->grid[1],
        .gridDimZ = launch->grid[2],
        .blockDimX = launch->block[0],
        .blockDimY = launch->block[1],
        .blockDimZ = launch->block[2],
        .sharedMemBytes = launch->shared,
        .hStream = stream,
    };
}

static CUlaunchConfig configuration(const struct ah_launch *launch, CUstream stream,
                                    CUlaunchAttribute attributes[AHCUDA_ATTRIBUTES_MAX])
{
    CUlaunchConfig config = plain_configuration(launch, stream);
    config.attrs = attributes;
    config.numAttrs = ahcuda_attributes(launch, attributes);
    return config;
}

/* With attributes, or cooperative with the arguments in a buffer: since CUDA 11.8. */
static hipError_t launch_with_attributes(struct ah_backend_device *device, CUfunction function,
                                         const struct ah_launch *launch, CUstream stream,
                                         void **extra)
{
    CUlaunchAttribute attributes[AHCUDA_ATTRIBUTES_MAX];
    const CUlaunchConfig config = configuration(launch, stream, attributes);
    if (!device->api->cuLaunchKernelEx)
        return ahcuda_missing(device, "cuLaunchKernelEx");
    return ahcuda_done(device, "cuLaunchKernelEx",
                       device->api->cuLaunchKernelEx(&config, function, launch->params, extra));
}

/* The variable from which the kernels of function's module read their place in a launch on several
 * devices (docs/kernel-abi.md); 0: none of them reads it. */
static CUresult find_place(const struct ahcuda_api *api, CUfunction function, CUdeviceptr *out)
{
    CUmodule module;
    size_t size = 0;
    CUresult result = api->cuFuncGetModule(&module, function);
    if (result == CUDA_SUCCESS)
        result = api->cuModuleGetGlobal(out, &size, module, "_ZZN4__ah14multi_grid_varEvE5place");
    if (result == CUDA_ERROR_NOT_FOUND || size != sizeof(struct ah_multi_grid))
        *out = 0;
    return result == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : result;
}

/* The variable holds the place while the kernel runs, so that such kernels of one device run one
 * after the other. */
static hipError_t launch_placed(struct ah_backend_device *device, CUfunction function,
                                const struct ah_launch *launch, CUstream stream)
{
    const struct ahcuda_api *api = device->api;
    CUdeviceptr place;
    hipError_t error = ahcuda_enter(device); /* in which the event is created */
    if (error != hipSuccess)
        return error;
    CUresult result = find_place(api, function, &place);
    pthread_mutex_lock(&device->lock);
    if (result == CUDA_SUCCESS && place && !device->placed)
        result = api->cuEventCreate(&device->placed, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS && place)
        result = api->cuStreamWaitEvent(stream, device->placed, 0);
    if (result == CUDA_SUCCESS && place)
        result =
            api->cuMemcpyAsync(place, ahcuda_pointer(launch->place), sizeof *launch->place, stream);
    if (result == CUDA_SUCCESS)
        result = launch_cooperative(api, function, launch, stream);
    if (place)
        (void)api->cuMemsetD8Async(place, 0, sizeof *launch->place, stream);
    if (result == CUDA_SUCCESS && place)
        result = api->cuEventRecord(device->placed, stream);
    pthread_mutex_unlock(&device->lock);
    return ahcuda_done(device, "cuLaunchCooperativeKernel", result);
}

static __attribute__((noinline)) hipError_t launch_older(const struct ah_backend_device *device,
                                                         CUfunction function,
                                                         const struct ah_launch *launch,
                                                         CUstream stream, void **extra)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    return ahcuda_done(device, "cuLaunchKernel",
                       device->api->cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0],
                                                   block[1], block[2], launch->shared, stream,
                                                   launch->params, extra));
}

/* cuLaunchKernelEx, where the driver has it: it takes less time than cuLaunchKernel. */
static inline hipError_t launch_plain(const struct ah_backend_device *device, CUfunction function,
                                      const struct ah_launch *launch, CUstream stream, void **extra)
{
    if (__builtin_expect(device->launch == NULL, 0))
        return launch_older(device, function, launch, stream, extra);
    const CUlaunchConfig config = plain_configuration(launch, stream);
    return ahcuda_done(device, "cuLaunchKernelEx",
                       device->launch(&config, function, launch->params, extra));
}

/* Every launch but those of ahcuda_launch itself: the context has to be made current, arguments
 * come in a buffer, the kernel has a place or attributes, or its blocks wait for each other. */
static __attribute__((noinline)) hipError_t launch_any(struct ah_backend_device *device,
                                                       CUfunction function,
                                                       const struct ah_launch *launch,
                                                       struct ah_backend_stream *stream)
{
    void *extra_copy[5], **extra = NULL;
    size_t extra_size;
    hipError_t error = ahcuda_enter_stream(device, stream);
    if (error != hipSuccess)
        return error;
    if (launch->extra)
        extra = ahcuda_extra(device, function, launch->extra, extra_copy, &extra_size);
    if (launch->place)
        return launch_placed(device, function, launch, ahcuda_stream(stream));
    if (launch->flags == 0)
        return launch_plain(device, function, launch, ahcuda_stream(stream), extra);
    if (extra || launch->flags & AH_LAUNCH_ATTRIBUTES)
        return launch_with_attributes(device, function, launch, ahcuda_stream(stream), extra);
    return ahcuda_done(device, "cuLaunchCooperativeKernel",
                       launch_cooperative(device->api, function, launch, ahcuda_stream(stream)));
}

/* Every launch comes here: no guard of the stack, as in the files of ah_launch_path. */
AH_LAUNCH_CODE __attribute__((no_stack_protector)) hipError_t
ahcuda_launch(struct ah_backend_device *device, struct ah_backend_function *function,
              const struct ah_launch *launch, struct ah_backend_stream *stream)
{
    uintptr_t special = (uintptr_t)launch->extra | (uintptr_t)launch->place | launch->flags |
                        !ahcuda_carries_context(device, stream);
    if (__builtin_expect(special != 0, 0))
        return launch_any(device, native(function), launch, stream);
    return launch_plain(device, native(function), launch, ahcuda_stream(stream), NULL);
}

hipError_t ahcuda_occupancy_blocks(struct ah_backend_device *device,
                                   struct ah_backend_function *function, int block_size,
                                   size_t shared, unsigned flags, int *out_blocks)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                       device->api->cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                           out_blocks, native(function), block_size, shared, flags));
}

hipError_t ahcuda_occupancy_block_size(struct ah_backend_device *device,
                                       struct ah_backend_function *function, size_t shared,
                                       int limit, unsigned flags, int *out_grid, int *out_block)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuOccupancyMaxPotentialBlockSize",
                       device->api->cuOccupancyMaxPotentialBlockSizeWithFlags(
                           out_grid, out_block, native(function), NULL, shared, limit, flags));
}

/* A launch of clusters of one block has no such attribute, and a question about them has to. */
static void name_single_block(const struct ah_launch *launch, CUlaunchConfig *config)
{
    const struct ah_launch_attributes *given = launch->attributes;
    bool named = launch->flags & AH_LAUNCH_ATTRIBUTES &&
                 given->given >> hipLaunchAttributeClusterDimension & 1;
    if (named && given->cluster[0] * given->cluster[1] * given->cluster[2] == 1)
        config->attrs[config->numAttrs++] = (CUlaunchAttribute){
            .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {1, 1, 1}};
}

/* The driver reads the stream's context from the configuration. */
hipError_t ahcuda_occupancy_clusters(struct ah_backend_device *device,
                                     struct ah_backend_function *function,
                                     const struct ah_launch *launch,
                                     struct ah_backend_stream *stream, int *out_size,
                                     int *out_count)
{
    const struct ahcuda_api *api = device->api;
    CUlaunchAttribute attributes[AHCUDA_ATTRIBUTES_MAX];
    CUlaunchConfig config = configuration(launch, ahcuda_stream(stream), attributes);
    name_single_block(launch, &config);
    if (!api->cuOccupancyMaxPotentialClusterSize || !api->cuOccupancyMaxActiveClusters)
        return ahcuda_missing(device, "cuOccupancyMaxActiveClusters");
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess && out_size)
        error = ahcuda_done(
            device, "cuOccupancyMaxPotentialClusterSize",
            api->cuOccupancyMaxPotentialClusterSize(out_size, native(function), &config));
    if (error == hipSuccess && out_count)
        error =
            ahcuda_done(device, "cuOccupancyMaxActiveClusters",
                        api->cuOccupancyMaxActiveClusters(out_count, native(function), &config));
    return error;
}

hipError_t ahcuda_occupancy_shared(struct ah_backend_device *device,
                                   struct ah_backend_function *function, int blocks, int block_size,
                                   size_t *out_shared)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuOccupancyAvailableDynamicSMemPerBlock)
        return ahcuda_missing(device, "cuOccupancyAvailableDynamicSMemPerBlock");
    return ahcuda_done(device, "cuOccupancyAvailableDynamicSMemPerBlock",
                       device->api->cuOccupancyAvailableDynamicSMemPerBlock(
                           out_shared, native(function), blocks, block_size));
}

/* Handles of the driver are ours. */

hipError_t ahcuda_module_native(struct ah_backend_device *device, struct ah_backend_module *module,
                                uint64_t *out_native)
{
    (void)device;
    *out_native = (uintptr_t)module;
    return hipSuccess;
}

hipError_t ahcuda_function_native(struct ah_backend_device *device,
                                  struct ah_backend_function *function, uint64_t *out_native)
{
    (void)device;
    *out_native = (uintptr_t)function;
    return hipSuccess;
}
