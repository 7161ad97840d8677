/* Libraries and their kernels: hipLibraryLoadData, hipKernelGetFunction and the like. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <stdlib.h>

/* ---- loading ---------------------------------------------------------------------- */

static hipError_t read_options(const hipLibraryOption *names, void *const *values, unsigned count,
                               bool *out_stays)
{
    *out_stays = false;
    if (count > 0 && (!names || !values))
        return hipErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        switch ((int)names[i]) {
        case hipLibraryBinaryIsPreserved:
            *out_stays = values[i] != NULL;
            break;
        case hipLibraryHostUniversalFunctionAndDataTable:
            AH_LOG_ERR("a library's table of host functions and data is not supported: no device "
                       "of HIP calls host functions");
            return hipErrorNotSupported;
        default:
            AH_LOG_ERR("%d is not an option of libraries", (int)names[i]);
            return hipErrorInvalidValue;
        }
    }
    return hipSuccess;
}

/* Options of the compiler may have results, hence the code is then loaded at once. */
static hipError_t load(const struct ah_library_source *source, hipLibrary_t *out_library)
{
    struct ah_library *library;
    struct ah_module *module;
    struct ah_device *device = ah_device_current();
    hipError_t error = device ? hipSuccess : hipErrorNoDevice;
    if (error != hipSuccess) {
        free(source->owned);
        return error;
    }
    error = ah_library_create(source, &library);
    if (error != hipSuccess)
        return error;
    if (source->options.count > 0)
        error = ah_library_load(library, device, &source->options, &module);
    if (error == hipSuccess)
        *out_library = (hipLibrary_t)(void *)library;
    else
        (void)ah_library_destroy(library);
    return error;
}

hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *code, hipJitOption *jitOptions,
                              void **jitOptionsValues, unsigned int numJitOptions,
                              hipLibraryOption *libraryOptions, void **libraryOptionValues,
                              unsigned int numLibraryOptions)
{
    bool stays;
    AH_ENTER(hipLibraryLoadData);
    if (!library || !code || (numJitOptions > 0 && (!jitOptions || !jitOptionsValues)))
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = read_options(libraryOptions, libraryOptionValues, numLibraryOptions, &stays);
    if (error != hipSuccess)
        return AH_LEAVE(error);
    const struct ah_library_source source = {
        .data = code,
        .size = SIZE_MAX,
        .stays = stays,
        .options = {numJitOptions, jitOptions, jitOptionsValues},
    };
    return AH_LEAVE(load(&source, library));
}

hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *fileName,
                                  hipJitOption *jitOptions, void **jitOptionsValues,
                                  unsigned int numJitOptions, hipLibraryOption *libraryOptions,
                                  void **libraryOptionValues, unsigned int numLibraryOptions)
{
    bool stays;
    void *image;
    size_t size;
    AH_ENTER(hipLibraryLoadFromFile);
    if (!library || !fileName || !*fileName ||
        (numJitOptions > 0 && (!jitOptions || !jitOptionsValues)))
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = read_options(libraryOptions, libraryOptionValues, numLibraryOptions, &stays);
    if (error == hipSuccess)
        error = ah_read_code(fileName, &image, &size);
    if (error != hipSuccess) /* HIP's code for a file that is not there */
        return AH_LEAVE(error == hipErrorFileNotFound ? hipErrorInvalidValue : error);
    const struct ah_library_source source = {
        .data = image,
        .size = size,
        .stays = true,
        .owned = image,
        .options = {numJitOptions, jitOptions, jitOptionsValues},
    };
    return AH_LEAVE(load(&source, library));
}

hipError_t hipLibraryUnload(hipLibrary_t library)
{
    AH_ENTER_UNSAFE(hipLibraryUnload);
    return AH_LEAVE(ah_library_destroy((struct ah_library *)(void *)library));
}

/* ---- what a library holds --------------------------------------------------------- */

/* The library's module of the current device. */
static hipError_t current_module(hipLibrary_t handle, struct ah_module **out_module)
{
    struct ah_device *device = ah_device_current();
    if (!ah_handle_is(handle, AH_HANDLE_LIBRARY))
        return hipErrorInvalidResourceHandle;
    if (!device)
        return hipErrorNoDevice;
    return ah_library_module((struct ah_library *)(void *)handle, device, out_module);
}

