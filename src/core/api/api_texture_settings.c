/* Settings of texture references, driver API: setters and getters. */
#include "api.h"
#include "api_arguments.h"
#include "texture.h"

#include <string.h>

static const unsigned flags_known =
    HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB;

static bool is_filter(int mode)
{
    return mode == hipFilterModePoint || mode == hipFilterModeLinear;
}

/* ---- setting ------------------------------------------------------------------------------ */

/* The format is used when memory is bound next. */
hipError_t hipTexRefSetFormat(textureReference *texRef, hipArray_Format fmt,
                              int NumPackedComponents)
{
    struct ah_texture_reference *reference;
    hipChannelFormatDesc description;
    AH_ENTER(hipTexRefSetFormat);
    bool valid =
        (NumPackedComponents == 1 || NumPackedComponents == 2 || NumPackedComponents == 4) &&
        ah_array_describe(fmt, (unsigned)NumPackedComponents, &description) == hipSuccess;
    hipError_t error = ah_reference_find(valid, texRef, &reference);
    if (error == hipSuccess) {
        texRef->format = fmt;
        texRef->numChannels = NumPackedComponents;
        texRef->channelDesc = description;
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefSetFilterMode(textureReference *texRef, enum hipTextureFilterMode fm)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefSetFilterMode);
    hipError_t error = ah_reference_find(is_filter((int)fm), texRef, &reference);
    if (error == hipSuccess) {
        texRef->filterMode = fm;
        error = ah_reference_rebind(reference);
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefSetMipmapFilterMode(textureReference *texRef, enum hipTextureFilterMode fm)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefSetMipmapFilterMode);
    hipError_t error = ah_reference_find(is_filter((int)fm), texRef, &reference);
    if (error == hipSuccess) {
        texRef->mipmapFilterMode = fm;
        error = ah_reference_rebind(reference);
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefSetMipmapLevelBias(textureReference *texRef, float bias)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefSetMipmapLevelBias);
    hipError_t error = ah_reference_find(true, texRef, &reference);
    if (error == hipSuccess) {
        texRef->mipmapLevelBias = bias;
        error = ah_reference_rebind(reference);
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefSetMipmapLevelClamp(textureReference *texRef, float minMipMapLevelClamp,
                                        float maxMipMapLevelClamp)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefSetMipmapLevelClamp);
    hipError_t error = ah_reference_find(true, texRef, &reference);
    if (error == hipSuccess) {
        texRef->minMipmapLevelClamp = minMipMapLevelClamp;
        texRef->maxMipmapLevelClamp = maxMipMapLevelClamp;
        error = ah_reference_rebind(reference);
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefSetMaxAnisotropy(textureReference *texRef, unsigned int maxAniso)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefSetMaxAnisotropy);
    hipError_t error = ah_reference_find(true, texRef, &reference);
    if (error == hipSuccess) {
        texRef->maxAnisotropy = maxAniso;
        error = ah_reference_rebind(reference);
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefSetBorderColor(textureReference *texRef, float *pBorderColor)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefSetBorderColor);
    hipError_t error = ah_reference_find(pBorderColor != NULL, texRef, &reference);
    if (error == hipSuccess) {
        memcpy(reference->border, pBorderColor, sizeof reference->border);
        error = ah_reference_rebind(reference);
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefSetFlags(textureReference *texRef, unsigned int Flags)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefSetFlags);
    hipError_t error = ah_reference_find((Flags & ~flags_known) == 0, texRef, &reference);
    if (error == hipSuccess) {
        texRef->readMode =
            Flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType : hipReadModeNormalizedFloat;
        texRef->normalized = (Flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
        texRef->sRGB = (Flags & HIP_TRSF_SRGB) != 0;
        error = ah_reference_rebind(reference);
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefSetAddressMode(textureReference *texRef, int dim, enum hipTextureAddressMode am)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefSetAddressMode);
    hipError_t error = ah_reference_find(dim >= 0 && dim < 3 && (int)am >= hipAddressModeWrap &&
                                             (int)am <= hipAddressModeBorder,
                                         texRef, &reference);
    if (error == hipSuccess) {
        texRef->addressMode[dim] = am;
        error = ah_reference_rebind(reference);
    }
    return AH_LEAVE(error);
}

/* ---- asking -------------------------------------------------------------------------------- */

/* The bound texture; hipErrorInvalidValue: nothing is bound. */
static hipError_t find_bound(bool valid, const textureReference *host, struct ah_texture *out)
{
    struct ah_texture_reference *reference;
    hipError_t error = ah_reference_find(valid, host, &reference);
    if (error != hipSuccess)
        return error;
    return ah_texture_find(host->textureObject, false, out) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipTexRefGetAddress(hipDeviceptr_t *dev_ptr, const textureReference *texRef)
{
    struct ah_texture bound;
    AH_ENTER(hipTexRefGetAddress);
    hipError_t error = find_bound(dev_ptr, texRef, &bound);
    if (error == hipSuccess && bound.resource.resType == hipResourceTypeLinear)
        *dev_ptr = bound.resource.res.linear.devPtr;
    else if (error == hipSuccess && bound.resource.resType == hipResourceTypePitch2D)
        *dev_ptr = bound.resource.res.pitch2D.devPtr;
    else if (error == hipSuccess)
        error = hipErrorInvalidValue;
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetArray(hipArray_t *pArray, const textureReference *texRef)
{
    struct ah_texture bound;
    AH_ENTER(hipTexRefGetArray);
    hipError_t error = find_bound(pArray, texRef, &bound);
    if (error == hipSuccess && bound.resource.resType == hipResourceTypeArray)
        *pArray = bound.resource.res.array.array;
    else if (error == hipSuccess)
        error = hipErrorInvalidValue;
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *pArray, const textureReference *texRef)
{
    struct ah_texture bound;
    AH_ENTER(hipTexRefGetMipMappedArray);
    hipError_t error = find_bound(pArray, texRef, &bound);
    if (error == hipSuccess && bound.resource.resType == hipResourceTypeMipmappedArray)
        *pArray = bound.resource.res.mipmap.mipmap;
    else if (error == hipSuccess)
        error = hipErrorInvalidValue;
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetFormat(hipArray_Format *pFormat, int *pNumChannels,
                              const textureReference *texRef)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetFormat);
    hipError_t error = ah_reference_find(pFormat && pNumChannels, texRef, &reference);
    if (error == hipSuccess) {
        *pFormat = texRef->format;
        *pNumChannels = texRef->numChannels;
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetFlags(unsigned int *pFlags, const textureReference *texRef)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetFlags);
    hipError_t error = ah_reference_find(pFlags, texRef, &reference);
    if (error == hipSuccess) {
        *pFlags = (texRef->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0) |
                  (texRef->normalized ? HIP_TRSF_NORMALIZED_COORDINATES : 0) |
                  (texRef->sRGB ? HIP_TRSF_SRGB : 0);
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetAddressMode(enum hipTextureAddressMode *pam, const textureReference *texRef,
                                   int dim)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetAddressMode);
    hipError_t error = ah_reference_find(pam && dim >= 0 && dim < 3, texRef, &reference);
    if (error == hipSuccess) {
        *pam = texRef->addressMode[dim];
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetFilterMode(enum hipTextureFilterMode *pfm, const textureReference *texRef)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetFilterMode);
    hipError_t error = ah_reference_find(pfm, texRef, &reference);
    if (error == hipSuccess) {
        *pfm = texRef->filterMode;
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetMipmapFilterMode(enum hipTextureFilterMode *pfm,
                                        const textureReference *texRef)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetMipmapFilterMode);
    hipError_t error = ah_reference_find(pfm, texRef, &reference);
    if (error == hipSuccess) {
        *pfm = texRef->mipmapFilterMode;
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetMipmapLevelBias(float *pbias, const textureReference *texRef)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetMipmapLevelBias);
    hipError_t error = ah_reference_find(pbias, texRef, &reference);
    if (error == hipSuccess) {
        *pbias = texRef->mipmapLevelBias;
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                        const textureReference *texRef)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetMipmapLevelClamp);
    hipError_t error =
        ah_reference_find(pminMipmapLevelClamp && pmaxMipmapLevelClamp, texRef, &reference);
    if (error == hipSuccess) {
        *pminMipmapLevelClamp = texRef->minMipmapLevelClamp;
        *pmaxMipmapLevelClamp = texRef->maxMipmapLevelClamp;
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetMaxAnisotropy(int *pmaxAnsio, const textureReference *texRef)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetMaxAnisotropy);
    hipError_t error = ah_reference_find(pmaxAnsio, texRef, &reference);
    if (error == hipSuccess) {
        *pmaxAnsio = (int)texRef->maxAnisotropy;
    }
    return AH_LEAVE(error);
}

hipError_t hipTexRefGetBorderColor(float *pBorderColor, const textureReference *texRef)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipTexRefGetBorderColor);
    hipError_t error = ah_reference_find(pBorderColor, texRef, &reference);
    if (error == hipSuccess) {
        memcpy(pBorderColor, reference->border, sizeof reference->border);
    }
    return AH_LEAVE(error);
}
