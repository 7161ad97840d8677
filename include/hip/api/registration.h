// What compiled programs and tools call behind the programmer's back: registration of device
// code, and symbols of old tools. Not for applications: hip_runtime_api.h leaves it out, so that a
// program may declare these functions in its own words.
#ifndef HIP_INCLUDE_HIP_API_REGISTRATION_H
#define HIP_INCLUDE_HIP_API_REGISTRATION_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/hip_vector_types.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// ---- Called by code the compiler adds to every program

/// Registers the device code of a translation unit. Only stores it: nothing is loaded yet.
/// @param [in] data  {uint32_t magic "HIPF", uint32_t version 1, address of the images, NULL}
/// Returns: a handle for the functions below; NULL if data is not such a structure.
/// Thread safety: called before main() and by dlopen(), one at a time.
/// Stream order: none.
/// Source: clang's HIP support; CUDA's __cudaRegisterFatBinary.
void **__hipRegisterFatBinary(const void *data);

/// Ends that: when the program ends, or by dlclose().
/// @param [in] modules  the handle
/// Returns: nothing.
/// Thread safety: called after main() and by dlclose(), one at a time.
/// Stream order: the first call waits for all devices.
/// Source: clang's HIP support; CUDA's __cudaUnregisterFatBinary.
void __hipUnregisterFatBinary(void **modules);

/// Registers one entity of a translation unit.
/// @param [in] modules, hipModule  the handle
/// @param [in] hostFunction, var  its host address
/// @param [in] deviceFunction, hostVar  its name, unused
/// @param [in] deviceName, deviceVar, name  its name in the object file
/// @param [in] threadLimit, tid, bid, blockDim, gridDim, wSize  unused
/// @param [in] ext  1 if it is defined elsewhere
/// @param [in] size  bytes
/// @param [in] constant  1 if __constant__
/// @param [in] global, norm, type  of CUDA's interface, unused
/// @param [out] pointer  see there
/// @param [in] init_value  size bytes
/// @param [in] align  bytes
/// Returns: nothing.
/// Thread safety: as __hipRegisterFatBinary().
/// Stream order: none.
/// Source: clang's HIP support; CUDA's __cudaRegisterFunction and its relatives.

/// A kernel, known from now on by hostFunction; a second registration of it is ignored.
void __hipRegisterFunction(void **modules, const void *hostFunction, char *deviceFunction,
                           const char *deviceName, unsigned int threadLimit, uint3 *tid, uint3 *bid,
                           dim3 *blockDim, dim3 *gridDim, int *wSize);
/// A __device__ or __constant__ variable, known by var.
void __hipRegisterVar(void **modules, void *var, char *hostVar, char *deviceVar, int ext,
                      size_t size, int constant, int global);
/// A __managed__ variable: allocates it, copies init_value to it, and stores its address in
/// *pointer.
void __hipRegisterManagedVar(void *hipModule, void **pointer, void *init_value, const char *name,
                             size_t size, unsigned int align);
/// A texture reference.
void __hipRegisterTexture(void **modules, void *var, char *hostVar, char *deviceVar, int type,
                          int norm, int ext);
/// A surface reference.
void __hipRegisterSurface(void **modules, void *var, char *hostVar, char *deviceVar, int type,
                          int ext);

/// The precompiled kernel-language headers for run-time compilation.
/// @param [out] pch  the headers; NULL: AnyHIP has none, headers are compiled from text
/// @param [out] size  bytes; 0
/// Returns: nothing.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP's runtime compiler.
void __hipGetPCH(const char **pch, unsigned int *size);

/// Conversions the compiler calls for half precision on the host.
/// Returns: the converted value.
/// Thread safety: safe.
/// Stream order: none.
/// Source: the compiler's run-time library.

/// Half, as bits, to float.
float __gnu_h2f_ieee(unsigned short);
/// Float to half, as bits, to nearest even.
unsigned short __gnu_f2h_ieee(float);

// ---- Called by tools

/// Sets the function of a tracer, which is asked whether it wants a call of HIP or a kind of work of
/// devices, and takes the records of work, in the protocol of roctracer for HIP 6 and 7. HIP calls
/// that it makes meanwhile are not reported. Calls that are under way may still be reported for a
/// while after it is changed.
/// @param [in] function  called with the domain, the number of the operation and its data, or NULL;
///     returns 0 for what it wants. NULL: there is no tracer any more
/// Returns: nothing.
/// Thread safety: safe.
/// Stream order: none.
/// Source: AMD's roctracer.
void hipRegisterTracerCallback(int (*function)(unsigned int domain, uint32_t operation_id,
                                               void *data));

/// The same for tracers of HIP 5. AnyHIP calls none of them back.
/// @param [in] id, op  number of the function or kind of work (OpenCL's CL_COMMAND_*)
/// @param [in] fun, id_callback, op_callback  the tracer's functions
/// @param [in] arg  passed on
/// @param [in] enable  on or off
/// Returns: hipErrorNotSupported; hipEnableActivityCallback(): false; hipGetCmdName(): the name,
/// "Unknown command kind" for other numbers.
/// Thread safety: safe.
/// Stream order: none.
/// Source: AMD's roctracer for HIP 5.

/// Of a function of the API.
hipError_t hipRegisterApiCallback(uint32_t id, void *fun, void *arg);
/// Ends that.
hipError_t hipRemoveApiCallback(uint32_t id);
/// Of work on a device.
hipError_t hipRegisterActivityCallback(uint32_t id, void *fun, void *arg);
/// Ends that.
hipError_t hipRemoveActivityCallback(uint32_t id);
/// Sets three functions of the tracer for the latter.
void hipInitActivityCallback(void *id_callback, void *op_callback, void *arg);
/// Turns them on or off for one kind of work.
bool hipEnableActivityCallback(uint32_t op, bool enable);
/// The name of a kind of work.
const char *hipGetCmdName(uint32_t op);

/// Functions by which AMD's debugger recognises the runtime.
/// Returns: the answer; never NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: AMD's debugger.

/// The name of the build.
const char *amd_dbgapi_get_build_name(void);
/// Its revision.
const char *amd_dbgapi_get_git_hash(void);
/// Its number.
size_t amd_dbgapi_get_build_id(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
