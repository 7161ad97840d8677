// Textures and surfaces: objects, mipmapped arrays, and texture references (deprecated).
//
// All functions here: hipErrorNotSupported where the device has no images
// (hipDeviceAttributeImageSupport is 0, as on MI200 and MI300).
#ifndef HIP_INCLUDE_HIP_API_TEXTURE_H
#define HIP_INCLUDE_HIP_API_TEXTURE_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// ---- Texture and surface objects

/// Creates a texture object, which kernels take by value.
/// @param [out] pTexObject  the object
/// @param [in] pResDesc  what it reads
/// @param [in] pTexDesc  how
/// @param [in] pResViewDesc  which part, and as what; NULL for all as it is; only for arrays
/// Returns: hipErrorInvalidValue: a pointer is NULL, a description is wrong, or linear filtering
/// meets integers; hipErrorOutOfMemory: the driver is out of resources; hipErrorNotSupported: no
/// images, or a filter the device lacks.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management"; cuTexObjectCreate.

/// Runtime API.
hipError_t hipCreateTextureObject(hipTextureObject_t *pTexObject, const hipResourceDesc *pResDesc,
                                  const hipTextureDesc *pTexDesc,
                                  const struct hipResourceViewDesc *pResViewDesc);
/// Driver API.
hipError_t hipTexObjectCreate(hipTextureObject_t *pTexObject, const HIP_RESOURCE_DESC *pResDesc,
                              const HIP_TEXTURE_DESC *pTexDesc,
                              const HIP_RESOURCE_VIEW_DESC *pResViewDesc);

/// Destroys a texture object. What it reads stays.
/// @param [in] textureObject, texObject  the object; NULL does nothing
/// Returns: hipErrorInvalidValue: there is no such object.
/// Thread safety: no kernel may use the object at the same time or later.
/// Stream order: waits for the device.
/// Source: HIP "Texture Management"; cuTexObjectDestroy.

/// Runtime API.
hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject);
/// Driver API.
hipError_t hipTexObjectDestroy(hipTextureObject_t texObject);

/// The descriptions a texture object was created with.
/// @param [out] pResDesc, pResViewDesc, pTexDesc  the description
/// @param [in] textureObject, texObject  the object
/// Returns: hipErrorInvalidValue: a pointer is NULL, or it was created without a view.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management"; cuTexObjectGetResourceDesc and its relatives.

/// What it reads, runtime API.
hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *pResDesc,
                                           hipTextureObject_t textureObject);
/// Which part, runtime API.
hipError_t hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc *pResViewDesc,
                                               hipTextureObject_t textureObject);
/// How, runtime API.
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *pTexDesc,
                                          hipTextureObject_t textureObject);
/// What it reads, driver API.
hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *pResDesc, hipTextureObject_t texObject);
/// Which part, driver API.
hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC *pResViewDesc,
                                           hipTextureObject_t texObject);
/// How, driver API.
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *pTexDesc, hipTextureObject_t texObject);

/// Creates a surface object, which kernels take by value.
/// @param [out] pSurfObject  the object
/// @param [in] pResDesc  an array created with hipArraySurfaceLoadStore, or without flags
/// Returns: hipErrorInvalidValue: a pointer is NULL, the resource is not an array, or its flags
/// leave out hipArraySurfaceLoadStore; hipErrorInvalidHandle: the array is NULL;
/// hipErrorContextIsDestroyed: it was freed; hipErrorOutOfMemory: the driver is out of resources.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Surface Object"; cuSurfObjectCreate.
hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *pSurfObject, const hipResourceDesc *pResDesc);

/// Destroys a surface object. The array stays.
/// @param [in] surfaceObject  the object; NULL does nothing
/// Returns: hipErrorInvalidValue: there is no such object.
/// Thread safety: no kernel may use the object at the same time or later.
/// Stream order: waits for the device.
/// Source: HIP "Surface Object"; cuSurfObjectDestroy.
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject);

/// What an element of an array holds.
/// @param [out] desc  the description
/// @param [in] array  an array
/// Returns: hipErrorInvalidValue: desc is NULL; hipErrorInvalidHandle: not an array.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management"; CUDA runtime cudaGetChannelDesc.
hipError_t hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array);

/// How many elements a texture of linear memory can have.
/// @param [out] maxWidthInElements  elements
/// @param [in] fmtDesc  the element
/// @param [in] device  ordinal
/// Returns: hipErrorInvalidValue: a pointer is NULL or the description is wrong;
/// hipErrorInvalidDevice: no such device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management"; cuDeviceGetTexture1DLinearMaxWidth.
hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                               const hipChannelFormatDesc *fmtDesc, int device);

// ---- Mipmapped arrays

