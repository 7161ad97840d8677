/* Linear copies: hipMemcpy and its kin, to and from symbols, between devices. */
#include "api.h"
#include "api_shared.h"
#include "memory.h"

#include <stdlib.h>

bool ah_copy_kind_valid(hipMemcpyKind kind)
{
    return ((int)kind >= hipMemcpyHostToHost && (int)kind <= hipMemcpyDefault) ||
           (int)kind == hipMemcpyDeviceToDeviceNoCU;
}

static bool is_pageable(const void *pointer)
{
    struct ah_pointer_info info;
    return ah_memory_describe(pointer, &info) == NULL;
}

/* A copy that names a device must have a device's memory at one end. */
static hipError_t check_ends(const void *dst, const void *src, size_t size, hipMemcpyKind kind)
{
    bool known;
    if (!dst || !src || size > SIZE_MAX - (uintptr_t)dst || size > SIZE_MAX - (uintptr_t)src)
        return hipErrorInvalidValue;
    if (!ah_memory_holds(dst, src, size, &known)) {
        AH_LOG_ERR("a copy of %zu bytes from %p to %p reaches past the end of an allocation", size,
                   src, dst);
        return hipErrorInvalidValue;
    }
    if (!known && kind != hipMemcpyHostToHost && kind != hipMemcpyDefault && is_pageable(dst) &&
        is_pageable(src)) {
        AH_LOG_ERR("%s from %p to %p: neither is memory of a device", ah_name_copy_kind(kind), src,
                   dst);
        return hipErrorInvalidValue;
    }
    return hipSuccess;
}

/* The source may be pageable: the backend is then content when it has taken the data. */
static bool from_host(const void *src, hipMemcpyKind kind)
{
    struct ah_allocation allocation;
    return kind == hipMemcpyHostToDevice ||
           (kind == hipMemcpyDefault && !ah_memory_find(src, &allocation));
}

/* Between memories of two drivers: through host memory, finished on return. */
static hipError_t copy_staged(struct ah_device *dst_device, char *dst, struct ah_device *src_device,
                              const char *src, size_t size)
{
    hipError_t error = hipSuccess;
    size_t step = size < AH_STAGING_SIZE ? size : AH_STAGING_SIZE;
    void *staging = malloc(step);
    if (!staging)
        return hipErrorOutOfMemory;
    for (size_t done = 0; done < size && error == hipSuccess; done += step) {
        size_t now = size - done < step ? size - done : step;
        error = src_device->ops->copy(src_device->native, staging, src + done, now);
        if (error == hipSuccess)
            error = dst_device->ops->copy(dst_device->native, dst + done, staging, now);
    }
    free(staging); /* of which the driver has taken all, which may be on its way */
    return error == hipSuccess ? ah_stream_wait(dst_device, NULL) : error;
}

/* Where several drivers are in use the addresses decide whose copy it is. One that is not of the
 * stream's driver has ended on return, since the stream cannot wait for it. */
static hipError_t copy_routed(struct ah_device *device, struct ah_backend_stream *native, void *dst,
                              const void *src, size_t size, enum ah_blocking blocking)
{
    struct ah_device *dst_owner = ah_memory_owner(dst), *src_owner = ah_memory_owner(src);
    struct ah_device *owner = dst_owner ? dst_owner : src_owner ? src_owner : device;
    bool one_driver = (!dst_owner || dst_owner->driver == owner->driver) &&
                      (!src_owner || src_owner->driver == owner->driver);
    if (one_driver && owner->driver == device->driver) {
        hipError_t error = device->ops->copy_async(device->native, dst, src, size, native);
        return error == hipSuccess && blocking == AH_BLOCKING ? ah_stream_wait(device, native)
                                                              : error;
    }
    hipError_t error = ah_stream_wait(device, native);
    if (error != hipSuccess)
        return error;
    if (one_driver) {
        error = owner->ops->copy(owner->native, dst, src, size);
        return error == hipSuccess ? ah_stream_wait(owner, NULL) : error;
    }
    error = ah_device_wait_both(src_owner, dst_owner);
    return error == hipSuccess ? copy_staged(dst_owner, dst, src_owner, src, size) : error;
}

