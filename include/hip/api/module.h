// Modules: device code loaded at run time, its kernels and variables; attributes of kernels.
//
// An image is an AMDGPU code object, NVIDIA machine code, PTX, clang's offload bundle (plain or
// compressed) or a fat binary with any of them. What it is decides, not how it is labelled.
#ifndef HIP_INCLUDE_HIP_API_MODULE_H
#define HIP_INCLUDE_HIP_API_MODULE_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Loads device code for the current device.
/// @param [out] module  the module
/// @param [in] fname  path
/// @param [in] image, fatbin  the code; copied
/// @param [in] numOptions  options; length of both arrays
/// @param [in] options  which; may be NULL when there are none
/// @param [in] optionValues  their values; may be NULL when there are none
/// Returns: hipErrorInvalidValue: a pointer is NULL or an option is unknown; hipErrorFileNotFound:
/// there is no such file; hipErrorInvalidImage: it is empty (HIP 7) or no image;
/// hipErrorNoBinaryForGpu: no image fits the device; hipErrorInvalidKernelFile: PTX does not
/// compile; hipErrorSharedObjectInitFailed, hipErrorOutOfMemory: the driver could not load it.
/// Thread safety: safe.
/// Stream order: may wait for the device.
/// Source: HIP "Module Management"; cuModuleLoad, cuModuleLoadData, cuModuleLoadDataEx,
/// cuModuleLoadFatBinary.

/// From a file.
hipError_t hipModuleLoad(hipModule_t *module, const char *fname);
/// From memory; the image contains its own size, and PTX ends with a 0 byte.
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
/// The same with JIT options.
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int numOptions,
                               hipJitOption *options, void **optionValues);
/// From a fat binary in memory.
hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin);

/// Unloads a module. Its kernels and variables become invalid.
/// @param [in] module  a module
/// Returns: hipErrorInvalidResourceHandle: module is NULL; hipErrorNotFound: not a module.
/// Thread safety: no other call may use the module at the same time or later.
/// Stream order: waits for work that uses it.
/// Source: HIP "Module Management"; cuModuleUnload.
hipError_t hipModuleUnload(hipModule_t module);

/// A kernel of a module, by its name in the object file (mangled, for a C++ kernel).
/// @param [out] function  the kernel, valid until the module is unloaded
/// @param [in] module  a module
/// @param [in] kname  the name
/// Returns: hipErrorInvalidValue: a pointer is NULL or the name is empty;
/// hipErrorInvalidResourceHandle: not a module; hipErrorNotFound: it has no such kernel.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuModuleGetFunction.
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *kname);

/// The kernels of a module.
/// @param [out] count  kernels
/// @param [out] functions  the kernels
/// @param [in] numFunctions  room at functions
/// @param [in] mod  a module
/// Returns: hipErrorInvalidValue: the pointer is NULL; hipErrorInvalidResourceHandle: not a module.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuModuleGetFunctionCount, cuModuleEnumerateFunctions.

/// Their number.
hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t mod);
/// Up to numFunctions of them. Of HIP 7.14.
hipError_t hipModuleEnumerateFunctions(hipFunction_t *functions, unsigned int numFunctions,
                                       hipModule_t mod);

/// A device variable of a module.
/// @param [out] dptr  its address; may be NULL
/// @param [out] bytes  its size; may be NULL
/// @param [in] hmod  a module
/// @param [in] name  its name in the object file
/// Returns: hipErrorInvalidValue: both results or name are NULL; hipErrorInvalidResourceHandle: not
/// a module; hipErrorNotFound: it has no such variable.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuModuleGetGlobal.
hipError_t hipModuleGetGlobal(hipDeviceptr_t *dptr, size_t *bytes, hipModule_t hmod,
                              const char *name);

/// A texture reference of a module.
/// @param [out] texRef  the reference
/// @param [in] hmod  a module
/// @param [in] name  its name in the object file
/// Returns: hipErrorInvalidValue: a pointer is NULL; hipErrorInvalidResourceHandle: not a module;
/// hipErrorNotFound: it has no such reference; hipErrorNotSupported: the device has no images.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuModuleGetTexRef.
hipError_t hipModuleGetTexRef(textureReference **texRef, hipModule_t hmod, const char *name);

/// All attributes of a kernel on the current device. The code is loaded if need be.
/// @param [out] attr  the attributes
/// @param [in] func  the kernel, by its host address
/// Returns: hipErrorInvalidValue: attr is NULL; hipErrorInvalidDeviceFunction: not a kernel;
/// hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; CUDA runtime cudaFuncGetAttributes; cuFuncGetAttribute.
hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attr, const void *func);

/// One attribute of a kernel of a module.
/// @param [out] value  the value
/// @param [in] attrib  which
/// @param [in] hfunc  the kernel
/// Returns: hipErrorInvalidValue: value is NULL or attrib is unknown; hipErrorInvalidHandle: not a
/// kernel of a module.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuFuncGetAttribute.
hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attrib, hipFunction_t hfunc);

/// A kernel of this program as hipModuleLaunchKernel() takes it, on the current device.
/// @param [out] functionPtr  the kernel, valid for the process's lifetime
/// @param [in] symbolPtr  the kernel, by its host address
/// Returns: hipErrorInvalidValue: functionPtr is NULL; hipErrorInvalidDeviceFunction: not a kernel;
/// hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; CUDA runtime cudaGetFuncBySymbol.
hipError_t hipGetFuncBySymbol(hipFunction_t *functionPtr, const void *symbolPtr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
