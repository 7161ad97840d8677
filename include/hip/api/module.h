// Modules: device code loaded at run time.
#ifndef HIP_INCLUDE_HIP_API_MODULE_H
#define HIP_INCLUDE_HIP_API_MODULE_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipModuleLoad(hipModule_t *module, const char *fname);

hipError_t hipModuleUnload(hipModule_t module);

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *kname);

hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attr, const void *func);

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attrib, hipFunction_t hfunc);

hipError_t hipGetFuncBySymbol(hipFunction_t *functionPtr, const void *symbolPtr);

hipError_t hipModuleGetTexRef(textureReference **texRef, hipModule_t hmod, const char *name);

hipError_t hipModuleLoadData(hipModule_t *module, const void *image);

hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int numOptions,
                               hipJitOption *options, void **optionValues);

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                 unsigned int gridDimZ, unsigned int blockDimX,
                                 unsigned int blockDimY, unsigned int blockDimZ,
                                 unsigned int sharedMemBytes, hipStream_t stream,
                                 void **kernelParams, void **extra);

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX,
                                            unsigned int gridDimY, unsigned int gridDimZ,
                                            unsigned int blockDimX, unsigned int blockDimY,
                                            unsigned int blockDimZ, unsigned int sharedMemBytes,
                                            hipStream_t stream, void **kernelParams);

hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *launchParamsList,
                                                       unsigned int numDevices, unsigned int flags);

hipError_t hipLaunchCooperativeKernel(const void *f, dim3 gridDim, dim3 blockDimX,
                                      void **kernelParams, unsigned int sharedMemBytes,
                                      hipStream_t stream);

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices,
                                                 unsigned int flags);

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices,
                                              unsigned int flags);

hipError_t hipModuleGetGlobal(hipDeviceptr_t *dptr, size_t *bytes, hipModule_t hmod,
                              const char *name);

hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t mod);

hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin);

hipError_t hipModuleEnumerateFunctions(hipFunction_t *functions, unsigned int numFunctions,
                                       hipModule_t mod);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
