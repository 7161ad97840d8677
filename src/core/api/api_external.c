/* Memory and semaphores of other APIs and processes: hipImportExternalMemory and its kin. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The errors of a handle that is a file descriptor. */
static hipError_t check_file(int file)
{
    if (fcntl(file, F_GETFD) >= 0)
        return hipSuccess;
    AH_LOG_ERR("%d is not an open file descriptor: %s", file, strerror(errno));
    return hipErrorInvalidValue;
}

static hipError_t foreign_kind(const char *what, int type)
{
    AH_LOG_ERR("%s of type %d exist on other systems only: Linux has file descriptors", what, type);
    return hipErrorNotSupported;
}

/* ---- memory -------------------------------------------------------------------------- */

static hipError_t check_memory(const hipExternalMemoryHandleDesc *description)
{
    if (!description || description->size == 0 ||
        (description->flags & ~(unsigned)hipExternalMemoryDedicated) ||
        (int)description->type < hipExternalMemoryHandleTypeOpaqueFd ||
        (int)description->type > hipExternalMemoryHandleTypeNvSciBuf)
        return hipErrorInvalidValue;
    return description->type == hipExternalMemoryHandleTypeOpaqueFd
               ? check_file(description->handle.fd)
               : foreign_kind("handles of memory", description->type);
}

static hipError_t import_memory(hipExternalMemory_t *out,
                                const hipExternalMemoryHandleDesc *description)
{
    struct ah_backend_external *native;
    struct ah_device *device = ah_device_current();
    if (!out)
        return hipErrorInvalidValue;
    hipError_t error = check_memory(description);
    if (error != hipSuccess)
        return error;
    if (!device)
        return hipErrorNoDevice;
    struct ah_external *external = ah_handle_create(AH_HANDLE_EXTERNAL, device);
    if (!external)
        return hipErrorOutOfMemory;
    error = device->ops->external_import(device->native, description, &native);
    if (error != hipSuccess) {
        ah_handle_destroy(external);
        return error;
    }
    external->native = native;
    external->size = description->size;
    *out = external;
    return hipSuccess;
}

hipError_t hipImportExternalMemory(hipExternalMemory_t *extMem_out,
                                   const hipExternalMemoryHandleDesc *memHandleDesc)
{
    AH_ENTER_UNSAFE(hipImportExternalMemory);
    return AH_LEAVE(import_memory(extMem_out, memHandleDesc));
}

static hipError_t destroy_memory(hipExternalMemory_t handle)
{
    struct ah_external *external = handle;
    if (!handle || !ah_handle_retire(handle, AH_HANDLE_EXTERNAL))
        return hipErrorInvalidValue;
    struct ah_device *device = external->handle.device;
    return ah_handle_finish_destroy(
        external, AH_HANDLE_EXTERNAL,
        device->ops->external_destroy(device->native, external->native));
}

hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem)
{
    AH_ENTER_UNSAFE(hipDestroyExternalMemory);
    return AH_LEAVE(destroy_memory(extMem));
}

static hipError_t map_buffer(void **out_pointer, hipExternalMemory_t handle,
                             const hipExternalMemoryBufferDesc *description)
{
    void *pointer;
    const struct ah_external *external = handle;
    if (!out_pointer || !description || description->flags != 0 || description->size == 0 ||
        !ah_handle_is(handle, AH_HANDLE_EXTERNAL))
        return hipErrorInvalidValue;
    if (description->offset > external->size ||
        description->size > external->size - description->offset) {
        AH_LOG_ERR("%llu bytes from %llu on reach beyond imported memory of %llu bytes",
                   description->size, description->offset, (unsigned long long)external->size);
        return hipErrorInvalidValue;
    }
    struct ah_device *device = external->handle.device;
    hipError_t error = device->ops->external_map(device->native, external->native,
                                                 description->offset, description->size, &pointer);
    if (error != hipSuccess)
        return error;
    error = ah_memory_register(&(struct ah_allocation){
        .range = {.start = (uintptr_t)pointer, .size = description->size},
        .device = device,
        .kind = AH_MEMORY_DEVICE,
    });
    if (error == hipSuccess)
        *out_pointer = pointer;
    else
        device->ops->memory_free(device->native, pointer);
    return error;
}

hipError_t hipExternalMemoryGetMappedBuffer(void **devPtr, hipExternalMemory_t extMem,
                                            const hipExternalMemoryBufferDesc *bufferDesc)
{
    AH_ENTER_UNSAFE(hipExternalMemoryGetMappedBuffer);
    return AH_LEAVE(map_buffer(devPtr, extMem, bufferDesc));
}

/* ---- semaphores ---------------------------------------------------------------------- */

