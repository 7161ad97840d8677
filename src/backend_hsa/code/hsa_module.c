/* Owns modules: code objects that the runtime has loaded, and their kernels and variables by
 * name. */
#include "hsa_generic.h"
#include "demangle.h"
#include "hsa_kernel_services.h"
#include "hsa_memory.h"
#include "hsa_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All loaded modules, so that a reset finds those of its device. */
static struct {
    pthread_mutex_t lock;
    struct ah_backend_module *first;
} loaded = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_module(struct ah_backend_module *module)
{
    pthread_mutex_lock(&loaded.lock);
    module->next = loaded.first;
    loaded.first = module;
    pthread_mutex_unlock(&loaded.lock);
}

static void remove_module(struct ah_backend_module *module)
{
    pthread_mutex_lock(&loaded.lock);
    struct ah_backend_module **link = &loaded.first;
    while (*link && *link != module)
        link = &(*link)->next;
    if (*link)
        *link = module->next;
    pthread_mutex_unlock(&loaded.lock);
}

/* ---- symbols ---------------------------------------------------------------------------- */

/* Returns hipErrorNotFound without logging it, since a missing name need not be an error. */
static hipError_t find_symbol(const struct ah_backend_module *module, const char *name,
                              hsa_symbol_kind_t kind, hsa_executable_symbol_t *out_symbol)
{
    const struct ahhsa_api *api = module->device->api;
    hsa_symbol_kind_t found = kind;
    hsa_status_t status = api->hsa_executable_get_symbol_by_name(
        module->executable, name, &module->device->agent, out_symbol);
    if (status == HSA_STATUS_ERROR_INVALID_SYMBOL_NAME)
        return hipErrorNotFound;
    if (status != HSA_STATUS_SUCCESS)
        return ahhsa_report(module->device, "hsa_executable_get_symbol_by_name", status);
    status =
        api->hsa_executable_symbol_get_info(*out_symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &found);
    if (status != HSA_STATUS_SUCCESS)
        return ahhsa_report(module->device, "hsa_executable_symbol_get_info", status);
    return found == kind ? hipSuccess : hipErrorNotFound;
}

static hipError_t query_symbol(const struct ah_backend_module *module,
                               hsa_executable_symbol_t symbol,
                               hsa_executable_symbol_info_t attribute, void *out_value)
{
    return ahhsa_done(
        module->device, "hsa_executable_symbol_get_info",
        module->device->api->hsa_executable_symbol_get_info(symbol, attribute, out_value));
}

/* ---- loading ---------------------------------------------------------------------------- */

/* The map of memory comes first: another thread may be given the memory of variables before the
 * runtime returns. */
static hipError_t destroy_executable(struct ah_backend_module *module)
{
    struct ah_backend_device *device = module->device;
    const struct ahhsa_variable *variables = module->variables;
    for (size_t i = 0; i < module->variable_count; i++)
        ahhsa_memory_unregister(device, variables[i].memory);
    hipError_t error = ahhsa_done(device, "hsa_executable_destroy",
                                  device->api->hsa_executable_destroy(module->executable));
    for (size_t i = 0; error != hipSuccess && i < module->variable_count; i++)
        (void)ahhsa_memory_register(device, variables[i].memory, variables[i].size,
                                    AH_MEMORY_DEVICE);
    return error;
}

/* Has the runtime unload the code; may be called again after a failure. */
static hipError_t release_code(struct ah_backend_module *module)
{
    const struct ahhsa_api *api = module->device->api;
    hipError_t error = hipSuccess;
    if (module->executable.handle)
        error = destroy_executable(module);
    if (error != hipSuccess)
        return error;
    module->executable.handle = 0;
    module->variable_count = 0;
    if (module->reader.handle)
        error = ahhsa_done(module->device, "hsa_code_object_reader_destroy",
                           api->hsa_code_object_reader_destroy(module->reader));
    if (error == hipSuccess)
        module->reader.handle = 0;
    return error;
}

/* Accepts a module that was built in part and is not in the list. */
static void destroy(struct ah_backend_module *module)
{
    if (!module)
        return;
    (void)release_code(module);
    for (size_t i = 0; i < module->variable_count; i++)
        ahhsa_memory_unregister(module->device, module->variables[i].memory);
    ahhsa_metadata_fini(&module->metadata);
    pthread_mutex_destroy(&module->lock);
    free(module->variables);
    free(module->functions);
    free(module->image);
    free(module);
}

