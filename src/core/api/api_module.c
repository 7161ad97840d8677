/* Modules and functions: hipModuleLoad, hipModuleGetFunction, attributes of
 * functions, occupancy. */
#include "api.h"
#include "api_arguments.h"
#include "api_ids.h"
#include "api_shared.h"
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- modules ------------------------------------------------------------------ */

static hipError_t check_module(hipModule_t handle, struct ah_module **out_module)
{
    if (!ah_handle_is(handle, AH_HANDLE_MODULE))
        return hipErrorInvalidResourceHandle;
    *out_module = (struct ah_module *)(void *)handle;
    return hipSuccess;
}

static hipError_t load(hipModule_t *out_module, const void *image, size_t size, unsigned count,
                       const hipJitOption *options, void **values)
{
    struct ah_module *module;
    struct ah_device *device = ah_device_current();
    if (!out_module || !image || (count > 0 && (!options || !values)))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = ah_module_create(device, image, size, count, options, values, &module);
    if (error == hipSuccess)
        *out_module = (hipModule_t)(void *)module;
    return error;
}

/* The file is read and not mapped: a mapping would end the process if the file were truncated. */
static bool read_all(int file, char *contents, size_t size)
{
    size_t have = 0;
    ssize_t got = 1;
    while (have < size && got > 0) {
        got = pread(file, contents + have, size - have, (off_t)have);
        have += got > 0 ? (size_t)got : 0;
    }
    return size > 0 && have == size;
}

hipError_t ah_read_code(const char *path, void **out_image, size_t *out_size)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool opened = file >= 0 && fstat(file, &status) == 0;
    if (!opened || !S_ISREG(status.st_mode)) {
        AH_LOG_ERR("cannot read device code from %s: %s", path,
                   opened ? "no file" : strerror(errno));
        if (file >= 0)
            close(file);
        return hipErrorFileNotFound;
    }
    *out_size = (size_t)status.st_size;
    *out_image = malloc(*out_size + 1);
    bool good = *out_image && read_all(file, *out_image, *out_size);
    close(file);
    if (good)
        return hipSuccess;
    hipError_t error = *out_image ? hipErrorInvalidImage : hipErrorOutOfMemory;
    AH_LOG_ERR("no device code is read from %s: it %s", path,
               *out_image ? "is empty or cannot be read" : "does not fit into memory");
    free(*out_image);
    return error;
}

static hipError_t load_file(hipModule_t *out_module, const char *path)
{
    void *image;
    size_t size;
    if (!out_module || !path || !*path)
        return hipErrorInvalidValue;
    hipError_t error = ah_read_code(path, &image, &size);
    if (error != hipSuccess)
        return error;
    error = load(out_module, image, size, 0, NULL, NULL);
    free(image);
    return error;
}

hipError_t hipModuleLoad(hipModule_t *module, const char *fname)
{
    AH_ENTER(hipModuleLoad);
    return AH_LEAVE(load_file(module, fname));
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image)
{
    AH_ENTER(hipModuleLoadData);
    return AH_LEAVE(load(module, image, SIZE_MAX, 0, NULL, NULL));
}

hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int numOptions,
                               hipJitOption *options, void **optionValues)
{
    AH_ENTER(hipModuleLoadDataEx);
    return AH_LEAVE(load(module, image, SIZE_MAX, numOptions, options, optionValues));
}

hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin)
{
    AH_ENTER(hipModuleLoadFatBinary);
    return AH_LEAVE(load(module, fatbin, SIZE_MAX, 0, NULL, NULL));
}

hipError_t hipModuleUnload(hipModule_t module)
{
    struct ah_module *object;
    AH_ENTER_UNSAFE(hipModuleUnload);
    if (!module)
        return AH_LEAVE(hipErrorInvalidResourceHandle);
    if (check_module(module, &object) != hipSuccess)
        return AH_LEAVE(hipErrorNotFound);
    if (object->library) {
        AH_LOG_ERR("the module belongs to a library, and ends with it: hipLibraryUnload");
        return AH_LEAVE(hipErrorIllegalState);
    }
    return AH_LEAVE(ah_module_destroy(object));
}

