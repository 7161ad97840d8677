/* Owns the fat binaries that clang's constructors register, with their kernels
 * and variables: each is taken apart and loaded on a device when a symbol of it
 * is first used there. */
#include "code.h"
#include "demangle.h"
#include "launch_data.h"
#include "library.h"
#include "log.h"
#include "lifetime.h"
#include "managed.h"
#include "pointer_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A variable on one device. */
struct variable {
    void *address;
    size_t size;
};

struct symbol {
    struct symbol *next; /* of the same fat binary */
    struct ah_fatbin *fatbin;
    const void *host;
    enum ah_symbol_kind kind;
    char *name;
    size_t size;
    /* Per device, made on first use; elements of kernels are struct ah_function,
     * of variables struct variable. */
    _Atomic(_Atomic(void *) *) instances;
    /* Managed variables */
    void **managed_pointer;
    struct ah_device *managed_device; /* whose driver allocated it, NULL: plain host memory */
    bool managed_lost;                /* with that device's reset */
    const void *first_value;          /* in the program; NULL: none */
    unsigned align;
};

/* The binary on one device. The thread that sets busy may access the rest, and call the driver for
 * it, without the lock. */
struct loaded {
    bool busy;
    struct ah_backend_module *module;
    hipError_t error; /* of the last attempt, which is not repeated */
    bool tried;
};

struct ah_fatbin {
    struct ah_fatbin *next;
    uint64_t number; /* > 0 */
    const void *data;
    struct symbol *symbols;
    pthread_mutex_t opening; /* guards the three below */
    struct ah_images images;
    bool opened, damaged;
    struct loaded *loaded; /* per device */
};

/* lock guards everything here and by_host but for lookups there; no driver is called with it held,
 * since drivers may wait for the device when they load code. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t idle; /* something is no longer busy */
    struct ah_fatbin *fatbins;
} registered = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};
AH_LAUNCH_DATA static struct ah_pointer_map by_host;

static struct symbol *symbol_at(const void *host)
{
    return host ? ah_pointer_map_get(&by_host, host) : NULL;
}

/* ---- loading ------------------------------------------------------------ */

/* Waits until no other thread works on the binary on this device. The caller holds the lock.
 * NULL: no memory. */
static struct loaded *begin_work(struct ah_fatbin *fatbin, const struct ah_device *device)
{
    if (!fatbin->loaded)
        fatbin->loaded = calloc((size_t)ah_registry.device_count, sizeof *fatbin->loaded);
    if (!fatbin->loaded)
        return NULL;
    struct loaded *loaded = &fatbin->loaded[device->ordinal];
    while (loaded->busy)
        pthread_cond_wait(&registered.idle, &registered.lock);
    loaded->busy = true;
    return loaded;
}

/* The caller holds the lock. */
static void end_work(struct loaded *loaded)
{
    loaded->busy = false;
    pthread_cond_broadcast(&registered.idle);
}

static hipError_t open_fatbin(struct ah_fatbin *fatbin)
{
    char reason[AH_IMAGE_ERROR_SIZE];
    pthread_mutex_lock(&fatbin->opening);
    hipError_t error = hipSuccess;
    if (!fatbin->opened) {
        errno = 0;
        fatbin->damaged = !ah_images_open(&fatbin->images, fatbin->data, SIZE_MAX, reason);
        fatbin->opened = !fatbin->damaged || errno != ENOMEM; /* otherwise it is tried again */
        if (fatbin->damaged)
            AH_LOG_ERR("the program's fat binary cannot be read: %s", reason);
    }
    if (fatbin->damaged)
        error = fatbin->opened ? hipErrorInvalidImage : hipErrorOutOfMemory;
    pthread_mutex_unlock(&fatbin->opening);
    return error;
}

static bool is_nvidias(const struct ah_image *image)
{
    return image->kind == AH_IMAGE_CUBIN || image->kind == AH_IMAGE_PTX ||
           image->kind == AH_IMAGE_CUDA_FATBIN;
}

static void add_processor(struct ah_program_code *code, const char *name)
{
    for (size_t i = 0; i < code->processor_count; i++)
        if (strcmp(code->processors[i], name) == 0)
            return;
    if (code->processor_count < sizeof code->processors / sizeof *code->processors)
        snprintf(code->processors[code->processor_count++], sizeof *code->processors, "%s", name);
}