static hipError_t copy_on(struct ah_device *device, struct ah_backend_stream *native, void *dst,
                          const void *src, size_t size, hipMemcpyKind kind,
                          enum ah_blocking blocking)
{
    hipError_t error;
    bool wait = blocking == AH_BLOCKING;
    if (__builtin_expect(ah_memory_mixed_drivers(), 0))
        return copy_routed(device, native, dst, src, size, blocking);
    if (blocking == AH_BLOCKING && (native == NULL || native == AH_STREAM_LEGACY)) {
        error = device->ops->copy(device->native, dst, src, size);
        wait = from_host(src, kind);
    } else {
        error = device->ops->copy_async(device->native, dst, src, size, native);
    }
    return error == hipSuccess && wait ? ah_stream_wait(device, native) : error;
}

hipError_t ah_copy(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream,
                   enum ah_blocking blocking)
{
    struct ah_device *device;
    struct ah_backend_stream *native;
    int serialize = ah_registry.settings.serialize_copy;
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    hipError_t error = ah_stream_resolve(stream, &device, &native);
    if (error != hipSuccess || size == 0)
        return error;
    error = check_ends(dst, src, size, kind);
    if (error == hipSuccess && (serialize & AH_SERIALIZE_BEFORE))
        error = ah_stream_wait(device, native);
    if (error == hipSuccess)
        error = copy_on(device, native, dst, src, size, kind, blocking);
    if (error == hipSuccess && (serialize & AH_SERIALIZE_AFTER))
        error = ah_stream_wait(device, native);
    return error;
}

/* ---- the runtime's names -------------------------------------------------- */

hipError_t hipMemcpy(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind)
{
    AH_ENTER(dst, src, sizeBytes, ah_name_copy_kind(kind));
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, kind, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                               hipStream_t stream)
{
    AH_ENTER(dst, src, sizeBytes, ah_name_copy_kind(kind), stream);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, kind, stream, AH_BLOCKING));
}

hipError_t hipMemcpyAsync(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                          hipStream_t stream)
{
    AH_ENTER(dst, src, sizeBytes, ah_name_copy_kind(kind), stream);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, kind, stream, AH_ASYNC));
}

/* ---- the driver's names ---------------------------------------------------- */

hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t sizeBytes)
{
    AH_ENTER(dst, src, sizeBytes);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyHostToDevice, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t sizeBytes)
{
    AH_ENTER(dst, src, sizeBytes);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyDeviceToHost, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes)
{
    AH_ENTER(dst, src, sizeBytes);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyDeviceToDevice, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void *src, size_t sizeBytes,
                              hipStream_t stream)
{
    AH_ENTER(dst, src, sizeBytes, stream);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyHostToDevice, stream, AH_ASYNC));
}

hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream)
{
    AH_ENTER(dst, src, sizeBytes, stream);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyDeviceToHost, stream, AH_ASYNC));
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes,
                              hipStream_t stream)
{
    AH_ENTER(dst, src, sizeBytes, stream);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream, AH_ASYNC));
}

/* ---- between devices ------------------------------------------------------- */

hipError_t ah_device_wait_both(struct ah_device *one, struct ah_device *other)
{
    hipError_t error = one->ops->device_synchronize(one->native);
    return error == hipSuccess && other != one ? other->ops->device_synchronize(other->native)
                                               : error;
}

static hipError_t copy_peer(void *dst, int dst_ordinal, const void *src, int src_ordinal,
                            size_t size, hipStream_t stream, enum ah_blocking blocking)
{
    struct ah_device *dst_device = ah_device_at(dst_ordinal),
                     *src_device = ah_device_at(src_ordinal);
    struct ah_device *device;
    struct ah_backend_stream *native;
    if (!dst_device || !src_device)
        return ah_device_missing_error();
    hipError_t error = ah_stream_resolve(stream, &device, &native);
    if (error != hipSuccess || size == 0)
        return error;
    error = check_ends(dst, src, size, hipMemcpyDefault);
    if (error == hipSuccess && blocking == AH_BLOCKING)
        error = ah_device_wait_both(src_device, dst_device);
    if (error != hipSuccess)
        return error;
    if (dst_device->driver != src_device->driver || dst_device->driver != device->driver) {
        error = ah_stream_wait(device, native);
        return error == hipSuccess ? copy_staged(dst_device, dst, src_device, src, size) : error;
    }
    error = device->ops->copy_peer(device->native, dst_device->native, dst, src_device->native, src,
                                   size, native);
    return error == hipSuccess && blocking == AH_BLOCKING ? ah_stream_wait(device, native) : error;
}