static hipError_t check_semaphore(const hipExternalSemaphoreHandleDesc *description)
{
    if (!description || (int)description->type < hipExternalSemaphoreHandleTypeOpaqueFd ||
        (int)description->type > hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32)
        return hipErrorInvalidValue;
    return description->type == hipExternalSemaphoreHandleTypeOpaqueFd ||
                   description->type == hipExternalSemaphoreHandleTypeTimelineSemaphoreFd
               ? check_file(description->handle.fd)
               : foreign_kind("handles of semaphores", description->type);
}

static hipError_t import_semaphore(hipExternalSemaphore_t *out,
                                   const hipExternalSemaphoreHandleDesc *description)
{
    struct ah_backend_semaphore *native;
    struct ah_device *device = ah_device_current();
    if (!out)
        return hipErrorInvalidValue;
    hipError_t error = check_semaphore(description);
    if (error != hipSuccess)
        return error;
    if (!device)
        return hipErrorNoDevice;
    struct ah_semaphore *semaphore = ah_handle_create(AH_HANDLE_SEMAPHORE, device);
    if (!semaphore)
        return hipErrorOutOfMemory;
    error = device->ops->semaphore_import(device->native, description, &native);
    if (error != hipSuccess) {
        ah_handle_destroy(semaphore);
        return error;
    }
    semaphore->native = native;
    *out = semaphore;
    return hipSuccess;
}

hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t *extSem_out,
                                      const hipExternalSemaphoreHandleDesc *semHandleDesc)
{
    AH_ENTER(hipImportExternalSemaphore);
    return AH_LEAVE(import_semaphore(extSem_out, semHandleDesc));
}

static hipError_t destroy_semaphore(hipExternalSemaphore_t handle)
{
    struct ah_semaphore *semaphore = handle;
    if (!handle || !ah_handle_retire(handle, AH_HANDLE_SEMAPHORE))
        return hipErrorInvalidValue;
    struct ah_device *device = semaphore->handle.device;
    return ah_handle_finish_destroy(
        semaphore, AH_HANDLE_SEMAPHORE,
        device->ops->semaphore_destroy(device->native, semaphore->native));
}

hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t extSem)
{
    AH_ENTER(hipDestroyExternalSemaphore);
    return AH_LEAVE(destroy_semaphore(extSem));
}

static hipError_t submit(hipStream_t handle, struct ah_command *command)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error == hipErrorContextIsDestroyed)
        return hipErrorInvalidValue; /* as HIP's functions of semaphores, unlike its others */
    return error == hipSuccess ? ah_submit(stream, command) : error;
}

hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t *extSemArray,
                                            const hipExternalSemaphoreSignalParams *paramsArray,
                                            unsigned int numExtSems, hipStream_t stream)
{
    struct ah_command command = {
        .kind = AH_COMMAND_SIGNAL,
        .semaphores = {.list = extSemArray, .signals = paramsArray, .count = numExtSems}};
    AH_ENTER(hipSignalExternalSemaphoresAsync);
    return AH_LEAVE(extSemArray && paramsArray ? submit(stream, &command) : hipErrorInvalidValue);
}

hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t *extSemArray,
                                          const hipExternalSemaphoreWaitParams *paramsArray,
                                          unsigned int numExtSems, hipStream_t stream)
{
    struct ah_command command = {
        .kind = AH_COMMAND_SEMAPHORE_WAIT,
        .semaphores = {.list = extSemArray, .waits = paramsArray, .count = numExtSems}};
    AH_ENTER(hipWaitExternalSemaphoresAsync);
    return AH_LEAVE(extSemArray && paramsArray ? submit(stream, &command) : hipErrorInvalidValue);
}

/* ---- memory for other drivers -------------------------------------------------------- */

static hipError_t export_range(void *out_handle, void *pointer, size_t size,
                               hipMemRangeHandleType type, unsigned long long flags)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!out_handle || !pointer || size == 0 || (uintptr_t)pointer % page != 0 ||
        size % page != 0 || type != hipMemRangeHandleTypeDmaBufFd ||
        (flags & ~(unsigned long long)hipMemRangeFlagDmaBufMappingTypePcie))
        return hipErrorInvalidValue;
    struct ah_device *device = ah_memory_owner(pointer);
    if (!device) {
        AH_LOG_ERR("%p is not device memory", pointer);
        return hipErrorInvalidValue;
    }
    return device->ops->memory_range_handle(device->native, pointer, size, type, flags, out_handle);
}

hipError_t hipMemGetHandleForAddressRange(void *handle, hipDeviceptr_t dptr, size_t size,
                                          hipMemRangeHandleType handleType,
                                          unsigned long long flags)
{
    AH_ENTER(hipMemGetHandleForAddressRange);
    return AH_LEAVE(export_range(handle, dptr, size, handleType, flags));
}
