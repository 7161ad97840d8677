/* A CUDA driver that writes down what kernels leave in memory, and otherwise is
 * the driver it stands on: librecorded.so, a link to any, is its dependency, and
 * the loader finds there whatever is not defined here.
 *
 * RECORD_FILE names the file. Device memory is cleared when it is allocated.
 * Whenever the program has waited for kernels, every allocation and variable
 * that changed is written:
 *   launch <kernel>\n              a kernel was started
 *   array <number> <bytes>\n<data>\n
 * compare.c reads two such files. */
#include "cuda_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { ARRAYS_MAX = 4096, ARRAY_BYTES_MAX = 1 << 20, FILE_BYTES_MAX = 256 << 20 };

struct driver {
#define REQUIRED
#define OPTIONAL
#define CUDA_SYMBOL(need, field, name, parameters) CUresult(*field) parameters;
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
};

struct array {
    CUdeviceptr address;
    size_t size;
    uint64_t hash; /* of what was written last */
    CUcontext context;
};

static struct driver driver;
static pthread_once_t opened = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct array arrays[ARRAYS_MAX]; /* never moved: the index is the array's number */
static size_t array_count, bytes_written;
static unsigned char *copy;
static FILE *file;
static bool launched;
static unsigned resets; /* of contexts, which end their streams */

static void open_driver(void)
{
    void *library = dlopen("librecorded.so", RTLD_NOW | RTLD_NOLOAD);
#define CUDA_SYMBOL(need, field, name, parameters)                                                 \
    driver.field = (CUresult(*) parameters)(library ? dlsym(library, name) : NULL);
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
    const char *name = getenv("RECORD_FILE");
    file = name ? fopen(name, "w") : NULL;
    copy = malloc(ARRAY_BYTES_MAX);
    if (!library || !file || !copy) {
        fprintf(stderr, "record: no librecorded.so, no RECORD_FILE, or no memory\n");
        exit(1);
    }
}

static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A stream that waits for no other, so that reading never blocks. */
static CUstream reader(void)
{
    static _Thread_local CUstream stream;
    static _Thread_local CUcontext context;
    static _Thread_local unsigned made_after;
    CUcontext current = NULL;
    driver.cuCtxGetCurrent(&current);
    if (current != context || made_after != resets || !stream) {
        context = current;
        made_after = resets;
        if (driver.cuStreamCreateWithPriority(&stream, 1, 0) != CUDA_SUCCESS)
            stream = NULL;
    }
    return stream;
}

static void write_array(size_t number, CUstream stream)
{
    struct array *array = &arrays[number];
    size_t size = array->size < ARRAY_BYTES_MAX ? array->size : ARRAY_BYTES_MAX;
    if (driver.cuMemcpyAsync((CUdeviceptr)(uintptr_t)copy, array->address, size, stream) !=
            CUDA_SUCCESS ||
        driver.cuStreamSynchronize(stream) != CUDA_SUCCESS)
        return;
    uint64_t hash = hash_of(copy, size);
    if (hash == array->hash || bytes_written + size > FILE_BYTES_MAX)
        return;
    array->hash = hash;
    bytes_written += size;
    fprintf(file, "array %zu %zu\n", number, size);
    fwrite(copy, 1, size, file);
    fputc('\n', file);
}

static void write_arrays(void)
{
    CUcontext current = NULL;
    pthread_mutex_lock(&lock);
    driver.cuCtxGetCurrent(&current);
    CUstream stream = launched ? reader() : NULL;
    for (size_t i = 0; stream && i < array_count; i++)
        if (arrays[i].address && arrays[i].context == current)
            write_array(i, stream);
    launched = false;
    fflush(file);
    pthread_mutex_unlock(&lock);
}

