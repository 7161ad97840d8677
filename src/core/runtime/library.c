/* Owns libraries and their kernels. A library's modules are those of code.c. */
#include "library.h"

#include "demangle.h"
#include "error.h"
#include "log.h"
#include "managed.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The thread that sets busy may set module and add it to the library's list. */
struct ah_library_slot {
    bool busy;
    _Atomic(struct ah_module *) module;
};

/* lock guards the slots, modules and kernels of all libraries. No driver is called with it held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER; /* a slot is no longer busy */

/* ---- creation -------------------------------------------------------------------- */

/* Of a file whose tables are false, which no driver loads, the header is enough. */
static size_t copied_size(const struct ah_image *image)
{
    return image->unbounded ? sizeof(Elf64_Ehdr) : image->size;
}

/* Copies what the images point to into one block, each with a NUL after it: PTX has to end. */
static bool copy_images(struct ah_library *library)
{
    enum { ALIGN = 64 };
    struct ah_images *images = &library->images;
    size_t size = 0;
    for (size_t i = 0; i < images->count; i++)
        size += (copied_size(&images->items[i]) + ALIGN) / ALIGN * ALIGN;
    if (images->decompressed) /* a copy already */
        return true;
    unsigned char *at = library->data = aligned_alloc(ALIGN, size ? size : ALIGN);
    if (!at)
        return false;
    for (size_t i = 0; i < images->count; i++) {
        struct ah_image *image = &images->items[i];
        image->size = copied_size(image);
        memcpy(at, image->data, image->size);
        at[image->size] = '\0';
        image->data = at;
        at += (image->size + ALIGN) / ALIGN * ALIGN;
    }
    return true;
}

/* False: no memory. */
static bool open_source(struct ah_library *library, const struct ah_library_source *source)
{
    char reason[AH_IMAGE_ERROR_SIZE];
    errno = 0;
    if (ah_images_open(&library->images, source->data, source->size, reason))
        return source->stays || copy_images(library);
    if (errno == ENOMEM)
        return false;
    library->damage = strdup(reason);
    return library->damage != NULL;
}

/* Whether the option's value is a number, and nothing is written to it. */
static bool is_plain(hipJitOption name)
{
    switch ((int)name) {
    case hipJitOptionWallTime:
    case hipJitOptionInfoLogBuffer:
    case hipJitOptionInfoLogBufferSizeBytes:
    case hipJitOptionErrorLogBuffer:
    case hipJitOptionErrorLogBufferSizeBytes:
    case hipJitOptionGlobalSymbolNames:
    case hipJitOptionGlobalSymbolAddresses:
    case hipJitOptionGlobalSymbolCount:
    case hipJitOptionIRtoISAOptExt:
    case hipJitOptionIRtoISAOptCountExt:
        return false;
    default:
        return true;
    }
}

/* One block holds the values, then the names. */
static bool copy_options(struct ah_library *library, const struct ah_jit_options *options)
{
    if (options->count == 0)
        return true;
    void **values = calloc(options->count, sizeof *values + sizeof(hipJitOption));
    if (!values)
        return false;
    hipJitOption *names = (hipJitOption *)(values + options->count);
    unsigned count = 0;
    for (unsigned i = 0; i < options->count; i++) {
        if (is_plain(options->names[i])) {
            names[count] = options->names[i];
            values[count++] = options->values[i];
        }
    }
    library->options = (struct ah_jit_options){count, names, values};
    return true;
}

static void free_contents(struct ah_library *library)
{
    ah_images_close(&library->images);
    free(library->damage);
    free(library->data);
    free(library->options.values);
    free(library->slots);
}

/* A handle with the contents. With the lock, since resets of devices visit all libraries. */
static struct ah_library *publish(const struct ah_library *made)
{
    enum { AFTER_HANDLE = sizeof made->handle };
    pthread_mutex_lock(&lock);
    struct ah_library *library = ah_handle_create(AH_HANDLE_LIBRARY, NULL);
    if (library)
        memcpy((char *)library + AFTER_HANDLE, (const char *)made + AFTER_HANDLE,
               sizeof *made - AFTER_HANDLE);
    pthread_mutex_unlock(&lock);
    return library;
}

hipError_t ah_library_create(const struct ah_library_source *source,
                             struct ah_library **out_library)
{
    struct ah_library made = {.data = source->owned};
    made.slots = calloc((size_t)ah_registry.device_count + 1, sizeof *made.slots);
    bool good = made.slots && open_source(&made, source) && copy_options(&made, &source->options);
    *out_library = good ? publish(&made) : NULL;
    if (*out_library)
        return hipSuccess;
    free_contents(&made);
    return hipErrorOutOfMemory;
}

