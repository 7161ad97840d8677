/* Errors: their names and texts, and the calling thread's last one. */
#include "api.h"

const char *hipGetErrorName(hipError_t hip_error)
{
    switch ((int)hip_error) {
#define HIP_ERROR_ROW(name, text)                                                                  \
    case name:                                                                                     \
        return #name;
#include "errors.def"
#undef HIP_ERROR_ROW
    default:
        return "hipErrorUnknown";
    }
}

const char *hipGetErrorString(hipError_t hipError)
{
    switch ((int)hipError) {
#define HIP_ERROR_ROW(name, text)                                                                  \
    case name:                                                                                     \
        return text;
#include "errors.def"
#undef HIP_ERROR_ROW
    default:
        return "unknown error";
    }
}

static bool is_known(hipError_t error)
{
    switch ((int)error) {
#define HIP_ERROR_ROW(name, text) case name:
#include "errors.def"
#undef HIP_ERROR_ROW
        return true;
    default:
        return false;
    }
}

hipError_t hipDrvGetErrorName(hipError_t hipError, const char **errorString)
{
    if (!errorString)
        return hipErrorInvalidValue;
    *errorString = is_known(hipError) ? hipGetErrorName(hipError) : NULL;
    return *errorString ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipDrvGetErrorString(hipError_t hipError, const char **errorString)
{
    if (!errorString)
        return hipErrorInvalidValue;
    *errorString = is_known(hipError) ? hipGetErrorString(hipError) : NULL;
    return *errorString ? hipSuccess : hipErrorInvalidValue;
}

/* These three neither fail nor count as the last call. */

hipError_t hipGetLastError(void)
{
    AH_ENTER_THREAD_ONLY();
    hipError_t error = ah_thread.last_error;
    ah_thread.last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError(void)
{
    AH_ENTER_THREAD_ONLY();
    return ah_thread.last_error;
}

hipError_t hipExtGetLastError(void)
{
    AH_ENTER_THREAD_ONLY();
    hipError_t error = ah_thread.last_result;
    ah_thread.last_result = hipSuccess;
    return error;
}
