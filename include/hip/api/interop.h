// Memory, semaphores and resources of other APIs: Vulkan, Direct3D, OpenGL.
#ifndef HIP_INCLUDE_HIP_API_INTEROP_H
#define HIP_INCLUDE_HIP_API_INTEROP_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// ---- Memory

/// Imports memory of another API.
/// @param [out] extMem_out  the memory, ended by hipDestroyExternalMemory()
/// @param [in] memHandleDesc  what it is; its file descriptor belongs to HIP after success
/// Returns: hipErrorInvalidValue: a pointer is NULL, the kind or a flag is unknown, the size is 0, the
/// file descriptor is not open, or on AMD is not of memory or of less than that; NVIDIA's driver has
/// codes of its own for a file that is not of memory, such as hipErrorOperatingSystem, and does not
/// compare the size; hipErrorOutOfMemory: the driver is out of resources; hipErrorNotSupported: the
/// kind is of another system.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "External Resource Interoperability"; cuImportExternalMemory.
hipError_t hipImportExternalMemory(hipExternalMemory_t *extMem_out,
                                   const hipExternalMemoryHandleDesc *memHandleDesc);

/// Maps imported memory.
/// @param [out] devPtr, mipmap  the mapping
/// @param [in] extMem  the memory
/// @param [in] bufferDesc, mipmapDesc  which part
/// Returns: hipErrorInvalidValue: a pointer is NULL, not such memory, a flag is not 0, or the part is
/// empty, reaches beyond it or begins where no array can; hipErrorOutOfMemory; hipErrorNotSupported:
/// the device has no mipmapped arrays.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "External Resource Interoperability"; cuExternalMemoryGetMappedBuffer,
/// cuExternalMemoryGetMappedMipmappedArray.

/// As bytes, freed by hipFree().
hipError_t hipExternalMemoryGetMappedBuffer(void **devPtr, hipExternalMemory_t extMem,
                                            const hipExternalMemoryBufferDesc *bufferDesc);
/// As a mipmapped array, freed by hipFreeMipmappedArray().
hipError_t
hipExternalMemoryGetMappedMipmappedArray(hipMipmappedArray_t *mipmap, hipExternalMemory_t extMem,
                                         const hipExternalMemoryMipmappedArrayDesc *mipmapDesc);

/// Ends an import. What was mapped stays until it is freed.
/// @param [in] extMem  the memory
/// Returns: hipErrorInvalidValue: not such memory.
/// Thread safety: no other call may use it at the same time or later.
/// Stream order: none.
/// Source: HIP "External Resource Interoperability"; cuDestroyExternalMemory.
hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem);

// ---- Semaphores

/// Imports a semaphore of another API.
/// @param [out] extSem_out  the semaphore, ended by hipDestroyExternalSemaphore()
/// @param [in] semHandleDesc  what it is; its file descriptor belongs to HIP after success
/// Returns: hipErrorInvalidValue: a pointer is NULL, the kind is unknown, the file descriptor is not
/// open, or on AMD is not of a semaphore; NVIDIA's driver has codes of its own for the latter, such
/// as hipErrorOperatingSystem; hipErrorNotSupported: the kind is of another system, or on AMD there
/// is no libdrm.so.2 or render node for the kernel's semaphores.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "External Resource Interoperability"; cuImportExternalSemaphore.
hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t *extSem_out,
                                      const hipExternalSemaphoreHandleDesc *semHandleDesc);

/// Operations on semaphores when a stream reaches them.
/// @param [in] extSemArray  the semaphores
/// @param [in] paramsArray  what to do with each
/// @param [in] numExtSems  length of both
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: a pointer is NULL, one is not a semaphore that was imported on the
/// stream's device, or stream is not a stream; hipErrorOutOfMemory: the driver is out of resources.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "External Resource Interoperability"; cuSignalExternalSemaphoresAsync,
/// cuWaitExternalSemaphoresAsync.

/// Signals.
hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t *extSemArray,
                                            const hipExternalSemaphoreSignalParams *paramsArray,
                                            unsigned int numExtSems, hipStream_t stream);
/// Makes later work wait.
hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t *extSemArray,
                                          const hipExternalSemaphoreWaitParams *paramsArray,
                                          unsigned int numExtSems, hipStream_t stream);

/// Ends an import. Work that signals it or waits for it keeps it, except on NVIDIA, whose driver asks
/// that such work has ended.
/// @param [in] extSem  the semaphore
/// Returns: hipErrorInvalidValue: not such a semaphore.
/// Thread safety: no other call may use it at the same time or later.
/// Stream order: none.
/// Source: HIP "External Resource Interoperability"; cuDestroyExternalSemaphore.
hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t extSem);

// ---- Graphics resources, registered by hip/hip_gl_interop.h

/// Hands resources over, all of them or none.
/// @param [in] count  resources, not 0
/// @param [in] resources  the resources, of the stream's device
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: count is not positive, resources is NULL (hipErrorUnknown in
/// hipGraphicsUnmapResources(), as AMD's HIP has it), or the object is gone; hipErrorInvalidHandle:
/// not a resource, or one of another device; hipErrorAlreadyMapped, hipErrorNotMapped: it is, or is
/// not; hipErrorContextIsDestroyed: not a stream; hipErrorStreamCaptureUnsupported: it captures;
/// hipErrorMapFailed: the object has changed; hipErrorInvalidGraphicsContext: there is no OpenGL
/// context; hipErrorUnknown: the graphics driver failed. What fails to be unmapped stays mapped.
/// Thread safety: safe; the OpenGL context must be the calling thread's.
/// Stream order: ordered between the graphics work before and the stream's work after, and the
/// reverse. Where objects have copies, both functions wait for the stream.
/// Source: HIP "Graphics Interoperability"; cuGraphicsMapResources, cuGraphicsUnmapResources.

/// Lets HIP use them; the graphics API must not meanwhile.
hipError_t hipGraphicsMapResources(int count, hipGraphicsResource_t *resources,
                                   hipStream_t stream __dparm(0));
/// Gives them back.
hipError_t hipGraphicsUnmapResources(int count, hipGraphicsResource_t *resources,
                                     hipStream_t stream __dparm(0));

/// What a mapped resource is to HIP, until it is unmapped.
/// @param [out] devPtr, array  address or array; may be NULL. The array cannot be freed
/// @param [out] size  bytes; may be NULL
/// @param [in] resource  mapped
/// @param [in] arrayIndex  layer or cube face
/// @param [in] mipLevel  level
/// Returns: hipErrorInvalidValue: an index is out of range; hipErrorContextIsDestroyed: not a
/// resource; hipErrorNotMapped: it is not; hipErrorNotMappedAsPointer, hipErrorNotMappedAsArray: it
/// is the other kind.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Graphics Interoperability"; cuGraphicsResourceGetMappedPointer,
/// cuGraphicsSubResourceGetMappedArray.

/// A buffer: its address and size.
hipError_t hipGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                               hipGraphicsResource_t resource);
/// An image: one layer and level as an array.
hipError_t hipGraphicsSubResourceGetMappedArray(hipArray_t *array, hipGraphicsResource_t resource,
                                                unsigned int arrayIndex, unsigned int mipLevel);

/// Ends a registration. Waits for the device.
/// @param [in] resource  not mapped
/// Returns: hipErrorInvalidValue: resource is NULL; hipErrorInvalidContext: not a resource;
/// hipErrorAlreadyMapped: it is mapped.
/// Thread safety: no other call may use it at the same time or later.
/// Stream order: none.
/// Source: HIP "Graphics Interoperability"; cuGraphicsUnregisterResource.
hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t resource);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
