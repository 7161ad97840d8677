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

/// Begins to link for the current device.
/// @param [in] numOptions  options; length of both arrays
/// @param [in] options  which; may be NULL when there are none. On NVIDIA's devices those of the
///     driver's linker; on all devices hipJitOptionIRtoISAOptExt with hipJitOptionIRtoISAOptCountExt,
///     words for the compiler.
/// @param [in] optionValues  their values; may be NULL when there are none. Buffers, and the array
///     itself where options have results, must live until hipLinkDestroy().
/// @param [out] stateOut  the link, ended by hipLinkDestroy(), or by a reset of the device
/// Returns: hipErrorInvalidValue: a pointer is NULL, or an option is unknown or not one for the
/// device; hipErrorNoDevice: there is none; hipErrorOutOfMemory: the driver is out of resources.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management" (linker); cuLinkCreate.
hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption *options, void **optionValues,
                         hipLinkState_t *stateOut);

/// Adds input. LLVM code for either vendor is linked by the compiler (see hip/hiprtc.h):
/// hipJitInputLLVMBitcode, hipJitInputLLVMBundledBitcode,
/// hipJitInputLLVMArchivesOfBundledBitcode, and what hipJitInputFatBinary, hipJitInputObject and
/// hipJitInputLibrary have of it: bundles, host objects that were compiled with -fgpu-rdc, and
/// archives of those. NVIDIA's driver links hipJitInputPtx, hipJitInputCubin, and CUDA's fat
/// binaries, objects and libraries; LLVM code may call functions of those, and the reverse.
/// @param [in] state  a link
/// @param [in] type  what the input is
/// @param [in] data  the input; copied
/// @param [in] size  its bytes
/// @param [in] name  for messages; may be NULL
/// @param [in] path  of the file
/// @param [in] numOptions, options, optionValues  as hipLinkCreate(), for this input
/// Returns: hipErrorInvalidHandle: not a link; hipErrorInvalidImage: there is no data, or NVIDIA's
/// driver cannot read it; hipErrorInvalidValue: path is NULL, the type or an option is unknown or
/// not one for the device, or the link is complete; hipErrorInvalidConfiguration: the file cannot be
/// read, or holds no LLVM code for the device; hipErrorInvalidKernelFile: PTX does not compile;
/// hipErrorNoBinaryForGpu: nothing in it is for the device; hipErrorNotSupported: the input is
/// SPIR-V, of which the compiler has no translator.
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
/// @param [out] sizeOut  its bytes
/// Returns: hipErrorInvalidValue: a pointer is NULL or state is no link;
/// hipErrorInvalidConfiguration: nothing was added, or the compiler does not link it (the log says
/// why); hipErrorInvalidImage: NVIDIA's driver does not link it; hipErrorNotSupported: there is no
/// compiler. After a failure more inputs may be added.
/// Thread safety: not with the same link at the same time.
/// Stream order: none.
/// Source: HIP "Module Management" (linker); cuLinkComplete.
hipError_t hipLinkComplete(hipLinkState_t state, void **hipBinOut, size_t *sizeOut);

/// Ends a link and frees its result.
/// @param [in] state  a link
/// Returns: hipErrorInvalidValue: not a link.
/// Thread safety: no other call may use the link at the same time or later.
/// Stream order: none.
/// Source: HIP "Module Management" (linker); cuLinkDestroy.
hipError_t hipLinkDestroy(hipLinkState_t state);

// ---- Libraries

/// Makes a library of an image (see hip/api/module.h). Nothing is loaded: each device loads the
/// code when something of it is first used there. With options of the compiler, which may have
/// results, the current device loads it at once.
/// @param [out] library  the library
/// @param [in] code  the image; copied unless hipLibraryBinaryIsPreserved says otherwise
/// @param [in] fileName  path; the file is read at once
/// @param [in] jitOptions, jitOptionsValues  JIT options and values; may be NULL when there are
///     none. Those that name the caller's memory (logs, times) are used for the current device
///     only, the others for all.
/// @param [in] numJitOptions  length of both
/// @param [in] libraryOptions, libraryOptionValues  options and values; may be NULL when there are
///     none
/// @param [in] numLibraryOptions  length of both
/// Returns: hipErrorInvalidValue: a pointer is NULL, an option is unknown, or there is no such
/// file; hipErrorNoDevice: there is none; hipErrorNotSupported: an option is
/// hipLibraryHostUniversalFunctionAndDataTable; with JIT options also the errors of
/// hipModuleLoadDataEx(). An image that cannot be read is an error of the first use,
/// hipErrorInvalidImage, and one that fits no device hipErrorNoBinaryForGpu.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuLibraryLoadData, cuLibraryLoadFromFile.

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