/// Allocates a mipmapped array of the current device.
/// @param [out] mipmappedArray, pHandle  the array
/// @param [in] desc  what an element holds
/// @param [in] extent  size of level 0: elements, rows, slices or layers
/// @param [in] pMipmappedArrayDesc  all of that
/// @param [in] numLevels, numMipmapLevels  levels, at least 1; more than there can be becomes that
///     number
/// @param [in] flags  hipArray* flags
/// Returns: hipErrorInvalidValue: a pointer is NULL, or the description, size or flags is wrong;
/// hipErrorOutOfMemory: not that much memory is free; hipErrorNotSupported: no images, or no images
/// with levels, which of AMD's devices those of gfx11 have.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management"; cuMipmappedArrayCreate.

/// Runtime API.
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *mipmappedArray,
                                   const struct hipChannelFormatDesc *desc, struct hipExtent extent,
                                   unsigned int numLevels, unsigned int flags __dparm(0));
/// Driver API.
hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t *pHandle,
                                   HIP_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                   unsigned int numMipmapLevels);

/// Frees a mipmapped array.
/// @param [in] mipmappedArray, hMipmappedArray  the array
/// Returns: hipErrorInvalidValue: NULL; hipErrorContextIsDestroyed: not a mipmapped array, or freed
/// before.
/// Thread safety: the array must not be in use by another call.
/// Stream order: waits for the device.
/// Source: HIP "Texture Management"; cuMipmappedArrayDestroy.

/// Runtime API.
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmappedArray);
/// Driver API.
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t hMipmappedArray);

/// One level, as an array. It lives as long as the mipmapped array; hipFreeArray() ends the handle
/// alone.
/// @param [out] levelArray, pLevelArray  the array
/// @param [in] mipmappedArray, hMipMappedArray  the mipmapped array
/// @param [in] level  from 0
/// Returns: hipErrorInvalidValue: the result is NULL or there is no such level;
/// hipErrorInvalidHandle: not a mipmapped array.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management"; cuMipmappedArrayGetLevel.

/// Runtime API.
hipError_t hipGetMipmappedArrayLevel(hipArray_t *levelArray,
                                     hipMipmappedArray_const_t mipmappedArray, unsigned int level);
/// Driver API.
hipError_t hipMipmappedArrayGetLevel(hipArray_t *pLevelArray, hipMipmappedArray_t hMipMappedArray,
                                     unsigned int level);

// ---- Texture references

/// Makes a texture reference read memory, as the reference itself says how.
/// @param [out] offset  the distance of devPtr from the alignment that textures need, bytes, which
///     kernels must add; may be NULL if devPtr is aligned
/// @param [in] tex  the reference
/// @param [in] devPtr  the memory
/// @param [in] array, mipmappedArray  the array
/// @param [in] desc  what an element holds
/// @param [in] size, width, height, pitch  how much
/// Returns: hipErrorInvalidValue: devPtr or desc is NULL, or a size is beyond the device's limits;
/// hipErrorInvalidTexture: not a reference.
/// Thread safety: not with the same reference at the same time.
/// Stream order: kernels launched later see it.
/// Source: HIP "Texture Management [Deprecated]"; CUDA runtime cudaBindTexture and its relatives.

/// Device memory, one dimension; size in bytes.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipBindTexture(size_t *offset, const textureReference *tex, const void *devPtr,
                          const hipChannelFormatDesc *desc, size_t size __dparm(UINT_MAX));
/// Rows of device memory; pitch in bytes.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipBindTexture2D(size_t *offset, const textureReference *tex, const void *devPtr,
                            const hipChannelFormatDesc *desc, size_t width, size_t height,
                            size_t pitch);
/// An array.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipBindTextureToArray(const textureReference *tex, hipArray_const_t array,
                                 const hipChannelFormatDesc *desc);
/// A mipmapped array.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipBindTextureToMipmappedArray(const textureReference *tex,
                                          hipMipmappedArray_const_t mipmappedArray,
                                          const hipChannelFormatDesc *desc);

/// Ends that.
/// @param [in] tex  the reference
/// Returns: hipErrorInvalidTexture: not a reference.
/// Thread safety: not with the same reference at the same time.
/// Stream order: none.
/// Source: HIP "Texture Management [Deprecated]"; CUDA runtime cudaUnbindTexture.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipUnbindTexture(const textureReference *tex);

/// The offset hipBindTexture() returned.
/// @param [out] offset  bytes
/// @param [in] texref  the reference
/// Returns: hipErrorInvalidValue: offset is NULL; hipErrorInvalidTexture: texref is NULL (HIP 7) or
/// not bound.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management [Deprecated]"; CUDA runtime cudaGetTextureAlignmentOffset.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipGetTextureAlignmentOffset(size_t *offset, const textureReference *texref);