void ah_fatbin_survey(struct ah_program_code *out_code)
{
    *out_code = (struct ah_program_code){.nvidia = true, .amd = true};
    pthread_mutex_lock(&registered.lock);
    for (struct ah_fatbin *fatbin = registered.fatbins; fatbin; fatbin = fatbin->next) {
        bool nvidia = false, amd = false;
        if (open_fatbin(fatbin) != hipSuccess)
            continue;
        for (size_t i = 0; i < fatbin->images.count; i++) {
            const struct ah_image *image = &fatbin->images.items[i];
            nvidia |= is_nvidias(image);
            if (image->kind == AH_IMAGE_AMDGPU) {
                amd = true;
                add_processor(out_code, image->processor);
            }
        }
        out_code->any = true;
        out_code->nvidia &= nvidia;
        out_code->amd &= amd;
    }
    pthread_mutex_unlock(&registered.lock);
}

/* Device code accesses a managed variable through a pointer of the same name. */
static hipError_t link_managed(struct ah_device *device, struct ah_backend_module *module,
                               const struct symbol *symbol)
{
    void *address;
    size_t size;
    hipError_t error =
        device->ops->module_global(device->native, module, symbol->name, &address, &size);
    if (error == hipErrorNotFound) /* this binary's code for this device does not use it */
        return hipSuccess;
    if (error != hipSuccess)
        return error;
    if (!symbol->managed_device || symbol->managed_device->driver != device->driver) {
        AH_LOG_ERR("managed variable %s belongs to %s and cannot be reached from device %d",
                   symbol->name,
                   symbol->managed_device ? symbol->managed_device->driver->name : "the host",
                   device->ordinal);
        return hipErrorNotSupported;
    }
    return ah_managed_write(device, address, symbol->managed_pointer,
                            sizeof *symbol->managed_pointer);
}

/* Set when the process ends. Fat binaries then stay loaded: unloading one would wait for its
 * kernels, which may never end, and other threads still use it. */
static _Atomic(bool) exiting;
/* Fat binaries are numbered in the order of their registration. exit() calls mark_exit before it
 * unregisters those with numbers up to this. */
static _Atomic(uint64_t) last_number, covered_number;

static void mark_exit(void)
{
    atomic_store(&exiting, true);
}

/* exit() calls handlers in reverse order. clang's constructor registers the destructor of a fat
 * binary together with the fat binary, so a handler that is registered before code is first loaded
 * runs earlier, by which the destructor knows that this is exit and not dlclose. */
static void register_exit_handler(const struct ah_fatbin *fatbin)
{
    uint64_t covered = atomic_load(&covered_number);
    while (covered < fatbin->number &&
           !atomic_compare_exchange_weak(&covered_number, &covered, fatbin->number))
        ;
    if (covered < fatbin->number)
        (void)atexit(mark_exit);
}

static hipError_t load_on(struct ah_fatbin *fatbin, struct ah_device *device,
                          struct ah_backend_module **out_module)
{
    register_exit_handler(fatbin);
    hipError_t error = open_fatbin(fatbin);
    if (error == hipSuccess)
        error = ah_code_load(device, &fatbin->images, 0, NULL, NULL, out_module, NULL);
    for (struct symbol *symbol = fatbin->symbols; symbol && error == hipSuccess;
         symbol = symbol->next)
        if (symbol->kind == AH_SYMBOL_MANAGED)
            error = link_managed(device, *out_module, symbol);
    if (error != hipSuccess && *out_module) {
        device->ops->module_unload(device->native, *out_module);
        *out_module = NULL;
    }
    return error;
}

/* Whether another attempt would end the same way. */
static bool is_final(hipError_t error)
{
    return error == hipErrorNoBinaryForGpu || error == hipErrorInvalidImage ||
           error == hipErrorInvalidKernelFile || error == hipErrorNotSupported;
}

/* While it is busy. */
static hipError_t load_once(struct ah_fatbin *fatbin, struct ah_device *device,
                            struct loaded *loaded)
{
    if (!loaded->tried) {
        loaded->error = load_on(fatbin, device, &loaded->module);
        loaded->tried = loaded->error == hipSuccess || is_final(loaded->error);
    }
    return loaded->error;
}

/* ---- symbols ------------------------------------------------------------ */

