// What compiled programs and tools call behind the programmer's back: registration of device
// code, the two halves of <<<...>>>, and symbols of old tools. Not for applications.
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

void **__hipRegisterFatBinary(const void *data);

void __hipRegisterFunction(void **modules, const void *hostFunction, char *deviceFunction,
                           const char *deviceName, unsigned int threadLimit, uint3 *tid, uint3 *bid,
                           dim3 *blockDim, dim3 *gridDim, int *wSize);

void __hipRegisterVar(void **modules, void *var, char *hostVar, char *deviceVar, int ext,
                      size_t size, int constant, int global);

void __hipRegisterManagedVar(void *hipModule, void **pointer, void *init_value, const char *name,
                             size_t size, unsigned int align);

void __hipRegisterSurface(void **modules, void *var, char *hostVar, char *deviceVar, int type,
                          int ext);

void __hipRegisterTexture(void **modules, void *var, char *hostVar, char *deviceVar, int type,
                          int norm, int ext);

void __hipUnregisterFatBinary(void **modules);

hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem __dparm(0),
                                      hipStream_t stream __dparm(0));

hipError_t __hipPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                     hipStream_t *stream);

void __hipGetPCH(const char **pch, unsigned int *size);

void hipRegisterTracerCallback(int (*function)(unsigned int domain, uint32_t operation_id,
                                               void *data));

hipError_t hipRegisterApiCallback(uint32_t id, void *fun, void *arg);
hipError_t hipRemoveApiCallback(uint32_t id);
hipError_t hipRegisterActivityCallback(uint32_t id, void *fun, void *arg);
hipError_t hipRemoveActivityCallback(uint32_t id);
void hipInitActivityCallback(void *id_callback, void *op_callback, void *arg);
bool hipEnableActivityCallback(uint32_t op, bool enable);
const char *hipGetCmdName(uint32_t op);

float __gnu_h2f_ieee(unsigned short);
unsigned short __gnu_f2h_ieee(float);

const char *amd_dbgapi_get_build_name(void);
const char *amd_dbgapi_get_git_hash(void);
size_t amd_dbgapi_get_build_id(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
