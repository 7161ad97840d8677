/* Fills: hipMemset and its kin. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

/* A fill of device memory does not block the host; of host and managed memory it
 * does, since the host could look at it. */
hipError_t ah_fill(void *dst, size_t pitch, unsigned value, unsigned element_size, size_t width,
                   size_t height, hipStream_t handle, enum ah_blocking blocking)
{
    struct ah_stream *stream;
    hipError_t error = ah_stream_resolve(handle, &stream);
    if (error != hipSuccess || width == 0 || height == 0)
        return error;
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_FILL,
                                                  .blocking = blocking,
                                                  .fill = {.rows = {dst, pitch, value, element_size,
                                                                    width, height}}});
}

hipError_t ah_fill_3d(hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream,
                      enum ah_blocking blocking)
{
    size_t slice, rows;
    enum ah_memory_kind kind;
    hipError_t error = hipSuccess;
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return ah_fill(dst.ptr, dst.pitch, 0, 1, 0, 0, stream, blocking);
    if (!dst.ptr || extent.width > dst.pitch || extent.height > dst.ysize ||
        __builtin_mul_overflow(dst.pitch, dst.ysize, &slice))
        return hipErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return hipErrorInvalidValue;
    if (extent.height == dst.ysize) /* slices without gaps are one run of rows */
        return ah_fill(dst.ptr, dst.pitch, (unsigned char)value, 1, extent.width, rows, stream,
                       blocking);
    error = ah_fill_check_range(dst.ptr, slice, dst.pitch * (extent.height - 1) + extent.width,
                                extent.depth, &kind);
    for (size_t z = 0; z < extent.depth && error == hipSuccess; z++)
        error = ah_fill((char *)dst.ptr + z * slice, dst.pitch, (unsigned char)value, 1,
                        extent.width, extent.height, stream, blocking);
    return error;
}

static hipError_t fill_bytes(void *dst, int value, size_t size, hipStream_t stream,
                             enum ah_blocking blocking)
{
    return ah_fill(dst, 0, (unsigned char)value, 1, size, 1, stream, blocking);
}

hipError_t hipMemset(void *dst, int value, size_t sizeBytes)
{
    AH_ENTER(hipMemset);
    return AH_LEAVE(fill_bytes(dst, value, sizeBytes, NULL, AH_BLOCKING));
}

hipError_t hipMemsetAsync(void *dst, int value, size_t sizeBytes, hipStream_t stream)
{
    AH_ENTER(hipMemsetAsync);
    return AH_LEAVE(fill_bytes(dst, value, sizeBytes, stream, AH_ASYNC));
}

hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count)
{
    AH_ENTER(hipMemsetD8);
    return AH_LEAVE(ah_fill(dest, 0, value, 1, count, 1, NULL, AH_BLOCKING));
}

hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count,
                            hipStream_t stream)
{
    AH_ENTER(hipMemsetD8Async);
    return AH_LEAVE(ah_fill(dest, 0, value, 1, count, 1, stream, AH_ASYNC));
}

hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count)
{
    AH_ENTER(hipMemsetD16);
    return AH_LEAVE(ah_fill(dest, 0, value, 2, count, 1, NULL, AH_BLOCKING));
}

hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count,
                             hipStream_t stream)
{
    AH_ENTER(hipMemsetD16Async);
    return AH_LEAVE(ah_fill(dest, 0, value, 2, count, 1, stream, AH_ASYNC));
}

hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count)
{
    AH_ENTER(hipMemsetD32);
    return AH_LEAVE(ah_fill(dest, 0, (unsigned)value, 4, count, 1, NULL, AH_BLOCKING));
}

hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream)
{
    AH_ENTER(hipMemsetD32Async);
    return AH_LEAVE(ah_fill(dst, 0, (unsigned)value, 4, count, 1, stream, AH_ASYNC));
}

hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    AH_ENTER(hipMemset2D);
    return AH_LEAVE(ah_fill(dst, pitch, (unsigned char)value, 1, width, height, NULL, AH_BLOCKING));
}

hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream)
{
    AH_ENTER(hipMemset2DAsync);
    return AH_LEAVE(ah_fill(dst, pitch, (unsigned char)value, 1, width, height, stream, AH_ASYNC));
}

hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent)
{
    AH_ENTER(hipMemset3D);
    return AH_LEAVE(ah_fill_3d(pitchedDevPtr, value, extent, NULL, AH_BLOCKING));
}

hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent,
                            hipStream_t stream)
{
    AH_ENTER(hipMemset3DAsync);
    return AH_LEAVE(ah_fill_3d(pitchedDevPtr, value, extent, stream, AH_ASYNC));
}

hipError_t hipMemsetD2D8(hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width,
                         size_t height)
{
    AH_ENTER(hipMemsetD2D8);
    return AH_LEAVE(ah_fill(dst, dstPitch, value, 1, width, height, NULL, AH_BLOCKING));
}

hipError_t hipMemsetD2D8Async(hipDeviceptr_t dst, size_t dstPitch, unsigned char value,
                              size_t width, size_t height, hipStream_t stream)
{
    AH_ENTER(hipMemsetD2D8Async);
    return AH_LEAVE(ah_fill(dst, dstPitch, value, 1, width, height, stream, AH_ASYNC));
}

hipError_t hipMemsetD2D16(hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width,
                          size_t height)
{
    AH_ENTER(hipMemsetD2D16);
    return AH_LEAVE(ah_fill(dst, dstPitch, value, 2, width, height, NULL, AH_BLOCKING));
}

hipError_t hipMemsetD2D16Async(hipDeviceptr_t dst, size_t dstPitch, unsigned short value,
                               size_t width, size_t height, hipStream_t stream)
{
    AH_ENTER(hipMemsetD2D16Async);
    return AH_LEAVE(ah_fill(dst, dstPitch, value, 2, width, height, stream, AH_ASYNC));
}

hipError_t hipMemsetD2D32(hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width,
                          size_t height)
{
    AH_ENTER(hipMemsetD2D32);
    return AH_LEAVE(ah_fill(dst, dstPitch, value, 4, width, height, NULL, AH_BLOCKING));
}

hipError_t hipMemsetD2D32Async(hipDeviceptr_t dst, size_t dstPitch, unsigned int value,
                               size_t width, size_t height, hipStream_t stream)
{
    AH_ENTER(hipMemsetD2D32Async);
    return AH_LEAVE(ah_fill(dst, dstPitch, value, 4, width, height, stream, AH_ASYNC));
}