static hipError_t make_kernel(struct symbol *symbol, struct ah_device *device,
                              struct ah_backend_module *module, void **out)
{
    struct ah_backend_function *native;
    struct ah_function *function;
    hipError_t error = device->ops->module_function(device->native, module, symbol->name, &native);
    if (error == hipErrorNotFound) {
        AH_LOG_ERR("kernel %s is not in the code for device %d", ah_demangle(symbol->name),
                   device->ordinal);
        return hipErrorInvalidDeviceFunction;
    }
    if (error == hipSuccess)
        error = ah_function_create(device, native, symbol->name, &function);
    if (error == hipSuccess) {
        function->host = symbol->host;
        *out = function;
    }
    return error;
}

static hipError_t make_variable(struct symbol *symbol, struct ah_device *device,
                                struct ah_backend_module *module, void **out)
{
    struct variable *variable = malloc(sizeof *variable);
    if (!variable)
        return hipErrorOutOfMemory;
    hipError_t error = device->ops->module_global(device->native, module, symbol->name,
                                                  &variable->address, &variable->size);
    if (error == hipSuccess) {
        *out = variable;
        return hipSuccess;
    }
    free(variable);
    if (error != hipErrorNotFound)
        return error;
    AH_LOG_ERR("variable %s is not in the code for device %d", symbol->name, device->ordinal);
    return hipErrorInvalidSymbol;
}

/* The list of the symbol's instances; with the lock. NULL: out of memory. */
static _Atomic(void *) *instances_of(struct symbol *symbol)
{
    _Atomic(void *) *instances = atomic_load(&symbol->instances);
    if (!instances) {
        instances = calloc((size_t)ah_registry.device_count, sizeof *instances);
        atomic_store_explicit(&symbol->instances, instances, memory_order_release);
    }
    return instances;
}

/* While it is busy. */
static hipError_t make_instance(struct symbol *symbol, struct ah_device *device,
                                struct loaded *loaded, void **out)
{
    hipError_t error = load_once(symbol->fatbin, device, loaded);
    if (error != hipSuccess)
        return error;
    return symbol->kind == AH_SYMBOL_KERNEL ? make_kernel(symbol, device, loaded->module, out)
                                            : make_variable(symbol, device, loaded->module, out);
}

/* The slow half of instance_on; the caller holds the lock, which is released meanwhile. */
static hipError_t find_instance(struct symbol *symbol, struct ah_device *device, void **out)
{
    hipError_t error = hipSuccess;
    _Atomic(void *) *instances = instances_of(symbol);
    struct loaded *loaded = instances ? begin_work(symbol->fatbin, device) : NULL;
    if (!loaded)
        return hipErrorOutOfMemory;
    *out = atomic_load(&instances[device->ordinal]);
    if (!*out) {
        pthread_mutex_unlock(&registered.lock);
        error = make_instance(symbol, device, loaded, out);
        pthread_mutex_lock(&registered.lock);
        if (error == hipSuccess)
            atomic_store_explicit(&instances[device->ordinal], *out, memory_order_release);
    }
    end_work(loaded);
    return error;
}

/* NULL: not created yet. */
static inline void *ready_instance(struct symbol *symbol, const struct ah_device *device)
{
    _Atomic(void *) *instances = atomic_load_explicit(&symbol->instances, memory_order_acquire);
    return instances ? atomic_load_explicit(&instances[device->ordinal], memory_order_acquire)
                     : NULL;
}

static hipError_t instance_on(struct symbol *symbol, struct ah_device *device, void **out)
{
    *out = ready_instance(symbol, device);
    if (*out)
        return hipSuccess;
    pthread_mutex_lock(&registered.lock);
    hipError_t error = find_instance(symbol, device, out);
    pthread_mutex_unlock(&registered.lock);
    return error;
}

hipError_t ah_kernel_function(const void *host, struct ah_device *device,
                              struct ah_function **out_function)
{
    void *instance;
    struct symbol *symbol = symbol_at(host);
    if (!symbol || symbol->kind != AH_SYMBOL_KERNEL) {
        AH_LOG_ERR("%p is not the address of a kernel of this program", host);
        return hipErrorInvalidDeviceFunction;
    }
    hipError_t error = instance_on(symbol, device, &instance);
    if (error == hipSuccess)
        *out_function = instance;
    return error;
}

