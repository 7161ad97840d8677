/* Linear copies: hipMemcpy and its kin, to and from symbols, between devices. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "parameters.h"
#include "runtime.h"

hipError_t ah_copy(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t handle,
                   enum ah_blocking blocking)
{
    struct ah_stream *stream;
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess || size == 0)
        return error;
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_COPY,
                                                  .blocking = blocking,
                                                  .copy = {dst, src, size, kind, NULL, NULL}});
}

static inline __attribute__((always_inline)) hipError_t
copy_async(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t handle)
{
    struct ah_stream *stream;
    if (__builtin_expect(!ah_copy_kind_valid(kind), 0))
        return hipErrorInvalidMemcpyDirection;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (__builtin_expect((error != hipSuccess) | (size == 0), 0))
        return error;
    return ah_submit_copy(stream, dst, src, size, kind);
}

/* ---- the runtime's names -------------------------------------------------- */

hipError_t hipMemcpy(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpy);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, kind, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                               hipStream_t stream)
{
    AH_ENTER(hipMemcpyWithStream);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, kind, stream, AH_BLOCKING));
}

AH_LAUNCH_CODE hipError_t hipMemcpyAsync(void *dst, const void *src, size_t sizeBytes,
                                         hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpyAsync);
    return AH_LEAVE(copy_async(dst, src, sizeBytes, kind, stream));
}

/* ---- the driver's names ---------------------------------------------------- */

hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t sizeBytes)
{
    AH_ENTER(hipMemcpyHtoD);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyHostToDevice, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t sizeBytes)
{
    AH_ENTER(hipMemcpyDtoH);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyDeviceToHost, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes)
{
    AH_ENTER(hipMemcpyDtoD);
    return AH_LEAVE(ah_copy(dst, src, sizeBytes, hipMemcpyDeviceToDevice, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void *src, size_t sizeBytes,
                              hipStream_t stream)
{
    AH_ENTER(hipMemcpyHtoDAsync);
    return AH_LEAVE(copy_async(dst, src, sizeBytes, hipMemcpyHostToDevice, stream));
}

hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream)
{
    AH_ENTER(hipMemcpyDtoHAsync);
    return AH_LEAVE(copy_async(dst, src, sizeBytes, hipMemcpyDeviceToHost, stream));
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes,
                              hipStream_t stream)
{
    AH_ENTER(hipMemcpyDtoDAsync);
    return AH_LEAVE(copy_async(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream));
}

/* ---- between devices ------------------------------------------------------- */

static hipError_t copy_peer(void *dst, int dst_ordinal, const void *src, int src_ordinal,
                            size_t size, hipStream_t handle, enum ah_blocking blocking)
{
    struct ah_device *dst_device = ah_device_at(dst_ordinal),
                     *src_device = ah_device_at(src_ordinal);
    struct ah_stream *stream;
    if (!dst_device || !src_device)
        return ah_device_missing_error();
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess || size == 0)
        return error;
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_COPY_PEER,
                                                  .blocking = blocking,
                                                  .copy = {dst, src, size, hipMemcpyDefault,
                                                           dst_device, src_device}});
}

hipError_t hipMemcpyPeer(void *dst, int dstDeviceId, const void *src, int srcDeviceId,
                         size_t sizeBytes)
{
    AH_ENTER(hipMemcpyPeer);
    return AH_LEAVE(copy_peer(dst, dstDeviceId, src, srcDeviceId, sizeBytes, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyPeerAsync(void *dst, int dstDeviceId, const void *src, int srcDevice,
                              size_t sizeBytes, hipStream_t stream)
{
    AH_ENTER(hipMemcpyPeerAsync);
    return AH_LEAVE(copy_peer(dst, dstDeviceId, src, srcDevice, sizeBytes, stream, AH_ASYNC));
}

/* ---- symbols --------------------------------------------------------------- */

hipError_t ah_symbol_address(const void *symbol, struct ah_device *device, size_t size,
                             size_t offset, hipMemcpyKind kind, bool to_symbol, void **out_address)
{
    void *address;
    size_t available;
    hipMemcpyKind wrong = to_symbol ? hipMemcpyDeviceToHost : hipMemcpyHostToDevice;
    if (!ah_copy_kind_valid(kind) || kind == wrong || kind == hipMemcpyHostToHost)
        return hipErrorInvalidMemcpyDirection;
    if (!symbol)
        return hipErrorInvalidSymbol;
    hipError_t error = ah_variable_address(symbol, device, &address, &available);
    if (error != hipSuccess)
        return error;
    if (offset > available || size > available - offset)
        return hipErrorInvalidValue;
    *out_address = (char *)address + offset;
    return hipSuccess;
}

hipError_t ah_copy_symbol(const void *symbol, const void *host, size_t size, size_t offset,
                          hipMemcpyKind kind, bool to_symbol, hipStream_t handle,
                          enum ah_blocking blocking)
{
    struct ah_stream *stream;
    void *address;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error == hipSuccess)
        error = ah_symbol_address(symbol, stream->handle.device, size, offset, kind, to_symbol,
                                  &address);
    if (error != hipSuccess)
        return error;
    return to_symbol ? ah_copy(address, host, size, kind, handle, blocking)
                     : ah_copy((void *)(uintptr_t)host, address, size, kind, handle, blocking);
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t sizeBytes, size_t offset,
                             hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpyToSymbol);
    return AH_LEAVE(ah_copy_symbol(symbol, src, sizeBytes, offset, kind, true, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t sizeBytes,
                                  size_t offset, hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpyToSymbolAsync);
    return AH_LEAVE(ah_copy_symbol(symbol, src, sizeBytes, offset, kind, true, stream, AH_ASYNC));
}

hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t sizeBytes, size_t offset,
                               hipMemcpyKind kind)
{
    AH_ENTER(hipMemcpyFromSymbol);
    return AH_LEAVE(ah_copy_symbol(symbol, dst, sizeBytes, offset, kind, false, NULL, AH_BLOCKING));
}

hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t sizeBytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream)
{
    AH_ENTER(hipMemcpyFromSymbolAsync);
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
    AH_ENTER(hipGetSymbolAddress);
    if (!devPtr)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(symbol_address(devPtr, &size, symbol));
}

hipError_t hipGetSymbolSize(size_t *size, const void *symbol)
{
    void *address;
    AH_ENTER(hipGetSymbolSize);
    if (!size)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(symbol_address(&address, size, symbol));
}
