/* Owns modules and functions: images of every kind, attributes, occupancy. */
#include "fake.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MACHINE_CUDA = 190,
    FATBIN_MAGIC = 0xba55ed50,
    FATBIN_PTX = 1,
    FATBIN_ELF = 2,
    REGISTERS = 32,
    SHARED_OPTIN = 166912,
    SHARED_PER_PROCESSOR = 167936,
    SHARED_RESERVED = 1024,
    THREADS_PER_PROCESSOR = 2048,
    BLOCKS_PER_PROCESSOR = 32,
    PROCESSORS = 108,
};

/* ---- images -------------------------------------------------------------------------- */

/* A cubin of the fake is an ELF header for one architecture with PTX behind it. */
static CUresult load_cubin(const unsigned char *image, const struct fake_device *device,
                           struct fake_module *module, char *log, size_t log_size)
{
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    if (header.e_machine != MACHINE_CUDA)
        return CUDA_ERROR_INVALID_IMAGE;
    if ((header.e_flags & 0xff) / 10 != device->sm / 10 || (header.e_flags & 0xff) > device->sm)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    return fake_ptx_read((const char *)image + sizeof header, device, fake.version, module, log,
                         log_size);
}

static uint64_t number(const unsigned char *at, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

/* Entries: kind, header size at 4, payload size at 8, architecture at 28. */
static CUresult load_fatbin(const unsigned char *image, const struct fake_device *device,
                            struct fake_module *module, char *log, size_t log_size)
{
    enum { ENTRY_HEADER = 32 };
    const unsigned char *at = image + number(image + 6, 2), *end = at + number(image + 8, 8);
    while (at + ENTRY_HEADER <= end) {
        const unsigned char *payload = at + number(at + 4, 4);
        unsigned kind = (unsigned)number(at, 2), sm = (unsigned)number(at + 28, 4);
        if (kind == FATBIN_ELF && sm / 10 == device->sm / 10 && sm <= device->sm)
            return load_cubin(payload, device, module, log, log_size);
        if (kind == FATBIN_PTX && sm <= device->sm)
            return fake_ptx_read((const char *)payload, device, fake.version, module, log,
                                 log_size);
        at = payload + number(at + 8, 8);
    }
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult load_image(const void *image, const struct fake_device *device,
                           struct fake_module *module, char *log, size_t log_size)
{
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (memcmp(image, ELFMAG, SELFMAG) == 0)
        return load_cubin(image, device, module, log, log_size);
    if (magic == FATBIN_MAGIC)
        return load_fatbin(image, device, module, log, log_size);
    return fake_ptx_read(image, device, fake.version, module, log, log_size);
}

/* ---- modules --------------------------------------------------------------------------- */

static void fini_module(struct fake_object *object)
{
    struct fake_module *module = (struct fake_module *)(void *)object;
    while (module->globals) {
        struct fake_global *global = module->globals;
        module->globals = global->next;
        free(global->name);
        free(global->initial);
        free(global);
    }
}

static void fini_function(struct fake_object *object)
{
    struct fake_function *function = (struct fake_function *)(void *)object;
    free(function->name);
    free(function->parameters);
}

/* Ends functions and variables, which are gone when the handle is. */
static void close_module(struct fake_module *module)
{
    while (module->functions) {
        struct fake_function *function = module->functions;
        module->functions = function->next;
        fake_object_close(&function->object);
    }
    for (struct fake_global *global = module->globals; global; global = global->next)
        if (global->memory)
            fake_memory_free(global->memory);
    fake_object_close(&module->object);
}

void fake_module_close(struct fake_object *object)
{
    close_module((struct fake_module *)(void *)object);
}

static CUresult place_globals(struct fake_module *module)
{
    for (struct fake_global *global = module->globals; global; global = global->next) {
        CUresult result = fake_memory_allocate(module->object.context, FAKE_GLOBAL,
                                               global->size ? global->size : 1, &global->memory);
        if (result != CUDA_SUCCESS)
            return result;
        memcpy(global->memory->view, global->initial, global->size);
    }
    return CUDA_SUCCESS;
}

struct options {
    char *log;
    size_t log_size;
};

static CUresult read_options(struct options *out, unsigned count, const int *options, void **values)
{
    enum { OPTION_END = 40 };
    *out = (struct options){NULL, 0};
    for (unsigned i = 0; i < count; i++) {
        if (options[i] < 0 || options[i] >= OPTION_END)
            return CUDA_ERROR_INVALID_VALUE;
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            out->log = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            out->log_size = (size_t)(uintptr_t)values[i];
    }
    return CUDA_SUCCESS;
}

static CUresult load(CUmodule *out, const void *image, unsigned count, const int *names,
                     void **values)
{
    char log[512] = "";
    struct fake_context *context;
    struct options options;
    CUresult result = fake_current(&context);
    if (result == CUDA_SUCCESS)
        result = read_options(&options, count, names, values);
    if (result != CUDA_SUCCESS)
        return result;
    struct fake_module *module = fake_object_new(FAKE_MODULE, sizeof *module, context);
    module->object.fini = fini_module;
    result = load_image(image, context->device, module, log, sizeof log);
    for (struct fake_function *at = module->functions; at; at = at->next)
        at->object.fini = fini_function;
    if (result == CUDA_SUCCESS)
        result = place_globals(module);
    if (options.log && options.log_size > 0)
        snprintf(options.log, options.log_size, "%s", log);
    if (result != CUDA_SUCCESS) {
        close_module(module);
        return result;
    }
    *out = (CUmodule)(uintptr_t)module->object.handle;
    return CUDA_SUCCESS;
}

CUresult fake_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options,
                                 void **values)
{
    FAKE_ENTER(cuModuleLoadDataEx);
    return fake_leave(load(module, image, count, options, values));
}

static CUresult get_module(CUmodule handle, const char *what, struct fake_module **out)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    *out = fake_object_get(handle, FAKE_MODULE, what);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult fake_cuModuleUnload(CUmodule handle)
{
    struct fake_module *module;
    FAKE_ENTER(cuModuleUnload);
    CUresult result = get_module(handle, "cuModuleUnload", &module);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    if (module->object.context != fake_thread.context) {
        fake_violation("cuModuleUnload in another context");
        return fake_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    fake_object_retain(&module->object);
    result = fake_context_wait(module->object.context);
    close_module(module);
    fake_object_release(&module->object);
    return fake_leave(result);
}

CUresult fake_cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name)
{
    struct fake_module *module;
    FAKE_ENTER(cuModuleGetFunction);
    CUresult result = get_module(handle, "cuModuleGetFunction", &module);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    const struct fake_function *function = module->functions;
    while (function && strcmp(function->name, name) != 0)
        function = function->next;
    if (!function)
        return fake_leave(CUDA_ERROR_NOT_FOUND);
    *out = (CUfunction)(uintptr_t)function->object.handle;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuModuleGetGlobal(CUdeviceptr *pointer, size_t *size, CUmodule handle,
                                const char *name)
{
    struct fake_module *module;
    FAKE_ENTER(cuModuleGetGlobal);
    CUresult result = get_module(handle, "cuModuleGetGlobal", &module);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    const struct fake_global *global = module->globals;
    while (global && strcmp(global->name, name) != 0)
        global = global->next;
    if (!global)
        return fake_leave(CUDA_ERROR_NOT_FOUND);
    *pointer = global->memory->base;
    *size = global->size;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuModuleGetFunctionCount(unsigned *count, CUmodule handle)
{
    struct fake_module *module;
    FAKE_ENTER(cuModuleGetFunctionCount);
    CUresult result = get_module(handle, "cuModuleGetFunctionCount", &module);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    *count = 0;
    for (const struct fake_function *at = module->functions; at; at = at->next)
        ++*count;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule handle)
{
    struct fake_module *module;
    unsigned used = 0;
    FAKE_ENTER(cuModuleEnumerateFunctions);
    CUresult result = get_module(handle, "cuModuleEnumerateFunctions", &module);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    for (const struct fake_function *at = module->functions; at && used < count; at = at->next)
        functions[used++] = (CUfunction)(uintptr_t)at->object.handle;
    return fake_leave(CUDA_SUCCESS);
}

/* ---- functions ----------------------------------------------------------------------------- */

static CUresult get_function(CUfunction handle, const char *what, struct fake_function **out)
{
    struct fake_context *context;
    CUresult result = fake_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    *out = fake_object_get(handle, FAKE_FUNCTION, what);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult fake_cuFuncLoad(CUfunction handle)
{
    struct fake_function *function;
    FAKE_ENTER(cuFuncLoad);
    return fake_leave(get_function(handle, "cuFuncLoad", &function));
}

CUresult fake_cuFuncGetName(const char **name, CUfunction handle)
{
    struct fake_function *function;
    FAKE_ENTER(cuFuncGetName);
    CUresult result = get_function(handle, "cuFuncGetName", &function);
    if (result == CUDA_SUCCESS)
        *name = function->name;
    return fake_leave(result);
}

CUresult fake_cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *size)
{
    struct fake_function *function;
    FAKE_ENTER(cuFuncGetParamInfo);
    CUresult result = get_function(handle, "cuFuncGetParamInfo", &function);
    if (result == CUDA_SUCCESS && index >= function->parameter_count)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    *offset = function->parameters[index].offset;
    *size = function->parameters[index].size;
    return fake_leave(CUDA_SUCCESS);
}

static CUresult attribute_of(int *value, int attribute, const struct fake_function *function)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)function->max_threads;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)function->static_shared;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = REGISTERS;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = function->ptx_version;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = (int)function->object.context->device->sm;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = (int)function->max_dynamic;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = function->carveout;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult fake_cuFuncGetAttribute(int *value, int attribute, CUfunction handle)
{
    struct fake_function *function;
    FAKE_ENTER(cuFuncGetAttribute);
    CUresult result = get_function(handle, "cuFuncGetAttribute", &function);
    return fake_leave(result == CUDA_SUCCESS ? attribute_of(value, attribute, function) : result);
}

static CUresult set_attribute(struct fake_function *function, int attribute, int value)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || value + (int)function->static_shared > SHARED_OPTIN)
            return CUDA_ERROR_INVALID_VALUE;
        function->max_dynamic = (unsigned)value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100)
            return CUDA_ERROR_INVALID_VALUE;
        function->carveout = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult fake_cuFuncSetAttribute(CUfunction handle, int attribute, int value)
{
    struct fake_function *function;
    FAKE_ENTER(cuFuncSetAttribute);
    CUresult result = get_function(handle, "cuFuncSetAttribute", &function);
    return fake_leave(result == CUDA_SUCCESS ? set_attribute(function, attribute, value) : result);
}