/* Needs no stack frame: the other function does everything that is not ready yet. */
AH_LAUNCH_CODE __attribute__((no_stack_protector)) struct ah_function *
ah_kernel_ready(const void *host, const struct ah_device *device)
{
    struct symbol *symbol = symbol_at(host);
    return symbol && symbol->kind == AH_SYMBOL_KERNEL ? ready_instance(symbol, device) : NULL;
}

hipError_t ah_function_of_any(const void *value, struct ah_device *device,
                              struct ah_function **out_function)
{
    if (ah_handle_is(value, AH_HANDLE_FUNCTION)) {
        *out_function = (struct ah_function *)(uintptr_t)value;
        return hipSuccess;
    }
    if (ah_handle_is(value, AH_HANDLE_KERNEL))
        return ah_library_function((struct ah_kernel *)(uintptr_t)value, device, out_function);
    return ah_kernel_function(value, device, out_function);
}

hipError_t ah_variable_address(const void *host, struct ah_device *device, void **out_address,
                               size_t *out_size)
{
    void *instance;
    struct symbol *symbol = symbol_at(host);
    if (!symbol || symbol->kind == AH_SYMBOL_KERNEL || symbol->kind == AH_SYMBOL_SURFACE) {
        AH_LOG_ERR("%p is not the address of a device variable of this program", host);
        return hipErrorInvalidSymbol;
    }
    if (symbol->kind == AH_SYMBOL_MANAGED) {
        *out_address = *symbol->managed_pointer;
        *out_size = symbol->size;
        return hipSuccess;
    }
    hipError_t error = instance_on(symbol, device, &instance);
    if (error == hipSuccess) {
        const struct variable *variable = instance;
        *out_address = variable->address;
        *out_size = variable->size;
    }
    return error;
}

bool ah_is_variable(const void *host)
{
    const struct symbol *symbol = symbol_at(host);
    return symbol && (symbol->kind == AH_SYMBOL_VARIABLE || symbol->kind == AH_SYMBOL_CONSTANT ||
                      symbol->kind == AH_SYMBOL_MANAGED);
}

bool ah_is_texture_reference(const void *host)
{
    const struct symbol *symbol = symbol_at(host);
    return symbol && symbol->kind == AH_SYMBOL_TEXTURE;
}

const char *ah_kernel_name(const void *host)
{
    const struct symbol *symbol = symbol_at(host);
    return symbol && symbol->kind == AH_SYMBOL_KERNEL ? symbol->name : NULL;
}

size_t ah_kernel_constants(const void *host)
{
    size_t bytes = 0;
    pthread_mutex_lock(&registered.lock);
    const struct symbol *kernel = symbol_at(host);
    for (const struct symbol *symbol = kernel ? kernel->fatbin->symbols : NULL; symbol;
         symbol = symbol->next)
        if (symbol->kind == AH_SYMBOL_CONSTANT)
            bytes += symbol->size;
    pthread_mutex_unlock(&registered.lock);
    return bytes;
}

/* ---- release --------------------------------------------------------- */

static void free_instance(struct symbol *symbol, void *instance)
{
    if (symbol->kind == AH_SYMBOL_KERNEL)
        ah_function_destroy(instance);
    else
        free(instance);
}

/* The caller holds the lock. */
static bool is_busy(const struct ah_fatbin *fatbin, int ordinal)
{
    return fatbin->loaded && fatbin->loaded[ordinal].busy;
}

/* Waits until no thread works on any binary on the device. The caller holds the lock. */
static void wait_for_device(const struct ah_device *device)
{
    const struct ah_fatbin *fatbin = registered.fatbins;
    while (fatbin) { /* the list may change while this waits */
        bool busy = is_busy(fatbin, device->ordinal);
        if (busy)
            pthread_cond_wait(&registered.idle, &registered.lock);
        fatbin = busy ? registered.fatbins : fatbin->next;
    }
}

void ah_fatbin_release_device(struct ah_device *device)
{
    pthread_mutex_lock(&registered.lock);
    wait_for_device(device);
    for (struct ah_fatbin *fatbin = registered.fatbins; fatbin; fatbin = fatbin->next) {
        for (struct symbol *symbol = fatbin->symbols; symbol; symbol = symbol->next) {
            _Atomic(void *) *instances = atomic_load(&symbol->instances);
            if (instances)
                free_instance(symbol, atomic_exchange(&instances[device->ordinal], NULL));
            symbol->managed_lost |=
                symbol->kind == AH_SYMBOL_MANAGED && symbol->managed_device == device;
        }
        if (fatbin->loaded)
            fatbin->loaded[device->ordinal] = (struct loaded){0};
    }
    pthread_mutex_unlock(&registered.lock);
}

