// Memory, semaphores and graphics resources of other APIs.
#ifndef HIP_INCLUDE_HIP_API_INTEROP_H
#define HIP_INCLUDE_HIP_API_INTEROP_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t *extSem_out,
                                      const hipExternalSemaphoreHandleDesc *semHandleDesc);

hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t *extSemArray,
                                            const hipExternalSemaphoreSignalParams *paramsArray,
                                            unsigned int numExtSems, hipStream_t stream);

hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t *extSemArray,
                                          const hipExternalSemaphoreWaitParams *paramsArray,
                                          unsigned int numExtSems, hipStream_t stream);

hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t extSem);

hipError_t hipImportExternalMemory(hipExternalMemory_t *extMem_out,
                                   const hipExternalMemoryHandleDesc *memHandleDesc);

hipError_t hipExternalMemoryGetMappedBuffer(void **devPtr, hipExternalMemory_t extMem,
                                            const hipExternalMemoryBufferDesc *bufferDesc);

hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem);

hipError_t hipExternalMemoryGetMappedMipmappedArray(
    hipMipmappedArray_t *mipmap, hipExternalMemory_t extMem,
    const hipExternalMemoryMipmappedArrayDesc *mipmapDesc);

hipError_t hipGraphicsMapResources(int count, hipGraphicsResource_t *resources,
                                   hipStream_t stream __dparm(0));

hipError_t hipGraphicsSubResourceGetMappedArray(hipArray_t *array, hipGraphicsResource_t resource,
                                                unsigned int arrayIndex, unsigned int mipLevel);

hipError_t hipGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                               hipGraphicsResource_t resource);

hipError_t hipGraphicsUnmapResources(int count, hipGraphicsResource_t *resources,
                                     hipStream_t stream __dparm(0));

hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t resource);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