static hipError_t get_function(hipFunction_t *out_function, hipModule_t handle, const char *name)
{
    struct ah_module *module;
    struct ah_function *function;
    if (!out_function || !name || !*name)
        return hipErrorInvalidValue;
    hipError_t error = check_module(handle, &module);
    if (error == hipSuccess)
        error = ah_module_function(module, name, &function);
    if (error == hipSuccess)
        *out_function = (hipFunction_t)(void *)function;
    else if (error == hipErrorNotFound)
        AH_LOG_ERR("the module has no function %s", name);
    return error;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *kname)
{
    AH_ENTER(hipModuleGetFunction);
    return AH_LEAVE(get_function(function, module, kname));
}

static hipError_t get_global(void **out_pointer, size_t *out_size, hipModule_t handle,
                             const char *name)
{
    struct ah_module *module;
    void *pointer;
    size_t size;
    if (!name || !*name || (!out_pointer && !out_size))
        return hipErrorInvalidValue;
    hipError_t error = check_module(handle, &module);
    if (error != hipSuccess)
        return error;
    error = ah_module_variable(module, name, &pointer, &size);
    if (error == hipSuccess && out_pointer)
        *out_pointer = pointer;
    if (error == hipSuccess && out_size)
        *out_size = size;
    if (error == hipErrorNotFound)
        AH_LOG_ERR("the module has no variable %s", name);
    return error;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *dptr, size_t *bytes, hipModule_t hmod,
                              const char *name)
{
    AH_ENTER(hipModuleGetGlobal);
    return AH_LEAVE(get_global(dptr, bytes, hmod, name));
}

static hipError_t function_count(unsigned *out_count, hipModule_t handle)
{
    struct ah_module *module;
    if (!out_count)
        return hipErrorInvalidValue;
    hipError_t error = check_module(handle, &module);
    if (error != hipSuccess)
        return error;
    const struct ah_device *device = module->handle.device;
    return device->ops->module_function_count(device->native, module->native, out_count);
}

hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t mod)
{
    AH_ENTER(hipModuleGetFunctionCount);
    return AH_LEAVE(function_count(count, mod));
}

hipError_t ah_module_names(const struct ah_module *module, unsigned count, char ***out_names)
{
    const struct ah_device *device = module->handle.device;
    *out_names = calloc(count + 1, sizeof **out_names);
    return *out_names ? device->ops->module_function_names(device->native, module->native, count,
                                                           *out_names)
                      : hipErrorOutOfMemory;
}

