/* Owns memory and semaphores of other APIs, and handles of memory for other drivers. HIP's
 * descriptions have CUDA's values and layouts. */
#include "cuda_backend.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(hipExternalMemoryHandleDesc) == sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) &&
                   offsetof(hipExternalMemoryHandleDesc, flags) ==
                       offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags),
               "hipExternalMemoryHandleDesc");
_Static_assert(sizeof(hipExternalSemaphoreHandleDesc) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) &&
                   offsetof(hipExternalSemaphoreHandleDesc, flags) ==
                       offsetof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, flags),
               "hipExternalSemaphoreHandleDesc");
_Static_assert(sizeof(hipExternalSemaphoreSignalParams) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS) &&
                   offsetof(hipExternalSemaphoreSignalParams, flags) ==
                       offsetof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, flags),
               "hipExternalSemaphoreSignalParams");
_Static_assert(sizeof(hipExternalSemaphoreWaitParams) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS) &&
                   offsetof(hipExternalSemaphoreWaitParams, flags) ==
                       offsetof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, flags),
               "hipExternalSemaphoreWaitParams");

hipError_t ahcuda_memory_range_handle(struct ah_backend_device *device, void *pointer, size_t size,
                                      hipMemRangeHandleType type, unsigned long long flags,
                                      void *out_handle)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuMemGetHandleForAddressRange)
        return ahcuda_missing(device, "cuMemGetHandleForAddressRange");
    return ahcuda_done(device, "cuMemGetHandleForAddressRange",
                       device->api->cuMemGetHandleForAddressRange(
                           out_handle, ahcuda_pointer(pointer), size, (int)type, flags));
}

/* The driver closes the file that it is given, even if it refuses it (580): it gets another one. */
static hipError_t copy_file(int file, int *out_copy)
{
    *out_copy = fcntl(file, F_DUPFD_CLOEXEC, 3);
    if (*out_copy >= 0)
        return hipSuccess;
    int why = errno; /* EMFILE, or EINVAL where the limit is as low as that */
    AH_LOG_ERR("cannot duplicate file descriptor %d: %s", file, strerror(why));
    return why == EBADF ? hipErrorInvalidValue : hipErrorOutOfMemory;
}

/* Whether both numbers are of one opened file. */
static bool is_same_file(int a, int b)
{
    enum { KCMP_FILE = 0 };
    pid_t self = getpid();
    return syscall(SYS_kcmp, self, self, KCMP_FILE, a, b) == 0;
}

/* What was imported has the file, of which the caller's number goes; otherwise the caller keeps it.
 * A driver that has not closed the copy then has not taken it. */
static hipError_t finish_import(int file, int copy, hipError_t error)
{
    if (error == hipSuccess)
        close(file);
    else if (is_same_file(file, copy))
        close(copy);
    return error;
}

/* ---- memory -------------------------------------------------------------------------- */

hipError_t ahcuda_external_import(struct ah_backend_device *device,
                                  const hipExternalMemoryHandleDesc *description,
                                  struct ah_backend_external **out_external)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC native;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuImportExternalMemory || !device->api->cuDestroyExternalMemory)
        return ahcuda_missing(device, "cuImportExternalMemory");
    memcpy(&native, description, sizeof native);
    error = copy_file(description->handle.fd, &native.handle.fd);
    if (error != hipSuccess)
        return error;
    error = ahcuda_done(
        device, "cuImportExternalMemory",
        device->api->cuImportExternalMemory((CUexternalMemory *)(void *)out_external, &native));
    return finish_import(description->handle.fd, native.handle.fd, error);
}

hipError_t ahcuda_external_destroy(struct ah_backend_device *device,
                                   struct ah_backend_external *external)
{
    hipError_t error = ahcuda_enter(device);
    return error == hipSuccess ? ahcuda_done(device, "cuDestroyExternalMemory",
                                             device->api->cuDestroyExternalMemory(
                                                 (CUexternalMemory)(void *)external))
                               : error;
}

