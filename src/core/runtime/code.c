/* Owns the choice of images, and modules and functions. */
#include "code.h"

#include "error.h"
#include "lifetime.h"
#include "log.h"
#include "managed.h"

#include <limits.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t function_lock = PTHREAD_MUTEX_INITIALIZER; /* modules' lists */

/* Guards that the amount set in the driver and max_dynamic agree. */
static pthread_mutex_t dynamic_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- images ------------------------------------------------------------- */

static int best_below(struct ah_device *device, const struct ah_images *images, int bound,
                      const struct ah_image **out_image)
{
    int best = 0;
    for (size_t i = 0; i < images->count; i++) {
        int rank = device->ops->device_rank_image(device->native, &images->items[i]);
        if (rank > best && rank < bound) {
            best = rank;
            *out_image = &images->items[i];
        }
    }
    return best;
}

/* Logged at every level: a program that does not check errors would otherwise end with wrong
 * results and no explanation. */
static hipError_t no_image(struct ah_device *device, const struct ah_images *images)
{
    hipDeviceProp_tR0600 properties = {0};
    char *held = ah_images_describe(images);
    (void)device->ops->device_properties(device->native, &properties);
    const char *arch = properties.gcnArchName;
    AH_LOG_NOTICE(
        AH_LOG_ERROR,
        "no code for device %d (%s): the binary holds %s; compile with --offload-arch=%.*s",
        device->ordinal, device->identity.name, held ? held : "nothing", (int)strcspn(arch, ":"),
        arch);
    free(held);
    return hipErrorNoBinaryForGpu;
}

hipError_t ah_code_load(struct ah_device *device, const struct ah_images *images,
                        unsigned option_count, const hipJitOption *options, void **option_values,
                        struct ah_backend_module **out_module, const struct ah_image **out_image)
{
    const struct ah_image *image = NULL;
    hipError_t first_error = hipSuccess;
    int rank = INT_MAX;
    while ((rank = best_below(device, images, rank, &image)) > 0) {
        hipError_t error = device->ops->module_load(device->native, image, option_count, options,
                                                    option_values, out_module);
        AH_LOG(AH_LOG_DEBUG, AH_LOG_CODE, "device %d: %s %s: %s", device->ordinal,
               ah_image_kind_name(image->kind), image->target, ah_error_name(error));
        if (error == hipSuccess && out_image)
            *out_image = image;
        if (error == hipSuccess)
            return hipSuccess;
        if (first_error == hipSuccess)
            first_error = error;
    }
    return first_error != hipSuccess ? first_error : no_image(device, images);
}

/* ---- functions ---------------------------------------------------------- */

hipError_t ah_function_create(struct ah_device *device, struct ah_backend_function *native,
                              const char *name, struct ah_function **out_function)
{
    hipFuncAttributes attributes = {0};
    hipError_t error = ah_device_limits(device); /* launches rely on them */
    if (error == hipSuccess)
        error = device->ops->function_attributes(device->native, native, &attributes);
    if (error != hipSuccess)
        return error;
    struct ah_function *function = ah_handle_create(AH_HANDLE_FUNCTION, device);
    if (!function)
        return hipErrorOutOfMemory;
    function->native = native;
    function->name = name;
    function->max_threads = (unsigned)attributes.maxThreadsPerBlock;
    function->static_shared = (unsigned)attributes.sharedSizeBytes;
    function->max_dynamic = (unsigned)attributes.maxDynamicSharedSizeBytes;
    *out_function = function;
    return hipSuccess;
}

/* Functions of the program live as long as the process, and leak checkers do not look at handles:
 * here they find the lists that functions own. */
static struct {
    pthread_mutex_t lock;
    struct ah_parameter_list *first;
} parameter_lists = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock. */
static void add_list(struct ah_parameter_list *list)
{
    list->next = parameter_lists.first;
    if (list->next)
        list->next->previous = list;
    parameter_lists.first = list;
}

static void free_list(struct ah_parameter_list *list)
{
    if (!list)
        return;
    pthread_mutex_lock(&parameter_lists.lock);
    *(list->previous ? &list->previous->next : &parameter_lists.first) = list->next;
    if (list->next)
        list->next->previous = list->previous;
    pthread_mutex_unlock(&parameter_lists.lock);
    free(list);
}

