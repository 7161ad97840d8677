/* Errors: their names and texts, and the calling thread's last one. */
#include "api.h"
#include "api_arguments.h"
#include "api_ids.h"
#include "runtime.h"

const char *hipGetErrorName(hipError_t hip_error)
{
    AH_CALL_INSTEAD(hipGetErrorName);
    return ah_error_name(hip_error);
}

const char *hipGetErrorString(hipError_t hipError)
{
    AH_CALL_INSTEAD(hipGetErrorString);
    return ah_error_text(hipError);
}

hipError_t hipDrvGetErrorName(hipError_t hipError, const char **errorString)
{
    AH_CALL_INSTEAD(hipDrvGetErrorName);
    if (!errorString)
        return hipErrorInvalidValue;
    *errorString = ah_error_is_known(hipError) ? ah_error_name(hipError) : NULL;
    return *errorString ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipDrvGetErrorString(hipError_t hipError, const char **errorString)
{
    AH_CALL_INSTEAD(hipDrvGetErrorString);
    if (!errorString)
        return hipErrorInvalidValue;
    *errorString = ah_error_is_known(hipError) ? ah_error_text(hipError) : NULL;
    return *errorString ? hipSuccess : hipErrorInvalidValue;
}

/* These three neither fail nor count as the last call. */

hipError_t hipGetLastError(void)
{
    AH_ENTER_THREAD_ONLY(hipGetLastError);
    hipError_t error = ah_thread.last_error;
    ah_thread.last_error = hipSuccess;
    AH_LEAVE_SILENTLY();
    return error;
}

hipError_t hipPeekAtLastError(void)
{
    AH_ENTER_THREAD_ONLY(hipPeekAtLastError);
    AH_LEAVE_SILENTLY();
    return ah_thread.last_error;
}

hipError_t hipExtGetLastError(void)
{
    AH_ENTER_THREAD_ONLY(hipExtGetLastError);
    hipError_t error = ah_thread.last_result;
    ah_thread.last_result = hipSuccess;
    AH_LEAVE_SILENTLY();
    return error;
}
