/* Streams whose kernels run on some of a device's units only. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"

#include <stdlib.h>

/* Copies the mask as far as there are units, and counts those that it names. */
static unsigned copy_units(uint32_t *out, unsigned units, const uint32_t *mask, uint32_t words)
{
    unsigned count = 0;
    for (unsigned i = 0; i < units && i / 32 < words; i++)
        if (mask[i / 32] >> i % 32 & 1) {
            out[i / 32] |= UINT32_C(1) << i % 32;
            count++;
        }
    return count;
}

/* The context ends with its stream. */
static hipError_t create_in_context(struct ah_device *device, const uint32_t *mask, unsigned words,
                                    struct ah_stream **out_stream)
{
    struct ah_execution_context *context;
    hipError_t error = ah_execution_create(AH_HANDLE_HIDDEN_CONTEXT, device, mask, words, &context);
    if (error != hipSuccess)
        return error;
    error = ah_execution_stream(context, hipStreamDefault, 0, out_stream);
    if (error != hipSuccess)
        (void)ah_execution_discard(context);
    return error;
}

static hipError_t create_unmasked(struct ah_device *device, struct ah_stream **out_stream)
{
    struct ah_backend_stream *native;
    hipError_t error = device->ops->stream_create(device->native, hipStreamDefault, 0, &native);
    return error == hipSuccess
               ? ah_stream_wrap(AH_HANDLE_STREAM, device, native, hipStreamDefault, 0, out_stream)
               : error;
}

/* A mask without a unit is the default one, as a stream on no unit would never run. */
static hipError_t create_masked(hipStream_t *out_stream, uint32_t words, const uint32_t *mask)
{
    int units = 0;
    struct ah_stream *stream;
    struct ah_device *device = ah_device_current();
    if (!out_stream)
        return hipErrorInvalidHandle; /* as HIP documents, here only */
    if (!mask || words == 0)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->device_attribute(device->native,
                                                     hipDeviceAttributeMultiprocessorCount, &units);
    if (error != hipSuccess)
        return error;
    unsigned needed = ((unsigned)units + 31) / 32;
    uint32_t *kept = calloc(needed, sizeof *kept);
    if (!kept)
        return hipErrorOutOfMemory;
    unsigned count = copy_units(kept, (unsigned)units, mask, words);
    error = count == 0 || count == (unsigned)units
                ? create_unmasked(device, &stream)
                : create_in_context(device, kept, needed, &stream);
    free(kept);
    if (error == hipSuccess)
        *out_stream = (hipStream_t)(void *)stream;
    return error;
}

hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t cuMaskSize,
                                        const uint32_t *cuMask)
{
    AH_ENTER(hipExtStreamCreateWithCUMask);
    return AH_LEAVE(create_masked(stream, cuMaskSize, cuMask));
}

/* A stream without a mask of its own uses all units. */
static hipError_t get_mask(hipStream_t handle, uint32_t words, uint32_t *out_mask)
{
    struct ah_stream *stream;
    int units = 0;
    if (!out_mask || words == 0)
        return hipErrorInvalidValue;
    hipError_t error = ah_stream_resolve_any(handle, &stream);
    if (error != hipSuccess)
        return error;
    struct ah_device *device = stream->handle.device;
    error = device->ops->device_attribute(device->native, hipDeviceAttributeMultiprocessorCount,
                                          &units);
    if (error != hipSuccess)
        return error;
    if (words < ((uint32_t)units + 31) / 32)
        return hipErrorInvalidValue;
    for (uint32_t word = 0; word < words; word++) {
        int left = units - (int)(32 * word);
        out_mask[word] = left >= 32 ? UINT32_MAX : left > 0 ? (UINT32_C(1) << left) - 1 : 0;
    }
    for (uint32_t word = 0; stream->mask && word < words; word++)
        out_mask[word] = word < stream->mask_words ? stream->mask[word] : 0;
    return hipSuccess;
}

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask)
{
    AH_ENTER(hipExtStreamGetCUMask);
    return AH_LEAVE(get_mask(stream, cuMaskSize, cuMask));
}