/* ---- loading --------------------------------------------------------------------- */

/* While the slot is busy. */
static hipError_t load(struct ah_library *library, struct ah_device *device,
                       const struct ah_jit_options *options, struct ah_module **out_module)
{
    if (library->damage) {
        AH_LOG_ERR("the library cannot be used: %s", library->damage);
        return hipErrorInvalidImage;
    }
    return ah_module_create_from(device, &library->images, options, library->modules, out_module);
}

/* The compiler may write to the values of options. */
static hipError_t load_with_copy(struct ah_library *library, struct ah_device *device,
                                 const struct ah_jit_options *options,
                                 struct ah_module **out_module)
{
    struct ah_jit_options copy = *options;
    copy.values = NULL;
    if (copy.count > 0) {
        copy.values = calloc(copy.count, sizeof *copy.values);
        if (!copy.values)
            return hipErrorOutOfMemory;
        memcpy(copy.values, options->values, copy.count * sizeof *copy.values);
    }
    hipError_t error = load(library, device, &copy, out_module);
    free(copy.values);
    return error;
}

/* Modules of a library are loaded one after the other, so that each finds the managed variables of
 * those before it. Called with the lock. */
static bool is_busy(const struct ah_library *library)
{
    bool busy = false;
    for (int i = 0; i < ah_registry.device_count; i++)
        busy |= library->slots[i].busy;
    return busy;
}

/* Called with the lock, which is released meanwhile. */
static hipError_t fill_slot(struct ah_library *library, struct ah_device *device,
                            const struct ah_jit_options *options)
{
    struct ah_module *module = NULL;
    struct ah_library_slot *slot = &library->slots[device->ordinal];
    while (is_busy(library))
        pthread_cond_wait(&idle, &lock);
    if (atomic_load(&slot->module))
        return hipSuccess;
    slot->busy = true;
    pthread_mutex_unlock(&lock);
    hipError_t error = options == &library->options
                           ? load_with_copy(library, device, options, &module)
                           : load(library, device, options, &module);
    pthread_mutex_lock(&lock);
    if (error == hipSuccess) {
        module->library = library;
        module->older = library->modules;
        library->modules = module;
        atomic_store_explicit(&slot->module, module, memory_order_release);
    }
    slot->busy = false;
    pthread_cond_broadcast(&idle);
    return error;
}

hipError_t ah_library_load(struct ah_library *library, struct ah_device *device,
                           const struct ah_jit_options *options, struct ah_module **out_module)
{
    hipError_t error = hipSuccess;
    struct ah_library_slot *slot = &library->slots[device->ordinal];
    *out_module = atomic_load_explicit(&slot->module, memory_order_acquire);
    if (!*out_module) {
        pthread_mutex_lock(&lock);
        error = fill_slot(library, device, options);
        *out_module = atomic_load(&slot->module);
        pthread_mutex_unlock(&lock);
    }
    return error;
}

hipError_t ah_library_module(struct ah_library *library, struct ah_device *device,
                             struct ah_module **out_module)
{
    return ah_library_load(library, device, &library->options, out_module);
}

/* ---- kernels --------------------------------------------------------------------- */

hipError_t ah_library_function(struct ah_kernel *kernel, struct ah_device *device,
                               struct ah_function **out_function)
{
    struct ah_module *module;
    _Atomic(struct ah_function *) *function = &kernel->functions[device->ordinal];
    *out_function = atomic_load_explicit(function, memory_order_acquire);
    if (*out_function)
        return hipSuccess;
    hipError_t error = ah_library_module(kernel->library, device, &module);
    if (error == hipSuccess)
        error = ah_module_function(module, kernel->name, out_function);
    if (error == hipSuccess)
        atomic_store_explicit(function, *out_function, memory_order_release);
    else if (error == hipErrorNotFound)
        AH_LOG_ERR("the library's code for device %d has no kernel %s", device->ordinal,
                   ah_demangle(kernel->name));
    return error;
}

static void free_kernel(struct ah_kernel *kernel)
{
    free(kernel->name);
    free((void *)kernel->functions);
    ah_handle_destroy(kernel);
}

/* NULL: no memory. */
static struct ah_kernel *make_kernel(struct ah_library *library, const char *name)
{
    struct ah_kernel *kernel = ah_handle_create(AH_HANDLE_KERNEL, NULL);
    if (!kernel)
        return NULL;
    kernel->library = library;
    kernel->name = strdup(name);
    kernel->functions = calloc((size_t)ah_registry.device_count, sizeof *kernel->functions);
    if (kernel->name && kernel->functions)
        return kernel;
    free_kernel(kernel);
    return NULL;
}

