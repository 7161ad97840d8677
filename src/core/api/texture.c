/* Converts descriptions of textures between the runtime API and the driver API. */
#include "texture.h"

#include <string.h>

hipError_t ah_resource_from_driver(const HIP_RESOURCE_DESC *from, hipResourceDesc *out)
{
    memset(out, 0, sizeof *out);
    out->resType = (enum hipResourceType)from->resType;
    switch ((int)from->resType) {
    case HIP_RESOURCE_TYPE_ARRAY:
        out->res.array.array = from->res.array.hArray;
        return hipSuccess;
    case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        out->res.mipmap.mipmap = from->res.mipmap.hMipmappedArray;
        return hipSuccess;
    case HIP_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = from->res.linear.devPtr;
        out->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return ah_array_describe(from->res.linear.format, from->res.linear.numChannels,
                                 &out->res.linear.desc);
    case HIP_RESOURCE_TYPE_PITCH2D:
        out->res.pitch2D.devPtr = from->res.pitch2D.devPtr;
        out->res.pitch2D.width = from->res.pitch2D.width;
        out->res.pitch2D.height = from->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return ah_array_describe(from->res.pitch2D.format, from->res.pitch2D.numChannels,
                                 &out->res.pitch2D.desc);
    default:
        return hipErrorInvalidValue;
    }
}

void ah_resource_to_driver(const hipResourceDesc *from, HIP_RESOURCE_DESC *out)
{
    struct ah_array_shape shape = {0};
    memset(out, 0, sizeof *out);
    out->resType = (HIPresourcetype)from->resType;
    switch ((int)from->resType) {
    case hipResourceTypeArray:
        out->res.array.hArray = from->res.array.array;
        break;
    case hipResourceTypeMipmappedArray:
        out->res.mipmap.hMipmappedArray = from->res.mipmap.mipmap;
        break;
    case hipResourceTypeLinear:
        ah_array_format(&from->res.linear.desc, &shape);
        out->res.linear.devPtr = from->res.linear.devPtr;
        out->res.linear.format = shape.format;
        out->res.linear.numChannels = shape.channels;
        out->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        break;
    default:
        ah_array_format(&from->res.pitch2D.desc, &shape);
        out->res.pitch2D.devPtr = from->res.pitch2D.devPtr;
        out->res.pitch2D.format = shape.format;
        out->res.pitch2D.numChannels = shape.channels;
        out->res.pitch2D.width = from->res.pitch2D.width;
        out->res.pitch2D.height = from->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
    }
}

void ah_settings_from_driver(const HIP_TEXTURE_DESC *from, hipTextureDesc *out)
{
    *out = (hipTextureDesc){
        .filterMode = (enum hipTextureFilterMode)from->filterMode,
        .readMode = from->flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType
                                                           : hipReadModeNormalizedFloat,
        .sRGB = (from->flags & HIP_TRSF_SRGB) != 0,
        .normalizedCoords = (from->flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = from->maxAnisotropy,
        .mipmapFilterMode = (enum hipTextureFilterMode)from->mipmapFilterMode,
        .mipmapLevelBias = from->mipmapLevelBias,
        .minMipmapLevelClamp = from->minMipmapLevelClamp,
        .maxMipmapLevelClamp = from->maxMipmapLevelClamp,
    };
    for (int i = 0; i < 3; i++)
        out->addressMode[i] = (enum hipTextureAddressMode)from->addressMode[i];
    memcpy(out->borderColor, from->borderColor, sizeof out->borderColor);
}

void ah_settings_to_driver(const hipTextureDesc *from, HIP_TEXTURE_DESC *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++)
        out->addressMode[i] = (HIPaddress_mode)from->addressMode[i];
    out->filterMode = (HIPfilter_mode)from->filterMode;
    if (from->readMode == hipReadModeElementType)
        out->flags |= HIP_TRSF_READ_AS_INTEGER;
    if (from->normalizedCoords)
        out->flags |= HIP_TRSF_NORMALIZED_COORDINATES;
    if (from->sRGB)
        out->flags |= HIP_TRSF_SRGB;
    out->maxAnisotropy = from->maxAnisotropy;
    out->mipmapFilterMode = (HIPfilter_mode)from->mipmapFilterMode;
    out->mipmapLevelBias = from->mipmapLevelBias;
    out->minMipmapLevelClamp = from->minMipmapLevelClamp;
    out->maxMipmapLevelClamp = from->maxMipmapLevelClamp;
    memcpy(out->borderColor, from->borderColor, sizeof out->borderColor);
}

void ah_view_from_driver(const HIP_RESOURCE_VIEW_DESC *from, struct hipResourceViewDesc *out)
{
    *out = (struct hipResourceViewDesc){
        .format = (enum hipResourceViewFormat)from->format,
        .width = from->width,
        .height = from->height,
        .depth = from->depth,
        .firstMipmapLevel = from->firstMipmapLevel,
        .lastMipmapLevel = from->lastMipmapLevel,
        .firstLayer = from->firstLayer,
        .lastLayer = from->lastLayer,
    };
}

void ah_view_to_driver(const struct hipResourceViewDesc *from, HIP_RESOURCE_VIEW_DESC *out)
{
    *out = (HIP_RESOURCE_VIEW_DESC){
        .format = (HIPresourceViewFormat)from->format,
        .width = from->width,
        .height = from->height,
        .depth = from->depth,
        .firstMipmapLevel = from->firstMipmapLevel,
        .lastMipmapLevel = from->lastMipmapLevel,
        .firstLayer = from->firstLayer,
        .lastLayer = from->lastLayer,
    };
}
