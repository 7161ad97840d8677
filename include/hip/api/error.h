// Errors: the thread's last error, and names and descriptions of error codes.
#ifndef HIP_INCLUDE_HIP_API_ERROR_H
#define HIP_INCLUDE_HIP_API_ERROR_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Returns the last error of the calling thread and resets it to hipSuccess. hipSuccess and
/// hipErrorNotReady of later calls do not replace an error (HIP 7; up to HIP 6 this was the result
/// of the last call: see hipExtGetLastError()).
/// Returns: the error, hipSuccess if there was none.
/// Thread safety: each thread has its own.
/// Stream order: none; does not wait, and so does not see errors of work still running.
/// Source: HIP "Error Handling"; CUDA runtime cudaGetLastError.
hipError_t hipGetLastError(void);

/// Returns the result of the calling thread's last HIP call, success included, and resets it to
/// hipSuccess: what hipGetLastError() did up to HIP 6.
/// Returns: that result.
/// Thread safety: each thread has its own.
/// Stream order: none.
/// Source: HIP "Error Handling"; no CUDA counterpart.
hipError_t hipExtGetLastError(void);

/// Returns the last error of the calling thread, as hipGetLastError(), without resetting it.
/// Returns: the error, hipSuccess if there was none.
/// Thread safety: each thread has its own.
/// Stream order: none.
/// Source: HIP "Error Handling"; CUDA runtime cudaPeekAtLastError.
hipError_t hipPeekAtLastError(void);

/// Text for an error code.
/// @param [in] hip_error, hipError  any value
/// Returns: a string valid for the process's lifetime; for a value that is not an error code a
/// fixed text that says so; never NULL. The last error does not change.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Error Handling"; CUDA runtime cudaGetErrorName, cudaGetErrorString.

/// The enumerator's name, as "hipErrorInvalidValue".
const char *hipGetErrorName(hipError_t hip_error);
/// A short English description, as "invalid argument".
const char *hipGetErrorString(hipError_t hipError);

/// Text for an error code, in the form of the driver API.
/// @param [in] hipError  any value
/// @param [out] errorString  a string valid for the process's lifetime, NULL for a value that is
///     not an error code
/// Returns: hipErrorInvalidValue: errorString is NULL or hipError is not an error code.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Error Handling"; cuGetErrorName, cuGetErrorString.

/// The enumerator's name.
hipError_t hipDrvGetErrorName(hipError_t hipError, const char **errorString);
/// The description.
hipError_t hipDrvGetErrorString(hipError_t hipError, const char **errorString);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