/* Called with the lock. */
static struct ah_kernel *known_kernel(const struct ah_library *library, const char *name)
{
    struct ah_kernel *kernel = library->kernels;
    while (kernel && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    return kernel;
}

/* Adds a kernel unless another thread was first, and returns the one in the list. */
static struct ah_kernel *add_kernel(struct ah_library *library, struct ah_kernel *made)
{
    pthread_mutex_lock(&lock);
    struct ah_kernel *known = known_kernel(library, made->name);
    if (!known) {
        made->next = library->kernels;
        library->kernels = made;
    }
    pthread_mutex_unlock(&lock);
    if (known)
        free_kernel(made);
    return known ? known : made;
}

hipError_t ah_library_kernel(struct ah_library *library, struct ah_device *device, const char *name,
                             struct ah_kernel **out_kernel)
{
    struct ah_function *function;
    pthread_mutex_lock(&lock);
    *out_kernel = known_kernel(library, name);
    pthread_mutex_unlock(&lock);
    if (*out_kernel)
        return hipSuccess;
    struct ah_kernel *made = make_kernel(library, name);
    if (!made)
        return hipErrorOutOfMemory;
    hipError_t error = ah_library_function(made, device, &function);
    if (error == hipSuccess)
        *out_kernel = add_kernel(library, made);
    else
        free_kernel(made);
    return error;
}

/* ---- the end --------------------------------------------------------------------- */

/* Makes the library forget what is loaded on a device. Called with the lock. */
static void forget(struct ah_library *library, const struct ah_device *device)
{
    struct ah_library_slot *slot = &library->slots[device->ordinal];
    const struct ah_module *module = atomic_load(&slot->module);
    for (struct ah_module **at = &library->modules; *at; at = &(*at)->older) {
        if (*at == module) {
            *at = module->older;
            break;
        }
    }
    for (struct ah_kernel *kernel = library->kernels; kernel; kernel = kernel->next)
        atomic_store(&kernel->functions[device->ordinal], NULL);
    atomic_store(&slot->module, NULL);
}

/* The newest goes first: it may use managed variables of the others. */
static hipError_t unload(struct ah_library *library)
{
    hipError_t error = hipSuccess;
    while (library->modules) {
        struct ah_module *module = library->modules, *older = module->older;
        const struct ah_device *device = module->handle.device;
        hipError_t now = ah_module_destroy(module);
        if (ah_free_failed(now))
            return now;
        error = error == hipSuccess ? now : error;
        pthread_mutex_lock(&lock);
        library->modules = older;
        forget(library, device);
        pthread_mutex_unlock(&lock);
    }
    return error;
}

static void free_all(struct ah_library *library)
{
    while (library->kernels) {
        struct ah_kernel *kernel = library->kernels;
        library->kernels = kernel->next;
        free_kernel(kernel);
    }
    free_contents(library);
}

hipError_t ah_library_destroy(struct ah_library *library)
{
    if (!ah_handle_retire(library, AH_HANDLE_LIBRARY))
        return hipErrorInvalidResourceHandle;
    hipError_t error = unload(library);
    library->ending = ah_free_failed(error);
    if (!library->ending)
        free_all(library);
    return ah_handle_finish_destroy(library, AH_HANDLE_LIBRARY, error);
}

/* ---- resets of devices ----------------------------------------------------------- */

static void release(void *handle, void *device)
{
    struct ah_library *library = handle;
    pthread_mutex_lock(&lock);
    while (is_busy(library))
        pthread_cond_wait(&idle, &lock);
    forget(library, device);
    bool ended = library->ending && !library->modules;
    pthread_mutex_unlock(&lock);
    if (ended && ah_handle_retire(library, AH_HANDLE_LIBRARY)) {
        free_all(library);
        ah_handle_destroy(library);
    }
}

void ah_library_release_device(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_LIBRARY, release, device);
}

static void reconnect(struct ah_module *module)
{
    if (!module)
        return;
    reconnect(module->older);
    hipError_t error = ah_managed_reconnect(module);
    if (error != hipSuccess)
        AH_LOG_ERR("the managed variables of a library are lost: %s", ah_error_name(error));
}

static void recreate(void *handle, void *device)
{
    struct ah_library *library = handle;
    (void)device;
    reconnect(library->modules);
}

void ah_library_recreate_managed(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_LIBRARY, recreate, device);
}