static void free_symbol(struct symbol *symbol)
{
    _Atomic(void *) *instances = atomic_load(&symbol->instances);
    for (int i = 0; instances && i < ah_registry.device_count; i++)
        free_instance(symbol, atomic_load(&instances[i]));
    if (symbol->kind == AH_SYMBOL_MANAGED && symbol->managed_device)
        ah_managed_free(symbol->managed_device, *symbol->managed_pointer);
    else if (symbol->kind == AH_SYMBOL_MANAGED)
        free(*symbol->managed_pointer);
    free((void *)instances);
    free(symbol->name);
    free(symbol);
}

static void free_fatbin(struct ah_fatbin *fatbin)
{
    for (int i = 0; fatbin->loaded && i < ah_registry.device_count; i++) {
        struct ah_device *device = &ah_registry.devices[i];
        if (fatbin->loaded[i].module)
            device->ops->module_unload(device->native, fatbin->loaded[i].module);
    }
    while (fatbin->symbols) {
        struct symbol *symbol = fatbin->symbols;
        fatbin->symbols = symbol->next;
        free_symbol(symbol);
    }
    ah_images_close(&fatbin->images);
    pthread_mutex_destroy(&fatbin->opening);
    free(fatbin->loaded);
    free(fatbin);
}

/* ---- registration --------------------------------------------------------- */

struct ah_fatbin *ah_fatbin_register(const void *binary)
{
    struct ah_fatbin *fatbin = calloc(1, sizeof *fatbin);
    if (!fatbin)
        return NULL;
    fatbin->data = binary;
    fatbin->number = atomic_fetch_add(&last_number, 1) + 1;
    pthread_mutex_init(&fatbin->opening, NULL);
    pthread_mutex_lock(&registered.lock);
    fatbin->next = registered.fatbins;
    registered.fatbins = fatbin;
    pthread_mutex_unlock(&registered.lock);
    return fatbin;
}

/* Adds a copy of prepared under a name; NULL when its host address is registered
 * already, or without memory. */
static struct symbol *add_symbol(struct ah_fatbin *fatbin, const char *name,
                                 const struct symbol *prepared)
{
    if (!fatbin || !prepared->host || !name)
        return NULL;
    struct symbol *symbol = malloc(sizeof *symbol);
    char *copy = strdup(name);
    if (!symbol || !copy) {
        free(symbol);
        free(copy);
        return NULL;
    }
    memcpy(symbol, prepared, sizeof *symbol);
    symbol->fatbin = fatbin;
    symbol->name = copy;
    pthread_mutex_lock(&registered.lock);
    bool added = !symbol_at(symbol->host) && ah_pointer_map_put(&by_host, symbol->host, symbol);
    if (added) {
        symbol->next = fatbin->symbols;
        fatbin->symbols = symbol;
    }
    pthread_mutex_unlock(&registered.lock);
    if (added)
        return symbol;
    free(copy);
    free(symbol);
    return NULL;
}

void ah_fatbin_add(struct ah_fatbin *fatbin, enum ah_symbol_kind kind, const void *host,
                   const char *name, size_t size)
{
    add_symbol(fatbin, name, &(struct symbol){.kind = kind, .host = host, .size = size});
}

/* Host code may use the variable before the first HIP call, so its memory is made
 * now. */
static void *managed_memory(size_t size, unsigned align, struct ah_device **out_device)
{
    void *memory = NULL;
    struct ah_device *device = ah_device_at(0);
    *out_device = NULL;
    if (device && ah_managed_alloc(device, size, &memory) == hipSuccess) {
        *out_device = device;
        return memory;
    }
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) != 0)
        return NULL;
    return memory;
}

/* Allocates the variable's memory and stores its address where host code reads it. */
static void *make_managed(struct symbol *symbol)
{
    void *memory =
        managed_memory(symbol->size ? symbol->size : 1, symbol->align, &symbol->managed_device);
    if (memory && symbol->first_value)
        memcpy(memory, symbol->first_value, symbol->size);
    *symbol->managed_pointer = memory;
    return memory;
}