/* HIP's error for a failure to load the image. */
static hipError_t load_error(hsa_status_t status)
{
    switch ((int)status) {
    case HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS:
    case HSA_STATUS_ERROR_INVALID_ISA:
    case HSA_STATUS_ERROR_INVALID_ISA_NAME:
        return hipErrorNoBinaryForGpu;
    case HSA_STATUS_ERROR_INVALID_CODE_OBJECT:
    case HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER:
    case HSA_STATUS_ERROR_INVALID_SYMBOL_NAME:
    case HSA_STATUS_ERROR_VARIABLE_UNDEFINED:
    case HSA_STATUS_ERROR_INVALID_ARGUMENT:
    case HSA_STATUS_ERROR_EXCEPTION:
        return hipErrorInvalidImage;
    default:
        return ahhsa_error(status);
    }
}

static hipError_t load_failed(const struct ah_backend_device *device, const char *what,
                              const struct ah_image *image, hsa_status_t status)
{
    const char *words = NULL;
    device->api->hsa_status_string(status, &words);
    AH_LOG_ERR("%s:%d cannot load code for %s (code object version %d): %s: %s (0x%x)",
               device->backend->name, device->index,
               *image->target ? image->target : "an unknown processor", image->code_object_version,
               what, words ? words : "unknown error", (unsigned)status);
    if (status == HSA_STATUS_ERROR_INVALID_CODE_OBJECT && image->code_object_version > 4)
        AH_LOG_ERR("the HSA runtime may be too old for this version of code objects: update ROCm, "
                   "or compile with -mcode-object-version=4");
    return load_error(status);
}

/* *out_what is the function that returned the status. */
static hsa_status_t try_code(struct ah_backend_module *module, size_t size, const char **out_what)
{
    const struct ah_backend_device *device = module->device;
    const struct ahhsa_api *api = device->api;
    *out_what = "hsa_code_object_reader_create_from_memory";
    hsa_status_t status =
        api->hsa_code_object_reader_create_from_memory(module->image, size, &module->reader);
    if (status == HSA_STATUS_SUCCESS) {
        *out_what = "hsa_executable_create_alt";
        status = api->hsa_executable_create_alt(
            HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &module->executable);
    }
    if (status == HSA_STATUS_SUCCESS) {
        *out_what = "hsa_executable_load_agent_code_object";
        status = api->hsa_executable_load_agent_code_object(module->executable, device->agent,
                                                            module->reader, NULL, NULL);
    }
    if (status == HSA_STATUS_SUCCESS) {
        *out_what = "hsa_executable_freeze";
        status = api->hsa_executable_freeze(module->executable, NULL);
    }
    return status;
}

/* Code for a generic target is tried again as code for the device's own processor, since runtimes
 * before ROCm 6.3 do not know generic targets. */
static hipError_t load_code(struct ah_backend_module *module, const struct ah_image *image)
{
    const char *what;
    const struct ahhsa_device_info *info = ahhsa_device_info_of(module->device);
    hsa_status_t status = try_code(module, image->size, &what);
    if (status != HSA_STATUS_SUCCESS && info && release_code(module) == hipSuccess &&
        ahhsa_make_specific(module->image, image->size, info->target.processor)) {
        AH_LOG(AH_LOG_DEBUG, AH_LOG_CODE, "%s:%d: the runtime refuses %s, which is loaded as %s",
               module->device->backend->name, module->device->index, image->target,
               info->target.processor);
        status = try_code(module, image->size, &what);
    }
    return status == HSA_STATUS_SUCCESS ? hipSuccess
                                        : load_failed(module->device, what, image, status);
}

static hipError_t read_metadata(struct ah_backend_module *module, const struct ah_image *image)
{
    const char *reason;
    errno = 0;
    if (!ahhsa_metadata_read(&module->metadata, module->image, image->size, &reason)) {
        hipError_t failure = errno == ENOMEM ? hipErrorOutOfMemory : hipErrorInvalidImage;
        AH_LOG_ERR("%s:%d cannot load a code object: %s", module->device->backend->name,
                   module->device->index, reason);
        return failure;
    }
    module->functions = calloc(module->metadata.kernel_count + 1, sizeof *module->functions);
    return module->functions ? hipSuccess : hipErrorOutOfMemory;
}

