// Linking device code at run time, and libraries: device code that is not bound to a device.
#ifndef HIP_INCLUDE_HIP_API_LIBRARY_H
#define HIP_INCLUDE_HIP_API_LIBRARY_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// ---- Linking

/// Begins to link.
/// @param [in] numOptions  options; length of both arrays
/// @param [in] options  which; may be NULL when there are none
/// @param [in] optionValues  their values, which must live until hipLinkComplete() where they are
///     buffers; may be NULL when there are none
/// @param [out] stateOut  the link, ended by hipLinkDestroy()
/// Returns: hipErrorInvalidValue: a pointer is NULL or an option is unknown; hipErrorOutOfMemory:
/// the driver is out of resources; hipErrorNotSupported: there is no linker for the current device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management" (linker); cuLinkCreate.
hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption *options, void **optionValues,
                         hipLinkState_t *stateOut);

/// Adds input. NVIDIA: PTX, machine code, fat binaries, objects and libraries; AMD: LLVM bitcode,
/// bundles, archives of them, SPIR-V.
/// @param [in] state  a link
/// @param [in] type  what the input is
/// @param [in] data  the input; copied
/// @param [in] size  its bytes
/// @param [in] name  for messages; may be NULL
/// @param [in] path  of the file
/// @param [in] numOptions, options, optionValues  as hipLinkCreate(), for this input
/// Returns: hipErrorInvalidValue: a pointer is NULL or type or an option is unknown;
/// hipErrorInvalidHandle: not a link; hipErrorFileNotFound: there is no such file;
/// hipErrorInvalidImage: it is not what type says; hipErrorInvalidKernelFile: PTX does not compile;
/// hipErrorNotSupported: the current device's linker does not take that type.
/// Thread safety: not with the same link at the same time.
/// Stream order: none.
/// Source: HIP "Module Management" (linker); cuLinkAddData, cuLinkAddFile.

/// From memory.
hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void *data, size_t size,
                          const char *name, unsigned int numOptions, hipJitOption *options,
                          void **optionValues);
/// From a file.
hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char *path,
                          unsigned int numOptions, hipJitOption *options, void **optionValues);

/// Links what was added.
/// @param [in] state  a link
/// @param [out] hipBinOut  the image for hipModuleLoadData(), valid until hipLinkDestroy()
/// @param [out] sizeOut  its bytes; may be NULL
/// Returns: hipErrorInvalidValue: hipBinOut is NULL; hipErrorInvalidHandle: not a link;
/// hipErrorInvalidImage: nothing was added, or symbols are missing (see the log options).
/// Thread safety: not with the same link at the same time.
/// Stream order: none.
/// Source: HIP "Module Management" (linker); cuLinkComplete.
hipError_t hipLinkComplete(hipLinkState_t state, void **hipBinOut, size_t *sizeOut);

/// Ends a link and frees its result.
/// @param [in] state  a link
/// Returns: hipErrorInvalidHandle: not a link.
/// Thread safety: no other call may use the link at the same time or later.
/// Stream order: none.
/// Source: HIP "Module Management" (linker); cuLinkDestroy.
hipError_t hipLinkDestroy(hipLinkState_t state);

// ---- Libraries

/// Makes a library of an image (see hip/api/module.h). It is loaded on each device when first used
/// there.
/// @param [out] library  the library
/// @param [in] code  the image; copied unless hipLibraryBinaryIsPreserved says otherwise
/// @param [in] fileName  path
/// @param [in] jitOptions, jitOptionsValues  JIT options and values; may be NULL when there are
///     none
/// @param [in] numJitOptions  length of both
/// @param [in] libraryOptions, libraryOptionValues  options and values; may be NULL when there are
///     none
/// @param [in] numLibraryOptions  length of both
/// Returns: hipErrorInvalidValue: a pointer is NULL or an option is unknown; hipErrorFileNotFound:
/// there is no such file; hipErrorInvalidImage: not an image; hipErrorNoBinaryForGpu: no image fits
/// any device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Library Management"; cuLibraryLoadData, cuLibraryLoadFromFile.

/// From memory.
hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *code, hipJitOption *jitOptions,
                              void **jitOptionsValues, unsigned int numJitOptions,
                              hipLibraryOption *libraryOptions, void **libraryOptionValues,
                              unsigned int numLibraryOptions);