void ah_free_names(char **names, unsigned count)
{
    for (unsigned i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

static hipError_t enumerate(hipFunction_t *out_functions, unsigned room, hipModule_t handle)
{
    struct ah_module *module;
    unsigned count = 0;
    hipError_t error = check_module(handle, &module);
    if (error == hipSuccess && (!out_functions || room == 0))
        error = hipErrorInvalidValue;
    if (error == hipSuccess)
        error = function_count(&count, handle);
    if (error != hipSuccess)
        return error;
    if (count > room)
        count = room;
    char **names;
    error = ah_module_names(module, count, &names);
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        error = get_function(&out_functions[i], handle, names[i]);
    ah_free_names(names, count);
    return error;
}

hipError_t hipModuleEnumerateFunctions(hipFunction_t *functions, unsigned int numFunctions,
                                       hipModule_t mod)
{
    AH_ENTER(hipModuleEnumerateFunctions);
    return AH_LEAVE(enumerate(functions, numFunctions, mod));
}

/* ---- functions ------------------------------------------------------------------ */

static hipError_t any_function(const void *value, struct ah_device **out_device,
                               struct ah_function **out_function)
{
    *out_device = ah_device_current();
    if (!value)
        return hipErrorInvalidDeviceFunction;
    if (!*out_device)
        return hipErrorNoDevice;
    hipError_t error = ah_function_of_any(value, *out_device, out_function);
    if (error == hipSuccess)
        *out_device = (*out_function)->handle.device;
    return error;
}

static hipError_t attributes_of(const struct ah_function *function, struct hipFuncAttributes *out)
{
    const struct ah_device *device = function->handle.device;
    hipError_t error = device->ops->function_attributes(device->native, function->native, out);
    /* AMD's code objects do not tell constants from variables; clang's registration does. */
    if (error == hipSuccess && out->constSizeBytes == 0)
        out->constSizeBytes = ah_kernel_constants(function->host);
    return error;
}

static hipError_t read_attributes(struct hipFuncAttributes *out, const void *value)
{
    struct ah_device *device;
    struct ah_function *function;
    if (!out)
        return hipErrorInvalidValue;
    hipError_t error = any_function(value, &device, &function);
    return error == hipSuccess ? attributes_of(function, out) : error;
}

hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attr, const void *func)
{
    AH_ENTER(hipFuncGetAttributes);
    return AH_LEAVE(read_attributes(attr, func));
}

static bool is_function_or_kernel(const void *value)
{
    return ah_handle_is(value, AH_HANDLE_FUNCTION) || ah_handle_is(value, AH_HANDLE_KERNEL);
}

hipError_t ah_function_attribute(struct ah_function *function, hipFunction_attribute which,
                                 int *out_value)
{
    struct hipFuncAttributes all;
    hipError_t error = attributes_of(function, &all);
    if (error != hipSuccess)
        return error;
    switch ((int)which) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *out_value = all.maxThreadsPerBlock;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *out_value = (int)all.sharedSizeBytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *out_value = (int)all.constSizeBytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *out_value = (int)all.localSizeBytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        *out_value = all.numRegs;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
        *out_value = all.ptxVersion;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
        *out_value = all.binaryVersion;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *out_value = all.cacheModeCA;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *out_value = all.maxDynamicSharedSizeBytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *out_value = all.preferredShmemCarveout;
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

static hipError_t attribute(int *out_value, hipFunction_attribute which, const void *value)
{
    struct ah_device *device;
    struct ah_function *function;
    if (!out_value)
        return hipErrorInvalidValue;
    if (!is_function_or_kernel(value))
        return hipErrorInvalidResourceHandle;
    hipError_t error = any_function(value, &device, &function);
    return error == hipSuccess ? ah_function_attribute(function, which, out_value) : error;
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attrib, hipFunction_t hfunc)
{
    AH_ENTER(hipFuncGetAttribute);
    return AH_LEAVE(attribute(value, attrib, hfunc));
}

hipError_t ah_function_set_attribute(struct ah_function *function, hipFuncAttribute attribute,
                                     int setting)
{
    const struct ah_device *device = function->handle.device;
    return attribute == hipFuncAttributeMaxDynamicSharedMemorySize
               ? ah_function_set_dynamic(function, setting)
               : device->ops->function_set_attribute(device->native, function->native, attribute,
                                                     setting);
}

static hipError_t set_attribute(const void *value, hipFuncAttribute attribute, int setting)
{
    struct ah_device *device;
    struct ah_function *function;
    if (attribute != hipFuncAttributeMaxDynamicSharedMemorySize &&
        attribute != hipFuncAttributePreferredSharedMemoryCarveout)
        return hipErrorInvalidValue;
    hipError_t error = any_function(value, &device, &function);
    return error == hipSuccess ? ah_function_set_attribute(function, attribute, setting) : error;
}

hipError_t hipFuncSetAttribute(const void *func, hipFuncAttribute attr, int value)
{
    AH_ENTER(hipFuncSetAttribute);
    return AH_LEAVE(set_attribute(func, attr, value));
}

static hipError_t set_cache_config(const void *value, hipFuncCache_t config)
{
    struct ah_device *device;
    struct ah_function *function;
    if ((int)config < hipFuncCachePreferNone || (int)config > hipFuncCachePreferEqual)
        return hipErrorInvalidValue;
    hipError_t error = any_function(value, &device, &function);
    return error == hipSuccess
               ? device->ops->function_set_cache_config(device->native, function->native, config)
               : error;
}

hipError_t hipFuncSetCacheConfig(const void *func, hipFuncCache_t config)
{
    AH_ENTER(hipFuncSetCacheConfig);
    return AH_LEAVE(set_cache_config(func, config));
}

static hipError_t set_shared_config(const void *value, hipSharedMemConfig config)
{
    struct ah_device *device;
    struct ah_function *function;
    if ((int)config < hipSharedMemBankSizeDefault || (int)config > hipSharedMemBankSizeEightByte)
        return hipErrorInvalidValue;
    hipError_t error = any_function(value, &device, &function);
    return error == hipSuccess
               ? device->ops->function_set_shared_config(device->native, function->native, config)
               : error;
}

hipError_t hipFuncSetSharedMemConfig(const void *func, hipSharedMemConfig config)
{
    AH_ENTER(hipFuncSetSharedMemConfig);
    return AH_LEAVE(set_shared_config(func, config));
}

static hipError_t function_by_symbol(hipFunction_t *out_function, const void *host)
{
    struct ah_function *function;
    struct ah_device *device = ah_device_current();
    if (!out_function)
        return hipErrorInvalidValue;
    if (!host)
        return hipErrorInvalidDeviceFunction;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = ah_kernel_function(host, device, &function);
    if (error == hipSuccess)
        *out_function = (hipFunction_t)(void *)function;
    return error;
}

hipError_t hipGetFuncBySymbol(hipFunction_t *functionPtr, const void *symbolPtr)
{
    AH_ENTER(hipGetFuncBySymbol);
    return AH_LEAVE(function_by_symbol(functionPtr, symbolPtr));
}

const char *hipKernelNameRef(hipFunction_t f)
{
    AH_CALL_INSTEAD(hipKernelNameRef);
    if (ah_handle_is(f, AH_HANDLE_KERNEL))
        return ((const struct ah_kernel *)(const void *)f)->name;
    return ah_handle_is(f, AH_HANDLE_FUNCTION) ? ((const struct ah_function *)(const void *)f)->name
                                               : NULL;
}

const char *hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream)
{
    AH_CALL_INSTEAD(hipKernelNameRefByPtr);
    (void)stream;
    return ah_kernel_name(hostFunction);
}

/* ---- occupancy -------------------------------------------------------------------- */

static bool flags_valid(unsigned flags)
{
    return flags == hipOccupancyDefault || flags == hipOccupancyDisableCachingOverride;
}

static hipError_t blocks_per_processor(int *out_blocks, const void *value, int block_size,
                                       size_t shared, unsigned flags)
{
    struct ah_device *device;
    struct ah_function *function;
    if (!out_blocks || block_size <= 0 || !flags_valid(flags))
        return hipErrorInvalidValue;
    hipError_t error = any_function(value, &device, &function);
    if (error != hipSuccess)
        return error;
    if ((unsigned)block_size > function->max_threads) {
        *out_blocks = 0;
        return hipSuccess;
    }
    return device->ops->occupancy_blocks(device->native, function->native, block_size, shared,
                                         flags, out_blocks);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *f,
                                                        int blockSize, size_t dynSharedMemPerBlk)
{
    AH_ENTER(hipOccupancyMaxActiveBlocksPerMultiprocessor);
    return AH_LEAVE(
        blocks_per_processor(numBlocks, f, blockSize, dynSharedMemPerBlk, hipOccupancyDefault));
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *f,
                                                                 int blockSize,
                                                                 size_t dynSharedMemPerBlk,
                                                                 unsigned int flags)
{
    AH_ENTER(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
    return AH_LEAVE(blocks_per_processor(numBlocks, f, blockSize, dynSharedMemPerBlk, flags));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, hipFunction_t f,
                                                              int blockSize,
                                                              size_t dynSharedMemPerBlk)
{
    AH_ENTER(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor);
    return AH_LEAVE(
        blocks_per_processor(numBlocks, f, blockSize, dynSharedMemPerBlk, hipOccupancyDefault));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags)
{
    AH_ENTER(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
    return AH_LEAVE(blocks_per_processor(numBlocks, f, blockSize, dynSharedMemPerBlk, flags));
}

static hipError_t best_block_size(int *out_grid, int *out_block, const void *value, size_t shared,
                                  int limit, unsigned flags)
{
    struct ah_device *device;
    struct ah_function *function;
    if (!out_grid || !out_block || limit < 0 || !flags_valid(flags))
        return hipErrorInvalidValue;
    hipError_t error = any_function(value, &device, &function);
    return error == hipSuccess
               ? device->ops->occupancy_block_size(device->native, function->native, shared, limit,
                                                   flags, out_grid, out_block)
               : error;
}

hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *f,
                                             size_t dynSharedMemPerBlk, int blockSizeLimit)
{
    AH_ENTER(hipOccupancyMaxPotentialBlockSize);
    return AH_LEAVE(best_block_size(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit,
                                    hipOccupancyDefault));
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t f,
                                                   size_t dynSharedMemPerBlk, int blockSizeLimit)
{
    AH_ENTER(hipModuleOccupancyMaxPotentialBlockSize);
    return AH_LEAVE(best_block_size(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit,
                                    hipOccupancyDefault));
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize,
                                                            hipFunction_t f,
                                                            size_t dynSharedMemPerBlk,
                                                            int blockSizeLimit, unsigned int flags)
{
    AH_ENTER(hipModuleOccupancyMaxPotentialBlockSizeWithFlags);
    return AH_LEAVE(
        best_block_size(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit, flags));
}

static hipError_t available_shared(size_t *out_size, const void *value, int blocks, int block_size)
{
    struct ah_device *device;
    struct ah_function *function;
    if (!out_size || blocks <= 0 || block_size <= 0)
        return hipErrorInvalidValue;
    hipError_t error = any_function(value, &device, &function);
    return error == hipSuccess ? device->ops->occupancy_shared(device->native, function->native,
                                                               blocks, block_size, out_size)
                               : error;
}

hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *f,
                                                    int numBlocks, int blockSize)
{
    AH_ENTER(hipOccupancyAvailableDynamicSMemPerBlock);
    return AH_LEAVE(available_shared(dynamicSmemSize, f, numBlocks, blockSize));
}

static hipError_t clusters(const hipLaunchConfig_t *config, const void *value, const char *call,
                           int *out_size, int *out_count)
{
    struct ah_device *device;
    struct ah_function *function;
    struct ah_stream *stream;
    struct ah_backend_stream *native;
    struct ah_launch_attributes attributes;
    struct ah_launch launch = {.flags = 0};
    if (!config || (!out_size && !out_count))
        return hipErrorInvalidValue;
    hipError_t error = ah_launch_apply_attributes(config->attrs, config->numAttrs, config->stream,
                                                  call, &launch, &attributes);
    if (error == hipSuccess)
        error = any_function(value, &device, &function);
    if (error == hipSuccess)
        error = ah_stream_resolve(config->stream, &stream);
    if (error == hipSuccess)
        error = ah_stream_native(stream, &native);
    if (error != hipSuccess)
        return error;
    const unsigned sizes[] = {config->gridDim.x,  config->gridDim.y,  config->gridDim.z,
                              config->blockDim.x, config->blockDim.y, config->blockDim.z};
    memcpy(launch.grid, sizes, sizeof launch.grid);
    memcpy(launch.block, sizes + 3, sizeof launch.block);
    launch.shared =
        config->dynamicSmemBytes > UINT32_MAX ? UINT32_MAX : (unsigned)config->dynamicSmemBytes;
    if ((uint64_t)launch.block[0] * launch.block[1] * launch.block[2] > function->max_threads)
        return hipErrorInvalidValue;
    return device->ops->occupancy_clusters(device->native, function->native, &launch, native,
                                           out_size, out_count);
}

hipError_t hipOccupancyMaxPotentialClusterSize(int *clusterSize, const void *f,
                                               const hipLaunchConfig_t *config)
{
    AH_ENTER(hipOccupancyMaxPotentialClusterSize);
    return AH_LEAVE(clusters(config, f, __func__, clusterSize, NULL));
}

hipError_t hipOccupancyMaxActiveClusters(int *numClusters, const void *f,
                                         const hipLaunchConfig_t *config)
{
    AH_ENTER(hipOccupancyMaxActiveClusters);
    return AH_LEAVE(clusters(config, f, __func__, NULL, numClusters));
}