void ah_fatbin_add_managed(struct ah_fatbin *fatbin, const char *name,
                           const struct ah_managed_variable *variable)
{
    struct symbol *symbol = add_symbol(fatbin, name,
                                       &(struct symbol){
                                           .kind = AH_SYMBOL_MANAGED,
                                           .host = variable->pointer,
                                           .size = variable->size,
                                           .managed_pointer = variable->pointer,
                                           .first_value = variable->first_value,
                                           .align = variable->align,
                                       });
    void *memory = symbol ? make_managed(symbol) : NULL;
    if (!memory)
        return;
    pthread_mutex_lock(&registered.lock); /* in C++ the variable's name means its memory */
    ah_pointer_map_put(&by_host, memory, symbol);
    pthread_mutex_unlock(&registered.lock);
}

/* Writes the variable's new address into code that is loaded on a device. The caller holds the
 * lock, which is released meanwhile. */
static void relink_managed(struct symbol *symbol, struct ah_device *device)
{
    struct loaded *loaded = begin_work(symbol->fatbin, device);
    if (!loaded)
        return;
    pthread_mutex_unlock(&registered.lock);
    if (loaded->module)
        link_managed(device, loaded->module, symbol);
    pthread_mutex_lock(&registered.lock);
    end_work(loaded);
}

/* As above; the variable's own device, which has no code any more, is busy. */
static void recreate_managed(struct symbol *symbol)
{
    const struct ah_device *owner = symbol->managed_device;
    symbol->managed_lost = false;
    if (*symbol->managed_pointer)
        ah_pointer_map_remove(&by_host, *symbol->managed_pointer);
    pthread_mutex_unlock(&registered.lock);
    void *memory = make_managed(symbol);
    pthread_mutex_lock(&registered.lock);
    if (memory)
        ah_pointer_map_put(&by_host, memory, symbol);
    for (int i = 0; i < ah_registry.device_count; i++)
        if (&ah_registry.devices[i] != owner)
            relink_managed(symbol, &ah_registry.devices[i]);
}

/* The caller holds the lock. */
static struct symbol *lost_symbol(const struct ah_device *device)
{
    for (struct ah_fatbin *fatbin = registered.fatbins; fatbin; fatbin = fatbin->next)
        for (struct symbol *symbol = fatbin->symbols; symbol; symbol = symbol->next)
            if (symbol->managed_lost && symbol->managed_device == device)
                return symbol;
    return NULL;
}

void ah_fatbin_recreate_managed(struct ah_device *device)
{
    struct symbol *symbol;
    pthread_mutex_lock(&registered.lock);
    while ((symbol = lost_symbol(device))) {
        struct loaded *loaded = begin_work(symbol->fatbin, device);
        if (!loaded)
            break;
        if (symbol->managed_lost)
            recreate_managed(symbol);
        end_work(loaded);
    }
    pthread_mutex_unlock(&registered.lock);
}

/* Whether any thread works on a registered binary. The caller holds the lock. */
static bool is_in_use(const void *value)
{
    const struct ah_fatbin *fatbin = registered.fatbins;
    bool busy = false;
    while (fatbin && fatbin != value)
        fatbin = fatbin->next;
    for (int i = 0; fatbin && i < ah_registry.device_count; i++)
        busy |= is_busy(fatbin, i);
    return busy;
}

/* Removes the binary and its symbols from the lists. The caller holds the lock. */
static struct ah_fatbin *take_fatbin(const void *value)
{
    struct ah_fatbin **link = &registered.fatbins;
    while (*link && *link != value)
        link = &(*link)->next;
    struct ah_fatbin *fatbin = *link;
    if (!fatbin)
        return NULL;
    *link = fatbin->next;
    for (const struct symbol *symbol = fatbin->symbols; symbol; symbol = symbol->next) {
        ah_pointer_map_remove(&by_host, symbol->host);
        if (symbol->kind == AH_SYMBOL_MANAGED && *symbol->managed_pointer)
            ah_pointer_map_remove(&by_host, *symbol->managed_pointer);
    }
    return fatbin;
}

void ah_fatbin_unregister(struct ah_fatbin *fatbin)
{
    if (atomic_load(&exiting))
        return;
    pthread_mutex_lock(&registered.lock);
    while (is_in_use(fatbin))
        pthread_cond_wait(&registered.idle, &registered.lock);
    fatbin = take_fatbin(fatbin);
    pthread_mutex_unlock(&registered.lock);
    if (!fatbin)
        return;
    free_fatbin(fatbin);
    ah_functions_end();
}
