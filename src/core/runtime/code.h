/* Device code: choosing an image, modules, functions, and the registered fat
 * binaries of the program with their kernels and variables. */
#ifndef AH_CODE_H
#define AH_CODE_H

#include "handle.h"
#include "registry.h"

/* A kernel on one device: hipFunction_t, and what <<<>>> launches. */
struct ah_function {
    struct ah_handle handle;
    struct ah_backend_function *native;
    const char *name;              /* the fat binary's symbol's, or owned by the module */
    unsigned max_threads;          /* __launch_bounds__, or what registers allow: per block */
    unsigned static_shared;        /* bytes */
    _Atomic(unsigned) max_dynamic; /* dynamic shared memory opted in to so far, bytes */
    struct ah_module *module;      /* NULL: of a fat binary */
    struct ah_function *next;      /* of the same module */
    const void *host;              /* the kernel's host address; NULL: of a module */
    _Atomic(struct ah_parameter_list *) parameters; /* NULL until they are needed; owned */
    _Atomic(unsigned) trace_name; /* the trace file's number for the name; 0: it has none */
};

/* The parameters of a kernel, in the order of its arguments. */
struct ah_parameter_list {
    struct ah_parameter_list *previous, *next; /* of all functions; code.c's */
    unsigned count;
    struct ah_parameter at[];
};

/* Code loaded on one device: hipModule_t. */
struct ah_module {
    struct ah_handle handle;
    struct ah_backend_module *native;
    struct ah_function *functions; /* looked up so far */
    struct ah_managed *managed;
    struct ah_library *library; /* which owns the module; NULL: the application does */
    struct ah_module *older;    /* of the same library, on another device */
};

_Static_assert(sizeof(struct ah_function) <= AH_HANDLE_SLOT, "struct ah_function");
_Static_assert(sizeof(struct ah_module) <= AH_HANDLE_SLOT, "struct ah_module");

/* Options for the driver's compiler, as hipModuleLoadDataEx has them. */
struct ah_jit_options {
    unsigned count;
    const hipJitOption *names;
    void **values;
};

/* Loads the image of images that suits the device best; if the driver refuses it, the next best.
 * Without any: hipErrorNoBinaryForGpu and one log line that lists the images. out_image may be
 * NULL. */
hipError_t ah_code_load(struct ah_device *device, const struct ah_images *images,
                        unsigned option_count, const hipJitOption *options, void **option_values,
                        struct ah_backend_module **out_module, const struct ah_image **out_image);

/* hipModuleLoad*: opens data (size may be SIZE_MAX) and loads it on the device. */
hipError_t ah_module_create(struct ah_device *device, const void *data, size_t size,
                            unsigned option_count, const hipJitOption *options,
                            void **option_values, struct ah_module **out_module);
/* The same from images that are open already; variables are shared as ah_managed_connect says. */
hipError_t ah_module_create_from(struct ah_device *device, const struct ah_images *images,
                                 const struct ah_jit_options *options,
                                 const struct ah_module *shared, struct ah_module **out_module);
hipError_t ah_module_destroy(struct ah_module *module);

/* A function of the module by name, the same object each time. hipErrorNotFound. */
hipError_t ah_module_function(struct ah_module *module, const char *name,
                              struct ah_function **out_function);
/* A variable of the module by name, a managed one included. hipErrorNotFound. */
hipError_t ah_module_variable(const struct ah_module *module, const char *name, void **out_pointer,
                              size_t *out_size);

/* Wraps a driver's function: attributes read, the device's launch limits known. The name is the
 * caller's, and there as long as the function is. */
hipError_t ah_function_create(struct ah_device *device, struct ah_backend_function *native,
                              const char *name, struct ah_function **out_function);
void ah_function_destroy(struct ah_function *function);

/* The list of the driver, which is read once and there as long as the function is. The driver's
 * error; hipErrorOutOfMemory. */
hipError_t ah_function_parameters(struct ah_function *function,
                                  const struct ah_parameter_list **out_list);

