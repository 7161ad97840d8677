/* The memory of managed variables, and the managed variables of modules (hipModuleLoad). The
 * program's own are registered by its host code and belong to fatbin.c. */
#ifndef AH_MANAGED_H
#define AH_MANAGED_H

#include "image.h"
#include "registry.h"

/* Memory of a managed variable, which the application may query but not free. */
hipError_t ah_managed_alloc(struct ah_device *device, size_t size, void **out_memory);
void ah_managed_free(struct ah_device *device, void *memory);

/* Writes the initial value of a variable or its pointer. Returns when it is written, without
 * waiting for running kernels. */
hipError_t ah_managed_write(struct ah_device *device, void *dst, const void *src, size_t size);

struct ah_managed {
    struct ah_managed *next;
    char *name;
    void *memory;  /* shared by host and device */
    size_t size;   /* bytes */
    bool borrowed; /* the memory is another module's, of the same library */
};

struct ah_module;

/* Gives each managed variable that the image defines its memory, with its first value, in the
 * module that was loaded from it. Where `shared` or an older module of the same library has memory
 * for the variable that this device's driver made, it is that. *out_list is NULL after an error. */
hipError_t ah_managed_connect(struct ah_device *device, struct ah_backend_module *module,
                              const struct ah_image *image, const struct ah_module *shared,
                              struct ah_managed **out_list);

/* Gives the borrowed variables of a library's module memory again, after a reset of the device that
 * owned it. The library's older modules come first. */
hipError_t ah_managed_reconnect(struct ah_module *module);

/* NULL: the list has no variable of that name. */
const struct ah_managed *ah_managed_find(const struct ah_managed *list, const char *name);

/* Frees the list and its memory. */
void ah_managed_destroy(struct ah_device *device, struct ah_managed *list);

/* Frees the list after a reset of the device has freed the variables' memory. */
void ah_managed_release(struct ah_managed *list);

#endif
