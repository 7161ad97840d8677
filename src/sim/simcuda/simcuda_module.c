/* Owns modules: images made into kernels and variables. */
#include "simcuda_driver.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- life ------------------------------------------------------------------------ */

static void fini_module(struct simcuda_object *object)
{
    ptx_module_destroy(((struct simcuda_module *)(void *)object)->ptx);
}

/* Destroys functions and variables, which end with the handle. */
static void close_module(struct simcuda_module *module)
{
    while (module->functions) {
        struct simcuda_function *function = module->functions;
        module->functions = function->next;
        simcuda_object_close(&function->object);
    }
    if (module->globals)
        simcuda_memory_free(module->globals);
    module->globals = NULL;
    simcuda_object_close(&module->object);
}

void simcuda_module_close(struct simcuda_object *object)
{
    close_module((struct simcuda_module *)(void *)object);
}

static CUresult place_globals(struct simcuda_module *module)
{
    size_t align, size = ptx_module_size(module->ptx, &align);
    if (size == 0) {
        ptx_module_place(module->ptx, 0);
        return CUDA_SUCCESS;
    }
    CUresult result = simcuda_memory_allocate(module->object.context, NULL, SIMCUDA_GLOBAL, size,
                                              &module->globals);
    if (result != CUDA_SUCCESS)
        return result;
    sim_memory_name(module->globals->sim, "the variables of a module");
    ptx_module_place(module->ptx, module->globals->base);
    ptx_module_initialise(module->ptx, module->globals->sim->view);
    if (sim_memory_tracking)
        sim_memory_wrote(module->globals->base, size);
    return CUDA_SUCCESS;
}

static CUresult add_function(struct simcuda_module *module, const struct ptx_function *kernel)
{
    struct simcuda_function *function =
        simcuda_object_new(SIMCUDA_FUNCTION, sizeof *function, module->object.context);
    if (!function)
        return CUDA_ERROR_OUT_OF_MEMORY;
    unsigned limit = (unsigned)module->object.context->device->shared_per_block;
    function->module = module;
    function->kernel = kernel;
    ptx_kernel_info(kernel, &function->info);
    function->carveout = -1;
    function->max_dynamic =
        limit > function->info.shared_size ? limit - (unsigned)function->info.shared_size : 0;
    function->next = module->functions;
    module->functions = function;
    return CUDA_SUCCESS;
}

static CUresult add_functions(struct simcuda_module *module)
{
    CUresult result = CUDA_SUCCESS;
    for (const struct ptx_function *at = ptx_module_next_kernel(module->ptx, NULL);
         at && result == CUDA_SUCCESS; at = ptx_module_next_kernel(module->ptx, at))
        result = add_function(module, at);
    return result;
}

/* ---- loading ----------------------------------------------------------------------- */

