/* Owns sharing between processes: pools and their memory, which lie in files. What
 * cuMemAlloc gives does not, and cannot be shared. */
#include "simcuda_driver.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- pools ------------------------------------------------------------------------ */

/* What the file of an exported pool holds. */
struct exported_pool {
    char mark[16];
    CUuuid device;
};
static const char pool_mark[16] = "AnyHIP sim pool";

static struct simcuda_pool *pool_with(CUmemoryPool handle, const char *what)
{
    return simcuda_object_get(handle, SIMCUDA_POOL, what);
}

CUresult simcuda_cuMemPoolExportToShareableHandle(void *out, CUmemoryPool handle, int type,
                                                  uint64_t flags)
{
    struct exported_pool exported;
    SIMCUDA_ENTER(cuMemPoolExportToShareableHandle);
    const struct simcuda_pool *pool = pool_with(handle, "cuMemPoolExportToShareableHandle");
    if (!out || !pool || pool->imported || flags != 0 ||
        type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !(pool->handle_types & type))
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(exported.mark, pool_mark, sizeof exported.mark);
    exported.device = pool->device->uuid;
    int file = memfd_create("simulated pool", MFD_CLOEXEC);
    if (file < 0)
        return simcuda_leave(CUDA_ERROR_OPERATING_SYSTEM);
    if (pwrite(file, &exported, sizeof exported, 0) != (ssize_t)sizeof exported) {
        close(file);
        return simcuda_leave(CUDA_ERROR_OPERATING_SYSTEM);
    }
    memcpy(out, &file, sizeof file);
    return simcuda_leave(CUDA_SUCCESS);
}

static struct simcuda_device *device_with(const CUuuid *uuid)
{
    for (int i = 0; i < simcuda.device_count; i++)
        if (memcmp(&simcuda.devices[i].uuid, uuid, sizeof *uuid) == 0)
            return &simcuda.devices[i];
    return NULL;
}

CUresult simcuda_cuMemPoolImportFromShareableHandle(CUmemoryPool *out, void *shared, int type,
                                                    uint64_t flags)
{
    struct exported_pool exported;
    SIMCUDA_ENTER(cuMemPoolImportFromShareableHandle);
    if (!out || flags != 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        pread((int)(intptr_t)shared, &exported, sizeof exported, 0) != (ssize_t)sizeof exported ||
        memcmp(exported.mark, pool_mark, sizeof exported.mark) != 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    struct simcuda_device *device = device_with(&exported.device);
    if (!device)
        return simcuda_leave(CUDA_ERROR_INVALID_DEVICE);
    struct simcuda_pool *pool = simcuda_pool_new(device);
    if (!pool)
        return simcuda_leave(CUDA_ERROR_OUT_OF_MEMORY);
    pool->imported = true;
    *out = (CUmemoryPool)(uintptr_t)pool->object.handle;
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- memory of pools ----------------------------------------------------------------- */

/* The file is one of the process that made it. */
struct exported_pointer {
    char mark[16];
    int pid, file;
    size_t size;
};
static const char pointer_mark[16] = "AnyHIP sim ptr";

CUresult simcuda_cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr pointer)
{
    SIMCUDA_ENTER(cuMemPoolExportPointer);
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (!data || !memory || memory->kind != SIMCUDA_POOL_MEMORY || !memory->physical ||
        memory->pool->imported)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    struct exported_pointer exported = {
        .pid = (int)getpid(), .file = memory->physical->file, .size = memory->size};
    memcpy(exported.mark, pointer_mark, sizeof exported.mark);
    memset(data, 0, sizeof *data);
    memcpy(data, &exported, sizeof exported);
    return simcuda_leave(CUDA_SUCCESS);
}

/* -1: it is not there, or no longer what was exported. */
static int open_exported(const struct exported_pointer *exported)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", exported->pid, exported->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &about) != 0 || (size_t)about.st_size != exported->size)) {
        close(file);
        return -1;
    }
    return file;
}

static CUresult import(CUdeviceptr *pointer, struct simcuda_pool *pool,
                       const struct exported_pointer *exported)
{
    unsigned access[SIMCUDA_DEVICES_MAX] = {0};
    struct simcuda_physical *physical;
    struct simcuda_memory *memory;
    int file = open_exported(exported);
    if (file < 0)
        return CUDA_ERROR_MAP_FAILED;
    CUresult result = simcuda_physical_new(pool->device, file, exported->size, 0, true, &physical);
    if (result != CUDA_SUCCESS)
        return result;
    memcpy(access, pool->access, sizeof access);
    struct simcuda_memory like = {.kind = SIMCUDA_POOL_MEMORY,
                                  .device = pool->device,
                                  .context = pool->device->primary,
                                  .pool = pool};
    result = simcuda_physical_map(physical, access, &like, &memory);
    simcuda_object_close(&physical->object);
    if (result != CUDA_SUCCESS)
        return result;
    simcuda_pool_taken(pool, memory->size);
    *pointer = memory->base;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuMemPoolImportPointer(CUdeviceptr *pointer, CUmemoryPool handle,
                                        CUmemPoolPtrExportData *data)
{
    struct exported_pointer exported;
    SIMCUDA_ENTER(cuMemPoolImportPointer);
    struct simcuda_pool *pool = pool_with(handle, "cuMemPoolImportPointer");
    if (!pointer || !data || !pool || !pool->imported)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(&exported, data, sizeof exported);
    if (memcmp(exported.mark, pointer_mark, sizeof exported.mark) != 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    return simcuda_leave(import(pointer, pool, &exported));
}

/* ---- what is not shared ---------------------------------------------------------------- */

static CUresult refuse(const char *what)
{
    AH_LOG_WARN(
        "simulated CUDA driver: %s is not supported: memory of cuMemAlloc and events belong "
        "to one process; pools and cuMemCreate can share",
        what);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult simcuda_cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer)
{
    (void)handle, (void)pointer;
    SIMCUDA_ENTER(cuIpcGetMemHandle);
    return simcuda_leave(refuse("cuIpcGetMemHandle"));
}

CUresult simcuda_cuIpcOpenMemHandle(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned flags)
{
    (void)pointer, (void)handle, (void)flags;
    SIMCUDA_ENTER(cuIpcOpenMemHandle);
    return simcuda_leave(refuse("cuIpcOpenMemHandle"));
}

CUresult simcuda_cuIpcCloseMemHandle(CUdeviceptr pointer)
{
    (void)pointer;
    SIMCUDA_ENTER(cuIpcCloseMemHandle);
    return simcuda_leave(CUDA_ERROR_INVALID_VALUE); /* nothing was ever opened */
}

CUresult simcuda_cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
    (void)handle, (void)event;
    SIMCUDA_ENTER(cuIpcGetEventHandle);
    return simcuda_leave(refuse("cuIpcGetEventHandle"));
}

CUresult simcuda_cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
    (void)event, (void)handle;
    SIMCUDA_ENTER(cuIpcOpenEventHandle);
    return simcuda_leave(refuse("cuIpcOpenEventHandle"));
}