void ah_function_destroy(struct ah_function *function)
{
    if (!function)
        return;
    free_list(atomic_load(&function->parameters));
    ah_handle_destroy(function);
}

/* hipErrorInvalidValue is the driver's answer to an index past the last parameter. */
static hipError_t count_parameters(const struct ah_function *function, unsigned *out_count)
{
    struct ah_parameter unused;
    const struct ah_device *device = function->handle.device;
    hipError_t error = hipSuccess;
    for (*out_count = 0; error == hipSuccess; *out_count += error == hipSuccess)
        error =
            device->ops->function_parameter(device->native, function->native, *out_count, &unused);
    return error == hipErrorInvalidValue ? hipSuccess : error;
}

static hipError_t list_parameters(const struct ah_function *function,
                                  struct ah_parameter_list **out_list)
{
    unsigned count;
    const struct ah_device *device = function->handle.device;
    hipError_t error = count_parameters(function, &count);
    if (error != hipSuccess)
        return error;
    struct ah_parameter_list *list = calloc(1, sizeof *list + count * sizeof *list->at);
    if (!list)
        return hipErrorOutOfMemory;
    list->count = count;
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        error = device->ops->function_parameter(device->native, function->native, i, &list->at[i]);
    if (error == hipSuccess)
        *out_list = list;
    else
        free(list);
    return error;
}

hipError_t ah_function_parameters(struct ah_function *function,
                                  const struct ah_parameter_list **out_list)
{
    struct ah_parameter_list *made = NULL, *list = atomic_load(&function->parameters);
    if (!list) {
        hipError_t error = list_parameters(function, &made);
        if (error != hipSuccess)
            return error;
        pthread_mutex_lock(&parameter_lists.lock);
        list = atomic_load(&function->parameters);
        if (!list)
            add_list(list = made);
        atomic_store(&function->parameters, list);
        pthread_mutex_unlock(&parameter_lists.lock);
        if (list != made)
            free(made); /* another thread was first */
    }
    *out_list = list;
    return hipSuccess;
}

/* Under the lock. */
static hipError_t set_driver_dynamic(struct ah_function *function, int bytes)
{
    struct ah_device *device = function->handle.device;
    hipError_t error = device->ops->function_set_attribute(
        device->native, function->native, hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error == hipSuccess)
        atomic_store_explicit(&function->max_dynamic, (unsigned)bytes, memory_order_relaxed);
    return error;
}

hipError_t ah_function_set_dynamic(struct ah_function *function, int bytes)
{
    pthread_mutex_lock(&dynamic_lock);
    hipError_t error = set_driver_dynamic(function, bytes);
    pthread_mutex_unlock(&dynamic_lock);
    return error;
}

hipError_t ah_function_raise_dynamic(struct ah_function *function, unsigned bytes)
{
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&dynamic_lock);
    if (bytes > atomic_load_explicit(&function->max_dynamic, memory_order_relaxed))
        error = set_driver_dynamic(function, (int)bytes);
    pthread_mutex_unlock(&dynamic_lock);
    return error;
}

/* ---- modules ------------------------------------------------------------ */

hipError_t ah_module_create_from(struct ah_device *device, const struct ah_images *images,
                                 const struct ah_jit_options *options,
                                 const struct ah_module *shared, struct ah_module **out_module)
{
    const struct ah_image *image;
    struct ah_managed *managed = NULL;
    struct ah_backend_module *native = NULL;
    hipError_t error = ah_code_load(device, images, options->count, options->names, options->values,
                                    &native, &image);
    if (error == hipSuccess)
        error = ah_managed_connect(device, native, image, shared, &managed);
    struct ah_module *module =
        error == hipSuccess ? ah_handle_create(AH_HANDLE_MODULE, device) : NULL;
    if (!module) {
        ah_managed_destroy(device, managed);
        if (native)
            device->ops->module_unload(device->native, native);
        return error != hipSuccess ? error : hipErrorOutOfMemory;
    }
    module->native = native;
    module->managed = managed;
    *out_module = module;
    return hipSuccess;
}

