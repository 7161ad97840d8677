/* Questions to the compiler that compile nothing: --version, --help, -print-..., and
 * those that only ROCm's hipcc knows. */
#ifndef AH_HIPCC_QUERY_H
#define AH_HIPCC_QUERY_H

#include <stdbool.h>

#include "toolchain.h"

/* Answers the question when the arguments are one. Whether they were; *out_status is then the exit
 * status. */
bool ah_query_answer(const struct ah_strings *arguments, struct ah_toolchain *toolchain,
                     int *out_status);

#endif
