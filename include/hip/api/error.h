// Errors.
#ifndef HIP_INCLUDE_HIP_API_ERROR_H
#define HIP_INCLUDE_HIP_API_ERROR_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipGetLastError(void);

hipError_t hipExtGetLastError(void);

hipError_t hipPeekAtLastError(void);

const char *hipGetErrorName(hipError_t hip_error);

const char *hipGetErrorString(hipError_t hipError);

hipError_t hipDrvGetErrorName(hipError_t hipError, const char **errorString);

hipError_t hipDrvGetErrorString(hipError_t hipError, const char **errorString);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
