/* Owns the managed variables of modules. For `x` clang makes two variables on the device: `x`,
 * a pointer that device code goes through, and `x.managed`, which holds the first value. */
#include "managed.h"
#include "code.h"
#include "error.h"
#include "log.h"
#include "memory.h"
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_one(struct ah_managed *managed)
{
    free(managed->name);
    free(managed);
}

hipError_t ah_managed_alloc(struct ah_device *device, size_t size, void **out_memory)
{
    hipError_t error =
        device->ops->managed_alloc(device->native, size, hipMemAttachGlobal, out_memory);
    if (error != hipSuccess)
        return error;
    error = ah_memory_register(&(struct ah_allocation){
        .range = {.start = (uintptr_t)*out_memory, .size = size},
        .device = device,
        .kind = AH_MEMORY_MANAGED,
        .origin = AH_ORIGIN_STATIC,
        .flags = hipMemAttachGlobal,
    });
    if (error == hipSuccess)
        return hipSuccess;
    device->ops->memory_free(device->native, *out_memory);
    return hipErrorOutOfMemory;
}

void ah_managed_free(struct ah_device *device, void *memory)
{
    struct ah_allocation allocation;
    ah_memory_unregister(memory, &allocation);
    device->ops->memory_free(device->native, memory);
}

hipError_t ah_managed_write(struct ah_device *device, void *dst, const void *src, size_t size)
{
    struct ah_backend_stream *stream;
    hipError_t error = device->ops->stream_create(device->native, hipStreamNonBlocking, 0, &stream);
    if (error != hipSuccess)
        return error;
    error = device->ops->copy_async(device->native, dst, src, size, stream);
    if (error == hipSuccess)
        error = device->ops->stream_synchronize(device->native, stream);
    hipError_t end = device->ops->stream_destroy(device->native, stream);
    return error == hipSuccess ? end : error;
}

/* The variable's pointer and first value on the device. hipErrorNotFound: device code does not
 * contain the variable. */
struct pieces {
    void *pointer, *first;
};

static hipError_t find_pieces(struct ah_device *device, struct ah_backend_module *module,
                              struct ah_managed *managed, struct pieces *out)
{
    size_t pointer_size;
    char *companion;
    if (asprintf(&companion, "%s.managed", managed->name) < 0)
        return hipErrorOutOfMemory;
    hipError_t error =
        device->ops->module_global(device->native, module, companion, &out->first, &managed->size);
    free(companion);
    if (error == hipSuccess)
        error = device->ops->module_global(device->native, module, managed->name, &out->pointer,
                                           &pointer_size);
    return error == hipSuccess && pointer_size != sizeof managed->memory ? hipErrorNotFound : error;
}

/* The variable in a module or an older one of its library, on a device of the same driver. */
static const struct ah_managed *find_shared(const struct ah_module *module, const char *name,
                                            const struct ah_device *device)
{
    const struct ah_managed *managed = NULL;
    for (; module && !managed; module = module->older)
        if (module->handle.device->driver == device->driver)
            managed = ah_managed_find(module->managed, name);
    return managed;
}

static hipError_t borrow(const struct ah_device *device, struct ah_managed *managed,
                         const struct ah_managed *shared)
{
    if (shared->size != managed->size) {
        AH_LOG_ERR("managed variable %s has %zu bytes on device %d and %zu on another one",
                   managed->name, managed->size, device->ordinal, shared->size);
        return hipErrorInvalidImage;
    }
    managed->memory = shared->memory;
    managed->borrowed = true;
    return hipSuccess;
}

static hipError_t make_memory(struct ah_device *device, struct ah_managed *managed,
                              const void *first)
{
    managed->borrowed = false;
    hipError_t error = ah_managed_alloc(device, managed->size, &managed->memory);
    if (error != hipSuccess)
        return error;
    error = ah_managed_write(device, managed->memory, first, managed->size);
    if (error != hipSuccess)
        ah_managed_free(device, managed->memory);
    return error;
}

static hipError_t connect(struct ah_device *device, struct ah_backend_module *module,
                          const struct ah_module *shared, struct ah_managed *managed)
{
    struct pieces pieces;
    hipError_t error = find_pieces(device, module, managed, &pieces);
    if (error != hipSuccess)
        return error;
    const struct ah_managed *there = find_shared(shared, managed->name, device);
    error = there ? borrow(device, managed, there) : make_memory(device, managed, pieces.first);
    if (error != hipSuccess)
        return error;
    error = ah_managed_write(device, pieces.pointer, &managed->memory, sizeof managed->memory);
    if (error != hipSuccess && !managed->borrowed)
        ah_managed_free(device, managed->memory);
    return error;
}

static hipError_t add(struct ah_device *device, struct ah_backend_module *module,
                      const struct ah_module *shared, char *name, struct ah_managed **list)
{
    struct ah_managed *managed = calloc(1, sizeof *managed);
    if (!managed) {
        free(name);
        return hipErrorOutOfMemory;
    }
    managed->name = name;
    hipError_t error = connect(device, module, shared, managed);
    if (error == hipSuccess) {
        managed->next = *list;
        *list = managed;
    } else {
        free_one(managed);
    }
    return error == hipErrorNotFound ? hipSuccess : error;
}

hipError_t ah_managed_connect(struct ah_device *device, struct ah_backend_module *module,
                              const struct ah_image *image, const struct ah_module *shared,
                              struct ah_managed **out_list)
{
    struct ah_managed *list = NULL;
    hipError_t error = hipSuccess;
    const char *start;
    size_t at = 0, length;
    while (error == hipSuccess && ah_image_next_managed(image, &at, &start, &length)) {
        char *name = strndup(start, length);
        if (!name)
            error = hipErrorOutOfMemory;
        else if (ah_managed_find(list, name))
            free(name);
        else
            error = add(device, module, shared, name, &list);
    }
    if (error != hipSuccess) {
        AH_LOG_ERR("managed variables of the module: %s", ah_error_name(error));
        ah_managed_destroy(device, list);
        list = NULL;
    }
    *out_list = list;
    return error;
}

hipError_t ah_managed_reconnect(struct ah_module *module)
{
    hipError_t error = hipSuccess;
    for (struct ah_managed *at = module->managed; at && error == hipSuccess; at = at->next)
        if (at->borrowed)
            error = connect(module->handle.device, module->native, module->older, at);
    return error;
}

const struct ah_managed *ah_managed_find(const struct ah_managed *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

void ah_managed_destroy(struct ah_device *device, struct ah_managed *list)
{
    for (struct ah_managed *managed = list; managed; managed = managed->next)
        if (!managed->borrowed)
            ah_managed_free(device, managed->memory);
    ah_managed_release(list);
}

void ah_managed_release(struct ah_managed *list)
{
    while (list) {
        struct ah_managed *next = list->next;
        free_one(list);
        list = next;
    }
}
