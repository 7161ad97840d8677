/* Owns memory that others made, and memory as a file for others (sim_buffer.h). */
#include "process.h"
#include "sim_buffer.h"
#include "simcuda_texture.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct simcuda_external {
    struct simcuda_object object;
    struct sim_buffer buffer;
    uint64_t size; /* as the program gave it */
};

/* ---- importing ------------------------------------------------------------------------- */

static void fini_external(struct simcuda_object *object)
{
    close(((struct simcuda_external *)(void *)object)->buffer.file);
}

/* The program's descriptor is the driver's after success. */
static CUresult import(CUexternalMemory *out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *description)
{
    struct simcuda_context *context;
    struct sim_buffer buffer;
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (description->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD || description->size == 0 ||
        description->flags & ~(unsigned)CU_EXTERNAL_MEMORY_DEDICATED)
        return CUDA_ERROR_INVALID_VALUE;
    if (!sim_buffer_open_any(description->handle.fd, &buffer))
        return CUDA_ERROR_OPERATING_SYSTEM;
    struct simcuda_external *external =
        description->size <= buffer.size
            ? simcuda_object_new(SIMCUDA_EXTERNAL, sizeof *external, context)
            : NULL;
    if (!external) {
        close(buffer.file);
        return description->size <= buffer.size ? CUDA_ERROR_OUT_OF_MEMORY
                                                : CUDA_ERROR_INVALID_VALUE;
    }
    external->object.fini = fini_external;
    external->buffer = buffer;
    external->size = description->size;
    close(description->handle.fd);
    *out = (CUexternalMemory)(uintptr_t)external->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuImportExternalMemory(CUexternalMemory *memory,
                                        const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *description)
{
    SIMCUDA_ENTER(cuImportExternalMemory);
    CUresult result =
        memory && description ? import(memory, description) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS && simcuda_script.closes_files)
        close(description->handle.fd);
    return simcuda_leave(result);
}

static struct simcuda_external *external_of(CUexternalMemory handle, const char *what)
{
    return simcuda_object_get(handle, SIMCUDA_EXTERNAL, what);
}

