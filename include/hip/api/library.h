// Just-in-time linking, libraries and their kernels.
#ifndef HIP_INCLUDE_HIP_API_LIBRARY_H
#define HIP_INCLUDE_HIP_API_LIBRARY_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *code, hipJitOption *jitOptions,
                              void **jitOptionsValues, unsigned int numJitOptions,
                              hipLibraryOption *libraryOptions, void **libraryOptionValues,
                              unsigned int numLibraryOptions);

hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *fileName,
                                  hipJitOption *jitOptions, void **jitOptionsValues,
                                  unsigned int numJitOptions, hipLibraryOption *libraryOptions,
                                  void **libraryOptionValues, unsigned int numLibraryOptions);

hipError_t hipLibraryUnload(hipLibrary_t library);

hipError_t hipLibraryGetKernel(hipKernel_t *pKernel, hipLibrary_t library, const char *name);

hipError_t hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t library);

hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned int numKernels,
                                      hipLibrary_t library);

hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);

hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);

hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize);

hipError_t hipKernelGetAttribute(int *pi, hipFunction_attribute attrib, hipKernel_t kernel,
                                 hipDevice_t dev);

hipError_t hipKernelSetAttribute(hipFunction_attribute attrib, int value, hipKernel_t kernel,
                                 hipDevice_t dev);

hipError_t hipKernelGetFunction(hipFunction_t *pFunc, hipKernel_t kernel);

hipError_t hipLibraryGetGlobal(void **dptr, size_t *bytes, hipLibrary_t library, const char *name);

hipError_t hipLibraryGetManaged(void **dptr, size_t *bytes, hipLibrary_t library, const char *name);

hipError_t hipLibraryGetModule(hipModule_t *pMod, hipLibrary_t library);

hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption *options, void **optionValues,
                         hipLinkState_t *stateOut);

hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void *data, size_t size,
                          const char *name, unsigned int numOptions, hipJitOption *options,
                          void **optionValues);

hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char *path,
                          unsigned int numOptions, hipJitOption *options, void **optionValues);

hipError_t hipLinkComplete(hipLinkState_t state, void **hipBinOut, size_t *sizeOut);

hipError_t hipLinkDestroy(hipLinkState_t state);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