hipError_t ahcuda_external_map(struct ah_backend_device *device,
                               struct ah_backend_external *external, uint64_t offset, uint64_t size,
                               void **out_pointer)
{
    CUdeviceptr pointer;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC native = {.offset = offset, .size = size};
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuExternalMemoryGetMappedBuffer)
        return ahcuda_missing(device, "cuExternalMemoryGetMappedBuffer");
    error = ahcuda_done(device, "cuExternalMemoryGetMappedBuffer",
                        device->api->cuExternalMemoryGetMappedBuffer(
                            &pointer, (CUexternalMemory)(void *)external, &native));
    if (error == hipSuccess)
        *out_pointer = (void *)(uintptr_t)pointer;
    return error;
}

hipError_t ahcuda_external_map_mipmap(struct ah_backend_device *device,
                                      struct ah_backend_external *external, uint64_t offset,
                                      const struct ah_array_shape *shape, unsigned levels,
                                      struct ah_backend_mipmap **out_mipmap)
{
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC native = {
        .offset = offset,
        .arrayDesc = {.Width = shape->width,
                      .Height = shape->height,
                      .Depth = shape->depth,
                      .Format = (int)shape->format,
                      .NumChannels = shape->channels,
                      .Flags = shape->flags},
        .numLevels = levels,
    };
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuExternalMemoryGetMappedMipmappedArray)
        return ahcuda_missing(device, "cuExternalMemoryGetMappedMipmappedArray");
    return ahcuda_done(
        device, "cuExternalMemoryGetMappedMipmappedArray",
        device->api->cuExternalMemoryGetMappedMipmappedArray(
            (CUmipmappedArray *)(void *)out_mipmap, (CUexternalMemory)(void *)external, &native));
}

/* ---- semaphores ---------------------------------------------------------------------- */

hipError_t ahcuda_semaphore_import(struct ah_backend_device *device,
                                   const hipExternalSemaphoreHandleDesc *description,
                                   struct ah_backend_semaphore **out_semaphore)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC native;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->cuImportExternalSemaphore || !device->api->cuDestroyExternalSemaphore ||
        !device->api->cuSignalExternalSemaphoresAsync ||
        !device->api->cuWaitExternalSemaphoresAsync)
        return ahcuda_missing(device, "cuImportExternalSemaphore");
    memcpy(&native, description, sizeof native);
    error = copy_file(description->handle.fd, &native.handle.fd);
    if (error != hipSuccess)
        return error;
    error = ahcuda_done(device, "cuImportExternalSemaphore",
                        device->api->cuImportExternalSemaphore(
                            (CUexternalSemaphore *)(void *)out_semaphore, &native));
    return finish_import(description->handle.fd, native.handle.fd, error);
}

hipError_t ahcuda_semaphore_destroy(struct ah_backend_device *device,
                                    struct ah_backend_semaphore *semaphore)
{
    hipError_t error = ahcuda_enter(device);
    return error == hipSuccess ? ahcuda_done(device, "cuDestroyExternalSemaphore",
                                             device->api->cuDestroyExternalSemaphore(
                                                 (CUexternalSemaphore)(void *)semaphore))
                               : error;
}

hipError_t ahcuda_stream_signal_semaphores(struct ah_backend_device *device,
                                           struct ah_backend_stream *stream,
                                           struct ah_backend_semaphore *const *semaphores,
                                           const hipExternalSemaphoreSignalParams *params,
                                           unsigned count)
{
    hipError_t error = ahcuda_enter_stream(device, stream);
    return error == hipSuccess
               ? ahcuda_done(
                     device, "cuSignalExternalSemaphoresAsync",
                     device->api->cuSignalExternalSemaphoresAsync(
                         (const CUexternalSemaphore *)(const void *)semaphores,
                         (const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *)(const void *)params, count,
                         ahcuda_stream(stream)))
               : error;
}

hipError_t ahcuda_stream_wait_semaphores(struct ah_backend_device *device,
                                         struct ah_backend_stream *stream,
                                         struct ah_backend_semaphore *const *semaphores,
                                         const hipExternalSemaphoreWaitParams *params,
                                         unsigned count)
{
    hipError_t error = ahcuda_enter_stream(device, stream);
    return error == hipSuccess
               ? ahcuda_done(device, "cuWaitExternalSemaphoresAsync",
                             device->api->cuWaitExternalSemaphoresAsync(
                                 (const CUexternalSemaphore *)(const void *)semaphores,
                                 (const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *)(const void *)params,
                                 count, ahcuda_stream(stream)))
               : error;
}