CUresult simcuda_jit_read(struct simcuda_jit *out, unsigned count, const int *options,
                          void **values)
{
    enum { OPTION_END = 40 };
    *out = (struct simcuda_jit){.error_size = NULL};
    if (count > 0 && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        switch (options[i]) {
        case CU_JIT_ERROR_LOG_BUFFER:
            out->error.text = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            out->error.capacity = (uint32_t)(uintptr_t)values[i];
            out->error_size = &values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER:
            out->info.text = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            out->info.capacity = (uint32_t)(uintptr_t)values[i];
            out->info_size = &values[i];
            break;
        default:
            if (options[i] < 0 || options[i] >= OPTION_END)
                return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static void return_log(struct ptx_log *log, void **size)
{
    if (log->text && log->capacity > 0 && log->length == 0)
        *log->text = '\0';
    if (size)
        *size = (void *)(uintptr_t)(log->text ? log->length : 0);
}

void simcuda_jit_return(struct simcuda_jit *jit)
{
    return_log(&jit->error, jit->error_size);
    return_log(&jit->info, jit->info_size);
}

static CUresult result_of(enum ptx_result result)
{
    switch (result) {
    case PTX_OK:
        return CUDA_SUCCESS;
    case PTX_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default: /* the compiler refuses; its log has the reason */
        return CUDA_ERROR_INVALID_PTX;
    }
}

CUresult simcuda_check_header(const struct simcuda_text *text, unsigned sm, struct ptx_log *log)
{
    unsigned version, target;
    if (!simcuda_image_header(text->text, text->size, &version, &target)) {
        simcuda_log_line(log, "error: no .version and .target: this is not PTX");
        return CUDA_ERROR_INVALID_PTX;
    }
    if (version > SIMCUDA_PTX_VERSION) {
        simcuda_log_line(log, "error: PTX %u.%u is newer than the driver, which reads up to %u.%u",
                         version / 10, version % 10, SIMCUDA_PTX_VERSION / 10,
                         SIMCUDA_PTX_VERSION % 10);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (target > sm) {
        simcuda_log_line(log, "error: the PTX is for sm_%u, the device is sm_%u", target, sm);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return CUDA_SUCCESS;
}

/* Without the lock: translation takes time. */
static CUresult translate(const struct simcuda_text *text, unsigned sm, struct ptx_log *log,
                          struct ptx_module **out)
{
    CUresult result = simcuda_check_header(text, sm, log);
    return result == CUDA_SUCCESS
               ? result_of(ptx_module_load(text->text, text->size, sm, log, out))
               : result;
}

static CUresult read_image(const void *image, unsigned sm, struct ptx_log *log,
                           struct ptx_module **out)
{
    struct simcuda_text text = {.text = NULL};
    CUresult result = simcuda_image_text(image, sm, &text, log);
    if (result == CUDA_SUCCESS)
        result = translate(&text, sm, log, out);
    free(text.owned);
    return result;
}

static CUresult make_module(CUmodule *out, struct simcuda_context *context, struct ptx_module *ptx)
{
    struct simcuda_module *module = simcuda_object_new(SIMCUDA_MODULE, sizeof *module, context);
    if (!module) {
        ptx_module_destroy(ptx);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    module->object.fini = fini_module;
    module->ptx = ptx;
    CUresult result = place_globals(module);
    if (result == CUDA_SUCCESS)
        result = add_functions(module);
    if (result != CUDA_SUCCESS) {
        close_module(module);
        return result;
    }
    *out = (CUmodule)(uintptr_t)module->object.handle;
    return CUDA_SUCCESS;
}

static CUresult load(CUmodule *out, const void *image, unsigned count, const int *names,
                     void **values)
{
    char text[1024] = "";
    struct simcuda_context *context;
    struct simcuda_jit options;
    struct ptx_module *ptx = NULL;
    CUresult result = simcuda_current(&context);
    if (result == CUDA_SUCCESS && (!out || !image))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = simcuda_jit_read(&options, count, names, values);
    if (result != CUDA_SUCCESS)
        return result;
    struct ptx_log own = {.text = text, .capacity = sizeof text}, *log = &options.error;
    if (!log->text || log->capacity == 0)
        log = &own;
    simcuda_object_retain(&context->object);
    pthread_mutex_unlock(&simcuda.lock);
    result = read_image(image, context->device->model.sm, log, &ptx);
    pthread_mutex_lock(&simcuda.lock);
    if (result != CUDA_SUCCESS)
        AH_LOG_WARN("simulated CUDA driver: a module is refused (%d): %s", result,
                    log->text ? log->text : "");
    else if (log->warnings > 0)
        AH_LOG_WARN("simulated CUDA driver: a module is loaded: %s", log->text ? log->text : "");
    if (result == CUDA_SUCCESS && !context->active) {
        ptx_module_destroy(ptx);
        result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    if (result == CUDA_SUCCESS)
        result = make_module(out, context, ptx);
    simcuda_jit_return(&options);
    simcuda_object_release(&context->object);
    return result;
}

CUresult simcuda_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                    int *options, void **values)
{
    SIMCUDA_ENTER(cuModuleLoadDataEx);
    return simcuda_leave(load(module, image, count, options, values));
}

CUresult simcuda_cuModuleLoadData(CUmodule *module, const void *image)
{
    SIMCUDA_ENTER(cuModuleLoadData);
    return simcuda_leave(load(module, image, 0, NULL, NULL));
}

CUresult simcuda_cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    SIMCUDA_ENTER(cuModuleLoadFatBinary);
    return simcuda_leave(load(module, image, 0, NULL, NULL));
}

char *simcuda_read_file(const char *path, size_t *out_size)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    size_t size = fstat(file, &about) == 0 && about.st_size > 0 ? (size_t)about.st_size : 0;
    /* Padding for headers, so that no parser has to check for very short files. */
    enum { ROOM = 128 };
    char *text = size > 0 ? calloc(1, size + ROOM) : NULL;
    for (size_t done = 0; text && done < size;) {
        ssize_t count = read(file, text + done, size - done);
        if (count <= 0)
            size = done;
        else
            done += (size_t)count;
    }
    close(file);
    *out_size = text ? size : 0;
    return text;
}

CUresult simcuda_cuModuleLoad(CUmodule *module, const char *path)
{
    SIMCUDA_ENTER(cuModuleLoad);
    if (!path)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    size_t size;
    char *image = simcuda_read_file(path, &size);
    if (!image)
        return simcuda_leave(CUDA_ERROR_FILE_NOT_FOUND);
    CUresult result = load(module, image, 0, NULL, NULL);
    free(image);
    return simcuda_leave(result);
}

/* ---- what a module holds ------------------------------------------------------------- */

/* Modules are loaded completely when they are loaded: nothing is lazy. */
CUresult simcuda_cuModuleGetLoadingMode(int *mode)
{
    enum { EAGER = 1 };
    SIMCUDA_ENTER(cuModuleGetLoadingMode);
    if (!mode)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *mode = EAGER;
    return simcuda_leave(CUDA_SUCCESS);
}

static CUresult get_module(CUmodule handle, const char *what, struct simcuda_module **out)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    *out = simcuda_object_get(handle, SIMCUDA_MODULE, what);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult simcuda_cuModuleUnload(CUmodule handle)
{
    struct simcuda_module *module;
    SIMCUDA_ENTER(cuModuleUnload);
    CUresult result = get_module(handle, "cuModuleUnload", &module);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    simcuda_object_retain(&module->object);
    result = simcuda_context_wait(module->object.context);
    if (module->object.handle) /* may have been destroyed meanwhile */
        close_module(module);
    simcuda_object_release(&module->object);
    return simcuda_leave(result);
}

CUresult simcuda_cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name)
{
    struct simcuda_module *module;
    SIMCUDA_ENTER(cuModuleGetFunction);
    CUresult result = get_module(handle, "cuModuleGetFunction", &module);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    const struct simcuda_function *function = module->functions;
    if (!out || !name)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    while (function && strcmp(function->info.name, name) != 0)
        function = function->next;
    if (!function)
        return simcuda_leave(CUDA_ERROR_NOT_FOUND);
    *out = (CUfunction)(uintptr_t)function->object.handle;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuModuleGetGlobal(CUdeviceptr *pointer, size_t *size, CUmodule handle,
                                   const char *name)
{
    struct simcuda_module *module;
    SIMCUDA_ENTER(cuModuleGetGlobal);
    CUresult result = get_module(handle, "cuModuleGetGlobal", &module);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    uint64_t address;
    size_t bytes;
    if (!name)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!ptx_module_variable(module->ptx, name, &address, &bytes))
        return simcuda_leave(CUDA_ERROR_NOT_FOUND);
    if (pointer)
        *pointer = address;
    if (size)
        *size = bytes;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuModuleGetFunctionCount(unsigned *count, CUmodule handle)
{
    struct simcuda_module *module;
    SIMCUDA_ENTER(cuModuleGetFunctionCount);
    CUresult result = get_module(handle, "cuModuleGetFunctionCount", &module);
    if (result == CUDA_SUCCESS && !count)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    *count = 0;
    for (const struct simcuda_function *at = module->functions; at; at = at->next)
        ++*count;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule handle)
{
    struct simcuda_module *module;
    unsigned used = 0;
    SIMCUDA_ENTER(cuModuleEnumerateFunctions);
    CUresult result = get_module(handle, "cuModuleEnumerateFunctions", &module);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    if (!functions)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    for (const struct simcuda_function *at = module->functions; at && used < count; at = at->next)
        functions[used++] = (CUfunction)(uintptr_t)at->object.handle;
    return simcuda_leave(CUDA_SUCCESS);
}
