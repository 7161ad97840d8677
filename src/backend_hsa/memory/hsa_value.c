/* Owns the values in memory that a stream writes or waits for. A copy writes them; the stream's
 * thread waits for them, since packets wait for signals only. */
#include "hsa_allocation.h"

#include <string.h>

hipError_t ahhsa_stream_write_value(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                    int bits)
{
    struct ahhsa_staging_area piece;
    size_t size = (size_t)bits / 8;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    struct ahhsa_location dst = ahhsa_location_of(device, pointer);
    if (dst.pageable) {
        AH_LOG_ERR("the device cannot access %p: use memory that HIP allocated or registered",
                   pointer);
        return hipErrorInvalidValue;
    }
    error = ahhsa_staging_acquire(device, size, true, &piece);
    if (error != hipSuccess)
        return error;
    memcpy(piece.location.host, &value, size); /* its low bytes */
    return ahhsa_copy_enqueue(stream, &dst, &piece.location, size, piece.buffer, NULL);
}

hipError_t ahhsa_stream_wait_value(struct ah_backend_device *device,
                                   struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                   uint64_t mask, enum ah_wait_condition condition, int bits)
{
    struct ahhsa_job job = {
        .kind = AHHSA_JOB_WAIT,
        .data = pointer,
        .value = value,
        .mask = mask,
        .condition = condition,
        .bits = bits,
    };
    if ((uintptr_t)pointer % ((unsigned)bits / 8) != 0) {
        AH_LOG_ERR("a value of %d bits at %p is not aligned", bits, pointer);
        return hipErrorInvalidValue;
    }
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    job.device_only = !ahhsa_memory_is_host_accessible(device->backend, pointer);
    return ahhsa_host_enqueue(stream, &job, true);
}
