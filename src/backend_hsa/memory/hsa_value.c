/* Owns the values in memory that a stream writes, adds to or waits for. A copy writes them; the
 * stream's thread adds and waits, since packets wait for signals only, and change nothing. */
#include "hsa_allocation.h"

#include <string.h>

static hipError_t refuse_pageable(const void *pointer)
{
    AH_LOG_ERR("the device cannot access %p: use memory that HIP allocated or registered", pointer);
    return hipErrorInvalidValue;
}

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
    if (dst.pageable)
        return refuse_pageable(pointer);
    error = ahhsa_staging_acquire(device, size, true, &piece);
    if (error != hipSuccess)
        return error;
    memcpy(piece.location.host, &value, size); /* its low bytes */
    return ahhsa_copy_enqueue(stream, &dst, &piece.location, size, piece.buffer, NULL);
}

/* Has the stream's thread do it. */
static hipError_t enqueue(struct ah_backend_device *device, struct ah_backend_stream *stream,
                          struct ahhsa_job *job)
{
    if ((uintptr_t)job->data % ((unsigned)job->bits / 8) != 0) {
        AH_LOG_ERR("a value of %d bits at %p is not aligned", job->bits, job->data);
        return hipErrorInvalidValue;
    }
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    job->device_only = !ahhsa_memory_is_host_accessible(device->backend, job->data);
    return ahhsa_host_enqueue(stream, job, job->kind == AHHSA_JOB_WAIT);
}

hipError_t ahhsa_stream_add_value(struct ah_backend_device *device,
                                  struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                  int bits)
{
    struct ahhsa_job job = {.kind = AHHSA_JOB_ADD, .data = pointer, .value = value, .bits = bits};
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    struct ahhsa_location place = ahhsa_location_of(device, pointer);
    if (place.pageable)
        return refuse_pageable(pointer);
    if (place.host)
        job.data = place.host;
    return enqueue(device, stream, &job);
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
        .reported_as = AH_TRACE_BARRIER,
    };
    return enqueue(device, stream, &job);
}
