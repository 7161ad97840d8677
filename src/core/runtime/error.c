/* Owns the names and the texts of errors, which are rows of errors.def. */
#include "error.h"

const char *ah_error_name(hipError_t error)
{
    switch ((int)error) {
#define HIP_ERROR_ROW(name, text)                                                                  \
    case name:                                                                                     \
        return #name;
#include "errors.def"
#undef HIP_ERROR_ROW
    default:
        return "hipErrorUnknown";
    }
}

const char *ah_error_text(hipError_t error)
{
    switch ((int)error) {
#define HIP_ERROR_ROW(name, text)                                                                  \
    case name:                                                                                     \
        return text;
#include "errors.def"
#undef HIP_ERROR_ROW
    default:
        return "unknown error";
    }
}

bool ah_error_is_known(hipError_t error)
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