/* As ah_library_kernel, with the library's errors first. */
static hipError_t get_kernel(hipLibrary_t library, const char *name, hipKernel_t *out_kernel)
{
    struct ah_module *module;
    struct ah_kernel *kernel;
    hipError_t error = current_module(library, &module);
    if (error == hipSuccess)
        error = ah_library_kernel((struct ah_library *)(void *)library, module->handle.device, name,
                                  &kernel);
    if (error == hipSuccess)
        *out_kernel = (hipKernel_t)(void *)kernel;
    return error;
}

hipError_t hipLibraryGetKernel(hipKernel_t *pKernel, hipLibrary_t library, const char *name)
{
    AH_ENTER(hipLibraryGetKernel);
    if (!pKernel || !library || !name)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(get_kernel(library, name, pKernel));
}

static hipError_t kernel_count(hipLibrary_t library, struct ah_module **out_module,
                               unsigned *out_count)
{
    hipError_t error = current_module(library, out_module);
    if (error != hipSuccess)
        return error;
    const struct ah_device *device = (*out_module)->handle.device;
    return device->ops->module_function_count(device->native, (*out_module)->native, out_count);
}

hipError_t hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t library)
{
    struct ah_module *module;
    AH_ENTER(hipLibraryGetKernelCount);
    if (!count || !library)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(kernel_count(library, &module, count));
}

static hipError_t enumerate(hipKernel_t *out_kernels, unsigned room, hipLibrary_t library)
{
    unsigned count;
    char **names = NULL;
    struct ah_module *module;
    hipError_t error = kernel_count(library, &module, &count);
    if (error != hipSuccess)
        return error;
    count = count < room ? count : room;
    error = ah_module_names(module, count, &names);
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        error = get_kernel(library, names[i], &out_kernels[i]);
    ah_free_names(names, count);
    return error;
}

hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned int numKernels,
                                      hipLibrary_t library)
{
    AH_ENTER(hipLibraryEnumerateKernels);
    if (!kernels || !library)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(enumerate(kernels, numKernels, library));
}

static hipError_t find_managed(const struct ah_module *module, const char *name, void **out_pointer,
                               size_t *out_size)
{
    const struct ah_managed *managed = ah_managed_find(module->managed, name);
    if (!managed)
        return hipErrorNotFound;
    *out_pointer = managed->memory;
    *out_size = managed->size;
    return hipSuccess;
}

static hipError_t variable(void **out_pointer, size_t *out_size, hipLibrary_t library,
                           const char *name, bool managed)
{
    void *pointer;
    size_t size;
    struct ah_module *module;
    if ((!out_pointer && !out_size) || !name || !*name)
        return hipErrorInvalidValue;
    hipError_t error = current_module(library, &module);
    if (error == hipSuccess)
        error = managed ? find_managed(module, name, &pointer, &size)
                        : ah_module_variable(module, name, &pointer, &size);
    if (error == hipErrorNotFound)
        AH_LOG_ERR("the library has no %svariable %s", managed ? "managed " : "", name);
    if (error == hipSuccess && out_pointer)
        *out_pointer = pointer;
    if (error == hipSuccess && out_size)
        *out_size = size;
    return error;
}

hipError_t hipLibraryGetGlobal(void **dptr, size_t *bytes, hipLibrary_t library, const char *name)
{
    AH_ENTER(hipLibraryGetGlobal);
    return AH_LEAVE(variable(dptr, bytes, library, name, false));
}

hipError_t hipLibraryGetManaged(void **dptr, size_t *bytes, hipLibrary_t library, const char *name)
{
    AH_ENTER(hipLibraryGetManaged);
    return AH_LEAVE(variable(dptr, bytes, library, name, true));
}

hipError_t hipLibraryGetModule(hipModule_t *pMod, hipLibrary_t library)
{
    struct ah_module *module;
    AH_ENTER(hipLibraryGetModule);
    if (!pMod)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = current_module(library, &module);
    if (error == hipSuccess)
        *pMod = (hipModule_t)(void *)module;
    return AH_LEAVE(error);
}

/* ---- kernels ---------------------------------------------------------------------- */

/* hipErrorInvalidValue for NULL and hipErrorInvalidHandle for what is no kernel, as HIP has them.
 */
static hipError_t check_kernel(hipKernel_t handle, struct ah_kernel **out_kernel)
{
    *out_kernel = (struct ah_kernel *)(void *)handle;
    if (!handle)
        return hipErrorInvalidValue;
    return ah_handle_is(handle, AH_HANDLE_KERNEL) ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel)
{
    struct ah_kernel *object;
    AH_ENTER(hipKernelGetLibrary);
    hipError_t error = library ? check_kernel(kernel, &object) : hipErrorInvalidValue;
    if (error == hipSuccess)
        *library = (hipLibrary_t)(void *)object->library;
    return AH_LEAVE(error);
}

