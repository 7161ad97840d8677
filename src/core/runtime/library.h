/* Libraries (hipLibrary_t): device code that is bound to no device. It is loaded on a device, as a
 * module of the library, when something of it is first used there. Its kernels (hipKernel_t) have a
 * function on each device that used them.
 *
 * Any thread may use a library, except that nothing may use one while it is destroyed. */
#ifndef AH_LIBRARY_H
#define AH_LIBRARY_H

#include "code.h"
#include "image.h"

struct ah_library_slot; /* a device's part of a library */

struct ah_library {
    struct ah_handle handle; /* of no device */
    struct ah_images images;
    char *damage; /* why the code cannot be read; NULL: it can */
    void *data;   /* what the images point into, where it is the library's own */
    struct ah_jit_options options;
    struct ah_library_slot *slots; /* per device */
    struct ah_module *modules;     /* the last one loaded first, then module->older */
    struct ah_kernel *kernels;     /* looked up so far */
    bool ending;                   /* a device that failed kept it from being destroyed */
};

struct ah_kernel {
    struct ah_handle handle; /* of no device */
    struct ah_library *library;
    struct ah_kernel *next; /* of the same library */
    char *name;
    _Atomic(struct ah_function *) *functions; /* per device; NULL until it is used there */
};

_Static_assert(sizeof(struct ah_library) <= AH_HANDLE_SLOT, "struct ah_library");
_Static_assert(sizeof(struct ah_kernel) <= AH_HANDLE_SLOT, "struct ah_kernel");

struct ah_library_source {
    const void *data;
    size_t size; /* SIZE_MAX: not known */
    bool stays;  /* data stays there as long as the library, and is not copied */
    void *owned; /* memory that becomes the library's, also after an error; or NULL */
    struct ah_jit_options options; /* those that do not name memory of the caller are copied, and
                                      used on every device */
};

/* Reads the source and loads nothing. What cannot be read as device code is an error of the first
 * use. hipErrorOutOfMemory. */
hipError_t ah_library_create(const struct ah_library_source *source,
                             struct ah_library **out_library);

/* Unloads it from all devices, after their work that uses it, and ends its modules, functions and
 * kernels. The driver's error leaves a library that can be destroyed again; if it is not, it ends
 * when the devices that keep it are reset. */
hipError_t ah_library_destroy(struct ah_library *library);

/* The library's module of the device, loaded at the first call. hipErrorInvalidImage: the code
 * cannot be read; errors as those of ah_module_create. */
hipError_t ah_library_module(struct ah_library *library, struct ah_device *device,
                             struct ah_module **out_module);
/* The same for a first call that has other options. */
hipError_t ah_library_load(struct ah_library *library, struct ah_device *device,
                           const struct ah_jit_options *options, struct ah_module **out_module);

/* The kernel of that name, the same object each time. hipErrorNotFound: the code for the device has
 * none; errors as above. */
hipError_t ah_library_kernel(struct ah_library *library, struct ah_device *device, const char *name,
                             struct ah_kernel **out_kernel);

/* The kernel's function on a device. Errors as above. */
hipError_t ah_library_function(struct ah_kernel *kernel, struct ah_device *device,
                               struct ah_function **out_function);

/* Before and after a reset of the device: libraries forget what is loaded there; managed variables
 * whose memory was the device's get other memory where other devices use them. */
void ah_library_release_device(struct ah_device *device);
void ah_library_recreate_managed(struct ah_device *device);

#endif
