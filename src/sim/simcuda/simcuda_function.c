/* Owns functions: the attributes of kernels. */
#include "simcuda_driver.h"

CUresult simcuda_function_get(CUfunction handle, const char *what, struct simcuda_function **out)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    *out = simcuda_object_get(handle, SIMCUDA_FUNCTION, what);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult simcuda_cuFuncLoad(CUfunction handle)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuFuncLoad);
    return simcuda_leave(simcuda_function_get(handle, "cuFuncLoad", &function));
}

CUresult simcuda_cuFuncGetName(const char **name, CUfunction handle)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuFuncGetName);
    CUresult result =
        name ? simcuda_function_get(handle, "cuFuncGetName", &function) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *name = function->info.name;
    return simcuda_leave(result);
}

CUresult simcuda_cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *size)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuFuncGetParamInfo);
    size_t where, bytes;
    CUresult result = simcuda_function_get(handle, "cuFuncGetParamInfo", &function);
    if (result == CUDA_SUCCESS &&
        (!offset || !ptx_kernel_param(function->kernel, (unsigned)(index < 65536 ? index : 65536),
                                      &where, &bytes)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    *offset = where;
    if (size)
        *size = bytes;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuFuncGetModule(CUmodule *module, CUfunction handle)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuFuncGetModule);
    CUresult result = simcuda_function_get(handle, "cuFuncGetModule", &function);
    if (result == CUDA_SUCCESS && !module)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *module = (CUmodule)(uintptr_t)function->module->object.handle;
    return simcuda_leave(result);
}

static CUresult attribute_of(int *value, int attribute, const struct simcuda_function *function)
{
    enum { ATTRIBUTE_END = 16 };
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)function->info.max_threads;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)function->info.shared_size;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)function->info.const_size;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)function->info.local_size;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)function->info.registers;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = (int)function->info.target;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = (int)function->object.context->device->model.sm;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = (int)function->max_dynamic;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = function->carveout;
        return CUDA_SUCCESS;
    default: /* those of clusters, which no kernel here uses */
        *value = 0;
        return attribute > 0 && attribute < ATTRIBUTE_END ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult simcuda_cuFuncGetAttribute(int *value, int attribute, CUfunction handle)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuFuncGetAttribute);
    CUresult result = value ? simcuda_function_get(handle, "cuFuncGetAttribute", &function)
                            : CUDA_ERROR_INVALID_VALUE;
    return simcuda_leave(result == CUDA_SUCCESS ? attribute_of(value, attribute, function)
                                                : result);
}

static CUresult set_attribute(struct simcuda_function *function, int attribute, int value)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || (size_t)value + function->info.shared_size >
                             simcuda_shared_optin(function->object.context->device))
            return CUDA_ERROR_INVALID_VALUE;
        function->max_dynamic = (unsigned)value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100)
            return CUDA_ERROR_INVALID_VALUE;
        function->carveout = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult simcuda_cuFuncSetAttribute(CUfunction handle, int attribute, int value)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuFuncSetAttribute);
    CUresult result = simcuda_function_get(handle, "cuFuncSetAttribute", &function);
    return simcuda_leave(result == CUDA_SUCCESS ? set_attribute(function, attribute, value)
                                                : result);
}

CUresult simcuda_cuFuncSetCacheConfig(CUfunction handle, int config)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuFuncSetCacheConfig);
    (void)config;
    return simcuda_leave(simcuda_function_get(handle, "cuFuncSetCacheConfig", &function));
}

CUresult simcuda_cuFuncSetSharedMemConfig(CUfunction handle, int config)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuFuncSetSharedMemConfig);
    (void)config;
    return simcuda_leave(simcuda_function_get(handle, "cuFuncSetSharedMemConfig", &function));
}