/* What was mapped has the file mapped. */
CUresult simcuda_cuDestroyExternalMemory(CUexternalMemory memory)
{
    SIMCUDA_ENTER(cuDestroyExternalMemory);
    struct simcuda_external *external = external_of(memory, "cuDestroyExternalMemory");
    if (external)
        simcuda_object_close(&external->object);
    return simcuda_leave(external ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

/* ---- mapping --------------------------------------------------------------------------- */

static bool contains(const struct simcuda_external *external, uint64_t offset, uint64_t size)
{
    return size > 0 && offset <= external->size && size <= external->size - offset;
}

/* Memory is mapped from a multiple of SIM_GRANULE on. */
static struct sim_memory *open_part(const struct simcuda_external *external, uint64_t offset,
                                    uint64_t size, size_t *out_lead)
{
    uint64_t at = external->buffer.offset + offset;
    int device = external->object.context->device->ordinal;
    *out_lead = at % SIM_GRANULE;
    struct sim_memory *memory =
        sim_memory_open(external->buffer.file, at - *out_lead, size + *out_lead, device);
    for (int i = 0; memory && i < simcuda.device_count; i++) /* peers are checked elsewhere */
        sim_memory_set_access(memory, i, SIM_ACCESS_READ_WRITE);
    return memory;
}

static CUresult map(CUdeviceptr *pointer, const struct simcuda_external *external,
                    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *description)
{
    struct simcuda_memory memory = {
        .kind = SIMCUDA_IMPORTED,
        .device = external->object.context->device,
        .context = external->object.context,
    };
    if (description->flags != 0 || !contains(external, description->offset, description->size))
        return CUDA_ERROR_INVALID_VALUE;
    memory.sim = open_part(external, description->offset, description->size, &memory.lead);
    const struct simcuda_memory *added = memory.sim ? simcuda_memory_add(&memory) : NULL;
    if (!added)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = added->base + added->lead;
    return CUDA_SUCCESS;
}

CUresult
simcuda_cuExternalMemoryGetMappedBuffer(CUdeviceptr *pointer, CUexternalMemory memory,
                                        const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *description)
{
    SIMCUDA_ENTER(cuExternalMemoryGetMappedBuffer);
    const struct simcuda_external *external =
        external_of(memory, "cuExternalMemoryGetMappedBuffer");
    if (!external)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    return simcuda_leave(pointer && description ? map(pointer, external, description)
                                                : CUDA_ERROR_INVALID_VALUE);
}

/* Where the next level of a mipmapped array begins. Levels follow each other at multiples of
 * LEVEL_ALIGNMENT, without a pitch of their own. */
enum { LEVEL_ALIGNMENT = 512 };
struct levels {
    const struct simcuda_external *external;
    uint64_t offset;
};

static CUresult map_level(struct simcuda_context *context, const CUDA_ARRAY3D_DESCRIPTOR *shape,
                          void *data, struct simcuda_array **out)
{
    struct levels *levels = data;
    size_t size, lead;
    CUresult result = simcuda_array_size(shape, &size);
    if (result != CUDA_SUCCESS || !contains(levels->external, levels->offset, size))
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_memory *memory = open_part(levels->external, levels->offset, size, &lead);
    if (!memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    levels->offset += (size + LEVEL_ALIGNMENT - 1) / LEVEL_ALIGNMENT * LEVEL_ALIGNMENT;
    return simcuda_array_in(context, shape, memory, out);
}

CUresult simcuda_cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *mipmap, CUexternalMemory memory,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *description)
{
    SIMCUDA_ENTER(cuExternalMemoryGetMappedMipmappedArray);
    const struct simcuda_external *external =
        external_of(memory, "cuExternalMemoryGetMappedMipmappedArray");
    if (!external)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!mipmap || !description || description->numLevels == 0 ||
        description->offset % LEVEL_ALIGNMENT != 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    struct levels levels = {external, description->offset};
    return simcuda_leave(simcuda_mipmap_new(external->object.context, &description->arrayDesc,
                                            description->numLevels, map_level, &levels, mipmap));
}

/* ---- exporting ------------------------------------------------------------------------- */

/* Moves an allocation to a file that others can map, and refers to the range in it. Nothing that is
 * running may see this. */
static int refer(const struct simcuda_memory *memory, uint64_t start, size_t size)
{
    uint64_t offset;
    struct sim_shared shared = {
        .process = (int)getpid(), .id = (uint32_t)memory->sim->id, .size = memory->size};
    if (sim_memory_share(memory->sim, &offset) < 0)
        return -1;
    shared.table = sim_shared_table(&shared.table_id);
    return sim_buffer_refer(&shared, start, size, (uint32_t)memory->device->ordinal + 1);
}

static CUresult export_range(int *out, CUdeviceptr pointer, size_t size)
{
    int file = -1;
    simcuda_work_stop();
    const struct simcuda_memory *memory = simcuda_memory_find(pointer);
    uint64_t start = memory ? pointer - memory->base : 0;
    bool good = memory && size <= memory->size - start;
    bool physical =
        good && memory->kind == SIMCUDA_MAPPING && start == 0 && size == memory->physical->size;
    good = physical || (good && memory->kind == SIMCUDA_DEVICE_MEMORY);
    if (physical)
        file = fcntl(memory->physical->file, F_DUPFD_CLOEXEC, 3);
    else if (good)
        file = refer(memory, start, size);
    simcuda_work_resume();
    if (!good)
        return CUDA_ERROR_INVALID_VALUE;
    *out = file;
    return file >= 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult simcuda_cuMemGetHandleForAddressRange(void *handle, CUdeviceptr pointer, size_t size,
                                               int type, uint64_t flags)
{
    struct simcuda_context *context;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    SIMCUDA_ENTER(cuMemGetHandleForAddressRange);
    CUresult result = simcuda_current(&context);
    if (!handle || size == 0 || pointer % page != 0 || size % page != 0 ||
        type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD ||
        flags > CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    return simcuda_leave(result == CUDA_SUCCESS ? export_range(handle, pointer, size) : result);
}