hipError_t hipKernelGetName(const char **name, hipKernel_t kernel)
{
    struct ah_kernel *object;
    AH_ENTER(hipKernelGetName);
    hipError_t error = name ? check_kernel(kernel, &object) : hipErrorInvalidValue;
    if (error == hipSuccess)
        *name = object->name;
    return AH_LEAVE(error);
}

static hipError_t current_function(hipKernel_t handle, struct ah_function **out_function)
{
    struct ah_kernel *kernel;
    struct ah_device *device = ah_device_current();
    hipError_t error = check_kernel(handle, &kernel);
    if (error == hipSuccess && !device)
        error = hipErrorNoDevice;
    return error == hipSuccess ? ah_library_function(kernel, device, out_function) : error;
}

hipError_t hipKernelGetFunction(hipFunction_t *pFunc, hipKernel_t kernel)
{
    struct ah_function *function;
    AH_ENTER(hipKernelGetFunction);
    hipError_t error = pFunc ? current_function(kernel, &function) : hipErrorInvalidValue;
    if (error == hipSuccess)
        *pFunc = (hipFunction_t)(void *)function;
    return AH_LEAVE(error);
}

static hipError_t parameter(hipKernel_t kernel, size_t index, size_t *out_offset, size_t *out_size)
{
    struct ah_function *function;
    const struct ah_parameter_list *list;
    if (!out_offset)
        return hipErrorInvalidValue;
    hipError_t error = current_function(kernel, &function);
    if (error == hipErrorInvalidHandle)
        return hipErrorInvalidDeviceFunction;
    if (error == hipSuccess)
        error = ah_function_parameters(function, &list);
    if (error == hipSuccess && index >= list->count)
        error = hipErrorInvalidValue;
    if (error != hipSuccess)
        return error;
    *out_offset = list->at[index].offset;
    if (out_size)
        *out_size = list->at[index].size;
    return hipSuccess;
}

hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize)
{
    AH_ENTER(hipKernelGetParamInfo);
    return AH_LEAVE(parameter(kernel, paramIndex, paramOffset, paramSize));
}

/* The kernel's function on the device of that number. */
static hipError_t function_on(hipKernel_t kernel, hipDevice_t ordinal,
                              struct ah_function **out_function)
{
    struct ah_device *device = ah_device_at(ordinal);
    if (!device)
        return hipErrorInvalidDevice;
    return ah_library_function((struct ah_kernel *)(void *)kernel, device, out_function);
}

static hipError_t attribute(int *out_value, hipFunction_attribute which, hipKernel_t kernel,
                            hipDevice_t ordinal)
{
    struct ah_function *function;
    if (!out_value)
        return hipErrorInvalidValue;
    if (!ah_handle_is(kernel, AH_HANDLE_KERNEL))
        return hipErrorInvalidHandle;
    hipError_t error = function_on(kernel, ordinal, &function);
    return error == hipSuccess ? ah_function_attribute(function, which, out_value) : error;
}

hipError_t hipKernelGetAttribute(int *pi, hipFunction_attribute attrib, hipKernel_t kernel,
                                 hipDevice_t dev)
{
    AH_ENTER(hipKernelGetAttribute);
    return AH_LEAVE(attribute(pi, attrib, kernel, dev));
}

static hipError_t set_attribute(hipFunction_attribute which, int value, hipKernel_t kernel,
                                hipDevice_t ordinal)
{
    struct ah_function *function;
    bool dynamic = which == HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    if (!kernel)
        return hipErrorInvalidValue;
    if (!ah_handle_is(kernel, AH_HANDLE_KERNEL))
        return hipErrorInvalidDeviceFunction;
    hipError_t error = function_on(kernel, ordinal, &function);
    if (error != hipSuccess)
        return error;
    if (!dynamic && which != HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        return hipErrorInvalidValue;
    return ah_function_set_attribute(function,
                                     dynamic ? hipFuncAttributeMaxDynamicSharedMemorySize
                                             : hipFuncAttributePreferredSharedMemoryCarveout,
                                     value);
}

hipError_t hipKernelSetAttribute(hipFunction_attribute attrib, int value, hipKernel_t kernel,
                                 hipDevice_t dev)
{
    AH_ENTER(hipKernelSetAttribute);
    return AH_LEAVE(set_attribute(attrib, value, kernel, dev));
}