/* The version that memory.h leaves in the code. */
static hipError_t read_abi(struct ah_backend_module *module)
{
    hsa_executable_symbol_t symbol;
    uint64_t address = 0;
    uint32_t abi = AHHSA_ABI_ROCM;
    hipError_t error =
        find_symbol(module, "__anyhip_device_abi", HSA_SYMBOL_KIND_VARIABLE, &symbol);
    if (error == hipErrorNotFound)
        return hipSuccess;
    if (error == hipSuccess)
        error = query_symbol(module, symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address);
    if (error == hipSuccess)
        error = ahhsa_raw_read(module->device, &abi, (const void *)(uintptr_t)address, sizeof abi);
    if (error == hipSuccess && abi > AHHSA_ABI_CURRENT) {
        AH_LOG_ERR("code was compiled with headers of a later version (%u, this library has %d): "
                   "update this library, or compile again",
                   abi, AHHSA_ABI_CURRENT);
        error = hipErrorInvalidImage;
    }
    module->abi = abi;
    return error;
}

/* The options are for the PTX compiler and do not apply to machine code. */
hipError_t ahhsa_module_load(struct ah_backend_device *device, const struct ah_image *image,
                             unsigned option_count, const hipJitOption *options,
                             void **option_values, struct ah_backend_module **out_module)
{
    (void)option_count;
    (void)options;
    (void)option_values;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (image->kind != AH_IMAGE_AMDGPU)
        return hipErrorNoBinaryForGpu;
    struct ah_backend_module *module = calloc(1, sizeof *module);
    if (!module)
        return hipErrorOutOfMemory;
    module->device = device;
    pthread_mutex_init(&module->lock, NULL);
    module->image = malloc(image->size ? image->size : 1);
    error = module->image ? hipSuccess : hipErrorOutOfMemory;
    if (error == hipSuccess) {
        memcpy(module->image, image->data, image->size);
        error = read_metadata(module, image);
    }
    if (error == hipSuccess)
        error = load_code(module, image);
    if (error == hipSuccess)
        error = read_abi(module);
    if (error != hipSuccess) {
        destroy(module);
        return error;
    }
    add_module(module);
    *out_module = module;
    return hipSuccess;
}

hipError_t ahhsa_module_unload(struct ah_backend_device *device, struct ah_backend_module *module)
{
    hipError_t error = ahhsa_device_drain(device);
    if (error == hipSuccess)
        error = release_code(module);
    if (error != hipSuccess)
        return error;
    remove_module(module);
    destroy(module);
    return hipSuccess;
}

void ahhsa_modules_free(struct ah_backend_device *device)
{
    struct ah_backend_module *found;
    do {
        pthread_mutex_lock(&loaded.lock);
        struct ah_backend_module **link = &loaded.first;
        while (*link && (*link)->device != device)
            link = &(*link)->next;
        found = *link;
        if (found)
            *link = found->next;
        pthread_mutex_unlock(&loaded.lock);
        destroy(found);
    } while (found);
}

/* ---- names ------------------------------------------------------------------------------ */

/* Sizes come from the loader; the metadata knows more of the arguments. */
static hipError_t query_sizes(const struct ah_backend_module *module,
                              hsa_executable_symbol_t symbol, struct ah_backend_function *function)
{
    hipError_t error =
        query_symbol(module, symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                     &function->group_size);
    if (error == hipSuccess)
        error = query_symbol(module, symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                             &function->private_size);
    if (error == hipSuccess)
        error = query_symbol(module, symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                             &function->object);
    return error;
}

static void summarize_arguments(struct ah_backend_function *function,
                                const struct ahhsa_kernel_metadata *kernel)
{
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct ahhsa_argument *argument = &kernel->arguments[i];
        if (i < kernel->explicit_count &&
            argument->offset + argument->size > function->explicit_end)
            function->explicit_end = argument->offset + argument->size;
        function->uses |= UINT32_C(1) << argument->value;
    }
    function->needs = ahhsa_kernel_services_needed(function);
}
_Static_assert(AHHSA_VALUE_UNKNOWN <= 32, "one bit for each value");

