/* Owns arrays: their formats and their handles. */
#include "array.h"

#include <stdlib.h>

static hipArray_Format unsigned_format(int bits)
{
    return bits == 8    ? HIP_AD_FORMAT_UNSIGNED_INT8
           : bits == 16 ? HIP_AD_FORMAT_UNSIGNED_INT16
                        : HIP_AD_FORMAT_UNSIGNED_INT32;
}

static hipArray_Format signed_format(int bits)
{
    return bits == 8    ? HIP_AD_FORMAT_SIGNED_INT8
           : bits == 16 ? HIP_AD_FORMAT_SIGNED_INT16
                        : HIP_AD_FORMAT_SIGNED_INT32;
}

/* All channels have the size of the first one. */
static bool count_channels(const hipChannelFormatDesc *description, unsigned *out_channels)
{
    int sizes[] = {description->x, description->y, description->z, description->w};
    unsigned channels = 0;
    while (channels < 4 && sizes[channels] != 0) {
        if (sizes[channels] != sizes[0])
            return false;
        channels++;
    }
    for (unsigned i = channels; i < 4; i++)
        if (sizes[i] != 0)
            return false;
    *out_channels = channels;
    return channels == 1 || channels == 2 || channels == 4;
}

hipError_t ah_array_format(const hipChannelFormatDesc *description, struct ah_array_shape *out)
{
    int bits = description->x;
    if (!count_channels(description, &out->channels))
        return hipErrorInvalidValue;
    if (bits != 8 && bits != 16 && bits != 32)
        return hipErrorInvalidValue;
    out->element = (unsigned)bits / 8 * out->channels;
    switch ((int)description->f) {
    case hipChannelFormatKindUnsigned:
        out->format = unsigned_format(bits);
        return hipSuccess;
    case hipChannelFormatKindSigned:
        out->format = signed_format(bits);
        return hipSuccess;
    case hipChannelFormatKindFloat:
        out->format = bits == 16 ? HIP_AD_FORMAT_HALF : HIP_AD_FORMAT_FLOAT;
        return bits == 8 ? hipErrorInvalidValue : hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

hipError_t ah_array_describe(hipArray_Format format, unsigned channels, hipChannelFormatDesc *out)
{
    int bits;
    hipChannelFormatKind kind;
    switch ((int)format) {
    case HIP_AD_FORMAT_UNSIGNED_INT8:
        bits = 8, kind = hipChannelFormatKindUnsigned;
        break;
    case HIP_AD_FORMAT_UNSIGNED_INT16:
        bits = 16, kind = hipChannelFormatKindUnsigned;
        break;
    case HIP_AD_FORMAT_UNSIGNED_INT32:
        bits = 32, kind = hipChannelFormatKindUnsigned;
        break;
    case HIP_AD_FORMAT_SIGNED_INT8:
        bits = 8, kind = hipChannelFormatKindSigned;
        break;
    case HIP_AD_FORMAT_SIGNED_INT16:
        bits = 16, kind = hipChannelFormatKindSigned;
        break;
    case HIP_AD_FORMAT_SIGNED_INT32:
        bits = 32, kind = hipChannelFormatKindSigned;
        break;
    case HIP_AD_FORMAT_HALF:
        bits = 16, kind = hipChannelFormatKindFloat;
        break;
    case HIP_AD_FORMAT_FLOAT:
        bits = 32, kind = hipChannelFormatKindFloat;
        break;
    default:
        return hipErrorInvalidValue;
    }
    *out = (hipChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                  channels > 3 ? bits : 0, kind};
    return hipSuccess;
}

size_t ah_array_element_size(const struct ah_array *array)
{
    return array->shape.element;
}

hipError_t ah_array_check(hipArray_const_t handle, struct ah_array **out_array)
{
    if (!handle)
        return hipErrorInvalidHandle;
    if (!ah_handle_is(handle, AH_HANDLE_ARRAY))
        return hipErrorContextIsDestroyed;
    *out_array = (struct ah_array *)(uintptr_t)handle;
    return hipSuccess;
}

static void release_mipmap(void *handle, void *device)
{
    const struct ah_mipmap *mipmap = handle;
    if (mipmap->handle.device == device && ah_handle_retire(handle, AH_HANDLE_MIPMAP)) {
        free(mipmap->arrays);
        ah_handle_destroy(handle);
    }
}

static void release_array(void *handle, void *device)
{
    const struct ah_array *array = handle;
    if (array->handle.device == device && ah_handle_retire(handle, AH_HANDLE_ARRAY))
        ah_handle_destroy(handle);
}

void ah_array_release_device(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_ARRAY, release_array, device);
    ah_handle_each(AH_HANDLE_MIPMAP, release_mipmap, device);
}
