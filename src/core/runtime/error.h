/* What errors are called: the names and texts that programs compare and logs print. */
#ifndef AH_ERROR_H
#define AH_ERROR_H

#include <hip/hip_runtime_api.h>

#include <stdbool.h>

const char *ah_error_name(hipError_t error); /* "hipErrorUnknown" for what is no error of HIP */
const char *ah_error_text(hipError_t error); /* "unknown error" */
bool ah_error_is_known(hipError_t error);

#endif
