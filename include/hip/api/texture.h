// Texture and surface objects, texture references.
#ifndef HIP_INCLUDE_HIP_API_TEXTURE_H
#define HIP_INCLUDE_HIP_API_TEXTURE_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipCreateTextureObject(hipTextureObject_t *pTexObject, const hipResourceDesc *pResDesc,
                                  const hipTextureDesc *pTexDesc,
                                  const struct hipResourceViewDesc *pResViewDesc);

hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject);

hipError_t hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array);

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *pResDesc,
                                           hipTextureObject_t textureObject);

hipError_t hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc *pResViewDesc,
                                               hipTextureObject_t textureObject);

hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *pTexDesc,
                                          hipTextureObject_t textureObject);

hipError_t hipTexObjectCreate(hipTextureObject_t *pTexObject, const HIP_RESOURCE_DESC *pResDesc,
                              const HIP_TEXTURE_DESC *pTexDesc,
                              const HIP_RESOURCE_VIEW_DESC *pResViewDesc);

hipError_t hipTexObjectDestroy(hipTextureObject_t texObject);

hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *pResDesc, hipTextureObject_t texObject);

hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC *pResViewDesc,
                                           hipTextureObject_t texObject);

hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *pTexDesc, hipTextureObject_t texObject);

hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *mipmappedArray,
                                   const struct hipChannelFormatDesc *desc, struct hipExtent extent,
                                   unsigned int numLevels, unsigned int flags __dparm(0));

hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmappedArray);

hipError_t hipGetMipmappedArrayLevel(hipArray_t *levelArray,
                                     hipMipmappedArray_const_t mipmappedArray, unsigned int level);

hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t *pHandle,
                                   HIP_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                   unsigned int numMipmapLevels);

hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t hMipmappedArray);

hipError_t hipMipmappedArrayGetLevel(hipArray_t *pLevelArray, hipMipmappedArray_t hMipMappedArray,
                                     unsigned int level);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipBindTextureToMipmappedArray(const textureReference *tex,
                                          hipMipmappedArray_const_t mipmappedArray,
                                          const hipChannelFormatDesc *desc);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipGetTextureReference(const textureReference **texref, const void *symbol);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetBorderColor(float *pBorderColor, const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetArray(hipArray_t *pArray, const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetAddressMode(textureReference *texRef, int dim,
                                   enum hipTextureAddressMode am);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetArray(textureReference *tex, hipArray_const_t array, unsigned int flags);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetFilterMode(textureReference *texRef, enum hipTextureFilterMode fm);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetFlags(textureReference *texRef, unsigned int Flags);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetFormat(textureReference *texRef, hipArray_Format fmt,
                              int NumPackedComponents);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipBindTexture(size_t *offset, const textureReference *tex, const void *devPtr,
                          const hipChannelFormatDesc *desc, size_t size __dparm(UINT_MAX));

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipBindTexture2D(size_t *offset, const textureReference *tex, const void *devPtr,
                            const hipChannelFormatDesc *desc, size_t width, size_t height,
                            size_t pitch);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipBindTextureToArray(const textureReference *tex, hipArray_const_t array,
                                 const hipChannelFormatDesc *desc);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipGetTextureAlignmentOffset(size_t *offset, const textureReference *texref);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipUnbindTexture(const textureReference *tex);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetAddress(hipDeviceptr_t *dev_ptr, const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetAddressMode(enum hipTextureAddressMode *pam, const textureReference *texRef,
                                   int dim);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetFilterMode(enum hipTextureFilterMode *pfm, const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetFlags(unsigned int *pFlags, const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetFormat(hipArray_Format *pFormat, int *pNumChannels,
                              const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMaxAnisotropy(int *pmaxAnsio, const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMipmapFilterMode(enum hipTextureFilterMode *pfm,
                                        const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMipmapLevelBias(float *pbias, const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                        const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *pArray, const textureReference *texRef);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetAddress(size_t *ByteOffset, textureReference *texRef, hipDeviceptr_t dptr,
                               size_t bytes);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetAddress2D(textureReference *texRef, const HIP_ARRAY_DESCRIPTOR *desc,
                                 hipDeviceptr_t dptr, size_t Pitch);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMaxAnisotropy(textureReference *texRef, unsigned int maxAniso);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetBorderColor(textureReference *texRef, float *pBorderColor);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMipmapFilterMode(textureReference *texRef, enum hipTextureFilterMode fm);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMipmapLevelBias(textureReference *texRef, float bias);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMipmapLevelClamp(textureReference *texRef, float minMipMapLevelClamp,
                                        float maxMipMapLevelClamp);

HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMipmappedArray(textureReference *texRef,
                                      struct hipMipmappedArray *mipmappedArray, unsigned int Flags);

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *pSurfObject, const hipResourceDesc *pResDesc);

hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject);

hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                               const hipChannelFormatDesc *fmtDesc, int device);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