hipError_t ah_module_create(struct ah_device *device, const void *data, size_t size,
                            unsigned option_count, const hipJitOption *options,
                            void **option_values, struct ah_module **out_module)
{
    char reason[AH_IMAGE_ERROR_SIZE];
    struct ah_images images;
    const struct ah_jit_options jit = {option_count, options, option_values};
    errno = 0;
    if (!ah_images_open(&images, data, size, reason)) {
        hipError_t failure = errno == ENOMEM ? hipErrorOutOfMemory : hipErrorInvalidImage;
        AH_LOG_ERR("cannot load the module: %s", reason);
        return failure;
    }
    hipError_t error = ah_module_create_from(device, &images, &jit, NULL, out_module);
    ah_images_close(&images);
    return error;
}

/* Destroys a function of a module, and its name. */
static void destroy_function(struct ah_function *function)
{
    char *name = (char *)(uintptr_t)function->name;
    ah_function_destroy(function);
    free(name);
}

static void destroy_functions(struct ah_module *module)
{
    pthread_mutex_lock(&function_lock);
    struct ah_function *function = module->functions;
    module->functions = NULL;
    pthread_mutex_unlock(&function_lock);
    while (function) {
        struct ah_function *next = function->next;
        destroy_function(function);
        function = next;
    }
}

hipError_t ah_module_destroy(struct ah_module *module)
{
    struct ah_device *device = module->handle.device;
    if (!ah_handle_retire(module, AH_HANDLE_MODULE))
        return hipErrorNotFound;
    hipError_t error = device->ops->module_unload(device->native, module->native);
    if (ah_free_failed(error))
        return ah_handle_finish_destroy(module, AH_HANDLE_MODULE, error);
    struct ah_managed *managed = module->managed;
    destroy_functions(module);
    ah_functions_end();
    ah_module_ends(module);
    ah_managed_destroy(device, managed);
    return ah_handle_finish_destroy(module, AH_HANDLE_MODULE, error);
}

static struct ah_function *known_function(const struct ah_module *module, const char *name)
{
    struct ah_function *function = module->functions;
    while (function && strcmp(function->name, name) != 0)
        function = function->next;
    return function;
}

static struct ah_function *find_function(const struct ah_module *module, const char *name)
{
    pthread_mutex_lock(&function_lock);
    struct ah_function *function = known_function(module, name);
    pthread_mutex_unlock(&function_lock);
    return function;
}

/* Adds a function, unless another thread has added it first, and returns the one in the list. */
static struct ah_function *add_function(struct ah_module *module, struct ah_function *made)
{
    pthread_mutex_lock(&function_lock);
    struct ah_function *known = known_function(module, made->name);
    if (!known) {
        made->module = module;
        made->next = module->functions;
        module->functions = made;
    }
    pthread_mutex_unlock(&function_lock);
    if (known)
        destroy_function(made);
    return known ? known : made;
}

hipError_t ah_module_function(struct ah_module *module, const char *name,
                              struct ah_function **out_function)
{
    struct ah_device *device = module->handle.device;
    struct ah_backend_function *native;
    struct ah_function *made;
    *out_function = find_function(module, name);
    if (*out_function)
        return hipSuccess;
    hipError_t error = device->ops->module_function(device->native, module->native, name, &native);
    if (error != hipSuccess)
        return error;
    char *copy = strdup(name);
    error = copy ? ah_function_create(device, native, copy, &made) : hipErrorOutOfMemory;
    if (error == hipSuccess)
        *out_function = add_function(module, made);
    else
        free(copy);
    return error;
}

hipError_t ah_module_variable(const struct ah_module *module, const char *name, void **out_pointer,
                              size_t *out_size)
{
    const struct ah_device *device = module->handle.device;
    const struct ah_managed *managed = ah_managed_find(module->managed, name);
    if (!managed)
        return device->ops->module_global(device->native, module->native, name, out_pointer,
                                          out_size);
    *out_pointer = managed->memory;
    *out_size = managed->size;
    return hipSuccess;
}

static void release_module(void *handle, void *device)
{
    struct ah_module *module = handle;
    if (module->handle.device == device && ah_handle_retire(handle, AH_HANDLE_MODULE)) {
        destroy_functions(module);
        ah_functions_end();
        ah_module_ends(module);
        ah_managed_release(module->managed);
        ah_handle_destroy(handle);
    }
}

void ah_module_release_device(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_MODULE, release_module, device);
}