hipError_t hipMemcpyPeer(void *dst, int dstDeviceId, const void *src, int srcDeviceId,
                         size_t sizeBytes)
{
    AH_ENTER(dst, dstDeviceId, src, srcDeviceId, sizeBytes);
    return AH_LEAVE(copy_peer(dst, dstDeviceId, src, srcDeviceId, sizeBytes, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyPeerAsync(void *dst, int dstDeviceId, const void *src, int srcDevice,
                              size_t sizeBytes, hipStream_t stream)
{
    AH_ENTER(dst, dstDeviceId, src, srcDevice, sizeBytes, stream);
    return AH_LEAVE(copy_peer(dst, dstDeviceId, src, srcDevice, sizeBytes, stream, AH_ASYNC));
}

/* ---- symbols --------------------------------------------------------------- */

static hipError_t symbol_range(const void *symbol, hipStream_t stream, size_t size, size_t offset,
                               char **out_address)
{
    struct ah_device *device;
    struct ah_backend_stream *native;
    void *address;
    size_t available;
    hipError_t error = ah_stream_resolve(stream, &device, &native);
    if (error != hipSuccess)
        return error;
    if (!symbol)
        return hipErrorInvalidSymbol;
    error = ah_variable_address(symbol, device, &address, &available);
    if (error != hipSuccess)
        return error;
    if (offset > available || size > available - offset)
        return hipErrorInvalidValue;
    *out_address = (char *)address + offset;
    return hipSuccess;
}

hipError_t ah_copy_symbol(const void *symbol, const void *host, size_t size, size_t offset,
                          hipMemcpyKind kind, bool to_symbol, hipStream_t stream,
                          enum ah_blocking blocking)
{
    char *address;
    hipMemcpyKind wrong = to_symbol ? hipMemcpyDeviceToHost : hipMemcpyHostToDevice;
    if (!ah_copy_kind_valid(kind) || kind == wrong || kind == hipMemcpyHostToHost)
        return hipErrorInvalidMemcpyDirection;
    hipError_t error = symbol_range(symbol, stream, size, offset, &address);
    if (error != hipSuccess)
        return error;
    return to_symbol ? ah_copy(address, host, size, kind, stream, blocking)
                     : ah_copy((void *)(uintptr_t)host, address, size, kind, stream, blocking);
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t sizeBytes, size_t offset,
                             hipMemcpyKind kind)
{
    AH_ENTER(symbol, src, sizeBytes, offset, ah_name_copy_kind(kind));
    return AH_LEAVE(ah_copy_symbol(symbol, src, sizeBytes, offset, kind, true, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t sizeBytes,
                                  size_t offset, hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(symbol, src, sizeBytes, offset, ah_name_copy_kind(kind), stream);
    return AH_LEAVE(ah_copy_symbol(symbol, src, sizeBytes, offset, kind, true, stream, AH_ASYNC));
}

hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t sizeBytes, size_t offset,
                               hipMemcpyKind kind)
{
    AH_ENTER(dst, symbol, sizeBytes, offset, ah_name_copy_kind(kind));
    return AH_LEAVE(ah_copy_symbol(symbol, dst, sizeBytes, offset, kind, false, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t sizeBytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(dst, symbol, sizeBytes, offset, ah_name_copy_kind(kind), stream);
    return AH_LEAVE(ah_copy_symbol(symbol, dst, sizeBytes, offset, kind, false, stream, AH_ASYNC));
}

static hipError_t symbol_address(void **out_address, size_t *out_size, const void *symbol)
{
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    if (!symbol)
        return hipErrorInvalidSymbol;
    return ah_variable_address(symbol, device, out_address, out_size);
}

hipError_t hipGetSymbolAddress(void **devPtr, const void *symbol)
{
    size_t size;
    AH_ENTER(devPtr, symbol);
    if (!devPtr)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(symbol_address(devPtr, &size, symbol));
}

hipError_t hipGetSymbolSize(size_t *size, const void *symbol)
{
    void *address;
    AH_ENTER(size, symbol);
    if (!size)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(symbol_address(&address, size, symbol));
}
