/* Owns memory that processes share: pools and their memory, which are in files, and memory of
 * cuMemAlloc, which is moved to a file when it is first shared. */
#include "simcuda_ipc.h"

#include "process.h"
#include "simcuda_driver.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int simcuda_shared_file_open(const struct simcuda_shared_file *shared, size_t size)
{
    return ah_sealed_file_open(shared->pid, shared->file, shared->id, size);
}

/* ---- pools ------------------------------------------------------------------------ */

/* The contents of the file of an exported pool. */
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

struct exported_pointer {
    struct simcuda_shared_file shared;
    size_t size;
};
static const char pointer_mark[8] = "AHptr";

CUresult simcuda_cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr pointer)
{
    SIMCUDA_ENTER(cuMemPoolExportPointer);
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    if (!data || !memory || memory->kind != SIMCUDA_POOL_MEMORY || !memory->physical ||
        memory->pool->imported)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    struct exported_pointer exported = {.shared = {.pid = (int)getpid(),
                                                   .file = memory->physical->file,
                                                   .id = ah_sealed_file_id(memory->physical->file)},
                                        .size = memory->size};
    memcpy(exported.shared.mark, pointer_mark, sizeof exported.shared.mark);
    memset(data, 0, sizeof *data);
    memcpy(data, &exported, sizeof exported);
    return simcuda_leave(CUDA_SUCCESS);
}

static CUresult import(CUdeviceptr *pointer, struct simcuda_pool *pool,
                       const struct exported_pointer *exported)
{
    unsigned access[SIMCUDA_DEVICES_MAX] = {0};
    struct simcuda_physical *physical;
    struct simcuda_memory *memory;
    int file = simcuda_shared_file_open(&exported->shared, exported->size);
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
    if (memcmp(exported.shared.mark, pointer_mark, sizeof exported.shared.mark) != 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    return simcuda_leave(import(pointer, pool, &exported));
}

/* ---- allocations --------------------------------------------------------------------- */

struct exported_memory {
    struct simcuda_shared_file shared; /* the table of what the process shares */
    CUuuid device;
    uint64_t size, id;
};
static const char memory_mark[8] = "AHmem";
_Static_assert(sizeof(struct exported_memory) <= sizeof(CUipcMemHandle), "a handle has 64 bytes");

/* Moves the memory to a file that others can map; nothing that is running may see this. */
static CUresult export_memory(CUipcMemHandle *handle, CUdeviceptr pointer)
{
    struct simcuda_context *context;
    struct exported_memory exported = {.shared.pid = (int)getpid()};
    uint64_t offset;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    simcuda_work_stop();
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    bool good = handle && memory && memory->kind == SIMCUDA_DEVICE_MEMORY;
    bool shared = good && sim_memory_share(memory->sim, &offset) >= 0;
    if (good) {
        exported.device = memory->device->uuid;
        exported.size = memory->size;
        exported.id = memory->sim->id;
    }
    simcuda_work_resume();
    if (!good)
        return CUDA_ERROR_INVALID_VALUE;
    if (!shared)
        return CUDA_ERROR_OUT_OF_MEMORY;
    exported.shared.file = sim_shared_table(&exported.shared.id);
    memcpy(exported.shared.mark, memory_mark, sizeof exported.shared.mark);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &exported, sizeof exported);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer)
{
    SIMCUDA_ENTER(cuIpcGetMemHandle);
    return simcuda_leave(export_memory(handle, pointer));
}

/* Memory is opened once, with a count of its users. */
static struct simcuda_memory *opened_before(const struct exported_memory *exported)
{
    struct simcuda_memory *memory = simcuda_memory_first();
    while (memory && (memory->kind != SIMCUDA_OPENED || memory->opened.id != exported->id ||
                      memory->opened.table != exported->shared.id ||
                      memory->opened.pid != exported->shared.pid))
        memory = memory->next;
    return memory;
}

static struct simcuda_memory *map_exported(struct simcuda_context *context,
                                           struct simcuda_device *device, int file, uint64_t offset,
                                           const struct exported_memory *exported)
{
    struct simcuda_memory memory = {
        .kind = SIMCUDA_OPENED,
        .sim = sim_memory_open(file, offset, exported->size, device->ordinal),
        .device = device,
        .context = context,
        .opened = {.id = exported->id, .table = exported->shared.id, .pid = exported->shared.pid},
    };
    struct simcuda_memory *added = memory.sim ? simcuda_memory_add(&memory) : NULL;
    for (int i = 0; added && i < simcuda.device_count; i++) /* peers are enabled on the way */
        sim_memory_set_access(added->sim, i, SIM_ACCESS_READ_WRITE);
    return added;
}

static CUresult open_exported(CUdeviceptr *pointer, const struct exported_memory *exported)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (memcmp(exported->shared.mark, memory_mark, sizeof exported->shared.mark) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (exported->shared.pid == (int)getpid())
        return CUDA_ERROR_INVALID_CONTEXT;
    struct simcuda_device *device = device_with(&exported->device);
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    struct simcuda_memory *memory = opened_before(exported);
    if (!memory) {
        const struct sim_shared shared = {
            .process = exported->shared.pid,
            .table = exported->shared.file,
            .table_id = exported->shared.id,
            .id = (uint32_t)exported->id,
            .size = exported->size,
        };
        uint64_t offset;
        int file = sim_shared_open(&shared, &offset);
        if (file < 0)
            return CUDA_ERROR_MAP_FAILED;
        memory = map_exported(context, device, file, offset, exported);
        close(file);
        if (!memory)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory->opened.count++;
    *pointer = memory->base;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuIpcOpenMemHandle(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned flags)
{
    enum { LAZY_ENABLE_PEER_ACCESS = 1 };
    struct exported_memory exported;
    SIMCUDA_ENTER(cuIpcOpenMemHandle);
    memcpy(&exported, &handle, sizeof exported);
    return simcuda_leave(pointer && flags == LAZY_ENABLE_PEER_ACCESS
                             ? open_exported(pointer, &exported)
                             : CUDA_ERROR_INVALID_VALUE);
}

static struct simcuda_memory *opened_at(CUdeviceptr pointer)
{
    struct simcuda_memory *memory = simcuda_memory_find(pointer);
    return memory && memory->kind == SIMCUDA_OPENED && memory->base == pointer ? memory : NULL;
}

CUresult simcuda_cuIpcCloseMemHandle(CUdeviceptr pointer)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuIpcCloseMemHandle);
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    struct simcuda_memory *memory = opened_at(pointer);
    if (!memory) {
        simcuda_violation("cuIpcCloseMemHandle of 0x%llx", (unsigned long long)pointer);
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (--memory->opened.count == 0) {
        simcuda_contexts_wait();
        memory = opened_at(pointer); /* the wait released the lock */
        if (memory && memory->opened.count == 0)
            simcuda_memory_free(memory);
    }
    return simcuda_leave(CUDA_SUCCESS);
}