CUresult fake_cuFuncSetCacheConfig(CUfunction handle, int config)
{
    struct fake_function *function;
    FAKE_ENTER(cuFuncSetCacheConfig);
    (void)config;
    return fake_leave(get_function(handle, "cuFuncSetCacheConfig", &function));
}

CUresult fake_cuFuncSetSharedMemConfig(CUfunction handle, int config)
{
    struct fake_function *function;
    FAKE_ENTER(cuFuncSetSharedMemConfig);
    (void)config;
    return fake_leave(get_function(handle, "cuFuncSetSharedMemConfig", &function));
}

/* ---- occupancy ------------------------------------------------------------------------------- */

int fake_occupancy(const struct fake_function *function, int block_size, size_t dynamic)
{
    size_t shared = dynamic + function->static_shared + SHARED_RESERVED;
    int warps = (block_size + 31) / 32;
    int by_threads = THREADS_PER_PROCESSOR / (warps * 32);
    int by_shared = (int)(SHARED_PER_PROCESSOR / shared);
    int blocks = by_threads < by_shared ? by_threads : by_shared;
    if (dynamic + function->static_shared > SHARED_OPTIN)
        return 0;
    return blocks < BLOCKS_PER_PROCESSOR ? blocks : BLOCKS_PER_PROCESSOR;
}

