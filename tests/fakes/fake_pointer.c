/* Owns what the driver says of a pointer, and sharing between processes. */
#include "fake.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool on_host(const struct fake_memory *memory)
{
    return memory->kind == FAKE_PINNED || memory->kind == FAKE_REGISTERED;
}

/* The size of the value depends on the attribute, as the driver's manual says. */
static CUresult attribute_of(void *data, int attribute, CUdeviceptr pointer,
                             const struct fake_memory *memory)
{
    bool host = on_host(memory), managed = memory->kind == FAKE_MANAGED;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = memory->context ? (CUcontext)(uintptr_t)memory->context->handle : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host && !managed)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = (void *)(uintptr_t)pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)data = memory->sync_memops;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(uint64_t *)data = memory->id;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = managed;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = memory->device->ordinal;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = memory->base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = memory->size;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult fake_cuPointerGetAttribute(void *data, int attribute, CUdeviceptr pointer)
{
    struct fake_context *context;
    FAKE_ENTER(cuPointerGetAttribute);
    CUresult result = fake_current(&context);
    const struct fake_memory *memory = fake_memory_find(pointer);
    if (result == CUDA_SUCCESS)
        result = memory ? attribute_of(data, attribute, pointer, memory) : CUDA_ERROR_INVALID_VALUE;
    return fake_leave(result);
}

static void clear_attribute(void *data, int attribute)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        memset(data, 0, 8);
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = CU_DEVICE_INVALID;
        break;
    default:
        memset(data, 0, 4);
    }
}

/* An unknown pointer is no error here: all its values are zero. */
CUresult fake_cuPointerGetAttributes(unsigned count, int *attributes, void **data,
                                     CUdeviceptr pointer)
{
    struct fake_context *context;
    FAKE_ENTER(cuPointerGetAttributes);
    CUresult result = fake_current(&context);
    const struct fake_memory *memory = fake_memory_find(pointer);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        if (!memory || attribute_of(data[i], attributes[i], pointer, memory) != CUDA_SUCCESS)
            clear_attribute(data[i], attributes[i]);
    return fake_leave(result);
}

CUresult fake_cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr pointer)
{
    struct fake_context *context;
    FAKE_ENTER(cuPointerSetAttribute);
    CUresult result = fake_current(&context);
    struct fake_memory *memory = fake_memory_find(pointer);
    if (result == CUDA_SUCCESS &&
        (!memory || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || on_host(memory)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        memory->sync_memops = *(const unsigned *)value;
    return fake_leave(result);
}

/* ---- memory of other processes ------------------------------------------------------- */

/* What a handle holds; the file is one of the process that made it. */
struct ipc {
    int pid, file, device;
    size_t offset, size;
    uint64_t id;
};

CUresult fake_cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer)
{
    struct fake_context *context;
    struct ipc ipc = {.pid = (int)getpid()};
    FAKE_ENTER(cuIpcGetMemHandle);
    CUresult result = fake_current(&context);
    const struct fake_memory *memory = fake_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    if (!memory || memory->kind != FAKE_DEVICE_MEMORY)
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    ipc.file = fake_heap_file(&ipc.offset, memory->base);
    ipc.size = memory->size;
    ipc.device = memory->device->ordinal;
    ipc.id = memory->id;
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ipc, sizeof ipc);
    return fake_leave(CUDA_SUCCESS);
}

/* Handles are aligned to 512 bytes in their file, mappings to pages. */
static unsigned char *map_ipc(const struct ipc *ipc)
{
    char path[64];
    size_t page = 4096, start = ipc->offset & ~(page - 1);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", ipc->pid, ipc->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return NULL;
    unsigned char *view = mmap(NULL, ipc->size + (ipc->offset - start), PROT_READ | PROT_WRITE,
                               MAP_SHARED, file, (off_t)start);
    close(file);
    return view == MAP_FAILED ? NULL : view + (ipc->offset - start);
}

/* Opening a handle again counts, and gives the same address. */
static CUresult open_ipc(CUdeviceptr *pointer, const CUipcMemHandle *handle)
{
    struct fake_context *context;
    struct fake_memory *memory;
    struct ipc ipc;
    uintptr_t base;
    CUresult result = fake_current(&context);
    memcpy(&ipc, handle, sizeof ipc);
    if (result != CUDA_SUCCESS)
        return result;
    if (ipc.pid == (int)getpid())
        return CUDA_ERROR_INVALID_CONTEXT;
    for (size_t i = 0; (memory = fake_memory_at(i)); i++) {
        if (memory->kind == FAKE_IPC && memcmp(memory->source, handle, sizeof *handle) == 0) {
            memory->opened++;
            *pointer = memory->base;
            return CUDA_SUCCESS;
        }
    }
    unsigned char *view = ipc.pid > 0 ? map_ipc(&ipc) : NULL;
    if (!view)
        return ipc.pid > 0 ? FAKE_MAP_FAILED : CUDA_ERROR_INVALID_VALUE;
    result = fake_heap_take(ipc.size, 0, &base);
    if (result != CUDA_SUCCESS)
        return result;
    memory = fake_memory_add(&(struct fake_memory){
        .kind = FAKE_IPC,
        .base = base,
        .size = ipc.size,
        .view = view,
        .device = context->device,
        .context = context,
        .opened = 1,
    });
    memcpy(memory->source, handle, sizeof *handle);
    *pointer = base;
    return CUDA_SUCCESS;
}

CUresult fake_cuIpcOpenMemHandle(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned flags)
{
    FAKE_ENTER(cuIpcOpenMemHandle);
    return fake_leave(flags != 1 ? CUDA_ERROR_INVALID_VALUE : open_ipc(pointer, &handle));
}

CUresult fake_cuIpcCloseMemHandle(CUdeviceptr pointer)
{
    struct fake_context *context;
    FAKE_ENTER(cuIpcCloseMemHandle);
    CUresult result = fake_current(&context);
    struct fake_memory *memory = fake_memory_find(pointer);
    if (result != CUDA_SUCCESS)
        return fake_leave(result);
    if (!memory || memory->kind != FAKE_IPC || memory->base != pointer) {
        fake_violation("cuIpcCloseMemHandle of 0x%llx", (unsigned long long)pointer);
        return fake_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (--memory->opened == 0)
        fake_memory_free(memory);
    return fake_leave(CUDA_SUCCESS);
}

/* Events are not shared for real: a handle names one of the process that made it,
 * and opening it makes an event that was never recorded. */
CUresult fake_cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
    FAKE_ENTER(cuIpcGetEventHandle);
    const struct fake_object *object = fake_object_get(event, FAKE_EVENT, "cuIpcGetEventHandle");
    if (!object)
        return fake_leave(CUDA_ERROR_INVALID_HANDLE);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &object->handle, sizeof object->handle);
    return fake_leave(CUDA_SUCCESS);
}
