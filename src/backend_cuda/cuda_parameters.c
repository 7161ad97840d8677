/* Owns the texts of modules and the parameters of their functions. */
#include "cuda_parameters.h"

#include "ptx_names.h"
#include "ranges.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct function {
    struct ah_range range; /* first: of its handle, one byte */
    struct function *next; /* of the same module */
    struct ah_ptx_parameter *parameters;
    size_t count;
};

struct module {
    struct ah_range range; /* first: of its handle, one byte */
    const struct ah_backend_device *device;
    char *text;
    struct function *functions;
};

/* Handles are unique among devices. */
static struct {
    pthread_mutex_t lock;
    struct ah_ranges modules, functions;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct ah_range range_of(const void *handle)
{
    return (struct ah_range){.start = (uintptr_t)handle, .size = 1};
}

static struct module *module_at(CUmodule module)
{
    return (struct module *)(void *)ah_ranges_find(&known.modules, (uintptr_t)module);
}

static void free_function(struct function *function)
{
    free(function->parameters);
    free(function);
}

/* Under the lock. */
static void remove_module(struct module *module)
{
    while (module->functions) {
        struct function *function = module->functions;
        module->functions = function->next;
        ah_ranges_remove(&known.functions, &function->range);
        free_function(function);
    }
    ah_ranges_remove(&known.modules, &module->range);
    free(module->text);
    free(module);
}

void ahcuda_parameters_keep(const struct ah_backend_device *device, CUmodule handle, char *text)
{
    struct module *module = calloc(1, sizeof *module);
    if (!module) {
        free(text);
        return;
    }
    module->range = range_of(handle);
    module->device = device;
    module->text = text;
    pthread_mutex_lock(&known.lock);
    struct module *old = module_at(handle); /* of a module that ended without a call */
    if (old)
        remove_module(old);
    ah_ranges_insert(&known.modules, &module->range);
    pthread_mutex_unlock(&known.lock);
}

void ahcuda_parameters_forget(const struct ah_backend_device *device, CUmodule handle)
{
    pthread_mutex_lock(&known.lock);
    struct module *module = module_at(handle);
    if (module && module->device == device)
        remove_module(module);
    pthread_mutex_unlock(&known.lock);
}

void ahcuda_parameters_forget_all(const struct ah_backend_device *device)
{
    pthread_mutex_lock(&known.lock);
    struct ah_range *range = ah_ranges_above(&known.modules, 0);
    while (range) {
        uintptr_t start = range->start;
        struct module *module = (struct module *)(void *)range;
        if (module->device == device)
            remove_module(module);
        range = ah_ranges_above(&known.modules, start);
    }
    pthread_mutex_unlock(&known.lock);
}

void ahcuda_parameters_add(CUmodule module_handle, CUfunction handle, const char *name)
{
    pthread_mutex_lock(&known.lock);
    struct module *module = module_at(module_handle);
    bool is_new = module && !ah_ranges_find(&known.functions, (uintptr_t)handle);
    struct function *function = is_new ? calloc(1, sizeof *function) : NULL;
    if (function && ah_ptx_parameters(module->text, strlen(module->text), name,
                                      &function->parameters, &function->count)) {
        function->range = range_of(handle);
        function->next = module->functions;
        module->functions = function;
        ah_ranges_insert(&known.functions, &function->range);
        function = NULL;
    }
    free(function);
    pthread_mutex_unlock(&known.lock);
}

hipError_t ahcuda_parameters_get(CUfunction handle, size_t index,
                                 struct ah_parameter *out_parameter)
{
    hipError_t error = hipErrorNotSupported;
    pthread_mutex_lock(&known.lock);
    const struct function *function =
        (const struct function *)(void *)ah_ranges_find(&known.functions, (uintptr_t)handle);
    if (function)
        error = index < function->count ? hipSuccess : hipErrorInvalidValue;
    if (error == hipSuccess)
        *out_parameter = (struct ah_parameter){function->parameters[index].offset,
                                               function->parameters[index].size};
    pthread_mutex_unlock(&known.lock);
    return error;
}