/* Opts in to an amount of dynamic shared memory, which becomes the most that launches may ask for
 * (hipFuncSetAttribute); and the same for a launch, which leaves a larger amount as it is. Threads
 * that do so at the same time are serialised. */
hipError_t ah_function_set_dynamic(struct ah_function *function, int bytes);
hipError_t ah_function_raise_dynamic(struct ah_function *function, unsigned bytes);

/* The function of a kernel's host address on a device, loaded if need be.
 * hipErrorInvalidDeviceFunction: nothing was registered at that address. */
hipError_t ah_kernel_function(const void *host, struct ah_device *device,
                              struct ah_function **out_function);

/* That function if it is loaded already, otherwise NULL: the fast path of a launch. */
struct ah_function *ah_kernel_ready(const void *host, const struct ah_device *device);

/* The function of a value that applications pass for one: a hipFunction_t, a hipKernel_t (on the
 * device), or the host address of a kernel. */
hipError_t ah_function_of_any(const void *value, struct ah_device *device,
                              struct ah_function **out_function);

/* Address and size on the device of a variable registered at host.
 * hipErrorInvalidSymbol: there is none. */
hipError_t ah_variable_address(const void *host, struct ah_device *device, void **out_address,
                               size_t *out_size);

/* ---- fat binaries of the program, whose symbols are found by their host addresses -------- */

struct ah_fatbin;
enum ah_symbol_kind {
    AH_SYMBOL_KERNEL,
    AH_SYMBOL_VARIABLE,
    AH_SYMBOL_CONSTANT, /* a variable in constant memory */
    AH_SYMBOL_MANAGED,
    AH_SYMBOL_TEXTURE,
    AH_SYMBOL_SURFACE,
};

struct ah_managed_variable {
    void **pointer;          /* where host code reads the variable's address */
    const void *first_value; /* in the program; NULL: none */
    size_t size;
    unsigned align;
};

/* Lists the contents of the fat binaries registered so far. Calls no driver. */
struct ah_program_code {
    bool any;                /* there is a fat binary that can be read */
    bool nvidia, amd;        /* each of them has code for devices of that vendor */
    char processors[64][24]; /* AMD's in the order of the binaries, each once: "gfx90a" */
    size_t processor_count;
};
void ah_fatbin_survey(struct ah_program_code *out_code);

/* NULL: out of memory. */
struct ah_fatbin *ah_fatbin_register(const void *binary);
/* Does nothing if the fat binary, host address or name is NULL, if there is no memory, or if a
 * symbol is already registered at the address. size: of variables. */
void ah_fatbin_add(struct ah_fatbin *fatbin, enum ah_symbol_kind kind, const void *host,
                   const char *name, size_t size);
/* The library is initialised: the variable gets its memory at once. */
void ah_fatbin_add_managed(struct ah_fatbin *fatbin, const char *name,
                           const struct ah_managed_variable *variable);
/* Waits for running kernels of the binary; does nothing when the process is ending, or if binary is
 * not registered. */
void ah_fatbin_unregister(struct ah_fatbin *fatbin);

/* Whether a device variable of the program is registered at host. */
bool ah_is_variable(const void *host);

/* Whether a texture<> of the program is registered at host. */
bool ah_is_texture_reference(const void *host);

/* Bytes of the constants that are registered with the kernel's fat binary; 0 when nothing is
 * registered at host. */
size_t ah_kernel_constants(const void *host);

/* The device name of the kernel registered at host, NULL when there is none. */
const char *ah_kernel_name(const void *host);

/* Release everything loaded on a device that is about to be reset: modules, and the code of fat
 * binaries, which is loaded again when it is next used. */
void ah_module_release_device(struct ah_device *device);
void ah_fatbin_release_device(struct ah_device *device);

/* After the reset: managed variables, whose memory went with it, get new memory
 * with their first value, since host code may touch them without a HIP call. */
void ah_fatbin_recreate_managed(struct ah_device *device);

#endif