/// Unloads a library from all devices. Its kernels, functions, modules and variables become
/// invalid.
/// @param [in] library  a library
/// Returns: hipErrorInvalidResourceHandle: not a library.
/// Thread safety: no other call may use the library at the same time or later.
/// Stream order: waits for work that uses it.
/// Source: HIP "Module Management"; cuLibraryUnload.
hipError_t hipLibraryUnload(hipLibrary_t library);

/// The kernels of a library: those that its code for the current device has. A kernel can be
/// launched on every device, and is accepted wherever a hipFunction_t or the address of a kernel
/// is.
/// @param [out] pKernel, kernels  the kernels, the same handle for the same name each time; valid
///     until the library is unloaded
/// @param [out] count  kernels
/// @param [in] numKernels  room at kernels; may be 0
/// @param [in] library  a library
/// @param [in] name  the name
/// Returns: hipErrorInvalidValue: a pointer or the library is NULL; hipErrorInvalidResourceHandle:
/// not a library; hipErrorNotFound: it has no such kernel; hipErrorInvalidImage: its code cannot be
/// read; hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuLibraryGetKernel, cuLibraryGetKernelCount,
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
/// a library; hipErrorNotFound: it has no such variable; hipErrorInvalidImage,
/// hipErrorNoBinaryForGpu: as above.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuLibraryGetGlobal, cuLibraryGetManaged, cuLibraryGetModule.

/// A device variable, on the current device.
hipError_t hipLibraryGetGlobal(void **dptr, size_t *bytes, hipLibrary_t library, const char *name);
/// A managed variable, the same for every device of a driver.
hipError_t hipLibraryGetManaged(void **dptr, size_t *bytes, hipLibrary_t library, const char *name);
/// The library as a module of the current device; hipModuleUnload() refuses it with
/// hipErrorIllegalState.
hipError_t hipLibraryGetModule(hipModule_t *pMod, hipLibrary_t library);

/// What a kernel of a library is.
/// @param [out] library, name, pFunc  the answer
/// @param [in] kernel  the kernel
/// Returns: hipErrorInvalidValue: the result or the kernel is NULL; hipErrorInvalidHandle: not a
/// kernel; hipErrorNoBinaryForGpu: no image fits the device; hipErrorNotFound: the device's image
/// does not have the kernel.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuKernelGetLibrary, cuKernelGetName, cuKernelGetFunction.

/// Its library.
hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);
/// Its name in the object file, valid as long as the library.
hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);
/// The kernel's function on the current device.
hipError_t hipKernelGetFunction(hipFunction_t *pFunc, hipKernel_t kernel);

/// The position of a kernel's parameter in its arguments, as the current device has it.
/// @param [in] kernel  the kernel
/// @param [in] paramIndex  from 0
/// @param [out] paramOffset  bytes
/// @param [out] paramSize  bytes; may be NULL
/// Returns: hipErrorInvalidValue: kernel or paramOffset is NULL, or there is no such parameter;
/// hipErrorInvalidDeviceFunction: not a kernel.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuKernelGetParamInfo.
hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize);

/// An attribute of a kernel on a device, as hipFuncGetAttribute() and hipFuncSetAttribute() have
/// it.
/// @param [out] pi  the value
/// @param [in] value  the value
/// @param [in] attrib  which
/// @param [in] kernel  the kernel
/// @param [in] dev  the device
/// Returns: hipErrorInvalidValue: pi is NULL, attrib or value is wrong, or the kernel to be changed
/// is NULL; hipErrorInvalidHandle (Get), hipErrorInvalidDeviceFunction (Set): not a kernel;
/// hipErrorInvalidDevice: no such device; hipErrorNoBinaryForGpu: no image fits the device.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Module Management"; cuKernelGetAttribute, cuKernelSetAttribute.

/// Reads it.
hipError_t hipKernelGetAttribute(int *pi, hipFunction_attribute attrib, hipKernel_t kernel,
                                 hipDevice_t dev);
/// Changes it: HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES or
/// HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT.
hipError_t hipKernelSetAttribute(hipFunction_attribute attrib, int value, hipKernel_t kernel,
                                 hipDevice_t dev);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