static hipError_t open_function(struct ah_backend_module *module,
                                const struct ahhsa_kernel_metadata *kernel,
                                struct ah_backend_function *out_function)
{
    hsa_executable_symbol_t symbol;
    struct ah_backend_function function = {
        .module = module,
        .kernel = kernel,
        .kernarg_size = kernel->kernarg_size,
        .max_threads = kernel->max_threads,
        .max_dynamic = -1,
    };
    hipError_t error = find_symbol(module, kernel->symbol, HSA_SYMBOL_KIND_KERNEL, &symbol);
    if (error == hipSuccess)
        error = query_sizes(module, symbol, &function);
    if (error == hipSuccess && function.kernarg_size > AHHSA_KERNARG_MAX) {
        AH_LOG_ERR("kernel %s has %u bytes of arguments, more than %d", ah_demangle(kernel->name),
                   function.kernarg_size, (int)AHHSA_KERNARG_MAX);
        error = hipErrorInvalidImage;
    }
    if (error != hipSuccess)
        return error;
    function.arguments_size = (uint32_t)ahhsa_arguments_padded(function.kernarg_size);
    summarize_arguments(&function, kernel);
    *out_function = function;
    return hipSuccess;
}

hipError_t ahhsa_module_function(struct ah_backend_device *device, struct ah_backend_module *module,
                                 const char *name, struct ah_backend_function **out_function)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    const struct ahhsa_kernel_metadata *kernel = ahhsa_metadata_kernel(&module->metadata, name);
    if (!kernel)
        return hipErrorNotFound;
    struct ah_backend_function *function = &module->functions[kernel - module->metadata.kernels];
    pthread_mutex_lock(&module->lock);
    if (function->object == 0)
        error = open_function(module, kernel, function);
    pthread_mutex_unlock(&module->lock);
    if (error == hipSuccess)
        *out_function = function;
    return error;
}

/* Copies look up the device by the address. */
static hipError_t register_variable(struct ah_backend_module *module, void *pointer, size_t size)
{
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].memory == pointer)
            return hipSuccess;
    struct ahhsa_variable *grown =
        realloc(module->variables, (module->variable_count + 1) * sizeof *module->variables);
    if (!grown)
        return hipErrorOutOfMemory;
    module->variables = grown;
    hipError_t error = ahhsa_memory_register(module->device, pointer, size, AH_MEMORY_DEVICE);
    if (error == hipSuccess)
        module->variables[module->variable_count++] = (struct ahhsa_variable){pointer, size};
    return error;
}

hipError_t ahhsa_module_global(struct ah_backend_device *device, struct ah_backend_module *module,
                               const char *name, void **out_pointer, size_t *out_size)
{
    hsa_executable_symbol_t symbol;
    uint64_t address = 0;
    uint32_t size = 0;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = find_symbol(module, name, HSA_SYMBOL_KIND_VARIABLE, &symbol);
    if (error == hipSuccess)
        error = query_symbol(module, symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address);
    if (error == hipSuccess)
        error = query_symbol(module, symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&module->lock);
    if (size > 0)
        error = register_variable(module, (void *)(uintptr_t)address, size);
    pthread_mutex_unlock(&module->lock);
    if (error != hipSuccess)
        return error;
    *out_pointer = (void *)(uintptr_t)address;
    *out_size = size;
    return hipSuccess;
}

hipError_t ahhsa_module_function_count(struct ah_backend_device *device,
                                       struct ah_backend_module *module, unsigned *out_count)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        *out_count = (unsigned)module->metadata.kernel_count;
    return error;
}

hipError_t ahhsa_module_function_names(struct ah_backend_device *device,
                                       struct ah_backend_module *module, unsigned count,
                                       char **out_names)
{
    hipError_t error = ahhsa_enter(device);
    unsigned named = 0;
    if (error == hipSuccess && count > module->metadata.kernel_count)
        error = hipErrorInvalidValue;
    for (; error == hipSuccess && named < count; named++) {
        out_names[named] = strdup(module->metadata.kernels[named].name);
        if (!out_names[named])
            error = hipErrorOutOfMemory;
    }
    while (error != hipSuccess && named > 0) {
        free(out_names[--named]);
        out_names[named] = NULL;
    }
    return error;
}

hipError_t ahhsa_module_native(struct ah_backend_device *device, struct ah_backend_module *module,
                               uint64_t *out_native)
{
    (void)device;
    *out_native = module->executable.handle;
    return hipSuccess;
}

hipError_t ahhsa_function_native(struct ah_backend_device *device,
                                 struct ah_backend_function *function, uint64_t *out_native)
{
    (void)device;
    *out_native = function->object;
    return hipSuccess;
}