/// From a file.
hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *fileName,
                                  hipJitOption *jitOptions, void **jitOptionsValues,
                                  unsigned int numJitOptions, hipLibraryOption *libraryOptions,
                                  void **libraryOptionValues, unsigned int numLibraryOptions);

/// Unloads a library. Its kernels and variables become invalid.
/// @param [in] library  a library
/// Returns: hipErrorInvalidResourceHandle: not a library.
/// Thread safety: no other call may use the library at the same time or later.
/// Stream order: waits for work that uses it.
/// Source: HIP "Library Management"; cuLibraryUnload.
hipError_t hipLibraryUnload(hipLibrary_t library);

/// The kernels of a library.
/// @param [out] pKernel, kernels  the kernels, valid until the library is unloaded
/// @param [out] count  kernels
/// @param [in] numKernels  room at kernels
/// @param [in] library  a library
/// @param [in] name  the name
/// Returns: hipErrorInvalidValue: a pointer is NULL; hipErrorInvalidResourceHandle: not a library;
/// hipErrorNotFound: it has no such kernel.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Library Management"; cuLibraryGetKernel, cuLibraryGetKernelCount,
/// cuLibraryEnumerateKernels.

/// By its name in the object file.
hipError_t hipLibraryGetKernel(hipKernel_t *pKernel, hipLibrary_t library, const char *name);
/// Their number.
hipError_t hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t library);
/// Up to numKernels of them.
hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned int numKernels,
                                      hipLibrary_t library);

/// What else a library holds. Of HIP 7.2 and later.
/// @param [out] dptr  address; may be NULL
/// @param [out] bytes  size; may be NULL
/// @param [out] pMod  the module
/// @param [in] library  a library
/// @param [in] name  the variable's name in the object file
/// Returns: hipErrorInvalidValue: the results or name are NULL; hipErrorInvalidResourceHandle: not
/// a library; hipErrorNotFound: it has no such variable; hipErrorNoBinaryForGpu: no image fits the
/// device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Library Management"; cuLibraryGetGlobal, cuLibraryGetManaged, cuLibraryGetModule.

/// A device variable, on the current device.
hipError_t hipLibraryGetGlobal(void **dptr, size_t *bytes, hipLibrary_t library, const char *name);
/// A managed variable, the same for every device.
hipError_t hipLibraryGetManaged(void **dptr, size_t *bytes, hipLibrary_t library, const char *name);
/// The library as a module of the current device; not to be unloaded.
hipError_t hipLibraryGetModule(hipModule_t *pMod, hipLibrary_t library);

/// What a kernel of a library is.
/// @param [out] library, name, pFunc  the answer
/// @param [in] kernel  the kernel
/// Returns: hipErrorInvalidValue: the result is NULL; hipErrorInvalidResourceHandle: not a kernel;
/// hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Library Management"; cuKernelGetLibrary, cuKernelGetName, cuKernelGetFunction.

/// Its library.
hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);
/// Its name in the object file, valid as long as the library.
hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);
/// The kernel as hipModuleLaunchKernel() takes it, on the current device.
hipError_t hipKernelGetFunction(hipFunction_t *pFunc, hipKernel_t kernel);

/// The position of a kernel's parameter in its arguments.
/// @param [in] kernel  the kernel
/// @param [in] paramIndex  from 0
/// @param [out] paramOffset  bytes
/// @param [out] paramSize  bytes; may be NULL
/// Returns: hipErrorInvalidValue: paramOffset is NULL or there is no such parameter;
/// hipErrorInvalidResourceHandle: not a kernel; hipErrorNotSupported: the image does not contain
/// it.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Library Management"; cuKernelGetParamInfo.
hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize);

/// An attribute of a kernel on a device.
/// @param [out] pi  the value
/// @param [in] value  the value
/// @param [in] attrib  which
/// @param [in] kernel  the kernel
/// @param [in] dev  the device
/// Returns: hipErrorInvalidValue: pi is NULL, or attrib or value is wrong;
/// hipErrorInvalidResourceHandle: not a kernel; hipErrorInvalidDevice: no such device;
/// hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Library Management"; cuKernelGetAttribute, cuKernelSetAttribute.

/// Reads it.
hipError_t hipKernelGetAttribute(int *pi, hipFunction_attribute attrib, hipKernel_t kernel,
                                 hipDevice_t dev);
/// Changes it; only the two of hipFuncSetAttribute() can be.
hipError_t hipKernelSetAttribute(hipFunction_attribute attrib, int value, hipKernel_t kernel,
                                 hipDevice_t dev);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