/// A texture reference of this program.
/// @param [out] texref  the reference
/// @param [in] symbol  the variable, by its host address
/// Returns: hipErrorInvalidValue: a pointer is NULL; hipErrorInvalidTexture: not a reference.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management [Deprecated]"; CUDA runtime cudaGetTextureReference.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipGetTextureReference(const textureReference **texref, const void *symbol);

/// Sets up a texture reference of a module, driver API.
/// @param [out] ByteOffset  as offset of hipBindTexture(); may be NULL
/// @param [in] texRef, tex  the reference
/// @param [in] dptr, array, mipmappedArray, desc  what it reads
/// @param [in] bytes, Pitch  how much of it
/// @param [in] fmt, NumPackedComponents, am, fm, bias, minMipMapLevelClamp, maxMipMapLevelClamp,
///     maxAniso, pBorderColor, dim, flags, Flags  the setting
/// Returns: hipErrorInvalidValue: a pointer is NULL or a value is out of range.
/// Thread safety: not with the same reference at the same time.
/// Stream order: kernels launched later see it.
/// Source: HIP "Texture Management [Deprecated]"; cuTexRefSetAddress and its relatives.

/// Binds device memory; bytes long.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetAddress(size_t *ByteOffset, textureReference *texRef, hipDeviceptr_t dptr,
                               size_t bytes);
/// Binds rows of device memory; Pitch in bytes.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetAddress2D(textureReference *texRef, const HIP_ARRAY_DESCRIPTOR *desc,
                                 hipDeviceptr_t dptr, size_t Pitch);
/// Binds an array; flags HIP_TRSA_OVERRIDE_FORMAT.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetArray(textureReference *tex, hipArray_const_t array, unsigned int flags);
/// Binds a mipmapped array; Flags HIP_TRSA_OVERRIDE_FORMAT.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMipmappedArray(textureReference *texRef,
                                      struct hipMipmappedArray *mipmappedArray, unsigned int Flags);
/// Type and number of channels.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetFormat(textureReference *texRef, hipArray_Format fmt,
                              int NumPackedComponents);
/// HIP_TRSF_* flags.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetFlags(textureReference *texRef, unsigned int Flags);
/// What a coordinate outside means, in dimension dim.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetAddressMode(textureReference *texRef, int dim,
                                   enum hipTextureAddressMode am);
/// Filter.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetFilterMode(textureReference *texRef, enum hipTextureFilterMode fm);
/// Filter between levels.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMipmapFilterMode(textureReference *texRef, enum hipTextureFilterMode fm);
/// Added to the level.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMipmapLevelBias(textureReference *texRef, float bias);
/// Least and greatest level.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMipmapLevelClamp(textureReference *texRef, float minMipMapLevelClamp,
                                        float maxMipMapLevelClamp);
/// 1 to 16.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetMaxAnisotropy(textureReference *texRef, unsigned int maxAniso);
/// Four floats.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefSetBorderColor(textureReference *texRef, float *pBorderColor);

/// What a texture reference is set up to, driver API.
/// @param [out] dev_ptr, pArray, pFormat, pNumChannels, pFlags, pam, pfm, pbias,
///     pminMipmapLevelClamp, pmaxMipmapLevelClamp, pmaxAnsio, pBorderColor  the setting
/// @param [in] texRef  the reference
/// @param [in] dim  0 to 2
/// Returns: hipErrorInvalidValue: a pointer is NULL, dim is out of range, or nothing of that kind
/// is bound.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Texture Management [Deprecated]"; cuTexRefGetAddress and its relatives.

/// The device memory bound.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetAddress(hipDeviceptr_t *dev_ptr, const textureReference *texRef);
/// The array bound.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetArray(hipArray_t *pArray, const textureReference *texRef);
/// The mipmapped array bound.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *pArray, const textureReference *texRef);
/// Type and number of channels.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetFormat(hipArray_Format *pFormat, int *pNumChannels,
                              const textureReference *texRef);
/// HIP_TRSF_* flags.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetFlags(unsigned int *pFlags, const textureReference *texRef);
/// What a coordinate outside means, in dimension dim.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetAddressMode(enum hipTextureAddressMode *pam, const textureReference *texRef,
                                   int dim);
/// Filter.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetFilterMode(enum hipTextureFilterMode *pfm, const textureReference *texRef);
/// Filter between levels.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMipmapFilterMode(enum hipTextureFilterMode *pfm,
                                        const textureReference *texRef);
/// Added to the level.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMipmapLevelBias(float *pbias, const textureReference *texRef);
/// Least and greatest level.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                        const textureReference *texRef);
/// 1 to 16.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetMaxAnisotropy(int *pmaxAnsio, const textureReference *texRef);
/// Four floats.
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
hipError_t hipTexRefGetBorderColor(float *pBorderColor, const textureReference *texRef);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