CUresult fake_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle,
                                                                   int block_size, size_t shared,
                                                                   unsigned flags)
{
    struct fake_function *function;
    FAKE_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
    CUresult result = get_function(handle, "occupancy", &function);
    if (result == CUDA_SUCCESS &&
        (flags > 1 || block_size <= 0 || block_size > (int)function->max_threads))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *blocks = fake_occupancy(function, block_size, shared);
    return fake_leave(result);
}

CUresult fake_cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction handle,
                                                        CUoccupancyB2DSize shared_for_block,
                                                        size_t shared, int limit, unsigned flags)
{
    struct fake_function *function;
    int best = 0;
    FAKE_ENTER(cuOccupancyMaxPotentialBlockSizeWithFlags);
    CUresult result = get_function(handle, "occupancy", &function);
    if (result == CUDA_SUCCESS && (flags > 1 || limit < 0 || shared_for_block))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    int top = limit > 0 && limit < (int)function->max_threads ? limit : (int)function->max_threads;
    *block = top;
    for (int size = top; size > 0; size -= size % 32 ? size % 32 : 32) {
        int threads = fake_occupancy(function, size, shared) * size;
        if (threads > best) {
            best = threads;
            *block = size;
        }
    }
    *grid = fake_occupancy(function, *block, shared) * PROCESSORS;
    return fake_leave(CUDA_SUCCESS);
}

CUresult fake_cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction handle, int blocks,
                                                      int block_size)
{
    struct fake_function *function;
    FAKE_ENTER(cuOccupancyAvailableDynamicSMemPerBlock);
    CUresult result = get_function(handle, "occupancy", &function);
    if (result == CUDA_SUCCESS &&
        (blocks <= 0 || block_size <= 0 || fake_occupancy(function, block_size, 0) < blocks))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *shared = SHARED_PER_PROCESSOR / (size_t)blocks - SHARED_RESERVED - function->static_shared;
    return fake_leave(result);
}

int fake_processors(void)
{
    return PROCESSORS;
}