static void add_array(CUdeviceptr address, size_t size, bool clear)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i].address == address && arrays[i].size == size) {
            pthread_mutex_unlock(&lock);
            return;
        }
    CUstream stream = reader();
    if (clear && stream && driver.cuMemsetD8Async(address, 0, size, stream) == CUDA_SUCCESS)
        driver.cuStreamSynchronize(stream);
    if (array_count < ARRAYS_MAX) {
        struct array *array = &arrays[array_count++];
        *array = (struct array){.address = address, .size = size};
        driver.cuCtxGetCurrent(&array->context);
    }
    pthread_mutex_unlock(&lock);
}

static void remove_array(CUdeviceptr address)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i].address == address)
            arrays[i].address = 0;
    pthread_mutex_unlock(&lock);
}

static void note_launch(CUfunction function)
{
    const char *name = NULL;
    if (!driver.cuFuncGetName || driver.cuFuncGetName(&name, function) != CUDA_SUCCESS)
        name = "?";
    pthread_mutex_lock(&lock);
    launched = true;
    fprintf(file, "launch %s\n", name);
    pthread_mutex_unlock(&lock);
}

EXPORT CUresult cuInit(unsigned flags);
EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size);
EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer);
EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *size, CUmodule module,
                                     const char *name);
EXPORT CUresult cuModuleUnload(CUmodule module);
EXPORT CUresult cuStreamSynchronize(CUstream stream);
EXPORT CUresult cuCtxSynchronize(void);
EXPORT CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size);
EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                               unsigned grid_z, unsigned block_x, unsigned block_y,
                               unsigned block_z, unsigned shared, CUstream stream, void **params,
                               void **extra);
EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                                 void **extra);
EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned shared, CUstream stream,
                                          void **params);

CUresult cuInit(unsigned flags)
{
    pthread_once(&opened, open_driver);
    return driver.cuInit(flags);
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size)
{
    CUresult result = driver.cuMemAlloc(pointer, size);
    if (result == CUDA_SUCCESS)
        add_array(*pointer, size, true);
    return result;
}

CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    write_arrays();
    remove_array(pointer);
    return driver.cuMemFree(pointer);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *size, CUmodule module, const char *name)
{
    CUdeviceptr address = 0;
    size_t bytes = 0;
    CUresult result = driver.cuModuleGetGlobal(&address, &bytes, module, name);
    if (result == CUDA_SUCCESS)
        add_array(address, bytes, false);
    if (pointer)
        *pointer = address;
    if (size)
        *size = bytes;
    return result;
}

/* Its variables are gone with it; which those are, is not known here. */
CUresult cuModuleUnload(CUmodule module)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < array_count; i++) {
        CUdeviceptr base = 0;
        int attribute = 10; /* CU_POINTER_ATTRIBUTE_RANGE_START_ADDR */
        if (arrays[i].address &&
            driver.cuPointerGetAttribute(&base, attribute, arrays[i].address) != CUDA_SUCCESS)
            arrays[i].address = 0;
    }
    pthread_mutex_unlock(&lock);
    return driver.cuModuleUnload(module);
}

CUresult cuStreamSynchronize(CUstream stream)
{
    CUresult result = driver.cuStreamSynchronize(stream);
    if (result == CUDA_SUCCESS)
        write_arrays();
    return result;
}

CUresult cuCtxSynchronize(void)
{
    CUresult result = driver.cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        write_arrays();
    return result;
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    CUresult result = driver.cuMemcpy(dst, src, size);
    if (result == CUDA_SUCCESS)
        write_arrays();
    return result;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    pthread_mutex_lock(&lock);
    array_count = 0;
    resets++;
    pthread_mutex_unlock(&lock);
    return driver.cuDevicePrimaryCtxReset(device);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **params, void **extra)
{
    note_launch(function);
    return driver.cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                 shared, stream, params, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra)
{
    note_launch(function);
    return driver.cuLaunchKernelEx(config, function, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void **params)
{
    note_launch(function);
    return driver.cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y,
                                            block_z, shared, stream, params);
}
