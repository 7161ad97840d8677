/* A CUPTI that does not belong to the fake driver: it lacks the mark of simulated ones. None of its
 * functions is called. */
#include "cupti_abi.h"

#pragma GCC visibility push(default)

#define REQUIRED(field, parameters)                                                                \
    CUptiResult field parameters;                                                                  \
    CUptiResult field parameters                                                                   \
    {                                                                                              \
        return CUPTI_ERROR_NOT_INITIALIZED;                                                        \
    }
#define OPTIONAL(field, parameters)
#define CUPTI_SYMBOL(need, field, parameters) need(field, parameters)
#include "../../src/backend_cuda/cupti_symbols.def"
