/* The names and texts of errors, which programs compare and logs print. */
#ifndef AH_ERROR_H
#define AH_ERROR_H

#include <hip/hip_runtime_api.h>

#include <stdbool.h>

const char *
ah_error_name(hipError_t error); /* "hipErrorUnknown" for values that are not errors of HIP */
const char *ah_error_text(hipError_t error); /* "unknown error" */
bool ah_error_is_known(hipError_t error);

#endif
